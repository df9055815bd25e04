"""From a function of a robot to machine code: the one room that sees both robots and programs."""
