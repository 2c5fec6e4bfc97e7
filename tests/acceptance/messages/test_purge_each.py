"""A purge of a generic name: a plan, a question and an operation for each queue."""

from __future__ import annotations

import shlex

import pytest

from tests.acceptance.messages.estate import TERMINAL, Estate


@pytest.fixture
def loops(estate: Estate) -> Estate:
    for name, bodies in (("LOOP.A", [b"a"] * 2), ("LOOP.B", [b"b"] * 3), ("LOOP.C", [])):
        estate.queue(name)
        estate.put(name, *bodies)
    estate.put("IN", b"other")
    return estate


def test_each_queue_that_holds_messages_has_its_plan_and_nothing_is_done(loops: Estate) -> None:
    ran = loops.run("msg", "purge", "LOOP.*", "-n", "-o", "ndjson")
    assert ran.code == 0, ran.err
    assert [(plan["queue"], plan["count"]) for plan in ran.lines] == [
        ("LOOP.A", 2), ("LOOP.B", 3),
    ]  # fmt: skip
    assert len(loops.messages("LOOP.A")) == 2


@pytest.mark.parametrize(
    "how", [("--confirm", "LOOP*", "--yes"), ("--where", "priority >= 0", "--yes")]
)
def test_all_of_them_are_purged_each_with_an_archive(loops: Estate, how: tuple[str, ...]) -> None:
    loops.run("emulator", "clock", "+1s")
    ran = loops.run("msg", "purge", "LOOP*", *how)
    assert ran.code == 0, ran.err
    assert [len(loops.messages(f"LOOP.{name}")) for name in "ABC"] == [0, 0, 0]
    assert len(loops.archives()) == 2
    assert loops.bodies("IN") == [b"other"]


@pytest.mark.parametrize("group", ["msg", "backout"])
@pytest.mark.parametrize("given", [("--yes",), ("--yes", "--confirm", "LOOP.A"), ("-n",)])
def test_the_hint_is_the_command_that_purges_all_of_them(
    loops: Estate, group: str, given: tuple[str, ...]
) -> None:
    ran = loops.run(group, "purge", "LOOP*", *given)
    assert ran.code == (0 if "-n" in given else 8)
    assert [len(loops.messages(f"LOOP.{name}")) for name in "ABC"] == [2, 3, 0]
    assert "--confirm 'LOOP*'\n" in ran.err
    assert "--confirm LOOP" not in ran.err.replace("--confirm LOOP.A, but the name", "")
    if "-n" not in given:
        command = ran.err.rpartition("to do it: mqtriage ")[2].strip()
        assert loops.run(*shlex.split(command)).code == 0
        assert [len(loops.messages(f"LOOP.{name}")) for name in "ABC"] == [0, 0, 0]


def test_a_rehearsal_on_a_terminal_names_what_confirms_all_of_them(loops: Estate) -> None:
    ran = loops.run("msg", "purge", "LOOP*", "-n", terminals=TERMINAL)
    assert "without -n it needs --confirm 'LOOP*'" in ran.err
    assert "--confirm LOOP.A" not in ran.err


def test_a_protected_queue_manager_takes_one_queue_at_a_time(
    loops: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(loops.folder)
    settings = '[context.prod]\nbackend = "emulator"\nqmgr = "QM1"\nprotected = true\n'
    (loops.folder / ".mqtriage.toml").write_text(settings)
    words = ("--where", "priority >= 0", "--yes", "--confirm", "LOOP*", "--context", "prod")
    ran = loops.run("msg", "purge", "LOOP*", *words)
    assert ran.code == 8
    assert "needs a command for each queue" in ran.err
    assert "hint: give LOOP.A in place of LOOP*" in ran.err
    assert len(loops.messages("LOOP.A")) == 2


def test_a_no_leaves_the_queues_that_come_after(loops: Estate) -> None:
    ran = loops.run("msg", "purge", "LOOP*", stdin="LOOP.A\nno\n", terminals=TERMINAL)
    assert ran.code == 8
    assert [len(loops.messages(f"LOOP.{name}")) for name in "AB"] == [0, 3]


@pytest.mark.parametrize(
    "argv", ["* --yes", "LOOP* --expect 5 --yes", "LOOP* --plan p --yes", "LOOP* --yes -o json"]
)
def test_what_is_of_one_plan_is_refused(loops: Estate, argv: str) -> None:
    assert loops.run("msg", "purge", *argv.split()).code == 2
    assert len(loops.messages("LOOP.B")) == 3


def test_a_pattern_of_empty_queues_says_so(loops: Estate) -> None:
    ran = loops.run("msg", "purge", "LOOP.C*", "--yes")
    assert (ran.code, "no queue contains messages" in ran.err) == (0, True)
    assert loops.run("msg", "purge", "NONE*", "--yes").code == 5
