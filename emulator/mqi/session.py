"""What one client has: its connection, its open objects and subscriptions, its message handles."""

from __future__ import annotations

import itertools
import secrets
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mqtriage.emulator.core.branches import BranchWork
from mqtriage.emulator.core.browse_marks import Cooperation
from mqtriage.emulator.core.channels import Instance
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.switches import CLIENTS_RECONNECT
from mqtriage.emulator.core.write_behind.buffer import CallBuffer, buffer_calls, stop_buffering
from mqtriage.emulator.mqi.admission import ProgramOrigin
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.pubsub import subscriptions
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQTriageError, mqi_error

if TYPE_CHECKING:
    from mqtriage.emulator.mqi.message_handles import HandleProperty, MessageHandle

_LOOK_AT_PEER_S: Final = 0.25
_NAP_S: Final = 0.02
_CHANGES_TO_FOLD: Final = 2000
_MOST_HANDLES: Final = 256


class CallReply(NamedTuple):
    """What goes back besides CompCode and Reason."""

    numbers: tuple[int, ...] = ()
    blobs: tuple[bytes, ...] = ()
    reason: int = cmqc.MQRC_NONE
    comp_code: int = 0

    def warned(self, reason: int) -> CallReply:
        """The same with a reason that the call was done in spite of; 0 for none."""
        return self._replace(reason=reason, comp_code=cmqc.MQCC_WARNING) if reason else self


class ClientGone(Exception):
    """The client has closed its end, or the server stops: what it has is backed out."""


@dataclass(slots=True)
class OpenObject:
    """An object handle (MQHOBJ).

    Attributes:
        kind: "queue", "qmgr", "topic", "list" of queues, or the MQSC type of a definition:
            "NAMELIST" and so on.
        name: of the queue or queue manager; of a topic its topic string.
        connection: the one that the handle belongs to (`Connection.at`).
        resolved: ResolvedQName and ResolvedQMgrName as they stand in an MQPMO, 96 bytes.
        destinations: of a distribution list, in its order; None is one that did not open.
        user_context: properties that go with the context that `handle` saved.
        alias: of a topic, the alias queue that was opened; "" for none.
    """

    kind: str
    name: str
    options: int
    connection: Connection
    handle: Handle | None = None
    resolved: bytes = bytes(96)
    is_remote: bool = False
    destinations: tuple[OpenObject | None, ...] = ()
    user_context: list[HandleProperty] = field(default_factory=list)
    alias: str = ""

    def handles(self) -> Iterator[tuple[Connection, Handle]]:
        """The queues that are to be closed with it, and what they belong to."""
        for opened in (self, *self.destinations):
            if opened is not None and opened.handle is not None:
                yield opened.connection, opened.handle


@dataclass(slots=True)
class OpenSubscription:
    """A subscription handle (Hsub).

    Attributes:
        is_shared: others may have one to the same subscription meanwhile.
    """

    id: bytes
    name: str
    durable: bool
    is_shared: bool = False


@dataclass(slots=True)
class AsyncPuts:
    """What MQSTAT tells of puts with MQPMO_ASYNC_RESPONSE since it was last asked."""

    succeeded: int = 0
    failed: int = 0
    first: tuple[int, int, str] = (0, 0, "")


