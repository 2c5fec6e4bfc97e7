"""Standard input comes in the bytes that were typed or piped."""

from __future__ import annotations

from io import BytesIO, StringIO, TextIOWrapper

import pytest

from mqtriage.files.whole import bytes_of, read_all
from mqtriage.mq.errors import StorageError


class Closed(StringIO):
    """As the stream of a caller that closed it."""

    def read(self, size: int | None = -1) -> str:
        raise OSError(9, "Bad file descriptor")


def test_bytes_that_are_no_text_come_as_they_are() -> None:
    assert read_all(TextIOWrapper(BytesIO(b"\xff\x00\r\n"), encoding="utf-8")) == b"\xff\x00\r\n"


def test_a_stream_that_has_only_text_gives_its_bytes() -> None:
    assert bytes_of(StringIO("ä\udcff")).read() == b"\xc3\xa4\xff"


def test_what_cannot_be_read_is_named() -> None:
    with pytest.raises(StorageError, match="standard input: Bad file descriptor"):
        read_all(Closed())
