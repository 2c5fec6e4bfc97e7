"""`mqtriage analyze` as it is run: a simulated day in, the truth out, and back into use."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import mqtriage.pipeline
from mqtriage.commands.analyze.run import (
    AnalyzeRequest,
    id_key_of,
    listing_of,
    settings_for,
    spark_settings,
    with_rules,
)
from mqtriage.model.analysis_charts import charts_of, tables_for_charts
from mqtriage.model.analysis_tables import OF_LOGS, AnalysisTable, as_printed
from mqtriage.model.analysis_tables import TABLES_OF as JOBS
from mqtriage.pipeline.session import configuration
from mqtriage.pipeline.snapshots.advice import advice
from tests.acceptance.conftest import Bench
from tests.pipeline.conftest import simulated
from tests.support.scale import amount
from tests.support.simulated_day import Reported
from tests.support.spark_session import remember
from tests.support.tools import drawn_seeds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mqtriage.pipeline.runner import Analysis

SEEDS = drawn_seeds(amount(1, all=3))
"""Chosen when the tests run; a failure shows which."""


class Month(NamedTuple):
    """The truths of three simulated queue managers, and what the jobs found of them together."""

    truths: dict[str, dict[str, Any]]
    tables: dict[str, list[Mapping[str, Any]]]

    def of(self, job: str, qmgr: str) -> list[Mapping[str, Any]]:
        return [row for row in self.tables[job] if row["qmgr"] == qmgr]


@pytest.fixture(scope="module")
def month(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Month:
    """A day of each seed, as queue managers of one estate: a job over them is run once."""
    from mqtriage.pipeline.runner import JobRequest, run

    top = tmp_path_factory.mktemp("simulated")
    truths = {}
    for seed in SEEDS:
        truths[f"SEED{seed}"] = simulated(top / str(seed), seed)
        for folder in (top / str(seed)).glob("*/qmgr=*"):
            folder.rename(folder.with_name(f"qmgr=SEED{seed}"))
    request = JobRequest(tuple(str(top / str(seed)) for seed in SEEDS))
    tables = {job: run(spark, job, request).tables[job] for job in ("delay", "causes", "depth")}
    return Month(truths, tables)


@pytest.mark.seed("CARD-32")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_planted_truth_is_found(month: Month, seed: int) -> None:
    qmgr = f"SEED{seed}"
    truth = month.truths[qmgr]
    (delay,) = month.of("delay", qmgr)
    staged = truth["staged"]
    for peak in ("peak_count", "peak_bytes"):
        assert abs(delay[peak] - staged[peak]) <= 0.05 * staged[peak]
    assert (
        delay["peak_count"]
        <= staged["peak_count"]
        <= delay["peak_count"] + delay["peak_count_error"] + 1
    )
    assert delay["odd_delays"] == truth["wrong_delay"]["messages"]
    assert delay["delay_max_ms"] == truth["wrong_delay"]["delay_ms"]
    assert (delay["full_looks"] > 0) == (truth["small_staging"]["refused"] > 0)

    causes = list(with_rules(month.of("causes", qmgr)))
    assert causes[0]["where"] == truth["poison"]["where"]
    assert causes[0]["rule"]
    stuck = truth["stuck_consumer"]
    named = {row["queue"]: row for row in month.of("depth", qmgr) if row["stuck_from"]}
    assert stuck["queue"] in named or stuck["greatest_depth"] < 12


@pytest.mark.parametrize("job", [job for job in JOBS if job not in OF_LOGS])
def test_every_job_says_what_it_read(analyses: dict[str, Analysis], job: str) -> None:
    listing = listing_of(analyses[job], next(iter(JOBS[job].values())))
    assert list(listing.items)
    assert listing.summary["snapshots"] == 144
    assert listing.summary["rejected"] == {}
    for name, rows in analyses[job].tables.items():  # the page of the schema says no more
        assert all(set(row) == set(JOBS[job][name].types) for row in rows), name


def test_out_writes_every_table_and_refuses_to_write_over_one(
    bench: Bench, day: Path, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "out")
    listed = bench.ok("analyze", "depth", str(day), "--out", out, "-o", "json").items
    assert spark.read.parquet(f"{out}/depth").count() == len(listed)
    assert spark.read.parquet(f"{out}/depth_hours").count() >= len(listed)
    monkeypatch.setattr("mqtriage.pipeline.runner.run", None)  # told before anything is worked out
    again = bench.run("analyze", "depth", str(day), "--out", out)
    assert again.code == 8
    assert "already exists" in again.error_line


def test_an_analysis_goes_back_into_the_definitions(bench: Bench, tmp_path: Path) -> None:
    bench.ok("emulator", "create", "QM1")
    bench.ok("queue", "set", "SYSTEM.DDELAY.LOCAL.QUEUE", "MAXDEPTH=5000", "--yes")
    load = tmp_path / "load.json"
    row = {
           "queue_manager": "QM1", "maxdepth": 700_000,
           "maxdepth_sum": "(466666 + 0) + 50% = 700000",
           "maxmsgl_bytes": 4_000_000, "maxmsgl_sum": "the sum"}  # fmt: skip
    load.write_text(json.dumps({"kind": "DelayLoadList", "items": [row]}))
    ran = bench.ok("delay", "define", "--from-analysis", str(load), "-n")
    assert "MAXDEPTH(700000)" in ran.out + ran.err
    assert "(466666 + 0)" in ran.out + ran.err
    linted = bench.run("lint", "--from-analysis", str(load), "--select", "DLY002", "-o", "json")
    assert [r["code"] for r in linted.items] == ["DLY002"]

    bench.ok("queue", "define", "APP.IN", "--yes")
    cohort = tmp_path / "cohort.json"
    record = {"queue_manager": "QM1", "queue": "APP.IN", "bothresh": 4}
    cohort.write_text(json.dumps({"kind": "CohortList", "items": [record]}))
    ran = bench.ok("backout", "set", "APP.IN", "--from-analysis", str(cohort), "-n")
    assert "BOTHRESH(4)" in ran.out + ran.err


@pytest.mark.parametrize(
    ("text", "code"),
    [("{", 2), ("[]", 2), ('{"kind": "CohortList", "items": []}', 2),
     ('{"kind": "DelayLoadList", "items": []}', 5),
     ('{"kind": "DelayLoadList", "items": [{"queue_manager": "QM1", "maxdepth": "x"}]}', 2)],
)  # fmt: skip
def test_a_file_that_is_no_analysis_is_told(
    bench: Bench, tmp_path: Path, text: str, code: int
) -> None:
    bench.ok("emulator", "create", "QM1")
    (tmp_path / "a.json").write_text(text)
    ran = bench.run("delay", "define", "--from-analysis", str(tmp_path / "a.json"), "-n")
    assert (ran.code, bool(ran.error_line)) == (code, True)
    missing = bench.run("delay", "define", "--from-analysis", str(tmp_path / "no.json"), "-n")
    assert missing.code == 5


def moment(text: str) -> datetime:
    """A time or a day of a table."""
    parsed = datetime.fromisoformat(text)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


class Page(HTMLParser):
    """What a page holds: marks of charts, cells of tables, addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.charts: dict[tuple[str, str], set[tuple[str, str, float]]] = {}
        self.rows: dict[str, int] = {}
        self.addresses: list[str] = []
        self._chart = ("", "")
        self._table = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        for key in ("href", "src", "action", "xlink:href", "data"):
            if key in attributes and not attributes[key].startswith("#"):
                self.addresses.append(attributes[key])
        if tag == "svg":
            self._chart = (attributes["data-table"], attributes["aria-label"])
            self.charts[self._chart] = set()
        elif "data-y" in attributes and "data-series" in attributes:
            mark = (attributes["data-series"], attributes["data-x"], float(attributes["data-y"]))
            self.charts[self._chart].add(mark)
        elif "data-points" in attributes:
            begin = moment(attributes["data-from"])
            for pair in attributes["data-points"].split():
                seconds, _, value = pair.partition(":")
                place = str(begin + timedelta(seconds=float(seconds)))
                self.charts[self._chart].add((attributes["data-series"], place, float(value)))
        elif tag == "table":
            # the numbers of a chart are no table of a job
            self._table = attributes.get("data-table", "")
            if self._table:
                self.rows[self._table] = -1  # the headings
        elif tag == "tr" and self._table:
            self.rows[self._table] += 1
        elif tag == "p" and "data-table" in attributes:  # it has no rows, and says so
            self.rows[attributes["data-table"]] = 0


