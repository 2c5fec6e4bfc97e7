"""MQXQH, the transmission-queue header (428 bytes), with the MQMD version 1 embedded in it.

A message on a transmission queue has two lifetimes: `MQMD.Expiry` of its own descriptor, and that
of the embedded one, at offset 104 + 16 (EX-50, EX-60).
Source: IBM MQ documentation, "MQXQH - Transmission-queue header".
"""

from __future__ import annotations

from typing import ClassVar, Final, Self

from mqtriage.mq import descriptor
from mqtriage.mq.ccsid import FALLBACK_ASCII, FALLBACK_EBCDIC
from mqtriage.mq.descriptor import MQMD, ByteOrder
from mqtriage.mq.headers.formats import DESCRIPTOR_OFFSET
from mqtriage.mq.headers.layout import Damage, FixedHeader, Following, Layout, too_short
from mqtriage.records import dataclass

LAYOUT: Final = Layout("MQXQH")

_NO_DESCRIPTOR: Final = MQMD(version=1)
_ONE: Final[dict[ByteOrder, bytes]] = {"<": b"\1\0\0\0", ">": b"\0\0\0\1"}


@dataclass(frozen=True, slots=True)
class XQH(FixedHeader):
    """One transmission-queue header.

    Attributes:
        remote_q_name, remote_q_mgr_name: where the message goes.
        message_descriptor: the application's MQMD, version 1; version 2 fields travel in an MQMDE.
        damages: what is wrong with the embedded descriptor.
    """

    layout: ClassVar = LAYOUT
    remote_q_name: str = ""
    remote_q_mgr_name: str = ""
    message_descriptor: MQMD = _NO_DESCRIPTOR
    damages: tuple[Damage, ...] = ()

    @property
    def following(self) -> Following:
        """What the data after it is, as the embedded descriptor says."""
        inner = self.message_descriptor
        return Following(inner.format, inner.encoding, inner.ccsid)

    @classmethod
    def decode(
        cls, data: bytes, start: int = 0, order: ByteOrder = "<", codec: str = "latin-1"
    ) -> Self | Damage:
        """Read the header at *start*; a cut one is a Damage, so is a wrong embedded descriptor."""
        short = too_short(LAYOUT, data, start)
        if short is not None:
            return short
        version, queue, queue_manager, raw = LAYOUT.read(data, start, order, codec)
        inner, damages = _embedded(raw, start + DESCRIPTOR_OFFSET, order, codec)
        original = bytes(data[start : start + LAYOUT.length])
        return cls(
            queue, queue_manager, inner, damages,
            version=version, order=order, codec=codec, original=original,
        )  # fmt: skip

    def encode(self) -> bytes:
        """The 428 bytes; a header that was read comes back byte for byte.

        Raises:
            UnicodeEncodeError: If a name does not exist in the header's code page.
        """
        inner = self.message_descriptor
        raw = self.original[DESCRIPTOR_OFFSET : LAYOUT.length]
        if not raw or _embedded(raw, 0, self.order, self.codec)[0] != inner:
            raw = _packed(inner._replace(version=1), self.order, self.codec)
        values = (self.version, self.remote_q_name, self.remote_q_mgr_name, raw)
        return LAYOUT.write(values, self.order, self.codec, self.original)


decode, encode = XQH.decode, XQH.encode


def _embedded(
    raw: bytes, offset: int, order: ByteOrder, codec: str
) -> tuple[MQMD, tuple[Damage, ...]]:
    damages: list[Damage] = []
    if raw[:4] != "MD  ".encode(codec):
        damages.append(Damage(offset, f"embedded MQMD at offset {offset}: StrucId is {raw[:4]!r}"))
    version = descriptor.integer(raw[4:8], order)
    if version != 1:
        text = f"embedded MQMD at offset {offset}: Version {version}, expected 1"
        damages.append(Damage(offset, text))
    # Always version 1 (324 bytes) whatever the field says: what follows is no longer the MQXQH.
    first = raw[:4] + _ONE[order] + raw[8:]
    try:
        inner = descriptor.unpack(first, 0, order, codec)
    except UnicodeDecodeError:
        inner = descriptor.unpack(first, 0, order, _total_codec(codec))
    return inner, tuple(damages)


def _packed(inner: MQMD, order: ByteOrder, codec: str) -> bytes:
    try:
        return descriptor.pack(inner, order, codec)
    except UnicodeEncodeError:
        return descriptor.pack(inner, order, _total_codec(codec))


def _total_codec(codec: str) -> str:
    """A codec of the same family in which every byte is a character."""
    return FALLBACK_ASCII if " ".encode(codec) == b" " else FALLBACK_EBCDIC
