"""`mqtriage backout ls|show|set`, whole commands on an emulated queue manager."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from tests.acceptance.conftest import Bench

OFF = ("--threshold", "0", "--boq", "")


def row(bench: Bench, queue: str) -> dict[str, Any]:
    (item,) = bench.ok("backout", "ls", queue, "-o", "json").items
    return item


@pytest.mark.seed("CARD-02", "CARD-21", "CARD-22", "BO-15", "BO-19")
def test_set_alters_the_two_attributes_and_no_other(bench: Bench) -> None:
    bench.define("BO", IN="MAXDEPTH=9")
    before = bench.ok("queue", "show", "IN", "-o", "json").item["attributes"]
    ran = bench.ok("backout", "set", "IN", "--threshold", "3", "--boq", "BO", "--yes")
    assert "ALTER QLOCAL('IN') BOTHRESH(3) BOQNAME('BO')" in ran.out
    assert "0 -> 3" in ran.out
    after = bench.ok("queue", "show", "IN", "-o", "json").item["attributes"]
    changed = {key for key in after if after[key] != before[key]} - {"ALTDATE", "ALTTIME"}
    assert changed == {"BOTHRESH", "BOQNAME"}


def test_the_second_time_it_says_unchanged(bench: Bench) -> None:
    bench.define("IN", "BO")
    arguments = ("backout", "set", "IN", "--threshold", "3", "--boq", "BO")
    bench.ok(*arguments, "--yes")
    assert bench.ok(*arguments).out.startswith("unchanged: IN")


def test_create_boq_defines_a_queue_that_takes_every_message_of_the_input_queue(
    bench: Bench,
) -> None:
    bench.define(IN="MAXMSGL=4194304 DEFPSIST=YES MAXDEPTH=77 TRIGGER=YES")
    bench.ok("backout", "set", "IN", "--threshold", "3", "--boq", "BO", "--create-boq", "--yes")
    assert bench.attribute("BO", "MAXMSGL") == 4_194_304
    assert bench.attribute("BO", "DEFPSIST") == "YES"
    assert bench.attribute("BO", "MAXDEPTH") == 77
    assert bench.attribute("BO", "TRIGGER") == "NO"
    assert bench.attribute("BO", "BOTHRESH") == 0
    assert row(bench, "IN")["state"] == "ok"


def test_create_boq_takes_over_no_cap_on_the_lifetime_of_messages(bench: Bench) -> None:
    bench.define(IN="CAPEXPRY=600 CUSTOM=CAPEXPRY(600)")
    bench.ok("backout", "set", "IN", "--threshold", "3", "--boq", "BO", "--create-boq", "--yes")
    assert bench.attribute("BO", "CAPEXPRY") == "NOLIMIT"
    assert bench.attribute("BO", "CUSTOM") == ""


def test_create_boq_like_a_third_queue(bench: Bench) -> None:
    bench.define(IN="MAXDEPTH=5", MODEL="MAXDEPTH=6 MAXMSGL=10")
    bench.ok(
        "backout", "set", "IN", "--threshold", "3", "--boq", "BO", "--create-boq", "--like",
        "MODEL", "--yes",
    )  # fmt: skip
    assert bench.attribute("BO", "MAXDEPTH") == 6
    assert bench.attribute("BO", "MAXMSGL") == 4_194_304  # as long as the queue manager takes


def test_create_boq_leaves_a_queue_that_is_there_alone(bench: Bench) -> None:
    bench.define("IN", BO="MAXDEPTH=5")
    ran = bench.ok("backout", "set", "IN", "--threshold", "3", "--boq", "BO", "--create-boq", "-n")
    assert "BO already exists and does not change" in ran.out
    assert "DEFINE" not in ran.out


@pytest.mark.seed("PM-19")
def test_an_alias_is_followed_to_its_base_and_that_is_said(bench: Bench) -> None:
    bench.define("Q1", "BO")
    bench.ok("queue", "define", "A1", "TARGET=Q1", "--yes")
    ran = bench.ok("backout", "set", "A1", "--threshold", "3", "--boq", "BO", "--yes")
    assert "A1 is an alias of Q1" in ran.err
    assert "QALIAS" not in ran.out
    assert bench.attribute("Q1", "BOTHRESH") == 3


@pytest.mark.seed("PM-17")
def test_the_note_about_values_that_consumers_keep_is_shown(bench: Bench) -> None:
    bench.define("IN", "BO")
    ran = bench.ok("backout", "set", "IN", "--threshold", "3", "--boq", "BO", "--yes")
    assert "JMS clients keep BOTHRESH and BOQNAME" in ran.err


@pytest.mark.seed("PM-42")
def test_a_threshold_without_a_backout_queue_is_warned_of(bench: Bench) -> None:
    bench.define("IN")
    for threshold in ("3", "1"):
        ran = bench.ok("backout", "set", "IN", "--threshold", threshold, "--yes")
        text = f"BOTHRESH({threshold}) without BOQNAME"
        assert ran.err.count(text) == 1, "told with the plan, not again after"
        assert f"warning: {text}" in ran.err
        assert "add --boq QUEUE: a threshold needs a backout queue" in ran.err
    assert row(bench, "IN")["state"] == "half"


@pytest.fixture
def odd_queues(bench: Bench) -> Bench:
    """A queue IN, and backout queues that will not do for it."""
    bench.define(
        "IN",
        "DEAD",
        "COMMON",
        **{
            "SHUT": "PUT=DISABLED",
            "SMALL": "MAXMSGL=10",
            "BACK": "BOTHRESH=1 BOQNAME=IN",
            "OTHER": "BOTHRESH=1 BOQNAME=COMMON",
            "ALIAS.NOPE": "TARGET=NOPE",
            "ALIAS.ALIAS": "TARGET=ALIAS.NOPE",
        },
    )
    with bench.connected() as backend:
        backend.alter("QMGR", "", {"DEADQ": "DEAD"})
        backend.define("QREMOTE", "AWAY", {"RNAME": "Q", "RQMNAME": "QM2"})
    return bench


REFUSED_BOQS = [
    pytest.param("NOPE", "BOQNAME(NOPE) names no queue", "broken", id="missing"),
    pytest.param("SHUT", "SHUT has PUT(DISABLED)", "broken", id="put-disabled"),
    pytest.param("SMALL", "MAXMSGL(10) of SMALL is below", "broken", id="too-small"),
    pytest.param("IN", "BOQNAME is the queue itself", "loop", id="itself"),
    pytest.param("BACK", "BOQNAME leads back", "loop", id="loop-of-two"),
    pytest.param("ALIAS.NOPE", "is an alias of NOPE, which is missing", "broken", id="alias"),
    pytest.param("ALIAS.ALIAS", "which is a QALIAS", "broken", id="alias-of-alias"),
]


@pytest.mark.seed("CARD-22")
@pytest.mark.parametrize(
    ("boq", "text", "state"),
    [
        *REFUSED_BOQS,
        pytest.param("DEAD", "DEAD is the dead-letter queue", "shared", id="dead-letter-queue"),
        pytest.param("COMMON", "shared with OTHER", "shared", id="shared"),
    ],
)
def test_a_backout_queue_that_will_not_do_is_warned_of(
    odd_queues: Bench, boq: str, text: str, state: str
) -> None:
    arguments = ("backout", "set", "IN", "--threshold", "3", "--boq", boq, "--yes")
    ran = odd_queues.ok(*arguments, "--allow-missing-boq")
    assert text in ran.err
    record = row(odd_queues, "IN")
    assert record["state"] == state
    assert any(text in problem for problem in record["problems"])


@pytest.mark.parametrize(
    ("boq", "text", "state"),
    [
        *REFUSED_BOQS,
        pytest.param("AWAY", "resolves to a QREMOTE, not a local queue", "", id="remote"),
        pytest.param("IN", "messages move endlessly", "", id="the-queue-itself"),
    ],
)
def test_a_backout_queue_in_which_messages_would_get_lost_or_stuck_is_refused(
    odd_queues: Bench, boq: str, text: str, state: str
) -> None:
    ran = odd_queues.run("backout", "set", "IN", "--threshold", "3", "--boq", boq, "--yes")
    assert ran.code == 8
    assert text in ran.err
    assert "--allow-missing-boq" not in ran.err
    assert ("--create-boq" in ran.err) == (boq == "NOPE")
    assert odd_queues.attribute("IN", "BOTHRESH") == 0


def test_a_created_backout_queue_has_room_for_the_header_that_jms_adds(bench: Bench) -> None:
    bench.define(IN="MAXMSGL=1000")
    bench.ok("backout", "set", "IN", "--threshold", "3", "--boq", "BO", "--create-boq", "--yes")
    assert bench.attribute("BO", "MAXMSGL") == 1000 + 4096


@pytest.mark.parametrize(("length", "warned"), [(1000, True), (5095, True), (5096, False)])
def test_a_given_backout_queue_without_room_for_that_header_is_warned_of(
    bench: Bench, length: int, warned: bool
) -> None:
    bench.define(IN="MAXMSGL=1000", BO=f"MAXMSGL={length}")
    ran = bench.ok("backout", "set", "IN", "--threshold", "3", "--boq", "BO", "--yes")
    assert ("leaves no room for the MQRFH2" in ran.err) == warned


def test_blank_clears_boqname(bench: Bench) -> None:
    bench.define(IN="BOTHRESH=3 BOQNAME=BO")
    ran = bench.ok("backout", "set", "IN", "--boq", "", "--yes")
    assert "BOQNAME(' ')" in ran.out
    assert bench.attribute("IN", "BOQNAME") == ""


def test_a_threshold_of_0_turns_it_off_and_says_unchanged_the_second_time(bench: Bench) -> None:
    bench.define(IN="BOTHRESH=3 BOQNAME=BO")
    ran = bench.ok("backout", "set", "IN", *OFF, "--yes")
    assert "ALTER QLOCAL('IN') BOTHRESH(0) BOQNAME(' ')" in ran.out
    assert row(bench, "IN")["state"] == "off"
    assert bench.ok("backout", "set", "IN", *OFF).out.startswith("unchanged: ")


def test_mqsc_prints_both_commands_and_does_nothing(bench: Bench) -> None:
    bench.define("IN")
    ran = bench.ok(
        "backout", "set", "IN", "--threshold", "3", "--boq", "BO", "--create-boq", "--mqsc"
    )
    assert ran.out.startswith("DEFINE QLOCAL('BO')")
    assert ran.out.endswith("ALTER QLOCAL('IN') BOTHRESH(3) BOQNAME('BO')\n")
    assert bench.attribute("IN", "BOTHRESH") == 0


def test_ls_counts_the_messages_that_have_reached_their_threshold(bench: Bench) -> None:
    bench.define(IN="BOTHRESH=2 BOQNAME=BO", BO="MAXDEPTH=55")
    file = bench.home / "m"
    file.write_bytes(b"m")
    bench.ok(
        "msg", "put", "IN", "--file", str(file), "--file", str(file), "--file", str(file), "--yes"
    )
    bench.ok("emulator", "lab", "rollback", "IN", "--times", "2")
    item = row(bench, "IN")
    assert item["pending"] == 1
    assert (item["boq_type"], item["boq_depth"], item["boq_maxdepth"]) == ("QLOCAL", 0, 55)


def test_ls_counts_rolled_back_messages_of_a_queue_without_a_threshold(bench: Bench) -> None:
    bench.define("IN", "IDLE", HALF="BOQNAME=IDLE")
    for queue in ("IN", "HALF"):
        bench.ok("msg", "put", queue, "m", "--yes")
        bench.ok("emulator", "lab", "rollback", queue, "--times", "31")
    assert (row(bench, "IN")["pending"], row(bench, "IN")["state"]) == (1, "failing")
    assert (row(bench, "IDLE")["pending"], row(bench, "IDLE")["state"]) == (0, "boq")
    ran = bench.ok("backout", "ls", "--problems", "-o", "json")
    text = "1 message rolled back; BOTHRESH(0) turns off poison handling"
    assert [(item["queue"], item["problems"]) for item in ran.items] == [
        ("HALF", ["BOTHRESH is 0: BOQNAME is never used", text]),
        ("IN", [text]),
    ]


def test_what_is_not_counted_without_a_browse_is_null_and_said(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real queue manager has no insight."""
    monkeypatch.setattr(EmulatedBackend, "insight", None)
    bench.define("IN")
    assert (row(bench, "IN")["pending"], row(bench, "IN")["state"]) == (None, "off")
    assert (
        "not listed: 1 queue in state off (neither BOTHRESH nor BOQNAME is set), not browsed for "
        "rolled-back messages; mqtriage backout pending\n"
    ) in bench.ok("backout", "ls", "--problems").err


