"""Fixes: as MQSC to run, or written into the scripts where they belong.

One round of fixes may give rise to the next (a backout queue that is defined takes a name), so
both ways lint again until nothing more can be fixed. An edit changes the value between the
parentheses where a command gives one, adds the attribute to the last command about the object,
and leaves every other character as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import unified_diff
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, TypeAlias

from mqtriage.definitions.embedded.blocks import indented
from mqtriage.definitions.estate import DefiningCommand, Definition, Estate, Location
from mqtriage.definitions.estate_script import command_key, key_of
from mqtriage.definitions.estates import ScriptFile, ScriptSet, estate_of
from mqtriage.definitions.lint.baseline import FIX_FILE
from mqtriage.definitions.lint.ignores import lines_of
from mqtriage.definitions.lint.run import Linted
from mqtriage.definitions.rules.finding import Alter, Change, Define, Finding, Severity
from mqtriage.definitions.script_files import encode_like
from mqtriage.files.durable import rewrite_file
from mqtriage.files.failures import storage_errors
from mqtriage.mq.attributes.catalogue import attribute, render
from mqtriage.mq.errors import Refused
from mqtriage.mq.mqsc.lines import is_numbered
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tree import Command, Script
from mqtriage.records import dataclass

_ROUNDS: Final = 10
_WIDTH: Final = 72
_INDENT: Final = "       "

Edit: TypeAlias = tuple[int, int, str]
"""Start and end in the script's text, and what to put there."""
Lint: TypeAlias = Callable[[ScriptSet], Linted]


def fixable(findings: Iterable[Finding], *, infos: bool) -> list[Finding]:
    """Findings with a fix; infos are a matter of taste, and left out unless asked for."""
    return [
        f
        for f in findings
        if (f.fix or f.respelling) and (infos or f.severity is not Severity.INFO)
    ]


def fix_mqsc(scripts: ScriptSet, lint: Lint, *, infos: bool) -> str:
    """MQSC that fixes what can be fixed, to run after the scripts; "" for nothing."""
    texts: list[str] = []
    for _ in range(_ROUNDS):
        written = len(texts)
        texts += _round_of_mqsc(fixable(lint(scripts).findings, infos=infos), texts)
        if len(texts) == written:
            break
        text = "\n".join(texts[written:]) + "\n"
        extra = ScriptFile(None, b"", parse(text, file=FIX_FILE))
        scripts = replace(scripts, files=(*scripts.files, extra))
    return "".join(f"{text}\n" for text in texts)


def once_mqsc(findings: Iterable[Finding], *, infos: bool) -> str:
    """MQSC for a live queue manager: one round, since its state cannot be tried here."""
    return "".join(f"{text}\n" for text in _round_of_mqsc(fixable(findings, infos=infos), ()))


