"""What a command line does to the files of its home, call by call: `record.c` under a process."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple

from tests.support import cached_cc

_HEAD: Final = struct.Struct("<BQqII")


class Call(IntEnum):
    """As `record.c` numbers them."""

    CREATE = 1
    MKDIR = 2
    WRITE = 3
    TRUNCATE = 4
    RENAME = 5
    LINK = 6
    UNLINK = 7
    SYNC = 8


class Step(NamedTuple):
    """One call that succeeded.

    Attributes:
        inode: of the file or folder, where the call has one.
        at: offset of what was written, or the size that a file was cut to.
        path: of what it is about; the old one of a rename.
        data: what was written.
        to: the new name of a rename or link.
    """

    call: Call
    inode: int
    at: int
    path: Path
    data: bytes
    to: Path


class Ran(NamedTuple):
    """How a command line ended: *code* is negative for a signal."""

    code: int
    out: str
    err: str


def library(folder: Path) -> Path:
    """`record.c`, compiled."""
    path = folder / "record.so"
    source = Path(__file__).with_name("record.c")
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    argv = [shutil.which("cc") or "cc", *flags, "-o", str(path), str(source), "-lpthread"]
    assert cached_cc.main(argv) == 0
    return path


def run(
    preload: Path, home: Path, argv: Sequence[str], trace: Path | None = None, **more: int
) -> Ran:
    """Run ``mqtriage ARGV`` with the library.

    Args:
        trace: file that the calls are written to.
        more: other variables: MQT_KILL_AT, MQT_FAIL_AT, MQT_ERRNO.
    """
    environ = {
        **os.environ,
        "MQTRIAGE_HOME": str(home),
        "LD_PRELOAD": str(preload),
        "MQT_FOLDER": str(home),
        **({"MQT_TRACE": str(trace)} if trace else {}),
        **{name: str(value) for name, value in more.items()},
    }
    command = [sys.executable, "-m", "mqtriage", *argv]
    ran = subprocess.run(
        command, env=environ, capture_output=True, text=True, check=False, timeout=120
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def read_trace(trace: Path) -> Iterator[Step]:
    """The calls, in order."""
    content = trace.read_bytes()
    start = 0
    while start < len(content):
        call, inode, at, path_bytes, data_bytes = _HEAD.unpack_from(content, start)
        start += _HEAD.size
        path, data = content[start : start + path_bytes], content[start + path_bytes :][:data_bytes]
        start += path_bytes + data_bytes
        named = call in (Call.RENAME, Call.LINK)
        yield Step(
            Call(call), inode, at, Path(os.fsdecode(path)), b"" if named else data,
            Path(os.fsdecode(data)) if named else Path(),
        )  # fmt: skip
