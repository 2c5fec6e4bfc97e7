"""The calls of the MQI as they come over a client channel, done by the same code as those of C.

Each function takes the conversation and the body of the call, and returns the body of the reply;
None where no reply is due. They run while the queue manager's turn is held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import Struct
from typing import Final

from mqtriage.emulator.channel.bodies import Body, changed, text_of, with_texts
from mqtriage.emulator.channel.conversation import Conversation, failed
from mqtriage.emulator.channel.segments import BadSegment, SegmentType
from mqtriage.emulator.mqi.dispatcher import guarded
from mqtriage.emulator.mqi.frames import MqiCall
from mqtriage.emulator.mqi.session import NOT_A_HANDLE, CallReply, OpenObject
from mqtriage.emulator.mqi.verbs import pubsub
from mqtriage.mq import cmqc
from mqtriage.mq.structures import structure

Call = Callable[[Conversation, Body], Body | None]

_INT: Final = Struct("<i")
_PERSISTENCE_AT: Final = structure("MQMD").field("Persistence").offset
OPTIONS_AT: Final = structure("MQGMO").field("Options").offset
"""Of MQGMO; of MQPMO as well."""
_MOST_ATTRIBUTES: Final = 2048
_MOST_CHARACTERS: Final = 1 << 16


def _integers(values: tuple[int, ...]) -> bytes:
    return Struct(f"<{len(values)}i").pack(*values)


def options_of(raw: bytes) -> int:
    """Options of an MQPMO or MQGMO in memory."""
    value: int = _INT.unpack_from(raw, OPTIONS_AT)[0]
    return value


def _object_of(body: Body) -> tuple[bytes, bytes, bytes]:
    """An MQOD, its ObjectString and its SelectionString."""
    od, block = body["od"], body.get("od_texts", b"")
    topic = text_of("MQOD", od, block, "ObjectString")
    return od, topic, text_of("MQOD", od, block, "SelectionString")


def heading(reply: CallReply, handle: int) -> Body:
    """CompCode, Reason and handle of a reply."""
    return {"comp_code": reply.comp_code, "reason": reply.reason, "handle": handle}


def connect(conversation: Conversation, body: Body) -> Body:
    """MQCONN."""
    given = conversation.credentials
    if conversation.session.is_connected:
        return {**body, **failed(cmqc.MQRC_ALREADY_CONNECTED)}
    reply = conversation.perform(
        MqiCall.CONN,
        (0, 0),
        (
            body["queue_manager"], b"", body["application"], given.user, given.password,
            conversation.channel.encode("latin-1"),
        ),
    )  # fmt: skip
    answer = {**body, **heading(reply, 0)}
    if reply.comp_code == cmqc.MQCC_FAILED:
        return answer
    connection_id, name, _ = reply.blobs
    conversation.session.connection.application_type = body["application_type"]
    conversation.connection_id = connection_id
    answer |= {"queue_manager": name.ljust(48), "connection_id": connection_id}
    answer["tail"] = bytes(len(body.get("tail", b"")))
    return answer


def disconnect(conversation: Conversation, body: Body) -> Body:
    """MQDISC: an open unit of work is committed, and nothing more is delivered."""
    if conversation.delivery is not None:
        conversation.delivery.stop()
        conversation.delivery = None
    return heading(conversation.perform(MqiCall.DISC, (), ()), 0)


def open_object(conversation: Conversation, body: Body) -> Body:
    """MQOPEN, and the SPI's OPEN, which has the same object and options.

    The client asks for the queue of protection policies before it uses anything; there is none.
    """
    reply = conversation.perform(MqiCall.OPEN, (body["options"],), (*_object_of(body), b""))
    if reply.comp_code == cmqc.MQCC_FAILED:
        return {**body, **heading(reply, 0)}
    handle = reply.numbers[0]
    od, block = with_texts("MQOD", reply.blobs[0], {})
    opened = conversation.session.object(handle, "open")
    return {
        **body,
        **heading(reply, handle),
        **defaults(opened),
        "od": od,
        "od_texts": block,
    }


def defaults(opened: OpenObject) -> Body:
    """What the queue says for what a program leaves open: persistence, response and read ahead."""
    attributes = {} if opened.handle is None else opened.handle.path[0].attributes
    responds_later = attributes.get("DEFPRESP") == "ASYNC"
    reads_ahead = attributes.get("DEFREADA") == "YES"
    return {
        "persistence": int(attributes.get("DEFPSIST") == "YES"),
        "put_response": cmqc.MQPRT_ASYNC_RESPONSE if responds_later else cmqc.MQPRT_SYNC_RESPONSE,
        "read_ahead": cmqc.MQREADA_YES if reads_ahead else cmqc.MQREADA_NO,
        "property_control": 0,
    }


def close(conversation: Conversation, body: Body) -> Body:
    """MQCLOSE of an object or a subscription."""
    if conversation.delivery is not None:
        conversation.delivery.forget(body["handle"])
    return heading(conversation.perform(MqiCall.CLOSE, (body["handle"], body["options"]), ()), -1)


def inquire(conversation: Conversation, body: Body) -> Body:
    """MQINQ: the reply has as many integers and characters as were asked for, whatever they are."""
    count, length = body["integer_count"], body["character_length"]
    if not (0 <= count <= _MOST_ATTRIBUTES and 0 <= length <= _MOST_CHARACTERS):
        raise BadSegment(f"asks for {count} numbers and {length} characters")
    reply = conversation.perform(
        MqiCall.INQ, (body["handle"], count, length), (_integers(body["selectors"]),)
    )
    integers, characters = reply.blobs if reply.blobs else (b"", b"")
    values = Struct(f"<{len(integers) // 4}i").unpack(integers)
    return {
        **body,
        **heading(reply, body["handle"]),
        "integers": (*values, *(0,) * (count - len(values)))[:count],
        "characters": characters.ljust(length)[:length],
    }


def set_attributes(conversation: Conversation, body: Body) -> Body:
    """MQSET."""
    blobs = _integers(body["selectors"]), _integers(body["integers"]), body["characters"]
    return heading(conversation.perform(MqiCall.SET, (body["handle"],), blobs), body["handle"])


def put(conversation: Conversation, body: Body) -> Body | None:
    """MQPUT; one with MQPMO_ASYNC_RESPONSE has no reply, whatever becomes of it."""
    pmo = body["pmo"]
    blobs = body["md"], pmo, body["data"], b""
    reply = conversation.perform(MqiCall.PUT, (body["handle"],), blobs)
    return _put_back(conversation, body, reply, reply.blobs[:2], body["handle"])


def put_too_long(conversation: Conversation, body: Body) -> Body | None:
    """A put of more than the channel's MAXMSGL: 2010, as IBM documents for clients."""
    reply = CallReply(reason=cmqc.MQRC_DATA_LENGTH_ERROR, comp_code=cmqc.MQCC_FAILED)
    return _put_back(conversation, body, reply, (), body["handle"])


