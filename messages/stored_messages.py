"""Messages out of NDJSON: an archive of ours, or the output of `msg browse -o ndjson`.

An archive line has the descriptor and the data as they were, and a digest of the data. A line of
a listing has them decoded: a message is made again from it when that gives the very bytes, which
is so where it has the bytes of its headers (`headers_hex`), and the data behind them is
hexadecimal, or text that encodes to its length. Somebody may have edited the line: where it has a
value twice and they differ, a note says which one is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from mqtriage.messages.decoded import chain_of, decoded, descriptor_record
from mqtriage.model.units import count_text
from mqtriage.mq.ccsid import UTF_8, codec_of, looks_like_utf8
from mqtriage.mq.descriptor import MQMD, unpack
from mqtriage.mq.dumps.entry import Damaged, Entry
from mqtriage.mq.errors import UsageError
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.mq.headers.rfh2 import with_properties
from mqtriage.mq.message import Message
from mqtriage.records import NamedTuple

SCHEMA: Final = "mqtriage-archive/1"
COPY: Final = "archive"
"""The action of an archive that is a copy: no act took its messages."""
_READABLE: Final = "files of msg archive, msg browse -o ndjson, dmpmqmsg and amqsbcg can be read"
_ZIPPED: Final = "unzip it first; an incident has its messages in messages.ndjson"


def readable_hint(name: str) -> str:
    """What to read instead of a file in which nothing is a message."""
    return _ZIPPED if name.lower().endswith(".zip") else _READABLE


NAMED: Final = 3
"""Damaged or edited messages that are named; others are counted."""
CUT: Final = "the line has no end: the file was truncated"


class ArchiveSource(NamedTuple):
    """An archive that a copy was written from, with the outcome of its operation.

    Attributes:
        action: `COPY` where no operation wrote it; then its outcome is None.
        taken: messages that left their queue; *backed_out* and *unsettled* as in `archive ls`.
        sha256: of the whole file, as `sha256sum` prints it; "" where the copy is redacted.
    """

    archive: str
    action: str
    queue: str
    queue_manager: str
    at: str
    taken: int | None = None
    backed_out: int | None = None
    unsettled: int | None = None
    sha256: str = ""


class Begun(NamedTuple):
    """The first line of an archive, with the act that wrote it.

    Attributes:
        sources: of a copy of archives, these.
        at: RFC 3339 time of the act.
        bodies: False where the archive was written without message data.
        redacted: True where fields were masked and ids hashed.
    """

    action: str
    queue: str = ""
    queue_manager: str = ""
    at: str = ""
    bodies: bool = True
    redacted: bool = False
    sources: tuple[ArchiveSource, ...] = ()

    @property
    def copies_what_left(self) -> bool:
        """Whether it is a copy of operations' archives only: all its messages left their queue."""
        return bool(self.sources) and all(source.action != COPY for source in self.sources)


class Numbered(NamedTuple):
    """A message with its number in the archive; 0 in a listing.

    Attributes:
        length_bytes: of its data, where that is not in the archive; None where it is.
        sha256: of its data, in hex, as the archive has it; "" in a listing, and where a redacted
            copy has no data.
        is_edited: its text has another length than the listing says.
        choices: conflicts between two keys, and which of them is used.
    """

    entry: Entry
    number: int
    queue: str = ""
    length_bytes: int | None = None
    sha256: str = ""
    is_edited: bool = False
    choices: tuple[str, ...] = ()


class Settled(NamedTuple):
    """What an act's unit of work came to: with *committed* the messages left their queue."""

    numbers: tuple[int, ...]
    committed: bool


class ArchiveEnd(NamedTuple):
    """The last line of an archive: how many messages it holds, and the digest of the lines."""

    messages: int
    sha256: str = ""

    def fits(self, sha256: str) -> bool:
        """Whether it has this digest of the lines before it, or none."""
        return self.sha256 in ("", sha256)


Stored: TypeAlias = Begun | Numbered | Settled | ArchiveEnd | Damaged


class Edits:
    """Messages of a dump that have another length than their comment says: the first are named."""

    def __init__(self) -> None:
        self._count = 0
        self._first: list[str] = []

    def see(self, entry: Entry) -> None:
        """Take the next message."""
        if entry.noted_bytes is None:
            return
        self._count += 1
        if self._count <= NAMED:
            length = count_text(len(entry.body), "byte")
            comment = f"the comment says {entry.noted_bytes}"
            note = f"line {entry.line}: {length} where {comment}: the edited data is used"
            ccsid = entry.md.ccsid
            if entry.md.format.strip() == "MQSTR" and looks_like_utf8(entry.body, ccsid):
                note += f"; it looks like UTF-8, CCSID {ccsid} is kept"
            self._first.append(note)

    def notes(self) -> list[str]:
        """What is to be said of them."""
        more = self._count - NAMED
        return [*self._first, f"{more} more with edited data"] if more > 0 else self._first


