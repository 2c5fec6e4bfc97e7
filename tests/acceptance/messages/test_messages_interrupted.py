"""Ctrl-C while messages are moved: the first ends after the batch, the second at once."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.mq.errors import QueueFull
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.units import COMMITTED
from tests.acceptance.messages.estate import TERMINAL, Estate

ROOT = Path(__file__).parents[3]
RESUME = ("journal", "resume", "--yes")
MOVE = ("msg", "move", "IN", "--to", "OUT", "--batch", "1", "--yes", "-o", "json")


def raise_at_commit(
    monkeypatch: pytest.MonkeyPatch, signum: signal.Signals, times: int = 1
) -> None:
    """The first commit of the act is met by *times* signals."""
    commit = EmulatedBackend.commit
    pending = [times]

    def interrupted(backend: EmulatedBackend) -> None:
        for _ in range(pending.pop() if pending else 0):
            signal.raise_signal(signum)
        commit(backend)

    monkeypatch.setattr(EmulatedBackend, "commit", interrupted)


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_first_signal_ends_the_act_after_its_batch(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, signum: signal.Signals, code: int
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    raise_at_commit(monkeypatch, signum)
    ran = estate.run(*MOVE)
    assert ran.code == code
    assert ran.json["interrupted"] is True
    assert f"mqtriage journal resume {ran.json['op']} continues it" in ran.err
    assert (ran.json["counts"]["planned"], ran.json["counts"]["done"]) == (3, 1)
    assert ran.json["counts"]["not_reached"] == 2
    assert (estate.bodies("OUT"), estate.bodies("IN")) == ([b"1"], [b"2", b"3"])


def test_the_second_signal_ends_it_at_once_and_nothing_is_lost_or_doubled(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    raise_at_commit(monkeypatch, signal.SIGINT, times=2)
    ran = estate.run(*MOVE)
    assert (ran.code, ran.out) == (130, "")
    error = json.loads(ran.err.splitlines()[-1])
    assert (error["code"], error["text"], error["exit"]) == ("INTERRUPTED", "interrupted", 130)
    assert error["hint"] == "mqtriage journal ls shows what was done"
    assert (estate.bodies("OUT"), estate.bodies("IN")) == ([], [b"1", b"2", b"3"])


@pytest.mark.parametrize("form", ["json", "ndjson", "yaml"])
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("times", [1, 2], ids=["first", "second"])
def test_a_quiet_run_for_scripts_that_a_signal_ends_writes_json_alone_to_stderr(
    estate: Estate,
    monkeypatch: pytest.MonkeyPatch,
    times: int,
    signum: signal.Signals,
    form: str,
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    raise_at_commit(monkeypatch, signum, times)
    ran = estate.run(*MOVE[:-1], form, "--quiet")
    assert ran.code == 128 + signum
    lines = [json.loads(line) for line in ran.err.splitlines()]
    assert [line["exit"] for line in lines] == [128 + signum] * (times - 1)


def test_a_quiet_run_that_a_signal_ends_does_not_say_so_to_people_either(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    raise_at_commit(monkeypatch, signal.SIGINT)
    ran = estate.run(*MOVE[:-2], "--quiet", terminals=TERMINAL)
    assert (ran.code, ran.err) == (130, "")


def test_on_a_terminal_the_answer_to_a_signal_takes_the_place_of_the_progress(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    raise_at_commit(monkeypatch, signal.SIGINT)
    ran = estate.run(*MOVE[:-2], terminals=TERMINAL)
    assert "\n\r\x1b[2Kstopping after the current batch" in ran.err


@pytest.mark.parametrize("times", [1, 2], ids=["first", "second"])
def test_a_resume_does_the_rest_of_what_a_signal_ended(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    raise_at_commit(monkeypatch, signal.SIGINT, times)
    assert estate.run(*MOVE).code == 130
    monkeypatch.undo()
    ran = estate.run("journal", "resume", "--yes", "-o", "json")
    assert (ran.code, ran.json["counts"]["done"]) == (0, 2 if times == 1 else 3)
    assert (estate.bodies("OUT"), estate.bodies("IN")) == ([b"1", b"2", b"3"], [])
    assert estate.run("journal", "verify").code == 0


# resume without an id ---------------------------------------------------------------------------


def interrupted(estate: Estate, monkeypatch: pytest.MonkeyPatch, *argv: str) -> str:
    """Have an operation end by a signal after its first message; its id."""
    with monkeypatch.context() as patch:
        raise_at_commit(patch, signal.SIGINT)
        ran = estate.run(*argv)
    assert ran.code == 130, ran.err
    return str(ran.json["op"])


def do_other_work(estate: Estate) -> None:
    """Operations that begin later and end well."""
    estate.put("OTHER", b"x")
    assert estate.run("msg", "put", "OTHER", "y", "--yes").code == 0
    assert estate.run("queue", "set", "OTHER", "MAXDEPTH=9", "--yes").code == 0
    assert estate.run("msg", "purge", "OTHER", "--confirm", "OTHER").code == 0


def test_a_resume_finds_the_interrupted_operation_whatever_was_done_after_it(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.queue("OTHER")
    estate.put("IN", b"1", b"2", b"3")
    op = interrupted(estate, monkeypatch, *MOVE)
    do_other_work(estate)
    looked = estate.run("journal", "resume", "-n")
    assert (looked.code, op in looked.out) == (0, True)
    ran = estate.run(*RESUME, "-o", "json")
    assert (ran.code, ran.json["op"], ran.json["counts"]["done"]) == (0, op, 2)
    assert (estate.bodies("OUT"), estate.bodies("IN")) == ([b"1", b"2", b"3"], [])
    assert estate.run(*RESUME).code == 9


def test_the_plan_of_a_resume_names_who_removed_the_rest_in_the_meantime(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3", b"4")
    interrupted(estate, monkeypatch, *MOVE)
    later = estate.run("msg", "purge", "IN", "--limit", "2", "--yes", "-o", "json").json["op"]
    note = f"operation {later} (purge) has removed 2 of these messages since then"
    looked = estate.run("journal", "resume", "-n", "-o", "json")
    assert note in looked.json["item"]["notes"]
    ran = estate.run(*RESUME, "-o", "json")
    assert [item["outcome"] for item in ran.json["items"]] == ["skipped", "skipped", "done"]
    assert (looked.code, ran.code) == (3, 3)


def test_the_plan_of_a_resume_counts_what_programs_have_got_in_the_meantime(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"same", b"same", b"same", msg_id=b"M" * 24)
    estate.put("IN", b"other")
    interrupted(estate, monkeypatch, *MOVE)
    estate.take("IN")
    looked = estate.run("journal", "resume", "-n", "-o", "json")
    assert (looked.code, looked.json["item"]["count"]) == (3, 3)
    assert "1 of them will be skipped: no longer on IN" in looked.json["item"]["notes"]
    ran = estate.run(*RESUME, "-o", "json")
    assert (ran.code, ran.json["counts"]["done"], ran.json["counts"]["skipped"]) == (3, 2, 1)


@pytest.mark.parametrize("threshold", [0, 9])
def test_the_batch_of_the_plan_of_a_resume_is_that_of_its_units_of_work(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, threshold: int
) -> None:
    estate.alter("IN", BOTHRESH=threshold)
    estate.put("IN", b"1", b"2", b"3", b"4", b"5")
    move = ("msg", "move", "IN", "--to", "OUT", "--rate", "20/s", "--yes", "-o", "json")
    op = interrupted(estate, monkeypatch, *move)
    facts = estate.run(*RESUME[:2], "--rate", "30/s", "-n", "-o", "json").json["item"]["facts"]
    assert estate.run(*RESUME, "--rate", "30/s").code == 0
    units = [unit.size for unit in Journal(estate.folder / "journal").units(op, COMMITTED)]
    assert units == ([1] * 5 if threshold else [2, 3])
    assert facts["batch"] == units[-1]


def test_of_several_that_wait_one_must_be_named(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.queue("IN2")
    estate.put("IN", b"1", b"2")
    estate.put("IN2", b"3", b"4")
    first = interrupted(estate, monkeypatch, *MOVE)
    second = interrupted(
        estate,
        monkeypatch,
        "msg",
        "move",
        "IN2",
        "--to",
        "OUT",
        "--batch",
        "1",
        "--yes",
        "-o",
        "json",
    )
    ran = estate.run(*RESUME)
    assert (ran.code, ran.out) == (2, "")
    assert "2 operations can be resumed" in ran.err
    assert f"{second} (move IN2 at QM1, 1 of 2 done), {first} (move IN at QM1" in ran.err
    assert (estate.bodies("IN"), estate.bodies("IN2")) == ([b"2"], [b"4"])
    assert estate.run(*RESUME[:2], first, "--yes").code == 0
    assert estate.run(*RESUME).code == 0  # one is left, which needs no name
    assert (estate.bodies("IN"), estate.bodies("IN2")) == ([], [])
    assert estate.run(*RESUME).code == 9


@pytest.mark.slow
def test_the_loop_of_the_documentation_resumes_what_waits_and_ends(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.queue("OTHER")
    estate.put("IN", *(b"%d" % number for number in range(9)))
    interrupted(estate, monkeypatch, *MOVE)
    do_other_work(estate)
    interrupted(estate, monkeypatch, *RESUME, "-o", "json")
    do_other_work(estate)
    page = (ROOT / "docs" / "scripting.md").read_text("utf-8")
    begin = page.index("code=0\nuntil")
    loop = page[begin : page.index("```", begin)]
    program = f'mqtriage() {{ {shlex.quote(sys.executable)} -m mqtriage "$@"; }}'
    ran = subprocess.run(
        ["sh", "-e", "-c", f"{program}\n{loop}"],
        env={**os.environ, **estate.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "nothing to resume" in ran.stderr
    assert estate.bodies("IN") == []
    assert sorted(estate.bodies("OUT")) == [b"%d" % number for number in range(9)]


@pytest.mark.parametrize("times", [1, 2], ids=["first", "second"])
def test_a_resume_that_is_interrupted_at_each_of_its_messages_gets_there_in_a_loop(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """At the second signal nothing of the batch is done; every other turn is left in peace."""
    bodies = [b"%d" % number for number in range(6)]
    estate.queue("OTHER")
    estate.put("IN", *bodies)
    argv: tuple[str, ...] = MOVE
    codes: list[int] = []
    while codes[-1:] != [9] and len(codes) < 20:
        with monkeypatch.context() as patch:
            if len(codes) % 2 == 0:
                raise_at_commit(patch, signal.SIGINT, times)
            codes.append(estate.run(*argv).code)
        assert sorted(estate.bodies("IN") + estate.bodies("OUT")) == bodies
        do_other_work(estate)
        argv = (*RESUME, "-o", "json")
    assert set(codes) == {130, 0, 9}
    assert (estate.bodies("IN"), sorted(estate.bodies("OUT"))) == ([], bodies)


def test_an_apply_that_waits_is_found_too_and_the_resume_that_failed_is_not_one_more(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    estate.queue("OTHER")
    script = tmp_path / "want.mqsc"
    script.write_text("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\nDEFINE QLOCAL(C)\n")
    define = EmulatedBackend.define

    def failing(backend: EmulatedBackend, kind: str, name: str, attributes: Any) -> None:
        if name == bad:
            raise QueueFull(2053, f"define {name}")
        define(backend, kind, name, attributes)

    with monkeypatch.context() as patch:
        patch.setattr(EmulatedBackend, "define", failing)
        bad = "B"
        assert estate.run("apply", str(script), "--yes").code == 3
        do_other_work(estate)
        bad = "C"
        assert estate.run(*RESUME).code == 3
    ran = estate.run(*RESUME)
    assert (ran.code, "all 3 commands have been run" in ran.err) == (0, True), ran.err
    assert estate.run(*RESUME).code == 9


# undone -----------------------------------------------------------------------------------------


def state(estate: Estate, op: str) -> str:
    return str(estate.run("journal", "show", op, "-o", "json").json["item"]["state"])


def test_an_interrupted_operation_that_was_undone_says_so_and_is_not_resumed(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    op = interrupted(estate, monkeypatch, *MOVE)
    assert state(estate, op) == "interrupted"
    assert estate.run("journal", "undo", op, "--yes").code == 0
    assert state(estate, op) == "undone"
    assert "  undone\n" in estate.run("journal", "ls").out
    before = estate.bodies("IN")
    for more in (("--yes",), ("-n",)):
        ran = estate.run("journal", "resume", op, *more)
        assert ran.code == 8
        assert f"operation {op} is undone; a resume would finish it: 2 of 3" in ran.err
    assert estate.run(*RESUME).code == 9
    assert (estate.bodies("IN"), estate.bodies("OUT")) == (before, [])
    assert estate.run("journal", "prune", op, "--yes").code == 0  # nothing of it is left to do


def test_what_was_undone_in_part_says_so_and_is_not_resumed(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    with monkeypatch.context() as patch:
        raise_at_commit(patch, signal.SIGINT)
        ran = estate.run(*("2" if word == "1" else word for word in MOVE))
    op = ran.json["op"]
    estate.take("OUT")
    assert estate.run("journal", "undo", op, "--yes").code == 3
    assert state(estate, op) == "partly undone"
    ran = estate.run("journal", "resume", op, "--yes")
    assert (ran.code, "is partly undone" in ran.err) == (8, True)
    assert sorted(estate.bodies("IN")) == [b"2", b"3"]


def test_an_undo_that_is_interrupted_is_what_waits_until_all_is_undone(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    ran = estate.run(*MOVE)
    op = ran.json["op"]
    undo = interrupted(
        estate, monkeypatch, "journal", "undo", op, "--batch", "1", "--yes", "-o", "json"
    )
    assert (state(estate, op), state(estate, undo)) == ("partly undone", "interrupted")
    assert "resume: 2 messages back to IN at QM1" in estate.run("journal", "resume", "-n").out
    again = estate.run("journal", "undo", "-n")
    assert f"{undo} is an undo of {op}, and is not finished\n" in again.err
    assert f"hint: mqtriage journal resume {undo}\n" in again.err
    assert estate.run(*RESUME, "-o", "json").json["op"] == undo
    assert f"hint: repeat what {op} did\n" in estate.run("journal", "undo", undo, "-n").err
    assert (state(estate, op), state(estate, undo)) == ("undone", "done")
    assert sorted(estate.bodies("IN")) == [b"1", b"2", b"3"]


def test_messages_that_stay_for_one_reason_are_one_line_behind_the_headline(estate: Estate) -> None:
    estate.put("IN", *(b"%d" % number for number in range(50)))
    estate.run("msg", "move", "IN", "--to", "OUT", "--yes")
    for _ in range(30):
        estate.take("OUT")
    ran = estate.run("journal", "undo", "--yes", "-q")
    stayed = [line for line in ran.out.splitlines() if line.startswith("  skipped")]
    assert (ran.code, len(stayed)) == (3, 1), ran.out
    assert stayed[0].startswith("  skipped 30 messages: ")
    assert re.search(r"; the first is [0-9A-F]{48}$", stayed[0])
    assert "journal show" not in ran.out, "the journal has only what an undo can take"


def test_an_undo_that_was_cut_does_not_wait_once_another_did_the_rest(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    op = estate.run(*MOVE).json["op"]
    undo = interrupted(
        estate, monkeypatch, "journal", "undo", op, "--batch", "1", "--yes", "-o", "json"
    )
    assert estate.run("journal", "undo", op, "--yes").code == 0
    assert (state(estate, op), state(estate, undo)) == ("undone", "superseded")
    assert estate.run(*RESUME).code == 9
    ran = estate.run("journal", "resume", undo, "--yes")
    assert (ran.code, f"a later undo of {op} completed it" in ran.err) == (8, True), ran.err
    assert sorted(estate.bodies("IN")) == [b"1", b"2", b"3"]


def test_an_undo_that_comes_while_a_resume_asks_is_seen(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    op = interrupted(estate, monkeypatch, *MOVE)
    ran = estate.run(
        "journal",
        "resume",
        stdin="y\n",
        meanwhile=lambda: estate.run("journal", "undo", op, "--yes"),
    )
    assert (ran.code, "is undone" in ran.err) == (8, True), ran.err
    assert (sorted(estate.bodies("IN")), estate.bodies("OUT")) == ([b"1", b"2", b"3"], [])


def test_a_change_that_was_undone_says_so_and_is_not_resumed(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "want.mqsc"
    script.write_text("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\n")
    define = EmulatedBackend.define

    def failing(backend: EmulatedBackend, kind: str, name: str, attributes: Any) -> None:
        if name == "B":
            raise QueueFull(2053, "define B")
        define(backend, kind, name, attributes)

    with monkeypatch.context() as patch:
        patch.setattr(EmulatedBackend, "define", failing)
        assert estate.run("apply", str(script), "--yes").code == 3
    (op,) = (item["op"] for item in estate.run("journal", "ls", "-o", "json").json["items"])
    assert state(estate, op) == "partly done"
    assert estate.run("journal", "undo", op, "--confirm", "A").code == 0
    assert state(estate, op) == "undone"
    ran = estate.run("journal", "resume", op, "--yes")
    assert (ran.code, "is undone" in ran.err) == (8, True)
    assert estate.run(*RESUME).code == 9
    assert estate.run("queue", "show", "A").code == 5
