"""Write the tables of docs/snapshots.md out of the schema; the text before them is by hand.

Run it after a change of pipeline/snapshots/schema.py; `tests/docs/test_snapshots_page.py` compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mqtriage.pipeline.snapshots.schema import TABLES, Table

PAGE = Path(__file__).parent.parent / "docs" / "snapshots.md"
HEADING = "## Tables\n"


def page(text: str) -> str:
    """*text* with what stands behind the heading made anew."""
    before, _, _ = text.partition(HEADING)
    lines = [line for table in TABLES.values() for line in _lines(table)]
    return before + HEADING + "\n" + "\n".join(lines).rstrip() + "\n"


def _lines(table: Table) -> Iterator[str]:
    yield f"### {table.name}"
    yield ""
    yield f"{table.about[0].upper()}{table.about[1:]}."
    yield ""
    yield "| column | type | unit | what it holds |"
    yield "|---|---|---|---|"
    for column in table.columns:
        kind = column.type if column.required else f"{column.type}, may be null"
        yield f"| `{column.name}` | {kind} | {column.unit} | {column.about} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
