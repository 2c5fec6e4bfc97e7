"""Logs that another program collected: in records of JSON, in CSV, or lines behind a prefix.

Docker, Filebeat, fluentd, journald and Loki put what a program wrote into a string of a record, a
line or a whole message each; syslog, the kubelet and ``docker compose logs`` write a prefix before
each line. An unknown prefix is recognised by the line on which an event begins.
Plain Python: the driver does this.
Source: docs of Docker's json-file driver, of ``journalctl -o json``, of Loki's HTTP API and of the
kubelet's logs; RFC 3164 and RFC 5424.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from itertools import pairwise
from typing import Final

from mqtriage.pipeline.sources.amqsevt_text import BEGINS
from mqtriage.pipeline.sources.events_in_text import KEYS

_QUOTE: Final = r'\\+(?:"|u0022)'
_EVENT: Final = re.compile(rf"\{{(?:\s|\\+[nrt])*{_QUOTE}(?:{KEYS}){_QUOTE}".encode())
"""An event in a string, which may be nested in another string."""
_KEY: Final = re.compile(rf'"(?:{KEYS})"\s*:'.encode())
_HEADING: Final = re.compile(BEGINS.encode())
_CELL: Final = re.compile(rf'""(?:{KEYS})\\?""|(?:^|,)"{BEGINS}'.encode(), re.MULTILINE)
"""An event in a cell of CSV, where each quote is doubled."""
_QUOTED_CELL: Final = re.compile(rb'"((?:[^"]|"")*)"')
_LONGEST_ROW: Final = 1 << 24
_COPY: Final = b'"original"'
"""What Logstash and Filebeat keep a copy of the message under, in ``event``."""
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"')
_TEXT: Final = re.compile(
    rb'(?:"(?:log|message|MESSAGE|_?line|msg|_raw|textPayload|LogEntry|LogMessage)"\s*:\s*|\[\s*"\d{9,}"\s*,\s*|^\s*)'
    rb'(?:("(?:[^"\\]|\\.)*")(?!\s*:)|\[([0-9,\s]+)\])'
)
"""What was written, as a string or as journald has what is no text, an array of bytes."""
_MOMENT: Final = rb"\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[-+]\d\d:?\d\d)"
_PREFIX: Final = re.compile(
    rb"(?:<\d{1,3}>)?(?:"
    rb"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^\s:\[]+(?:\[\d+\])?: ?|"  # syslog, journalctl
    + _MOMENT + rb" [^\s:]+ [^\s:\[]+(?:\[\d+\])?: ?|"  # the same with another time
    rb"1 " + _MOMENT + rb" \S+ \S+ \S+ \S+ (?:-|(?:\[[^\]]*\])+) ?(?:\xef\xbb\xbf)?|"  # RFC 5424
    + _MOMENT + rb" std(?:out|err) ([FP]) |"  # the kubelet, F where the line ends
    + _MOMENT + rb" (?!AMQ\d{4})|"  # kubectl logs --timestamps
    rb"\[pod/\S+\] |"  # kubectl logs --prefix
    rb"[\w.-]+ *\| )"  # docker compose logs
)  # fmt: skip
_PARTIAL: Final = re.compile(rb"^" + _MOMENT + rb" std(?:out|err) P ", re.MULTILINE)
_TOKEN: Final = re.compile(rb"\w+|[ \t]+|[^\w \t]")
_NAME_OF_TIME: Final = re.compile(
    rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
)
_LONGEST_PREFIX: Final = 400
_MOST_PREFIXES: Final = 50
_NEAR: Final = 50
"""How many lines with an opening brace are remembered."""
_NOTHING: Final = re.compile(rb"(?!)")
_COLOUR: Final = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_SYSLOG_ESCAPES: Final = {b"#011": b"\t", b"#012": b"\n", b"#015": b"\r"}
"""What rsyslog writes in place of a control character."""
_SYSLOG_EVENT: Final = re.compile(
    rf'\{{#01[25](?:\s|#01\d)*"(?:{KEYS})"|\*{{4}}#01[25](?:#012)?Event Type'.encode()
)
_RULE: Final = b"-" * 79 + b"\n"
_MESSAGE_KEYS: Final = ("ibm_messageId", "ibm_datetime")
"""What a message of an error log in JSON has."""
_MESSAGE: Final = re.compile(rb'"ibm_(?:messageId|datetime)')
_LONGEST_RECORD: Final = 1 << 20
_SHOWN: Final = 200
_CUT_AT: Final = 16_384
"""Docker cuts longer lines into records, and only the last of them ends with a line feed."""


class Wrapping(Enum):
    """How lines are wrapped."""

    CELLS = auto()
    """Each event is in a cell of CSV."""
    EVENTS = auto()
    """Each event is in a string of a record, among records of something else."""
    RECORDS = auto()
    """Each line, or a message of some lines, is in a string of a record."""
    PREFIXES = auto()
    """Each line is behind a prefix."""
    OWN_PREFIXES = auto()
    """Each line is behind a prefix that is not known."""
    OBJECTS = auto()
    """Each message of an error log is an object of JSON in a record, or on several lines."""


def has_events(beginning: bytes) -> bool:
    """Whether there are events in strings."""
    return _EVENT.search(beginning) is not None


def is_restored(beginning: bytes) -> bool:
    """Whether `restored` changes something of what begins so."""
    return b"\x1b[" in beginning or _SYSLOG_EVENT.search(beginning) is not None


def restored(line: bytes) -> bytes:
    """A line without colours, and with the line ends that syslog escaped inside an event."""
    if b"\x1b[" in line:
        line = _COLOUR.sub(b"", line)
    if b"#01" in line and _SYSLOG_EVENT.search(line):
        for escape, sign in _SYSLOG_ESCAPES.items():
            line = line.replace(escape, sign)
    return line


def wrapping_of_events(beginning: bytes) -> Wrapping | None:
    """How events are wrapped that would be recognised in what they are wrapped in."""
    if _CELL.search(beginning):
        return Wrapping.CELLS
    if has_events(beginning):
        return Wrapping.EVENTS
    return Wrapping.PREFIXES if _PARTIAL.search(beginning) else None


def has_messages_in_objects(beginning: bytes) -> bool:
    """Whether messages of an error log are in records of JSON rather than lines of their own."""
    for line in beginning.split(b"\n"):
        if line.lstrip().startswith(b"{") and _MESSAGE.search(line):
            record = _json(line)
            if isinstance(record, dict) and not any(key in record for key in _MESSAGE_KEYS):
                return True
    return False


def unwrapped(lines: Iterable[bytes], wrapping: Wrapping) -> Iterator[bytes]:
    """What was written, with its line feeds. A record that was cut is given as it stands."""
    if wrapping is Wrapping.CELLS:
        yield from _cells(lines)
    elif wrapping is Wrapping.OWN_PREFIXES:
        yield from _behind_own_prefixes(lines)
    elif wrapping is Wrapping.OBJECTS:
        yield from _messages_in_objects(lines)
    else:
        of_line = {
            Wrapping.EVENTS: _events,
            Wrapping.RECORDS: _texts,
            Wrapping.PREFIXES: _behind_prefix,
        }[wrapping]
        for line in lines:
            yield from of_line(line)


def _events(line: bytes) -> Iterator[bytes]:
    if _EVENT.search(line) is None:
        if line.lstrip().startswith(b"{") and _KEY.search(line):
            yield line + b"\n"  # an object of JSON, as collectors write some events beside strings
        return
    strings = [match[0] for match in _STRING.finditer(line)]
    texts = [
        (_decoded(text).replace(b"\n", b" ").strip(), key == _COPY)
        for key, text in pairwise((b"", *strings))
        if _EVENT.search(text)
    ]
    messages = {text for text, is_copy in texts if not is_copy}
    for text, is_copy in texts:
        if is_copy and text in messages:
            continue
        if _EVENT.search(text):
            yield from _events(text)
        else:
            yield text + b"\n"
    if not texts:
        yield line + b"\n"


def _cells(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The cells with events, and the rest of a row that never ends."""
    row: list[bytes] = []
    quotes, length = 0, 0
    for line in lines:
        row.append(line)
        quotes += line.count(b'"')
        length += len(line)
        if quotes % 2 == 0 or length > _LONGEST_ROW:
            yield from _of_row(b"\n".join(row))
            row, quotes, length = [], 0, 0
    if row:
        yield b"\n".join(row) + b"\n"


