"""MQSC in files of other kinds: YAML, shell scripts, Dockerfiles, Markdown, templates, jobs.

What is read is a text as long as the file, with everything that is no MQSC blanked out, so that
lines, columns and offsets are those of the file. Where a block is indented, the asterisk of a
comment is moved to column 1, and a line that `-` continues ends with `+`: the indentation of the
next line is not part of its text.

Found are: scalars of YAML under a key that says mqsc, block scalars most of whose commands are MQSC
(ConfigMaps, Helm values, Ansible tasks); here-documents and echoes of shell scripts that go to
runmqsc or into a script, wherever the shell script is (a Jenkinsfile has some), and echoes of
command files of Windows; here-documents of Terraform; fenced and indented blocks of Markdown;
in-stream data of JCL; templates of MQSC, such as a.mqsc.j2, less the lines of their language.
What else looks like MQSC is in `Embedded.unread`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from mqtriage.definitions.embedded.batch import in_batch
from mqtriage.definitions.embedded.blocks import (
    HINT,
    NOT_A_LINE_END,
    Block,
    FileLine,
    bare,
    block_of,
    file_lines,
)
from mqtriage.definitions.embedded.file_kinds import is_image, kind_of
from mqtriage.definitions.embedded.job import in_job, utility_notes
from mqtriage.definitions.embedded.markdown import FENCE, INDENTED, in_markdown
from mqtriage.definitions.embedded.shell import in_shell
from mqtriage.definitions.embedded.yaml_scalars import in_yaml, of_their_managers
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tree import Blank, Diagnostic, DiagnosticSeverity, Script, shifted
from mqtriage.mq.mqsc.verbs import NOUN_BY_WORD, VERB_BY_WORD, VERBS
from mqtriage.records import NamedTuple

_TRANSCRIPT: Final = re.compile(r"[ \t]*[0-9]*[ \t]*:")
_JOINED: Final = re.compile(r"(?<=\\n)\\\n")
"""The end of a line that a Dockerfile joins with the next, even in single quotes."""
_APPLIED: Final = '{"apiVersion":'
"""How an annotation of kubectl begins that has the object once more, as it was applied."""
_REPORT: Final = re.compile(r"(?:---\n)?schema: mqtriage/")
"""How YAML begins that mqtriage wrote: what it shows of MQSC is no script."""
UNREAD: Final = "this looks like MQSC and was not read"
NOT_READ: Final = "not read: "
"""How notes begin on what is left out: a file, a folder, a function of CSQUTIL."""


_QUOTATION: Final = re.compile(r"[ \t]*(?:>[ \t]?)+")
_PRE: Final = re.compile(r"[ \t]*<pre\b", re.IGNORECASE)
_NEAR: Final = 2
"""Lines of one passage that was not read, at most that far apart, are one note."""


def _told(first: int, last: int) -> str:
    return UNREAD if last == first else f"{UNREAD}, to line {last}"


def _pattern(*verbs: str) -> str:
    """A verb with one of its object types, and a parenthesis or the mark of a continued line."""
    words = (word for word, verb in VERB_BY_WORD.items() if verb in verbs)
    nouns = {noun for verb in verbs for noun in VERBS[verb]}
    named = (word for word, noun in NOUN_BY_WORD.items() if noun in nouns)
    return (
        rf"(?:{'|'.join(words)})[ \t]+(?:(?:NO)?REPLACE[ \t]+)?(?:{'|'.join(named)})"
        r"(?:[ \t]+[A-Z]+)?[ \t]*(?:\(|\+[ \t]*$)"
    )


@lru_cache(maxsize=1)
def _looks_like_mqsc() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?<![\w.])|(?<=\\[nrt]))(?:{_pattern('DEFINE', 'ALTER', 'DELETE', 'SET')})",
        re.IGNORECASE,
    )


class Embedded(NamedTuple):
    """What `read_embedded` finds.

    Attributes:
        blank: the file with all of it blanked out.
        unread: first line, its column and last line of what looks like MQSC and is in no block.
        left_out: line and words for what else a job does, which is no MQSC.
    """

    name: str
    text: str
    blocks: tuple[Block, ...]
    blank: str
    unread: tuple[tuple[int, int, int], ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()

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
            unread += tuple(
                Diagnostic(DiagnosticSeverity.NOTE, line, 1, f"{NOT_READ}{what}", "", self.name)
                for line, what in self.left_out
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
            parts += bare(block.mqsc or self.text[block.start : block.end], block.indent)
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
    kind = kind_of(name)
    blank = NOT_A_LINE_END.sub(" ", text)
    if not kind or not HINT.search(text) or _REPORT.match(text):
        return Embedded(name, text, (), blank)
    lines = file_lines(text)
    joined = _JOINED.sub(" \n", text) if is_image(name) else text
    readers = {
        "yaml": in_yaml,
        "markdown": in_markdown,
        "batch": in_batch,
        "job": in_job,
        "template": _in_template,
    }
    reader = readers.get(kind)
    blocks = tuple(reader(text, lines) if reader else in_shell(joined, lines, "", in_yaml))
    if kind == "yaml":
        blocks = tuple(of_their_managers(text, blocks))
    unread = tuple(_unread(text, lines, blocks, in_fences=kind == "markdown"))
    left_out = tuple(utility_notes(text, lines)) if kind == "job" else ()
    return Embedded(name, text, blocks, blank, unread, left_out)


def first_passage(text: str) -> tuple[int, int] | None:
    """Line and column of the first command in a text that nothing is read of, None for none."""
    if not HINT.search(text):
        return None
    passage = next(_unread(text, file_lines(text), (), in_fences=False), None)
    return passage and passage[:2]


def _unread(
    text: str, lines: list[FileLine], blocks: Sequence[Block], *, in_fences: bool
) -> Iterator[tuple[int, int, int]]:
    """First line, its column and last line of what looks like MQSC and is in no block or comment.

    Lines that are near each other are one passage.
    """
    starts = [block.start for block in blocks]
    fence, is_pre = "", False
    passage: tuple[int, int, int] | None = None
    for number, line in enumerate(lines, 1):
        words = text[line.start : line.end]
        inner = _QUOTATION.sub("", words) if in_fences else words
        is_pre = _PRE.match(inner) is not None or (is_pre and "</pre" not in inner.lower())
        if in_fences and (mark := FENCE.match(inner)):
            is_end = fence and inner.strip().startswith(fence)
            fence = "" if is_end else fence or mark[2]
        is_prose = in_fences and not (fence or is_pre or INDENTED.match(inner))
        is_copy = words[:1].isspace() and words.lstrip().startswith(_APPLIED)
        if is_prose or is_copy or inner.lstrip().startswith(("#", "*", "//")):
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


def _in_template(text: str, lines: list[FileLine]) -> Iterator[Block]:
    """All of it; the lines of the template's language are no part of a block."""
    block = block_of(lines, "", "", "")
    if block:
        yield block
