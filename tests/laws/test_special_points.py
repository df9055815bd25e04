"""Derivatives of every law at its special points, forward and backward, against differences in high precision."""

import pytest

from sixd.constraints import CONSTRAINTS
from sixd.joints import JOINTS
from sixd.simulation.contact import LAWS
from sixd.simulation.controllers import CONTROLLERS
from sixd.simulation.forces import ELEMENTS
from tests.laws import special_points

#: A hopper's step takes a quarter of the time of all others, and has one chain where a ball has none.
LONG = [
    pytest.param(source, marks=pytest.mark.slow) if source is special_points.of_rigid_contact_of_a_hopper else source
    for source in special_points.SOURCES
]


@pytest.mark.parametrize("source", LONG, ids=lambda source: source.__name__)
def test_derivatives_at_special_points(source):
    cases = list(source())
    assert len({case.name for case in cases}) == len(cases) > 0
    wrong = {case.name: found.mistakes for case in cases if (found := special_points.examine(case)).mistakes}
    assert not wrong


def test_every_registered_law_is_here():
    """Those of grounds, heights, shapes, constraints and goals are counted where they are made."""
    laws = {}
    for source in special_points.SOURCES:
        for case in source():
            laws.setdefault(case.group, set()).add(case.law.partition(",")[0].partition(":")[0])
    own = {name for name, kind in ELEMENTS.items() if kind.__module__.startswith("sixd.")}
    assert laws["force element"] >= own
    assert laws["controller"] >= {name for name, kind in CONTROLLERS.items() if kind.__module__.startswith("sixd.")}
    assert laws["law of contact"] >= set(LAWS)
    assert laws["joint"] == {name for name, kind in JOINTS.items() if kind.__module__.startswith("sixd.")}
    assert laws["constraint"] >= {name for name, kind in CONSTRAINTS.items() if kind.__module__.startswith("sixd.")}
