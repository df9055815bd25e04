"""Prints what the comparison with Pinocchio found: the largest relative difference of each quantity, and where."""

from __future__ import annotations

from collections import Counter
from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    worst: dict[str, tuple[float, str]] = {}
    compared: Counter[str] = Counter()
    singular = set()
    for report in terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", []):
        for key, value in report.user_properties:
            if key == "singular":
                singular.add(value)
            elif key.startswith("difference: "):
                quantity = key.removeprefix("difference: ")
                compared[quantity] += 1
                worst[quantity] = max(worst.get(quantity, (0.0, "-")), (value, report.nodeid.partition("[")[2][:-1]))
    if not worst:
        return
    terminalreporter.section("largest relative differences from Pinocchio")
    for quantity, (value, where) in worst.items():
        terminalreporter.line(f"{quantity:<22} {value:8.1e}  in {compared[quantity]} comparisons, at {where}")
    if singular:
        terminalreporter.line(f"no forward dynamics, for a joint moves no inertia ({len(singular)}):")
        for label in sorted(singular):
            terminalreporter.line(f"    {label}")
