"""Whole commands of the other acts: copy, park, sweep, extend, purge of lifetimes, release."""

from __future__ import annotations

import pytest

from mqtriage.backends.port import Match
from mqtriage.mq.constants import (
    MQGMO_SYNCPOINT,
    MQOO_INPUT_SHARED,
    MQRO_COA,
    MQRO_COD,
    MQRO_DISCARD_MSG,
)
from mqtriage.mq.headers import dlh
from mqtriage.mq.headers.layout import Damage, Following
from tests.acceptance.messages.estate import Estate, hex_of

COPY = ("msg", "copy", "IN", "OUT")


@pytest.mark.parametrize("form", ["plain", "table", "json", "ndjson", "csv", "ids", "md"])
def test_a_copy_leaves_the_originals_where_they_are(estate: Estate, form: str) -> None:
    estate.put("IN", b"a", b"b", expiry_tenths=600, put_date="20260131", put_time="10000025")
    estate.roll_back("IN", 1)
    before = estate.messages("IN")
    estate.advance(10)
    ran = estate.run(*COPY, "--yes", "-o", form)
    assert ran.code == 0
    assert ran.out.strip()
    assert [each.md._replace(expiry_tenths=600) for each in estate.messages("IN")] == [
        each.md for each in before
    ]
    assert [(each.md, each.body) for each in estate.messages("OUT")] == [
        (each.md._replace(backout_count=0, expiry_tenths=500), each.body) for each in before
    ]
    assert estate.archives() == []


def test_a_copy_needs_no_authority_to_get(estate: Estate) -> None:
    estate.put("IN", b"a")
    estate.alter("IN", GET="ENABLED", SHARE="NO")
    with estate.connected() as backend:
        held = backend.open("IN", 2)  # another program has it open for input, exclusively
        ran = estate.run(*COPY, "--yes")
        assert estate.run("msg", "move", "IN", "OUT", "--yes").code == 1
        held.close()
    assert ran.code == 0
    assert estate.bodies("OUT") == [b"a"]


def test_a_copy_of_a_message_near_its_threshold_is_no_risk_to_it(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=2)
    estate.put("IN", b"near")
    estate.roll_back("IN", 1)
    assert estate.run(*COPY, "--yes").code == 0
    (left,) = estate.messages("IN")
    assert left.md.backout_count == 1
    assert estate.bodies("OUT") == [b"near"]


def test_copies_can_have_msg_ids_of_their_own(estate: Estate) -> None:
    (old,) = estate.put("IN", b"a")
    ran = estate.run(*COPY, "--new-msgid", "--yes", "-o", "json")
    (copy,) = estate.messages("OUT")
    assert copy.md.msg_id != old
    assert ran.json["items"][0]["new_msg_id"] == hex_of(copy.md.msg_id)
    assert ran.json["after"] == {"IN": 1, "OUT": 1}


@pytest.mark.parametrize("report", [MQRO_COA, MQRO_COD], ids=["COA", "COD"])
def test_a_copy_that_would_confirm_once_more_needs_a_word(estate: Estate, report: int) -> None:
    estate.put("IN", b"a", report=report, reply_to_q="REPLIES")
    estate.queue("REPLIES")
    refused = estate.run(*COPY, "--yes")
    assert refused.code == 8
    assert "told once more" in refused.err
    assert estate.run(*COPY, "--reports", "strip", "--yes").code == 0
    assert estate.run(*COPY, "--allow-reports", "--yes").code == 0
    assert [each.md.report for each in estate.messages("OUT")] == [0, report]


def test_a_copy_takes_the_very_message_of_two_with_one_id(estate: Estate) -> None:
    estate.put("IN", b"first", b"other", msg_id=bytes(range(24)))
    assert estate.run(*COPY, "--where", "body = 'other'", "--yes").code == 0
    assert estate.bodies("OUT") == [b"other"]


def test_guards_of_a_copy(estate: Estate) -> None:
    estate.put("IN", b"a", b"b")
    assert estate.run(*COPY).code == 8
    assert estate.run(*COPY, "--yes", "--expect", "3").code == 8
    assert estate.run(*COPY, "--dry-run").code == 0
    assert estate.run("msg", "copy", "IN", "IN", "--yes").code == 2
    assert estate.run("msg", "copy", "IN", "NOT.THERE", "--yes").code == 5
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
            handle = backend.open("IN", MQOO_INPUT_SHARED)
            for _ in range(count):
                handle.get(MQGMO_SYNCPOINT, Match(ident))
                backend.backout()


SWEEP = ("backout", "sweep", "IN")


