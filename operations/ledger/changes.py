"""What the journal keeps of a change that takes no message: definitions, puts, sweeps.

It is entered before anything is changed, with what it names as it is then, and gets how that was
left and how the command ended. `definitions.way_back` makes the reverse script of the two.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

from mqtriage.definitions.desired import Live
from mqtriage.definitions.diff import object_text
from mqtriage.definitions.plan import value_text
from mqtriage.definitions.way_back import (
    Touched,
    changed,
    commands_back,
    differing,
    live_from,
    live_record,
    losing,
    lost_messages,
)
from mqtriage.files.locks import FileLock
from mqtriage.model.units import count_text, first_of
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.errors import MQTriageError, StorageError
from mqtriage.mq.mqsc.parse import parse
from mqtriage.operations.ledger.journal import (
    ChosenOperations,
    Journal,
    error_columns,
    now_text,
)
from mqtriage.operations.ledger.tables import COPY_HINT, Ledger
from mqtriage.operations.ledger.units import DONE, FAILED, INTERRUPTED, PARTLY_DONE
from mqtriage.records import dataclass

SCHEMA: Final = "mqtriage-change/1"


@dataclass(frozen=True, slots=True)
class StoredChange:
    """A change as the journal keeps it.

    Attributes:
        name: the object or queue that it is about.
        count: commands, attributes or messages that were planned.
        mqsc: the commands, without passwords; of a put and a sweep there are none.
        touched: the objects that the commands name.
        before, after: these as they were and as they were left; None where that is not known.
        final: what of it no command takes back, as ``CLEAR QLOCAL(ORDERS.IN)``.
        undoes: the operation that this one takes back, "" for none.
        backs: the reverse of each command, where the journal has each as soon as it is done.
        origin_text: who made the plan file that was carried out, and from what; "" for none.
        target: where delayed messages on the staging queue *name* go, "" for other changes.
    """

    queue_manager: str
    action: str
    name: str
    count: int
    mqsc: tuple[str, ...] = ()
    touched: tuple[Touched, ...] = ()
    before: Live | None = None
    after: Live | None = None
    final: tuple[str, ...] = ()
    undoes: str = ""
    backs: tuple[str, ...] = ()
    origin_text: str = ""
    target: str = ""

    @property
    def back(self) -> list[str]:
        """The MQSC of the reverse script; [] where there is none, or it is not known."""
        if self.before is None or self.after is None:
            return []
        return commands_back(self.before, self.after)

    @property
    def lost(self) -> dict[str, int]:
        """Queues that were deleted with messages on them, which are in no archive."""
        if self.before is None or self.after is None:
            return {}
        return lost_messages(self.before, self.after)

    def losses(self, how: str) -> dict[str, int | None]:
        """Queues that it emptied without an archive, with their messages; None: not known.

        Args:
            how: it ended, "" where that is not known.
        """
        if how == FAILED:
            return {}
        losses: dict[str, int | None] = {}
        for name in losing(parse("\n".join(self.mqsc)).commands):
            if self.before is None or Touched("QLOCAL", name) not in self.touched:
                losses[name] = None
                continue
            depth = self.before.depths.get(name, 0)
            if not depth:
                continue
            if how != DONE and self.after is None:
                losses[name] = None
            elif how == DONE or (self.after and self.after.depths.get(name, 0) < depth):
                losses[name] = depth
        return losses

    @property
    def records(self) -> list[dict[str, Any]]:
        """Each attribute that was altered, or object defined or deleted, as JSON content."""
        if self.before is None or self.after is None:
            return []
        return [
            {
                "object_type": item.after_kind,
                "object": item.name or None,
                "change": item.how,
                "attribute": key,
                "from": item.before.get(key) if item.before and key else None,
                "to": item.after.get(key) if item.after and key else None,
            }
            for item in changed(self.before, self.after)
            for key in (item.keys if item.how == "altered" else (None,))
        ]


def change_text(change: StoredChange, queue: str) -> str:
    """The first thing that a change changed, and how many more there are.

    Values are of queues and the queue manager alone: those of other objects may name users.

    Args:
        queue: is shown elsewhere, so the text only names other objects.
    """
    texts = [_record_text(record, queue) for record in change.records]
    return ", ".join(first_of(texts or list(change.final), 1))


def _record_text(record: Mapping[str, Any], queue: str) -> str:
    kind, attribute = record["object_type"], record["attribute"]
    name = object_text(kind, record["object"] or "")
    if not attribute:
        return f"{record['change']} {name}"
    if kind not in (*QUEUE_KINDS, "QMGR"):
        return f"{record['change']} {attribute} of {name}"
    text = f"{attribute} {value_text(record['from'])} -> {value_text(record['to'])}"
    return text if record["object"] == queue else f"{name} {text}"


class ChangeEntry:
    """A change that is being made.

    Attributes:
        op: its id.
        done: how many of what was planned.
        interrupted: a signal ended it.
        in_doubt: what became of a commit is not known.
        error: what went wrong first.
    """

    def __init__(
        self, op: str, number: int, change: StoredChange, ledger: Ledger, lock: FileLock
    ) -> None:
        self.op = op
        self.change = change
        self.done = 0
        self.interrupted = False
        self.in_doubt = False
        self.error: MQTriageError | None = None
        self._number = number
        self._ledger = ledger
        self._lock = lock

    def advance(self) -> None:
        """Have on disk that one more command is done."""
        self.done += 1
        with self._ledger.change("command") as database:
            database.execute(
                "UPDATE operation SET done = ? WHERE number = ?", (self.done, self._number)
            )

    @property
    def how(self) -> str:
        """How it ended; "" where nobody knows, as after the end of a process at its commit."""
        if self.in_doubt:
            return ""
        if self.interrupted:
            return INTERRUPTED
        if self.error is not None:
            return PARTLY_DONE if self.done else FAILED
        return DONE

    def end(self, after: Live | None) -> None:
        """Note how it ended; that it cannot be written undoes nothing."""
        values = (now_text(), self.how, self.done, *error_columns(self.error), self._number)
        with suppress(StorageError), self._ledger.change("end") as database:
            database.execute(_END, (_text(_left_as(self.change, after)), *values))

    def close(self) -> None:
        """Close the ledger, and let others have the operation."""
        self._ledger.close()
        self._lock.release()


_END: Final = """
UPDATE operation SET plan = ?, ended = ?, how = ?, done = ?, reason = ?, error = ?
WHERE number = ?
"""


def _left_as(change: StoredChange, after: Live | None) -> StoredChange:
    """The change with how it was left, and without what is as it was."""
    if change.before is None or after is None:
        return replace(change, after=after)
    before, after = differing(change.before, after)
    return replace(change, before=before, after=after)


def settle(journal: Journal, op: str, change: StoredChange, after: Live) -> None:
    """Note of a change that was cut that all its commands are done now."""
    row = journal.row("SELECT number FROM operation WHERE op = ?", op)
    if row is None:
        return
    with Ledger(journal.path) as ledger, ledger.change("end") as database:
        values = (now_text(), DONE, change.count, *error_columns(None), row[0])
        database.execute(_END, (_text(_left_as(change, after)), *values))


def begin_change(journal: Journal, change: StoredChange) -> ChangeEntry:
    """Put a change on disk as a new operation."""

    def insert(ledger: Ledger, op: str) -> int:
        row = (
            op, change.action, change.queue_manager, *journal.caller, change.undoes,
            _text(change), 0, 1, now_text(), change.count,
        )  # fmt: skip
        with ledger.change("plan") as database:
            return (
                database.execute(
                    "INSERT INTO operation (op, action, queue_manager, context, user, command,"
                    " connection, undoes, plan, messages, runs, begun, changes)"
                    f" VALUES (?{', ?' * (len(row) - 1)})",
                    row,
                ).lastrowid
                or 0
            )

    op, number, ledger, lock = journal.enter(insert)
    return ChangeEntry(op, number, change, ledger, lock)


@contextmanager
def entered(
    journal: Journal, change: StoredChange, read: Callable[[], Live | None]
) -> Iterator[ChangeEntry]:
    """Make a change under an entry of the journal; however it ends, that is noted.

    Args:
        read: what the change names, as it is now; None where that cannot be known.
    """
    entry = begin_change(journal, change)
    try:
        yield entry
    except MQTriageError as error:
        error.op, entry.error = entry.op, error
        raise
    except KeyboardInterrupt:
        entry.interrupted = True
        raise
    except BrokenPipeError:  # who reads the answers went away; what was done is done
        raise
    except BaseException as error:
        entry.error = MQTriageError(f"internal error: {type(error).__name__}")
        raise
    finally:
        after: Live | None = None
        with suppress(MQTriageError):
            after = read()
        entry.end(after)
        entry.close()


def read_change(journal: Journal, op: str) -> StoredChange | None:
    """What is kept of a change; None for an operation on messages."""
    row = journal.row("SELECT changes, plan FROM operation WHERE op = ?", op)
    return None if row is None or row[0] is None else change_from(f"operation {op}", row[1])


def losing_changes(journal: Journal, chosen: ChosenOperations) -> list[str]:
    """Of the chosen operations the changes that removed messages without an archive."""
    where, values = chosen._replace(messages=False, limit=None).condition()
    rows = journal.rows(f"SELECT op, how, plan FROM operation {where} {_MAY_LOSE} LIMIT ?", *values)
    return [op for op, how, text in rows if _lost_some(op, how, text)]


_MAY_LOSE: Final = (
    "AND changes IS NOT NULL AND (plan LIKE '%clear%' OR plan LIKE '%purge%') ORDER BY op"
)


def _lost_some(op: str, how: str, text: str) -> bool:
    try:
        return bool(change_from(op, text).losses(how))
    except StorageError:  # journal show says that it is damaged
        return False


def loss_texts(losses: Mapping[str, int | None]) -> list[str]:
    """What is said of each queue that was emptied."""
    return [
        f"messages of {queue} may have been removed without an archive"
        if lost is None
        else f"{count_text(lost)} of {queue} removed without an archive"
        for queue, lost in losses.items()
    ]


def change_from(what: str, text: str) -> StoredChange:
    """What was written of a change."""
    try:
        record = json.loads(text)
        name = record["qmgr"]
        before, after = (
            None if record[key] is None else live_from(name, record[key])
            for key in ("before", "after")
        )
        touched = tuple(Touched(*item) for item in record["touched"])
        return StoredChange(
            name, record["action"], record["name"], record["count"], tuple(record["mqsc"]),
            touched, before, after, tuple(record["final"]), record["undoes"],
            tuple(record.get("backs", ())), record.get("made", ""),
            record.get("target", ""),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise StorageError(f"{what}: its journal data is damaged", hint=COPY_HINT) from error


def _text(change: StoredChange) -> str:
    record = {
        "schema": SCHEMA,
        "qmgr": change.queue_manager,
        "action": change.action,
        "name": change.name,
        "count": change.count,
        "mqsc": change.mqsc,
        "touched": change.touched,
        "before": None if change.before is None else live_record(change.before),
        "after": None if change.after is None else live_record(change.after),
        "final": change.final,
        "undoes": change.undoes,
        "backs": change.backs,
        "made": change.origin_text,
        "target": change.target,
    }
    return json.dumps(record, separators=(",", ":"))
