"""RETRY(n) and RETRYINT of a rules table, with a clock that only the run itself moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.registry import readonly
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file import home
from mqtriage.emulator.open import open_manager
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.result import Outcome, Report
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import ConnectionFailed, mqi_error
from mqtriage.mq.headers.dlh import DLH, encode
from mqtriage.operations.copies.request import ActRequest, ByRulesText
from mqtriage.operations.engine.act_context import ActContext, Pace, Progress
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.verify import PROVEN, verdict
from mqtriage.operations.recovery import resume as journal_resume
from mqtriage.operations.rules.carry_out import run_rules
from mqtriage.operations.rules.judge import judge_of
from mqtriage.operations.rules.plan import plan_rules
from mqtriage.operations.rules.toml import read_rules


class Stage:
    """QM1 with a dead-letter queue, and time that passes only while a run waits.

    Attributes:
        now_s: the time.
        at: what happens at which time.
        stop_at_s: when somebody asks to stop.
        look_s: how long it takes to look at the clock.
    """

    def __init__(self, folder: Path) -> None:
        create(folder, "QM1", frozen=True)
        self.folder = folder
        self.manager = open_manager(home.qmgr_path(folder, "QM1"))
        self.backend = EmulatedBackend(self.manager)
        for name in ("DLQ", "IN", "OUT"):
            self.backend.define("QLOCAL", name, {})
        self.now_s = 0.0
        self.look_s = 0.0
        self.at: list[tuple[float, Callable[[], object]]] = []
        self.stop_at_s = float("inf")
        self.notes: list[str] = []
        self.journal = Journal(folder / "journal")

    def nap(self, seconds: float) -> None:
        self.now_s += seconds
        while self.at and self.at[0][0] <= self.now_s:
            self.at.pop(0)[1]()

    def conduct(self) -> ActContext:
        return ActContext(
            self.journal,
            should_stop=lambda: self.now_s >= self.stop_at_s,
            progress=self._progress,
            clock=self._clock,
            nap=self.nap,
        )

    def _clock(self) -> float:
        self.now_s += self.look_s
        return self.now_s

    def _progress(self, at: Progress) -> None:
        if at.note:
            self.notes.append(f"{self.now_s:.0f}: {at.note}")

    def alter(self, queue: str, **attributes: Any) -> None:
        self.backend.alter("QLOCAL", queue, attributes)

    def dead(self, *bodies: bytes, dest: str = "IN") -> None:
        header = encode(DLH(2053, dest, "QM1", encoding=273, ccsid=819, format="MQSTR"))
        for body in bodies:
            self.backend.put1("DLQ", MQMD(format="MQDEAD", persistence=1), header + body)

    def run(self, rules: str, **more: Any) -> Report:
        request = ActRequest(
            "handle", "DLQ", archive=self.folder / "archive", to=ByRulesText(rules), **more
        )
        judge = judge_of(self.backend, "DLQ", read_rules(rules))
        plan = plan_rules(readonly(self.backend), request, judge, Selection())
        return run_rules(self.backend, request, plan, self.conduct())

    def bodies(self, queue: str) -> list[bytes]:
        return [message.body for message in self.backend.open(queue, cmqc.MQOO_BROWSE).browse()]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    new_stage = Stage(tmp_path)
    yield new_stage
    new_stage.backend.disconnect()


def outcomes(report: Report) -> list[Outcome]:
    return [item.outcome for item in report.items]


def test_attempts_are_retryint_apart_until_one_goes_through(stage: Stage) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one")
    stage.at = [(70, lambda: stage.alter("IN", PUT="ENABLED"))]
    report = stage.run("RETRYINT(30)\nACTION(RETRY) RETRY(5)")
    assert stage.notes == [
        "0: 1 message waits 30s for the next attempt",
        "30: 1 message waits 30s for the next attempt",
        "60: 1 message waits 30s for the next attempt",
    ]
    assert outcomes(report) == [Outcome.DONE]
    assert (stage.bodies("DLQ"), stage.bodies("IN")) == ([], [b"one"])
    assert verdict(stage.journal, report.op).verdict == PROVEN


def test_only_a_wait_that_takes_time_is_reported(stage: Stage) -> None:
    """Messages of one pass fail one after the other, and so they are due one after the other."""
    stage.alter("IN", PUT="DISABLED")
    stage.dead(*[b"%d" % n for n in range(20)])
    stage.look_s = 0.02
    stage.run("RETRYINT(30)\nACTION(RETRY) RETRY(3)")
    texts = [note.partition(": ")[2] for note in stage.notes]
    assert len(texts) == 2, texts
    assert all(re.fullmatch("20 messages wait (29|30)s for the next attempt", t) for t in texts)


def test_the_next_rule_is_tried_once_all_attempts_have_failed(stage: Stage) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one")
    stage.at = [(119, lambda: stage.alter("OUT", PUT="DISABLED")),
                (150, lambda: stage.alter("OUT", PUT="ENABLED"))]  # fmt: skip
    rules = "ACTION(RETRY) RETRY(3)\nACTION(FWD) FWDQ(OUT) HEADER(NO) RETRY(2)"
    report = stage.run(rules)
    assert [note.partition(":")[0] for note in stage.notes] == ["0", "60", "120"]
    assert outcomes(report) == [Outcome.DONE]
    assert [rule["done"] for rule in report.details["rules"]] == [0, 1]
    assert stage.bodies("OUT") == [b"one"]


def test_a_message_stays_once_every_rule_was_tried_as_often_as_it_says(stage: Stage) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one")
    report = stage.run("RETRYINT(5)\nACTION(RETRY) RETRY(4)")
    assert stage.now_s == pytest.approx(15, abs=0.5)
    assert outcomes(report) == [Outcome.FAILED]
    assert "RETRY to IN, attempt 4 of 4: put to IN: MQRC_PUT_INHIBITED" in report.items[0].reason
    assert report.items[0].reason.endswith("no other rule matches")
    assert len(stage.bodies("DLQ")) == 1


def test_others_are_not_kept_waiting_for_a_message_that_waits(stage: Stage) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one")
    stage.dead(b"two", dest="OUT")
    seen: list[list[bytes]] = []
    stage.at = [(1, lambda: seen.append(stage.bodies("OUT")))]
    report = stage.run("ACTION(RETRY) RETRY(2)")
    assert seen == [[b"two"]]
    assert outcomes(report) == [Outcome.DONE, Outcome.FAILED]


def test_nothing_is_held_while_a_message_waits(stage: Stage) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one")
    open_handles: list[tuple[int, int]] = []

    def look() -> None:
        other = EmulatedBackend(open_manager(stage.manager.path))
        dead, target = other.status("DLQ"), other.status("IN")
        open_handles.append((dead.ipprocs, target.opprocs))
        other.open("DLQ", cmqc.MQOO_INPUT_SHARED).get(cmqc.MQGMO_SYNCPOINT)  # it is not locked
        other.commit()
        other.disconnect()

    stage.at = [(30, look)]
    report = stage.run("ACTION(RETRY) RETRY(2)")
    assert open_handles == [(0, 0)]
    assert [(item.outcome, item.reason) for item in report.items] == [(Outcome.SKIPPED, "gone")]


def test_a_stop_while_waiting_ends_the_run_and_a_resume_goes_on(stage: Stage) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one", b"two")
    stage.stop_at_s = 10
    report = stage.run("ACTION(RETRY) RETRY(5)")
    assert stage.now_s < 11
    assert report.interrupted
    assert outcomes(report) == [Outcome.FAILED] * 2
    assert "attempt 1 of 5" in report.items[0].reason
    stage.alter("IN", PUT="ENABLED")
    stage.stop_at_s = float("inf")
    what = journal_resume.plan_resume(readonly(stage.backend), stage.journal, report.op)
    assert what.plan.count == 2
    resumed = journal_resume.resume(stage.backend, stage.journal, what, stage.conduct())
    assert outcomes(resumed) == [Outcome.DONE] * 2
    assert stage.bodies("IN") == [b"one", b"two"]
    assert verdict(stage.journal, report.op).verdict == PROVEN


def test_a_connection_lost_while_waiting_ends_the_run_and_keeps_its_report(stage: Stage) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one")
    stage.dead(b"two", dest="OUT")
    stage.at = [(30, lambda: lifecycle.stop(stage.manager))]
    report = stage.run("ACTION(RETRY) RETRY(3)")
    assert outcomes(report) == [Outcome.DONE, Outcome.FAILED]
    assert any("QM1" in warning for warning in report.warnings), report.warnings


def test_a_connection_lost_before_anything_was_done_is_the_error(stage: Stage) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one")
    stage.at = [(30, lambda: lifecycle.stop(stage.manager))]
    with pytest.raises(ConnectionFailed):
        stage.run("ACTION(RETRY) RETRY(3)")


def test_fail_fast_counts_messages_that_stay_and_not_attempts(stage: Stage) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one", b"two")
    stage.dead(b"three", dest="OUT")
    report = stage.run("ACTION(RETRY) RETRY(2)", max_errors=1)
    assert outcomes(report) == [Outcome.DONE, Outcome.FAILED, Outcome.SKIPPED]
    assert "stopped by --max-errors 1" in report.items[2].reason
    assert len(stage.bodies("DLQ")) == 2


def test_a_message_is_parked_after_its_last_attempt_and_archived_once(stage: Stage) -> None:
    stage.backend.define("QLOCAL", "ASIDE", {})
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one")
    report = stage.run("ACTION(RETRY) RETRY(4)", park="ASIDE")
    assert outcomes(report) == [Outcome.PARKED]
    assert len(stage.bodies("ASIDE")) == 1
    (file,) = (stage.folder / "archive").glob("*.ndjson")
    assert file.read_text().count('"kind":"Message"') == 2  # at the first attempt, and as taken
    assert verdict(stage.journal, report.op).verdict == PROVEN


def test_each_of_two_messages_that_are_alike_in_all_is_tried(stage: Stage) -> None:
    header = encode(DLH(2053, "IN", "QM1", encoding=273, ccsid=819, format="MQSTR"))
    md = MQMD(
        format="MQDEAD", persistence=1, msg_id=b"T" * 24, put_date="20260131", put_time="10000000"
    )
    for _ in range(2):
        stage.backend.put1("DLQ", md, header + b"twin", cmqc.MQPMO_SET_ALL_CONTEXT)
    stage.alter("IN", MAXDEPTH=1)
    report = stage.run("ACTION(RETRY)\nACTION(FWD) FWDQ(OUT) HEADER(NO)")
    assert outcomes(report) == [Outcome.DONE] * 2
    assert (stage.bodies("IN"), stage.bodies("OUT")) == ([b"twin"], [b"twin"])
    stage.backend.put1("DLQ", md, header + b"twin", cmqc.MQPMO_SET_ALL_CONTEXT)
    stage.backend.put1("DLQ", md, header + b"twin", cmqc.MQPMO_SET_ALL_CONTEXT)
    again = stage.run("RETRYINT(5)\nACTION(RETRY) RETRY(2)")
    assert outcomes(again) == [Outcome.FAILED] * 2
    assert all("attempt 2 of 2" in item.reason for item in again.items)


def test_a_commit_that_fails_again_and_again_ends_the_run(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.alter("IN", PUT="DISABLED")
    stage.dead(b"one")
    stage.at = [(30, lambda: stage.alter("IN", PUT="ENABLED"))]

    def refuse(_: EmulatedBackend) -> None:
        raise mqi_error(cmqc.MQRC_BACKED_OUT, "commit")

    monkeypatch.setattr(EmulatedBackend, "commit", refuse)
    report = stage.run("ACTION(RETRY) RETRY(9)")
    monkeypatch.undo()
    assert outcomes(report) == [Outcome.FAILED]
    assert "MQRC_BACKED_OUT" in report.items[0].reason
    assert len(stage.bodies("DLQ")) == 1


def test_what_no_attempt_can_mend_is_not_waited_for(stage: Stage) -> None:
    stage.dead(b"one", dest="DLQ")
    report = stage.run("ACTION(RETRY) RETRY(9)")
    assert (stage.notes, outcomes(report)) == ([], [Outcome.FAILED])
    assert "already on that queue" in report.items[0].reason


def test_a_time_without_work_earns_no_messages_of_a_rate(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.monotonic", lambda: stage.now_s)
    monkeypatch.setattr("time.sleep", stage.nap)
    pace = Pace(2)
    pace.wait(lambda: False)
    pace.done(2)
    stage.now_s = 60
    pace.rested()
    for _ in range(2):
        pace.wait(lambda: False)
        pace.done(2)
    pace.wait(lambda: False)
    assert stage.now_s == pytest.approx(62, abs=0.01)
