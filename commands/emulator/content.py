"""`mqtriage emulator lab rollback` and `emulator ls QM`: what an emulated queue manager holds."""

from __future__ import annotations

from typing import Final

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Match
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.admin.dump import records
from mqtriage.emulator.core.manager import Manager
from mqtriage.model.result import Document, Field, Listing, Show
from mqtriage.mq import cmqc
from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import check_queue_name

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
