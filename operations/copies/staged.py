"""`delay release` and `delay reschedule`: staged messages go to their targets now, or later.

The emulator's delay header holds the original descriptor, and it takes a delayed send. On a real
queue manager the header is not documented, and the MQI cannot ask for a delay (DD-14): there
`--experimental` takes the original from where it is assumed to be (`staged_assumed`), or puts the
staged message back with another time in its header.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from mqtriage.backends.port import Backend, Capability
from mqtriage.messages.decoded import target_and_due
from mqtriage.model.times import parse_time_us
from mqtriage.model.units import parse_duration_ms
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.due_time import uncompared
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339
from mqtriage.operations.copies.copy import Copy, CopyOptions, copy_of
from mqtriage.operations.copies.request import NOW, ActRequest, Restage
from mqtriage.operations.copies.staged_assumed import REBUILT_NOTES, RESTAGED_NOTES, with_due_time
from mqtriage.records import NamedTuple

if TYPE_CHECKING:
    from mqtriage.messages.filters.selection import Selection


def read_when(
    now_us: int,
    delay: str | None,
    at: str | None,
    shift: str | None,
    say: Callable[[str], None] | None = None,
) -> Restage:
    """The new time from its option; *say* is told which zone it was read in."""
    if sum(text is not None for text in (delay, at, shift)) != 1:
        raise UsageError("give --delay, --at or --shift, one of them")
    if delay is not None:
        return Restage(delay_ms=parse_duration_ms(delay, what="--delay", least_ms=1))
    if at is not None:
        at_us = parse_time_us(at, now_us, what="--at", say=say)
        if at_us <= now_us:
            now = rfc3339(now_us // 1_000_000 * 1_000_000)
            raise UsageError(
                f"--at {at[:40]}: {rfc3339(at_us)} is in the past, it is {now}",
                hint="mqtriage delay release delivers now; tomorrow is --at 'tomorrow 18:00'",
            )
        return Restage(at_us=at_us)
    text = shift or ""
    span_ms = parse_duration_ms(text.removeprefix("+").removeprefix("-"), what="--shift")
    return Restage(shift_ms=-span_ms if text.startswith("-") else span_ms)


def how_rebuilt(
    backend: Backend, what: str, *, experimental: bool, archived: bool
) -> Literal["staged", "assumed"]:
    """How the message that was delayed is got out of the staged one here.

    Args:
        what: the verb or option that wants it.
        experimental: whether a guess at the layout of the delay header is allowed.

    Raises:
        Refused: It is not the emulator, and no guess is allowed or the guess would not be kept.
    """
    if Capability.DELAYED_PUT in backend.capabilities:
        return "staged"
    if not experimental:
        raise Refused(
            f"{what}: the delay header is not documented, so the original message is unknown",
            hint="--experimental relies on assumed bytes and archives the staged message; delay"
            " cancel --to QUEUE parks it unchanged",
        )
    if not archived:
        raise Refused(
            f"{what}: not with --no-backup, because --experimental may be wrong",
            hint="the archive keeps the staged message as it was",
        )
    return "assumed"


def refuse_other_layout(backend: Backend, request: ActRequest) -> None:
    """Refuse a request, as a saved plan has it, that reads delay headers as they are not here."""
    how, kept = request.copy.strip, request.archive is not None
    if how in ("staged", "assumed") and how != how_rebuilt(
        backend, request.action, experimental=how == "assumed", archived=kept
    ):
        raise Refused(
            f"{request.action} {request.queue}: the plan assumes a layout of the delay header, but"
            " the layout is known here",
            hint="write a new plan with --plan FILE",
        )


def refuse_assumed_due(
    backend: Backend, selection: Selection, *, assume: bool, experimental: bool
) -> None:
    """Refuse to take messages of a real queue manager by `--assume-ddh due` alone."""
    known = Capability.DUE_TIME_KNOWN in backend.capabilities
    if assume and selection.uses_due_time and not (known or experimental):
        raise Refused(
            "--assume-ddh due: removing messages by an assumed due time needs --experimental too",
            hint="check with delay browse first, then select by --correlid",
        )


def rebuilt_notes(request: ActRequest) -> tuple[str, ...]:
    """What a plan says of an experimental act: the bytes that are assumed."""
    if request.copy.strip != "assumed":
        return ()
    later = isinstance(request.to, Restage) and request.to != NOW
    return RESTAGED_NOTES if later else REBUILT_NOTES


class Restaged(NamedTuple):
    """What is put for a staged message.

    Attributes:
        queue: its target, or the staging queue.
        delay_ms: of a send with a delivery delay, else None.
        new_msg_id: the queue manager makes a MsgId.
    """

    queue: str
    copy: Copy
    delay_ms: int | None = None
    new_msg_id: bool = False


def restaged(
    backend: Backend, message: Message, when: Restage, options: CopyOptions, held_us: int = 0
) -> Restaged | str:
    """What to put for a staged message, or why there is nothing.

    Args:
        when: `NOW` is for its target; else it is staged once more.
        held_us: time since the message was read.
    """
    facts = target_and_due(message, uncompared(Capability.DUE_TIME_KNOWN in backend.capabilities))
    assumed = options.strip == "assumed"
    if facts is None or facts.target is None or (facts.header.tail is None and not assumed):
        return "its delay header does not name its target"
    tail = facts.header.tail
    if tail is not None and any(tail.subscription_id):
        return "it is a publication, which only the queue manager can deliver"
    if facts.target_queue_manager not in (None, "", backend.queue_manager):
        return f"its target is on {facts.target_queue_manager}"
    if when == NOW:
        copy = copy_of(message, options, held_us)
        return copy if isinstance(copy, str) else Restaged(facts.target, copy)
    now_us = backend.now_us()
    delay_ms = when.remaining_ms(facts.due_time_us or now_us, now_us)
    sends = Capability.DELAYED_PUT in backend.capabilities
    if not sends:  # with another time where the due time may be
        body = with_due_time(message, now_us + delay_ms * 1000)
        if isinstance(body, str):
            return body
        message, options = Message(message.md, body, len(body)), replace(options, strip="")
    copy = copy_of(message, options, held_us)
    why = copy if isinstance(copy, str) else _unfit(copy.md, delay_ms)
    if isinstance(copy, str) or why:
        return why
    if sends:
        return Restaged(facts.target, copy, delay_ms)
    return Restaged(STAGING_QUEUE, copy, new_msg_id=True)


def _unfit(md: MQMD, delay_ms: int) -> str:
    """Why it cannot be due then; "" when it can."""
    if delay_ms <= 0:
        return "the new time is in the past: delay release puts it on its target"
    tenths = md.expiry_tenths
    if tenths != cmqc.MQEI_UNLIMITED and tenths * 100 <= delay_ms:
        return f"it would expire before it is due: {tenths} tenths left, {delay_ms} ms of delay"
    return ""
