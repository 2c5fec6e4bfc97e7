"""Delayed sends as a JMS client makes them: every restriction, where it is raised, its reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.emulator.clients.jms import JmsSession
from mqtriage.emulator.core.put import put, staging
from mqtriage.emulator.core.tables import publications
from mqtriage.emulator.pubsub import subscriptions
from mqtriage.messages.decoded import chain_of
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, UsageError
from mqtriage.mq.headers import ddh, rfh2
from mqtriage.mq.headers.mqext import sender_delay
from mqtriage.mq.headers.rfh2 import RFH2
from mqtriage.mq.message import Message
from tests.support.jms_consumers import JMSConsumer
from tests.support.jms_producer import (
    AS_DESTINATION,
    GROUP_ID,
    NON_PERSISTENT,
    RETAIN,
    RETAIN_PUBLICATION,
    JMSError,
    JMSException,
    JMSMessage,
    JMSProducer,
    JMSQueue,
    JMSRuntimeException,
    JMSTopic,
    MessageProducer,
    Session,
)
from tests.unit.emulator.conftest import STAGING, Lab, message, nothing_on

Q1 = JMSQueue("Q1")
HELLO = JMSMessage("hello")


def jms_delivery_time_ms(message: Message) -> int | None:
    """getJMSDeliveryTime(): milliseconds since 1970 UTC, by the sender's clock; None for none."""
    headers = (header.record for header in chain_of(message).headers)
    sender = next((sender_delay(header) for header in headers if isinstance(header, RFH2)), None)
    return None if sender is None else sender.delivery_time_ms


class Sender:
    """Both producers under one set of words, so that each rule is shown for each of them."""

    def __init__(self, kind: type[MessageProducer] | type[JMSProducer], session: Session) -> None:
        self.producer = kind(session)
        self.error = kind.error

    def send(
        self,
        where: JMSQueue | JMSTopic = Q1,
        what: JMSMessage = HELLO,
        ttl_ms: int | None = None,
    ) -> MQMD:
        """Send; a time to live goes with the send where the interface has it there."""
        if isinstance(self.producer, MessageProducer):
            return self.producer.send(what, where, time_to_live_ms=ttl_ms)
        if ttl_ms is not None:
            self.producer.set_time_to_live(ttl_ms)
        return self.producer.send(where, what)


@pytest.fixture(params=[MessageProducer, JMSProducer], ids=["MessageProducer", "JMSProducer"])
def sender(request: pytest.FixtureRequest, lab: Lab) -> Sender:
    return Sender(request.param, Session(lab.mq.connection))


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Lab]:
    old_lab = Lab(tmp_path / "old", version="7.5")
    yield old_lab
    old_lab.close()


@pytest.mark.seed("DD-03", "DD-04")
def test_a_delay_set_once_goes_with_each_later_send(lab: Lab, sender: Sender) -> None:
    queue = lab.local("Q1")
    sender.producer.set_delivery_delay(2000)
    sender.send()
    lab.advance(1)
    sender.send()
    assert lab.depth(STAGING) == 2
    lab.advance(0.999)
    assert lab.depth("Q1") == 0
    lab.advance(0.001)
    assert (lab.depth("Q1"), lab.depth(STAGING)) == (1, 1)
    lab.advance(1)
    assert lab.depth("Q1") == 2
    got = queue.get()
    header = rfh2.decode(got.body, 0, ">")
    assert isinstance(header, rfh2.RFH2)
    assert got.md.format == "MQHRF2"
    assert rfh2.properties([header])["jms.Dst"] == "queue:///Q1"
    assert got.body.endswith(b"hello")


@pytest.mark.seed("DD-09")
def test_a_delay_of_0_is_an_ordinary_send_also_without_a_staging_queue(
    lab: Lab, sender: Sender
) -> None:
    lab.local("Q1")
    lab.mq.delete("QLOCAL", STAGING)
    sender.producer.set_delivery_delay(0)
    sender.send()
    staging.send(lab.mq.connection, "Q1", message(), b"", 0)
    assert lab.depth("Q1") == 2


@pytest.mark.seed("DD-14")
def test_the_mqi_has_no_way_to_ask_for_a_delay() -> None:
    import inspect

    for call in (put.put, put.put1):
        assert not [name for name in inspect.signature(call).parameters if "delay" in name]


