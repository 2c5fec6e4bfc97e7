"""Whom a channel lets in, and by which code or reason it says no.

What IBM's client for Java makes of each code: 1 is 2540, 2 is 2539, 22 is 2537, 24 and 25 are 2397.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtriage.emulator.admin.lifecycle import stop
from mqtriage.emulator.mqi.verbs.objects import text
from tests.support.channel_client import INPUT, ChannelClient, Failed
from tests.support.channel_server import ChannelServer

QUEUE = "SYSTEM.DEFAULT.LOCAL.QUEUE"


def users_file(folder: Path) -> str:
    file = folder / "users.txt"
    file.write_text("app:secret\n")
    file.chmod(0o600)
    return str(file)


def test_a_client_puts_and_gets(server: ChannelServer) -> None:
    with server.client() as client:
        client.put(QUEUE, b"x" * 100_000)
        assert client.get(QUEUE) == b"x" * 100_000
        assert client.get(QUEUE) is None


@pytest.mark.parametrize("conversations", [0, 1, 10])
def test_sharing_is_what_the_channel_allows(server: ChannelServer, conversations: int) -> None:
    """SHARECNV, and HBINT as the less frequent of both."""
    server.mqsc(f"DEFINE CHANNEL(A) CHLTYPE(SVRCONN) SHARECNV({conversations}) HBINT(7)")
    with server.client("A", conversations=999, heartbeat_s=1) as client:
        assert (client.agreed["conversations"], client.agreed["heartbeat_s"]) == (conversations, 7)
        client.put(QUEUE, b"odd")
        assert client.get(QUEUE) == b"odd"


def test_a_channel_must_be_there_and_be_for_clients(server: ChannelServer) -> None:
    server.mqsc("DEFINE CHANNEL(A.SDR) CHLTYPE(SDR) CONNAME('h') XMITQ(X)")
    assert server.refusal("NO.SUCH") == 1
    assert server.refusal("A.SDR") == 2


def test_the_queue_managers_name_must_be_right(server: ChannelServer) -> None:
    assert server.refusal(queue_manager="QM9") == 2058
    with server.client(queue_manager="*QM1"):
        pass


def test_several_queue_managers_are_told_apart(new_server: Callable[..., ChannelServer]) -> None:
    """By the name that a client gives, else by the channel, else it is the first."""
    both = new_server("QM1", "QM2")
    both.mqsc("DEFINE CHANNEL(ONLY.TWO) CHLTYPE(SVRCONN)", name="QM2")
    both.start()

    def name(channel: str = "SYSTEM.DEF.SVRCONN", queue_manager: str = "") -> str:
        with both.client(channel, queue_manager=queue_manager) as client:
            return text(client.agreed["queue_manager"])

    assert name() == "QM1"
    assert name(queue_manager="QM2") == "QM2"
    assert name("ONLY.TWO") == "QM2"
    assert both.refusal("ONLY.TWO", queue_manager="QM1") == 1


@pytest.mark.parametrize("keyword", ["MAXINST", "MAXINSTC"])
def test_a_channel_has_no_more_instances_than_it_may(server: ChannelServer, keyword: str) -> None:
    server.mqsc(f"DEFINE CHANNEL(A) CHLTYPE(SVRCONN) {keyword}(2)")
    with server.client("A"), server.client("A") as second:
        assert server.refusal("A") == 22
        with server.client():
            pass
        second.close()
        until = time.monotonic() + 60
        while server.refusal("A") != -1:
            assert time.monotonic() < until


def test_a_message_longer_than_the_channels_is_2010(server: ChannelServer) -> None:
    """MAXMSGL of the channel; what was not taken is not there."""
    server.mqsc("DEFINE CHANNEL(A) CHLTYPE(SVRCONN) MAXMSGL(1000)")
    with server.client("A") as client:
        assert client.agreed["max_message"] == 1000
        client.put(QUEUE, bytes(1000))
        with pytest.raises(Failed) as failed:
            client.put(QUEUE, bytes(1001))
        assert failed.value.reason == 2010
        assert client.get(QUEUE) == bytes(1000)
        assert client.get(QUEUE) is None


def test_a_program_has_no_more_handles_than_maxhands(server: ChannelServer) -> None:
    server.mqsc("ALTER QMGR MAXHANDS(2)")
    with server.client() as client:
        client.put(QUEUE, b"by one handle")
        client.open(QUEUE, INPUT)
        with pytest.raises(Failed) as failed:
            client.open("SYSTEM.DEFAULT.MODEL.QUEUE", INPUT)
        assert failed.value.reason == 2017
        assert client.get(QUEUE) == b"by one handle"


def test_a_stopped_queue_manager_is_2059(server: ChannelServer) -> None:
    stop(server.backend().manager)
    assert server.refusal() == 2059


@pytest.mark.slow
@pytest.mark.parametrize("is_compatible", [False, True])
def test_passwords_are_checked_where_they_can_be_read(
    new_server: Callable[..., ChannelServer], tmp_path: Path, is_compatible: bool
) -> None:
    """Without TLS the level is one at which clients send them in the clear."""
    locked = new_server()
    locked.start(users_file(tmp_path))
    locked.mqsc(
        "ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)"
    )
    with locked.client(user="app", password="secret", is_compatible=is_compatible) as client:
        assert client.agreed["fap"] == 12
    for user, password in (("app", "wrong"), ("nobody", "secret"), ("app", None)):
        assert locked.refusal(user=user, password=password, is_compatible=is_compatible) == 2035


@pytest.mark.parametrize(
    ("required", "whose"), [("REQUIRED", ""), ("REQDADM", " of user mqm")], ids=str
)
def test_the_server_says_that_a_password_is_missing(
    new_server: Callable[..., ChannelServer], tmp_path: Path, required: str, whose: str
) -> None:
    """Not that a password is wrong: none was given."""
    locked = new_server()
    locked.start(users_file(tmp_path))
    locked.mqsc(
        "ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS)"
        f" CHCKCLNT({required}) FAILDLAY(0)",
        "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) MCAUSER('mqm')",
    )
    assert locked.refusal("A") == 2035
    (line,) = locked.lines()
    assert f"no user and password given, but CHCKCLNT({required}) requires them{whose}" in line


def test_without_passwords_any_is_taken(server: ChannelServer) -> None:
    """And at the level where it cannot be read."""
    with server.client(user="app", password="anything", fap=17) as client:
        assert client.agreed["fap"] == 17


def test_channel_authentication_goes_by_address_and_user(server: ChannelServer) -> None:
    server.mqsc(
        "DEFINE CHANNEL(A) CHLTYPE(SVRCONN)",
        "DEFINE CHANNEL(B) CHLTYPE(SVRCONN) MCAUSER('mca')",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)",
        "SET CHLAUTH(A) TYPE(ADDRESSMAP) ADDRESS('127.0.0.*') USERSRC(NOACCESS)",
        "SET CHLAUTH(B) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(NOACCESS)",
        "SET CHLAUTH(B) TYPE(BLOCKUSER) USERLIST('bad')",
        "SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('bad') USERSRC(NOACCESS)",
        "SET CHLAUTH(C) TYPE(QMGRMAP) QMNAME('*') USERSRC(NOACCESS)",
    )
    assert server.refusal("A") == 2035
    server.client("B", user="bad").close()  # is mca, by the channel
    server.mqsc("ALTER CHANNEL(B) CHLTYPE(SVRCONN) MCAUSER('')")
    assert server.refusal("B", user="bad") == 2035
    assert server.refusal("C", user="bad") == 2035
    server.client("C", user="good").close()


def test_the_server_says_whom_it_refused_and_why(server: ChannelServer) -> None:
    """IBM's client only says 2035."""
    server.mqsc(
        "DEFINE CHANNEL(A) CHLTYPE(SVRCONN)",
        "SET CHLAUTH(A) TYPE(BLOCKUSER) USERLIST('bad')",
    )
    assert server.refusal("A", user="bad") == 2035
    (line,) = server.lines()
    assert "CHLAUTH(A) TYPE(BLOCKUSER) blocks user bad on channel A" in line


def test_the_address_of_a_client_of_ipv6_counts(new_server: Callable[..., ChannelServer]) -> None:
    channel_server = new_server()
    channel_server.mqsc(
        "DEFINE CHANNEL(A) CHLTYPE(SVRCONN)",
        "SET CHLAUTH(A) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(NOACCESS)",
        "DEFINE CHANNEL(B) CHLTYPE(SVRCONN)",
        "SET CHLAUTH(B) TYPE(ADDRESSMAP) ADDRESS('::1') USERSRC(NOACCESS)",
    )
    channel_server.start(address="::1")
    ChannelClient(channel_server.port, channel="A", host="::1").close()
    assert channel_server.refusal("B", host="::1") == 2035
