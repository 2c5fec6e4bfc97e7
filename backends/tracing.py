"""A wrapper that prints each call with its completion and reason: what `--verbose` shows.

Message data never gets into a line, nor the values of MQSC, which may be passwords: lengths,
names, ids and numbers do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from mqtriage.backends import port
from mqtriage.backends.forwarding import Forwarding, ReadingHandle
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, MQTriageError, reason_name
from mqtriage.mq.message import Message
from mqtriage.mq.mqsc.reply import CommandEnding
from mqtriage.mq.name_table import family

if TYPE_CHECKING:  # what runs no MQSC starts without it
    from mqtriage.mq.mqsc.reply import Reply
    from mqtriage.mq.mqsc.tree import Command, Script

Print = Callable[[str], None]

_OK: Final = "MQCC_OK"
_NO_MESSAGE: Final = "MQCC_FAILED MQRC_NO_MSG_AVAILABLE (2033)"


@contextmanager
def _traced(print_line: Print, call: str) -> Iterator[list[str]]:
    """Print *call* once it has ended, with how: the list that the body adds to, or an error."""
    outcome = [_OK]
    try:
        yield outcome
    except MQIError as error:
        severity = "MQCC_WARNING" if error.comp_code == cmqc.MQCC_WARNING else "MQCC_FAILED"
        print_line(f"{call}: {severity} {reason_name(error.reason)} ({error.reason})")
        raise
    except MQTriageError as error:
        print_line(f"{call}: {type(error).__name__}")
        raise
    print_line(f"{call}: {', '.join(outcome)}")


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


def _definition_call(verb: str, kind: str, name: str, attributes: Mapping[str, Any]) -> str:
    return f"{verb} {kind}({name}) {' '.join(attributes)}".rstrip()


def _command_call(command: Command) -> str:
    # no further words: one that is not a keyword may be anything, also a password
    name = f"({command.name.text})" if command.name is not None else ""
    return f"MQSC {command.verb} {command.noun}{name}".rstrip()


def _completion(reply: Reply) -> str:
    if reply.ending is CommandEnding.DONE:
        return _OK
    if reply.reason:
        return f"MQCC_FAILED {reason_name(reply.reason)} ({reply.reason})"
    return f"MQCC_FAILED {reply.ending}"


def _details(length_bytes: int, md: MQMD) -> list[str]:
    return [f"{length_bytes} bytes", f"MsgId {md.msg_id.hex().upper()}"]


def _put(
    print_line: Print, call: str, body: bytes, inner: Callable[..., MQMD], *given: Any
) -> MQMD:
    with _traced(print_line, call) as outcome:
        stored = inner(*given)
        outcome += _details(len(body), stored)
    return stored


class TracedHandle(ReadingHandle):
    """`QueueHandle` over another one; each call is printed."""

    def __init__(self, inner: port.QueueHandle, print_line: Print) -> None:
        super().__init__(inner)
        self._print = print_line

    def get(self, options: int = 0, match: port.Match = port.ANY, **named: Any) -> Message:
        with _traced(self._print, _call("MQGET", self.name, options, "MQGMO_")) as outcome:
            message = self._inner.get(options, match, **named)
            outcome += _details(message.length_bytes, message.md)
        return message

    def browse(
        self, match: port.Match = port.ANY, *, max_length: int | None = None
    ) -> Iterator[Message]:
        call = f"MQGET {self.name} MQGMO_BROWSE_NEXT"
        for message in self._inner.browse(match, max_length=max_length):
            self._print(", ".join([f"{call}: {_OK}", *_details(message.length_bytes, message.md)]))
            yield message
        self._print(f"{call}: {_NO_MESSAGE}")

    def put(self, md: MQMD, body: bytes, options: int = 0, context: object = None) -> MQMD:
        call = _call("MQPUT", self.name, options, "MQPMO_")
        return _put(self._print, call, body, self._inner.put, md, body, options, context)

    def close(self) -> None:
        with _traced(self._print, f"MQCLOSE {self.name}"):
            self._inner.close()


class TracedBackend(Forwarding):
    """`Backend` over another one; each call that goes to the queue manager is printed."""

    def __init__(self, inner: port.Backend, print_line: Print) -> None:
        super().__init__(inner)
        self._print = print_line
        print_line(f"MQCONN {inner.queue_manager}: {_OK}")

    def open(self, queue: str, options: int, **named: str) -> TracedHandle:
        where = f"{queue} on {named['queue_manager']}" if named.get("queue_manager") else queue
        call = _call("MQOPEN", where, options, "MQOO_")
        if named.get("selector"):
            call = f"{call} selector {named['selector']}"
        if named.get("alternate_user"):
            call = f"{call} as user {named['alternate_user']}"
        with _traced(self._print, call):
            return TracedHandle(self._inner.open(queue, options, **named), self._print)

    def put1(self, queue: str, md: MQMD, body: bytes, options: int = 0) -> MQMD:
        call = _call("MQPUT1", queue, options, "MQPMO_")
        return _put(self._print, call, body, self._inner.put1, queue, md, body, options)

    def put_delayed(
        self, queue: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
    ) -> MQMD:
        call = f"send {queue} delay {delay_ms} ms"
        inner = self._inner.put_delayed
        return _put(self._print, call, body, inner, queue, md, body, delay_ms, options)

    def commit(self) -> None:
        with _traced(self._print, "MQCMIT"):
            self._inner.commit()

    def backout(self) -> None:
        with _traced(self._print, "MQBACK"):
            self._inner.backout()

    def disconnect(self) -> None:
        with _traced(self._print, "MQDISC"):
            self._inner.disconnect()

    def inquired_name(self) -> str:
        with _traced(self._print, "MQINQ QMGR"):
            return self._inner.inquired_name()

    def queue_manager_attributes(self) -> Mapping[str, port.AttributeValue]:
        with _traced(self._print, "INQUIRE QMGR"):
            return self._inner.queue_manager_attributes()

    def queues(self, pattern: str = "*") -> Iterator[port.ObjectDefinition]:
        with _traced(self._print, f"INQUIRE QUEUE {pattern}"):
            return self._inner.queues(pattern)

    def queue(self, name: str) -> port.ObjectDefinition:
        with _traced(self._print, f"INQUIRE QUEUE {name}"):
            return self._inner.queue(name)

    def status(self, name: str) -> port.QueueStatus:
        with _traced(self._print, f"INQUIRE QSTATUS {name}"):
            return self._inner.status(name)

    def define(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        with _traced(self._print, _definition_call("DEFINE", kind, name, attributes)):
            self._inner.define(kind, name, attributes)

    def alter(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        with _traced(self._print, _definition_call("ALTER", kind, name, attributes)):
            self._inner.alter(kind, name, attributes)

    def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        with _traced(self._print, f"DELETE {kind}({name}){' PURGE' if purge else ''}"):
            self._inner.delete(kind, name, purge=purge)

    def run_mqsc(self, script: Script, command: Command, wait_ms: int | None = None) -> Reply:
        with _traced(self._print, _command_call(command)) as outcome:
            reply = self._inner.run_mqsc(script, command, wait_ms)
            outcome[:] = [_completion(reply)]
        return reply
