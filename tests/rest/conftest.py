"""A web server that answers as a test says, over HTTPS: what no good server would do included."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mqtriage.backends.rest.backend import RestBackend
from mqtriage.emulator.web.certificate import own_certificate
from mqtriage.model.rest_settings import RestSettings


class Asked(NamedTuple):
    """A request; names of headers in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Says(NamedTuple):
    """An answer; None as *status* hangs up."""

    status: int | None
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    cut: int = 0
    """Bytes that are announced and not sent."""


def in_json(document: object, status: int = 200, **headers: str) -> Says:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    kind = ("Content-Type", "application/json;charset=utf-8")
    return Says(status, json.dumps(document).encode(), (kind, *named))


QMGR = in_json(
    {
        "commandResponse": [
            {
                "completionCode": 0,
                "reasonCode": 0,
                "parameters": {"qmname": "QM1", "platform": "UNIX", "cmdlevel": 940},
            }
        ],
        "overallCompletionCode": 0,
        "overallReasonCode": 0,
    }
)
TOKEN = Says(204, headers=(("Set-Cookie", "LtpaToken2_1648=abc=; Path=/; Secure; HttpOnly"),))


class Scripted:
    """The server.

    Attributes:
        answers: what it says to a request; a login, and DISPLAY QMGR, by default as mqweb.
    """

    def __init__(self, folder: Path) -> None:
        self.asked: list[Asked] = []
        self.answers: Callable[[Asked], Says | None] = lambda _: None
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Nothing."""

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, self.path, headers, self.rfile.read(length))
                scripted.asked.append(asked)
                says = scripted.answers(asked) or usual(asked)
                if says.status is None:
                    self.close_connection = True
                    return
                self.send_response(says.status)
                for name, value in says.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(says.body) + says.cut))
                self.end_headers()
                self.wfile.write(says.body)
                self.close_connection = self.close_connection or bool(says.cut)

            do_GET = do_POST = do_DELETE = answer

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        pair = own_certificate(folder / "mqweb.pem", "127.0.0.1")
        self.ca = pair.certificate
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair.certificate, pair.key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.server.server_address[1]}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join(10)

    def settings(self, **more: Any) -> RestSettings:
        given = {"user": "ops", "password": "geheim-17", "ca": str(self.ca)} | more
        return RestSettings(self.url, **given)

    def backend(self, *, shows_messages: bool = False, **more: Any) -> RestBackend:
        notices: list[str] = []
        return RestBackend(
            self.settings(**more), "QM1", notices.append, shows_messages=shows_messages
        )

    def say(self, *answers: Says) -> None:
        """One answer for each request from now on, but for logins and DISPLAY QMGR."""
        waiting = list(answers)
        self.answers = lambda asked: (
            None if asked.path.endswith("/login") or is_qmgr(asked) or not waiting
            else waiting.pop(0)
        )  # fmt: skip


def is_qmgr(asked: Asked) -> bool:
    return b'"qmgr"' in asked.body


def usual(asked: Asked) -> Says:
    """As a server that knows one user."""
    if asked.path.endswith("/login"):
        return TOKEN if asked.method == "POST" else in_json({"user": [{"name": "ops", "role": []}]})
    return QMGR if is_qmgr(asked) else Says(500)


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[Scripted]:
    server = Scripted(tmp_path)
    yield server
    server.close()
