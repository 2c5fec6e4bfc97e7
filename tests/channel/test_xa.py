"""XA over a client channel: return codes, who sees what, and what outlives which end.

Source: X/Open CAE Specification "Distributed Transaction Processing: The XA Specification".
"""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.channel import bodies
from mqtriage.emulator.channel.segments import SegmentType
from mqtriage.emulator.channel.xa import (
    END_SCAN,
    FAIL,
    JOIN,
    ONE_PHASE,
    RESUME,
    START_SCAN,
    SUCCESS,
    SUSPEND,
    XaReturnCode,
)
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError
from mqtriage.mq.structures import structure
from tests.support.channel_client import ChannelClient, Failed
from tests.support.channel_server import ChannelServer

QUEUE = "DEV.QUEUE.1"
ONE, TWO = b"one", b"two"


class Manager(ChannelClient):
    """A transaction manager with the program that it drives."""

    def xa(
        self, kind: SegmentType, name: bytes, flags: int = 0, conversation: int = 1
    ) -> XaReturnCode:
        answer = self.call(
            kind, conversation, xid_length=0, return_value=0, flags=flags, resource_manager=0,
            format_id=4242, global_length=len(name), branch_length=1, xid=name + b"\1",
        )  # fmt: skip
        return XaReturnCode(answer["return_value"])

    def start(self, name: bytes, flags: int = 0, conversation: int = 1) -> XaReturnCode:
        return self.xa(SegmentType.XA_START, name, flags, conversation)

    def end(self, name: bytes, flags: int = SUCCESS, conversation: int = 1) -> XaReturnCode:
        return self.xa(SegmentType.XA_END, name, flags, conversation)

    def prepare(self, name: bytes, conversation: int = 1) -> XaReturnCode:
        return self.xa(SegmentType.XA_PREPARE, name, 0, conversation)

    def end_by_commit(self, name: bytes, flags: int = 0, conversation: int = 1) -> XaReturnCode:
        return self.xa(SegmentType.XA_COMMIT, name, flags, conversation)

    def roll_back(self, name: bytes, conversation: int = 1) -> XaReturnCode:
        return self.xa(SegmentType.XA_ROLLBACK, name, 0, conversation)

    def in_doubt(self, flags: int = START_SCAN | END_SCAN, count: int = 10) -> list[bytes]:
        answer = self.call(
            SegmentType.XA_RECOVER, xid_length=0, return_value=0, flags=flags, resource_manager=0,
            count=count,
        )  # fmt: skip
        data, names = answer.get("xids", b""), []
        for _ in range(answer["return_value"]):
            length = 6 + data[4] + data[5]
            names.append(data[6 : 6 + data[4]])
            data = data[length + -length % 4 :]
        return names

    def put_in(self, name: bytes, data: bytes = b"hello", conversation: int = 1) -> None:
        """One message put in a branch that is then ended."""
        assert self.start(name, 0, conversation) is XaReturnCode.OK
        self.put(QUEUE, data, conversation, syncpoint=True)
        assert self.end(name, SUCCESS, conversation) is XaReturnCode.OK


@pytest.fixture
def manager(server: ChannelServer) -> Any:
    server.command(f"DEFINE QLOCAL({QUEUE}) REPLACE")
    with Manager(server.port) as client:
        yield client


@pytest.mark.parametrize("phases", [1, 2])
def test_a_branch_is_committed(manager: Manager, phases: int) -> None:
    manager.put_in(ONE)
    assert manager.get(QUEUE) is None
    if phases == 2:
        assert manager.prepare(ONE) is XaReturnCode.OK
        assert manager.get(QUEUE) is None
    assert manager.end_by_commit(ONE, ONE_PHASE if phases == 1 else 0) is XaReturnCode.OK
    assert manager.get(QUEUE) == b"hello"
    assert manager.end_by_commit(ONE) is XaReturnCode.NO_SUCH_BRANCH


@pytest.mark.parametrize("is_prepared", [False, True])
def test_a_branch_is_rolled_back(
    manager: Manager, server: ChannelServer, is_prepared: bool
) -> None:
    manager.put(QUEUE, b"there")
    assert manager.start(ONE) is XaReturnCode.OK
    assert manager.get(QUEUE, syncpoint=True) == b"there"
    manager.put(QUEUE, b"new", syncpoint=True)
    assert manager.end(ONE) is XaReturnCode.OK
    if is_prepared:
        assert manager.prepare(ONE) is XaReturnCode.OK
    assert server.depth(QUEUE) == 2
    assert manager.get(QUEUE) is None
    assert manager.roll_back(ONE) is XaReturnCode.OK
    assert [manager.get(QUEUE), manager.get(QUEUE)] == [b"there", None]


