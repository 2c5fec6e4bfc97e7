"""The plan of an act on messages: which ones, what it would cause, and why it may not go on.

Worked out over a read-only connection; `operations/engine/carry_out.py` carries it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from math import ceil
from types import MappingProxyType
from typing import Any, Final

from mqtriage.backends.name_resolution import is_topic_alias, leaves, put_path
from mqtriage.backends.port import AttributeValue, Backend, Capability, ObjectDefinition
from mqtriage.messages.decoded import target_and_due
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.plan import EXPIRY_NOTE, Plan, PlannedMessage, Refusal
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import agreeing, count_text, first_of, humane_expiry, rate_text
from mqtriage.mq import cmqc
from mqtriage.mq.delay import GREATEST_MAXDEPTH, STAGING_QUEUE
from mqtriage.mq.due_time import uncompared
from mqtriage.mq.errors import UsageError, enabling
from mqtriage.mq.expiry import TENTH_US, cap_of, capped
from mqtriage.mq.headers.formats import DDH_FORMAT
from mqtriage.mq.message import Message
from mqtriage.mq.reports import ReportKind, kinds_requested
from mqtriage.mq.times import rfc3339
from mqtriage.operations.copies.copy import (
    Copy,
    CopyOptions,
    came_with_move,
    lost_properties,
)
from mqtriage.operations.copies.lifetimes import owed_note
from mqtriage.operations.copies.request import (
    NOW,
    ActRequest,
    CopyTo,
    Expire,
    ExtendLifetime,
    Move,
    Restage,
    nothing_to_pass,
)
from mqtriage.operations.copies.staged import Restaged, rebuilt_notes
from mqtriage.operations.engine.act_context import Pace
from mqtriage.operations.engine.outlets import (
    Outlets,
    ask_source,
    ask_target,
    closed_topic,
    topic_cap,
)
from mqtriage.operations.engine.stay import made, may_be_unfit, would_poison
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.planned import to_planned
from mqtriage.operations.selection.selected import selected
from mqtriage.operations.selection.spool import planned_messages
from mqtriage.operations.selection.whole_ids import with_whole_ids
from mqtriage.records import dataclass

DEFAULT_BATCH: Final = 200
"""A unit of work waits for the disk three times, whatever is in it: 200 messages take half the time
that four times 50 take. How much data is in one is bounded as well (`loop.UNIT_BYTES`)."""
_WATCHED: Final = 1_000
_MOST_VALUES: Final = 5
"""Values of Report in a hint."""


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
        watch: told now and then how many messages were chosen so far.
        assume_due: take an undocumented time in the delay header for the due time.

    Raises:
        UsageError: Target and queue are one.
    """
    selection = with_due_reading(backend, selection, assume=assume_due, writes=True)
    selection, id_notes = with_whole_ids(backend, request.queue, selection)
    warnings: list[str] = []
    selection = replace(selection, warn=warnings.append)
    chosen = ChosenMessages(backend, request)
    depth = _depth(backend, request)
    for message in selected(backend, request.queue, selection):
        chosen.add(message)
        if len(chosen.messages) % _WATCHED == 0:
            watch(len(chosen.messages))
    plan = plan_chosen(backend, request, chosen)
    plan.warnings += warnings
    plan.notes += id_notes + _discarded_note(depth, _depth(backend, request))
    if selection.due_reading is not None:
        plan.notes += selection.due_reading.notes()
    return plan


def _depth(backend: Backend, request: ActRequest) -> int:
    """CURDEPTH where messages are to live longer; 0 elsewhere."""
    if not isinstance(request.to, ExtendLifetime):
        return 0
    return backend.status(str(local_attributes(backend, request.queue)["QNAME"])).curdepth


def _discarded_note(before: int, after: int) -> list[str]:
    """Say what a look at messages that are to live longer did to those that had expired (EX-11)."""
    if after >= before:
        return []
    gone = count_text(before - after)
    return [
        f"too late for {gone}: CURDEPTH went from {before} to {after} while they were read,"
        " because a browse discards expired messages"
    ]


