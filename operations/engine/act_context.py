"""How an operation is carried out, whatever it does: its journal, its pace, who may stop it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from threading import Thread
from typing import Final

from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.selection.spool import outcomes
from mqtriage.records import NamedTuple, dataclass

_NAP_S: Final = 0.1


class Progress(NamedTuple):
    """How far an act is: messages reached of all that are planned, and how many failed.

    Attributes:
        note: what people should know at once, "" for nothing.
        wait_s: how long it takes at least until the last message that waits is tried again.
    """

    reached: int
    planned: int
    failed: int
    note: str = ""
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ActContext:
    """What an operation is given beside its request and plan.

    Attributes:
        journal: where it is written down before it is done.
        should_stop: asked between two batches.
        begun: told the id of the operation once it is in the journal.
        progress: told after each batch.
        clock: seconds that only ever go on; a clock that is set back does not hold an act up.
        nap: sleeps so many seconds.
        pace: of an act in parts, which all keep to it together.
    """

    journal: Journal
    should_stop: Callable[[], bool] = lambda: False
    begun: Callable[[str], None] = lambda _: None
    progress: Callable[[Progress], None] = lambda _: None
    clock: Callable[[], float] = time.monotonic
    nap: Callable[[float], None] = time.sleep
    pace: Pace | None = None

    def pause(self, until_s: float) -> None:
        """Wait until the clock is there, or somebody asks to stop."""
        while (seconds := until_s - self.clock()) > 0 and not self.should_stop():
            self.nap(min(seconds, _NAP_S))


def act_report(request: ActRequest, planned: int, items: Iterable[ItemOutcome] = ()) -> Report:
    """The report of an operation that begins with these items, of messages that stay."""
    kind = f"{request.action.capitalize()}Report"
    begun = outcomes(items)
    return Report(
        kind, request.action, request.queue, request.target,
        planned=planned, items=begun, unplanned=len(begun),
    )  # fmt: skip


class Parts:
    """Gives each part of an act its context: they keep one pace, and progress is that of all."""

    def __init__(self, context: ActContext, whole: Report, rate_per_s: float | None) -> None:
        """Args: whole: has the items of the parts that ended."""
        self._context = replace(context, pace=Pace(rate_per_s))
        self._whole = whole
        self._read = 0
        self._failed = 0

    def next(self) -> ActContext:
        """The context of the part that begins now."""
        whole, start = self._whole, self._read
        self._read = len(whole.items)
        new = (whole.items[at].outcome for at in range(start, self._read))
        self._failed += sum(outcome is Outcome.FAILED for outcome in new)
        reached, failed = self._read - whole.unplanned, self._failed

        def show(at: Progress) -> None:
            self._context.progress(
                at._replace(
                    reached=reached + at.reached,
                    planned=whole.planned - whole.unplanned,
                    failed=failed + at.failed,
                )
            )

        return replace(self._context, progress=show)


class Meanwhile:
    """Something that is done in a thread of its own; `join` waits, and raises what it raised."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._error = error

    def join(self) -> None:
        self._thread.join()
        if self._error is not None:
            raise self._error


class Pace:
    """Keeps to so many messages a second, by waiting between units of work.

    In any t seconds, at most rate * t messages are processed, plus two units of work, each of a
    tenth of a second's worth. Unused time is not made up for.

    The time is the monotonic one: a clock that is set back does not hold an act up.
    """

    def __init__(self, rate_per_s: float | None) -> None:
        self.rate_per_s = rate_per_s
        self._began: float | None = None
        self._done = 0

    def batch(self, size: int) -> int:
        """*size*, or fewer so that no unit holds more than a tenth of a second's worth."""
        return size if self.rate_per_s is None else min(size, max(1, int(self.rate_per_s / 10)))

    def wait(self, should_stop: Callable[[], bool]) -> None:
        """Wait until the next unit may begin, or somebody asks to stop."""
        if self.rate_per_s is None:
            return
        if self._began is None:
            self._began = time.monotonic()
        self.rested()  # a unit that took long does not let the next ones catch up
        due = self._began + self._done / self.rate_per_s
        while (seconds := due - time.monotonic()) > 0 and not should_stop():
            time.sleep(min(seconds, _NAP_S))

    def rested(self) -> None:
        """There was nothing to do for a while: that earns no messages."""
        if self.rate_per_s is not None and self._began is not None:
            self._began = max(self._began, time.monotonic() - self._done / self.rate_per_s)

    def done(self, messages: int) -> None:
        """Count what was reached."""
        self._done += messages
