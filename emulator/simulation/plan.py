"""What applications do on one queue manager of a simulated estate, planned from a seed.

Pure: the same seed and scale give the same plan. Times are microseconds from the start of the
simulation on; `run` carries it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import exp
from random import Random
from typing import Final, NamedTuple

MINUTE_US: Final = 60_000_000
HOUR_US: Final = 60 * MINUTE_US
DAY_US: Final = 24 * HOUR_US
SLOT_US: Final = 5 * MINUTE_US

ORDERS: Final = "ORDERS.IN"
PAYMENTS: Final = "PAYMENTS.IN"
PAYMENTS_BACKOUT: Final = "PAYMENTS.BO"
REMINDERS: Final = "REMINDERS.IN"
QUOTES: Final = "QUOTES.REPLY"
DEAD: Final = "DEAD.LETTER.QUEUE"

BOTHRESH: Final = 5
RETRY_US: Final = 3 * MINUTE_US
"""How long the payments application waits after a rollback."""
MOST_TRIES_THAT_HELP: Final = 2
"""Rollbacks after which a message that fails for a passing reason is processed."""
WRONG_DELAY_MS: Final = 30 * 24 * 3_600_000
INTENDED_DELAY_MS: Final = 30 * 60_000

_DELAYS: Final = ((40, 15 * 60_000), (30, 3_600_000), (20, 4 * 3_600_000), (10, 24 * 3_600_000))
"""(weight, ms) of the delays that reminders are sent with."""


class Program(NamedTuple):
    """An application that puts.

    Attributes:
        share: of the queue manager's messages.
        median_bytes, spread: of the bodies, a lognormal distribution.
        unit: messages a unit of work at most.
        delayed: sends with a delivery delay.
        lifetime: (shortest, longest) in seconds, None for unlimited.
    """

    name: str
    user: str
    queue: str
    share: float
    median_bytes: int
    spread: float
    unit: int
    delayed: bool = False
    lifetime: tuple[int, int] | None = None


PROGRAMS: Final = (
    Program("orders-web 5.1", "web", ORDERS, 0.40, 700, 0.6, 20),
    Program("payments-gw 3.1.0", "pay", PAYMENTS, 0.10, 400, 0.3, 5),
    Program("reminder-svc 1.9", "crm", REMINDERS, 0.35, 900, 0.8, 15, delayed=True),
    Program("quote-svc 2.2", "web", QUOTES, 0.15, 300, 0.4, 10, lifetime=(300, 3600)),
)
POISON_RELEASE: Final = "payments-gw 3.2.0"
WRONG_DELAY_JOB: Final = "reminder-batch 1.9"


class Span(NamedTuple):
    """From *start_us* up to and without *end_us*."""

    start_us: int
    end_us: int

    def holds(self, time_us: int) -> bool:
        """Whether the moment is in it."""
        return self.start_us <= time_us < self.end_us


@dataclass(frozen=True, slots=True)
class Incidents:
    """What goes wrong on one queue manager; None where it does not.

    Attributes:
        poison: while a release of the payments gateway is in use whose messages are poison.
        stuck: while the orders application has its queue open and takes nothing.
        staging_maxdepth: MAXDEPTH of the staging queue, too small for the load.
        wrong_delay_us: when a batch job sends reminders with 30 days of delay, not 30 minutes.
    """

    poison: Span | None = None
    stuck: Span | None = None
    staging_maxdepth: int | None = None
    wrong_delay_us: int | None = None


class Batch(NamedTuple):
    """Messages of one program that it puts at one moment."""

    time_us: int
    program: Program
    messages: int


class QueueAlteration(NamedTuple):
    """An ALTER of a queue."""

    time_us: int
    queue: str
    attribute: str
    value: int


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """One queue manager's month.

    Attributes:
        messages: how many are put, on average.
        orders_maxdepth: MAXDEPTH of ORDERS.IN.
    """

    queue_manager: str
    seed: str
    length_us: int
    messages: int
    incidents: Incidents
    changes: tuple[QueueAlteration, ...]
    orders_maxdepth: int


def plans(seed: int, queue_managers: int, days: float, messages: int) -> list[SimulationPlan]:
    """The plan of each queue manager; every incident happens once in the estate."""
    length_us = int(days * DAY_US)
    chooser = Random(f"{seed}/incidents")
    places = [chooser.randrange(queue_managers)]
    others = [number for number in range(queue_managers) if number not in places]
    chooser.shuffle(others)
    places = (places + others) * 4
    sends = []
    for number in range(queue_managers):
        name = f"SIM{number + 1:02d}"
        random = Random(f"{seed}/{name}")
        here = [place == number for place in places[:4]]
        plan = SimulationPlan(
            name,
            f"{seed}/{name}",
            length_us,
            messages,
            _incidents(random, here, length_us, messages),
            _changes(random, length_us),
            orders_maxdepth=50_000,
        )
        sends.append(replace(plan, orders_maxdepth=_orders_maxdepth(plan)))
    return sends


def _incidents(random: Random, here: Sequence[bool], length_us: int, messages: int) -> Incidents:
    poison, stuck, small, wrong = here
    return Incidents(
        _span(random, length_us, 0.15, 0.35) if poison else None,
        _span(random, length_us, 0.09, 0.13) if stuck else None,
        _small_staging(length_us, messages) if small else None,
        int(random.uniform(0.15, 0.4) * length_us) if wrong else None,
    )


def _span(random: Random, length_us: int, least: float, most: float) -> Span:
    part = random.uniform(least, most) * length_us
    start = random.uniform(0.1 * length_us, 0.7 * length_us - part)
    return Span(int(start), int(start + part))


def _small_staging(length_us: int, messages: int) -> int:
    """About what is staged on average, so less than at the busy hours."""
    mean_ms = sum(weight * delay for weight, delay in _DELAYS) / sum(w for w, _ in _DELAYS)
    share = next(program.share for program in PROGRAMS if program.delayed)
    return max(3, int(messages * share * mean_ms * 1000 / length_us))


def _orders_maxdepth(plan: SimulationPlan) -> int:
    """Full after about four fifths of the messages that come while the application is stuck."""
    stuck = plan.incidents.stuck
    if stuck is None:
        return plan.orders_maxdepth
    coming = takewhile(lambda batch: batch.time_us < stuck.end_us, batches(plan))
    orders = (batch for batch in coming if batch.program.queue == ORDERS)
    while_stuck = sum(batch.messages for batch in orders if stuck.holds(batch.time_us))
    return max(1, int(0.8 * while_stuck))


def _changes(random: Random, length_us: int) -> tuple[QueueAlteration, ...]:
    """Two ordinary changes of definitions."""
    first, second = sorted(random.sample(range(1, 100), 2))
    return (
        QueueAlteration(
            length_us * first // 100, QUOTES, "MAXDEPTH", 10_000 + random.randrange(10) * 1000
        ),
        QueueAlteration(length_us * second // 100, PAYMENTS, "QDEPTHHI", 60 + random.randrange(20)),
    )


# -- arrivals -------------------------------------------------------------------------------------


def batches(plan: SimulationPlan) -> Iterator[Batch]:
    """What every program puts, in order of time: by hour and weekday, with bursts."""
    random = Random(f"{plan.seed}/arrivals")
    slots = max(1, plan.length_us // SLOT_US)
    bursts = {random.randrange(slots): random.uniform(4, 10) for _ in range(max(1, slots // 1500))}
    strength = (max(bursts.get(slot - back, 1.0) for back in range(6)) for slot in range(slots))
    weights = [_weight(slot) * burst for slot, burst in enumerate(strength)]  # half an hour each
    whole = sum(weights)
    for slot in range(slots):
        planned: list[Batch] = []
        for program in PROGRAMS:
            mean = plan.messages * program.share * weights[slot] / whole
            remaining = _poisson(random, mean)
            while remaining:
                count = min(remaining, random.randint(1, program.unit))
                planned.append(Batch(slot * SLOT_US + random.randrange(SLOT_US), program, count))
                remaining -= count
        yield from sorted(planned, key=lambda batch: batch.time_us)


def _weight(slot: int) -> float:
    """How busy a slot is: two peaks a day, less at the weekend; day 0 is a Monday."""
    hour = slot * SLOT_US / HOUR_US % 24
    day = slot * SLOT_US // DAY_US % 7
    busy = 0.25 + 1.5 * exp(-(((hour - 10.5) / 2.5) ** 2)) + exp(-(((hour - 15.5) / 2) ** 2))
    return busy * (0.4 if day >= 5 else 1.0)


def _poisson(random: Random, mean: float) -> int:
    """A Poisson number; for large means by the normal distribution."""
    if mean > 50:
        return max(0, round(random.gauss(mean, mean**0.5)))
    limit, count, product = exp(-mean), 0, random.random()
    while product > limit:
        count += 1
        product *= random.random()
    return count


def body_bytes(random: Random, program: Program) -> int:
    """Length of one body."""
    return min(
        32_000, max(40, int(random.lognormvariate(0, program.spread) * program.median_bytes))
    )


def delay_ms(random: Random) -> int:
    """The delay of one reminder."""
    weights, delays = zip(*_DELAYS, strict=True)
    return int(random.choices(delays, weights)[0])
