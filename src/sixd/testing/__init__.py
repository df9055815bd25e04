"""The laws that joints and models obey, for tests of your own joints, models and algorithms. Needs ``mpmath``."""

from sixd.testing.laws import check_joint, check_model
from sixd.testing.precise import derivative, precise

__all__ = ["check_joint", "check_model", "derivative", "precise"]
