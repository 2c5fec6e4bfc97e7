"""`mqtriage check`: statuses, exit codes and forms of monitoring plugins, on real queues."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.queue.queues import percent_full
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import ON_A_TERMINAL, Bench

OK, WARNING, CRITICAL, UNKNOWN = 0, 1, 2, 3


def put(bench: Bench, queue: str, count: int, **md: Any) -> None:
    with bench.connected() as backend:
        handle = backend.open(queue, cmqc.MQOO_OUTPUT)
        for _ in range(count):
            handle.put(MQMD(**md), b"x")
        handle.close()


def advance(bench: Bench, span: str) -> None:
    bench.ok("emulator", "clock", span, "QM1")


def one(bench: Bench, *args: str) -> dict[str, Any]:
    """The only result of a check."""
    (item,) = bench.run("check", *args, "-o", "json").items
    return dict(item)


def metrics(item: dict[str, Any]) -> dict[str, Any]:
    return {metric["name"]: metric["value"] for metric in item["metrics"]}


# queues -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ((), WARNING),
        (("--warn", "85%", "--crit", "90%"), OK),
        (("--warn", "10%", "--crit", "80%"), CRITICAL),
        (("--warn", "8"), WARNING),
        (("--warn", "9"), OK),
        (("--crit", "10:"), CRITICAL),
        (("--crit", "@5:8"), CRITICAL),
        (("--warn", "1m", "--crit", "1h"), WARNING),
        (("--warn", "70%", "--crit", "5m", "--crit", "100"), CRITICAL),
    ],
)
def test_marks_are_per_cent_counts_ages_and_ranges(
    bench: Bench, args: tuple[str, ...], code: int
) -> None:
    bench.define(A="MAXDEPTH=10")
    put(bench, "A", 8)
    advance(bench, "10m")
    ran = bench.run("check", "queue", "A", *args)
    assert ran.code == code, ran.out


def test_a_queue_tells_depth_fill_age_and_handles(bench: Bench) -> None:
    bench.define(A="MAXDEPTH=10")
    put(bench, "A", 8)
    advance(bench, "90s")
    item = one(bench, "queue", "A")
    assert metrics(item) == {
        "depth": 8, "fill": 80, "oldest_age": 90, "readers": 0, "writers": 0,
    }  # fmt: skip
    assert (item["status"], item["queue_manager"]) == ("WARNING", "QM1")
    assert (
        item["message"]
        == "80% full (8 of 10 messages) (threshold 80%); oldest 1m30s; 0 reading, 0 writing"
    )


def test_patterns_leave_system_queues_out_unless_they_are_named(bench: Bench) -> None:
    bench.define("A.1", "A.2", "B")
    names = [i["object"] for i in bench.run("check", "queue", "-o", "json").items]
    assert names == ["A.1", "A.2", "B"]
    names = [i["object"] for i in bench.run("check", "queue", "A.*", "B", "-o", "json").items]
    assert names == ["A.1", "A.2", "B"]
    assert bench.run("check", "queue", "SYSTEM.DDELAY.LOCAL.QUEUE").code == OK


def test_a_missing_queue_is_critical_and_an_empty_pattern_unknown(bench: Bench) -> None:
    assert bench.run("check", "queue", "NOPE").code == CRITICAL
    assert bench.run("check", "queue", "NOPE.*").code == UNKNOWN


def test_a_queue_that_got_nothing_for_so_long_is_told(bench: Bench) -> None:
    bench.define("A")
    put(bench, "A", 1)
    advance(bench, "4m")
    assert bench.run("check", "queue", "A", "--idle", "5m").code == OK
    assert bench.run("check", "queue", "A", "--idle", "3m,5m").code == WARNING
    advance(bench, "1m")
    ran = bench.run("check", "queue", "A", "--idle", "5m")
    assert ran.code == CRITICAL
    assert "nothing put for 5m00s" in ran.out


def test_a_disabled_queue_is_a_warning_whatever_the_thresholds(bench: Bench) -> None:
    bench.define(A="GET=DISABLED", B="PUT=DISABLED", C="GET=DISABLED")
    put(bench, "A", 1)
    held = one(bench, "queue", "A", "--crit", "1000")
    assert held["status"] == "WARNING"
    assert held["message"].startswith("GET(DISABLED): the waiting messages cannot be read; 1 of ")
    closed = one(bench, "queue", "B")
    assert closed["status"] == "WARNING"
    assert closed["message"].startswith("PUT(DISABLED): programs cannot put messages; 0 of ")
    empty = one(bench, "queue", "C")
    assert empty["status"] == "OK" and empty["message"].endswith("; GET(DISABLED)")


VERBS = {"qmgr": CRITICAL} | dict.fromkeys(("queue", "delay", "backout", "dlq", "expiry"), UNKNOWN)


@pytest.mark.parametrize(("verb", "code"), VERBS.items())
def test_help_says_what_a_stopped_queue_manager_is(bench: Bench, verb: str, code: int) -> None:
    bench.ok("emulator", "stop", "QM1")
    assert bench.run("check", verb).code == code
    text = " ".join(bench.run("check", verb, "--help-all").out.split())
    assert "is stopped, check qmgr reports CRITICAL, and other checks report UNKNOWN." in text


def test_the_next_command_works_where_gets_are_disabled(bench: Bench) -> None:
    bench.define(**{"A": "BOTHRESH=2 BOQNAME=A.BO", "A.BO": ""})
    put(bench, "A", 1)
    bench.ok("emulator", "lab", "rollback", "A", "--times", "2")
    assert "next: mqtriage backout pending A" in bench.run("check", "backout").err
    bench.ok("queue", "set", "A", "GET=DISABLED", "--yes")
    assert "next: mqtriage queue status A" in bench.run("check", "backout").err
    put(bench, "A.BO", 1)
    bench.ok("queue", "set", "A.BO", "GET=DISABLED", "--yes")
    assert "next: mqtriage queue status A.BO" in bench.run("check", "queue", "A.BO").err


def test_the_next_command_shows_the_fault_of_a_queue_that_takes_no_messages(bench: Bench) -> None:
    """Nothing is on it to browse, or what is on it is not what is wrong."""
    bench.define(**{"A": "BOTHRESH=2 BOQNAME=A.BO", "A.BO": "PUT=DISABLED", "D": "PUT=DISABLED"})
    bench.ok("mqsc", "-", "--yes", answer="ALTER QMGR DEADQ(D)")
    for check, queue in (("backout A", "A.BO"), ("queue A.BO", "A.BO"), ("dlq", "D")):
        assert f"next: mqtriage queue status {queue}\n" in bench.run("check", *check.split()).err
    bench.ok("queue", "set", "A.BO", "PUT=ENABLED", "--yes")
    put(bench, "A.BO", 1)
    assert "next: mqtriage backout causes A.BO\n" in bench.run("check", "backout").err
    bench.ok("queue", "set", "A.BO", "PUT=DISABLED", "--yes")
    assert "next: mqtriage queue status A.BO\n" in bench.run("check", "backout").err


def test_messages_in_a_unit_of_work_are_named_and_lead_to_who_holds_them(bench: Bench) -> None:
    bench.define("A", "B")
    put(bench, "A", 2)
    with bench.connected() as other:
        for _ in range(3):
            other.put1("A", MQMD(), b"held", cmqc.MQPMO_SYNCPOINT)
        ran = bench.run("check", "queue", "A", "B")
        assert ran.code == OK
        assert "A: 5 of 5000 messages; 0 reading, 0 writing; 3 uncommitted" in ran.out
        assert "next: mqtriage queue status A --handles" in ran.err
    ran = bench.run("check", "queue", "A", "--idle", "1h")
    assert "uncommitted" not in ran.out and "next:" not in ran.err


def test_missing_backout_queues_lead_to_what_is_wrong_with_them(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    bench.ok("emulator", "create", "QM3")
    for name in ("QM1", "QM2"):
        bench.ok("queue", "define", "A", "BOTHRESH=2", "BOQNAME=NOPE", "-m", name, "--yes")
    ran = bench.run("check", "backout", "-m", "QM*")
    assert "next: mqtriage backout ls --problems -m QM1,QM2\n" in ran.err
    ran = bench.run("check", "backout", "-m", "QM1")
    assert "next: mqtriage backout ls --problems -m QM1\n" in ran.err
    assert "next: mqtriage queue ls" in bench.run("check", "backout", "TYPO", "-m", "QM1").err


def test_pending_messages_of_one_queue_that_cannot_be_browsed_are_an_error(bench: Bench) -> None:
    bench.define(A="BOTHRESH=2 GET=DISABLED", AB="")
    put(bench, "A", 1)
    put(bench, "AB", 1)
    ran = bench.run("backout", "pending", "A")
    assert ran.code == 1 and ran.out == ""
    assert ran.error_line == "browse A: MQRC_GET_INHIBITED (2016): A has GET(DISABLED)"
    assert "mqtriage queue set A GET=ENABLED" in ran.err
    several = bench.run("backout", "pending", "A*")
    assert several.code == 0 and "warning: browse A: MQRC_GET_INHIBITED" in several.err


# delay ------------------------------------------------------------------------------------------


def test_a_delay_in_time_is_fine_and_one_overdue_is_critical(bench: Bench) -> None:
    bench.define("A")
    bench.ok("msg", "put", "A", "x", "--delay", "10m", "--yes")
    assert bench.run("check", "delay").code == OK
    stop_delivery(bench)
    advance(bench, "12m")
    ran = bench.run("check", "delay", "-o", "json")
    assert ran.code == CRITICAL
    # age counts from the due time, ten minutes after the put
    assert metrics(ran.items[0]) | {"overdue": 1, "overdue_age": 120} == metrics(ran.items[0])
    assert metrics(ran.items[0])["oldest_age"] == 720


def stop_delivery(bench: Bench) -> None:
    bench.ok("queue", "set", "SYSTEM.DDELAY.LOCAL.QUEUE", "GET=DISABLED", "--yes")


@pytest.mark.seed("DD-63")
def test_overdue_marks_are_counts_or_ages_from_the_due_time(bench: Bench) -> None:
    bench.define("A")
    bench.ok("msg", "put", "A", "x", "--delay", "10m", "--yes")
    stop_delivery(bench)
    advance(bench, "12m")
    assert "overdue" not in one(bench, "delay", "--overdue", "3m")["message"]
    late = "1 overdue, the longest for 2m00s"
    assert f"{late} (threshold 2m)" in one(bench, "delay", "--overdue", "2m,")["message"]
    assert f"{late} (threshold 1)" in one(bench, "delay", "--overdue", "1")["message"]
    assert "the processor is not delivering messages: " in bench.run("check", "delay").out


def test_a_disabled_staging_queue_is_critical(bench: Bench) -> None:
    bench.ok("queue", "set", "SYSTEM.DDELAY.LOCAL.QUEUE", "PUT=DISABLED", "--yes")
    ran = bench.run("check", "delay")
    assert ran.code == CRITICAL
    assert "PUT(DISABLED): sends with a delay fail" in ran.out


def test_a_missing_staging_queue_is_critical(zos_bench: Bench) -> None:
    ran = zos_bench.run("check", "delay")
    assert ran.code == CRITICAL
    assert "is not defined: sends with a delivery delay fail" in ran.out


# backout, dead letters, expiry ------------------------------------------------------------------


def test_a_poison_message_on_a_backout_queue_is_told(bench: Bench) -> None:
    bench.define(**{"A": "BOTHRESH=2 BOQNAME=A.BO", "A.BO": ""})
    assert bench.run("check", "backout").code == OK
    put(bench, "A.BO", 1)
    assert bench.run("check", "backout").code == WARNING
    assert bench.run("check", "backout", "--crit", "1").code == CRITICAL
    assert one(bench, "backout", "A.BO", "--crit", "1")["object"] == "A.BO"


def test_a_poison_message_that_nobody_moved_is_a_warning(bench: Bench) -> None:
    bench.define(**{"A": "BOTHRESH=2 BOQNAME=A.BO", "A.BO": ""})
    put(bench, "A", 1)
    bench.ok("emulator", "lab", "rollback", "A", "--times", "2")
    ran = bench.run("check", "backout", "-o", "json")
    assert ran.code == WARNING
    assert ran.items[0]["message"] == "1 message at BOTHRESH(2), not moved yet"


def test_a_backout_queue_that_takes_nothing_is_critical(bench: Bench) -> None:
    bench.define(A="BOTHRESH=2 BOQNAME=NOPE")
    assert bench.run("check", "backout", "A").code == CRITICAL
    bench.define(NOPE="PUT=DISABLED")
    assert "PUT(DISABLED)" in bench.run("check", "backout", "A").out


def test_gets_that_are_disabled_are_reported_of_backout_and_dead_letter_queues(
    bench: Bench,
) -> None:
    bench.define(**{"A": "BOTHRESH=2 BOQNAME=A.BO", "A.BO": "GET=DISABLED", "DLQ": "GET=DISABLED"})
    bench.ok("mqsc", "-", "--yes", answer="ALTER QMGR DEADQ(DLQ)\n")
    for check, queue in (("backout", "A.BO"), ("dlq", "DLQ")):
        empty = one(bench, check)
        assert empty["status"] == "OK" and empty["message"].endswith("; GET(DISABLED)")
        put(bench, queue, 1)
        held = one(bench, check, "--warn", "100")
        assert held["status"] == "WARNING"
        assert "GET(DISABLED): the waiting messages cannot be read" in held["message"]


def test_an_alias_that_takes_nothing_makes_the_backout_queue_critical(bench: Bench) -> None:
    bench.define(A="BOTHRESH=2 BOQNAME=BO", BO="TARGET=REAL PUT=DISABLED", REAL="")
    assert "PUT(DISABLED): poison messages" in one(bench, "backout", "A")["message"]
    put(bench, "REAL", 1)
    assert one(bench, "backout", "BO")["metrics"], "an alias of a backout queue can be named"


def test_no_backout_queue_at_all_is_fine(bench: Bench) -> None:
    bench.define("A")
    assert bench.run("check", "backout").code == OK


def test_a_backout_queue_is_checked_even_where_bothresh_is_0(bench: Bench) -> None:
    bench.define(**{"A": "BOTHRESH=0 BOQNAME=A.BO", "A.BO": "", "B": ""})
    put(bench, "A", 3)
    put(bench, "A.BO", 2)
    for named in ((), ("A",), ("A*",)):
        ran = bench.run("check", "backout", *named)
        assert ran.code == WARNING, named
        assert ran.out.splitlines() == [
            "WARNING   QM1 A: BOTHRESH is 0: BOQNAME is never used",
            "WARNING   QM1 A.BO: 2 of 5000 messages (threshold 1)",
        ]
    assert "next, for 1 of 2 problems: mqtriage backout ls --problems\n" in ran.err
    assert bench.run("check", "backout", "A", "--crit", "2").code == CRITICAL


def test_a_bothresh_that_lint_finds_too_high_is_reported_by_every_command_on_backout(
    bench: Bench,
) -> None:
    bench.define(
        **{"A": "BOTHRESH=30000 BOQNAME=A.BO", "A.BO": "", "B": "BOTHRESH=100 BOQNAME=B.BO"}
    )
    bench.define(**{"B.BO": ""})
    text = "BOTHRESH(30000) is above 100: a poison message fails that many times"
    ran = bench.run("check", "backout")
    assert ran.code == WARNING and f"WARNING   QM1 A: {text}\n" in ran.out
    assert "next: mqtriage backout ls --problems\n" in ran.err
    (listed,) = bench.ok("backout", "ls", "--problems", "-o", "json").items
    assert (listed["queue"], listed["state"], listed["problems"]) == ("A", "high", [text])
    assert text in bench.ok("backout", "explain", "A").err
    advised = bench.run("lint", "-m", "QM1", "--select", "BKO012", "-o", "json").items
    assert [item["object"] for item in advised] == ["A", "B"]
    assert text in bench.ok("backout", "set", "B", "--threshold", "30000", "-n").out


def test_a_queue_with_bothresh_only_is_a_warning_and_not_a_backout_queue(bench: Bench) -> None:
    bench.define(A="BOTHRESH=2")
    put(bench, "A", 1)
    text = "BOTHRESH(2) without BOQNAME: to the dead-letter queue, or discarded"
    for named in ((), ("A",)):
        half = one(bench, "backout", *named, "--crit", "1")
        assert (half["object"], half["status"], half["message"]) == ("A", "WARNING", text)
    bench.ok("emulator", "lab", "rollback", "A", "--times", "2")
    ran = bench.run("check", "backout")
    assert f"A: {text}; 1 message at BOTHRESH(2), not moved yet\n" in ran.out
    assert "next: mqtriage backout pending A\n" in ran.err


@pytest.mark.parametrize("own", ["BOTHRESH=3", "BOQNAME=B.BO", "BOTHRESH=3 BOQNAME=B.BO"])
def test_a_backout_queue_with_settings_of_its_own_is_one_result(bench: Bench, own: str) -> None:
    """Prometheus rejects a file with two samples of one name and labels."""
    bench.define(**{"A": "BOTHRESH=2 BOQNAME=B", "B": own, "B.BO": ""})
    put(bench, "B", 2)
    for named in ((), ("B",)):
        items = bench.run("check", "backout", *named, "--crit", "2", "-o", "json").items
        (b,) = [item for item in items if item["object"] == "B"]
        assert b["status"] == "CRITICAL" and metrics(b)["depth"] == 2
        assert b["message"].startswith("2 of 5000 messages (threshold 2)")
        assert ("; BOTHRESH" in b["message"]) is (" " not in own), "only one of them is set"


def test_rolled_back_messages_on_a_queue_without_a_threshold_are_a_warning(bench: Bench) -> None:
    bench.define("A", **{"B": "BOTHRESH=2 BOQNAME=B.BO", "B.BO": ""})
    put(bench, "A", 3)
    bench.ok("emulator", "lab", "rollback", "A", "--times", "57")
    put(bench, "B.BO", 1)
    bench.ok("emulator", "lab", "rollback", "B.BO", "--times", "1")
    text = "1 message rolled back; BOTHRESH(0) turns off poison handling"
    for named in ((), ("A",), ("A*",)):
        ran = bench.run("check", "backout", *named, "--crit", "90%")
        assert (ran.code, f"WARNING   QM1 A: {text}\n" in ran.out) == (WARNING, True), named
        assert "next: mqtriage backout pending A\n" in ran.err
        assert "B.BO: 1 message rolled back" not in ran.out, "its depth is checked"
    assert metrics(one(bench, "backout", "A")) == {"rolled_back": 1}


def test_a_check_of_queues_names_what_it_does_not_judge(bench: Bench) -> None:
    """It said OK of a queue that nobody reads, and of one with a poison message at its head."""
    bench.define("A", "AB", C="BOTHRESH=2 BOQNAME=AB", D="")
    for queue in ("A", "AB", "D"):
        put(bench, queue, 3)
    bench.ok("emulator", "lab", "rollback", "A", "--times", "9")
    advance(bench, "1m")
    unread = "not judged: messages without a reader"
    poison = "not judged: rolled-back messages"
    ran = bench.run("check", "queue")
    assert (ran.code, ran.err.splitlines()) == (
        OK,
        [
            f"{unread} (A, D); see mqtriage queue status '*' --problems",
            f"{poison} (A); see mqtriage check backout",
        ],
    )
    assert bench.run("check", "queue", "AB", "C").err == "", "a backout queue, and an empty one"
    ran = bench.run("check", "queue", "D*")
    assert ran.err == f"{unread} (D); see mqtriage queue status D\n"
    assert bench.run("check", "queue", "--format", "nagios").err == ""
    bench.ok("emulator", "create", "QM2")
    ran = bench.run("check", "queue", "A*", "--crit", "3", "--problems", "-m", "QM1,QM2")
    assert f"{poison} (A); see mqtriage check backout 'A*' -m QM1\n" in ran.err


def test_a_check_of_queues_says_if_only_a_browse_counts_rolled_back_messages(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmulatedBackend, "insight", None)
    bench.define("A", "B")
    assert bench.run("check", "queue").err == ""
    put(bench, "A", 1)
    see = "see mqtriage check backout"
    assert bench.run("check", "queue").err == f"not judged: rolled-back messages; {see}\n"


def test_a_named_queue_that_no_boqname_names_is_checked_as_an_input_queue(bench: Bench) -> None:
    bench.define("A", "AB")
    put(bench, "A", 40)
    ran = bench.run("check", "backout", "A")
    assert ran.code == OK
    assert "A: checked as an input queue, as no BOQNAME names it; neither BOTHRESH nor" in ran.out
    assert "next: mqtriage check queue A\n" in ran.err
    bench.define(B="BOTHRESH=2 BOQNAME=A")
    assert bench.run("check", "backout", "A").code == WARNING, "a backout queue has no messages"


def test_what_is_not_counted_without_a_browse_is_said(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real queue manager has no insight."""
    monkeypatch.setattr(EmulatedBackend, "insight", None)
    bench.define(**{"A": "", "AB": "BOTHRESH=2 BOQNAME=B.BO", "B.BO": ""})
    put(bench, "A", 1)
    bench.ok("emulator", "lab", "rollback", "A", "--times", "57")
    ran = bench.run("check", "backout")
    assert (ran.code, ran.out.splitlines()[-1]) == (
        OK,
        "OK        QM1: 2 queues not browsed for rolled-back messages",
    )
    assert "next: mqtriage backout pending QUEUE\n" in ran.err, "without one, it would browse all"
    assert "next: mqtriage backout pending 'A*'\n" in bench.run("check", "backout", "A*").err
    named = bench.run("check", "backout", "A")
    assert "1 queue not browsed for rolled-back messages\n" in named.out
    assert "next: mqtriage backout pending A\n" in named.err
    assert "not browsed" not in bench.run("check", "backout", "B.BO").out, "its depth is checked"
    bench.define(**{f"G.{n}": f"BOTHRESH=2 BOQNAME=G.{n + 1}" for n in range(11)}, **{"G.11": ""})
    many = bench.run("check", "backout", terminals=ON_A_TERMINAL)
    assert [line.split(":")[0] for line in many.out.splitlines()] == [
        "OK        QM1",
        "OK        12 objects; --wide lists them",
    ]


