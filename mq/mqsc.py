"""Parse MQSC scripts: `parse(text)` gives every command with its place, right or wrong.

Grammar as IBM documents it (MQ 9.4 "MQSC syntax", 9.3 "MQSC input file syntax"): keywords in any
case, unquoted values folded to upper case, `+` continues at the first non-blank of the next line,
`-` at its column 1, an asterisk in column 1 makes a comment, also inside a continued command, and
`;` ends a command. A wrong command is one diagnostic and parsing goes on at the next command.

`mq/mqsc_check.py` validates commands, `mq/mqsc_format.py` writes them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from operator import attrgetter
from typing import Final, NamedTuple

from mqtriage.mq.mqsc_tokens import (
    RawParameter,
    RawValue,
    Read,
    known_verb,
    marker_in,
    read_command,
    starts_command,
)
from mqtriage.mq.mqsc_tree import (
    Blank,
    Command,
    Comment,
    Diagnostic,
    Item,
    Parameter,
    Script,
    Severity,
    Value,
)
from mqtriage.mq.mqsc_verbs import LEAVING

__all__ = [
    "Blank",
    "Command",
    "Comment",
    "Diagnostic",
    "Parameter",
    "Script",
    "Severity",
    "Value",
    "decode_script",
    "parse",
]

_NON_BLANK: Final = re.compile(r"[^ \t\r]")
_ENDS_WITH_INSERT: Final = re.compile(r"\+[A-Z][A-Z0-9_]*\+$")
_LAST_PORTABLE_COLUMN: Final = 72
_joined_offset = attrgetter("joined")


def decode_script(data: bytes) -> str:
    """Turn the bytes of a script into text: a BOM decides, else UTF-8, else Latin-1.

    Latin-1 takes every byte, so this never fails; the byte order mark is not part of the text.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Segment(NamedTuple):
    """One physical line of a continued command: where it stands joined, and where in the text."""

    joined: int
    physical: int
    line: int
    line_start: int


class _Logical(NamedTuple):
    """One command's text over all its lines.

    Attributes:
        text, start, end: what to read; of one line it is the script itself, nothing is copied.
        segments: empty for one line.
        after, after_line: where the next item starts, and its line number.
        cut: another command starts where this one should have gone on.
        unfinished: the script ends where this one should have gone on.
    """

    text: str
    start: int
    end: int
    segments: list[_Segment]
    comments: tuple[tuple[int, int], ...]
    after: int
    after_line: int
    wide_line: int
    cut: bool
    unfinished: bool


def parse(text: str, *, file: str = "") -> Script:
    """Read a whole script.

    Args:
        text: as `decode_script` gives it; any text is taken, nothing is raised.
        file: name for the diagnostics.
    """
    text = text.removeprefix("\ufeff")
    items: list[Item] = []
    notes: list[Diagnostic] = []
    check_markers = "{{" in text or "$" in text
    at, line, size = 0, 1, len(text)
    left, said_so = False, False
    while at < size:
        end = text.find("\n", at)
        after = end + 1
        if end < 0:
            end = after = size
        if text[at] == "*":
            items.append(Comment(at, after, line))
        elif _NON_BLANK.search(text, at, end) is None:
            items.append(Blank(at, after, line))
        else:
            logical = _gather(text, at, end, after, line)
            if left and not said_so:
                notes.append(_after_end(text, at, line, file))
                said_so = True
            for command in _commands(logical, text, at, line, file):
                left = left or (command.verb in LEAVING and command.error is None)
                items.append(command)
                if check_markers and command.error is None:
                    notes += _marker_notes(command, file)
            if logical.unfinished and command.error is None:
                goes_on = logical.segments[-1].line
                notes.append(_note(goes_on, 1, "the script ends in mid-command", file))
            at, line = logical.after, logical.after_line
            continue
        at, line = after, line + 1
    return Script(text, file, tuple(items), tuple(notes))


def _note(line: int, column: int, message: str, file: str) -> Diagnostic:
    return Diagnostic(Severity.NOTE, line, column, message, "", file)


def _after_end(text: str, at: int, line: int, file: str) -> Diagnostic:
    found = _NON_BLANK.search(text, at)
    column = (found.start() if found else at) - at + 1
    return _note(line, column, "runmqsc stops at END: from here on nothing is run", file)


def _marker_notes(command: Command, file: str) -> list[Diagnostic]:
    """At most one note a command on a template marker or shell variable inside quotes."""
    places = [(command.name, command.line, command.column)]
    places += [(v, p.line, p.column) for p in command.parameters for v in p.values or ()]
    for value, line, column in places:
        marker = marker_in(value.text) if value else ""
        if marker:
            return [_note(line, column, f"'{marker[:30]}' looks like a placeholder", file)]
    return []


def _continuation(content: str) -> str:
    """ "+" or "-" when the line goes on; an insert such as +QMNAME+ at the end is no sign."""
    sign = content[-1:]
    if sign == "-" or (sign == "+" and not _ENDS_WITH_INSERT.search(content[-60:])):
        return sign
    return ""


