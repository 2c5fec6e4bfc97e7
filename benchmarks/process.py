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
    """

    seconds: float
    peak_kib: int


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    out: Path | None = None,
) -> Run:
    """Run *argv* with its output thrown away, or written to *out*."""
    full = dict(os.environ) | dict(env or {})
    with open(out or os.devnull, "wb") as target:
        began = time.perf_counter()
        process = subprocess.Popen(
            argv, env=full, stdout=target, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"exit {process.returncode}: {' '.join(argv)}")
    return Run(took, usage.ru_maxrss)


def first_byte_seconds(argv: Sequence[str], env: Mapping[str, str]) -> float:
    """Wall time until the first byte of output; the rest is not waited for."""
    began = time.perf_counter()
    process = subprocess.Popen(
        argv,
        env=dict(os.environ) | dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    process.stdout.read(1)
    took = time.perf_counter() - began
    process.stdout.close()
    process.wait()
    return took
