"""A plan of definitions as a file, and what of the definitions has changed since it was made.

`plan --out` writes it, `apply` reads it. JSON lines (`files/sealed.py`), 0600, never a password:

    {"kind": "Plan", "schema": "mqtriage-definitions/1", "qmgr": ..., "at": ..., "made": {...}, ...}
    {"desired": {"object_type": "QLOCAL", "object": "ORDERS.IN", "attributes": {...}, ...}}
    {"mqsc": "ALTER QLOCAL(ORDERS.IN) MAXDEPTH(9)", "back": "ALTER QLOCAL(ORDERS.IN) ..."}

*made* says by whom, where and from what (`plan_origin.py`). *before* has each object that the
commands name as it was, with the default objects that a DEFINE starts from. The plan is made again
from *desired*; it is the same one, or it is stale.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.definitions.desired import DesiredObject, Live, settable
from mqtriage.definitions.diff import DefinitionChange, object_text
from mqtriage.definitions.estate import Location
from mqtriage.definitions.live_definitions import read_live
from mqtriage.definitions.plan import DefinitionPlan, plan_towards
from mqtriage.definitions.plan_origin import PlanOrigin
from mqtriage.definitions.way_back import Touched, live_from, live_record, observe
from mqtriage.files.sealed import CHANGED, read_sealed, write_sealed
from mqtriage.files.whole import open_regular
from mqtriage.model.plan import Refusal
from mqtriage.model.typed import check_types
from mqtriage.mq.attributes.catalogue import attribute, parse_value
from mqtriage.mq.attributes.system_objects import default_name, subtype_of
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.records import dataclass

SCHEMA: Final = "mqtriage-definitions/1"
_HINT: Final = "mqtriage plan FILES --out FILE writes one"
_NEW: Final = "make a new plan and check it"
_TOLD: Final = 5


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """A plan of definitions as a file has it.

    Attributes:
        at: when it was written, RFC 3339.
        desired: the objects that it changes, as they are to be.
        before: these as they were then.
        forward, back: its commands, and those that take them back, in the order to run them.
        origin: who made it, None in a plan of an older version.
        warnings: what its maker was shown of the files, of which it has only the objects.
    """

    queue_manager: str
    at: str
    desired: tuple[DesiredObject, ...]
    before: Live
    forward: tuple[str, ...]
    back: tuple[str, ...]
    origin: PlanOrigin | None = None
    warnings: tuple[str, ...] = ()


def save_plan(
    path: Path, backend: Backend, plan: DefinitionPlan, at: str, origin: PlanOrigin
) -> None:
    """Write a plan to a new file.

    Raises:
        Refused: Somebody changed what it is about while it was made.
    """
    named = {(change.kind, change.name) for change in plan.changes}
    desired = [item for item in plan.desired if (item.kind, item.name) in named]
    before = observe(backend, touched(plan))
    moved = changed_since(plan.live, before, plan.changes)
    if moved:
        raise Refused(f"{moved[0]} while the plan was made", hint="plan again")
    head = {
        "kind": "Plan",
        "schema": SCHEMA,
        "qmgr": plan.live.name,
        "at": at,
        "made": asdict(origin),
        "before": live_record(before),
    }
    if plan.unnoted:
        head["notes"] = plan.unnoted
    records: list[dict[str, Any]] = [head]
    records += ({"desired": _desired_record(item)} for item in desired)
    records += ({"mqsc": change.mqsc, "back": change.back} for change in plan.changes)
    write_sealed(path, records, {"commands": len(plan.changes)})


def _desired_record(item: DesiredObject) -> dict[str, Any]:
    values = item._asdict() | {
        "attributes": dict(item.attributes),
        "named": sorted(item.named),
        "made_with": dict(item.made_with),
    }
    return {"object_type": values.pop("kind"), "object": values.pop("name"), **values}


def read_saved_plan(path: Path, content: bytes | None = None) -> SavedPlan:
    """Read a plan whole; *content* see `read_sealed`."""
    head, *records = read_sealed(path, _HINT, content)
    schema = head.get("schema")
    if head.get("kind") != "Plan" or schema != SCHEMA:
        raise UsageError(f"plan {path}: its version is {schema}, mqtriage reads {SCHEMA}")
    try:
        name = head["qmgr"]
        commands = [record for record in records if "mqsc" in record]
        plan = SavedPlan(
            name,
            head["at"],
            tuple(_desired_from(record["desired"]) for record in records if "desired" in record),
            live_from(name, head["before"]),
            tuple(record["mqsc"] for record in commands),
            tuple(record["back"] for record in reversed(commands)),
            _origin_from(head.get("made")),
            _notes_from(head.get("notes", [])),
        )
        check_types([plan])
        return plan
    except (AttributeError, KeyError, TypeError, UsageError, ValueError) as error:
        raise Refused(f"plan {path}: a line is damaged", hint=CHANGED) from error


def _origin_from(record: dict[str, Any] | None) -> PlanOrigin | None:
    if record is None:
        return None
    files = tuple((name, digest) for name, digest in record["files"])
    origin = PlanOrigin(record["user"], record["host"], files, record["commit"])
    check_types([origin])
    return origin


def _notes_from(notes: object) -> tuple[str, ...]:
    if not isinstance(notes, list):
        raise TypeError("notes")
    return tuple(notes)


def _desired_from(record: dict[str, Any]) -> DesiredObject:
    item = DesiredObject(
        record["object_type"], record["object"], record["attributes"], Location(*record["place"]),
        record["defined"], record["absent"], record["purge"], frozenset(record["named"]),
        record["made_with"],
    )  # fmt: skip
    check_types([item])
    for keyword, value in (*item.attributes.items(), *item.made_with.items()):
        entry = attribute(item.kind, keyword)
        if entry is not None and type(parse_value(entry, str(value))) is not type(value):
            raise TypeError(keyword)
    return item


def plan_kind(file: str) -> str:
    """The schema that a plan file names, "?" for one that names none; "" for what is no plan.

    No MQSC begins with a brace, and a template with two, or with a brace and a percent sign. What
    cannot be read is left to who reads the whole file.

    Raises:
        StorageError: A pipe or a device, of which the rest would then be read as all of it.
    """
    try:
        if file == "-":
            return ""
        with open_regular(file, "give MQSC as standard input: -") as lines:
            line = lines.readline()
    except OSError:
        return ""
    if not re.match(rb'\{\s*("|\}|$)', line):
        return ""
    try:
        return str(json.loads(line)["schema"])
    except (KeyError, TypeError, ValueError, RecursionError):
        return "?"


def plan_queue_manager(path: Path, content: bytes | None = None) -> str | None:
    """The queue manager that the first line of a plan file names; None where it is damaged.

    Nothing relies on it: it is compared with the one reached when the whole file is read.
    """
    try:
        if content is None:
            with open_regular(str(path), "a plan is a file") as lines:
                content = lines.readline()
        name = json.loads(content.partition(b"\n")[0])["qmgr"]
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        return None
    return name if isinstance(name, str) and name else None


def plan_saved(backend: Backend, saved: SavedPlan) -> DefinitionPlan:
    """The saved plan on the queue manager as it is; what moved since is a refusal.

    If everything is as the plan requires, there is nothing to refuse or to do.
    """
    live = read_live(backend, kinds=saved.before.kinds_read)
    plan = plan_towards(live, list(saved.desired))
    now = observe(backend, [Touched(item.kind, item.name) for item in saved.desired])
    moved = changed_since(saved.before, now, plan.changes, saved.desired)
    if not moved and tuple(plan.difference.forward) != saved.forward:
        moved = ["the same files now produce different commands"]
    plan.warnings += ["when planned: " + text.replace("\n", "\\n") for text in saved.warnings]
    if moved and not plan.changes and not plan.difference.refusals:
        plan.difference.notes.append("already applied: nothing in this plan is left to do")
    elif moved:
        plan.difference.refusals = [Refusal(stale_text(moved), _NEW)]
    return plan


def stale_text(moved: Sequence[str]) -> str:
    """One line for what `changed_since` says."""
    more = f"; and {len(moved) - _TOLD} more" if len(moved) > _TOLD else ""
    return f"the plan is stale: {'; '.join(moved[:_TOLD])}{more}"


def touched(plan: DefinitionPlan) -> tuple[Touched, ...]:
    """The objects that a plan changes."""
    return tuple(dict.fromkeys(Touched(change.kind, change.name) for change in plan.changes))


# what moved --------------------------------------------------------------------------------------


def changed_since(
    before: Live,
    now: Live,
    changes: Sequence[DefinitionChange],
    desired: Sequence[DesiredObject] = (),
) -> list[str]:
    """What a plan was made from and is not so any more, one line for each attribute.

    Args:
        changes: of the plan; *desired* what it is about, where it has no changes any more.
    """
    objects = {Touched(change.kind, change.name): "" for change in changes}
    objects |= {Touched(item.kind, item.name): "" for item in desired}
    for change in changes:
        if change.verb == "define":
            values = {**change.identity, **change.attributes}
            model = default_name(change.kind, subtype_of(change.kind, values))
            objects.setdefault(Touched(change.kind, model), f", which {change.name} starts from,")
    deleted = [change.name for change in changes if change.verb == "delete"]
    deleted += [item.name for item in desired if item.absent]
    moved = [text for item, role in objects.items() for text in _moved(before, now, item, role)]
    for name in dict.fromkeys(deleted):
        was, depth = before.depths.get(name), now.depths.get(name)
        if was is not None and depth is not None and was != depth:
            moved.append(f"CURDEPTH of {name} was changed since: it is {depth}, and was {was}")
    return moved


def _moved(before: Live, now: Live, item: Touched, role: str) -> Iterator[str]:
    what = object_text(item.kind, item.name) + role
    was, there = _values(before, item), _values(now, item)
    if was is None or there is None:
        if was != there:
            yield f"{what} was {'defined' if was is None else 'deleted'} since"
    else:
        for key in {**was, **there}:
            if was.get(key) != there.get(key):
                text = f"{key} of {what} was changed since: it is {there.get(key)!r}"
                yield f"{text}, and was {was.get(key)!r}"


def _values(live: Live, item: Touched) -> dict[str, Any] | None:
    """What can be set of an object, with its type; None where it is not there."""
    there = live.objects(item.kind).get(item.name)
    if there is None:
        return None
    return {"TYPE": there.kind, **settable(there.kind, there.attributes, live.platform)}
