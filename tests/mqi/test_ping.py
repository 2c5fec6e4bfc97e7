"""`qmgr ping` through the MQ client, while the command server answers and while it does not."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from mqtriage.emulator.core.queues import COMMAND_QUEUE
from tests.mqi.conftest import Served


def ping(
    served: Served, sdk: Path, *arguments: str
) -> tuple[subprocess.CompletedProcess[str], float]:
    """What the command said, and the seconds that it took."""
    began = time.monotonic()
    ran = subprocess.run(
        [sys.executable, "-m", "mqtriage", "qmgr", "ping", "-m", "QM1", "--backend", "mq",
         *arguments],
        env=served.environment(sdk), capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    return ran, time.monotonic() - began


@pytest.mark.usefixtures("ibmmq")
def test_it_tells_how_long_the_command_server_took(served: Served, sdk: Path) -> None:
    ran, _ = ping(served, sdk)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "answered in" in ran.stdout


@pytest.mark.usefixtures("ibmmq")
def test_a_command_server_that_is_down_is_told_in_time_with_what_to_do(
    served: Served, sdk: Path
) -> None:
    served.backend().alter("QLOCAL", COMMAND_QUEUE, {"GET": "DISABLED"})
    ran, took_s = ping(served, sdk, "--wait", "200ms")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == (
        "error: PING QMGR: MQRC_CMD_SERVER_NOT_AVAILABLE (2322): no reply within 0.2 s\n"
        "hint: start it: START CMDSERV, or strmqcsv and the queue manager's name\n"
    )
    assert took_s < 10  # it was 60 s and more: the wait of 30 s for each of two questions
