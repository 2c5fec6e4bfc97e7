"""A command as a whole process: its time, its peak memory, and when its first line came."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """One finished process; a non-zero exit code raises instead.

    Attributes:
        seconds: wall time from start to end.
        peak_kib: peak resident memory.
        processor_s: what it had of the processors, which tells more on a busy machine.
    """

    seconds: float
    peak_kib: int
    processor_s: float = 0.0


_WAITER = """
import os, sys, time
began = time.perf_counter()
null = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=null)
_, status, usage = os.wait4(process, 0)
took = time.perf_counter() - began
spent = usage.ru_utime + usage.ru_stime
print(os.waitstatus_to_exitcode(status), took, usage.ru_maxrss, spent, file=sys.stderr)
"""
"""Starts the program and waits for it. Linux counts the memory of who started a process as memory
that the process had at its start, so that this must be somebody small."""


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    out: Path | None = None,
    codes: Collection[int] = (0,),
) -> Run:
    """Run *argv* (a path, arguments) with its output thrown away, or written to *out*.

    Args:
        codes: exit codes that it may end with.
    """
    full = dict(os.environ) | dict(env or {})
    with open(out or os.devnull, "wb") as target:
        waiter = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _WAITER, *argv],
            env=full, stdout=target, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True,
        )  # fmt: skip
    code, took, peak_kib, spent = waiter.stderr.split()
    if int(code) not in codes:
        raise RuntimeError(f"exit {int(code)}: {' '.join(argv)}")
    return Run(float(took), int(peak_kib), float(spent))


def run_tree(
    argv: Sequence[str], *, env: Mapping[str, str] | None = None, every_seconds: float = 0.1
) -> Run:
    """Run *argv*; all is of the process and those it started, whether they are waited for or not.

    The peak is the sum of their peaks, of those that two looks found: what Java has just forked,
    to run a command, has all its memory for a moment.
    """
    peaks: dict[int, int] = {}
    before: set[int] = set()
    spent: dict[int, float] = {}
    errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed where it is read
    began = time.perf_counter()
    process = subprocess.Popen(
        argv,
        env=dict(os.environ) | dict(env or {}),
        stdout=subprocess.DEVNULL,
        stderr=errors,
        stdin=subprocess.DEVNULL,
    )
    done = threading.Event()

    def look() -> None:
        while not done.wait(every_seconds):
            there = set(descendants(process.pid))
            for pid in there & before:
                peaks[pid] = max(peaks.get(pid, 0), high_water_kib(pid))
            before.clear()
            before.update(there)
            for pid in there:
                spent[pid] = max(spent.get(pid, 0.0), processor_seconds(pid))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        code = process.wait()
        took = time.perf_counter() - began
    finally:
        done.set()
        thread.join()
    with errors:
        errors.seek(0)
        last_lines = errors.read().decode("utf-8", "replace")[-2000:] if code else ""
    if code:
        raise RuntimeError(f"exit {code}: {' '.join(argv)}\n{last_lines}")
    return Run(took, sum(peaks.values()), sum(spent.values()))


def processor_seconds(pid: int) -> float:
    """What a process had of the processors so far, 0 when it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    """*pid* and every process below it that runs now."""
    below: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                stat = Path(f"/proc/{name}/stat").read_text()
            except OSError:
                continue  # it has ended
            parent = int(stat.rpartition(")")[2].split()[1])
            below.setdefault(parent, []).append(int(name))
    found = [pid]
    for one in found:
        found += below.get(one, [])
    return found


def high_water_kib(pid: int) -> int:
    """Peak resident memory of a process so far, 0 when it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(x.split()[1]) for x in status.splitlines() if x.startswith("VmHWM:")), 0)


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
