"""runCommandJSON: a command in JSON as the same command in MQSC, and objects as JSON.

The text is what the MQSC server is given: nothing here knows what a command does. Every value is
quoted unless it is a word of MQSC or a number, so that no value becomes more than a value.
Source: IBM MQ documentation, "POST JSON formatted command" of /admin/action/qmgr/{name}/mqsc.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from mqtriage.emulator.web.exchange import bad_body, printable, unknown_attribute
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import (
    COMMAND_KEYWORDS,
    Attribute,
    AttributeValue,
    ValueKind,
    attribute,
    attributes_of,
    quoted,
)
from mqtriage.mq.errors import Refused
from mqtriage.mq.mqsc.verbs import NOUN_BY_WORD, VERB_BY_WORD, VERBS, parameters_of

_KEYWORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_MEMBERS: Final = frozenset(
    {"type", "command", "qualifier", "name", "parameters", "responseParameters"}
)
_BARE: Final = frozenset(
    word for word in COMMAND_KEYWORDS
    if word in ("REPLACE", "NOREPLACE", "FORCE", "NOFORCE", "PURGE", "NOPURGE", "ALL")
)  # fmt: skip
_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "QUEUE": QUEUE_KINDS,
    "QSTATUS": ("QSTATUS", "QHANDLE"),
    "AUTHREC": ("AUTHREC", "AUTHRECS"),
}
"""What commands on an object type are about, where it is not that type itself."""
_OF_QUEUES: Final = frozenset(("CLUSINFO", "QTYPE", "TYPE"))
"""What DISPLAY of queues takes beside their attributes."""
_TEXTS: Final = frozenset(
    [
        "LIKE",
        "PROFILE",
        "PRINCIPAL",
        "GROUP",
        "TOQLOCAL",
        "CONNAME",
        "QMNAME",
        "XMITQ",
        "TOPICSTR",
        "SUBID",
    ]
)
"""Keywords of commands whose value is a name or text, in which case matters."""
_PAIRS: Final = ("QTIME",)
"""Attributes that are two numbers."""
_TEXT_KINDS: Final = (ValueKind.NAME, ValueKind.STRING, ValueKind.LIST)


def mqsc_text(request: Mapping[str, Any]) -> str:
    """The MQSC of a command in JSON.

    Raises:
        RestError: 400, a member or name that the command does not take, or a wrong type.
    """
    for member in request:
        if member not in _MEMBERS:
            raise bad_body(f"member '{printable(member)}'")
    verb, noun = _words(request)
    parts = [f"{verb} {noun}"]
    name = request.get("name")
    if name is not None:
        parts[0] += f"({_quoted(_text(name, 'name'))})"
    parameters = request.get("parameters", {})
    if not isinstance(parameters, dict):
        raise bad_body("'parameters' is not an object")
    for keyword, value in parameters.items():
        parts += _parameter(verb, noun, keyword, value)
    asked = request.get("responseParameters", [])
    if not isinstance(asked, list):
        raise bad_body("'responseParameters' is not an array")
    if asked and verb != "DISPLAY":
        raise unknown_attribute("responseParameters")
    for one in asked:
        parts.append(_asked(noun, _text(one, "responseParameters")))
    return " ".join(parts)


def _words(request: Mapping[str, Any]) -> tuple[str, str]:
    verb_word = _text(request.get("command"), "command").upper()
    noun_word = _text(request.get("qualifier"), "qualifier").upper()
    verb = VERB_BY_WORD.get(verb_word, "")
    if not VERBS.get(verb):
        raise unknown_attribute(verb_word)
    noun = NOUN_BY_WORD.get(noun_word, "")
    if noun not in VERBS[verb]:
        raise unknown_attribute(noun_word)
    return verb, noun


def _parameter(verb: str, noun: str, keyword: str, value: Any) -> Iterator[str]:
    word = keyword.upper()
    if _KEYWORD.fullmatch(keyword) is None or not _takes(verb, noun, word):
        raise unknown_attribute(keyword)
    if word == "WHERE":
        yield _where(_text(value, keyword))
        return
    entry = _entry(noun, word)
    if word in _BARE or (entry is not None and entry.kind is ValueKind.FLAG):
        yield from _switch(word, _text(value, keyword).upper(), entry)
        return
    values = value if isinstance(value, list) else [value]
    texts = [_value(word, entry, one) for one in values]
    yield f"{word}({','.join(texts) or _quoted('')})"


def _takes(verb: str, noun: str, keyword: str) -> bool:
    """Whether mqweb, which knows names, lets a keyword through."""
    if verb in COMMAND_KEYWORDS.get(keyword, ()):
        return True
    if _entry(noun, keyword) is not None or not _is_known(noun):
        return True
    if verb == "DISPLAY":
        return keyword in _steering(noun)
    return verb not in ("DEFINE", "ALTER", "SET", "DELETE")


def _steering(noun: str) -> frozenset[str]:
    """Keywords, and no attributes, that say what a DISPLAY shows."""
    return parameters_of("DISPLAY", noun) or _OF_QUEUES


def _is_known(noun: str) -> bool:
    """Whether the attributes of that object type stand in a table."""
    return any(attributes_of(kind) for kind in _KINDS.get(noun, (noun,)))


def _entry(noun: str, keyword: str) -> Attribute | None:
    kinds = _KINDS.get(noun, (noun,))
    return next((e for kind in kinds if (e := attribute(kind, keyword)) is not None), None)


def _switch(word: str, value: str, entry: Attribute | None) -> Iterator[str]:
    """A keyword without a value: "yes" says it, "no" of a switch says its opposite."""
    if value == "YES":
        yield word
    elif value != "NO":
        raise bad_body(f"'{word}' takes \"yes\"")
    elif entry is not None and entry.kind is ValueKind.FLAG:
        yield entry.keyword if word.startswith("NO") else f"NO{entry.keyword}"


def _value(word: str, entry: Attribute | None, value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = _text(value, word)
    is_text = word in _TEXTS if entry is None else entry.kind in _TEXT_KINDS
    if not is_text and _WORD.fullmatch(text):
        return text
    return _quoted(text)


def _where(text: str) -> str:
    keyword, operator, value = (*text.split(None, 2), "", "", "")[:3]
    if not (_KEYWORD.fullmatch(keyword) and _KEYWORD.fullmatch(operator) and value):
        raise bad_body("'where' takes attribute, operator and value")
    value = value if _WORD.fullmatch(value) else _quoted(value.strip("'"))
    return f"WHERE({keyword} {operator} {value})"


def _asked(noun: str, name: str) -> str:
    word = name.upper()
    entry = _entry(noun, word)
    is_known = entry is not None or word == "ALL" or word in _steering(noun) or not _is_known(noun)
    is_known = is_known or "DISPLAY" in COMMAND_KEYWORDS.get(word, ())
    if _KEYWORD.fullmatch(name) is None or not is_known or word == "WHERE":
        raise unknown_attribute(name)
    if entry is not None and entry.kind is ValueKind.FLAG:
        raise unknown_attribute(name)  # seen of `share`; "all" shows it
    return word


def _text(value: Any, member: str) -> str:
    if not isinstance(value, str):
        raise bad_body(f"'{printable(member)}' is not a string")
    return value


def _quoted(text: str) -> str:
    try:
        return quoted(text)
    except Refused as error:
        raise bad_body(error.text) from error


def with_handles(objects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """DISPLAY QSTATUS TYPE(HANDLE): one object a queue, with its handles in an array `objects`."""
    grouped: dict[str, dict[str, Any]] = {}
    for shown in objects:
        first = {key: shown.pop(key) for key in ("queue", "type")}
        grouped.setdefault(first["queue"], {**first, "objects": []})["objects"].append(shown)
    return list(grouped.values())


# -- objects as JSON ------------------------------------------------------------------------------


def object_json(noun: str, values: Mapping[str, AttributeValue]) -> dict[str, Any]:
    """An object's attributes by names in lower case; a switch by the name that holds."""
    kind = str(values.get("TYPE", noun)) if noun in ("QUEUE", *QUEUE_KINDS) else noun
    shown: dict[str, Any] = {}
    for keyword, value in values.items():
        name, form = _name_and_kind(kind, keyword)
        if form is ValueKind.FLAG:
            shown[name if value == "YES" else f"no{name}"] = "YES"
        elif form is ValueKind.LIST:
            shown[name] = [part for part in str(value).split(",") if part]
        elif keyword in _PAIRS:
            numbers = [part.strip() for part in str(value).split(",")]
            shown[name] = [int(number) for number in numbers if number]
        else:
            shown[name] = value
    return shown


@lru_cache(maxsize=4096)  # ten thousand queues have the same attributes
def _name_and_kind(kind: str, keyword: str) -> tuple[str, ValueKind | None]:
    entry = attribute(kind, keyword)
    return keyword.lower(), None if entry is None else entry.kind
