"""Decode and encode the structures of the MQI; which bytes of them each version has."""

from __future__ import annotations

from functools import cache
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from mqtriage.emulator.mqi.layouts import CHANNEL, DATA, MQI
from mqtriage.mq import codes
from mqtriage.mq.errors import mqi_error

Value: TypeAlias = int | str | bytes

POINTER_BYTES: Final = 8
CHARV_BYTES: Final = 24

BAD_STRUCTURE: Final = {
    "MQOD": codes.MQRC_OD_ERROR,
    "MQMD": codes.MQRC_MD_ERROR,
    "MQPMO": codes.MQRC_PMO_ERROR,
    "MQGMO": codes.MQRC_GMO_ERROR,
    "MQBO": codes.MQRC_BO_ERROR,
    "MQCNO": codes.MQRC_CNO_ERROR,
    "MQCSP": codes.MQRC_CSP_ERROR,
    "MQSD": codes.MQRC_SD_ERROR,
    "MQSRO": codes.MQRC_SRO_ERROR,
    "MQSTS": codes.MQRC_STS_ERROR,
    "MQCBD": codes.MQRC_CBD_ERROR,
    "MQCTLO": codes.MQRC_CTLO_ERROR,
    "MQCMHO": codes.MQRC_CMHO_ERROR,
    "MQDMHO": codes.MQRC_DMHO_ERROR,
    "MQSMPO": codes.MQRC_SMPO_ERROR,
    "MQIMPO": codes.MQRC_IMPO_ERROR,
    "MQDMPO": codes.MQRC_DMPO_ERROR,
    "MQPD": codes.MQRC_PD_ERROR,
    "MQBMHO": codes.MQRC_BMHO_ERROR,
    "MQMHBO": codes.MQRC_MHBO_ERROR,
}
"""The reason that MQ gives for a wrong StrucId or Version."""


class Field(NamedTuple):
    """One field.

    Attributes:
        kind: letter of its type (`layouts`).
        repeat: characters, bytes or members.
        version: the first that has it.
        default: text of its initial value, "" for zeros or nulls.
    """

    name: str
    kind: str
    repeat: int
    offset: int
    length: int
    version: int
    default: str


class Structure(NamedTuple):
    """One structure.

    Attributes:
        ident: StrucId without its padding, "" for one that has none.
        ends: version to the number of bytes up to its last field.
        lengths: the same with the padding that a C compiler adds.
    """

    name: str
    ident: str
    fields: tuple[Field, ...]
    ends: dict[int, int]
    lengths: dict[int, int]

    @property
    def first_version(self) -> int:
        return min(self.ends)

    @property
    def current_version(self) -> int:
        return max(self.ends)

    def field(self, name: str) -> Field:
        return _fields(self.name)[name]

    def version_of(self, data: bytes, doing: str) -> int:
        """The version of the structure in *data*.

        Raises:
            MQIError: The structure's own reason where StrucId, Version or length is wrong.
        """
        found = _heads(self.name).get(data[:8])
        if found is not None and len(data) >= found[1]:
            return found[0]
        raise mqi_error(
            BAD_STRUCTURE[self.name], doing, detail=f"StrucId or Version of the {self.name}"
        )

    def decode(self, data: bytes, doing: str) -> dict[str, Value]:
        """Every field by name; those of later versions have their initial values."""
        version = self.version_of(data, doing)
        return {
            field.name: _read(field, data) if field.version <= version else _initial(field)
            for field in self.fields
        }

    def patched(self, data: bytes, **values: Value) -> bytes:
        """*data* with new values in the fields that its version has."""
        made = bytearray(data)
        for name, value in values.items():
            field = self.field(name)
            if field.offset + field.length <= len(made):
                made[field.offset : field.offset + field.length] = _written(field, value)
        return bytes(made)

    def initial(self, version: int | None = None) -> bytes:
        """The structure with its initial values (MQOD_DEFAULT ...)."""
        wanted = version or self.first_version
        made = bytearray(self.lengths[self.current_version])
        for field in self.fields:
            if field.kind != "V":
                made[field.offset : field.offset + field.length] = _written(field, _initial(field))
        made[0:8] = self.ident.ljust(4).encode() + wanted.to_bytes(4, "little")
        return bytes(made[: self.lengths[wanted]])


_SIZES: Final = {"i": 4, "q": 8, "P": POINTER_BYTES, "V": CHARV_BYTES, "c": 1, "b": 1, "B": 1}
_ALIGNMENT: Final = {"i": 4, "q": 8, "P": 8, "V": 8, "c": 1, "b": 1, "B": 1}


@cache
def structures() -> dict[str, Structure]:
    """Every structure by name: "MQOD" and so on, in the order of the headers."""
    found: dict[str, Structure] = {}
    for block in (MQI + CHANNEL + DATA).strip().split("\n\n"):
        head, *lines = block.strip().splitlines()
        structure = _parse(head.split(), [line.split(None, 2) for line in lines])
        found[structure.name] = structure
    return found


def structure(name: str) -> Structure:
    return structures()[name]


@cache
def _heads(name: str) -> dict[bytes, tuple[int, int]]:
    """StrucId and Version as they stand in memory, to the version and where it ends."""
    each = structure(name)
    ident = each.ident.ljust(4).encode()
    return {ident + v.to_bytes(4, "little"): (v, end) for v, end in each.ends.items()}


@cache
def _fields(name: str) -> dict[str, Field]:
    return {field.name: field for field in structure(name).fields}


def _parse(head: list[str], lines: list[list[str]]) -> Structure:
    name, ident, *first = head
    version = int(first[0]) if first else 1
    at = 8 if ident != "-" else 0
    widest = 4
    fields: list[Field] = []
    ends: dict[int, int] = {}
    lengths: dict[int, int] = {}
    for words in lines:
        if words[0] == "--":
            version = int(words[1])
            continue
        kind, count = _kind(words[1])
        widest = max(widest, _ALIGNMENT[kind])
        at += -at % _ALIGNMENT[kind]
        length = _SIZES[kind] * count
        default = words[2].strip("'") if len(words) > 2 else ""
        fields.append(Field(words[0], kind, count, at, length, version, default))
        at += length
        ends[version] = at
        lengths[version] = at + -at % widest
    return Structure(name, "" if ident == "-" else ident, tuple(fields), ends, lengths)


def _kind(word: str) -> tuple[str, int]:
    if word[0] == "i" and "*" in word:
        return "i", int(word.partition("*")[2])
    return word[0], int(word[1:] or 1)


def _initial(field: Field) -> Value:
    if field.kind in "iqP":
        return int(field.default or 0)
    if field.kind in "cB":
        return field.default
    return bytes(field.length)


_NUMBERS: Final = {"i": Struct("<i"), "q": Struct("<q"), "P": Struct("<Q")}


def _read(field: Field, data: bytes) -> Value:
    if field.kind in _NUMBERS and field.repeat == 1:
        value: int = _NUMBERS[field.kind].unpack_from(data, field.offset)[0]
        return value
    piece = bytes(data[field.offset : field.offset + field.length])
    if field.kind in "cB":
        return piece.partition(b"\0")[0].decode("latin-1").rstrip(" ")
    return piece


def _written(field: Field, value: Value) -> bytes:
    if isinstance(value, int):
        return _NUMBERS[field.kind].pack(value) if field.repeat == 1 else bytes(field.length)
    if isinstance(value, str):
        raw = value.encode("latin-1", "replace")[: field.length]
        return raw.ljust(field.length, b" " if value else b"\0")
    return value[: field.length].ljust(field.length, b"\0")
