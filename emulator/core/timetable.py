"""When something happens next by itself: deliveries, runs of the expirer, ends, commands.

What is due happens at the next touch (`manager`); the next moment is one value of the file, worked
out here from what stands in its tables.
"""

from __future__ import annotations

import json
from typing import Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import definitions, messages, state, tallies

EXPIRER_INTERVAL: Final = "expirer_interval_s"


DEFAULT_INTERVAL_S: Final = 300


def interval_us(manager: Manager) -> int | None:
    """How far the runs of the expirer are apart, or None while there are none."""
    if manager.is_zos:
        seconds = manager.attributes.get("EXPRYINT", "OFF")
    else:
        seconds = manager.switches.get(EXPIRER_INTERVAL, DEFAULT_INTERVAL_S)
    return None if seconds == "OFF" or seconds == "off" else int(seconds) * 1_000_000


def scan_at_or_after(manager: Manager, moment_us: int) -> int | None:
    """The first run that is not before *moment_us*."""
    interval = interval_us(manager)
    if interval is None:
        return None
    created = manager.identity.created_us
    return created + -((created - moment_us) // interval) * interval


def next_scan_us(manager: Manager, reached_us: int) -> int | None:
    """The next run that will find something, or None; inside a transaction.

    Args:
        reached_us: runs before it are over.
    """
    if interval_us(manager) is None:
        return None
    expires_us = messages.first_expiry_us(manager.store)
    return None if expires_us is None else scan_at_or_after(manager, max(expires_us, reached_us))


def command_waits(manager: Manager) -> bool:
    """Whether a command is there for the command server, which stops while it may not get."""
    return _has_one(manager, manager.command_queue)


def _has_one(manager: Manager, name: str) -> bool:
    """Whether a queue that may be got from has a message that anybody may get."""
    queue = manager.queues.get(name)
    if queue is None or not queue.is_local or not queue.get_enabled:
        return False
    return messages.first_free(manager.store, queue.span) is not None


def is_served(manager: Manager, transmission_queue: str) -> bool:
    """Whether a channel that START CHANNEL began takes messages away from a queue."""
    text = definitions.read(manager.store, definitions.TRANSIT, transmission_queue)
    channel = json.loads(text) if text else {}
    return bool(channel.get("running") and channel.get("name"))


def channel_waits(manager: Manager) -> bool:
    """Whether a message is there for such a channel."""
    channels = definitions.of_kind(manager.store, definitions.TRANSIT)
    return any(_has_one(manager, name) and is_served(manager, name) for name, _ in channels)


def is_timed_event_due(manager: Manager, now_us: int) -> bool:
    """Whether it is more than a command that waits.

    A delivery, a publication, a run of the expirer, the end of a subscription, or resource usage.
    """
    next_us = _next_us(manager, manager.state.reached_us)
    if next_us is not None and next_us <= now_us:
        return True
    return messages.is_event_due(manager.store, now_us)


def _next_us(manager: Manager, reached_us: int) -> int | None:
    """The next run of the expirer, end of a subscription, or message that tells what was counted.

    Args:
        reached_us: runs before it are over.
    """
    moments = (
        next_scan_us(manager, reached_us),
        definitions.next_subscription_end_us(manager.store),
        tallies.next_us(manager.store, manager.attributes),
    )
    return min((moment_us for moment_us in moments if moment_us is not None), default=None)


def refresh_next_event(
    manager: Manager, now_us: int | None = None, *, delivering: bool = True
) -> None:
    """Work out anew when something happens next; inside a transaction of *manager*.

    Args:
        now_us: the moment that has been reached: what could have happened before happens now.
    """
    now = manager.now_us() if now_us is None else now_us
    next_us = _next_us(manager, now)
    if command_waits(manager) or channel_waits(manager):
        manager.woken_us = now
        next_us = now if next_us is None else min(next_us, now)
    state.write_next_event(manager.store, now, next_us, delivering=delivering)
