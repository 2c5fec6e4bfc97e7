"""A change to a definition: what was asked, checked; what would change; done and read back.

`queue define|set|delete`, `delay define` and `backout set` plan with `Change` and act with
`carry_out`, so that all of them show the MQSC, the old and the new value, and say "unchanged".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition
from mqtriage.model.plan import Plan
from mqtriage.model.result import Report
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import parse_size_bytes
from mqtriage.mq.attributes.attribute import Attribute, ValueKind
from mqtriage.mq.attributes.catalogue import (
    attribute,
    attributes_of,
    parse_value,
    switch_value,
)
from mqtriage.mq.errors import MQTriageError, UsageError
from mqtriage.mq.mqsc.format import alter_text, define_text
from mqtriage.mq.mqsc.tokens import read_parameters
from mqtriage.mq.mqsc.tree import Parameter
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
