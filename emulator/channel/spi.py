"""The SPI: calls beside the MQI by which IBM's client for JMS does what the MQI has no words for.

Among them is the delivery delay of JMS 2.0, which no call of the MQI can ask for.

Source: the recorded exchanges.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from typing import Final

from mqtriage.emulator.channel import bodies, calls
from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.conversation import Conversation, failed
from mqtriage.emulator.core.put.descriptor import id_prefix
from mqtriage.emulator.mqi.dispatcher import guarded
from mqtriage.emulator.mqi.session import CallReply
from mqtriage.emulator.mqi.verbs.put import put_to
from mqtriage.mq import cmqc

_NO_VERB: Final = (0, 0, 0, 0)
_VERSIONS: Final = (
    (bodies.QUERY, 2, 2, 2), (bodies.PUT, 1, 3, 1), (3, 2, 2, 3), (4, 1, 1, 1), (5, 1, 1, 1),
    (bodies.RESERVE, 1, 1, 1), (bodies.SUBSCRIBE, 1, 1, 1), (8, 1, 1, 1), _NO_VERB, _NO_VERB,
    (bodies.NOTIFY, 1, 1, 1), (bodies.OPEN, 1, 2, 2),
)  # fmt: skip
"""Each verb with the versions of its structures: both ways, in, and out.

The client sends a put in version 3, which has room for the delivery delay, only where that is
offered; else it drops the delay without a word.
"""
_SAVE_CONTEXT: Final = 3
"""SPI options: identity context, and origin context."""
_SHARED: Final = 0x50
"""In the flags of a subscription: a shared consumer's, durable or not."""
_NO_COUNTER_BYTES: Final = 3
_COUNTER_AT: Final = 22
_reserved: Final = itertools.count(int.from_bytes(os.urandom(4)) << 8)


def query(conversation: Conversation, body: Body) -> Body:
    """Which verbs there are, and in which versions."""
    verbs = tuple(number for verb in _VERSIONS for number in (*verb, int(verb != _NO_VERB)))
    out = b"SPQO", 1, 16 + 4 * len(verbs)
    return {**failed(0), "out": out, "count": len(_VERSIONS), "verbs": verbs}


def open_object(conversation: Conversation, body: Body) -> Body:
    """Open for a consumer or producer; a selector comes in the MQOD.

    A consumer asks that the context of what it gets is saved, by which it moves poison messages.
    """
    saved = cmqc.MQOO_SAVE_ALL_CONTEXT if body["spi_options"] & _SAVE_CONTEXT else 0
    answer = calls.open_object(conversation, bodies.changed(body, options=body["options"] | saved))
    _, version, length = body["in"]
    if "policy_length" in answer:
        length = answer["policy_offset"] + answer["policy_length"]
    return {**answer, "options": body["options"], "out": (b"SPOO", version, length)}


def put(conversation: Conversation, body: Body) -> Body:
    """Put with a delivery delay, in milliseconds."""
    delay_ms = (body.get("delay_high", 0) << 32) | body.get("delay_low", 0)
    session = conversation.session

    def send() -> CallReply:
        opened = session.object(body["handle"], "put")
        md, pmo, data = body["md"], body["pmo"], body["data"]
        return put_to(session, opened, md, pmo, data, delay_ms=delay_ms)

    reply = guarded(session, send)
    answer = {**body, **calls.heading(reply, body["handle"]), "out": (b"SPPO", 1, 12)}
    if reply.blobs:
        answer["md"], answer["pmo"] = reply.blobs
    return answer


def reserve(conversation: Conversation, body: Body) -> Body:
    """Message ids for puts that have no reply: the client counts on from the one it gets.

    It counts in the last three bytes, which begin at 0, and keeps the rest, which nobody else has.
    """
    if not conversation.session.is_connected:
        return failed(cmqc.MQRC_HCONN_ERROR)
    manager = conversation.session.connection.manager.identity.name
    unique = (next(_reserved) & 0xFFFFFFFFFF).to_bytes(5)
    return {
        **failed(0),
        "out": (b"SPRO", 1, 44),
        "count": body["count"],
        "position": _COUNTER_AT,
        "tag": id_prefix(manager) + unique + bytes(_NO_COUNTER_BYTES),
    }


def subscribe(conversation: Conversation, body: Body) -> Body:
    """Subscribe; the queue to get from is the handle of the reply."""
    is_shared = bool(body["lsd_flags"] & _SHARED)
    answer = calls.subscribe(conversation, bodies.changed(body, handle=-1), is_shared=is_shared)
    length = 212 + 312 + len(answer.get("sd_texts", b""))
    return {**answer, "out": (b"SPBO", 1, length)}


def reply_to(conversation: Conversation, body: Body) -> Body:
    """The reply to an SPI call."""
    call = _VERBS.get(body["verb"])
    answer = None if call is None else call(conversation, body)
    return {**body, **(answer or failed(cmqc.MQRC_FUNCTION_NOT_SUPPORTED))}


_VERBS: Final[Mapping[int, calls.Call]] = {
    bodies.QUERY: query,
    bodies.PUT: put,
    bodies.RESERVE: reserve,
    bodies.SUBSCRIBE: subscribe,
    bodies.OPEN: open_object,
}
