"""What the log of a simulated client says, by kind."""

from __future__ import annotations

from collections.abc import Iterable

from mqtriage.emulator.clients.events import Event, Happened


def kinds(log: Iterable[Event]) -> list[Happened]:
    """What happened, in order, without the rest."""
    return [event.happened for event in log]


def events_of(log: Iterable[Event], *happened: Happened) -> list[Event]:
    """Those of some kinds, in order."""
    return [event for event in log if event.happened in happened]
