"""Impulses of contact with Coulomb friction: projected Gauss-Seidel by blocks, with a fixed number of sweeps.

Sought are impulses p and velocities v = A p + b, where A = J H^-1 J^T. Each site has two tangents and a normal:

    0 <= p_n,  0 <= v_n,  p_n v_n = 0;      |p_t| <= mu p_n,  v_t = -s p_t with s >= 0,  s (mu p_n - |p_t|) = 0

which is Coulomb's law with its round cone: friction is opposite to the slip. Rows that follow the sites belong to dry
friction of joints: |p_j| <= bound, and the joint moves only if p_j is at its bound, against the motion. Friction with a
threshold e is p_j = -bound v_j / sqrt(v_j^2 + e^2).

A sweep goes through the sites one by one. It first tries the impulse that stops the site. If that is in the cone, it is
taken. Else the site slips: a step of Newton's method corrects the normal impulse, where friction is taken to grow with
it in its present direction; then a gradient step corrects friction, which is projected into the cone. Joints follow,
each by the impulse that fulfils its law or, with a threshold, a step of Newton's method towards it. Where a sweep
changes nothing, the laws above hold exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

from sixd.ops import Scalar, absolute, divide, sqrt, where
from sixd.simulation.forces.element import Resistance
from sixd.simulation.smooth import root
from sixd.spatial import Matrix, inverse

__all__ = ["residual", "solve", "solve_normal"]

Rows = Sequence[Sequence[Scalar]]
#: Added to the diagonal of a site's block, relative to its trace, before the block is inverted: some directions of a
#: planar mechanism cannot move. It changes the way to the solution, not the solution.
SOFTENING = 1e-9


def solve(
    A: Rows,
    b: Sequence[Scalar],
    friction: float,
    dry: Sequence[Resistance],
    start: Sequence[Scalar],
    sweeps: int,
    least: Scalar = 1e-12,
) -> list[Scalar]:
    """The impulses p after some sweeps from ``start``.

    ``b`` has three rows for each site, then one for each of ``dry``, the friction of joints, whose level is an impulse
    here. ``least`` is a number that is small against entries of A, 1/kg: what moves less easily than that is taken for
    immovable.
    """
    first = len(b) - len(dry)
    sites = [_Site(A, k, friction, least) for k in range(0, first, 3)]
    joints = [_Joint(A, k, resistance, start[k], least) for k, resistance in enumerate(dry, start=first)]
    p = list(start)
    for _ in range(sweeps):
        for site in sites:
            site.update(p, b)
        for joint in joints:
            joint.update(p, b)
    return p


def residual(A: Rows, b: Sequence[Scalar], p: Sequence[Scalar], row: int, first: int) -> Scalar:
    """(A p + b) of one row. The sum begins with entry ``first`` and goes round.

    What a sweep has changed last is added last: a processor has computed the rest of the sum by then.
    """
    total = b[row]
    for k in (*range(first, len(p)), *range(first)):
        total = total + A[row][k] * p[k]
    return total


class _Site:
    """The block of A of one site, prepared for sweeps."""

    def __init__(self, A: Rows, first: int, friction: float, least: Scalar) -> None:
        self.A, self.first, self.friction = A, first, friction
        block = [[A[first + r][first + c] for c in range(3)] for r in range(3)]
        soft = SOFTENING * (block[0][0] + block[1][1] + block[2][2]) + least
        self.stop = inverse(Matrix(block) + Matrix.diagonal([soft, soft, soft]))
        self.stiff = block[2][2] + soft
        self.normal = divide(1.0, self.stiff)
        # The larger eigenvalue of the tangents' block: a gradient step by its inverse cannot overshoot.
        half, skew = 0.5 * (block[0][0] - block[1][1]), block[0][1]
        largest = 0.5 * (block[0][0] + block[1][1]) + root(half * half + skew * skew)
        self.tangent = divide(1.0, largest + soft)
        #: What a unit of the normal impulse changes friction by in such a step.
        self.coupled = [self.tangent * block[r][2] for r in range(2)]

    def update(self, p: list[Scalar], b: Sequence[Scalar]) -> None:
        """One step of a sweep: the impulses of this site in place."""
        x, y, z = range(self.first, self.first + 3)
        if self.friction == 0.0:
            p[x] = p[y] = 0.0  # the start may have some: the normal of the step before was another one on curved ground
            new = p[z] - self.normal * residual(self.A, b, p, z, x)
            p[z] = where(new > 0.0, new, 0.0)
            return
        v = [residual(self.A, b, p, row, x) for row in (x, y, z)]
        stuck = [p[x + r] - sum((self.stop[r, c] * v[c] for c in range(3)), 0.0) for r in range(3)]
        holds = _in_cone(stuck, self.friction)
        new = self._pushed(p, v[2])
        # A gradient step of friction, after v has changed with p_n. What does not wait for ``new`` is summed first.
        before = [p[x + r] - self.tangent * v[r] + self.coupled[r] * p[z] for r in range(2)]
        slid = [before[r] - self.coupled[r] * new for r in range(2)]
        size, limit = slid[0] * slid[0] + slid[1] * slid[1], self.friction * new
        # Where nothing pushes there is no friction, also at rest, where ``size`` is zero as ``limit`` is.
        scale = where(size > limit * limit, divide(limit, sqrt(size)), where(limit > 0.0, 1.0, 0.0))
        p[x], p[y] = (where(holds, a, s * scale) for a, s in zip(stuck[:2], slid, strict=True))
        p[z] = where(holds, stuck[2], new)

    def _pushed(self, p: Sequence[Scalar], v: Scalar) -> Scalar:
        """The normal impulse of a site that slips and whose normal velocity is v.

        v changes by A_nn + A_nt . p_t / p_n for each unit of p_n if friction keeps its direction and its share. Where
        friction drives the site into the ground, that is small or negative: at least half of A_nn is taken.
        """
        x, y, z = range(self.first, self.first + 3)
        own = self.stiff * p[z]
        with_friction = own + self.A[z][x] * p[x] + self.A[z][y] * p[y]
        own = where(with_friction > 0.5 * own, with_friction, 0.5 * own)
        share = where(p[z] > 0.0, divide(p[z], where(p[z] > 0.0, own, 1.0)), self.normal)
        new = p[z] - share * v
        return where(new > 0.0, new, 0.0)


class _Joint:
    """The row of dry friction at one degree of freedom, prepared for sweeps that begin with the impulse p."""

    def __init__(self, A: Rows, row: int, resistance: Resistance, p: Scalar, least: Scalar) -> None:
        self.A, self.row, (self.bound, self.threshold) = A, row, resistance
        moves = A[row][row] > least
        self.share = where(moves, divide(1.0, where(moves, A[row][row], 1.0)), 0.0)
        if self.threshold:
            part = divide(-p, where(self.bound > 0.0, self.bound, 1.0))
            #: The velocity that belongs to p; where p is more than friction can be, a large one.
            self.speed = divide(self.threshold * part, sqrt(_larger(1.0 - part * part, 1e-12)))

    def update(self, p: list[Scalar], b: Sequence[Scalar]) -> None:
        """One step of a sweep: the impulse of this joint in place."""
        j, bound = self.row, self.bound
        v = residual(self.A, b, p, j, j)
        if self.threshold:
            p[j] = self._smooth(v - self.A[j][j] * p[j])
            return
        new = p[j] - self.share * v
        p[j] = where(new > bound, bound, where(new < -bound, -bound, new))

    def _smooth(self, free: Scalar) -> Scalar:
        """The impulse after a step of Newton's method for the speed x: x + k x / sqrt(x^2 + e^2) = c.

        c is the speed without this friction, and k what its bound would take away. The left side is concave for x > 0,
        so a step never leads beyond the solution, which is not below c - k and c e / (e + k).
        """
        e, k = self.threshold, self.A[self.row][self.row] * self.bound
        side, c = where(free < 0.0, -1.0, 1.0), absolute(free)
        least = _larger(c - k, c * divide(e, e + k))
        x = _larger(side * self.speed, least)
        inverse = divide(1.0, sqrt(x * x + e * e))
        drag, steep = k * inverse, e * inverse
        x = _larger(x - divide(x + drag * x - c, 1.0 + drag * (steep * steep)), least)
        self.speed = side * x
        return divide(-self.bound * self.speed, sqrt(x * x + e * e))


def _larger(a: Scalar, b: Scalar) -> Scalar:
    return where(a > b, a, b)


def _in_cone(p: Sequence[Scalar], friction: float) -> Scalar:
    """Whether an impulse pushes, and its tangential part is within the cone."""
    limit = friction * p[2]
    return p[0] * p[0] + p[1] * p[1] < where(limit > 0.0, limit * limit, 0.0)


def solve_normal(A: Rows, b: Sequence[Scalar], sweeps: int, least: Scalar = 1e-12) -> list[Scalar]:
    """p with 0 <= p, 0 <= A p + b, p . (A p + b) = 0, one row for each site, after some sweeps from zero."""
    shares = [divide(1.0, A[k][k] + least) for k in range(len(b))]
    p: list[Scalar] = [0.0] * len(b)
    for _ in range(sweeps):
        for k, share in enumerate(shares):
            new = p[k] - share * residual(A, b, p, k, k)
            p[k] = where(new > 0.0, new, 0.0)
    return p
