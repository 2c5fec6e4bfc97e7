"""Mask values inside a JSON or XML text by their paths; every other character stays as it is.

    $.card.number   $.items[*].iban   $.items[0]   $..password      JSON
    /order/card     //card            /order/*/@id  //@token         XML

``*`` stands for any name or position, ``..`` and ``//`` for any depth. Unlike a path that selects
(`body_path`), a path here means every place that it fits. XML names are compared without their
namespace prefix.

Decisions are pure: a text and what to put in come in, a new text comes out, or None for a text that
cannot be read as JSON or XML, in which nobody can tell what there is to mask.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, AnyStr, Final, TypeAlias

from mqtriage.messages.body_path import begins_like_xml
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple

HINT: Final = "write a JSON path, $.card.number or $..iban, or an XML path, /order/card or //@id"
GREATEST_DEPTH: Final = 500

Replace: TypeAlias = Callable[[str], str]
"""From the value as text to what is to stand in its place."""

_JSON_STEP: Final = re.compile(r"(\.\.)([\w-]+)|\.([\w-]+|\*)|\[([0-9]{1,9}|\*)\]|\['([^']*)'\]")
_XML_STEP: Final = re.compile(r"(//?)(@?)([\w.-]+|\*)")
_PLAIN: Final = re.compile(r"[\w-]+")
_JSON_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_START_TAG: Final = re.compile(rb"<[^\s/>]+(?:\s+[^\s=>]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?>")
_ATTRIBUTE: Final = re.compile(rb"\s([^\s=>]+)\s*=\s*(\"[^\"]*\"|'[^']*')")


class _Step(NamedTuple):
    """One step: *name* None for any, an int for a position; *deep* at any depth below."""

    name: str | int | None
    deep: bool = False
    attribute: bool = False


class MaskPath(NamedTuple):
    """A path that was read; *text* as it was written."""

    text: str
    steps: tuple[_Step, ...]

    @property
    def is_xml(self) -> bool:
        """Whether it is about XML."""
        return self.text.startswith("/")


Kept: TypeAlias = Callable[[str], None]
"""Takes the path of a value that stays, with ``[*]`` for each position."""


def _ignore(_: object) -> None:
    """Nobody wants to know."""


class MaskingRule(NamedTuple):
    """What to do with the values at a path.

    *covered* is called for each value that another rule replaces, alone or with what is around
    it, with the `replace` of that rule. *of_type* takes what replaces an element of a type
    (attribute ``dt``), and that type, and returns what fits it.
    """

    path: MaskPath
    replace: Replace
    covered: Callable[[Replace], None] = _ignore
    of_type: Callable[[str, str], str] | None = None


def read_path(text: str, *, what: str = "path") -> MaskPath:
    """Read a path."""
    is_xml = text.startswith("/")
    if not is_xml and not text.startswith("$"):
        raise UsageError(f"{what} {text[:60]!r}: begins with neither $ nor /", hint=HINT)
    pattern, position = (_XML_STEP, 0) if is_xml else (_JSON_STEP, 1)
    steps: list[_Step] = []
    while position < len(text):
        step = pattern.match(text, position)
        if step is None or (steps and steps[-1].attribute):
            msg = f"{what} {text[:60]!r}: cannot read {text[position : position + 20]!r}"
            raise UsageError(f"{msg} at character {position + 1}", hint=HINT)
        steps.append(_xml_step(step) if is_xml else _json_step(step))
        position = step.end()
    if not steps:
        raise UsageError(f"{what} {text[:60]!r}: names nothing", hint=HINT)
    return MaskPath(text, tuple(steps))


def _json_step(step: re.Match[str]) -> _Step:
    deep, deep_name, name, index, quoted = step.groups()
    if deep:
        return _Step(deep_name, deep=True)
    if index is not None:
        return _Step(None if index == "*" else int(index))
    return _Step(quoted) if quoted is not None else _Step(None if name == "*" else name)


def _xml_step(step: re.Match[str]) -> _Step:
    slashes, sign, name = step.groups()
    return _Step(None if name == "*" else name, slashes == "//", bool(sign))


def _fits(steps: Sequence[_Step], place: Sequence[str | int]) -> bool:
    """Whether the steps lead to *place*, both from the root."""
    if not steps:
        return not place
    step, rest = steps[0], steps[1:]
    if not step.deep:
        return bool(place) and step.name in (None, place[0]) and _fits(rest, place[1:])
    return any(
        step.name in (None, place[at]) and _fits(rest, place[at + 1 :]) for at in range(len(place))
    )


# JSON ---------------------------------------------------------------------------------------------


def mask_json(text: str, rules: Sequence[MaskingRule], kept: Kept = _ignore) -> str | None:
    """*text* with the values at the rules' paths replaced by JSON strings; None if it is not JSON.

    An object or a list that a path names is replaced as a whole. *kept* is called for the others.
    """
    try:
        json.loads(text)
        spliced = list(_json_splices(text, rules, kept))
    except (ValueError, RecursionError):
        return None
    return _spliced(text, spliced)


def _json_splices(
    text: str, rules: Sequence[MaskingRule], kept: Kept
) -> Iterator[tuple[int, int, str]]:
    """Start and end of each value to replace, with what to put there; *text* is valid JSON."""
    place: list[str | int] = []
    is_object: list[bool] = []
    key_comes = False
    hidden: tuple[int, int, MaskingRule] | None = (
        None  # depth and start of what is replaced as a whole
    )
    for token in _JSON_TOKEN.finditer(text):
        sign = token[0]
        if sign == ":":
            key_comes = False
            continue
        if sign == ",":
            if is_object[-1]:
                key_comes = True
            else:
                last = place[-1]
                place[-1] = last + 1 if isinstance(last, int) else last
            continue
        if sign in "}]":
            is_object.pop()
            place.pop()
            key_comes = False
            if hidden is not None and hidden[0] == len(place):
                yield hidden[1], token.end(), _quoted(hidden[2], text[hidden[1] : token.end()])
                hidden = None
            continue
        if key_comes:
            place[-1] = json.loads(sign)
            continue
        rule = _rule_for(rules, place, None if hidden is None else hidden[2])
        if sign in "{[":
            if len(place) >= GREATEST_DEPTH:
                raise ValueError("nested too deep")
            if rule is not None:
                hidden = (len(place), token.start(), rule)
            is_object.append(sign == "{")
            place.append("" if sign == "{" else 0)
            key_comes = sign == "{"
        elif rule is not None:
            value = json.loads(sign) if sign.startswith('"') else sign
            yield token.start(), token.end(), _quoted(rule, value)
        elif hidden is None and kept is not _ignore:
            kept(_json_path(place))


def _json_path(place: Sequence[str | int]) -> str:
    """``$.items[*].price``."""
    return "$" + "".join(
        "[*]" if isinstance(step, int) else f".{step}" if _PLAIN.fullmatch(step) else f"['{step}']"
        for step in place
    )


def _quoted(rule: MaskingRule, value: str) -> str:
    return json.dumps(rule.replace(value))


def _rule_for(
    rules: Sequence[MaskingRule], place: Sequence[str | int], around: MaskingRule | None
) -> MaskingRule | None:
    """The first rule for *place*; None inside what the rule *around* it replaces."""
    fitting = [rule for rule in rules if _fits(rule.path.steps, place)]
    return _first_of(fitting, around)


def _first_of(fitting: Sequence[MaskingRule], around: MaskingRule | None) -> MaskingRule | None:
    """The first rule of a value, the others of which have nothing left to replace."""
    first = around or (fitting[0] if fitting else None)
    for rule in fitting:
        if first is not None and rule is not first:
            rule.covered(first.replace)
    return None if around else first


# XML ----------------------------------------------------------------------------------------------


def mask_xml(
    text: str, rules: Sequence[MaskingRule], kept: Kept = _ignore, aside: str | None = None
) -> str | None:
    """*text* with elements and attributes at the rules' paths replaced; None if it is no XML.

    What an element holds is replaced as a whole. A document with a DOCTYPE counts as none. *kept*
    is called for each text and attribute that stays, *aside* replaces what comments and processing
    instructions hold.
    """
    if not begins_like_xml(text):
        return None
    data = text.encode("utf-8", "surrogatepass")
    try:
        spliced = _xml_splices(data, rules, kept, aside)
    except ValueError:
        return None
    return _spliced(data, spliced).decode("utf-8", "surrogatepass")


def _xml_splices(
    data: bytes, rules: Sequence[MaskingRule], kept: Kept, aside: str | None
) -> list[tuple[int, int, bytes]]:
    """Raises ValueError for what is no XML, or is more than we read."""
    from xml.parsers.expat import ExpatError, ParserCreate

    splices: list[tuple[int, int, bytes]] = []
    place: list[str | int] = []
    hidden: list[tuple[int, int, MaskingRule, str]] = []  # depth, begin of content, rule, type
    parser: Any = ParserCreate("utf-8")

    def start(name: str, attributes: dict[str, str]) -> None:
        place.append(name.rpartition(":")[2])
        if hidden:
            around = hidden[0][2]
            for label in attributes:
                if not label.startswith("xmlns"):
                    _attribute_rule(rules, place, label.rpartition(":")[2], around)
            _rule_for(elements, place, around)
            return
        if len(place) > GREATEST_DEPTH:
            raise ValueError("nested too deep")
        at = parser.CurrentByteIndex
        tag = _START_TAG.match(data, at)
        if tag is None:
            raise ValueError("a start tag that is not understood")
        for attribute in _ATTRIBUTE.finditer(data, at, tag.end()):
            label = attribute[1].decode().rpartition(":")[2]
            rule = _attribute_rule(rules, place, label, None)
            if rule is not None and not attribute[1].startswith(b"xmlns"):
                value = attributes.get(attribute[1].decode(), "")
                splices.append(
                    (attribute.start(2) + 1, attribute.end(2) - 1, _escaped(rule, value))
                )
            elif not attribute[1].startswith(b"xmlns"):
                kept(f"{_xml_path(place)}/@{label}")
        rule = _rule_for(elements, place, None)
        if rule is not None and not tag[0].endswith(b"/>"):
            hidden.append((len(place), tag.end(), rule, attributes.get("dt", "")))

    def end(name: str) -> None:
        if hidden and hidden[0][0] == len(place):
            _, begins, rule, kind = hidden.pop()
            inside = data[begins : parser.CurrentByteIndex]
            if inside.strip():
                text = re.sub(r"<[^>]*>", "", inside.decode("utf-8", "surrogatepass")).strip()
                splices.append((begins, parser.CurrentByteIndex, _escaped(rule, text, kind)))
        place.pop()

    def text(data: str) -> None:
        if not hidden and data.strip():
            kept(_xml_path(place))

    def comment(_: str) -> None:
        replace_aside(b"<!--", b"-->")

    def instruction(target: str, content: str) -> None:
        if content:
            replace_aside(b"<?" + target.encode() + b" ", b"?>")

    def replace_aside(before: bytes, behind: bytes) -> None:
        if not hidden and aside is not None:
            begins = parser.CurrentByteIndex
            ends = data.index(behind, begins + len(before)) + len(behind)
            splices.append((begins, ends, before + aside.encode() + behind))

    def doctype(*_: object) -> None:
        raise ValueError("a document type")

    elements = [rule for rule in rules if not rule.path.steps[-1].attribute]
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = doctype
    parser.CommentHandler, parser.ProcessingInstructionHandler = comment, instruction
    if kept is not _ignore:
        parser.CharacterDataHandler = text
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        raise ValueError(str(error)) from error
    return sorted(splices)


def _xml_path(place: Sequence[str | int]) -> str:
    return "".join(f"/{step}" for step in place)


def _attribute_rule(
    rules: Sequence[MaskingRule],
    place: Sequence[str | int],
    label: str,
    around: MaskingRule | None,
) -> MaskingRule | None:
    """The same for an attribute of the element at *place*."""
    fitting = []
    for rule in rules:
        *before, last = rule.path.steps
        if not last.attribute or last.name not in (None, label):
            continue
        above = (place[:length] for length in range(len(place) + 1))  # and the place itself
        if _fits(before, place) or (last.deep and any(_fits(before, part) for part in above)):
            fitting.append(rule)
    return _first_of(fitting, around)


def _escaped(rule: MaskingRule, value: str, kind: str = "") -> bytes:
    from xml.sax.saxutils import escape

    text = rule.replace(value)
    if rule.of_type is not None:
        text = rule.of_type(text, kind)
    return escape(text, {'"': "&quot;", "'": "&apos;"}).encode()


def _spliced(text: AnyStr, splices: Sequence[tuple[int, int, AnyStr]]) -> AnyStr:
    pieces: list[AnyStr] = []
    at = 0
    for start, end, value in splices:
        pieces += [text[at:start], value]
        at = end
    pieces.append(text[at:])
    return text[:0].join(pieces)
