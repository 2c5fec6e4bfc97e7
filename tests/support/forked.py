"""`mqtriage` for shell scripts of tests, quickly: each command is a fork of one process.

That process has imported everything once. A command has the streams, folder and environment of the
program that was started under its name, and ends with it.

Usage: python -m tests.support.forked FOLDER        (afterwards FOLDER is to be put on PATH)
"""

from __future__ import annotations

import importlib
import marshal
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_LONGEST: Final = 1 << 20
_HEAVY: Final = ("mqtriage.pipeline", "mqtriage.backends.client", "mqtriage.commands.lsp")
_PROGRAM: Final = """\
#!{python} -IS
import _socket, marshal, os, sys  # json and socket take as long to import as Python to start
if "LD_LIBRARY_PATH" in os.environ:  # which counts when a process begins
    os.execv({python!r}, [{python!r}, "-m", "mqtriage", *sys.argv[1:]])
link = _socket.socket(_socket.AF_UNIX)
link.connect({address!r})
words = marshal.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)])
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
link.sendmsg([words], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
link.shutdown(_socket.SHUT_WR)
code = link.recv(4)
sys.exit(int(code) if code else 70)
"""


@contextmanager
def mqtriage_in(folder: Path) -> Iterator[None]:
    """A program `mqtriage` in *folder*, as long as the context lasts."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    server = subprocess.Popen([sys.executable, "-m", "tests.support.forked", folder], env=environ)
    try:
        while not (folder / "mqtriage").exists():
            assert server.poll() is None
            time.sleep(0.02)
        yield
    finally:
        server.terminate()
        server.wait()


def _serve(folder: Path) -> None:
    address = str(folder / "socket")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    _import_everything()
    program = folder / "mqtriage.new"
    program.write_text(_PROGRAM.format(python=sys.executable, address=address), "utf-8")
    program.chmod(0o755)
    program.rename(folder / "mqtriage")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # what ends is not waited for
    while True:
        link, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _answer(link)
        link.close()


def _import_everything() -> None:
    package = importlib.import_module("mqtriage")
    for module in pkgutil.walk_packages(package.__path__, "mqtriage."):
        if not module.name.startswith(_HEAVY) and not module.name.endswith("__main__"):
            with suppress(ImportError):
                importlib.import_module(module.name)


def _answer(link: socket.socket) -> None:
    """Run one command in a process of its own, and send its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    text, streams, _, _ = socket.recv_fds(link, _LONGEST, 3)
    while part := link.recv(_LONGEST):
        text += part
    command = os.fork()
    if command == 0:
        link.close()
        _run(text, streams)
    for stream in streams:
        os.close(stream)
    waiting = select.poll()
    waiting.register(os.pidfd_open(command), select.POLLIN)
    waiting.register(link, select.POLLHUP | select.POLLERR)
    if all(mask & select.POLLIN == 0 for _, mask in waiting.poll()):
        os.kill(command, signal.SIGTERM)
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    with suppress(OSError):
        link.sendall(str(code if code >= 0 else 128 - code).encode())
    os._exit(0)


def _run(text: bytes, streams: list[int]) -> None:
    words, folder, environ = marshal.loads(text)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    sys.argv = ["mqtriage", *words]
    code = 70
    try:
        code = importlib.import_module("mqtriage.cli.frame.main").main()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
