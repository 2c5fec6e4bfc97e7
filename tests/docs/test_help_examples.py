"""The examples of help and of manual section 1 are run, on the sample and files beside it."""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Final

import pytest

from mqtriage.cli.frame.lazy import read_help
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from tests.acceptance.conftest import Bench, Ran
from tests.unit.cli.frame.test_tree import loaded

MSGID: Final = "414D5120514D31202020202020202020A1B2C3D4E5F60708"
"""Of the examples; a message of the world has it."""
WORLD: Final = """
emulator create QM1 --sample
emulator create QM2 --sample
queue define ORDERS.TEST --yes
queue define ORDERS.REPLY --yes
queue define ORDERS.COPY --yes
queue define ORDERS.HOLD --yes
queue define ORDERS.RETRY --yes
queue define ORDERS.DLQ --yes
queue define ORDERS.OLD --yes
queue define PAY.IN --yes
queue define PAY.BO --yes
queue define PARKED --yes
queue define DLQ --yes
queue define BIG.FILES --yes
msg put ORDERS.REPLY later --expiry 5m --yes
msg load ids.ndjson --to ORDERS.IN --yes
msg load ids.ndjson --to ORDERS.REPLY --yes
msg load ids.ndjson --to ORDERS.HOLD --yes
msg load ids.ndjson --to PAYMENTS.IN --yes -m QM2
msg put ORDERS.IN hello --delay 2h --yes
msg archive PAYMENTS.IN --out orders.ndjson -m QM2
msg archive PAYMENTS.IN --out orders.ndjson.gz -m QM2
msg archive ORDERS.IN --out a.ndjson
msg archive ORDERS.BO --out b.ndjson
msg archive PAYMENTS.IN --out orders.dump --format dmpmqmsg -m QM2
msg archive ORDERS.BO --out purge-ORDERS.BO.ndjson
msg archive DEAD.LETTER.QUEUE --out saved.ndjson
snapshot take --body full
snapshot take --folder {here}/var/mq/snapshots
msg purge ORDERS.HOLD --confirm ORDERS.HOLD --yes
snapshot take --body full
snapshot take --folder {here}/var/mq/snapshots
dlq rules dlq.rules --format toml
context add old -m QM1
context add prod -m QM1
context use old
context use prod
plan definitions.mqsc --out monday.plan
"""
RULE: Final = """[[rule]]
id = "BNK001"
message = "a queue has room for a hundred messages"
objects = { type = "QLOCAL" }
condition = "maxdepth >= 100"
good = ["DEFINE QLOCAL(A) MAXDEPTH(100)"]
bad = ["DEFINE QLOCAL(A) MAXDEPTH(1)"]
"""
FILES: Final = {
    "dlq.rules": "INPUTQ('DEAD.LETTER.QUEUE')\nREASON(MQRC_Q_FULL) ACTION(RETRY)\nACTION(IGNORE)\n",
    "dlq.toml": 'format = "mqtriage-rules/1"\n[[rule]]\naction = "retry"\n',
    "poison.toml": 'format = "mqtriage-rules/1"\n[[rule]]\naction = "ignore"\n'
    '[[test]]\nmessages = "saved.ndjson"\naction = "ignore"\n',
    "dlq-tests.toml": 'format = "mqtriage-rules/1"\n[[test]]\nmessages = "saved.ndjson"\n'
    'where = "reason = MQRC_Q_FULL"\naction = "retry"\n',
    "definitions.mqsc": "DEFINE QLOCAL(NEW.IN)\n",
    "base.mqsc": "DEFINE QLOCAL(BASE)\n",
    "orders.mqsc": "DEFINE QLOCAL(NEW.ORDERS)\n",
    "qm1.mqsc": "DEFINE QLOCAL(ORDERS.IN) BOTHRESH(3)\n",
    "clear.mqsc": "CLEAR QLOCAL(ORDERS.OLD)\n",
    "queries.mqsc": "DISPLAY QLOCAL(ORDERS.IN)\n",
    "old.mqsc": "define qlocal(a)\n",
    "qmgrs/qm1.mqsc": "DEFINE QLOCAL(A)\n",
    "definitions/QM1/qm1.mqsc": "DEFINE QLOCAL(A)\n",
    "defs/qm1.mqsc": "DEFINE QLOCAL(A)\n",
    "definitions/QM1/prod/qm1.mqsc": "DEFINE QLOCAL(PROD)\n",
    "desired/QM1/qm1.mqsc": "DEFINE QLOCAL(A)\n",
    "desired/QM2/qm2.mqsc": "DEFINE QLOCAL(A)\n",
    "dump.mqsc": "DEFINE QLOCAL(ORDERS.A)\nDEFINE QLOCAL(PAY.A)\n",
    "applications.toml": 'orders = ["ORDERS.*"]\n',
    "prod.mqsc": "DEFINE QLOCAL(PROD)\n",
    "dead/1.bin": "order",
    ".mqtriage.toml": RULE,
    "src/.mqtriage.toml": RULE,
    "bank.toml": RULE,
    "order.xml": "<order/>",
    "order.txt": "order",
    "order.bin": "order",
    "key": "a key that nobody guesses, of the test",
    "key.txt": "a key that nobody guesses, of the test",
}
NOT_RUN: Final = {
    r"mqtriage analyze ": "Spark: tests/pipeline and the pages run them",
    r"mqtriage (emulator (serve|run)|top|lsp|mcp|watch)\b": "stays until Ctrl-C",
    r".*(--wait yes|backout (move|pending) .*--interval)\b": "stays until Ctrl-C",
    r".*--backend mq\b|mqtriage doctor": "a real queue manager",
    r"mqtriage emulator sdk": "a C compiler: tests/mqi",
    r"mqtriage emulator lab simulate": "minutes",
    r".*(load|cohort)\.json": "what analyze wrote, with Spark",
    r"mqtriage snapshot diff 2026": "ids of snapshots",
    r"mqtriage (plan|apply) .*--sign(ed-by)?\b": "a key of ssh: test_two_people",
}
"""Examples that this test does not run, and why."""


