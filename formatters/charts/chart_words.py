"""The words and numbers of a chart as people read them: values with their unit, and its finding."""

from __future__ import annotations

from html import escape

from mqtriage.formatters.cells import duration_text, is_right_aligned, time_text, visible
from mqtriage.model.analysis_charts import Chart
from mqtriage.model.result import Show

AXES = {"ms": "duration", "share": "percent of the poison messages", "percent": "percent"}
"""What stands on the axis where the unit of the numbers is not shown itself."""


def shown_text(text: str) -> str:
    """A name as markup holds it: what a browser would obey or hide is written out (U+202E, say)."""
    return escape(visible(text))


def cell_class(show: Show) -> str:
    """The class of a cell: numbers stand on the right."""
    return " class='n'" if is_right_aligned(show) else ""


def value_text(value: float, unit: str) -> str:
    """A number in its unit: ``1,204 messages``, ``3d04h``, ``97.5%``."""
    if unit == "ms":
        return duration_text(round(value))
    if unit in ("share", "percent"):
        return f"{100 * value if unit == 'share' else value:.4g}%"
    return f"{number_text(value)} {unit}"


def tick_text(value: float, unit: str) -> str:
    """Likewise for an axis, which names its unit once."""
    return number_text(value) if unit not in ("ms", "share", "percent") else value_text(value, unit)


def number_text(value: float) -> str:
    """A number with its thousands apart."""
    return f"{value:,.4g}" if value != int(value) else f"{int(value):,}"


def finding_text(chart: Chart) -> str:
    """What the chart shows, in a sentence; "" where its plan has none."""
    if not chart.finding:
        return ""
    series, (place, value) = chart.greatest
    if chart.kind == "line":
        place = f"{time_text(place, utc=True).removesuffix('Z')} UTC"
    return visible(
        chart.finding.format(value=value_text(value, chart.unit), series=series, place=place)
    )


def axis_text(chart: Chart) -> str:
    """What the axis of numbers counts."""
    return AXES.get(chart.unit, chart.unit)
