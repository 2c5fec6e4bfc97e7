"""What the time in a delay header is, and when a staged message is due: decisions, no I/O.

IBM documents no layout of that header (`mq/headers/ddh.py`); whether its time is that of the put or
the due time is not stated. A JMS client says delay and due time itself, by its own clock, in the
MQRFH2 of what it sends: so a real queue manager can be read, and over several messages of different
delays the time in the header shows what it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mqtriage.mq.times import SECOND_US, put_time_us
from mqtriage.records import NamedTuple

if TYPE_CHECKING:  # most listings hold no staged message
    from mqtriage.mq.descriptor import MQMD
    from mqtriage.mq.headers.ddh import DDH
    from mqtriage.mq.headers.mqext import SenderDelay

TimeBasis: TypeAlias = Literal["emulator", "sender", "compared-due", "assumed-due", "put"]
"""Where a due time comes from: our own header, the sender's MQRFH2, a header whose time the other
messages showed to be the due time, one where that is assumed, or nowhere."""
Meaning: TypeAlias = Literal["due", "put"]

ENOUGH: Final = 5
"""Messages that have to agree before the time in the header counts as known."""
_TELLING_US: Final = 3 * SECOND_US
"""A shorter delay leaves put time and due time too close together to tell them apart."""


class Witness(NamedTuple):
    """One staged message whose sender told its delay; times in microseconds since 1970 UTC.

    Attributes:
        put_us: PutDate and PutTime, by the queue manager's clock; None when they hold no time.
    """

    header_us: int
    put_us: int | None
    sender: SenderDelay

    @property
    def meanings(self) -> frozenset[Meaning]:
        """What the time in the header agrees with, to a second, by either clock."""
        due = [self.sender.due_time_us]
        sent = [self.sender.send_time_us]
        if self.put_us is not None:
            due.append(self.put_us + self.sender.delay_us)
            sent.append(self.put_us)
        agrees: set[Meaning] = set()
        if any(abs(self.header_us - time_us) <= SECOND_US for time_us in due):
            agrees.add("due")
        if any(abs(self.header_us - time_us) <= SECOND_US for time_us in sent):
            agrees.add("put")
        return frozenset(agrees)


class DueTimeEvidence(NamedTuple):
    """What the messages of a staging queue show of the time in their headers.

    Attributes:
        senders: of them, those whose sender told delay and due time.
        due, put: of those, how many agree with one reading alone; delays of 3 s and less say
            nothing.
        neither: how many agree with none.
        delays: how many different delays the ones that agree have.
        clock_difference_us: the queue manager's clock less the senders', in the middle of all;
            None where no message tells.
    """

    messages: int = 0
    senders: int = 0
    due: int = 0
    put: int = 0
    neither: int = 0
    delays: int = 0
    clock_difference_us: int | None = None

    @property
    def meaning(self) -> Meaning | None:
        """What the time in the header is; None while too few messages say so, or not all."""
        if self.neither or self.delays < 2 or (self.due and self.put):
            return None
        if max(self.due, self.put) < ENOUGH:
            return None
        return "due" if self.due else "put"


def weigh(witnesses: Iterable[Witness], messages: int) -> DueTimeEvidence:
    """Compare the senders' times with those in the headers; *messages* is how many were read."""
    counts = {"due": 0, "put": 0}
    senders = neither = 0
    delays, differences = set(), []
    for witness in witnesses:
        senders += 1
        if witness.put_us is not None:
            differences.append(witness.put_us - witness.sender.send_time_us)
        meanings = witness.meanings
        neither += not meanings
        if len(meanings) == 1 and witness.sender.delay_us > _TELLING_US:
            counts[next(iter(meanings))] += 1
            delays.add(witness.sender.delay_ms)
    difference = sorted(differences)[len(differences) // 2] if differences else None
    return DueTimeEvidence(
        messages, senders, counts["due"], counts["put"], neither, len(delays), difference
    )


class DueReading(NamedTuple):
    """How the due time of staged messages is read.

    Attributes:
        from_emulator: our own tail behind the header is trusted.
        meaning: what the time in headers was seen to be; None where nothing decides it.
        assumes: an undecided time that may be the due time is taken for it.
        evidence: what *meaning* was decided by; None where nothing was compared.
        is_untold: the end of the port hands over no headers to read it in.
    """

    from_emulator: bool = False
    meaning: Meaning | None = None
    assumes: bool = True
    evidence: DueTimeEvidence | None = None
    is_untold: bool = False

    def notes(self) -> list[str]:
        """Sentences for the user: where due times come from, and what the comparison showed."""
        if self.is_untold:
            return [
                "IBM MQ's REST API returns only text, so the target and time of a staged message, "
                "which are in its delay header, are not available"
            ]
        return [] if self.evidence is None else _notes(self.evidence)


EMULATED: Final = DueReading(from_emulator=True)
UNDOCUMENTED: Final = DueReading()
UNTOLD: Final = DueReading(is_untold=True)


def uncompared(due_known: bool) -> DueReading:
    """How a message is read for which no others were looked at; *due_known* is in the emulator."""
    return EMULATED if due_known else UNDOCUMENTED


def interpret_time(
    header: DDH, md: MQMD, reading: DueReading, sender: SenderDelay | None = None
) -> tuple[int | None, int, TimeBasis]:
    """When a staged message is due, as far as that is known.

    Args:
        sender: what the MQRFH2 behind the header says; None where it says nothing.

    Returns:
        Due time in microseconds since 1970 UTC or None; the time of the header; and the basis:
        ``emulator`` - the documented due time of our own; ``sender`` - worked out by the sender;
        ``compared-due`` - the header's, which other messages showed to be the due time;
        ``put`` - shown to be the put time, or within a second of PutDate and PutTime, or not later
        than they are: the due time is not known; ``assumed-due`` - later than the put, so it may
        be. Without a put time nothing can be assumed: ``put``.
    """
    time_us = header.time_us
    if reading.from_emulator and header.tail is not None:
        return time_us, time_us, "emulator"
    put_us = put_time_us(md.put_date, md.put_time)
    if sender is not None:
        moved = reading.meaning == "due" and not Witness(time_us, put_us, sender).meanings
        if moved:  # the queue manager goes by its own header, whatever the sender once asked for
            return time_us, time_us, "compared-due"
        return sender.due_time_us, time_us, "sender"
    if reading.meaning == "due":
        return time_us, time_us, "compared-due"
    if reading.meaning == "put" or put_us is None or time_us - put_us <= SECOND_US:
        return None, time_us, "put"
    return time_us if reading.assumes else None, time_us, "assumed-due"


def _notes(evidence: DueTimeEvidence) -> list[str]:
    if not evidence.senders:
        return []
    notes = [
        f"due times are the senders' own, by their clocks, where their MQRFH2 has them:"
        f" {evidence.senders} of the {evidence.messages} messages compared"
    ]
    if evidence.meaning is not None:
        count = max(evidence.due, evidence.put)
        notes.append(
            f"the time in the delay header is the {evidence.meaning} time: all {count} messages"
            " that show it agree"
        )
    elif evidence.due or evidence.put or evidence.neither:
        notes.append(
            f"it is not clear whether the time in the delay header is the put or the due time:"
            f" {evidence.due} messages say due, {evidence.put} put, {evidence.neither} neither;"
            f" {ENOUGH} of different delays have to agree"
        )
    difference_us = evidence.clock_difference_us
    if difference_us is not None and abs(difference_us) > SECOND_US:
        word = "ahead of" if difference_us > 0 else "behind"
        seconds = abs(difference_us) / SECOND_US
        notes.append(f"the queue manager's clock is {seconds:.1f} s {word} the senders'")
    return notes
