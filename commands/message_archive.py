"""`msg archive`: copies of the chosen messages in a file; they stay on their queue."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

from mqtriage.backends.port import Backend
from mqtriage.commands import archive as archives
from mqtriage.commands.selecting import open_to_browse, refuse_unknown_due, selected
from mqtriage.model.result import Document
from mqtriage.model.selection import Selection
from mqtriage.mq import dumpfile
from mqtriage.mq.errors import StorageError, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339

ACTION: Final = "archive"
FileForm = Literal["ndjson", "dmpmqmsg"]


class Destination(NamedTuple):
    """Where the copies go.

    Attributes:
        path: a file that is not there yet; None names one in *folder*.
        folder: of the archives.
        text: on S lines what can be printed, in the form dmpmqmsg.
    """

    form: FileForm
    path: Path | None
    folder: Path
    text: bool = False


def destination(form: str, out: str | None, folder: Path, *, text: bool) -> Destination:
    """The destination from its options.

    Raises:
        UsageError: There is no such form, or *text* is for the other one.
    """
    if form not in ("ndjson", "dmpmqmsg"):
        raise UsageError(f"--file-format {form[:40]}: ndjson or dmpmqmsg is expected")
    if text and form != "dmpmqmsg":
        raise UsageError(
            "--text-lines: a form of dmpmqmsg files", hint="add --file-format dmpmqmsg"
        )
    if out == "-":
        raise UsageError("--out -: a file is expected", hint="msg browse -o ndjson prints messages")
    kind: FileForm = "ndjson" if form == "ndjson" else "dmpmqmsg"
    return Destination(kind, Path(out) if out is not None else None, folder, text)


def archive(backend: Backend, queue: str, selection: Selection, to: Destination) -> Document:
    """Copy the chosen messages of *queue* into a new file; nothing is taken.

    The file appears whole or not at all.

    Raises:
        ObjectNotFound: No such queue.
        StorageError: The file is there already, or cannot be written.
    """
    refuse_unknown_due(backend, selection)
    at = rfc3339(backend.now_us())
    handle = open_to_browse(backend, queue)
    messages = selected(backend, handle, selection)
    path = to.path or _path(to, queue, at)
    try:
        descriptor = archives.new_file(path, private_folder=to.path is None)
    except OSError as error:
        handle.close()
        there = isinstance(error, FileExistsError)
        raise StorageError(
            f"archive {path}: {error.strerror}",
            hint="name a new file with --out" if there else "--out names another place",
        ) from error
    try:
        if to.form == "ndjson":
            told = _write_lines(path, descriptor, backend, queue, at, messages)
        else:
            told = _write_dump(path, descriptor, backend, queue, messages, text=to.text)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    document = Document(
        "MessageArchive",
        {
            "queue": queue,
            "archive": str(path),
            "format": to.form,
            "count": told.messages,
            "length_bytes": told.length_bytes,
            "at": at,
        },
    )
    document.warnings += told.warnings
    return document


class _Told(NamedTuple):
    messages: int
    length_bytes: int
    warnings: list[str]


def _path(to: Destination, queue: str, at: str) -> Path:
    ending = "ndjson" if to.form == "ndjson" else "dump"
    stem = archives.file_stem(at, ACTION, queue)
    number = 0
    path = to.folder / f"{stem}.{ending}"
    while path.exists():
        number += 1
        path = to.folder / f"{stem}-{number}.{ending}"
    return path


def _write_lines(
    path: Path, descriptor: int, backend: Backend, queue: str, at: str, messages: Iterable[Message]
) -> _Told:
    from hashlib import sha256

    count = length_bytes = 0
    file = archives.Archive(path, descriptor)
    try:
        file.begin(action=ACTION, queue=queue, queue_manager=backend.queue_manager, at=at)
        for message in messages:
            count = file.add(queue, message, sha256(message.body).digest())
            length_bytes += message.length_bytes
        file.end(count)
        file.sync()
    finally:
        file.close()
    return _Told(count, length_bytes, [])


def _write_dump(
    path: Path, descriptor: int, backend: Backend, queue: str, messages: Iterable[Message],
    *, text: bool,
) -> _Told:  # fmt: skip
    from datetime import UTC, datetime

    created = datetime.fromtimestamp(backend.now_us() // 1_000_000, UTC).ctime()
    count = length_bytes = 0
    warnings: list[str] = []
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(dumpfile.header(created, backend.queue_manager, queue))
            for count, message in enumerate(messages, 1):
                file.write(dumpfile.entry(count, message.md, message.body, text=text))
                length_bytes += message.length_bytes
                warnings += [
                    f"message {count}: {name} holds a line end, written as a blank"
                    for name in dumpfile.with_line_ends(message.md)
                ]
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(
            f"archive {path}: {error.strerror}", hint="--out names another place"
        ) from error
    return _Told(count, length_bytes, warnings)
