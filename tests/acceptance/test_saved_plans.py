"""`plan --out` and `apply` of what it wrote: exactly that, or refused with what changed since."""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.cli.frame.console import CommandRun
from mqtriage.definitions.desired import OTHER_KINDS
from mqtriage.definitions.live_definitions import read_live
from mqtriage.definitions.plan_origin import checked_out_commit
from mqtriage.definitions.way_back import live_record
from mqtriage.model.output_forms import FORMS
from mqtriage.mq.errors import QueueFull
from tests.acceptance.conftest import ON_A_TERMINAL, Bench

TEXT = """\
ALTER QMGR DEADQ(MY.DLQ)
DEFINE QLOCAL(MY.DLQ) MAXDEPTH(77)
DEFINE QLOCAL(ORDERS.BO)
ALTER QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME(ORDERS.BO)
DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('h(1)') XMITQ(X) USERID('u') PASSWORD('hunter2')
DEFINE NAMELIST(N) NAMES(A,B)
SET CHLAUTH('TO.*') TYPE(BLOCKUSER) USERLIST('nobody')
SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET,PUT)
DELETE QLOCAL(ORDERS.OLD)
"""


@pytest.fixture
def saved(bench: Bench, tmp_path: Path) -> str:
    """A plan file of `TEXT` for QM1."""
    bench.define("ORDERS.IN", "ORDERS.OLD")
    return written(bench, tmp_path, TEXT)


def written(bench: Bench, folder: Path, text: str) -> str:
    script, plan = folder / "want.mqsc", folder / "monday.plan"
    script.write_text(text, "utf-8")
    ran = bench.ok("plan", str(script), "--out", str(plan))
    assert f"mqtriage apply {plan}" in ran.err
    return str(plan)


def definitions(bench: Bench) -> dict[str, Any]:
    """All that can be set of every object and record."""
    with bench.connected() as backend:
        return live_record(read_live(backend, kinds=OTHER_KINDS))


def test_a_plan_file_is_private_holds_no_secret_and_changes_nothing(
    bench: Bench, tmp_path: Path
) -> None:
    bench.define("ORDERS.IN", "ORDERS.OLD")
    before = definitions(bench)
    plan = Path(written(bench, tmp_path, TEXT))
    assert definitions(bench) == before
    assert plan.stat().st_mode & 0o777 == 0o600
    assert "hunter2" not in plan.read_text()
    again = bench.run("plan", str(tmp_path / "want.mqsc"), "--out", str(plan))
    assert (again.code, "already exists" in again.error_line) == (8, True)


@pytest.mark.slow
def test_apply_does_exactly_the_plan_and_undo_takes_it_back(bench: Bench, saved: str) -> None:
    before = definitions(bench)
    Path(saved).with_name("want.mqsc").write_text("DEFINE QLOCAL(ANOTHER)\n")  # nobody reads it
    assert bench.run("apply", saved, "--yes").code == 8  # a queue would be deleted
    report = bench.ok("apply", saved, "--confirm", "ORDERS.OLD", "-o", "json").json
    commands = [line for line in Path(saved).read_text().splitlines() if line.startswith('{"mqsc"')]
    assert len(report["details"]["mqsc"]) == len(commands) == 9
    assert bench.attribute("ORDERS.IN", "BOQNAME") == "ORDERS.BO"
    entry = bench.ok("journal", "show", "-o", "json").item
    assert [command["state"] for command in entry["commands"]] == ["done"] * 9
    bench.ok("journal", "undo", "--confirm", "QM1")
    assert definitions(bench) == before
    bench.ok("apply", saved, "--confirm", "ORDERS.OLD")  # all is as it was planned again


