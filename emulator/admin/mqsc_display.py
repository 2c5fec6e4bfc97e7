"""DISPLAY of queues, the queue manager, topics, subscriptions and authority records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from mqtriage.emulator.admin import channel_auth, clusters
from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.admin import queue_status as status
from mqtriage.emulator.admin.display import Display, read_display, word_of
from mqtriage.emulator.core import authority
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.pubsub import subscription_rows
from mqtriage.emulator.pubsub.topics import all_topics
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, masked
from mqtriage.mq.attributes.catalogue import AttributeValue, ValueKind, attribute, attributes_of
from mqtriage.mq.attributes.system_objects import SUBTYPE
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.layout import cell_text
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, ReplyLine, failed, message
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.names import is_like, matches

Values = Mapping[str, AttributeValue]

_QUEUE_STEERING: Final = ("TYPE", "QTYPE", "CMDSCOPE", "QSGDISP", "CLUSINFO")
_QUEUE_LIMITS: Final = ("CLUSTER", "CLUSNL", "CLUSQMGR")
_QMGR_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "EVENT": (
        "AUTHOREV", "BRIDGEEV", "CHADEV", "CHLEV", "CMDEV", "CONFIGEV", "INHIBTEV", "LOCALEV",
        "LOGGEREV", "PERFMEV", "REMOTEEV", "SSLEV", "STRSTPEV",
    ),
    "CLUSTER": (
        "CLWLDATA", "CLWLEXIT", "CLWLLEN", "CLWLMRUC", "CLWLUSEQ", "DEFCLXQ", "MONACLS", "QMID",
        "REPOS", "REPOSNL",
    ),
    "PUBSUB": (
        "MAXPROPL", "PSCLUS", "PSMODE", "PSNPMSG", "PSNPRES", "PSRTYCNT", "PSSYNCPT", "TREELIFE",
    ),
    "SYSTEM": (
        "ACTIVREC", "CHLAUTH", "CMDLEVEL", "CCSID", "COMMANDQ", "CONNAUTH", "DEADQ", "DEFXMITQ",
        "DESCR", "DISTL", "EXPRYINT", "MAXHANDS", "MAXMSGL", "MAXPRTY", "MAXUMSGS", "MONCHL",
        "MONQ", "PLATFORM", "ROUTEREC", "STATQ", "SYNCPT", "TRIGINT",
    ),
}  # fmt: skip
"""DISPLAY QMGR EVENT and the like; what this queue manager does not have is left out."""


def not_found(name: str) -> Reply:
    """AMQ8147E: nothing has that name, or nothing passes the filter."""
    return failed(8147, cmqc.MQRC_UNKNOWN_OBJECT_NAME, name=name)


def shown(kind: str, values: Values) -> tuple[str, ...]:
    """Cells of one object: its values in the order given, switches as bare words."""
    cells = []
    for keyword, value in values.items():
        if _is_switch(kind, keyword):
            cells.append(keyword if value == "YES" else f"NO{keyword}")
        else:
            cells.append(cell_text(keyword, value))
    return tuple(cells)


@lru_cache(maxsize=4096)  # ten thousand queues have the same attributes
def _is_switch(kind: str, keyword: str) -> bool:
    entry = attribute(kind, keyword)
    return entry is not None and entry.kind is ValueKind.FLAG


def listed(number: int, kind: str, values: Values) -> ReplyLine:
    """Message *number* with one object below it."""
    values = masked(values)
    head = message(number) if number else ReplyLine("", f"{kind} details displayed.")
    return head._replace(cells=shown(kind, values), object=values)


def displayed(number: int, kind: str, first: Values, values: Values, display: Display) -> ReplyLine:
    """Message *number* with *first*, always, and those of an object's values that are asked for."""
    kept = display.of(key for key in values if key not in first)
    return listed(number, kind, {**first, **{key: values[key] for key in kept}})


def _objects(
    number: int, kind: str, rows: Iterable[tuple[Values, Values]], display: Display
) -> Iterator[ReplyLine]:
    """Message *number* for each object that the filter keeps.

    Args:
        rows: of each object what is always shown, and its attributes.
    """
    for first, held in rows:
        values = {**first, **in_order(kind, held)}
        if display.keeps(kind, values):
            yield displayed(number, kind, first, values, display)


def answer(name: str, listing: Iterable[ReplyLine]) -> Reply:
    """The objects, or "not found" where there are none."""
    messages = tuple(listing)
    return Reply(CommandEnding.DONE, messages) if messages else not_found(name)


# -- queues ---------------------------------------------------------------------------------------


def queues(connection: Connection, command: Command) -> Reply:
    """DISPLAY QUEUE, QLOCAL, QALIAS, QREMOTE, QMODEL, QCLUSTER.

    CLUSTER, CLUSNL and CLUSQMGR with a value limit what is shown (IBM MQ, "DISPLAY QUEUE").
    """
    name = command.named("*")
    kinds = _kinds(command)
    readable = (*kinds, "QCLUSTER") if command.noun == "QUEUE" else kinds
    display = read_display(command, readable, steering=_QUEUE_STEERING)
    connection.look(f"display {name}")
    disposition = (command.value("QSGDISP") or "").upper()
    disposition = "" if disposition in ("LIVE", "ALL") else disposition
    limits = {key: value for key in _QUEUE_LIMITS if (value := command.value(key))}
    return answer(name, _queues(connection, name, kinds, display, limits, disposition))


