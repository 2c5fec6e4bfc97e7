"""Whole commands of the other acts: copy, backout move, extend, purge of lifetimes, release."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Capability, Match
from mqtriage.mq import cmqc
from mqtriage.mq.headers import ddh, dlh
from mqtriage.mq.headers.layout import Damage, Following
from tests.acceptance.messages.estate import STAGING, TERMINAL, Estate, hex_of

COPY = ("msg", "copy", "IN", "--to", "OUT")


@pytest.mark.parametrize("form", ["plain", "table", "json", "ndjson", "csv", "ids", "md"])
def test_a_copy_leaves_the_originals_where_they_are(estate: Estate, form: str) -> None:
    estate.put("IN", b"a", b"b", expiry_tenths=600, put_date="20260131", put_time="10000025")
    estate.roll_back("IN", 1)
    before = estate.messages("IN")
    estate.advance(10)
    ran = estate.run(*COPY, "--yes", "-o", form)
    assert ran.code == 0
    assert ran.out.strip()
    assert [message.md._replace(expiry_tenths=600) for message in estate.messages("IN")] == [
        message.md for message in before
    ]
    assert [(message.md, message.body) for message in estate.messages("OUT")] == [
        (message.md._replace(backout_count=0, expiry_tenths=500), message.body)
        for message in before
    ]
    assert estate.archives() == []


def test_a_copy_needs_no_authority_to_get(estate: Estate) -> None:
    estate.put("IN", b"a")
    estate.alter("IN", GET="ENABLED", SHARE="NO")
    with estate.connected() as backend:
        held = backend.open("IN", 2)  # another program has it open for input, exclusively
        ran = estate.run(*COPY, "--yes")
        assert estate.run("msg", "move", "IN", "--to", "OUT", "--yes").code == 1
        held.close()
    assert ran.code == 0
    assert estate.bodies("OUT") == [b"a"]


def test_a_copy_of_a_message_near_its_threshold_is_no_risk_to_it(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=2)
    estate.put("IN", b"near")
    estate.roll_back("IN", 1)
    assert estate.run(*COPY, "--yes").code == 0
    (original,) = estate.messages("IN")
    assert original.md.backout_count == 1
    assert estate.bodies("OUT") == [b"near"]


def test_copies_can_have_msg_ids_of_their_own(estate: Estate) -> None:
    (old,) = estate.put("IN", b"a")
    ran = estate.run(*COPY, "--new-msgid", "--yes", "-o", "json")
    (copy,) = estate.messages("OUT")
    assert copy.md.msg_id != old
    assert ran.json["items"][0]["new_msg_id"] == hex_of(copy.md.msg_id)
    assert ran.json["after"] == {"IN": 1, "OUT": 1}


@pytest.mark.parametrize("report", [cmqc.MQRO_COA, cmqc.MQRO_COD], ids=["COA", "COD"])
def test_a_copy_that_would_confirm_once_more_needs_a_word(estate: Estate, report: int) -> None:
    estate.put("IN", b"a", report=report, reply_to_q="REPLIES")
    estate.queue("REPLIES")
    refused = estate.run(*COPY, "--yes")
    assert refused.code == 8
    assert "the copy would send it to its sender again" in refused.err
    assert estate.run(*COPY, "--reports", "strip", "--yes").code == 0
    assert estate.run(*COPY, "--allow-reports", "--yes").code == 0
    assert [message.md.report for message in estate.messages("OUT")] == [0, report]


def test_a_copy_takes_the_very_message_of_two_with_one_id(estate: Estate) -> None:
    estate.put("IN", b"first", b"other", msg_id=bytes(range(24)))
    assert estate.run(*COPY, "--where", "body = 'other'", "--yes").code == 0
    assert estate.bodies("OUT") == [b"other"]


def test_guards_of_a_copy(estate: Estate) -> None:
    estate.put("IN", b"a", b"b")
    assert estate.run(*COPY).code == 8
    assert estate.run(*COPY, "--yes", "--expect", "3").code == 8
    assert estate.run(*COPY, "--dry-run").code == 0
    assert estate.run("msg", "copy", "IN", "--to", "IN", "--yes").code == 2
    assert estate.run("msg", "copy", "IN", "--to", "NOT.THERE", "--yes").code == 5
    assert estate.bodies("OUT") == []
    assert estate.run(*COPY, "--limit", "1", "--yes").code == 0
    assert estate.bodies("OUT") == [b"a"]


def test_a_message_that_is_gone_is_not_copied(estate: Estate) -> None:
    estate.put("IN", b"a", b"b")
    ran = estate.run(*COPY, "-o", "json", stdin="y\n", meanwhile=lambda: estate.take("IN"))
    assert ran.code == 3
    assert ran.json["items"][0]["reason"] == "gone"
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"b"], [b"b"])


def poison(estate: Estate, *counts: int, report: int = 0) -> None:
    """Messages on IN with those backout counts, named after them."""
    for count in counts:
        (ident,) = estate.put("IN", b"%d" % count, report=report)
        with estate.connected() as backend:
            handle = backend.open("IN", cmqc.MQOO_INPUT_SHARED)
            for _ in range(count):
                handle.get(cmqc.MQGMO_SYNCPOINT, Match(ident))
                backend.backout()


MOVE_POISON = ("backout", "move", "IN")


@pytest.mark.seed("BO-17", "BO-21")
def test_move_takes_what_is_at_or_over_the_threshold_and_nothing_else(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=3, BOQNAME="OUT")
    poison(estate, 0, 2, 3, 4)
    ran = estate.run(*MOVE_POISON, "--yes", "-o", "json")
    assert ran.code == 0
    assert estate.bodies("OUT") == [b"3", b"4"]
    assert [(message.body, message.md.backout_count) for message in estate.messages("IN")] == [
        (b"0", 0),
        (b"2", 2),
    ]
    ((*_, first, second, third, end),) = estate.archives()
    assert [line["kind"] for line in (first, second, third, end)].count("Commit") == 2


@pytest.mark.seed("BO-18")
def test_move_without_a_threshold_needs_min_backout(estate: Estate) -> None:
    estate.alter("IN", BOQNAME="OUT")
    poison(estate, 1, 2)
    refused = estate.run(*MOVE_POISON, "--yes")
    assert refused.code == 8
    assert "--min-backout" in refused.err
    assert estate.bodies("OUT") == []
    assert estate.run(*MOVE_POISON, "--min-backout", "2", "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"1"], [b"2"])
    assert estate.run(*MOVE_POISON, "--min-backout", "-1", "--yes").code == 2


@pytest.mark.seed("BO-22")
def test_without_a_backout_queue_move_dead_letters(estate: Estate) -> None:
    estate.queue("DEAD")
    estate.alter("QM1", DEADQ="DEAD")
    estate.alter("IN", BOTHRESH=2)
    poison(estate, 2, report=cmqc.MQRO_DISCARD_MSG)
    (before,) = estate.messages("IN")
    plan = estate.run(*MOVE_POISON, "--dry-run")
    assert "MQDLH" in plan.out
    assert estate.run(*MOVE_POISON, "--yes").code == 0
    (dead,) = estate.messages("DEAD")
    header = dlh.decode(dead.body)
    assert not isinstance(header, Damage)
    assert (header.reason, header.dest_q_name, header.dest_q_mgr_name) == (2362, "IN", "QM1")
    assert header.following == Following("MQSTR", before.md.encoding, 1208)
    assert dead.body[header.length :] == b"2"
    assert dead.md == before.md._replace(
        format="MQDEAD", backout_count=0, encoding=dead.md.encoding, ccsid=dead.md.ccsid
    )
    listed = estate.run("dlq", "browse", "-o", "json").json["items"]
    assert [message["reason"] for message in listed] == [2362]
    assert estate.run("msg", "move", "DEAD", "--to", "IN", "--headers", "strip",
                      "--yes").code == 0  # fmt: skip
    (back,) = estate.messages("IN")
    assert (back.md, back.body) == (before.md._replace(backout_count=0), before.body)


@pytest.mark.seed("BO-22")
def test_with_neither_queue_a_poison_message_stays_and_that_is_said(estate: Estate) -> None:
    estate.alter("QM1", DEADQ="")
    estate.alter("IN", BOTHRESH=1)
    poison(estate, 1)
    ran = estate.run(*MOVE_POISON, "--yes")
    assert ran.code == 8
    assert "BOQNAME and DEADQ are blank" in ran.err
    assert estate.bodies("IN") == [b"1"]


def test_the_dead_letter_header_counts_for_the_length_of_the_target(estate: Estate) -> None:
    estate.queue("DEAD", MAXMSGL=172)
    estate.alter("QM1", DEADQ="DEAD")
    estate.alter("IN", BOTHRESH=1)
    poison(estate, 1)
    assert "MAXMSGL of DEAD" in estate.run(*MOVE_POISON, "--yes").err
    estate.alter("DEAD", MAXMSGL=173)
    assert estate.run(*MOVE_POISON, "--yes").code == 0


@pytest.mark.slow
def test_move_with_every_takes_what_becomes_poison_later(estate: Estate) -> None:
    estate.queue("APP", BOTHRESH=2, BOQNAME="OUT")
    estate.put("APP", b"1", b"2")
    estate.roll_back("APP", 2)

    def program() -> None:
        while not estate.bodies("OUT"):
            time.sleep(0.02)
        estate.roll_back("APP", 2)

    later = Thread(target=program, daemon=True)
    later.start()
    ran = estate.run(
        "backout", "move", "APP", "--interval", "50ms", "--for", "6s", "--yes", "-o", "ndjson"
    )
    assert ran.code == 0, ran.err
    assert estate.bodies("OUT") == [b"1", b"2"]
    assert estate.bodies("APP") == []
    assert ran.err.count("\noperation ") == 2, "a round that finds nothing is silent"


@pytest.mark.parametrize(
    "argv",
    [("--interval", "1s"), ("--interval", "1s", "--yes", "-n"), ("--for", "1s", "--yes"),
     ("--interval", "1s", "--yes", "--expect", "1"), ("--interval", "1s", "--yes", "-o", "json"),
     ("--interval", "x", "--yes")],
    ids=" ".join,
)  # fmt: skip
def test_what_does_not_go_with_every_is_wrong_usage(estate: Estate, argv: tuple[str, ...]) -> None:
    estate.alter("IN", BOTHRESH=2, BOQNAME="OUT")
    assert estate.run(*MOVE_POISON, *argv).code == 2


def test_guards_of_backout_move(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=1, BOQNAME="OUT")
    poison(estate, 1, 2, 3)
    assert estate.run(*MOVE_POISON).code == 8
    assert estate.run(*MOVE_POISON, "--yes", "--expect", "2").code == 8
    assert estate.run(*MOVE_POISON, "--yes", "--no-expiry-effects").code == 8
    assert estate.run(*MOVE_POISON, "--dry-run").code == 0
    estate.alter("OUT", PUT="DISABLED")
    assert estate.run(*MOVE_POISON, "--yes").code == 8
    estate.alter("OUT", PUT="ENABLED")
    assert [message.md.backout_count for message in estate.messages("IN")] == [1, 2, 3]
    assert estate.run(*MOVE_POISON, "--yes", "--limit", "1").code == 0
    assert estate.run(*MOVE_POISON, "--yes", "--where", "backout = 3").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"2"], [b"1", b"3"])


def test_whatever_the_count_goes_to_the_backout_queue_behind_an_alias(estate: Estate) -> None:
    with estate.connected() as backend:
        backend.define("QALIAS", "ALIAS.IN", {"TARGET": "IN"})
    estate.put("IN", b"a", b"b")
    whatever = ("backout", "move", "ALIAS.IN", "--min-backout", "0", "--yes")
    ran = estate.run(*whatever)
    assert ran.code == 8
    assert "backout set IN" in ran.err
    estate.alter("IN", BOQNAME="OUT")
    assert estate.run(*whatever, "--limit", "1").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"b"], [b"a"])


EXTEND = ("expiry", "extend", "IN", "--expiry", "1h")


def test_extend_gives_a_new_lifetime_and_changes_the_position_alone(estate: Estate) -> None:
    estate.put("IN", b"short", expiry_tenths=600, correl_id=b"c" * 24, priority=7,
               put_date="20260131", put_time="10000025", user_identifier="alice")  # fmt: skip
    estate.put("IN", b"long", expiry_tenths=72_000)
    estate.put("IN", b"never")
    estate.put("IN", b"last", expiry_tenths=35_999, priority=7)
    before = estate.messages("IN")
    plan = estate.run(*EXTEND, "--dry-run")
    assert "end of the queue" in plan.out
    ran = estate.run(*EXTEND, "--yes", "-o", "json")
    assert (ran.code, ran.json["counts"]["done"]) == (0, 2)
    assert (ran.json["before"], ran.json["after"]) == ({"IN": 4}, {"IN": 4})
    after = estate.messages("IN")
    assert sorted(message.body for message in after) == sorted(message.body for message in before)
    expected = {message.body: message.md for message in before}
    for body in (b"short", b"last"):
        expected[body] = expected[body]._replace(expiry_tenths=36_000)
    assert {message.body: message.md for message in after} == expected
    ((_, *kept, _),) = estate.archives()
    assert [line["expiry_tenths"] for line in kept] == [600, 35_999]
    estate.advance(100)
    assert len(estate.messages("IN")) == 4


def test_extend_says_what_had_expired_and_is_gone_by_the_look_at_it(estate: Estate) -> None:
    estate.put("IN", b"late", b"late too", expiry_tenths=10)
    estate.put("IN", b"in time", expiry_tenths=6_000)
    estate.advance(2)
    ran = estate.run(*EXTEND, "--dry-run")
    assert "too late for 2 messages: CURDEPTH went from 3 to 1 while they were" in ran.out
    assert "too late" not in estate.run(*EXTEND, "--yes").err
    assert estate.bodies("IN") == [b"in time"]


def test_extend_to_unlimited_and_then_there_is_nothing_to_do(estate: Estate) -> None:
    estate.put("IN", b"a", b"b", expiry_tenths=600)
    argv = ("expiry", "extend", "IN", "--expiry", "unlimited", "--yes")
    assert estate.run(*argv).code == 0
    estate.advance(1_000_000)
    assert [message.md.expiry_tenths for message in estate.messages("IN")] == [-1, -1]
    assert estate.run(*argv, "--fail-empty").code == 9


def test_extend_needs_room_for_one_and_goes_on_in_small_units(estate: Estate) -> None:
    estate.put("IN", b"a", b"b", b"c", expiry_tenths=600)
    estate.alter("IN", MAXDEPTH=3)
    full = estate.run(*EXTEND, "--yes")
    assert full.code == 8
    assert "room for 0" in full.err
    estate.alter("IN", MAXDEPTH=4)
    assert estate.run(*EXTEND, "--yes").code == 0
    assert [(message.body, message.md.expiry_tenths) for message in estate.messages("IN")] == [
        (b"a", 36_000), (b"b", 36_000), (b"c", 36_000),
    ]  # fmt: skip


def test_of_two_twins_the_copy_of_one_is_not_taken_for_the_other(estate: Estate) -> None:
    estate.put("IN", b"twin", b"twin", msg_id=bytes(range(24)), expiry_tenths=600)
    ran = estate.run(*EXTEND, "--batch", "1", "-o", "json", stdin="y\n",
                     meanwhile=lambda: estate.take("IN"))  # fmt: skip
    assert ran.json["counts"] == {"planned": 2, "done": 1, "skipped": 1, "failed": 0}
    assert [message.md.expiry_tenths for message in estate.messages("IN")] == [36_000]


def test_guards_of_an_extension(estate: Estate) -> None:
    estate.put("IN", b"a", expiry_tenths=600, report=cmqc.MQRO_COD, reply_to_q="OUT")
    (before,) = estate.messages("IN")
    assert estate.run("expiry", "extend", "IN", "--yes").code == 2
    assert estate.run("expiry", "extend", "IN", "--expiry", "soon", "--yes").code == 2
    assert estate.run(*EXTEND, "--yes").code == 8
    assert estate.run(*EXTEND, "--allow-reports").code == 8
    assert estate.run(*EXTEND, "--allow-reports", "--yes", "--expect", "2").code == 8
    estate.alter("IN", PUT="DISABLED")
    assert "PUT(DISABLED)" in estate.run(*EXTEND, "--allow-reports", "--yes").err
    (after,) = estate.messages("IN")
    assert after == before
    estate.alter("IN", PUT="ENABLED", BOTHRESH=1)
    near = estate.run(*EXTEND, "--allow-reports", "--yes")
    assert near.code == 1 or "BOTHRESH(1)" in near.out
    assert [message.md.expiry_tenths for message in estate.messages("IN")] == [600]


PURGE = ("expiry", "purge", "IN", "--expires-within", "10m")


@pytest.mark.seed("EX-23")
def test_a_purge_by_lifetime_sends_the_expiration_report(estate: Estate) -> None:
    (ident,) = estate.put("IN", b"doomed", expiry_tenths=3_000, reply_to_q="OUT", priority=6,
                          report=cmqc.MQRO_EXPIRATION_WITH_FULL_DATA)  # fmt: skip
    estate.put("IN", b"later", expiry_tenths=9_000, report=cmqc.MQRO_EXPIRATION, reply_to_q="OUT")
    plan = estate.run(*PURGE, "--dry-run")
    assert "which this operation sends to ReplyToQ" in plan.out
    assert estate.messages("OUT") == []
    ran = estate.run(*PURGE, "--yes", "-o", "json")
    assert ran.code == 0
    assert ran.json["details"]["expiration_reports"] == 1
    assert estate.bodies("IN") == [b"later"]
    (report,) = estate.messages("OUT")
    assert (report.body, report.md.msg_type, report.md.feedback) == (b"doomed", 4, 258)
    assert (report.md.correl_id, report.md.expiry_tenths) == (ident, -1)
    assert report.md.msg_id not in (ident, bytes(24))
    assert (report.md.persistence, report.md.priority) == (1, 6)
    assert report.md.put_appl_name == "mqtriage"
    ((_, line, end),) = estate.archives()
    assert (line["msg_id"], end["kind"]) == (hex_of(ident), "Commit")


@pytest.mark.seed("EX-23")
def test_the_report_is_the_one_that_the_queue_manager_would_have_sent(estate: Estate) -> None:
    options = cmqc.MQRO_EXPIRATION_WITH_DATA | cmqc.MQRO_PASS_MSG_ID | cmqc.MQRO_PASS_CORREL_ID
    fields = {"expiry_tenths": 600, "reply_to_q": "OUT", "correl_id": b"c" * 24,
              "report": options, "msg_id": bytes(range(24))}  # fmt: skip
    estate.put("IN", b"x" * 300, **fields)
    assert estate.run(*PURGE, "--yes").code == 0
    estate.put("IN", b"x" * 300, **fields)
    estate.advance(60)
    estate.messages("IN")
    ours, theirs = estate.messages("OUT")
    assert ours.body == theirs.body == b"x" * 100
    for field in ("put_appl_type", "put_appl_name", "put_date", "put_time", "reply_to_q_mgr"):
        ours = ours._replace(md=ours.md._replace(**{field: getattr(theirs.md, field)}))
    assert ours.md == theirs.md


@pytest.mark.seed("EX-23")
@pytest.mark.parametrize("what", ["no such queue", "full", "another queue manager"])
def test_a_message_whose_report_cannot_be_put_stays(estate: Estate, what: str) -> None:
    target = {"no such queue": "NOT.THERE"}.get(what, "OUT")
    manager = "QM2" if what == "another queue manager" else ""
    if what == "full":
        estate.alter("OUT", MAXDEPTH=0)
    estate.put("IN", b"asks", expiry_tenths=600, report=cmqc.MQRO_EXPIRATION, reply_to_q=target,
               reply_to_q_mgr=manager)  # fmt: skip
    estate.put("IN", b"does not", expiry_tenths=600)
    ran = estate.run(*PURGE, "--yes", "-o", "json")
    assert ran.code == 3
    assert ran.json["counts"]["done"] == 1
    (remaining,) = estate.messages("IN")
    assert (remaining.body, remaining.md.backout_count) == (b"asks", 0)
    assert estate.messages("OUT") == []
    ((*_, end),) = estate.archives()
    assert end["numbers"] == [2]


@pytest.mark.seed("EX-23")
def test_without_the_right_to_report_a_purge_is_refused(estate: Estate) -> None:
    estate.put("IN", b"asks", expiry_tenths=600, report=cmqc.MQRO_EXPIRATION, reply_to_q="OUT")
    assert estate.run("emulator", "lab", "switch", "fault.put.OUT=2035").code == 0
    ran = estate.run(*PURGE, "--yes")
    assert ran.code == 8
    assert "expiration report" in ran.err
    assert estate.bodies("IN") == [b"asks"]
    assert estate.archives() == []


def test_a_report_is_not_sent_when_the_message_was_taken_by_another(estate: Estate) -> None:
    estate.put("IN", b"asks", expiry_tenths=600, report=cmqc.MQRO_EXPIRATION, reply_to_q="OUT")
    ran = estate.run(*PURGE, "-o", "json", stdin="y\n", meanwhile=lambda: estate.take("IN"))
    assert ran.json["items"][0]["reason"] == "gone"
    assert estate.messages("OUT") == []


def test_old_messages_without_a_lifetime_go_and_their_senders_are_told_nothing(
    estate: Estate,
) -> None:
    estate.put("IN", b"old", report=cmqc.MQRO_EXPIRATION, reply_to_q="OUT")
    estate.put("IN", b"mortal", expiry_tenths=90_000_000)
    estate.advance(31 * 86_400)
    estate.put("IN", b"young")
    argv = ("expiry", "purge", "IN", "--older-than", "30d")
    assert estate.run(*argv).code == 8
    assert estate.run(*argv, "--yes").code == 0
    assert sorted(estate.bodies("IN")) == [b"mortal", b"young"]
    assert estate.messages("OUT") == []


@pytest.mark.parametrize(
    "extra",
    [(), ("--older-than", "old"), ("--expires-within", "1m", "--reports", "keep")],
    ids=" ".join,
)  # fmt: skip
def test_a_purge_by_lifetime_needs_one_of_its_two_ways(
    estate: Estate, extra: tuple[str, ...]
) -> None:
    estate.put("IN", b"a", expiry_tenths=10)
    assert estate.run("expiry", "purge", "IN", *extra, "--yes").code == 2
    assert len(estate.messages("IN")) == 1


def test_release_puts_what_the_sender_put_to_its_target_now(estate: Estate) -> None:
    sent = estate.run("msg", "put", "OUT", "first", "--delay", "1h", "--correlid", "text:C",
                      "--expiry", "2h", "--persistent", "--priority", "7", "--yes")  # fmt: skip
    (staged,) = estate.messages(STAGING)
    estate.delayed("OUT", b"second")
    estate.advance(600)
    ran = estate.run("delay", "release", "--limit", "1", "--yes", "-o", "json")
    assert (ran.code, ran.json["before"]) == (0, {STAGING: 2, "OUT": 0})
    assert ran.json["after"] == {STAGING: 1, "OUT": 1}
    (message,) = estate.messages("OUT")
    assert (message.md.format, message.body[-8:]) == ("MQHRF2", b"   first")
    assert staged.body.endswith(message.body)
    assert hex_of(message.md.msg_id) == sent.out.strip()
    assert (message.md.correl_id, message.md.priority) == (b"C".ljust(24, b"\0"), 7)
    assert (message.md.persistence, message.md.expiry_tenths) == (1, 66_000)
    assert message.md.backout_count == 0
    estate.advance(3_600)
    assert estate.bodies("OUT") == [message.body, b"second"]


@pytest.mark.parametrize("verb", ["cancel", "release", "reschedule --shift +1h"])
def test_a_plan_on_delayed_messages_has_their_targets_due_times_and_both_ids(
    estate: Estate, verb: str, tmp_path: Path
) -> None:
    estate.queue("OTHER")
    sent = estate.run("msg", "put", "OTHER", "a", "--delay", "1h", "--yes").out.strip()
    estate.delayed("OUT", b"b")
    estate.delayed("OUT", b"c")
    (first, *_) = estate.messages(STAGING)
    staged = estate.run("delay", "browse", "-o", "json").json["items"]
    due = {item["target"]: item["due_time"] for item in staged}
    ran = estate.run("delay", *verb.split(), "-n", "-o", "json")
    one, two = ran.json["item"]["facts"]["targets"]
    assert (one["target"], one["message_count"]) == ("OTHER", 1)
    assert one["first_due_time"] == one["last_due_time"] == due["OTHER"]
    assert (two["target"], two["message_count"]) == ("OUT", 2)
    text = " ".join(estate.run("delay", *verb.split(), "-n", "--limit", "1").out.split())
    assert f"targets OTHER: 1 message, due {due['OTHER'].replace('T', ' ')[:19]}" in text
    assert f"staged MsgIds {hex_of(first.md.msg_id)} original MsgIds {sent}" in text
    file = tmp_path / "plan"
    estate.run("delay", *verb.split(), "--plan", str(file), "--quiet")
    planned = estate.run("apply", str(file), "-n", "-o", "json").json["item"]["facts"]["targets"]
    assert planned == [one, two]


def test_a_reschedule_shows_old_and_new_due_times_in_plan_and_report(estate: Estate) -> None:
    estate.delayed("OUT", b"a")
    (staged,) = estate.run("delay", "browse", "-o", "json").json["items"]
    old = datetime.fromisoformat(staged["due_time"])
    new = old + timedelta(minutes=30)
    plan = estate.run("delay", "reschedule", "--shift", "+30m", "-n", "-o", "json").json["item"]
    (target,) = plan["facts"]["targets"]
    for key in ("new_first_due_time", "new_last_due_time"):
        assert datetime.fromisoformat(target[key]) == new
    line = f"targets OUT: 1 message, due {old:%Y-%m-%d %H:%M:%S}[0-9.]*Z -> {new:%Y-%m-%d %H:%M:%S}"
    planned = estate.run("delay", "reschedule", "--shift", "+30m", "-n").out
    assert re.search(line, " ".join(planned.split()))
    ran = estate.run("delay", "reschedule", "--shift", "+30m", "--yes")
    assert re.search(line, " ".join(ran.out.split()))
    ran = estate.run("delay", "reschedule", "--at", "now+2h", "--yes", "-o", "json")
    (target,) = ran.json["item"]["details"]["targets"]
    (staged,) = estate.run("delay", "browse", "-o", "json").json["items"]
    assert datetime.fromisoformat(target["first_due_time"]) == new
    late = datetime.fromisoformat(target["new_first_due_time"])
    assert abs(late - datetime.fromisoformat(staged["due_time"])) < timedelta(seconds=1)


def test_a_target_that_takes_no_message_keeps_its_own_staged(estate: Estate) -> None:
    estate.queue("SHUT")
    estate.delayed("SHUT", b"stays")
    estate.delayed("OUT", b"goes")
    estate.alter("SHUT", PUT="DISABLED")
    ran = estate.run("delay", "release", "--yes", "-o", "json")
    assert ran.code == 3
    assert "2051" in ran.json["items"][0]["reason"]
    assert estate.bodies("OUT") == [b"goes"]
    (remaining,) = estate.messages(STAGING)
    assert remaining.md.backout_count == 0


@pytest.mark.parametrize(
    ("new_time", "before_s", "after_s"),
    [
        (("--delay", "30m"), 1_799, 1_800),
        (("--at", "now+2h"), 7_199, 7_200),
        (("--shift", "+1h"), 6_599, 6_600),
        (("--shift", "-10m"), 2_399, 2_400),
    ],
    ids=["delay", "at", "later", "earlier"],
)
def test_reschedule_gives_another_due_time_and_keeps_the_message(
    estate: Estate, new_time: tuple[str, ...], before_s: int, after_s: int
) -> None:
    (sent,) = estate.delayed("OUT", b"later", delay_ms=3_600_000)
    estate.advance(600)
    (old,) = estate.messages(STAGING)
    assert estate.run("delay", "reschedule", *new_time).code == 8
    ran = estate.run("delay", "reschedule", *new_time, "--yes", "-o", "json")
    assert (ran.code, ran.json["counts"]["done"]) == (0, 1)
    (new,) = estate.messages(STAGING)
    assert new.md.msg_id != old.md.msg_id
    assert new.md.correl_id == sent
    estate.advance(before_s)
    assert estate.bodies("OUT") == []
    estate.advance(after_s - before_s)
    (message,) = estate.messages("OUT")
    assert (message.body, message.md.msg_id) == (b"later", sent)
    assert (message.md.put_date, message.md.put_time) == (old.md.put_date, old.md.put_time)


def test_a_message_that_would_expire_first_is_not_rescheduled(estate: Estate) -> None:
    estate.run("msg", "put", "OUT", "x", "--delay", "1h", "--expiry", "2h", "--yes")
    (before,) = estate.messages(STAGING)
    for delay in ("2h", "3h"):
        ran = estate.run("delay", "reschedule", "--delay", delay, "--yes", "-o", "json")
        assert ran.code == 3
        assert "expire before it is due" in ran.json["items"][0]["reason"]
    past = estate.run("delay", "reschedule", "--shift=-1h", "--yes", "-o", "json")
    assert "delay release" in past.json["items"][0]["reason"]
    assert estate.messages(STAGING) == [before]
    assert estate.run("delay", "reschedule", "--delay", "119m", "--yes").code == 0


def test_an_almost_full_staging_queue_is_rescheduled_as_far_as_its_room_goes(
    estate: Estate,
) -> None:
    """A unit puts before it takes, so that it has as many messages as the queue has room for."""
    for _ in range(3):
        estate.delayed("OUT", b"x")
    before = {message.md.msg_id for message in estate.messages(STAGING)}
    for room, done in ((1, 3), (0, 0)):
        estate.alter(STAGING, MAXDEPTH=3 + room)
        argv = ("delay", "reschedule", "--delay", "1h", "-o", "json")
        rehearsed = estate.run(*argv, "-n").json["item"]
        full = f"put to {STAGING}: MQRC_Q_FULL (2053)"
        notes = [note for note in rehearsed["notes"] if "would fail" in note]
        assert notes == ([] if room else [f"3 messages would fail: {full}"])
        ran = estate.run(*argv, "--yes")
        assert (ran.code, ran.json["counts"]["done"]) == (0 if room else 1, done), ran
        reasons = {item["reason"] or "" for item in ran.json["items"]}
        assert all(room or "MQRC_Q_FULL (2053)" in reason for reason in reasons), reasons
    after = {message.md.msg_id for message in estate.messages(STAGING)}
    assert (len(after), after & before) == (3, set())


def test_reschedule_needs_one_new_time(estate: Estate) -> None:
    estate.delayed("OUT", b"x")
    for extra in ((), ("--delay", "1h", "--shift", "+1h"), ("--at", "2001-01-01T00:00:00Z"),
                  ("--delay", "0s"), ("--shift", "soon")):  # fmt: skip
        assert estate.run("delay", "reschedule", *extra, "--yes").code == 2
    assert len(estate.messages(STAGING)) == 1


@pytest.mark.parametrize("verb", ["release", "reschedule"])
def test_where_the_header_is_not_known_staged_messages_stay(
    estate: Estate, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.delayed("OUT", b"x")
    monkeypatch.setattr(EmulatedBackend, "capabilities", frozenset({Capability.UNITS_OF_WORK}))
    extra = ("--delay", "1h") if verb == "reschedule" else ()
    ran = estate.run("delay", verb, *extra, "--yes")
    assert ran.code == 8
    assert "delay cancel --to" in ran.err
    assert len(estate.messages(STAGING)) == 1


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ({"queue_manager": "QM2"}, "on QM2"),
        ({"subscription": b"s" * 24}, "publication"),
        ({"cut": 40}, "does not name its target"),
    ],
    ids=["another queue manager", "publication", "damaged"],
)
@pytest.mark.parametrize("verb", ["release", "reschedule"])
def test_what_only_the_queue_manager_can_deliver_stays_staged(
    estate: Estate, verb: str, where: dict[str, Any], says: str
) -> None:
    estate.delayed("OUT", b"x")
    (staged,) = estate.messages(STAGING)
    header = ddh.decode(staged.body)
    assert not isinstance(header, Damage) and header.tail is not None
    encoded = ddh.encode_staged(
        header.time_us, None, where.get("queue_manager", "QM1"), "OUT", header.tail.original,
        header.tail.send_time_us, header.tail.delay_ms,
        subscription_id=where.get("subscription", bytes(24)), subscription_name="",
    )  # fmt: skip
    estate.take(STAGING)
    estate.put(STAGING, (encoded + b"x")[: where.get("cut")], **staged.md._asdict())
    extra = ("--delay", "2h") if verb == "reschedule" else ()
    ran = estate.run("delay", verb, *extra, "--yes", "-o", "json")
    assert ran.code == 3
    assert says in ran.json["items"][0]["reason"]
    (remaining,) = estate.messages(STAGING)
    assert remaining.md.backout_count == 0
    assert estate.messages("OUT") == []


def _with_messages_that_do_not_go(estate: Estate) -> None:
    """On IN, one that a rollback would make poison; staged, two with room for one."""
    estate.put("IN", b"a")
    header = dlh.encode(dlh.DLH(2053, "OUT", "QM1", 273, 819, "MQSTR"))
    estate.put("IN", header + b"b", header + b"c", format="MQDEAD")
    estate.alter("IN", BOTHRESH=3)
    estate.roll_back("IN", 2)
    estate.queue("SMALL", MAXDEPTH=1)
    for body in (b"d", b"e"):
        estate.delayed("SMALL", body)


@pytest.mark.parametrize(
    ("argv", "head"),
    [
        (("backout", "requeue", "IN", "--to", "OUT"), "3 messages (1 would be skipped or parked)"),
        (("dlq", "requeue", "IN", "--to", "OUT"), "3 messages (1 would be skipped or parked)"),
        (("delay", "release"), "2 messages (1 would fail)"),
        (("msg", "put", "SMALL", "x", "--count", "3"), "3 messages (2 would fail)"),
    ],
)
def test_a_plan_begins_with_the_number_that_expect_takes(
    estate: Estate, argv: tuple[str, ...], head: str
) -> None:
    _with_messages_that_do_not_go(estate)
    number = head.partition(" ")[0]
    planned = estate.run(*argv, "--expect", number, "-n")
    assert planned.out.startswith(f"{argv[1]} {head} ")
    assert planned.code == 3, planned.err
    asked = estate.run(*argv, "--expect", number, stdin="n\n", terminals=TERMINAL)
    assert asked.err.count(f"{argv[1]} {head} ") == 2  # in the plan and in the question
    ran = estate.run(*argv, "--expect", "9", "--yes")
    assert f"--expect 9, but {head.replace(' messages', '')} would be affected" in ran.err
    assert estate.run(*argv, "--expect", number, "--yes").code == 3
