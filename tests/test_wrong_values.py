"""Every public callable, every argument, with wrong values: a `SixdError` that says so, never an answer or another error."""
import pytest

from sixd import SixdError
from tests.surface import CALLS, wrong_values

CASES = [(label, argument) for label, call in CALLS.items() for argument in call.arguments if argument in call.kinds]

@pytest.mark.parametrize("label", list(CALLS))
def test_right_values(label):
    CALLS[label]()

@pytest.mark.parametrize(("label", "argument"), CASES)
def test_wrong_values(label, argument, record_property):
    call, wrong, n = CALLS[label], [], 0
    for name, value in wrong_values(call, argument):
        n += 1
        try:
            result = call(**{argument: value})
        except SixdError:
            continue
        except Exception as error:
            wrong.append(f"{name}: {type(error).__name__}: {str(error)[:90]}")
        else:
            wrong.append(f"{name}: an answer, {str(result)[:60]!r}")
    record_property("wrong values", n)
    assert not wrong, "\n".join(wrong)
