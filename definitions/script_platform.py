"""What a script tells of its platform: commands and attributes that only one platform has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.definitions.embedded.file_kinds import is_job
from mqtriage.mq.attributes.catalogue import Platform, attribute
from mqtriage.mq.mqsc.dump_head import dump_head
from mqtriage.mq.mqsc.tree import Command, Comment, Diagnostic, DiagnosticSeverity, Script
from mqtriage.mq.mqsc.verbs import only_platform
from mqtriage.records import NamedTuple

_WORDS: Final = {"zos": "z/OS", "dist": "Multiplatforms"}


class _Sign(NamedTuple):
    """A command that one platform alone takes, and the word that says so."""

    platform: Platform
    line: int
    column: int
    word: str


def script_platform(script: Script) -> Platform | None:
    """z/OS for a job, else the platform that alone has a command or an attribute of the script.

    None where nothing tells it, or one sign is against another.
    """
    if is_job(script.file):
        return "zos"
    platforms = {sign.platform for sign in _signs(script)}
    return platforms.pop() if len(platforms) == 1 else None


def both_platforms(script: Script) -> Diagnostic | None:
    """That a script is for z/OS and for Multiplatforms, where nothing says which.

    It is said of the first command of the platform that fewer commands are for.
    """
    first = script.items[0] if script.items else None
    if is_job(script.file) or (isinstance(first, Comment) and dump_head(script.text).platform):
        return None
    signs = list(_signs(script))
    of_zos = [sign for sign in signs if sign.platform == "zos"]
    of_others = [sign for sign in signs if sign.platform == "dist"]
    if not of_zos or not of_others:
        return None
    rare, usual = sorted((of_zos, of_others), key=len)
    here, there = rare[0], usual[0]
    message = (
        f"{here.word} exists on {_WORDS[here.platform]} only, {there.word} (line {there.line}) on"
        f" {_WORDS[there.platform]} only: lint with --platform to see which is wrong"
    )
    severity = DiagnosticSeverity.NOTE
    return Diagnostic(severity, here.line, here.column, message, file=script.file)


def _signs(script: Script) -> Iterator[_Sign]:
    """The first sign of each command."""
    for command in script.commands:
        sign = _sign(command) if command.error is None else None
        if sign is not None:
            yield sign


def _sign(command: Command) -> _Sign | None:
    platform: Platform | None
    only = only_platform(command.verb, command.noun)
    if only and command.verb != "DISPLAY":
        platform = "zos" if only == "zos" else "dist"
        return _Sign(platform, command.line, command.column, f"{command.verb} {command.noun}")
    for parameter in command.parameters:
        entry = attribute(command.noun, parameter.keyword)
        platform = "zos" if parameter.keyword == "CMDSCOPE" else entry.only if entry else None
        if platform is not None:
            return _Sign(platform, parameter.line, parameter.column, parameter.keyword)
    return None
