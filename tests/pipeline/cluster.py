"""Spark's own servers, started from the installed package on 127.0.0.1 and ended by the tests."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from mqtriage.pipeline.java import java_home

_PATIENCE_SECONDS = 300.0
QUICK = [
    f"spark.{process}.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    for process in ("driver", "executor")
]
"""Settings for processes that live for seconds: compiling well costs more than it saves."""


def spark_home(folder: Path) -> Path:
    """A home for Spark that leads to the installed package; what is written to it stays here."""
    import pyspark

    folder.mkdir()
    for path in Path(pyspark.__file__).parent.iterdir():
        (folder / path.name).symlink_to(path)
    return folder


def environment(home: Path, cache: Path, **more: str) -> dict[str, str]:
    """What Spark's programs need, and nothing of this process that leads to mqtriage."""
    java = java_home(os.environ, cache) or os.environ.get("JAVA_HOME")
    variables = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(cache),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "600m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "PYSPARK_PYTHON": sys.executable,
        **more,
    }
    return variables | ({"JAVA_HOME": str(java)} if java else {})


def bare_python(folder: Path) -> Path:
    """An interpreter without any installed package: what it imports comes by PYTHONPATH alone."""
    program = folder / "python-alone"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    program.chmod(0o755)
    return program


@contextmanager
def server(words: list[str], environ: Mapping[str, str], ready: str) -> Iterator[str]:
    """Run a program until left; give the first group of *ready* in what it writes.

    Raises:
        AssertionError: It ended, or did not write that in time.
    """
    process = subprocess.Popen(
        words,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    lines: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_read, args=(process.stdout, lines), daemon=True).start()
    try:
        yield _awaited(lines, ready)
    finally:
        # the script that starts Java may have made a process of its own
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _read(out: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in out:
        lines.put(line)
    lines.put(None)


def _awaited(lines: queue.Queue[str | None], ready: str) -> str:
    output: list[str] = []
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while (remaining := deadline - time.monotonic()) > 0:
        try:
            line = lines.get(timeout=remaining)
        except queue.Empty:
            break
        if line is None:
            break
        output.append(line)
        match = re.search(ready, line)
        if match:
            return match.group(1)
    raise AssertionError("the server did not come up:\n" + "".join(output[-30:]))


def spark_class(home: Path) -> str:
    return str(home / "bin" / "spark-class")


@contextmanager
def standalone(
    home: Path, work: Path, environ: Mapping[str, str], *, cores: tuple[int, ...] = (2,)
) -> Iterator[str]:
    """A master, and a worker for each number in *cores*; gives the address of the master."""
    deploy = "org.apache.spark.deploy"
    here = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    master = [spark_class(home), f"{deploy}.master.Master", *here]
    with ExitStack() as servers:
        starting = server(master, environ, r"Starting Spark master at (spark://\S+)")
        address = servers.enter_context(starting)
        for count in cores:
            more = ["--cores", str(count), "--memory", "1g", "--work-dir", str(work), address]
            worker = [spark_class(home), f"{deploy}.worker.Worker", *here, *more]
            ready = r"Successfully registered with master (\S+)"
            servers.enter_context(server(worker, environ, ready))
        yield address


def executors(work: Path) -> dict[str, int]:
    """The executors of the workers at *work* that run now: number to process."""
    processes = {}
    for folder in work.glob("app-*/*"):
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (process / "cwd").readlink() == folder:
                    processes[folder.name] = int(process.name)
    return processes


@contextmanager
def connect_server(home: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """A server of Spark Connect over two local cores, started by Spark's script for it.

    Gives its address.
    """
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.catalogImplementation": "in-memory",
    }
    words = [str(home / "sbin" / "start-connect-server.sh"), "--wait", "--master", "local[2]"]
    words += ["--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"]
    for name, value in settings.items():
        words += ["--conf", f"{name}={value}"]
    ready = r"Spark Connect server started at: \S+?:(\d+)"
    with server(words, environ, ready) as port:
        yield f"sc://127.0.0.1:{port}"


def bucket_settings(folder: Path, bucket: Path) -> Path:
    """Settings under which s3a://bucket/... are files below *bucket*, through Hadoop's own mounts.

    So an address is read and written by Spark's file systems without a network.
    """
    mount = "spark.hadoop.fs.viewfs.mounttable.bucket.link"
    view = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"
    target = "spark.hadoop.fs.viewfs.overload.scheme.target.s3a.impl"
    lines = [
        f"spark.hadoop.fs.s3a.impl {view}",
        f"{target} org.apache.hadoop.fs.LocalFileSystem",
        *(f"{mount}./{name} file://{bucket / name}" for name in ("snapshots", "results")),
        *QUICK,
        "spark.driver.host 127.0.0.1",
        "spark.driver.bindAddress 127.0.0.1",
        "spark.executor.memory 512m",
        "spark.sql.shuffle.partitions 1",
        "spark.log.level ERROR",
    ]
    folder.mkdir()
    (folder / "spark-defaults.conf").write_text("\n".join(lines) + "\n")
    return folder
