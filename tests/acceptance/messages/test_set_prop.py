"""`--set-prop`: a property changes when a message is sent again, as a copy or moved."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from mqtriage.files.sealed import write_sealed
from mqtriage.mq import cmqc
from mqtriage.mq.headers import dlh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from tests.acceptance.messages.estate import STAGING, Estate

COPY = ("msg", "copy", "IN", "--to", "OUT", "--yes")
MOVES = (
    ("msg", "move", "IN", "--to", "OUT"),
    ("backout", "requeue", "IN", "--to", "OUT"),
    ("backout", "requeue", "IN", "--to", "origin", "--accept-likely"),
    ("dlq", "requeue", "IN"),
    ("dlq", "requeue", "IN", "--to", "OUT"),
)
CHANGE = ("--set-prop", "color=blue", "--set-prop", "retries=0")


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


def wanting(estate: Estate, move: tuple[str, ...]) -> list[Message]:
    """Prepare IN for the move; returns what is there then."""
    if "origin" in move:
        estate.alter("OUT", BOQNAME="IN", BOTHRESH=3)
    if move[0] == "dlq":
        for message in estate.messages("IN"):
            estate.take("IN")
            md, body = message.md, message.body
            letter = dlh.DLH(2053, "OUT", "QM1", md.encoding, md.ccsid, md.format)
            estate.put("IN", dlh.encode(letter) + body, format="MQDEAD")
    return estate.messages("IN")


@pytest.mark.parametrize("move", MOVES, ids=" ".join)
@pytest.mark.slow
def test_a_move_changes_properties_and_its_undo_brings_the_original_ones_back(
    estate: Estate, move: tuple[str, ...]
) -> None:
    before = wanting(estate, move)
    planned = estate.run(*move, *CHANGE, "-n")
    assert "properties that change: color set, retries set" in planned.out
    assert estate.run(*move, *CHANGE, "--yes").code == 0
    assert estate.messages("IN") == []
    plain, jms = properties(estate)
    assert plain == {"color": "blue", "retries": "0"}
    assert (jms["color"], jms["retries"], jms["jms.Dst"]) == ("blue", 0, "queue:///IN")
    for copy, original in zip(estate.messages("OUT"), before, strict=True):
        kept = ("msg_id", "correl_id", "put_date", "put_time", "user_identifier", "priority")
        assert [getattr(copy.md, name) for name in kept] == [
            getattr(original.md, name) for name in kept
        ]
    lines = [line for archive in estate.archives() for line in archive]
    assert {line["sha256"] for line in lines if "msg_id" in line} == {
        sha256(message.body).hexdigest() for message in before
    }
    assert estate.run("journal", "verify").code == 0
    assert "cannot be undone" not in estate.run("journal", "undo", "-n").out
    assert estate.run("journal", "undo", "--yes").code == 0
    assert estate.messages("OUT") == []
    assert [(one.md, one.body) for one in estate.messages("IN")] == [
        (one.md, one.body) for one in before
    ]


@pytest.mark.parametrize("move", MOVES, ids=" ".join)
def test_without_the_option_a_move_leaves_the_properties_as_they_are(
    estate: Estate, move: tuple[str, ...]
) -> None:
    wanting(estate, move)
    assert estate.run(*move, "--yes").code == 0
    plain, jms = properties(estate)
    assert (plain, jms["color"], jms["retries"]) == ({}, "red", 2)


@pytest.mark.parametrize("move", MOVES, ids=" ".join)
@pytest.mark.slow
def test_a_saved_plan_of_a_move_changes_the_same_properties(
    estate: Estate, move: tuple[str, ...]
) -> None:
    before = wanting(estate, move)
    plan = str(estate.folder / "plan.json")
    assert estate.run(*move, *CHANGE, "--plan", plan).code == 0
    shown = estate.run("plan", plan)
    assert "properties that change: color set, retries set" in shown.out
    assert estate.run("apply", plan, "--yes").code == 0
    assert [one["color"] for one in properties(estate)] == ["blue", "blue"]
    assert estate.run("journal", "undo", "--yes").code == 0
    assert [one.body for one in estate.messages("IN")] == [one.body for one in before]


def test_a_plan_that_was_edited_to_change_properties_elsewhere_is_refused(estate: Estate) -> None:
    plan = estate.folder / "plan.json"
    estate.run("msg", "purge", "IN", "--plan", str(plan))
    head, *rest, _ = plan.read_text().splitlines()
    lines = [head.replace('"properties":[]', '"properties":[["a","1"]]'), *rest]
    assert lines[0] != head
    plan.unlink()
    write_sealed(plan, map(json.loads, lines), {"messages": 2})
    ran = estate.run("apply", str(plan), "--yes")
    assert (ran.code, "purge that changes properties" in ran.err) == (8, True), ran
    assert len(estate.messages("IN")) == 2


def test_a_move_leaves_or_parks_what_has_no_such_value_as_its_plan_says(estate: Estate) -> None:
    estate.queue("PARK")
    before = estate.messages("IN")
    line = ("msg", "move", "IN", "--to", "OUT", "--set-prop", "retries=many")
    planned = estate.run(*line, "-n")
    assert "1 will be skipped: property retries: 'many' is not of type i4" in planned.out
    assert estate.run(*line, "--park", "PARK", "--yes").code == 3
    assert [one.body for one in estate.messages("PARK")] == [before[1].body]
    assert estate.run("journal", "verify").code == 0
    assert estate.run("journal", "undo", "--yes").code == 0
    assert sorted(one.body for one in estate.messages("IN")) == sorted(one.body for one in before)


def test_the_plan_of_an_undo_says_which_changed_messages_no_archive_has(estate: Estate) -> None:
    line = ("msg", "move", "IN", "--to", "OUT", "--set-prop", "retries")
    assert estate.run(*line, "--no-backup", "--yes").code == 0
    why = "the copy was changed on the way, and it is not in an archive"
    planned = estate.run("journal", "undo", "-n")
    assert f"1 of them will be skipped: {why}" in planned.out  # the plain one is as it was
    ran = estate.run("journal", "undo", "--yes", "-o", "json")
    assert ran.code == planned.code == 3
    assert [one["reason"] for one in ran.json["items"] if one["reason"]] == [why]
    assert (estate.bodies("IN"), len(estate.messages("OUT"))) == ([b"plain"], 1)


def test_an_undo_leaves_what_is_back_already_with_its_original_properties(estate: Estate) -> None:
    jms = estate.messages("IN")[1]
    assert estate.run("msg", "move", "IN", "--to", "OUT", *CHANGE, "--yes").code == 0
    with estate.connected() as backend:
        backend.put1("IN", jms.md, jms.body, cmqc.MQPMO_SET_ALL_CONTEXT)
    ran = estate.run("journal", "undo", "--yes", "-o", "json")
    assert "a message with the same ids and data is on IN already" in ran.out
    assert sorted(estate.bodies("IN")) == sorted([b"plain", jms.body])


def test_messages_that_differ_in_the_changed_property_alone_both_come_back(estate: Estate) -> None:
    """Their copies are the same, with one MsgId; the archive tells the originals apart."""
    estate.take("IN", 2)
    for color in ("red", "green"):
        header = rfh2.build([("usr", {"color": color})], Following("MQSTR", 273, 1208))
        estate.put("IN", rfh2.encode(header) + b"x", format="MQHRF2", encoding=273,
                   msg_id=b"M" * 24, put_date="20260131", put_time="10000000")  # fmt: skip
    before = estate.bodies("IN")
    assert estate.run("msg", "move", "IN", "--to", "OUT", "--set-prop", "color", "--yes").code == 0
    first, second = estate.bodies("OUT")
    assert first == second
    assert estate.run("journal", "verify").code == 0
    assert estate.run("journal", "undo", "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == (before, [])


def test_requeues_are_counted_although_a_property_changes_each_time(estate: Estate) -> None:
    estate.take("IN")
    for turn in range(3):
        queues = ("IN", "--to", "OUT") if turn % 2 == 0 else ("OUT", "--to", "IN")
        change = ("--set-prop", f"color={turn}")
        assert estate.run("backout", "requeue", *queues, *change, "--yes").code == 0
    ran = estate.run("backout", "requeue", "OUT", "--to", "IN", "--set-prop", "color=3", "--yes")
    assert (ran.code, "--max-requeues 3" in ran.err) == (8, True), ran


def test_the_properties_of_a_delayed_message_stand_behind_its_delay_header(estate: Estate) -> None:
    estate.delayed("OUT", b"later")
    ran = estate.run("msg", "move", STAGING, "--to", "IN", "--set-prop", "color=red", "-n")
    assert "its properties come after the header of Format MQHDDH" in ran.out


DROP = ("--headers", "drop")


@pytest.mark.parametrize("move", [COPY[:-1], *MOVES], ids=" ".join)
@pytest.mark.slow
def test_headers_drop_removes_the_mqrfh2_with_its_properties(
    estate: Estate, move: tuple[str, ...]
) -> None:
    before = wanting(estate, move)
    planned = estate.run(*move, *DROP, "-n")
    assert "1 message loses its MQRFH2, with 2 properties of the application" in planned.out
    assert estate.run(*move, *DROP, "--yes").code == 0
    assert [(one.md.format, one.body) for one in estate.messages("OUT")] == [
        ("MQSTR", b"plain"), ("MQSTR", b"from JMS"),
    ]  # fmt: skip
    assert estate.run("journal", "verify").code == 0
    assert estate.run("journal", "undo", "--yes").code == 0
    assert estate.bodies("OUT") == []
    assert [one.body for one in estate.messages("IN")] == [one.body for one in before]


def test_a_saved_plan_drops_and_says_the_same(estate: Estate) -> None:
    plan = str(estate.folder / "plan.json")
    assert estate.run(*COPY[:-1], *DROP, "--plan", plan).code == 0
    lost = "1 message loses its MQRFH2, with 2 properties of the application"
    assert estate.run("apply", plan, "-n").out.count(lost) == 1
    assert estate.run("apply", plan, "--yes").code == 0
    assert estate.bodies("OUT") == [b"plain", b"from JMS"]


def test_a_load_drops_the_mqrfh2_and_says_what_is_lost(estate: Estate) -> None:
    file = str(estate.folder / "kept.ndjson")
    assert estate.run("msg", "archive", "IN", "--out", file).code == 0
    load = ("msg", "load", file, "--to", "OUT", *DROP)
    lost = "1 message loses its MQRFH2, with 2 properties of the application"
    assert lost in estate.run(*load, "-n").out
    assert estate.run(*load, "--yes").code == 0
    assert estate.bodies("OUT") == [b"plain", b"from JMS"]
    assert estate.run(*load, "--yes").code == 8  # they are there already


def test_headers_drop_leaves_what_cannot_be_read_as_its_plan_says(estate: Estate) -> None:
    estate.put("IN", b"RFH broken", format="MQHRF2", encoding=273)
    planned = estate.run("msg", "move", "IN", "--to", "OUT", *DROP, "-n")
    assert "1 will be skipped: " in planned.out
    assert estate.run("msg", "move", "IN", "--to", "OUT", *DROP, "--yes").code == 3
    assert estate.bodies("IN") == [b"RFH broken"]


def test_what_strip_skips_names_drop(estate: Estate) -> None:
    header = rfh2.build([("mcd", {"Msd": "jms_text"})], Following("MQSTR", 546, 1208), order="<")
    estate.put("IN", rfh2.encode(header) + b"x", format="MQHRF2", encoding=546)
    planned = estate.run("msg", "move", "IN", "--to", "OUT", "--headers", "strip", "-n")
    assert "273 are; --headers drop removes it" in planned.out
    assert "--headers drop removes it and them" in planned.out
    assert estate.run("msg", "move", "IN", "--to", "OUT", *DROP, "--yes").code == 0
    assert estate.bodies("OUT")[2] == b"x"
