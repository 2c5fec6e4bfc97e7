"""`mqtriage lsp`: options, help and examples; the work is in commands/lsp/server.py."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.signals import handling
from mqtriage.cli.frame.verb import takes
from mqtriage.model.installing import install_command
from mqtriage.mq.errors import StorageError, UsageError


@takes()
def lsp(app: AppContext) -> None:
    """Provide editors with MQSC findings, fixes and completion.

    This is a language server that your editor starts, on standard input and output (see
    docs/editors.md). It shows `lint` findings, with the settings in or above the file's folder, and
    offers fixes. It also explains attributes and rules, completes MQSC, and formats it like `mqsc
    fmt`. It never connects to a queue manager and never writes files. It needs the lsp extra: run
    pip install '.[lsp]' in your mqtriage checkout.

    Examples:
        mqtriage lsp
    """
    try:
        from mqtriage.commands.lsp.server import serve
    except ImportError as error:
        raise UsageError(
            f"mqtriage lsp needs pygls ({error})", hint=install_command("lsp")
        ) from error
    if app.run.terminals.stdin:
        app.run.say("Waiting for an editor on standard input; Ctrl-C ends the server.")
    try:
        # copies: the server closes what it has, and the program flushes its own at its end
        stdin = os.fdopen(os.dup(app.run.stdin.fileno()), "rb")
        stdout = os.fdopen(os.dup(app.output.stdout.fileno()), "wb")
    except OSError as error:
        raise StorageError(f"no standard input or output: {error}") from error
    with handling(_end, signal.SIGINT, signal.SIGTERM), _signals_heard():
        serve(stdin, stdout)


def _end(signum: int, _: object) -> None:
    """End at once: a thread that reads from the editor cannot be asked, and nothing is half done.

    An exception would wait for that thread.
    """
    os._exit(128 + signum)


@contextmanager
def _signals_heard() -> Iterator[None]:
    """Have a thread hear of signals, too.

    Python runs a handler once its main thread goes on: of one that comes just before that thread
    waits for the editor, nothing would be heard until the editor says something.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    except ValueError:  # Python takes signals in the main thread only
        before = None
    threading.Thread(target=_hear, args=(reading,), daemon=True).start()
    try:
        yield
    finally:
        if before is not None:
            signal.set_wakeup_fd(before)
        os.close(writing)


def _hear(pipe: int) -> None:
    ends = {signal.SIGINT: signal.SIGINT, signal.SIGTERM: signal.SIGTERM}
    ends[signal.SIGHUP] = signal.SIGTERM
    while number := os.read(pipe, 1):
        if number[0] in ends:
            _end(ends[signal.Signals(number[0])], None)
    os.close(pipe)
