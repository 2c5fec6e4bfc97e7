"""Join the physical lines of one MQSC command, and tell where each character came from.

Source: IBM MQ 9.3 "MQSC input file syntax". `+` goes on at the first non-blank of the next line,
`-` at its column 1; comment lines and blank lines inside a continued command are dropped.
MQ 9.0 "Building command scripts": z/OS ignores columns 73 to 80.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from operator import attrgetter
from typing import Final

from mqtriage.mq.mqsc.tokens import known_verb, starts_command
from mqtriage.mq.mqsc.tree import Parameter, Value
from mqtriage.records import NamedTuple

_ENDS_WITH_INSERT: Final = re.compile(r"\+[A-Z][A-Z0-9_]*\+$")
LAST_PORTABLE_COLUMN: Final = 72
_RECORD: Final = 80
_NUMBERED: Final = re.compile(r"^[^*\n].{71}[0-9]{8}[ \t\r]*$", re.M)
_LONGEST_BREAK: Final = 20
_NO_LIMIT: Final = sys.maxsize
_joined_offset = attrgetter("joined")


class LineSegment(NamedTuple):
    """One physical line of a continued command: where it stands joined, and where in the text."""

    joined: int
    physical: int
    line: int
    line_start: int


class Logical(NamedTuple):
    """The text of one command over several lines.

    Attributes:
        comments: spans of the comment lines in between.
        after, after_line: where the next item starts, and its line number.
        wide_line: first line with text beyond column 72, 0 for none.
        cut: another command starts where this one should have gone on.
        unfinished: the script ends where this one should have gone on.
    """

    text: str
    segments: list[LineSegment]
    comments: tuple[tuple[int, int], ...]
    after: int
    after_line: int
    wide_line: int
    cut: bool
    unfinished: bool


def text_end(text: str, at: int, end: int) -> int:
    """Behind the last character that counts of the line from *at* to *end*; *at* for a blank line.

    Blanks at its end do not count, nor does a sequence number in columns 73 to 80: no command on
    any platform ends a line with eight bare digits there.
    """
    if end > at and text[end - 1] in " \t\r":
        end = at + len(text[at:end].rstrip(" \t\r"))
    if end - at == _RECORD and text[at + LAST_PORTABLE_COLUMN : end].isdigit():
        return at + len(text[at : at + LAST_PORTABLE_COLUMN].rstrip(" \t\r"))
    return end


def is_numbered(text: str) -> bool:
    """Whether a line has a sequence number in columns 73 to 80."""
    return _NUMBERED.search(text) is not None


def continuation(content: str) -> str:
    """ "+" or "-" when the line goes on; an insert such as +QMNAME+ at the end is no sign."""
    sign = content[-1:]
    if sign == "-" or (sign == "+" and not _ENDS_WITH_INSERT.search(content, len(content) - 60)):
        return sign
    return ""


def goes_on(text: str, at: int, stop: int) -> bool:
    """Whether the line that starts at *at* and ends before *stop* is continued."""
    if not continuation(text[max(at, stop - 60) : stop]):
        return False
    # prose that happens to end with a dash must not swallow the next line
    return known_verb(text, at, stop) or "(" in text[at:stop]


def gather(text: str, at: int, stop: int, after: int, line: int) -> Logical:
    """Join the lines of the command that starts at *at*, whose first line `goes_on`.

    Args:
        stop: behind the continuation sign of the first line.
        after: the next line's start.
    """
    content = text[at:stop]
    sign = content[-1]
    wide = line if stop - at > LAST_PORTABLE_COLUMN else 0
    size = len(text)
    parts, length = [content[:-1]], len(content) - 1
    segments = [LineSegment(0, at, line, at)]
    comments: list[tuple[int, int]] = []
    cut = False
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
        content = text[at : text_end(text, at, end)]
        if not content:
            at, line = after, line + 1
            continue
        if not open_quote and starts_command(text, at, end):
            cut = True
            break
        if not wide and len(content) > LAST_PORTABLE_COLUMN:
            wide = line
        begin = len(content) - len(content.lstrip(" \t")) if sign == "+" else 0
        sign = continuation(content)
        piece = content[begin : len(content) - len(sign)]
        open_quote ^= piece.count("'") % 2 == 1
        segments.append(LineSegment(length, at + begin, line, at))
        parts.append(piece)
        length += len(piece)
        at, line = after, line + 1
    unfinished = bool(sign) and not cut
    return Logical("".join(parts), segments, tuple(comments), at, line, wide, cut, unfinished)


def rest_of_string(text: str, at: int, closing: str) -> tuple[int, int]:
    """What follows a command that left a quote or parenthesis open: its end, and the lines of it.

    People break a string over lines without a continuation sign. The queue manager then refuses
    each line; here they are one wrong command. Where no closing sign comes soon, (*at*, 0).

    Args:
        at: start of the line behind the command.
    """
    end, lines = at, 0
    while end < len(text) and lines < _LONGEST_BREAK:
        line_end = text.find("\n", end) + 1 or len(text)
        if text[end] == "*" or starts_command(text, end, line_end):
            break
        count = text.count(closing, end, line_end)
        if closing == ")":
            count -= text.count("(", end, line_end)
        begin, end, lines = end, line_end, lines + 1
        if count > 0 and (closing == ")" or count % 2 == 1):
            return _continued(text, begin, end, lines)
    return at, 0


def _continued(text: str, begin: int, end: int, lines: int) -> tuple[int, int]:
    """The end of the lines that the line from *begin* to *end* goes on with, and their count."""
    while end < len(text) and continuation(text[begin : text_end(text, begin, end - 1)]):
        begin, end = end, text.find("\n", end) + 1 or len(text)
        lines += 1
    return end, lines


class LinePlaces:
    """Turns offsets of the joined text into places of the script; rising order is quickest."""

    __slots__ = ("_at", "_limit", "_segments", "_start")

    def __init__(self, segments: list[LineSegment]) -> None:
        self._segments = segments
        self._at = 0
        self._start = 0
        self._limit = segments[1].joined if len(segments) > 1 else _NO_LIMIT

    def _segment(self, offset: int) -> LineSegment:
        """The physical line that holds *offset*; its bounds are kept for the next question."""
        segments = self._segments
        if not self._start <= offset < self._limit:
            index = self._at + 1  # mostly the next line
            if not self._covers(index, offset):
                index = bisect_right(segments, offset, key=_joined_offset) - 1
            self._at = index
            self._start = segments[index].joined
            last = index + 1 == len(segments)
            self._limit = _NO_LIMIT if last else segments[index + 1].joined
        return segments[self._at]

    def _covers(self, index: int, offset: int) -> bool:
        segments = self._segments
        if index >= len(segments) or offset < segments[index].joined:
            return False
        return index + 1 == len(segments) or offset < segments[index + 1].joined

    def physical(self, offset: int) -> int:
        """The place of one character."""
        segment = self._segment(offset)
        return segment.physical + offset - segment.joined

    def physical_end(self, offset: int) -> int:
        """Behind the character before *offset*, on that character's line."""
        return self.physical(offset - 1) + 1 if offset else self.physical(0)

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column of one character, both from 1."""
        segment = self._segment(offset)
        return segment.line, segment.physical + offset - segment.joined - segment.line_start + 1

    def value(self, value: Value) -> Value:
        """The same value at its place in the script."""
        start, end = self.physical(value.start), self.physical_end(value.end)
        return Value(value.text, value.quoted, start, end)

    def parameter(self, joined: Parameter) -> Parameter:
        """The same parameter at its place in the script."""
        keyword, values, start, end, _, _ = joined
        segment = self._segment(start)
        shift = segment.physical - segment.joined
        column = start + shift - segment.line_start + 1
        if end > self._limit:  # broken over lines
            if values is not None:
                values = tuple([self.value(value) for value in values])
            place = self.physical_end(end)
            return Parameter(keyword, values, start + shift, place, segment.line, column)
        if values is not None:
            values = tuple(
                [Value(text, quoted, a + shift, b + shift) for text, quoted, a, b in values]
            )
        return Parameter(keyword, values, start + shift, end + shift, segment.line, column)
