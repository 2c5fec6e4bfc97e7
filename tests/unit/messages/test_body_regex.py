"""Which regular expressions are taken, and how much text each is searched in."""

from __future__ import annotations

import warnings

import pytest

from mqtriage.messages.body_regex import WHOLE, RegexBudget, search_for
from mqtriage.mq.errors import Refused, UsageError
from tests.support.timing import shortest_s


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+b", "(a*)*", "(a|aa)+b", "(?:a|b)*c", "(a?){20}", "((a|a))+", "(?P<x>a+)*", "(x+x+)+y",
     "([a-z]+,)*", "(?=(a+)+b)"],
)  # fmt: skip
def test_a_repeat_around_a_choice_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="exponential") as caught:
        search_for(pattern)
    assert "possessive" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [(".*.*.*x", "very long"), ("a?" * 30 + "a" * 30, "very long"), (r"(a)\1", "back-ref"),
     ("(?P<x>a)(?P=x)", "back-ref"), ("(?x) a", "verbose"), ("(?x: a )", "verbose"),
     ("[^", "unterminated"), ("(", "unterminated"), ("", "empty"), ("a" * 1001, "1001 characters"),
     ("a{99999999999}", "too large")],
)  # fmt: skip
def test_a_pattern_that_cannot_be_used_says_why(pattern: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        search_for(pattern)


@pytest.mark.parametrize(
    ("pattern", "least"),
    [("ORD-[0-9]{4}", WHOLE), (r"\bEUR\b", WHOLE), ("foo|bar|baz", 1_000_000),
     (r'"id":\s*\d+', 10_000), (r"\d+", 20_000), ("(?:[a-z]++,)*", 5_000), ("(?>a|b)+c", 4_000),
     (r"(\d{3},)+", 5_000), ("order.*id.*42", 1_000), ("(?i)error.*timeout", 20_000)],
)  # fmt: skip
def test_a_usual_pattern_is_searched_at_least_so_far(pattern: str, least: int) -> None:
    assert search_for(pattern).characters >= least


@pytest.mark.parametrize("pattern", ["a+b", ".*x", ".*.*x", "[ab]+?[ac]", r"\w+\s*=", "(?:ab?c)"])
def test_the_worst_text_ends_soon(pattern: str) -> None:
    search = search_for(pattern)
    text = "a" * min(search.characters, 1_000_000)
    assert shortest_s(lambda: search.matches(text), 8) < 8


def test_what_lies_behind_the_limit_is_not_known() -> None:
    search = search_for("a+b")
    short, long = "x" * search.characters, "x" * (search.characters + 1)
    assert search.matches(short) is False
    assert search.matches(long) is None
    assert search.matches("ab" + long) is True


def test_python_says_nothing_of_brackets_in_brackets() -> None:
    """Its FutureWarning would stand on standard error beside our own lines."""
    with warnings.catch_warnings(action="error"):
        assert search_for("[[a]*[[b]+x").regex.search("[a[bx")


def test_a_run_has_a_budget_and_says_what_was_spent() -> None:
    clock = iter(range(1000))
    matches = RegexBudget(lambda: float(next(clock))).kept(search_for(".*x.*y"))
    for _ in range(60):
        assert matches("a" * 100) is False
    with pytest.raises(Refused) as caught:
        matches("a" * 100)
    assert caught.value.text == (
        "regular expression '.*x.*y': 61 s were spent on the first 61 messages, 60 s are allowed"
    )


def test_who_reads_much_may_spend_more() -> None:
    """A pattern that only reads its text never comes to the end of the budget."""
    clock = iter(number * 0.009 for number in range(20_000))
    matches = RegexBudget(lambda: next(clock)).kept(search_for("x+y"))
    text = "xy" + "a" * 20_000
    for _ in range(10_000):
        assert matches(text) is True


def test_a_pattern_without_repeats_is_not_timed() -> None:
    search = search_for("abc")
    assert RegexBudget(lambda: 1 / 0).kept(search) == search.matches
