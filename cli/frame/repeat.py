"""What has no end of its own: watching, and operations done again and again (`--every`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.model.output_forms import ENDLESS, FOR_SCRIPTS, YAML
from mqtriage.model.result import Field, Record
from mqtriage.mq.errors import ConnectionFailed, UsageError

_RETRY_S: Final = 2.0
_NAP_S: Final = 0.5


def refuse_form(app: AppContext, *others: str) -> None:
    """Refuse a form of output that needs an end; *others* can do without one here.

    Raises:
        UsageError: It does.
    """
    if app.output.form not in ENDLESS | {*others}:
        raise UsageError(
            f"-o {app.output.form}: what has no end is written as plain, ndjson or yaml"
        )


def keep_connected(app: AppContext, work: Callable[[Backend], None], **how: bool) -> None:
    """Do *work* over a connection, and again over a new one while connections are lost.

    Args:
        how: arguments of `AppContext.open_backend`.

    Raises:
        ConnectionFailed: There never was one.
    """
    connected = False
    while True:
        try:
            with app.target.open_backend(**how) as backend:
                if connected:
                    app.run.say("connected again")
                connected = True
                work(backend)
                return
        except ConnectionFailed as error:
            if not connected:
                raise
            resume = f"; mqtriage journal resume {error.op}" if error.op else ""
            app.run.tell(f"connection lost: {error.text}; trying again{resume}")
            time.sleep(_RETRY_S)


class Repetition:
    """How often something is done, and for how long; None is for ever."""

    def __init__(self, every_ms: int, duration_ms: int | None) -> None:
        self._every_s = every_ms / 1000
        self._ends_s: float | None = None
        if duration_ms is not None:
            self._ends_s = time.monotonic() + duration_ms / 1000

    def wait(self) -> bool:
        """Wait until it is time again; False at once where that would be too late."""
        if self._ends_s is not None and time.monotonic() + self._every_s > self._ends_s:
            return False
        until_s = time.monotonic() + self._every_s
        while (rest_s := until_s - time.monotonic()) > 0:
            time.sleep(min(rest_s, _NAP_S))  # a signal just before it is heard after it
        return True


def record_writer(app: AppContext, fields: Sequence[Field]) -> Callable[[Record], None]:
    """How one record is written: a line for people, or an object for scripts.

    That is a line of JSON or a document of YAML; of `--columns` these keys alone.
    """
    from mqtriage.formatters.forms.values import value_of
    from mqtriage.formatters.forms.yaml_document import START
    from mqtriage.formatters.json_text import compact
    from mqtriage.formatters.watch_line import fitting, line
    from mqtriage.formatters.yaml_text import mapping

    shown = fitting(fields, app.output.width) if app.run.terminals.stdout else fields
    keys = app.output.options.column_keys

    def text_of(record: Record) -> str:
        if app.output.form not in FOR_SCRIPTS:
            return line(record, shown, utc=app.output.options.utc is not False)
        content = {key: value_of(record, key) for key in keys} if keys else record
        if app.output.form == YAML:
            return (START + "".join(mapping(content))).rstrip("\n")
        return compact(content)

    def write(record: Record) -> None:
        app.output.stdout.write(text_of(record) + "\n")
        app.output.stdout.flush()  # somebody waits for it

    return write
