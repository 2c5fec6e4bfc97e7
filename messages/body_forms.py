"""The body of one message as it is asked for: text, indented JSON or XML, hex, or as EBCDIC."""

from __future__ import annotations

from typing import Final

from mqtriage.messages.decoded import body_text
from mqtriage.records import NamedTuple

EBCDIC: Final = 1047


class ShownBody(NamedTuple):
    """A body as text, or as hex; *warning* says why it is not what was asked for, else ""."""

    text: str | None
    hex: str | None
    warning: str = ""


def shown(body: bytes, ccsid: int, encoding: int, form: str) -> ShownBody:
    """Put *body* into *form*, text, json, xml, hex or ebcdic.

    What it cannot be put into is shown as hex, and why is said.
    """
    if form == "hex":
        return ShownBody(None, body.hex().upper())
    text = body_text(body, EBCDIC if form == "ebcdic" else ccsid, encoding)
    if text is None:
        return ShownBody(None, body.hex().upper(), f"the body is not text in CCSID {ccsid}")
    if form == "json":
        return _json(text)
    return _xml(text) if form == "xml" else ShownBody(text, None)


def _json(text: str) -> ShownBody:
    import json

    try:
        return ShownBody(json.dumps(json.loads(text), indent=2, ensure_ascii=False), None)
    except (ValueError, RecursionError) as error:
        return ShownBody(text, None, f"the body is not well-formed JSON: {error}")


def _xml(text: str) -> ShownBody:
    from xml.etree import ElementTree

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return ShownBody(text, None, "the body has a document type; it is shown as it is")
    try:
        root = ElementTree.fromstring(text)
        ElementTree.indent(root)
        return ShownBody(ElementTree.tostring(root, encoding="unicode"), None)
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        return ShownBody(text, None, f"the body is not well-formed XML: {error}")
