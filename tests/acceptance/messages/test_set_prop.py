"""`msg copy --set-prop`: a property changes when a message is sent again."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from tests.acceptance.messages.estate import Estate

COPY = ("msg", "copy", "IN", "--to", "OUT", "--yes")


@pytest.fixture
def estate(estate: Estate) -> Estate:
    """On IN a plain message, and one as a JMS client sends it."""
    header = rfh2.build_jms(
        "jms_text", "queue:///IN", Following("MQSTR", 273, 1208), put_time_ms=1_800_000_000_000,
        user={"color": "red", "retries": 2},
    )  # fmt: skip
    estate.put("IN", b"plain")
    estate.put("IN", rfh2.encode(header) + b"from JMS", format="MQHRF2", encoding=273)
    return estate


def properties(estate: Estate) -> list[dict[str, Any]]:
    shown = estate.run("msg", "browse", "OUT", "-o", "json").json["items"]
    return [{one["name"]: one["value"] for one in item["properties"]} for item in shown]


def test_a_property_is_set_and_another_taken_out_and_all_else_stays(estate: Estate) -> None:
    before = estate.messages("IN")
    assert estate.run(*COPY, "--set-prop", "color=a<b & c", "--set-prop", "retries").code == 0
    plain, jms = properties(estate)
    assert plain == {"color": "a<b & c"}
    assert jms["color"] == "a<b & c"
    assert "retries" not in jms
    assert jms["jms.Dst"] == "queue:///IN"
    bodies = [one["body"] for one in estate.run("msg", "browse", "OUT", "-o", "json").json["items"]]
    assert bodies == ["plain", "from JMS"]
    assert estate.messages("IN") == before
    assert estate.run("journal", "verify").code == 0
    assert estate.run("journal", "undo", "--yes").code == 0
    assert estate.messages("OUT") == []


def test_a_property_that_is_there_keeps_its_type(estate: Estate) -> None:
    assert estate.run(*COPY, "--set-prop", "retries=7").code == 0
    plain, jms = properties(estate)
    assert (plain["retries"], jms["retries"]) == ("7", 7)


def test_plan_and_act_skip_what_has_no_such_value(estate: Estate) -> None:
    words = ("--set-prop", "retries=many")
    planned = estate.run("msg", "copy", "IN", "--to", "OUT", *words, "--dry-run")
    assert "1 will be skipped: property retries: 'many' is not of type i4" in planned.out
    assert estate.run(*COPY, *words).code == 3
    assert [one["retries"] for one in properties(estate)] == ["many"]


def test_a_saved_plan_changes_the_same_properties(estate: Estate) -> None:
    plan = str(estate.folder / "plan.json")
    line = ("msg", "copy", "IN", "--to", "OUT", "--set-prop", "n=1", "--set-prop", "color")
    assert estate.run(*line, "--plan", plan).code == 0
    assert estate.run("apply", plan, "--yes").code == 0
    plain, jms = properties(estate)
    assert (plain, jms["n"], "color" in jms) == ({"n": "1"}, "1", False)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--set-prop", "=color"], "not a property"),
        (["--set-prop", "a=1", "--set-prop", "a"], "given twice"),
        (["--set-prop", "a.b=1"], "in a group"),
        (["--set-prop", "a b=1"], "cannot be written"),
        (["--set-prop", "<x"], "cannot be written"),
    ],
)
def test_what_is_no_property_is_one_clear_line(estate: Estate, words: list[str], text: str) -> None:
    ran = estate.run(*COPY, *words)
    assert ran.code == 2, ran
    assert text in ran.err
    assert estate.messages("OUT") == []
