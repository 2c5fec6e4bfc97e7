"""Due times on a real queue manager: senders wrote them, and so the delay header can be read.

Messages are staged as the public post on IBM's header shows them, with what a JMS client sends
behind it.
"""

from __future__ import annotations

import pytest

from mqtriage.backends import clock
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.times import rfc3339
from tests.acceptance.messages.estate import hex_of
from tests.contract.test_staged_acts import Far
from tests.contract.test_staged_acts import far as far

SECOND_US = 1_000_000
PLAIN = b"put by a program that writes no MQRFH2"


def sent_by_jms(far: Far, delay_s: int, ago_s: float = 0.0) -> bytes:
    """What a client sends with that delay, *ago_s* before now by its clock."""
    sent_ms = int(far.now_us() / 1000 - ago_s * 1000)
    header = rfh2.build_jms(
        "jms_text", "queue:///OUT", Following("MQSTR", 273, 1208), put_time_ms=sent_ms,
        delay_ms=delay_s * 1000,
    )  # fmt: skip
    return rfh2.encode(header) + b"sent by JMS"


def stage(far: Far, *delays_s: int, header: str = "due", ago_s: float = 0.0) -> None:
    """Stage one of each delay; the header has its due time or its put time."""
    for delay_s in delays_s:
        later_us = delay_s * SECOND_US if header == "due" else 0
        original = b"J%06d" % delay_s
        far.staged_elsewhere(sent_by_jms(far, delay_s, ago_s), later_us, original.ljust(24, b"J"))


