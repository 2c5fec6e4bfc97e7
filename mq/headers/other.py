"""Headers that are stepped over but not taken apart: MQRFH, MQCIH, MQDH, MQEPH, MQRMH, MQWIH.

All begin as MQRFH2 does: StrucId, Version, StrucLength, Encoding, CodedCharSetId, Format, Flags.
That is shown, with the rest as bytes, and the chain goes on after StrucLength.
Source: the pages of these structures in the IBM MQ documentation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqtriage.mq.constants import MQCCSI_INHERIT
from mqtriage.mq.descriptor import ByteOrder
from mqtriage.mq.headers.layout import Damage, Following, Layout

LENGTH: Final = 32
_COMMON: Final = 5
"""Fields behind Version that all of them have."""

RFH, CIH, DH, EPH, RMH, WIH = (
    Layout(name, count=_COMMON) for name in ("MQRFH", "MQCIH", "MQDH", "MQEPH", "MQRMH", "MQWIH")
)
VERSIONS: Final = range(1, 3)


@dataclass(frozen=True, slots=True)
class Other:
    """One such header.

    Attributes:
        name: of the structure.
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
        return Following(self.format, self.encoding, self.ccsid or MQCCSI_INHERIT)

    def fields(self) -> dict[str, object]:
        """Fields in their order in the structure."""
        return {
            "version": self.version,
            "struc_length": self.struc_length,
            "encoding": self.encoding,
            "ccsid": self.ccsid,
            "format": self.format,
            "flags": self.flags,
            "rest": self.rest,
        }


def decode(layout: Layout, data: bytes, start: int, order: ByteOrder, codec: str) -> Other | Damage:
    """Read the common part at *start*; a StrucLength that cannot be is a Damage."""
    remaining = len(data) - start
    if remaining < LENGTH:
        return Damage(
            start, f"{layout.name} at offset {start}: {LENGTH} bytes needed, {remaining} left"
        )
    values = layout.read(data, start, order, codec)
    struc_length = values[1]
    if struc_length > remaining:
        text = f"StrucLength {struc_length} exceeds the {remaining} bytes left"
        return Damage(start, f"{layout.name} at offset {start}: {text}")
    if struc_length < LENGTH:
        text = f"StrucLength {struc_length} is below its fixed {LENGTH} bytes"
        return Damage(start, f"{layout.name} at offset {start}: {text}")
    rest = bytes(data[start + LENGTH : start + struc_length])
    return Other(layout.name, *[*values, rest])
