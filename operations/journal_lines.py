"""The lines of an operation's log, and how they are written; `journal` says what they mean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from mqtriage.mq.errors import StorageError

COMMITTED: Final = "committed"
BACKED_OUT: Final = "backed out"
UNKNOWN: Final = "unknown"
DONE: Final = "done"
INTERRUPTED: Final = "interrupted"
STOPPED: Final = "stopped"


class Put(NamedTuple):
    """What was put for a message: its MsgId, and SHA-256 of its data.

    Attributes:
        queue: where; QUEUE@QMGR where it is on its way to another queue manager.
    """

    queue: str
    msg_id: bytes
    digest: bytes

    @property
    def left(self) -> bool:
        """Whether it cannot be looked for here, as it went to another queue manager."""
        return "@" in self.queue  # which no name of a queue holds


class Taken(NamedTuple):
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


class Run(NamedTuple):
    at: str


class ArchiveFile(NamedTuple):
    path: Path


class Unit(NamedTuple):
    """A unit of work that is about to be committed, at the queue manager's time *at_us*.

    Attributes:
        before: where nothing is taken, how many messages with the MsgId of the first copy were on
            the target before it was put; None where that was not counted.
    """

    unit: int
    at_us: int
    messages: list[Taken]
    before: int | None = None


class Settled(NamedTuple):
    """How a unit ended: COMMITTED, BACKED_OUT or UNKNOWN."""

    unit: int
    ended: str


class Left(NamedTuple):
    """A message that stayed, or was gone."""

    number: int
    outcome: str
    reason: str


class End(NamedTuple):
    at: str
    ended: str


Line: TypeAlias = Run | ArchiveFile | Unit | Settled | Left | End


def taken_record(taken: Taken) -> dict[str, Any]:
    record: dict[str, Any] = {"number": taken.number}
    if taken.archived:
        record["archived"] = taken.archived
    if taken.put is not None:
        record["put"] = {
            "queue": taken.put.queue,
            "msg_id": taken.put.msg_id.hex().upper(),
            "sha256": taken.put.digest.hex(),
        }
    if taken.parked:
        record["parked"] = True
    return record


def parsed_line(path: Path, number: int, text: bytes) -> Line:
    """Read line *number* of a log.

    Raises:
        StorageError: It is damaged.
    """
    try:
        return _parsed(json.loads(text))
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"journal {path}: line {number} is damaged ({str(error)[:40]})",
            hint="the line was changed after it was written: put the file back from a copy of it; "
            "the other operations are not concerned",
        ) from error


def _parsed(record: dict[str, Any]) -> Line:
    kind = record["kind"]
    if kind == "Unit":
        messages = [_taken(each) for each in record["messages"]]
        return Unit(record["unit"], record["at_us"], messages, record.get("before"))
    if kind in ("Commit", "Backout"):
        return Settled(record["unit"], COMMITTED if kind == "Commit" else BACKED_OUT)
    if kind == "Settled":
        return Settled(record["unit"], record["as"])
    if kind == "Left":
        return Left(record["number"], record["outcome"], record["reason"])
    if kind == "Run":
        return Run(record["at"])
    if kind == "Archive":
        return ArchiveFile(Path(record["path"]))
    if kind == "End":
        return End(record["at"], record["ended"])
    raise ValueError(f"kind {kind!r}")


def _taken(record: dict[str, Any]) -> Taken:
    put = record.get("put")
    return Taken(
        record["number"],
        record.get("archived", 0),
        Put(put["queue"], bytes.fromhex(put["msg_id"]), bytes.fromhex(put["sha256"]))
        if put
        else None,
        record.get("parked", False),
    )
