"""What each form of log gives: the one place that knows which reader there is for which form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from pyspark.sql import DataFrame, SparkSession

from mqtriage.pipeline.sources import amqsevt, amqsmon, error_logs, metrics
from mqtriage.pipeline.sources.recognition import Log, LogForm

Rows: TypeAlias = Callable[[SparkSession, Sequence[str], LogForm], DataFrame]
"""The rows of files of one form: a table's columns, those of its folders, ``_file`` (of looks at
queues there is none), and ``_broken``: null, or the file of a piece that cannot be read and why."""

_OF_AMQSEVT: Final[dict[str, Rows]] = {
    "events": amqsevt.events,
    "statistics": amqsevt.statistics,
}
_READERS: Final[dict[LogForm, dict[str, Rows]]] = {
    LogForm.EVENTS: _OF_AMQSEVT,
    LogForm.EVENT_LINES: _OF_AMQSEVT,
    LogForm.ERROR_LINES: {"events": error_logs.json_lines},
    LogForm.ERROR_BLOCKS: {"events": error_logs.blocks},
    LogForm.CONSOLE: {"events": error_logs.console},
    LogForm.AMQSMON: {"statistics": amqsmon.statistics},
    LogForm.METRICS: {"queues": metrics.series},
    LogForm.METRICS_CSV: {"queues": metrics.tables},
    LogForm.METRIC_LINES: {"queues": metrics.tables},
}
"""Form to the tables that it gives rows of."""
TABLES_OF_FORM: Final = {form: frozenset(of) for form, of in _READERS.items()}


def rows_of_logs(
    session: SparkSession, logs: Iterable[Log], table: str
) -> Iterator[tuple[LogForm, DataFrame]]:
    """The rows of a table that there are in logs, form by form."""
    for form, of_form in groupby(sorted(logs, key=lambda log: log.form), lambda log: log.form):
        rows = _READERS[form].get(table)
        if rows is not None:
            paths = list(dict.fromkeys(_as_pattern(str(log.path)) for log in of_form))
            yield form, rows(session, paths, form)


def _as_pattern(path: str) -> str:
    """A path as Spark reads it, which takes brackets and stars for a pattern."""
    return re.sub(r"([\\\[\]{}*?])", r"\\\1", path)
