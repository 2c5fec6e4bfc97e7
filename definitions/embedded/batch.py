"""MQSC that a Windows command file echoes to runmqsc or into a script.

A variable reads as one of a shell, as long as it is: a name of MQ may have a `%`, and no `$`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mqtriage.definitions.embedded.blocks import HINT, Block, FileLine
from mqtriage.definitions.embedded.shell import (
    group_sinks,
    is_continued,
    is_script,
    pipeline,
    plain_name,
    runs_for,
)

_ECHO: Final = re.compile(r"[ \t]*[(@]*[ \t]*echo(?:[ \t]+|[.(:/])", re.IGNORECASE)
_WORDS: Final = re.compile(r"(?:\^.|\"[^\"\n]*\"|[^|<>&^\r\n])*")
_ESCAPED: Final = re.compile(r"\^(.)")
_VARIABLE: Final = re.compile(r"[%!]([A-Za-z_]\w*)[%!]|%([0-9*])")


def in_batch(text: str, lines: list[FileLine]) -> Iterator[Block]:
    """What each echo of a .bat or .cmd file writes, whose `^` takes a sign for itself."""
    groups, goes_on = group_sinks(text, lines), False
    for line, group in zip(lines, groups, strict=True):
        echo = _ECHO.match(text, line.start, line.end)
        if echo is None:
            continue
        words = _WORDS.match(text, echo.end(), line.end)
        end = words.end() if words else echo.end()
        mqsc = _ESCAPED.sub(r" \1", _VARIABLE.sub(_as_of_a_shell, text[echo.end() : end]))
        sink = pipeline(text, end, line.end)
        sink = sink if sink.strip() else group
        manager, is_run = runs_for(sink)
        if (goes_on or HINT.search(mqsc)) and (is_run or is_script(text, sink)):
            yield Block(echo.end(), end, "", manager, plain_name(manager), mqsc)
            goes_on = is_continued(mqsc)


def _as_of_a_shell(variable: re.Match[str]) -> str:
    return f"${variable[1]}_" if variable[1] else f"${variable[2]}"
