"""A command in JSON as the same command in MQSC, and objects as JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.emulator.web.exchange import RestError
from mqtriage.emulator.web.json_commands import mqsc_text, object_json
from mqtriage.mq.mqsc.parse import parse


def text(words: str, name: str | None = None, **members: Any) -> str:
    command, qualifier = words.split()
    named = {} if name is None else {"name": name}
    return mqsc_text(
        {"type": "runCommandJSON", "command": command, "qualifier": qualifier, **named, **members}
    )


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"descr": "orders, new", "maxdepth": 500}, "DESCR('orders, new') MAXDEPTH(500)"),
        ({"MAXDEPTH": "500", "get": "disabled"}, "MAXDEPTH(500) GET(disabled)"),
        ({"share": "yes", "replace": "yes"}, "SHARE REPLACE"),
        ({"noshare": "yes", "noreplace": "yes"}, "NOSHARE NOREPLACE"),
        ({"SHARE": "NO", "REPLACE": "NO"}, "NOSHARE"),
        ({"noshare": "no"}, "SHARE"),
        ({"descr": "it's"}, "DESCR('it''s')"),
        ({"descr": ""}, "DESCR(' ')"),
        ({"like": "other.q"}, "LIKE('other.q')"),
        ({"boqname": "ORDERS.BO"}, "BOQNAME('ORDERS.BO')"),
    ],
)
def test_parameters_of_define(parameters: dict[str, Any], expected: str) -> None:
    assert text("define qlocal", "a.q", parameters=parameters) == f"DEFINE QLOCAL('a.q') {expected}"


@pytest.mark.parametrize(
    ("mqsc", "expected"),
    [
        (text("DISPLAY QMGR", responseParameters=["all"]), "DISPLAY QMGR ALL"),
        (
            text("display queue", "*", parameters={"where": "curdepth gt 0", "type": "qlocal"}),
            "DISPLAY QUEUE('*') WHERE(curdepth gt 0) TYPE(qlocal)",
        ),
        (
            text("display queue", "*", parameters={"where": "descr lk orders, n*"}),
            "DISPLAY QUEUE('*') WHERE(descr lk 'orders, n*')",
        ),
        (
            text("alter namelist", "N", parameters={"names": ["A", "B"]}),
            "ALTER NAMELIST('N') NAMES('A','B')",
        ),
        (text("alter namelist", "N", parameters={"names": []}), "ALTER NAMELIST('N') NAMES(' ')"),
        (text("delete ql", "A", parameters={"purge": "yes"}), "DELETE QLOCAL('A') PURGE"),
    ],
)
def test_other_commands(mqsc: str, expected: str) -> None:
    assert mqsc == expected


@pytest.mark.parametrize(
    "members",
    [
        {"parameters": {"maxmsglen": 5}},
        {"parameters": {"descr) GET(DISABLED": "x"}},
        {"parameters": {"": "x"}},
        {"responseParameters": ["curdepth"]},
        {"command": "define", "qualifier": "qlokal"},
        {"command": "defin"},
        {"command": "end"},
    ],
)
def test_a_name_that_there_is_not_is_mqwb0120e(members: dict[str, Any]) -> None:
    with pytest.raises(RestError, match="MQWB0120E"):
        mqsc_text({"command": "define", "qualifier": "qlocal", "name": "A", **members})


@pytest.mark.parametrize("asked", ["share", "maxmsglen", "where", "descr x", ""])
def test_names_that_cannot_be_asked_for(asked: str) -> None:
    with pytest.raises(RestError, match="MQWB0120E"):
        text("display qlocal", "A", responseParameters=[asked])


@pytest.mark.parametrize(
    "members",
    [
        {"name": 5},
        {"name": "A\nDELETE QLOCAL(B)"},
        {"parameters": []},
        {"parameters": {"descr": None}},
        {"parameters": {"descr": True}},
        {"parameters": {"descr": 1.5}},
        {"parameters": {"descr": {"a": 1}}},
        {"parameters": {"descr": "two\nlines"}},
        {"parameters": {"replace": 1}},
        {"parameters": {"replace": "maybe"}},
        {"responseParameters": "all"},
        {"responseParameters": [5]},
        {"command": ["define"]},
        {"other": 1},
    ],
)
def test_wrong_types_are_refused(members: dict[str, Any]) -> None:
    with pytest.raises(RestError) as refused:
        mqsc_text({"command": "define", "qualifier": "qlocal", "name": "A", **members})
    assert refused.value.answer.status == 400


TEXTS = st.text(max_size=60)


@given(TEXTS.filter(lambda name: name.strip(" ")), TEXTS)
def test_no_value_becomes_more_than_a_value(name: str, description: str) -> None:
    """Whatever stands in them, the MQSC is one command with that name and that text, or none."""
    try:
        mqsc = text("define qlocal", name, parameters={"descr": description, "like": name})
    except RestError:
        return
    (command,) = parse(mqsc).commands
    assert command.error is None
    assert (command.verb, command.noun) == ("DEFINE", "QLOCAL")
    assert command.name is not None
    assert command.name.text == name
    assert command.value("DESCR") == (description or " ")
    assert [parameter.keyword for parameter in command.parameters] == ["DESCR", "LIKE"]


def test_switches_and_lists_are_shown_as_mqweb_shows_them() -> None:
    values: dict[str, int | str] = {
        "QUEUE": "A",
        "TYPE": "QLOCAL",
        "CURDEPTH": 3,
        "SHARE": "NO",
        "HARDENBO": "YES",
    }
    assert object_json("QLOCAL", values) == {
        "queue": "A", "type": "QLOCAL", "curdepth": 3, "noshare": "YES", "hardenbo": "YES",
    }  # fmt: skip
    assert object_json("NAMELIST", {"NAMELIST": "N", "NAMES": "A,B"})["names"] == ["A", "B"]
    assert object_json("NAMELIST", {"NAMELIST": "N", "NAMES": ""})["names"] == []
