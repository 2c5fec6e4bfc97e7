"""Delivery delay: staging, delivery, and what happens when a delivery fails."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from mqtriage.backends.port import Match
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, NoMessageAvailable, ObjectNotFound, QueueFull
from mqtriage.mq.headers import ddh, dlh
from tests.unit.emulator.conftest import ALL, STAGING, Lab, message, nothing_on


@pytest.mark.seed("DD-01", "DD-05", "DD-07", "DD-12", "DD-13")
def test_a_delayed_message_is_on_its_target_when_the_delay_is_over_and_not_before(
    lab: Lab,
) -> None:
    queue = lab.local("Q1")
    lab.send("Q1", 5000, b"later", ccsid=819, encoding=273)
    lab.advance(4.999)
    assert nothing_on(queue)
    assert list(queue.browse()) == []
    assert (lab.depth("Q1"), lab.depth(STAGING)) == (0, 1)
    lab.advance(0.001)
    assert (lab.depth("Q1"), lab.depth(STAGING)) == (1, 0)
    got = queue.get()
    assert (got.body, got.md.format) == (b"later", "MQSTR")
    assert (got.md.ccsid, got.md.encoding) == (819, 273)


@pytest.mark.seed("DD-02", "DD-10", "DD-11")
def test_the_staged_message_says_delay_due_time_and_target(lab: Lab) -> None:
    lab.local("Q1")
    t0 = lab.mq.now_us()
    lab.send("Q1", 1500, b"body")
    staged = next(iter(lab.open(STAGING, cmqc.MQOO_BROWSE).browse()))
    header = ddh.decode(staged.body)
    assert isinstance(header, ddh.DDH) and header.tail is not None
    assert (header.time_us, header.tail.delay_ms) == (t0 + 1_500_000, 1500)
    assert (header.target_q_mgr, header.target_q) == ("QM1", "Q1")
    assert staged.body[header.length :] == b"body"


@pytest.mark.seed("DD-51", "DD-52", "DD-53")
def test_a_staged_message_has_a_new_msg_id_and_the_original_in_correl_id(lab: Lab) -> None:
    lab.local("Q1")
    ids = [lab.send("Q1", 5000, b"%d" % n, correl_id=b"c" * 24).msg_id for n in range(3)]
    staging = lab.open(STAGING, cmqc.MQOO_BROWSE)
    staged = list(staging.browse())
    assert [m.md.correl_id for m in staged] == ids
    assert len({m.md.msg_id for m in staged} | set(ids)) == 6
    (matched,) = staging.browse(Match(correl_id=ids[1]))
    assert matched.body.endswith(b"1")


@pytest.mark.seed("DD-55")
def test_delivery_gives_back_the_senders_ids(lab: Lab) -> None:
    queue = lab.local("Q1")
    sent = lab.send("Q1", 5000, correl_id=b"c" * 24)
    lab.advance(5)
    got = queue.get().md
    assert (got.msg_id, got.correl_id) == (sent.msg_id, b"c" * 24)
    assert (got.put_date, got.put_time, got.user_identifier) == (
        sent.put_date, sent.put_time, sent.user_identifier,
    )  # fmt: skip


@pytest.mark.seed("DD-08")
def test_one_staging_queue_serves_all_targets(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("Q2")
    before = {q.name for q in lab.mq.queues()}
    lab.send("Q1", 1000)
    lab.send("Q2", 1000)
    assert lab.depth(STAGING) == 2
    assert {q.name for q in lab.mq.queues()} == before


@pytest.mark.seed("DD-06", "DD-34", "DD-35")
def test_under_syncpoint_it_is_staged_at_the_commit_but_due_from_the_send(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.put_delayed("Q1", message(), b"", 10_000, cmqc.MQPMO_SYNCPOINT)
    assert lab.depth(STAGING) == 0
    assert lab.bodies(STAGING) == []
    lab.advance(8)
    lab.mq.commit()
    assert lab.depth(STAGING) == 1
    lab.advance(2)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 1)


@pytest.mark.seed("DD-06", "DD-35")
def test_a_commit_after_the_due_time_delivers_at_once(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.put_delayed("Q1", message(), b"", 10_000, cmqc.MQPMO_SYNCPOINT)
    lab.advance(3600)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 0)
    lab.mq.commit()
    assert lab.depth("Q1") == 1


@pytest.mark.seed("DD-36")
def test_a_backout_leaves_nothing_staged(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.put_delayed("Q1", message(), b"", 1000, cmqc.MQPMO_SYNCPOINT)
    lab.mq.backout()
    lab.advance(10)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 0)


@pytest.mark.seed("DD-33")
def test_a_unit_does_not_get_its_own_delayed_message(lab: Lab) -> None:
    queue = lab.local("Q1")
    lab.mq.put_delayed("Q1", message(), b"", 1000, cmqc.MQPMO_SYNCPOINT)
    lab.advance(2)
    assert nothing_on(queue)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("options", [0, cmqc.MQPMO_SYNCPOINT])
def test_a_staged_message_that_is_put_back_is_delivered_when_it_is_due(
    lab: Lab, options: int, late: bool
) -> None:
    """Or at once when that was meanwhile; what only looks like one is nobody's business."""
    queue = lab.local("Q1")
    lab.send("Q1", 5000, b"later")
    staged = lab.open(STAGING).get()
    lab.advance(6 if late else 1)
    lab.mq.put1(STAGING, staged.md, staged.body, options)
    lab.mq.put1(STAGING, staged.md, staged.body[: ddh.DDH_LENGTH], options)
    lab.mq.commit()
    if not late:
        lab.advance(3.999)
        assert (nothing_on(queue), lab.depth(STAGING)) == (True, 2)
        lab.advance(0.001)
    assert queue.get().body == b"later"
    lab.advance(3600)
    assert lab.depth(STAGING) == 1


