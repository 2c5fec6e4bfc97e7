"""MQSC in fenced and in indented blocks of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import dropwhile
from typing import Final

from mqtriage.definitions.embedded.blocks import (
    NOT_A_LINE_END,
    Block,
    FileLine,
    block_of,
    is_mqsc,
)
from mqtriage.definitions.embedded.shell import nested_blocks
from mqtriage.definitions.embedded.yaml_scalars import in_yaml

_BEFORE: Final = re.compile(
    r"[ \t]*(?:#[^\n]*|(?:[$#>][ \t]*)?(?:sudo[ \t]+)?runmqsc\b[^<|;&\n]*)?\n?"
)
"""A line before the commands that somebody is to type: a remark, or the start of runmqsc."""
_REMARK: Final = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
FENCE: Final = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([A-Za-z0-9_+-]*)[^`\n]*")
INDENTED: Final = re.compile(r"(?=\t| {4})([ \t]+)\S")
"""A line that is code without a fence, or goes on with an item of a list."""


def in_markdown(text: str, lines: list[FileLine]) -> Iterator[Block]:
    """Fenced and indented blocks, each an example of its own."""
    number, at = 0, 0
    while at < len(lines):
        fence = FENCE.fullmatch(text[lines[at].start : lines[at].end].rstrip("\r\n"))
        if fence is None and (code := INDENTED.match(text, *lines[at])):
            body = _indented(text, lines, at)
            at += len(body)
            yield from _example(text, body, code[1], str(number), "")
            number += 1
            continue
        at += 1
        if fence is None:
            continue
        first = at
        while at < len(lines):
            words = text[lines[at].start : lines[at].end].strip()
            if words.startswith(fence[2]) and not words.strip(fence[2][0]):
                break
            at += 1
        body = lines[first:at]
        at += 1
        yield from _example(text, body, fence[1], str(number), fence[3].lower())
        number += 1


def _indented(text: str, lines: list[FileLine], at: int) -> list[FileLine]:
    """The lines from *at* on that are indented, with the empty ones between them."""
    end = at + 1
    for number in range(end, len(lines)):
        if INDENTED.match(text, *lines[number]):
            end = number + 1
        elif text[lines[number].start : lines[number].end].strip():
            break
    return lines[at:end]


def _example(
    text: str, body: list[FileLine], indent: str, group: str, language: str
) -> Iterator[Block]:
    """What is MQSC of one block of code."""
    nested = [] if language == "mqsc" else nested_blocks(text, body, indent, "", in_yaml, 0)
    if nested:
        yield from (block._replace(group=f"{group} {block.group}") for block in nested)
        return
    if language == "mqsc":
        block = block_of(body, indent, group, "")
    else:
        begins = dropwhile(lambda line: _BEFORE.fullmatch(text, *line), body)
        block = block_of(list(begins), indent, group, "")
        block = block and block._replace(mqsc=_without_remarks(text[block.start : block.end]))
    if block and (language == "mqsc" or is_mqsc(text, block)):
        yield block


def _without_remarks(text: str) -> str:
    """The text with a shell's comments between the commands blanked out; "" without any."""
    without = _REMARK.sub(lambda remark: NOT_A_LINE_END.sub(" ", remark[0]), text)
    return "" if without == text else without
