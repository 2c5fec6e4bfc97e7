"""Load our C library into this process before pymqi or ibmmq asks for IBM's."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from mqtriage.emulator.mqi.library.sdk import LIBRARY, is_ours
from mqtriage.mq.errors import Refused


def load(folder: Path) -> None:
    """Load the library of an SDK, once.

    The loader looks for libmqm_r.so when pymqi or ibmmq is imported; one that is loaded already
    under that name will do.

    Raises:
        Refused: Another library of that name is loaded already, IBM's perhaps.
    """
    loaded = loaded_libraries()
    for path in loaded:
        if not is_ours(path.parent.parent):
            raise Refused(
                f"{path} is loaded already, and it is not mqtriage's",
                hint="ask for the connection before pymqi or ibmmq is imported",
            )
    if not loaded:
        ctypes.CDLL(os.path.realpath(folder / "lib64" / LIBRARY), mode=ctypes.RTLD_GLOBAL)


def loaded_libraries() -> list[Path]:
    """The files of MQ's client that this process has loaded, or ours with those names."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    paths = dict.fromkeys("/" + line.partition("/")[2] for line in lines)
    return [Path(path) for path in paths if Path(path).name.startswith(("libmqm", "libmqic"))]
