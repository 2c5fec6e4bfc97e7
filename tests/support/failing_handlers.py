"""Handlers of simulated consumers that fail on messages of some content."""

from __future__ import annotations

from xml.parsers.expat import ExpatError, ParserCreate

from mqtriage.emulator.clients.handlers import HandlerFailed
from mqtriage.messages.decoded import chain_of
from mqtriage.messages.filters.subject import Subject
from mqtriage.mq.message import Message


def expects_text(message: Message) -> None:
    """Take text messages alone: a bytes message is one of an unexpected type (PM-01).

    A JMS message says its type in the mcd folder; another one is text when its Format is MQSTR.
    """
    headers = Subject(message).headers
    kind = headers.properties.get("mcd.Msd")
    is_text = kind == "jms_text" if kind else chain_of(message).format == "MQSTR"
    if not is_text:
        detail = f"message type {kind}" if kind else f"Format {message.md.format or 'MQFMT_NONE'!r}"
        raise HandlerFailed(f"expected a text message, got {detail}")


def parses_xml(message: Message) -> None:
    """Hand the body to an XML parser, as an underlying system would (BO-03)."""
    subject = Subject(message)
    text = subject.body_text
    data = subject.payload if text is None else text.lstrip("\ufeff").encode()
    parser = ParserCreate(None if text is None else "utf-8")
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        raise HandlerFailed(f"the body is not well-formed XML: {error}") from error


def _refuse_entity(*_: object) -> None:
    raise HandlerFailed("the XML parser refuses entity declarations")
