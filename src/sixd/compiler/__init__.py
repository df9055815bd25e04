"""From a function of a robot to machine code: the only package that knows both robots and programs."""
