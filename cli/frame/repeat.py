"""What has no end of its own: watching, and `backout move --interval`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from threading import Event, Lock
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.model.output_forms import ENDLESS, FOR_SCRIPTS, YAML
from mqtriage.model.result import Field, Record
from mqtriage.mq.errors import ConnectionFailed, MQTriageError, UsageError

_RETRY_S: Final = 2.0
_NAP_S: Final = 0.5


def refuse_form(app: AppContext, *others: str) -> None:
    """Refuse a form of output that needs an end; *others* can do without one here.

    Raises:
        UsageError: It does, or `--sort` was given, which needs one too.
    """
    if app.output.options.sort:
        raise UsageError(
            "--sort: continuous output is written as it comes, so it cannot be sorted",
            hint="omit --sort",
        )
    if app.output.form not in ENDLESS | {*others}:
        raise UsageError(
            f"-o {app.output.form}: continuous output is written as plain, ndjson or yaml"
        )


Arrivals = Callable[[Backend, Callable[[], bool]], Iterator[Record]]
"""The records that come, until the function that waits a little says no."""


def keep_connected(
    app: AppContext, work: Callable[[Backend], None], where: str = "", **how: Any
) -> None:
    """Do *work* over a connection, and again over a new one while connections are lost.

    Args:
        where: ``QM1: `` before what is said, "" where there is one queue manager.
        how: arguments of `AppContext.open_backend`.

    Raises:
        ConnectionFailed: There never was one.
    """
    connected = False
    while True:
        try:
            with app.target.open_backend(**how) as backend:
                if connected:
                    app.run.say(f"{where}connected again")
                connected = True
                work(backend)
                return
        except ConnectionFailed as error:
            if not connected:
                raise
            resume = f"; mqtriage journal resume {error.op}" if error.op else ""
            text = f"{where}connection lost: {error.text}; trying again{resume}"
            app.run.tell_error(error, ExitCode.NO_CONNECTION, where, text)
            time.sleep(_RETRY_S)


def write_arrivals(
    app: AppContext,
    arrivals: Callable[[AppContext], Arrivals],
    fields: Sequence[Field],
    pace: Repetition,
    limit: int | None,
    **how: Any,
) -> None:
    """Write the records of one queue manager as they come, or of several side by side.

    Args:
        arrivals: makes what yields those of one, kept over a lost connection.
        limit: end after that many of all of them.
        how: arguments of `AppContext.open_backend`.

    Raises:
        MQTriageError: No queue manager could be reached.
    """
    from mqtriage.cli.frame.several import QUEUE_MANAGER, answers_of_each

    several = len(app.target.connections) > 1
    write = record_writer(app, (QUEUE_MANAGER, *fields) if several else fields)
    count, ended, turn = 0, Event(), Lock()

    def more() -> bool:
        return not ended.is_set() and pace.wait()

    def follow(one: AppContext) -> MQTriageError | None:
        records_of = arrivals(one)
        name = app.target.name_of(one.target.connection)
        where = f"{name}: " if several else ""

        def work(backend: Backend) -> None:
            nonlocal count
            for record in records_of(backend, more):
                with turn:
                    if ended.is_set():
                        return
                    write({QUEUE_MANAGER.key: name, **record} if several else record)
                    count += 1
                    if count == limit:
                        ended.set()
                        return

        try:
            keep_connected(one, work, where, read_only=True, **how)
        except MQTriageError as error:
            if not several or isinstance(error, UsageError):
                raise
            app.run.fail_partly(name, error)
            return error
        return None

    if not several:
        follow(app)
        return
    failures = list(answers_of_each(app, follow, at_once=len(app.target.connections)))
    errors = [error for error in failures if error is not None]
    if len(errors) == len(failures):
        raise errors[-1]
    app.run.note_partly(errors)


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

    Args:
        fields: every one that `--columns` can name; without it, people see those not `wide`.

    Raises:
        UsageError: A column is not among them.
    """
    from mqtriage.formatters.forms.rows import chosen_fields
    from mqtriage.formatters.forms.values import value_of
    from mqtriage.formatters.forms.yaml_document import START
    from mqtriage.formatters.json_text import compact
    from mqtriage.formatters.watch_line import fitting, line
    from mqtriage.formatters.yaml_text import mapping

    options = app.output.options
    keys, for_people = options.column_keys, app.output.form not in FOR_SCRIPTS
    shown = chosen_fields(fields, keys, wide=bool(options.wide))
    if for_people and app.run.terminals.stdout and not (keys or options.wide):
        shown = fitting(shown, app.output.width)
    elif not for_people:
        app.output.name_keys(fields)

    def text_of(record: Record) -> str:
        if keys:
            record = {field.key: value_of(record, field.key) for field in shown}
        if for_people:
            return line(record, shown, utc=options.utc is not False)
        if app.output.form == YAML:
            return (START + "".join(mapping(record))).rstrip("\n")
        return compact(record)

    def write(record: Record) -> None:
        app.output.stdout.write(text_of(record) + "\n")
        app.output.stdout.flush()  # somebody waits for it

    return write
