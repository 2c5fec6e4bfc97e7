"""The ten rows most likely to be got wrong, and the six runners-up: TRAP-01 to TRAP-16.

What an existing test already shows is marked there; this is the index.

========  =======================================================================================
TRAP-01   here
TRAP-02   test_delay_reports: the worked example counts from the put
TRAP-03   here; test_delay_reports: the ends; test_delay_pubsub: lost where a message waits
TRAP-04   here
TRAP-05   test_delay_pubsub: on defaults a persistent delayed publication fails
TRAP-06   clients/test_contradictions: equal counts and zero is off
TRAP-07   clients/test_contradictions: the same failure loses, returns or keeps
TRAP-08   clients/test_contradictions: jms asks late; the managed queue counts
TRAP-09   here
TRAP-10   here
TRAP-11   runner-up, here: queues resolve twice, subscriptions once
TRAP-12   runner-up, here; test_delay_processor: an error until PUT went off and on
TRAP-13   runner-up, clients/test_backout_message: expiry is what was left at the receipt
TRAP-14   runner-up, clients/test_inquiry: versions are compared by stream
TRAP-15   runner-up, tests/acceptance/messages/test_expired: a sweep sends the reports
TRAP-16   runner-up, test_delay_jms: a time to live equal to the delay never arrives
========  =======================================================================================
"""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.backends.port import Match
from mqtriage.emulator.pubsub import publications, subscriptions
from mqtriage.mq import cmqc
from mqtriage.mq.delay import ZOS_STAGING
from mqtriage.mq.headers import ddh
from tests.unit.emulator.conftest import STAGING, Lab, message, nothing_on
from tests.unit.emulator.shared.test_xmitq import check, inner_of, put, transmitted


@pytest.mark.seed("DD-06", "DD-34", "TRAP-01")
def test_the_delay_runs_from_the_send_and_the_staging_begins_at_the_commit(lab: Lab) -> None:
    """A delay counted from the commit would end at 14 s, a message staged at the send is seen."""
    lab.local("Q1")
    t0 = lab.mq.now_us()
    lab.mq.put_delayed("Q1", message(), b"", 10_000, cmqc.MQPMO_SYNCPOINT)
    lab.advance(3.999)
    assert (lab.depth(STAGING), lab.bodies(STAGING)) == (0, [])
    lab.advance(0.001)
    lab.mq.commit()
    (staged,) = lab.bodies(STAGING)
    header = ddh.decode(staged)
    assert isinstance(header, ddh.DDH)
    assert header.time_us == t0 + 10_000_000
    lab.advance(5.999)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (1, 0)
    lab.advance(0.001)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 1)


@pytest.mark.seed("DD-96", "DD-100", "DD-101", "DD-105", "TRAP-03")
def test_four_messages_that_fail_twice_come_to_four_different_ends(lab: Lab) -> None:
    """Side by side: only the ones that wait are there again when there is room."""
    lab.mq.define("TOPIC", "NEWS", {"TOPICSTR": "news", "PMSGDLV": "ALLAVAIL"})
    names = ("P2P", "REPORTED", "FAST", "DLQ", "REPLIES")
    for name in names:
        lab.local(name)
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})
    subscription = subscriptions.subscribe(lab.mq.connection, "news", name="S1", durable=True)
    asked: dict[str, Any] = {
        "report": cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG,
        "reply_to_q": "REPLIES",
    }
    lab.send("P2P", 1000)
    lab.send("REPORTED", 1000, **asked)
    lab.send("FAST", 1000, persistence=0, **asked)
    publications.send(lab.mq.connection, "news", message(), b"", 0, delay_ms=1000)
    assert lab.depth(STAGING) == 4
    for name in (*names, subscription.destination):
        lab.mq.alter("QLOCAL", name, {"MAXDEPTH": 0})
    lab.advance(1)
    staged = [ddh.decode(body) for body in lab.bodies(STAGING)]
    waiting = [header.target_q for header in staged if isinstance(header, ddh.DDH)]
    assert waiting == ["P2P", "REPORTED"]
    for name in (*names, subscription.destination):
        lab.mq.alter("QLOCAL", name, {"MAXDEPTH": 5})
    lab.advance(60)
    depths = {name: lab.depth(name) for name in (*names, subscription.destination, STAGING)}
    assert [name for name, depth in depths.items() if depth] == ["P2P", "REPORTED"]


