"""Check results in a monitor's own form, or as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TextIO

from mqtriage.formatters.cells import visible
from mqtriage.formatters.reports.nagios import nagios_lines
from mqtriage.formatters.reports.prometheus import prometheus_lines
from mqtriage.model.check_result import CheckedObject

FORMS: Final = ("nagios", "prometheus", "text")


def write_checks(
    form: str, results: Sequence[CheckedObject], stream: TextIO, *, several: bool
) -> None:
    """Write the results in one of `FORMS`.

    Args:
        several: more than one queue manager was asked, so that each is named.
    """
    if form == "nagios":
        lines = nagios_lines(results, several=several)
    elif form == "prometheus":
        lines = prometheus_lines(results)
    else:
        lines = text_lines(results)
    for line in lines:
        stream.write(f"{line}\n")


def text_lines(results: Sequence[CheckedObject]) -> Iterator[str]:
    """``CRITICAL  QM1 ORDERS.IN: 95% full``, the worst first."""
    for result in sorted(results, key=lambda result: -result.status.rank):
        names = " ".join(name for name in (result.queue_manager, result.object) if name)
        yield visible(f"{result.status.value:<8}  {names or result.check}: {result.message}")
