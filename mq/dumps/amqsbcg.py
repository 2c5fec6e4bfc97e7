"""The output of the sample program amqsbcg, read back to descriptors and message data.

Releases differ in blanks, in `length - 5 bytes` or `length - 5 of 5 bytes`, and in what stands
after `MQGET of message number 1`; logs and mails have text around it. Labels are looked for, and
everything else between the messages is passed over. A message is whole when every field of its
descriptor and as many bytes as announced are there.

Source: recordings in the corpus of this project, written by releases from 2003 to 2023.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mqtriage.mq.descriptor import MQMD, described_fields
from mqtriage.mq.dumps.entry import Damaged, Entry, EntryOrDamage, text_of

_LONGEST: Final = 500
"""Bytes of a line of a descriptor; longer ones are something else, and dear to search."""
_BEGIN: Final = re.compile(rb"\s*MQGET of message number\s+(\d{1,9})")
_END: Final = re.compile(rb"\s*(No more messages|MQCLOSE\b|MQDISC\b)")
_LENGTH: Final = re.compile(rb"\s*length - (?:\d{1,9} of )?(\d{1,9}) bytes")
_ROW: Final = re.compile(rb"\s*([0-9A-Fa-f]{8}):([^']*)(?:'|$)")


def _labels(kind: str) -> dict[bytes, str]:
    fields = described_fields().items()
    return {item.name.encode(): name for name, item in fields if item.kind == kind}


_NUMBERS: Final = {b"Version": "version"} | _labels("i")
_CHARACTERS: Final = _labels("c")
_IDS: Final = _labels("b")
"""Labels, which are the names of the fields of an MQMD, to those of our record."""
_VERSION_2: Final = frozenset(
    name for name, item in described_fields().items() if item.version == 2
)
_KNOWN: Final = (*_NUMBERS.values(), *_CHARACTERS.values(), *_IDS.values())
_NUMBER: Final = re.compile(rb"(\w+)\s*:\s*'?(-?\d{1,10})'?(?=\s|$)")
_QUOTED: Final = re.compile(rb"\s*(\w+)\s*:\s*'(.*)'\s*$")
_TIMES: Final = re.compile(rb"\s*PutDate\s*:\s*'(.{8})'\s*PutTime\s*:\s*'(.{8})'")
_ID: Final = re.compile(rb"\s*(?:(\w+)\s*:\s*)?X'([^']*)'")
_TOKEN_LABEL: Final = re.compile(rb"\s*AccountingToken\s*:\s*$")


def begins_message(line: bytes) -> bool:
    """Whether amqsbcg says with *line* that a message follows."""
    return _BEGIN.match(line) is not None


def read(numbered: Iterable[tuple[int, bytes]]) -> Iterator[EntryOrDamage]:
    """Yield the messages of numbered lines, the first of which begins one."""
    message: _Message | None = None
    for number, line in numbered:
        begin = _BEGIN.match(line)
        if begin is not None or _END.match(line):
            if message is not None:
                yield message.finished()
            message = None if begin is None else _Message(number, int(begin.group(1)))
        elif message is not None:
            message.take(number, line)
    if message is not None:
        yield message.finished()


class _Message:
    """The lines of one message."""

    def __init__(self, line: int, number: int) -> None:
        self._line = line
        self._number = number
        self._fields: dict[str, int | str | bytes] = {}
        self._length: int | None = None
        self._body = bytearray()
        self._damage: tuple[int, str] | None = None
        self._label = b""

    def take(self, number: int, line: bytes) -> None:
        if self._length is None:
            length = _LENGTH.match(line)
            if length is not None:
                self._length = int(length.group(1))
            elif len(line) <= _LONGEST:
                self._descriptor(line)
            return
        row = _ROW.match(line)
        if row is None or self._damage is not None:
            return
        problem = self._row(int(row.group(1), 16), b"".join(row.group(2).split()))
        if problem:
            self._damage = (number, f"message {self._number}: {problem}")

    def _row(self, offset: int, digits: bytes) -> str:
        if offset != len(self._body):
            return f"data at offset {offset:08X}, {len(self._body):08X} is expected"
        if len(digits) > 32:
            return f"{len(digits)} digits, a row has at most 32"
        try:
            self._body += bytes.fromhex(digits.decode("ascii"))
        except ValueError:
            return f"the row at offset {offset:08X} is not hexadecimal"
        return ""

    def _descriptor(self, line: bytes) -> None:
        times = _TIMES.match(line)
        if times is not None:
            self._fields["put_date"], self._fields["put_time"] = map(text_of, times.groups())
            return
        match = _ID.match(line)
        if match is not None:
            self._id(match.group(1) or self._label, match.group(2))
            return
        self._label = b"AccountingToken" if _TOKEN_LABEL.match(line) else b""
        quoted = _QUOTED.match(line)
        if quoted is not None and quoted.group(1) in _CHARACTERS:
            self._fields[_CHARACTERS[quoted.group(1)]] = text_of(quoted.group(2)).rstrip(" \0")
            return
        for label, digits in _NUMBER.findall(line):
            if label in _NUMBERS and -(2**31) <= int(digits) < 2**31:
                self._fields[_NUMBERS[label]] = int(digits)

    def _id(self, label: bytes, digits: bytes) -> None:
        field = _IDS.get(label)
        try:
            data = bytes.fromhex(digits.decode("ascii"))
        except ValueError:
            return
        if field is not None and len(data) == described_fields()[field].length:
            self._fields[field] = data

    def finished(self) -> EntryOrDamage:
        """The message, or why it is none that could be put again."""
        body = bytes(self._body)
        if self._damage is not None:
            return Damaged(*self._damage, body)
        old = self._fields.get("version") == 1
        lacking = [
            field
            for field in _KNOWN
            if field not in self._fields and not (old and field in _VERSION_2)
        ]
        what = f"message {self._number} is incomplete"
        if self._length is None:
            return Damaged(self._line, f"{what}: its data is missing", body)
        if len(body) != self._length:
            return Damaged(self._line, f"{what}: {len(body)} of {self._length} bytes", body)
        if lacking:
            names = ", ".join(lacking[:3]) + (" ..." if len(lacking) > 3 else "")
            return Damaged(self._line, f"{what}: the descriptor lacks {names}", body)
        return Entry(self._line, MQMD(**self._fields), body)  # type: ignore[arg-type]
