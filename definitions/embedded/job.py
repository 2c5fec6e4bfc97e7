"""MQSC in z/OS jobs, and the functions of CSQUTIL in them that are not MQSC.

Source: IBM MQ documentation, "CSQUTIL utility for IBM MQ for z/OS", "Using the COMMAND function of
CSQUTIL on z/OS" and "Invoking the IBM MQ utility program on z/OS".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mqtriage.definitions.embedded.blocks import Block, FileLine, block_of, is_mqsc
from mqtriage.mq.jcl import InStream, in_stream

_UTILITY: Final = "CSQUTIL"
_FUNCTION: Final = re.compile(
    r"[ \t]*(ANALYZE|COPYPAGE|COPY|EMPTY|FORMAT|LOAD|PAGEINFO|RESETPAGE|SCOPY|SDEFS|SLOAD|SWITCH"
    r"|XPARM)\b"
)
_GENERATES: Final = re.compile(r"\b(MAKEDEF|MAKEDEL|MAKEREP|MAKEALT|MAKECLNT)\b")
_CONTINUED: Final = re.compile(r"[+-]$")


def in_job(text: str, lines: list[FileLine]) -> Iterator[Block]:
    """In-stream data of JCL that is MQSC; a job is for one queue manager."""
    for data in _data_of(text, lines):
        block = block_of(lines[data.first : data.stop], "", "", "")
        if block and is_mqsc(text, block):
            yield block


def utility_notes(text: str, lines: list[FileLine]) -> Iterator[tuple[int, str]]:
    """The line of each function of CSQUTIL that is no MQSC, and what is not done, from line 1."""
    for data in _data_of(text, lines):
        if data.ddname != "SYSIN" or data.program not in (_UTILITY, ""):
            continue
        is_command = False
        for at in range(data.first, data.stop):
            words = text[lines[at].start : lines[at].end].upper().rstrip()
            if words.startswith("*"):
                continue
            function = _FUNCTION.match(words) if not is_command else None
            is_command = is_command or words.split("(")[0].split()[:1] == ["COMMAND"]
            generates = _GENERATES.search(words) if is_command else None
            is_command = is_command and _CONTINUED.search(words) is not None
            if function is not None and data.program:
                yield at + 1, f"{function[1]} is a function of CSQUTIL, not MQSC"
            if generates is not None:
                yield at + 1, f"{generates[1]} of CSQUTIL: DISPLAY commands only display here"


def _data_of(text: str, lines: list[FileLine]) -> Iterator[InStream]:
    return in_stream([text[line.start : line.end] for line in lines])
