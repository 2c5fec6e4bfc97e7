"""MQMDE, the message descriptor extension (72 bytes): the version 2 fields of an MQMD version 1.

Source: IBM MQ documentation, "MQMDE - Message descriptor extension".
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Final

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING, NO_ID
from mqtriage.mq.headers.layout import FixedHeader, Following, Layout
from mqtriage.records import dataclass

LAYOUT: Final = Layout("MQMDE")


@dataclass(frozen=True, slots=True)
class MDE(FixedHeader):
    """One extension: group, sequence number, segment offset, flags and original length.

    Attributes:
        encoding, ccsid, format: of the data after it.
        group_id: 24 bytes.
        offset, original_length: bytes; original_length -1 is MQOL_UNDEFINED.
    """

    layout: ClassVar = LAYOUT
    encoding: int = NATIVE_ENCODING
    ccsid: int = 0
    format: str = ""
    flags: int = 0
    group_id: bytes = NO_ID
    msg_seq_number: int = 1
    offset: int = 0
    msg_flags: int = 0
    original_length: int = -1
    version: int = field(default=2, kw_only=True)
    struc_length: int = LAYOUT.length

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


decode, encode = MDE.decode, MDE.encode


def extension_of(md: MQMD) -> MDE | None:
    """What an MQMD version 2 says that version 1 cannot; None where that is nothing."""
    fields = md.group_id, md.msg_seq_number, md.offset, md.msg_flags, md.original_length
    if fields == (NO_ID, 1, 0, 0, cmqc.MQOL_UNDEFINED):
        return None
    return MDE(md.encoding, md.ccsid, md.format, 0, *fields)
