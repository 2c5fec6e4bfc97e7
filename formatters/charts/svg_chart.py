"""Charts as SVG to stand in a page, with the numbers of every point of the table in them.

A bar has its place and value in ``data-x`` and ``data-y`` and in a ``<title>``, which a browser
shows under the pointer; a line has all of its points in ``data-points``, see `packed`: one mark
for each would make a month of hours many megabytes. Nothing is loaded from anywhere. Colours are
the page's: what is drawn has the class of its series, ``s0`` to ``s7``; lines differ by dash and
mark as well.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Final

from mqtriage.formatters.charts.chart_words import axis_text, shown_text, tick_text, value_text
from mqtriage.model.analysis_charts import Chart, Point

WIDTH: Final = 600
"""Two stand side by side, on a screen as on paper."""
COLOURS: Final = 8
DASHES: Final = ("", "7 3", "2 2", "9 3 2 3", "14 4", "2 5", "9 2 2 2 2 2", "5 5")
"""Of each colour, so that a line is known without it."""
MARKS: Final = (
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", "m-3 -3h6v6h-6z", "m0 -4l4 7h-8z",
    "m0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z", "m-4 0h8m-4 -4v8", "m-3 -3l6 6m0 -6l-6 6",
    "m0 4l4 -7h-8z", "m-4 -4h8m-4 0v8m-4 0h8",
)  # fmt: skip
"""Of each colour: circle, square, triangle ..., drawn from where its middle is."""
MARKS_OF_A_LINE: Final = 4
_HIGH: Final = 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 12, 22, 40
_LEGEND: Final = 20
_BAR: Final = 20
_NAMES: Final = 310
_NAME: Final = 36
_VALUES: Final = 110
_LETTER: Final = 8.4
"""Pixels of a letter, for how much room a name needs."""
_TICKS: Final = 5
_STEPS_S: Final = (
    60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600, 2_592_000,
)  # fmt: skip
_STEPS_MS: Final = tuple(1_000 * s for s in (1, 5, 15, 30, *_STEPS_S, 7_776_000, 31_536_000))


def svg_chart(chart: Chart) -> str:
    """The chart as one ``<svg>`` element."""
    body, height = drawing(chart)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img"'
        f' aria-label="{shown_text(chart.title)}" data-table="{shown_text(chart.table)}">'
        f"{body}</svg>"
    )


def drawing(chart: Chart) -> tuple[str, float]:
    """What stands in the element, and its height; it is `WIDTH` wide."""
    return _lines(chart) if chart.kind == "line" else _bars(chart)


def _title(point: Point, series: str, unit: str) -> str:
    text = f"{series} {point[0]}: {value_text(point[1], unit)}"
    return f"<title>{shown_text(text.strip())}</title>"


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{" " + more if more else ""}>{shown_text(text)}</text>'


def _lines(chart: Chart) -> tuple[str, float]:
    """One step line a series over time; between two points a load stays as it was."""
    drawn = [*(series.points for series in chart.series), chart.band.low if chart.band else ()]
    times = [_seconds(place) for points in drawn for place, _ in points]
    begin, end = min(times), max(times)
    most = max(v for series in chart.series for _, v in series.points)
    scale = ticks(most, chart.unit)
    names, below = _legend([series.name for series in chart.series])
    wide, bottom = WIDTH - _LEFT - _RIGHT, _TOP + _HIGH

    def x(seconds: float) -> float:
        return round(_LEFT + (seconds - begin) / ((end - begin) or 1) * wide, 2)

    def y(value: float) -> float:
        return round(bottom - value / scale[-1] * _HIGH, 2)

    parts = [_text(4, 12, axis_text(chart), 'class="axis"')]
    for tick in scale:
        parts.append(f'<path class="grid" d="M{_LEFT} {y(tick)}H{WIDTH - _RIGHT}"/>')
        label = tick_text(tick, chart.unit)
        parts.append(_text(_LEFT - 6, y(tick) + 4, label, 'text-anchor="end"'))
    for at, label in moments(begin, end):
        parts.append(f'<path class="grid" d="M{x(at)} {bottom}v5"/>')
        anchor = "end" if x(at) > WIDTH - 40 else "middle"
        parts.append(_text(x(at), bottom + 18, label, f'text-anchor="{anchor}"'))
    parts.append(_text(_LEFT, bottom + 34, "time, UTC", 'class="axis"'))
    if chart.band:
        low, high = (
            [(x(_seconds(place)), y(value)) for place, value in side]
            for side in (chart.band.low, chart.band.high)
        )
        back = "".join(f"V{up:g}H{across:g}" for across, up in reversed(low))
        parts.append(
            f'<path class="band" d="{_steps(high)}{back}Z" data-from="{chart.band.low[0][0]}"'
            f' data-low="{packed(chart.band.low)}" data-high="{packed(chart.band.high)}">'
            f"<title>{chart.band.lines:,} others</title></path>"
        )
    for number, series in enumerate(chart.series):
        places = [(x(_seconds(place)), y(value)) for place, value in series.points]
        parts.append(
            f'<path class="line {_style(number)}{_dash(number)} d="{_steps(places)}"'
            f' data-series="{shown_text(series.name)}" data-from="{series.points[0][0]}"'
            f' data-points="{packed(series.points)}">'
            f"<title>{shown_text(series.name)}</title></path>"
        )
        if len(chart.series) > 1:
            parts.append(_marks(number, places, len(chart.series)))
    if chart.finding:  # the point that it speaks of
        name, top = chart.greatest
        number = [series.name for series in chart.series].index(name)
        parts.append(
            f'<circle class="{_style(number)}" cx="{x(_seconds(top[0]))}" cy="{y(top[1])}" r="4">'
            f"{_title(top, name, chart.unit)}</circle>"
        )
    parts.append(f'<g transform="translate(0 {bottom + _BOTTOM})">{names}</g>')
    return "".join(parts), bottom + _BOTTOM + below


def _steps(places: Sequence[tuple[float, float]]) -> str:
    """A path that goes on level until the next point; what does not rise or fall is one stroke."""
    path, level = f"M{places[0][0]:g} {places[0][1]:g}", places[0][1]
    for across, up in places[1:]:
        if up != level:
            path += f"H{across:g}V{up:g}"
            level = up
    return f"{path}H{places[-1][0]:g}"


def packed(points: Sequence[Point]) -> str:
    """The points of a line in one attribute: ``seconds since data-from:number`` each."""
    begin = _seconds(points[0][0])
    return " ".join(f"{_seconds(place) - begin:g}:{_number(value)}" for place, value in points)


def _number(value: float) -> str:
    return repr(value) if value != int(value) else str(int(value))


def _style(number: int) -> str:
    return f"s{number % COLOURS}"


def _dash(number: int) -> str:
    """The end of a class, and the dash of a series.

    Beyond so many colours they are others.
    """
    dash = DASHES[(number + number // COLOURS) % len(DASHES)]
    return f'" stroke-dasharray="{dash}"' if dash else '"'


def _marks(number: int, places: Sequence[tuple[float, float]], of: int) -> str:
    """Some marks on a line, each at its level there; those of lines that meet are apart."""
    begin, end = places[0][0], places[-1][0]
    path = ""
    for place in range(MARKS_OF_A_LINE):
        across = begin + (end - begin) * (place + (number % COLOURS + 0.5) / min(of, COLOURS)) / (
            MARKS_OF_A_LINE
        )
        before = bisect_right(places, across, key=itemgetter(0)) - 1
        path += f"M{across:.4g} {places[max(before, 0)][1]:g}{MARKS[number % COLOURS]}"
    return f'<path class="mark {_style(number)}" d="{path}"/>'


def _legend(names: Sequence[str]) -> tuple[str, int]:
    """A sample and the name of each series, in rows, and how high they are."""
    if names == [""]:
        return "", 0
    parts, across, top = [], float(_LEFT), 0
    for number, name in enumerate(names):
        width = 48 + len(name) * _LETTER
        if across + width > WIDTH and across > _LEFT:
            across, top = float(_LEFT), top + _LEGEND
        parts.append(
            f'<path class="line {_style(number)}{_dash(number)} d="M{across:g} {top + 10}h22"/>'
        )
        mark = f"M{across + 11:g} {top + 10}{MARKS[number % COLOURS]}"
        parts.append(f'<path class="mark {_style(number)}" d="{mark}"/>')
        parts.append(_text(across + 28, top + 14, name))
        across += width
    return "".join(parts), top + _LEGEND


def ticks(most: float, unit: str) -> list[float]:
    """Round numbers from 0 to at least *most*, of which about `_TICKS` stand on an axis."""
    if unit == "ms":
        step = next((s for s in _STEPS_MS if most / s <= _TICKS), 0) or round_up(most / _TICKS)
    else:
        step = round_up(most / _TICKS)
        if unit != "share" and step < 1:
            step = 1
    return [step * n for n in range(max(1, math.ceil(most / step)) + 1)]


def round_up(value: float) -> float:
    """The least of 1, 2, 2.5 and 5 times a power of ten that is not below *value*."""
    if value <= 0:
        return 1
    power: float = 10 ** math.floor(math.log10(value))
    return next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= value)


def moments(begin: float, end: float) -> list[tuple[float, str]]:
    """Whole days, hours or minutes between two times and their labels, five at most."""
    step = next((s for s in _STEPS_S if (end - begin) / s <= 4), 0) or round_up((end - begin) / 4)
    form = "%Y-%m-%d" if step >= 86_400 else "%m-%d %H:%M"
    first = math.ceil(begin / step) * step
    at = [first + step * n for n in range(int((end - first) / step) + 1)] or [begin]
    return [(moment, datetime.fromtimestamp(moment, UTC).strftime(form)) for moment in at]


def _bars(chart: Chart) -> tuple[str, float]:
    """One bar a point, the series one under the other."""
    most = max(v for series in chart.series for _, v in series.points) or 1
    longest = max(len(place) for series in chart.series for place, _ in series.points)
    names = min(_NAMES, 16 + longest * _LETTER)
    wide = WIDTH - names - _VALUES
    parts, top = [], 4
    for number, series in enumerate(chart.series):
        if series.name:
            parts.append(_text(0, top + 14, series.name, 'class="series"'))
            top += _BAR
        for point in series.points:
            place, value = point
            length = round(max(0.0, value) / most * wide, 2)
            name = place if len(place) <= _NAME else f"{place[: _NAME - 1]}…"
            parts.append(
                _text(names - 8, top + 14, name, 'text-anchor="end"')
                + f'<rect class="{_style(number)}" x="{names:g}" y="{top + 2}" width="{length}"'
                f' height="{_BAR - 5}" data-series="{shown_text(series.name)}"'
                f' data-x="{shown_text(place)}" data-y="{_number(value)}">'
                f"{_title(point, series.name, chart.unit)}</rect>"
                + _text(names + length + 6, top + 14, value_text(value, chart.unit))
            )
            top += _BAR
    return "".join(parts), top + 4


def _seconds(time: str) -> float:
    """Seconds since 1970 of a time or a day, UTC."""
    moment = datetime.fromisoformat(time)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
