"""Carry a plan out on an emulated queue manager: real puts, gets, delays, rollbacks, its clock.

The driver keeps a model of what must be on the queues, out of what calls returned; `check` holds
the queue manager to it, so that what `Truth` says is what happened.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any, Final

from mqtriage.emulator.admin import admin_events, definitions, lifecycle
from mqtriage.emulator.clients.poison_move import put_in_unit
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.get import get
from mqtriage.emulator.core.get.rows import Accept, MatchOptions, NotAccepted
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put import put, staging
from mqtriage.emulator.core.tables import counters, messages
from mqtriage.emulator.due import performance_events, statistics
from mqtriage.emulator.simulation import plan as planned
from mqtriage.emulator.simulation.plan import (
    DEAD,
    ORDERS,
    PAYMENTS,
    PAYMENTS_BACKOUT,
    POISON_RELEASE,
    QUOTES,
    REMINDERS,
    WRONG_DELAY_JOB,
    Batch,
    Program,
    SimulationPlan,
)
from mqtriage.emulator.simulation.truth import DepthEvents, Truth
from mqtriage.messages.event_json import event_of
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQTriageError, NoMessageAvailable, QueueFull
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.ddh import DDH_LENGTH, TAIL_FIXED_LENGTH
from mqtriage.mq.headers.formats import JMS_ENCODING, RFH2_FORMAT
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339

_HEADER_BYTES: Final = DDH_LENGTH + TAIL_FIXED_LENGTH
_UNIT: Final = 50
_POISON_PART: Final = 0.3
"""Part of the payments that come from the new release while both are in use."""
_PASSING_PART: Final = 0.04
"""Part of the payments that fail once or twice, for reasons that pass."""
_READ_PART: Final = 0.7
"""Part of the quotes that somebody reads before their lifetime ends."""
_WRONG_PART: Final = 0.02
"""Messages of the wrong delay, as part of all reminders."""
_FILLER: Final = b"the quick brown fox jumps over the lazy dog 0123456789 " * 600

EVENT_QUEUES: Final = (
    performance_events.QUEUE,
    admin_events.CONFIG_QUEUE,
    statistics.STATISTICS_QUEUE,
    statistics.ACCOUNTING_QUEUE,
)
_HOUR_S: Final = 3600
_PAYMENTS_APP: Final = "payments-app"
Event = Callable[[], None]


class SimulationFault(MQTriageError):
    """The queue manager is not as the driver's own books say: a fault of ours."""


class _Reader:
    """A program that gets from one queue."""

    def __init__(self, manager: Manager, name: str, user: str, queue: str) -> None:
        self.connection = Connection(manager, name, user)
        self.handle = self.connection.open(
            queue, cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_SAVE_ALL_CONTEXT
        )

    def take(self, count: int, accept: Accept | None = None) -> int:
        """Get *count* messages in units of work; fewer, where *accept* stops at one."""
        taken = 0
        try:
            while taken < count:
                get.get(self.connection, self.handle, cmqc.MQGMO_SYNCPOINT, accept=accept)
                taken += 1
                if taken % _UNIT == 0:
                    self.connection.commit()
        except NotAccepted:
            pass
        self.connection.commit()
        return taken

    def take_these(self, ids: list[bytes]) -> None:
        """Get the messages with these MsgIds in one unit of work."""
        for msg_id in ids:
            get.get(self.connection, self.handle, cmqc.MQGMO_SYNCPOINT, MatchOptions(msg_id))
        self.connection.commit()


