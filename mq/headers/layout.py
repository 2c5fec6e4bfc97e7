"""What the header files share: tables of fields, byte order, characters, damage as a value."""

from __future__ import annotations

from dataclasses import field
from struct import Struct
from typing import Any, ClassVar, Final, Self

from mqtriage.mq import ccsid as code_pages
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import characters
from mqtriage.mq.descriptor import integer
from mqtriage.mq.structures import ByteOrder, StructureField, structure
from mqtriage.records import NamedTuple, dataclass


class Damage(NamedTuple):
    """What is wrong with a message and where; a finding, never an exception.

    Attributes:
        offset: of the damaged thing in the message data, in bytes.
    """

    offset: int
    text: str


class Following(NamedTuple):
    """What a header says of the data after it; a blank Format is ``""`` (MQFMT_NONE)."""

    format: str
    encoding: int
    ccsid: int


class LayoutField(NamedTuple):
    """One field: name, length in bytes, and kind: ``i`` integer, ``t`` text, ``b`` bytes."""

    name: str
    length: int
    kind: str


class Layout:
    """A structure of fixed length: reads it, reads what there is of a cut one, and writes it."""

    def __init__(self, name: str, *, count: int | None = None, as_bytes: str = "") -> None:
        """Take the fields from structures.txt.

        Args:
            name: MQ's name of the structure, ``MQDLH``.
            count: of the first fields that are enough; None for all.
            as_bytes: a field of characters that are not to be read as such, a password.
        """
        described = structure(name)
        self.name: Final = name
        self.struc_id: Final = described.ident.ljust(4)
        self.versions: Final = range(described.first_version, described.current_version + 1)
        self.parts: Final = (
            LayoutField("version", 4, "i"),
            *(_part(item, as_bytes) for item in described.fields[:count]),
        )
        letters = "".join("i" if part.kind == "i" else f"{part.length}s" for part in self.parts)
        self._little: Final = Struct("<4s" + letters)
        self._big: Final = Struct(">4s" + letters)
        self.length: Final = self._little.size
        self._text_at: Final = tuple(i for i, part in enumerate(self.parts) if part.kind == "t")

    def fields_of(self, record: object) -> dict[str, Any]:
        """The fields of a record by name, in the order of the structure."""
        return {part.name: getattr(record, part.name) for part in self.parts}

    def encode(self, record: Any) -> bytes:
        """The bytes of a record; one that was read comes back byte for byte.

        Raises:
            UnicodeEncodeError: If a character field does not exist in the record's code page.
        """
        values = tuple(self.fields_of(record).values())
        return self.write(values, record.order, record.codec, record.original)

    def read(self, data: bytes, start: int, order: ByteOrder, codec: str) -> list[Any]:
        """The values of a whole structure at *start*, text without its padding."""
        struct = self._little if order == "<" else self._big
        values: list[Any] = list(struct.unpack_from(data, start)[1:])
        for index in self._text_at:
            values[index] = characters(values[index], codec)
        return values

    def read_cut(
        self, data: bytes, start: int, order: ByteOrder, codec: str
    ) -> dict[str, int | str | bytes]:
        """The fields of a cut structure: all whole ones, and text as far as it goes."""
        fields: dict[str, int | str | bytes] = {}
        at = start + 4
        for part in self.parts:
            raw = data[at : at + part.length]
            if not raw or (len(raw) < part.length and part.kind != "t"):
                break
            if part.kind == "i":
                fields[part.name] = integer(raw, order)
            else:
                fields[part.name] = characters(raw, codec) if part.kind == "t" else raw
            at += part.length
        return fields

    def write(
        self, values: tuple[Any, ...], order: ByteOrder, codec: str, original: bytes = b""
    ) -> bytes:
        """The bytes of a structure.

        Args:
            values: one a field after StrucId.
            original: the bytes the record was read from: a field that still has the same value
                is written as it stood there, paddings and all.

        Raises:
            UnicodeEncodeError: If a character field does not exist in *codec*.
        """
        keep = len(original) >= self.length
        old = self.read(original, 0, order, codec) if keep else []
        pieces = [original[:4] if keep else self.struc_id.encode(codec)]
        at = 4
        for index, (part, value) in enumerate(zip(self.parts, values, strict=True)):
            if keep and old[index] == value:
                pieces.append(original[at : at + part.length])
            elif part.kind == "i":
                pieces.append(value.to_bytes(4, "little" if order == "<" else "big", signed=True))
            elif part.kind == "t":
                pieces.append(padded(value, part.length, codec))
            else:
                pieces.append(value[: part.length].ljust(part.length, b"\0"))
            at += part.length
        return b"".join(pieces)