def _of_row(row: bytes) -> Iterator[bytes]:
    for match in _QUOTED_CELL.finditer(row):
        cell = match[1].replace(b'""', b'"')
        if _EVENT.search(cell):
            yield from _events(cell)
        elif _KEY.search(cell):
            yield cell.replace(b"\n", b" ") + b"\n"
        elif _HEADING.match(cell) and b"\n" in cell:
            yield cell + b"\n"


def _texts(line: bytes) -> Iterator[bytes]:
    texts = list(_TEXT.finditer(line))
    for text, numbers in (match.groups() for match in texts):
        if text is None:
            yield bytes(int(number) & 255 for number in numbers.split(b",")) + b"\n"
        elif not text.strip(b'"').isdigit():  # Loki's times
            written = _decoded(text)
            is_cut = len(written) >= _CUT_AT and not written.endswith(b"\n")
            yield written if is_cut or written.endswith(b"\n") else written + b"\n"
            if b") User(" in written and b"\n" in written.strip():
                yield _RULE  # a whole block of an error log may be without the line that ends it
    if not texts and line.lstrip().startswith(b"{") and len(line) > 3 and not _is_json(line):
        yield line + b"\n"


def _is_json(line: bytes) -> bool:
    first_of_many = line.rstrip().endswith((b"{", b"[", b","))
    return _json(line) is not None or first_of_many


