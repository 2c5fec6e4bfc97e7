"""docs/cluster.md: its blocks run from the first line to the result, as they stand in the page."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.ibm_java import fetched
from tests.support.tools import module, reach_package_index, tool

pytestmark = pytest.mark.long
PAGE = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"```sh run=(\w+)\n(.*?)```", PAGE, re.DOTALL))
PORTS = ("7077", "15002", "5000")
"""Of the page: other programs may have them where the test runs."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def follow(names: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run blocks of the page in one bash that stops at the first failure."""
    module("grpc", "spark")
    tool("java")
    text = "".join(BLOCKS[name] for name in names)
    for port in PORTS:
        text = re.sub(rf"\b{port}\b", str(free_port()), text)
    failed = "trap 'kill $(jobs -p); tail -n 20 *.log' ERR\n"
    argv = ["timeout", "--foreground", "900", "bash", "-eEu", "-c", failed + text]
    process = subprocess.Popen(
        argv,
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        out, err = process.communicate()
    finally:  # master, workers and servers end with the test, also where pytest is ended
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        signal.signal(signal.SIGTERM, handler)
    return subprocess.CompletedProcess(argv, process.returncode, out, err)


def environment(folder: Path) -> Mapping[str, str]:
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": programs, "MQTRIAGE_HOME": str(folder / "home")}


def test_every_block_is_run_by_a_test_but_the_installation() -> None:
    assert list(BLOCKS) == ["install", "standalone", "analyze", "connect", "bucket", "s3", "end"]


def test_a_master_two_workers_and_spark_connect_give_what_is_given_here(tmp_path: Path) -> None:
    ran = follow(("standalone", "analyze", "connect", "end"), tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not (tmp_path / "cluster").exists()


def test_s3_gives_what_is_given_here(tmp_path: Path) -> None:
    tool("mvn")
    reach_package_index()
    fetched("hadoop-aws", *re.findall(r"--conf spark.jars.packages=(\S+)", BLOCKS["s3"]))
    ran = follow(("standalone", "analyze", "bucket", "s3", "end"), tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not (tmp_path / "cluster").exists()
