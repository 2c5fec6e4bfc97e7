"""Every name to which IBM MQ gives a number, characters or bytes, by name.

`mq.cmqc`, `mq.cmqcfc` and `mq.cmqxc` have those of IBM's three main headers, constants.tsv those of
the others; codes.tsv says what each reason and feedback code means. They are read when something is
looked up, never at start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pkgutil import get_data
from typing import TypeAlias

from mqtriage.mq import cmqc, cmqcfc, cmqxc
from mqtriage.records import NamedTuple

Value: TypeAlias = int | str | bytes


class Code(NamedTuple):
    """A reason or feedback code; its texts are "" where nobody needs one yet."""

    number: int
    meaning: str = ""
    hint: str = ""


def rows(file: str) -> Iterator[list[str]]:
    """The cells of each line of one of the files; comments and section headings are one cell."""
    data = get_data(__package__, file) or b""
    return (line.split("\t") for line in data.decode().splitlines() if line)


@cache
def headers() -> Mapping[str, Mapping[str, Value]]:
    """Names and values in the C headers ("cmqc", "cmqcfc", "cmqxc" ...) and for "conversion".

    The codes are not among them.
    """
    sections: dict[str, dict[str, Value]] = {
        header: {name: value for name, value in names.items() if name not in codes()}
        for header, names in _modules().items()
    }
    section: dict[str, Value] = {}
    for name, *cells in rows("constants.tsv"):
        if cells:
            section[name] = value_of(cells[0])
        elif name[0] == "[":
            section = sections[name[1:-1]] = {}
    return sections


@cache
def _modules() -> Mapping[str, Mapping[str, Value]]:
    modules = {"cmqc": cmqc, "cmqcfc": cmqcfc, "cmqxc": cmqxc}
    return {
        header: {name: value for name, value in vars(module).items() if name.startswith("MQ")}
        for header, module in modules.items()
    }


def value_of(text: str) -> Value:
    """The value that a cell holds: a number, "characters", x'bytes' or "zeros 24"."""
    if text[0] == '"':
        return text[1:-1]
    if text[0] == "x":
        return bytes.fromhex(text[2:-1])
    if text[0] == "z":
        return bytes(int(text.removeprefix("zeros ")))
    return int(text, 0)


@cache
def values() -> Mapping[str, Value]:
    """Every name with its value."""
    constants = {name: value for section in headers().values() for name, value in section.items()}
    return constants | {name: code.number for name, code in codes().items()}


@cache
def numbers() -> Mapping[str, int]:
    """Every name that has a number."""
    return {name: value for name, value in values().items() if isinstance(value, int)}


@cache
def family(prefix: str) -> Mapping[str, int]:
    """The names that begin with *prefix*, ``MQRO_``, with their numbers."""
    return {name: value for name, value in numbers().items() if name.startswith(prefix)}


@cache
def codes() -> Mapping[str, Code]:
    """Every MQRC_*, MQRCCF_* and MQFB_* name, second names and ends of ranges included."""
    numbers = vars(cmqc) | vars(cmqcfc)
    return {
        name: Code(numbers[name], *texts)
        for name, *texts in rows("codes.tsv")
        if name.startswith("MQ")
    }
