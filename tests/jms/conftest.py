"""IBM's Java clients over TCP: one queue manager with a listener and one JVM for each client.

A test has queues of its own. It drives the JVM, whose sessions stay open from one program to the
next, and looks at the queues in between, in this process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from mqtriage.emulator.admin.mqsc_server import run_script
from mqtriage.mq import cmqc
from mqtriage.mq.message import Message
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding
from tests.jms import table
from tests.support.ibm_java import NEWEST, OLDER, Client, Java, Thrown, need
from tests.support.scale import SCALE
from tests.unit.emulator.conftest import STAGING, Lab

CHANNEL: Final = "DEV.APP.SVRCONN"
_START_S: Final = 30.0


DAILY_WITH_BOTH: Final = ("test_base_classes", "test_messaging")
"""Files whose tests run with JMS 2.0's client every day; the others with Jakarta's alone.

The two send the same bytes: they are one code under two names of packages.
"""


def is_long(client: Client, file: str) -> bool:
    """Whether tests of a file are run with a client before a release alone."""
    daily = client.is_jakarta or file in DAILY_WITH_BOTH
    return SCALE == "all" or client in OLDER or not daily


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test here is run with each client: by `make test-slow` with the newest, or with both.

    `make test-all` runs all in one, which is what the table of docs/java-clients.md is made of.
    """
    if "client" in metafunc.fixturenames:
        file = Path(metafunc.module.__file__).stem
        clients = [
            pytest.param(
                client, id=client.name, marks=pytest.mark.long if is_long(client, file) else ()
            )
            for client in (*NEWEST, *OLDER)
        ]
        metafunc.parametrize("client", clients, scope="session", indirect=True)


