"""`archive ls`: what archives there are, and what is in one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

from mqtriage.messages.archive_outcomes import LeftOut, without_left_out
from mqtriage.messages.stored_messages import (
    COPY,
    ArchiveEnd,
    Begun,
    Numbered,
    Seal,
    Settled,
    Stored,
    read_line,
    readable_hint,
)
from mqtriage.model.ids import IdMatch, format_id
from mqtriage.model.result import Document, Listing, Record, Show, column, columns_of, keys_of
from mqtriage.model.times import parse_time_us
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import NotFound, StorageError, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_rfc3339
from mqtriage.operations.archive.files import (
    Located,
    MessageIdKey,
    archives_in,
    begun_of,
    find_in,
    find_staged,
    lines_of,
)
from mqtriage.operations.archive.index import count_of, last_offset
from mqtriage.operations.archive.outcomes import outcomes_if_whole
from mqtriage.records import NamedTuple, dataclass

WHOLE: Final = "whole"
UNFINISHED: Final = "unfinished"
"""No last line: the writer was stopped, the file was cut, or the act is still at work."""
_TAIL_BYTES: Final = 4_096
Choice: TypeAlias = Callable[[Numbered], bool]
"""Whether a message is meant."""
Watch: TypeAlias = Callable[[Iterable[Stored]], Iterable[Stored]]
"""Sees all that a file holds, and gives it on."""
Grouped: TypeAlias = Callable[[Iterator[tuple[str, Message]]], Listing]
"""Makes a listing of messages, each with the name of its queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveRecord:
    """One archive as a line of the listing; what cannot be read is its state."""

    archive: str = column("ARCHIVE", Show.NAME, 40)
    action: str | None = column("ACTION", Show.TEXT, 8, yields=2, default=None)
    queue: str | None = column("QUEUE", Show.NAME, 20, yields=3, default=None)
    queue_manager: str | None = column("QMGR", Show.NAME, 8, yields=4, default=None)
    at: str | None = column("AT", Show.TIME, 22, yields=1, default=None)
    message_count: int | None = column("MESSAGES", Show.NUMBER, 8, default=None)
    file_bytes: int | None = column("SIZE", Show.BYTES, 8, default=None)
    state: str | None = column("STATE", Show.TEXT, 10, default=None)
    bodies: bool | None = column("BODIES", Show.FLAG, wide=True, default=None)
    redacted: bool | None = column("REDACTED", Show.FLAG, wide=True, default=None)
    path: str = column("PATH", Show.TEXT, wide=True)


def ls(folder: Path, since_us: int | None = None, until_us: int | None = None) -> Listing:
    """The archives of *folder*; only the first and the last line of each is read.

    Args:
        since_us: lists only those that began at this time or later.
        until_us: lists only those that began before.
    """
    records: Iterable[ArchiveRecord] = map(archive_record, archives_in(folder))
    if since_us is not None or until_us is not None:
        records = (it for it in records if _began_between(it, since_us, until_us))
    items = map(keys_of, records)
    return Listing("ArchiveList", columns_of(ArchiveRecord), items, id_key="archive")


def _began_between(record: ArchiveRecord, since_us: int | None, until_us: int | None) -> bool:
    """Whether an archive began in a period; one that does not say when is as old as its file."""
    try:
        began_us = parse_time_us(record.at or "", 0)
    except UsageError:
        try:
            began_us = os.stat(record.path).st_mtime_ns // 1_000
        except OSError:
            return True  # its state says why it cannot be read
    return (since_us is None or since_us <= began_us) and (until_us is None or began_us < until_us)


def archive_record(path: Path) -> ArchiveRecord:
    """Read the first and the last line of an archive."""
    record = ArchiveRecord(archive=path.name, path=str(path))
    try:
        record = replace(record, file_bytes=path.stat().st_size)
        begun = begun_of(path)
        ended = last_line(path)
    except OSError as error:
        return replace(record, state=error.strerror)
    except StorageError as error:
        return replace(record, state=error.text.rpartition(": ")[2])
    return replace(
        record,
        action=begun.action,
        queue=begun.queue,
        queue_manager=begun.queue_manager,
        at=begun.at or None,
        message_count=ended.messages if ended is not None else count_of(path),
        state=WHOLE if ended is not None else UNFINISHED,
        bodies=begun.bodies,
        redacted=begun.redacted,
    )


