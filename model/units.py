"""Durations, sizes, percentages and rates as people write them, and back to text; counts.

    durations   500ms 30s 5m 2h 30d, also joined: 1h30m      -> milliseconds, tenths of a second
    sizes       4194304 4KB 4KiB 4MB 4MiB 4GB 4GiB           -> bytes (MB is 1,000,000)
    percent     70%                                          -> 0 to 100
    rates       20/s 600/m 1000/h                            -> per second

Points in time are in `mqtriage.model.times`. Everything that cannot be read is a UsageError that
names the option, what was found and what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.errors import UsageError
from mqtriage.mq.expiry import GREATEST_TENTHS

UNIT_MS: Final = {
    "ms": 1,
    "s": 1_000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
}
GREATEST_MS: Final = 36_500 * UNIT_MS["d"]
"""The longest duration that is read: 36500 days, a century."""
UNIT_BYTES: Final = {
    "": 1, "b": 1, "kb": 1_000, "kib": 1 << 10, "mb": 1_000_000, "mib": 1 << 20,
    "gb": 1_000_000_000, "gib": 1 << 30,
}  # fmt: skip
GREATEST_BYTES: Final = (1 << 63) - 1

DURATION_HINT: Final = "write a number and a unit: 500ms 30s 5m 2h 30d 2w, or joined: 1h30m"
SIZE_HINT: Final = "write bytes or a unit: 4194304 4MiB 4MB (MB is 1,000,000 bytes); KiB KB GiB GB"
_DURATION: Final = re.compile(r"(?:[0-9]{1,15}(?:ms|[smhdw]))+\Z")
_DURATION_PART: Final = re.compile(r"([0-9]+)(ms|[smhdw])")
_SIZE: Final = re.compile(r"([0-9]{1,19}) ?(|b|kb|kib|mb|mib|gb|gib)\Z", re.IGNORECASE)
_PERCENT: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3})?)%?\Z")
_RATE: Final = re.compile(r"([0-9]{1,9})/(s|sec|m|min|h)\Z")
_RATE_SECONDS: Final = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}
_OF_ONE: Final = {
    "are": "is", "were": "was", "have": "has", "request": "requests", "stay": "stays",
    "wait": "waits",
}  # fmt: skip


def count_text(count: int, noun: str = "message") -> str:
    """``1 message``, ``412 messages``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def agreeing(count: int, verb: str) -> str:
    """A verb as it stands after a count: ``is`` for 1 and ``are`` for others."""
    return _OF_ONE[verb] if count == 1 else verb


def most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Counts, the highest first; equal ones by name, so that two runs show the same."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def first_of(texts: Sequence[str], most: int, noun: str = "") -> list[str]:
    """The first *most* of them, and how many more there are.

    Args:
        noun: what is counted, where that is not plain: ``and 2 more reasons``.
    """
    more = len(texts) - most
    what = count_text(more, f"more {noun}") if noun else f"{more} more"
    return [*texts[:most], f"and {what}"] if more > 0 else list(texts)


def parse_duration_ms(text: str, *, what: str = "duration", least_ms: int = 0) -> int:
    """Read a duration as milliseconds, from *least_ms* to `GREATEST_MS`.

    A unit is always needed, and each may stand once, the larger before the smaller (1h30m).
    """
    if not _DURATION.match(text):
        reason = "negative" if text.startswith("-") else "not a duration"
        raise UsageError(f"{what} {_quoted(text)}: {reason}", hint=DURATION_HINT)
    total_ms, last_ms = 0, GREATEST_MS + 1
    for number, unit in _DURATION_PART.findall(text):
        if UNIT_MS[unit] >= last_ms:
            msg = f"{what} {_quoted(text)}: write units from large to small, each once"
            raise UsageError(msg, hint=DURATION_HINT)
        last_ms = UNIT_MS[unit]
        total_ms += int(number) * last_ms
    if not least_ms <= total_ms <= GREATEST_MS:
        allowed = f"{duration_text(least_ms)} to {duration_text(GREATEST_MS)}"
        raise UsageError(f"{what} {_quoted(text)}: out of range, allowed is {allowed}")
    return total_ms


def is_duration(text: str) -> bool:
    """Whether *text* looks like a duration: ``2h``, ``1h30m``."""
    return _DURATION.match(text) is not None