def test_a_dead_letter_is_a_warning_and_no_dead_letter_queue_critical(bench: Bench) -> None:
    assert "DEADQ is blank" in bench.run("check", "dlq").out
    bench.ok("mqsc", "-", "--yes", answer="ALTER QMGR DEADQ(DLQ)\n")
    ran = bench.run("check", "dlq")
    assert (ran.code, "DEADQ(DLQ) is not defined" in ran.out) == (CRITICAL, True)
    bench.define(DLQ="MAXDEPTH=10")
    assert bench.run("check", "dlq").code == OK
    put(bench, "DLQ", 1)
    assert bench.run("check", "dlq").code == WARNING
    assert bench.run("check", "dlq", "--crit", "1").code == CRITICAL
    put(bench, "DLQ", 7)
    assert bench.run("check", "dlq").code == CRITICAL, "80%"


def test_expired_messages_that_still_count_are_told(bench: Bench) -> None:
    bench.define(A="MAXDEPTH=10")
    put(bench, "A", 3, expiry_tenths=10)
    put(bench, "A", 1)
    assert bench.run("check", "expiry", "A").code == OK
    advance(bench, "2s")
    item = one(bench, "expiry", "A")
    assert metrics(item) == {"expired": 3, "expired_fill": 30}
    assert item["status"] == "WARNING"
    assert bench.run("check", "expiry", "A", "--crit", "3").code == CRITICAL
    assert bench.depth("A") == 4, "nothing was browsed"
    put(bench, "A", 2, expiry_tenths=10)
    advance(bench, "2s")
    assert bench.run("check", "expiry", "A").code == CRITICAL, "50%"


