"""Metrics of Prometheus and Grafana as input of `analyze depth`: planted growth is read back."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.sources.recognition import LogForm, form_of
from tests.acceptance.conftest import Bench
from tests.pipeline.rows import START, START_US
from tests.pipeline.test_reading import put, snapshot_row
from tests.support.tools import drawn_dice

HOURS = 72
DEPTH, MOST, READERS = (f"ibmmq_queue_{n}" for n in
                        ("depth", "attribute_max_depth", "input_handles"))  # fmt: skip
Series = tuple[dict[str, str], list[tuple[int, int]]]


def second(hour: int) -> int:
    return int(START.timestamp()) + 3600 * hour


def of(metric: str, queue: str, values: dict[int, int]) -> Series:
    labels = {"__name__": metric, "cluster": '"a" {b}', "instance": "mq:9157", "job": "mq",
              "platform": "UNIX", "qmgr": "QM1", "queue": queue}  # fmt: skip
    return labels, [(second(hour), value) for hour, value in values.items()]


def answer(series: list[Series]) -> dict[str, Any]:
    """What query_range answers."""
    result = [
        {"metric": labels, "values": [[at, str(value)] for at, value in values]}
        for labels, values in series
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}, "infos": ["x"]}


def written(rows: list[list[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_NONNUMERIC).writerows(rows)
    return text.getvalue()


def heading(labels: dict[str, str]) -> str:
    """A series as Grafana names it."""
    quoted = {n: v.replace('"', '\\"') for n, v in labels.items()}
    return "{" + ", ".join(f'{name}="{value}"' for name, value in quoted.items()) + "}"


def test_growth_in_all_forms_of_metrics_and_among_snapshots_is_read_back(
    bench: Bench, tmp_path: Path
) -> None:
    draw = drawn_dice()
    queues = (
        "APP.COMPACT",
        "APP.PRETTY",
        "APP.WIDE",
        "APP.LONG",
        "APP.MIXED",
        "APP.DUMP",
        "APP.EXPORT",
    )
    slopes = {queue: draw.randrange(1, 50) for queue in queues}
    # full sooner than the looks go back
    most = {q: 7 + slope * draw.randrange(HOURS, 2 * HOURS - 2) for q, slope in slopes.items()}
    depths = {q: {h: 7 + slope * h for h in range(HOURS)} for q, slope in slopes.items()}

    def all_of(queue: str) -> list[Series]:
        constant = {metric: dict.fromkeys(range(HOURS), value)
                    for metric, value in ((MOST, most[queue]), (READERS, 1))}  # fmt: skip
        return [of(DEPTH, queue, depths[queue]), *(of(m, queue, v) for m, v in constant.items())]

    folder, root = tmp_path / "metrics", tmp_path / "snaps"
    folder.mkdir()
    (folder / "notes.txt").write_text('"metric" of queue and qmgr and value\n')
    channel = of("ibmmq_channel_messages", "", {0: 1})
    late = of(DEPTH, "APP.MIXED", {h: d for h, d in depths["APP.MIXED"].items() if h >= 40})
    cut = json.dumps(answer([channel, *all_of("APP.COMPACT"), late, of(DEPTH, "APP.CUT", {0: 1})]))
    (folder / "compact.json").write_text(cut[: cut.rindex('"1"')])
    with gzip.open(folder / "pretty.json.gz", "wt") as file:
        json.dump(answer(all_of("APP.PRETTY")), file, indent=2)
    wide = all_of("APP.WIDE")
    lines = [[1000 * second(h), *(values[h][1] for _, values in wide), ""] for h in range(HOURS)]
    lines[5][3] = "1.2 K"
    headings = [heading(labels) for labels, _ in wide]
    (folder / "wide.csv").write_text(
        written([["Time", *headings, heading(channel[0])], *lines, ["no time", 1, 2, 3, ""]])
    )
    rows = [[at, labels["__name__"], "QM1", labels["queue"], value]
            for labels, values in all_of("APP.LONG") for at, value in values]  # fmt: skip
    (folder / "long.csv").write_text(written([["time", "name", "qmgr", "queue", "value"], *rows]))
    dumped = [
        (",".join(f"{n}={json.dumps(v)}" for n, v in labels.items()), value, 1000 * at)
        for labels, values in all_of("APP.DUMP") for at, value in values
    ]  # fmt: skip
    (folder / "dump.txt").write_text("".join(f"{{{which}}} {v} {at}\n" for which, v, at in dumped))
    exported = [
        json.dumps({"metric": labels, "values": [float(v) for _, v in values],
                    "timestamps": [1000 * at for at, _ in values]}, separators=(",", ":"))
        for labels, values in all_of("APP.EXPORT")
    ]  # fmt: skip
    (folder / "export.jsonl").write_text("\n".join([*exported, exported[0][:90]]) + "\n")
    for hour in range(40):
        stamp: dict[str, Any] = {
            "snapshot_id": f"S{hour:02}",
            "snap_time": rfc3339(START_US + hour * 3_600_000_000),
        }
        row = {**stamp, "queue": "APP.MIXED", "curdepth": depths["APP.MIXED"][hour],
               "maxdepth": most["APP.MIXED"], "browsed": True}  # fmt: skip
        put(root, "snapshots", f"{hour}.v1.ndjson", [snapshot_row(**stamp)])
        put(root, "queues", f"{hour}.v1.ndjson", [row])

    forms = {path.name: form_of(path) for path in folder.iterdir()}
    assert forms == {
        "compact.json": LogForm.METRICS, "pretty.json.gz": LogForm.METRICS, "notes.txt": None,
        "wide.csv": LogForm.METRICS_CSV, "long.csv": LogForm.METRICS_CSV,
        "dump.txt": LogForm.METRIC_LINES, "export.jsonl": LogForm.METRIC_LINES,
    }  # fmt: skip
    ran = bench.run("analyze", "depth", str(root), str(folder), "-o", "json")
    assert ran.code == 3
    assert ran.json["summary"]["rejected"] == {
        "series of metrics that cannot be read": 1,
        "lines or values of metrics in CSV that cannot be read": 2,
        "lines of metrics that cannot be read": 1,
    }
    assert "compact.json" in ran.err
    assert "wide.csv" in ran.err
    assert "export.jsonl" in ran.err
    known = {row["queue"]: row for row in ran.items}
    assert set(known) == set(queues)
    for queue, row in known.items():
        last = depths[queue][HOURS - 1]
        assert (row["looks"], row["curdepth"], row["maxdepth"]) == (HOURS, last, most[queue]), row
        assert row["growth_a_day"] == 24 * slopes[queue], row
        full = START + timedelta(hours=(most[queue] - 7) / slopes[queue])
        foreseen = datetime.fromisoformat(str(row["full_time"]))
        assert abs(foreseen - full) < timedelta(hours=1), row
        assert row["stuck_growth"] == last - 7, row
    assert known["APP.WIDE"]["stuck_readers"] == 1


def test_what_an_exporter_answers_is_one_look_at_the_time_of_the_file(
    bench: Bench, tmp_path: Path
) -> None:
    """In the labels of both exporters; other metrics beside them are left out."""
    text = '# TYPE ibmmq_queue_depth gauge\nup 1\nibmmq_qmgr_status{qmgr="QM1"} 2\n'
    for qmgr, queue, name in (("qmgr", "queue", "A"), ("queue_manager", "queue_name", "B")):
        labels = f'{{platform="UNIX",{qmgr}="QM1",{queue}="{name}"}}'
        text += f"ibmmq_queue_depth{labels} 7\nibmmq_queue_attribute_max_depth{labels} 5000\n"
    answer = tmp_path / "metrics.txt"
    answer.write_text(text)
    os.utime(answer, (START_US // 1_000_000, START_US // 1_000_000))
    rows = bench.ok("analyze", "depth", str(answer), "-o", "json").items
    assert [(row["queue"], row["curdepth"], row["maxdepth"]) for row in rows] == [
        ("A", 7, 5000), ("B", 7, 5000),
    ]  # fmt: skip
    assert {row["last_time"] for row in rows} == {rfc3339(START_US)}


def test_series_with_a_time_of_openmetrics_and_behind_others_of_prometheus_are_read(
    bench: Bench, tmp_path: Path
) -> None:
    at = second(0)
    series = 'ibmmq_queue_depth{qmgr="QM1",queue="OPEN"} 7 ' + f"{at}.250\n# EOF\n"
    (tmp_path / "open.txt").write_text(series)
    others = "".join(f'{{__name__="go_info", instance="h:1"}} 1 {n}\n' for n in range(3000))
    own = f'{{__name__="ibmmq_queue_depth", qmgr="QM1", queue="TSDB"}} 8 {1000 * at}\n'
    (tmp_path / "tsdb.txt").write_text(others + own)
    rows = bench.ok("analyze", "depth", str(tmp_path), "-o", "json").items
    assert [(row["queue"], row["curdepth"]) for row in rows] == [("OPEN", 7), ("TSDB", 8)]
    assert {row["last_time"][:19] for row in rows} == {rfc3339(START_US)[:19]}


def test_values_that_are_no_depth_are_counted_and_cost_no_other(
    bench: Bench, tmp_path: Path
) -> None:
    values = {"Q.0": "5", "Q.1": "1.2e+01", "Q.2": "NaN", "Q.3": "+Inf", "Q.4": "-3",
              "Q.5": "1e300", "Q.6": "1000000000"}  # fmt: skip
    lines = [f'{DEPTH}{{qmgr="QM1",queue="{queue}"}} {value}' for queue, value in values.items()]
    (tmp_path / "asked").write_text("\n".join(lines) + f'\n{DEPTH}{{qmgr="QM1",queue="CU')
    at = [1000 * second(hour) for hour in range(5)]
    exported = [
        ("E.1", [1, 2, None, "Infinity", 4], at),
        ("E.2", [1, 2, 3], at),
        ("E.3", [7], [1e300]),
    ]
    lines = [
        json.dumps({"metric": {"__name__": DEPTH, "qmgr": "QM1", "queue": queue},
                    "values": of_queue, "timestamps": times})
        for queue, of_queue, times in exported
    ]  # fmt: skip
    lines.append(json.dumps({"metric": {"__name__": "up"}, "values": [1], "timestamps": at[:1]}))
    (tmp_path / "exported").write_text("\n".join(lines))
    ran = bench.run("analyze", "depth", str(tmp_path), "-o", "json")
    assert ran.code == 3, ran.err
    assert {row["queue"]: (row["looks"], row["curdepth"]) for row in ran.items} == {
        "Q.0": (1, 5), "Q.1": (1, 12), "E.1": (3, 4),
    }  # fmt: skip
    assert ran.json["summary"]["rejected"] == {"lines of metrics that cannot be read": 5 + 3}
    assert "asked, exported" in ran.err
