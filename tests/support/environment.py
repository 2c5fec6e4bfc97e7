"""What stands in the environment of whoever runs the tests changes nothing of what they show."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from tests.support import cached_cc

RAM_DISK: Final = Path("/dev/shm")
LEAST_FREE: Final = 2 << 30
"""Bytes: a container often has no more than 64 MiB there."""

OF_TESTS: Final = frozenset(
    f"MQTRIAGE_{name}"
    for name in (
        "REQUIRE", "CORPUS", "TESTS", "TEST_CONN", "TEST_REST", "TEST_REST_WRITES",
        "TEST_REST_CAFILE", "USER", "PASSWORD", "SEED", "SEEDS", "DRAWS", "IBM_LICENSE",
    )
)  # fmt: skip
"""What says how tests are to run (CONTRIBUTING.md); all else that mqtriage reads is taken away."""

OTHERS: Final = (
    "PYTHONDONTWRITEBYTECODE", "PYTEST_ADDOPTS", "PYTEST_PLUGINS",
    "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR",
    "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_CACHE_HOME",
    "SPARK_REMOTE", "SPARK_API_MODE", "SPARK_LOCAL_IP", "MAKEFLAGS", "MFLAGS", "MAKELEVEL",
)  # fmt: skip
"""pytest itself has read its own by now; a pytest or a make that a test starts is not to."""


def clear() -> None:
    """Take away what mqtriage, Spark or a pytest that a test starts would read."""
    for name in list(os.environ):
        if name in OTHERS or (name.startswith("MQTRIAGE_") and name not in OF_TESTS):
            del os.environ[name]


def use_kept_libraries() -> None:
    """Have the C library compiled once for all processes and runs, until a source of it changes."""
    compiler = os.environ.get("CC") or "cc"
    command = cached_cc.command(compiler)
    # a process that pytest starts has it already; CC is cut at blanks
    if "cached_cc" in compiler or not shutil.which(compiler.split()[0]):
        return
    if len(command.split()) == 2 + len(compiler.split()):
        os.environ["CC"] = command


def use_ram_disk() -> None:
    """Put temporary files in memory, where there is much of it and TMPDIR names no other place.

    A thousand queue managers wait for a disk otherwise.
    """
    if "TMPDIR" in os.environ or not os.access(RAM_DISK, os.W_OK):
        return
    if shutil.disk_usage(RAM_DISK).free >= LEAST_FREE:
        os.environ["TMPDIR"] = tempfile.tempdir = str(RAM_DISK)
