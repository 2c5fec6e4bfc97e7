"""A local Spark that stays for the next command: `analyze --keep`.

It is a process of its own with Spark Connect on a port of 127.0.0.1, which every user of the
machine can reach. It answers only who sends its token, and the token lies in a file that its owner
alone can read. It ends when nobody has used it for its time.

    server.json   settings, port, token and process, for as long as there is a server
    alive         locked by the server while it lives
    use           locked by each command that uses it; holds the time to keep it, in milliseconds,
                  and was changed when it was last used
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from mqtriage import __version__
from mqtriage.files.durable import replace_file
from mqtriage.files.locks import is_locked, try_lock
from mqtriage.files.private import open_private, private_folder
from mqtriage.mq.errors import MQTriageError, Refused, StorageError, UsageError
from mqtriage.pipeline.java import cache_folder
from mqtriage.pipeline.session import (
    SMALL,
    SMALL_BYTES,
    TOKEN,
    SparkSettings,
    is_local,
    open_session,
    require_connect,
)

_STOP_SECONDS: Final = 30.0
_STEPS: Final = 4
"""In so many Java gives back the memory that it needs no more, where it is told to look."""
_SOON_SECONDS: Final = 0.05
_STARTED: Final = "MQTRIAGE_KEPT_SPARK"
"""In the environment, which its owner alone can see: what the server has to know of its Java."""
_LOOK_SECONDS: Final = 0.2
"""How often the server looks whether it is used, and whether it is to end."""
CONNECT: Final = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    # the other ports of Spark, in which blocks of data go; Spark makes a secret of its own here
    "spark.authenticate": "true",
}
"""What makes a session on this machine a server for its owner alone."""


class KeptFiles(NamedTuple):
    """The files of a kept server, in a folder that only their owner can enter."""

    folder: Path
    server: Path
    alive: Path
    use: Path


def files_of(folder: Path) -> KeptFiles:
    return KeptFiles(folder, folder / "server.json", folder / "alive", folder / "use")


def files_in(environ: Mapping[str, str]) -> KeptFiles:
    """Where the kept server of this user is, or would be."""
    return files_of(cache_folder(environ) / "kept-spark")


@contextmanager
def kept(
    settings: SparkSettings, environ: Mapping[str, str], keep_ms: int | None
) -> Iterator[SparkSettings]:
    """Give the settings that lead to the kept server; *settings* where there is none to use.

    The server does not end while this is entered.

    Args:
        keep_ms: start a server where there is none, and keep it so long; None to use what is there.

    Raises:
        UsageError: *settings* are for a cluster, and *keep_ms* is given.
        Refused: A server with other settings is kept, and *keep_ms* is given.
        StorageError: The files cannot be written.
        MQTriageError: Spark does not start, or pyspark cannot speak to a server.
    """
    files = files_in(environ)
    if settings.remote or not is_local(settings.master) or settings.master.startswith("spark"):
        if keep_ms is not None:
            raise UsageError("--keep is for Spark on this machine, without a cluster")
        yield settings
        return
    if keep_ms is None and not files.server.exists():
        yield settings
        return
    with _in_use(files, keep_ms):
        server = running(files)
        if server is None and keep_ms is not None:
            require_connect()
            server = _start(files, settings)
        elif server is not None and server["settings"] != asked(settings):
            if keep_ms is not None:
                raise Refused(
                    "a Spark with other settings is kept", hint="mqtriage analyze stop ends it"
                )
            server = None
        yield settings if server is None else leading_to(server, settings)


@contextmanager
def _in_use(files: KeptFiles, keep_ms: int | None) -> Iterator[None]:
    """Keep the server from ending, and note when it was last used.

    Raises:
        StorageError: The folder is another user's, or nothing can be written to it.
    """
    try:
        private_folder(files.folder)
        there = files.folder.stat()
        descriptor = open_private(files.use, os.O_RDWR)
    except OSError as error:
        raise StorageError(f"{files.folder}: {error.strerror}") from error
    try:
        if there.st_uid != os.geteuid() or there.st_mode & 0o077:
            raise StorageError(f"{files.folder}: others may write to it")
        while not try_lock(descriptor, shared=True):  # the server is just ending
            time.sleep(_SOON_SECONDS)
        if keep_ms is not None:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(keep_ms).encode(), 0)
        os.utime(descriptor)
        yield
        os.utime(descriptor)
    finally:
        os.close(descriptor)


def running(files: KeptFiles) -> dict[str, Any] | None:
    """The server that lives; None where there is none."""
    if not is_locked(files.alive):
        return None
    try:
        server: dict[str, Any] = json.loads(files.server.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return server


def asked(settings: SparkSettings) -> dict[str, Any]:
    """What a server is started with, by which a command sees whether it is the right one."""
    return {
        "mqtriage": __version__,
        "python": sys.executable,
        "master": settings.master,
        "memory": settings.memory,
        "more": dict(settings.more),
    }


def leading_to(server: Mapping[str, Any], settings: SparkSettings) -> SparkSettings:
    """The settings of a session on a kept server, which has those of *settings* already."""
    is_small = settings.read_bytes is not None and settings.read_bytes <= SMALL_BYTES
    return replace(
        settings,
        remote=f"sc://127.0.0.1:{server['port']}",
        token=server["token"],
        more=SMALL if is_small and "spark.sql.shuffle.partitions" not in settings.more else {},
    )


def _start(files: KeptFiles, settings: SparkSettings) -> dict[str, Any]:
    """Start a server and wait until it can be used.

    Raises:
        MQTriageError: Spark does not start.
    """
    words = [sys.executable, "-m", __spec__.name, str(files.folder)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=files.folder,
        stderr=subprocess.DEVNULL, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        # not by its arguments, which everybody can see: a setting may be a secret
        process.stdin.write(json.dumps(asked(settings)).encode())
        process.stdin.close()
        answer = json.loads(process.stdout.readline() or b"{}")
    if "port" not in answer:
        raise MQTriageError(answer.get("error", "Spark does not start"), hint=answer.get("hint"))
    return dict(answer)


def stop(environ: Mapping[str, str]) -> bool:
    """End the kept server, whoever uses it; whether there was one.

    Raises:
        MQTriageError: It does not end.
    """
    files = files_in(environ)
    server = running(files)
    if server is None:
        return False
    os.kill(server["process"], signal.SIGTERM)
    deadline = time.monotonic() + _STOP_SECONDS
    while is_locked(files.alive):
        if time.monotonic() > deadline:
            raise MQTriageError(f"the kept Spark, process {server['process']}, does not end")
        time.sleep(0.1)
    return True


def main() -> None:
    """Be the server: settings come on standard input, one line of JSON goes to standard output."""
    files = files_of(Path(sys.argv[1]))
    if _STARTED in os.environ:
        _watch(files, **json.loads(os.environ.pop(_STARTED)))
        return
    given = json.loads(sys.stdin.read())
    if os.fork():  # who started it need not wait for its end
        os._exit(0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        _serve(files, given)
    except MQTriageError as error:
        _answer({"error": error.text, "hint": error.hint})


def _serve(files: KeptFiles, given: Mapping[str, Any]) -> None:
    """Start Spark, say where it is, and become what watches it, small without pyspark."""
    alive = open_private(files.alive, os.O_RDWR)
    deadline = time.monotonic() + _STOP_SECONDS
    while not try_lock(alive):  # another one is ending
        if time.monotonic() > deadline:
            raise MQTriageError("another Spark is kept already", hint="mqtriage analyze stop")
        time.sleep(_SOON_SECONDS)
    files.server.unlink(missing_ok=True)
    token = secrets.token_hex(32)
    os.environ[TOKEN] = token  # Java's arguments can be seen by everybody
    settings = SparkSettings(given["master"], memory=given["memory"], more=CONNECT | given["more"])
    session: Any = open_session(settings, os.environ)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    gateway = session.sparkContext._gateway
    java = gateway.proc
    services = session._jvm.org.apache.spark.sql.connect.service
    port = getattr(getattr(services, "SparkConnectService$"), "MODULE$").localPort()
    server = {"settings": given, "port": port, "token": token, "process": os.getpid()}
    replace_file(files.server, [json.dumps(server).encode()])
    _answer(server)
    parameters = gateway.java_parameters
    started = {
        "java": java.pid,
        "leash": java.stdin.fileno(),
        "port": parameters.port,
        "secret": parameters.auth_token,
    }
    for descriptor in (alive, started["leash"]):
        os.set_inheritable(descriptor, True)
    os.environ[_STARTED] = json.dumps(started)
    os.execv(sys.executable, [sys.executable, "-m", __spec__.name, str(files.folder)])


def _watch(files: KeptFiles, java: int, leash: int, port: int, secret: str) -> None:
    """Have Java give memory back after each command, and end it when it is not used any more.

    Args:
        java: the process, a child of this one, which ends when *leash* is closed.
        port: where Java does what is asked with *secret*.
    """
    from py4j.java_gateway import GatewayParameters, JavaGateway

    ends: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ends.append(number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    asked_java = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=secret))
    used = 0.0
    try:
        while not ends and not _has_ended(java) and not is_over(files, time.time()):
            if used != (used := files.use.stat().st_mtime):  # a command has begun or ended
                for _ in range(_STEPS):
                    asked_java.jvm.java.lang.System.gc()
            time.sleep(_LOOK_SECONDS)
    finally:
        files.server.unlink(missing_ok=True)
        os.close(leash)
        deadline = time.monotonic() + _STOP_SECONDS
        while not _has_ended(java) and time.monotonic() < deadline:
            time.sleep(_SOON_SECONDS)


def _has_ended(process: int) -> bool:
    try:
        return os.waitpid(process, os.WNOHANG)[0] == process
    except ChildProcessError:  # it was asked before
        return True


def _answer(answer: Mapping[str, Any]) -> None:
    print(json.dumps(answer), flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def is_over(files: KeptFiles, now: float) -> bool:
    """Whether nobody uses the server and its time is over; nobody finds it any more then."""
    use = os.open(files.use, os.O_RDWR)
    try:
        keep_ms = int(os.pread(use, 32, 0) or b"0")
        if now < os.fstat(use).st_mtime + keep_ms / 1000 or not try_lock(use):
            return False
        files.server.unlink(missing_ok=True)
        return True
    finally:
        os.close(use)


if __name__ == "__main__":
    main()
