"""Rules in TOML: read, written, and to and from IBM's table."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.rules_table.parser import RulesTable, parse
from mqtriage.mq.rules_table.table import (
    NAMES,
    NUMBERS,
    Action,
    RuleSubject,
    TableRule,
    first_match,
    shadowed,
)
from mqtriage.operations.rules.toml import is_toml, parse_toml, to_table, to_toml

TOML = """\
format = "mqtriage-rules/1"

[control]
inputq = "ORDERS.DLQ"   # a comment
wait = "no"

[[rule]]
name = "full"
reason = ["MQRC_Q_FULL", 2051]
destq = "ORDERS.*"
action = "retry"
retry = 3

[[rule]]
where = "body.customer.tier = 'gold' and age < 1h"
action = "park"
queue = "ORDERS.PARKED"

[[rule]]
persist = 0
action = "discard"
"""


def core(rule: TableRule) -> tuple[Any, ...]:
    """What a rule does, without where it stands and how it was written."""
    return (
        rule.action, dict(rule.patterns), rule.fwdq, rule.fwdqm, rule.header, rule.putaut,
        rule.retry, rule.name, rule.where,
    )  # fmt: skip


def test_every_part_of_a_file_is_read() -> None:
    table = parse_toml(TOML)
    assert table.problems == ()
    assert (table.control.inputq, table.control.wait) == ("ORDERS.DLQ", "NO")
    full, gold, rest = table.rules
    assert (full.patterns, full.retry) == ({"REASON": (2053, 2051), "DESTQ": "ORDERS.*"}, 3)
    assert (full.title, full.line) == ("rule 1 'full' (line 7)", 7)
    assert (gold.action, gold.fwdq, gold.header) == (Action.FWD, "ORDERS.PARKED", True)
    assert gold.where == "body.customer.tier = 'gold' and age < 1h"
    assert (rest.action, rest.patterns) == (Action.DISCARD, {"PERSIST": 0})


@pytest.mark.parametrize("keyword", [*NUMBERS, *NAMES])
def test_every_pattern_of_a_table_can_be_written_in_lower_case(keyword: str) -> None:
    value = "1" if keyword in NUMBERS else '"X"'
    rules = f'format = "mqtriage-rules/1"\n[[rule]]\n{keyword.lower()} = {value}\n'
    table = parse_toml(rules + 'action = "ignore"\n')
    assert table.problems == ()
    (rule,) = parse(f"{keyword}({value.strip(chr(34))}) ACTION(IGNORE)").rules
    assert core(table.rules[0]) == core(rule)


def test_a_list_takes_a_message_that_any_of_its_values_fits() -> None:
    (full, *_) = parse_toml(TOML).rules
    subjects = {r: RuleSubject(reason=r, destq="ORDERS.IN") for r in (2051, 2052, 2053)}
    taken = [reason for reason, subject in subjects.items() if first_match([full], subject).rule]
    assert taken == [2051, 2053]


def test_a_condition_is_asked_after_the_patterns() -> None:
    _, gold, _ = parse_toml(TOML).rules
    assert first_match([gold], RuleSubject(), lambda _: True).rule is gold
    assert first_match([gold], RuleSubject(), lambda _: False).rule is None
    with pytest.raises(ValueError, match="condition"):
        first_match([gold], RuleSubject())


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        pytest.param("[[rule]\n", 1, "Expected", id="no-toml"),
        pytest.param("", 1, "rule is missing", id="empty"),
        pytest.param('format = "mqtriage-rules/9"\n[[rule]]\naction="ignore"', 1,
                     "; expected mqtriage-rules/1", id="newer"),
        pytest.param('[[rule]]\n\naction = "keep"', 3, "is not one of its values", id="action"),
        pytest.param('[[rule]]\nreason = 2053', 1, "action is missing", id="no-action"),
        pytest.param('[[rule]]\naction = "fwd"', 1, "name a target", id="no-target"),
        pytest.param('[[rule]]\naction = "park"\nfwdq = "Q"', 1, "name a target", id="park-fwdq"),
        pytest.param('[[rule]]\naction="ignore"\nreson = 1', 3, "did you mean reason?", id="typo"),
        pytest.param('[[rule]]\naction="ignore"\nreason = "MQRC_Q_FUL"', 3, "unknown name",
                     id="reason"),
        pytest.param('[[rule]]\naction="ignore"\nreason = []', 3, "empty list", id="empty-list"),
        pytest.param('[[rule]]\naction="ignore"\n[[rule]]\naction="ignore"\nwhere = "x ="', 5,
                     "cannot be read", id="where-of-the-second"),
        pytest.param('[control]\nwait = "soon"\n[[rule]]\naction="ignore"', 2,
                     "not one of its values", id="wait"),
        pytest.param('[control]\ninputq = "a b"\n[[rule]]\naction="ignore"', 2, "is not a name",
                     id="control"),
        pytest.param('[[rule]]\naction="ignore"\nheader = false', 3, "is ignored",
                     id="header-of-ignore"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, problem: str) -> None:
    problems = parse_toml(text).errors
    assert problems
    assert (problems[0].line, problem in problems[0].text) == (line, True), problems


def test_a_rule_behind_one_that_takes_all_of_it_is_shadowed() -> None:
    text = (
        '[[rule]]\nreason = [1, 2]\naction = "discard"\n'
        '[[rule]]\nreason = 2\nwhere = "age > 1h"\naction = "retry"\n'
    )
    (problem,) = parse_toml(text).problems
    assert (problem.severity, problem.line) == ("warning", 4)
    narrow, wide = parse_toml(text).rules[::-1]
    assert shadowed([narrow, wide]) == []


def test_a_table_is_not_taken_for_toml() -> None:
    assert is_toml(TOML)
    assert not is_toml("* [[rule]] in a comment\nREASON(2053) ACTION(RETRY)\n")


def test_a_condition_cannot_be_said_in_a_table() -> None:
    text, problems = to_table(parse_toml(TOML))
    assert [problem.line for problem in problems] == [14]
    assert "REASON(MQRC_Q_FULL) DESTQ('ORDERS.*') ACTION(RETRY) RETRY(3)" in text
    assert [core(rule)[:2] for rule in parse(text).rules] == [
        (Action.RETRY, {"REASON": 2053, "DESTQ": "ORDERS.*"}),
        (Action.RETRY, {"REASON": 2051, "DESTQ": "ORDERS.*"}),
        (Action.DISCARD, {"PERSIST": 0}),
    ]


_NAME = st.text("ABCabc.*?'_ %", min_size=1, max_size=8).map(str.strip).filter(len)
_QUEUE = st.sampled_from(["A", "ORDERS.IN", "&DESTQ", "&REPLYQ"])
_RULES: st.SearchStrategy[list[dict[str, Any]]] = st.lists(
    st.builds(
        dict,
        DESTQ=st.none() | _NAME,
        USERID=st.none() | _NAME,
        REASON=st.none() | st.integers(0, 3_000),
        PERSIST=st.none() | st.integers(0, 1),
        ACTION=st.sampled_from(["DISCARD", "IGNORE", "RETRY", "FWD"]),
        FWDQ=_QUEUE,
        HEADER=st.sampled_from(["YES", "NO"]),
        PUTAUT=st.sampled_from(["DEF", "CTX"]),
        RETRY=st.integers(1, 9),
    ),
    min_size=1,
    max_size=5,
)


_CONTROL = st.fixed_dictionaries(
    {},
    optional={
        "INPUTQ": st.sampled_from(["DLQ", "' '"]),
        "RETRYINT": st.integers(1, 999_999_999),
        "WAIT": st.sampled_from(["YES", "NO"]) | st.integers(0, 999_999_999),
    },
)


def table_of(rules: list[dict[str, Any]], control: dict[str, Any]) -> RulesTable:
    lines = [" ".join(f"{key}({value})" for key, value in control.items())]
    for rule in rules:
        words = []
        for key, value in rule.items():
            if value is None or (key in ("FWDQ", "HEADER") and rule["ACTION"] != "FWD"):
                continue
            text = str(value).replace("'", "''")
            words.append(f"{key}('{text}')" if key in ("DESTQ", "USERID") else f"{key}({value})")
        lines.append(" ".join(words))
    return parse("\n".join(lines))


@given(_RULES, _CONTROL)
def test_a_table_says_the_same_in_toml_and_back_in_a_table(
    rules: list[dict[str, Any]], control: dict[str, Any]
) -> None:
    table = table_of(rules, control)
    assert not table.errors
    in_toml = parse_toml(to_toml(table))
    assert not in_toml.errors
    assert list(map(core, in_toml.rules)) == list(map(core, table.rules))
    assert in_toml.control == table.control
    text, problems = to_table(in_toml)
    assert problems == []
    assert list(map(core, parse(text).rules)) == list(map(core, table.rules))
    assert parse(text).control == table.control
