"""Linting 10,000 fully attributed queues against 2,500 of them: does the time grow linearly?

Run alone: ``python -m benchmarks.lint_growth [queues]``. Parsing, building the estate and running
every rule are measured together; then the same of one command with five unknown attributes for
each queue. Four times as much may take at most `AIM` times as long; the exit code is 1 when it
takes longer.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import mqsc_parse
from benchmarks.browsing import MQTRIAGE
from benchmarks.measure import Figure, paired, processor_seconds
from benchmarks.process import run
from mqtriage.definitions.estates import ScriptFile, ScriptSet
from mqtriage.definitions.lint.config import LintConfig
from mqtriage.definitions.lint.run import LintRun, lint_all
from mqtriage.definitions.load_model import LoadModel, QueueReader
from mqtriage.mq.attributes.catalogue import attribute, defaults, render
from mqtriage.mq.mqsc.parse import parse

QUEUES = 10_000
STEP = 4
AIM = 5.0
"""Linear growth is 4; the rest is for a busy machine."""
RATE_AIM = 0.54
"""Twice what it was when this was asked for: 0.27."""
LOAD = LoadModel(
    rate_per_s="50",
    longest_delay_ms=900_000,
    delayed_queues=("APP.0*",),
    readers=(QueueReader("GROUP(app)", ("APP.*",)),),
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


def unknown(attributes: int) -> str:
    """One command whose attributes no queue has; half of them look like the off of a switch."""
    lines = [f"   {'NO' * (i % 2)}WAY{i}(1) +\n" for i in range(attributes)]
    return f"DEFINE QLOCAL(APP) +\n{''.join(lines)}   REPLACE\n"


def rate(queues: int = 20_000) -> Figure:
    """Bytes a second of the whole command as a share of tomllib's, as the parser's are given."""
    text, tables = dump(queues), mqsc_parse.toml(1_000_000)
    with tempfile.TemporaryDirectory() as name:
        script = Path(name) / "dump.mqsc"
        script.write_text(text)
        argv = [MQTRIAGE, "lint", str(script), "-o", "ndjson"]
        rates = paired(
            lambda: len(text) / run(argv, codes=(0, 4)).processor_s,
            lambda: len(tables) / processor_seconds(lambda: tomllib.loads(tables)),
            3,
        )
    what = f"lint of {queues:,} queues / tomllib.loads, bytes/s"
    detail = f"{rates.text(lambda rate: f'{rate / 1e6:.1f}')} MB/s"
    return Figure(what, rates.ratios, RATE_AIM, True, detail)


def figures(queues: int = QUEUES) -> Iterator[Figure]:
    """Queues, and unknown attributes."""
    yield queue_figure(queues)
    yield unknown_figure(queues * 5)


def queue_figure(queues: int, rounds: int = 4) -> Figure:
    """How many times longer *queues* take than a quarter of them."""
    small = dump(queues // STEP)
    found = sum(1 for _ in linted(small).findings())
    if found < queues // STEP:
        raise SystemExit(f"only {found} findings: the rules do not see the queues")
    return _growth(f"lint x{STEP} queues / time", small, dump(queues), f"{queues} queues", rounds)


def unknown_figure(attributes: int) -> Figure:
    """How many times longer a command of so many unknown attributes takes than a quarter."""
    small, large = unknown(attributes // STEP), unknown(attributes)
    what = f"lint x{STEP} unknown attributes of one command / time"
    return _growth(what, small, large, f"{attributes} attributes", 2)


def _growth(what: str, small: str, large: str, amount: str, rounds: int) -> Figure:
    """*small* is linted `STEP` times in a row: as long as *large* if growth is linear.

    What disturbs one then disturbs the other as often; the best of the rounds of each is compared.
    One round of a busy machine can be a quarter too long, so up to three times as many are made
    before the growth counts as too steep: growth that is, stays so in the best of any number.
    The garbage collector waits meanwhile: what it walks is every object of this process.
    """

    def in_a_row() -> None:
        for _ in range(STEP):
            linted(small)

    less, more = [], []
    for done in range(1, 3 * rounds + 1):
        less.append(_without_collector(in_a_row))
        more.append(_without_collector(lambda: linted(large)))
        ratio, took = STEP * min(more) / min(less), min(more)
        if done >= rounds and ratio <= AIM:
            break
    return Figure(what, [ratio], AIM, False, f"{amount} in {took:.1f} s, {len(large) / 1e6:.1f} MB")


def _without_collector(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        return processor_seconds(work)
    finally:
        gc.enable()


def main() -> int:
    """Print one line; 1 when the growth is not linear."""
    failed = 0
    for figure in figures(int(sys.argv[1]) if len(sys.argv) > 1 else QUEUES):
        print(figure.line(), flush=True)
        failed += not figure.holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
