"""The page of `mqtriage analyze report`, as a browser makes it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mqtriage.commands.analyze.report import MOST_ROWS, JobReport
from mqtriage.formatters.charts.analysis_html import page
from mqtriage.model.analysis_charts import charts_of
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.model.result import Record
from mqtriage.pipeline.snapshots.advice import advice
from tests.support.timing import shortest_s

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ODD = "<b>&\"'{x}"
"""A name that a page must not take for its own text."""


def rows(table: str, qmgrs: int = 2, records: int = 12) -> list[Record]:
    """Records of a table in which every column has a value that its name allows."""
    fields = [f for tables in TABLES_OF.values() for f in tables.get(table, _NONE).fields]

    def value(key: str, number: int) -> Any:
        if key.endswith("_time") or key in ("time", "stuck_from", "stuck_until"):
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


@pytest.fixture
def of_estate(tmp_path: Path) -> Path:
    """A page of a thousand queue managers, three looks at each."""
    of_all = {
        name: rows(name, qmgrs=1_000, records=3_000)
        for tables in TABLES_OF.values()
        for name in tables
    }
    return write_page(tmp_path / "estate.html", of_all)


def browser() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium")
    return found


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
    """Of the browser's own clock, from the first byte until all of it is laid out and drawn."""
    probe = (
        "<script>addEventListener('load', () => { document.body.offsetHeight;"
        " document.documentElement.dataset.opened = performance.now() })</script></body>"
    )
    page_file = tmp_path / "timed.html"
    page_file.write_text(of_estate.read_text("utf-8").replace("</body>", probe), "utf-8")

    def opened_s(_: object) -> float:
        text, _, _ = seen(tmp_path, page_file)
        return float(re.search(r'data-opened="([\d.]+)"', text).group(1)) / 1000  # type: ignore[union-attr]

    assert shortest_s(str, 2, opened_s) < 2


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
