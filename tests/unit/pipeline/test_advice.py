"""What an analysis advises, by record of a table."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

from mqtriage.formatters.charts.analysis_html import advice_text
from mqtriage.formatters.reports.prometheus import advice_lines
from mqtriage.formatters.reports.tickets import ticket_lines
from mqtriage.model.analysis_charts import PLANS, charts_of
from mqtriage.model.analysis_tables import COLUMN_NOTES, TABLES_OF
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.pipeline.snapshots import advice as advice_module
from mqtriage.pipeline.snapshots.advice import Weight, advice

STAGING: dict[str, Any] = {
    "qmgr": "QM1", "maxdepth_now": 300, "maxdepth": 1807, "maxdepth_sum": "(1204 + 1) + 50% = 1807",
    "full_looks": 0, "maxmsgl_now_bytes": 4194304, "maxmsgl_bytes": 9000, "maxmsgl_sum": "9000",
    "odd_delays": 0, "delay_p50_ms": 300_000, "delay_max_ms": 2_592_000_000,
    "delay_max_target": "REMINDERS", "doomed": 0, "late": 0, "late_p95_ms": None,
    "late_max_ms": None,
}  # fmt: skip
QUEUE: dict[str, Any] = {
    "qmgr": "QM1", "queue": "ORDERS", "curdepth": 5, "maxdepth": 5000, "full_looks": 0,
    "full_time": None, "full_early_time": None, "full_late_time": None, "stuck_from": None,
    "stuck_until": None, "stuck_growth": None, "stuck_readers": None,
}  # fmt: skip
LIVES: dict[str, Any] = {
    "qmgr": "QM1", "queue": "PAY", "bothresh_now": 5, "bothresh": 3, "helped_max": 1,
    "requeued": 12, "dead_lettered": 0, "bothresh_sum": "none of 120 after 2 or more = 3",
}  # fmt: skip
CAUSE: dict[str, Any] = {
    "qmgr": "QM1", "family": "PAY.BO", "rank": 1, "where": "put_appl = 'pay 3.2'", "messages": 12,
    "sick": 12, "healthy": 800, "support": 1.0, "healthy_count": 0, "lift": 67.667,
}  # fmt: skip
EXPIRED: dict[str, Any] = {
    "qmgr": "QM1", "queue": "QUOTES", "messages": 900, "expired": 300, "expired_bytes": 30_720,
    "unseen": 1234,
    "lifetime_p50_ms": 600_000, "sufficient_ms": 240_000,
}  # fmt: skip
COUNTED: dict[str, Any] = {
    "counted_from_time": "2026-01-05T00:00:00Z", "counted_until_time": "2026-01-06T00:00:00Z",
}  # fmt: skip
FINDING: dict[str, Any] = {
    "time": "2026-01-05T10:00:00Z", "qmgr": "QM1", "change": "came", "code": "BKO003",
    "severity": "error", "message": "BOQNAME PAY.BO is not there", "name": "PAY",
}  # fmt: skip


@pytest.mark.parametrize(
    ("table", "row", "weight", "text", "command"),
    [
        pytest.param(
            "delay", STAGING, Weight.LOOK, "QM1: MAXDEPTH(300) of the staging queue is too low:"
            " (1204 + 1) + 50% = 1807", "delay define -m QM1 --from-analysis delay.json",
            id="maxdepth-too-small",
        ),
        pytest.param(
            "delay", {**STAGING, "full_looks": 4, "looks": 144}, Weight.ACT,
            "was full in 4 of 144 snapshots",
            "delay define -m QM1", id="staging-queue-was-full",
        ),
        pytest.param(
            "delay", {**STAGING, "maxdepth_now": 9999, "odd_delays": 20}, Weight.ACT,
            "20 messages delayed by more than a hundred times the usual 5m00s, up to 30d00h"
            " for REMINDERS", "'delay > 30000000ms'", id="wrong-delay",
        ),
        pytest.param(
            "delay", {**STAGING, "maxdepth_now": 9999, "odd_delays": 1}, Weight.ACT,
            "1 message delayed by more than a hundred times", "", id="one-wrong-delay",
        ),
        pytest.param(
            "delay", {**STAGING, "maxdepth_now": 9999, "doomed": 7}, Weight.ACT,
            "7 messages will expire before the due time", "", id="doomed",
        ),
        pytest.param(
            "depth", {**QUEUE, "curdepth": 5000}, Weight.ACT, "ORDERS on QM1 is full",
            "queue status ORDERS --handles -m QM1", id="full-now",
        ),
        pytest.param(
            "depth", {**QUEUE, "stuck_from": "2026-01-05T10:00:00Z", "stuck_growth": 4000,
                      "stuck_until": "2026-01-06T10:00:00Z", "stuck_readers": 1},
            Weight.LOOK, "from 2026-01-05 10:00:00 UTC to 2026-01-06 10:00:00 UTC 4,000"
            " messages arrived and none were consumed, although the queue was open for input"
            " (IPPROCS 1): a consumer may be stuck",
            "queue status", id="stuck",
        ),
        pytest.param(
            "depth", {**QUEUE, "stuck_from": "2026-01-05T10:00:00Z", "stuck_growth": 4000,
                      "stuck_until": "2026-01-06T10:00:00Z", "stuck_readers": 0},
            Weight.LOOK, "4,000 messages arrived, and no snapshot shows the queue open for"
            " input",
            "queue status", id="unread",
        ),
        pytest.param(
            "depth", {**QUEUE, "stuck_from": "2026-01-05T10:00:00Z", "stuck_growth": 4000,
                      "stuck_until": "2026-01-06T10:00:00Z", "stuck_readers": None},
            Weight.LOOK, "4,000 messages arrived and the depth never decreased; it is"
            " not known whether the queue was open for input", "queue status",
            id="stuck-by-metrics-of-depth-alone",
        ),
        pytest.param(
            "depth", {**QUEUE, "full_time": "2026-03-01T00:00:00Z",
                      "full_early_time": "2026-02-20T00:00:00Z",
                      "full_late_time": None, "growth_a_day": 90.0, "forecasts": 21, "held": 17},
            Weight.LOOK, "reaches MAXDEPTH(5000) at 2026-03-01 00:00:00 UTC, perhaps as early as"
            " 2026-02-20 00:00:00 UTC; of 21 forecasts a week ahead by the same method, 17 were"
            " correct",
            "queue status", id="filling-up",
        ),
        pytest.param(
            "cohort", LIVES, Weight.LOOK, "12 messages given up: set BOTHRESH(3) instead of"
            " BOTHRESH(5): none of 120 after 2 or more = 3",
            "backout set PAY -m QM1 --from-analysis cohort.json", id="threshold",
        ),
        pytest.param(
            "cohort", {**LIVES, "bothresh": None, "bothresh_sum": "too few for a threshold"},
            Weight.KNOW, "12 messages given up, with BOTHRESH(5): too few for a threshold",
            "backout pending PAY --interval 2s -m QM1", id="too-few-for-a-threshold",
        ),
        pytest.param(
            "causes", CAUSE, Weight.ACT, "12 of 12 poison messages match put_appl = 'pay 3.2'",
            "msg browse PAY.BO -m QM1 --where", id="cause",
        ),
        pytest.param(
            "causes", {**CAUSE, "messages": 1, "sick": 1}, Weight.LOOK, "1 of 1 poison messages"
            " match put_appl = 'pay 3.2', and so do 0 of 800 healthy ones; with so few messages,"
            " this may be chance", "msg browse PAY.BO -m QM1"
            " --where", id="one-poison-message-shares-all",
        ),
        pytest.param(
            "causes", {**CAUSE, "messages": 3, "sick": 4, "healthy": 10}, Weight.LOOK,
            "and so do 0 of 10 healthy ones; with so few messages, this may be"
            " chance", "msg browse",
            id="too-few-healthy-ones-to-compare-with",
        ),
        pytest.param(
            "causes", {**CAUSE, "messages": 3, "sick": 3}, Weight.ACT, "and so do 0 of 800"
            " healthy ones",
            "msg browse", id="three-of-three-are-a-cause",
        ),
        pytest.param(
            "expiry", EXPIRED, Weight.KNOW, "at most 300 of 900 messages in snapshots"
            " expired, 30KiB in total; up to 1,234 more that stayed as long may have come and"
            " gone between snapshots, and messages consumed immediately never appear in one, so"
            " this is not a share of all puts; 4m00s is sufficient for 99 percent of the messages"
            " consumed, whose lifetime is 10m00s", "", id="expired",
        ),
        pytest.param(
            "expiry", {**EXPIRED, **COUNTED, "counted_expired": 12_000}, Weight.KNOW, "QUOTES on"
            " QM1: statistics messages from 2026-01-05 00:00:00 UTC to 2026-01-06 00:00:00 UTC"
            " count 12,000 messages that expired in that period, including those that"
            " do not appear in any snapshot; at most 300 of 900 messages in snapshots expired,"
            " 30KiB in total; 4m00s is sufficient", "",
            id="expired-as-counted",
        ),
        pytest.param(
            "expiry",
            {**EXPIRED, **COUNTED, "expired": 0, "expired_bytes": 0, "counted_expired": 7},
            Weight.KNOW, "count 7 messages that expired in that period, including those"
            " that do not appear in any snapshot; at most 0 of 900 messages",
            "", id="expired-unseen",
        ),
        pytest.param(
            "expiry", {"qmgr": "QM1", "queue": "QUOTES", "messages": 0, **COUNTED,
                       "counted_expired": 7},
            Weight.KNOW, "count 7 messages that expired in that period, and no snapshot"
            " contains any", "",
            id="expired-and-none-seen",
        ),
        pytest.param(
            "definition_findings", FINDING, Weight.LOOK, "new finding BKO003",
            "lint explain BKO003", id="finding",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_a_command(
    table: str, row: dict[str, Any], weight: Weight, text: str, command: str
) -> None:
    (one,) = advice({table: [row]})
    assert one.weight is weight
    assert text in advice_text(one)
    assert command in one.command
    assert one.command.startswith("mqtriage ") or not command


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("delay", {**STAGING, "maxdepth_now": 1807}),
        ("depth", QUEUE),
        ("depth", {**QUEUE, "maxdepth": None}),
        ("depth", {**QUEUE, "full_time": None, "full_early_time": "2026-03-01T00:00:00Z"}),
        ("depth", {**QUEUE, "stuck_from": "2026-01-05T10:00:00Z", "stuck_growth": 499}),
        ("depth", {**QUEUE, "queue": STAGING_QUEUE, "full_looks": 2,
                   "full_time": "2026-03-01T00:00:00Z", "full_late_time": "2026-03-09T00:00:00Z"}),
        ("cohort", {**LIVES, "bothresh": 5}),
        ("cohort", {**LIVES, "bothresh": None, "bothresh_sum": None}),
        ("causes", {**CAUSE, "rank": 2}),
        ("causes", {**CAUSE, "support": 0.4}),
        ("expiry", {**EXPIRED, "expired": 0}),
        ("expiry", {**EXPIRED, "expired": 0, "counted_expired": 0}),
        ("definition_findings", {**FINDING, "change": "went"}),
    ],
)  # fmt: skip
def test_what_is_well_or_told_elsewhere_is_not_mentioned(table: str, row: dict[str, Any]) -> None:
    assert advice({table: [row]}) == []


def test_the_sentence_of_every_chart_speaks_of_what_was_seen() -> None:
    findings = [plan.finding for plans in PLANS.values() for plan in plans if plan.finding]
    assert [text for text in findings if "seen" not in text] == []
    assert len(findings) == 8


def test_the_most_pressing_comes_first() -> None:
    recommendations = advice({"expiry": [EXPIRED], "cohort": [LIVES], "causes": [CAUSE]})
    assert [one.weight for one in recommendations] == [Weight.ACT, Weight.LOOK, Weight.KNOW]


def test_a_finding_that_came_and_went_is_no_matter_any_more() -> None:
    turns = [
        {**FINDING, "time": f"2026-01-05T1{hour}:00:00Z", "change": change, "name": name}
        for hour, change, name in ((0, "came", "PAY"), (1, "went", "PAY"), (1, "came", "ORDERS"),
                                   (2, "went", "ORDERS"), (3, "came", "ORDERS"))
    ]  # fmt: skip
    (one,) = advice({"definition_findings": turns})
    assert (one.id, one.values["time"]) == ("finding-BKO003/QM1/ORDERS", "2026-01-05T13:00:00Z")


def test_a_ticket_keeps_its_id_whatever_the_numbers_are() -> None:
    first = {"depth": [{**QUEUE, "curdepth": 5000}], "causes": [CAUSE], "delay": [STAGING]}
    later = {"depth": [{**QUEUE, "curdepth": 6000, "maxdepth": 6000}],
             "causes": [{**CAUSE, "where": "put_appl = 'x'"}],
             "delay": [{**STAGING, "maxdepth": 9999}]}  # fmt: skip
    tickets = [
        {ticket["id"]: ticket for ticket in map(json.loads, lines)}
        for lines in (ticket_lines(advice(t), None) for t in (first, later))
    ]
    ids = {"full/QM1/ORDERS", "poison/QM1/PAY.BO", "staging-maxdepth/QM1/"}
    assert tickets[0].keys() == tickets[1].keys() == ids
    before, after = (of_run["full/QM1/ORDERS"] for of_run in tickets)
    assert before["text"] != after["text"]
    assert (after["weight"], after["object"], after["queue_manager"]) == ("act", "ORDERS", "QM1")


def test_every_code_of_advice_is_on_the_page_of_tickets() -> None:
    source = inspect.getsource(advice_module)
    codes = set(re.findall(r'yield Advice\("\w+", f?"([a-z-]+)', source))
    page = (Path(__file__).parents[3] / "docs" / "alerts.md").read_text("utf-8")
    assert len(codes) == 16
    assert [code for code in codes if f"`{code}" not in page] == []


def test_a_value_with_braces_is_shown_as_it_is() -> None:
    (one,) = advice({"causes": [{**CAUSE, "where": "put_appl = '{0}{x}'"}]})
    assert "match put_appl = '{0}{x}'" in advice_text(one)


def test_every_column_of_an_analysis_is_told_in_the_manual_and_no_other() -> None:
    columns = {f.key for tables in TABLES_OF.values() for t in tables.values() for f in t.fields}
    assert set(COLUMN_NOTES) == columns


def test_a_line_goes_on_in_time_whatever_its_table_is_ordered_by() -> None:
    rows = [{"qmgr": "QM1", "day": day, "messages": 1} for day in ("2026-01-02", "2026-01-01")]
    (chart,) = charts_of("profile", {"profile": rows})
    assert [place for place, _ in chart.series[0].points] == ["2026-01-01", "2026-01-02"]


DAY = 86_400_000_000


@pytest.mark.parametrize(
    ("first_us", "last_us", "looks", "cut"),
    [
        pytest.param(0, 5 * DAY + DAY // 3, 129, "1970-01-06", id="every-hour-until-eight"),
        pytest.param(0, 6 * DAY - DAY // 24, 144, "", id="until-the-last-hour"),
        pytest.param(DAY // 2, 5 * DAY + DAY // 2, 6, "", id="every-noon"),
        pytest.param(DAY // 2, DAY // 2, 1, "", id="one-look-tells-no-rhythm"),
    ],
)
def test_the_last_day_is_cut_where_more_snapshots_of_it_are_to_come(
    first_us: int, last_us: int, looks: int, cut: str
) -> None:
    pytest.importorskip("pyspark")
    from mqtriage.pipeline.runner import cut_day

    assert cut_day(first_us, last_us, looks) == cut


def test_percentiles_of_many_messages_are_approximate_and_others_exact() -> None:
    pytest.importorskip("pyspark")
    from mqtriage.pipeline.report.table_rows import is_approximate

    assert is_approximate({"messages": 10_001, "age_p95_ms": 3})
    assert not is_approximate({"messages": 10_000, "age_p95_ms": 3})
    assert not is_approximate({"messages": 10_001, "reached": 3})


def test_advice_is_counted_as_openmetrics() -> None:
    """Written by hand from OpenMetrics 1.0; a queue with two pieces of one weight is one sample."""
    full = {**QUEUE, "curdepth": 5000, "queue": 'A"B'}
    tables = {"depth": [full, full], "causes": [CAUSE], "expiry": [EXPIRED]}
    assert list(advice_lines(advice(tables), 1_767_571_200_500_000)) == [
        "# HELP mqtriage_advice Pieces of advice of mqtriage analyze report",
        "# TYPE mqtriage_advice gauge",
        'mqtriage_advice{job="depth",weight="act",qmgr="QM1",object="A\\"B"} 2',
        'mqtriage_advice{job="causes",weight="act",qmgr="QM1",object="PAY.BO"} 1',
        'mqtriage_advice{job="expiry",weight="know",qmgr="QM1",object="QUOTES"} 1',
        "# HELP mqtriage_advice_snapshot_time_seconds When the last snapshot was taken",
        "# TYPE mqtriage_advice_snapshot_time_seconds gauge",
        "mqtriage_advice_snapshot_time_seconds 1767571200.5",
        "# EOF",
    ]


def test_without_snapshots_there_is_no_time_of_one() -> None:
    assert not any("snapshot_time" in line for line in advice_lines([], None))
