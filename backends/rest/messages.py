"""Messages over HTTP: what of the MQI the messaging REST API can do without a broken promise.

It has no units of work, returns only texts, and knows few fields of the descriptor. So whatever
would take a message or pass its context on is refused before anything is sent.
Source: IBM MQ documentation, "/messaging/qmgr/{qmgrName}/queue/{queueName}/message" and
"messagelist".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from mqtriage.backends.port import ANY, Match
from mqtriage.backends.rest.definitions import RestDefinitions
from mqtriage.backends.rest.session import WebSession, failure, segment, unexpected
from mqtriage.backends.rest.transport import HttpAnswer
from mqtriage.model.installing import install_command
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.errors import MQTriageError, NotAuthorized, Refused, UsageError, mqi_error
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.folder_xml import Property
from mqtriage.mq.headers.formats import DDH_FORMAT, RFH2_FORMAT
from mqtriage.mq.headers.layout import Damage
from mqtriage.mq.message import Message

MOST: Final = 999_999_999
"""Messages of a list: as many as a queue can hold; without a limit there are ten."""

MOST_OF_PROPERTIES: Final = 4_000
"""Bytes of the header ibm-mq-usr: servers and proxies take 8 kB of all headers, as a rule."""

_TAKES: Final = cmqc.MQOO_INPUT_AS_Q_DEF | cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_INPUT_EXCLUSIVE
_OF_CONTEXT: Final = (
    cmqc.MQOO_SAVE_ALL_CONTEXT
    | cmqc.MQOO_PASS_IDENTITY_CONTEXT
    | cmqc.MQOO_PASS_ALL_CONTEXT
    | cmqc.MQOO_SET_IDENTITY_CONTEXT
    | cmqc.MQOO_SET_ALL_CONTEXT
)
_PUTS: Final = cmqc.MQPMO_NO_SYNCPOINT | cmqc.MQPMO_FAIL_IF_QUIESCING | cmqc.MQPMO_NEW_MSG_ID
_MQSTR: Final = "MQSTR"
_PRIORITY_BEFORE_V3: Final = 4
_ID: Final = re.compile(r"(?:ID:)?([0-9A-Fa-f]{48})")

UNTOLD: Final = frozenset(
    (
        "put_time", "backout_count", "user_identifier", "accounting_token", "appl_identity_data",
        "put_appl_type", "put_appl_type_name", "put_appl_name", "appl_origin_data", "group_id",
        "msg_seq_number", "offset", "msg_flags", "original_length", "version", "msg_type",
        "msg_type_name", "report", "report_options", "feedback", "feedback_name",
    )
)  # fmt: skip
"""What no version tells of a message, by the keys of its record."""
_BEFORE_V3: Final = frozenset(("priority", "properties"))
_NO_TEXT: Final = frozenset(
    (
        "priority", "persistence", "persistence_name", "expiry_tenths", "reply_to_q",
        "reply_to_q_mgr", "ccsid", "encoding", "length_bytes", "properties", "body", "body_hex",
        "headers", "headers_hex", "damage", "damages", "pcf",
    )
)  # fmt: skip
"""What is not told of a message either that is not text: it is listed, and not handed over."""


NO_UNITS: Final = "has no units of work, so a message that it removes could be lost"
NO_CONTEXT: Final = "cannot set the context, so a copy would differ from the original"
NO_CURSOR: Final = "has no browse cursor, so it cannot find the next message"


def refused(doing: str, why: str) -> Refused:
    """What IBM MQ's REST API cannot do, and which end of the port does it."""
    return Refused(
        f"{doing}: IBM MQ's REST API {why}",
        hint=f"use --backend mq: it needs {install_command('ibmmq')} and IBM's MQ client",
    )


