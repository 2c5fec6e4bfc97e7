"""A simulated IMS bridge: it takes requests of Format MQIMS and answers them.

Source: IBM MQ documentation, "Expiry (MQLONG)" and "MQIIH - Flags": a reply from the IMS bridge has
an unlimited lifetime unless MQIIH_PASS_EXPIRATION is set; then it has what is left of the
request's (EX-64).
"""

from __future__ import annotations

from dataclasses import replace

from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.get import get
from mqtriage.emulator.core.put import put
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.headers import iih
from mqtriage.mq.message import Message


def answer_once(connection: Connection, bridge_queue: str, data: bytes = b"") -> MQMD:
    """Get one request and put the reply of IMS, both in one unit of work; its descriptor.

    Raises:
        NoMessageAvailable: 2033.
        MQTriageError: The request is no MQIMS message; it is backed out.
        MQIError: The reply could not be put; the request is backed out.
    """
    handle = connection.open(bridge_queue, cmqc.MQOO_INPUT_SHARED)
    try:
        request = get.get(connection, handle, cmqc.MQGMO_SYNCPOINT)
        try:
            header = _header(request)
            asked = request.md
            reply = MQMD(
                msg_type=cmqc.MQMT_REPLY,
                expiry_tenths=asked.expiry_tenths
                if header.flags & cmqc.MQIIH_PASS_EXPIRATION
                else cmqc.MQEI_UNLIMITED,
                encoding=asked.encoding,
                ccsid=asked.ccsid,
                format=cmqc.MQFMT_IMS.rstrip(),
                persistence=asked.persistence,
                priority=asked.priority,
                correl_id=asked.msg_id,
                put_appl_type=cmqc.MQAT_IMS_BRIDGE,
            )
            front = iih.encode(replace(header, format=header.reply_to_format or header.format))
            stored = put.put1(
                connection, asked.reply_to_q, reply, front + data,
                cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_SET_ALL_CONTEXT,
                queue_manager=asked.reply_to_q_mgr,
            )  # fmt: skip
        except MQTriageError:
            connection.back_out()
            raise
        connection.commit()
        return stored
    finally:
        connection.close(handle)


def _header(request: Message) -> iih.IIH:
    little = request.md.encoding & cmqc.MQENC_INTEGER_MASK == cmqc.MQENC_INTEGER_REVERSED
    header = iih.decode(request.body, 0, "<" if little else ">")
    if request.md.format != cmqc.MQFMT_IMS.rstrip() or not isinstance(header, iih.IIH):
        raise MQTriageError("the IMS bridge takes messages that begin with an MQIIH")
    return header
