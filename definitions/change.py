"""A change to a definition: what was asked, checked; what would change; done and read back.

`queue define|set|delete`, `delay define` and `backout set` plan with `Change` and act with
`carry_out`, so that all of them show the MQSC, the old and the new value, and say "unchanged".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any

from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition
from mqtriage.model.plan import Plan
from mqtriage.model.result import Report
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import parse_size_bytes
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import Attribute, ValueKind
from mqtriage.mq.attributes.catalogue import (
    attribute,
    attributes_of,
    parse_value,
    switch_value,
)
from mqtriage.mq.errors import (
    MQTriageError,
    NotAuthorized,
    ObjectNotFound,
    UsageError,
    mqi_error,
)
from mqtriage.mq.mqsc.format import alter_text, define_text
from mqtriage.mq.mqsc.tokens import read_parameters
from mqtriage.mq.mqsc.tree import Parameter
from mqtriage.mq.names import check_queue_name
from mqtriage.mq.transmission import (
    NO_BASE,
    Unresolved,
    alias_problem,
    remote_problem,
    topic_alias_problem,
    transmission_queue,
)
from mqtriage.records import dataclass

Attributes = Mapping[str, AttributeValue]


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """One DEFINE or ALTER.

    Attributes:
        verb: "define" or "alter".
        attributes: only those that the command names.
    """

    verb: str
    kind: str
    name: str
    attributes: Attributes

    @property
    def mqsc(self) -> str:
        write = define_text if self.verb == "define" else alter_text
        return write(self.kind, self.name, self.attributes)


@dataclass(slots=True)
class Change:
    """A planned change: the plan to show and the steps to take.

    Attributes:
        asked: all attributes that were asked for, also those that are so already.
    """

    plan: Plan
    steps: tuple[ChangeStep, ...] = ()
    asked: Attributes = field(default_factory=dict)


def read_assignments(kind: str, texts: Iterable[str]) -> dict[str, AttributeValue]:
    """Read ``MAXDEPTH=5000 NOSHARE DESCR='a queue'``; each attribute may stand once."""
    assignments: dict[str, AttributeValue] = {}
    for keyword, value in split_assignments(texts):
        entry = attribute(kind, keyword)
        if entry is None:
            raise UsageError(
                f"{keyword[:64]!r}: not an attribute of {kind}{_meant(kind, keyword)}",
                hint=_known(kind),
            )
        if entry.read_only:
            raise UsageError(f"{entry.keyword}: can be displayed, but not set")
        if entry.keyword in assignments:
            raise UsageError(f"{entry.keyword} is given twice", hint="give each attribute once")
        assignments[entry.keyword] = _read_value(entry, keyword, value)
    return assignments


def split_assignments(texts: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Keyword and value of each ``PUT=ENABLED`` or ``PUT(ENABLED) NOSHARE``; None for no value.

    Raises:
        UsageError: With parentheses, but not as MQSC has it.
    """
    for text in texts:
        keyword, equals, value = text.partition("=")
        if "(" not in keyword:
            yield keyword.strip(), value if equals else None
            continue
        parameters: list[Parameter] = []
        fault, _ = read_parameters(text, 0, len(text), 1, 0, parameters)
        if fault is not None:
            hint = "write KEYWORD(VALUE), as in MQSC"
            raise UsageError(f"{text[:64]!r}: {fault.message}", hint=hint)
        for parameter in parameters:
            if len(parameter.values or ()) > 1:
                raise UsageError(
                    f"{parameter.keyword} takes one value: text with blanks or commas needs quotes",
                    hint=f"{parameter.keyword}('...')",
                )
            yield parameter.keyword, None if parameter.values is None else parameter.text


def _read_value(entry: Attribute, keyword: str, value: str | None) -> AttributeValue:
    if value is None:
        if entry.kind is ValueKind.FLAG:
            return "YES" if keyword.upper() == entry.keyword else switch_value(keyword)
        raise UsageError(f"{entry.keyword} needs a value", hint=f"{entry.keyword}=VALUE")
    if entry.kind is ValueKind.FLAG and keyword.upper() != entry.keyword:
        raise UsageError(f"{keyword.upper()} takes no value", hint=f"write only {keyword.upper()}")
    if entry.unit == "bytes" and value[-1:].upper() == "B":
        value = str(parse_size_bytes(value, what=entry.keyword))
    return parse_value(entry, value)


