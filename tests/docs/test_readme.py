"""The README and the pages of docs/: their commands run in order, and print what is shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from mqtriage import __version__
from mqtriage.cli.frame.main import main
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from tests.acceptance.conftest import Bench

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
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


# what the README shows of output ----------------------------------------------------------------


class Shown(NamedTuple):
    """A command of the README behind a ``$``, and the lines below it."""

    command: str
    output: str


def shown_output(text: str) -> list[Shown]:
    """The commands of the blocks of text, in order; ``$ cat`` shows a file."""
    return [
        Shown(*part.partition("\n")[::2])
        for block in re.findall(r"^```text\n\$ (.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for part in block.split("\n$ ")
    ]


CHANGING = (
    (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "OPERATION"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"\b\d{8}T\d{12}Z", "TIME"),
)
"""What differs from run to run, and is compared as a word of the same sort."""
DEFAULT_HOME = "~/.local/share/mqtriage"


def comparable(output: str) -> list[str]:
    for pattern, word in CHANGING:
        output = re.sub(pattern, word, output)
    return output.rstrip().splitlines()


@pytest.fixture
def scene(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Bench]:
    """The sample queue manager on a bad day, in the working directory of its operator.

    150 payments were sent with a delay to a queue with room for 100, of the orders on the backout
    queue 40 come from a country that nobody knows and 6 are cut; the other ones are well.
    """
    bench = Bench(tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    bench.ok("emulator", "create", "QM1", "--clock", "frozen", "--sample")
    bench.ok("msg", "purge", "ORDERS.BO", "--confirm", "ORDERS.BO", "--yes")
    for queue, count, body in (
        ("ORDERS.IN", 60, '{"order": {"country": "NL"}}'),
        ("ORDERS.BO", 40, '{"order": {"country": "XX"}}'),
        ("ORDERS.BO", 6, '{"order": {"coun'),
    ):
        bench.ok("msg", "put", queue, body, "--count", str(count), "--yes")
    bench.ok("queue", "set", "PAYMENTS.IN", "maxdepth=100", "--yes")
    bench.ok("delay", "put", "PAYMENTS.IN", "{}", "--delay", "8h", "--count", "150", "--yes")
    bench.ok("msg", "archive", "DEAD.LETTER.QUEUE", "--out", "dead.ndjson")
    yield bench


def test_the_readme_shows_what_its_commands_print(
    scene: Bench, pytestconfig: pytest.Config
) -> None:
    text = README.read_text("utf-8")
    shown = shown_output(text)
    assert len(shown) >= 6
    for command, output in shown:
        program, *words = shlex.split(command)
        if program == "cat":
            Path(words[0]).write_text(output, "utf-8")
            continue
        assert program == "mqtriage"
        printed = scene.run(*answered(words)).out.replace(str(scene.home), DEFAULT_HOME)
        if pytestconfig.getoption("--update-golden") and comparable(printed) != comparable(output):
            text = text.replace(f"$ {command}\n{output}", f"$ {command}\n{printed}")
        else:
            assert comparable(printed) == comparable(output), command
    if pytestconfig.getoption("--update-golden"):
        README.write_text(text, "utf-8")


def test_the_readme_has_a_row_for_each_group_and_command() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", README.read_text("utf-8"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == {*GROUPS, *COMMANDS}


def test_the_readme_says_which_version_it_is_of() -> None:
    assert f"Version {__version__}" in README.read_text("utf-8")
