"""`check qmgr` and PING QMGR through the MQ client, with a command server that answers or not."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from mqtriage.mq.names import COMMAND_QUEUE
from tests.mqi.conftest import Served


def ran(
    served: Served, sdk: Path, *arguments: str, text: str = ""
) -> tuple[subprocess.CompletedProcess[str], float]:
    """What the command said, and the seconds that it took."""
    began = time.monotonic()
    process = subprocess.run(
        [sys.executable, "-m", "mqtriage", *arguments, "-m", "QM1", "--backend", "mq"],
        env=served.environment(sdk), input=text, capture_output=True, text=True, timeout=90,
        check=False,
    )  # fmt: skip
    return process, time.monotonic() - began


@pytest.mark.usefixtures("ibmmq")
@pytest.mark.slow
def test_a_command_server_answers_a_ping(served: Served, sdk: Path) -> None:
    process, _ = ran(served, sdk, "mqsc", text="PING QMGR\n")
    assert (process.returncode, process.stderr) == (0, "")
    assert "AMQ8415I" in process.stdout
    process, _ = ran(served, sdk, "check", "qmgr")
    assert (process.returncode, process.stderr) == (0, "")
    assert "answers in" in process.stdout


@pytest.mark.usefixtures("ibmmq")
@pytest.mark.slow
def test_a_command_server_that_is_down_is_told_in_time(served: Served, sdk: Path) -> None:
    served.backend().alter("QLOCAL", COMMAND_QUEUE, {"GET": "DISABLED"})
    process, took_s = ran(served, sdk, "check", "qmgr", "--timeout", "1s")
    assert (process.returncode, process.stdout) == (3, "UNKNOWN   QM1: no response within 1s\n")
    assert took_s < 10  # its own wait is 30 s
