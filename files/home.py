"""Where everything of ours lives: emulated queue managers, journals and archives."""

from __future__ import annotations

import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def home_folder(environ: Mapping[str, str]) -> Path:
    """MQTRIAGE_HOME, else the folder `mqtriage` in the XDG data folder."""
    if given := environ.get("MQTRIAGE_HOME"):
        return Path(given)
    data = environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "mqtriage"


def first_today(home: Path, text: str) -> bool:
    """Whether *text* was not said yet today, as far as a file below *home* knows; notes it there.

    Where there is no such folder, or nothing can be written, it is always the first time.
    """
    mark = home / "cache" / f"said-{zlib.crc32(text.encode()):08x}"
    now_s = time.time()
    try:
        then_s = mark.stat().st_mtime
        if time.localtime(then_s)[:3] == time.localtime(now_s)[:3]:
            return False
    except OSError:
        pass  # never said, or not to be known
    if home.is_dir():
        with suppress(OSError):
            mark.parent.mkdir(0o700, exist_ok=True)
            mark.touch(0o600)
    return True
