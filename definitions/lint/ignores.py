"""Comments that ignore a finding: `* mqtriage: ignore BKO001 the reason`.

One stands before a command, or inside a continued one, and is about that command; with
`ignore-file` it is about the whole file. Several codes have commas between them. A comment that is
meant so and has another form is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from typing import Final

from mqtriage.definitions.estate import Location
from mqtriage.definitions.lint.pages import all_codes
from mqtriage.definitions.rules.finding import Finding, Severity
from mqtriage.mq.mqsc.tree import Command, Comment, Script
from mqtriage.records import dataclass

_CODE: Final = re.compile(r"[A-Za-z]{3,4}[0-9]{3}")
_IGNORE: Final = re.compile(
    r"\*+[ \t]*mqtriage:[ \t]*(ignore(?:-file)?)[ \t]+([A-Za-z]{3,4}[0-9]{3}"
    r"(?:,[ \t]*[A-Za-z]{3,4}[0-9]{3})*)(?!\w)[ \t]*([^\r\n]*)",
    re.IGNORECASE,
)
_MEANT: Final = re.compile(
    r"\*+[ \t]*mqtriage(?:[ \t]*:[ \t]*((?:ignore|disable|noqa|nolint)[\w-]*)[ \t:=,]*([\w-]*)"
    r"|[ \t=-]*(ignore(?:-\w+)?)[ \t:=]+([A-Z]{3,4}[0-9]{0,3}\b))",
    re.IGNORECASE,
)
"""Comments that may be meant to ignore something."""
_NO_LINES: Final = range(0)


@dataclass(slots=True)
class Ignore:
    """One comment.

    Attributes:
        lines: what it is about; None for the whole file.
        used: codes that it did ignore.
        problem: why it is not read, "" where it is.
    """

    place: Location
    codes: tuple[str, ...]
    reason: str
    lines: range | None
    used: set[str] = field(default_factory=set)
    problem: str = ""


def ignores_in(script: Script) -> list[Ignore]:
    """All such comments of a script."""
    if "mqtriage" not in script.text.lower():
        return []
    ignores: list[Ignore] = []
    waiting: list[Ignore] = []
    for item in script.items:
        if isinstance(item, Comment):
            ignore = _read(script, item.start, item.end, item.line)
            if ignore is not None:
                ignores.append(ignore)
                if ignore.lines is not None:
                    waiting.append(ignore)
        elif isinstance(item, Command):
            lines = lines_of(script, item)
            for ignore in waiting:
                ignore.lines = lines
            if not item.more:
                waiting = []
            for start, end in item.comments:
                line = lines.start + script.text.count("\n", item.start, start)
                ignore = _read(script, start, end, line)
                if ignore is not None:
                    ignore.lines = None if ignore.lines is None else lines
                    ignores.append(ignore)
    return ignores


def lines_of(script: Script, command: Command) -> range:
    """The lines that a command stands on."""
    return range(command.line, command.line + script.raw(command).rstrip("\r\n").count("\n") + 1)


def _read(script: Script, start: int, end: int, line: int) -> Ignore | None:
    match = _IGNORE.match(script.text, start, end)
    if match is None:
        meant = _MEANT.match(script.text, start, end)
        if meant is None:
            return None
        place = Location(script.file, line, 1)
        return Ignore(place, (), "", _NO_LINES, problem=_problem_of(*filter(None, meant.groups())))
    codes = tuple(code.strip().upper() for code in match[2].split(","))
    whole = match[1].lower() == "ignore-file"
    reason = match[3].strip()
    return Ignore(Location(script.file, line, 1), codes, reason, None if whole else _NO_LINES)


def _problem_of(verb: str, word: str = "") -> str:
    """What is wrong with the form of a comment."""
    if verb.lower() not in ("ignore", "ignore-file"):
        return (
            f"{verb} is not supported; write mqtriage: ignore CODE or ignore-file CODE, and the"
            " reason"
        )
    if not word:
        return "no code; write mqtriage: ignore CODE and the reason"
    if _CODE.fullmatch(word):
        return "this form is not supported; write mqtriage: ignore CODE and the reason"
    return f"{word} is not a rule; write the whole code, such as BKO001"


def remaining(
    findings: Iterable[Finding], ignores: list[Ignore], ignored: list[Finding]
) -> Iterator[Finding]:
    """The findings that no comment is about; the others are added to *ignored*."""
    whole: dict[tuple[str, str], list[Ignore]] = {}
    by_line: dict[tuple[str, str, int], list[Ignore]] = {}
    for ignore in ignores:
        for code in ignore.codes:
            if ignore.lines is None:
                whole.setdefault((ignore.place.file, code), []).append(ignore)
            for line in ignore.lines or ():
                by_line.setdefault((ignore.place.file, code, line), []).append(ignore)
    for finding in findings:
        file, code, line = finding.place.file, finding.code, finding.place.line
        about = [*whole.get((file, code), ()), *by_line.get((file, code, line), ())]
        for ignore in about:
            ignore.used.add(code)
        if about:
            ignored.append(finding)
        else:
            yield finding


def about_ignores(
    ignores: Iterable[Ignore],
    known: Iterable[str],
    own: Iterable[str] = (),
    not_run: Collection[tuple[str, str]] = (),
) -> Iterator[Finding]:
    """What is wrong with the comments themselves, once all findings were shown to them.

    Args:
        known: codes that ran; what was not run cannot be called unused.
        own: codes of rules of one's own.
        not_run: scripts, each with the code of a rule that ran elsewhere only.
    """
    codes, ran = {*all_codes(), *own}, set(known)
    for ignore in ignores:
        if ignore.problem:
            yield _finding("LNT003", ignore, ignore.problem)
        elif not ignore.reason:
            yield _finding("LNT001", ignore, "add a reason: ignore CODE the reason")
        for code in ignore.codes:
            if code not in codes:
                yield _finding("LNT003", ignore, f"{code} is not a rule")
            elif code in ran - ignore.used and (ignore.place.file, code) not in not_run:
                yield _finding("LNT002", ignore, f"nothing to ignore: {code} has no finding here")


def _finding(code: str, ignore: Ignore, message: str) -> Finding:
    return Finding(code, Severity.WARNING, "", "", ignore.place, message)
