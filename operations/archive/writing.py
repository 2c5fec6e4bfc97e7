"""The archive file that an act writes what it removes to, before it commits.

One file an act: NDJSON, mode 0600 in a folder of mode 0700 whatever the umask. The lines:

    {"kind": "Archive", "schema": "mqtriage-archive/1", "action": ..., "queue": ..., "at": ...}
    {"kind": "Message", "number": 1, "batch": 1, "queue": ..., <descriptor>, "length_bytes": ...,
     "sha256": ..., "md_base64": <MQMD version 2, little-endian>, "body_base64": ...}
    {"kind": "Commit", "batch": 1, "numbers": [1, 2, 3]}      or "Backout"

A message is gone from its queue when a Commit line with its number follows. Without one it was
not taken or, after a crash, may be in both places; it is never in neither.

The archive of `msg archive` is a copy: it has no Commit lines. Every archive that was written to
its end has one more line, so that a file that was cut or changed is known:

    {"kind": "End", "messages": 3, "sha256": <of all that stands before this line>}

A file whose name ends in `.gz` is a row of gzip members, so that the index (`index.py`)
leads to one message without unpacking the rest; `gunzip` reads it whole. Only copies are
compressed: what an act archives must be on disk, and known to be, message by message.
"""

from __future__ import annotations

import os
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from mqtriage.files.durable import sync, sync_folder
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import create_private, private_folder
from mqtriage.files.sealed import json_line
from mqtriage.messages.decoded import descriptor_record
from mqtriage.messages.stored_messages import COPY, SCHEMA
from mqtriage.mq.descriptor import pack
from mqtriage.mq.errors import Refused, StorageError
from mqtriage.mq.message import Message
from mqtriage.operations.archive.index import IndexWriter, LineLocation, index_path

MEMBER_BYTES: Final = 262_144
"""Lines of so many bytes are compressed together."""


class Archive:
    """An archive file that is being written; made by `create`.

    Attributes:
        committed: messages whose removal is final.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.committed = 0
        self._descriptor = descriptor
        self._number = 0
        self._batch = 1
        self._digest = sha256()
        self._index = IndexWriter(path)
        self._member: bytearray | None = bytearray() if path.suffix == ".gz" else None
        self._position = os.lseek(descriptor, 0, os.SEEK_END)
        self._ended = False

    def begin(
        self,
        *,
        action: str,
        queue: str,
        queue_manager: str,
        at: str,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the first line."""
        head: dict[str, Any] = {
            "kind": "Archive",
            "schema": SCHEMA,
            "action": action,
            "queue": queue,
            "qmgr": queue_manager,
            "at": at,
            **(more or {}),
        }
        self._write(head)

    def end(self) -> None:
        """Write the last line: how many messages there are, and the digest of all lines."""
        self._ended = True
        digest = self._digest.hexdigest()
        self._write({"kind": "End", "messages": self._number, "sha256": digest})
        self._end_member()

    def add(
        self,
        queue: str,
        message: Message,
        digest: bytes | None,
        *,
        body: bool = True,
        more: Mapping[str, Any] | None = None,
    ) -> int:
        """Write the message that is about to be taken; returns its number in the file.

        Where the disk does not take all of it, what was written of it is cut off again.

        Args:
            digest: of the message data; None where it must not be known.
            body: False leaves the message data out; the message cannot be put back from that.
            more: what else the line says.
        """
        self._number += 1
        where = {"number": self._number, "batch": self._batch, "queue": queue}
        line = message_line(where, message, digest, body=body, more=more)
        place = LineLocation(self._position, len(self._member or b""))
        try:
            self._write(line)
        except StorageError:
            self._number -= 1
            raise
        self._index.add(message.md.msg_id, place)
        return self._number

    @property
    def written(self) -> tuple[int, bytes]:
        """Length and SHA-256 of all that was written, where it is not compressed."""
        return self._position, self._digest.digest()

    def sync(self) -> None:
        """Wait until the disk has all that was written."""
        self._end_member()
        try:
            sync(self._descriptor)
        except OSError as error:
            raise self._failed(error) from error

    def end_batch(self, *, committed: bool, numbers: list[int]) -> None:
        """Note whether the unit of work with these messages became final.

        The note is for readers; that it cannot be written undoes nothing.
        """
        kind = "Commit" if committed else "Backout"
        self.committed += len(numbers) if committed else 0
        with suppress(StorageError):
            self._write({"kind": kind, "batch": self._batch, "numbers": numbers})
        self._batch += 1

    def close(self) -> bool:
        """Write the last line where there is none yet, and the index; close the file.

        Returns:
            Whether all of it is on disk: who calls this says next that the work is done.
        """
        is_whole = True
        try:
            if not self._ended:
                self.end()
                self.sync()
        except StorageError:
            is_whole = False
        self._index.close(self._position)
        os.close(self._descriptor)
        return is_whole

    def abandon(self) -> None:
        """Close the file without a last line: it was not written to its end."""
        self._index.drop()
        os.close(self._descriptor)

    def remove(self) -> None:
        """Take the file away: nothing was removed that it would have to keep."""
        self.path.unlink(missing_ok=True)
        index_path(self.path).unlink(missing_ok=True)

    def _write(self, line: dict[str, Any]) -> None:
        data = json_line(line)
        if self._member is None:
            self._append(data)
        else:
            self._member += data
            if len(self._member) >= MEMBER_BYTES:
                self._end_member()
        self._digest.update(data)

    def _end_member(self) -> None:
        """Write the lines that wait to be compressed, as a gzip member of their own."""
        if self._member:
            packer = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS | 16)
            lines, self._member = self._member, bytearray()
            self._append(packer.compress(lines) + packer.flush())

    def _append(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._position)
            raise self._failed(error) from error
        self._position += len(data)

    def _failed(self, error: OSError) -> StorageError:
        return StorageError(
            f"archive {self.path}: {error.strerror}",
            hint="make room, or --set archive_dir=FOLDER takes another folder",
        )