@pytest.mark.seed("DD-43", "DD-47", "DD-56")
def test_the_staging_queue_comes_with_distributed_and_not_with_zos(lab: Lab, zos: Lab) -> None:
    assert lab.mq.queue(STAGING).kind == "QLOCAL"
    zos.local("Q1")
    with pytest.raises(ObjectNotFound) as error:
        zos.send("Q1", 1000)
    assert error.value.object_name == STAGING
    zos.put("Q1")


@pytest.mark.seed("DD-30", "DD-31", "DD-108")
def test_the_error_says_which_queue_is_full(lab: Lab) -> None:
    lab.local("Q1", MAXDEPTH=0)
    lab.local("Q2")
    with pytest.raises(QueueFull, match="Q1 holds"):
        lab.send("Q1", 1000)
    lab.mq.alter("QLOCAL", STAGING, {"MAXDEPTH": 0})
    with pytest.raises(QueueFull, match=f"{STAGING} holds"):
        lab.send("Q2", 1000)
    with pytest.raises(QueueFull, match="both Q1 and SYSTEM"):
        lab.send("Q1", 1000)
    assert lab.depth(STAGING) == 0


@pytest.mark.seed("DD-106", "DD-107", "DD-70")
def test_the_target_is_checked_at_the_send(lab: Lab) -> None:
    lab.local("SHUT", PUT="DISABLED")
    lab.local("SMALL", MAXMSGL=100)
    lab.local("LARGE", MAXMSGL=100_000)
    lab.mq.alter("QMGR", "", {"MAXMSGL": 50_000})
    for name, body, reason in (
        ("SHUT", b"", cmqc.MQRC_PUT_INHIBITED),
        ("SMALL", bytes(101), cmqc.MQRC_MSG_TOO_BIG_FOR_Q),
        ("LARGE", bytes(50_001), cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR),
        ("MISSING", b"", cmqc.MQRC_UNKNOWN_OBJECT_NAME),
    ):
        with pytest.raises(MQIError) as error:
            lab.send(name, 1000, body)
        assert error.value.reason == reason
    assert lab.depth(STAGING) == 0


def test_a_message_that_fits_its_target_but_not_the_staging_queue_is_refused(lab: Lab) -> None:
    lab.local("Q1", MAXMSGL=5000)
    lab.mq.alter("QLOCAL", STAGING, {"MAXMSGL": 5000})
    with pytest.raises(MQIError, match="with the delay header") as error:
        lab.send("Q1", 1000, bytes(5000))
    assert error.value.reason == cmqc.MQRC_MSG_TOO_BIG_FOR_Q


