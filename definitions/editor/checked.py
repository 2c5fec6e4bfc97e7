"""A script as it stands in an editor: its findings with their places and edits.

All places are lines and columns from 1, columns in characters, as everywhere in `mqtriage lint`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mqtriage.definitions.estates import ScriptFile, ScriptSet
from mqtriage.definitions.lint.baseline import Baseline, read_baseline
from mqtriage.definitions.lint.config import LintConfig, find_config
from mqtriage.definitions.lint.fixes import rewrite
from mqtriage.definitions.lint.report import report_listing
from mqtriage.definitions.lint.run import Linted, LintRun, less_known, lint_scripts
from mqtriage.model.result import Record
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tree import Script


@dataclass(frozen=True, slots=True)
class Checked:
    """One script with what lint says of it.

    Attributes:
        findings: records as reports have them, with `end_line`, `end_column` and `edits`.
        problem: what is wrong with the settings, which then are the default ones; "" for nothing.
    """

    scripts: ScriptSet
    linted: Linted
    config: LintConfig
    findings: tuple[Record, ...]
    problem: str = ""

    @property
    def script(self) -> Script:
        return self.scripts.scripts[0]

    def findings_in(self, first_line: int, last_line: int) -> Iterator[Record]:
        """The findings that touch one of these lines."""
        for finding in self.findings:
            if finding["line"] <= last_line and first_line <= (finding["end_line"] or 0):
                yield finding


def check_text(text: str, path: Path) -> Checked:
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
    name = str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
    scripts = ScriptSet("", (ScriptFile(path, b"", parse(text, file=name)),))
    linted = lint_scripts(scripts, config)
    run = less_known(LintRun([linted]), known)
    return Checked(scripts, linted, config, tuple(report_listing(run).items), problem)


def _baseline(config: LintConfig) -> Baseline | None:
    if not config.baseline:
        return None
    return Baseline(read_baseline(Path(config.file).parent / config.baseline))


def all_fixed(checked: Checked) -> str:
    """The text with every fix of errors and warnings in it, as `lint --fix --write` writes it."""
    changed = rewrite(checked.scripts, lambda s: lint_scripts(s, checked.config), infos=False)
    return changed[0].script.text if changed else checked.script.text
