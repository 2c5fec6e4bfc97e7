"""Report options of delayed messages: acted on by the processor, or passed on; the traps."""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_time_us
from tests.unit.emulator.conftest import STAGING, Lab, message

BODY = bytes(range(250))
CORREL = b"C" * 24


@pytest.fixture
def replies(lab: Lab) -> Lab:
    lab.local("Q1")
    lab.local("REPLIES")
    lab.local("DLQ")
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})
    return lab


def send(lab: Lab, report: int, **fields: object) -> MQMD:
    fields = {"correl_id": CORREL, "reply_to_q": "REPLIES", **fields}
    return lab.send("Q1", 5000, BODY, report=report, **fields)


def failed_delivery(lab: Lab, report: int, **fields: object) -> tuple[MQMD, Message]:
    """Send, let the target fill up, let it come due; what was sent and the report about it."""
    sent = send(lab, report, **fields)
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 0})
    lab.advance(5)
    assert lab.depth(STAGING) == 0
    return sent, lab.get("REPLIES")


@pytest.mark.seed("DD-120")
@pytest.mark.parametrize(
    ("option", "data"),
    [
        pytest.param(cmqc.MQRO_EXCEPTION, b"", id="plain"),
        pytest.param(cmqc.MQRO_EXCEPTION_WITH_DATA, BODY[:100], id="with-data"),
        pytest.param(cmqc.MQRO_EXCEPTION_WITH_FULL_DATA, BODY, id="with-full-data"),
    ],
)
def test_exception_options_are_acted_on(replies: Lab, option: int, data: bytes) -> None:
    sent, report = failed_delivery(replies, option)
    assert report.md.feedback == cmqc.MQRC_Q_FULL
    assert (report.body, report.md.format) == (data, "MQSTR")
    assert (report.md.correl_id, report.md.msg_id == sent.msg_id) == (sent.msg_id, False)
    assert replies.depth("DLQ") == 1


@pytest.mark.seed("DD-120", "DD-77", "DD-78")
@pytest.mark.parametrize(
    ("option", "data"),
    [
        pytest.param(cmqc.MQRO_EXPIRATION, b"", id="plain"),
        pytest.param(cmqc.MQRO_EXPIRATION_WITH_DATA, BODY[:100], id="with-data"),
        pytest.param(cmqc.MQRO_EXPIRATION_WITH_FULL_DATA, BODY, id="with-full-data"),
    ],
)
def test_expiration_options_are_acted_on(replies: Lab, option: int, data: bytes) -> None:
    sent = send(replies, option, expiry_tenths=50)
    replies.advance(5)
    report = replies.get("REPLIES")
    assert report.md.feedback == cmqc.MQFB_EXPIRATION
    assert (report.body, report.md.format) == (data, "MQSTR")
    assert report.md.correl_id == sent.msg_id


@pytest.mark.seed("DD-120")
def test_discard_msg_is_acted_on(replies: Lab) -> None:
    failed_delivery(replies, cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG)
    assert replies.depth("DLQ") == 0


@pytest.mark.seed("DD-120")
def test_pass_msg_id_and_pass_correl_id_take_the_ids_of_the_original(replies: Lab) -> None:
    """Trap 4: the staged copy has other ids, and none of them is in a report."""
    sent, report = failed_delivery(
        replies, cmqc.MQRO_EXCEPTION | cmqc.MQRO_PASS_MSG_ID | cmqc.MQRO_PASS_CORREL_ID
    )
    assert (report.md.msg_id, report.md.correl_id) == (sent.msg_id, CORREL)


@pytest.mark.seed("DD-120")
def test_pass_discard_and_expiry_hands_on_what_is_left_of_the_lifetime(replies: Lab) -> None:
    options = cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG | cmqc.MQRO_PASS_DISCARD_AND_EXPIRY
    _, report = failed_delivery(replies, options, expiry_tenths=600)
    assert (report.md.report, report.md.expiry_tenths) == (cmqc.MQRO_DISCARD_MSG, 550)


@pytest.mark.seed("DD-121")
@pytest.mark.parametrize(
    "option", [cmqc.MQRO_COA, cmqc.MQRO_COA_WITH_FULL_DATA], ids=["plain", "full"]
)
def test_coa_is_made_on_the_target_and_not_on_the_staging_queue(replies: Lab, option: int) -> None:
    sent = send(replies, option)
    assert (replies.depth(STAGING), replies.depth("REPLIES")) == (1, 0)
    replies.advance(4.999)
    assert replies.depth("REPLIES") == 0
    replies.advance(0.001)
    assert replies.depth("REPLIES") == 1
    report = replies.get("REPLIES")
    assert (report.md.feedback, report.md.correl_id) == (cmqc.MQFB_COA, sent.msg_id)
    assert report.body == (BODY if option != cmqc.MQRO_COA else b"")
    assert replies.get("Q1").md.report == option


