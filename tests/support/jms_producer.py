"""The sending half of a JMS client: what it checks itself, and what it hands to the queue manager.

`MessageProducer` is the classic interface, whose errors are checked JMSExceptions; `JMSProducer` is
the JMS 2.0 one, whose errors are JMSRuntimeExceptions; the rules are the same (DD-15, DD-16). Only
such a client can ask for a delivery delay (DD-14). Method names are those of JMS, written as Python
writes them: setDeliveryDelay is `set_delivery_delay`.

Source: IBM MQ documentation, "JMS 2.0 delivery delay", Messaging clients; Jakarta Messaging.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.put import put, staging
from mqtriage.emulator.pubsub import publications
from mqtriage.mq import cmqc
from mqtriage.mq.delay import DelayRefusal, level_refusal, lifetime_refusal
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following

RETAIN: Final = "JMS_IBM_Retain"
RETAIN_PUBLICATION: Final = 1
GROUP_ID: Final = "JMSXGroupID"
GROUP_SEQ: Final = "JMSXGroupSeq"

PERSISTENT: Final = 2
NON_PERSISTENT: Final = 1
AS_DESTINATION: Final = -1
"""JMS delivery modes, and IBM's way to leave it to the definition of the queue or topic."""

_PERSISTENCE: Final = {
    PERSISTENT: cmqc.MQPER_PERSISTENT,
    NON_PERSISTENT: cmqc.MQPER_NOT_PERSISTENT,
    AS_DESTINATION: cmqc.MQPER_PERSISTENCE_AS_Q_DEF,
}
_BIG_ENDIAN: Final = 273
_UTF8: Final = 1208
_NO_ID: Final = bytes(24)


class JMSError(Exception):
    """What a JMS call ended with.

    Attributes:
        linked: the MQ error behind it (getLinkedException, getCause).
    """

    def __init__(self, linked: MQIError) -> None:
        super().__init__(linked.text)
        self.linked = linked

    @property
    def reason(self) -> int:
        """MQRC_* number."""
        return self.linked.reason


class JMSException(JMSError):
    """The checked exception of the classic interface."""


class JMSRuntimeException(JMSError):
    """The unchecked exception of the JMS 2.0 interface."""


@dataclass(frozen=True, slots=True)
class JMSQueue:
    """A queue as destination.

    Attributes:
        target_client: "JMS" writes an MQRFH2 in front of the body, "MQ" does not.
    """

    name: str
    target_client: str = "JMS"

    @property
    def uri(self) -> str:
        return f"queue:///{self.name}"


@dataclass(frozen=True, slots=True)
class JMSTopic:
    """A topic string as destination."""

    topic: str
    target_client: str = "JMS"

    @property
    def uri(self) -> str:
        return f"topic://{self.topic}"


@dataclass(frozen=True, slots=True)
class JMSMessage:
    """A text message.

    Attributes:
        properties: application and JMSX/JMS_IBM properties.
        correlation_id: JMSCorrelationIDAsBytes, 24 bytes; zeros for none.
        reply_to: JMSReplyTo, a queue name.
        report: MQMD.Report bits, as the JMS_IBM_Report_* properties set them.
    """

    text: str = ""
    properties: Mapping[str, int | str] = field(default_factory=dict)
    correlation_id: bytes = _NO_ID
    reply_to: str = ""
    report: int = 0


class Session:
    """One session or context: a connection that sends under syncpoint or not."""

    def __init__(self, connection: Connection, *, transacted: bool = False) -> None:
        self.connection = connection
        self.transacted = transacted

    def commit(self) -> None:
        self.connection.commit()

    def rollback(self) -> None:
        self.connection.back_out()


