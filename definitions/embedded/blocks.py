"""Blocks of MQSC in a file of another kind: their span, and what is no MQSC blanked out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tokens import close_word, starts_command
from mqtriage.mq.mqsc.tree import Command, Script
from mqtriage.mq.mqsc.verbs import NOUN_BY_WORD, VERB_BY_WORD
from mqtriage.records import NamedTuple

DIRECTIVE: Final = re.compile(
    r"[ \t]*(?:\{\{.*\}\}|\{%.*%\}|%\{.*\}|\{#.*#\}|</?#.*>|<%(?!=).*%>)[ \t\r]*"
)
_END: Final = re.compile(r"[ \t]*(?:end|quit|exit|bye|stop)[ \t\r]*;?[ \t\r]*", re.IGNORECASE)
_MARKER: Final = re.compile(r"\{\{|\{%|\$[A-Za-z_{(0-9@*]|`|<[A-Za-z]")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
NOT_A_LINE_END: Final = re.compile(r"[^\n]")
HINT: Final = re.compile(r"\b(?:def|define|alt|alter|del|delete|set)\b", re.IGNORECASE)


class FileLine(NamedTuple):
    """One line of the file: its span, the line end included."""

    start: int
    end: int


class Block(NamedTuple):
    """Lines that are MQSC, or a text in quotes that is.

    Attributes:
        start, end: span in the file's text.
        indent: what stands before each line and is no part of it.
        group: blocks of one group are for one queue manager.
        queue_manager: that runmqsc names, "" where nothing says it.
        mqsc: what is read in place of the text, and as long as it; "" where it is MQSC as it is.
    """

    start: int
    end: int
    indent: str
    group: str
    queue_manager: str
    mqsc: str = ""


Reader = Callable[[str, list[FileLine], int], Iterator[Block]]
"""What finds the blocks in some lines of a file, and in how many other texts these are."""


def has_marker(text: str) -> bool:
    """Whether something is filled in before MQSC is run: a shell variable, a template."""
    return _MARKER.search(text) is not None


def file_lines(text: str) -> list[FileLine]:
    return [FileLine(*line.span()) for line in _LINE.finditer(text)]


def indented(blocks: Iterable[Block], text: str, start: int, new: str) -> str:
    """A text to be put at *start* of the file, each line of it as far in as its block."""
    indent = next((b.indent for b in blocks if b.start <= start <= b.end), "")
    if not indent or "\n" not in new:
        return new
    first, *others = new.split("\n")
    if start == 0 or text[start - 1] == "\n":
        first = _in_from(first, indent)
    return "\n".join((first, *(_in_from(line, indent) for line in others)))


def _in_from(line: str, indent: str) -> str:
    return line if not line.strip() or line.startswith(indent) else indent + line


def bare(text: str, indent: str) -> Iterator[str]:
    """The lines of a block without what is no MQSC, each as long as it was."""
    is_over = False
    for line in _LINE.findall(text):
        body = line[len(indent) :] if line.startswith(indent) else line.lstrip(" \t")
        before = " " * (len(line) - len(body))
        is_over = is_over or _END.fullmatch(body.rstrip("\n")) is not None
        if is_over or DIRECTIVE.fullmatch(body.rstrip("\n")):
            yield NOT_A_LINE_END.sub(" ", line)
        elif body.startswith("*") and before:
            yield "*" + before + body[1:]
        elif before and body.rstrip().endswith("-") and "(" in body:
            stop = len(body.rstrip()) - 1
            yield before + body[:stop] + "+" + body[stop + 1 :]
        else:
            yield before + body


def block_of(lines: list[FileLine], indent: str, group: str, queue_manager: str) -> Block | None:
    if not lines:
        return None
    return Block(lines[0].start, lines[-1].end, indent, group, queue_manager)


def is_mqsc(text: str, block: Block) -> bool:
    """Whether most commands of the block are MQSC, right or wrong, and one is right and no query.

    A single typing error does not make another kind of text of it.
    """
    if not HINT.search(text, block.start, block.end):
        return False
    mqsc = block.mqsc or text[block.start : block.end]
    script = parse("".join(bare(mqsc, block.indent)))
    commands = [item for item in script.items if isinstance(item, Command)]
    right = [command for command in commands if _is_right(script, command)]
    if not any(command.verb != "DISPLAY" for command in right):
        return False
    begun = [
        c
        for c in commands
        if c in right or starts_command(script.text, c.start, c.end) or _is_slip(script.raw(c))
    ]
    return 2 * len(begun) > len(commands)


def _is_slip(raw: str) -> bool:
    """Whether a command has one letter wrong in its verb, before an object type."""
    words = re.split(r"[\s(]+", raw.strip().upper(), maxsplit=2)
    return len(words) == 3 and words[1] in NOUN_BY_WORD and close_word(words[0], VERB_BY_WORD) != ""


def _is_right(script: Script, command: Command) -> bool:
    """Whether a command is right, or only wrong because something in it is yet to be filled in."""
    raw = script.raw(command)
    return not command.error or (has_marker(raw) and starts_command(raw, 0, len(raw)))
