"""The definitions of a queue manager as scripts, cut by application, for a folder in Git.

What comes with a queue manager of its platform and level (`shipped`) is left out, and so is what an
object has from its default object. The commands are those of a plan from there to here, so that
they are in the order of need; each script has what belongs to one application.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import partial
from typing import Final

from mqtriage.definitions.desired import (
    CLIENT_CHANNELS,
    DesiredObject,
    Live,
    Values,
    default_object,
    desired_objects,
    kinds_on,
    settable,
)
from mqtriage.definitions.desired_records import RECORDS
from mqtriage.definitions.diff import NAMED, DefinitionChange, compare, object_text
from mqtriage.definitions.drift import comes_by_itself
from mqtriage.definitions.estate import Definition, Estate, Location
from mqtriage.model.tables import WORDS, toml_table, wrong
from mqtriage.mq.attributes.attribute import SECRETS
from mqtriage.mq.attributes.catalogue import AttributeValue, attribute
from mqtriage.mq.attributes.system_objects import subtype_of
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.mqsc.format import define_text, format_command
from mqtriage.mq.mqsc.records import set_record_text
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.names import check_generic_name, is_system, matches
from mqtriage.records import NamedTuple, dataclass

QUEUE_MANAGER_FILE: Final = "00-queue-manager"
"""The queue manager, what is altered of its own objects, and what serves all applications."""
OTHERS_FILE: Final = "others"
_OF_ALL: Final = ("QMGR", "AUTHINFO", "LISTENER", "SERVICE", "STGCLASS", "CFSTRUCT")
_PARTS: Final = "._"
"""Characters that end the first part of a name, which is the application's."""
_FILE_CHARACTERS: Final = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_"
)
_GIVEN: Final[Mapping[str, str]] = {"LDAPUSER": "LDAPPWD", "USERID": "PASSWORD"}
"""The attribute beside which a password has to be."""

Map = Mapping[str, tuple[str, ...]]
"""Script, without its ending, to generic names of what belongs there."""


class _Piece(NamedTuple):
    kind: str
    name: str
    text: str
    needs: tuple[str, ...] = ()


class ScriptText(NamedTuple):
    """A script to write.

    Attributes:
        objects: how many objects and records it is about.
    """

    name: str
    text: str
    objects: int


@dataclass(slots=True)
class Export:
    """The scripts in their order, and what is not in them."""

    scripts: list[ScriptText] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    incomplete: bool = False


def read_map(content: bytes) -> Map:
    """A map in TOML: ``orders = ["ORDERS.*", "ORD.TO.*"]``; the first that fits counts."""
    chosen: dict[str, tuple[str, ...]] = {}
    for name, value in toml_table(content).items():
        if name.strip(".") == "" or not set(name) <= _FILE_CHARACTERS:
            raise wrong(name, "the name of a script", "a file name of letters, digits, . - and _")
        patterns = WORDS.read(value, name)
        for pattern in patterns:
            check_generic_name(pattern)
        chosen[name.removesuffix(".mqsc")] = patterns
    return chosen


def overlaid(estate: Estate, shipped: Live, name: str) -> Live:
    """A queue manager that comes as *shipped* and has got the commands of *estate*."""
    queues, manager = dict(shipped.queues), dict(shipped.queue_manager)
    others = {kind: dict(objects) for kind, objects in shipped.others.items()}
    so_far = Live(name, shipped.platform, queues, manager, {}, others)
    for item in desired_objects(estate, shipped):
        if item.kind == "QMGR":
            manager.update(item.attributes)
            continue
        objects = others.get(item.kind, queues)
        if item.absent:
            objects.pop(item.name, None)
            continue
        there = objects.get(item.name)
        if there is None and not item.defined:
            raise UsageError(
                f"{object_text(item.kind, item.name)} is altered but not defined",
                hint="name the scripts that define it too",
            )
        given = {} if item.kind == "SUB" else item.made_with  # what DISPLAY shows of it
        values = {**(there.attributes if there else {}), **given, **item.attributes}
        if there is None and item.kind not in RECORDS:
            subtype = subtype_of(item.kind, values)
            values = {**default_object(item.kind, so_far, subtype), **values}
        objects[item.name] = Definition(item.kind, item.name, values)
    others[CLIENT_CHANNELS] = {**others.get(CLIENT_CHANNELS, {}), **estate.objects(CLIENT_CHANNELS)}
    return so_far


