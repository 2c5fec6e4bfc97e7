"""MQSC in shell scripts: here-documents and echoes that go to runmqsc or into a script.

A Dockerfile, a Jenkinsfile and Terraform are read the same way, and so is what YAML or Markdown
holds of a shell script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from mqtriage.definitions.embedded.blocks import HINT, Block, FileLine, Reader, block_of, is_mqsc
from mqtriage.definitions.embedded.quoted import shell_words
from mqtriage.mq.names import is_object_name

_HERE: Final = re.compile(r"(?<!<)<<(-?)[ \t]*(?:\\|(['\"])?)([A-Za-z_@!%][A-Za-z0-9_.@!%-]*)\2?")
_RUNMQSC: Final = re.compile(r"\brunmqsc\b(?:\.exe\b)?(?!\.\w)([^|;&\n]*)")
_TO_SCRIPT: Final = re.compile(r"\.(?:mqsc?|tst)\b", re.IGNORECASE)
_GIVEN_FILE: Final = re.compile(
    r"\brunmqsc\b[^|;&\n<]*(?:<|[ \t]-f)[ \t]*([^\s<|;&()]+)"
    r"|\bcat[ \t]+([^\s|;&<>]+)[ \t]*\|[^;&\n]*\brunmqsc\b"
)
_TO_FILE: Final = re.compile(r"(?:>|\btee(?:[ \t]+-a)?[ \t])[ \t]*([^\s<>|;&()]+)")
_REDIRECTION: Final = re.compile(r"[0-9]?[<>)]")
_CLOSED_WORD: Final = re.compile(
    r"""[ \t]*([A-Za-z_@!%][A-Za-z0-9_.@!%-]*)["']{1,2}(?=[\s;|&)<>,\]]|$)"""
)
_DEEPEST: Final = 3
"""YAML in a here-document of a shell script in YAML; nobody reads what is deeper."""
_DEEPEST_GROUP: Final = 20
_WITH_VALUE: Final = frozenset({"-u", "-w", "-m", "-c"})
_ECHO: Final = re.compile(
    r"(?<![\w./$-])(?:(?:/usr)?/bin/)?(?:echo(?:[ \t]+-[neE]+)*|print(?:[ \t]+-[nr]+)*"
    r"|printf(?:[ \t]+--)?(?:[ \t]+(['\"])(?:%[sb]|\\n)+\1)?)[ \t]+"
)
_CONVERSION: Final = re.compile(r"%[-0-9.]*[sdb]")
_HERE_STRING: Final = re.compile(r"\brunmqsc\b[^|;&\n<]*<<<[ \t]*")
_COMMAND_END: Final = re.compile(r";|&&|\|\||(?<![\\|])\n")
_CLOSES: Final = {"{": "}", "(": ")", "do": "done"}
_OPENED: Final = re.compile(r"[({][ \t\r]*$|(?:^|[ \t;])(do)[ \t\r]*$")
_CLOSED: Final = re.compile(r"[ \t]*([)}]|done\b)")
_DONE: Final = re.compile(r";[ \t]*done\b")


def in_shell(
    text: str, lines: list[FileLine], indent: str, in_yaml: Reader, depth: int = 0
) -> Iterator[Block]:
    """Here-documents and echoes of a shell script.

    Args:
        indent: that of the shell script in its file.
        in_yaml: reads a here-document that is no shell script.
        depth: how many other texts the shell script is in.
    """
    number, at = 0, 0
    goes_on, groups = False, group_sinks(text, lines)
    last = {
        _closed_word(text, line) or text[line.start : line.end].strip(): n
        for n, line in enumerate(lines)
    }
    exact = {_word(text, line, indent): n for n, line in enumerate(lines)}
    while at < len(lines):
        words = text[lines[at].start : lines[at].end]
        is_comment = words.lstrip().startswith("#")
        here = None if is_comment else _HERE.search(words)
        at += 1
        if here is None or last.get(here[3], -1) < at:  # what never ends is shifted bits, or prose
            line, group = lines[at - 1], groups[at - 1]
            echoes = _echoes(text, line, lines[-1].end, indent, group, goes_on=goes_on)
            for echo in () if is_comment else echoes:
                yield echo
                goes_on = is_continued(echo.mqsc)
                while at < len(lines) and lines[at].start < echo.end:
                    at += 1
            continue
        first = at
        # a pipeline takes the indentation off before a shell reads the script
        is_loose = bool(here[1]) or exact.get(here[3], -1) < at
        while at < len(lines) and not _ends(text, lines[at], here[3], indent, is_loose=is_loose):
            at += 1
        body = lines[first:at]
        at += 0 if at < len(lines) and _closed_word(text, lines[at]) else 1  # more may follow
        manager, is_run = runs_for(words)
        number += 1
        nested = [] if is_run else nested_blocks(text, body, indent, str(number), in_yaml, depth)
        lead = _lead(text, body, indent) if here[1] else indent
        block = block_of(body, lead, manager, plain_name(manager))
        if nested:
            yield from nested
        elif block and (is_run or _TO_SCRIPT.search(words) or is_mqsc(text, block)):
            yield block