@pytest.mark.seed("DD-15", "DD-16")
def test_the_interfaces_differ_in_the_exception_and_not_in_the_reason(lab: Lab) -> None:
    lab.local("Q1", PUT="DISABLED")
    session = Session(lab.mq.connection)
    reason_by_exception: dict[type[JMSError], int] = {}
    for kind in (MessageProducer, JMSProducer):
        sender = Sender(kind, session)
        sender.producer.set_delivery_delay(1000)
        with pytest.raises(JMSError) as error:
            sender.send()
        reason_by_exception[type(error.value)] = error.value.linked.reason
    assert reason_by_exception == {
        JMSException: cmqc.MQRC_PUT_INHIBITED,
        JMSRuntimeException: cmqc.MQRC_PUT_INHIBITED,
    }


@pytest.mark.seed("DD-17")
@pytest.mark.parametrize("kind", [MessageProducer, JMSProducer])
def test_below_8_0_the_setter_refuses_a_delay(
    old: Lab, kind: type[MessageProducer] | type[JMSProducer]
) -> None:
    old.local("Q1")
    producer = kind(Session(old.mq.connection))
    with pytest.raises(kind.error) as error:
        producer.set_delivery_delay(1)
    assert error.value.reason == cmqc.MQRC_FUNCTION_NOT_SUPPORTED
    assert producer.delivery_delay_ms == 0
    with pytest.raises(MQIError) as refused:  # nor does the queue manager take it from elsewhere
        old.send("Q1", 1)
    assert refused.value.reason == cmqc.MQRC_FUNCTION_NOT_SUPPORTED


@pytest.mark.seed("DD-18")
def test_below_8_0_a_delay_of_0_may_be_set(old: Lab) -> None:
    old.local("Q1")
    JMSProducer(Session(old.mq.connection)).set_delivery_delay(0).send(Q1, HELLO)
    assert old.depth("Q1") == 1


@pytest.mark.seed("DD-19", "DD-21")
@pytest.mark.parametrize("bind", ["OPEN", "GROUP"])
def test_a_clustered_target_that_is_bound_is_refused_by_the_send_and_not_before(
    lab: Lab, sender: Sender, bind: str
) -> None:
    lab.local("Q1", CLUSTER="CL1", DEFBIND=bind)
    sender.producer.set_delivery_delay(1000)
    with pytest.raises(sender.error) as error:
        sender.send()
    assert error.value.reason == cmqc.MQRC_OPTIONS_ERROR
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 0)


@pytest.mark.seed("DD-19")
def test_a_target_in_the_clusters_of_a_namelist_is_clustered_too(lab: Lab, sender: Sender) -> None:
    lab.local("Q1", CLUSNL="CLUSTERS", DEFBIND="OPEN")
    sender.producer.set_delivery_delay(1000)
    with pytest.raises(sender.error):
        sender.send()


@pytest.mark.seed("DD-20", "DD-22")
@pytest.mark.parametrize(("cluster", "bind"), [("CL1", "NOTFIXED"), ("", "OPEN")])
def test_a_target_not_clustered_or_not_fixed_takes_delays(
    lab: Lab, sender: Sender, cluster: str, bind: str
) -> None:
    lab.local("Q1", CLUSTER=cluster, DEFBIND=bind)
    sender.producer.set_delivery_delay(1000)
    sender.send()
    assert lab.depth(STAGING) == 1
    lab.advance(1)
    assert lab.depth("Q1") == 1


@pytest.mark.seed("DD-23")
def test_a_time_to_live_below_the_delay_is_refused_by_its_setter(lab: Lab, sender: Sender) -> None:
    sender.producer.set_delivery_delay(5000)
    with pytest.raises(sender.error) as error:
        sender.producer.set_time_to_live(4999)
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    assert sender.producer.time_to_live_ms == 0


@pytest.mark.seed("DD-24")
def test_a_delay_above_the_time_to_live_is_refused_by_its_setter(lab: Lab, sender: Sender) -> None:
    sender.producer.set_time_to_live(4999)
    with pytest.raises(sender.error) as error:
        sender.producer.set_delivery_delay(5000)
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    assert sender.producer.delivery_delay_ms == 0