def export(
    live: Live, shipped: Live, cut: Map, commands: Iterable[Command] | None = None
) -> Export:
    """The scripts that make a queue manager as *shipped* one like *live*.

    Args:
        cut: which script an object belongs to; () is by the first part of its name.
        commands: of a dump, which a plan does not look at, and which are kept as they are; None
            where it is no dump.
    """
    result = Export()
    pieces = list(_pieces(live, shipped, result))
    pieces += (
        _Piece(c.noun, c.name.text.strip(" ") if c.name else "", format_command(c))
        for c in commands or ()
    )
    place = _places(pieces, cut)
    files: dict[str, list[_Piece]] = {}
    standing: dict[str, str] = {}
    for piece in pieces:
        needed = [standing[need] for need in piece.needs if need in standing]
        file = max([place(piece), *needed])  # behind what it cannot be defined without
        standing[piece.name] = file
        files.setdefault(file, []).append(piece)
    head = (
        f"* Queue manager name: {live.name}\n"
        f"* Queue manager platform: {live.queue_manager.get('PLATFORM', 'UNIX')}\n"
        f"* Queue manager command level: {live.queue_manager.get('CMDLEVEL', 940)}\n"
    )
    for name in sorted(files):
        objects = len({(piece.kind, piece.name) for piece in files[name]})
        text = head + "".join(f"\n{piece.text}\n" for piece in files[name])
        result.scripts.append(ScriptText(f"{name}.mqsc", text, objects))
    return result


def _pieces(live: Live, shipped: Live, result: Export) -> Iterator[_Piece]:
    left_out: Counter[str] = Counter()
    asked = list(_asked(live, shipped, left_out))
    difference = compare(asked, shipped)
    for change in difference.changes:
        try:
            yield _Piece(change.kind, change.name, _text(change), tuple(_needs(change)))
        except Refused as error:
            result.warnings.append(f"not written: {error.text}")
            result.incomplete = True
    for refusal in difference.refusals:
        result.warnings.append(f"not written: {refusal.text}")
        result.incomplete = True
    there = shipped.others.get(CLIENT_CHANNELS, {})
    for name, object_ in live.others.get(CLIENT_CHANNELS, {}).items():
        values = settable("CHANNEL", object_.attributes, live.platform)
        if name not in there or values != settable("CHANNEL", there[name].attributes):
            own = {"CHLTYPE": CLIENT_CHANNELS} | _without_defaults("CHANNEL", values, live, shipped)
            yield _Piece("CHANNEL", name, define_text("CHANNEL", name, own, replace=True))
    unread = [kind for kind in kinds_on(live.platform) if kind not in live.others]
    if unread:
        result.warnings.append(f"not written, because it is not read: {', '.join(unread)}")
    if left_out:
        kinds = ", ".join(f"{count} x {what}" for what, count in left_out.items())
        result.warnings.append(f"omitted, because a queue manager creates them: {kinds}")
    unsaid = [text for item in asked if (text := _unsaid(item))]
    if unsaid:
        more = f" and {len(unsaid) - 3} more" if len(unsaid) > 3 else ""
        result.warnings.append(
            f"passwords are not written: {', '.join(unsaid[:3])}{more}; set them separately"
        )


