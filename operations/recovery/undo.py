"""`journal undo`: put back what was purged, and what was moved and is still there.

An undo is an operation of its own: planned, archived, journalled, resumable.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import field, replace
from hashlib import sha256
from pathlib import Path

from mqtriage.backends.name_resolution import leaves, put_path
from mqtriage.backends.port import Backend, Capability, QueueHandle
from mqtriage.files.failures import storage_errors
from mqtriage.model.ids import format_id
from mqtriage.model.plan import Plan, PlannedMessage, Refusal
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.model.units import agreeing, count_text, rate_text
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import MQIError, NotAuthorized, Refused, StorageError
from mqtriage.mq.reports import ReportKind
from mqtriage.operations.archive.files import held
from mqtriage.operations.archive.reading import was_changed
from mqtriage.operations.archive.writing import digest_of
from mqtriage.operations.copies.request import ActRequest, GiveBack, Restage
from mqtriage.operations.copies.staged_assumed import PUT_BACK_NOTE
from mqtriage.operations.engine.act_context import ActContext, act_report
from mqtriage.operations.engine.outlets import ask_source, ask_target
from mqtriage.operations.engine.plan import (
    batch_notes,
    delivery_refusals,
    pace_facts,
    reports_asked,
    target_refusals,
    unit_size,
)
from mqtriage.operations.ledger.changes import read_change
from mqtriage.operations.ledger.entries import (
    PARTLY_UNDONE,
    UNDONE,
    UNFINISHED,
    entry_record,
    ls,
)
from mqtriage.operations.ledger.journal import ChosenOperations, Journal, now_text
from mqtriage.operations.ledger.plan_file import PlanPart, StoredPlan
from mqtriage.operations.ledger.state import (
    MessageState,
    OperationState,
    copies,
    part_of,
    read_state,
)
from mqtriage.operations.ledger.units import COMMITTED, Put, WrittenPart
from mqtriage.operations.recovery import originals as journal_restore
from mqtriage.operations.recovery.changes import refuse_final
from mqtriage.operations.recovery.give_back import CHANGED, needs_archive, only_taken_off
from mqtriage.operations.recovery.resume import carry_out_stored, refuse_elsewhere
from mqtriage.operations.selection.spool import Spool, planned_messages
from mqtriage.records import NamedTuple, dataclass

ACTION = "undo"
COUNT_NOTE = "BackoutCount begins at 0, and the messages go to the end of their queue"
_LOOKED_AT = 20
"""How many recent operations are searched for one that can be undone."""
TAKEN_OFF_NOTE = "the messages that were put are removed again; the archive keeps them"


class _Route(NamedTuple):
    """From where to where messages go back; *queue* "" is the archive."""

    queue: str
    target: str | None


@dataclass(slots=True)
class Undoing:
    """What an undo is going to do.

    Attributes:
        plan: for the guards and for people.
        stored: the same as the journal keeps it.
        stay: what it cannot do, each with the reason.
        archives: those of the operation, which originals may come out of.
    """

    plan: Plan
    stored: StoredPlan
    stay: list[ItemOutcome] = field(default_factory=list)
    archives: list[Path] = field(default_factory=list)


def plan_undo(
    backend: Backend,
    journal: Journal,
    op: str | None,
    *,
    archive: Path | None,
    as_taken: bool = False,
    unknown: bool = False,
    allow_reports: bool = False,
    batch: int | None = None,
    rate_per_s: float | None = None,
) -> Undoing:
    """Look what can be taken back of an operation; nothing is changed.

    Args:
        archive: folder for what is taken off where it was put.
        as_taken: give back the lifetime that messages had when they were taken.
        unknown: of a purge, put back also what may have been taken by another program.
        allow_reports: go on although the get of a copy tells its sender "delivered".

    Raises:
        Refused: It is an undo itself, is not finished, or cannot be undone.
        UsageError: It is about another queue manager.
    """
    known = read_state(journal, journal.find(op, messages=True))
    refuse_elsewhere(backend, known.plan, f"operation {known.op}")
    _refuse_unfit(backend, journal, known)
    undone = journal_restore.undone(journal, known.op)
    done_before = list(undone.values())
    routes: dict[_Route, tuple[Spool[PlannedMessage], array[int]]] = {}
    stay: list[ItemOutcome] = []
    handles: dict[str, QueueHandle | None] = {}
    before = 0
    originals, now_us = journal_restore.Originals(journal, known.op), backend.now_us()
    lost: Counter[str] = Counter()
    for number, put in _taken(known, journal, unknown=unknown):
        if any(number < len(back) and back[number] for back in done_before):
            before += 1
            continue
        original = known.plan.messages[number - 1]
        route = _route(known, number, put)
        message: PlannedMessage | str = original
        if put is not None:
            message = _copy(backend, handles, put, original)
        from_archive = put is None or (
            not isinstance(message, str)
            and route.target is not None
            and needs_archive(message, original, known.plan.request.copy, as_taken=as_taken)
        )
        if from_archive and isinstance(
            why := originals.message(number, now_us, as_taken=as_taken), str
        ):  # the undo itself skips it
            lost[why if put is None else CHANGED.format(why=why)] += 1
        if isinstance(message, str):
            stay.append(ItemOutcome(format_id(original.msg_id), Outcome.SKIPPED, message))
            continue
        messages, origin = routes.setdefault(route, (planned_messages(), array("Q")))
        messages.append(message)
        origin.append(number)
    for handle in handles.values():
        if handle is not None:
            handle.close()
    undoing = _undoing(
        backend, known, routes, stay, before, archive=archive,
        changed=_changed_archives(journal, known.op), as_taken=as_taken, batch=batch,
        rate_per_s=rate_per_s,
    )  # fmt: skip
    undoing.plan.staying = lost.total()
    undoing.plan.notes += [f"{n} of them will be skipped: {why}" for why, n in lost.items()]
    if not allow_reports:
        undoing.plan.refusals += _delivery_refusals(routes)
    if before and not undoing.plan.count:
        by = " and ".join(undone)
        undoing.plan.why_nothing = (
            f"what can be undone already was, by {by}" if stay else f"already undone by {by}"
        )
    return undoing


class WaysOn(NamedTuple):
    """Which commands of `journal` can follow an operation."""

    undo: bool
    resume: bool
    verify: bool


def ways_on(journal: Journal, op: str, *, real: bool) -> WaysOn:
    """What the journal says can be done with an operation; no queue manager is asked.

    Args:
        real: the queue manager is a real one, where no message is staged again.
    """
    change = read_change(journal, op)
    if change is not None:
        try:
            refuse_final(op, change)
        except Refused:
            return WaysOn(False, bool(change.backs), False)
        return WaysOn(change.before is not None, bool(change.backs), False)
    plan = journal.head(op)
    request = plan.request
    unarchived = request.archive is None and request.discards
    undo = not (plan.undoes or unarchived or (real and _is_restaged(request)))
    return WaysOn(undo, True, True)


def last_undoable(
    journal: Journal, queue_manager: str, queues: Collection[str], *, real: bool
) -> str | None:
    """The newest operation on messages of one of these queues that can be undone.

    The undo of a definition is not named: it could delete a queue.
    """
    chosen = ChosenOperations(queue_manager, limit=_LOOKED_AT, messages=True)
    for entry in ls(journal, chosen).items:
        is_over = entry["undoes"] or entry["state"] in (UNDONE, PARTLY_UNDONE)
        is_there = entry["done"] and not entry["in_doubt"] and not is_over
        is_here = entry["queue"] in queues or entry["target"] in queues
        if is_there and is_here and ways_on(journal, entry["op"], real=real).undo:
            return str(entry["op"])
    return None


def hint_of_undoable(
    journal: Journal, queue_manager: str, hint: str | None, queues: Collection[str], *, real: bool
) -> str:
    """What to do instead of an undo that is refused, and what can be undone before it."""
    other = last_undoable(journal, queue_manager, queues, real=real)
    if other is None:
        return hint or "mqtriage journal ls lists operations"
    before = f"mqtriage journal undo {other} undoes the last operation that can be"
    return f"{hint}; {before}" if hint else before


def _is_restaged(request: ActRequest) -> bool:
    """Whether staged messages got another due time, unless as assumed."""
    return isinstance(request.to, Restage) and request.copy.strip != "assumed"


def _refuse_unfit(backend: Backend, journal: Journal, known: OperationState) -> None:
    request = known.plan.request
    real = Capability.DELAYED_PUT not in backend.capabilities
    if known.plan.undoes:
        text = f"is an undo of {known.plan.undoes}"
        again = f"repeat what {known.plan.undoes} did"
        queues = {name for part in known.plan.parts for name in (part.queue, part.target) if name}
        hint = hint_of_undoable(journal, known.plan.queue_manager, again, queues, real=real)
        if entry_record(journal, known.op).state in UNFINISHED:
            text, hint = f"{text}, and is not finished", f"mqtriage journal resume {known.op}"
        raise Refused(f"operation {known.op} {text}", hint=hint)
    if known.count(MessageState.IN_DOUBT):
        raise Refused(
            f"operation {known.op} was interrupted in a unit of work of"
            f" {known.count(MessageState.IN_DOUBT)} messages, whose outcome must be determined"
            " first",
            hint=f"mqtriage journal resume {known.op}",
        )
    if real and _is_restaged(request):
        raise Refused(
            f"operation {known.op}: a {request.action} cannot be undone: "
            "a staged message cannot be staged again unchanged",
            hint="delay reschedule sets a different time; msg put --delay stages a new one",
        )


def _taken(
    known: OperationState, journal: Journal, *, unknown: bool
) -> Iterator[tuple[int, Put | None]]:
    """What became final, with what was put for it; in the order of the units."""
    for unit in journal.units(known.op, COMMITTED):
        for taken in unit.messages:
            yield taken.number, taken.put
    if unknown:
        for number in known.numbers(MessageState.UNKNOWN):
            yield number, None


def _route(known: OperationState, number: int, put: Put | None) -> _Route:
    part = part_of(known.plan, number)
    if put is None:
        return _Route("", part.queue)
    return _Route(put.queue, part.queue if known.plan.request.takes else None)


def _copy(
    backend: Backend, handles: dict[str, QueueHandle | None], put: Put, planned: PlannedMessage
) -> PlannedMessage | str:
    """The copy where it was put, or why there is none."""
    if put.is_elsewhere:
        return f"on its way to another queue manager: {put.queue}"
    if put.queue not in handles:
        try:
            options = cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING
            handles[put.queue] = backend.open(put.queue, options)
        except MQIError:
            handles[put.queue] = None
    handle = handles[put.queue]
    if handle is None:
        with suppress(MQIError):
            if leaves(put_path(backend, put.queue, f"open {put.queue}")):
                return f"on its way to another queue manager, by {put.queue}"
        return f"{put.queue} cannot be browsed: it no longer exists, or you lack the authority"
    copy = next(copies(handle, put, planned), None)
    return f"no longer on {put.queue}: another program got it" if copy is None else copy


def _delivery_refusals(
    routes: dict[_Route, tuple[Spool[PlannedMessage], array[int]]],
) -> list[Refusal]:
    """What is taken off a queue may ask for a COD report; what comes out of an archive is put."""
    taken = [some for route, (some, _) in routes.items() if route.queue]
    cod = sum(reports_asked(some).get(ReportKind.COD, 0) for some in taken)
    return delivery_refusals(cod, sum(map(len, taken)))


def _undoing(
    backend: Backend,
    known: OperationState,
    routes: dict[_Route, tuple[Spool[PlannedMessage], array[int]]],
    stay: list[ItemOutcome],
    before: int,
    *,
    changed: list[str],
    archive: Path | None,
    as_taken: bool,
    batch: int | None,
    rate_per_s: float | None,
) -> Undoing:
    undone = known.plan.request
    queue = undone.queue or undone.target or ""  # a load takes from no queue
    request = ActRequest(
        ACTION,
        queue,
        archive=archive,
        batch=batch,
        rate_per_s=rate_per_s,
        allow_reports=True,
        to=GiveBack(as_taken, undone.extends_lifetime),
    )
    messages = planned_messages()
    origin = array("Q")
    parts: list[PlanPart] = []
    refusals: list[Refusal] = []
    taken: Counter[str] = Counter()
    for route, (some, numbers) in routes.items():
        try:
            if route.queue:
                ask_source(backend, route.queue)
            if route.target is not None:
                ask_target(backend, route.target, request.copy.context)
        except NotAuthorized as error:
            stay += [
                ItemOutcome(format_id(message.msg_id), Outcome.SKIPPED, error.text)
                for message in some
            ]
            continue
        parts.append(PlanPart(route.queue, route.target, len(some)))
        messages.extend(some)
        origin.extend(numbers)
        if route.target is not None and not undone.extends_lifetime:
            towards = replace(request, queue=route.queue or route.target, target=route.target)
            own = route.queue in ("", route.target)
            largest = max(known.plan.messages[number - 1].length_bytes for number in numbers)
            refusals += target_refusals(
                backend, towards, some, largest, taken, may_be_own=own, choosable=False
            )
    plan = Plan(ACTION, queue, None, messages, len(messages), refusals=refusals)
    plan.taken_off = only_taken_off(parts)
    plan.facts = {
        "operation": known.op,
        "act": undone.action,
        "from_archive": sum(part.messages for part in parts if not part.queue),
        "from_queues": {part.queue: part.messages for part in parts if part.queue},
        "undone_before": before,
    }
    requests = [replace(request, queue=part.queue, target=part.target) for part in parts]
    plan.facts |= pace_facts(request, unit_size(backend, requests), plan.count)
    plan.notes += batch_notes(backend, requests, plan.count, choosable=True)
    if rate_per_s is None and undone.rate_per_s is not None and plan.count:
        pace = rate_text(undone.rate_per_s)
        plan.notes.append(
            f"the {undone.action} was planned with {pace}, but its undo has no limit:"
            f" --rate {pace} sets one"
        )
    if any(part.target for part in parts):
        plan.notes.append(COUNT_NOTE)
    elif parts:
        plan.notes.append(TAKEN_OFF_NOTE)
    real = Capability.DELAYED_PUT not in backend.capabilities
    if real and any(part.target == STAGING_QUEUE for part in parts):
        plan.notes.append(PUT_BACK_NOTE)
    reasons = Counter(item.reason for item in stay)
    plan.notes += [f"{count} cannot be undone: {reason}" for reason, count in reasons.items()]
    plan.notes += changed
    lost = known.count(MessageState.UNKNOWN)
    if lost:
        plan.notes.append(
            f"{lost} {agreeing(lost, 'are')} gone, outcome unknown:"
            f" --unknown restores {'it' if lost == 1 else 'them'} from the archive"
        )
    stored = StoredPlan(
        backend.queue_manager, now_text(), request, parts, messages,
        undoes=known.op, origin=origin,
    )  # fmt: skip
    return Undoing(plan, stored, stay, known.archives)


def _changed_archives(journal: Journal, op: str) -> list[str]:
    """Which archives are not what the act wrote; what cannot be read is told message by message."""
    sentences = []
    written: dict[Path, list[WrittenPart]] = {}
    for unit in journal.units(op, COMMITTED):
        if unit.archive is not None and unit.written.length:
            written.setdefault(unit.archive, []).append(unit.written)
    for path, digest in journal.seals(op).items():
        with suppress(StorageError):
            if digest is None:  # it was killed
                changed = _begins_otherwise(path, written.get(path, ())) or was_changed(path)
            else:
                changed = digest_of(path) != digest
            if changed:
                sentences.append(
                    f"{path.name} was changed after it was written (see mqtriage journal "
                    "verify): the restored messages may differ from the removed ones"
                )
    return sentences


def _begins_otherwise(path: Path, parts: Iterable[WrittenPart]) -> bool:
    """Whether an archive differs from what was written to it before one of its commits."""
    digest, at = sha256(), 0
    with storage_errors(path), open(path, "rb") as file:
        for length, known in parts:
            digest.update(file.read(length - at))
            at = length
            if digest.digest() != known:
                return True
    return False


def undo(backend: Backend, what: Undoing, context: ActContext) -> Report:
    """Carry it out; whoever else takes the same operation back at this moment is refused.

    Raises:
        Refused: Another process is at the operation, or took some of it back since the plan.
    """
    with context.journal.held(what.stored.undoes), held(what.archives):
        _refuse_undone_since(context.journal, what.stored)
        report = act_report(what.stored.request, what.plan.count + len(what.stay), what.stay)
        report.details = {"undoes": what.stored.undoes}
        report.taken_off = what.plan.taken_off
        return carry_out_stored(backend, what.stored, report, context)


def _refuse_undone_since(journal: Journal, stored: StoredPlan) -> None:
    for back in journal_restore.undone(journal, stored.undoes).values():
        again = sum(number < len(back) and back[number] for number in stored.origin)
        if again:
            raise Refused(
                f"undone meanwhile: {count_text(again)} of operation {stored.undoes}",
                hint="check again with --dry-run",
                object_name=stored.undoes,
            )
