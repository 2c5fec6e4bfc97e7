"""Groups that load late, help that fits, and names that were mistyped."""

from __future__ import annotations

import io
import re

import pytest

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.lazy import help_width, load_verb, program_apart, read_help
from mqtriage.cli.frame.main import main
from mqtriage.cli.frame.options import ConnectionOptions, Output, Safety
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.cli.frame.verb import takes
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import argument
from tests.support.application import app_for_test
from tests.support.scale import for_all
from tests.unit.cli.conftest import Run, text_of


@takes(SelectionOptions, Safety, ConnectionOptions, Output)
def example(
    app: AppContext,
    source: str = argument("FROM", help="Queue to take from."),
    target: str = argument("TO", help="Queue to put to.", default=""),
) -> None:
    """Try it.

    A paragraph that is
    wrapped.

    Examples:
        mqtriage try it ORDERS.BO ORDERS.IN --older-than 30d --where "format = 'MQSTR'" --yes
    """


def test_a_docstring_is_taken_apart() -> None:
    help_parts = read_help("Do it.\n\nOne\ntwo.\n\nThree.\n\nExamples:\n    a b\n    c")
    assert help_parts == ("Do it.", ("One two.", "Three."), ("a b", "c"))


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("option", ["--help", "--help-all"])
def test_help_fits_the_terminal(run: Run, columns: int, option: str) -> None:
    ran = run(example, option, environ={"COLUMNS": str(columns)})
    assert ran.code == 0
    out = ran.out
    assert max(map(len, out.splitlines())) <= columns
    pasted = re.sub(r" \\\n +", " ", out)  # as a shell reads it
    assert "ORDERS.IN --older-than 30d --where \"format = 'MQSTR'\" --yes\n" in pasted
    assert ("\\\n" in out) == (columns < 200)


@pytest.mark.seed("CARD-28")
def test_all_help_has_the_options_under_their_headings(run: Run) -> None:
    out = run(example, "--help-all").out
    headings = ["Examples:", "Arguments:", "Options:", "Selection:", "Safety:", "Connection:"]
    assert [line for line in out.splitlines() if line in headings] == headings
    assert "[OPTIONS] FROM [TO]" in out
    assert "A paragraph that is wrapped." in out
    assert "8 refused" in out


SCREEN = 22
"""Rows of help on a terminal of 24 that `less -F` leaves without waiting for a key."""


