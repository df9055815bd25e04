"""Wrong values for arguments of elements and controllers, from those of `tests.surface`."""

from __future__ import annotations

from sixd import SixdError
from tests.surface import NUMBERS, WRONG

#: What an argument may be: which of `WRONG` are no mistakes there.
FINE = {
    "name": set(),
    "joints": {"None"},
    "choice": set(),
    "finite": {"negative", "fraction", "true"},
    "finite or none": {"negative", "fraction", "true", "None"},
    "finite or input": {"negative", "fraction", "true", "text"},
    "not negative": {"fraction", "true"},
    "not negative or none": {"fraction", "true", "None"},
    "positive": {"fraction", "true"},
    "limit": {"negative", "fraction", "true", "inf", "None"},
    "three numbers": set(),
    "numbers": set(),
    "numbers or input": {"text"},
    "target": {*(NUMBERS - {"nan", "inf"}), "text"},
    "numbers, input or none": {"text", "None"},
    "function": {"function", "class"},  # errors of a function of one's own are left as they are
    "function or none": {"function", "class", "None"},
    "weights or none": {"None"},
    "thing": set(),
}


def refused(make, right, item, what):
    """Check that every wrong value of an argument is refused by a `SixdError` with a message."""
    make(**right)
    found = []
    for label in sorted(set(WRONG) - FINE[what]):
        try:
            make(**{**right, item: WRONG[label]()})
        except SixdError as error:
            found += [] if str(error) else [f"{label}: no message"]
        except Exception as error:
            found.append(f"{label}: {type(error).__name__}: {error}")
        else:
            found.append(f"{label}: no error")
    assert not found, "\n".join(found)
