"""The synchronous calls of JMS by name, over the one that simulated consumers make (PM-38)."""

from __future__ import annotations

import time

from mqtriage.emulator.clients.handlers import HandlerFailed
from mqtriage.emulator.clients.jms import JmsSession, Receiver
from mqtriage.emulator.pubsub import subscriptions
from mqtriage.messages.filters.subject import Subject
from mqtriage.mq.message import Message

LONGEST_WAIT_MS = 5000
"""receive() waits without end; where a message should come and does not, a test must fail."""


class MessageConsumer(Receiver):
    """javax.jms.MessageConsumer."""

    def receive(self, timeout_ms: int | None = None) -> Message | None:
        """receive() and receive(timeout); 0 waits without end as well."""
        end_s = time.monotonic() + (timeout_ms or LONGEST_WAIT_MS) / 1000
        while (message := self.receive_no_wait()) is None and time.monotonic() < end_s:
            time.sleep(0.001)
        return message

    def close(self) -> None:
        self._source.close()


class QueueReceiver(MessageConsumer):
    """javax.jms.QueueReceiver: the same calls."""


class TopicSubscriber(MessageConsumer):
    """javax.jms.TopicSubscriber: the same calls on the managed queue of a subscription.

    That queue, made from the topic's model queue, is the one that is inquired (PM-21 to PM-25).

    Args:
        topic: topic string.
        durable: name of a durable subscription, resumed where it exists; "" for a non-durable one.
    """

    def __init__(self, session: JmsSession, topic: str, durable: str = "") -> None:
        self._connection = session.connection
        self.subscription = subscriptions.subscribe(
            session.connection, topic, name=durable, durable=bool(durable)
        )
        super().__init__(session, self.subscription.destination)

    def close(self) -> None:
        """End the consumer; a non-durable subscription goes with it, and its queue."""
        super().close()
        if not self.subscription.durable:
            subscriptions.unsubscribe(self._connection, self.subscription.name)


class JMSConsumer(MessageConsumer):
    """javax.jms.JMSConsumer: the same calls, and receiveBody."""

    def receive_body(
        self, kind: type[str] | type[bytes], timeout_ms: int | None = None
    ) -> str | bytes | None:
        """receiveBody(c) and receiveBody(c, timeout): the body alone, as str or bytes."""
        return _body(self.receive(timeout_ms), kind)

    def receive_body_no_wait(self, kind: type[str] | type[bytes]) -> str | bytes | None:
        """receiveBodyNoWait(c)."""
        return _body(self.receive_no_wait(), kind)


def _body(message: Message | None, kind: type[str] | type[bytes]) -> str | bytes | None:
    if message is None:
        return None
    subject = Subject(message)
    if kind is bytes:
        return subject.payload
    if subject.body_text is None:
        raise HandlerFailed("the body is not text in its CCSID")
    return subject.body_text
