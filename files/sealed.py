"""Plan files: lines of JSON, written once and then only read: mode 0600, a seal at the end.

    {"kind": "End", ..., "sha256": <of all lines before this one>}

A file without its last line was cut, one whose digest differs was changed: both are refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from mqtriage.files.durable import new_file
from mqtriage.files.failures import read_errors, storage_errors
from mqtriage.files.private import create_private
from mqtriage.files.whole import open_regular
from mqtriage.mq.errors import Refused, StorageError, UsageError

_compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode
CHANGED: Final = "the file was changed after it was written: make a new one"


def write_sealed(path: Path, records: Iterable[dict[str, Any]], end: dict[str, Any]) -> None:
    """Write a new file, on disk when this returns.

    Args:
        end: what its last line holds beside the seal.
    """
    try:
        descriptor = create_private(path)
    except OSError as error:
        if isinstance(error, FileExistsError):
            raise Refused(f"plan {path} already exists", hint="name a new file") from error
        raise StorageError(f"plan {path}: {error.strerror}", hint="name another place") from error
    with (
        storage_errors(f"plan {path}", "nothing was changed"),
        new_file(path, descriptor) as file,
    ):
        digest = sha256()
        for record in records:
            line = json_line(record)
            digest.update(line)
            file.write(line)
        file.write(json_line({"kind": "End", **end, "sha256": digest.hexdigest()}))


def json_line(record: dict[str, Any]) -> bytes:
    """A record as a line of a file of ours, in ASCII."""
    return (_compact(record) + "\n").encode("ascii")


def read_sealed(path: Path, hint: str, content: bytes | None = None) -> Iterator[dict[str, Any]]:
    """Yield each record but the last; the seal is checked when all were taken.

    Args:
        hint: how such a file is made, for what is none.
        content: what the file contained when its signature was checked; None reads it now.

    Raises:
        Refused: It was cut or changed.
        StorageError: It cannot be read.
    """
    digest = sha256()
    is_plan = False
    opened = open_regular(path) if content is None else BytesIO(content)
    with read_errors(f"plan {path}"), opened as file:
        for line in file:
            if not line.endswith(b"\n") and line.startswith(b'{"'):
                raise _cut(path)
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if not isinstance(record, dict):
                if is_plan:
                    raise _changed(path)
                raise UsageError(f"plan {path}: not a plan file", hint=hint)

            if record.get("kind") == "End":
                if record.get("sha256") == digest.hexdigest():
                    return
                raise _changed(path)
            is_plan = is_plan or record.get("kind") == "Plan"
            yield record
            digest.update(line)
    raise _cut(path)


def _changed(path: Path) -> Refused:
    return Refused(f"plan {path}: it was changed after it was written", hint="make a new one")


def _cut(path: Path) -> Refused:
    return Refused(f"plan {path}: its end is missing, it was truncated", hint="make a new one")
