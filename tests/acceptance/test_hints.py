"""What a hint says can be pasted into a shell, and does not lead round the reason above it."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import mqtriage.cli
from mqtriage.cli.frame.verb import with_words
from tests.acceptance.conftest import Bench
from tests.acceptance.test_every_command import PATHS, line_of
from tests.support.scale import SCALE

CODE = Path(mqtriage.cli.__path__[0]).parent
NAMES = ("x; touch y", "*[z]", "a b", "$(id)")
QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")
NOT_WALKED = {"analyze", "top", "lsp", "mcp"}
"""They start Java, or a terminal."""

LINES = (
    ("msg archive Q --out NAME --compress", "--out"),
    ("lint NAME.mqsc --baseline NAME.base", "lint baseline"),
    ("dlq run -f NAME.rules --yes", "dlq rules"),
    ("msg purge Q --yes --limit 1 --plan NAME.plan", "mqtriage apply"),
    ("queue define Q -m NAME --yes", "emulator create"),
    ("dlq run -f of-another.rules --yes", "INPUTQM"),
)
"""Lines whose hint names what was given, and words of that hint."""

CONSENT = {
    "{}--allow-reports sends these reports": "the user may want the reports",
    "--reports strip; --allow-reports sends these reports": "likewise",
    "a confirmation on delivery (COD) is requested, which needs --allow-reports": "likewise",
    "--allow-duplicates puts them again, --new-msgid puts them as new messages": "a choice",
    "--skip-damaged loads the undamaged messages": "the damaged ones stay in the file",
    "add --allow-remote, with --tls-cert and --tls-key or with --passwords": "with what is safe",
    "--experimental relies on assumed bytes and archives the staged message; "
    "delay cancel --to QUEUE parks it unchanged": "nothing is lost: it is archived",
    ", with --experimental": "behind --assume-ddh due, likewise",
    "--assume-ddh due treats the time in the delay header as the due time{}": "reads, or the above",
    "name one; mqtriage journal prune ID --unfinished removes one permanently": "says what is lost",
    "{} removed with --no-backup, so no archive can prove it": "offers nothing: says what was done",
    "{} kept, which can be resumed; --unfinished removes {} too": "likewise",
    "{} kept: unfinished, or can still be resumed; --unfinished removes {} too": "likewise",
    "to change only these keys: {}; --replace alone drops all others": "a context, named again",
    "--accept-likely uses {}, the only queue whose BOQNAME names this queue": "says why it is "
    "likely",
    "{} with no JMS destination other than this queue: {} is likely, the only queue whose BOQNAME "
    "names this queue (--accept-likely)": "likewise, of a plan",
    "--accept-likely: only with --to origin": "refuses it",
    "for {} of them, --accept-likely uses the only queue with more of their program": "says why "
    "it is likely",
    "{} with no JMS destination other than this queue: likely from the only queue with messages of "
    "their program (--accept-likely)": "likewise, of a plan",
    "--allow-remote needs TLS or passwords": "refuses it",
    "--assume-ddh due: removing messages by an assumed due time needs --experimental too": "no",
    "{}: not with --no-backup, because --experimental may be wrong": "refuses it",
    "--no-backup is not allowed {}": "refuses it",
    "--replace": "the option itself",
    "--force": "what others call --yes, which takes no guard off",
    "--assume-yes": "likewise",
    "pip install --force-reinstall {}": "of pip, which says no such thing as a guard",
}
"""Each text of the program, hint or other, with an option that takes a guard off: why it may."""
TAKES_OFF = re.compile(
    r"--(?:allow-[a-z-]+|accept-[a-z-]+|assume-[a-z-]+|yes-[a-z-]+|no-backup|experimental|purge"
    r"|unfinished|replace|force|skip-[a-z]+)\b"
)


def unquoted(err: str, name: str) -> list[str]:
    """The hints that have the name as a shell would take it apart."""
    return [
        line
        for line in err.splitlines()
        if line.startswith("hint: ") or "; mqtriage " in line
        if name in QUOTED.sub("", line)
    ]


@pytest.mark.parametrize("path", [path for path in PATHS if path.split()[0] not in NOT_WALKED])
@pytest.mark.slow
def test_a_name_is_quoted_in_the_hint_of_whatever_fails(filled_copy: Bench, path: str) -> None:
    words = shlex.split(line_of(path))
    for at in range(len(path.split()), len(words)):
        if words[at].startswith("-"):
            continue
        for name in NAMES if SCALE == "all" else NAMES[at % len(NAMES) :][:1]:
            ran = filled_copy.run(*words[:at], name, *words[at + 1 :])
            assert unquoted(ran.err, name) == [], shlex.join(words)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("line", "hint"), LINES)
@pytest.mark.slow
def test_a_hint_that_names_what_was_given_quotes_it(
    filled_copy: Bench, line: str, hint: str, name: str
) -> None:
    filled_copy.define("Q")
    filled_copy.ok("msg", "put", "Q", "x", "--yes")
    Path(f"{name}.mqsc").write_text("DEFINE QLOCAL(A)\n", "utf-8")
    Path(f"{name}.base").write_text("[]", "utf-8")
    Path(f"{name}.rules").write_text("ACTION(NOPE)\n", "utf-8")
    manager = name.replace(" ", "").replace(";", "").replace("(", "").replace(")", "")
    Path("of-another.rules").write_text(f"INPUTQM('{manager}')\nACTION(RETRY)\n", "utf-8")
    ran = filled_copy.run(*(word.replace("NAME", name) for word in line.split()))
    assert hint in ran.err, ran.err
    assert unquoted(ran.err, name) == []


def texts(node: ast.AST) -> str:
    """The text of a string, with {} for what is inserted; "" for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(texts(part) or "{}" for part in node.values)
    return ""


