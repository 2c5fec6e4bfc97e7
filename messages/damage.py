"""What is wrong with the data of a message, in one word that a filter can ask for.

    MQRFH2 MQDLH ...   that header cannot be read whole
    text               Format is MQSTR, and the data is not text in its CCSID
    ccsid              the data is readable in UTF-8, and not in its CCSID: EBCDIC or UTF-16
    xml, json          the data begins like such a document and is not well-formed

An XML document with a DOCTYPE is not judged: no entity is ever expanded. Nor is a message of which
only the first part is in hand, or JSON that is nested deeper than can be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqtriage.messages.body_path import well_formed_xml
from mqtriage.mq.ccsid import codec_of, is_mismarked

if TYPE_CHECKING:
    from mqtriage.mq.descriptor import MQMD
    from mqtriage.mq.headers.chain import Chain
    from mqtriage.mq.message import Message

_STRUCTURES: Final = {"MQHRF2": "MQRFH2", "MQDEAD": "MQDLH", "MQXMIT": "MQXQH"}


def damage_of(message: Message, chain: Chain, text: str | None) -> str | None:
    """The word for what is wrong; None where nothing is, or nothing can be told.

    Args:
        text: its body, None where that is not text.
    """
    if len(message.body) < message.length_bytes:
        return None
    if chain.damages:
        at = chain.damages[0].offset
        for header in chain.headers:
            if header.offset <= at < header.offset + header.length:
                return header.name
        return _STRUCTURES.get(chain.format, chain.format or "header")
    return damage_of_body(chain.body(message.body), chain, text)


def damage_of_body(data: bytes, of: Chain | MQMD, text: str | None) -> str | None:
    """The same for *data* behind the headers; *of* says its Format, CCSID and encoding."""
    if is_mismarked(data, of.ccsid, of.encoding):
        return "ccsid"
    if text is None:
        is_known = of.ccsid <= 0 or codec_of(of.ccsid) is not None
        return "text" if of.format == "MQSTR" and is_known else None
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start == "<":
        return None if well_formed_xml(text) else "xml"
    if start in ("{", "["):
        return None if well_formed_json(text) else "json"
    return None


def well_formed_json(text: str) -> bool:
    """Whether *text* is a JSON document; True where it is nested too deep to tell."""
    import json

    try:
        json.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        return True
    except ValueError:
        return False
    return True
