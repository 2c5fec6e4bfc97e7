"""The calls of the MQI as they come over a client channel, done by the same code as those of C.

Each function takes the conversation and the body of the call, and returns the body of the reply;
None where no reply is due. They run while the queue manager's lock is held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from struct import Struct
from typing import Final

from mqtriage.emulator.channel.bodies import Body, changed, text_of, with_texts
from mqtriage.emulator.channel.conversation import Conversation, failed
from mqtriage.emulator.channel.segments import BadSegment, SegmentType
from mqtriage.emulator.core.connections import connection_id_of
from mqtriage.emulator.mqi.dispatcher import guarded
from mqtriage.emulator.mqi.frames import MqiCall
from mqtriage.emulator.mqi.session import CallReply, OpenObject
from mqtriage.emulator.mqi.verbs import pubsub
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.structures import structure

Call = Callable[[Conversation, Body], Body | None]

_INT: Final = Struct("<i")
_PERSISTENCE_AT: Final = structure("MQMD").field("Persistence").offset
OPTIONS_AT: Final = structure("MQGMO").field("Options").offset
"""Of MQGMO; of MQPMO as well."""
_MOST_ATTRIBUTES: Final = 2048
_MOST_CHARACTERS: Final = 1 << 16
_CONNECTED_VERSION: Final = 3
"""Of the FCNO in a reply, at most."""
_POLICIES_COME_ALONG: Final = 0x01
"""Flag of the FCNO in a reply: what is opened brings the policy that protects it."""
_NOBODY: Final = 0
"""Number of no connection; one that is refused is told an id all the same."""
_SPI_OPEN_BYTES: Final = 100
"""From the start of the SPI's structure to the MQOD in it."""
_REFUSED_QUEUE: Final = b"SYSTEM.PROTECTION.ERROR.QUEUE"
_CCSID: Final = 819


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
    session = conversation.session
    session.options = body["cno_options"]
    session.tag = body.get("returned_tag", b"").rstrip(b"\0")
    reply = conversation.perform(
        MqiCall.CONN,
        (0, 0),
        (
            body["queue_manager"], b"", body["application"], given.user, given.password,
            conversation.channel.encode("latin-1"),
        ),
    )  # fmt: skip
    answer = {
        **body,
        **heading(reply, 0),
        "fcno_version": min(body["fcno_version"], _CONNECTED_VERSION),
        "fcno_flags": body["fcno_flags"] | _POLICIES_COME_ALONG,
        "reserved": bytes(104),
        "returned_tag": bytes(cmqc.MQ_CONN_TAG_LENGTH),
        "tail": bytes(len(body["tail"])),
    }
    if reply.comp_code == cmqc.MQCC_FAILED:
        manager = session.shared.manager()
        return answer | {"connection_id": connection_id_of(manager, _NOBODY)}
    session.connection.application_type = body["application_type"]
    conversation.connection_id = reply.blobs[0]
    tag = session.connection.tag.encode("latin-1").ljust(cmqc.MQ_CONN_TAG_LENGTH, b"\0")
    return answer | {"connection_id": reply.blobs[0], "returned_tag": tag}


def disconnect(conversation: Conversation, body: Body) -> Body:
    """MQDISC: an open unit of work is committed, and nothing more is delivered."""
    if conversation.delivery is not None:
        conversation.delivery.stop()
        conversation.delivery = None
    return heading(conversation.perform(MqiCall.DISC, (), ()), 0)


def open_object(conversation: Conversation, body: Body) -> Body:
    """MQOPEN, and the SPI's OPEN, which has the same object and options.

    A client that was told so at MQCONN learns here that no policy protects the queue; an older one
    asks for the queue of policies, and there is none.
    """
    reply = conversation.perform(MqiCall.OPEN, (body["options"],), (*_object_of(body), b""))
    if reply.comp_code == cmqc.MQCC_FAILED:
        return {**body, **heading(reply, 0), **policy_of(body, None)}
    handle = reply.numbers[0]
    od, block = with_texts("MQOD", reply.blobs[0], {})
    opened = conversation.session.object(handle, "open")
    answer = {
        **body,
        **heading(reply, handle),
        **defaults(opened),
        "od": od,
        "od_texts": block,
    }
    return {**answer, **policy_of(answer, opened)}


def policy_of(body: Body, opened: OpenObject | None) -> Body:
    """What protects an object (Advanced Message Security): nothing, said of queues in a block."""
    if "policy_length" not in body:
        return {}
    is_queue = opened is not None and opened.handle is not None
    policy = no_policy(opened.name) if opened is not None and is_queue else b""
    if "fopa" in body:
        offset = body["fopa"][2]
    else:
        described = structure("MQOD", is_on_wire=True)
        offset = _SPI_OPEN_BYTES + described.ends[_INT.unpack_from(body["od"], 4)[0]]
        offset += len(body.get("od_texts", b""))
    return {
        "od_texts": body.get("od_texts", b""),
        "refused_queue": (_REFUSED_QUEUE if is_queue else b"").ljust(48),
        "policy_offset": offset,
        "policy_length": len(policy),
        "policy": policy,
    }


@lru_cache(maxsize=64)  # programs open the same queues again and again
def no_policy(name: str) -> bytes:
    """That no policy protects a queue, as queue managers of 9.1 and 9.4 say it: a PCF of USER."""
    parameters = [
        Struct(">iiii").pack(cmqcfc.MQCFT_INTEGER, 16, number, value)
        for number, value in ((5, 1), (7, 0), (8, 0), (9, 0), (14, 0), (10, 0), (12, 0))
    ]
    raw = name.encode("latin-1").ljust(48)
    text = Struct(">iiiii").pack(cmqcfc.MQCFT_STRING, 20 + len(raw), 6, _CCSID, len(raw)) + raw
    parameters.insert(1, text)
    head = (cmqcfc.MQCFT_USER, 36, 3, 0, 1, cmqcfc.MQCFC_LAST, 0, 0, len(parameters))
    return Struct(">9i").pack(*head) + b"".join(parameters)


def defaults(opened: OpenObject) -> Body:
    """What the queue says for what a program leaves open: persistence, response and read ahead.

    The queue manager says nothing.
    """
    if opened.kind == "qmgr":
        names = "persistence", "put_response", "read_ahead", "property_control"
        return dict.fromkeys(names, -1)
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
    """MQINQ: the reply has the integers that were asked for, and the characters that there are."""
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
        "character_length": len(characters),
        "characters": characters,
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
    answer = _put_back(conversation, body, reply, reply.blobs[1:3], cmqc.MQHO_UNUSABLE_HOBJ)
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
