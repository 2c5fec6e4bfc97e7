"""What is said on standard error after the data: warnings, and the summary of a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.formatters.cells import visible
from mqtriage.formatters.document import data_pair
from mqtriage.formatters.style import Style
from mqtriage.model.result import Listing, Result

_YELLOW: Final = "\x1b[33m"
_END: Final = "\x1b[0m"


def notes_text(result: Result, style: Style) -> str:
    """Warnings, then the summary in one line; "" when there is nothing to say.

    To be called after the last record was read. In JSON both stand in the document itself.
    """
    return "" if style.form == "json" else "\n".join(_lines(result, style))


def _lines(result: Result, style: Style) -> Iterator[str]:
    mark = f"{_YELLOW}warning:{_END}" if style.colour else "warning:"
    for warning in result.warnings:
        yield f"{mark} {visible(warning)}"
    if isinstance(result, Listing) and result.summary:
        pairs = (data_pair(key, value, utc=style.utc) for key, value in result.summary.items())
        yield ", ".join(f"{label} {text}" for label, text in pairs)