def last_line(path: Path) -> ArchiveEnd | None:
    """The End line, without reading the whole file where the index leads near its end."""
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        size = os.fstat(file.fileno()).st_size
        file.seek(-min(_TAIL_BYTES, size), os.SEEK_END)
        tail = file.read()
    if packed:
        last = b""
        start = last_offset(path)
        for line in lines_of(path, start if start < size else 0):
            last = line.data
    else:
        last = tail[tail.rfind(b"\n", 0, -1) + 1 :]
    end = read_line(0, last) if last else None
    return end if isinstance(end, ArchiveEnd) else None


def was_changed(path: Path) -> bool:
    """Whether the lines differ from the digest in the last one; False where there is none yet."""
    from hashlib import sha256

    digest = sha256()
    last = b""
    for line in lines_of(path):
        digest.update(last)
        last = line.data
    ended = read_line(0, last) if last else None
    return isinstance(ended, ArchiveEnd) and not ended.fits(digest.hexdigest())


class Totals:
    """What is counted while an archive is read from its first line to its last."""

    def __init__(self) -> None:
        self.messages = self.length_bytes = 0
        self.taken = self.stayed = 0
        self.oldest = self.newest = ""
        self.ended: ArchiveEnd | None = None

    def count(self, stored: Stored) -> None:
        """Take the next line into account."""
        if isinstance(stored, Numbered):
            self.messages += 1
            self.length_bytes += stored.length_bytes or len(stored.entry.body)
            put = stored.entry.md.put_date + stored.entry.md.put_time
            if len(put) == 16:
                self.oldest = min(self.oldest or put, put)
                self.newest = max(self.newest, put)
        elif isinstance(stored, Settled):
            if stored.committed:
                self.taken += len(stored.numbers)
            else:
                self.stayed += len(stored.numbers)
        elif isinstance(stored, ArchiveEnd):
            self.ended = stored

    def counting(self, stored: Iterable[Stored]) -> Iterator[Stored]:
        """The lines, each of which is counted."""
        for one in stored:
            self.count(one)
            yield one

    def outcome(self, begun: Begun) -> tuple[int | None, int | None, int | None]:
        """How many messages left their queue, were backed out, or have no recorded outcome.

        A copy does not remove messages itself: the outcome of its sources counts.
        """
        if begun.copies_what_left:
            return self.messages, 0, 0
        if begun.action == COPY:
            return None, None, None
        return self.taken, self.stayed, self.messages - self.taken - self.stayed

    def summary(self, begun: Begun) -> Record:
        """The counts by their keys of JSON."""
        taken, backed_out, unsettled = self.outcome(begun)
        return {
            "message_count": self.messages,
            "length_bytes": self.length_bytes,
            "taken": taken,
            "backed_out": backed_out,
            "unsettled": unsettled,
            "oldest_put_time": put_rfc3339(self.oldest[:8], self.oldest[8:]),
            "newest_put_time": put_rfc3339(self.newest[:8], self.newest[8:]),
        }


def stored_in(path: Path, seal: Seal) -> Iterator[Stored]:
    """What each line of an archive holds, in order; *seal* knows in the end whether it is whole."""
    for number, line in enumerate(lines_of(path), start=1):
        stored = read_line(number, line.data)
        seal.see(stored)
        yield stored
        seal.hear(line.data)


def messages_of(
    path: Path,
    seal: Seal,
    *,
    detail: bool = True,
    chosen: Choice | None = None,
    watch: Watch | None = None,
    skip: int = 0,
    grouped: Grouped | None = None,
) -> Listing:
    """The messages of an archive that left their queue, or may have; what is damaged is warned of.

    The summary has what the archive holds, or what of it is chosen, counted on the way.

    Args:
        seal: sees what it holds.
        chosen: lists only these, without the first *skip* of them.
        watch: sees all that it holds.
        grouped: makes another listing of the messages.
    """
    begun = begun_of(path)
    stored = stored_in(path, seal)
    of_file = None
    if chosen is not None or skip:  # outcomes are of all messages
        begun = Begun(COPY)
    else:  # also those that are not listed
        of_file = Totals()
        stored = of_file.counting(stored)

    def about(totals: Totals, warnings: list[str]) -> Record:
        warnings += [*left_out.sentences(), *seal.warnings(path.name)]
        return {**keys_of(archive_record(path)), **(of_file or totals).summary(begun)}

    left_out = LeftOut()
    every = without_left_out(stored, outcomes_if_whole(path), left_out, keep_unsettled=True)
    return _listed(
        path.name,
        every,
        about,
        detail=detail,
        chosen=chosen,
        watch=watch,
        skip=skip,
        grouped=grouped,
    )


