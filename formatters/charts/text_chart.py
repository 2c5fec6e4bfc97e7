"""Charts of an analysis as lines of characters, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from mqtriage.formatters.cells import visible
from mqtriage.formatters.charts.chart_words import axis_text, finding_text, tick_text
from mqtriage.formatters.charts.heat import heat_line
from mqtriage.model.analysis_charts import Chart, Series

_NAME_WIDTH: Final = 28
_NUMBER_WIDTH: Final = 12
_LEAST: Final = 10


def chart_lines(charts: Iterable[Chart], width: int) -> Iterator[str]:
    """Each chart: its title, then a line for each series, or a bar for each point."""
    first = True
    for chart in charts:
        if not first:
            yield ""
        first = False
        yield f"{visible(chart.title)} ({axis_text(chart)})"
        if finding := finding_text(chart):
            yield finding
        if chart.note:
            yield chart.note
        yield from _lines(chart, width) if chart.kind == "line" else _bars(chart, width)
    if first:
        yield "nothing to draw"


def _lines(chart: Chart, width: int) -> Iterator[str]:
    room = max(_LEAST, width - _NAME_WIDTH - _NUMBER_WIDTH - 8)
    others = [Series(f"{chart.band.lines:,} others", chart.band.high)] if chart.band else []
    lines = (*chart.series, *others)
    times = [place for series in lines for place, _ in series.points]
    begin, end = min(times), max(times)
    for series in lines:
        most = max(value for _, value in series.points)
        line = heat_line(highest(series, begin, end, room), room)
        yield f"{_name(series.name)}  {line}  peak {tick_text(most, chart.unit):>{_NUMBER_WIDTH}}"
    yield f"{'':{_NAME_WIDTH}}  {begin} to {end}"


def highest(series: Series, begin: str, end: str, room: int) -> list[int]:
    """The greatest value of each of *room* spans of time; one without a point has the last one's.

    Between two points a load stays as it was.
    """
    start, stop = (datetime.fromisoformat(text).timestamp() for text in (begin, end))
    width = max((stop - start) / room, 1e-9)
    cells: list[float | None] = [None] * room
    for place, value in series.points:
        at = min(room - 1, int((datetime.fromisoformat(place).timestamp() - start) / width))
        cells[at] = value if cells[at] is None else max(value, cells[at] or 0)
    last = 0.0
    filled = []
    for cell in cells:
        last = last if cell is None else cell
        filled.append(round(last))
    return filled


def _bars(chart: Chart, width: int) -> Iterator[str]:
    room = max(_LEAST, width - _NAME_WIDTH - _NUMBER_WIDTH - 4)
    most = max((value for series in chart.series for _, value in series.points), default=0) or 1
    for series in chart.series:
        if series.name:
            yield visible(series.name)
        for place, value in series.points:
            bar = "#" * (max(1, round(value / most * room)) if value else 0)
            yield f"{_name(place)}  {tick_text(value, chart.unit):>{_NUMBER_WIDTH}}  {bar}"


def _name(text: str) -> str:
    shown = visible(text)
    return f"{shown if len(shown) <= _NAME_WIDTH else shown[: _NAME_WIDTH - 1] + '…':{_NAME_WIDTH}}"
