"""From a raw call of the MQI to the emulator's verbs, and its outcome back to numbers and bytes."""

from __future__ import annotations

import struct
import sys
import traceback
from collections.abc import Callable
from typing import Final, NamedTuple

from mqtriage.emulator.mqi.conversion import messages as conversion
from mqtriage.emulator.mqi.frames import BadFrame, Frame, MqiCall, packed
from mqtriage.emulator.mqi.session import CallReply, ClientGone, Session
from mqtriage.emulator.mqi.verbs import (
    consumers,
    distribution_lists,
    get,
    inquire,
    objects,
    properties,
    pubsub,
    read_ahead,
    units,
)
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, MQTriageError, StorageError, StorageKind, UsageError

Call = Callable[[Session, tuple[int, ...], tuple[bytes, ...]], CallReply]


class _CallForm(NamedTuple):
    """One call: what does it, and how many numbers and blobs it comes with."""

    call: Call
    numbers: int
    blobs: int


_CALLS: Final[dict[int, _CallForm]] = {
    MqiCall.CONN: _CallForm(objects.connect, 2, 6),
    MqiCall.DISC: _CallForm(objects.disconnect, 0, 0),
    MqiCall.OPEN: _CallForm(distribution_lists.open_object, 1, 4),
    MqiCall.CLOSE: _CallForm(objects.close, 2, 0),
    MqiCall.PUT: _CallForm(distribution_lists.put, 1, 4),
    MqiCall.PUT1: _CallForm(distribution_lists.put1, 0, 8),
    MqiCall.GET: _CallForm(get.get, 2, 2),
    MqiCall.CMIT: _CallForm(units.commit, 0, 0),
    MqiCall.BACK: _CallForm(units.back_out, 0, 0),
    MqiCall.BEGIN: _CallForm(units.begin, 0, 1),
    MqiCall.INQ: _CallForm(inquire.inquire, 3, 1),
    MqiCall.SET: _CallForm(inquire.set_attributes, 1, 3),
    MqiCall.SUB: _CallForm(pubsub.subscribe, 1, 5),
    MqiCall.SUBRQ: _CallForm(pubsub.request, 2, 1),
    MqiCall.STAT: _CallForm(objects.statistics, 1, 1),
    MqiCall.CRTMH: _CallForm(properties.create, 0, 1),
    MqiCall.DLTMH: _CallForm(properties.delete, 2, 1),
    MqiCall.SETMP: _CallForm(properties.set_property, 4, 4),
    MqiCall.INQMP: _CallForm(properties.inquire, 5, 3),
    MqiCall.DLTMP: _CallForm(properties.delete_property, 2, 2),
    MqiCall.CB: _CallForm(consumers.callback, 2, 3),
    MqiCall.WAIT: _CallForm(consumers.wait, 1, 0),
    MqiCall.BUFMH: _CallForm(properties.from_buffer, 2, 3),
    MqiCall.MHBUF: _CallForm(properties.to_buffer, 3, 3),
    MqiCall.XCNVC: _CallForm(conversion.convert_characters, 4, 1),
    MqiCall.NEXT: _CallForm(objects.number_next, 1, 0),
    MqiCall.RESTORE: _CallForm(properties.restore, 2, 1),
    MqiCall.AHEAD: _CallForm(read_ahead.ahead, 2, 2),
}


def answer(session: Session, request: Frame) -> bytes:
    """The reply to one request, as it goes over the socket."""
    reply = perform(session, request)
    if session.is_reconnectable:
        reply = properties.with_content(session, request, reply)
    try:
        return packed(request.verb, (reply.comp_code, reply.reason, *reply.numbers), reply.blobs)
    except struct.error:  # a number that has no room in its field
        traceback.print_exc(file=sys.stderr)
        return refused(request, cmqc.MQRC_UNEXPECTED_ERROR)


def refused(request: Frame, reason: int) -> bytes:
    """The reply to a request that nobody has looked at."""
    return packed(request.verb, (cmqc.MQCC_FAILED, reason), ())


def perform(session: Session, request: Frame) -> CallReply:
    """Do one call, wherever it comes from.

    Raises:
        BadFrame: No such call, or numbers and blobs that are not those of the call.
        ClientGone: The client or the server ended meanwhile.
    """
    call_form = _CALLS.get(request.verb)
    if call_form is None:
        raise BadFrame(f"verb {request.verb}")
    if (len(request.numbers), len(request.blobs)) != (call_form.numbers, call_form.blobs):
        raise BadFrame(f"verb {request.verb} with {len(request.numbers)}, {len(request.blobs)}")
    return guarded(session, lambda: call_form.call(session, request.numbers, request.blobs))


_STORAGE: Final[dict[StorageKind, int]] = {
    "full": cmqc.MQRC_Q_SPACE_NOT_AVAILABLE,
    "many-files": cmqc.MQRC_UNEXPECTED_ERROR,
}


def guarded(session: Session, call: Callable[[], CallReply]) -> CallReply:
    """Do one call; whatever goes wrong becomes CompCode and Reason."""
    try:
        return call()
    except MQIError as error:
        if error.reason == cmqc.MQRC_CONNECTION_BROKEN and session.is_to_reconnect:
            return _failed(cmqc.MQRC_CONNECTION_STOPPING)  # to its library: connect again
        if error.reason == cmqc.MQRC_NOT_AUTHORIZED:  # its program hears the reason code alone
            hint = f"; {error.hint}" if error.hint else ""
            print(f"mqtriage: {error.text}{hint}", file=sys.stderr)
        return CallReply(reason=error.reason, comp_code=error.comp_code)
    except (BadFrame, ClientGone):
        raise
    except StorageError as error:
        return _failed(_STORAGE.get(error.kind, cmqc.MQRC_RESOURCE_PROBLEM))
    except UsageError:
        return _failed(cmqc.MQRC_OPTIONS_ERROR)
    except MQTriageError:
        return _failed(cmqc.MQRC_UNEXPECTED_ERROR)
    except Exception:
        # one client's bad luck must not end the others; the trace is for whoever runs the server
        traceback.print_exc(file=sys.stderr)
        return _failed(cmqc.MQRC_UNEXPECTED_ERROR)


def _failed(reason: int) -> CallReply:
    return CallReply(reason=reason, comp_code=cmqc.MQCC_FAILED)
