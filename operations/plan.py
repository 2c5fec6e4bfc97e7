"""The plan of an act on messages: which ones, what it would cause, and why it may not go on.

Worked out over a read-only connection; `operations/carry_out.py` carries it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mqtriage.backends.port import AttributeValue, Backend
from mqtriage.definitions.change import alias_base
from mqtriage.messages.selection import Selection
from mqtriage.model.plan import Plan, PlannedMessage
from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import check_queue_name
from mqtriage.mq.reports import ReportKind, kinds_requested
from mqtriage.operations.copies import CopyOptions
from mqtriage.operations.lifetime_acts import owed_note
from mqtriage.operations.planned import planned
from mqtriage.operations.selection import EXPIRY_NOTE, refuse_unknown_due, selected
from mqtriage.operations.spool import planned_messages
from mqtriage.operations.staged_acts import NOW, When, rebuilt_notes

DEFAULT_BATCH: Final = 50
_WATCHED: Final = 1_000


@dataclass(frozen=True, slots=True)
class ActRequest:
    """What is to be done to the planned messages.

    Attributes:
        action: "requeue", "move", "copy", "purge", "cancel" or "park".
        queue: where they are.
        target: where they go; None removes them.
        copy: what the copy looks like.
        batch: messages a unit of work; None chooses 50, or 1 where the queue has BOTHRESH.
        archive: folder that what is removed is kept in, None to keep nothing.
        archive_bodies: False keeps descriptors alone; not for what is removed.
        allow_reports: go on although a get tells a sender "delivered".
        takes: False leaves the messages where they are: a copy.
        puts_back: the target is the queue itself.
        expires: send the expiration report of what is removed, where one was asked for (EX-23).
        when: of staged messages: each goes to its own target then.
        park: where a message goes as it is when it cannot go where it should; None leaves it.
        max_requeues: leave a message that was requeued so often; None does not count.
        rate_per_s: messages a second, None for as many as can be.
        max_errors: stop after so many failures.
        as_taken: of an undo: give back the lifetime that a message had when it was taken.
        rules: text of the rules table that decides where each message goes; "" for none.
    """

    action: str
    queue: str
    target: str | None = None
    copy: CopyOptions = field(default_factory=CopyOptions)
    batch: int | None = None
    archive: Path | None = None
    allow_reports: bool = False
    takes: bool = True
    puts_back: bool = False
    expires: bool = False
    when: When | None = None
    park: str | None = None
    max_requeues: int | None = None
    rate_per_s: float | None = None
    max_errors: int | None = None
    as_taken: bool = False
    rules: str = ""
    archive_bodies: bool = True


def plan_act(
    backend: Backend,
    request: ActRequest,
    selection: Selection,
    watch: Callable[[int], None] = lambda _: None,
    *,
    assume_due: bool = False,
) -> Plan:
    """Browse the queue and plan the act; nothing is changed.

    Args:
        backend: read-only.
        watch: told now and then how many messages were chosen so far.
        assume_due: take an undocumented time in the delay header for the due time.

    Raises:
        ObjectNotFound: No such queue or target.
        UsageError: Target and queue are one.
    """
    refuse_unknown_due(backend, selection, assume=assume_due, writes=True)
    messages = planned_messages()
    for message in selected(backend, request.queue, selection):
        messages.append(planned(message))
        if len(messages) % _WATCHED == 0:
            watch(len(messages))
    return plan_messages(backend, request, messages)


def plan_messages(
    backend: Backend, request: ActRequest, messages: Sequence[PlannedMessage]
) -> Plan:
    """Plan the act on messages of the queue that were chosen already.

    Raises:
        ObjectNotFound: No such queue or target.
        UsageError: Target and queue are one, or there is no context to pass on.
    """
    if request.copy.context == "pass" and not passes_context(request):
        raise nothing_to_pass(request.action)
    attributes = local_attributes(backend, request.queue)
    reports = reports_asked(messages)
    plan = Plan(
        request.action,
        request.queue,
        request.target,
        messages,
        len(messages),
        reports=reports,
        notes=[EXPIRY_NOTE],
        facts={"batch": batch_size(request, attributes)},
    )
    if request.takes:
        plan.facts["archive"] = str(request.archive) if request.archive else "off: nothing is kept"
        _note_threshold(plan, attributes)
    _note_copy(plan, request)
    if request.expires and (note := owed_note(messages)):
        plan.notes.append(note)
    if not request.allow_reports:
        plan.refusals += _report_refusals(plan, request)
    if request.target is not None:
        plan.refusals += target_refusals(backend, request, messages)
    return plan


def local_attributes(backend: Backend, name: str) -> Mapping[str, AttributeValue]:
    """The attributes of the queue that *name* leads to; QNAME has its name.

    Raises:
        UsageError: Not a name.
        ObjectNotFound: 2085; 2082 where the alias leads nowhere.
        MQIError: 2001 for an alias of an alias.
    """
    definition = backend.queue(check_queue_name(name))
    if definition.kind == "QALIAS":
        definition = alias_base(backend, definition, f"open {name}")
    return {**definition.attributes, "QNAME": definition.name}


def batch_size(request: ActRequest, attributes: Mapping[str, AttributeValue]) -> int:
    """Messages a unit of work: where a rollback of ours counts towards poison, one at a time."""
    if request.batch is not None:
        return request.batch
    return 1 if request.takes and int(attributes.get("BOTHRESH", 0)) > 0 else DEFAULT_BATCH


def passes_context(request: ActRequest) -> bool:
    """Whether the copies may take their context from what is got: each from its own message."""
    return request.takes and request.when is None and request.copy.may_pass_context


def nothing_to_pass(action: str) -> UsageError:
    """The error of `--message-context pass` where no context can be passed."""
    return UsageError(
        f"--message-context pass: {action} gets no message whose context the copy could have",
        hint="--message-context set needs the authority to set it, default does without",
    )


def would_poison(backout_count: int, threshold: int) -> bool:
    """Whether one more rollback of this message would reach BOTHRESH."""
    return 0 < threshold == backout_count + 1


def target_refusals(
    backend: Backend, request: ActRequest, messages: Sequence[PlannedMessage]
) -> list[tuple[str, str]]:
    """Why the target could not take the messages, each with a hint.

    Raises:
        ObjectNotFound: There is no such target.
        UsageError: It is the queue itself.
    """
    target = request.target or ""
    attributes = local_attributes(backend, target)
    local = str(attributes["QNAME"])
    own = local == local_attributes(backend, request.queue)["QNAME"]
    if own and not request.puts_back:
        raise UsageError(
            f"to {target}: the messages are on that queue already",
            hint="name another queue: mqtriage queue ls",
        )
    refusals = []
    shut = [name for name in dict.fromkeys((target, local)) if _put_disabled(backend, name)]
    if shut:
        refusals.append(
            (f"{shut[0]} has PUT(DISABLED)", f"mqtriage queue set {shut[0]} PUT=ENABLED")
        )
    if "MAXDEPTH" not in attributes:
        return refusals
    room = int(attributes["MAXDEPTH"]) - backend.status(local).curdepth
    if room < (1 if request.puts_back else len(messages)):
        hint = f"--limit {room}" if room > 0 else f"mqtriage queue set {local} MAXDEPTH=..."
        refusals.append((f"{local} has room for {max(0, room)} of {len(messages)} messages", hint))
    largest = max((message.length_bytes for message in messages), default=0)
    largest += request.copy.added_bytes
    if largest > int(attributes.get("MAXMSGL", largest)) and not request.copy.strip:
        refusals.append(
            (
                f"the largest message has {largest} bytes, "
                f"MAXMSGL of {local} is {attributes['MAXMSGL']}",
                f"mqtriage queue set {local} MAXMSGL={largest}, or leave the large ones out",
            )
        )
    return refusals


def _put_disabled(backend: Backend, name: str) -> bool:
    return backend.queue(name).attributes.get("PUT") == "DISABLED"


def reports_asked(messages: Iterable[PlannedMessage]) -> dict[str, int]:
    """How many of the messages ask for a report of each kind."""
    found: dict[str, int] = {}
    for message in messages:
        for kind in kinds_requested(message.report) if message.report else ():
            found[str(kind)] = found.get(str(kind), 0) + 1
    return found


def delivery_refusals(cod: int, count: int) -> list[tuple[str, str]]:
    """Why a get would tell senders what is not so: *cod* of *count* ask for a COD report."""
    if not cod:
        return []
    text = (
        f"{cod} of {count} ask for a confirmation on delivery (COD): "
        "the get would tell the sender 'delivered'"
    )
    return [(text, "--allow-reports goes on all the same")]


def _report_refusals(plan: Plan, request: ActRequest) -> list[tuple[str, str]]:
    """Why senders would be told what is not so: by the get of a message, or through its copy."""
    cod, coa = (plan.reports.get(kind, 0) for kind in (ReportKind.COD, ReportKind.COA))
    if request.takes and cod:
        return delivery_refusals(cod, plan.count)
    if not request.takes and (cod or coa) and not request.copy.strip_reports:
        text = (
            f"{max(cod, coa)} of {plan.count} ask for a confirmation (COA or COD): "
            "their senders would be told once more, of the copy"
        )
        return [(text, "--reports strip, or --allow-reports goes on all the same")]
    return []


def _note_threshold(plan: Plan, attributes: Mapping[str, AttributeValue]) -> None:
    threshold = int(attributes.get("BOTHRESH", 0))
    left = sum(would_poison(message.backout_count, threshold) for message in plan.messages)
    if left:
        plan.notes.append(
            f"{left} will be skipped: one rollback more would reach BOTHRESH({threshold})"
        )


def _note_copy(plan: Plan, request: ActRequest) -> None:
    copy = request.copy
    if copy.expiry_tenths is not None:
        plan.facts["new_expiry_tenths"] = copy.expiry_tenths
    for wanted, text in (
        (request.puts_back, "they go to the end of the queue: their position on it changes"),
        (copy.new_msg_id, "the copies get new MsgIds"),
        (copy.strip == "added", "headers that were added on the way here are taken off"),
        (request.when == NOW, "each goes to its target now, with the time that it has left"),
        (
            request.when not in (None, NOW),
            "they are staged again with new MsgIds; their senders' MsgIds stay",
        ),
        (
            copy.strip == "staged" or (copy.strip == "assumed" and request.when is None),
            "the delay header is taken off: the original is rebuilt",
        ),
        (copy.strip_reports, "the copies ask for no reports: their Report field changes"),
        (copy.dead_letter is not None, "the copies get a dead-letter header (MQDLH)"),
        (
            copy.context == "pass",
            "each is got before its copy is put: a put that fails raises its BackoutCount",
        ),
        (copy.context == "default", "put time, user and program of the originals are lost"),
    ):
        if wanted:
            plan.notes.append(text)
    plan.notes += rebuilt_notes(copy.strip, request.when)
