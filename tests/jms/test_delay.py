"""Delivery delay, as IBM's classes for JMS request it."""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.headers import ddh, rfh2
from tests.jms.conftest import At, Session
from tests.support.ibm_java import Thrown
from tests.unit.emulator.conftest import STAGING

API = ["context", "session"]


@pytest.fixture(params=API, ids=["JMSProducer", "MessageProducer"])
def sender(request: pytest.FixtureRequest, at: At) -> Session:
    """Both producers, so that each rule is shown for each of them."""
    return at.open(api=request.param)


@pytest.mark.seed("DD-01", "DD-02", "DD-07", "DD-12", "DD-13")
def test_a_delayed_message_is_nobodys_until_its_delay_is_over(at: At, sender: Session) -> None:
    queue = at.local()
    sent = sender.send(queue, "later", delay=1500)
    assert (at.depth(queue), at.staged()) == (0, 1)
    assert sender.receive(queue, wait=100) is None
    assert sender.browse(queue) == []
    at.advance(1.499)
    assert sender.receive(call="no-wait") is None
    at.advance(0.001)
    got = sender.receive()
    assert got is not None
    assert (got["text"], got["id"]) == ("later", sent["id"])
    assert (at.depth(queue), at.staged()) == (0, 0)


@pytest.mark.seed("DD-03", "DD-04")
def test_a_delay_set_once_goes_with_each_later_send(at: At, sender: Session) -> None:
    queue = at.local()
    sender.set(delay=2000)
    sender.send(queue)
    at.advance(1)
    sender.send(queue)
    assert at.staged() == 2
    at.advance(1)
    assert (at.depth(queue), at.staged()) == (1, 1)
    at.advance(1)
    assert at.depth(queue) == 2


@pytest.mark.seed("DD-03", "DD-13")
def test_a_producer_bound_to_its_queue_delays_as_well(at: At) -> None:
    queue = at.local()
    sender = at.open(api="session", to=queue)
    sender.send(queue, delay=1000)
    sender.send(queue, delay=0)
    assert (at.depth(queue), at.staged()) == (1, 1)
    at.advance(1)
    assert at.depth(queue) == 2


@pytest.mark.seed("DD-02", "DD-10")
def test_a_delay_of_58_days_is_more_than_32_bits_of_milliseconds(at: At) -> None:
    queue = at.local()
    at.open().send(queue, delay=5_000_000_000)
    header = ddh.decode(at.browse(STAGING)[0].body)
    assert isinstance(header, ddh.DDH) and header.tail is not None
    assert header.tail.delay_ms == 5_000_000_000


@pytest.mark.seed("DD-05", "DD-10", "DD-11", "DD-42", "DD-43", "DD-51", "DD-52", "DD-55")
def test_the_staged_message_says_delay_due_time_and_target(at: At) -> None:
    queue = at.local()
    now_us = at.lab.mq.now_us()
    jms = at.open()
    sent = jms.send(queue, delay=10_000, correlation="ID:" + "ab" * 24)
    staged = at.browse(STAGING)[0]
    header = ddh.decode(staged.body)
    assert isinstance(header, ddh.DDH) and header.tail is not None
    assert (header.tail.delay_ms, header.target_q) == (10_000, queue)
    assert header.time_us == now_us + 10_000_000
    assert staged.md.correl_id.hex() == sent["id"].removeprefix("ID:")
    assert staged.md.msg_id != staged.md.correl_id
    at.advance(10)
    got = jms.receive(queue)
    assert got is not None
    assert (got["id"], got["correlation"]) == (sent["id"], "ID:" + "ab" * 24)


@pytest.mark.seed("DD-13")
def test_what_arrives_is_what_was_sent_and_says_when_it_was_due(at: At) -> None:
    queue = at.local()
    jms = at.open()
    plain, late = jms.send(queue, "same"), jms.send(queue, "same", delay=3000)
    at.advance(3)
    first, second = at.browse(queue)
    same = {"format": "MQHRF2", "ccsid": first.md.ccsid, "encoding": first.md.encoding}
    assert {name: getattr(second.md, name) for name in same} == same
    assert rfh2.decode(second.body, 0, ">").folders[-1].name == "mqext"  # type: ignore[union-attr]
    got = [jms.receive(queue), jms.receive(queue)]
    assert [one and one["text"] for one in got] == ["same", "same"]
    assert got[1] is not None
    assert got[1]["delivery_time"] == late["delivery_time"]
    # IBM's client looks at its clock once for each of the two
    assert 0 <= got[1]["delivery_time"] - got[1]["timestamp"] - 3000 <= 50
    assert plain["delivery_time"] == plain["timestamp"]


