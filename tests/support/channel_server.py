"""A queue manager that serves clients over TCP, in a process of its own that can be killed."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.emulator.mqi import listening
from mqtriage.commands.emulator.requests import ListenOptions
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding
from tests.support.channel_client import ChannelClient, Failed

CHANNEL = "DEV.APP.SVRCONN"
_PR_SET_PDEATHSIG = 1


class ChannelServer:
    """QM1, or queue managers of other names, in a home of its own, with channel DEV.APP.SVRCONN.

    Attributes:
        port: that it listens on; another one after each start.
        log: the file with what it says.
    """

    def __init__(
        self,
        home: Path,
        passwords: str | None = None,
        *,
        names: tuple[str, ...] = ("QM1",),
        starts: bool = True,
        version: str = "9.4",
    ) -> None:
        self.home, self.names, self._passwords = home, names, passwords
        self.log = home / "log"
        self._beside: list[EmulatedBackend] = []
        for name in names:
            if qmgr_path(home, name).exists():
                continue
            create(home, name, version=version)
            self.command(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)", name)
        self.pid = 0
        if starts:
            self.start()

    def start(self, passwords: str | None = None, **options: Any) -> None:
        """Serve; *options* are those of `ListenOptions`."""
        passwords = passwords or self._passwords
        given = ListenOptions(**({"port": 0} | options))
        read_end, write_end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
                log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                os.dup2(log, 2)
                threading.excepthook = threading.__excepthook__  # pytest keeps what threads raise
                sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)  # not pytest's
                server = listening(self.home, self.names, given, passwords)
                signal.signal(signal.SIGTERM, lambda *_: server.stop())
                os.write(write_end, server.port.to_bytes(2))
                server.serve()
                os._exit(0)
            finally:
                os._exit(1)
        os.close(write_end)
        self.port = int.from_bytes(os.read(read_end, 2))
        os.close(read_end)
        assert self.port, self.lines()

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a machine that fails does."""
        self._end(signal.SIGKILL)

    def _end(self, number: int) -> None:
        if self.pid:
            os.kill(self.pid, number)
            _, status = os.waitpid(self.pid, 0)
            self.pid = 0
            assert os.waitstatus_to_exitcode(status) == (-9 if number == signal.SIGKILL else 0)

    def lines(self) -> list[str]:
        """What it has said."""
        return self.log.read_text("utf-8").splitlines() if self.log.exists() else []

    def backend(self, name: str = "QM1") -> EmulatedBackend:
        """A look at the queue manager beside the server."""
        backend = EmulatedBackend(
            open_manager(qmgr_path(self.home, name)), user="tester", application="beside"
        )
        self._beside.append(backend)
        return backend

    def mqsc(self, *commands: str, name: str = "QM1") -> None:
        """Run MQSC commands that change something."""
        for text in commands:
            self.command(text, name)

    def client(self, channel: str = CHANNEL, **more: Any) -> ChannelClient:
        """A client that is connected."""
        return ChannelClient(self.port, channel=channel, **more)

    def refusal(self, channel: str = CHANNEL, **more: Any) -> int:
        """Code of the STATUS, or reason of MQCONN, by which a client is refused.

        0 for one whose socket is dropped, -1 for one that is let in.
        """
        try:
            self.client(channel, **more).close()
        except Failed as failed:
            return failed.reason
        except ConnectionError:
            return 0
        return -1

    def command(self, text: str, name: str = "QM1") -> tuple[str, ...]:
        """What an MQSC command shows: the cells of all objects."""
        script = parse(text)
        (command,) = script.commands
        reply = self.backend(name).run_mqsc(script, command)
        assert reply.ending is CommandEnding.DONE, reply
        return tuple(cell for line in reply.lines for cell in line.cells)

    def wait_until_gone(self) -> None:
        """Until the server has let go of every connection."""
        until = time.monotonic() + 60
        while "CONNS(0)" not in self.command("DISPLAY QMSTATUS CONNS"):
            assert time.monotonic() < until
            time.sleep(0.02)

    def depth(self, name: str) -> int:
        return self.backend().status(name).curdepth

    def close(self) -> None:
        self.stop()
        for backend in self._beside:
            backend.disconnect()
