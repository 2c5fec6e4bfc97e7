"""Take out of a message what must not leave the house, so that what is left can still be joined.

Ids and users become HMACs with a key: equal ones stay equal, between archives too where the key
is the same, and CorrelId still meets MsgId. In the body the values at given paths are masked or
hashed; a body in which the paths cannot be looked up is masked as a whole. Headers that hold a
descriptor (MQXQH, MQMDE, the delay header) are treated like the MQMD.
"""

from __future__ import annotations

import hmac
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any, Final

from mqtriage.messages.decoded import chain_of
from mqtriage.messages.masking import (
    MaskingRule,
    MaskPath,
    Replace,
    mask_json,
    mask_xml,
    read_path,
)
from mqtriage.model.units import count_text
from mqtriage.mq.ccsid import UTF_8, codec_of, decode_text
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import UsageError
from mqtriage.mq.headers import ddh, iih, mde, rfh2, xqh
from mqtriage.mq.headers.chain import Chain, Header
from mqtriage.mq.message import Message
from mqtriage.records import dataclass

MASK: Final = "***"

_NAMES: Final = 8
"""Properties, or fields of bodies, that a note names."""
_COUNTED: Final = 1000
"""How many of these are counted."""
_LONGEST: Final = 60
"""Characters: longer paths of fields are shortened, and count as one if they begin alike."""
_JMS_USER: Final = "JMSXUserID"
"""Of the folder usr; it is hashed without being named."""
_OF_MQ: Final = frozenset({"mcd", "jms", "mqext", "mqps", "psc", "pscr"})
"""Folders whose properties MQ and JMS write: queue names, times, types of bodies."""
_NEITHER: Final = "with a body that is neither JSON nor XML"
_NUMBERS: Final = {
    "i1": 100, "i2": 10_000, "r4": 1_000_000,
    "i4": 1_000_000_000, "i8": 1_000_000_000, "int": 1_000_000_000, "r8": 1_000_000_000,
}  # fmt: skip
"""Types of properties that are numbers, and how many numbers stand for hashes."""
_ID: Final = re.compile(r"ID:([0-9A-Fa-f]{48})\Z")