@pytest.mark.seed("DD-06", "DD-34", "DD-35")
def test_a_transacted_delay_counts_from_the_send_and_stages_at_the_commit(at: At) -> None:
    queue = at.local()
    jms = at.open(mode="transacted")
    jms.send(queue, delay=10_000)
    assert at.staged() == 0
    at.advance(8)
    jms.commit()
    assert (at.depth(queue), at.staged()) == (0, 1)
    at.advance(2)
    assert at.depth(queue) == 1
    jms.send(queue, delay=1000)
    at.advance(3600)
    assert at.depth(queue) == 1
    jms.commit()
    at.advance(0)
    assert at.depth(queue) == 2


@pytest.mark.seed("DD-32", "DD-33")
def test_a_unit_of_work_gets_what_it_has_sent_but_not_with_a_delay(at: At) -> None:
    queue = at.local()
    jms = at.open(mode="transacted")
    jms.send(queue, "now")
    assert (jms.receive(queue) or {})["text"] == "now"
    jms.commit()
    jms.send(queue, "later", delay=1000)
    at.advance(2)
    assert jms.receive(call="no-wait") is None
    jms.commit()


@pytest.mark.seed("DD-36")
def test_a_rollback_leaves_nothing_staged(at: At) -> None:
    queue = at.local()
    jms = at.open(mode="transacted")
    jms.send(queue, delay=1000)
    jms.rollback()
    at.advance(2)
    assert (at.staged(), at.depth(queue)) == (0, 0)


@pytest.mark.seed("DD-08")
def test_one_staging_queue_serves_queues_and_topics(at: At) -> None:
    first, second = at.local(), at.local()
    subscriber = at.open("two")
    subscriber.consume("topic://delay/one")
    jms = at.open()
    jms.set(delay=1000, persistence=1)
    for target in (first, second, "topic://delay/one"):
        jms.send(target)
    assert at.staged() == 3
    at.advance(1)
    assert (at.depth(first), at.depth(second), at.staged()) == (1, 1, 0)
    assert subscriber.receive() is not None


@pytest.mark.seed("DD-09")
def test_a_delay_of_0_is_an_ordinary_send_also_without_a_staging_queue(at: At) -> None:
    queue = at.local()
    at.lab.mq.delete("QLOCAL", STAGING)
    try:
        at.open().send(queue, delay=0)
        assert at.depth(queue) == 1
    finally:
        at.mqsc(f"DEFINE QLOCAL({STAGING})")


@pytest.mark.seed("DD-15", "DD-16", "DD-30", "DD-106")
def test_the_interfaces_differ_in_the_exception_and_not_in_the_reason(at: At) -> None:
    queue = at.local(PUT="DISABLED")
    seen = []
    for number, api in enumerate(API):
        with pytest.raises(Thrown) as error:
            at.open(str(number), api=api).send(queue, delay=1000)
        seen.append((error.value.reason, error.value.checked))
    assert seen == [(cmqc.MQRC_PUT_INHIBITED, False), (cmqc.MQRC_PUT_INHIBITED, True)]
    assert at.staged() == 0


@pytest.mark.seed("DD-19", "DD-21", "DD-22", "DD-20")
def test_a_clustered_target_takes_delays_when_it_is_not_bound(at: At, sender: Session) -> None:
    bound = at.local(CLUSTER="CL1", DEFBIND="OPEN")
    sender.set(delay=1000)
    with pytest.raises(Thrown) as error:
        sender.send(bound)
    assert error.value.reason == cmqc.MQRC_OPTIONS_ERROR
    assert at.staged() == 0
    sender.send(at.local(CLUSTER="CL1", DEFBIND="NOTFIXED"))
    sender.send(at.local(DEFBIND="OPEN"))
    assert at.staged() == 2


@pytest.mark.seed("DD-27")
def test_a_time_to_live_of_0_has_no_end_and_a_delay_of_0_is_none(at: At, sender: Session) -> None:
    queue = at.local()
    sender.send(queue, delay=5000, ttl=0)
    assert at.browse(STAGING)[0].md.expiry_tenths == -1
    sender.send(queue, delay=0, ttl=1)
    assert at.depth(queue) == 1


