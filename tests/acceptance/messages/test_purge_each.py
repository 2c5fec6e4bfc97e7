"""A purge of a generic name: a plan, a question and an operation for each queue."""

from __future__ import annotations

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


@pytest.mark.parametrize("how", [("--confirm", "LOOP*", "--yes"), ("--older-than", "0s", "--yes")])
def test_all_of_them_are_purged_each_with_an_archive(loops: Estate, how: tuple[str, ...]) -> None:
    loops.run("emulator", "clock", "+1s")
    ran = loops.run("msg", "purge", "LOOP*", *how)
    assert ran.code == 0, ran.err
    assert [len(loops.messages(f"LOOP.{name}")) for name in "ABC"] == [0, 0, 0]
    assert len(loops.archives()) == 2
    assert loops.bodies("IN") == [b"other"]


def test_without_the_name_nothing_is_purged(loops: Estate) -> None:
    assert loops.run("msg", "purge", "LOOP*", "--yes").code == 8
    assert loops.run("msg", "purge", "LOOP*", "--yes", "--confirm", "LOOP.B").code == 8
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
