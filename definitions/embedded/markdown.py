"""MQSC in fenced blocks of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mqtriage.definitions.embedded.blocks import Block, FileLine, block_of, is_mqsc
from mqtriage.definitions.embedded.shell import nested_blocks
from mqtriage.definitions.embedded.yaml_scalars import in_yaml

_SESSION: Final = re.compile(r"[ \t]*(?:[$#>][ \t]*)?(?:sudo[ \t]+)?runmqsc\b[^<|;&\n]*\n?")
FENCE: Final = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([A-Za-z0-9_+-]*)[^`\n]*")


def in_markdown(text: str, lines: list[FileLine]) -> Iterator[Block]:
    """Fenced blocks, each an example of its own."""
    number, at = 0, 0
    while at < len(lines):
        fence = FENCE.fullmatch(text[lines[at].start : lines[at].end].rstrip("\r\n"))
        at += 1
        if fence is None:
            continue
        first = at
        while at < len(lines):
            words = text[lines[at].start : lines[at].end].strip()
            if words.startswith(fence[2]) and not words.strip(fence[2][0]):
                break
            at += 1
        body, group = lines[first:at], str(number)
        number, at = number + 1, at + 1
        indent, language = fence[1], fence[3].lower()
        nested = [] if language == "mqsc" else nested_blocks(text, body, indent, "", in_yaml, 0)
        if nested:
            yield from (block._replace(group=f"{group} {block.group}") for block in nested)
            continue
        if body and _SESSION.fullmatch(text, *body[0]):
            body = body[1:]
        block = block_of(body, indent, group, "")
        if block and (language == "mqsc" or is_mqsc(text, block)):
            yield block