def test_the_senders_delay_and_due_time_are_shown_and_called_so(far: Far) -> None:
    stage(far, 600)
    far.staged_elsewhere(PLAIN, 900 * SECOND_US)
    ran = far.run("delay", "browse", "-o", "json")
    sender, other = ran.json["items"]
    assert (sender["ddh_time_basis"], other["ddh_time_basis"]) == ("sender", "assumed-due")
    assert (sender["delay_ms"], other["delay_ms"]) == (600_000, None)
    assert sender["due_time"] == rfc3339(far.now_us() // 1000 * 1000 + 600 * SECOND_US)
    assert "1 of the 2 messages compared" in ran.err
    assert "5 of different delays have to agree" in ran.err


@pytest.mark.parametrize(
    ("header", "basis"), [("due", "compared-due"), ("put", "put")], ids=["due", "put"]
)
@pytest.mark.slow
def test_five_messages_that_agree_say_what_the_header_has_of_all_others(
    far: Far, header: str, basis: str
) -> None:
    stage(far, 60, 120, 180, 240, 300, header=header)
    far.staged_elsewhere(PLAIN, 900 * SECOND_US)
    ran = far.run("delay", "browse", "-o", "json")
    *senders, other = ran.json["items"]
    assert {item["ddh_time_basis"] for item in senders} == {"sender"}
    assert other["ddh_time_basis"] == basis
    assert (other["due_time"] is None) == (header == "put")
    assert f"the delay header is the {header} time: all 5 messages" in ran.err
    shown = far.run(
        "msg", "show", "SYSTEM.DDELAY.LOCAL.QUEUE", other["msg_id"], "--nth", "6", "-o", "json"
    ).json["item"]
    assert shown["ddh_time_basis"] == basis
    groups = far.run("delay", "browse", "--group", "target", "-o", "json").json["items"]
    assert groups[0]["message_count"] == 6


@pytest.mark.parametrize("hours", [-1, 1])
@pytest.mark.slow
def test_the_queue_managers_clock_counts_from_the_first_call_on(
    far: Far, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """Nothing but the reply of a command tells it; what is due in ten minutes is not overdue."""
    stage(far, 600)
    monkeypatch.setattr(clock, "here_us", lambda: far.now_us() + hours * 3_600 * SECOND_US)
    line = ("delay", "browse", "--assume-ddh", "due", "-o", "json")
    (staged,) = far.run(*line).json["items"]
    assert staged["state"] == "waiting", staged
    assert far.run(*line, "--overdue").json["items"] == []
    taken = far.run("snapshot", "take", "-o", "json").json["item"]
    assert taken["snap_time"][:16] == rfc3339(far.now_us())[:16]


def test_clocks_that_differ_are_said_to(far: Far) -> None:
    stage(far, 60, 120, ago_s=30)
    assert "clock is 30.0 s ahead of the senders'" in far.run("delay", "browse").err


def test_a_selection_by_due_time_finds_what_senders_tell_and_nothing_assumed(far: Far) -> None:
    stage(far, 600, ago_s=1200)
    stage(far, 1200)
    far.staged_elsewhere(PLAIN, 60 * SECOND_US)
    late = far.run("delay", "browse", "--overdue", "-o", "json").json["items"]
    assert [item["delay_ms"] for item in late] == [600_000]
    soon = ("delay", "browse", "--due-before", "now+5m", "-o", "json")
    (one,) = far.run(*soon).json["items"]
    assert one["msg_id"] == late[0]["msg_id"]
    assert len(far.run(*soon, "--assume-ddh", "due").json["items"]) == 2


def test_what_senders_tell_can_be_cancelled_without_a_guess(far: Far) -> None:
    stage(far, 600, ago_s=1200)
    far.staged_elsewhere(PLAIN, 60 * SECOND_US)
    ran = far.run("delay", "cancel", "--due-before", "now+1h", "--yes")
    assert ran.code == 0, ran.err
    assert "due times are the senders' own" in ran.err
    (kept,) = far.bodies(STAGING_QUEUE)
    assert kept.endswith(PLAIN)
    assert far.run("journal", "verify").code == 0


def test_a_forecast_counts_what_senders_tell_and_how_many_do_not(far: Far) -> None:
    stage(far, 600, 660)
    far.staged_elsewhere(PLAIN, 60 * SECOND_US)
    ran = far.run("delay", "forecast", "-o", "json")
    assert ran.code == 0, ran.err
    assert sum(item["message_count"] for item in ran.json["items"]) == 2
    assert ran.json["summary"]["unknown_due"] == 1
    assert "1 staged messages have no known due time" in ran.err


@pytest.mark.parametrize(("ago_s", "code"), [(1200, 2), (0, 0)], ids=["overdue", "in-time"])
@pytest.mark.slow
def test_a_monitor_counts_what_is_overdue_by_the_senders_word(
    far: Far, ago_s: int, code: int
) -> None:
    stage(far, 600, ago_s=ago_s)
    far.staged_elsewhere(PLAIN, 60 * SECOND_US)
    ran = far.run("check", "delay", "--overdue", "1")
    assert ran.code == code, ran.out + ran.err
    assert "senders' own" in ran.out


@pytest.mark.slow
def test_a_message_that_was_rescheduled_tells_its_new_time(far: Far) -> None:
    stage(far, 600)
    ran = far.run("delay", "reschedule", "--delay", "2h", "--yes", "--experimental")
    assert ran.code == 0, ran.err
    (item,) = far.run("delay", "browse", "-o", "json").json["items"]
    due = rfc3339(far.now_us() + 7_200 * SECOND_US)
    assert (item["ddh_time_basis"], item["due_time"][:16]) == ("sender", due[:16])


def test_what_the_emulator_stages_reads_the_same_through_a_client(far: Far) -> None:
    sent = far.run("msg", "put", "OUT", "x", "--delay", "1h", "--yes", "--backend", "emulator")
    (item,) = far.run("delay", "browse", "-o", "json").json["items"]
    assert (item["ddh_time_basis"], item["delay_ms"]) == ("sender", 3_600_000)
    assert item["due_time"][:19] == item["ddh_time"][:19]
    assert item["original_msg_id"] == sent.out.strip() == hex_of(bytes.fromhex(sent.out.strip()))
