"""What a number in a PCF message is called: a parameter or a command."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from mqtriage.mq import cmqcfc
from mqtriage.mq.name_table import family

_SELECTORS: Final = (
    "MQIA_", "MQIACF_", "MQIACH_", "MQIAMO_", "MQCA_", "MQCACF_", "MQCACH_", "MQCAMO_",
    "MQBACF_", "MQGACF_",
)  # fmt: skip
_64_BIT: Final = (cmqcfc.MQCFT_INTEGER64, cmqcfc.MQCFT_INTEGER64_LIST)
_RANGES: Final = ("FIRST", "LAST", "LAST_USED")


def name_of_parameter(selector: int, structure: int = 0) -> str:
    """MQIA_*, MQCACF_* ... of a parameter id; "" for one that is not known.

    Args:
        structure: MQCFT_*: some ids mean another thing in a 64-bit structure.
    """
    name = _by_number("MQIAMO64_").get(selector, "") if structure in _64_BIT else ""
    return name or _selectors().get(selector, "")


def name_of_command(command: int) -> str:
    """MQCMD_* of a command number; "" for one that is not known."""
    return _by_number("MQCMD_").get(command, "")


@cache
def _by_number(prefix: str) -> Mapping[int, str]:
    return {number: name for name, number in family(prefix).items()}


@cache
def _selectors() -> Mapping[int, str]:
    names: dict[int, str] = {}
    for prefix in _SELECTORS:
        known = family(prefix)
        # MQIAMO_MONITOR_KB (1024) is a unit: selectors lie in the range of their family
        first = known[f"{prefix}FIRST"]
        last = known.get(f"{prefix}LAST", known[f"{prefix}LAST_USED"])
        for name, number in known.items():
            if first <= number <= last and name.removeprefix(prefix) not in _RANGES:
                names.setdefault(number, name)
    return names