class RestHandle:
    """`QueueHandle` over the messaging REST API.

    Args:
        shows_messages: whether browsed messages are only shown. Nothing else may use them, since
            so much of their descriptors is missing.
    """

    def __init__(
        self,
        session: WebSession,
        definitions: RestDefinitions,
        at: str,
        name: str,
        options: int,
        *,
        shows_messages: bool,
        selector: str = "",
        alternate_user: str = "",
        **named: str,
    ) -> None:
        self._session = session
        self._definitions = definitions
        self.name = name
        self._options = options
        self._path = f"/messaging/qmgr/{segment(at)}/queue/{segment(name)}"
        doing = f"open {name}"
        if options & _TAKES:
            raise refused(doing, NO_UNITS)
        if options & _OF_CONTEXT:
            raise refused(doing, NO_CONTEXT)
        if options & cmqc.MQOO_SET or alternate_user:
            raise refused(doing, "acts as the user who logged in, and has no equivalent of MQSET")
        if selector:
            raise refused(doing, "takes no selection string")
        if named.get("queue_manager", "") not in ("", at):
            raise refused(doing, "puts messages only on queues of its own queue manager")
        if options & cmqc.MQOO_BROWSE:
            if not shows_messages:
                raise refused(
                    f"browse {name}", "does not return every field that the operation needs"
                )
            self._list(ANY, 1, doing)
        else:
            self._look()

    def _look(self) -> None:
        """Whether there is such a queue, as far as we may know."""
        try:
            self._definitions.queue(self.name)
        except NotAuthorized:
            return  # a user who may put need not be allowed to display

    @property
    def resolved_name(self) -> str:
        try:
            definition = self._definitions.queue(self.name)
        except NotAuthorized:
            return self.name
        if definition.kind == "QALIAS":
            return str(definition.attributes.get("TARGET", "")) or self.name
        if definition.kind == "QREMOTE":
            return str(definition.attributes.get("XMITQ", "")) or self.name
        return self.name

    def get(
        self,
        options: int = 0,
        match: Match = ANY,
        *,
        wait_ms: int = 0,
        max_length: int | None = None,
    ) -> Message:
        doing = f"browse {self.name}"
        if not options & cmqc.MQGMO_BROWSE_FIRST:
            raise refused(doing, NO_CURSOR)
        if options & (cmqc.MQGMO_LOCK | cmqc.MQGMO_UNLOCK):
            raise refused(doing, "locks no message")
        message = next(self.browse(match, max_length=max_length), None)
        if message is None:
            raise mqi_error(cmqc.MQRC_NO_MSG_AVAILABLE, doing, object_name=self.name)
        return message

    # -- browsing -----------------------------------------------------------------------------

    def browse(self, match: Match = ANY, *, max_length: int | None = None) -> Iterator[Message]:
        """Each message of the list, asked for by its MsgId; what is gone by then is left out.

        To the API, messages with the same MsgId are one: only the first has its text.
        """
        seen: set[str] = set()
        for element in self._list(match, MOST, f"browse {self.name}"):
            ident = str(element.get("messageId"))
            message = None
            if ident not in seen and _format(element) != DDH_FORMAT:  # what waits is not text
                message = self._text(element, ident)
                if message is None:
                    continue
            seen.add(ident)
            message = message or self._listed(element)
            if max_length is not None:
                message = message._replace(body=message.body[:max_length])
            yield message

    def _list(self, match: Match, limit: int, doing: str) -> list[Mapping[str, Any]]:
        if match.group_id is not None or match.token is not None:
            raise refused(f"browse {self.name}", "finds messages only by MsgId and CorrelId")
        ids = [("messageId", match.msg_id), ("correlationId", match.correl_id)]
        query = "".join(f"&{name}={self._written(ident)}" for name, ident in ids if ident)
        answer = self._session.ask(
            "GET", f"{self._path}/messagelist?limit={limit}{query}", doing, changes=False
        )
        if answer.status == 204:
            return []
        if answer.status != 200:
            raise failure(doing, answer, self._session.host, self.name)
        known = answer.json()
        listed = known.get("messages") if isinstance(known, dict) else None
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            raise unexpected(doing, answer, self._session.host)
        if any(_ID.fullmatch(str(one.get("messageId"))) is None for one in listed):
            raise unexpected(doing, answer, self._session.host)
        return listed

    def _written(self, ident: bytes) -> str:
        text = ident.hex()
        return quote(f"ID:{text}") if self._session.version > 2 else text

    def _text(self, element: Mapping[str, Any], ident: str) -> Message | None:
        """A message with its text; None where it is gone."""
        doing = f"browse {self.name}"
        answer = self._session.ask(
            "GET", f"{self._path}/message?messageId={quote(ident)}", doing, changes=False
        )
        if answer.status == 204:
            return None
        if answer.status == 501:  # neither a text nor one of JMS
            return self._listed(element)
        if answer.status != 200:
            raise failure(doing, answer, self._session.host, self.name)
        untold = UNTOLD if self._session.version > 2 else UNTOLD | _BEFORE_V3
        reply_to, _, reply_to_qmgr = _header(answer, "replyTo").partition("@")
        if not reply_to_qmgr:  # only a queue comes with it
            untold |= {"reply_to_q_mgr"}
        correl_id = _header(answer, "correlationId") or str(element.get("correlationId") or "")
        md = MQMD(
            msg_id=_bytes(ident),
            correl_id=_bytes(correl_id),
            format=_MQSTR,
            ccsid=UTF_8,
            priority=_whole(_header(answer, "priority")),
            persistence=int(_header(answer, "persistence") == "persistent"),
            expiry_tenths=_tenths(_header(answer, "expiry")),
            reply_to_q=reply_to,
            reply_to_q_mgr=reply_to_qmgr,
        )
        properties = properties_in(answer.headers.get("ibm-mq-usr", ""))
        if properties is None:
            properties, untold = (), untold | {"properties"}
        length = len(answer.body)
        return Message(md, answer.body, length, properties=properties, untold=untold)

    def _listed(self, element: Mapping[str, Any]) -> Message:
        """What the list tells of a message."""
        md = MQMD(
            msg_id=_bytes(str(element["messageId"])),
            correl_id=_bytes(str(element.get("correlationId") or "")),
            format=_format(element),
        )
        return Message(md, b"", 0, untold=UNTOLD | _NO_TEXT)

    # -- putting ------------------------------------------------------------------------------

    @property
    def context(self) -> object:
        return None

    def put(self, md: MQMD, body: bytes, options: int = 0, context: object = None) -> MQMD:
        doing = f"put to {self.name}"
        if options & cmqc.MQPMO_SYNCPOINT:
            raise refused(doing, "has no unit of work")
        if options & ~_PUTS or context is not None:
            raise refused(doing, "cannot set the context or these put options")
        headers, text = self._written_message(md, body, doing)
        answer = self._session.ask(
            "POST", f"{self._path}/message", doing, body=text, headers=headers, changes=True
        )
        if answer.status != 201:
            raise failure(doing, answer, self._session.host, self.name)
        ident = _header(answer, "messageId")
        if _ID.fullmatch(ident) is None:
            raise unexpected(doing, answer, self._session.host)
        return md._replace(msg_id=_bytes(ident))

    def _written_message(self, md: MQMD, body: bytes, doing: str) -> tuple[dict[str, str], bytes]:
        """The headers and the text that make this very message."""
        properties: tuple[Property, ...] = ()
        if md.format == RFH2_FORMAT:
            header = rfh2.decode(body, 0)
            if isinstance(header, Damage) or header.damages or header.tail:
                raise refused(doing, "writes its own MQRFH2, and cannot reproduce this one")
            if [folder.name for folder in header.folders] != ["usr"]:
                raise refused(doing, "writes its own MQRFH2, which contains only user properties")
            properties = header.folders[0].properties
            body = body[header.length :]
            md = md._replace(format=header.format, ccsid=header.ccsid, encoding=header.encoding)
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            text = ""
        if md.format != _MQSTR or md.ccsid != UTF_8 or text.encode() != body:
            raise refused(doing, "can put only text messages (format MQSTR, CCSID 1208)")
        for name, is_set in (
            ("report options", bool(md.report)),
            ("a feedback code", bool(md.feedback)),
            ("a MsgId", md.msg_id != NO_ID),
            ("a group", md.group_id != NO_ID or bool(md.msg_flags)),
            ("a type other than datagram", md.msg_type != cmqc.MQMT_DATAGRAM),
            ("a context", bool(md.user_identifier or md.put_appl_name or md.put_date)),
        ):
            if is_set:
                raise refused(doing, f"cannot put a message with {name}")
        if properties and self._session.version < 3:
            raise refused(doing, f"version {self._session.version} cannot put properties")
        headers = {
            "Content-Type": "text/plain;charset=utf-8",
            "ibm-mq-md-persistence": self._persistence(md),
            "ibm-mq-md-expiry": (
                "unlimited" if md.expiry_tenths < 0 else str(md.expiry_tenths * 100)
            ),
        }
        if md.correl_id != NO_ID:
            before = "ID:" if self._session.version > 2 else ""
            headers["ibm-mq-md-correlationId"] = before + md.correl_id.hex()
        if md.reply_to_q:
            after = f"@{md.reply_to_q_mgr}" if md.reply_to_q_mgr else ""
            headers["ibm-mq-md-replyTo"] = md.reply_to_q + after
        if md.priority >= 0:
            if self._session.version < 3 and md.priority != _PRIORITY_BEFORE_V3:
                raise refused(doing, f"version {self._session.version} always puts with priority 4")
            if self._session.version > 2:
                headers["ibm-mq-md-priority"] = str(md.priority)
        if properties:
            headers["ibm-mq-usr"] = text_of_all = ", ".join(map(property_text, properties))
            if len(text_of_all) > MOST_OF_PROPERTIES:
                raise refused(
                    doing, f"writes properties in a header of at most {MOST_OF_PROPERTIES} bytes"
                )
        return headers, body

    def _persistence(self, md: MQMD) -> str:
        """What the message is to be: the API itself does not look at DEFPSIST."""
        number = md.persistence
        if number == cmqc.MQPER_PERSISTENCE_AS_Q_DEF:
            try:
                definition = self._definitions.queue(self.name)
            except MQTriageError as error:
                raise UsageError(
                    f"put to {self.name}: cannot read DEFPSIST of the queue: {error.text}",
                    hint="--persistent, or --not-persistent",
                ) from error
            number = int(definition.attributes.get("DEFPSIST") == "YES")
        return "persistent" if number else "nonPersistent"

    def close(self) -> None:
        """Nothing is held."""


