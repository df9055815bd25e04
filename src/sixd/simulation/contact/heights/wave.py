"""A wave."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

from sixd.given import finite
from sixd.ops import Scalar
from sixd.ops import sin as sine
from sixd.simulation.contact.checks import within
from sixd.simulation.contact.heights.height import Height, register

__all__ = ["Wave"]


@register
@dataclass(frozen=True)
class Wave(Height):
    """h = amplitude sin(2 pi s / length + phase), where s is the way along ``heading``, an angle from the x axis.

    Amplitude and length are in m, heading and phase in rad.
    """

    name = "wave"
    amplitude: float
    length: float
    heading: float = 0.0
    phase: float = 0.0

    def __post_init__(self) -> None:
        amplitude, heading, phase = finite(
            (self.amplitude, self.heading, self.phase), "amplitude, heading and phase of a wave", 3
        )
        object.__setattr__(self, "amplitude", amplitude)
        object.__setattr__(self, "heading", heading)
        object.__setattr__(self, "phase", phase)
        object.__setattr__(self, "length", within(self.length, "the length of a wave", 0.0, open_below=True))

    def __call__(self, x: Scalar, y: Scalar) -> Scalar:
        rate = 2.0 * pi / self.length
        return self.amplitude * sine(rate * cos(self.heading) * x + rate * sin(self.heading) * y + self.phase)
