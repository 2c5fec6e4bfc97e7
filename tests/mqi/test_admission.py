"""Who is let in by the channel authentication records and the CONNAUTH of a queue manager."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.admin.mqsc_channels import running
from mqtriage.emulator.admin.mqsc_server import run_script
from mqtriage.emulator.core import channels, listeners
from mqtriage.mq.mqsc.parse import parse
from tests.mqi.conftest import Served
from tests.mqi.test_c_program import built

USERS = {"app": "secret", "admin": "topsecret"}
Connect = Callable[..., str]


def mqsc(served: Served, script: str) -> None:
    assert list(run_script(served.backend().connection, parse(script))) == []


@pytest.fixture(params=["open", "passwords"])
def locked(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    """A queue manager whose server checks no passwords, or those of USERS."""
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    server = Served(tmp_path, USERS if request.param == "passwords" else None)
    yield server
    server.close()


@pytest.fixture
def connect(ibmmq: Any) -> Connect:
    """Connect with the arguments of ibmmq.connect; the user that a message put then is from."""

    def connected(channel: str | None = None, user: str | None = None, password: str = "") -> str:
        given = (user, password or USERS.get(user, "x")) if user else (None, None)
        connection = ibmmq.connect("QM1", channel, "h(1)" if channel else None, *given)
        try:
            md = ibmmq.MD()
            ibmmq.Queue(connection, "SYSTEM.DEFAULT.LOCAL.QUEUE").put(b"", md)
            return str(md.UserIdentifier.decode().strip())
        finally:
            connection.disconnect()

    return connected


@pytest.fixture
def refused(ibmmq: Any, connect: Connect) -> Callable[..., bool]:
    """Whether a connection is 2035."""

    def is_refused(*arguments: str) -> bool:
        try:
            connect(*arguments)
        except ibmmq.MQMIError as error:
            assert (error.comp, error.reason) == (2, 2035)
            return True
        return False

    return is_refused


def test_a_new_queue_manager_lets_its_owner_in(served: Served, connect: Connect) -> None:
    me = connect()
    assert me
    assert connect("D.SVRCONN") == me
    assert connect("D.SVRCONN", "alice") == "alice"


def test_a_new_queue_manager_has_the_records_of_ibms_while_it_checks_authority(
    served: Served, refused: Callable[..., bool]
) -> None:
    """SYSTEM.* but for administration, and no administrators, on any channel."""
    mqsc(served, "DEFINE CHANNEL(A.SVRCONN) REPLACE CHLTYPE(SVRCONN)")
    mqsc(served, "DEFINE CHANNEL(SYSTEM.ADMIN.SVRCONN) CHLTYPE(SVRCONN)")
    assert not refused("SYSTEM.DEF.SVRCONN")
    assert not refused("A.SVRCONN", "mqm")
    lifecycle.switch(served.backend().manager, "authority", "on")
    assert refused("SYSTEM.DEF.SVRCONN")
    assert not refused("SYSTEM.ADMIN.SVRCONN")
    assert refused("A.SVRCONN", "mqm")
    mqsc(served, "ALTER QMGR CHLAUTH(DISABLED)")
    assert not refused("SYSTEM.DEF.SVRCONN")
    assert not refused("A.SVRCONN", "mqm")


def test_a_stopped_channel_lets_no_program_of_c_in(
    served: Served, connect: Connect, ibmmq: Any
) -> None:
    """Programs that are there may finish, and local ones go on."""
    other = ibmmq.connect("QM1", "SYSTEM.DEF.SVRCONN", "h(1)")
    backend = served.backend()
    script = parse("STOP CHANNEL(SYSTEM.DEF.SVRCONN)\nSTART CHANNEL(SYSTEM.DEF.SVRCONN)")
    stop, start = script.commands
    backend.run_mqsc(script, stop)
    with pytest.raises(ibmmq.MQMIError) as caught:
        connect("SYSTEM.DEF.SVRCONN")
    assert (caught.value.comp, caught.value.reason) == (2, 2537)
    ibmmq.Queue(other, "SYSTEM.DEFAULT.LOCAL.QUEUE").put(b"")
    assert connect()
    backend.run_mqsc(script, start)
    assert connect("SYSTEM.DEF.SVRCONN")
    other.disconnect()


@pytest.mark.parametrize("mode", ["FORCE", "TERMINATE", "QUIESCE"])
@pytest.mark.slow
def test_stop_channel_ends_programs_of_c_and_backs_them_out(
    served: Served, ibmmq: Any, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """Those of its own instances, as over TCP; a local one and one of another channel go on."""
    monkeypatch.setattr(channels, "QUIESCE_S", 0.5)
    mqsc(served, "DEFINE CHANNEL(A.SVRCONN) REPLACE CHLTYPE(SVRCONN)")
    name = "SYSTEM.DEFAULT.LOCAL.QUEUE"
    ended, local = ibmmq.connect("QM1", "A.SVRCONN", "h(1)"), ibmmq.connect("QM1")
    other = ibmmq.connect("QM1", "SYSTEM.DEF.SVRCONN", "h(1)")
    syncpoint = ibmmq.PMO(Options=ibmmq.CMQC.MQPMO_SYNCPOINT)
    ibmmq.Queue(ended, name).put(b"uncommitted", ibmmq.MD(), syncpoint)
    mqsc(served, f"STOP CHANNEL(A.SVRCONN) MODE({mode})")
    until = time.monotonic() + 30
    manager = served.backend().manager
    while any(one.instance.channel == "A.SVRCONN" for one in running(manager)):
        assert time.monotonic() < until
        time.sleep(0.05)
    with pytest.raises(ibmmq.MQMIError) as caught:
        ibmmq.Queue(ended, name).put(b"")
    assert caught.value.reason == 2009
    for goes_on in (local, other):
        ibmmq.Queue(goes_on, name).put(b"goes on")
        goes_on.disconnect()
    assert served.depth(name) == 2


def test_a_stopped_listener_lets_no_program_of_c_in_by_a_channel(
    served: Served, connect: Connect, ibmmq: Any
) -> None:
    """Nothing listens on a port here, so that nothing stops it but what a server for TCP sees."""
    listeners.stop(served.path)
    with pytest.raises(ibmmq.MQMIError) as caught:
        connect("SYSTEM.DEF.SVRCONN")
    assert (caught.value.comp, caught.value.reason) == (2, 2538)
    assert connect()
    listeners.start(served.path, 0)
    assert connect("SYSTEM.DEF.SVRCONN")


@pytest.mark.parametrize(
    ("channel", "reason"), [("NOT.DEFINED", 2540), ("SYSTEM.DEF.SENDER", 2539), ("A.SVRCONN", 0)]
)
def test_a_program_of_c_comes_by_a_channel_that_is_there_and_for_clients(
    served: Served, connect: Connect, ibmmq: Any, channel: str, reason: int
) -> None:
    """As one over TCP: 2540 and 2539 (tests/channel/test_refusals.py)."""
    assert reason_of(ibmmq, partial(connect, channel)) == reason


def test_display_conn_and_chstatus_show_the_channel_of_a_program_of_c(
    served: Served, ibmmq: Any
) -> None:
    program = ibmmq.connect("QM1", "SYSTEM.DEF.SVRCONN", "h(1)")
    backend = served.backend()
    script = parse(
        "DISPLAY CONN(*) ALL WHERE(CHANNEL EQ SYSTEM.DEF.SVRCONN)\n"
        "DISPLAY CHSTATUS(SYSTEM.DEF.SVRCONN) ALL"
    )
    shown, status = (backend.run_mqsc(script, command).lines for command in script.commands)
    assert {"CHANNEL(SYSTEM.DEF.SVRCONN)", "APPLDESC(IBM MQ Channel)", "CONNAME(127.0.0.1)"} <= set(
        shown[0].cells
    )
    assert {"STATUS(RUNNING)", "CURSHCNV(1)", "RPRODUCT(MQCC)"} <= set(status[0].cells)
    program.disconnect()


def test_local_programs_meet_no_channel_authentication_records(
    served: Served, refused: Callable[..., bool]
) -> None:
    mqsc(served, "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)")
    assert refused("D.SVRCONN")
    assert not refused()


def test_a_map_of_users_says_whose_authority_counts(served: Served, connect: Connect) -> None:
    mqsc(served, "SET CHLAUTH('A.*') TYPE(USERMAP) CLNTUSER('alice') MCAUSER('orders')")
    assert connect("A.SVRCONN", "alice") == "orders"
    assert connect("A.SVRCONN", "bob") == "bob"
    assert connect("B.SVRCONN", "alice") == "alice"


def test_the_mcauser_of_a_channel_counts_for_who_gives_no_user(
    served: Served, connect: Connect
) -> None:
    mqsc(served, "DEFINE CHANNEL(A.SVRCONN) REPLACE CHLTYPE(SVRCONN) MCAUSER('orders')")
    assert connect("A.SVRCONN") == "orders"
    assert connect("A.SVRCONN", "alice") == "alice"
    mqsc(served, "ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) ADOPTCTX(NO)")
    assert connect("A.SVRCONN", "alice") == "orders"


def test_blocked_users_and_addresses_are_refused(
    served: Served, refused: Callable[..., bool]
) -> None:
    mqsc(served, "SET CHLAUTH(A.SVRCONN) TYPE(BLOCKUSER) USERLIST('mallory')")
    assert refused("A.SVRCONN", "mallory")
    assert not refused("A.SVRCONN", "alice")
    assert not refused("A.SVRCONN", "mqm")  # its own list comes before that of every channel
    mqsc(served, "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('127.0.0.1')")
    assert refused("A.SVRCONN", "alice")


def test_the_developer_objects_are_for_programs_and_for_admin(
    locked: Served, connect: Connect, refused: Callable[..., bool]
) -> None:
    from mqtriage.emulator.seeding import define_developer_objects

    mqsc(locked, "DELETE CHANNEL(DEV.APP.SVRCONN)\nDELETE CHANNEL(DEV.ADMIN.SVRCONN)")
    define_developer_objects(locked.backend().connection)
    assert connect("DEV.APP.SVRCONN", "app") == "app"
    assert connect("DEV.APP.SVRCONN") == "app"
    assert connect("DEV.ADMIN.SVRCONN", "admin") == "mqm"
    assert refused("DEV.ADMIN.SVRCONN")
    assert refused("DEV.ADMIN.SVRCONN", "app")


IDPWOS = "ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS)"


@pytest.mark.parametrize("locked", ["passwords"], indirect=True)
@pytest.mark.parametrize(
    ("check", "owner", "other", "wrong"),
    [
        pytest.param("NONE", True, True, True, id="NONE"),
        pytest.param("OPTIONAL", True, True, False, id="OPTIONAL"),
        pytest.param("REQDADM", False, True, False, id="REQDADM"),
        pytest.param("REQUIRED", False, False, False, id="REQUIRED"),
    ],
)
@pytest.mark.slow
def test_chckclnt_says_who_must_give_a_password(
    locked: Served, refused: Callable[..., bool], check: str, owner: bool, other: bool, wrong: bool
) -> None:
    """The owner is privileged; whom a channel makes another user is not."""
    mqsc(locked, f"{IDPWOS} CHCKCLNT({check}) CHCKLOCL(NONE)")
    mqsc(locked, "DEFINE CHANNEL(A.SVRCONN) REPLACE CHLTYPE(SVRCONN) MCAUSER('orders')")
    assert refused("D.SVRCONN") is not owner
    assert refused("A.SVRCONN") is not other
    assert refused("A.SVRCONN", "app", "wrong") is not wrong
    assert not refused("A.SVRCONN", "app", "secret")
    assert not refused()


@pytest.mark.parametrize("locked", ["passwords"], indirect=True)
@pytest.mark.parametrize("check", ["NONE", "OPTIONAL", "REQDADM", "REQUIRED"])
@pytest.mark.slow
def test_chcklocl_says_it_of_local_programs(
    locked: Served, refused: Callable[..., bool], check: str
) -> None:
    mqsc(locked, f"{IDPWOS} CHCKCLNT(NONE) CHCKLOCL({check})")
    assert refused() is (check in ("REQDADM", "REQUIRED"))
    assert not refused("D.SVRCONN")


@pytest.mark.parametrize("locked", ["passwords"], indirect=True)
@pytest.mark.slow
def test_a_record_may_ask_for_more_than_the_queue_manager(
    locked: Served, refused: Callable[..., bool]
) -> None:
    mqsc(locked, f"{IDPWOS} CHCKCLNT(OPTIONAL)")
    mqsc(locked, "SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)"
                 " CHCKCLNT(REQUIRED)")  # fmt: skip
    assert refused("A.SVRCONN")
    assert not refused("B.SVRCONN")


def test_mqserver_names_a_channel_unless_the_binding_is_local(
    served: Served, sdk: Path, tmp_path: Path
) -> None:
    mqsc(served, "SET CHLAUTH(A.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)")
    served.local("IN")
    program = built(sdk, tmp_path, "properties")

    def ends_with(**more: str) -> str:
        environment = served.environment(sdk) | more
        return subprocess.run(
            [program], env=environment, capture_output=True, text=True, timeout=60, check=False
        ).stdout

    assert ends_with(MQSERVER="A.SVRCONN/TCP/localhost(1414)").endswith("Reason 2035\n")
    assert ends_with(MQSERVER="B.SVRCONN/TCP/localhost(1414)") == ""
    assert ends_with(MQSERVER="A.SVRCONN/TCP/h(1)", MQ_CONNECT_TYPE="LOCAL") == ""


# -- what a channel's definition says to programs of the C client ---------------------------------


@pytest.fixture
def by_channel(ibmmq: Any) -> Callable[..., Any]:
    """A connection by a channel, with fields of an MQCD."""

    def connected(channel: str, **fields: object) -> Any:
        cd = ibmmq.CD()
        cd.ChannelName, cd.ConnectionName = channel.encode(), b"h(1)"
        for name, value in fields.items():
            setattr(cd, name, value)
        queue_manager = ibmmq.QueueManager(None)
        shared = ibmmq.CMQC.MQCNO_HANDLE_SHARE_BLOCK
        queue_manager.connect_with_options("QM1", cd=cd, opts=shared)
        return queue_manager

    return connected


def reason_of(ibmmq: Any, act: Callable[[], object]) -> int:
    try:
        act()
    except ibmmq.MQMIError as error:
        return int(error.reason)
    return 0


def test_a_put_is_no_longer_than_both_ends_of_the_channel_allow(
    ibmmq: Any, served: Served, by_channel: Callable[..., Any]
) -> None:
    mqsc(served, "DEFINE CHANNEL(SMALL) CHLTYPE(SVRCONN) MAXMSGL(1000)")
    od = ibmmq.OD(ObjectName=b"SYSTEM.DEFAULT.LOCAL.QUEUE")
    for channel, fields, most in (
        ("SMALL", {}, 1000), ("SMALL", {"MaxMsgLength": 500}, 500),
        ("A.SVRCONN", {"MaxMsgLength": 700}, 700),
    ):  # fmt: skip
        connection = by_channel(channel, **fields)
        queue = ibmmq.Queue(connection, "SYSTEM.DEFAULT.LOCAL.QUEUE")
        assert reason_of(ibmmq, partial(queue.put, bytes(most))) == 0
        assert reason_of(ibmmq, partial(queue.put, bytes(most + 1))) == 2010
        assert reason_of(ibmmq, partial(connection.put1, od, bytes(most + 1))) == 2010
        connection.disconnect()


def test_a_channel_has_as_many_instances_as_it_may(
    ibmmq: Any, served: Served, by_channel: Callable[..., Any]
) -> None:
    mqsc(served, "DEFINE CHANNEL(TWO) CHLTYPE(SVRCONN) MAXINST(2) SHARECNV(1)")
    mqsc(served, "DEFINE CHANNEL(SHARED) CHLTYPE(SVRCONN) MAXINSTC(1) SHARECNV(2)")
    for channel in ("TWO", "SHARED"):
        here = [by_channel(channel), by_channel(channel)]
        assert reason_of(ibmmq, partial(by_channel, channel)) == 2537
        here.pop().disconnect()
        here.append(by_channel(channel))
        for connection in here:
            connection.disconnect()


@pytest.mark.parametrize("reason", [2538, 2540])
def test_a_client_meets_a_host_or_channel_that_is_not_there_where_the_switch_says_so(
    ibmmq: Any, served: Served, connect: Connect, by_channel: Callable[..., Any], reason: int
) -> None:
    lifecycle.switch(served.backend().manager, "fault.client", str(reason))
    assert reason_of(ibmmq, partial(by_channel, "A.SVRCONN")) == reason
    assert connect()  # a local program goes by no channel
    lifecycle.switch(served.backend().manager, "fault.client", "")
    by_channel("A.SVRCONN").disconnect()


def test_a_program_without_a_cipher_is_not_let_in_by_a_channel_that_has_one(
    ibmmq: Any,
    served: Served,
    by_channel: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mqsc(served, "DEFINE CHANNEL(TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12) SSLCAUTH(OPTIONAL)")
    assert reason_of(ibmmq, lambda: by_channel("TLS")) == 2393
    monkeypatch.setenv("MQSSLKEYR", "/home/me/keys")
    by_channel("TLS", Version=7, SSLCipherSpec=b"ANY_TLS12").disconnect()
