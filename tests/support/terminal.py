"""A program on a terminal of its own: what it draws is read, keys are pressed."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from typing import Self


class OnTerminal:
    """`mqtriage WORDS` on a pseudo-terminal; used as a context manager.

    Args:
        redirect: ``{2: path}``: file descriptors that go to a file instead.
        nohup: the end of the program does not end what it started, as where a shell started it.
        program: what runs in the place of mqtriage.
    """

    def __init__(
        self,
        *words: str,
        environ: Mapping[str, str],
        rows: int = 24,
        columns: int = 80,
        redirect: Mapping[int, str] | None = None,
        nohup: bool = False,
        program: Sequence[str] = (sys.executable, "-m", "mqtriage"),
    ) -> None:
        self.text = ""
        self.code: int | None = None
        self._pid, self._end = pty.fork()
        if self._pid == 0:  # pragma: no cover
            for number, path in (redirect or {}).items():
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), number)
            if nohup:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            inherited = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
            full = {**inherited, "TERM": "xterm", **environ}
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvpe(program[0], [*program, *words], full)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.code is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._end)

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self._end, keys.encode())

    def send(self, signum: int) -> None:
        """Send a signal to the program alone."""
        os.kill(self._pid, signum)

    def until(self, text: str, seconds: float = 60) -> str:
        """All that was written, once *text* is in it; a second call looks at what came since."""
        end = time.monotonic() + seconds
        while text not in self.text:
            assert time.monotonic() < end, f"{text!r} does not appear: {self.text[-2000:]!r}"
            if not self._read(0.2):
                assert text in self.text, f"ended without {text!r}: {self.text[-2000:]!r}"
        at = self.text.index(text) + len(text)
        seen, self.text = self.text[:at], self.text[at:]
        return seen

    def ended(self, seconds: float = 60) -> str:
        """The rest of what was written, once the program has ended; its exit code is `code`."""
        end = time.monotonic() + seconds
        while self._read(0.2):
            assert time.monotonic() < end, f"does not end: {self.text[-2000:]!r}"
        _, status = os.waitpid(self._pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        return self.text

    def hang_up(self, seconds: float = 60) -> None:
        """Take the terminal away and wait for the end of the program; its exit code is `code`."""
        os.close(self._end)
        self._end = os.open(os.devnull, os.O_RDONLY)
        end = time.monotonic() + seconds
        pid = 0
        while not pid:
            assert time.monotonic() < end, "does not end without its terminal"
            time.sleep(0.05)
            pid, status = os.waitpid(self._pid, os.WNOHANG)
        self.code = os.waitstatus_to_exitcode(status)

    def _read(self, wait_s: float) -> bool:
        """Take what is there; False once nobody writes any more."""
        if not select.select([self._end], [], [], wait_s)[0]:
            return True
        try:
            data = os.read(self._end, 65_536)
        except OSError:
            return False
        self.text += data.decode("utf-8", "replace")
        return bool(data)