@pytest.mark.seed("DD-25")
@pytest.mark.parametrize("ttl", [4999, 5000], ids=["below", "equal"])
@pytest.mark.parametrize("first", ["delay", "ttl"])
def test_a_time_to_live_that_does_not_exceed_the_delay_is_refused_by_the_send(
    at: At, sender: Session, first: str, ttl: int
) -> None:
    """Not by the setter, with JMSCC0113 and no reason of MQ's; and also where both are equal."""
    values = {"delay": 5000, "ttl": ttl}
    sender.set(**{first: values.pop(first)})
    sender.set(**values)
    queue = at.local()
    with pytest.raises(Thrown) as error:
        sender.send(queue)
    assert (error.value.code, error.value.reason) == ("JMSCC0113", 0)
    assert (at.staged(), at.depth(queue)) == (0, 0)


@pytest.mark.seed("DD-25")
def test_a_time_to_live_given_with_the_send_is_checked_by_the_send(at: At) -> None:
    queue = at.local()
    jms = at.open(api="session")
    with pytest.raises(Thrown) as error:
        jms.send(queue, delay=5000, sendttl=4999)
    assert (error.value.code, error.value.checked) == ("JMSCC0113", True)
    assert (at.staged(), at.depth(queue)) == (0, 0)


@pytest.mark.seed("DD-28")
def test_a_retained_publication_cannot_be_delayed(at: At, sender: Session) -> None:
    with pytest.raises(Thrown) as error:
        sender.send("topic://delay/retained", delay=1000, persistence=1,
                    properties={"JMS_IBM_Retain": 1})  # fmt: skip
    assert error.value.code == "JMSCC0114"  # the client sees to it, without a reason of MQ's
    assert at.staged() == 0


@pytest.mark.seed("DD-29")
def test_a_message_of_a_group_cannot_be_delayed(at: At, sender: Session) -> None:
    queue = at.local()
    group = {"JMSXGroupID": "group", "JMSXGroupSeq": 1}
    with pytest.raises(Thrown) as error:
        sender.send(queue, delay=1000, properties=group)
    assert error.value.code == "JMSCC0115"  # the client sees to it, without a reason of MQ's
    sender.send(queue, delay=0, properties=group)
    assert (at.staged(), at.depth(queue)) == (0, 1)


@pytest.mark.seed("DD-30", "DD-107", "DD-108")
def test_what_the_target_would_refuse_the_send_refuses(at: At, sender: Session) -> None:
    for queue, reason in (
        (at.full(), cmqc.MQRC_Q_FULL),
        (at.local(MAXMSGL=100), cmqc.MQRC_MSG_TOO_BIG_FOR_Q),
        (at.local(PUT="DISABLED"), cmqc.MQRC_PUT_INHIBITED),
        ("NO.SUCH.QUEUE", cmqc.MQRC_UNKNOWN_OBJECT_NAME),
    ):
        with pytest.raises(Thrown) as error:
            sender.send(queue, "x" * 200, delay=1000)
        assert error.value.reason == reason, queue
    assert at.staged() == 0


@pytest.mark.seed("DD-30", "DD-93")
def test_a_staging_queue_that_takes_nothing_fails_the_send(at: At) -> None:
    queue = at.local()
    jms = at.open()
    at.alter(STAGING, PUT="DISABLED")
    try:
        with pytest.raises(Thrown) as error:
            jms.send(queue, delay=1000)
    finally:
        at.alter(STAGING, PUT="ENABLED")
    assert error.value.reason == cmqc.MQRC_PUT_INHIBITED
    assert (at.staged(), at.depth(queue)) == (0, 0)


@pytest.mark.seed("DD-70", "DD-71")
def test_the_name_is_resolved_by_the_send_and_again_when_it_is_due(at: At) -> None:
    first, second = at.local(), at.local()
    at.mqsc(f"DEFINE QALIAS(ALIAS.{first}) TARGET({first})")
    at.open().send(f"ALIAS.{first}", delay=1000)
    at.mqsc(f"ALTER QALIAS(ALIAS.{first}) TARGET({second})")
    at.advance(1)
    assert (at.depth(first), at.depth(second)) == (0, 1)


@pytest.mark.seed("DD-73", "DD-74")
def test_persistence_and_priority_as_the_queue_says_are_settled_by_the_send(at: At) -> None:
    queue = at.local(DEFPSIST="YES", DEFPRTY=7)
    at.open().send(f"queue:///{queue}?persistence=-1&priority=-1", delay=1000)
    at.alter(queue, DEFPSIST="NO", DEFPRTY=2)
    at.advance(1)
    (message,) = at.browse(queue)
    assert (message.md.persistence, message.md.priority) == (1, 7)


