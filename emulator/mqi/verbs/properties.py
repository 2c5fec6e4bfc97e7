"""MQCRTMH, MQDLTMH, MQSETMP, MQINQMP, MQDLTMP, MQBUFMH and MQMHBUF."""

from __future__ import annotations

import json
from struct import Struct
from typing import Final

from mqtriage.emulator.mqi import message_handles as properties
from mqtriage.emulator.mqi.frames import Frame, MqiCall
from mqtriage.emulator.mqi.message_handles import HandleProperty, MessageHandle
from mqtriage.emulator.mqi.session import CallReply, Session
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.descriptor import pack, unpack
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.mq.properties.property_descriptor import Descriptor, has_support
from mqtriage.mq.structures import structure

_SET_OPTIONS: Final = 15
_INQUIRE_OPTIONS: Final = 62
_SUPPORTS: Final = (1, 0x400, 0x100000)
_CONTEXTS: Final = (0, 1)
_COPY_OPTIONS: Final = 31
_MOST_HANDLES: Final = 100_000
_MHBUF_OPTIONS: Final = 3
_GMO_BYTES: Final = 112
_HANDLE_AT: Final = 104
_HANDLE: Final = Struct("<q")
_CHANGING: Final = frozenset(
    (MqiCall.SETMP, MqiCall.INQMP, MqiCall.DLTMP, MqiCall.BUFMH, MqiCall.MHBUF)
)


