"""Subscriptions: who gets what is published on which topics, on which queue, and for how long.

A durable subscription stays until it is ended; another one goes with its connection. A managed
queue goes with its subscription: it is a permanent dynamic queue, so that it takes persistent
messages (a choice of ours where the documents are silent).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from mqtriage.emulator import dynamic, topics
from mqtriage.emulator.clock import date_and_time
from mqtriage.emulator.connections import Connection
from mqtriage.emulator.manager import Manager
from mqtriage.emulator.put import new_id
from mqtriage.emulator.queues import Queue
from mqtriage.mq import codes
from mqtriage.mq.attributes import defaults
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import UsageError, mqi_error

if TYPE_CHECKING:
    from mqtriage.model.message_selector import Selector

MANAGED_DURABLE: Final = "SYSTEM.MANAGED.DURABLE.*"
MANAGED_NON_DURABLE: Final = "SYSTEM.MANAGED.NDURABLE.*"
INTER_QMGR: Final = "SYSTEM.INTER.QMGR.PUBS"
"""Where a publication for a proxy subscription is addressed to on the other queue manager."""

_OWN: Final = frozenset(
    {"TOPICSTR", "TOPICOBJ", "DEST", "DESTCLAS", "SUBID", "SUB", "CRDATE", "CRTIME", "DURABLE"}
)  # fmt: skip
"""Attributes that follow from the subscription itself and are not kept beside it."""


class Subscription(NamedTuple):
    """One subscription.

    Attributes:
        id: 24 bytes; also the CorrelId of what is delivered.
        topic: topic string, with `+` for one level and `#` for any number of them.
        destination: queue that publications go to.
        managed: the queue manager made that queue, and deletes it with the subscription.
        connection: number of the connection that a non-durable one ends with.
        proxy: the other queue manager it stands for, or "".
    """

    id: bytes
    name: str
    topic: str
    destination: str
    managed: bool
    durable: bool
    connection: int | None
    proxy: str
    user: str
    created_us: int


# -- subscribing ----------------------------------------------------------------------------------


def subscribe(
    connection: Connection,
    topic: str,
    *,
    name: str = "",
    durable: bool = False,
    destination: str = "",
    proxy: str = "",
    kept: Mapping[str, int | str] | None = None,
    alternate_user: str | None = None,
    only_new: bool = False,
) -> Subscription:
    """MQSUB: make a subscription, or resume the durable one of that name.

    Args:
        topic: topic string, wildcards of the topic scheme allowed.
        name: subscription name, needed where *durable*.
        destination: queue of the subscriber's own; blank has one made from the model queue that
            the topic names (MDURMDL, MNDURMDL).
        proxy: queue manager that a proxy subscription stands for; it is durable.
        kept: what else there is to it, as DISPLAY SUB shows it: SELECTOR, DESTCORL (48 hex digits;
            CorrelId of what is delivered), WSCHEMA (CHAR: * and ? are the wildcards), USERDATA.
            One that is resumed keeps its own.
        only_new: no retained publications now (MQSO_NEW_PUBLICATIONS_ONLY).
        alternate_user: AlternateUserId, whose authority counts; None for the program's own.

    Raises:
        UsageError: A durable one without a name.
        NotAuthorized: 2035: SUB on the topic, PUT on *destination*.
        MQIError: 2425, 2432 (exists otherwise), 2436 (DURSUB), 2503 (SUB), 2085; 2551 for a
            selector that cannot be read, 2459 where that is on one resumed, 2504, 2519.
    """
    from mqtriage.emulator.pubsub import deliver_retained

    doing = f"subscribe to {topic}"
    manager = connection.manager
    kept = kept or {}
    if not topic:
        raise mqi_error(codes.MQRC_TOPIC_STRING_ERROR, doing, detail="no topic string")
    if durable and not name:
        raise UsageError(f"{doing}: a durable subscription needs a name")
    connection.look(doing)
    _check_subscriber(connection, topic, destination, doing, alternate_user)
    owner = None if durable or proxy else connection.id
    now = connection.begin(doing, durable=True)
    try:
        there = _named(manager, name) if name else None
        if there is not None:
            _check_resumed(there, topic, destination, doing, durable=durable)
            _check_selector(kept, doing, codes.MQRC_SELECTOR_SYNTAX_ERROR)
            manager.commit()
            return there
        _check_topic_allows(manager, topic, doing, durable=durable)
        _check_selector(kept, doing, codes.MQRC_SELECTION_NOT_AVAILABLE)
        found = _insert(
            connection, topic, name, destination, proxy, now, doing,
            durable=durable or bool(proxy), owner=owner,
        )  # fmt: skip
        if kept:
            _write(manager, found, kept)
            manager.refresh()
        if not proxy and not only_new:
            deliver_retained(manager, found, now)
    except BaseException:
        manager.rollback()
        raise
    manager.commit()
    manager.refresh()
    return found


def _insert(
    connection: Connection,
    topic: str,
    name: str,
    destination: str,
    proxy: str,
    now_us: int,
    doing: str,
    *,
    durable: bool,
    owner: int | None,
) -> Subscription:
    manager = connection.manager
    number = new_id(manager)
    managed = not destination and not proxy
    if managed:
        destination = _managed_queue(manager, topic, now_us, doing, durable=durable).name
    elif destination:
        manager.path_to(destination, doing)
    found = Subscription(
        number,
        name or number.hex().upper(),
        topic,
        destination or INTER_QMGR,
        managed,
        durable,
        owner,
        proxy,
        connection.user,
        now_us,
    )
    manager.store.execute("INSERT INTO subscription VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", found)
    return found


def _managed_queue(
    manager: Manager, topic: str, now_us: int, doing: str, *, durable: bool
) -> Queue:
    """The queue of a managed subscription, from the model queue that the topic tree names."""
    wanted = str(topics.resolved(manager, topic, "MDURMDL" if durable else "MNDURMDL"))
    model = manager.queues.get(wanted)
    if model is None or model.kind != "QMODEL":
        raise mqi_error(
            codes.MQRC_UNKNOWN_OBJECT_NAME,
            doing,
            detail=f"model queue {wanted} of the topic is not there",
            object_name=wanted,
        )
    pattern = MANAGED_DURABLE if durable else MANAGED_NON_DURABLE
    return dynamic.create(manager, model, pattern, now_us, doing)


def _check_subscriber(
    connection: Connection, topic: str, destination: str, doing: str, alternate_user: str | None
) -> None:
    if not connection.checked and not connection.manager.switches:
        return
    from mqtriage.emulator import authority

    above = topics.objects_above(connection.manager, topic)
    authority.check_topic(connection, above, topic, "SUB", doing, alternate_user)
    if destination:
        authority.check_destination(connection, destination, doing, alternate_user)


def _check_selector(kept: Mapping[str, int | str], doing: str, wrong: int) -> None:
    if kept.get("SELECTOR"):
        from mqtriage.emulator.selecting import understood

        understood(str(kept["SELECTOR"]), doing, wrong)


def _check_topic_allows(manager: Manager, topic: str, doing: str, *, durable: bool) -> None:
    if topics.resolved(manager, topic, "SUB") == "DISABLED":
        raise mqi_error(codes.MQRC_SUB_INHIBITED, doing, detail=f"topic {topic} has SUB(DISABLED)")
    if durable and topics.resolved(manager, topic, "DURSUB") == "NO":
        raise mqi_error(
            codes.MQRC_DURABILITY_NOT_ALLOWED, doing, detail=f"topic {topic} has DURSUB(NO)"
        )


def _check_resumed(
    there: Subscription, topic: str, destination: str, doing: str, *, durable: bool
) -> None:
    same_queue = there.managed if not destination else there.destination == destination
    if there.topic == topic and there.durable == durable and durable and same_queue:
        return
    raise mqi_error(
        codes.MQRC_SUB_ALREADY_EXISTS,
        doing,
        detail=f"subscription {there.name} is to {there.topic}, on {there.destination}",
        object_name=there.name,
    )


def define_subscription(
    connection: Connection,
    name: str,
    attributes: Mapping[str, int | str],
    *,
    like: str = "",
    replace: bool = False,
) -> Subscription:
    """DEFINE SUB: a durable subscription made by an administrator.

    What neither its topic nor its destination is (USERDATA, PUBPRTY ...) is kept and shown.

    Args:
        like: a subscription that has what is not named.
        replace: one of that name gets another destination; its topic cannot be changed.

    Raises:
        UsageError: No topic; DESTCLAS(PROVIDED), which is the default, without DEST; a value.
        ObjectNotFound: 2085: TOPICOBJ or DEST.
        MQIError: 2432; 2510 where another topic is given for one that is replaced; 2428 for *like*.
    """
    manager = connection.manager
    given: dict[str, int | str] = {}
    if like:
        connection.look(f"define SUB({name})")
        given = dict(shown_attributes(manager, _needed(manager, like, f"define SUB({name})")))
    given |= _checked(manager, attributes, altering=False)
    topic = str(given.get("TOPICSTR", ""))
    if parent := str(given.get("TOPICOBJ", "")):
        values = topics.all_topics(manager).get(parent)
        if values is None:
            raise mqi_error(
                codes.MQRC_UNKNOWN_OBJECT_NAME, f"define SUB({name})", object_name=parent
            )
        topic = "/".join(part for part in (str(values.get("TOPICSTR", "")), topic) if part)
    managed = given.get("DESTCLAS", "PROVIDED") == "MANAGED"
    if not topic or (not managed and not given.get("DEST")):
        raise UsageError(f"define SUB({name}): TOPICSTR or TOPICOBJ, and DEST, are needed")
    destination = "" if managed else str(given["DEST"])
    there = _named(manager, name)
    if there is not None and not replace:
        doing = f"define SUB({name})"
        raise mqi_error(codes.MQRC_SUB_ALREADY_EXISTS, doing, object_name=name)
    if there is not None:
        found = _replaced(connection, there, topic, destination)
    else:
        found = subscribe(connection, topic, name=name, durable=True, destination=destination)
    _keep(connection, found, given)
    return found


def alter_subscription(
    connection: Connection, name: str, attributes: Mapping[str, int | str]
) -> None:
    """ALTER SUB: another destination, and what is kept of its attributes.

    Raises:
        UsageError: An attribute or value that is wrong; TOPICSTR and TOPICOBJ cannot be altered.
        ObjectNotFound: 2085: DEST.
        MQIError: 2428; 2510 for a destination where it is managed.
    """
    doing = f"alter SUB({name})"
    manager = connection.manager
    connection.look(doing)
    there = _needed(manager, name, doing)
    given = _checked(manager, attributes, altering=True)
    if "TOPICSTR" in given or "TOPICOBJ" in given:
        raise UsageError(f"{doing}: the topic of a subscription cannot be altered")
    if given.get("DEST"):
        there = _replaced(connection, there, there.topic, str(given["DEST"]))
    _keep(connection, there, _kept(manager).get(there.id.hex(), {}) | given)


def _checked(
    manager: Manager, attributes: Mapping[str, int | str], *, altering: bool
) -> dict[str, int | str]:
    from mqtriage.emulator.definitions import checked_attributes

    given = checked_attributes(manager, "SUB", attributes, altering=altering)
    doing = "alter SUB" if altering else "define SUB"
    _check_selector(given, doing, codes.MQRC_SELECTOR_SYNTAX_ERROR)
    return given


def _needed(manager: Manager, name: str, doing: str) -> Subscription:
    found = _named(manager, name)
    if found is None:
        raise mqi_error(codes.MQRC_NO_SUBSCRIPTION, doing, object_name=name)
    return found


def _keep(connection: Connection, found: Subscription, given: Mapping[str, int | str]) -> None:
    """Write down those attributes that bring nothing about here."""
    kept = {key: value for key, value in given.items() if key not in _OWN}
    if not kept and found.id.hex() not in _kept(connection.manager):
        return
    with connection.manager.writing(durable=True):
        _write(connection.manager, found, kept)
    connection.manager.refresh()


def _write(manager: Manager, found: Subscription, kept: Mapping[str, int | str]) -> None:
    row = ("SUB", found.id.hex(), json.dumps(kept))
    manager.store.execute("INSERT OR REPLACE INTO definition VALUES (?, ?, ?)", row)
    manager.store.execute("UPDATE state SET definitions = definitions + 1")


def _kept(manager: Manager) -> dict[str, dict[str, int | str]]:
    return manager.derived("subscription attributes", _load_kept)


def _load_kept(manager: Manager) -> dict[str, dict[str, int | str]]:
    rows = manager.store.execute("SELECT name, attributes FROM definition WHERE kind = 'SUB'")
    return {name: json.loads(text) for name, text in rows}


def shown_attributes(manager: Manager, found: Subscription) -> dict[str, int | str]:
    """What DISPLAY SUB shows, name and SUBID first."""
    date, time = date_and_time(found.created_us)
    return {
        "SUBID": found.id.hex().upper(),
        "SUB": found.name,
        **defaults("SUB", "zos" if manager.is_zos else "dist"),
        "SUBUSER": found.user,
        **_kept(manager).get(found.id.hex(), {}),
        "CRDATE": date,
        "CRTIME": time,
        "DEST": found.destination,
        "DESTCLAS": "MANAGED" if found.managed else "PROVIDED",
        "DURABLE": "YES" if found.durable else "NO",
        "TOPICSTR": found.topic,
    }


def _replaced(
    connection: Connection, there: Subscription, topic: str, destination: str
) -> Subscription:
    """A subscription that is there already, with the destination that DEFINE REPLACE gives it."""
    doing = f"define SUB({there.name})"
    manager = connection.manager
    if there.topic != topic or there.managed is bool(destination) or not there.durable:
        reason = codes.MQRC_TOPIC_NOT_ALTERABLE
        detail = f"it is one to {there.topic}, of another kind or by another topic string"
        raise mqi_error(reason, doing, detail=detail, object_name=there.name)
    if there.managed or there.destination == destination:
        return there
    if destination not in manager.queues:
        raise mqi_error(codes.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=destination)
    connection.begin(doing, durable=True)
    try:
        manager.store.execute(
            "UPDATE subscription SET destination = ? WHERE id = ?", (destination, there.id)
        )
        manager.store.execute("UPDATE state SET definitions = definitions + 1")
    except BaseException:
        manager.rollback()
        raise
    manager.commit()
    manager.refresh()
    return there._replace(destination=destination)


def unsubscribe(connection: Connection, name: str) -> None:
    """End a subscription, with its managed queue and what is on it.

    Raises:
        MQIError: 2428.
    """
    doing = f"unsubscribe {name}"
    manager = connection.manager
    connection.begin(doing, durable=True)
    try:
        found = _named(manager, name)
        if found is None:
            raise mqi_error(codes.MQRC_NO_SUBSCRIPTION, doing, object_name=name)
        _end(manager, (found,))
    except BaseException:
        manager.rollback()
        raise
    manager.commit()
    manager.refresh()


def end_non_durable(manager: Manager, connection_id: int | None = None) -> None:
    """End what does not outlive its connection, or any of them; inside a transaction (DD-103)."""
    _end(
        manager,
        [
            found
            for found in subscriptions(manager)
            if found.connection is not None and connection_id in (None, found.connection)
        ],
    )


def _end(manager: Manager, ended: Iterable[Subscription]) -> None:
    for found in ended:
        manager.store.execute("DELETE FROM subscription WHERE id = ?", (found.id,))
        manager.store.execute(
            "DELETE FROM definition WHERE kind = 'SUB' AND name = ?", (found.id.hex(),)
        )
        manager.refresh()
        queue = manager.queues.get(found.destination)
        if found.managed and queue is not None:
            dynamic.remove(manager, queue)


# -- looking up -----------------------------------------------------------------------------------


def subscriptions(manager: Manager) -> list[Subscription]:
    """Every subscription, by name."""
    rows = manager.store.execute("SELECT * FROM subscription ORDER BY name")
    return [_from_row(row) for row in rows]


def by_id(manager: Manager, number: bytes) -> Subscription | None:
    """The subscription of that id, while it exists."""
    row = manager.store.execute("SELECT * FROM subscription WHERE id = ?", (number,)).fetchone()
    return None if row is None else _from_row(row)


def _named(manager: Manager, name: str) -> Subscription | None:
    row = manager.store.execute("SELECT * FROM subscription WHERE name = ?", (name,)).fetchone()
    return None if row is None else _from_row(row)


def _from_row(
    row: tuple[bytes, str, str, str, int, int, int | None, str, str, int],
) -> Subscription:
    number, name, topic, destination, managed, durable, connection, proxy, user, created = row
    return Subscription(
        number, name, topic, destination, bool(managed), bool(durable), connection, proxy, user,
        created,
    )  # fmt: skip


def matching(manager: Manager, topic: str) -> list[Subscription]:
    """The subscriptions that a publication on that topic string goes to, oldest first."""
    found = [
        s
        for s in subscriptions(manager)
        if is_about(manager, s, topic) and not is_on_request(manager, s)
    ]
    return sorted(found, key=lambda s: (s.created_us, s.id))


def chosen(
    manager: Manager, found: Iterable[Subscription], md: MQMD, body: bytes
) -> list[Subscription]:
    """Those of *found* whose selectors select the publication, or that have none."""
    terms = _terms(manager)
    if not terms:
        return list(found)
    from mqtriage.emulator.selecting import selects

    return [
        each
        for each in found
        if (term := terms.get(each.id)) is None
        or term.selector is None
        or selects(term.selector, md, body)
    ]


def correl_id_of(manager: Manager, found: Subscription) -> bytes:
    """CorrelId of what is delivered: the subscription's id, or the one it was made with."""
    term = _terms(manager).get(found.id)
    return found.id if term is None or term.correl_id is None else term.correl_id


