"""MQMD, the message descriptor: version 1 (324 bytes) and version 2 (364 bytes).

Layout: IBM MQ documentation, "MQMD - Message descriptor". Character fields are
kept as `str` without their padding, identifiers as `bytes` of full length, so
that equal descriptors compare equal whoever padded them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import groupby
from struct import Struct
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.structures import ByteOrder as ByteOrder
from mqtriage.mq.structures import StructureField, structure
from mqtriage.records import NamedTuple

NO_ID: Final = cmqc.MQMI_NONE
"""24 zero bytes: MQMI_NONE, MQCI_NONE and MQGI_NONE are one."""
NO_TOKEN: Final = cmqc.MQACT_NONE
"""32 zero bytes."""

NATIVE_ENCODING: Final = cmqc.MQENC_NATIVE
"""MQENC_NATIVE of a little-endian machine; the emulator is one, whatever it runs on."""

_BLANKS: Final = " \0"


def integer(raw: bytes, order: ByteOrder) -> int:
    """A signed integer, MQLONG or MQINT64 by its length."""
    return int.from_bytes(raw, "little" if order == "<" else "big", signed=True)


class MQMD(NamedTuple):
    """One message descriptor; the defaults are the MQI's initial values (MQMD_DEFAULT).

    Attributes:
        expiry_tenths: lifetime in tenths of a second, or -1 (MQEI_UNLIMITED). After a get: what is
            left of it (EX-10).
        format: eight characters in MQ, here without trailing blanks; ``""`` is MQFMT_NONE.
        msg_id, correl_id, group_id: 24 bytes; all zero means none.
        backout_count: rollbacks so far; output of MQGET, ignored by MQPUT (PM-08).
        put_date, put_time: ``YYYYMMDD`` and ``HHMMSSTH`` in UTC (TH: tenths, hundredths).
        accounting_token: 32 bytes.
    """

    report: int = 0
    msg_type: int = cmqc.MQMT_DATAGRAM
    expiry_tenths: int = cmqc.MQEI_UNLIMITED
    feedback: int = 0
    encoding: int = NATIVE_ENCODING
    ccsid: int = cmqc.MQCCSI_Q_MGR
    format: str = ""
    priority: int = cmqc.MQPRI_PRIORITY_AS_Q_DEF
    persistence: int = cmqc.MQPER_PERSISTENCE_AS_Q_DEF
    msg_id: bytes = NO_ID
    correl_id: bytes = NO_ID
    backout_count: int = 0
    reply_to_q: str = ""
    reply_to_q_mgr: str = ""
    user_identifier: str = ""
    accounting_token: bytes = NO_TOKEN
    appl_identity_data: str = ""
    put_appl_type: int = 0
    put_appl_name: str = ""
    put_date: str = ""
    put_time: str = ""
    appl_origin_data: str = ""
    group_id: bytes = NO_ID
    msg_seq_number: int = 1
    offset: int = 0
    msg_flags: int = 0
    original_length: int = cmqc.MQOL_UNDEFINED
    version: int = 2


@cache
def described_fields() -> Mapping[str, StructureField]:
    """The fields of our record with what structures.txt says of them; `version` is not there."""
    return dict(zip(MQMD._fields, structure("MQMD").fields, strict=False))


def _letters(fields: Iterable[StructureField]) -> str:
    return "".join("i" if field.kind == "i" else f"{field.length}s" for field in fields)


@cache
def _struct(order: ByteOrder, version: int) -> Struct:
    """The fields of one version, each by itself."""
    return Struct(f"{order}4si{_letters(structure('MQMD').first(version).fields)}")


@cache
def _joined(order: ByteOrder, version: int) -> Struct:
    """The same with neighbouring texts as one, StrucId and Version too."""
    letters = "8s"
    for is_text, group in groupby(structure("MQMD").first(version).fields, lambda f: f.kind == "c"):
        fields = tuple(group)
        letters += f"{sum(f.length for f in fields)}s" if is_text else _letters(fields)
    return Struct(order + letters)


def pack(md: MQMD, order: ByteOrder = "<", codec: str = "latin-1") -> bytes:
    """Encode *md* as 324 or 364 bytes, by its version.

    Args:
        order: ``<`` for Encoding 546 (0x222), ``>`` for 273 (0x111).

    Raises:
        UnicodeEncodeError: If a character field does not exist in *codec*.
    """

    if codec == "latin-1" or (codec == "utf-8" and _texts(md).isascii()):
        return _packed_latin_1(md, order)

    blank = " ".encode(codec)

    def characters(text: str, length: int) -> bytes:
        return text.encode(codec)[:length].ljust(length, blank)

    version = 1 if md.version < 2 else 2
    values = [
        characters(value, field.length) if isinstance(value, str) else value
        for field, value in zip(structure("MQMD").fields, md, strict=False)
        if field.version <= version
    ]
    return _struct(order, version).pack(characters("MD", 4), md.version, *values)


def _texts(md: MQMD) -> str:
    return (
        f"{md.format}{md.reply_to_q}{md.reply_to_q_mgr}{md.user_identifier}{md.appl_identity_data}"
        f"{md.put_appl_name}{md.put_date}{md.put_time}{md.appl_origin_data}"
    )


def _packed_latin_1(md: MQMD, order: ByteOrder) -> bytes:
    """The same for one byte a character: neighbouring texts are padded and encoded at once."""
    version = md.version.to_bytes(4, "little" if order == "<" else "big")
    names = f"{md.reply_to_q:48.48}{md.reply_to_q_mgr:48.48}{md.user_identifier:12.12}"
    origin = f"{md.put_appl_name:28.28}{md.put_date:8.8}{md.put_time:8.8}{md.appl_origin_data:4.4}"
    head = (
        b"MD  " + version,
        md.report,
        md.msg_type,
        md.expiry_tenths,
        md.feedback,
        md.encoding,
        md.ccsid,
        f"{md.format:8.8}".encode("latin-1"),
        md.priority,
        md.persistence,
        md.msg_id,
        md.correl_id,
        md.backout_count,
        names.encode("latin-1"),
        md.accounting_token,
        f"{md.appl_identity_data:32.32}".encode("latin-1"),
        md.put_appl_type,
        origin.encode("latin-1"),
    )
    if md.version < 2:
        return _joined(order, 1).pack(*head)
    return _joined(order, 2).pack(
        *head, md.group_id, md.msg_seq_number, md.offset, md.msg_flags, md.original_length
    )


@lru_cache(maxsize=1024)
def _text(raw: bytes, codec: str) -> str:
    """A character field without its padding: the messages of a queue have few of them."""
    return raw.decode(codec).rstrip(_BLANKS)


def unpack(data: bytes, start: int = 0, order: ByteOrder = "<", codec: str = "latin-1") -> MQMD:
    """Decode a descriptor that begins at *start*; its Version says how long it is.

    Raises:
        ValueError: If fewer bytes are left than the version needs.
    """
    remaining = len(data) - start
    if remaining < cmqc.MQMD_LENGTH_1:
        needed = f"a descriptor needs {cmqc.MQMD_LENGTH_1}"
        raise ValueError(f"MQMD at offset {start}: {remaining} bytes left, {needed}")
    version = int.from_bytes(data[start + 4 : start + 8], "little" if order == "<" else "big")
    if version >= 2:
        if remaining < cmqc.MQMD_LENGTH_2:
            needed = f"version 2 needs {cmqc.MQMD_LENGTH_2}"
            raise ValueError(f"MQMD at offset {start}: {remaining} bytes left, {needed}")
        fields = _struct(order, 2).unpack_from(data, start)
    else:
        fields = (*_struct(order, 1).unpack_from(data, start), NO_ID, 1, 0, 0, cmqc.MQOL_UNDEFINED)
    (_, version, report, msg_type, expiry, feedback, encoding, ccsid, form, priority, persistence,
     msg_id, correl_id, backout_count, reply_q, reply_qm, user, token, identity, appl_type,
     appl_name, put_date, put_time, origin, group_id, sequence, offset, flags, length,
     ) = fields  # fmt: skip
    return MQMD(
        report,
        msg_type,
        expiry,
        feedback,
        encoding,
        ccsid,
        _text(form, codec),
        priority,
        persistence,
        msg_id,
        correl_id,
        backout_count,
        _text(reply_q, codec),
        _text(reply_qm, codec),
        _text(user, codec),
        token,
        _text(identity, codec),
        appl_type,
        _text(appl_name, codec),
        put_date.decode(codec),
        put_time.decode(codec),
        _text(origin, codec),
        group_id,
        sequence,
        offset,
        flags,
        length,
        version,
    )
