"""MQMDE, the message descriptor extension (72 bytes): the version 2 fields of an MQMD version 1.

Source: IBM MQ documentation, "MQMDE - Message descriptor extension".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqtriage.mq.constants import MQMDE_CURRENT_LENGTH
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING, NO_ID, ByteOrder
from mqtriage.mq.headers.layout import Damage, Following, Layout, too_short

LAYOUT: Final = Layout("MQMDE")
VERSIONS: Final = range(2, 3)


@dataclass(frozen=True, slots=True)
class MDE:
    """One extension: group, sequence number, segment offset, flags and original length.

    Attributes:
        encoding, ccsid, format: of the data after it.
        group_id: 24 bytes.
        offset, original_length: bytes; original_length -1 is MQOL_UNDEFINED.
    """

    encoding: int = NATIVE_ENCODING
    ccsid: int = 0
    format: str = ""
    flags: int = 0
    group_id: bytes = NO_ID
    msg_seq_number: int = 1
    offset: int = 0
    msg_flags: int = 0
    original_length: int = -1
    version: int = 2
    struc_length: int = MQMDE_CURRENT_LENGTH
    order: ByteOrder = "<"
    codec: str = "latin-1"
    original: bytes = field(default=b"", repr=False, compare=False)

    @property
    def length(self) -> int:
        """Bytes in the message."""
        return MQMDE_CURRENT_LENGTH

    @property
    def following(self) -> Following:
        """What the data after it is."""
        return Following(self.format, self.encoding, self.ccsid)

    def onto(self, md: MQMD) -> MQMD:
        """The descriptor in front of it, with what it says of the data and the version 2 fields."""
        return md._replace(
            encoding=self.encoding,
            ccsid=self.ccsid,
            format=self.format,
            group_id=self.group_id,
            msg_seq_number=self.msg_seq_number,
            offset=self.offset,
            msg_flags=self.msg_flags,
            original_length=self.original_length,
        )

    def fields(self) -> dict[str, object]:
        """Fields in their order in the structure."""
        return LAYOUT.fields_of(self)


def decode(
    data: bytes, start: int = 0, order: ByteOrder = "<", codec: str = "latin-1"
) -> MDE | Damage:
    """Read the extension at *start*; a cut one or a wrong StrucLength is a Damage."""
    short = too_short(LAYOUT, data, start)
    if short is not None:
        return short
    version, struc_length, *rest = LAYOUT.read(data, start, order, codec)
    if struc_length != MQMDE_CURRENT_LENGTH:
        text = (
            f"MQMDE at offset {start}: StrucLength {struc_length}, expected {MQMDE_CURRENT_LENGTH}"
        )
        return Damage(start, text)
    original = bytes(data[start : start + MQMDE_CURRENT_LENGTH])
    return MDE(*[*rest, version, struc_length, order, codec, original])


def encode(header: MDE) -> bytes:
    """The 72 bytes; an extension that was read comes back byte for byte."""
    return LAYOUT.encode(header)
