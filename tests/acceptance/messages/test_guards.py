"""Protected and read-only contexts, failures that stop an act, and the rate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedHandle
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers.dlh import DLH, encode
from tests.acceptance.messages.estate import Estate, Ran

Run = Callable[..., Ran]


@pytest.fixture
def in_context(estate: Estate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command line in the context "prod", with the settings that are given."""
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)

    def run(settings: str, *argv: str, **more: Any) -> Ran:
        text = f'[context.prod]\nbackend = "emulator"\nqmgr = "QM1"\n{settings}\n'
        (project / ".mqtriage.toml").write_text(text)
        return estate.run("--context", "prod", *argv, **more)

    return run


PROTECTED = "protected = true"
MOVE = ("msg", "move", "IN", "--to", "OUT")
PURGE = ("msg", "purge", "IN", "--where", "priority >= 0")


@pytest.mark.parametrize(
    ("argv", "missing"),
    [
        pytest.param((*MOVE,), "--yes and --expect 2", id="move"),
        pytest.param((*MOVE, "--yes"), "--expect 2", id="move-yes"),
        pytest.param((*MOVE, "--expect", "2"), "--yes", id="move-expect"),
        pytest.param((*PURGE, "--yes"), "--confirm QM1 and --expect 2", id="purge-yes"),
        pytest.param((*PURGE, "--expect", "2"), "--confirm QM1", id="purge-expect"),
        pytest.param((*PURGE, "--confirm", "QM2", "--expect", "2"), "--confirm QM1", id="other"),
        pytest.param((*PURGE, "--confirm", "IN", "--expect", "2"), "--confirm QM1", id="queue"),
        pytest.param(
            (*MOVE, "--yes", "--confirm", "QM2", "--expect", "2"), "--confirm QM1", id="w"
        ),
        pytest.param(("msg", "put", "IN", "x", "--yes"), "--confirm QM1", id="put"),
        pytest.param(("queue", "set", "IN", "MAXDEPTH=9", "--yes"), "--confirm QM1", id="set"),
    ],
)
def test_a_protected_context_wants_more_than_yes(
    estate: Estate, in_context: Run, argv: tuple[str, ...], missing: str
) -> None:
    estate.put("IN", b"1", b"2")
    ran = in_context(PROTECTED, *argv)
    assert (ran.code, f"needs {missing}, because context prod protects" in ran.err) == (8, True), (
        ran.err
    )
    assert estate.bodies("IN") == [b"1", b"2"]


def test_a_refusal_for_another_reason_says_too_what_a_protected_context_wants(
    estate: Estate, in_context: Run
) -> None:
    estate.put("IN", b"1", report=cmqc.MQRO_COD, reply_to_q="OUT")
    ran = in_context(PROTECTED, *PURGE, "--yes")
    assert ran.code == 8
    assert "requests a confirmation on delivery (COD)" in ran.err
    assert "needs --confirm QM1 and --expect 1, because context prod protects" in ran.err
    ran = in_context(PROTECTED, *PURGE, "--confirm", "QM1", "--expect", "1")
    assert (ran.code, "needs" in ran.err) == (8, False)


def test_what_a_protected_context_wants_is_enough(estate: Estate, in_context: Run) -> None:
    estate.put("IN", b"1", b"2")
    assert in_context(PROTECTED, *MOVE, "--limit", "1", "--yes", "--expect", "1").code == 0
    assert in_context(PROTECTED, *PURGE, "--confirm", "QM1", "--expect", "1").code == 0
    assert in_context(PROTECTED, "msg", "put", "IN", "x", "--confirm", "QM1").code == 0
    assert in_context(PROTECTED, *MOVE, "-n").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"x"], [b"1"])


def test_the_name_of_the_queue_manager_is_a_yes_elsewhere_too(
    estate: Estate, in_context: Run
) -> None:
    assert in_context("", "msg", "put", "IN", "x", "--count", "2", "--confirm", "QM1").code == 0
    assert in_context("", *PURGE, "--limit", "1", "--confirm", "QM1").code == 0
    ran = in_context("", "msg", "purge", "IN", "--confirm", "QM1")
    assert (ran.code, "--confirm IN" in ran.err) == (8, True)
    assert in_context("", *PURGE, "--confirm", "QM2").code == 8
    assert estate.bodies("IN") == [b"x"]