class _Producer:
    """What both producers do; errors are MQIErrors here."""

    error: type[JMSError] = JMSException

    def __init__(self, session: Session) -> None:
        self.session = session
        self._delay_ms = 0
        self._time_to_live_ms = 0
        self._delivery_mode = PERSISTENT
        self._priority = 4

    @property
    def delivery_delay_ms(self) -> int:
        return self._delay_ms

    @property
    def time_to_live_ms(self) -> int:
        return self._time_to_live_ms

    def _set_delay(self, delay_ms: int) -> None:
        doing = f"setDeliveryDelay({delay_ms})"
        if delay_ms < 0:
            raise _illegal(doing, "a delay is 0 ms or more")
        manager = self.session.connection.manager
        self.session.connection.look(doing)
        _refuse(level_refusal(delay_ms, manager.command_level), doing)
        _refuse(lifetime_refusal(delay_ms, self._time_to_live_ms), doing)
        self._delay_ms = delay_ms

    def _set_time_to_live(self, time_to_live_ms: int) -> None:
        doing = f"setTimeToLive({time_to_live_ms})"
        if time_to_live_ms < 0:
            raise _illegal(doing, "a time to live is 0 ms or more, 0 is unlimited")
        _refuse(lifetime_refusal(self._delay_ms, time_to_live_ms), doing)
        self._time_to_live_ms = time_to_live_ms

    def _send(
        self,
        destination: JMSQueue | JMSTopic,
        message: JMSMessage,
        delivery_mode: int,
        priority: int,
        time_to_live_ms: int,
    ) -> MQMD:
        doing = f"send to {destination.uri}"
        _refuse(lifetime_refusal(self._delay_ms, time_to_live_ms), doing)
        connection = self.session.connection
        now_ms = connection.look(doing) // 1000
        md, body = _as_sent(
            destination, message, delivery_mode, priority, time_to_live_ms, now_ms, self._delay_ms
        )
        options = cmqc.MQPMO_SYNCPOINT if self.session.transacted else 0
        if isinstance(destination, JMSTopic):
            if message.properties.get(RETAIN) == RETAIN_PUBLICATION:
                options |= cmqc.MQPMO_RETAIN
            return publications.send(
                connection, destination.topic, md, body, options, delay_ms=self._delay_ms
            ).md
        if self._delay_ms:
            return staging.send(connection, destination.name, md, body, self._delay_ms, options)
        return put.put1(connection, destination.name, md, body, options)

    def _told(self, call: Callable[[], MQMD | None]) -> MQMD | None:
        """Run a call and tell its MQ error as the interface does."""
        try:
            return call()
        except MQIError as error:
            raise self.error(error) from error


class MessageProducer(_Producer):
    """javax.jms.MessageProducer: bound to one destination, or to none and told at each send."""

    error = JMSException

    def __init__(self, session: Session, destination: JMSQueue | JMSTopic | None = None) -> None:
        super().__init__(session)
        self.destination = destination

    def set_delivery_delay(self, delay_ms: int) -> None:
        """For each later send (DD-03).

        Raises:
            JMSException: 2298 below 8.0 (DD-17), 2013 above the time to live (DD-24).
        """
        self._told(lambda: self._set_delay(delay_ms))

    def set_time_to_live(self, time_to_live_ms: int) -> None:
        """Raises JMSException 2013 where it is smaller than the delay (DD-23)."""
        self._told(lambda: self._set_time_to_live(time_to_live_ms))

    def set_delivery_mode(self, delivery_mode: int) -> None:
        self._delivery_mode = delivery_mode

    def set_priority(self, priority: int) -> None:
        self._priority = priority

    def send(
        self,
        message: JMSMessage,
        destination: JMSQueue | JMSTopic | None = None,
        *,
        delivery_mode: int | None = None,
        priority: int | None = None,
        time_to_live_ms: int | None = None,
    ) -> MQMD:
        """Send; what is not given is as set on the producer.

        Returns:
            The descriptor as the sender sees it: JMSMessageID is its MsgId.

        Raises:
            JMSException: With the reason of the put (DD-30); 2013 (DD-25).
        """
        where = destination or self.destination
        if where is None:
            msg = "this producer has no destination, so each send needs one"
            raise ValueError(msg)
        sent = self._told(
            lambda: self._send(
                where,
                message,
                self._delivery_mode if delivery_mode is None else delivery_mode,
                self._priority if priority is None else priority,
                self._time_to_live_ms if time_to_live_ms is None else time_to_live_ms,
            )
        )
        assert sent is not None
        return sent