class WakeUp:
    """Wakes those who wait when a client of this server has changed the queue manager."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.count = 0
        self._waiting = 0

    @property
    def is_waited_for(self) -> bool:
        return self._waiting > 0

    def notify(self) -> None:
        self.count += 1
        if self._waiting:
            with self._changed:
                self._changed.notify_all()

    def wait(self, seen: int, timeout_s: float) -> None:
        """Wait until somebody has notified since *seen*."""
        with self._changed:
            self._waiting += 1
            try:
                self._changed.wait_for(lambda: self.count != seen, timeout_s)
            finally:
                self._waiting -= 1


@dataclass(slots=True)
class Shared:
    """What all clients of one server share.

    Attributes:
        users: user to password; empty where none is asked for.
        message_handles: those of all clients, since one may be used on any connection.
        lock: held by the one call that is being done. A file has one writer at a time, and
            waiting for a lock here is cheaper than asking for the file's again and again; and
            two threads of one interpreter get in each other's way.
        grown: set when so many rows were changed that the log of the file should be folded.
        buffered: set when calls are being held back, which must then be written down in time.
        holders: who has a handle to a subscription, and which, by its id.
        branches: of global transactions, of the clients that are here, by their names.
        programs: how many connections a process of the C client has, by channel and process.
    """

    path: Path
    users: Mapping[str, str] = field(default_factory=dict)
    wake_up: WakeUp = field(default_factory=WakeUp)
    message_handles: dict[int, MessageHandle] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    grown: threading.Event = field(default_factory=threading.Event)
    buffered: threading.Event = field(default_factory=threading.Event)
    stopping: threading.Event = field(default_factory=threading.Event)
    numbers: itertools.count[int] = field(
        default_factory=lambda: itertools.count((secrets.randbits(30) << 24) + 1)
    )
    holders: defaultdict[bytes, list[tuple[Session, OpenSubscription]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    branches: dict[bytes, BranchWork] = field(default_factory=dict)
    programs: Counter[tuple[str, int]] = field(default_factory=Counter)
    _cooperations: dict[int, Cooperation] = field(default_factory=dict)
    _manager: Manager | None = None
    _file: tuple[int, int] | None = None
    _folded: int = 0
    _watcher: threading.Thread | None = None

    def is_in_use(self, number: bytes, *, is_shared: bool) -> bool:
        """Whether somebody's handle to the subscription of that id leaves no room for another.

        Args:
            is_shared: the other one shares it, with those who do so too.
        """
        held = self.holders.get(number, ())
        return any(not (is_shared and subscription.is_shared) for _, subscription in held)

    def cooperation(self, queue_id: int) -> Cooperation:
        """What the handles share that cooperate in browsing that queue."""
        return self._cooperations.setdefault(queue_id, Cooperation())

    def unmark(self, queue_id: int, token: bytes) -> None:
        """A message was got: if that is backed out, those that cooperate see it again."""
        cooperation = self._cooperations.get(queue_id)
        if cooperation is not None:
            cooperation.marked.pop(int.from_bytes(token, "big"), None)

    def manager(self) -> Manager:
        """The one view of the file, for whoever holds `lock`.

        Raises:
            StorageError: There is none (any more), or it is not a queue manager's.
        """
        is_the_same = self._manager is not None and self._file == _identity(self.path)
        if not is_the_same:  # removed and made anew meanwhile
            self.close()
            self._manager = open_manager(self.path)
            self._file = _identity(self.path)
            self._folded = 0
            if self._manager.store.writable:
                self._manager.store.leave_log_to_others()
                self._manager.store.sync_later()
                buffer_calls(self._manager, self.buffered)
        assert self._manager is not None
        return self._manager

    @property
    def write_behind(self) -> CallBuffer | None:
        """What is held back; None while no file is open, or it cannot be written."""
        return None if self._manager is None else self._manager.write_behind

    @property
    def promised(self) -> int:
        """How many commits may be answered only after `sync`; a call's, if it changes meanwhile."""
        return 0 if self._manager is None else self._manager.store.promised

    def sync(self, promised: int) -> None:
        """Wait until the disk has so many of them; for whoever does not hold `lock`.

        Raises:
            ClientGone: It does not take them: whether the calls were done must stay open.
        """
        manager = self._manager
        try:
            if manager is not None:
                manager.store.sync(promised)
        except OSError as error:
            print(f"mqtriage: {self.path}: {error.strerror}: calls stay open", file=sys.stderr)
            raise ClientGone from error

    def watch(self) -> None:
        """Notify of what no client does, while anybody waits; holding `lock`.

        That is a change by another process, and the time at which something is due. One thread
        looks for all that wait.
        """
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, daemon=True)
            self._watcher.start()

    def _watch(self) -> None:
        version: int | None = None
        is_changed = True
        while True:
            with self.lock:
                manager = self._manager
                # the first look comes before whoever began it waits
                is_idle = version is not None and not self.wake_up.is_waited_for
                if manager is None or self.stopping.is_set() or is_idle:
                    self._watcher = None
                    return
                before = version
                try:
                    version = manager.store.data_version()
                    event_us = manager.state.next_event_us
                    is_due = event_us is not None and manager.look() >= event_us
                    is_changed = is_due or version != before
                except MQTriageError:  # those that wait meet it themselves
                    version, is_changed = 0, True
            if is_changed:
                self.wake_up.notify()
            time.sleep(_NAP_S)

    def look_at_log(self) -> None:
        """Say when the log of the file has grown; after a call, for whoever holds `lock`."""
        if self._manager is not None:
            changes = self._manager.store.changes
            if changes - self._folded > _CHANGES_TO_FOLD:
                self._folded = changes
                self.grown.set()

    def close(self) -> None:
        """Let go of the file, as far as no client uses it."""
        manager, self._manager = self._manager, None
        if manager is not None:
            try:
                stop_buffering(manager)
            finally:
                manager.close()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


