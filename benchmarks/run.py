"""Run the benchmarks and print the table of benchmarks/README.md: `make bench`.

With `all` also those that take long to fill a queue for, or need RabbitMQ: `make bench-all`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Final

from benchmarks import (
    acts,
    archives,
    browsing,
    emulator_rates,
    lint_growth,
    mqi_pairs,
    mqsc_parse,
    rabbitmq,
)
from benchmarks.measure import Figure

HEADER: Final = "| what | ratio | rounds | bound | | detail |\n|---|---:|---:|---:|---|---|"
Part = Callable[[], Iterable[Figure]]


def _pairs() -> Iterable[Figure]:
    if find_spec("ibmmq") is None:
        print("not measured through the C library: ibmmq is not installed", file=sys.stderr)
        return []
    return mqi_pairs.figures()


def _peer() -> Iterable[Figure]:
    if lacking := rabbitmq.missing():
        print(f"not measured against RabbitMQ: install {lacking}", file=sys.stderr)
        return []
    return rabbitmq.figures()


def _lint() -> Iterator[Figure]:
    yield lint_growth.rate()


QUICK: Final[tuple[Part, ...]] = (
    emulator_rates.figures, browsing.start_up, mqsc_parse.figures, _lint, browsing.reading,
    acts.figures, _pairs,
)  # fmt: skip
LONG: Final[tuple[Part, ...]] = (_peer, browsing.of_a_million, archives.figures)


def main() -> int:
    """Print the figures as they come; 1 when one does not hold."""
    print(HEADER)
    failed = 0
    for part in (*QUICK, *LONG) if sys.argv[1:] == ["all"] else QUICK:
        for figure in part():
            print(figure.line(), flush=True)
            failed += not figure.holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