def _asked(live: Live, shipped: Live, left_out: Counter[str]) -> Iterator[DesiredObject]:
    """Everything that is not as it comes, without what its default object gives it."""
    manager = settable("QMGR", live.queue_manager, live.platform)
    yield DesiredObject("QMGR", "", manager, Location())
    groups = [live.queues, *(live.others[kind] for kind in live.kinds_read)]
    for object_ in (one for group in groups for one in group.values()):
        kind, name = object_.kind, object_.name
        values: Values = settable(kind, object_.attributes, live.platform)
        there = shipped.objects(kind).get(name)
        if there is not None:
            yield DesiredObject(kind, name, values, Location(), made_with=values)
        elif comes_by_itself(object_):
            left_out["dynamic queue" if kind not in RECORDS else f"{kind} record"] += 1
        else:
            if kind not in RECORDS:
                values = _without_defaults(kind, values, live, shipped)
            yield DesiredObject(
                kind, name, values, Location(), named=frozenset(values), made_with=values
            )
    for name in shipped.others.get("CHLAUTH", {}):
        if name not in live.others.get("CHLAUTH", {name: None}):
            values = shipped.others["CHLAUTH"][name].attributes
            yield DesiredObject("CHLAUTH", name, values, Location(), absent=True, made_with=values)


def _without_defaults(
    kind: str, values: Values, live: Live, shipped: Live
) -> dict[str, AttributeValue]:
    """What an object does not have from its default object, as it comes and as it is there."""
    subtype = subtype_of(kind, values)
    usual, own = (default_object(kind, one, subtype) for one in (shipped, live))
    return {
        key: value
        for key, value in values.items()
        if key == NAMED.get(kind) or usual.get(key) != value or own.get(key) != value
    }


def _text(change: DefinitionChange) -> str:
    """The command; it can be run again on what it made."""
    if change.verb != "define":
        return change.mqsc
    if change.kind == "CHLAUTH":
        return set_record_text(change.kind, change.identity, {}, change.attributes)
    if change.kind in RECORDS:
        return change.mqsc
    values = {**change.identity, **change.attributes}
    return define_text(change.kind, change.name, values, replace=True)


def _needs(change: DefinitionChange) -> Iterator[str]:
    """Objects without which a queue manager refuses the definition."""
    if change.kind == "SUB":
        yield str(change.attributes.get("DEST", ""))


def _unsaid(item: DesiredObject) -> str:
    for keyword, secret in _GIVEN.items():
        if item.made_with.get(keyword) and attribute(item.kind, secret) and secret in SECRETS:
            return f"{secret} of {object_text(item.kind, item.name)}"
    return ""


def _places(pieces: Iterable[_Piece], cut: Map) -> Callable[[_Piece], str]:
    counts = Counter(_prefix(p.name).upper() for p in pieces if p.kind not in RECORDS)
    spelled: dict[str, str] = {}
    return partial(_place, cut, counts, spelled)


def _place(cut: Map, counts: Mapping[str, int], spelled: dict[str, str], piece: _Piece) -> str:
    """The script that an object belongs to, without its ending."""
    name = piece.name.partition(" ")[0] if piece.kind in RECORDS else piece.name
    for file, patterns in cut.items():
        if name and any(matches(pattern, name) for pattern in patterns):
            return file
    prefix = _prefix(name)
    if piece.kind in _OF_ALL or is_system(name) or name in ("SELF", "@class", "@CLASS"):
        return QUEUE_MANAGER_FILE
    if piece.kind in RECORDS and not prefix.strip("*?"):
        return QUEUE_MANAGER_FILE
    if cut or counts.get(prefix.upper(), 0) < 2 or not prefix:
        return OTHERS_FILE
    file = "".join(c if c in _FILE_CHARACTERS else "_" for c in prefix)
    return spelled.setdefault(file.upper(), file)  # one file where case is all that differs


def _prefix(name: str) -> str:
    """The first part of a name, "" if it has only one."""
    for character in _PARTS:
        first, separator, _ = name.partition(character)
        if separator:
            return first
    return ""
