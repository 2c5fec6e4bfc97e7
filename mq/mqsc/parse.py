"""Parse MQSC scripts: `parse(text)` gives every command with its place, right or wrong.

Grammar as IBM documents it (MQ 9.4 "MQSC syntax", 9.3 "MQSC input file syntax"): keywords in any
case, unquoted values folded to upper case, `+` continues at the first non-blank of the next line,
`-` at its column 1, an asterisk in column 1 makes a comment, also inside a continued command, and
`;` ends a command. Sequence numbers in columns 73 to 80 are no text. A wrong command is one
diagnostic and parsing goes on at the next command.

`mq/mqsc/check.py` validates commands, `mq/mqsc/format.py` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from mqtriage.mq.mqsc.lines import (
    LAST_PORTABLE_COLUMN,
    LinePlaces,
    Logical,
    gather,
    goes_on,
    rest_of_string,
    text_end,
)
from mqtriage.mq.mqsc.plain_lines import read_line, read_plain
from mqtriage.mq.mqsc.tokens import (
    OPEN_PARENTHESIS,
    OPEN_QUOTE,
    Fault,
    Read,
    marker_in,
    read_command,
)
from mqtriage.mq.mqsc.tree import (
    Blank,
    Command,
    Comment,
    Diagnostic,
    DiagnosticSeverity,
    Item,
    Script,
    Unread,
)
from mqtriage.mq.mqsc.verbs import LEAVING

_NON_BLANK: Final = re.compile(r"[^ \t\r]")
_ATTRIBUTE: Final = re.compile(r"[ \t]*[A-Za-z][A-Za-z0-9]*+[ \t]*\(")
_TYPOGRAPHIC: Final = re.compile("[\u2018-\u201f]")
_NO_COMMENTS: Final[tuple[tuple[int, int], ...]] = ()


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


def parse(text: str, *, file: str = "") -> Script:
    """Read a whole script.

    Args:
        text: as `decode_script` gives it; any text is taken, nothing is raised.
    """
    text = text.removeprefix("\ufeff")
    items: list[Item] = []
    notes: list[Diagnostic] = []
    doubtful = "{{" in text or "$" in text or _TYPOGRAPHIC.search(text) is not None
    at, line, size = 0, 1, len(text)
    end_seen = False
    while at < size:
        end = text.find("\n", at)
        after = end + 1
        if end < 0:
            end = after = size
        if text[at] == "*":
            items.append(Comment(at, after, line))
            at, line = after, line + 1
            continue
        stop = text_end(text, at, end)
        if stop == at:
            items.append(Blank(at, after, line))
            at, line = after, line + 1
            continue
        if end_seen:
            notes.append(_after_end(text, at, line, file))
            items.append(Unread(at, size, line))
            break
        if text[stop - 1] not in "+-" or not goes_on(text, at, stop):
            command = read_line(text, at, stop, after, line)
            if command is not None and not doubtful:
                items.append(command)
                at, line = after, line + 1
                continue
            diagnostics = [command] if command else _on_line(text, at, stop, after, line, file)
            next_line = line + 1
        elif (plain := read_plain(text, at, stop, after, line)) is not None:
            command, after, next_line = plain
            diagnostics = [command]
        else:
            logical = gather(text, at, stop, after, line)
            diagnostics = list(_over_lines(logical, at, file))
            after, next_line = logical.after, logical.after_line
            if logical.unfinished and diagnostics[-1].error is None:
                last = logical.segments[-1].line
                notes.append(_note(last, 1, "the script ends in the middle of a command", file))
        if diagnostics[-1].error is not None:
            diagnostics[-1], after, lines = _with_rest(text, diagnostics[-1], items, after)
            next_line += lines
        items += diagnostics
        for command in diagnostics:
            if command.error is None:
                end_seen = end_seen or command.verb in LEAVING
                if doubtful:
                    notes += _doubts(command, file)
        at, line = after, next_line
    return Script(text, file, tuple(items), tuple(notes))


class LongScript(Script):
    """A script that is parsed when its items are looked at, and again after others were.

    So a folder of many of them takes the memory of their text.
    """

    __slots__ = ()

    def __init__(self, text: str, file: str) -> None:
        for name, value in (("text", text.removeprefix("\ufeff")), ("file", file)):
            object.__setattr__(self, name, value)

    @property
    def items(self) -> tuple[Item, ...]:
        return _last_parsed(self.text, self.file).items

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        return _last_parsed(self.text, self.file).notes


@lru_cache(maxsize=2)
def _last_parsed(text: str, file: str) -> Script:
    return parse(text, file=file)


def _note(line: int, column: int, message: str, file: str) -> Diagnostic:
    return Diagnostic(DiagnosticSeverity.NOTE, line, column, message, "", file)


def _after_end(text: str, at: int, line: int, file: str) -> Diagnostic:
    match = _NON_BLANK.search(text, at)
    column = (match.start() if match else at) - at + 1
    message = "not read: runmqsc stops at END, so nothing from this line on runs"
    note = _note(line, column, message, file)
    return note._replace(severity=DiagnosticSeverity.WARNING)


def _doubts(command: Command, file: str) -> list[Diagnostic]:
    """At most one note a command on what its writer hardly meant in a value."""
    places = [(command.name, command.line, command.column)]
    places += [(v, p.line, p.column) for p in command.parameters for v in p.values or ()]
    for value, line, column in places:
        marker = marker_in(value.text) if value else ""
        if marker:
            return [_note(line, column, f"'{marker[:30]}' looks like a placeholder", file)]
        if value and not value.quoted and _TYPOGRAPHIC.search(value.text):
            return [_note(line, column, "MQSC does not recognize a typographic quote: use '", file)]
    return []


def _with_rest(
    text: str, command: Command, before: list[Item], after: int
) -> tuple[Command, int, int]:
    """A wrong command with what belongs to it: the rest of a broken string, or a hint.

    Returns:
        The command, where the next item starts, and how many more lines it takes.
    """
    fault = command.error
    if fault is None:
        return command, after, 0
    if fault.message in (OPEN_QUOTE, OPEN_PARENTHESIS):
        closing = ")" if fault.message == OPEN_PARENTHESIS else fault.expected[-1]
        end, lines = rest_of_string(text, after, closing)
        if lines:
            message = f"{fault.message} on its line (a line continues only after + or -)"
            error = fault._replace(message=message)
            return command._replace(end=end, error=error), end, lines
    elif not command.verb and before and isinstance(before[-1], Command):
        match = _ATTRIBUTE.match(text, command.start)
        if match is not None:
            message = f"{fault.message} (is a + missing at the end of the previous line?)"
            return command._replace(error=fault._replace(message=message)), after, 0
    return command, after, 0


def _diagnostic(fault: Fault, line: int, column: int, file: str) -> Diagnostic:
    return Diagnostic(DiagnosticSeverity.ERROR, line, column, fault.message, fault.expected, file)


def _on_line(
    text: str, line_start: int, stop: int, after: int, line: int, file: str
) -> list[Command]:
    """The command of one line, or several when semicolons part them."""
    wide = line if stop - line_start > LAST_PORTABLE_COLUMN else 0
    begin = line_start
    commands: list[Command] = []
    while True:
        read = read_command(text, begin, stop, line, line_start)
        last = read.stop >= stop or _NON_BLANK.search(text, read.stop, stop) is None
        end = after if last else read.stop
        fault = read.fault
        error = None
        if fault is not None:
            error = _diagnostic(fault, line, fault.at - line_start + 1, file)
        commands.append(
            Command(
                read.verb,
                read.noun,
                read.names[0] if read.names else None,
                tuple(read.parameters),
                begin,
                end,
                line,
                read.at - line_start + 1,
                error,
                _NO_COMMENTS,
                wide,
                not last,
                read.names[1:],
            )
        )
        if last:
            return commands
        begin = end


def _over_lines(logical: Logical, begin: int, file: str) -> Iterator[Command]:
    """The command of several lines, or several commands when semicolons part them."""
    text, stop = logical.text, len(logical.text)
    places = LinePlaces(logical.segments)
    at = 0
    while True:
        read = read_command(text, at, stop, 0, 0)
        last = _NON_BLANK.search(text, read.stop, stop) is None
        error = None
        if read.fault is not None:
            error = _diagnostic(read.fault, *places.line_column(read.fault.at), file)
        elif last and logical.cut and text[read.stop - 1] != ";":
            message = "the previous line ends with + or -, so this belongs to its command"
            fault = Fault(0, message, "a parameter")
            error = _diagnostic(fault, logical.after_line, 1, file)
        end = logical.after if last else places.physical(read.stop)
        yield _placed(read, places, begin, end, error, logical)._replace(more=not last)
        if last:
            return
        at, begin = read.stop, end


def _placed(
    read: Read,
    places: LinePlaces,
    begin: int,
    end: int,
    error: Diagnostic | None,
    logical: Logical,
) -> Command:
    """A command read from joined lines, its parts at their places in the script."""
    line, column = places.line_column(read.at)
    names = tuple([places.value(name) for name in read.names])
    return Command(
        read.verb,
        read.noun,
        names[0] if names else None,
        tuple([places.parameter(parameter) for parameter in read.parameters]),
        begin,
        end,
        line,
        column,
        error,
        tuple([span for span in logical.comments if begin <= span[0] < end]),
        logical.wide_line,
        further_names=names[1:],
    )
