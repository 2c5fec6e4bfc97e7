"""DDH, the header in front of a message on SYSTEM.DDELAY.LOCAL.QUEUE: observed, undocumented.

IBM publishes no layout. What is known comes from one public post (IBM community, "MQ Delayed
Delivery message format", 1 October 2021): StrucId, Version 1, a time in microseconds since 1970
UTC, -1, and the first letter of a name. All after offset 24 is assumed, and called so.

==  ======  ===============  =====================================================================
at  length  field            how sure
==  ======  ===============  =====================================================================
0   4       StrucId          ``DDH ``, seen
4   4       Version          1, seen little-endian
8   8       time             unit and epoch fit every row seen; due time or put time: not stated
16  8       (not named)      -1 seen; shown raw
24  48      queue manager    assumed, only when it reads as a name with padding
72  48      queue            assumed, same
==  ======  ===============  =====================================================================

The emulator writes the same 120 bytes - there offset 8 is the due time and offset 16 the expiry
time or -1 - and behind them a tail of its own (integers little-endian, lengths in bytes):

===  ======  ==================================================================================
at   length  field
===  ======  ==================================================================================
120  8       eye-catcher ``MQTRIAGE``: tells an emulator's message from a real one
128  4       tail version, 1
132  4       tail length, from 120 to the first byte of the original message data
136  8       send time, microseconds since 1970 UTC
144  8       delay, milliseconds
152  364     the original MQMD version 2: MsgId, CorrelId, Format, Encoding, CCSID, Report ...
516  24      subscription id of a delayed publication, else zeros
540  4       length of the subscription name
544  n       subscription name, UTF-8
     0-3     NULs up to a multiple of 4
===  ======  ==================================================================================

The staged message's own MsgId is new and its CorrelId is the original MsgId, as IBM documents
(DD-51, DD-52); the original CorrelId is in the MQMD of the tail (DD-55).
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from mqtriage.mq import cmqc, descriptor
from mqtriage.mq.ccsid import FALLBACK_ASCII
from mqtriage.mq.descriptor import MQMD, NO_ID, ByteOrder
from mqtriage.mq.headers.formats import DDH_FORMAT as DDH_FORMAT
from mqtriage.mq.headers.layout import Damage, Following, padded
from mqtriage.mq.times import rfc3339_or_none
from mqtriage.records import NamedTuple, dataclass

DDH_KNOWN_LENGTH: Final = 24
DDH_LENGTH: Final = 120
VERSIONS: Final = range(1, 2)
EYE_CATCHER: Final = b"MQTRIAGE"
TAIL_VERSION: Final = 1
TAIL_FIXED_LENGTH: Final = 424
BASIS_NOTE: Final = "observed, undocumented"

_STRUC_ID: Final = b"DDH "
_HEAD: Final[dict[ByteOrder, Struct]] = {"<": Struct("<4siqq"), ">": Struct(">4siqq")}
_TAIL: Final[dict[ByteOrder, Struct]] = {
    order: Struct(f"{order}8siiqq{cmqc.MQMD_LENGTH_2}s24si") for order in ("<", ">")
}
_NAME_CHARACTERS: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./_%"
)
_NO_EXPIRY: Final = -1


class StagedTail(NamedTuple):
    """What the emulator keeps behind the header to rebuild the original message.

    Attributes:
        delay_ms: the delay it asked for.
        original: its descriptor, with priority and persistence as resolved at the send.
        subscription_id: 24 bytes; zeros when it is no publication.
        length: of the tail, in bytes.
    """

    send_time_us: int
    delay_ms: int
    original: MQMD
    subscription_id: bytes
    subscription_name: str
    length: int


@dataclass(frozen=True, slots=True)
class DDH:
    """One delayed-delivery header.

    Attributes:
        time_us: offset 8, microseconds since 1970 UTC.
        expiry_raw: offset 16 as it stands: -1, or in the emulator the expiry time.
        target_q_mgr, target_q: assumed names, None when the bytes do not read as names.
        tail: what the emulator added; None on a message of a real queue manager.
        length: bytes that are known to belong to it: 24, 120 or with the tail.
    """

    time_us: int
    expiry_raw: int
    target_q_mgr: str | None
    target_q: str | None
    tail: StagedTail | None
    length: int
    version: int = 1
    order: ByteOrder = "<"
    damages: tuple[Damage, ...] = ()

    @property
    def following(self) -> Following | None:
        """The original message data, known behind our own tail only."""
        if self.tail is None:
            return None
        md = self.tail.original
        return Following(md.format, md.encoding, md.ccsid)

    def fields(self) -> dict[str, object]:
        """Fields in their order, with how sure they are."""
        shown: dict[str, object] = {
            "version": self.version,
            "time": rfc3339_or_none(self.time_us),
            "time_us": self.time_us,
            "expiry_raw": self.expiry_raw,
            "target_q_mgr": self.target_q_mgr,
            "target_q": self.target_q,
        }
        if self.tail is None:
            return {
                **shown,
                "names": "assumed" if self.target_q is not None else "layout unknown",
                "basis": BASIS_NOTE,
            }
        tail = self.tail
        return {
            **shown,
            "names": "emulator",
            "basis": "emulator",
            "send_time": rfc3339_or_none(tail.send_time_us),
            "delay_ms": tail.delay_ms,
            "original": tail.original,
            "subscription_id": tail.subscription_id,
            "subscription_name": tail.subscription_name,
        }


def decode(data: bytes, start: int = 0, order: ByteOrder = "<") -> DDH | Damage:
    """Read the header at *start*: what is known, what is assumed, and our own tail if it is there.

    Where the original message data begins is told by our own tail alone; otherwise the caller may
    look for a structure it knows, and has to say that it did.
    """
    remaining = len(data) - start
    if remaining < DDH_KNOWN_LENGTH:
        text = f"DDH at offset {start}: {DDH_KNOWN_LENGTH} bytes needed, {max(0, remaining)} left"
        return Damage(start, text)
    _, version, time_us, expiry_raw = _HEAD[order].unpack_from(data, start)
    if remaining < DDH_LENGTH:
        text = (
            f"DDH at offset {start}: truncated, {remaining} bytes are there;"
            " the layout after its offset 24 is not known"
        )
        return DDH(time_us, expiry_raw, None, None, None, DDH_KNOWN_LENGTH, version, order,
                   (Damage(start, text),))  # fmt: skip
    target_q_mgr = _name(data[start + 24 : start + 72])
    target_q = _name(data[start + 72 : start + DDH_LENGTH])
    tail = _tail(data, start + DDH_LENGTH, order)
    if tail is None and (target_q is None or target_q_mgr is None):
        return DDH(time_us, expiry_raw, None, None, None, DDH_KNOWN_LENGTH, version, order)
    known = DDH_LENGTH + (tail.length if isinstance(tail, StagedTail) else 0)
    return DDH(
        time_us,
        expiry_raw,
        target_q_mgr,
        target_q,
        tail if isinstance(tail, StagedTail) else None,
        known,
        version,
        order,
        (tail,) if isinstance(tail, Damage) else (),
    )


def encode_staged(
    due_time_us: int,
    expiry_time_us: int | None,
    target_q_mgr: str,
    target_q: str,
    original: MQMD,
    send_time_us: int,
    delay_ms: int,
    *,
    subscription_id: bytes = NO_ID,
    subscription_name: str = "",
    order: ByteOrder = "<",
) -> bytes:
    """The header and tail that the emulator puts in front of the original message data.

    Args:
        due_time_us: when the delay is over, microseconds since 1970 UTC.
        expiry_time_us: when the lifetime is over, None for MQEI_UNLIMITED.
        target_q_mgr, target_q: where the message goes, 1 to 48 characters.
        original: the descriptor as it is to be on the target queue.

    Raises:
        ValueError: If *subscription_id* is not 24 bytes.
        struct.error: If a number does not fit its field.
    """
    if len(subscription_id) != 24:
        raise ValueError(f"subscription id is {len(subscription_id)} bytes, expected 24")
    name = subscription_name.encode("utf-8", "backslashreplace")
    name_room = len(name) + -len(name) % 4
    expiry = _NO_EXPIRY if expiry_time_us is None else expiry_time_us
    return b"".join(
        (
            _HEAD[order].pack(_STRUC_ID, 1, due_time_us, expiry),
            padded(target_q_mgr, 48, FALLBACK_ASCII),
            padded(target_q, 48, FALLBACK_ASCII),
            _TAIL[order].pack(
                EYE_CATCHER,
                TAIL_VERSION,
                TAIL_FIXED_LENGTH + name_room,
                send_time_us,
                delay_ms,
                descriptor.pack(original._replace(version=2), order),
                subscription_id,
                len(name),
            ),
            name.ljust(name_room, b"\0"),
        )
    )


def _name(raw: bytes) -> str | None:
    """A name padded with blanks or NULs; None when the bytes are no such thing."""
    stem = raw.rstrip(b" \0")
    return stem.decode("ascii") if stem and _NAME_CHARACTERS.issuperset(stem) else None


def _tail(data: bytes, at: int, order: ByteOrder) -> StagedTail | Damage | None:
    """Our own tail at *at*; None when there is none, a Damage when it is broken."""
    if data[at : at + len(EYE_CATCHER)] != EYE_CATCHER:
        return None
    remaining = len(data) - at
    if remaining < TAIL_FIXED_LENGTH:
        text = f"emulator tail at offset {at}: {TAIL_FIXED_LENGTH} bytes needed, {remaining} left"
        return Damage(at, text)
    _, version, length, send_time_us, delay_ms, raw, subscription_id, name_length = _TAIL[
        order
    ].unpack_from(data, at)
    if version != TAIL_VERSION:
        return Damage(at, f"emulator tail at offset {at}: version {version}, expected 1")
    if not 0 <= name_length <= length - TAIL_FIXED_LENGTH or length > remaining:
        text = f"length {length}, name length {name_length}, {remaining} bytes left"
        return Damage(at, f"emulator tail at offset {at}: {text}")
    try:
        original = descriptor.unpack(raw, 0, order)
    except ValueError as error:
        return Damage(at, f"emulator tail at offset {at}: {error}")
    name = bytes(data[at + TAIL_FIXED_LENGTH : at + TAIL_FIXED_LENGTH + name_length])
    return StagedTail(
        send_time_us,
        delay_ms,
        original,
        subscription_id,
        name.decode("utf-8", "backslashreplace"),
        length,
    )
