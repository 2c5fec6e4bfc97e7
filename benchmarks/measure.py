"""Timing side by side: the same rounds for each contestant in turn, so that drift hits both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the table: a ratio of two things measured in one run, and its bound.

    Attributes:
        ratio: median over the rounds of (ours against theirs), as `what` says.
        bound: the promise; `at_least` says on which side of it the ratio must be.
    """

    what: str
    ratio: float
    bound: float
    at_least: bool
    detail: str = ""

    @property
    def holds(self) -> bool:
        return self.ratio >= self.bound if self.at_least else self.ratio <= self.bound

    def line(self) -> str:
        """For the table of benchmarks/README.md."""
        sign = ">=" if self.at_least else "<="
        verdict = "holds" if self.holds else "FAILS"
        bound = f"{sign} {self.bound:g}"
        return f"| {self.what} | {self.ratio:.2f} | {bound} | {verdict} | {self.detail} |"


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor time of one call: what other processes do meanwhile is not on our account."""
    began = time.process_time()
    work()
    return time.process_time() - began


def paired(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int = 5
) -> tuple[float, float, float]:
    """Median of ours / theirs round by round, and the median of each; both are measured in turn."""
    pairs = []
    for turn in range(rounds):
        if turn % 2:
            other = theirs()
            pairs.append((ours(), other))
        else:
            pairs.append((ours(), theirs()))
    ratio = statistics.median(a / b for a, b in pairs)
    return ratio, statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)
