"""Turn the parameters of a DEFINE or ALTER into values of the program's own vocabulary."""

from __future__ import annotations

from mqtriage.mq.attributes import catalogue
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.tree import Command


def attributes_given(command: Command) -> dict[str, catalogue.AttributeValue]:
    """MQSC keyword to value for each attribute that the command names.

    NOSHARE is SHARE "NO", TARGQ is TARGET; REPLACE, LIKE and their kin are left out.

    Raises:
        UsageError: The command is wrong, or a keyword or value is; the text says which.
    """
    if command.error is not None:
        raise UsageError(str(command.error))
    values: dict[str, catalogue.AttributeValue] = {}
    for parameter in command.parameters:
        entry = catalogue.attribute(command.noun, parameter.keyword)
        if entry is None:
            if command.verb in catalogue.COMMAND_KEYWORDS.get(parameter.keyword, ()):
                continue
            raise UsageError(f"{parameter.keyword} is not an attribute of {command.noun}")
        if entry.read_only:
            raise UsageError(f"{parameter.keyword} is shown by DISPLAY and cannot be set")
        if entry.kind is catalogue.ValueKind.FLAG:
            if parameter.values is not None:
                switch = entry.keyword
                msg = f"{parameter.keyword} takes no value: write {switch} or NO{switch}"
                raise UsageError(msg)
            values[entry.keyword] = "YES" if parameter.keyword == entry.keyword else "NO"
            continue
        if parameter.values is None:
            raise UsageError(f"{parameter.keyword} needs a value in parentheses")
        values[entry.keyword] = catalogue.parse_value(entry, parameter.text)
    return values