MOVED: dict[str, tuple[Callable[[Bench], Any], str]] = {
    "an attribute that it sets": (
        lambda bench: bench.ok("queue", "set", "ORDERS.IN", "BOTHRESH=9", "--yes"),
        "BOTHRESH of QLOCAL(ORDERS.IN) was changed since: it is 9, and was 0",
    ),
    "an attribute that it leaves": (
        lambda bench: bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=9", "--yes"),
        "MAXDEPTH of QLOCAL(ORDERS.IN) was changed since: it is 9, and was 5000",
    ),
    "defined": (lambda bench: bench.define("MY.DLQ"), "QLOCAL(MY.DLQ) was defined since"),
    "deleted": (
        lambda bench: bench.ok("queue", "delete", "ORDERS.IN", "--yes"),
        "QLOCAL(ORDERS.IN) was deleted since",
    ),
    "messages on what it deletes": (
        lambda bench: bench.ok("msg", "put", "ORDERS.OLD", "x", "--yes"),
        "CURDEPTH of ORDERS.OLD was changed since: it is 1, and was 0",
    ),
    "what a DEFINE starts from": (
        lambda bench: bench.ok(
            "queue", "set", "SYSTEM.DEFAULT.LOCAL.QUEUE", "MAXMSGL=99", "--yes"
        ),
        "MAXMSGL of QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE), which MY.DLQ starts from, was changed",
    ),
    "the queue manager": (
        lambda bench: bench.ok("mqsc", "-", "--yes", answer="ALTER QMGR DEADQ(ORDERS.IN)\n"),
        "DEADQ of QMGR was changed since: it is 'ORDERS.IN', and was ''",
    ),
    "a record": (
        lambda bench: bench.ok(
            "mqsc", "-", "--yes",
            answer="SET CHLAUTH('TO.*') TYPE(BLOCKUSER) USERLIST('x')\n",
        ),
        "CHLAUTH(",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVED)
@pytest.mark.slow
def test_a_stale_plan_is_refused_and_names_what_changed(
    bench: Bench, saved: str, name: str
) -> None:
    move, text = MOVED[name]
    move(bench)
    before = definitions(bench)
    ran = bench.run("apply", saved, "--confirm", "ORDERS.OLD")
    assert (ran.code, "the plan is stale" in ran.error_line) == (8, True), ran.err
    assert text in ran.error_line
    assert definitions(bench) == before


def test_what_the_plan_is_not_about_may_change(bench: Bench, saved: str) -> None:
    bench.define("ANOTHER")
    bench.ok("queue", "set", "SYSTEM.DEFAULT.MODEL.QUEUE", "MAXMSGL=99", "--yes")
    bench.ok("apply", saved, "--confirm", "ORDERS.OLD")


def test_what_changes_while_the_question_is_open_is_seen(
    bench: Bench, saved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(run: CommandRun, question: str) -> str:
        with bench.connected() as backend:
            backend.alter("QLOCAL", "ORDERS.IN", {"MAXDEPTH": 9})
        return "ORDERS.OLD"

    monkeypatch.setattr(CommandRun, "ask", ask)
    ran = bench.run("apply", saved, terminals=ON_A_TERMINAL)
    assert ran.code == 8
    assert "MAXDEPTH of QLOCAL(ORDERS.IN) was changed since" in " ".join(ran.err.split())
    assert bench.run("queue", "show", "MY.DLQ").code == 5
    assert bench.ok("journal", "ls", "-o", "json").items[0]["state"] == "failed"


def test_a_plan_that_was_changed_cut_or_is_for_another_is_not_carried_out(
    bench: Bench, saved: str
) -> None:
    text = Path(saved).read_text("utf-8")
    other = Path(saved).with_name("other.plan")
    for wrong, code, error in (
        (text.replace("MAXDEPTH", "MAXMSGL"), 8, "it was changed after it was written"),
        ("".join(text.splitlines(keepends=True)[:-1]), 8, "its end is missing"),
        (text[:-20], 8, "its end is missing"),
        (text.replace('\n{"', '\n"', 1), 8, "it was changed"),
        (text.replace("definitions/1", "definitions/7"), 8, "it was changed"),
        ('{"kind":"Plan","schema":"other/1"}\n', 2, "not a plan file"),
        ("{\n", 2, "not a plan file"),
    ):
        other.write_text(wrong, "utf-8")
        ran = bench.run("apply", str(other), "--yes")
        assert (ran.code, error in ran.error_line) == (code, True), (error, ran.err)
    bench.ok("emulator", "create", "QM2")
    ran = bench.run("apply", saved, "-m", "QM2", "--yes")
    assert (ran.code, "is about queue manager QM1" in ran.error_line) == (2, True)


def test_apply_knows_what_kind_of_plan_it_is_given(bench: Bench, tmp_path: Path) -> None:
    bench.define("ORDERS.IN")
    bench.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    plan = str(tmp_path / "purge.plan")
    bench.ok("msg", "purge", "ORDERS.IN", "--limit", "1", "--plan", plan)
    assert bench.ok("apply", plan, "--yes", "-o", "json").json["kind"] == "PurgeReport"
    for extra in ("--exact", plan):
        assert bench.run("apply", plan, extra, "--yes").code == 2


def test_nothing_to_change_writes_no_plan(bench: Bench, tmp_path: Path) -> None:
    script = tmp_path / "want.mqsc"
    script.write_text("DEFINE QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE)\n")
    ran = bench.ok("plan", str(script), "--out", str(tmp_path / "p"))
    assert "no plan was written" in ran.err
    assert not (tmp_path / "p").exists()


KILLED = """
import os, signal, sys
from mqtriage.definitions import plan
from mqtriage.cli.frame.main import run as main
carry_out, count = plan._run, [int(sys.argv.pop(1)), sys.argv.pop(1)]
def killed(backend, change):
    count[0] -= 1
    if count[0] < 0 and count[1] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    carry_out(backend, change)
    if count[0] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
plan._run = killed
main()
"""


@pytest.mark.parametrize("moment", ["before", "behind"])
@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_a_journal_that_says_what_was_done(
    bench: Bench, saved: str, moment: str
) -> None:
    before = definitions(bench)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, "4", moment, "apply", saved, "--confirm", "ORDERS.OLD"],
        env=os.environ | bench.environ,
        capture_output=True,
        check=False,
        text=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    entry = bench.ok("journal", "show", "-o", "json").item
    states = [command["state"] for command in entry["commands"]]
    assert states == ["done"] * 4 + ["in doubt"] + ["not run"] * 4
    assert (entry["state"], len(entry["back"])) == ("cut", 4)

    looked = bench.ok("journal", "resume", "-n")
    assert "carried out: 4 of 9 commands" in looked.out
    remaining = 5 if moment == "before" else 4
    resumed = bench.ok("journal", "resume", "--confirm", "ORDERS.OLD", "-o", "json")
    assert len(resumed.json["details"]["mqsc"]) == remaining
    assert "all 9 commands have been run" in resumed.err
    settled = bench.ok("journal", "show", entry["op"], "-o", "json").item
    assert (settled["state"], settled["done"]) == ("done", 9)
    bench.ok("journal", "undo", entry["op"], "--confirm", "QM1")
    assert definitions(bench) == before
    assert bench.run("journal", "resume", entry["op"], "--yes").code == 2


@pytest.mark.slow
def test_a_cut_apply_is_taken_back_as_far_as_it_got(bench: Bench, saved: str) -> None:
    before = definitions(bench)
    subprocess.run(
        [sys.executable, "-c", KILLED, "3", "behind", "apply", saved, "--confirm", "ORDERS.OLD"],
        env=os.environ | bench.environ,
        capture_output=True,
        check=False,
    )
    assert definitions(bench) != before
    bench.ok("journal", "undo", "--confirm", "QM1")
    assert definitions(bench) == before


def test_a_command_that_fails_can_be_gone_on_with(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = written(bench, tmp_path, "DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\nDEFINE QLOCAL(C)\n")
    define = EmulatedBackend.define
    with monkeypatch.context() as patch:

        def failing(backend: EmulatedBackend, kind: str, name: str, attributes: Any) -> None:
            if name == "B":
                raise QueueFull(2053, "define B")
            define(backend, kind, name, attributes)

        patch.setattr(EmulatedBackend, "define", failing)
        ran = bench.run("apply", plan, "--yes")
        assert (ran.code, "journal resume" in ran.err) == (3, True), ran.err
        bench.ok("journal", "undo", "--confirm", "A")
        ran = bench.run("apply", plan, "--yes", "-q", "-o", "json")
        error = json.loads(ran.err)
        assert (ran.code, error["mqrc"], "journal resume" in error["hint"]) == (3, 2053, True)
    op = bench.ok("journal", "ls", "-o", "json").items[0]["op"]
    bench.ok("journal", "resume", op, "--yes")
    assert bench.attribute("C", "MAXDEPTH") == 5000


def test_a_plan_says_who_made_it_where_from_which_files_and_commit(
    bench: Bench, tmp_path: Path
) -> None:
    checkout = tmp_path / "definitions"
    commit = committed(checkout)
    script, plan = checkout / "want.mqsc", tmp_path / "made.plan"
    script.write_text("DEFINE QLOCAL(MADE.BY) MAXDEPTH(9)\n")
    bench.ok("plan", str(script), "--out", str(plan))
    origin = json.loads(plan.read_text().split("\n")[0])["made"]
    digest = hashlib.sha256(script.read_bytes()).hexdigest()
    assert origin == {
        "user": pwd.getpwuid(os.getuid()).pw_name,
        "host": os.uname().nodename,
        "files": [[str(script), digest]],
        "commit": commit,
    }
    shown = bench.ok("apply", str(plan), "--yes").err
    assert f"by {origin['user']} on {origin['host']}" in shown
    assert digest[:12] in shown
    assert f"commit {commit[:12]}" in shown


def test_the_commit_is_that_of_the_checkout_or_worktree_that_a_folder_is_in(tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    first = committed(main)
    git(main, "worktree", "add", "-q", str(tree))
    second = committed(main)
    git(main, "pack-refs", "--all")
    (tree / "below").mkdir()
    assert (checked_out_commit(main), checked_out_commit(tree / "below")) == (second, first)


def test_without_a_checkout_or_git_there_is_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checked_out_commit(tmp_path) == ""
    committed(tmp_path / "main")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert checked_out_commit(tmp_path / "main") == ""


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=ops", "-c", "user.email=ops@example.com")
    done = subprocess.run(
        ("git", "-C", str(folder), *who, *words), capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def committed(folder: Path) -> str:
    """A new commit of a checkout, which is made where there is none."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", f"commit {time.monotonic_ns()}")
    return git(folder, "rev-parse", "HEAD")


SECRET = """\
ALTER QMGR KEYRPWD('hunter1') INITKEY('hunter2')
ALTER QMGR SSLCRYP('GSK_PKCS11=/lib/p11.so;token;hunter3;SYMMETRIC_CIPHER_ON;')
DEFINE AUTHINFO(L) AUTHTYPE(IDPWLDAP) CONNAME('h') SHORTUSR('uid') LDAPUSER('cn=x') +
       LDAPPWD('hunter4')
DEFINE QLOCAL(X) USAGE(XMITQ)
DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('h(1)') XMITQ(X) USERID('u') PASSWORD('hunter5')
"""


@pytest.mark.slow
def test_no_output_of_a_plan_has_a_password_in_it(bench: Bench, tmp_path: Path) -> None:
    script, plan = tmp_path / "want.mqsc", tmp_path / "monday.plan"
    script.write_text(SECRET, "utf-8")
    for form in FORMS:
        for argv in (
            ("plan", str(script), "-o", form),
            ("drift", str(script), "-o", form),
            ("apply", str(script), "-n", "-o", form),
            ("qmgr", "show", "-o", form),
        ):
            ran = bench.run(*argv)
            assert "hunter" not in ran.out + ran.err, argv
    bench.ok("plan", str(script), "--out", str(plan))
    assert b"hunter" not in plan.read_bytes()
    assert plan.stat().st_mode & 0o777 == 0o600
    ran = bench.ok("mqsc", "run", str(script), "--yes")
    assert "hunter" not in ran.out + ran.err
    assert "not compared" in bench.ok("plan", str(script)).err
    script.write_text(SECRET.replace("hunter", "fisher"), "utf-8")
    ran = bench.ok("apply", str(script), "--yes")
    assert "hunter" not in ran.out + ran.err
    assert "fisher" not in ran.out + ran.err
    for form in FORMS:
        ran = bench.run("journal", "show", "-o", form)
        assert "hunter" not in ran.out + ran.err, form
    ledger = b"".join(path.read_bytes() for path in (bench.home / "journal").iterdir())
    assert b"hunter" not in ledger
    assert b"fisher" not in ledger
    shown = bench.run("mqsc", "run", "-", answer="DISPLAY QMGR SSLCRYP KEYRPWD INITKEY\n")
    assert "token;xxxxxx;" in shown.out
    assert "hunter" not in shown.out
    bench.ok("mqsc", "export", "--out", str(tmp_path / "all"))
    scripts = b"".join(path.read_bytes() for path in (tmp_path / "all").iterdir())
    assert b"hunter" not in scripts


def test_whoever_applies_definitions_sees_what_of_them_is_left_alone(
    bench: Bench, tmp_path: Path
) -> None:
    """Only plan FILES said it; the plan of apply and a saved plan did not."""
    bench.define("ORDERS.IN")
    text = "ALTER QLOCAL(ORDERS.IN) MAXDEPTH(9)\nSTART LISTENER(L)\n"
    plan, script = written(bench, tmp_path, text), str(tmp_path / "want.mqsc")
    unread = "not compared, and not changed: 1 x START LISTENER"
    assert re.search(f"warning +{unread}", bench.ok("apply", script, "-n").out)
    for words in (("plan", plan), ("apply", plan, "-n")):
        assert re.search(f"warning +when planned: {unread}", bench.ok(*words).out), words
    assert bench.ok("apply", plan, "-n", "-o", "json").item["notes"] == [f"when planned: {unread}"]
    asked = bench.run("apply", plan, answer="y\n", terminals=ON_A_TERMINAL)
    assert " ".join(asked.err.split()).count(f"warning: when planned: {unread}") == 1, asked.err
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 9


def test_a_plan_is_applied_to_the_queue_manager_that_it_names(bench: Bench, tmp_path: Path) -> None:
    bench.ok("emulator", "create", "QM2")
    bench.ok("queue", "define", "Q", "-m", "QM2", "--yes")
    bench.ok("msg", "put", "Q", "x", "-m", "QM2", "--yes")
    path = str(tmp_path / "purge.plan")
    bench.ok("msg", "purge", "Q", "--limit", "1", "-m", "QM2", "--plan", path)
    assert bench.run("apply", path, "-m", "QM1", "--yes").code == 2
    bench.environ["MQTRIAGE_QMGR"] = "QM1"
    assert bench.run("apply", path, "--yes").code == 2
    del bench.environ["MQTRIAGE_QMGR"]
    bench.ok("apply", path, "--dry-run")
    assert "at QM2" in bench.ok("apply", path, "--yes").out
    file = tmp_path / "set.mqsc"
    file.write_text("ALTER QLOCAL(Q) MAXDEPTH(7)\n", "utf-8")
    bench.ok("plan", str(file), "-m", "QM2", "--out", str(tmp_path / "set.plan"))
    bench.ok("apply", str(tmp_path / "set.plan"), "--yes")
    assert bench.attribute("Q", "MAXDEPTH", "QM2") == 7


def test_plan_shows_a_saved_plan_and_mqsc_does_not_run_it(sample: Bench, tmp_path: Path) -> None:
    purge, change = str(tmp_path / "purge.plan"), str(tmp_path / "change.plan")
    (tmp_path / "a.mqsc").write_text("DEFINE QLOCAL(APP.NEW)\n")
    sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--plan", purge)
    sample.ok("plan", str(tmp_path / "a.mqsc"), "--out", change)
    for file, text in ((purge, "purge 1 message from PAYMENTS.IN"), (change, "QLOCAL('APP.NEW')")):
        assert text in sample.ok("plan", file).out
        for verb in ("mqsc", "drift"):
            ran = sample.run(verb, file)
            assert (ran.code, "is a saved plan" in ran.error_line) == (2, True)
            assert f"hint: mqtriage plan {file} shows it" in ran.err
        assert sample.run("plan", file, str(tmp_path / "a.mqsc")).code == 2
        assert sample.run("plan", file, "--exact").code == 2


def test_a_plan_that_was_applied_names_its_operation(sample: Bench, tmp_path: Path) -> None:
    file, other = str(tmp_path / "purge.plan"), str(tmp_path / "other.plan")
    for plan in (file, other):
        sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--plan", plan)
    op = sample.ok("apply", file, "--yes", "-o", "json").item["op"]
    again = sample.run("apply", file, "--yes")
    assert again.code == 8
    assert f"operation {op} already applied this plan" in again.error_line
    assert f"mqtriage journal show {op}" in again.err
    stale = sample.run("apply", other, "--yes").err
    assert "the plan is stale" in stale
    assert "already applied" not in stale


def test_a_plan_that_was_applied_and_undone_says_so_when_it_is_applied_again(bench: Bench) -> None:
    bench.define("A")
    bench.ok("msg", "put", "A", "x", "--yes")
    file = str(bench.home / "p.json")
    bench.ok("msg", "purge", "A", "--plan", file)
    assert "already applied" not in bench.ok("apply", file, "-n").err
    op = bench.ok("apply", file, "--yes", "-o", "json").item["op"]
    bench.ok("journal", "undo", op, "--yes")
    note = f"operation {op} already applied this plan: this repeats it"
    assert note in bench.ok("apply", file, "-n", "-o", "json").item["notes"]