_MOST_BEFORE: Final = 1_000
"""How many lines are searched for the first message of a file."""


def messages_in(
    name: str,
    stored: Iterator[Stored],
    seal: Seal,
    *,
    detail: bool = True,
    chosen: Choice | None = None,
    watch: Watch | None = None,
    skip: int = 0,
    grouped: Grouped | None = None,
) -> Listing:
    """The same for what a listing, a dump or a folder holds, or standard input.

    Args:
        seal: sees what *stored* gives.

    Raises:
        StorageError: Nothing in it is a message.
    """
    head: list[Stored] = []
    for one in stored:
        head.append(one)
        if isinstance(one, Numbered) or len(head) == _MOST_BEFORE:
            break
    if not head or not isinstance(head[-1], Numbered):
        first = next(iter(head), None)
        why = f": line {first.line}: {first.text}" if isinstance(first, Damaged) else ""
        raise StorageError(
            f"{name}: not an mqtriage archive, and no other file with undamaged messages{why}",
            kind="foreign",
            hint=readable_hint(name),
        )

    def about(totals: Totals, warnings: list[str]) -> Record:
        warnings += seal.warnings(name)
        return {"archive": name, **totals.summary(Begun(COPY))}

    every = chain(head, stored)
    return _listed(
        name, every, about, detail=detail, chosen=chosen, watch=watch, skip=skip, grouped=grouped
    )


def _listed(
    name: str,
    stored: Iterable[Stored],
    about: Callable[[Totals, list[str]], Record],
    *,
    detail: bool,
    chosen: Choice | None,
    watch: Watch | None,
    skip: int,
    grouped: Grouped | None,
) -> Listing:
    from mqtriage.messages.records import MESSAGE_FIELDS, message_record, with_rest

    warnings: list[str] = []
    summary: dict[str, Any] = {}

    def messages() -> Iterator[tuple[str, Message]]:
        totals, meant = Totals(), 0
        for one in stored if watch is None else watch(stored):
            if isinstance(one, Numbered):
                if chosen is not None and not chosen(one):
                    continue
                meant += 1
                if meant <= skip:
                    continue
            totals.count(one)
            if isinstance(one, Damaged):
                warnings.append(f"{name}, line {one.line}: {one.text}")
            elif isinstance(one, Numbered):
                yield one.queue, message_of(one)
        summary.update(about(totals, warnings))

    if grouped is not None:
        listing = grouped(messages())
        listing.warnings, listing.summary = warnings, summary
        return listing
    records = (message_record(message, queue, detail=detail) for queue, message in messages())
    fields = with_rest(MESSAGE_FIELDS)
    return Listing("ArchivedMessageList", fields, records, summary, warnings)


def message_of(numbered: Numbered) -> Message:
    """The archived message; without its data it is one that was cut to nothing."""
    body = numbered.entry.body
    length = len(body) if numbered.length_bytes is None else numbered.length_bytes
    return Message(numbered.entry.md, body, length)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMessage:
    """An archived message as a line, where what was given of an id fits several MsgIds."""

    msg_id: str = column("MSGID", Show.ID)
    queue_manager: str | None = column("QMGR", Show.NAME, 8)
    queue: str | None = column("QUEUE", Show.NAME, 20)
    put_time: str | None = column("PUT_TIME", Show.TIME, 22)
    archive: str = column("ARCHIVE", Show.NAME, 40)
    number: int = column("NUMBER", Show.NUMBER, 6, yields=1)
    correl_id: str = column("CORRELID", Show.ID, wide=True)
    taken: bool | None = column("TAKEN", Show.FLAG, wide=True)


