"""What the documents leave open and we decided: GAP-01 to GAP-13, in the order of that table.

Where a real queue manager is seen to do otherwise, it wins and the test changes. What an existing
test already shows is marked there; this is the index.

=======  ========================================================================================
GAP-01   here: reasons of a send while the staging queue is missing, full or put-disabled
GAP-02   here: Reason in the MQDLH, the retry interval, the order of one due time
GAP-03   here: no exception report about a discarded publication
GAP-04   test_delay_pubsub: the attribute of the publication's own persistence counts
GAP-05   here: the sender's CorrelId is kept in the private header
GAP-06   clients/test_inquiry: without inquire, as if BOTHRESH were 0, and noted
GAP-07   clients/test_jms_sync: to the dead-letter queue with an MQDLH of reason 2362
GAP-08   clients/test_jms_sync: lost, or on the input queue again, BOQNAME blank or refusing
GAP-09   clients/test_backout_message: every other field of the descriptor stays
GAP-10   test_faults: a value above the limit; the environment at the last start
GAP-11   test_xmitq: the data has to reach to the embedded lifetime
GAP-12   clients/test_message_flow: a failing failure path is tried up to its limit
GAP-13   clients/test_backout_message: a protected body; acceptance/messages/test_expired
=======  ========================================================================================
"""

from __future__ import annotations

import pytest

from mqtriage.emulator.core.tables import counters
from mqtriage.emulator.pubsub import publications, subscriptions
from mqtriage.mq import cmqc
from mqtriage.mq.delay import ZOS_STAGING
from mqtriage.mq.errors import MQIError
from mqtriage.mq.headers import ddh, dlh
from tests.unit.emulator.conftest import STAGING, Lab, message


@pytest.mark.seed("DD-56", "DD-30", "DD-93", "GAP-01")
@pytest.mark.parametrize("platform", ["dist", "zos"])
@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        pytest.param(None, cmqc.MQRC_UNKNOWN_OBJECT_NAME, id="missing"),
        pytest.param({"MAXDEPTH": 0}, cmqc.MQRC_Q_FULL, id="full"),
        pytest.param({"PUT": "DISABLED"}, cmqc.MQRC_PUT_INHIBITED, id="put-disabled"),
    ],
)
def test_a_send_fails_with_what_is_wrong_with_the_staging_queue_and_an_ordinary_one_works(
    lab: Lab, zos: Lab, platform: str, attributes: dict[str, int | str] | None, reason: int
) -> None:
    it = zos if platform == "zos" else lab
    if platform == "zos":
        it.mq.define("QLOCAL", STAGING, ZOS_STAGING)
    it.local("Q1")
    if attributes is None:
        it.mq.delete("QLOCAL", STAGING)
    else:
        it.mq.alter("QLOCAL", STAGING, attributes)
    with pytest.raises(MQIError) as error:
        it.send("Q1", 1000)
    assert error.value.reason == reason
    it.send("Q1", 0)
    assert it.depth("Q1") == 1


@pytest.mark.seed("DD-95", "GAP-02")
@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        pytest.param({"MAXDEPTH": 0}, cmqc.MQRC_Q_FULL, id="full"),
        pytest.param({"PUT": "DISABLED"}, cmqc.MQRC_PUT_INHIBITED, id="put-disabled"),
        pytest.param({"MAXMSGL": 3}, cmqc.MQRC_MSG_TOO_BIG_FOR_Q, id="too-long"),
        pytest.param(None, cmqc.MQRC_UNKNOWN_OBJECT_NAME, id="deleted"),
    ],
)
def test_the_dead_letter_header_has_the_reason_of_the_put_that_failed(
    lab: Lab, attributes: dict[str, int | str] | None, reason: int
) -> None:
    lab.local("DLQ")
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})
    lab.mq.define("QLOCAL", "Q1", {})
    lab.send("Q1", 1000, b"body")
    if attributes is None:
        lab.mq.delete("QLOCAL", "Q1")
    else:
        lab.mq.alter("QLOCAL", "Q1", attributes)
    lab.advance(1)
    header = dlh.decode(lab.get("DLQ").body)
    assert isinstance(header, dlh.DLH)
    assert (header.reason, header.dest_q_name) == (reason, "Q1")


