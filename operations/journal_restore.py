"""Put back what an operation took: copies from where they are now, originals out of its archive."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mqtriage.backends.port import Backend, Capability, Match, QueueHandle
from mqtriage.messages.decoded import target_and_due
from mqtriage.messages.stored_messages import Numbered, read_line
from mqtriage.model.ids import format_id
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome
from mqtriage.mq.constants import (
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQIError,
    MQTriageError,
    NotAuthorized,
    StorageError,
)
from mqtriage.mq.message import Message
from mqtriage.operations.archive_files import lines_of
from mqtriage.operations.carry_out import MakeWorker
from mqtriage.operations.copies import CopyOptions, kept_expiry
from mqtriage.operations.duplicates import twin_key, twin_keys
from mqtriage.operations.journal import Entry, Journal
from mqtriage.operations.journal_lines import COMMITTED, Put, Taken
from mqtriage.operations.journal_state import Standing
from mqtriage.operations.plan import ActRequest
from mqtriage.operations.plan_file import StoredPlan
from mqtriage.operations.planned import is_same
from mqtriage.operations.requeue_counts import RequeueCounts
from mqtriage.operations.staged_acts import When, put_again
from mqtriage.operations.worker import Worker

TWIN = "a message with the same ids and data is on {queue} already"
LIFETIME_OVER = "its lifetime is over; --expiry original gives back what it had when it was taken"
_PUT = MQPMO_SYNCPOINT | MQPMO_SET_ALL_CONTEXT


class Originals:
    """The messages that an operation took and that became final, by number in its plan.

    An archive is read from front to back, so ask in the order of the numbers.
    """

    def __init__(self, journal: Journal, op: str) -> None:
        self.op = op
        self.plan: StoredPlan = journal.plan(op)
        size = len(self.plan.messages) + 1
        self._archived = array("Q", bytes(8 * size))
        self._file = array("H", bytes(2 * size))
        self._at_us = array("q", bytes(8 * size))
        self._files: list[Path | None] = [None]
        self._streams: dict[int, Iterator[Numbered]] = {}
        self._last: dict[int, Numbered] = {}
        self._twins = twin_keys(self.plan.messages)
        self._note(journal)

    def count_twin(self, marks: PlannedMessage, restored: Counter[bytes]) -> None:
        """Count a message that was put back, where another that is just like it may follow."""
        if (key := twin_key(marks)) in self._twins:
            restored[key] += 1

    def _note(self, journal: Journal) -> None:
        for unit in journal.units(self.op):
            if unit.archive is not None and self._files[-1] != unit.archive:
                self._files.append(unit.archive)
            for taken in unit.messages:
                self._archived[taken.number] = taken.archived
                self._file[taken.number] = len(self._files) - 1 if taken.archived else 0
                self._at_us[taken.number] = unit.at_us if unit.ended in (COMMITTED, "") else 0

    def has(self, number: int) -> bool:
        """Whether there is an archived original."""
        return bool(self._archived[number])

    def message(self, number: int, now_us: int, *, as_taken: bool) -> Message | str:
        """The message as it was, or why it cannot be given back.

        Args:
            as_taken: with the lifetime that it had then; else with what would be left of it now.
        """
        wanted = self._archived[number]
        if not wanted:
            return "no archive holds it"
        try:
            found = self._found(self._file[number], wanted)
        except (OSError, StorageError) as error:
            return f"its archive cannot be read: {error}"
        if found is None:
            return "its archive does not hold it, or is damaged there"
        md = found.entry.md
        elapsed_us = 0 if as_taken else max(0, now_us - self._at_us[number])
        left = kept_expiry(md.expiry_tenths, elapsed_us)
        if left == 0:
            return LIFETIME_OVER
        body = found.entry.body
        return Message(md._replace(expiry_tenths=left, backout_count=0), body, len(body))

    def _found(self, file: int, wanted: int) -> Numbered | None:
        path = self._files[file]
        if path is None:
            return None
        last = self._last.get(file)
        if file not in self._streams or (last is not None and last.number > wanted):
            self._streams[file] = _messages(path)
            last = None
        while last is None or last.number < wanted:
            last = next(self._streams[file], None)
            if last is None:
                return None
            self._last[file] = last
        return last if last.number == wanted else None


def _messages(path: Path) -> Iterator[Numbered]:
    for line in lines_of(path):
        found = read_line(0, line.data)
        if isinstance(found, Numbered):
            yield found


class BackWorker(Worker):
    """Takes copies from where they were put, and puts the originals back where they were."""

    CAN_PASS = False  # an original may come out of the archive

    def __init__(
        self,
        backend: Backend,
        request: ActRequest,
        threshold: int,
        entry: Entry,
        counts: RequeueCounts,
        known: Standing,
        originals: Originals,
    ) -> None:
        super().__init__(backend, request, threshold, entry, counts)
        self.known = known
        self.originals = originals
        self.number = 0
        self.home: QueueHandle | None = None
        self.restored: Counter[bytes] = Counter()

    def start(self) -> None:
        super().start()
        if self.request.target is not None and not self.request.puts_back:
            self.home = _browsed(self.backend, self.request.target)

    def end(self) -> None:
        if self.home is not None:
            self.home.close()
        super().end()

    def _one(self, number: int, marks: PlannedMessage) -> tuple[ItemOutcome, MQTriageError | None]:
        self.number = self.known.plan.origin[number - 1]
        if twin_there(self.home, self._original, self.restored):
            why = TWIN.format(queue=self.request.target)
            return ItemOutcome(format_id(marks.msg_id), Outcome.SKIPPED, why), None
        return super()._one(number, marks)

    @property
    def _original(self) -> PlannedMessage:
        return self.originals.plan.messages[self.number - 1]

    def _put_copy(
        self, target: QueueHandle, message: Message, marks: PlannedMessage, seen_us: int
    ) -> Put | str | MQIError | None:
        original = self._original
        unchanged = (marks.msg_id, marks.digest) == (original.msg_id, original.digest)
        options = self.originals.plan.request.copy
        altered = options.expiry_tenths is not None or options.strip_reports
        altered = altered or options.context == "default" or self.request.as_taken
        if unchanged and not altered:
            put = super()._put_copy(target, message, marks, seen_us)
        else:
            put = self._put_original(target)
        if isinstance(put, Put):
            self.originals.count_twin(original, self.restored)
        return put

    def _put_original(self, target: QueueHandle) -> Put | str | MQIError:
        found = self.originals.message(
            self.number, self.backend.now_us(), as_taken=self.request.as_taken
        )
        if isinstance(found, str):
            return f"the copy was changed on its way, and {found}"
        return put_original(self.backend, target, found, self._original)


class RestoreWorker(Worker):
    """Puts what was purged back from the archive; takes nothing."""

    def __init__(
        self,
        backend: Backend,
        request: ActRequest,
        threshold: int,
        entry: Entry,
        counts: RequeueCounts,
        known: Standing,
        originals: Originals,
    ) -> None:
        without = replace(request, takes=False, archive=None, puts_back=False)
        super().__init__(backend, without, threshold, entry, counts)
        self.known = known
        self.originals = originals
        self.home: QueueHandle | None = None
        self.restored: Counter[bytes] = Counter()

    def start(self) -> None:
        target = self.request.target or ""
        self.target = self._open_target(target)
        self.home = _browsed(self.backend, target)

    def end(self) -> None:
        if self.home is not None:
            self.home.close()
        super().end()

    def _one(self, number: int, marks: PlannedMessage) -> tuple[ItemOutcome, MQTriageError | None]:
        origin = self.known.plan.origin[number - 1]
        ident = format_id(marks.msg_id)
        if twin_there(self.home, marks, self.restored):
            why = TWIN.format(queue=self.request.target)
            return ItemOutcome(ident, Outcome.SKIPPED, why), None
        found = self.originals.message(
            origin, self.backend.now_us(), as_taken=self.request.as_taken
        )
        if isinstance(found, str):
            return ItemOutcome(ident, Outcome.SKIPPED, found), None
        if self.target is None:
            raise AssertionError("start() opens the queue")
        put = put_original(self.backend, self.target, found, marks)
        if isinstance(put, str):
            return ItemOutcome(ident, Outcome.SKIPPED, put), None
        if isinstance(put, MQIError):
            return ItemOutcome(ident, Outcome.FAILED, put.text), put
        self.originals.count_twin(marks, self.restored)
        return self._done(marks, found, Taken(number, 0, put)), None


def put_original(
    backend: Backend, target: QueueHandle, message: Message, marks: PlannedMessage
) -> Put | str | MQIError:
    """Put a message out of the archive with its MsgId, CorrelId and context.

    One that was delayed is staged again for the time it had, by a send with a delay: only so does
    the queue manager know of it.
    """
    try:
        if target.resolved_name == STAGING_QUEUE and Capability.DELAYED_PUT in backend.capabilities:
            facts = target_and_due(message, Capability.DUE_TIME_KNOWN in backend.capabilities)
            due_us = facts.due_time_us if facts is not None else None
            when = When(at_us=due_us or 0)
            return put_again(backend, message, when, CopyOptions(strip="staged"), 0)
        stored = target.put(message.md, message.body, _PUT)
    except (ConnectionFailed, NotAuthorized):
        raise
    except MQIError as error:
        return error
    return Put(target.name, stored.msg_id, marks.digest)


def twin_there(home: QueueHandle | None, marks: PlannedMessage, restored: Counter[bytes]) -> bool:
    """Whether the queue holds such a message that this act did not put there itself."""
    if home is None:
        return False
    match = Match(msg_id=marks.msg_id, correl_id=marks.correl_id)
    return sum(is_same(marks, each) for each in home.browse(match)) > restored[twin_key(marks)]


def _browsed(backend: Backend, queue: str) -> QueueHandle:
    return backend.open(queue, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)


def maker(known: Standing, journal: Journal) -> MakeWorker:
    """Who carries an undo out."""
    originals = Originals(journal, known.plan.undoes)

    def make(
        backend: Backend, request: ActRequest, threshold: int, entry: Entry, counts: RequeueCounts
    ) -> Worker:
        kind = BackWorker if request.queue else RestoreWorker
        return kind(backend, request, threshold, entry, counts, known, originals)

    return make


def undone(journal: Journal, op: str) -> dict[str, bytearray]:
    """By id of an earlier undo of the operation: what it put back, a byte a message by number."""
    backs: dict[str, bytearray] = {}
    size = journal.row("SELECT messages FROM operation WHERE op = ?", op) or (0,)
    for undo in journal.undos(op):
        back = backs[undo] = bytearray(size[0] + 1)
        for (number,) in journal.rows(_PUT_BACK, undo, COMMITTED):
            back[number] = 1
    return backs


_PUT_BACK = """
SELECT origin FROM operation JOIN unit ON unit.operation = operation.number
JOIN taken ON taken.operation = unit.operation AND taken.unit = unit.unit
    AND taken.number BETWEEN least AND greatest
JOIN planned ON planned.operation = taken.operation AND planned.number = taken.number
WHERE op = ? AND unit.ended = ?
"""
