"""`mqtriage delay status`: how full and how late the staging queue is, without browsing it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition
from mqtriage.commands.queue.queues import percent_full, time_text
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.model.units import UNIT_MS, agreeing, count_text, humane_duration
from mqtriage.mq.delay import STAGING_QUEUE, depth_needed
from mqtriage.mq.errors import ObjectNotFound, mqi_error
from mqtriage.records import NamedTuple, dataclass

FEWEST_PUTS: Final = 10
"""Of fewer messages no rate is made."""
NEARLY_FULL_TENTHS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class StagingStatus:
    """How full and how late the staging queue is; what the queue manager cannot tell is None."""

    queue: str = column("QUEUE", Show.NAME)
    curdepth: int = column("CURDEPTH", Show.NUMBER)
    maxdepth: AttributeValue | None = column("MAXDEPTH", Show.NUMBER)
    percent_full: float | None = column("%FULL", Show.NUMBER)
    room: int | None = column("ROOM", Show.NUMBER, yields=4, default=None)
    maxmsgl_bytes: AttributeValue | None = column("MAXMSGL", Show.BYTES, yields=6)
    largest_bytes: int | None = column("LARGEST", Show.BYTES, yields=5, default=None)
    oldest_put_time: str | None = column("OLDEST_PUT", Show.TIME, yields=2)
    next_due_time: str | None = column("NEXT_DUE", Show.TIME, default=None)
    overdue: int | None = column("OVERDUE", Show.NUMBER, default=None)
    due_1m: int | None = column("DUE_1M", Show.NUMBER, default=None)
    due_1h: int | None = column("DUE_1H", Show.NUMBER, yields=1, default=None)
    put: AttributeValue | None = column("PUT", yields=3)
    get: AttributeValue | None = column("GET", yields=4)
    processor: str | None = column("PROCESSOR", default=None)
    processor_owner: str | None = column("PROCESSOR_OWNER", wide=True)


class FarLonger(NamedTuple):
    """A few messages with delays that are far longer than those of all others.

    Attributes:
        messages, total: how many they are, and how many there are in all.
        rest_ms: the longest delay of the others.
    """

    messages: int
    total: int
    shortest_ms: int
    longest_ms: int
    rest_ms: int

    def __str__(self) -> str:
        """``160 of 960 messages are delayed 30d00h, the rest at most 8h00m``."""
        span = humane_duration(self.shortest_ms), humane_duration(self.longest_ms)
        delay = span[0] if span[0] == span[1] else " to ".join(span)
        verb = "is" if self.messages == 1 else "are"
        few = f"{self.messages} of {self.total} messages {verb} delayed {delay}"
        return f"{few}, the rest at most {humane_duration(self.rest_ms)}"


class Filling(NamedTuple):
    """How soon a staging queue is full, by its last puts.

    Attributes:
        puts, span_ms: so many messages were put in that time, up to now.
        silent_ms: since the last put, where so long a pause means that the puts are over.
        longest_delay_ms: None where it is not known how long they stay.
        is_late: overdue messages are there, so that none leaves for certain.
        longer: the few whose delays are far longer than those of the rest.
    """

    maxdepth: int
    depth: int
    puts: int = 0
    span_ms: int = 0
    longest_delay_ms: int | None = None
    is_late: bool = False
    silent_ms: int = 0
    longer: FarLonger | None = None

    @property
    def room(self) -> int:
        """How many more messages fit."""
        return max(0, self.maxdepth - self.depth)

    @property
    def level(self) -> int | None:
        """The most that are staged at once at this rate, as `delay define` calculates it."""
        if not self._is_known or self.longest_delay_ms is None or self.is_late:
            return None
        rate = f"{1_000 * self.puts}/{self.span_ms}"
        return depth_needed(rate, self.longest_delay_ms, headroom_percent=0).value

    @property
    def full_in_ms(self) -> int | None:
        """None where it does not fill at this rate, and where too few puts are known."""
        level = self.level
        if not self._is_known or (level is not None and level <= self.maxdepth and self.room):
            return None
        return -(-self.room * self.span_ms // self.puts)

    @property
    def _is_known(self) -> bool:
        return self.puts >= FEWEST_PUTS and self.span_ms > 0 and not self.silent_ms

    @property
    def text(self) -> str:
        """``38 places left: full in about 5m00s at the average rate of the last 38 puts (8/m)``."""
        room_text = f"{count_text(self.room, 'place')} left"
        if not self.room:
            return room_text
        if self.silent_ms:
            return f"{room_text}: no message was put in the last {humane_duration(self.silent_ms)}"
        if not self._is_known:
            few = f"{count_text(self.puts)}, too few" if self.puts else "no messages"
            return f"{room_text}: {few} to tell when it is full"
        average = _rate(self.puts, self.span_ms)
        rate = f"at the average rate of the last {self.puts} puts ({average})"
        level, full_in_ms = self.level, self.full_in_ms
        if full_in_ms is None:
            return (
                f"{room_text}: not full {rate}, because messages leave: at most {level} of"
                f" {self.maxdepth} {agreeing(level or 0, 'are')} staged at once"
            )
        if self.span_ms < UNIT_MS["m"]:
            rate += ", if it goes on"
        late = ", as overdue messages do not leave" if self.is_late else ""
        unless = ", unless messages leave before" if self.longest_delay_ms is None else ""
        return f"{room_text}: full in about {humane_duration(full_in_ms)} {rate}{late}{unless}"


def _rate(puts: int, span_ms: int) -> str:
    """``2.5/s``, ``40/m``: in the smallest unit of which it is at least one."""
    for unit in ("s", "m", "h"):
        # put times are whole hundredths of a second
        if (number := round(puts * UNIT_MS[unit] / span_ms, 1)) >= 1:
            return f"{number}".removesuffix(".0") + f"/{unit}"
    return "less than 1/h"


def status(backend: Backend) -> Listing:
    """One record on the staging queue.

    Due times are null where the queue manager cannot tell them: the time field of a real queue
    manager's delay header is not documented.
    """
    queue = staging_queue(backend, "delay status")
    items = [keys_of(_status(backend, queue))]
    return Listing("StagingStatusList", columns_of(StagingStatus), items, id_key="queue")


def staging_queue(backend: Backend, doing: str) -> ObjectDefinition:
    """Its definition."""
    try:
        return backend.queue(STAGING_QUEUE)
    except ObjectNotFound as error:
        hint = "mqtriage delay define"
        raise mqi_error(error.reason, doing, hint=hint, object_name=STAGING_QUEUE) from error


def _status(backend: Backend, queue: ObjectDefinition) -> StagingStatus:
    attributes = queue.attributes
    numbers = backend.status(STAGING_QUEUE)
    most = attributes.get("MAXDEPTH")
    status = StagingStatus(
        queue=queue.name,
        curdepth=numbers.curdepth,
        maxdepth=most,
        percent_full=percent_full(numbers.curdepth, most),
        room=Filling(most, numbers.curdepth).room if isinstance(most, int) else None,
        maxmsgl_bytes=attributes.get("MAXMSGL"),
        oldest_put_time=time_text(numbers.oldest_put_time_us),
        put=attributes.get("PUT"),
        get=attributes.get("GET"),
        # on z/OS it is part of MSTR (DD-81); on distributed the process is not documented
        processor_owner="MSTR address space" if backend.platform == "zos" else None,
    )
    insight = backend.insight
    if insight is None:
        return status
    load = insight.staging_load()
    problem = insight.processor_problem()
    return replace(
        status,
        largest_bytes=load.largest_bytes,
        next_due_time=time_text(load.next_due_us),
        overdue=load.overdue,
        due_1m=load.due_minute,
        due_1h=load.due_hour,
        processor=f"stopped: {problem}" if problem else "running",
    )