def test_branches_and_a_unit_of_work_of_its_own_take_turns(manager: Manager) -> None:
    manager.put_in(ONE, b"of one")
    manager.put_in(TWO, b"of two")
    manager.put(QUEUE, b"of the program", syncpoint=True)
    manager.commit()
    assert manager.get(QUEUE) == b"of the program"
    assert manager.roll_back(ONE) is XaReturnCode.OK
    assert manager.end_by_commit(TWO, ONE_PHASE) is XaReturnCode.OK
    assert [manager.get(QUEUE), manager.get(QUEUE)] == [b"of two", None]


def test_a_suspended_branch_goes_on_and_sees_its_own(manager: Manager) -> None:
    assert manager.start(ONE) is XaReturnCode.OK
    manager.put(QUEUE, b"first", syncpoint=True)
    assert manager.end(ONE, SUSPEND) is XaReturnCode.OK
    assert manager.get(QUEUE, syncpoint=True) is None
    assert manager.prepare(ONE) is XaReturnCode.OUT_OF_TURN
    assert manager.start(ONE, JOIN) is XaReturnCode.OUT_OF_TURN
    assert manager.start(ONE, RESUME) is XaReturnCode.OK
    assert manager.get(QUEUE, syncpoint=True) == b"first"
    assert manager.end(ONE) is XaReturnCode.OK
    assert manager.start(ONE, RESUME) is XaReturnCode.OUT_OF_TURN
    assert manager.prepare(ONE) is XaReturnCode.OK


def test_another_conversation_joins_and_ends_a_branch(manager: Manager) -> None:
    manager.converse(3)
    assert manager.start(ONE) is XaReturnCode.OK
    manager.put(QUEUE, b"of 1", syncpoint=True)
    assert manager.start(ONE, JOIN, 3) is XaReturnCode.OUT_OF_TURN
    assert manager.end(ONE) is XaReturnCode.OK
    assert manager.start(ONE, JOIN, 3) is XaReturnCode.OK
    manager.put(QUEUE, b"of 3", 3, syncpoint=True)
    assert manager.prepare(ONE) is XaReturnCode.OUT_OF_TURN
    assert manager.end(ONE, SUCCESS, 3) is XaReturnCode.OK
    manager.disconnect()
    assert manager.prepare(ONE, 3) is XaReturnCode.OK
    assert manager.end_by_commit(ONE, 0, 3) is XaReturnCode.OK
    assert [manager.get(QUEUE, 3) for _ in range(3)] == [b"of 1", b"of 3", None]


def test_calls_out_of_turn(manager: Manager) -> None:
    assert manager.start(ONE, JOIN) is XaReturnCode.NO_SUCH_BRANCH
    assert manager.end(ONE) is XaReturnCode.NO_SUCH_BRANCH
    assert manager.prepare(ONE) is XaReturnCode.NO_SUCH_BRANCH
    assert manager.xa(SegmentType.XA_FORGET, ONE) is XaReturnCode.NO_SUCH_BRANCH
    assert manager.start(ONE) is XaReturnCode.OK
    assert manager.start(TWO) is XaReturnCode.OUT_OF_TURN
    assert manager.end_by_commit(ONE, ONE_PHASE) is XaReturnCode.OUT_OF_TURN
    assert manager.roll_back(ONE) is XaReturnCode.OUT_OF_TURN
    manager.put(QUEUE, b"x", syncpoint=True)
    assert manager.end(ONE) is XaReturnCode.OK
    assert manager.end(ONE) is XaReturnCode.OUT_OF_TURN
    assert manager.start(ONE) is XaReturnCode.DUPLICATE
    assert manager.end_by_commit(ONE) is XaReturnCode.OUT_OF_TURN
    assert manager.prepare(ONE) is XaReturnCode.OK
    assert manager.prepare(ONE) is XaReturnCode.OUT_OF_TURN
    assert manager.end_by_commit(ONE, ONE_PHASE) is XaReturnCode.OUT_OF_TURN
    assert manager.start(ONE, JOIN) is XaReturnCode.OUT_OF_TURN
    assert manager.xa(SegmentType.XA_FORGET, ONE) is XaReturnCode.OUT_OF_TURN
    assert manager.xa(SegmentType.XA_START, bytes(65)) is XaReturnCode.INVALID
    assert manager.end_by_commit(ONE) is XaReturnCode.OK


