"""The tables that `mqtriage analyze` makes: their columns, how they are shown and ordered.

Pure data of analysis_tables.tsv and analysis_columns.tsv, so that the command line can tell columns
without Spark, and a report without running.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pkgutil import get_data
from typing import Final

from mqtriage.model.result import Field, Record, Show
from mqtriage.model.times import parse_time_us
from mqtriage.model.units import count_text, duration_text
from mqtriage.records import NamedTuple

VERSION: Final = 1
"""Counted up when what a column of the files of `--out` means or holds changes. A column that is
added is no new version."""
_LEAST_LOOKS: Final = 3
"""With fewer there is one gap, and nothing to tell whether it is a usual one."""
_MOST_NOTES: Final = 5
VERSION_COLUMN: Final = "schema_version"
"""Column of every file of `--out` that holds it."""


class AnalysisTable(NamedTuple):
    """One table.

    Attributes:
        name: also the folder below `--out`.
        kind: JSON `kind`.
        order: columns to sort by.
        types: column to what it is in the files of `--out`, in the words of Spark's SQL; what is
            only printed is not among them.
    """

    name: str
    kind: str
    title: str
    fields: tuple[Field, ...]
    order: tuple[str, ...]
    types: dict[str, str]


_TYPES: Final = {
    Show.NUMBER: "long",
    Show.BYTES: "long",
    Show.AGE_MS: "long",
    Show.TIME: "timestamp",
    Show.FLAG: "boolean",
}
"""What is shown so is in files, where no option of the column says otherwise; else a string."""


def _rows(file: str) -> Iterator[list[str]]:
    lines = (get_data(__package__, file) or b"").decode().splitlines()
    return (line.split("\t") for line in lines if line and line[0] != "#")


def _field(key: str, show: str, *options: str) -> Field:
    more = dict(option.partition("=")[::2] for option in options)
    return Field(
        key,
        more.get("heading", key.upper()),
        Show(show),
        width=int(more.get("width", 0)),
        wide="wide" in more,
        yields=int(more.get("yields", 0)),
    )


KEYS_IN_JSON: Final = {"qmgr": "queue_manager", "messages": "message_count"}
"""Columns of snapshots that have another name in what commands print."""


def as_printed(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """The columns of a table under the names that commands print."""
    return tuple(field._replace(key=KEYS_IN_JSON.get(field.key, field.key)) for field in fields)


def record_as_printed(row: Record) -> Record:
    """A row of a table under those names."""
    return {KEYS_IN_JSON.get(key, key): value for key, value in row.items()}


def doubt_about_sizes(row: Record) -> str:
    """Why snapshots are too few for the sizes of a row of `analyze delay`; "" where they are not.

    A queue that was not observed for as long as its messages stay there was not seen at its full
    load. Odd delays, which are hardly meant, do not count.
    """
    looks, since, until = (row.get(key) for key in ("looks", "from_time", "until_time"))
    longest_ms = row.get("delay_p95_ms" if row.get("odd_delays") else "delay_max_ms") or 0
    if not (since and until and isinstance(looks, int) and isinstance(longest_ms, int)):
        return ""  # a file of another version
    span_ms = (parse_time_us(str(until), 0) - parse_time_us(str(since), 0)) // 1000
    if looks >= _LEAST_LOOKS and span_ms >= longest_ms:
        return ""
    within = f"{count_text(looks, 'snapshot')} in {duration_text(span_ms // 1000 * 1000)}"
    return (
        f"the sizes are only a lower limit: they come from {within}, and the longest delay is"
        f" {duration_text(longest_ms)}; take at least {_LEAST_LOOKS} snapshots over more than that"
    )


def doubts_about_sizes(rows: Iterable[Record]) -> list[str]:
    """A note on each queue manager whose sizes are in doubt; of many, on the first ones."""
    doubts = [(row["qmgr"], doubt) for row in rows if (doubt := doubt_about_sizes(row))]
    notes = [f"{qmgr}: {doubt}" for qmgr, doubt in doubts[:_MOST_NOTES]]
    if len(doubts) > _MOST_NOTES:
        more = count_text(len(doubts) - _MOST_NOTES, "more queue manager")
        notes.append(f"{more}: the sizes are only a lower limit, too")
    return notes


TABLES_OF: Final[dict[str, dict[str, AnalysisTable]]] = {}
"""Job to its tables by name, the one that is printed unless another is asked for first."""
JOB_TITLES: Final[dict[str, tuple[str, str]]] = {}
"""Job to its title for people, and to how to read it."""
OF_LOGS: Final = frozenset({"events", "activity"})
"""Jobs that read logs alone: snapshots have nothing for them."""
COLUMN_NOTES: Final[dict[str, str]] = dict(_rows("analysis_columns.tsv"))
"""Column to what it says, for the report and the manual."""


def _read() -> None:
    job = name = ""
    for first, *cells in _rows("analysis_tables.tsv"):
        if first[0] == "=":
            job = first[1:]
            JOB_TITLES[job], TABLES_OF[job] = (cells[0], cells[1]), {}
        elif first[0] == "[":
            name = first[1:-1]
            kind, title, order = cells
            TABLES_OF[job][name] = AnalysisTable(name, kind, title, (), tuple(order.split(",")), {})
        else:
            table = TABLES_OF[job][name]
            field = _field(first, *cells)
            TABLES_OF[job][name] = table._replace(fields=(*table.fields, field))
            if "printed" not in cells:
                usual = _TYPES.get(field.show, "string")
                table.types[first] = next((c for c in cells if c in ("double", "date")), usual)


_read()
