"""A simulated replier: it answers requests, and gives the reply one of three lifetimes.

Source: IBM MQ documentation, "Expiry (MQLONG)": a program that replies to a request with a
lifetime may copy what is left of it, set another one, or none (EX-44 to EX-47).
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.get import get
from mqtriage.emulator.core.put import put
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError

COPY: Final = "copy"
UNLIMITED: Final = "unlimited"

Policy: TypeAlias = Literal["copy", "unlimited"] | int
"""`copy` what is left of the request's, `unlimited`, or tenths of a second."""


def reply_expiry(request_expiry_tenths: int, policy: Policy) -> int:
    """Expiry of the reply; a number is taken as it is, so that 0 fails as in any program."""
    if policy == COPY:
        return request_expiry_tenths
    return cmqc.MQEI_UNLIMITED if policy == UNLIMITED else int(policy)


def reply_once(
    connection: Connection, requests: str, policy: Policy = COPY, body: bytes = b"reply"
) -> MQMD:
    """Get one request and put its reply, both in one unit of work; returns the reply's descriptor.

    Raises:
        NoMessageAvailable: 2033.
        MQIError: The reply could not be put (2013 for a policy of 0); the request is backed out.
    """
    handle = connection.open(requests, cmqc.MQOO_INPUT_SHARED)
    try:
        request = get.get(connection, handle, cmqc.MQGMO_SYNCPOINT)
        asked = request.md
        reply = MQMD(
            msg_type=cmqc.MQMT_REPLY,
            expiry_tenths=reply_expiry(asked.expiry_tenths, policy),
            format=asked.format,
            persistence=asked.persistence,
            priority=asked.priority,
            correl_id=asked.msg_id,
        )
        try:
            stored = put.put1(
                connection, asked.reply_to_q, reply, body, cmqc.MQPMO_SYNCPOINT,
                queue_manager=asked.reply_to_q_mgr,
            )  # fmt: skip
        except MQIError:
            connection.back_out()
            raise
        connection.commit()
        return stored
    finally:
        connection.close(handle)
