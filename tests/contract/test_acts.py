"""Acts through the journal on each end of the port: done, proven, cut, resumed, taken back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mqtriage.backends.port import Backend
from mqtriage.backends.registry import readonly
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.result import Outcome, Report
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers import xqh
from mqtriage.mq.headers.rfh2 import with_properties
from mqtriage.mq.message import Message
from mqtriage.operations.copies.copy import CopyOptions
from mqtriage.operations.copies.request import ActRequest, CopyTo, Move
from mqtriage.operations.engine.act_context import ActContext
from mqtriage.operations.engine.carry_out import act
from mqtriage.operations.engine.plan import plan_act
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.verify import PROVEN, verdict
from mqtriage.operations.recovery import resume as journal_resume
from mqtriage.operations.recovery import undo as journal_undo
from tests.contract.conftest import End

pytestmark = pytest.mark.slow


@pytest.fixture
def conduct(tmp_path: Path) -> ActContext:
    return ActContext(Journal(tmp_path / "journal"))


def put(backend: Backend, queue: str, *bodies: bytes, **fields: int | str | bytes) -> None:
    md = MQMD(format="MQSTR", persistence=1)._replace(**fields)  # type: ignore[arg-type]
    options = cmqc.MQPMO_SET_ALL_CONTEXT if md.put_date else 0
    for body in bodies:
        backend.put1(queue, md, body, options)


def look(end: End, queue: str) -> list[Message]:
    backend = end.connect()
    try:
        return list(backend.open(queue, cmqc.MQOO_BROWSE).browse())
    finally:
        backend.disconnect()


def carry_out(backend: Backend, request: ActRequest, conduct: ActContext) -> Report:
    plan = plan_act(readonly(backend), request, Selection())
    assert plan.refusals == []
    return act(backend, request, plan, conduct)


def test_a_requeue_keeps_ids_and_context_and_is_proven(
    end: End, backend: Backend, conduct: ActContext, tmp_path: Path
) -> None:
    source, target = end.local(), end.local()
    put(
        backend, source, b"1", b"2", correl_id=b"C" * 24, user_identifier="anna",
        put_date="20260131", put_time="10000000", put_appl_name="billing",
    )  # fmt: skip
    before = look(end, source)
    report = carry_out(
        backend,
        ActRequest("requeue", source, target, archive=tmp_path / "archive", max_requeues=3),
        conduct,
    )
    assert [item.outcome for item in report.items] == [Outcome.DONE] * 2
    after = look(end, target)
    assert look(end, source) == []
    assert [(m.md.msg_id, m.md.correl_id, m.md.put_date, m.body) for m in after] == [
        (m.md.msg_id, m.md.correl_id, m.md.put_date, m.body) for m in before
    ]
    assert [m.md.user_identifier for m in after] == ["anna", "anna"]
    assert verdict(conduct.journal, report.op).verdict == PROVEN


def test_an_undo_gives_back_the_property_that_a_requeue_changed(
    end: End, backend: Backend, conduct: ActContext, tmp_path: Path
) -> None:
    source, target = end.local(), end.local()
    md, body = with_properties(MQMD(format="MQSTR"), b"data", {"color": "red"})
    put(backend, source, b"plain")
    put(backend, source, body, format=md.format, ccsid=md.ccsid, encoding=md.encoding)
    before = look(end, source)
    request = ActRequest(
        "requeue", source, target, CopyOptions(properties=(("color", "blue"),)),
        archive=tmp_path / "archive",
    )  # fmt: skip
    report = carry_out(backend, request, conduct)
    blue = [m.body for m in look(end, target)]
    assert [b">blue<" in one for one in blue] == [True, True]
    assert verdict(conduct.journal, report.op).verdict == PROVEN
    what = journal_undo.plan_undo(
        readonly(backend), conduct.journal, report.op, archive=tmp_path / "archive"
    )
    journal_undo.undo(backend, what, conduct)
    assert [(m.md.msg_id, m.md.format, m.body) for m in look(end, source)] == [
        (m.md.msg_id, m.md.format, m.body) for m in before
    ]


@pytest.mark.parametrize("purges", [False, True], ids=["requeue", "purge"])
def test_an_undo_gives_back_what_was_taken(
    end: End, backend: Backend, conduct: ActContext, tmp_path: Path, purges: bool
) -> None:
    source, target = end.local(), end.local()
    put(backend, source, b"1", b"2", b"2")
    before = look(end, source)
    request = ActRequest(
        "purge" if purges else "requeue",
        source,
        None if purges else target,
        archive=tmp_path / "archive",
    )
    report = carry_out(backend, request, conduct)
    assert look(end, source) == []
    what = journal_undo.plan_undo(
        readonly(backend), conduct.journal, report.op, archive=tmp_path / "archive"
    )
    assert what.plan.refusals == []
    journal_undo.undo(backend, what, conduct)
    assert [(m.md.msg_id, m.body) for m in look(end, source)] == [
        (m.md.msg_id, m.body) for m in before
    ]
    assert look(end, target) == []


class Broken:
    """A connection that is lost at a commit: before the queue manager has it, or just after."""

    def __init__(self, inner: Backend, at: int, when: str) -> None:
        self.inner = inner
        self.countdown = at
        self.when = when

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def commit(self) -> None:
        self.countdown -= 1
        if self.countdown == 0 and self.when == "before":
            self.inner.backout()  # as a queue manager does for a connection that is gone
        if self.countdown != 0 or self.when == "after":
            self.inner.commit()
        if self.countdown == 0:
            raise mqi_error(cmqc.MQRC_CONNECTION_BROKEN, "commit")


@pytest.mark.parametrize("prop", [(), (("n", "1"),)], ids=["as they are", "a property changes"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_resume_goes_on_after_a_connection_was_lost_at_a_commit(
    end: End, conduct: ActContext, tmp_path: Path, when: str, prop: tuple[tuple[str, str], ...]
) -> None:
    source, target = end.local(), end.local()
    first = end.connect()
    bodies = [b"%d" % number for number in range(7)]
    put(first, source, *bodies)
    request = ActRequest(
        "requeue", source, target, CopyOptions(properties=prop), 2, tmp_path / "archive"
    )
    broken: Backend = Broken(first, 2, when)  # type: ignore[assignment]
    report = carry_out(broken, request, conduct)
    assert Counter(item.outcome for item in report.items)[Outcome.DONE] == 2
    backend = end.connect()
    what = journal_resume.plan_resume(readonly(backend), conduct.journal, None)
    assert what.plan.facts["in_doubt"] == 2
    resumed = journal_resume.resume(backend, conduct.journal, what, conduct)
    assert [item.outcome for item in resumed.items] == [Outcome.DONE] * 5
    assert look(end, source) == []
    arrived = sorted(m.body for m in look(end, target))
    assert [body[-1:] for body in arrived] == bodies
    assert [b"<n>1</n>" in body for body in arrived] == [bool(prop)] * 7
    assert verdict(conduct.journal, report.op).verdict == PROVEN


def test_a_resume_leaves_in_doubt_what_another_unit_of_work_may_hold(
    end: End, conduct: ActContext, tmp_path: Path
) -> None:
    """Messages that are invisible are not gone: their outcome is not known yet."""
    source, target = end.local(), end.local()
    first = end.connect()
    put(first, source, b"1", b"2")
    request = ActRequest("requeue", source, target, archive=tmp_path / "archive")
    broken: Backend = Broken(first, 1, "before")  # type: ignore[assignment]
    with pytest.raises(Exception, match="2009"):
        carry_out(broken, request, conduct)
    other = end.connect()
    held = other.open(source, cmqc.MQOO_INPUT_SHARED)
    for _ in range(2):
        held.get(cmqc.MQGMO_SYNCPOINT)

    def resumed() -> Report:
        backend = end.connect()
        what = journal_resume.plan_resume(readonly(backend), conduct.journal, None)
        return journal_resume.resume(backend, conduct.journal, what, conduct)

    report = resumed()
    assert {item.reason for item in report.items} == {journal_resume.HELD}
    other.backout()
    report = resumed()
    assert [item.outcome for item in report.items] == [Outcome.DONE] * 2
    assert (look(end, source), [m.body for m in look(end, target)]) == ([], [b"1", b"2"])


def test_two_messages_with_one_msgid_are_told_apart(
    end: End, backend: Backend, conduct: ActContext
) -> None:
    source, target = end.local(), end.local()
    put(
        backend, source, b"first", b"second", msg_id=b"M" * 24,
        put_date="20260131", put_time="10000000",
    )  # fmt: skip
    request = ActRequest("requeue", source, target)
    plan = plan_act(readonly(backend), request, Selection(skip=1))
    act(backend, request, plan, conduct)
    assert [m.body for m in look(end, source)] == [b"first"]
    assert [m.body for m in look(end, target)] == [b"second"]


def far(end: End, **transmission: int | str) -> tuple[str, str, str]:
    """A remote queue, an alias of it, and the transmission queue that both lead to."""
    over = end.local(USAGE="XMITQ", **transmission)
    remote = end.define("QREMOTE", RNAME="FAR.IN", RQMNAME="QM9", XMITQ=over)
    return remote, end.define("QALIAS", TARGET=remote), over


def in_transit(end: End, queue: str) -> list[tuple[str, bytes, bytes]]:
    """Of each message on a transmission queue: where it goes, its MsgId and its data."""
    headers = [(xqh.decode(message.body, 0, "<"), message.body) for message in look(end, queue)]
    return [
        (f"{header.remote_q_name}@{header.remote_q_mgr_name}", header.message_descriptor.msg_id,
         body[header.length :])
        for header, body in headers
        if isinstance(header, xqh.XQH)
    ]  # fmt: skip


@pytest.mark.parametrize("by", [0, 1], ids=["remote queue", "alias of it"])
@pytest.mark.parametrize("action", ["move", "requeue", "copy"])
def test_a_remote_queue_takes_messages_by_its_transmission_queue(
    end: End, backend: Backend, conduct: ActContext, tmp_path: Path, by: int, action: str
) -> None:
    source, *ways, over = end.local(), *far(end)
    put(backend, source, b"1", b"2", b"3", user_identifier="anna", correl_id=b"C" * 24)
    before = [("FAR.IN@QM9", message.md.msg_id, message.body) for message in look(end, source)]
    to = CopyTo() if action == "copy" else Move()
    archive = None if action == "copy" else tmp_path / "archive"
    request = ActRequest(action, source, ways[by], batch=2, archive=archive, to=to)
    report = carry_out(backend, request, conduct)
    assert [item.outcome for item in report.items] == [Outcome.DONE] * 3
    assert in_transit(end, over) == before
    assert len(look(end, source)) == (3 if action == "copy" else 0)
    assert report.after[over] == 3


def test_a_transmission_queue_without_room_is_refused_by_the_plan_and_by_the_act(
    end: End, backend: Backend, conduct: ActContext, tmp_path: Path
) -> None:
    source, (remote, _, over) = end.local(), far(end, MAXDEPTH=2, MAXMSGL=4 + 428)
    put(backend, source, b"1", b"2", b"3", b"longer")
    request = ActRequest("move", source, remote, archive=tmp_path / "archive")
    plan = plan_act(readonly(backend), request, Selection())
    assert [refusal.text for refusal in plan.refusals] == [
        f"{over} has room for 2 of 4 messages",
        f"the largest message has 434 bytes, MAXMSGL of {over} is 432",
    ]
    report = act(backend, request, plan, conduct)
    assert [item.outcome for item in report.items].count(Outcome.DONE) == 2
    assert [body for _, _, body in in_transit(end, over)] == [b"1", b"2"]
    assert [message.body for message in look(end, source)] == [b"3", b"longer"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("action", ["move", "copy"])
def test_a_resume_finds_on_the_transmission_queue_what_a_lost_commit_had_sent(
    end: End, conduct: ActContext, tmp_path: Path, when: str, action: str
) -> None:
    source, (remote, _, over) = end.local(), far(end)
    first = end.connect()
    put(first, source, *(b"%d" % number for number in range(5)))
    ids = [message.md.msg_id for message in look(end, source)]
    to = CopyTo() if action == "copy" else Move()
    archive = None if action == "copy" else tmp_path / "archive"
    request = ActRequest(action, source, remote, batch=2, archive=archive, to=to)
    plan = plan_act(readonly(first), request, Selection())
    broken: Backend = Broken(first, 2, when)  # type: ignore[assignment]
    act(broken, request, plan, conduct)
    first.disconnect()
    backend = end.connect()
    what = journal_resume.plan_resume(readonly(backend), conduct.journal, None)
    journal_resume.resume(backend, conduct.journal, what, conduct)
    assert sorted(msg_id for _, msg_id, _ in in_transit(end, over)) == sorted(ids)
    assert len(look(end, source)) == (5 if action == "copy" else 0)
    assert verdict(conduct.journal, what.known.op).verdict == PROVEN


def test_an_undo_says_of_what_went_to_a_remote_queue_that_it_is_on_its_way(
    end: End, backend: Backend, conduct: ActContext, tmp_path: Path
) -> None:
    source, (remote, _, over) = end.local(), far(end)
    put(backend, source, b"1")
    request = ActRequest("move", source, remote, archive=tmp_path / "archive")
    report = carry_out(backend, request, conduct)
    what = journal_undo.plan_undo(
        readonly(backend), conduct.journal, report.op, archive=tmp_path / "archive"
    )
    assert [item.reason for item in what.stay] == [
        f"on its way to another queue manager, by {remote}"
    ]
    assert len(look(end, over)) == 1
