"""Read a rules table of the dead-letter queue handler (runmqdlq), and say what is wrong with it.

Lines with ``*`` in column 1 are comments and blank lines are ignored, within a continued entry too.
A line that ends with ``+`` goes on at the first non-blank of the next line, one that ends with
``-`` at its column 1, in the middle of a keyword or a quoted value as well.

Source: IBM MQ documentation, "Rules table conventions".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from mqtriage.mq.rules_table import values
from mqtriage.mq.rules_table.table import (
    NAMES,
    NUMBERS,
    Action,
    Control,
    Pattern,
    TableRule,
    shadowed,
)
from mqtriage.records import NamedTuple, dataclass

CONTROL_KEYWORDS: Final = ("INPUTQ", "INPUTQM", "RETRYINT", "WAIT")
ACTION_KEYWORDS: Final = ("ACTION", "FWDQ", "FWDQM", "HEADER", "PUTAUT", "RETRY")
PATTERN_KEYWORDS: Final = tuple(sorted((*NUMBERS, *NAMES)))
_RULE_KEYWORDS: Final = frozenset((*PATTERN_KEYWORDS, *ACTION_KEYWORDS))
_KNOWN: Final = frozenset((*CONTROL_KEYWORDS, *_RULE_KEYWORDS))
_BETWEEN: Final = " \t,"
_BLANKS: Final = " \t"


class TableProblem(NamedTuple):
    """One thing that is wrong, or looks wrong.

    Attributes:
        line, column: from 1.
        severity: "error" (the table cannot be run) or "warning".
        expected: what should stand there, "" where that is no question.
    """

    line: int
    column: int
    severity: str
    text: str
    expected: str = ""

    def __str__(self) -> str:
        tail = f"; expected {self.expected}" if self.expected else ""
        return f"line {self.line}, column {self.column}: {self.text}{tail}"


@dataclass(frozen=True, slots=True)
class RulesTable:
    """A table as read; rules with an error in them are left out."""

    control: Control = field(default_factory=Control)
    rules: tuple[TableRule, ...] = ()
    problems: tuple[TableProblem, ...] = ()

    @property
    def errors(self) -> tuple[TableProblem, ...]:
        """What keeps the table from being run."""
        return tuple(problem for problem in self.problems if problem.severity == "error")


class _Entry(NamedTuple):
    """One entry with its continuations joined; *starts* has (offset, line, column) of each part.

    Attributes:
        sign: the + or - that the table ends with, which continues nothing.
    """

    text: str
    starts: list[tuple[int, int, int]]
    sign: str = ""

    def place(self, offset: int) -> tuple[int, int]:
        start, line, column = self.starts[bisect_right(self.starts, (offset, 1 << 60, 0)) - 1]
        return line, column + offset - start


class _Word(NamedTuple):
    """One KEYWORD(value).

    Attributes:
        at: offset of the keyword; *value_at* of the value.
        source: as it was written, quotes included.
    """

    key: str
    value: str
    quoted: bool
    at: int
    value_at: int
    source: str


def parse(text: str) -> RulesTable:
    """Read a rules table; never raises, in time linear in the length of *text*."""
    reader = _Reader()
    for index, entry in enumerate(_entries(text)):
        reader.read(entry, is_first=index == 0)
        if entry.sign:
            place = entry.place(len(entry.text))
            message = f"the table ends with {entry.sign}, but no line follows: one may be missing"
            reader.problems.append(TableProblem(*place, "warning", message))
    if not reader.rules_seen:
        line = text.count("\n") + 1
        reader.problems.append(
            TableProblem(line, 1, "error", "the table has no rule", "ACTION(...)")
        )
    if not any(problem.severity == "error" for problem in reader.problems):
        reader.problems += [
            TableProblem(
                rule.line,
                1,
                "warning",
                f"{rule.title} never matches: {by.title} handles all of its messages",
            )
            for rule, by in shadowed(reader.rules)
        ]
    problems = tuple(sorted(reader.problems, key=lambda problem: (problem.line, problem.column)))
    return RulesTable(reader.control, tuple(reader.rules), problems)


def _entries(text: str) -> Iterator[_Entry]:
    parts: list[str] = []
    starts: list[tuple[int, int, int]] = []
    length = 0
    sign = ""
    for number, raw in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        line = raw.rstrip(" \t\r\0\x1a")
        if not line or line.startswith("*"):
            continue
        skipped = len(line) - len(line.lstrip(_BLANKS)) if sign != "-" else 0
        sign = line[-1] if line[-1] in "+-" else ""
        part = line[skipped : len(line) - len(sign)]
        starts.append((length, number, skipped + 1))
        parts.append(part)
        length += len(part)
        if not sign:
            yield _Entry("".join(parts), starts)
            parts, starts, length = [], [], 0
    if parts:
        yield _Entry("".join(parts), starts, sign)


class _Stop(Exception):
    """The rest of the entry cannot be read."""


class _Reader:
    """What was read so far."""

    def __init__(self) -> None:
        self.control = Control()
        self.rules: list[TableRule] = []
        self.problems: list[TableProblem] = []
        self.rules_seen = 0
        self.wrong = False
        self.entry = _Entry("", [(0, 1, 1)])

    def read(self, entry: _Entry, *, is_first: bool) -> None:
        """Read one entry."""
        self.entry, self.wrong = entry, False
        words: dict[str, _Word] = {}
        try:
            for word in self._words():
                if word.key in words:
                    self._error(word.at, f"{word.key} is given twice", "each keyword once")
                elif word.key not in _KNOWN:
                    self._error(
                        word.at, f"{word.key[:40]} is not a keyword", "a keyword of the table"
                    )
                else:
                    words[word.key] = word
        except _Stop:
            pass
        if not words:
            self.rules_seen += 1  # what is wrong has been told
            if not self.wrong:
                self._error(0, "nothing is between the commas", "KEYWORD(value)")
        elif next(iter(words)) in CONTROL_KEYWORDS:
            self._control(words, is_first=is_first)
        else:
            self.rules_seen += 1
            self._rule(words)

    def _words(self) -> Iterator[_Word]:
        text, at, end = self.entry.text, 0, len(self.entry.text)
        while True:
            while at < end and text[at] in _BETWEEN:
                at += 1
            if at == end:
                return
            start = at
            while at < end and text[at].isalnum():
                at += 1
            key = text[start:at].upper()
            if not key:
                raise self._stop(start, f"{text[start]!r} is there", "a keyword")
            while at < end and text[at] in _BLANKS:
                at += 1
            if text[at : at + 1] != "(":
                raise self._stop(at, f"{key[:40]} has no value", "'('")
            value, quoted, value_at, close = self._value(key, at + 1)
            yield _Word(key, value, quoted, start, value_at, text[value_at:close].rstrip(_BLANKS))
            at = close + 1

    def _value(self, key: str, at: int) -> tuple[str, bool, int, int]:
        """(value, quoted, offset of the value, offset of the closing parenthesis)."""
        text, end = self.entry.text, len(self.entry.text)
        while at < end and text[at] in _BLANKS:
            at += 1
        start = at
        if text[at : at + 1] != "'":
            close = text.find(")", at)
            if close < 0:
                raise self._stop(end, f"the value of {key[:40]} does not end", "')'")
            value = text[at:close].rstrip(_BLANKS)
            if not value:
                raise self._stop(at, f"{key[:40]} has no value", "a value, or ' ' in quotes")
            return value, False, start, close
        pieces: list[str] = []
        while True:
            quote = text.find("'", at + 1)
            if quote < 0:
                raise self._stop(start, f"the quote of {key[:40]} does not end", "\"'\" and ')'")
            pieces.append(text[at + 1 : quote])
            if text[quote + 1 : quote + 2] != "'":
                break
            at = quote + 1
        at = quote + 1
        while at < end and text[at] in _BLANKS:
            at += 1
        if text[at : at + 1] != ")":
            raise self._stop(at, f"the value of {key[:40]} goes on after its quote", "')'")
        return "'".join(pieces).rstrip(" "), True, start, at

    def _control(self, words: Mapping[str, _Word], *, is_first: bool) -> None:
        first = next(iter(words.values()))
        if not is_first:
            self._error(first.at, f"{first.key} is control data", "it in the first entry only")
            return
        for key, word in words.items():
            if key not in CONTROL_KEYWORDS:
                self._error(word.at, f"{key} does not belong to control data", "a line of its own")
        given = self._given
        self.control = Control(
            given(words, "INPUTQ", "", lambda w: values.object_name(w.value)),
            given(words, "INPUTQM", "", lambda w: values.object_name(w.value)),
            given(words, "RETRYINT", 60, lambda w: values.count(w.value)),
            given(words, "WAIT", "", lambda w: values.wait_value(w.value)),
        )

    def _rule(self, words: Mapping[str, _Word]) -> None:
        for key, word in words.items():
            if key in CONTROL_KEYWORDS:
                self._error(word.at, f"{key} is control data", "it in the first entry only")
        patterns = {
            key: pattern
            for key, word in words.items()
            if key in PATTERN_KEYWORDS and (pattern := self._pattern(word)) is not None
        }
        if "ACTION" not in words:
            self._error(0, "the rule has no ACTION", "ACTION(DISCARD|IGNORE|RETRY|FWD)")
            return
        given = self._given
        action = given(words, "ACTION", "", lambda w: values.choice(w.value, *Action))
        rule = TableRule(
            len(self.rules) + 1,
            self.entry.starts[0][1],
            Action(action or "IGNORE"),
            patterns,
            " ".join(f"{key}({words[key].source})" for key in patterns),
            given(words, "FWDQ", "", lambda w: values.forward_name(w.value, w.quoted, "Q")),
            given(words, "FWDQM", "", lambda w: values.forward_name(w.value, w.quoted, "QM")),
            given(words, "HEADER", "YES", lambda w: values.choice(w.value, "YES", "NO")) == "YES",
            given(words, "PUTAUT", "DEF", lambda w: values.choice(w.value, "DEF", "CTX")),
            given(words, "RETRY", 1, lambda w: values.count(w.value)),
        )
        self._check_action(rule, words)
        if not self.wrong:
            self.rules.append(rule)

    def _check_action(self, rule: TableRule, words: Mapping[str, _Word]) -> None:
        action = words["ACTION"]
        if rule.action is Action.FWD and not self.wrong:
            if "FWDQ" not in words:
                self._error(action.at, "ACTION(FWD) does not say where to", "FWDQ(queue)")
            elif not rule.fwdq:
                self._error(words["FWDQ"].value_at, "FWDQ is blank", "a queue, &DESTQ or &REPLYQ")
        if rule.action is not Action.FWD and not self.wrong:
            for key in ("FWDQ", "FWDQM", "HEADER"):
                if key in words:
                    text = f"{key} is not looked at: ACTION is {rule.action}"
                    self._warn(words[key].at, text)
        if rule.fwdq == "&REPLYQ" and not self.wrong and "REPLYQ" not in rule.patterns:
            self._warn(
                words["FWDQ"].value_at, "a blank ReplyToQ cannot be forwarded to", "REPLYQ(?*)"
            )

    def _pattern(self, word: _Word) -> Pattern | None:
        """The pattern of a keyword; None where it takes everything or is wrong."""
        if not word.quoted and word.value == "*":
            return None
        if word.key in NUMBERS:
            numbers: int = self._made(
                word, values.code(word.value, values.NUMBER_PREFIXES[word.key]), 0
            )
            return numbers
        pattern: str = self._made(
            word, values.generic_name(word.value, word.quoted, NAMES[word.key]), ""
        )
        if not word.quoted and pattern != word.value and not self.wrong:
            text = f"{word.value[:64]} is taken as {pattern[:64]}: it has no quotes"
            self._warn(word.value_at, text, f"'{word.value[:64]}' if lower case is meant")
        return None if pattern and not pattern.strip("*") else pattern

    def _given(self, words: Mapping[str, _Word], key: str, default: Any, read: Any) -> Any:
        word = words.get(key)
        return default if word is None else self._made(word, read(word), default)

    def _made(self, word: _Word, value: Any, default: Any) -> Any:
        if isinstance(value, values.Bad):
            self._error(
                word.value_at, f"{word.key}({word.source[:64]}) {value.why}", value.expected
            )
            return default
        return value

    def _error(self, at: int, text: str, expected: str = "") -> None:
        self.wrong = True
        self.problems.append(TableProblem(*self.entry.place(at), "error", text, expected))

    def _warn(self, at: int, text: str, expected: str = "") -> None:
        self.problems.append(TableProblem(*self.entry.place(at), "warning", text, expected))

    def _stop(self, at: int, text: str, expected: str) -> _Stop:
        self._error(at, text, expected)
        return _Stop()
