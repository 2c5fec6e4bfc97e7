"""Selection strings of IBM MQ: parse one, and say of a message whether it is selected.

    condition  := condition OR condition | condition AND condition | NOT condition | (condition)
                | sum (= | <> | < | <= | > | >=) sum | sum [NOT] BETWEEN sum AND sum
                | name [NOT] IN ('text', ...) | name [NOT] LIKE 'pattern' [ESCAPE 'c']
                | name IS [NOT] NULL | name | TRUE | FALSE
    sum        := numbers and names with + - * / and parentheses; or one text or byte string
    name       := Color | usr.Color | jms.Dst | Root.MQMD.Format | JMSPriority       (case counts)
    literal    := 'it''s' | 42 | 0x2A | 052 | 7. | -57.9E2 | TRUE | FALSE | "0x414D51"

It is not the language of `--where`: its names are those of properties, sums are compared with each
other, and values of different types are unequal rather than not comparable, so that NOT of such a
test is true. What the two share, LIKE and the reading of properties, is shared.

Choices where IBM's pages are silent: / of two whole numbers is whole, as in Java; dividing by zero
is NULL; texts of the descriptor compare without trailing blanks (programs are seen to write them
with as many as the field holds, others without).

Sources: IBM MQ documentation, "Message selector syntax", "Selection behavior", "Message descriptor
fields as properties", "Property name restrictions" (the JMS names).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final, NoReturn, TypeAlias

from mqtriage.messages.filters.like import like_error, like_function
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.filters.token_cursor import COMPARISONS, Token, TokenCursor, unquoted
from mqtriage.mq.descriptor import MQMD, described_fields
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.records import NamedTuple

LONGEST: Final = 10_240
"""MQ_SELECTOR_LENGTH, in bytes."""
_LONGEST_NUMBER: Final = 1000
"""In characters; Python reads no whole number of more than 4,300 digits."""

Getter: TypeAlias = Callable[[Subject], Any]
Test: TypeAlias = Callable[[Subject], bool | None]


class SelectorError(Exception):
    """A selection string that does not follow the rules; *column* counts from 1."""

    def __init__(self, column: int, why: str) -> None:
        super().__init__(f"column {column}: {why}")


class Selector(NamedTuple):
    """A selection string that was understood.

    Attributes:
        constant: what it comes to without looking at a message; None where a message decides.
    """

    text: str
    test: Test
    constant: bool | None

    def selects(self, subject: Subject) -> bool:
        """Whether it is true of the message; unknown is not true."""
        return self.test(subject) is True


def parse_selector(text: str) -> Selector:
    """Read a selection string; a `SelectorError` has the column, and what was expected."""
    parser = _Parser(text)
    test = parser.whole()
    if parser.names:
        return Selector(text, test, None)
    return Selector(text, test, test(_NO_MESSAGE) is True)


class _Value(NamedTuple):
    """One side of a comparison.

    Attributes:
        kind: "number", "text", "bytes", "boolean"; "name" where only the message knows; "test"
            for a condition in parentheses.
        padded: a text of the descriptor: trailing blanks do not count.
    """

    kind: str
    get: Getter
    at: Token
    name: str = ""
    padded: bool = False


_TOKEN: Final = re.compile(
    r"""(?P<string>'(?:[^']|'')*')
      | (?P<bytes>"0[xX](?:[0-9A-Fa-f]{2})+")
      | (?P<number>0[xX][0-9A-Fa-f]+[lL]?
                 | (?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?[lLfFdD]?)
      | (?P<operator><>|<=|>=|=|<|>)
      | (?P<mark>[-()+*/,])
      | (?P<word>(?:[^\W\d]|\$)[\w$]*(?:\.(?:[^\W\d]|\$)[\w$]*)*)
    """,
    re.VERBOSE,
)
_KEYWORDS: Final = frozenset(
    ("and", "or", "not", "like", "in", "between", "is", "null", "escape", "true", "false")
)
_EQUALITY: Final = ("=", "<>")
_NO_ORDER: Final = ("text", "bytes", "boolean")


class _Parser(TokenCursor):
    """Recursive descent; each level makes the function that evaluates it."""

    pattern = _TOKEN
    greatest_depth = 50  # each level takes eight of the interpreter's calls

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.names = 0
        for token, after in pairwise(self.tokens):
            end = token.position + len(token.text)
            if token.kind == "number" and after.position == end and re.match(r"[\w.$]", after.text):
                self._fail_at(token, f"{(token.text + after.text[:1])[:40]!r} is not a number")

    def whole(self) -> Test:
        value = self._or()
        if self._here.kind != "end":
            self._fail("AND, OR or the end")
        return self._truth(value)

    # Conditions, loosest first; what is no condition comes through as the value that it is

    def _or(self) -> _Value:
        return self._joined("or", self._and, by=True)

    def _and(self) -> _Value:
        return self._joined("and", self._not, by=False)

    def _joined(self, word: str, part: Callable[[], _Value], *, by: bool) -> _Value:
        at, first = self._here, part()
        if not self._is(word):
            return first
        tests = [self._truth(first)]
        while self._take(word):
            tests.append(self._truth(part()))
        return _Value("test", lambda subject: _decided(by, tests, subject), at)

    def _not(self) -> _Value:
        at = self._here
        if not self._take("not"):
            return self._condition()
        self._deeper()
        test = self._truth(self._not())
        self.depth -= 1
        return _Value("test", _negated(test), at)

    def _condition(self) -> _Value:
        first = self._sum()
        here = self._here
        if here.kind == "operator":
            self.index += 1
            return _Value("test", self._comparison(first, here), first.at)
        if self._take("is"):
            negated = self._take("not")
            self._expect("null", "NULL or NOT NULL")
            get = self._named(first).get
            return _Value("test", lambda subject: (get(subject) is None) is not negated, first.at)
        negated = self._take("not")
        test = self._worded(first)
        if test is not None:
            return _Value("test", _negated(test) if negated else test, first.at)
        if negated:
            self._fail("BETWEEN, IN or LIKE")
        return first

    def _worded(self, first: _Value) -> Test | None:
        if self._take("between"):
            low = self._sum()
            self._expect("and", "AND and the upper value")
            parts = [self._compared(first, ">=", low), self._compared(first, "<=", self._sum())]
            return lambda subject: _decided(False, parts, subject)
        if self._take("in"):
            return self._in(self._named(first))
        if self._take("like"):
            return self._like(self._named(first))
        return None

    def _comparison(self, first: _Value, at: Token) -> Test:
        second = self._sum()
        if at.text not in _EQUALITY and {first.kind, second.kind} & {*_NO_ORDER}:
            self._fail_at(at, "text, byte strings and booleans compare with = and <> only")
        return self._compared(first, at.text, second)

    def _compared(self, first: _Value, op: str, second: _Value) -> Test:
        for value in (first, second):
            if value.kind == "test":
                self._fail_at(value.at, "a condition is not a value")
            if op not in _EQUALITY and value.kind in _NO_ORDER:
                self._fail_at(value.at, "expected a number")
        first, second = _alike(first, second), _alike(second, first)
        compare: Callable[[Any, Any], bool] = COMPARISONS[op]
        ordered = op not in _EQUALITY
        get_first, get_second = first.get, second.get
        padded = first.padded or second.padded

        def test(subject: Subject) -> bool | None:
            one, other = get_first(subject), get_second(subject)
            if one is None or other is None:
                return None
            kind = _kind(one)
            if kind != _kind(other) or (ordered and kind != "number"):
                return False
            if padded and kind == "text":
                one, other = one.rstrip(" "), other.rstrip(" ")
            return compare(one, other)

        return test

    def _in(self, first: _Value) -> Test:
        self._expect("(", "( and the texts")
        strings = [self._string("text in quotes")]
        while not self._take(")"):
            self._expect(",", ", or )")
            strings.append(self._string("text in quotes"))
        given = [_alike(_text(string), first).get(_NO_MESSAGE) for string in strings]
        texts = frozenset(text.rstrip(" ") if first.padded else text for text in given)
        get = first.get

        def test(subject: Subject) -> bool | None:
            value = get(subject)
            return None if value is None else isinstance(value, str) and value in texts

        return test

    def _like(self, first: _Value) -> Test:
        at = self._here
        pattern = self._string("text in quotes")
        escape = self._string("text in quotes").text if self._take("escape") else ""
        wrong = "ESCAPE takes one character" if escape == "''" else ""
        plain, character = unquoted(pattern.text), unquoted(escape) if escape else ""
        wrong = wrong or like_error(plain, character)
        if wrong:
            self._fail_at(at, wrong)
        like, get = like_function(plain, character), first.get

        def test(subject: Subject) -> bool | None:
            value = get(subject)
            return None if value is None else isinstance(value, str) and like(value)

        return test

    def _truth(self, value: _Value) -> Test:
        """A boolean property, TRUE, FALSE, or a condition in parentheses."""
        if value.kind not in ("boolean", "name", "test"):
            self._fail_at(value.at, "expected a condition")
        get = value.get
        if value.kind == "test":
            return get

        def test(subject: Subject) -> bool | None:
            truth = get(subject)
            return None if truth is None else truth is True

        return test

    # Values, loosest first

    def _sum(self) -> _Value:
        return self._chained(("+", "-"), self._term)

    def _term(self) -> _Value:
        return self._chained(("*", "/"), self._factor)

    def _chained(self, signs: tuple[str, str], part: Callable[[], _Value]) -> _Value:
        value = part()
        while self._here.text in signs:
            value = self._arithmetic(value, part)
        return value

    def _arithmetic(self, first: _Value, next_value: Callable[[], _Value]) -> _Value:
        at = self._here
        self.index += 1
        second = next_value()
        for value in (first, second):
            if value.kind not in ("number", "name"):
                self._fail_at(value.at, "expected a number")
        calculate, get_first, get_second = _ARITHMETIC[at.text], first.get, second.get

        def get(subject: Subject) -> Any:
            one, other = get_first(subject), get_second(subject)
            if one is None or other is None:
                return None
            if _kind(one) != "number" or _kind(other) != "number":
                return _MISMATCH
            try:
                return calculate(one, other)
            except (ZeroDivisionError, OverflowError):
                return None

        return _Value("number", get, at)

    def _factor(self) -> _Value:
        at = self._here
        if at.text in ("+", "-"):
            self._deeper()
            zero = _Value("number", lambda subject: 0, at)
            value = self._arithmetic(zero, self._factor)
            self.depth -= 1
            return value
        if at.text == "(":
            return self._parentheses()
        self.index += 1
        if at.kind == "string":
            return _text(at)
        if at.kind == "bytes":
            data = bytes.fromhex(at.text[3:-1])
            return _Value("bytes", lambda subject: data, at)
        if at.kind == "number":
            number = self._number(at)
            return _Value("number", lambda subject: number, at)
        word = at.text.lower()
        if word in ("true", "false"):
            return _Value("boolean", lambda subject: word == "true", at)
        if at.kind != "word" or word in _KEYWORDS:
            self.index -= 1
            self._fail("a property or a value")
        self.names += 1
        return self._name(at)

    def _parentheses(self) -> _Value:
        """A condition or a sum: only its end shows which."""
        self._deeper()
        self.index += 1
        value = self._or()
        self._expect(")", "AND, OR or )")
        self.depth -= 1
        return value

    def _number(self, at: Token) -> int | float:
        text = at.text
        if len(text) > _LONGEST_NUMBER:
            self._fail_at(at, f"{text[:40]}... is longer than any number")
        if text[:2].lower() == "0x":
            return int(text.rstrip("lL"), 16)
        plain = text.rstrip("lLfFdD")
        if text[-1] in "lL" and not plain.isdecimal():
            self._fail_at(at, f"{text[:40]} is not a number")
        if not plain.isdecimal() or text[-1] in "fFdD":
            return float(plain)
        if len(plain) > 1 and plain[0] == "0":
            try:
                return int(plain, 8)
            except ValueError:
                self._fail_at(at, f"{plain[:40]} begins with 0 and is not octal")
        return int(plain)

    def _name(self, at: Token) -> _Value:
        name = at.text
        if name.startswith("Root."):
            field = _DESCRIPTOR.get(name.removeprefix("Root.MQMD."))
            if field is None:
                self._fail_at(at, f"{name[:60]} is not a field of the descriptor")
            read = operator.attrgetter(f"md.{field}")
            return _Value("name", read, at, name, padded=field in _TEXTS)
        jms = _JMS.get(name)
        if jms is not None:
            return _Value("name", jms, at, name, padded=name in ("JMSXAppID", "JMSXUserID"))
        if name.startswith(("JMS", "usr.JMS")):
            return _Value("name", lambda subject: None, at, name)
        plain = name.removeprefix("usr.")
        return _Value("name", lambda subject: _property(subject, plain), at, name)

    def _named(self, value: _Value) -> _Value:
        if value.kind != "name":
            self._fail_at(value.at, "expected a property")
        return value

    def _fail_at(self, token: Token, why: str, hint: str | None = None) -> NoReturn:
        raise SelectorError(token.position + 1, why)


# -- logic and arithmetic -------------------------------------------------------------------------


def _decided(by: bool, tests: list[Test], subject: Subject) -> bool | None:
    """AND, which False decides, or OR, which True decides."""
    known = True
    for test in tests:
        truth = test(subject)
        if truth is by:
            return by
        known = known and truth is not None
    return not by if known else None


def _negated(test: Test) -> Test:
    return lambda subject: None if (truth := test(subject)) is None else not truth


def _divided(one: int | float, other: int | float) -> int | float:
    if isinstance(one, float) or isinstance(other, float):
        return one / other
    whole = abs(one) // abs(other)
    return whole if (one < 0) is (other < 0) else -whole


_ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _divided,
}  # fmt: skip
_MISMATCH: Final = object()
_KINDS: Final = {int: "number", float: "number", str: "text", bool: "boolean", bytes: "bytes"}


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "none")


def _text(at: Token) -> _Value:
    text = unquoted(at.text)
    return _Value("text", lambda subject: text, at)


# -- names ----------------------------------------------------------------------------------------

_DESCRIPTOR: Final = {field.name: name for name, field in described_fields().items()}
_TEXTS: Final = frozenset(
    name for name, value in MQMD()._asdict().items() if isinstance(value, str)
)
_NO_MESSAGE: Final[Any] = None
"""For functions that look at no message."""


def _property(subject: Subject, name: str) -> Any:
    """A message property: those of an MQRFH2 that stands first (others are message data)."""
    return subject.property_value(name) if subject.md.format == RFH2_FORMAT else None


def _jms_id(raw: bytes) -> str | None:
    return f"ID:{raw.hex()}" if any(raw) else None


def _given_id(subject: Subject, name: str, raw: bytes) -> str | None:
    text = _property(subject, name)
    return str(text) if text is not None else _jms_id(raw)


def _put_time_ms(subject: Subject) -> int | None:
    put_us = subject.put_time_us
    return None if put_us is None else put_us // 1000


def _expires_ms(subject: Subject) -> int | None:
    tenths, put_ms = subject.expiry_tenths, _put_time_ms(subject)
    if tenths is None:
        return 0
    expires_ms = _property(subject, "jms.Exp")
    if isinstance(expires_ms, int):
        return expires_ms
    return None if put_ms is None else put_ms + tenths * 100


def _reply_to(subject: Subject) -> str | None:
    text = _property(subject, "jms.Rto")
    if text is not None:
        return str(text)
    name = subject.md.reply_to_q
    return f"queue://{subject.md.reply_to_q_mgr}/{name}" if name else None


_JMS: Final[dict[str, Getter]] = {
    "JMSCorrelationID": lambda subject: _given_id(subject, "jms.Cid", subject.md.correl_id),
    "JMSDeliveryMode": lambda subject: subject.md.persistence + 1,  # 1 is not persistent, 2 is
    "JMSDestination": lambda subject: _property(subject, "jms.Dst"),
    "JMSExpiration": _expires_ms,
    "JMSMessageID": lambda subject: _jms_id(subject.md.msg_id),
    "JMSPriority": lambda subject: subject.md.priority,
    "JMSRedelivered": lambda subject: subject.md.backout_count > 0,
    "JMSReplyTo": _reply_to,
    "JMSTimestamp": _put_time_ms,
    "JMSType": lambda subject: _property(subject, "mcd.Type"),
    "JMSXAppID": lambda subject: subject.md.put_appl_name,
    "JMSXDeliveryCount": lambda subject: subject.md.backout_count,
    "JMSXGroupID": lambda subject: _given_id(subject, "jms.Gid", subject.md.group_id),
    "JMSXGroupSeq": lambda subject: subject.md.msg_seq_number,
    "JMSXUserID": lambda subject: subject.md.user_identifier,
}
_IDS: Final = ("JMSMessageID", "JMSCorrelationID", "JMSXGroupID")
_MODES: Final = {"NON_PERSISTENT": 1, "PERSISTENT": 2}


def _alike(value: _Value, other: _Value) -> _Value:
    """A literal in the form of the JMS name that it is compared with."""
    if value.kind == "text" and other.name == "JMSDeliveryMode":
        mode = _MODES.get(value.get(_NO_MESSAGE))
        return value if mode is None else value._replace(kind="number", get=lambda subject: mode)
    if other.name in _IDS and value.kind in ("text", "bytes"):
        given = value.get(_NO_MESSAGE)
        if isinstance(given, bytes):
            text = f"ID:{given.ljust(24, bytes(1)).hex()}"
        else:
            text = given[:3] + given[3:].lower() if given.startswith("ID:") else given
        return value._replace(kind="text", get=lambda subject: text)
    return value
