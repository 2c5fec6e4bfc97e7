"""The REST API of emulated queue managers in a thread, and requests to it."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.emulator.mqi import Listening
from mqtriage.commands.emulator.requests import ListenOptions
from mqtriage.commands.emulator.web import listening
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding

ADMIN, APP = ("admin", "passw0rd"), ("app", "passw0rd")


class Got(NamedTuple):
    """An answer.

    Attributes:
        headers: by names in lower case.
    """

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        (one,) = self.json["error"]
        return dict(one)


class WebServer:
    """QM1, or queue managers of other names, behind one port."""

    def __init__(
        self,
        home: Path,
        *names: str,
        passwords: str | None = None,
        platform: Any = "dist",
        **options: Any,
    ) -> None:
        self.home, self.names = home, names or ("QM1",)
        for name in self.names:
            if not qmgr_path(home, name).exists():
                create(home, name, platform=platform)
        given = ListenOptions(**({"web": 0} | options))
        self.serving: Listening = listening(home, self.names, given, passwords)
        self.url = self.serving.web_url
        self.port = int(self.url.rpartition(":")[2])
        self.context = ssl.create_default_context(cafile=self.serving.ca_file or None)
        self._thread = threading.Thread(target=self.serving.serve)
        self._thread.start()
        self._connection: http.client.HTTPSConnection | None = None

    def forget_connection(self) -> None:
        """Let the next request come on a socket of its own."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def close(self) -> None:
        self.forget_connection()
        self.serving.stop()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        user: tuple[str, str] | None = ADMIN,
        headers: Mapping[str, str | None] | None = None,
        prefix: str = "/ibmmq/rest/v3",
    ) -> Got:
        """One request on a connection that is kept.

        Args:
            body: bytes, or what becomes JSON.
            headers: None takes one of the usual away.
        """
        sent: dict[str, str | None] = {"ibm-mq-rest-csrf-token": "x"}
        if user is not None:
            pair = base64.b64encode(f"{user[0]}:{user[1]}".encode()).decode()
            sent["Authorization"] = f"Basic {pair}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        sent |= headers or {}
        if self._connection is None:
            self._connection = http.client.HTTPSConnection(
                "127.0.0.1", self.port, context=self.context, timeout=30
            )
        given = {name: value for name, value in sent.items() if value is not None}
        self._connection.request(method, prefix + path, body, given)
        answer = self._connection.getresponse()
        content = answer.read()
        return Got(answer.status, {k.lower(): v for k, v in answer.headers.items()}, content)

    def mqsc(self, text: str, name: str = "QM1", **more: Any) -> Any:
        """The answer to runCommand."""
        content = {"type": "runCommand", "parameters": {"command": text}}
        return self.request("POST", f"/admin/action/qmgr/{name}/mqsc", content, **more).json

    def command(self, words: str, name: str | None = None, **members: Any) -> Any:
        """The answer to runCommandJSON: the words are verb and object type."""
        got = self.command_got(words, name, **members)
        assert got.status == 200, got
        return got.json

    def command_got(self, words: str, name: str | None = None, **members: Any) -> Got:
        more = {key: members.pop(key) for key in ("user", "headers", "prefix") if key in members}
        verb, qualifier = words.split()
        content = {"type": "runCommandJSON", "command": verb, "qualifier": qualifier, **members}
        if name is not None:
            content["name"] = name
        return self.request("POST", "/admin/action/qmgr/QM1/mqsc", content, **more)

    @contextmanager
    def beside(self, name: str = "QM1") -> Iterator[EmulatedBackend]:
        """The queue manager as another program of this machine sees it."""
        backend = EmulatedBackend(open_manager(qmgr_path(self.home, name)), user="tester")
        try:
            yield backend
        finally:
            backend.disconnect()

    def run(self, *texts: str) -> None:
        """Run MQSC beside the server."""
        with self.beside() as backend:
            for text in texts:
                script = parse(text)
                (command,) = script.commands
                reply = backend.run_mqsc(script, command)
                assert reply.ending is CommandEnding.DONE, reply
