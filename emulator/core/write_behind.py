"""What a server holds back: puts and gets of non-persistent messages that its file does not show.

A commit for each call is most of what a small put or get costs. IBM MQ keeps non-persistent
messages in the buffers of their queues and loses them when the queue manager fails; so does this
server, for some milliseconds. While it does, it has the file's write lock, and the gate is shut:
nobody sees the file as it was, nobody changes it, and what the first call has read of it stays
true. All is written in one transaction when

* somebody else wants to look (`gate`), or another kind of call comes,
* `HOLD_S` have passed, or enough has come together, or something falls due.

Only calls that bring about nothing else take part: `put` and `get` say which.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core import clock
from mqtriage.emulator.core.file import gate
from mqtriage.emulator.core.held_queue import HeldQueue
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.tables import counters, messages
from mqtriage.files.locks import try_lock, unlock
from mqtriage.mq.descriptor import MQMD

if TYPE_CHECKING:
    from mqtriage.emulator.core.manager import Manager

HOLD_S: Final = 0.01
"""How long work is held back at most."""
_GIVE_WAY_S: Final = 0.01
_MOST_MESSAGES: Final = 500
_MOST_BYTES: Final = 4 << 20


class CallBuffer:
    """Calls that are held back by this process, the server of the queue manager.

    To be used by one thread at a time. It is the `Passage` of the server's own store: whatever
    looks at the file or writes to it in another way ends it first.

    Attributes:
        is_open: whether something is, or may be, held back.
        asked: set from any thread when somebody waits at the gate.
    """

    def __init__(self, manager: Manager, opened: threading.Event) -> None:
        self._manager = manager
        self._opened = opened
        self._lock = gate.open_lock(manager.path)
        self._queues: dict[int, HeldQueue] = {}
        self._remaining = 0
        self._bytes = 0
        self._not_before = 0.0
        self.is_open = False
        self.asked = False

    def admit(self) -> int | None:
        """Let one more call be held back; the time, or None when it must go to the file."""
        if self.asked:
            self.give_way()
        if not self.is_open and not self._open():
            return None
        state = self._manager.state
        now = clock.now_us(state.frozen_us, state.offset_us, state.reached_us)
        due = state.next_event_us is not None and state.next_event_us <= now
        if due or not self._remaining or self._bytes > _MOST_BYTES:
            self.end()
            return None
        self._remaining -= 1
        return now

    def queue(self, queue: Queue) -> HeldQueue:
        """The queue as it stands, while the hold is open."""
        held = self._queues.get(queue.id)
        if held is None:
            counter = counters.read(self._manager.store, queue.id)
            held = self._queues[queue.id] = HeldQueue(queue.id, counter)
        return held

    def put(self, queue: Queue, md: MQMD, body: bytes, put_us: int) -> int | None:
        """`HeldQueue.put`, counting what it takes of memory."""
        self._bytes += len(body)
        return self.queue(queue).put(queue, md, body, put_us)

    def end(self) -> None:
        """Write down what is held back and open the gate.

        Raises:
            StorageError: It cannot be written; then it is held back further, and nothing is lost.
        """
        if not self.is_open:
            return
        store = self._manager.store
        try:
            for queue in self._queues.values():
                self._write(queue)
            store.commit()
        except BaseException:
            store.rollback()
            store.hold()
            self._manager.keep_numbers()
            raise
        self._shut()

    def give_way(self) -> None:
        """The same for somebody who waits, who then has some time before the gate is shut."""
        self.asked = False
        self._not_before = time.monotonic() + _GIVE_WAY_S
        self.end()

    # -- the passage of the server's own store ------------------------------------------------

    def enter(self) -> None:
        """Have everything written down."""
        self.end()

    def leave(self) -> None:
        """Nothing: a server does not keep itself from anything."""

    def close(self) -> None:
        """Let go of the lock, with what could not be written."""
        os.close(self._lock)

    # -----------------------------------------------------------------------------------------

    def _open(self) -> bool:
        if self._manager.observed:  # every change of a depth may be an event
            return False
        if time.monotonic() < self._not_before:
            return False
        if not try_lock(self._lock):  # somebody is about to look or to write
            return False
        try:
            self._manager.store.hold()
            try:
                self._manager.refresh()
                self._manager.reserve_numbers(2 * _MOST_MESSAGES)  # MsgId and CorrelId
            except BaseException:
                self._manager.store.rollback()
                raise
        except BaseException:
            unlock(self._lock)
            raise
        self.is_open = True
        self._remaining, self._bytes = _MOST_MESSAGES, 0
        self._opened.set()
        return True

    def _shut(self) -> None:
        self.is_open = False
        self._queues.clear()
        unlock(self._lock)

    def _write(self, queue: HeldQueue) -> None:
        store = self._manager.store
        if queue.taken:
            messages.delete_all(store, queue.taken)
        if queue.messages:
            rows = (
                (messages.new(m.position, m.md, m.body, m.put_us), m.body) for m in queue.messages
            )
            messages.insert_all(store, rows)
        counter = counters.Counter(
            queue.depth, queue.arrivals, queue.put_us, queue.get_us, queue.high
        )
        counters.write(store, queue.id, counter)


def hold_back(manager: Manager, begun: threading.Event) -> None:
    """Hold work back from now on, which is for a server.

    Args:
        begun: set each time that something may be held back; within `HOLD_S` somebody must then
            call `CallBuffer.end`.
    """
    before, hold = manager.store.gate, CallBuffer(manager, begun)
    manager.store.gate = manager.write_behind = hold
    if before is not None:
        before.close()


def hold_back_no_more(manager: Manager) -> None:
    """Write down what is held back, and let whoever is left go to the file."""
    hold, manager.write_behind = manager.write_behind, None
    if hold is not None:
        try:
            hold.end()
        finally:
            manager.store.gate = None
            hold.close()
