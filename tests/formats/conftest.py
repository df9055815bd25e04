"""Robots of many kinds, each used a little: code with loops, which they share, saves compiling for each of them."""

import pytest

import sixd


@pytest.fixture(autouse=True, scope="package")
def _shared_code():
    sixd.set_kernels("rolled")
    yield
    sixd.set_kernels(None)
