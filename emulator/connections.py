"""Connections and handles: who is there, what is open, and what is done for those who have gone."""

from __future__ import annotations

import secrets
from typing import Final

from mqtriage.emulator import home, units
from mqtriage.emulator.liveness import LifeLine, is_gone
from mqtriage.emulator.manager import Manager
from mqtriage.emulator.queues import Queue
from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQOO_BROWSE,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
)
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import mqi_error

INPUT: Final = MQOO_INPUT_AS_Q_DEF | MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE


class Handle:
    """An open queue: how it was opened, and where its browse cursor stands.

    Attributes:
        path: definitions from the name to the local queue, as of `definitions`.
        cursor: position of the message under the cursor, -1 before the first.
        locked: position of the message that this handle holds with MQGMO_LOCK, or None.
        saved_context: descriptor of the last message got with MQOO_SAVE_ALL_CONTEXT.
    """

    __slots__ = (
        "cursor",
        "definitions",
        "durable",
        "id",
        "locked",
        "name",
        "options",
        "path",
        "saved_context",
    )

    def __init__(
        self, name: str, options: int, path: tuple[Queue, ...], definitions: int, handle_id: int
    ) -> None:
        self.id = handle_id
        self.name = name
        self.options = options
        self.path = path
        self.definitions = definitions
        self.cursor = -1
        self.locked: int | None = None
        self.saved_context: MQMD | None = None
        self.durable = False

    @property
    def queue(self) -> Queue:
        return self.path[-1]


class Connection:
    """A connection to an emulated queue manager (MQHCONN), with its one unit of work.

    It enters itself in the file only when it first opens a queue for input or output or starts a
    unit of work, so that programs that only look write nothing.

    Attributes:
        unit: what is under syncpoint so far.
    """

    def __init__(self, manager: Manager, application: str, user: str) -> None:
        self.manager = manager
        self.application = application
        self.user = user
        self.unit = units.Unit()
        self.handles: set[Handle] = set()
        self._life: LifeLine | None = None
        self._id: int | None = None
        self._left = False
        self.run = manager.state.run
        if not manager.state.running:
            raise mqi_error(
                codes.MQRC_Q_MGR_NOT_AVAILABLE,
                f"connect to {manager.identity.name}",
                detail="the emulated queue manager is stopped",
                hint=f"mqtriage emulator start {manager.identity.name}",
                object_name=manager.identity.name,
            )

    # -- being there --------------------------------------------------------------------------

    @property
    def id(self) -> int:
        """The number of this connection, entered in the file at first use."""
        if self._id is None:
            self._id = self._enter()
        return self._id

    @property
    def is_entered(self) -> bool:
        return self._id is not None

    def _enter(self) -> int:
        manager = self.manager
        folder = home.private_folder(home.lock_folder(manager.path))
        self._life = LifeLine(folder / secrets.token_hex(8))
        try:
            reap(manager)
            with manager.writing() as now:
                row = manager.store.execute(
                    "INSERT INTO connection (lock_name, application, user, connected_us)"
                    " VALUES (?, ?, ?, ?) RETURNING id",
                    (self._life.path.name, self.application, self.user, now),
                ).fetchone()
        except BaseException:
            self._life.release()
            raise
        return int(row[0])

    def begin(self, doing: str, *, durable: bool = False) -> int:
        """Start the short transaction of one call; 2009 once the queue manager was stopped."""
        now = self.manager.begin(durable=durable)
        if self.manager.state.run != self.run:
            self.manager.rollback()
            raise mqi_error(
                codes.MQRC_CONNECTION_BROKEN,
                doing,
                detail=f"queue manager {self.manager.identity.name} was stopped",
            )
        return now

    def look(self, doing: str) -> int:
        """The same for a call that only reads."""
        now = self.manager.look()
        if self.manager.state.run != self.run:
            raise mqi_error(
                codes.MQRC_CONNECTION_BROKEN,
                doing,
                detail=f"queue manager {self.manager.identity.name} was stopped",
            )
        return now

    # -- handles ------------------------------------------------------------------------------

    def open(self, name: str, options: int) -> Handle:
        """MQOPEN.

        Raises:
            ObjectNotFound: 2085, 2082.
            MQIError: 2001, 2042 (in use), 2045 (option not for this type), 2046 (no option).
        """
        doing = f"open {name}"
        manager = self.manager
        self.look(doing)
        path = manager.path_to(name, doing)
        inputs = options & INPUT
        if inputs & (inputs - 1):
            raise mqi_error(codes.MQRC_OPTIONS_ERROR, doing, object_name=name)
        if not options & (INPUT | MQOO_OUTPUT) or not path[-1].is_local:
            if options & (INPUT | MQOO_BROWSE) and not path[-1].is_local:
                raise mqi_error(codes.MQRC_OPTION_NOT_VALID_FOR_TYPE, doing, object_name=name)
            handle = Handle(name, options, path, manager.state.definitions, 0)
        else:
            handle = self._open_registered(name, options, doing)
        self.handles.add(handle)
        return handle

    def _open_registered(self, name: str, options: int, doing: str) -> Handle:
        manager = self.manager
        me = self.id
        for attempt in (1, 2):
            self.begin(doing)
            try:
                path = manager.path_to(name, doing)
                queue = path[-1]
                wanted = _input_wanted(queue, options)
                if wanted and not self._may_read(queue, wanted):
                    raise mqi_error(
                        codes.MQRC_OBJECT_IN_USE,
                        doing,
                        detail=f"{queue.name} is open for input elsewhere",
                        object_name=queue.name,
                    )
                row = manager.store.execute(
                    "INSERT INTO handle (connection, queue, options) VALUES (?, ?, ?) RETURNING id",
                    (me, queue.id, (options & ~INPUT) | wanted),
                ).fetchone()
            except BaseException as error:
                manager.rollback()
                in_use = getattr(error, "reason", 0) == codes.MQRC_OBJECT_IN_USE
                if in_use and attempt == 1 and reap(manager):
                    continue
                raise
            manager.commit()
            return Handle(name, options, path, manager.state.definitions, int(row[0]))
        raise AssertionError("unreachable")

    def _may_read(self, queue: Queue, wanted: int) -> bool:
        shared = queue.attributes.get("SHARE", "YES") == "YES"
        exclusive = wanted == MQOO_INPUT_EXCLUSIVE or not shared
        others = "AND options & ?" if exclusive else "AND options & ? = ?"
        values = (INPUT,) if exclusive else (INPUT, MQOO_INPUT_EXCLUSIVE)
        row = self.manager.store.execute(
            f"SELECT 1 FROM handle WHERE queue = ? {others} LIMIT 1", (queue.id, *values)
        ).fetchone()
        return row is None

    def close(self, handle: Handle) -> None:
        """MQCLOSE: the handle goes, with the lock it may hold."""
        self.handles.discard(handle)
        if handle.id == 0:
            return
        with self.manager.writing():
            execute = self.manager.store.execute
            execute("DELETE FROM handle WHERE id = ?", (handle.id,))
            execute("UPDATE message SET locked_by = NULL WHERE locked_by = ?", (handle.id,))
        handle.id = 0

    # -- units of work ------------------------------------------------------------------------

    def commit(self) -> None:
        """MQCMIT: what was put is there for all, what was got is gone."""
        self._end(committed=True)

    def back_out(self) -> None:
        """MQBACK: what was put is gone, what was got is back with one more in BackoutCount."""
        self._end(committed=False)

    def _end(self, *, committed: bool) -> None:
        if not self.unit.count:
            return
        doing = "commit" if committed else "backout"
        now = self.begin(doing, durable=self.unit.persistent)
        try:
            units.finish(self.manager, self.id, committed=committed, now_us=now)
        except BaseException:
            self.manager.rollback()
            raise
        self.manager.commit()
        self.unit = units.Unit()

    def disconnect(self) -> None:
        """MQDISC: an open unit of work is backed out, every handle closed; twice does no harm."""
        if self._left:
            return
        self._left = True
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


