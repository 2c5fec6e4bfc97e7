"""Write the tables of docs/snapshots.md and docs/logs.md out of the schemas; the text before them
is by hand.

Run it after a change of a tables.tsv of pipeline; `tests/docs/test_snapshots_page.py` compares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from mqtriage.pipeline.snapshots.schema import TABLES, Table
from mqtriage.pipeline.sources.tables import LOG_TABLES

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {DOCS / "snapshots.md": TABLES, DOCS / "logs.md": LOG_TABLES}
HEADING = "## Tables\n"


def page(text: str, tables: Mapping[str, Table]) -> str:
    """*text* with what stands behind the heading made anew."""
    before, _, _ = text.partition(HEADING)
    lines = [line for table in tables.values() for line in _lines(table)]
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
    for path, tables in PAGES.items():
        path.write_text(page(path.read_text("utf-8"), tables), "utf-8")