@pytest.mark.seed("DD-121", "DD-122", "DD-77", "DD-120", "TRAP-04")
def test_every_report_names_the_original_and_none_the_staged_copy(lab: Lab) -> None:
    """COA and COD once each, for the target; exception and expiration about what was sent."""
    for name in ("Q1", "FULL", "DLQ", "REPLIES"):
        lab.local(name)
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})
    options: dict[str, Any] = {"reply_to_q": "REPLIES", "correl_id": b"c" * 24}
    arrives = lab.send("Q1", 5000, report=cmqc.MQRO_COA | cmqc.MQRO_COD, **options)
    fails = lab.send("FULL", 5000, report=cmqc.MQRO_EXCEPTION | cmqc.MQRO_COA, **options)
    dies = lab.send("Q1", 5000, report=cmqc.MQRO_EXPIRATION, expiry_tenths=50, **options)
    staged_ids = {m.md.msg_id for m in lab.open(STAGING, cmqc.MQOO_BROWSE).browse()}
    assert len(staged_ids) == 3
    assert lab.depth("REPLIES") == 0
    lab.mq.alter("QLOCAL", "FULL", {"MAXDEPTH": 0})
    lab.advance(5)
    lab.get("Q1")
    reports = [m.md for m in lab.open("REPLIES", cmqc.MQOO_BROWSE).browse()]
    assert sorted((md.feedback, md.correl_id) for md in reports) == sorted(
        [
            (cmqc.MQFB_COA, arrives.msg_id),
            (cmqc.MQFB_COD, arrives.msg_id),
            (cmqc.MQRC_Q_FULL, fails.msg_id),
            (cmqc.MQFB_EXPIRATION, dies.msg_id),
            (cmqc.MQFB_COA, fails.msg_id),  # its target was the dead-letter queue in the end
        ]
    )
    assert not staged_ids & {md.correl_id for md in reports}


@pytest.mark.seed("EX-11", "EX-12", "EX-15", "TRAP-09")
def test_a_browse_alone_discards_a_late_expired_message_of_higher_priority_and_reports(
    lab: Lab,
) -> None:
    queue = lab.local("Q1")
    lab.local("REPLIES")
    reported: dict[str, Any] = {
        "report": cmqc.MQRO_EXPIRATION,
        "reply_to_q": "REPLIES",
        "expiry_tenths": 1,
    }
    queue.put(message(priority=5), b"alive")
    late = queue.put(message(priority=9, **reported), b"late")
    lab.advance(1)
    assert lab.bodies("Q1") == [b"alive"]
    assert (lab.depth("Q1"), lab.depth("REPLIES")) == (1, 1)
    assert lab.get("REPLIES").md.correl_id == late.msg_id
    assert queue.get().body == b"alive"
    for _ in range(3):  # and where nothing at all is alive
        queue.put(message(**reported), b"")
    lab.advance(1)
    assert lab.bodies("Q1") == []
    assert (lab.depth("Q1"), lab.depth("REPLIES")) == (0, 3)


@pytest.mark.seed("EX-13", "TRAP-09")
@pytest.mark.parametrize("browse", [False, True], ids=["get", "browse"])
def test_what_does_not_match_is_neither_discarded_nor_reported(lab: Lab, browse: bool) -> None:
    queue = lab.local("Q1", MSGDLVSQ="FIFO")
    lab.local("REPLIES")
    reported: dict[str, Any] = {
        "report": cmqc.MQRO_EXPIRATION,
        "reply_to_q": "REPLIES",
        "expiry_tenths": 1,
    }
    for letter in (b"a", b"b"):
        queue.put(message(correl_id=letter * 24, **reported), b"")
    lab.advance(1)
    match = Match(correl_id=b"b" * 24)
    if browse:
        assert list(queue.browse(match)) == []
    else:
        with pytest.raises(Exception, match="2033"):
            queue.get(match=match)
    assert (lab.depth("Q1"), lab.depth("REPLIES")) == (1, 1)
    assert nothing_on(queue)
    assert (lab.depth("Q1"), lab.depth("REPLIES")) == (0, 2)


