"""`journal verify`: proof that what was got was put or archived, by MsgId and digest of the data.

    gets = puts + archived

holds of an operation when each message that its units took was put somewhere in the same unit, or
stands in the archive with its MsgId and with data that has the planned digest; and none twice.
Of what only puts (a load, a copy), each put must have the MsgId and the data that were planned,
once (but where the queue manager makes the MsgId, or a header is taken off), and the ledger must
tell of every planned message. Ledger and archive are held against each other. The ledger has two
kinds of digests of the archive: of what was written before each commit, and of the file as the
operation left it. So a change is seen even where the digest in the last line was made to fit.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from mqtriage.messages.stored_messages import ArchiveEnd, Numbered, Stored, read_line
from mqtriage.messages.stored_messages import Settled as ArchiveSettled
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import (
    Document,
    Listing,
    Record,
    Show,
    column,
    columns_of,
    keys_of,
)
from mqtriage.model.units import count_text, first_of
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import MQTriageError, StorageError
from mqtriage.operations.archive.files import lines_of
from mqtriage.operations.ledger.changes import losing_changes, loss_texts, read_change
from mqtriage.operations.ledger.entries import entry_record, telling_apart
from mqtriage.operations.ledger.journal import ChosenOperations, Journal
from mqtriage.operations.ledger.state import MessageState, OperationState, part_of, read_state
from mqtriage.operations.ledger.units import COMMITTED, DONE, Put, TakenMessage
from mqtriage.records import dataclass

PROVEN: Final = "proven"
NOT_PROVEN: Final = "not proven"
NOTHING_DONE: Final = "nothing done"
"""Its plan was cut before its end was in the ledger: there is nothing to prove."""
NOT_PROVABLE: Final = "not provable"
"""A sweep: the messages that expired leave no record."""
NOT_APPLICABLE: Final = "no messages"
"""It took no messages, nor put planned ones: a change of definitions or a put.

