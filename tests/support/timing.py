"""Times that tests hold to a bound: those of the processor, and the least of several rounds.

What else runs on a machine only ever adds to a time. So rounds go on until one of them shows that
the bound holds, and it is broken only where none of them does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from benchmarks.measure import processor_seconds

ROUNDS = 15
Work: TypeAlias = Callable[[], object]


def shortest_s(
    work: Work, most_s: float, measured: Callable[[Work], float] = processor_seconds
) -> float:
    """The least time of *work*, after as few rounds as show that it is below *most_s*.

    Args:
        measured: `seconds` where *work* waits for something.
    """
    least_s = measured(work)
    for _ in range(ROUNDS - 1):
        if least_s < most_s:
            break
        least_s = min(least_s, measured(work))
    return least_s


def times_as_long(work: Work, beside: Work, most: float, floor_s: float = 0.0) -> float:
    """How many times as long as *beside* *work* takes, by the least processor time of each.

    Args:
        most: the bound; the first round but one in which it holds is the last.
        floor_s: what *beside* counts at least: a clock has its grain.
    """
    longer_s, base_s = processor_seconds(work), processor_seconds(beside)
    for turn in range(1, ROUNDS):
        if turn >= 2 and longer_s < most * max(base_s, floor_s):
            break
        base_s = min(base_s, processor_seconds(beside))
        longer_s = min(longer_s, processor_seconds(work))
    return longer_s / max(base_s, floor_s)
