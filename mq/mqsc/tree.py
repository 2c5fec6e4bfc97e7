"""What a parsed MQSC script is made of: commands, comments, blank lines, diagnostics.

Every part knows where it stands in the text, so that a script can be edited in place: the
spans of `Script.items`, one after the other, are the whole text.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, TypeAlias

from mqtriage.mq.attributes.attribute import SECRETS, masked_text
from mqtriage.records import NamedTuple, dataclass

new_tuple: Final = tuple.__new__
"""Makes a named tuple of all its values in two thirds of the time: a dump has a million of them."""


class DiagnosticSeverity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """The queue manager will refuse the command."""
    WARNING = "warning"
    """The queue manager will take the command, but not do what it was written for."""
    NOTE = "note"
    """Worth a look; the command may well work."""


class Diagnostic(NamedTuple):
    """One finding at one place.

    Attributes:
        line, column: both count from 1; the column counts characters.
        expected: what would have been right, "" when nothing can be said.
        answer: number of the message with which the queue manager refuses the command.
    """

    severity: DiagnosticSeverity
    line: int
    column: int
    message: str
    expected: str = ""
    file: str = ""
    answer: int = 8405

    def __str__(self) -> str:
        """``qm1.mqsc:3:15: error: ...``"""
        text = f"{self.file or '<mqsc>'}:{self.line}:{self.column}: {self.severity}: {self.message}"
        return f"{text}; expected {self.expected}" if self.expected else text


class Value(NamedTuple):
    """One value between parentheses.

    Attributes:
        text: quotes taken off and doubled quotes made one; unquoted text folded to upper case.
        start, end: span in the script's text, with the quotes.
    """

    text: str
    quoted: bool
    start: int
    end: int


class Parameter(NamedTuple):
    """KEYWORD or KEYWORD(value,...).

    Attributes:
        values: None for a keyword without parentheses, otherwise at least one value
            (an empty one for ``NAMES()``; other empty parentheses are a fault).
        start, end: span in the script's text.
    """

    keyword: str
    values: tuple[Value, ...] | None
    start: int
    end: int
    line: int
    column: int

    @property
    def text(self) -> str:
        """All values with commas between them; "" without parentheses."""
        if not self.values:
            return ""
        if len(self.values) == 1:
            return self.values[0].text
        return ",".join(value.text for value in self.values)


class Command(NamedTuple):
    """One command, right or wrong.

    Attributes:
        verb: in full ("DEFINE"); "" when it is not known.
        noun: object type in full ("QLOCAL"); "" when there is none or it is not known.
        name: the value right after the object type, None without one.
        parameters: those understood, in order, the object type with its name not among them;
            DEFINE may have REPLACE or NOREPLACE before the object type.
        start, end: span in the script's text, line ends included.
        error: the one thing wrong with the command's form, None for a good one.
        comments: spans of the comment lines inside a continued command.
        wide_line: first line with text beyond column 72, 0 for none.
        more: another command follows behind a semicolon on the same line.
        further_names: those behind `name`, where the command takes a list of them.
    """

    verb: str
    noun: str
    name: Value | None
    parameters: tuple[Parameter, ...]
    start: int
    end: int
    line: int
    column: int
    error: Diagnostic | None = None
    comments: tuple[tuple[int, int], ...] = ()
    wide_line: int = 0
    more: bool = False
    further_names: tuple[Value, ...] = ()

    def named(self, default: str = "") -> str:
        """Text of the name, *default* without one."""
        return default if self.name is None else self.name.text

    def parameter(self, keyword: str) -> Parameter | None:
        """The parameter of that keyword, the last one if it stands there twice."""
        return next((p for p in reversed(self.parameters) if p.keyword == keyword), None)

    def has(self, keyword: str) -> bool:
        """Whether the keyword stands in the command."""
        return self.parameter(keyword) is not None

    def value(self, keyword: str) -> str | None:
        """Text of a parameter, None when the keyword is not there."""
        parameter = self.parameter(keyword)
        return None if parameter is None else parameter.text


class Comment(NamedTuple):
    """A line with an asterisk in column 1."""

    start: int
    end: int
    line: int


class Blank(NamedTuple):
    """A line without text."""

    start: int
    end: int
    line: int


class Unread(NamedTuple):
    """All text from the first command behind END: whatever it is, nothing of it is run."""

    start: int
    end: int
    line: int


Item: TypeAlias = Command | Comment | Blank | Unread


def shifted(item: Item, characters: int, lines: int) -> Item:
    """The item as it is that far behind in a longer text."""
    item = item._replace(
        start=item.start + characters, end=item.end + characters, line=item.line + lines
    )
    if not isinstance(item, Command):
        return item
    error = item.error

    def moved(value: Value) -> Value:
        return value._replace(start=value.start + characters, end=value.end + characters)

    return item._replace(
        name=item.name and moved(item.name),
        further_names=tuple(map(moved, item.further_names)),
        parameters=tuple(
            p._replace(
                values=None if p.values is None else tuple(map(moved, p.values)),
                start=p.start + characters,
                end=p.end + characters,
                line=p.line + lines,
            )
            for p in item.parameters
        ),
        error=error and error._replace(line=error.line + lines),
        comments=tuple((start + characters, end + characters) for start, end in item.comments),
        wide_line=item.wide_line and item.wide_line + lines,
    )


@dataclass(frozen=True, slots=True)
class Script:
    """A script as it was read.

    Attributes:
        items: commands, comments and blank lines in order, then what stands behind END; their
            spans are the whole text.
        notes: findings that are not a command's own error.
    """

    text: str
    file: str
    items: tuple[Item, ...]
    notes: tuple[Diagnostic, ...] = ()

    @property
    def commands(self) -> tuple[Command, ...]:
        """All commands, the wrong ones too."""
        return tuple(item for item in self.items if isinstance(item, Command))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the form of the script, in order of place."""
        errors = [item.error for item in self.items if isinstance(item, Command) and item.error]
        if not self.notes:
            return tuple(errors)
        return tuple(sorted([*errors, *self.notes], key=lambda d: (d.line, d.column)))

    def raw(self, item: Item) -> str:
        """The text of one item, as it stands, with its line ends."""
        return self.text[item.start : item.end]

    def masked(self, item: Item) -> str:
        """The text of one item, as it stands, with asterisks for the passwords in it."""
        text = self.raw(item)
        for parameter in reversed(item.parameters if isinstance(item, Command) else ()):
            if parameter.keyword in SECRETS and parameter.values:
                start, end = parameter.values[0].start, parameter.values[-1].end
                value = masked_text(parameter.keyword, self.text[start:end])
                text = f"{text[: start - item.start]}{value}{text[end - item.start :]}"
        return text

    def edited(self, edits: Iterable[tuple[int, int, str]]) -> str:
        """The text with spans replaced: (start, end, new text); spans must not overlap.

        Of two insertions at one place, the one that goes on in the line comes before the one that
        opens a new line: the last line of a script may lack its end.
        """
        parts: list[str] = []
        done = 0
        in_order = sorted(edits, key=lambda edit: (edit[0], edit[1], edit[2][:1] in "\r\n"))
        for start, end, new in in_order:
            parts += (self.text[done:start], new)
            done = end
        parts.append(self.text[done:])
        return "".join(parts)
