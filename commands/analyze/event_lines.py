"""Lines that programs append to logs, as complete files: what Structured Streaming can follow.

Spark reads each file of a folder once. A log that grows, as ``amqsevt ... >> events.json`` lets
it, is therefore copied in pieces: from where the last piece ended up to the last line end, or of
events of several lines up to the end of the last event. A log is known by its first line or event,
so one that was renamed or copied by a rotation is not read twice.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

from mqtriage.files.durable import replace_file
from mqtriage.files.private import private_folder
from mqtriage.pipeline.sources import recognition
from mqtriage.pipeline.sources.events_in_text import Line, event_lines
from mqtriage.pipeline.sources.wrappings import Wrapping, has_events, is_restored, unwrapped
from mqtriage.records import NamedTuple

_BEGINNING_BYTES: Final = 1 << 16


class Taken(NamedTuple):
    """What is new in a log, and how far the log is read with it."""

    text: bytes
    end: int


def take_pieces(folder: Path, pieces: Path, read_bytes: dict[str, int]) -> list[str]:
    """Copy what is new in the logs of *folder* to files in *pieces*.

    A piece is called by its log and where it begins: copied again after a kill, it is the same.

    Args:
        read_bytes: log to how far it was copied; brought up to date, for the caller to keep.

    Returns:
        Files that cannot be followed, with the reason.

    Raises:
        OSError: A piece cannot be written, or the folder not be listed.
    """
    private_folder(pieces)
    problems = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "_")) or not path.is_file():
            continue
        try:
            file = path.open("rb")
        except OSError as error:
            problems.append(f"{path.name}: {error.strerror}")
            continue
        with file:
            beginning = file.read(_BEGINNING_BYTES)
            form = recognition.recognised(beginning)
            if form not in (recognition.LogForm.EVENTS, recognition.LogForm.EVENT_LINES):
                continue
            if recognition.utf_16_of(beginning):
                problems.append(f"{path.name}: UTF-16 cannot be followed; analyze events reads it")
                continue
            if recognition.is_text(beginning):
                problems.append(f"{path.name}: not followed: only analyze events reads -o text")
                continue
            wrapping = recognition.wrapping_of(beginning)
            if is_restored(beginning) or wrapping is Wrapping.CELLS:
                what = "CSV" if wrapping is Wrapping.CELLS else "colours or escapes of syslog"
                problems.append(f"{path.name}: not followed: {what}; analyze events reads it")
                continue
            if wrapping not in (None, Wrapping.EVENTS):
                problems.append(
                    f"{path.name}: not followed: the lines of an event are separate records;"
                    " analyze events reads them"
                )
                continue
            in_lines = form is recognition.LogForm.EVENT_LINES or wrapping is Wrapping.EVENTS
            log = _identity(beginning) if in_lines else _identity_of_event(beginning)
            if not log:
                continue
            begin = read_bytes.get(log, 0)
            if os.fstat(file.fileno()).st_size <= begin:
                continue
            piece = pieces / f"{log}-{begin:020}.json"
            file.seek(begin)
            new = _whole_lines(file) if in_lines else _whole_events(file)
            ends = [0]
            replace_file(piece, _noting_ends(new, ends))
            read_bytes[log] = begin + ends[-1]
            if not piece.stat().st_size:
                piece.unlink()  # Spark would never look at a file of this name again
    return problems


def _identity(beginning: bytes) -> str:
    """What a log is known by: its first line; "" before that has its end."""
    line, end, _ = beginning.lstrip(b"\n").partition(b"\n")
    is_whole = end or len(beginning) == _BEGINNING_BYTES
    return sha256(line).hexdigest()[:32] if is_whole else ""


def _identity_of_event(beginning: bytes) -> str:
    """What a log of events of several lines is known by: its first event, once that is whole."""
    events = (line for line in event_lines([beginning.decode("latin-1")]) if line.is_whole)
    first = next(events, None)
    if first is not None:
        beginning = first.text.encode("latin-1")
    elif len(beginning) < _BEGINNING_BYTES:
        return ""
    return sha256(beginning).hexdigest()[:32]


def _whole_lines(file: BinaryIO) -> Iterator[Taken]:
    """The lines that are complete, of those with events in strings the events."""
    end = 0
    for line in file:
        if line.endswith(b"\n"):  # the last one may be half written
            end += len(line)
            is_wrapped = has_events(line)
            yield Taken(b"".join(unwrapped([line], Wrapping.EVENTS)) if is_wrapped else line, end)


def _whole_events(file: BinaryIO) -> Iterator[Taken]:
    """The events that are complete, a line each."""
    chunks = iter(partial(file.read, _BEGINNING_BYTES), b"")
    held: Line | None = None
    for line in event_lines(chunk.decode("latin-1") for chunk in chunks):
        if held is not None:
            yield Taken(f"{held.text}\n".encode("latin-1"), held.end)
        held = line
    if held is not None and held.is_whole:  # else it may be half written
        yield Taken(f"{held.text}\n".encode("latin-1"), held.end)


def _noting_ends(new: Iterable[Taken], ends: list[int]) -> Iterator[bytes]:
    for taken in new:
        ends[:] = [taken.end]
        yield taken.text
