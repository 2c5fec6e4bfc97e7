"""A poison message on its way: what is put to the backout queue and to the dead-letter queue.

Source: IBM MQ documentation, "Handling poison messages in IBM MQ classes for JMS", What happens to
a message when it is moved to the backout queue; PM-36, PM-56 to PM-68.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from mqtriage.emulator.clients.events import Happened
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.put import put
from mqtriage.messages.decoded import chain_of
from mqtriage.mq import cmqc
from mqtriage.mq.backout import BackoutPolicy
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.deadletter import dead_letter_header
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import ConnectionFailed, MQIError, mqi_error
from mqtriage.mq.headers import dlh, rfh2
from mqtriage.mq.headers.formats import JMS_ENCODING, RFH2_FORMAT
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_date_and_time, put_time_us

_JMS_APPLICATION: Final = "MQ JMS ConnectionConsumer"
"""MQDLH.PutApplName, whichever kind of consumer it is."""


def has_rfh2(message: Message) -> bool:
    """Whether an MQRFH2 that Formats announce stands among the headers, readable or not."""
    if message.md.format == RFH2_FORMAT:
        return True
    chain = chain_of(message)
    announced = any(
        header.name == "MQRFH2" and not header.found_by_looking for header in chain.headers
    )
    return announced or chain.format == RFH2_FORMAT


def with_rfh2(message: Message, queue: str, now_ms: int) -> tuple[MQMD, bytes]:
    """Descriptor and data as JMS puts them to the backout queue.

    A message without MQRFH2 gets one in front, which takes over its Format, CCSID and Encoding, so
    that the header chain still leads to the body (PM-56, PM-63 to PM-68). One that has it stays as
    it is. Expiry is what was left when it was got (PM-59); BackoutCount starts at 0 with the put.

    Args:
        queue: the backout queue, which is the destination in the header's jms folder; IBM's
            classes write "x" where there is none, on the way to the dead-letter queue.
        now_ms: when it was got, from which its JMSExpiration counts.
    """
    md = message.md
    if has_rfh2(message):
        return md, message.body
    put_us = put_time_us(md.put_date, md.put_time) or 0
    header = rfh2.build_jms(
        "jms_text" if md.format == "MQSTR" else "jms_bytes",
        f"queue:///{queue or 'x'}",
        Following(md.format, md.encoding, md.ccsid),
        put_time_ms=put_us // 1000,
        persistence=2 if md.persistence == cmqc.MQPER_PERSISTENT else 1,
        priority=md.priority,
        expires_at_ms=now_ms + md.expiry_tenths * 100 if md.expiry_tenths > 0 else None,
        reply_to=f"queue://{md.reply_to_q_mgr}/{md.reply_to_q}?targetClient=1"
        if md.reply_to_q else None,
    )  # fmt: skip
    rewritten = md._replace(format=RFH2_FORMAT, ccsid=UTF_8, encoding=JMS_ENCODING)
    return rewritten, rfh2.encode(header) + message.body


def put_in_unit(
    connection: Connection, queue: str, md: MQMD, body: bytes, context: MQMD
) -> MQIError | None:
    """Put under syncpoint, all context passed on: needs put and passall (PM-36).

    Returns:
        None, or why it failed; a failed put leaves nothing behind.

    Raises:
        ConnectionFailed: The connection is gone.
    """
    try:
        handle = connection.open(
            queue, cmqc.MQOO_OUTPUT | cmqc.MQOO_PASS_ALL_CONTEXT | cmqc.MQOO_FAIL_IF_QUIESCING
        )
        try:
            options = (
                cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_PASS_ALL_CONTEXT | cmqc.MQPMO_FAIL_IF_QUIESCING
            )
            put.put(connection, handle, md, body, options, context)
        finally:
            connection.close(handle)
    except ConnectionFailed:
        raise
    except MQIError as error:
        return error
    return None


def requeue_jms(connection: Connection, message: Message, backout_queue: str) -> MQIError | None:
    """Move a message to the backout queue as the JMS classes do."""
    md, body = with_rfh2(message, backout_queue, connection.look("requeue") // 1000)
    return put_in_unit(connection, backout_queue, md, body, message.md)


def dead_letter_queue(connection: Connection) -> str:
    """DEADQ, "" when it is blank."""
    connection.look("inquire DEADQ")
    return str(connection.manager.attributes.get("DEADQ", "")).strip()


class PutAway(NamedTuple):
    """What became of a message that a program puts away.

    Attributes:
        happened, queue: REQUEUED or DEAD_LETTERED, and to which queue.
        refused: why it is not on the backout queue, "" where it is.
        error: why it went nowhere, None where it did.
    """

    happened: Happened
    queue: str
    refused: str = ""
    error: MQIError | None = None


def put_away(
    connection: Connection, message: Message, policy: BackoutPolicy, queue: str, put_appl_type: int
) -> PutAway:
    """Put a message got from *queue* to BOQNAME, else to the dead-letter queue, as it is.

    Report options do not count (C-11); nothing is committed here.

    Args:
        put_appl_type: MQDLH.PutApplType: which kind of program this is.
    """
    refused = "BOQNAME is blank"
    if policy.requeue_queue:
        md = message.md
        error = put_in_unit(connection, policy.requeue_queue, md, message.body, md)
        if error is None:
            return PutAway(Happened.REQUEUED, policy.requeue_queue)
        refused = error.text
    target = dead_letter_queue(connection)
    reason = cmqc.MQRC_BACKOUT_THRESHOLD_REACHED
    error = dead_letter(connection, message, queue, reason, put_appl_type)
    return PutAway(Happened.DEAD_LETTERED, target, refused, error)


def dead_letter_jms(
    connection: Connection, message: Message, queue: str, reason: int, backout_queue: str = ""
) -> MQIError | None:
    """Put a message got from *queue* to the dead-letter queue as the JMS classes do.

    It has an MQRFH2 as on the backout queue, the MQDLH is big-endian and names a ConnectionConsumer
    whoever consumes (tests/jms/test_simulated.py).

    Args:
        reason: why the backout queue did not take it; 2362 where there is none.
        backout_queue: which is then the destination in the MQDLH.
    """
    md, body = with_rfh2(message, backout_queue, connection.look("dead-letter") // 1000)
    moved = message._replace(md=md, body=body)
    target = backout_queue or queue
    return dead_letter(connection, moved, target, reason, cmqc.MQAT_JAVA, _JMS_APPLICATION)


def dead_letter(
    connection: Connection,
    message: Message,
    queue: str,
    reason: int,
    put_appl_type: int,
    application: str = "",
) -> MQIError | None:
    """Put a message got from *queue* to the dead-letter queue, with an MQDLH in front.

    Args:
        reason, put_appl_type, application: of the MQDLH; "" for the name of this program.
    """
    target = dead_letter_queue(connection)
    if not target:
        doing = "put to the dead-letter queue"
        return mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, detail="DEADQ is blank")
    date, time = put_date_and_time(connection.look("dead-letter"))
    manager = connection.manager
    header = replace(
        dead_letter_header(
            message.md,
            reason,
            queue=queue,
            queue_manager=manager.identity.name,
            put_date=date,
            put_time=time,
        ),
        put_appl_type=put_appl_type,
        put_appl_name=(application or connection.application)[: cmqc.MQ_PUT_APPL_NAME_LENGTH],
    )
    encoding, ccsid = NATIVE_ENCODING, int(manager.attributes.get("CCSID", UTF_8))
    if application == _JMS_APPLICATION:
        header = replace(header, order=">")
        encoding, ccsid = JMS_ENCODING, UTF_8
    md = message.md._replace(
        format=cmqc.MQFMT_DEAD_LETTER_HEADER.rstrip(), encoding=encoding, ccsid=ccsid
    )
    return put_in_unit(connection, target, md, dlh.encode(header) + message.body, message.md)
