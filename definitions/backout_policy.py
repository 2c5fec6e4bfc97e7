"""`mqtriage backout ls|show`: BOTHRESH and BOQNAME of queues, and how they stand together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from mqtriage.backends.name_resolution import case_notes, local_queue
from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq.backout import too_high
from mqtriage.mq.names import check_generic_name, matches
from mqtriage.mq.transmission import NO_BASE
from mqtriage.records import NamedTuple, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BackoutSetting:
    """One queue as `backout ls` lists it; what is not known, or not there, is None."""

    queue: str = column("QUEUE", Show.NAME, width=24)
    bothresh: int = column("BOTHRESH", Show.NUMBER)
    boqname: str = column("BOQNAME", Show.NAME, width=24)
    boq_type: str | None = column("BOQ_TYPE", yields=3)
    boq_depth: int | None = column("BOQ_DEPTH", Show.NUMBER, yields=2)
    boq_maxdepth: AttributeValue | None = column("BOQ_MAXDEPTH", Show.NUMBER, yields=4)
    pending: int | None = column("PENDING", Show.NUMBER, yields=1)
    state: str = column("STATE", width=6)
    boq_resolves_to: str | None = column("BOQ_RESOLVES_TO", Show.NAME, wide=True)
    hardenbo: AttributeValue | None = column("HARDENBO", wide=True)
    used_as_backout_queue_by: list[str] = column("BACKOUT_QUEUE_OF", wide=True)
    problems: list[str] = column("PROBLEMS", wide=True)


CACHED_NOTE: Final = (
    "JMS clients keep BOTHRESH and BOQNAME once they have read them: a running consumer keeps the"
    " old values until it is restarted"
)
"""PM-17."""
AMBIGUOUS: Final = "the origin is ambiguous"
"""In the problems of a queue: messages of other queues are on its backout queue, too."""

Queues = Mapping[str, ObjectDefinition]


class BackoutState(StrEnum):
    """How BOTHRESH and BOQNAME of a queue stand together, the worst that is true of it."""

    OK = "ok"
    OFF = "off"
    """Neither is set: poison handling is off."""
    BOQ = "boq"
    """Neither is set, and it is the backout queue of another."""
    FAILING = "failing"
    """Off, and messages on it were rolled back: they are delivered again and again."""
    HALF = "half"
    """One of the two is set (PM-42)."""
    HIGH = "high"
    """Both are set, but BOTHRESH is so high that hardly any message reaches it (BKO012)."""
    SHARED = "shared"
    """Another queue backs out to the same one, or it is the dead-letter queue."""
    FULL = "full"
    """The backout queue is full: messages that are rolled back stay."""
    BROKEN = "broken"
    """The put to the backout queue fails, for some messages at least."""
    LOOP = "loop"
    """Following BOQNAME leads back to this queue."""


NO_PROBLEM: Final = frozenset({BackoutState.OK, BackoutState.OFF, BackoutState.BOQ})


class QueueBackout(NamedTuple):
    """The state of one queue, with a sentence for each thing found."""

    state: BackoutState
    problems: tuple[str, ...]
    base: ObjectDefinition | None
    """The queue that BOQNAME leads to in the end, None where it leads nowhere."""


def threshold_of(queue: ObjectDefinition) -> int:
    """BOTHRESH in rollbacks; 0 turns poison handling off."""
    return int(queue.attributes.get("BOTHRESH", 0))


def boqname_of(queue: ObjectDefinition) -> str:
    """BOQNAME, "" when blank."""
    return str(queue.attributes.get("BOQNAME", "")).strip()


def half_set(queue: ObjectDefinition) -> str:
    """What follows where only one of BOTHRESH and BOQNAME is set; "" where both or none are."""
    threshold, name = threshold_of(queue), boqname_of(queue)
    if threshold and not name:
        return f"BOTHRESH({threshold}) without BOQNAME: to the dead-letter queue, or discarded"
    return "BOTHRESH is 0: BOQNAME is never used" if name and not threshold else ""


class Routes(NamedTuple):
    """Where BOQNAME leads from all queues, so that 10,000 of them are judged in one pass.

    Attributes:
        users: local queues whose BOQNAME leads to a queue, by the name of that one.
        in_loop: queues that following BOQNAME from them comes back to.
    """

    users: Mapping[str, Sequence[str]]
    in_loop: frozenset[str]


def routes_of(queues: Queues) -> Routes:
    """Follow every BOQNAME once."""
    users: dict[str, list[str]] = {}
    following: dict[str, str] = {}
    for queue in queues.values():
        base = lead(boqname_of(queue), queues)[0] if boqname_of(queue) else None
        if base is not None and queue.kind == "QLOCAL":
            following[queue.name] = base.name
            users.setdefault(base.name, []).append(queue.name)
    in_loop: set[str] = set()
    walks: dict[str, str] = {}  # where the first walk that came by had begun
    for start in following:
        at: str | None = start
        while at is not None and at not in walks:
            walks[at] = start
            at = following.get(at)
        while at is not None and walks[at] == start and at not in in_loop:
            in_loop.add(at)
            at = following[at]
    return Routes(users, frozenset(in_loop))


def judge_backout(
    queue: ObjectDefinition, queues: Queues, deadq: str = "", routes: Routes | None = None
) -> QueueBackout:
    """Judge a local queue's BOTHRESH and BOQNAME."""
    routes = routes or routes_of({**queues, queue.name: queue})
    name, half, high = boqname_of(queue), half_set(queue), too_high(threshold_of(queue))
    if not name:
        state = BackoutState.HALF if half else BackoutState.OFF
        return QueueBackout(state, tuple(filter(None, (half, high))), None)
    base, problem = lead(name, queues)
    if base is not None and queue.name in routes.in_loop:
        text = "BOQNAME is the queue itself" if base.name == queue.name else "BOQNAME leads back"
        return QueueBackout(BackoutState.LOOP, (f"{text}: messages move endlessly",), base)
    broken = [problem] if problem else []
    if base is not None:
        broken += cannot_take(queue, base, queues.get(name))
    shared = sharing(queue, base, routes, deadq)
    state = (
        BackoutState.BROKEN
        if broken
        else BackoutState.HALF
        if half
        else BackoutState.HIGH
        if high
        else BackoutState.SHARED
        if shared
        else BackoutState.OK
    )
    return QueueBackout(state, tuple(filter(None, (*broken, half, high, *shared))), base)


