"""A script as it stands in an editor: its findings with their places and edits.

All places are lines and columns from 1, columns in characters, as everywhere in `mqtriage lint`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mqtriage.definitions.embedded.file_kinds import holds_mqsc
from mqtriage.definitions.estate import Estate
from mqtriage.definitions.estates import ScriptFile, ScriptSet, read_file, script_sets
from mqtriage.definitions.lint.baseline import Baseline, read_baseline
from mqtriage.definitions.lint.config import LintConfig, find_config
from mqtriage.definitions.lint.fixes import in_memory, rewrite
from mqtriage.definitions.lint.report import report_listing
from mqtriage.definitions.lint.run import Linted, LintRun, lint_all, lint_scripts
from mqtriage.definitions.script_files import STANDARD_INPUT
from mqtriage.model.result import Record
from mqtriage.mq.errors import MQTriageError, NotFound
from mqtriage.mq.mqsc.tree import Script


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One file with what lint says of it.

    Attributes:
        text: of the file.
        file: the file with all of its MQSC, which is all of it but in YAML and the like.
        parts: each queue manager that the file is for.
        findings: records as reports have them, with `end_line` and `end_column`, without edits:
            for a long script these take as long as all the rest.
        problem: what is wrong with the settings, which then are the default ones; "" for nothing.
    """

    text: str
    file: ScriptFile
    parts: tuple[Linted, ...]
    config: LintConfig
    findings: tuple[Record, ...]
    problem: str = ""

    @property
    def script(self) -> Script:
        return self.file.script

    @property
    def is_mqsc(self) -> bool:
        """Whether the file is MQSC from its first line to its last."""
        return self.file.host is None

    def estate_at(self, offset: int) -> Estate:
        """What the part that has text in this line amounts to; an empty one for no part."""
        start = self.text.rfind("\n", 0, offset) + 1
        for part in self.parts:
            for script in part.scripts.scripts if part.scripts else ():
                if script.text[start:offset].strip():
                    return part.estate
        return self.parts[0].estate if self.parts else Estate()

    def findings_in(self, first_line: int, last_line: int) -> Iterator[Record]:
        """The findings that touch one of these lines, with their `edits`."""
        records = iter(self.findings)
        for part in self.parts:
            here = [
                finding
                for finding in part.findings
                if (record := next(records))["line"] <= last_line
                and first_line <= (record["end_line"] or 0)
            ]
            if here:
                yield from report_listing(LintRun([replace(part, findings=here)])).items


def check_text(text: str, path: Path) -> CheckedFile:
    """What `mqtriage lint FILE` says of a file with this text.

    The settings are those at or above its folder; it is named by its path from there, so that
    patterns of `per-path` and the baseline hold as they do on the command line.

    Args:
        text: of the editor, saved or not.
        path: of the file, which need not be there.
    """
    problem = ""
    try:
        config = find_config(path.parent)
        known = _baseline(config)
    except MQTriageError as error:
        config, known, problem = LintConfig(), None, error.text
    folder = Path(config.file).parent if config.file else path.parent
    config = replace(config, working=str(folder))
    name = str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
    sets = _sets(text, name)
    run = lint_all(sets, config, known)
    records = tuple(report_listing(run, with_edits=False).items)
    # of YAML and the like the sets have parts
    file = _whole_file(text, name) if holds_mqsc(name) else sets[0].files[0]
    return CheckedFile(text, file, tuple(run.results), config, records, problem)


def script_text(text: str, name: str) -> str:
    """The MQSC of a file where it stands, all else blank; the text itself where all is MQSC."""
    if not holds_mqsc(name):
        return text
    return _whole_file(text, name).script.text


def _whole_file(text: str, name: str) -> ScriptFile:
    return read_file(STANDARD_INPUT, lambda: text.encode("utf-8", "replace"), name)


def _sets(text: str, name: str) -> list[ScriptSet]:
    """As `mqtriage lint - --stdin-filename NAME` reads it, to be edited where it stands."""
    try:
        sets = script_sets(
            [STANDARD_INPUT], lambda: text.encode("utf-8", "replace"), stdin_name=name
        )
    except NotFound:  # a file of another kind, without MQSC
        return []
    return [in_memory(one) for one in sets]


def _baseline(config: LintConfig) -> Baseline | None:
    if not config.baseline:
        return None
    file = Path(config.file).parent / config.baseline
    return Baseline(read_baseline(file), file.parent, str(Path(config.file).parent))


def all_fixed(checked: CheckedFile) -> str:
    """The text with every fix of errors and warnings in it, as `lint fix --write` writes it."""
    text = checked.text
    lint = partial(lint_scripts, config=checked.config)
    for number in range(len(checked.parts)):
        # the parts of one file are read again once one of them has changed
        for changed in rewrite(_sets(text, checked.script.file)[number], lint, infos=False):
            text = changed.text
    return text