@pytest.mark.seed("EX-40", "EX-41", "EX-60", "EX-63", "EX-18", "TRAP-10")
def test_a_rollback_brings_back_the_message_and_neither_what_expired_nor_the_tenths_taken_off(
    lab: Lab,
) -> None:
    """Both lifetimes are computed at each retrieval; taking them off the stored ones counts twice.

    The embedded one stands in the body's bytes 120 to 124 and stops at 0; the outer one is 1 as
    long as anything is left of it.
    """
    lab.local("REPLIES")
    lab.mq.define("QLOCAL", "QM2", {"USAGE": "XMITQ", "MSGDLVSQ": "FIFO"})
    check(lab, "none")
    lab.put("QM2", b"gone", expiry_tenths=50, report=cmqc.MQRO_EXPIRATION, reply_to_q="REPLIES")
    put(lab, "QM2", 600, transmitted(250))
    lab.advance(10)
    handle = lab.open("QM2")
    seen = []
    for _ in range(3):
        received = handle.get(cmqc.MQGMO_SYNCPOINT)
        seen.append((received.md.expiry_tenths, inner_of(received.body)))
        lab.mq.backout()
        assert (lab.depth("QM2"), lab.depth("REPLIES")) == (1, 1)
        lab.advance(10)
    assert seen == [(500, 150), (400, 50), (300, 0)]
    lab.advance(19.95)
    received = handle.get(cmqc.MQGMO_SYNCPOINT)
    assert (received.md.expiry_tenths, inner_of(received.body)) == (1, 0)
    lab.mq.backout()
    lab.advance(0.05)
    assert nothing_on(handle)


@pytest.mark.seed("DD-71", "DD-72", "TRAP-11")
def test_between_send_and_delivery_a_name_may_lead_elsewhere_and_a_subscriber_comes_too_late(
    lab: Lab,
) -> None:
    for name in ("Q1", "Q2", "QS1", "QS2"):
        lab.local(name)
    lab.mq.define("QALIAS", "A1", {"TARGET": "Q1"})
    early = subscriptions.subscribe(lab.mq.connection, "news", name="S1", durable=True)
    lab.send("A1", 1000)
    publications.send(lab.mq.connection, "news", message(persistence=0), b"", 0, delay_ms=1000)
    lab.mq.alter("QALIAS", "A1", {"TARGET": "Q2"})
    late = subscriptions.subscribe(lab.mq.connection, "news", name="S2", durable=True)
    lab.advance(1)
    assert (lab.depth("Q1"), lab.depth("Q2")) == (0, 1)
    assert (lab.depth(early.destination), lab.depth(late.destination)) == (1, 0)


@pytest.mark.seed("DD-88", "DD-89", "TRAP-12")
def test_put_off_and_on_does_not_cure_a_stop_by_get_disabled(zos: Lab) -> None:
    """The other half, that GET off and on does not cure an error, is in test_delay_processor."""
    zos.local("Q1")
    zos.mq.define("QLOCAL", STAGING, ZOS_STAGING)
    zos.send("Q1", 1000)
    zos.mq.alter("QLOCAL", STAGING, {"GET": "DISABLED"})
    zos.advance(1)
    for value in ("DISABLED", "ENABLED"):
        zos.mq.alter("QLOCAL", STAGING, {"PUT": value})
    zos.advance(60)
    assert (zos.depth(STAGING), zos.depth("Q1")) == (1, 0)
    zos.mq.alter("QLOCAL", STAGING, {"GET": "ENABLED"})
    assert (zos.depth(STAGING), zos.depth("Q1")) == (0, 1)
