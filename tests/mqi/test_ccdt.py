"""Client channel definition tables, and TLS fields, as C programs come with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.mqi.conftest import Served, create_with_channels
from tests.mqi.test_admission import mqsc, reason_of

QUEUE = "SYSTEM.DEFAULT.LOCAL.QUEUE"
LEAVES_OUT = (
    "MQSERVER",
    "MQCCDTURL",
    "MQCHLLIB",
    "MQCHLTAB",
    "MQCLNTCF",
    "MQSSLKEYR",
    "MQTRIAGE_QMGR",
)
Table = Callable[..., Path]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LEAVES_OUT:
        monkeypatch.delenv(name, raising=False)


def channel(name: str, queue_manager: str = "QM1", port: int = 1414, **more: Any) -> dict[str, Any]:
    """An entry of a table."""
    connection = [{"host": "mq.example.com", "port": port}]
    return {
        "name": name,
        "clientConnection": {"connection": connection, "queueManager": queue_manager},
        "type": "clientConnection",
        **more,
    }


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Writes a table, which MQCCDTURL names."""

    def write(*channels: dict[str, Any]) -> Path:
        path = tmp_path / "a table.json"
        path.write_text(json.dumps({"channel": channels}))
        monkeypatch.setenv("MQCCDTURL", path.as_uri())
        return path

    return write


def connected(ibmmq: Any, name: str = "QM1", options: int = 0, url: str = "") -> Any:
    cno = ibmmq.CNO(Options=options | ibmmq.CMQC.MQCNO_HANDLE_SHARE_BLOCK)
    if url:
        cno.CCDTUrl = url
    connection = ibmmq.QueueManager(None)
    connection.connect_with_options(name, cno=cno)
    return connection


def user_of(ibmmq: Any, **arguments: Any) -> str:
    """Who a program is to the queue manager, by which its channel shows."""
    connection = connected(ibmmq, **arguments)
    md = ibmmq.MD()
    ibmmq.Queue(connection, QUEUE).put(b"", md)
    connection.disconnect()
    return str(md.UserIdentifier.decode().strip())


