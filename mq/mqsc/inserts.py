"""Words between plus signs that IBM MQ fills in itself: +QMNAME+, +AUTOCL+, +MQ_INSTALL_PATH+.

Sources: IBM MQ 9.4 "Using replaceable inserts on service definitions": a service keeps them, and
they are filled in when its program starts. IBM MQ 9.4 "Automatic configuration from an MQSC script
at startup": the queue manager fills in its name, its automatic cluster (+AUTOCL+) and what qm.ini
calls Variables when it runs the script.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq.attributes.catalogue import INSERT
from mqtriage.mq.mqsc.tree import Command, Value

_QUEUE_MANAGER: Final = "+QMNAME+"
_KEEPS_INSERTS: Final = "SERVICE"


def is_unknown(noun: str, text: str) -> bool:
    """Whether an insert in the value of an attribute hides what the attribute will be."""
    return noun != _KEEPS_INSERTS and INSERT.search(text) is not None


def filled_in(command: Command, queue_manager: str) -> Command:
    """The command as *queue_manager* reads it: +QMNAME+ is its name, but in a service."""
    if command.noun == _KEEPS_INSERTS:
        return command
    parameters = tuple(
        parameter._replace(values=tuple(_filled(v, queue_manager) for v in parameter.values))
        if parameter.values
        else parameter
        for parameter in command.parameters
    )
    name = command.name and _filled(command.name, queue_manager)
    return command._replace(name=name, parameters=parameters)


def unknown_insert(command: Command) -> str:
    """The first insert of a command that is not known before the queue manager runs it, or ""."""
    values = [value for p in command.parameters for value in p.values or ()]
    for value in (command.name, *values):
        if value is not None and is_unknown(command.noun, value.text):
            insert = INSERT.search(value.text)
            return insert[0] if insert else ""
    return ""


def _filled(value: Value, queue_manager: str) -> Value:
    if _QUEUE_MANAGER not in value.text:
        return value
    return value._replace(text=value.text.replace(_QUEUE_MANAGER, queue_manager))