def test_all_of_a_queue_is_purged_through_a_plan_file_only(
    estate: Estate, in_context: Run, tmp_path: Path
) -> None:
    estate.put("IN", b"1", b"2")
    argv = ("msg", "purge", "IN", "--confirm", "QM1", "--expect", "2")
    ran = in_context(PROTECTED, *argv)
    assert (ran.code, "plan file" in ran.err) == (8, True)
    path = str(tmp_path / "a.plan")
    assert in_context(PROTECTED, *argv, "--plan", path).code == 0
    assert estate.bodies("IN") == [b"1", b"2"]
    apply = ("apply", path)
    assert in_context(PROTECTED, *apply, "--yes").code == 8
    assert in_context(PROTECTED, *apply, "--confirm", "QM1", "--expect", "2").code == 0
    assert estate.bodies("IN") == []


def test_a_sweep_in_a_protected_context_wants_the_name_and_a_bound(
    estate: Estate, in_context: Run
) -> None:
    estate.put("IN", b"1", b"2", expiry_tenths=10)
    estate.put("IN", b"3")
    estate.advance(2)
    sweep = ("expiry", "sweep", "IN")
    for argv in (("--yes",), ("--confirm", "QM2"), ("--yes", "--expect", "2")):
        ran = in_context(PROTECTED, *sweep, *argv)
        assert (ran.code, "--confirm QM1" in ran.err) == (8, True)
    assert "--expect 2" in in_context(PROTECTED, *sweep, "--confirm", "QM1").err
    assert in_context(PROTECTED, *sweep, "-n").code == 0
    assert in_context(PROTECTED, *sweep, "--confirm", "QM1", "--expect", "2").code == 0


def test_the_archive_cannot_be_off_in_a_protected_context(estate: Estate, in_context: Run) -> None:
    estate.put("IN", b"1")
    ran = in_context(PROTECTED, *PURGE, "--confirm", "QM1", "--expect", "1", "--no-backup")
    assert (ran.code, "--no-backup" in ran.err) == (8, True)
    assert estate.bodies("IN") == [b"1"]