_results: table.Results = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if not report.skipped and (report.when == "call" or report.failed):
        table.note(_results, report.nodeid, passed=report.passed)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """`pytest tests/jms --update-golden` writes docs/java-clients.md; others read it."""
    if not _results or hasattr(session.config, "workerinput"):
        return
    if session.config.getoption("--update-golden"):
        table.write(_results)
    elif wrong := table.differences(_results):
        print(f"\ndocs/java-clients.md is not what was run (--update-golden): {'; '.join(wrong)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def client(request: pytest.FixtureRequest) -> Client:
    need()
    parameter: Client = request.param
    return parameter


@pytest.fixture(scope="session")
def java(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Java]:
    jvm = Java(client, tmp_path_factory.mktemp("java"))
    yield jvm
    jvm.close()


class Listener:
    """`mqtriage emulator serve --tcp` for a queue manager, in a process of its own."""

    def __init__(self, home: Path, name: str = "QM1", port: int = 0, *options: str) -> None:
        self.home, self.name, self.options = home, name, options
        self.port = port
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Listen; again on the port it had, where it has had one."""
        file = self.home / f"{self.name}.port"
        file.unlink(missing_ok=True)
        paths = os.pathsep.join(path or os.curdir for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mqtriage", "emulator", "serve", self.name,
             "--tcp", str(self.port), "--port-file", str(file), *self.options],
            env=dict(os.environ) | {"MQTRIAGE_HOME": str(self.home), "PYTHONPATH": paths},
            stdout=subprocess.DEVNULL, stderr=(self.home / "listener.log").open("a"), text=True,
        )  # fmt: skip
        until = time.monotonic() + _START_S
        while not file.exists():
            running = self._process.poll() is None and time.monotonic() < until
            assert running, f"the listener did not start: {self.log()}"
            time.sleep(0.005)
        self.port = int(file.read_text("utf-8"))

    def log(self) -> str:
        return (self.home / "listener.log").read_text("utf-8")[-4000:]

    def kill(self) -> None:
        """End it as a machine that fails does."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate()

    def stop(self) -> int:
        """End it as an operator does; its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.kill()
        return self._process.returncode


class Session:
    """A session of the JVM's, JMSContext or Session, by its id."""

    def __init__(self, at: At, name: str) -> None:
        self._at, self._name = at, name

    def run(self, program: str, **given: object) -> Any:
        return self._at.run(program, id=self._name, **given)

    def send(self, to: str, text: str | None = None, **given: Any) -> dict[str, Any]:
        """Send one message; returns what the sender sees of it.

        Args:
            to: name of a queue, or topic://STRING.
            given: `delay`, `ttl`, `persistence`, `priority` of the producer; `correlation`,
                `reply`, `bytes`, `size` of the message; `properties`.
        """
        for name, value in given.pop("properties", {}).items():
            given[f"{'int' if isinstance(value, int) else 'text'}.{name}"] = value
        if "reply" in given:
            given["reply"] = uri(given["reply"])
        sent: dict[str, Any] = self.run("send", to=uri(to), text=text, **given)
        self._at.unanswered.add(self._name)
        return sent

    def receive(self, source: str | None = None, **given: object) -> dict[str, Any] | None:
        """Receive from a queue or topic, or with the consumer that is there."""
        place = {"from": uri(source)} if source else {}
        got: dict[str, Any] | None = self.run("receive", **place, **given)
        return got

    def consume(self, source: str, **given: object) -> None:
        self.run("consume", **{"from": uri(source)}, **given)

    def listen(self, source: str, mode: str = "auto", **given: object) -> None:
        self.run("listen", **{"from": uri(source)}, mode=mode, **given)

    def heard(self, count: int, **given: object) -> list[dict[str, Any]]:
        """The next *count* deliveries to the listener, and one too many if it comes."""
        got: list[dict[str, Any]] = self.run("heard", count=count, **given)
        return got

    def told(self) -> int:
        """The reason that the ExceptionListener of the listener hears next; 0 for none in time."""
        thrown: dict[str, Any] = self.run("told") or {}
        return int(thrown.get("reason", 0))

    def browse(self, source: str, **given: object) -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = self.run("browse", **{"from": uri(source)}, **given)
        return seen

    def set(self, **given: object) -> None:
        self.run("set", **given)

    def commit(self) -> None:
        self._end("commit")

    def rollback(self) -> None:
        self._end("rollback")

    def close(self) -> None:
        self._end("close")

    def _end(self, how: str) -> None:
        self._at.unanswered.discard(self._name)
        self.run(how)


class Classes:
    """A connection of IBM MQ classes for Java."""

    def __init__(self, at: At, name: str) -> None:
        self._at, self._name = at, name

    def run(self, program: str, **given: object) -> Any:
        return self._at.run(f"mq-{program}", id=self._name, **given)

    def put(self, to: str, text: str = "hello", **given: object) -> dict[str, Any]:
        sent: dict[str, Any] = self.run("put", to=to, text=text, **given)
        return sent

    def get(self, source: str, **given: object) -> dict[str, Any] | None:
        """Get or browse; None is 2033."""
        try:
            got: dict[str, Any] = self.run("get", **{"from": source}, **given)
        except Thrown as thrown:
            if thrown.reason == 2033:
                return None
            raise
        return got

    def commit(self) -> None:
        self.run("commit")

    def backout(self) -> None:
        self.run("backout")


class At:
    """What a test has: queues of its own on the queue manager, and the JVM.

    Attributes:
        lab: the queue manager, looked at from this process.
        unanswered: the sessions that have sent since they last committed. Under syncpoint the
            client does not wait for an answer to each put.
    """

    _numbers = count(1)

    def __init__(self, lab: Lab, listener: Listener, java: Java) -> None:
        self.lab, self.listener, self.java = lab, listener, java
        self.unanswered: set[str] = set()

    # -- the queue manager ----------------------------------------------------------------------

    def mqsc(self, script: str) -> None:
        assert list(run_script(self.lab.mq.connection, parse(script))) == []

    def operate(self, text: str) -> list[str]:
        """Run one MQSC command that defines nothing; what it shows."""
        script = parse(text)
        reply = self.lab.mq.run_mqsc(script, script.commands[0])
        assert reply.ending is CommandEnding.DONE, reply
        return [cell for line in reply.lines for cell in line.cells]

    def local(self, **attributes: int | str) -> str:
        """Define a queue with a name of its own."""
        name = f"Q{next(self._numbers):05}"
        self.lab.mq.define("QLOCAL", name, attributes)
        return name

    def alter(self, queue: str, **attributes: int | str) -> None:
        settings = " ".join(f"{name}('{value}')" if isinstance(value, str) else f"{name}({value})"
                            for name, value in attributes.items())  # fmt: skip
        self.mqsc(f"ALTER QLOCAL({queue}) {settings}")

    def dead_letter_queue(self, **attributes: int | str) -> str:
        """A dead-letter queue for the connections that follow."""
        name = self.local(**attributes)
        self.mqsc(f"ALTER QMGR DEADQ({name})")
        return name

    def full(self) -> str:
        """A queue on which nothing finds room."""
        name = self.local(MAXDEPTH=1)
        self.lab.put(name)
        return name

    def depth(self, queue: str) -> int:
        return self.lab.depth(queue)

    def staged(self) -> int:
        return self.lab.depth(STAGING)

    def browse(self, queue: str) -> list[Message]:
        handle = self.lab.open(queue, cmqc.MQOO_BROWSE)
        try:
            return list(handle.browse())
        finally:
            handle.close()

    def advance(self, seconds: float) -> None:
        """Move the clock on, after all that was sent before."""
        for name in self.unanswered:
            Session(self, name).browse("SYSTEM.DEFAULT.LOCAL.QUEUE")
        self.unanswered.clear()
        self.lab.advance(seconds)

    # -- the JVM --------------------------------------------------------------------------------

    def run(self, program: str, **given: object) -> Any:
        place = {"port": self.listener.port, "channel": CHANNEL}
        return self.java.run(program, **place | given)

    def open(self, name: str = "one", **given: object) -> Session:
        """Open a JMSContext, or a Session with ``api="session"``; ``mode="transacted"``."""
        if "to" in given:
            given["to"] = uri(str(given["to"]))
        self.run("open", id=name, **given)
        return Session(self, name)

    def connect(self, name: str = "one", **given: object) -> Classes:
        """Connect with IBM MQ classes for Java."""
        self.run("mq-connect", id=name, **given)
        return Classes(self, name)


def uri(name: str) -> str:
    """A destination as JMS writes it."""
    return name if "://" in name else f"queue:///{name}"


@pytest.fixture(scope="session")
def manager(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A queue manager whose clock stands still, for all tests with one client."""
    lab = Lab(tmp_path_factory.mktemp(client.name))
    At(lab, None, None).mqsc(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)")  # type: ignore[arg-type]
    yield lab
    lab.close()


@pytest.fixture(scope="session")
def listener(manager: Lab) -> Iterator[Listener]:
    channel_listener = Listener(manager.home)
    yield channel_listener
    assert channel_listener.stop() == 0, channel_listener.log()


@pytest.fixture
def at(manager: Lab, listener: Listener, java: Java) -> Iterator[At]:
    """The queue manager and the JVM; every session ends with the test, and nothing stays staged."""
    harness = At(manager, listener, java)
    failures = java.failures()
    harness.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    yield harness
    assert java.run("close-all") == []
    assert java.failures() == failures
    while harness.staged():
        manager.get(STAGING)
