"""What a command line does to the files of its home, call by call: `record.c` under a process."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from signal import SIGKILL
from subprocess import PIPE
from typing import Final, NamedTuple

from tests.acceptance.messages.estate import Ran
from tests.support import cached_cc

ROOT: Final = Path(__file__).parents[2]
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


def library(folder: Path) -> Path:
    """`record.c`, compiled."""
    path = folder / "record.so"
    source = Path(__file__).with_name("record.c")
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    argv = [shutil.which("cc") or "cc", *flags, "-o", str(path), str(source), "-lpthread"]
    assert cached_cc.main(argv) == 0
    return path


class Forks:
    """Runs command lines with the library, each in a process of its own."""

    def __init__(self, preload: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.power_loss.forks"], stdin=PIPE, stdout=PIPE, cwd=ROOT,
            env={**os.environ, "LD_PRELOAD": str(preload)},
        )  # fmt: skip
        self._streams = [preload.with_name(f"{name}.{id(self)}") for name in ("out", "err")]

    def run(
        self, home: Path, argv: Sequence[str], trace: Path | None = None, *, at: int = 0,
        signal: int = SIGKILL, failing: int = 0, error: int = 0,
    ) -> Ran:  # fmt: skip
        """Run ``mqtriage ARGV`` in the folder of *home*.

        Args:
            trace: file that the calls are written to.
            at: number of the call before which the process gets *signal*; 0 for none.
            failing: number of the call that fails with *error*; 0 for none.
        """
        return self._asked(
            home, argv, [str(home), str(trace or ""), at, int(signal), failing, error]
        )

    def warm(self, home: Path, argv: Sequence[str]) -> None:
        """Run it unwatched and unforked, so that what it imports is there for all that follow."""
        self._asked(home, argv, [])

    def _asked(self, home: Path, argv: Sequence[str], begin: list[object]) -> Ran:
        out, err = self._streams
        request = {
            "forked": bool(begin), "argv": list(argv), "environ": environ(home), "begin": begin,
            "folder": str(home), "out": str(out), "err": str(err),
        }  # fmt: skip
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return Ran(code, *(path.read_text("utf-8") if begin else "" for path in (out, err)))

    def close(self) -> None:
        self._process.communicate()


def environ(home: Path) -> dict[str, str]:
    """Of a command line whose files are all in that folder."""
    return {"MQTRIAGE_HOME": str(home), "MQTRIAGE_CONFIG": str(home / "config" / "config.toml")}


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
