"""Ten mechanisms with closed loops: their freedoms, a motion of each, and the published solution of one of them.

    python examples/closed_loops.py [closed_loops.png]    needs matplotlib; writes a page of the delta robot too

Gruebler's count takes every row of a constraint for a freedom less. Where rows depend on others, as for pins in one
plane, it is too small; Bricard's six bars would not move at all. What counts is the rank of the constraint Jacobian.
"""

import sys
from pathlib import Path

import numpy as np

import sixd
from sixd.mechanisms import MECHANISMS, Mechanism
from sixd.mechanisms.andrews import REFERENCE

#: From where they are looked at: elevation and azimuth, degrees.
VIEWS = {"andrews": (90, -90), "flyball_governor": (10, -80), "stewart_platform": (22, -60), "bricard": (24, -50)}
PLANAR = (8, -84)


def tell(name: str, m: Mechanism) -> None:
    """Print its freedoms, and how far its constraints are off in half a second of motion."""
    found = m.robot.mobility(m.q)
    run = m.simulate(0.5 if name != "andrews" else 0.03, record=10)
    error = np.abs(m.robot.constraint_error(run.q)).max()
    size = f"{m.robot.nv:2d} coordinates, {m.robot.n_rows:2d} rows of rank {found.rank:2d}"
    print(f"{m.robot.name:30s} {size}: {found.dof} freedom(s), Gruebler {found.gruebler:2d}; error {error:.0e}")


def squeeze() -> tuple[sixd.simulation.Trajectory, float]:
    """The benchmark of 0.03 s, and the largest difference from the published angles, rad."""
    m = sixd.mechanisms.andrews()
    run = m.simulate(0.03)
    return run, max(float(np.abs(run.joint(joint).q[-1] - angle).max()) for joint, angle in REFERENCE.items())


def draw(path: str) -> None:
    """All mechanisms; marks in magenta are the constraints."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(12, 5.6))
    for k, (name, make) in enumerate(MECHANISMS.items(), start=1):
        m = make()
        panel = figure.add_subplot(2, 5, k, projection="3d", computed_zorder=False)
        panel.view_init(*VIEWS.get(name, PLANAR if m.robot.nv <= 6 else (16, -65)))
        layers = ("skeleton", "constraints") if name == "standing_quadruped" else None
        m.robot.plot(m.q, ax=panel, layers=layers)
        panel.set_title(name.replace("_", " "), y=1.0, fontsize=10)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=0.94, wspace=0, hspace=0.12)
    figure.savefig(path, dpi=100)


def main(path: str = "closed_loops.png") -> None:
    for name, make in MECHANISMS.items():
        tell(name, make())
    _, error = squeeze()
    print(f"Andrews' squeezer after 0.03 s: within {error:.1e} rad of the published solution")
    draw(path)
    sixd.mechanisms.delta_robot().simulate(2.0, record=20).save_html(Path(path).with_suffix(".html"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