class Run:
    """One queue manager that lives through its plan.

    Args:
        manager: new, with a frozen clock at *start_us*.
    """

    def __init__(self, manager: Manager, plan: SimulationPlan, start_us: int) -> None:
        self.manager = manager
        self.plan = plan
        self.truth = Truth(plan.queue_manager)
        self._start = start_us
        self._now = start_us
        self._random = Random(f"{plan.seed}/run")
        self._events: list[tuple[int, int, Event]] = []
        self._number = 0
        self._depth = dict.fromkeys((ORDERS, PAYMENTS, REMINDERS, PAYMENTS_BACKOUT), 0)
        self._failing: dict[bytes, int] = {}
        self._passing: dict[bytes, int] = {}
        self._payments_at = 0
        self._define()
        self._writers: dict[str, tuple[Connection, Handle]] = {}
        self._orders = _Reader(manager, "orders-app", "app", ORDERS)
        self._payments = _Reader(manager, _PAYMENTS_APP, "app", PAYMENTS)
        self._reminders = _Reader(manager, "reminder-app", "app", REMINDERS)
        self._quotes = _Reader(manager, "quote-app", "app", QUOTES)

    # -- time -----------------------------------------------------------------------------------

    def live(self, snapshot: Callable[[], None], every_us: int) -> Truth:
        """Let the whole plan happen; call *snapshot* every so often, and at the end.

        Raises:
            SimulationFault: The queue manager is not as it should be.
        """
        end = self._start + self.plan.length_us
        self._plan_incidents()
        arrivals = planned.batches(self.plan)
        following = next(arrivals, None)
        at = self._start + every_us
        while True:
            batch_us = end if following is None else self._start + following.time_us
            event_us = self._events[0][0] if self._events else end
            time_us = min(batch_us, event_us, at, end)
            self._advance(time_us)
            if time_us in (at, end):
                self.check()
                if time_us == end:
                    statistics.write_now(self.manager)
                snapshot()
                self.truth.snapshots += 1
                at += every_us
                if time_us == end:
                    break
            elif time_us == event_us:
                heapq.heappop(self._events)[2]()
            elif following is not None:
                self._put(following)
                following = next(arrivals, None)
        self._finish()
        return self.truth

    def take_events(self) -> list[dict[str, Any]]:
        """Take what the queue manager reported since the last call, as amqsevt prints it."""
        records = []
        for queue in EVENT_QUEUES:
            handle = self._admin.open(queue, cmqc.MQOO_INPUT_SHARED)
            with suppress(NoMessageAvailable):
                while True:
                    message = get.get(self._admin, handle, cmqc.MQGMO_NO_SYNCPOINT)
                    record = event_of(message, queue, self.plan.queue_manager)
                    records += [] if record is None else [record]
            self._admin.close(handle)
        return records

    def _advance(self, time_us: int) -> None:
        if time_us > self._now:
            lifecycle.advance(self.manager, time_us - self._now)
            self._now = time_us
        staged = self.truth.staged
        released = staged.release_until(time_us)
        self._depth[REMINDERS] += released
        if released:
            self.truth.events[STAGING_QUEUE].got(staged.count_now)
        self.truth.expiring.expire_until(time_us)

    def _at(self, time_us: int, event: Event) -> None:
        self._number += 1
        heapq.heappush(self._events, (max(time_us, self._now), self._number, event))

    def check(self) -> None:
        """Compare the depths of the queues with the books."""
        books = {**self._depth, STAGING_QUEUE: self.truth.staged.count_now}
        for queue, depth in books.items():
            actual = counters.depth(self.manager.store, self.manager.queues[queue].id)
            if actual != depth:
                raise self._fault(queue, actual, depth)
        quotes, expiring = self.manager.queues[QUOTES], self.truth.expiring
        actual = messages.count_alive(self.manager.store, quotes.span, self._now)
        unread = expiring.put - expiring.consumed - expiring.expired
        if actual != unread:
            raise self._fault(QUOTES, actual, unread)

    def _fault(self, queue: str, actual: int, expected: int) -> SimulationFault:
        return SimulationFault(
            f"{self.plan.queue_manager} at {rfc3339(self._now)}: {queue} holds {actual} messages,"
            f" the books say {expected}"
        )

    # -- definitions ----------------------------------------------------------------------------

    def _define(self) -> None:
        connection = Connection(self.manager, "mqtriage simulate", "mqm")
        small = self.plan.incidents.staging_maxdepth
        queues: tuple[tuple[str, dict[str, int | str]], ...] = (
            (DEAD, {"MAXDEPTH": 100_000}),
            (PAYMENTS_BACKOUT, {"MAXDEPTH": 100_000}),
            (ORDERS, {"MAXDEPTH": self.plan.orders_maxdepth, "QDPHIEV": "ENABLED"}),
            (
                PAYMENTS,
                {"MAXDEPTH": 50_000, "BOTHRESH": planned.BOTHRESH, "BOQNAME": PAYMENTS_BACKOUT},
            ),
            (REMINDERS, {"MAXDEPTH": 50_000}),
            (QUOTES, {"MAXDEPTH": 20_000}),
        )
        for name, attributes in queues:
            definitions.define(connection, "QLOCAL", name, attributes)
        staging_maxdepth = small or 1_000_000
        definitions.alter(connection, "QLOCAL", STAGING_QUEUE, {"MAXDEPTH": staging_maxdepth})
        reports: dict[str, int | str] = {"PERFMEV": "ENABLED", "CONFIGEV": "ENABLED"}
        reports |= {"STATQ": "ON", "STATINT": _HOUR_S, "ACCTMQI": "ON", "ACCTINT": _HOUR_S}
        definitions.alter(connection, "QMGR", "", {"DEADQ": DEAD, **reports})
        self.truth.events[ORDERS] = DepthEvents(self.plan.orders_maxdepth, on={"high", "full"})
        self.truth.events[STAGING_QUEUE] = DepthEvents(
            staging_maxdepth, on=set()
        )  # QDPMAXEV(DISABLED)
        self._admin = connection
        if small is not None:
            self.truth.small_staging = {"maxdepth": small}

    def _change(self, change: planned.QueueAlteration) -> None:
        before = self.manager.queues[change.queue].attributes.get(change.attribute)
        definitions.alter(self._admin, "QLOCAL", change.queue, {change.attribute: change.value})
        self.truth.changes.append(
            {
                "time": rfc3339(self._now),
                "queue": change.queue,
                "attribute": change.attribute,
                "from": before,
                "to": change.value,
            }
        )

    def _plan_incidents(self) -> None:
        incidents, truth = self.plan.incidents, self.truth
        for change in self.plan.changes:
            self._at(self._start + change.time_us, lambda change=change: self._change(change))  # type: ignore[misc]
        if incidents.poison is not None:
            truth.poison = {
                "queue": PAYMENTS,
                "backout_queue": PAYMENTS_BACKOUT,
                "where": f"put_appl = '{POISON_RELEASE}'",
                "put_appl": POISON_RELEASE,
                **self._span(incidents.poison),
                "messages": 0,
            }
        if incidents.stuck is not None:
            truth.stuck = {
                "queue": ORDERS,
                **self._span(incidents.stuck),
                "maxdepth": self.plan.orders_maxdepth,
                "greatest_depth": 0,
                "full_from": None,
            }
            self._at(self._start + incidents.stuck.end_us, self._read_orders)
        if incidents.wrong_delay_us is not None:
            self._at(self._start + incidents.wrong_delay_us, self._wrong_delay)

    def _span(self, span: planned.Span) -> dict[str, str]:
        return {
            "from": rfc3339(self._start + span.start_us),
            "to": rfc3339(self._start + span.end_us),
        }

    # -- puts -----------------------------------------------------------------------------------

    def _writer(self, program: str, user: str, queue: str) -> tuple[Connection, Handle]:
        if program not in self._writers:
            connection = Connection(self.manager, program, user)
            self._writers[program] = (connection, connection.open(queue, cmqc.MQOO_OUTPUT))
        return self._writers[program]

    def _body(self, program: Program) -> bytes:
        self._number += 1
        head = f'{{"number":{self._number},"text":"'.encode()
        length = planned.body_bytes(self._random, program)
        return head + _FILLER[: max(0, length - len(head) - 2)] + b'"}'

    def _put(self, batch: Batch) -> None:
        if batch.program.delayed:
            self._send(batch.program, batch.program.name, batch.messages, None)
        elif batch.program.queue == QUOTES:
            self._put_quotes(batch)
        elif batch.program.queue == PAYMENTS:
            self._put_payments(batch)
        else:
            self._put_orders(batch)

    def _put_all(self, batch: Batch, name: str, md: MQMD, count: int) -> list[tuple[bytes, int]]:
        """Put in one unit of work; MsgId and length of those that were taken."""
        program = batch.program
        connection, handle = self._writer(name, program.user, program.queue)
        events = self.truth.events.get(program.queue)
        done = []
        for _ in range(count):
            body = self._body(program)
            try:
                stored = put.put(connection, handle, md, body, cmqc.MQPMO_SYNCPOINT)
            except QueueFull:
                self.truth.refused[program.queue] += 1
                if events is not None:
                    events.refused()
                continue
            done.append((stored.msg_id, len(body)))
            if events is not None:  # by the put, and not by its commit: it counts in CURDEPTH
                events.put(self._depth[program.queue] + len(done))
        connection.commit()
        self.truth.puts[program.queue] += len(done)
        if program.queue in self._depth:
            self._depth[program.queue] += len(done)
        return done

    def _put_orders(self, batch: Batch) -> None:
        self._put_all(batch, batch.program.name, _MD, batch.messages)
        self._at(self._now + self._random.randint(2_000_000, 40_000_000), self._read_orders)
        stuck = self.truth.stuck
        if stuck is not None and self._is_stuck():
            stuck["greatest_depth"] = max(stuck["greatest_depth"], self._depth[ORDERS])
            if self._depth[ORDERS] >= self.plan.orders_maxdepth and stuck["full_from"] is None:
                stuck["full_from"] = rfc3339(self._now)

    def _put_payments(self, batch: Batch) -> None:
        poison = self.plan.incidents.poison
        new = 0
        if poison is not None and poison.holds(self._now - self._start):
            new = sum(self._random.random() < _POISON_PART for _ in range(batch.messages))
        for name, count in ((batch.program.name, batch.messages - new), (POISON_RELEASE, new)):
            for msg_id, _ in self._put_all(batch, name, _MD, count) if count else ():
                if name == POISON_RELEASE:
                    self._failing[msg_id] = 0
                elif self._random.random() < _PASSING_PART:
                    self._passing[msg_id] = self._random.randint(1, planned.MOST_TRIES_THAT_HELP)
        if new and self.truth.poison is not None:
            self.truth.poison["messages"] += new
        self._at(self._now + self._random.randint(2_000_000, 20_000_000), self._read_payments)

    def _put_quotes(self, batch: Batch) -> None:
        expiring, lifetime = self.truth.expiring, batch.program.lifetime
        assert lifetime is not None
        seconds = self._random.randint(*lifetime)
        md = _MD._replace(expiry_tenths=seconds * 10, persistence=0)
        done = self._put_all(batch, batch.program.name, md, batch.messages)
        expiring.put += len(done)
        least = expiring.shortest_lifetime_ms or seconds * 1000
        expiring.shortest_lifetime_ms = min(least, seconds * 1000)
        expiring.longest_lifetime_ms = max(expiring.longest_lifetime_ms, seconds * 1000)
        read = []
        for msg_id, length in done:
            if self._random.random() < _READ_PART:
                read.append(msg_id)
            else:
                heapq.heappush(expiring.running, (self._now + seconds * 1_000_000, length))
        wait_us = self._random.randint(1_000_000, 240_000_000)
        if read:
            self._at(self._now + wait_us, lambda: self._read_quotes(read, wait_us))

    def _send(self, program: Program, name: str, count: int, delay_ms: int | None) -> int:
        """Send reminders with a delay; how many were taken."""
        connection, _ = self._writer(name, program.user, program.queue)
        staged, taken = self.truth.staged, list[tuple[int, int]]()
        events, committed = self.truth.events[STAGING_QUEUE], 0

        def commit() -> None:
            nonlocal committed
            connection.commit()
            if len(taken) > committed:
                committed = len(taken)
                events.put(staged.count_now + committed)

        for _ in range(count):
            text = self._body(program)
            wanted_ms = planned.delay_ms(self._random) if delay_ms is None else delay_ms
            md, body = _jms_message(text, program.queue, self._now // 1000, wanted_ms)
            try:
                staging.send(connection, program.queue, md, body, wanted_ms, cmqc.MQPMO_SYNCPOINT)
            except QueueFull:
                staged.refuse(self._now)
                events.refused()
                self.truth.refused[STAGING_QUEUE] += 1
                continue
            taken.append((wanted_ms, len(body)))
            if len(taken) % _UNIT == 0:
                commit()
        commit()
        for wanted_ms, length in taken:
            staged.add(self._now, self._now + wanted_ms * 1000, _HEADER_BYTES + length)
            if delay_ms is None:
                wake = self._now + wanted_ms * 1000 + self._random.randint(1_000_000, 90_000_000)
                self._at(wake, self._read_reminders)
        self.truth.puts[program.queue] += len(taken)
        return len(taken)

    def _wrong_delay(self) -> None:
        program = next(program for program in planned.PROGRAMS if program.delayed)
        count = max(20, int(self.plan.messages * program.share * _WRONG_PART))
        taken = self._send(program, WRONG_DELAY_JOB, count, planned.WRONG_DELAY_MS)
        if not taken:  # the staging queue is full: the job is run again later
            self._at(self._now + 10 * planned.MINUTE_US, self._wrong_delay)
            return
        self.truth.wrong_delay = {
            "time": rfc3339(self._now),
            "put_appl": WRONG_DELAY_JOB,
            "target": program.queue,
            "delay_ms": planned.WRONG_DELAY_MS,
            "intended_delay_ms": planned.INTENDED_DELAY_MS,
            "messages": taken,
        }

    # -- gets -----------------------------------------------------------------------------------

    def _is_stuck(self) -> bool:
        stuck = self.plan.incidents.stuck
        return stuck is not None and stuck.holds(self._now - self._start)

    def _read_orders(self) -> None:
        if not self._is_stuck() and self._depth[ORDERS]:
            self._took(ORDERS, self._orders.take(self._depth[ORDERS]))
            self.truth.events[ORDERS].got(self._depth[ORDERS])

    def _took(self, queue: str, count: int) -> None:
        self._depth[queue] -= count
        self.truth.gets[queue] += count

    def _read_reminders(self) -> None:
        self._took(REMINDERS, self._reminders.take(self._depth[REMINDERS]))

    def _read_quotes(self, ids: list[bytes], wait_us: int) -> None:
        self._quotes.take_these(ids)
        self.truth.gets[QUOTES] += len(ids)
        expiring = self.truth.expiring
        expiring.consumed += len(ids)
        expiring.longest_wait_ms = max(expiring.longest_wait_ms, wait_us // 1000)

    def _read_payments(self) -> None:
        """Process in order; at a message that fails, roll back and wait before the next try."""
        if self._now < self._payments_at:
            return
        while self._depth[PAYMENTS]:
            taken = self._payments.take(self._depth[PAYMENTS], self._succeeds)
            self._took(PAYMENTS, taken)
            self.truth.processed_after[0] += taken
            if self._depth[PAYMENTS] and not self._try_payment():
                self._payments_at = self._now + planned.RETRY_US
                self._at(self._payments_at, self._read_payments)
                return

    def _succeeds(self, message: Message) -> bool:
        msg_id = message.md.msg_id
        return msg_id not in self._failing and msg_id not in self._passing

    def _try_payment(self) -> bool:
        """One try at the first message; whether it left the queue."""
        connection, handle = self._payments.connection, self._payments.handle
        message = get.get(connection, handle, cmqc.MQGMO_SYNCPOINT)
        self.truth.gets[PAYMENTS] += 1
        msg_id, tries = message.md.msg_id, message.md.backout_count
        if tries >= planned.BOTHRESH:
            md = message.md
            error = put_in_unit(connection, PAYMENTS_BACKOUT, md, message.body, md)
            if error is not None:
                raise error
            connection.commit()
            self._failing.pop(msg_id)
            self.truth.backed_out_after[tries] += 1
            self._depth[PAYMENTS_BACKOUT] += 1
        elif self._passing.get(msg_id) == tries:
            connection.commit()
            self._passing.pop(msg_id)
            self.truth.processed_after[tries] += 1
        else:
            connection.back_out()
            self.truth.backouts[_PAYMENTS_APP] += 1
            return False
        self._depth[PAYMENTS] -= 1
        return True

    def _finish(self) -> None:
        expiring = self.truth.expiring
        quotes_left = counters.depth(self.manager.store, self.manager.queues[QUOTES].id)
        self.truth.discarded[QUOTES] = expiring.put - expiring.consumed - quotes_left
        staging, orders = self.truth.small_staging, self.truth.stuck
        if staging is not None:
            staging["refused"] = self.truth.staged.refused
        if orders is not None:
            orders["refused"] = self.truth.refused[ORDERS]


_MD: Final = MQMD(format="MQSTR", persistence=1, ccsid=UTF_8)
_JMS_MD: Final = MQMD(format=RFH2_FORMAT, persistence=1, encoding=JMS_ENCODING, ccsid=UTF_8)


def _jms_message(text: bytes, queue: str, sent_ms: int, delay_ms: int) -> tuple[MQMD, bytes]:
    """A text message as a JMS client sends it with a delivery delay, which its MQRFH2 says too."""
    header = rfh2.build_jms(
        "jms_text",
        f"queue:///{queue}",
        Following("MQSTR", JMS_ENCODING, UTF_8),
        put_time_ms=sent_ms,
        delay_ms=delay_ms,
    )
    return _JMS_MD, rfh2.encode(header) + text
