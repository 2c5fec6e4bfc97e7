"""The client end of the port: `Backend` over a queue manager reached through pymqi or ibmmq."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mqtriage.backends import mqsc_text, port
from mqtriage.backends.client import mqsc
from mqtriage.backends.client.command_server import WAIT_MS, CommandServer
from mqtriage.backends.client.connection import ClientConnection
from mqtriage.backends.client.definitions import Definitions
from mqtriage.backends.client.handle import ClientHandle, put_options
from mqtriage.backends.client.inquiry import Inquiry
from mqtriage.backends.client.library import load
from mqtriage.backends.client.structures import descriptor, fill_descriptor
from mqtriage.backends.clock import Clock
from mqtriage.backends.readonly import READ_VERBS
from mqtriage.model.client_settings import ClientSettings, PropertyForm
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import ConnectionFailed, MQIError, NotAuthorized

if TYPE_CHECKING:  # what runs no MQSC starts without it
    from mqtriage.mq.mqsc.reply import Reply
    from mqtriage.mq.mqsc.tree import Command, Script

_T = TypeVar("_T")

_USING: Final = (
    cmqc.MQOO_INPUT_AS_Q_DEF | cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_INPUT_EXCLUSIVE | cmqc.MQOO_OUTPUT
)
"""Options with which a handle may change what a status tells."""


class ClientBackend:
    """`Backend` over a connection to a real queue manager, or to anything that speaks like one."""

    kind: port.BackendKind = "mq"
    capabilities: frozenset[port.Capability] = frozenset((port.Capability.UNITS_OF_WORK,))
    insight = None

    def __init__(
        self,
        settings: ClientSettings,
        queue_manager: str,
        notice: Callable[[str], None],
        *,
        properties_as: PropertyForm = "rfh2",
    ) -> None:
        """Connect.

        Args:
            queue_manager: its name; "" is the default one, ``*NAME`` one of a group.
            notice: where to say what the user should know.
            properties_as: how gets and browses ask for message properties.

        Raises:
            NoClient: Neither pymqi nor ibmmq can be used.
            ConnectionFailed, NotAuthorized, MQIError: As `Connection`.
        """
        self.connection = ClientConnection(load(settings.library), settings, queue_manager, notice)
        self._asked_for = queue_manager
        self._properties_as = properties_as
        self._notice = notice
        self._name = ""
        self._clock = Clock(notice)
        self.command_server = CommandServer(self.connection, self._clock)
        self._definitions = Definitions(self.command_server, self._clock)
        self._inquiry = Inquiry(self.connection)
        self._without_server = False

    @property
    def queue_manager(self) -> str:
        if not self._name:
            self._name = self._inquired_name()
        return self._name

    def _inquired_name(self) -> str:
        if self._asked_for and not self._asked_for.startswith("*"):
            return self._asked_for
        try:
            return self.inquired_name()
        except MQIError:  # connected, and not allowed to ask what to
            return self._asked_for.lstrip("*")

    @property
    def platform(self) -> Platform:
        return self.connection.platform()

    def now_us(self) -> int:
        return self._clock.now_us()

    def open(self, queue: str, options: int, **named: Any) -> ClientHandle:
        if options & _USING:
            self._definitions.changed()
        return ClientHandle(
            self.connection, queue, options, properties_as=self._properties_as, **named
        )

    def put1(self, queue: str, md: MQMD, body: bytes, options: int = 0) -> MQMD:
        self._definitions.changed()
        module = self.connection.library.module
        theirs = module.MD()
        fill_descriptor(theirs, md)
        options = put_options(options)
        with self.connection.mapped(f"put to {queue}", queue, warnings=False):
            od = module.OD(ObjectName=queue.encode())
            self.connection.theirs.put1(od, body, theirs, module.PMO(Options=options))
        self.connection.note_unit(options)
        return descriptor(theirs)

    def put_delayed(
        self, queue: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
    ) -> MQMD:
        raise port.no_delayed_put(self.kind)

    def commit(self) -> None:
        self._definitions.changed()
        self.connection.commit()

    def backout(self) -> None:
        self._definitions.changed()
        self.connection.back_out()

    def disconnect(self) -> None:
        self.command_server.close()
        self.connection.disconnect()

    def inquired_name(self) -> str:
        return str(self.connection.inquire(cmqc.MQCA_Q_MGR_NAME))

    def queue_manager_attributes(self) -> Mapping[str, port.AttributeValue]:
        return self._asked(self._definitions.queue_manager, self._inquiry.queue_manager)

    def queues(self, pattern: str = "*") -> Iterator[port.ObjectDefinition]:
        if pattern.endswith("*"):  # MQINQ takes one name
            return self._definitions.queues(pattern)
        return self._asked(
            lambda: self._definitions.queues(pattern), lambda: self._inquiry.queues(pattern)
        )

    def queue(self, name: str) -> port.ObjectDefinition:
        return self._asked(lambda: self._definitions.queue(name), lambda: self._inquiry.queue(name))

    def status(self, name: str) -> port.QueueStatus:
        return self._asked(
            lambda: self._definitions.status(name), lambda: self._inquiry.status(name)
        )

    def _asked(self, of_server: Callable[[], _T], of_mqinq: Callable[[], _T]) -> _T:
        """What the command server says; where it may not or cannot be asked, what MQINQ does."""
        if not self._without_server:
            try:
                return of_server()
            except ConnectionFailed:
                raise
            except MQIError as error:
                if error.object_name in self.command_server.queues:
                    self._without_server = True
                    self._notice(
                        f"without the command server, some values are missing: {error.text}"
                    )
                elif not isinstance(error, NotAuthorized):
                    raise
        return of_mqinq()

    def define(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        self._definitions.define(kind, name, attributes)

    def alter(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        self._definitions.alter(kind, name, attributes)

    def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        self._definitions.delete(kind, name, purge=purge)

    def run_mqsc(self, script: Script, command: Command, wait_ms: int | None = None) -> Reply:
        wait_ms = WAIT_MS if wait_ms is None else wait_ms
        if command.verb not in READ_VERBS:
            self._definitions.changed()
        return mqsc.run(self.command_server, script, command, wait_ms)

    def check_mqsc(self, script: Script, command: Command) -> Reply:
        return mqsc_text.check(self.platform, script, command)