@pytest.mark.seed("DD-71")
def test_a_name_is_resolved_again_at_delivery(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("Q2")
    lab.mq.define("QALIAS", "A1", {"TARGET": "Q1"})
    lab.send("A1", 1000)
    lab.mq.alter("QALIAS", "A1", {"TARGET": "Q2"})
    lab.advance(1)
    assert (lab.depth("Q1"), lab.depth("Q2")) == (0, 1)


@pytest.mark.seed("DD-73", "DD-74")
def test_persistence_and_priority_are_fixed_at_the_send(lab: Lab) -> None:
    queue = lab.local("Q1", DEFPSIST="YES", DEFPRTY=7)
    lab.send("Q1", 1000, persistence=2, priority=-1)
    lab.mq.alter("QLOCAL", "Q1", {"DEFPSIST": "NO", "DEFPRTY": 2})
    lab.advance(1)
    got = queue.get().md
    assert (got.persistence, got.priority) == (1, 7)


@pytest.mark.seed("DD-75", "DD-76")
@pytest.mark.parametrize(("seconds", "remaining_tenths"), [(8, 120), (15, 50), (10, 100)])
def test_the_lifetime_runs_through_the_delay(lab: Lab, seconds: int, remaining_tenths: int) -> None:
    queue = lab.local("Q1")
    lab.send("Q1", 5000, expiry_tenths=200)
    lab.advance(seconds)
    assert queue.get().md.expiry_tenths == remaining_tenths


@pytest.mark.seed("DD-23", "DD-26", "DD-80")
def test_a_lifetime_may_equal_the_delay_and_the_message_never_arrives(lab: Lab) -> None:
    lab.local("Q1")
    with pytest.raises(MQIError) as error:
        lab.send("Q1", 5000, expiry_tenths=49)
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    lab.send("Q1", 5000, expiry_tenths=50)
    lab.advance(5)
    assert (lab.depth("Q1"), lab.depth(STAGING)) == (0, 0)


@pytest.mark.seed("DD-77", "DD-78")
def test_the_report_of_a_staged_message_is_about_the_original(lab: Lab) -> None:
    lab.local("Q1")
    replies = lab.local("REPLIES")
    lab.mq.alter("QLOCAL", STAGING, {"GET": "DISABLED"})
    sent = lab.send(
        "Q1",
        5000,
        b"original",
        expiry_tenths=60,
        report=cmqc.MQRO_EXPIRATION_WITH_FULL_DATA,
        reply_to_q="REPLIES",
    )
    lab.advance(10)
    lab.mq.alter("QLOCAL", STAGING, {"GET": "ENABLED"})
    list(lab.open(STAGING, cmqc.MQOO_BROWSE).browse())
    report = replies.get()
    assert (report.md.msg_type, report.md.feedback) == (cmqc.MQMT_REPORT, cmqc.MQFB_EXPIRATION)
    assert report.md.correl_id == sent.msg_id
    assert (report.body, report.md.format) == (b"original", "MQSTR")


@pytest.mark.seed("DD-79")
def test_without_the_option_a_staged_message_expires_silently(lab: Lab) -> None:
    lab.local("Q1")
    replies = lab.local("REPLIES")
    lab.send("Q1", 5000, expiry_tenths=50, reply_to_q="REPLIES")
    lab.advance(60)
    assert (lab.depth("Q1"), lab.depth(STAGING)) == (0, 0)
    assert nothing_on(replies)


def dead_letters(lab: Lab) -> None:
    lab.local("DLQ")
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})


def fill(lab: Lab, name: str) -> None:
    lab.mq.alter("QLOCAL", name, {"MAXDEPTH": 0})


@pytest.mark.seed("DD-94", "DD-109")
def test_a_failed_delivery_is_discarded_when_the_message_says_so(lab: Lab) -> None:
    lab.local("Q1")
    dead_letters(lab)
    lab.send("Q1", 1000, report=cmqc.MQRO_DISCARD_MSG)
    fill(lab, "Q1")
    lab.advance(1)
    assert (lab.depth(STAGING), lab.depth("DLQ")) == (0, 0)


@pytest.mark.seed("DD-95")
def test_a_failed_delivery_goes_to_the_dead_letter_queue(lab: Lab) -> None:
    lab.local("Q1")
    dead_letters(lab)
    lab.send("Q1", 1000, b"body", expiry_tenths=600, encoding=273, ccsid=819)
    fill(lab, "Q1")
    lab.advance(1)
    dead = lab.get("DLQ")
    header = dlh.decode(dead.body)
    assert isinstance(header, dlh.DLH)
    assert (header.reason, header.dest_q_name) == (cmqc.MQRC_Q_FULL, "Q1")
    assert (header.format, header.encoding, header.ccsid) == ("MQSTR", 273, 819)
    assert (dead.md.format, dead.md.expiry_tenths) == ("MQDEAD", 590)
    assert dead.body[header.length :] == b"body"


