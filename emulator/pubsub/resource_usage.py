"""Publications about the queue manager itself, below $SYS/MQ: metadata, and what programs do.

The metadata is as if it were retained; it is made when somebody subscribes. What is counted is
published every ten seconds from the first subscription on, as IBM documents, and no more when
nobody subscribes any longer. The calls of programs are counted: what the queue manager itself puts,
a publication for each subscriber or a message whose delay is over, shows in the depth alone.

Nothing happens by itself in a queue manager that nobody touches: then one publication is about
more than ten seconds, and says so (MQIAMO64_MONITOR_INTERVAL).

Choices where the documents are silent: format MQPCF, not persistent; SubLevel plays no part.

Sources: IBM MQ documentation, "System topics for monitoring and activity trace", "Metrics published
on the system topics".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.descriptor import own
from mqtriage.emulator.core.tables import counters, state, subscriptions, tallies
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.emulator.pubsub import fan_out, topics
from mqtriage.emulator.pubsub.fan_out import Publication
from mqtriage.emulator.pubsub.subscription_terms import chosen, is_about, terms_of
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.names import SYSTEM_TOPIC
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf import resource_usage
from mqtriage.mq.pcf.resource_usage import UsageSubject

_FIRST_LEVEL: Final = 900
"""Command level of the first queue managers that publish this."""
_WILDCARDS: Final = frozenset("#+*?")


def _publishes(manager: Manager) -> bool:
    return not manager.is_zos and manager.command_level >= _FIRST_LEVEL


# -- metadata -------------------------------------------------------------------------------------


def deliver_retained(manager: Manager, subscription: Subscription, now_us: int, doing: str) -> int:
    """`fan_out.deliver_retained`, and the metadata that a subscriber asks for; how many."""
    count = fan_out.deliver_retained(manager, subscription, now_us, doing)
    if not subscription.topic.startswith(f"{SYSTEM_TOPIC}/") or not _publishes(manager):
        return count
    for topic, content in resource_usage.metadata(manager.identity.name):
        if is_about(manager, subscription, topic):
            if _publish(manager, topic, content, (subscription,), now_us, is_retained=True):
                reason = cmqc.MQRC_RETAINED_NOT_DELIVERED
                raise mqi_error(reason, doing, object_name=subscription.destination)
            count += 1
    return count


# -- who subscribes to what -----------------------------------------------------------------------


def begin(manager: Manager, subscription: Subscription, now_us: int) -> None:
    """Count from now on, where a new subscription is to what is counted; in a transaction."""
    if not subscription.topic.startswith(f"{SYSTEM_TOPIC}/") or not _publishes(manager):
        return
    if tallies.since_us(manager.store) is None and _subscribers_of(manager, (subscription,)):
        tallies.begin(manager.store, now_us)
        state.definitions_changed(manager.store)
        manager.wake(now_us + tallies.INTERVAL_US)


def _subscribers_of(
    manager: Manager, subscribers: Iterable[Subscription]
) -> Mapping[UsageSubject, list[Subscription]]:
    """What subscriptions are about, and which."""
    name = manager.identity.name
    by_source: dict[UsageSubject, list[Subscription]] = defaultdict(list)
    for subscriber in subscribers:
        source = resource_usage.source_of(name, subscriber.topic)
        if source is not None:
            by_source[source].append(subscriber)
            continue
        if not _WILDCARDS.intersection(subscriber.topic):
            continue
        for source in _every_source(manager):
            if is_about(manager, subscriber, resource_usage.topic_of(name, source)):
                by_source[source].append(subscriber)
    return by_source


def _every_source(manager: Manager) -> Iterator[UsageSubject]:
    queues = [name for name, queue in manager.queues.items() if queue.is_local]
    for monitor_class, kind in resource_usage.elements():
        of = queues if resource_usage.is_of_queues(monitor_class) else [""]
        yield from (UsageSubject(monitor_class, kind, queue) for queue in of)


# -- publishing -----------------------------------------------------------------------------------


def due_us(manager: Manager, now_us: int) -> int | None:
    """The last moment up to now for which something is to be published, None where none is."""
    begun_us = tallies.since_us(manager.store)
    if begun_us is None or now_us - begun_us < tallies.INTERVAL_US:
        return None
    return now_us - (now_us - begun_us) % tallies.INTERVAL_US


def publish(manager: Manager, now_us: int) -> int:
    """Publish what was counted, or stop counting where nobody asks; in a transaction.

    Returns:
        How many publications there were.
    """
    begun_us = tallies.since_us(manager.store)
    assert begun_us is not None
    subscribers = [
        one for one in subscriptions.every(manager.store)
        if one.topic.startswith(f"{SYSTEM_TOPIC}/") and not terms_of(manager, one).on_request
    ]  # fmt: skip
    by_source = _subscribers_of(manager, subscribers)
    if not by_source:
        tallies.end(manager.store)
        state.definitions_changed(manager.store)
        manager.refresh()
        return 0
    manager.write_tally()
    counts = tallies.take(manager.store)
    tallies.begin(manager.store, now_us)
    for source, receivers in by_source.items():
        calls = _calls(manager, source.queue, counts)
        if calls is not None:
            name = manager.identity.name
            content = resource_usage.publication(name, source, now_us - begun_us, calls)
            topic = resource_usage.topic_of(name, source)
            _publish(manager, topic, content, receivers, now_us)
    return len(by_source)


def _calls(
    manager: Manager, name: str, counts: Mapping[str, resource_usage.Calls]
) -> resource_usage.Calls | None:
    """The calls on a queue with its depth, or those of all; None where there is no such queue."""
    if name:
        queue = manager.queues.get(name)
        if queue is None or not queue.is_local:
            return None
        depth = counters.depth(manager.store, queue.id)
        return {**counts.get(name, {}), "depth 0": (depth, 0)}
    total: dict[str, tuple[int, int]] = {}
    for calls in counts.values():
        for what, (count, length) in calls.items():
            before = total.get(what, (0, 0))
            total[what] = before[0] + count, before[1] + length
    return total


def _publish(
    manager: Manager,
    topic: str,
    content: pcf.PCF,
    receivers: Iterable[Subscription],
    now_us: int,
    *,
    is_retained: bool = False,
) -> list[Subscription]:
    """Give subscribers a publication of the queue manager's; those that could not take it."""
    md = own(
        manager,
        now_us,
        format=cmqc.MQFMT_PCF.rstrip(),
        persistence=cmqc.MQPER_NOT_PERSISTENT,
        priority=int(topics.resolved(manager, topic, "DEFPRTY")),
    )
    body = pcf.encode(content, "<", manager.ccsid)
    publication = Publication(topic, md, body, None, is_retained=is_retained)
    selected = chosen(manager, receivers, md, body)
    return fan_out.fan_out(manager, publication, selected, now_us)
