"""What `mqtriage emulator serve` prepares: queue managers that do not exist yet, and MQSC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from mqtriage.commands.emulator.admin import Notice, connected, create
from mqtriage.commands.qmgr.mqsc_run import Counts, ScriptStep, steps
from mqtriage.emulator.core.file import home
from mqtriage.emulator.remove import remove
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq import cmqcfc
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.mqsc.reply import CommandEnding
from mqtriage.mq.mqsc.tree import Script
from mqtriage.mq.names import nearest


@contextmanager
def existing_or_created(folder: Path, names: Sequence[str]) -> Iterator[list[str]]:
    """Create the queue managers that do not exist; an error deletes them again.

    Returns:
        A sentence for each that was created: how to delete it, and an existing one with a name like
        it, since the name may be a typing error.

    Raises:
        UsageError: A name that no queue manager can have.
        StorageError: The file cannot be made.
    """
    existing = home.qmgr_names(folder)
    missing = [name for name in dict.fromkeys(names) if name not in existing]
    created: list[str] = []
    try:
        for name in missing:
            create(folder, name)
            created.append(name)
        yield [_created(name, nearest(name, existing)) for name in created]
    except BaseException:
        for name in created:
            with suppress(MQTriageError):  # a program has connected already
                remove(folder, name)
        raise


def _created(name: str, near: str | None) -> str:
    word = shell_word(name)
    meant = f" (did you mean {near}?)" if near else ""
    return (
        f"{name} did not exist, so it was created{meant};"
        f" mqtriage emulator rm {word} --confirm {word} deletes it"
    )


def check_scripts(folder: Path, name: str, scripts: Sequence[Script], warn: Notice) -> None:
    """Check the syntax for a queue manager, with a warning for each command that is wrong.

    Raises:
        MQTriageError: A command has a syntax error.
        ConnectionFailed: The queue manager is stopped (2059).
    """
    counts = Counts()
    with connected(folder, name) as backend:
        taken = steps(scripts, backend.check_mqsc, counts)
        problems = [problem for step in taken if (problem := _problem(step, is_checked=True))]
    for problem in problems[1:]:
        warn(problem)
    if problems:
        wrong = f"{len(problems)} of {count_text(counts.read, 'MQSC command')}"
        raise MQTriageError(f"{problems[0]} ({wrong} wrong: none was run, nothing is served)")


def run_scripts(folder: Path, name: str, scripts: Sequence[Script], warn: Notice) -> str:
    """Run MQSC, with a warning for each command that failed: these do not stop the others.

    A queue manager of IBM's starts likewise: "the command appears as a failure on the second queue
    manager start, as the object already exists".

    Returns:
        How many commands were run.

    Source: IBM MQ documentation, "Automatic configuration from an MQSC script at startup".
    """
    counts, failures = Counts(), 0
    with connected(folder, name) as backend:
        for step in steps(scripts, backend.run_mqsc, counts):
            if problem := _problem(step):
                warn(problem)
                failures += 1
    failed = f", {failures} failed" if failures else ""
    return f"{name}: ran {count_text(counts.read, 'MQSC command')}{failed}"


def _problem(step: ScriptStep, *, is_checked: bool = False) -> str:
    """Why a command was not carried out; "" for one that was, and for a step without a command.

    Args:
        is_checked: none was run yet: what is not emulated is reported when it is its turn.
    """
    command, reply = step.command, step.reply
    if command is None or reply is None or reply.ending is CommandEnding.DONE:
        return ""
    if is_checked and reply.ending is CommandEnding.NOT_EMULATED:
        return ""
    if reply.reason == cmqcfc.MQRCCF_LISTENER_RUNNING:
        return ""  # what a script for a real queue manager starts is the port that is served
    if reply.why:
        return reply.why
    name = f"({command.name.text})" if command.name else ""
    return f"{command.verb} {command.noun}{name}: {reply.problem}"