PARTLY, REFUSED, FINDINGS, NOTHING = 3, 8, 4, 9
EXITS: Final = {
    r"mqtriage expiry sweep .*--expect \d+": 0,  # the most that it may be
    r".*--expect \d+": REFUSED,  # there are not so many
    r"mqtriage emulator rm QM1$": REFUSED,
    r"mqtriage emulator start QM1": 2,  # it is running
    r"mqtriage emulator lab switch -m QM1 mq_version": 2,  # so this has to wait
    r"mqtriage (drift|lint qm1.mqsc|msg diff|snapshot diff latest)": FINDINGS,
    r"mqtriage lint fix .*--diff": FINDINGS,
    r"mqtriage check backout --crit 1": 2,
    r"mqtriage check (backout|dlq)": 1,
    r"mqtriage journal resume .*--yes|mqtriage journal resume --yes": NOTHING,
    r"mqtriage plan .*--detailed-exitcode": FINDINGS,
    r"mqtriage lint .*--fail-on info": FINDINGS,
    r"mqtriage msg copy ORDERS.BO .*--headers strip": PARTLY,  # one has no header to remove
    r"mqtriage msg (copy|move|purge) .*(--yes|--confirm|--reports)": REFUSED,  # one has COD
    r"mqtriage msg load orders": REFUSED,  # one is there already
}
"""What an example ends with on the sample, where that is not 0."""


def expected_exit(line: str) -> int:
    return next((code for pattern, code in EXITS.items() if re.match(pattern, line)), 0)


def examples() -> dict[str, list[str]]:
    """The examples of each verb, in order."""
    verbs = {
        f"{group} {verb}": target
        for group, it in GROUPS.items()
        for verb, (target, _) in it.verbs.items()
    } | {name: target for name, (target, _) in COMMANDS.items()}
    return {
        name: list(read_help(inspect.getdoc(loaded(target)) or "").examples)
        for name, target in verbs.items()
    }


ALL: Final = examples()


