"""Run every benchmark and print the table of benchmarks/README.md: `make bench`."""

from __future__ import annotations

import sys

from benchmarks import acts, archives, browsing, emulator_rates, mqsc_parse

HEADER = """| what | ratio | bound | | detail |
|---|---:|---:|---|---|"""


def main() -> int:
    """Print the figures as they come; 1 when one does not hold."""
    print(HEADER)
    failed = 0
    parts = (
        emulator_rates.figures, browsing.start_up, mqsc_parse.figures, browsing.figures,
        archives.figures, acts.figures,
    )  # fmt: skip
    for part in parts:
        for figure in part():
            print(figure.line(), flush=True)
            failed += not figure.holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
