"""A queue manager of the tests' own, and whole command lines run against it in this process."""

from __future__ import annotations

import io
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.cli.frame.console import NO_TERMINALS, Terminals
from mqtriage.cli.frame.main import main
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file import home
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from tests.support.application import app_for_test

TERMINAL = Terminals(True, True, True)
STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"


class Ran(NamedTuple):
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Standard output as one JSON value a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class _Answer(io.StringIO):
    """A person who does something else before answering."""

    def __init__(self, text: str, meanwhile: Callable[[], object]) -> None:
        super().__init__(text)
        self.meanwhile = meanwhile

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        self.meanwhile()
        return super().readline()


class Estate:
    """QM1 with a frozen clock, and the programs around it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {"MQTRIAGE_HOME": str(folder)}

    def reached_by(self, library: str) -> Self:
        """From now on command lines reach it through that package; a server is needed."""
        self.environ |= {"MQTRIAGE_BACKEND": "mq", "MQTRIAGE_LIBRARY": library}
        self.environ["MQTRIAGE_QMGR"] = "QM1"
        return self

    @classmethod
    def create(cls, folder: Path) -> Estate:
        create(folder, "QM1", frozen=True)
        return cls(folder)

    def open(self) -> EmulatedBackend:
        """Another program's connection."""
        return EmulatedBackend(open_manager(home.qmgr_path(self.folder, "QM1")), "other", "other")

    @contextmanager
    def connected(self) -> Any:
        backend = self.open()
        try:
            yield backend
        finally:
            backend.disconnect()

    def queue(self, name: str, **attributes: int | str) -> None:
        """Define a local queue."""
        with self.connected() as backend:
            backend.define("QLOCAL", name, attributes)

    def alter(self, name: str, **attributes: int | str) -> None:
        with self.connected() as backend:
            backend.alter("QMGR" if name == "QM1" else "QLOCAL", name, attributes)

    def put(self, queue: str, *bodies: bytes, **fields: Any) -> list[bytes]:
        """Put persistent text messages; returns their MsgIds."""
        md = MQMD(**{"format": "MQSTR", "ccsid": 1208, "persistence": 1, **fields})
        options = cmqc.MQPMO_SET_ALL_CONTEXT if md.put_date else 0
        with self.connected() as backend:
            return [backend.put1(queue, md, body, options).msg_id for body in bodies]

    def delayed(self, queue: str, *bodies: bytes, delay_ms: int = 3_600_000) -> list[bytes]:
        """Send with a delivery delay; returns the MsgIds that the sender sees."""
        with self.connected() as backend:
            md = MQMD(format="MQSTR", ccsid=1208, persistence=1)
            return [backend.put_delayed(queue, md, body, delay_ms).msg_id for body in bodies]

    def take(self, queue: str, number: int = 1) -> None:
        """Another program takes messages."""
        with self.connected() as backend:
            handle = backend.open(queue, cmqc.MQOO_INPUT_SHARED)
            for _ in range(number):
                handle.get()

    def roll_back(self, queue: str, times: int) -> None:
        """A program that gets the first message and rolls back."""
        with self.connected() as backend:
            handle = backend.open(queue, cmqc.MQOO_INPUT_SHARED)
            for _ in range(times):
                handle.get(cmqc.MQGMO_SYNCPOINT)
                backend.backout()

    def advance(self, seconds: int) -> None:
        with self.connected() as backend:
            lifecycle.advance(backend.manager, seconds * 1_000_000)

    def messages(self, queue: str) -> list[Message]:
        """What is on the queue: the fact behind a command's report."""
        with self.connected() as backend:
            return list(backend.open(queue, 8).browse())

    def bodies(self, queue: str) -> list[bytes]:
        return [message.body for message in self.messages(queue)]

    def archives(self) -> list[list[Any]]:
        """The lines of each archive file without the last one, which says that it is whole."""
        files = sorted((self.folder / "archive").glob("*.ndjson"), key=lambda f: (len(f.name), f))
        contents = ([json.loads(line) for line in file.read_text().splitlines()] for file in files)
        return [[line for line in lines if line["kind"] != "End"] for lines in contents]

    def run(
        self,
        *argv: str,
        stdin: str = "",
        terminals: Terminals = NO_TERMINALS,
        meanwhile: Callable[[], object] | None = None,
    ) -> Ran:
        """Run one command line as the console script does."""
        app = app_for_test(stdin=stdin, environ=self.environ, terminals=terminals)
        if meanwhile is not None:
            app.run.stdin = _Answer(stdin, meanwhile)
            app.run.terminals = TERMINAL
        code = main(argv, app)
        assert isinstance(app.output.stdout, io.StringIO)
        assert isinstance(app.run.stderr, io.StringIO)
        return Ran(code, app.output.stdout.getvalue(), app.run.stderr.getvalue())


def file_words(folder: Path, *bodies: str) -> list[str]:
    """A file of each body, and the options that put them."""
    words = []
    for number, body in enumerate(bodies):
        path = folder / f"body{number}"
        path.write_text(body)
        words += ["--file", str(path)]
    return words


def hex_of(msg_id: bytes) -> str:
    return msg_id.hex().upper()


@contextmanager
def ledger_of(home: Path) -> Iterator[sqlite3.Connection]:
    """The journal's file, to look into it or to spoil it."""
    database = sqlite3.connect(home / "journal" / "ledger.sqlite")
    try:
        with database:
            yield database
    finally:
        database.close()


@contextmanager
def once(holds: Callable[[], bool], work: Callable[[], object]) -> Iterator[None]:
    """Do something while a command is running, as soon as something holds."""

    def wait() -> None:
        ends = time.monotonic() + 60
        while not holds() and time.monotonic() < ends:
            time.sleep(0.05)
        work()

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def begun(estate: Estate) -> bool:
    """Whether the first pass has been planned: nothing else makes the journal's folder."""
    return (estate.folder / "journal").is_dir()
