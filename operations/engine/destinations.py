"""Where messages go, as the loop hands them over: to a queue, back, or nowhere.

Rules (`rules.destination`) and undo (`recovery.give_back`) have destinations of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from hashlib import sha256
from typing import TypeAlias

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import (
    MQIError,
    MQTriageError,
    NotAuthorized,
    Refused,
    mqi_error,
)
from mqtriage.mq.message import Message
from mqtriage.operations.copies.copy import CopyOptions
from mqtriage.operations.copies.lifetimes import owed_report
from mqtriage.operations.copies.request import NOW, ActRequest, CopyTo, Expire, Restage
from mqtriage.operations.copies.staged import restaged
from mqtriage.operations.engine.act_context import ActContext, Pace
from mqtriage.operations.engine.plan import most_uncommitted
from mqtriage.operations.engine.unit_of_work import Member, UnitOfWork
from mqtriage.operations.ledger.units import Put
from mqtriage.operations.selection.arrived import CopiesBefore
from mqtriage.operations.selection.planned import locate
from mqtriage.records import NamedTuple, dataclass

Numbered: TypeAlias = tuple[int, PlannedMessage]
"""A message with its number in the plan, from 1."""

_ROOM = 1 << 31


class Delivered(NamedTuple):
    """A message that can be taken now.

    Attributes:
        put: what was put for it, None for nothing.
        why: what the report says of it.
        rule: number of the rule that chose where it goes, 0 for none.
        reported: a report that was owed for it was put.
    """

    put: Put | None = None
    why: str = ""
    rule: int = 0
    reported: bool = False


class Stays(NamedTuple):
    """A message that cannot go where it should.

    Attributes:
        waits: it is tried again later, so it is not set aside either.
    """

    why: str
    outcome: Outcome = Outcome.SKIPPED
    waits: bool = False


@dataclass(slots=True)
class Tally:
    """What is counted of all messages that were reached.

    Attributes:
        failures: messages that failed so far, for `--max-errors`.
        pace: how many messages a second, for `--rate`; None until work begins.
    """

    failures: int = 0
    pace: Pace | None = None


class Destination:
    """Nowhere: messages are discarded. Others put something for each.

    Attributes:
        work: the units of work that its puts are in; from `open` on.
        puts: whether something is put for each message.
        may_pass: whether a put belongs to the message that was got last, and to no other.
        finds: whether the messages come out of an archive, not from a queue.
        archives_late: whether a message is written down when it is taken, not before its put.
        ends_with_a_put: whether a put that failed need not be tried for the next message.
    """

    puts = False
    may_pass = False
    finds = False
    archives_late = False
    ends_with_a_put = True
    work: UnitOfWork

    def __init__(self, tally: Tally | None = None) -> None:
        self.tally = tally or Tally()
        self._opened = ExitStack()

    def open(self, work: UnitOfWork) -> None:
        """Open what messages are put to."""
        self.work = work

    def close(self) -> None:
        """Close what is open; a connection that is lost has closed it."""
        self._opened.close()

    def closes(self, handle: QueueHandle | CopiesBefore) -> None:
        """Close *handle* too at the end."""
        self._opened.callback(_close, handle)

    def rounds(
        self, messages: Iterable[Numbered], report: Report, context: ActContext
    ) -> Iterator[Iterable[Numbered]]:
        """The messages, in turns that each have ended before the next begins."""
        yield messages

    def batch(self, size: int) -> int:
        """*size*, or fewer so that a unit stays below MAXUMSGS: half where a put comes with it."""
        most = most_uncommitted(self.work.backend)
        return min(size, max(1, most // 2 if self.puts else most))

    def wait_s(self) -> float:
        """How long it takes at least until the last message that waits is tried again."""
        return 0.0

    def room(self) -> int:
        """How many messages can be put now; MQRC 2053 where there is no room for one."""
        return _ROOM

    def refusal(self, number: int, planned: PlannedMessage) -> str:
        """Why a message is left without a look at it; "" where it is not."""
        return ""

    def find(self, number: int, planned: PlannedMessage) -> Message | str | None:
        """The message, under the cursor and locked; why it stays, or None where it is gone."""
        return locate(self.work.source, planned, lock=self.work.request.takes)

    def put(
        self, number: int, planned: PlannedMessage, message: Message, seen_us: int
    ) -> Delivered | Stays:
        """Put what there is to put for a message that was read at *seen_us*."""
        return Delivered()

    def committed(self, members: Sequence[Member]) -> None:
        """A unit of work became final."""

    def reached(
        self, number: int, planned: PlannedMessage, item: ItemOutcome, report: Report
    ) -> None:
        """Note what became of a message once its unit of work has ended."""
        report.items.append(item)
        self.tally.failures += item.outcome is Outcome.FAILED
        if item.outcome in (Outcome.SKIPPED, Outcome.FAILED):
            self.work.entry.stayed(number, item)

    def ended(self, stop: MQTriageError | None, report: Report) -> MQTriageError | None:
        """All rounds are done; returns why the work ended early, if it did."""
        return stop


class ToQueue(Destination):
    """To a queue; the copy is put before the message is taken, where context can be set."""

    puts = True
    may_pass = True
    outlet: QueueHandle
    copies_before: CopiesBefore | None = None

    def __init__(self, target: str) -> None:
        super().__init__()
        self.target = target

    def open(self, work: UnitOfWork) -> None:
        super().open(work)
        self.outlet = work.open_outlet(self.target)
        self.closes(self.outlet)
        if isinstance(work.request.to, CopyTo):
            new_ids = work.request.copy.new_msg_id
            self.copies_before = CopiesBefore(work.backend, self.target, new_ids=new_ids)
            self.closes(self.copies_before)

    def room(self) -> int:
        local = self.outlet.resolved_name
        room = _room_on(self.work.backend, local)
        if room <= 0:
            raise mqi_error(
                cmqc.MQRC_Q_FULL,
                f"put to {local}",
                hint=f"make room on {local}, then run the command again for the other messages",
                object_name=local,
            )
        return room

    def put(
        self, number: int, planned: PlannedMessage, message: Message, seen_us: int
    ) -> Delivered | Stays:
        if self.copies_before is not None and not self.work.members:
            self.work.before = self.copies_before.count(message.md.msg_id)
        return delivery(
            self.work.put_copy(self.outlet, message, planned, seen_us, self.work.request.copy)
        )


class ToOwnTargets(Destination):
    """Each staged message to its own target, now or later."""

    puts = True
    ends_with_a_put = False

    def __init__(self, when: Restage) -> None:
        super().__init__()
        self.when = when

    def room(self) -> int:
        """As many as the staging queue has room for: a unit puts there before it takes (DD-14).

        At least one, whose own put says that there is none.
        """
        if self.when == NOW:
            return _ROOM
        return max(1, _room_on(self.work.backend, self.work.source.resolved_name))

    def put(
        self, number: int, planned: PlannedMessage, message: Message, seen_us: int
    ) -> Delivered | Stays:
        backend = self.work.backend
        held_us = backend.now_us() - seen_us if seen_us else 0
        return delivery(put_again(backend, message, self.when, self.work.request.copy, held_us))


class Expired(Destination):
    """Nowhere, but for the expiration report that is owed to its sender (EX-23)."""

    puts = True
    ends_with_a_put = False

    def put(
        self, number: int, planned: PlannedMessage, message: Message, seen_us: int
    ) -> Delivered | Stays:
        backend = self.work.backend
        report = owed_report(message, backend.queue_manager, backend.now_us())
        if report is None or isinstance(report, str):
            return Delivered() if report is None else Stays(report)
        owed, options = report
        try:
            backend.put1(owed.queue, owed.md, owed.body, options)
        except NotAuthorized as error:
            raise Refused(
                f"expiration report: {error.text}", hint=error.hint, object_name=owed.queue
            ) from error
        return Delivered(reported=True)


def put_again(
    backend: Backend, message: Message, when: Restage, options: CopyOptions, held_us: int
) -> Put | str:
    """Put the original of a staged message, in the open unit of work.

    Returns:
        What was put, or why it was left (`restaged`). Of one that is staged once more by a send
        the MsgId is the sender's, which is the CorrelId there, and there is no digest of its data.
    """
    what = restaged(backend, message, when, options, held_us)
    if isinstance(what, str):
        return what
    queue, (md, body), delay_ms, new_msg_id = what
    bits = (
        cmqc.MQPMO_SYNCPOINT
        | cmqc.MQPMO_SET_ALL_CONTEXT
        | (cmqc.MQPMO_NEW_MSG_ID if new_msg_id else 0)
    )
    if delay_ms is not None:
        return Put(STAGING_QUEUE, backend.put_delayed(queue, md, body, delay_ms, bits).msg_id, b"")
    return Put(queue, backend.put1(queue, md, body, bits).msg_id, sha256(body).digest())


def _room_on(backend: Backend, local: str) -> int:
    """How many messages more a queue takes; where nobody can tell, any number."""
    try:
        most = backend.queue(local).attributes.get("MAXDEPTH")
    except NotAuthorized:  # of a transmission queue nothing need be known to put to it
        return _ROOM
    return _ROOM if most is None else int(most) - backend.status(local).curdepth


def _close(handle: QueueHandle | CopiesBefore) -> None:
    with suppress(MQIError):
        handle.close()


def delivery(put: Put | str) -> Delivered | Stays:
    """What a put, or the reason why there was none, means for its message."""
    return Stays(put) if isinstance(put, str) else Delivered(put)


def destination_of(request: ActRequest) -> Destination:
    """Where the messages of a request go that is no run of rules and no undo."""
    if isinstance(request.to, Restage):
        return ToOwnTargets(request.to)
    if isinstance(request.to, Expire):
        return Expired()
    return Destination() if request.target is None else ToQueue(request.target)