def why_stuck(queue: ObjectDefinition, queues: Queues) -> str:
    """Why poison messages of *queue* cannot be moved to BOQNAME for good; "" where they can."""
    name = boqname_of(queue)
    if not name:
        return ""
    state = judge_backout(queue, queues)
    if state.state in (BackoutState.BROKEN, BackoutState.LOOP):
        return state.problems[0]
    if state.base is not None and state.base.kind != "QLOCAL":
        return f"BOQNAME({name}) resolves to a {state.base.kind}, not a local queue"
    return ""


def lead(name: str, queues: Queues) -> tuple[ObjectDefinition | None, str]:
    """The queue that *name* leads to, and why it leads nowhere."""
    queue_named = queues.get(name)
    if queue_named is None:
        return None, f"BOQNAME({name}) names no queue"
    if queue_named.kind == "QALIAS":
        target = str(queue_named.attributes.get("TARGET", ""))
        if queue_named.attributes.get("TARGTYPE") == "TOPIC":
            why = f"an alias of the topic {target}: poison messages would be published"
            return None, f"BOQNAME({name}) is {why}"
        base = queues.get(target)
        if base is None:
            return None, f"BOQNAME({name}) is an alias of {target or '(blank)'}, which is missing"
        if base.kind in NO_BASE:
            return None, f"BOQNAME({name}) is an alias of {target}, which is a {base.kind}"
        return base, ""
    if queue_named.kind == "QMODEL":
        return None, f"BOQNAME({name}) is a model queue"
    return queue_named, ""


