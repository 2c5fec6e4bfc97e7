"""Check results as monitors read them."""

from __future__ import annotations

import io
import re

import pytest

from mqtriage.formatters.reports.check_results import range_text, write_checks
from mqtriage.model.check_result import CheckedObject, Measure, Metric, Status, worst
from mqtriage.model.thresholds import parse_threshold

PERFDATA = re.compile(
    r"(?:'(?:[^'=|]|'')+'|[^\s'=|]+)=-?[0-9.]+(?:us|ms|s|%|B|KB|MB|TB|c)?"
    r"(?:;[@~0-9.:]*){0,2}(?:;[0-9.]*){0,2}"
)
"""A value as the plugin guidelines have it."""


def result(name: str = "ORDERS.IN", status: Status = Status.CRITICAL) -> CheckedObject:
    checked = CheckedObject("queue", name, "QM1")
    checked.facts.append("95 of 100 messages")
    if status is not Status.OK:
        checked.add(status, "95% full (threshold 90%)")
    checked.metrics += [
        Metric("depth", 95, most=100),
        Metric(
            "fill", 95.0, Measure.PERCENT, parse_threshold("70%"), parse_threshold("90%"), most=100
        ),
        Metric("oldest_age", 90.5, Measure.SECONDS, crit=parse_threshold("1m")),
        Metric("unknown", None),
    ]
    return checked


def written(form: str, *results: CheckedObject, several: bool = False) -> list[str]:
    stream = io.StringIO()
    write_checks(form, results, stream, several=several)
    return stream.getvalue().splitlines()


def test_one_line_has_status_text_and_performance_data_with_units() -> None:
    assert written("nagios", result()) == [
        "MQ QUEUE CRITICAL - ORDERS.IN: 95% full (threshold 90%) | 'ORDERS.IN depth'=95;;;0;100 "
        "'ORDERS.IN fill'=95%;70;90;0;100 'ORDERS.IN oldest_age'=90.5s;;60;0"
    ]


def test_several_objects_get_a_line_each_the_worst_first() -> None:
    first, *rest = written("nagios", result("A", Status.OK), result("B"), several=True)
    assert first.startswith(
        "MQ QUEUE CRITICAL - QM1 B: 95% full (threshold 90%) (1 OK, 1 CRITICAL) | "
    )
    assert rest == ["[CRITICAL] QM1 B: 95% full (threshold 90%)", "[OK] QM1 A: 95 of 100 messages"]


def test_performance_data_is_that_of_the_guidelines_whatever_the_names() -> None:
    odd = result("it's=a|b\n%")
    (line,) = written("nagios", odd)
    assert line.count("|") == 1
    data = line.partition(" | ")[2]
    rest = re.sub(PERFDATA, "", data)
    assert rest.split() == []


@pytest.mark.parametrize(
    ("mark", "text"),
    [("10", "10"), ("10:", "10:"), ("~:10", "~:10"), (":10", "10"), ("@5:20", "@5:20"),
     ("5m", "300"), ("1m:1h", "60:3600"), ("70%", "70")],
)  # fmt: skip
def test_a_mark_is_a_range_in_the_unit_of_the_value(mark: str, text: str) -> None:
    assert range_text(parse_threshold(mark)) == text


def test_prometheus_has_base_units_and_one_type_a_family() -> None:
    lines = written("prometheus", result("A"), result('B"\\'))
    assert 'mqtriage_check_status{check="queue",qmgr="QM1",object="A"} 2' in lines
    assert 'mqtriage_queue_fill_ratio{check="queue",qmgr="QM1",object="A"} 0.95' in lines
    assert 'mqtriage_queue_oldest_age_seconds{check="queue",qmgr="QM1",object="A"} 90.5' in lines
    assert 'mqtriage_queue_depth{check="queue",qmgr="QM1",object="B\\"\\\\"} 95' in lines
    types = [line for line in lines if line.startswith("# TYPE")]
    assert len(types) == len(set(types))
    families = [line.split("{")[0] for line in lines if not line.startswith("#")]
    assert families == sorted(families, key=families.index), "samples of a family stand together"


def test_text_is_one_line_an_object_the_worst_first() -> None:
    assert written("text", result("A", Status.OK), result("B", Status.UNKNOWN)) == [
        "UNKNOWN   QM1 B: 95% full (threshold 90%)",
        "OK        QM1 A: 95 of 100 messages",
    ]


def test_the_worst_is_critical_then_unknown_then_warning() -> None:
    assert worst([]) is Status.OK
    assert worst([Status.WARNING, Status.OK]) is Status.WARNING
    assert worst([Status.WARNING, Status.UNKNOWN]) is Status.UNKNOWN
    assert worst([Status.UNKNOWN, Status.CRITICAL, Status.WARNING]) is Status.CRITICAL
    assert [status.code for status in Status] == [0, 1, 2, 3]
