"""Where a saved plan comes from: who made it, on which host, from which files and commit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from mqtriage.mq.mqsc.tree import Script
from mqtriage.records import dataclass

_SHOWN: Final = 12
"""Digits of a digest or a commit, in a line for people."""
_GIT_S: Final = 10


@dataclass(frozen=True, slots=True)
class PlanOrigin:
    """Who made a plan.

    Attributes:
        files: names with the SHA-256 of their text.
        commit: of the git checkout that the first file is in, "" for none.
    """

    user: str
    host: str
    files: tuple[tuple[str, str], ...] = ()
    commit: str = ""

    @property
    def record(self) -> dict[str, Any]:
        """JSON content."""
        return {
            "user": self.user,
            "host": self.host,
            "files": [{"file": name, "sha256": digest} for name, digest in self.files],
            "commit": self.commit or None,
        }

    @property
    def line(self) -> str:
        """``alice on build1, from qm1.mqsc (3f8c91d20aa4), commit 909020ad1c2e``."""
        files = ", ".join(f"{name} ({digest[:_SHOWN]})" for name, digest in self.files)
        commit = f", commit {self.commit[:_SHOWN]}" if self.commit else ""
        return f"{self.user} on {self.host}, from {files}{commit}"


def origin_of(scripts: Iterable[Script], user: str) -> PlanOrigin:
    """What is told of a plan that is made here and now from these scripts."""
    read = (script for script in scripts if script.text)  # the others only note what was not read
    files = tuple((s.file, sha256(s.text.encode("utf-8", "replace")).hexdigest()) for s in read)
    start = Path(files[0][0]).resolve().parent if files else Path.cwd()
    return PlanOrigin(user, os.uname().nodename, files, checked_out_commit(start))


def checked_out_commit(folder: Path) -> str:
    """The commit of the git checkout that a folder is in; "" without one, or without git."""
    words = ("git", "-C", str(folder), "rev-parse", "--verify", "HEAD")
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=_GIT_S)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
