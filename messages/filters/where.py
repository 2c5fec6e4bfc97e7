"""The language of `--where`: conditions on messages, in the manner of SQL.

    condition  := condition OR condition | condition AND condition | NOT condition | (condition)
                | field (= | <> | != | < | <= | > | >=) value
                | field [NOT] LIKE 'pattern' [ESCAPE 'c']     % any run, _ one character
                | field [NOT] IN (value, ...) | field [NOT] BETWEEN value AND value
                | field IS [NOT] NULL
                | field [NOT] CONTAINS 'text' | body [NOT] CONTAINS x'C1C2'
                | field [NOT] MATCHES 'regular expression'
    field      := a name of `filters.fields.FIELDS` | prop.NAME | prop."any name"
                | body.order.items[0].sku | body."$['a b']" | body."/order/@id"
    value      := 'it''s' | 42 | 1.5 | 5m | 4MiB | 2026-01-31T10:00:00Z | 18:00 | now-2h | TRUE
                | FALSE | MQRC_Q_FULL | x'414D51' | unlimited

Keywords and field names are read in any case. Comparisons follow SQL's three-valued logic; the
tree that comes out is described in `mqtriage.messages.filters.expression`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NoReturn

from mqtriage.messages.body_path import check_path
from mqtriage.messages.body_regex import search_for
from mqtriage.messages.filters.expression import (
    And,
    Between,
    Compare,
    Contains,
    Expression,
    In,
    IsNull,
    Leaf,
    Like,
    Matches,
    Not,
    Operator,
    Or,
    Value,
    all_of,
    any_of,
    leaves,
    one_of_ids,
    to_text,
)
from mqtriage.messages.filters.fields import Kind, close_fields, column_hint, find_field, spec_of
from mqtriage.messages.filters.like import like_error
from mqtriage.messages.filters.literals import read_literal
from mqtriage.messages.filters.ranges import refusal_of
from mqtriage.messages.filters.token_cursor import Token, TokenCursor, unquoted
from mqtriage.model.ids import IdMatch, parse_id
from mqtriage.mq.errors import UsageError

GREATEST_LENGTH: Final = 2_000_000
GREATEST_TO_PASTE: Final = 400
"""Characters: nobody reads or pastes a longer condition out of a note."""
# No possessive group behind a word: with alternatives in it, Python 3.11.2 matches "a." by it.
_TOKEN: Final = re.compile(
    r"""(?P<string>'(?:[^']|'')*+')
      | (?P<hex>[xX]'[^']*')
      | (?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}[0-9A-Za-z:.]*(?:[+-][0-9:]+)?|now[+-][0-9A-Za-z]+
                |[0-9]{1,2}:[0-9]{2}(?::[0-9.]+)?)
      | (?P<number>[+-]?[0-9](?:[0-9A-Za-z.]|(?<=[eE])[+-])*)
      | (?P<operator><>|!=|<=|>=|=|<|>)
      | (?P<mark>[(),])
      | (?P<word>[^\W\d]\w*(?:\.(?:[\w-]+|"(?:[^"]|"")*+")|\[[0-9]{1,9}\])*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_KEYWORDS: Final = frozenset(
    ("and", "or", "not", "like", "in", "between", "is", "null", "escape", "contains", "matches")
)
_TEXTUAL: Final = (Kind.TEXT, Kind.ANY, Kind.BODY)
_TESTS: Final = "= <> < <= > >= LIKE IN BETWEEN IS NULL CONTAINS or MATCHES"
_OF_MQSC: Final = {
    "eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "lk": "LIKE 'A%'", "nl": "NOT LIKE 'A%'",
}  # fmt: skip
"""The operators of WHERE in MQSC, and what they are here."""
FIELD_HINT: Final = "fields: backout, format, age, put_time, correl_id, prop.NAME, body.PATH ..."


def parse_where(text: str, *, for_write: bool = False, what: str = "--where") -> Expression:
    """Read a condition.

    Args:
        for_write: the verb changes something: an all-zero id, and LIKE on an id, are refused.
    """
    if len(text) > GREATEST_LENGTH:
        msg = f"{what}: {len(text)} characters, at most {GREATEST_LENGTH} are read"
        raise UsageError(msg, hint="give long lists of ids in a file, with --ids-from")
    return WhereParser(text, for_write=for_write, what=what).whole()


def where_to_paste(tree: Expression | None) -> str:
    """The tree as a `--where` for the command of a note; "" where that would not help.

    It does not if the tree is too long to read, has characters that cannot be printed, or has no
    text that parses to it. None selects everything.
    """
    where = "" if tree is None else to_text(tree)
    if len(where) > GREATEST_TO_PASTE or not where.isprintable():
        return ""
    return where if where and parse_where(where) == tree else ""