def test_the_report_has_every_point_of_its_tables_and_no_address(
    reported: Reported,
) -> None:
    analyses = reported.analyses
    assert reported.page.stat().st_mode & 0o077 == 0
    text = reported.page.read_text("utf-8")
    page = Page()
    page.feed(text)
    assert page.addresses == []
    assert set(re.findall(r"https?://[^\"'< ]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in text
    assert "url(" not in text
    drawn = 0
    for job in ("profile", "delay", "depth", "expiry", "causes", "cohort"):
        tables = {name: analyses[job].tables[name] for name in tables_for_charts(job)}
        for chart in charts_of(job, tables, analyses[job].cut_days):
            points = {
                (s.name, str(moment(place)) if chart.kind == "line" else place, value)
                for s in chart.series
                for place, value in s.points
            }
            assert page.charts[chart.table, chart.title] == points
            drawn += len(points)
        for name, rows in tables.items():
            if name in page.rows:
                assert page.rows[name] == len(rows)
    assert drawn > 100


def test_the_textfile_and_the_tickets_of_a_report_are_its_advice(reported: Reported) -> None:
    tables = {n: rows for job in reported.analyses.values() for n, rows in job.tables.items()}
    advised = Counter(one.weight.name.lower() for one in advice(tables))
    file = reported.page.with_suffix(".prom")
    counted: Counter[str] = Counter()
    for weight, count in re.findall(
        r'^mqtriage_advice\{.*weight="(\w+)".*\} (\d+)$', file.read_text(), re.MULTILINE
    ):
        counted[weight] += int(count)
    assert advised
    assert counted == advised
    assert file.stat().st_mode & 0o777 == 0o644  # the collector is another user
    assert "mqtriage_advice_snapshot_time_seconds 1767" in file.read_text()
    tickets = file.with_suffix(".ndjson")
    matters = [json.loads(line) for line in tickets.read_text("utf-8").splitlines()]
    assert [one["id"] for one in matters] == list({one.id: None for one in advice(tables)})
    assert {one["snapshot_time"][:4] for one in matters} == {"2026"}
    assert tickets.stat().st_mode & 0o777 == 0o600


def test_a_report_of_some_jobs_has_their_tables_alone_in_the_order_of_all(
    bench: Bench, day: Path, analyses: dict[str, Analysis], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    remember(analyses, monkeypatch)
    html = tmp_path / "page.html"
    words = ("--only", "delay", "--only", "profile", "--html", str(html))
    ran = bench.ok("analyze", "report", str(day), *words, "-o", "json")
    assert ran.json["item"]["jobs"] == ["profile", "delay"]
    page = Page()
    page.feed(html.read_text("utf-8"))
    assert {"profile", "delay"} <= page.rows.keys() <= {"profile", "delay", "delay_targets"}


@pytest.mark.parametrize("name", ["report/", "report"])
def test_a_report_into_a_folder_has_a_page_of_each_queue_manager(
    bench: Bench, day: Path, analyses: dict[str, Analysis], tmp_path: Path, name: str
) -> None:
    if not name.endswith("/"):
        (tmp_path / name).mkdir()
    place = str(tmp_path) + "/" + name
    index = str(tmp_path / "report" / "index.html")
    words = ("analyze", "report", str(day), "--only", "depth", "--html", place)
    if name.endswith("/"):
        assert bench.ok(*words).out == f"{index}\n"
    else:
        assert bench.ok(*words, "-o", "json").item["html"] == index
    assert {path.name for path in Path(place).iterdir()} == {"index.html", "SIM01.html"}
    page = Page()
    page.feed(Path(place, "SIM01.html").read_text("utf-8"))
    assert page.rows["depth"] == len(analyses["depth"].tables["depth"])
    assert set(page.addresses) == {"index.html"}


def test_watch_prints_what_is_new_once(bench: Bench, tmp_path: Path) -> None:
    bench.ok("emulator", "create", "QM1", "--sample")
    folder = str(tmp_path / "snapshots")
    take = ("snapshot", "take", "-m", "QM1", "--folder", folder, "--format", "ndjson")
    bench.ok(*take)
    first = bench.ok("analyze", "watch", folder, "-o", "json")
    assert sum(row["message_count"] for row in first.items) > 10
    assert bench.ok("analyze", "watch", folder, "-o", "json").items == []
    assert bench.run("analyze", "watch", folder, "--fail-empty").code == 9
    bench.ok(*take)
    again = bench.ok("analyze", "watch", folder, "-o", "json")
    assert len({row["snapshot_id"] for row in again.items}) == 1
    assert {r["snapshot_id"] for r in again.items} & {
        r["snapshot_id"] for r in first.items
    } == set()


def test_a_plot_draws_the_load_of_each_queue_manager(
    bench: Bench, day: Path, analyses: dict[str, Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(analyses, monkeypatch)
    ran = bench.ok("analyze", "delay", str(day), "--plot")
    assert "Staged at once (messages)" in ran.out
    assert re.search(r"SIM01 +[.:=+*#%@-]+ +peak", ran.out)


def test_a_plot_has_queues_of_the_system_only_where_something_is_wrong_with_them(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The depths of the hours alone do not say of which queues something is."""
    from mqtriage.pipeline.runner import Analysis

    depth_of = {"ORDERS": 1, "SYSTEM.FULL.Q": 10, "SYSTEM.WELL.Q": 1}
    of_queues: list[Mapping[str, Any]] = [
        {
            "qmgr": "QM1", "queue": queue, "curdepth": depth, "maxdepth": 10,
            "growth_a_day": None, "looks": 2,
        }
        for queue, depth in depth_of.items()
    ]  # fmt: skip
    hours: list[Mapping[str, Any]] = [
        {**row, "hour_time": f"2026-01-05T0{hour}:00:00Z"} for hour in (1, 2) for row in of_queues
    ]
    tables = {"depth": of_queues, "depth_hours": hours}
    remember({"depth": Analysis("depth", tables=tables)}, monkeypatch)
    ran = bench.ok("analyze", "depth", str(tmp_path), "--plot")
    assert "ORDERS" in ran.out
    assert "SYSTEM.FULL.Q" in ran.out
    assert "SYSTEM.WELL.Q" not in ran.out


def test_a_condition_on_the_body_is_refused_before_spark_starts(tmp_path: Path, day: Path) -> None:
    ran = Bench(tmp_path).run("analyze", "profile", str(day), "--where", "body.order.id = 4")
    assert ran.code == 2
    assert "body.order.id" in ran.error_line


@pytest.mark.parametrize(
    "args",
    ["--table none", "--only profile", "--memory 2", "--since soon", "--master soon",
     "--since 2026-01-06T00:00:00Z --until 2026-01-06T00:00:00Z"],
)  # fmt: skip
def test_what_there_is_not_is_wrong_usage(tmp_path: Path, day: Path, args: str) -> None:
    assert Bench(tmp_path).run("analyze", "profile", str(day), *args.split()).code == 2


@pytest.mark.parametrize(
    ("job", "one", "other"),
    [
        ("delay", "--plot", "-o csv"),
        ("delay", "--plot", "--table delay_hours"),
        ("causes", "--plot", "--emit where"),
        ("delay", "--submit", "--plot"),
        ("causes", "--submit", "--emit rules"),
    ],
)
def test_an_option_without_effect_beside_another_is_refused(
    tmp_path: Path, day: Path, monkeypatch: pytest.MonkeyPatch, job: str, one: str, other: str
) -> None:
    monkeypatch.setattr("mqtriage.pipeline.session.open_session", None)
    ran = Bench(tmp_path).run("analyze", job, str(day), one, *other.split())
    assert ran.code == 2
    named = other if other.startswith("-o") else other.split()[0]
    assert f"{one} and {named}: " in ran.error_line


def test_a_plot_is_no_json(tmp_path: Path, day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqtriage.pipeline.session.open_session", None)
    ran = Bench(tmp_path).run("analyze", "delay", str(day), "--plot", "-o", "json")
    assert (ran.code, ran.out) == (2, "")
    assert "--plot and -o json: " in ran.err


def test_a_report_of_a_job_that_there_is_not_names_those_there_are(
    tmp_path: Path, day: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqtriage.pipeline.session.open_session", None)
    words = ("--only", "profil", "--html", str(tmp_path / "page.html"))
    ran = Bench(tmp_path / "home").run("analyze", "report", str(day), *words)
    assert ran.code == 2
    assert f"--only profil: the jobs are {', '.join([*JOBS][:3])}" in ran.error_line


@pytest.mark.parametrize(
    "words",
    [("depth", "--out", "{file}/results"), ("report", "--html", "{file}/page.html"),
     ("report", "--html", "{folder}")],
)  # fmt: skip
def test_where_nothing_can_be_written_is_told_before_spark_starts(
    tmp_path: Path, day: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("mqtriage.pipeline.session.open_session", None)
    (tmp_path / "file").touch()
    given = [word.format(file=tmp_path / "file", folder=tmp_path) for word in words]
    ran = Bench(tmp_path / "home").run("analyze", *given, str(day))
    assert ran.code == 1
    assert given[2] in ran.error_line
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_span_without_a_snapshot_says_so(bench: Bench, day: Path) -> None:
    ran = bench.ok("analyze", "definitions", str(day), "--since", "2030-01-01T00:00:00Z")
    assert "no snapshot from that time" in ran.err


def test_a_long_table_of_the_page_names_the_command_that_prints_all_of_it(
    bench: Bench, day: Path, analyses: dict[str, Analysis], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    remember(analyses, monkeypatch)
    monkeypatch.setattr("mqtriage.commands.analyze.report.MOST_ROWS", 3)
    span = ("--since", "2026-01-05T00:00:00Z", "--where", "backout >= 0")
    ran = bench.ok("analyze", "report", str(day), "--html", str(tmp_path / "page.html"), *span)
    words = ("mqtriage", "analyze", "depth", str(day), *span, "--table", "depth")
    assert shlex.join(words) in " ".join(ran.err.split())


@pytest.mark.parametrize("table", [table for tables in JOBS.values() for table in tables.values()])
def test_every_table_has_a_column_for_output_of_ids(table: AnalysisTable) -> None:
    assert id_key_of(table) in {field.key for field in as_printed(table.fields)}


@pytest.mark.seed("CARD-32")
def test_without_pyspark_the_extra_is_named_and_all_else_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        monkeypatch.delitem(sys.modules, name)
    ours = [name for name in sys.modules if name.startswith("mqtriage.pipeline.")]
    for name in sorted(ours, reverse=True):  # a package after what is in it
        # the package's attribute too is to be as it was afterwards
        package, _, leaf = name.rpartition(".")
        monkeypatch.setattr(sys.modules.get(package, mqtriage.pipeline), leaf, sys.modules[name])
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    new_bench = Bench(tmp_path / "home")
    new_bench.ok("emulator", "create", "QM1", "--sample")
    new_bench.ok("snapshot", "take", "-m", "QM1", "--format", "ndjson")
    for verb in ("profile", "delay", "watch"):
        folder = str(tmp_path / "home" / "snapshots")
        ran = new_bench.run("analyze", verb, folder)
        assert ran.code == 1
        assert "pyspark is not installed" in ran.error_line
        assert "pip install '.[spark]'" in ran.err
    assert new_bench.ok("analyze", "delay", folder, "--submit").out.startswith(
        ("spark-submit", "env")
    )


def test_the_line_to_submit_names_folders_from_the_root_and_leaves_addresses_alone(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = ("month", "s3a://bucket/snapshots")
    reply = bench.ok("analyze", "delay", *paths, "--out", "results", "--submit", "-o", "json")
    asked = json.loads(shlex.split(reply.item["command"])[-1])
    assert asked["paths"] == [str(tmp_path / "month"), "s3a://bucket/snapshots"]
    assert asked["out"] == str(tmp_path / "results")


SETTINGS = (
    "--conf", "spark.sql.shuffle.partitions=64", "--conf", "spark.executor.memory=4g",
    "--conf", "spark.jars.packages=org.example:s3:1.0",
)  # fmt: skip


def test_settings_of_spark_stand_in_the_line_to_submit(bench: Bench) -> None:
    reply = bench.ok("analyze", "delay", "s3a://bucket/in", *SETTINGS, "--submit", "-o", "json")
    words = shlex.split(reply.item["command"])
    given = [words[at + 1] for at, word in enumerate(words) if word == "--conf"]
    assert sorted(given) == [
        "spark.executor.memory=4g",
        "spark.jars.packages=org.example:s3:1.0",
        "spark.sql.shuffle.partitions=64",
    ]


def test_settings_of_spark_are_what_the_session_is_opened_with_and_win_over_ours(
    tmp_path: Path,
) -> None:
    conf = spark_settings(SETTINGS[1:4:2])
    settings = settings_for(AnalyzeRequest((str(tmp_path),), conf=conf), {})
    opened = configuration(settings)
    assert opened["spark.sql.shuffle.partitions"] == "64"
    assert opened["spark.executor.memory"] == "4g"


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("--conf", "spark.ui.enabled"), "KEY=VALUE"),
        (("--conf", "fs.s3a.secret.key=hidden"), "begins with spark."),
        (("--conf", "spark.master=local"), "--master"),
        (("--conf", "spark.driver.memory=1g"), "--memory"),
        (("--conf", "spark.ui.port=1", "--conf", "spark.ui.port=2"), "twice"),
        (("--conf", "spark.executor.memory=1g", "--conf", "spark.executor.memory=2g"), "twice"),
    ],
)
def test_a_setting_of_spark_that_is_none_is_wrong_usage_and_its_value_not_told(
    tmp_path: Path, args: tuple[str, ...], reason: str
) -> None:
    ran = Bench(tmp_path).run("analyze", "profile", str(tmp_path), *args)
    assert ran.code == 2
    assert reason in ran.error_line
    assert "hidden" not in ran.err


@pytest.mark.parametrize(
    "args",
    [("--where", "body.order.id = 4"), ("--master", "sc://there:15002"), ("--memory", "2"),
     ("--master", "soon"), ("--table", "none")],
)  # fmt: skip
def test_what_a_cluster_would_refuse_is_refused_before_it_is_submitted(
    tmp_path: Path, args: tuple[str, str]
) -> None:
    ran = Bench(tmp_path).run("analyze", "profile", "s3a://bucket/snapshots", "--submit", *args)
    assert ran.code == 2
    assert ran.out == ""