@dataclass(slots=True, eq=False)
class Session:
    """One client.

    Attributes:
        instance: of the channel that it comes by over TCP; None for others.
        is_reconnectable: its library connects again when the server is gone.
        is_spoiled: the unit of work lacks a persistent message whose put had no reply.
        max_message_bytes: the longest message that its channel carries, 0 for any.
        may_read_ahead: its channel shares conversations, without which nothing is read ahead.
        options: MQCNO_* of the call that connects.
        tag: connection tag that the client has from another of its connections; b"" for none.
        refusal_delay_s: after which a wrong password is answered.
        end_wait: reason by which the wait it is in, or the next one, ends; 0 for none.
    """

    shared: Shared
    peer_user: str = ""
    _is_peer_gone: Callable[[], bool] = lambda: False
    origin: ProgramOrigin = field(default_factory=ProgramOrigin)
    instance: Instance | None = None
    is_reconnectable: bool = False
    options: int = 0
    tag: bytes = b""
    refusal_delay_s: int = 0
    end_wait: int = 0
    is_spoiled: bool = False
    max_message_bytes: int = 0
    may_read_ahead: bool = True
    async_puts: AsyncPuts = field(default_factory=AsyncPuts)
    subscriptions: dict[int, OpenSubscription] = field(default_factory=dict)
    _came_by: tuple[str, int] | None = None
    _connection: Connection | None = None
    _objects: dict[int, OpenObject] = field(default_factory=dict)
    _handle_numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(2))
    _free_numbers: list[int] = field(default_factory=list)

    # -- being connected ----------------------------------------------------------------------

    @property
    def connection(self) -> Connection:
        """The connection to the emulator."""
        if self._connection is None:
            raise mqi_error(cmqc.MQRC_HCONN_ERROR, "MQI call", detail="not connected")
        return self._connection

    def require_connection(self) -> Connection:
        """`connection`, for who asks no more of it than to be there."""
        return self.connection

    @property
    def is_connected(self) -> bool:
        return self._connection is not None

    @property
    def is_to_reconnect(self) -> bool:
        """Whether the run of the queue manager that it is connected to ended with `-r`."""
        connection = self._connection
        if connection is None:
            return False
        ended = connection.manager.switches.get(CLIENTS_RECONNECT)
        return ended == str(connection.run)

    def take_refusal_delay_s(self) -> int:
        """`refusal_delay_s`, once."""
        delay_s, self.refusal_delay_s = self.refusal_delay_s, 0
        return delay_s

    def connected(self, connection: Connection) -> None:
        self._connection = connection

    def comes_by(self, channel: str, process_id: int) -> None:
        """Count a program of the C client among those of its channel, until it ends."""
        self._came_by = channel, process_id
        self.shared.programs[self._came_by] += 1

    def end(self, *, committed: bool) -> None:
        """Let go of everything; an open unit of work is committed by MQDISC, else backed out."""
        connection, self._connection = self._connection, None
        if self._came_by is not None:
            self.shared.programs -= Counter([self._came_by])
            self._came_by = None
        for opened in self._objects.values():
            _end_marks(opened)
        self._objects.clear()
        for number in list(self.subscriptions):
            self.remove_subscription(number)
        for number in [n for n, h in self.shared.message_handles.items() if h.owner is self]:
            self.shared.message_handles.pop(number, None)
        if connection is None:
            return
        try:
            if committed and not connection.unit.branch:
                connection.commit()
        finally:
            branches = self.shared.branches
            for xid in [xid for xid, work in branches.items() if work.owner is connection]:
                del branches[xid]
            connection.disconnect()
            self.shared.wake_up.notify()

    def note_failed_put(self, name: str, comp_code: int, reason: int, *, spoils_unit: bool) -> None:
        """Keep for MQSTAT that a put without a reply has failed.

        Args:
            spoils_unit: it was of a persistent message under syncpoint, so that the unit of work
                cannot be committed any more (IBM MQ documentation, "Putting messages
                asynchronously", MQCMIT with 2003).
        """
        self.async_puts.failed += 1
        if not self.async_puts.first[1]:
            self.async_puts.first = (comp_code, reason, name)
        self.is_spoiled = self.is_spoiled or spoils_unit

    # -- handles ------------------------------------------------------------------------------

    def need_handle(self, doing: str) -> None:
        """See that one more object may be open."""
        most = int(self.connection.manager.attributes.get("MAXHANDS", _MOST_HANDLES))
        if len(self._objects) >= most:
            raise mqi_error(cmqc.MQRC_HANDLE_NOT_AVAILABLE, doing, detail=f"MAXHANDS({most})")

    def add(self, opened: OpenObject) -> int:
        number = self._new_number()
        self._objects[number] = opened
        return number

    def _new_number(self) -> int:
        """The lowest number that no handle has; for a library of C one that none has had.

        That opens everything again by its number where it reconnects.
        """
        return heappop(self._free_numbers) if self._free_numbers else next(self._handle_numbers)

    def _free(self, number: int) -> None:
        if self.instance is not None:
            heappush(self._free_numbers, number)

    def number_next(self, number: int) -> None:
        """Let the handles that are made from now on have *number* and those above it."""
        self._handle_numbers = itertools.count(number)
        self._free_numbers.clear()

    def add_subscription(self, subscription: OpenSubscription) -> int:
        number = self._new_number()
        self.subscriptions[number] = subscription
        self.shared.holders[subscription.id].append((self, subscription))
        return number

    def remove_subscription(self, number: int) -> Session | None:
        """Give up a handle to a subscription; who of those that share it is the next."""
        subscription = self.subscriptions.pop(number)
        self._free(number)
        holders = self.shared.holders[subscription.id]
        holders[:] = [(who, what) for who, what in holders if what is not subscription]
        if not holders:
            del self.shared.holders[subscription.id]
            return None
        heir = next((who for who, _ in holders if who is self), holders[0][0])
        if heir is not self and not subscription.durable:
            subscriptions.hand_over(heir.connection, subscription.id)
        return heir

    def object(self, number: int, doing: str) -> OpenObject:
        """The open object of a handle."""
        opened = self._objects.get(number)
        if opened is None:
            self.require_connection()
            raise mqi_error(cmqc.MQRC_HOBJ_ERROR, doing, detail=f"handle {number}")
        return opened

    def message_handle(self, number: int, doing: str) -> MessageHandle:
        """The message handle of a number, whoever made it."""
        handle = self.shared.message_handles.get(number)
        if handle is None:
            raise mqi_error(cmqc.MQRC_HMSG_ERROR, doing, detail=f"message handle {number}")
        return handle

    def remove(self, number: int) -> None:
        opened = self._objects.pop(number, None)
        if opened is not None:
            self._free(number)
            _end_marks(opened)

    # -- waiting ------------------------------------------------------------------------------

    def sleep(self, until_s: float | None) -> None:
        """Wait until something may have changed, or the moment *until_s* of `time.monotonic`.

        Others may call meanwhile.

        Raises:
            ClientGone: Meanwhile.
            MQIError: 2203 when the server stops; that of `end_wait`.
        """
        self.require_connection()
        shared, wake_up = self.shared, self.shared.wake_up
        seen = wake_up.count
        nap = _LOOK_AT_PEER_S
        if until_s is not None:
            nap = min(nap, until_s - time.monotonic())
        self._refuse_to_wait()
        if nap <= 0:
            return
        shared.watch()
        shared.lock.release()
        try:
            wake_up.wait(seen, nap)
        finally:
            shared.lock.acquire()
        self._refuse_to_wait()
        if wake_up.count == seen and self._is_peer_gone():
            raise ClientGone

    def _refuse_to_wait(self) -> None:
        if self.end_wait:
            reason, self.end_wait = self.end_wait, 0
            raise mqi_error(reason, "wait", detail="the wait was cancelled")
        if self.shared.stopping.is_set():
            raise mqi_error(cmqc.MQRC_CONNECTION_STOPPING, "wait", detail="the server stops")


def _end_marks(opened: OpenObject) -> None:
    if opened.handle is not None and opened.handle.marks is not None:
        opened.handle.marks.end()
