"""docs/java.md: its project is green as printed; docs/java-clients.md is what the tests say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.jms import table
from tests.jms.test_programs import CAMEL
from tests.support.ibm_java import NEWEST, need

TEXT = (Path(__file__).parents[2] / "docs" / "java.md").read_text("utf-8")
SPRING = "spring/"
EXTENSION = "src/test/java/com/example/Mqtriage.java"
FILES = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", TEXT, re.DOTALL))


def _printed(folder: Path, files: dict[str, str]) -> Path:
    """A project of the page."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def _maven_test(project: Path, *options: str) -> str:
    commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        ["mvn", "-B", "-ntp", *options, "test"], cwd=project,
        env=dict(os.environ) | {"PATH": commands},
        capture_output=True, text=True, timeout=540, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-4000:]
    return ran.stdout


@pytest.mark.long
@pytest.mark.slow
def test_the_project_is_green_as_it_is_printed(tmp_path: Path) -> None:
    need()
    plain = {name: text for name, text in FILES.items() if not name.startswith(SPRING)}
    output = _maven_test(_printed(tmp_path, plain))
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in output


@pytest.mark.long
@pytest.mark.parametrize(
    ("version", "option"),
    [
        pytest.param(None, (), id="as-printed"),
        pytest.param("3.5.15", ("-Dibm.mq.pool.enabled=true",), id="3.5.15-pooled"),
    ],
)
def test_the_spring_boot_project_is_green(
    tmp_path: Path, version: str | None, option: tuple[str, ...]
) -> None:
    need()
    files = {
        name.removeprefix(SPRING): text for name, text in FILES.items() if name.startswith(SPRING)
    }
    files[EXTENSION] = FILES[EXTENSION]
    printed = re.findall(r"<version>([\d.]{3,})</version>", files["pom.xml"])
    assert len(set(printed)) == 1, "Spring Boot and the starter have one version"
    if version is not None:
        assert f"with {version}" in TEXT
        files["pom.xml"] = files["pom.xml"].replace(printed[0], version)
    output = _maven_test(_printed(tmp_path, files), *option)
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in output
    assert output.count("IllegalArgumentException: not a payment") == 3, "BOTHRESH(3)"


def test_the_page_names_the_versions_that_the_tests_run() -> None:
    for coordinates in CAMEL:
        version = coordinates.rpartition(":")[2]
        assert version in TEXT, coordinates


def test_the_table_has_every_test_and_each_passed_with_the_newest_clients() -> None:
    """If this fails: run `pytest tests/jms --update-golden` with the clients."""
    rows = table.cells(table.PAGE.read_text("utf-8"))
    newest = table.CLIENTS.index(NEWEST[0].name)
    for _, _, name in table.tests():
        row = rows[table.row_name(name)]
        assert set(row) <= {"ok", "-"}, name
        assert row[newest:] == ["ok"] * len(row[newest:]), name
