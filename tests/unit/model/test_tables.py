"""Tables that people write: what is read into a record, and how what is wrong is named."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.model.tables import (
    COUNT,
    FLAG,
    NAMES,
    TEXT,
    json_table,
    key,
    list_of,
    one_of,
    record_form,
    required,
    table_of,
    text_like,
    toml_table,
    whole,
)
from mqtriage.mq.errors import UsageError
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    name: str = required(TEXT)
    size: int = key(whole(1), 1)


@dataclass(frozen=True, slots=True)
class Box:
    level: str | None = key(one_of("low", "high"), None)
    is_open: bool = key(FLAG, False, word="open")
    count: int = key(COUNT, 7)
    queues: tuple[str, ...] = key(NAMES, ())
    parts: tuple[Part, ...] = key(list_of(record_form(Part)), ())
    groups: dict[str, tuple[str, ...]] = key(table_of(NAMES), {})


BOX = record_form(Box)


def test_a_table_is_read_into_its_record_with_defaults_for_what_is_not_there() -> None:
    table = {"level": "low", "open": True, "parts": [{"name": "a"}], "groups": {"all": ["x"]}}
    assert BOX.read(table, "box") == Box(
        "low", is_open=True, count=7, parts=(Part("a", 1),), groups={"all": ("x",)}
    )
    assert BOX.read({}, "box") == Box()
    assert Box().groups is not Box().groups


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ([], "box is []; expected a table"),
        ({"level": "mid"}, "box.level is 'mid'; expected low or high"),
        ({"level": ["low"]}, "box.level is ['low']; expected low or high"),
        ({"open": 1}, "box.open is 1; expected true or false"),
        ({"count": True}, "box.count is True; expected a whole number of 0 or more"),
        ({"count": -1}, "box.count is -1; expected a whole number of 0 or more"),
        ({"queues": "Q"}, "box.queues is 'Q'; expected a list"),
        ({"queues": [1]}, "box.queues[1] is 1; expected text"),
        ({"parts": [{}]}, "box.parts[1].name is missing"),
        (
            {"parts": [{"name": "a", "size": 0}]},
            "box.parts[1].size is 0; expected a whole number of 1",
        ),
        ({"groups": {"all": 1}}, "box.groups.all is 1; expected a list"),
        ({"is_open": True}, "box.is_open: no such key; did you mean open?"),
        ({"count": "x" * 500}, f"box.count is '{'x' * 59}; expected a whole"),
    ],
)
def test_what_is_wrong_is_named_with_its_place_and_what_is_expected(table: Any, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        BOX.read(table, "box")
    assert caught.value.text.startswith(says)


def test_an_unknown_key_has_the_known_ones_as_hint_and_may_be_left_alone() -> None:
    with pytest.raises(UsageError) as caught:
        record_form(Part).read({"name": "a", "color": "red"}, "")
    assert (caught.value.text, caught.value.hint) == ("color: no such key", "keys: name, size")
    tolerant = record_form(Part, others=True)
    assert tolerant.read({"name": "a", "color": "red"}, "") == Part("a", 1)


def test_what_is_no_toml_and_no_json_object_is_one_error() -> None:
    for content in (b"[", b"\xff", b"a = " + b"[" * 100_000):
        with pytest.raises(UsageError, match="not TOML"):
            toml_table(content)
    for content in (b"{", b"\xff", b"[" * 100_000):
        with pytest.raises(UsageError, match="not JSON"):
            json_table(content)
    with pytest.raises(UsageError, match="expected a JSON object"):
        json_table(b"[]")


def test_a_text_is_like_its_pattern_as_a_whole_and_so_is_its_schema() -> None:
    form = text_like("[A-Z]{3}", "three capital letters")
    assert form.read("BNK", "rule.id") == "BNK"
    assert form.schema["pattern"] == "^[A-Z]{3}$"
    for value in ("XBNK", "BNK1", "bnk", 3, None):
        with pytest.raises(UsageError, match=r"rule\.id is .*; expected three capital letters"):
            form.read(value, "rule.id")
