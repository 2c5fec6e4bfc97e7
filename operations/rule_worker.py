"""Put each message where its rules say: what `act_rules` has carried out, message by message.

Finding the planned message, archiving it, taking it and committing are `act_worker.Worker`'s. What
differs is where the copy goes. A put that fails is tried again after RETRYINT, as often as RETRY
says, and then leads to the next rule; what waits for its next attempt is left alone meanwhile, with
nothing open.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final, NamedTuple

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.model.units import duration_text
from mqtriage.mq.errors import ConnectionFailed, MQIError, MQTriageError, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.names import check_queue_name
from mqtriage.mq.rules_table.parser import RulesTable
from mqtriage.mq.rules_table.table import Action, Rule
from mqtriage.operations.act_context import Conduct, Pace, Progress
from mqtriage.operations.archive import Archive
from mqtriage.operations.journal import Entry
from mqtriage.operations.journal_lines import Put, Taken
from mqtriage.operations.plan import ActRequest
from mqtriage.operations.requeue_counts import RequeueCounts
from mqtriage.operations.rule_attempts import Attempts
from mqtriage.operations.rule_judge import Target, judge_of
from mqtriage.operations.worker import Numbered, Worker

_MOST_HANDLES: Final = 50


@dataclass(slots=True)
class RulesRun:
    """What a run of rules keeps from one pass over the queue to the next.

    Attributes:
        attempts: those that failed.
        stays: a pass waits for the attempts that are still to be made; otherwise it leaves them
            to the next one.
        failures: for `--max-errors`. *pace*: for `--rate`; *paces*: the same of each rule.
        stopped: why no further message is to be tried.
        done: how many messages each rule moved or discarded, by its number.
    """

    table: RulesTable
    attempts: Attempts
    stays: bool = True
    failures: int = 0
    pace: Pace | None = None
    paces: dict[int, Pace] = field(default_factory=dict)
    stopped: MQTriageError | None = None
    done: Counter[int] = field(default_factory=Counter)


def rules_run(
    table: RulesTable, clock: Callable[[], float] = time.monotonic, *, stays: bool = True
) -> RulesRun:
    """A run of *table* that begins now."""
    run = RulesRun(table, Attempts(table.control.retryint_s, clock), stays)
    run.paces = {rule.number: Pace(rule.rate_per_s) for rule in table.rules}
    return run


class _Held(NamedTuple):
    """A message that waits for its next attempt, and what the last one met."""

    marks: PlannedMessage
    item: ItemOutcome


class RulesWorker(Worker):
    """Puts each message where its rules say.

    Attributes:
        key: what the attempts know the message at hand by.
        waits: it is to be tried again later. *failed*: it is not, and stays.
        waiting: the numbers in the plan of such messages; *held* has them once a unit ended.
        exhausted: the numbers of messages of which every rule was tried.
        pending: numbers of those that this pass is to try once more.
        again: messages were archived when they were first tried.
    """

    CAN_PASS = False  # a message that no rule can put anywhere must not have been got

    def __init__(
        self,
        backend: Backend,
        request: ActRequest,
        threshold: int,
        entry: Entry,
        counts: RequeueCounts,
        run: RulesRun,
    ) -> None:
        super().__init__(backend, request, threshold, entry, counts)
        self.judge = judge_of(
            backend, request.queue, run.table, lambda message: tried(counts, message)
        )
        self.going = run
        self.attempts = run.attempts
        self.failures = run.failures
        self.pace = run.pace = run.pace or self.pace
        self.plain = request
        self.stripped = replace(request, copy=replace(request.copy, strip="added"))
        self.should_stop: Callable[[], bool] = lambda: False
        self.unit_rules: list[int] = []
        self.rule: Rule | None = None
        self.key = b""
        self.waits = False
        self.failed = False
        self.again = False
        self.held: dict[int, _Held] = {}
        self.waiting: set[int] = set()
        self.exhausted: set[int] = set()
        self.pending: set[int] = set()
        self.targets: dict[Target, QueueHandle] = {}

    def start(self) -> None:
        """Open the queue and make the archive; targets are opened when a message goes there."""
        super().start()
        self.target = self.source  # so that a put is asked for; `_put_copy` knows where to

    def end(self) -> None:
        """Close what is open."""
        self.target = None
        self._close_targets()
        super().end()

    def _room(self) -> int:
        return 1 << 31  # a target that is full fails the attempt

    # passes ----------------------------------------------------------------------------------

    def run(
        self, messages: Iterable[Numbered], size: int, report: Report, conduct: Conduct
    ) -> MQTriageError | None:
        """Work through *messages*, and again through those that wait where the run stays.

        No unit holds more than a second's worth of any rule.
        """
        self.should_stop = conduct.should_stop
        for pace in self.going.paces.values():
            size = pace.batch(size)
        self._rested()
        stop = super().run(messages, size, report, conduct)
        while stop is None and self.held and self.going.stays and not report.interrupted:
            stop = self._pause(report, conduct)
            if conduct.should_stop():
                report.interrupted = True
            elif stop is None:
                stop = self._again(size, report, conduct)
        self.going.failures, self.going.stopped = self.failures, stop
        self._end_held(report)
        return stop

    def _pause(self, report: Report, conduct: Conduct) -> MQTriageError | None:
        """Wait for the next attempt; nobody is kept from the queues meanwhile."""
        due_s = min(self.attempts.due_s(self._key(*each)) for each in self._numbered())
        note = waiting_note(len(self.held), due_s - self.attempts.clock())
        conduct.progress(Progress(len(report.items), report.planned, self.failures, note))
        self._close_targets()
        try:
            self._source.close()
            conduct.pause(due_s)
            self.source = self.target = self._opened_source()
        except MQTriageError as error:
            self.source = self.target = None
            return error
        self._rested()
        return None

    def _again(self, size: int, report: Report, conduct: Conduct) -> MQTriageError | None:
        """Try what is due once more."""
        now_s = self.attempts.clock()
        due = {
            number: held
            for number, held in sorted(self.held.items())
            if self.attempts.due_s(self._key(number, held.marks)) <= now_s
        }
        self.again, self.pending = True, set(due)
        for number in due:
            del self.held[number]
        numbered = ((number, held.marks) for number, held in due.items())
        stop = super().run(numbered, size, report, conduct)
        if stop is None:  # else the rest has been told as not tried
            self.held |= {number: due[number] for number in self.pending}
        return stop

    def _numbered(self) -> Iterator[Numbered]:
        return ((number, held.marks) for number, held in self.held.items())

    def _key(self, number: int, marks: PlannedMessage) -> bytes:
        """What the attempts know a message by: one pass has one plan, several have several."""
        return number.to_bytes(8, "big") if self.going.stays else self.attempts.key_of(marks)

    def _rested(self) -> None:
        for pace in (self.pace, *self.going.paces.values()):
            pace.rested()

    def _end_held(self, report: Report) -> None:
        """Say what became of messages whose next attempt this pass does not make."""
        for number, held in self.held.items():
            if self.going.stays:
                failed = held.item._replace(outcome=Outcome.FAILED)
                super()._reached(number, held.marks, failed, report)
            else:
                self.entry.left(number, held.item)
                report.planned -= 1

    def _reached(
        self, number: int, marks: PlannedMessage, item: ItemOutcome, report: Report
    ) -> None:
        self.pending.discard(number)
        if number in self.waiting:
            self.held[number] = _Held(marks, item)
            return
        if item.outcome in (Outcome.DONE, Outcome.PARKED):
            self.attempts.forget(self._key(number, marks))
        elif not self.going.stays:
            chance = item.outcome is Outcome.FAILED and number not in self.exhausted
            self.attempts.leave(self._key(number, marks), for_good=not chance)
        super()._reached(number, marks, item, report)

    # one message -----------------------------------------------------------------------------

    def _one(self, number: int, marks: PlannedMessage) -> tuple[ItemOutcome, MQTriageError | None]:
        self.rule, self.waits, self.failed = None, False, False
        self.key = self._key(number, marks)
        self.waiting.discard(number)
        if not self.unit:
            self.unit_rules = []
        item, stop = super()._one(number, marks)
        if item.outcome is Outcome.DONE and self.rule is not None:
            self.unit_rules.append(self.rule.number)
            item = item._replace(reason=f"{self.rule.title}: {self.rule.action}")
        elif item.outcome is Outcome.SKIPPED and self.waits:
            self.waiting.add(number)
        elif item.outcome is Outcome.SKIPPED and self.failed:
            item = item._replace(outcome=Outcome.FAILED)
        if self.failed:
            self.exhausted.add(number)
        return item, stop

    def _archived(
        self, archive: Archive, source: QueueHandle, message: Message, marks: PlannedMessage
    ) -> int:
        """Write the message down before its first attempt; before a later one only to be taken.

        Many attempts would make many copies; that the put is undone where the disk is full then
        costs the messages of its unit a rollback.
        """
        return 0 if self.again else super()._archived(archive, source, message, marks)

    def _take(
        self,
        marks: PlannedMessage,
        message: Message,
        taken: Taken,
        *,
        reported: bool = False,
        why: str = "",
    ) -> tuple[ItemOutcome, MQTriageError | None]:
        if self.archive is not None and not taken.archived:
            number = super()._archived(self.archive, self._source, message, marks)
            taken = taken._replace(archived=number)
        return super()._take(marks, message, taken, reported=reported, why=why)

    def _aside(
        self,
        marks: PlannedMessage,
        message: Message,
        taken: Taken,
        item: ItemOutcome,
        why: MQIError | None = None,
    ) -> tuple[ItemOutcome, MQTriageError | None]:
        if self.waits:
            return item, None
        return super()._aside(marks, message, taken, item, why)

    def _commit(self) -> None:
        super()._commit()
        self.going.done.update(self.unit_rules)

    def _put_copy(
        self, target: QueueHandle, message: Message, marks: PlannedMessage, seen_us: int
    ) -> Put | str | MQIError | None:
        """Try the rules that take it; returns what was put, or why the message stays."""
        if self.attempts.due_s(self.key) > self.attempts.clock():
            return self._waits()
        facts = self.judge.facts(message)
        rules = () if facts is None else self.judge.matching(message, facts)
        for rule in rules:
            if self.judge.spent(rule, message):
                why = f"{rule.title}: max_retries = {rule.max_retries} is reached"
                self.attempts.failed(self.key, rule, why, hopeless=True)
                continue
            if facts is None or rule.action is Action.IGNORE:
                return self._stays(f"{rule.title} ignores it")
            if self.attempts.made(self.key, rule) >= rule.retry:
                continue
            self.rule = rule
            if rule.action is Action.DISCARD:
                return None  # no copy; it is in the archive
            where = self.judge.target(rule, facts)
            if where.problem:
                why = f"{rule.title}: {where.problem}"
                self.attempts.failed(self.key, rule, why, hopeless=True)
                return self._stays("")
            put = self._attempt(rule, where, message, marks, seen_us)
            if put is not None:
                return put
            if self.attempts.made(self.key, rule) < rule.retry:
                return self._waits()
        return self._stays("no other rule takes it")

    def _stays(self, why: str) -> str:
        met = self.attempts.reasons(self.key)
        self.rule, self.failed = None, bool(met)
        return "; ".join(filter(None, (*met, why)))

    def _waits(self) -> str:
        self.rule, self.waits = None, True
        return "; ".join(self.attempts.reasons(self.key))

    def _attempt(
        self, rule: Rule, where: Target, message: Message, marks: PlannedMessage, seen_us: int
    ) -> Put | None:
        """Put it once; None where that failed, and why is in the attempts then."""
        keeps = rule.action is Action.FWD and rule.header
        self.request = self.plain if keeps else self.stripped
        pace = self.going.paces[rule.number]
        pace.wait(self.should_stop)
        pace.done(1)
        put: Put | str | MQIError | None
        try:
            put = super()._put_copy(self._opened(where), message, marks, seen_us)
        except ConnectionFailed:
            raise
        except UsageError as error:
            put = error.text  # a name that is none, or the queue itself: it never will be another
        except MQIError as error:
            put = error
        if isinstance(put, Put):
            return put._replace(queue=str(where)) if where.queue_manager else put
        if isinstance(put, MQIError):
            number = self.attempts.made(self.key, rule) + 1
            attempt = f", attempt {number} of {rule.retry}" if rule.retry > 1 else ""
            why = f"{_way(rule, where)}{attempt}: {put.text}"
            self.attempts.failed(self.key, rule, why)
        else:
            self.attempts.failed(self.key, rule, f"{_way(rule, where)}: {put}", hopeless=True)
        return None

    def _opened(self, where: Target) -> QueueHandle:
        """The queue, open for output; on another queue manager by the way that is defined there.

        Raises:
            UsageError: Not a name, or the queue that the message is on.
            MQIError: It cannot be opened.
        """
        if where not in self.targets:
            if len(self.targets) >= _MOST_HANDLES:
                self._close_targets()
            name = check_queue_name(where.queue)
            self.targets[where] = self._open_target(name, where.queue_manager, where.user)
        handle = self.targets[where]
        if not where.queue_manager and handle.resolved_name == self._source.resolved_name:
            raise UsageError("the message is on that queue already")
        return handle

    def _close_targets(self) -> None:
        for handle in self.targets.values():
            with suppress(MQIError):
                handle.close()
        self.targets.clear()


def _way(rule: Rule, where: Target) -> str:
    to = str(where) if where.queue else "a blank queue name"
    user = "" if where.user is None else f" as user {where.user or '(blank)'}"
    return f"{rule.title}: {rule.action} to {to}{user}"


def waiting_note(count: int, seconds: float) -> str:
    """``2 messages wait 60s for the next attempt``."""
    wait = "1 message waits" if count == 1 else f"{count} messages wait"
    return f"{wait} {duration_text(max(0, round(seconds)) * 1000)} for the next attempt"


def tried(counts: RequeueCounts, message: Message) -> int:
    """How often the message was moved by runs whose rules count (`max_retries`)."""
    return counts.of((message.md.msg_id, sha256(message.body).digest()))
