"""Read a command of one line, or of lines that each hold whole parameters.

That is how every dump and nearly every script is written. Nothing is joined, and each parameter is
read once, at its place. What is in any way out of the ordinary is left to `mq/mqsc/parse.py`, and
of several lines to `mq/mqsc/lines.py`, which joins them first;
`tests/property/test_mqsc_plain_lines.py` holds these ways together.
"""

from __future__ import annotations

import re
from typing import Final

from mqtriage.mq.mqsc.lines import LAST_PORTABLE_COLUMN, continuation, text_end
from mqtriage.mq.mqsc.tokens import folded, read_command, read_parameters, repeated
from mqtriage.mq.mqsc.tree import Command, Parameter, Value, new_tuple
from mqtriage.mq.mqsc.verbs import LEAVING, NOUN_BY_WORD, VERB_BY_WORD, VERBS, needs_name
from mqtriage.records import NamedTuple

_ONE_PARAMETER: Final = re.compile(
    r"[ \t]*+([A-Za-z][A-Za-z0-9_]*+)"
    r"([ \t]*+\([ \t]*+(?:([^\s()'\",;$<>{}]++)|'([^'\n]*+)')[ \t]*+\))[ \t]*+\+\n"
)
"""A line of nearly every dump: a keyword with one value, and the sign that it goes on."""
_HEAD: Final = re.compile(
    r"[ \t]*+([A-Za-z]++)[ \t]++([A-Za-z]++)(?:\((?:([^\s()'\",;$<>{}]++)|'([^'\n]++)')\))?"
)
"""A verb and an object type, and its name where it stands right behind it."""


class PlainCommand(NamedTuple):
    """A command, where the next item starts, and its line number."""

    command: Command
    after: int
    after_line: int


def read_line(text: str, begin: int, stop: int, after: int, line: int) -> Command | None:
    """Read the command that begins at *begin* and ends on its line.

    Args:
        stop: behind the last character that counts of the line.
        after: the next line's start.

    Returns:
        None where there may be something to say against it, or it is more than one command.
    """
    head = _HEAD.match(text, begin, stop)
    if head is None:
        return None
    verb = VERB_BY_WORD.get(head[1].upper(), "")
    noun = NOUN_BY_WORD.get(head[2].upper(), "")
    if not verb or noun not in VERBS[verb]:
        return None
    group = head.lastindex
    if group in (3, 4) and noun == "QMGR":
        return None
    name = None
    if group == 3:
        name = new_tuple(Value, (folded(head[3]), False, head.start(3), head.end(3)))
    elif group == 4 and head[4].strip():
        name = new_tuple(Value, (head[4], True, head.start(4) - 1, head.end(4) + 1))
    elif group == 4 or needs_name(verb, noun):
        return None
    parameters: list[Parameter] = []
    if head.end() < stop:
        fault, read_to = read_parameters(text, head.end(), stop, line, begin - 1, parameters)
        if fault is not None or read_to != stop:
            return None
        if len(parameters) > 1 and repeated(verb, noun, parameters) is not None:
            return None
    column, wide = head.start(1) - begin + 1, line if stop - begin > LAST_PORTABLE_COLUMN else 0
    values = (verb, noun, name, tuple(parameters), begin, after, line, column, None, (), wide)
    return new_tuple(Command, (*values, False, ()))


def read_plain(text: str, begin: int, stop: int, after: int, line: int) -> PlainCommand | None:
    """Read the command that starts at *begin* and goes on behind its first line.

    Args:
        stop: behind the continuation sign of the first line.
        after: the next line's start.

    Returns:
        None where joining the lines might read it differently, or has something to say against it.
    """
    if stop - begin > LAST_PORTABLE_COLUMN or _glued(text, begin, stop - 1):
        return None
    read = read_command(text, begin, stop - 1, line, begin)
    if read.fault is not None or read.stop != stop - 1 or read.verb in LEAVING:
        return None
    parameters = read.parameters
    comments: list[tuple[int, int]] = []
    rest = _read_rest(text, after, line + 1, parameters, comments)
    if rest is None:
        return None
    if len(parameters) > 1 and repeated(read.verb, read.noun, parameters) is not None:
        return None
    after, after_line = rest
    name = read.names[0] if read.names else None
    command = Command(
        read.verb, read.noun, name, tuple(parameters), begin, after, line, read.at - begin + 1,
        comments=tuple(comments), further_names=read.names[1:],
    )  # fmt: skip
    return PlainCommand(command, after, after_line)


def _read_rest(
    text: str, at: int, line: int, parameters: list[Parameter], comments: list[tuple[int, int]]
) -> tuple[int, int] | None:
    """Append what the lines behind the first hold; where the next item starts, and its line."""
    size = len(text)
    match, new = _ONE_PARAMETER.match, new_tuple
    while at < size:
        one = match(text, at)
        if one is not None and one.end() - at <= LAST_PORTABLE_COLUMN + 1:
            keyword = one[1].upper()
            if keyword in VERB_BY_WORD:
                return None
            start, end = one.start(1), one.end(2)
            bare = one[3]
            if bare is not None:
                bare = bare.upper() if bare.isascii() else folded(bare)
                value = new(Value, (bare, False, one.start(3), one.end(3)))
            else:
                value = new(Value, (one[4], True, one.start(4) - 1, one.end(4) + 1))
            parameters.append(new(Parameter, (keyword, (value,), start, end, line, start - at + 1)))
            at, line = one.end(), line + 1
            continue
        end = text.find("\n", at)
        after = end + 1
        if end < 0:
            end = after = size
        if text[at] == "*":
            comments.append((at, after))
            at, line = after, line + 1
            continue
        stop = text_end(text, at, end)
        if stop == at:
            at, line = after, line + 1
            continue
        if stop - at > LAST_PORTABLE_COLUMN:
            return None
        goes_on = text[stop - 1] in "+-" and continuation(text[at:stop]) != ""
        if goes_on:
            stop -= 1
            if _glued(text, at, stop):
                return None
        count = len(parameters)
        fault, read_to = read_parameters(text, at, stop, line, at - 1, parameters)
        if fault is not None or read_to != stop:
            return None
        if count < len(parameters) and parameters[count].keyword in VERB_BY_WORD:
            return None
        at, line = after, line + 1
        if not goes_on:
            return at, line
    return None


def _glued(text: str, at: int, stop: int) -> bool:
    """Whether the text before a continuation sign may be half a word."""
    return stop > at and text[stop - 1] not in " \t)"
