"""Whether a user may run a command that comes by PCF: CHG, CLR, CRT, DLT, DSP on the object.

Checked like calls to the MQI (`authority`): with the switch on, for all but the owner and `mqm`.
Source: IBM MQ documentation, "Authority checking for PCF commands in IBM MQ".
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core.authority import granted, is_checked
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.mqsc.tree import Command

_WORDS: Final = {
    "ALTER": "CHG", "CLEAR": "CLR", "DEFINE": "CRT", "DELETE": "DLT", "DISPLAY": "DSP",
    "MOVE": "CHG", "PING": "DSP", "REFRESH": "CHG", "RESET": "CHG", "SET": "CHG",
}  # fmt: skip
_TYPES: Final = {
    **dict.fromkeys((*QUEUE_KINDS, "QUEUE", "QSTATUS", "QSTATS"), "QUEUE"),
    **{kind: kind for kind in (
        "AUTHINFO", "CHANNEL", "LISTENER", "NAMELIST", "PROCESS", "SERVICE", "TOPIC",
    )},
}  # fmt: skip
"""Object types that have authorities of their own; all else is the queue manager's."""


def may(connection: Connection, command: Command) -> bool:
    """Whether the connection's user may run a command.

    A DISPLAY of a generic name needs DSP on a profile that matches the name as it stands.
    """
    if not is_checked(connection):
        return True
    word = _WORDS.get(command.verb, "CHG")
    type_ = _TYPES.get(command.noun, "QMGR")
    name = command.name.text if command.name and type_ != "QMGR" else ""
    name = name or connection.manager.identity.name
    return word in granted(connection, type_, name)
