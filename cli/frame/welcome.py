"""What `mqtriage` alone says: where to start, from what is there."""

from __future__ import annotations

import textwrap
from contextlib import suppress

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.emulator.core.file.home import qmgr_names
from mqtriage.model.units import first_of
from mqtriage.mq.errors import MQTriageError

_NEW = """\
mqtriage finds, moves and checks delayed, poison and expired messages on IBM MQ.

An emulated queue manager with sample problems:
  mqtriage emulator create DEMO --sample
  mqtriage queue ls
  mqtriage backout ls --problems

Your own queue manager:
  mqtriage context add NAME --backend mq -m QM1 --connection 'host(1414)' --channel CHANNEL --use
  mqtriage doctor

Definitions in files, checked without a queue manager:
  mqtriage lint *.mqsc
"""

_KNOWN = """\
mqtriage finds, moves and checks delayed, poison and expired messages on IBM MQ.

{what}
  mqtriage top                      live view of the queues
  mqtriage check queue 'NAME.*'     which of these queues fill up, or are disabled
  mqtriage delay status             delayed messages: how many, how late
  mqtriage backout ls --problems    queues whose poison handling does not work
  mqtriage expiry status            expired messages that still count
  mqtriage dlq causes               why messages were dead-lettered
"""

_END = """
Examples: mqtriage cheat. All commands: mqtriage --help.
{commands}
"""


def welcome(app: AppContext) -> str:
    """The text; nothing is opened for it."""
    what = ""
    with suppress(MQTriageError, OSError):  # who needs broken settings says what is wrong
        choice, names = app.target.context_choice(), qmgr_names(app.target.home())
        if choice is not None:
            what = f"Context {choice.name} is in use:"
        elif len(names) == 1:
            what = f"{names[0]} is the only emulated queue manager:"
        elif names:
            what = f"Emulated queue managers: {', '.join(first_of(names, 5))}; choose with -m NAME:"
    start = _KNOWN.format(what=what) if what else _NEW
    commands = textwrap.wrap(" ".join((*GROUPS, *COMMANDS)), 78)
    return start + _END.format(commands="\n".join(f"  {line}" for line in commands))