def _part(item: StructureField, as_bytes: str) -> LayoutField:
    kind = "i" if item.kind == "i" else "t" if item.kind in "cB" else "b"
    return LayoutField(item.python_name, item.length, "b" if item.name == as_bytes else kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedHeader:
    """A header of one length, read and written by its layout.

    Attributes:
        original: the bytes it was read from; `encode` keeps their paddings.
    """

    layout: ClassVar[Layout]
    version: int = 1
    order: ByteOrder = "<"
    codec: str = "latin-1"
    original: bytes = field(default=b"", repr=False, compare=False)

    @property
    def length(self) -> int:
        """Bytes in the message."""
        return self.layout.length

    @property
    def following(self) -> Following | None:
        """What the data after it is; None where nothing is said of it."""
        return None

    def fields(self) -> dict[str, object]:
        """Fields in their order in the structure."""
        return self.layout.fields_of(self)

    @classmethod
    def decode(
        cls, data: bytes, start: int = 0, order: ByteOrder = "<", codec: str = "latin-1"
    ) -> Self | Damage:
        """Read the header at *start*; a cut one or a wrong StrucLength is a Damage."""
        layout = cls.layout
        short = too_short(layout, data, start)
        if short is not None:
            return short
        names = (part.name for part in layout.parts)
        values = dict(zip(names, layout.read(data, start, order, codec), strict=True))
        length = values.get("struc_length", layout.length)
        if length != layout.length:
            text = f"{layout.name} at offset {start}: StrucLength {length}"
            return Damage(start, f"{text}, expected {layout.length}")
        original = bytes(data[start : start + layout.length])
        return cls(**values, order=order, codec=codec, original=original)

    def encode(self) -> bytes:
        """The bytes; a header that was read comes back byte for byte.

        Raises:
            UnicodeEncodeError: If a name does not exist in the header's code page.
        """
        return self.layout.encode(self)


def too_short(layout: Layout, data: bytes, start: int) -> Damage | None:
    """The damage of a structure that the data ends in, or None when all of it is there."""
    remaining = max(0, len(data) - start)
    if remaining >= layout.length:
        return None
    return Damage(
        start, f"{layout.name} at offset {start}: {layout.length} bytes needed, {remaining} left"
    )


def wrong_length(layout: Layout, struc_length: int, data: bytes, start: int) -> Damage | None:
    """The damage of a StrucLength that cannot be: past the data, or less than what is fixed."""
    remaining = len(data) - start
    if struc_length > remaining:
        text = f"exceeds the {remaining} bytes left"
    elif struc_length < layout.length:
        text = f"is below its fixed {layout.length} bytes"
    else:
        return None
    return Damage(start, f"{layout.name} at offset {start}: StrucLength {struc_length} {text}")


def padded(text: str, length: int, codec: str) -> bytes:
    """*text* cut or padded with blanks to *length* bytes."""
    return text.encode(codec)[:length].ljust(length, " ".encode(codec))


def byte_order(encoding: int) -> ByteOrder | None:
    """The order that the integer part of an Encoding names; None when it names none."""
    kind = encoding & cmqc.MQENC_INTEGER_MASK
    if kind == cmqc.MQENC_INTEGER_NORMAL:
        return ">"
    return "<" if kind == cmqc.MQENC_INTEGER_REVERSED else None


def order_of(data: bytes, start: int, encoding: int, versions: range) -> tuple[ByteOrder, str]:
    """Find the byte order of the structure at *start*, and what to say when Encoding is not it.

    The Version field, at offset 4 in every MQ structure, tells: it is small in one order only.
    """
    announced = byte_order(encoding)
    raw = data[start + 4 : start + 8]
    if announced is not None and (len(raw) < 4 or integer(raw, announced) in versions):
        return announced, ""
    for order in ("<", ">"):
        if len(raw) == 4 and integer(raw, order) in versions:
            kind = "little" if order == "<" else "big"
            return order, f"Encoding {encoding} in front of it, but its integers are {kind}-endian"
    return announced or "<", ""


def header_codec(struc_id: bytes, expected: str, ccsid: int) -> tuple[str, str] | None:
    """The codec of a header's characters, and what to say when the CCSID is not it.

    Returns None when *struc_id* is *expected* neither in ASCII nor in EBCDIC.
    """
    if struc_id == expected.encode():
        known = code_pages.codec_of(ccsid)
        if known is not None and not code_pages.is_ebcdic(ccsid) and not known.startswith("utf-16"):
            return known, ""
        fallback, family = code_pages.FALLBACK_ASCII, "ASCII"
    elif struc_id == expected.encode(code_pages.FALLBACK_EBCDIC):
        if code_pages.is_ebcdic(ccsid):
            return code_pages.codec_of(ccsid) or code_pages.FALLBACK_EBCDIC, ""
        fallback, family = code_pages.FALLBACK_EBCDIC, "EBCDIC"
    else:
        return None
    if ccsid <= 0:  # MQCCSI_Q_MGR, MQCCSI_INHERIT ...: nothing was claimed
        return fallback, ""
    if code_pages.codec_of(ccsid) is None:
        return fallback, f"CCSID {ccsid} is not known here; its characters are read as {family}"
    return fallback, f"CCSID {ccsid} in front of it, but its characters are {family}"
