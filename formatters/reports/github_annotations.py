"""`--format github`: workflow commands that annotate the lines of a pull request.

Source: GitHub documentation, "Workflow commands for GitHub Actions".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mqtriage.formatters.cells import visible
from mqtriage.formatters.reports.finding_place import text_of, uri_path
from mqtriage.model.result import Record

_COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}


def github(records: Iterable[Record]) -> Iterator[str]:
    """``::error file=qm1.mqsc,line=3,col=1,title=BKO001::...``, one a line."""
    for record in records:
        parts = []
        if record["file"]:
            parts.append(f"file={_property(uri_path(str(record['file'])))}")
        if record["line"]:
            parts.append(f"line={record['line']},col={record['column'] or 1}")
        parts.append(f"title={_property(str(record['code']))}")
        yield f"::{_COMMANDS[record['severity']]} {','.join(parts)}::{_data(text_of(record))}\n"


def _data(text: str) -> str:
    lines = text.replace("\r\n", "\n").split("\n")
    return "%0A".join(visible(line).replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
