"""Every command of the tree, run once: nothing but data on standard output, JSON that is JSON."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tty
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mqtriage.cli.frame.console import NO_TERMINALS, Terminals
from mqtriage.cli.frame.target import Target
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.commands.top import SCREENS
from mqtriage.formatters.forms import select
from mqtriage.model.output_forms import FORMS, YAML
from mqtriage.model.result import Result
from tests.acceptance.conftest import ON_A_TERMINAL, Bench
from tests.pipeline.event_logs import event, pretty
from tests.power_loss.scenarios import SCENARIOS, verb
from tests.support.scale import SCALE
from tests.support.spark_session import remember, share
from tests.support.tools import module

LINES = """
emulator create QM2
emulator ls
emulator start QM1
emulator stop QM1
emulator rm QM1 --confirm QM1
emulator ls --check QM1
emulator create --salvage QM1 QM9
emulator clock +1m
emulator clock
emulator lab switch
emulator lab rollback ORDERS.IN
emulator lab consume ORDERS.IN --as jms-sync --yes
emulator lab simulate --days 1 --qmgrs 1 --rate 50 --interval 6h --out sim --jobs 1
emulator ls QM1
emulator sdk sdk
context add dev -m QM1
context ls
context show
context use known
context use .mqtriage.toml
context rm known --yes
qmgr show
queue ls
queue show ORDERS.IN
queue status ORDERS.IN
queue status --handles ORDERS.IN
queue define NEW.Q --yes
queue set ORDERS.IN MAXDEPTH=7000 --yes
queue delete EMPTY.Q --yes
msg browse ORDERS.IN
msg show ORDERS.IN 'ID:414D51*' --nth 1
msg count ORDERS.IN
msg put ORDERS.IN hello --yes
msg copy ORDERS.IN --to EMPTY.Q --yes --reports strip
msg move ORDERS.IN --to EMPTY.Q --yes --allow-reports
msg purge ORDERS.IN --confirm ORDERS.IN --allow-reports
msg archive ORDERS.IN --out copy.ndjson
msg load saved.ndjson --to ORDERS.IN --yes --allow-duplicates
msg diff ORDERS.IN ORDERS.BO
delay define --maxdepth 300000 --yes
delay status
delay browse
delay forecast
msg put --delay 5m ORDERS.IN hello --yes
delay cancel --confirm SYSTEM.DDELAY.LOCAL.QUEUE
delay release --yes --allow-reports
delay reschedule --shift +1m --yes
backout ls
backout set PAYMENTS.IN --threshold 3 --boq PAYMENTS.BO --create-boq --yes
backout explain ORDERS.IN
backout pending
backout pending --interval 10ms --existing --for 1s
backout browse ORDERS.BO
backout causes ORDERS.BO
backout browse --group origin ORDERS.BO
backout requeue ORDERS.BO --to ORDERS.IN --yes
backout purge ORDERS.BO --confirm ORDERS.BO
backout move ORDERS.IN --yes --allow-reports
expiry status
expiry browse PAYMENTS.REPLY
expiry explain PAYMENTS.REPLY
expiry sweep PAYMENTS.REPLY --yes
expiry extend PAYMENTS.REPLY --expiry 1h --yes
expiry purge PAYMENTS.REPLY --expires-within 30d --yes
expiry reports REPORTS
expiry revive REPORTS --to ORDERS.IN --yes
dlq browse
dlq causes
dlq requeue --limit 1 --yes
dlq purge --limit 1 --yes --allow-reports
dlq run -f dlq.rules --yes
dlq rules dlq.rules
dlq rules dlq.rules saved.ndjson
dlq rules --format toml dlq.rules
check qmgr
check queue ORDERS.IN
check delay
check backout
check dlq
check expiry
snapshot take
snapshot ls
snapshot diff latest~1 latest
snapshot export --out exported
snapshot compact
snapshot prune --older-than 0s --yes
archive ls
archive ls --msgid MSGID saved.ndjson
archive ls --msgid 414D51* saved.ndjson
archive verify saved.ndjson
archive copy saved.ndjson --out chosen.ndjson
archive copy --key-file key saved.ndjson --out masked.ndjson --no-bodies
archive restore saved.ndjson --to EMPTY.Q --yes
archive prune --older-than 0s --yes
top queues
top delay
top backout
top dlq
journal ls
journal show
journal undo --yes
journal resume --yes
journal verify
journal prune --older-than 0s --yes
mqsc run script.mqsc --yes
mqsc export --out exported
mqsc fmt script.mqsc
doctor
lint check script.mqsc
lint fix script.mqsc
lint explain BKO001
lint baseline script.mqsc --out known.json
lint check own.toml
plan script.mqsc
apply script.mqsc --yes
drift script.mqsc
watch ORDERS.IN --existing --limit 1
analyze profile
analyze delay
analyze depth
analyze expiry
analyze causes
analyze cohort
analyze definitions
analyze events events.json
analyze activity events.json
analyze report --html report.html
analyze watch taken
cheat
man --out pages
completion bash
incident ORDERS.IN --out record
rc 2035
version
"""

ROOT = Path(__file__).parents[2]
KEYS = ROOT / "scripts" / "json_keys.json"
"""What the JSON section of the manual is made of; `--update-golden` adds what is new."""

TALK = re.compile(r"^(note|warning|error|hint|using|would|next): |\[y/N\]|Traceback", re.MULTILINE)
ENDLESS = {"emulator serve", "emulator run", "lsp", "mcp"}
"""They serve until they are ended, or hand standard output to another program: in a process;
test_lsp.py and test_mcp.py have the last of them."""
OWN_FORMS = {"cheat", "mqsc fmt", "emulator ls QM1", "lint fix", "man"}
"""Text of another kind is their data: a script, MQSC, a table of rules."""


WALKED = {verb(name) for name in SCENARIOS}
"""What is killed at each of its calls."""


def files_of(bench: Bench) -> dict[Path, bytes]:
    """What a command may change of ours: its home, its settings and where it is run.

    What can be made again, as the notes of what was said today, is left out.
    """
    emulator, cache = bench.home / "emulator", bench.home / "cache"
    return {
        path: path.read_bytes()
        for path in bench.home.parent.rglob("*")
        if path.is_file()
        and not path.is_relative_to(emulator)
        and not path.is_relative_to(cache)
        and path.suffix != ".sqlite-shm"
    }


def line_of(path: str) -> str:
    longer = [f"{one} " for one in FORMS_OF_VERBS if one.startswith(f"{path} ")]
    lines = [
        line
        for line in LINES.splitlines()
        if f"{line} ".startswith(f"{path} ") and not f"{line} ".startswith(tuple(longer))
    ]
    assert len(lines) == 1, f"{path}: {len(lines)} lines of this file run it"
    return lines[0]


FORMS_OF_VERBS = (
    "archive ls --msgid",
    "archive ls --msgid 414D51*",
    "lint check own.toml",
    "msg put --delay 5m",
    "context use .mqtriage.toml",
    "archive copy --key-file",
    "dlq rules --format toml",
    "dlq rules dlq.rules saved.ndjson",
    "emulator ls QM1",
    "emulator clock +1m",
    "backout pending --interval",
    "queue status --handles",
    "emulator create --salvage",
    "emulator ls --check",
    "backout browse --group origin",
)
"""What a verb prints with an option, where its keys are others."""
OF_COMMAND = {"top": [f"top {screen}" for screen in SCREENS]}
"""A command that is of several kinds, by its first word."""

PATHS = [
    path
    for path in (
        *(f"{name} {verb}" for name, group in GROUPS.items() for verb in group.verbs),
        *(path for name in COMMANDS for path in OF_COMMAND.get(name, (name,))),
        *FORMS_OF_VERBS,
    )
    if path not in ENDLESS
]


NOT_ENTERED = {
    *(path for path in PATHS if path.split()[0] == "emulator"),  # these stand for other programs
    *(path for path in PATHS if path.split()[0] == "analyze"),  # snapshots alone
    "journal resume",  # goes on with what is entered
    "doctor",  # opens queues to see what is allowed, and closes them
}


NOT_WALKED = {
    "lint baseline": "one file that is written whole, as the settings of `context add` are",
    "context use .mqtriage.toml": "one line more in a file that is written as `context add` does",
    "mqsc export": "a folder that is written as that of `incident` is",
    "man": "copies of pages that every installation has",
}
"""What changes files and is in no scenario of tests/power_loss, and why."""


def test_no_line_is_left_of_a_command_that_is_gone() -> None:
    lines = [line for line in LINES.splitlines() if line]
    assert sorted(line_of(path) for path in PATHS) == sorted(lines)
    assert WALKED | NOT_WALKED.keys() <= set(PATHS)
    assert not WALKED & NOT_WALKED.keys()


OWN_RULE = (
    "[[rule]]\nid = 'BNK001'\nmessage = 'short'\nobjects = { type = 'QLOCAL' }\n"
    "condition = 'maxdepth < 9'\ngood = 'DEFINE QLOCAL(A) MAXDEPTH(1)'\nbad = 'DEFINE QLOCAL(A)'\n"
)


OF_THE_SAMPLE = {"profile", "definitions"}
"""Jobs that read what `snapshot take` has seen; the others are given what they made of a day."""


@pytest.fixture(scope="module")
def analysed(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the jobs of `analyze` found; three command lines print each, and `report` all."""
    of_a_day: dict[str, Any] = request.getfixturevalue("analyses")
    return {job: analysis for job, analysis in of_a_day.items() if job not in OF_THE_SAMPLE}


