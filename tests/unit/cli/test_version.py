"""`mqtriage version`."""

from __future__ import annotations

import json
import platform

import pytest

from mqtriage import __version__
from mqtriage.cli.frame.main import main
from tests.support.application import app_for_test
from tests.unit.cli.conftest import text_of


def output(*args: str) -> str:
    app = app_for_test()
    assert main(["version", *args], app) == 0
    assert text_of(app.run.stderr) == ""
    return text_of(app.output.stdout)


@pytest.mark.seed("CARD-01")
def test_version_is_one_line() -> None:
    assert output() == f"mqtriage {__version__}\n"


def test_version_as_json_names_python_and_platform() -> None:
    document = json.loads(output("-o", "json"))
    assert document["schema"] == "mqtriage/1"
    assert document["kind"] == "Version"
    item = document["item"]
    assert item["version"] == __version__
    assert item["python"] == platform.python_version()
    assert "libraries" not in item


def test_verbose_names_the_libraries_with_null_for_those_missing() -> None:
    libraries = json.loads(output("-o", "json", "--verbose"))["item"]["libraries"]
    assert libraries["typer"]
    assert set(libraries) >= {"pymqi", "ibmmq", "pyspark"}


def test_verbose_is_for_people_too() -> None:
    assert platform.python_version() in output("--verbose")
