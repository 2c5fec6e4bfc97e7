"""docs/monitoring.md: its examples are run on the sample queue manager and print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from mqtriage.cli.frame.tree import GROUPS
from tests.acceptance.conftest import Bench

PAGE = (Path(__file__).parents[2] / "docs" / "monitoring.md").read_text("utf-8")
COMMANDS = dict(re.findall(r"```sh run=(\w+)\n(.*?)```", PAGE, re.DOTALL))
OUTPUTS = {
    name: (int(code), text)
    for name, code, text in re.findall(r"```text output=(\w+) exit=(\d)\n(.*?)```", PAGE, re.DOTALL)
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = Bench(tmp_path_factory.mktemp("sample") / "home")
    bench.ok("emulator", "create", "QM1", "--clock", "frozen", "--sample")
    return bench


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_prints_what_the_page_shows(sample: Bench, name: str) -> None:
    program, *words = shlex.split(COMMANDS[name])
    assert program == "mqtriage"
    ran = sample.run(*words)
    assert (ran.code, ran.out) == OUTPUTS[name]


def test_every_example_has_its_output() -> None:
    assert COMMANDS
    assert set(COMMANDS) == set(OUTPUTS)


def test_every_check_stands_in_the_table() -> None:
    assert set(re.findall(r"^\| `check (\w+)", PAGE, re.MULTILINE)) == set(GROUPS["check"].verbs)