class Seal:
    """The last line of an archive, held against the lines before it while they are read.

    A file can have several archives, one after the other.

    Attributes:
        begun: the first line; None in what is no archive.
        ended: the last line; None where there is none, or not yet.
        was_changed: the lines of an archive differ from the digest in its last one.
        is_damaged: something could not be read, or is missing.
        missing: messages that the last lines count, but no line before them holds.
        edits: messages of a dump that somebody edited.
    """

    def __init__(self) -> None:
        from hashlib import sha256

        self.begun: Begun | None = None
        self.ended: ArchiveEnd | None = None
        self.was_changed = False
        self.is_damaged = False
        self.missing = 0
        self.edits = Edits()
        self._counts: list[int] = []  # in the End lines
        self._is_unfinished = False
        self._messages = 0
        self._has_unread_line = False
        self._new_digest = sha256
        self._digest = sha256()

    def see(self, stored: Stored) -> None:
        """Take what the next line holds."""
        if isinstance(stored, Begun):
            self._is_unfinished |= self.begun is not None and self.ended is None
            self.begun, self.ended = stored, None
            self._messages = 0
            self._digest = self._new_digest()
        elif isinstance(stored, ArchiveEnd):
            self.ended = stored
            self.was_changed |= not stored.fits(self._digest.hexdigest())
            self.missing += max(0, stored.messages - self._messages)
            self.is_damaged |= self.missing > 0
            self._counts.append(stored.messages)
        elif isinstance(stored, Damaged):
            self.is_damaged = self._has_unread_line = True
        elif isinstance(stored, Numbered):
            self._messages += 1
            self.edits.see(stored.entry)

    def hear(self, line: bytes) -> None:
        """Add the line itself to the digest, after `see`."""
        self._digest.update(line)
        if self._has_unread_line:
            self._messages += _may_be_message(line)
            self._has_unread_line = False

    def warnings(self, name: str) -> list[str]:
        """What is to be said of the archive *name*, all of which was read."""
        name = "standard input" if name == "-" else name
        texts = []
        if self.was_changed:
            texts.append(f"{name} was changed after it was written: see mqtriage archive verify")
        if self.missing:
            are = "is" if self.missing == 1 else "are"
            line = "line counts" if len(self._counts) == 1 else "lines count"
            texts.append(
                f"{name}: {count_text(self.missing)} {are} missing:"
                f" the End {line} {sum(self._counts)}"
            )
        if self._is_unfinished or (self.begun is not None and self.ended is None):
            texts.append(f"{name} has no closing line: unfinished")
        return texts or [f"{name}, {text}" for text in self.edits.notes()]


_OTHER_LINES: Final = tuple(b'{"kind":"' + letter for letter in (b"A", b"B", b"C", b"E"))


def _may_be_message(line: bytes) -> bool:
    """Whether a line that cannot be read may have been a message, and no other line of ours."""
    return not line.startswith(_OTHER_LINES) and b'"numbers":' not in line


_FIELDS: Final = {
    name: initial
    for name, initial in MQMD()._asdict().items()
    if name not in ("put_date", "put_time")
}
"""The fields that a listing has as they are, with initial values of their type and length."""


