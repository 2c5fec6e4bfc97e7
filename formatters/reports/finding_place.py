"""Where a finding is, which one it is and what it says, for all report forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqtriage.model.result import Record


def where(record: Record) -> str:
    """``qm1.mqsc:3``, or the queue manager where there is no file."""
    if record["file"]:
        return f"{record['file']}:{record['line']}" if record["line"] else str(record["file"])
    return str(record["queue_manager"] or "live")


def file_of(record: Record) -> str:
    """The file, or what stands for it: the name of the queue manager that was asked."""
    return str(record["file"] or record["queue_manager"] or "live")


def text_of(record: Record) -> str:
    """``ORDERS.IN: BOTHRESH is 0``."""
    return f"{record['object']}: {record['message']}" if record["object"] else record["message"]


def uri_path(file: str) -> str:
    """A file's path as others want it: forward slashes, no leading ``./``."""
    return file.replace("\\", "/").removeprefix("./")


def with_fingerprints(records: Iterable[Record]) -> Iterator[Record]:
    """The records with the fingerprints of their texts, which may be completed afterwards."""
    for record in records:
        yield {**record, "fingerprint": fingerprint(record)}


def fingerprint(record: Record) -> str:
    """Says that two findings are the same one although lines moved: 64 hex digits."""
    from hashlib import sha256

    if "fingerprint" in record:
        return str(record["fingerprint"])

    keys = ("code", "file", "queue_manager", "object_type", "object", "message")
    text = "\0".join(str(record[key] or "") for key in keys)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
