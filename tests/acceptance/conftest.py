"""A bench: a home folder of its own, and whole command lines run in this process."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.cli.frame.console import NO_TERMINALS, Terminals
from mqtriage.cli.frame.main import main
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from mqtriage.files.private import private_folder
from tests.support.application import app_for_test
from tests.support.named_options import OWN, misplaced, named_commands, options_of

ON_A_TERMINAL = Terminals(stdin=True, stdout=True, stderr=True)
FRESH_S = 10


class Ran(NamedTuple):
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def items(self) -> list[dict[str, Any]]:
        """The records of a listing in `-o json`."""
        return list(self.json["items"])

    @property
    def item(self) -> dict[str, Any]:
        """The one thing of a document in `-o json`."""
        item = self.json["item"]
        assert isinstance(item, dict)
        return item

    @property
    def error_line(self) -> str:
        """The one line that says what is wrong; fails when there are several or none."""
        lines = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err
        assert "internal error" not in self.err
        return lines[0].removeprefix("error: ")


def check_named_options(args: Sequence[str], err: str) -> None:
    """Whether every option that a hint names is one of its command, or of the one that ran."""
    for line in err.splitlines():
        if not line.startswith("hint: "):
            continue
        problems = [problem for _, problem in misplaced(line)]
        before = re.split(r"\bmqtriage\b|write a new plan", line)[0]
        for command in named_commands([word for word in args if not word.startswith("-")]):
            options = {*options_of(command), *OWN}
            words = re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", before)
            problems += [f"{command} has no {word}" for word in words if word not in options]
        assert problems == [], line


class Bench:
    """Runs `mqtriage ARGS...` with MQTRIAGE_HOME in a folder of the test."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environ = {"MQTRIAGE_HOME": str(home)}

    def run(self, *args: str, answer: str = "", terminals: Terminals = NO_TERMINALS) -> Ran:
        """One command line; *answer* is what is typed."""
        app = app_for_test(stdin=answer, environ=self.environ, terminals=terminals)
        code = main(list(args), app)
        assert isinstance(app.output.stdout, io.StringIO)
        assert isinstance(app.run.stderr, io.StringIO)
        err = app.run.stderr.getvalue()
        check_named_options(args, err)
        return Ran(code, app.output.stdout.getvalue(), err)

    def ok(self, *args: str, answer: str = "") -> Ran:
        """One command line that must end with 0."""
        ran = self.run(*args, answer=answer)
        assert ran.code == 0, f"{args}: exit {ran.code}\n{ran.out}\n{ran.err}"
        return ran

    def path(self, name: str = "QM1") -> Path:
        """The file of a queue manager."""
        return qmgr_path(self.home, name)

    @contextmanager
    def connected(self, name: str = "QM1") -> Iterator[EmulatedBackend]:
        """A connection of another program, to look at what a command did."""
        backend = EmulatedBackend(open_manager(self.path(name)), user="tester", application="bench")
        try:
            yield backend
        finally:
            backend.disconnect()

    def define(self, *queues: str, **more: str) -> None:
        """Define local queues, or with ``NAME="TARGET=X MAXDEPTH=5"`` others, in one connection."""
        with self.connected() as backend:
            for name, text in {**dict.fromkeys(queues, ""), **more}.items():
                words = [part.partition("=") for part in text.split()]
                given: dict[str, int | str] = {key: value for key, _, value in words}
                backend.define("QALIAS" if "TARGET" in given else "QLOCAL", name, given)

    def attribute(self, queue: str, keyword: str, name: str = "QM1") -> int | str:
        """One attribute, as the queue manager has it."""
        with self.connected(name) as backend:
            return backend.queue(queue).attributes[keyword]

    def depth(self, queue: str, name: str = "QM1") -> int:
        """CURDEPTH, as the queue manager has it."""
        with self.connected(name) as backend:
            return backend.status(queue).curdepth


@pytest.fixture(scope="session")
def ready_made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of a new queue manager QM1 with a frozen clock, made once a platform."""
    home = tmp_path_factory.mktemp("ready-made")

    def of(platform: str) -> Path:
        bench = Bench(home / platform)
        if not bench.path().exists():
            bench.ok("emulator", "create", "QM1", "--platform", platform, "--clock", "frozen")
        return bench.path()

    return of


def with_copy(bench: Bench, file: Path) -> Bench:
    """*bench* with a queue manager of its own, copied: making one costs several writes to disk."""
    private_folder(bench.path().parent)
    bench.path().write_bytes(file.read_bytes())
    return bench


@pytest.fixture
def empty_bench(tmp_path: Path) -> Bench:
    """No queue manager yet."""
    return Bench(tmp_path / "home")


@pytest.fixture
def bench(empty_bench: Bench, ready_made: Callable[[str], Path]) -> Bench:
    """One distributed queue manager, QM1, whose clock is frozen."""
    return with_copy(empty_bench, ready_made("dist"))


@pytest.fixture
def zos_bench(empty_bench: Bench, ready_made: Callable[[str], Path]) -> Bench:
    """One z/OS queue manager, QM1, whose clock is frozen."""
    return with_copy(empty_bench, ready_made("zos"))


@pytest.fixture(scope="session")
def sample_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """The file of a queue manager with the sample, filled once in each period."""

    def filled(_: int) -> Path:
        bench = Bench(tmp_path_factory.mktemp("sample"))
        bench.ok("emulator", "create", "QM1", "--sample")
        return bench.path()

    return cache(filled)


@pytest.fixture
def sample(empty_bench: Bench, sample_files: Callable[[int], Path]) -> Bench:
    """QM1 with the sample, its clock running: after a minute, the rates of its puts differ."""
    return with_copy(empty_bench, sample_files(int(monotonic() // FRESH_S)))
