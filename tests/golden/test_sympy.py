"""Christoffel symbols and curvature of arms with two joints, against a derivation in symbols by SymPy.

The derivation knows nothing of sixd: positions by rotation matrices, energies, the mass matrix as their second
derivative by the rates, PBP95 (52) and (66).
"""

from itertools import product

import numpy as np
import pytest
import sympy

from sixd import Builder
from sixd.joints import Prismatic, Revolute

LINKS = ((1.5, (0.3, 0.1, -0.2), (0.2, 0.3, 0.4)), (0.8, (0.1, -0.4, 0.3), (0.1, 0.15, 0.05)))
PLACE = (0.2, 0.5, -0.3)
#: Arms: the turning axis of the first joint is z, the second turns about x, turns about z, or slides along x.
ARMS = {"2R, crossed": "x", "2R, planar": "z", "RP": "slide"}


def robot_of(kind):
    second = Prismatic("x") if kind == "slide" else Revolute(kind)
    (m1, c1, I1), (m2, c2, I2) = LINKS
    b = Builder(kind).body("a", joint=Revolute("z"), mass=m1, com=c1, inertia=I1)
    return b.body("b", "a", second, xyz=PLACE, mass=m2, com=c2, inertia=I2).build()


def rotation(axis, angle):
    c, s = sympy.cos(angle), sympy.sin(angle)
    rows = {"z": [[c, -s, 0], [s, c, 0], [0, 0, 1]], "x": [[1, 0, 0], [0, c, -s], [0, s, c]]}
    return sympy.Matrix(rows[axis])


def derivation(kind):
    """Functions of x: Gamma_ijk and R_ijkl, as nested lists."""
    t = sympy.Symbol("t")
    motion = [sympy.Function(name)(t) for name in ("x1", "x2")]
    x, dx = sympy.symbols("x1 x2"), sympy.symbols("dx1 dx2")
    R1 = rotation("z", motion[0])
    slides = kind == "slide"
    R2 = R1 if slides else R1 * rotation(kind, motion[1])
    origin = R1 * (sympy.Matrix(PLACE) + (sympy.Matrix([motion[1], 0, 0]) if slides else sympy.zeros(3, 1)))
    T = 0
    for (m, c, I), R, p in zip(LINKS, (R1, R2), (sympy.zeros(3, 1), origin), strict=True):
        v = (p + R * sympy.Matrix(c)).diff(t)
        W = R.T * R.diff(t)
        w = sympy.Matrix([W[2, 1], W[0, 2], W[1, 0]])
        T += (m * v.dot(v) + w.dot(sympy.diag(*I) * w)) / 2
    rates = {f.diff(t): d for f, d in zip(motion, dx, strict=True)}
    T = T.subs(rates).subs(dict(zip(motion, x, strict=True)))
    M = sympy.hessian(T, dx).applyfunc(lambda e: sympy.simplify(sympy.nsimplify(e, rational=True)))
    inverse, two = M.adjugate() / M.det(), range(2)

    def symbol(i, j, k):
        return (M[k, j].diff(x[i]) + M[k, i].diff(x[j]) - M[i, j].diff(x[k])) / 2

    G = {ijk: symbol(*ijk) for ijk in product(two, repeat=3)}

    def curved(i, j, k, l):
        slope = G[j, l, i].diff(x[k]) - G[j, k, i].diff(x[l])
        return slope + sum(
            inverse[r, s] * (G[i, l, r] * G[j, k, s] - G[i, k, r] * G[j, l, s]) for r in two for s in two
        )

    entries = [G[ijk] for ijk in product(two, repeat=3)] + [curved(*ijkl) for ijkl in product(two, repeat=4)]
    return sympy.lambdify(x, entries, "numpy")


@pytest.mark.parametrize("arm", ARMS)
def test_christoffel_symbols_and_curvature_at_a_hundred_states(arm):
    """PBP95 (52), (66)."""
    robot, function = robot_of(ARMS[arm]), derivation(ARMS[arm])
    x = np.random.default_rng(0).uniform(-3.0, 3.0, size=(100, 2))
    wanted = np.array([np.broadcast_to(e, (100,)) for e in function(*x.T)]).T
    Gamma, R = wanted[:, :8].reshape(-1, 2, 2, 2), wanted[:, 8:].reshape(-1, 2, 2, 2, 2)
    assert np.abs(R).max() > 0.01
    np.testing.assert_allclose(robot.christoffel(x), Gamma, rtol=0, atol=1e-12)
    np.testing.assert_allclose(robot.curvature(x), R, rtol=0, atol=1e-10)