@pytest.mark.seed("DD-25")
def test_values_that_meet_in_the_send_are_refused_there(lab: Lab) -> None:
    lab.local("Q1")
    producer = MessageProducer(Session(lab.mq.connection), Q1)
    producer.set_delivery_delay(5000)
    with pytest.raises(JMSException) as error:
        producer.send(HELLO, time_to_live_ms=4999)
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    assert lab.depth(STAGING) == 0


@pytest.mark.seed("DD-26", "DD-80", "C-18", "TRAP-16")
def test_a_time_to_live_equal_to_the_delay_is_accepted_and_ends_on_the_staging_queue(
    lab: Lab, sender: Sender
) -> None:
    lab.local("Q1")
    sender.producer.set_delivery_delay(5000)
    sender.send(ttl_ms=5000)
    assert lab.depth(STAGING) == 1
    lab.advance(5)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 0)


@pytest.mark.seed("DD-26")
def test_a_lifetime_that_is_no_whole_tenth_is_never_made_shorter_than_the_delay(
    lab: Lab, sender: Sender
) -> None:
    lab.local("Q1")
    sender.producer.set_delivery_delay(5001)
    assert sender.send(ttl_ms=5001).expiry_tenths == 51


@pytest.mark.seed("DD-27")
def test_an_unlimited_time_to_live_and_a_delay_of_0_never_conflict(
    lab: Lab, sender: Sender
) -> None:
    lab.local("Q1")
    sender.producer.set_time_to_live(0)
    sender.producer.set_delivery_delay(5000)
    assert sender.send().expiry_tenths == -1
    sender.producer.set_delivery_delay(0)
    assert sender.send(ttl_ms=1).expiry_tenths == 1


@pytest.mark.seed("DD-28")
def test_a_retained_publication_takes_no_delay(lab: Lab, sender: Sender) -> None:
    topic = JMSTopic("news/sport")
    session = Session(lab.mq.connection)
    MessageProducer(session).send(JMSMessage("kept", {RETAIN: RETAIN_PUBLICATION}), topic)
    subscriptions.subscribe(lab.mq.connection, "news/sport", name="S1", durable=True)
    sender.producer.set_delivery_delay(1000)
    if isinstance(sender.producer, MessageProducer):
        sender.producer.set_delivery_mode(NON_PERSISTENT)
    else:
        sender.producer.set_delivery_mode(NON_PERSISTENT)
    with pytest.raises(sender.error) as error:
        sender.send(topic, JMSMessage("new", {RETAIN: RETAIN_PUBLICATION}))
    assert error.value.reason == cmqc.MQRC_OPTIONS_ERROR
    ((about, _, body, _),) = publications.every_retained(lab.mq.manager.store)
    assert about == "news/sport" and body.endswith(b"kept")
    assert lab.depth(STAGING) == 0
    sender.send(topic, JMSMessage("new"))
    assert lab.depth(STAGING) == 1


def test_the_receiver_sees_the_delivery_time_that_the_sender_worked_out(
    lab: Lab, sender: Sender
) -> None:
    lab.local("Q1")
    sent_ms = lab.mq.now_us() // 1000
    sender.producer.set_delivery_delay(5000)
    sender.send()
    lab.advance(8)
    sender.producer.set_delivery_delay(0)
    sender.send()
    consumer = JMSConsumer(JmsSession(lab.mq.connection), "Q1")
    received = [consumer.receive_no_wait(), consumer.receive_no_wait()]
    times_ms = [jms_delivery_time_ms(message) for message in received if message is not None]
    assert times_ms == [sent_ms + 5000, None]


@pytest.mark.seed("DD-29")
def test_a_message_of_a_group_takes_no_delay(lab: Lab, sender: Sender) -> None:
    lab.local("Q1")
    grouped = JMSMessage("one", {GROUP_ID: "G1"})
    sender.producer.set_delivery_delay(1000)
    with pytest.raises(sender.error) as error:
        sender.send(Q1, grouped)
    assert error.value.reason == cmqc.MQRC_OPTIONS_ERROR
    assert lab.depth(STAGING) == 0
    sender.producer.set_delivery_delay(0)
    sender.send(Q1, grouped)
    assert lab.depth("Q1") == 1