@pytest.mark.seed("DD-75", "DD-76")
def test_the_lifetime_goes_on_while_the_message_is_staged(at: At) -> None:
    queue = at.local()
    sender, reader = at.open(), at.connect()
    sender.set(delay=5000, ttl=20_000)
    sender.send(queue, "first")
    sender.send(queue, "second")
    at.advance(10)
    assert (reader.get(queue) or {})["expiry"] == 100
    at.advance(5)
    assert (reader.get(queue) or {})["expiry"] == 50


@pytest.mark.seed("DD-77", "DD-78", "DD-79")
@pytest.mark.parametrize("asked", [True, False], ids=["report", "none"])
def test_a_staged_message_that_expires_is_reported_as_it_was_sent(at: At, asked: bool) -> None:
    """It waits longer than it should, since the processor may not get it."""
    queue, replies = at.local(), at.local()
    report = {"JMS_IBM_Report_Expiration": cmqc.MQRO_EXPIRATION_WITH_FULL_DATA} if asked else {}
    at.alter(STAGING, GET="DISABLED")
    sent = at.open().send(queue, "doomed", delay=5000, ttl=6000, reply=replies, properties=report)
    at.advance(10)
    at.alter(STAGING, GET="ENABLED")
    assert at.browse(STAGING) == []
    seen = [(one.md.correl_id.hex(), one.md.feedback, one.md.msg_type, one.md.format,
             one.body.endswith(b"doomed")) for one in at.browse(replies)]  # fmt: skip
    assert seen == [(sent["id"].removeprefix("ID:"), 258, 4, "MQHRF2", True)] * asked


@pytest.mark.seed("DD-94", "DD-109")
def test_a_due_message_that_says_so_is_discarded_when_its_target_is_full(at: At) -> None:
    dead, queue = at.dead_letter_queue(), at.local(MAXDEPTH=1)
    jms = at.open()
    jms.send(queue, delay=1000, properties={"JMS_IBM_Report_Discard_Msg": cmqc.MQRO_DISCARD_MSG})
    jms.send(queue, delay=0)
    at.advance(1)
    assert (at.depth(queue), at.staged(), at.depth(dead)) == (1, 0, 0)


@pytest.mark.seed("DD-95", "DD-97")
def test_any_other_goes_to_the_dead_letter_queue_and_is_reported(at: At) -> None:
    dead, queue, replies = at.dead_letter_queue(), at.local(MAXDEPTH=1), at.local()
    jms = at.open()
    sent = jms.send(queue, delay=1000, reply=replies,
                    properties={"JMS_IBM_Report_Exception": cmqc.MQRO_EXCEPTION})  # fmt: skip
    jms.send(queue, delay=0)
    at.advance(1)
    assert (at.staged(), at.depth(dead)) == (0, 1)
    assert at.browse(dead)[0].md.format == "MQDEAD"
    report = at.connect().get(replies)
    assert report is not None
    assert (report["type"], report["feedback"]) == (4, cmqc.MQRC_Q_FULL)
    assert report["correlation"] == sent["id"].removeprefix("ID:")


@pytest.mark.seed("DD-96", "DD-98")
def test_with_both_full_it_stays_and_is_tried_again(at: At) -> None:
    dead, queue, replies = at.dead_letter_queue(MAXDEPTH=1), at.local(MAXDEPTH=1), at.local()
    at.lab.put(dead)
    jms = at.open()
    jms.send(queue, "waits", delay=1000, reply=replies,
             properties={"JMS_IBM_Report_Exception": cmqc.MQRO_EXCEPTION})  # fmt: skip
    jms.send(queue, "first", delay=0)
    at.advance(1)
    assert (at.staged(), at.depth(replies)) == (1, 0)
    assert (jms.receive(queue) or {})["text"] == "first"
    at.advance(120)
    assert (jms.receive(queue) or {})["text"] == "waits"
    assert at.staged() == 0


