"""Connections and handles: who is there, what is open, and what is done for those who have gone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core import authority, call_log, channels, dynamic, units
from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.file.store import Transaction
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.holder import Holder
from mqtriage.emulator.core.liveness import LifeLine, is_gone
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import TEMPORARY, TRIGGERED, Queue
from mqtriage.emulator.core.remote import is_remote, path_on, renewed
from mqtriage.emulator.core.tables import handles, queues, subscriptions, tallies
from mqtriage.emulator.core.tables.state import QUIESCING
from mqtriage.files.private import made_folder
from mqtriage.model.shell_words import shell_word
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, enabling, mqi_error

if TYPE_CHECKING:
    from mqtriage.messages.filters.selector import Selector

IN_DOUBT: Final = 1 << 63
"""Added to the number of a branch that has no connection, for one that no connection has."""
_NUMBERS: Final = (1 << 22) - 1
_CONNECTED: Final = 1 << 22
_IN_DOUBT: Final = 1 << 23
INPUT: Final = cmqc.MQOO_INPUT_AS_Q_DEF | cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_INPUT_EXCLUSIVE


class Connection:
    """A connection to an emulated queue manager (MQHCONN), with its one unit of work.

    It enters itself in the file only when it first opens a queue for input or output or starts a
    unit of work, so that programs that only look write nothing.

    Attributes:
        groups: of the user, for authority checks; None until they are looked up.
        shared: the connection to the queue-sharing group that goes with it (`sharing`).
        application_type: MQAT_* that its messages have as PutApplType; 0 for the platform's.
        instance: of the channel that it came by; None for a local program.
        given_tag: that a client has from another connection; "" for a new one.
        options: MQCNO_* that it gave.
        process: number of the program's, or of the server's for one that came by a channel.
        checked: made for another user, whose authority is checked at every call, switch or not.
    """

    def __init__(self, manager: Manager, application: str, user: str) -> None:
        self.manager = manager
        self.application = application
        self.user = user
        self.groups: frozenset[str] | None = None
        self.checked = False
        self.application_type = 0
        self.instance: channels.Instance | None = None
        self.given_tag = ""
        self.options = 0
        self.process = os.getpid()
        self.shared: Connection | None = None
        self.unit = self.new_unit()
        self.handles: set[Handle] = set()
        self._life: LifeLine | None = None
        self._id: int | None = None
        self._has_left = False
        self.run = manager.state.run
        reap(manager)  # what a program that has ended left behind is nobody's any more
        if not manager.state.running:
            raise mqi_error(
                cmqc.MQRC_Q_MGR_NOT_AVAILABLE,
                f"connect to {manager.identity.name}",
                detail="the emulated queue manager is stopped",
                hint=f"mqtriage emulator start {shell_word(manager.identity.name)}",
                object_name=manager.identity.name,
            )
        self.fail_if_quiescing(cmqc.MQOO_FAIL_IF_QUIESCING, f"connect to {manager.identity.name}")

    # -- being there --------------------------------------------------------------------------

    @property
    def id(self) -> int:
        """The number of this connection, entered in the file at first use."""
        if self._id is None:
            self.enter()
            assert self._id is not None
        return self._id

    def enter(self) -> None:
        """Enter this connection in the file, unless it is; outside a transaction."""
        if self._id is not None:
            return
        manager = self.manager
        folder = made_folder(home.lock_folder(manager.path))
        self._life = LifeLine(folder / os.urandom(8).hex())
        try:
            reap(manager)
            with manager.writing() as now:
                number = handles.insert_connection(
                    manager.store,
                    self._life.path.name,
                    self.application,
                    self.user,
                    now,
                    json.dumps(
                        channels.Came(self.instance, self.process, self.options, self.given_tag)
                    ),
                )
        except BaseException:
            self._life.release()
            raise
        self._id = number

    @property
    def connection_id(self) -> bytes:
        """MQCNO.ConnectionId: 24 bytes."""
        return connection_id_of(self.manager, self.id)

    @property
    def tag(self) -> str:
        """The connection tag: the one that the client gave, so that its connections share it."""
        return self.given_tag or connection_tag_of(self.manager, self.id, self.application)

    def begin(self, doing: str, *, durable: bool = False) -> int:
        """Start the short transaction of one call; 2009 once the queue manager was stopped."""
        now = self.manager.begin(durable=durable)
        if self.manager.state.run != self.run:
            self.manager.rollback()
            raise self._broken(doing)
        return now

    def writing(self, doing: str, *, durable: bool = False) -> Transaction[int]:
        """`begin` and `commit` as a `with` block that hands out the time."""
        return Transaction(self.manager, self.begin(doing, durable=durable))

    @contextmanager
    def changing(self, doing: str) -> Iterator[int]:
        """The same, durable, for what is read anew afterwards: definitions."""
        try:
            with self.writing(doing, durable=True) as now:
                yield now
        finally:
            self.manager.refresh()

    def admit(self, doing: str) -> int | None:
        """The time of a call that may be held back (`write_behind`); None where it must not be."""
        buffer = self.manager.write_behind
        now = None if buffer is None else buffer.admit()
        if now is not None and self.manager.state.run != self.run:
            raise self._broken(doing)
        return now

    def look(self, doing: str) -> int:
        """The same for a call that only reads."""
        now = self.manager.look()
        if self.manager.state.run != self.run:
            raise self._broken(doing)
        return now

    def glance(self, doing: str) -> None:
        """The same for one that is going to write: what is held back need not be written down.

        While something is held back nobody else can change the file.
        """
        buffer = self.manager.write_behind
        if buffer is None or not buffer.is_open or self.manager.state.run != self.run:
            self.look(doing)

    def _broken(self, doing: str) -> MQIError:
        detail = f"queue manager {self.manager.identity.name} was stopped"
        return mqi_error(cmqc.MQRC_CONNECTION_BROKEN, doing, detail=detail)

    def fail_if_quiescing(self, options: int, doing: str) -> None:
        """End a call that asks for it (MQOO_, MQPMO_, MQGMO_FAIL_IF_QUIESCING have one value)."""
        if not options & cmqc.MQOO_FAIL_IF_QUIESCING:
            return
        if self.instance is not None and (mode := self.ending) is not None:
            is_cut = mode == "TERMINATE"
            reason = cmqc.MQRC_CONNECTION_BROKEN if is_cut else cmqc.MQRC_CONNECTION_QUIESCING
            detail = f"channel {self.instance.channel} was stopped"
            raise mqi_error(reason, doing, detail=detail)
        if self.manager.state.running == QUIESCING:
            detail = f"queue manager {self.manager.identity.name} is ending"
            raise mqi_error(cmqc.MQRC_Q_MGR_QUIESCING, doing, detail=detail)

    @property
    def ending(self) -> channels.Mode | None:
        """How STOP CHANNEL has it end; None where it goes on."""
        if self.instance is None or self._id is None:
            return None
        return channels.ending(self.manager, self.instance, self._id)

    def at(self, name: str) -> Connection:
        """The connection that a queue belongs to: this one, or that to the queue-sharing group."""
        if "qsg" not in self.manager.switches:
            return self
        if name in self.manager.queues:
            return self
        group = self.to_group()
        return group if name in group.manager.queues else self

    def to_group(self) -> Connection:
        """The connection to the file of the queue-sharing group that goes with this one."""
        if self.shared is None:
            self.shared = Connection(
                self.manager.hooks.open_group(self.manager), self.application, self.user
            )
            self.shared.groups, self.shared.checked = self.groups, self.checked
        self.shared.manager.refresh()
        return self.shared

    # -- handles ------------------------------------------------------------------------------

    def open(
        self,
        name: str,
        options: int,
        *,
        queue_manager: str = "",
        dynamic_name: str | None = dynamic.DEFAULT_NAME,
        selector: str = "",
        alternate_user: str = "",
        stays_open: bool = True,
    ) -> Handle:
        """MQOPEN.

        Args:
            dynamic_name: DynamicQName, for a model queue; None refuses one (2057), as MQPUT1 does.
            stays_open: False for MQPUT1, whose handle nobody gets to see.

        Raises:
            ObjectNotFound: 2085, 2082, 2086, 2087.
            MQIError: 2001, 2042 (in use), 2045 (option not for this type), 2046 (no option),
                2011, 2100 (dynamic queue), 2161 (ending), 2091, 2092, 2184, 2196 to 2199
                (transmission queue), 2459, 2504, 2516, 2519 (selection string).
        """
        doing = f"open {name}"
        manager = self.manager
        (self.look if stays_open else self.glance)(doing)
        self.fail_if_quiescing(options, doing)
        if self.checked or manager.switches:
            self._tell("MQOPEN", name, options)
            authority.check_open(self, name, options, doing, alternate_user)
        path = _path(manager, name, queue_manager, options, doing)
        inputs = options & INPUT
        if inputs & (inputs - 1):
            raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing, object_name=name)
        chosen = _selector(selector, name, options, doing) if selector else None
        if is_remote(path) and options & (INPUT | cmqc.MQOO_BROWSE):
            raise mqi_error(cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, doing, object_name=name)
        if path[-1].kind == "QMODEL":
            if dynamic_name is None:
                reason = cmqc.MQRC_Q_TYPE_ERROR
                raise mqi_error(reason, doing, detail="a model queue", object_name=name)
            handle = self._open_dynamic(path[-1], options, dynamic_name, doing)
        elif options & (INPUT | cmqc.MQOO_BROWSE) and not path[-1].is_local:
            raise mqi_error(cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, doing, object_name=name)
        elif not (stays_open and path[-1].is_local and options & (INPUT | cmqc.MQOO_OUTPUT)):
            handle = Handle(name, options, path, manager.state.definitions, 0)
        else:
            handle = self._open_registered(name, options, path, doing)
        handle.selector = chosen
        self.handles.add(handle)
        return handle

    def _open_dynamic(self, model: Queue, options: int, dynamic_name: str, doing: str) -> Handle:
        me, manager = self.id, self.manager
        with self.changing(doing) as now:
            queue = dynamic.create(manager, model, dynamic_name, now, doing)
            handle_id = _enter_handle(manager, me, queue, options)
            queues.write_owner(manager.store, queue.id, handle_id)
        return Handle(queue.name, options, (queue,), manager.state.definitions, handle_id)

    def _open_registered(
        self, name: str, options: int, path: tuple[Queue, ...], doing: str
    ) -> Handle:
        manager = self.manager
        me = self.id
        for attempt in (1, 2):
            now = self.begin(doing)
            try:
                path = renewed(manager, path, doing)
                queue = path[-1]
                mode = _input_mode(queue, options)
                if mode and not self._may_read(queue, mode):
                    raise mqi_error(
                        cmqc.MQRC_OBJECT_IN_USE,
                        doing,
                        detail=f"{queue.name} is open for input elsewhere",
                        object_name=queue.name,
                    )
                handle_id = _enter_handle(manager, me, queue, options)
                if mode:
                    _consider_all_of(manager, queue.name, now)
            except BaseException as error:
                manager.rollback()
                in_use = getattr(error, "reason", 0) == cmqc.MQRC_OBJECT_IN_USE
                if in_use and attempt == 1 and reap(manager):
                    continue
                raise
            manager.commit()
            return Handle(name, options, path, manager.state.definitions, handle_id)
        raise AssertionError("unreachable")

    def _may_read(self, queue: Queue, mode: int) -> bool:
        shared = queue.attributes.get("SHARE", "YES") == "YES"
        exclusive = mode == cmqc.MQOO_INPUT_EXCLUSIVE or not shared
        others = INPUT if exclusive else cmqc.MQOO_INPUT_EXCLUSIVE
        return not handles.is_open(self.manager.store, queue.id, others)

    def check_put1(self, name: str, options: int, doing: str) -> None:
        """Write an MQPUT1 down and check its authority, where either was asked for."""
        self._tell("MQPUT1", name, options)
        authority.check_put1(self, name, options, doing)

    def _tell(self, verb: str, name: str, options: int) -> None:
        if call_log.is_on(self.manager):
            call_log.note(self.manager, self.user, self.application, verb, name, options)

    def close(self, handle: Handle, options: int = 0) -> None:
        """MQCLOSE: the handle goes, with the lock it may hold and the temporary queue it made.

        Args:
            options: MQCO_DELETE or MQCO_DELETE_PURGE for a permanent dynamic queue.

        Raises:
            MQIError: 2045, 2055; the handle then stays open.
        """
        if self._has_left:
            return  # the end of the connection closed it
        if self.manager.switches:
            self._tell("MQCLOSE", handle.name, handle.options)
        if handle.id == 0 and not options:
            self.handles.discard(handle)
            return
        manager, queue = self.manager, handle.queue
        with manager.writing() as now:
            there = manager.by_id.get(queue.id)
            if there is not None and (options or there.special & TEMPORARY):
                dynamic.close(manager, there, handle.id, options, f"close {handle.name}")
            handles.delete(manager.store, handle.id)
            if queue.special & TRIGGERED and handle.options & INPUT:
                manager.hooks.consider(manager, manager.by_id.get(queue.id, queue), now)
        self.handles.discard(handle)
        handle.id = 0

    # -- units of work ------------------------------------------------------------------------

    def holder(self, acts: int = 1) -> Holder:
        """The unit of work for messages that come along with the puts or gets now being made.

        Args:
            acts: how many those are.
        """
        limit = int(self.manager.attributes.get("MAXUMSGS", 10_000))
        return Holder(self.unit_number, self.unit.put_to, limit - self.unit.count - acts)

    def new_unit(self) -> units.Unit:
        """A unit of work with nothing in it."""
        return units.Unit(begins=self._note_unit)

    def _note_unit(self) -> None:
        if self._life is not None:
            self._life.note_unit(self.manager.state.now_us())

    @property
    def unit_number(self) -> int:
        """What the messages of its unit of work carry."""
        return -self.unit.branch or self.id

    def commit(self) -> None:
        """MQCMIT: what was put is there for all, what was got is gone."""
        self._end(committed=True)
        self._count("commit")
        if self.shared is not None:
            self.shared.commit()

    def back_out(self) -> None:
        """MQBACK: what was put is gone, what was got is back with one more in BackoutCount."""
        self._end(committed=False)
        self._count("rollback")
        if self.shared is not None:
            self.shared.back_out()

    def _count(self, verb: str) -> None:
        """Count an end of a unit of work, an empty one too, and the one that MQDISC brings about.

        Source: IBM MQ documentation, "MQI statistics message data", CommitCount and BackCount.
        """
        if self.manager.tally is not None:
            tallies.note(self.manager.tally, self.account, "", verb)

    @property
    def account(self) -> str:
        """Whose calls those of this connection are, in accounting messages."""
        return f"{self.application}\n{self.user}"

    def _end(self, *, committed: bool) -> None:
        doing = "commit" if committed else "backout"
        if self.unit.branch:
            detail = "a branch of a global transaction is ended by its transaction manager"
            raise mqi_error(cmqc.MQRC_ENVIRONMENT_ERROR, doing, detail=detail)
        if not self.unit.count:
            return
        durable = self.unit.persistent
        buffer = self.manager.write_behind if committed else None
        if (
            buffer is not None
            and self.manager.state.run == self.run
            and buffer.commit(self.unit_number, self._finish, durable=durable)
        ):
            self.unit = self.new_unit()
            return
        now = self.begin(doing, durable=durable)
        try:
            self._finish(now, committed=committed)
        except BaseException:
            self.manager.rollback()
            raise
        self.manager.commit()
        if not committed:
            self.unit.restore_positions()
        self.unit = self.new_unit()

    def _finish(self, now_us: int, *, committed: bool = True) -> None:
        """Let the unit of work end, as far as the file knows of it; inside a transaction."""
        units.finish(self.manager, self.unit_number, committed=committed, now_us=now_us)
        for act in self.unit.at_commit if committed else ():
            act(self.manager, now_us)

    def disconnect(self) -> None:
        """MQDISC: an open unit of work is backed out, every handle closed; twice does no harm."""
        if self._has_left:
            return
        self._has_left = True
        if self.unit.count:
            self._count("rollback")
        if self.shared is not None:
            self.shared.disconnect()
        if self._id is None:
            self.manager.close()
            return
        try:
            if self.manager.state.run == self.run:
                with self.manager.writing(durable=self.unit.persistent) as now:
                    _leave(self.manager, self._id, now)
        finally:
            if self._life is not None:
                self._life.release()
            self.manager.close()


def connection_id_of(manager: Manager, number: int) -> bytes:
    """The ConnectionId of the connection with that number.

    EXTCONN, the first 16 bytes, names the queue manager; CONN, the other 8, its run and the number.
    A queue manager has the time of its start for the run; ours has a number that is its own, so
    that two of one name never make the same id.
    """
    identity = manager.identity
    name = identity.name[:12].ljust(12).encode("latin-1")
    counted = (number & _NUMBERS) | (_IN_DOUBT if number & IN_DOUBT else _CONNECTED)
    return b"AMQC" + name + identity.id_seed.to_bytes(4) + b"\0" + counted.to_bytes(3, "little")


def connection_tag_of(manager: Manager, number: int, application: str) -> str:
    """The connection tag of a program: CONNTAG, and what clients for JMS show."""
    conn = connection_id_of(manager, number)[16:].hex().upper()
    return f"MQCT{conn}{manager.all_attributes()['QMID']}{application}"


def _path(
    manager: Manager, name: str, queue_manager: str, options: int, doing: str
) -> tuple[Queue, ...]:
    """The definitions from the name to the queue that is opened.

    A local definition of a remote queue that is opened to be inquired or set alone is itself what
    is opened; nothing has to lead to the other queue manager.
    """
    there = manager.queues.get(name)
    is_here = queue_manager in ("", manager.identity.name)
    passes_through = options & (INPUT | cmqc.MQOO_OUTPUT | cmqc.MQOO_BROWSE)
    if there is not None and there.kind == "QREMOTE" and is_here and not passes_through:
        return (there,)
    return path_on(manager, name, queue_manager, doing)


def _selector(text: str, name: str, options: int, doing: str) -> Selector | None:
    if not options & (INPUT | cmqc.MQOO_BROWSE):
        reason = cmqc.MQRC_SELECTOR_INVALID_FOR_TYPE
        raise mqi_error(reason, doing, detail="it is not opened to get", object_name=name)
    from mqtriage.emulator.core.selecting import selector_of

    return selector_of(text, doing)


def _enter_handle(manager: Manager, connection_id: int, queue: Queue, options: int) -> int:
    options = (options & ~INPUT) | _input_mode(queue, options)
    return handles.insert(manager.store, connection_id, queue.id, options)


def renew(manager: Manager, handle: Handle, doing: str) -> None:
    """Let a handle go by the definitions as they are now.

    Raises:
        MQIError: 2052 when its queue was deleted; 2041 when ALTER with FORCE changed what it goes
            by; what resolving the name says.
    """
    path = renewed(manager, handle.path, doing)
    if _is_other(handle.queue, path[-1], handle.options):
        raise mqi_error(cmqc.MQRC_OBJECT_CHANGED, doing, object_name=handle.name)
    handle.path = path
    handle.definitions = manager.state.definitions


def _is_other(was: Queue, now: Queue, options: int) -> bool:
    """Whether what changed of the queue under a handle makes the handle unusable."""
    if was.id != now.id or was.attributes.get("USAGE") != now.attributes.get("USAGE"):
        return True
    unshared = was.attributes.get("SHARE") == "YES" and now.attributes.get("SHARE") == "NO"
    return unshared and bool(options & INPUT)


def check_get_enabled(connection: Connection, handle: Handle, doing: str) -> None:
    manager = connection.manager
    if handle.definitions != manager.state.definitions:
        renew(manager, handle, doing)
    for queue in handle.path:
        if not queue.get_enabled:
            raise mqi_error(
                cmqc.MQRC_GET_INHIBITED,
                doing,
                detail=f"{queue.name} has GET(DISABLED)",
                hint=enabling(queue.name, "GET"),
                object_name=queue.name,
            )


def _consider_all_of(manager: Manager, initiation_queue: str, now_us: int) -> None:
    """A program reads *initiation_queue*: trigger for every queue that may have waited for one."""
    for queue in manager.queues.values():
        if queue.special & TRIGGERED and queue.attributes.get("INITQ") == initiation_queue:
            manager.hooks.consider(manager, queue, now_us)


def _input_mode(queue: Queue, options: int) -> int:
    """Shared or exclusive, with MQOO_INPUT_AS_Q_DEF looked up in DEFSOPT; 0 for no input."""
    mode = options & INPUT
    if mode != cmqc.MQOO_INPUT_AS_Q_DEF:
        return mode
    exclusive = queue.attributes.get("DEFSOPT", "SHARED") == "EXCL"
    return cmqc.MQOO_INPUT_EXCLUSIVE if exclusive else cmqc.MQOO_INPUT_SHARED


def _leave(manager: Manager, connection_id: int, now_us: int) -> None:
    """Undo and take out whatever a connection has in the file; inside a transaction."""
    units.finish(manager, connection_id, committed=False, now_us=now_us)
    units.back_out_branches(manager, connection_id, now_us)
    dynamic.remove_temporary(manager, connection_id)
    if subscriptions.is_any_of(manager.store, connection_id):
        manager.hooks.end_non_durable(manager, connection_id)
    handles.delete_connection(manager.store, connection_id)


def reap(manager: Manager) -> bool:
    """Back out and take out the connections whose programs have ended; whether there were any."""
    rows = handles.connections(manager.store)
    if not rows or not manager.store.writable:
        return False
    folder = home.lock_folder(manager.path)
    dead = [(number, folder / name) for number, name in rows if is_gone(folder, name)]
    for number, lock in dead:
        with manager.writing(durable=True) as now:
            _leave(manager, number, now)
        lock.unlink(missing_ok=True)
    return bool(dead)


def check_room_in_unit(connection: Connection, doing: str, more: int = 1) -> None:
    """Refuse more messages under syncpoint than MAXUMSGS allows (2024)."""
    limit = int(connection.manager.attributes.get("MAXUMSGS", 10_000))
    if connection.unit.count + more > limit:
        raise mqi_error(
            cmqc.MQRC_SYNCPOINT_LIMIT_REACHED,
            doing,
            detail=f"the unit of work contains {limit} messages (MAXUMSGS)",
        )
