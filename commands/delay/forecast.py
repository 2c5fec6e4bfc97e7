"""`mqtriage delay forecast`: what becomes due where and when, and what of it will not arrive.

The staging queue is browsed once; only numbers for each bucket and target are kept. A target's
depth grows by what lands on it: nobody is assumed to read it, and nobody else to put to it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field
from math import ceil
from types import MappingProxyType
from typing import Any, Final

from mqtriage.backends.port import Backend, ObjectDefinition, queue_manager_now_us
from mqtriage.commands.delay.messages import end_of
from mqtriage.commands.delay.status import (
    FEWEST_PUTS,
    NEARLY_FULL_TENTHS,
    FarLonger,
    Filling,
    staging_queue,
)
from mqtriage.commands.msg.put_probe import PutProblem, resolve_for_put, too_long
from mqtriage.messages.decoded import StagedFacts, target_and_due
from mqtriage.model.result import Listing, Record, Show, column, columns_of, keys_of
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import UNIT_MS, agreeing, count_text, duration_text, humane_duration
from mqtriage.mq import cmqc
from mqtriage.mq.code_texts import SENDS_FAIL
from mqtriage.mq.delay import STAGING_QUEUE, StagedState, state_of
from mqtriage.mq.due_time import DueReading
from mqtriage.mq.errors import UsageError, reason_name
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_time_us, rfc3339
from mqtriage.operations.selection.due_reading import (
    ENOUGH_BYTES,
    due_reading,
    refuse_unknown_due,
)
from mqtriage.operations.selection.selected import open_to_browse
from mqtriage.records import NamedTuple, dataclass

HEADER_READ_BYTES: Final = 1024
"""Enough of a staged message for its delay header; the rest of the data is not read."""
MOST_BUCKETS: Final = 10_000
_FEW_PUTS: Final = 30
_LEAST_SILENCE_US: Final = 2_000_000
_SILENT_INTERVALS: Final = 10
"""Puts are over if none came for so many times their usual interval."""
_LAST_PUTS: Final = 1_000
"""Of so many puts at most the rate is made, or of as many as still fit."""
_FAR_LONGER: Final = 10
"""The advice questions delays that are this many times as long as all others."""


@dataclass(slots=True)
class Bucket:
    """What comes due for one target within one span of time.

    COUNT comes due and is alive then; of these REFUSED do not fit the target: too long, PUT
    inhibited, no queue, or full by what landed before. DOOMED expire before they are due (DD-80).
    """

    bucket_time: str = column("BUCKET", Show.TIME, 20)
    target: str = column("TARGET", Show.NAME, width=24)
    target_queue_manager: str | None = column("TARGET_QMGR", Show.NAME, wide=True, place=5)
    resolves_to: str | None = column("RESOLVES_TO", Show.NAME, wide=True, place=4, default=None)
    message_count: int = column("COUNT", Show.NUMBER, default=0)
    length_bytes: int = column("DELIVERED_BYTES", Show.BYTES, yields=4, default=0)
    overdue: int = column("OVERDUE", Show.NUMBER, wide=True, place=3, default=0)
    doomed: int = column("DOOMED", Show.NUMBER, place=1, default=0)
    too_long: int = column("TOO_LONG", Show.NUMBER, wide=True, place=2, default=0)
    refused: int = column("REFUSED", Show.NUMBER, yields=1, place=1, default=0)
    problem: str | None = column("PROBLEM", place=1, default=None)
    target_depth: int | None = column("TARGET_DEPTH", Show.NUMBER, yields=2, default=None)
    target_maxdepth: int | None = column("TARGET_MAXDEPTH", Show.NUMBER, yields=3, default=None)
    will_fill: bool = column("WILL_FILL", Show.FLAG, default=False)
    longest_bytes: int = column("LONGEST", Show.BYTES, wide=True, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetHeat:
    """What comes due for one target, a number a bucket; `heat` is left to whoever shows it."""

    target: str = column("TARGET", Show.NAME, width=24)
    target_queue_manager: str
    message_count: int = column("COUNT", Show.NUMBER)
    peak: int = column("PEAK", Show.NUMBER)
    peak_time: str | None = column("PEAK_TIME", Show.TIME)
    counts: list[int]
    heat: str = column("HEAT", width=60, default="")


@dataclass(frozen=True, slots=True)
class ForecastTarget:
    """A target as it is now.

    Attributes:
        base: the local queue that messages land on; None where the name leads nowhere or elsewhere.
        problem: why every put fails, None when none need fail.
        depth: of *base* now.
    """

    base: ObjectDefinition | None
    problem: PutProblem | None
    depth: int | None

    @property
    def maxdepth(self) -> int | None:
        most = self.base.attributes.get("MAXDEPTH") if self.base else None
        return most if isinstance(most, int) else None


@dataclass(slots=True)
class Forecast:
    """The numbers of one walk over the staging queue.

    Attributes:
        start_us: when the first bucket begins; a multiple of the bucket in UTC.
        buckets: (number of the bucket, target queue manager, target) to its numbers.
        first_due_us: when the first message of each bucket is due.
        later: messages due after the horizon, by target queue manager and target.
        unknown: messages that do not say when they are due, or where they go.
        next_due_us: when the first message for any target is due, and leaves the staging queue.
        longest_delay_ms: from put to due, of the messages that are there.
        first_put_us, last_put_us: when the oldest and the newest of them were put.
        last_puts_us: when the last of them were put, so many as are kept.
        delays: by the number of bits of their delay in ms: how many they are, and the shortest and
            the longest delay of these.
    """

    start_us: int
    bucket_us: int
    buckets: dict[tuple[int, str, str], Bucket] = field(default_factory=dict)
    first_due_us: dict[tuple[int, str, str], int] = field(default_factory=dict)
    targets: dict[tuple[str, str], ForecastTarget] = field(default_factory=dict)
    later: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown: int = 0
    messages: int = 0
    next_due_us: int | None = None
    longest_delay_ms: int | None = None
    first_put_us: int | None = None
    last_put_us: int | None = None
    last_puts_us: deque[int] = field(default_factory=deque)
    delays: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    @property
    def put_span_ms(self) -> int | None:
        """From the first put to the last one; it does not grow while nothing is put."""
        if self.first_put_us is None or self.last_put_us is None:
            return None
        return (self.last_put_us - self.first_put_us) // 1_000


def forecast(
    backend: Backend,
    *,
    bucket_ms: int,
    horizon_ms: int,
    target: str | None = None,
    assume_due: bool = False,
    heat: bool = False,
    fillings: dict[str, Filling] | None = None,
    later: Counter[str] | None = None,
) -> Listing:
    """One record for each bucket and target, in the order in which their first messages are due.

    Args:
        bucket_ms: length of a bucket.
        horizon_ms: how far to look; what is due later is counted in the summary.
        target: only this target queue, as the sender named it.
        assume_due: take an undocumented time in the header for the due time, where it could be.
        heat: one record for each target instead, with `counts`: a number a bucket from now to the
            horizon. Its `heat` is left empty for whoever shows it.
        fillings: gets how soon the queue is full, by queue manager, once all is read.
        later: gets how many are due after the horizon, by the queue that they arrive on.

    Raises:
        UsageError: More than 10,000 buckets.
        Refused: The due time is not known here.
        ObjectNotFound: 2085: there is no staging queue.
    """
    if bucket_ms <= 0 or horizon_ms <= 0:
        raise UsageError("--bucket and --horizon must be longer than zero")
    if horizon_ms // bucket_ms > MOST_BUCKETS:
        raise UsageError(
            f"--horizon {duration_text(horizon_ms)} is more than {MOST_BUCKETS} buckets of "
            f"{duration_text(bucket_ms)}",
            hint="use a longer --bucket",
        )
    most = _number(staging_queue(backend, "delay forecast").attributes.get("MAXDEPTH"))
    reading = due_reading(backend, assume=assume_due)
    refuse_unknown_due(reading, "so a forecast is not possible")

    kind, record = ("DelayHeatList", TargetHeat) if heat else ("DelayForecastList", Bucket)
    listing = Listing(kind, columns_of(record), (), id_key="target")

    def records() -> Iterator[TargetHeat | Bucket]:
        room = (most or 0) - backend.status(STAGING_QUEUE).curdepth
        puts = min(_LAST_PUTS, max(room, _FEW_PUTS))
        outlook = walk(backend, bucket_ms, horizon_ms, target, reading, puts)
        if later is not None:
            later.update(_arriving_later(backend, outlook))
        if heat:
            yield from _heat(outlook, -(-horizon_ms // bucket_ms) + 1)
            listing.summary.update(_summary(outlook), bucket_ms=bucket_ms)
        else:
            yield from _landed(outlook, listing.summary)
        depth = backend.status(STAGING_QUEUE).curdepth
        is_full = most is not None and depth >= most
        next_us = outlook.next_due_us
        room_time = rfc3339(next_us) if is_full and next_us is not None else None
        listing.summary.update(staging_full=is_full, staging_room_time=room_time)
        if most is not None:
            filling = _filling(backend, outlook, most, depth)
            listing.summary["staging"] = {
                "room": filling.room,
                "full_in_ms": None if target else filling.full_in_ms,
                "most_staged": None if target else filling.level,
            }
            if fillings is not None and outlook.messages and target is None:
                fillings[backend.queue_manager] = filling
        if is_full:
            when = f": it has room again at {room_time}, when the next message is due"
            if next_us is None or next_us <= queue_manager_now_us(backend):
                when = ": it has room again when an overdue message is delivered"
            listing.warnings.append(
                f"{STAGING_QUEUE} is full ({depth} of {most}){when}; {SENDS_FAIL}"
            )
        if outlook.buckets:
            assumed = listing.summary["assumes"]
            listing.warnings.append(f"target depths assume that {assumed}")
        listing.warnings += [*_left_out(outlook, horizon_ms), *reading.notes()]

    listing.items = map(keys_of, records())
    return listing


def _arriving_later(backend: Backend, outlook: Forecast) -> Counter[str]:
    """How many messages of this queue manager are due after the horizon, by local queue."""
    here: Counter[str] = Counter()
    for (queue_manager, target), count in outlook.later.items():
        if queue_manager in ("", backend.queue_manager):
            base = _target(backend, target).base
            here[target if base is None else base.name] += count
    return here


def _left_out(outlook: Forecast, horizon_ms: int) -> Iterator[str]:
    """Which messages are in no bucket, and why."""
    if later := outlook.later.total():
        yield (
            f"{count_text(later)} {agreeing(later, 'are')} due after the end of this forecast"
            f" ({duration_text(horizon_ms)}): use a longer --horizon"
        )
    if outlook.unknown:
        yield f"{outlook.unknown} staged messages have no known due time"


def _heat(outlook: Forecast, length: int) -> Iterator[TargetHeat]:
    for key in sorted(outlook.targets):
        counts = [0] * length
        for (number, *names), bucket in outlook.buckets.items():
            if tuple(names) == key:
                counts[number] = bucket.message_count
        peak = max(counts)
        yield TargetHeat(
            target=key[1],
            target_queue_manager=key[0],
            message_count=sum(counts),
            peak=peak,
            peak_time=_bucket_time(outlook, counts.index(peak)) if peak else None,
            counts=counts,
        )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _filling(backend: Backend, outlook: Forecast, most: int, depth: int) -> Filling:
    """How soon the queue is full, by the last puts that were read."""
    last = sorted(outlook.last_puts_us)
    if len(last) == outlook.messages:  # the first may have been left over from long before
        last = last[-max(_FEW_PUTS, len(last) // 2) :]
    puts, span_ms, silent_ms = len(last), 0, 0
    if puts:
        now_us = queue_manager_now_us(backend)
        span_ms = max(0, now_us - last[0]) // 1_000
        interval_us = (last[-1] - last[0]) // max(1, puts - 1)
        silent_us = now_us - last[-1]
        if puts >= FEWEST_PUTS and silent_us >= max(
            _LEAST_SILENCE_US, _SILENT_INTERVALS * interval_us
        ):
            silent_ms = silent_us // 1_000
    late = any(bucket.overdue for bucket in outlook.buckets.values())
    longer = far_longer(outlook.delays)
    return Filling(most, depth, puts, span_ms, outlook.longest_delay_ms, late, silent_ms, longer)


def far_longer(delays: Mapping[int, tuple[int, int, int]]) -> FarLonger | None:
    """The minority whose delays are far longer than those of all others, None where none is.

    A percentile would miss a sender of a sixth of the messages. Instead this looks for a gap: no
    delay is between the longest one of the rest and ten times that. Two delays so far apart differ
    in their number of bits.

    Args:
        delays: as in `Forecast`.
    """
    count = total = sum(number for number, _, _ in delays.values())
    rest_ms = 0
    for _, (number, shortest_ms, longest_ms) in sorted(delays.items()):
        if rest_ms and shortest_ms >= _FAR_LONGER * rest_ms and count * 2 < total:
            return FarLonger(count, total, shortest_ms, delays[max(delays)][2], rest_ms)
        count -= number
        rest_ms = longest_ms
    return None


def walk(
    backend: Backend,
    bucket_ms: int,
    horizon_ms: int,
    target: str | None,
    reading: DueReading,
    puts: int = 0,
) -> Forecast:
    """Browse the staging queue once and count.

    Args:
        puts: of how many of the last messages to keep when they were put.
    """
    now_us = queue_manager_now_us(backend)
    bucket_us = bucket_ms * 1000
    forecast = Forecast(now_us - now_us % bucket_us, bucket_us, last_puts_us=deque(maxlen=puts))
    end_us = now_us + horizon_ms * 1000
    length = HEADER_READ_BYTES if reading.from_emulator else ENOUGH_BYTES
    with closing(open_to_browse(backend, STAGING_QUEUE)) as handle:
        for message in handle.browse(max_length=length):
            facts = target_and_due(message, reading)
            if facts is not None and (due_us := facts.due_time_us) is not None:
                forecast.next_due_us = min(due_us, forecast.next_due_us or due_us)
            if facts is None or facts.due_time_us is None or facts.target is None:
                forecast.unknown += 1
            elif target in (None, facts.target):
                forecast.messages += 1
                _note_load(forecast, message, facts)
                if facts.due_time_us > end_us:
                    forecast.later[facts.target_queue_manager or "", facts.target] += 1
                else:
                    _count(backend, forecast, message, facts, facts.due_time_us, now_us)
    return forecast


def _note_load(forecast: Forecast, message: Message, facts: StagedFacts) -> None:
    delay_ms = max(0, _delay_ms(message, facts) or 0)
    forecast.longest_delay_ms = max(delay_ms, forecast.longest_delay_ms or 0) or None
    if delay_ms:
        bits = delay_ms.bit_length()
        count, least_ms, most_ms = forecast.delays.get(bits, (0, delay_ms, delay_ms))
        forecast.delays[bits] = count + 1, min(least_ms, delay_ms), max(most_ms, delay_ms)
    put_us = put_time_us(message.md.put_date, message.md.put_time)
    if put_us is not None:
        forecast.last_puts_us.append(put_us)
        first_us, last_us = forecast.first_put_us, forecast.last_put_us
        forecast.first_put_us = put_us if first_us is None else min(first_us, put_us)
        forecast.last_put_us = put_us if last_us is None else max(last_us, put_us)


def _delay_ms(message: Message, facts: StagedFacts) -> int | None:
    """The delay of a staged message; from put to due, in whole seconds, where none is stated."""
    put_us = put_time_us(message.md.put_date, message.md.put_time)
    if facts.delay_ms is not None or put_us is None or facts.due_time_us is None:
        return facts.delay_ms
    return round((facts.due_time_us - put_us) / 1_000_000) * 1_000


def _count(
    backend: Backend,
    forecast: Forecast,
    message: Message,
    facts: StagedFacts,
    due_us: int,
    now_us: int,
) -> None:
    names = (facts.target_queue_manager or "", facts.target or "")
    target = forecast.targets.get(names)
    if target is None:
        target = forecast.targets[names] = _target(backend, names[1])
    number = max(0, due_us - forecast.start_us) // forecast.bucket_us
    key = number, *names
    forecast.first_due_us[key] = min(due_us, forecast.first_due_us.get(key, due_us))
    bucket = forecast.buckets.get(key)
    if bucket is None:
        bucket = Bucket(_bucket_time(forecast, number), names[1], names[0] or None)
        forecast.buckets[key] = bucket
    state = state_of(due_us, end_of(message, facts, backend.now_us), now_us)
    if state is StagedState.DOOMED:
        bucket.doomed += 1
        return
    length = message.length_bytes - facts.header.length
    bucket.message_count += 1
    bucket.length_bytes += length
    bucket.longest_bytes = max(bucket.longest_bytes, length)
    bucket.overdue += state is StagedState.OVERDUE
    if target.problem is None and target.base is not None:
        bucket.too_long += too_long(backend, target.base, length) is not None


def _target(backend: Backend, name: str) -> ForecastTarget:
    """The target as the processor would open it now: names are resolved a second time (DD-71)."""
    resolved = resolve_for_put(backend, name)
    if resolved.base is None or resolved.base.kind != "QLOCAL":
        return ForecastTarget(None, resolved.problem, None)
    return ForecastTarget(
        resolved.base, resolved.problem, backend.status(resolved.base.name).curdepth
    )


def _landed(forecast: Forecast, summary: dict[str, Any]) -> Iterator[Bucket]:
    landed: dict[str, int] = {}
    doomed = refused = 0
    for key in sorted(forecast.buckets, key=lambda key: (key[0], forecast.first_due_us[key], key)):
        bucket = forecast.buckets[key]
        _land(bucket, forecast.targets[key[1:]], landed)
        doomed += bucket.doomed
        refused += bucket.refused
        yield bucket
    summary.update(_summary(forecast), doomed=doomed, refused=refused)


def _land(bucket: Bucket, target: ForecastTarget, landed: dict[str, int]) -> None:
    """Put a bucket on its target; *landed* counts what has come to each queue before it."""
    bucket.refused, bucket.problem = _refused(bucket, target, landed)
    bucket.target_maxdepth = target.maxdepth
    if target.base is None or target.depth is None:
        return
    name = bucket.resolves_to = target.base.name
    landed[name] = landed.get(name, 0) + bucket.message_count - bucket.refused
    depth = bucket.target_depth = target.depth + landed[name]
    bucket.will_fill = depth >= (target.maxdepth or depth + 1)


def _refused(
    bucket: Bucket, target: ForecastTarget, landed: dict[str, int]
) -> tuple[int, str | None]:
    """How many of a bucket the target does not take, and why; None where all fit."""
    if target.problem is not None:
        return bucket.message_count, target.problem.text if bucket.message_count else None
    base = target.base
    if base is None or target.depth is None or target.maxdepth is None:
        return 0, None
    fitting = bucket.message_count - bucket.too_long
    room = max(0, target.maxdepth - target.depth - landed.get(base.name, 0))
    over = max(0, fitting - room)
    texts = []
    if bucket.too_long:
        reason = cmqc.MQRC_MSG_TOO_BIG_FOR_Q
        texts.append(f"{bucket.too_long} too long: {reason_name(reason)} ({reason})")
    if over:
        texts.append(f"{over} too many: {reason_name(cmqc.MQRC_Q_FULL)} ({cmqc.MQRC_Q_FULL})")
    return bucket.too_long + over, "; ".join(texts) or None


def _bucket_time(forecast: Forecast, number: int) -> str:
    return rfc3339(forecast.start_us + number * forecast.bucket_us)


def _summary(forecast: Forecast) -> dict[str, Any]:
    return {
        "message_count": forecast.messages,
        "targets": len(forecast.targets),
        "later": forecast.later.total(),
        "unknown_due": forecast.unknown,
        "longest_delay_ms": forecast.longest_delay_ms,
        "put_span_ms": forecast.put_span_ms,
        "assumes": "no program reads from the targets or puts to them",
    }


class TargetNeed(NamedTuple):
    """What a target needs, so that all that becomes due for it fits; None where it has enough.

    Attributes:
        later: how many of these are due after the horizon.
    """

    maxdepth: int | None = None
    maxmsgl_bytes: int | None = None
    later: int = 0

    @property
    def attributes(self) -> str:
        """As `queue set` takes them."""
        pairs = (("MAXDEPTH", self.maxdepth), ("MAXMSGL", self.maxmsgl_bytes))
        return " ".join(f"{keyword}={value}" for keyword, value in pairs if value is not None)


def noting_needs(
    records: Iterable[Record],
    needs: dict[tuple[str, str], TargetNeed],
    later: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
) -> Iterator[Record]:
    """The records of a listing; *needs* gets what would hold what does not fit.

    It has that by queue manager, "" where one was asked, and queue.

    Args:
        later: how many are due after the horizon, by queue manager ("" where one was asked) and
            queue. A queue that is too small for what is due before is to hold these as well.
    """
    refused: Counter[tuple[str, str]] = Counter()
    for record in records:
        queue = record.get("queue_manager", ""), record["resolves_to"] or record["target"]
        most, depth = record["target_maxdepth"], record["target_depth"]
        refused[queue] += record["refused"]
        need = needs.get(queue, TargetNeed())
        if record["too_long"]:
            longest = max(need.maxmsgl_bytes or 0, record["longest_bytes"])
            need = need._replace(maxmsgl_bytes=longest)
        if record["refused"] and most is not None and depth is not None:
            is_short = record["will_fill"] or need.maxmsgl_bytes is not None
            if is_short and depth + refused[queue] > most:
                rest = later.get(queue[0], {}).get(queue[1], 0)
                need = need._replace(maxdepth=depth + refused[queue] + rest, later=rest)
        if need.attributes:
            needs[queue] = need
        yield record


def _span_text(span_ms: int) -> str:
    """A duration; tenths of a second too where it is short, since rates are worked out from it."""
    return f"{span_ms / 1_000:.1f}s" if 1_000 < span_ms < 10_000 else humane_duration(span_ms)


class StagedLoad(NamedTuple):
    """What the messages on a staging queue show of the load.

    Attributes:
        span_ms: from the first put to the last one.
        longest_delay_ms: None where no delay is known.
        silent_ms: since the last put, where so long a pause means that the puts are over.
        longer: the few whose delays are far longer than those of the rest.
    """

    messages: int = 0
    span_ms: int = 0
    longest_delay_ms: int | None = None
    silent_ms: int = 0
    longer: FarLonger | None = None

    @property
    def rate(self) -> str:
        """The average of all messages from the first put to the last one."""
        return self._average(self.messages)

    @property
    def average_of(self) -> str:
        """What `rate` is: `delay define` asks for the peak, which these messages do not show."""
        over = _span_text(self._over_ms)
        return f"{self.rate} is the average over {over}; if you know the peak rate, use that"

    @property
    def rest_command(self) -> str:
        """The options that size the queue for the messages without far longer delays."""
        if self.longer is None:
            return ""
        rate = self._average(self.longer.total - self.longer.messages)
        return f"--rate {rate} --max-delay {duration_text(self.longer.rest_ms)}"

    @property
    def _over_ms(self) -> int:
        """The time that the average is of: a second at least, where all were put at once."""
        return max(self.span_ms, UNIT_MS["s"])

    def _average(self, messages: int) -> str:
        """So many in a minute, or in an hour where that is less than one."""
        minutes = self._over_ms / UNIT_MS["m"]
        if messages < minutes:
            return f"{ceil(messages * 60 / minutes)}/h"
        return f"{ceil(messages / minutes)}/m"

    def __str__(self) -> str:
        """``95 messages were put in 2m05s, with delays of up to 2h00m``."""
        verb = "was" if self.messages == 1 else "were"
        delay = humane_duration(self.longest_delay_ms or 0)
        span = _span_text(self.span_ms)
        since = (
            f", and none in the last {humane_duration(self.silent_ms)}" if self.silent_ms else ""
        )
        text = f"{count_text(self.messages)} {verb} put in {span}{since}"
        return f"{text}, with delays of up to {delay}"


class NearlyFull(NamedTuple):
    """A staging queue that is nearly full."""

    queue_manager: str
    depth: int
    most: int
    several: bool

    @property
    def _fill(self) -> str:
        at = f"{STAGING_QUEUE} at {self.queue_manager}"
        return f"{at} contains {self.depth} of at most {self.most}"

    @property
    def _where(self) -> str:
        return f" -m {shell_word(self.queue_manager)}" if self.several else ""

    @property
    def look(self) -> str:
        """What says more, where no message was read."""
        fails = f"; {SENDS_FAIL}" if self.depth >= self.most else ""
        return (
            f"{self._fill}: mqtriage delay forecast{self._where} shows when it is full or has room"
            f" again, and what size it needs{fails}"
        )

    def advice(self, load: StagedLoad) -> str:
        """What makes room, by the messages on it."""
        measured = (
            "mqtriage analyze delay measures the load, from"
            f" mqtriage snapshot take {STAGING_QUEUE}{self._where}"
        )
        if not load.messages or not load.longest_delay_ms:
            return f"{self._fill}; {measured}"
        define = f"mqtriage delay define{self._where}"
        if load.longer is not None:
            return (
                f"{self._fill}; {load.longer}: mqtriage delay browse{self._where} --group"
                f" target,delay shows for which queues. Without them, {define}"
                f" {load.rest_command} -n calculates a size. If these delays are intended, {define}"
                f" --rate {load.rate} --max-delay {duration_text(load.longest_delay_ms)} -n"
                f" calculates a size for delaying all messages that long. {load.average_of};"
                f" {measured}"
            )
        delay = duration_text(load.longest_delay_ms)
        if load.silent_ms:
            return (
                f"{self._fill}; {load}. {define} --maxdepth {2 * self.depth} -n makes room for as"
                f" many again, and {define} --rate RATE --max-delay {delay} -n calculates the size"
                f" for a peak rate; {measured}"
            )
        return (
            f"{self._fill}; {load}. If this load continues: {define}"
            f" --rate {load.rate} --max-delay {delay} -n calculates"
            f" its size. {load.average_of}; {measured}"
        )


def nearly_full(backend: Backend, *, several: bool = False) -> NearlyFull | None:
    """The staging queue where it is nearly full, read without browsing.

    Args:
        several: the command that is named needs the queue manager.
    """
    most = staging_queue(backend, "forecast delays").attributes.get("MAXDEPTH")
    depth = backend.status(STAGING_QUEUE).curdepth
    if isinstance(most, int) and depth * 10 >= most * NEARLY_FULL_TENTHS:
        return NearlyFull(backend.queue_manager, depth, most, several)
    return None
