"""How often the forecasts of `analyze depth` hold: simulated queues, whose later depth is known.

    python -m benchmarks.forecasts [SEED] [--queues 300]

Each queue is looked at every half hour for 30 days, and 14 days more are kept to check with. The
table has, by kind of queue, how many of 100 intervals held the depth 1, 2, 4, 7 and 14 days ahead,
how many queues that do not grow are said to, and of how many that reach MAXDEPTH within 14 days it
is said. Ends with 1 where a bound does not hold.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from math import cos, exp, log, pi, sqrt
from typing import Final, NamedTuple

from mqtriage.pipeline.forecasting import HORIZONS, DepthForecast, forecast

LOOKS_A_DAY: Final = 48
DAYS: Final = 30
AHEAD: Final = 14
NOW: Final = DAYS * LOOKS_A_DAY
LOOKS: Final = NOW + AHEAD * LOOKS_A_DAY + 1
LEAST_HELD, MOST_HELD = 72, 88
MOST_SAID, LEAST_NAMED = 5, 90
"""Of 100."""

Shape = Callable[[int], float]
"""What the traffic of a look is, as a part of the usual."""


class Queue(NamedTuple):
    """A queue of which everything is known.

    Attributes:
        depths: one a look, that at `NOW` is the last that a forecast gets.
        grows: at that time.
    """

    kind: str
    depths: list[int]
    maxdepth: int
    grows: bool

    def hours(self) -> list[float | None]:
        """What the forecast gets: the newest first."""
        return [float(depth) for depth in self.depths[NOW::-2]]

    def is_full_in_time(self) -> bool:
        return any(depth >= self.maxdepth for depth in self.depths[NOW:])


def poisson(dice: random.Random, mean: float) -> int:
    if mean > 50:
        return max(0, round(dice.gauss(mean, sqrt(mean))))
    count, product, least = 0, dice.random(), exp(-mean)
    while product > least:
        count, product = count + 1, product * dice.random()
    return count


def shape_of(dice: random.Random) -> Shape:
    """Traffic with a day and a weekend."""
    swing, peak = dice.uniform(0, 0.9), dice.uniform(9, 16)
    weekend = dice.choice([1.0, 1.0, 0.6, 0.3, 0.1])
    begin = dice.randrange(7 * LOOKS_A_DAY)

    def shape(look: int) -> float:
        day, at = divmod(begin + look, LOOKS_A_DAY)
        of_day = 1 + swing * cos((at / 2 - peak) / 12 * pi)
        return of_day * (weekend if day % 7 >= 5 else 1.0)

    return shape


def between(dice: random.Random, low: float, high: float) -> float:
    """Any order of magnitude alike."""
    return exp(dice.uniform(log(low), log(high)))


def steady(dice: random.Random, shape: Shape, level: float) -> list[int]:
    """A depth with a rhythm, whose scatter is that of chance or more."""
    extra = dice.choice([0.0, 0.05, 0.3, 1.0])
    return [
        poisson(dice, level * shape(at) * (dice.gammavariate(1 / extra, extra) if extra else 1.0))
        for at in range(LOOKS)
    ]


def unread(
    dice: random.Random, shape: Shape, rate: float, begin: int, end: int, first: int = 0
) -> list[int]:
    """What lies there when nobody takes messages from one look to another."""
    depths, depth = [], first
    for at in range(LOOKS):
        depths.append(depth if begin <= at < end else 0)
        depth += poisson(dice, rate * shape(at) / LOOKS_A_DAY) if begin <= at < end else 0
    return depths


def growth(dice: random.Random, shape: Shape) -> list[int]:
    first = dice.choice([0, 50, 1000])
    return unread(dice, shape, between(dice, 20, 5000), 0, LOOKS, first)


def rhythm(dice: random.Random, shape: Shape) -> list[int]:
    return steady(dice, shape, between(dice, 2, 2000))


def walk(dice: random.Random, shape: Shape) -> list[int]:
    depth = float(dice.choice([200, 2000, 10_000]))
    size = depth * dice.uniform(0.02, 0.15) / sqrt(LOOKS_A_DAY)
    depths = []
    for _ in range(LOOKS):
        depths.append(round(depth))
        depth = abs(depth + dice.gauss(0, size))
    return depths


def step(dice: random.Random, shape: Shape) -> list[int]:
    level = between(dice, 5, 1000)
    at, jump = dice.randrange(NOW // 10, NOW * 93 // 100), dice.choice([0.8, 1.5, 3, 8])
    is_down = dice.random() < 0.3
    return [
        depth + (round(level * jump) if (look < at) == is_down else 0)
        for look, depth in enumerate(steady(dice, shape, level))
    ]


def month_end(dice: random.Random, shape: Shape) -> list[int]:
    level = between(dice, 5, 1000)
    begin, days = dice.uniform(0, 30), dice.uniform(1, 2.5)
    high = level * dice.uniform(2, 8)

    def more(look: int) -> int:
        part = (look / LOOKS_A_DAY - begin) % 30.4 / days
        return poisson(dice, high * min(1, part / 0.3, (1 - part) / 0.3)) if part < 1 else 0

    return [depth + more(look) for look, depth in enumerate(steady(dice, shape, level))]


def stuck(dice: random.Random, shape: Shape) -> list[int]:
    """Nobody takes messages now."""
    level = between(dice, 2, 100)
    begin = NOW - round(dice.uniform(0.4, 6) * LOOKS_A_DAY)
    lying = unread(dice, shape, level * dice.uniform(10, 100), begin, LOOKS)
    return [a + b for a, b in zip(steady(dice, shape, level), lying, strict=True)]


def was_stuck(dice: random.Random, shape: Shape) -> list[int]:
    level = between(dice, 2, 100)
    begin = dice.randrange(NOW * 85 // 100)
    end = min(NOW - LOOKS_A_DAY // 2, begin + round(dice.uniform(0.2, 3) * LOOKS_A_DAY))
    lying = unread(dice, shape, level * dice.uniform(10, 100), begin, end)
    return [a + b for a, b in zip(steady(dice, shape, level), lying, strict=True)]


def purge(dice: random.Random, shape: Shape) -> list[int]:
    rate, at = between(dice, 20, 5000), dice.randrange(NOW * 15 // 100, NOW * 9 // 10)
    before = unread(dice, shape, rate, 0, at, dice.choice([0, 50, 1000]))
    return before[:at] + unread(dice, shape, rate, at, LOOKS)[at:]


KINDS: Final = {
    "growth": growth, "weekly pattern": rhythm, "random walk": walk, "step": step,
    "month end": month_end, "stuck": stuck, "stuck earlier": was_stuck, "purge": purge,
}  # fmt: skip
_GROWING: Final = ("growth", "stuck", "purge")


def simulated(seed: int, queues: int) -> Iterator[Queue]:
    """So many queues, the kinds in turns."""
    dice = random.Random(seed)
    for number in range(queues):
        kind = list(KINDS)[number % len(KINDS)]
        depths = KINDS[kind](dice, shape_of(dice))
        grows = kind in _GROWING
        if grows:
            later = (depths[-1] - depths[NOW]) / AHEAD * dice.uniform(0.5, 20)
            maxdepth = max(depths[NOW] + 1, round(depths[NOW] + later))
        else:
            maxdepth = round(max(5, *depths) * dice.choice([1.2, 2, 5]))
        yield Queue(kind, depths, maxdepth, grows)


class Scores:
    """Counts by kind: of intervals, of queues said to grow, of queues named to be full."""

    def __init__(self) -> None:
        self.right: Counter[tuple[str, str]] = Counter()
        self.all: Counter[tuple[str, str]] = Counter()

    def add(self, queue: Queue, foreseen: DepthForecast) -> None:
        for one in foreseen.ahead:
            depth = queue.depths[NOW + one.days * LOOKS_A_DAY]
            self._count(queue, f"{one.days}d", one.low <= depth <= one.high)
        if not queue.grows:
            self._count(queue, "false growth", foreseen.growth_a_day > 0)
        elif queue.is_full_in_time():
            self._count(queue, "full found", foreseen.full_hours[0] is not None)

    def _count(self, queue: Queue, what: str, is_so: bool) -> None:
        for kind in (queue.kind, "all"):
            self.all[kind, what] += 1
            self.right[kind, what] += is_so

    def of_100(self, kind: str, what: str) -> float | None:
        """How many of 100; None where there was none."""
        count = self.all[kind, what]
        return 100 * self.right[kind, what] / count if count else None


def scores(seed: int, queues: int) -> Scores:
    counted = Scores()
    for queue in simulated(seed, queues):
        foreseen = forecast(queue.hours(), queue.maxdepth)
        assert foreseen is not None
        counted.add(queue, foreseen)
    return counted


COLUMNS: Final = (*(f"{days}d" for days in HORIZONS), "false growth", "full found")


def failures(counted: Scores) -> list[str]:
    """The bounds that do not hold."""
    bounds = {f"{days}d": (LEAST_HELD, MOST_HELD) for days in HORIZONS}
    bounds |= {"false growth": (0, MOST_SAID), "full found": (LEAST_NAMED, 100)}
    return [
        f"{what}: {value:.0f} of 100, not {low} to {high}"
        for what, (low, high) in bounds.items()
        if (value := counted.of_100("all", what)) is not None and not low <= value <= high
    ]


def table(counted: Scores) -> Iterator[str]:
    yield "| kind | " + " | ".join(COLUMNS) + " |"
    yield "|---|" + "---:|" * len(COLUMNS)
    for kind in (*KINDS, "all"):
        values = (counted.of_100(kind, what) for what in COLUMNS)
        yield f"| {kind} | " + " | ".join("" if v is None else f"{v:.0f}" for v in values) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("seed", type=int, nargs="?", default=random.randrange(1 << 30))
    parser.add_argument("--queues", type=int, default=300)
    asked = parser.parse_args()
    counted = scores(asked.seed, asked.queues)
    print(f"seed {asked.seed}, {asked.queues} queues; of 100:", *table(counted), sep="\n")
    wrong = failures(counted)
    print(*wrong, sep="\n", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
