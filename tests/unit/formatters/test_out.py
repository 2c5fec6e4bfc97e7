"""What reaches the stream, and when."""

from __future__ import annotations

import errno
import io
from collections.abc import Iterator
from typing import Any

import pytest

from mqtriage.formatters.forms.select import write
from mqtriage.formatters.out import BATCH_CHARACTERS, Out
from mqtriage.formatters.style import Style
from mqtriage.model.result import Field, Listing

FIELDS = (Field("a", "A"),)


class Watched(io.StringIO):
    """A stream that remembers each write and counts flushes; it can fail at the n-th write."""

    def __init__(self, fail_at: int = 0, error: OSError | None = None) -> None:
        super().__init__()
        self.writes: list[str] = []
        self.flushed: list[int] = []
        self._fail_at = fail_at
        self._error = error or BrokenPipeError(errno.EPIPE, "closed")

    def write(self, text: str) -> int:
        if self._fail_at and len(self.writes) + 1 >= self._fail_at:
            raise self._error
        self.writes.append(text)
        return len(text)

    def flush(self) -> None:
        self.flushed.append(len(self.writes))


@pytest.mark.parametrize("form", ["ndjson", "csv", "json", "md", "ids"])
def test_the_first_record_is_out_before_the_second_is_read(form: str) -> None:
    stream = Watched()

    def items() -> Iterator[dict[str, Any]]:
        yield {"a": "first", "msg_id": "first"}
        assert any("first" in text for text in stream.writes)
        assert stream.flushed
        yield {"a": "second", "msg_id": "second"}

    assert write(Listing("L", FIELDS, items()), Style(form), stream) == 2


def test_later_records_are_written_in_batches() -> None:
    stream = Watched()
    items = ({"a": "x" * 100} for _ in range(2_000))
    write(Listing("L", FIELDS, items), Style("ndjson"), stream)
    assert 4 <= len(stream.writes) <= 6
    assert all(len(text) < BATCH_CHARACTERS + 200 for text in stream.writes)
    assert sum(text.count("\n") for text in stream.writes) == 2_000
    assert stream.flushed[-1] == len(stream.writes)


def test_on_a_terminal_each_line_is_out_at_once() -> None:
    stream = Watched()
    items = ({"a": n} for n in range(50))
    write(Listing("L", FIELDS, items), Style("ndjson", is_tty=True), stream)
    assert len(stream.writes) == len(stream.flushed) == 50


@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "csv", "md", "ids"])
def test_a_closed_pipe_ends_the_reading(form: str) -> None:
    read = 0

    def items() -> Iterator[dict[str, Any]]:
        nonlocal read
        while True:
            read += 1
            yield {"a": "x" * 100, "msg_id": "x" * 48}

    with pytest.raises(BrokenPipeError):
        write(Listing("L", FIELDS, items()), Style(form), Watched(fail_at=2))
    assert read < 3_000


def test_a_full_disk_is_told_as_such() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match="No space left"):
        write(Listing("L", FIELDS, [{"a": 1}]), Style("ndjson"), Watched(1, full))


def test_the_error_of_the_source_wins_over_one_of_the_stream() -> None:
    stream = Watched(fail_at=2)
    with pytest.raises(ValueError, match="lost"), Out(stream) as out:
        out.write("first\n")
        out.write("second\n")
        raise ValueError("lost")
    assert stream.writes == ["first\n"]


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "Ж \\udcff €\n"),
        ("latin-1", "\\u0416 \\udcff \\u20ac\n"),
        ("cp1252", "\\u0416 \\udcff €\n"),
    ],
)
def test_text_that_the_stream_cannot_hold_is_written_out(encoding: str, expected: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict", newline="\n")
    with Out(stream) as out:
        out.write("Ж \udcff €\n")
    assert raw.getvalue().decode(encoding) == expected
