"""A wrapper that tells each call with its completion and reason: what `--verbose` shows.

Message data never gets into a line: lengths, names, ids and numbers do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from mqtriage.backends.port import ANY, AttributeValue, Backend, Match, QueueHandle
from mqtriage.mq.constants import MQCC_WARNING
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, MQTriageError, reason_name
from mqtriage.mq.message import Message
from mqtriage.mq.name_table import family

Tell = Callable[[str], None]

_OK: Final = "MQCC_OK"
_NO_MESSAGE: Final = "MQCC_FAILED MQRC_NO_MSG_AVAILABLE (2033)"


@contextmanager
def _told(tell: Tell, call: str) -> Iterator[list[str]]:
    """Tell *call* once it has ended; what the body appends is added where it went well."""
    more: list[str] = []
    try:
        yield more
    except MQIError as error:
        severity = "MQCC_WARNING" if error.comp_code == MQCC_WARNING else "MQCC_FAILED"
        tell(f"{call}: {severity} {reason_name(error.reason)} ({error.reason})")
        raise
    except MQTriageError as error:
        tell(f"{call}: {type(error).__name__}")
        raise
    tell(", ".join([f"{call}: {_OK}", *more]))


def option_names(options: int, prefix: str) -> str:
    """The options in *options*, by name: ``MQOO_BROWSE+MQOO_INQUIRE``; "" for none."""
    names = []
    for name, value in family(prefix).items():
        if value.bit_count() == 1 and options & value:
            names.append(name)
            options &= ~value
    if options:
        names.append(f"{options:#x}")
    return "+".join(names)


def _call(verb: str, name: str, options: int, prefix: str) -> str:
    names = option_names(options, prefix)
    return f"{verb} {name} {names}" if names else f"{verb} {name}"


def _about(message: Message) -> list[str]:
    return [f"{message.length_bytes} bytes", f"MsgId {message.md.msg_id.hex().upper()}"]


class TracedHandle:
    """`QueueHandle` over another one; each call is told."""

    def __init__(self, inner: QueueHandle, tell: Tell) -> None:
        self._inner = inner
        self._tell = tell

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
        with _told(self._tell, _call("MQGET", self.name, options, "MQGMO_")) as more:
            message = self._inner.get(options, match, wait_ms=wait_ms, max_length=max_length)
            more += _about(message)
        return message

    def browse(self, match: Match = ANY, *, max_length: int | None = None) -> Iterator[Message]:
        call = f"MQGET {self.name} MQGMO_BROWSE_NEXT"
        for message in self._inner.browse(match, max_length=max_length):
            self._tell(", ".join([f"{call}: {_OK}", *_about(message)]))
            yield message
        self._tell(f"{call}: {_NO_MESSAGE}")

    @property
    def context(self) -> object:
        return self._inner.context

    def put(self, md: MQMD, body: bytes, options: int = 0, context: object = None) -> MQMD:
        with _told(self._tell, _call("MQPUT", self.name, options, "MQPMO_")) as more:
            stored = self._inner.put(md, body, options, context)
            more += [f"{len(body)} bytes", f"MsgId {stored.msg_id.hex().upper()}"]
        return stored

    def close(self) -> None:
        with _told(self._tell, f"MQCLOSE {self.name}"):
            self._inner.close()


class TracedBackend:
    """`Backend` over another one; each call that goes to the queue manager is told."""

    def __init__(self, inner: Backend, tell: Tell) -> None:
        self.inner: Any = inner
        self._tell = tell
        tell(f"MQCONN {inner.queue_manager}: {_OK}")

    def __getattr__(self, name: str) -> Any:
        """What is no call: the name, what it can do, its clock, its insight."""
        return getattr(self.inner, name)

    def open(
        self,
        queue: str,
        options: int,
        queue_manager: str = "",
        selector: str = "",
        alternate_user: str = "",
    ) -> TracedHandle:
        where = f"{queue} on {queue_manager}" if queue_manager else queue
        call = _call("MQOPEN", where, options, "MQOO_")
        if selector:
            call = f"{call} selector {selector}"
        if alternate_user:
            call = f"{call} as user {alternate_user}"
        with _told(self._tell, call):
            handle = self.inner.open(queue, options, queue_manager, selector, alternate_user)
            return TracedHandle(handle, self._tell)

    def put1(self, queue: str, md: MQMD, body: bytes, options: int = 0) -> MQMD:
        with _told(self._tell, _call("MQPUT1", queue, options, "MQPMO_")) as more:
            stored: MQMD = self.inner.put1(queue, md, body, options)
            more += [f"{len(body)} bytes", f"MsgId {stored.msg_id.hex().upper()}"]
        return stored

    def put_delayed(
        self, queue: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
    ) -> MQMD:
        with _told(self._tell, f"send {queue} delay {delay_ms} ms") as more:
            stored: MQMD = self.inner.put_delayed(queue, md, body, delay_ms, options)
            more += [f"{len(body)} bytes", f"MsgId {stored.msg_id.hex().upper()}"]
        return stored

    def commit(self) -> None:
        with _told(self._tell, "MQCMIT"):
            self.inner.commit()

    def backout(self) -> None:
        with _told(self._tell, "MQBACK"):
            self.inner.backout()

    def disconnect(self) -> None:
        with _told(self._tell, "MQDISC"):
            self.inner.disconnect()

    def queue_manager_attributes(self) -> Mapping[str, AttributeValue]:
        with _told(self._tell, "INQUIRE QMGR"):
            found: Mapping[str, AttributeValue] = self.inner.queue_manager_attributes()
        return found

    def queue(self, name: str) -> Any:
        with _told(self._tell, f"INQUIRE QUEUE {name}"):
            return self.inner.queue(name)

    def queues(self, pattern: str = "*") -> Any:
        with _told(self._tell, f"INQUIRE QUEUE {pattern}"):
            return self.inner.queues(pattern)

    def status(self, name: str) -> Any:
        with _told(self._tell, f"INQUIRE QSTATUS {name}"):
            return self.inner.status(name)

    def define(self, kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> None:
        with _told(self._tell, f"DEFINE {kind}({name}) {' '.join(attributes)}".rstrip()):
            self.inner.define(kind, name, attributes)

    def alter(self, kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> None:
        with _told(self._tell, f"ALTER {kind}({name}) {' '.join(attributes)}".rstrip()):
            self.inner.alter(kind, name, attributes)

    def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        with _told(self._tell, f"DELETE {kind}({name}){' PURGE' if purge else ''}"):
            self.inner.delete(kind, name, purge=purge)
