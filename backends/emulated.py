"""The emulated end of the port: a queue manager in a file, used in this process.

Modules that only some calls need are imported by those calls: a look-up should start fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mqtriage.backends import port
from mqtriage.emulator.core import authority
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.get import browse, get
from mqtriage.emulator.core.get.rows import MatchOptions
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue
from mqtriage.model.client_settings import PropertyForm
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.message import Message
from mqtriage.mq.names import matches
from mqtriage.mq.transmission import topic_alias_problem
from mqtriage.records import dataclass

if TYPE_CHECKING:  # what runs no MQSC starts without it
    from mqtriage.mq.mqsc.reply import Reply
    from mqtriage.mq.mqsc.tree import Command, Script

APPLICATION: Final = "mqtriage"


@dataclass(slots=True, eq=False)
class EmulatedHandle:
    """`QueueHandle` over an emulator handle."""

    _connection: Connection
    _handle: Handle
    _properties_as: PropertyForm = "rfh2"

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def resolved_name(self) -> str:
        return self._handle.queue.name

    def get(
        self,
        options: int = 0,
        match: port.Match = port.ANY,
        *,
        wait_ms: int = 0,
        max_length: int | None = None,
    ) -> Message:
        most, chosen = self._read(max_length), MatchOptions(*match)
        message = get.get(
            self._connection, self._handle, options, chosen, wait_ms=wait_ms, max_length=most
        )
        return self._delivered(message, max_length)

    def browse(
        self, match: port.Match = port.ANY, *, max_length: int | None = None
    ) -> Iterator[Message]:
        most = self._read(max_length)
        messages = browse.walk(self._connection, self._handle, MatchOptions(*match), most)
        if self._properties_as == "rfh2":
            return messages
        return (self._delivered(message, max_length) for message in messages)

    def _read(self, max_length: int | None) -> int | None:
        """How much of a message must be read: properties are found in the whole of it."""
        return max_length if self._properties_as == "rfh2" else None

    def _delivered(self, message: Message, max_length: int | None) -> Message:
        """The message with its properties where they were asked for."""
        if self._properties_as == "rfh2":
            return message
        from mqtriage.emulator.mqi.message_handles import delivered

        control = str(self._handle.path[0].attributes.get("PROPCTL", "COMPAT"))
        message = delivered(message, control, in_handle=self._properties_as == "handle")
        return message if max_length is None else message._replace(body=message.body[:max_length])

    @property
    def context(self) -> MQMD | None:
        return self._handle.saved_context

    def put(self, md: MQMD, body: bytes, options: int = 0, context: object = None) -> MQMD:
        from mqtriage.emulator.core.put import put

        saved = context if isinstance(context, MQMD) else None
        return put.put(self._connection, self._handle, md, body, options, saved)

    def close(self) -> None:
        self._connection.close(self._handle)


class EmulatedTopic(EmulatedHandle):
    """An alias of a topic that is open for output: what is put is published."""

    __slots__ = ("_alias", "_topic")
    context = None

    def __init__(self, connection: Connection, alias: str, topic: str) -> None:
        self._connection = connection
        self._alias = alias
        self._topic = topic

    @property
    def name(self) -> str:
        return self._alias

    @property
    def resolved_name(self) -> str:
        return self._alias

    def get(self, *_: object, **__: object) -> NoReturn:
        raise self._not_for_topics("get")

    def browse(self, *_: object, **__: object) -> NoReturn:
        raise self._not_for_topics("browse")

    def put(
        self, md: MQMD, body: bytes, options: int = 0, context: object = None, delay_ms: int = 0
    ) -> MQMD:
        from mqtriage.emulator.pubsub import publications

        options &= ~cmqc.MQPMO_ALTERNATE_USER_AUTHORITY
        return publications.send(
            self._connection, self._topic, md, body, options, delay_ms=delay_ms, alias=self.name
        ).md

    def close(self) -> None:
        """Nothing is held."""

    def _not_for_topics(self, doing: str) -> MQIError:
        return topic_alias_problem(self.name, self._topic).error(f"{doing} {self.name}")


class EmulatedBackend:
    """`Backend` over a queue manager file."""

    kind: port.BackendKind = "emulator"
    capabilities = frozenset(port.Capability)

    def __init__(
        self,
        manager: Manager,
        user: str = "",
        application: str = APPLICATION,
        properties_as: PropertyForm = "rfh2",
    ) -> None:
        self.manager = manager
        self._properties_as = properties_as
        self.connection = Connection(manager, application, user or _user())

    @property
    def queue_manager(self) -> str:
        return self.manager.identity.name

    @property
    def platform(self) -> Platform:
        return self.manager.identity.platform

    @property
    def insight(self) -> port.Insight:
        from mqtriage.emulator.admin import insight

        return insight.FileInsight(self.manager)

    def now_us(self) -> int:
        buffer = self.manager.write_behind
        now = None if buffer is None else buffer.now_us()
        return self.manager.look() if now is None else now

    def open(self, queue: str, options: int, **named: Any) -> EmulatedHandle:
        if (
            options & cmqc.MQOO_OUTPUT
            and (topic := self._topic(queue, f"open {queue}")) is not None
        ):
            return topic
        there = self.connection if named.get("queue_manager") else self.connection.at(queue)
        return EmulatedHandle(there, there.open(queue, options, **named), self._properties_as)

    def put1(self, queue: str, md: MQMD, body: bytes, options: int = 0) -> MQMD:
        from mqtriage.emulator.core.put import put

        if (topic := self._topic(queue, f"put to {queue}")) is not None:
            return topic.put(md, body, options)
        return put.put1(self.connection.at(queue), queue, md, body, options)

    def put_delayed(
        self, queue: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
    ) -> MQMD:
        from mqtriage.emulator.core.put import staging

        if (topic := self._topic(queue, f"delayed send to {queue}")) is not None:
            return topic.put(md, body, options, delay_ms=delay_ms)
        return staging.send(self.connection, queue, md, body, delay_ms, options)

    def _topic(self, queue: str, doing: str) -> EmulatedTopic | None:
        """What publishes where *queue* is an alias of a topic."""
        there = self.connection.at(queue)
        definition = there.manager.queues.get(queue)
        if definition is None or definition.attributes.get("TARGTYPE") != "TOPIC":
            return None
        from mqtriage.emulator.pubsub import topics

        there.look(doing)
        topic = topics.string_behind_alias(there.manager, queue, doing)
        return None if topic is None else EmulatedTopic(there, queue, topic)

    def commit(self) -> None:
        self.connection.commit()

    def backout(self) -> None:
        self.connection.back_out()

    def disconnect(self) -> None:
        self.connection.disconnect()

    def inquired_name(self) -> str:
        doing = "inquire the queue manager"
        self.connection.look(doing)
        authority.check_open(self.connection, "", cmqc.MQOO_INQUIRE, doing)
        return self.queue_manager

    def queue_manager_attributes(self) -> Mapping[str, port.AttributeValue]:
        self.connection.look("inquire the queue manager")
        return self.manager.all_attributes()

    def queues(self, pattern: str = "*") -> Iterator[port.ObjectDefinition]:
        self.connection.look(f"inquire {pattern}")
        queues = dict(self.manager.queues)
        if "qsg" in self.manager.switches:
            queues = self.connection.to_group().manager.queues | queues
        for name in sorted(queues):
            if matches(pattern, name):
                yield _definition(queues[name])

    def queue(self, name: str) -> port.ObjectDefinition:
        doing = f"inquire {name}"
        self.connection.look(doing)
        queue = self.connection.at(name).manager.queues.get(name)
        if queue is None:
            raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)
        return _definition(queue)

    def status(self, name: str) -> port.QueueStatus:
        from mqtriage.emulator.admin import queue_status

        doing = f"status of {name}"
        self.connection.look(doing)
        connection = self.connection.at(name)
        if connection is not self.connection:
            connection.look(doing)
        queue = connection.manager.local(name, doing)
        return port.QueueStatus(name, *queue_status.queue_status(connection.manager, queue))

    def define(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        from mqtriage.emulator.admin import definitions

        self.manager.watch_changes()
        definitions.define(self.connection, kind, name, attributes)

    def alter(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        from mqtriage.emulator.admin import definitions

        self.manager.watch_changes()
        definitions.alter(self.connection, kind, name, attributes)

    def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        from mqtriage.emulator.admin import definitions

        self.manager.watch_changes()
        definitions.delete(self.connection, kind, name, purge=purge)

    def run_mqsc(self, script: Script, command: Command, wait_ms: int | None = None) -> Reply:
        from mqtriage.emulator.admin.mqsc_server import execute

        self.manager.watch_changes()
        return execute(self.connection, script, command)

    def check_mqsc(self, script: Script, command: Command) -> Reply:
        from mqtriage.emulator.admin.mqsc_server import is_emulated, refusal
        from mqtriage.mq.mqsc.reply import CommandEnding, Reply, text_of_not_emulated

        syntax_error = refusal(script, command, self.platform)
        if syntax_error is not None:
            return syntax_error
        if is_emulated(command):
            return Reply(CommandEnding.DONE)
        text = text_of_not_emulated(f"{command.verb} {command.noun}".rstrip())
        place = f"{script.file or '<mqsc>'}:{command.line}"
        return Reply(CommandEnding.NOT_EMULATED, why=f"{place}: {text}")


def _definition(queue: Queue) -> port.ObjectDefinition:
    return port.ObjectDefinition(queue.name, queue.kind, queue.attributes)


def _user() -> str:
    """The user that runs the program; 12 characters, as MQMD.UserIdentifier holds."""
    from getpass import getuser

    try:
        return getuser()[:12]
    except (KeyError, OSError):
        return "unknown"
