"""Archives as files: found by name, read line by line, and one message looked up by its id."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO, Final, Literal, TypeAlias

from mqtriage.files.compressed import CompressedCut, CompressedDamage, unpacked
from mqtriage.files.failures import storage_errors
from mqtriage.files.locks import try_lock
from mqtriage.messages.stored_messages import (
    COPY,
    LONGEST_LINE,
    Begun,
    Numbered,
    Settled,
    Stored,
    read_line,
    readable_hint,
)
from mqtriage.model.ids import IdMatch
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.dumps import amqsbcg, dumpfile
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import NotFound, Refused, StorageError
from mqtriage.operations.archive.index import IndexWriter, LineLocation, look_up
from mqtriage.records import NamedTuple

ENDINGS: Final = (".ndjson", ".ndjson.gz")
_GZIP: Final = b"\x1f\x8b"
_OWN: Final = tuple(
    b'{"kind":"%s"' % kind for kind in (b"Archive", b"Message", b"Commit", b"Backout", b"End")
)
_FIRST_LINES: Final = 100
"""How many of a file are searched for what amqsbcg prints."""

MessageIdKey: TypeAlias = Literal["msg_id", "correl_id"]
"""The id by which an archived message is searched for."""


class ArchiveLine(NamedTuple):
    """One line of an archive, and where it begins; without a line end where the file was cut."""

    place: LineLocation
    data: bytes


class Located(NamedTuple):
    """A message of an archive.

    Attributes:
        taken: whether it left its queue; None in a copy, and where nothing says it.
        queue_manager: of the archive; "" where nothing says it.
    """

    archive: Path
    message: Numbered
    taken: bool | None
    queue_manager: str = ""


def archives_in(folder: Path) -> list[Path]:
    """The archives of a folder, the oldest name first; none where there is no folder."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(ENDINGS))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"archive folder {folder}: {error.strerror}") from error
    return [folder / name for name in names]


@contextmanager
def held(archives: Iterable[Path]) -> Iterator[None]:
    """Keep others from putting messages of these archives back; refused where one is at it."""
    with ExitStack() as files:
        for path in archives:
            try:
                file = files.enter_context(open(path, "rb"))
            except OSError:
                continue  # who reads it says why it cannot be read
            if not try_lock(file.fileno()):
                raise Refused(
                    f"messages of {path.name} are being put back by another process",
                    hint="wait until it has ended",
                    object_name=path.name,
                )
        yield


def find_archive(folder_of: Callable[[], Path], name: str) -> Path:
    """The archive that *name* means: a path, or a file of the folder with or without its ending.

    Args:
        folder_of: where archives are kept; asked when *name* is no path.

    Raises:
        NotFound: There is none.
    """
    given = Path(name)
    if given.is_file():
        return given
    folder = folder_of()
    if "/" not in name:
        for ending in ("", *ENDINGS):
            path = folder / f"{name}{ending}"
            if path.is_file():
                return path
    raise NotFound(
        f"no archive {name}", hint=f"mqtriage archive ls shows those in {folder}", object_name=name
    )


def lines_of(path: Path, start: int = 0) -> Iterator[ArchiveLine]:
    """The lines from byte *start* on, of a compressed archive from the member there."""
    with storage_errors(f"archive {path}"), open(path, "rb") as file:
        compressed = file.read(2) == _GZIP
        file.seek(start)
        if compressed:
            yield from _unpacked(file, start, path)
            return
        offset = start
        for data in file:
            yield ArchiveLine(LineLocation(offset), data)
            offset += len(data)


def _unpacked(file: IO[bytes], start: int, path: Path) -> Iterator[ArchiveLine]:
    """The lines of a row of gzip members; a line never runs from one into the next here.

    In a file that another gzip wrote it may: then the line is told as beginning in the first.
    """
    rest, place = b"", LineLocation(start)
    try:
        for member, within, data in unpacked(file, start):
            held, at = len(rest), 0
            if not held:
                place = LineLocation(member, within)
            rest += data
            if len(rest) > LONGEST_LINE:
                raise StorageError(
                    f"archive {path}: a line of the part at byte {member} unpacks to more than"
                    f" {LONGEST_LINE} bytes, which no message does",
                    hint="not an mqtriage archive",
                )
            while (end := rest.find(b"\n", at)) >= 0:
                yield ArchiveLine(place, rest[at : end + 1])
                at = end + 1
                place = LineLocation(member, within + at - held)
            rest = rest[at:]
    except CompressedCut:
        pass  # a line without its end says so
    except CompressedDamage as error:
        raise StorageError(f"archive {path}: {error.text}", hint=error.hint) from error
    if rest:
        yield ArchiveLine(place, rest)


def make_index(path: Path) -> None:
    """Make the index of an archive anew from its lines; without one the archive is read."""
    writer = IndexWriter(path)
    writer.drop()
    writer = IndexWriter(path)
    end = 0
    with suppress(StorageError):
        for line in lines_of(path):
            end = line.place.offset + len(line.data)
            stored = read_line(0, line.data)
            if isinstance(stored, Numbered):
                writer.add(stored.entry.md.msg_id, line.place)
    writer.close(end)


