"""`mqtriage emulator lab consume`: where a message would end, told and really done."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import ON_A_TERMINAL, Bench, Ran

ALWAYS = ("--fail-when", "backout >= 0")
BAD = ("--fail-when", "body CONTAINS 'bad message'")


@pytest.fixture
def poison(bench: Bench) -> Bench:
    """Q1 with BOTHRESH(2) and BOQNAME(BOQ), a bad message and a good one on it, and a DLQ."""
    with bench.connected() as backend:
        backend.define("QLOCAL", "BOQ", {})
        backend.define("QLOCAL", "DLQ", {})
        backend.define("QLOCAL", "Q1", {"BOTHRESH": 2, "BOQNAME": "BOQ"})
        backend.alter("QMGR", "", {"DEADQ": "DLQ"})
        for body in (b"a bad message", b"a good message"):
            backend.put1("Q1", MQMD(format="MQSTR", ccsid=1208, persistence=1), body)
    return bench


def consume(bench: Bench, kind: str, *options: str) -> Ran:
    """One run; *options* without dashes at the front are keys of the kind."""
    keys = ",".join((kind, *(option for option in options if "=" in option and " " not in option)))
    more = [option for option in options if "=" not in option or " " in option]
    return bench.ok("emulator", "lab", "consume", "Q1", "--as", keys, *more, "--yes", "-o", "json")


def told(ran: Ran) -> list[str]:
    return [item["event"] for item in ran.items]


def depths(bench: Bench) -> tuple[int, int, int]:
    return bench.depth("Q1"), bench.depth("BOQ"), bench.depth("DLQ")


GOOD_ENDS = ["delivered", "consumed"]
TWICE = ["delivered", "rolled-back"] * 2


@pytest.mark.seed("PM-02", "BO-24")
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        pytest.param("jms-sync", ("transacted=yes",), id="jms-sync"),
        pytest.param("jms-async", ("transacted=yes",), id="jms-async"),
        pytest.param("jms-async", (), id="jms-async-auto"),
        pytest.param("asf", (), id="asf"),
        pytest.param("mqi", (), id="mqi"),
        pytest.param("flow", (), id="flow"),
        pytest.param("flow-jms", (), id="flow-jms"),
    ],
)
def test_each_kind_of_consumer_moves_the_bad_message_and_consumes_the_good_one(
    poison: Bench, kind: str, options: tuple[str, ...]
) -> None:
    ran = consume(poison, kind, *options, *BAD)
    assert told(ran) == [*TWICE, "requeued", *GOOD_ENDS]
    assert depths(poison) == (0, 1, 0)
    assert ran.json["summary"]["depths"] == {"Q1": 0, "BOQ": 1}
    assert ran.json["summary"]["stopped"] == "empty"


@pytest.mark.seed("BO-34")
@pytest.mark.parametrize("report", [0, cmqc.MQRO_DISCARD_MSG], ids=["none", "discard-msg"])
@pytest.mark.parametrize("refusing", [(), ("BOQ",), ("BOQ", "DLQ")], ids=["none", "boq", "both"])
@pytest.mark.parametrize("policy", [{}, {"BOQNAME": ""}, {"BOTHRESH": 0}], ids=str)
@pytest.mark.slow
def test_jms_input_does_what_a_transacted_listener_does(
    poison: Bench, policy: dict[str, str | int], refusing: tuple[str, ...], report: int
) -> None:
    with poison.connected() as backend:
        for name in refusing:
            backend.alter("QLOCAL", name, {"PUT": "DISABLED"})
        for name in ("LISTENER", "FLOW"):
            backend.define("QLOCAL", name, {"BOTHRESH": 2, "BOQNAME": "BOQ", **policy})
            for body in (b"a bad message", b"a good message"):
                backend.put1(name, MQMD(format="MQSTR", ccsid=1208, report=report), body)

    def events(queue: str, *kind: str) -> list[tuple[str, int]]:
        ran = poison.ok(
            "emulator",
            "lab",
            "consume",
            queue,
            "--as",
            *kind,
            *BAD,
            "--limit",
            "9",
            "--yes",
            "-o",
            "json",
        )
        return [(item["event"], item["backout_count"]) for item in ran.items]

    listener = events("LISTENER", "jms-async,transacted")
    assert events("FLOW", "flow-jms") == listener
    assert poison.depth("FLOW") == poison.depth("LISTENER")


def test_the_records_say_what_where_and_why(poison: Bench) -> None:
    ran = consume(poison, "mqi", *BAD)
    assert ran.json["kind"] == "ConsumerEventList"
    moved = next(item for item in ran.items if item["event"] == "requeued")
    assert list(moved) == ["n", "msg_id", "event", "backout_count", "queue", "reason"]
    assert (moved["n"], moved["backout_count"], moved["queue"]) == (5, 2, "BOQ")
    assert "BOTHRESH is 2" in moved["reason"]
    assert len(moved["msg_id"]) == 48
    assert ran.items[1]["reason"] == "the handler fails on body CONTAINS 'bad message'"
    assert ran.items[-1]["queue"] is None


@pytest.mark.seed("BO-08")
def test_without_a_transaction_a_failing_synchronous_consumer_loses_messages(
    poison: Bench,
) -> None:
    ran = consume(poison, "jms-sync", *BAD)
    assert told(ran) == ["delivered", "consumed", "lost", *GOOD_ENDS]
    assert depths(poison) == (0, 0, 0)
    assert "1 message is lost" in ran.json["warnings"][0]


@pytest.mark.seed("BO-11")
def test_rollback_fails_that_often_and_then_lets_the_message_pass(poison: Bench) -> None:
    ran = consume(poison, "flow", "--rollback", "1")
    assert told(ran) == ["delivered", "rolled-back", *GOOD_ENDS] * 2
    assert depths(poison) == (0, 0, 0)


def test_without_a_failure_everything_is_consumed(poison: Bench) -> None:
    assert told(consume(poison, "jms-async")) == GOOD_ENDS * 2


@pytest.mark.seed("BO-12", "BO-16")
def test_an_endless_loop_ends_at_the_limit_and_is_said(poison: Bench) -> None:
    ran = consume(poison, "mqi", "handling=off", *ALWAYS, "--limit", "7")
    assert told(ran) == ["delivered", "rolled-back"] * 7
    assert ran.json["summary"]["stopped"] == "limit"
    assert "endless loop" in ran.json["warnings"][0]
    assert depths(poison) == (2, 0, 0)


@pytest.mark.seed("BO-22")
def test_a_program_that_cannot_go_on_is_blocked(poison: Bench) -> None:
    with poison.connected() as backend:
        backend.alter("QLOCAL", "BOQ", {"PUT": "DISABLED"})
        backend.alter("QMGR", "", {"DEADQ": ""})
    ran = consume(poison, "mqi", *BAD)
    assert told(ran) == [*TWICE, "kept"]
    assert ran.json["summary"]["stopped"] == "blocked"


@pytest.mark.seed("BO-43", "BO-45", "BO-46")
def test_the_options_of_the_flow_reach_the_node(poison: Bench) -> None:
    options = ("node-retry=1", "failure-terminal=fail", "failure-limit=2x")
    ran = consume(poison, "flow", *BAD, *options)
    assert told(ran) == [*TWICE, "requeued", *GOOD_ENDS]
    assert "propagated to Failure" in ran.items[2]["reason"]
    assert depths(poison) == (0, 1, 0)


@pytest.mark.seed("BO-39")
@pytest.mark.parametrize(
    ("kind", "options", "depth"),
    [
        ("asf", (), 1),
        ("asf", ("poison-discard=any",), 0),
        ("jms-sync", ("transacted=yes",), 0),
        ("jms-sync", ("transacted=yes", "poison-discard=np-only"), 1),
    ],
)
def test_poison_discard_says_what_may_be_lost(
    poison: Bench, kind: str, options: tuple[str, ...], depth: int
) -> None:
    with poison.connected() as backend:
        for queue in ("BOQ", "DLQ"):
            backend.alter("QLOCAL", queue, {"PUT": "DISABLED"})
    ran = consume(poison, kind, *options, *BAD)
    assert poison.depth("Q1") == depth
    assert ("lost" in told(ran)) is not bool(depth)


@pytest.mark.seed("PM-30")
def test_the_client_version_is_checked_and_used(poison: Bench) -> None:
    assert told(consume(poison, "jms-async", "client-version=9.1.1")) == GOOD_ENDS * 2
    ran = poison.run("emulator", "lab", "consume", "Q1", "--as", "asf,client-version=new", "--yes")
    assert (ran.code, "expected V.R[.M[.F]]" in ran.error_line) == (2, True)


def test_report_options_of_the_message_count(poison: Bench) -> None:
    with poison.connected() as backend:
        backend.alter("QLOCAL", "Q1", {"BOQNAME": ""})
        md = MQMD(format="MQSTR", ccsid=1208, report=cmqc.MQRO_DISCARD_MSG)
        backend.put1("Q1", md, b"a bad message as well")
    ran = consume(poison, "jms-async", "transacted=yes", *BAD)
    assert ran.json["summary"]["events"]["discarded"] == 1
    assert ran.json["summary"]["events"]["dead-lettered"] == 1
    assert depths(poison) == (0, 0, 1)


# -- the safety ladder ----------------------------------------------------------------------------


def test_in_a_script_it_needs_yes_and_changes_nothing_without(poison: Bench) -> None:
    ran = poison.run("emulator", "lab", "consume", "Q1", "--as", "mqi")
    assert (ran.code, ran.out) == (8, "")
    assert "needs --yes" in ran.error_line
    assert depths(poison) == (2, 0, 0)


def test_dry_run_shows_what_would_be_worked_on(poison: Bench) -> None:
    ran = poison.ok("emulator", "lab", "consume", "Q1", "--as", "asf", "-n", "-o", "json")
    assert (ran.json["kind"], ran.json["item"]["count"]) == ("Plan", 2)
    assert ran.json["item"]["facts"]["bothresh"] == 2
    assert depths(poison) == (2, 0, 0)


def test_the_plan_counts_the_messages_that_the_limit_lets_it_take(poison: Bench) -> None:
    line = ("emulator", "lab", "consume", "Q1", "--as", "jms-async", "--limit", "1")
    planned = poison.ok(*line, "-n").out
    assert planned.startswith("consume 1 message from Q1 at QM1\n")
    assert "takes at most 1 of 2 messages (--limit 1)" in planned
    assert poison.run(*line, "--expect", "2", "--yes").code == 8
    poison.ok(*line, "--expect", "1", "--yes")
    assert depths(poison) == (1, 0, 0)


@pytest.mark.parametrize(("answer", "depth"), [("n\n", 2), ("y\n", 0)])
def test_on_a_terminal_it_asks(poison: Bench, answer: str, depth: int) -> None:
    args = ("emulator", "lab", "consume", "Q1", "--as", "jms-async")
    ran = poison.run(*args, answer=answer, terminals=ON_A_TERMINAL)
    assert ran.code == (8 if depth else 0)
    assert poison.depth("Q1") == depth


def test_expect_refuses_another_number_of_messages(poison: Bench) -> None:
    ran = poison.run("emulator", "lab", "consume", "Q1", "--as", "asf", "--expect", "3", "--yes")
    assert ran.code == 8
    assert depths(poison) == (2, 0, 0)


WRONG: list[Any] = [
    pytest.param(("--as", "jms"), "--as jms: expected", id="kind"),
    pytest.param(("--as", "asf,transacted"), "transacted is for", id="transacted"),
    pytest.param(("--as", "asf,handling=off"), "handling=off is for", id="handling"),
    pytest.param(("--as", "mqi,handling=no"), "handling no: expected on, off", id="handling-word"),
    pytest.param(("--as", "mqi,node-retry=1"), "node-retry is for", id="node-retry"),
    pytest.param(("--as", "flow,node-retry=-1"), "node-retry -1", id="negative-retry"),
    pytest.param(("--as", "flow,failure-limit=3x"), "failure-limit 3x", id="limit-word"),
    pytest.param(("--as", "flow,failure-terminal=x"), "failure-terminal x", id="wire"),
    pytest.param(("--as", "asf,poison-discard=x"), "poison-discard x", id="discard"),
    pytest.param(("--as", "flow,retry=1"), "--as flow,retry=1: no 'retry'", id="key"),
    pytest.param(("--as", "asf", "--limit", "0"), "--limit 0", id="limit"),
    pytest.param(("--as", "asf", "--rollback", "-1"), "--rollback -1", id="rollback"),
    pytest.param(("--as", "asf", "--fail-when", "x = 1"), "--fail-when, column 1", id="where"),
]


@pytest.mark.parametrize(("options", "text"), WRONG)
def test_wrong_options_are_refused_before_anything_happens(
    poison: Bench, options: tuple[str, ...], text: str
) -> None:
    ran = poison.run("emulator", "lab", "consume", "Q1", *options, "--yes")
    assert ran.code == 2
    assert text in ran.error_line
    assert depths(poison) == (2, 0, 0)


def test_a_queue_that_is_not_there_is_not_found(poison: Bench) -> None:
    ran = poison.run("emulator", "lab", "consume", "NO.SUCH", "--as", "asf", "--yes")
    assert (ran.code, "2085" in ran.error_line) == (5, True)
