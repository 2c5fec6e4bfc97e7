"""What MQINQ says of one object: less than the command server, and with less authority.

Needs authority to inquire, on that object alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from mqtriage.backends import port
from mqtriage.backends.client.connection import ClientConnection, text_of
from mqtriage.backends.client.definitions import KINDS
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.catalogue import Attribute, attributes_of, from_number
from mqtriage.mq.errors import MQIError, ObjectNotFound, mqi_error

_STATUS: Final = (
    cmqc.MQIA_CURRENT_Q_DEPTH,
    cmqc.MQIA_OPEN_INPUT_COUNT,
    cmqc.MQIA_OPEN_OUTPUT_COUNT,
)
_SELECTORS: Final = range(1, 4001)
"""MQIA_* and MQCA_*; what lies beyond is known to the command server alone."""

_NOT_HERE: Final = frozenset(
    (cmqc.MQRC_SELECTOR_ERROR, cmqc.MQRC_SELECTOR_NOT_FOR_TYPE, cmqc.MQRC_CHAR_ATTRS_TOO_SHORT)
)


class Inquiry:
    """MQINQ, one attribute a call: that is what pymqi offers."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    def queue(self, name: str) -> port.ObjectDefinition:
        """The attributes of one queue."""
        doing = f"inquire {name}"
        with self._opened(name) as theirs:
            kind = KINDS.get(int(self._value(theirs, cmqc.MQIA_Q_TYPE, doing, name) or 0))
            if kind is None:
                raise mqi_error(cmqc.MQRC_Q_TYPE_ERROR, doing, object_name=name)
            attributes: dict[str, port.AttributeValue] = {}
            for entry in attributes_of(kind, self._connection.platform()):
                if entry.selector in _SELECTORS and entry.keyword not in port.STATUS_ATTRIBUTES:
                    value = self._value(theirs, entry.selector, doing, name)
                    if value is not None:
                        attributes[entry.keyword] = _in_our_words(entry, value)
            return port.ObjectDefinition(name, kind, attributes)

    def queues(self, name: str) -> Iterator[port.ObjectDefinition]:
        """The queue of that name, where there is one."""
        with suppress(ObjectNotFound):
            yield self.queue(name)

    def queue_manager(self) -> dict[str, port.AttributeValue]:
        """The attributes of the queue manager."""
        attributes: dict[str, port.AttributeValue] = {}
        for entry in attributes_of("QMGR", self._connection.platform()):
            if entry.selector not in _SELECTORS:
                continue
            try:
                value = self._connection.inquire(entry.selector)
            except MQIError as error:
                if error.reason not in _NOT_HERE:
                    raise
                continue
            attributes[entry.keyword] = _in_our_words(entry, value)
        return attributes

    def status(self, name: str) -> port.QueueStatus:
        """Depth and handles of a local queue; times are not known here."""
        doing = f"status of {name}"
        with self._opened(name) as theirs:
            depth, inputs, outputs = (
                self._value(theirs, selector, doing, name) for selector in _STATUS
            )
        if depth is None:
            raise mqi_error(cmqc.MQRC_Q_TYPE_ERROR, doing, object_name=name)
        return port.QueueStatus(
            name, int(depth), 0, int(inputs or 0), int(outputs or 0), None, None, None
        )

    @contextmanager
    def _opened(self, name: str) -> Iterator[Any]:
        theirs, _ = self._connection.open(name, cmqc.MQOO_INQUIRE)
        try:
            yield theirs
        finally:
            with self._connection.mapped(f"close {name}", name):
                theirs.close()

    def _value(self, theirs: Any, selector: int, doing: str, name: str) -> int | str | None:
        """One attribute; None where this kind of queue or this level of MQ does not have it."""
        try:
            with self._connection.mapped(doing, name):
                value = theirs.inquire(selector)
        except MQIError as error:
            if error.reason in _NOT_HERE:
                return None
            raise
        return value if isinstance(value, int) else text_of(value)


def _in_our_words(entry: Attribute, value: int | str) -> port.AttributeValue:
    return from_number(entry, value) if isinstance(value, int) else value
