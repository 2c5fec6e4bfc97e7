"""The simulated JMS clients leave the same messages as the real ones, except for ids and times."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mqtriage.emulator.clients.handlers import NotMoved
from mqtriage.emulator.clients.jms import Acknowledge, JmsSession, MessageListener
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq.message import Message
from tests.jms.conftest import At
from tests.jms.test_poison import fail
from tests.support import jms_producer as simulated
from tests.support.ibm_java import Thrown
from tests.support.jms_consumers import JMSConsumer

TIMES = re.compile(rb"(?<=<Tms>)\d+|(?<=<Exp>)\d+|(?<=<Dtm>)\d+")
DLH_TIME = slice(156, 172)
OTHERS: dict[str, Any] = {
    "msg_id": b"", "put_date": "", "put_time": "", "put_appl_name": "", "put_appl_type": 0,
    "user_identifier": "", "accounting_token": b"",
}  # fmt: skip
"""What says who put a message, and when."""


def masked(message: Message) -> tuple[Any, bytes]:
    """Descriptor and body without ids, times, and who it was."""
    body = message.body
    if message.md.format == "MQDEAD":
        body = body[: DLH_TIME.start] + b"." * 16 + body[DLH_TIME.stop :]
    return message.md._replace(**OTHERS), TIMES.sub(b"0", body)


def compare(real: list[Message], own: list[Message], names: dict[str, str]) -> None:
    """Compare; *names* are those of own queues, and what the real client's were called."""
    pairs = list(zip(real, own, strict=True))
    assert pairs
    for one, other in pairs:
        (md, body), (md_too, body_too) = masked(one), masked(other)
        for name, real_name in names.items():
            body_too = body_too.replace(name.encode(), real_name.encode())
        assert md_too == md
        assert body_too == body


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"ttl": 5000, "priority": 3, "persistence": 1},
        {"properties": {"colour": "red", "n": 3}},
        {"reply": "REPLIES", "correlation": "ID:" + "ab" * 24},
        {"delay": 2000},
        {"delay": 2000, "ttl": 9000, "properties": {"n": 3}},
    ],
    ids=["plain", "producer", "properties", "ids", "delay", "delay-and-more"],
)
@pytest.mark.parametrize("api", ["context", "session"])
def test_a_sent_message_is_the_same(at: At, api: str, given: dict[str, Any]) -> None:
    queue = at.local()
    sender = at.open(api=api)
    sender.send(queue, "hello", **given)
    session = simulated.Session(at.lab.connect().connection)
    kind = simulated.JMSProducer if api == "context" else simulated.MessageProducer
    producer = kind(session)
    producer.set_delivery_delay(given.get("delay", 0))
    producer.set_time_to_live(given.get("ttl", 0))
    producer.set_priority(given.get("priority", 4))
    producer.set_delivery_mode(given.get("persistence", 2))
    text = simulated.JMSMessage(
        "hello",
        given.get("properties", {}),
        bytes.fromhex(given.get("correlation", "ID:" + "00" * 24).removeprefix("ID:")),
        given.get("reply", ""),
    )
    if isinstance(producer, simulated.JMSProducer):
        producer.send(simulated.JMSQueue(queue), text)
    else:
        producer.send(text, simulated.JMSQueue(queue))
    at.advance(2)
    real, own = at.browse(queue)
    compare([real], [own], {})


def receive_real(at: At, queue: str, mode: str) -> None:
    """Fail once, then meet the poison message in a session of *mode*."""
    session = at.open(f"fails {queue}", mode="transacted")
    fail(session, queue, 1)
    session.close()
    session = at.open(f"moves {queue}", mode=mode)
    try:
        assert session.receive(queue, wait=100) is None
    except Thrown as thrown:
        assert thrown.code == "JMSWMQ1080"
    if mode == "transacted":
        session.commit()
    session.close()


def receive_simulated(at: At, queue: str, mode: str) -> None:
    connection: Connection = at.lab.connect().connection
    failing = JmsSession(connection, Acknowledge.TRANSACTED)
    consumer = JMSConsumer(failing, queue)
    assert consumer.receive_no_wait() is not None
    failing.rollback()
    consumer.close()
    session = JmsSession(connection, Acknowledge(mode))
    consumer = JMSConsumer(session, queue)
    assert consumer.receive_no_wait() is None
    session.commit()
    consumer.close()


def listen_real(at: At, queue: str, mode: str) -> None:
    session = at.open(f"listens {queue}", mode=mode)
    session.listen(queue, mode=mode)
    assert len(session.heard(1, quiet=200)) == 1
    session.close()


def listen_simulated(at: At, queue: str, mode: str) -> None:
    session = JmsSession(at.lab.connect().connection, Acknowledge(mode))
    listener = MessageListener(session, queue, lambda _: session.rollback())
    listener.run(10)
    listener.close()


@pytest.mark.parametrize("mode", ["transacted", "auto"])
@pytest.mark.parametrize("sent", ["jms", "plain"])
@pytest.mark.parametrize("backout", ["there", "none", "full"])
@pytest.mark.parametrize("way", ["receive", "listener"])
def test_a_poison_message_ends_as_the_same(
    at: At, way: str, backout: str, sent: str, mode: str
) -> None:
    """On the backout queue, or on the dead-letter queue where that is full or not named."""
    ends, queues = [], []
    for real in (True, False):
        dead = at.dead_letter_queue()
        aside = at.local() if backout == "there" else at.full() if backout == "full" else ""
        queue = at.local(BOTHRESH=1, **({"BOQNAME": aside} if aside else {}))
        if sent == "jms":
            at.open(f"sends {queue}").send(queue, "poison", ttl=60_000, properties={"n": 3})
        else:
            at.lab.put(queue, b"poison", encoding=546, ccsid=819, expiry_tenths=600,
                       reply_to_q="REPLIES")  # fmt: skip
        if way == "receive":
            (receive_real if real else receive_simulated)(at, queue, mode)
        else:
            (listen_real if real else listen_simulated)(at, queue, mode)
        assert at.depth(queue) == 0
        ends.append(at.browse(aside if backout == "there" else dead))
        queues.append((queue, aside or queue))
    compare(ends[0], ends[1], dict(zip(queues[1], queues[0], strict=True)))


@pytest.mark.seed("PM-46", "PM-47")
@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_a_receive_throws_where_no_queue_takes_a_poison_message(at: At, end: str) -> None:
    """JMSWMQ1080 of the real one; what is left is the same."""
    at.dead_letter_queue(PUT="DISABLED")
    depths = []
    for real in (True, False):
        queue = at.local(BOTHRESH=1)
        at.lab.put(queue, b"poison")
        session = at.open(f"fails {queue}", mode="transacted")
        fail(session, queue, 1)
        if real:
            with pytest.raises(Thrown) as thrown:
                session.receive(wait=100)
            assert thrown.value.code == "JMSWMQ1080"
            session.run(end)
        session.close()
        if not real:
            own = JmsSession(at.lab.connect().connection, Acknowledge.TRANSACTED)
            with pytest.raises(NotMoved):
                JMSConsumer(own, queue).receive_no_wait()
            own.commit() if end == "commit" else own.rollback()
        depths.append(at.depth(queue))
    assert depths == [int(end == "rollback")] * 2
