"""Expired and protected messages under the commands: what they cannot do, and what they must."""

from __future__ import annotations

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.mq import cmqc
from tests.acceptance.messages.estate import TERMINAL, Estate, hex_of


@pytest.fixture
def estate(estate: Estate) -> Estate:
    """No task discards anything here: what goes, a command made go."""
    with estate.connected() as backend:
        lifecycle.switch(backend.manager, "expirer_interval_s", "off")
    return estate


@pytest.mark.seed("EX-17", "C-19")
@pytest.mark.parametrize("move", ["msg move IN --to OUT", "backout requeue IN --to OUT"])
def test_no_requeue_brings_an_expired_message_back(estate: Estate, move: str) -> None:
    """Not even by its id: a real queue manager never returns it, so the emulator does not."""
    (expired,) = estate.put("IN", b"expired", expiry_tenths=10)
    estate.put("IN", b"alive")
    estate.advance(2)
    estate.run(*move.split(), "--msgid", hex_of(expired), "--yes")
    assert estate.bodies("OUT") == []
    assert estate.run(*move.split(), "--yes").code == 0
    assert (estate.bodies("OUT"), estate.bodies("IN")) == ([b"alive"], [])


@pytest.mark.seed("CARD-25", "C-19")
def test_the_command_line_says_why_an_expired_message_cannot_be_requeued_and_what_can_be_done(
    estate: Estate,
) -> None:
    (expired,) = estate.put("IN", b"expired", expiry_tenths=10)
    estate.advance(2)
    ran = estate.run("expiry", "explain", "IN", "-o", "json")
    explanation = ran.json["item"]["expired_message"]
    assert (ran.code, explanation["can_be_requeued"]) == (0, False)
    assert "to a get or a browse" in explanation["reason"]
    assert any("MQRO_EXPIRATION_WITH_FULL_DATA" in text for text in explanation["instead"])
    one = estate.run("expiry", "explain", "IN", "--msgid", hex_of(expired))
    assert one.code == 5
    assert "has expired" in one.err


@pytest.mark.seed("TRAP-15", "CARD-26")
def test_a_sweep_has_the_reports_sent_that_were_asked_for(estate: Estate) -> None:
    estate.queue("REPLIES")
    asked = {"report": cmqc.MQRO_EXPIRATION, "reply_to_q": "REPLIES"}
    ids = estate.put("IN", b"1", b"2", expiry_tenths=10, **asked)
    estate.put("IN", b"silent", expiry_tenths=10)
    estate.put("IN", b"alive", **asked)
    estate.advance(2)
    assert estate.run("expiry", "sweep", "IN", "--allow-reports", "--yes").code == 0
    reports = [message.md for message in estate.messages("REPLIES")]
    assert [md.correl_id for md in reports] == ids
    assert {md.feedback for md in reports} == {cmqc.MQFB_EXPIRATION}
    assert estate.bodies("IN") == [b"alive"]


def test_a_sweep_of_a_queue_that_cannot_be_browsed_fails_in_the_rehearsal_too(
    estate: Estate,
) -> None:
    estate.put("IN", b"1", expiry_tenths=10)
    assert estate.run("queue", "set", "IN", "GET=DISABLED", "--yes").code == 0
    rehearsed, ran = (estate.run("expiry", "sweep", "IN", how) for how in ("-n", "--yes"))
    assert (rehearsed.code, rehearsed.err) == (ran.code, ran.err)
    assert ran.code == 1
    assert "browse IN: MQRC_GET_INHIBITED (2016): IN has GET(DISABLED)" in ran.err


def test_a_sweep_names_what_lists_its_reports_and_verify_says_how_many_went(
    estate: Estate,
) -> None:
    """Without a queue, `expiry reports` would browse all, and discard messages on others."""
    estate.put("IN", b"1", b"2", expiry_tenths=10)
    estate.advance(2)
    plan = estate.run("expiry", "sweep", "IN", "-n", "-o", "json").json["item"]
    assert plan["oldest_put_time"] is not None
    assert set(plan["facts"]) == {"curdepth", "uncommitted", "discards_at_most"}
    sweep = ("expiry", "sweep", "IN", "--yes")
    assert "next: mqtriage expiry reports QUEUE lists" in estate.run(*sweep, terminals=TERMINAL).err
    (op,) = (item["op"] for item in estate.run("journal", "ls", "-o", "json").json["items"])
    assert "CURDEPTH lower by 2" in estate.run("journal", "verify", op).out
    estate.put("IN", b"alive")
    assert "expiry reports" not in estate.run(*sweep, terminals=TERMINAL).err


@pytest.mark.seed("BO-40", "GAP-13")
@pytest.mark.parametrize("format", ["MQSTR", "MQHRF2", ""])
def test_a_requeue_copies_a_protected_body_byte_for_byte(estate: Estate, format: str) -> None:
    protected = b"PDMQ" + bytes(range(256)) * 4
    estate.put("IN", protected, format=format)
    assert estate.run("backout", "requeue", "IN", "--to", "OUT", "--yes").code == 0
    (copy,) = estate.messages("OUT")
    assert (copy.body, copy.md.format) == (protected, format)
