"""Logs that another program collected: lines in records of JSON, or lines behind a prefix.

Docker, Filebeat, fluentd, journald and Loki put what a program wrote into a string of a record, a
line or a whole message each; syslog, the kubelet and ``docker compose logs`` write a prefix before
each line. Plain Python: the driver does this.
Source: docs of Docker's json-file driver, of ``journalctl -o json``, of Loki's HTTP API and of the
kubelet's logs; RFC 3164 and RFC 5424.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import Final

from mqtriage.pipeline.sources.events_in_text import KEYS

_EVENT: Final = re.compile(rf'\{{(?:\s|\\[nrt])*\\"(?:{KEYS})\\"'.encode())
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"')
_TEXT: Final = re.compile(
    rb'(?:"(?:log|message|MESSAGE|line|msg)"\s*:\s*|\[\s*"\d{9,}"\s*,\s*|^\s*)'
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
_RULE: Final = b"-" * 79 + b"\n"
_CUT_AT: Final = 16_384
"""Docker cuts longer lines into records, and only the last of them ends with a line feed."""


class Wrapping(Enum):
    """How lines are wrapped."""

    EVENTS = auto()
    """Each event is in a string of a record, among records of something else."""
    RECORDS = auto()
    """Each line, or a message of some lines, is in a string of a record."""
    PREFIXES = auto()
    """Each line is behind a prefix."""


def has_events(beginning: bytes) -> bool:
    """Whether there are events in strings."""
    return _EVENT.search(beginning) is not None


def unwrapped(lines: Iterable[bytes], wrapping: Wrapping) -> Iterator[bytes]:
    """What was written, with its line feeds. A record that was cut is given as it stands."""
    of_line = {
        Wrapping.EVENTS: _events,
        Wrapping.RECORDS: _texts,
        Wrapping.PREFIXES: _behind_prefix,
    }[wrapping]
    for line in lines:
        yield from of_line(line)


def _events(line: bytes) -> Iterator[bytes]:
    if _EVENT.search(line):
        texts = [match[0] for match in _STRING.finditer(line) if _EVENT.search(match[0])]
        yield from (_decoded(text).replace(b"\n", b" ") + b"\n" for text in texts)
        if not texts:
            yield line + b"\n"


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
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return line.rstrip().endswith((b"{", b"[", b","))  # the first of many lines
    return True


def _behind_prefix(line: bytes) -> Iterator[bytes]:
    match = _PREFIX.match(line)
    is_cut = match is not None and match[1] == b"P"
    yield line[match.end() if match else 0 :] + (b"" if is_cut else b"\n")


def _decoded(text: bytes) -> bytes:
    return str(json.loads(text.decode("utf-8", "replace"), strict=False)).encode("utf-8", "replace")
