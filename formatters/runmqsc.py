"""A session as runmqsc prints it: banner, echoed commands with their answers, counts at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TextIO

from mqtriage.commands.qmgr.mqsc_run import Counts, ScriptStep
from mqtriage.formatters.cells import visible
from mqtriage.mq.mqsc.layout import banner, echo, footer
from mqtriage.mq.mqsc.reply import lines_of


def write_session(
    steps: Iterable[ScriptStep],
    counts: Counts,
    stream: TextIO,
    *,
    queue_manager: str,
    year: int,
    explain: Callable[[str], None],
) -> None:
    """Write each step as it is taken.

    Args:
        explain: gets what a message alone does not say, for standard error.

    Raises:
        OSError: The stream failed; the steps that were left have been taken all the same.
    """
    failure: OSError | None = None

    def write(*lines: str) -> None:
        """After a failure nothing is written, and the script is run to its end."""
        nonlocal failure
        if failure is None and lines:
            try:
                stream.write("\n".join(lines) + "\n")
                stream.flush()  # somebody may be waiting for the answer
            except OSError as error:
                failure = error
                counts.unheard = True

    write(*banner(queue_manager, year))
    for step in steps:
        write(*echoed(step))
        if step.reply is None:
            continue
        write(*map(shown, lines_of(step.reply)))
        if step.reply.why:
            explain(step.reply.why)
    write(*footer(counts.read, counts.syntax_errors, counts.not_processed))
    if failure is not None:
        raise failure


def echoed(step: ScriptStep) -> list[str]:
    """The lines that repeat a step; comments and blank lines carry no number."""
    lines = list(map(shown, step.echo.split("\n")))
    if step.number:
        return echo(step.number, "\n".join(lines))
    return echo(0, "\n".join(["", *lines]))[1:]


def shown(line: str) -> str:
    """A line without what a terminal would obey; tabs stay."""
    return "\t".join(map(visible, line.split("\t")))
