"""What somebody sends who means harm, or knows no better: the others are served all the same."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.emulator.mqi.descriptors import raise_limit
from mqtriage.emulator.web import http_server
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from tests.support.scale import amount
from tests.support.web_server import ADMIN, APP, WebServer

MQSC = "/admin/action/qmgr/QM1/mqsc"
BLANKS = b" " * 65536
HEAD = (
    b"POST /ibmmq/rest/v3/admin/action/qmgr/QM1/mqsc HTTP/1.1\r\nHost: x\r\n"
    b"Authorization: Basic YWRtaW46cGFzc3cwcmQ=\r\nibm-mq-rest-csrf-token: x\r\n"
    b"Content-Type: application/json\r\n"
)


@pytest.fixture
def web(web: WebServer, capfd: pytest.CaptureFixture[str]) -> Iterator[WebServer]:
    """A server that answers as before, and has printed nothing, when the attack is over."""
    yield web
    web.forget_connection()
    assert web.request("GET", "/admin/qmgr").status == 200
    assert capfd.readouterr().err == ""


def opened(web: WebServer) -> ssl.SSLSocket:
    raw = socket.create_connection(("127.0.0.1", web.port), timeout=20)
    return web.context.wrap_socket(raw, server_hostname="localhost")


def answer_to(web: WebServer, data: bytes) -> bytes:
    """All that comes until the server hangs up."""
    with closing(opened(web)) as client:
        client.sendall(data)
        return rest_of(client)


def rest_of(client: socket.socket) -> bytes:
    got = b""
    try:
        while data := client.recv(65536):
            got += data
    except (ConnectionError, ssl.SSLEOFError):
        pass
    return got


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 4_000, 431),
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # no Host
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: b\rc: d\r\n\r\n", 400),
        (HEAD + b"Content-Length: -1\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (HEAD + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 501),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (HEAD + b"Content-Length: 1048577\r\n\r\n", 413),
        (HEAD + b"Content-Length: 99999999999999999999\r\n\r\n", 413),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"10000\r\n%b\r\n" % BLANKS * 17, 413),
        (b"POST /ibmmq/rest/v3/login HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n", 413),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_what_is_too_long_or_no_http_is_refused_and_hung_up_on(
    web: WebServer, data: bytes, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "HEAD_S", 1.0)
    got = answer_to(web, data)
    assert got.startswith(b"HTTP/1.1 %d " % status), got[:80]
    assert b"connection: close" in got.lower()


def test_a_body_is_not_waited_for_where_the_head_was_refused(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "HEAD_S", 60.0)
    head = HEAD.replace(b"YWRtaW46cGFzc3cwcmQ=", b"AAAA") + b"Expect: 100-continue\r\n"
    began_s = time.monotonic()
    got = answer_to(web, head + b"Content-Length: 1000000\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 401 ")
    assert time.monotonic() - began_s < 10


def test_a_body_that_is_announced_is_asked_for(web: WebServer) -> None:
    content = json.dumps({"type": "runCommand", "parameters": {"command": "PING QMGR"}}).encode()
    with closing(opened(web)) as client:
        client.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(content))
        assert client.recv(100).startswith(b"HTTP/1.1 100 ")
        client.sendall(content)
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("constant", "sent"),
    [
        ("HEAD_S", b"GET / HTTP/1.1\r\nHost: x\r\nA: "),
        ("BODY_S", HEAD + b"Content-Length: 1000\r\n\r\n"),
    ],
)
@pytest.mark.slow
def test_who_sends_a_byte_at_a_time_is_hung_up_on(
    web: WebServer, constant: str, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, constant, 1.0)
    began_s = time.monotonic()
    with closing(opened(web)) as client, pytest.raises((ConnectionError, ssl.SSLError)):
        client.sendall(sent)
        while time.monotonic() - began_s < 20:
            client.sendall(b"a")
            time.sleep(0.1)
    assert 1.0 <= time.monotonic() - began_s < 10


@pytest.mark.slow
def test_who_says_nothing_is_hung_up_on_in_tls_and_before(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "HEAD_S", 0.5)
    monkeypatch.setattr(http_server, "HANDSHAKE_S", 0.5)
    with closing(opened(web)) as client:
        assert rest_of(client) == b""
    with closing(socket.create_connection(("127.0.0.1", web.port), timeout=20)) as plain:
        assert rest_of(plain) == b""
    with closing(socket.create_connection(("127.0.0.1", web.port), timeout=20)) as plain:
        plain.sendall(b"GET /ibmmq/rest/v3/admin/qmgr HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"HTTP" not in rest_of(plain)


@pytest.mark.slow
def test_a_thousand_sockets_that_say_nothing_keep_nobody_out(web: WebServer) -> None:
    raise_limit()
    idle = []
    try:
        for number in range(1000):
            idle.append(socket.create_connection(("127.0.0.1", web.port), timeout=20))
            if number % 250 == 249:
                web.forget_connection()
                began_s = time.monotonic()
                assert web.request("GET", "/admin/qmgr").status == 200
                assert time.monotonic() - began_s < 5
    finally:
        for one in idle:
            one.close()


def test_who_is_at_work_makes_no_room(
    new_web: Callable[..., WebServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With as many sockets as may be, all of them waiting for a message, a newcomer is refused."""
    monkeypatch.setattr(http_server, "MOST_SOCKETS", 2)
    web = new_web()
    web.run("DEFINE QLOCAL(A)")
    waiting = []
    for _ in range(2):
        client = opened(web)
        client.sendall(
            b"DELETE /ibmmq/rest/v3/messaging/qmgr/QM1/queue/A/message?wait=60000 HTTP/1.1\r\n"
            b"Host: x\r\nAuthorization: Basic YXBwOnBhc3N3MHJk\r\nibm-mq-rest-csrf-token: x\r\n\r\n"
        )
        waiting.append(client)
    with web.beside() as backend:
        while backend.status("A").ipprocs < 2:
            time.sleep(0.02)
    until_s = time.monotonic() + 10
    while time.monotonic() < until_s:
        try:
            opened(web).close()
        except (ConnectionError, ssl.SSLError):
            break
        time.sleep(0.05)
    else:
        pytest.fail("a third socket is always taken")
    waiting.pop().close()  # who hangs up waits no longer, and gets nothing
    until_s = time.monotonic() + 10
    while time.monotonic() < until_s:
        try:
            opened(web).close()
            break
        except (ConnectionError, ssl.SSLError):
            time.sleep(0.05)
    else:
        pytest.fail("whose client has gone waits on")
    waiting.pop().close()


