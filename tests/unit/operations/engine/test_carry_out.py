"""The act on what was planned: rollbacks, a full disk, a lost connection, a signal."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend, EmulatedHandle
from mqtriage.backends.port import ANY, Match
from mqtriage.backends.readonly import ReadOnlyBackend
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file import home
from mqtriage.emulator.open import open_manager
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.plan import Plan
from mqtriage.model.result import Outcome, Report
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import ConnectionFailed, MQIError, StorageError, mqi_error
from mqtriage.mq.message import Message
from mqtriage.operations.archive import writing as archives
from mqtriage.operations.copies.request import ActRequest, Expire
from mqtriage.operations.engine.act_context import ActContext
from mqtriage.operations.engine.carry_out import act
from mqtriage.operations.engine.plan import plan_act
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.selection.planned import locate

Hook = Callable[[Message | None], None]


class MeddledHandle:
    """An emulated handle with something that happens just before each get or put."""

    def __init__(self, inner: EmulatedHandle, owner: Meddled) -> None:
        self.inner = inner
        self.owner = owner
        self.seen: Message | None = None
        self.name = inner.name
        self.resolved_name = inner.resolved_name

    def get(
        self,
        options: int = 0,
        match: Match = ANY,
        *,
        wait_ms: int = 0,
        max_length: int | None = None,
    ) -> Message:
        if options & cmqc.MQGMO_MSG_UNDER_CURSOR:
            self.owner.before_take(self.seen)
        self.owner.gets += 1
        self.seen = self.inner.get(options, match, wait_ms=wait_ms, max_length=max_length)
        return self.seen

    def browse(self, match: Match = ANY, *, max_length: int | None = None) -> Iterator[Message]:
        return self.inner.browse(match, max_length=max_length)

    def put(self, md: MQMD, body: bytes, options: int = 0) -> MQMD:
        self.owner.before_put(Message(md, body, len(body)))
        return self.inner.put(md, body, options)

    def close(self) -> None:
        self.inner.close()


def nothing(_: Message | None) -> None:
    return None


class Meddled(EmulatedBackend):
    """An emulated backend whose handles let a test act between the calls of the tool."""

    before_take: Hook = staticmethod(nothing)
    before_put: Hook = staticmethod(nothing)
    before_commit: Callable[[], None] = staticmethod(lambda: None)
    gets = 0

    def open(self, queue: str, options: int, *args: str, **more: str) -> Any:
        return MeddledHandle(super().open(queue, options, *args, **more), self)

    def commit(self) -> None:
        self.before_commit()
        super().commit()


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Meddled]:
    create(tmp_path, "QM1", frozen=True)
    meddled = Meddled(open_manager(home.qmgr_path(tmp_path, "QM1")))
    meddled.define("QLOCAL", "IN", {})
    meddled.define("QLOCAL", "OUT", {})
    yield meddled
    meddled.disconnect()


def put(backend: Meddled, *bodies: bytes, **fields: Any) -> list[bytes]:
    md = MQMD(**{"format": "MQSTR", "persistence": 1, **fields})
    return [backend.put1("IN", md, body).msg_id for body in bodies]


def look(backend: Meddled, queue: str) -> list[Message]:
    return list(EmulatedBackend.open(backend, queue, cmqc.MQOO_BROWSE).browse())


def journal_of(backend: Meddled) -> Journal:
    return Journal(backend.manager.path.parent.parent / "journal")


def requeue(
    backend: Meddled,
    folder: Path | None = None,
    *,
    target: str | None = "OUT",
    batch: int = 50,
    selection: Selection = Selection(),  # noqa: B008  immutable
    should_stop: Callable[[], bool] = lambda: False,
) -> Report:
    request = ActRequest("requeue" if target else "purge", "IN", target, batch=batch,
                         archive=folder)  # fmt: skip
    plan: Plan = plan_act(ReadOnlyBackend(backend), request, selection)
    assert plan.refusals == []
    return act(backend, request, plan, ActContext(journal_of(backend), should_stop))


def outcomes(report: Report) -> list[Outcome]:
    return [item.outcome for item in report.items]


def test_a_rollback_that_one_message_causes_is_repeated_one_by_one_and_told(
    backend: Meddled,
) -> None:
    first, _, _ = put(backend, b"a") + put(backend, b"b", expiry_tenths=50) + put(backend, b"c")

    def expire(message: Message | None) -> None:
        if message is not None and message.body == b"b":
            lifecycle.advance(backend.manager, 6_000_000)

    backend.before_take = expire
    report = requeue(backend)
    assert outcomes(report) == [Outcome.DONE, Outcome.SKIPPED, Outcome.DONE]
    assert report.items[1].reason == "gone"
    assert [message.body for message in look(backend, "OUT")] == [b"a", b"c"]
    assert look(backend, "IN") == []
    assert report.details["backout_counts_raised"] == {first.hex().upper(): 1}
    assert any(first.hex().upper() in warning for warning in report.warnings)


def test_a_put_that_fails_for_one_message_leaves_that_one_alone(backend: Meddled) -> None:
    put(backend, b"a", b"too long", b"c")

    def shrink(message: Message | None) -> None:
        if message is not None and message.body == b"too long":
            raise mqi_error(2030, "put to OUT")

    backend.before_put = shrink
    report = requeue(backend)
    assert outcomes(report) == [Outcome.DONE, Outcome.FAILED, Outcome.DONE]
    (remaining,) = look(backend, "IN")
    assert (remaining.body, remaining.md.backout_count) == (b"too long", 0)


@pytest.mark.parametrize("reason", [2051, 2053, 2035])
def test_a_put_that_fails_for_all_stops_and_keeps_what_was_done(
    backend: Meddled, reason: int
) -> None:
    put(backend, b"a", b"b", b"c")

    def shut(message: Message | None) -> None:
        if message is not None and message.body == b"b":
            raise mqi_error(reason, "put to OUT")

    backend.before_put = shut
    report = requeue(backend)
    assert outcomes(report) == [Outcome.DONE, Outcome.FAILED, Outcome.SKIPPED]
    assert "not tried" in report.items[2].reason
    assert [message.body for message in look(backend, "OUT")] == [b"a"]
    assert [message.md.backout_count for message in look(backend, "IN")] == [0, 0]
    assert report.after == {"IN": 2, "OUT": 1}


def test_when_nothing_could_be_done_the_reason_is_the_error(backend: Meddled) -> None:
    put(backend, b"a")

    def shut(_: Message | None) -> None:
        raise mqi_error(2053, "put to OUT")

    backend.before_put = shut
    with pytest.raises(MQIError, match="2053"):
        requeue(backend)


@pytest.mark.parametrize("target", ["OUT", None], ids=["requeue", "purge"])
def test_a_disk_that_fills_up_stops_before_the_message_is_touched(
    backend: Meddled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str | None
) -> None:
    put(backend, b"a", b"b", b"c")
    write = os.write

    def full(descriptor: int, data: memoryview) -> int:
        if b'"number":2' in bytes(data):
            write(descriptor, data[:10])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    report = requeue(backend, tmp_path / "archive", target=target)
    assert outcomes(report) == [Outcome.DONE, Outcome.FAILED, Outcome.SKIPPED]
    assert "No space left" in report.items[1].reason
    assert [(message.body, message.md.backout_count) for message in look(backend, "IN")] == [
        (b"b", 0),
        (b"c", 0),
    ]
    lines = Path(report.details["archive"]).read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == [
        "Archive",
        "Message",
        "Commit",
        "End",
    ]


def test_an_archive_that_the_disk_does_not_take_means_no_commit(
    backend: Meddled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(backend, b"a", b"b")
    request = ActRequest("purge", "IN", archive=tmp_path / "archive")
    plan = plan_act(ReadOnlyBackend(backend), request, Selection())

    def broken(_: object) -> None:
        raise StorageError("archive: Input/output error")

    monkeypatch.setattr(archives.Archive, "sync", broken)
    with pytest.raises(StorageError, match="Input/output error"):
        act(backend, request, plan, ActContext(journal_of(backend)))
    assert [message.body for message in look(backend, "IN")] == [b"a", b"b"]


def test_the_archive_is_on_disk_before_the_commit(
    backend: Meddled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(backend, b"a")
    order: list[str] = []
    sync = archives.Archive.sync

    def noted(archive: archives.Archive) -> None:
        sync(archive)
        order.append("sync")

    monkeypatch.setattr(archives.Archive, "sync", noted)
    backend.before_commit = lambda: order.append("commit")
    requeue(backend, tmp_path / "archive")
    assert order == ["sync", "commit", "sync"]  # the last one before the journal says "done"


def test_a_lost_connection_keeps_the_report_of_what_was_done(backend: Meddled) -> None:
    put(backend, b"a", b"b", b"c")

    def lose(message: Message | None) -> None:
        if message is not None and message.body == b"b":
            raise mqi_error(2009, "put to OUT")

    backend.before_put = lose
    report = requeue(backend, batch=1)
    assert outcomes(report) == [Outcome.DONE, Outcome.FAILED, Outcome.SKIPPED]
    assert "2009" in report.items[1].reason


def test_a_connection_lost_before_anything_was_done_is_the_error(backend: Meddled) -> None:
    put(backend, b"a")

    def lose(_: Message | None) -> None:
        raise mqi_error(2009, "put to OUT")

    backend.before_put = lose
    with pytest.raises(ConnectionFailed):
        requeue(backend)


def test_a_signal_ends_the_act_after_the_batch(backend: Meddled) -> None:
    put(backend, *(b"%d" % number for number in range(6)))
    asked: list[int] = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) > 2

    report = requeue(backend, batch=2, should_stop=should_stop)
    assert report.interrupted
    assert (len(report.items), report.planned) == (4, 6)
    assert len(look(backend, "OUT")) == 4
    assert [message.md.backout_count for message in look(backend, "IN")] == [0, 0]


@pytest.mark.seed("EX-08")
def test_time_that_passes_between_browse_and_put_is_taken_off_the_lifetime(
    backend: Meddled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(backend, b"a", expiry_tenths=600)
    add = archives.Archive.add

    def slowly(archive: archives.Archive, *args: Any, **named: Any) -> int:
        lifecycle.advance(backend.manager, 20_000_000)
        return add(archive, *args, **named)

    monkeypatch.setattr(archives.Archive, "add", slowly)
    requeue(backend, tmp_path / "archive")
    (copy,) = look(backend, "OUT")
    assert copy.md.expiry_tenths == 400


def test_a_unit_of_work_stays_below_maxumsgs(backend: Meddled) -> None:
    put(backend, *(b"%d" % number for number in range(7)))
    backend.alter("QMGR", "QM1", {"MAXUMSGS": 4})
    report = requeue(backend, batch=50)
    assert outcomes(report) == [Outcome.DONE] * 7


def test_many_messages_with_one_msg_id_are_found_in_one_walk(backend: Meddled) -> None:
    put(backend, *(b"%d" % number for number in range(200)), msg_id=b"s" * 24)
    backend.gets = 0
    report = requeue(backend, target=None, selection=Selection(skip=100))
    assert outcomes(report) == [Outcome.DONE] * 100
    # the hundred in front of them are passed once, then each costs a browse and a get
    assert backend.gets == 100 + 2 * 100


def test_a_search_from_the_cursor_starts_again_at_the_front(backend: Meddled) -> None:
    put(backend, b"a", b"b")
    request = ActRequest("purge", "IN")
    first, second = plan_act(ReadOnlyBackend(backend), request, Selection()).messages
    handle = EmulatedBackend.open(backend, "IN", cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED)
    for marks, body in ((second, b"b"), (first, b"a"), (second, b"b")):
        message = locate(handle, marks)
        assert message is not None
        assert message.body == body


def test_a_message_that_another_handle_has_locked_is_gone_for_us(backend: Meddled) -> None:
    put(backend, b"a")
    request = ActRequest("purge", "IN")
    (marks,) = plan_act(ReadOnlyBackend(backend), request, Selection()).messages
    mine, theirs = (
        EmulatedBackend.open(backend, "IN", cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED)
        for _ in range(2)
    )
    assert locate(theirs, marks) is not None
    assert locate(mine, marks) is None


@pytest.mark.seed("EX-23")
def test_a_report_that_we_put_is_undone_when_the_message_cannot_be_taken(backend: Meddled) -> None:
    """It expires just before the get: the queue manager reports it, and we must not do so too."""
    asks = {"report": cmqc.MQRO_EXPIRATION, "reply_to_q": "OUT"}
    put(backend, b"a", expiry_tenths=5_000)
    put(backend, b"b", expiry_tenths=50, **asks)
    put(backend, b"c", expiry_tenths=5_000, **asks)

    def expire(message: Message | None) -> None:
        if message is not None and message.body == b"b":
            lifecycle.advance(backend.manager, 6_000_000)

    backend.before_take = expire
    request = ActRequest("purge", "IN", batch=3, to=Expire())
    plan = plan_act(ReadOnlyBackend(backend), request, Selection())
    report = act(backend, request, plan, ActContext(journal_of(backend)))
    assert outcomes(report) == [Outcome.DONE, Outcome.SKIPPED, Outcome.DONE]
    assert report.details["expiration_reports"] == 1
    assert look(backend, "IN") == []
    senders = sorted(message.md.put_appl_name for message in look(backend, "OUT"))
    assert senders == ["QM1", "mqtriage"]
