"""Lines that programs append to logs, as complete files: what Structured Streaming can follow.

Spark reads each file of a folder once. A log that grows, as ``amqsevt ... >> events.json`` lets
it, is therefore copied in pieces: from where the last piece ended up to the last line end. A log
is known by its first line, so one that was renamed or copied by a rotation is not read twice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

from mqtriage.files.durable import replace_file
from mqtriage.files.private import private_folder
from mqtriage.pipeline.sources.recognition import LogForm, recognised

_BEGINNING_BYTES: Final = 1 << 16


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
            form, log = recognised(beginning), _identity(beginning)
            if form is LogForm.EVENTS:
                problems.append(f"{path.name}: written by -o json, not -o json_compact")
            if form is not LogForm.EVENT_LINES or not log:
                continue
            begin = read_bytes.get(log, 0)
            if os.fstat(file.fileno()).st_size <= begin:
                continue
            piece = pieces / f"{log}-{begin:020}.json"
            replace_file(piece, _whole_lines(file, begin))
            length = piece.stat().st_size
            read_bytes[log] = begin + length
            if not length:
                piece.unlink()  # Spark would never look at a file of this name again
    return problems


def _identity(beginning: bytes) -> str:
    """What a log is known by: its first line; "" before that has its end."""
    line, end, _ = beginning.lstrip(b"\n").partition(b"\n")
    is_whole = end or len(beginning) == _BEGINNING_BYTES
    return sha256(line).hexdigest()[:32] if is_whole else ""


def _whole_lines(file: BinaryIO, begin: int) -> Iterator[bytes]:
    file.seek(begin)
    for line in file:
        if line.endswith(b"\n"):  # the last one may be half written
            yield line
