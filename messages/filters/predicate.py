"""Turn the tree of a filter into a function over messages in hand.

NOT is first driven down to the leaves, which Kleene's logic allows; there each test and its
negation are functions that are true only when the answer is known. So AND and OR need no third
value. Within AND and OR the cheap tests stand first: MQMD, then headers, then the body.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, TypeAlias

from mqtriage.messages.body_regex import RegexBudget, search_for
from mqtriage.messages.filters.expression import (
    OPPOSITE,
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
    Or,
    Value,
    leaves,
)
from mqtriage.messages.filters.fields import Kind, Need, spec_of
from mqtriage.messages.filters.like import like_function
from mqtriage.messages.filters.literals import number_of
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.filters.token_cursor import COMPARISONS
from mqtriage.model.times import RelativeTime

Test: TypeAlias = Callable[[Subject], bool]
Getter: TypeAlias = Callable[[Subject], Any]

_COST: Final = {Need.MQMD: 0, Need.HEADERS: 2, Need.DUE: 3, Need.BODY: 4}


def compile_tree(tree: Expression, now_us: int, budget: RegexBudget | None = None) -> Test:
    """A function that says whether *tree* is true of a message when it is *now_us*.

    Args:
        budget: what the regular expressions of all messages may spend together.
    """
    return _compile(tree, now_us, False, budget)


def _compile(tree: Expression, now_us: int, negated: bool, budget: RegexBudget | None) -> Test:
    if isinstance(tree, Not):
        return _compile(tree.part, now_us, not negated, budget)
    if isinstance(tree, And | Or):
        parts = sorted(tree.parts, key=_cost)
        tests = [_compile(part, now_us, negated, budget) for part in parts]
        return _joined(tests, every=isinstance(tree, And) is not negated)
    return _leaf(tree, now_us, negated, budget)


def _cost(tree: Expression) -> int:
    return max(map(_leaf_cost, leaves(tree)))


def _leaf_cost(leaf: Leaf) -> int:
    spec = spec_of(leaf.field)
    timed = spec.attribute == "put_time_us"
    return _COST[spec.need] + timed + (3 if isinstance(leaf, Matches) else 0)


def _joined(tests: list[Test], *, every: bool) -> Test:
    """Whether all of *tests* are true, or one of them is."""
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        if every:
            return lambda subject: first(subject) and second(subject)
        return lambda subject: first(subject) or second(subject)

    def joined(subject: Subject) -> bool:
        # a loop is faster than all() over a generator
        for test in tests:
            if test(subject) is not every:
                return not every
        return every

    return joined


def _leaf(leaf: Leaf, now_us: int, negated: bool, budget: RegexBudget | None) -> Test:
    get = getter_of(leaf.field, now_us)
    nullable = spec_of(leaf.field).nullable
    loose = spec_of(leaf.field).kind is Kind.ANY
    match leaf:
        case IsNull():
            if negated:
                return lambda subject: get(subject) is not None
            return lambda subject: get(subject) is None
        case Compare(_, op, value):
            op = OPPOSITE[op] if negated else op
            if loose:
                return _loosely(get, op, value)
            return _compare(get, op, _at(value, now_us), nullable)
        case Between(_, low, high):
            parts: list[Test] = [
                _leaf(Compare(leaf.field, ">=", low), now_us, negated, budget),
                _leaf(Compare(leaf.field, "<=", high), now_us, negated, budget),
            ]
            return _joined(parts, every=not negated)
        case In(_, values):
            if loose:
                tests = [_loosely(get, "<>" if negated else "=", value) for value in values]
                return _joined(tests, every=negated)
            return _member(get, frozenset(_at(v, now_us) for v in values), nullable, negated)
        case Like(field, pattern, escape):
            return _like_test(field, get, like_function(pattern, escape), negated)
        case Contains(_, value):
            return _contains(leaf.field, get, value, negated)
        case Matches(_, pattern):
            return _matches(leaf.field, get, pattern, negated, budget)


def getter_of(field: str, now_us: int) -> Getter:
    """A function from a message to its value of *field* in the field's unit, None where missing."""
    family, dot, path = field.partition(".")
    if dot and family == "prop":
        return lambda subject: subject.property_value(path)
    if dot:
        return lambda subject: subject.body_value(path)
    get = attrgetter(spec_of(field).attribute)
    if field in ("age", "dlq_age"):

        def age_ms(subject: Subject) -> int | None:
            put_us = get(subject)
            return None if put_us is None else (now_us - put_us) // 1_000

        return age_ms
    return get


