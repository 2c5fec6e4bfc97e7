"""Attempts of a run of rules: how often a rule was tried on a message, and when it may be again.

IBM's handler counts for as long as it runs, so all of this is memory. Only messages of which an
attempt failed are in it.

Source: IBM MQ documentation, "DLQ control data" (RETRYINT) and "DLQ rules (patterns and actions)"
(RETRY: so many attempts, at the interval of RETRYINT; the count does not outlive the handler).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from mqtriage.commands.act_marks import planned
from mqtriage.commands.twins import twin_key
from mqtriage.model.plan import PlannedMessage
from mqtriage.mq.message import Message
from mqtriage.mq.rules_table import Rule


@dataclass(slots=True)
class _Record:
    """What is known of one message; messages that are alike in all their marks share it.

    Attributes:
        tries: number of a rule to how often it was tried.
        why: number of a rule to what its last attempt met.
        due_s: when it may be tried again, on the clock of the run; `inf` for never.
        seen: by the last look at the queue.
    """

    tries: dict[int, int] = field(default_factory=dict)
    why: dict[int, str] = field(default_factory=dict)
    due_s: float = 0.0
    seen: bool = True


class Attempts:
    """The attempts of one run.

    Args:
        retryint_s: RETRYINT, seconds between two attempts.
        clock: seconds that only ever go on.
    """

    def __init__(self, retryint_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.retryint_s = retryint_s
        self.clock = clock
        self._records: dict[bytes, _Record] = {}
        self._msg_ids: set[bytes] = set()

    def failed(
        self, marks: PlannedMessage, rule: Rule, why: str, *, hopeless: bool = False
    ) -> None:
        """Count an attempt that failed.

        Args:
            hopeless: it would fail again however long one waits.
        """
        key = twin_key(marks)
        self._msg_ids.add(marks.msg_id)
        record = self._records.setdefault(key, _Record())
        record.tries[rule.number] = rule.retry if hopeless else self.made(marks, rule) + 1
        record.why[rule.number] = why
        if record.tries[rule.number] < rule.retry:
            record.due_s = self.clock() + self.retryint_s

    def made(self, marks: PlannedMessage, rule: Rule) -> int:
        """How often the rule was tried on the message."""
        record = self._of(marks)
        return record.tries.get(rule.number, 0) if record is not None else 0

    def reasons(self, marks: PlannedMessage) -> list[str]:
        """What the last attempt of each rule met."""
        record = self._of(marks)
        return list(record.why.values()) if record is not None else []

    def due_s(self, marks: PlannedMessage) -> float:
        """When the message may be tried again; 0 for at any time, `inf` for never."""
        record = self._of(marks)
        return record.due_s if record is not None else 0.0

    def leave(self, marks: PlannedMessage) -> None:
        """Leave the message for the rest of the run: IGNORE is assumed."""
        self._msg_ids.add(marks.msg_id)
        self._records.setdefault(twin_key(marks), _Record()).due_s = inf

    def of_message(self, message: Message) -> PlannedMessage | None:
        """The marks of a message that is in here, None for another one."""
        if message.md.msg_id not in self._msg_ids:
            return None
        marks = planned(message)
        record = self._of(marks)
        if record is None:
            return None
        record.seen = True
        return marks

    def next_s(self) -> float:
        """When the next message may be tried again; `inf` where none is to be."""
        return min((record.due_s for record in self._records.values()), default=inf)

    def waiting(self) -> int:
        """How many messages are to be tried again."""
        return sum(record.due_s < inf for record in self._records.values())

    def forget(self, marks: PlannedMessage) -> None:
        """The message has gone."""
        self._records.pop(twin_key(marks), None)

    def begin_look(self) -> None:
        """The queue is about to be read from its front."""
        for record in self._records.values():
            record.seen = False

    def end_look(self) -> None:
        """It was read to its end: forget what is no longer there."""
        self._records = {key: record for key, record in self._records.items() if record.seen}
        if not self._records:
            self._msg_ids.clear()

    def _of(self, marks: PlannedMessage) -> _Record | None:
        return self._records.get(twin_key(marks)) if marks.msg_id in self._msg_ids else None
