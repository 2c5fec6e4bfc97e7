"""The page of `mqtriage analyze report`, as a browser makes it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Container, Iterator, Mapping
from contextlib import closing
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.commands.analyze.pages import (
    INDEX,
    ManagerRows,
    file_names,
    pages_can_be_written,
    write_pages,
)
from mqtriage.commands.analyze.report import LEFT_OUT, MOST_ROWS, JobReport, listed
from mqtriage.commands.analyze.run import AnalyzeRequest
from mqtriage.formatters.charts.analysis_html import ROWS_ON_PAPER, estate_pages, page
from mqtriage.model.analysis_charts import charts_of
from mqtriage.model.analysis_tables import OF_LOGS, TABLES_OF
from mqtriage.model.result import Record
from mqtriage.mq.errors import StorageError
from mqtriage.pipeline.snapshots.advice import advice
from tests.support.scale import SCALE
from tests.support.timing import shortest_s

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ODD = "<b>&\"'{x}"
"""A name that a page must not take for its own text."""


def rows(table: str, qmgrs: int = 2, records: int = 12) -> list[Record]:
    """Records of a table in which every column has a value that its name allows."""
    fields = [f for tables in TABLES_OF.values() for f in tables.get(table, _NONE).fields]

    def value(key: str, number: int) -> Any:
        if key.endswith("_time") or key in ("time", "stuck_from", "stuck_until", "untouched_from"):
            return f"2026-01-{number // 24 % 27 + 5:02d}T{number % 24:02d}:00:00Z"
        if key in ("qmgr", "queue", "family", "target", "name"):
            return f"{ODD}{number % qmgrs}"
        if key == "day":
            return f"2026-01-{number % 28 + 1:02d}"
        if key in ("where", "rule", "format", "put_appl_name", "change", "code", "message", "kind"):
            return f"{key} {number}"
        return number * 7

    return [{f.key: value(f.key, number) for f in fields} for number in range(1, records + 1)]


_NONE = TABLES_OF["profile"]["profile"]._replace(fields=())


def write_page(file: Path, of_all: Mapping[str, list[Record]]) -> Path:
    """Write the page of all jobs, as `analyze report` puts it together."""
    parts = [
        JobReport(
            job,
            tables=[(table, of_all[name][:MOST_ROWS]) for name, table in tables.items()],
            charts=charts_of(job, of_all),
        )
        for job, tables in TABLES_OF.items()
    ]
    pieces = page(parts, advice(of_all), title=ODD, facts={"Read from": ODD, "Rows": 5_000_000})
    file.write_text("".join(pieces), "utf-8")
    return file


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A page of all jobs, every chart drawn."""
    of_all = {name: rows(name) for tables in TABLES_OF.values() for name in tables}
    return write_page(tmp_path / "report.html", of_all)


