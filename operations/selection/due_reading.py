"""How due times are read here: our own header, or what senders wrote and headers showed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import Final

from mqtriage.backends.port import Backend, Capability
from mqtriage.messages.decoded import target_and_due
from mqtriage.messages.filters.selection import Selection
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.due_time import (
    EMULATED,
    UNDOCUMENTED,
    UNTOLD,
    DueReading,
    DueTimeEvidence,
    Witness,
    weigh,
)
from mqtriage.mq.errors import ObjectNotFound, Refused
from mqtriage.mq.times import put_time_us

COMPARED: Final = 500
"""Messages at the head of the staging queue whose times are compared."""
ENOUGH_BYTES: Final = 4096
"""Of a staged message: its delay header and the MQRFH2 of its sender."""


def due_reading(backend: Backend, *, assume: bool = False) -> DueReading:
    """How to read due times; on a real queue manager the staging queue is looked at first.

    Args:
        assume: an undecided time in the header that may be the due time is taken for it.
    """
    if Capability.DUE_TIME_KNOWN in backend.capabilities:
        return EMULATED
    evidence = _compared(backend)
    if evidence is None:
        return UNTOLD
    return DueReading(False, evidence.meaning, assume, evidence)


def refuse_unknown_due(reading: DueReading, purpose: str, extra: str = "") -> None:
    """Refuse what needs due times where no message says one.

    Args:
        purpose: what follows from that: "so it cannot be used to select here".
        extra: more of the hint.
    """
    evidence = reading.evidence
    if evidence is None or reading.assumes or evidence.senders or reading.meaning == "due":
        return
    raise Refused(
        "the due time of a staged message is not documented by IBM, and no sender of the"
        f" {evidence.messages} on {STAGING_QUEUE} wrote it into its message, {purpose}",
        hint=f"--assume-ddh due treats the time in the delay header as the due time{extra}",
        object_name=STAGING_QUEUE,
    )


def with_due_reading(
    backend: Backend, selection: Selection, *, assume: bool = False, writes: bool = False
) -> Selection:
    """The selection with the way to read due times, where it selects by them.

    Args:
        assume: take the time in the header for the due time where it may be.
        writes: what is selected is going to be taken.
    """
    if not selection.uses_due_time or selection.due_reading is not None:
        return selection
    reading = due_reading(backend, assume=assume)
    refuse_unknown_due(
        reading, "so it cannot be used to select here", ", with --experimental" if writes else ""
    )
    return replace(selection, due_reading=reading)


def _compared(backend: Backend) -> DueTimeEvidence | None:
    """What their times show; None where the end of the port hands over no bodies."""
    try:
        handle = backend.open(STAGING_QUEUE, cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING)
    except ObjectNotFound:
        return DueTimeEvidence()
    count = 0
    witnesses: list[Witness] = []
    with closing(handle):
        for message in islice(handle.browse(max_length=ENOUGH_BYTES), COMPARED):
            if "body" in message.untold:
                return None
            count += 1
            facts = target_and_due(message, UNDOCUMENTED)
            if facts is not None and facts.sender is not None:
                put_us = put_time_us(message.md.put_date, message.md.put_time)
                witnesses.append(Witness(facts.ddh_time_us, put_us, facts.sender))
    return weigh(witnesses, count)
