"""A publication goes to its subscribers: each one's copy, now or when it was retained."""

from __future__ import annotations

from collections.abc import Iterable

from mqtriage.emulator.core.holder import Holder
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.arrival import dead_letter, try_put
from mqtriage.emulator.core.tables import publications
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.emulator.pubsub import publication_properties, subscription_terms, topics
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, pack, unpack
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.expiry import expires_at_us, remaining_tenths
from mqtriage.records import NamedTuple


class Publication(NamedTuple):
    """What is published, with its lifetime as a moment.

    Attributes:
        is_retained: it was retained before this subscriber gets it.
    """

    topic: str
    md: MQMD
    body: bytes
    expires_us: int | None
    options: int = 0
    level: int = subscription_terms.HIGHEST_LEVEL
    is_retained: bool = False

    def row(self) -> tuple[str, bytes, bytes, int | None]:
        """It as a table keeps it."""
        return self.topic, pack(self.md), self.body, self.expires_us

    def retain(self, manager: Manager, now_us: int) -> None:
        """Keep it in place of the topic's last one; inside a transaction."""
        publications.retain(manager.store, self.row())


def _copy_for(
    manager: Manager, subscription: Subscription, publication: Publication
) -> tuple[MQMD, bytes]:
    """The copy of a subscriber: its CorrelId, priority and identity, and what PSPROP adds."""
    topic, md, body = publication.topic, publication.md, publication.body
    terms = subscription_terms.terms_of(manager, subscription)
    md = md._replace(
        correl_id=subscription_terms.correl_id_of(manager, subscription, md.correl_id),
        priority=md.priority if terms.priority is None else terms.priority,
        user_identifier=(terms.user or subscription.user)[:12],
        accounting_token=terms.accounting_token,
        appl_identity_data=terms.identity_data,
    )
    intercepts = terms.level > 1
    facts = publication_properties.CopyFacts(
        topic,
        terms.user_data,
        publication.is_retained,
        publication.options & cmqc.MQPMO_PUB_OPTIONS_MASK if intercepts else None,
        publication.level if intercepts else subscription_terms.HIGHEST_LEVEL,
    )
    return publication_properties.added(md, body, facts, terms.properties, manager.ccsid)


def fan_out(
    manager: Manager,
    publication: Publication,
    subscriptions: Iterable[Subscription],
    now_us: int,
    holder: Holder | None = None,
) -> list[Subscription]:
    """Put a copy to the queue of each local subscriber; returns those that got none.

    A copy that its queue refuses goes to the dead-letter queue where the topic has USEDLQ(YES);
    that counts as given (IBM MQ documentation, USEDLQ).
    """
    use_dlq = topics.resolved(manager, publication.topic, "USEDLQ") == "YES"
    expires_us = publication.expires_us
    failed = []
    for subscriber in subscriptions:
        if subscriber.proxy:
            continue
        copy, body = _copy_for(manager, subscriber, publication)
        queue = subscriber.destination
        added = 0
        if subscription_terms.terms_of(manager, subscriber).properties == "MSGPROP":
            added = len(body) - len(publication.body)
        reason = try_put(
            manager, queue, copy, body, now_us, expires_us, holder=holder, added_bytes=added,
            is_publication=True,
        )  # fmt: skip
        if reason and use_dlq:
            reason = dead_letter(manager, copy, body, reason, queue, now_us, expires_us)
        if reason:
            failed.append(subscriber)
    return failed


def arrived(manager: Manager, topic: str, md: MQMD, body: bytes, now_us: int) -> list[Subscription]:
    """Fan out what another queue manager handed over, to local subscribers alone; in a transaction.

    Subscribers are those of this moment (DD-113, DD-114); the publication level is the highest.
    """
    publication = Publication(topic, md, body, expires_at_us(now_us, md.expiry_tenths))
    return fan_out(
        manager, publication, subscription_terms.recipients(manager, topic, md, body), now_us
    )


def deliver_retained(manager: Manager, subscription: Subscription, now_us: int, doing: str) -> int:
    """Give a subscriber the retained publications of its topics; how many, in a transaction.

    One above subscription level 1 gets none: they count as published at level 1 (IBM MQ
    documentation, "MQSD - SubLevel").

    Raises:
        MQIError: 2526: the queue takes one of them no more, nor does the dead-letter queue.
    """
    if subscription_terms.terms_of(manager, subscription).level > 1:
        return 0
    count = 0
    for topic, packed, body, expires_us in publications.every_retained(manager.store):
        over = expires_us is not None and expires_us <= now_us
        if over or not subscription_terms.is_about(manager, subscription, topic):
            continue
        md = unpack(packed)._replace(expiry_tenths=remaining_tenths(expires_us, now_us))
        if not subscription_terms.chosen(manager, (subscription,), md, body):
            continue
        publication = Publication(topic, md, body, expires_us, is_retained=True)
        if fan_out(manager, publication, (subscription,), now_us):
            reason = cmqc.MQRC_RETAINED_NOT_DELIVERED
            raise mqi_error(reason, doing, object_name=subscription.destination)
        count += 1
    return count
