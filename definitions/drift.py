"""`mqtriage drift`: who differs - files against a live queue manager, or two live ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.definitions.desired import CHOSEN, OTHER_KINDS, Live, kinds_on, place_text
from mqtriage.definitions.desired_records import RECORDS
from mqtriage.definitions.diff import (
    Changed,
    DefinitionChange,
    changed_in_both,
    changed_objects,
    compare,
)
from mqtriage.definitions.estate import Definition
from mqtriage.definitions.estate_script import key_of
from mqtriage.definitions.live_definitions import read_live
from mqtriage.definitions.plan import kinds_named, read_desired
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.mq.attributes.catalogue import AttributeValue
from mqtriage.mq.mqsc.inserts import filled_in
from mqtriage.mq.mqsc.tree import Script
from mqtriage.mq.names import check_generic_name, is_system, matches
from mqtriage.records import dataclass

FIELDS: Final = (
    Field("object_type", "TYPE", width=7),
    Field("object", "OBJECT", Show.NAME, width=24),
    Field("attribute", "ATTRIBUTE", width=9),
    Field("expected", "EXPECTED", width=12),
    Field("actual", "ACTUAL", width=12),
    Field("difference", "DIFFERENCE"),
    Field("expected_from", "EXPECTED_FROM", yields=1),
    Field("actual_from", "ACTUAL_FROM", yields=2),
)
_OWN: Final = frozenset({"QMNAME", "QMID", "DESCR", "CERTLABL", "PARENT"})
"""Attributes that two queue managers rightly have different."""


@dataclass(frozen=True, slots=True)
class Ours:
    """Which objects a complete set of files has to name.

    Attributes:
        patterns: names, or profiles of records, with `*`; () for all.
        system: those of the queue manager itself too.
    """

    patterns: tuple[str, ...] = ()
    system: bool = False

    def includes(self, object_: Definition) -> bool:
        if not self.system and (is_system(object_.name) or comes_by_itself(object_)):
            return False
        return is_chosen(object_, self.patterns)


def against_files(
    backend: Backend,
    scripts: Sequence[Script],
    *,
    exact: bool = False,
    ignore: Sequence[str] = (),
    ours: Ours | None = None,
) -> Listing:
    """Where a queue manager is not as the files say.

    Args:
        ours: the objects that the files have to name; None where they need not name all.

    Returns:
        The differences; `summary.only_with_exact` counts those that *exact* would show beside
        them, such as an attribute that no file names and somebody set by hand.
    """
    for pattern in ours.patterns if ours else ():
        check_generic_name(pattern)
    live = read_live(backend, kinds=kinds_named(scripts) if ours is None else OTHER_KINDS)
    desired, warnings = read_desired(live, scripts, exact=exact)
    difference = compare(desired, live)
    records = [r for c in difference.changes for r in _change_records(c, live, ignore)]
    hidden = 0 if exact else only_with_exact(live, scripts, len(records), ignore)
    for refusal in difference.refusals:
        records.append(_record("", "", "", None, None, refusal.text, "files", live.name))
    if ours is not None:
        named = {key_of(item.kind, item.name) for item in desired} | _named(scripts, live.name)
        unnamed = [o for o in _all_objects(live) if key_of(o.kind, o.name) not in named]
        for object_ in filter(ours.includes, unnamed):
            what = (object_.kind, object_.name, "", "missing", "there", "in no file")
            records.append(_record(*what, "files", live.name))
        unread = [kind for kind in kinds_on(live.platform) if kind not in live.others]
        if unread:
            warnings.append(f"not compared, the queue manager does not report: {', '.join(unread)}")
    listing = _listing(records, [*warnings, *difference.notes])
    listing.summary["only_with_exact"] = hidden
    return listing


def only_with_exact(
    live: Live, scripts: Sequence[Script], shown: int, ignore: Sequence[str] = ()
) -> int:
    """How many differences in what no file names there are beside those that are *shown*."""
    every = compare(read_desired(live, scripts, exact=True)[0], live).changes
    return max(0, differences_in(every, live, ignore) - shown)


def differences_in(
    changes: Iterable[DefinitionChange], live: Live, ignore: Sequence[str] = ()
) -> int:
    """How many differences a drift would show for these changes."""
    return sum(1 for change in changes for _ in _change_records(change, live, ignore))


def is_chosen(object_: Definition, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns names the object, or a record's profile; () names all."""
    name = object_.name.partition(" ")[0] if object_.kind in RECORDS else object_.name
    return not patterns or any(matches(pattern, name) for pattern in patterns)


def _all_objects(live: Live) -> Iterator[Definition]:
    yield from live.queues.values()
    for objects in live.others.values():
        yield from objects.values()