def _round_of_mqsc(findings: Iterable[Finding], before: Sequence[str]) -> list[str]:
    texts: list[str] = []
    fixed = set(before)
    touched: set[tuple[str, str]] = set()
    for finding in findings:
        keys = {
            key_of(change.kind, change.name) for change in finding.fix if isinstance(change, Define)
        }
        if keys & touched:
            continue  # another fix of this round defines it: the next round sees that
        touched |= keys
        for change in finding.fix:
            text = change.mqsc()
            if text not in fixed:
                fixed.add(text)
                texts.append(text)
    return texts


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A script with its fixes in it.

    Attributes:
        text: that of the whole file, which the script may be a part of.
        fixed: findings that are gone, in the order they were fixed.
    """

    file: ScriptFile
    script: Script
    text: str
    fixed: tuple[Finding, ...]


def rewrite(scripts: ScriptSet, lint: Lint, *, infos: bool) -> list[Rewritten]:
    """Write fixes into the scripts, in memory; only files that change are returned.

    Files whose lines have sequence numbers stay as they are: an edit would shift the numbers into
    the text.
    """
    kept = tuple(replace(f, path=None) if is_numbered(f.script.text) else f for f in scripts.files)
    current = replace(scripts, files=kept)
    fixed: dict[str, list[Finding]] = {}
    for _ in range(_ROUNDS):
        linted = lint(current)
        editor = _Editor(current, linted.estate_with_commands)
        done = [f for f in fixable(linted.findings, infos=infos) if editor.fix(f)]
        changed = editor.applied() if editor.edits else None
        if changed is None:
            break
        current = changed
        for finding in done:
            fixed.setdefault(finding.place.file, []).append(finding)
    return [
        Rewritten(old, new.script, new.text, tuple(fixed.get(old.script.file, ())))
        for old, new in zip(scripts.files, current.files, strict=True)
        if old.script.text != new.script.text
    ]


def in_memory(scripts: ScriptSet) -> ScriptSet:
    """The same scripts, with standard input as a file that `rewrite` edits and nobody saves."""
    return replace(
        scripts,
        files=tuple(replace(f, path=f.path or Path(f.script.file)) for f in scripts.files),
    )


def diff_of(rewritten: Rewritten) -> str:
    """What `save` would change, as `patch` and `git apply` take it."""
    name = rewritten.file.script.file.removeprefix("./").removeprefix("/")
    old, new = (text.split("\n") for text in (rewritten.file.text, rewritten.text))
    lines = unified_diff(_with_ends(old), _with_ends(new), f"a/{name}", f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _with_ends(lines: list[str]) -> list[str]:
    """Lines with their ends; a line ends at LF alone, as for `patch`."""
    return [f"{line}\n" for line in lines[:-1]] + lines[-1:] * bool(lines[-1])


def edits_by_finding(
    scripts: ScriptSet, estate: Estate
) -> Callable[[Finding], list[tuple[str, Edit]]]:
    """What tells the edits that fix a finding by itself, each with its file.

    It tells [] for none, also where lines have numbers.
    """
    kept = tuple(f for f in scripts.files if f.path is not None and not is_numbered(f.script.text))
    editor = _Editor(replace(scripts, files=kept), estate)
    return lambda finding: editor.edits_for(finding) or []


class _Editor:
    """Collects edits that do not touch one another; the rest waits for the next round."""

    def __init__(self, scripts: ScriptSet, estate: Estate) -> None:
        self._scripts = scripts
        self._estate = estate
        self._by_file = {f.script.file: f.script for f in scripts.files if f.path is not None}
        self._hosts = {f.script.file: f.host for f in scripts.files if f.host is not None}
        self._commands = {
            (script.file, line): command
            for script in self._by_file.values()
            for command in script.commands
            for line in lines_of(script, command)
        }
        self.edits: dict[str, list[Edit]] = {}
        self._touched: set[tuple[str, str]] = set()

    def fix(self, finding: Finding) -> bool:
        """Note the edits for one finding; False when they have to wait or have no place."""
        keys = {(c.kind[:1], c.name) for c in finding.fix if isinstance(c, Alter | Define)}
        planned = self.edits_for(finding)
        if not planned or keys & self._touched:
            return False
        self._touched |= keys
        for file, edit in planned:
            self.edits.setdefault(file, []).append(edit)
        return True

    def edits_for(self, finding: Finding) -> list[tuple[str, Edit]] | None:
        """The edits for one finding by itself; None where one of them has no place."""
        planned: list[tuple[str, Edit]] = []
        anchor = self._anchor(finding.place)
        if finding.respelling is not None:
            respelt = self._respelling(finding)
            if respelt is None:
                return None
            planned.append(respelt)
        for change in finding.fix:
            edits = self._edits_of(change, anchor)
            if edits is None:
                return None
            planned += edits
        if any(self._is_in_quotes(name, edit) for name, edit in planned):
            return None
        return [(name, self._within(name, edit)) for name, edit in planned]

    def _is_in_quotes(self, name: str, edit: Edit) -> bool:
        """Whether an edit would have to be written as the quotes around it want it."""
        host = self._hosts.get(name)
        blocks = host.blocks.values() if host else ()
        return any(block.mqsc and block.start <= edit[0] <= block.end for block in blocks)

    def _within(self, name: str, edit: Edit) -> Edit:
        """The edit with its lines as far in as those of the file it is in."""
        host = self._hosts.get(name)
        if host is None:
            return edit
        start, end, text = edit
        return start, end, indented(host.blocks.values(), host.text, start, text)

    def applied(self) -> ScriptSet | None:
        """The scripts with the edits in them; None when one would come out worse than it was."""
        files = []
        for file in self._scripts.files:
            edits = self.edits.get(file.script.file)
            if not edits or file.path is None:
                files.append(file)
                continue
            edited = file.edited(edits)
            if _errors(edited.script) > _errors(file.script):
                return None
            files.append(edited)
        return replace(self._scripts, files=tuple(files))

    def _anchor(self, place: Location) -> DefiningCommand | None:
        """The command that a place is in."""
        command = self._commands.get((place.file, place.line))
        return None if command is None else DefiningCommand(place.file, command)

    def _edits_of(
        self, change: Change, anchor: DefiningCommand | None
    ) -> list[tuple[str, Edit]] | None:
        if isinstance(change, Alter):
            target = self._target(change)
            if target is not None:
                return self._alter(change, target)
        if isinstance(change, Define) and key_of(change.kind, change.name) in self._defined:
            return None  # the scripts make it and delete it: made again, it is in the way
        if isinstance(change, Define) and change.like:
            like = self._estate.queues.get(change.like)
            if like is not None and like.sources and like.sources[0].command.verb == "DEFINE":
                anchor = like.sources[0]
        if isinstance(change, Define) and anchor is not None:
            replaces = anchor.command.verb == "DEFINE" and anchor.command.has("REPLACE")
            return self._after(anchor, change.mqsc(replace=replaces or self._runs_again))
        return self._after(anchor, change.mqsc())

    @cached_property
    def _defined(self) -> set[tuple[str, str]]:
        """What the scripts define, whatever becomes of it."""
        return {
            command_key(command)
            for file in self._scripts.files
            for command in file.script.commands
            if command.verb == "DEFINE" and command.name is not None
        }

    @cached_property
    def _runs_again(self) -> bool:
        """Whether the scripts can be run twice, so that a DEFINE that is added needs REPLACE."""
        once, twice = (len(estate_of(self._scripts.scripts * times).refused) for times in (1, 2))
        return once == twice

    def _target(self, change: Alter) -> Definition | None:
        """The object, where a script that can be written has the last word on it."""
        if change.kind == "QMGR":
            definition = self._estate.queue_manager_attributes
        else:
            definition = self._estate.objects(change.kind).get(change.name)
        sources = definition.sources if definition is not None else ()
        return definition if sources and sources[-1].file in self._by_file else None

    def _alter(self, change: Alter, target: Definition) -> list[tuple[str, Edit]] | None:
        edits: list[tuple[str, Edit]] = []
        added: list[str] = []
        for keyword, value in change.attributes.items():
            entry = attribute(target.kind, keyword)
            if entry is None:
                return None
            source = target.source_of(keyword)
            parameter = source.parameter(keyword) if source else None
            text = render(entry, value)
            if source is None or parameter is None:
                added.append(text)
            elif source.file in self._by_file:
                edits.append((source.file, (parameter.start, parameter.end, text)))
            else:
                return None
        if added:
            source = target.sources[-1]
            script = self._by_file[source.file]
            edits.append((source.file, _addition(script, source.command, added)))
        return edits

    def _after(self, anchor: DefiningCommand | None, text: str) -> list[tuple[str, Edit]] | None:
        """A command of its own behind the anchor's, or behind the line it shares with others."""
        if anchor is None or anchor.file not in self._by_file:
            return None
        script = self._by_file[anchor.file]
        at = anchor.command.end
        if anchor.command.more:
            end = script.text.find("\n", at)
            at = len(script.text) if end < 0 else end + 1
        newline = _newline(script.text)
        before = "" if script.text[at - 1 : at] == "\n" else newline
        written = text.replace("\n", newline) + newline
        return [(anchor.file, (at, at, before + written))]

    def _respelling(self, finding: Finding) -> tuple[str, Edit] | None:
        script = self._by_file.get(finding.place.file)
        respelling = finding.respelling
        if script is None or respelling is None:
            return None
        anchor = self._anchor(respelling.place)
        for parameter in anchor.command.parameters if anchor else ():
            here = (parameter.line, parameter.column)
            if here == (respelling.place.line, respelling.place.column):
                end = parameter.start + len(respelling.old)
                return finding.place.file, (parameter.start, end, respelling.new)
        return None


