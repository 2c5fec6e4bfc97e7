"""Faults that an act on messages survives; each is the real thing, on both ends of the port."""

from __future__ import annotations

import ctypes
import json
import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, NoMessageAvailable, Refused
from mqtriage.mq.headers.dlh import DLH, encode
from mqtriage.operations.engine.act_context import ActContext
from mqtriage.operations.ledger import journal as journals
from mqtriage.operations.recovery.undo import plan_undo, undo
from tests.acceptance.messages.estate import begun, once
from tests.faults.conftest import FaultEstate, through_both
from tests.faults.killing import At

MOVE = ("msg", "move", "IN", "--to", "OUT", "--yes")
PURGE = ("msg", "purge", "IN", "--confirm", "IN")
RESUME = ("journal", "resume", "--yes")


def in_a_process(work: Callable[[], int]) -> int:
    """Fork, work there, and return its process id; `ended` waits for it."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = work()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    """The exit code of a process."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


_CLONE_NEWUSER, _CLONE_NEWNS = 0x10000000, 0x00020000


def mount_small_disk(folder: Path, size: str) -> bool:
    """Mount a file system of *size* on *folder*, for this process alone; False where one cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS) != 0:
        return False
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    except OSError:
        return False
    options = f"size={size}".encode()
    return bool(libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, options) == 0)


def test_a_disk_that_fills_up_while_archiving_keeps_what_is_not_archived(
    estate: FaultEstate,
) -> None:
    """What is in the archive was taken, the rest stayed, with no BackoutCount raised."""
    bodies = [bytes([number]) * 5_000 for number in range(60)]
    estate.put("IN", *bodies)
    (estate.folder / "archive").mkdir()
    report_file = estate.folder / "told.json"

    def purge() -> int:
        if not mount_small_disk(estate.folder / "archive", "200k"):
            return 77
        ran = estate.run(*PURGE, "--batch", "10", "-o", "json")
        proof = estate.run("journal", "verify", "-o", "json")
        backout_counts = [message.md.backout_count for message in estate.messages("IN")]
        undone = estate.run("journal", "undo", "--yes").code if backout_counts else -1
        report_file.write_text(
            json.dumps([ran.code, proof.code, ran.json["counts"], backout_counts, undone])
        )
        return 0

    code = ended(in_a_process(purge))
    if code == 77:
        pytest.skip("this machine lets nobody mount a small disk")
    assert code == 0
    done, proof, counts, backout_counts, undone = json.loads(report_file.read_text())
    assert (done, proof, undone) == (3, 0, 0)
    assert 10 <= counts["done"] < 60
    assert backout_counts == [0] * (60 - counts["done"])
    assert sorted(estate.bodies("IN")) == bodies


@pytest.fixture
def filling(estate: FaultEstate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten messages on IN; another program fills OUT just before the fifth is put there."""
    estate.alter("OUT", MAXDEPTH=20)
    estate.put("IN", *(b"%d" % number for number in range(10)))
    put = estate.handle.put
    count = 0

    def after_others(handle: Any, *args: Any) -> Any:
        nonlocal count
        count += handle.name == "OUT"
        if count == 5 and handle.name == "OUT":
            estate.put("OUT", *([b"other"] * 16))
        return put(handle, *args)

    monkeypatch.setattr(estate.handle, "put", after_others)


@pytest.mark.usefixtures("filling")
def test_a_target_that_fills_up_in_mid_batch_takes_what_it_can(estate: FaultEstate) -> None:
    ran = estate.run(*MOVE, "-o", "json")
    assert ran.code == 3
    assert estate.bodies("IN") == [b"%d" % number for number in range(4, 10)]
    assert [m.md.backout_count for m in estate.messages("IN")] == [0] * 6
    estate.alter("OUT", MAXDEPTH=100)
    assert estate.run(*RESUME).code == 0
    assert estate.bodies("IN") == []
    assert Counter(estate.bodies("OUT"))[b"other"] == 16
    assert len(estate.bodies("OUT")) == 26


