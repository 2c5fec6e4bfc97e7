"""IBM's rules table: how it is read, which rule takes a message, which can never be hit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.rules_table.parser import RulesTable, parse
from mqtriage.mq.rules_table.table import (
    Action,
    RuleSubject,
    TableRule,
    first_match,
    matching,
    shadowed,
)
from tests.support.timing import times_as_long

FULL = RuleSubject(
    destq="ORDERS.IN", destqm="QM1", reason=2053, format="MQSTR", applname="orders app"
)


def rules_of(text: str) -> tuple[TableRule, ...]:
    table = parse(text)
    assert table.errors == ()
    return table.rules


def only_error(text: str) -> tuple[int, int, str, str]:
    (problem,) = parse(text).errors
    return problem.line, problem.column, problem.text, problem.expected


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        pytest.param("REASON(MQRC_Q_FULL)", {"REASON": 2053}, id="symbolic-reason"),
        pytest.param("reason(mqrc_q_full)", {"REASON": 2053}, id="any-case"),
        pytest.param("REASON(2053)", {"REASON": 2053}, id="number"),
        pytest.param("REASON(MQFB_TM_ERROR)", {"REASON": 266}, id="feedback-as-reason"),
        pytest.param("FEEDBACK(MQFB_COD)", {"FEEDBACK": 260}, id="feedback"),
        pytest.param("FEEDBACK(MQRC_Q_FULL)", {"FEEDBACK": 2053}, id="reason-as-feedback"),
        pytest.param("MSGTYPE(MQMT_REQUEST)", {"MSGTYPE": 1}, id="msgtype"),
        pytest.param("PERSIST(MQPER_PERSISTENT)", {"PERSIST": 1}, id="persist"),
        pytest.param("APPLTYPE(MQAT_UNKNOWN)", {"APPLTYPE": -1}, id="appltype"),
        pytest.param("REASON(*) DESTQ('*')", {}, id="a-star-takes-everything"),
        pytest.param("DESTQ(ORDERS.*)", {"DESTQ": "ORDERS.*"}, id="generic"),
        pytest.param("DESTQ(A***B)", {"DESTQ": "A*B"}, id="a-run-of-stars-is-one"),
        pytest.param("DESTQ( A )", {"DESTQ": "A"}, id="blanks-inside"),
        pytest.param("DESTQ (A)", {"DESTQ": "A"}, id="blanks-before"),
        pytest.param("APPLNAME('my  app')", {"APPLNAME": "my  app"}, id="quoted"),
        pytest.param("USERID('o''brien')", {"USERID": "o'brien"}, id="doubled-quote"),
        pytest.param("APPLNAME('a)b')", {"APPLNAME": "a)b"}, id="parenthesis-in-quotes"),
        pytest.param("REPLYQ(' ')", {"REPLYQ": ""}, id="blank"),
        pytest.param("DESTQ(A),,REPLYQ(B)\t,", {"DESTQ": "A", "REPLYQ": "B"}, id="commas"),
        pytest.param("DESTQ(A)REPLYQ(B)", {"DESTQ": "A", "REPLYQ": "B"}, id="no-blanks"),
        pytest.param("DESTQ('ABC+\n   D')", {"DESTQ": "ABCD"}, id="plus-at-first-non-blank"),
        pytest.param("DESTQ('ABC-\n  D')", {"DESTQ": "ABC  D"}, id="minus-at-column-1"),
        pytest.param("DES+\r\n TQ(A)", {"DESTQ": "A"}, id="split-keyword-with-crlf"),
        pytest.param("DESTQ(A) +\n* no\n\n REPLYQ(B)", {"DESTQ": "A", "REPLYQ": "B"}, id="comment"),
    ],
)
def test_patterns_are_read_as_the_conventions_say(
    text: str, patterns: dict[str, int | str]
) -> None:
    (rule,) = rules_of(f"{text} ACTION(IGNORE)")
    assert rule.patterns == patterns


def test_an_action_is_read_with_all_its_keywords() -> None:
    (rule,) = rules_of("ACTION(fwd) FWDQ(&destq) FWDQM('qm2') HEADER(no) PUTAUT(CTX) RETRY(+5)")
    assert rule == TableRule(
        1, 1, Action.FWD, {}, "", "&DESTQ", "qm2", header=False, putaut="CTX", retry=5
    )


def test_defaults_of_an_action_are_those_of_ibm() -> None:
    (rule,) = rules_of("ACTION(FWD) FWDQ(A)")
    assert (rule.fwdqm, rule.header, rule.putaut, rule.retry) == ("", True, "DEF", 1)


def test_control_data_is_the_first_entry_and_may_be_missing() -> None:
    table = parse("* dlq\n\ninputqm(QM1) inputq(' ') retryint(30) wait(no)\nACTION(IGNORE)")
    control = table.control
    assert (control.inputqm, control.inputq, control.retryint_s, control.wait) == (
        "QM1",
        "",
        30,
        "NO",
    )
    assert parse("ACTION(IGNORE)").control.wait == ""  # not the same as WAIT(YES) to us


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", (1, 1, "no rule", "ACTION(...)"), id="empty"),
        pytest.param("WAIT(NO)", (1, 1, "no rule", "ACTION(...)"), id="control-data-only"),
        pytest.param("REASON(1)", (1, 1, "no ACTION", "ACTION("), id="no-action"),
        pytest.param("ACTION(DROP)", (1, 8, "not one of its values", "DISCARD or"), id="action"),
        pytest.param("ACTION(IGNORE) ACTION(IGNORE)", (1, 16, "given twice", "each"), id="twice"),
        pytest.param(
            "ACTION(IGNORE) COLOUR(RED)", (1, 16, "not a keyword", "keyword"), id="unknown"
        ),
        pytest.param("ACTION(IGNORE", (1, 14, "does not end", "')'"), id="open"),
        pytest.param("ACTION IGNORE", (1, 8, "no value", "'('"), id="no-parenthesis"),
        pytest.param("ACTION()", (1, 8, "no value", "a value"), id="empty-value"),
        pytest.param("ACTION(IGNORE) DESTQ('A", (1, 22, "quote of DESTQ", '"\'"'), id="open-quote"),
        pytest.param(
            "ACTION(IGNORE) DESTQ('A'B)", (1, 25, "after its quote", "')'"), id="after-the-quote"
        ),
        pytest.param(
            "ACTION(IGNORE) +\n REASON(MQFMT_X)", (2, 9, "another field", "MQRC_"), id="place"
        ),
        pytest.param("ACTION(IGNORE) REASON(MQRC_NO)", (1, 23, "unknown name", "MQRC_"), id="name"),
        pytest.param("ACTION(IGNORE) REASON(20*)", (1, 23, "generic", "a number"), id="generic"),
        pytest.param("ACTION(IGNORE) USERID(A@B)", (1, 23, "'@' without", "quotes"), id="sign"),
        pytest.param(
            "ACTION(IGNORE) FORMAT(ABCDEFGHI)", (1, 23, "too long", "at most 8"), id="long"
        ),
        pytest.param("ACTION(FWD)", (1, 1, "where to", "FWDQ"), id="fwd-without-queue"),
        pytest.param("ACTION(FWD) FWDQ(' ')", (1, 18, "blank", "a queue"), id="blank-fwdq"),
        pytest.param("ACTION(FWD) FWDQ(&REPLYQM)", (1, 18, "not one of", "&DESTQ"), id="variable"),
        pytest.param("ACTION(RETRY) RETRY(0)", (1, 21, "not in range", "from 1"), id="retry-0"),
        pytest.param("ACTION(IGNORE)\nWAIT(NO)", (2, 1, "control data", "first"), id="late"),
        pytest.param("ACTION(IGNORE) WAIT(NO)", (1, 16, "control data", "first"), id="mixed"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    text: str, expected: tuple[int, int, str, str]
) -> None:
    line, column, problem, hint = only_error(text)
    assert (line, column) == expected[:2]
    assert expected[2] in problem
    assert expected[3] in hint


def test_a_wrong_rule_does_not_hide_what_is_wrong_with_the_next() -> None:
    table = parse("ACTION(NO)\nACTION(IGNORE)\nREASON(X) ACTION(IGNORE)")
    assert [problem.line for problem in table.errors] == [1, 3]


def test_lower_case_without_quotes_is_taken_as_upper_case_with_a_warning() -> None:
    table = parse("DESTQ(orders) ACTION(IGNORE)")
    assert table.rules[0].patterns == {"DESTQ": "ORDERS"}
    assert [(p.severity, p.column) for p in table.problems] == [("warning", 7)]


@pytest.mark.parametrize("sign", ["+", "-", "+\n* a comment\n\n"])
def test_a_table_that_ends_where_it_should_continue_is_warned_about(sign: str) -> None:
    rule = "REASON(2053) ACTION(RETRY)"
    (problem,) = parse(f"{rule} {sign}").problems
    assert (problem.severity, problem.text) == (
        "warning",
        f"the table ends with {sign.strip()[0]}, but no line follows: one may be missing",
    )
    assert parse(f"{rule} +\n").rules == parse(rule).rules
    assert parse(f"REASON(2053) {sign.strip()[0]}\n ACTION(RETRY)").problems == ()


def test_keywords_of_another_action_are_warned_about() -> None:
    (problem,) = parse("ACTION(RETRY) HEADER(NO)").problems
    assert (problem.severity, problem.column) == ("warning", 15)


@pytest.mark.parametrize(
    ("patterns", "takes"),
    [
        pytest.param("", True, id="no-pattern-takes-everything"),
        pytest.param("DESTQ(ORDERS.*) REASON(MQRC_Q_FULL)", True, id="all-match"),
        pytest.param("DESTQ(ORDERS.*) REASON(MQRC_PUT_INHIBITED)", False, id="one-differs"),
        pytest.param("DESTQ(ORDERS.I?)", True, id="one-character"),
        pytest.param("DESTQ(ORDERS.IN?)", False, id="one-character-must-be-there"),
        pytest.param("DESTQ(*ERS*N)", True, id="star-in-the-middle"),
        pytest.param("DESTQ(ORDERS)", False, id="a-prefix-is-not-enough"),
        pytest.param("APPLNAME('ORDERS APP')", False, id="case-matters-in-quotes"),
        pytest.param("APPLNAME('orders app')", True, id="quoted"),
        pytest.param("REPLYQ(?*)", False, id="a-blank-reply-queue"),
        pytest.param("REPLYQ(' ')", True, id="blank-equals-blank"),
    ],
)
def test_a_rule_takes_a_message_when_all_its_patterns_match(patterns: str, takes: bool) -> None:
    (rule,) = rules_of(f"{patterns} ACTION(IGNORE)")
    taken = first_match([rule], FULL)
    assert (taken.rule is rule) is takes
    assert taken.reason == (
        "no rule matches"
        if not takes
        else f"rule 1 (line 1) matches {patterns}"
        if patterns
        else "rule 1 (line 1) takes every message"
    )


def test_rules_are_tried_from_the_top_and_later_ones_wait() -> None:
    rules = rules_of("REASON(2051) ACTION(IGNORE)\nREASON(2053) ACTION(RETRY)\nACTION(DISCARD)")
    assert [rule.number for rule in matching(rules, FULL)] == [2, 3]


@pytest.mark.parametrize(
    ("earlier", "later", "is_shadowed"),
    [
        pytest.param("ACTION(DISCARD)", "REASON(1) ACTION(RETRY)", True, id="catch-all"),
        pytest.param("DESTQ(A*) ACTION(IGNORE)", "DESTQ(AB) ACTION(IGNORE)", True, id="name"),
        pytest.param("DESTQ(A*) ACTION(IGNORE)", "DESTQ(AB*C) ACTION(IGNORE)", True, id="stem"),
        pytest.param("DESTQ(A?*) ACTION(IGNORE)", "DESTQ(A*) ACTION(IGNORE)", False, id="one-more"),
        pytest.param("DESTQ(AB*) ACTION(IGNORE)", "DESTQ(A?C*) ACTION(IGNORE)", False, id="unsure"),
        pytest.param("DESTQ(A*) ACTION(IGNORE)", "ACTION(DISCARD)", False, id="narrower-first"),
        pytest.param("ACTION(RETRY)", "ACTION(DISCARD)", False, id="a-retry-can-fail"),
        pytest.param("ACTION(FWD) FWDQ(A)", "ACTION(DISCARD)", False, id="a-put-can-fail"),
        pytest.param("REASON(1) ACTION(DISCARD)", "REASON(1) ACTION(IGNORE)", True, id="equal"),
        pytest.param("REASON(1) ACTION(DISCARD)", "REASON(2) ACTION(IGNORE)", False, id="differs"),
    ],
)
def test_shadowed_rules_are_found_only_where_it_is_certain(
    earlier: str, later: str, is_shadowed: bool
) -> None:
    rules = rules_of(f"{earlier}\n{later}")
    assert bool(shadowed(rules)) is is_shadowed


ALPHABET = st.sampled_from("AB*?")


@given(
    earlier=st.text(ALPHABET, min_size=1, max_size=5),
    later=st.text(ALPHABET, min_size=1, max_size=5),
    name=st.text("AB", max_size=5),
)
def test_a_shadowed_rule_takes_nothing_that_the_earlier_one_leaves(
    earlier: str, later: str, name: str
) -> None:
    rules = rules_of(f"DESTQ({earlier}) ACTION(IGNORE)\nDESTQ({later}) ACTION(IGNORE)")
    taken = first_match(rules, RuleSubject(destq=name)).rule
    assert not (shadowed(rules) and taken is rules[1])


WORDS = ["ACTION", "FWD", "FWDQ", "RETRY", "REASON", "MQRC_Q_FULL", "INPUTQ", "&DESTQ", "9" * 20]
SIGNS = ["(", ")", "'", "+\n", "-\n", "\n", " ", ",", "*", "\0", "\u00e9"]
PIECES = st.sampled_from([*WORDS, *SIGNS])


@given(st.lists(PIECES | st.text(max_size=3), max_size=40))
def test_reading_never_raises_and_a_wrong_table_says_where(pieces: list[str]) -> None:
    table = parse("".join(pieces))
    assert isinstance(table, RulesTable)
    assert table.rules or table.errors
    assert all(problem.line >= 1 and problem.column >= 1 for problem in table.problems)


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("DESTQ(A) +\n", id="continued"),
        pytest.param("DESTQ(", id="open"),
        pytest.param("DESTQ('''", id="quotes"),
        pytest.param("REASON({n}) ACTION(DISCARD)\n", id="many-final-rules"),
        pytest.param("ACTION(X)\n", id="all-wrong"),
        pytest.param("DESTQ(*?*A", id="stars"),
    ],
)
@pytest.mark.slow
def test_reading_takes_time_in_line_with_the_length(unit: str) -> None:
    def text(times: int) -> str:
        return "".join(unit.replace("{n}", str(n)) for n in range(times))

    less, more = text(1_000), text(8_000)
    assert times_as_long(lambda: parse(more), lambda: parse(less), 24, floor_s=0.002) < 24


@pytest.mark.parametrize(
    ("keyword", "characters"),
    [
        ("APPLIDAT", 32), ("APPLNAME", 28), ("DESTQ", 48), ("DESTQM", 48), ("FORMAT", 8),
        ("REPLYQ", 48), ("REPLYQM", 48), ("USERID", 12),
    ],
)  # fmt: skip
def test_a_name_is_as_long_as_its_field_at_most(keyword: str, characters: int) -> None:
    name = "A" * characters
    assert not parse(f"ACTION(IGNORE) {keyword}({name})").errors
    (problem,) = parse(f"ACTION(IGNORE) {keyword}({name}A)").errors
    assert "too long" in problem.text
