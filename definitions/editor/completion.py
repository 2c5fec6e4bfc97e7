"""What may stand at a place of a script: verbs, object types, attributes, values, names.

The command need not be whole: what stands before the place is read word by word, over the lines
that `+` and `-` continue, and nothing is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from mqtriage.definitions.editor.hover import attribute_text
from mqtriage.definitions.estate import Estate
from mqtriage.mq.attributes.attribute import Attribute, Platform, ValueKind
from mqtriage.mq.attributes.catalogue import COMMAND_KEYWORDS, attribute, attributes_of, quoted
from mqtriage.mq.mqsc.verbs import NOUN_BY_WORD, VERB_BY_WORD, VERBS, needs_name, only_platform

_SETTING: Final = ("DEFINE", "ALTER", "SET")
_VALUED_KEYWORDS: Final = frozenset({"LIKE", "CMDSCOPE", "QSGDISP", "WHERE", "CHLTABLE", "MATCH"})
_NAMED: Final = {
    **dict.fromkeys(
        ("BOQNAME", "TARGET", "TARGQ", "XMITQ", "DEADQ", "DEFXMITQ", "INITQ", "STREAMQ", "DEST"),
        "QLOCAL",
    ),
    "PROCESS": "PROCESS",
    "CLUSNL": "NAMELIST",
    "TOPICOBJ": "TOPIC",
}
"""Attributes that name an object, with the type of that."""
_PLAIN: Final = re.compile("[A-Z0-9._/%]+")
"""A name that is the same without quotes."""


class CompletionKind(StrEnum):
    """What a completion is, for the sign that editors show."""

    VERB = "verb"
    TYPE = "type"
    ATTRIBUTE = "attribute"
    VALUE = "value"
    NAME = "name"


class Completion(NamedTuple):
    """One offer.

    Attributes:
        insert: what is written in the place of what stands before the cursor.
        between: whether the cursor comes to stand before the last character, a parenthesis.
        about: Markdown, "" for nothing.
    """

    word: str
    kind: CompletionKind
    insert: str
    between: bool = False
    about: str = ""


@dataclass(slots=True)
class _Read:
    """What stands before the place.

    Attributes:
        words: whole words outside parentheses, in upper case.
        values: what stood in parentheses behind a word.
        inside: the word whose parentheses are open, "" for none.
        part: what was begun.
    """

    words: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    inside: str = ""
    part: str = ""


def completions_at(
    text: str, offset: int, estate: Estate, platform: Platform | None = None
) -> tuple[int, list[Completion]]:
    """What may stand at an offset, and where the word begins that it takes the place of."""
    before = _before(text, offset)
    if before is None:
        return offset, []
    read = _Read()
    quote = ""
    for sign in before:
        if quote:
            quote = "" if sign == quote else quote
            read.part += sign
        elif sign in "'\"" and read.inside:
            quote = sign
            read.part += sign
        elif sign == "(" and not read.inside:
            read.inside = read.part.upper() or (read.words.pop() if read.words else "?")
            read.part = ""
        elif sign == ")" and read.inside:
            read.words.append(read.inside)
            read.values[read.inside] = (read.values.get(read.inside, "") + read.part).strip(" '")
            read.inside = read.part = ""
        elif sign == ";" and not read.inside:
            read = _Read()
        elif sign in " \t\r,":
            if read.inside:
                read.values[read.inside] = read.values.get(read.inside, "") + read.part + sign
            elif read.part:
                read.words.append(read.part.upper())
            read.part = ""
        else:
            read.part += sign

    # some editors compare an offer with what was typed, letter by letter
    offers = (_as_typed(offer, read.part) for offer in _offers(read, estate, platform))
    if text.startswith("'", offset):  # an editor closed the quote already
        offers = (offer._replace(insert=offer.insert.removesuffix("'")) for offer in offers)
    return offset - len(read.part), list(offers)


def _before(text: str, offset: int) -> str | None:
    """The command's text up to the place, its lines joined; None inside a comment."""
    start = text.rfind("\n", 0, offset) + 1
    if text.startswith("*", start):
        return None
    parts = [text[start:offset]]
    while start > 0:
        end, start = start, text.rfind("\n", 0, start - 1) + 1
        line = text[start:end].rstrip()
        if line.startswith("*"):
            continue
        if not line.endswith(("+", "-")):
            break
        if line.endswith("+"):
            parts[-1] = parts[-1].lstrip()
        parts.append(line[:-1])
    return "".join(reversed(parts))


