"""Automatic client reconnection, and what programs see when a server ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench
from tests.jms.conftest import CHANNEL, At, Listener, Session
from tests.support.ibm_java import Java, Thrown
from tests.unit.emulator.conftest import Lab


@pytest.fixture
def own(java: Java, tmp_path_factory: pytest.TempPathFactory) -> Iterator[At]:
    """A queue manager and a listener for a test that ends them."""
    lab = Lab(tmp_path_factory.mktemp("own"))
    listener = Listener(lab.home)
    harness = At(lab, listener, java)
    harness.mqsc(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)")
    yield harness
    try:
        java.run("close-all")
    finally:
        listener.stop()
        lab.close()


def stop_and_start(home: Path) -> None:
    for verb in ("stop", "start"):
        Bench(home).ok("emulator", verb, "QM1")


@pytest.mark.parametrize("way", ["kill", "stop", "restart"])
def test_a_program_that_reconnects_goes_on_where_it_was(own: At, way: str) -> None:
    """The server ends, by itself or by kill -9; or the queue manager does, and the server stays."""
    queue = own.local()
    own.run("start", of="keep-sending", to=queue, reconnect=True, count=20, pause=50)
    while own.depth(queue) < 3:
        assert own.run("running")
    if way == "restart":
        stop_and_start(own.lab.home)
        own.lab.mq = own.lab.connect()
    else:
        getattr(own.listener, way)()
        own.listener.start()
    own.run("await")
    bodies = {message.body.rpartition(b">")[2].strip() for message in own.browse(queue)}
    assert {f"number {number}".encode() for number in range(1, 21)} <= bodies


def test_a_server_that_is_killed_backs_units_of_work_out(own: At) -> None:
    queue = own.local()
    own.open("sender").send(queue, "persistent")
    jms = own.open("receiver", mode="transacted")
    assert jms.receive(queue) is not None
    jms.send(queue, "never committed")
    own.listener.kill()
    with pytest.raises(Thrown) as error:
        jms.commit()
    assert error.value.reason == 2009
    own.listener.start()
    again = own.open("again")
    assert [one["text"] for one in again.browse(queue)] == ["persistent"]
    assert (again.receive(queue) or {})["redelivered"]


@pytest.mark.parametrize(("mode", "reason"), [("QUIESCE", 2202), ("TERMINATE", 2009)])
def test_a_program_hears_that_its_channel_was_stopped(own: At, mode: str, reason: int) -> None:
    queue, jms = own.local(), own.open("program")
    jms.send(queue, "before")
    own.operate(f"STOP CHANNEL({CHANNEL}) MODE({mode})")
    until = time.monotonic() + 60
    with pytest.raises(Thrown) as error:
        while time.monotonic() < until:
            jms.send(queue, "after")
    assert error.value.reason == reason
    own.java.run("close-all")
    with pytest.raises(Thrown) as error:
        own.open("refused")
    assert error.value.reason == 2537
    own.operate(f"START CHANNEL({CHANNEL})")
    assert (own.open("again").receive(queue) or {})["text"] == "before"


def listening(own: At) -> Session:
    """A session whose listener has heard one message."""
    queue = own.local()
    own.open("sender").send(queue, "heard")
    own.java.run("close", id="sender")
    listener = own.open("listener")
    listener.listen(queue)
    assert len(listener.heard(1)) == 1
    return listener


def test_a_listener_is_told_that_its_channel_is_stopped_before_its_socket_goes(own: At) -> None:
    listener = listening(own)
    own.operate(f"STOP CHANNEL({CHANNEL})")
    assert listener.told() == 2202
    assert "STATUS(STOPPING)" in own.operate(f"DISPLAY CHSTATUS({CHANNEL})")
    until = time.monotonic() + 60
    while "STATUS(STOPPED)" not in own.operate(f"DISPLAY CHSTATUS({CHANNEL})"):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_program_that_was_told_may_close_its_connection(own: At) -> None:
    listener = listening(own)
    own.operate(f"STOP CHANNEL({CHANNEL})")
    assert listener.told() == 2202
    listener.close()
    assert "STATUS(STOPPED)" in own.operate(f"DISPLAY CHSTATUS({CHANNEL})")


def test_a_listener_is_told_that_the_queue_manager_ends(own: At) -> None:
    listener = listening(own)
    stopping = threading.Thread(
        target=lambda: Bench(own.lab.home).ok("emulator", "stop", "QM1", "--wait", "30s")
    )
    stopping.start()
    # the client's own next call, which may come first, fails with the other
    assert listener.told() in (2161, 2202)
    listener.close()  # so that the queue manager need not wait
    stopping.join(20)
    assert not stopping.is_alive()


def test_a_receive_that_waits_ends_with_the_quiesce(own: At) -> None:
    queue, jms = own.local(), own.open("waiting")
    own.run("start", of="receive", id="waiting", wait=60_000, **{"from": f"queue:///{queue}"})
    while not own.lab.mq.status(queue).ipprocs:
        assert own.run("running")
    own.operate(f"STOP CHANNEL({CHANNEL})")
    with pytest.raises(Thrown) as error:
        own.run("await")
    assert error.value.reason == 2202
    jms.close()


@pytest.mark.seed("DD-91")
def test_what_was_staged_before_a_restart_comes_when_it_is_due(own: At) -> None:
    queue = own.local()
    own.open().send(queue, "later", delay=60_000)
    own.listener.kill()
    own.lab.close()
    stop_and_start(own.lab.home)
    own.lab.mq = own.lab.connect()
    own.listener.start()
    jms = own.open("again")
    assert jms.receive(queue, call="no-wait") is None
    own.lab.advance(60)
    assert (jms.receive(queue) or {})["text"] == "later"
