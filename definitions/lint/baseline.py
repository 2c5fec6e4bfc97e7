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
from mqtriage.files.durable import rewrite_file
from mqtriage.files.failures import storage_errors
from mqtriage.mq.errors import NotFound, StorageError, UsageError

KIND: Final = "LintBaseline"

Key: TypeAlias = tuple[str, str, str, str]
"""Code, file, type and name of the object."""


def key_of(finding: Finding) -> Key:
    """What stays the same of a finding when a script is edited elsewhere."""
    file = finding.place.file.replace("\\", "/").removeprefix("./")
    return finding.code, file, finding.kind, finding.name


def read_baseline(file: Path) -> dict[Key, int]:
    """How often each finding is known.

    Raises:
        NotFound: There is no such file.
        StorageError: It cannot be read.
        UsageError: It is no baseline.
    """
    import json

    try:
        data = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        hint = f"write one with --write-baseline {file}"
        raise NotFound(f"{file}: no such baseline", hint=hint) from None
    except OSError as error:
        raise StorageError(f"{file}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: no baseline: {error}") from error
    known: Counter[Key] = Counter()
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise UsageError(f"{file}: no baseline: kind {KIND} is expected")
    for entry in data.get("findings", ()):
        match entry:
            case {"code": str(code), "file": str(path), "type": str(kind), "object": str(name)}:
                count = entry.get("count", 1)
                known[code, path, kind, name] += count if isinstance(count, int) else 1
            case _:
                raise UsageError(f"{file}: no finding: {str(entry)[:60]}")
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
        rewrite_file(file, baseline_text(findings).encode())


class Baseline:
    """Known findings while a run uses them up; `stale` is what is known and was not found."""

    def __init__(self, known: Mapping[Key, int]) -> None:
        self._left = dict(known)
        self.used = 0

    def new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that are not known."""
        for finding in findings:
            key = key_of(finding)
            if self._left.get(key, 0) > 0:
                self._left[key] -= 1
                self.used += 1
            else:
                yield finding

    @property
    def stale(self) -> list[Key]:
        """Known findings that are fixed: the baseline can be written anew."""
        return [key for key, count in self._left.items() if count]