def _gather(text: str, at: int, end: int, after: int, line: int) -> _Logical:
    """Join the lines of the command that starts at *at*."""
    content = text[at:end].rstrip(" \t\r")
    sign = _continuation(content)
    if sign and not known_verb(text, at, end) and "(" not in content:
        sign = ""  # prose that happens to end with a dash must not swallow the next line
    wide = line if len(content) > _LAST_PORTABLE_COLUMN else 0
    if not sign:
        return _Logical(text, at, at + len(content), [], (), after, line + 1, wide, False, False)
    size = len(text)
    parts, length = [content[:-1]], len(content) - 1
    segments = [_Segment(0, at, line, at)]
    comments: list[tuple[int, int]] = []
    open_quote = content.count("'") % 2 == 1
    at, line = after, line + 1
    while sign and at < size:
        end = text.find("\n", at)
        after = end + 1
        if end < 0:
            end = after = size
        if text[at] == "*":
            comments.append((at, after))
            at, line = after, line + 1
            continue
        content = text[at:end].rstrip(" \t\r")
        if not content:
            at, line = after, line + 1
            continue
        if not open_quote and starts_command(text, at, end):
            return _joined(parts, segments, comments, at, line, wide, cut=True)
        if not wide and len(content) > _LAST_PORTABLE_COLUMN:
            wide = line
        begin = len(content) - len(content.lstrip(" \t")) if sign == "+" else 0
        sign = _continuation(content)
        piece = content[begin : len(content) - len(sign)]
        open_quote ^= piece.count("'") % 2 == 1
        segments.append(_Segment(length, at + begin, line, at))
        parts.append(piece)
        length += len(piece)
        at, line = after, line + 1
    return _joined(parts, segments, comments, at, line, wide, unfinished=bool(sign))


def _joined(
    parts: list[str],
    segments: list[_Segment],
    comments: list[tuple[int, int]],
    after: int,
    after_line: int,
    wide: int,
    *,
    cut: bool = False,
    unfinished: bool = False,
) -> _Logical:
    joined = "".join(parts)
    return _Logical(
        joined,
        0,
        len(joined),
        segments,
        tuple(comments),
        after,
        after_line,
        wide,
        cut,
        unfinished,
    )


def _commands(logical: _Logical, text: str, start: int, line: int, file: str) -> list[Command]:
    """The command of a logical line, or several when semicolons part them."""
    found: list[Command] = []
    at, begin = logical.start, start
    while True:
        read = read_command(logical.text, at, logical.end)
        rest = _NON_BLANK.search(logical.text, read.stop, logical.end)
        last = rest is None
        place = _Places(logical, start, line)
        end = logical.after if last else place.physical(read.stop)
        command = _command(read, logical, place, at, begin, end, file)
        if last and logical.cut and command.error is None:
            message = (
                "the line before ends with a continuation sign, so this belongs to its command"
            )
            error = Diagnostic(Severity.ERROR, logical.after_line, 1, message, "a parameter", file)
            command = command._replace(error=error)
        found.append(command)
        if last:
            return found
        at, begin = read.stop, end


class _Places:
    """Turns offsets of the joined text, in rising order, into places of the script."""

    __slots__ = ("_at", "_line", "_segments", "_start")

    def __init__(self, logical: _Logical, start: int, line: int) -> None:
        self._segments = logical.segments
        self._start = start
        self._line = line
        self._at = 0

    def _segment(self, offset: int) -> _Segment:
        segments, index = self._segments, self._at
        if not self._covers(index, offset):
            index += 1  # mostly the next line
            if not self._covers(index, offset):
                index = bisect_right(segments, offset, key=_joined_offset) - 1
            self._at = index
        return segments[index]

    def _covers(self, index: int, offset: int) -> bool:
        segments = self._segments
        if index >= len(segments) or offset < segments[index].joined:
            return False
        return index + 1 == len(segments) or offset < segments[index + 1].joined

    def physical(self, offset: int) -> int:
        if not self._segments:
            return offset
        segment = self._segment(offset)
        return segment.physical + offset - segment.joined

    def physical_end(self, offset: int) -> int:
        """Behind the character before *offset*, on that character's line."""
        return self.physical(offset - 1) + 1 if offset else self.physical(0)

    def line_column(self, offset: int) -> tuple[int, int]:
        if not self._segments:
            return self._line, offset - self._start + 1
        segment = self._segment(offset)
        return segment.line, segment.physical + offset - segment.joined - segment.line_start + 1


def _command(
    read: Read, logical: _Logical, place: _Places, at: int, begin: int, end: int, file: str
) -> Command:
    first = _NON_BLANK.search(logical.text, at, logical.end)
    line, column = place.line_column(first.start() if first else at)
    name = None if read.name is None else _value(read.name, place)
    if logical.segments:
        parameters = tuple([_parameter(p, place) for p in read.parameters])
    else:
        back = place.line_column(0)[1] - 1
        parameters = tuple(
            [
                Parameter(
                    p.keyword,
                    None if p.values is None else tuple([Value._make(v) for v in p.values]),
                    p.start,
                    p.end,
                    line,
                    p.start + back + 1,
                )
                for p in read.parameters
            ]
        )
    error = None
    if read.fault is not None:
        error_line, error_column = place.line_column(read.fault.at)
        error = Diagnostic(
            Severity.ERROR,
            error_line,
            error_column,
            read.fault.message,
            read.fault.expected,
            file,
        )
    return Command(
        read.verb,
        read.noun,
        name,
        parameters,
        begin,
        end,
        line,
        column,
        error,
        logical.comments,
        logical.wide_line,
    )


def _value(raw: RawValue, place: _Places) -> Value:
    return Value(raw.text, raw.quoted, place.physical(raw.start), place.physical_end(raw.end))


def _parameter(raw: RawParameter, place: _Places) -> Parameter:
    line, column = place.line_column(raw.start)
    start = place.physical(raw.start)
    values = None if raw.values is None else tuple([_value(v, place) for v in raw.values])
    return Parameter(raw.keyword, values, start, place.physical_end(raw.end), line, column)
