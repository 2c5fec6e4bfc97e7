"""Names of objects and generic names."""

from __future__ import annotations

import re

import pytest

from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import (
    check_generic_name,
    check_queue_manager_name,
    check_queue_name,
    is_object_name,
    matches,
)


@pytest.mark.parametrize("name", ["A", "app.in", "SYSTEM.DDELAY.LOCAL.QUEUE", "a/b_c%9", "X" * 48])
def test_a_good_name_is_returned_unchanged(name: str) -> None:
    assert check_queue_name(name) == name
    assert check_queue_manager_name(name) == name
    assert is_object_name(name)


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        pytest.param("", "queue name is empty", id="empty"),
        pytest.param("X" * 49, "queue name is 49 characters long, MQ allows 48", id="too-long"),
        pytest.param("APP IN", "a blank at position 4", id="blank-inside"),
        pytest.param(" APP", "a blank at position 1", id="blank-in-front"),
        pytest.param("APP-IN", "'-' at position 4", id="dash"),
        pytest.param("APP.*", "'*' at position 5", id="generic-where-a-name-is-due"),
        pytest.param("ÄPP", "'\\xc4' at position 1", id="letter-beyond-ascii"),
        pytest.param("A\x1b[2J", "'\\x1b' at position 2", id="control-character-is-not-echoed"),
    ],
)
def test_a_bad_name_is_refused_with_what_stands_where(name: str, detail: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_queue_name(name)
    assert detail in caught.value.text
    assert caught.value.text.isprintable()
    assert not is_object_name(name)


def test_the_error_says_which_kind_of_name_it_is_and_stays_short() -> None:
    with pytest.raises(UsageError) as caught:
        check_queue_manager_name("Q" * 100_000)
    assert caught.value.text.startswith("queue manager name is 100000 characters long")
    assert len(caught.value.text) < 200


@pytest.mark.parametrize(("length", "shown"), [(64, "Q" * 64), (65, "Q" * 61 + "...")])
def test_the_error_shows_64_characters_of_a_name_and_cuts_a_longer_one(
    length: int, shown: str
) -> None:
    with pytest.raises(UsageError, match=f"MQ allows 48: '{re.escape(shown)}'$"):
        check_queue_name("Q" * length)


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*", "ANY.THING", True),
        ("APP.*", "APP.IN", True),
        ("APP.*", "APP.", True),
        ("APP.*", "APP", False),
        pytest.param("APP.*", "app.in", False, id="case-counts"),
        pytest.param("APP.IN", "APP.IN.BO", False, id="without-star-the-whole-name"),
        ("APP.IN", "APP.IN", True),
        pytest.param("A.*", "AB", False, id="a-dot-is-a-dot"),
    ],
)
def test_generic_names_match_as_mqsc_does(pattern: str, name: str, expected: bool) -> None:
    assert matches(pattern, name) is expected


@pytest.mark.parametrize("pattern", ["*.BO", "A*B", "A**", "A?", "", "A B*", "**", "X" * 49 + "*"])
def test_other_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(UsageError):
        matches(pattern, "ANY")


def test_a_generic_name_in_the_wrong_form_says_where_the_star_stands() -> None:
    with pytest.raises(UsageError) as caught:
        check_generic_name("APP.*.BO")
    assert "'*' at position 5, MQSC takes one at the end or alone" in caught.value.text


def test_a_full_length_name_may_still_be_generic() -> None:
    assert check_generic_name("X" * 48 + "*") == "X" * 48 + "*"
