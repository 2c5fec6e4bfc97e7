"""Logs that Spark cannot read line by line, written once more as it can.

They are copied into the folder of one run by the driver, in plain Python and a piece at a time.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path
from typing import IO, Final

from mqtriage.files.compressed import opened
from mqtriage.mq.errors import StorageError
from mqtriage.pipeline.sources.events_in_text import event_lines
from mqtriage.pipeline.sources.local_times import is_day_first, lacks_times, with_times
from mqtriage.pipeline.sources.metric_lines import as_csv
from mqtriage.pipeline.sources.recognition import Log, LogForm, utf_16_of, wrapping_of
from mqtriage.pipeline.sources.wrappings import is_restored, restored, unwrapped

_CHUNK_BYTES: Final = 1 << 20


def rewritten(logs: Iterable[Log], folder: Path, zone: tzinfo = UTC) -> tuple[Log, ...]:
    """The logs as Spark is to read them, each file that had to be written again below *folder*.

    Args:
        zone: of times that are local ones and do not say so.

    Raises:
        OSError: One cannot be read or written.
    """
    return tuple(
        log._replace(path=_rewrite(log, folder / str(number), zone)) if _must_be(log) else log
        for number, log in enumerate(logs)
    )


def _must_be(log: Log) -> bool:
    if log.form in (LogForm.EVENTS, LogForm.METRIC_LINES):
        return True
    with opened(log.path) as file:
        beginning = file.read(_CHUNK_BYTES)
    is_old = log.form is LogForm.ERROR_BLOCKS and lacks_times(beginning)
    is_encoded = utf_16_of(beginning) is not None or is_restored(beginning)
    return is_old or is_encoded or wrapping_of(beginning) is not None


def _rewrite(log: Log, folder: Path, zone: tzinfo) -> Path:
    folder.mkdir(parents=True)
    path = folder / log.path.name.removesuffix(".gz")
    with opened(log.path) as file, path.open("wb") as out:
        if log.form is LogForm.EVENTS:
            out.writelines(_events(_chunks(file)))
        elif log.form is LogForm.METRIC_LINES:
            lines_of_text = (line.decode("utf-8", "replace") for line in _lines(_chunks(file)))
            samples = as_csv(lines_of_text, log.path.stat().st_mtime)
            out.writelines(f"{line}\n".encode() for line in samples)
        elif log.form is LogForm.ERROR_BLOCKS:
            day_first = is_day_first(_lines(_chunks(file)))
            lines = with_times(_lines(_chunks(file)), zone, day_first=day_first)
            out.writelines(line + b"\n" for line in lines)
        else:
            out.writelines(_chunks(file))
    return path


def _events(chunks: Iterator[bytes]) -> Iterator[bytes]:
    for line in event_lines(chunk.decode("latin-1") for chunk in chunks):
        yield f"{line.text}\n".encode("latin-1")


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    """What was written into a log, as UTF-8 and without what wraps its lines."""
    file.seek(0)
    beginning = file.read(_CHUNK_BYTES)
    wrapping = wrapping_of(beginning)
    chunks = _decoded(file)
    if is_restored(beginning):
        chunks = (restored(line) + b"\n" for line in _lines(chunks))
    return chunks if wrapping is None else unwrapped(_lines(chunks), wrapping)


def _decoded(file: IO[bytes]) -> Iterator[bytes]:
    """What is in a file, as UTF-8; what is behind damage of its compression is left out."""
    file.seek(0)
    encoding = utf_16_of(file.read(8))
    file.seek(0)
    decoder = codecs.getincrementaldecoder(encoding or "utf-8")("replace")
    try:
        for chunk in iter(partial(file.read, _CHUNK_BYTES), b""):
            yield decoder.decode(chunk).encode() if encoding else chunk
    except StorageError:
        yield b"\n{ the rest of a compressed file that was cut\n"


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    yield rest
