"""What goes into MQCONNX, through a stand-in for the package that notes what it is given.

That the packages themselves take it is shown in tests/contract.
"""

from __future__ import annotations

import ctypes
import os
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mqtriage.backends.client.connection import ClientConnection
from mqtriage.backends.client.library import Library, PackageProblem, load
from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.model.client_settings import ClientSettings, LibraryName
from mqtriage.mq.errors import ConnectionFailed, NoClient, NotAuthorized

CLIENT, LOCAL, SHARE = 2048, 4096, 64


class Failure(Exception):
    def __init__(self, comp: int, reason: int) -> None:
        super().__init__(reason)
        self.comp, self.reason = comp, reason


class Structure(SimpleNamespace):
    Version = 6


class Noted:
    """The package: its structures are records, its connection notes the calls."""

    def __init__(self, name: LibraryName, answer: tuple[int, int] = (0, 0)) -> None:
        self.calls: list[tuple[Any, ...]] = []
        module = ModuleType(name)
        noted = self

        class QueueManager:
            def __init__(self, name: str | None) -> None:
                assert name is None

            def connect_with_options(self, name: str, **more: Any) -> None:
                noted.calls.append(("MQCONNX", name, more))
                if answer[0]:
                    raise Failure(*answer)

            def commit(self) -> None:
                noted.calls.append(("MQCMIT",))

            def backout(self) -> None:
                noted.calls.append(("MQBACK",))

            def disconnect(self) -> None:
                noted.calls.append(("MQDISC",))

        vars(module).update(
            QueueManager=QueueManager,
            MQMIError=Failure,
            PYIFError=type("PYIFError", (Exception,), {}),
            CD=Structure,
            SCO=Structure,
            CMQC=SimpleNamespace(
                MQCNO_HANDLE_SHARE_BLOCK=SHARE,
                MQCNO_CLIENT_BINDING=CLIENT,
                MQCNO_LOCAL_BINDING=LOCAL,
                MQCNO_RECONNECT=1 << 24,
                MQCNO_RECONNECT_DISABLED=1 << 25,
                MQCNO_RECONNECT_Q_MGR=1 << 26,
            ),
        )
        if name == "ibmmq":
            vars(module)["CNO"] = Structure
        self.library = Library(name, module)

    def connect(self, *notices: list[str], **settings: Any) -> ClientConnection:
        warnings = notices[0] if notices else []
        return ClientConnection(self.library, ClientSettings(**settings), "QM1", warnings.append)

    @property
    def given(self) -> dict[str, Any]:
        (_, name, more) = self.calls[0]
        assert name == "QM1"
        return dict(more)

    @property
    def options(self) -> int:
        given = self.given
        return int(given["opts"] if "opts" in given else given["cno"].Options)


@pytest.fixture(params=["pymqi", "ibmmq"])
def noted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Noted:
    for name in ("MQAPPLNAME", "MQCCDTURL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(name, "")  # so that what the code sets is undone
    return Noted(request.param)


@pytest.mark.seed("CARD-15")
def test_channel_and_connection_go_into_the_channel_definition(noted: Noted) -> None:
    noted.connect(connection="mq1(1414), mq2(1415)", channel="OPS.SVRCONN", heartbeat_s=30)
    cd = noted.given["cd"]
    assert (cd.ChannelName, cd.ConnectionName) == (b"OPS.SVRCONN", b"mq1(1414),mq2(1415)")
    assert (cd.HeartbeatInterval, cd.MaxMsgLength) == (30, 104_857_600)
    assert noted.options == SHARE | CLIENT
    assert "sco" not in noted.given


def test_tls_goes_into_both_structures(noted: Noted) -> None:
    noted.connect(
        connection="mq1(1414)",
        channel="C",
        cipher="ANY_TLS12_OR_HIGHER",
        key_repository="/etc/mq/ops.kdb",
        certificate_label="ops",
        peer_name="CN=qm1",
    )
    cd, sco = noted.given["cd"], noted.given["sco"]
    assert cd.SSLCipherSpec == b"ANY_TLS12_OR_HIGHER"
    assert cd.Version >= 7
    assert (sco.KeyRepository, sco.CertificateLabel) == (b"/etc/mq/ops", b"ops")
    assert ctypes.string_at(cd.SSLPeerNamePtr, cd.SSLPeerNameLength) == b"CN=qm1"


def test_user_and_password_go_together(noted: Noted) -> None:
    noted.connect(user="ops", password="hunter2")
    assert (noted.given["user"], noted.given["password"]) == ("ops", "hunter2")


def test_nothing_given_leaves_the_mode_to_the_library(noted: Noted) -> None:
    noted.connect()
    assert noted.options == SHARE
    assert not {"cd", "sco", "user", "password"} & noted.given.keys()


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({"transport": "bindings"}, LOCAL),
        ({"transport": "client"}, CLIENT),
        ({"reconnect": "no"}, 1 << 25),
        ({"reconnect": "yes"}, 1 << 24),
        ({"reconnect": "qmgr"}, 1 << 26),
    ],
)
def test_modes_are_options_of_the_call(
    noted: Noted, settings: dict[str, str], options: int
) -> None:
    noted.connect(**settings)
    assert noted.options == SHARE | options


