"""`mqtriage backout set|unset`: BOTHRESH and BOQNAME of a local queue, and its backout queue."""

from __future__ import annotations

from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition
from mqtriage.definitions.backout_policy import CACHED_NOTE, boqname_of, standing, threshold_of
from mqtriage.definitions.change import Change, Step, alteration, find_queue, local_queue, platform
from mqtriage.mq.attributes.catalogue import attribute, attributes_of, defaults, parse_value
from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import check_queue_name

NOT_COPIED = ("BOTHRESH", "BOQNAME", "TRIGGER", "CLUSTER", "CLUSNL", "STREAMQ", "USAGE", "CAPEXPRY")
"""What a backout queue does not take over: a second hop, a trigger, a cluster, copies, a cap."""


def plan_set(
    backend: Backend,
    name: str,
    *,
    threshold: str | None = None,
    boq: str | None = None,
    create_boq: bool = False,
    like: str = "",
) -> Change:
    """Plan the ALTER, after a DEFINE of the backout queue where *create_boq* asks for it.

    Args:
        name: an alias is followed to the queue that holds the messages (PM-19).
        threshold: BOTHRESH, 0 to 999999999.
        boq: BOQNAME; "" clears it.
        like: the queue whose attributes a created backout queue gets; the input queue else.

    Raises:
        UsageError: Nothing to set, or a wrong number or name.
        ObjectNotFound: 2085, 2082.
        MQIError: 2001, 2057.
    """
    if threshold is None and boq is None:
        raise UsageError(
            f"backout set {name}: nothing to set", hint="--threshold N, --boq QUEUE, or both"
        )
    if create_boq and not boq:
        raise UsageError("--create-boq needs the name: --boq QUEUE")
    if like and not create_boq:
        raise UsageError("--like says how --create-boq defines the backout queue: give both")
    queue, note = local_queue(backend, name, f"backout set {name}")
    wanted = _wanted(threshold, boq)
    change = alteration("set", queue, wanted)
    plan = change.plan
    if note:
        plan.warnings.append(note)
    if create_boq and boq:
        _add_define(backend, change, queue, boq, like)
    plan.warnings += _findings(backend, queue, wanted, change.steps)
    if change.steps:
        plan.notes.append(CACHED_NOTE)
    return change


def _wanted(threshold: str | None, boq: str | None) -> dict[str, AttributeValue]:
    wanted: dict[str, AttributeValue] = {}
    for keyword, text in (("BOTHRESH", threshold), ("BOQNAME", boq)):
        entry = attribute("QLOCAL", keyword)
        if text is None or entry is None:
            continue
        if keyword == "BOQNAME" and text.strip():
            check_queue_name(text)
        wanted[keyword] = parse_value(entry, text)
    return wanted


def _add_define(
    backend: Backend, change: Change, queue: ObjectDefinition, boq: str, like: str
) -> None:
    """Put the DEFINE of the backout queue before the ALTER; say so where it is there already."""
    if find_queue(backend, boq) is not None:
        change.plan.notes.append(f"{boq} exists already and stays as it is")
        return
    model = local_queue(backend, like, f"--like {like}")[0] if like else queue
    step = Step("define", "QLOCAL", boq, boq_attributes(backend, model, queue))
    change.steps = (step, *change.steps)
    change.plan.mqsc = tuple(each.mqsc for each in change.steps)
    change.plan.count += 1
    change.plan.facts["creates"] = boq


def boq_attributes(
    backend: Backend, model: ObjectDefinition, queue: ObjectDefinition
) -> dict[str, AttributeValue]:
    """What a created backout queue gets: the model's attributes that differ from the defaults.

    It takes at least as long messages as the input queue, is open for puts and gets, and has no
    backout queue of its own.
    """
    here = platform(backend)
    default = find_queue(backend, "SYSTEM.DEFAULT.LOCAL.QUEUE")
    usual = default.attributes if default else defaults("QLOCAL", here)
    found: dict[str, AttributeValue] = {
        entry.keyword: model.attributes[entry.keyword]
        for entry in attributes_of("QLOCAL", here)
        if not entry.read_only
        and entry.keyword in model.attributes
        and entry.keyword not in (*NOT_COPIED, "DESCR", "PUT", "GET", "MAXMSGL")
        and model.attributes[entry.keyword] != usual.get(entry.keyword)
    }
    longest = max(int(each.attributes.get("MAXMSGL", 0)) for each in (model, queue))
    found["DESCR"] = f"Backout queue of {queue.name}"[:64]
    found["MAXMSGL"] = longest
    return found


def _findings(
    backend: Backend,
    queue: ObjectDefinition,
    wanted: dict[str, AttributeValue],
    steps: tuple[Step, ...],
) -> list[str]:
    """What `backout ls` would say of the queue after the change."""
    queues = {each.name: each for each in backend.queues("*")}
    after = ObjectDefinition(queue.name, queue.kind, {**queue.attributes, **wanted})
    queues[queue.name] = after
    for step in steps:
        if step.verb == "define":
            queues[step.name] = ObjectDefinition(step.name, step.kind, step.attributes)
    deadq = str(backend.queue_manager_attributes().get("DEADQ", "")).strip()
    found = list(standing(after, queues, deadq).problems)
    name = boqname_of(after)
    if name and name not in queues:
        found.append(f"--create-boq would define {name}")
    if threshold_of(after) and not name:
        found.append("add --boq QUEUE: a threshold calls for a backout queue")
    return found


def plan_unset(backend: Backend, name: str) -> Change:
    """Plan BOTHRESH(0) BOQNAME(' ').

    Raises:
        UsageError: Not a name.
        ObjectNotFound: 2085, 2082.
        MQIError: 2001, 2057.
    """
    queue, note = local_queue(backend, name, f"backout unset {name}")
    change = alteration("unset", queue, {"BOTHRESH": 0, "BOQNAME": ""})
    if note:
        change.plan.warnings.append(note)
    if change.steps:
        change.plan.notes.append(CACHED_NOTE)
    return change
