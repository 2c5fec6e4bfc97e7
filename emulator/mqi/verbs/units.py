"""MQBEGIN, MQCMIT and MQBACK."""

from __future__ import annotations

from mqtriage.emulator.mqi.session import CallReply, Session
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.structures import structure


def commit(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQCMIT.

    Raises:
        MQIError: 2003, and the unit of work is backed out: an asynchronous put of a persistent
            message in it has failed.
    """
    connection = session.connection
    connection.look("commit")
    if session.is_spoiled:
        back_out(session, numbers, blobs)
        detail = "an asynchronous put has failed; MQSTAT has its reason"
        raise mqi_error(cmqc.MQRC_BACKED_OUT, "commit", detail=detail)
    connection.commit()
    session.shared.wake_up.notify()
    return CallReply()


def back_out(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQBACK."""
    connection = session.connection
    connection.look("back out")
    session.is_spoiled = False
    connection.back_out()
    session.shared.wake_up.notify()
    return CallReply()


def begin(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQBEGIN: there are no resource managers to coordinate, which MQ tells as a warning."""
    connection = session.connection
    if blobs[0] and structure("MQBO").decode(blobs[0], "begin")["Options"]:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, "begin")
    if connection.unit.count:
        raise mqi_error(cmqc.MQRC_UOW_IN_PROGRESS, "begin")
    return CallReply().warned(cmqc.MQRC_NO_EXTERNAL_PARTICIPANTS)