class ChosenMessages:
    """Messages that a plan is made for.

    Attributes:
        unfit: why some cannot go where they should, and how many.
        failing: what the put of some would meet as things are now, and how many.
        unauthorised: the first that would be put needs authority which is missing: the operation
            ends there, and nothing is done.
        largest_bytes: length of the longest copy, where copies differ from their originals.
        delay_headers: how many have a delay header (MQHDDH).
        jms_headers: how many requeued ones keep an MQRFH2 that a JMS client added on the way here.
        dropped: see `dropped_note`.
        rolled_back: how many have a BackoutCount.
        staged: of messages of the staging queue, what waits for each target.
    """

    def __init__(self, backend: Backend, request: ActRequest) -> None:
        self._backend = backend
        self._request = request
        self._threshold = threshold_of(local_attributes(backend, request.queue))
        self._may_be_unfit = may_be_unfit(request)
        self.messages = planned_messages()
        self.unfit: Counter[str] = Counter()
        self.failing: Counter[str] = Counter()
        self.unauthorised = False
        self._going = 0
        self.largest_bytes = 0
        self.delay_headers = 0
        self.jms_headers = 0
        self.dropped: Counter[str] = Counter()
        self.rolled_back = 0
        self.staged: dict[str, StagedFor] = {}
        self._outlets = Outlets(backend, request.queue)

    def add(self, message: Message) -> None:
        """Add one that was browsed."""
        self.messages.append(to_planned(message))
        self.judge(message)

    def judge(self, message: Message) -> None:
        """Count it where it cannot go or its put would fail, with the reason."""
        self.delay_headers += message.md.format == DDH_FORMAT
        self.rolled_back += message.md.backout_count > 0
        if self._request.action == "requeue" and not self._request.copy.strip:
            self.jms_headers += came_with_move(message, self._request.queue)
        if self._request.queue == STAGING_QUEUE:
            self._note_target(message)
        if not self._may_be_unfit or would_poison(
            self._request, message.md.backout_count, self._threshold
        ):
            return
        copy = made(self._backend, self._request, message)
        if isinstance(copy, str):
            self.unfit[copy] += 1
        elif isinstance(copy, Restaged):
            length, later = len(copy.copy.body), copy.delay_ms is not None
            problem = self._outlets.problem(copy.queue, length, later=later)
            if later and not problem:  # its copy is staged, with a header as long as it has now
                problem = self._outlets.staging_problem(self._request.queue, len(message.body))
            self.failing[problem] += 1
            self._going += not problem
            self.unauthorised |= self._outlets.refused and not self._going
        elif isinstance(copy, Copy):
            self.largest_bytes = max(self.largest_bytes, len(copy.body))
            count_dropped(self.dropped, self._request.copy, message)

    def _note_target(self, message: Message) -> None:
        known = Capability.DUE_TIME_KNOWN in self._backend.capabilities
        facts = target_and_due(message, uncompared(known))
        if facts is not None and facts.target is not None:
            when, due_us, new_us = self._request.to, facts.due_time_us, None
            if isinstance(when, Restage) and when != NOW:
                new_us = when.new_due_us(due_us, self._backend.now_us())
            due, new = (None if us is None else rfc3339(us) for us in (due_us, new_us))
            self.staged.setdefault(facts.target, StagedFor(facts.target)).add(due, new)


@dataclass(slots=True)
class StagedFor:
    """Delayed messages of a plan that wait for one target; their due times, now and afterwards."""

    target: str
    message_count: int = 0
    first_due_time: str | None = None
    last_due_time: str | None = None
    new_first_due_time: str | None = None
    new_last_due_time: str | None = None

    def add(self, due: str | None, new: str | None = None) -> None:
        """Count one that is due then, and after the act at *new*."""
        self.message_count += 1
        if due is not None:
            self.first_due_time = min(self.first_due_time or due, due)
            self.last_due_time = max(self.last_due_time or due, due)
        if new is not None:
            self.new_first_due_time = min(self.new_first_due_time or new, new)
            self.new_last_due_time = max(self.new_last_due_time or new, new)


def staged_facts(staged: Mapping[str, StagedFor]) -> dict[str, Any]:
    """The fact `targets` of a plan on delayed messages: a record for each; none for others."""
    targets = [asdict(target) for _, target in sorted(staged.items())]
    return {"targets": targets} if targets else {}