def _messages_in_objects(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Each message of an error log as a line, wherever in a record it is; what cannot be read."""
    record: list[bytes] = []
    length = 0
    for line in lines:
        if line.startswith(b"{") or length > _LONGEST_RECORD:
            yield from _unread(record)
            record, length = [], 0
        if not record and line.startswith(b"[{"):
            yield from _messages_in(_json(line))
        if not record and not line.lstrip().startswith(b"{"):
            continue  # of a server, of a start script, or between the records of an array
        record.append(line)
        length += len(line)
        if line.rstrip(b" \t\r,").endswith(b"}"):
            value = _json(b"\n".join(record).rstrip(b" \t\r,"))
            if value is not None:
                yield from _messages_in(value)
                record, length = [], 0
    yield from _unread(record)


def _messages_in(value: object) -> Iterator[bytes]:
    if isinstance(value, dict) and any(key in value for key in _MESSAGE_KEYS):
        yield json.dumps(value).encode() + b"\n"
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _messages_in(part)
    elif isinstance(value, str) and value.startswith("{") and _MESSAGE.search(value.encode()):
        yield from _messages_in(_json(value.encode()))


def _unread(record: Sequence[bytes]) -> Iterator[bytes]:
    text = b" ".join(record)
    if _MESSAGE.search(text):
        yield text[:_SHOWN].rstrip(b"} ") + b"\n"


def _json(text: bytes) -> object:
    """The value, None for what is no JSON."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _behind_prefix(line: bytes) -> Iterator[bytes]:
    match = _PREFIX.match(line)
    is_cut = match is not None and match[1] == b"P"
    yield line[match.end() if match else 0 :] + (b"" if is_cut else b"\n")


def _behind_own_prefixes(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with a prefix that an event has begun with; the others belong to another program."""
    prefixes: list[re.Pattern[bytes]] = []
    openings: deque[bytes] = deque(maxlen=_NEAR)
    for line in lines:
        match = next(filter(None, (prefix.match(line) for prefix in prefixes)), None)
        if match is None and len(prefixes) < _MOST_PREFIXES:
            first, match = _own_prefix(openings, line)
            if match:
                prefixes.append(match.re)
                yield first
        if match:
            yield line[match.end() :] + b"\n"
        elif line.rstrip().endswith(b"{"):
            openings.append(line.rstrip())


def _own_prefix(openings: Sequence[bytes], line: bytes) -> tuple[bytes, re.Match[bytes] | None]:
    """The prefix of the line on which an event begins, and an opening brace from a line above.

    Args:
        openings: lines above it that end with a brace; journald has others between.
    """
    heading, key = _HEADING.search(line), _KEY.search(line)
    if heading:
        return b"", _pattern_of(line[: heading.start()]).match(line)
    if key is None:
        return b"", None
    for opening in reversed(openings):
        match = _pattern_of(opening[:-1]).match(line)
        if match and not line[match.end() : key.start()].strip():
            return b"{\n", match
    return b"", None


def _pattern_of(prefix: bytes) -> re.Pattern[bytes]:
    """A prefix with any numbers and times; what is blank, or too long, matches nothing."""
    if not prefix.strip() or len(prefix) > _LONGEST_PREFIX:
        return _NOTHING
    tokens = _TOKEN.findall(prefix)
    parts = [_token_pattern(token) for token in tokens]
    if not tokens[-1].strip():
        parts[-1] = re.escape(tokens[-1])  # more blanks are indentation
    if not tokens[0].strip():
        parts[0] = rb"[ \t]*"
    return re.compile(b"".join(parts))


def _token_pattern(token: bytes) -> bytes:
    if not token.strip():
        return rb"[ \t]+"
    if _NAME_OF_TIME.fullmatch(token):
        return rb"[A-Z][a-z]{2}"
    return rb"\w+" if re.search(rb"\d", token) else re.escape(token)


def _decoded(text: bytes) -> bytes:
    return str(json.loads(text.decode("utf-8", "replace"), strict=False)).encode("utf-8", "replace")
