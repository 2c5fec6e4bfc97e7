"""Write the tables of docs/snapshots.md, docs/logs.md and docs/results.md out of the schemas; the
text before them is by hand.

Run it after a change of a tables.tsv of pipeline, or of the tables of model that jobs make;
`tests/docs/test_snapshots_page.py` compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from mqtriage.model.analysis_tables import COLUMN_NOTES, JOB_TITLES, TABLES_OF
from mqtriage.pipeline.snapshots.schema import TABLES, Table
from mqtriage.pipeline.sources.tables import LOG_TABLES

DOCS = Path(__file__).parent.parent / "docs"
HEADING = "## Tables\n"


def page(text: str, lines: Iterable[str]) -> str:
    """*text* with what stands behind the heading made anew."""
    before, _, _ = text.partition(HEADING)
    return before + HEADING + "\n" + "\n".join(lines).rstrip() + "\n"


def _lines(table: Table) -> Iterator[str]:
    yield f"### {table.name}"
    yield ""
    yield f"{table.about[0].upper()}{table.about[1:]}."
    yield ""
    yield "| column | type | unit | meaning |"
    yield "|---|---|---|---|"
    for column in table.columns:
        kind = column.type if column.required else f"{column.type}, may be null"
        yield f"| `{column.name}` | {kind} | {column.unit} | {column.about} |"
    yield ""


def _results() -> Iterator[str]:
    """The tables that jobs write below --out."""
    for job, tables in TABLES_OF.items():
        yield f"### {job}"
        yield ""
        yield JOB_TITLES[job][1]
        yield ""
        for table in tables.values():
            yield f"#### {table.name}: {table.title}"
            yield ""
            yield "| column | type | meaning |"
            yield "|---|---|---|"
            yield from (f"| `{c}` | {t} | {COLUMN_NOTES[c]} |" for c, t in table.types.items())
            yield ""


PAGES = {
    DOCS / "snapshots.md": [line for table in TABLES.values() for line in _lines(table)],
    DOCS / "logs.md": [line for table in LOG_TABLES.values() for line in _lines(table)],
    DOCS / "results.md": list(_results()),
}

if __name__ == "__main__":
    for path, lines in PAGES.items():
        path.write_text(page(path.read_text("utf-8"), lines), "utf-8")