def cannot_take(
    queue: ObjectDefinition, base: ObjectDefinition, named: ObjectDefinition | None
) -> list[str]:
    """Why a put of a message of *queue* to its backout queue would fail."""
    reasons = [
        f"{queue_.name} has PUT(DISABLED)"
        for queue_ in (base, named)
        if queue_ is not None and queue_.attributes.get("PUT") == "DISABLED"
    ]
    reasons = list(dict.fromkeys(reasons))
    here, there = queue.attributes.get("MAXMSGL"), base.attributes.get("MAXMSGL")
    if isinstance(here, int) and isinstance(there, int) and there < here:
        reasons.append(f"MAXMSGL({there}) of {base.name} is below MAXMSGL({here}) of {queue.name}")
    if base.attributes.get("MAXDEPTH") == 0:
        reasons.append(f"{base.name} has MAXDEPTH(0)")
    return reasons


def sharing(
    queue: ObjectDefinition, base: ObjectDefinition | None, routes: Routes, deadq: str
) -> list[str]:
    """Who else puts to the same backout queue."""
    if base is None:
        return []
    sharers = []
    if deadq and base.name == deadq:
        sharers.append(f"{deadq} is the dead-letter queue: these messages have no MQDLH there")
    users = routes.users.get(base.name, ())
    count = len(users) - 1  # it is one of them
    if count:
        some = [name for name in users[:4] if name != queue.name][:3]
        more = f" and {count - 3} more" if count > 3 else ""
        sharers.append(f"shared with {', '.join(some)}{more}: {AMBIGUOUS}")
    return sharers


def ls(backend: Backend, pattern: str | None = None, *, problems: bool = False) -> Listing:
    """List local queues with their backout settings.

    Args:
        pattern: MQSC generic name; None is every queue but those named SYSTEM.*. A name that is
            an alias is the queue it leads to (PM-19).
        problems: only those that are neither ok nor off, and no backout queues without settings.

    Returns:
        The settings; `summary.holding` has the depth of each backout queue that holds messages,
        `summary.maxdepth` its MAXDEPTH, `summary.origins` the queue that it belongs to, if there is
        just one, and `summary.comparable` the same of those whose queue has messages to compare
        with.

    Raises:
        ObjectNotFound: 2085, 2082, where one queue was named and is not there.
        MQIError: 2001, 2057, where it does not lead to a local queue.
    """
    note = ""
    if pattern is not None:
        check_generic_name(pattern)
        if not pattern.endswith("*"):
            queue, note = local_queue(backend, pattern, f"backout settings of {pattern}")
            pattern = queue.name
    fields = columns_of(BackoutSetting)
    if problems:  # what was asked for
        fields = tuple(one._replace(wide=False) if one.key == "problems" else one for one in fields)
    listing = Listing("BackoutSettingList", fields, (), id_key="queue")
    listing.warnings += [note] if note else case_notes(backend, [pattern or "*"])
    listing.items = map(keys_of, _settings(backend, pattern, problems, listing))
    return listing


