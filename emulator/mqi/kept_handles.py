"""Message handles that outlive their server.

IBM's client has message handles in its own memory, so that they outlive a connection; here they are
the server's. To a library that may connect again, each call that changes one brings its content
back, and once connected again the library sends that content to the new server.
"""

from __future__ import annotations

import json
from struct import Struct
from typing import Final

from mqtriage.emulator.mqi.frames import Frame, Verb
from mqtriage.emulator.mqi.message_handles import MessageHandle, Property
from mqtriage.emulator.mqi.session import Reply, Session
from mqtriage.emulator.mqi.verbs.properties import handle_number
from mqtriage.mq import codes
from mqtriage.mq.constants import MQCC_FAILED
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.property_descriptor import Descriptor

_GMO_BYTES: Final = 112
_HANDLE_AT: Final = 104
_HANDLE: Final = Struct("<q")
_CHANGING: Final = frozenset((Verb.SETMP, Verb.INQMP, Verb.DLTMP, Verb.BUFMH, Verb.MHBUF))


def with_content(session: Session, request: Frame, reply: Reply) -> Reply:
    """The reply, with the content of the message handle that the call has changed, if any."""
    if reply.comp_code == MQCC_FAILED:
        return reply
    handle = session.shared.message_handles.get(_changed(request, reply))
    return reply if handle is None else reply._replace(blobs=(*reply.blobs, _content(handle)))


def _changed(request: Frame, reply: Reply) -> int:
    """The number of that handle; 0 for none. An inquiry moves its cursor."""
    if request.verb == Verb.CRTMH:
        return handle_number(reply.numbers)
    if request.verb in _CHANGING:
        return handle_number(request.numbers)
    if request.verb == Verb.GET and len(request.blobs[1]) >= _GMO_BYTES:
        return int(_HANDLE.unpack_from(request.blobs[1], _HANDLE_AT)[0])
    return 0


def _content(handle: MessageHandle) -> bytes:
    properties = [[p.name, p.type, p.data.hex(), p.descriptor] for p in handle.properties]
    return json.dumps([handle.cursor, properties]).encode()


def restore(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> Reply:
    """Have a message handle again, as `with_content` told of it.

    Raises:
        MQIError: 2460 where that is no such content; 2018.
    """
    session.connection  # noqa: B018  says 2018 where there is none
    try:
        cursor, properties = json.loads(blobs[0])
        restored = [
            Property(str(name), int(kind), bytes.fromhex(data), Descriptor(*map(int, descriptor)))
            for name, kind, data, descriptor in properties
        ]
        handle = MessageHandle(session, restored, int(cursor))
    except (TypeError, ValueError) as error:
        detail = f"no content of a message handle: {error}"
        raise mqi_error(codes.MQRC_HMSG_ERROR, "restore a message handle", detail=detail) from error
    session.shared.message_handles[handle_number(numbers)] = handle
    return Reply()
