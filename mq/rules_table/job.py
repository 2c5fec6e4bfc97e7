"""The rules table in a job of z/OS that runs CSQUDLQH: the in-stream data of its SYSIN.

Source: IBM MQ documentation, "Invoking the DLQ handler on z/OS".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mqtriage.mq.jcl import InStream, in_stream
from mqtriage.mq.rules_table.parser import RulesTable, TableProblem, parse

_HANDLER: Final = "CSQUDLQH"


def parse_job(text: str) -> RulesTable:
    """Read the rules of a job, with lines as in the job; what is wrong is part of the table.

    PARM='QUEUE QMGR' of the step takes precedence over INPUTQ and INPUTQM.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    inputs = [data for data in in_stream(lines) if data.ddname == "SYSIN"]
    of_handler = [data for data in inputs if data.program == _HANDLER]
    inputs = of_handler or [data for data in inputs if not data.program]  # it may be a procedure
    if not inputs:
        return _wrong(1, "a job of z/OS without rules: no step of CSQUDLQH has SYSIN DD *")
    if len(inputs) > 1:
        return _wrong(inputs[1].first, "rules for another step: copy those of one step into a file")
    return _of_step(lines, inputs[0])


def _of_step(lines: list[str], data: InStream) -> RulesTable:
    kept = (line if data.first <= at < data.stop else "" for at, line in enumerate(lines))
    table = parse("\n".join(kept))
    queue, _, manager = " ".join(data.parm.split()).partition(" ")
    control = table.control
    control = replace(control, inputq=queue or control.inputq, inputqm=manager or control.inputqm)
    return replace(table, control=control)


def _wrong(line: int, text: str) -> RulesTable:
    return RulesTable(problems=(TableProblem(line, 1, "error", text),))
