"""`snapshot take`: what a queue manager holds at one moment, as rows in files.

Queues are read one after the other, so a message that moves meanwhile may be seen twice or not at
all, as in any browse. A queue that cannot be read is a row with the reason, never the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Final

from mqtriage import __version__
from mqtriage.backends.port import Backend, Capability, ObjectDefinition, queue_manager_now_us
from mqtriage.commands.queue.names import existing, none_named
from mqtriage.files.failures import read_errors, storage_errors
from mqtriage.files.whole import read_secret
from mqtriage.model.result import Document
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import ConnectionFailed, MQIError, Refused, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.names import is_listed, matches
from mqtriage.mq.times import rfc3339
from mqtriage.operations.selection.selected import open_to_browse
from mqtriage.pipeline.snapshots import known
from mqtriage.pipeline.snapshots.files import FileForm, PartitionFiles, day_of
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.reader import DataFile, rows
from mqtriage.pipeline.snapshots.rows import (
    Keeping,
    Sighting,
    Stamp,
    definition_row,
    definition_text,
    gone_row,
    keyed_digest,
    message_key,
    message_row,
    queue_row,
    sha256_hex,
)
from mqtriage.pipeline.snapshots.schema import (
    COMPACTED,
    SNAPSHOTS,
    VERSION,
    BodyPart,
    Mode,
    Seen,
    partition_of,
)
from mqtriage.records import dataclass

HEAD_BYTES: Final = 65_536
"""Message data that is read of each message where no body is kept: room for its headers."""
TOLD_EVERY: Final = 100_000
"""Messages of one queue after which people are told that it goes on."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeRequest:
    """What to take.

    Attributes:
        patterns: generic names of the queues whose messages are read; empty: all that are not the
            queue manager's own, with its staging and dead-letter queue.
        digest_key: makes digests HMACs; None: plain SHA-256.
        properties: keep message properties, which are an application's data.
        incremental: leave out what is as in the last snapshot of this queue manager that day.
        browse: read messages; without it definitions and numbers alone, which discards nothing.
    """

    folder: Path
    form: FileForm
    patterns: tuple[str, ...] = ()
    body: BodyPart = BodyPart.NONE
    digest_key: bytes | None = None
    properties: bool = False
    incremental: bool = False
    browse: bool = True

    @property
    def digest_name(self) -> str | None:
        """What the column digest says."""
        if self.body is BodyPart.NONE:
            return None
        return "sha256" if self.digest_key is None else "hmac-sha256"

    @property
    def digest_key_id(self) -> str | None:
        """What the column digest_key_id says: it tells keys apart and not what they are."""
        if self.digest_key is None or self.body is BodyPart.NONE:
            return None
        return sha256_hex(self.digest_key)[:16]

    @property
    def kept(self) -> str:
        """What is kept of message data, as one word; equal for snapshots that keep the same."""
        return f"{self.body.value}/{self.digest_name}/{self.digest_key_id}/{self.properties}"


def take(
    backend: Backend, request: TakeRequest, host_us: int, tell: Tell = lambda text: None
) -> Document:
    """Take a snapshot and put its files in place.

    Args:
        host_us: the clock of this machine.
        tell: told now and then how far it is.

    Raises:
        UsageError: No generic name.
        ObjectNotFound: 2085, 2082, where one queue was named and is not there.
        MQIError: 2057, where it is not a local queue.
        StorageError: A file cannot be written; no part of the snapshot is to be seen then, or only
            rows that no row of `snapshots` speaks for.
        ConnectionFailed: The connection was lost.
    """
    named = dict.fromkeys(existing(backend, one, "snapshot of") for one in request.patterns)
    request = replace(request, patterns=tuple(named))
    # sorts, where the clock is frozen
    stamp = new_stamp(queue_manager_now_us(backend), f"{host_us:013x}")
    manager = backend.queue_manager
    files = PartitionFiles(
        request.folder, manager, day_of(stamp.time_us), stamp.snapshot_id, request.form
    )
    with (
        closing(_before(request, manager)) as before,
        closing(known.Remembering()) as remembering,
        closing(files),
    ):
        snapshot = Snapshot(backend, request, stamp, files, before, remembering, tell)
        snapshot.write(host_us)
        with storage_errors(f"snapshot folder {request.folder}"):
            remembering.write(request.folder, manager, snapshot.head())
        return snapshot.document(files.publish())