def put1(conversation: Conversation, body: Body) -> Body | None:
    """MQPUT1."""
    message = body["md"], body["pmo"], body["data"]
    reply = conversation.perform(MqiCall.PUT1, (), (*_object_of(body), b"", *message, b""))
    answer = _put_back(conversation, body, reply, reply.blobs[1:3], NOT_A_HANDLE)
    if answer is not None and reply.blobs:
        answer["od"], answer["od_texts"] = with_texts("MQOD", reply.blobs[0], {})
    return answer


def _put_back(
    conversation: Conversation, body: Body, reply: CallReply, back: tuple[bytes, ...], handle: int
) -> Body | None:
    options = options_of(body["pmo"])
    if options & cmqc.MQPMO_ASYNC_RESPONSE:
        if reply.comp_code == cmqc.MQCC_FAILED:
            persistence = _INT.unpack_from(body["md"], _PERSISTENCE_AT)[0]
            conversation.session.note_failed_put(
                "",
                reply.comp_code,
                reply.reason,
                spoils_unit=bool(options & cmqc.MQPMO_SYNCPOINT)
                and persistence == cmqc.MQPER_PERSISTENT,
            )
        return None
    answer = {**body, **heading(reply, handle)}
    if back:
        answer["md"], answer["pmo"] = back
    return answer


