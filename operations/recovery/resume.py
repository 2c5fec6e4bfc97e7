"""`journal resume`: go on after a crash, a lost connection or Ctrl-C.

The source queue is the truth. What is still there is done as planned; nothing is ever put from the
archive. A message that is no longer there is "committed by us" where the journal or the target
shows it, else "gone, outcome unknown".
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import IO

from mqtriage.backends.port import Backend, Match, QueueHandle
from mqtriage.definitions.saved_plan import SavedPlan
from mqtriage.model.plan import Plan, PlannedMessage
from mqtriage.model.result import Items, Outcome, Report
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import agreeing
from mqtriage.mq.errors import ConnectionFailed, MQTriageError, Refused, UsageError
from mqtriage.operations.copies.request import ActRequest, ByRulesText
from mqtriage.operations.engine.act_context import ActContext, Parts
from mqtriage.operations.engine.carry_out import add_course, carry_out, journalled, working
from mqtriage.operations.engine.destinations import Destination, Numbered
from mqtriage.operations.engine.outlets import Outlets, ask_source, ask_target, source_problem
from mqtriage.operations.engine.plan import (
    batch_notes,
    note_failing,
    pace_facts,
    park_refusals,
    unit_size,
)
from mqtriage.operations.engine.unit_of_work import item_of
from mqtriage.operations.ledger.archive_finish import finish_archives
from mqtriage.operations.ledger.changes import StoredChange
from mqtriage.operations.ledger.entries import PARTLY_UNDONE, SUPERSEDED, UNDONE, entry_record
from mqtriage.operations.ledger.journal import Journal, JournalEntry
from mqtriage.operations.ledger.plan_file import PlanPart, StoredPlan
from mqtriage.operations.ledger.state import (
    Evidence,
    MessageState,
    OperationState,
    part_of,
    read_state,
    request_of,
    state_of,
)
from mqtriage.operations.ledger.units import BACKED_OUT, COMMITTED, DONE, GONE, LedgerUnit
from mqtriage.operations.load import puts as load_puts
from mqtriage.operations.recovery import originals as journal_restore
from mqtriage.operations.recovery.give_back import only_taken_off, undo_destination
from mqtriage.operations.rules.carry_out import rules_destination
from mqtriage.operations.selection.duplicates import duplicate_key, duplicate_keys
from mqtriage.operations.selection.planned import is_same
from mqtriage.operations.selection.selected import open_to_browse
from mqtriage.operations.selection.spool import outcomes, planned_messages
from mqtriage.records import dataclass

ACTION = "resume"
BY_US = "committed: found on the target"
OUTCOME_UNKNOWN = "gone, outcome unknown"
TAKEN_BY_OTHERS = (
    "gone: no unit of this operation removed it; another operation or program got it, or it expired"
)
_TAKEN_SINCE = f"""
SELECT operation.op, operation.action, count(DISTINCT theirs.number)
FROM operation
JOIN taken ON taken.operation = operation.number
JOIN unit ON unit.operation = taken.operation AND unit.unit = taken.unit
JOIN planned AS theirs ON theirs.operation = taken.operation AND theirs.number = taken.number
WHERE operation.number > (SELECT number FROM operation WHERE op = ?1)
    AND unit.ended = '{COMMITTED}' AND theirs.msg_id IN (
        SELECT msg_id FROM planned AS mine
        WHERE operation = (SELECT number FROM operation WHERE op = ?1) AND NOT EXISTS (
            SELECT 1 FROM taken JOIN unit USING (operation, unit)
            WHERE operation = mine.operation AND number = mine.number AND ended = '{COMMITTED}'))