def priority_of(manager: Manager, found: Subscription, published: int) -> int:
    """Priority of what is delivered: that of the publication, unless PUBPRTY says another."""
    term = _terms(manager).get(found.id)
    return published if term is None or term.priority is None else term.priority


def is_on_request(manager: Manager, found: Subscription) -> bool:
    """Whether a subscriber gets publications only when it asks for them (MQSUBRQ)."""
    term = _terms(manager).get(found.id)
    return term is not None and term.on_request


def is_about(manager: Manager, found: Subscription, topic: str) -> bool:
    """Whether a publication on that topic string is one for the subscription."""
    term = _terms(manager).get(found.id)
    if term is not None and term.pattern is not None:
        return term.pattern.fullmatch(topic) is not None
    return topic_matches(found.topic.split("/"), topic.split("/"))


class _Terms(NamedTuple):
    """What of a subscription's kept attributes decides about deliveries; None where unusual.

    Attributes:
        pattern: of the topic strings, for WSCHEMA(CHAR).
        priority: PUBPRTY; -1 leaves it to the destination.
        on_request: REQONLY(YES): nothing comes but by MQSUBRQ.
    """

    selector: Selector | None
    correl_id: bytes | None
    pattern: re.Pattern[str] | None
    priority: int | None
    on_request: bool


