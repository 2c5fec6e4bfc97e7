"""PCF structures that programs send and our own commands never do, and all of a message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqtriage.mq import cmqcfc
from mqtriage.mq.pcf.messages import PcfParameter, members


def integer64(parameter: int, value: int) -> PcfParameter:
    """MQCFIN64."""
    return PcfParameter(cmqcfc.MQCFT_INTEGER64, parameter, value)


def integers64(parameter: int, values: Iterable[int]) -> PcfParameter:
    """MQCFIL64."""
    return PcfParameter(cmqcfc.MQCFT_INTEGER64_LIST, parameter, tuple(values))


def filter_of(parameter: int, operator: int, value: int | str | bytes) -> PcfParameter:
    """MQCFIF, MQCFSF or MQCFBF, by the kind of value."""
    kind = (
        cmqcfc.MQCFT_INTEGER_FILTER if isinstance(value, int)
        else cmqcfc.MQCFT_STRING_FILTER if isinstance(value, str)
        else cmqcfc.MQCFT_BYTE_STRING_FILTER
    )  # fmt: skip
    return PcfParameter(kind, parameter, value, 0, operator)


def all_parameters(parameters: Iterable[PcfParameter]) -> Iterator[PcfParameter]:
    """Every structure, those inside groups behind their MQCFGR, in the order of the data."""
    for parameter in parameters:
        yield parameter
        yield from all_parameters(members(parameter))