def _meant(kind: str, keyword: str) -> str:
    from difflib import get_close_matches

    known = [entry.keyword for entry in attributes_of(kind) if not entry.read_only]
    near = get_close_matches(keyword.strip().upper(), known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _known(kind: str) -> str:
    return "attributes: " + ", ".join(a.keyword for a in attributes_of(kind) if not a.read_only)


def check_fits(backend: Backend, kind: str, attributes: Attributes) -> None:
    """Refuse an attribute of the other platform, or one that this queue manager's ALTER refuses."""
    here = backend.platform
    for keyword in attributes:
        entry = attribute(kind, keyword)
        if entry is not None and not entry.exists_on(here):
            where = "z/OS" if here == "zos" else "distributed"
            raise UsageError(f"{keyword}: not an attribute of {kind} on {where}")


def differences(
    now: Attributes, desired: Attributes
) -> dict[str, tuple[AttributeValue | None, AttributeValue]]:
    """Attribute to (value now, value then) for those of *desired* that differ."""
    return {
        keyword: (now.get(keyword), value)
        for keyword, value in desired.items()
        if now.get(keyword) != value
    }


def alteration(action: str, definition: ObjectDefinition, desired: Attributes) -> Change:
    """Plan an ALTER of what differs; nothing differs: no step, count 0."""
    changes = differences(definition.attributes, desired)
    only = {keyword: value for keyword, (_, value) in changes.items()}
    steps = (ChangeStep("alter", definition.kind, definition.name, only),) if only else ()
    plan = Plan(
        action,
        definition.name,
        count=len(changes),
        mqsc=tuple(step.mqsc for step in steps),
        changes=changes,
    )
    return Change(plan, steps)


def case_notes(backend: Backend, patterns: Iterable[str]) -> list[str]:
    """What to say of generic names that would name local queues if they were in capitals."""
    return [note for pattern in patterns if (note := _case_note(backend, pattern))]


def _case_note(backend: Backend, pattern: str) -> str:
    if not (meant := in_capitals(backend, pattern)) or list(backend.queues(pattern)):
        return ""
    return f"no queue is named {pattern}; did you mean '{meant}'?"


def in_capitals(backend: Backend, pattern: str) -> str:
    """A generic name in capitals, where it names local queues only so; else ""."""
    capitals = pattern.upper()
    if pattern == capitals or not pattern.endswith("*"):
        return ""
    named = backend.queues(capitals)
    return capitals if any(queue.kind == "QLOCAL" for queue in named) else ""


def local_queue(backend: Backend, name: str, doing: str) -> tuple[ObjectDefinition, str]:
    """The local queue that *name* means, and a sentence where it is an alias of it (PM-19).

    Raises:
        ObjectNotFound: 2085; 2082 where the alias leads nowhere.
        MQIError: 2001 for an alias of an alias; 2057 for a type without messages of its own.
    """
    definition = backend.queue(check_queue_name(name))
    note = ""
    if definition.kind == "QALIAS":
        definition = alias_base(backend, definition, doing)
        note = f"{name} is an alias of {definition.name}: this is about {definition.name}"
    if definition.kind != "QLOCAL":
        raise mqi_error(
            cmqc.MQRC_Q_TYPE_ERROR,
            doing,
            detail=f"{definition.name} is a {definition.kind}, not a local queue",
            object_name=definition.name,
        )
    return definition, note


def alias_base(backend: Backend, alias: ObjectDefinition, doing: str) -> ObjectDefinition:
    """The queue that an alias names.

    Raises:
        ObjectNotFound: 2082: it does not exist.
        MQIError: 2001: it is an alias itself, or a model queue; 2045: it is a topic.
    """
    target = str(alias.attributes.get("TARGET", ""))
    if alias.attributes.get("TARGTYPE") == "TOPIC":
        raise topic_alias_problem(alias.name, target).error(doing)
    base = find_queue(backend, target)
    if base is not None and base.kind not in NO_BASE:
        return base
    problem = alias_problem(alias.name, target, base.kind if base is not None else "")
    hint = f"mqtriage queue set {shell_word(alias.name)} TARGET=QUEUE"
    raise problem._replace(hint=hint).error(doing)


def is_topic_alias(queue: ObjectDefinition) -> bool:
    """Whether what is put there is published."""
    return queue.kind == "QALIAS" and queue.attributes.get("TARGTYPE") == "TOPIC"


def put_path(backend: Backend, name: str, doing: str) -> tuple[ObjectDefinition, ...]:
    """The definitions from *name* to the queue that a put lands on, as MQOPEN follows them.

    An alias of a topic is its own end: what is put there is published. For a remote queue that is
    its transmission queue; the remote queue itself where we may not look at that, as a put needs no
    authority to.

    Raises:
        ObjectNotFound: 2085, 2082, 2087.
        MQIError: 2001, 2091, 2092, 2184, 2196 to 2199.
    """
    path = [backend.queue(check_queue_name(name))]
    if is_topic_alias(path[-1]):
        return tuple(path)
    if path[-1].kind == "QALIAS":
        path.append(alias_base(backend, path[-1], doing))
    remote = path[-1]
    if remote.kind != "QREMOTE":
        return tuple(path)
    problem = remote_problem(remote.name, remote.attributes, backend.queue_manager)
    if problem is not None:
        raise problem.error(doing)

    def kind_of(queue: str) -> str:
        definition = find_queue(backend, queue)
        if definition is None:
            return ""
        is_transmission = definition.attributes.get("USAGE") == "XMITQ"
        return "XMITQ" if is_transmission else definition.kind

    attributes = remote.attributes
    with suppress(NotAuthorized):
        default = str(backend.queue_manager_attributes().get("DEFXMITQ", ""))
        named = str(attributes.get("XMITQ", ""))
        transmission = transmission_queue(str(attributes["RQMNAME"]), named, default, kind_of)
        if isinstance(transmission, Unresolved):
            raise transmission.error(doing)
        path.append(backend.queue(transmission))
    return tuple(path)


def leaves(path: Sequence[ObjectDefinition]) -> bool:
    """Whether what is put by *path* (`put_path`) lands on a transmission queue, behind an MQXQH."""
    return len(path) > 1 and path[-2].kind == "QREMOTE"


def find_queue(backend: Backend, name: str) -> ObjectDefinition | None:
    """The definition, or None when there is none."""
    if not name:
        return None
    try:
        return backend.queue(name)
    except ObjectNotFound:
        return None


def change_records(plan: Plan) -> list[dict[str, Any]]:
    """The changes as JSON content."""
    return [{"attribute": k, "from": now, "to": then} for k, (now, then) in plan.changes.items()]


def unchanged(change: Change) -> Report:
    """The report where nothing had to be done."""
    plan = change.plan
    return Report(
        "DefinitionReport",
        plan.action,
        plan.queue,
        changed=False,
        details={"mqsc": [], "changes": []},
        warnings=list(plan.warnings),
    )


def carry_out(backend: Backend, change: Change) -> Report:
    """Run the steps, read every definition again, and report what it says now.

    Raises:
        MQIError, UsageError: A step was refused; those before it stand.
        MQTriageError: The queue manager took a step and shows another value.
    """
    plan = change.plan
    for step in change.steps:
        if step.verb == "define":
            backend.define(step.kind, step.name, step.attributes)
        else:
            backend.alter(step.kind, step.name, step.attributes)
    for step in change.steps:
        shown = backend.queue(step.name).attributes
        for keyword, value in step.attributes.items():
            if shown.get(keyword) != value:
                raise MQTriageError(
                    f"{step.verb} {step.name}: {keyword} was set to {value!r}, "
                    f"the queue manager shows {shown.get(keyword)!r}",
                    hint=f"mqtriage queue show {shell_word(step.name)}",
                    object_name=step.name,
                )
    return Report(
        "DefinitionReport",
        plan.action,
        plan.queue,
        planned=plan.count,
        done=plan.count,
        details={**plan.facts, "changes": change_records(plan), "mqsc": list(plan.mqsc)},
        warnings=list(plan.warnings),
    )
