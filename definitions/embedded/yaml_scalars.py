"""MQSC in YAML: scalars under a key that says mqsc, and block scalars that are mostly MQSC."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mqtriage.definitions.embedded.blocks import DIRECTIVE, HINT, Block, FileLine, block_of, is_mqsc
from mqtriage.definitions.embedded.quoted import yaml_folded, yaml_quoted
from mqtriage.definitions.embedded.shell import in_shell
from mqtriage.mq.mqsc.manifests import manifests
from mqtriage.mq.mqsc.tokens import starts_command

_SCALAR: Final = re.compile(
    r"([ ]*)((?:-[ ]+)*)(?:([^\s#][^#\n]*?)[ ]*:[ ]+|)(?:[!&]\S+[ ]+)*"
    r"([|>])[-+1-9]{0,2}[ \t\r]*(?:#.*)?"
)
_VALUE: Final = re.compile(
    r"([ ]*)((?:-[ ]+)*)(?:([^\s#][^#\n]*?)[ ]*:[ ]+)?(?:[!&]\S+[ ]+)*(?=([\"'A-Za-z]))"
)
_PARENT: Final = re.compile(r"([ ]*)(?:-[ ]+)*([^\s#][^#\n]*?)[ ]*:[ \t\r]*(?:#.*)?")
_KEY: Final = re.compile(r"mqsc?(?![a-z])", re.IGNORECASE)


def in_yaml(text: str, lines: list[FileLine], depth: int = 0) -> Iterator[Block]:
    """Scalars; each document is for one queue manager."""
    document, at = 0, 0
    parent = ("", False)
    while at < len(lines):
        line = text[lines[at].start : lines[at].end].rstrip("\n")
        at += 1
        document += line.split()[:1] == ["---"]
        if (key := _PARENT.fullmatch(line)) is not None:
            parent = (key[1], _KEY.search(key[2]) is not None)
            continue
        scalar = _SCALAR.fullmatch(line)
        if scalar is None:
            is_named = _is_named(_VALUE.match(line), parent)
            block, at = _in_line(text, lines, at, str(document), is_named=is_named)
            yield from _of_document(
                [block] if block else in_shell(text, lines[at - 1 : at], "", in_yaml, depth),
                document,
            )
            continue
        first, indent = at, ""
        while at < len(lines):
            words = text[lines[at].start : lines[at].end]
            if DIRECTIVE.fullmatch(words.rstrip("\n")):
                at += 1  # a template takes it out, however far in it is
                continue
            blanks = len(words) - len(words.lstrip(" "))
            if words.strip() and not indent:
                indent = " " * blanks if blanks > len(scalar[1]) else ""
            if words.strip() and (not indent or blanks < len(indent)):
                break
            at += 1
        body = lines[first:at]
        shell = list(in_shell(text, body, indent, in_yaml, depth))
        if shell:
            yield from _of_document(shell, document)
            continue
        block = block_of(body, indent, str(document), "")
        is_named = _is_named(scalar, parent) and any(
            starts_command(text, line.start, line.end) for line in body
        )
        if block and scalar[4] == ">":
            mqsc = yaml_folded([text[a:b] for a, b in body], indent) if is_named else None
            if mqsc:
                yield block._replace(indent="", mqsc=mqsc)
        elif block and (is_named or is_mqsc(text, block)):
            yield block


def of_their_managers(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks; those of what one QueueManager of the stream uses are of its group."""
    every = manifests(text)
    managers = {n: one for n, one in enumerate(every) if one.kind == "QueueManager"}
    for block in blocks:
        place = next(n for n, one in enumerate(every) if block.start <= one.end)
        here = every[place]
        users = [n for n, one in managers.items() if (here.kind, here.name) in one.uses]
        if len(users) == 1:
            name = block.queue_manager or every[users[0]].queue_manager
            block = block._replace(group=f"manager {users[0]}", queue_manager=name)
        elif place in managers:
            name = block.queue_manager or here.queue_manager
            block = block._replace(group=f"manager {place}", queue_manager=name)
        yield block


def _of_document(blocks: Iterable[Block], document: int) -> Iterator[Block]:
    return (block._replace(group=block.group or str(document)) for block in blocks)


def _is_named(value: re.Match[str] | None, parent: tuple[str, bool]) -> bool:
    """Whether the key of a value says mqsc, or that of the list which it is an item of."""
    if value is None or value[3] is not None:
        return value is not None and _KEY.search(value[3]) is not None
    return bool(value[2]) and parent[1] and len(value[1]) >= len(parent[0])


def _in_line(
    text: str, lines: list[FileLine], at: int, group: str, *, is_named: bool
) -> tuple[Block | None, int]:
    """The scalar that begins in the line before *at*, quoted or plain, and the line behind it."""
    line = lines[at - 1]
    value = _VALUE.match(text, line.start, line.end)
    if value is None or not is_named:
        return None, at
    start, after = value.end(), at
    if value[4] in "'\"":
        quoted = yaml_quoted(text, start, lines[-1].end)
        if quoted is None or not HINT.search(quoted[0]):
            return None, at
        mqsc, end = quoted
        while after < len(lines) and lines[after].start < end:
            after += 1
    else:
        while after < len(lines) and _is_inside(text, lines[after], len(value[1])):
            after += 1
        end = lines[after - 1].end
        begun = starts_command(text, start, line.end)
        mqsc = (
            begun
            and yaml_folded([text[start : line.end], *(text[a:b] for a, b in lines[at:after])])
        ) or ""
    return (Block(start, end, "", group, "", mqsc), after) if mqsc else (None, at)


def _is_inside(text: str, line: FileLine, indent: int) -> bool:
    """Whether a line goes on with a plain scalar of that indentation."""
    words = text[line.start : line.end]
    return (
        bool(words.strip())
        and len(words) - len(words.lstrip(" ")) > indent
        and not words.lstrip().startswith("#")
    )