@pytest.mark.seed("DD-06", "DD-35", "TRAP-01")
def test_committed_after_its_due_time_it_arrives_at_the_commit_and_not_before(
    replies: Lab,
) -> None:
    """Its report says so: until then nothing of it had reached the target."""
    md = message(report=cmqc.MQRO_COA, reply_to_q="REPLIES")
    replies.mq.put_delayed("Q1", md, BODY, 5000, cmqc.MQPMO_SYNCPOINT)
    replies.advance(8)
    commit_us = replies.mq.now_us()
    replies.mq.commit()
    report = replies.get("REPLIES").md
    assert report.feedback == cmqc.MQFB_COA
    assert put_time_us(report.put_date, report.put_time) == commit_us // 10_000 * 10_000


@pytest.mark.seed("DD-34", "GAP-02", "TRAP-01")
def test_what_is_committed_after_its_due_times_arrives_in_the_order_of_the_sends(lab: Lab) -> None:
    """All of it is due at the commit: the processor cannot have met any of it before."""
    lab.local("Q1")
    for body, delay_ms in ((b"1", 7000), (b"2", 5000), (b"3", 6000)):
        lab.mq.put_delayed("Q1", message(), body, delay_ms, cmqc.MQPMO_SYNCPOINT)
    lab.advance(8)
    lab.mq.commit()
    assert lab.bodies("Q1") == [b"1", b"2", b"3"]


@pytest.mark.seed("DD-122")
@pytest.mark.parametrize(
    "option", [cmqc.MQRO_COD, cmqc.MQRO_COD_WITH_FULL_DATA], ids=["plain", "full"]
)
def test_cod_is_made_when_the_application_gets_it_and_not_when_the_processor_does(
    replies: Lab, option: int
) -> None:
    sent = send(replies, option)
    replies.advance(5)
    assert (replies.depth("Q1"), replies.depth("REPLIES")) == (1, 0)
    assert replies.get("Q1").md.report == option
    assert replies.depth("REPLIES") == 1
    report = replies.get("REPLIES")
    assert (report.md.feedback, report.md.correl_id) == (cmqc.MQFB_COD, sent.msg_id)


@pytest.mark.seed("DD-123", "DD-124")
@pytest.mark.parametrize(
    "option", [cmqc.MQRO_PAN, cmqc.MQRO_NAN, cmqc.MQRO_ACTIVITY], ids=["pan", "nan", "activity"]
)
def test_pan_nan_and_activity_are_passed_on_and_make_no_report(replies: Lab, option: int) -> None:
    send(replies, option)
    assert replies.mq.open(STAGING, 8).get(0x10).md.report == option
    replies.advance(5)
    assert replies.get("Q1").md.report == option
    assert replies.depth("REPLIES") == 0


@pytest.mark.seed("DD-96", "DD-100", "DD-101", "C-17", "TRAP-03")
@pytest.mark.parametrize(
    ("discard", "persistent", "staged", "lost"),
    [
        pytest.param(False, True, 1, False, id="message-waits"),
        pytest.param(True, True, 1, False, id="persistent-waits-for-its-report"),
        pytest.param(True, False, 0, True, id="non-persistent-loses-its-report"),
    ],
)
def test_the_ends_when_things_fail_twice_are_different(
    replies: Lab, discard: bool, persistent: bool, staged: int, lost: bool
) -> None:
    """Trap 3; the fourth end, of a publication, is in test_delay_pubsub."""
    report = cmqc.MQRO_EXCEPTION | (cmqc.MQRO_DISCARD_MSG if discard else 0)
    send(replies, report, persistence=int(persistent))
    for name in ("Q1", "REPLIES", "DLQ"):
        replies.mq.alter("QLOCAL", name, {"MAXDEPTH": 0})
    replies.advance(5)
    assert replies.depth(STAGING) == staged
    for name in ("Q1", "REPLIES", "DLQ"):
        replies.mq.alter("QLOCAL", name, {"MAXDEPTH": 5})
    replies.advance(60)
    assert [replies.depth(name) for name in (STAGING, "Q1", "REPLIES")] == [0, int(not lost), 0]


@pytest.mark.seed("DD-76", "C-01", "TRAP-02")
@pytest.mark.parametrize(
    ("since_put_s", "remaining_tenths"),
    [pytest.param(15, 50, id="rule"), pytest.param(10, 100, id="trap")],
)
def test_the_worked_example_counts_from_the_put(
    replies: Lab, since_put_s: int, remaining_tenths: int
) -> None:
    """Trap 2: the example's 10 000 ms begin when the delay ends."""
    send(replies, 0, expiry_tenths=200)
    replies.advance(since_put_s)
    assert replies.get("Q1").md.expiry_tenths == remaining_tenths


@pytest.mark.seed("DD-34", "C-16")
def test_an_uncommitted_delayed_message_is_not_counted_and_an_uncommitted_put_is(
    replies: Lab,
) -> None:
    from mqtriage.mq import cmqc
    from tests.unit.emulator.conftest import message

    replies.mq.put_delayed("Q1", message(), b"", 5000, cmqc.MQPMO_SYNCPOINT)
    replies.mq.put1("Q1", message(), b"", cmqc.MQPMO_SYNCPOINT)
    assert (replies.depth(STAGING), replies.depth("Q1")) == (0, 1)
