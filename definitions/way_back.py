"""What a command changed in definitions, from before and after, and the reverse script.

A command is journalled with what it names (`Touched`) as it was before and as it was left. The way
back is a plan like any other: the state before is what is desired of the queue manager as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.definitions.desired import (
    COMPARED,
    OTHER_KINDS,
    DesiredObject,
    Live,
    settable,
)
from mqtriage.definitions.desired_records import RECORDS
from mqtriage.definitions.diff import Changed, changed_objects, compare, object_text
from mqtriage.definitions.estate import Definition, Location
from mqtriage.definitions.live_definitions import read_live
from mqtriage.definitions.plan import DefinitionPlan, plan_towards
from mqtriage.model.plan import Refusal
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, SECRETS
from mqtriage.mq.attributes.system_objects import default_name, default_objects
from mqtriage.mq.mqsc.tree import Command
from mqtriage.records import NamedTuple

_CHANGING: Final = ("DEFINE", "ALTER", "DELETE", "SET")


class Touched(NamedTuple):
    """An object that a command names.

    Attributes:
        name: "" for the queue manager, and for all records of a kind.
    """

    kind: str
    name: str


def touched_by(commands: Iterable[Command]) -> tuple[Touched, ...]:
    """What of the commands can be compared or counted, each once."""
    commands = list(commands)
    touched = {
        Touched(c.noun, c.name.text.strip(" ") if c.name and c.noun not in RECORDS else "")
        for c in commands
        if c.verb in _CHANGING and c.noun in COMPARED
    }
    touched |= {Touched("QLOCAL", name) for name in losing(commands)}  # for what they contained
    return tuple(sorted(touched))


def losing(commands: Iterable[Command]) -> tuple[str, ...]:
    """The local queues that a CLEAR, or a DELETE with PURGE, empties without an archive."""
    names = (
        c.name.text
        for c in commands
        if c.noun == "QLOCAL" and c.name is not None
        if c.verb == "CLEAR" or (c.verb == "DELETE" and c.has("PURGE"))
    )
    return tuple(dict.fromkeys(names))


def not_taken_back(commands: Iterable[Command]) -> tuple[str, ...]:
    """The commands that no other takes back, as ``CLEAR QLOCAL(ORDERS.IN)``, each once."""
    return tuple(
        dict.fromkeys(
            f"{c.verb} {object_text(c.noun, c.named())}".strip()
            for c in commands
            if c.verb not in _CHANGING or c.noun not in COMPARED or _sets_secret(c)
        )
    )


def _sets_secret(command: Command) -> bool:
    """Whether it changes what no DISPLAY shows."""
    secrets = any(parameter.keyword in SECRETS for parameter in command.parameters)
    return secrets and command.verb == "ALTER"


# how it was, and how it is -----------------------------------------------------------------------


def observe(backend: Backend, touched: Collection[Touched]) -> Live:
    """What is named, as it is now, and the default objects that it could be defined from."""
    names = {item.name for item in touched if item.kind in QUEUE_KINDS}
    kinds = [kind for kind in OTHER_KINDS if any(item.kind == kind for item in touched)]
    if names:
        names |= {default_name(kind) for kind in QUEUE_KINDS}
    live = read_live(backend, sorted(names), depths=False, kinds=kinds)
    depths = {
        name: backend.status(name).curdepth
        for name, queue in live.queues.items()
        if queue.kind == "QLOCAL" and Touched("QLOCAL", name) in touched
    }
    return live._replace(
        depths=depths,
        queue_manager=live.queue_manager if Touched("QMGR", "") in touched else {},
        others={
            kind: _only(objects, _names(kind, touched)) for kind, objects in live.others.items()
        },
    )


def _names(kind: str, touched: Iterable[Touched]) -> set[str]:
    """Names of *kind* to look at; "" among them for all."""
    names = {item.name for item in touched if item.kind == kind}
    return names | set(default_objects(kind).values()) if names else set()


def _only(objects: Mapping[str, Definition], names: Collection[str]) -> dict[str, Definition]:
    return {name: item for name, item in objects.items() if name in names or "" in names}


def live_record(live: Live) -> dict[str, Any]:
    """As JSON; never a password."""
    return {
        "platform": live.platform,
        "queue_manager": settable("QMGR", live.queue_manager, live.platform),
        "queues": [_object_record(live, item) for item in live.queues.values()],
        "depths": dict(live.depths),
        "others": {
            kind: [_object_record(live, item) for item in objects.values()]
            for kind, objects in live.others.items()
        },
    }


def _object_record(live: Live, item: Definition) -> list[Any]:
    return [item.kind, item.name, settable(item.kind, item.attributes, live.platform)]


def live_from(name: str, record: Mapping[str, Any]) -> Live:
    """What `live_record` wrote.

    Raises:
        KeyError, TypeError, ValueError: It is damaged.
    """
    others = {kind: _objects(items) for kind, items in record["others"].items()}
    return Live(
        name, record["platform"], _objects(record["queues"]), record["queue_manager"],
        record["depths"], others,
    )  # fmt: skip


def _objects(items: Iterable[Any]) -> dict[str, Definition]:
    return {name: Definition(kind, name, values) for kind, name, values in items}


# the reverse script -----------------------------------------------------------------------------


def changed(before: Live, after: Live) -> list[Changed]:
    """The objects that differ; the queue manager's name is ""."""
    pairs = [(before.queues, after.queues)]
    pairs += [(was, after.others.get(kind, {})) for kind, was in before.others.items()]
    if before.queue_manager and after.queue_manager:
        pairs.append((before.objects("QMGR"), after.objects("QMGR")))
    return [item for pair in pairs for item in changed_objects(*pair, before.platform)]


