"""One value inside a JSON or XML body, by its path.

    $.order.items[0].sku  $['odd key'].a     JSON: keys and zero-based positions
    /order/item[2]/@sku   /order/total       XML: elements (one-based positions) and attributes

XML names are compared without their namespace prefix, and the first match in document order
counts. A document with a DOCTYPE is not read at all, so that no entity is ever expanded; reading
stops at the value. A body that is not of that kind simply has no such value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, NoReturn

from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple

INNER: Final = ("prop.", "body.")
"""What a column begins with that is a property, or a value inside the body."""
PATH_HINT: Final = "write a JSON path, $.order.items[0].sku, or an XML path, /order/item/@sku"
GREATEST_STEPS: Final = 100
_JSON_STEP: Final = re.compile(r"\.([\w-]+)|\[([0-9]{1,9})\]|\['([^']*)'\]")
_XML_STEP: Final = re.compile(r"/([\w.-]+)(?:\[([1-9][0-9]{0,8})\])?")
_XML_ATTRIBUTE: Final = re.compile(r"/@([\w.-]+)")


class _Element(NamedTuple):
    name: str
    position: int
    """One-based among the siblings of that name, 0 for any."""


def check_path(path: str, *, what: str = "body path") -> str:
    """Return *path* if it is one; refuse it else."""
    if path.startswith("$"):
        _json_steps(path, what)
    elif path.startswith("/"):
        _xml_steps(path, what)
    else:
        raise UsageError(f"{what} {path[:60]!r}: begins with neither $ nor /", hint=PATH_HINT)
    return path


def path_end(text: str) -> int:
    """Where the path at the start of *text* ends."""
    if text.startswith("$"):
        end = 1
        while step := _JSON_STEP.match(text, end):
            end = step.end()
        return end
    end = 0
    while step := _XML_STEP.match(text, end) or _XML_ATTRIBUTE.match(text, end):
        end = step.end()
    return end


def json_reader(path: str) -> Callable[[Any], Any]:
    """A function from a parsed JSON document to the value at *path*, None where there is none."""
    steps = _json_steps(path, "body path")

    def read(document: Any) -> Any:
        for step in steps:
            if isinstance(step, str):
                document = document.get(step) if isinstance(document, dict) else None
            elif isinstance(document, list) and step < len(document):
                document = document[step]
            else:
                return None
        return document

    return read


def parse_json(text: str) -> Any:
    """The JSON document, or None when *text* is none (nested too deep counts as none)."""
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def json_values(document: Any) -> Iterator[tuple[str, Any]]:
    """Paths of the single values in a parsed JSON document, with them, in document order.

    Of a list the first element stands for all; a key that no path can name is passed over.
    """
    stack: list[tuple[str, Any]] = [("$", document)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            named = [(_json_step(key), value[key]) for key in value]
            stack += [(path + step, member) for step, member in reversed(named) if step]
        elif isinstance(value, list):
            stack += [(f"{path}[0]", member) for member in value[:1]]
        elif value is not None:
            yield path, value


def _json_step(key: str) -> str:
    if _JSON_STEP.fullmatch(f".{key}"):
        return f".{key}"
    return "" if "'" in key else f"['{key}']"


def xml_values(text: str, most: int) -> Iterator[tuple[str, str]]:
    """Paths of attributes and of elements without others in them, with the first value of each.

    Reading ends at *most* of them, at a DOCTYPE, and where the document is not well-formed.
    """
    if not begins_like_xml(text):
        return
    target = _Collector(most)
    _read_xml(text, target)
    yield from target.values.items()


def xml_value(text: str, path: str) -> str | None:
    """The attribute, or the text of the element with its blanks stripped; None without one."""
    elements, attribute = _xml_steps(path, "body path")
    if not begins_like_xml(text):
        return None
    target = _Finder(elements, attribute)
    _read_xml(text, target)
    return target.value


def begins_like_xml(text: str) -> bool:
    """Whether the first character that is no blank begins a tag."""
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def well_formed_xml(text: str) -> bool:
    """Whether a parser reads *text* to its end; True where a DOCTYPE forbids to look."""
    from pyexpat import ExpatError, ParserCreate

    parser = ParserCreate(namespace_separator="}")  # as `_read_xml` has it
    parser.StartDoctypeDeclHandler = _stop_at_doctype
    try:
        for start in range(0, len(text), _PIECE):
            parser.Parse(text[start : start + _PIECE])
        parser.Parse("", True)
    except _Stop:
        return True
    except (ExpatError, ValueError):
        return False
    return True


def _stop_at_doctype(*_: object) -> None:
    raise _Stop


def _read_xml(text: str, target: _Target) -> bool:
    """Parse until the target has enough or a DOCTYPE comes; False where it is not well-formed."""
    from xml.etree.ElementTree import ParseError, XMLParser

    parser = XMLParser(target=target)
    try:
        for start in range(0, len(text), _PIECE):
            parser.feed(text[start : start + _PIECE])
        parser.close()
    except _Stop:
        return True
    except (ParseError, ValueError):
        return False
    return True


_PIECE: Final = 65_536
"""Characters that a parser gets at a time."""


class _Stop(Exception):
    """Nothing behind this is looked at."""


class _Target:
    """An XMLParser target that keeps nothing, and reads no document with a DOCTYPE."""

    def doctype(self, name: str, public_id: str | None, system: str | None) -> None:
        raise _Stop

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Elements are of no interest."""

    def close(self) -> None:
        """Nothing is left to do."""


