"""What `mqtriage` alone says: where to start, from what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mqtriage.cli.frame.context import AppContext

_NEW = """\
mqtriage sees, moves and checks delayed, poison and expired messages on IBM MQ.

A queue manager to play with, in one file, with trouble in it:
  mqtriage emulator create DEMO --sample
  mqtriage queue ls
  mqtriage backout ls --problems

A queue manager of your own:
  mqtriage context add NAME --backend mq -m QM1 --connection 'host(1414)' --channel CHANNEL --use
  mqtriage doctor

Definitions in files, checked without a queue manager:
  mqtriage lint *.mqsc
"""

_KNOWN = """\
mqtriage sees, moves and checks delayed, poison and expired messages on IBM MQ.

{what}
  mqtriage top                      the queues, live
  mqtriage delay status             delayed messages: how many, how late
  mqtriage backout ls --problems    poison handling that is off or broken
  mqtriage expiry status            what expired and still counts
  mqtriage dlq causes               why messages are dead
"""

_END = """
Examples: mqtriage cheat. All commands: mqtriage --help.
{commands}
"""


def welcome(app: AppContext) -> str:
    """The text; nothing is opened for it."""
    from mqtriage.emulator.core.file.home import qmgr_names
    from mqtriage.mq.errors import MQTriageError

    try:
        choice = app.context_choice()
        names = qmgr_names(app.home())
    except (MQTriageError, OSError):
        return _NEW + _end()  # a broken settings file is told by the command that needs it
    if choice is not None:
        return _KNOWN.format(what=f"Context {choice.name} is in use:") + _end()
    if len(names) == 1:
        return _KNOWN.format(what=f"{names[0]} is the one emulated queue manager:") + _end()
    if names:
        there = ", ".join(names[:5])
        return (
            _KNOWN.format(what=f"Emulated queue managers: {there}; choose with -m NAME:") + _end()
        )
    return _NEW + _end()


def _end() -> str:
    import textwrap

    from mqtriage.cli.frame.tree import COMMANDS, GROUPS

    commands = textwrap.wrap(" ".join((*GROUPS, *COMMANDS)), 78)
    return _END.format(commands="\n".join(f"  {line}" for line in commands))