@pytest.mark.parametrize(
    "path",
    [
        "/admin/qmgr/..%2F..%2Fetc", "/admin/../../etc/passwd", "/admin/qmgr/%00",
        "/admin/qmgr/%ff", "/admin/qmgr/%", "/admin/qmgr//", "/admin/qmgr/QM1/", "//admin/qmgr",
        "/admin/qmgr/QM1%0d%0aA: b",
        "/admin/installation/..", "/messaging/qmgr/QM1/queue/..%2FA/message",
    ],
)  # fmt: skip
def test_a_path_leads_nowhere_but_to_a_resource(web: WebServer, path: str) -> None:
    for user in (ADMIN, APP):
        got = web.request("GET", path.replace(" ", "%20"), user=user)
        assert got.status in (403, 404), got
        assert set(got.headers) & {"a"} == set()
        assert "Traceback" not in got.body.decode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=9,
)
KEYWORDS = st.text(max_size=9) | st.sampled_from(
    ["command", "descr", "where", "type", "share", "names"]
)
MEMBERS = st.fixed_dictionaries(
    {"type": st.sampled_from(["runCommand", "runCommandJSON"]) | JSON},
    optional={
        "command": st.sampled_from(["display", "define", "END", "set"]) | JSON,
        "qualifier": st.sampled_from(["qlocal", "qmgr", "chlauth", "sub"]) | JSON,
        "name": st.sampled_from(["*", "A"]) | JSON,
        "parameters": st.dictionaries(KEYWORDS, JSON, max_size=3) | JSON,
        "responseParameters": st.lists(JSON, max_size=3) | JSON,
    },
)  # fmt: skip


@settings(
    max_examples=amount(60), deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(MEMBERS | JSON)
def test_any_json_is_answered_by_200_or_400(web: WebServer, content: Any) -> None:
    body, media = json.dumps(content).encode(), {"Content-Type": "application/json"}
    got = web.request("POST", MQSC, body, headers=media)
    assert got.status in (200, 400), (content, got)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"\xff", b'{"type": "runCommand", "type": 1}', b"[" * 100_000, b"NaN",
        b'{"type":"runCommand","parameters":{"command":"\\ud800"}}', b"1" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_json_is_400(web: WebServer, body: bytes) -> None:
    got = web.request("POST", MQSC, body, headers={"Content-Type": "application/json"})
    assert (got.status, got.error["msgId"]) == (400, "MQWB2004E")


@pytest.mark.parametrize(
    "text",
    [
        "PING QMGR\nDEFINE QLOCAL(X)", "PING QMGR; DEFINE QLOCAL(X)", "", " ", "END", "* comment",
        "PING QMGR +\n\nDEFINE QLOCAL(X)", "PING QMGR\x00", "PING QMGR\u2028DEFINE QLOCAL(X)",
    ],
)  # fmt: skip
def test_a_request_is_one_command(web: WebServer, text: str) -> None:
    answer = web.mqsc(text)
    assert answer["overallCompletionCode"] == 2, answer
    assert web.command("display qlocal", "X")["commandResponse"][0]["reasonCode"] == 2085


def test_no_message_puts_a_line_into_the_head_of_an_answer(web: WebServer) -> None:
    """A property that another program set has a line end in it."""
    web.run("DEFINE QLOCAL(A)")
    with web.beside() as backend:
        properties = rfh2.build(
            [("usr", {"p": "l1\r\nSet-Cookie: a=b"})], Following("MQSTR", 546, 1208)
        )
        md = MQMD(format="MQHRF2", encoding=273, ccsid=1208)
        backend.put1("A", md, rfh2.encode(properties) + b"text")
        backend.commit()
    got = web.request("GET", "/messaging/qmgr/QM1/queue/A/message", user=APP)
    assert "set-cookie" not in got.headers
    assert (got.status, got.error["msgId"]) == (500, "MQWB0304E")
