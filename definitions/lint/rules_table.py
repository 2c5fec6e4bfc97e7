"""`dlq rules lint`: what is wrong with a rules table, of IBM's form or ours."""

from __future__ import annotations

from typing import Final

from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.rules_table.parser import RulesTable

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
    items = ({"file": file, **problem._asdict()} for problem in table.problems)
    return Listing("RulesProblemList", FIELDS, items, summary, id_key="line")