def new_stamp(now_us: int, unique: str) -> Stamp:
    """Time and name of a snapshot; *unique* tells it from others of the same moment."""
    digits = "".join(c for c in rfc3339(now_us)[:19] if c.isdigit())
    text = f"{digits[:8]}T{digits[8:]}{now_us % 1_000_000:06d}Z"
    return Stamp(f"{text}-{unique}", now_us)


def _before(request: TakeRequest, manager: str) -> known.Memory:
    """The last snapshot to compare with.

    It counts only when it was completed and its file is still in the folder.
    """
    before = known.recall(request.folder, manager)
    if before is None:
        return known.nothing()
    name = before.head.snapshot_id
    day = f"{name[:4]}-{name[4:6]}-{name[6:8]}"
    place = request.folder / SNAPSHOTS.name / partition_of(manager, day)
    if any(place.glob(f"{name}.v*.*")) or _is_compacted(request.folder, manager, day, name):
        return before
    before.close()
    return known.nothing()


def _is_compacted(folder: Path, manager: str, day: str, snapshot_id: str) -> bool:
    """Whether the row of a snapshot is in a file of many queue managers."""
    if not (folder / COMPACTED / SNAPSHOTS.name / f"snap_date={day}").exists():
        return False

    def of_day(file: DataFile) -> bool:
        return (file.queue_manager, file.day) == (manager, day)

    rows_of_day = rows(folder, SNAPSHOTS.name, Problems(), of_day)
    return any(row["snapshot_id"] == snapshot_id for _, row in rows_of_day)


