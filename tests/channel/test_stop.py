"""STOP CHANNEL, START CHANNEL and DISPLAY CHSTATUS for channels that clients come by over TCP."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core import channels
from mqtriage.mq import cmqc
from tests.support.channel_client import ChannelClient, Failed
from tests.support.channel_server import CHANNEL, ChannelServer

QUEUE = "SYSTEM.DEFAULT.LOCAL.QUEUE"
NOT_AVAILABLE = 22
QUIESCING = 2202


def status(server: ChannelServer, more: str = "") -> tuple[str, ...]:
    return server.command(f"DISPLAY CHSTATUS({CHANNEL}) {more}")


@pytest.fixture
def patient(
    new_server: Callable[..., ChannelServer], monkeypatch: pytest.MonkeyPatch
) -> ChannelServer:
    """One that gives programs ten minutes after a quiesce: whoever goes sooner was forced to."""
    monkeypatch.setattr(channels, "QUIESCE_S", 600.0)
    server = new_server()
    server.start()
    return server


def is_dropped(client: ChannelClient, within_s: float) -> bool:
    """Whether the server closes the socket of an idle client."""
    client.socket.settimeout(within_s)
    try:
        client.receive()
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return False


def test_an_instance_is_a_socket_with_its_conversations(server: ChannelServer) -> None:
    with server.client() as client, server.client("SYSTEM.DEF.SVRCONN"):
        client.converse(3)
        cells = status(server, "ALL")
        assert cells[:6] == (
            f"CHANNEL({CHANNEL})", "CHLTYPE(SVRCONN)", "CONNAME(127.0.0.1)", "CURRENT",
            "STATUS(RUNNING)", "SUBSTATE(RECEIVE)",
        )  # fmt: skip
        assert {"CURSHCNV(2)", "MAXSHCNV(10)", "STOPREQ(NO)", "SECPROT(NONE)"} <= set(cells)
        assert "RAPPLTAG(small client)" in cells
        names = server.command("DISPLAY CHSTATUS(*)")
        assert [cell for cell in names if cell.startswith("CHANNEL(")] == [
            f"CHANNEL({CHANNEL})",
            "CHANNEL(SYSTEM.DEF.SVRCONN)",
        ]
        shown = server.command(
            "DISPLAY CONN(*) CHANNEL CONNAME WHERE(CHANNEL EQ SYSTEM.DEF.SVRCONN)"
        )
        assert {"CHANNEL(SYSTEM.DEF.SVRCONN)", "CONNAME(127.0.0.1)"} <= set(shown)


def test_a_filter_chooses_instances(server: ChannelServer) -> None:
    with server.client() as client, server.client() as other:
        client.converse(3)
        assert len(status(server)) == 12
        assert len(status(server, "WHERE(CURSHCNV GT 1)")) == 7
        assert len(status(server, "CONNAME('127.0.0.1')")) == 12
        other.close()
        until = time.monotonic() + 60
        while len(status(server)) == 12:
            assert time.monotonic() < until


def test_a_stopped_channel_takes_nobody_until_it_is_started(server: ChannelServer) -> None:
    server.mqsc(f"STOP CHANNEL({CHANNEL})")
    assert status(server) == (
        f"CHANNEL({CHANNEL})", "CHLTYPE(SVRCONN)", "CONNAME( )", "CURRENT", "STATUS(STOPPED)",
        "SUBSTATE( )",
    )  # fmt: skip
    assert server.refusal() == NOT_AVAILABLE
    assert server.refusal("SYSTEM.DEF.SVRCONN") == -1
    server.mqsc(f"START CHANNEL({CHANNEL})")
    assert server.refusal() == -1
    assert f"channel '{CHANNEL}': stopped" in "\n".join(server.lines())


def test_it_is_stopped_no_longer_than_the_queue_manager_runs(server: ChannelServer) -> None:
    server.mqsc(f"STOP CHANNEL({CHANNEL})")
    manager = server.backend().manager
    lifecycle.stop(manager)
    lifecycle.start(manager)
    assert server.refusal() == -1


@pytest.mark.parametrize("mode", ["FORCE", "TERMINATE"])
@pytest.mark.slow
def test_force_ends_what_runs_and_backs_it_out(patient: ChannelServer, mode: str) -> None:
    with patient.client() as client, patient.client("SYSTEM.DEF.SVRCONN") as other:
        client.put(QUEUE, b"uncommitted", syncpoint=True)
        patient.mqsc(f"STOP CHANNEL({CHANNEL}) MODE({mode})")
        assert is_dropped(client, 60)
        other.put(QUEUE, b"goes on")
        assert other.get(QUEUE) == b"goes on"
        assert other.get(QUEUE) is None
        assert patient.refusal() == NOT_AVAILABLE


def test_quiesce_tells_programs_and_lets_them_finish(server: ChannelServer) -> None:
    """2202 for calls that ask for it; the others go on, and so does the commit."""
    with server.client() as client:
        client.put(QUEUE, b"first", syncpoint=True)
        server.mqsc(f"STOP CHANNEL({CHANNEL})")
        assert {"STATUS(STOPPING)", "STOPREQ(YES)"} <= set(status(server, "STOPREQ"))
        with pytest.raises(Failed) as failed:
            client.get(QUEUE, options=cmqc.MQGMO_FAIL_IF_QUIESCING)
        assert failed.value.reason == QUIESCING
        with pytest.raises(Failed) as failed:
            client.converse(3)
        assert failed.value.reason == QUIESCING
        client.put(QUEUE, b"second", syncpoint=True)
        client.commit()
        client.disconnect()
    server.wait_until_gone()
    assert server.depth(QUEUE) == 2
    assert "STATUS(STOPPED)" in status(server)


def test_quiesce_ends_a_get_that_waits(server: ChannelServer) -> None:
    reasons: list[int] = []

    def wait() -> None:
        try:
            client.get(QUEUE, wait_ms=60_000, options=cmqc.MQGMO_FAIL_IF_QUIESCING)
        except Failed as failed:
            reasons.append(failed.reason)

    with server.client() as client:
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.2)
        server.mqsc(f"STOP CHANNEL({CHANNEL})")
        waiting.join(60)
    assert reasons == [QUIESCING]


@pytest.mark.slow
def test_who_does_not_go_after_a_quiesce_is_cut_off(server: ChannelServer) -> None:
    with server.client() as client:
        client.put(QUEUE, b"uncommitted", syncpoint=True)
        server.mqsc(f"STOP CHANNEL({CHANNEL})")
        assert not is_dropped(client, 2)
        assert is_dropped(client, 60)
    server.wait_until_gone()
    assert server.depth(QUEUE) == 0


@pytest.mark.slow
def test_inactive_ends_what_runs_and_lets_others_come(patient: ChannelServer) -> None:
    with patient.client() as client:
        patient.mqsc(f"STOP CHANNEL({CHANNEL}) MODE(FORCE) STATUS(INACTIVE)")
        with patient.client() as other:
            assert is_dropped(client, 60)
            assert not is_dropped(other, 2)


@pytest.mark.slow
def test_one_partners_instances_end_alone(patient: ChannelServer) -> None:
    with patient.client() as client:
        stop = f"STOP CHANNEL({CHANNEL}) MODE(FORCE)"
        with pytest.raises(AssertionError, match="AMQ9533"):
            patient.mqsc(f"{stop} CONNAME('192.0.2.1')")
        assert not is_dropped(client, 2)
        patient.mqsc(f"{stop} CONNAME('127.0.0.1')")
        assert is_dropped(client, 60)
        assert patient.refusal() == -1


@pytest.mark.slow
def test_what_was_told_to_end_ends_though_the_channel_is_started(patient: ChannelServer) -> None:
    with patient.client() as client:
        patient.mqsc(f"STOP CHANNEL({CHANNEL}) MODE(FORCE)", f"START CHANNEL({CHANNEL})")
        with patient.client() as other:
            assert is_dropped(client, 60)
            assert not is_dropped(other, 2)


def test_a_stop_reaches_a_server_that_begins_later(
    new_server: Callable[..., ChannelServer],
) -> None:
    server = new_server()
    server.mqsc(f"STOP CHANNEL({CHANNEL})")
    server.start()
    assert server.refusal() == NOT_AVAILABLE
