"""The commands that the README and the pages of docs/ show are run, in order, as they stand."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from mqtriage.cli.frame.main import main

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/scripting.md")
ASKING = {"define", "set", "requeue", "purge", "sweep", "put", "cancel", "delete"}


def shown_commands(page: str) -> list[list[str]]:
    """The lines of its indented blocks that begin with mqtriage, without comment or redirection."""
    lines = (ROOT / page).read_text("utf-8").splitlines()
    shown = [shlex.split(line, comments=True)[1:] for line in lines
             if line.startswith("    mqtriage ")]  # fmt: skip
    return [words[: words.index(">")] if ">" in words else words for words in shown]


def answered(words: list[str]) -> list[str]:
    """What a person would answer at the prompt, as an option."""
    asks = len(words) > 1 and words[1] in ASKING and words[0] != "emulator"
    return [*words, "--yes"] if asks and "--yes" not in words and "-n" not in words else words


def test_every_page_shows_commands() -> None:
    assert all(shown_commands(page) for page in PAGES)


def test_the_commands_of_the_readme_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    for words in shown_commands("README.md"):
        if words[:3] != ["emulator", "create", "QM1"] and "QM2" not in words:
            words = ["-m", "QM1", *words] if words[0] != "rc" else words
        assert main(answered_with_queue_manager(words)) == 0, words


def answered_with_queue_manager(words: list[str]) -> list[str]:
    """`answered`, where the queue manager was put in front."""
    if words[:1] == ["-m"]:
        return [*words[:2], *answered(words[2:])]
    return answered(words)


def test_the_commands_of_the_scripting_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    assert main(["emulator", "create", "QM1", "--sample", "-q"]) == 0
    for words in shown_commands("docs/scripting.md"):
        expected = 8 if "--expect" in words else 0  # there are not 412 of them
        assert main(words) == expected, words
