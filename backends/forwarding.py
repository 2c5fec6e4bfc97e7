"""What the wrappers of the port are made of: whatever a wrapper says nothing of goes to its inside.

`Reading` and `ReadingHandle` are the calls that change nothing, the others have them all: a call
that the port gets later is in neither until somebody places it, and mypy says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from mqtriage.backends import port
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message

if TYPE_CHECKING:  # what runs no MQSC starts without it
    from mqtriage.mq.mqsc.reply import Reply
    from mqtriage.mq.mqsc.tree import Command, Script


class ReadingHandle:
    """What of a `QueueHandle` over another one takes nothing and puts nothing."""

    def __init__(self, inner: port.QueueHandle) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def resolved_name(self) -> str:
        return self._inner.resolved_name

    def browse(
        self, match: port.Match = port.ANY, *, max_length: int | None = None
    ) -> Iterator[Message]:
        return self._inner.browse(match, max_length=max_length)

    @property
    def context(self) -> object:
        return self._inner.context

    def close(self) -> None:
        self._inner.close()


class Reading:
    """What of a `Backend` over another one changes nothing."""

    def __init__(self, inner: port.Backend) -> None:
        self._inner = inner

    @property
    def kind(self) -> port.BackendKind:
        return self._inner.kind

    @property
    def queue_manager(self) -> str:
        return self._inner.queue_manager

    @property
    def platform(self) -> Platform:
        return self._inner.platform

    @property
    def capabilities(self) -> frozenset[port.Capability]:
        return self._inner.capabilities

    @property
    def insight(self) -> port.Insight | None:
        return self._inner.insight

    def now_us(self) -> int:
        return self._inner.now_us()

    def disconnect(self) -> None:
        self._inner.disconnect()

    def inquired_name(self) -> str:
        return self._inner.inquired_name()

    def queue_manager_attributes(self) -> Mapping[str, port.AttributeValue]:
        return self._inner.queue_manager_attributes()

    def queues(self, pattern: str = "*") -> Iterator[port.ObjectDefinition]:
        return self._inner.queues(pattern)

    def queue(self, name: str) -> port.ObjectDefinition:
        return self._inner.queue(name)

    def status(self, name: str) -> port.QueueStatus:
        return self._inner.status(name)

    def check_mqsc(self, script: Script, command: Command) -> Reply:
        return self._inner.check_mqsc(script, command)


class Forwarding(Reading):
    """`Backend` over another one."""

    def open(self, queue: str, options: int, **named: str) -> port.QueueHandle:
        return self._inner.open(queue, options, **named)

    def put1(self, queue: str, md: MQMD, body: bytes, options: int = 0) -> MQMD:
        return self._inner.put1(queue, md, body, options)

    def put_delayed(
        self, queue: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
    ) -> MQMD:
        return self._inner.put_delayed(queue, md, body, delay_ms, options)

    def commit(self) -> None:
        self._inner.commit()

    def backout(self) -> None:
        self._inner.backout()

    def define(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        self._inner.define(kind, name, attributes)

    def alter(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        self._inner.alter(kind, name, attributes)

    def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        self._inner.delete(kind, name, purge=purge)

    def run_mqsc(self, script: Script, command: Command, wait_ms: int | None = None) -> Reply:
        return self._inner.run_mqsc(script, command, wait_ms)