def plan_chosen(backend: Backend, request: ActRequest, chosen: ChosenMessages) -> Plan:
    """Plan the act on messages that were browsed; see `plan_messages`."""
    plan = plan_messages(backend, request, chosen.messages, chosen.unfit, chosen.largest_bytes)
    plan.facts = staged_facts(chosen.staged) | plan.facts
    plan.refusals += park_refusals(backend, request, chosen.messages)
    note_failing(plan, chosen.failing)
    plan.unauthorised = chosen.unauthorised
    plan.notes += delay_header_note(request, chosen.delay_headers)
    plan.notes += jms_header_note(chosen.jms_headers)
    plan.notes += dropped_note(chosen.dropped)
    if isinstance(request.to, Move | CopyTo) and request.target is not None:
        plan.notes += backout_count_note(chosen.rolled_back)
    return plan


def count_dropped(dropped: Counter[str], copy: CopyOptions, message: Message) -> None:
    """Count what the copy of a message loses with its MQRFH2, for `dropped_note`."""
    if copy.strip == "dropped" and (lost := lost_properties(message)) is not None:
        dropped.update(messages=1, properties=lost)


def backout_count_note(count: int) -> list[str]:
    """Say that messages lose their BackoutCount, which a put starts again."""
    if not count:
        return []
    return [f"BackoutCount starts again at 0: {count_text(count)} had a higher one"]


def delay_header_note(request: ActRequest, count: int) -> list[str]:
    """Say that a program which gets from the target cannot read these: they keep a delay header."""
    goes = isinstance(request.to, Move | CopyTo) and request.target not in (None, STAGING_QUEUE)
    if not count or not goes or request.copy.strip in ("staged", "assumed"):
        return []
    way = (
        "journal undo returns them to the staging queue; --headers strip restores the originals"
        if request.queue == STAGING_QUEUE
        else f"only {STAGING_QUEUE} delivers them"
    )
    keep = f"{count_text(count)} {'keeps its' if count == 1 else 'keep their'}"
    return [f"{keep} delay header (MQHDDH), which programs cannot read: {way}"]


def jms_header_note(count: int) -> list[str]:
    """Say that messages go back with a header that their senders did not send."""
    if not count:
        return []
    keep = f"{count_text(count)} {'keeps' if count == 1 else 'keep'}"
    return [
        f"{keep} an MQRFH2 that a JMS client added, which programs without JMS may not expect:"
        " --headers strip removes it"
    ]


def dropped_note(dropped: Mapping[str, int]) -> list[str]:
    """Say what is lost with MQRFH2s: of how many ``messages``, and how many ``properties``."""
    count, properties = dropped.get("messages", 0), dropped.get("properties", 0)
    if not count:
        return []
    lose = "loses its" if count == 1 else "lose their"
    what = f"{properties} {'property' if properties == 1 else 'properties'}"
    return [f"{count_text(count)} {lose} MQRFH2, with {what} of the application"]


def plan_messages(
    backend: Backend,
    request: ActRequest,
    messages: Sequence[PlannedMessage],
    unfit: Mapping[str, int] | None = MappingProxyType({}),
    largest_bytes: int = 0,
    taken: Counter[str] | None = None,
) -> Plan:
    """Plan the act on messages of the queue that were chosen already.

    Args:
        unfit: as `ChosenMessages` has it; None where `note_stays` is called for more than these.
        largest_bytes: as `ChosenMessages` has it.
        taken: room by local queue that other parts of the act take; that of this one is added.

    Raises:
        NotAuthorized: Messages may not be taken, or not put on the target.
        UsageError: Target and queue are one, or there is no context to pass on.
    """
    if request.copy.context == "pass" and not request.passes_context:
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
        facts=pace_facts(request, unit_size(backend, [request]), len(messages)),
    )
    if request.takes:
        plan.facts["archive"] = (
            str(request.archive) if request.archive else "off: nothing is archived"
        )
        plan.notes += batch_notes(backend, [request], len(messages))
    if unfit is not None:
        note_stays(plan, request, threshold_of(attributes), unfit)
    _note_copy(plan, request)
    if isinstance(request.to, Expire) and (note := owed_note(messages)):
        plan.notes.append(note)
    if not request.allow_reports:
        plan.refusals += _report_refusals(plan, request)
    if request.takes:
        ask_source(backend, request.queue)
    if request.target is not None:
        path = put_path(backend, request.target, f"open {request.target}")
        plan.notes += remote_note(path)
        lifetimes = (message.expiry_tenths for message in messages)
        plan.warnings += lifetime_warning(backend, path, lifetimes, request.copy)
        plan.refusals += target_refusals(backend, request, messages, largest_bytes, taken)
    return plan