def differing(before: Live, after: Live) -> tuple[Live, Live]:
    """Both without what is the same in both, the default objects apart."""
    names = {(item.kind in QUEUE_KINDS or item.kind, item.name) for item in changed(before, after)}

    def reduced(live: Live) -> Live:
        def chosen(kind: object, objects: Mapping[str, Definition]) -> dict[str, Definition]:
            return {
                name: item
                for name, item in objects.items()
                if (kind, name) in names or name.startswith("SYSTEM.DEF")
            }

        others = {kind: chosen(kind, objects) for kind, objects in live.others.items()}
        return live._replace(queues=chosen(True, live.queues), others=others)

    return reduced(before), reduced(after)


def commands_back(before: Live, after: Live) -> list[str]:
    """The MQSC of the reverse script, right after the change."""
    return compare(_desired(changed(before, after)), after).forward


def lost_messages(before: Live, after: Live) -> dict[str, int]:
    """The local queues that are gone, with the messages that were on them."""
    gone = before.queues.keys() - after.queues.keys()
    return {name: depth for name, depth in before.depths.items() if depth and name in gone}


def _desired(objects: Iterable[Changed]) -> list[DesiredObject]:
    desired = []
    for item in objects:
        if item.before is None:
            kind = item.after_kind
            desired.append(DesiredObject(kind, item.name, {}, Location(), False, absent=True))
            continue
        values = {key: item.before[key] for key in item.keys if key in item.before}
        desired.append(
            DesiredObject(item.kind, item.name, values, Location(), made_with=item.before)
        )
    return desired


def plan_back(
    backend: Backend, touched: Collection[Touched], before: Live, after: Live | None
) -> DefinitionPlan:
    """Plan to bring back what a command changed; what changed again since is a refusal.

    Args:
        after: None where nobody knows how it was left: then all that differs is brought back.
    """
    live = read_live(backend, kinds=before.kinds_read)
    now = observe(backend, touched)
    objects = changed(before, after or now)
    plan = plan_towards(live, _desired(objects))
    if after is not None:
        plan.difference.refusals[:0] = _changed_since(objects, now)
    return plan


def _changed_since(objects: Iterable[Changed], now: Live) -> Iterator[Refusal]:
    """What is neither as it was before nor as it was left."""
    for item in objects:
        what = object_text(item.kind, item.name)
        there = now.objects(item.kind).get(item.name)
        values = None if there is None else settable(there.kind, there.attributes, now.platform)
        if values in (item.before, item.after):
            continue
        if values is None:
            yield Refusal(f"{what} was deleted since")
        elif item.after is None:
            yield Refusal(f"{what} was defined again since, and differs")
        else:
            before, after = item.before or {}, item.after
            for key in item.keys:
                if values.get(key) not in (before.get(key), after.get(key)):
                    yield Refusal(
                        f"{key} of {what} was changed again since: it is {values.get(key)!r},"
                        f" and was left as {after.get(key)!r}"
                    )
