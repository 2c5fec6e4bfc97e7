"""MQRFH2, the rules and formatting header 2: message properties in XML folders.

36 fixed bytes, then folders: a length (MQLONG) and that many bytes of text in NameValueCCSID,
padded with blanks. The text is kept as it stood, so that a header comes back byte for byte.
Sources: IBM MQ documentation, "MQRFH2 - Rules and formatting header 2" and "The MQRFH2 header and
JMS"; PM-56 to PM-68 for the header that JMS adds to a poison message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Final, TypeAlias

from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8, codec_of, decode_text
from mqtriage.mq.descriptor import MQMD, ByteOrder, integer
from mqtriage.mq.errors import UsageError
from mqtriage.mq.headers.folder_xml import (
    Property,
    changed_folder,
    folder_text,
    parse_folder,
)
from mqtriage.mq.headers.formats import JMS_ENCODING, RFH2_FORMAT
from mqtriage.mq.headers.layout import (
    Damage,
    Following,
    Layout,
    header_codec,
    order_of,
    too_short,
    wrong_length,
)
from mqtriage.records import NamedTuple, dataclass

LAYOUT: Final = Layout("MQRFH2")

Value: TypeAlias = str | int | float | bool | bytes | None


class Folder(NamedTuple):
    """One folder.

    Attributes:
        name: of its outermost element: ``mcd``, ``jms``, ``usr``; ``""`` when it cannot be read.
        raw: the bytes after its length field, padding and all.
        text: the characters of *raw* without the padding, ``""`` when they cannot be decoded.
        properties: (name, type, value), names dotted below the folder.
    """

    name: str
    raw: bytes
    text: str
    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class RFH2:
    """One rules and formatting header.

    Attributes:
        encoding, ccsid, format: of the data after it.
        name_value_ccsid: of the folders: 1208, or UTF-16 (1200, 13488, 17584).
        tail: bytes inside StrucLength after the last whole folder.
    """

    encoding: int = 273
    ccsid: int = UTF_8
    format: str = ""
    flags: int = 0
    name_value_ccsid: int = UTF_8
    folders: tuple[Folder, ...] = ()
    tail: bytes = b""
    version: int = 2
    order: ByteOrder = ">"
    codec: str = "utf-8"
    damages: tuple[Damage, ...] = ()
    original: bytes = field(default=b"", repr=False, compare=False)

    @property
    def length(self) -> int:
        """StrucLength: the fixed part, and four bytes and the text for each folder."""
        folders = sum(4 + len(folder.raw) for folder in self.folders)
        return LAYOUT.length + folders + len(self.tail)

    @property
    def struc_length(self) -> int:
        """The same under the name of the field."""
        return self.length

    @property
    def following(self) -> Following:
        """What the data after it is."""
        return Following(self.format, self.encoding, self.ccsid)

    def folder(self, name: str) -> Folder | None:
        """The first folder of that name."""
        return next((folder for folder in self.folders if folder.name == name), None)

    def fields(self) -> dict[str, object]:
        """Fields in their order in the structure; folders with their text and properties."""
        shown = LAYOUT.fields_of(self)
        shown["folders"] = self.folders
        return shown


def decode(
    data: bytes, start: int = 0, order: ByteOrder = ">", codec: str = "utf-8"
) -> RFH2 | Damage:
    """Read the header at *start*.

    A StrucLength that cannot be is a Damage; a folder that cannot be read is one in `damages`, and
    the others are there all the same.
    """
    short = too_short(LAYOUT, data, start)
    if short is not None:
        return short
    version, struc_length, encoding, ccsid, form, flags, name_value_ccsid = LAYOUT.read(
        data, start, order, codec
    )
    wrong = wrong_length(LAYOUT, struc_length, data, start)
    if wrong is not None:
        return wrong
    folders, tail, damages = _folders(
        data, start + LAYOUT.length, start + struc_length, order, name_value_ccsid
    )
    original = bytes(data[start : start + LAYOUT.length])
    return RFH2(
        encoding, ccsid, form, flags, name_value_ccsid, folders, tail, version, order, codec,
        damages, original,
    )  # fmt: skip


def destination_queue(uri: str) -> str | None:
    """The queue of a JMS destination, ``queue://QM1/ORDERS.IN?expiry=0``; None for a topic."""
    if not uri.startswith("queue://"):
        return None
    _, _, name = uri.removeprefix("queue://").partition("/")
    return name.partition("?")[0] or None


def encode(header: RFH2) -> bytes:
    """The bytes; a header that was read comes back byte for byte.

    Raises:
        UnicodeEncodeError: If the format does not exist in the header's code page.
    """
    little_or_big: Final = "little" if header.order == "<" else "big"
    pieces = [LAYOUT.encode(header)]
    for folder in header.folders:
        pieces += (len(folder.raw).to_bytes(4, little_or_big), folder.raw)
    return b"".join((*pieces, header.tail))


