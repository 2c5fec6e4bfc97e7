"""Publishing: fan-out, retained publications; the subscriptions are in `subscriptions`.

A publication is matched to subscriptions when the application publishes: not at its commit, and
for a delayed one not when it comes due (DD-72, DD-110). One copy goes to the queue of each
subscriber, or with a delay one to the staging queue for each (DD-111). For a proxy subscription one
copy goes to the other queue manager, which matches it to its own subscriptions when it arrives
there (DD-113).

Choices where the documents are silent: all copies of a publication share its MsgId; CorrelId is
that of the subscription (MQSD.SubCorrelId as the queue manager generates it); a publication with
MQPMO_RETAIN is retained when it is published, whether it is intercepted or not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from mqtriage.emulator.core import authority
from mqtriage.emulator.core.connections import Connection, check_room_in_unit
from mqtriage.emulator.core.group_positions import IN_GROUP
from mqtriage.emulator.core.holder import Holder
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.descriptor import checked, filled
from mqtriage.emulator.core.put.staging import (
    StagedDestination,
    check_delay,
    refuse_delay,
    stage,
    staging_queue,
)
from mqtriage.emulator.core.queues import Queue, queue_from_row
from mqtriage.emulator.core.tables import tallies
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.emulator.pubsub import proxies, publication_properties, topics
from mqtriage.emulator.pubsub.fan_out import Publication, _copy_for, fan_out
from mqtriage.emulator.pubsub.subscription_terms import HIGHEST_LEVEL, recipients
from mqtriage.mq import cmqc
from mqtriage.mq.delay import DelayedSend
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.expiry import expires_at_us
from mqtriage.mq.segments import SEGMENTED
from mqtriage.records import NamedTuple


class Published(NamedTuple):
    """What became of a publication.

    Attributes:
        md: the descriptor with what the queue manager filled in.
        subscribers: how many subscriptions it went to, those of other queue managers among them.
    """

    md: MQMD
    subscribers: int


def send(
    connection: Connection,
    topic: str,
    md: MQMD,
    body: bytes,
    options: int = 0,
    *,
    delay_ms: int = 0,
    may_publish: bool = False,
    level: int = HIGHEST_LEVEL,
    own: frozenset[bytes] = frozenset(),
    alias: str = "",
) -> Published:
    """Publish, as MQPUT to a topic does; with a delay as a JMS client does.

    Args:
        options: MQPMO_*; MQPMO_RETAIN keeps it for later subscribers, MQPMO_SUPPRESS_REPLYTO keeps
            the reply-to queue from them, MQPMO_SCOPE_QMGR keeps it on this queue manager.
        may_publish: the authority was checked when the topic was opened.
        own: ids of subscriptions that get nothing: the publisher's, with MQPMO_NOT_OWN_SUBS.
        alias: the alias queue that led to the topic, "" for none.

    Raises:
        NotAuthorized: 2035: PUB.
        MQIError: 2425, 2051 (PUB, or PUT of the alias), 2502: a subscriber that PMSGDLV or NPMSGDLV
            names could not get it, or the topic is not ALLAVAIL and there is a delay (DD-117);
            2046: retained or grouped with a delay; 2417: grouped or a segment; 2027: a report is
            asked for and the reply-to queue suppressed; 2598: below $SYS/MQ.
    """
    doing = f"{'delayed publish' if delay_ms else 'publish'} to {topic}"
    manager = connection.manager
    _check(connection, topic, md, doing, delay_ms, alias)
    if not may_publish and (connection.checked or manager.switches):
        above = topics.objects_above(manager, topic)
        authority.check_topic(connection, above, topic, "PUB", doing)
    given, (md, body) = md, publication_properties.without(md, body)
    if options & cmqc.MQPMO_SUPPRESS_REPLYTO:
        md = md._replace(reply_to_q="", reply_to_q_mgr="")
    in_unit = bool(options & cmqc.MQPMO_SYNCPOINT)
    holder = connection.holder() if in_unit else None
    at_commit: list[Callable[[Manager, int], None]] = []
    with connection.writing(doing, durable=not in_unit) as now:
        if in_unit:
            check_room_in_unit(connection, doing)
        full = checked(manager, (_as_queue(manager, topic),), md, len(body), doing)
        full = filled(connection, full, options & ~_OF_TOPICS, None, now)
        if options & cmqc.MQPMO_SUPPRESS_REPLYTO:
            full = full._replace(reply_to_q_mgr="")
        expires_us = expires_at_us(now, full.expiry_tenths)
        publication = Publication(topic, full, body, expires_us, options, level)
        receivers = _receivers(manager, publication, own)
        if delay_ms:
            _stage_copies(manager, publication, receivers, now, delay_ms, doing, holder)
        else:
            at_commit = _publish_now(manager, publication, receivers, now, doing, holder)
        if not in_unit:
            for act in at_commit:
                act(manager, now)
    if holder is not None:
        connection.unit.add(persistent=full.persistence == cmqc.MQPER_PERSISTENT)
        connection.unit.count += holder.count
        connection.unit.at_commit += at_commit
    elif at_commit:  # what is outgoing
        proxies.forward(manager, manager.look())
    if manager.tally is not None:
        tallies.note(manager.tally, connection.account, "", "publish", full.persistence, len(body))
    if options & cmqc.MQPMO_SUPPRESS_REPLYTO:
        full = full._replace(reply_to_q=given.reply_to_q, reply_to_q_mgr=given.reply_to_q_mgr)
    return Published(full, len(receivers))


def _check(
    connection: Connection, topic: str, md: MQMD, doing: str, delay_ms: int, alias: str
) -> None:
    """Refuse what no program can publish there."""
    check_delay(delay_ms, doing)
    if not topic:
        raise mqi_error(cmqc.MQRC_TOPIC_STRING_ERROR, doing, detail="no topic string")
    topics.refuse_publishing(topic, doing)
    if not delay_ms and md.msg_flags & (IN_GROUP | SEGMENTED):
        detail = "groups and segments cannot be published"
        raise mqi_error(cmqc.MQRC_MSG_NOT_ALLOWED_IN_GROUP, doing, detail=detail)
    connection.look(doing)
    if alias:
        topics.refuse_shut_alias(connection.manager, alias, f"put to {alias}")


_OF_TOPICS: Final = cmqc.MQPMO_RETAIN | cmqc.MQPMO_SUPPRESS_REPLYTO | cmqc.MQPMO_SCOPE_QMGR


def deliver(manager: Manager, alias: str, md: MQMD, body: bytes, now_us: int) -> int | None:
    """Publish a due message whose target is an alias of a topic now; inside a transaction.

    Returns:
        0 or the reason it failed with; None where *alias* is none of a topic.
    """
    doing = f"put to {alias}"
    try:
        topic = topics.string_behind_alias(manager, alias, doing)
        if topic is None:
            return None
        topics.refuse_shut_alias(manager, alias, doing)
        md, body = publication_properties.without(md, body)
        expires_us = expires_at_us(now_us, md.expiry_tenths)
        publication = Publication(topic, md, body, expires_us)
        receivers = _receivers(manager, publication, frozenset())
        forward = _publish_now(manager, publication, receivers, now_us, doing, None)
    except MQIError as error:
        return error.reason
    for act in forward:
        act(manager, now_us)
    return 0


def _receivers(
    manager: Manager, publication: Publication, own: frozenset[bytes]
) -> list[Subscription]:
    """The subscriptions that it goes to."""
    topic, md, body = publication.topic, publication.md, publication.body
    stays = publication.options & cmqc.MQPMO_SCOPE_QMGR
    stays = stays or topics.resolved(manager, topic, "PUBSCOPE") == "QMGR"
    every = recipients(manager, topic, md, body, publication.level)
    return [one for one in every if one.id not in own and not (stays and one.proxy)]


def _delivery(manager: Manager, publication: Publication) -> str:
    """To which subscribers it must go."""
    is_persistent = publication.md.persistence == cmqc.MQPER_PERSISTENT
    return topics.delivery(manager, publication.topic, persistent=is_persistent)


def _as_queue(manager: Manager, topic: str) -> Queue:
    """What the put checks have to know of a topic, in the shape of a queue definition."""
    values = {
        "PUT": topics.resolved(manager, topic, "PUB"),
        "DEFPRTY": topics.resolved(manager, topic, "DEFPRTY"),
        "DEFPSIST": topics.resolved(manager, topic, "DEFPSIST"),
        "CAPEXPRY": topics.cap_tenths(manager, topic),
        "MAXMSGL": manager.attributes["MAXMSGL"],
    }
    return queue_from_row((0, f"topic {topic}", "TOPIC", json.dumps(values)))


def _stage_copies(
    manager: Manager,
    publication: Publication,
    receivers: Iterable[Subscription],
    now_us: int,
    delay_ms: int,
    doing: str,
    holder: Holder | None,
) -> None:
    """One staged message for each subscriber there is now; none where nobody subscribes (DD-111).

    The queues of the subscribers are not looked at: with ALLAVAIL one that cannot take its copy
    is no reason to fail the publication, and the processor does what is to be done then (DD-119).
    """
    delayed = DelayedSend(
        delay_ms,
        caps_tenths=(topics.cap_tenths(manager, publication.topic),),
        retained=bool(publication.options & cmqc.MQPMO_RETAIN),
        message_delivery=_delivery(manager, publication),
    )
    refuse_delay(manager, publication.topic, publication.md, delayed, doing)
    staging = staging_queue(manager, doing)
    unit = holder.id if holder else None
    for receiver in receivers:
        if receiver.proxy:
            facts = publication_properties.CopyFacts(publication.topic)
            md, body = publication.md, publication.body
            copy, data = publication_properties.added(md, body, facts, "RFH2", manager.ccsid)
        else:
            copy, data = _copy_for(manager, receiver, publication)
        target = StagedDestination(receiver.destination, receiver.proxy, receiver.id, receiver.name)
        stage(manager, staging, target, copy, data, now_us, delay_ms, doing, unit=unit)


def _publish_now(
    manager: Manager,
    publication: Publication,
    receivers: list[Subscription],
    now_us: int,
    doing: str,
    holder: Holder | None,
) -> list[Callable[[Manager, int], None]]:
    """Give each subscriber its copy; returns what is to be done at the commit, as for proxies."""
    delivery = _delivery(manager, publication)
    failed = fan_out(manager, publication, receivers, now_us, holder)
    blocking = [s for s in failed if delivery == "ALL" or (delivery == "ALLDUR" and s.durable)]
    if blocking:
        raise mqi_error(
            cmqc.MQRC_PUBLICATION_FAILURE,
            doing,
            detail=f"subscription {blocking[0].name} could not be given its copy, and the topic"
            f" asks for {delivery}",
            object_name=publication.topic,
        )
    at_commit: list[Callable[[Manager, int], None]] = [
        partial(proxies.enqueue, publication, s.proxy) for s in receivers if s.proxy
    ]
    if publication.options & cmqc.MQPMO_RETAIN:
        at_commit.append(publication.retain)
    return at_commit
