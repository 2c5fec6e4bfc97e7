"""What the depth of one queue will be, from its own past: plain Python over a value an hour.

The depth a whole number of days ahead is compared with the depth at the same hours of the days
before, so that a rhythm of the day needs no model. What is left is a level that wanders or stays,
with a pattern of the week once two weeks are known, a drift where it is beyond doubt, and the
scatter of the looks around it. How far a level wanders in h days is measured at all lags
(Hyndman and Athanasopoulos, "Forecasting: Principles and Practice", 5.5: the error of a random
walk with drift), and the scatter is an empirical quantile. At last the intervals are made wider or
narrower by how the same method did at each day of the past, which is a conformal prediction.

Steps are taken out before, and a queue that has only grown for some hours or days, as it never did
before at those hours, goes on as it does now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil, exp, inf, log, sqrt
from statistics import median
from typing import Final, NamedTuple

HORIZONS: Final = (1, 2, 4, 7, 14)
"""Days ahead."""
COVERED: Final = 0.8
"""What part of the depths to come an interval is to hold."""
LEAST_CHANGE: Final = 10
"""A queue whose depth has always been within fewer messages has no trend."""
_LOW, _HIGH = (1 - COVERED) / 2, (1 + COVERED) / 2
_Z: Final = 1.2816
"""The normal distribution's quantile of `_HIGH`."""
_DAY: Final = 24
_WEEK: Final = 7
_PHASES: Final = 4
"""Hours of each day that are compared, up to that of the last look."""
_LEAST_DAYS: Final = 3
_LEAST_HOURS: Final = 6
_PATTERN_DAYS: Final = 15
_MOST_RAMP: Final = 240
_SIGNIFICANT: Final = 3.0
"""Standard errors from which on a drift is one; a random walk often seems to drift."""
_DOUBT: Final = 0.15
"""The part of the change of a day that may be wandering after all."""
_STEP: Final = 6
"""Usual changes of a day, robustly, from which on a lasting one is a step."""
_LAGS: Final = (1, 2, 3, 4, 7)
_HELD_OF_PAST: Final = 0.77
"""What an interval is to hold of the past, of which the method knew less."""
_TRUST: Final = 0.75
"""How much of a correction is made, on a scale of ratios: forecasts of one past err together."""
_USUAL: Final = 3
"""Times the scatter of the most changes from which on one counts no more."""
_RAMP_ERROR: Final = ((24, 0.4), (48, 0.3), (96, 0.22), (_MOST_RAMP + 1, 0.18))
"""How far off the growth of so many hours may be a day later: nights and weekends are unknown."""

Hours = Sequence[float | None]
"""Depths, an hour each, the newest first; None where there was no look."""


class Ahead(NamedTuple):
    """The depth so many days ahead, and how often its interval would have held in the past."""

    days: int
    low: float
    expected: float
    high: float
    forecasts: int = 0
    held: int = 0


class DepthStep(NamedTuple):
    """A lasting change at once: after the look so many hours ago, and by how much."""

    hours_ago: int
    growth: float


class DepthForecast(NamedTuple):
    """What is to be expected of a queue.

    Attributes:
        growth_a_day: 0 where it is not beyond doubt that the depth grows or falls.
        ahead: `HORIZONS` that are not longer than the history.
        full_hours: hours ahead when MAXDEPTH is reached, and when at the earliest and at the
            latest; None: not within as many days as the history has.
        step: the last one.
    """

    growth_a_day: float
    ahead: tuple[Ahead, ...]
    full_hours: tuple[float | None, float | None, float | None]
    step: DepthStep | None


class _Model(NamedTuple):
    """The depth h days ahead is ``level + growth * h + week[-h % 7]``.

    Attributes:
        wander, scatter: variance that is added each day, and of a single day.
        of_level, of_growth, of_week: variances of these.
        low, high: what looks differ from their day.
        peak: what the fullest hour of a day adds.
    """

    level: float
    growth: float
    week: tuple[float, ...]
    wander: float
    scatter: float
    of_level: float
    of_growth: float
    of_week: float
    low: float
    high: float
    peak: float
    step: DepthStep | None = None

    def at(self, days: float, factor: float) -> tuple[float, float, float]:
        """Low, expected and high."""
        week = self.week[-int(days) % _WEEK] if days == int(days) else 0.0
        expected = self.level + self.growth * days + week
        variance = _Z**2 * (
            self.of_level
            + self.scatter
            + self.wander * days
            + self.of_growth * days**2
            + self.of_week * (days % _WEEK != 0)
        )
        below, above = (factor * sqrt(variance + part**2) for part in (self.low, self.high))
        return max(0.0, expected - below), max(0.0, expected), max(0.0, expected + above)