def _terms(manager: Manager) -> dict[bytes, _Terms]:
    return manager.derived("subscription terms", _load_terms)


def _load_terms(manager: Manager) -> dict[bytes, _Terms]:
    from mqtriage.emulator.selecting import understood

    topics_of = {each.id: each.topic for each in subscriptions(manager)}
    made: dict[bytes, _Terms] = {}
    for number, kept in _kept(manager).items():
        ident = bytes.fromhex(number)
        text, correl_id = str(kept.get("SELECTOR", "")), str(kept.get("DESTCORL", ""))
        by_characters = kept.get("WSCHEMA") == "CHAR" and ident in topics_of
        made[ident] = _Terms(
            understood(text, "select publications") if text else None,
            bytes.fromhex(correl_id) if _IS_ID.match(correl_id) else None,
            _by_characters(topics_of[ident]) if by_characters else None,
            _priority(kept.get("PUBPRTY", "ASPUB")),
            kept.get("REQONLY") == "YES",
        )
    return made


def _priority(value: int | str) -> int | None:
    return {"ASPUB": None, "ASQDEF": -1}[value] if isinstance(value, str) else value


_IS_ID: Final = re.compile(r"[0-9A-Fa-f]{48}\Z")


def _by_characters(topic: str) -> re.Pattern[str]:
    """A topic string with the wildcards * and ?; % before one of them, or itself, is plain."""
    wild = {"*": ".*", "?": "."}
    pieces = re.findall(r"%[*?%]|.", topic, re.DOTALL)
    return re.compile("".join(wild.get(p, re.escape(p[-1])) for p in pieces), re.DOTALL)


def topic_matches(pattern: list[str], levels: list[str]) -> bool:
    """Whether levels match; `reachable` holds how many of them the pattern so far may cover.

    # and + are wildcards as a whole level alone, and only in the pattern (IBM MQ documentation,
    "Topic-based wildcard scheme").
    """
    reachable = {0}
    for part in pattern:
        if part == "#":
            reachable = set(range(min(reachable), len(levels) + 1))
        else:
            reachable = {
                at + 1 for at in reachable if at < len(levels) and part in ("+", levels[at])
            }
        if not reachable:
            return False
    return len(levels) in reachable