def test_ls_leaves_system_queues_out_unless_they_are_named(bench: Bench) -> None:
    bench.define("IN")
    assert [item["queue"] for item in bench.ok("backout", "ls", "-o", "json").items] == ["IN"]
    assert len(bench.ok("backout", "ls", "*", "-o", "json").items) > 1


def test_problems_leaves_out_what_is_in_order(bench: Bench) -> None:
    bench.define("BO", FINE="BOTHRESH=2 BOQNAME=BO", HALF="BOTHRESH=2")
    ran = bench.ok("backout", "ls", "--problems", "-o", "json")
    assert [item["queue"] for item in ran.items] == ["HALF"]
    states = {"ok": 1, "boq": 1, "half": 1}
    assert ran.json["summary"]["states"] == states, "of all the queues that were looked at"


def test_ls_names_the_queues_that_back_out_to_it(bench: Bench) -> None:
    bench.define("BO", IN="BOTHRESH=2 BOQNAME=BO", ALIAS="TARGET=IN")
    (of_boq,) = bench.ok("backout", "ls", "BO", "-o", "json").items
    assert of_boq["used_as_backout_queue_by"] == ["IN"]
    (of_alias,) = bench.ok("backout", "ls", "ALIAS", "-o", "json").items
    assert (of_alias["queue"], of_alias["state"], of_alias["boq_resolves_to"]) == ("IN", "ok", "BO")


