"""The structures of structures.txt: which bytes of them each version has, read and written.

The MQI of C programs, the headers in message data, their conversion, the C headers and what travels
over a client channel are made from this one description.
"""

from __future__ import annotations

import re
from functools import cache
from pkgutil import get_data
from struct import Struct
from typing import Final, Literal, TypeAlias

from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.records import NamedTuple

Value: TypeAlias = int | str | bytes
ByteOrder: TypeAlias = Literal["<", ">"]

POINTER_BYTES: Final = 8
CHARV_BYTES: Final = 24


class StructureField(NamedTuple):
    """One field.

    Attributes:
        kind: letter of its type (structures.txt).
        repeat: characters, bytes or members.
        offset, length: in bytes.
        default: text of its initial value, "" for zeros or nulls.
    """

    name: str
    kind: str
    repeat: int
    offset: int
    length: int
    version: int
    default: str

    @property
    def python_name(self) -> str:
        """The name in our records: ``reply_to_q_mgr``, and ``ccsid`` for CodedCharSetId."""
        name = self.name
        for word, plain in _WORDS.items():
            name = name.replace(word, plain)
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


class Structure(NamedTuple):
    """One structure.

    Attributes:
        ident: StrucId without its padding, "" for one that has none.
        is_on_wire: laid out as on a client channel, without what aligns fields in memory.
        ends: version to the number of bytes up to its last field.
        lengths: the same with the padding that a C compiler adds.
    """

    name: str
    ident: str
    fields: tuple[StructureField, ...]
    ends: dict[int, int]
    lengths: dict[int, int]
    is_on_wire: bool = False

    @property
    def first_version(self) -> int:
        return min(self.ends)

    @property
    def current_version(self) -> int:
        return max(self.ends)

    @property
    def numbers(self) -> dict[str, int]:
        """Its versions and lengths under IBM's names: MQMD_LENGTH_2, MQMD_CURRENT_VERSION ..."""
        numbers = {
            "CURRENT_VERSION": self.current_version,
            "CURRENT_LENGTH": self.lengths[self.current_version],
        }
        for version, length in self.lengths.items():
            numbers |= {f"VERSION_{version}": version, f"LENGTH_{version}": length}
            numbers[f"END_{version}"] = self.ends[version]
        return {f"{self.name}_{label}": number for label, number in numbers.items()}

    def field(self, name: str) -> StructureField:
        return _fields(self.name, self.is_on_wire)[name]

    def first(self, version: int) -> Structure:
        """The structure as it was in a version."""
        fields = tuple(field for field in self.fields if field.version <= version)
        ends, lengths = (
            {known: sizes[known] for known in sizes if known <= version}
            for sizes in (self.ends, self.lengths)
        )
        return self._replace(fields=fields, ends=ends, lengths=lengths)

    def version_of(self, data: bytes, doing: str, order: ByteOrder = "<") -> int:
        """The version of the structure in *data*.

        Raises:
            MQIError: The structure's own reason where StrucId, Version or length is wrong.
        """
        head = _heads(self.name, order).get(data[:8])
        if head is not None and len(data) >= head[1]:
            return head[0]
        reason: int = getattr(cmqc, f"MQRC_{self.name.removeprefix('MQ')}_ERROR")
        raise mqi_error(reason, doing, detail=f"StrucId or Version of the {self.name}")

    def decode(self, data: bytes, doing: str, order: ByteOrder = "<") -> dict[str, Value]:
        """Every field by name; those of later versions have their initial values."""
        version = self.version_of(data, doing, order)
        return {
            field.name: _read(field, data, order) if field.version <= version else _initial(field)
            for field in self.fields
        }

    def patched(self, data: bytes, order: ByteOrder = "<", /, **values: Value) -> bytes:
        """*data* with new values in the fields that its version has."""
        patched = bytearray(data)
        for name, value in values.items():
            field = self.field(name)
            end = field.offset + field.length
            if end <= len(patched):
                patched[field.offset : end] = _written(field, value, order)
        return bytes(patched)

    def initial(self, version: int | None = None) -> bytes:
        """The structure with its initial values (MQOD_DEFAULT ...)."""
        version = version or self.first_version
        data = bytearray(self.lengths[self.current_version])
        for field in self.fields:
            if field.kind != "V":
                written = _written(field, _initial(field), "<")
                data[field.offset : field.offset + field.length] = written
        data[0:8] = self.ident.ljust(4).encode() + version.to_bytes(4, "little")
        return bytes(data[: self.lengths[version]])


_WORDS: Final = {
    "CodedCharSetId": "Ccsid",
    "CCSID": "Ccsid",
    "LTerm": "Lterm",
    "MFSMap": "MfsMap",
    "MsgDesc": "MessageDescriptor",
}
_SIZES: Final = {"i": 4, "q": 8, "P": POINTER_BYTES, "V": CHARV_BYTES, "c": 1, "b": 1, "B": 1}
_ALIGNMENT: Final = {"i": 4, "q": 8, "P": 8, "V": 8, "c": 1, "b": 1, "B": 1}
_WIRE_SIZES: Final = _SIZES | {"P": 4, "V": 20}
_PACKED: Final = {"i": ("i",), "q": ("q",), "P": ("P",), "V": ("P", "i", "i", "i", "i")}
"""What numbers a field is made of; an MQCHARV is a pointer and four MQLONGs."""