class Pseudonyms:
    """HMAC-SHA-256 with a key, in the lengths of MQ's fields; empty values stay empty."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def _of(self, kind: str, value: bytes) -> bytes:
        return hmac.new(self._key, kind.encode() + b"\0" + value, sha256).digest()

    def key_id(self) -> str:
        """16 hex digits by which archives with the same key are known."""
        return self._of("key", b"").hex()[:16]

    def ident(self, value: bytes) -> bytes:
        """MsgId, CorrelId or GroupId."""
        return self._of("id", value)[: len(value)] if any(value) else value

    def token(self, value: bytes) -> bytes:
        """AccountingToken."""
        return self._of("token", value)[: len(value)] if any(value) else value

    def user(self, value: str) -> str:
        """UserIdentifier, 12 characters."""
        return f"u{self._of('user', value.encode()).hex()[:11]}" if value else value

    def text(self, value: str) -> str:
        """Any other text, 32 characters; an id as JMS writes it stays one."""
        if not value:
            return value
        match = _ID.match(value)
        if match is not None:
            return f"ID:{self.ident(bytes.fromhex(match[1])).hex()}"
        return self._of("text", value.encode("utf-8", "surrogatepass")).hex()[:32]

    def body(self, value: bytes) -> str:
        """What stands for message data: equal for equal data."""
        return self._of("body", value).hex()


def masked(_: str) -> str:
    """What stands in the place of a masked value."""
    return MASK


def _of_type(text: str, kind: str) -> str:
    """What replaces a message property, as its type (``dt``) allows: text only where text fits.

    A masked number or boolean is 0. A hash becomes a number in the range of its type.
    """
    is_mask = text == MASK
    if kind == "boolean":
        return "0"
    if kind == "bin.hex":
        return "00" if is_mask else text
    if kind not in _NUMBERS:
        return text
    return "0" if is_mask else str(int(text, 16) % _NUMBERS[kind])


@dataclass(frozen=True, slots=True)
class RedactionRequest:
    """What is to be masked and hashed beside ids and users.

    Attributes:
        mask, hash: paths in bodies.
        mask_props, hash_props: names of message properties: ``Card``, ``jms.Rto``.
        bodies: False leaves message data out altogether.
    """

    mask: tuple[MaskPath, ...] = ()
    hash: tuple[MaskPath, ...] = ()
    mask_props: tuple[str, ...] = ()
    hash_props: tuple[str, ...] = ()
    bodies: bool = True


class Chosen:
    """What `--mask` or `--hash` names, and what it changed.

    Attributes:
        option, path: as they were given; a property's path is ``prop.NAME``.
        change: from a value to what replaces it.
        searched: bodies that were searched for the path; for a property: messages.
        changed: values that were replaced.
        covered_by: what replaced values before it could, alone or with what is around them.
    """

    def __init__(self, option: str, path: str, change: Replace) -> None:
        self.option, self.path, self.change = option, path, change
        self.searched = self.changed = 0
        self.covered_by: list[str] = []

    def __call__(self, value: str) -> str:
        """What replaces *value*."""
        self.changed += 1
        return self.change(value)

    def __str__(self) -> str:
        return f"{self.option} {self.path}"

    @property
    def without_effect(self) -> str:
        """A sentence if there was something to search, but nothing to change; else empty."""
        if self.changed or self.covered_by or not self.searched:
            return ""
        kind = "XML data of " if self.path.startswith("/") else "JSON data of "
        kind = "" if self.path.startswith("prop.") else kind
        return f"{self} changed nothing in {kind}{count_text(self.searched)}"

    def cover(self, change: Replace) -> None:
        """Note that *change* replaced one of its values."""
        if str(change) not in self.covered_by:
            self.covered_by.append(str(change))

    @property
    def coverage(self) -> str:
        """A sentence if all of its values were replaced by others; else empty."""
        if self.changed or not self.covered_by:
            return ""
        return f"{self}: these values were already replaced by {', '.join(self.covered_by)}"


class _Kept:
    """Names of values that nothing replaced, up to a number, and how many messages have some."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.messages = 0

    def add(self, name: str) -> None:
        """Note one."""
        if len(self.names) < _COUNTED:
            self.names[name] = None

    def add_path(self, path: str) -> None:
        """Note one field of a body."""
        self.add(path if len(path) <= _LONGEST else f"{path[: _LONGEST - 3]}...")

    def add_message(self, names: Collection[str]) -> None:
        """Note those of one message."""
        self.messages += bool(names)
        for name in names:
            self.add(name)

    def note(self, what: str, option: str) -> str:
        """A sentence about them; empty if there are none."""
        if not self.names:
            return ""
        least = "at least " if len(self.names) == _COUNTED else ""
        more = len(self.names) - _NAMES
        others = f" and {least}{more} more" if more > 0 else ""
        verb = "has" if self.messages == 1 else "have"
        return (
            f"{count_text(self.messages)} {verb} {what} that are not masked:"
            f" {', '.join([*self.names][:_NAMES])}{others}; {option} masks one"
        )


