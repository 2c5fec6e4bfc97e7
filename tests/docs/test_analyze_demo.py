"""`make analyze-demo` runs with what is installed: Spark is not downloaded a second time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PROGRAM = '#!/bin/sh\necho "$(basename "$0") $*" >> "{log}"\n'


@pytest.mark.parametrize("where", ["on the path", "in VENV"])
def test_an_environment_that_has_spark_is_used_as_it_is(tmp_path: Path, where: str) -> None:
    log, venv, on_path = tmp_path / "log", tmp_path / "venv", tmp_path / "path"
    with_spark = on_path if where == "on the path" else venv / "bin"
    for folder in (on_path, venv / "bin"):
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("python3", "mqtriage"):
            program = folder / name
            program.write_text(PROGRAM.format(log=log))
            program.chmod(0o700)
    if where == "in VENV":
        (on_path / "python3").write_text("#!/bin/sh\nexit 1\n")
    environ = {**os.environ, "PATH": f"{on_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    # PYTHON makes an environment, where one must be made
    words = ["make", "-s", "analyze-demo", f"VENV={venv}", f"BIN={with_spark}", "PYTHON=false"]
    ran = subprocess.run(
        words, cwd=TOP, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    python, simulated, reported = log.read_text().splitlines()[-3:]
    assert python.startswith("python3 -c import mqtriage, pyspark")
    assert simulated.startswith("mqtriage emulator lab simulate --days 7 --qmgrs 3 ")
    assert reported.startswith("mqtriage analyze report ")
    assert not (venv / ".installed-dev").exists()


@pytest.mark.long
def test_the_demo_takes_less_than_two_minutes_on_two_processors(
    spark_installed: None, tmp_path: Path
) -> None:
    """From an environment that is installed, with nothing kept of an earlier run."""
    here = str(Path(sys.executable).parent)
    environ = {
        **os.environ,
        "PATH": f"{here}:{os.environ['PATH']}",
        "TMPDIR": str(tmp_path),
        "MQTRIAGE_HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    two = sorted(os.sched_getaffinity(0))[:2]
    began = time.monotonic()
    ran = subprocess.run(
        ["make", "-s", "analyze-demo", f"BIN={here}", "PYTHON=false"],
        cwd=TOP,
        env=environ,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, two),
    )
    took_s = time.monotonic() - began
    assert ran.returncode == 0, ran.stderr
    assert Path(ran.stdout.strip()).stat().st_size > 100_000
    assert took_s < 120, ran.stderr
