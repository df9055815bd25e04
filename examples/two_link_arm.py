"""The dynamics of an arm with two revolute joints in closed form: PBP95 (60)-(64), with numbers and with symbols.

    M = [<A1, A1>_1 + <B, B>_2,  <B, A2>_2;  <B, A2>_2,  <A2, A2>_2],  B = Ad_2^2 A1,            (60)
    C = [k dx2,  k dx1 + p dx2;  -k dx1,  0],  k = <D, B>_2,  p = <D, A2>_2,  D = Ad_2^2 [A1, A2].   (61)-(64)

A1, A2 are the screws of the joints at home. The paper prints the entries of C with one rate more than here: each is
multiplied already by the rate that it meets in C dx, so that the entries of a row add up to its Coriolis force. And its
c_21, (63), lacks the minus sign: without it, dM/dt is not C + C^T. With SymPy, the second half prints the same for a
planar arm in letters, and its curvature.

    python examples/two_link_arm.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

import sixd
from sixd import lagrangian
from sixd.lagrangian import Chain
from sixd.lie import se3
from sixd.ops import Rules, register
from sixd.spatial import Inertia, Matrix, Motion, Transform, Vector


def inertia_matrix(chain: Chain, x: Any) -> Matrix:
    """PBP95 (60)."""
    A1, A2 = chain.A
    B = chain.Ad(2, 2, A1, x)
    mixed = chain.inner(2, B, A2)
    return Matrix([[chain.inner(1, A1, A1) + chain.inner(2, B, B), mixed], [mixed, chain.inner(2, A2, A2)]])


def coriolis_matrix(chain: Chain, x: Any, dx: Any) -> Matrix:
    """PBP95 (61)-(64), with one rate in each entry."""
    A1, A2 = chain.A
    B, D = chain.Ad(2, 2, A1, x), chain.Ad(2, 2, se3.ad(A1, A2), x)
    k, p = chain.inner(2, D, B), chain.inner(2, D, A2)
    return Matrix([[k * dx[1], k * dx[0] + p * dx[1]], [-k * dx[0], 0.0]])


def random_arm(rng: np.random.Generator) -> sixd.Robot:
    """Two links on revolute axes that point anywhere."""
    b = sixd.Builder("two links")
    for name, parent in (("upper", "base"), ("lower", "upper")):
        place = {"xyz": rng.normal(size=3), "rpy": rng.normal(size=3)}
        body = {"mass": rng.uniform(1, 2), "com": 0.3 * rng.normal(size=3), "inertia": (0.3, 0.4, 0.5)}
        b.body(name, parent, sixd.joints.Revolute(rng.normal(size=3)), **body, **place)
    return b.build()


def planar_chain(m1: Any, m2: Any, l1: Any, c1: Any, c2: Any, I1: Any, I2: Any) -> Chain:
    """Two links in a plane: masses, the length of the first, distances to the centres of mass, moments about them."""
    turn = Motion((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    homes = Transform.identity(), Transform.translation(Vector((l1, 0.0, 0.0)))
    links = ((m1, c1, I1), (m2, c2, I2))
    inertias = (Inertia.from_mass_com(m, Vector((c, 0.0, 0.0)), Matrix.diagonal((0.0, 0.0, I))) for m, c, I in links)
    return Chain((turn, turn), homes, tuple(inertias), Vector((0.0, -9.81, 0.0)))


def numbers() -> None:
    """Prints M and C of a random arm, and how far they are from what the library computes."""
    rng = np.random.default_rng(1995)
    robot = random_arm(rng)
    x, dx = rng.normal(size=(2, 2))
    chain = Chain.of(robot)
    M, C = inertia_matrix(chain, x).array(), coriolis_matrix(chain, x, dx).array()
    with np.printoptions(precision=4, suppress=True):
        print("M by (60):", M, sep="\n")
        print("C by (61)-(64):", C, sep="\n")
    print(f"largest difference: {np.abs(M - robot.mass_matrix(x)).max():.1e} from robot.mass_matrix")
    print(f"largest difference: {np.abs(C - robot.coriolis_matrix(x, dx)).max():.1e} from robot.coriolis_matrix")


def in_letters() -> None:
    """Prints M, C, the gravity forces and the curvature of a planar arm; needs SymPy."""
    import sympy

    def tidy(x: Any) -> Any:
        return sympy.factor(sympy.nsimplify(sympy.trigsimp(sympy.expand(x)), rational=True))

    def never(*_: Any) -> Any:
        raise TypeError("this needs no decision between symbols")

    register(
        sympy.Expr,
        Rules(sympy.sin, sympy.cos, sympy.sqrt, sympy.atan2, abs, divide=lambda a, b: a / b, where=never),
    )
    x, dx = sympy.symbols("x1 x2"), sympy.symbols("dx1 dx2")
    chain = planar_chain(*sympy.symbols("m1 m2 l1 c1 c2 I1 I2", positive=True))
    M, C = (
        sympy.Matrix(2, 2, [tidy(entry) for entry in found.components()])
        for found in (inertia_matrix(chain, x), coriolis_matrix(chain, x, dx))
    )
    for name, found in (("m", M), ("c", C)):
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            print(f"{name}_{i + 1}{j + 1} = {found[i, j]}")
    for k, force in enumerate(lagrangian.potential_forces(chain, x), 1):
        print(f"phi_{k} = {tidy(force)}")
    Gamma = np.vectorize(tidy, otypes=[object])(lagrangian.christoffel(chain, x))
    print(f"R_1212 = {tidy(curvature(sympy, M, Gamma, x))}")


def curvature(sympy: Any, M: Any, Gamma: Any, x: Any) -> Any:
    """R_1212 of a metric M with two coordinates, by PBP95 (66)."""
    i, j, k, l = 0, 1, 0, 1
    inverse = M.adjugate() / M.det()
    R = sympy.diff(Gamma[j, l, i], x[k]) - sympy.diff(Gamma[j, k, i], x[l])
    for r in range(2):
        for s in range(2):
            R += inverse[r, s] * (Gamma[i, l, r] * Gamma[j, k, s] - Gamma[i, k, r] * Gamma[j, l, s])
    return R


def main() -> None:
    numbers()
    try:
        import sympy  # noqa: F401
    except ImportError:
        print("\nWith SymPy (pip install sympy), this prints a planar arm in letters too.")
        return
    print("\nA planar arm, x measured along the links:")
    in_letters()


if __name__ == "__main__":
    main()