@pytest.fixture(scope="module")
def of_estate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of a thousand queue managers, three looks at each."""
    of_all = {
        name: rows(name, qmgrs=1_000, records=3_000)
        for tables in TABLES_OF.values()
        for name in tables
    }
    return write_page(tmp_path_factory.mktemp("estate") / "estate.html", of_all)


def browser() -> str:
    executable = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if executable is None:
        pytest.skip("there is no Chromium")
    return executable


def seen(tmp_path: Path, page_file: Path, *options: str) -> tuple[str, str, list[dict[str, Any]]]:
    """The document that the browser made of the page, what its console said, what it asked for."""
    log = tmp_path / "net.json"
    ran = subprocess.run(
        [
            browser(), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
            "--disable-background-networking", "--no-first-run",
            f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={log}",
            *options, "--dump-dom", page_file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    events = json.loads(log.read_text())
    asked = [
        event["params"]
        for event in events["events"]
        if "url" in event.get("params", {})
        and str(event["params"]["url"]).startswith("http")
        # what the browser asks for on its own account has no page that began it
        and event["params"].get("initiator", "not an origin") not in ("not an origin", "")
    ]
    console = "\n".join(line for line in ran.stderr.splitlines() if "CONSOLE" in line)
    return ran.stdout, console, asked


def test_a_browser_shows_every_chart_and_asks_for_nothing(tmp_path: Path, written: Path) -> None:
    text, console, asked = seen(tmp_path, written)
    assert console == ""
    assert asked == []
    drawn = sum(
        len(charts_of(job, {name: rows(name) for name in tables}))
        for job, tables in TABLES_OF.items()
    )
    assert text.count("<svg") == drawn > 5
    assert text.count("<table data-table=") == sum(len(tables) for tables in TABLES_OF.values())
    assert "<b>&amp;" not in text  # a name did not become markup
    assert "NaN" not in text
    assert "undefined" not in text


def test_a_browser_finds_the_page_no_wider_than_a_phone(tmp_path: Path, written: Path) -> None:
    """Charts and tables scroll in boxes of their own: nobody scrolls sideways to read."""
    probe = "<script>document.documentElement.dataset.overhang = String("
    probe += "document.documentElement.scrollWidth - document.documentElement.clientWidth)</script>"
    narrow = tmp_path / "narrow.html"
    frame = written.read_text("utf-8").replace("</body>", f"{probe}</body>")
    narrow.write_text(frame, "utf-8")
    text, _, _ = seen(tmp_path, narrow, "--window-size=500,900")
    assert re.search(r'data-overhang="(-?\d+)"', text).group(1) == "0"  # type: ignore[union-attr]


def test_the_page_of_a_thousand_queue_managers_is_under_5_megabytes(of_estate: Path) -> None:
    assert of_estate.stat().st_size < 5_000_000


def test_a_browser_opens_the_page_of_a_thousand_queue_managers_within_two_seconds(
    tmp_path: Path, of_estate: Path
) -> None:
    assert opened_s(tmp_path, of_estate) < 2


def opened_s(tmp_path: Path, page_file: Path) -> float:
    """Of the browser's own clock, from the first byte until all of it is laid out and drawn."""
    probe = (
        "<script>addEventListener('load', () => { document.body.offsetHeight;"
        " document.documentElement.dataset.opened = performance.now() })</script></body>"
    )
    timed = tmp_path / "timed.html"
    timed.write_text(page_file.read_text("utf-8").replace("</body>", probe), "utf-8")

    def once_s(_: object) -> float:
        text, _, _ = seen(tmp_path, timed)
        return float(re.search(r'data-opened="([\d.]+)"', text).group(1)) / 1000  # type: ignore[union-attr]

    return shortest_s(str, 2, once_s)


def test_every_chart_has_its_axes_named_and_its_finding_told(written: Path) -> None:
    text = written.read_text("utf-8")
    charts = re.findall(r"<figure>.*?</figure>", text, re.DOTALL)
    assert charts
    for chart in charts:
        assert re.search(r"<figcaption><b>[^<]+</b>", chart)
        if "data-points" in chart:
            assert "time, UTC" in chart
            assert re.search(r'class="axis">(messages|percent|duration)', chart)


def test_every_link_of_the_page_leads_somewhere(written: Path) -> None:
    text = written.read_text("utf-8")
    assert set(re.findall(r"href='#([^']+)'", text)) <= set(re.findall(r"id='([^']+)'", text))
    assert not re.search(r"href='[^#]", text)


SHEETS = 4
HEAD_PT = 8.0
PAPER_PX = 718
"""The width of A4 between margins of 10 mm, at 96 pixels an inch."""


@pytest.fixture
def of_three(tmp_path: Path) -> Path:
    """The page of three queue managers, as much in its tables and advice as in those of a week."""
    drawn_whole = ("causes", "cohort_survival")  # a bar a row
    jobs = {
        job: [name for name in tables if name not in LEFT_OUT]
        for job, tables in TABLES_OF.items()
        if job not in OF_LOGS
    }
    of_all = {
        name: rows(name, qmgrs=3, records=15 if name in drawn_whole else 60)
        for names in jobs.values()
        for name in names
    }
    parts = []
    for job, names in jobs.items():
        of_job = {name: of_all[name] for name in names}
        part = JobReport(job, rows=of_job, charts=charts_of(job, of_all))
        parts.append(listed(part, AnalyzeRequest(("snapshots",))))
    file = tmp_path / "three.html"
    to_do = advice(of_all)[:9]
    file.write_text("".join(page(parts, to_do, title="Estate", facts={"Rows": 60})), "utf-8")
    return file


def test_three_queue_managers_are_printed_on_four_sheets(tmp_path: Path, of_three: Path) -> None:
    """Thirteen they were, most of them rows of queues with which nothing was wrong."""
    printed = tmp_path / "printed.pdf"
    seen(tmp_path, of_three, "--no-pdf-header-footer", f"--print-to-pdf={printed}")
    sheets = re.findall(
        rb"/Type /Page\b.*?/MediaBox \[([\d. ]+)\]", printed.read_bytes(), re.DOTALL
    )
    assert len(sheets) <= SHEETS
    for sides in sheets:
        assert [round(float(side)) for side in sides.split()] == [0, 0, 595, 842]


