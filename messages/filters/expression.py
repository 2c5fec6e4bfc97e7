"""The tree of a message filter: what `--where` and the selection options are parsed into.

    And(parts) Or(parts) Not(part)
    Compare(field, op, value)               op: = <> < <= > >=
    Like(field, pattern, escape)            SQL LIKE: % any run, _ one character
    In(field, values)   Between(field, low, high)   IsNull(field)
    Contains(field, value)                  text in text; bytes in the body
    Matches(field, pattern)                 Python regular expression, searched

A *field* is a name of `fields`, ``prop.NAME``, or ``body.PATH`` with a path
that begins with ``$`` (JSON) or ``/`` (XML). A *value* is in the unit of its field: times are
microseconds or `RelativeTime`, ``age`` and ``delay`` milliseconds, ``expiry`` tenths, ids 24 bytes;
text compares without trailing blanks. On an id field, Like sees 48 upper-case hex digits.

Truth has three values, as in SQL: whatever is asked of a missing value is unknown, NOT of unknown
is unknown, and only messages for which the whole is true are selected. MQMD fields are never
missing, apart from ``expiry`` (missing when unlimited) and ``put_time`` and ``age`` (missing when
PutDate and PutTime hold no time). Not and the leaves suffice: `x <> 1` is Compare(x, "<>", 1),
`x NOT IN (1)` is Not(In(x, (1,))).

The predicate for messages in hand is made in `predicate`; `pipeline/` makes Spark
columns of the same tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from typing import Final, Literal, TypeAlias

from mqtriage.messages.filters.fields import Kind, spec_of
from mqtriage.model.ids import IdMatch
from mqtriage.model.times import LocalTime, Now, RelativeTime
from mqtriage.model.units import duration_text
from mqtriage.mq.times import rfc3339
from mqtriage.records import NamedTuple

Value: TypeAlias = bool | int | float | str | bytes | RelativeTime
Operator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]
OPPOSITE: Final[dict[str, Operator]] = {
    "=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
}  # fmt: skip


class And(NamedTuple):
    """True when all *parts* are; two at least, none of them an And."""

    parts: tuple[Expression, ...]
    kind: str = "And"


class Or(NamedTuple):
    """True when one of *parts* is; two at least, none of them an Or."""

    parts: tuple[Expression, ...]
    kind: str = "Or"


class Not(NamedTuple):
    """True when *part* is false; unknown stays unknown."""

    part: Expression
    kind: str = "Not"


class Compare(NamedTuple):
    """The field's value beside one value."""

    field: str
    op: Operator
    value: Value
    kind: str = "Compare"


class Like(NamedTuple):
    """SQL LIKE over the whole text: ``%`` any run, ``_`` one character, *escape* before either."""

    field: str
    pattern: str
    escape: str = ""
    kind: str = "Like"


class In(NamedTuple):
    """The field's value is one of *values*; with none, false.

    Of ids, *paddings* has those of *values* that are one text: with NUL, and with blanks.
    """

    field: str
    values: tuple[Value, ...]
    kind: str = "In"
    paddings: tuple[tuple[bytes, bytes], ...] = ()


class Between(NamedTuple):
    """*low* <= the field's value <= *high*."""

    field: str
    low: Value
    high: Value
    kind: str = "Between"


class IsNull(NamedTuple):
    """The field is missing; never unknown."""

    field: str
    kind: str = "IsNull"


class Contains(NamedTuple):
    """*value* is somewhere in the field: text in text, or bytes in the body as it was put."""

    field: str
    value: str | bytes
    kind: str = "Contains"


class Matches(NamedTuple):
    """The regular expression is found in the field (limits: `messages.body_regex`)."""

    field: str
    pattern: str
    kind: str = "Matches"


IdTest: TypeAlias = Compare | Like | In
"""Of `--msgid`, `--correlid` and `--ids-from`: an id, the start or the end of one, or several."""
Leaf: TypeAlias = Compare | Like | In | Between | IsNull | Contains | Matches
Expression: TypeAlias = And | Or | Not | Leaf


def one_of_ids(field: str, matches: Iterable[IdMatch]) -> In:
    """The test of whole ids, each in all its forms: text is padded with NUL or with blanks."""
    matches = list(matches)
    values = dict.fromkeys(form for match in matches for form in match.forms)
    pairs = ((match.value, match.with_blanks) for match in matches)
    paddings = dict.fromkeys((nul, blanks) for nul, blanks in pairs if blanks is not None)
    return In(field, tuple(values), paddings=tuple(paddings))


def _joined(kind: type[And] | type[Or], parts: Iterable[Expression]) -> Expression | None:
    flat: list[Expression] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    return kind(tuple(flat)) if len(flat) > 1 else (flat[0] if flat else None)


all_of: Final = partial(_joined, And)
"""Join with AND, flat; None when there are no parts."""
any_of: Final = partial(_joined, Or)
"""Join with OR, flat; None when there are no parts."""


