"""Walk the headers of a message: each one's Format, Encoding and CCSID describe what follows it.

Damage is part of the result: whatever the bytes, `decode` returns, in time linear in their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import ByteOrder
from mqtriage.mq.headers import ddh
from mqtriage.mq.headers.formats import HEADER_FORMATS as HEADER_FORMATS
from mqtriage.mq.headers.formats import PCF_FORMATS as PCF_FORMATS
from mqtriage.mq.headers.layout import (
    Damage,
    Following,
    Layout,
    header_codec,
    order_of,
)
from mqtriage.records import NamedTuple

if TYPE_CHECKING:
    from mqtriage.mq.descriptor import MQMD
    from mqtriage.mq.headers import dlh, iih, mde, other, rfh2, sniff, tm, xqh

Record: TypeAlias = (
    "dlh.DLH | rfh2.RFH2 | xqh.XQH | mde.MDE | tm.TM | iih.IIH | ddh.DDH | other.Other"
)

_DDH_STRUC_ID: Final = b"DDH "
_DAMAGES_INSIDE: Final = frozenset({"MQRFH2", "MQXQH"})
"""Headers that can be whole and hold something damaged."""
_BODY_START_UNKNOWN: Final = "where the original message data begins is not known"


_DECODERS: Final = {
    "MQDEAD": "dlh",
    "MQHMDE": "mde",
    "MQHRF2": "rfh2",
    "MQIMS": "iih",
    "MQTRIG": "tm",
    "MQXMIT": "xqh",
}
"""Format to the module of the header that it announces."""
_STEPPED_OVER: Final = {
    "MQCICS": "MQCIH",
    "MQHDIST": "MQDH",
    "MQHEPCF": "MQEPH",
    "MQHREF": "MQRMH",
    "MQHRF": "MQRFH",
    "MQHWIH": "MQWIH",
}
"""Format to the structure that `other` reads."""


class _Kind(NamedTuple):
    """How the header of one Format is read."""

    layout: Layout
    decode: Callable[[bytes, int, ByteOrder, str], Record | Damage]


@cache
def _kind_of(form: str) -> _Kind | None:
    """How the header that *form* announces is read; its module is imported when one is met."""
    if form in _DECODERS:
        module = import_module(f"mqtriage.mq.headers.{_DECODERS[form]}")
        return _Kind(module.LAYOUT, module.decode)
    if form in _STEPPED_OVER:
        from mqtriage.mq.headers import other

        layout = Layout(_STEPPED_OVER[form], count=other.COMMON)
        return _Kind(layout, partial(other.decode, layout))
    return None


class Header(NamedTuple):
    """One header of a chain.

    Attributes:
        name: MQ's name of the structure; ``DDH`` for the header IBM does not name.
        offset: in the message data, in bytes.
        length: in bytes; of a damaged one what there is of it.
        fields: name to value, in the order of the structure; of a damaged one those there are.
        record: the decoded structure, None when it is damaged.
    """

    name: str
    offset: int
    length: int
    fields: Mapping[str, object]
    record: Record | None
    found_by_looking: bool = False


class Chain(NamedTuple):
    """The headers of a message and what stands behind them.

    Attributes:
        body_offset: first byte that is not header; of a damaged header its own offset, so that all
            that could not be read is still there to be shown.
        format, encoding, ccsid: of the body. ``""`` is MQFMT_NONE.
        damages: what is wrong, with offsets.
        notes: what was found by looking, or read differently from what was announced.
        body_name: what the body is when it is no message text: ``PCF, type 7, 284 bytes``.
    """

    headers: tuple[Header, ...]
    body_offset: int
    format: str
    encoding: int
    ccsid: int
    damages: tuple[Damage, ...] = ()
    notes: tuple[str, ...] = ()
    body_name: str = ""

    def body(self, data: bytes) -> bytes:
        """The bytes behind the headers of the message data that was decoded."""
        return data[self.body_offset :]

    def first(self, name: str) -> Header | None:
        """The first header of that structure."""
        return next((header for header in self.headers if header.name == name), None)


def decode(format: str, encoding: int, ccsid: int, data: bytes) -> Chain:
    """Walk all headers of message data.

    A blank Format is looked behind (`sniff`), and a DDH is recognised under any Format that is not
    a header's: what IBM's own staged messages carry as Format is not published. Both are said.

    Args:
        format: MQMD.Format, with or without its blanks.
    """
    walk = _Walk(data, Following(format.rstrip(" \0"), encoding, ccsid))
    while walk.step():
        pass
    return walk.chain()


def announced_length(md: MQMD, data: bytes) -> int:
    """Bytes of the headers that Format announces, at the front of message data."""
    return decode(md.format, md.encoding, md.ccsid, data).body_offset if md.format else 0


class _Walk:
    """One walk: where it is and what it has found."""

    def __init__(self, data: bytes, following: Following) -> None:
        self._data = data
        self._at = 0
        self._next = following
        self._looking = False
        self._headers: list[Header] = []
        self._damages: list[Damage] = []
        self._notes: list[str] = []
        self._stopped = False

    def step(self) -> bool:
        """Read the header at the present place; False when there is none, or it is damaged."""
        kind = _kind_of(self._next.format)
        if kind is not None:
            return self._read(kind)
        if self._next.format == ddh.DDH_FORMAT:
            return self._read_ddh()
        start = self._data[self._at : self._at + 4]
        if self._stopped or (self._next.format and start != _DDH_STRUC_ID):
            return False
        from mqtriage.mq.headers import sniff  # knows every header, so it imports them all

        looking = sniff.sniff(self._data, self._at)
        if looking is None or looking.format in PCF_FORMATS:
            return False
        self._take_sniffed(looking)
        return True

    def chain(self) -> Chain:
        """What was found, with the name of the body."""
        name = "" if self._stopped else self._body_name()
        form, encoding, ccsid = self._next
        return Chain(
            tuple(self._headers),
            min(self._at, len(self._data)),
            form,
            encoding,
            ccsid,
            tuple(self._damages),
            tuple(self._notes),
            name,
        )

    def _take_sniffed(self, sniffed: sniff.Sniffed) -> None:
        self._notes.append(sniffed.text)
        ccsid = self._next.ccsid if self._next.ccsid > 0 else sniffed.ccsid
        self._next = Following(sniffed.format, sniffed.encoding, ccsid)
        self._looking = True

    def _read(self, kind: _Kind) -> bool:
        data, at, layout = self._data, self._at, kind.layout
        struc_id = bytes(data[at : at + 4])
        codec_and_note = header_codec(struc_id, layout.struc_id, self._next.ccsid)
        if codec_and_note is None and len(struc_id) == 4:
            what = f"StrucId is {struc_id!r}, Format {self._next.format} announces "
            return self._damaged(layout, f"{what}{layout.struc_id!r}")
        codec, codec_note = codec_and_note or ("latin-1", "")
        order, order_note = order_of(data, at, self._next.encoding, layout.versions)
        for note in filter(None, (codec_note, order_note)):
            self._notes.append(f"{layout.name} at offset {at}: {note}")
        record = kind.decode(data, at, order, codec)
        if isinstance(record, Damage):
            self._damages.append(record)
            if not struc_id:  # announced, but the data ends in front of it
                self._stopped = True
                return False
            cut = layout.read_cut(data, at, order, codec)
            return self._stop(layout.name, min(layout.length, len(data) - at), cut, None)
        if record.version not in layout.versions:
            what = f"{layout.name} at offset {at}: Version {record.version} is not known"
            self._damages.append(Damage(at, what))
            return self._stop(layout.name, record.length, record.fields(), None)
        self._accept(layout.name, record)
        return True

    def _read_ddh(self) -> bool:
        at = self._at
        struc_id = bytes(self._data[at : at + 4])
        if struc_id != _DDH_STRUC_ID:
            note = f"DDH at offset {at}: StrucId is {struc_id!r}, Format {ddh.DDH_FORMAT}"
            self._damages.append(Damage(at, f"{note} announces 'DDH '"))
            self._stopped = True
            return False
        order, _ = order_of(self._data, at, self._next.encoding, ddh.VERSIONS)
        record = ddh.decode(self._data, at, order)
        if isinstance(record, Damage):
            self._damages.append(record)
            return self._stop("DDH", len(self._data) - at, {}, None)
        self._damages += record.damages
        if record.version not in ddh.VERSIONS:
            note = f"DDH at offset {at}: Version {record.version} is not known"
            self._damages.append(Damage(at, note))
            return self._stop("DDH", record.length, record.fields(), None)
        if record.tail is not None:
            self._accept("DDH", record)
            return True
        self._notes.append(f"DDH at offset {at}: {ddh.BASIS_NOTE}")
        from mqtriage.mq.headers import sniff

        found_at = sniff.find_header(self._data, at + record.length)
        looking = None if found_at is None else sniff.sniff(self._data, found_at)
        if found_at is None or looking is None:
            self._notes.append(f"DDH at offset {at}: {_BODY_START_UNKNOWN}")
            self._next = self._next._replace(format="")
            return self._stop("DDH", record.length, record.fields(), record)
        self._accept("DDH", record)
        self._at = found_at
        self._take_sniffed(looking)
        return True

    def _accept(self, name: str, record: Record) -> None:
        """Keep a whole header and go on behind it."""
        header = Header(name, self._at, record.length, record.fields(), record, self._looking)
        self._headers.append(header)
        if name in _DAMAGES_INSIDE:
            self._damages += getattr(record, "damages", ())
        self._at += record.length
        self._looking = False
        following = record.following
        if following is None:
            self._next = self._next._replace(format="")
            return
        self._next = Following(
            following.format,
            following.encoding or self._next.encoding,
            self._next.ccsid if following.ccsid == cmqc.MQCCSI_INHERIT else following.ccsid,
        )

    def _damaged(self, layout: Layout, text: str) -> bool:
        damage = f"{layout.name} at offset {self._at}: {text}"
        self._damages.append(Damage(self._at, damage))
        self._stopped = True
        return False

    def _stop(
        self, name: str, length: int, fields: Mapping[str, object], record: Record | None
    ) -> bool:
        """Keep what there is of a header that the walk cannot go beyond."""
        self._headers.append(Header(name, self._at, length, fields, record, self._looking))
        self._stopped = True
        return False

    def _body_name(self) -> str:
        """Name a body that is no message text; say when the Format is wrong about it."""
        announced = self._next.format in PCF_FORMATS
        if not announced and self._next.format:
            return ""
        from mqtriage.mq.headers import sniff
        from mqtriage.mq.pcf import messages as pcf

        message = pcf.recognise(self._data, self._at, self._next.ccsid)
        if message is None:
            if announced:
                text = f"Format {self._next.format}, but no MQCFH at offset {self._at}"
                self._damages.append(Damage(self._at, text))
                return ""
            return sniff.protocol_segment(self._data) if self._at == 0 else ""
        if not announced:
            self._notes.append(f"{message.describe()} at offset {self._at}, found by looking")
        if message.wrong is not None:
            self._damages.append(Damage(message.wrong.offset, message.wrong.text))
        return message.describe()