def trees() -> Iterator[ast.Module]:
    """Every file of the program."""
    for top in sorted(path for path in CODE.iterdir() if path.is_dir()):
        for file in top.resolve().rglob("*.py"):
            yield ast.parse(file.read_text("utf-8"))


def spoken() -> Iterator[str]:
    """Every text in the code that is no docstring and no help of an option; what habits mean."""
    habits = CODE / "cli" / "frame" / "habits.tsv"
    yield from (cell for row in habits.read_text("utf-8").splitlines() for cell in row.split("\t"))
    for tree in trees():
        others: set[ast.AST] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                others.update(node.values)
            elif isinstance(node, ast.Expr) or (
                isinstance(node, ast.keyword) and node.arg == "help"
            ):
                others.add(node.value)
        yield from (texts(node) for node in ast.walk(tree) if node not in others)


@pytest.mark.slow
def test_no_hint_offers_an_option_that_takes_the_guard_off_which_refused() -> None:
    offering = {text for text in spoken() if TAKES_OFF.search(text)}
    assert offering == CONSENT.keys()


OF_OBJECTS = {"name", "queue", "local", "target", "pattern", "path", "queue_manager"}
"""What variables with the name of an object are called; a quoted one has another name."""


@pytest.mark.slow
def test_a_command_in_a_text_has_every_name_quoted() -> None:
    unquoted_names = {
        ast.unparse(node)
        for tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for before, value in pairwise(node.values)
        if isinstance(value, ast.FormattedValue)
        and ast.unparse(value.value).rpartition(".")[2] in OF_OBJECTS
        and re.search(r"\bmqtriage [a-z][^;:,]* $", texts(before))
    }
    assert unquoted_names == set()


def test_a_refused_browse_leads_to_what_shows_it_on_the_same_queue_managers(bench: Bench) -> None:
    bench.ok("emulator", "create", "FARM1")
    bench.ok("emulator", "create", "FARM2")
    for manager in ("FARM1", "FARM2"):
        bench.ok("queue", "define", "OWN", "-m", manager, "--yes")
    for line, hint in {
        "backout pending -m 'FARM*'": "backout ls -m 'FARM*' '*'",
        "backout pending 'O*' -m FARM1": "backout ls -m FARM1 'O*'",
        "backout causes 'O*' -m FARM1,FARM2": "expiry status -m FARM1,FARM2 'O*'",
        "msg browse 'O*' Q -m FARM1": "expiry status -m FARM1 'O*'",
        "dlq browse -m 'FARM*'": "expiry status -m 'FARM*'",
        "expiry reports -m 'FARM*'": "expiry status -m 'FARM*'",
        "expiry sweep OWN -m FARM2 --yes": "expiry status -m FARM2 OWN",
        "delay browse -m FARM1": "delay status -m FARM1",
        "delay browse --group target -m 'FARM*'": "delay status -m 'FARM*'",
    }.items():
        ran = bench.run(*shlex.split(line), "--no-expiry-effects")
        assert (ran.code, f"hint: mqtriage {hint} " in ran.err) == (8, True), f"{line}: {ran.err}"
        bench.ok(*shlex.split(hint))


@pytest.mark.parametrize("line", ["expiry reports", "dlq browse"])
def test_a_refused_browse_of_a_queue_not_known_yet_names_no_object(bench: Bench, line: str) -> None:
    ran = bench.run(*line.split(), "--no-expiry-effects", "-o", "json")
    assert (ran.code, json.loads(ran.err)["object"]) == (8, None)


def test_a_hint_for_several_queue_managers_has_a_placeholder_where_a_verb_takes_one() -> None:
    text = "mqtriage queue ls 'A*'; mqtriage queue set A GET=ENABLED"
    assert with_words(text, "-m 'FARM*'", several=True) == (
        "mqtriage queue ls -m 'FARM*' 'A*'; mqtriage queue set -m QMGR A GET=ENABLED"
    )


