"""Whole commands of the other acts: copy, park, sweep, extend, purge of lifetimes, release."""

from __future__ import annotations

import pytest

from mqtriage.mq.constants import MQRO_COA, MQRO_COD
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
