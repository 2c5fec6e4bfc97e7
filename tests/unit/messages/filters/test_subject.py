"""A message as filters see it, with headers as they stand on a queue."""

from __future__ import annotations

from functools import partial

from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.subject import DecodedHeaders, Subject
from mqtriage.messages.filters.where import parse_where
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.due_time import EMULATED
from mqtriage.mq.headers import ddh, dlh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message

BODY = b'{"id": 7}'
DUE = 1_769_853_600_000_000


def dead_letter() -> Message:
    """MQDLH, then MQRFH2 with two properties, then JSON; all written by our encoders."""
    properties = rfh2.encode(
        rfh2.build(
            [("usr", {"Color": "red", "n": 3})],
            Following("MQSTR", NATIVE_ENCODING, 1208),
            order="<",
        )
    )
    header = dlh.encode(
        dlh.DLH(2053, "APP.IN", "QM1", NATIVE_ENCODING, 1208, cmqc.MQFMT_RF_HEADER_2.rstrip())
    )
    data = header + properties + BODY
    return Message(MQMD(format=cmqc.MQFMT_DEAD_LETTER_HEADER.rstrip(), ccsid=1208), data, len(data))


def staged() -> Message:
    """A message on the emulator's staging queue, sent an hour before it comes due."""
    original = MQMD(format="MQSTR", ccsid=1208)
    head = ddh.encode_staged(DUE, None, "QM1", "APP.IN", original, DUE - 3_600_000_000, 3_600_000)
    md = MQMD(put_date="20260131", put_time="09000000", correl_id=b"O" * 24)
    return Message(md, head + BODY, len(head) + len(BODY))


def selected(text: str, subject: Subject) -> bool:
    test = Selection(parse_where(text)).predicate(DUE + 1)
    return test is not None and test(subject)


def test_reason_properties_and_body_are_found_behind_the_headers() -> None:
    subject = Subject(dead_letter())
    assert (subject.headers.reason, subject.headers.dest, subject.headers.dest_qmgr) == (
        2053,
        "APP.IN",
        "QM1",
    )
    assert subject.payload == BODY
    assert selected("dlq_format = 'MQHRF2' AND format = 'MQDEAD'", subject)
    assert selected("reason = MQRC_Q_FULL AND prop.Color = 'red' AND prop.n = 3", subject)
    assert selected("body.id = 7 AND body CONTAINS '\"id\"' AND delay IS NULL", subject)
    assert selected("target = 'APP.IN' AND target_qmgr = 'QM1'", subject)
    assert not selected("prop.Color = 'blue' OR dest = 'APP.OUT'", subject)


def test_the_age_of_a_dead_letter_is_since_it_was_dead_lettered() -> None:
    message = dead_letter()
    an_hour_ago, now = message.md._replace(put_date="20260131", put_time="09000000"), DUE
    header = dlh.DLH(
        2053, "APP.IN", "QM1", NATIVE_ENCODING, 1208, "MQSTR",
        put_date="20260131", put_time="09500000",
    )  # fmt: skip
    subject = Subject(message._replace(md=an_hour_ago, body=dlh.encode(header) + BODY))
    assert now - (subject.put_time_us or 0) == 3_600_000_000
    assert selected("dlq_age >= 10m AND dlq_age < 11m AND age >= 1h", subject)


def test_a_put_time_ahead_of_the_clock_is_an_age_below_zero() -> None:
    message = dead_letter()
    ahead = Subject(message._replace(md=message.md._replace(
        put_date="20260131", put_time="10100000"
    )))  # fmt: skip
    assert selected("age < -9m AND age > -11m", ahead)


def test_a_staged_message_of_the_emulator_has_a_due_time() -> None:
    subject = Subject(staged(), partial(DecodedHeaders, reading=EMULATED))
    assert (subject.headers.due_time_us, subject.delay_ms, subject.headers.target) == (
        DUE,
        3_600_000,
        "APP.IN",
    )
    assert subject.headers.original_msg_id == b"O" * 24
    assert selected("due_time < now AND delay = 1h AND target_qmgr = 'QM1'", subject)


def test_a_message_without_headers_has_none_of_their_fields() -> None:
    subject = Subject(Message(MQMD(format="MQSTR", ccsid=1208), BODY, len(BODY)))
    assert selected("reason IS NULL AND due_time IS NULL AND prop.Color IS NULL", subject)
    assert selected("original_msg_id IS NULL AND delay IS NULL AND body.id = 7", subject)
