"""An act that is done again and again (`--every`), over connections that may be lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.model.output_forms import IDS, NDJSON, PLAIN, TABLE
from mqtriage.model.units import parse_duration_ms
from mqtriage.mq.errors import ConnectionFailed, UsageError

_RETRY_S: Final = 2.0
_FORMS: Final = frozenset({TABLE, PLAIN, NDJSON, IDS})


def refuse_form(app: AppContext) -> None:
    """Refuse a form of output that needs an end, for what is told round by round.

    Raises:
        UsageError: It does.
    """
    if app.form not in _FORMS:
        raise UsageError(f"-o {app.form}: what has no end is told as plain or ndjson")


def rounds(
    app: AppContext, once: Callable[[Backend], None], every: str, duration: str | None
) -> None:
    """Do *once* each *every*, until *duration* is over or a signal comes.

    A connection that is lost is told, and tried again; one that never was is an error.

    Raises:
        UsageError: A time cannot be read, or the form of output needs an end.
    """
    every_s = parse_duration_ms(every, what="--every", least_ms=10) / 1000
    ends = None
    if duration is not None:
        ends = time.monotonic() + parse_duration_ms(duration, what="--for") / 1000
    refuse_form(app)
    connected = False
    while True:
        try:
            with app.open_backend() as backend:
                if connected:
                    app.say("connected again")
                connected = True
                while True:
                    once(backend)
                    if app.should_stop() or (
                        ends is not None and time.monotonic() + every_s > ends
                    ):
                        return
                    time.sleep(every_s)
        except ConnectionFailed as error:
            if not connected:
                raise
            left = f"; mqtriage journal resume {error.op}" if error.op else ""
            app.tell(f"connection lost: {error.text}; trying again{left}")
            time.sleep(_RETRY_S)
