"""How messages become records, and what the small decisions of the listings say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.backends.port import ObjectDefinition
from mqtriage.commands.backout import messages as backout_messages
from mqtriage.commands.backout.messages import cause_of
from mqtriage.commands.delay import messages as delay_messages
from mqtriage.commands.delay.messages import record as staged_record
from mqtriage.commands.dlq import messages as dead_letters
from mqtriage.commands.expiry import messages as expiry_messages
from mqtriage.commands.msg import messages
from mqtriage.commands.msg.messages import ListingView
from mqtriage.formatters.json_text import compact
from mqtriage.messages.records import DETAIL_KEYS, message_record
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.due_time import EMULATED
from mqtriage.mq.message import Message
from mqtriage.operations.rules.origin import jms_destination, origin_of

NOW = 1_800_000_000_000_000


def message(body: bytes, **fields: Any) -> Message:
    return Message(MQMD(**fields), body, len(body))


@pytest.mark.parametrize(
    ("origins", "sent_to", "expected"),
    [
        pytest.param(("A", "B"), "B", ("B", "sure"), id="destination-is-one-of-them"),
        pytest.param(("A",), None, ("A", "likely"), id="only-one"),
        pytest.param(("A",), "OTHER", (None, "unknown"), id="only-one-other-destination"),
        pytest.param(("A", "B"), None, (None, "unknown"), id="several"),
        pytest.param(("A", "B"), "OTHER", (None, "unknown"), id="several-other-destination"),
        pytest.param(("A",), "BO", ("A", "likely"), id="destination-is-the-backout-queue"),
        pytest.param((), "A", (None, "unknown"), id="none"),
    ],
)
def test_the_origin_of_a_poison_message(
    origins: tuple[str, ...], sent_to: str | None, expected: tuple[str | None, str]
) -> None:
    queues = {name: ObjectDefinition(name, "QLOCAL", {}) for name in ("A", "B", "BO")}
    assert origin_of(queues, origins, "BO", sent_to)[:2] == expected


@pytest.mark.parametrize(
    ("value", "queue"),
    [
        ("queue:///IN", "IN"),
        ("queue://QM1/IN?targetClient=1", "IN"),
        ("topic://news", None),
        ("queue://", None),
    ],
)
def test_the_queue_of_a_jms_destination(value: str, queue: str | None) -> None:
    folder = {"name": "jms", "properties": [{"name": "Dst", "type": "", "value": value}]}
    assert jms_destination([{"name": "MQRFH2", "fields": {"folders": [folder]}}]) == queue


def test_the_cause_is_the_reason_of_the_mqdlh_before_a_damage() -> None:
    dead = {"name": "MQDLH", "fields": {"reason_name": "MQRC_Q_FULL"}}
    assert cause_of([dead], ["broken"]) == "MQRC_Q_FULL"
    assert cause_of([], ["broken"]) == "broken"
    assert cause_of([], []) is None


@pytest.mark.parametrize(
    ("body", "fields", "text", "data"),
    [
        pytest.param(b"hi", {"format": "MQSTR", "ccsid": 1208}, "hi", None, id="text"),
        pytest.param(b"\xff", {"format": "MQSTR", "ccsid": 1208}, None, "FF", id="no-utf-8"),
        pytest.param(b"\xc1", {"format": "MQSTR", "ccsid": 500}, "A", None, id="ebcdic"),
        pytest.param(b"a\0", {"format": "MQSTR", "ccsid": 1208}, "a\0", None, id="mqstr-nul"),
        pytest.param(b"a\0", {"format": "OWN", "ccsid": 1208}, None, "6100", id="own-nul"),
        pytest.param(b"a\n", {"format": "OWN", "ccsid": 1208}, "a\n", None, id="own-text"),
        pytest.param(b"\x25", {"format": "OWN", "ccsid": 500}, "\n", None, id="own-ebcdic"),
        pytest.param(b"\x00", {"format": "OWN", "ccsid": 500}, None, "00", id="own-ebcdic-nul"),
        pytest.param(b"x", {"format": "MQSTR", "ccsid": 9}, None, "78", id="ccsid-unknown"),
        pytest.param(b"", {"format": "MQSTR", "ccsid": 1208}, "", None, id="empty"),
    ],
)
def test_a_body_is_text_or_hex_and_never_both(
    body: bytes, fields: dict[str, Any], text: str | None, data: str | None
) -> None:
    record = message_record(message(body, **fields), "Q")
    assert (record["body"], record["body_hex"]) == (text, data)


def test_a_cut_body_is_a_damage() -> None:
    cut = Message(MQMD(format="MQSTR", ccsid=1208), b"half", 8)
    assert message_record(cut, "Q")["damages"] == ["message data: 4 of 8 bytes"]


@given(
    body=st.binary(max_size=600),
    form=st.sampled_from(["", "MQSTR", "MQHRF2", "MQDEAD", "MQHDDH", "MQXMIT", "MQADMIN", "OWN"]),
    ccsid=st.sampled_from([0, -2, 37, 500, 819, 1200, 1208, 99_999]),
    shown=st.sampled_from(["auto", "hex", "text"]),
)
def test_any_message_becomes_json_in_every_listing(
    body: bytes, form: str, ccsid: int, shown: Any
) -> None:
    any_message = message(body, format=form, ccsid=ccsid)
    record = message_record(any_message, "Q", form=shown)
    records = [
        record,
        record | dead_letters.dead_letter_keys(any_message),
        staged_record(
            any_message, now_us=NOW, clock=lambda: NOW, reading=EMULATED, view=ListingView(shown)
        ),
    ]
    for record in records:
        compact(record)
        assert (record["body"] is None) is not (record["body_hex"] is None)


@pytest.mark.parametrize(
    "fields",
    [
        messages.FIELDS,
        delay_messages.FIELDS,
        dead_letters.FIELDS,
        backout_messages.BACKOUT_FIELDS,
        backout_messages.PENDING_FIELDS,
        expiry_messages.FIELDS,
    ],
)
def test_every_key_of_a_record_can_be_a_column(fields: tuple[Any, ...]) -> None:
    keys = [field.key for field in fields]
    assert len(keys) == len(set(keys))
    assert len({field.heading for field in fields}) == len(keys)
    assert set(message_record(message(b""), "Q")) <= set(keys)
    assert set(keys) >= DETAIL_KEYS