def forecast(hours: Hours, maxdepth: int | None) -> DepthForecast | None:
    """Foresee the depth from hours of the past.

    None where they are fewer than three days, in which the depth did more than grow.
    """
    known = _filled(hours)
    days = len(known) // _DAY
    if days < _LEAST_DAYS:
        return _of_few_hours(known, maxdepth)
    if max(known) - min(known) < LEAST_CHANGE:
        low, expected, high = (_quantile(known, part) for part in (_LOW, 0.5, _HIGH))
        ahead = tuple(Ahead(h, low, expected, high) for h in HORIZONS if h <= days)
        return DepthForecast(0.0, ahead, (None, None, None), None)
    model = _fitted(known)
    past = list(_past(known, days))
    factor = _factor(past, days)
    ahead = tuple(
        Ahead(h, *model.at(h, factor), *_held(past, h, factor)) for h in HORIZONS if h <= days
    )
    return DepthForecast(
        model.growth, ahead, _full(model, factor, len(known), maxdepth), model.step
    )


def _of_few_hours(known: Sequence[float], maxdepth: int | None) -> DepthForecast | None:
    """What has only grown for some hours goes on."""
    hours = len(known) - 1
    fallen = sum(max(0.0, old - new) for new, old in pairwise(known))
    if hours < _LEAST_HOURS or known[0] - known[-1] < max(LEAST_CHANGE, 5 * fallen):
        return None
    model = _of_ramp(known, hours)
    ahead = tuple(Ahead(h, *model.at(h, 1.0)) for h in HORIZONS if h * _DAY <= hours)
    return DepthForecast(model.growth, ahead, _full(model, 1.0, hours, maxdepth), None)


def _filled(hours: Hours) -> list[float]:
    """Without gaps: an hour without a look is as the one before it."""
    filled: list[float] = []
    for depth in reversed(hours):
        if depth is not None or filled:
            filled.append(filled[-1] if depth is None else depth)
    return filled[::-1]


class _Tried(NamedTuple):
    """A forecast of the past: how far ahead, from how long ago, and its error in half widths."""

    days: int
    ago: int
    error: float


def _past(known: Sequence[float], days: int) -> Iterator[_Tried]:
    """What the method would have said at each day of the past, of depths that are known now."""
    for ago in range(1, days - _LEAST_DAYS + 1):
        model = _fitted(known[_DAY * ago :])
        for h in HORIZONS:
            if h <= min(ago, days - ago):
                low, expected, high = model.at(h, 1.0)
                off = known[_DAY * (ago - h)] - expected
                half = high - expected if off > 0 else expected - low
                yield _Tried(h, ago, 0.0 if not off else abs(off) / half if half else inf)


