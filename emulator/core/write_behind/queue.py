"""A queue as a process that holds work back has it in memory."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, insort
from operator import attrgetter
from typing import Any, Final

from mqtriage.emulator.core.queues import Queue, position_of
from mqtriage.emulator.core.tables.counters import Counter
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from mqtriage.records import NamedTuple


class BufferedMessage(NamedTuple):
    """A message that no row stands for yet: no lifetime, never backed out."""

    position: int
    md: MQMD
    body: bytes
    put_us: int


_position: Final = attrgetter("position")


class BufferedQueue:
    """One queue as the calls since the gate was shut have left it.

    Attributes:
        depth, arrivals, put_us, get_us, high: its row of `counter` as it will be.
        messages: those put and not got, in order of delivery.
        in_units: those put by units of work, by the number of the unit, in the order of their puts.
        taken: positions of rows of the file that were got outside units of work.
        got: positions of those that units of work got, by the number of the unit.
        gone: positions of both.
        locks: positions of rows that were locked by browsing, with the number of the handle.
        browsed: position of the row that was locked last, whether it is persistent, its message.
        front: what reads the rows of the file in order, and the one that it has read last: what is
            not free for one handle is free for none while work is held back.
    """

    __slots__ = (
        "arrivals", "browsed", "depth", "front", "get_us", "gone", "got", "high", "id", "in_file",
        "in_units", "locks", "messages", "put_us", "taken",
    )  # fmt: skip

    def __init__(self, queue_id: int, counter: Counter) -> None:
        self.id = queue_id
        self.depth, self.arrivals, self.put_us, self.get_us, self.high = counter
        self.in_file = self.depth > 0
        self.messages: list[BufferedMessage] = []
        self.in_units: dict[int, list[BufferedMessage]] = {}
        self.taken: list[int] = []
        self.got: dict[int, list[int]] = {}
        self.gone: set[int] = set()
        self.locks: dict[int, int] = {}
        self.browsed: tuple[int, bool, Message] | None = None
        self.front: tuple[sqlite3.Cursor, Any] | None = None

    def put(self, queue: Queue, md: MQMD, body: bytes, put_us: int, unit: int | None) -> int | None:
        """Keep a message whose descriptor is final; its position, None where the queue is full.

        Args:
            unit: number of the unit of work that it belongs to, None for none.
        """
        if self.depth >= queue.max_depth:
            return None
        self.depth += 1
        self.arrivals += 1
        self.high = max(self.high, self.depth)
        self.put_us = put_us
        message = BufferedMessage(position_of(queue, md.priority, self.arrivals), md, body, put_us)
        if unit is not None:
            self.in_units.setdefault(unit, []).append(message)
            return message.position
        messages = self.messages
        if not messages or messages[-1].position < message.position:
            messages.append(message)
        else:
            insort(messages, message, key=_position)
        return message.position

    def take(self, position: int, got_us: int) -> None:
        """Let a message go that was got."""
        self.depth -= 1
        self.get_us = got_us
        messages = self.messages
        at = bisect_left(messages, position, key=_position)
        if at < len(messages) and messages[at].position == position:
            del messages[at]
        else:
            self.taken.append(position)
            self.gone.add(position)

    def take_in_unit(self, position: int, unit: int) -> None:
        """Let a row go that a unit of work got; CURDEPTH counts it until the commit."""
        self.locks.pop(position, None)
        self.got.setdefault(unit, []).append(position)
        self.gone.add(position)

    def stop_reading(self) -> None:
        """Let go of the file, which is about to change."""
        if self.front is not None:
            self.front[0].close()
            self.front = None

    def is_free(self, position: int, handle_id: int) -> bool:
        """Whether a handle may have a row, as far as is known here."""
        return position not in self.gone and self.locks.get(position, handle_id) == handle_id
