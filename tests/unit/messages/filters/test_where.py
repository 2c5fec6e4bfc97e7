"""The language of --where: what it accepts, the tree it makes, and how it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from mqtriage.messages.filters.expression import (
    And,
    Between,
    Compare,
    Contains,
    Expression,
    In,
    IsNull,
    Like,
    Matches,
    Not,
    Or,
)
from mqtriage.messages.filters.fields import FIELDS
from mqtriage.messages.filters.where import field_of, parse_where
from mqtriage.model.times import Now
from mqtriage.mq.errors import UsageError
from tests.support.timing import times_as_long

ID = bytes.fromhex("414D51").ljust(24, b"\0")
BLANKS = b"AMQ".ljust(24)
HEX = ID.hex().upper()


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        pytest.param("backout >= 3", Compare("backout", ">=", 3), id="number"),
        pytest.param("BackoutCount >= 3", Compare("backout", ">=", 3), id="mqmd-spelling"),
        pytest.param("backout_count != 3", Compare("backout", "<>", 3), id="other-not-equal"),
        pytest.param("feedback = -1", Compare("feedback", "=", -1), id="negative"),
        pytest.param(
            "format = 'MQSTR   '", Compare("format", "=", "MQSTR"), id="blanks-are-padding"
        ),
        pytest.param("format = MQFMT_STRING", Compare("format", "=", "MQSTR"), id="format-name"),
        pytest.param("user = 'o''neil'", Compare("user", "=", "o'neil"), id="doubled-quote"),
        pytest.param("reason = mqrc_q_full", Compare("reason", "=", 2053), id="reason-name"),
        pytest.param("feedback = MQFB_EXPIRATION", Compare("feedback", "=", 258), id="feedback"),
        pytest.param("persistence = MQPER_PERSISTENT", Compare("persistence", "=", 1), id="mqper"),
        pytest.param("age > 1h30m", Compare("age", ">", 5_400_000), id="duration"),
        pytest.param("length > 4MiB", Compare("length", ">", 4 << 20), id="size"),
        pytest.param("expiry < 5m", Compare("expiry", "<", 3000), id="expiry-duration"),
        pytest.param("expiry < 300", Compare("expiry", "<", 300), id="expiry-tenths"),
        pytest.param("expiry = unlimited", IsNull("expiry"), id="unlimited"),
        pytest.param("expiry <> MQEI_UNLIMITED", Not(IsNull("expiry")), id="not-unlimited"),
        pytest.param(
            "put_time < 1970-01-01T00:00:01+00:00", Compare("put_time", "<", 1_000_000), id="time"
        ),
        pytest.param("put_time > now-2h", Compare("put_time", ">", Now(-7_200_000)), id="now"),
        pytest.param(f"msg_id = '{HEX}'", Compare("msg_id", "=", ID), id="id-hex"),
        pytest.param(
            "msg_id = 'text:AMQ'",
            In("msg_id", (ID, BLANKS), paddings=((ID, BLANKS),)),
            id="id-text",
        ),
        pytest.param(
            "correl_id <> 'text:AMQ'",
            Not(In("correl_id", (ID, BLANKS), paddings=((ID, BLANKS),))),
            id="no-id-text",
        ),
        pytest.param(f"msg_id = x'{HEX}'", Compare("msg_id", "=", ID), id="id-sql-hex"),
        pytest.param("correl_id = MQCI_NONE", Compare("correl_id", "=", bytes(24)), id="no-id"),
        pytest.param("msg_id like '414d51%'", Like("msg_id", "414D51%"), id="id-prefix"),
        pytest.param("prop.Color = 'red'", Compare("prop.Color", "=", "red"), id="property"),
        pytest.param('prop."a b" = 1.5', Compare("prop.a b", "=", 1.5), id="quoted-property"),
        pytest.param("prop.ok = TRUE", Compare("prop.ok", "=", True), id="boolean"),
        pytest.param("body.a.b[0] = 42", Compare("body.$.a.b[0]", "=", 42), id="json-path"),
        pytest.param("body.\"/a/@b\" = '1'", Compare("body./a/@b", "=", "1"), id="xml-path"),
        pytest.param("body CONTAINS 'x'", Contains("body", "x"), id="contains"),
        pytest.param("body contains x'0d0A'", Contains("body", b"\r\n"), id="contains-bytes"),
        pytest.param("body MATCHES 'a+'", Matches("body", "a+"), id="matches"),
        pytest.param("user IN ('a', 'b')", In("user", ("a", "b")), id="in"),
        pytest.param("user NOT IN ('a')", Not(In("user", ("a",))), id="not-in"),
        pytest.param("backout BETWEEN 1 AND 3", Between("backout", 1, 3), id="between"),
        pytest.param("format LIKE 'a!%' ESCAPE '!'", Like("format", "a!%", "!"), id="escape"),
        pytest.param("due_time IS NOT NULL", Not(IsNull("due_time")), id="is-not-null"),
    ],
)
def test_a_condition_becomes_this_tree(text: str, tree: Expression) -> None:
    assert parse_where(text) == tree


A, B, C = (Compare("backout", "=", number) for number in (1, 2, 3))
a, b, c = "backout=1", "backout=2", "backout=3"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        pytest.param(f"{a} or {b} and {c}", Or((A, And((B, C)))), id="and-binds-tighter"),
        pytest.param(f"({a} or {b}) and {c}", And((Or((A, B)), C)), id="parentheses"),
        pytest.param(f"not {a} and {b}", And((Not(A), B)), id="not-binds-tightest"),
        pytest.param(f"not ({a} and {b})", Not(And((A, B))), id="not-of-a-group"),
        pytest.param(f"{a} and ({b} and {c})", And((A, B, C)), id="nested-and-is-flat"),
        pytest.param(f"(({a}))", A, id="idle-parentheses"),
    ],
)
def test_operators_bind_as_in_sql(text: str, tree: Expression) -> None:
    assert parse_where(text) == tree


@pytest.mark.parametrize(
    ("text", "column", "why"),
    [
        ("usr. = 1", 4, "'.' has no meaning here"),
        ("headers[a] = 1", 8, "'[' has no meaning here"),
        ('user = "app"', 8, "text is in single quotes, as in 'app'"),
        ("user = \u2018app\u2019", 8, "text is in single quotes, as in 'app'"),
        ('user = "it\'s', 8, "text is in single quotes, as in 'it''s'"),
        pytest.param("", 1, "expected a field, found the end", id="empty"),
        pytest.param("backout >= ", 12, "expected a value, found the end", id="no-value"),
        pytest.param("backout", 8, "expected = <>", id="no-test"),
        pytest.param("3 = backout", 1, "expected a field, found '3'", id="value-first"),
        pytest.param("backout = 3 user = 'a'", 13, "expected AND, OR or the end", id="no-and"),
        pytest.param("(backout = 3", 13, "expected AND, OR or )", id="open-parenthesis"),
        pytest.param("backout = 3)", 12, "expected AND, OR or the end, found ')'", id="close"),
        pytest.param("backout = 'x'", 11, "takes a whole number", id="text-for-a-number"),
        pytest.param("backout = 1.5", 11, "takes a whole number", id="fraction"),
        pytest.param("format = MQSTR", 10, "takes text in quotes", id="text-without-quotes"),
        pytest.param("user = 'abc", 8, "no closing quote", id="open-quote"),
        pytest.param("age > 5", 7, "not a duration", id="no-unit"),
        pytest.param("put_time > '2026-02-30T10:00:00'", 12, "no such day", id="no-day"),
        pytest.param("msg_id = 'zz'", 10, "48 hex digits", id="id"),
        pytest.param("msg_id > 'ID:41'", 8, "= and <> only", id="id-order"),
        pytest.param("msg_id = NULL", 10, "nothing equals NULL", id="equals-null"),
        pytest.param("correl_id IS NULL", 11, "= MQCI_NONE", id="never-null"),
        pytest.param("reason = MQRC_Q_FUL", 10, "MQRC_Q_FUL is not known", id="mq-name"),
        pytest.param("reason = MQPER_PERSISTENT", 10, "takes MQRC_* or MQFB_*", id="other-family"),
        pytest.param("backout # 3", 9, "'#' has no meaning", id="character"),
        pytest.param("user LIKE 3", 11, "expected a pattern", id="like-number"),
        pytest.param("backout LIKE '3'", 9, "LIKE is for text", id="like-on-number"),
        pytest.param("user LIKE 'a!b' ESCAPE '!'", 6, "followed by", id="escape-of-nothing"),
        pytest.param("user LIKE 'a' ESCAPE '!!'", 6, "one character", id="escape-of-two"),
        pytest.param("user IN 'a'", 9, "( and the values", id="in-without-list"),
        pytest.param("backout BETWEEN 1 OR 3", 19, "AND and the upper value", id="between-or"),
        pytest.param("body MATCHES '('", 14, "regular expression", id="bad-regex"),
        pytest.param("body CONTAINS ''", 15, "in every message", id="contains-nothing"),
        pytest.param("body.\"nopath\" = 1", 1, "neither $ nor /", id="body-path"),
        pytest.param("expiry < unlimited", 8, "= and <> only", id="less-than-unlimited"),
        pytest.param("prop.x = 1e999", 10, "text in quotes, a number", id="infinite"),
        pytest.param("prop.x = " + "9" * 6000, 10, "a number", id="endless-number"),
    ],
)  # fmt: skip
def test_an_error_has_the_column_and_what_was_expected(text: str, column: int, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_where(text)
    assert caught.value.text.startswith(f"--where, column {column}: ")
    assert why in caught.value.text
    assert len(caught.value.text) < 300


def test_a_misspelt_field_gets_the_close_names() -> None:
    with pytest.raises(UsageError, match="no field 'backot'") as caught:
        parse_where("backot = 3")
    assert caught.value.hint == "did you mean backout?"


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [
        ("msg_id = 'E5F60708'", "msg_id LIKE '%E5F60708'", "--msgid E5F60708"),
        ("msg_id IN ('E5F60708')", "msg_id LIKE '%E5F60708'", "--msgid E5F60708"),
        ("NOT NOT correl_id = 'E5F60708'", "correl_id LIKE '%E5F60708'", "--correlid E5F60708"),
        ("msg_id <> 'E5F60708'", "msg_id NOT LIKE '%E5F60708'", "write 48 hex digits"),
        ("msg_id != 'E5F60708'", "msg_id NOT LIKE '%E5F60708'", "write 48 hex digits"),
        ("msg_id NOT IN ('E5F60708')", "msg_id NOT LIKE '%E5F60708'", "write 48 hex digits"),
        ("NOT (msg_id = 'E5F60708')", "msg_id LIKE '%E5F60708'", "write 48 hex digits"),
        ("NOT msg_id <> 'E5F60708'", "msg_id NOT LIKE '%E5F60708'", "--msgid E5F60708"),
    ],
)
def test_the_hint_for_a_part_of_an_id_selects_the_same_messages(
    text: str, reads: str, writes: str
) -> None:
    for for_write, hint in ((False, reads), (True, writes)):
        with pytest.raises(UsageError, match="the whole id is needed here") as caught:
            parse_where(text, for_write=for_write)
        assert (caught.value.hint or "").startswith(hint), (text, for_write)


def test_a_misspelt_mq_name_gets_the_close_names() -> None:
    with pytest.raises(UsageError) as caught:
        parse_where("reason = MQRC_Q_FUL")
    assert "MQRC_Q_FULL" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "msg_id LIKE '41%'",
        "msg_id = MQMI_NONE",
        "correl_id = MQCI_NONE",
        "group_id = MQGI_NONE",
        f"msg_id='{'0' * 48}'",
    ],
)
def test_a_verb_that_writes_takes_only_whole_ids_that_are_not_zero(text: str) -> None:
    assert parse_where(text)
    with pytest.raises(UsageError):
        parse_where(text, for_write=True)


@pytest.mark.parametrize(
    "text",
    ["(" * 10_000 + "backout=1" + ")" * 10_000, "NOT " * 10_000 + "backout=1",
     "NOT (" * 10_000 + "backout=1" + ")" * 10_000],
)  # fmt: skip
def test_ten_thousand_levels_are_refused_with_a_clear_error(text: str) -> None:
    with pytest.raises(UsageError, match="more than 100 levels"):
        parse_where(text)


def test_a_hundred_levels_are_read() -> None:
    assert parse_where("(" * 100 + "backout=1" + ")" * 100) == A


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [lambda n: "user = '" + "''" * 10 * n, lambda n: "prop." + "a." * 10 * n,
     lambda n: 'prop."' + '""' * 10 * n, lambda n: "backout=1 AND " * n + "backout=1",
     lambda n: " " * 20 * n, lambda n: "[" * 20 * n, lambda n: "user IN (" + "'a'," * 2 * n],
)  # fmt: skip
def test_long_text_is_read_or_refused_in_linear_time(text: Callable[[int], str]) -> None:
    """Four times the text may take ten times as long at most; quadratic would be 16."""

    def read(text: str) -> None:
        try:
            parse_where(text)
        except UsageError as error:
            assert len(error.text) < 300

    less, more = text(10_000), text(40_000)
    assert times_as_long(lambda: read(more), lambda: read(less), 10, floor_s=0.001) < 10


def test_every_field_is_found_by_its_name_and_synonyms() -> None:
    for spec in FIELDS:
        for spelling in (spec.name, spec.name.upper(), *spec.synonyms):
            assert field_of(spelling) == spec.name


def test_a_field_of_the_descriptor_is_found_by_ibms_name() -> None:
    for spec in FIELDS:
        named = re.match(r"MQMD\.(\w+)", spec.about)
        if named and not spec.name.startswith("mqmd_"):  # these are the same for dead letters
            assert field_of(named[1]) == spec.name


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("user = 'jonathan.smith'", "user holds at most 12 characters, not 14"),
        ("put_appl <> 'com.example.orders.OrderListenerContainer'", "put_appl holds at most 28"),
        ("format IN ('MQSTR', 'MQSTRINGS')", "format holds at most 8 characters, not 9"),
        ("target LIKE '%' AND user LIKE '%12345_78901234%'", "user holds at most 12 characters"),
        ("priority > 9", "priority is always 0 to 9"),
        ("NOT priority BETWEEN 10 AND 12", "priority is always 0 to 9"),
        ("persistence = 2", "persistence is always 0 to 1"),
        ("backout < 0", "backout is always 0 or more"),
        ("expiry < 0", "expiry is always 0 or more"),
        ("length BETWEEN 5 AND 3", "length BETWEEN needs the smaller value first"),
    ],
)
def test_a_value_that_its_field_never_has_is_refused(text: str, why: str) -> None:
    """It selected nothing without a word, or with <> everything."""
    with pytest.raises(UsageError, match=re.escape(why)):
        parse_where(text)


@pytest.mark.parametrize(
    "text",
    [
        "user = 'jonathan.smi  '",
        "priority >= 9",
        "priority < 1",
        "backout >= 0",
        "expiry = -1",
        "put_appl LIKE '%com.example.orders.OrderLi'",
        "length BETWEEN 3 AND 3",
        "sequence = 1",
    ],
)
def test_a_value_at_the_end_of_what_its_field_has_is_read(text: str) -> None:
    parse_where(text)
