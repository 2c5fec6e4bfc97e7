"""The report forms of `mqtriage lint` for other programs: which module writes which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TextIO, TypeAlias

from mqtriage.formatters.out import Out
from mqtriage.formatters.reports.github_annotations import github
from mqtriage.formatters.reports.gitlab_quality import code_quality
from mqtriage.formatters.reports.junit import junit
from mqtriage.formatters.reports.sarif import sarif
from mqtriage.model.result import Listing, Record

Writer: TypeAlias = Callable[[Iterable[Record]], Iterator[str]]
"""From the records of findings to text, in pieces."""


def write_report(form: str, listing: Listing, stream: TextIO, *, fail_on: str) -> None:
    """Write findings as sarif, junit, github or gitlab.

    Args:
        listing: as `definitions/lint/report.py` makes it.
        fail_on: severity from which on a finding counts as a failure; "never" for none.
    """
    with Out(stream) as out:
        for piece in writer(form, fail_on)(listing.items):
            out.write(piece)


def writer(form: str, fail_on: str) -> Writer:
    """The function that writes the form.

    Raises:
        ValueError: There is no such form.
    """
    match form:
        case "sarif":
            return sarif
        case "junit":
            return partial(junit, fail_on=fail_on)
        case "github":
            return github
        case "gitlab":
            return code_quality
        case _:
            msg = f"no report form {form}"
            raise ValueError(msg)