@pytest.mark.seed("DD-29")
@pytest.mark.parametrize(
    "fields",
    [{"group_id": b"g" * 24}, {"msg_flags": cmqc.MQMF_LAST_MSG_IN_GROUP}, {"msg_seq_number": 2}],
    ids=["group-id", "flag", "sequence"],
)
def test_any_field_of_a_group_is_enough(lab: Lab, fields: dict[str, object]) -> None:
    lab.local("Q1")
    with pytest.raises(MQIError) as error:
        lab.send("Q1", 1000, b"", **fields)
    assert error.value.reason == cmqc.MQRC_OPTIONS_ERROR


@pytest.mark.seed("DD-30")
def test_a_full_staging_queue_reaches_the_client_and_nothing_stays_behind(
    lab: Lab, sender: Sender
) -> None:
    lab.local("Q1")
    sender.producer.set_delivery_delay(1000)
    sender.send()
    lab.mq.alter("QLOCAL", STAGING, {"MAXDEPTH": 1})
    with pytest.raises(sender.error, match=STAGING) as error:
        sender.send()
    assert error.value.reason == cmqc.MQRC_Q_FULL
    assert lab.depth(STAGING) == 1
    lab.advance(10)
    assert lab.depth("Q1") == 1


@pytest.mark.seed("DD-32")
def test_without_a_delay_a_unit_gets_its_own_message_and_nobody_else_does(lab: Lab) -> None:
    queue = lab.local("Q1")
    session = Session(lab.mq.connection, transacted=True)
    MessageProducer(session, Q1).send(HELLO)
    other = lab.connect()
    assert nothing_on(other.open("Q1", 2))
    assert queue.get(2).body.endswith(b"hello")


@pytest.mark.seed("DD-33", "DD-06", "DD-34")
def test_with_a_delay_a_transacted_session_stages_at_its_commit_and_counts_from_the_send(
    lab: Lab, sender: Sender
) -> None:
    queue = lab.local("Q1")
    sender.producer.session.transacted = True
    sender.producer.set_delivery_delay(1000)
    t0 = lab.mq.now_us()
    sender.send()
    lab.advance(0.4)
    assert (lab.depth(STAGING), lab.bodies(STAGING)) == (0, [])
    sender.producer.session.commit()
    header = ddh.decode(lab.bodies(STAGING)[0])
    assert isinstance(header, ddh.DDH) and header.time_us == t0 + 1_000_000
    lab.advance(0.6)
    assert lab.depth("Q1") == 1
    queue.get()
    sender.send()
    lab.advance(2)
    assert nothing_on(queue)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 0)
    sender.producer.session.commit()
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 1)


@pytest.mark.seed("DD-36")
def test_a_rollback_of_the_session_leaves_nothing(lab: Lab, sender: Sender) -> None:
    lab.local("Q1")
    sender.producer.session.transacted = True
    sender.producer.set_delivery_delay(1000)
    sender.send()
    sender.producer.session.rollback()
    lab.advance(10)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 0)


@pytest.mark.seed("DD-73")
def test_delivery_mode_as_destination_is_resolved_at_the_send(lab: Lab, sender: Sender) -> None:
    queue = lab.local("Q1", DEFPSIST="YES")
    sender.producer.set_delivery_delay(1000)
    if isinstance(sender.producer, MessageProducer):
        sender.producer.set_delivery_mode(AS_DESTINATION)
        sender.producer.set_priority(AS_DESTINATION)
    else:
        sender.producer.set_delivery_mode(AS_DESTINATION).set_priority(AS_DESTINATION)
    sender.send()
    lab.mq.alter("QLOCAL", "Q1", {"DEFPSIST": "NO"})
    lab.advance(1)
    assert queue.get().md.persistence == 1


def test_a_delay_is_not_negative(lab: Lab, sender: Sender) -> None:
    lab.local("Q1")
    with pytest.raises(ValueError, match="0 ms or more"):
        sender.producer.set_delivery_delay(-1)
    with pytest.raises(ValueError, match="0 ms or more"):
        sender.producer.set_time_to_live(-1)
    with pytest.raises(UsageError, match="expected 0 or more"):
        lab.send("Q1", -1)


def test_a_producer_without_destination_needs_one_at_each_send(lab: Lab) -> None:
    with pytest.raises(ValueError, match="no destination"):
        MessageProducer(Session(lab.mq.connection)).send(HELLO)
