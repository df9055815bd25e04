"""Joint forces within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Self

from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.controllers.controller import (
    Controller,
    joint_forces,
    need_controller,
    need_no_friction,
    register,
)
from sixd.simulation.controllers.joint_pd import JointPD
from sixd.simulation.controllers.targets import value_of
from sixd.simulation.moment import Moment
from sixd.simulation.parts import Amounts, amounts, settle
from sixd.simulation.smooth import bounded

__all__ = ["Saturated"]


@register
@dataclass(frozen=True)
class Saturated(Controller):
    """What another controller asks for, cut off at limits: tau within [-limit, limit].

    ``limit`` is one number or nv, N m or N; by default the effort limits of the robot, where it has any.
    """

    name = "saturated"
    controller: Controller
    limit: Amounts | None = None

    def __post_init__(self) -> None:
        need_controller(self.controller, "the controller to be limited")
        settle(self, limit=None if self.limit is None else amounts(self.limit, "limit", 0.0))

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        return self.controller.inputs(model)

    def trouble(self, moment: Moment) -> str:
        return self.controller.trouble(moment)

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        model = moment.model
        need_no_friction(self.controller, moment, self.name)
        efforts = tuple(map(float, model.effort_limit))
        limits = efforts if self.limit is None else value_of(moment, self.limit, model.nv, "limit")
        each = zip(joint_forces(self.controller, moment), limits, strict=True)
        return [bounded(x, -limit, limit) if limit < inf else x for x, limit in each]

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(JointPD(20.0, 3.0), 1.5), cls(JointPD(20.0, 3.0))]
