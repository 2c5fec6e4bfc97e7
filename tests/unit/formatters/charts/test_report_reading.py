"""What the page and its charts say: names masked, numbers as text, no fall that is none."""

from __future__ import annotations

import re
from typing import Any

from mqtriage.commands.analyze.report import JobReport, span_of
from mqtriage.formatters.charts.analysis_html import page
from mqtriage.formatters.charts.text_chart import chart_lines
from mqtriage.model.analysis_charts import Chart, Series, charts_of
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.model.result import Record, Show
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.pipeline.report.gathered import is_shown, wrong_system_queues
from mqtriage.pipeline.snapshots.schema import is_day

TURNED = "QM\u202e1"
"""A name that is read from right to left from its third character on."""


def of_days(*days: str) -> list[dict[str, Any]]:
    return [{"qmgr": "QM1", "day": day, "messages": 10} for day in days]


def test_a_character_that_turns_the_reading_round_is_written_out_in_every_chart() -> None:
    points = (("2026-01-05T00:00:00Z", 1.0), ("2026-01-05T01:00:00Z", 3.0))
    bars = ((f"{TURNED}.Q", 2.0),)
    finding = "{value}: {series} at {place}"
    charts = [
        Chart(f"Depth, {TURNED}", "t", "line", "messages", (Series(TURNED, points),), finding),
        Chart(f"Expired, {TURNED}", "t", "bar", "messages", (Series(TURNED, bars),), finding),
    ]
    html = "".join(page([JobReport("depth", charts=charts)], [], title="T", facts={"a": TURNED}))
    text = "\n".join(chart_lines(charts, 80))
    for shown in (html, text):
        assert "\u202e" not in shown
        assert "QM\\u202e1" in shown


def test_the_numbers_of_a_line_stand_on_the_page_as_text() -> None:
    points = (("2026-01-05", 4.0), ("2026-01-06", 1204.0), ("2026-01-07", 7.0))
    chart = Chart("Depth", "depth_hours", "line", "messages", (Series("ORDERS", points),))
    html = "".join(page([JobReport("depth", charts=[chart])], [], title="T", facts={}))
    row = "<th scope='row'>ORDERS</th><td>2026-01-05</td><td>2026-01-07</td><td>4 messages</td>"
    assert f"{row}<td>1,204 messages</td><td>2026-01-06</td><td>7 messages</td>" in html


def test_a_table_that_is_wider_than_paper_can_break_its_headings() -> None:
    """Columns that did not fit were cut off: 31 of the staging queue, with the sizes last."""
    rows: list[Record] = [{"qmgr": "QM1", "peak_count": 7}]
    part = JobReport("delay", tables=[(TABLES_OF["delay"]["delay"], rows)])
    html = "".join(page([part], [], title="T", facts={}))
    assert ">PEAK_<wbr>COUNT</th>" in html


def test_the_first_eight_lines_differ_by_dash_and_mark() -> None:
    """Not by colour alone: it says nothing on paper, and little to some eyes."""
    points = (("2026-01-05T00:00:00Z", 1.0), ("2026-01-06T00:00:00Z", 3.0))
    series = tuple(Series(f"Q{number}", points) for number in range(8))
    html = "".join(
        page([JobReport("depth", charts=[Chart("Depth", "t", "line", "messages", series)])],
             [], title="T", facts={})
    )  # fmt: skip
    lines = re.findall(
        r'<path class="line s\d"((?: stroke-dasharray="[\d ]+")?) d="[^"]*" data', html
    )
    assert len(lines) == len(set(lines)) == 8
    marks = re.findall(r'<path class="mark s\d" d="M[\d.]+ [\d.]+(\w[^M"]*)"/>', html)
    assert len(set(marks)) == 8  # those of the legend
    assert html.count('class="mark') == 16


