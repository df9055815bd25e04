"""The joint of `tests/rolling.py` joins the registry, so that every law runs on a joint sixd does not have."""

from tests.rolling import Rolling

__all__ = ["Rolling"]