MEANT = {
    "msg purge IN --force": "did you mean --yes?",
    "msg browse IN --since 2h": "did you mean --younger-than?",
    "msg browse IN --newer-than 2h": "did you mean --younger-than?",
    "msg browse IN --format MQSTR": "did you mean -o json or --md-format?",
    "msg put IN x --format MQSTR": "did you mean -o json or --md-format?",
    "msg move IN OUT": "'--to'",
    "lint a.mqsc --fix": "mqtriage lint fix",
    "lint --explain BKO001": "mqtriage lint explain",
    "lint a.mqsc --output-file x": "did you mean --out?",
    "queue list": "did you mean ls?",
    "msg get IN": "did you mean show or browse?",
    "msg delete IN": "did you mean purge?",
    "msg strip IN": "did you mean move?",
    "dlq retry": "did you mean requeue?",
    "delay release 0012": "select messages by options, such as --msgid ID; usage: mqtriage delay",
    "delay reschedule --in 5m": "did you mean --delay?",
    "backout show BO": "mqtriage msg show QUEUE MSGID",
    "dlq show ID": "mqtriage msg show QUEUE MSGID",
    "expiry sweep IN --older-than 1d": "a sweep discards every expired message",
    "delay cancel --all": "--limit and --where select; without them, every message is meant",
    "queue ls --all": "did you mean --system?",
    "backout set IN --bothresh 3": "did you mean --threshold?",
    "dlq ls": "did you mean browse?",
    "dlq move A B": "did you mean requeue?",
    "expiry ls": "did you mean browse or status?",
    "delay show ID": "mqtriage msg show QUEUE MSGID",
    "queue browse IN": "did you mean msg browse or delay browse?",
    "emulator status": "did you mean ls?",
    "expiry start": "did you mean emulator start or emulator create?",
    "queue create Q": "did you mean define?",
    "qmgr status": "hint: mqtriage qmgr show, or mqtriage check qmgr",
    "qmgr health": "hint: mqtriage check qmgr",
    "queue set ORDERS.IN MAXDEPTH=30000 --mqsc": "mqtriage plan FILE --out PLAN",
    "check queue --where 'depth > 0'": "mqtriage msg browse QUEUE --where CONDITION",
    "context remove prod": "did you mean rm?",
    "delay help": "mqtriage delay --help",
    "emulator lab poison": "did you mean rollback?\nhint: see mqtriage emulator lab --help",
    "emulator lab delay": "hint: there are rollback, consume, simulate, switch",
    "lab poison": "did you mean emulator lab?",
    "msg browse IN --colour": "see mqtriage msg browse --help",
}


def test_a_question_mark_in_the_name_of_a_queue_manager_says_what_is_generic(bench: Bench) -> None:
    ran = bench.run("queue", "ls", "-m", "Q?1")
    assert (ran.code, "'?' is not a wildcard, but '*' is" in ran.err) == (5, True), ran.err


def test_another_word_of_the_trade_leads_to_the_one_that_is_meant(bench: Bench) -> None:
    for line, meant in MEANT.items():
        ran = bench.run(*shlex.split(line))
        assert (ran.code, meant in ran.err) == (3 if line[:5] == "check" else 2, True), (
            f"{line}: {ran.err}"
        )


@pytest.mark.parametrize(
    "line",
    ["queue ls", "expiry status", "backout ls", "backout pending", "queue status", "msg count"],
)
def test_a_generic_name_in_small_letters_leads_to_the_queues_in_capitals(
    sample: Bench, line: str
) -> None:
    meant = "did you mean 'ORDERS.*'?"
    assert meant in sample.run(*line.split(), "orders.*").err
    assert "did you mean" not in sample.run(*line.split(), "ORDERS.*").err
    assert "did you mean" not in sample.run(*line.split(), "no.such*").err


def test_words_of_the_connection_are_added_once_and_not_to_commands_of_another() -> None:
    words = "-m QM1 --context real --backend mq --connection 'a(1),b(2)' --set x=1 --set y=2"
    rest = "--context real --backend mq --connection 'a(1),b(2)' --set x=1 --set y=2"
    for text, completed in (
        ("mqtriage msg show Q", f"mqtriage msg show {words} Q"),
        ("mqtriage msg show Q -m QM1", f"mqtriage msg show {rest} Q -m QM1"),
        ("mqtriage msg show Q -m QM2", "mqtriage msg show Q -m QM2"),
        (f"mqtriage check qmgr {words}", f"mqtriage check qmgr {words}"),
        ("mqtriage msg show Q (not with -m X)", f"mqtriage msg show {words} Q (not with -m X)"),
    ):
        assert with_words(text, words) == completed
