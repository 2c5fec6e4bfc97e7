"""A message in one line: what `mqtriage watch` prints for people as messages arrive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mqtriage.formatters.cells import display_function, is_right_aligned
from mqtriage.model.result import Field, Show

FIELDS: Final = (
    Field("put_time", "PUT_TIME", Show.TIME, width=20),
    Field("queue", "QUEUE", width=24),
    Field("msg_id", "MSGID", width=48, yields=2),
    Field("length_bytes", "LENGTH", Show.BYTES, width=8),
    Field("format", "FORMAT", width=8, yields=1),
    Field("backout_count", "BACKOUT", Show.NUMBER, width=7, yields=3),
    Field("put_appl_name", "PUT_APPL", width=28, yields=4),
)


def fitting(fields: Sequence[Field], width: int) -> list[Field]:
    """The fields that a line of *width* has room for; those that matter least go first."""
    shown = list(fields)
    while len(shown) > 1 and sum(field.width + 2 for field in shown) - 2 > width:
        least = max(shown, key=lambda field: field.yields)
        if least.yields == 0:
            break
        shown.remove(least)
    return shown


def line(record: Mapping[str, Any], fields: Sequence[Field], *, utc: bool) -> str:
    """*record* in columns as wide as the fields say; a longer value pushes the next one."""
    cells = []
    for field in fields:
        text = display_function(field.show, utc=utc, whole_seconds=True)(record.get(field.key))
        width = field.width or len(field.heading)
        cells.append(text.rjust(width) if is_right_aligned(field.show) else text.ljust(width))
    return "  ".join(cells).rstrip()
