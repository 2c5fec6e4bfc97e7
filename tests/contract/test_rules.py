"""A rules table through each end of the port: the authority that its puts are made with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Backend
from mqtriage.backends.registry import readonly
from mqtriage.commands.msg.watch import Arrivals
from mqtriage.emulator.admin import authority_records, lifecycle
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.open import open_manager
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.result import Outcome, Report
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import NotAuthorized
from mqtriage.mq.headers.dlh import DLH, encode
from mqtriage.operations.copies.request import ActRequest, ByRulesText
from mqtriage.operations.engine.act_context import ActContext
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.verify import PROVEN, verdict
from mqtriage.operations.recovery import undo as journal_undo
from mqtriage.operations.rules.carry_out import run_rules
from mqtriage.operations.rules.judge import judge_of
from mqtriage.operations.rules.plan import plan_rules
from mqtriage.operations.rules.toml import read_rules
from tests.contract.conftest import End

pytestmark = pytest.mark.slow


def test_the_cursor_at_the_end_of_a_queue_learns_of_what_comes_behind_it(
    end: End, backend: Backend
) -> None:
    queue = end.local()

    def put(body: bytes) -> None:
        backend.put1(queue, MQMD(format="MQSTR"), body)

    put(b"one")
    put(b"two")
    with closing(Arrivals(backend, queue)) as arrivals:
        arrivals.reach_end()
        assert not arrivals.came(0)
        put(b"three")
        assert arrivals.came(1_000)
        assert not arrivals.came(0)
        handle = backend.open(queue, cmqc.MQOO_INPUT_SHARED)
        for _ in range(3):
            handle.get()
        put(b"four")
        assert arrivals.came(1_000)


class Guarded:
    """A dead-letter queue and a target, where *app1* may put and *app2* may not."""

    def __init__(self, end: End, manager: Manager, folder: Path) -> None:
        self.end = end
        self.dlq, self.target, self.other = end.local(), end.local(), end.local()
        authority_records.set_record(manager, "QUEUE", self.target, principal="app1", add=["PUT"])
        self.backend = end.connect()
        self.archive = folder / "archive"
        self.conduct = ActContext(Journal(folder / "journal"))

    def dead(self, body: bytes, user: str) -> None:
        header = encode(DLH(2053, self.target, "QM1", encoding=273, ccsid=819, format="MQSTR"))
        md = MQMD(
            format="MQDEAD", persistence=1, user_identifier=user, put_date="20260131",
            put_time="10000000",
        )  # fmt: skip
        self.backend.put1(self.dlq, md, header + body, cmqc.MQPMO_SET_ALL_CONTEXT)

    def run(self, rules: str) -> Report:
        request = ActRequest("handle", self.dlq, archive=self.archive, to=ByRulesText(rules))
        judge = judge_of(self.backend, self.dlq, read_rules(rules))
        plan = plan_rules(readonly(self.backend), request, judge, Selection())
        return run_rules(self.backend, request, plan, self.conduct)

    def bodies(self, queue: str) -> list[bytes]:
        backend = self.end.connect()
        return [message.body for message in backend.open(queue, cmqc.MQOO_BROWSE).browse()]


@pytest.fixture
def guarded(end: End, module_served: Any, tmp_path: Path) -> Iterator[Guarded]:
    if end.name == "real":
        pytest.skip("authority records are set in the emulated queue manager's file")
    manager = open_manager(module_served.path)
    lifecycle.switch(manager, "authority", "on")
    yield Guarded(end, manager, tmp_path)
    lifecycle.switch(manager, "authority", "off")
    EmulatedBackend(manager).disconnect()


def test_an_alternate_user_is_asked_for_authority_at_an_open(guarded: Guarded) -> None:
    backend: Backend = guarded.backend
    options = cmqc.MQOO_OUTPUT | cmqc.MQOO_ALTERNATE_USER_AUTHORITY
    backend.open(guarded.target, options, alternate_user="app1").close()
    for nobody in ("app2", ""):
        with pytest.raises(NotAuthorized, match="2035"):
            backend.open(guarded.target, options, alternate_user=nobody)
    backend.open(guarded.target, cmqc.MQOO_OUTPUT).close()


def test_putaut_ctx_puts_with_the_authority_of_the_user_in_the_context(guarded: Guarded) -> None:
    guarded.dead(b"may", "app1")
    guarded.dead(b"may not", "app2")
    report = guarded.run("ACTION(RETRY) PUTAUT(CTX)")
    assert [item.outcome for item in report.items] == [Outcome.DONE, Outcome.FAILED]
    assert "as user app2" in report.items[1].reason
    assert "2035" in report.items[1].reason
    assert guarded.bodies(guarded.target) == [b"may"]
    (remaining,) = guarded.bodies(guarded.dlq)
    assert remaining.endswith(b"may not")
    assert verdict(guarded.conduct.journal, report.op).verdict == PROVEN


def test_a_put_that_the_user_may_not_do_leads_to_the_next_rule(guarded: Guarded) -> None:
    guarded.dead(b"may not", "app2")
    rules = f"ACTION(RETRY) PUTAUT(CTX)\nACTION(FWD) FWDQ('{guarded.other}') HEADER(NO)"
    report = guarded.run(rules)
    assert [item.outcome for item in report.items] == [Outcome.DONE]
    assert guarded.bodies(guarded.other) == [b"may not"]
    assert guarded.bodies(guarded.target) == guarded.bodies(guarded.dlq) == []


def test_what_was_put_for_another_user_is_taken_back_by_an_undo(guarded: Guarded) -> None:
    guarded.dead(b"one", "app1")
    before = guarded.bodies(guarded.dlq)
    report = guarded.run("ACTION(RETRY) PUTAUT(CTX)")
    what = journal_undo.plan_undo(
        readonly(guarded.backend), guarded.conduct.journal, report.op, archive=guarded.archive
    )
    assert what.plan.refusals == []
    journal_undo.undo(guarded.backend, what, guarded.conduct)
    assert guarded.bodies(guarded.dlq) == before
    assert guarded.bodies(guarded.target) == []
