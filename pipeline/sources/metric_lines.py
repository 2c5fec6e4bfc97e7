"""Metrics a line each, as lines of CSV that `metrics` reads.

What an exporter answers when it is asked (the exposition format of Prometheus, with or without a
time), ``promtool tsdb dump``, and the export of VictoriaMetrics. Metrics of something else than
queues are left out.
Source: Prometheus documentation, "Exposition formats"; VictoriaMetrics documentation, "How to
export data in JSON line format".
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Any

from mqtriage.pipeline.sources.series_names import METRICS, labels_of, place_of

HEADING = "time,name,qmgr,queue,value"


def as_csv(lines: Iterable[str], file_seconds: float) -> Iterator[str]:
    """The lines of a table of samples, its heading first.

    Args:
        file_seconds: the time of samples that have none: when the file was written.
    """
    yield HEADING
    for line in lines:
        line = line.strip()
        if line.startswith("{") and '"metric"' in line:
            yield from _exported(line)
        elif line and not line.startswith("#"):
            yield from _exposed(line, file_seconds)


def _exposed(line: str, file_seconds: float) -> Iterator[str]:
    """``name{label="..."} value [time]``, where it is of a queue."""
    before, bracket, after = line.rpartition("}")
    name, _, labels = before.partition("{")
    of = labels_of(labels)
    metric = name.strip() or of.get("__name__", "")
    place = place_of(of)
    if not bracket and line.partition("{")[0].strip() in METRICS:
        yield _line("", "?", "?", "?", "a line that was cut")
    if not bracket or metric not in METRICS or place is None:
        return
    value, _, time = after.strip().partition(" ")
    yield _line(time.strip() or f"{file_seconds:.3f}", metric, *place, value)


def _exported(line: str) -> Iterator[str]:
    """A series with its values and their times."""
    try:
        record: Any = json.loads(line)
        of, values, times = record["metric"], record["values"], record["timestamps"]
        place, metric = place_of(of), of.get("__name__", "")
        pairs = list(zip(times, values, strict=True))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        yield _line("", "?", "?", "?", "a series that was cut")
        return
    if metric in METRICS and place is not None:
        for time, value in pairs:
            yield _line(str(time), metric, *place, "" if value is None else str(value))


def _line(*values: str) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="").writerow(values)
    return text.getvalue()
