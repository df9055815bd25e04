"""Compiling takes time in proportion to the size of a program."""

from time import process_time

import pytest

import sixd
from sixd import algorithms


@pytest.mark.slow
def test_four_times_the_nodes_take_about_four_times_as_long(monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", "off")
    times, nodes = [], []
    for n in (10, 40, 160):  # the first is to warm up
        start = process_time()
        kernel = sixd.compile(algorithms.aba, sixd.gallery.chain(n), rolled=False)
        times.append(process_time() - start)
        nodes.append(len(kernel.program.nodes))
    assert nodes[2] > 3.8 * nodes[1] > 4 * 10_000
    assert times[2] < 6.0 * times[1]
    assert times[2] < 4e-4 * nodes[2]
