"""Mechanisms with closed loops, built in code: to try things on, to test with, to read.

Each is a function that returns a new `Mechanism`: a closed robot, a state that keeps its constraints, the forces that
belong to it. To add one: a file beside these, and a line here.
"""

from collections.abc import Callable

from sixd.mechanisms.andrews import andrews
from sixd.mechanisms.bricard import bricard
from sixd.mechanisms.delta import delta_robot
from sixd.mechanisms.five_bar import five_bar
from sixd.mechanisms.four_bar import four_bar
from sixd.mechanisms.governor import flyball_governor
from sixd.mechanisms.grasp import two_handed_grasp
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.slider_crank import slider_crank
from sixd.mechanisms.standing import standing_quadruped
from sixd.mechanisms.stewart import stewart_platform

__all__ = [
    "MECHANISMS",
    "Mechanism",
    "andrews",
    "bricard",
    "delta_robot",
    "five_bar",
    "flyball_governor",
    "four_bar",
    "slider_crank",
    "standing_quadruped",
    "stewart_platform",
    "two_handed_grasp",
]

#: The mechanisms by name.
MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    make.__name__: make
    for make in (
        four_bar,
        slider_crank,
        five_bar,
        andrews,
        bricard,
        flyball_governor,
        delta_robot,
        stewart_platform,
        two_handed_grasp,
        standing_quadruped,
    )
}
