"""What IBM's unmodified JMS clients sent with a delivery delay, as recorded, against what we write.

Each recording is one line of hex for each segment; the put is an SPI PUT whose SPPI structure has
the delay and the message data behind the MQMD (version 1) and the MQPMO.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from struct import unpack_from
from typing import Literal, NamedTuple

import pytest

from mqtriage.commands.delay.put import jms_message
from mqtriage.commands.msg.put_options import PutOptions
from mqtriage.mq import descriptor
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.mqext import SenderDelay, find_sender_delay

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = Path(os.environ.get("MQTRIAGE_CORPUS", _ROOT.parent / "shared" / "corpus")) / "channel"

pytestmark = pytest.mark.skipif(
    not _FOLDER.is_dir(), reason="no recorded exchanges: set MQTRIAGE_CORPUS to their folder"
)

QUEUES = (
    "04-b-delivery-delay",
    "05-b-delay-58-days",
    "06-b-delay-transacted",
    "07-b-delay-bound-producer",
    "67-little-endian",
    "80-client-9.0.4",
    "81-client-9.2.5",
    "82-client-9.3.5",
    "83-client-jakarta-9.4.5",
    "84-spring-jms-5.3",
)


class Sent(NamedTuple):
    """One recorded put with a delay."""

    md: MQMD
    delay_ms: int
    data: bytes

    @property
    def header(self) -> rfh2.RFH2:
        header = rfh2.decode(self.data, 0, "<" if self.md.encoding == 546 else ">")
        assert isinstance(header, rfh2.RFH2)
        assert header.damages == ()
        return header


def sent_in(name: str) -> Sent:
    text = (_FOLDER / f"{name}.txt").read_text()
    line = next(
        following.removeprefix("C>S ")
        for above, following in zip(text.splitlines(), text.splitlines()[1:], strict=False)
        if "DELIVERY DELAY" in above and following.startswith("C>S ")
    )
    segment = bytes.fromhex(line)
    order: Literal["<", ">"] = ">" if segment[16] == 1 else "<"
    at = segment.index(b"SPPI")
    version, _, _, length, _, high, low = unpack_from(f"{order}7i", segment, at + 4)
    assert version == 3
    md = descriptor.unpack(segment, segment.index(b"MD  "), order)
    delay_ms = (high << 32) + (low & 0xFFFFFFFF)
    return Sent(md, delay_ms, segment[at + 32 : at + 32 + length])


@pytest.mark.seed("DD-14")
@pytest.mark.parametrize("name", QUEUES)
def test_delay_put_writes_what_the_client_wrote(name: str) -> None:
    """Every byte of the message data and every field of the descriptor."""
    sent = sent_in(name)
    header = sent.header
    sent_ms = int(rfh2.properties([header])["jms.Tms"])  # type: ignore[arg-type]
    body = sent.data[header.length :].decode()
    md, data = jms_message(body, PutOptions(), "DEV.QUEUE.1", sent.delay_ms, sent_ms * 1000)
    # Spring's client looked at its clock once more for Dtm: a millisecond later
    later = re.sub(rb"<Dtm>\d+<", b"<Dtm>%d<" % (sent_ms + sent.delay_ms), sent.data)
    assert data == (later if name == "84-spring-jms-5.3" else sent.data)
    # the client fills PutDate and PutTime with NULs, which the queue manager sets
    assert md._replace(version=1) == sent.md._replace(put_date="", put_time="")


@pytest.mark.parametrize("name", [*QUEUES, "08-b-delay-topic"])
def test_delay_and_delivery_time_are_read_from_the_recorded_message(name: str) -> None:
    sent = sent_in(name)
    sent_ms = int(rfh2.properties([sent.header])["jms.Tms"])  # type: ignore[arg-type]
    sender = find_sender_delay(b"DDH " + bytes(200) + sent.data, 24)
    assert sender is not None
    assert sender.delay_ms == sent.delay_ms
    assert 0 <= sender.delivery_time_ms - sent_ms - sent.delay_ms <= 1
    assert rfh2.encode(sent.header) + sent.data[sent.header.length :] == sent.data


def test_a_delay_of_58_days_needs_both_words_of_the_put() -> None:
    sender = find_sender_delay(sent_in("05-b-delay-58-days").data, 0)
    assert sender == SenderDelay(5_000_000_000, 1_800_349_650_335)
