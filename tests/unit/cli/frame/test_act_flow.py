"""The guards of every verb that writes, and the flow around them."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from typing import Any

import pytest

from mqtriage.cli.frame.act_flow import (
    Ask,
    Decision,
    DryRun,
    Nothing,
    Proceed,
    Refuse,
    act,
)
from mqtriage.cli.frame.act_flow import decide as decide_act
from mqtriage.cli.frame.console import Terminals
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import Output, Safety
from mqtriage.cli.frame.recording import unrecorded
from mqtriage.cli.frame.signals import Stopped
from mqtriage.model.plan import EXPIRY_NOTE, Plan, PlannedMessage, Refusal
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.mq.errors import Refused
from tests.support.application import app_for_test
from tests.unit.cli.conftest import text_of

TERMINAL = Terminals(stdin=True, stdout=True, stderr=True)
MESSAGE = PlannedMessage(b"M" * 24, b"C" * 24, "20260131", "10000000", 3, b"", 0, 0, -1, 0)
NO = Refusal("no")
ASKS = Refusal("1 asks for COD", "--allow-reports")


def plan(count: int = 2, *refusals: Refusal) -> Plan:
    return Plan(
        "purge", "ORDERS.BO", messages=[MESSAGE] * count, count=count, refusals=list(refusals)
    )


def report(action: Plan, *, interrupted: bool = False) -> Report:
    done = [ItemOutcome(m.msg_id.hex(), Outcome.DONE) for m in action.messages]
    return Report(
        "PurgeReport",
        "purge",
        action.queue,
        planned=action.count,
        items=done,
        interrupted=interrupted,
    )


NAME = "ORDERS.BO"
"""What has to be typed, or given with --confirm."""
ASK = ""


@pytest.mark.parametrize(
    ("a_plan", "safety", "is_tty", "confirm", "expected"),
    [
        pytest.param(plan(), Safety(), True, ASK, Ask, id="terminal-asks"),
        pytest.param(plan(), Safety(), False, ASK, Refuse, id="script-needs-yes"),
        pytest.param(plan(), Safety(yes=True), False, ASK, Proceed, id="script-yes"),
        pytest.param(plan(), Safety(yes=True), True, ASK, Proceed, id="terminal-yes"),
        pytest.param(plan(), Safety(dry_run=True), False, ASK, DryRun, id="dry-run"),
        pytest.param(plan(), Safety(dry_run=True, yes=True), False, ASK, DryRun, id="dry-wins"),
        pytest.param(plan(), Safety(dry_run=True, expect=9), False, ASK, DryRun, id="dry-expect"),
        pytest.param(plan(), Safety(yes=True, expect=2), False, ASK, Proceed, id="expect-met"),
        pytest.param(plan(), Safety(yes=True, expect=3), False, ASK, Refuse, id="expect-differs"),
        pytest.param(plan(), Safety(expect=1), True, ASK, Refuse, id="expect-before-question"),
        pytest.param(plan(0), Safety(), False, ASK, Nothing, id="nothing-needs-no-yes"),
        pytest.param(plan(0), Safety(expect=0), False, ASK, Nothing, id="nothing-as-expected"),
        pytest.param(plan(0), Safety(expect=5), False, ASK, Refuse, id="nothing-but-expected"),
        pytest.param(plan(2, NO), Safety(yes=True), True, ASK, Refuse, id="refusal"),
        pytest.param(plan(2, NO), Safety(dry_run=True), True, ASK, Refuse, id="refuse-dry"),
        pytest.param(plan(), Safety(yes=True), False, NAME, Refuse, id="severe-yes-is-not-enough"),
        pytest.param(plan(), Safety(yes=True), True, NAME, Ask, id="severe-terminal-types-name"),
        pytest.param(plan(), Safety(confirm="ORDERS.BO"), False, NAME, Proceed, id="severe-named"),
        pytest.param(plan(), Safety(confirm="ORDERS.IN"), False, NAME, Refuse, id="wrong-name"),
        pytest.param(
            plan(), Safety(confirm="X", yes=True), True, ASK, Refuse, id="wrong-name-beats-yes"
        ),
    ],
)
def test_the_guards(
    a_plan: Plan, safety: Safety, is_tty: bool, confirm: str, expected: type[Decision]
) -> None:
    decided = decide_act(replace(a_plan, confirm=confirm), safety, is_tty=is_tty)
    assert type(decided) is expected


def test_a_severe_act_asks_for_the_queue_name() -> None:
    decided = decide_act(replace(plan(), confirm=NAME), Safety(), is_tty=True)
    assert isinstance(decided, Ask)
    assert decided.answer == "ORDERS.BO"


def test_a_refusal_of_the_plan_carries_its_hint() -> None:
    decided = decide_act(plan(1, ASKS), Safety(), is_tty=True)
    assert decided == Refuse("1 asks for COD", "--allow-reports")


def done_by(app: AppContext, a_plan: Plan, safety: Safety) -> list[str]:
    """Which acts were carried out."""
    calls: list[str] = []

    def execute() -> Report:
        calls.append("executed")
        return report(a_plan)

    act(app, a_plan, safety, execute, record=unrecorded)
    return calls


@pytest.mark.seed("CARD-29")
def test_a_script_without_yes_changes_nothing_and_is_told_what_to_do() -> None:
    app = app_for_test()
    calls: list[str] = []

    def execute() -> Report:
        calls.append("executed")
        return report(plan())

    with pytest.raises(Refused) as caught:
        act(app, plan(), Safety(), execute, record=unrecorded)
    assert calls == []
    assert "--yes" in (caught.value.hint or "")
    assert text_of(app.output.stdout) == ""
    assert "ORDERS.BO" in text_of(app.run.stderr)


def test_yes_carries_out_and_writes_the_report_on_stdout() -> None:
    app = app_for_test()
    app.bind(None, Output(form="json"))
    assert done_by(app, plan(), Safety(yes=True)) == ["executed"]
    assert json.loads(text_of(app.output.stdout))["kind"] == "PurgeReport"
    assert "purge 2 messages" in text_of(app.run.stderr)


@pytest.mark.parametrize(("answer", "goes_on"), [("y\n", True), ("n\n", False), ("", False)])
@pytest.mark.seed("CARD-28")
def test_a_terminal_is_asked(answer: str, goes_on: bool) -> None:
    app = app_for_test(stdin=answer, terminals=TERMINAL)
    if goes_on:
        assert done_by(app, plan(), Safety()) == ["executed"]
    else:
        with pytest.raises(Refused, match="not confirmed"):
            done_by(app, plan(), Safety())
    assert "Continue? [y/N]" in text_of(app.run.stderr)


@pytest.mark.parametrize(
    ("answer", "goes_on"), [("ORDERS.BO\n", True), ("y\n", False), ("orders.bo\n", False)]
)
def test_a_severe_act_needs_the_name_typed(answer: str, goes_on: bool) -> None:
    app = app_for_test(stdin=answer, terminals=TERMINAL)
    if goes_on:
        assert done_by(app, replace(plan(), confirm=NAME), Safety(yes=True)) == ["executed"]
    else:
        with pytest.raises(Refused):
            done_by(app, replace(plan(), confirm=NAME), Safety(yes=True))


@pytest.mark.parametrize("form", ["plain", "table", "json", "ndjson", "csv", "ids", "md"])
def test_a_dry_run_prints_the_plan_and_carries_nothing_out(form: str) -> None:
    app = app_for_test()
    app.bind(None, Output(form=form))
    assert done_by(app, plan(), Safety(dry_run=True)) == []
    assert (b"M" * 24).hex().upper() in text_of(app.output.stdout)
    is_read_by_people = form in ("plain", "table")
    note = "dry run: nothing was changed\n" if is_read_by_people else ""
    assert text_of(app.run.stderr) == note
    assert app.run.outcome is ExitCode.OK


def test_where_nobody_knows_what_a_browse_discarded_the_dry_run_says_so() -> None:
    app = app_for_test()
    app.bind(None, Output(form="plain"))
    assert done_by(app, replace(plan(), notes=[EXPIRY_NOTE]), Safety(dry_run=True)) == []
    assert text_of(app.run.stderr).startswith("dry run: nothing was changed, except that")


def test_a_dry_run_shows_the_plan_and_refuses_another_number_as_the_run_does() -> None:
    app = app_for_test()
    with pytest.raises(Refused, match="--expect 7, but 2 would be affected"):
        done_by(app, plan(), Safety(dry_run=True, expect=7))
    assert (b"M" * 24).hex().upper() in text_of(app.output.stdout)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, ExitCode.OK),
        ({"failing": 3}, ExitCode.FAILED),
        ({"failing": 2}, ExitCode.PARTLY_DONE),
        ({"staying": 3}, ExitCode.PARTLY_DONE),
        ({"failing": 1, "staying": 2}, ExitCode.FAILED),
        ({"left_out": 1}, ExitCode.PARTLY_DONE),
    ],
)
def test_a_dry_run_ends_as_the_run_would(counts: dict[str, Any], expected: ExitCode) -> None:
    app = app_for_test()
    done_by(app, replace(plan(), count=3, **counts), Safety(dry_run=True))
    assert app.run.outcome is expected


@pytest.mark.parametrize(("fail_empty", "expected"), [(False, 0), (True, 9)])
@pytest.mark.parametrize("dry_run", [False, True])
def test_nothing_to_do_is_said_and_is_9_with_fail_empty(
    fail_empty: bool, expected: int, dry_run: bool
) -> None:
    app = app_for_test()
    app.bind(None, Output(fail_empty=fail_empty))
    assert done_by(app, plan(0), Safety(yes=True, dry_run=dry_run)) == []
    assert app.run.outcome == expected


def test_quiet_leaves_the_plan_out_but_not_before_a_question() -> None:
    app = app_for_test()
    app.bind(None, Output(quiet=True))
    done_by(app, plan(), Safety(yes=True))
    assert text_of(app.run.stderr) == ""
    asked = app_for_test(stdin="y\n", terminals=TERMINAL)
    asked.bind(None, Output(quiet=True))
    done_by(asked, plan(), Safety())
    assert "purge 2 messages" in text_of(asked.run.stderr)


def test_a_refusal_is_told_once() -> None:
    app = app_for_test()
    with pytest.raises(Refused, match="asks for COD"):
        done_by(app, plan(2, ASKS), Safety(yes=True))
    assert "asks for COD" not in text_of(app.run.stderr)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED)],
)
def test_the_first_signal_ends_the_act_after_its_batch(
    number: signal.Signals, code: ExitCode
) -> None:
    app = app_for_test()
    before = signal.getsignal(number)

    def execute() -> Report:
        assert not app.run.should_stop()
        os.kill(os.getpid(), number)
        assert app.run.should_stop()
        return report(plan(), interrupted=True)

    act(app, plan(), Safety(yes=True), execute, record=unrecorded)
    assert app.run.outcome is code
    assert "stopping after the current batch" in text_of(app.run.stderr)
    assert signal.getsignal(number) is before


def test_the_second_signal_stops_at_once() -> None:
    app = app_for_test()

    def execute() -> Report:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("went on after the second signal")

    with pytest.raises(Stopped):
        act(app, plan(), Safety(yes=True), execute, record=unrecorded)
