"""Formulations of robot dynamics as their papers gave them, from Uicker's 4x4 matrices on: for teaching and comparing.

Each is an algorithm like those of `sixd.algorithms`: call it with a robot and arrays, compile it, read it beside its
paper. `FORMULATIONS` has them all by name, with what they compute, the robots that they take, cost, year and reference.
`operation_counts`, `formula_of` and `crossover` count what they, or any other algorithm, take.

To add one: a file beside these that registers it, and its line here.
"""

from sixd.historical.armstrong import armstrong
from sixd.historical.brandl import brandl_johanni_otter
from sixd.historical.counts import GEOMETRIES, Counts, Formula, counted_robot, crossover, formula_of, operation_counts
from sixd.historical.formulation import FORMULATIONS, Computes, Formulation, Takes
from sixd.historical.hollerbach import hollerbach, hollerbach_3x3
from sixd.historical.kane import kane
from sixd.historical.lilly_orin import lilly_orin
from sixd.historical.luh_walker_paul import luh_walker_paul
from sixd.historical.polynomial import Polynomial
from sixd.historical.published import PUBLISHED, Published
from sixd.historical.uicker_kahn import uicker_kahn
from sixd.historical.vereshchagin import ConstrainedMotion, vereshchagin, vereshchagin_constrained
from sixd.historical.walker_orin import walker_orin_1, walker_orin_2, walker_orin_4
from sixd.historical.walker_orin_composite import walker_orin_3, walker_orin_mass_matrix

__all__ = [
    "FORMULATIONS",
    "GEOMETRIES",
    "PUBLISHED",
    "Computes",
    "ConstrainedMotion",
    "Counts",
    "Formula",
    "Formulation",
    "Polynomial",
    "Published",
    "Takes",
    "armstrong",
    "brandl_johanni_otter",
    "counted_robot",
    "crossover",
    "formula_of",
    "hollerbach",
    "hollerbach_3x3",
    "kane",
    "lilly_orin",
    "luh_walker_paul",
    "operation_counts",
    "uicker_kahn",
    "vereshchagin",
    "vereshchagin_constrained",
    "walker_orin_1",
    "walker_orin_2",
    "walker_orin_3",
    "walker_orin_4",
    "walker_orin_mass_matrix",
]
