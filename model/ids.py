"""MsgId, CorrelId and GroupId as people write them, and as we print them.

An id is 24 bytes. These forms are read, and what was understood is always told:

    414D5120...           48 hex digits, also as 0x414D... or X'414D...'
    ID:414D51             2 to 48 hex digits, padded with NUL on the right
    text:ORDER-1          UTF-8, padded with NUL or with blanks: both are meant
    text@1047:ORDER-1     another code page (CCSID), padded with NUL or with its blanks
    b64:QU1R...           base64 of 1 to 24 bytes, padded with NUL
    414D51*               a trailing asterisk: ids that begin so (not with b64:)
    …A1B2C3D4, A1B2C3D4   fewer hex digits, as tables show them: the id that ends so
    *A1B2C3D4, ID:*A1B2   the same; ID: may stand before the dots too
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

from mqtriage.model.units import count_text
from mqtriage.mq.ccsid import codec_of
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple

ID_LENGTH_BYTES: Final = 24
"""MQMI_NONE, MQCI_NONE, MQGI_NONE: no id; in a get it means "any"."""

WHOLE_FORMS: Final = (
    "write 48 hex digits, ID:HEX (2 to 48 digits), text:ABC, text@CCSID:ABC or b64:BASE64"
)
FORMS: Final = (
    f"{WHOLE_FORMS}; HEX* for the first bytes, or the last 4 or more digits (8 to change messages)"
)
_SCHEME: Final = re.compile(r"(id|b64|text(?:@([0-9]{1,5}))?):(.*)\Z", re.IGNORECASE | re.DOTALL)
_HEX: Final = re.compile(r"[0-9A-Fa-f]*\Z")
_MARKED: Final = re.compile(r"0[xX]([^']*)\Z|[xX]'([^']*)'\Z")
_TAIL: Final = re.compile(r"(?:id:)?(?:…|\.{2,3}|\*(?=.))", re.IGNORECASE)
"""What stands before the end of an id: tables print dots, and people write an asterisk."""
_LEAST_DIGITS: Final = 4
"""Of the end of an id: fewer are a slip of the hand."""
_LEAST_BYTES: Final = 4
"""Of an id, for what changes its message: tables show no less."""
_UNQUOTED: Final = re.compile(r"text:[A-Za-z0-9_@%+=:,./-]+")
"""Text in an id that a shell takes as it is."""
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}\Z")
_SHOWN: Final = 60
_ASCII: Final = bytes(c if 0x20 <= c < 0x7F else 0x2E for c in range(256))


class IdMatch(NamedTuple):
    """An id as it was understood.

    Attributes:
        value: 24 bytes, or the first or last ones of the ids meant.
        is_prefix: every id that begins with *value* is meant.
        given_bytes: how many bytes the user gave, before padding.
        is_tail: the id that ends with *value* is meant.
        with_blanks: what text is that a program padded with blanks, as COBOL does; None where
            that is no other id.
    """

    value: bytes
    is_prefix: bool
    given_bytes: int
    is_tail: bool = False
    with_blanks: bytes | None = None

    @property
    def forms(self) -> tuple[bytes, ...]:
        """*value*, and with it the other padding."""
        return (self.value,) if self.with_blanks is None else (self.value, self.with_blanks)

    @property
    def start(self) -> bytes:
        """The bytes that all forms begin with."""
        return self.value if self.with_blanks is None else self.value[: self.given_bytes]

    def matches(self, ident: bytes) -> bool:
        """Whether the 24 bytes of *ident* are meant."""
        if self.is_tail:
            return ident.endswith(self.value)
        return ident.startswith(self.value) if self.is_prefix else ident in self.forms

    def describe(self, kind: str) -> str:
        """The sentence for stderr: which bytes are used.

        Args:
            kind: what the id is, for example ``correlation id``.
        """
        digits, given = self.value.hex().upper(), count_text(self.given_bytes, "byte")
        if self.is_prefix:
            return f"{kind} begins with {digits} ({given})"
        if self.is_tail:
            return f"{kind} ends with {digits} ({given})"
        if self.given_bytes == ID_LENGTH_BYTES:
            return f"{kind}: {digits} (24 bytes)"
        blanks = "" if self.with_blanks is None else " or blanks"
        return f"{kind}: {digits} ({given} given, padded with NUL{blanks} to 24)"


def parse_id(
    text: str, *, for_write: bool, parts_allowed: bool = True, what: str = "id"
) -> IdMatch:
    """Read an id in any of the forms above.

    Args:
        for_write: the verb changes something: the all-zero id, which MQ takes as "match any", and
            a part of less than four bytes are refused.
        parts_allowed: the first or the last bytes of an id make sense here.
        what: name of the option or field, for the error.
    """
    marked = _MARKED.match(text)
    body = text if marked is None else marked[1] or marked[2] or ""
    is_prefix = body.endswith("*")
    mark = _TAIL.match(body)
    body = body if mark is None else body[mark.end() :]
    is_tail = mark is not None or bool(
        _HEX.match(body) and _LEAST_DIGITS <= len(body) < 2 * ID_LENGTH_BYTES
    )
    if (is_prefix or is_tail) and not parts_allowed:
        _refuse(what, text, "the whole id is needed here", hint=WHOLE_FORMS)
    if is_tail:
        return _part(_from_hex(body, text, what), for_write, text, what, is_tail=True)
    given = _given_bytes(body[:-1] if is_prefix else body, text, what, is_prefix=is_prefix)
    if is_prefix:
        return _part(given, for_write, text, what, is_tail=False)
    value = given.ljust(ID_LENGTH_BYTES, b"\0")
    if for_write and value == NO_ID:
        _refuse(what, text, "all bytes are zero, which a queue manager treats as any message")
    return IdMatch(value, False, len(given), with_blanks=_with_blanks(body, given))


def _with_blanks(body: str, given: bytes) -> bytes | None:
    """Text that is padded with the blanks of its code page; None of what is no text, or whole."""
    scheme = _SCHEME.match(body)
    if scheme is None or not scheme[1].lower().startswith("text"):
        return None
    codec = codec_of(int(scheme[2])) if scheme[2] else "utf-8"
    blanks = " ".encode(codec or "utf-8") * ID_LENGTH_BYTES
    value = given + blanks[: ID_LENGTH_BYTES - len(given)]
    return value if len(given) < ID_LENGTH_BYTES else None


def _part(given: bytes, for_write: bool, text: str, what: str, *, is_tail: bool) -> IdMatch:
    if for_write and len(given) < _LEAST_BYTES:
        _refuse(what, text, f"at least {_LEAST_BYTES} bytes are needed to change a message")
    whole = len(given) == ID_LENGTH_BYTES
    return IdMatch(given, not is_tail, len(given), is_tail and not whole)


def looks_like_id(text: str) -> bool:
    """Whether a word may be a MsgId or the end of one: 8 to 48 hex digits."""
    mark = _TAIL.match(text)
    digits = text if mark is None else text[mark.end() :]
    return 2 * _LEAST_BYTES <= len(digits) <= 2 * ID_LENGTH_BYTES and bool(_HEX.match(digits))


def format_id(ident: bytes) -> str:
    """48 upper-case hex digits of a 24-byte id."""
    return ident.hex().upper()


def short_form(ident: str, width: int, ellipsis: str = "…") -> str:
    """48 hex digits in a form of *width* characters, 9 or more, that `parse_id` reads.

    It is the end, by which the ids of a queue manager differ. Where that is only the NUL of the
    padding, it is the text of the id, what was given of it, or its start.
    """
    digits = (width - len(ellipsis)) // 2 * 2
    if digits < 2 * _LEAST_BYTES:  # a dot less, rather than too few digits to change the message
        ellipsis, digits = "*", 2 * _LEAST_BYTES
    if ident[-digits:].strip("0") or not ident.strip("0"):
        return ellipsis + ident[-digits:]
    given = bytes.fromhex(ident).rstrip(b"\0")
    text = f"text:{given.decode('latin-1')}"
    if len(text) <= width and _UNQUOTED.fullmatch(text):
        return text
    whole = f"ID:{given.hex().upper()}"
    return whole if len(whole) <= width else f"{ident[: (width - 1) // 2 * 2]}*"


def printable_part(ident: bytes) -> str:
    """The text inside an id, ``.`` for other bytes; empty when it is mostly not text.

    Ids made by z/OS queue managers begin with ``CSQ`` in EBCDIC and are read as that.
    """
    given = ident.rstrip(b"\0")
    if given.startswith(b"\xc3\xe2\xd8"):
        given = given.decode("cp500").encode("latin-1", "replace")
    text = given.translate(_ASCII).decode("ascii")
    visible = sum(1 for byte, shown in zip(given, text, strict=True) if shown != "." or byte == 46)
    return text.rstrip() if given and 2 * visible >= len(given) else ""


def _given_bytes(body: str, text: str, what: str, *, is_prefix: bool) -> bytes:
    """The bytes that were written, not yet padded: 1 to 24 of them."""
    scheme = _SCHEME.match(body)
    if scheme is None:
        if is_prefix:
            return _from_hex(body, text, what)
        if len(body) != 2 * ID_LENGTH_BYTES or not _HEX.match(body):
            given = f"{len(body)} characters" if body else "nothing"
            _refuse(what, text, f"expected exactly 48 hex digits, found {given}")
        return bytes.fromhex(body)
    name, ccsid, rest = scheme[1].lower(), scheme[2], scheme[3]
    if name == "id":
        return _from_hex(rest, text, what)
    if name == "b64":
        if is_prefix:
            _refuse(what, text, "base64 cannot be a prefix; write the first bytes as ID:HEX*")
        return _bounded(_from_base64(rest, text, what), text, what)
    return _bounded(_from_text(rest, ccsid, text, what), text, what)


def _from_hex(digits: str, text: str, what: str) -> bytes:
    if not digits:
        _refuse(what, text, "no hex digits")
    if not _HEX.match(digits):
        wrong = next(c for c in digits if not _HEX.match(c))
        _refuse(what, text, f"{wrong!r} is not a hex digit")
    if len(digits) > 2 * ID_LENGTH_BYTES:
        _refuse(what, text, f"{len(digits)} hex digits, an id has at most 48")
    if len(digits) % 2:
        _refuse(what, text, f"{len(digits)} hex digits, two are needed for each byte")
    return bytes.fromhex(digits)


def _from_base64(rest: str, text: str, what: str) -> bytes:
    if not _BASE64.match(rest) or len(rest) % 4:
        _refuse(what, text, "not base64")
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(rest, strict_mode=True)
    except Error as error:
        _refuse(what, text, f"not base64 ({error})", cause=error)


def _from_text(rest: str, ccsid: str | None, text: str, what: str) -> bytes:
    codec: str | None = "utf-8"
    page = "UTF-8"
    if ccsid is not None:
        codec, page = codec_of(int(ccsid)), f"code page {ccsid}"
    if codec is None:
        _refuse(what, text, f"{page} is not known here")
    try:
        return rest.encode(codec)
    except UnicodeEncodeError as error:
        _refuse(what, text, f"a character does not exist in {page}", cause=error)


def _bounded(given: bytes, text: str, what: str) -> bytes:
    if not given:
        _refuse(what, text, "no bytes")
    if len(given) > ID_LENGTH_BYTES:
        _refuse(what, text, f"{len(given)} bytes, an id has at most 24")
    return given


def _refuse(
    what: str, text: str, why: str, cause: Exception | None = None, *, hint: str = FORMS
) -> NoReturn:
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    msg = f"{what} {shown!r}: {why}"
    raise UsageError(msg, hint=hint) from cause
