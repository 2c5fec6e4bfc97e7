"""Values as people see them: times, ages, lifetimes, sizes, yes and no, and no surprises.

Scripts get values as they are; nothing here is used for JSON or CSV.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from mqtriage.model.ids import short_form
from mqtriage.model.result import Show
from mqtriage.model.units import humane_duration

MISSING: Final = "-"
UNLIMITED: Final = "unlimited"

_ID: Final = re.compile(r"[0-9A-Fa-f]{48}")
_RIGHT: Final = frozenset({Show.NUMBER, Show.AGE_MS, Show.TENTHS, Show.BYTES})
_UNITS: Final = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def is_right_aligned(show: Show) -> bool:
    """Numbers and amounts stand on the right."""
    return show in _RIGHT


def visible(text: str) -> str:
    """Write out what a terminal would obey or hide: ESC as ``\\x1b``, a line end as ``\\n``.

    Lone surrogates (bytes that were not text) become ``\\udcff``. Never raises.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def duration_text(ms: int) -> str:
    """850ms, 12s, 12.5s, 5m03s, 2h05m, 3d04h: two units at most, rounded down."""
    if ms < 0:
        return "-" + duration_text(-ms)
    tenth = ms % 1_000 // 100
    if 1_000 <= ms < 60_000 and tenth:
        return f"{ms // 1_000}.{tenth}s"
    return humane_duration(ms) if ms else "0s"


def tenths_text(tenths: int) -> str:
    """A lifetime in tenths of a second; MQEI_UNLIMITED (-1) is ``unlimited``."""
    return UNLIMITED if tenths == -1 else duration_text(tenths * 100)


def _flag_text(flag: int) -> str:
    """yes or no; MQ has flags of more values, which are shown as they are."""
    return {0: "no", 1: "yes"}.get(flag, str(flag))


def bytes_text(length: int) -> str:
    """512B, 4KiB, 1.5MiB: rounded down to a tenth, and in a form that size options accept."""
    if length < 0:
        return "-" + bytes_text(-length)
    if length < 1_024:
        return f"{length}B"
    step = min((length.bit_length() - 1) // 10, len(_UNITS))
    tenths = length * 10 >> 10 * step
    whole, tenth = divmod(tenths, 10)
    return f"{whole}.{tenth}{_UNITS[step - 1]}" if tenth else f"{whole}{_UNITS[step - 1]}"


def exact_bytes_text(length: int) -> str:
    """A size in full, where there is room: ``4096 bytes (4KiB)``."""
    unit = "byte" if length == 1 else "bytes"
    return f"{length} {unit} ({bytes_text(length)})" if length >= 1_024 else f"{length} {unit}"


def time_text(text: str, *, utc: bool, separator: str = " ") -> str:
    """A time given as RFC 3339 UTC, in UTC or local time; what is no time is shown as it is."""
    if utc:
        looks_right = len(text) > 10 and text[10] == "T"
        return visible(text[:10] + separator + text[11:] if looks_right else text)
    from datetime import datetime

    try:
        local = datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        return visible(text)
    whole = local.replace(microsecond=0).isoformat(separator)
    _, _, digits = text.rstrip("Zz").partition(".")
    fraction = f".{digits}" if digits.isdigit() else ""  # as many digits as were given
    return whole[:19] + fraction + whole[19:]


def plain_text(value: Any) -> str:
    """A value without a kind of its own: text, number, yes or no, a list joined by commas.

    What is nested is written in words: ``ORDERS.IN 1, PAYMENTS.IN 2``, records apart by ``;``.
    """
    if value is None:
        return MISSING
    if isinstance(value, str):
        return visible(value).strip() or MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        simple = all(isinstance(part, str | int | float) for part in value)
        return ("," if simple else "; ").join(map(plain_text, value)) or MISSING
    if isinstance(value, Mapping):
        return ", ".join(f"{visible(str(k))} {plain_text(v)}" for k, v in value.items()) or MISSING
    return visible(str(value))


def id_text(value: Any) -> str:
    """An identifier in full; all zero (MQMI_NONE, MQCI_NONE) means there is none."""
    text = plain_text(value)
    return MISSING if not text.strip("0") else text


def shortened(text: str, width: int, ellipsis: str = "…") -> str:
    """The last whole bytes of an identifier: a queue manager's ids all begin alike.

    An id whose last bytes are all zero is shown by its text or its start.
    """
    if len(text) <= width:
        return text
    if _ID.fullmatch(text):
        return short_form(text, width, ellipsis)
    digits = max(2, (width - len(ellipsis)) // 2 * 2)
    return ellipsis + text[-digits:]


def name_shortened(text: str, width: int, ellipsis: str = "…") -> str:
    """Both ends of a name: names of one application begin alike, and .IN is not .BO."""
    if len(text) <= width:
        return text
    room = max(2, width - len(ellipsis))
    return text[: room // 2] + ellipsis + text[-(room - room // 2) :]


_FRACTION = re.compile(r"(:\d\d)\.\d+")


def display_function(
    show: Show, *, utc: bool, separator: str = " ", whole_seconds: bool = False
) -> Callable[[Any], str]:
    """The function that turns a value of kind *show* into the text of its cell.

    A value of another type than its kind expects is shown as it is; nothing raises.
    """
    if show is Show.ID:
        return id_text
    if show is Show.TIME:

        def moment(value: Any) -> str:
            if isinstance(value, str) and value:
                text = time_text(value, utc=utc, separator=separator)
                return _FRACTION.sub(r"\1", text) if whole_seconds else text
            return plain_text(value)

        return moment
    amount = {
        Show.AGE_MS: duration_text,
        Show.TENTHS: tenths_text,
        Show.BYTES: bytes_text,
        Show.FLAG: _flag_text,
    }.get(show)
    if amount is None:
        return plain_text

    def counted(value: Any) -> str:
        return amount(value) if type(value) is int else plain_text(value)

    return counted
