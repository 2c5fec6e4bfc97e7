"""`mqtriage top`: options, help and examples; the numbers come from commands."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.lazy import see_help, unknown_command
from mqtriage.cli.frame.live import Collect, KeyAction, Tab, live
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.commands import top as top_numbers
from mqtriage.commands.delay.messages import browse as browse_staged
from mqtriage.commands.delay.status import status as staging_status
from mqtriage.commands.dlq.messages import browse as browse_dead
from mqtriage.commands.msg.messages import ListingView, browse
from mqtriage.definitions.backout_policy import ls as backout_settings
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.where import parse_where
from mqtriage.model.options import argument, duration, number
from mqtriage.model.result import Listing, Show, columns_of
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import UsageError
from mqtriage.operations.rules.origin import dead_letter_queue

MOST_MESSAGES: Final = 200
MOST_DEAD_LETTERS: Final = 1_000
_WITH_PATTERN: Final = ("queues", "backout")
_FIRST: Final = Selection(limit=MOST_MESSAGES)
_VIEW: Final = ListingView(detail=False)


@takes(ConnectionOptions, Output)
def top(
    app: AppContext,
    screen: str | None = argument(
        "SCREEN", help="queues (default), delay, backout or dlq.", default=None, completes="screen"
    ),
    pattern: str | None = argument(
        "PATTERN",
        help="Generic name, for the screens queues and backout. Default: all but SYSTEM.*.",
        default=None,
        completes="queue",
    ),
    interval: int = duration(help="Time between samples.", default="2s"),
    count: int | None = number(help="Stop after N samples.", minimum=1),
) -> None:
    """Show queues and delayed, poison and dead messages live.

    The queue with the most messages comes first. Above the queues are totals of messages that are
    staged, overdue, poison, expired but still counted, expiring within an hour, and due within a
    minute and an hour. OLDEST is the age of the oldest message. For the staging queue, it is the
    lateness of the message that is most overdue.

    On a terminal, press ? to see the keys. Tab switches to the next screen, Enter browses a queue,
    and an action first shows its command line. Without a terminal, it writes one sample, or --count
    samples. The delay screen shows the messages on the staging queue, and which are late. The
    backout screen shows poison messages that have not been moved, and where they would go. The dlq
    screen shows dead-lettered messages by reason, destination and program. Only the dlq screen
    browses. It reads the first 1000 messages on the dead-letter queue, and reads them again
    whenever the depth changes. A browse can discard expired messages.

    Examples:
        mqtriage top
        mqtriage top delay
        mqtriage top backout 'ORDERS.*' --interval 5s
        mqtriage top queues --count 2 --interval 10s -o ndjson
    """
    at, pattern = _screen(screen, pattern)

    def tabs() -> list[Tab]:
        delay = Tab("delay", staging_status, inside=lambda _: _staged())
        return [_queues(pattern), delay, _backout(pattern), _dead_letters()]

    live(app, tabs, at=at, interval_s=interval / 1000, count=count)


def _screen(word: str | None, pattern: str | None) -> tuple[int, str | None]:
    """The number of the screen that *word* names, and the pattern; a generic name is one alone.

    Raises:
        UsageError: There is no such screen, or it takes no pattern.
    """
    if word is None:
        return 0, None
    if word in top_numbers.SCREENS:
        if pattern is not None and word not in _WITH_PATTERN:
            text = f"mqtriage top {word}: no pattern is expected: {pattern!r}"
            raise UsageError(text, hint=see_help("mqtriage top"))
        return list(top_numbers.SCREENS).index(word), pattern
    if "*" in word and pattern is None:
        return 0, word
    # a name alone may be a screen that was mistyped, a generic name cannot
    unknown = unknown_command(word, "screen", "mqtriage top", top_numbers.SCREENS)
    unknown.hint = f"mqtriage top queues {shell_word(word)}, or {unknown.hint}"
    raise unknown


def _queues(pattern: str | None) -> Tab:
    before: top_numbers.QueuesSample | None = None

    def collect(backend: Backend) -> Listing:
        nonlocal before
        listing, before = top_numbers.queues(backend, pattern, before, time.monotonic())
        return listing

    return Tab(
        "queues",
        collect,
        trend_of="curdepth",
        sort="curdepth",
        inside=lambda row: _messages(str(row["queue"])),
        actions={
            "m": KeyAction("move", "msg move {queue} --to "),
            "x": KeyAction("purge", "msg purge {queue}"),
        },
    )


def _browsed(name: str, collect: Collect, **actions: KeyAction) -> Tab:
    """The first messages of something, and what each key does with one."""
    note = f"the first {MOST_MESSAGES}, browsed once; u again"
    return Tab(name, collect, actions=actions, once=True, note=note)


def _messages(queue: str) -> Tab:
    """The messages of one queue."""
    if queue == STAGING_QUEUE:
        return _staged()
    return _browsed(
        queue,
        lambda backend: browse(backend, queue, _FIRST, _VIEW),
        m=KeyAction("move", "msg move {queue} --msgid {msg_id} --to "),
        x=KeyAction("purge", "msg purge {queue} --msgid {msg_id}"),
        v=KeyAction("show", "msg show {queue} {msg_id}"),
    )


def _staged() -> Tab:
    """The messages on the staging queue."""
    return _browsed(
        "staged messages",
        lambda backend: browse_staged(backend, _FIRST, view=_VIEW),
        c=KeyAction("cancel", "delay cancel --msgid {msg_id}"),
        R=KeyAction("release", "delay release --msgid {msg_id}"),
        v=KeyAction("show", "msg show SYSTEM.DDELAY.LOCAL.QUEUE {msg_id}"),
    )


def _backout(pattern: str | None) -> Tab:
    return Tab(
        "backout",
        lambda backend: backout_settings(backend, pattern),
        inside=lambda row: _messages(str(row.get("boqname") or row["queue"])),
        actions={
            "R": KeyAction("requeue", "backout requeue {boqname} "),
            "x": KeyAction("purge", "backout purge {boqname} "),
            "w": KeyAction("why", "backout causes {boqname} "),
        },
    )


def _dead_letters() -> Tab:
    from mqtriage.commands.dlq.causes import DeadLetterCause, causes

    shown = ("reason_name", "dest_q", "dlq_put_appl_name", "message_count", "first_put_time")
    seen: tuple[Any, ...] = ()
    listing: Listing | None = None

    def collect(backend: Backend) -> Listing:
        nonlocal seen, listing
        status = backend.status(dead_letter_queue(backend))
        now = (status.curdepth, status.oldest_put_time_us)
        if listing is None or now != seen:
            listing = causes(backend, None, Selection(limit=MOST_DEAD_LETTERS))
            listing.items = list(listing.items)
            if status.curdepth > MOST_DEAD_LETTERS:
                listing.warnings.append(
                    f"the first {MOST_DEAD_LETTERS} of {count_text(status.curdepth)}"
                )
            seen = now
        return listing

    def for_people(backend: Backend) -> Listing:
        groups = collect(backend)
        by_key = {field.key: field for field in columns_of(DeadLetterCause)}
        # a name is never broken: each group has one line
        names = ("reason_name", "dlq_put_appl_name")
        first = tuple(
            by_key[key]._replace(show=Show.NAME) if key in names else by_key[key] for key in shown
        )
        rest = tuple(f._replace(wide=True) for f in by_key.values() if f.key not in shown)
        groups.fields = (*first, *rest)
        return groups

    return Tab(
        "dlq",
        for_people,
        sort="message_count",
        inside=lambda row: _dead_letters_where(str(row["where"])),
        actions={
            "R": KeyAction("requeue", "dlq requeue --where {where}"),
            "x": KeyAction("purge", "dlq purge --where {where}"),
        },
        note="browsed when its depth changes",
    )


def _dead_letters_where(where: str) -> Tab:
    """The dead letters of one group."""
    selection = replace(_FIRST, tree=parse_where(where))
    return _browsed(
        "dead letters",
        lambda backend: browse_dead(backend, None, selection, _VIEW),
        R=KeyAction("requeue", "dlq requeue --msgid {msg_id}"),
        x=KeyAction("purge", "dlq purge --msgid {msg_id}"),
    )
