"""The folder that tells a receiver, and us, what delay a JMS client asked for."""

from __future__ import annotations

import pytest

from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.headers.mqext import SenderDelay, find_sender_delay

SENT_MS = 1_763_812_340_678


def _jms(delay_ms: int | None = 5000) -> bytes:
    header = rfh2.build_jms(
        "jms_text", "queue:///Q1", Following("MQSTR", 273, 1208), put_time_ms=SENT_MS,
        delay_ms=delay_ms, user={"colour": "red"},
    )  # fmt: skip
    return rfh2.encode(header) + b"body"


def test_the_folder_stands_between_jms_and_usr_and_is_padded_with_blanks() -> None:
    text = b"</jms>  \0\0\0\x38<mqext><Dly>5000</Dly><Dtm>1763812345678</Dtm></mqext>  \0\0\0 <usr>"
    assert text[8:] in _jms()
    assert b"mqext" not in _jms(None)


def test_delay_and_due_time_are_found_behind_what_nobody_documents() -> None:
    sender = find_sender_delay(b"DDH " + b"RFH \0\0\0\x02 no header" + bytes(90) + _jms(), 24)
    assert sender == SenderDelay(5000, 1_763_812_345_678)
    assert (sender.send_time_us, sender.due_time_us) == (SENT_MS * 1000, 1_763_812_345_678_000)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"plain text", id="no-header"),
        pytest.param(_jms(None), id="no-folder"),
        pytest.param(_jms()[:150], id="cut"),
        pytest.param(_jms().replace(b"<Dly>5000<", b"<Dly>soon<"), id="no-number"),
        pytest.param(_jms().replace(b"<Dly>5000<", b"<Dly>-500<"), id="negative"),
        pytest.param(_jms(None) + _jms(), id="the-first-header-counts"),
    ],
)
def test_without_two_whole_numbers_in_the_first_header_nothing_is_known(data: bytes) -> None:
    assert find_sender_delay(data, 0) is None
