"""A simulated channel: from a transmission queue to another emulated queue manager.

Both queue managers are files of one home. A batch goes in three short transactions, none of which
holds two files: the sender marks it as in doubt, the receiver puts it together with the number of
the batch, the sender lets go of what arrived. Who fails in between finds out by that number what
became of the batch, so that nothing is lost or doubled.

What cannot be put at the other end goes to the dead-letter queue there; where that fails too it
stays on the transmission queue with all behind it, and the channel stops. A message on the
transmission queue that has no MQXQH goes to this side's dead-letter queue.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import closing
from typing import Final

from mqtriage.emulator.core import timetable
from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.file.gate import open_lock
from mqtriage.emulator.core.get.discard import discard
from mqtriage.emulator.core.get.rows import descriptor
from mqtriage.emulator.core.holder import GET
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put import arrival
from mqtriage.emulator.core.queues import TRANSMISSION, Queue
from mqtriage.emulator.core.remote import TRANSMISSION_FORMAT, decremented
from mqtriage.emulator.core.tables import counters, definitions, messages
from mqtriage.files.locks import try_lock
from mqtriage.mq import cmqc
from mqtriage.mq.deadletter import DueMessageFacts
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import NotFound, StorageError, mqi_error
from mqtriage.mq.headers import mde, xqh
from mqtriage.mq.reports import ReportKind
from mqtriage.records import NamedTuple

BATCH: Final = 50
_RECEIVED: Final = "TRANSIT.RECEIVED"
_LONGEST_WAIT_S: Final = 10.0
_LOOK_S: Final = 0.01


class Channel(NamedTuple):
    """A channel as it stands in the sender's file.

    Attributes:
        batch: number of the last batch that was begun.
        why: why it stopped by itself, "" where it did not.
        name: of the sender channel that START CHANNEL began; "" for one that its caller runs.
        most_bytes: MAXMSGL of that channel when it was started, 0 for no limit.
    """

    transmission_queue: str
    to: str
    running: bool
    batch: int = 0
    why: str = ""
    name: str = ""
    most_bytes: int = 0


class Moved(NamedTuple):
    """What one `run` did: messages that arrived, of these dead-lettered, and why it stopped."""

    arrived: int
    dead_lettered: int
    stopped: str


class _Letter(NamedTuple):
    """One message on its way."""

    position: int
    queue: str
    queue_manager: str
    md: MQMD
    body: bytes
    outer_expiry_tenths: int


def start(
    manager: Manager, transmission_queue: str, to: str, name: str = "", most_bytes: int = 0
) -> None:
    """Let a channel run from a transmission queue to queue manager *to*.

    Args:
        name, most_bytes: as of `Channel`.

    Raises:
        ObjectNotFound: 2085.
        MQIError: 2092 where the queue is no transmission queue.
    """
    doing = f"start a channel from {transmission_queue}"
    with manager.writing(durable=True):
        queue = manager.local(transmission_queue, doing)
        if not queue.special & TRANSMISSION:
            raise mqi_error(cmqc.MQRC_XMIT_Q_USAGE_ERROR, doing, object_name=transmission_queue)
        there = _channel(manager, transmission_queue)
        batch = there.batch if there and there.to == to else 0
        channel = Channel(transmission_queue, to, True, batch, "", name, most_bytes)
        _save(manager, channel)
        timetable.refresh_next_event(manager)


def stop(manager: Manager, transmission_queue: str) -> None:
    """Let messages stay on the transmission queue until the channel is started again."""
    with manager.writing(durable=True):
        there = _channel(manager, transmission_queue)
        if there is None:
            raise NotFound(f"no channel from {transmission_queue}", object_name=transmission_queue)
        _save(manager, there._replace(running=False, why=""))


def channels(manager: Manager) -> list[Channel]:
    """The channels that there are, by transmission queue."""
    rows = definitions.of_kind(manager.store, definitions.TRANSIT)
    return [Channel(**json.loads(text)) for _, text in rows]


def run(manager: Manager) -> Moved:
    """Let every running channel take away what is on its transmission queue now."""
    manager.look()
    return _run(manager, channels(manager))


def serve(manager: Manager) -> None:
    """Let the channels that START CHANNEL began take away what waits; one process at a time.

    No transaction of *manager* may be open.

    Raises:
        StorageError: Another process is at it for too long.
    """
    lock = open_lock(manager.path, "channels")
    before, manager.serving = manager.serving, True  # what else is due at either end comes later
    try:
        _wait_for(lock, manager)
        manager.refresh()
        stopped = _run(manager, [one for one in channels(manager) if one.name]).stopped
        if stopped:
            manager.notice(f"{manager.identity.name}: a channel has stopped: {stopped}")
        with manager.store.write(durable=True):
            manager.refresh()
            timetable.refresh_next_event(manager)
    finally:
        manager.serving = before
        os.close(lock)


def _wait_for(lock: int, manager: Manager) -> None:
    end = time.monotonic() + _LONGEST_WAIT_S
    while not try_lock(lock):
        if time.monotonic() > end:
            raise StorageError(
                f"{manager.path}: another program, perhaps a suspended one, runs its channels",
                hint="continue that program, or end it",
            )
        time.sleep(_LOOK_S)


def _run(manager: Manager, running: list[Channel]) -> Moved:
    arrived = dead_lettered = 0
    stopped = ""
    for channel in running:
        while channel.running:
            moved = _move_batch(manager, channel)
            arrived += moved.arrived
            dead_lettered += moved.dead_lettered
            if moved.stopped:
                stopped = moved.stopped
                with manager.writing(durable=True):
                    if there := _channel(manager, channel.transmission_queue):
                        _save(manager, there._replace(running=False, why=stopped))
            if moved.stopped or not moved.arrived:
                break
    return Moved(arrived, dead_lettered, stopped)


def _channel(manager: Manager, name: str) -> Channel | None:
    text = definitions.read(manager.store, definitions.TRANSIT, name)
    return None if text is None else Channel(**json.loads(text))


def _save(manager: Manager, channel: Channel) -> None:
    text = json.dumps(channel._asdict())
    definitions.write(manager.store, definitions.TRANSIT, channel.transmission_queue, text)


def _move_batch(manager: Manager, channel: Channel) -> Moved:
    """Take one batch over, or find out what became of one that was in doubt."""
    path = home.qmgr_path(manager.path.parent.parent, channel.to)
    if not path.exists():
        return Moved(0, 0, f"queue manager {channel.to} does not exist")
    queue = manager.queues.get(channel.transmission_queue)
    if queue is None or not queue.is_local:
        return Moved(0, 0, f"{channel.transmission_queue} does not exist")
    with closing(Manager(path, manager.hooks)) as other:
        other.serving = manager.serving
        if not other.state.running:
            return Moved(0, 0, f"queue manager {channel.to} is stopped")
        batch, letters, why = _take(manager, queue)
        if not letters:
            return Moved(0, 0, why)
        transit_s = int(manager.switches.get("channel_transit_s", "0"))
        count, dead_lettered, problem = _receive(
            other, f"{manager.identity.name}/{queue.name}", batch, letters, transit_s
        )
        _let_go(manager, queue, [letter.position for letter in letters[:count]])
        return Moved(count, dead_lettered, problem or why)


def _take(manager: Manager, queue: Queue) -> tuple[int, list[_Letter], str]:
    """Mark a batch as in doubt: its number, its messages, and what is in the way of more."""
    store = manager.store
    batch = -queue.id
    letters: list[_Letter] = []
    why = ""
    with manager.writing(durable=True) as now:
        channel = _channel(manager, queue.name)
        if channel is None:
            return 0, [], "the channel was taken away"
        in_doubt = messages.is_in_unit(store, batch)
        rows = messages.batch(store, queue.span, batch if in_doubt else None, BATCH)
        for position, packed, expires_us, backouts, body in rows:
            if not in_doubt and expires_us is not None and expires_us <= now:
                discard(manager, (position,), now)
                continue
            outer = descriptor(packed, expires_us, backouts, now)
            letter = _opened(manager, position, outer, body, now)
            if letter is None:
                fault, what = cmqc.MQFB_XMIT_Q_MSG_ERROR, "has no MQXQH"
                lost = outer, body, fault, queue.name
            elif channel.most_bytes and len(letter.body) > channel.most_bytes:
                fault, what = cmqc.MQRC_MSG_TOO_BIG_FOR_CHANNEL, "is longer than MAXMSGL"
                lost = letter.md, letter.body, fault, letter.queue
            else:
                letters.append(letter)
                continue
            if reason := arrival.dead_letter(manager, *lost, now, expires_us):
                why = f"a message on {queue.name} {what}, and DEADQ refused it ({reason})"
                break
            messages.remove(store, position)
        if letters and not in_doubt:
            channel = channel._replace(batch=channel.batch + 1)
            _save(manager, channel)
            for letter in letters:
                messages.give_to_unit(store, letter.position, batch, GET)
    return channel.batch, letters, why


def _opened(
    manager: Manager, position: int, outer: MQMD, body: bytes, now_us: int
) -> _Letter | None:
    """The application's message in a message of a transmission queue; None where it has none."""
    if outer.format != TRANSMISSION_FORMAT:
        return None
    body = decremented(manager, position, outer, body, now_us)
    header = xqh.decode(body)
    if not isinstance(header, xqh.XQH) or header.damages:
        return None
    inner, rest = header.message_descriptor._replace(version=2), body[header.length :]
    if inner.format == cmqc.MQFMT_MD_EXTENSION.rstrip():
        extension = mde.decode(rest)
        if not isinstance(extension, mde.MDE):
            return None
        inner, rest = extension.onto(inner), rest[extension.length :]
    names = (header.remote_q_name, header.remote_q_mgr_name)
    return _Letter(position, *names, inner, rest, outer.expiry_tenths)


