"""`mqtriage lint --queue` and `--as`: the rules on some queues, live and from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench

HALF = {"ORDERS.IN": "BOTHRESH=3", "PAY.IN": "BOTHRESH=3 BOQNAME=PAY.BO", "PAY.BO": "MAXMSGL=100"}


@pytest.fixture
def half(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A queue manager with a blank backout queue name and a backout queue that is too short."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    bench.define(**HALF)
    return bench


LINT = ("lint", "--select", "BKO")


def run(bench: Bench, command: str) -> None:
    bench.ok("mqsc", "-", "--yes", answer=f"{command}\n")


def found(bench: Bench, *args: str) -> list[tuple[str, str]]:
    items = bench.run(*LINT, *args, "-o", "json").items
    return [(item["code"], item["object"]) for item in items if item["severity"] == "error"]


def test_errors_are_exit_4_one_line_each_with_a_code(half: Bench) -> None:
    ran = half.run(*LINT)
    assert ran.code == 4
    assert [line.split()[:3] for line in ran.out.splitlines() if line.startswith("error")] == [
        ["error", "BKO001", "ORDERS.IN"],
        ["error", "BKO005", "PAY.BO"],
    ]
    assert "2 errors" in ran.err


def test_a_pattern_takes_its_queues_and_their_backout_queues(half: Bench) -> None:
    assert found(half, "--queue", "ORDERS.*") == [("BKO001", "ORDERS.IN")]
    assert found(half, "--queue", "PAY.IN") == [("BKO005", "PAY.BO")]
    assert half.run(*LINT, "--queue", "NOPE.*").code == 5  # a mistyped name must not pass a gate


def test_fail_on_sets_the_mark(half: Bench) -> None:
    assert half.run(*LINT, "--fail-on", "never").code == 0
    half.ok(
        "backout", "set", "ORDERS.IN", "--threshold", "3", "--boq", "OK.BO", "--create-boq", "--yes"
    )
    assert half.run(*LINT, "--queue", "ORDERS.IN").code == 0
    assert half.run(*LINT, "--queue", "ORDERS.IN", "--fail-on", "nothing").code == 2


def test_a_queue_that_is_not_there_is_exit_5(half: Bench) -> None:
    ran = half.run(*LINT, "--queue", "NOPE")
    assert (ran.code, ran.error_line) == (5, "NOPE: no such queue on QM1")


@pytest.mark.parametrize(("user", "kind"), [("app1", "PRINCIPAL"), ("GROUP(staff)", "GROUP")])
def test_as_says_what_a_reader_lacks(half: Bench, user: str, kind: str) -> None:
    name = user.removeprefix("GROUP(").removesuffix(")")
    run(half, f"SET AUTHREC PROFILE(PAY.IN) OBJTYPE(QUEUE) {kind}('{name}') AUTHADD(GET,INQ)")
    assert ("BKO011", "PAY.IN") in found(half, "--queue", "PAY.IN", "--as", user)
    run(half, f"SET AUTHREC PROFILE(PAY.BO) OBJTYPE(QUEUE) {kind}('{name}') AUTHADD(PUT,PASSALL)")
    assert ("BKO011", "PAY.IN") not in found(half, "--queue", "PAY.IN", "--as", user)


def test_as_without_authority_records_is_said(half: Bench) -> None:
    assert "--as cannot report anything" in half.run(*LINT, "--as", "app1").err
    assert half.run(*LINT, "--as", "SERVICE(x)").code == 2


def test_files_are_checked_without_a_queue_manager(half: Bench, tmp_path: Path) -> None:
    file = tmp_path / "qm.mqsc"
    file.write_text("DEFINE QLOCAL(A.IN) BOTHRESH(3)\nDEFINE QLOCAL(B) MAXDEPTH(0)\n")
    assert found(half, str(file)) == [("BKO001", "A.IN")]
    assert found(half, "--queue", "B", str(file)) == []


def test_only_rules_about_the_queues_are_told(half: Bench) -> None:
    """All rules, not the backout ones alone; several patterns are told together."""
    half.define(**{"OTHER.IN": "BOTHRESH=3"})
    items = half.run("lint", "--queue", "ORDERS.IN", "-o", "json").items
    assert {item["object"] for item in items} == {"ORDERS.IN"}
    two = half.run("lint", "--queue", "ORDERS.IN", "--queue", "OTHER.*", "-o", "json").items
    assert {item["object"] for item in two} == {"ORDERS.IN", "OTHER.IN"}


def test_a_fix_of_files_takes_no_queues(half: Bench, tmp_path: Path) -> None:
    file = tmp_path / "qm.mqsc"
    file.write_text("DEFINE QLOCAL(A.IN) BOTHRESH(3)\n")
    ran = half.run("lint", "fix", str(file), "--queue", "A.IN")
    assert (ran.code, ran.error_line) == (2, "--queue: a fix for FILES covers everything in them")
