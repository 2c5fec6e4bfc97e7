"""A command as a whole process: its time, its peak memory, and when its first line came."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """One finished process; a non-zero exit code raises instead.

    Attributes:
        seconds: wall time from start to end.
        peak_kib: peak resident memory.
        first_line_s: wall time until the first byte of output; None when it went to a file.
    """

    seconds: float
    peak_kib: int
    first_line_s: float | None = None


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    out: Path | None = None,
    watch: bool = False,
) -> Run:
    """Run *argv* with its output read and thrown away, or written to *out*.

    Args:
        watch: take the time of the first byte of output.
    """
    full = dict(os.environ) | dict(env or {})
    target = open(out, "wb") if out else subprocess.PIPE if watch else subprocess.DEVNULL  # noqa: SIM115
    began = time.perf_counter()
    process = subprocess.Popen(argv, env=full, stdout=target, stdin=subprocess.DEVNULL)
    first = None
    if process.stdout is not None:
        if process.stdout.read(1):
            first = time.perf_counter() - began
        while process.stdout.read(1 << 16):
            pass
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if not isinstance(target, int):
        target.close()
    if process.returncode:
        raise RuntimeError(f"exit {process.returncode}: {' '.join(argv)}")
    return Run(took, usage.ru_maxrss, first)