def _offers(read: _Read, estate: Estate, platform: Platform | None) -> Iterator[Completion]:
    words = [word for word in read.words if word not in ("REPLACE", "NOREPLACE")]
    if not words:
        if not read.inside:
            yield from (Completion(v, CompletionKind.VERB, f"{v} ") for v in VERBS)
        return
    verb = VERB_BY_WORD.get(words[0], "")
    if len(words) == 1:
        if read.inside:
            yield from _names(NOUN_BY_WORD.get(read.inside, ""), verb, estate)
        else:
            yield from _types(verb, platform)
        return
    noun = NOUN_BY_WORD.get(words[1], "")
    if read.inside:
        yield from _values(noun, read.inside, estate)
    else:
        yield from _attributes(verb, noun, read, platform)


def _types(verb: str, platform: Platform | None) -> Iterator[Completion]:
    for noun in sorted(VERBS.get(verb, ())):
        only = only_platform(verb, noun)
        if platform is None or only in ("", platform):
            named = needs_name(verb, noun) or (verb == "DEFINE" and noun != "MAXSMSGS")
            yield Completion(
                noun, CompletionKind.TYPE, f"{noun}()" if named else noun, between=named
            )


def _names(noun: str, verb: str, estate: Estate) -> Iterator[Completion]:
    """Objects that the script defines, for a command about one that is there."""
    if verb == "DEFINE":
        return
    if noun == "QUEUE":
        yield from map(_name, estate.queues)
    else:
        yield from (_name(d.name) for d in estate.objects(noun).values() if d.kind == noun)


def _name(name: str) -> Completion:
    return Completion(name, CompletionKind.NAME, quoted(name))


def _as_typed(offer: Completion, part: str) -> Completion:
    """In lower case behind a part in lower case; a name in quotes only where it needs them."""
    insert = offer.insert
    plain = offer.kind is CompletionKind.NAME and _PLAIN.fullmatch(offer.word)
    if plain and not part.startswith(("'", '"')):
        insert = offer.word
    if "'" in insert or not part.islower():
        return offer._replace(insert=insert)
    return offer._replace(word=offer.word.lower(), insert=insert.lower())


def _values(noun: str, keyword: str, estate: Estate) -> Iterator[Completion]:
    entry = attribute(noun, keyword)
    if entry is not None:
        yield from (Completion(word, CompletionKind.VALUE, word) for word in entry.words)
    kind = noun if keyword == "LIKE" else _NAMED.get(keyword, "")
    yield from map(_name, estate.objects(kind))


def _attributes(
    verb: str, noun: str, read: _Read, platform: Platform | None
) -> Iterator[Completion]:
    subtype = read.values.get("CHLTYPE") or read.values.get("AUTHTYPE") or ""
    for entry in attributes_of(noun, platform):
        if subtype and subtype.upper() not in (entry.channel_types or (subtype.upper(),)):
            continue
        if verb == "DISPLAY" or (verb in _SETTING and not entry.read_only):
            yield from _attribute(entry, noun, read, valued=verb != "DISPLAY")
    for word, verbs in COMMAND_KEYWORDS.items():
        if verb in verbs and word not in read.words and attribute(noun, word) is None:
            valued = word in _VALUED_KEYWORDS
            yield Completion(
                word, CompletionKind.ATTRIBUTE, f"{word}()" if valued else word, valued
            )


def _attribute(entry: Attribute, noun: str, read: _Read, *, valued: bool) -> Iterator[Completion]:
    switch = entry.kind is ValueKind.FLAG
    forms = (entry.keyword, f"NO{entry.keyword}") if switch and valued else (entry.keyword,)
    if any(word in read.words for word in forms):
        return
    about = attribute_text(entry, noun)
    for word in forms:
        between = valued and not switch
        yield Completion(
            word, CompletionKind.ATTRIBUTE, f"{word}()" if between else word, between, about
        )
