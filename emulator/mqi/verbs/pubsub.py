"""MQSUB and MQSUBRQ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from mqtriage.emulator.core import authority
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.tables import subscriptions as table
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.emulator.mqi.session import CallReply, OpenSubscription, Session
from mqtriage.emulator.mqi.verbs.objects import (
    long_text,
    of_queue,
    reads_ahead,
    topic_string,
)
from mqtriage.emulator.pubsub import resource_usage, subscription_rows, subscriptions
from mqtriage.emulator.pubsub.subscription_terms import correl_id_of
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.errors import UsageError, mqi_error
from mqtriage.mq.structures import Value, structure

_KNOWN: Final = 0x1C743BFF
_HIGHEST: Final = 9
_FINAL_LEVEL: Final = 1
_MANAGED_OPTIONS: Final = cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE
_TELLING: Final = {
    "VARUSER": {"ANY": cmqc.MQSO_ANY_USERID, "FIXED": cmqc.MQSO_FIXED_USERID},
    "REQONLY": {"YES": cmqc.MQSO_PUBLICATIONS_ON_REQUEST},
    "WSCHEMA": {"CHAR": cmqc.MQSO_WILDCARD_CHAR, "TOPIC": cmqc.MQSO_WILDCARD_TOPIC},
    "SUBSCOPE": {"QMGR": cmqc.MQSO_SCOPE_QMGR},
    "GROUPSUB": {"YES": cmqc.MQSO_GROUP_SUB},
}
"""Options that come back with MQSO_RESUME, by what is kept of the subscription."""


class _Asked(NamedTuple):
    """What an MQSUB asks for."""

    options: int
    fields: Mapping[str, Value]
    name: str
    object_string: bytes
    user_data: bytes
    selector: str
    hobj: int
    is_shared: bool

    def has(self, option: int) -> bool:
        return bool(self.options & option)

    @property
    def alternate_user(self) -> str | None:
        return (
            str(self.fields["AlternateUserId"])
            if self.has(cmqc.MQSO_ALTERNATE_USER_AUTHORITY)
            else None
        )


def subscribe(
    session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...], *, is_shared: bool = False
) -> CallReply:
    """MQSUB: make a subscription, or resume or alter one, with a managed or an own queue.

    Of one that is only resumed nothing but its name counts; its own values come back in the MQSD,
    SubExpiry as it was stated (IBM MQ documentation, "MQSD - Options", "MQSD - SubExpiry").

    Args:
        is_shared: of JMS 2.0, for which MQSUB has no option: others may subscribe by the same name
            meanwhile, and each publication is for one of them.

    Raises:
        MQIError: 2424, 2046, 2440, 2428, 2432, 2429, 2434, 2019, 2425, 2551, 2459, 2504, 2519
            (selection string), 2013, 2050, 2514; of ALTER 2509, 2510, 2512, 2515, 2524, 2533.
    """
    doing = "subscribe"
    sd, object_string, raw_name, user_data, selection = blobs
    session.need_handle(doing)
    connection = session.connection
    layout = structure("MQSD")
    fields = layout.decode(sd, doing)
    name = raw_name.decode("utf-8", "replace").rstrip("\0 ")
    selector = long_text(selection, doing) if selection else ""
    asked = _Asked(
        int(fields["Options"]), fields, name, object_string, user_data, selector, numbers[0],
        is_shared,
    )  # fmt: skip
    _check(asked, doing)
    connection.look(doing)
    connection.fail_if_quiescing(asked.options & cmqc.MQSO_FAIL_IF_QUIESCING, doing)
    there = table.named(connection.manager.store, name) if name else None
    if there is None and not asked.has(cmqc.MQSO_CREATE):
        raise mqi_error(cmqc.MQRC_NO_SUBSCRIPTION, doing, object_name=name)
    if there is not None and not asked.has(cmqc.MQSO_RESUME | cmqc.MQSO_ALTER):
        raise mqi_error(cmqc.MQRC_SUB_ALREADY_EXISTS, doing, object_name=name)
    if there is None:
        record = _create(session, asked, doing)
    else:
        record = _resumed(session, asked, there, doing)
    number = asked.hobj
    given = number not in (cmqc.MQHO_NONE, cmqc.MQHO_UNUSABLE_HOBJ)
    is_ahead = False
    if asked.has(cmqc.MQSO_MANAGED) or (there is not None and not given):
        handle = connection.open(record.destination, _MANAGED_OPTIONS)
        number = session.add(of_queue(connection, handle, _MANAGED_OPTIONS))
        is_ahead = reads_ahead(
            session,
            handle,
            asked=asked.has(cmqc.MQSO_READ_AHEAD),
            refused=asked.has(cmqc.MQSO_NO_READ_AHEAD),
        )
    subscription = session.add_subscription(
        OpenSubscription(record.id, record.name, record.durable, is_shared)
    )
    session.shared.wake_up.notify()
    shown = subscription_rows.shown_attributes(connection.manager, record)
    values = _fields_to_return(connection, asked, record, shown, resumed=there is not None)
    user_data = str(shown["USERDATA"]).encode()
    return CallReply(
        (number, subscription, int(is_ahead)),
        (layout.patched(sd, **values), record.topic.encode(), user_data),
    )


def _check(asked: _Asked, doing: str) -> None:
    """Refuse what cannot be asked together ("Rules for validating MQI options", MQSUB call)."""
    wrong = ""
    if asked.options & ~_KNOWN or not asked.has(
        cmqc.MQSO_CREATE | cmqc.MQSO_RESUME | cmqc.MQSO_ALTER
    ):
        wrong = "an option that there is not, or none of CREATE, RESUME and ALTER"
    elif asked.has(cmqc.MQSO_GROUP_SUB) and (
        asked.has(cmqc.MQSO_MANAGED) or not asked.has(cmqc.MQSO_SET_CORREL_ID)
    ):
        wrong = "MQSO_GROUP_SUB goes with MQSO_SET_CORREL_ID and without MQSO_MANAGED"
    elif asked.has(cmqc.MQSO_NEW_PUBLICATIONS_ONLY) and (
        asked.has(cmqc.MQSO_PUBLICATIONS_ON_REQUEST) or not asked.has(cmqc.MQSO_CREATE)
    ):
        wrong = "MQSO_NEW_PUBLICATIONS_ONLY goes with MQSO_CREATE and no publications on request"
    elif asked.has(cmqc.MQSO_NO_MULTICAST) and not asked.has(cmqc.MQSO_MANAGED):
        wrong = "MQSO_NO_MULTICAST goes with MQSO_MANAGED"
    elif (
        asked.has(cmqc.MQSO_PUBLICATIONS_ON_REQUEST)
        and int(asked.fields["SubLevel"]) > _FINAL_LEVEL
    ):
        wrong = "publications on request with a SubLevel above 1"
    for two in (
        cmqc.MQSO_FIXED_USERID | cmqc.MQSO_ANY_USERID,
        cmqc.MQSO_WILDCARD_CHAR | cmqc.MQSO_WILDCARD_TOPIC,
        cmqc.MQSO_READ_AHEAD | cmqc.MQSO_NO_READ_AHEAD,
    ):
        if asked.options & two == two:
            wrong = "two options that exclude each other"
    if wrong:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing, detail=wrong)
    if asked.has(cmqc.MQSO_DURABLE) and not asked.name:
        raise mqi_error(cmqc.MQRC_SUB_NAME_ERROR, doing, detail="a durable one needs a name")
    if not cmqc.MQPRI_PRIORITY_AS_PUBLISHED <= int(asked.fields["PubPriority"]) <= _HIGHEST:
        raise mqi_error(cmqc.MQRC_PRIORITY_ERROR, doing, detail="PubPriority")
    expiry = int(asked.fields["SubExpiry"])
    if expiry < 1 and expiry != cmqc.MQEI_UNLIMITED:
        raise mqi_error(cmqc.MQRC_EXPIRY_ERROR, doing, detail="SubExpiry")
    if not 0 <= int(asked.fields["SubLevel"]) <= _HIGHEST:
        raise mqi_error(cmqc.MQRC_SD_ERROR, doing, detail="SubLevel")


def _create(session: Session, asked: _Asked, doing: str) -> Subscription:
    """A subscription that there was not, with its managed queue where that is asked for."""
    connection = session.connection
    topic = topic_string(connection, str(asked.fields["ObjectName"]), asked.object_string, doing)
    destination = "" if asked.has(cmqc.MQSO_MANAGED) else _own_queue(session, asked, doing)
    if asked.has(cmqc.MQSO_GROUP_SUB):
        _check_group(connection, topic, destination, asked, doing)
    try:
        return subscriptions.subscribe(
            connection,
            topic,
            name=asked.name,
            durable=asked.has(cmqc.MQSO_DURABLE),
            destination=destination,
            kept=_kept(asked),
            alternate_user=asked.alternate_user,
            only_new=asked.has(cmqc.MQSO_NEW_PUBLICATIONS_ONLY | cmqc.MQSO_PUBLICATIONS_ON_REQUEST),
        )
    except UsageError as error:
        raise mqi_error(cmqc.MQRC_SUB_NAME_ERROR, doing, detail=error.text) from error


def _own_queue(session: Session, asked: _Asked, doing: str) -> str:
    """The queue that the subscriber gives, on which it may set identity context if it does."""
    opened = session.object(asked.hobj, doing)
    if opened.handle is None:
        raise mqi_error(cmqc.MQRC_HOBJ_ERROR, doing)
    name = opened.handle.queue.name
    connection = session.connection
    sets = asked.has(cmqc.MQSO_SET_IDENTITY_CONTEXT) and asked.has(
        cmqc.MQSO_CREATE | cmqc.MQSO_ALTER
    )
    if sets:
        authority.check_open(connection, name, cmqc.MQOO_SET_IDENTITY_CONTEXT, doing)
    return name


def _check_group(
    connection: Connection, topic: str, destination: str, asked: _Asked, doing: str
) -> None:
    """Refuse a second subscription to one topic string in one group (2514)."""
    correl_id = asked.fields["SubCorrelId"]
    manager = connection.manager
    for member in table.every(manager.store):
        grouped = subscription_rows.kept(manager, member).get("GROUPSUB") == "YES"
        same = (member.topic, member.destination) == (topic, destination)
        if grouped and same and correl_id_of(manager, member, NO_ID) == correl_id:
            raise mqi_error(cmqc.MQRC_DUPLICATE_GROUP_SUB, doing, object_name=member.name)


def _kept(asked: _Asked) -> dict[str, int | str]:
    """What the call says besides topic and destination, as DISPLAY SUB shows it."""
    fields = asked.fields
    correl_id, token = fields["SubCorrelId"], fields["PubAccountingToken"]
    assert isinstance(correl_id, bytes) and isinstance(token, bytes)
    identity = asked.has(cmqc.MQSO_SET_IDENTITY_CONTEXT)
    priority, expiry = int(fields["PubPriority"]), int(fields["SubExpiry"])
    level = int(fields["SubLevel"])
    values: dict[str, int | str] = {
        "SELECTOR": asked.selector,
        "USERDATA": asked.user_data.decode("utf-8", "replace").rstrip("\0"),
        "DESTCORL": correl_id.hex().upper() if asked.has(cmqc.MQSO_SET_CORREL_ID) else "",
        "EXPIRY": "" if expiry == cmqc.MQEI_UNLIMITED else expiry,
        "GROUPSUB": "YES" if asked.has(cmqc.MQSO_GROUP_SUB) else "",
        "PUBACCT": token.hex().upper() if identity else "",
        "PUBAPPID": str(fields["PubApplIdentityData"]) if identity else "",
        "PUBPRTY": {
            cmqc.MQPRI_PRIORITY_AS_PUBLISHED: "",
            cmqc.MQPRI_PRIORITY_AS_PARENT: "",
            cmqc.MQPRI_PRIORITY_AS_Q_DEF: "ASQDEF",
        }.get(priority, priority),
        "REQONLY": "YES" if asked.has(cmqc.MQSO_PUBLICATIONS_ON_REQUEST) else "",
        "SUBLEVEL": "" if level == _FINAL_LEVEL else level,
        "SUBSCOPE": "QMGR" if asked.has(cmqc.MQSO_SCOPE_QMGR) else "",
        "VARUSER": "" if asked.has(cmqc.MQSO_ANY_USERID) else "FIXED",
        "WSCHEMA": "CHAR" if asked.has(cmqc.MQSO_WILDCARD_CHAR) else "",
    }
    return {name: value for name, value in values.items() if value != ""}


# -- one that is there ----------------------------------------------------------------------------


def _resumed(session: Session, asked: _Asked, there: Subscription, doing: str) -> Subscription:
    """MQSO_RESUME, or MQSO_ALTER, of a subscription that nobody has a handle to, or that is shared.

    Nothing is altered of one that others have.
    """
    if session.shared.is_in_use(there.id, is_shared=asked.is_shared):
        raise mqi_error(cmqc.MQRC_SUBSCRIPTION_IN_USE, doing, object_name=there.name)
    connection = session.connection
    is_joined = session.shared.is_in_use(there.id, is_shared=False)
    given = asked.hobj not in (cmqc.MQHO_NONE, cmqc.MQHO_UNUSABLE_HOBJ)
    destination = (
        _own_queue(session, asked, doing) if given and not asked.has(cmqc.MQSO_MANAGED) else ""
    )
    if not asked.has(cmqc.MQSO_ALTER):
        if destination and destination != there.destination:
            detail = f"its queue is {there.destination}, not {destination}"
            reason = cmqc.MQRC_SUB_ALREADY_EXISTS
            raise mqi_error(reason, doing, detail=detail, object_name=there.name)
        return subscriptions.resume(connection, there, alternate_user=asked.alternate_user)
    before = subscription_rows.kept(connection.manager, there)
    kept = _kept(asked)
    _check_altered(connection, asked, there, destination, before, kept, doing)
    if is_joined:
        return subscriptions.resume(connection, there, alternate_user=asked.alternate_user)
    for lasting in ("SELECTOR", "SUBLEVEL", "SUBSCOPE", "WSCHEMA", "GROUPSUB", "PSPROP"):
        kept.pop(lasting, None)
        if lasting in before:
            kept[lasting] = before[lasting]
    if not asked.has(cmqc.MQSO_SET_CORREL_ID) and "DESTCORL" in before:
        kept["DESTCORL"] = before["DESTCORL"]
    return subscriptions.resume(
        connection, there, destination=destination, kept=kept, alternate_user=asked.alternate_user
    )


def _check_altered(
    connection: Connection,
    asked: _Asked,
    there: Subscription,
    destination: str,
    before: Mapping[str, int | str],
    kept: Mapping[str, int | str],
    doing: str,
) -> None:
    """Refuse what MQSO_ALTER cannot change; a topic or selection string need not be repeated.

    Raises:
        MQIError: 2509 durability, 2510 topic or kind of wildcards, 2512 SubLevel, 2515 grouping,
            2524 selection string, 2533 managed or not.
    """
    topic = there.topic
    if asked.fields["ObjectName"] or asked.object_string:
        name = str(asked.fields["ObjectName"])
        topic = topic_string(connection, name, asked.object_string, doing)
    wildcards = asked.has(cmqc.MQSO_WILDCARD_CHAR | cmqc.MQSO_WILDCARD_TOPIC)
    lasting = (
        (asked.has(cmqc.MQSO_DURABLE) != there.durable, cmqc.MQRC_DURABILITY_NOT_ALTERABLE),
        (topic != there.topic, cmqc.MQRC_TOPIC_NOT_ALTERABLE),
        (
            wildcards and kept.get("WSCHEMA") != before.get("WSCHEMA"),
            cmqc.MQRC_TOPIC_NOT_ALTERABLE,
        ),
        (
            kept.get("SUBLEVEL", _FINAL_LEVEL) != before.get("SUBLEVEL", _FINAL_LEVEL),
            cmqc.MQRC_SUBLEVEL_NOT_ALTERABLE,
        ),
        (kept.get("GROUPSUB") != before.get("GROUPSUB"), cmqc.MQRC_GROUPING_NOT_ALTERABLE),
        (
            kept.get("SELECTOR", before.get("SELECTOR")) != before.get("SELECTOR"),
            cmqc.MQRC_SELECTOR_NOT_ALTERABLE,
        ),
        (
            there.managed if destination else asked.has(cmqc.MQSO_MANAGED) and not there.managed,
            cmqc.MQRC_DEST_CLASS_NOT_ALTERABLE,
        ),
    )
    for is_wrong, reason in lasting:
        if is_wrong:
            raise mqi_error(reason, doing, object_name=there.name)


def _fields_to_return(
    connection: Connection,
    asked: _Asked,
    record: Subscription,
    shown: Mapping[str, int | str],
    *,
    resumed: bool,
) -> dict[str, Value]:
    """What the call changes in the MQSD."""
    correl_id = correl_id_of(connection.manager, record, NO_ID)
    options = asked.options
    kind = (cmqc.MQSO_MANAGED if record.managed else 0) | (
        cmqc.MQSO_DURABLE if record.durable else 0
    )
    if not resumed:
        return {"Options": options | kind, "SubCorrelId": correl_id}
    kept = subscription_rows.kept(connection.manager, record)
    held = {**shown, **kept}
    options &= ~(cmqc.MQSO_NEW_PUBLICATIONS_ONLY | cmqc.MQSO_MANAGED | cmqc.MQSO_DURABLE)
    for keyword, words in _TELLING.items():
        for bit in words.values():
            options &= ~bit
        options |= words.get(str(held.get(keyword, "")), 0)
    priority = held["PUBPRTY"]
    if isinstance(priority, str):
        priority = {
            "ASPUB": cmqc.MQPRI_PRIORITY_AS_PUBLISHED,
            "ASQDEF": cmqc.MQPRI_PRIORITY_AS_Q_DEF,
        }[priority]
    expiry = held["EXPIRY"]
    return {
        "Options": options | kind,
        "SubCorrelId": correl_id,
        "SubExpiry": expiry if isinstance(expiry, int) else cmqc.MQEI_UNLIMITED,
        "PubPriority": priority,
        "PubAccountingToken": bytes.fromhex(str(held.get("PUBACCT", ""))),
        "PubApplIdentityData": str(held["PUBAPPID"]),
        "SubLevel": int(held["SUBLEVEL"]),
    }


# -- MQSUBRQ --------------------------------------------------------------------------------------


def request(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQSUBRQ: send the retained publications of the subscription's topics again.

    Raises:
        MQIError: 2438, 2046, 2019, 2437, 2428 (it has expired, or was deleted), 2526, 2535
            (action).
    """
    doing = "request publications"
    number, action = numbers
    session.require_connection()
    opened = session.subscriptions.get(number)
    if opened is None:
        raise mqi_error(cmqc.MQRC_HOBJ_ERROR, doing, detail=f"handle {number}")
    layout = structure("MQSRO")
    options = int(layout.decode(blobs[0], doing)["Options"])
    if options & ~cmqc.MQSRO_FAIL_IF_QUIESCING:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing)
    if action != cmqc.MQSR_ACTION_PUBLICATION:
        raise mqi_error(cmqc.MQRC_ACTION_ERROR, doing, detail=f"action {action}")
    connection = session.connection
    connection.look(doing)
    connection.fail_if_quiescing(options, doing)
    subscription = table.by_id(connection.manager.store, opened.id)
    if subscription is None:
        raise mqi_error(cmqc.MQRC_NO_SUBSCRIPTION, doing, object_name=opened.name)
    with connection.manager.writing() as now:
        count = resource_usage.deliver_retained(connection.manager, subscription, now, doing)
    if not count:
        raise mqi_error(cmqc.MQRC_NO_RETAINED_MSG, doing)
    session.shared.wake_up.notify()
    return CallReply((), (layout.patched(blobs[0], NumPubs=count),))
