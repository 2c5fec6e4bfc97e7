"""One message as a filter sees it: what costs time is worked out when it is first asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mqtriage.messages.body_path import (
    begins_like_xml,
    json_reader,
    json_values,
    parse_json,
    xml_value,
    xml_values,
)
from mqtriage.messages.damage import damage_of
from mqtriage.messages.decoded import (
    body_text,
    chain_of,
    dead_letter_header,
    sender_correl_id,
    target_and_due,
)
from mqtriage.mq import cmqc
from mqtriage.mq.due_time import UNDOCUMENTED, DueReading
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_time_us

if TYPE_CHECKING:
    from mqtriage.messages.decoded import StagedFacts
    from mqtriage.mq.headers.chain import Chain
    from mqtriage.mq.headers.dlh import DLH

_UNREAD: Final = object()
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Control characters other than tab and line ends: data with them is not text to read."""


Decode: TypeAlias = Callable[[Message], Any]
"""From a message to what has the properties of `DecodedHeaders`."""


class Subject:
    """A message together with the ways to read it.

    Args:
        decode: reads the headers; called at most once, and only when a field asks. By default
            `DecodedHeaders`, as on a real queue manager.
    """

    __slots__ = ("_decode", "_headers", "_json", "_put_us", "md", "message")

    def __init__(self, message: Message, decode: Decode | None = None) -> None:
        self.message = message
        self.md = message.md
        self._decode = decode
        self._headers: DecodedHeaders | None = None
        self._put_us: Any = _UNREAD
        self._json: Any = _UNREAD

    @property
    def headers(self) -> DecodedHeaders:
        """The decoded headers."""
        if self._headers is None:
            self._headers = (self._decode or DecodedHeaders)(self.message)
        return self._headers

    @property
    def put_time_us(self) -> int | None:
        """PutDate and PutTime; None when they hold no time."""
        if self._put_us is _UNREAD:
            self._put_us = put_time_us(self.md.put_date, self.md.put_time)
        return self._put_us  # type: ignore[no-any-return]

    @property
    def expiry_tenths(self) -> int | None:
        """The lifetime left; None when unlimited."""
        tenths = self.md.expiry_tenths
        return None if tenths == cmqc.MQEI_UNLIMITED else tenths

    @property
    def delay_ms(self) -> int | None:
        """The delay asked for; where that is not known, due time less put time."""
        known: int | None = self.headers.delay_ms
        due_us: int | None = self.headers.due_time_us
        put_us = self.put_time_us
        if known is not None or due_us is None or put_us is None:
            return known
        return (due_us - put_us) // 1_000

    @property
    def payload(self) -> bytes:
        """The message data behind all headers."""
        return self.headers.payload

    @property
    def body_text(self) -> str | None:
        """The payload as text; None when it is not text."""
        return self.headers.body_text

    @property
    def body_digest(self) -> str | None:
        """SHA-256 of the payload in lower-case hex; None where only its first part is in hand."""
        from hashlib import sha256

        return None if self.is_cut else sha256(self.payload).hexdigest()

    @property
    def body_kind(self) -> str | None:
        """What the payload looks like: json, xml, text, binary or empty; None where it is cut."""
        if self.is_cut:
            return None
        if not self.payload:
            return "empty"
        text = self.body_text
        if text is None or _CONTROL.search(text):
            return "binary"
        if begins_like_xml(text):
            return "xml"
        return "json" if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") else "text"

    @property
    def is_cut(self) -> bool:
        """Whether only the first part of the message data is in hand."""
        return len(self.message.body) < self.message.length_bytes

    def property_value(self, name: str) -> Any:
        """The message property, or None."""
        return self.headers.properties.get(name)

    def body_value(self, path: str) -> Any:
        """The value at a JSON or XML path in the body, or None."""
        text = self.body_text
        if text is None:
            return None
        if path.startswith("/"):
            return xml_value(text, path)
        return json_reader(path)(self._json_document(text))

    def body_values(self, most: int) -> Iterator[tuple[str, Any]]:
        """The first *most* single values in a JSON or XML body, each with its path."""
        text = self.body_text
        if text is None:
            return iter(())
        if begins_like_xml(text):
            return xml_values(text, most)
        return islice(json_values(self._json_document(text)), most)

    def _json_document(self, text: str) -> Any:
        if self._json is _UNREAD:
            self._json = parse_json(text)
        return self._json


def _part_of(facts: str, name: str) -> Any:
    """A property of `DecodedHeaders` that one of its facts has."""
    return property(lambda headers: getattr(getattr(headers, facts), name, None))


class DecodedHeaders:
    """The headers of a message, read by `messages.decoded`; each part when first asked for.

    Args:
        reading: how due times are read; None is as nothing documents them.
    """

    def __init__(self, message: Message, reading: DueReading | None = None) -> None:
        self.message = message
        self._reading = reading

    @cached_property
    def _chain(self) -> Chain:
        return chain_of(self.message)

    @cached_property
    def _staged(self) -> StagedFacts | None:
        return target_and_due(self.message, self._reading or UNDOCUMENTED)

    @cached_property
    def _dead(self) -> DLH | None:
        return dead_letter_header(self.message)

    @cached_property
    def properties(self) -> Mapping[str, Any]:
        """Properties from a message handle and in MQRFH2 headers; the first of a name counts."""
        from mqtriage.mq.headers.rfh2 import properties

        values = properties(header.record for header in self._chain.headers)
        for property_ in reversed(self.message.properties):
            values[property_.name] = property_.value
        return values

    @property
    def original_msg_id(self) -> bytes | None:
        """Of a staged message: the MsgId that it was put with, which is its CorrelId."""
        return self.message.md.correl_id if self._staged is not None else None

    @property
    def sender_correl_id(self) -> bytes | None:
        """Of a staged message: the CorrelId that it was put with."""
        staged = self._staged
        return None if staged is None else sender_correl_id(self.message.body, staged.header)

    @property
    def dest(self) -> str | None:
        """The destination in the dead-letter header, or the target of a staged message."""
        return self.target if self._dead is None else self._dead.dest_q_name

    @property
    def dest_qmgr(self) -> str | None:
        """The queue manager of that."""
        return self.target_qmgr if self._dead is None else self._dead.dest_q_mgr_name

    @property
    def dlq_format(self) -> str:
        """Format of the data behind the dead-letter header, or behind the descriptor."""
        return (self._dead or self.message.md).format

    @property
    def dlq_put_time_us(self) -> int | None:
        """When it was put here, by the dead-letter header, or by the descriptor."""
        put = self._dead or self.message.md
        return put_time_us(put.put_date, put.put_time)

    # of a staged message, or of the dead-letter header; None where there is none
    target: str | None = _part_of("_staged", "target")
    target_qmgr: str | None = _part_of("_staged", "target_queue_manager")
    due_time_us = _part_of("_staged", "due_time_us")
    delay_ms = _part_of("_staged", "delay_ms")
    reason = _part_of("_dead", "reason")
    dlq_put_appl = _part_of("_dead", "put_appl_name")

    @cached_property
    def damage(self) -> str | None:
        """What is wrong with headers or body; None where nothing is."""
        return damage_of(self.message, self._chain, self.body_text)

    @property
    def payload(self) -> bytes:
        """The message data behind all headers."""
        return self._chain.body(self.message.body)

    @cached_property
    def body_text(self) -> str | None:
        """The payload in its CCSID, in UTF-8 where that names none; None when it is not text."""
        return body_text(self.payload, self._chain.ccsid, self._chain.encoding)
