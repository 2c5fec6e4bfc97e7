"""The XML of one MQRFH2 folder: to properties and back, safely and in linear time.

No document type, so no entities; no more than 64 elements deep. Types are those of the ``dt``
attribute: string, boolean, bin.hex, i1, i2, i4, i8, int, r4, r8.
Source: IBM MQ documentation, "Property folders and names in the MQRFH2 header".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.records import NamedTuple

GREATEST_DEPTH: Final = 64
_INTEGERS: Final = frozenset({"i1", "i2", "i4", "i8", "int"})
_I4: Final = 2**31
_OF_DESCRIPTOR: Final = frozenset({"context", "copy", "sr", "sa", "sx"})


class Property(NamedTuple):
    """One message property.

    Attributes:
        name: dotted below the folder: ``Dst``, ``group.item``.
        type: its ``dt``, ``string`` when it has none.
        value: converted by its type; None for ``xsi:nil="true"``; text that is not of its type
            stays text.
        described: other attributes of the element, which say what an MQPD does
            (`mq.property_descriptor`).
    """

    name: str
    type: str
    value: str | int | float | bool | bytes | None
    described: tuple[tuple[str, str], ...] = ()


class Parsed(NamedTuple):
    """What a folder holds; *wrong* says why the rest could not be read, ``""`` when all could."""

    name: str
    properties: tuple[Property, ...]
    wrong: str


class _Stop(Exception):
    """Ends the parse; its text is the reason."""


class _Element:
    """An element that is open."""

    __slots__ = ("attributes", "has_children", "name", "pieces")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.pieces: list[str] = []
        self.has_children = False


class _Collector:
    """Expat's handlers: keeps the open elements, adds a property when a leaf closes."""

    def __init__(self, names_budget: int) -> None:
        self._names_budget = names_budget
        self._path_length = 0
        self.folder_name = ""
        self.properties: list[Property] = []
        self.wrong: list[str] = []
        self._open: list[_Element] = []

    def refuse_doctype(self, *_: object) -> None:
        raise _Stop("it has a DOCTYPE, which is refused")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= GREATEST_DEPTH:
            raise _Stop(f"its elements are nested deeper than {GREATEST_DEPTH}")
        if self._open:
            self._open[-1].has_children = True
        else:
            self.folder_name = name
            self._path_length = -len(name) - 1  # the folder's own name is no part of property names
        self._path_length += len(name) + 1
        if self._path_length - 1 > cmqc.MQ_MAX_PROPERTY_NAME_LENGTH:  # of the dotted name
            longest = cmqc.MQ_MAX_PROPERTY_NAME_LENGTH
            raise _Stop(f"a property name is longer than {longest} characters")
        self._open.append(_Element(name, attributes))

    def text(self, piece: str) -> None:
        self._open[-1].pieces.append(piece)

    def end(self, _: str) -> None:
        element = self._open.pop()
        names_length = self._path_length
        self._path_length -= len(element.name) + 1
        if element.has_children or not self._open:
            return
        self._names_budget -= names_length
        if self._names_budget < 0:
            raise _Stop("its property names are out of all proportion to its length")
        path = ".".join([*(opened.name for opened in self._open[1:]), element.name])
        kind, is_nil = _type_and_nil(element.attributes)
        described = _described(element.attributes) if len(element.attributes) else ()
        text = "".join(element.pieces)
        if is_nil:
            self.properties.append(Property(path, kind, None, described))
            return
        value, wrong = _converted(text, kind)
        self.properties.append(Property(path, kind, value, described))
        if wrong:
            self.wrong.append(f"property {path}: {wrong}")


def parse_folder(text: str) -> Parsed:
    """Read the text of one folder; what is wrong with it is told, never raised.

    Properties in front of the place where it breaks are kept.
    """
    from xml.parsers import expat  # read only when a message has an MQRFH2

    # deep groups with long names repeat them in every property: bounded, so that time is linear
    collector = _Collector(names_budget=16 * len(text) + 65536)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = collector.refuse_doctype
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    try:
        parser.Parse(text, True)
    except _Stop as stop:
        collector.wrong.append(str(stop))
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        collector.wrong.append(f"not well-formed XML: {reason} at byte {parser.ErrorByteIndex}")
    except UnicodeEncodeError:
        collector.wrong.append("not well-formed XML: half a surrogate pair")
    return Parsed(
        collector.folder_name, tuple(collector.properties), "; ".join(collector.wrong[:3])
    )


def folder_text(
    name: str, values: Mapping[str, str | int | float | bool | bytes | None], *, typed: bool
) -> str:
    """Write a folder.

    Args:
        values: property to value, names written as they are; None is written as ``xsi:nil``.
        typed: write ``dt`` for values that are not text.
    """
    inner = "".join(_property_text(key, value, typed=typed) for key, value in values.items())
    return f"<{name}>{inner}</{name}>"


_START_TAG: Final = re.compile(rb"<([^\s/>]+)(?:\s+[^\s=]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*(/?)>")


