"""A queue manager that serves clients over TCP, in a process of its own that can be killed."""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.emulator.mqi import listening
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.home import qmgr_path
from mqtriage.emulator.open import open_manager
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import Ending

CHANNEL = "DEV.APP.SVRCONN"
_PR_SET_PDEATHSIG = 1


class ChannelServer:
    """QM1 in a home of its own, with channel DEV.APP.SVRCONN.

    Attributes:
        port: that it listens on; another one after each start.
        log: the file with what it says.
    """

    def __init__(self, home: Path, passwords: str | None = None) -> None:
        self.home, self._passwords = home, passwords
        create(home, "QM1")
        self.log = home / "log"
        self._beside: list[EmulatedBackend] = []
        self.command(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)")
        self.pid = 0
        self.start()

    def start(self) -> None:
        ready, told = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
                log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                os.dup2(log, 2)
                server = listening(self.home, ["QM1"], "127.0.0.1", 0, self._passwords)
                signal.signal(signal.SIGTERM, lambda *_: server.stop())
                os.write(told, server.port.to_bytes(2))
                server.serve()
                os._exit(0)
            finally:
                os._exit(1)
        os.close(told)
        self.port = int.from_bytes(os.read(ready, 2))
        os.close(ready)
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

    def backend(self) -> EmulatedBackend:
        """A look at the queue manager beside the server."""
        backend = EmulatedBackend(
            open_manager(qmgr_path(self.home, "QM1")), user="tester", application="beside"
        )
        self._beside.append(backend)
        return backend

    def command(self, text: str) -> tuple[str, ...]:
        """What an MQSC command shows: the cells of all objects."""
        script = parse(text)
        (command,) = script.commands
        reply = self.backend().run_mqsc(script, command)
        assert reply.ending is Ending.DONE, reply
        return tuple(cell for line in reply.lines for cell in line.cells)

    def depth(self, name: str) -> int:
        return self.backend().status(name).curdepth

    def close(self) -> None:
        self.stop()
        for backend in self._beside:
            backend.disconnect()
