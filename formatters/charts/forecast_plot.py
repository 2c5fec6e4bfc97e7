"""`delay forecast --out FILE`: what lands on each target and when, as an SVG picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from mqtriage.files.durable import replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.formatters.charts.chart_words import shown_text
from mqtriage.formatters.charts.svg_chart import WIDTH, drawing
from mqtriage.model.analysis_charts import Chart, Point, Series
from mqtriage.mq.errors import UsageError

MOST_TARGETS: Final = 8
_TITLE: Final = 34
_STYLE: Final = """
text{font:12px system-ui,sans-serif;fill:#1a1a1a} .title{font-size:18px} .series{font-weight:700}
.axis{fill:#595959} .grid{stroke:#d0d0d0;fill:none} .line{fill:none;stroke-width:1.5}
"""
_RED: Final = "#b3261e"
_COLOURS: Final = {"lands": "#0b62a4", "expires before": "#b35c00", "depth, unread": "#333333"}
"""By series; MAXDEPTH, and when it is reached, are red."""

Record = Mapping[str, Any]


def check_file(path: Path) -> None:
    """Refuse what is no SVG before anything is browsed."""
    if path.suffix.lower() != ".svg":
        raise UsageError(f"--out {path}: specify a file whose name ends in .svg")


def by_target(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The records of each target in order of time, the targets with the most messages first."""
    targets: dict[str, list[Record]] = {}
    for record in records:
        targets.setdefault(str(record["target"]), []).append(record)
    return dict(sorted(targets.items(), key=lambda item: -sum(r["message_count"] for r in item[1])))


def draw(records: Sequence[Record], bucket_ms: int, title: str, path: Path) -> int:
    """Draw the forecast to *path*; return how many targets it shows.

    A line is what lands in a bucket, another the depth that the target would have, a red one its
    MAXDEPTH, with the time at which the target would be full.
    """
    span = timedelta(milliseconds=bucket_ms)
    times = [datetime.fromisoformat(record["bucket_time"]) for record in records]
    targets = list(by_target(records).items())[:MOST_TARGETS]
    parts, top = [f'<text class="title" x="0" y="20">{shown_text(title)}</text>'], float(_TITLE)
    for number, (target, buckets) in enumerate(targets):
        chart = _chart(target, buckets, span, min(times), max(times) + span)
        body, height = drawing(chart)
        parts.append(
            f'<g id="t{number}" transform="translate(0 {top + 20:g})"><style>'
            f"{_colours(number, chart)}</style>"
            f'<text class="series" x="0" y="-6">{shown_text(chart.title)}</text>{body}</g>'
        )
        top += height + 30
    if not targets:
        parts.append(f'<text x="{WIDTH / 2:g}" y="{top + 20:g}">nothing becomes due</text>')
        top += 40
    with storage_errors(path):
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top:g}" role="img"'
            f' aria-label="{shown_text(title)}"><style>{_STYLE}</style>'
            f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(parts)}</svg>\n'
        )
        replace_file(path, [svg.encode()])
    return len(targets)


def _chart(
    target: str, buckets: list[Record], span: timedelta, begin: datetime, end: datetime
) -> Chart:
    """One target over the time of all of them."""
    starts = [datetime.fromisoformat(record["bucket_time"]) for record in buckets]
    lands = [record["message_count"] for record in buckets]
    doomed = [record["doomed"] for record in buckets]
    series = [Series("lands", _stairs(starts, lands, span, begin, end))]
    if any(doomed):
        series.append(Series("expires before", _stairs(starts, doomed, span, begin, end)))
    depths = {
        (start + span).isoformat(): record["target_depth"]
        for start, record in zip(starts, buckets, strict=True)
        if record["target_depth"] is not None
    }
    if depths:
        at_last = (end.isoformat(), list(depths.values())[-1])
        series.append(Series("depth, unread", (*depths.items(), at_last)))
    most = buckets[0]["target_maxdepth"]
    if most is not None and depths and max(depths.values()) * 4 >= most:
        across = tuple((time.isoformat(), most) for time in (begin, end))
        series.append(Series(f"MAXDEPTH {most}", across))
        full = next((record["bucket_time"] for record in buckets if record["will_fill"]), None)
        if full is not None:
            series.append(Series(f"full {full}", ((full, 0), (full, most))))
    total = sum(lands)
    title = f"{target}: {total} message{'s' * (total != 1)}"
    return Chart(title, "forecast", "line", "messages", tuple(series))


def _stairs(
    starts: Sequence[datetime],
    counts: Sequence[int],
    span: timedelta,
    begin: datetime,
    end: datetime,
) -> tuple[Point, ...]:
    """A step a bucket, down to 0 where there is none."""
    points: dict[str, float] = {begin.isoformat(): 0}
    for start, count in zip(starts, counts, strict=True):
        points[start.isoformat()] = count
        points[(start + span).isoformat()] = 0
    points.setdefault(end.isoformat(), 0)
    return tuple(points.items())


def _colours(number: int, chart: Chart) -> str:
    """The style of the series of one chart, whichever of them it has."""
    colours = (_COLOURS.get(series.name, _RED) for series in chart.series)
    return "".join(
        f"#t{number} .s{at}{{fill:{colour}}} #t{number} .line.s{at}{{fill:none;stroke:{colour}}}"
        for at, colour in enumerate(colours)
    )