@cache
def _blocks() -> dict[str, str]:
    text = (get_data(__package__, "structures.txt") or b"").decode()
    blocks = text.split("\n\n")[1:]
    return {block.partition(" ")[0]: block for block in blocks}


def structures() -> dict[str, Structure]:
    """Every structure by name: "MQOD" and so on, in the order of the headers."""
    return {name: structure(name) for name in _blocks()}


@cache
def structure(name: str, *, is_on_wire: bool = False) -> Structure:
    """One structure by its name: "MQOD".

    Args:
        is_on_wire: as it travels over a client channel: with pointers of 4 bytes, and nothing
            between two fields.
    """
    head, *lines = _blocks()[name].strip().splitlines()
    return _parse(head.split(), [line.split(None, 2) for line in lines], is_on_wire)


class Repacking(NamedTuple):
    """The two layouts of one version of a structure: on a client channel, and in memory.

    Both have the same values in the same order, so that what one unpacks the other packs.
    """

    wire: Struct
    memory: Struct


@cache
def repacking(name: str, version: int, order: ByteOrder) -> Repacking:
    """How a structure of a client channel in byte order *order* becomes the one of a C program.

    Raises:
        KeyError: No such version.
    """
    whole = structure(name)
    packings = []
    for is_on_wire, byte_order, pointer in ((True, order, "I"), (False, "<", "Q")):
        described = structure(name, is_on_wire=is_on_wire)
        text, at = f"{byte_order}4si" if whole.ident else byte_order, 8 if whole.ident else 0
        for field in described.first(version).fields:
            text += f"{field.offset - at}x" + _packing(field, pointer)
            at = field.offset + field.length
        length = described.ends[version] if is_on_wire else described.lengths[version]
        packings.append(Struct(f"{text}{length - at}x"))
    return Repacking(*packings)


def _packing(field: StructureField, pointer: str) -> str:
    members = _PACKED.get(field.kind)
    if members is None:
        return f"{field.length}s"
    return "".join(pointer if member == "P" else member for member in members * field.repeat)


@cache
def _heads(name: str, order: ByteOrder) -> dict[bytes, tuple[int, int]]:
    """StrucId and Version as they stand in memory, to the version and where it ends."""
    ends = structure(name).ends
    ident = structure(name).ident.ljust(4).encode()
    byte_order: Literal["little", "big"] = "little" if order == "<" else "big"
    return {ident + v.to_bytes(4, byte_order): (v, end) for v, end in ends.items()}


@cache
def _fields(name: str, is_on_wire: bool) -> dict[str, StructureField]:
    return {field.name: field for field in structure(name, is_on_wire=is_on_wire).fields}


def _parse(head: list[str], lines: list[list[str]], is_on_wire: bool) -> Structure:
    sizes = _WIRE_SIZES if is_on_wire else _SIZES
    name, ident, *first = head
    version = int(first[0]) if first else 1
    at = 8 if ident != "-" else 0
    widest = 4
    fields: list[StructureField] = []
    ends: dict[int, int] = {}
    lengths: dict[int, int] = {}
    for words in lines:
        if words[0] == "--":
            version = int(words[1])
            ends[version] = at  # one that adds no field
            lengths[version] = at + -at % widest
            continue
        kind, count = _kind(words[1])
        alignment = 1 if is_on_wire else _ALIGNMENT[kind]
        widest = max(widest, alignment)
        at += -at % alignment
        length = sizes[kind] * count
        default = words[2].strip("'") if len(words) > 2 else ""
        fields.append(StructureField(words[0], kind, count, at, length, version, default))
        at += length
        ends[version] = at
        lengths[version] = at if is_on_wire else at + -at % widest
    return Structure(name, "" if ident == "-" else ident, tuple(fields), ends, lengths, is_on_wire)


def _kind(word: str) -> tuple[str, int]:
    if word[0] == "i" and "*" in word:
        return "i", int(word.partition("*")[2])
    return word[0], int(word[1:] or 1)


def _initial(field: StructureField) -> Value:
    if field.kind in "iqP":
        return int(field.default or 0)
    if field.kind in "cB":
        return field.default
    return bytes(field.length)


_NUMBERS: Final = {
    order: {"i": Struct(f"{order}i"), "q": Struct(f"{order}q"), "P": Struct(f"{order}Q")}
    for order in ("<", ">")
}


def _read(field: StructureField, data: bytes, order: ByteOrder) -> Value:
    number = _NUMBERS[order].get(field.kind)
    if number is not None and field.repeat == 1:
        value: int = number.unpack_from(data, field.offset)[0]
        return value
    piece = bytes(data[field.offset : field.offset + field.length])
    if field.kind in "cB":
        return piece.partition(b"\0")[0].decode("latin-1").rstrip(" ")
    return piece


def _written(field: StructureField, value: Value, order: ByteOrder) -> bytes:
    if isinstance(value, int):
        number = _NUMBERS[order][field.kind]
        return number.pack(value) if field.repeat == 1 else bytes(field.length)
    if isinstance(value, str):
        raw = value.encode("latin-1", "replace")[: field.length]
        return raw.ljust(field.length, b" " if value else b"\0")
    return value[: field.length].ljust(field.length, b"\0")
