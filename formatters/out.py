"""The end of every formatter: batches small writes, and shows the first line at once."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, Self, TextIO

BATCH_CHARACTERS: Final = 65_536


class Out:
    """Collects text into writes of about 64 Ki characters; used as a context manager.

    The first write is flushed at once, later ones when a batch is full and at the end; with
    *each_line* (a terminal) every write is. When the source of the records fails, what was
    written before is still shown. A failing stream (closed pipe, full disk) raises its OSError.
    """

    def __init__(self, stream: TextIO, *, each_line: bool = False) -> None:
        self._stream = stream
        self._room = 0 if each_line else BATCH_CHARACTERS
        self._parts: list[str] = []
        self._held = BATCH_CHARACTERS  # full: the first write goes out at once
        self.is_unicode = (stream.encoding or "utf-8").lower().startswith("utf")

    def write(self, text: str) -> None:
        """Take whole lines of *text*."""
        self._parts.append(text)
        self._held += len(text)
        if self._held >= self._room:
            self.flush()

    def flush(self) -> None:
        """Hand over what is held back, and have the stream pass it on."""
        parts, self._parts, self._held = self._parts, [], 0
        if parts:
            self._send("".join(parts))
            self._stream.flush()

    def _send(self, text: str) -> None:
        try:
            self._stream.write(text)
        except UnicodeEncodeError:
            # Text of a message need not exist in the terminal's code page; a stream encodes
            # before it writes, so nothing of *text* is out yet.
            encoding = self._stream.encoding or "ascii"
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            self.flush()
        elif not isinstance(error, OSError):
            with suppress(OSError):  # the first error is the one to tell
                self.flush()