def add_part(whole: Plan, part: Plan, request: ActRequest) -> None:
    """Take what is to be known of the plan of one part into that of the whole act."""
    whole.count += part.count
    whole.notes += [note for note in part.notes if note not in whole.notes]
    whole.warnings += [text for text in part.warnings if text not in whole.warnings]
    whole.failing += part.failing
    whole.staying += part.staying
    whole.unauthorised = whole.unauthorised or part.unauthorised
    whole.refusals += part.refusals
    whole.facts |= part.facts
    whole.facts["expected_ms"] = _expected_ms(request, whole.count)
    whole.reports = dict(Counter(whole.reports) + Counter(part.reports))


def local_attributes(backend: Backend, name: str) -> Mapping[str, AttributeValue]:
    """The attributes of the queue that a put to *name* lands on; QNAME has its name."""
    return _attributes(put_path(backend, name, f"open {name}"))


def _attributes(path: Sequence[ObjectDefinition]) -> Mapping[str, AttributeValue]:
    return {**path[-1].attributes, "QNAME": path[-1].name}


def threshold_of(attributes: Mapping[str, AttributeValue]) -> int:
    """BOTHRESH of a queue, 0 where it has none."""
    return int(attributes.get("BOTHRESH", 0))


def batch_size(request: ActRequest, attributes: Mapping[str, AttributeValue]) -> int:
    """Messages a unit of work: where a rollback of ours counts towards poison, one at a time."""
    if request.batch is not None:
        return request.batch
    return 1 if request.takes and threshold_of(attributes) > 0 else DEFAULT_BATCH


def most_uncommitted(backend: Backend) -> int:
    """Gets and puts that a unit of work may have."""
    return int(backend.queue_manager_attributes().get("MAXUMSGS", 10_000))


def unit_size(backend: Backend, requests: Iterable[ActRequest]) -> int:
    """Messages a unit of work as a plan shows it: of several parts the smallest."""
    most, sizes = most_uncommitted(backend), []
    for request in requests:
        attributes = local_attributes(backend, request.queue) if request.queue else {}
        bound = most if request.discards else most // 2  # half where a put comes with each
        sizes.append(min(batch_size(request, attributes), max(1, bound)))
    return min(sizes, default=DEFAULT_BATCH)


def batch_notes(
    backend: Backend, requests: Iterable[ActRequest], count: int, *, choosable: bool = False
) -> list[str]:
    """Why fewer messages are taken at a time than was asked for, or one where nobody asked.

    Args:
        choosable: the command has ``--batch``.
    """
    if count < 2:
        return []
    requests = list(requests)
    for request in requests:
        size, rate = request.batch, request.rate_per_s
        if size is not None and rate is not None and (paced := Pace(rate).batch(size)) < size:
            return [f"batches of {paced}, not {size}, so that {rate_text(rate)} is even"]
    names = dict.fromkeys(
        request.queue
        for request in requests
        if request.batch is None
        and request.queue
        and batch_size(request, local_attributes(backend, request.queue)) == 1
    )
    if not names:
        return []
    verb = "has" if len(names) == 1 else "have"
    queues = ", ".join(first_of(list(names), 3))
    more = "; --batch N takes more" if choosable else ""
    return [f"one message per unit of work, because {queues} {verb} BOTHRESH{more}"]


