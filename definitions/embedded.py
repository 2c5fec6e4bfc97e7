"""MQSC in files of other kinds: YAML, shell scripts, Dockerfiles, Markdown, templates, jobs.

What is read is a text as long as the file, with everything that is no MQSC blanked out, so that
lines, columns and offsets are those of the file. Where a block is indented, the asterisk of a
comment is moved to column 1, and a line that `-` continues ends with `+`: the indentation of the
next line is not part of its text.

Found are: scalars of YAML under a key that says mqsc, block scalars most of whose commands are MQSC
(ConfigMaps, Helm values, Ansible tasks); here-documents and echoes of shell scripts that go to
runmqsc or into a script, wherever the shell script is (a Jenkinsfile has some); here-documents of
Terraform; fenced blocks of Markdown; in-stream data of JCL; templates of MQSC, such as a.mqsc.j2,
less the lines of their language. What else looks like MQSC is in `Embedded.unread`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import Final

from mqtriage.definitions.quoted_mqsc import shell_words, yaml_folded, yaml_quoted
from mqtriage.mq.mqsc.manifests import manifests
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tokens import close_word, starts_command
from mqtriage.mq.mqsc.tree import (
    Blank,
    Command,
    Diagnostic,
    DiagnosticSeverity,
    Script,
    shifted,
)
from mqtriage.mq.mqsc.verbs import NOUN_BY_WORD, VERB_BY_WORD, VERBS
from mqtriage.mq.names import is_object_name
from mqtriage.records import NamedTuple

_YAML: Final = re.compile(r".*\.ya?ml(?:[._](?:tpl|tmpl|template|j2|in))?")
_SHELL: Final = (".sh", ".bash", ".ksh", ".dockerfile", ".tf", ".groovy", ".jenkinsfile")
_MARKDOWN: Final = (".md", ".markdown")
_IMAGES: Final = ("dockerfile", "containerfile")
_SHELL_NAMES: Final = (*_IMAGES, "jenkinsfile")
_JOBS: Final = (".jcl", ".cntl", ".job")
_TEMPLATE: Final = re.compile(r".*\.mqsc?[._](?:tpl|tmpl|template|j2|jinja2?|ftl|erb|in)")
_IN_STREAM: Final = re.compile(r"//\S*[ ]+DD[ ]+(?:\*|DATA)(?:[ ,].*)?")

_HERE: Final = re.compile(r"(?<!<)<<(-?)[ \t]*(?:\\|(['\"])?)([A-Za-z_@!%][A-Za-z0-9_.@!%-]*)\2?")
_RUNMQSC: Final = re.compile(r"\brunmqsc\b(?!\.\w)([^|;&\n]*)")
_SESSION: Final = re.compile(r"[ \t]*(?:[$#>][ \t]*)?(?:sudo[ \t]+)?runmqsc\b[^<|;&\n]*\n?")
_TO_SCRIPT: Final = re.compile(r"\.(?:mqsc?|tst)\b", re.IGNORECASE)
_GIVEN_FILE: Final = re.compile(
    r"\brunmqsc\b[^|;&\n<]*(?:<|[ \t]-f)[ \t]*([^\s<|;&()]+)"
    r"|\bcat[ \t]+([^\s|;&<>]+)[ \t]*\|[^;&\n]*\brunmqsc\b"
)
_TO_FILE: Final = re.compile(r"(?:>|\btee(?:[ \t]+-a)?[ \t])[ \t]*([^\s<>|;&()]+)")
_REDIRECTION: Final = re.compile(r"[0-9]?[<>)]")
_DEEPEST: Final = 3
"""YAML in a here-document of a shell script in YAML; nobody reads what is deeper."""
_DEEPEST_GROUP: Final = 20
_WITH_VALUE: Final = frozenset({"-u", "-w", "-m", "-c"})
_SCALAR: Final = re.compile(
    r"([ ]*)((?:-[ ]+)*)(?:([^\s#][^#\n]*?)[ ]*:[ ]+|)(?:[!&]\S+[ ]+)*"
    r"([|>])[-+1-9]{0,2}[ \t\r]*(?:#.*)?"
)
_VALUE: Final = re.compile(
    r"([ ]*)((?:-[ ]+)*)(?:([^\s#][^#\n]*?)[ ]*:[ ]+)?(?:[!&]\S+[ ]+)*(?=([\"'A-Za-z]))"
)
_PARENT: Final = re.compile(r"([ ]*)(?:-[ ]+)*([^\s#][^#\n]*?)[ ]*:[ \t\r]*(?:#.*)?")
_KEY: Final = re.compile(r"mqsc?(?![a-z])", re.IGNORECASE)
_FENCE: Final = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([A-Za-z0-9_+-]*)[^`\n]*")
_DIRECTIVE: Final = re.compile(
    r"[ \t]*(?:\{\{.*\}\}|\{%.*%\}|\{#.*#\}|</?#.*>|<%(?!=).*%>)[ \t\r]*"
)
_END: Final = re.compile(r"[ \t]*(?:end|quit|exit|bye|stop)[ \t\r]*;?[ \t\r]*", re.IGNORECASE)
_MARKER: Final = re.compile(r"\{\{|\{%|\$[A-Za-z_{(0-9@*]|`|<[A-Za-z]")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_NOT_A_LINE_END: Final = re.compile(r"[^\n]")
_ECHO: Final = re.compile(
    r"(?<![\w./$-])(?:(?:/usr)?/bin/)?(?:echo(?:[ \t]+-[neE]+)*|print(?:[ \t]+-[nr]+)*"
    r"|printf(?:[ \t]+--)?(?:[ \t]+(['\"])(?:%[sb]|\\n)+\1)?)[ \t]+"
)
_HERE_STRING: Final = re.compile(r"\brunmqsc\b[^|;&\n<]*<<<[ \t]*")
_COMMAND_END: Final = re.compile(r";|&&|\|\||(?<![\\|])\n")
_CLOSES: Final = {"{": "}", "(": ")", "do": "done"}
_OPENED: Final = re.compile(r"[({][ \t\r]*$|(?:^|[ \t;])(do)[ \t\r]*$")
_CLOSED: Final = re.compile(r"[ \t]*([)}]|done\b)")
_DONE: Final = re.compile(r";[ \t]*done\b")
_TRANSCRIPT: Final = re.compile(r"[ \t]*[0-9]*[ \t]*:")
_HINT: Final = re.compile(r"\b(?:def|define|alt|alter|del|delete|set)\b", re.IGNORECASE)


UNREAD: Final = "this looks like MQSC and was not read"


def _told(first: int, last: int) -> str:
    return UNREAD if last == first else f"{UNREAD}, to line {last}"


_NEAR: Final = 2
"""Lines of one passage that was not read, at most that far apart, are one note."""


def _pattern(*verbs: str) -> str:
    """A verb with one of its object types, and the parenthesis of a name or an attribute."""
    words = (word for word, verb in VERB_BY_WORD.items() if verb in verbs)
    nouns = {noun for verb in verbs for noun in VERBS[verb]}
    named = (word for word, noun in NOUN_BY_WORD.items() if noun in nouns)
    return (
        rf"(?:{'|'.join(words)})[ \t]+(?:(?:NO)?REPLACE[ \t]+)?(?:{'|'.join(named)})"
        r"(?:[ \t]+[A-Z]+)?[ \t]*\("
    )


@lru_cache(maxsize=1)
def _looks_like_mqsc() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.])(?:{_pattern('DEFINE', 'ALTER', 'DELETE', 'SET')})", re.IGNORECASE
    )


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


def holds_mqsc(name: str) -> bool:
    """Whether a file of that name is read for the MQSC in it, and is none itself."""
    return _kind(name) != ""


def is_yaml(name: str) -> bool:
    """Whether the MQSC of a file of that name is in scalars of YAML."""
    return _kind(name) == "yaml"


def is_job(name: str) -> bool:
    """Whether a file of that name is a job of z/OS."""
    return name.lower().endswith(_JOBS)


def is_image(name: str) -> bool:
    """Whether a file of that name makes a container image."""
    base = PurePath(name).name.lower()
    return base.startswith(_IMAGES) or base.endswith(".dockerfile")


def is_template(name: str) -> bool:
    """Whether a file of that name is MQSC from which a script is made."""
    return _TEMPLATE.fullmatch(PurePath(name).name.lower()) is not None


def has_marker(text: str) -> bool:
    """Whether something is filled in before MQSC is run: a shell variable, a template."""
    return _MARKER.search(text) is not None


def _kind(name: str) -> str:
    base = PurePath(name).name.lower()
    if base.startswith(_SHELL_NAMES) or base.endswith(_SHELL):
        return "shell"
    if base.endswith(_JOBS):
        return "job"
    if is_template(name):
        return "template"
    if _YAML.fullmatch(base):
        return "yaml"
    return "markdown" if base.endswith(_MARKDOWN) else ""


class Embedded(NamedTuple):
    """What `read_embedded` finds.

    Attributes:
        blank: the file with all of it blanked out.
        unread: first line, its column and last line of what looks like MQSC and is in no block.
    """

    name: str
    text: str
    blocks: tuple[Block, ...]
    blank: str
    unread: tuple[tuple[int, int, int], ...] = ()

    def script(self, blocks: Sequence[Block]) -> Script:
        """The MQSC of some of the blocks, in their order, at its place in the file.

        The part with the first block of all has the notes on what was not read.
        """
        unread: tuple[Diagnostic, ...] = ()
        if not self.blocks or self.blocks[0] in blocks[:1]:
            unread = tuple(
                Diagnostic(DiagnosticSeverity.NOTE, line, column, _told(line, last), "", self.name)
                for line, column, last in self.unread
            )
        if not blocks:
            return Script(self.blank, self.name, (), unread)
        start, end = self.text.rfind("\n", 0, blocks[0].start) + 1, blocks[-1].end
        parts: list[str] = []
        done = start
        for block in blocks:
            between = self.blank[done : block.start]
            if done > start and "\n" not in self.text[done - 1 : block.start]:
                between = between[:-1] + ";"  # two echoes of one line
            parts.append(between)
            parts += _bare(block.mqsc or self.text[block.start : block.end], block.indent)
            done = block.end
        script = parse("".join(parts), file=self.name)
        whole = self.blank[:start] + script.text + self.blank[end:]
        lines = self.blank.count("\n", 0, start)
        behind = lines + script.text.count("\n") + 1
        before = (Blank(0, start, 1),) if start else ()
        after = (Blank(end, len(whole), behind),) if end < len(whole) else ()
        items = (shifted(item, start, lines) for item in script.items)
        notes = tuple(note._replace(line=note.line + lines) for note in script.notes)
        return Script(whole, self.name, (*before, *items, *after), (*notes, *unread))


@lru_cache(maxsize=2)
def read_embedded(name: str, text: str) -> Embedded:
    """The MQSC in a file; nothing in one whose name says that it holds none."""
    kind = _kind(name)
    blank = _NOT_A_LINE_END.sub(" ", text)
    if not kind or not _HINT.search(text):
        return Embedded(name, text, (), blank)
    lines = _file_lines(text)
    readers = {
        "yaml": _in_yaml,
        "markdown": _in_markdown,
        "job": _in_job,
        "template": _in_template,
    }
    reader = readers.get(kind)
    blocks = tuple(reader(text, lines) if reader else _in_shell(text, lines, ""))
    if kind == "yaml":
        blocks = tuple(_of_their_managers(text, blocks))
    unread = tuple(_unread(text, lines, blocks, in_fences=kind == "markdown"))
    return Embedded(name, text, blocks, blank, unread)


def _file_lines(text: str) -> list[FileLine]:
    lines, at = [], 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        lines.append(FileLine(at, end))
        at = end
    return lines


def first_passage(text: str) -> tuple[int, int] | None:
    """Line and column of the first command in a text that nothing is read of, None for none."""
    if not _HINT.search(text):
        return None
    passage = next(_unread(text, _file_lines(text), (), in_fences=False), None)
    return passage and passage[:2]


def _unread(
    text: str, lines: list[FileLine], blocks: Sequence[Block], *, in_fences: bool
) -> Iterator[tuple[int, int, int]]:
    """First line, its column and last line of what looks like MQSC and is in no block or comment.

    Lines that are near each other are one passage.
    """
    starts = [block.start for block in blocks]
    fence = ""
    passage: tuple[int, int, int] | None = None
    for number, line in enumerate(lines, 1):
        words = text[line.start : line.end]
        if in_fences and (mark := _FENCE.match(words)):
            is_end = fence and words.strip().startswith(fence)
            fence = "" if is_end else fence or mark[2]
        if (in_fences and not fence) or words.lstrip().startswith(("#", "*", "//")):
            continue
        looks = _looks_like_mqsc().search(words)
        if looks is None or _TRANSCRIPT.match(words):
            continue
        at = line.start + looks.start()
        block = bisect_right(starts, at) - 1
        if block < 0 or at >= blocks[block].end:
            if passage and number - passage[2] <= _NEAR:
                passage = (*passage[:2], number)
                continue
            if passage:
                yield passage
            passage = (number, looks.start() + 1, number)
    if passage:
        yield passage


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


def _bare(text: str, indent: str) -> Iterator[str]:
    """The lines of a block without what is no MQSC, each as long as it was."""
    is_over = False
    for line in _LINE.findall(text):
        body = line[len(indent) :] if line.startswith(indent) else line.lstrip(" \t")
        before = " " * (len(line) - len(body))
        is_over = is_over or _END.fullmatch(body.rstrip("\n")) is not None
        if is_over or _DIRECTIVE.fullmatch(body.rstrip("\n")):
            yield _NOT_A_LINE_END.sub(" ", line)
        elif body.startswith("*") and before:
            yield "*" + before + body[1:]
        elif before and body.rstrip().endswith("-") and "(" in body:
            stop = len(body.rstrip()) - 1
            yield before + body[:stop] + "+" + body[stop + 1 :]
        else:
            yield before + body


# where it is --------------------------------------------------------------------------------------


def _in_shell(text: str, lines: list[FileLine], indent: str, depth: int = 0) -> Iterator[Block]:
    """Here-documents; *indent* is that of the shell script in its file."""
    number, at = 0, 0
    goes_on, groups = False, _group_sinks(text, lines)
    last = {text[line.start : line.end].strip(): n for n, line in enumerate(lines)}
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
                goes_on = _goes_on(echo.mqsc)
                while at < len(lines) and lines[at].start < echo.end:
                    at += 1
            continue
        first = at
        # a pipeline takes the indentation off before a shell reads the script
        is_loose = bool(here[1]) or exact.get(here[3], -1) < at
        while at < len(lines) and not _ends(text, lines[at], here[3], indent, is_loose=is_loose):
            at += 1
        body = lines[first:at]
        at += 1
        manager, is_run = _runs_for(words)
        number += 1
        nested = [] if is_run else _nested(text, body, indent, str(number), depth)
        lead = _lead(text, body, indent) if here[1] else indent
        block = _block(body, lead, manager, _plain(manager))
        if nested:
            yield from nested
        elif block and (is_run or _TO_SCRIPT.search(words) or _is_mqsc(text, block)):
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
        place = FileLine(line.start, begin.start())
        sink = begin[0] if begin is given else _sink(text, place, at, stop, group)
        manager, is_run = _runs_for(sink)
        if (goes_on or _HINT.search(mqsc)) and (is_run or _is_script(text, sink)):
            yield Block(begin.end(), at, indent, manager, _plain(manager), mqsc)
            goes_on = _goes_on(mqsc)


def _goes_on(mqsc: str) -> bool:
    return mqsc.rstrip()[-1:] in ("+", "-")


def _sink(text: str, before: FileLine, end: int, stop: int, group: str) -> str:
    """The commands that the words of an echo go to: of its pipe, or of that of its group."""
    own = _pipeline(text, end, stop)
    if _RUNMQSC.search(own) or _is_script(text, own):
        return own
    line_end = text.find("\n", end, stop)
    line_end = stop if line_end < 0 else line_end
    words = text[before.start : before.end]
    is_in_group = words.count("(") > words.count(")") or words.count("{") > words.count("}")
    closing = re.compile(r"[)}]").search(text, end, line_end) if is_in_group else None
    closing = closing or _DONE.search(text, end, line_end)
    return _pipeline(text, closing.end(), stop) if closing else own + group


def _pipeline(text: str, start: int, stop: int) -> str:
    over = _COMMAND_END.search(text, start, stop)
    return text[start : over.start() if over else stop]


def _group_sinks(text: str, lines: list[FileLine]) -> list[str]:
    """Of each line what the loop or group of lines around it is piped into, "" for nothing."""
    sinks = [""] * len(lines)
    groups: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        words = text[line.start : line.end]
        closed = _CLOSED.match(words)
        if closed and groups and groups[-1][1] == closed[1]:
            first, _ = groups.pop()
            sink = _pipeline(words, closed.end(), len(words))
            if sink.strip():
                sinks[first:number] = [inner or sink for inner in sinks[first:number]]
        opened = _OPENED.search(words)
        if opened and len(groups) < _DEEPEST_GROUP:
            groups.append((number, _CLOSES[opened[1] or opened[0][0]]))
    return sinks


def _is_script(text: str, sink: str) -> bool:
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


def _nested(text: str, lines: list[FileLine], indent: str, group: str, depth: int) -> list[Block]:
    """What a here-document or fence that is no MQSC itself holds: a shell script, or YAML."""
    if depth == _DEEPEST:
        return []
    shell = list(_in_shell(text, lines, indent, depth + 1))
    blocks = shell or list(_in_yaml(text, lines, depth + 1))
    return blocks if shell else [block._replace(group=f"{group}/{block.group}") for block in blocks]


def _ends(text: str, line: FileLine, word: str, indent: str, *, is_loose: bool) -> bool:
    """Whether a line is the end of a here-document; a loose one may stand further in."""
    if is_loose:
        return text[line.start : line.end].strip() == word
    return _word(text, line, indent) == word


def _word(text: str, line: FileLine, indent: str) -> str:
    return text[line.start : line.end].rstrip("\r\n").removeprefix(indent)


def _lead(text: str, lines: list[FileLine], indent: str) -> str:
    """What all lines begin with, blanks alone."""
    first = next((text[a:b] for a, b in lines if text[a:b].strip()), "")
    lead = first[: len(first) - len(first.lstrip(" \t"))]
    return lead if lead.startswith(indent) else indent


def _runs_for(words: str) -> tuple[str, bool]:
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


def _plain(name: str) -> str:
    """A name of a queue manager; "" for a variable."""
    return name if is_object_name(name) else ""


def _in_yaml(text: str, lines: list[FileLine], depth: int = 0) -> Iterator[Block]:
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
                [block] if block else _in_shell(text, lines[at - 1 : at], "", depth), document
            )
            continue
        first, indent = at, ""
        while at < len(lines):
            words = text[lines[at].start : lines[at].end]
            if _DIRECTIVE.fullmatch(words.rstrip("\n")):
                at += 1  # a template takes it out, however far in it is
                continue
            blanks = len(words) - len(words.lstrip(" "))
            if words.strip() and not indent:
                indent = " " * blanks if blanks > len(scalar[1]) else ""
            if words.strip() and (not indent or blanks < len(indent)):
                break
            at += 1
        body = lines[first:at]
        shell = list(_in_shell(text, body, indent, depth))
        if shell:
            yield from _of_document(shell, document)
            continue
        block = _block(body, indent, str(document), "")
        is_named = _is_named(scalar, parent) and any(
            starts_command(text, line.start, line.end) for line in body
        )
        if block and scalar[4] == ">":
            mqsc = yaml_folded([text[a:b] for a, b in body], indent) if is_named else None
            if mqsc:
                yield block._replace(indent="", mqsc=mqsc)
        elif block and (is_named or _is_mqsc(text, block)):
            yield block


def _of_their_managers(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
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
        if quoted is None or not _HINT.search(quoted[0]):
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


def _in_markdown(text: str, lines: list[FileLine]) -> Iterator[Block]:
    """Fenced blocks, each an example of its own."""
    number, at = 0, 0
    while at < len(lines):
        fence = _FENCE.fullmatch(text[lines[at].start : lines[at].end].rstrip("\r\n"))
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
        nested = [] if language == "mqsc" else _nested(text, body, indent, "", 0)
        if nested:
            yield from (block._replace(group=f"{group} {block.group}") for block in nested)
            continue
        if body and _SESSION.fullmatch(text, *body[0]):
            body = body[1:]
        block = _block(body, indent, group, "")
        if block and (language == "mqsc" or _is_mqsc(text, block)):
            yield block


def _in_job(text: str, lines: list[FileLine]) -> Iterator[Block]:
    """In-stream data of JCL that is MQSC; a job is for one queue manager."""
    at = 0
    while at < len(lines):
        words = text[lines[at].start : lines[at].end].rstrip()
        at += 1
        if _IN_STREAM.fullmatch(words) is None:
            continue
        first = at
        while at < len(lines) and text[lines[at].start :][:2] not in ("/*", "//"):
            at += 1
        block = _block(lines[first:at], "", "", "")
        if block and _is_mqsc(text, block):
            yield block


def _in_template(text: str, lines: list[FileLine]) -> Iterator[Block]:
    """All of it; the lines of the template's language are no part of a block."""
    block = _block(lines, "", "", "")
    if block:
        yield block


def _block(lines: list[FileLine], indent: str, group: str, queue_manager: str) -> Block | None:
    if not lines:
        return None
    return Block(lines[0].start, lines[-1].end, indent, group, queue_manager)


def _is_mqsc(text: str, block: Block) -> bool:
    """Whether most commands of the block are MQSC, right or wrong, and one is right and no query.

    A single typing error does not make another kind of text of it.
    """
    if not _HINT.search(text, block.start, block.end):
        return False
    script = parse("".join(_bare(text[block.start : block.end], block.indent)))
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