_WORDS: Final = {
    "boolean": "boolean",
    "byte": "i1",
    "short": "i2",
    "integer": "i4",
    "long": "i8",
    "float": "r4",
    "double": "r8",
    "string": "string",
}
"""Types of ibm-mq-usr, and the ``dt`` of a property that is the same."""
_DT_WORDS: Final = {dt: word for word, dt in _WORDS.items()} | {"int": "long", "i8": "long"}
_PROPERTY: Final = re.compile(
    r"\s*([^;,\s\"]+)\s*;\s*(\"(?:[^\"\\]|\\.)*\"|[^;,\"]*)\s*;\s*(\w+)\s*(?:,|$)"
)


def property_text(one: Property) -> str:
    """``colour;"red";string``: a property as the header ibm-mq-usr has it."""
    word = _DT_WORDS.get(one.type)
    value = one.value
    text = str(value).lower() if isinstance(value, bool) else str(value)
    odd = not (text.isascii() and text.isprintable()) or any(sign in text for sign in '"\\')
    named = one.name.isascii() and one.name.isprintable() and not set(one.name) & set(';," ')
    if word is None or value is None or odd or not named:
        raise Refused(
            f"property {one.name}: IBM does not document how IBM MQ's REST API writes such a value",
            hint="plain ASCII without quotes and backslashes works; --backend mq puts any",
        )
    return f'{one.name};"{text}";{word}' if word == "string" else f"{one.name};{text};{word}"


