"""Controllers that run inside compiled code, by name in `CONTROLLERS`. A new one is a file here and a line below."""

from sixd.simulation.controllers.controller import CONTROLLERS, Controller, register

__all__ = ["CONTROLLERS", "Controller", "register"]