def test_work_of_its_own_keeps_a_program_out_of_a_branch(manager: Manager) -> None:
    manager.put(QUEUE, b"x", syncpoint=True)
    assert manager.start(ONE) is XaReturnCode.OUTSIDE_WORK
    manager.back_out()
    assert manager.start(ONE) is XaReturnCode.OK


def test_a_program_does_not_commit_the_branch_that_it_works_in(manager: Manager) -> None:
    assert manager.start(ONE) is XaReturnCode.OK
    manager.put(QUEUE, b"x", syncpoint=True)
    for end in (manager.commit, manager.back_out):
        with pytest.raises(Failed) as error:
            end()
        assert error.value.reason == 2012


def test_a_branch_that_did_nothing_is_read_only(manager: Manager) -> None:
    assert manager.start(ONE) is XaReturnCode.OK
    assert manager.end(ONE) is XaReturnCode.OK
    assert manager.prepare(ONE) is XaReturnCode.READ_ONLY
    assert manager.end_by_commit(ONE) is XaReturnCode.NO_SUCH_BRANCH


@pytest.mark.parametrize("how", ["roll back", "prepare", "commit"])
def test_a_branch_that_failed_is_rolled_back_at_once_and_forgotten(
    manager: Manager, how: str
) -> None:
    """A transaction manager that ends with TMFAIL and rolls back then hears XAER_NOTA."""
    manager.put(QUEUE, b"there")
    manager.start(ONE)
    manager.put(QUEUE, b"x", syncpoint=True)
    assert manager.get(QUEUE, syncpoint=True) == b"there"
    assert manager.end(ONE, FAIL) is XaReturnCode.OK
    assert manager.get(QUEUE) == b"there"
    assert manager.get(QUEUE) is None
    if how == "roll back":
        ended = manager.roll_back(ONE)
    else:
        ended = manager.prepare(ONE) if how == "prepare" else manager.end_by_commit(ONE, ONE_PHASE)
    assert ended is XaReturnCode.NO_SUCH_BRANCH
    assert manager.start(ONE) is XaReturnCode.OK


def test_what_is_in_doubt_is_told_by_and_by(manager: Manager, server: ChannelServer) -> None:
    for name in (ONE, TWO):
        manager.put_in(name)
        manager.prepare(name)
    manager.put_in(b"not prepared")
    assert manager.in_doubt() == [ONE, TWO]
    assert manager.in_doubt(START_SCAN, 1) == [ONE]
    assert manager.in_doubt(0, 1) == [TWO]
    assert manager.in_doubt(0, 1) == []
    cells = server.command("DISPLAY CONN(*) ALL")
    assert cells.count("UOWSTATE(PREPARED)") == 2
    digits = ONE.hex().upper()
    assert f"EXTURID(XA_FORMATID[00001092] XA_GTRID[{digits}] XA_BQUAL[01])" in cells


def retained(topic: bytes) -> dict[str, Any]:
    """The body of an MQPUT1 of a retained publication under syncpoint."""
    described, pmo = structure("MQOD"), structure("MQPMO")
    od = described.patched(described.initial(4), ObjectType=8)
    od, block = bodies.with_texts("MQOD", od, {"ObjectString": topic})
    options = cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_RETAIN
    return {
        "handle": -1, "od": od, "od_texts": block, "md": structure("MQMD").initial(1),
        "pmo": pmo.patched(pmo.initial(1), Options=options), "data_length": 1, "data": b"x",
    }  # fmt: skip


def test_what_only_a_commit_can_bring_about_is_committed_in_one_phase_alone(
    manager: Manager, server: ChannelServer
) -> None:
    for name in (ONE, TWO):
        manager.start(name)
        manager.checked(SegmentType.MQPUT1, **retained(b"a/" + name))
        manager.end(name)
    assert manager.prepare(ONE) is XaReturnCode.CANNOT_PREPARE
    assert manager.end_by_commit(TWO, ONE_PHASE) is XaReturnCode.OK
    kept = server.backend().manager.store.execute("SELECT topic FROM retained").fetchall()
    assert kept == [("a/two",)]


