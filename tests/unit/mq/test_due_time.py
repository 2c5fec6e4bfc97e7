"""What the time in a delay header is, by what the senders say; and when a message is due."""

from __future__ import annotations

from struct import pack

import pytest

from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.due_time import (
    EMULATED,
    UNDOCUMENTED,
    DueReading,
    DueTimeEvidence,
    Witness,
    interpret_time,
    weigh,
)
from mqtriage.mq.headers import ddh
from mqtriage.mq.headers.mqext import SenderDelay
from mqtriage.mq.times import put_date_and_time

SENT_US = 1_763_812_340_000_000
SECOND = 1_000_000


def witness(
    delay_s: float, *, header: str = "due", ahead_s: float = 0.0, put_time: bool = True
) -> Witness:
    """One message; the queue manager's clock is *ahead_s* of its sender's."""
    delay_ms = int(delay_s * 1000)
    put_us = SENT_US + int(ahead_s * SECOND)
    at = {"due": put_us + delay_ms * 1000, "put": put_us + 90_000, "other": put_us - 77 * SECOND}
    sender = SenderDelay(delay_ms, SENT_US // 1000 + delay_ms)
    return Witness(at[header], put_us if put_time else None, sender)


def many(header: str, **more: float) -> list[Witness]:
    return [witness(60 * (1 + number), header=header, **more) for number in range(5)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("witnesses", "meaning"),
    [
        pytest.param(many("due"), "due", id="five-say-due"),
        pytest.param(many("put"), "put", id="five-say-put"),
        pytest.param(many("due")[:4], None, id="four-are-too-few"),
        pytest.param([witness(60)] * 9, None, id="one-delay-alone"),
        pytest.param([*many("due"), witness(60, header="put")], None, id="one-disagrees"),
        pytest.param([*many("due"), witness(60, header="other")], None, id="one-is-neither"),
        pytest.param([*many("put"), witness(1, header="put")], "put", id="a-short-delay-is-silent"),
        pytest.param([witness(number / 2) for number in range(1, 6)], None, id="all-short"),
        pytest.param(many("due", ahead_s=3600), "due", id="clocks-an-hour-apart"),
        pytest.param(many("put", ahead_s=-90), "put", id="a-clock-behind"),
        pytest.param(many("due", put_time=False), "due", id="no-put-time"),
        pytest.param(many("due", put_time=False, ahead_s=9), None, id="no-put-time-and-clocks"),
        pytest.param([], None, id="nobody"),
    ],
)
def test_enough_messages_that_all_agree_decide(
    witnesses: list[Witness], meaning: str | None
) -> None:
    assert weigh(witnesses, 100).meaning == meaning


def test_an_hour_between_clocks_that_is_also_the_delay_says_nothing() -> None:
    """Sent an hour ago by a slow clock: the header could be either."""
    same = witness(3600, header="put", ahead_s=3600)
    assert same.meanings == {"due", "put"}
    assert weigh([same] * 9, 9).due == weigh([same] * 9, 9).put == 0


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (weigh(many("due"), 7), ["senders' own", "5 of the 7", "is the due time: all 5"]),
        (weigh(many("put", ahead_s=2.5), 5), ["is the put time", "2.5 s ahead of the senders'"]),
        (weigh(many("due", ahead_s=-4)[:2], 2), ["due time: 2", "4.0 s behind the senders'"]),
    ],
    ids=["due", "put-and-ahead", "undecided-and-behind"],
)
def test_the_notes_say_how_many_and_how_far_clocks_differ(
    evidence: DueTimeEvidence, words: list[str]
) -> None:
    notes = " ".join(DueReading(evidence=evidence).notes())
    assert [word for word in words if word not in notes] == []


def test_clocks_within_a_second_and_no_senders_make_no_words() -> None:
    assert "clock is" not in " ".join(DueReading(evidence=weigh(many("due"), 5)).notes())
    assert DueReading(evidence=weigh([], 9)).notes() == UNDOCUMENTED.notes() == []


HEADER_US = SENT_US + 600 * SECOND
SENDER = SenderDelay(600_000, SENT_US // 1000 + 600_000)
OTHER = SenderDelay(300_000, SENT_US // 1000 + 300_000)


@pytest.mark.parametrize(
    ("reading", "sender", "due_us", "basis"),
    [
        pytest.param(UNDOCUMENTED, SENDER, HEADER_US, "sender", id="the-sender-knows"),
        pytest.param(UNDOCUMENTED, None, HEADER_US, "assumed-due", id="assumed"),
        pytest.param(DueReading(assumes=False), None, None, "assumed-due", id="not-assumed"),
        pytest.param(DueReading(meaning="due"), None, HEADER_US, "compared-due", id="compared"),
        pytest.param(DueReading(meaning="put"), None, None, "put", id="compared-put"),
        pytest.param(
            DueReading(meaning="due"), OTHER, HEADER_US, "compared-due", id="rescheduled-since"
        ),
        pytest.param(
            DueReading(meaning="put"), OTHER, OTHER.due_time_us, "sender", id="put-and-sender"
        ),
        pytest.param(EMULATED, None, HEADER_US, "assumed-due", id="no-tail-in-the-emulator"),
    ],
)
def test_a_due_time_comes_from_the_best_there_is(
    reading: DueReading, sender: SenderDelay | None, due_us: int | None, basis: str
) -> None:
    data = b"DDH " + pack("<iqq", 1, HEADER_US, -1) + b"QM1".ljust(48) + b"Q1".ljust(48)
    header = ddh.decode(data)
    assert isinstance(header, ddh.DDH)
    date, time = put_date_and_time(SENT_US)
    md = MQMD(put_date=date, put_time=time)
    assert interpret_time(header, md, reading, sender) == (due_us, HEADER_US, basis)