@pytest.mark.usefixtures("filling")
def test_a_target_that_fills_up_under_copies_with_passed_context_stops_at_once(
    estate: FaultEstate,
) -> None:
    """Each message is got before its copy is put: the rollbacks are told, the rest not touched."""
    ran = estate.run(*MOVE, "--message-context", "pass", "-o", "json")
    assert ran.code == 3
    remaining = estate.messages("IN")
    assert [message.body for message in remaining] == [b"%d" % number for number in range(4, 10)]
    assert [message.md.backout_count for message in remaining] == [2, 0, 0, 0, 0, 0]
    raised = ran.json["details"]["backout_counts_raised"]
    assert raised[remaining[0].md.msg_id.hex().upper()] == 2
    assert sorted(raised.values()) == [1, 1, 1, 1, 2]
    estate.alter("OUT", MAXDEPTH=100)
    assert estate.run(*RESUME).code == 0
    assert (estate.bodies("IN"), len(estate.bodies("OUT"))) == ([], 26)


@through_both
@pytest.mark.parametrize("argv", [MOVE, PURGE], ids=["requeue", "purge"])
@pytest.mark.slow
def test_a_connection_that_is_lost_between_get_and_commit_loses_nothing(
    estate: FaultEstate, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    """The queue manager is restarted there: 2009, exit 7, and a resume does the rest."""
    estate.put("IN", *(b"%d" % number for number in range(6)))
    commit = estate.backend.commit
    count = 0

    def restarted(backend: Any) -> None:
        nonlocal count
        count += 1
        if count == 2:
            estate.restart()
        commit(backend)

    monkeypatch.setattr(estate.backend, "commit", restarted)
    ran = estate.run(*argv, "--batch", "2", "-o", "json")
    monkeypatch.undo()
    assert ran.code in (3, 7)
    assert "2009" in ran.err + ran.out
    assert "journal resume" in ran.err + ran.out
    assert sorted(estate.bodies("IN") + estate.bodies("OUT"))[-4:] == [b"2", b"3", b"4", b"5"]
    assert estate.run(*RESUME).code == 0
    assert estate.messages("IN") == []
    assert estate.run("journal", "verify").code == 0
    if argv == MOVE:
        assert sorted(estate.bodies("OUT")) == [b"%d" % number for number in range(6)]


@pytest.mark.slow
def test_another_consumer_of_the_same_queue_and_we_share_the_messages(estate: FaultEstate) -> None:
    bodies = [b"%d" % number for number in range(150)]
    estate.put("IN", *bodies)

    def consume() -> int:
        with estate.connected() as backend:
            handle = backend.open("IN", cmqc.MQOO_INPUT_SHARED)
            taken = 0
            while True:
                try:
                    message = handle.get()
                except NoMessageAvailable:
                    return 0 if taken else 1
                except MQIError:
                    return 2
                backend.put1("SEEN", message.md, message.body)
                taken += 1
                time.sleep(0.001)

    estate.queue("SEEN")
    other = in_a_process(consume)
    until = time.monotonic() + 60
    while not estate.messages("SEEN"):
        assert time.monotonic() < until
        time.sleep(0.005)
    ran = estate.run(*MOVE, "--batch", "5", "-o", "json")
    assert ended(other) == 0
    assert ran.code in (0, 3)
    assert estate.messages("IN") == []
    assert Counter(estate.bodies("OUT") + estate.bodies("SEEN")) == Counter(bodies)
    assert estate.run("journal", "verify").code == 0


@through_both
@pytest.mark.slow
def test_two_operators_who_run_the_same_requeue_move_each_message_once(estate: FaultEstate) -> None:
    bodies = [b"%d" % number for number in range(300)]
    estate.put("IN", *bodies)

    def operator() -> int:
        return estate.run(*MOVE, "-q").code

    both = [in_a_process(operator), in_a_process(operator)]
    codes = [ended(child) for child in both]
    assert set(codes) <= {0, 3}
    assert (estate.bodies("IN"), Counter(estate.bodies("OUT"))) == ([], Counter(bodies))
    operations = estate.run("journal", "verify", "-o", "json").json["items"]
    assert [operation["verdict"] for operation in operations] == ["proven"] * len(operations)
    assert sum(operation["gets"] for operation in operations) == 300


def test_two_resumes_of_one_operation_do_not_meet(estate: FaultEstate) -> None:
    """The second one is refused while the first is at work."""
    estate.put("IN", *(b"%d" % number for number in range(60)))
    assert estate.killed(MOVE, At("commit", "before", 1)).by_signal
    journal = journals.Journal(estate.folder / "journal")
    op = journal.find(None)
    entry = journal.reopen(op, journal.plan(op), 1)
    ran = estate.run(*RESUME)
    entry.close()
    assert (ran.code, "another process" in ran.err) == (8, True)
    assert estate.run(*RESUME).code == 0


def test_two_undos_of_one_operation_do_not_meet(estate: FaultEstate) -> None:
    """Refused is who comes while the first is at work, and who planned before it was done."""
    estate.put("IN", *(b"%d" % number for number in range(9)))
    assert estate.run(*PURGE).code == 0
    journal = journals.Journal(estate.folder / "journal")
    op = journal.find(None)
    with journal.held(op):
        ran = estate.run("journal", "undo", op, "--yes")
        assert (ran.code, "another process" in ran.err) == (8, True)
    assert estate.bodies("IN") == []
    with estate.connected() as backend:
        first, second = (plan_undo(backend, journal, op, archive=None) for _ in range(2))
        undo(backend, first, ActContext(journal))
        with pytest.raises(Refused, match=r"undone meanwhile: 9 messages"):
            undo(backend, second, ActContext(journal))
    assert len(estate.bodies("IN")) == 9


@pytest.mark.parametrize("context", ["set", "pass"])
@pytest.mark.slow
def test_our_own_failures_do_not_make_a_message_poison(estate: FaultEstate, context: str) -> None:
    """BOTHRESH(3): a process that dies over and over stops one rollback before that."""
    estate.queue("APP", BOTHRESH=3, BOQNAME="OUT")
    estate.put("APP", b"1", b"2")
    argv = ("msg", "move", "APP", "--to", "IN", "--message-context", context, "--yes", "-q")
    for _ in range(6):
        estate.killed(argv, At("commit", "before", 1))
        estate.wait("APP")
    counts = [message.md.backout_count for message in estate.messages("APP")]
    assert counts == [2, 2]
    ran = estate.run(*argv, "-o", "json")
    assert ran.code == 3
    assert {item["reason"] for item in ran.json["items"]} == {
        "one more rollback would reach BOTHRESH(3)"
    }


@pytest.fixture
def set_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Sets this machine's clock back by so many seconds."""
    real = time.time_ns

    def by(seconds: int) -> None:
        monkeypatch.setattr(time, "time_ns", lambda: real() - seconds * 1_000_000_000)

    yield by


def test_a_clock_that_is_set_back_does_not_change_which_act_is_the_last(
    estate: FaultEstate, set_back: Callable[[int], None]
) -> None:
    estate.put("IN", b"1")
    first = estate.run(*MOVE, "-o", "json").json["op"]
    set_back(86_400)
    estate.put("IN", b"2")
    second = estate.run(*PURGE, "-o", "json").json["op"]
    assert second > first
    assert estate.run("journal", "undo", "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"2"], [b"1"])


def test_a_queue_manager_whose_clock_jumps_on_expires_what_is_due_and_we_say_so(
    estate: FaultEstate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two messages of a batch an hour passes: one has expired, and is no loss of ours."""
    estate.put("IN", b"a")
    estate.put("IN", b"b", expiry_tenths=600)
    estate.put("IN", b"c")
    put = estate.handle.put
    count = 0

    def jumping(handle: Any, *args: Any) -> Any:
        nonlocal count
        count += handle.name == "OUT"
        if count == 1 and handle.name == "OUT":
            with estate.connected() as other:
                lifecycle.advance(other.manager, 3_600_000_000)
        return put(handle, *args)

    monkeypatch.setattr(estate.handle, "put", jumping)
    ran = estate.run(*MOVE, "-o", "json")
    assert ran.code == 3
    assert [item["outcome"] for item in ran.json["items"]] == ["done", "skipped", "done"]
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([], [b"a", b"c"])


def test_two_messages_with_one_msgid_are_told_apart_through_a_crash(estate: FaultEstate) -> None:
    """The one that was chosen goes, the other stays, also when a resume has to find it again."""
    ident = b"M" * 24
    estate.put("IN", b"first", b"second", msg_id=ident, put_date="20260131", put_time="10000000")
    argv = (*MOVE[:-1], "--body-contains", "second", "--yes")
    assert estate.killed(argv, At("commit", "before", 1)).by_signal
    assert estate.run(*RESUME).code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"first"], [b"second"])


def test_a_journal_that_cannot_be_written_means_that_nothing_is_done(estate: FaultEstate) -> None:
    estate.put("IN", b"1")
    Path(estate.folder / "journal").write_text("in the way")
    ran = estate.run(*MOVE)
    assert (ran.code, "nothing was changed" in ran.err) == (1, True)
    assert estate.bodies("IN") == [b"1"]


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("act", [MOVE, PURGE], ids=["requeue", "purge"])
@pytest.mark.slow
def test_an_undo_that_is_killed_is_resumed_like_any_act(
    act: tuple[str, ...], when: str, nth: int, estate: FaultEstate
) -> None:
    estate.put("IN", *(b"%d" % number for number in range(120)))
    same = {"msg_id": b"S" * 24, "put_date": "20260131", "put_time": "10000000"}
    estate.put("IN", b"twin", b"twin", b"other", **same)
    every = Counter((message.md.msg_id, message.body) for message in estate.messages("IN"))
    assert estate.run(*act).code == 0
    undo = ("journal", "undo", "--batch", "50", "--yes", "-q")
    undone = estate.killed(undo, At("commit", when, nth))
    assert undone.by_signal, undone
    assert estate.run(*RESUME).code == 0
    assert Counter((message.md.msg_id, message.body) for message in estate.messages("IN")) == every
    assert estate.messages("OUT") == []
    assert estate.run("journal", "verify", "-q").code == 0


@through_both
@pytest.mark.slow
def test_a_run_of_rules_that_waits_ends_with_its_connection_and_loses_nothing(
    estate: FaultEstate, tmp_path: Path
) -> None:
    header = encode(DLH(2053, "OUT", "QM1", encoding=273, ccsid=819, format="MQSTR"))
    estate.put("IN", *(header + b"%d" % number for number in range(3)), format="MQDEAD")
    estate.alter("OUT", PUT="DISABLED")
    rules = tmp_path / "dlq.rules"
    rules.write_text("RETRYINT(1)\nACTION(RETRY) RETRY(99)\n")
    argv = ("dlq", "run", "IN", "-f", str(rules), "--yes")

    with once(lambda: begun(estate), estate.restart):
        ran = estate.run(*argv, "--wait", "yes")
    assert ran.code == 7
    assert "error: " in "".join(ran.err.splitlines()[-2:]), ran.err
    assert "without the command server" not in ran.err
    assert "Traceback" not in ran.err
    assert len(estate.messages("IN")) == 3
    estate.alter("OUT", PUT="ENABLED")
    assert estate.run(*argv).code == 0
    assert [message.body for message in estate.messages("OUT")] == [b"0", b"1", b"2"]
    assert estate.run("journal", "verify", "-q").code == 0