def test_what_matters_most_comes_first_and_paper_leaves_detail_out() -> None:
    """At 1,200 pixels FULL_TIME and STUCK_FROM were beyond the edge, behind columns of detail."""
    table = TABLES_OF["depth"]["depth"]
    value = {Show.NUMBER: 1, Show.TIME: "2026-01-05T00:00:00Z"}
    row: Record = {field.key: value.get(field.show) for field in table.fields}
    part = JobReport("depth", tables=[(table, [{**row, "qmgr": "QM1", "queue": "Q"}])])
    html = "".join(page([part], [], title="T", facts={}))
    headings = [re.sub("<.*?>", "", one) for one in re.findall(r"<th scope='col'.*?</th>", html)]
    assert {"FULL_TIME", "STUCK_FROM"} <= set(headings[:7])
    assert "class='more" in html.split("LOOKS</th>")[0].rpartition("<th")[2]
    assert re.search(r"@media print.* \.more, details \{ display: none \}", html, re.DOTALL)


def test_a_day_that_is_not_over_is_no_fall_of_a_line() -> None:
    tables = {"profile": of_days("2026-01-05", "2026-01-06")}
    (chart,) = charts_of("profile", tables, {"QM1": "2026-01-06", "QM2": "2026-01-05"})
    assert [place for place, _ in chart.series[0].points] == ["2026-01-05"]
    (whole,) = charts_of("profile", tables)
    assert all(is_day(place) for place, _ in whole.series[0].points)
    assert len(whole.series[0].points) == 2


def test_queues_of_the_system_are_shown_where_something_is_wrong_with_them() -> None:
    well = {"qmgr": "QM1", "queue": "SYSTEM.ADMIN.Q", "curdepth": 1, "maxdepth": 10}
    full = {"qmgr": "QM1", "queue": "SYSTEM.FULL.Q", "curdepth": 10, "maxdepth": 10}
    dead = {"qmgr": "QM1", "queue": "SYSTEM.DEAD.LETTER.QUEUE", "curdepth": 1, "maxdepth": 10}
    own = {"qmgr": "QM1", "queue": "ORDERS", "curdepth": 1, "maxdepth": 10}
    rows = [well, full, dead, own]
    hours = [{"qmgr": r["qmgr"], "queue": r["queue"], "hour_time": "", "curdepth": 1} for r in rows]
    wrong = wrong_system_queues({"depth": rows, "depth_hours": hours})
    assert [row for row in rows if is_shown(row, wrong)] == [full, dead, own]
    assert [row["queue"] for row in hours if is_shown(row, wrong)] == [
        "SYSTEM.FULL.Q", "SYSTEM.DEAD.LETTER.QUEUE", "ORDERS",
    ]  # fmt: skip


def test_a_queue_of_the_system_that_was_full_once_is_shown() -> None:
    """The staging queue too: what to do about it the job delay says."""
    name = {"qmgr": "QM1", "queue": STAGING_QUEUE}
    was_full = {**name, "curdepth": 1, "maxdepth": 10, "full_looks": 3}
    by_events = {**name, "full_count": 1, "high_count": 0, "slow_count": 0}
    for table, row in (("depth", was_full), ("event_queues", by_events)):
        assert is_shown(row, wrong_system_queues({table: [row]}))


def test_the_span_of_the_page_is_that_of_the_snapshots() -> None:
    parts = [JobReport("depth", first_us=1_767_571_200_000_000, last_us=1_767_571_260_000_000)]
    parts.append(JobReport("definitions"))
    of_snapshots = {
        "First snapshot": "2026-01-05T00:00:00Z",
        "Last snapshot": "2026-01-05T00:01:00Z",
    }
    assert span_of(parts) == of_snapshots
    assert span_of([]) == {"First snapshot": "none", "Last snapshot": "none"}
    events = JobReport("events", log_times_us=[1_767_571_320_000_000, 1_767_571_200_000_000])
    of_logs = {
        "First record of logs": "2026-01-05T00:00:00Z",
        "Last record of logs": "2026-01-05T00:02:00Z",
    }
    assert span_of([events]) == of_logs
    assert span_of([*parts, events]) == of_snapshots | of_logs