@pytest.mark.seed("DD-96", "DD-98")
def test_when_the_dead_letter_queue_refuses_too_it_is_tried_again_later(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("REPLIES")
    dead_letters(lab)
    lab.send("Q1", 1000, report=cmqc.MQRO_EXCEPTION, reply_to_q="REPLIES")
    fill(lab, "Q1")
    fill(lab, "DLQ")
    lab.advance(1)
    assert (lab.depth(STAGING), lab.depth("REPLIES")) == (1, 0)
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 10})
    lab.advance(60)
    assert (lab.depth(STAGING), lab.depth("Q1"), lab.depth("DLQ")) == (0, 1, 0)


@pytest.mark.seed("DD-96")
def test_years_of_tries_that_cannot_work_take_no_time_and_the_next_one_keeps_its_beat(
    lab: Lab,
) -> None:
    lab.local("Q1")
    lab.local("Q2")
    dead_letters(lab)
    t0 = lab.mq.now_us()
    lab.send("Q1", 1000)
    lab.send("Q1", 31_000, expiry_tenths=3 * 365 * 86_400 * 10)
    lab.send("Q2", 365 * 86_400_000)
    fill(lab, "Q1")
    fill(lab, "DLQ")
    lab.advance(2 * 365 * 86_400)
    assert (lab.depth(STAGING), lab.depth("Q1"), lab.depth("Q2")) == (2, 0, 1)
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 10})
    lab.advance(60)
    arrived = [
        us - t0 for us, in lab.mq.manager.store.execute(
            "SELECT put_us FROM message WHERE position >> 44 = ? ORDER BY position",
            (lab.mq.manager.queues["Q1"].id,),
        )
    ]  # fmt: skip
    assert [(us - 1_000_000) % 60_000_000 for us in arrived] == [0, 30_000_000]


@pytest.mark.seed("DD-97")
@pytest.mark.parametrize("discard", [0, cmqc.MQRO_DISCARD_MSG], ids=["dead-letter", "discard"])
def test_an_exception_report_follows_the_action_that_worked(lab: Lab, discard: int) -> None:
    lab.local("Q1")
    replies = lab.local("REPLIES")
    dead_letters(lab)
    sent = lab.send("Q1", 1000, report=cmqc.MQRO_EXCEPTION | discard, reply_to_q="REPLIES")
    fill(lab, "Q1")
    lab.advance(1)
    report = replies.get().md
    assert (report.feedback, report.correl_id) == (cmqc.MQRC_Q_FULL, sent.msg_id)
    assert lab.depth("DLQ") == (0 if discard else 1)


