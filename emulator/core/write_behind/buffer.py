"""What a process holds back: messages that its file does not show yet.

A commit for each call is most of what a put or get costs. IBM MQ writes what a unit of work has put
to its log when the unit is committed, and keeps nonpersistent messages in the buffers of their
queues; both are gone when the queue manager fails. So it is here, for some milliseconds:

* every process keeps puts and gets of units of work, and locks of browsing: a unit that is
  committed in time is one transaction;
* a server, which is the queue manager to its clients, also keeps puts and gets of nonpersistent
  messages outside units of work.

When a program dies with a message that it got, that counts in BackoutCount: which those are stands
in the lock file of the gate, and whoever passes it next counts (`gate.GateLock.note`).

While a process holds something back, it has the file's write lock, and the gate is shut: nobody
sees the file as it was, nobody changes it, and what the first call has read of it stays true. All
is written in one transaction when

* a unit of work is committed, or another kind of call comes,
* somebody else wants to look (`gate`), some time has passed, or enough has come together, or
  something falls due.

Only calls that bring about nothing else take part: `put` and `get` say which.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final, Protocol

from mqtriage.emulator.core.file.gate import GateLock, Passage
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.holder import GET, PUT
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.tables import counters, messages
from mqtriage.emulator.core.tables.state import State
from mqtriage.emulator.core.write_behind.queue import BufferedMessage, BufferedQueue
from mqtriage.mq.descriptor import MQMD

BUFFER_S: Final = 0.01
"""How long a server holds work back at most."""
_GIVE_WAY_S: Final = 0.01
_MOST_MESSAGES: Final = 500
_MOST_BYTES: Final = 4 << 20


class Keeper(Protocol):
    """The queue manager, as far as holding work back goes."""

    path: Path
    store: Store
    state: State
    observed: bool
    write_behind: CallBuffer | None

    def refresh(self) -> State: ...

    def numbers(self) -> tuple[int, int, int]: ...

    def keep_numbers(self) -> None: ...


class CallBuffer:
    """Calls that are held back by this process.

    To be used by one thread at a time. It is the `Passage` of the process's own store: whatever
    looks at the file or writes to it in another way ends it first.

    Attributes:
        is_open: whether something is, or may be, held back.
        asked: set from any thread when somebody waits at the gate.
        lock: held by the one call that is being done, where a thread may write down meanwhile.
        only_units: nothing but puts into units of work is held back.
    """

    only_units = False
    lock: AbstractContextManager[object] = nullcontext()

    def __init__(self, manager: Keeper, gate: Passage, opened: threading.Event) -> None:
        self._manager = manager
        self._gate = gate
        self._opened = opened
        self._gate_lock = GateLock(manager.path)
        self._queues: dict[int, BufferedQueue] = {}
        self._remaining = self._bytes = self._reserved = 0
        self._not_before = 0.0
        self.is_open = False
        self.asked = False

    def now_us(self) -> int | None:
        """The time while something is held back; None where that is over, or something is due."""
        return self._now_us() if self.is_open else None

    def admit(self) -> int | None:
        """Let one more call be held back; the time, or None when it must go to the file."""
        if self.asked:
            self.give_way()
        if not self.is_open and not self._open():
            return None
        now = self._now_us()
        if now is None or not self._remaining or self._bytes > _MOST_BYTES:
            self.end()
            return None
        self._remaining -= 1
        return now

    def queue(self, queue: Queue) -> BufferedQueue:
        """The queue as it stands, while something is held back."""
        buffered = self._queues.get(queue.id)
        if buffered is None:
            counter = counters.read(self._manager.store, queue.id)
            buffered = self._queues[queue.id] = BufferedQueue(queue.id, counter)
        return buffered

    def put(self, queue: Queue, md: MQMD, body: bytes, put_us: int, unit: int | None) -> int | None:
        """`BufferedQueue.put`, counting what it takes of memory."""
        self._bytes += len(body)
        return self.queue(queue).put(queue, md, body, put_us, unit)

    def take_in_unit(self, queue: Queue, position: int, msg_id: bytes, unit: int) -> None:
        """`BufferedQueue.take_in_unit`, noting it for the case that this process ends.

        Raises:
            StorageError: It cannot be noted; the message is then where it was.
        """
        self._gate_lock.note(position, msg_id)
        self.queue(queue).take_in_unit(position, unit)

    def commit(self, unit: int, finish: Callable[[int], None], *, durable: bool) -> bool:
        """Commit a unit of work some of whose puts are held back; False where none is.

        What it put is written as nobody's, what it got goes.

        Args:
            finish: does the rest at the time that it is given, inside the transaction.

        Raises:
            StorageError: As `end`; the unit of work is then as it was.
        """
        if not any(unit in queue.in_units or unit in queue.got for queue in self._queues.values()):
            return False
        now = self._now_us()
        if now is None:
            return False
        store = self._manager.store
        self._stop_reading()
        try:
            if durable:  # the transaction so far would not wait for the disk
                store.rollback()
                store.begin_inside_gate(durable=True)
                if self._manager.numbers()[1] != self._reserved:
                    self._manager.keep_numbers()
            for queue in self._queues.values():
                self._write(queue, unit, now)
            finish(now)
            store.commit()
        except BaseException:
            self._go_back()
            raise
        self._reopen()
        return True

    def end(self) -> None:
        """Write down what is held back and open the gate.

        Raises:
            StorageError: It cannot be written; then it is held back further, and nothing is lost.
        """
        if not self.is_open:
            return
        store = self._manager.store
        self._stop_reading()
        try:
            if not store.in_transaction:  # it could not be held back further, last time
                self._go_back()
            for queue in self._queues.values():
                self._write(queue)
            store.commit()
        except BaseException:
            self._go_back()
            raise
        self._reopen()

    def give_way(self) -> None:
        """The same for somebody who waits, who then has some time before the gate is shut."""
        self.asked = False
        self._not_before = time.monotonic() + _GIVE_WAY_S
        self.end()

    # -- the passage of the process's own store -----------------------------------------------

    def enter(self) -> None:
        """Have everything written down, also by another process that holds something back."""
        self.end()
        self._gate.enter()

    def leave(self) -> None:
        self._gate.leave()

    def close(self) -> None:
        """Let go of the locks, with what could not be written."""
        self._gate_lock.close()
        self._gate.close()

    # -----------------------------------------------------------------------------------------

    def _now_us(self) -> int | None:
        """The time; None where something is due."""
        state = self._manager.state
        now = state.now_us()
        due = state.next_event_us is not None and state.next_event_us <= now
        return None if due else now

    def _open(self) -> bool:
        if self._manager.observed:  # every change of a depth may be an event
            return False
        if time.monotonic() < self._not_before:
            return False
        if self._gate_lock.is_waited_for():
            self._not_before = time.monotonic() + _GIVE_WAY_S
            return False
        if not self._gate_lock.shut():  # somebody is about to look or to write
            return False
        try:
            self._manager.store.begin_inside_gate()
            try:
                self._manager.refresh()
            except BaseException:
                self._manager.store.rollback()
                raise
        except BaseException:
            self._gate_lock.open()
            raise
        self.is_open = True
        self._reserved = self._manager.numbers()[1]
        self._remaining, self._bytes = _MOST_MESSAGES, 0
        self._opened.set()
        return True

    def _reopen(self) -> None:
        self._queues.clear()
        self._gate_lock.open()
        self.is_open = False  # last: `UnitBuffer.end` goes by it before it waits for its lock

    def _go_back(self) -> None:
        """Hold back further what could not be written."""
        store = self._manager.store
        store.rollback()
        store.begin_inside_gate()
        self._manager.keep_numbers()

    def _stop_reading(self) -> None:
        for queue in self._queues.values():
            queue.stop_reading()

    def _write(self, queue: BufferedQueue, committed: int = 0, now_us: int | None = None) -> None:
        """Write down what became of a queue.

        Args:
            committed: number of the unit of work that is committed at *now_us*; 0 for none.
        """
        store = self._manager.store
        for unit, puts in queue.in_units.items():
            _insert(store, puts, None if unit == committed else unit)
        if queue.messages:
            _insert(store, queue.messages, None)
        depth, get_us, taken = queue.depth, queue.get_us, queue.taken
        for unit, positions in queue.got.items():
            if unit == committed:
                depth, get_us, taken = depth - len(positions), now_us, taken + positions
            else:
                messages.give_all_to_unit(store, positions, unit, GET)
        if taken:
            messages.delete_all(store, taken)
        if queue.locks:
            messages.lock_all(store, queue.locks.items())
        counters.write(
            store,
            queue.id,
            counters.Counter(depth, queue.arrivals, queue.put_us, get_us, queue.high),
        )


def _insert(store: Store, puts: list[BufferedMessage], unit: int | None) -> None:
    act = None if unit is None else PUT
    rows = (
        (messages.new(m.position, m.md, m.body, m.put_us, unit=unit, unit_act=act), m.body)
        for m in puts
    )
    messages.insert_all(store, rows)


def buffer_calls(manager: Keeper, begun: threading.Event) -> None:
    """Hold work back from now on, as a server does.

    Args:
        begun: set each time that something may be held back; within `BUFFER_S` somebody must then
            call `CallBuffer.end`.
    """
    before = manager.store.gate
    assert before is not None
    manager.store.gate = manager.write_behind = CallBuffer(manager, before, begun)


def stop_buffering(manager: Keeper) -> None:
    """Write down what is held back, and let whoever is left go to the file."""
    buffer, manager.write_behind = manager.write_behind, None
    if buffer is not None:
        try:
            buffer.end()
        finally:
            manager.store.gate = None
            buffer.close()
