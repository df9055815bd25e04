"""The product of exponentials on the tree: kinematics from screw axes instead of link transforms."""

from __future__ import annotations

from typing import NamedTuple

from sixd import lie
from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import BodyNumber, FrameOffset, Number, Position
from sixd.errors import ArgumentError, ChoiceError
from sixd.given import choice
from sixd.model.tree import ColumnsOutput, Tree
from sixd.spatial import Motion, Motions, Transform

__all__ = ["ScrewChain", "product_of_exponentials", "screw_chain", "screw_jacobian"]


class ScrewChain(NamedTuple):
    """The way from the world to a frame as PBP95 (13) has it: screws A_i at home in world coordinates, the coordinates
    x_i along them, the bodies they move, and the home pose M of the frame.
    """

    screws: list[Motion]
    coordinates: list[Number]
    bodies: list[int]
    home: Transform


@algorithm(rolled=False)
def screw_chain(tree: Tree, q: Position, body: BodyNumber, offset: FrameOffset = None) -> ScrewChain:
    """The screws, coordinates and home pose of a frame: PBP95 (13).

    Each joint says by which screws it moves, `Joint.screws`.
    """
    if body is None:
        raise ArgumentError("body must be the number of a body, not None")
    X = tree.cell(Transform.identity())
    chain = ScrewChain([], [], [], Transform.identity())
    for i, _ in tree.outward(to=body):
        joint = tree.joint(i)
        X.now = tree.placement(i) @ X.now
        for screw, time in joint.screws(q[i]):
            chain.screws.append(X.now.inv @ screw)
            chain.coordinates.append(time)
            chain.bodies.append(i)
    return chain._replace(home=(offset or Transform.identity()) @ X.now)


@algorithm(rolled=False)
def product_of_exponentials(
    tree: Tree, q: Position, body: BodyNumber, offset: FrameOffset = None, form: str = "space"
) -> Transform:
    """X_F0, from world to frame coordinates, by the product of exponentials: PBP95 (13) "space", (14) "body".

    The same as `pose`, from screws.
    """
    screws, times, _, home = screw_chain(tree, q, body, offset)
    if choice(form, "form", ("space", "body")) == "space":
        return lie.poe_space(screws, times, home)
    return lie.poe_body(lie.body_screws(screws, home), times, home)


@algorithm(rolled=False)
def screw_jacobian(
    tree: Tree, q: Position, body: BodyNumber, offset: FrameOffset = None, form: str = "body"
) -> ColumnsOutput:
    """The Jacobian of a frame from screws, 6 x nv: PBP95 (18)-(20) in frame coordinates ("body"), or in world ones
    ("space"). The same as `jacobian`; for joints that move by one screw per coordinate.
    """
    screws, times, bodies, home = screw_chain(tree, q, body, offset)
    body_form = choice(form, "form", ("body", "space")) == "body"
    columns = lie.body_jacobian_from_space(screws, times, home) if body_form else lie.space_jacobian(screws, times)
    J = tree.motions_output()
    for i, _ in tree.path(body):
        own = Motions(column for column, k in zip(columns, bodies, strict=True) if k == i)
        if len(own) != tree.joint(i).nv:
            raise ChoiceError(f"a {tree.joint(i).name} joint has several freedoms on one screw: use `jacobian`")
        J[i] = own
    return J
