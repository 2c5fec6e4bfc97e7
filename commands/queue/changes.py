"""`mqtriage queue define|set|delete`: plan, then act; a second run says "unchanged"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqtriage.backends.name_resolution import find_queue
from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.commands.queue.queues import alias_problem, settable
from mqtriage.definitions.backout_policy import boqname_of, why_stuck
from mqtriage.definitions.change import (
    Attributes,
    Change,
    ChangeStep,
    alteration,
    check_fits,
    differences,
    read_assignments,
    split_assignments,
)
from mqtriage.model.plan import LOST, Plan, Refusal
from mqtriage.model.result import Report
from mqtriage.model.shell_words import shell_word
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import HOLDING
from mqtriage.mq.attributes.catalogue import attribute
from mqtriage.mq.delay import GREATEST_MAXMSGL, STAGING_QUEUE
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQIError,
    MQTriageError,
    UsageError,
    mqi_error,
)
from mqtriage.mq.mqsc.format import define_text, delete_text
from mqtriage.mq.names import check_queue_name

KINDS: Final = ("QLOCAL", "QALIAS")


def plan_define(
    backend: Backend, name: str, assignments: Sequence[str], *, like: str = ""
) -> Change:
    """Plan a DEFINE NOREPLACE of a local queue, or of an alias where a target is given.

    Args:
        assignments: ``ATTR=VALUE`` or ``ATTR(VALUE)``, or a bare switch such as NOSHARE.
        like: take the attributes that are not given from this queue.

    Raises:
        UsageError: A wrong name, attribute or value, or things that exclude each other.
        ObjectNotFound: 2085 for *like*.
        MQIError: 2100 where the queue is there and is another.
    """
    check_queue_name(name)
    model = backend.queue(check_queue_name(like)) if like else None
    kind = _kind(assignments, model)
    given = read_assignments(kind, assignments)
    if kind == "QALIAS" and not given.get("TARGET"):
        raise UsageError(f"define {name}: an alias needs the name of its target")
    attributes = {**(settable(backend, model) if model else {}), **given}
    check_fits(backend, kind, attributes)
    there = find_queue(backend, name)
    if there is not None:
        return _already_there(there, kind, attributes)
    plan = Plan("define", name, count=max(1, len(given)))
    step = ChangeStep("define", kind, name, attributes)
    plan.mqsc = (define_text(kind, name, given, like=like),)
    change = Change(plan, (step,))
    plan.warnings += _warnings(backend, kind, name, attributes)
    plan.warnings += _backout_warnings(backend, ObjectDefinition(name, kind, attributes))
    if like:
        plan.notes.insert(0, f"all other attributes come from {like}")
    return change


def _kind(assignments: Sequence[str], model: ObjectDefinition | None) -> str:
    keywords = {keyword.upper() for keyword, _ in split_assignments(assignments)}
    wants_alias = bool(keywords & {"TARGET", "TARGQ"})
    kind = "QALIAS" if wants_alias else "QLOCAL"
    if model is None:
        return kind
    if wants_alias and model.kind != "QALIAS":
        raise UsageError(
            f"--like {model.name} is a {model.kind}, an alias cannot be defined like it",
            hint="omit --like or the target",
        )
    if model.kind not in KINDS:
        raise UsageError(f"--like {model.name}: a {model.kind} cannot be defined by this version")
    return model.kind


def _already_there(there: ObjectDefinition, kind: str, attributes: Attributes) -> Change:
    """Nothing to do when it is as asked; DEFINE NOREPLACE fails when it is not."""
    changes = differences(there.attributes, attributes)
    if there.kind == kind and not changes:
        return Change(Plan("define", there.name))
    if there.kind != kind:
        detail = f"it is a {there.kind}"
    else:
        detail = "it differs in " + ", ".join(changes)
    raise mqi_error(
        cmqc.MQRC_OBJECT_ALREADY_EXISTS,
        f"define {kind}({there.name})",
        detail=detail,
        hint=f"to change it: mqtriage queue set {shell_word(there.name)} ATTR=VALUE",
        object_name=there.name,
    )


def plan_set(backend: Backend, name: str, assignments: Sequence[str]) -> Change:
    """Plan an ALTER of the queue itself: an alias is altered, not the queue that it names."""
    if not assignments:
        raise UsageError(f"set {name}: nothing to set", hint="ATTR=VALUE, for example GET=DISABLED")
    definition = backend.queue(check_queue_name(name))
    try:
        attributes = read_assignments(definition.kind, assignments)
    except UsageError as error:
        target = definition.attributes.get("TARGET")
        given = split_assignments(assignments)
        of_local = any(attribute("QLOCAL", keyword) for keyword, _ in given)
        if definition.kind == "QALIAS" and target and of_local:
            hint = f"{name} is an alias: mqtriage queue set {shell_word(str(target))} ..."
            raise UsageError(error.text, hint=hint) from error
        raise
    check_fits(backend, definition.kind, attributes)
    change = alteration("set", definition, attributes)
    change.plan.warnings += _warnings(backend, definition.kind, name, attributes)
    if attributes.keys() & {"BOTHRESH", "BOQNAME"}:
        after = {**definition.attributes, **attributes}
        altered = ObjectDefinition(name, definition.kind, after)
        change.plan.warnings += _backout_warnings(backend, altered)
    if definition.kind == "QLOCAL":
        maxdepth, curdepth = attributes.get("MAXDEPTH"), backend.status(name).curdepth
        if isinstance(maxdepth, int) and maxdepth < curdepth:
            change.plan.warnings.append(
                f"MAXDEPTH({maxdepth}) is below CURDEPTH({curdepth}): messages stay, puts fail"
            )
    return change


def _warnings(backend: Backend, kind: str, name: str, attributes: Attributes) -> list[str]:
    warnings: list[str] = []
    if kind == "QALIAS" and "TARGET" in attributes:
        problem = alias_problem(backend, ObjectDefinition(name, kind, attributes))
        warnings += [f"applications would currently fail: {problem}"] if problem else []
    length = attributes.get("MAXMSGL")
    most = int(backend.queue_manager_attributes().get("MAXMSGL", GREATEST_MAXMSGL))
    if kind in HOLDING and isinstance(length, int) and length > most:
        warnings.append(
            f"MAXMSGL({length}) is above MAXMSGL({most}) of queue manager {backend.queue_manager}:"
            f" longer messages need ALTER QMGR MAXMSGL({length})"
        )
    if name != STAGING_QUEUE:
        return warnings
    # what stops delivery delay (DD-86 to DD-90)
    if attributes.get("GET") == "DISABLED":
        warnings.append("GET(DISABLED) stops the delivery delay processor")
    if attributes.get("PUT") == "DISABLED":
        text = "with PUT(DISABLED) delayed sends fail (2051)"
        if backend.platform == "zos":
            text += "; on z/OS it also stops the delivery delay processor"
        warnings.append(text)
    return warnings


def _backout_warnings(backend: Backend, queue: ObjectDefinition) -> list[str]:
    """What `backout set` refuses: a BOQNAME that poison messages cannot be moved to.

    Args:
        queue: as the change leaves it.
    """
    if queue.kind not in HOLDING or not boqname_of(queue):
        return []
    try:
        queues = {definition.name: definition for definition in backend.queues("*")}
    except ConnectionFailed:
        raise
    except MQIError:  # no list of queues: nothing is known of the others
        return []
    problem = why_stuck(queue, {**queues, queue.name: queue})
    return [f"poison messages cannot be moved to the backout queue: {problem}"] if problem else []


def plan_delete(
    backend: Backend, name: str, *, purge: bool = False, missing_ok: bool = False
) -> Change:
    """Plan a DELETE; with *missing_ok* nothing is to do where there is no such queue."""
    if missing_ok and find_queue(backend, check_queue_name(name)) is None:
        return Change(Plan("delete", name, notes=["there is no such queue"]))
    definition = backend.queue(check_queue_name(name))
    with_purge = purge and definition.kind == "QLOCAL"
    plan = Plan("delete", name, count=1)
    plan.mqsc = (delete_text(definition.kind, name, purge=with_purge),)
    if definition.kind == "QLOCAL":
        curdepth = backend.status(name).curdepth
        plan.facts["curdepth"] = curdepth
        if curdepth and purge:
            plan.confirm = name
            plan.facts[LOST] = {name: curdepth}
            plan.notes.append(
                f"CURDEPTH({curdepth}): the messages are deleted with the queue and not archived; "
                f"mqtriage msg purge {shell_word(name)} keeps them in an archive"
            )
        elif curdepth:
            plan.refusals.append(
                Refusal(
                    f"delete {name}: CURDEPTH({curdepth}), it contains messages",
                    f"mqtriage msg purge {shell_word(name)} keeps them in an archive",
                )
            )
    plan.notes += _used_by(backend, name)
    return Change(plan, (ChangeStep("delete", definition.kind, name, {}),))


def _used_by(backend: Backend, name: str) -> list[str]:
    """Who names this queue: aliases, backout settings, the queue manager."""
    uses = [
        f"{queue.kind}({queue.name}) names it in {keyword}"
        for queue in backend.queues("*")
        for keyword in ("TARGET", "BOQNAME")
        if queue.attributes.get(keyword) == name
    ]
    if backend.queue_manager_attributes().get("DEADQ") == name:
        uses.append("it is the dead-letter queue of the queue manager")
    if name.startswith("SYSTEM."):
        uses.append("it is an object of the queue manager itself")
    return uses


def delete(backend: Backend, change: Change, *, purge: bool = False) -> Report:
    """Delete, and look that it is gone.

    Raises:
        MQIError: 2055 while there are messages, 2042 while it is open.
    """
    plan = change.plan
    step = change.steps[0]
    before = {}
    if step.kind == "QLOCAL":
        before[plan.queue] = backend.status(plan.queue).curdepth
    backend.delete(step.kind, plan.queue, purge=purge)
    if find_queue(backend, plan.queue) is not None:
        raise MQTriageError(f"delete {plan.queue}: it is still there", object_name=plan.queue)
    return Report(
        "DefinitionReport",
        "delete",
        plan.queue,
        planned=1,
        done=1,
        before=before,
        details={"mqsc": list(plan.mqsc)},
    )
