"""Reason and feedback codes by number and by name.

MQRC_* numbers are the reasons that MQI calls give, MQRCCF_* those of the command server; MQFB_*
numbers stand in MQMD.Feedback. MQDLH.Reason may hold either: `name_of_dlh_reason` looks in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from mqtriage.mq.name_table import codes

_GREATEST: Final = 2**31 - 1
_BOUNDS: Final = ("_FIRST", "_LAST")
"""How names for the ends of a range end, which are no names for the number itself."""


def _names_by_number(*prefixes: str) -> Mapping[int, str]:
    names: dict[int, str] = {}
    for name, code in codes().items():
        if name.startswith(prefixes) and not name.endswith(_BOUNDS):
            names.setdefault(code.number, name)
    return names


@cache
def reason_names() -> Mapping[int, str]:
    """Number to name for every reason code: MQRC_* and MQRCCF_*."""
    return _names_by_number("MQRC_", "MQRCCF_")


@cache
def feedback_names() -> Mapping[int, str]:
    """Number to name for every feedback code of the system: MQFB_*."""
    return _names_by_number("MQFB_")


def name_of_reason(number: int) -> str:
    """``MQRC_Q_FULL`` for 2053, ``reason 9999`` for a number that is no reason code we know."""
    return reason_names().get(number, f"reason {number}")


def name_of_feedback(number: int) -> str:
    """``MQFB_EXPIRATION`` for 258; an exception report carries a reason: ``MQRC_Q_FULL`` for 2053.

    A number that is neither is shown as it is: ``feedback 70000``.
    """
    name = feedback_names().get(number) or reason_names().get(number)
    return name or f"feedback {number}"


def name_of_dlh_reason(number: int) -> str:
    """Name MQDLH.Reason, which may be a reason or a feedback code.

    265 is MQFB_APPL_CANNOT_BE_STARTED, put there by a trigger monitor; 2053 is MQRC_Q_FULL.
    The two sets share only 0, which in an MQDLH is MQRC_NONE.

    Source: IBM MQ documentation, "Reason (MQLONG) for MQDLH".
    """
    name = reason_names().get(number) or feedback_names().get(number)
    return name or f"reason {number}"


def codes_named(text: str) -> tuple[int, ...]:
    """All numbers that *text* can mean, in any case of letters, reasons first; empty when none.

    Takes ``2035``, ``0x7F3``, ``RC2035`` (the RPG name), ``reason 9999``, ``MQRC_NOT_AUTHORIZED``,
    ``NOT_AUTHORIZED``, ``MQFB_EXPIRATION`` and ``EXPIRATION``. A name without prefix may be
    both a reason and a feedback code (TM_ERROR, IIH_ERROR).
    """
    words = text.strip().upper()
    number = _number(words)
    if number is not None:
        return (number,)
    names = (prefix + words for prefix in ("", "MQ", "MQRC_", "MQRCCF_", "MQFB_"))
    return tuple(dict.fromkeys(codes()[name].number for name in names if name in codes()))


def _number(words: str) -> int | None:
    """The number written in decimal, in hex, or behind RC, REASON or FEEDBACK; else None."""
    for prefix in ("MQRC", "RC", "REASON", "FEEDBACK"):
        if words.startswith(prefix):
            words = words.removeprefix(prefix).strip()
            break
    base = 10
    if words.startswith("0X"):
        words, base = words[2:], 16
    digits = "0123456789ABCDEF"[:base]
    # eleven digits hold every 32-bit number; a longer text is none and is not worth converting
    if not 0 < len(words) <= 11 or words.strip(digits):
        return None
    number = int(words, base)
    return number if number <= _GREATEST else None
