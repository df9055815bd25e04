"""The robot that users hold, by topic, and how its methods run."""

from sixd.robot.builder import Builder
from sixd.robot.closed import ClosedRobot
from sixd.robot.robot import Robot

__all__ = ["Builder", "ClosedRobot", "Robot"]
