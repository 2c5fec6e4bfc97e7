"""Units of work that a program holds back by itself, with no server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from mqtriage.emulator.core.file.gate import Passage
from mqtriage.emulator.core.write_behind.buffer import CallBuffer, Keeper
from mqtriage.mq.errors import StorageError

_BUFFER_S: Final = 0.1
_LOOK_S: Final = 0.002
"""How long a program holds them back at most, and how often it looks whether anybody waits."""
_IDLE_S: Final = 1.0


class UnitBuffer(CallBuffer):
    """What units of work put and get, held back by a process that is no server.

    A thread writes them down in time; it ends when nothing has been held back for a while, so that
    a program that forgets its connection keeps nothing alive.
    """

    only_units = True

    def __init__(self, manager: Keeper, gate: Passage) -> None:
        super().__init__(manager, gate, threading.Event())
        self.lock = self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def _open(self) -> bool:
        is_open = super()._open()
        if is_open and self._thread is None:
            self._thread = threading.Thread(
                target=self._end_in_time, name="mqtriage writes down", daemon=True
            )
            self._thread.start()
        return is_open

    def commit(self, unit: int, finish: Callable[[int], None], *, durable: bool) -> bool:
        with self._lock:
            return super().commit(unit, finish, durable=durable)

    def end(self) -> None:
        if self.is_open:
            with self._lock:
                super().end()

    def close(self) -> None:
        with self._lock:
            self.is_open = False
        self._closed.set()
        self._opened.set()
        if (thread := self._thread) is not None:
            thread.join()
        super().close()

    def _end_in_time(self) -> None:
        while self._opened.wait(_IDLE_S) or not self._is_idle():
            self._opened.clear()
            for _ in range(round(_BUFFER_S / _LOOK_S)):
                if self._closed.wait(_LOOK_S):
                    return
                with self._lock:
                    if not self.is_open or self._gate_lock.is_waited_for():
                        break
            with suppress(StorageError):  # told to the program, whose next call meets it
                self.end()

    def _is_idle(self) -> bool:
        """Let the thread end, unless something was held back in this very moment."""
        with self._lock:
            if not self._opened.is_set():
                self._thread = None
            return self._thread is None


def buffer_units(manager: Keeper) -> CallBuffer | None:
    """Hold puts of units of work back from now on; None where the file cannot be written."""
    gate = manager.store.gate
    if gate is None:
        return None
    buffer = manager.store.gate = manager.write_behind = UnitBuffer(manager, gate)
    return buffer