@lru_cache(maxsize=8)  # of one text it is asked once for each finding
def _newline(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def _errors(script: Script) -> int:
    return sum(1 for command in script.commands if command.error is not None)


def _addition(script: Script, command: Command, added: Iterable[str]) -> Edit:
    """More attributes behind the last one: on its line where they fit, else continued."""
    text = script.text
    ends = [parameter.end for parameter in command.parameters]
    if command.name is not None:
        last_name = (command.name, *command.further_names)[-1]
        ends.append(text.index(")", last_name.end) + 1)
    at = max(ends, default=command.end)
    newline = _newline(text)
    line_start = text.rfind("\n", 0, at) + 1
    over_lines = "\n" in script.raw(command).rstrip("\r\n")
    used = at - line_start
    indent = text[line_start:at][: used - len(text[line_start:at].lstrip())] or _INDENT
    parts = []
    for word in added:
        if not over_lines and used + 1 + len(word) <= _WIDTH - 2:
            parts.append(f" {word}")
            used += 1 + len(word)
        else:
            parts.append(f" +{newline}{indent}{word}")
            used = len(indent) + len(word)
    return at, at, "".join(parts)


def save(rewritten: Rewritten) -> None:
    """Replace the file at once, with its mode kept.

    Raises:
        Refused: It is no longer what was read.
    """
    if rewritten.file.path is None:
        return
    path, data = rewritten.file.path, rewritten.file.data
    with storage_errors(path):
        if path.read_bytes() != data:
            raise Refused(f"{path}: changed while it was linted", hint="run it again")
        rewrite_file(path, encode_like(data, rewritten.text))