def show_message(
    archives: Sequence[Path],
    ident: IdMatch,
    what: str,
    *,
    nth: int | None = None,
    form: Any = "auto",
    body: str | None = None,
    stored: Iterator[Stored] | None = None,
) -> Document | Listing:
    """One archived message in full; of several with one MsgId the *nth*, or the first.

    Where several MsgIds fit and *nth* is None, all their messages are listed instead. Where none
    fits, a delayed message is looked for by the MsgId that its sender got.

    Args:
        what: how the id was given, for the error.
        stored: what the one file holds, where it is not an archive.

    Raises:
        NotFound: None of them holds it.
    """
    unread: list[str] = []
    if stored is None:
        hits = _found(_search(archives, ident, unread, find_in), nth, "msg_id")
    else:
        hits = _found(_found_in(stored, archives[0], ident, unread), nth, "msg_id")
    staged = not hits.number and stored is None
    if staged:
        unread = []
        hits = _found(_search(archives, ident, unread, find_staged), nth, "correl_id")
    if hits.rows is not None:
        items = map(keys_of, hits.rows)
        return Listing("FoundMessageList", columns_of(FoundMessage), items, warnings=unread)
    if hits.chosen is None:
        where = archives[0].name if len(archives) == 1 else f"{len(archives)} archives"
        text = f"no message {what} in {where}"
        if hits.number:
            text = (
                f"only {hits.number} of message {what} in {where}, but number {nth} was requested"
            )
        raise NotFound(
            "; ".join([text, *unread]), hint="mqtriage archive ls ARCHIVE lists its messages"
        )
    document = _document(hits.chosen, form, body)
    document.warnings += unread
    if staged:
        document.warnings.append(
            "that is the MsgId that the sender got; the delayed message has it as its CorrelId"
        )
    if hits.number > 1:
        have = "an id like that" if hits.is_of_several else "that id"
        document.warnings.append(
            f"{hits.number} messages have {have}; this is number {nth or 1} (--nth);"
            " mqtriage journal ls --msgid lists the operations"
        )
    return document


class _Found(NamedTuple):
    """What a search found.

    Attributes:
        number: how many messages.
        chosen: the one to show.
        is_of_several: whether they have several ids.
        rows: all of them, where they have several ids and none was chosen by its number.
    """

    number: int
    chosen: Located | None
    is_of_several: bool = False
    rows: Iterator[FoundMessage] | None = None


def _found(messages: Iterator[Located], nth: int | None, by: MessageIdKey) -> _Found:
    """Read *messages* to the end, or until a second id is found and *nth* does not choose."""
    number, chosen, is_of_several = 0, None, False
    first_id, rows = b"", []
    for number, located in enumerate(messages, 1):
        ident: bytes = getattr(located.message.entry.md, by)
        first_id = first_id or ident
        is_of_several = is_of_several or ident != first_id
        if number == (nth or 1):
            chosen = located
        if nth is None:
            rows.append(_found_message(located))
            if is_of_several:
                others = map(_found_message, messages)
                return _Found(number, None, is_of_several, chain(rows, others))
    return _Found(number, chosen, is_of_several)


def _found_message(located: Located) -> FoundMessage:
    md = located.message.entry.md
    return FoundMessage(
        msg_id=format_id(md.msg_id),
        queue_manager=located.queue_manager or None,
        queue=located.message.queue or None,
        put_time=put_rfc3339(md.put_date, md.put_time),
        archive=located.archive.name,
        number=located.message.number,
        correl_id=format_id(md.correl_id),
        taken=located.taken,
    )


def _found_in(
    stored: Iterator[Stored], path: Path, ident: IdMatch, unread: list[str]
) -> Iterator[Located]:
    for one in stored:
        if isinstance(one, Damaged) and not unread:  # the first
            unread.append(f"{path.name}, line {one.line}: {one.text}")
        if isinstance(one, Numbered) and ident.matches(one.entry.md.msg_id):
            yield Located(path, one, None)


def _search(
    archives: Sequence[Path],
    ident: IdMatch,
    unread: list[str],
    find: Callable[[Path, IdMatch], Iterator[Located]],
) -> Iterator[Located]:
    """The messages in all archives; of several, one that cannot be read is noted in *unread*."""
    for path in archives:
        try:
            yield from find(path, ident)
        except StorageError as error:
            if len(archives) == 1:
                raise
            unread.append(error.text)


def _document(located: Located, form: Any, body: str | None) -> Document:
    from mqtriage.messages.document import message_document

    message = message_of(located.message)
    extra = {
        "archive": located.archive.name,
        "number": located.message.number,
        "taken": located.taken,
        "queue_manager": located.queue_manager or None,
        "queue": located.message.queue,
    }
    make = partial(message_document, message, located.message.queue, kind="ArchivedMessage")
    if located.message.length_bytes is None:
        return make(form=form, body=body, extra=extra)
    return make(form=form, extra=extra)
