"""`mqtriage doctor` on the emulator: what it says of a queue, the queue manager said."""

from __future__ import annotations

import pytest

from mqtriage.backends.client.library import PackageProblem
from mqtriage.commands.context import doctor
from tests.acceptance.conftest import Bench


@pytest.mark.parametrize(("package", "extra"), [("ibmmq", "ibmmq"), ("pymqi", "mq")])
def test_a_package_that_is_not_installed_is_an_extra_of_the_checkout(
    bench: Bench, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        doctor, "find", lambda name: PackageProblem(name, False, f"{name} is not installed")
    )
    row = next(one for one in bench.ok("doctor", "-o", "json").item["packages"]
               if one["name"] == package)  # fmt: skip
    assert row["fix"] == f"pip install '.[{extra}]' in your mqtriage checkout"


def test_a_queue_that_is_not_there_is_granted_to_nobody(bench: Bench) -> None:
    ran = bench.run("doctor", "NOPE", "-o", "json")
    rows = [row for row in ran.json["item"]["authorities"] if row["object"] == "NOPE"]
    assert (ran.code, '"text":"NOPE: no such queue on QM1"' in ran.err) == (5, True), ran.err
    assert {(row["state"], row["answer"], row["ask_for"]) for row in rows} == {
        ("no such object", "no such queue", "")
    }
    assert len(rows) == 5


def test_an_alias_of_nothing_is_not_granted_either(bench: Bench) -> None:
    bench.define("Q")
    bench.ok("queue", "define", "ALIAS", "TARGET=Q", "--yes")
    bench.ok("queue", "delete", "Q", "--yes")
    ran = bench.run("doctor", "ALIAS", "SYSTEM.DEAD.LETTER.QUEUE")
    assert (ran.code, ran.error_line.startswith("ALIAS: ")) == (5, True), ran.err
    assert "2082" in ran.error_line


def test_each_answer_is_from_the_queue_manager_or_says_that_it_was_not_asked(
    bench: Bench,
) -> None:
    bench.define("Q")
    bench.define(T="TRIGGER=YES")
    rows = bench.ok("doctor", "Q", "T", "-o", "json").item["authorities"]
    asked = {"BROWSE", "GET", "PUT", "PASSALL", "CONNECT", "INQ"}
    for row in rows:
        assert len({word in asked | {"SETALL"} for word in row["needs"]}) == 1, row  # all or none
        was_asked = asked & set(row["needs"]) and (row["object"], row["group"]) != ("T", "take")
        assert row["answer"].startswith("not checked: ") != bool(was_asked), row


def test_authorities_of_a_queue_manager_that_is_not_reached_were_not_counted(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    bench.ok("emulator", "stop", "QM2")
    here, stopped = bench.run("doctor", "-m", "QM1,QM2", "-o", "json").items
    assert (here["missing"], stopped["missing"], stopped["reached"]) == (0, None, False)
