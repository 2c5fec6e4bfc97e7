"""`msg archive`: copies of the chosen messages in a file; they stay on their queue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from mqtriage.backends.port import Backend
from mqtriage.files.durable import new_file
from mqtriage.files.failures import storage_errors
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.stored_messages import COPY
from mqtriage.model.output_forms import NDJSON
from mqtriage.model.result import Document
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.dumps import dumpfile
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive import writing as archives
from mqtriage.operations.selection.selected import selected
from mqtriage.records import NamedTuple

Add: TypeAlias = Callable[[int, Message], list[str]]
"""Writes a message, whose number it gets; returns what of it could not be written."""


class CopyTarget(NamedTuple):
    """Where the copies go, as the options say it.

    Attributes:
        form: ndjson or dmpmqmsg.
        out: a file that is not there yet; None names one in *folder*.
        folder: of the archives.
        text: on S lines what can be printed, in the form dmpmqmsg.
        compress: the name that is chosen ends in `.gz`, which compresses the archive.
        bodies: False leaves the message data out.
        separate: *out* is a folder, for a file of each message.
    """

    form: str
    out: str | None
    folder: Path
    text: bool
    compress: bool
    bodies: bool
    separate: bool

    def check(self) -> None:
        """Refuse options that do not go together."""
        is_dump, out = self.form != NDJSON, self.out
        if self.separate:
            wrong = (
                ("--format", is_dump),
                ("--compress", self.compress),
                ("--no-bodies", not self.bodies),
            )
            if options := [option for option, is_given in wrong if is_given]:
                text = "--each writes complete messages to uncompressed NDJSON files"
                raise UsageError(f"{text}: without {' and '.join(options)}")
            if out is None:
                raise UsageError("--each: a folder is expected", hint="--each --out FOLDER")
        if is_dump and (self.compress or not self.bodies or str(out).endswith(".gz")):
            raise UsageError("a dmpmqmsg file contains complete messages and is not compressed")
        if out == "-":
            raise UsageError(
                "--out -: a file is expected",
                hint="mqtriage msg browse QUEUE -o ndjson prints messages, which msg load reads; a"
                " dmpmqmsg file needs a name: --out FILE --format dmpmqmsg",
            )
        if self.compress and out is not None and not out.endswith(".gz"):
            raise UsageError(
                f"--compress: {out} does not end in .gz", hint=f"--out {shell_word(f'{out}.gz')}"
            )


def archive(backend: Backend, queue: str, selection: Selection, to: CopyTarget) -> Document:
    """Copy the chosen messages of *queue* into new files; nothing is taken.

    A file appears whole or not at all.

    Raises:
        ObjectNotFound: No such queue.
        Refused: The folder for separate files holds some.
        StorageError: A file is there already, or cannot be written.
    """
    at = rfc3339(backend.now_us())
    if to.out is not None:
        path = Path(to.out)
    else:
        ending = ".dump" if to.form != NDJSON else ".ndjson.gz" if to.compress else ".ndjson"
        path = archives.unused_path(to.folder, archives.file_stem(at, COPY, queue), ending)
    writer = _separate if to.separate else _lines if to.form == NDJSON else _dump
    count = length_bytes = 0
    warnings: list[str] = []
    with (
        closing(selected(backend, queue, selection)) as messages,
        writer(path, to, backend, queue, at) as add,
    ):
        for count, message in enumerate(messages, 1):
            warnings += add(count, message)
            length_bytes += message.length_bytes
    data = {
        "queue": queue,
        "archive": str(path),
        "format": to.form,
        "message_count": count,
        "length_bytes": length_bytes,
        "at": at,
        "sha256": None if to.separate else archives.digest_of(path),
    }
    return Document("MessageArchive", data, warnings=warnings, is_brief=True)


@contextmanager
def _separate(folder: Path, to: CopyTarget, backend: Backend, queue: str, at: str) -> Iterator[Add]:
    """Each message in a file of its own: the line that it has in an archive.

    The name begins with its number, so that `msg load` of the folder puts them in the order they
    have on the queue. Where one cannot be written, those before it stay.
    """
    import json

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(
            f"{folder} exists and is not an empty folder", hint="name a new one with --out"
        )

    def add(number: int, message: Message) -> list[str]:
        where = {"number": number, "batch": 1, "queue": queue}
        line = archives.message_line(where, message, sha256(message.body).digest())
        path = folder / f"{number:07d}-{message.md.msg_id.hex().upper()}.ndjson"
        with (
            storage_errors(path),
            new_file(path, archives.opened_new(path, make_folder=True)) as file,
        ):
            file.write(json.dumps(line).encode() + b"\n")
        return []

    yield add


@contextmanager
def _lines(path: Path, to: CopyTarget, backend: Backend, queue: str, at: str) -> Iterator[Add]:
    with archives.new_copy(
        path,
        queue=queue,
        queue_manager=backend.queue_manager,
        at=at,
        more=None if to.bodies else {"bodies": False},
        make_folder=to.out is None,
    ) as file:

        def add(_: int, message: Message) -> list[str]:
            file.add(queue, message, sha256(message.body).digest(), body=to.bodies)
            return []

        yield add


@contextmanager
def _dump(path: Path, to: CopyTarget, backend: Backend, queue: str, at: str) -> Iterator[Add]:
    from datetime import UTC, datetime

    created = datetime.fromtimestamp(backend.now_us() // 1_000_000, UTC).ctime()
    descriptor = archives.opened_new(path, make_folder=to.out is None)
    with (
        storage_errors(f"archive {path}", "choose another name with --out"),
        new_file(path, descriptor) as file,
    ):
        file.write(dumpfile.header(created, backend.queue_manager, queue).encode())

        def add(number: int, message: Message) -> list[str]:
            entry = dumpfile.entry(number, message.md, message.body, text=to.text)
            file.write(entry.encode())
            return [
                f"message {number}: {name} contains a line end, which is written as a blank"
                for name in dumpfile.with_line_ends(message.md)
            ]

        yield add
