"""The screens of `mqtriage top`: what each lists, what is behind a row, and what a key does there.

Only dlq, delay, a list of messages and the details browse.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.commands import top as top_numbers
from mqtriage.commands.delay.messages import browse as browse_staged
from mqtriage.commands.delay.messages import group_by_target, show_staged
from mqtriage.commands.delay.status import status as staging_status
from mqtriage.commands.dlq.messages import browse as browse_dead
from mqtriage.commands.msg.messages import ListingView, browse, show
from mqtriage.commands.queue.handles import who
from mqtriage.commands.queue.queues import show as show_queue
from mqtriage.definitions.backout_policy import AMBIGUOUS
from mqtriage.definitions.backout_policy import ls as backout_settings
from mqtriage.formatters.charts.heat import sparkline
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.where import parse_where
from mqtriage.model.result import Document, Listing, Record, Result, Show, columns_of
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.operations.rules.origin import dead_letter_queue
from mqtriage.records import NamedTuple

MOST_MESSAGES: Final = 200
MOST_READ: Final = 1_000
"""Messages of the dead-letter queue or the staging queue that are read to be counted."""
_FIRST: Final = Selection(limit=MOST_MESSAGES)
_FIRST_FEW: Final = Selection(limit=5)
_VIEW: Final = ListingView(detail=False)
_IDENTIFYING: Final = ("queue", "put_time", "put_appl_name", "length_bytes")
"""What people know a message by, beside its ids."""
_HISTORY: Final = 6
"""Samples in TREND: more would push out a column at 80 columns."""

Collect = Callable[[Backend], Listing]


class Section(NamedTuple):
    """A part of the details.

    Attributes:
        read: what stands below the heading.
        columns: those that are shown of a listing, where it is not for its formatter to choose.
    """

    heading: str
    read: Callable[[Backend], Result]
    columns: tuple[str, ...] = ()


class KeyAction(NamedTuple):
    """What a key offers to do with a row, or with all that are marked.

    Attributes:
        text: for the line of keys.
        words: what stands behind ``mqtriage``, with the keys of a row in braces.
        of_row: what stands behind that for each row of which *words* are the same.
        tail: what stands at the end, where the rest is typed.
        values: what stands in the braces for a row, where that is not what it shows.
        lacks: why it has no command for a row.
    """

    text: str
    words: str
    of_row: str = ""
    tail: str = ""
    values: Callable[[Record], Record] = lambda row: row
    lacks: str = "not for this row"

    def commands(self, rows: Sequence[Record]) -> list[str]:
        """The command lines for these rows; those that lack a value of it are left out."""
        lines: dict[str, list[str]] = {}
        for row in rows:
            pairs = self.values(row).items()
            values = {key: shell_word(str(value)) for key, value in pairs if value}
            try:
                words, of_row = self.words.format_map(values), self.of_row.format_map(values)
            except KeyError:
                continue
            lines.setdefault(words, []).append(of_row)
        return ["".join((words, *rows_of, self.tail)) for words, rows_of in lines.items()]


class TopScreen(NamedTuple):
    """One screen, of one queue manager.

    Attributes:
        name: the heading.
        trend_of: key whose last values make the field ``trend`` of each record.
        sort: key to begin with where `--sort` is not given.
        descending: the greatest first.
        inside: what Enter opens on a record, None for nothing.
        details: what the pane beside the list shows of a record.
        about: key of a record whose queue the last operations in that pane are on.
        once: sampled when it is opened and on demand, since it browses.
        note: what else there is to say of it.
    """

    name: str
    collect: Collect
    trend_of: str | None = None
    sort: str | None = None
    descending: bool = True
    inside: Callable[[Record], TopScreen | None] = lambda _: None
    actions: Mapping[str, KeyAction] = {}
    details: Callable[[Record], Sequence[Section]] = lambda _: ()
    about: str = "queue"
    once: bool = False
    note: str = ""


def screens_of(pattern: str | None, *, is_unicode: bool = True) -> list[TopScreen]:
    """The screens of one queue manager, in the order of their names in `SCREENS`."""
    queues = with_trends(_queues(pattern), is_unicode=is_unicode)
    return [queues, _delay(), _backout(pattern), _dead_letters()]


def with_trends(screen: TopScreen, *, is_unicode: bool) -> TopScreen:
    """*screen* with the last values of a key in the field ``trend``."""
    key, trends = screen.trend_of, dict[str, deque[float]]()
    if key is None:
        return screen

    def sampled(backend: Backend) -> Listing:
        listing = screen.collect(backend)
        records = [dict(record) for record in listing.items]
        names = {str(record[listing.id_key]) for record in records}
        for gone in trends.keys() - names:  # memory stays flat however long it runs
            del trends[gone]
        for record in records:
            seen = trends.setdefault(str(record[listing.id_key]), deque(maxlen=_HISTORY))
            seen.append(record[key] or 0)
            record["trend"] = sparkline(seen, _HISTORY, is_unicode=is_unicode)
        listing.items = records
        return listing

    return screen._replace(collect=sampled)


def _of_queue(queue: str) -> Iterator[Section]:
    yield Section("open handles", lambda backend: who(backend, queue))
    yield _first_messages("first messages", queue)
    yield Section("definition", lambda backend: show_queue(backend, queue))


def _first_messages(heading: str, queue: str) -> Section:
    columns = ("msg_id", "put_time", "put_appl", "length_bytes")
    return Section(heading, lambda backend: browse(backend, queue, _FIRST_FEW, _VIEW), columns)


def _queues(pattern: str | None) -> TopScreen:
    before: top_numbers.QueuesSample | None = None

    def collect(backend: Backend) -> Listing:
        nonlocal before
        listing, before = top_numbers.queues(backend, pattern, before, time.monotonic())
        return listing

    return TopScreen(
        "queues",
        collect,
        trend_of="curdepth",
        sort="curdepth",
        inside=lambda row: _messages(str(row["queue"]), _moved_back(row)),
        details=lambda row: list(_of_queue(str(row["queue"]))),
        actions={
            "m": KeyAction("move", "msg move {queue}", tail=" --to "),
            "x": KeyAction("purge", "msg purge {queue}"),
            "R": KeyAction(
                "requeue",
                "backout requeue {boqname} --to {origin}",
                tail=" ",
                values=_moved_back,
                lacks="not a backout queue; the dlq screen requeues dead letters",
            ),
        },
    )


def _browsed(name: str, collect: Collect, **more: Any) -> TopScreen:
    """The first messages of something."""
    note = f"the first {MOST_MESSAGES} messages, browsed once; press u to browse again"
    return TopScreen(name, collect, once=True, note=note, **more)


def _chosen(row: Record) -> Selection:
    """The message of a row."""
    return Selection(tree=parse_where(f"msg_id = '{row['msg_id']}'"))


def _of_message(queue: str, row: Record) -> list[Section]:
    return [_message(lambda backend: show(backend, queue, _chosen(row)))]


def _message(read: Callable[[Backend], Document]) -> Section:
    """One message: what identifies it, its body, then the rest, which fills a pane."""

    def body_first(backend: Backend) -> Document:
        document = read(backend)
        data = document.data
        first = takewhile(lambda key: key != "group_id", data)  # the ids, and where one is due
        body = (key for key in ("body", "body_hex") if data.get(key) is not None)
        order = dict.fromkeys((*first, *_IDENTIFYING, *body, *data))
        document.data = {key: data[key] for key in order if key in data}
        return document

    return Section("message", body_first)


def _messages(queue: str, back: Record) -> TopScreen:
    """The messages of one queue.

    Args:
        back: where those of a backout queue came from; empty for another queue.
    """
    if queue == STAGING_QUEUE:
        return _staged("staged messages", _FIRST)
    actions = {
        "m": KeyAction("move", "msg move {queue}", " --msgid {msg_id}", " --to "),
        "x": KeyAction("purge", "msg purge {queue}", " --msgid {msg_id}"),
    }
    if back:
        actions["R"] = KeyAction(
            "requeue",
            "backout requeue {boqname}",
            " --msgid {msg_id}",
            f" --to {shell_word(back['origin'])} ",
            values=lambda row: {**row, "boqname": back["boqname"]},
        )
    return _browsed(
        queue,
        lambda backend: browse(backend, queue, _FIRST, _VIEW),
        details=lambda row: _of_message(queue, row),
        actions=actions,
    )


def _delay() -> TopScreen:
    """The messages on the staging queue by target; read again when they have changed."""
    seen: tuple[Any, ...] = ()
    groups: Listing | None = None

    def collect(backend: Backend) -> Listing:
        nonlocal seen, groups
        (status,) = staging_status(backend).items
        now = tuple(status[key] for key in ("curdepth", "oldest_put_time", "next_due_time"))
        if groups is None or (*now, status["overdue"]) != seen:
            groups = group_by_target(backend, Selection(limit=MOST_READ))
            groups.items = list(groups.items)
            seen = (*now, status["overdue"])
        keys = ("curdepth", "maxdepth", "percent_full", "overdue", "due_1m", "due_1h", "processor")
        groups.summary = {key: status[key] for key in keys}
        _note_rest(groups, status["curdepth"])
        return groups

    def inside(row: Record) -> TopScreen:
        target = row["target"]
        if target is None:
            return _staged("staged messages", _FIRST)
        tree = parse_where(f"target = '{target}'")
        return _staged(f"delayed to {target}", replace(_FIRST, tree=tree))

    return TopScreen(
        "delay",
        collect,
        sort="next_due_time",
        descending=False,
        inside=inside,
        details=lambda row: [
            Section("staging queue", staging_status),
            *(_of_queue(str(row["target"])) if row["target"] else ()),
        ],
        actions={
            "c": KeyAction("cancel", "delay cancel --target {target}"),
            "R": KeyAction("release", "delay release --target {target}"),
            "t": KeyAction("reschedule", "delay reschedule --target {target}", tail=" --shift +1h"),
        },
        about="target",
        note="browsed when its messages change",
    )


def _staged(name: str, selection: Selection) -> TopScreen:
    """Messages on the staging queue, the next that is due first."""
    return _browsed(
        name,
        lambda backend: browse_staged(backend, selection, view=_VIEW),
        sort="due_time",
        descending=False,
        details=lambda row: [
            _message(lambda backend: show_staged(backend, _chosen(row), 1, "auto", None, True))
        ],
        actions={
            "c": KeyAction("cancel", "delay cancel", " --msgid {msg_id}"),
            "R": KeyAction("release", "delay release", " --msgid {msg_id}"),
            "t": KeyAction("reschedule", "delay reschedule", " --msgid {msg_id}", " --shift +1h"),
        },
    )


def _backout(pattern: str | None) -> TopScreen:
    def details(row: Record) -> list[Section]:
        boqname = row.get("boqname")
        first = [_first_messages(f"first messages of {boqname}", boqname)] if boqname else []
        return [*first, *_of_queue(str(row["queue"]))]

    def action(text: str, words: str) -> KeyAction:
        lacks = "it has no BOQNAME, and is not a backout queue"
        return KeyAction(text, words, tail=" ", values=_moved_from, lacks=lacks)

    return TopScreen(
        "backout",
        lambda backend: backout_settings(backend, pattern),
        inside=lambda row: _messages(str(row.get("boqname") or row["queue"]), _moved_from(row)),
        details=details,
        actions={
            "R": action("requeue", "backout requeue {boqname} --to {origin}"),
            "x": action("purge", "backout purge {boqname}"),
            "w": action("why", "backout causes {boqname}"),
        },
    )


def _moved_from(row: Record) -> Record:
    """The backout queue of a row, or which it is, and the queue that its messages came from."""
    if row["boqname"]:
        ambiguous = row["state"] == "shared" or any(AMBIGUOUS in text for text in row["problems"])
        return {"boqname": row["boqname"], "origin": "origin" if ambiguous else row["queue"]}
    return _moved_back(row)


def _moved_back(row: Record) -> Record:
    """The same for a row that is itself a backout queue; nothing for another."""
    users = row["used_as_backout_queue_by"]
    if not users:
        return {}
    return {"boqname": row["queue"], "origin": users[0] if len(users) == 1 else "origin"}


def _dead_letters() -> TopScreen:
    from mqtriage.commands.dlq.causes import DeadLetterCause, causes

    shown = ("reason_name", "dest_q", "dlq_put_appl_name", "message_count", "first_put_time")
    seen: tuple[Any, ...] = ()
    listing: Listing | None = None

    def collect(backend: Backend) -> Listing:
        nonlocal seen, listing
        status = backend.status(dead_letter_queue(backend))
        now = (status.curdepth, status.oldest_put_time_us)
        if listing is None or now != seen:
            listing = causes(backend, None, Selection(limit=MOST_READ))
            listing.items = list(listing.items)
            _note_rest(listing, status.curdepth)
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

    def few(row: Record) -> Section:
        chosen = replace(_FIRST_FEW, tree=parse_where(str(row["where"])))
        columns = ("msg_id", "dlq_put_time", "dest_q", "length_bytes")
        return Section(
            "first dead letters",
            lambda backend: browse_dead(backend, None, chosen, _VIEW),
            columns,
        )

    return TopScreen(
        "dlq",
        for_people,
        sort="message_count",
        inside=lambda row: _dead_letters_where(str(row["where"])),
        details=lambda row: [
            few(row),
            *(_of_queue(str(row["dest_q"])) if row.get("dest_q") else ()),
        ],
        actions={
            "R": KeyAction("requeue", "dlq requeue --where {where}"),
            "x": KeyAction("purge", "dlq purge --where {where}"),
        },
        about="dest_q",
        note="browsed when its depth changes",
    )


def _dead_letters_where(where: str) -> TopScreen:
    """The dead letters of one group."""
    selection = replace(_FIRST, tree=parse_where(where))

    def details(row: Record) -> list[Section]:
        return [_message(lambda backend: show(backend, dead_letter_queue(backend), _chosen(row)))]

    return _browsed(
        "dead letters",
        lambda backend: browse_dead(backend, None, selection, _VIEW),
        details=details,
        actions={
            "R": KeyAction("requeue", "dlq requeue", " --msgid {msg_id}"),
            "x": KeyAction("purge", "dlq purge", " --msgid {msg_id}"),
        },
    )


def _note_rest(listing: Listing, depth: int) -> None:
    """Say that not all were read."""
    text = f"the first {MOST_READ} of {count_text(depth)}"
    if depth > MOST_READ and text not in listing.warnings:
        listing.warnings.append(text)
