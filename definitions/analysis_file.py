"""The results of `mqtriage analyze ... -o json`, read back where they are put to use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mqtriage.definitions.load_model import Measured
from mqtriage.files.failures import content_errors
from mqtriage.files.whole import read_whole
from mqtriage.model.analysis_tables import TABLES_OF, doubt_about_sizes
from mqtriage.model.tables import json_table, list_of, record_form
from mqtriage.mq.errors import NotFound, UsageError

Row = Mapping[str, Any]


def read_analysis(path: str, job: str) -> list[Row]:
    """The records of the job's first table in a JSON document."""
    table = next(iter(TABLES_OF[job].values()))
    hint = f"mqtriage analyze {job} -o json > FILE"
    with content_errors(path, hint):
        document = json_table(read_whole(path))
        items, kind = document.get("items"), document.get("kind")
        if not isinstance(items, list) or kind != table.kind:
            raise UsageError(f"{kind or 'no document'}, {table.kind} is expected")
    return [item for item in items if isinstance(item, dict)]


def row_of(rows: Sequence[Row], path: str, **keys: str) -> Row:
    """The one record with these values; `NotFound` says which values there are."""
    for row in rows:
        if all(row.get(key) == value for key, value in keys.items()):
            return row
    text = " ".join(keys.values())
    there = sorted({" ".join(str(row.get(key)) for key in keys) for row in rows})
    shown = ", ".join(there[:5]) + (" ..." if len(there) > 5 else "")
    raise NotFound(f"{path}: nothing of {text}", hint=f"it has {shown}" if there else None)


def measured(path: str) -> dict[str, Measured]:
    """What each queue manager's staging queue needs, from `analyze delay`; raises as the others."""
    rows = read_analysis(path, "delay")
    with content_errors(path):
        needs = list_of(record_form(Measured, others=True)).read(rows, "items")
        doubts = [doubt_about_sizes(dict(row)) for row in rows]
    return {
        need.queue_manager: replace(need, doubt=doubt)
        for need, doubt in zip(needs, doubts, strict=True)
    }