def test_nor_for_an_operation_that_is_resumed_there(
    estate: Estate, in_context: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2")
    with monkeypatch.context() as patched:
        patched.setattr(EmulatedHandle, "put", lambda *_, **__: refuse_put())
        assert estate.run(*MOVE, "--yes", "--no-backup", "--max-errors", "1").code == 1
    ran = in_context(PROTECTED, "journal", "resume", "--yes", "--expect", "2")
    assert (ran.code, "--no-backup" in ran.err, estate.bodies("OUT")) == (8, True, []), ran.err
    assert in_context("", "journal", "resume", "--yes").code == 0
    assert estate.bodies("OUT") == [b"1", b"2"]


def refuse_put() -> None:
    raise mqi_error(2030, "put to OUT")


@pytest.mark.parametrize(
    "argv",
    [
        (*MOVE, "--yes"),
        (*PURGE, "--yes"),
        ("msg", "put", "IN", "x", "--yes"),
        ("queue", "set", "IN", "MAXDEPTH=9", "--yes"),
        ("journal", "undo", "--yes"),
    ],
    ids=["move", "purge", "put", "set", "undo"],
)
def test_a_read_only_context_changes_nothing(
    estate: Estate, in_context: Run, argv: tuple[str, ...]
) -> None:
    estate.put("IN", b"1", b"2")
    estate.run("msg", "purge", "IN", "--limit", "1", "--yes")
    ran = in_context("read_only = true", *argv)
    assert (ran.code, "read-only" in ran.err or "only reads" in ran.err) == (8, True), ran.err
    assert estate.bodies("IN") == [b"2"]


def test_no_command_touches_more_messages_than_the_context_allows(
    estate: Estate, in_context: Run
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    ran = in_context("max_messages = 2", *MOVE, "--yes")
    assert (ran.code, "and context prod allows 2 (max_messages)" in ran.err) == (8, True)
    assert in_context("max_messages = 2", *MOVE, "--limit", "2", "--yes").code == 0
    assert estate.bodies("OUT") == [b"1", b"2"]


def test_a_read_only_context_shows_plans(estate: Estate, in_context: Run) -> None:
    estate.put("IN", b"1")
    assert in_context("read_only = true", *MOVE, "-n").code == 0


@pytest.mark.slow
def test_the_rate_of_a_context_holds_where_none_is_given(estate: Estate, in_context: Run) -> None:
    import time

    estate.put("IN", *(b"%d" % number for number in range(15)))
    began = time.monotonic()
    assert in_context('defaults.rate = "10/s"', *MOVE, "--yes").code == 0
    assert time.monotonic() - began >= 0.9


@pytest.mark.parametrize(
    ("option", "reached"), [(("--max-errors", "1"), 1), (("--max-errors", "2"), 2)], ids=str
)
def test_failures_stop_the_act(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...], reached: int
) -> None:
    estate.put("IN", b"good", b"bad", b"bad", b"bad")
    put = EmulatedHandle.put

    def refusing(handle: EmulatedHandle, *args: Any) -> Any:
        if args[1] == b"bad":
            raise mqi_error(2030, "put to OUT")
        return put(handle, *args)

    monkeypatch.setattr(EmulatedHandle, "put", refusing)
    ran = estate.run(*MOVE, "--yes", "-o", "json", *option)
    assert ran.code == 3
    outcomes = [item["outcome"] for item in ran.json["items"]]
    assert outcomes == ["done", *["failed"] * reached, *["skipped"] * (3 - reached)]
    assert f"stopped by {' '.join(option)}" in ran.json["warnings"][0]
    assert (estate.bodies("OUT"), estate.bodies("IN")) == ([b"good"], [b"bad"] * 3)


def test_without_a_limit_every_message_is_tried(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"bad", b"bad", b"good")
    put = EmulatedHandle.put

    def refusing(handle: EmulatedHandle, *args: Any) -> Any:
        if args[1] == b"bad":
            raise mqi_error(2030, "put to OUT")
        return put(handle, *args)

    monkeypatch.setattr(EmulatedHandle, "put", refusing)
    assert estate.run(*MOVE, "--yes").code == 3
    assert estate.bodies("OUT") == [b"good"]


@pytest.mark.parametrize(
    ("settings", "refusal"),
    [
        pytest.param(PROTECTED, "because context prod protects QM1", id="protected"),
        pytest.param("read_only = true", "read-only because of context prod", id="read-only"),
    ],
)
def test_a_run_of_rules_does_not_stay_in_a_guarded_context(
    estate: Estate, in_context: Run, tmp_path: Path, settings: str, refusal: str
) -> None:
    rules = tmp_path / "dlq.rules"
    rules.write_text("WAIT(YES)\nACTION(DISCARD)\n")
    ran = in_context(settings, "dlq", "run", "IN", "-f", str(rules), "--yes")
    assert (ran.code, refusal in ran.err, "--wait no" in ran.err) == (8, True, True), ran.err


def test_max_messages_of_a_context_ends_a_run_of_rules_that_stays(
    estate: Estate, in_context: Run, tmp_path: Path
) -> None:
    header = encode(DLH(2053, "OUT", "QM1", encoding=273, ccsid=819, format="MQSTR"))
    estate.put("IN", *(header + b"%d" % number for number in range(3)), format="MQDEAD")
    rules = tmp_path / "dlq.rules"
    rules.write_text("WAIT(YES)\nACTION(RETRY)\n")
    argv = ("dlq", "run", "IN", "-f", str(rules), "--yes")
    ran = in_context("max_messages = 2", *argv)
    assert ran.code == 0, ran.err
    assert "no more messages may be removed" in ran.err
    assert estate.bodies("OUT") == [b"0", b"1"]