def held_queues(connection: Connection) -> dict[str, tuple[Manager, Queue]]:
    """Every queue by name, those of the queue-sharing group too, with where it is held."""
    manager = connection.manager
    queues: dict[str, tuple[Manager, Queue]] = {}
    if "qsg" in manager.switches:
        shared = connection.to_group().manager
        shared.look()
        queues = {name: (shared, queue) for name, queue in shared.queues.items()}
    return queues | {name: (manager, queue) for name, queue in manager.queues.items()}


def _kinds(command: Command) -> tuple[str, ...]:
    clustered = ("QCLUSTER",) if command.has("CLUSINFO") else ()
    if command.noun != "QUEUE":
        return tuple(dict.fromkeys((command.noun, *clustered)))
    type_ = (command.value("TYPE") or command.value("QTYPE") or "ALL").upper()
    if type_ == "ALL":
        return (*QUEUE_KINDS, *clustered)
    if type_ not in (*QUEUE_KINDS, "QCLUSTER"):
        raise UsageError(f"TYPE({type_[:20]}): allowed ALL, {', '.join(QUEUE_KINDS)}, QCLUSTER")
    return tuple(dict.fromkeys((type_, *clustered)))


def _queues(
    connection: Connection,
    name: str,
    kinds: tuple[str, ...],
    display: Display,
    limits: Mapping[str, str],
    disposition: str,
) -> Iterator[ReplyLine]:
    for queue_name, (manager, queue) in sorted(held_queues(connection).items()):
        if not matches(name, queue_name):
            continue
        rows = [full_attributes(manager, queue)] if queue.kind in kinds else []
        if disposition and rows and rows[0].get("QSGDISP", "QMGR") != disposition:
            continue
        if "QCLUSTER" in kinds:
            rows += clusters.cluster_queues(connection.manager, queue)
        for values in rows:
            kind = str(values["TYPE"])
            is_meant = all(is_like(limit, str(values.get(k, ""))) for k, limit in limits.items())
            if is_meant and display.keeps(kind, values):
                yield displayed(8409, kind, {"QUEUE": queue_name, "TYPE": kind}, values, display)


def full_attributes(manager: Manager, queue: Queue) -> dict[str, AttributeValue]:
    """Every attribute in the order of DISPLAY, CURDEPTH, IPPROCS and OPPROCS among them."""
    held: dict[str, AttributeValue] = dict(queue.attributes)
    if queue.is_local:
        held |= status.counts(manager, queue)
    named: dict[str, AttributeValue] = {"QUEUE": queue.name, "TYPE": queue.kind}
    return named | in_order(queue.kind, held)


def in_order(kind: str, held: Values) -> dict[str, AttributeValue]:
    """Attributes as DISPLAY orders them; those that the tables do not know come last."""
    known = {key: held[key] for key in _keywords(kind) if key in held}
    return known if len(known) == len(held) else {**known, **held}


@cache
def _keywords(kind: str) -> tuple[str, ...]:
    return tuple(entry.keyword for entry in attributes_of(kind))


# -- the queue manager ----------------------------------------------------------------------------


def queue_manager(connection: Connection, command: Command) -> Reply:
    """DISPLAY QMGR."""
    display = read_display(command, ("QMGR",), all_by_default=True)
    groups = [p.keyword for p in command.parameters if p.keyword in _QMGR_GROUPS]
    if groups and not command.has("ALL"):
        more = {keyword for group in groups for keyword in _QMGR_GROUPS[group]}
        display = display._replace(attributes=(display.attributes or frozenset()) | more)
    connection.look("display QMGR")
    manager = connection.manager
    values = in_order("QMGR", manager.all_attributes())
    first = {"QMNAME": manager.identity.name}
    return Reply(CommandEnding.DONE, (displayed(8408, "QMGR", first, values, display),))


# -- topics and subscriptions ---------------------------------------------------------------------


def topics(connection: Connection, command: Command) -> Reply:
    """DISPLAY TOPIC."""
    name = command.named("*")
    display = read_display(command, ("TOPIC",), steering=("TYPE", "CMDSCOPE", "QSGDISP"))
    connection.look(f"display TOPIC({name})")
    rows = (
        ({"TOPIC": topic, "TYPE": held.get("TYPE", "LOCAL")}, held)
        for topic, held in all_topics(connection.manager).items()
        if matches(name, topic)
    )
    return answer(name, _objects(8633, "TOPIC", rows, display))


def subscriptions(connection: Connection, command: Command) -> Reply:
    """DISPLAY SUB, by name, generic name or SUBID."""
    name = command.named("*")
    subid = (command.value("SUBID") or "").upper()
    by_default = bool(subid) or not name.endswith("*")
    display = read_display(command, ("SUB",), steering=("SUBID",), all_by_default=by_default)
    connection.look(f"display SUB({name})")
    manager = connection.manager
    every = (
        subscription_rows.shown_attributes(manager, subscription)
        for subscription in subscription_rows.every(manager)
    )
    rows = (
        ({"SUBID": held["SUBID"], "SUB": held["SUB"]}, held)
        for held in every
        if is_like(name, str(held["SUB"])) and subid in ("", held["SUBID"])
    )
    return answer(subid or name, _objects(8096, "SUB", rows, display))


