"""The examples of the concept pages: each runs, and what the page shows is what it prints."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from mqtriage.cli.frame.lazy import load_verb
from mqtriage.cli.frame.tree import GROUPS, verb_of
from tests.acceptance.conftest import Bench

MAN = Path(__file__).parent.parent.parent / "man"
PAGES = sorted(MAN.glob("*.7"))


class Example(NamedTuple):
    """A command line, and the output that the page shows; None where it shows none."""

    command: str
    output: list[str] | None


def examples(page: Path) -> list[Example]:
    """The commands of the section EXAMPLES; those behind a ``$`` have their output below them."""
    part = page.read_text("utf-8").partition(".SH EXAMPLES\n")[2].partition("\n.SH ")[0]
    return [
        example
        for block in re.findall(r"^\.nf\n(.*?)^\.fi$", part, re.MULTILINE | re.DOTALL)
        for example in _of_block(block.replace("\\-", "-").replace("\\(aq", "'").splitlines())
    ]


def _of_block(lines: list[str]) -> Iterator[Example]:
    if not lines[0].startswith("$ "):
        yield from (Example(line, None) for line in lines)
        return
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield Example(lines[start].removeprefix("$ "), lines[start + 1 : end])


ALL = [
    pytest.param(example, id=f"{page.stem} {example.command}")
    for page in PAGES
    for example in examples(page)
]


@pytest.fixture
def sample(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1", "--clock", "frozen", "--sample")
    return bench


def made_real(bench: Bench, command: str) -> list[str]:
    """The command with a MsgId that is staged in place of the shortened one."""
    if "ID:414D51..." in command:
        staged = bench.ok("delay", "browse", "-o", "json").items
        command = command.replace("ID:414D51...", staged[0]["original_msg_id"])
    return shlex.split(command)


def test_every_concept_page_has_examples_and_shows_output() -> None:
    for page in PAGES:
        page_examples = examples(page)
        assert len(page_examples) >= 3, page.name
        assert any(example.output for example in page_examples), page.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_names_exists_with_its_options(page: Path) -> None:
    text = page.read_text("utf-8").replace("\\-", "-")
    named = re.findall(
        r"(?:\\fB|^(?:\$ )?)mqtriage ([a-z]+) ([a-z]+)(.*?)(?:\\fR|$)", text, re.MULTILINE
    )
    assert len(named) > 4
    for group, verb, rest in named:
        verb = verb_of(GROUPS[group], [verb, *rest.split()[:1]])[0]
        target, _ = GROUPS[group].verbs[verb]
        known = {name for param in load_verb(verb, target).params for name in param.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known, (group, verb)


@pytest.mark.parametrize("example", ALL)
def test_an_example_runs_and_prints_what_the_page_shows(sample: Bench, example: Example) -> None:
    program, *arguments = made_real(sample, example.command)
    assert program == "mqtriage"
    ran = sample.ok(*arguments)
    if example.output is not None:
        assert ran.out.splitlines() == example.output
