"""The baseline: findings that are known and not yet fixed, kept in a file of the repository.

A finding is the same while its code, file and object are; lines may move. The file is JSON, one
entry a line, so that a merge of two branches is a merge of lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from mqtriage.definitions.rules.finding import Finding
from mqtriage.files.durable import write_whole
from mqtriage.files.failures import content_errors, storage_errors
from mqtriage.files.whole import read_whole
from mqtriage.model.shell_words import shell_word
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
from mqtriage.records import dataclass

KIND: Final = "LintBaseline"

Key: TypeAlias = tuple[str, str, str, str]
"""Code, file, type and name of the object."""


def key_of(finding: Finding) -> Key:
    """What stays the same of a finding when a script is edited elsewhere."""
    file = finding.place.file.replace("\\", "/").removeprefix("./")
    return finding.code, file, finding.kind, finding.name


@dataclass(frozen=True, slots=True)
class _KnownFinding:
    code: str = required(TEXT)
    file: str = required(TEXT)
    type: str = required(TEXT)
    object: str = required(TEXT)
    count: int = key(COUNT, 1)


def read_baseline(file: Path) -> dict[Key, int]:
    """How often each finding is known.

    Raises:
        NotFound: There is no such file.
        StorageError: It cannot be read.
        UsageError: It is no baseline.
    """
    with content_errors(file, f"mqtriage lint baseline --out {shell_word(str(file))} writes one"):
        table = json_table(read_whole(file))
        one_of(KIND).read(table.get("kind"), "kind")
        form = list_of(record_form(_KnownFinding, others=True))
        findings = form.read(table.get("findings", []), "findings")
    known: Counter[Key] = Counter()
    for it in findings:
        known[it.code, it.file, it.type, it.object] += it.count
    return dict(known)


def baseline_text(findings: Iterable[Finding]) -> str:
    """The file that makes these findings known."""
    import json

    counts = Counter(key_of(finding) for finding in findings)
    lines = []
    for (code, file, kind, name), count in sorted(counts.items()):
        entry: dict[str, str | int] = {"code": code, "file": file, "type": kind, "object": name}
        if count > 1:
            entry["count"] = count
        lines.append("  " + json.dumps(entry, ensure_ascii=False))
    head = f'{{"schema": "mqtriage/1", "kind": "{KIND}", "findings": ['
    return head + "\n" + ",\n".join(lines) + "\n]}\n"


def write_baseline(file: Path, findings: Iterable[Finding]) -> None:
    """Make these findings known; 0600 for a new file, the permissions it had for one that is there.

    Raises:
        StorageError: It cannot be written.
    """
    with storage_errors(file):
        write_whole(file, baseline_text(findings).encode())


class Baseline:
    """Known findings while a run uses them up; `stale` is what is known and was not found."""

    def __init__(self, known: Mapping[Key, int]) -> None:
        self._unused = dict(known)
        self.used = 0

    def new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that are not known."""
        for finding in findings:
            key = key_of(finding)
            if self._unused.get(key, 0) > 0:
                self._unused[key] -= 1
                self.used += 1
            else:
                yield finding

    @property
    def stale(self) -> list[Key]:
        """Known findings that are fixed: the baseline can be written anew."""
        return [key for key, count in self._unused.items() if count]