@pytest.mark.parametrize("given", [("--warn", "1h"), ("--crit", "1h")], ids=" ".join)
def test_a_threshold_replaces_the_default_ones_and_nothing_else(
    bench: Bench, given: tuple[str, ...]
) -> None:
    """As docs/monitoring.md says of each check under Thresholds."""
    bench.ok("mqsc", "-", "--yes", answer="ALTER QMGR DEADQ(DLQ)\n")
    bench.define(
        **{"A": "MAXDEPTH=2 BOTHRESH=2 BOQNAME=A.BO", "A.BO": "MAXDEPTH=2", "DLQ": "MAXDEPTH=2"}
    )
    bench.ok("msg", "put", "A", "x", "--delay", "10m", "--yes")
    stop_delivery(bench)
    advance(bench, "12m")
    for queue in ("A", "A.BO", "DLQ"):
        put(bench, queue, 2)
    for check in (("queue", "A"), ("backout", "A.BO"), ("dlq",)):
        assert bench.run("check", *check).code == CRITICAL, check
        assert bench.run("check", *check, *given).code == OK, check
    assert bench.run("check", "queue", "A", "--idle", "1h").code == CRITICAL, "full"

    late = "1 overdue, the longest for 2m00s (threshold 1)"
    assert late in one(bench, "delay", *given)["message"]
    assert late not in one(bench, "delay", "--overdue", "5")["message"]

    bench.ok("emulator", "lab", "rollback", "A", "--times", "2")
    assert "not moved yet" in bench.run("check", "backout", "A", *given).out
    bench.ok("queue", "set", "A", "PUT=DISABLED", "--yes")
    assert bench.run("check", "queue", "A", *given).code == WARNING
    assert bench.run("check", "queue", "NOPE", *given).code == CRITICAL


