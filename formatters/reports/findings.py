"""The report forms of `mqtriage lint` for other programs: which module writes which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TextIO

from mqtriage.definitions.lint.pages import OwnPage
from mqtriage.formatters.out import Out
from mqtriage.formatters.reports.code_review import code_quality, github
from mqtriage.formatters.reports.junit import junit
from mqtriage.formatters.reports.sarif import sarif
from mqtriage.model.result import Listing, Record


def write_report(
    form: str,
    listing: Listing,
    stream: TextIO,
    *,
    fail_on: str,
    rule_pages: str = "",
    own: Sequence[OwnPage] = (),
) -> None:
    """Write findings as sarif, junit, github or gitlab.

    Args:
        listing: as `definitions/lint/report.py` makes it.
        rule_pages: address of the folder of the rules' pages, "" for the documented one.
        own: rules of one's own that were run.
        fail_on: severity from which on a finding counts as a failure; "never" for none.
    """
    writers: dict[str, Callable[[Iterable[Record]], Iterator[str]]] = {
        "sarif": partial(sarif, rule_pages=rule_pages, own=own),
        "junit": partial(junit, fail_on=fail_on),
        "github": github,
        "gitlab": code_quality,
    }
    with Out(stream) as out:
        for piece in writers[form](listing.items):
            out.write(piece)