def listed(headers: Iterable[object]) -> tuple[Property, ...]:
    """Message properties of all MQRFH2s among *headers* as they stand, under their whole names."""
    return tuple(
        prop if folder.name == "usr" else prop._replace(name=f"{folder.name}.{prop.name}")
        for header in headers
        if isinstance(header, RFH2)
        for folder in header.folders
        for prop in folder.properties
    )


def properties(headers: Iterable[object]) -> dict[str, Value]:
    """Message properties of all MQRFH2s among *headers*, first one first.

    Those of the ``usr`` folder under their own name, others with the folder in front: ``jms.Dst``,
    ``mcd.Msd``. Of two with one name the first counts, and ``usr`` before all others.
    """
    values: dict[str, Value] = {}
    others: dict[str, Value] = {}
    for header in headers:
        for folder in header.folders if isinstance(header, RFH2) else ():
            for prop in folder.properties:
                if folder.name == "usr":
                    values.setdefault(prop.name, prop.value)
                else:
                    others.setdefault(f"{folder.name}.{prop.name}", prop.value)
    return {**others, **values}


def build(
    folders: Iterable[tuple[str, Mapping[str, Value]]],
    following: Following,
    *,
    order: ByteOrder = ">",
) -> RFH2:
    """Make a header in UTF-8.

    Args:
        folders: name and properties of each; the values' types are written as ``dt`` in ``usr``
            (JMS gives its own folders none).
        following: Format, Encoding and CCSID of the data after it.
        order: of its integers; big-endian goes with Encoding 273.

    Raises:
        UsageError: If a name or a value cannot stand in XML.
    """
    built = []
    for name, values in folders:
        text = folder_text(name, values, typed=name == "usr")
        parsed = parse_folder(text)
        if parsed.wrong:
            msg = f"MQRFH2 folder {name} cannot be written: {parsed.wrong}"
            raise UsageError(msg, hint="property names are XML names, values XML characters")
        raw = text.encode()
        built.append(Folder(name, raw + b" " * (-len(raw) % 4), text, parsed.properties))
    return RFH2(
        following.encoding, following.ccsid, following.format, folders=tuple(built), order=order
    )


def with_properties(md: MQMD, data: bytes, changes: Mapping[str, str | None]) -> tuple[MQMD, bytes]:
    """A message with properties of folder usr set, or taken out where the value is None.

    A message without an MQRFH2 in front gets one where there is something to set; Format, CCSID
    and Encoding move into it. Other folders, and properties that are not named, stay byte for byte.

    Raises:
        UsageError: A name or value cannot stand in XML, the MQRFH2 cannot be read, or a value is
            not of the type that the property has.
    """
    if not changes:
        return md, data
    if md.format.rstrip() != RFH2_FORMAT:
        values = {name: value for name, value in changes.items() if value is not None}
        if not values:
            return md, data
        header = build([("usr", values)], Following(md.format, md.encoding, md.ccsid))
        full = md._replace(format=RFH2_FORMAT, encoding=JMS_ENCODING, ccsid=UTF_8)
        return full, encode(header) + data
    there = in_front(md, data)
    return md, encode(_changed(there, changes)) + data[there.length :]


def in_front(md: MQMD, data: bytes) -> RFH2:
    """The whole header that data of Format MQHRF2 begins with.

    Raises:
        UsageError: It is not there, or damaged.
    """
    codec = header_codec(data[:4], LAYOUT.struc_id, md.ccsid)
    if codec is None:
        raise UsageError("Format is MQHRF2, but no MQRFH2 is there")
    there = decode(data, 0, order_of(data, 0, md.encoding, LAYOUT.versions)[0], codec[0])
    if isinstance(there, Damage) or there.damages:
        raise UsageError((there if isinstance(there, Damage) else there.damages[0]).text)
    return there