@pytest.mark.seed("DD-99")
def test_a_report_that_cannot_be_sent_goes_to_the_dead_letter_queue(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("REPLIES", MAXDEPTH=0)
    dead_letters(lab)
    lab.send("Q1", 1000, report=cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG, reply_to_q="REPLIES")
    fill(lab, "Q1")
    lab.advance(1)
    header = dlh.decode(lab.get("DLQ").body)
    assert isinstance(header, dlh.DLH)
    assert header.dest_q_name == "REPLIES"


@pytest.mark.seed("DD-100")
def test_a_persistent_message_stays_when_its_report_goes_nowhere(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("REPLIES", MAXDEPTH=0)
    dead_letters(lab)
    lab.send("Q1", 1000, report=cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG, reply_to_q="REPLIES")
    fill(lab, "Q1")
    fill(lab, "DLQ")
    lab.advance(1)
    assert lab.depth(STAGING) == 1
    lab.mq.alter("QLOCAL", "REPLIES", {"MAXDEPTH": 10})
    lab.advance(60)
    assert (lab.depth(STAGING), lab.depth("REPLIES"), lab.depth("Q1")) == (0, 1, 0)


@pytest.mark.seed("DD-101")
def test_a_non_persistent_message_goes_and_its_report_is_dropped(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("REPLIES", MAXDEPTH=0)
    dead_letters(lab)
    options = cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG
    lab.send("Q1", 1000, report=options, reply_to_q="REPLIES", persistence=0)
    fill(lab, "Q1")
    fill(lab, "DLQ")
    lab.advance(1)
    assert (lab.depth(STAGING), lab.depth("REPLIES"), lab.depth("DLQ")) == (0, 0, 0)


@pytest.mark.seed("DD-122", "DD-123")
def test_options_for_the_target_are_passed_on(lab: Lab) -> None:
    queue = lab.local("Q1")
    lab.local("REPLIES")
    lab.send("Q1", 1000, report=cmqc.MQRO_COD | cmqc.MQRO_PAN, reply_to_q="REPLIES")
    lab.advance(1)
    assert lab.depth("REPLIES") == 0
    assert queue.get().md.report == cmqc.MQRO_COD | cmqc.MQRO_PAN


@pytest.mark.seed("DD-93")
def test_put_disabled_on_distributed_stops_sends_and_not_the_processor(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 1000)
    lab.mq.alter("QLOCAL", STAGING, {"PUT": "DISABLED"})
    with pytest.raises(MQIError) as error:
        lab.send("Q1", 1000)
    assert error.value.reason == cmqc.MQRC_PUT_INHIBITED
    lab.advance(1)
    assert lab.depth("Q1") == 1


def test_get_disabled_stops_the_processor_until_it_is_enabled(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 1000)
    lab.mq.alter("QLOCAL", STAGING, {"GET": "DISABLED"})
    lab.advance(60)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (1, 0)
    assert "GET(DISABLED)" in lab.mq.insight.processor_problem()
    lab.mq.alter("QLOCAL", STAGING, {"GET": "ENABLED"})
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 1)


@pytest.mark.seed("DD-91")
def test_what_fell_due_while_stopped_is_delivered_after_the_start(lab: Lab) -> None:
    from mqtriage.emulator.admin import lifecycle

    lab.local("Q1")
    lab.send("Q1", 1000)
    lifecycle.stop(lab.mq.manager)
    lifecycle.advance(lab.mq.manager, 10_000_000)
    lifecycle.start(lab.mq.manager)
    lab.mq = lab.connect()
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 1)


def test_messages_are_delivered_in_the_order_of_their_due_times(lab: Lab) -> None:
    lab.local("Q1", MSGDLVSQ="FIFO")
    for delay_ms in (3000, 1000, 2000, 1000):
        lab.send("Q1", delay_ms, b"%d" % delay_ms)
    lab.advance(10)
    assert lab.bodies("Q1") == [b"1000", b"1000", b"2000", b"3000"]


def test_a_staged_message_can_be_taken_off_by_its_original_id(lab: Lab) -> None:
    lab.local("Q1")
    sent = lab.send("Q1", 30 * 86_400_000)
    taken = lab.open(STAGING, ALL).get(match=Match(correl_id=sent.msg_id))
    assert taken.md.correl_id == sent.msg_id
    lab.advance(31 * 86_400)
    assert lab.depth("Q1") == 0


def test_a_message_put_on_the_staging_queue_by_hand_stays_there(lab: Lab) -> None:
    lab.put(STAGING, b"not a delay header", format=ddh.DDH_FORMAT)
    lab.advance(3600)
    assert lab.depth(STAGING) == 1
    with pytest.raises(NoMessageAvailable):
        lab.open(STAGING, ALL).get(match=Match(correl_id=b"x" * 24))


def fails_full(lab: Lab, send: Callable[[], object]) -> bool:
    try:
        send()
    except QueueFull as failure:
        return failure.object_name == STAGING
    return False


@pytest.mark.seed("DD-30", "DD-34")
def test_sends_of_a_unit_of_work_take_their_room_on_the_staging_queue_at_once(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.alter("QLOCAL", STAGING, {"MAXDEPTH": 3})

    def send() -> MQMD:
        return lab.mq.put_delayed("Q1", message(), b"", 1000, cmqc.MQPMO_SYNCPOINT)

    for _ in range(3):
        send()
    assert fails_full(lab, send)
    lab.mq.commit()
    assert lab.depth(STAGING) == 3


@pytest.mark.seed("DD-34")
def test_no_send_of_another_takes_the_room_that_a_unit_of_work_has_taken(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.alter("QLOCAL", STAGING, {"MAXDEPTH": 3})
    other = lab.connect()
    lab.mq.put_delayed("Q1", message(), b"", 1000, cmqc.MQPMO_SYNCPOINT)
    other.put_delayed("Q1", message(), b"", 1000, cmqc.MQPMO_SYNCPOINT)
    lab.send("Q1", 1000)
    for backend in (lab.mq, other):
        send = partial(backend.put_delayed, "Q1", message(), b"", 1000, cmqc.MQPMO_SYNCPOINT)
        assert fails_full(lab, send)
    assert fails_full(lab, lambda: lab.send("Q1", 1000))
    assert fails_full(lab, lambda: lab.put(STAGING))
    other.backout()
    lab.send("Q1", 1000)
    lab.mq.commit()
    assert lab.depth(STAGING) == 3