class _Finder(_Target):
    """An XMLParser target that follows the path and ends the parse at the first match.

    `matched` says how many steps the open elements fulfil; an element deeper than that is walked
    over. No tree is built, so depth and size cost nothing.
    """

    def __init__(self, elements: tuple[_Element, ...], attribute: str | None) -> None:
        self.elements = elements
        self.attribute = attribute
        self.depth = 0
        self.matched = 0
        self.seen = [0] * (len(elements) + 1)
        self.text: list[str] | None = None
        self.value: str | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.depth == self.matched and self.matched < len(self.elements):
            element = self.elements[self.matched]
            if _local(tag) == element.name:
                self.seen[self.matched] += 1
                if element.position in (0, self.seen[self.matched]):
                    self.matched += 1
                    self.seen[self.matched] = 0
                    if self.matched == len(self.elements):
                        self._reached(attributes)
        self.depth += 1

    def end(self, tag: str) -> None:
        self.depth -= 1
        if self.depth >= self.matched:
            return
        if self.text is not None:
            self.value = "".join(self.text).strip()
            raise _Stop
        self.matched -= 1

    def data(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def _reached(self, attributes: dict[str, str]) -> None:
        if self.attribute is None:
            self.text = []
            return
        for name, value in attributes.items():
            if _local(name) == self.attribute:
                self.value = value
                raise _Stop


class _Collector(_Target):
    """An XMLParser target that notes the first value of each path, the one a `_Finder` finds."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.values: dict[str, str] = {}
        self.seen: set[str] = set()
        self.path: list[str] = []
        self.text: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.path) == GREATEST_STEPS:
            raise _Stop
        self.path.append(_local(tag))
        here = "/" + "/".join(self.path)
        for name, value in attributes.items():
            self._note(f"{here}/@{_local(name)}", value)
        self.text = None if here in self.seen else []
        self.seen.add(here)

    def end(self, tag: str) -> None:
        if self.text is not None:
            self._note("/" + "/".join(self.path), "".join(self.text).strip())
        self.text = None
        self.path.pop()

    def data(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def _note(self, path: str, value: str) -> None:
        if path_end(path) == len(path):
            self.values.setdefault(path, value)
        if len(self.values) >= self.most:
            raise _Stop


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


@cache
def _json_steps(path: str, what: str) -> tuple[str | int, ...]:
    steps: list[str | int] = []
    position = 1
    while position < len(path):
        step = _JSON_STEP.match(path, position)
        if step is None or len(steps) == GREATEST_STEPS:
            _refuse(what, path, position)
        key, index, quoted = step.groups()
        steps.append(int(index) if index is not None else key if key is not None else quoted)
        position = step.end()
    return tuple(steps)


@cache
def _xml_steps(path: str, what: str) -> tuple[tuple[_Element, ...], str | None]:
    elements: list[_Element] = []
    position = 0
    while position < len(path):
        last = _XML_ATTRIBUTE.match(path, position)
        if last is not None and last.end() == len(path) and elements:
            return tuple(elements), last[1]
        step = _XML_STEP.match(path, position)
        if step is None or len(elements) == GREATEST_STEPS:
            _refuse(what, path, position)
        elements.append(_Element(step[1], int(step[2] or 0)))
        position = step.end()
    return tuple(elements), None


def _refuse(what: str, path: str, position: int) -> NoReturn:
    msg = f"{what} {path[:60]!r}: cannot read {path[position : position + 20]!r}"
    raise UsageError(f"{msg} at character {position + 1}", hint=PATH_HINT)