def _at(value: Value, now_us: int) -> Any:
    return value.at(now_us) if isinstance(value, RelativeTime) else value


def _compare(get: Getter, op: str, value: Any, nullable: bool) -> Test:
    compare: Callable[[Any, Any], bool] = COMPARISONS[op]
    if nullable:
        return lambda subject: (read := get(subject)) is not None and compare(read, value)
    if op == "=":
        return lambda subject: bool(get(subject) == value)
    return lambda subject: compare(get(subject), value)


def _member(get: Getter, values: frozenset[Any], nullable: bool, negated: bool) -> Test:
    if not negated:
        return lambda subject: get(subject) in values
    if not nullable:
        return lambda subject: get(subject) not in values
    return lambda subject: (read := get(subject)) is not None and read not in values


def _loosely(get: Getter, op: str, literal: Value) -> Test:
    """Compare a value whose type only the message knows.

    Text beside a number literal is read as a number, and a number beside a text literal is
    compared with the number in the text; true and false are read from text too. Values that
    cannot be compared (text that is no number, an object) leave the answer unknown.
    """
    compare: Callable[[Any, Any], bool] = COMPARISONS[op]
    expected_number = number_of(literal) if isinstance(literal, str) else None

    def test(subject: Subject) -> bool:
        read = get(subject)
        expected: Any = literal
        if isinstance(literal, bool):
            if isinstance(read, str):
                read = {"true": True, "false": False}.get(read.lower())
            if not isinstance(read, bool):
                return False
        elif isinstance(literal, str):
            if isinstance(read, bool):
                read, expected = str(read).lower(), literal.lower()
            elif isinstance(read, int | float):
                expected = expected_number
                if expected is None:
                    return False
            elif not isinstance(read, str):
                return False
        else:
            if isinstance(read, str):
                read = number_of(read.strip())
            if not isinstance(read, int | float) or isinstance(read, bool):
                return False
        return compare(read, expected)

    return test


def _as_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


def _like_test(field: str, get: Getter, like: Callable[[str], bool], negated: bool) -> Test:
    if spec_of(field).kind is Kind.ID:
        return lambda s: (read := get(s)) is not None and like(read.hex().upper()) is not negated
    cut_matters = field == "body"

    def test(subject: Subject) -> bool:
        read = _as_text(get(subject))
        if read is None or (cut_matters and subject.is_cut):
            return False
        return like(read) is not negated

    return test


def _contains(field: str, get: Getter, value: str | bytes, negated: bool) -> Test:
    if field != "body":
        part = value if isinstance(value, str) else value.hex()
        return lambda s: (text := _as_text(get(s))) is not None and (part in text) is not negated
    data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
    text = value if isinstance(value, str) else None

    def test(subject: Subject) -> bool:
        text_read = get(subject) if text is not None else None
        if text is not None and text_read is not None:
            is_in = text in text_read
            known = True
        else:  # bytes were asked for, or the data is not text: look for the same bytes in UTF-8
            is_in = data in subject.payload
            known = text is None
        if is_in:
            return not negated
        return negated and known and not subject.is_cut

    return test


def _matches(
    field: str, get: Getter, pattern: str, negated: bool, budget: RegexBudget | None
) -> Test:
    regex = search_for(pattern)
    matches = regex.search if budget is None else budget.kept(regex)
    is_body = field == "body"

    def test(subject: Subject) -> bool:
        text = _as_text(get(subject))
        if text is None:
            return False
        if matches(text):
            return not negated
        return negated and not (is_body and subject.is_cut)

    return test
