"""Compiled functions that count their slow calls, for the tests of single calls."""

import pytest

from tests.backends.test_call import Counted, mixed


@pytest.fixture(scope="module")
def kernel():
    return Counted(mixed, (5,), (2, 3), ())


@pytest.fixture(scope="module")
def plain():
    return Counted(lambda x, y: [("z", (3,), [a * b + 1.0 for a, b in zip(x, y, strict=True)])], (3,), (3,))