def pace_facts(request: ActRequest, batch: int, count: int) -> dict[str, Any]:
    """How an act on *count* messages will go: a unit of work, messages a second, how long.

    Returns:
        ``batch``, ``rate`` ("20/s", "no limit") and ``expected_ms``, which is None where no rate
        says how long it takes.
    """
    rate = request.rate_per_s
    return {
        "batch": Pace(rate).batch(batch),
        "rate": "no limit" if rate is None else rate_text(rate),
        "expected_ms": _expected_ms(request, count),
    }


def _expected_ms(request: ActRequest, count: int) -> int | None:
    rate = request.rate_per_s
    return None if rate is None else ceil(count / rate) * 1000


def target_refusals(
    backend: Backend,
    request: ActRequest,
    messages: Sequence[PlannedMessage],
    largest_bytes: int = 0,
    taken: Counter[str] | None = None,
    *,
    may_be_own: bool = False,
    choosable: bool = True,
) -> list[Refusal]:
    """Why the target could not take the messages.

    Args:
        may_be_own: it may be the queue itself, as it is where lifetimes are extended.
        largest_bytes: of the longest copy; 0 where they are as long as their originals.
        taken: as `plan_messages` takes it.
        choosable: fewer messages can be chosen.

    Raises:
        NotAuthorized: They may not be put there.
        UsageError: It is the queue itself.
    """
    target = request.target or ""
    path = put_path(backend, target, f"open {target}")
    own = path[-1].name == local_attributes(backend, request.queue)["QNAME"]
    may_be_own = may_be_own or request.extends_lifetime
    if own and not may_be_own:
        raise UsageError(
            f"to {target}: the messages are already on that queue",
            hint="name another queue: mqtriage queue ls",
        )
    if not largest_bytes and not request.copy.strip:
        largest_bytes = max((message.length_bytes for message in messages), default=0)
        largest_bytes += request.copy.added_bytes
    need = 1 if may_be_own else len(messages)
    taken = Counter() if taken is None else taken
    before = taken[path[-1].name]
    taken[path[-1].name] += need
    refusals = put_refusals(
        backend, path, len(messages), largest_bytes, need=need, before=before, choosable=choosable
    )
    ask_target(backend, target, request.copy.context, may_pass=request.passes_context)
    return refusals


def park_refusals(
    backend: Backend, request: ActRequest, messages: Iterable[PlannedMessage]
) -> list[Refusal]:
    """Why the queue of `--park` could not take a message.

    How many messages come there is not known, so it needs room for one, and for the longest.

    Raises:
        NotAuthorized: Messages may not be put there.
        ObjectNotFound: There is no such queue.
        UsageError: It is the queue itself.
    """
    park = request.park
    if park is None:
        return []
    path = put_path(backend, park, f"open {park}")
    if path[-1].name == local_attributes(backend, request.queue)["QNAME"]:
        raise UsageError(
            f"--park {park}: the messages are already on that queue",
            hint="name another queue: mqtriage queue ls",
        )
    ask_target(backend, park, request.copy.context, may_pass=request.passes_context)
    lengths = [message.length_bytes for message in messages]
    refusals = put_refusals(
        backend, path, len(lengths), max(lengths, default=0), need=1, choosable=False
    )
    return [refusal._replace(text=f"--park {park}: {refusal.text}") for refusal in refusals]


