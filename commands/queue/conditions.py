"""The conditions of `queue ls --where`: those of WHERE in MQSC, with signs and AND as well."""

from __future__ import annotations

import re
from typing import Final

from mqtriage.model.units import parse_percent
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import attribute
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.where import Filter, filter_of

PERCENT_FULL: Final = "PERCENT_FULL"
_OTHER_NAMES: Final = {
    **dict.fromkeys(("%FULL", "FULL", "PERCENT", "PCT_FULL"), PERCENT_FULL),
    "DEPTH": "CURDEPTH", "MAXMSGL_BYTES": "MAXMSGL", "DESCRIPTION": "DESCR",
}  # fmt: skip
_NAMES: Final = ("QUEUE", "TYPE")
_SIGNS: Final = {
    "<": "LT", ">": "GT", "=": "EQ", "==": "EQ", "<>": "NE", "!=": "NE", "<=": "LE", ">=": "GE",
}  # fmt: skip
_CONDITION: Final = re.compile(
    r"""\s*+ (?P<keyword>%?\w++) \s*+ (?P<operator>[<>=!]{1,2}|\b[a-z]+\b) \s*+
        (?P<value>'(?:[^']|'')*+'|[^'\s<>=!()]++) \s*+ (?P<more>and\b|\Z)""",
    re.IGNORECASE | re.VERBOSE,
)


def read_conditions(text: str) -> tuple[Filter, ...]:
    """Read ``CURDEPTH GT 0`` or ``curdepth > 0 and percent_full >= 70``: all of them hold.

    Values are compared as they are written: names without quotes are not folded to upper case.

    Returns:
        Filters, that of PERCENT_FULL in tenths of a percent.

    Raises:
        UsageError: Not conditions with AND between them, no such attribute, operator or value.
    """
    filters = []
    position, more = 0, "and"
    while more:
        match = _CONDITION.match(text, position)
        if match is None:
            raise UsageError(
                f"--where: {text[position:].strip()[:40]!r} is not a condition on queues,"
                " or several joined by AND",
                hint="--where 'CURDEPTH GT 0', or --where \"curdepth > 0 and put = DISABLED\"",
            )
        keyword, operator, value, more = match.group("keyword", "operator", "value", "more")
        filters.append(_filter(keyword.upper(), operator.upper(), value))
        position = match.end()
    return tuple(filters)


def _filter(keyword: str, operator: str, value: str) -> Filter:
    keyword, operator = _OTHER_NAMES.get(keyword, keyword), _SIGNS.get(operator, operator)
    if value.startswith("'"):
        value = value[1:-1].replace("''", "'")
    if keyword == "CURDEPTH" and value.endswith("%"):
        keyword = PERCENT_FULL
    if keyword != PERCENT_FULL:
        if keyword not in _NAMES and not any(attribute(kind, keyword) for kind in QUEUE_KINDS):
            raise UsageError(
                f"--where: {keyword[:40]} is not an attribute of queues",
                hint="it takes DISPLAY QUEUE attributes and percent_full; for messages: "
                "mqtriage msg count 'ORDERS.*' --where CONDITION",
            )
        return filter_of(keyword, operator, value, QUEUE_KINDS)
    tenths = round(10 * parse_percent(value, what="--where"))
    if operator not in _SIGNS.values():
        raise UsageError(f"--where: percent_full is a number, not compared with {operator[:20]}")
    return Filter(PERCENT_FULL, operator, str(tenths))
