"""MQCB, and the wait of a library whose consumers have nothing to do."""

from __future__ import annotations

import time
from typing import Final

from mqtriage.emulator.core.connections import INPUT
from mqtriage.emulator.mqi.session import CallReply, Session
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.structures import structure

_CALLBACK_OPTIONS: Final = 0xE305


def callback(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQCB: look whether what it names is in order; the library keeps the function itself.

    Raises:
        MQIError: 2488, 2444, 2483 to 2485, 2019, 2037, 2026, 2186.
    """
    operation, number = numbers
    cbd, md, gmo = blobs
    doing = "register a consumer"
    session.require_connection()
    unknown = (
        operation
        & ~(cmqc.MQOP_REGISTER | cmqc.MQOP_DEREGISTER | cmqc.MQOP_SUSPEND | cmqc.MQOP_RESUME)
        or not operation
    )
    if unknown or (operation & cmqc.MQOP_REGISTER and operation & cmqc.MQOP_DEREGISTER):
        raise mqi_error(cmqc.MQRC_OPERATION_ERROR, doing)
    fields = structure("MQCBD").decode(cbd, doing)
    kind = int(fields["CallbackType"])
    if int(fields["Options"]) & ~_CALLBACK_OPTIONS:
        raise mqi_error(cmqc.MQRC_CBD_OPTIONS_ERROR, doing)
    if int(fields["MaxMsgLength"]) < cmqc.MQCBD_FULL_MSG_LENGTH:
        raise mqi_error(cmqc.MQRC_MAX_MSG_LENGTH_ERROR, doing)
    if kind == cmqc.MQCBT_EVENT_HANDLER:
        return CallReply()
    if kind != cmqc.MQCBT_MESSAGE_CONSUMER:
        raise mqi_error(cmqc.MQRC_CALLBACK_TYPE_ERROR, doing)
    opened = session.object(number, doing)
    if operation & cmqc.MQOP_REGISTER:
        if not int(fields["CallbackFunction"]):
            raise mqi_error(cmqc.MQRC_CALLBACK_ROUTINE_ERROR, doing)
        if md:
            structure("MQMD").version_of(md, doing)
        if gmo:
            structure("MQGMO").version_of(gmo, doing)
        if opened.handle is None or not opened.options & (INPUT | 8):
            raise mqi_error(cmqc.MQRC_NOT_OPEN_FOR_INPUT, doing, object_name=opened.name)
    return CallReply()


def wait(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """Wait until something changed, or so many milliseconds; for a library with consumers."""
    milliseconds = min(max(numbers[0], 0), 1000)
    session.sleep(time.monotonic() + milliseconds / 1000)
    session.connection.look("wait")
    return CallReply()