@pytest.mark.seed("DD-99")
def test_a_report_that_finds_no_room_goes_to_the_dead_letter_queue(at: At) -> None:
    dead, queue, replies = at.dead_letter_queue(), at.local(MAXDEPTH=1), at.full()
    jms = at.open()
    jms.send(queue, delay=1000, reply=replies, properties={
        "JMS_IBM_Report_Exception": cmqc.MQRO_EXCEPTION,
        "JMS_IBM_Report_Discard_Msg": cmqc.MQRO_DISCARD_MSG})  # fmt: skip
    jms.send(queue, delay=0)
    at.advance(1)
    assert (at.staged(), at.depth(queue), at.depth(replies)) == (0, 1, 1)
    assert [one.md.msg_type for one in at.browse(dead)] == [cmqc.MQMT_REPORT]


@pytest.mark.seed("DD-100", "DD-101")
@pytest.mark.parametrize("persistence", [2, 1], ids=["persistent", "non-persistent"])
def test_a_persistent_message_waits_for_its_report_and_another_goes_without(
    at: At, persistence: int
) -> None:
    at.lab.put(at.dead_letter_queue(MAXDEPTH=1))
    queue, replies = at.local(MAXDEPTH=1), at.full()
    jms = at.open()
    jms.send(queue, delay=1000, reply=replies, persistence=persistence, properties={
        "JMS_IBM_Report_Exception": cmqc.MQRO_EXCEPTION,
        "JMS_IBM_Report_Discard_Msg": cmqc.MQRO_DISCARD_MSG})  # fmt: skip
    jms.send(queue, delay=0)
    at.advance(1)
    assert (at.staged(), at.depth(replies)) == (int(persistence == 2), 1)


@pytest.mark.seed("DD-92")
def test_after_a_failure_that_passes_the_processor_goes_on(at: At) -> None:
    queue, jms = at.local(), at.open()
    for number in range(3):
        jms.send(queue, f"{number}", delay=1000)
    at.lab.switch("fault.processor", "recoverable")
    at.advance(1)
    assert [(jms.receive(queue) or {})["text"] for _ in range(3)] == list("012")
    assert at.staged() == 0


@pytest.mark.seed("DD-72", "DD-110", "DD-111", "DD-112")
def test_a_publication_is_matched_by_the_send_and_staged_once_for_each(at: At) -> None:
    topic = "topic://delay/matched"
    early = [at.open(str(number)) for number in range(3)]
    for subscriber in early:
        subscriber.consume(topic)
    publisher = at.open("publisher")
    publisher.send(topic, "to three", delay=1000, persistence=1)
    late = at.open("late")
    late.consume(topic)
    assert at.staged() == 3
    assert early[0].receive(call="no-wait") is None
    at.advance(1)
    assert [(one.receive() or {})["text"] for one in early] == ["to three"] * 3
    assert late.receive(call="no-wait") is None
    assert at.staged() == 0


@pytest.mark.seed("DD-102")
def test_a_publication_to_somebody_who_unsubscribed_is_dropped(at: At) -> None:
    dead = at.dead_letter_queue()
    subscriber = at.open(**{"client-id": "leaver"})
    subscriber.consume("topic://delay/left", kind="durable", name="left")
    at.open("two").send("topic://delay/left", delay=1000, persistence=1)
    assert at.staged() == 1
    subscriber.run("close-consumer")
    subscriber.run("unsubscribe", name="left")
    at.advance(1)
    assert (at.staged(), at.depth(dead)) == (0, 0)


@pytest.mark.seed("DD-104")
def test_its_publisher_hears_of_it_where_a_report_is_asked_for(at: At) -> None:
    dead, replies = at.dead_letter_queue(), at.local()
    subscriber = at.open(**{"client-id": "leaver"})
    subscriber.consume("topic://delay/reported", kind="durable", name="reported")
    at.open("two").send("topic://delay/reported", delay=1000, persistence=1, reply=replies,
                        properties={"JMS_IBM_Report_Exception": cmqc.MQRO_EXCEPTION})  # fmt: skip
    subscriber.run("close-consumer")
    subscriber.run("unsubscribe", name="reported")
    at.advance(1)
    assert (at.staged(), at.depth(dead)) == (0, 0)
    assert [one.md.feedback for one in at.browse(replies)] == [cmqc.MQRC_NO_SUBSCRIPTION]


