"""`dlq rules lint`: what is wrong with a rules table, of IBM's form or ours."""

from __future__ import annotations

from typing import Any, Final

from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.rules_table.parser import Problem, RulesTable

FIELDS: Final = (
    Field("file", "FILE", width=24),
    Field("line", "LINE", Show.NUMBER, 4),
    Field("column", "COLUMN", Show.NUMBER, 6),
    Field("severity", "SEVERITY", width=8),
    Field("text", "TEXT", width=40),
    Field("expected", "EXPECTED", width=24),
)


def problem_listing(table: RulesTable, file: str) -> Listing:
    """One record a problem, in the order of the file."""
    summary = {
        "file": file,
        "rules": len(table.rules),
        "errors": len(table.errors),
        "warnings": len(table.problems) - len(table.errors),
    }
    items = (_record(problem, file) for problem in table.problems)
    return Listing("RulesProblemList", FIELDS, items, summary, id_key="line")


def _record(problem: Problem, file: str) -> dict[str, Any]:
    return {"file": file, **problem._asdict()}
