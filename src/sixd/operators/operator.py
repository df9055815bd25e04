"""Linear operators on the vectors of a whole tree: products, sums, transposes and inverses, applied in O(N).

    S = P.inv @ H
    M = H.T @ P.T.inv @ I @ P.inv @ H

are expressions that hold no matrix. ``M @ qdd`` applies the factors one after the other, ``M.matrix()`` writes the
matrix out, for reading and for comparison.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, overload

from sixd.errors import ArgumentError, ShapeError, SpatialTypeError
from sixd.operators.stacks import Space, Stack
from sixd.spatial import Matrix
from sixd.spatial.value import named, need_kind

__all__ = ["Identity", "Inverse", "Operator", "Product", "Sum", "Transposed"]


class Operator(ABC):
    """A linear map from one space of stacks to another.

    A kind of operator says how it and its transpose are applied, and, if it has an inverse, how that is.
    """

    __array_ufunc__ = None  # NumPy arrays on the left leave the operation to us
    domain: Space
    range: Space

    @abstractmethod
    def _apply(self, x: Any) -> Any:
        """A x."""

    @abstractmethod
    def _apply_transposed(self, y: Any) -> Any:
        """A^T y."""

    def _solve(self, y: Any) -> Any:
        """A^-1 y."""
        raise ArgumentError(f"{self!r} does not say how it is inverted")

    def _solve_transposed(self, x: Any) -> Any:
        """A^-T x."""
        raise ArgumentError(f"{self!r} does not say how it is inverted")

    @property
    def T(self) -> Operator:
        """The transpose, from the dual of the range to the dual of the domain: (A x) . f = x . (A^T f)."""
        return Transposed(self)

    @property
    def inv(self) -> Operator:
        """The inverse."""
        return Inverse(self)

    @overload
    def __matmul__(self, other: Operator) -> Operator: ...
    @overload
    def __matmul__(self, other: Stack) -> Any: ...
    def __matmul__(self, other: Operator | Stack) -> Any:
        if isinstance(other, Operator):
            return Product(self, other)
        if not isinstance(other, Stack):
            raise SpatialTypeError(f"an operator acts on a stack or on another operator, not on {named(other)}")
        self.domain.need(other)
        return self._apply(other)

    def __add__(self, other: Operator) -> Operator:
        return Sum(self, other)

    def __sub__(self, other: Operator) -> Operator:
        return Sum(self, -other if isinstance(other, Operator) else other)

    def __neg__(self) -> Operator:
        return Negative(self)

    def matrix(self) -> Matrix:
        """The matrix of the operator, range x domain: what it makes of each unit vector is a column."""
        columns = [(self @ unit).components() for unit in self.domain.units()]
        return Matrix(columns).T if columns else Matrix([()] * self.range.dimension)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} from {self.domain} to {self.range}>"


class Transposed(Operator):
    """The transpose of an operator."""

    def __init__(self, of: Operator) -> None:
        self.of, self.domain, self.range = of, of.range.dual, of.domain.dual

    @property
    def T(self) -> Operator:
        """The operator that this is the transpose of."""
        return self.of

    def _apply(self, x: Any) -> Any:
        return self.of._apply_transposed(x)

    def _apply_transposed(self, y: Any) -> Any:
        return self.of._apply(y)

    def _solve(self, y: Any) -> Any:
        return self.of._solve_transposed(y)

    def _solve_transposed(self, x: Any) -> Any:
        return self.of._solve(x)


class Inverse(Operator):
    """The inverse of an operator, applied by solving."""

    def __init__(self, of: Operator) -> None:
        self.of, self.domain, self.range = of, of.range, of.domain

    @property
    def inv(self) -> Operator:
        """The operator that this is the inverse of."""
        return self.of

    def _apply(self, x: Any) -> Any:
        return self.of._solve(x)

    def _apply_transposed(self, y: Any) -> Any:
        return self.of._solve_transposed(y)

    def _solve(self, y: Any) -> Any:
        return self.of._apply(y)

    def _solve_transposed(self, x: Any) -> Any:
        return self.of._apply_transposed(x)


class Product(Operator):
    """A B."""

    def __init__(self, left: Operator, right: Operator) -> None:
        if left.domain != right.range:
            raise ShapeError(
                f"cannot form a product: the left factor is from {left.domain}, the right to {right.range}"
            )
        self.left, self.right, self.domain, self.range = left, right, right.domain, left.range

    def _apply(self, x: Any) -> Any:
        return self.left._apply(self.right._apply(x))

    def _apply_transposed(self, y: Any) -> Any:
        return self.right._apply_transposed(self.left._apply_transposed(y))

    def _solve(self, y: Any) -> Any:
        return self.right._solve(self.left._solve(y))

    def _solve_transposed(self, x: Any) -> Any:
        return self.left._solve_transposed(self.right._solve_transposed(x))


class Sum(Operator):
    """A + B."""

    def __init__(self, left: Operator, right: Operator) -> None:
        if not isinstance(right, Operator):
            raise SpatialTypeError(f"cannot add {named(right)} to an operator")
        if (left.domain, left.range) != (right.domain, right.range):
            raise ShapeError(f"cannot add {left!r} and {right!r}")
        self.left, self.right, self.domain, self.range = left, right, left.domain, left.range

    def _apply(self, x: Any) -> Any:
        return self.left._apply(x) + self.right._apply(x)

    def _apply_transposed(self, y: Any) -> Any:
        return self.left._apply_transposed(y) + self.right._apply_transposed(y)


class Negative(Operator):
    """-A."""

    def __init__(self, of: Operator) -> None:
        self.of, self.domain, self.range = of, of.domain, of.range

    def _apply(self, x: Any) -> Any:
        return -self.of._apply(x)

    def _apply_transposed(self, y: Any) -> Any:
        return -self.of._apply_transposed(y)

    def _solve(self, y: Any) -> Any:
        return -self.of._solve(y)

    def _solve_transposed(self, x: Any) -> Any:
        return -self.of._solve_transposed(x)


class Identity(Operator):
    """1, on any space."""

    def __init__(self, space: Space) -> None:
        need_kind(space, Space, "an Identity")
        self.domain = self.range = space

    def _apply(self, x: Any) -> Any:
        return x

    def _apply_transposed(self, y: Any) -> Any:
        return y

    def _solve(self, y: Any) -> Any:
        return y

    def _solve_transposed(self, x: Any) -> Any:
        return x
