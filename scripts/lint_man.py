"""Check manual pages written with the man(7) macros, where mandoc is not at hand.

Complains of what `mandoc -T lint -W style` would, as far as these pages can go wrong: titles,
order of sections, macros out of place, blocks left open, lines too long, stray blanks and bytes.
Exit 1 when there is something to complain of.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

LONGEST_LINE: Final = 80
FIRST_SECTIONS: Final = ("NAME", "SYNOPSIS", "DESCRIPTION")
LAST_SECTIONS: Final = ("EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO")

MACROS: Final = frozenset({"TH", "SH", "SS", "PP", "TP", "B", "BR", "br", "RS", "RE", "nf", "fi"})
ESCAPES: Final = re.compile(r"\\(?:f[BIR]|\(aq|\(bu|[-e&])")
TITLE: Final = re.compile(r'\.TH (\S+) ([1-8]) (\d{4}-\d\d-\d\d) "([^"]+)" "([^"]+)"')


class Complaint(NamedTuple):
    """What is wrong in which line, counted from 1."""

    line: int
    text: str


def lint(text: str) -> list[Complaint]:
    """Everything wrong with a page, in the order of its lines."""
    lines = text.split("\n")
    problems = [*_bytes(text, lines), *_title(lines), *_macros(lines), *_sections(lines)]
    return sorted(problems)


def _bytes(text: str, lines: list[str]) -> Iterator[Complaint]:
    if not text.endswith("\n"):
        yield Complaint(len(lines), "no newline at the end")
    for number, line in enumerate(lines[:-1], 1):
        if not line:
            yield Complaint(number, "blank line: use .PP")
        if line != line.rstrip():
            yield Complaint(number, "blank at the end of the line")
        if len(line.encode()) > LONGEST_LINE:
            yield Complaint(number, f"line of more than {LONGEST_LINE} bytes")
        if not line.isascii() or "\t" in line:
            yield Complaint(number, "neither tabs nor bytes outside ASCII")
        if "\\" in ESCAPES.sub("", line.removeprefix('.\\"')):
            yield Complaint(number, "unknown escape sequence")
        if len(re.findall(r"\\f[BI]", line)) != line.count(r"\fR"):
            yield Complaint(number, "a font that does not end in its line; the site needs it")


def _title(lines: list[str]) -> Iterator[Complaint]:
    for number, line in enumerate(lines, 1):
        if line.startswith('.\\"'):
            continue
        match = TITLE.fullmatch(line)
        if match is None:
            yield Complaint(number, 'expected .TH TITLE SECTION YYYY-MM-DD "source" "volume"')
        elif match[1] != match[1].upper():
            yield Complaint(number, "lower case in the title")
        return


def _macros(lines: list[str]) -> Iterator[Complaint]:
    blocks: list[tuple[str, int]] = []
    before = ""
    for number, line in enumerate(lines[:-1], 1):
        name, rest = _request(line)
        if name and name not in MACROS:
            yield Complaint(number, f"unknown macro .{name}")
        if name in {"SH", "SS", "B", "BR"} and not rest:
            yield Complaint(number, f".{name} without a text")
        if name in {"PP", "RE", "SH", "SS"} and before == "TP":
            yield Complaint(number, f".{name} where the term of .TP is expected")
        if name in {"PP", "br"} and before in {"SH", "SS", "PP", "br"}:
            yield Complaint(number, f".{name} after .{before} does nothing")
        if name in {"SH", "SS"} and before in {"SH", "SS", "PP"} and (before, name) != ("SH", "SS"):
            yield Complaint(number, f".{before} with nothing in it")
        if name in {"nf", "RS"}:
            blocks.append((name, number))
        if name in {"fi", "RE"}:
            opened = blocks.pop()[0] if blocks else ""
            if (opened, name) not in {("nf", "fi"), ("RS", "RE")}:
                yield Complaint(number, f".{name} without its beginning")
        if name in {"SH", "SS"} and blocks:
            yield Complaint(number, f".{blocks.pop()[0]} is left open")
        if line.startswith("'"):
            yield Complaint(number, "a quote at the beginning makes it a request")
        before = name
    for name, number in blocks:
        yield Complaint(number, f".{name} is left open")
    if before in {"SH", "SS", "TP", "PP"}:
        yield Complaint(len(lines) - 1, f".{before} with nothing in it")


def _sections(lines: list[str]) -> Iterator[Complaint]:
    sections = [
        (line[4:], number) for number, line in enumerate(lines, 1) if line.startswith(".SH ")
    ]
    names = [name for name, _ in sections]
    if tuple(names[:2]) != FIRST_SECTIONS[:2]:
        yield Complaint(1, "the first sections are NAME and SYNOPSIS")
    known = [name for name in names if name in LAST_SECTIONS]
    if known != [name for name in LAST_SECTIONS if name in known]:
        yield Complaint(1, f"sections out of order, expected {', '.join(LAST_SECTIONS)}")
    if names[-len(known) :] != known and known:
        yield Complaint(1, f"{known[0]} and what follows it belong at the end")
    for name, number in sections:
        if names.count(name) > 1:
            yield Complaint(number, f"section {name} stands twice")
        if name == "NAME" and " \\- " not in "".join(lines[number : number + 1]):
            yield Complaint(number + 1, "NAME is: name \\- one line")


def _request(line: str) -> tuple[str, str]:
    """(macro, arguments) of a line; ("", "") for text and comments."""
    if not line.startswith(".") or line.startswith('.\\"'):
        return "", ""
    name, _, rest = line[1:].partition(" ")
    return name, rest


def main() -> int:
    """Lint files and print what is wrong with them."""
    folder = Path(__file__).parent.parent / "man"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="default: man/*.1 man/*.7")
    files = parser.parse_args().files or sorted([*folder.glob("*.1"), *folder.glob("*.7")])
    bad = 0
    for file in files:
        for complaint in lint(file.read_text("utf-8")):
            bad += 1
            print(f"{file}:{complaint.line}: {complaint.text}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
