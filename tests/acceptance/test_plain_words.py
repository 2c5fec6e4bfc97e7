"""Small things that an operator meets everywhere: exit codes, plurals, notes, what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.cli.frame.verb import parameters_of, verb_function
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import Bench


@pytest.fixture(autouse=True)
def _settings(bench: Bench, tmp_path: Path) -> None:
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "config.toml")


def put(bench: Bench, queue: str, *bodies: bytes, expiry_tenths: int = -1) -> None:
    with bench.connected() as backend:
        for body in bodies:
            backend.put1(queue, MQMD(expiry_tenths=expiry_tenths), body)


STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"


@pytest.mark.parametrize(
    "line",
    [
        "emulator create QM1",
        "emulator create QM1 --salvage QM1",
        "emulator lab simulate --days 1 --qmgrs 1 --out there",
        "context add known -m QM1",
        "msg archive Q --out file",
        "msg move Q --to TO --plan file",
        "plan script.mqsc --out file",
        "archive copy kept.ndjson --out file",
    ],
)
def test_what_exists_already_is_refused_with_one_exit_code(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    bench.define("Q", "TO")
    put(bench, "Q", b"one")
    bench.ok("context", "add", "known", "-m", "QM1")
    bench.ok("msg", "archive", "Q", "--out", "kept.ndjson")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("mine")
    (tmp_path / "script.mqsc").write_text("DEFINE QLOCAL(NEW)\n")
    ran = bench.run(*line.split())
    assert ran.code == 8, ran.err
    assert "already exists" in ran.err or "is not empty" in ran.err
    assert (tmp_path / "file").read_text() == "mine"


def test_every_short_option_means_one_thing() -> None:
    meanings: dict[str, set[str]] = {}
    targets = [target for group in GROUPS.values() for target, _ in group.verbs.values()]
    for target in (*targets, *(target for target, _ in COMMANDS.values())):
        for parameter in parameters_of(verb_function(target)):
            names = [part for name in parameter.words for part in name.split("/")]
            for short in (name for name in names if len(name) == 2 and name[0] == "-"):
                meanings.setdefault(short, set()).add(max(names, key=len))
    assert {short: longs for short, longs in meanings.items() if len(longs) > 1} == {}
    assert meanings["-q"] == {"--quiet"}


def test_one_is_singular(bench: Bench) -> None:
    bench.define("A", "B", "DEAD", FULL="MAXDEPTH=1")
    put(bench, "FULL", b"1")
    put(bench, "A", b"1")
    assert "0 of 1 message\n" in bench.run("msg", "move", "A", "--to", "FULL", "--yes").err
    bench.ok("msg", "put", "B", "1", "--yes")
    ran = bench.run("mqsc", "-", answer="CLEAR QLOCAL(B)\n")
    assert "B contains 1 message, which will be lost without being archived" in ran.err


def test_a_plan_for_people_has_no_json(bench: Bench) -> None:
    bench.ok("emulator", "create", "DEMO", "--sample")
    ran = bench.run("backout", "requeue", "ORDERS.BO", "--to", "origin", "-n", "-m", "DEMO")
    assert "ORDERS.IN 1\n" in ran.out
    assert "{" not in ran.out


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (
            "--backend emulator connection=mq1(1414)",
            "backend emulator and connection cannot be combined",
        ),
        ("--backend mq connection=mq1(1414) ccdt=/x", "both define where to connect"),
        ("--backend mq transport=bindings connection=mq1(1414)", "transport bindings and"),
        (
            "--backend mq password_file=x password_prompt=true",
            "both name the source of the password",
        ),
        ("connection=mq1(x)", "is not a host(port)"),
        (
            "connection=mq1(1414) url=https://mq1:9443",
            "connection is for backend mq, but url is for backend rest",
        ),
        ("url=http://mq1:9080", "over http, the password can be read in transit"),
        ("channel=A.B tls.cafile=/x", "backend mq and tls.cafile contradict each other"),
    ],
)
def test_context_add_refuses_contradictions_at_once(bench: Bench, keys: str, text: str) -> None:
    ran = bench.run("context", "add", "new", *keys.split())
    assert (ran.code, text in ran.error_line) == (2, True), ran.err
    assert bench.ok("context", "ls", "-o", "ids").out == ""


@pytest.mark.parametrize("keys", ["connection=mq1(1414)", "channel=OPS", "tls.cipher=ANY_TLS12"])
def test_what_a_context_leaves_out_may_come_from_elsewhere(bench: Bench, keys: str) -> None:
    bench.ok("context", "add", "new", "--backend", "mq", keys)


def test_handles_and_queue_status_agree_on_the_staging_queue(bench: Bench) -> None:
    status = bench.ok("queue", "status", STAGING, "-o", "json").item
    who = bench.ok("queue", "status", STAGING, "--handles", "-o", "json")
    assert who.json["summary"]["input"] == status["ipprocs"] == 1
    assert who.items[0]["application"] == "delivery delay processor"
    assert "OBJECT_IN_USE" not in who.err
    bench.ok("queue", "set", STAGING, "GET=DISABLED", "--yes")
    assert bench.ok("queue", "status", STAGING, "-o", "json").item["ipprocs"] == 0
    assert bench.ok("queue", "status", STAGING, "--handles", "-o", "json").items == []


def test_expect_max_counts_as_expiry_status_does(bench: Bench) -> None:
    bench.define("Q")
    put(bench, "Q", b"stays")
    put(bench, "Q", b"goes", expiry_tenths=10)
    bench.ok("emulator", "clock", "+5s")
    (item,) = bench.ok("expiry", "status", "Q", "-o", "json").items
    assert (item["curdepth"], item["expired"]) == (2, 1)
    assert bench.run("expiry", "sweep", "Q", "--expect", "0", "--yes").code == 8
    assert "discards at most  1\n" in bench.ok("expiry", "sweep", "Q", "-n").out
    bench.ok("expiry", "sweep", "Q", "--expect", "1", "--yes")
    assert bench.depth("Q") == 1


def test_completion_and_rules_convert_answer_in_json(bench: Bench, tmp_path: Path) -> None:
    script = bench.ok("completion", "bash").out
    item = json.loads(bench.ok("completion", "bash", "-o", "json").out)["item"]
    assert item == {"shell": "bash", "script": script}
    rules = tmp_path / "dlq.rules"
    rules.write_text("ACTION(RETRY)\n")
    toml = bench.ok("dlq", "rules", str(rules), "--format", "toml").out
    item = bench.ok("dlq", "rules", str(rules), "--format", "toml", "-o", "json").item
    assert item == {"form": "toml", "rules": toml}


@pytest.mark.parametrize("verb", [("queue", "ls"), ("expiry", "status")])
def test_queues_of_the_system_are_listed_where_they_are_asked_for(
    bench: Bench, verb: tuple[str, ...]
) -> None:
    bench.define("Q")

    def names(*more: str) -> set[str]:
        return {item["queue"] for item in bench.ok(*verb, *more, "-o", "json").items}

    assert names() == {"Q", STAGING, "SYSTEM.DEAD.LETTER.QUEUE"}
    assert "SYSTEM.DEFAULT.LOCAL.QUEUE" in names("--system")
    assert "SYSTEM.DEFAULT.LOCAL.QUEUE" in names("SYSTEM.*")


@pytest.mark.parametrize(
    ("line", "notes"),
    [
        ("msg browse Q", 1),
        ("msg diff Q OTHER", 1),
        ("backout pending", 1),
        ("msg browse OTHER", 0),
        ("msg browse Q --where x=", 0),
        ("msg browse Q --bogus", 0),
        ("msg browse NOPE", 0),
        ("queue status Q", 0),
    ],
)
def test_the_browse_note_comes_once_and_only_where_something_may_be_discarded(
    bench: Bench, line: str, notes: int
) -> None:
    bench.define("Q", "OTHER")
    put(bench, "Q", b"goes", expiry_tenths=10)
    bench.ok("emulator", "clock", "+5s")
    err = bench.run(*line.split()).err
    assert err.count("browsing can make the queue manager discard") == notes, err
    assert err.count("QM1 discarded 1 expired message of Q") == notes, err  # once it happened
