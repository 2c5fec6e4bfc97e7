"""The table of groups and verbs against the modules that it names."""

from __future__ import annotations

import inspect
import re
import shlex
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from mqtriage.cli.frame.lazy import load_verb, read_help
from mqtriage.cli.frame.tree import COMMANDS, GROUPS, verb_of
from tests.support.application import app_for_test

ROOT = Path(__file__).parents[4]

VERBS = {(group, verb): entry for group, it in GROUPS.items() for verb, entry in it.verbs.items()}
VERBS |= {("", name): entry for name, entry in COMMANDS.items()}


def loaded(target: str) -> Any:
    """The function of a table entry."""
    module, _, function = target.partition(":")
    return getattr(import_module(module), function)


def test_the_line_in_the_table_is_the_first_line_of_the_docstring() -> None:
    for target, line in VERBS.values():
        assert (inspect.getdoc(loaded(target)) or "").partition("\n")[0] == line, target


def test_every_verb_has_examples() -> None:
    for target, _ in VERBS.values():
        _, heading, examples = (inspect.getdoc(loaded(target)) or "").partition("Examples:")
        assert heading, target
        for text in filter(None, examples.splitlines()):
            assert re.match(r" *(echo '[^']+' [|] )?mqtriage ", text), target


def test_every_option_of_a_verb_has_help() -> None:
    for target, _ in VERBS.values():
        for param in load_verb("it", target).params:
            assert param.help, f"{target}: {param.name}"


def test_a_line_of_help_is_a_short_sentence() -> None:
    for _, line in VERBS.values():
        assert line.endswith("."), line
        assert len(line) <= 60, line


EXAMPLES = [
    *(line for group in GROUPS.values() for line in group.examples),
    *(
        line
        for target, _ in VERBS.values()
        for line in read_help(inspect.getdoc(loaded(target)) or "").examples
    ),
]


def words_of(line: str) -> list[str]:
    """The words of a command line up to where the shell takes over: a pipe, a redirection.

    What only echoes a script into mqtriage is left out.
    """
    lexer = shlex.shlex(
        re.sub(r"^echo '[^']+' [|] ", "", line), posix=True, punctuation_chars="|<>&;"
    )
    lexer.whitespace_split = True
    return list(takewhile(lambda word: not word or not set(word) <= set("|<>&;"), lexer))


def test_every_example_of_help_is_understood() -> None:
    for line in sorted(set(EXAMPLES)):
        program, name, *rest = words_of(line)
        assert program == "mqtriage", line
        if name in GROUPS:
            verb, count = verb_of(GROUPS[name], rest)
            verb = verb or GROUPS[name].default
            command = load_verb(verb, GROUPS[name].verbs[verb][0])
        else:
            count = 0
            command = load_verb(name, COMMANDS[name][0])
        try:
            command.make_context(line, rest[count:], obj=app_for_test())
        except Exception as error:
            pytest.fail(f"{line}: {error}")


def test_groups_have_examples_of_their_own() -> None:
    for name, group in GROUPS.items():
        assert group.examples, name
        assert all(text.startswith(f"mqtriage {name} ") for text in group.examples)


def test_the_index_is_what_the_script_writes() -> None:
    spec = spec_from_file_location("make_index", ROOT / "scripts" / "make_index.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.TARGET.read_text("utf-8") == script.index_text()


def test_every_file_of_verbs_is_in_the_index() -> None:
    """A group's file that nobody named, or a new command without a group, would not be found."""
    named = {target.partition(":")[0] for target, _ in VERBS.values()}
    cli = ROOT / "cli"
    files = [*cli.glob("*.py"), *(file for name in GROUPS for file in (cli / name).glob("*.py"))]
    with_verbs = {
        ".".join(("mqtriage", *file.relative_to(ROOT).with_suffix("").parts))
        for file in files
        if "\n@takes(" in file.read_text("utf-8")
    }
    assert with_verbs == named


def test_the_groups_of_the_first_part_are_there() -> None:
    expected = {"emulator", "qmgr", "queue", "msg", "delay", "backout", "expiry", "dlq"}
    assert expected <= set(GROUPS)
    assert {"rc", "version"} <= set(COMMANDS)
