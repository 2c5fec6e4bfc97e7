"""Timing side by side: the same rounds for each contestant in turn, so that drift hits both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the table: a ratio of two things measured in one run, and its bound.

    Attributes:
        rounds: the ratio (ours against theirs), as `what` says, in each round.
        bound: the promise; `at_least` says on which side of it the ratio must be.
        in_each: it must be there in every round, not in the median alone.
    """

    what: str
    rounds: Sequence[float]
    bound: float
    at_least: bool
    detail: str = ""
    in_each: bool = False

    @property
    def ratio(self) -> float:
        return statistics.median(self.rounds)

    @property
    def holds(self) -> bool:
        counts = self.rounds if self.in_each else [self.ratio]
        return min(counts) >= self.bound if self.at_least else max(counts) <= self.bound

    def line(self) -> str:
        """For the table of benchmarks/README.md."""
        sign = ">=" if self.at_least else "<="
        verdict = "holds" if self.holds else "FAILS"
        bound = f"{sign} {self.bound:g}"
        spread = f"{min(self.rounds):.2f} to {max(self.rounds):.2f}" if len(self.rounds) > 1 else ""
        figures = f"{self.ratio:.2f} | {spread} | {bound} | {verdict}"
        return f"| {self.what} | {figures} | {self.detail} |"


@dataclass(frozen=True)
class Rounds:
    """Two things measured in turn, round by round: seconds, or rates."""

    ours: Sequence[float]
    theirs: Sequence[float]

    @property
    def ratios(self) -> list[float]:
        """Ours / theirs, of each round."""
        return [a / b for a, b in zip(self.ours, self.theirs, strict=True)]

    @property
    def inverse(self) -> list[float]:
        """Theirs / ours: of seconds, how many times as fast we are."""
        return [b / a for a, b in zip(self.ours, self.theirs, strict=True)]

    def text(self, form: Callable[[float], str]) -> str:
        """The median of each."""
        ours, theirs = statistics.median(self.ours), statistics.median(self.theirs)
        return f"{form(ours)} vs. {form(theirs)}"


def seconds_text(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.0f} ms"


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


def paired(ours: Callable[[], float], theirs: Callable[[], float], rounds: int = 5) -> Rounds:
    """Both measured in turn, each first in every other round."""
    pairs = []
    for turn in range(rounds):
        if turn % 2:
            other = theirs()
            pairs.append((ours(), other))
        else:
            pairs.append((ours(), theirs()))
    return Rounds([a for a, _ in pairs], [b for _, b in pairs])
