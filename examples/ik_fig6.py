"""Inverse kinematics as "A Beginner's Guide to 6-D Vectors" (Part 2) prints it: F10b Fig. 6, line by line.

IKpos repeats F10b (15) and (16), dp = XtoV(dX0 0Xb) and dq = J^+ dp, until dp vanishes. "Bear in mind that this is not
a serious inverse-kinematics function": nothing limits its steps, and a target out of reach keeps it busy for ever. The
serious one is `robot.inverse_kinematics`. Matrices are plain 6x6 arrays; bodies are numbered from 1, as printed.

    python examples/ik_fig6.py
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, pi
from typing import Any

import numpy as np

from sixd.spatial.table1 import XtoV, rotx, rotz, xlt

Array = Any


@dataclass
class Model:
    """The tutorial's struct: entry 0 of each list stands for the base and is not used."""

    N: int
    parent: list[int]
    Xtree: list[Array]
    pitch: list[float]


def jcalc(pitch: float, q: float) -> tuple[Array, Array]:
    """F10b Fig. 4: the joint transform and the joint axis, about or along z."""
    if pitch == 0:  # revolute joint
        XJ = rotz(q)
        s = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    elif pitch == inf:  # prismatic joint
        XJ = xlt([0.0, 0.0, q])
        s = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    else:  # helical joint
        XJ = rotz(q) @ xlt([0.0, 0.0, q * pitch])
        s = np.array([0.0, 0.0, 1.0, 0.0, 0.0, pitch])
    return XJ, s


def IKpos(model: Model, body: int, Xd: Array, q0: Array) -> Array:
    """F10b Fig. 6: joint positions at which the body's frame is where Xd (dX0, 6x6) says, from the guess q0."""
    q = q0
    dpos = np.ones(6)
    while np.linalg.norm(dpos) > 1e-10:
        X = bodypos(model, body, q)
        J = bodyJac(model, body, q)
        J = X @ J
        dpos = XtoV(np.linalg.solve(X.T, Xd.T).T)  # Xd / X
        dq = J.T @ np.linalg.solve(J @ J.T, dpos)
        q = q + dq
    return q


def bodypos(model: Model, b: int, q: Array) -> Array:
    """F10b Fig. 6: bX0, from world to body coordinates, 6x6; (14) from the body to the base."""
    X = np.eye(6)
    while b > 0:
        XJ, _ = jcalc(model.pitch[b], q[b - 1])
        X = X @ XJ @ model.Xtree[b]
        b = model.parent[b]
    return X


def bodyJac(model: Model, body: int, q: Array) -> Array:
    """F10b Fig. 6: 0Jb, the Jacobian of a body in world coordinates, 6xN; (20) and (21)."""
    e = np.zeros(model.N + 1)
    while body != 0:
        e[body] = 1
        body = model.parent[body]
    J = np.zeros((6, model.N))
    Xa = [np.eye(6)] * (model.N + 1)
    for i in range(1, model.N + 1):
        if e[i]:
            XJ, S = jcalc(model.pitch[i], q[i - 1])
            Xa[i] = XJ @ model.Xtree[i]
            if model.parent[i] != 0:
                Xa[i] = Xa[i] @ Xa[model.parent[i]]
            J[:, i - 1] = np.linalg.solve(Xa[i], S)
    return J


def arm() -> Model:
    """Six joints of all three kinds: a prismatic column, four hinges and a screw at the wrist."""
    Xtree = [
        np.eye(6),
        np.eye(6),
        xlt([0.2, 0.0, 0.3]),
        rotx(pi / 2) @ xlt([0.0, 0.0, 0.1]),
        xlt([0.4, 0.0, 0.0]),
        rotx(-pi / 2) @ xlt([0.3, 0.0, 0.0]),
        rotx(pi / 2) @ xlt([0.1, 0.0, 0.1]),
    ]
    return Model(N=6, parent=[-1, 0, 1, 2, 3, 4, 5], Xtree=Xtree, pitch=[0.0, inf, 0.0, 0.0, 0.0, 0.0, 0.02])


def main() -> None:
    model = arm()
    q_true = np.array([0.1, 0.3, -0.4, 0.8, 0.5, -0.3])
    Xd = bodypos(model, 6, q_true)
    q0 = q_true + 0.2 * np.array([1, -1, 1, -1, 1, -1])
    q = IKpos(model, 6, Xd, q0)
    print("guess:                     ", q0)
    print("found:                     ", q.round(6))
    print("made the target:           ", q_true)
    print("largest error of position: ", np.abs(bodypos(model, 6, q) - Xd).max())


if __name__ == "__main__":
    main()
