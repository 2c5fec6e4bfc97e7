"""Charts and pages of more queue managers and queues than a person can tell apart."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mqtriage.commands.analyze.report import MOST_ROWS, JobReport
from mqtriage.formatters.charts.analysis_html import page
from mqtriage.formatters.charts.text_chart import chart_lines
from mqtriage.model.analysis_charts import MOST_BARS, MOST_LINES, MOST_PANELS, charts_of
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.model.result import Record

PAGE_BYTES = 5_000_000


def hours(managers: int, of_day: int, seed: int) -> list[Record]:
    dice = random.Random(seed)
    return [
        {"qmgr": f"QM{number:04}", "queue": f"Q{number:04}",
         "hour_time": f"2026-01-05T{at:02}:00:00Z",
         "peak_count": dice.randrange(1000), "curdepth": dice.randrange(1, 1000), "arrivals": 1,
         "releases": 1, "peak_bytes": 1, "maxdepth": 5000}
        for number in range(managers) for at in range(of_day)
    ]  # fmt: skip


def test_the_lines_that_reach_highest_are_drawn_and_the_others_are_a_band() -> None:
    rows = hours(60, 24, 1)
    (chart,) = charts_of("delay", {"delay_hours": rows})
    peaks: dict[str, int] = {}
    for row in rows:
        peaks[row["qmgr"]] = max(peaks.get(row["qmgr"], 0), row["peak_count"])
    drawn = {series.name for series in chart.series}
    assert len(drawn) == MOST_LINES
    assert min(peaks[name] for name in drawn) >= max(
        peak for name, peak in peaks.items() if name not in drawn
    )
    assert chart.band is not None
    assert chart.band.lines == 60 - MOST_LINES
    for at, (low, high) in enumerate(zip(chart.band.low, chart.band.high, strict=True)):
        values = [
            row["peak_count"]
            for row in rows
            if row["qmgr"] not in drawn and row["hour_time"].startswith(f"2026-01-05T{at:02}")
        ]
        assert (low[1], high[1]) == (min(values), max(values))
    assert "of 60" in chart.note
    text = "\n".join(chart_lines([chart], 80))
    assert "52 others" in text
    assert text.count(" peak ") == MOST_LINES + 1


def test_few_lines_are_all_drawn() -> None:
    (chart,) = charts_of("delay", {"delay_hours": hours(MOST_LINES, 3, 1)})
    assert (len(chart.series), chart.band, chart.note) == (MOST_LINES, None, "")


def test_bars_beyond_what_is_read_are_left_out_the_shortest_first_and_told() -> None:
    rows: list[Record] = [{"qmgr": f"QM{n}", "maxdepth": n % 70} for n in range(300)]
    (chart,) = charts_of("delay", {"delay": rows})
    values = [value for series in chart.series for _, value in series.points]
    assert (
        sorted(values) == sorted((row["maxdepth"] for row in rows), reverse=True)[:MOST_BARS][::-1]
    )
    assert chart.note == f"the {MOST_BARS} greatest of 300"


def test_the_page_of_one_queue_manager_draws_every_line_in_as_many_charts_as_it_takes() -> None:
    rows = [{**row, "qmgr": "QM1"} for row in hours(60, 24, 1)]
    charts = charts_of("depth", {"depth_hours": rows}, spreads=True)
    assert [len(chart.series) for chart in charts] == [8] * 7 + [4]
    assert [chart.title for chart in charts][:2] == ["Depth, QM1 (1 of 8)", "Depth, QM1 (2 of 8)"]
    drawn = [series for chart in charts for series in chart.series]
    assert {(s.name, place, value) for s in drawn for place, value in s.points} == {
        (row["queue"], row["hour_time"], row["curdepth"]) for row in rows
    }
    peaks = [max(value for _, value in series.points) for series in drawn]
    assert peaks == sorted(peaks, reverse=True)
    assert all(chart.band is None and not chart.note for chart in charts)


def test_what_goes_beyond_the_charts_of_a_page_is_told() -> None:
    rows = [{**row, "qmgr": "QM1"} for row in hours(200, 2, 1)]
    charts = charts_of("depth", {"depth_hours": rows}, spreads=True)
    assert len(charts) == MOST_PANELS
    assert "of 25" in charts[0].note
    bars: list[Record] = [{"qmgr": "QM1", "queue": f"Q{n}", "expired": n} for n in range(1, 300)]
    (chart,) = charts_of("expiry", {"expiry": bars}, spreads=True)
    assert (len(chart.series[0].points), chart.note) == (299, "")


def cells(table: str, managers: int) -> list[Record]:
    """Rows of a table for so many queue managers, every column with a value."""
    fields = next(t[table].fields for t in TABLES_OF.values() if table in t)

    def value(key: str, number: int) -> Any:
        if key.endswith("_time") or key in ("time", "stuck_from", "stuck_until"):
            return f"2026-01-05T{number % 24:02}:00:00Z"
        if key in ("qmgr", "queue", "family", "target", "name"):
            return f"PAYMENTS.{key.upper()}.{number:05}"
        if key == "day":
            return f"2026-01-{number % 28 + 1:02}"
        texts = ("where", "rule", "format", "put_appl_name", "change", "code", "message", "kind")
        return f"{key} {number}" if key in texts else number * 7_919

    return [{f.key: value(f.key, number) for f in fields} for number in range(managers)]


@pytest.mark.slow
def test_the_page_of_a_thousand_queue_managers_is_small_and_says_what_it_leaves_out() -> None:
    series = hours(1000, 24, 2)
    of_all = {name: cells(name, 1000) for tables in TABLES_OF.values() for name in tables}
    of_all |= {"delay_hours": series, "depth_hours": series}
    parts = [
        JobReport(
            job,
            tables=[
                (t, of_all[n][:MOST_ROWS]) for n, t in tables.items() if not n.endswith("_hours")
            ],
            charts=charts_of(job, of_all),
        )
        for job, tables in TABLES_OF.items()
    ]
    text = "".join(page(parts, [], title="Estate", facts={}))
    assert len(text.encode()) < PAGE_BYTES
    assert text.count('data-table="depth_hours"') == MOST_PANELS
    assert f"one of the {MOST_PANELS} charts with the greatest values, of 1,000" in text
    assert 'class="band"' in text
    assert "input" in text[text.index("<script>") :]