def _input_wanted(queue: Queue, options: int) -> int:
    """Shared or exclusive, with MQOO_INPUT_AS_Q_DEF looked up in DEFSOPT; 0 for no input."""
    wanted = options & INPUT
    if wanted != MQOO_INPUT_AS_Q_DEF:
        return wanted
    exclusive = queue.attributes.get("DEFSOPT", "SHARED") == "EXCL"
    return MQOO_INPUT_EXCLUSIVE if exclusive else MQOO_INPUT_SHARED


def _leave(manager: Manager, connection_id: int, now_us: int) -> None:
    """Undo and take out whatever a connection has in the file; inside a transaction."""
    execute = manager.store.execute
    units.finish(manager, connection_id, committed=False, now_us=now_us)
    execute(
        "UPDATE message SET locked_by = NULL WHERE locked_by IN"
        " (SELECT id FROM handle WHERE connection = ?)",
        (connection_id,),
    )
    execute("DELETE FROM handle WHERE connection = ?", (connection_id,))
    execute("DELETE FROM connection WHERE id = ?", (connection_id,))


def reap(manager: Manager) -> bool:
    """Back out and take out the connections whose programs have ended; whether there were any."""
    rows = manager.store.execute("SELECT id, lock_name FROM connection").fetchall()
    if not rows or not manager.store.writable:
        return False
    folder = home.lock_folder(manager.path)
    dead = [(number, folder / name) for number, name in rows if is_gone(folder / name)]
    for number, lock in dead:
        with manager.writing(durable=True) as now:
            _leave(manager, number, now)
        lock.unlink(missing_ok=True)
    return bool(dead)