@pytest.mark.seed("DD-105", "DD-119")
@pytest.mark.parametrize("room", [True, False], ids=["dead-letter-queue", "none"])
def test_a_publication_that_its_subscriber_has_no_room_for(at: At, room: bool) -> None:
    """It goes to the dead-letter queue as any message; if that is full too it is dropped."""
    dead = at.dead_letter_queue(MAXDEPTH=1)
    if not room:
        at.lab.put(dead)
    topic, model = f"delay/narrow/{dead}", f"M.{dead}"
    at.mqsc(
        f"DEFINE QMODEL({model}) DEFTYPE(TEMPDYN) MAXDEPTH(1)\n"
        f"DEFINE TOPIC(T.{dead}) TOPICSTR('{topic}') MNDURMDL({model})"
    )
    subscriber, publisher = at.open(), at.open("publisher")
    subscriber.consume(f"topic://{topic}")
    publisher.send(f"topic://{topic}", "late", delay=1000, persistence=1)
    publisher.send(f"topic://{topic}", "first", delay=0, persistence=1)
    at.advance(1)
    assert (at.staged(), at.depth(dead)) == (0, 1)
    assert (at.browse(dead)[0].md.format == "MQDEAD") is room
    assert (subscriber.receive() or {})["text"] == "first"
    at.advance(3600)
    assert subscriber.receive(call="no-wait") is None


@pytest.mark.seed("DD-103")
def test_so_is_one_to_a_consumer_that_closed(at: At) -> None:
    dead = at.dead_letter_queue()
    subscriber = at.open()
    subscriber.consume("topic://delay/closed")
    at.open("two").send("topic://delay/closed", delay=1000, persistence=1)
    subscriber.close()
    at.advance(1)
    assert (at.staged(), at.depth(dead)) == (0, 0)


@pytest.mark.seed("DD-116", "DD-117", "DD-118")
def test_by_default_a_persistent_delayed_publication_is_refused(at: At) -> None:
    jms = at.open()
    jms.consume("topic://delay/persistent")
    with pytest.raises(Thrown) as error:
        jms.send("topic://delay/persistent", delay=1000, persistence=2)
    assert error.value.reason == cmqc.MQRC_PUBLICATION_FAILURE
    jms.send("topic://delay/persistent", delay=0, persistence=2)
    assert jms.receive() is not None
    at.mqsc("DEFINE TOPIC(DELAY.ALL) TOPICSTR('delay/all') PMSGDLV(ALLAVAIL)")
    jms.consume("topic://delay/all")
    jms.send("topic://delay/all", delay=1000, persistence=2)
    assert at.staged() == 1


@pytest.mark.seed("DD-121", "DD-122", "DD-123")
def test_confirmations_are_of_the_target_and_not_of_the_staging(at: At) -> None:
    queue, replies = at.local(), at.local()
    jms = at.open()
    sent = jms.send(queue, delay=1000, reply=replies, properties={
        "JMS_IBM_Report_COA": cmqc.MQRO_COA, "JMS_IBM_Report_COD": cmqc.MQRO_COD,
        "JMS_IBM_Report_PAN": cmqc.MQRO_PAN, "JMS_IBM_Report_NAN": cmqc.MQRO_NAN})  # fmt: skip
    assert at.depth(replies) == 0
    at.advance(1)
    assert (
        at.browse(queue)[0].md.report
        == cmqc.MQRO_COA | cmqc.MQRO_COD | cmqc.MQRO_PAN | cmqc.MQRO_NAN
    )
    (arrival,) = at.browse(replies)
    assert (arrival.md.feedback, arrival.md.correl_id.hex()) == (259, sent["id"][3:])
    assert jms.receive(queue) is not None
    assert [one.md.feedback for one in at.browse(replies)] == [259, 260]


@pytest.mark.seed("DD-120")
def test_an_expiration_report_is_made_of_a_message_that_its_target_lets_expire(at: At) -> None:
    queue, replies = at.local(), at.local()
    at.open().send(queue, delay=1000, ttl=3000, reply=replies,
                   properties={"JMS_IBM_Report_Expiration": cmqc.MQRO_EXPIRATION})  # fmt: skip
    at.advance(4)
    assert at.open("two").browse(queue) == []
    assert [one.md.feedback for one in at.browse(replies)] == [258]


@pytest.mark.seed("DD-53", "DD-54")
def test_a_message_with_a_far_too_long_delay_is_taken_back_by_its_id(at: At) -> None:
    queue = at.local()
    sent = at.open().send(queue, delay=30 * 24 * 3600 * 1000)
    reader = at.connect()
    msg_id = bytes.fromhex(sent["id"].removeprefix("ID:"))
    got = reader.get(STAGING, correlation=msg_id.decode("latin-1"))
    assert got is not None
    assert got["correlation"] == msg_id.hex()
    assert reader.get(STAGING) is None
    at.advance(31 * 24 * 3600)
    assert at.depth(queue) == 0
