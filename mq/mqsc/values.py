"""Turn the parameters of a DEFINE or ALTER into values of the program's own vocabulary."""

from __future__ import annotations

from mqtriage.mq.attributes.catalogue import (
    COMMAND_KEYWORDS,
    AttributeValue,
    ValueKind,
    attribute,
    parse_value,
)
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.tree import Command


def attributes_given(command: Command) -> dict[str, AttributeValue]:
    """MQSC keyword to value for each attribute that the command names.

    NOSHARE is SHARE "NO", TARGQ is TARGET; REPLACE, LIKE and their kin are left out.

    Raises:
        UsageError: The command is wrong, or a keyword or value is; the text says which.
    """
    if command.error is not None:
        raise UsageError(str(command.error))
    values: dict[str, AttributeValue] = {}
    for parameter in command.parameters:
        entry = attribute(command.noun, parameter.keyword)
        if entry is None:
            if command.verb in COMMAND_KEYWORDS.get(parameter.keyword, ()):
                continue
            raise UsageError(f"{parameter.keyword} is not an attribute of {command.noun}")
        if entry.read_only:
            raise UsageError(f"{parameter.keyword} is shown by DISPLAY and cannot be set")
        if entry.kind is ValueKind.FLAG:
            if parameter.values is not None:
                switch = entry.keyword
                msg = f"{parameter.keyword} takes no value: write {switch} or NO{switch}"
                raise UsageError(msg)
            values[entry.keyword] = "YES" if parameter.keyword == entry.keyword else "NO"
            continue
        if parameter.values is None:
            raise UsageError(f"{parameter.keyword} needs a value in parentheses")
        values[entry.keyword] = parse_value(entry, parameter.text)
    return values