@pytest.fixture
def bench(
    filled_copy: Bench, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Bench:
    if request.node.callspec.params.get("path", "").startswith("analyze ") and SCALE != "fast":
        share(request.getfixturevalue("spark"), monkeypatch)
        remember(request.getfixturevalue("analysed"), monkeypatch, gathered=True)
    return with_files(filled_copy)


def with_files(bench: Bench) -> Bench:
    """*bench* with the files and the context that the lines name."""
    Path("body.bin").write_bytes(b"body")
    Path("key").write_bytes(b"k" * 32)
    Path("key").chmod(0o600)
    Path("script.mqsc").write_text("DEFINE QLOCAL(SCRIPT.Q) REPLACE\n", "utf-8")
    Path("dlq.rules").write_text("REASON(MQRC_Q_FULL) ACTION(IGNORE)\n", "utf-8")
    Path("own.toml").write_text(OWN_RULE, "utf-8")
    bench.ok("context", "add", "known", "-m", "QM1")
    return bench


def prepared(bench: Bench, path: str) -> list[str]:
    """The words of the line, once what it needs is there."""
    words = shlex.split(line_of(path))
    if "saved.ndjson" in words:
        bench.ok("msg", "archive", "ORDERS.IN", "--out", "saved.ndjson")
    if path == "context use .mqtriage.toml":
        Path(".mqtriage.toml").write_text('use = "known"\n', "utf-8")
    if path == "emulator start":
        bench.ok("emulator", "stop", "QM1")
    if path.startswith("snapshot ") and path != "snapshot take":
        bench.ok("snapshot", "take")
        bench.ok("snapshot", "take")
    if path.startswith("analyze "):
        bench.ok("snapshot", "take", *(("--folder", "taken") if "taken" in words else ()))
        Path("events.json").write_text(pretty([event(45, 2053, 1, "QM1", {})]), "utf-8")
        if SCALE == "fast":  # without Java; all that can be submitted are alike
            words.append("--submit" if path == "analyze profile" else "--help")
    if path.startswith("journal") or path in {"archive ls", "archive prune"}:
        bench.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--yes")
    if "MSGID" in words:
        listed = bench.ok("msg", "browse", "ORDERS.IN", "-o", "json").items
        words[words.index("MSGID")] = listed[0]["msg_id"]
    if "STAGED" in words:
        staged = bench.ok("delay", "browse", "-o", "json").items
        words[words.index("STAGED")] = staged[0]["msg_id"]
    return words


ENDS = {"pipe": NO_TERMINALS, "terminal": ON_A_TERMINAL}
if SCALE == "fast":
    del ENDS["terminal"]

# findings, the marks of a monitor, and what could not be done for each message
EXPECTED: dict[str, set[int]] = {
    **{
        key: {0, 4} for key in ("lint check", "drift", "doctor", "dlq rules dlq.rules saved.ndjson")
    },
    **{key: {0, 4} for key in ("msg diff", "snapshot diff")},
    "delay release": {0, 3},
    "journal resume": {0, 8, 9},
    **{f"check {verb}": {0, 1, 2} for verb in GROUPS["check"].verbs},
}


@pytest.mark.parametrize("terminals", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("path", PATHS)
def test_standard_output_carries_data_only(bench: Bench, path: str, terminals: Terminals) -> None:
    words = prepared(bench, path)
    if terminals.stdout and path.split()[0] == "top":
        words += ["-o", "plain"]  # its screen is tried in test_live.py
    ran = bench.run(*words, terminals=terminals)
    assert ran.code in EXPECTED.get(path, {0}), ran.err
    assert TALK.search(ran.out) is None, ran.out


@pytest.mark.parametrize("path", [path for path in PATHS if path not in NOT_ENTERED])
@pytest.mark.slow
def test_what_may_change_a_queue_manager_is_in_the_journal(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Whatever connects to more than read enters itself; the emulator's verbs stand for others."""
    words = prepared(bench, path)
    Path("dlq.rules").write_text("ACTION(FWD) FWDQ(EMPTY.Q) HEADER(NO)\n", "utf-8")
    before = {entry["op"] for entry in bench.ok("journal", "ls", "-o", "json").items}
    connected: list[bool] = []
    connect = Target.open_backend

    def noted(target: Target, *, read_only: bool = False, **more: Any) -> Any:
        connected.append(read_only)
        return connect(target, read_only=read_only, **more)

    monkeypatch.setattr(Target, "open_backend", noted)
    files = files_of(bench)
    bench.run(*words)
    if files_of(bench) != files:
        known = WALKED | NOT_WALKED.keys()
        is_known = any(f"{path} ".startswith(f"{one} ") for one in known)
        assert is_known, "tests/power_loss/scenarios.py lacks it"
    if all(connected):
        return
    entries = bench.ok("journal", "ls", "-o", "json").items
    new = [entry["command"] for entry in entries if entry["op"] not in before]
    assert [command.startswith(path) for command in new] == [True], new


@pytest.mark.parametrize("path", [path for path in PATHS if path not in OWN_FORMS])
@pytest.mark.slow
def test_json_is_one_document_and_nothing_else(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, path: str
) -> None:
    columns: set[str] = set()
    write = select.write

    def noted(result: Result, *args: Any) -> int:
        columns.clear()  # of what is written last, to standard output: `incident` writes files too
        columns.update(field.key for field in getattr(result, "fields", ()))
        return write(result, *args)

    monkeypatch.setattr(select, "write", noted)
    ran = bench.run(*prepared(bench, path), "-o", "json")
    assert ran.code in EXPECTED.get(path, {0}), ran.err
    if path in {"watch", "backout pending --interval"}:  # what has no end is one object a line
        records = [json.loads(line) for line in ran.out.splitlines()]
        assert records
        again = bench.ok(
            *shlex.split(line_of(path)), "-o", "json", "--columns", ",".join(records[0])
        )
        assert [json.loads(line).keys() for line in again.out.splitlines()] == [
            record.keys() for record in records
        ]
        return
    document = json.loads(ran.out)
    assert document["schema"] == "mqtriage/1"
    if columns:
        names = {key for item in document["items"] for key in item}
        assert names <= columns, "what JSON has, --columns takes"
    keys = keys_of(document)
    known = json.loads(KEYS.read_text("utf-8"))
    if request.config.getoption("--update-golden"):
        before = set(known.get(path, {}).get("keys", ()))
        known[path] = {"kind": document["kind"], "keys": sorted(before | keys)}
        KEYS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
    assert path in known, "a new verb: run it with --update-golden"
    assert document["kind"] == known[path]["kind"]
    assert keys <= set(known[path]["keys"]), "new keys: run it with --update-golden"


@pytest.mark.parametrize("path", ["watch", "backout pending --interval"])
def test_what_has_no_end_refuses_a_column_that_is_not_there(bench: Bench, path: str) -> None:
    held_to_columns(bench, path)


@pytest.mark.long
@pytest.mark.parametrize("path", [path for path in PATHS if path not in OWN_FORMS])
def test_every_command_refuses_a_column_that_is_not_there(bench: Bench, path: str) -> None:
    if path != "journal resume":  # nothing is to be resumed, which is a report
        held_to_columns(bench, path)


def held_to_columns(bench: Bench, path: str) -> None:
    ran = bench.run(*prepared(bench, path), "-o", "ndjson", "--columns", "nonsense")
    assert ran.code == (3 if path.startswith("check ") else 2), ran.out + ran.err
    assert ran.out == ""
    assert "--columns" in ran.err


def held_to_form(bench: Bench, path: str, form: str) -> None:
    ran = bench.run(*prepared(bench, path), "-o", form)
    assert "internal error" not in ran.err, ran.err
    if form != YAML and ran.code == (3 if path.startswith("check ") else 2):  # 2 is critical there
        assert f"error: -o {form}: " in ran.err
        return
    assert ran.code in EXPECTED.get(path, {0}), ran.err
    if form == YAML:
        yaml = module("yaml", "pyyaml")
        documents = list(yaml.load_all(ran.out, Loader=yaml.SafeLoader))
        known = json.loads(KEYS.read_text("utf-8")).get(path)  # none of what has no end
        for document in documents if known else ():
            assert document["kind"] == known["kind"]
            assert keys_of(document) <= set(known["keys"])


@pytest.mark.parametrize("form", FORMS)
def test_doctor_has_json_and_every_other_form_or_refuses_it(bench: Bench, form: str) -> None:
    held_to_form(bench, "doctor", form)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", [path for path in PATHS if path not in OWN_FORMS])
def test_every_command_has_json_and_every_other_form_or_refuses_it(
    bench: Bench, path: str, form: str
) -> None:
    held_to_form(bench, path, form)


def keys_of(document: dict[str, Any]) -> set[str]:
    """The keys of a document that scripts read: of its items, its summary, or its report."""
    if "item" in document:
        return set(document["item"])
    items = {key for item in document["items"] for key in item}
    if "summary" in document:
        return items | set(document["summary"])
    return items | set(document) - {"items"} - WRAPPER | set(document["details"])


@pytest.fixture(params=["pipe", "terminal"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """(read, write): file numbers of a pipe, or of a terminal."""
    descriptors = os.pipe() if request.param == "pipe" else os.openpty()[:2]
    if request.param == "terminal":
        tty.setraw(descriptors[1])
    yield descriptors
    os.close(descriptors[0])


def started(bench: Bench, words: str, out: int) -> subprocess.Popen[str]:
    """`mqtriage WORDS` in a process of its own, standard output at *out*, which is closed here."""
    environ = {**os.environ, **bench.environ, "COLUMNS": "80"}
    argv = [sys.executable, "-m", "mqtriage", *shlex.split(words)]
    process = subprocess.Popen(argv, stdout=out, stderr=subprocess.PIPE, text=True, env=environ)
    os.close(out)
    return process


def all_of(number: int) -> bytes:
    """What was written to the other end, which is closed."""
    written = b""
    with suppress(OSError):  # EIO is the end of what a terminal has to say
        while data := os.read(number, 4096):
            written += data
    return written


def test_serve_has_nothing_for_standard_output(bench: Bench, ends: tuple[int, int]) -> None:
    with started(bench, "emulator serve QM1", ends[1]) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "serving QM1; interrupt to stop\n"
        process.terminate()
        assert process.wait(60) == 0
    assert all_of(ends[0]) == b""


def test_run_leaves_standard_output_to_the_program(bench: Bench, ends: tuple[int, int]) -> None:
    bench.ok("emulator", "sdk", "sdk")
    with started(bench, "emulator run QM1 --sdk sdk -- printf data", ends[1]) as process:
        assert process.stderr is not None
        assert TALK.search(process.stderr.read()) is None
        assert process.wait(60) == 0
    assert all_of(ends[0]) == b"data"


WRAPPER = {"schema", "kind", "context", "queue_manager", "at", "warnings"}


def test_the_manual_names_every_key_of_json() -> None:
    known = json.loads(KEYS.read_text("utf-8"))
    for path, it in known.items():
        name = path.split()[0]
        page = ROOT / "man" / (f"mqtriage-{name}.1" if name in GROUPS else "mqtriage.1")
        text = page.read_text("utf-8").replace("\\-", "-")
        section = text.partition(".SH JSON\n")[2].partition("\n.SH ")[0]
        missing = [key for key in it["keys"] if not re.search(rf"\b{re.escape(key)}\b", section)]
        assert missing == [], path
