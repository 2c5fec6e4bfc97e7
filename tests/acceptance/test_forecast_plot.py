"""`delay forecast --out`: a picture of what becomes due, beside the table."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.acceptance.conftest import Bench


@pytest.fixture
def staged(bench: Bench) -> Bench:
    bench.define("APP.IN", **{"SMALL.IN": "MAXDEPTH=2"})
    for minutes in (10, 10, 70):
        bench.ok("msg", "put", "SMALL.IN", "x", "--delay", f"{minutes}m", "--yes")
    bench.ok("msg", "put", "APP.IN", "x", "--delay", "2h", "--yes")
    return bench


def test_an_svg_names_each_target_with_its_messages(staged: Bench, tmp_path: Path) -> None:
    path = tmp_path / "forecast.svg"
    ran = staged.ok("delay", "forecast", "--out", str(path), "-o", "json")
    root = ElementTree.parse(path).getroot()
    text = path.read_text("utf-8")
    assert root.tag.endswith("svg")
    assert "APP.IN: 1 message" in text
    assert "SMALL.IN: 3 messages" in text
    assert "MAXDEPTH 2" in text
    assert "#b3261e" in text
    assert "full 20" in text  # the hour in which SMALL.IN would be full
    assert sum(item["message_count"] for item in ran.items) == 4


def test_the_same_forecast_gives_the_same_file(staged: Bench, tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.svg" for n in (1, 2)]
    for path in paths:
        staged.ok("delay", "forecast", "--out", str(path))
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].read_bytes().startswith(b"<svg")


def test_nothing_to_come_is_a_picture_too(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "none.svg"
    bench.ok("delay", "forecast", "--out", str(path))
    assert "nothing becomes due" in path.read_text("utf-8")


@pytest.mark.parametrize(
    "args", [("--out", "forecast.png"), ("--out", "f.svg", "--heat"), ("--out", "forecast")]
)
def test_what_is_no_picture_is_wrong_usage(staged: Bench, args: tuple[str, ...]) -> None:
    ran = staged.run("delay", "forecast", *args)
    assert ran.code == 2
    assert ran.error_line.startswith("--out")


def test_a_folder_that_is_not_there_is_one_clear_line(staged: Bench, tmp_path: Path) -> None:
    ran = staged.run("delay", "forecast", "--out", str(tmp_path / "no" / "f.svg"))
    assert ran.code == 1
    assert "No such file" in ran.error_line
