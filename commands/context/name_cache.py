"""Queue names for completion: kept for 5 seconds, and never waited for longer than 300 ms.

A queue manager that is slow or gone must not be felt at the keyboard. It is asked by a process of
its own, which goes on where the 300 ms are over and leaves the names for the next key.
"""

from __future__ import annotations

import os
import signal
import time
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from mqtriage.files.durable import replace_file
from mqtriage.files.private import private_folder

KEPT_S: Final = 5.0
PATIENCE_S: Final = 0.3
_LONGEST_S: Final = 10  # then the asking process ends itself


def cached_names(
    folder: Path, key: str, ask: Callable[[], Iterable[str]], *, is_quick: bool
) -> list[str]:
    """The names under *key*: from the cache while fresh, else asked for.

    Args:
        folder: made where it is not there, 0700.
        key: what the names belong to: backend, context and queue manager.
        is_quick: *ask* is run in this process; else in one of its own, and may take its time.

    Returns:
        The names; none where *ask* failed, or 300 ms were not enough.
    """
    path = cache_path(folder, key)
    fresh = _fresh(path, key)
    if fresh is not None:
        return fresh
    if is_quick:
        return _ask_and_keep(path, key, ask)
    child = os.fork()
    if child == 0:
        # the shell waits until the pipe is closed: nothing of this process may hold it open
        for number in (0, 1, 2):
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, number)
            os.close(null)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_LONGEST_S)
        try:
            _ask_and_keep(path, key, ask)
        finally:
            os._exit(0)
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        ended, _ = os.waitpid(child, os.WNOHANG)
        if ended:
            return _fresh(path, key) or []
        time.sleep(0.005)
    return []


def cache_path(folder: Path, key: str) -> Path:
    """The file that keeps the names under *key*, or those of another key that falls on it."""
    return folder / f"names-{zlib.crc32(key.encode()):08x}"  # hashlib takes OpenSSL with it


def _ask_and_keep(path: Path, key: str, ask: Callable[[], Iterable[str]]) -> list[str]:
    try:
        names = list(ask())
    except Exception:  # completion never shows an error, whatever it is
        return []
    try:
        private_folder(path.parent)
        replace_file(path, ["\n".join([repr(key), *names]).encode()])
    except OSError:
        pass  # without a cache the next key asks again
    return names


def _fresh(path: Path, key: str) -> list[str] | None:
    try:
        if not 0 <= time.time() - path.stat().st_mtime < KEPT_S:
            return None
        kept_key, *names = path.read_text("utf-8").split("\n")
    except (OSError, ValueError):
        return None
    return names if kept_key == repr(key) else None