def _changed(header: RFH2, changes: Mapping[str, str | None]) -> RFH2:
    user = header.folder("usr")
    new = build([("usr", {k: v for k, v in changes.items() if v is not None})], header.following)
    codec = codec_of(header.name_value_ccsid, 2 if header.order == "<" else 1) or "utf-8"
    if user is None:
        added = [folder for folder in new.folders if folder.properties]
    else:
        text, wrong = changed_folder(user.text, changes)
        if wrong:
            raise UsageError(wrong)
        added = [user._replace(text=text)]
    folders = [folder for folder in header.folders if folder is not user]
    at = header.folders.index(user) if user is not None else len(folders)
    for folder in added:
        raw = folder.text.encode(codec)
        padded = raw + " ".encode(codec) * (-len(raw) % 4 // len(" ".encode(codec)))
        parsed = parse_folder(folder.text)
        folders.insert(at, Folder("usr", padded, folder.text, parsed.properties))
    return replace(header, folders=tuple(folders))


def build_jms(
    message_type: str,
    destination: str,
    following: Following,
    *,
    put_time_ms: int,
    persistence: int = 2,
    expires_at_ms: int | None = None,
    priority: int | None = None,
    correlation_id: str | None = None,
    reply_to: str | None = None,
    delay_ms: int | None = None,
    user: Mapping[str, Value] | None = None,
) -> RFH2:
    """Make the header of a JMS message: folders mcd, jms and, with properties, usr.

    With a delivery delay the folder mqext stands between them, as IBM's JMS classes write it.

    Args:
        message_type: ``jms_text``, ``jms_bytes``, ``jms_map`` ...
        destination: ``queue:///ORDERS.IN``.
        put_time_ms: JMSTimestamp, milliseconds since 1970 UTC.
        persistence: Dlv: 2 persistent, 1 not, as JMS counts.
        expires_at_ms: JMSExpiration, None for none.
        priority, correlation_id, reply_to: left out where None.
        delay_ms: delivery delay; the delivery time is *put_time_ms* and that.
    """
    jms: dict[str, Value] = {
        "Dst": destination,
        "Rto": reply_to,
        "Tms": put_time_ms,
        "Exp": expires_at_ms,
        "Cid": correlation_id,
        "Pri": priority,
        "Dlv": persistence,
    }
    folders: list[tuple[str, Mapping[str, Value]]] = [
        ("mcd", {"Msd": message_type}),
        ("jms", {name: value for name, value in jms.items() if value is not None}),
    ]
    if delay_ms is not None:
        folders.append(("mqext", {"Dly": delay_ms, "Dtm": put_time_ms + delay_ms}))
    if user:
        folders.append(("usr", user))
    return build(folders, following)


def jms_correl_id(header: RFH2) -> bytes:
    """MQMD.CorrelId as a JMS client makes it of JMSCorrelationID, which the folder jms repeats.

    "ID:" and 48 hex digits are the id itself; of any other text it is the first 24 bytes. All are
    zero where the folder says nothing.
    """
    folder = header.folder("jms")
    properties = folder.properties if folder is not None else ()
    text = next((str(item.value) for item in properties if item.name == "Cid"), "")
    return jms_correl_id_of_text(text)


def jms_correl_id_of_text(text: str) -> bytes:
    """MQMD.CorrelId as a JMS client makes it of a JMSCorrelationID."""
    if text.startswith("ID:"):
        try:
            return bytes.fromhex(text[3:])[:24].ljust(24, b"\0")
        except ValueError:
            return cmqc.MQMI_NONE
    return text.encode("utf-8")[:24].ljust(24, b"\0")


def _folders(
    data: bytes, start: int, end: int, order: ByteOrder, ccsid: int
) -> tuple[tuple[Folder, ...], bytes, tuple[Damage, ...]]:
    """Folders between *start* and *end*, what is left over, and what is wrong with them."""
    folders: list[Folder] = []
    damages: list[Damage] = []
    at = start
    while end - at >= 4:
        length = integer(data[at : at + 4], order)
        if not 0 <= length <= end - at - 4:
            text = f"MQRFH2 folder at offset {at}: length {length}, {end - at - 4} bytes left in it"
            damages.append(Damage(at, text))
            return tuple(folders), bytes(data[at:end]), tuple(damages)
        raw = bytes(data[at + 4 : at + 4 + length])
        folder, wrong = _folder(raw, order, ccsid)
        folders.append(folder)
        if wrong:
            damages.append(Damage(at, f"MQRFH2 folder at offset {at}: {wrong}"))
        at += 4 + length
    if any(data[at:end]):
        damages.append(Damage(at, f"MQRFH2: {end - at} bytes at offset {at} are no folder"))
    return tuple(folders), bytes(data[at:end]), tuple(damages)


def _folder(raw: bytes, order: ByteOrder, ccsid: int) -> tuple[Folder, str]:
    """The folder and, when it cannot be read, why."""
    encoding = 2 if order == "<" else 1
    if codec_of(ccsid, encoding) is None:
        return Folder("", raw, "", ()), f"NameValueCCSID {ccsid} is not known here"
    text = decode_text(raw, ccsid, encoding)
    if text is None:
        return Folder("", raw, "", ()), f"its bytes are not text in CCSID {ccsid}"
    text = text.rstrip(" \0")
    if not text:
        return Folder("", raw, "", ()), ""
    parsed = parse_folder(text)
    return Folder(parsed.name, raw, text, parsed.properties), parsed.wrong
