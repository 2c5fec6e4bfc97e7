"""`archive filter`: the chosen messages of archives, in a new one."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.stored_messages import Begun
from mqtriage.model.result import Document
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive.content import LeftOut, content
from mqtriage.operations.archive.files import begun_of
from mqtriage.operations.archive.reading import message_of
from mqtriage.operations.archive.writing import new_copy


def filter_archives(
    archives: Sequence[Path], selection: Selection, out: Path, now_us: int
) -> Document:
    """Copy the chosen messages of *archives* to the new archive *out*, whole or not at all.

    Raises:
        StorageError: A file cannot be read, or *out* is there already.
    """
    begun = [begun_of(path) for path in archives]
    left_out = LeftOut()
    count = length_bytes = 0
    more = sources(archives, begun)
    queue, manager = place_of(begun)
    with new_copy(out, queue=queue, queue_manager=manager, at=rfc3339(now_us), more=more) as file:
        for numbered in content(archives, selection, now_us, left_out):
            message = message_of(numbered)
            whole = numbered.length_bytes is None
            digest = sha256(message.body).digest()
            count = file.add(numbered.queue, message, digest, body=whole)
            length_bytes += message.length_bytes
    document = Document(
        "FilteredArchive",
        {
            "archive": str(out),
            "of": [path.name for path in archives],
            "message_count": count,
            "length_bytes": length_bytes,
        },
    )
    document.warnings += left_out.sentences()
    return document


def place_of(begun: Sequence[Begun]) -> tuple[str, str]:
    """Queue and queue manager of a new archive: those of its sources where they are one."""
    queues = {head.queue for head in begun}
    managers = {head.queue_manager for head in begun}
    return (
        queues.pop() if len(queues) == 1 else "",
        managers.pop() if len(managers) == 1 else "",
    )


def sources(archives: Sequence[Path], begun: Sequence[Begun]) -> dict[str, Any]:
    """What the first line of a new archive says of where it comes from."""
    more: dict[str, Any] = {"of": [path.name for path in archives]}
    if any(not head.bodies for head in begun):
        more["bodies"] = False
    if any(head.redacted for head in begun):
        more["redacted"] = True
    return more
