"""The results of `mqtriage analyze ... -o json`, read back where they are put to use."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mqtriage.definitions.load_model import Measured
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.mq.errors import NotFound, StorageError, UsageError

Row = Mapping[str, Any]


def read_analysis(path: str, job: str) -> list[Row]:
    """The records of the job's first table in a JSON document.

    Raises:
        NotFound: No such file.
        StorageError: It cannot be read.
        UsageError: It is no such document.
    """
    table = next(iter(TABLES_OF[job].values()))
    hint = f"mqtriage analyze {job} -o json > FILE"
    try:
        document = json.loads(Path(path).read_text("utf-8"))
    except FileNotFoundError as error:
        raise NotFound(f"{path}: no such file", hint=hint) from error
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON: {str(error)[:100]}", hint=hint) from error
    document = document if isinstance(document, dict) else {}
    items, kind = document.get("items"), document.get("kind")
    if not isinstance(items, list) or kind != table.kind:
        raise UsageError(f"{path}: {kind or 'no document'}, {table.kind} is expected", hint=hint)
    return [item for item in items if isinstance(item, dict)]


def row_of(rows: Sequence[Row], path: str, **keys: str) -> Row:
    """The one record with these values.

    Raises:
        NotFound: There is none; the text says which there are.
    """
    for row in rows:
        if all(row.get(key) == value for key, value in keys.items()):
            return row
    text = " ".join(keys.values())
    there = sorted({" ".join(str(row.get(key)) for key in keys) for row in rows})
    shown = ", ".join(there[:5]) + (" ..." if len(there) > 5 else "")
    raise NotFound(f"{path}: nothing of {text}", hint=f"it has {shown}" if there else None)


def number_of(row: Row, key: str, path: str) -> int:
    """A whole number of a record.

    Raises:
        UsageError: It has none.
    """
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise UsageError(f"{path}: {key} is {value!r}, a whole number is expected")


def measured(path: str) -> dict[str, Measured]:
    """What each queue manager's staging queue needs, from `analyze delay`; raises as the others."""
    return {
        str(row.get("queue_manager")): Measured(
            number_of(row, "maxdepth", path),
            str(row.get("maxdepth_sum", "")),
            number_of(row, "maxmsgl_bytes", path),
            str(row.get("maxmsgl_sum", "")),
        )
        for row in read_analysis(path, "delay")
    }
