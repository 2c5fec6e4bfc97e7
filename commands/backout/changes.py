"""`mqtriage backout set`: BOTHRESH and BOQNAME of a local queue, and its backout queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mqtriage.backends.name_resolution import find_queue, local_queue
from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition
from mqtriage.commands.queue.queues import settable
from mqtriage.definitions import backout_policy
from mqtriage.definitions.analysis_file import read_analysis, row_of
from mqtriage.definitions.change import Change, ChangeStep, alteration
from mqtriage.definitions.rules.backout_queues import NEUTRAL, RFH2_ROOM_BYTES
from mqtriage.model.plan import Refusal
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.catalogue import attribute, defaults, parse_value
from mqtriage.mq.attributes.system_objects import default_name
from mqtriage.mq.errors import NotFound, UsageError, mqi_error
from mqtriage.mq.names import check_queue_name


def plan_set(
    backend: Backend,
    name: str,
    *,
    threshold: str | None = None,
    boq: str | None = None,
    create_boq: bool = False,
    like: str = "",
    allow_missing_boq: bool = False,
) -> Change:
    """Plan the ALTER, after a DEFINE of the backout queue where *create_boq* asks for it.

    Args:
        name: an alias is followed to the queue that holds the messages (PM-19).
        threshold: BOTHRESH, 0 to 999999999.
        boq: BOQNAME; "" clears it.
        like: the queue whose attributes a created backout queue gets; the input queue else.
        allow_missing_boq: warn of a backout queue that cannot take the messages, in place of a
            refusal.

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
    _refuse_model(backend, name, threshold, boq)
    queue, note = local_queue(backend, name, f"backout set {name}")
    attributes = _given(threshold, boq)
    change = alteration("set", queue, attributes)
    plan = change.plan
    if note:
        plan.warnings.append(note)
    if create_boq and boq:
        _add_define(backend, change, queue, boq, like)
    after, queues = _after(backend, queue, attributes, change.steps)
    stuck = [] if allow_missing_boq or not change.steps else _stuck(after, queues)
    plan.refusals += [Refusal(f"backout set {queue.name}: {one.text}", one.hint) for one in stuck]
    plan.warnings += [] if stuck else _findings(backend, after, queues)
    if change.steps:
        plan.notes.append(backout_policy.CACHED_NOTE)
    return change


def _refuse_model(backend: Backend, name: str, threshold: str | None, boq: str | None) -> None:
    """A model queue has no messages: tell the command that changes what is made of it.

    Raises:
        MQIError: 2057.
    """
    queue = find_queue(backend, name)
    if queue is None or queue.kind != "QMODEL":
        return
    texts = (("BOTHRESH", threshold), ("BOQNAME", boq and f"'{boq}'"))
    settings = " ".join(f"{keyword}({text})" for keyword, text in texts if text)
    raise mqi_error(
        cmqc.MQRC_Q_TYPE_ERROR,
        f"backout set {name}",
        detail=f"{name} is a QMODEL, not a local queue",
        hint=f'for queues created from it in future: echo "ALTER QMODEL({name}) {settings}"'
        " | mqtriage mqsc -",
        object_name=name,
    )


def threshold_from(path: str, queue_manager: str, queue: str) -> str:
    """BOTHRESH as `mqtriage analyze cohort` advises it.

    Raises:
        NotFound: No such file, nothing of that queue in it, or too few of its messages were seen
            to be backed out for good, so that nothing tells a threshold.
        UsageError: The file is no such analysis.
    """
    row = row_of(read_analysis(path, "cohort"), path, queue_manager=queue_manager, queue=queue)
    value = row.get("bothresh")
    if not isinstance(value, int) or isinstance(value, bool):
        why = row.get("bothresh_sum") or "no message was rolled back and given up"
        raise NotFound(f"{path}: no BOTHRESH for {queue}: {why}", hint="give --threshold N")
    return str(value)


def _stuck(queue: ObjectDefinition, queues: Mapping[str, ObjectDefinition]) -> list[Refusal]:
    """Why poison messages of *queue* would be lost or stay where they are."""
    problem = backout_policy.why_stuck(queue, queues)
    if not problem:
        return []
    missing = backout_policy.boqname_of(queue) not in queues
    hint = "--create-boq defines it" if missing else "name another queue with --boq"
    return [Refusal(problem, hint)]


