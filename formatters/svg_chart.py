"""Charts as SVG to stand in a page: every point of the table is a mark with its numbers in it.

A point's place and value are in its ``data-x`` and ``data-y`` and in a ``<title>``, which a browser
shows under the pointer; nothing is loaded from anywhere.
"""

from __future__ import annotations

from datetime import datetime
from html import escape
from typing import Final

from mqtriage.model.analysis_charts import Chart, Point

WIDTH: Final = 900
HEIGHT: Final = 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 10, 10, 40
_BAR: Final = 18
_NAMES: Final = 320
COLOURS: Final = (
    "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f",
)  # fmt: skip


def svg_chart(chart: Chart) -> str:
    """The chart as one ``<svg>`` element."""
    return _lines(chart) if chart.kind == "line" else _bars(chart)


def _number(value: float) -> str:
    return f"{value:g}" if value != int(value) else str(int(value))


def _mark(point: Point, series: str) -> str:
    """The attributes that hold the numbers of a mark."""
    place, value = point
    return f'data-series="{escape(series)}" data-x="{escape(place)}" data-y="{_number(value)}"'


def _title(point: Point, series: str, unit: str) -> str:
    return f"<title>{escape(f'{series} {point[0]}: {_number(point[1])} {unit}'.strip())}</title>"


def _open(chart: Chart, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-label="{escape(chart.title)}" data-table="{escape(chart.table)}">'
    )


def _lines(chart: Chart) -> str:
    """One step line a series over time; between two points a load stays as it was."""
    times = [_seconds(place) for series in chart.series for place, _ in series.points]
    begin, end = min(times), max(times)
    most = max((v for series in chart.series for _, v in series.points), default=0) or 1
    wide, high = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def x(place: str) -> float:
        return round(_LEFT + (_seconds(place) - begin) / ((end - begin) or 1) * wide, 2)

    def y(value: float) -> float:
        return round(_TOP + (1 - value / most) * high, 2)

    parts = [_open(chart, HEIGHT), _axes(chart, most)]
    for number, series in enumerate(chart.series):
        colour = COLOURS[number % len(COLOURS)]
        path, last = "", 0.0
        for place, value in series.points:
            path += f"L{x(place)} {last}V{y(value)}" if path else f"M{x(place)} {y(value)}"
            last = y(value)
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}"/>')
        parts += [
            f'<circle cx="{x(point[0])}" cy="{y(point[1])}" r="1.5" fill="{colour}"'
            f" {_mark(point, series.name)}>{_title(point, series.name, chart.unit)}</circle>"
            for point in series.points
        ]
    return "".join([*parts, "</svg>"])


def _axes(chart: Chart, most: float) -> str:
    bottom = HEIGHT - _BOTTOM
    places = sorted(place for series in chart.series for place, _ in series.points)
    return (
        f'<path d="M{_LEFT} {_TOP}V{bottom}H{WIDTH - _RIGHT}" fill="none" stroke="#999"/>'
        f'<text x="{_LEFT - 6}" y="{_TOP + 10}" text-anchor="end">{_number(most)}</text>'
        f'<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end">0</text>'
        f'<text x="{_LEFT}" y="{HEIGHT - 12}">{escape(places[0])}</text>'
        f'<text x="{WIDTH - _RIGHT}" y="{HEIGHT - 12}" text-anchor="end">'
        f"{escape(places[-1])}</text>"
    )


def _bars(chart: Chart) -> str:
    """One bar a point, the series one under the other."""
    most = max((v for series in chart.series for _, v in series.points), default=0) or 1
    wide = WIDTH - _NAMES - 90
    parts, top = [], 4
    for number, series in enumerate(chart.series):
        if series.name:
            parts.append(f'<text x="0" y="{top + 13}" class="series">{escape(series.name)}</text>')
            top += _BAR
        for point in series.points:
            place, value = point
            length = round(max(0.0, value) / most * wide, 2)
            name = place if len(place) <= 48 else f"{place[:47]}…"
            parts.append(
                f'<text x="{_NAMES - 6}" y="{top + 13}" text-anchor="end">{escape(name)}</text>'
                f'<rect x="{_NAMES}" y="{top + 2}" width="{length}" height="{_BAR - 4}"'
                f' fill="{COLOURS[number % len(COLOURS)]}" {_mark(point, series.name)}>'
                f"{_title(point, series.name, chart.unit)}</rect>"
                f'<text x="{_NAMES + length + 5}" y="{top + 13}">{_number(value)}</text>'
            )
            top += _BAR
    return "".join([_open(chart, top + 4), *parts, "</svg>"])


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()
