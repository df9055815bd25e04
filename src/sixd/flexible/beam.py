"""A straight uniform beam: what bends, twists and stretches in a flexible link."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, pi
from typing import Any, NamedTuple

from sixd import given
from sixd.errors import ModelError

__all__ = ["KINDS", "Beam", "Section"]


class _Kind(NamedTuple):
    """A kind of deformation: the component of strain (twist, bending about y and z, stretch) and its stiffness."""

    component: int
    stiffness: str


#: What a beam can do, by name.
KINDS = {
    "bending_y": _Kind(1, "EI_y"),
    "bending_z": _Kind(2, "EI_z"),
    "torsion": _Kind(0, "GJ"),
    "axial": _Kind(3, "EA"),
}


class Section(NamedTuple):
    """The cross-section as it is drawn: a "box" of a size (y, z) or a "cylinder" of a radius, m."""

    shape: str
    size: tuple[float, ...]


@dataclass(frozen=True)
class Beam:
    """A uniform beam along the x axis, from x = 0 to ``length``, after Euler and Bernoulli: it does not shear.

    A stiffness that is infinite, as they are unless given, makes the beam rigid in that kind of deformation.
    `rectangular` and `circular` compute all from a material and the size of the section.
    """

    #: m
    length: float
    #: kg/m
    mass_per_length: float
    #: Against bending about the y axis, which deflects along z: E times the second moment of area, N m^2.
    EI_y: float = inf
    #: Against bending about the z axis, which deflects along y, N m^2.
    EI_z: float = inf
    #: Against torsion about the x axis, N m^2.
    GJ: float = inf
    #: Against stretching along the x axis, N.
    EA: float = inf
    #: The moments of inertia per length about the axes x, y, z of the section, kg m. Torsion needs the first.
    inertia_per_length: tuple[float, float, float] = (0.0, 0.0, 0.0)
    #: For pictures only.
    section: Section | None = None

    def __post_init__(self) -> None:
        for name in ("length", "mass_per_length", "EI_y", "EI_z", "GJ", "EA"):
            value = given.number(getattr(self, name), f"{name} of a beam")
            if not value > 0.0 or (name in ("length", "mass_per_length") and not isfinite(value)):
                finite = "" if name.isupper() or "_" in name[:3] else " and finite"
                raise ModelError(f"{name} of a beam must be positive{finite}, not {value:g}")
            object.__setattr__(self, name, value)
        inertia = given.finite(self.inertia_per_length, "inertia_per_length of a beam", 3)
        if min(inertia) < 0.0:
            raise ModelError(f"inertia_per_length of a beam must not be negative: {inertia}")
        object.__setattr__(self, "inertia_per_length", inertia)
        if self.section is not None:
            object.__setattr__(self, "section", _sound_section(self.section))

    @classmethod
    def rectangular(
        cls, length: float, width: float, height: float, *, E: float, density: float, poisson: float = 0.3
    ) -> Beam:
        """A bar with a rectangular section: ``width`` along y, ``height`` along z, m.

        ``E`` is Young's modulus, Pa, ``density`` in kg/m^3. The torsional constant is Saint-Venant's, by Roark's
        formula for rectangles, within 1 %.
        """
        b, h = _positive("width", width), _positive("height", height)
        I_y, I_z = b * h**3 / 12.0, h * b**3 / 12.0
        long, short = max(b, h), min(b, h)
        slim = short / long
        J = long * short**3 * (1.0 / 3.0 - 0.21 * slim * (1.0 - slim**4 / 12.0))
        return cls._of_material(length, b * h, I_y, I_z, J, E, density, poisson, Section("box", (b, h)))

    @classmethod
    def circular(
        cls, length: float, radius: float, inner_radius: float = 0.0, *, E: float, density: float, poisson: float = 0.3
    ) -> Beam:
        """A rod, or a tube with an ``inner_radius``, m. ``E`` is Young's modulus, Pa, ``density`` in kg/m^3."""
        R, r = _positive("radius", radius), given.number(inner_radius, "inner_radius of a beam")
        if not 0.0 <= r < R:
            raise ModelError(f"inner_radius of a beam must be from 0 to its radius {R:g}, not {r:g}")
        area, I = pi * (R**2 - r**2), pi * (R**4 - r**4) / 4.0
        return cls._of_material(length, area, I, I, 2.0 * I, E, density, poisson, Section("cylinder", (R,)))

    @classmethod
    def _of_material(
        cls,
        length: float,
        area: float,
        I_y: float,
        I_z: float,
        J: float,
        E: float,
        density: float,
        poisson: float,
        section: Section,
    ) -> Beam:
        E, density = _positive("E", E), _positive("density", density)
        nu = given.number(poisson, "poisson of a beam")
        if not -1.0 < nu <= 0.5:
            raise ModelError(f"poisson of a beam must be from -1 to 0.5, not {nu:g}")
        G = E / (2.0 * (1.0 + nu))
        inertia = (density * (I_y + I_z), density * I_y, density * I_z)
        return cls(length, density * area, E * I_y, E * I_z, G * J, E * area, inertia, section)

    @property
    def mass(self) -> float:
        """kg."""
        return self.length * self.mass_per_length

    def stiffness(self, kind: str) -> float:
        """EI, GJ or EA of a kind of deformation: "bending_y", "bending_z", "torsion", "axial"."""
        return float(getattr(self, KINDS[given.choice(kind, "the kind of deformation", KINDS)].stiffness))

    def frequencies(self, kind: str, n: int = 3) -> Any:
        """The n lowest frequencies of the beam clamped at x = 0 and free at its end, in one kind of deformation, rad/s.

        Those of bending are sqrt(EI / (mass_per_length L^4)) times 1.875^2, 4.694^2, 7.855^2, ..., less for the
        inertia of the sections.
        """
        from sixd.flexible.shapes import natural_modes

        return natural_modes(self, kind, given.count(n, "n"))[0]


def _positive(name: str, value: Any) -> float:
    number = given.number(value, f"{name} of a beam")
    if not (isfinite(number) and number > 0.0):
        raise ModelError(f"{name} of a beam must be positive and finite, not {number:g}")
    return number


def _sound_section(section: Any) -> Section:
    if not isinstance(section, tuple) or len(section) != 2:
        raise ModelError(f"the section of a beam is a Section(shape, size), not {given.described(section)}")
    shape, size = section
    given.choice(shape, "the section of a beam", ("box", "cylinder"))
    return Section(shape, given.finite(size, "the size of a beam's section", 2 if shape == "box" else 1))
