"""The order in which the parameters of a PCF command must come: those required first.

Which ones a command requires, and in which order, stands in required.tsv.
Source: IBM MQ documentation, "How the PCF definitions are shown": on Multiplatforms all required
parameters, in the order stated, and then the optional ones in any; on z/OS any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Final, TypeAlias

from mqtriage.mq import cmqcfc
from mqtriage.mq.name_table import numbers, rows
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf.given import PcfRefusal

Ranks: TypeAlias = Mapping[int, int]

_OPTIONAL: Final = 99


@cache
def required() -> Mapping[int, Ranks]:
    """MQCMD_* to the parameters that it requires, each with its place: 0 is the first.

    Two parameters at one place are alternatives.
    """
    number = numbers()
    ranks: dict[int, Ranks] = {}
    for commands, *cells in rows("pcf/required.tsv"):
        if not cells:
            continue
        places = [] if cells[0] == "-" else cells[0].split()
        of_row = {number[name]: at for at, group in enumerate(places) for name in group.split("|")}
        ranks |= {number[f"MQCMD_{command}"]: of_row for command in commands.split()}
    return ranks


def check_sequence(message: pcf.PCF) -> None:
    """Refuse a command with a required parameter behind one that is to come after it."""
    ranks = required().get(message.command, {})
    for before, item in pairwise(message.parameters):
        if _rank(item, ranks) < _rank(before, ranks):
            raise PcfRefusal(cmqcfc.MQRCCF_PARM_SEQUENCE_ERROR, item.parameter)


def _rank(item: pcf.PcfParameter, ranks: Ranks) -> int:
    return _OPTIONAL if item.type in pcf.FILTERS else ranks.get(item.parameter, _OPTIONAL)