def _named(scripts: Sequence[Script], queue_manager: str) -> set[tuple[str, str]]:
    """Group and name of each object in the files, also of those that a plan leaves out."""
    commands = (
        filled_in(command, queue_manager) for script in scripts for command in script.commands
    )
    return {key_of(c.noun, c.name.text.strip(" ")) for c in commands if c.name is not None}


def comes_by_itself(object_: Definition) -> bool:
    """Whether a queue manager makes it: dynamic queues, and records that it starts with.

    IBM MQ 9.4 "Default CHLAUTH records"; "Creation of authority records": the group mqm.
    """
    values = object_.attributes
    if object_.kind == "AUTHREC":
        return values.get("GROUP") == "mqm"
    if object_.kind == "CHLAUTH":
        return values.get("CHLAUTH") == "*" and values.get("USERLIST") == "*MQADMIN"
    deftype = str(values.get("DEFTYPE", "PREDEFINED"))  # of a model, what it makes
    return object_.kind == "QLOCAL" and deftype != "PREDEFINED"


def _change_records(
    change: DefinitionChange, live: Live, ignore: Sequence[str]
) -> Iterator[dict[str, object]]:
    kind, name, where = change.kind, change.name, place_text(change.place)
    if change.verb == "define":
        yield _record(kind, name, "", "defined", "missing", "missing", where, live.name)
    elif change.verb == "delete":
        yield _record(kind, name, "", "deleted", "there", "still there", where, live.name)
    else:
        for keyword, value in change.attributes.items():
            if keyword not in ignore:
                now = change.before.get(keyword)
                yield _record(kind, name, keyword, value, now, "differs", where, live.name)


def between(
    backend: Backend,
    expected: Backend,
    *,
    patterns: Sequence[str] = (),
    ignore: Sequence[str] = (),
    system: bool = False,
) -> Listing:
    """Where a queue manager is not as the *expected* one.

    Queues, topics, channels and all other objects and records of both that *patterns* name (a
    record by its profile), and the queue manager's own attributes where there is none. Those of
    the system are left out unless *system*.
    """
    for pattern in patterns:
        check_generic_name(pattern)
    one, other = (
        _chosen(read_live(b, depths=False, kinds=OTHER_KINDS), patterns, system)
        for b in (expected, backend)
    )
    records: list[dict[str, object]] = []
    names = (one.name, other.name)
    for item in changed_in_both(one, other):
        about = (item.kind, item.name)
        if item.before is None or item.after is None:
            there = ("missing", "there") if item.before is None else ("there", "missing")
            where = names[there.index("there")]
            records.append(_record(*about, "", *there, f"only on {where}", *names))
        elif item.kind != item.after_kind:
            kinds = (item.kind, item.after_kind)
            records.append(_record(*about, "TYPE", *kinds, "differs", *names))
        else:
            records += _altered(item, names, {*ignore, *CHOSEN})
    if set(patterns) <= {"*"}:
        for manager in changed_objects(one.objects("QMGR"), other.objects("QMGR")):
            records += _altered(manager, names, {*ignore, *_OWN})
    both = [kind for kind in kinds_on(one.platform) if kind in kinds_on(other.platform)]
    unread = [kind for kind in both if not (kind in one.others and kind in other.others)]
    warnings = [f"not compared, one of them does not report: {', '.join(unread)}"] if unread else []
    return _listing(records, warnings)


def _chosen(live: Live, patterns: Sequence[str], system: bool) -> Live:
    def kept(objects: Mapping[str, Definition]) -> dict[str, Definition]:
        return {
            name: object_
            for name, object_ in objects.items()
            if is_chosen(object_, patterns) and (system or not is_system(name))
        }

    others = {kind: kept(objects) for kind, objects in live.others.items()}
    return live._replace(queues=kept(live.queues), others=others)


def _altered(
    item: Changed, names: tuple[str, str], ignore: Collection[str]
) -> Iterator[dict[str, object]]:
    before, after = item.before or {}, item.after or {}
    for key in item.keys:
        if key not in ignore:
            values = (before.get(key), after.get(key))
            yield _record(item.kind, item.name, key, *values, "differs", *names)


def _record(
    kind: str, name: str, keyword: str, *values: AttributeValue | None
) -> dict[str, object]:
    """One difference; *values* are those of `FIELDS` behind the attribute."""
    about = (kind or None, name or None, keyword or None)
    return dict(zip((field.key for field in FIELDS), (*about, *values), strict=True))


def _listing(records: list[dict[str, object]], warnings: list[str]) -> Listing:
    objects = {(record["object_type"], record["object"]) for record in records}
    summary = {"differences": len(records), "objects": len(objects)}
    items: Iterator[Record] = iter(records)
    return Listing("DriftList", FIELDS, items, summary, warnings, id_key="object")