@pytest.mark.seed("CARD-21")
@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        pytest.param(["set", "IN", "--threshold", "-1"], 2, "allowed 0 to 999999999", id="neg"),
        pytest.param(["set", "IN", "--threshold", "1000000000"], 2, "0 to 999999999", id="huge"),
        pytest.param(["set", "IN", "--threshold", "three"], 2, "BOTHRESH(three)", id="word"),
        pytest.param(["set", "IN"], 2, "nothing to set", id="nothing"),
        pytest.param(["set", "IN", "--threshold", "3", "--create-boq"], 2, "--boq", id="create"),
        pytest.param(["set", "IN", "--boq", "A B"], 2, "a blank at position 2", id="boq"),
        pytest.param(["set", "IN", "--boq", "B" * 49], 2, "49 characters", id="boq-long"),
        pytest.param(["set", "IN", "--boq", "B", "--like", "IN"], 2, "--create-boq", id="like"),
        pytest.param(["set", "NOPE", "--threshold", "3"], 5, "2085", id="unknown"),
        pytest.param(["set", "TO.NOTHING", "--threshold", "3"], 5, "2082", id="alias-missing"),
        pytest.param(["set", "TO.ALIAS", "--threshold", "3"], 1, "2001", id="alias-of-alias"),
        pytest.param(["set", "NOPE", *OFF], 5, "2085", id="off-unknown"),
        pytest.param(["ls", "TO.ALIAS"], 1, "MQRC_ALIAS_BASE_Q_TYPE_ERROR", id="ls-alias"),
        pytest.param(["ls", "NOPE"], 5, "2085", id="ls-unknown"),
        pytest.param(["ls", "N?"], 2, "'?'", id="ls-pattern"),
        pytest.param(["set", "IN", "--threshold", "3"], 8, "--yes", id="consent"),
    ],
)
def test_wrong_input_is_one_clear_line_and_changes_nothing(
    bench: Bench, arguments: list[str], code: int, text: str
) -> None:
    bench.define("IN", **{"TO.NOTHING": "TARGET=NOPE", "TO.ALIAS": "TARGET=TO.NOTHING"})
    yes = ["--yes"] if code != 8 and arguments[0] == "set" else []
    ran = bench.run("backout", *arguments, *yes)
    assert ran.code == code, ran.err
    assert text in ran.error_line
    assert ran.out == ""
    assert bench.attribute("IN", "BOTHRESH") == 0


def test_a_model_queue_is_told_the_command_that_changes_it(bench: Bench) -> None:
    ran = bench.run(
        "backout", "set", "SYSTEM.DEFAULT.MODEL.QUEUE", "--threshold", "3", "--boq", "BO"
    )
    assert ran.code != 0
    hint = "ALTER QMODEL(SYSTEM.DEFAULT.MODEL.QUEUE) BOTHRESH(3) BOQNAME('BO')"
    assert "2057" in ran.err
    assert hint in ran.err
