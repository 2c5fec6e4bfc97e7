"""`--format github|gitlab`: findings beside the lines of a pull request or a merge request.

Sources: GitHub documentation, "Workflow commands for GitHub Actions"; GitLab documentation, "Code
Quality", report format.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from mqtriage.formatters.cells import visible
from mqtriage.formatters.reports.finding_place import file_of, fingerprint, text_of, uri_path
from mqtriage.model.result import Record

_SEVERITIES: Final = {"error": "critical", "warning": "major", "info": "info"}


def code_quality(records: Iterable[Record]) -> Iterator[str]:
    """A list with one entry a finding; equal findings get fingerprints of their own."""
    seen: dict[str, int] = {}
    yield "["
    for number, record in enumerate(records):
        own = fingerprint(record)
        seen[own] = seen.get(own, 0) + 1
        if seen[own] > 1:
            own = f"{own}-{seen[own]}"
        yield ("," if number else "") + "\n" + json.dumps(_entry(record, own))
    yield "\n]\n"


def _entry(record: Record, own_fingerprint: str) -> dict[str, Any]:
    path = uri_path(file_of(record))
    return {
        "description": text_of(record),
        "check_name": record["code"],
        "fingerprint": own_fingerprint,
        "severity": _SEVERITIES[record["severity"]],
        "location": {"path": path, "lines": {"begin": record["line"] or 1}},
    }


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