class JMSProducer(_Producer):
    """javax.jms.JMSProducer: setters hand the producer back, the destination comes with each send.

    Every method raises JMSRuntimeException where `MessageProducer` raises JMSException.
    """

    error = JMSRuntimeException

    def set_delivery_delay(self, delay_ms: int) -> JMSProducer:
        self._told(lambda: self._set_delay(delay_ms))
        return self

    def set_time_to_live(self, time_to_live_ms: int) -> JMSProducer:
        self._told(lambda: self._set_time_to_live(time_to_live_ms))
        return self

    def set_delivery_mode(self, delivery_mode: int) -> JMSProducer:
        self._delivery_mode = delivery_mode
        return self

    def set_priority(self, priority: int) -> JMSProducer:
        self._priority = priority
        return self

    def send(self, destination: JMSQueue | JMSTopic, message: JMSMessage) -> MQMD:
        """Send with what is set; returns the descriptor as the sender sees it."""
        sent = self._told(
            lambda: self._send(
                destination, message, self._delivery_mode, self._priority, self._time_to_live_ms
            )
        )
        assert sent is not None
        return sent


def _as_sent(
    destination: JMSQueue | JMSTopic,
    message: JMSMessage,
    delivery_mode: int,
    priority: int,
    time_to_live_ms: int,
    now_ms: int,
    delay_ms: int,
) -> tuple[MQMD, bytes]:
    """Descriptor and body as IBM MQ classes for JMS make them.

    Time to live goes over into tenths of a second rounded up, so that it never gets smaller than
    a delay that it was not smaller than.
    """
    group = str(message.properties.get(GROUP_ID, ""))
    md = MQMD(
        report=message.report,
        msg_type=cmqc.MQMT_REQUEST if message.reply_to else MQMD().msg_type,
        expiry_tenths=-(-time_to_live_ms // 100) if time_to_live_ms else -1,
        encoding=_BIG_ENDIAN,
        ccsid=_UTF8,
        format="MQSTR",
        priority=cmqc.MQPRI_PRIORITY_AS_Q_DEF if priority == AS_DESTINATION else priority,
        persistence=_PERSISTENCE[delivery_mode],
        correl_id=message.correlation_id,
        reply_to_q=message.reply_to,
        group_id=group.encode()[:24].ljust(24, b"\0"),
        msg_flags=cmqc.MQMF_MSG_IN_GROUP if group else 0,
        msg_seq_number=int(message.properties.get(GROUP_SEQ, 1)),
    )
    body = message.text.encode()
    if destination.target_client != "JMS":
        return md, body
    user = {name: value for name, value in message.properties.items() if not name.startswith("JMS")}
    header = rfh2.build_jms(
        "jms_text",
        destination.uri,
        Following(md.format, md.encoding, md.ccsid),
        put_time_ms=now_ms,
        delay_ms=delay_ms or None,
        persistence=delivery_mode if delivery_mode > 0 else PERSISTENT,
        expires_at_ms=now_ms + time_to_live_ms if time_to_live_ms else None,
        priority=priority if priority not in (AS_DESTINATION, 4) else None,
        correlation_id=f"ID:{md.correl_id.hex()}" if any(md.correl_id) else None,
        reply_to=JMSQueue(message.reply_to).uri if message.reply_to else None,
        user=user or None,
    )
    return md._replace(format=cmqc.MQFMT_RF_HEADER_2.rstrip()), rfh2.encode(header) + body


def _refuse(refusal: DelayRefusal | None, doing: str) -> None:
    if refusal is not None:
        raise mqi_error(refusal.reason, doing, detail=refusal.text)


def _illegal(doing: str, text: str) -> ValueError:
    return ValueError(f"{doing}: {text}")
