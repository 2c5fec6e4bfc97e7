"""Parsing MQSC against `tomllib.loads` on a file of the same size, in turn and in one run.

Run alone: ``python -m benchmarks.mqsc_parse [megabytes]``. The exit code is 1 when a shape of
script stays below the bytes per second that tomllib reaches, or a usual one below 1.5 of them.
"""

from __future__ import annotations

import gc
import sys
import tomllib
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import mqtriage.cli  # noqa: F401  both sides collect garbage as our command does
from benchmarks.measure import Figure, paired, processor_seconds
from mqtriage.mq.attributes.catalogue import attribute, defaults, render
from mqtriage.mq.mqsc.parse import parse

AIM = 1.5
TINY_AIM = 1.0
"""Of commands of a dozen characters."""
Shape: TypeAlias = Callable[[int], str]


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


SHAPES: Final[tuple[Shape, ...]] = (dump, short, tiny, authorities)


def figures(size: int = 1_000_000, shapes: tuple[Shape, ...] = SHAPES) -> Iterator[Figure]:
    """One figure a shape of script: bytes per second as a share of tomllib's."""
    tables = toml(size)
    gc.freeze()  # what was measured before is on nobody's account
    for shape in shapes:
        text = shape(size)
        if parse(text).diagnostics:
            raise SystemExit(f"{shape.__name__}: the script is not good MQSC")

        def ours(text: str = text) -> float:
            return len(text) / processor_seconds(lambda: parse(text))

        def theirs() -> float:
            return len(tables) / processor_seconds(lambda: tomllib.loads(tables))

        aim = TINY_AIM if shape is tiny else AIM
        rates = paired(ours, theirs)
        detail = f"{rates.text(lambda rate: f'{rate / 1e6:.1f}')} MB/s"
        what = f"parse MQSC ({shape.__name__}) / tomllib.loads, bytes/s"
        yield Figure(what, rates.ratios, aim, True, detail)


def main() -> int:
    """Print one line a shape; 1 when one does not hold."""
    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 1_000_000
    failed = 0
    for figure in figures(size):
        print(figure.line(), flush=True)
        failed += not figure.holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
