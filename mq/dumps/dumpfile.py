"""Message dump files as text: what dmpmqmsg (qload) writes and reads, and what amqsbcg prints.

A dmpmqmsg file is a line `* QLOAD` or `* DMPMQMSG` and then messages: `A kkk value` lines for the
MQMD (or one `N` line: the MQI's initial values), then lines of message data in any mix:

    X 0A00FF        hexadecimal; what follows the digits is not looked at
    S "text"        characters; ~" and ~~ stand for " and ~
    T text          a line of text and a newline

What this module writes reads back to the same descriptor and the same bytes. A file with T lines
is not byte-exact: whoever wrote it lost whether the last line ended with a newline, and which.

The format has no length, so a file that was cut between two data lines cannot be told from a
whole one. The writer here adds the comment `* Length n`, which IBM's tool skips. A message of
another length was cut, unless the empty line that both tools write after a message is there: then
somebody edited its data.

Source: IBM MQ documentation, "dmpmqmsg (queue load and unload)", and the source of qload, whose
reader wants that first line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from mqtriage.mq.descriptor import MQMD, described_fields
from mqtriage.mq.dumps import amqsbcg
from mqtriage.mq.dumps.entry import Damaged, Entry, EntryOrDamage, text_of
from mqtriage.records import NamedTuple

LINE_BYTES: Final = 25
"""Bytes of message data on an X line, as qload writes them."""
LINE_CHARACTERS: Final = 48
"""Characters between the quotes of an S line, escapes among them."""

_FIRST: Final = (b"* QLOAD", b"* DMPMQMSG")
_EMPTY: Final = MQMD(version=1)
"""MQMD_DEFAULT of the C headers is version 1; a VER line says otherwise."""


class _Key(NamedTuple):
    """One key of the A lines: field of MQMD, its kind, and its length in bytes."""

    field: str
    kind: str
    length_bytes: int = 4


_CODES: Final = (
    "RPT", "MST", "EXP", "FDB", "ENC", "CCS", "FMT", "PRI", "PER", "MSI", "COI", "BOC", "RTQ",
    "RTM", "USR", "ACC", "AIX", "PAT", "PAN", "PTD", "PTT", "AOX", "GRP", "MSQ", "OFF", "MSF",
    "ORL",
)  # fmt: skip
"""Of the fields of an MQMD behind Version, in their order."""
_KINDS: Final = {"AIX": "hex", "AOX": "hex", "PTD": "time", "PTT": "time"}
_KIND_OF_LETTER: Final = {"i": "long", "c": "char", "b": "byte"}
_KEYS: Final = {"VER": _Key("version", "long")} | {
    code: _Key(name, _KINDS.get(code, _KIND_OF_LETTER[item.kind]), item.length)
    for code, (name, item) in zip(_CODES, described_fields().items(), strict=True)
}
_VERSION_2: Final = frozenset({"GRP", "MSQ", "OFF", "MSF", "ORL"})
_AS_TEXT: Final = {
    "AID": _Key("appl_identity_data", "char", 32),
    "AOD": _Key("appl_origin_data", "char", 4),
}
"""Keys of `dmpmqmsg -dc`: read, never written."""

_ESCAPED: Final = re.compile(rb'~(["~])')
_TEXT_RUN: Final = re.compile(rb"[ -~]{4,}")
_HEX: Final = re.compile(rb"[0-9A-Fa-f]*")


# reading ------------------------------------------------------------------------------------------


def begins(line: bytes) -> bool:
    """Whether *line* is the first one of a file of dmpmqmsg."""
    return line.removeprefix(b"\xef\xbb\xbf").upper().startswith(_FIRST)


def read(lines: Iterable[bytes]) -> Iterator[EntryOrDamage]:
    """Yield the messages of a dump as they are read; memory holds one of them.

    Never raises on what a file holds: what cannot be read is `Damaged`, and reading goes on with
    the next message.

    Args:
        lines: of the file, with or without their ends.
    """
    numbered = enumerate((line.rstrip(b"\r\n") for line in lines), start=1)
    before: list[tuple[int, bytes]] = []
    for number, line in numbered:
        if not before and not line.strip():
            continue
        if not before and begins(line):
            yield from _Reader().read(numbered)
            return
        before.append((number, line))
        if amqsbcg.begins_message(line):
            yield from amqsbcg.read(chain(before[-1:], numbered))
            return
        del before[1:]
    yield Damaged(
        before[0][0] if before else 1,
        "not a dump of messages: neither a line '* QLOAD' or '* DMPMQMSG' first, nor a line "
        "'MQGET of message number' as amqsbcg prints it",
    )


class _Reader:
    """Collects the lines of one message after the other."""

    def __init__(self) -> None:
        self._length: int | None = None
        self._start(0, bare=False)
        self._open = False

    def _start(self, line: int, *, bare: bool) -> None:
        self._line = line
        self._bare = bare
        self._open = True
        self._fields: dict[str, int | str | bytes] = {}
        self._body = bytearray()
        self._has_body = False
        self._text_lines = False
        self._closed = False
        self._damage: tuple[int, str] | None = None

    def read(self, numbered: Iterator[tuple[int, bytes]]) -> Iterator[EntryOrDamage]:
        for number, line in numbered:
            kind, rest = line[:1], line[2:]
            if not line.strip():
                self._closed = True
                continue
            if kind in b"AN" and self._open and (self._has_body or kind == b"N" or self._bare):
                yield self._finished()
            if kind == b"*":
                has_length = line.startswith(b"* Length ") and rest[7:].strip().isdigit()
                if self._open and (has_length or line.upper().startswith(_FIRST)):
                    yield self._finished()
                if has_length:
                    self._length = int(rest[7:].strip()[:18])
                continue
            if not self._open:
                self._start(number, bare=kind == b"N")
            self._take(number, kind, line, rest)
        if self._open:
            yield self._finished()

    def _take(self, number: int, kind: bytes, line: bytes, rest: bytes) -> None:
        problem = ""
        self._closed = False
        if kind in b"NAXST" and line[1:2] not in (b"", b" "):
            kind = b"?"
        if kind == b"A":
            problem = self._attribute(line)
        elif kind == b"X":
            problem = self._hex(rest)
        elif kind == b"S":
            problem = self._characters(rest)
        elif kind == b"T":
            self._body += rest + b"\n"
            self._text_lines = True
        elif kind != b"N":
            problem = f"no line of a dump begins with {line[:20].decode('latin-1')!r}"
        self._has_body = self._has_body or kind in b"XST"
        if problem and self._damage is None:
            self._damage = (number, problem)

    def _attribute(self, line: bytes) -> str:
        name = line[2:5].decode("latin-1").upper()
        key = _KEYS.get(name) or _AS_TEXT.get(name)
        if key is None or line[5:6] not in (b"", b" "):
            return f"{line[:20].decode('latin-1')!r}: no attribute of a message descriptor"
        value = line[6:]
        if not value.strip(b" ") and key.kind != "time":
            return ""
        read_value, problem = _value(key, value)
        if problem:
            return f"{name}: {problem}"
        self._fields[key.field] = read_value
        if name in _VERSION_2:
            self._fields.setdefault("version", 2)
        return ""

    def _hex(self, rest: bytes) -> str:
        match = _HEX.match(rest)
        digits = match.group() if match else b""
        if not digits and rest.strip():
            return f"X: {rest[:20].decode('latin-1')!r} is not hexadecimal"
        if len(digits) % 2:
            return f"X: an odd number of digits, {len(digits)}"
        self._body += bytes.fromhex(digits.decode("ascii"))
        return ""

    def _characters(self, rest: bytes) -> str:
        if not rest.startswith(b'"'):
            self._body += _ESCAPED.sub(rb"\1", rest)
            return ""
        inner = rest.rstrip(b" ")[1:-1]
        if len(rest.rstrip(b" ")) < 2 or not rest.rstrip(b" ").endswith(b'"'):
            return 'S: no " at the end'
        unescaped = _ESCAPED.sub(b"", inner)
        if b'"' in unescaped or b"~" in unescaped:
            return 'S: " and ~ are written ~" and ~~'
        self._body += _ESCAPED.sub(rb"\1", inner)
        return ""

    def _finished(self) -> EntryOrDamage:
        self._open = False
        length, self._length = self._length, None
        body = bytes(self._body)
        if self._damage is not None:
            return Damaged(*self._damage, body)
        if not self._has_body and length != 0:
            return Damaged(self._line, "the message has no data line (X, S or T)", body)
        noted = None if length == len(body) else length
        if noted is not None and not self._closed:
            text = f"{len(body)} bytes of message data, the comment says * Length {noted}"
            return Damaged(self._line, f"{text}; no empty line follows", body)
        md = _EMPTY._replace(**self._fields)  # type: ignore[arg-type]
        if md.version not in (1, 2):
            return Damaged(self._line, f"VER {md.version}: an MQMD has version 1 or 2", body)
        return Entry(self._line, md, body, self._text_lines, noted)


def _value(key: _Key, value: bytes) -> tuple[int | str | bytes, str]:
    """The value of an A line and "", or anything and what is wrong."""
    if key.kind == "long":
        return _long(value)
    data = value
    if key.kind in ("byte", "hex"):
        try:
            data = bytes.fromhex(value.decode("ascii"))
        except ValueError:
            return b"", f"{value[:20].decode('latin-1')!r} is not hexadecimal"
    if key.kind == "byte":
        if len(data) != key.length_bytes:
            return b"", f"{len(data)} bytes, the field has {key.length_bytes}"
        return data, ""
    kept = text_of(data) if key.kind == "time" else text_of(data).rstrip(" \0")
    if len(kept) > key.length_bytes:
        return "", f"{len(kept)} characters, the field has {key.length_bytes}"
    return kept, ""


def _long(value: bytes) -> tuple[int, str]:
    digits = value.strip()
    if not re.fullmatch(rb"[-+]?[0-9]{1,10}", digits):
        return 0, f"{digits[:20].decode('latin-1')!r} is not a number"
    number = int(digits)
    if not -(2**31) <= number < 2**31:
        return 0, f"{number} does not fit in 32 bits"
    return number, ""


# writing ------------------------------------------------------------------------------------------


def header(created: str, queue_manager: str, queue: str) -> str:
    """The lines before the first message, with their ends.

    Args:
        created: as C's ctime has it: ``Mon Jan  5 10:20:30 2026``.
    """
    return (
        f"* QLOAD Version:8.0 Created:{created}\n* Qmgr  = {queue_manager}\n* Queue = {queue}\n\n"
    )


def entry(index: int, md: MQMD, body: bytes, *, text: bool = False) -> str:
    """The lines of one message, with their ends and an empty line after them.

    Args:
        index: number of the message in the file, from 1.
        md: line ends in its fields (`with_line_ends`) become blanks.
        text: write printable runs of the data on S lines instead of in hexadecimal.
    """
    lines = [f"* Index {index}", f"* Length {len(body)}"]
    for name, key in _KEYS.items():
        if md.version >= 2 or not (name == "VER" or name in _VERSION_2):
            lines.append(f"A {name} {_text(key, getattr(md, key.field))}")
    data = _mixed(body) if text else _hex_lines(body)
    lines += data or ["X "]
    return "\n".join(lines) + "\n\n"


def with_line_ends(md: MQMD) -> tuple[str, ...]:
    """The fields that an A line cannot hold as they are."""
    return tuple(
        key.field
        for key in _KEYS.values()
        if key.kind in ("char", "time")
        and ("\n" in getattr(md, key.field) or "\r" in getattr(md, key.field))
    )


def _text(key: _Key, value: int | str | bytes) -> str:
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, int):
        return str(value)
    if key.kind == "hex":
        return value.encode().ljust(key.length_bytes, b" ").hex().upper()
    return value.replace("\n", " ").replace("\r", " ")


def _hex_lines(body: bytes) -> list[str]:
    return [
        f"X {body[at : at + LINE_BYTES].hex().upper()}" for at in range(0, len(body), LINE_BYTES)
    ]


def _mixed(body: bytes) -> list[str]:
    """S lines of at most 48 characters for printable runs, X lines for the rest."""
    lines: list[str] = []
    end = 0
    for run in _TEXT_RUN.finditer(body):
        lines += _hex_lines(body[end : run.start()])
        lines += _text_lines(run.group().decode("ascii"))
        end = run.end()
    return lines + _hex_lines(body[end:])


def _text_lines(text: str) -> list[str]:
    """Half as many characters a line where escapes could make twice as many of them."""
    width = LINE_CHARACTERS // 2 if '"' in text or "~" in text else LINE_CHARACTERS
    chunks = (text[at : at + width] for at in range(0, len(text), width))
    escaped = (chunk.replace("~", "~~").replace('"', '~"') for chunk in chunks)
    return [f'S "{chunk}"' for chunk in escaped]
