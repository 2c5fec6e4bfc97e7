"""`mqtriage top`: options, help and examples; the numbers come from commands."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import islice

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.lazy import unknown_command
from mqtriage.cli.frame.options import Connections, Output
from mqtriage.cli.frame.params import see_help
from mqtriage.cli.frame.signals import Stopped
from mqtriage.cli.frame.verb import takes
from mqtriage.cli.live.screens import TopScreen, screens_of
from mqtriage.commands import top as top_numbers
from mqtriage.model.installing import install_command
from mqtriage.model.options import argument, duration, number
from mqtriage.model.output_forms import TABLE
from mqtriage.model.result import Listing
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import UsageError

_WITH_PATTERN = ("queues", "backout")


@takes(Connections, Output)
def top(
    app: AppContext,
    screen: str | None = argument(
        "SCREEN", help="queues (default), delay, backout or dlq.", default=None, completes="screen"
    ),
    pattern: str | None = argument(
        "PATTERN",
        help="Generic name, for the queues and backout screens. Default: all except SYSTEM.*, plus "
        "the staging queue and the dead-letter queue.",
        default=None,
        completes="queue",
    ),
    interval: int = duration(help="Time between samples.", default="2s"),
    count: int | None = number(help="Stop after N samples.", minimum=1),
) -> None:
    """Watch queues and problem messages on a live screen.

    The queue with the most messages comes first. Above the queues are totals of messages that are
    staged, overdue, poison, on backout queues, expired but still counted, expiring within an hour,
    and due within a minute and an hour. OLDEST is the age of the oldest message. For the staging
    queue, it is the lateness of the message that is most overdue.

    On a terminal, press ? to see the keys; the mouse works too. Tab switches to the next screen,
    and Enter browses a queue. d shows details beside the list, and Space marks a row. An action
    first shows its commands, which then run with the usual plan and confirmation. The delay screen
    shows the messages on the staging queue by target, with due times; c cancels, R releases and t
    reschedules those of a target or single ones, by an hour unless you edit the command. The
    backout screen shows the backout settings of queues. PENDING counts the poison messages that
    have not been moved. The dlq screen shows dead-lettered messages by reason, destination and
    program. The delay and dlq screens browse the first 1000 messages of their queue, and again
    whenever these change; details browse too. A browse can discard expired messages.

    The screen needs Textual (the tui extra). Without it, or without a terminal, samples are written
    one after the other.

    Examples:
        mqtriage top
        mqtriage top delay
        mqtriage top -m QM1,QM2
        mqtriage top backout 'ORDERS.*' --interval 5s
        mqtriage top queues --count 2 --interval 10s -o ndjson
    """
    at, pattern = _screen(screen, pattern)
    if interval < 100:
        raise UsageError("--interval: at least 100ms")
    is_unicode = (app.output.stdout.encoding or "utf-8").lower().startswith("utf")

    def make_screens() -> list[TopScreen]:
        return screens_of(pattern, is_unicode=is_unicode)

    is_screen = (
        all(app.run.terminals)
        and app.output.form == TABLE
        and app.run.environ.get("TERM") != "dumb"
    )
    if is_screen and find_spec("textual") is not None:
        from mqtriage.cli.live.app import TopApp

        live = TopApp(app, make_screens, at, interval / 1000, count)
        live.connect(app.target.connections)
        try:
            code = live.run()
        finally:
            live.disconnect()
        if live.failure is not None:
            raise live.failure
        if code:
            raise Stopped(code - 128)
        app.run.note_partly([one for one in live.asked if one.problem])
        return
    if is_screen:
        app.run.remark(f"the screen needs Textual ({install_command('tui')}); samples follow")
    _samples(app, make_screens, at, interval / 1000, count or (None if is_screen else 1))


def _samples(
    app: AppContext,
    make_screens: Callable[[], list[TopScreen]],
    at: int,
    interval_s: float,
    count: int | None,
) -> None:
    """Write samples one after the other; None is without an end."""
    screens: dict[str, TopScreen] = {}

    def sampled(backend: Backend) -> Listing:
        screen = screens.get(backend.queue_manager)
        if screen is None:
            screen = screens[backend.queue_manager] = make_screens()[at]
        return screen.collect(backend)

    def emit(listing: Listing) -> None:
        app.output.emit(listing, again=True)

    numbers = islice(itertools.count(), count)
    if len(app.target.connections) > 1:
        for number in numbers:
            time.sleep(interval_s if number else 0)
            with app.reading(sampled) as listing:
                emit(listing)
        return
    with app.target.open_backend(read_only=True) as backend:
        for number in numbers:
            if number:
                time.sleep(interval_s)
                app.target.now_us = backend.now_us()
            emit(sampled(backend))


def _screen(word: str | None, pattern: str | None) -> tuple[int, str | None]:
    """The number of the screen that *word* names, and the pattern; a generic name is one alone."""
    if word is None:
        return 0, None
    if word in top_numbers.SCREENS:
        if pattern is not None and word not in _WITH_PATTERN:
            text = f"mqtriage top {shell_word(word)}: no pattern is expected: {pattern!r}"
            raise UsageError(text, hint=see_help("mqtriage top"))
        return list(top_numbers.SCREENS).index(word), pattern
    if "*" in word and pattern is None:
        return 0, word
    # a name alone may be a screen that was mistyped, a generic name cannot
    unknown = unknown_command(word, "screen", "mqtriage top", top_numbers.SCREENS)
    unknown.hint = f"mqtriage top queues {shell_word(word)}, or {unknown.hint}"
    raise unknown
