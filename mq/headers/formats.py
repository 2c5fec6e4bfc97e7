"""What is asked of every message: which Formats announce more than text or bytes, and where the
second lifetime of a transmission-queue message stands. Apart from the decoders, to be cheap.
"""

from __future__ import annotations

from typing import Final

DESCRIPTOR_OFFSET: Final = 104
"""Of the MQMD version 1 embedded in an MQXQH."""
EMBEDDED_EXPIRY_OFFSET: Final = DESCRIPTOR_OFFSET + 16
"""EX-60."""

DDH_FORMAT: Final = "MQHDDH"
"""MQMD.Format of a staged message in the emulator. Our choice: the real one is not published."""

RFH2_FORMAT: Final = "MQHRF2"
JMS_ENCODING: Final = 273
"""Of an MQRFH2 that JMS clients write, with CCSID 1208: big-endian integers (PM-63 to PM-65)."""

PCF_FORMATS: Final = frozenset({"MQADMIN", "MQEVENT", "MQPCF"})

HEADER_FORMATS: Final = PCF_FORMATS | {
    DDH_FORMAT,
    "MQCICS",
    "MQDEAD",
    "MQHDIST",
    "MQHEPCF",
    "MQHMDE",
    "MQHREF",
    "MQHRF",
    RFH2_FORMAT,
    "MQHWIH",
    "MQIMS",
    "MQTRIG",
    "MQXMIT",
}
"""Without trailing blanks, as `MQMD.format`. Data of any other Format needs no decoding."""
