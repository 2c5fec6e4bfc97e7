"""Temporary files of tests on a RAM disk: a thousand queue managers wait for a disk otherwise."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

RAM_DISK: Final = Path("/dev/shm")
LEAST_FREE: Final = 2 << 30
"""Bytes: a container often has no more than 64 MiB there."""


def use() -> None:
    """Take the RAM disk, where there is a large one and TMPDIR names nothing else."""
    if "TMPDIR" in os.environ or not os.access(RAM_DISK, os.W_OK):
        return
    if shutil.disk_usage(RAM_DISK).free >= LEAST_FREE:
        os.environ["TMPDIR"] = tempfile.tempdir = str(RAM_DISK)