def create(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQCRTMH."""
    fields = structure("MQCMHO").decode(blobs[0], "create a message handle")
    if int(fields["Options"]) not in range(3):
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, "create a message handle")
    shared = session.shared
    if len(shared.message_handles) >= _MOST_HANDLES:
        raise mqi_error(cmqc.MQRC_HANDLE_NOT_AVAILABLE, "create a message handle")
    number = next(shared.numbers)
    shared.message_handles[number] = MessageHandle(session)
    return CallReply((_signed(number), _signed(number >> 32)))


def _signed(number: int) -> int:
    low = number & 0xFFFFFFFF
    return low - 2**32 if low >= 2**31 else low


def handle_number(numbers: tuple[int, ...]) -> int:
    """The number of a message handle, of which each number of a frame has one half."""
    return (numbers[0] & 0xFFFFFFFF) | (numbers[1] << 32)


def _handle(session: Session, numbers: tuple[int, ...], doing: str) -> MessageHandle:
    return session.message_handle(handle_number(numbers), doing)


def _options(kind: str, raw: bytes, known: int, doing: str) -> int:
    """Options of a structure."""
    options = int(structure(kind).decode(raw, doing)["Options"])
    if options & ~known:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing)
    return options


def delete(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQDLTMH."""
    doing = "delete a message handle"
    structure("MQDMHO").version_of(blobs[0], doing)
    _handle(session, numbers, doing)
    session.shared.message_handles.pop(handle_number(numbers), None)
    return CallReply()


def set_property(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQSETMP.

    Support of an MQPD is for properties of IBM MQ; it comes back as MQPD_SUPPORT_OPTIONAL for all
    others (IBM MQ documentation, "MQPD - Support").

    Raises:
        MQIError: 2460, 2463, 2046, 2442, 2513, 2473, 2005, 2482; 2471 with no cursor.
    """
    doing = "set a property"
    smpo, raw_name, pd, value = blobs
    handle = _handle(session, numbers, doing)
    kind, length = numbers[2:4]
    options = _options("MQSMPO", smpo, _SET_OPTIONS, doing)
    if options.bit_count() > 1:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing)
    descriptor = _described(pd, doing)
    data = properties.checked_value(kind, length, value, doing)
    at = _under_cursor(handle, doing) if options & cmqc.MQSMPO_SET_PROP_UNDER_CURSOR else -1
    if at >= 0:
        name = handle.properties[at].name
    else:
        name = properties.checked_name(raw_name, doing).removeprefix("usr.")
    if not name:
        raise mqi_error(cmqc.MQRC_PROPERTY_NAME_ERROR, doing)
    if descriptor.support != cmqc.MQPD_SUPPORT_OPTIONAL and not has_support(name):
        descriptor = descriptor._replace(support=cmqc.MQPD_SUPPORT_OPTIONAL)
        pd = structure("MQPD").patched(pd, Support=cmqc.MQPD_SUPPORT_OPTIONAL)
    prop = HandleProperty(name, kind, data, descriptor)
    if at >= 0:
        handle.properties[at] = prop
    elif options & (cmqc.MQSMPO_SET_PROP_AFTER_CURSOR | cmqc.MQSMPO_SET_PROP_BEFORE_CURSOR):
        handle.cursor = _under_cursor(handle, doing) + bool(
            options & cmqc.MQSMPO_SET_PROP_AFTER_CURSOR
        )
        handle.properties.insert(handle.cursor, prop)
    elif options & cmqc.MQSMPO_APPEND_PROPERTY:
        handle.properties.append(prop)
    else:
        handle.set(prop)
    return CallReply((), (pd,))


def _described(pd: bytes, doing: str) -> Descriptor:
    """What an MQPD says."""
    fields = structure("MQPD").decode(pd, doing)
    described = Descriptor(
        int(fields["Support"]), int(fields["Context"]), int(fields["CopyOptions"])
    )
    wrong = described.support not in _SUPPORTS or described.context not in _CONTEXTS
    if wrong or described.copy_options & ~_COPY_OPTIONS:
        raise mqi_error(cmqc.MQRC_PD_ERROR, doing)
    if fields["Options"]:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing)
    return described


def _under_cursor(handle: MessageHandle, doing: str) -> int:
    """Where the property under the cursor stands."""
    if not 0 <= handle.cursor < len(handle.properties):
        raise mqi_error(cmqc.MQRC_PROPERTY_NOT_AVAILABLE, doing)
    return handle.cursor


def inquire(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQINQMP.

    Raises:
        MQIError: 2460, 2464, 2046, 2471, 2442, 2513, 2469, 2470, 2472, 2473, 2482.
    """
    doing = "inquire a property"
    impo, raw_name, pd = blobs
    handle = _handle(session, numbers, doing)
    wanted_type, buffer_bytes, name_room = numbers[2:5]
    options = _options("MQIMPO", impo, _INQUIRE_OPTIONS, doing)
    structure("MQPD").version_of(pd, doing)
    at = _property_index(handle, options, raw_name, doing)
    there = handle.properties[at]
    value = there
    if wanted_type and options & cmqc.MQIMPO_CONVERT_TYPE:  # else Type is output alone
        value = properties.converted(there, wanted_type, doing)
    handle.cursor = at
    length = len(value.data)
    if length > buffer_bytes and not options & cmqc.MQIMPO_QUERY_LENGTH:
        reply = CallReply((value.type, length), (impo, pd, value.data[:buffer_bytes]))
        return reply.warned(cmqc.MQRC_PROPERTY_VALUE_TOO_BIG)
    impo = structure("MQIMPO").patched(
        impo, ReturnedEncoding=cmqc.MQENC_NATIVE, ReturnedCCSID=UTF_8, TypeString=""
    )
    support, context, copy_options = there.descriptor
    pd = structure("MQPD").patched(pd, Support=support, Context=context, CopyOptions=copy_options)
    data = b"" if options & cmqc.MQIMPO_QUERY_LENGTH else value.data
    name = properties.inquired_name(there.name).encode()
    reason = cmqc.MQRC_PROPERTY_NAME_TOO_BIG if 0 < name_room < len(name) else 0
    return CallReply((value.type, length), (impo, pd, data, name)).warned(reason)


def _property_index(handle: MessageHandle, options: int, raw_name: bytes, doing: str) -> int:
    """Index of the property that a name or wildcard and the cursor lead to."""
    if options & cmqc.MQIMPO_INQ_PROP_UNDER_CURSOR:
        at = handle.cursor
    else:
        name = raw_name.decode("utf-8", "replace").rstrip(" \0")
        is_next = options & cmqc.MQIMPO_INQ_NEXT and handle.inquired in (None, raw_name)
        start = handle.cursor + 1 if is_next else 0
        if name.endswith("%"):
            beginning = name[:-1].removeprefix("usr.")
            at = _next(handle, beginning, start, only_user=name.startswith("usr."))
        else:
            properties.checked_name(raw_name, doing)
            at = handle.index(name)
            if at < start:
                at = -1
    if not options & cmqc.MQIMPO_INQ_PROP_UNDER_CURSOR:
        handle.inquired = raw_name
    if not 0 <= at < len(handle.properties):
        raise mqi_error(cmqc.MQRC_PROPERTY_NOT_AVAILABLE, doing)
    return at


def _next(handle: MessageHandle, beginning: str, start: int, *, only_user: bool) -> int:
    for at in range(start, len(handle.properties)):
        name = handle.properties[at].name
        named = name.startswith(beginning) or properties.inquired_name(name).startswith(beginning)
        if named and not (only_user and not beginning and "." in name):
            return at
    return -1


def delete_property(
    session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]
) -> CallReply:
    """MQDLTMP.

    Raises:
        MQIError: 2460, 2481, 2442, 2513; a warning 2471 where there is no such property.
    """
    doing = "delete a property"
    dmpo, raw_name = blobs
    handle = _handle(session, numbers, doing)
    options = _options("MQDMPO", dmpo, cmqc.MQDMPO_DEL_PROP_UNDER_CURSOR, doing)
    if options & cmqc.MQDMPO_DEL_PROP_UNDER_CURSOR:
        at = handle.cursor if handle.cursor < len(handle.properties) else -1
    else:
        at = handle.index(properties.checked_name(raw_name, doing))
    if at < 0:
        return CallReply().warned(cmqc.MQRC_PROPERTY_NOT_AVAILABLE)
    del handle.properties[at]
    if handle.cursor >= at:
        handle.cursor -= 1
    return CallReply()


# -- to and from an MQRFH2 in a buffer ------------------------------------------------------------


def from_buffer(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQBUFMH: the properties of the MQRFH2s that a buffer begins with go into the handle.

    With MQBMHO_DELETE_PROPERTIES they go out of the buffer, and the MQMD tells of what is left.

    Raises:
        MQIError: 2460, 2489, 2046, 2026, 2334.
    """
    doing = "take properties out of a buffer"
    bmho, raw_md, buffer = blobs
    handle = _handle(session, numbers, doing)
    options = _options("MQBMHO", bmho, cmqc.MQBMHO_DELETE_PROPERTIES, doing)
    version = structure("MQMD").version_of(raw_md, doing)
    md, body, in_buffer = properties.without_properties(unpack(raw_md), buffer)
    if md.format == RFH2_FORMAT and properties.is_damaged(md, body):
        raise mqi_error(cmqc.MQRC_RFH_ERROR, doing)
    for prop in in_buffer:
        handle.set(prop)
    if not options & cmqc.MQBMHO_DELETE_PROPERTIES:
        return CallReply((), (raw_md, buffer))
    return CallReply((), (pack(md._replace(version=version)), body))


def to_buffer(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQMHBUF: an MQRFH2 of the properties that a name or wildcard matches, and its MQMD.

    With MQMHBO_DELETE_PROPERTIES they go out of the handle.

    Raises:
        MQIError: 2460, 2501, 2046, 2442, 2026, 2471 where nothing matches.
    """
    doing = "put properties into a buffer"
    mhbo, raw_name, raw_md = blobs
    handle = _handle(session, numbers, doing)
    options = _options("MQMHBO", mhbo, _MHBUF_OPTIONS, doing)
    version = structure("MQMD").version_of(raw_md, doing)
    matching = handle.matching(raw_name, doing)
    if not matching:
        raise mqi_error(cmqc.MQRC_PROPERTY_NOT_AVAILABLE, doing)
    md, buffer = properties.with_properties(unpack(raw_md), b"", matching)
    if len(buffer) > numbers[2]:
        return CallReply(
            (len(buffer),), (raw_md,), cmqc.MQRC_PROPERTY_VALUE_TOO_BIG, cmqc.MQCC_FAILED
        )
    if options & cmqc.MQMHBO_DELETE_PROPERTIES:
        handle.properties, handle.cursor = [p for p in handle.properties if p not in matching], -1
    return CallReply((len(buffer),), (pack(md._replace(version=version)), buffer))


# -- handles that outlive their server ------------------------------------------------------------
#
# IBM's client has message handles in its own memory, so that they outlive a connection; here they
# are the server's. To a library that may connect again, each call that changes one brings its
# content back, and once connected again the library sends that content to the new server.


def with_content(session: Session, request: Frame, reply: CallReply) -> CallReply:
    """The reply, with the content of the message handle that the call has changed, if any."""
    if reply.comp_code == cmqc.MQCC_FAILED:
        return reply
    handle = session.shared.message_handles.get(_changed(request, reply))
    return reply if handle is None else reply._replace(blobs=(*reply.blobs, content(handle)))


def _changed(request: Frame, reply: CallReply) -> int:
    """The number of that handle; 0 for none. An inquiry moves its cursor."""
    if request.verb == MqiCall.CRTMH:
        return handle_number(reply.numbers)
    if request.verb in _CHANGING:
        return handle_number(request.numbers)
    if request.verb == MqiCall.GET and len(request.blobs[1]) >= _GMO_BYTES:
        return int(_HANDLE.unpack_from(request.blobs[1], _HANDLE_AT)[0])
    return 0


def content(handle: MessageHandle) -> bytes:
    """What a message handle holds, as `restore` takes it."""
    properties = [[p.name, p.type, p.data.hex(), p.descriptor] for p in handle.properties]
    return json.dumps([handle.cursor, properties]).encode()


def restore(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """Have a message handle again, as `with_content` or a message read ahead told of it.

    Raises:
        MQIError: 2460 where that is no such content; 2018.
    """
    session.require_connection()
    try:
        cursor, properties = json.loads(blobs[0])
        restored = [
            HandleProperty(
                str(name), int(kind), bytes.fromhex(data), Descriptor(*map(int, descriptor))
            )
            for name, kind, data, descriptor in properties
        ]
        handle = MessageHandle(session, restored, int(cursor))
    except (TypeError, ValueError) as error:
        detail = f"no content of a message handle: {error}"
        raise mqi_error(cmqc.MQRC_HMSG_ERROR, "restore a message handle", detail=detail) from error
    number = handle_number(numbers)
    there = session.shared.message_handles.get(number)
    if there is not None:  # it stays whose it is
        handle.owner = there.owner
    session.shared.message_handles[number] = handle
    return CallReply()
