"""`msg archive`: copies of the chosen messages in a file; they stay on their queue."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Literal

from mqtriage.backends.port import Backend
from mqtriage.files.durable import new_file
from mqtriage.files.failures import storage_errors
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.stored_messages import COPY
from mqtriage.model.output_forms import NDJSON
from mqtriage.model.result import Document
from mqtriage.mq.dumps import dumpfile
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.records import NamedTuple
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive import writing as archives
from mqtriage.operations.selection.selected import selected

FileForm = Literal["ndjson", "dmpmqmsg"]


class CopyTarget(NamedTuple):
    """Where the copies go.

    Attributes:
        path: a file that is not there yet; None names one in *folder*.
        folder: of the archives.
        text: on S lines what can be printed, in the form dmpmqmsg.
        compress: the name that is chosen ends in `.gz`, which compresses the archive.
        bodies: False leaves the message data out.
    """

    form: FileForm
    path: Path | None
    folder: Path
    text: bool = False
    compress: bool = False
    bodies: bool = True


def destination(
    form: str,
    out: str | None,
    folder: Path,
    *,
    text: bool,
    compress: bool = False,
    bodies: bool = True,
) -> CopyTarget:
    """The destination from its options.

    Raises:
        UsageError: There is no such form, or an option is for the other one.
    """
    if form not in (NDJSON, "dmpmqmsg"):
        raise UsageError(f"--file-format {form[:40]}: ndjson or dmpmqmsg is expected")
    if text and form != "dmpmqmsg":
        raise UsageError(
            "--text-lines: a form of dmpmqmsg files", hint="add --file-format dmpmqmsg"
        )
    if form == "dmpmqmsg" and (compress or not bodies or str(out).endswith(".gz")):
        raise UsageError("a dmpmqmsg file holds whole messages, and is not compressed")
    if out == "-":
        raise UsageError("--out -: a file is expected", hint="msg browse -o ndjson prints messages")
    if compress and out is not None and not out.endswith(".gz"):
        raise UsageError(f"--compress: {out} does not end in .gz", hint=f"--out {out}.gz")
    kind: FileForm = "ndjson" if form == NDJSON else "dmpmqmsg"
    return CopyTarget(kind, Path(out) if out is not None else None, folder, text, compress, bodies)


def archive(backend: Backend, queue: str, selection: Selection, to: CopyTarget) -> Document:
    """Copy the chosen messages of *queue* into a new file; nothing is taken.

    The file appears whole or not at all.

    Raises:
        ObjectNotFound: No such queue.
        StorageError: The file is there already, or cannot be written.
    """
    at = rfc3339(backend.now_us())
    path = to.path or _path(to, queue, at)
    with closing(selected(backend, queue, selection)) as messages:
        if to.form == NDJSON:
            count, length_bytes, warnings = _write_lines(path, to, backend, queue, at, messages)
        else:
            count, length_bytes, warnings = _write_dump(path, to, backend, queue, messages)
    document = Document(
        "MessageArchive",
        {
            "queue": queue,
            "archive": str(path),
            "format": to.form,
            "message_count": count,
            "length_bytes": length_bytes,
            "at": at,
        },
    )
    document.warnings += warnings
    return document


def archive_each(backend: Backend, queue: str, selection: Selection, folder: Path) -> Document:
    """Copy each chosen message of *queue* into a file of its own; nothing is taken.

    A file is the line that the message has in an archive; its name begins with its number, so that
    `msg load` of the folder puts them in the order they have on the queue.

    Raises:
        ObjectNotFound: No such queue.
        Refused: The folder holds files.
        StorageError: A file cannot be written; those before it stay.
    """
    import json
    from hashlib import sha256

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"{folder} exists and is no empty folder", hint="name a new one with --out")
    count = length_bytes = 0
    with closing(selected(backend, queue, selection)) as messages:
        for count, message in enumerate(messages, 1):
            where = {"number": count, "batch": 1, "queue": queue}
            line = archives.message_line(where, message, sha256(message.body).digest())
            path = folder / f"{count:07d}-{message.md.msg_id.hex().upper()}.ndjson"
            with (
                storage_errors(path),
                new_file(path, archives.opened_new(path, make_folder=True)) as file,
            ):
                file.write(json.dumps(line).encode() + b"\n")
            length_bytes += message.length_bytes
    return Document(
        "MessageArchive",
        {
            "queue": queue,
            "archive": str(folder),
            "format": NDJSON,
            "message_count": count,
            "length_bytes": length_bytes,
            "at": rfc3339(backend.now_us()),
        },
    )


def _path(to: CopyTarget, queue: str, at: str) -> Path:
    ending = ".dump" if to.form == "dmpmqmsg" else ".ndjson.gz" if to.compress else ".ndjson"
    return archives.unused_path(to.folder, archives.file_stem(at, COPY, queue), ending)


def _write_lines(
    path: Path, to: CopyTarget, backend: Backend, queue: str, at: str, messages: Iterable[Message]
) -> tuple[int, int, list[str]]:
    from hashlib import sha256

    count = length_bytes = 0
    with archives.new_copy(
        path,
        queue=queue,
        queue_manager=backend.queue_manager,
        at=at,
        more=None if to.bodies else {"bodies": False},
        make_folder=to.path is None,
    ) as file:
        for message in messages:
            digest = sha256(message.body).digest()
            count = file.add(queue, message, digest, body=to.bodies)
            length_bytes += message.length_bytes
    return count, length_bytes, []


def _write_dump(
    path: Path, to: CopyTarget, backend: Backend, queue: str, messages: Iterable[Message]
) -> tuple[int, int, list[str]]:
    from datetime import UTC, datetime

    created = datetime.fromtimestamp(backend.now_us() // 1_000_000, UTC).ctime()
    descriptor = archives.opened_new(path, make_folder=to.path is None)
    count = length_bytes = 0
    warnings: list[str] = []
    with (
        storage_errors(f"archive {path}", "--out names another place"),
        new_file(path, descriptor) as file,
    ):
        file.write(dumpfile.header(created, backend.queue_manager, queue).encode())
        for count, message in enumerate(messages, 1):
            entry = dumpfile.entry(count, message.md, message.body, text=to.text)
            file.write(entry.encode())
            length_bytes += message.length_bytes
            warnings += [
                f"message {count}: {name} holds a line end, written as a blank"
                for name in dumpfile.with_line_ends(message.md)
            ]
    return count, length_bytes, warnings
