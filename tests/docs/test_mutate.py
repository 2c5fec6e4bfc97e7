"""scripts/mutate.py: which faults it draws, where, and that each changes the one place it names."""

from __future__ import annotations

import ast
import os
import time
from collections import Counter
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from tests.docs.test_man import script

faults: Any = script("faults")
mutate: Any = script("mutate")

SOURCE = """\
LIMIT = 3

def late(now: int, due: int, held: set[int]) -> bool:
    if now < due and not held:
        forget(held)
    if held:
        return due + 1 in held
    store.execute("SELECT 1 FROM message WHERE expires_us <= ? AND depth > 1", timeout=5)
    if due < now:
        due = now
    raise ValueError(f"{3 + 1} of" + "it"[2:])
"""
EVERY_LINE = range(1, 12)
SQL = "'SELECT 1 FROM message WHERE expires_us <= ? AND depth > 1'"
FAULTS = {
    "now < due and (not held) -> now < due or not held": "if now < due or not held:",
    "now < due -> now <= due": "if now <= due and (not held):",
    "not held -> held": "if now < due and held:",
    "forget(held) -> (dropped)": "if False:",
    "held -> not held": "if not held:",
    "due + 1 in held -> due + 1 not in held": "return due + 1 not in held",
    "1 -> 2": "return due + 2 in held",
    f"store.execute({SQL}, timeout=5) -> (dropped)": "if False:",
    f"{SQL} -> {SQL.replace('<=', '<')}": f"store.execute({SQL.replace('<=', '<')}, timeout=5)",
    f"{SQL} -> {SQL.replace('>', '>=')}": f"store.execute({SQL.replace('>', '>=')}, timeout=5)",
}


def test_each_kind_of_fault_is_among_those_of_the_lines_that_ran() -> None:
    """None of them is in a text for people, in a limit of time, or where both ways are the same."""
    drawn = faults.faults_of("late.py", SOURCE, EVERY_LINE)
    assert {fault.text for fault in drawn} == FAULTS.keys()
    assert {fault.function for fault in drawn} == {"late"}
    assert faults.faults_of("late.py", SOURCE, [1, 3, 9, 10, 11]) == []
    assert {fault.text for fault in faults.faults_of("late.py", SOURCE, [7])} == {
        "due + 1 in held -> due + 1 not in held",
        "1 -> 2",
    }
    assert {fault.text[:9] for fault in drawn if fault.compares} == {"now < due", SQL[:9]}


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_changes_its_place_and_nothing_else(text: str) -> None:
    (fault,) = (one for one in faults.faults_of("late.py", SOURCE, EVERY_LINE) if one.text == text)
    before = ast.unparse(ast.parse(SOURCE)).splitlines()
    after = ast.unparse(faults.with_fault(SOURCE, fault.number)).splitlines()
    changed = [line.strip() for line in after if line not in before]
    assert changed[0] == FAULTS[text]
    # a call that is dropped stays below its `if False:`
    assert (len(changed), len(after) - len(before)) == ((2, 1) if "dropped" in text else (1, 0))


def test_the_code_with_a_fault_does_what_it_says() -> None:
    source = "def late(now, due):\n    return now < due\n"
    (fault,) = faults.faults_of("late.py", source, [2])
    (code,) = faults.code_of(faults.with_fault(source, fault.number), "late.py")["late", 1]
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    assert namespace["late"](3, 3) is False
    namespace["late"].__code__ = code
    assert namespace["late"](3, 3) is True


@pytest.mark.parametrize(
    ("last", "failed"),
    [("passes", ""), ("fails", "fails"), ("dies", "dies"), ("endless", f"endless{mutate.NO_END}")],
)
@pytest.mark.slow
def test_a_test_that_is_not_over_in_time_has_not_noticed_a_fault(last: str, failed: str) -> None:
    class Given(mutate.Tests):  # type: ignore[misc]
        def __init__(self) -> None:
            self._functions = SimpleNamespace(put=lambda fault: None)

        def _be_quiet(self) -> None:
            """Nothing is printed."""

        def _run(self, name: str) -> bool:
            if name == "dies":
                os._exit(1)
            while name == "endless":
                time.sleep(1)
            return name == "passes"

    assert Given().notices(None, ["passes", last], 4 if last == "endless" else 60) == failed
    assert mutate.word_of(failed, "noticed") == {
        "": "SURVIVED", "fails": "noticed", "dies": "noticed"
    }.get(failed, "NO END")  # fmt: skip


def test_a_line_that_few_statements_run_is_drawn_more_often() -> None:
    run = mutate.Run(True, 0.1, {"mq/a.py": [1, 2], "cli/b.py": [3]})
    popular = Counter({("mq/a.py", 1): 10, ("mq/a.py", 2): 1})
    assert mutate.weights(run, popular, ("mq", "emulator")) == {
        ("mq/a.py", 1): 0.01,
        ("mq/a.py", 2): 1.0,
    }


def test_a_fault_is_drawn_in_the_rooms_that_the_table_names(monkeypatch: Any) -> None:
    monkeypatch.setattr(mutate, "source_of", lambda path: SOURCE)
    runs = [mutate.Run(True, 0.1, {path: [4, 7]}) for path in ("mq/a.py", "cli/b.py")]
    drawn = list(mutate.places(runs, Counter(), ("mq",), Random(1)))
    assert {fault.path for fault in drawn} == {"mq/a.py"}
    assert len(drawn) == len(set(drawn)) == 5
