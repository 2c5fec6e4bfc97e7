"""Automatic client reconnection, and what programs see of a server that goes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench
from tests.jms.conftest import CHANNEL, At, Listener
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


def test_a_listener_loses_its_socket_when_its_channel_is_stopped(own: At) -> None:
    took_s = stopped_with_a_listener(own)
    for _ in range(2):  # a stall of the machine is no proof
        if took_s >= 4:
            own.java.run("close-all")
            own.operate(f"START CHANNEL({CHANNEL})")
            took_s = stopped_with_a_listener(own)
    assert took_s < 4  # programs that only wait have five seconds


def stopped_with_a_listener(own: At) -> float:
    """How long it took."""
    queue = own.local()
    own.open("sender").send(queue, "heard")
    listener = own.open("listener")
    listener.listen(queue)
    assert len(listener.heard(1)) == 1
    begun = time.monotonic()
    own.operate(f"STOP CHANNEL({CHANNEL})")
    while "STATUS(STOPPED)" not in own.operate(f"DISPLAY CHSTATUS({CHANNEL})"):
        assert time.monotonic() < begun + 60
        time.sleep(0.05)
    return time.monotonic() - begun


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