# -- authority ------------------------------------------------------------------------------------

_AUTH_STEERING: Final = ("PROFILE", "OBJTYPE", "PRINCIPAL", "GROUP", "MATCH", "SERVCOMP")
_AUTH_SHOWN: Final = ("PROFILE", "ENTITY", "ENTTYPE", "OBJTYPE", "AUTHLIST")


def authority_records(connection: Connection, command: Command) -> Reply:
    """DISPLAY AUTHREC; without PROFILE all of them.

    MATCH(PROFILE), the default, takes records whose profile is the one named; MATCH(MEMBERSHIP)
    those whose profile matches the name.
    """
    read_display(command, (), steering=_AUTH_STEERING, known=_AUTH_SHOWN, all_by_default=True)
    connection.look("display AUTHREC")
    profile, type_ = command.value("PROFILE") or "", (command.value("OBJTYPE") or "").upper()
    match = word_of(command, "MATCH", ("PROFILE", "MEMBERSHIP", "EXACT"))
    records = authority.records(connection.manager)
    if profile and match == "MEMBERSHIP":
        kinds = {record.type for record in records} if not type_ else {type_}
        records = [
            record
            for kind in sorted(kinds)
            for record in authority.matching(connection.manager, kind, profile)
        ]
    elif profile:
        records = [record for record in records if record.profile == profile]
    entity = command.value("PRINCIPAL") or command.value("GROUP") or ""
    kind = "PRINCIPAL" if command.has("PRINCIPAL") else "GROUP" if command.has("GROUP") else ""
    listing = []
    for one in records:
        words = ",".join(one.authorities) or "NONE"
        cells = (one.profile, one.entity, one.entity_type, one.type, words)
        is_asked = type_ in ("", "ALL", one.type) and kind in ("", one.entity_type)
        if is_asked and entity in ("", one.entity):
            listing.append(listed(8864, "", dict(zip(_AUTH_SHOWN, cells, strict=True))))
    return answer(profile, listing)


# -- definitions that are kept --------------------------------------------------------------------

KEPT_NUMBERS: Final = {
    "CHANNEL": 8414, "LISTENER": 8630, "NAMELIST": 8550, "PROCESS": 8407, "AUTHINFO": 8566,
    "SERVICE": 8629, "COMMINFO": 0, "STGCLASS": 0, "CFSTRUCT": 0,
}  # fmt: skip
"""Messages above an object; 0 where the number is not known, or z/OS has another one."""
_KEPT_STEERING: Final = ("TYPE", "CMDSCOPE", "QSGDISP", "AUTHTYPE", "CHLTYPE")


def kept_objects(connection: Connection, command: Command) -> Reply:
    """DISPLAY of the object types of `KEPT_NUMBERS`."""
    name, kind = command.named("*"), command.noun
    display = read_display(command, (kind,), steering=_KEPT_STEERING)
    keyword = SUBTYPE.get(kind, "")
    type_ = (command.value("TYPE") or command.value(keyword) or "ALL").upper()
    connection.look(f"display {kind}({name})")
    if kind == "CFSTRUCT" and not connection.manager.attributes.get("QSGNAME"):
        return not_found(name)
    connection = kept.home_of(connection, kind)
    every = [*kept.objects(connection.manager, kind).items()]
    if kind == "CHANNEL":
        every += kept.objects(connection.manager, kept.CLIENT_CHANNELS).items()
    rows = (
        ({kind: one, **{key: held[key] for key in held if key == keyword}}, held)
        for one, held in sorted(every, key=lambda item: item[0])
        if matches(name, one) and type_ in ("ALL", held.get(keyword, "ALL"))
    )
    return answer(name, _objects(KEPT_NUMBERS[kind], kind, rows, display))


def channel_authentication(connection: Connection, command: Command) -> Reply:
    """DISPLAY CHLAUTH; MATCH(RUNCHECK) is not emulated."""
    name = command.named("*")
    is_exact = word_of(command, "MATCH", ("GENERIC", "EXACT", "ALL")) == "EXACT"
    display = read_display(command, ("CHLAUTH",), steering=("TYPE", "MATCH"), all_by_default=True)
    type_ = (command.value("TYPE") or "ALL").upper()
    connection.look(f"display CHLAUTH({name})")

    def is_named(profile: str) -> bool:
        """The name is a profile as it stands, or generic over the profiles."""
        return profile == name or (not is_exact and is_like(name, profile))

    rows = (
        ({"CHLAUTH": held["CHLAUTH"], "TYPE": held["TYPE"]}, held)
        for held in channel_auth.records(connection.manager)
        if is_named(str(held["CHLAUTH"])) and type_ in ("ALL", held["TYPE"])
    )
    return answer(name, _objects(8878, "CHLAUTH", rows, display))