def create(
    folder: Path,
    announce: Callable[[Path], None],
    *,
    action: str,
    queue: str,
    queue_manager: str,
    at: str,
    more: Mapping[str, Any] | None = None,
) -> Archive:
    """Make a new archive file in *folder*, named after the time, the act and the queue.

    Args:
        announce: gets the name first: what a crash leaves of the file is then known to be ours.
        more: what else the first line says.
    """
    stem = file_stem(at, action, queue)
    hint = "nothing was changed; --set archive_dir=FOLDER takes another folder"
    with storage_errors(f"archive folder {folder}", hint):
        private_folder(folder)
        while True:
            path = unused_path(folder, stem, ".ndjson")
            announce(path)
            with suppress(FileExistsError):  # the same act twice in a moment
                descriptor = create_private(path)
                break
    archive = Archive(path, descriptor)
    try:
        archive.begin(action=action, queue=queue, queue_manager=queue_manager, at=at, more=more)
        sync_folder(folder)
    except (OSError, StorageError):
        archive.abandon()
        path.unlink(missing_ok=True)
        raise
    return archive


def message_line(
    where: Mapping[str, Any],
    message: Message,
    digest: bytes | None,
    *,
    body: bool = True,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The line of a message, as JSON: it can be put back from it alone.

    Args:
        where: number, batch and queue.
        digest, body, more: see `Archive.add`.
    """
    return {
        "kind": "Message",
        **where,
        **descriptor_record(message.md),
        "length_bytes": message.length_bytes,
        "sha256": None if digest is None else digest.hex(),
        **(more or {}),
        "md_base64": _text(pack(message.md._replace(version=2), "<", "utf-8")),
        "body_base64": _text(message.body) if body else None,
    }


@contextmanager
def new_copy(
    path: Path,
    *,
    queue: str,
    queue_manager: str,
    at: str,
    more: Mapping[str, Any] | None = None,
    make_folder: bool = False,
) -> Iterator[Archive]:
    """Write an archive that is a copy; the file is there whole afterwards, or not at all.

    Args:
        path: of a file that is not there yet; `.gz` at its end compresses it.

    Raises:
        Refused: The file already exists.
    """
    file = Archive(path, opened_new(path, make_folder=make_folder))
    try:
        file.begin(action=COPY, queue=queue, queue_manager=queue_manager, at=at, more=more)
        yield file
        file.end()
        file.sync()
        sync_folder(path.parent)
    except BaseException:
        file.abandon()
        with suppress(OSError):
            path.unlink()
        raise
    file.close()


def digest_of(path: Path) -> str:
    """SHA-256 of a whole file, in hex; a copy records it for each of its sources."""
    with storage_errors(path), open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def opened_new(path: Path, *, make_folder: bool = False) -> int:
    """A descriptor of a file that was not there before, which nobody else can read.

    Raises:
        Refused: The file already exists.
    """
    try:
        if make_folder:
            private_folder(path.parent)
        return create_private(path)
    except OSError as error:
        if isinstance(error, FileExistsError):
            hint = "name a new file with --out"
            raise Refused(f"archive {path} already exists", hint=hint) from error
        hint = "choose another name with --out"
        raise StorageError(f"archive {path}: {error.strerror}", hint=hint) from error


def unused_path(folder: Path, stem: str, ending: str) -> Path:
    """A name in *folder* that no file has yet."""
    return next(path for path in _paths(folder, stem, ending) if not os.path.lexists(path))


def _paths(folder: Path, stem: str, ending: str) -> Iterator[Path]:
    yield folder / f"{stem}{ending}"
    yield from (folder / f"{stem}-{number}{ending}" for number in count(1))


def file_stem(at: str, action: str, queue: str) -> str:
    """How the archive of an act is called, without an ending."""
    return f"{''.join(c for c in at if c.isalnum())}-{action}-{quote(queue, safe='')}"


def _text(data: bytes) -> str:
    return b64encode(data).decode("ascii")
