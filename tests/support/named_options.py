"""Options that a text names: each must be one of the verb that it is named with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from mqtriage.cli.frame.lazy import load_verb
from mqtriage.cli.frame.tree import COMMANDS, GROUPS

OWN: Final = {"--help", "--help-all", "--version"}
_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
_COMMAND: Final = re.compile(r"\bmqtriage +([a-z-][^\n`]*)")
_IN_LINE: Final = re.compile(r"`([a-z][a-z|]* [^`\n]+)`")
_ENDS: Final = re.compile(r" \| |;|&&|\bmqtriage\b|\$\(|  # ")
_TAKE_A_VALUE: Final = ("-m", "--qmgr", "--context", "-o")


def commands() -> list[str]:
    """``delay browse`` and all others."""
    verbs = [f"{noun} {verb}" for noun, group in GROUPS.items() for verb in group.verbs]
    return [*verbs, *COMMANDS]


def params_of(command: str) -> list[Any]:
    """What ``delay browse`` takes, as typer has it."""
    noun, _, verb = command.partition(" ")
    target = GROUPS[noun].verbs[verb][0] if verb else COMMANDS[noun][0]
    params: list[Any] = load_verb(verb or noun, target).params
    return params


@cache
def options_of(command: str) -> Mapping[str, frozenset[str]]:
    """Option to its choices (none where any value is accepted), of ``delay browse``."""
    options: dict[str, frozenset[str]] = {}
    for param in params_of(command):
        parameter = getattr(param, "parameter", None)  # typer's own --help has none
        choices = frozenset(parameter.opt.choices) if parameter else frozenset()
        options |= dict.fromkeys((*param.opts, *param.secondary_opts), choices)
    return options


def commands_with(option: str) -> list[str]:
    """Those that have an option."""
    return [command for command in commands() if option in options_of(command)]


@cache
def every_option() -> frozenset[str]:
    """Those of all verbs."""
    return frozenset(option for command in commands() for option in options_of(command))


def unknown(text: str) -> Iterator[tuple[int, str]]:
    """(line, option) of words that are an option of no verb."""
    for match in _OPTION.finditer(text):
        if match[0] not in every_option() and match[0] not in OWN:
            yield text.count("\n", 0, match.start()) + 1, match[0]


def misplaced(text: str) -> Iterator[tuple[int, str]]:
    """(line, what is wrong) of command lines that name an option which their verb does not have.

    A command line begins with ``mqtriage``, or is what is in backticks; brackets are left out, and
    ``move|purge`` is both.
    """
    text = text.replace("\\\n", " ")
    matches = [*_COMMAND.finditer(text), *_IN_LINE.finditer(text)]
    for match in matches:
        line = re.sub(r"[\[\]]", "", _ENDS.split(match[1])[0])
        for problem in _wrong(line.split()):
            yield text.count("\n", 0, match.start()) + 1, problem


def _wrong(words: list[str]) -> Iterator[str]:
    while words and words[0][0] == "-":  # those of every command
        words = words[2 if words[0] in _TAKE_A_VALUE else 1 :]
    for command in named_commands(words):
        options = options_of(command)
        for at, word in enumerate(words):
            match = re.match(r"--[a-z][a-z-]*[a-z]|-[a-zA-Z](?![\w-])", word)
            if match is None or match[0] in OWN:
                continue
            if match[0] not in options:
                yield f"{command} has no {match[0]}: {' '.join(words)}"
            elif (choices := options[match[0]]) and word == match[0]:
                value = "".join(words[at + 1 : at + 2]).strip("'\"`.,:)")
                if re.fullmatch(r"[a-z][a-z|-]+", value) and not choices >= {*value.split("|")}:
                    yield f"{command} {match[0]} has no {value}: {' '.join(words)}"


def named_commands(words: list[str]) -> list[str]:
    """The commands that a line begins with: ``msg move|purge Q`` names two; else none."""
    plain = [word.strip(".,:()") for word in words[:3]]
    nouns = plain[0].split("|") if plain else []
    if not nouns or not all(noun in GROUPS or noun in COMMANDS for noun in nouns):
        return []
    commands: list[str] = []
    for noun in nouns:
        if noun not in GROUPS:
            commands.append(noun)
            continue
        verbs = GROUPS[noun].verbs
        both = " ".join(plain[1:3])
        several = plain[1].split("|") if len(plain) > 1 else []
        if both in verbs:
            commands.append(f"{noun} {both}")
        elif several and all(verb in verbs for verb in several):
            commands += [f"{noun} {verb}" for verb in several]
        elif GROUPS[noun].default:
            commands.append(f"{noun} {GROUPS[noun].default}")
    return commands


def without_roff(text: str) -> str:
    """A manual page as plain lines; the words behind a command of the synopsis are in its line."""
    text = re.sub(r'^\.\\".*\n', "", text, flags=re.MULTILINE)
    text = re.sub(r"^(\.B mqtriage .*)\n(?!\.)", r"\1 ", text, flags=re.MULTILINE)
    for escape, plain in (("\\-", "-"), ("\\(aq", "'"), ("\\&", ""), ("\\e", "\\")):
        text = text.replace(escape, plain)
    return re.sub(r"^\.(?:BR?|IR?) +", "", re.sub(r"\\f[BIR]", "", text), flags=re.MULTILINE)


def text_of(path: Path) -> str:
    """A page or table without what its form adds."""
    text = path.read_text("utf-8")
    return without_roff(text) if path.suffix in {".1", ".7"} else text


def texts_in(tree: Any) -> Iterator[tuple[int, str]]:
    """(line, text) of the strings of a module; what is put into one is X."""
    import ast

    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