def _given(threshold: str | None, boq: str | None) -> dict[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {}
    for keyword, text in (("BOTHRESH", threshold), ("BOQNAME", boq)):
        entry = attribute("QLOCAL", keyword)
        if text is None or entry is None:
            continue
        if keyword == "BOQNAME" and text.strip():
            check_queue_name(text)
        attributes[keyword] = parse_value(entry, text)
    return attributes


def _add_define(
    backend: Backend, change: Change, queue: ObjectDefinition, boq: str, like: str
) -> None:
    """Put the DEFINE of the backout queue before the ALTER; say so where it is there already."""
    if find_queue(backend, boq) is not None:
        change.plan.notes.append(f"{boq} already exists and does not change")
        return
    model = local_queue(backend, like, f"--like {like}")[0] if like else queue
    step = ChangeStep("define", "QLOCAL", boq, boq_attributes(backend, model, queue))
    change.steps = (step, *change.steps)
    change.plan.mqsc = tuple(step.mqsc for step in change.steps)
    change.plan.count += 1
    change.plan.facts["creates"] = boq


def boq_attributes(
    backend: Backend, model: ObjectDefinition, queue: ObjectDefinition
) -> dict[str, AttributeValue]:
    """What a created backout queue gets: the model's attributes that differ from the defaults.

    It takes the longest messages of the input queue with an MQRFH2 besides, is open for puts and
    gets, and has no backout queue of its own.
    """
    default = find_queue(backend, default_name("QLOCAL"))
    usual = default.attributes if default else defaults("QLOCAL", backend.platform)
    left_out = (*NEUTRAL, "BOTHRESH", "BOQNAME", "DESCR", "MAXMSGL")
    attributes = {
        keyword: value
        for keyword, value in settable(backend, model).items()
        if keyword not in left_out and value != usual.get(keyword)
    }
    longest = max(int(definition.attributes.get("MAXMSGL", 0)) for definition in (model, queue))
    attributes["DESCR"] = f"Backout queue of {queue.name}"[:64]
    attributes["MAXMSGL"] = _with_room(longest, backend.queue_manager_attributes())
    return attributes


def _after(
    backend: Backend,
    queue: ObjectDefinition,
    attributes: Mapping[str, AttributeValue],
    steps: Iterable[ChangeStep],
) -> tuple[ObjectDefinition, dict[str, ObjectDefinition]]:
    """The queue as the change leaves it, and every queue by name."""
    after = ObjectDefinition(queue.name, queue.kind, {**queue.attributes, **attributes})
    queues = {definition.name: definition for definition in backend.queues("*")}
    queues |= {
        step.name: ObjectDefinition(step.name, step.kind, step.attributes)
        for step in steps
        if step.verb == "define"
    }
    return after, queues | {queue.name: after}


def _findings(
    backend: Backend, queue: ObjectDefinition, queues: Mapping[str, ObjectDefinition]
) -> list[str]:
    """What `backout ls` would say of the queue after the change."""
    manager = backend.queue_manager_attributes()
    state = backout_policy.judge_backout(queue, queues, str(manager.get("DEADQ", "")).strip())
    problems = list(state.problems)
    name = backout_policy.boqname_of(queue)
    if name and name not in queues:
        problems.append(f"--create-boq would define {name}")
    if backout_policy.threshold_of(queue) and not name:
        problems.append("add --boq QUEUE: a threshold needs a backout queue")
    if state.base is not None and state.base.kind == "QLOCAL":
        own, room = (
            int(definition.attributes.get("MAXMSGL", 0)) for definition in (queue, state.base)
        )
        if own <= room < _with_room(own, manager):
            problems.append(
                f"MAXMSGL({room}) of {state.base.name} leaves no room for the MQRFH2 that a JMS"
                f" client adds ({RFH2_ROOM_BYTES} bytes assumed) above MAXMSGL({own})"
            )
    return problems


def _with_room(length: int, manager: Mapping[str, AttributeValue]) -> int:
    """MAXMSGL of a backout queue for messages of *length* bytes, as far as the queue manager's."""
    return max(length, min(length + RFH2_ROOM_BYTES, int(manager.get("MAXMSGL") or length)))
