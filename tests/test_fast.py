"""tests/fast.txt, what `make test-fast` runs: paths that are there, something of each room."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.support.scale import for_all

ROOT = Path(__file__).parent.parent
LINES = [line for line in (ROOT / "tests/fast.txt").read_text("utf-8").splitlines() if line]
CHOSEN = [line for line in LINES if not line.startswith("#")]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
LAYERS = CONFIG["importlinter"]["contracts"][0]["layers"]


def files() -> list[Path]:
    """The files of tests that are chosen, or some tests of them."""
    paths = [ROOT / line.partition("::")[0] for line in CHOSEN]
    return [
        file
        for path in paths
        for file in ([path] if path.is_file() else sorted(path.rglob("test_*.py")))
    ]


TEXT = "\n".join(path.read_text("utf-8") for path in files())


@for_all(CHOSEN)
def test_what_is_chosen_is_there(line: str) -> None:
    path, _, name = line.partition("::")
    assert (ROOT / path).exists()
    assert not name or f"def {name}(" in (ROOT / path).read_text("utf-8")


@pytest.mark.parametrize("layer", LAYERS)
def test_something_of_each_layer_is_chosen(layer: str) -> None:
    assert f"from {layer}" in TEXT


@pytest.mark.parametrize(
    "room", sorted(path.parent.name for path in (ROOT / "emulator").glob("*/__init__.py"))
)
def test_something_of_each_room_of_the_emulator_is_chosen(room: str) -> None:
    assert f"from mqtriage.emulator.{room}" in TEXT


def test_every_verb_is_run() -> None:
    """Which verbs there are and that each has its line, test_every_command.py sees to itself."""
    every = "tests/acceptance/test_every_command.py"
    text = (ROOT / every).read_text("utf-8")
    ways = [
        name
        for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)
        if not re.search("json|journal", name)
    ]
    assert len(ways) == 6
    assert {f"{every}::{way}" for way in ways} <= set(CHOSEN)


def test_a_check_for_all_names_each_case_that_fails() -> None:
    @for_all([1, 2, 3, 4])
    def check(number: int) -> None:
        if number == 1:
            pytest.skip("not here")
        if number == 2:
            pytest.fail("no")
        assert number == 4, "odd"

    with pytest.raises(AssertionError) as caught:
        check()
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()[:3]] == [
        "2 of 4", "2", "3",
    ]  # fmt: skip


def test_a_check_for_all_without_a_case_fails_and_is_skipped_where_each_case_is() -> None:
    def check(_: int) -> None:
        pytest.skip("not here")

    with pytest.raises(AssertionError):
        for_all([])(check)()
    with pytest.raises(pytest.skip.Exception):
        for_all([1, 2])(check)()
