"""What the definitions alone do not say: the load, the delays, who reads which queue.

It comes from the configuration of `mqtriage lint`. A rule that needs a value which is not given
here finds nothing, rather than guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Final

from mqtriage.model.tables import (
    COUNT,
    FLAG,
    NAMES,
    TEXT,
    ValueForm,
    key,
    list_of,
    record_form,
    required,
    text_like,
)
from mqtriage.model.units import parse_duration_ms, parse_percent, parse_rate, parse_size_bytes
from mqtriage.mq.backout import GREATEST_THRESHOLD
from mqtriage.mq.delay import HEADER_ALLOWANCE_BYTES
from mqtriage.records import dataclass


def _rate(value: object, where: str) -> str:
    from fractions import Fraction  # loaded for a load alone

    rate = parse_rate(TEXT.read(value, where), what=where)
    return str(Fraction(rate).limit_denominator(3_600))


_ENTITY: Final = text_like(r"(GROUP|PRINCIPAL)\([^()']+\)", "GROUP(name) or PRINCIPAL(name)")
_RATE: Final = ValueForm(_rate, TEXT.schema)
_DURATION: Final = ValueForm(
    lambda value, where: parse_duration_ms(TEXT.read(value, where), what=where), TEXT.schema
)
_SIZE: Final = ValueForm(
    lambda value, where: parse_size_bytes(str(value), what=where),
    {"type": ["string", "integer"], "minimum": 0},
)
_PERCENT: Final = ValueForm(
    lambda value, where: int(parse_percent(str(value), what=where)),
    {"type": ["string", "number"], "minimum": 0},
)


@dataclass(frozen=True, slots=True)
class QueueReader:
    """A user or group that reads queues.

    Attributes:
        entity: ``GROUP(orders)`` or ``PRINCIPAL(app1)``.
        queues: names or patterns with `*`.
    """

    entity: str = required(_ENTITY)
    queues: tuple[str, ...] = required(NAMES)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a queue manager's staging queue needs by its own history: `mqtriage analyze delay`.

    Attributes:
        maxdepth_sum, maxmsgl_sum: how the value was worked out.
        doubt: why the snapshots are too few for it, "" where they are not.
    """

    queue_manager: str = required(TEXT)
    maxdepth: int = required(COUNT)
    maxmsgl_bytes: int = required(COUNT)
    maxdepth_sum: str = key(TEXT, "")
    maxmsgl_sum: str = key(TEXT, "")
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class LoadModel:
    """The expected load, as [lint.load] has it; None and () where nothing was said.

    Attributes:
        rate_per_s: delayed sends a second, as text so that 0.1 stays 0.1.
        subscribers: DD-111.
        header_allowance_bytes: the length of the header is not published.
        time_to_live_ms: 0 is unlimited.
        measured: by queue manager, what its staging queue was seen to need: the file `analysis`.
    """

    rate_per_s: str | None = key(_RATE, None, "Peak rate of delayed sends.", "50/s", word="rate")
    longest_delay_ms: int | None = key(
        _DURATION, None, "Longest delay in use.", "15m", word="longest_delay"
    )
    largest_message_bytes: int | None = key(
        _SIZE, None, "Largest message, headers included.", "64KiB", word="largest_message"
    )
    subscribers: int = key(COUNT, 1, "Number of copies staged for each publication.", 1)
    headroom_percent: int = key(_PERCENT, 50, "Headroom to add to the required depth.", 50)
    header_allowance_bytes: int = key(
        _SIZE,
        HEADER_ALLOWANCE_BYTES,
        "Room for the delay header in MAXMSGL.",
        "4KiB",
        word="header_allowance",
    )
    time_to_live_ms: int | None = key(
        _DURATION, None, "Shortest lifetime of a delayed message.", "1h", word="time_to_live"
    )
    persistent: bool | None = key(FLAG, None, "Whether delayed messages are persistent.", True)
    delayed_queues: tuple[str, ...] = key(
        NAMES, (), "Queues that receive delayed messages; names can contain *.", ["ORDERS.*"]
    )
    delayed_topics: tuple[str, ...] = key(
        NAMES, (), "Topic strings of delayed publications.", ["prices/"]
    )
    unread_queues: tuple[str, ...] = key(
        NAMES, (), "Queues that no program reads; names can contain *.", ["AUDIT.*"]
    )
    flows_without_transaction: tuple[str, ...] = key(
        NAMES, (), "Queues that message flows read with Transaction mode No.", ["FLOW.IN"]
    )
    staging_users: tuple[str, ...] = key(
        list_of(_ENTITY), (), "Users and groups that can use the staging queue.", ["GROUP(mqops)"]
    )
    greatest_threshold: int = key(
        COUNT, GREATEST_THRESHOLD, "BOTHRESH above this is a finding.", GREATEST_THRESHOLD
    )
    readers: tuple[QueueReader, ...] = key(
        list_of(record_form(QueueReader)),
        (),
        "Users and groups that read queues, with the names of the queues.",
        [{"entity": "GROUP(orders)", "queues": ["ORDERS.*"]}],
    )
    measured: Mapping[str, Measured] = field(default_factory=dict)

    def measured_of(self, queue_manager: str) -> Measured | None:
        """What was measured there; where no name is known, the only one."""
        if not queue_manager and len(self.measured) == 1:
            return next(iter(self.measured.values()))
        return self.measured.get(queue_manager)


NO_LOAD = LoadModel()


def any_matches(patterns: Iterable[str], name: str) -> bool:
    """Whether *name* is one of *patterns*; `*` stands for any characters."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)
