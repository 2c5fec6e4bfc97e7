"""`mqtriage emulator lab rollback|seed|dump`: what an emulated queue manager holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Match
from mqtriage.commands.emulator.requests import SeedOptions
from mqtriage.commands.msg.put import report_of
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.admin.dump import records
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.seeding import put_files
from mqtriage.model.ids import parse_id
from mqtriage.model.result import Document, Field, Listing, Show, column, columns_of, keys_of
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.errors import NotFound, UsageError
from mqtriage.mq.names import check_queue_name
from mqtriage.records import dataclass

MOST_ROLLBACKS: Final = 100_000
"""Each is a get and a backout; more would only look like a hang."""


def roll_back(
    backend: EmulatedBackend, queue: str, times: int, msg_id: bytes | None = None
) -> Document:
    """Get a message and roll back, *times* times: the first of the queue, or the one named.

    Raises:
        UsageError: *times* is not 1 to `MOST_ROLLBACKS`.
        NoMessageAvailable: 2033.
    """
    check_queue_name(queue)
    if not 1 <= times <= MOST_ROLLBACKS:
        raise UsageError(f"--times {times}: allowed is 1 to {MOST_ROLLBACKS}")
    rolled_back = lifecycle.roll_back(backend.connection, queue, times, msg_id)
    handle = backend.open(queue, cmqc.MQOO_BROWSE)
    counts = [m.md.backout_count for m in handle.browse(Match(rolled_back), max_length=0)]
    handle.close()
    return Document(
        "EmulatorRollback",
        {
            "queue_manager": backend.queue_manager,
            "queue": queue,
            "msg_id": rolled_back.hex().upper(),
            "times": times,
            "backout_count": max(counts, default=None),
        },
    )


@dataclass(frozen=True, slots=True)
class SeededMessage:
    """A message that was put from a file."""

    msg_id: str = column("MSGID", Show.ID)
    queue: str = column("QUEUE", Show.NAME)
    file: str = column("FILE")
    length_bytes: int = column("LENGTH", Show.BYTES)


def seed(backend: EmulatedBackend, queue: str, files: Sequence[Path], md: MQMD) -> Listing:
    """Put the bytes of each file as one message; all of them, or none.

    Raises:
        NotFound: A file, or the queue, is not there.
        StorageError: A file cannot be read.
    """
    check_queue_name(queue)
    items = [
        keys_of(SeededMessage(one.md.msg_id.hex().upper(), queue, one.file, one.length_bytes))
        for one in put_files(backend.connection, queue, files, md)
    ]
    summary = {"message_count": len(items)}
    return Listing("SeededMessageList", columns_of(SeededMessage), items, summary)


def dump(manager: Manager) -> Listing:
    """Everything the queue manager holds, in one order; the same state gives the same text."""
    fields = (
        Field("record", "RECORD", width=13),
        Field("queue", "QUEUE", Show.NAME),
        Field("name", "NAME", Show.NAME),
        Field("msg_id", "MSGID", Show.ID),
        Field("length_bytes", "LENGTH", Show.BYTES),
    )
    return Listing("EmulatorDump", fields, records(manager), id_key="msg_id")


def file_list(files: Iterable[str]) -> list[Path]:
    """The files to read; a folder is no file.

    Raises:
        NotFound: One is not there.
        UsageError: One is a folder.
    """
    paths = []
    for name in files:
        path = Path(name)
        if path.is_dir():
            raise UsageError(f"{name}: is a folder", hint="name the files in it")
        if not path.exists():
            raise NotFound(f"{name}: no such file", object_name=name)
        paths.append(path)
    return paths


def descriptor(options: SeedOptions) -> MQMD:
    """The descriptor of seeded messages.

    Raises:
        UsageError: A format that MQMD.Format cannot hold, a wrong id, report option or queue name.
    """
    form, reply_to = options.format, options.reply_to
    if len(form) > 8 or not form.isascii() or not (form.isprintable() or not form):
        raise UsageError(f"--md-format {form[:40]!r}: at most 8 printable ASCII characters")
    given: dict[str, Any] = {
        "ccsid": options.ccsid,
        "encoding": options.encoding,
        "persistence": None if options.persistent is None else int(options.persistent),
        "priority": options.priority,
        "expiry_tenths": options.expiry,
    }
    correl_id = NO_ID
    if options.correlid:
        ident = parse_id(options.correlid, for_write=False, parts_allowed=False, what="--correlid")
        correl_id = ident.value
    return MQMD()._replace(
        format=form.rstrip(),
        correl_id=correl_id,
        report=report_of((options.report or "").split(","), numbers=True),
        reply_to_q=check_queue_name(reply_to) if reply_to else "",
        **{name: value for name, value in given.items() if value is not None},
    )
