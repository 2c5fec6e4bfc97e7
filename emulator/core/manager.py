"""An emulated queue manager: its file, its state, and how every call touches it.

Before a call does its own work, what should have happened since the last touch happens first
(`Hooks.catch_up`), in time order and in transactions of its own, so that no timer thread is needed
and two processes never do the same thing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar, cast

from mqtriage.emulator.core import clock
from mqtriage.emulator.core.file.gate import Gate
from mqtriage.emulator.core.file.store import SENSELESS, Store, Transaction, damaged
from mqtriage.emulator.core.holder import Holder
from mqtriage.emulator.core.queues import (
    Queue,
    load_queue,
    load_queues,
)
from mqtriage.emulator.core.tables import messages, state, tallies
from mqtriage.emulator.core.tables.state import State
from mqtriage.emulator.core.write_behind.buffer import CallBuffer
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import masked
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.errors import MQTriageError, mqi_error
from mqtriage.mq.names import COMMAND_QUEUE, ZOS_COMMAND_QUEUE
from mqtriage.records import dataclass

Notice = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the rooms above the core do when it comes to them, handed in by `emulator.open`.

    Attributes:
        catch_up: do what has fallen due by a moment; outside a transaction.
        after_put: trigger, if the message just stored on a queue is what that queue waits for:
            queue, priority, now, unit of work, and what is being done; in a transaction.
        consider: trigger for what is on a queue already; in a transaction.
        end_non_durable: end the subscriptions that go with a connection, or all that go with any;
            in a transaction.
        open_group: the file of the queue-sharing group that a queue manager is in.
        observe: write the performance events of what a transaction did, or of puts that were
            refused; in that transaction, or in one of its own where it was undone.
    """

    catch_up: Callable[[Manager, int], None]
    after_put: Callable[[Manager, Queue, int, int, Holder | None, str], None]
    consider: Callable[[Manager, Queue, int], None]
    end_non_durable: Callable[[Manager, int | None], None]
    open_group: Callable[[Manager], Manager]
    observe: Callable[[Manager], None]


