"""Who `mqtriage top` asks: each queue manager on a thread and a connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, connection_words
from mqtriage.cli.frame.recording import journal_of
from mqtriage.cli.live.screens import TopScreen
from mqtriage.model.result import Listing
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import ConnectionFailed, MQTriageError
from mqtriage.mq.times import rfc3339
from mqtriage.operations.ledger.entries import ls as list_entries
from mqtriage.operations.ledger.journal import ChosenOperations

T = TypeVar("T")

RETRIES_S = (1.0, 2.0, 5.0, 10.0)
_LAST_OPERATIONS = 5
_OPERATIONS_READ = 500


class WatchedManager:
    """One queue manager that is looked at.

    Attributes:
        screens: those of `screens_of`, which keep what they saw before.
        problem: why its numbers are old, "" while they are not.
        failures: samples that failed, one after the other.
        at: time of its last sample, "" before the first.
        samples: how many were tried.
    """

    def __init__(
        self, app: AppContext, connection: ConnectionOptions, screens: Sequence[TopScreen]
    ) -> None:
        self.app = app.another()
        self.app.bind(connection, app.output.options)
        self.screens = screens
        self.problem = self.at = ""
        self.failures = self.samples = 0
        self._pool = ThreadPoolExecutor(1)  # SQLite and MQ's client want one thread each
        self._stack = ExitStack()
        self._backend: Backend | None = None
        target = self.app.target
        kind = target.settings.text("backend")  # a password is asked for before the screen
        if kind == "mq":
            target.client_settings()
        elif kind == "rest":
            target.rest_settings()
        silent = replace(app.output.options, no_input=True, quiet=True, verbose=False)
        self.app.output.options = silent  # nothing is written over the screen

    @property
    def name(self) -> str:
        """Its name, also before it was reached."""
        target = self.app.target
        return target.queue_manager or target.name_of(target.connection)

    @property
    def context(self) -> str:
        """The contexts that it is in, "" for none and before it was reached."""
        style = self.app.output.style()
        return (style.queue_manager and style.context) or ""

    @property
    def words(self) -> str:
        """The connection options, as they stand in a command line."""
        return " ".join(map(shell_word, connection_words(self.app.target.connection)))

    def sample(self, screen: TopScreen) -> Future[Listing]:
        """What a screen lists now; a failure is also kept in `problem`.

        Raises:
            MQTriageError: From the future; the next call reconnects.
        """
        return self._pool.submit(self._sample, screen)

    def ask(self, work: Callable[[Backend], T]) -> Future[T]:
        """What *work* makes of it."""
        return self._pool.submit(self._ask, work)

    def operations_on(self, queue: str) -> Listing:
        """The last operations from or to a queue."""
        chosen = ChosenOperations(self.app.target.queue_manager, None, _OPERATIONS_READ)
        listing = list_entries(journal_of(self.app), chosen)
        concerned = (row for row in listing.items if queue in (row["queue"], row["target"]))
        listing.items = list(islice(concerned, _LAST_OPERATIONS))
        return listing

    def disconnect(self) -> None:
        """End the connection; the next question makes a new one."""
        self._pool.submit(self._disconnect).result()

    def close(self) -> None:
        """End the connection and the thread, without waiting for an answer that is on its way."""
        self._pool.submit(self._disconnect)
        self._pool.shutdown(wait=not self.problem)

    def _sample(self, screen: TopScreen) -> Listing:
        self.samples += 1
        try:
            listing = self._ask(screen.collect)
            listing.items = list(listing.items)
        except MQTriageError as error:
            self._disconnect()
            self.failures += 1
            since = f" since {self.at}" if self.at else ""
            state = "connection lost" if isinstance(error, ConnectionFailed) else "not updated"
            self.problem = f"{state}{since}: {error.text}; trying again"
            raise
        assert self._backend is not None
        self.problem, self.failures = "", 0
        self.at = rfc3339(self._backend.now_us())[:19] + "Z"
        return listing

    def _ask(self, work: Callable[[Backend], T]) -> T:
        if self._backend is None:
            opened = self.app.target.open_backend(read_only=True)
            self._backend = self._stack.enter_context(opened)
        return work(self._backend)

    def _disconnect(self) -> None:
        self._backend = None
        try:
            self._stack.close()
        except MQTriageError:
            return  # what is lost cannot be ended properly


def first_samples(
    every: Sequence[WatchedManager], number: int
) -> Iterator[tuple[WatchedManager, Listing | MQTriageError]]:
    """What the screen *number* of each lists, asked side by side."""
    futures = [one.sample(one.screens[number]) for one in every]
    for one, future in zip(every, futures, strict=True):
        try:
            yield one, future.result()
        except MQTriageError as error:
            yield one, error
