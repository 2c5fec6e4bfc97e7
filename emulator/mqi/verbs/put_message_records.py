"""MQPMRs: what an MQPMO says of single destinations of a distribution list.

An MQPMR has no fixed layout: it holds the fields that MQPMO.PutMsgRecFields names, in one order.
Source: IBM MQ documentation, "MQPMR - Put-message record", "MQPMO", reason codes 2154 to 2159.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Any, Final

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.structures import Value

_INT: Final = Struct("<i")
_IDS: Final = frozenset({"msg_id", "correl_id", "group_id"})
_FIELDS: Final = {
    cmqc.MQPMRF_MSG_ID: ("msg_id", 24),
    cmqc.MQPMRF_CORREL_ID: ("correl_id", 24),
    cmqc.MQPMRF_GROUP_ID: ("group_id", 24),
    cmqc.MQPMRF_FEEDBACK: ("feedback", 4),
    cmqc.MQPMRF_ACCOUNTING_TOKEN: ("accounting_token", 32),
}
"""MQPMRF_* to the field of an MQMD that it stands for, in the order of an MQPMR, and its bytes."""


class PutMessageRecords:
    """The MQPMRs of one put.

    Attributes:
        data: as they go back: with the ids of the messages that were put.
    """

    def __init__(self, fields: Mapping[str, Value], data: bytes) -> None:
        """Take the MQPMRs that come with an MQPMO.

        Args:
            data: the records; empty where there are none, or where its pointer and offset are
                both set, so that it is not known where they are.

        Raises:
            MQIError: 2154, 2156, 2158, 2159.
        """
        self._present = _checked(fields, data)
        self._fields = [field for bit, field in _FIELDS.items() if self._present & bit]
        self._length = _length(self._present)
        self._given = data
        self.data = bytearray(data)

    @property
    def has_accounting_token(self) -> bool:
        return bool(self._present & cmqc.MQPMRF_ACCOUNTING_TOKEN)

    def _place(self, at: int) -> slice | None:
        """Where the record of the destination of that index is; there may be too few."""
        end = self._length * (at + 1)
        return slice(end - self._length, end) if 0 < end <= len(self._given) else None

    def applied(self, md: MQMD, at: int) -> MQMD:
        """The descriptor for the destination of that index."""
        place = self._place(at)
        if place is None:
            return md
        values: dict[str, Any] = {"version": 2} if self._present & cmqc.MQPMRF_GROUP_ID else {}
        begin = place.start
        for name, length in self._fields:
            piece = self._given[begin : begin + length]
            values[name] = _INT.unpack(piece)[0] if length == _INT.size else piece
            begin += length
        return md._replace(**values)

    def put(self, md: MQMD, at: int) -> None:
        """Take the ids of the message that was put; the other fields are input alone."""
        place = self._place(at)
        begin = 0 if place is None else place.start
        for name, length in self._fields if place is not None else ():
            if name in _IDS:
                self.data[begin : begin + length] = getattr(md, name)
            begin += length


def _checked(fields: Mapping[str, Value], data: bytes) -> int:
    """MQPMRF_* of the records that there are; 0 for none."""
    count, present = int(fields["RecsPresent"]), int(fields["PutMsgRecFields"])
    come = bool(fields["PutMsgRecOffset"] or fields["PutMsgRecPtr"])
    reason = 0
    if count < 0:
        reason = cmqc.MQRC_RECS_PRESENT_ERROR
    elif count and fields["ResponseRecOffset"] and fields["ResponseRecPtr"]:
        reason = cmqc.MQRC_RESPONSE_RECORDS_ERROR
    elif count and come and _are_wrong(present, int(fields["Options"])):
        reason = cmqc.MQRC_PMO_RECORD_FLAGS_ERROR
    elif count and come and len(data) != count * _length(present):
        reason = cmqc.MQRC_PUT_MSG_RECORDS_ERROR
    if reason:
        raise mqi_error(reason, "put", detail="records of the MQPMO")
    return present if count and come else 0


def _are_wrong(present: int, options: int) -> bool:
    """Whether there can be no record of such fields."""
    sets_context = options & (cmqc.MQPMO_SET_IDENTITY_CONTEXT | cmqc.MQPMO_SET_ALL_CONTEXT)
    known = 0 < present <= sum(_FIELDS)
    return not known or bool(present & cmqc.MQPMRF_ACCOUNTING_TOKEN and not sets_context)


def _length(present: int) -> int:
    """Bytes of one record."""
    return sum(length for bit, (_, length) in _FIELDS.items() if present & bit)
