"""START LISTENER, STOP LISTENER and DISPLAY LSSTATUS: the port of `emulator serve --tcp`.

Each queue manager has one listener. Its object is the LISTENER with that port, else the one of
IBM's developer image, else the first for TCP that is not a SYSTEM object.
Source: IBM MQ documentation, "START LISTENER", "STOP LISTENER", "DISPLAY LSSTATUS".
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.admin.display import word_of
from mqtriage.emulator.admin.mqsc_display import displayed
from mqtriage.emulator.admin.mqsc_status import read_status_display
from mqtriage.emulator.core import listeners
from mqtriage.emulator.core.clock import date_and_time
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.listeners import Port
from mqtriage.emulator.core.manager import Manager
from mqtriage.mq import cmqcfc
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, done, failed, not_emulated
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.names import matches

_DEFAULT: Final = "SYSTEM.DEFAULT.LISTENER.TCP"
_DEVELOPERS: Final = "DEV.LISTENER.TCP"
_ALWAYS: Final = ("LISTENER", "STATUS", "PID")
_OTHERS: Final = (
    "STARTDA", "STARTTI", "DESCR", "TRPTYPE", "CONTROL", "IPADDR", "PORT", "BACKLOG",
)  # fmt: skip
_STARTED, _STOPPED = 8021, 8706
_ACTIVE, _NOT_ACTIVE = 8730, 8731


def start(connection: Connection, command: Command) -> Reply:
    """START LISTENER: the server accepts clients again."""
    name, forgives = _named(connection, command)
    manager = connection.manager
    now_us = connection.look(f"start listener {name}")
    port = listeners.port_of(manager.path)
    if port is None or name != _listener(manager, port):
        return not_emulated(
            "START LISTENER works only for the port that 'emulator serve --tcp' uses"
        )
    if not port.is_stopped:
        if forgives:
            return done(_STARTED)
        return failed(_ACTIVE, cmqcfc.MQRCCF_LISTENER_RUNNING)
    listeners.start(manager.path, now_us)
    return done(_STARTED)


def stop(connection: Connection, command: Command) -> Reply:
    """STOP LISTENER: the server accepts no new clients; connected ones continue."""
    name, forgives = _named(connection, command)
    manager = connection.manager
    port = listeners.port_of(manager.path)
    if port is None or port.is_stopped or name != _listener(manager, port):
        return done(_STOPPED) if forgives else failed(_NOT_ACTIVE, cmqcfc.MQRCCF_LISTENER_STOPPED)
    listeners.stop(manager.path)
    return done(_STOPPED)


def listener_status(connection: Connection, command: Command) -> Reply:
    """DISPLAY LSSTATUS: the listener that accepts clients."""
    name = command.named("*")
    display = read_status_display(command, (*_ALWAYS, *_OTHERS), all_by_default=False)
    connection.look("display LSSTATUS")
    manager = connection.manager
    port = listeners.port_of(manager.path)
    if port is not None and not port.is_stopped and matches(name, _listener(manager, port)):
        values = _values(manager, port)
        if display.keeps("LSSTATUS", values):
            first = {key: values[key] for key in _ALWAYS}
            line = displayed(8631, "LSSTATUS", first, values, display)
            return Reply(CommandEnding.DONE, (line,))
    return failed(8147, cmqcfc.MQRCCF_LSTR_STATUS_NOT_FOUND, name=name)


def _values(manager: Manager, port: Port) -> dict[str, AttributeValue]:
    name = _listener(manager, port)
    held = kept.objects(manager, "LISTENER").get(name, {})
    date, time = date_and_time(port.since_us)
    cells: tuple[AttributeValue, ...] = (
        name, "RUNNING", port.process, date, time, held.get("DESCR", ""), "TCP",
        held.get("CONTROL", "MANUAL"), port.address, port.number, held.get("BACKLOG", 0),
    )  # fmt: skip
    return dict(zip((*_ALWAYS, *_OTHERS), cells, strict=True))


def _named(connection: Connection, command: Command) -> tuple[str, bool]:
    """The listener that a command is about, which is defined, and whether IGNSTATE(YES)."""
    name = command.named(_DEFAULT)
    forgives = word_of(command, "IGNSTATE", ("NO", "YES")) == "YES"
    doing = f"{command.verb.lower()} listener {name}"
    connection.look(doing)
    kept.named(connection.manager, "LISTENER", name, doing)
    return name, forgives


def _listener(manager: Manager, port: Port) -> str:
    """The LISTENER object of the served port; the default one if none fits."""
    of_tcp = {
        name: held
        for name, held in sorted(kept.objects(manager, "LISTENER").items())
        if held.get("TRPTYPE") == "TCP"
    }
    own = [name for name in of_tcp if not name.startswith("SYSTEM.")]
    others = [name for name in of_tcp if name not in (*own, _DEFAULT)]
    there = [name for name in (*own, *others) if of_tcp[name].get("PORT") == port.number]
    return next((name for name in (*there, _DEVELOPERS, *own) if name in of_tcp), _DEFAULT)
