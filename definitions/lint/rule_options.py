"""Which rules run and which findings count: options of `lint`."""

from __future__ import annotations

from mqtriage.model.options import repeated, text
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """As typed; `definitions/lint/config.py` has what they change."""

    select: tuple[str, ...] = repeated(
        metavar="CODES", help="Rules to run: BKO, DLY001; comma or again.", completes="rule"
    )
    ignore: tuple[str, ...] = repeated(
        metavar="CODES", help="Rules to leave out, as for --select.", completes="rule"
    )
    fail_on: str | None = text(metavar="SEVERITY", help="error (default), warning, info or never.")
