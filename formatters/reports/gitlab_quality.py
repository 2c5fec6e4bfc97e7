"""`--format gitlab`: the code quality report that GitLab shows beside a merge request.

Source: GitLab documentation, "Code Quality", report format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from mqtriage.formatters.reports.finding_place import file_of, fingerprint, text_of, uri_path
from mqtriage.model.result import Record

_SEVERITIES: Final = {"error": "critical", "warning": "major", "info": "info"}


def code_quality(records: Iterable[Record]) -> Iterator[str]:
    """A list with one entry a finding; equal findings get fingerprints of their own."""
    import json

    seen: dict[str, int] = {}
    yield "["
    for number, record in enumerate(records):
        mark = fingerprint(record)
        seen[mark] = seen.get(mark, 0) + 1
        if seen[mark] > 1:
            mark = f"{mark}-{seen[mark]}"
        yield ("," if number else "") + "\n" + json.dumps(_entry(record, mark))
    yield "\n]\n"


def _entry(record: Record, mark: str) -> dict[str, Any]:
    path = uri_path(file_of(record))
    return {
        "description": text_of(record),
        "check_name": record["code"],
        "fingerprint": mark,
        "severity": _SEVERITIES[record["severity"]],
        "location": {"path": path, "lines": {"begin": record["line"] or 1}},
    }
