"""What goes wrong with a connection goes wrong in one line, with the right exit code."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.backends.client import definitions
from mqtriage.backends.client.backend import ClientBackend
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.cli.frame.main import main
from mqtriage.commands.msg.watch import FEW, Known, watch
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.open import open_manager
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.client_settings import ClientSettings, LibraryName
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import ConnectionFailed, MQIError, NotAuthorized
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.names import matches
from tests.contract.conftest import CLIENTS, load
from tests.mqi.conftest import Served
from tests.support.application import app_for_test

USERS = {"ops": "hunter2"}


@pytest.fixture(params=CLIENTS)
def library(request: pytest.FixtureRequest) -> LibraryName:
    load(request, request.param)
    name: LibraryName = request.param
    return name


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    monkeypatch.delenv("MQTRIAGE_QMGR", raising=False)
    served = Served(tmp_path, USERS)
    served.local("IN")
    yield served
    served.close()


def connect(library: LibraryName, **settings: str) -> ClientBackend:
    given = {"user": "ops", "password": "hunter2"} | settings
    return ClientBackend(ClientSettings(library=library, **given), "QM1", print)  # type: ignore[arg-type]


def command(library: str, *args: str, **environ: str) -> tuple[int, str, str]:
    home = {"MQTRIAGE_BACKEND": "mq", "MQTRIAGE_QMGR": "QM1", "MQTRIAGE_LIBRARY": library}
    app = app_for_test(environ=home | environ)
    code = main(list(args), app)
    assert isinstance(app.output.stdout, io.StringIO)
    assert isinstance(app.run.stderr, io.StringIO)
    return code, app.output.stdout.getvalue(), app.run.stderr.getvalue()


@pytest.fixture
def few_replies(server: Served) -> Iterator[EmulatedBackend]:
    """The queue for replies holds five; what is listed at once is less."""
    beside = EmulatedBackend(open_manager(server.path))
    beside.alter("QMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE", {"MAXDEPTH": 5})
    yield beside
    beside.disconnect()


@pytest.mark.slow
def test_more_queues_than_the_queue_for_replies_holds_are_listed(
    few_replies: EmulatedBackend, library: LibraryName, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(definitions, "AT_ONCE", 5)
    for name in ("APP", "APP.1", "APP.1.A", "APP.2", "BPP"):
        few_replies.define("QLOCAL", name, {})
        few_replies.put1(name, MQMD(), b"x")
    backend = connect(library)
    listed = list(backend.queues())
    expected = [
        (queue.name, queue.kind)
        for queue in few_replies.queues("*")
        if not queue.name.startswith("MQTRIAGE.")  # for the replies
    ]
    assert [(queue.name, queue.kind) for queue in listed] == expected
    local = [queue.name for queue in listed if queue.kind == "QLOCAL"]
    depths = {name: backend.status(name).curdepth for name in local}
    assert depths == {name: few_replies.status(name).curdepth for name in local}
    few_replies.put1("BPP", MQMD(), b"y")
    assert backend.status("BPP").curdepth == 2  # what was read ahead serves once
    backend.disconnect()


@pytest.mark.slow
def test_lost_replies_are_told_with_what_lost_them(
    few_replies: EmulatedBackend, library: LibraryName
) -> None:
    backend = connect(library)
    script = parse("DISPLAY QUEUE(*)")
    with pytest.raises(MQIError, match=r"no reply within 3 s after reply 5") as caught:
        backend.run_mqsc(script, script.commands[0], wait_ms=3_000)
    assert caught.value.reason == cmqc.MQRC_CMD_SERVER_NOT_AVAILABLE
    assert "raise MAXDEPTH of SYSTEM.DEFAULT.MODEL.QUEUE" in str(caught.value.hint)
    backend.disconnect()


@pytest.mark.parametrize("most", [1, 2, 7])
def test_parts_of_a_generic_name_match_each_queue_once(most: int) -> None:
    names = ["A", "A.B", "A.BC", "A.BCD", "A.C", "AB", "B.1", "B.2", "C%X", "C/Y"]
    parts = definitions.parts_of("*", names, most)
    matched = [name for part in parts for name in names if matches(part, name)]
    assert sorted(matched) == names
    assert all(sum(matches(part, name) for name in names) <= most for part in parts)


@pytest.mark.slow
def test_a_wrong_password_is_2035(server: Served, library: LibraryName) -> None:
    with pytest.raises(NotAuthorized, match="connect to QM1: MQRC_NOT_AUTHORIZED"):
        connect(library, password="wrong")
    user = {"MQTRIAGE_USER": "ops", "MQTRIAGE_PASSWORD": "wr0ng"}
    code, out, err = command(library, "msg", "count", "IN", **user)
    assert (code, out) == (6, "")
    assert "error: connect to QM1: MQRC_NOT_AUTHORIZED (2035)" in err
    assert "wr0ng" not in err


def test_the_right_password_connects_as_that_user(server: Served, library: LibraryName) -> None:
    backend = connect(library)
    assert backend.put1("IN", MQMD(), b"x").user_identifier == "ops"
    backend.disconnect()


def test_a_server_that_is_not_there_is_2059(server: Served, library: LibraryName) -> None:
    server.stop()
    user = {"MQTRIAGE_USER": "ops", "MQTRIAGE_PASSWORD": "hunter2"}
    code, _, err = command(library, "msg", "count", "IN", **user)
    assert code == 7
    assert "error: connect to QM1: MQRC_Q_MGR_NOT_AVAILABLE (2059)" in err
    assert "\nhint: " in err


def test_a_queue_manager_that_does_not_exist_is_2058(server: Served, library: LibraryName) -> None:
    code, _, err = command(library, "-m", "NOBODY", "msg", "count", "IN", MQTRIAGE_QMGR="NOBODY")
    assert code == 7
    assert "connect to NOBODY: MQRC_Q_MGR_NAME_ERROR (2058)" in err


def test_a_server_that_goes_away_is_2009_from_then_on(server: Served, library: LibraryName) -> None:
    backend = connect(library)
    handle = backend.open("IN", cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED)
    backend.put1("IN", MQMD(), b"never", cmqc.MQPMO_SYNCPOINT)
    server.stop()
    for call in (handle.get, backend.commit, backend.backout, lambda: list(handle.browse())):
        with pytest.raises(ConnectionFailed) as caught:
            call()
        assert caught.value.reason in (2009, 2018)
    backend.disconnect()  # says nothing: there is nothing left to leave
    assert server.depth("IN") == 0


def test_a_client_that_is_gone_is_backed_out(server: Served, library: LibraryName) -> None:
    server.backend().put1("IN", MQMD(), b"kept")
    leaver = connect(library)
    leaver.open("IN", cmqc.MQOO_INPUT_SHARED).get(cmqc.MQGMO_SYNCPOINT)
    leaver.put1("IN", MQMD(), b"never", cmqc.MQPMO_SYNCPOINT)
    leaver.disconnect()
    messages = server.backend().open("IN", cmqc.MQOO_BROWSE).browse()
    assert [message.body for message in messages] == [b"kept"]


def test_a_queue_manager_that_is_stopped_ends_the_connection(
    server: Served, library: LibraryName
) -> None:
    backend = connect(library)
    handle = backend.open("IN", cmqc.MQOO_BROWSE)
    lifecycle.stop(server.backend().manager)
    with pytest.raises(MQIError) as caught:
        list(handle.browse())
    assert isinstance(caught.value, ConnectionFailed)
    backend.disconnect()


def test_in_the_middle_of_an_act_nothing_is_lost(server: Served, library: LibraryName) -> None:
    """The commit finds nobody: the report says so, and the message is where it was."""
    server.backend().put1("IN", MQMD(), b"kept")
    server.local("OUT")
    backend = connect(library)
    source = backend.open("IN", cmqc.MQOO_INPUT_SHARED)
    message = source.get(cmqc.MQGMO_SYNCPOINT)
    backend.put1("OUT", message.md, message.body, cmqc.MQPMO_SYNCPOINT)
    server.stop()
    with pytest.raises(ConnectionFailed):
        backend.commit()
    assert (server.depth("IN"), server.depth("OUT")) == (1, 0)


def test_a_watch_that_loses_its_connection_after_a_message_does_not_tell_it_again(
    server: Served, library: LibraryName
) -> None:
    def arrivals() -> Iterator[bytes]:
        rows = watch(connect(library), ["IN"], Selection(), known, more=lambda: False, note=print)
        return (message.body for _, message in rows)

    known: Known = {"IN": set()}
    server.backend().put1("IN", MQMD(persistence=cmqc.MQPER_PERSISTENT), b"before")
    rows = arrivals()
    assert next(rows) == b"before"
    server.stop()
    with pytest.raises(ConnectionFailed):
        next(rows)
    server.start()
    server.backend().put1("IN", MQMD(), b"after")
    assert list(arrivals()) == [b"after"]


@pytest.mark.slow
def test_a_watch_of_a_long_queue_tells_what_comes_once_it_has_walked_it(
    server: Served, library: LibraryName
) -> None:
    """Also after it had lost its connection, where a new cursor is at the front again."""
    backend = server.backend()
    for _ in range(FEW + 1):
        backend.put1("IN", MQMD(persistence=cmqc.MQPER_PERSISTENT), b"old")
    known: Known = {}
    for body in (b"first", b"second"):

        def put_once_walked(text: str, body: bytes = body) -> None:
            assert "more than" in text
            backend.put1("IN", MQMD(persistence=cmqc.MQPER_PERSISTENT), body)

        rows = watch(
            connect(library), ["IN"], Selection(), known,
            more=lambda: False, note=put_once_walked,
        )  # fmt: skip
        assert [message.body for _, message in rows] == [body]


@pytest.mark.seed("CARD-06")
def test_without_a_package_the_emulator_works_and_the_client_exits_7(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in CLIENTS:
        monkeypatch.setitem(sys.modules, name, None)
    home = {"MQTRIAGE_HOME": str(tmp_path), "MQTRIAGE_BACKEND": "", "MQTRIAGE_LIBRARY": ""}
    assert command("", "emulator", "create", "QM1", "--sample", "--quiet", **home)[0] == 0
    assert command("", "msg", "browse", "ORDERS.BO", **home)[0] == 0
    code, out, err = command("", "--backend", "mq", "msg", "browse", "ORDERS.BO", **home)
    assert (code, out) == (7, "")
    assert "error: no MQ client: pymqi is not installed; ibmmq is not installed" in err
    assert "hint: pip install '.[ibmmq]'" in err