def read(lines: Iterable[bytes]) -> Iterator[Stored]:
    """Yield what each line holds; one that cannot be understood is `Damaged`."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield read_line(number, line)


_ESCAPED: Final = re.compile(r"\\x[0-9A-Fa-f]{2}")
LONGEST_LINE: Final = 150_000_000
"""Bytes: 100 MiB of message data, the most that IBM MQ takes, in base64, and all fields."""


def read_line(number: int, line: bytes) -> Stored:
    """What one line holds; *number* is the one to tell of it."""
    import json

    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        if not line.endswith(b"\n"):
            return Damaged(number, CUT)
        return Damaged(number, f"the line is not JSON ({_json_error(error)})")
    try:
        return _stored(number, record)
    except (KeyError, TypeError, ValueError) as error:
        return Damaged(number, _why(error))


def _json_error(error: Exception) -> str:
    """What is wrong with a line, and where in it: it is line 1 only for the parser."""
    import json

    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, column {error.pos + 1}"
    return str(error)[:200]


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"the line has no {error.args[0]}"
    return str(error)[:200]


def _stored(line: int, record: Any) -> Stored:
    """Raises KeyError, TypeError or ValueError with the reason."""
    if not isinstance(record, dict):
        raise TypeError("the line is not a message")
    kind = record.get("kind", "")
    if kind == "Archive":
        if record.get("schema") != SCHEMA:
            msg = f"an archive of the form {str(record.get('schema'))[:40]}, {SCHEMA} is read here"
            raise ValueError(msg)
        return Begun(
            str(record["action"]),
            str(record.get("queue", "")),
            str(record.get("qmgr", "")),
            str(record.get("at", "")),
            record.get("bodies", True) is not False,
            bool(record.get("redacted", False)),
            tuple(ArchiveSource(**source) for source in record.get("sources", ())),
        )
    if kind in ("Commit", "Backout"):
        return Settled(tuple(map(_whole, record["numbers"])), kind == "Commit")
    if kind == "End":
        return ArchiveEnd(_whole(record["messages"]), str(record.get("sha256", "")))
    if kind == "Message" and "md_base64" in record:
        length = _whole(record["length_bytes"]) if record["body_base64"] is None else None
        entry = _archived(line, record)
        queue, digest = str(record.get("queue", "")), record["sha256"]
        return Numbered(entry, _whole(record["number"]), queue, length, str(digest or ""))
    if kind not in ("", "Message"):
        raise ValueError(f"a line of the kind {str(kind)[:40]} is not a message")
    return _listed(line, record)


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{str(value)[:40]!r} is not a number of a message")
    return value


def _archived(line: int, record: Mapping[str, Any]) -> Entry:
    from base64 import b64decode
    from hashlib import sha256

    md = unpack(b64decode(record["md_base64"], validate=True), 0, "<", "utf-8")
    md = md._replace(version=1 if record.get("version") == 1 else 2)
    if record["body_base64"] is None:
        return Entry(line, md, b"")
    body = b64decode(record["body_base64"], validate=True)
    if len(body) != record["length_bytes"]:
        length = count_text(record["length_bytes"], "byte")
        raise ValueError(f"the message has {length}, the line holds {len(body)}")
    if sha256(body).hexdigest() != record["sha256"]:
        raise ValueError("the digest of the message data differs: the line was changed")
    return Entry(line, md, body)


def _listed(line: int, record: Mapping[str, Any]) -> Numbered:
    fields = {name: _field(name, record[name]) for name in _FIELDS}
    put_date, put_time = _put_time(record["put_time"])
    md = MQMD(**fields, put_date=put_date, put_time=put_time)
    if record.get("properties") and not record.get("headers"):
        raise ValueError("its properties were listed without their MQRFH2; leave out properties_as")
    head = bytes.fromhex(record.get("headers_hex") or "")
    length_bytes = _whole(record["length_bytes"])
    digits = record.get("body_hex")
    # of a header that cannot be read the bytes stand with the data: all of them are there
    has_all = digits is not None and len(head) + len(digits) // 2 == length_bytes
    if record.get("headers") and not head and not has_all:
        raise ValueError("it has headers, and the listing lacks headers_hex; list it again")
    if record.get("damages") and not has_all:
        raise ValueError(f"it was listed as damaged: {str(record['damages'][0])[:100]}")
    body = head + _body(record, *_coding(md, head))
    if len(body) != length_bytes and _ESCAPED.search(record.get("body") or ""):
        # `--text` writes bytes that are no text so
        length = count_text(length_bytes, "byte")
        msg = f"the message has {length}, the line gives {len(body)} and has \\xNN; list with --hex"
        raise ValueError(msg)
    is_edited = len(body) != length_bytes
    md, body, choices = _compared(record, md, body, "headers_hex" if head else "body_hex")
    return Numbered(Entry(line, md, body), 0, is_edited=is_edited, choices=tuple(choices))


def _compared(
    record: Mapping[str, Any], md: MQMD, body: bytes, source: str
) -> tuple[MQMD, bytes, list[str]]:
    """The message with the properties that the line tells, and what else it tells differently.

    Args:
        source: the key that has the bytes of the headers.
    """
    choices = [
        f"{name} and {number} differ: {number} is used"
        for name, value in descriptor_record(md).items()
        if name not in _FIELDS and name != "put_time" and record.get(name, value) != value
        for number in ("report" if name == "report_options" else name.removesuffix("_name"),)
    ]
    if record.get("body") is not None and record.get("body_hex") is not None:
        choices.append("body and body_hex are both given: body_hex is used")
    if not (source == "headers_hex" or record.get("headers") or record.get("pcf")):
        return md, body, choices
    parts = decoded(Message(md, body, len(body)))
    headers = [parts["chain"]]
    listed = record.get("properties")
    if listed is not None and listed != parts["properties"]:
        changes = _changes(parts["properties"], listed)
        if changes:  # else only their order differs
            md, body = _with_properties(md, body, changes)
            after = decoded(Message(md, body, len(body)))
            _require(_typed(listed), _typed(after["properties"]))
            headers.append(after["chain"])
            choices.append(f"properties and {source} differ: the properties are used")
    if record.get("headers") and all(
        _without_places(record["headers"]) != _without_places(chain) for chain in headers
    ):
        choices.append(f"headers and {source} differ: {source} is used")
    if record.get("pcf") and record["pcf"] != parts["pcf"]:
        choices.append("pcf and body_hex differ: body_hex is used")
    return md, body, choices


def _changes(there: list[Any], listed: Any) -> dict[str, str | None]:
    """Names of properties that differ, and the texts that they are to have."""
    before, after = _typed(there), _typed(listed)
    changes = {
        name: after[name][1] if name in after else None
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    }
    for name in changes:
        if "." in name:
            msg = f"property {name} was edited: only properties of the folder usr can be"
            raise ValueError(msg)
    return changes


def _typed(properties: Any) -> dict[str, tuple[str, str]]:
    """Type and text of each property."""
    if not isinstance(properties, list):
        raise TypeError("properties is not a list")
    typed = {}
    for prop in properties:
        value = prop["value"]
        if not isinstance(value, str | int | float) and prop["type"] != "null":
            msg = f"property {prop['name']}: its value must be text, a number, true or false"
            raise TypeError(msg)
        typed[str(prop["name"])] = (
            str(prop["type"]),
            str(int(value)) if isinstance(value, bool) else str(value),
        )
    if len(typed) != len(properties):
        raise ValueError("properties were edited, and one of them is there twice")
    return typed


def _with_properties(
    md: MQMD, body: bytes, changes: Mapping[str, str | None]
) -> tuple[MQMD, bytes]:
    if md.format.rstrip() != RFH2_FORMAT:
        msg = f"properties behind a header of Format {md.format.rstrip()} cannot be edited"
        raise ValueError(msg)
    try:
        return with_properties(md, body, changes)
    except UsageError as error:
        raise ValueError(error.text) from None


def _require(listed: Mapping[str, tuple[str, str]], after: Mapping[str, tuple[str, str]]) -> None:
    """Refuse a type that the property does not have; its value may be written in another way."""
    for name, (kind, _) in listed.items():
        now, _ = after.get(name, ("", ""))
        if now != kind:
            msg = f"property {name} of type {kind}: it can only be of type {now or 'string'}"
            raise ValueError(msg)


def _without_places(headers: Any) -> list[Any]:
    """The headers without lengths and offsets, which an edited property moves."""
    moved = {"offset", "length_bytes", "struc_length"}
    if not isinstance(headers, list) or not all(
        isinstance(one, dict) and isinstance(one.get("fields"), dict) for one in headers
    ):
        raise TypeError("headers is not a list of headers with fields")
    return [
        {
            **{key: value for key, value in header.items() if key not in moved},
            "fields": {key: v for key, v in header["fields"].items() if key not in moved},
        }
        for header in headers
    ]


def _coding(md: MQMD, head: bytes) -> tuple[int, int]:
    """CCSID and encoding of the data behind the headers *head*."""
    if not head:
        return md.ccsid, md.encoding
    chain = chain_of(Message(md, head, len(head)))
    return chain.ccsid, chain.encoding


def _field(name: str, value: Any) -> Any:
    initial = _FIELDS[name]
    if isinstance(initial, str):
        if not isinstance(value, str):
            raise TypeError(f"{name} is not text")
        return value
    if isinstance(initial, bytes):
        data = bytes.fromhex(value)
        if len(data) != len(initial):
            msg = f"{name} has {count_text(len(data), 'byte')}, expected: {len(initial)}"
            raise ValueError(msg)
        return data
    if type(value) is not int or not -(2**31) <= value < 2**31:
        raise ValueError(f"{name} is not a number of 32 bits")
    return value


def _put_time(text: Any) -> tuple[str, str]:
    """PutDate and PutTime of ``2026-01-31T10:00:00.25Z``; blank for None."""
    if text is None:
        return "", ""
    digits = "".join(c for c in str(text) if c in "0123456789")
    if len(digits) == 16:
        return digits[:8], digits[8:]
    raise ValueError(f"put_time {str(text)[:40]!r} is no PutDate and PutTime")


def _body(record: Mapping[str, Any], ccsid: int, encoding: int) -> bytes:
    """Data of that CCSID and encoding."""
    digits, text = record.get("body_hex"), record.get("body")
    if digits is not None:
        return bytes.fromhex(digits)
    if text is None:
        raise ValueError("it has no message data; list with -o ndjson and without --columns")
    if not isinstance(text, str):
        raise TypeError("body is not text")
    codec = codec_of(ccsid if ccsid > 0 else UTF_8, encoding)
    data = text.encode(codec) if codec else b""
    # a code page with two bytes a character may have two codes for one; UTF-8 and UTF-16 do not
    exact = codec is not None and (codec.startswith("utf") or len(data) == len(text))
    if not exact:
        msg = f"text of CCSID {ccsid} may not encode to the same bytes; list with --hex"
        raise ValueError(msg)
    return data