class Manager:
    """One process's view of a queue manager file.

    Attributes:
        notice: where to say what takes long or cannot be done ("catching up ...").
        woken_us: the earliest timed event that came up since `Hooks.catch_up` last looked; what is
            due when the last connection leaves happens then.
        serving: the command server is at work: what falls due meanwhile happens after it.
        write_behind: what is held back (`write_behind`), None where nothing ever is.
        refused: names of queues that were too full for a put, while they are.
        tally: calls that are not written down yet; None while nobody asks for their numbers.
    """

    def __init__(self, path: Path, hooks: Hooks, notice: Notice | None = None) -> None:
        self.path = path
        self.hooks = hooks
        self._users = 1
        self.store = Store(path)
        self.notice = notice or (lambda _: None)
        try:
            self.identity = state.identity(self.store)
        except SENSELESS as error:
            raise damaged(path, error) from error
        if isinstance(self.store.gate, Gate):
            self.store.gate.count = self._count_backed_out
        self.queues: dict[str, Queue] = {}
        self.by_id: dict[int, Queue] = {}
        self.attributes: dict[str, int | str] = {}
        self.switches: dict[str, str] = {}
        self._definitions = -1
        self._watched: int | None = None
        self._derived: dict[str, object] = {}
        self._next_number = self._numbers_end = 0
        self._block = 8
        self.woken_us: int | None = None
        self.serving = False
        self.write_behind: CallBuffer | None = None
        self.observed = False
        self.refused: list[str] = []
        self.tally: tallies.CallTally | None = None
        self.counted_for: tuple[tallies.Purpose, ...] = ()
        self.state = self._read_state()

    @property
    def ccsid(self) -> int:
        """The code page of the texts that the queue manager writes (CCSID of DISPLAY QMGR)."""
        return int(self.attributes.get("CCSID", UTF_8))

    def _count_backed_out(self, notes: Sequence[tuple[int, bytes]]) -> None:
        """Count the rollback of messages that somebody had got who has ended (PM-08)."""
        most = self.greatest_backout_count
        self.store.begin_inside_gate()
        with Transaction(self.store, None):
            for position, msg_id in notes:
                messages.count_died_with(self.store, position, msg_id, most)

    # -- touching -----------------------------------------------------------------------------

    def _read_state(self) -> State:
        try:
            now = state.read(self.store)
            if now.definitions != self._definitions:
                self._reload(now.definitions)
        except SENSELESS as error:
            raise damaged(self.path, error) from error
        return now

    def watch_changes(self) -> None:
        """Expect many changes of definitions: from now on, own ones are read one by one.

        Reading them all after each change would take quadratic time. Outside a transaction.
        """
        if self._watched is None and self.store.writable:
            self.store.watch_queues()
            self._watched = -1

    def _reload(self, definitions: int) -> None:
        if self._watched is None:
            self._load_all()
        else:
            touched, version = self.store.touched_queues(), self.store.data_version()
            # smaller than before: what was read is undone; another version: others wrote as well
            if version == self._watched and definitions > self._definitions:
                self._load_some(touched)
            else:
                self._load_all()
            self._watched = version
        self.attributes, self.switches = state.attributes_and_switches(self.store)
        self.observed = self.attributes.get("PERFMEV") == "ENABLED"
        self.counted_for = () if self.is_zos else tallies.asked(self.store, self.attributes)
        self.tally = (self.tally or tallies.CallTally()) if self.counted_for else None
        self._definitions = definitions
        self._derived.clear()

    def _load_all(self) -> None:
        self.queues = load_queues(self.store)
        self.by_id = {queue.id: queue for queue in self.queues.values()}

    def _load_some(self, ids: list[int]) -> None:
        """Read some definitions again; those who hold the old dictionaries keep what they have."""
        queues, by_id = dict(self.queues), dict(self.by_id)
        for queue_id in ids:
            old = by_id.pop(queue_id, None)
            if old is not None and queues.get(old.name) is old:
                del queues[old.name]
            new = load_queue(self.store, queue_id)
            if new is not None:
                queues[new.name] = by_id[queue_id] = new
        self.queues, self.by_id = queues, by_id

    def derived(self, key: str, make: Callable[[Manager], T]) -> T:
        """What *make* reads from the file, kept until a definition changes."""
        if key not in self._derived:
            self._derived[key] = make(self)
        return cast(T, self._derived[key])

    def refresh(self) -> State:
        """Read the state anew, inside a transaction or before a read."""
        if self.write_behind is not None:
            self.write_behind.end()
        self.state = self._read_state()
        return self.state

    def begin(self, *, durable: bool = False) -> int:
        """Start a short transaction after everything that was due has happened; returns the time.

        `commit` or `rollback` must follow at once.
        """
        store = self.store
        while True:
            store.begin(durable=durable)
            try:
                current = self.refresh()
            except BaseException:
                store.rollback()
                raise
            now = current.now_us()
            due = current.next_event_us is not None and current.next_event_us <= now
            if not due or not current.running or self.serving:
                return now
            store.rollback()
            self.hooks.catch_up(self, now)

    def now_us(self) -> int:
        """The time by the state as it was last read; inside a transaction."""
        return self.state.now_us()

    def wake(self, event_us: int) -> None:
        """Let something happen at *event_us*; inside a transaction."""
        if self.woken_us is None or event_us < self.woken_us:
            self.woken_us = event_us
        if self.state.next_event_us is None or event_us < self.state.next_event_us:
            state.wake(self.store, event_us)

    def commit(self) -> None:
        if self.observed:
            self.hooks.observe(self)
        self.write_tally()
        self.store.commit()

    def write_tally(self, now_us: int | None = None) -> None:
        """Write down the calls of this process that are counted; inside a transaction.

        Args:
            now_us: the moment of what was due then; None for now.
        """
        if not self.tally:
            return
        for purpose in self.counted_for:
            if tallies.since_us(self.store, purpose) is None:
                now = self.now_us() if now_us is None else now_us
                tallies.begin(self.store, now, purpose)
                self.wake(now + tallies.interval_us(purpose, self.attributes))
            tallies.add(self.store, self.tally, purpose)
        self.tally = tallies.CallTally()

    def rollback(self) -> None:
        self._next_number = self._numbers_end = 0  # perhaps reserved by what is undone now
        self.store.rollback()
        if self.refused:
            with suppress(MQTriageError), self.writing():
                self.hooks.observe(self)

    def next_number(self) -> int:
        """A number no other message of this queue manager gets; inside a transaction.

        Numbers are reserved in blocks, more at a time the more are used.
        """
        if self._next_number == self._numbers_end:
            self._block = min(self._block * 2, 1024)
            stop = state.reserve_numbers(self.store, self._block)
            self._next_number, self._numbers_end = stop - self._block, stop
        number = self._next_number
        self._next_number += 1
        return number & 0xFFFFFFFF

    def keep_numbers(self) -> None:
        """Reserve once more what was reserved in a transaction that was undone."""
        state.keep_numbers(self.store, self._numbers_end)

    def numbers(self) -> tuple[int, int, int]:
        """How far numbers are used, for `restore_numbers`."""
        return self._next_number, self._numbers_end, self._block

    def restore_numbers(self, before: tuple[int, int, int]) -> None:
        """Go back to where numbers stood, when a savepoint that reserved some is undone."""
        self._next_number, self._numbers_end, self._block = before

    def writing(self, *, durable: bool = False) -> Transaction[int]:
        """`begin` and `commit` as a `with` block that hands out the time."""
        return Transaction(self, self.begin(durable=durable))

    @contextmanager
    def changing(self) -> Iterator[int]:
        """The same, durable, for what is read anew afterwards: definitions, switches."""
        with self.writing(durable=True) as now:
            yield now
        self.refresh()

    def look(self) -> int:
        """The time, after everything that was due has happened; for reads.

        On a file that cannot be written nothing happens: reads show the state of the last touch.
        """
        current = self.refresh()
        now = current.now_us()
        due = current.next_event_us is not None and current.next_event_us <= now and current.running
        if due and self.serving:
            return now
        if due and self.store.writable:
            self.hooks.catch_up(self, now)
            self.refresh()
        elif due:
            self.notice(f"{self.path}: read-only; shown as of its last use")
        return now

    # -- names --------------------------------------------------------------------------------

    def local(self, name: str, doing: str) -> Queue:
        """A local queue by its own name."""
        queue = self.queues.get(name)
        if queue is None:
            raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)
        if not queue.is_local:
            raise mqi_error(
                cmqc.MQRC_Q_TYPE_ERROR,
                doing,
                detail=f"{name} is a {queue.kind}, not a local queue",
                object_name=name,
            )
        return queue

    def all_attributes(self) -> dict[str, int | str]:
        """The attributes with those that it was made with, QMID, CRDATE, CRTIME; no secrets."""
        date, time = clock.date_and_time(self.identity.created_us)
        origin: dict[str, int | str] = {
            "QMID": f"{self.identity.name}_{date}_{time}"[:48],
            "CRDATE": date,
            "CRTIME": time,
            "ALTDATE": date,
            "ALTTIME": time,
        }
        return origin | masked(self.attributes)

    @property
    def is_zos(self) -> bool:
        return self.identity.platform == "zos"

    @property
    def command_level(self) -> int:
        """CMDLEVEL: 940 for 9.4, 800 for 8.0, the first that knows a delay."""
        return int(self.attributes.get("CMDLEVEL", 940))

    @property
    def greatest_backout_count(self) -> int:
        """Where BackoutCount stops: z/OS counts to 255 (PM-08)."""
        return 255 if self.is_zos else 2**31 - 1

    @property
    def command_queue(self) -> str:
        """Name of the queue that its command server reads."""
        return ZOS_COMMAND_QUEUE if self.is_zos else COMMAND_QUEUE

    def shared(self) -> Manager:
        """The same for one more user; each closes it once."""
        self._users += 1
        return self

    def close(self) -> None:
        self._users -= 1
        if self._users:
            return
        try:
            if self.woken_us is not None and self.woken_us <= self.now_us():
                with suppress(MQTriageError):  # then who comes next does it
                    self.look()
            if self.tally:
                with suppress(MQTriageError), self.writing():
                    pass  # the commit writes it down
            if self.write_behind is not None:
                self.write_behind.end()
        finally:
            self.write_behind = None
            self.store.close()