def test_a_table_says_by_which_channel_a_program_comes(
    served: Served, ibmmq: Any, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    mqsc(served, "DEFINE CHANNEL(A.SVRCONN) REPLACE CHLTYPE(SVRCONN) MCAUSER('by_a')")
    mqsc(served, "DEFINE CHANNEL(B.SVRCONN) REPLACE CHLTYPE(SVRCONN) MCAUSER('by_b')")
    path = table(
        channel("C.SVRCONN", "QM2"), channel("B.SVRCONN"), channel("X.SVRCONN", type="other")
    )
    assert user_of(ibmmq) == "by_b"
    assert reason_of(ibmmq, lambda: connected(ibmmq, "QM3")) == 2058
    assert user_of(ibmmq, options=ibmmq.CMQC.MQCNO_LOCAL_BINDING) not in ("by_a", "by_b")
    other = path.with_name("other.json")
    other.write_text(
        '{"note": [1, {"channel": -2.5e3}], "channel": [{"name": "\\u0041.SVRCONN", '
        '"clientConnection": {"connection": [], "queueManager": "QM1",}, '
        '"type": "clientConnection"}],}'
    )
    assert reason_of(ibmmq, lambda: connected(ibmmq, url=other.as_uri())) == 2538
    other.write_text(other.read_text().replace("[],", '[{"host": "h"}],'))
    assert user_of(ibmmq, url=other.as_uri()) == "by_a"
    monkeypatch.setenv("MQSERVER", "A.SVRCONN/TCP/h(1)")
    assert user_of(ibmmq) == "by_a"
    monkeypatch.delenv("MQSERVER")
    monkeypatch.delenv("MQCCDTURL")
    monkeypatch.setenv("MQCHLLIB", str(path.parent))
    monkeypatch.setenv("MQCHLTAB", path.name)
    assert user_of(ibmmq) == "by_b"


def test_a_table_says_what_a_channel_carries(served: Served, ibmmq: Any, table: Table) -> None:
    table(channel("A.SVRCONN", general={"maximumMessageLength": 10}))
    queue = ibmmq.Queue(connected(ibmmq), QUEUE)
    queue.put(b"x" * 10)
    assert reason_of(ibmmq, lambda: queue.put(b"x" * 11)) == 2010


def test_a_table_says_how_a_channel_is_used(
    served: Served, ibmmq: Any, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.local("Q", DEFREADA="YES")
    for conversations, left_over in ((1, 0), (0, 2)):
        table(channel("A", connectionManagement={"sharingConversations": conversations}))
        connection = connected(ibmmq)
        queue = ibmmq.Queue(connection, "Q", ibmmq.CMQC.MQOO_OUTPUT)
        for _ in range(3):
            queue.put(b"")
        ibmmq.Queue(connection, "Q", ibmmq.CMQC.MQOO_INPUT_SHARED).get()
        assert served.depth("Q") == left_over
        connection.disconnect()
    settings = tmp_path / "client.ini"
    settings.write_text("CHANNELS:\n   ReconDelay=(20)\n")
    monkeypatch.setenv("MQCLNTCF", str(settings))
    for reconnects, reason in (("yes", 0), ("no", 2009)):
        table(channel("A", connectionManagement={"defaultReconnect": reconnects}))
        queue = ibmmq.Queue(connected(ibmmq), QUEUE, ibmmq.CMQC.MQOO_OUTPUT)
        served.stop()
        served.start()
        assert reason_of(ibmmq, partial(queue.put, b"")) == reason


def test_the_cipher_of_a_table_has_to_be_that_of_the_channel(
    served: Served, ibmmq: Any, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    mqsc(served, "DEFINE CHANNEL(TLS) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256)")
    mqsc(served, "DEFINE CHANNEL(PLAIN) CHLTYPE(SVRCONN)")

    def reason(name: str, cipher_spec: str) -> int:
        table(channel(name, transmissionSecurity={"cipherSpecification": cipher_spec}))
        return reason_of(ibmmq, lambda: connected(ibmmq).disconnect())

    assert reason("TLS", "") == 2393
    assert reason("TLS", "ECDHE_RSA_AES_128_GCM_SHA256") == 2381, "no key repository is named"
    monkeypatch.setenv("MQSSLKEYR", "/home/me/keys")
    assert reason("TLS", "ECDHE_RSA_AES_128_GCM_SHA256") == 0
    assert reason("TLS", "ANY_TLS12_OR_HIGHER") == 0
    assert reason("TLS", "ECDHE_RSA_AES_256_GCM_SHA384") == 2393
    assert reason("PLAIN", "ANY_TLS12_OR_HIGHER") == 2393
    assert reason("PLAIN", "") == 0
    assert reason("NOT.DEFINED", "ANY_TLS12") == 2540


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"AMQR\x00\x00\x07\xf4", "binary"),
        (b"", "binary"),
        (b'{"channel": [{"name": "A"', "not JSON"),
        (b'{"channel": [}', "not JSON"),
        (b'{"channel"} ', "not JSON"),
        (b'{"channel": "\\u00', "not JSON"),
        (b'{"a": ' * 40, "not JSON"),
        (b"{} x", "not JSON"),
    ],
)
@pytest.mark.slow
def test_a_table_that_cannot_be_read_is_2278_and_one_line(
    served: Served, ibmmq: Any, table: Table, capfd: pytest.CaptureFixture[str],
    content: bytes, text: str,
) -> None:  # fmt: skip
    path = table()
    path.write_bytes(content)
    assert reason_of(ibmmq, lambda: connected(ibmmq)) == 2278
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"mqtriage: {path}: ")
    assert text in line


