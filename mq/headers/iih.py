"""MQIIH, the IMS information header (84 bytes) in front of a message for the IMS bridge.

MQIIH_PASS_EXPIRATION in Flags passes the remaining lifetime on to the reply.
Source: IBM MQ documentation, "MQIIH - IMS information header"; its Encoding and CodedCharSetId are
reserved there, so the data after it is in those of the data the header stands in.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Final

from mqtriage.mq import cmqc
from mqtriage.mq.headers.layout import FixedHeader, Following, Layout
from mqtriage.records import dataclass

LAYOUT: Final = Layout("MQIIH", as_bytes="Authenticator")

_FLAG_NAMES: Final = {
    cmqc.MQIIH_PASS_EXPIRATION: "MQIIH_PASS_EXPIRATION",
    8: "MQIIH_REPLY_FORMAT_NONE",
    16: "MQIIH_IGNORE_PURG",
    32: "MQIIH_CM0_REQUEST_RESPONSE",
}


@dataclass(frozen=True, slots=True)
class IIH(FixedHeader):
    """One IMS information header.

    Attributes:
        format: of the data after it.
        flags: MQIIH_* bits.
        authenticator: 8 bytes: a password or PassTicket; never shown.
        tran_instance_id: 16 bytes.
    """

    layout: ClassVar = LAYOUT
    encoding: int = 0
    ccsid: int = 0
    format: str = ""
    flags: int = 0
    lterm_override: str = ""
    mfs_map_name: str = ""
    reply_to_format: str = ""
    authenticator: bytes = field(default=b" " * 8, repr=False)
    tran_instance_id: bytes = bytes(16)
    tran_state: str = ""
    commit_mode: str = "0"
    security_scope: str = "C"
    reserved: str = ""
    struc_length: int = LAYOUT.length

    @property
    def following(self) -> Following:
        """What the data after it is: Encoding and CCSID are those the header stands in."""
        return Following(self.format, 0, cmqc.MQCCSI_INHERIT)

    def fields(self) -> dict[str, object]:
        """Fields in their order in the structure, flags with their names, no password."""
        shown = LAYOUT.fields_of(self)
        shown["flag_names"] = flag_names(self.flags)
        shown["authenticator"] = "" if not self.authenticator.strip(b" \0\x40") else "(not shown)"
        return shown


def flag_names(flags: int) -> list[str]:
    """MQIIH_* names of the bits in *flags*; unknown bits as hex."""
    names = [name for bit, name in _FLAG_NAMES.items() if flags & bit]
    unknown = flags & 0xFFFFFFFF & ~sum(_FLAG_NAMES)
    return [*names, f"{unknown:#010x}"] if unknown else names


decode, encode = IIH.decode, IIH.encode