def test_a_threshold_replaces_the_default_ones_of_other_units_of_expired_messages(
    bench: Bench,
) -> None:
    bench.define(A="MAXDEPTH=4")
    put(bench, "A", 4, expiry_tenths=10)
    advance(bench, "2s")
    assert bench.run("check", "expiry", "A").code == CRITICAL
    assert bench.run("check", "expiry", "A", "--warn", "10").code == OK


# many queue managers, deadlines, forms ----------------------------------------------------------


@contextmanager
def hanging(bench: Bench, name: str) -> Iterator[None]:
    """Hold the file for oneself, so that every other program waits for it."""
    store = sqlite3.connect(bench.path(name), isolation_level=None)
    store.execute("PRAGMA locking_mode = EXCLUSIVE")
    store.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        store.rollback()
        store.close()


@pytest.mark.alone
@pytest.mark.slow
def test_many_queue_managers_are_asked_and_one_that_hangs_is_unknown_in_time(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    bench.ok("emulator", "create", "QM3")
    with hanging(bench, "QM2"):
        began = time.monotonic()
        ran = bench.run(
            "check", "qmgr", "-m", "QM1,QM2", "-m", "QM3", "--timeout", "3s", "-o", "json"
        )
        took = time.monotonic() - began
    assert [(i["queue_manager"], i["status"]) for i in ran.items] == [
        ("QM1", "OK"), ("QM2", "UNKNOWN"), ("QM3", "OK"),
    ]  # fmt: skip
    assert ran.items[1]["message"] == "no response within 3s"
    assert ran.code == UNKNOWN
    assert took < 9


@pytest.mark.alone
def test_a_process_with_a_hanging_queue_manager_ends_in_time(bench: Bench) -> None:
    with hanging(bench, "QM1"):
        began = time.monotonic()
        ran = subprocess.run(
            [sys.executable, "-m", "mqtriage", "check", "queue", "--timeout", "500ms",
             "--format", "nagios"],
            env={**os.environ, "MQTRIAGE_HOME": str(bench.home)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        took = time.monotonic() - began
    assert ran.returncode == UNKNOWN, ran.stderr
    assert ran.stdout.startswith("MQ QUEUE UNKNOWN - ")
    assert "no response within 500ms" in ran.stdout
    assert took < 10


def test_contexts_are_asked_like_queue_managers(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    bench.environ["XDG_CONFIG_HOME"] = str(bench.home / "config")
    bench.ok("context", "add", "one", "-m", "QM1")
    bench.ok("context", "add", "two", "-m", "QM2")
    items = bench.run("check", "qmgr", "--context", "one,two", "-o", "json").items
    assert [item["queue_manager"] for item in items] == ["QM1", "QM2"]
    ran = bench.run("check", "qmgr", "--context", "one,two", "-m", "QM1,QM2")
    assert ran.code == UNKNOWN


@pytest.mark.parametrize("chosen_by", ["--context", "context use", "-m", "MQTRIAGE_QMGR"])
def test_an_unreachable_queue_manager_is_named_as_a_reachable_one(
    bench: Bench, chosen_by: str
) -> None:
    bench.environ["XDG_CONFIG_HOME"] = str(bench.home / "config")
    bench.ok("context", "add", "test", "-m", "QM1")
    bench.ok("emulator", "stop", "QM1")
    words = {"--context": ["--context", "test"], "-m": ["-m", "QM1"]}.get(chosen_by, [])
    if chosen_by == "context use":
        bench.ok("context", "use", "test")
    if chosen_by == "MQTRIAGE_QMGR":
        bench.environ["MQTRIAGE_QMGR"] = "QM1"
    ran = bench.run("check", "dlq", *words, "--format", "prometheus")
    assert 'mqtriage_check_status{check="dlq",qmgr="QM1"} 3' in ran.out
    ran = bench.run("check", "dlq", *words, "--format", "nagios")
    assert ran.out.startswith("MQ DLQ UNKNOWN - QM1: ")
    assert bench.run("check", "dlq", *words).out.startswith("UNKNOWN   QM1: ")
    assert one(bench, "dlq", *words)["queue_manager"] == "QM1"


@pytest.mark.parametrize("check", ["queue", "backout", "expiry", "dlq"])
def test_metrics_of_a_queue_in_a_cluster_have_the_cluster_as_a_label(
    bench: Bench, check: str
) -> None:
    bench.ok("queue", "define", "SHARED.IN", "BOTHRESH=3", "BOQNAME=SHARED.BO", "--yes")
    bench.ok("queue", "define", "SHARED.BO", "--yes")
    bench.ok("queue", "define", "SHARED.DLQ", "--yes")
    for queue in ("SHARED.IN", "SHARED.BO", "SHARED.DLQ"):
        bench.ok("queue", "set", queue, "CLUSTER=SALES", "--yes")
    bench.ok("mqsc", "-", "--yes", answer="ALTER QMGR DEADQ(SHARED.DLQ)\n")
    names = [] if check == "dlq" else ["SHARED.IN"]
    lines = bench.run("check", check, *names, "--format", "prometheus").out.splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert samples
    assert all(',cluster="SALES"} ' in sample for sample in samples)


def test_metrics_of_a_queue_in_no_cluster_have_no_label_for_it(bench: Bench) -> None:
    bench.ok("queue", "define", "ALONE", "--yes")
    assert "cluster" not in bench.run("check", "queue", "ALONE", "--format", "prometheus").out


def test_where_no_queue_manager_is_named_the_status_line_has_no_empty_name(bench: Bench) -> None:
    bench.ok("emulator", "stop", "QM1")
    ran = bench.run("check", "dlq", "--format", "nagios")
    assert ran.out.startswith("MQ DLQ UNKNOWN - ")
    assert "- :" not in ran.out


def test_a_listing_names_the_queue_manager_of_an_unreachable_context(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    bench.environ["XDG_CONFIG_HOME"] = str(bench.home / "config")
    bench.ok("context", "add", "one", "-m", "QM1")
    bench.ok("context", "add", "two", "-m", "QM2")
    bench.ok("emulator", "stop", "QM2")
    for form in ((), ("-o", "json")):
        ran = bench.run("queue", "ls", "--context", "one,two", *form)
        assert "QM2: " in ran.err
        assert "two: " not in ran.err


def test_a_queue_manager_that_is_not_there_is_told_beside_the_others(bench: Bench) -> None:
    ran = bench.run("check", "qmgr", "-m", "QM1,NOPE", "-o", "json")
    assert [item["status"] for item in ran.items] == ["OK", "UNKNOWN"]
    bench.ok("emulator", "stop", "QM1")
    assert bench.run("check", "qmgr", "-m", "QM1").code == CRITICAL
    assert bench.run("check", "dlq", "-m", "QM1").code == UNKNOWN


def test_response_time_has_marks(bench: Bench) -> None:
    assert bench.run("check", "qmgr", "--crit", "1h").code == OK
    assert bench.run("check", "qmgr", "--crit", "1ms").code == CRITICAL


@pytest.mark.parametrize(
    "args",
    [
        ("queue", "--warn", "x"),
        ("queue", "--bad"),
        ("queue", "A**B"),
        ("nope",),
        ("qmgr", "--warn", "5"),
        ("dlq", "--timeout", "0s"),
        ("dlq", "--format", "xml"),
        ("dlq", "--format", "json", "-o", "md"),
    ],
)
def test_wrong_usage_is_unknown_as_plugins_have_it(bench: Bench, args: tuple[str, ...]) -> None:
    ran = bench.run("check", *args)
    assert ran.code == UNKNOWN
    assert ran.error_line


def test_wrong_usage_is_told_where_a_monitor_reads(bench: Bench) -> None:
    ran = bench.run("check", "queue", "--warn", "x", "--format", "nagios")
    assert ran.out == "MQ QUEUE UNKNOWN - --warn 'x': not a threshold\n"


@pytest.mark.parametrize("words", [("--warn", "x"), ("--wern", "1"), ("-m", "QM9"), ("A**B",)])
def test_metrics_of_a_check_that_cannot_run_are_its_status_and_no_empty_file(
    bench: Bench, words: tuple[str, ...]
) -> None:
    for form in (["--format", "prometheus"], ["--format=prometheus"]):
        ran = bench.run("check", "queue", *words, *form)
        assert ran.code == UNKNOWN
        assert re.search(r'^mqtriage_check_status\{check="queue".*\} 3$', ran.out, re.MULTILINE)


@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "csv", "md", "ids"])
def test_every_form_of_output_takes_the_results(bench: Bench, form: str) -> None:
    bench.define("A")
    ran = bench.run("check", "queue", "A", "-o", form)
    assert ran.code == OK
    assert "A" in ran.out
    if form == "json":
        assert json.loads(ran.out)["summary"] == {
            "status": "OK", "ok": 1, "warning": 0, "critical": 0, "unknown": 0,
        }  # fmt: skip


def test_only_data_goes_to_standard_output(bench: Bench) -> None:
    ran = bench.run("check", "queue", "NOPE", "--format", "json")
    assert json.loads(ran.out)["kind"] == "CheckResultList"
    assert ran.code == CRITICAL


def test_on_a_terminal_many_that_are_ok_are_a_number_behind_the_problems(bench: Bench) -> None:
    bench.define(*(f"GOOD.{n}" for n in range(11)), BAD="PUT=DISABLED")
    argv = ("check", "queue", "GOOD.*", "BAD")
    shown = bench.run(*argv, terminals=ON_A_TERMINAL)
    assert shown.code == 1
    assert [line.split()[0] for line in shown.out.splitlines()] == ["WARNING", "OK"]
    assert shown.out.splitlines()[1] == "OK        11 objects; --wide lists them"
    for ran in (bench.run(*argv), bench.run(*argv, "--wide", terminals=ON_A_TERMINAL)):
        assert len(ran.out.splitlines()) == 12
    few = bench.run("check", "queue", "GOOD.1*", terminals=ON_A_TERMINAL)
    assert len(few.out.splitlines()) == 2


def test_problems_lists_what_is_not_ok_and_keeps_the_exit_code(bench: Bench) -> None:
    bench.define("GOOD", BAD="PUT=DISABLED")
    ran = bench.run("check", "queue", "GOOD", "BAD", "--problems")
    assert (ran.code, len(ran.out.splitlines())) == (1, 1)
    assert ran.out.startswith("WARNING   QM1 BAD: ")
    listed = bench.run("check", "queue", "GOOD", "BAD", "--problems", "-o", "json")
    assert [item["object"] for item in listed.items] == ["BAD"]
    assert listed.json["summary"]["ok"] == 1
    none = bench.run("check", "queue", "GOOD", "--problems")
    assert (none.code, none.out, none.err) == (0, "", "no problems: 1 OK\n")
    refused = bench.run("check", "queue", "GOOD", "--problems", "--format", "prometheus")
    assert (refused.code, "--problems: --format prometheus" in refused.err) == (3, True)


def test_problems_leaves_only_details_of_what_is_ok_out_for_nagios(bench: Bench) -> None:
    bench.define("GOOD", BAD="PUT=DISABLED")
    argv = ("check", "queue", "GOOD", "BAD", "--format", "nagios")
    every, some = bench.run(*argv), bench.run(*argv, "--problems")
    head, *details = every.out.splitlines()
    assert (some.code, some.out.splitlines()[0]) == (every.code, head)
    assert some.out.splitlines()[1:] == [line for line in details if "[OK]" not in line]
    assert [line.split()[0] for line in details] == ["[WARNING]", "[OK]"]
    good = bench.run("check", "queue", "GOOD", "--format", "nagios", "--problems")
    assert (good.code, good.out.count("\n"), good.err) == (0, 1, "")


def test_columns_and_sort_take_effect_or_are_refused(bench: Bench) -> None:
    bench.define("A", B="PUT=DISABLED")
    ran = bench.run("check", "queue", "A", "B", "--sort", "-object", "--columns", "object")
    assert (ran.code, ran.out.split()[-2:]) == (1, ["B", "A"])
    refused = bench.run("check", "queue", "A", "--sort", "object", "--format", "text")
    assert refused.code == 3
    assert "--sort needs the columns of -o table, not --format text" in refused.err + refused.out


def test_a_queue_with_room_is_not_100_percent_full(bench: Bench) -> None:
    bench.define(**{"APP.IN": "MAXDEPTH=405"})
    bench.ok("msg", "put", "APP.IN", "x", "--count", "404", "--yes")
    assert "99% full (404 of 405" in bench.run("check", "queue", "APP.IN").out
    bench.ok("msg", "put", "APP.IN", "x", "--yes")
    assert "100% full (405 of 405" in bench.run("check", "queue", "APP.IN").out


def test_rounding_never_fills_a_queue() -> None:
    assert [percent_full(n, 100_000) for n in (99_849, 99_999, 100_000)] == [99.8, 99.9, 100.0]
