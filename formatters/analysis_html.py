"""All jobs as one page that needs nothing beside itself: charts, tables, what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from mqtriage.formatters.cells import shower
from mqtriage.formatters.svg_chart import svg_chart
from mqtriage.model.analysis_charts import Chart
from mqtriage.model.analysis_tables import AnalysisTable
from mqtriage.model.result import Record, Show

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1100px; padding: 0 1em; }
h1 { font-size: 1.5em } h2 { margin-top: 2em; border-bottom: 1px solid #8886 }
h3 { font-size: 1em; margin: 1.2em 0 .3em }
svg { width: 100%; height: auto } svg text { font-size: 11px; fill: currentColor }
svg .series { font-weight: 600 }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: 12px }
th, td { padding: 2px 8px; text-align: left; white-space: nowrap; border-bottom: 1px solid #8883 }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
.warning { color: #b00 } nav a { margin-right: 1em }
"""
_NUMBERS: Final = frozenset({Show.NUMBER, Show.BYTES, Show.AGE_MS, Show.TENTHS})


class Part:
    """One job of the report.

    Attributes:
        tables: each with its records.
        warnings: what could not be read.
    """

    def __init__(
        self,
        job: str,
        tables: Sequence[tuple[AnalysisTable, Sequence[Record]]],
        charts: Sequence[Chart],
        warnings: Sequence[str] = (),
    ) -> None:
        self.job = job
        self.tables = tables
        self.charts = charts
        self.warnings = warnings


def page(parts: Iterable[Part], *, title: str, facts: Mapping[str, Any]) -> Iterator[str]:
    """The page, in pieces to be written one after the other.

    Args:
        facts: shown at the top: what was read, and when.
    """
    parts = list(parts)
    yield "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
    yield "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    yield f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n"
    yield f"<h1>{escape(title)}</h1>\n<p>"
    yield "<br>".join(f"{escape(key)}: {escape(str(value))}" for key, value in facts.items())
    yield "</p>\n<nav>"
    yield "".join(f"<a href='#{part.job}'>{part.job}</a>" for part in parts)
    yield "</nav>\n"
    for part in parts:
        yield f"<section id='{part.job}'><h2>{part.job}</h2>\n"
        for text in part.warnings:
            yield f"<p class='warning'>{escape(text)}</p>\n"
        for chart in part.charts:
            yield f"<figure><figcaption>{escape(chart.title)} ({escape(chart.unit)})</figcaption>"
            yield f"{svg_chart(chart)}</figure>\n"
        for table, records in part.tables:
            yield from _table(table, records)
        yield "</section>\n"
    yield "</body></html>\n"


def _table(table: AnalysisTable, records: Sequence[Record]) -> Iterator[str]:
    yield f"<h3>{escape(table.title)}</h3>\n<div class='wide'><table data-table='{table.name}'><tr>"
    for field in table.fields:
        yield f"<th{_class(field.show)}>{escape(field.heading)}</th>"
    yield "</tr>\n"
    showers = [(f, shower(f.show, utc=True, whole_seconds=True)) for f in table.fields]
    for record in records:
        yield "<tr>"
        for field, show in showers:
            yield f"<td{_class(field.show)}>{escape(show(record.get(field.key)))}</td>"
        yield "</tr>\n"
    yield "</table></div>\n"


def _class(show: Show) -> str:
    return " class='n'" if show in _NUMBERS else ""