def _settings(
    backend: Backend, pattern: str | None, only_problems: bool, listing: Listing
) -> Iterator[BackoutSetting]:
    queues = {queue.name: queue for queue in backend.queues("*")}
    deadq = str(backend.queue_manager_attributes().get("DEADQ", "")).strip()
    routes = routes_of(queues)
    counts: dict[str, int] = {}
    holding: dict[str, int] = {}
    owners: dict[str, list[str]] = {}
    for queue in queues.values():
        if queue.kind != "QLOCAL" or not _is_asked_for(queue.name, pattern):
            continue
        state = judge_backout(queue, queues, deadq, routes)
        base = state.base
        if base is not None and base.kind == "QLOCAL" and base.name not in holding:
            holding[base.name] = backend.status(base.name).curdepth
        if base is not None:
            owners.setdefault(base.name, []).append(queue.name)
            state = _with_depth(state, base, holding.get(base.name, 0))
        if state.state is BackoutState.OFF and queue.name in routes.users:
            state = state._replace(state=BackoutState.BOQ)
        if not threshold_of(queue) and state.state is not BackoutState.BOQ:
            state = _with_rolled_back(state, queue, pending(backend, queue))
        counts[state.state] = counts.get(state.state, 0) + 1
        if only_problems and state.state in NO_PROBLEM:
            continue
        yield _setting(backend, queue, queues, state, routes)
    holding = {name: depth for name, depth in holding.items() if depth}
    origins = {name: owners[name][0] for name in holding if len(owners[name]) == 1}
    busy = {boq: name for boq, name in origins.items() if backend.status(name).curdepth}
    most = {name: queues[name].attributes.get("MAXDEPTH") for name in holding}
    listing.summary.update(
        states=counts, holding=holding, maxdepth=most, origins=origins, comparable=busy
    )


def _with_depth(state: QueueBackout, base: ObjectDefinition, depth: int) -> QueueBackout:
    """The result of checking the definitions, and whether the backout queue has room."""
    most = base.attributes.get("MAXDEPTH")
    if not isinstance(most, int) or not 0 < most <= depth:
        return state
    text = f"{base.name} is full ({depth} of {most}): messages that are rolled back stay"
    is_mild = state.state in (BackoutState.OK, BackoutState.SHARED, BackoutState.HIGH)
    return state._replace(
        state=BackoutState.FULL if is_mild else state.state, problems=(text, *state.problems)
    )


def _with_rolled_back(
    state: QueueBackout, queue: ObjectDefinition, count: int | None
) -> QueueBackout:
    """The same of a queue with BOTHRESH(0), and that *count* messages on it were rolled back."""
    if not count:
        return state
    is_off = state.state is BackoutState.OFF
    return state._replace(
        state=BackoutState.FAILING if is_off else state.state,
        problems=(*state.problems, pending_text(queue, count)),
    )


def _is_asked_for(name: str, pattern: str | None) -> bool:
    return not name.startswith("SYSTEM.") if pattern is None else matches(pattern, name)


def _setting(
    backend: Backend,
    queue: ObjectDefinition,
    queues: Queues,
    state: QueueBackout,
    routes: Routes,
) -> BackoutSetting:
    named = queues.get(boqname_of(queue))
    base = state.base
    is_local = base is not None and base.kind == "QLOCAL"
    return BackoutSetting(
        queue=queue.name,
        bothresh=threshold_of(queue),
        boqname=boqname_of(queue),
        boq_type=named.kind if named else None,
        boq_depth=backend.status(base.name).curdepth if base and is_local else None,
        boq_maxdepth=base.attributes.get("MAXDEPTH") if base and is_local else None,
        pending=pending(backend, queue),
        state=state.state.value,
        boq_resolves_to=base.name if base else None,
        hardenbo=queue.attributes.get("HARDENBO"),
        used_as_backout_queue_by=list(routes.users.get(queue.name, ())),
        problems=list(state.problems),
    )


def pending(backend: Backend, queue: ObjectDefinition) -> int | None:
    """Messages on the queue that are at BOTHRESH, or with BOTHRESH(0), that were rolled back.

    None where only a browse counts them: `backout pending` browses and shows them.
    """
    insight = backend.insight
    return None if insight is None else insight.poison_count(queue.name, threshold_of(queue) or 1)


def pending_text(queue: ObjectDefinition, count: int) -> str:
    """What is wrong with *count* messages that are still on an input queue."""
    threshold = threshold_of(queue)
    if threshold:
        return f"{count_text(count)} at BOTHRESH({threshold}), not moved yet"
    return f"{count_text(count)} rolled back; BOTHRESH(0) turns off poison handling"
