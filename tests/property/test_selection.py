"""What must hold of every filter: it prints back, it follows SQL's logic, it cannot hang."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.messages.body_path import check_path, parse_json, path_end, xml_value
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
    Or,
    Value,
    all_of,
    any_of,
    to_text,
)
from mqtriage.messages.filters.fields import FIELDS, Kind, spec_of
from mqtriage.messages.filters.like import like_error, like_function
from mqtriage.messages.filters.predicate import compile_tree
from mqtriage.messages.filters.ranges import refusal_of
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.filters.where import parse_where
from mqtriage.model.times import Now
from mqtriage.model.units import GREATEST_MS
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.times import GREATEST_US
from tests.support.scale import amount

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SPANS = st.integers(-GREATEST_MS, GREATEST_MS)
VALUES: dict[Kind, st.SearchStrategy[Value]] = {
    Kind.ID: st.binary(min_size=24, max_size=24),
    Kind.TEXT: TEXT.map(lambda text: text.rstrip(" ")),
    Kind.BODY: TEXT,
    Kind.NUMBER: st.integers(-(2**31), 2**31),
    Kind.SIZE: st.integers(0, 2**40),
    Kind.DURATION: SPANS,
    Kind.EXPIRY: st.integers(0, 999_999_999),
    Kind.TIME: st.integers(0, GREATEST_US) | st.builds(Now, SPANS),
    Kind.ANY: TEXT | st.booleans() | st.integers() .filter(lambda n: abs(n) < 10**39)
    | st.floats(allow_nan=False, allow_infinity=False, width=32),
}  # fmt: skip
PATHS = st.sampled_from(["body.$.a", "body.$.a.b[0]", "body.$['a b']", "body./a/@b", "body.$[1].x"])
NAMES = st.sampled_from([spec.name for spec in FIELDS])
FIELD = NAMES | PATHS | TEXT.filter(bool).map(lambda name: f"prop.{name}")


@st.composite
def leaf(draw: st.DrawFn) -> Leaf:
    field = draw(FIELD)
    spec = spec_of(field)
    kind = spec.kind
    values = VALUES[kind]
    textual = kind in (Kind.TEXT, Kind.ANY, Kind.BODY)
    expressions: list[Leaf] = [
        Compare(field, "=", draw(values)),
        Compare(field, "<>", draw(values)),
    ]
    if kind not in (Kind.ID, Kind.BODY):
        expressions.append(
            Compare(field, draw(st.sampled_from(["<", "<=", ">", ">="])), draw(values))
        )
        expressions.append(Between(field, draw(values), draw(values)))
    if kind is not Kind.BODY:
        expressions.append(In(field, tuple(draw(st.lists(values, max_size=3)))))
    if spec.nullable:
        expressions.append(IsNull(field))
    if textual:
        pattern, escape = draw(TEXT), draw(st.sampled_from(["", "!"]))
        expressions.append(Like(field, pattern, escape if not like_error(pattern, escape) else ""))
        expressions.append(Contains(field, draw(TEXT.filter(bool))))
        expressions.append(Matches(field, re.escape(draw(TEXT.filter(bool)))))
    if field == "body":
        expressions.append(Contains(field, draw(st.binary(min_size=1, max_size=8))))
    return draw(st.sampled_from(expressions).filter(lambda part: refusal_of(part) is None))


def joined(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    parts = st.lists(children, min_size=2, max_size=3)
    return (
        children.map(Not)
        | parts.map(lambda operands: all_of(operands) or Not(operands[0]))
        | parts.map(lambda operands: any_of(operands) or Not(operands[0]))
    )


TREES = st.recursive(leaf(), joined, max_leaves=8)


@settings(max_examples=amount(75))
@given(tree=TREES)
@pytest.mark.slow
def test_a_printed_tree_parses_to_the_same_tree(tree: Expression) -> None:
    assert parse_where(to_text(tree)) == tree


@given(text=st.text(max_size=60) | st.lists(st.sampled_from(
    ["backout", "=", "3", "(", ")", "and", "or", "not", "in", ",", "'a'", "like", "is", "null",
     "body.a[0]", "prop.x", "between", "x'41'", "now-5m", "5m", "matches", "contains", "expiry",
     "unlimited", "MQRC_NONE", "escape", "-1", "2026-01-31T10:00:00Z"]
)).map(" ".join))  # fmt: skip
def test_any_text_is_a_condition_or_one_usage_error(text: str) -> None:
    try:
        tree = parse_where(text)
    except UsageError as error:
        assert error.text.startswith("--where, column ")
    else:
        assert parse_where(to_text(tree)) == tree


class Values:
    """Headers that hold properties and nothing else."""

    original_msg_id = sender_correl_id = target = target_qmgr = dest = dest_qmgr = reason = None
    dlq_put_appl = damage = None
    due_time_us = dlq_put_time_us = delay_ms = body_text = None
    dlq_format = ""
    payload = b""

    def __init__(self, properties: dict[str, Any]) -> None:
        self.properties = properties


def kleene(tree: Expression, values: dict[str, int]) -> bool | None:
    """Three-valued truth, worked out the plain way."""
    if isinstance(tree, Not):
        inner = kleene(tree.part, values)
        return None if inner is None else not inner
    if isinstance(tree, And | Or):
        truths = [kleene(part, values) for part in tree.parts]
        decides = isinstance(tree, Or)
        if decides in truths:
            return decides
        return None if None in truths else not decides
    value = values.get(tree.field.removeprefix("prop."))
    if isinstance(tree, IsNull):
        return value is None
    if value is None:
        return None
    if isinstance(tree, In):
        return value in tree.values
    if isinstance(tree, Between):
        return int(str(tree.low)) <= value <= int(str(tree.high))
    assert isinstance(tree, Compare) and isinstance(tree.value, int)
    return {
        "=": value == tree.value, "<>": value != tree.value, "<": value < tree.value,
        "<=": value <= tree.value, ">": value > tree.value, ">=": value >= tree.value,
    }[tree.op]  # fmt: skip


SMALL = st.integers(0, 2)
ABC = st.sampled_from(["prop.a", "prop.b", "prop.c"])
OPERATORS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
NUMERIC: st.SearchStrategy[Expression] = (
    st.builds(Compare, ABC, OPERATORS, SMALL)
    | st.builds(Between, ABC, SMALL, SMALL)
    | st.builds(In, ABC, st.lists(SMALL, min_size=1, max_size=2).map(tuple))
    | st.builds(IsNull, ABC)
)


@settings(max_examples=amount(75))
@given(
    tree=st.recursive(NUMERIC, joined, max_leaves=10),
    values=st.dictionaries(st.sampled_from("abc"), SMALL),
)
@pytest.mark.slow
def test_the_predicate_selects_what_is_true_in_three_valued_logic(
    tree: Expression, values: dict[str, int]
) -> None:
    subject = Subject(Message(MQMD(), b"", 0), lambda _: Values(values))
    assert compile_tree(tree, 0)(subject) is (kleene(tree, values) is True)
    assert compile_tree(Not(tree), 0)(subject) is (kleene(tree, values) is False)


@given(tree=TREES, body=st.binary(max_size=40), now_us=st.integers(0, GREATEST_US))
def test_a_predicate_answers_for_any_message(tree: Expression, body: bytes, now_us: int) -> None:
    test = compile_tree(tree, now_us)
    inverse = compile_tree(Not(tree), now_us)
    for md in (MQMD(), MQMD(ccsid=1208, format="MQSTR", put_date="20260131", put_time="10000000")):
        subject = Subject(Message(md, body, len(body)))
        assert not (test(subject) and inverse(subject))


@given(tree=TREES)
def test_needs_and_explanation_cover_every_tree(tree: Expression) -> None:
    selection = Selection(tree)
    assert selection.needs <= {"headers", "body", "due"}
    assert all(line.startswith(("queue manager: ", "mqtriage: ")) for line in selection.explain())


@given(text=st.text("ab%_!", max_size=10), pattern=st.text("ab%_", max_size=8))
def test_like_agrees_with_a_regular_expression(text: str, pattern: str) -> None:
    source = "".join({"%": ".*", "_": "."}.get(c, re.escape(c)) for c in pattern)
    assert like_function(pattern)(text) is (re.fullmatch(source, text, re.DOTALL) is not None)


@given(text=st.text("ab%_!", max_size=12))
def test_an_escaped_pattern_matches_only_its_own_text(text: str) -> None:
    pattern = re.sub("([%_!])", r"!\1", text)
    assert like_function(pattern, "!")(text)
    assert not like_function(pattern, "!")(text + "a")


PATTERNS = st.text("ab.*+?|()[]^{}2,\\d", min_size=1, max_size=12)


ATOMS = st.sampled_from(["a", "b", "2", ",", ".", r"\d", r"\.", "[ab]", "[^a2]", "^", "$"])
WHOLE_PATTERNS = st.recursive(
    ATOMS,
    lambda part: st.one_of(
        st.lists(part, min_size=1, max_size=3).map("".join),
        st.lists(part, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        st.builds("({}){}".format, part, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?"])),
    ),
    max_leaves=6,
)


@given(pattern=PATTERNS | WHOLE_PATTERNS, text=st.text("ab2,.", max_size=30))
def test_a_pattern_that_is_taken_means_what_re_says(pattern: str, text: str) -> None:
    try:
        search = search_for(pattern)
    except UsageError:
        return
    assert (search.search(text) is None) is (re.search(pattern, text) is None)


@given(text=st.text("$./[]'@ab1 =", max_size=15))
def test_a_body_path_is_read_or_refused(text: str) -> None:
    end = path_end(text)
    assert 0 <= end <= max(len(text), 1)
    try:
        check_path(text)
    except UsageError:
        return
    assert path_end(text) == len(text)
    xml_value("<a><b a='1'/></a>", text if text.startswith("/") else "/a")


@given(text=st.text(max_size=60) | st.text("<>/ab='\"!&; ", max_size=60))
def test_no_body_breaks_the_readers(text: str) -> None:
    parse_json(text)
    assert xml_value(text, "/a/@b") is None or "b" in text
