"""Standard input in the bytes that came, also where the stream has only text."""

from __future__ import annotations

from io import BytesIO
from typing import BinaryIO, TextIO, cast

from mqtriage.files.failures import storage_errors


def bytes_of(stream: TextIO) -> BinaryIO:
    """The bytes behind a stream of text."""
    binary = getattr(stream, "buffer", None)
    if binary is None:  # the text of a test, or a stream that the caller closed
        return BytesIO(stream.read().encode("utf-8", "surrogateescape"))
    return cast("BinaryIO", binary)


def read_all(stream: TextIO) -> bytes:
    """All of it."""
    with storage_errors("standard input"):
        return bytes_of(stream).read()
