"""Command lines under `record.c`, each in a process of its own that is forked off this one.

    LD_PRELOAD=record.so python -m tests.power_loss.forks

A line of standard input is a request, one of standard output its answer, as `recording.py` writes
and reads them. What is asked for without a fork has its imports and caches ready from then on, so
that a thousand forks begin at once.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any, BinaryIO, NoReturn

from mqtriage.cli.frame.main import main
from tests.support.application import app_for_test

HANGS_S = 60
"""A command line that takes as long hangs."""


def serve(requests: BinaryIO, answers: BinaryIO, begin: Any) -> None:
    """Run what is asked for, one after the other."""
    for line in requests:
        request = json.loads(line)
        if request["forked"]:
            child = os.fork()
            if child == 0:
                _run(request, begin)
            code = os.waitstatus_to_exitcode(_waited(child))
        else:
            code = main(request["argv"], app_for_test(environ=request["environ"]))
            assert threading.active_count() == 1
            gc.freeze()
        answers.write(b"%d\n" % code)
        answers.flush()


def _waited(child: int) -> int:
    def end(_number: int, _frame: FrameType | None) -> None:
        os.kill(child, signal.SIGABRT)

    signal.signal(signal.SIGALRM, end)
    signal.alarm(HANGS_S)
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    return status


def _run(request: dict[str, Any], begin: Any) -> NoReturn:
    for descriptor, path in enumerate((os.devnull, request["out"], request["err"])):
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC if descriptor else os.O_RDONLY
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(request["folder"])
    os.environ |= request["environ"]
    begin(*(os.fsencode(arg) if isinstance(arg, str) else arg for arg in request["begin"]))
    sys.exit(main(request["argv"]))


def _begin() -> Any:
    begin = ctypes.CDLL(os.environ.pop("LD_PRELOAD")).mqt_begin
    begin.restype = None
    begin.argtypes = (
        ctypes.c_char_p, ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_long, ctypes.c_int,
    )  # fmt: skip
    return begin


if __name__ == "__main__":
    with open(os.dup(0), "rb") as asked, open(os.dup(1), "wb") as replies:
        serve(asked, replies, _begin())