def _echoes(
    text: str, line: FileLine, stop: int, indent: str, group: str, *, goes_on: bool
) -> Iterator[Block]:
    """What a line echoes to runmqsc or into a script; quotes may continue on the lines below.

    Args:
        group: what the lines around it are piped into.
        goes_on: the echo before it ends with a continuation sign.
    """
    at = line.start
    while at < line.end:
        echo, given = _ECHO.search(text, at, line.end), _HERE_STRING.search(text, at, line.end)
        begin = min((m for m in (echo, given) if m), key=lambda m: m.start(), default=None)
        if begin is None:
            return
        words = shell_words(
            text,
            begin.end(),
            stop,
            are_lines=begin is echo and begin[1] is not None,
            is_inside=text.count("'", line.start, begin.start()) % 2 == 1,
        )
        if words is None:
            return
        mqsc, at = words
        if begin is echo and "printf" in begin[0] and _CONVERSION.search(mqsc):
            continue  # what the other words make of it is not known
        place = FileLine(line.start, begin.start())
        sink = begin[0] if begin is given else _sink(text, place, at, stop, group)
        manager, is_run = runs_for(sink)
        if (goes_on or HINT.search(mqsc)) and (is_run or is_script(text, sink)):
            yield Block(begin.end(), at, indent, manager, plain_name(manager), mqsc)
            goes_on = is_continued(mqsc)


def is_continued(mqsc: str) -> bool:
    return mqsc.rstrip()[-1:] in ("+", "-")


def _sink(text: str, before: FileLine, end: int, stop: int, group: str) -> str:
    """The commands that the words of an echo go to: of its pipe, or of that of its group."""
    own = pipeline(text, end, stop)
    if _RUNMQSC.search(own) or is_script(text, own):
        return own
    line_end = text.find("\n", end, stop)
    line_end = stop if line_end < 0 else line_end
    words = text[before.start : before.end]
    is_in_group = words.count("(") > words.count(")") or words.count("{") > words.count("}")
    closing = re.compile(r"[)}]").search(text, end, line_end) if is_in_group else None
    closing = closing or _DONE.search(text, end, line_end)
    return pipeline(text, closing.end(), stop) if closing else own + group


def pipeline(text: str, start: int, stop: int) -> str:
    over = _COMMAND_END.search(text, start, stop)
    return text[start : over.start() if over else stop]


def group_sinks(text: str, lines: list[FileLine]) -> list[str]:
    """Of each line what the loop or group of lines around it is piped into, "" for nothing."""
    sinks = [""] * len(lines)
    groups: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        words = text[line.start : line.end]
        closed = _CLOSED.match(words)
        if closed and groups and groups[-1][1] == closed[1]:
            first, _ = groups.pop()
            sink = pipeline(words, closed.end(), len(words))
            if sink.strip():
                sinks[first:number] = [inner or sink for inner in sinks[first:number]]
        opened = _OPENED.search(words)
        if opened and len(groups) < _DEEPEST_GROUP:
            groups.append((number, _CLOSES[opened[1] or opened[0][0]]))
    return sinks


def is_script(text: str, sink: str) -> bool:
    """Whether words go to a script: a file of its name, or one that runmqsc is given."""
    if _TO_SCRIPT.search(sink):
        return True
    written = {file.strip("\"'") for file in _TO_FILE.findall(sink)}
    return not written.isdisjoint(_given_files(text)) if written else False


@lru_cache(maxsize=2)
def _given_files(text: str) -> frozenset[str]:
    """The files that the commands of a shell script give to runmqsc, as they are named there."""
    names = (name for pair in _GIVEN_FILE.findall(text) for name in pair)
    return frozenset(name.strip("\"'") for name in names) - {""}


def nested_blocks(
    text: str, lines: list[FileLine], indent: str, group: str, in_yaml: Reader, depth: int
) -> list[Block]:
    """What a here-document or fence that is no MQSC itself holds: a shell script, or YAML."""
    if depth == _DEEPEST:
        return []
    shell = list(in_shell(text, lines, indent, in_yaml, depth + 1))
    blocks = shell or list(in_yaml(text, lines, depth + 1))
    return blocks if shell else [block._replace(group=f"{group}/{block.group}") for block in blocks]


def _closed_word(text: str, line: FileLine) -> str:
    """The word that a line begins with, where quotes are closed behind it, as of `bash -c`."""
    closed = _CLOSED_WORD.match(text, line.start, line.end)
    return closed[1] if closed else ""


def _ends(text: str, line: FileLine, word: str, indent: str, *, is_loose: bool) -> bool:
    """Whether a line is the end of a here-document; a loose one may stand further in."""
    if _closed_word(text, line) == word:
        return True
    if is_loose:
        return text[line.start : line.end].strip() == word
    return _word(text, line, indent) == word


def _word(text: str, line: FileLine, indent: str) -> str:
    return text[line.start : line.end].rstrip("\r\n").removeprefix(indent)


def _lead(text: str, lines: list[FileLine], indent: str) -> str:
    """The blanks that all lines begin with."""
    first = next((text[a:b] for a, b in lines if text[a:b].strip()), "")
    lead = first[: len(first) - len(first.lstrip(" \t"))]
    return lead if lead.startswith(indent) else indent


def runs_for(words: str) -> tuple[str, bool]:
    """The queue manager that a command line runs runmqsc for, and whether it runs it."""
    run = _RUNMQSC.search(words)
    if run is None:
        return "", False
    arguments = iter(run[1].split())
    for argument in arguments:
        name = argument.strip("\"'`)")
        if argument in _WITH_VALUE:
            next(arguments, "")
        elif _REDIRECTION.match(name):
            break
        elif name and not name.startswith("-"):
            return name, True
    return "", True


def plain_name(name: str) -> str:
    """A name of a queue manager; "" for a variable."""
    return name if is_object_name(name) else ""