def top_level_parts(tree: Expression | None) -> tuple[Expression, ...]:
    """What must be true of every message selected."""
    if tree is None:
        return ()
    return tree.parts if isinstance(tree, And) else (tree,)


def leaves(tree: Expression | None) -> Iterator[Leaf]:
    """All tests in the tree, from left to right."""
    if isinstance(tree, And | Or):
        for part in tree.parts:
            yield from leaves(part)
    elif isinstance(tree, Not):
        yield from leaves(tree.part)
    elif tree is not None:
        yield tree


def _with_leaves(tree: Expression, change: Callable[[Leaf], Expression]) -> Expression:
    match tree:
        case And(parts) | Or(parts):
            return tree._replace(parts=tuple(_with_leaves(part, change) for part in parts))
        case Not(part):
            return Not(_with_leaves(part, change))
    return change(tree)


def replaced(tree: Expression, leaf: Leaf, by: Expression) -> Expression:
    """The tree with *by* wherever *leaf* is."""
    return _with_leaves(tree, lambda one: by if one == leaf else one)


def renamed(tree: Expression, names: Mapping[str, str]) -> Expression:
    """The tree with other fields, by their names."""
    return _with_leaves(tree, lambda leaf: leaf._replace(field=names.get(leaf.field, leaf.field)))


def needed(tree: Expression, absent: Container[str], *, negated: bool = False) -> frozenset[str]:
    """Fields of *absent* that keep the tree from being true of any message; none: it can be."""
    match tree:
        case Not(part):
            return needed(part, absent, negated=not negated)
        case And(parts) | Or(parts):
            unmet = [needed(part, absent, negated=negated) for part in parts]
            alternatives = isinstance(tree, Or) is not negated
            met = alternatives and not all(unmet)
            return frozenset() if met else frozenset().union(*unmet)
        case IsNull() if not negated:
            return frozenset()
    return frozenset({tree.field} if tree.field in absent else ())


def excludes(tree: Expression) -> bool:
    """Whether it selects what is not so: people then forget messages without a value."""
    match tree:
        case Not(IsNull()):
            return False
        case Not(part):
            return any(spec_of(leaf.field).nullable for leaf in leaves(part))
        case And(parts) | Or(parts):
            return any(map(excludes, parts))
        case Compare(field, "<>"):
            return spec_of(field).nullable
    return False


def to_text(tree: Expression) -> str:
    """Write the tree as a `--where` that parses to the same tree."""
    match tree:
        case And(parts):
            return " AND ".join(in_and(part) for part in parts)
        case Or(parts):
            return " OR ".join(in_and(part) for part in parts)
        case Not(part):
            return f"NOT ({to_text(part)})"
        case Compare(field, op, value):
            return f"{field_text(field)} {op} {value_text(field, value)}"
        case Like(field, pattern, escape):
            ending = f" ESCAPE {_quoted(escape)}" if escape else ""
            return f"{field_text(field)} LIKE {_quoted(pattern)}{ending}"
        case In(field, values):
            listed = ", ".join(value_text(field, value) for value in values)
            return f"{field_text(field)} IN ({listed})"
        case Between(field, low, high):
            low_text, high_text = value_text(field, low), value_text(field, high)
            return f"{field_text(field)} BETWEEN {low_text} AND {high_text}"
        case IsNull(field):
            return f"{field_text(field)} IS NULL"
        case Contains(field, value):
            literal = f"x'{value.hex()}'" if isinstance(value, bytes) else _quoted(value)
            return f"{field_text(field)} CONTAINS {literal}"
        case Matches(field, pattern):
            return f"{field_text(field)} MATCHES {_quoted(pattern)}"


_PLAIN_PATH: Final = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+|\[[0-9]{1,9}\])*\Z", re.ASCII)


def field_text(field: str) -> str:
    """A field as `--where` reads it; names and paths that are not plain words are quoted."""
    family, dot, path = field.partition(".")
    if not dot:
        return field
    plain = path.removeprefix("$.") if family == "body" else path
    if (family == "prop" or plain != path) and _PLAIN_PATH.match(plain):
        return f"{family}.{plain}"
    return f'{family}."' + path.replace('"', '""') + '"'


def value_text(field: str, value: Value) -> str:
    """A literal as `--where` reads it, in the unit of its field."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bytes):
        return f"'{value.hex().upper()}'"
    if isinstance(value, LocalTime):
        return _quoted(str(value))
    if isinstance(value, Now):
        return str(value)
    kind = spec_of(field).kind
    if kind is Kind.TIME:
        return rfc3339(int(value))
    return duration_text(int(value)) if kind is Kind.DURATION else repr(value)


def in_and(part: Expression) -> str:
    """A term of an AND."""
    text = to_text(part)
    return f"({text})" if isinstance(part, And | Or) else text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
