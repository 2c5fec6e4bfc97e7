"""Definitions, handles and monitor checks: the same on every end of the port."""

from __future__ import annotations

import secrets

import pytest

from mqtriage.commands.check.queues import check_backout, check_queues
from mqtriage.commands.queue.handles import who
from mqtriage.definitions.drift import against_files
from mqtriage.definitions.estates import live_estate
from mqtriage.definitions.lint.about_queues import about_queues
from mqtriage.definitions.lint.config import LintConfig
from mqtriage.definitions.lint.run import lint_live
from mqtriage.definitions.plan import apply, plan_definitions
from mqtriage.definitions.rules.finding import Severity
from mqtriage.model.check_result import Status
from mqtriage.model.thresholds import Thresholds, parse_threshold
from mqtriage.mq import cmqc
from mqtriage.mq.mqsc.parse import parse
from tests.contract.conftest import TEXT, End

FULL = Thresholds((parse_threshold("50%"),), (parse_threshold("10"),))


@pytest.mark.slow
def test_apply_makes_it_as_the_file_says_and_nothing_is_left(end: End) -> None:
    name = end.local(MAXDEPTH=5)
    script = parse(f"DEFINE QLOCAL({name}) MAXDEPTH(7) DESCR('it''s ours') NOSHARE REPLACE\n")
    backend = end.connect()
    plan = plan_definitions(backend, [script])
    assert [change.name for change in plan.changes] == [name]
    assert len(list(against_files(backend, [script]).items)) == 3
    assert apply(backend, plan).failure is None
    assert plan_definitions(backend, [script]).changes == []
    assert list(against_files(backend, [script]).items) == []
    assert backend.queue(name).attributes["DESCR"] == "it's ours"


@pytest.mark.slow
def test_a_topic_is_brought_to_what_the_file_says(end: End) -> None:
    end.is_written_to()
    name = f"MQTRIAGE.TEST.{secrets.token_hex(6).upper()}"
    backend = end.connect()
    scripts = [
        parse(f"DEFINE TOPIC({name}) TOPICSTR('mqtriage/{name}') DEFPRTY(3) CAPEXPRY(600)\n")
    ]
    assert apply(backend, plan_definitions(backend, scripts)).failure is None
    assert plan_definitions(backend, scripts).changes == []
    gone = [parse(f"DELETE TOPIC({name})\n")]
    assert [c.verb for c in plan_definitions(backend, gone).changes] == ["delete"]
    assert apply(backend, plan_definitions(backend, gone)).failure is None
    assert plan_definitions(backend, gone).changes == []


@pytest.mark.slow
def test_channels_subscriptions_and_records_are_brought_to_what_the_file_says(end: End) -> None:
    backend, queue = end.connect(), end.local()
    name = f"MQT.{secrets.token_hex(6).upper()}"
    scripts = [parse(
        f"SET AUTHREC PROFILE({queue}) OBJTYPE(QUEUE) GROUP(mqm) AUTHADD(GET) AUTHRMV(PUT)\n"
        f"SET CHLAUTH({name}) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(NOACCESS)\n"
        f"DEFINE CHANNEL({name}) CHLTYPE(SVRCONN) MCAUSER('nobody') SHARECNV(1)\n"
        f"DEFINE LISTENER({name}) TRPTYPE(TCP) PORT(1499)\n"
        f"DEFINE SUB({name}) TOPICSTR('1/{name}') DEST({queue}) USERDATA('it''s')\n"
    )]  # fmt: skip
    plan = plan_definitions(backend, scripts)
    assert apply(backend, plan).failure is None
    assert plan_definitions(backend, scripts).changes == []
    back = [parse(text) for text in plan.difference.back]
    assert apply(backend, plan_definitions(backend, back)).failure is None
    assert len(plan_definitions(backend, scripts).changes) == len(plan.changes)


def test_lint_finds_half_a_setting_of_one_queue(end: End) -> None:
    name = end.local(BOTHRESH=3)
    backend = end.connect()
    run = lint_live([live_estate(backend)], LintConfig(select=("BKO001",)))
    assert (name, Severity.ERROR) in {(f.name, f.severity) for f in run.findings()}
    assert {f.name for f in about_queues(run, (name,)).findings()} == {name}


def test_open_handles_are_listed_and_gone_when_closed(end: End) -> None:
    name = end.local()
    program, looker = end.connect(), end.connect()
    reading = program.open(name, cmqc.MQOO_INPUT_SHARED)
    writing = program.open(name, cmqc.MQOO_OUTPUT)
    listing = who(looker, name)
    handles = sorted((str(r["input"]), bool(r["output"])) for r in listing.items)
    assert handles == [("no", True), ("shared", False)]
    reading.close()
    writing.close()
    assert list(who(looker, name).items) == []


def test_checks_compare_depth_with_the_marks(end: End) -> None:
    name = end.local(MAXDEPTH=10)
    backend = end.connect()
    handle = backend.open(name, cmqc.MQOO_OUTPUT)
    (checked,) = check_queues(backend, (name,), FULL)
    assert checked.status is Status.OK
    for _ in range(5):
        handle.put(TEXT, b"x")
    (checked,) = check_queues(backend, (name,), FULL)
    assert checked.status is Status.WARNING
    for _ in range(5):
        handle.put(TEXT, b"x")
    (checked,) = check_queues(backend, (name,), FULL)
    assert checked.status is Status.CRITICAL
    handle.close()


@pytest.mark.slow
def test_a_backout_queue_is_checked_for_its_queue(end: End) -> None:
    boq = end.local()
    name = end.local(BOTHRESH=3, BOQNAME=boq)
    backend = end.connect()
    handle = backend.open(boq, cmqc.MQOO_OUTPUT)
    handle.put(TEXT, b"x")
    handle.close()
    checked, *notes = check_backout(backend, (name,), Thresholds((parse_threshold("1"),), ()))
    assert (checked.object, checked.status) == (boq, Status.WARNING)
    uncounted = "1 queue not browsed for rolled-back messages"
    assert [note.message for note in notes] == ([uncounted] if backend.insight is None else [])
    assert all(note.status is Status.OK for note in notes)
