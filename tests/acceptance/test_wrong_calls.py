"""What somebody types who knows runmqsc, kubectl or another tool, and what the answer is.

`wrong_calls.txt` has the lines; `tests/golden/wrong_calls.txt` what is printed, to be read as code.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.lazy import load_verb
from mqtriage.cli.frame.main import command_of
from mqtriage.cli.frame.tree import COMMANDS, GROUPS, habits, verb_of
from tests.acceptance.conftest import Bench

LINES = Path(__file__).with_name("wrong_calls.txt").read_text("utf-8").splitlines()
GOLDEN = Path(__file__).parents[1] / "golden" / "wrong_calls.txt"
MOST_WITHOUT_HELP = 5
NO_HELP = re.compile(
    r"error: (?:No such option: \S+|\S+(?: \S+)?: no such (?:verb|group): '\S+')\n"
    r"hint: (?:see|usage:) "
)
"""A refusal that names nothing to type instead."""
OF_THE_DAY = re.compile(r"20[0-9]{2}-[0-9-]+[T ][0-9:.]+Z|[0-9A-F]{48}|operation [0-9A-Z]{26}")
MEANT = re.compile(r"did you mean ((?:-?-?[a-z]+[a-z -]*(?: or )?)+)\?")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, int, str]]:
    """Each line with its exit code and what standard error had; nothing was changed by any."""
    folder = tmp_path_factory.mktemp("wrong")
    bench = Bench(folder / "home")
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.ok("queue", "ls")
    bench.ok("msg", "browse", "ORDERS.IN")
    before = bench.ok("queue", "ls", "--columns", "queue,curdepth,maxdepth").out
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        all_of_them = [(line, bench.run(*shlex.split(line))) for line in LINES]
    assert bench.ok("queue", "ls", "--columns", "queue,curdepth,maxdepth").out == before
    hidden = str(folder)
    return [
        (line, ran.code, OF_THE_DAY.sub("...", ran.err.replace(hidden, ".")))
        for line, ran in all_of_them
    ]


@pytest.mark.slow
def test_there_are_150_and_each_is_refused_in_one_line(answers: list[tuple[str, int, str]]) -> None:
    assert len(answers) >= 150
    known = {int(code) for code in ExitCode}
    for line, code, text in answers:
        assert code in known - {0}, f"{line}: exit {code}\n{text}"
        assert "Traceback" not in text, line
        assert "internal error" not in text, line
        if not line.startswith("check queue ORDERS.NONE"):
            errors = text.count("error: ") or text.count('"kind":"Error"')
            assert errors == 1, f"{line}\n{text}"
            assert "hint: " in text or '"hint":"' in text, line


def test_what_is_meant_is_there_to_be_typed(answers: list[tuple[str, int, str]]) -> None:
    for line, _code, text in answers:
        for match in MEANT.finditer(text):
            for words in match[1].split(" or "):
                assert is_there(line, words.split()), f"{line}: {words}"


def is_there(line: str, meant: list[str]) -> bool:
    """Whether there is such a command, in the group of the line or at all, or such an option."""
    path = command_of(shlex.split(line)).split()[1:]
    if meant[0].startswith("-"):
        group = GROUPS.get(path[0]) if path else None
        target = COMMANDS[path[0]] if path and path[0] in COMMANDS else None
        if group is not None:
            target = group.verbs[verb_of(group, path[1:])[0]]
        if target is None:
            return meant == ["--help"]
        params = load_verb(path[-1], target[0]).params
        return meant[0] in {word for p in params for word in (*p.opts, *p.secondary_opts)}
    if meant[0] in COMMANDS:
        return True
    if meant[0] in GROUPS and len(meant) > 1:
        return bool(verb_of(GROUPS[meant[0]], meant[1:])[1])
    return any(" ".join(meant) in {verb, verb.split()[-1]} for verb in GROUPS[path[0]].verbs)


def test_five_at_most_name_nothing_to_type_instead(answers: list[tuple[str, int, str]]) -> None:
    without = [line for line, _code, text in answers if NO_HELP.search(text)]
    assert len(without) <= MOST_WITHOUT_HELP, without


def test_what_each_is_told_is_as_it_was_agreed(
    answers: list[tuple[str, int, str]], request: pytest.FixtureRequest
) -> None:
    text = "".join(
        f"$ mqtriage {line}\n{answer.rstrip()}\nexit {code}\n" for line, code, answer in answers
    )
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


def test_habits_lead_to_what_there_is() -> None:
    verbs = {word for group in GROUPS.values() for verb in group.verbs for word in verb.split()}
    for meant in habits("verb").values():
        assert set(meant.replace(";", " ").split()) <= verbs, meant
    for habit, commands in habits("command").items():
        for first, *rest in map(str.split, commands.split("; ")):
            assert first in COMMANDS or verb_of(GROUPS[first], rest)[1], habit
        assert habit not in GROUPS, habit
        assert habit not in COMMANDS, habit
    options = {
        word
        for group in (*GROUPS.values(), *[])
        for target, _ in group.verbs.values()
        for param in load_verb("x", target).params
        for word in (*param.opts, *param.secondary_opts)
    }
    for meant in habits("option").values():
        assert set(meant.split()) <= options, meant
    for habit, hint in habits("noun verb").items():
        noun, verb = habit.split(maxsplit=1)
        assert verb not in GROUPS[noun].verbs, habit
        for line in re.split(", (?:then|or) ", hint):
            program, first, *rest = shlex.split(line)
            assert program == "mqtriage", habit
            is_verb = first in COMMANDS or GROUPS[first].default or verb_of(GROUPS[first], rest)[1]
            assert is_verb, habit
            assert {word for word in rest if word.startswith("--")} - {"--"} <= options, habit


def test_former_spellings_that_scripts_of_the_field_use_still_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path / "home")
    Path("q.mqsc").write_text("DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\n")
    Path("a").write_bytes(b"one")
    Path("b").write_bytes(b"two")
    bench.ok("emulator", "create", "D1")
    bench.ok(*shlex.split("emulator load-mqsc D1 q.mqsc --quiet"))
    bench.ok(*shlex.split("emulator lab seed D1 a b --format MQSTR --to DLQ --ccsid 819 --quiet"))
    assert bench.ok("msg", "browse", "DLQ", "-m", "D1", "-o", "csv").out.count("MQSTR") == 2
    bench.ok(*shlex.split("dlq causes -m D1 --emit-rules"))
    for line in ("emulator --help", "emulator lab --help", "dlq causes --help-all"):
        shown = bench.ok(*shlex.split(line)).out
        assert not any(word in shown for word in ("load-mqsc", "seed", "--emit-rules")), line