def put_refusals(
    backend: Backend,
    path: Sequence[ObjectDefinition],
    count: int,
    largest_bytes: int,
    *,
    need: int | None = None,
    before: int = 0,
    choosable: bool = True,
) -> list[Refusal]:
    """Why a queue could not take messages; none where there are no messages.

    Args:
        path: the definitions from its name to where a put lands (`put_path`).
        largest_bytes: of the longest message, 0 where that is not known.
        need: messages that there must be room for at once, None for all.
        before: messages of the same act that are put there before.
        choosable: fewer messages can be chosen.

    Raises:
        MQIError: 2057 for a model queue.
    """
    if not count:
        return []
    attributes = _attributes(path)
    local = path[-1].name
    refusals = []
    shut = [step.name for step in path if step.attributes.get("PUT") == "DISABLED"]
    if shut:
        refusals.append(Refusal(f"{shut[0]} has PUT(DISABLED)", enabling(shut[0], "PUT")))
    elif is_topic_alias(path[-1]) and (topic := closed_topic(backend, path[-1])):
        hint = f"ALTER TOPIC('{topic}') PUB(ENABLED) allows publications"
        refusals.append(Refusal(f"{topic} has PUB(DISABLED)", hint))
    if "MAXDEPTH" in attributes:
        room = room_on(backend, path) - before
        needed = count if need is None else need
        if room < needed:
            depth = int(attributes["MAXDEPTH"]) + needed - room
            hint = (
                f"mqtriage queue set {shell_word(local)} MAXDEPTH={depth}"
                if depth <= GREATEST_MAXDEPTH
                else f"MAXDEPTH cannot be more than {GREATEST_MAXDEPTH}: move messages to another"
                f" queue first, or remove some of {local}"
            )
            room = max(0, room)
            text = f"{local} has room for {room} of {count_text(count)}"
            refusals.append(Refusal(text, hint, room if choosable else 0))
    header_bytes = cmqc.MQXQH_CURRENT_LENGTH if leaves(path) else 0
    longest_bytes = largest_bytes + header_bytes if largest_bytes else 0
    most = int(attributes.get("MAXMSGL", longest_bytes))
    if longest_bytes > most:
        others = ", or exclude the large ones" if choosable else ""
        refusals.append(
            Refusal(
                f"the largest message has {count_text(longest_bytes, 'byte')},"
                f" MAXMSGL of {local} is {most}",
                f"mqtriage queue set {shell_word(local)} MAXMSGL={longest_bytes}{others}",
            )
        )
    return refusals


def room_on(backend: Backend, path: Sequence[ObjectDefinition]) -> int:
    """How many messages fit on the local queue that *path* ends with, by MAXDEPTH."""
    return int(path[-1].attributes["MAXDEPTH"]) - backend.status(path[-1].name).curdepth


def remote_note(path: Sequence[ObjectDefinition]) -> list[str]:
    """What is to be known of messages that leave the queue manager."""
    if not leaves(path):
        return []
    remote, transmission = path[-2:]
    return [
        f"{remote.name} leads to queue manager {remote.attributes['RQMNAME']}: they go to the"
        f" transmission queue {transmission.name}, with an MQXQH in front"
    ]


def lifetime_warning(
    backend: Backend,
    path: Sequence[ObjectDefinition],
    expiries_tenths: Iterable[int],
    copy: CopyOptions,
) -> list[str]:
    """Say that a CAPEXPRY on the path lowers the lifetime of messages that are put there (EX-30).

    That of a topic counts where the path ends with an alias of one.

    Args:
        expiries_tenths: the lifetimes of the originals.
    """
    limits = {step.name: cap for step in path if (cap := cap_of(step.attributes)) is not None}
    if is_topic_alias(path[-1]):
        topic, cap = topic_cap(backend, path[-1])
        limits |= {} if cap is None else {f"topic {topic}": cap}
    if not limits:  # the messages may be many
        return []
    own, caps = copy.expiry_tenths, limits.values()
    if copy.expires_at_us is not None:
        own = (copy.expires_at_us - backend.now_us()) // TENTH_US
    put_with = expiries_tenths if own is None else (own,)
    if all(capped(tenths, caps) == tenths for tenths in put_with):
        return []
    name = min(limits, key=limits.__getitem__)
    most = humane_expiry(limits[name])
    return [f"{name} has CAPEXPRY({limits[name]}): messages put there expire after {most} at most"]


def reports_asked(messages: Iterable[PlannedMessage]) -> dict[str, int]:
    """How many of the messages ask for a report of each kind."""
    reports: Counter[str] = Counter()
    for message in messages:
        if message.report:
            reports.update(str(kind) for kind in kinds_requested(message.report))
    return dict(reports)


def delivery_refusals(
    cod: int, count: int, selected: Iterable[PlannedMessage] = ()
) -> list[Refusal]:
    """Why a get would tell senders what is not so: *cod* of *count* ask for a COD report.

    Args:
        selected: the messages, if a filter chose them: the hint then has one that excludes these.
    """
    if not cod:
        return []
    text = (
        f"{cod} of {count} {agreeing(cod, 'request')} a confirmation on delivery (COD):"
        " the get would report 'delivered' to the sender"
    )
    values = {m.report for m in selected if ReportKind.COD in kinds_requested(m.report)}
    listed = ", ".join(map(str, sorted(values)[:_MOST_VALUES]))
    test = f"report not in ({listed})" if len(values) <= _MOST_VALUES else "report = 0"
    others = f'exclude them: --where "{test}"; ' if values else ""
    return [Refusal(text, f"{others}--allow-reports sends these reports")]


