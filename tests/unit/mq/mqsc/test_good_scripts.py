"""Scripts that a queue manager runs as they stand: not one diagnostic may be invented.

`good_scripts/` holds what people feed to runmqsc and CSQUTIL, in our own words: a dump in the form
of dmpmqcfg, a member of a z/OS data set, a script by hand, and each command with its synonyms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.mqsc.check import check_script
from mqtriage.mq.mqsc.format import format_script
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tree import Blank, Comment
from mqtriage.mq.mqsc.verbs import VERBS

SCRIPTS: Final = {
    path.stem: path.read_text("utf-8")
    for path in sorted((Path(__file__).parent / "good_scripts").glob("*.mqsc"))
}


def meaning(text: str) -> list[object]:
    return [
        (c.verb, c.noun, c.name and c.name.text, [(p.keyword, p.text) for p in c.parameters])
        for c in parse(text).commands
    ]


def numbered(text: str) -> str:
    """The script as records of 80 columns with a sequence number in the last eight."""
    lines = [line.ljust(72) + f"{n:06d}00" for n, line in enumerate(text.splitlines(), 1)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_good_script_has_no_diagnostics(name: str) -> None:
    assert [str(diagnostic) for diagnostic in check_script(parse(SCRIPTS[name]))] == []


@pytest.mark.parametrize(("name", "platform"), [("dump", "dist"), ("zos", "zos")])
def test_a_script_has_no_diagnostics_on_its_own_platform(name: str, platform: Platform) -> None:
    assert [str(diagnostic) for diagnostic in check_script(parse(SCRIPTS[name]), platform)] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_good_script_means_the_same_when_it_is_formatted(name: str) -> None:
    text = SCRIPTS[name]
    once = format_script(parse(text))
    assert meaning(once) == meaning(text)
    assert format_script(parse(once)) == once


def test_every_object_type_of_every_verb_stands_in_the_scripts() -> None:
    commands = parse(SCRIPTS["every_command"]).commands
    seen = {(command.verb, command.noun) for command in commands}
    queues = {"QLOCAL", "QALIAS", "QREMOTE", "QMODEL"}
    missing = {
        (verb, noun)
        for verb, nouns in VERBS.items()
        for noun in nouns
        if (verb, noun) not in seen and not (verb in ("DISPLAY", "DELETE") and noun in queues)
    }
    # DEFINE and ALTER of the queue types stand in the others
    assert missing <= {("DEFINE", queue) for queue in queues}


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_sequence_numbers_in_columns_73_to_80_are_no_text(newline: str) -> None:
    plain = SCRIPTS["zos"]
    script = parse(numbered(plain).replace("\n", newline))
    assert [str(diagnostic) for diagnostic in check_script(script, "zos")] == []
    assert meaning(script.text) == meaning(plain)
    kinds = [type(item) for item in script.items if isinstance(item, Comment | Blank)]
    assert kinds == [type(i) for i in parse(plain).items if isinstance(i, Comment | Blank)]
    assert "".join(script.raw(item) for item in script.items) == script.text


def test_eight_digits_that_end_elsewhere_stay_text() -> None:
    wide = "DEFINE QLOCAL(A) DESCR(".ljust(71, "X") + "12345678)"
    (command,) = parse(wide).commands
    assert command.error is None
    assert (command.value("DESCR") or "").endswith("12345678")
