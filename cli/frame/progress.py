"""What a long run is doing, on standard error: a changing line on a terminal, few elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from mqtriage.cli.frame.context import AppContext

_EVERY_SECONDS: Final = 10.0
"""Between two lines where standard error is no terminal."""


@contextmanager
def telling(app: AppContext) -> Iterator[Callable[[str], None]]:
    """Give a function that shows what is being done; the line is gone when left."""
    if app.output.quiet:
        yield lambda text: None
        return
    if not app.terminals.stderr:
        last = [-_EVERY_SECONDS]

        def tell_line(text: str) -> None:
            now = time.monotonic()
            if now - last[0] >= _EVERY_SECONDS:
                last[0] = now
                app.say(text)

        yield tell_line
        return

    def tell_over(text: str) -> None:
        app.stderr.write(f"\r\x1b[2K{text[: app.width - 1]}")
        app.stderr.flush()

    try:
        yield tell_over
    finally:
        app.stderr.write("\r\x1b[2K")
        app.stderr.flush()
