"""PCF messages (commands, replies, events, statistics): recognised, named and counted.

An MQCFH (36 bytes) and then parameter structures, each with its Type and StrucLength.
Source: IBM MQ documentation, "Structures for commands and responses".
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple

from mqtriage.mq.descriptor import ByteOrder
from mqtriage.mq.headers.layout import integer

MQCFH_LENGTH: Final = 36
_TYPES: Final = frozenset({1, 2, 7, 8, 10, 12, 16, 17, 18, 19, 21, 22, 26, 27})
_HEADER: Final[dict[ByteOrder, Struct]] = {"<": Struct("<9i"), ">": Struct(">9i")}

MQCFGR: Final = 20


class Parameter(NamedTuple):
    """One parameter structure: Type (MQCFT_*), Parameter (the selector), place and length."""

    type: int
    parameter: int
    offset: int
    length: int


class PCF(NamedTuple):
    """An MQCFH and what follows it.

    Attributes:
        type: MQCFT_*: 1 command, 2 response, 7 event, 21 statistics ...
        parameter_count: top-level structures, as the header says.
        parameters: every structure, those inside groups (MQCFGR) among them, in order.
        length: bytes of the message data.
        wrong: why the parameters could not be walked to the end, else ``""``.
    """

    type: int
    version: int
    command: int
    msg_seq_number: int
    control: int
    comp_code: int
    reason: int
    parameter_count: int
    parameters: tuple[Parameter, ...]
    order: ByteOrder
    length: int
    wrong: str

    def describe(self) -> str:
        """``PCF, type 7, 284 bytes``."""
        return f"PCF, type {self.type}, {self.length} bytes"


def recognise(data: bytes, start: int = 0) -> PCF | None:
    """Read the PCF message at *start*, in either byte order; None when its shape is not PCF."""
    if len(data) - start < MQCFH_LENGTH:
        return None
    for order in _HEADER:
        kind, length, version, *rest = _HEADER[order].unpack_from(data, start)
        if kind in _TYPES and length == MQCFH_LENGTH and 1 <= version <= 3:
            parameters, wrong = _parameters(data, start + MQCFH_LENGTH, order)
            total = len(data) - start
            return PCF(*[kind, version, *rest, parameters, order, total, wrong])
    return None


def _parameters(data: bytes, start: int, order: ByteOrder) -> tuple[tuple[Parameter, ...], str]:
    found: list[Parameter] = []
    at, end = start, len(data)
    while at < end:
        if end - at < 12:
            return tuple(found), f"{end - at} bytes at offset {at} are no PCF structure"
        kind = integer(data[at : at + 4], order)
        length = integer(data[at + 4 : at + 8], order)
        if not 12 <= length <= end - at:
            said = f"PCF structure at offset {at}: StrucLength {length}, {end - at} bytes left"
            return tuple(found), said
        found.append(Parameter(kind, integer(data[at + 8 : at + 12], order), at, length))
        at += length
    return tuple(found), ""