def parse_expiry_tenths(text: str, *, what: str = "expiry") -> int:
    """Read a lifetime as tenths of a second, or ``unlimited`` as -1 (MQEI_UNLIMITED)."""
    if text.lower() == "unlimited":
        return cmqc.MQEI_UNLIMITED
    span_ms = parse_duration_ms(text, what=what)
    if 0 < span_ms < 100:
        msg = f"{what} {_quoted(text)}: less than a tenth of a second, the unit of MQMD.Expiry"
        raise UsageError(msg, hint="the shortest lifetime is 100ms")
    if span_ms % 100:
        msg = f"{what} {_quoted(text)}: not a whole number of tenths, the unit of MQMD.Expiry"
        below = span_ms // 100 * 100
        hint = f"write {duration_text(below)} or {duration_text(below + 100)}"
        raise UsageError(msg, hint=hint)
    tenths = span_ms // 100
    if not 1 <= tenths <= GREATEST_TENTHS:
        msg = f"{what} {_quoted(text)}: out of range, allowed is 1 to {GREATEST_TENTHS} tenths"
        raise UsageError(msg, hint="write 100ms to 99999999900ms (about 1157 days), or unlimited")
    return tenths


def parse_size_bytes(text: str, *, what: str = "size") -> int:
    """Read a size as bytes; a bare number is bytes, the case of the unit does not matter."""
    size = _SIZE.match(text)
    if size is None:
        reason = "negative" if text.startswith("-") else "not a size"
        raise UsageError(f"{what} {_quoted(text)}: {reason}", hint=SIZE_HINT)
    total_bytes = int(size[1]) * UNIT_BYTES[size[2].lower()]
    if total_bytes > GREATEST_BYTES:
        allowed = f"allowed is 0 to {GREATEST_BYTES} bytes"
        raise UsageError(f"{what} {_quoted(text)}: out of range, {allowed}")
    return total_bytes


def parse_percent(text: str, *, what: str = "percentage") -> float:
    """Read ``70%``, ``70`` or ``99.5%`` as a number from 0 to 100."""
    percent = _PERCENT.match(text)
    if percent is None or float(percent[1]) > 100:
        raise UsageError(f"{what} {_quoted(text)}: not a percentage", hint="write 0% to 100%")
    return float(percent[1])


def parse_rate(text: str, *, what: str = "rate") -> float:
    """Read ``20/s``, ``600/m`` or ``1000/h`` as a number per second, above 0."""
    rate = _RATE.match(text)
    if rate is None or int(rate[1]) == 0:
        msg = f"{what} {_quoted(text)}: not a rate"
        raise UsageError(msg, hint="write 1/s to 999999999/s; also 600/m (a minute), 1000/h")
    return int(rate[1]) / _RATE_SECONDS[rate[2]]


def rate_text(rate_per_s: float) -> str:
    """Text that `parse_rate` reads back, in the smallest unit that is whole: ``20/s``, ``90/m``."""
    for seconds, unit in ((1, "s"), (60, "m")):
        number = rate_per_s * seconds
        if abs(number - round(number)) < 1e-6:
            return f"{round(number)}/{unit}"
    return f"{round(rate_per_s * 3_600)}/h"


def duration_text(span_ms: int) -> str:
    """Exact text that `parse_duration_ms` reads back: ``90m``, ``1500ms``; negative with ``-``."""
    if span_ms < 0:
        return "-" + duration_text(-span_ms)
    if span_ms == 0:
        return "0s"
    unit = next(unit for unit in ("d", "h", "m", "s", "ms") if span_ms % UNIT_MS[unit] == 0)
    return f"{span_ms // UNIT_MS[unit]}{unit}"


def humane_duration(span_ms: int) -> str:
    """A duration for people, two units at most: ``2h05m``, ``3d04h``, ``1m30s``, ``250ms``."""
    if span_ms < 0:
        return "-" + humane_duration(-span_ms)
    if span_ms < 1_000:
        return f"{span_ms}ms"
    seconds = span_ms // 1_000
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3_600:
        return f"{seconds // 60}m{seconds % 60:02d}s"
    if seconds < 86_400:
        return f"{seconds // 3_600}h{seconds % 3_600 // 60:02d}m"
    return f"{seconds // 86_400}d{seconds % 86_400 // 3_600:02d}h"


def humane_expiry(expiry_tenths: int) -> str:
    """A remaining lifetime for people: ``unlimited``, ``2h05m``, ``12.5s``."""
    if expiry_tenths == cmqc.MQEI_UNLIMITED:
        return "unlimited"
    if 0 <= expiry_tenths < 600 and expiry_tenths % 10:
        return f"{expiry_tenths // 10}.{expiry_tenths % 10}s"
    return humane_duration(expiry_tenths * 100)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "...")
