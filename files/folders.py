"""A finished folder put in the place of another, in one step where the system can."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from pathlib import Path
from typing import Final

from mqtriage.files.durable import sync_file, sync_folder

_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2


def replace_folder(beside: Path, place: Path) -> None:
    """Put a finished folder in its place; what was there is gone afterwards.

    Where the system cannot swap names the place is empty for a moment: what was there then lies
    beside it under a name that begins with a dot, and is put back by whoever comes next.
    """
    old = place.with_name(f".{place.name}.replaced")
    if old.exists() and not place.exists():
        old.rename(place)
    shutil.rmtree(old, ignore_errors=True)  # a run that was cut behind its last step left it
    for folder, _, names in os.walk(beside):
        for name in names:
            sync_file(Path(folder, name))
        sync_folder(Path(folder))
    if not place.exists():
        beside.rename(place)
    elif not swapped(beside, place):
        place.rename(old)
        beside.rename(place)
    sync_folder(place.parent)
    for rest in (beside, old):  # either one is what was there
        shutil.rmtree(rest, ignore_errors=True)


def swapped(first: Path, second: Path) -> bool:
    """Swap two names in one step; False where the system or the file system cannot.

    Source: rename(2), RENAME_EXCHANGE.
    """
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "renameat2"):
        return False
    before, after = os.fsencode(first), os.fsencode(second)
    done: int = library.renameat2(_AT_FDCWD, before, _AT_FDCWD, after, _RENAME_EXCHANGE)
    return done == 0