def _factor(past: Sequence[_Tried], days: int) -> float:
    """By what the intervals are widened: they held too few of the past, or too many."""
    errors = [one.error for one in past if days - one.ago >= min(14, days // 2) and one.days <= 7]
    if len(errors) < 2 * _WEEK:
        return 1.0
    off = min(2.0, max(0.5, _quantile(errors, _HELD_OF_PAST)))
    return exp(_TRUST * log(off))


def _held(past: Sequence[_Tried], horizon: int, factor: float) -> tuple[int, int]:
    errors = [one.error for one in past if one.days == horizon]
    return len(errors), sum(error <= factor for error in errors)


def _full(
    model: _Model, factor: float, hours: int, maxdepth: int | None
) -> tuple[float | None, float | None, float | None]:
    """Hours until the fullest hour of a day reaches MAXDEPTH: by expectation, early and late."""
    reached: list[float | None] = [None, None, None]
    if maxdepth is None or model.growth <= 0:
        return None, None, None
    for hour in range(hours + 1):
        low, expected, high = model.at((hour + 0.001) / _DAY, factor)
        for place, depth in enumerate((expected, high, low)):
            if reached[place] is None and depth + model.peak >= maxdepth:
                reached[place] = hour
    return reached[0], reached[1], reached[2]


def _fitted(known: Sequence[float]) -> _Model:
    hours = _ramp(known)
    return _of_days(known) if hours is None else _of_ramp(known, hours)


def _ramp(known: Sequence[float]) -> int | None:
    """For how many hours the queue has hardly fallen and grown as never before at those hours."""
    most = min(len(known) - _WEEK * _DAY, _MOST_RAMP)
    ramps: list[tuple[int, float]] = []
    lowest = min(known[:most], default=known[0])
    if known[0] - lowest < LEAST_CHANGE:
        return None
    fallen, at = 0.0, 0
    for hours in (*range(_LEAST_HOURS, 49, 3), *range(54, _MOST_RAMP, 6)):
        if hours >= most:
            break
        fallen += sum(old - new for new, old in pairwise(known[at : hours + 1]) if old > new)
        at = hours
        if fallen > (known[0] - lowest) / 5:
            break
        growth = known[0] - known[hours]
        if growth < LEAST_CHANGE or fallen > growth / 5:
            continue
        before = [
            known[begin] - known[begin + hours]
            for begin in range(_DAY * -(-hours // _DAY), len(known) - hours, _DAY)
        ]
        low, high = _quantile(before, 0.1), _quantile(before, 0.9)
        if len(before) < 5:
            break
        usual = 3 * max(high, 0.0) + high - low
        if growth > max(usual, max(map(abs, before)) / 2):
            ramps.append((hours, growth))
    most_growth = max((growth for _, growth in ramps), default=0.0)
    return next((hours for hours, growth in ramps if growth >= 0.93 * most_growth), None)


def _of_ramp(known: Sequence[float], hours: int) -> _Model:
    """Goes on as in its last whole days, or hours where it is younger than a day."""
    span = hours // _DAY * _DAY or hours
    growth = (known[0] - known[span]) / span * _DAY
    error = growth * next(error for most, error in _RAMP_ERROR if hours < most)
    return _Model(known[0], growth, (0.0,) * _WEEK, 0.0, 0.0, 0.0, error**2, 0.0, 0.0, 0.0, 0.0)


def _of_days(known: Sequence[float]) -> _Model:
    """Level, pattern of the week and drift of the hours that end with the last look."""
    days = [known[at : at + _PHASES] for at in range(0, len(known) - _PHASES + 1, _DAY)]
    count = len(days)
    means = [_mean(day) for day in days]
    week, of_week = _week(_without_steps(means)[0])
    raw = [mean - week[day % _WEEK] for day, mean in enumerate(means)]
    shape = [
        median(day[phase] - mean for day, mean in zip(days, means, strict=True))
        for phase in range(_PHASES)
    ]
    looks = [
        depth - mean - part
        for day, mean in zip(days, means, strict=True)
        for depth, part in zip(day, shape, strict=True)
    ]
    levels, jump = _without_steps(raw)
    # what was fitted to the days is not in their scatter any more
    lost = 1.1 * count / max(1, count - 1 - (_WEEK - 1) * any(week))
    growth = _slope(levels)
    scatter, wander = _variances(levels, growth, lost)
    of_growth = 1.2 * wander / count + 12 * scatter / count**3
    # a month hardly tells a level that stays from one that wanders
    error = of_growth + _DOUBT * 1.2 * (2 * scatter + wander) / count
    least = _SIGNIFICANT * (1 + 8 / count**2)
    if abs(growth) < 0.2 or growth**2 <= least**2 * error:
        growth = of_growth = 0.0
        scatter, wander = _variances(levels, 0.0, lost)
    level, of_level = _level(levels, growth, scatter, wander)
    peaks = (max(known[_DAY * day : _DAY * day + _DAY]) - raw[day] for day in range(min(count, 7)))
    return _Model(
        level=level + shape[0],
        growth=growth,
        week=week,
        wander=wander,
        scatter=scatter,
        of_level=of_level,
        of_growth=of_growth,
        of_week=of_week,
        low=_quantile(looks, _LOW),
        high=_quantile(looks, _HIGH),
        peak=max(0.0, median(peaks) - shape[0]),
        step=None if jump is None else _placed(known, *jump),
    )


def _week(means: Sequence[float]) -> tuple[tuple[float, ...], float]:
    """What each day of the week adds, the one of the last look first, and its variance."""
    if len(means) < _PATTERN_DAYS:
        return (0.0,) * _WEEK, 0.0
    of_day: list[list[float]] = [[] for _ in range(_WEEK)]
    for day in range(3, len(means) - 3):
        of_day[day % _WEEK].append(means[day] - _mean(means[day - 3 : day + 4]))
    usual = [median(of_one) for of_one in of_day]
    middle = _mean(usual)
    usual = [offset - middle for offset in usual]
    within = _mean((v - median(of_one)) ** 2 for of_one in of_day for v in of_one)
    between = _mean(offset**2 for offset in usual)
    repeats = _mean(map(len, of_day))
    part = 1 - 1.8 * within / repeats / between if between else 0.0
    part = max(0.0, part)
    return tuple(part * offset for offset in usual), part * 1.5 * within / repeats


def _without_steps(levels: Sequence[float]) -> tuple[list[float], tuple[int, float] | None]:
    """The levels with those before a lasting jump moved by it, and the last such jump.

    Of the jump the day before which it was, and how high it is.
    """
    levels = list(levels)
    steps: list[tuple[int, float]] = []
    while len(levels) >= 8 and len(steps) < 3:
        changes = [new - old for new, old in pairwise(levels)]
        usual = median(changes)
        spread = 1.4826 * median(abs(change - usual) for change in changes)
        jumps = [change - usual for change in changes]
        least = max(_STEP * spread, 3)
        high = [day for day in range(1, len(jumps) - 1) if abs(jumps[day]) > least]
        lasting = (day for day in high if _lasts(levels, jumps, day, usual))
        best = max(lasting, key=lambda day: abs(jumps[day]), default=None)
        if best is None:
            break
        steps.append((best, jumps[best]))
        levels[best + 1 :] = [level + jumps[best] for level in levels[best + 1 :]]
    return levels, min(steps, default=None)


def _placed(known: Sequence[float], day: int, jump: float) -> DepthStep:
    """The hour of a jump before a day: the one in which the depth changed most that way."""
    hours = range(_DAY * day, min(_DAY * (day + 1) + _PHASES, len(known) - 1))
    sign = 1 if jump > 0 else -1
    hour = max(hours, key=lambda at: sign * (known[at] - known[at + 1]))
    return DepthStep(hour, jump)


def _lasts(levels: Sequence[float], jumps: Sequence[float], day: int, usual: float) -> bool:
    """Whether a jump is alone, and the days after it differ from those before it by as much."""
    if max(abs(jumps[day - 1]), abs(jumps[day + 1])) > abs(jumps[day]) / 2:
        return False
    after, before = levels[max(0, day - 3) : day + 1], levels[day + 1 : day + 5]
    moved = median(after) - median(before) - usual * (len(after) + len(before)) / 2
    return moved * jumps[day] > 0 and abs(moved) > 0.6 * abs(jumps[day])


def _slope(levels: Sequence[float]) -> float:
    """By least squares, a day; the newest level is the first."""
    middle, mean = (len(levels) - 1) / 2, _mean(levels)
    above = sum((middle - day) * (level - mean) for day, level in enumerate(levels))
    return above / sum((middle - day) ** 2 for day in range(len(levels)))


def _variances(levels: Sequence[float], growth: float, lost: float) -> tuple[float, float]:
    """Of a single day and of each day's change: levels h days apart differ by 2s + hw."""
    squares = {
        lag: lost * _variance(
            [abs(new - old - growth * lag) for new, old in zip(levels, levels[lag:], strict=False)]
        )
        for lag in _LAGS
        if lag == 1 or len(levels) - lag >= 4
    }  # fmt: skip
    weights = {lag: 1 / lag**2 for lag in squares}
    total = sum(weights.values())
    lag_mean = sum(weights[lag] * lag for lag in squares) / total
    mean = sum(weights[lag] * squares[lag] for lag in squares) / total
    spread = sum(weights[lag] * (lag - lag_mean) ** 2 for lag in squares)
    if not spread:
        return mean / 2, 0.0
    slope = sum(weights[lag] * (lag - lag_mean) * (squares[lag] - mean) for lag in squares) / spread
    wander = max(0.0, slope)
    scatter = (mean - wander * lag_mean) / 2
    if scatter > 0:
        return scatter, wander
    through_0 = sum(weights[lag] * lag**2 for lag in squares)
    return 0.0, sum(weights[lag] * lag * squares[lag] for lag in squares) / through_0


def _variance(sizes: Sequence[float]) -> float:
    """Of changes of these sizes, between what most of them say and what all of them do."""
    of_most = (_quantile(sizes, COVERED) / _Z) ** 2
    return (of_most + _mean(min(size**2, _USUAL**2 * of_most) for size in sizes)) / 2


def _level(
    levels: Sequence[float], growth: float, scatter: float, wander: float
) -> tuple[float, float]:
    """The level now, by exponential smoothing with the gain that suits, and its variance."""
    if not wander:
        count = len(levels)
        return _mean(v + growth * day for day, v in enumerate(levels)), scatter / count
    ratio = wander / scatter if scatter else inf
    gain = 1.0 if ratio == inf else (sqrt(ratio**2 + 4 * ratio) - ratio) / 2
    level = levels[-1]
    for depth in reversed(levels[:-1]):
        level += growth + gain * (depth - level - growth)
    return level, gain * scatter


def _mean(values: Iterable[float]) -> float:
    """As statistics.fmean has it, in a third of the time."""
    values = list(values)
    return sum(values) / len(values)


def _quantile(values: Sequence[float], part: float) -> float:
    """Between the two nearest ranks; 0 of nothing."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    place = part * (len(ordered) - 1)
    low, high = ordered[int(place)], ordered[ceil(place)]
    return low if low == high else low + (place - int(place)) * (high - low)