class _Span(NamedTuple):
    """One property of a folder: where it begins and ends, in bytes, and its type."""

    name: str
    start: int
    end: int
    kind: str
    is_nil: bool


def changed_folder(text: str, changes: Mapping[str, str | None]) -> tuple[str, str]:
    """A well-formed folder with properties set, or taken out where the value is None.

    What is there keeps its place, its type and its attributes; what is new is a string and comes
    last. Properties inside groups stay as they are.

    Returns:
        The text, and what is wrong: a value that is not of the type that is there.
    """
    data = text.encode()
    outermost = _tag(data, _elements(data)[1])
    if outermost[2]:
        data = data[: outermost.start()] + _opening(outermost) + b"</" + outermost[1] + b">"
    for name, value in changes.items():
        elements, _, end = _elements(data)
        there = [element for element in elements if element.name == name]
        new = "" if value is None else _property_text(name, value, typed=False)
        if there and value is not None and not there[0].is_nil:
            wrong = _converted(value, there[0].kind)[1]
            if wrong:
                return text, f"property {name}: {wrong}"
            head = _opening(_tag(data, there[0].start)).decode()
            new = f"{head}{new.partition('>')[2]}"
        if there:
            for element in reversed(there[1:]):
                data = data[: element.start] + data[element.end :]
            data = data[: there[0].start] + new.encode() + data[there[0].end :]
        else:
            data = data[:end] + new.encode() + data[end:]
    return data.decode(), ""


def _tag(data: bytes, at: int) -> re.Match[bytes]:
    """The tag that begins there, of well-formed XML; group 2 is ``/`` where it ends there too."""
    tag = _START_TAG.match(data, at)
    assert tag is not None
    return tag


def _opening(tag: re.Match[bytes]) -> bytes:
    """The tag without the slash of one that ends at once."""
    return tag[0][:-2] + b">" if tag[2] else tag[0]


def _elements(data: bytes) -> tuple[list[_Span], int, int]:
    """The elements right below the outermost, and where that and its end tag begin."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    elements: list[_Span] = []
    opened: list[tuple[str, int, dict[str, str]]] = []
    first = end = 0

    def begun(name: str, attributes: dict[str, str]) -> None:
        opened.append((name, parser.CurrentByteIndex, attributes))

    def ended(_name: str) -> None:
        nonlocal first, end
        name, start, attributes = opened.pop()
        if len(opened) == 1:
            tag = _tag(data, start)
            after = tag.end() if tag[2] else data.index(b">", parser.CurrentByteIndex) + 1
            elements.append(_Span(name, start, after, *_type_and_nil(attributes)))
        elif not opened:
            first, end = start, parser.CurrentByteIndex

    parser.StartElementHandler = begun
    parser.EndElementHandler = ended
    parser.Parse(data, True)
    return elements, first, end


def _property_text(
    name: str, value: str | int | float | bool | bytes | None, *, typed: bool
) -> str:
    if value is None:
        return f"<{name} xsi:nil='true'></{name}>"
    kind, text = _written(value)
    attribute = f" dt='{kind}'" if typed and kind != "string" else ""
    for bad, good in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(bad, good)
    return f"<{name}{attribute}>{text}</{name}>"


def _written(value: str | int | float | bool | bytes) -> tuple[str, str]:
    """The ``dt`` type of a value, and its text."""
    if isinstance(value, bool):
        return "boolean", "1" if value else "0"
    if isinstance(value, int):
        return ("i4" if -_I4 <= value < _I4 else "i8"), str(value)
    if isinstance(value, float):
        return "r8", repr(value)
    if isinstance(value, bytes):
        return "bin.hex", value.hex().upper()
    return "string", value


def _type_and_nil(attributes: dict[str, str]) -> tuple[str, bool]:
    kind, is_nil = "string", False
    for name, value in attributes.items():
        local = name.rpartition(":")[2]
        if local == "dt":
            kind = value
        elif local == "nil":
            is_nil = value in ("true", "1")
    return kind, is_nil


def _described(attributes: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The attributes that are those of an MQPD."""
    return tuple(attribute for attribute in attributes.items() if attribute[0] in _OF_DESCRIPTOR)


def _converted(text: str, kind: str) -> tuple[str | int | float | bool | bytes, str]:
    """The value of *text* as *kind*, or the text itself and why it is not one."""
    convert: Callable[[str], int | float | bool | bytes]
    if kind in _INTEGERS and "_" not in text:
        convert = int
    elif kind in ("r4", "r8") and "_" not in text:
        convert = float
    elif kind in _INTEGERS or kind in ("r4", "r8"):
        return text, f"{text[:40]!r} is not of type {kind}"
    elif kind == "bin.hex":
        convert = bytes.fromhex
    elif kind == "boolean":
        convert = _boolean
    else:
        return text, ""  # string, char, and types not known here: shown as they are
    try:
        return convert(text), ""
    except ValueError:
        return text, f"{text[:40]!r} is not of type {kind}"


def _boolean(text: str) -> bool:
    words = {"1": True, "true": True, "TRUE": True, "0": False, "false": False, "FALSE": False}
    if text not in words:
        raise ValueError
    return words[text]