def test_on_paper_heads_are_of_eight_points_and_nothing_is_wider_than_the_sheet(
    tmp_path: Path, of_three: Path
) -> None:
    """A browser prints a page that is wider smaller, and its heads with it."""
    probe = (
        "<script>const data = document.documentElement.dataset, sizes = [];"
        "for (const head of document.querySelectorAll('th'))"
        " sizes.push(parseFloat(getComputedStyle(head).fontSize));"
        "data.heads = Math.min(...sizes);"
        "data.overhang = document.documentElement.scrollWidth"
        " - document.documentElement.clientWidth</script></body>"
    )
    as_paper = tmp_path / "paper.html"
    text = of_three.read_text("utf-8").replace("@media print", "@media all")
    as_paper.write_text(text.replace("</body>", probe), "utf-8")
    text, _, _ = seen(tmp_path, as_paper, f"--window-size={PAPER_PX},1000")
    least = float(re.search(r'data-heads="([\d.]+)"', text).group(1))  # type: ignore[union-attr]
    assert least * 72 / 96 >= HEAD_PT
    assert re.search(r'data-overhang="(-?\d+)"', text).group(1) == "0"  # type: ignore[union-attr]


def test_a_long_table_on_paper_has_what_needs_attention_and_says_how_many_rows_it_leaves_out() -> (
    None
):
    well = {"qmgr": "QM1", "curdepth": 1, "maxdepth": 10}
    queues: list[Record] = [{**well, "queue": f"Q{number}"} for number in range(30)]
    queues[17] = {**queues[17], "curdepth": 10}
    part = JobReport("depth", rows={"depth": queues, "depth_ahead": queues[:5]})
    request = AnalyzeRequest(("snapshots", "my logs"))
    to_do = advice({"depth": queues})
    text = "".join(page([listed(part, request)], to_do, title="T", facts={}))
    on_paper = re.findall(r"<tr><td>QM1</td><td>(Q\d+)</td>", text)
    assert on_paper == ["Q17", *(f"Q{number}" for number in range(5))]
    command = escape("mqtriage analyze depth snapshots 'my logs'")
    assert f"<p class='paper'>29 more rows: <code>{command}</code></p>" in text
    assert text.count("more rows:") == 1  # a short table is whole
    assert len(re.findall(r"<tr[^>]*><td>", text)) == 35
    none = "".join(page([listed(part, request)], [], title="T", facts={}))
    first = re.findall(r"<tr><td>QM1</td><td>(Q\d+)</td>", none.split("table-depth_ahead")[0])
    assert first == [f"Q{number}" for number in range(ROWS_ON_PAPER)]


TURNED = "\u202eGNP"
HOSTILE = (
    "QM1", "qm1", "Qm1", "index", "INDEX", "A/B", "A%2FB", "..", ".", ".html", TURNED, ODD, "'x'",
    "Q" * 400, "Q" * 399 + "q", "QM 1", "q#1?a=b", "QM1\n",
)  # fmt: skip
"""Names that a file system, an address or a page must not take for something else."""


def of_managers(names: tuple[str, ...], records: int = 30) -> list[JobReport]:
    """What all jobs say of queue managers, each with queues that bear its number."""
    parts = []
    for job, tables in TABLES_OF.items():
        of_all: dict[str, list[Record]] = {}
        for name in tables:
            of_all[name] = [
                {**row, "qmgr": manager, **({"queue": f"ONLY.{number}."} if "queue" in row else {})}
                for number, manager in enumerate(names)
                for row in rows(name, records=records)
            ]
        parts.append(JobReport(job, rows=of_all, charts=charts_of(job, of_all)))
    return parts


def write_estate(
    folder: Path, names: tuple[str, ...], records: int = 30, only: Container[str] = ()
) -> Path:
    """The folder of pages of *names*, as `analyze report` writes it.

    Args:
        only: the files that are to have something in them; all when empty.
    """
    parts = of_managers(names, records)
    to_do = advice({name: table_rows for part in parts for name, table_rows in part.rows.items()})
    request = AnalyzeRequest(("snapshots",))
    with closing(ManagerRows()) as kept:
        for part in parts:
            for name, table_rows in part.rows.items():
                kept.keep(part.job, name, table_rows)
        title, facts = "Estate", {"Rows": 1}
        pages = estate_pages(parts, to_do, request, kept, title=title, facts=facts)
        write_pages(folder, ((n, p if not only or n in only else ()) for n, p in pages))
    return folder


def hrefs(text: str) -> Iterator[tuple[str, str]]:
    """(file, anchor) of each link of a page."""
    for href in re.findall(r"href='([^']*)'", text):
        file, _, anchor = href.partition("#")
        yield unquote(file), anchor


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_estate(tmp_path_factory.mktemp("estate") / "report", HOSTILE)