def test_a_table_that_is_not_there_is_2600_by_its_url_and_2058_by_its_file(
    served: Served, ibmmq: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in ((tmp_path / "none.json").as_uri(), "https://example.com/ccdt.json"):
        assert reason_of(ibmmq, partial(connected, ibmmq, url=url)) == 2600
        monkeypatch.setenv("MQCCDTURL", url)
        assert reason_of(ibmmq, lambda: connected(ibmmq)) == 2600
    monkeypatch.delenv("MQCCDTURL")
    monkeypatch.setenv("MQCHLLIB", str(tmp_path))
    assert reason_of(ibmmq, lambda: connected(ibmmq)) == 2058


# -- groups ---------------------------------------------------------------------------------------


class Listeners:
    """QM1 and QM2 of one home, each with a port of its own."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.ports: dict[str, int] = {}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("QM1", "QM2"):
            create_with_channels(home, name)
            self._start(name)

    def _start(self, name: str) -> None:
        file = self._home / f"{name}.port"
        command = [sys.executable, "-m", "mqtriage", "emulator", "serve", name]
        environment = dict(os.environ) | {"MQTRIAGE_HOME": str(self._home)}
        self._running[name] = subprocess.Popen(
            [*command, "--tcp", "0", "--port-file", str(file)], env=environment
        )
        until = time.monotonic() + 30
        while not file.exists():
            assert time.monotonic() < until
            time.sleep(0.02)
        self.ports[name] = int(file.read_text())

    def stop(self, name: str, *, kill: bool = False) -> None:
        running = self._running.pop(name)
        running.kill() if kill else running.terminate()
        running.wait()

    def close(self) -> None:
        for name in list(self._running):
            self.stop(name)


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listeners]:
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    listeners = Listeners(tmp_path)
    yield listeners
    listeners.close()


def name_of(ibmmq: Any, name: str) -> str:
    """The queue manager that a name leads to."""
    connection = connected(ibmmq, name)
    try:
        return str(connection.inquire(ibmmq.CMQC.MQCA_Q_MGR_NAME).decode().strip())
    finally:
        connection.disconnect()


@pytest.mark.slow
def test_a_group_is_tried_by_name_and_the_next_channel_where_one_is_gone(
    two: Listeners, ibmmq: Any, table: Table
) -> None:
    table(
        channel("Z", "SALE", two.ports["QM2"]),
        channel("A", "SALE", two.ports["QM1"]),
        channel("B", "", two.ports["QM2"]),
        channel("Q", "QM1", two.ports["QM2"]),
        channel("U", "*ANY_QM", two.ports["QM2"]),
    )
    assert name_of(ibmmq, "*SALE") == "QM1"
    assert name_of(ibmmq, "*ANY_QM") == "QM2"  # whichever is there, however the table writes it
    assert name_of(ibmmq, "") == name_of(ibmmq, "*") == "QM2"
    for name in ("SALE", "QM1"):  # it is checked: QM2 is at that port
        assert reason_of(ibmmq, partial(name_of, ibmmq, name)) == 2058
    two.stop("QM1")
    assert name_of(ibmmq, "*SALE") == "QM2"
    two.stop("QM2", kill=True)
    assert reason_of(ibmmq, lambda: name_of(ibmmq, "*SALE")) == 2059


@pytest.mark.slow
def test_a_server_forgets_the_port_of_one_that_was_killed(
    two: Listeners, ibmmq: Any, table: Table, tmp_path: Path
) -> None:
    table(channel("A", "SALE", two.ports["QM1"]))
    two.stop("QM1", kill=True)
    served = Served(tmp_path, existing=True)
    try:
        assert reason_of(ibmmq, lambda: name_of(ibmmq, "*SALE")) == 2538
    finally:
        served.close()


@pytest.mark.slow
def test_weights_say_how_often_a_channel_is_taken(two: Listeners, ibmmq: Any, table: Table) -> None:
    def weighted(name: str, at: str, weight: int, affinity: str) -> dict[str, Any]:
        management = {"clientWeight": weight, "affinity": affinity}
        return channel(name, "SALE", two.ports[at], connectionManagement=management)

    table(weighted("A", "QM1", 1, "none"), weighted("B", "QM2", 9, "none"))
    counts = Counter(name_of(ibmmq, "*SALE") for _ in range(30))
    while not counts["QM1"] and counts.total() < 300:  # about one of ten
        counts[name_of(ibmmq, "*SALE")] += 1
    assert counts["QM2"] > counts["QM1"] > 0
    table(weighted("A", "QM1", 5, "preferred"), weighted("B", "QM2", 5, "preferred"))
    assert len({name_of(ibmmq, "*SALE") for _ in range(10)}) == 1
    table(weighted("A", "QM1", 99, "none"), weighted("B", "QM2", 0, "none"))
    assert {name_of(ibmmq, "*SALE") for _ in range(10)} == {"QM2"}
