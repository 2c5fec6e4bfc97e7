"""The queue that a simulated client gets from, and the second connection it moves messages with."""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.get import browse, get
from mqtriage.emulator.core.get.rows import MatchOptions
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.manager import Manager
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, NoMessageAvailable
from mqtriage.mq.message import Message

_ANY: Final = MatchOptions()


class Source:
    """A queue open for input, with its context saved for the moves.

    Attributes:
        passed_over: tokens of messages that this client leaves alone for now.
    """

    def __init__(self, connection: Connection, queue: str, *, browse: bool = False) -> None:
        options = (
            cmqc.MQOO_INPUT_AS_Q_DEF | cmqc.MQOO_SAVE_ALL_CONTEXT | cmqc.MQOO_FAIL_IF_QUIESCING
        )
        self._connection = connection
        self._handle: Handle = connection.open(queue, options | (cmqc.MQOO_BROWSE if browse else 0))
        self.passed_over: set[bytes] = set()

    @property
    def name(self) -> str:
        """The name it was opened by."""
        return self._handle.name

    @property
    def local(self) -> str:
        """The local queue that the name led to."""
        return self._handle.queue.name

    def take(self) -> Message | None:
        """Get the next message under syncpoint; None when there is none."""
        return self._get(cmqc.MQGMO_SYNCPOINT)

    def take_this(self, message: Message) -> Message | None:
        """Get the very message that was browsed; None when another program was faster."""
        return self._get(cmqc.MQGMO_SYNCPOINT, MatchOptions(token=message.token))

    def peek(self, *, lock: bool = False) -> Message | None:
        """Browse the first message that is not passed over; the queue must be open for browse.

        Args:
            lock: keep it from other programs until `take_locked`, `unlock` or the next peek.
        """
        options = cmqc.MQGMO_LOCK if lock else 0
        message = self._get(cmqc.MQGMO_BROWSE_FIRST | options)
        while message is not None and message.token in self.passed_over:
            message = self._get(cmqc.MQGMO_BROWSE_NEXT | options)
        return message

    def take_locked(self) -> Message | None:
        """Get the message that `peek` locked, under syncpoint; None when it expired since."""
        try:
            return self._get(cmqc.MQGMO_MSG_UNDER_CURSOR | cmqc.MQGMO_SYNCPOINT)
        except MQIError:
            return None

    def unlock(self) -> None:
        """Let go of the message that `peek` locked."""
        if self._handle.locked is not None:
            browse.unlock(self._connection, self._handle)

    def _get(self, options: int, match: MatchOptions = _ANY) -> Message | None:
        try:
            return get.get(
                self._connection, self._handle, options | cmqc.MQGMO_FAIL_IF_QUIESCING, match
            )
        except NoMessageAvailable:
            return None

    def close(self) -> None:
        self._connection.close(self._handle)


class Outside:
    """What a client does beside a delivery, in a unit of work of its own.

    While the delivery's connection has nothing under syncpoint its own unit of work will do;
    otherwise a second connection is made, for the same user and with the same authority.
    """

    def __init__(self, connection: Connection, source: Source) -> None:
        self._delivery = connection, source
        self._second: tuple[Connection, Source] | None = None
        self._used = self._delivery

    @property
    def connection(self) -> Connection:
        """The connection of the last `take`."""
        return self._used[0]

    def take(self, message: Message) -> Message | None:
        """Get the very message that was browsed, under syncpoint; None when it has gone.

        Raises:
            MQIError: 2042 where the queue can be open for input only once.
        """
        free = not self._delivery[0].unit.count
        self._used = self._delivery if free else self._open()
        return self._used[1].take_this(message)

    def commit(self) -> None:
        self.connection.commit()

    def back_out(self) -> None:
        self.connection.back_out()

    def _open(self) -> tuple[Connection, Source]:
        if self._second is None:
            like, source = self._delivery
            manager = Manager(like.manager.path, like.manager.hooks, like.manager.notice)
            try:
                connection = Connection(manager, like.application, like.user)
            except MQIError:
                manager.close()
                raise
            connection.groups, connection.checked = like.groups, like.checked
            try:
                self._second = connection, Source(connection, source.name)
            except MQIError:
                connection.disconnect()
                raise
        return self._second

    def close(self) -> None:
        if self._second is not None:
            self._second[0].disconnect()
            self._second = None