def test_a_folder_has_a_page_of_the_estate_and_one_of_each_queue_manager(estate: Path) -> None:
    files = file_names(HOSTILE)
    assert {path.name for path in estate.iterdir()} == {INDEX, *files.values()}
    for path in (estate, *estate.iterdir()):
        assert path.stat().st_mode & 0o077 == 0
    for number, name in enumerate(HOSTILE):
        text = (estate / files[name]).read_text("utf-8")
        assert set(re.findall(r"ONLY\.(\d+)\.", text)) == {str(number)}, name
        assert text.count("data-table=") > len(TABLES_OF)
    index = (estate / INDEX).read_text("utf-8")
    assert index.count("<th scope='row'><a href=") == len(HOSTILE)
    assert "<svg" in index
    assert "<table data-table=" not in index  # the tables are those of the queue managers


def test_every_link_between_pages_leads_to_what_is_there(estate: Path) -> None:
    ids = {
        path.name: set(re.findall(r"id='([^']+)'", path.read_text("utf-8")))
        for path in estate.iterdir()
    }
    led = set()
    for path in estate.iterdir():
        for file, anchor in hrefs(path.read_text("utf-8")):
            assert not anchor or anchor in ids[file or path.name], (path.name, file, anchor)
            led.add((path.name, file or path.name))
    files = set(file_names(HOSTILE).values())
    assert led >= {(INDEX, file) for file in files} | {(file, INDEX) for file in files}
    advised = (estate / INDEX).read_text("utf-8").partition("<ol>")[2].partition("</ol>")[0]
    places = list(hrefs(advised))
    assert places
    assert {file for file, _ in places} <= files


def test_no_name_of_a_queue_manager_becomes_markup_or_turns_the_text(estate: Path) -> None:
    for path in estate.iterdir():
        text = path.read_text("utf-8")
        assert "\u202e" not in text
        assert "<b>&" not in text
        assert text.count("<script") <= 1


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, unique=True))
def test_no_two_queue_managers_share_a_file_whatever_a_file_system_makes_of_case(
    names: list[str],
) -> None:
    files = [INDEX, *file_names([*names, *{name.swapcase() for name in names}]).values()]
    assert all(re.fullmatch(r"[A-Za-z0-9_%-][A-Za-z0-9_.%-]{0,210}\.html", file) for file in files)
    in_order = sorted(file.lower() for file in files)
    assert all(first != second for first, second in pairwise(in_order))


def test_another_report_takes_the_place_of_the_folder_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = write_estate(tmp_path / "report", ("QM1", "QM2"))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def broken() -> Iterator[tuple[str, list[str]]]:
        yield INDEX, ["half"]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_pages(folder, broken())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert list(tmp_path.iterdir()) == [folder]
    write_estate(folder, ("QM3",))
    assert {path.name for path in folder.iterdir()} == {INDEX, "QM3.html"}
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("stranger", ["notes.txt", "index.html", ".htaccess", "old.html/"])
def test_a_folder_with_anything_else_in_it_is_left_alone(tmp_path: Path, stranger: str) -> None:
    folder = write_estate(tmp_path / "report", ("QM1",))
    if stranger.endswith("/"):
        (folder / stranger).mkdir()
    else:
        (folder / stranger).write_text("mine")
    for write in (pages_can_be_written, lambda path: write_pages(path, [(INDEX, [])])):
        with pytest.raises(StorageError, match=stranger.rstrip("/")):
            write(folder)
    assert (folder / "QM1.html").exists()
    assert list(tmp_path.iterdir()) == [folder]


def test_the_folder_one_is_in_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    for folder in (".", "..", str(tmp_path / "inner")):
        with pytest.raises(StorageError, match="cannot be replaced"):
            pages_can_be_written(Path(folder))


def test_a_browser_opens_the_pages_of_a_thousand_queue_managers_within_two_seconds(
    tmp_path: Path,
) -> None:
    """All but the index are alike: one of them is worked out, and all of them before a release."""
    names = (INDEX, "QM0500.html")
    managers = tuple(f"QM{n:04}" for n in range(1_000))
    only = () if SCALE == "all" else names
    folder = write_estate(tmp_path / "report", managers, 5, only=only)
    assert len(list(folder.iterdir())) == 1_001
    looked_at = [folder / name for name in only] or list(folder.iterdir())
    assert all(0 < path.stat().st_size < 5_000_000 for path in looked_at)
    for name in names:
        assert opened_s(tmp_path, folder / name) < 2, name
