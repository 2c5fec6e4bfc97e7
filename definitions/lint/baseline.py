"""The baseline: findings that are known and not yet fixed, kept in a file of the repository.

A finding is the same while its code, file and object are; lines may move. One whose file is gone is
the same in any other file: scripts are renamed. Paths of files start at the folder of the baseline;
a live finding has its queue manager instead. The file is JSON, one
entry a line, so that a merge of two branches is a merge of lines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path, PurePath
from typing import Final, TypeAlias

from mqtriage.definitions.lint.project_paths import path_from
from mqtriage.definitions.rules.finding import Finding
from mqtriage.files.durable import write_whole
from mqtriage.files.failures import content_errors, storage_errors
from mqtriage.files.whole import read_whole
from mqtriage.model.tables import (
    COUNT,
    TEXT,
    json_table,
    key,
    list_of,
    one_of,
    record_form,
    required,
)
from mqtriage.records import NamedTuple, dataclass

KIND: Final = "LintBaseline"
FIX_FILE: Final = "<fix>"
"""The script of the commands that fix findings: a finding moves into it with its object."""

Key: TypeAlias = tuple[str, str, str, str, str]
"""Code, file, type and name of the object, and the live queue manager."""


def _paths_from(folder: Path, working: str = "") -> Callable[[str], str]:
    """The path of a script from the folder of the baseline, by the name that it has in this run.

    Args:
        working: the folder that these names start from; "" is the working folder.
    """
    return cache(lambda file: path_from(folder, file, working))


def key_of(finding: Finding, queue_manager: str, path_of: Callable[[str], str]) -> Key:
    """What stays the same of a finding when a script is edited elsewhere.

    Args:
        queue_manager: of a live finding, "" for one in a script.
        path_of: of a script, from the folder of the baseline.
    """
    return finding.code, path_of(finding.place.file), finding.kind, finding.name, queue_manager


def _without_file(key: Key) -> Key:
    return key[0], "", *key[2:]


@dataclass(frozen=True, slots=True)
class _KnownFinding:
    code: str = required(TEXT)
    file: str = required(TEXT)
    type: str = required(TEXT)
    object: str = required(TEXT)
    queue_manager: str = key(TEXT, "")
    count: int = key(COUNT, 1)


def read_baseline(file: Path, hint: str | None = None) -> dict[Key, int]:
    """How often each finding is known.

    Args:
        hint: how such a file is written.
    """
    with content_errors(file, hint):
        table = json_table(read_whole(file))
        one_of(KIND).read(table.get("kind"), "kind")
        form = list_of(record_form(_KnownFinding, others=True))
        findings = form.read(table.get("findings", []), "findings")
    known: Counter[Key] = Counter()
    for it in findings:
        known[it.code, it.file, it.type, it.object, it.queue_manager] += it.count
    return dict(known)


def baseline_text(
    findings: Iterable[tuple[str, Finding]], folder: Path, kept: Mapping[Key, int] = {}
) -> str:
    """The file in *folder* that makes these findings known, each with its live queue manager.

    Args:
        kept: what it knows besides, and how often.
    """
    import json

    path_of = _paths_from(folder)
    counts = Counter(key_of(finding, name, path_of) for name, finding in findings)
    counts.update(kept)
    lines = []
    for (code, file, kind, name, manager), count in sorted(counts.items()):
        entry: dict[str, str | int] = {"code": code, "file": file, "type": kind, "object": name}
        if manager:
            entry["queue_manager"] = manager
        if count > 1:
            entry["count"] = count
        lines.append("  " + json.dumps(entry, ensure_ascii=False))
    head = f'{{"schema": "mqtriage/1", "kind": "{KIND}", "findings": ['
    return head + "\n" + ",\n".join(lines) + "\n]}\n"


def write_baseline(
    file: Path,
    findings: Iterable[tuple[str, Finding]],
    folder: Path | None = None,
    kept: Mapping[Key, int] = {},
) -> None:
    """Make these findings known; 0600 for a new file, the permissions it had for one that is there.

    Args:
        findings: with the queue manager of each live one, "" for those in scripts.
        folder: where the file will be used, if not where it is written.
    """
    with storage_errors(file):
        write_whole(file, baseline_text(findings, folder or file.parent, kept).encode())


class Checked(NamedTuple):
    """What a run checked, by the names that it has there.

    Attributes:
        folders: a script that was in one may be gone.
        not_run: scripts, each with the code of a rule that was not run on it.
    """

    files: Collection[str]
    folders: Collection[str]
    managers: Collection[str]
    not_run: Collection[tuple[str, str]] = ()


class Baseline:
    """Known findings while a run uses them up.

    Args:
        folder: of the baseline.
        working: the folder that the names of scripts start from; "" is the working folder.
    """

    def __init__(self, known: Mapping[Key, int], folder: Path, working: str = "") -> None:
        self._known = known
        self._unused = dict(known)
        self._folder = folder
        self._working = working
        self._path_of = _paths_from(folder, working)
        self._is_gone = cache(lambda file: not (folder / file).exists())
        self.used = 0

    @property
    def unused(self) -> int:
        """How many known findings were not found again so far."""
        return sum(self._unused.values())

    def unused_again(self) -> Baseline:
        """The same known findings, none of them used up."""
        return Baseline(self._known, self._folder, self._working)

    def new(self, findings: Iterable[Finding], queue_manager: str = "") -> Iterator[Finding]:
        """The findings that are not known."""
        for finding in findings:
            if self._use(finding, queue_manager):
                self.used += 1
            else:
                yield finding

    def pass_over(self, findings: Iterable[Finding], queue_manager: str = "") -> None:
        """Take note of findings that are there, and ignored by other means."""
        for finding in findings:
            self._use(finding, queue_manager)

    def _use(self, finding: Finding, queue_manager: str) -> bool:
        """Use up the entry of a finding; False where it is not known."""
        key = key_of(finding, queue_manager, self._path_of)
        moves = finding.place.file == FIX_FILE
        for one in (key, *self._alike[_without_file(key)]):
            is_same = one == key or moves or self._is_gone(one[1])
            if is_same and self._unused.get(one, 0) > 0:
                self._unused[one] -= 1
                return True
        return False

    @cached_property
    def _alike(self) -> defaultdict[Key, list[Key]]:
        """The known findings in scripts, by what is left without the file."""
        alike: defaultdict[Key, list[Key]] = defaultdict(list)
        for one in self._known:
            if not one[4]:
                alike[_without_file(one)].append(one)
        return alike

    def fixed(self, checked: Checked, runs: Callable[[str], bool]) -> int:
        """How many known findings are gone from what was checked: the baseline can be updated."""
        files = {self._path_of(file) for file in checked.files}
        above = [PurePath(self._path_of(f"{one}/.")) for one in checked.folders]
        not_run = {(self._path_of(file), code) for file, code in checked.not_run}

        def is_checked(file: str, manager: str) -> bool:
            if manager or file in files:
                return manager in checked.managers or not manager
            is_inside = any(PurePath(file).is_relative_to(folder) for folder in above)
            return is_inside and not (self._folder / file).exists()

        return sum(
            count
            for (code, file, _, _, manager), count in self._unused.items()
            if runs(code) and (file, code) not in not_run and is_checked(file, manager)
        )

    def not_run(self, runs: Callable[[str], bool], *, some_queues: bool) -> dict[Key, int]:
        """The known findings of rules that were not run, or of queues that were not looked at.

        Args:
            some_queues: whether findings on some queues only were asked for; then whatever was not
                found again may be on another.
        """
        return {
            key: count
            for key, count in self._unused.items()
            if count and (some_queues or not runs(key[0]))
        }

    def not_checked(self, checked: Checked) -> tuple[int, list[str], list[str]]:
        """How many known findings are elsewhere, their files that are there, their managers."""
        files = {self._path_of(file) for file in checked.files}
        elsewhere = {
            key: count
            for key, count in self._unused.items()
            if (key[4] not in checked.managers if key[4] else key[1] not in files)
            and (key[4] or (self._folder / key[1]).is_file())
        }
        names = sorted({str(self._folder / key[1]) for key in elsewhere if not key[4]})
        managers = sorted({key[4] for key in elsewhere if key[4]})
        return sum(elsewhere.values()), names, managers
