"""Methods of robots that have no meaning, or another one, once loops are closed: they refuse and say what to do."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NoReturn

from sixd.errors import SixdError
from sixd.model import Model
from sixd.process.forks import cached_property
from sixd.robot.robot import Robot

__all__ = ["REFUSED", "Refusals"]

#: What answers for the open tree, so that on a closed robot it would be wrong without notice.
REFUSED = (
    *("bias_forces", "gravity_forces", "mass_matrix", "inverse_mass_matrix", "joint_forces", "hybrid_dynamics"),
    *("with_flexible_link", "with_elastic_joint", "with_compliant_bearing"),
    *("inverse_dynamics_second_derivatives", "derivatives"),
    *("christoffel", "coriolis_matrix", "curvature", "scalar_curvature", "sectional_curvature"),
    *("mass_matrix_derivative", "regressor", "slotine_li_regressor"),
)


def _refusal(name: str) -> Any:
    """A method that says that a closed robot does not have it."""

    def refuse(self: Robot, *_: Any, **__: Any) -> NoReturn:
        raise SixdError(
            f"a closed robot has no {name}: it is that of the open tree, which ignores the constraints. For the tree, "
            f"call closed.tree.{name}(...)"
        )

    refuse.__name__, refuse.__doc__ = name, f"Refused: ``closed.tree.{name}`` is that of the open tree."
    return refuse


class Refusals(Robot):
    """A robot without the methods that ignore its constraints."""

    refused = frozenset(REFUSED)

    @cached_property
    def tree(self) -> Robot:
        """The same robot without its constraints."""
        content = {f.name: getattr(self, f.name) for f in fields(Model)}
        return Robot(**{**content, "constraint_list": ()})


for _name in REFUSED:
    setattr(Refusals, _name, _refusal(_name))