def _receive(
    other: Manager, sender: str, batch: int, letters: list[_Letter], transit_s: int
) -> tuple[int, int, str]:
    """Put a batch at the other end, once: how many it took, dead-lettered, and what stopped it."""
    with other.writing(durable=True) as now:
        text = definitions.read(other.store, _RECEIVED, sender)
        if text is not None:
            last: dict[str, int] = json.loads(text)
            if last["batch"] == batch:
                return last["count"], 0, ""
        count = dead_lettered = 0
        problem = ""
        for letter in letters:
            reason, done = _arrive(other, letter, transit_s, now)
            if not done:
                problem = f"{letter.queue} at {other.identity.name} refused a message ({reason})"
                break
            count += 1
            dead_lettered += bool(reason)
        text = json.dumps({"batch": batch, "count": count})
        definitions.write(other.store, _RECEIVED, sender, text)
    return count, dead_lettered, problem


def _arrive(other: Manager, letter: _Letter, transit_s: int, now_us: int) -> tuple[int, bool]:
    """Put one message: the reason its target refused it with (0: none), and whether it is gone.

    A lifetime that ends on the channel ends there: the message is discarded, with a report if it
    asks for one (EX-07). One whose embedded lifetime had run out on the transmission queue while
    its outer one had not (EX-63) is no valid message any more: the dead-letter queue gets it, with
    what is left of the outer one.
    """
    md = letter.md
    if md.expiry_tenths > 0:
        md = md._replace(expiry_tenths=max(0, md.expiry_tenths - transit_s * 10))
        if md.expiry_tenths == 0:
            if md.report & cmqc.MQRO_EXPIRATION:
                report = arrival.make_report(other, ReportKind.EXPIRATION, md, letter.body, now_us)
                arrival.report_or_dead_letter(other, report, now_us)
            return 0, True
    reason = arrival.try_put(
        other, letter.queue, md, letter.body, now_us, None, queue_manager=letter.queue_manager
    )
    if not reason:
        return 0, True
    if md.expiry_tenths != cmqc.MQEI_UNLIMITED and md.expiry_tenths <= 0:
        md = md._replace(expiry_tenths=letter.outer_expiry_tenths)
    # as a delayed message's failure is (DD-94 to DD-101)
    facts = DueMessageFacts(reason, md.report, md.persistence == cmqc.MQPER_PERSISTENT)
    return reason, arrival.dispose(other, facts, letter.queue, md, letter.body, None, now_us)


def _let_go(manager: Manager, queue: Queue, arrived: list[int]) -> None:
    """End the batch: what arrived is gone, the rest is free again."""
    store = manager.store
    batch = -queue.id
    with manager.writing(durable=True) as now:
        for position in arrived:
            messages.remove_of_unit(store, position, batch)  # a stop in between may have dropped it
        messages.free_unit(store, batch)
        counters.change_depth(store, queue.id, 0, now)
        timetable.refresh_next_event(manager, now)
