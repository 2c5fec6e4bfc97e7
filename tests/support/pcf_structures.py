"""PCF structures that programs send and our own commands never do."""

from __future__ import annotations

from collections.abc import Iterable

from mqtriage.mq.constants import (
    MQCFT_BYTE_STRING_FILTER,
    MQCFT_INTEGER64,
    MQCFT_INTEGER64_LIST,
    MQCFT_INTEGER_FILTER,
    MQCFT_STRING_FILTER,
)
from mqtriage.mq.pcf.messages import Parameter


def integer64(parameter: int, value: int) -> Parameter:
    """MQCFIN64."""
    return Parameter(MQCFT_INTEGER64, parameter, value)


def integers64(parameter: int, values: Iterable[int]) -> Parameter:
    """MQCFIL64."""
    return Parameter(MQCFT_INTEGER64_LIST, parameter, tuple(values))


def filter_of(parameter: int, operator: int, value: int | str | bytes) -> Parameter:
    """MQCFIF, MQCFSF or MQCFBF, by the kind of value."""
    kind = (
        MQCFT_INTEGER_FILTER if isinstance(value, int)
        else MQCFT_STRING_FILTER if isinstance(value, str)
        else MQCFT_BYTE_STRING_FILTER
    )  # fmt: skip
    return Parameter(kind, parameter, value, 0, operator)