def rows_of(lines: list[str]) -> int:
    """Rows on a terminal of 80 columns: an example that is wider takes two."""
    return sum(max(1, -(-len(line) // 80)) for line in lines)


def help_of(*words: str, option: str = "--help") -> list[str]:
    app = app_for_test(environ={"COLUMNS": "80"})
    assert main([*words, option], app) == 0
    return text_of(app.output.stdout).splitlines()


VERBS = [
    *((name, *verb.split()) for name, group in GROUPS.items() for verb in group.verbs),
    *((name,) for name in COMMANDS),
]
MANY_OF_ITS_OWN = 11
"""Lines of arguments and options of a verb that leave no room for the rest of a screen."""


def test_help_of_a_verb_is_what_is_its_own_on_one_screen() -> None:
    """Where its own options leave room for usage, purpose and an example."""
    long = {}
    for words in VERBS:
        lines = help_of(*words)
        assert lines[0].startswith(f"Usage: mqtriage {' '.join(words)} ")
        assert "Connection:" not in lines and "Output:" not in lines
        assert any(line.startswith("  mqtriage ") for line in lines), words
        assert " ".join(lines[-2:]).endswith("exit codes."), words
        own = [line for line in lines if line.startswith("  ") and "  mqtriage " not in line]
        if rows_of(lines) > SCREEN:
            long[words] = len(own)
    assert {words: own for words, own in long.items() if own < MANY_OF_ITS_OWN} == {}


def test_short_help_has_few_options_and_a_line_for_what_all_share() -> None:
    """Selecting, safety, the queue manager and output have a line each, where the verb has them."""
    for words in VERBS:
        name, target = " ".join(words[1:]) or words[0], ""
        group = GROUPS[words[0]].verbs if words[0] in GROUPS else COMMANDS
        target = group[name][0]
        params = load_verb(name, target).params
        lines = help_of(*words)
        rows = [line for line in lines if line.startswith("  -")]
        own = [it for it in params if it.opts[0][0] == "-" and not it.rich_help_panel]
        assert len(rows) in ({len(own)} if len(own) < 4 else {len(own), 4, 3, 2}), words
        assert len(rows) <= 5, words
        every = {word for it in params for word in it.opts}
        for start, option in (
            ("Select:  --older-than 2h", "--younger-than"),
            ("Safety:  -n (only show)  --yes", "--dry-run"),
            ("Connect: -m QM1", "--qmgr"),
            ("Output:  -o json", "--sort"),
        ):
            there = [line for line in lines if start in line]
            assert len(there) == (option in every), (words, start)
        for row in lines:
            if row.startswith("  also "):
                assert set(row.removeprefix("  also ").rstrip(",").split(", ")) <= every
        required = [it.opts[-1] for it in own if it.required]
        assert all(any(word in row for row in rows) for word in required), words


def test_short_help_shows_what_is_used_daily() -> None:
    short = "\n".join(help_of("msg", "move"))
    assert "--add-dlh REASON" in short
    assert "also --new-msgid, --expiry, --headers, --message-context" in short
    assert "--where" in short and "-n (only show)" in short and "--plan FILE" in short
    assert "mqtriage msg move ORDERS.IN --to ORDERS.HOLD --older-than 2h -n" in short
    assert "Connect: -m QM1,QM2  -m 'PROD*'" in "\n".join(help_of("queue", "ls"))


def test_short_help_of_a_verb_that_takes_all_queues_says_that_it_browses() -> None:
    browsing: set[tuple[str, ...]] = set()
    for words in VERBS:
        group = GROUPS[words[0]].verbs if words[0] in GROUPS else COMMANDS
        params = load_verb(words[-1], group[" ".join(words[1:]) or words[0]][0]).params
        options = {it.opts[-1] for it in params if not getattr(it, "rich_help_panel", None)}
        if "--no-expiry-effects" in options and not any(it.required for it in params):
            assert "  --no-expiry-effects" in "\n".join(help_of(*words)), words
            browsing.add(words)
    for words in (("incident",), ("snapshot", "take"), ("backout", "pending")):
        assert words in browsing
        short = " ".join(" ".join(help_of(*words)).split())
        assert "Queues to browse" in short, words
    assert "To count without browsing: backout ls, expiry status." in short


@pytest.mark.slow
def test_all_help_has_what_the_short_one_has() -> None:
    for words in VERBS:
        full = help_of(*words, option="--help-all")
        daily = ("Select: ", "Safety: ", "Connect: ", "Output: ", "  also ", "       --")
        short = [it for it in help_of(*words)[:-2] if not it.startswith(daily)]
        # a column of options is as wide as its longest one
        missing = set(" ".join(short).split()) - set(" ".join(full).split())
        assert not missing, words
        assert len(full) > len(help_of(*words)[:-1])


def test_short_help_says_where_the_rest_is(run: Run) -> None:
    last = run(example, "-h", environ={"COLUMNS": "100"}).out.splitlines()[-1]
    assert last == "--help-all also shows all options and exit codes."


@pytest.mark.parametrize("words", [(), ("msg",), ("dlq",)])
def test_all_help_of_a_group_has_a_row_for_each_command(words: tuple[str, ...]) -> None:
    rows = read_rows(help_of(*words, option="--help-all"))
    assert list(rows) == (list(GROUPS[words[0]].verbs) if words else [*GROUPS, *COMMANDS])


@pytest.mark.parametrize("words", [(), ("queue",), ("queue", "ls"), ("dlq", "rules"), ("top",)])
def test_h_is_help(words: tuple[str, ...]) -> None:
    assert help_of(*words, option="-h") == help_of(*words)


@pytest.mark.parametrize(
    "words", [(), *((name,) for name in GROUPS), ("dlq", "rules"), ("emulator", "lab")]
)
def test_help_of_a_group_fits_a_screen_and_has_examples(words: tuple[str, ...]) -> None:
    lines = help_of(*words)
    assert rows_of(lines) <= SCREEN, "join verbs in one row: `together` in cli/frame/groups.tsv"
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("  mqtriage ") for line in lines)


@pytest.mark.parametrize("name", GROUPS)
def test_help_of_a_group_has_each_verb_in_one_row(name: str) -> None:
    group = GROUPS[name]
    rows = read_rows(help_of(name))
    verbs = {
        f"{first} ..." if (first := verb.split()[0]) in group.parts else verb
        for verb in group.verbs
    }
    assert sorted(", ".join(rows).split(", ")) == sorted(verbs)
    shared = {words.replace(" ", ", "): line for words, line in group.together.items()}
    shared |= {f"{first} ...": line for first, line in group.parts.items()}
    for names, line in rows.items():
        assert line == (shared.get(names) or group.verbs[names][1])


@pytest.mark.parametrize(
    ("name", "first"), [(name, first) for name, group in GROUPS.items() for first in group.parts]
)
def test_help_of_a_part_has_its_line_and_each_verb(name: str, first: str) -> None:
    lines = help_of(name, first)
    assert GROUPS[name].parts[first] in lines
    verbs = [verb.split()[1] for verb in GROUPS[name].verbs if verb.split()[0] == first]
    assert list(read_rows(lines)) == verbs


def test_help_of_the_root_has_each_group_and_command_in_one_row() -> None:
    rows = read_rows(help_of())
    assert sorted(", ".join(rows).split(", ")) == sorted((*GROUPS, *COMMANDS))


def read_rows(lines: list[str]) -> dict[str, str]:
    """Names to text of the rows under "Commands:", put together where they are wrapped."""
    rows: list[list[str]] = []
    for line in lines[lines.index("Commands:") + 1 :]:
        if not line:
            break
        names, _, text = line[2:].partition("  ")
        if names:
            rows.append([names, text.strip()])
        else:
            rows[-1][1] += f" {text.strip()}"
    return {row[0]: row[1] for row in rows}


VERBS = [(name, *verb.split()) for name, group in GROUPS.items() for verb in group.verbs]
VERBS += [(name,) for name in COMMANDS]


@for_all(VERBS)
def test_the_first_screen_of_a_verbs_help_has_usage_purpose_and_examples(
    words: tuple[str, ...],
) -> None:
    lines = help_of(*words)
    end = next(at for at, line in enumerate(lines) if at > lines.index("Examples:") and not line)
    assert end <= SCREEN
    assert lines[0].startswith(f"Usage: mqtriage {' '.join(words)} ")
    last = next(at for at in range(end - 1, 0, -1) if not lines[at - 1].endswith(" \\"))
    assert lines[last].startswith("  mqtriage ")


def test_an_option_named_in_the_text_of_help_is_not_broken() -> None:
    for words in VERBS:
        assert not [line for line in help_of(*words) if line.endswith("-") and line[-2:] != " -"]


@pytest.mark.seed("CARD-01")
def test_mqtriage_alone_shows_where_to_start() -> None:
    app = app_for_test(environ={"MQTRIAGE_HOME": "/no/such/folder"})
    assert main([], app) == 0
    assert isinstance(app.output.stdout, io.StringIO)
    out = app.output.stdout.getvalue()
    assert "mqtriage emulator create DEMO --sample" in out
    assert all(name in out for name in GROUPS)


@pytest.mark.parametrize(
    ("args", "problem", "see"),
    [
        (["delya"], "did you mean delay?", "see mqtriage --help"),
        (["backuot", "ls"], "did you mean backout?", "see mqtriage --help"),
        (["delay", "brwose"], "did you mean browse?", "see mqtriage delay --help"),
        (["purge"], "did you mean msg purge, backout purge, expiry purge or dlq purge?", "--help"),
        (["requeue"], "did you mean backout requeue or dlq requeue?", "see mqtriage --help"),
        (["qqqq"], "no such command: 'qqqq'", "see mqtriage --help"),
        (["delay"], "which verb? define, status", "see mqtriage delay --help"),
        (["-m", "QM1"], "which group? emulator", "see mqtriage --help"),
        (["--bogus"], "--bogus", "see mqtriage --help"),
        (["version", "--quite"], "--quiet", "see mqtriage version --help"),
        (["rc"], "CODE|NAME", "see mqtriage rc --help"),
        (["version", "-o"], "requires an argument", "see mqtriage version --help"),
        (["version", "extra"], "extra", "see mqtriage version --help"),
    ],
)
def test_wrong_usage_is_one_line_and_where_to_look(args: list[str], problem: str, see: str) -> None:
    app = app_for_test()
    assert main(args, app) == 2
    error, hint = text_of(app.run.stderr).splitlines()
    assert error.startswith("error: ")
    assert problem in error
    assert see in hint
    assert text_of(app.output.stdout) == ""


def test_a_group_is_not_found_by_an_abbreviation() -> None:
    assert main(["del", "--help"], app_for_test()) == 2


def test_the_width_of_help_follows_the_terminal_within_reason() -> None:
    assert help_width(40) == 39
    assert help_width(500) == 99
    assert help_width(1) == 30


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("QM1 pytest -q", "QM1 -- pytest -q"),
        ("QM1 -- pytest -q", "QM1 -- pytest -q"),
        ("--sdk DIR QM1 ./prog -o json", "--sdk DIR QM1 -- ./prog -o json"),
        ("QM1 --tcp 1414 java -jar app.jar -m X", "QM1 --tcp 1414 -- java -jar app.jar -m X"),
        ("--tcp QM1 sh -c true", "--tcp QM1 -- sh -c true"),
        ("QM1 --help", "QM1 --help"),
        ("QM1", "QM1"),
    ],
)
def test_the_options_of_a_program_are_its_own(line: str, expected: str) -> None:
    params = load_verb("run", GROUPS["emulator"].verbs["run"][0]).get_params(None)
    assert program_apart(line.split(), params) == expected.split()
