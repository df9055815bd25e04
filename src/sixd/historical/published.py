"""The operation counts that papers state, for n links on revolute joints with Denavit and Hartenberg's numbers."""

from __future__ import annotations

from dataclasses import dataclass

from sixd.historical.polynomial import Polynomial

__all__ = ["PUBLISHED", "Published"]

_TABLE = "Hollerbach's comparison of 1980, as the literature quotes it"
_PBP95 = "PBP95, section 3, of Featherstone's book of 1987"
_LATER = "as the literature quotes it"


@dataclass(frozen=True)
class Published:
    """Multiplications and additions that are published for an algorithm, and where they stand."""

    multiplications: Polynomial
    additions: Polynomial
    source: str

    @property
    def total(self) -> Polynomial:
        """Multiplications and additions."""
        return self.multiplications + self.additions


_of = Polynomial.of

#: By the names of algorithms, of `sixd.historical` and `sixd.algorithms`; of others no formula is generally quoted.
PUBLISHED: dict[str, Published] = {
    "uicker_kahn": Published(
        _of("65/2", "1037/12", "685/4", "160/3", -128), _of(25, "199/3", "259/2", "127/3", -96), _TABLE
    ),
    "hollerbach": Published(_of(830, -592), _of(675, -464), _TABLE),
    "hollerbach_3x3": Published(_of(412, -277), _of(320, -201), _TABLE),
    "luh_walker_paul": Published(_of(150, -48), _of(131, -48), _TABLE),
    "rnea": Published(_of(130, -68), _of(101, -56), _PBP95),
    "geometric_newton_euler": Published(_of(130, -68), _of(101, -56), _PBP95 + '; "similar" for its own'),
    "walker_orin_mass_matrix": Published(_of(12, 56, -27), _of(7, 67, -53), _LATER),
    "crba": Published(_of(10, 31, -41), _of(6, 40, -46), _LATER),
    "aba": Published(_of(300, -267), _of(279, -259), _LATER),
    "brandl_johanni_otter": Published(_of(250, -222), _of(220, -198), _LATER),
}
