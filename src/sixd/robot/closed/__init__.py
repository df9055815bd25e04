"""Robots whose loops are closed: the methods of `ClosedRobot`, by topic."""

from sixd.robot.closed.closed_robot import ClosedRobot

__all__ = ["ClosedRobot"]
