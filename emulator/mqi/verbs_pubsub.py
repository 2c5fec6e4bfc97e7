"""MQSUB and MQSUBRQ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.emulator import pubsub, subscriptions
from mqtriage.emulator.connections import Connection
from mqtriage.emulator.mqi.session import NOT_A_HANDLE, OpenSubscription, Reply, Session
from mqtriage.emulator.mqi.structures import Value, structure
from mqtriage.emulator.mqi.verbs_objects import of_queue, selection_string, topic_string
from mqtriage.mq import codes
from mqtriage.mq.constants import MQOO_BROWSE, MQOO_INPUT_SHARED, MQOO_INQUIRE
from mqtriage.mq.errors import UsageError, mqi_error

MQHO_NONE: Final = 0
_ALTER: Final = 1
_CREATE: Final = 2
_RESUME: Final = 4
_DURABLE: Final = 8
_MANAGED: Final = 32
_SET_CORREL_ID: Final = 0x400000
_ALTERNATE_USER: Final = 0x40000
_WILDCARD_CHAR: Final = 0x100000
_WILDCARD_TOPIC: Final = 0x200000
_NEW_ONLY: Final = 0x1000
_ON_REQUEST: Final = 0x800
_PUBLICATION: Final = 1
_UNLIMITED: Final = -1
_AS_QUEUE: Final = -1
_AS_PARENT: Final = -2
_AS_PUBLISHED: Final = -3
_HIGHEST: Final = 9
_MANAGED_OPTIONS: Final = MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_INQUIRE


def subscribe(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> Reply:
    """MQSUB: make a subscription or resume a durable one, with a managed or an own queue.

    Raises:
        MQIError: 2424, 2046, 2440, 2428, 2432, 2019, 2425, 2551, 2459, 2504, 2519
            (selection string); of ALTER 2510 and 2524.
    """
    doing = "subscribe"
    sd, object_string, raw_name, user_data, selection = blobs
    connection = session.connection
    layout = structure("MQSD")
    fields = layout.decode(sd, doing)
    options = int(fields["Options"])
    name = raw_name.decode("utf-8", "replace").rstrip("\0 ")
    _check(options, name, doing)
    if not _AS_PUBLISHED <= int(fields["PubPriority"]) <= _HIGHEST:
        raise mqi_error(codes.MQRC_PRIORITY_ERROR, doing, detail="PubPriority")
    if int(fields["SubExpiry"]) < 1 and int(fields["SubExpiry"]) != _UNLIMITED:
        raise mqi_error(codes.MQRC_EXPIRY_ERROR, doing, detail="SubExpiry")
    selector = selection_string(selection, doing) if selection else ""
    connection.look(doing)
    there = _named(connection, name) if name else None
    if there is None and not options & _CREATE:
        raise mqi_error(codes.MQRC_NO_SUBSCRIPTION, doing, object_name=name)
    if there is not None and not options & (_RESUME | _ALTER):
        raise mqi_error(codes.MQRC_SUB_ALREADY_EXISTS, doing, object_name=name)
    if there is not None and session.shared.is_subscribed(name):
        raise mqi_error(codes.MQRC_SUBSCRIPTION_IN_USE, doing, object_name=name)
    if there is not None and not fields["ObjectName"] and not object_string:
        topic = there.topic
    else:
        topic = topic_string(connection, str(fields["ObjectName"]), object_string, doing)
    managed, durable = bool(options & _MANAGED), bool(options & _DURABLE)
    destination, number = "", numbers[0]
    if there is not None:
        durable = there.durable
    # resumed without a queue (MQHO_NONE): a handle to the destination that it has comes back
    own = there is not None and not managed and number in (MQHO_NONE, NOT_A_HANDLE)
    if there is not None and own:
        destination = "" if there.managed else there.destination
    elif not managed:
        opened = session.object(number, doing)
        if opened.handle is None:
            raise mqi_error(codes.MQRC_HOBJ_ERROR, doing)
        destination = opened.handle.queue.name
    kept = _kept(options, selector, user_data, fields)
    alternate = str(fields["AlternateUserId"]) if options & _ALTERNATE_USER else None
    if there is not None and options & _ALTER:
        _alter(connection, there, topic, destination, kept, doing)
    try:
        found = subscriptions.subscribe(
            connection,
            topic,
            name=name,
            durable=durable,
            destination=destination,
            kept=kept,
            alternate_user=alternate,
            only_new=bool(options & (_NEW_ONLY | _ON_REQUEST)),
        )
    except UsageError as error:
        raise mqi_error(codes.MQRC_SUB_NAME_ERROR, doing, detail=error.text) from error
    if managed or own:
        handle = connection.open(found.destination, _MANAGED_OPTIONS)
        number = session.add(of_queue(connection, handle, _MANAGED_OPTIONS))
    subscription = session.add_subscription(
        OpenSubscription(found.name, found.topic, found.durable, found.destination, managed, number)
    )
    session.shared.bell.ring()
    kind = (_MANAGED if found.managed else 0) | (_DURABLE if found.durable else 0)
    correl_id = subscriptions.correl_id_of(connection.manager, found)
    sd = layout.patched(sd, Options=options | kind, SubCorrelId=correl_id)
    data = str(subscriptions.shown_attributes(connection.manager, found).get("USERDATA", ""))
    return Reply((number, subscription), (sd, found.topic.encode(), data.encode()))


def _named(connection: Connection, name: str) -> subscriptions.Subscription | None:
    there = subscriptions.subscriptions(connection.manager)
    return next((each for each in there if each.name == name), None)


def _check(options: int, name: str, doing: str) -> None:
    if not options & (_CREATE | _RESUME | _ALTER):
        raise mqi_error(codes.MQRC_OPTIONS_ERROR, doing)
    if options & _WILDCARD_CHAR and options & _WILDCARD_TOPIC:
        raise mqi_error(codes.MQRC_OPTIONS_ERROR, doing, detail="two kinds of wildcards")
    if options & _DURABLE and not name:
        raise mqi_error(codes.MQRC_SUB_NAME_ERROR, doing, detail="a durable one needs a name")


def _kept(
    options: int, selector: str, user_data: bytes, fields: Mapping[str, Value]
) -> dict[str, int | str]:
    """What the call says besides topic and destination, as DISPLAY SUB shows it."""
    correl_id, priority = fields["SubCorrelId"], int(fields["PubPriority"])
    assert isinstance(correl_id, bytes)
    found: dict[str, int | str] = {
        "SELECTOR": selector,
        "USERDATA": user_data.decode("utf-8", "replace").rstrip("\0"),
        "DESTCORL": correl_id.hex().upper() if options & _SET_CORREL_ID else "",
        "WSCHEMA": "CHAR" if options & _WILDCARD_CHAR else "",
        "REQONLY": "YES" if options & _ON_REQUEST else "",
        "PUBPRTY": {_AS_PUBLISHED: "", _AS_PARENT: "", _AS_QUEUE: "ASQDEF"}.get(priority, priority),
    }
    return {name: value for name, value in found.items() if value != ""}


def _alter(
    connection: Connection,
    there: subscriptions.Subscription,
    topic: str,
    destination: str,
    kept: Mapping[str, int | str],
    doing: str,
) -> None:
    """MQSO_ALTER: another queue of the subscriber's own, CorrelId or user data.

    Raises:
        MQIError: 2510 another topic, 2524 another selection string.
    """
    manager = connection.manager
    if topic != there.topic:
        raise mqi_error(codes.MQRC_TOPIC_NOT_ALTERABLE, doing, object_name=there.name)
    shown = subscriptions.shown_attributes(manager, there)
    if kept.get("SELECTOR", shown.get("SELECTOR", "")) != shown.get("SELECTOR", ""):
        raise mqi_error(codes.MQRC_SELECTOR_NOT_ALTERABLE, doing, object_name=there.name)
    changed = {name: kept[name] for name in ("DESTCORL", "USERDATA") if name in kept}
    if destination and destination != there.destination:
        changed["DEST"] = destination
    if changed:
        subscriptions.alter_subscription(connection, there.name, changed)


def request(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> Reply:
    """MQSUBRQ: send the retained publication of the subscription's topic again.

    Raises:
        MQIError: 2438, 2019, 2437, 2428, 2535 (action).
    """
    doing = "request publications"
    number, action = numbers
    session.connection  # noqa: B018  says 2018 where there is none
    opened = session.subscriptions.get(number)
    if opened is None:
        raise mqi_error(codes.MQRC_HOBJ_ERROR, doing, detail=f"handle {number}")
    layout = structure("MQSRO")
    layout.version_of(blobs[0], doing)
    if action != _PUBLICATION:
        raise mqi_error(codes.MQRC_ACTION_ERROR, doing, detail=f"action {action}")
    connection = session.connection
    connection.look(doing)
    found = _named(connection, opened.name)
    if found is None:
        raise mqi_error(codes.MQRC_NO_SUBSCRIPTION, doing, object_name=opened.name)
    with connection.manager.writing() as now:
        count = pubsub.deliver_retained(connection.manager, found, now)
    if not count:
        raise mqi_error(codes.MQRC_NO_RETAINED_MSG, doing)
    session.shared.bell.ring()
    return Reply((), (layout.patched(blobs[0], NumPubs=count),))
