"""scripts/mutate.py: which faults it draws, and that each changes the one place that it names."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from tests.docs.test_man import script

mutate: Any = script("mutate")

SOURCE = """\
LIMIT = 3

def late(now: int, due: int, held: set[int]) -> bool:
    if now < due and not held:
        forget(held)
    if held:
        return due + 1 in held
    return False
"""
EVERY_LINE = range(1, 9)
FAULTS = {
    "now < due and (not held) -> now < due or not held": "if now < due or not held:",
    "now < due -> now <= due": "if now <= due and (not held):",
    "not held -> held": "if now < due and held:",
    "forget(held) -> pass": "pass",
    "held -> not held": "if not held:",
    "due + 1 in held -> due + 1 not in held": "return due + 1 not in held",
    "1 -> 2": "return due + 2 in held",
}


def test_each_kind_of_fault_is_among_those_of_the_lines_that_ran() -> None:
    faults = mutate.faults_of("late.py", SOURCE, EVERY_LINE)
    assert {fault.text for fault in faults} == FAULTS.keys()
    assert {fault.function for fault in faults} == {3}
    assert mutate.faults_of("late.py", SOURCE, [1, 8]) == []
    assert {fault.text for fault in mutate.faults_of("late.py", SOURCE, [7])} == {
        "due + 1 in held -> due + 1 not in held",
        "1 -> 2",
    }


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_changes_its_place_and_nothing_else(text: str) -> None:
    (fault,) = (one for one in mutate.faults_of("late.py", SOURCE, EVERY_LINE) if one.text == text)
    before = ast.unparse(ast.parse(SOURCE)).splitlines()
    after = mutate.broken(SOURCE, fault.number).splitlines()
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert [line.strip() for line in changed] == [FAULTS[text].strip()]