@pytest.mark.seed("BO-17", "BO-21")
def test_a_sweep_moves_what_is_at_or_over_the_threshold_and_nothing_else(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=3, BOQNAME="OUT")
    poison(estate, 0, 2, 3, 4)
    ran = estate.run(*SWEEP, "--yes", "-o", "json")
    assert ran.code == 0
    assert estate.bodies("OUT") == [b"3", b"4"]
    assert [(each.body, each.md.backout_count) for each in estate.messages("IN")] == [
        (b"0", 0),
        (b"2", 2),
    ]
    ((*_, first, second, third, end),) = estate.archives()
    assert [line["kind"] for line in (first, second, third, end)].count("Commit") == 2


@pytest.mark.seed("BO-18")
def test_a_sweep_without_a_threshold_needs_min_backout(estate: Estate) -> None:
    estate.alter("IN", BOQNAME="OUT")
    poison(estate, 1, 2)
    refused = estate.run(*SWEEP, "--yes")
    assert refused.code == 8
    assert "--min-backout" in refused.err
    assert estate.bodies("OUT") == []
    assert estate.run(*SWEEP, "--min-backout", "2", "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"1"], [b"2"])
    assert estate.run(*SWEEP, "--min-backout", "0", "--yes").code == 2


@pytest.mark.seed("BO-22")
def test_without_a_backout_queue_a_sweep_dead_letters(estate: Estate) -> None:
    estate.queue("DEAD")
    estate.alter("QM1", DEADQ="DEAD")
    estate.alter("IN", BOTHRESH=2)
    poison(estate, 2, report=MQRO_DISCARD_MSG)
    (before,) = estate.messages("IN")
    plan = estate.run(*SWEEP, "--dry-run")
    assert "MQDLH" in plan.out
    assert estate.run(*SWEEP, "--yes").code == 0
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
    assert [each["reason"] for each in listed] == [2362]
    assert estate.run("msg", "requeue", "DEAD", "--to", "IN", "--headers", "strip",
                      "--yes").code == 0  # fmt: skip
    (back,) = estate.messages("IN")
    assert (back.md, back.body) == (before.md._replace(backout_count=0), before.body)


@pytest.mark.seed("BO-22")
def test_with_neither_queue_a_poison_message_stays_and_that_is_said(estate: Estate) -> None:
    estate.alter("QM1", DEADQ="")
    estate.alter("IN", BOTHRESH=1)
    poison(estate, 1)
    ran = estate.run(*SWEEP, "--yes")
    assert ran.code == 8
    assert "BOQNAME and DEADQ are blank" in ran.err
    assert estate.bodies("IN") == [b"1"]


def test_the_dead_letter_header_counts_for_the_length_of_the_target(estate: Estate) -> None:
    estate.queue("DEAD", MAXMSGL=172)
    estate.alter("QM1", DEADQ="DEAD")
    estate.alter("IN", BOTHRESH=1)
    poison(estate, 1)
    assert "MAXMSGL of DEAD" in estate.run(*SWEEP, "--yes").err
    estate.alter("DEAD", MAXMSGL=173)
    assert estate.run(*SWEEP, "--yes").code == 0


def test_guards_of_a_sweep(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=1, BOQNAME="OUT")
    poison(estate, 1, 2, 3)
    assert estate.run(*SWEEP).code == 8
    assert estate.run(*SWEEP, "--yes", "--expect", "2").code == 8
    assert estate.run(*SWEEP, "--yes", "--no-expiry-effects").code == 8
    assert estate.run(*SWEEP, "--dry-run").code == 0
    estate.alter("OUT", PUT="DISABLED")
    assert estate.run(*SWEEP, "--yes").code == 8
    estate.alter("OUT", PUT="ENABLED")
    assert [each.md.backout_count for each in estate.messages("IN")] == [1, 2, 3]
    assert estate.run(*SWEEP, "--yes", "--limit", "1").code == 0
    assert estate.run(*SWEEP, "--yes", "--where", "backout = 3").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"2"], [b"1", b"3"])


def test_park_takes_the_backout_queue_of_the_queue_behind_an_alias(estate: Estate) -> None:
    with estate.connected() as backend:
        backend.define("QALIAS", "ALIAS.IN", {"TARGET": "IN"})
    estate.put("IN", b"a", b"b")
    ran = estate.run("backout", "park", "ALIAS.IN", "--yes")
    assert ran.code == 8
    assert "backout set IN" in ran.err
    estate.alter("IN", BOQNAME="OUT")
    assert estate.run("backout", "park", "ALIAS.IN", "--limit", "1", "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"b"], [b"a"])
