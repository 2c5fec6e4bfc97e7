"""Headers that are stepped over but not taken apart: MQRFH, MQCIH, MQDH, MQEPH, MQRMH, MQWIH.

All begin as MQRFH2 does: StrucId, Version, StrucLength, Encoding, CodedCharSetId, Format, Flags.
That is shown, with the rest as bytes, and the chain goes on after StrucLength.
Source: the pages of these structures in the IBM MQ documentation.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import ByteOrder
from mqtriage.mq.headers.layout import Damage, Following, Layout, too_short, wrong_length
from mqtriage.records import dataclass

COMMON: Final = 5
"""Fields behind Version that all of them have."""
RFH: Final = Layout("MQRFH", count=COMMON)


@dataclass(frozen=True, slots=True)
class Other:
    """One such header.

    Attributes:
        encoding, ccsid, format: of the data after it.
        rest: bytes between Flags and the end of the structure.
    """

    name: str
    version: int
    struc_length: int
    encoding: int
    ccsid: int
    format: str
    flags: int
    rest: bytes

    @property
    def length(self) -> int:
        """Bytes in the message."""
        return self.struc_length

    @property
    def following(self) -> Following:
        """What the data after it is; 0, as in an MQCIH, leaves it as it was in front."""
        return Following(self.format, self.encoding, self.ccsid or cmqc.MQCCSI_INHERIT)

    def fields(self) -> dict[str, object]:
        """Fields in their order in the structure."""
        return {field.name: getattr(self, field.name) for field in fields(self)[1:]}


def decode(layout: Layout, data: bytes, start: int, order: ByteOrder, codec: str) -> Other | Damage:
    """Read the common part at *start*; a StrucLength that cannot be is a Damage."""
    short = too_short(layout, data, start)
    if short is not None:
        return short
    values = layout.read(data, start, order, codec)
    struc_length = values[1]
    wrong = wrong_length(layout, struc_length, data, start)
    if wrong is not None:
        return wrong
    rest = bytes(data[start + layout.length : start + struc_length])
    return Other(layout.name, *[*values, rest])