# -- what outlives which end ----------------------------------------------------------------------


def test_a_client_that_ends_leaves_what_it_prepared(server: ChannelServer) -> None:
    server.command(f"DEFINE QLOCAL({QUEUE}) REPLACE")
    with Manager(server.port) as client:
        client.put_in(ONE, b"prepared")
        client.prepare(ONE)
        client.put_in(TWO, b"ended")
        client.start(b"working")
        client.put(QUEUE, b"working", syncpoint=True)
        client.disconnect()
    with Manager(server.port) as client:
        assert client.in_doubt() == [ONE]
        assert client.prepare(TWO) is XaReturnCode.NO_SUCH_BRANCH
        assert client.end_by_commit(ONE) is XaReturnCode.OK
        assert [client.get(QUEUE), client.get(QUEUE)] == [b"prepared", None]


@pytest.mark.parametrize("end", ["server", "queue manager"])
@pytest.mark.parametrize("is_committed", [True, False])
@pytest.mark.slow
def test_what_is_prepared_outlives_a_crash(
    server: ChannelServer, end: str, is_committed: bool
) -> None:
    server.command(f"DEFINE QLOCAL({QUEUE}) REPLACE")
    with Manager(server.port) as client:
        client.put(QUEUE, b"there")
        client.start(ONE)
        assert client.get(QUEUE, syncpoint=True) == b"there"
        client.put(QUEUE, b"new", syncpoint=True)
        client.end(ONE)
        assert client.prepare(ONE) is XaReturnCode.OK
        client.put_in(TWO, b"not prepared")
        if end == "server":
            server.kill()
        else:
            beside = server.backend().manager
            lifecycle.stop(beside)
            lifecycle.start(beside)
            server.stop()
    server.start()
    with Manager(server.port) as client:
        assert client.in_doubt() == [ONE]
        assert client.get(QUEUE) is None
        assert client.start(ONE) is XaReturnCode.DUPLICATE
        if is_committed:
            assert client.end_by_commit(ONE) is XaReturnCode.OK
        else:
            assert client.roll_back(ONE) is XaReturnCode.OK
        expected = b"new" if is_committed else b"there"
        assert [client.get(QUEUE), client.get(QUEUE)] == [expected, None]
        assert client.in_doubt() == []


@pytest.mark.slow
def test_a_server_that_is_killed_between_prepare_and_commit_loses_and_doubles_nothing(
    server: ChannelServer,
) -> None:
    """Killed while calls are on their way: each branch is committed once, or still in doubt."""
    server.command(f"DEFINE QLOCAL({QUEUE}) REPLACE")
    names = [b"branch %d" % number for number in range(12)]
    committed: set[bytes] = set()
    for name in names:
        with Manager(server.port) as client:
            client.put_in(name, name)
            kill_at = names.index(name) % 3
            if kill_at == 0:
                server.kill()
                server.start()
                continue
            assert client.prepare(name) is XaReturnCode.OK
            committed.add(name)
            client.begin(
                SegmentType.XA_COMMIT, xid_length=0, return_value=0, flags=0, resource_manager=0,
                format_id=4242, global_length=len(name), branch_length=1, xid=name + b"\1",
            )  # fmt: skip
            if kill_at == 1:
                server.kill()
                server.start()
    with Manager(server.port) as client:
        for name in client.in_doubt(count=100):
            assert client.end_by_commit(name) is XaReturnCode.OK
        got = [client.get(QUEUE) for _ in range(len(committed) + 1)]
    assert got[-1] is None
    assert sorted(got[:-1]) == sorted(committed)  # type: ignore[type-var]


def test_a_queue_with_something_in_doubt_is_not_deleted(
    manager: Manager, server: ChannelServer
) -> None:
    server.command("DEFINE QLOCAL(OTHER)")
    manager.start(ONE)
    handle = manager.open("OTHER", 0x10)
    manager.put("OTHER", b"x", syncpoint=True)
    manager.end(ONE)
    manager.prepare(ONE)
    manager.call(SegmentType.MQCLOSE, handle=handle, options=0)
    with pytest.raises(MQIError) as error:
        server.backend().delete("QLOCAL", "OTHER", purge=True)
    assert error.value.reason in (2055, 4047)
