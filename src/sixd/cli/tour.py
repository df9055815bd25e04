"""The tour that ``sixd demo`` gives: robots are loaded and built, computed with and checked."""

from __future__ import annotations

import numpy as np

from sixd import gallery
from sixd.formats.load import load

__all__ = ["tour"]

#: A small robot description.
TWO_LINK = """\
<robot name="two-link arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.25"/>
      <mass value="2.0"/>
      <inertia ixx="0.0425" ixy="0" ixz="0" iyy="0.0425" iyz="0" izz="0.0025"/>
    </inertial>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0 0 0.2"/>
      <mass value="1.0"/>
      <inertia ixx="0.0138" ixy="0" ixz="0" iyy="0.0138" iyz="0" izz="0.0008"/>
    </inertial>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 0.4"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2.5" upper="2.5" effort="100" velocity="3"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/>
    <child link="lower"/>
    <origin xyz="0 0 0.5"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2.8" upper="2.8" effort="60" velocity="4"/>
  </joint>
  <joint name="tool_mount" type="fixed">
    <parent link="lower"/>
    <child link="tool"/>
    <origin xyz="0 0 0.4"/>
  </joint>
</robot>
"""


def tour() -> None:
    """Print what sixd can do, on four robots."""
    with np.printoptions(precision=4, suppress=True, linewidth=110):
        _from_urdf()
        _puma()
        _quadruped()
        _inverse_kinematics()


def _title(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def _from_urdf() -> None:
    _title("A robot from a URDF file")
    arm = load(TWO_LINK)
    print(arm)
    q, qd, qdd = [0.3, -0.8], [1.0, 0.5], [0.2, -0.4]
    tau = arm.inverse_dynamics(q, qd, qdd)
    print("torques           ", tau)
    print("mass matrix       ", *arm.mass_matrix(q))
    print("accelerations back", arm.forward_dynamics(q, qd, tau))
    print("tool position     ", arm.pose(q, "tool")[:3, 3])


def _puma() -> None:
    _title("The Puma 560, with figures to compare with the literature")
    puma = gallery.puma560()
    nominal = [0, np.pi / 4, np.pi, 0, np.pi / 4, 0]
    print("gravity torques at the nominal pose:", puma.gravity_forces(nominal))
    print("mass matrix there, rotors included:\n", puma.mass_matrix(nominal), sep="")


def _quadruped() -> None:
    _title("A quadruped on a free base, a thousand states at once")
    dog = gallery.quadruped()
    rng = np.random.default_rng(0)
    q, qd, qdd = dog.random(rng, 1000), rng.normal(size=(1000, dog.nv)), rng.normal(size=(1000, dog.nv))
    tau = dog.inverse_dynamics(q, qd, qdd, f_ext={"FL_foot": [0, 0, 0, 0, 0, 50.0]})
    back = dog.forward_dynamics(q, qd, tau, f_ext={"FL_foot": [0, 0, 0, 0, 0, 50.0]})
    print(f"inverse dynamics {tau.shape}, and back again to {np.abs(back - qdd).max():.1e}")
    energy = dog.kinetic_energy(q, qd) + dog.potential_energy(q)
    print(f"energy {energy.shape}, mean {energy.mean():.1f} J; centre of mass of the first: {dog.center_of_mass(q[0])}")


def _inverse_kinematics() -> None:
    _title("Inverse kinematics of a redundant arm")
    arm = gallery.seven_axis_arm()
    target = arm.pose(arm.random(7), "tool")
    result = arm.inverse_kinematics("tool", target)
    print(result.message, "| q =", result.q)
    print(f"pose reached to {np.abs(arm.pose(result.q, 'tool') - target).max():.1e}")
    far = target.copy()
    far[:3, 3] *= 3
    print(arm.inverse_kinematics("tool", far).message)
    _title("Is this robot sound, and do the algorithms agree on it?")
    print(arm.check())