A change that emptied a queue, as CLEAR does, is not proven: no archive has its messages.
"""
_TOLD: Final = 5
_ABOUT: Final = (
    "op", "action", "queue", "queue_manager", "user", "began", "ended", "command", "ticket",
    "state",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationVerdict:
    """What can be said of one operation.

    `gets` are messages taken, `puts` those that were put somewhere, and `archived` those that were
    not and are in the archive. `put_and_archived` are those that were put, of which the archive
    has the original too: it is looked at as well.
    `archives` has the SHA-256 of each file as it was read for this verdict.
    """

    op: str = column("OP", Show.ID, 26)
    action: str | None = column("ACTION", Show.TEXT, 8, default=None)
    queue: str | None = column("QUEUE", Show.NAME, 20, yields=3, default=None)
    queue_manager: str | None = column("QMGR", Show.NAME, 8, wide=True, default=None)
    gets: int | None = column("GETS", Show.NUMBER, 8, default=None)
    puts: int | None = column("PUTS", Show.NUMBER, 8, default=None)
    archived: int | None = column("ARCHIVED", Show.NUMBER, 8, default=None)
    put_and_archived: int | None = column("PUT_AND_ARCHIVED", Show.NUMBER, yields=2, default=None)
    verdict: str = column("VERDICT", Show.TEXT, 12)
    problems: list[str] = column("PROBLEMS", Show.TEXT, 40, yields=1)
    user: str | None = column("USER", Show.NAME, wide=True, default=None)
    began: str | None = column("BEGAN", Show.TIME, wide=True, default=None)
    ended: str | None = column("ENDED", Show.TIME, wide=True, default=None)
    state: str | None = column("STATE", Show.TEXT, 11, yields=4, default=None)
    command: str | None = column("COMMAND", Show.TEXT, wide=True, default=None)
    ticket: str | None = column("TICKET", Show.TEXT, wide=True, default=None)
    archives: Sequence[Mapping[str, Any]] = column("ARCHIVES", wide=True, default=())


def verify(journal: Journal, ops: Iterable[str], *, several: bool = False) -> Listing:
    """One record an operation; `summary` counts those that are not proven.

    Args:
        several: they may be of several queue managers, which a narrow table then tells apart.
    """
    fields = columns_of(OperationVerdict)
    if several:
        fields = telling_apart(journal, fields)
    listing = Listing("JournalVerdictList", fields, (), {"not_proven": 0}, id_key="op")

    def verdicts() -> Iterator[OperationVerdict]:
        with journal.kept_open():
            for op in ops:
                judged = _with_entry(journal, verdict(journal, op))
                listing.summary["not_proven"] += judged.verdict == NOT_PROVEN
                yield judged

    listing.items = map(keys_of, verdicts())
    return listing


def _with_entry(journal: Journal, judged: OperationVerdict) -> OperationVerdict:
    """*judged* with who did it, when, and by which command."""
    entry = entry_record(journal, judged.op)
    return replace(
        judged,
        action=judged.action or entry.action,
        queue=entry.queue or judged.queue,
        queue_manager=entry.queue_manager,
        user=entry.user,
        began=entry.began,
        ended=journal.progress(judged.op).ended or None,
        state=entry.state,
        command=entry.command,
        ticket=entry.ticket,
    )


def last_sweep(journal: Journal, chosen: ChosenOperations) -> str:
    """The newest sweep among the chosen operations, "" for none."""
    where, values = chosen._replace(messages=False).condition()
    row = journal.row(
        f"SELECT max(op) FROM operation {where} AND action = 'sweep'", *values[:-1]
    )  # less that of LIMIT
    return str(row[0] or "") if row else ""


def evidence(record: Record, verified: str, done: int | None = None) -> Document:
    """What an auditor asks about one operation, as people read it.

    Args:
        record: of `verify`.
        verified: when, as RFC 3339.
        done: how many messages or changes the journal has as done.
    """
    data = {key: record[key] for key in _ABOUT}
    counts = None
    if record["gets"] is not None:
        moved = f"{count_text(record['gets'], 'get')}, {count_text(record['puts'], 'put')}"
        counts = f"{moved}, {record['archived']} archived"
        if record["put_and_archived"]:
            counts += f"; {record['put_and_archived']} of those put are archived too"
    elif record["action"] == "sweep" and done is not None:
        counts = f"CURDEPTH lower by {done}"
    judged = record["verdict"]
    if judged == NOT_PROVABLE:
        judged += ": expired messages leave no record"
    data |= {"counts": counts, "verdict": judged, "verified": verified}
    data |= {"problems": record["problems"]}
    return Document("JournalEvidence", data | {"archives": record["archives"]}, is_brief=True)


def verdict(journal: Journal, op: str) -> OperationVerdict:
    """Look at one operation, its units and its archives."""
    row = journal.row("SELECT action, how FROM operation WHERE op = ? AND changes IS NOT NULL", op)
    if row is not None:
        action, how = row
        return _verdict_of_change(journal, op, action, how)
    if not journal.is_planned(op):
        return OperationVerdict(
            op=op, gets=0, puts=0, archived=0, put_and_archived=0, verdict=NOTHING_DONE, problems=[]
        )
    try:
        check = _Check(read_state(journal, op))
        check.log(journal)
        check.archives()
    except MQTriageError as error:
        return OperationVerdict(op=op, verdict=NOT_PROVEN, problems=[error.text])
    problems = check.problems()
    return OperationVerdict(
        op=op,
        action=check.known.plan.request.action,
        queue=check.known.plan.request.queue,
        gets=check.gets,
        puts=check.puts,
        archived=check.archived,
        put_and_archived=check.put_and_archived,
        verdict=NOT_PROVEN if problems else PROVEN,
        problems=first_of(problems, _TOLD),
        archives=check.read,
    )


def _verdict_of_change(journal: Journal, op: str, action: str, how: str) -> OperationVerdict:
    """A change has nothing to prove, unless it emptied a queue."""
    try:
        change = read_change(journal, op)
        problems = loss_texts(change.losses(how)) if change else []
    except StorageError as error:
        problems = [error.text]
    judged = NOT_PROVABLE if action == "sweep" else NOT_APPLICABLE
    judged = NOT_PROVEN if problems else judged
    return OperationVerdict(op=op, action=action, verdict=judged, problems=problems)


def to_prove(journal: Journal, chosen: ChosenOperations) -> list[str]:
    """The chosen operations on messages, and changes that emptied queues, oldest first."""
    every = journal.ops(chosen._replace(messages=True, limit=None))
    every = sorted([*every, *losing_changes(journal, chosen)])  # an id begins with its time
    return every if chosen.limit is None else every[-chosen.limit :]


class _Check:
    """The sums of one operation."""

    def __init__(self, known: OperationState) -> None:
        self.known = known
        size = len(known.fates)
        self.gets = self.puts = self.archived = self.put_and_archived = 0
        self._unarchived = 0
        self._problems: list[str] = []
        self._done = bytearray(size)
        self._put = bytearray(size)
        self.read: list[dict[str, Any]] = []
        self._proof: dict[Path, array[int]] = {}
        self._written: dict[Path, dict[int, bytes]] = {}
        self._seals: dict[Path, str | None] = {}

    def log(self, journal: Journal) -> None:
        """Take each committed unit into account."""
        self._seals = journal.seals(self.known.op)
        for unit in journal.units(self.known.op, COMMITTED):
            if len(unit.messages) != unit.size:
                text = f"the ledger has {len(unit.messages)} of the {unit.size} messages"
                self._problem(f"{text} of unit {unit.unit}")
            places = self._proof.setdefault(unit.archive, array("Q")) if unit.archive else None
            if unit.archive and unit.written.length:
                written = self._written.setdefault(unit.archive, {})
                written[unit.written.length] = unit.written.digest
            for taken in unit.messages:
                self._take(taken, places)
        silent = self.known.count(MessageState.PENDING)
        if silent and self.known.how == DONE:  # an act that came to its end told of each message
            self._problem(f"the ledger does not mention {silent} planned messages")

    def _take(self, taken: TakenMessage, places: array[int] | None) -> None:
        number, plan = taken.number, self.known.plan
        if not 0 < number < len(self._done):
            self._problem(f"message {number} is not in the plan")
            return
        if self._done[number]:
            self._problem(f"message {number} was taken twice")
        self._done[number] = 1
        takes = plan.request.takes and bool(part_of(plan, number).queue)
        self.gets += takes
        if taken.put is not None:
            self.puts += 1
            self._put[number] = 1
            if not plan.request.takes and not plan.undoes:
                self._compare_put(number, taken.put)
        if taken.archived and places is not None:
            places.extend((0,) * (taken.archived + 1 - len(places)))
            places[taken.archived] = number
        elif takes and taken.put is None and plan.request.archive is None:
            self._unarchived += 1
        elif takes and taken.put is None:
            self._problem(f"message {number} was neither put nor archived")

    def _compare_put(self, number: int, put: Put) -> None:
        """Hold what was put for a message that stayed where it was against the plan."""
        planned, copy = self.known.plan.messages[number - 1], self.known.plan.request.copy
        new_id = copy.new_msg_id or not any(planned.msg_id)  # then the queue manager made it
        if copy.strip != "report" and not new_id and put.msg_id != planned.msg_id:
            self._problem(f"the message put for message {number} has a different MsgId")
        if copy.keeps_data and put.digest != planned.digest:
            self._problem(f"the message put for message {number} has a different digest")

    def archives(self) -> None:
        """Compare what the archives hold with the plan, message by message."""
        for path, numbers in self._proof.items():
            if numbers:  # else it was removed again, and its name may be another act's by now
                self._archive(path, numbers)

    def _archive(self, path: Path, numbers: array[int]) -> None:
        """Compare an archive with the plan; *numbers* are those in the plan, by place there."""
        seen = bytearray(len(numbers))
        digest, length, before = sha256(), 0, len(self._problems)
        written = self._written.get(path, {})
        stored: Stored | None = None
        try:
            for line in lines_of(path):
                stored = read_line(0, line.data)
                if not line.data.endswith(b"\n"):
                    break  # it is being written, or a crash cut it off: no unit has it yet
                if isinstance(stored, Damaged):
                    self._problem(f"{path.name}: {stored.text}")
                elif isinstance(stored, Numbered):
                    at = stored.number
                    if at < len(numbers) and numbers[at] and not seen[at]:
                        seen[at] = 1
                        self._compare(path, numbers[at], stored)
                elif isinstance(stored, ArchiveSettled) and stored.committed:
                    # while it is at work the archive is ahead of what we read
                    if self.known.how and not all(
                        at < len(numbers) and numbers[at] for at in stored.numbers
                    ):
                        self._problem(f"{path.name} has messages as taken that the ledger has not")
                elif isinstance(stored, ArchiveEnd) and not stored.fits(digest.hexdigest()):
                    self._problem(f"{path.name}: its digest differs: it was changed")
                digest.update(line.data)
                length += len(line.data)
                if length in written and written[length] == digest.digest():
                    del written[length]
        except StorageError as error:
            self._problem(error.text)
        else:
            if self.known.how and not isinstance(stored, ArchiveEnd):
                why = "it was changed"
                if self.known.how != DONE:  # such as one that the disk had no room for
                    why = f"mqtriage journal resume {self.known.op} writes it"
                self._problem(f"{path.name} does not end with its closing line: {why}")
            counts = {"message_count": seen.count(1), "sha256": digest.hexdigest()}
            self.read.append({"file": str(path)} | counts)
        for at, number in enumerate(numbers):
            if number and not seen[at]:
                self._problem(f"message {number} is not in {path.name}")
        seal = self._seals.get(path) if self.known.how else None
        differs = written or (seal is not None and seal != digest.hexdigest())
        if differs and len(self._problems) == before:  # else they say what differs
            self._problem(f"{path.name} was changed: the journal has another digest of it")

    def _compare(self, path: Path, number: int, archived: Numbered) -> None:
        planned = self.known.plan.messages[number - 1]
        if archived.entry.md.msg_id != planned.msg_id:
            self._problem(f"{path.name}: message {number} has another MsgId")
        elif not _described_alike(archived, planned):
            self._problem(f"{path.name}: the descriptor of message {number} differs from the plan")
        elif archived.sha256 != planned.digest.hex():  # that of the data, which was read against it
            self._problem(f"{path.name}: the data of message {number} has another digest")
        elif self._put[number]:
            self.put_and_archived += 1
        else:
            self.archived += 1

    def _problem(self, text: str) -> None:
        self._problems.append(text)

    def problems(self) -> list[str]:
        """What stands in the way of the proof, the most telling first."""
        problems = list(self._problems)
        doubt, unknown = (
            self.known.count(MessageState.IN_DOUBT),
            self.known.count(MessageState.UNKNOWN),
        )
        if doubt:
            problems.insert(0, f"{doubt} in doubt: mqtriage journal resume {self.known.op}")
        if self._unarchived:
            gone = count_text(self._unarchived)
            problems.append(f"{gone} removed with --no-backup, so no archive can prove it")
        if unknown:
            problems.insert(0, f"{unknown} gone, outcome unknown")
        takes = self.known.plan.request.takes and not self.known.plan.undoes
        if takes and not problems and self.gets != self.puts + self.archived:
            problems.append(f"{self.gets} gets, {self.puts} puts and {self.archived} archived")
        return problems


def _described_alike(archived: Numbered, planned: PlannedMessage) -> bool:
    """Whether what the plan has of the descriptor, and no act changes, is in the archive too."""
    md = archived.entry.md
    there = (md.correl_id, md.put_date, md.put_time, md.report, md.persistence)
    return there == (
        planned.correl_id, planned.put_date, planned.put_time, planned.report, planned.persistence
    )  # fmt: skip
