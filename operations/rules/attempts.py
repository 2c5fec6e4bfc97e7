"""Attempts of a run of rules: how often a rule was tried on a message, and when it may be again.

IBM's handler counts for as long as it runs, so all of this is memory. Only messages of which an
attempt failed are in it.

Source: IBM MQ documentation, "DLQ control data" (RETRYINT) and "DLQ rules (patterns and actions)"
(RETRY: so many attempts, at the interval of RETRYINT; the count does not outlive the handler).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import field
from math import inf

from mqtriage.model.plan import PlannedMessage
from mqtriage.mq.message import Message
from mqtriage.mq.rules_table.table import TableRule
from mqtriage.operations.selection.duplicates import duplicate_key
from mqtriage.operations.selection.planned import to_planned
from mqtriage.records import dataclass


@dataclass(slots=True)
class _Record:
    """What is known of one message.

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


_UNTRIED = _Record()


class Attempts:
    """The attempts of one run.

    A message is known by a key: within one plan by its number there, from plan to plan by its marks
    (`key_of`). Messages that are alike in all their marks then count as one.

    Args:
        retryint_s: RETRYINT, seconds between two attempts.
        clock: seconds that only ever go on.
    """

    def __init__(self, retryint_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.retryint_s = retryint_s
        self.clock = clock
        self._records: dict[bytes, _Record] = {}
        self._msg_ids: set[bytes] = set()

    @staticmethod
    def key_of(planned: PlannedMessage) -> bytes:
        """What a message is known by from plan to plan."""
        return planned.msg_id + duplicate_key(planned)

    def failed(self, key: bytes, rule: TableRule, why: str, *, hopeless: bool = False) -> None:
        """Count an attempt that failed.

        Args:
            hopeless: it would fail again however long one waits.
        """
        record = self._record(key)
        record.tries[rule.number] = rule.retry if hopeless else self.count(key, rule) + 1
        record.why[rule.number] = why
        if record.tries[rule.number] < rule.retry:
            record.due_s = self.clock() + self.retryint_s

    def count(self, key: bytes, rule: TableRule) -> int:
        """How often the rule was tried on the message."""
        return self._records.get(key, _UNTRIED).tries.get(rule.number, 0)

    def reasons(self, key: bytes) -> list[str]:
        """What the last attempt of each rule met."""
        return list(self._records.get(key, _UNTRIED).why.values())

    def due_s(self, key: bytes) -> float:
        """When the message may be tried again; 0 for at any time, `inf` for never."""
        return self._records.get(key, _UNTRIED).due_s

    def leave(self, key: bytes, *, for_good: bool = True) -> None:
        """Leave the message for the rest of the run (IGNORE is assumed), or for RETRYINT."""
        self._record(key).due_s = inf if for_good else self.clock() + self.retryint_s

    def forget(self, key: bytes) -> None:
        """The message has gone."""
        self._records.pop(key, None)

    def next_s(self) -> float:
        """When the next message may be tried again; `inf` where none is to be."""
        return min((record.due_s for record in self._records.values()), default=inf)

    def waiting(self) -> int:
        """How many messages are to be tried again."""
        return sum(record.due_s < inf for record in self._records.values())

    # looks at the queue ----------------------------------------------------------------------

    def begin_look(self) -> None:
        """The queue is about to be read from its front."""
        for record in self._records.values():
            record.seen = False

    def of_message(self, message: Message) -> bytes | None:
        """The key of a message that is in here, None for another one; it has been seen."""
        if message.md.msg_id not in self._msg_ids:
            return None
        key = self.key_of(to_planned(message))
        if key not in self._records:
            return None
        self._records[key].seen = True
        return key

    def end_look(self) -> None:
        """It was read to its end: forget what is no longer there."""
        self._records = {key: record for key, record in self._records.items() if record.seen}
        self._msg_ids = {key[:24] for key in self._records}

    def _record(self, key: bytes) -> _Record:
        self._msg_ids.add(key[:24])
        return self._records.setdefault(key, _Record())
