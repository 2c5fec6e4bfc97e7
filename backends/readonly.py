"""A wrapper that refuses every write: what a command that reads or plans is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mqtriage.backends.port import (
    ANY,
    AttributeValue,
    Backend,
    BackendKind,
    Capability,
    Insight,
    Match,
    ObjectDefinition,
    QueueHandle,
    QueueStatus,
)
from mqtriage.mq.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INQUIRE,
)
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import Refused
from mqtriage.mq.message import Message

_LOOKING: Final = MQOO_BROWSE | MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING
_BROWSING: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR


def _refused(doing: str) -> Refused:
    return Refused(f"{doing}: this connection only reads")


class ReadOnlyHandle:
    """A handle that browses and nothing else."""

    def __init__(self, inner: QueueHandle) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def resolved_name(self) -> str:
        return self._inner.resolved_name

    def get(
        self,
        options: int = 0,
        match: Match = ANY,
        *,
        wait_ms: int = 0,
        max_length: int | None = None,
    ) -> Message:
        if not options & _BROWSING:
            raise _refused(f"get from {self.name}")
        return self._inner.get(options, match, wait_ms=wait_ms, max_length=max_length)

    def browse(self, match: Match = ANY, *, max_length: int | None = None) -> Iterator[Message]:
        return self._inner.browse(match, max_length=max_length)

    @property
    def context(self) -> object:
        return self._inner.context

    def put(self, md: MQMD, body: bytes, options: int = 0, context: object = None) -> MQMD:
        raise _refused(f"put to {self.name}")

    def close(self) -> None:
        self._inner.close()


class ReadOnlyBackend:
    """`Backend` over another one, for browse and inquire only."""

    def __init__(self, inner: Backend) -> None:
        self.inner = inner

    @property
    def kind(self) -> BackendKind:
        return self.inner.kind

    @property
    def queue_manager(self) -> str:
        return self.inner.queue_manager

    @property
    def capabilities(self) -> frozenset[Capability]:
        return self.inner.capabilities

    @property
    def insight(self) -> Insight | None:
        return self.inner.insight

    def now_us(self) -> int:
        return self.inner.now_us()

    def open(
        self,
        queue: str,
        options: int,
        queue_manager: str = "",
        selector: str = "",
        alternate_user: str = "",
    ) -> ReadOnlyHandle:
        if options & ~_LOOKING:
            raise _refused(f"open {queue} with options {options:#x}")
        return ReadOnlyHandle(
            self.inner.open(queue, options, queue_manager, selector, alternate_user)
        )

    def put1(self, queue: str, md: MQMD, body: bytes, options: int = 0) -> MQMD:
        raise _refused(f"put to {queue}")

    def commit(self) -> None:
        raise _refused("commit")

    def backout(self) -> None:
        raise _refused("backout")

    def disconnect(self) -> None:
        self.inner.disconnect()

    def queue_manager_attributes(self) -> Mapping[str, AttributeValue]:
        return self.inner.queue_manager_attributes()

    def queues(self, pattern: str = "*") -> Iterator[ObjectDefinition]:
        return self.inner.queues(pattern)

    def queue(self, name: str) -> ObjectDefinition:
        return self.inner.queue(name)

    def status(self, name: str) -> QueueStatus:
        return self.inner.status(name)

    def define(self, kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> None:
        raise _refused(f"define {kind}({name})")

    def alter(self, kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> None:
        raise _refused(f"alter {kind}({name})")

    def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        raise _refused(f"delete {kind}({name})")
