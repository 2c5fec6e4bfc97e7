"""Messages that a C client reads ahead of its program, and what is lost of them when that ends."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.mqi.conftest import Served
from tests.mqi.test_c_program import built, run

AS_Q_DEF = cmqc.MQOO_INPUT_SHARED


@pytest.fixture(scope="session")
def program(sdk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(sdk, tmp_path_factory.mktemp("ahead"), "reading_ahead")


@pytest.mark.parametrize(
    ("definition", "options", "persistence", "left_over"),
    [
        ("YES", AS_Q_DEF, "NO", 0),
        ("YES", AS_Q_DEF, "YES", 9),
        ("YES", AS_Q_DEF | cmqc.MQOO_NO_READ_AHEAD, "NO", 9),
        ("NO", AS_Q_DEF, "NO", 9),
        ("NO", AS_Q_DEF | cmqc.MQOO_READ_AHEAD, "NO", 0),
        ("DISABLED", AS_Q_DEF | cmqc.MQOO_READ_AHEAD, "NO", 9),
    ],
)
@pytest.mark.slow
def test_a_program_that_is_killed_loses_what_was_read_ahead(
    served: Served,
    sdk: Path,
    program: Path,
    definition: str,
    options: int,
    persistence: str,
    left_over: int,
) -> None:
    filled(served, definition, persistence)
    assert killed(served, sdk, program, options) == left_over


def test_a_buffer_of_no_size_reads_nothing_ahead(
    served: Served, sdk: Path, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "client.ini"
    monkeypatch.setenv("MQCLNTCF", str(settings))
    filled(served, "YES", "NO")
    settings.write_text("MessageBuffer:\n   MaximumSize=0\n")
    assert killed(served, sdk, program, AS_Q_DEF) == 9
    settings.write_text("MessageBuffer:\n   MaximumSize=1\n")  # three messages of so few bytes
    assert killed(served, sdk, program, AS_Q_DEF) == 6


def filled(served: Served, definition: str, persistence: str) -> None:
    """Ten messages on a queue."""
    served.local("Q", DEFREADA=definition, DEFPSIST=persistence)
    backend = served.backend()
    for _ in range(10):
        backend.put1("Q", MQMD(persistence=cmqc.MQPER_PERSISTENCE_AS_Q_DEF), b"x")


def killed(served: Served, sdk: Path, program: Path, options: int) -> int:
    """How many messages there are after the program got one and was killed."""
    ran: subprocess.CompletedProcess[str] = run(served, sdk, str(program), "Q", str(options))
    assert (ran.returncode, ran.stdout) == (-signal.SIGKILL, "")
    return served.depth("Q")