def reason_not_to_run(line: str) -> str:
    return next((why for pattern, why in NOT_RUN.items() if re.match(pattern, line)), "")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the home of two queue managers, and the files that examples name."""
    folder = tmp_path_factory.mktemp("world")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in FILES.items():
            (folder / name).parent.mkdir(exist_ok=True, parents=True)
            (folder / name).write_text(text, "utf-8")
        (folder / "key").chmod(0o600)
        (folder / "key.txt").chmod(0o600)
        bench = bench_in(folder)
        first, *rest = WORLD.strip().splitlines()
        bench.ok(*shlex.split(first))
        bench.ok("queue", "define", "ANY", "--yes")
        bench.ok("msg", "put", "ANY", "hello", "--yes")
        listing = bench.ok("msg", "browse", "ANY", "-o", "ndjson", "-q").out
        with_id = re.sub(r'"msg_id":"\w{48}"', f'"msg_id":"{MSGID}"', listing)
        (folder / "ids.ndjson").write_text(with_id, "utf-8")
        for line in rest:
            bench.ok(*shlex.split(line.format(here=folder)))
        (folder / "ticket.txt").write_text(bench.ok("mqsc", "queries.mqsc").out, "utf-8")
        yield folder


def bench_in(folder: Path) -> Bench:
    bench = Bench(folder / "home")
    bench.environ |= {
        "MQTRIAGE_QMGR": "QM1", "HOME": str(folder), "XDG_DATA_HOME": str(folder / "share"),
        "MQTRIAGE_CONFIG": str(folder / "config.toml"),
    }  # fmt: skip
    return bench


def run(bench: Bench, line: str, here: Path) -> Ran:
    """A line of the shell: pipes, redirections and folders of the root are those of the test."""
    line = re.sub(r"(?<![\w.])(?:(/var|/tmp|/usr)|~)/", rf"{here}\1/", line)
    if "ID:414D51..." in line:
        staged = bench.ok("delay", "browse", "-o", "json", "-q").items
        line = line.replace("ID:414D51...", staged[0]["original_msg_id"])
    if "01KAJ7" in line:
        operations = bench.ok("journal", "ls", "-o", "ids", "-q").out.split()
        line = line.replace("01KAJ7", operations[-1 if "mqsc" in line else 0])
    words = words_in(line)
    if words[1:3] in (["msg", "archive"], ["plan", "definitions.mqsc"]) and "--out" in words:
        Path(words[words.index("--out") + 1]).unlink(missing_ok=True)
    given = ""
    while True:
        command = list(takewhile(lambda word: word not in {"|", "<", ">"}, words))
        if "<" in words:
            given = Path(words[words.index("<") + 1]).read_text("utf-8")
        ran = bench.run(*command[1:], answer=given)
        words = words[words.index("|") + 1 :] if "|" in words else []
        if words[:1] != ["mqtriage"]:  # jq and others are not ours
            return ran
        given = ran.out


def words_in(line: str) -> list[str]:
    """The words of a command line, names of files filled in."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    return [
        name
        for word in lexer
        for name in (map(str, Path().glob(word)) if re.search(r"/\*\.\w+$", word) else [word])
    ]


@pytest.mark.slow
@pytest.mark.parametrize("verb", ALL)
def test_the_examples_of_a_verb_run(
    verb: str, world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    failed = []
    for line in ALL[verb]:
        if reason_not_to_run(line):
            continue
        shutil.rmtree(here, ignore_errors=True)
        if line.startswith("mqtriage emulator create QM1") and "salvage" not in line:
            here.mkdir()
        else:
            shutil.copytree(world, here)
        monkeypatch.chdir(here)
        ran = run(bench_in(here), line, here)
        if ran.code != expected_exit(line):
            failed.append(f"{line}: exit {ran.code}\n{ran.err}")
    assert failed == [], "\n" + "\n".join(failed)


def test_nine_of_ten_examples_are_run() -> None:
    """Prints those that are not, with the reason."""
    lines = [line for of_a_verb in ALL.values() for line in of_a_verb]
    left_out = [line for line in lines if reason_not_to_run(line)]
    for line in left_out:
        print(f"{line}: {reason_not_to_run(line)}")
    outside_analyze = [line for line in left_out if not line.startswith("mqtriage analyze")]
    print(f"{len(lines) - len(left_out)} of {len(lines)} examples are run")
    assert len(outside_analyze) <= len(lines) / 10


def test_what_is_expected_is_expected_of_an_example() -> None:
    lines = [line for of_a_verb in ALL.values() for line in of_a_verb]
    unused = [
        pattern
        for pattern in (*EXITS, *NOT_RUN)
        if not any(re.match(pattern, line) for line in lines)
    ]
    assert unused == []