def _report_refusals(plan: Plan, request: ActRequest) -> list[Refusal]:
    """Why senders would be told what is not so: by the get of a message, or through its copy."""
    cod, coa = (plan.reports.get(kind, 0) for kind in (ReportKind.COD, ReportKind.COA))
    if request.takes and cod:
        return delivery_refusals(cod, plan.count, plan.messages)
    if not request.takes and (cod or coa) and not request.copy.strip_reports:
        asking = max(cod, coa)
        senders = "its sender" if asking == 1 else "their senders"
        text = (
            f"{asking} of {plan.count} {agreeing(asking, 'request')} a confirmation (COA or COD):"
            f" {'the copy' if asking == 1 else 'the copies'} would send it to {senders} again"
        )
        return [Refusal(text, "--reports strip; --allow-reports sends these reports")]
    return []


def note_stays(plan: Plan, request: ActRequest, threshold: int, unfit: Mapping[str, int]) -> None:
    """Say which messages will not go, and why; what is unfit is parked where that was asked for."""
    poison = Counter(
        would_poison(request, message.backout_count, threshold)
        for message in (plan.messages if threshold else ())
    )
    parked = f"parked on {request.park}" if request.park else "skipped"
    for fate, reasons in (("skipped", poison), (parked, unfit)):
        plan.notes += [f"{count} will be {fate}: {why}" for why, count in reasons.items() if why]
        plan.staying += sum(count for why, count in reasons.items() if why)


def note_failing(plan: Plan, failing: Mapping[str, int]) -> None:
    """Say what puts would meet as things are now, and count them."""
    plan.notes += failing_notes(failing)
    plan.failing += sum(count for why, count in failing.items() if why)


def failing_notes(failing: Mapping[str, int]) -> list[str]:
    """What puts would meet as things are now, with how many, each reason once."""
    return [f"{count_text(count)} would fail: {why}" for why, count in failing.items() if why]


def _changed_names(copy: CopyOptions) -> str:
    """``color set, n taken out``."""
    changes = ((name, "taken out" if value is None else "set") for name, value in copy.properties)
    return ", ".join(f"{name} {change}" for name, change in changes)


def _note_copy(plan: Plan, request: ActRequest) -> None:
    copy, to = request.copy, request.to
    if copy.expiry_tenths is not None:
        plan.facts["new_expiry_tenths"] = copy.expiry_tenths
    if copy.expires_at_us is not None:
        plan.facts["expires_at"] = rfc3339(copy.expires_at_us)
    restages = isinstance(to, Restage)
    for applies, text in (
        (request.extends_lifetime, "they go to the end of the queue, so their position changes"),
        (copy.new_msg_id, "the copies get new MsgIds"),
        (copy.strip == "added", "headers that were added on the way to this queue are removed"),
        (
            copy.strip == "dropped",
            "each MQDLH is removed, and each MQRFH2 with all its properties",
        ),
        (to == NOW, "each goes to its target now, with its remaining lifetime"),
        (
            restages and to != NOW,
            "they are staged again with new MsgIds; the MsgIds of their senders do not change",
        ),
        (
            copy.strip == "staged" or (copy.strip == "assumed" and not restages),
            "the delay header is removed and the original message restored",
        ),
        (copy.strip_reports, "the copies do not request reports: their Report field changes"),
        (copy.dead_letter is not None, "the copies get a dead-letter header (MQDLH)"),
        (bool(copy.properties), f"properties that change: {_changed_names(copy)}"),
        (
            copy.context == "pass",
            "each is got before its copy is put: a failed put increases its BackoutCount",
        ),
        (copy.context == "default", "put time, user and program of the originals are lost"),
    ):
        if applies:
            plan.notes.append(text)
    plan.notes += rebuilt_notes(request)