def words_of(text: str) -> Iterator[str]:
    """The words of a condition: fields, keywords and names of constants."""
    return (token["word"] for token in _TOKEN.finditer(text) if token["word"])


def field_of(word: str) -> str | None:
    """The field that *word* names as the tree spells it, or None."""
    head = re.split(r"[.\[]", word, maxsplit=1)[0]
    path = word[len(head) :].removeprefix(".")
    if not path:
        return find_field(head)
    quoted = path.startswith('"')
    if quoted:
        path = path[1:-1].replace('""', '"')
    if head.lower() in ("prop", "property"):
        return f"prop.{path}" if path else None
    if head.lower() != "body":
        return None
    if not quoted:
        path = f"${path}" if path.startswith("[") else f"$.{path}"
    return f"body.{check_path(path)}"


class WhereParser(TokenCursor):
    """Recursive descent."""

    pattern = _TOKEN
    greatest_depth = 100

    def __init__(self, text: str, *, for_write: bool, what: str) -> None:
        self.for_write = for_write
        self.what = what
        self.is_negated = self.is_inside_not = False
        super().__init__(text)

    def whole(self) -> Expression:
        tree = self._or()
        if self._here.kind != "end":
            self._fail("AND, OR or the end")
        return tree

    # The grammar, loosest first

    def _or(self) -> Expression:
        parts = [self._and()]
        while self._take("or"):
            parts.append(self._and())
        return any_of(parts) or Or(())

    def _and(self) -> Expression:
        parts = [self._not()]
        while self._take("and"):
            parts.append(self._not())
        return all_of(parts) or And(())

    def _not(self) -> Expression:
        if not self._is("not"):
            return self._group() if self._here.text == "(" else self._condition()
        self._deeper()
        self.index += 1
        self.is_inside_not = not self.is_inside_not
        part = self._inside() if self._here.text == "(" else self._not()
        self.is_inside_not = not self.is_inside_not
        self.depth -= 1
        return Not(part)

    def _group(self) -> Expression:
        self._deeper()
        part = self._inside()
        self.depth -= 1
        return part

    def _inside(self) -> Expression:
        self.index += 1
        part = self._or()
        self._expect(")", "AND, OR or )")
        return part

    def _condition(self) -> Expression:
        at = self._here
        part = self._test()
        for leaf in leaves(part):
            if refused := refusal_of(leaf):
                self._fail_at(at, *refused)
        return part

    def _test(self) -> Expression:
        field = self._field()
        here = self._here
        if here.kind == "operator":
            self.index += 1
            self.is_negated = here.text in ("<>", "!=")
            return self._comparison(field, here)
        if self._take("is"):
            return self._is_null(field, here)
        self.is_negated = negated = self._take("not")
        leaf = self._worded(field)
        return Not(leaf) if negated else leaf

    def _comparison(self, field: str, operator: Token) -> Expression:
        op: Operator = "<>" if operator.text == "!=" else operator.text  # type: ignore[assignment]
        kind = spec_of(field).kind
        if op not in ("=", "<>") and kind in (Kind.ID, Kind.BODY):
            self._fail_at(operator, f"{field} can be compared with = and <> only")
        if self._here.kind == "operator":
            typed = operator.text + self._here.text
            meant = {"==": "=", "=<": "<=", "=>": ">=", "><": "<>"}.get(typed)
            meant = f": write {meant}" if meant else ""
            self._fail_at(operator, f"{typed} is not an operator{meant}")
        token, value = self._here, self._value(field)
        if (text_id := _text_id(field, token)) is not None:
            leaf = one_of_ids(field, [text_id])
            return leaf if op == "=" else Not(leaf)
        if kind is Kind.EXPIRY and value == -1:
            if op not in ("=", "<>"):
                self._fail_at(operator, "unlimited can be compared with = and <> only")
            return IsNull(field) if op == "=" else Not(IsNull(field))
        return Compare(field, op, value)

    def _is_null(self, field: str, at: Token) -> Expression:
        negated = self._take("not")
        self._expect("null", "NULL or NOT NULL")
        spec = spec_of(field)
        if not spec.nullable:
            none = {Kind.ID: f"= {(spec.names or ('MQMI_',))[0]}NONE", Kind.TEXT: "= ''"}
            instead = none.get(spec.kind, "with a value")
            self._fail_at(at, f"{field} is never NULL; compare it: {field} {instead}")
        return Not(IsNull(field)) if negated else IsNull(field)

    def _worded(self, field: str) -> Leaf:
        at = self._here
        kind = spec_of(field).kind
        if self._take("like"):
            return self._like(field, at)
        if self._take("in"):
            return self._in(field, at)
        if self._take("between"):
            if kind in (Kind.ID, Kind.BODY):
                self._fail_at(at, f"{field} has no order")
            low = self._value(field)
            self._expect("and", "AND and the upper value")
            return Between(field, low, self._value(field))
        if self._is("contains") or self._is("matches"):
            if kind not in _TEXTUAL:
                self._fail_at(at, f"{field} is not text")
            self.index += 1
            return self._contains(field) if at.text.lower() == "contains" else self._matches(field)
        meant = _OF_MQSC.get(at.text.lower())
        return self._fail(_TESTS, meant and f"did you mean {meant}?")

    def _like(self, field: str, at: Token) -> Like:
        kind = spec_of(field).kind
        if kind not in (*_TEXTUAL, Kind.ID):
            self._fail_at(at, f"{field} is a {kind}; LIKE is for text")
        if kind is Kind.ID and self.for_write:
            self._fail_at(at, f"part of an id ({field} LIKE) is for verbs that only read")
        pattern = self._text("a pattern in quotes")
        escape = self._text("one character in quotes") if self._take("escape") else ""
        if kind is Kind.ID:
            pattern = pattern.upper()
        wrong = like_error(pattern, escape)
        if wrong:
            self._fail_at(at, wrong)
        return Like(field, pattern, escape)

    def _in(self, field: str, at: Token) -> In:
        if spec_of(field).kind is Kind.BODY:
            self._fail_at(at, "use body CONTAINS or body.PATH")
        self._expect("(", "( and the values")
        values: list[Value] = []
        while not self._take(")"):
            if values:
                self._expect(",", ", or )")
            token = self._here
            values.append(self._value(field))
            if (text_id := _text_id(field, token)) is not None:
                values += text_id.forms[1:]
        if spec_of(field).kind is Kind.EXPIRY and -1 in values:
            self._fail_at(at, "unlimited is not allowed in a list; write expiry IS NULL OR ...")
        return In(field, tuple(values))

    def _contains(self, field: str) -> Contains:
        token = self._here
        if token.kind == "hex" and field == "body":
            self.index += 1
            data = hex_bytes(token.text)
            if not data:
                self._fail_at(token, "expected an even number of hex digits")
            return Contains(field, data)
        text = self._text("text in quotes")
        if not text:
            self._fail_at(token, "empty text is in every message")
        return Contains(field, text)

    def _matches(self, field: str) -> Matches:
        token = self._here
        pattern = self._text("a regular expression in quotes")
        try:
            search_for(pattern)
        except UsageError as error:
            self._fail_at(token, error.text, error.hint)
        return Matches(field, pattern)

    # Words and values

    def _field(self) -> str:
        token = self._here
        if token.kind != "word" or token.text.lower() in _KEYWORDS:
            self._fail("a field", FIELD_HINT)
        try:
            field = field_of(token.text)
        except UsageError as error:
            self._fail_at(token, error.text, error.hint)
        if field is None:
            near = close_fields(token.text)
            hint = f"did you mean {' or '.join(near)}?" if near else FIELD_HINT
            hint = column_hint(token.text) or hint
            self._fail_at(token, f"there is no field {token.shown}", hint)
        self.index += 1
        return field

    def _value(self, field: str) -> Value:
        token = self._here
        if token.kind not in ("string", "hex", "time", "number", "word"):
            self._fail("a value")
        excludes = self.is_negated
        if self.for_write:  # a hint replaces the whole condition there, not only this test
            excludes ^= self.is_inside_not
        try:
            value = read_literal(
                field, token.kind, token.text, for_write=self.for_write, excludes=excludes
            )
        except UsageError as error:
            self._fail_at(token, error.text, error.hint)
        self.index += 1
        return value

    def _text(self, expected: str) -> str:
        return unquoted(self._string(expected).text)

    def _fail_at(self, token: Token, why: str, hint: str | None = None) -> NoReturn:
        raise UsageError(f"{self.what}, column {token.position + 1}: {why}", hint=hint)


def _text_id(field: str, token: Token) -> IdMatch | None:
    """The id that a value is, if it is given as text and so has two forms."""
    if field not in ("msg_id", "correl_id") or token.kind != "string":
        return None
    match = parse_id(unquoted(token.text), for_write=False)
    return match if match.with_blanks is not None else None


def hex_bytes(text: str) -> bytes:
    """The bytes of ``x'C1C2'``; none when they are not pairs of hex digits."""
    digits = text[2:-1]
    return bytes.fromhex(digits) if re.fullmatch("(?:[0-9A-Fa-f]{2})+", digits) else b""
