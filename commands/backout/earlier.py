"""What became of messages that operations took off a backout queue before.

The journal and the archives know it: they were given up, or retried and have not come back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.messages.filters.expression import Expression
from mqtriage.messages.filters.predicate import compile_tree
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.subject import Subject
from mqtriage.model.units import count_text
from mqtriage.mq.errors import MQIError, StorageError, UsageError
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.rebuild import Key
from mqtriage.operations.ledger.taken_off import MOST, TakenOff, archived_messages, taken_off
from mqtriage.operations.selection.selected import selected

_REQUEUE: Final = "requeue"


class Earlier:
    """Messages that were taken off one backout queue.

    Attributes:
        given_up: those that were discarded or parked.
        retried: those that were put where they can come back from; of them, after `look`, those
            that have not come back.
        warnings: what is not known, and why.
    """

    def __init__(self, backend: Backend, journal: Journal, queue: str) -> None:
        """Ask the journal, and browse nothing.

        Args:
            queue: its name, or that of an alias.
        """
        self._backend = backend
        self._queue = str(local_attributes(backend, queue)["QNAME"])
        self.warnings: list[str] = []
        taken: list[TakenOff] = []
        is_cut = False
        try:
            taken, is_cut = taken_off(journal, backend.queue_manager, (self._queue, queue))
        except StorageError as error:
            self.warnings.append(f"earlier messages do not count: {error.text}")
        self.given_up = [one for one in taken if one.target is None]
        self.retried = [
            one
            for one in taken
            if one.target is not None and (one.action == _REQUEUE or self._feeds(one.target))
        ]
        if is_cut:
            self.warnings.append(
                f"{queue}: of the messages removed from it, only the last {MOST} count"
            )

    def requeued(self) -> set[Key]:
        """What was put where it can come back from, and the copies that were put."""
        return {key for one in self.retried for key in one.keys}

    def look(self, against: str | None, waiting: Set[Key]) -> None:
        """Leave out what is on the queue again, or may still be where it was put.

        On the queue a message is known only by its MsgId: whatever backs it out may add a header.

        Args:
            against: a queue that was read.
            waiting: those of `requeued` that are there.
        """
        here: set[bytes] = set()
        if self.given_up or self.retried:
            messages = selected(self._backend, self._queue, Selection(), max_length=0)
            here = {message.md.msg_id for message in messages}
        self.given_up = [one for one in self.given_up if not one.is_among(here)]
        gone = [
            one for one in self.retried if not one.is_among(here) and waiting.isdisjoint(one.keys)
        ]
        targets = {str(one.target) for one in gone}
        looked_at = None if against is None else self._attribute(against, "QNAME")
        known = {name for name in targets if self._is_looked_at(name, looked_at)}
        self.retried = [one for one in gone if one.is_gone or one.target in known]
        unsure = (one.target for one in gone if not one.is_gone and one.target not in known)
        for name, count in Counter(unsure).items():
            tells = "" if "@" in str(name) else f"; --against {name} shows it"
            self.warnings.append(
                f"not counted as retried: {count_text(count)} requeued to {name} that may still be"
                f" there{tells}"
            )

    def count(self, trees: Sequence[Expression]) -> list[tuple[int, int]]:
        """How many of those given up, and of those retried, fulfil each condition."""
        tests = [compile_tree(tree, self._backend.now_us()) for tree in trees]
        unread: list[str] = []
        counts = [[0] * len(tests), [0] * len(tests)]
        for taken, of_class in zip((self.given_up, self.retried), counts, strict=True):
            for message in archived_messages(taken if tests else (), unread):
                subject = Subject(message)
                for number, test in enumerate(tests):
                    of_class[number] += bool(test(subject))
        for why, count in Counter(unread).items():
            self.warnings.append(
                f"{self._queue}: {count_text(count)} given up or retried count in no row: {why}"
            )
        return list(zip(*counts, strict=True))

    def _feeds(self, target: str) -> bool:
        """Whether messages are backed out from *target* to here."""
        boqname = self._attribute(target, "BOQNAME")
        return bool(boqname) and self._attribute(str(boqname), "QNAME") == self._queue

    def _is_looked_at(self, target: str, looked_at: object) -> bool:
        """Whether it is known what is on *target*: nothing is, or it was read."""
        name = self._attribute(target, "QNAME")
        if not isinstance(name, str):
            return False
        return name == looked_at or not self._backend.status(name).curdepth

    def _attribute(self, name: str, attribute: str) -> object:
        """None where no such queue is here any more."""
        try:
            return local_attributes(self._backend, name).get(attribute)
        except (MQIError, UsageError):
            return None
