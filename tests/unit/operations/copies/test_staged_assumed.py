"""What is read out of the delay header of a real queue manager, where it looks as assumed."""

from __future__ import annotations

from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import ddh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_time_us
from mqtriage.operations.copies.copy import Copy, CopyOptions, copy_of
from mqtriage.operations.copies.staged_assumed import assumed_original, with_due_time

PUT_US = put_time_us("20260131", "10000000") or 0
DUE_US = PUT_US + 3_600_000_000
STAGED = MQMD(
    msg_id=b"s" * 24, correl_id=b"o" * 24, format="MQHDDH", priority=7, persistence=1,
    reply_to_q="REPLY", put_date="20260131", put_time="10000000", put_appl_name="java",
)  # fmt: skip


def names(queue: str = "OUT", queue_manager: str = "QM1") -> bytes:
    return queue_manager.encode().ljust(48) + queue.encode().ljust(48)


def staged(
    behind: bytes = b"", order: str = "<", named: bytes = b"", time_us: int = DUE_US
) -> Message:
    """A message as the public post shows them as far as it goes; the rest as it is assumed."""
    head = b"DDH " + pack(f"{order}iqq", 1, time_us, -1) + (named or names())
    return Message(STAGED, head + behind, len(head + behind))


def jms(correlation_id: str = "", body: bytes = b"hello") -> bytes:
    fields = {"Cid": correlation_id} if correlation_id else {"Dst": "queue:///OUT"}
    folders = [("mcd", {"Msd": "jms_text"}), ("jms", fields)]
    return rfh2.encode(rfh2.build(folders, Following("MQSTR", 273, 1208))) + body


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("unknown", [b"", b"\xff" * 61])
def test_the_original_begins_at_the_rfh2_whatever_stands_before_it(
    order: str, unknown: bytes
) -> None:
    original = assumed_original(staged(unknown + jms(), order))
    assert not isinstance(original, str)
    md, body = original
    assert body == jms()
    assert (md.format, md.encoding, md.ccsid) == ("MQHRF2", 273, 1208)
    assert (md.msg_id, md.correl_id) == (b"o" * 24, bytes(24))
    kept = STAGED._replace(
        msg_id=md.msg_id, correl_id=md.correl_id, format="MQHRF2", encoding=273, ccsid=1208
    )
    assert md == kept


@pytest.mark.parametrize(
    ("correlation_id", "expected"),
    [
        ("ID:" + "AB" * 24, b"\xab" * 24),
        ("order-4711", b"order-4711".ljust(24, b"\0")),
        ("ID:no hex", bytes(24)),
        ("", bytes(24)),
    ],
)
def test_the_correl_id_is_the_one_that_the_folder_jms_repeats(
    correlation_id: str, expected: bytes
) -> None:
    original = assumed_original(staged(jms(correlation_id)))
    assert not isinstance(original, str)
    assert original[0].correl_id == expected


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (staged(b"plain text"), "no MQRFH2"),
        (staged(b"RFH \0\0\0\2\xff\xff"), "no MQRFH2"),
        (staged(b"RFH is what the text says"), "no MQRFH2"),
        (Message(STAGED, b"hello", 5), "no delay header"),
        (Message(STAGED, b"DDH \1\0", 6), "needed"),
    ],
    ids=["text", "damaged", "a word", "no header", "cut"],
)
def test_what_does_not_look_as_assumed_stays(message: Message, why: str) -> None:
    refusal = assumed_original(message)
    assert isinstance(refusal, str)
    assert why in refusal


def test_what_the_emulator_staged_is_read_from_its_own_tail() -> None:
    original = STAGED._replace(msg_id=b"o" * 24, correl_id=b"c" * 24, format="MQSTR")
    head = ddh.encode_staged(DUE_US, None, "QM1", "OUT", original, PUT_US, 1000)
    message = Message(STAGED, head + b"body", len(head) + 4)
    copy = copy_of(message, CopyOptions(strip="assumed"))
    assert copy == Copy(original, b"body")


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_new_due_time_changes_eight_bytes_and_nothing_else(order: str) -> None:
    before = staged(jms(), order).body
    after = with_due_time(staged(jms(), order), DUE_US + 1)
    assert isinstance(after, bytes)
    assert after[:8] + after[16:] == before[:8] + before[16:]
    assert after[8:16] == pack(f"{order}q", DUE_US + 1)


def test_a_header_that_holds_the_time_of_the_put_takes_no_due_time() -> None:
    refusal = with_due_time(staged(jms(), time_us=PUT_US), DUE_US)
    assert isinstance(refusal, str)
    assert "time of the put" in refusal


@given(behind=st.binary(max_size=300), named=st.binary(min_size=96, max_size=96))
def test_any_bytes_give_an_original_or_a_reason(behind: bytes, named: bytes) -> None:
    for tail in (behind, b"RFH " + behind, jms()[:8] + behind):
        assert isinstance(assumed_original(staged(tail, named=named)), tuple | str)