def find_in(path: Path, ident: IdMatch) -> Iterator[Located]:
    """The messages with that MsgId, in the order of the archive.

    The index leads to them; what it does not cover is read, and the whole archive without one or
    where only the end of an id is known.
    """
    with storage_errors(f"archive {path}"):
        size = path.stat().st_size
    begun = begun_of(path)
    starts = () if ident.is_tail else ident.forms
    known = [one for start in starts if (one := look_up(path, start, size)) is not None]
    if known and len(known) == len(starts):
        places = sorted({place for one, _ in known for place in one})
        covered_to = min(covered for _, covered in known)
        located = [_indexed(path, place, ident, begun) for place in places]
        whole = [one for one in located if one is not None]
        if len(whole) == len(located):  # else the archive is not the one that was indexed
            yield from whole
            if covered_to < size:
                yield from _searched(path, ident, covered_to, begun)
            return
    yield from _searched(path, ident, 0, begun)


def find_staged(path: Path, ident: IdMatch) -> Iterator[Located]:
    """The delayed messages of an archive whose senders got that MsgId: it is their CorrelId."""
    begun = begun_of(path)
    if begun.queue == STAGING_QUEUE:
        yield from _searched(path, ident, 0, begun, of="correl_id")


def begun_of(path: Path) -> Begun:
    """What the first line says.

    Raises:
        StorageError: It is not the first line of an archive.
    """
    line = next(lines_of(path), None)
    head = read_line(1, line.data) if line is not None else None
    if isinstance(head, Begun):
        return head
    why = f": {head.text}" if isinstance(head, Damaged) else ""
    hint = "mqtriage archive ls lists the archives"
    if path.suffix.lower() == ".zip":
        why, hint = ": a ZIP file", readable_hint(path.name)
    if what := _other_form(path, head):
        why = f", but {what}"
        file = shell_word(str(path))
        hint = (
            f"mqtriage archive ls {file} lists its messages, msg diff compares them, and msg load"
            " puts them on a queue"
        )
    raise StorageError(f"{path}: not an mqtriage archive{why}", kind="foreign", hint=hint)


def _other_form(path: Path, head: Stored | None) -> str:
    """What else that holds messages the file is, by its first lines; "" for anything else."""
    if isinstance(head, Numbered):
        return "" if head.number else "a listing of messages"
    first = [line.data for line in islice(lines_of(path), _FIRST_LINES)]
    if first and dumpfile.begins(first[0]):
        return "a file of dmpmqmsg"
    return "output of amqsbcg" if any(map(amqsbcg.begins_message, first)) else ""


def refuse_other_files(paths: Iterable[Path]) -> None:
    """Refuse what no archive of ours can have been, not even a damaged one or the start of one.

    Raises:
        StorageError: No line of it is one of an archive.
    """
    for path in paths:
        if not may_be_archive(path):
            begun_of(path)


def may_be_archive(path: Path) -> bool:
    """Whether a line is one of an archive, or the only one is what a kill left of the first.

    A file that cannot be read may be one.
    """
    started = True
    with suppress(StorageError):
        for number, line in enumerate(lines_of(path)):
            if line.data.startswith(_OWN):
                return True
            started = not number and _OWN[0].startswith(line.data.rstrip(b"\0"))
    return started


def verify_hint(path: Path | str) -> str:
    """What to do about a damaged archive."""
    return f"mqtriage archive verify {shell_word(str(path))} lists every damaged line"


def is_archive(path: Path) -> bool:
    """Whether the first line is that of an archive.

    Raises:
        StorageError: It cannot be read.
    """
    try:
        begun_of(path)
    except StorageError as error:
        if error.kind != "foreign":
            raise
        return False
    return True


def _at(
    path: Path, place: LineLocation, ident: IdMatch, begun: Begun, of: MessageIdKey = "msg_id"
) -> Located | None:
    """The message at *place*, or None where no such one stands."""
    lines = (line for line in lines_of(path, place.offset) if line.place >= place)
    line = next(lines, None)
    stored = read_line(0, line.data) if line is not None else None
    if not isinstance(stored, Numbered) or not ident.matches(getattr(stored.entry.md, of)):
        return None
    if begun.action == COPY:
        return Located(path, stored, begun.copies_what_left or None, begun.queue_manager)
    return Located(path, stored, _taken(stored.number, lines), begun.queue_manager)


def _indexed(path: Path, place: LineLocation, ident: IdMatch, begun: Begun) -> Located | None:
    """The message where the index says; damaged data there may be the index's mistake."""
    try:
        return _at(path, place, ident, begun)
    except StorageError:
        return None


def _searched(
    path: Path, ident: IdMatch, start: int, begun: Begun, of: MessageIdKey = "msg_id"
) -> Iterator[Located]:
    """Read the lines; an id stands in each as text, so most need not be taken apart."""
    digits = ident.start.hex().upper().encode()
    word = digits + b'"' if ident.is_tail else f'"{of}":"'.encode() + digits
    for line in lines_of(path, start):
        if word not in line.data:
            continue
        stored = read_line(0, line.data)
        if isinstance(stored, Damaged):
            raise StorageError(
                f"archive {path}, byte {line.place.offset}: {stored.text}", hint=verify_hint(path)
            )
        located = _at(path, line.place, ident, begun, of)
        if located is not None:
            yield located


def _taken(number: int, after: Iterator[ArchiveLine]) -> bool | None:
    """What the line of its unit of work says, which stands behind the batch."""
    for line in after:
        if line.data.startswith(b'{"kind":"Message"'):
            continue
        stored = read_line(0, line.data)
        if isinstance(stored, Settled):
            return stored.committed if number in stored.numbers else None
        return None
    return None
