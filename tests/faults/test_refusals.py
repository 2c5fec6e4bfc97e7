"""What the system refuses a file of SQLite, which tells no number, is told as what it is."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from tests.support import cached_cc


@pytest.fixture
def refusing(tmp_path: Path) -> Iterator[Path]:
    """`refuse.c`, compiled."""
    library = tmp_path / "refuse.so"
    source = Path(__file__).with_name("refuse.c")
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    argv = [shutil.which("cc") or "cc", *flags, "-o", str(library), str(source)]
    assert cached_cc.main(argv) == 0
    yield library


@pytest.mark.skipif(
    sys.platform != "linux", reason="refuse.c stands between the C library of Linux"
)
@pytest.mark.parametrize("place", ["emulator", "journal"])
@pytest.mark.parametrize(
    ("calls", "code", "hint"),
    [
        ("write", errno.EDQUOT, "make room"),
        ("write", errno.ENOSPC, "make room"),
        ("write", errno.EIO, "make room"),
        ("lock", errno.EOPNOTSUPP, "file system that has locks"),
        ("open", errno.EMFILE, "ulimit -n"),
    ],
)
@pytest.mark.slow
def test_a_refusal_of_the_system_is_told_as_what_it_is(
    tmp_path: Path, refusing: Path, place: str, calls: str, code: int, hint: str
) -> None:
    home = tmp_path / "home"
    backend = EmulatedBackend(open_manager(create(home, "QM1")))
    backend.define("QLOCAL", "Q1", {})
    backend.disconnect()

    def run(words: str, **refuse: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mqtriage", *words.split(), "-m", "QM1"],
            env={**os.environ, "MQTRIAGE_HOME": str(home), **refuse},
            capture_output=True,
            text=True,
            check=False,
        )

    for _ in range(2):
        assert run("msg put Q1 text --yes").returncode == 0
    assert run("msg purge Q1 --confirm Q1 --limit 1").returncode == 0
    ran = run(
        "msg purge Q1 --confirm Q1",
        LD_PRELOAD=str(refusing),
        REFUSE_BELOW=str(home / place),
        REFUSE_CALLS=calls,
        REFUSE_ERRNO=str(code),
    )
    assert ran.returncode == 1
    error, advice = ran.stderr.splitlines()[-2:]
    words = "disk I/O error" if code == errno.EIO else os.strerror(code)
    assert words in error and str(home / place) in error, ran.stderr
    assert hint in advice or code == errno.EIO