def test_table_and_application_go_where_the_package_lets_them(noted: Noted) -> None:
    noted.connect(ccdt="/etc/mq/ccdt.json", application="night shift")
    assert noted.options == SHARE | CLIENT
    if noted.library.name == "ibmmq":
        cno = noted.given["cno"]
        assert (cno.CCDTUrl, cno.ApplName) == ("file:///etc/mq/ccdt.json", b"night shift")
        assert cno.Version >= 7
    else:  # pymqi fills in its own MQCNO
        assert os.environ["MQCCDTURL"] == "file:///etc/mq/ccdt.json"
        assert os.environ["MQAPPLNAME"] == "night shift"


def test_leaving_backs_out_first(noted: Noted) -> None:
    connection = noted.connect()
    connection.note_unit(2)
    connection.disconnect()
    assert [call[0] for call in noted.calls[1:]] == ["MQBACK", "MQDISC"]
    other = noted.connect()
    other.note_unit(2)
    other.commit()
    other.disconnect()
    assert [call[0] for call in noted.calls[4:]] == ["MQCMIT", "MQDISC"]


@pytest.mark.seed("CARD-15")
@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (2059, ConnectionFailed),
        (2538, ConnectionFailed),
        (2393, ConnectionFailed),
        (2035, NotAuthorized),
        (2195, ConnectionFailed),  # whatever it is: there is no connection
    ],
)
def test_a_failure_says_where_it_wanted_to_go(reason: int, kind: type[Exception]) -> None:
    noted = Noted("pymqi", (2, reason))
    with pytest.raises(kind, match=r"connect to QM1 at mq1\(1414\), channel C: MQRC_") as caught:
        noted.connect(connection="mq1(1414)", channel="C", user="u", password="hunter2")
    assert "hunter2" not in str(caught.value)


def test_a_warning_is_told_and_the_connection_used() -> None:
    warnings: list[str] = []
    Noted("pymqi", (1, 2391)).connect(warnings)
    assert warnings == ["connect to QM1: MQRC_SSL_ALREADY_INITIALIZED (2391)"]


# -- which package ---------------------------------------------------------------------------------


def there(*names: str) -> Any:
    return lambda name: (
        Library(name, ModuleType(name))
        if name in names
        else PackageProblem(name, False, f"no {name}")
    )


def test_the_first_package_that_can_be_used_is_used() -> None:
    assert load("", there("pymqi", "ibmmq")).name == "pymqi"
    assert load("", there("ibmmq")).name == "ibmmq"
    assert load("ibmmq", there("pymqi", "ibmmq")).name == "ibmmq"


@pytest.mark.seed("CARD-06")
def test_without_a_package_the_way_to_one_is_told_and_the_exit_is_7() -> None:
    with pytest.raises(NoClient, match="no MQ client: no pymqi; no ibmmq") as caught:
        load("", there())
    assert "pip install '.[ibmmq]'" in (caught.value.hint or "")
    assert outcome_of(caught.value) is ExitCode.NO_CONNECTION


def test_a_package_without_its_library_asks_for_the_client() -> None:
    def look(name: LibraryName) -> PackageProblem:
        return PackageProblem(name, True, f"{name}: libmqm_r.so: cannot open shared object file")

    with pytest.raises(NoClient, match="cannot open shared object") as caught:
        load("pymqi", look)
    assert "LD_LIBRARY_PATH" in (caught.value.hint or "")