GROUP BY operation.op ORDER BY operation.op
"""
"""Later operations of the journal that removed messages which this one left."""
HELD = "outcome not yet known: an open unit of work may contain it; resume again later"


@dataclass(slots=True)
class Resumption:
    """What a resume is going to do.

    Attributes:
        plan: for the guards and for people; its messages are those not known to be done.
        known: the operation as its journal has it.
    """

    plan: Plan
    known: OperationState

    def archive_in(self, folder: Path) -> None:
        """Archive what is left in this folder; that of the operation may have become unusable."""
        request = replace(self.known.plan.request, archive=folder)
        self.known.plan = replace(self.known.plan, request=request)


def taken_since(journal: Journal, op: str) -> list[str]:
    """Which later operations removed messages that this one left, and how many."""
    return [
        f"operation {other} ({action}) has removed {count} of these messages since then"
        for other, action, count in journal.rows(_TAKEN_SINCE, op)
    ]


def plan_resume(
    backend: Backend, journal: Journal, op: str | None, rate_per_s: float | None = None
) -> Resumption:
    """Look what is left of an operation; nothing is changed.

    Args:
        rate_per_s: messages a second from now on, None for as it was.

    Raises:
        Refused: It was undone, and something of it is left to do.
        StorageError: Its plan was not finished: nothing was done.
        UsageError: It is about another queue manager.
        MQIError: Its queues cannot be opened now.
    """
    known = read_state(journal, journal.find(op, messages=True))
    refuse_elsewhere(backend, known.plan, f"operation {known.op}")
    if any(set_of_open(known)):
        refuse_undone(journal, known.op)
    if rate_per_s is not None:
        request = replace(known.plan.request, rate_per_s=rate_per_s)
        known.plan = replace(known.plan, request=request)
    request = known.plan.request
    messages = planned_messages(known.plan.messages[number - 1] for number in _open_numbers(known))
    target = known.plan.parts[0].target if len(known.plan.parts) == 1 else request.target
    plan = Plan(ACTION, request.queue or target or "", target, messages, len(messages))
    if known.plan.undoes:
        plan.taken_off = only_taken_off(known.plan.parts)
    parts = [request_of(known.plan, part) for part in known.plan.parts]
    plan.facts = {
        "operation": known.op,
        "act": request.action,
        "planned": len(known.plan.messages),
        "committed": known.count(MessageState.COMMITTED),
        "in_doubt": known.count(MessageState.IN_DOUBT),
        **pace_facts(request, unit_size(backend, parts), len(messages)),
    }
    plan.notes += batch_notes(backend, parts, len(messages))
    if in_doubt := known.count(MessageState.IN_DOUBT):
        plan.notes.append(
            f"{in_doubt} {agreeing(in_doubt, 'were')} in the interrupted unit of work: the"
            " queues are checked for its outcome"
        )
    else:
        if messages and len(known.plan.parts) == 1:  # what it would meet at its start
            _ask(backend, request_of(known.plan, known.plan.parts[0]))
        note_failing(plan, _failing(backend, known))
        for queue, count in _gone(backend, known, messages).items():
            plan.notes.append(f"{count} of them will be skipped: no longer on {queue}")
            plan.staying += count
    if messages:
        plan.refusals += park_refusals(backend, request, messages)
        plan.notes += taken_since(journal, known.op)
    return Resumption(plan, known)


def _ask(backend: Backend, request: ActRequest) -> None:
    """Ask whether the queues can be opened, as the operation opens them.

    Raises:
        MQIError: They cannot.
    """
    if request.takes:
        ask_source(backend, request.queue)
    if request.target is not None:
        may_pass = request.passes_context
        ask_target(backend, request.target, request.copy.context, may_pass=may_pass)


def _failing(backend: Backend, known: OperationState) -> Counter[str]:
    """What the rest would meet as things are now, and how many; "" for those that would not.

    Messages that each have a target of their own, or one by rules, are not looked at.
    """
    failing: Counter[str] = Counter()
    asked: dict[PlanPart, tuple[str, Outlets]] = {}
    for number in _open_numbers(known):
        part = part_of(known.plan, number)
        copy = known.plan.request.copy
        if part not in asked:
            request = request_of(known.plan, part)
            may_pass = request.passes_context
            outlets = Outlets(backend, part.queue, copy.context, may_pass=may_pass)
            asked[part] = (source_problem(backend, part.queue) if request.takes else "", outlets)
        problem, outlets = asked[part]
        if part.target is not None and not problem:
            length = known.plan.messages[number - 1].length_bytes + copy.added_bytes
            problem = outlets.problem(part.target, 0 if copy.strip else length)
        failing[problem] += 1
    return failing


def _gone(backend: Backend, known: OperationState, rest: Sequence[PlannedMessage]) -> Counter[str]:
    """How many of the rest are no longer on their queue, by queue: the run skips them."""
    gone: Counter[str] = Counter()
    if not known.plan.request.takes:
        return gone
    duplicates = duplicate_keys(rest)
    handles: dict[str, QueueHandle | None] = {}
    seen: Counter[bytes] = Counter()
    with ExitStack() as opened:
        for number, planned in zip(_open_numbers(known), rest, strict=True):
            queue = part_of(known.plan, number).queue
            if queue not in handles:
                shut = source_problem(backend, queue)  # noted already
                handle = None if shut else open_to_browse(backend, queue)
                handles[queue] = handle and opened.enter_context(closing(handle))
            if (handle := handles[queue]) is None:
                continue
            key = duplicate_key(planned)
            if key in duplicates:
                seen[key] += 1
            match = Match(msg_id=planned.msg_id, correl_id=planned.correl_id)
            there = sum(is_same(planned, message) for message in handle.browse(match))
            gone[queue] += there < (seen[key] or 1)
    return +gone


def refuse_undone(journal: Journal, op: str) -> None:
    """Refuse to do the rest of an operation of which something was put back, or may be."""
    entry = entry_record(journal, op)
    if entry.state == SUPERSEDED:
        raise Refused(
            f"operation {op} is superseded: a later undo of {entry.undoes} completed it",
            hint=f"mqtriage journal show {entry.undoes}",
            object_name=op,
        )
    if entry.state in (UNDONE, PARTLY_UNDONE):
        whole = entry.state == UNDONE
        raise Refused(
            f"operation {op} is {entry.state}; a resume would finish it:"
            f" {entry.left} of {entry.planned} planned",
            hint=(
                f"mqtriage journal show {op} shows its command, so that you can run it again"
                if whole
                else f"mqtriage journal undo {op} undoes the others as far as possible"
            ),
            object_name=op,
        )


def refuse_file(what: Resumption, given: str | None) -> None:
    """Refuse a file for an act that reads none."""
    if given is not None and what.known.plan.file is None:
        raise UsageError(f"--file {given}: operation {what.known.op} is not a load")


def file_of(what: Resumption, given: str | None) -> str:
    """The file that a load goes on from.

    Raises:
        Refused: It cannot be read again, and none was given.
    """
    name = given or what.known.plan.file
    if not name:
        raise Refused(
            f"operation {what.known.op}: the file with its messages no longer exists",
            hint=f"mqtriage journal resume {what.known.op} --file FILE",
            object_name=what.known.op,
        )
    return name


def refuse_elsewhere(
    backend: Backend, plan: StoredPlan | StoredChange | SavedPlan, what: str
) -> None:
    """Refuse a plan or a change of another queue manager."""
    if plan.queue_manager != backend.queue_manager:
        raise UsageError(
            f"{what} is about queue manager {plan.queue_manager}, not {backend.queue_manager}",
            hint=f"-m {shell_word(plan.queue_manager)}",
        )


def _open_numbers(known: OperationState) -> Iterator[int]:
    """What is to be looked at; an operation that ended by itself has nothing left."""
    if known.how == DONE:
        return known.numbers(MessageState.IN_DOUBT)
    return known.numbers(MessageState.PENDING, MessageState.IN_DOUBT, MessageState.LEFT)


def resume(
    backend: Backend,
    journal: Journal,
    what: Resumption,
    context: ActContext,
    read: Callable[[], AbstractContextManager[IO[bytes]]] | None = None,
) -> Report:
    """Settle what is in doubt, then do the rest of the plan.

    Args:
        read: of a load, opens what its messages are read from; asked only if some are left.

    Raises:
        Refused: Another process is carrying the operation out.
    """
    op, undoes = what.known.op, what.known.plan.undoes
    with (
        journal.held(undoes) if undoes else nullcontext(),  # as the undo itself does
        closing(journal.reopen(op, what.known.plan, what.known.units)) as entry,
    ):
        known = read_state(journal, op)  # again: the lock is ours only now
        known.plan = replace(known.plan, request=what.known.plan.request)
        if any(set_of_open(known)):
            refuse_undone(journal, op)
        entry.unit = known.units
        with working(entry, context):
            report = Report(
                "ResumeReport",
                ACTION,
                what.plan.queue,
                what.plan.target,
                planned=what.plan.count,
                items=outcomes(),
                op=op,
                taken_off=what.plan.taken_off,
            )
            report.details = {
                "act": known.plan.request.action,
                "already_committed": what.known.count(MessageState.COMMITTED),
                "archives": [],
                "removed_bytes": 0,
                "backout_counts_raised": {},
            }
            numbers = set_of_open(known)
            settle(backend, known, entry, report)
            report.warnings += finish_archives(journal, entry)
            if known.plan.file is None:
                carry_out_parts(backend, known, entry, numbers, report, context)
            elif load_puts.is_left(known, numbers) and read is not None:
                with read() as file:
                    load_puts.go_on(backend, known, file, numbers, entry, report, context)
    return report


def finish(journal: Journal, what: Resumption) -> bool:
    """Note the end of an operation of which nothing is left to do, where a crash kept it from it.

    Returns:
        Whether that was missing.

    Raises:
        Refused: Another process is carrying the operation out.
    """
    op = what.known.op
    if what.plan.count or what.known.how == DONE:
        return False
    with closing(journal.reopen(op, what.known.plan, what.known.units)) as entry:
        known = read_state(journal, op)
        if known.how == DONE or any(set_of_open(known)):
            return False
        finish_archives(journal, entry)
        entry.run()
        entry.end()
    return True


def set_of_open(known: OperationState) -> bytearray:
    """A byte a message: 1 where it is still to be done, once nothing is in doubt any more."""
    numbers = bytearray(len(known.fates))
    for number in _open_numbers(known):
        numbers[number] = 1
    return numbers


def settle(backend: Backend, known: OperationState, entry: JournalEntry, report: Report) -> None:
    """Find out about the units in doubt, and write it down."""
    with closing(Evidence(backend, known)) as evidence:
        for unit in list(known.doubtful.values()):
            ended = evidence.settle(unit)
            if ended is None:
                _tell(known, unit, report.items, Outcome.SKIPPED, HELD)
                continue
            entry.settled(unit.unit, ended)
            if ended == COMMITTED:
                _mark(known, unit, MessageState.COMMITTED)
                _tell(known, unit, report.items, Outcome.DONE, BY_US)
            elif ended == BACKED_OUT:
                _mark(known, unit, MessageState.PENDING)
            else:
                _mark(known, unit, MessageState.UNKNOWN)
                _tell(known, unit, report.items, Outcome.SKIPPED, OUTCOME_UNKNOWN)


def _mark(known: OperationState, unit: LedgerUnit, fate: MessageState) -> None:
    for taken in unit.messages:
        known.fates[taken.number] = fate


def _tell(
    known: OperationState, unit: LedgerUnit, items: Items, outcome: Outcome, why: str
) -> None:
    for taken in unit.messages:
        items.append(item_of(known.plan.messages[taken.number - 1], outcome, why))


def carry_out_stored(
    backend: Backend, stored: StoredPlan, report: Report, context: ActContext
) -> Report:
    """Carry out a whole stored plan as an operation of its own, and add it to *report*."""
    report.details |= {"archives": [], "removed_bytes": 0, "backout_counts_raised": {}}
    with journalled(context, stored) as entry:
        report.op = entry.op
        size = len(stored.messages)
        known = state_of(context.journal, entry.op, stored, size)
        carry_out_parts(backend, known, entry, bytearray(b"\x01" * (size + 1)), report, context)
    return report


def carry_out_parts(
    backend: Backend,
    known: OperationState,
    entry: JournalEntry,
    open_numbers: bytearray,
    report: Report,
    context: ActContext,
) -> None:
    """Do what is wanted of each part of a stored plan, and add it to *report*.

    A part that fails does not hold up the next one; a lost connection ends it all.
    """
    first: MQTriageError | None = None
    start = 1
    contexts = Parts(context, report, known.plan.request.rate_per_s)
    for part in known.plan.parts:
        numbers = array("Q")
        numbers.extend(
            number
            for number in range(start, start + part.messages)
            if open_numbers[number]
            and known.fates[number] in (MessageState.PENDING, MessageState.LEFT)
        )
        start += part.messages
        if not numbers:
            continue
        request = request_of(known.plan, part)
        numbered: Iterator[Numbered] = (
            (number, known.plan.messages[number - 1]) for number in numbers
        )
        try:
            to = destination_of_part(known, request, context)
            done = carry_out(backend, request, entry, numbered, len(numbers), contexts.next(), to)
        except MQTriageError as error:
            first = first or error
            entry.ended = "stopped"
            messages = (known.plan.messages[number - 1] for number in numbers)
            report.items.extend(
                item_of(planned, Outcome.FAILED, error.text) for planned in messages
            )
            if isinstance(error, ConnectionFailed):
                break
            continue
        _add(report, done)
        if done.interrupted:
            break
    report.changed = report.count(Outcome.DONE) + report.count(Outcome.PARKED) > 0
    if first is not None and not report.changed:
        raise first
    if first is not None:
        report.warnings.append(first.text)


def _add(report: Report, done: Report) -> None:
    for item in done.items:
        gone = item.outcome is Outcome.SKIPPED and item.reason == GONE
        report.items.append(item._replace(reason=TAKEN_BY_OTHERS) if gone else item)
    add_course(report, done)
    if done.details.get("archive"):
        report.details["archives"].append(done.details["archive"])


def destination_of_part(
    known: OperationState, request: ActRequest, context: ActContext
) -> Destination | None:
    """Where the messages of a part of a stored plan go; None where its request says so."""
    to = known.plan.request.to
    if isinstance(to, ByRulesText):
        return rules_destination(to.table, context)
    if not known.plan.undoes:
        return None
    originals = journal_restore.Originals(context.journal, known.plan.undoes)
    return undo_destination(known, originals, request)
