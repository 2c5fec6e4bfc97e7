"""BKO021: Running consumers keep the old BOTHRESH and BOQNAME."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate, Place
from mqtriage.definitions.rules.finding import Found, Founds, Severity
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """BKO021; the page beside this file says why."""
    for source in estate.commands:
        command = source.command
        if command.verb != "ALTER" or command.noun != "QLOCAL" or command.name is None:
            continue
        queue = estate.queues.get(command.name.text)
        if queue is None or not queue.sources or queue.sources[0].command.verb == "DEFINE":
            continue
        for keyword in ("BOTHRESH", "BOQNAME"):
            parameter = command.parameter(keyword)
            if parameter is not None:
                place = Place(source.file, parameter.line, parameter.column)
                message = f"running consumers keep the old {keyword} until they are restarted"
                yield Found(command.noun, queue.name, place, message)
                break


RULE = Rule("BKO021", Severity.INFO, "Running consumers keep the old BOTHRESH and BOQNAME", check)
