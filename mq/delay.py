"""Delivery delay: when a message is due, which sends are refused, and how much room staging needs.

A delay counts from the send call, in milliseconds; the due time does not move with the commit
(DD-05, DD-06). Times are whole microseconds since 1970 UTC.

Source: IBM MQ documentation, "JMS 2.0 delivery delay"; DD-17 to DD-29, DD-45, DD-80, DD-116 to 118.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.expiry import TENTH_US, expires_at_us, lowest_cap
from mqtriage.mq.times import SECOND_US
from mqtriage.records import NamedTuple, dataclass

STAGING_QUEUE: Final = "SYSTEM.DDELAY.LOCAL.QUEUE"
FIRST_LEVEL: Final = 800
"""CMDLEVEL of the first queue manager that knows a delivery delay (DD-17)."""

ZOS_STAGING: Final = {"INDXTYPE": "NONE", "MSGDLVSQ": "FIFO"}
"""What the staging queue must be defined with on z/OS (DD-58, DD-59)."""

OVERDUE_AFTER_US: Final = 5_000_000
"""How long after its due time a staged message is only due: the processor's accuracy is not
documented, five seconds is our choice."""

GREATEST_MAXDEPTH: Final = 999_999_999
GREATEST_MAXMSGL: Final = 104_857_600
BLOCK_BYTES: Final = 512
DEFAULT_MAXFSIZE_MB: Final = 2_088_960
HEADER_ALLOWANCE_BYTES: Final = 4096
"""Room for the delay header, whose length is not published: an assumption, shown as one."""


class StagingLoad(NamedTuple):
    """What waits on the staging queue, by due time.

    Attributes:
        largest_bytes: longest staged message with its delay header; None when there is none.
        next_due_us: the nearest due time to come.
        overdue: due for longer than OVERDUE_AFTER_US.
        due_minute, due_hour: those that come due within a minute, within an hour from now.
        oldest_due_us: the due time passed longest ago; None when none has passed.
    """

    largest_bytes: int | None
    next_due_us: int | None
    overdue: int
    due_minute: int
    due_hour: int
    oldest_due_us: int | None


class DelayRefusal(NamedTuple):
    """Why a delayed send fails: the reason code and a sentence with the values."""

    reason: int
    text: str


@dataclass(frozen=True, slots=True)
class DelayedSend:
    """What is known when an application calls send.

    Attributes:
        delay_ms: 0 is an ordinary put, which nothing here refuses (DD-09).
        command_level: CMDLEVEL of the queue manager, 940 for 9.4.
        time_to_live_ms: 0 is unlimited (DD-27).
        caps_tenths: CAPEXPRY of each object on the resolution path; negative is NOLIMIT.
        in_group: the message has a group id or sequence number.
        defbind: DEFBIND of that queue as MQSC prints it: OPEN, NOTFIXED or GROUP.
        message_delivery: of a publication: PMSGDLV or NPMSGDLV, resolved (`topic_delivery`);
            "" for a queue.
    """

    delay_ms: int
    command_level: int = 940
    time_to_live_ms: int = 0
    caps_tenths: tuple[int, ...] = ()
    in_group: bool = False
    retained: bool = False
    clustered: bool = False
    defbind: str = "OPEN"
    message_delivery: str = ""


def due_at_us(send_us: int, delay_ms: int) -> int:
    """The earliest moment another application can get the message (DD-05, DD-07).

    Raises:
        ValueError: If the delay is negative.
    """
    if delay_ms < 0:
        raise ValueError(f"delivery delay is {delay_ms} ms, expected 0 or more")
    return send_us + delay_ms * 1000


def refused(send: DelayedSend) -> DelayRefusal | None:
    """The first check that the send does not pass, or None: MQ takes it."""
    return (
        level_refusal(send.delay_ms, send.command_level)
        or lifetime_refusal(send.delay_ms, send.time_to_live_ms)
        or cap_refusal(send.delay_ms, send.caps_tenths)
        or (_destination_refusal(send) if send.delay_ms else None)
    )


def _destination_refusal(send: DelayedSend) -> DelayRefusal | None:
    """What takes no delay at all: groups and retained publications (DD-28, DD-29), a clustered
    queue that is not DEFBIND(NOTFIXED) (DD-19 to 22), a topic that does not deliver to all that are
    available (DD-116, DD-117).
    """
    if send.in_group:
        return DelayRefusal(cmqc.MQRC_OPTIONS_ERROR, "a message in a group takes no delivery delay")
    if send.retained:
        return DelayRefusal(
            cmqc.MQRC_OPTIONS_ERROR, "a retained publication takes no delivery delay"
        )
    if send.clustered and send.defbind != "NOTFIXED":
        text = f"the clustered target is DEFBIND({send.defbind}), a delay needs NOTFIXED"
        return DelayRefusal(cmqc.MQRC_OPTIONS_ERROR, text)
    if send.message_delivery not in ("", "ALLAVAIL"):
        text = f"message delivery of the topic is {send.message_delivery}, a delay needs ALLAVAIL"
        return DelayRefusal(cmqc.MQRC_PUBLICATION_FAILURE, text)
    return None


def level_refusal(delay_ms: int, command_level: int) -> DelayRefusal | None:
    """A queue manager below 8.0 knows no delay other than 0 (DD-17, DD-18)."""
    if delay_ms == 0 or command_level >= FIRST_LEVEL:
        return None
    return DelayRefusal(
        cmqc.MQRC_FUNCTION_NOT_SUPPORTED,
        f"the queue manager's CMDLEVEL is {command_level}, a delivery delay needs {FIRST_LEVEL}",
    )


def lifetime_refusal(delay_ms: int, time_to_live_ms: int) -> DelayRefusal | None:
    """A lifetime smaller than the delay; an equal one is taken, 0 is unlimited (DD-23 to DD-27)."""
    if delay_ms == 0 or time_to_live_ms <= 0 or time_to_live_ms >= delay_ms:
        return None
    return DelayRefusal(
        cmqc.MQRC_EXPIRY_ERROR,
        f"time to live {time_to_live_ms} ms is smaller than the delay of {delay_ms} ms",
    )


def cap_refusal(delay_ms: int, caps_tenths: Iterable[int]) -> DelayRefusal | None:
    """A delay above CAPEXPRY of any object on the resolution path.

    Source: IBM MQ documentation, reason 2013 (q040870_) and q097495_.
    """
    cap = lowest_cap(caps_tenths)
    if delay_ms == 0 or cap < 0 or cap * 100 >= delay_ms:
        return None
    return DelayRefusal(
        cmqc.MQRC_EXPIRY_ERROR,
        f"CAPEXPRY({cap}) allows {cap * 100} ms, the delay is {delay_ms} ms",
    )


def topic_delivery(values: Iterable[str], *, persistent: bool) -> str:
    """Resolve PMSGDLV or NPMSGDLV up the topic tree.

    Args:
        values: the attribute that fits the publication's persistence (DD-116), of each topic
            object from the nearest to the root; ASPARENT looks further.
        persistent: which of the two it is; decides what SYSTEM.BASE.TOPIC says when nobody else
            does: PMSGDLV(ALLDUR), NPMSGDLV(ALLAVAIL) (DD-118).
    """
    own = (value for value in values if value != "ASPARENT")
    return next(own, "ALLDUR" if persistent else "ALLAVAIL")


class StagedState(StrEnum):
    """How a staged message stands at one moment."""

    WAITING = "waiting"
    DUE = "due"
    OVERDUE = "overdue"
    DOOMED = "doomed"
    """Its lifetime ends at or before its due time, so it is never delivered (DD-80)."""
    UNKNOWN = "unknown"
    """No due time is known (a real queue manager's delay header is not published)."""


UNSURE_US: Final = 2 * TENTH_US
"""By how much the end of a lifetime may be earlier than what a browse shows: it shows whole tenths,
rounded up, and its answer takes a moment."""


def agreed_end_us(header_us: int, latest_us: int) -> int | None:
    """The end of a lifetime by the delay header, if it agrees with what MQGET shows.

    Another end means that the lifetime was changed since the header was written.

    Args:
        latest_us: the end by the tenths that are left, which are rounded up.
    """
    return header_us if latest_us - TENTH_US - SECOND_US < header_us <= latest_us else None


def staged_end_us(header_us: int | None, expiry_tenths: int, now_us: int) -> int | None:
    """When the lifetime of a staged message ends; None for unlimited.

    Without an exact time it is the earliest moment possible: a message that may expire before it
    is due is not promised to arrive.

    Args:
        header_us: the end by the emulator's delay header; None where it has none.
        now_us: the time after the browse.
    """
    latest_us = expires_at_us(now_us, expiry_tenths)
    if latest_us is None:
        return None
    exact_us = None if header_us is None else agreed_end_us(header_us, latest_us)
    return latest_us - UNSURE_US if exact_us is None else exact_us


def state_of(due_us: int | None, expires_us: int | None, now_us: int) -> StagedState:
    """Say how a staged message stands.

    Args:
        expires_us: end of the lifetime (`staged_end_us`), None for unlimited.
    """
    if expires_us is not None and expires_us <= max(now_us, now_us if due_us is None else due_us):
        return StagedState.DOOMED
    if due_us is None:
        return StagedState.UNKNOWN
    if now_us < due_us:
        return StagedState.WAITING
    if now_us < due_us + OVERDUE_AFTER_US:
        return StagedState.DUE
    return StagedState.OVERDUE


class AdvisedSize(NamedTuple):
    """A value worked out, the sum as text to show, and problems ("" if nothing)."""

    value: int
    text: str
    problem: str = ""


def depth_needed(
    rate_per_s: float | str,
    longest_delay_ms: int,
    *,
    subscribers: int = 1,
    headroom_percent: int = 50,
) -> AdvisedSize:
    """MAXDEPTH for the staging queue: rate x longest delay x subscribers, and headroom.

    Args:
        rate_per_s: delayed messages sent in a second at peak; text ("0.1") is taken exactly.
        subscribers: copies staged for one send, 1 for queues (DD-111).
        headroom_percent: added on top.

    Raises:
        ValueError: If one of them is negative or the rate is no number.
    """
    from fractions import Fraction  # exact: 0.1/s over an hour is 360, not 360.00000000000006

    rate = Fraction(str(rate_per_s))
    if rate < 0 or min(longest_delay_ms, subscribers, headroom_percent) < 0:
        raise ValueError("rate, delay, subscribers and headroom are 0 or more")
    exact = rate * longest_delay_ms / 1000 * subscribers * (100 + headroom_percent) / 100
    value = max(1, -(-exact.numerator // exact.denominator))
    noun = "subscriber" if subscribers == 1 else "subscribers"
    text = (
        f"{rate_per_s}/s x {longest_delay_ms / 1000:g} s x {subscribers} {noun}"
        f" + {headroom_percent}% = {value}"
    )
    if value > GREATEST_MAXDEPTH:
        return AdvisedSize(value, text, f"above the greatest MAXDEPTH, {GREATEST_MAXDEPTH}")
    return AdvisedSize(value, text)


def length_needed(
    largest_message_bytes: int,
    *,
    header_allowance_bytes: int = HEADER_ALLOWANCE_BYTES,
    queue_manager_maxmsgl_bytes: int = GREATEST_MAXMSGL,
) -> AdvisedSize:
    """MAXMSGL for the staging queue: the largest message and room for the delay header.

    Raises:
        ValueError: If a length is negative.
    """
    if largest_message_bytes < 0 or header_allowance_bytes < 0:
        raise ValueError("lengths are 0 bytes or more")
    value = largest_message_bytes + header_allowance_bytes
    text = (
        f"{largest_message_bytes} bytes + {header_allowance_bytes} for the delay header (assumed)"
        f" = {value}"
    )
    if value > GREATEST_MAXMSGL:
        return AdvisedSize(value, text, f"above the greatest MAXMSGL, {GREATEST_MAXMSGL}")
    if value > queue_manager_maxmsgl_bytes:
        problem = (
            f"above MAXMSGL({queue_manager_maxmsgl_bytes}) of the queue manager:"
            f" ALTER QMGR MAXMSGL({value})"
        )
        return AdvisedSize(value, text, problem)
    return AdvisedSize(value, text)


def disk_needed(
    messages: int, length_bytes: int, *, maxfsize_mb: int = DEFAULT_MAXFSIZE_MB
) -> AdvisedSize:
    """Bytes on disk for that many messages in 512-byte blocks, against MAXFSIZE (rule QUE001).

    Args:
        messages: how many lie on the queue at once, MAXDEPTH at most.
        length_bytes: of one message, headers included.
        maxfsize_mb: MAXFSIZE in MB of 1,048,576 bytes; MAXFSIZE(DEFAULT) is 2,088,960.

    Raises:
        ValueError: If one of them is negative.

    Source: IBM MQ documentation, "Modifying queue files" (q134330_).
    """
    if min(messages, length_bytes, maxfsize_mb) < 0:
        raise ValueError("messages, length and MAXFSIZE are 0 or more")
    padded_bytes = max(1, -(-length_bytes // BLOCK_BYTES)) * BLOCK_BYTES
    value = messages * padded_bytes
    text = f"{messages} x {padded_bytes} bytes = {-(-value // 2**20)} MiB"
    if value > maxfsize_mb * 2**20:
        return AdvisedSize(value, text, f"above MAXFSIZE({maxfsize_mb})")
    return AdvisedSize(value, text)
