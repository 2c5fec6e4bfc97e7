"""Who has come by which channel, and which channels are stopped.

STOP CHANNEL of a server-connection channel does two things: the instances that run then are to end,
and with STATUS(STOPPED) no new one begins until START CHANNEL. Both are kept in the file, so that
whoever serves clients sees what any program has commanded. A channel of that type is stopped no
longer than the queue manager runs.

Source: IBM MQ documentation, "STOP CHANNEL", "Stopping MQI channels", "Restarting stopped
channels".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import definitions, handles
from mqtriage.emulator.core.tables.state import definitions_changed
from mqtriage.records import NamedTuple

Mode: TypeAlias = Literal["QUIESCE", "FORCE", "TERMINATE"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)

QUIESCE_S: Final = 5.0
"""How long programs have to end by themselves once STOP CHANNEL has told them to."""
KIND: Final = "STOPPED"
"""Kind of what is kept of stopped channels (`tables.definitions`)."""


class Instance(NamedTuple):
    """One socket of a client: an instance of a server-connection channel.

    Attributes:
        address: the client's, as CONNAME shows it.
        job: of the server and the socket in it; no two instances have the same.
        conversations: that may share it; 0 where they cannot.
        protocol: SECPROT.
        peer: the certificate that the client showed, "" for none.
        product: what the client calls itself, such as MQJM09040500.
        thread: of the server's, in its own count.
    """

    channel: str
    address: str
    job: str
    conversations: int
    heartbeat_s: int
    protocol: str
    peer: str
    product: str = ""
    thread: int = 1


class Came(NamedTuple):
    """How a program came, as DISPLAY CONN shows it.

    Attributes:
        instance: of the channel that it came by; None for a local program.
        process: number of the program's, or of the server's for one that came by a channel.
        options: MQCNO_* that it gave.
        tag: connection tag that it has from another of its connections; "" for one of its own.
    """

    instance: Instance | None
    process: int = 0
    options: int = 0
    tag: str = ""


def came_of(text: str) -> Came:
    """How a program came, as the file has it."""
    if not text:
        return Came(None)
    instance, *others = json.loads(text)
    return Came(None if instance is None else Instance(*instance), *others)


class Stop(NamedTuple):
    """What STOP CHANNEL has said.

    Attributes:
        address: of the clients whose instances are to end; "" for all of the channel's.
        last: the highest number of a connection that was there then.
    """

    channel: str
    address: str
    mode: Mode
    is_stopped: bool
    last: int
    run: int


def is_stopped(manager: Manager, channel: str) -> bool:
    """Whether a channel takes no new clients."""
    return any(stop.is_stopped for stop in _of(manager, channel))


def ending(manager: Manager, instance: Instance, number: int) -> Mode | None:
    """How the connection of that number, which came by *instance*, is to end; None if it is not."""
    stops = _stops(manager)
    if not stops:  # so it is at nearly every call
        return None
    modes = [
        stop.mode
        for stop in _of(manager, instance.channel)
        if number <= stop.last and stop.address in ("", instance.address)
    ]
    return max(modes, key=MODES.index, default=None)


def are_ending(manager: Manager) -> bool:
    """Whether anything was stopped in this run of the queue manager."""
    run = manager.state.run
    return any(stop.run == run for stops in _stops(manager).values() for stop in stops)


def stopped(manager: Manager) -> list[str]:
    """The channels that take no new clients, by name."""
    return sorted(name for name in _stops(manager) if is_stopped(manager, name))


def stop(manager: Manager, channel: str, address: str, mode: Mode, *, stays: bool) -> None:
    """Have the instances that are there end; inside a transaction.

    Args:
        address: of their clients; "" for all.
        stays: whether the channel is stopped until it is started.
    """
    last = handles.last_connection(manager.store)
    _write(manager, Stop(channel, address, mode, stays, last, manager.state.run))


def start(manager: Manager, channel: str) -> None:
    """Let new instances begin; those that were to end still do. Inside a transaction."""
    for one in _of(manager, channel):
        if one.is_stopped:
            _write(manager, one._replace(is_stopped=False))


def _write(manager: Manager, stop: Stop) -> None:
    name = f"{stop.channel} {stop.address}".rstrip()
    definitions.write(manager.store, KIND, name, json.dumps(stop))
    definitions_changed(manager.store)


def _of(manager: Manager, channel: str) -> list[Stop]:
    stops = _stops(manager).get(channel)
    return [one for one in stops if one.run == manager.state.run] if stops else []


def _stops(manager: Manager) -> Mapping[str, list[Stop]]:
    return manager.derived("stopped channels", _load)


def _load(manager: Manager) -> dict[str, list[Stop]]:
    loaded: dict[str, list[Stop]] = {}
    for _, text in definitions.of_kind(manager.store, KIND):
        one = Stop(*json.loads(text))
        loaded.setdefault(one.channel, []).append(one)
    return loaded
