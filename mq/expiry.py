"""The lifetime of a message: when it ends, what is left of it, which values a put accepts.

Source: IBM MQ documentation, "Expiry (MQLONG)"; statements EX-01 to EX-68. A lifetime is given in
tenths of a second and counted from the put, also under syncpoint (EX-24). Times here are whole
microseconds since 1970 UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.records import NamedTuple

TENTH_US: Final = 100_000
GREATEST_TENTHS: Final = 999_999_999
CAP_IN_CUSTOM: Final = r"(?i)\bCAPEXPRY\(\s*([^()]*?)\s*\)"
"""A cap in CUSTOM, where it stood before it was an attribute; compiled when it is first used."""


class Lifetimes(NamedTuple):
    """Lifetimes on a queue; nothing a unit of work holds.

    Attributes:
        expired: over, and still counted in CURDEPTH (EX-34, EX-35).
        with_expiry: not over yet; *within_hour* of them end within an hour.
        next_expiry_us: the nearest end of a lifetime to come.
        expired_since_us: the earliest end of a lifetime that is over.
    """

    expired: int
    with_expiry: int
    next_expiry_us: int | None
    within_hour: int
    expired_since_us: int | None


def expires_at_us(put_time_us: int, expiry_tenths: int) -> int | None:
    """The moment the lifetime is over; None for MQEI_UNLIMITED (EX-01, EX-65)."""
    if expiry_tenths == cmqc.MQEI_UNLIMITED:
        return None
    return put_time_us + expiry_tenths * TENTH_US


def remaining_tenths(expires_us: int | None, now_us: int) -> int:
    """What MQGET puts in Expiry: tenths left, rounded up so that a live message never shows 0.

    Returns -1 for a message without a lifetime, 0 for one whose lifetime is over, as it is at its
    last moment (EX-10, EX-17, EX-18).
    """
    if expires_us is None:
        return cmqc.MQEI_UNLIMITED
    return max(0, -((now_us - expires_us) // TENTH_US))


def put_reason(expiry_tenths: int, *, enforce_maximum: bool) -> int:
    """The reason a put with this Expiry fails with, or 0.

    Zero and negative values other than -1 always fail (EX-26, EX-33); values above 999 999 999
    only where AMQ_ENFORCE_MAX_EXPIRY_ERROR is set (EX-29, EX-30).
    """
    if expiry_tenths == cmqc.MQEI_UNLIMITED:
        return 0
    if expiry_tenths <= 0 or (enforce_maximum and expiry_tenths > GREATEST_TENTHS):
        return cmqc.MQRC_EXPIRY_ERROR
    return 0


def cap_of(attributes: Mapping[str, int | str]) -> int | None:
    """CAPEXPRY of an object in tenths, else the one in CUSTOM; None for no limit, or not known.

    Source: IBM MQ documentation, "Enforcing lower expiration times" (q097495_): where both are
    there the attribute counts.
    """
    tenths = attributes.get("CAPEXPRY")
    if isinstance(tenths, int):
        return tenths if tenths >= 0 else None
    custom = attributes.get("CUSTOM")
    match = re.search(CAP_IN_CUSTOM, str(custom)) if custom else None
    return int(match[1]) if match is not None and match[1].isdecimal() else None


def lowest_cap(caps: Iterable[int]) -> int:
    """The CAPEXPRY that counts of those on a resolution path; -1 where none is a limit.

    Args:
        caps: in tenths; negative means no limit.
    """
    return min((cap for cap in caps if cap >= 0), default=-1)


def capped(expiry_tenths: int, caps: Iterable[int]) -> int:
    """Lower *expiry_tenths* to the lowest CAPEXPRY on the resolution path; never raise it.

    Args:
        caps: CAPEXPRY of each object on the path, in tenths; negative means no limit.

    Source: IBM MQ documentation, "Enforcing lower expiration times" (q097495_).
    """
    lowest = lowest_cap(caps)
    if lowest < 0:
        return expiry_tenths
    return lowest if expiry_tenths == cmqc.MQEI_UNLIMITED else min(expiry_tenths, lowest)