class Redactor:
    """Redacts messages; `notes` counts what was noticed on the way, `chosen` what was changed.

    `first_ids` has the MsgId of the first message of some notes, as it was.
    """

    def __init__(self, key: bytes, choices: RedactionRequest) -> None:
        self.names = Pseudonyms(key)
        self.choices = choices
        self.notes: Counter[str] = Counter()
        self.first_ids: dict[str, str] = {}
        rules = [
            _rule(path, Chosen(option, path.text, change))
            for option, paths, change in (
                ("--mask", choices.mask, masked),
                ("--hash", choices.hash, self.names.text),
            )
            for path in paths
        ]
        self._json = [rule for rule in rules if not rule.path.is_xml]
        self._xml = [rule for rule in rules if rule.path.is_xml]
        self._properties = [
            Chosen(option, f"prop.{name}", change)
            for option, names, change in (
                ("--mask", choices.mask_props, masked),
                ("--hash", choices.hash_props, self.names.text),
            )
            for name in names
        ]
        self._kept_properties = _Kept()
        self._kept_fields = _Kept()
        self._folders = _property_rules(self._properties, self.names)
        self.chosen = [*_chosen(rules), *self._properties]

    def redact(self, message: Message) -> Message:
        """The message without what is to be taken out."""
        md = self._descriptor(message.md)
        if not self.choices.bodies:
            return Message(md, b"", message.length_bytes)
        for chosen in self._properties:
            chosen.searched += 1
        chain = chain_of(message)
        self._kept_properties.add_message(self._kept_of(chain))
        pieces = [self._header(header, message) for header in chain.headers]
        body = b"".join(pieces) + self._payload(chain, chain.body(message.body))
        return Message(md, body, len(body))

    @property
    def kept_properties(self) -> str:
        """A sentence if messages have properties that nothing replaced; else empty."""
        return self._kept_properties.note("properties", "--mask prop.NAME")

    @property
    def kept_fields(self) -> str:
        """A sentence if bodies that were searched have values that nothing replaced; else empty."""
        return self._kept_fields.note("body fields", "--mask PATH")

    def _kept_of(self, chain: Chain) -> Collection[str]:
        """Names of the properties of a message that keep their values."""
        named = {*self.choices.mask_props, *self.choices.hash_props, _JMS_USER}
        return dict.fromkeys(
            name
            for header in chain.headers
            for folder in getattr(header.record, "folders", ())
            if folder.name not in _OF_MQ
            for prop in folder.properties
            for name in (prop.name if folder.name == "usr" else f"{folder.name}.{prop.name}",)
            if name not in named and f"usr.{name}" not in named
        )

    def _descriptor(self, md: MQMD) -> MQMD:
        names = self.names
        return md._replace(
            msg_id=names.ident(md.msg_id),
            correl_id=names.ident(md.correl_id),
            group_id=names.ident(md.group_id),
            user_identifier=names.user(md.user_identifier),
            accounting_token=names.token(md.accounting_token),
            appl_identity_data=names.text(md.appl_identity_data)[:32],
        )

    def _header(self, header: Header, message: Message) -> bytes:
        record: Any = header.record
        raw = message.body[header.offset : header.offset + header.length]
        match header.name:
            case "MQXQH" if record is not None:
                inner = self._descriptor(record.message_descriptor)
                return xqh.encode(replace(record, message_descriptor=inner))
            case "MQMDE" if record is not None:
                return mde.encode(replace(record, group_id=self.names.ident(record.group_id)))
            case "MQRFH2" if record is not None:
                return self._rfh2(record)
            case "MQIIH" if record is not None:
                return iih.encode(replace(record, authenticator=b" " * 8))
            case "DDH" if record is not None and record.tail is not None:
                return self._staged(record, raw)
            case "MQDLH":
                return raw
        size = count_text(header.length, "byte")
        text = f"with an {header.name} that cannot be redacted: its {size}"
        if record is None:  # what follows a damaged header is masked as a whole
            text += " are kept, and the rest of the message is masked"
        else:
            text += " are kept as they are"
        self.notes[text] += 1
        self.first_ids.setdefault(text, message.md.msg_id.hex().upper())
        return raw

    def _staged(self, header: ddh.DDH, raw: bytes) -> bytes:
        tail = header.tail
        assert tail is not None
        inner = self._descriptor(tail.original)
        return ddh.encode_staged(
            header.time_us,
            None if header.expiry_raw == -1 else header.expiry_raw,
            header.target_q_mgr or "",
            header.target_q or "",
            inner,
            tail.send_time_us,
            tail.delay_ms,
            subscription_id=tail.subscription_id,
            subscription_name=tail.subscription_name,
            order=header.order,
        )

    def _rfh2(self, header: Any) -> bytes:
        codec = codec_of(header.name_value_ccsid, 2 if header.order == "<" else 1)
        folders = []
        unreadable = False
        mask = partial(mask_xml, aside=MASK)
        for folder in header.folders:
            text = _counted(mask, folder.text, self._folders) if folder.text and codec else None
            if text is None:
                unreadable = True
            elif text == folder.text or codec is None:
                folders.append(folder)
            else:
                raw = text.encode(codec)
                raw += " ".encode(codec) * (-len(raw) % 4)
                folders.append(folder._replace(raw=raw, text=text))
        if unreadable:
            self.notes["with an unreadable MQRFH2 folder, omitted"] += 1
        return rfh2.encode(replace(header, folders=tuple(folders)))

    def _payload(self, chain: Chain, payload: bytes) -> bytes:
        if not payload:
            return payload
        unknown = bool(chain.damages) or any(
            header.name == "DDH" and getattr(header.record, "tail", None) is None
            for header in chain.headers
        )
        if unknown:  # ids and users may stand in what nobody can read
            return self._whole("ascii")
        if not (self._json or self._xml):
            return payload
        ccsid = chain.ccsid if chain.ccsid > 0 else UTF_8
        codec = codec_of(ccsid, chain.encoding)
        text = decode_text(payload, ccsid, chain.encoding)
        if codec is None or text is None or text.encode(codec, "replace") != payload:
            return self._whole(codec or "ascii")
        rules, kept = self._json, _Kept()
        changed = _counted(partial(mask_json, kept=kept.add_path), text, rules) if rules else None
        if changed is None and self._xml:
            rules, kept = self._xml, _Kept()
            changed = _counted(partial(mask_xml, kept=kept.add_path), text, rules)
        if changed is None:
            return self._whole(codec, self._unnamed(text))
        for chosen in _chosen(rules):
            chosen.searched += 1
        self._kept_fields.add_message(kept.names)
        masked = mask_xml(changed, (), aside=MASK) or changed if rules is self._xml else changed
        if changed == text:
            outcome = "kept as it is" if masked == text else "only its comments are masked"
            self.notes[f"with a body in which no path matches, {outcome}"] += 1
        return masked.encode(codec, "replace")

    def _unnamed(self, text: str) -> str:
        """What a body is that no path could search."""
        if not self._xml and mask_xml(text, ()) is not None:
            return "with an XML body, for which no XML path was given"
        if not self._json and mask_json(text, ()) is not None:
            return "with a JSON body, for which no JSON path was given"
        return _NEITHER

    def _whole(self, codec: str, what: str = _NEITHER) -> bytes:
        self.notes[f"{what}, masked completely"] += 1
        return MASK.encode(codec)


