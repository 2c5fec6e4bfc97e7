"""What the journal keeps of an operation: its units of work, and what was taken and put in them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mqtriage.records import NamedTuple

COMMITTED: Final = "committed"
BACKED_OUT: Final = "backed out"
UNKNOWN: Final = "unknown"
LEFT: Final = "left"
"""Of a message that was reached and not taken, where no unit of work says more."""
GONE: Final = "gone"
"""Reason of a planned message that is no longer there: taken, expired or locked by another."""
DONE: Final = "done"
INTERRUPTED: Final = "interrupted"
STOPPED: Final = "stopped"
FAILED: Final = "failed"
"""Of a change: an error, and nothing of it was done."""
PARTLY_DONE: Final = "partly done"
"""Of a change: an error, and something of it was done."""


class Put(NamedTuple):
    """What was put for a message: its MsgId, and SHA-256 of its data.

    Attributes:
        queue: where; QUEUE@QMGR where it is on its way to another queue manager.
    """

    queue: str
    msg_id: bytes
    digest: bytes

    @property
    def is_elsewhere(self) -> bool:
        """Whether it cannot be looked for here, as it went to another queue manager."""
        return "@" in self.queue  # which no name of a queue holds


class TakenMessage(NamedTuple):
    """A message of a unit of work.

    Attributes:
        number: in the plan, from 1.
        archived: its number in the archive file, 0 for none.
        put: None where nothing was put for it.
        parked: *put* is the untouched message in quarantine.
    """

    number: int
    archived: int = 0
    put: Put | None = None
    parked: bool = False


class WrittenPart(NamedTuple):
    """The first *length* bytes of an archive, and their SHA-256; of nothing where it has none."""

    length: int = 0
    digest: bytes = b""


class LedgerUnit(NamedTuple):
    """A unit of work, noted before it was committed at the queue manager's time *at_us*.

    Attributes:
        messages: in the order of the plan.
        before: where nothing is taken, how many messages with the MsgId of the first copy were on
            the target before it was put; None where that was not counted.
        ended: COMMITTED, BACKED_OUT, UNKNOWN (a resume could not tell), or "" for in doubt.
        archive: the file that it is archived in.
        size: how many messages it had when it was noted.
        written: what of that file was written when it was noted.
    """

    unit: int
    at_us: int
    messages: list[TakenMessage]
    before: int | None = None
    ended: str = ""
    archive: Path | None = None
    size: int = 0
    written: WrittenPart = WrittenPart()


class Initiator(NamedTuple):
    """Who asked for an operation, and how; never a secret.

    Attributes:
        connection: settings of the connection, as JSON.
    """

    context: str = ""
    user: str = ""
    command: str = ""
    connection: str = "{}"
