"""What the delivery delay processor does with one message whose delay is over."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from mqtriage.emulator.core import call_log
from mqtriage.emulator.core.get.discard import discard
from mqtriage.emulator.core.get.rows import descriptor
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.arrival import dispose, try_put
from mqtriage.emulator.core.switches import DELAY_RETRY, DELAY_RETRY_S
from mqtriage.emulator.core.tables import messages, subscriptions
from mqtriage.emulator.pubsub import proxies, publication_properties, publications, topics
from mqtriage.emulator.pubsub.fan_out import Publication
from mqtriage.emulator.shared import sharing
from mqtriage.mq import cmqc
from mqtriage.mq.deadletter import DueMessageFacts
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.expiry import remaining_tenths
from mqtriage.mq.headers import ddh
from mqtriage.mq.times import SECOND_US
from mqtriage.records import NamedTuple


def retry_interval_us(manager: Manager) -> int:
    """How long after a failed delivery the next try is made.

    IBM documents none: a switch, 60 s unless it is set (DD-96, gaps of the requirements).
    """
    return int(manager.switches.get(DELAY_RETRY, DELAY_RETRY_S)) * SECOND_US


def deliver(manager: Manager, position: int, now_us: int) -> int | None:
    """Take one due message to its target, or do what the documents say when that fails.

    Returns:
        When it is tried again, where it had to stay; None where it is done with.
    """
    execute = manager.store.execute
    packed, expires_us, backouts, data = messages.staged(manager.store, position)
    if expires_us is not None and expires_us <= now_us:
        discard(manager, (position,), now_us)
        return None
    staged = descriptor(packed, None, backouts, now_us)
    header = ddh.decode(data)
    if not isinstance(header, ddh.DDH) or header.tail is None or header.target_q is None:
        # Put here by somebody else: there is no saying where it belongs, so it stays.
        messages.write_event(manager.store, position, None)
        return None
    due = _due(manager, header.tail, header.target_q, staged, data[header.length :],
               expires_us, now_us)  # fmt: skip
    if manager.switches:
        _log_open(manager, due.target, now_us)
    numbers = manager.numbers()
    execute("SAVEPOINT delivery")
    if _dispose(manager, due, now_us):
        messages.remove(manager.store, position, now_us)
        execute("RELEASE delivery")
        return None
    execute("ROLLBACK TO delivery")
    execute("RELEASE delivery")
    manager.restore_numbers(numbers)
    retry_us = now_us + retry_interval_us(manager)
    if expires_us is not None:
        retry_us = min(retry_us, expires_us)
    messages.write_event(manager.store, position, retry_us)
    manager.wake(retry_us)
    return retry_us


def skip_tries(manager: Manager, kept: Mapping[int, int], until_us: int) -> None:
    """Leave out the tries up to *until_us* that cannot end otherwise; inside a transaction.

    To be called when nothing but these messages is due up to then: nothing changes in between, so
    each try would fail as the last one did. The next try stays a whole number of intervals after
    the first; a message whose lifetime ends before is looked at then.

    Args:
        kept: position of each message and its next try.
    """
    manager.woken_us = None
    interval_us = retry_interval_us(manager)
    for position, retry_us in kept.items():
        skipped = max(0, -((retry_us - until_us - 1) // interval_us))
        at_us = retry_us + skipped * interval_us
        event_us = messages.skip_to(manager.store, position, at_us)
        manager.wake(event_us)


class _Due(NamedTuple):
    """One message whose delay is over.

    Attributes:
        md: the original's, with what is left of its lifetime.
        gone: that subscriber is no longer there (DD-102, DD-103).
        proxy: the queue manager that the subscription stands for, "" for a subscriber here.
        staged_id: MsgId on the staging queue.
        topic: that the subscriber subscribed to; "" for what is no publication.
    """

    target: str
    md: MQMD
    body: bytes
    expires_us: int | None
    publication: bool
    gone: bool
    proxy: str
    staged_id: bytes
    topic: str = ""


def _due(
    manager: Manager,
    tail: ddh.StagedTail,
    target: str,
    staged: MQMD,
    body: bytes,
    expires_us: int | None,
    now_us: int,
) -> _Due:
    remaining = remaining_tenths(expires_us, now_us)
    md = tail.original._replace(expiry_tenths=remaining, report=staged.report)
    if not any(tail.subscription_id):
        return _Due(target, md, body, expires_us, False, False, "", staged.msg_id)
    subscription = subscriptions.by_id(manager.store, tail.subscription_id)
    proxy, topic = (subscription.proxy, subscription.topic) if subscription else ("", "")
    return _Due(
        target, md, body, expires_us, True, subscription is None, proxy, staged.msg_id, topic
    )


def _log_open(manager: Manager, target: str, now_us: int) -> None:
    """The queue manager opens the target itself, and nobody's authority is checked (DD-40, 41)."""
    if call_log.is_on(manager):
        call_log.note(
            manager, call_log.QUEUE_MANAGER, "delivery delay processor", "MQOPEN", target,
            cmqc.MQOO_OUTPUT, now_us=now_us,
        )  # fmt: skip


def _put(manager: Manager, due: _Due, now_us: int) -> int:
    """Put a due message to its target; 0 or the reason."""
    if due.gone:
        return cmqc.MQRC_NO_SUBSCRIPTION
    if due.proxy:
        topic, md, body = proxies.unwrapped(due.md, due.body)
        publication = Publication(topic, md, body, due.expires_us)
        proxies.enqueue(publication, due.proxy, manager, now_us)
        return 0
    shared = sharing.shared_target(manager, due.target)
    if shared is not None:
        with closing(shared):
            return sharing.deliver(
                manager, shared, due.target, due.md, due.body, due.expires_us, now_us,
                due.staged_id,
            )  # fmt: skip
    if not due.publication:
        reason = publications.deliver(manager, due.target, due.md, due.body, now_us)
        if reason is not None:
            return reason
    added = 0
    if due.publication:
        added = publication_properties.added_bytes(due.md, due.body)
    return try_put(
        manager, due.target, due.md, due.body, now_us, due.expires_us, added_bytes=added,
        is_publication=due.publication,
    )  # fmt: skip


def _uses_dead_letter_queue(manager: Manager, due: _Due) -> bool:
    """Whether a copy that its queue refuses may go there (IBM MQ documentation, USEDLQ)."""
    if not due.topic:
        return True
    topic = publication_properties.topic_of(due.md, due.body) or due.topic
    return topics.resolved(manager, topic, "USEDLQ") == "YES"


def _dispose(manager: Manager, due: _Due, now_us: int) -> bool:
    """Put, dead-letter, discard and report as `mq.deadletter.outcome` says; whether it is done."""
    target, md, body, expires_us = due.target, due.md, due.body, due.expires_us
    target_reason = _put(manager, due, now_us)
    facts = DueMessageFacts(
        target_reason=target_reason,
        report=md.report,
        persistent=md.persistence == cmqc.MQPER_PERSISTENT,
        publication=due.publication,
        subscriber_gone=due.gone,
        uses_dead_letter_queue=not target_reason or _uses_dead_letter_queue(manager, due),
    )
    return dispose(manager, facts, target, md, body, expires_us, now_us)