def read_chosen(
    mask: Sequence[str], hashed: Sequence[str], *, no_bodies: bool, keep_bodies: bool
) -> RedactionRequest:
    """The options as they were given: paths in bodies, and ``prop.NAME``.

    Raises:
        UsageError: No path can be read, or it is not clear what becomes of the bodies.
    """
    paths = [[text for text in texts if not text.startswith("prop.")] for texts in (mask, hashed)]
    if any(paths) + no_bodies + keep_bodies != 1:
        raise UsageError(
            "specify what to do with the bodies",
            hint="--mask and --hash with paths, --no-bodies, or --keep-bodies",
        )
    return RedactionRequest(
        tuple(read_path(text, what="--mask") for text in paths[0]),
        tuple(read_path(text, what="--hash") for text in paths[1]),
        tuple(text.removeprefix("prop.") for text in mask if text.startswith("prop.")),
        tuple(text.removeprefix("prop.") for text in hashed if text.startswith("prop.")),
        not no_bodies,
    )


def _chosen(rules: Sequence[MaskingRule]) -> list[Chosen]:
    return [rule.replace for rule in rules if isinstance(rule.replace, Chosen)]


def _rule(path: MaskPath, chosen: Chosen) -> MaskingRule:
    return MaskingRule(path, chosen, chosen.cover)


def _counted(
    mask: Callable[[str, Sequence[MaskingRule]], str | None],
    text: str,
    rules: Sequence[MaskingRule],
) -> str | None:
    """*text* after *mask*; what it changed does not count where it gave up."""
    chosen = _chosen(rules)
    before = [one.changed for one in chosen]
    result = mask(text, rules)
    if result is None:
        for one, changed in zip(chosen, before, strict=True):
            one.changed = changed
    return result


def _property_rules(properties: Sequence[Chosen], names: Pseudonyms) -> list[MaskingRule]:
    """Rules for the folders of an MQRFH2: what was asked for, and the ids and users of JMS."""
    rules = []
    for chosen in properties:
        steps = chosen.path.removeprefix("prop.").replace(".", "/")
        for path in (f"/usr/{steps}", f"/{steps}"):
            what = f"{chosen.option} prop.NAME"
            rule = _rule(read_path(path, what=what), chosen)
            rules.append(rule._replace(of_type=_of_type))
    own = (("/jms/Cid", names.text), ("/jms/Gid", names.text), (f"/usr/{_JMS_USER}", names.user))
    return rules + [MaskingRule(read_path(path), change) for path, change in own]
