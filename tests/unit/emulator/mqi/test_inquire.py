"""MQINQ where no program of C is needed to see it."""

from __future__ import annotations

from struct import pack

from mqtriage.emulator.admin import inert_definitions
from mqtriage.emulator.mqi.session import OpenObject, Session, Shared
from mqtriage.emulator.mqi.verbs.inquire import inquire
from mqtriage.mq import cmqc
from tests.unit.emulator.conftest import Lab

_Q_TYPE = 20


def test_what_is_no_queue_has_no_type_of_queue(lab: Lab) -> None:
    connection = lab.mq.connection
    inert_definitions.define(connection, "NAMELIST", "FRUIT", {"NAMES": "APPLE.Q"})
    opened = OpenObject("NAMELIST", "FRUIT", cmqc.MQOO_INQUIRE, connection)
    session = Session(Shared(lab.path))
    handle = session.add(opened)
    reply = inquire(session, (handle, 1, 0), (pack("<i", _Q_TYPE),))
    assert reply.reason == cmqc.MQRC_SELECTOR_NOT_FOR_TYPE
