"""MQDLH, the dead-letter header (172 bytes): why a message is on the dead-letter queue.

Source: IBM MQ documentation, "MQDLH - Dead-letter header".
"""

from __future__ import annotations

from typing import ClassVar, Final

from mqtriage.mq.code_names import name_of_dlh_reason
from mqtriage.mq.descriptor import NATIVE_ENCODING
from mqtriage.mq.headers.layout import FixedHeader, Following, Layout
from mqtriage.mq.times import put_rfc3339
from mqtriage.records import dataclass

LAYOUT: Final = Layout("MQDLH")


@dataclass(frozen=True, slots=True)
class DLH(FixedHeader):
    """One dead-letter header.

    Attributes:
        reason: MQRC_* or MQFB_* number: why it was put here.
        dest_q_name, dest_q_mgr_name: where the message should have gone.
        encoding, ccsid, format: of the data after this header.
        put_appl_type, put_appl_name: the program that put it on the dead-letter queue.
        put_date, put_time: when, ``YYYYMMDD`` and ``HHMMSSTH`` in UTC.
    """

    layout: ClassVar = LAYOUT
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

    @property
    def following(self) -> Following:
        """What the data after it is."""
        return Following(self.format, self.encoding, self.ccsid)

    @property
    def reason_name(self) -> str:
        return name_of_dlh_reason(self.reason)

    def fields(self) -> dict[str, object]:
        """Fields in their order in the structure; with the reason's name and an RFC 3339 time."""
        return {
            **LAYOUT.fields_of(self),
            "dlq_put_time": put_rfc3339(self.put_date, self.put_time),
            "reason_name": self.reason_name,
        }


decode, encode = DLH.decode, DLH.encode
