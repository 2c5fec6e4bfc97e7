"""Each message goes where its rules say.

A put that fails is tried again after RETRYINT, as often as RETRY says, and then leads to the next
rule; what waits for its next attempt is left alone meanwhile, with nothing open.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Final

from mqtriage.backends.port import QueueHandle
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.model.units import duration_text
from mqtriage.mq.errors import ConnectionFailed, MQIError, MQTriageError, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.names import check_queue_name
from mqtriage.mq.rules_table.parser import RulesTable
from mqtriage.mq.rules_table.table import Action, TableRule
from mqtriage.operations.engine.act_context import ActContext, Pace, Progress
from mqtriage.operations.engine.destinations import Delivered, Destination, Numbered, Stays, Tally
from mqtriage.operations.engine.unit_of_work import Member, UnitOfWork
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.requeue_counts import key_of_message, times_requeued
from mqtriage.operations.ledger.tables import Ledger
from mqtriage.operations.rules.attempts import Attempts
from mqtriage.operations.rules.judge import NO_OTHER, RuleTarget, ignores, judge_of
from mqtriage.records import NamedTuple, dataclass

_MOST_HANDLES: Final = 50


@dataclass(eq=False)
class RulesRun:
    """What a run of rules keeps from one pass over the queue to the next.

    Attributes:
        clock: that of the attempts.
        stays: a pass waits for the attempts that are still to be made; otherwise it leaves them
            to the next one.
        tally: of all passes.
        stopped: why no further message is to be tried.
        done: how many messages each rule moved or discarded, by its number.
        failed: for how many messages every attempt of a rule failed, by its number.
    """

    table: RulesTable
    clock: Callable[[], float] = time.monotonic
    stays: bool = True
    tally: Tally = field(default_factory=Tally)
    stopped: MQTriageError | None = None
    done: Counter[int] = field(default_factory=Counter)
    failed: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.attempts = Attempts(self.table.control.retryint_s, self.clock)
        self.paces = {rule.number: Pace(rule.rate_per_s) for rule in self.table.rules}


class _Held(NamedTuple):
    """A message that waits for its next attempt, and what the last one met."""

    planned: PlannedMessage
    item: ItemOutcome


class ByRules(Destination):
    """Where the rules say.

    Attributes:
        waiting: the numbers in the plan of messages that are to be tried again; *held* has them
            once a unit ended.
        exhausted: the numbers of messages of which every rule was tried.
        pending: numbers of those that this round is to try once more.
    """

    puts = True

    def __init__(self, run: RulesRun) -> None:
        super().__init__(run.tally)
        self.going = run
        self.attempts = run.attempts
        self.should_stop: Callable[[], bool] = lambda: False
        self.held: dict[int, _Held] = {}
        self.waiting: set[int] = set()
        self.exhausted: set[int] = set()
        self.pending: set[int] = set()
        self.last_due_s = 0.0
        self.targets: dict[RuleTarget, QueueHandle] = {}

    def open(self, work: UnitOfWork) -> None:
        """Read what decides; a target is opened when a message goes there."""
        super().open(work)
        table, ledger = self.going.table, work.entry.ledger
        self.judge = judge_of(
            work.backend, work.request.queue, table, lambda message: tried(ledger, message)
        )
        self._opened.callback(self._close_targets)

    def batch(self, size: int) -> int:
        """No unit holds more than a second's worth of any rule."""
        for pace in self.going.paces.values():
            size = pace.batch(size)
        return super().batch(size)

    def wait_s(self) -> float:
        waits = self.held and self.going.stays
        return max(0.0, self.last_due_s - self.attempts.clock()) if waits else 0.0

    # rounds ----------------------------------------------------------------------------------

    def rounds(
        self, messages: Iterable[Numbered], report: Report, context: ActContext
    ) -> Iterator[Iterable[Numbered]]:
        """All messages, and again those that wait where the run stays."""
        self.should_stop = context.should_stop
        self._rest()
        yield messages
        while self.held and self.going.stays and not report.interrupted:
            try:
                self._pause(report, context)
            except MQTriageError as error:
                self.going.stopped = error
            if context.should_stop():
                report.interrupted = True
            if report.interrupted or self.going.stopped is not None:
                return
            yield from self._due_again()

    def _pause(self, report: Report, context: ActContext) -> None:
        """Wait for the next attempt; nobody is kept from the queues meanwhile."""
        keys = (self._key(number, held.planned) for number, held in self.held.items())
        due_s = min(map(self.attempts.due_s, keys))
        wait_s = due_s - self.attempts.clock()
        note = waiting_note(len(self.held), wait_s) if round(wait_s) > 0 else ""
        context.progress(Progress(len(report.items), report.planned, self.tally.failures, note))
        self._close_targets()
        self.work.close_source()
        context.pause(due_s)
        self.work.open_source()
        self._rest()

    def _due_again(self) -> Iterator[Iterable[Numbered]]:
        """What is to be tried once more now.

        It was written down at its first attempt; from now on it is only to be taken, for many
        attempts would make many copies. That the put is undone where the disk is full then costs
        the messages of its unit a rollback.
        """
        now_s = self.attempts.clock()
        due = {
            number: held
            for number, held in sorted(self.held.items())
            if self.attempts.due_s(self._key(number, held.planned)) <= now_s
        }
        self.archives_late, self.pending = True, set(due)
        for number in due:
            del self.held[number]
        yield ((number, held.planned) for number, held in due.items())
        self.held |= {number: due[number] for number in self.pending}

    def _key(self, number: int, planned: PlannedMessage) -> bytes:
        """What the attempts know a message by: one pass has one plan, several have several."""
        return number.to_bytes(8, "big") if self.going.stays else self.attempts.key_of(planned)

    def _rest(self) -> None:
        for pace in (self.tally.pace, *self.going.paces.values()):
            if pace is not None:
                pace.rested()

    def reached(
        self, number: int, planned: PlannedMessage, item: ItemOutcome, report: Report
    ) -> None:
        self.pending.discard(number)
        if number in self.waiting:
            self.held[number] = _Held(planned, item)
            return
        if item.outcome in (Outcome.DONE, Outcome.PARKED):
            self.attempts.forget(self._key(number, planned))
        elif not self.going.stays:
            chance = item.outcome is Outcome.FAILED and number not in self.exhausted
            self.attempts.leave(self._key(number, planned), for_good=not chance)
        super().reached(number, planned, item, report)

    def ended(self, stop: MQTriageError | None, report: Report) -> MQTriageError | None:
        """Say what became of messages whose next attempt this pass does not make."""
        self.going.stopped = stop or self.going.stopped
        for number, held in self.held.items():
            if self.going.stays:
                failed = held.item._replace(outcome=Outcome.FAILED)
                super().reached(number, held.planned, failed, report)
            else:
                self.work.entry.stayed(number, held.item)
                report.planned -= 1
        return self.going.stopped

    def committed(self, members: Sequence[Member]) -> None:
        self.going.done.update(member.rule for member in members if member.rule)

    # one message -----------------------------------------------------------------------------

    def find(self, number: int, planned: PlannedMessage) -> Message | str | None:
        self.waiting.discard(number)
        return super().find(number, planned)

    def put(
        self, number: int, planned: PlannedMessage, message: Message, seen_us: int
    ) -> Delivered | Stays:
        """Try the rules that take the message."""
        key = self._key(number, planned)
        if self.attempts.due_s(key) > self.attempts.clock():
            return self._waits(number, key)
        facts = self.judge.facts(message)
        rules = () if facts is None else self.judge.matching(message, facts)
        for rule in rules:
            if self.judge.spent(rule, message):
                why = f"{rule.title}: max_retries = {rule.max_retries} is reached"
                self.attempts.failed(key, rule, why, hopeless=True)
                continue
            if facts is None or rule.action is Action.IGNORE:
                return self._stays(number, key, ignores(rule))
            if self.attempts.count(key, rule) >= rule.retry:
                continue
            why = f"{rule.title}: {rule.action}"
            if rule.action is Action.DISCARD:
                return Delivered(None, why, rule.number)  # no copy; it is in the archive
            where = self.judge.target(rule, facts)
            if where.problem:
                self.attempts.failed(key, rule, f"{rule.title}: {where.problem}", hopeless=True)
                return self._stays(number, key, "")
            delivered = self._attempt(key, rule, where, message, planned, seen_us)
            if delivered is not None:
                return delivered
            if self.attempts.count(key, rule) < rule.retry:
                return self._waits(number, key)
            self.going.failed[rule.number] += 1
        return self._stays(number, key, NO_OTHER)

    def _stays(self, number: int, key: bytes, why: str) -> Stays:
        reasons = self.attempts.reasons(key)
        if reasons:
            self.exhausted.add(number)
        outcome = Outcome.FAILED if reasons else Outcome.SKIPPED
        return Stays("; ".join(filter(None, (*reasons, why))), outcome)

    def _waits(self, number: int, key: bytes) -> Stays:
        self.waiting.add(number)
        self.last_due_s = max(self.last_due_s, self.attempts.due_s(key))
        return Stays("; ".join(self.attempts.reasons(key)), waits=True)

    def _attempt(
        self,
        key: bytes,
        rule: TableRule,
        where: RuleTarget,
        message: Message,
        planned: PlannedMessage,
        seen_us: int,
    ) -> Delivered | None:
        """Put it once; None where that failed, and why is in the attempts then."""
        keeps = rule.action is Action.FWD and rule.header
        options = self.work.request.copy
        options = options if keeps else replace(options, strip="added")
        pace = self.going.paces[rule.number]
        pace.wait(self.should_stop)
        pace.done(1)
        hopeless = True
        try:
            put = self.work.put_copy(self._outlet(where), message, planned, seen_us, options)
        except ConnectionFailed:
            raise
        except UsageError as error:
            put = error.text  # a name that is none, or the queue itself: it never will be another
        except MQIError as error:
            put, hopeless = error.text, False
        if not isinstance(put, str):
            put = put._replace(queue=str(where)) if where.queue_manager else put
            return Delivered(put, f"{rule.title}: {rule.action}", rule.number)
        number = self.attempts.count(key, rule) + 1
        attempt = f", attempt {number} of {rule.retry}" if rule.retry > 1 and not hopeless else ""
        why = f"{_route(rule, where)}{attempt}: {put}"
        self.attempts.failed(key, rule, why, hopeless=hopeless)
        return None

    def _outlet(self, where: RuleTarget) -> QueueHandle:
        """The queue, open for output; on another queue manager by the route that is defined there.

        Raises:
            UsageError: Not a name, or the queue that the message is on.
        """
        if where not in self.targets:
            if len(self.targets) >= _MOST_HANDLES:
                self._close_targets()
            name = check_queue_name(where.queue)
            self.targets[where] = self.work.open_outlet(name, where.queue_manager, where.user)
        handle = self.targets[where]
        if not where.queue_manager and handle.resolved_name == self.work.source.resolved_name:
            raise UsageError("the message is already on that queue")
        return handle

    def _close_targets(self) -> None:
        for handle in self.targets.values():
            with suppress(MQIError):
                handle.close()
        self.targets.clear()


def _route(rule: TableRule, where: RuleTarget) -> str:
    to = str(where) if where.queue else "a blank queue name"
    user = "" if where.user is None else f" as user {where.user or '(blank)'}"
    return f"{rule.title}: {rule.action} to {to}{user}"


def waiting_note(count: int, seconds: float) -> str:
    """``2 messages wait 60s for the next attempt``."""
    wait = "1 message waits" if count == 1 else f"{count} messages wait"
    return f"{wait} {duration_text(round(seconds) * 1000)} for the next attempt"


def tried(source: Journal | Ledger, message: Message) -> int:
    """How often the message was moved by runs whose rules count (`max_retries`)."""
    return times_requeued(source, key_of_message(message))
