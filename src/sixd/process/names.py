"""What this process has under a name."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["named"]


def named(module: str, name: str) -> Any:
    """What a loaded module has under a name, which has dots for what is inside classes; None if it has nothing."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
