"""The pages of `analyze report` in a folder: of the estate, and of each queue manager."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from mqtriage.commands.analyze.pages import (
    INDEX,
    file_names,
    parts_of_one,
    rows_by_queue_manager,
)
from mqtriage.commands.analyze.report import JobReport, files_for_advice
from mqtriage.commands.analyze.run import AnalyzeRequest
from mqtriage.formatters.charts.analysis_html import page
from mqtriage.pipeline.snapshots.advice import Advice

_OF_ALL: Final = frozenset({"Snapshots", "Rows of messages"})
"""Facts that are not those of one queue manager."""


def estate_pages(
    parts: Sequence[JobReport],
    advice: Sequence[Advice],
    request: AnalyzeRequest,
    *,
    title: str,
    facts: Mapping[str, Any],
) -> Iterator[tuple[str, Iterator[str]]]:
    """(file, pieces) of each page.

    Args:
        parts: of all queue managers; their tables are on the pages of these.
        advice, title, facts: as `page` takes them, of the estate.
    """
    files = files_for_advice(request)
    rows_of = rows_by_queue_manager(parts)
    names = file_names(rows_of)
    addresses = {name: quote(file) for name, file in names.items()}
    shown = [part for part in parts if part.charts or part.warnings]
    yield INDEX, page(shown, advice, title=title, facts=facts, files=files, pages=addresses)
    advice_of: dict[str, list[Advice]] = {}
    for one in advice:
        advice_of.setdefault(one.queue_manager, []).append(one)
    common = {key: value for key, value in facts.items() if key not in _OF_ALL}
    for name, file in names.items():
        pieces = page(
            parts_of_one(parts, rows_of[name], request),
            advice_of.get(name, []),
            title=f"What {name} went through",
            facts={"Queue manager": name, **common},
            files=files,
            back=INDEX,
        )
        yield file, pieces