def get(conversation: Conversation, body: Body) -> Body:
    """MQGET, waiting where it is asked to.

    A message that does not fit goes back without any of its data: the client reads one segment.
    """
    blobs = body["md"], body["gmo"]
    reply = conversation.perform(MqiCall.GET, (body["handle"], body["data_length"]), blobs)
    answer = {**body, **heading(reply, body["handle"]), "data_length": 0, "data": b""}
    if reply.blobs:
        answer["md"], answer["gmo"], data = reply.blobs
        answer["data_length"] = reply.numbers[0]
        if reply.reason != cmqc.MQRC_TRUNCATED_MSG_FAILED:
            answer["data"] = data
        else:
            answer["comp_code"] = cmqc.MQCC_FAILED
    return answer


def is_waiting(kind: int, body: Body) -> bool:
    """Whether a call may wait."""
    return kind == SegmentType.MQGET and bool(options_of(body["gmo"]) & cmqc.MQGMO_WAIT)


def without_wait(body: Body) -> Body:
    """A get as it would be without MQGMO_WAIT."""
    gmo = bytearray(body["gmo"])
    _INT.pack_into(gmo, OPTIONS_AT, options_of(body["gmo"]) & ~cmqc.MQGMO_WAIT)
    return changed(body, gmo=bytes(gmo))


def statistics(conversation: Conversation, body: Body) -> Body:
    """MQSTAT."""
    reply = conversation.perform(MqiCall.STAT, (body["type"],), (body["sts"],))
    answer = {**body, **heading(reply, 0)}
    if reply.blobs:
        answer["sts"] = reply.blobs[0]
    return answer


def subscribe(conversation: Conversation, body: Body, *, is_shared: bool = False) -> Body:
    """MQSUB; the handle of the reply is the queue's, the subscription's stands in the body."""
    session, sd, block = conversation.session, body["sd"], body["sd_texts"]
    names = "ObjectString", "SubName", "SubUserData", "SelectionString"
    strings = [text_of("MQSD", sd, block, name) for name in names]
    numbers, blobs = (body["handle"],), (sd, *strings)
    reply = guarded(session, lambda: pubsub.subscribe(session, numbers, blobs, is_shared=is_shared))
    if reply.comp_code == cmqc.MQCC_FAILED:
        return {**body, **heading(reply, -1)}
    queue, subscription, _ = reply.numbers
    sd, topic, user_data = reply.blobs
    given = dict(zip(names, strings, strict=True))
    given |= {"SubUserData": user_data, "ResObjectString": topic}
    sd, block = with_texts("MQSD", sd, given)
    return {
        **body,
        **heading(reply, queue),
        "subscription": subscription,
        "sd": sd,
        "sd_texts": block,
    }


CALLS: Final[Mapping[int, Call]] = {
    SegmentType.MQCONN: connect,
    SegmentType.MQDISC: disconnect,
    SegmentType.MQOPEN: open_object,
    SegmentType.MQCLOSE: close,
    SegmentType.MQGET: get,
    SegmentType.MQPUT: put,
    SegmentType.MQPUT1: put1,
    SegmentType.MQSET: set_attributes,
    SegmentType.MQINQ: inquire,
    SegmentType.MQCMIT: lambda caller, _: heading(caller.perform(MqiCall.CMIT, (), ()), 0),
    SegmentType.MQBACK: lambda caller, _: heading(caller.perform(MqiCall.BACK, (), ()), 0),
    SegmentType.MQSTAT: statistics,
    SegmentType.MQSUB: subscribe,
}
