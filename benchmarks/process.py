"""A command as a whole process: its time, its peak memory, and when its first line came."""

from __future__ import annotations

import os
import subprocess
import sys
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


_WAITER = """
import os, sys, time
began = time.perf_counter()
null = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=null)
_, status, usage = os.wait4(process, 0)
took = time.perf_counter() - began
print(os.waitstatus_to_exitcode(status), took, usage.ru_maxrss, file=sys.stderr)
"""
"""Starts the program and waits for it. Linux counts the memory of who started a process as memory
that the process had at its start, so that this must be somebody small."""


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    out: Path | None = None,
) -> Run:
    """Run *argv* (a path, arguments) with its output thrown away, or written to *out*."""
    full = dict(os.environ) | dict(env or {})
    with open(out or os.devnull, "wb") as target:
        waiter = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _WAITER, *argv],
            env=full, stdout=target, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True,
        )  # fmt: skip
    code, took, peak_kib = waiter.stderr.split()
    if int(code):
        raise RuntimeError(f"exit {int(code)}: {' '.join(argv)}")
    return Run(float(took), int(peak_kib))


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
