"""MQDLH, the dead-letter header (172 bytes): why a message is on the dead-letter queue.

Source: IBM MQ documentation, "MQDLH - Dead-letter header".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqtriage.mq.code_names import name_of_dlh_reason
from mqtriage.mq.constants import MQDLH_CURRENT_LENGTH
from mqtriage.mq.descriptor import NATIVE_ENCODING, ByteOrder
from mqtriage.mq.headers.layout import Damage, Following, Layout, too_short

LAYOUT: Final = Layout("MQDLH")
VERSIONS: Final = range(1, 2)


@dataclass(frozen=True, slots=True)
class DLH:
    """One dead-letter header.

    Attributes:
        reason: MQRC_* or MQFB_* number: why it was put here.
        dest_q_name, dest_q_mgr_name: where the message should have gone.
        encoding, ccsid, format: of the data after this header.
        put_appl_type, put_appl_name: the program that put it on the dead-letter queue.
        put_date, put_time: when, ``YYYYMMDD`` and ``HHMMSSTH`` in UTC.
        order, codec: how integers and characters are written.
        original: the bytes it was read from; `encode` keeps their paddings.
    """

    reason: int = 0
    dest_q_name: str = ""
    dest_q_mgr_name: str = ""
    encoding: int = NATIVE_ENCODING
    ccsid: int = 0
    format: str = ""
    put_appl_type: int = 0
    put_appl_name: str = ""
    put_date: str = ""
    put_time: str = ""
    version: int = 1
    order: ByteOrder = "<"
    codec: str = "latin-1"
    original: bytes = field(default=b"", repr=False, compare=False)

    @property
    def length(self) -> int:
        """Bytes in the message."""
        return MQDLH_CURRENT_LENGTH

    @property
    def following(self) -> Following:
        """What the data after it is."""
        return Following(self.format, self.encoding, self.ccsid)

    def fields(self) -> dict[str, object]:
        """Fields in their order in the structure; the reason with its name."""
        shown = LAYOUT.fields_of(self)
        shown["reason_name"] = reason_name(self.reason)
        return shown


def decode(
    data: bytes, start: int = 0, order: ByteOrder = "<", codec: str = "latin-1"
) -> DLH | Damage:
    """Read the header at *start*; a cut one is a Damage."""
    short = too_short(LAYOUT, data, start)
    if short is not None:
        return short
    version, *rest = LAYOUT.read(data, start, order, codec)
    original = bytes(data[start : start + MQDLH_CURRENT_LENGTH])
    return DLH(*[*rest, version, order, codec, original])


def encode(header: DLH) -> bytes:
    """The 172 bytes; a header that was read comes back byte for byte.

    Raises:
        UnicodeEncodeError: If a name does not exist in the header's code page.
    """
    return LAYOUT.encode(header)


def reason_name(reason: int) -> str:
    """Name an MQDLH.Reason: ``MQRC_Q_FULL``, or a feedback code such as 265, or the number."""
    return name_of_dlh_reason(reason)
