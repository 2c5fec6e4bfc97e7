"""How fast MQSC is parsed, against tomllib on a file of the same size, in one run.

Run: ``.venv/bin/python benchmarks/mqsc_parse.py [megabytes]``. The aim is a ratio of at least 0.5
for each shape of script; the exit code is 1 when one stays below.
"""

from __future__ import annotations

import sys
import time
import tomllib
from collections.abc import Callable

from mqtriage.mq.attributes import attribute, defaults, render
from mqtriage.mq.mqsc import parse

AIM = 0.5
ROUNDS = 5


def dump(size: int) -> str:
    """Full definitions with comments inside, one attribute a line, as dmpmqcfg writes them."""
    lines = []
    for keyword, value in defaults("QLOCAL").items():
        entry = attribute("QLOCAL", keyword)
        if entry is not None:
            lines.append(f"   {render(entry, value)} +\n")
    body = "*  CRDATE(2026-01-02) +\n" + "".join(lines) + "   REPLACE\n\n"
    return _repeat(lambda i: f"DEFINE QLOCAL('APP.QUEUE.{i:06d}') +\n{body}", size)


def short(size: int) -> str:
    """One short command a line."""
    return _repeat(lambda i: f"DEFINE QLOCAL(APP.Q.{i:06d}) MAXDEPTH(5000) REPLACE\n", size)


def tiny(size: int) -> str:
    """The shortest commands there are."""
    return _repeat(lambda i: f"CLEAR QL(Q{i % 10})\n", size)


def authorities(size: int) -> str:
    """Lists and comments."""
    return _repeat(
        lambda i: (
            f"* team {i}\nSET AUTHREC PROFILE('APP.{i}.**') PRINCIPAL('app{i}') OBJTYPE(QUEUE) "
            "AUTHADD(BROWSE, GET, INQ, PUT)\n\n"
        ),
        size,
    )


def toml(size: int) -> str:
    """The same definitions as TOML tables."""
    body = "".join(
        f"{keyword} = {value if isinstance(value, int) else chr(34) + value + chr(34)}\n"
        for keyword, value in defaults("QLOCAL").items()
    )
    return _repeat(lambda i: f"[queue.'APP.QUEUE.{i:06d}']\n# 2026-01-02\n{body}\n", size)


def _repeat(block: Callable[[int], str], size: int) -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(block(len(parts)))
        length += len(parts[-1])
    return "".join(parts)


def megabytes_per_second(read: Callable[[str], object], text: str) -> float:
    """Best of a few rounds: the others had a busy machine."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        read(text)
        best = min(best, time.perf_counter() - start)
    return len(text) / best / 1e6


def main() -> int:
    """Print one line a shape; 0 when every ratio reaches the aim."""
    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 1_000_000
    base = megabytes_per_second(tomllib.loads, toml(size))
    print(f"tomllib.loads   {base:6.2f} MB/s   {size:,} bytes")
    worst = float("inf")
    for shape in (dump, short, tiny, authorities):
        text = shape(size)
        if parse(text).diagnostics:
            raise SystemExit(f"{shape.__name__}: the script is not good MQSC")
        rate = megabytes_per_second(parse, text)
        worst = min(worst, rate / base)
        print(f"mqsc {shape.__name__:<12}{rate:5.2f} MB/s   {rate / base:.2f} of tomllib")
    return 0 if worst >= AIM else 1


if __name__ == "__main__":
    sys.exit(main())
