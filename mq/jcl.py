"""Jobs of z/OS: the in-stream data of their DD statements, with the program of the step.

Sources: IBM z/OS MVS JCL Reference, "Continuing JCL statements", "DLM parameter" (as JES2 has it)
and "EXEC statement"; IBM z/OS MVS JCL User's Guide, "Entering data through the input stream".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mqtriage.records import NamedTuple

_STATEMENT: Final = re.compile(r"//([^\s*]*)[ ]+([A-Z]+)(?:[ ]+(.*))?\Z")
_CONTINUED: Final = re.compile(r"//[ ]+(\S.*)\Z")
_OPERANDS: Final = re.compile(r"(?:'(?:[^']|'')*'|[^\s'])*")
_PROGRAM: Final = re.compile(r"(?:\A|,)PGM=([A-Z0-9@#$]+)")
_PARM: Final = re.compile(r"(?:\A|,)PARM=(?:\(?'((?:[^']|'')*)'\)?|\(?([^,()']*))")
_IN_STREAM: Final = re.compile(r"(\*|DATA)(?:,|\Z)")
_DLM: Final = re.compile(r",DLM=(?:'((?:[^']|''){2,4})'|([^,]{2}))")
_SIGNIFICANT_COLUMNS: Final = 71
"""Of a statement; column 72 and what stands behind it are no part of its operands."""


class InStream(NamedTuple):
    """The data in the job for one DD statement.

    Attributes:
        first, stop: index of the first line of the data and of the line behind it, from 0.
        program: that the step runs, "" where a procedure or nothing says it.
        parm: PARM of that EXEC statement, without its quotes.
        exec_line: index of the EXEC statement's first line; -1 where there is none.
    """

    ddname: str
    first: int
    stop: int
    program: str = ""
    parm: str = ""
    exec_line: int = -1


def is_job(text: str) -> bool:
    """Whether a text is JCL: its first line that is not blank is a statement."""
    first = text.lstrip()[:200].split("\n", 1)[0]
    return first.startswith("//*") or (
        first.startswith("//")
        and _STATEMENT.match(first.rstrip()[:_SIGNIFICANT_COLUMNS]) is not None
    )


def in_stream(lines: list[str]) -> Iterator[InStream]:
    """The in-stream data sets of a job, in their order; nothing is raised.

    Args:
        lines: of the job, with or without their line ends.
    """
    at, program, parm, exec_line, ddname = 0, "", "", -1, ""
    while at < len(lines):
        statement = _STATEMENT.match(lines[at].rstrip()[:_SIGNIFICANT_COLUMNS])
        begun = at
        at += 1
        if statement is None or lines[begun].startswith("//*"):
            continue
        operands = _operands(statement[3] or "")
        while operands.endswith(",") and at < len(lines):
            if not lines[at].startswith("//*"):
                more = _CONTINUED.match(lines[at].rstrip()[:_SIGNIFICANT_COLUMNS])
                if more is None:
                    break
                operands += _operands(more[1])
            at += 1
        if statement[2] == "EXEC":
            named, given = _PROGRAM.search(operands), _PARM.search(operands)
            program, exec_line, ddname = named[1] if named else "", begun, ""
            parm = (given[1] or given[2] or "").replace("''", "'") if given else ""
        if statement[2] != "DD":
            continue
        ddname = statement[1] or ddname  # a DD without a name is concatenated to the one before it
        kind = _IN_STREAM.match(operands)
        if kind is None:
            continue
        first = at
        ends = _delimiters(kind[1], operands)
        while at < len(lines) and not lines[at].startswith(ends):
            at += 1
        yield InStream(ddname.rpartition(".")[2], first, at, program, parm, exec_line)
        if at < len(lines) and not lines[at].startswith("//"):
            at += 1  # the delimiter statement


def _operands(text: str) -> str:
    """The operand field: to the first blank that is not in quotes; comments follow."""
    field = _OPERANDS.match(text)
    return field[0] if field else ""


def _delimiters(kind: str, operands: str) -> tuple[str, ...]:
    """How the line begins that ends the data of a DD statement."""
    given = _DLM.search(operands)
    own = (given[1] or given[2]).replace("''", "'") if given else "/*"
    return (own,) if kind == "DATA" else (own, "//")