@dataclass(eq=False)
class Snapshot:
    """One snapshot that is being written.

    Attributes:
        before: what the last one saw; where that is nothing, this is a full one. So it is on a new
            day: then the files of a day can be read without those of the days before. So it is
            after one that kept other parts of message data.
        remembering: takes what this one sees, for the next.
        problems: queues that could not be read, with the reason.
        notes: queues that were not to be read.
    """

    backend: Backend
    request: TakeRequest
    stamp: Stamp
    files: PartitionFiles
    before: known.Memory
    remembering: known.Remembering
    tell: Tell = lambda text: None
    queues: int = 0
    messages: int = 0
    message_rows: int = 0
    length_bytes: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        last = self.before.head
        self._first = not last.snapshot_id
        same_day = last.snapshot_id[:8] == self.stamp.snapshot_id[:8]
        same_kept = last.kept == self.request.kept
        self._full = not (self.request.incremental and same_day and same_kept)
        self._numbers = {name: i for i, name in enumerate(last.queues)}
        self._definitions: dict[str, str] = {}
        self._read: set[int] = set()
        digest = None
        if self.request.body is not BodyPart.NONE:
            key = self.request.digest_key
            digest = sha256_hex if key is None else keyed_digest(key)
        self._keep = Keeping(
            self.request.body,
            digest,
            self.request.properties,
            Capability.DUE_TIME_KNOWN in self.backend.capabilities,
        )
        self.mode = Mode.FULL if self._full else Mode.INCREMENTAL

    def head(self) -> known.Head:
        """What the next snapshot has to know of this one beside its messages."""
        return known.Head(
            self.stamp.snapshot_id, list(self._numbers), self._definitions, self.request.kept
        )

    def write(self, host_us: int) -> None:
        """Read everything, row by row; `files` is still to be published then."""
        attributes = self.backend.queue_manager_attributes()
        objects = list(self.backend.queues("*"))
        self._write_definitions(attributes, objects)
        locals_ = [queue for queue in objects if queue.kind == "QLOCAL"]
        self.notes += [
            none_named(self.backend.queue_manager, pattern)
            for pattern in self.request.patterns
            if not any(matches(pattern, queue.name) for queue in locals_)
        ]
        dead_letter_queue = str(attributes.get("DEADQ", ""))
        for definition in locals_:
            self._write_queue(definition, self._is_chosen(definition.name, dead_letter_queue))
        self._write_gone({definition.name for definition in locals_})
        self.files.add("queue_managers", self._manager_row(attributes))
        self.files.add("snapshots", self._snapshot_row(host_us))

    def _is_chosen(self, queue: str, dead_letter_queue: str) -> bool:
        if not self.request.browse:
            return False
        if self.request.patterns:
            return any(matches(pattern, queue) for pattern in self.request.patterns)
        return queue == dead_letter_queue or is_listed(queue, "*")

    # -- definitions ----------------------------------------------------------------------------

    def _write_definitions(
        self, attributes: Mapping[str, Any], objects: list[ObjectDefinition]
    ) -> None:
        last = self.before.head.definitions
        described = [("QMGR", self.backend.queue_manager, attributes)]
        described += [(object_.kind, object_.name, object_.attributes) for object_ in objects]
        for kind, name, values in described:
            text = definition_text(values)
            label, digest = f"{kind} {name}", sha256_hex(text.encode())
            self._definitions[label] = digest
            seen = Seen.PRESENT
            if not self._first and last.get(label) != digest:
                seen = Seen.CHANGED if label in last else Seen.NEW
            if self._full or seen is not Seen.PRESENT:
                self.files.add("definitions", definition_row(self.stamp, seen, kind, name, text))
        for label in last:
            if label not in self._definitions:
                kind, _, name = label.partition(" ")
                row = definition_row(self.stamp, Seen.GONE, kind, name, None)
                self.files.add("definitions", row)

    # -- queues and messages --------------------------------------------------------------------

    def _write_queue(self, definition: ObjectDefinition, chosen: bool) -> None:
        name, attributes = definition.name, definition.attributes
        row: dict[str, Any] = {
            "queue": name,
            "maxdepth": _number(attributes.get("MAXDEPTH")),
            "maxmsgl_bytes": _number(attributes.get("MAXMSGL")),
            "put": attributes.get("PUT"),
            "get": attributes.get("GET"),
            "usage": attributes.get("USAGE"),
            "bothresh": _number(attributes.get("BOTHRESH")),
            "boqname": attributes.get("BOQNAME"),
            "browsed": False,
        }
        try:
            row |= self._status(name)
            if chosen:
                if row["curdepth"]:
                    row |= self._write_messages(name)
                else:  # it need not be opened; what was on it is gone
                    self._read.add(self._numbers.setdefault(name, len(self._numbers)))
                    row |= {"message_count": 0, "length_bytes": 0}
                row["browsed"] = True
        except ConnectionFailed:
            raise
        except Refused as error:  # a context says so: no fault, but to be known
            row["problem"] = error.text
            self.notes.append(error.text)
        except MQIError as error:
            row["problem"] = error.text
            self.problems.append(error.text)
        self.queues += 1
        self.files.add("queues", queue_row(self.stamp, row))

    def _status(self, name: str) -> dict[str, Any]:
        status = self.backend.status(name)
        insight = self.backend.insight
        expired = None
        if insight is not None:
            expired = insight.lifetimes(name).expired if status.curdepth else 0
        return {
            "curdepth": status.curdepth,
            "uncommitted": status.uncommitted,
            "ipprocs": status.ipprocs,
            "opprocs": status.opprocs,
            "oldest_put_time": status.oldest_put_time_us,
            "last_put_time": status.last_put_time_us,
            "last_get_time": status.last_get_time_us,
            "expired": expired,
        }

    def _write_messages(self, queue: str) -> dict[str, Any]:
        """Write a row for each message that needs one.

        The lifetime left counts from the start of the snapshot: a queue that takes long to read
        would else seem to give its later messages a longer one.
        """
        number = self._numbers.setdefault(queue, len(self._numbers))
        length = None if self.request.body is not BodyPart.NONE else HEAD_BYTES
        handle = open_to_browse(self.backend, queue)
        messages = length_bytes = largest = 0
        try:
            for message in handle.browse(max_length=length):
                messages += 1
                length_bytes += message.length_bytes
                largest = max(largest, message.length_bytes)
                self._meet(queue, number, messages, message)
                if messages % TOLD_EVERY == 0:
                    self.tell(f"{queue}: {messages:,} messages read ...")
        finally:
            handle.close()
            self.messages += messages
            self.length_bytes += length_bytes
        self._read.add(number)
        return {
            "message_count": messages,
            "length_bytes": length_bytes,
            "largest_bytes": largest or None,
        }

    def _meet(self, queue: str, number: int, position: int, message: Message) -> None:
        key = message_key(queue, message.md)
        now_us = self.stamp.time_us
        now = known.known_of(key, number, message, now_us, now_us)
        before = self.before.meet(key)
        seen = Seen.PRESENT if self._first else known.difference(before, now)
        if before is not None:
            expires_us = now.expires_us if seen is Seen.CHANGED else before.expires_us
            now = now._replace(first_seen_us=before.first_seen_us, expires_us=expires_us)
        self.remembering.add(now)
        if seen is Seen.PRESENT and not self._full:
            return
        sighting = Sighting(queue, key.hex(), seen, now.first_seen_us, position)
        self.files.add("messages", message_row(self.stamp, sighting, message, self._keep))
        self.message_rows += 1

    def _write_gone(self, there: set[str]) -> None:
        """Rows for what was met before and not now; of queues that were not read nothing is known.

        A queue that is no longer defined took its messages with it.
        """
        names = self.before.head.queues
        for gone in self.before.not_met():
            queue = names[gone.queue]
            if gone.queue not in self._read and queue in there:
                self.remembering.add(gone)
                continue
            sighting = Sighting(queue, gone.key.hex(), Seen.GONE, gone.first_seen_us, 0)
            row = gone_row(self.stamp, sighting, gone.msg_id, gone.correl_id, gone.put_us)
            self.files.add("messages", row)
            self.message_rows += 1

    # -- the queue manager ----------------------------------------------------------------------

    def _manager_row(self, attributes: Mapping[str, Any]) -> list[Any]:
        staged = overdue = next_due = problem = None
        try:
            staged = self.backend.status(STAGING_QUEUE).curdepth
            insight = self.backend.insight
            if insight is not None:
                load = insight.staging_load()
                overdue, next_due = load.overdue, load.next_due_us
                problem = insight.processor_problem()
        except ConnectionFailed:
            raise
        except MQIError as error:
            problem = error.text
        return [
            *self.stamp,
            attributes.get("PLATFORM"),
            _number(attributes.get("CMDLEVEL")),
            attributes.get("VERSION"),
            attributes.get("DEADQ"),
            _number(attributes.get("MAXMSGL")),
            _number(attributes.get("CCSID")),
            problem,
            staged,
            overdue,
            next_due,
        ]

    def _snapshot_row(self, host_us: int) -> list[Any]:
        request = self.request
        return [
            *self.stamp,
            self.backend.now_us(),
            host_us,
            VERSION,
            __version__,
            self.backend.queue_manager,
            self.backend.kind,
            self.mode.value,
            self.before.head.snapshot_id or None,
            request.body.value,
            request.digest_name,
            request.digest_key_id,
            request.browse,
            ",".join(request.patterns) or None,
            self.queues,
            self.messages,
            self.message_rows,
            self.length_bytes,
            len(self.problems),
        ]

    def document(self, paths: list[Path]) -> Document:
        """What came of it; *paths* are the files."""
        request, base = self.request, self.before.head.snapshot_id or None
        document = Document(
            "SnapshotTaken",
            {
                "snapshot_id": self.stamp.snapshot_id,
                "queue_manager": self.backend.queue_manager,
                "queues": self.queues,
                "message_count": self.messages,
                "problems": len(self.problems),
                "mode": self.mode.value,
                "snap_time": rfc3339(self.stamp.time_us),
                "folder": str(request.folder),
                "format": request.form,
                "base_snapshot_id": base,
                "body": request.body.value,
                "message_rows": self.message_rows,
                "length_bytes": self.length_bytes,
                "files": [str(path) for path in paths],
            },
        )
        if request.incremental and not base:
            document.warnings.append(
                f"no whole snapshot of {self.backend.queue_manager} to continue from in"
                f" {request.folder}: this one is full"
            )
        document.warnings += self.problems + self.notes
        return document


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


_SHORTEST_KEY: Final = 16
"""Bytes of a key that nobody guesses."""
_MAKES_KEY: Final = "(umask 077; head -c 32 /dev/urandom > {})"


def digest_key(path: Path, warn: Callable[[str], None]) -> bytes:
    """The key in a file, without the line end.

    Args:
        warn: receives a warning if the key can be guessed.

    Raises:
        StorageError: The file cannot be read.
        Refused: Other users can read it.
        UsageError: There is no key in it.
    """
    option = f"--key-file {path}"
    with read_errors(option):
        key = read_secret(path).rstrip(b"\r\n")
    if not key:
        raise UsageError(
            f"{option}: the file is empty", hint=_MAKES_KEY.format(shell_word(str(path)))
        )
    if len(key) < _SHORTEST_KEY:
        length = count_text(len(key), "byte")
        command = _MAKES_KEY.format(shell_word(f"{path}.new"))
        warn(
            f"{option}: a key of {length} can be guessed. Values hashed with a new key will not"
            f" match those of the old one. To create a new key, use {command}"
        )
    return key
