"""Linting 10,000 fully attributed queues against 2,500 of them: does the time grow linearly?

Run alone: ``python -m benchmarks.lint_growth [queues]``. Parsing, building the estate and running
every rule are measured together. Four times the queues may take at most `AIM` times as long; the
exit code is 1 when they take longer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.measure import Figure, processor_seconds
from mqtriage.definitions.estates import ScriptFile, ScriptSet
from mqtriage.definitions.lint.config import LintConfig
from mqtriage.definitions.lint.run import LintRun, lint_all
from mqtriage.definitions.load_model import LoadModel, Reader
from mqtriage.mq.attributes.catalogue import attribute, defaults, render
from mqtriage.mq.mqsc.parse import parse

QUEUES = 10_000
STEP = 4
AIM = 5.0
"""Linear growth is 4; the rest is for a busy machine and the garbage collector."""
LOAD = LoadModel(
    rate_per_s="50",
    longest_delay_ms=900_000,
    delayed_queues=("APP.0*",),
    readers=(Reader("GROUP(app)", ("APP.*",)),),
)


def dump(queues: int) -> str:
    """Every attribute of each queue, one a line, as dmpmqcfg writes them; each has a backout queue.

    They make one long chain of backout queues: the worst case for the rules that follow them.
    """
    base = []
    for keyword, value in defaults("QLOCAL").items():
        entry = attribute("QLOCAL", keyword)
        if entry is not None and keyword not in ("BOTHRESH", "BOQNAME"):
            base.append(f"   {render(entry, value)} +\n")
    body = "".join(base)
    parts = ["ALTER QMGR DEADQ('APP.000000')\n"]
    for number in range(queues):
        name, after = f"APP.{number:06d}", f"APP.{number + 1:06d}"
        parts.append(f"DEFINE QLOCAL('{name}') +\n   BOTHRESH(3) BOQNAME('{after}') +\n{body}")
        parts.append(f"   REPLACE\nSET AUTHREC PROFILE('{name}') OBJTYPE(QUEUE) +\n")
        parts.append("   GROUP('app') AUTHADD(GET,PUT)\n")
    return "".join(parts)


def linted(text: str) -> LintRun:
    """One run over the text of a script."""
    script = ScriptFile(None, b"", parse(text, file="dump.mqsc"))
    return lint_all([ScriptSet("QM1", (script,))], LintConfig(load=LOAD))


def figures(queues: int = QUEUES) -> Iterator[Figure]:
    """One figure: how many times longer *queues* take than a quarter of them."""
    small, large = dump(queues // STEP), dump(queues)
    found = sum(1 for _ in linted(small).findings())
    if found < queues // STEP:
        raise SystemExit(f"only {found} findings: the rules do not see the queues")
    less, more = [], []
    for _ in range(9):
        less.append(processor_seconds(lambda: linted(small)))
        more.append(processor_seconds(lambda: linted(large)))
    # the best of each: what others do to the caches of the processor only ever adds
    ratio, took = min(more) / min(less), min(more)
    detail = f"{queues} queues in {took:.1f} s, {len(large) / 1e6:.0f} MB"
    yield Figure(f"lint x{STEP} queues / time", ratio, AIM, False, detail)


def main() -> int:
    """Print one line; 1 when the growth is not linear."""
    failed = 0
    for figure in figures(int(sys.argv[1]) if len(sys.argv) > 1 else QUEUES):
        print(figure.line(), flush=True)
        failed += not figure.holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
