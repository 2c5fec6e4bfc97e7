"""Which regular expressions are taken, and how long a search and a run may take."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable

import pytest

from mqtriage.messages import body_regex
from mqtriage.messages.body_regex import RegexBudget, search_for
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.operations.selection.regex_limit import regex_budget


def at_once(work: Callable[[], bool], _: float) -> bool:
    return work()


@pytest.mark.parametrize(
    ("pattern", "why"),
    [("[^", "unterminated"), ("(", "unterminated"), ("", "empty"), ("a" * 1001, "1001 characters"),
     ("a{99999999999}", "too large")],
)  # fmt: skip
def test_a_pattern_that_cannot_be_used_says_why(pattern: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        search_for(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+b", "a" * 5_000), ("(a|aa)+b", "a" * 5_000), ("(x+x+)+y", "x" * 5_000),
        (".*x.*y", "x" * 200_000), (r"(a+)\1b", "a" * 200_000),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_a_search_that_takes_too_long_is_refused(
    monkeypatch: pytest.MonkeyPatch, pattern: str, text: str
) -> None:
    monkeypatch.setattr(body_regex, "SEARCH_S", 0.2)
    search = regex_budget().kept(search_for(pattern))
    assert search("nothing of the kind") is False
    with pytest.raises(Refused, match=rf"more than 0 s on a text of {len(text)} characters"):
        search(text)
    assert search("nothing of the kind") is False


def test_a_long_text_is_searched_to_its_end() -> None:
    search = regex_budget().kept(search_for(r"id:\s*\d+$"))
    assert search("a" * 3_000_000 + "id: 42") is True


def test_another_thread_searches_too() -> None:
    results: list[bool] = []
    search = regex_budget().kept(search_for("a+b"))
    thread = threading.Thread(target=lambda: results.append(search("aab")))
    thread.start()
    thread.join()
    assert results == [True]


def test_python_says_nothing_of_brackets_in_brackets() -> None:
    """Its FutureWarning would stand on standard error beside our own lines."""
    with warnings.catch_warnings(action="error"):
        assert search_for("[[a]*[[b]+x").search("[a[bx")


def test_a_run_has_a_budget_and_says_what_was_spent() -> None:
    clock = iter(range(1000))
    matches = RegexBudget(lambda: float(next(clock)), at_once).kept(search_for(".*x.*y"))
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
    matches = RegexBudget(lambda: next(clock), at_once).kept(search_for("x+y"))
    text = "xy" + "a" * 20_000
    for _ in range(10_000):
        assert matches(text) is True


def test_a_pattern_without_repeats_is_not_timed() -> None:
    search = RegexBudget(lambda: 1 / 0, at_once).kept(re.compile("abc"))
    assert search("xabc") is True
