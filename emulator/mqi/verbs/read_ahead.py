"""Messages that a client has sent ahead of its program's MQGET: nonpersistent, outside syncpoint.

Whether a handle reads ahead is said when it is opened (`objects.reads_ahead`). The library
(library/ahead.c) asks for more whenever its buffer has nothing for an MQGET, and keeps to the rules
on options of MQGET.

Source: IBM MQ documentation, "Improving performance of nonpersistent messages", "Enabling and
disabling read ahead", "MQGET options and read ahead", DEFREADA of DEFINE QLOCAL.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from mqtriage.emulator.mqi.message_handles import MessageHandle
from mqtriage.emulator.mqi.session import CallReply, Session
from mqtriage.emulator.mqi.verbs.get import get
from mqtriage.emulator.mqi.verbs.properties import content
from mqtriage.mq import cmqc
from mqtriage.mq.delay import GREATEST_MAXMSGL
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.structures import structure

_INT: Final = Struct("<i")
_HANDLE: Final = Struct("<q")
_OPTIONS_AT: Final = 8
_HANDLE_AT: Final = 104
_GMO_BYTES: Final = 112
_ENTRY: Final = Struct("<7i")
"""CompCode, Reason, DataLength; how many bytes of MQMD, MQGMO, properties and data follow."""


def ahead(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """The next messages that an MQGET with these options would get, until they fill the room.

    A persistent message, or anything else that is not simply got, ends them: the program's own
    call meets it.

    Raises:
        MQIError: 2018, 2019, 2186.
    """
    number, room = numbers
    md, gmo = blobs
    session.object(number, "read ahead")
    structure("MQGMO").version_of(gmo, "read ahead")
    patched = bytearray(gmo)
    options = _INT.unpack_from(gmo, _OPTIONS_AT)[0] & ~(
        cmqc.MQGMO_WAIT | cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT
    )
    _INT.pack_into(patched, _OPTIONS_AT, options | cmqc.MQGMO_NO_SYNCPOINT)
    handles = session.shared.message_handles
    asked = _HANDLE.unpack_from(gmo, _HANDLE_AT)[0] if len(gmo) >= _GMO_BYTES else 0
    own = next(session.shared.numbers) if asked in handles else 0
    if own:
        handles[own] = MessageHandle(session)
        _HANDLE.pack_into(patched, _HANDLE_AT, own)
    entries: list[bytes] = []
    try:
        while room > 0:
            call = (number, GREATEST_MAXMSGL), (md, bytes(patched))
            reply = get(session, *call, takes_persistent=False)
            properties = content(handles[own]) if own else b""
            entries.append(_entry(reply, properties))
            room -= cmqc.MQMD_LENGTH_2 + len(reply.blobs[2])
    except MQTriageError:
        pass
    finally:
        handles.pop(own, None)
    return CallReply((), (b"".join(entries),))


def _entry(reply: CallReply, properties: bytes) -> bytes:
    md, gmo, data = reply.blobs
    lengths = len(md), len(gmo), len(properties), len(data)
    head = _ENTRY.pack(reply.comp_code, reply.reason, reply.numbers[0], *lengths)
    return head + md + gmo + properties + data