def properties_in(text: str) -> tuple[Property, ...] | None:
    """The properties of a header ibm-mq-usr; None where it cannot be read to its end."""
    properties, at = [], 0
    while at < len(text):
        matched = _PROPERTY.match(text, at)
        if matched is None:
            return None
        at = matched.end()
        name, raw, word = matched.groups()
        properties.append(Property(name, _WORDS.get(word, "string"), _value(raw.strip(), word)))
    return tuple(properties)


def _value(raw: str, word: str) -> str | int | float | bool:
    if raw.startswith('"'):
        raw = re.sub(r"\\(.)", r"\1", raw[1:-1])
    try:
        if word in ("byte", "short", "integer", "long"):
            return int(raw)
        if word in ("float", "double"):
            return float(raw)
    except ValueError:
        return raw
    return raw == "true" if word == "boolean" else raw


def _format(element: Mapping[str, Any]) -> str:
    return str(element.get("format") or "").strip()[:8]


def _header(answer: HttpAnswer, name: str) -> str:
    return answer.headers.get(f"ibm-mq-md-{name.lower()}", "").strip()


def _bytes(ident: str) -> bytes:
    """24 bytes; of an application's own string what MQMD holds of it."""
    whole = _ID.fullmatch(ident)
    return bytes.fromhex(whole[1]) if whole else ident.encode()[:24].ljust(24, b"\0")


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _tenths(text: str) -> int:
    """Lifetime that is left: the header has milliseconds."""
    if text.isascii() and text.isdecimal() and len(text) < 15:
        return -(-int(text) // 100)
    return cmqc.MQEI_UNLIMITED
