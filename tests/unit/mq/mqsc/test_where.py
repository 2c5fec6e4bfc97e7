"""WHERE of DISPLAY: operators, words, numbers, patterns, lists."""

from __future__ import annotations

import pytest

from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.where import Filter, read_where


def where(text: str, *kinds: str) -> Filter:
    (command,) = parse(f"DISPLAY QUEUE(*) WHERE({text})").commands
    parameter = command.parameter("WHERE")
    assert parameter is not None
    return read_where(parameter, kinds or ("QLOCAL", "QALIAS"))


@pytest.mark.parametrize(
    ("text", "held", "kept"),
    [
        ("MAXDEPTH LT 10", 9, True),
        ("MAXDEPTH LT 10", 10, False),
        ("MAXDEPTH LE 10", 10, True),
        ("MAXDEPTH GE 10", 9, False),
        ("MAXDEPTH GT 9", 10, True),
        ("MAXDEPTH EQ 10", 10, True),
        ("MAXDEPTH NE 10", 10, False),
        ("PUT EQ DISABLED", "DISABLED", True),
        ("PUT NE DISABLED", "DISABLED", False),
        ("CAPEXPRY EQ NOLIMIT", "NOLIMIT", True),
        ("CAPEXPRY GT 100", "NOLIMIT", False),  # NOLIMIT is -1
        ("CAPEXPRY GT 100", 101, True),
        ("DESCR LK 'Pay*'", "Payments", True),
        ("DESCR NL 'Pay*'", "Payments", False),
        ("DESCR EQ ' '", "", True),
        ("BOQNAME NE ' '", "A.BO", True),
        ("QUEUE LK 'A*'", "APP", True),
    ],
)
def test_a_filter_keeps_what_it_says(text: str, held: int | str, kept: bool) -> None:
    assert where(text).keeps("QLOCAL", held) is kept


def test_an_object_without_the_attribute_is_never_kept() -> None:
    assert not where("MAXDEPTH NE 10").keeps("QALIAS", None)


@pytest.mark.parametrize(
    ("operator", "value", "kept"),
    [
        ("CT", "GET", True),
        ("CT", "G*", False),
        ("EX", "GET", False),
        ("EX", "BROWSE", True),
        ("CTG", "G*", True),
        ("EXG", "G*", False),
    ],
)
def test_lists_contain_or_exclude(operator: str, value: str, kept: bool) -> None:
    assert Filter("AUTHLIST", operator, value).keeps("", "GET,PUT") is kept


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MAXDEPTH GT", "three parts"),
        ("MAXDEPTH", "three parts"),
        ("MAXDEPTH OVER 3", "OVER is not an operator"),
        ("DEEPNESS GT 3", "DEEPNESS is not an attribute"),
        ("PUT GT DISABLED", "use EQ or NE"),
        ("PUT EQ MAYBE", "allowed ENABLED, DISABLED"),
        ("MAXDEPTH EQ MANY", "allowed"),
        ("DESCR EQ 'Pay*'", "LK or NL"),
    ],
)
def test_a_wrong_filter_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        where(text)
