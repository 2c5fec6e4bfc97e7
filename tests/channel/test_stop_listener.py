"""START LISTENER, STOP LISTENER and DISPLAY LSSTATUS of the port on which clients come."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

import pytest

from mqtriage.emulator.admin.mqsc_server import execute
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.mqsc.parse import parse
from tests.support.channel_server import CHANNEL, ChannelServer

DEVELOPERS = "DEV.LISTENER.TCP"
SYSTEMS = "SYSTEM.DEFAULT.LISTENER.TCP"


@pytest.fixture
def listening(server: ChannelServer) -> ChannelServer:
    server.mqsc(f"DEFINE LISTENER({DEVELOPERS}) TRPTYPE(TCP) PORT(1414) CONTROL(QMGR)")
    return server


def answered(server: ChannelServer, text: str) -> tuple[str, int]:
    script = parse(text)
    reply = execute(server.backend().connection, script, script.commands[0])
    return reply.lines[0].id, reply.reason


def takes(server: ChannelServer) -> bool:
    """Whether anybody listens on the port."""
    try:
        socket.create_connection(("127.0.0.1", server.port), 5).close()
    except ConnectionRefusedError:
        return False
    return True


def wait_until_it_takes(server: ChannelServer, *, does: bool) -> None:
    until = time.monotonic() + 30
    while takes(server) is not does:
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.slow
def test_a_stopped_listener_takes_nobody_and_who_is_there_goes_on(
    listening: ChannelServer,
) -> None:
    with listening.client() as client:
        assert answered(listening, f"STOP LISTENER({DEVELOPERS})") == ("AMQ8706I", 0)
        wait_until_it_takes(listening, does=False)
        client.open("SYSTEM.DEFAULT.LOCAL.QUEUE", cmqc.MQOO_OUTPUT)
        assert answered(listening, "DISPLAY LSSTATUS(*)") == (
            "AMQ8147E",
            cmqcfc.MQRCCF_LSTR_STATUS_NOT_FOUND,
        )
        assert answered(listening, f"START LISTENER({DEVELOPERS})") == ("AMQ8021I", 0)
        wait_until_it_takes(listening, does=True)
    assert listening.refusal() == -1


def test_its_status_names_process_port_and_definition(listening: ChannelServer) -> None:
    default = listening.command("DISPLAY LSSTATUS(*)")
    assert default == (f"LISTENER({DEVELOPERS})", "STATUS(RUNNING)", f"PID({listening.pid})")
    everything = listening.command(f"DISPLAY LSSTATUS({DEVELOPERS}) ALL")
    assert {
        f"PORT({listening.port})", "CONTROL(QMGR)", "TRPTYPE(TCP)", "IPADDR(127.0.0.1)",
    } < set(everything)  # fmt: skip
    assert [cell.partition("(")[0] for cell in everything[3:5]] == ["STARTDA", "STARTTI"]
    shown = listening.command(f"DISPLAY LSSTATUS(*) PORT WHERE(PORT EQ {listening.port})")
    assert shown[-1] == f"PORT({listening.port})"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("START LISTENER(%)", ("AMQ8730W", cmqcfc.MQRCCF_LISTENER_RUNNING)),
        ("START LISTENER(%) IGNSTATE(YES)", ("AMQ8021I", 0)),
        (f"STOP LISTENER({SYSTEMS})", ("AMQ8731W", cmqcfc.MQRCCF_LISTENER_STOPPED)),
        (f"STOP LISTENER({SYSTEMS}) IGNSTATE(YES)", ("AMQ8706I", 0)),
        ("STOP LISTENER(NONE)", ("AMQ8147E", cmqc.MQRC_UNKNOWN_OBJECT_NAME)),
    ],
)
def test_what_is_as_asked_already_is_said(
    listening: ChannelServer, text: str, answer: tuple[str, int]
) -> None:
    assert answered(listening, text.replace("%", DEVELOPERS)) == answer
    assert takes(listening)


def test_the_listener_is_the_one_with_the_port_or_the_default(server: ChannelServer) -> None:
    assert server.command("DISPLAY LSSTATUS(*)")[0] == f"LISTENER({SYSTEMS})"
    server.mqsc("DEFINE LISTENER(A) TRPTYPE(TCP) PORT(1)")
    server.mqsc(f"DEFINE LISTENER(B) TRPTYPE(TCP) PORT({server.port})")
    assert server.command("DISPLAY LSSTATUS(*)")[0] == "LISTENER(B)"


def test_of_two_queue_managers_on_one_port_one_alone_is_stopped(
    new_server: Callable[..., ChannelServer],
) -> None:
    server = new_server("QM1", "QM2")
    server.start()
    script = parse("STOP LISTENER")
    execute(server.backend("QM2").connection, script, script.commands[0])
    assert server.refusal(queue_manager="QM2") == 0
    assert server.refusal(queue_manager="QM1") == -1


def test_a_server_that_begins_listens(listening: ChannelServer) -> None:
    answered(listening, f"STOP LISTENER({DEVELOPERS})")
    listening.kill()
    assert answered(listening, "DISPLAY LSSTATUS(*)")[0] == "AMQ8147E"
    listening.start()
    assert listening.refusal(CHANNEL) == -1


def test_a_listener_that_is_stopped_is_not_stopped_again(listening: ChannelServer) -> None:
    stop = f"STOP LISTENER({DEVELOPERS})"
    assert answered(listening, stop) == ("AMQ8706I", 0)
    assert answered(listening, stop) == ("AMQ8731W", cmqcfc.MQRCCF_LISTENER_STOPPED)
    assert answered(listening, f"{stop} IGNSTATE(YES)") == ("AMQ8706I", 0)


def test_the_listener_with_the_port_comes_before_the_developers_and_the_systems(
    listening: ChannelServer,
) -> None:
    listening.mqsc(
        "DEFINE LISTENER(A.LU62) TRPTYPE(LU62) TPNAME('x')",
        f"DEFINE LISTENER(Z.TCP) TRPTYPE(TCP) PORT({listening.port})",
        f"ALTER LISTENER({SYSTEMS}) TRPTYPE(TCP) PORT({listening.port})",
    )
    assert answered(listening, "STOP LISTENER(Z.TCP)") == ("AMQ8706I", 0)
