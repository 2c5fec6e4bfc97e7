"""Events in JSON of any layout, or in text, as one line of JSON each.

amqsevt indents no brace, ``-o json_array`` and ``jq -s`` make one array of all events, and syslog
writes a prefix. What all have in common is where an event begins. Plain Python: the driver does
this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Final, NamedTuple

from mqtriage.pipeline.sources import amqsevt_text

KEYS: Final = r"event(?:Source|Type|Reason|Creation)|correlationID"
"""What an event begins with; jq -S sorts them. No group inside an event does."""
_BEGIN: Final = re.compile(
    rf'\{{\s*"(?:{KEYS})"\s*:|^{amqsevt_text.BEGINS}', re.ASCII | re.MULTILINE
)
_ESCAPE: Final = re.compile(r'\\(["\\/bfnrtu]?)')
_REMAINS: Final = re.compile(
    rf'"(?:{KEYS}|eventData|objectState)"|^(?:Event Type|Reason|Event created) +: ', re.MULTILINE
)
"""What is left of an event has this, or closes a brace that nothing opened."""
_SEPARATORS: Final = " \t\r\n,[]\0"
_DECODER: Final = json.JSONDecoder(strict=False)
_SHOWN: Final = 200
_LINE_END: Final = str.maketrans("\r\n", "  ")
_NO_JSON: Final = str.maketrans("\r\n{", "  (")


class Line(NamedTuple):
    """One event, or what is none, as a line.

    Attributes:
        text: JSON; of what is no event its beginning behind a question mark and without a brace.
        end: how many characters of the whole text end with it.
        is_whole: an event.
    """

    text: str
    end: int
    is_whole: bool


def event_lines(chunks: Iterable[str]) -> Iterator[Line]:
    """The events of a text and what is between them, in order.

    An event that was broken off ends where the next one begins. Text between events is one piece;
    lines of other programs beside events with a prefix are left out.

    Args:
        chunks: the text, bytes as characters (latin-1), so that lengths are those of the file.
    """
    rest, at, depth = "", 0, 0
    for chunk in chain(chunks, (None,)):
        is_last = chunk is None
        rest += chunk or ""
        begins = {match.start() for match in _BEGIN.finditer(rest)}
        places = sorted({0, *begins, *((len(rest),) if is_last else ())})
        for begin, end in pairwise(places):
            piece, length = rest[begin:end], 0
            if begin in begins and piece.startswith("*"):
                event = amqsevt_text.event_of(piece)
                yield Line(event or _as_none(piece), at + end, event is not None)
                continue
            if begin in begins:
                length, text = _object(piece)
                text = text.translate(_LINE_END) if length else _as_none(piece)
                length = length or len(piece)
                yield Line(text, at + begin + length, not text.startswith("?"))
            between = piece[length:]
            depth += between.count("{") - between.count("}")
            is_torn = depth < 0 or (depth > 0 and is_last and end == len(rest))
            depth = max(depth, 0)
            if is_torn or _REMAINS.search(between):
                yield Line(_as_none(between), at + end, is_whole=False)
        at += places[-1]
        rest = rest[places[-1] :]


def _object(piece: str) -> tuple[int, str]:
    """How long the object is that *piece* begins with, 0 if it has no end, and its JSON.

    A backslash that escapes nothing, as of a path of Windows, is one.
    """
    for alone in ("", "/"):
        try:
            length = _DECODER.raw_decode(_with_backslashes(piece, alone) if alone else piece)[1]
        except (ValueError, RecursionError):
            continue
        return length, _with_backslashes(piece[:length], r"\\") if alone else piece[:length]
    return 0, ""


def _with_backslashes(piece: str, alone: str) -> str:
    """With *alone* in place of each backslash that escapes nothing."""
    return _ESCAPE.sub(lambda escape: escape[0] if escape[1] else alone, piece)


def _as_none(piece: str) -> str:
    return "?" + piece.strip(_SEPARATORS)[:_SHOWN].translate(_NO_JSON)