@pytest.mark.seed("DD-96", "GAP-02")
@pytest.mark.parametrize(("setting", "interval_s"), [("", 60), ("5", 5), ("600", 600)])
def test_a_failed_delivery_is_tried_again_after_an_interval_that_can_be_set(
    lab: Lab, setting: str, interval_s: int
) -> None:
    """60 s unless delay_retry_s says otherwise; no DEADQ, so the message waits."""
    if setting:
        lab.switch("delay_retry_s", setting)
    lab.mq.define("QLOCAL", "Q1", {})
    lab.send("Q1", 1000)
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 0})
    lab.advance(1 + 3 * interval_s)  # the tries left out keep the beat
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 5})
    lab.advance(interval_s - 0.001)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (1, 0)
    lab.advance(0.001)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 1)


def test_what_waits_for_another_try_is_looked_at_when_its_lifetime_ends(lab: Lab) -> None:
    """Not with the try after that: its expiration report would come half a minute late."""
    lab.local("REPLIES")
    lab.mq.define("QLOCAL", "Q1", {})
    lab.send("Q1", 1000, expiry_tenths=300, report=cmqc.MQRO_EXPIRATION, reply_to_q="REPLIES")
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 0})
    lab.advance(29.9)
    assert (lab.depth(STAGING), lab.depth("REPLIES")) == (1, 0)
    lab.advance(0.1)
    assert (lab.depth(STAGING), lab.depth("REPLIES")) == (0, 1)


@pytest.mark.seed("DD-96", "GAP-02")
def test_messages_of_one_due_time_come_in_the_order_they_were_put_in(lab: Lab) -> None:
    """Priority and lifetime on the staging queue have no say, nor has the order of the targets."""
    lab.local("Q1", MSGDLVSQ="FIFO")
    lab.send("Q1", 3000, b"1", priority=0)
    lab.advance(1)
    lab.send("Q1", 2000, b"2", priority=9)
    lab.send("Q1", 1000, b"sooner")
    lab.advance(1)
    lab.send("Q1", 1000, b"3", priority=4)
    lab.advance(60)
    assert lab.bodies("Q1") == [b"sooner", b"1", b"2", b"3"]


@pytest.mark.seed("DD-105", "GAP-03")
def test_no_exception_report_tells_of_a_publication_that_no_queue_took(lab: Lab) -> None:
    """The action asked for did not succeed; with room on the dead-letter queue there is one."""
    lab.mq.define("TOPIC", "NEWS", {"TOPICSTR": "news", "PMSGDLV": "ALLAVAIL"})
    lab.local("DLQ")
    lab.local("REPLIES")
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})
    subscription = subscriptions.subscribe(lab.mq.connection, "news", name="S1", durable=True)
    asked = message(report=cmqc.MQRO_EXCEPTION, reply_to_q="REPLIES")
    lab.mq.alter("QLOCAL", subscription.destination, {"MAXDEPTH": 0})
    for room, reports in ((0, 0), (1, 1)):
        lab.mq.alter("QLOCAL", "DLQ", {"MAXDEPTH": room})
        publications.send(lab.mq.connection, "news", asked, b"", 0, delay_ms=1000)
        lab.advance(1)
        assert [lab.depth(n) for n in (STAGING, "DLQ", "REPLIES")] == [0, room, reports]


@pytest.mark.seed("DD-55", "GAP-05")
def test_the_senders_correl_id_waits_in_the_private_header(lab: Lab) -> None:
    lab.local("Q1")
    sent = lab.send("Q1", 1000, correl_id=b"c" * 24)
    (staged,) = lab.open(STAGING).browse()
    header = ddh.decode(staged.body)
    assert isinstance(header, ddh.DDH) and header.tail is not None
    assert staged.md.correl_id == sent.msg_id
    assert (header.tail.original.msg_id, header.tail.original.correl_id) == (
        sent.msg_id,
        b"c" * 24,
    )
    lab.advance(1)
    assert lab.get("Q1").md.correl_id == b"c" * 24


def test_the_interval_of_triggers_begins_anew_with_each(lab: Lab) -> None:
    lab.local("Q")
    queue = lab.mq.manager.queues["Q"]
    store = lab.mq.manager.store
    with store.write():
        for now_us in (5, 7):
            counters.has_triggered(store, queue.id, now_us)
    assert counters.last_trigger_us(store, queue.id) == 7
