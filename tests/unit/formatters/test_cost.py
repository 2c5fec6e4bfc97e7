"""Time and memory of long lists."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from mqtriage.formatters.forms.select import write
from mqtriage.formatters.style import Style
from mqtriage.model.result import Field, Listing, Show
from tests.support.timing import times_as_long

MQMD_FIELDS = (
    *(Field(f"field_{n:02d}", f"FIELD_{n:02d}") for n in range(8)),
    Field("length_bytes", "LENGTH", Show.BYTES),
)


class Sink(io.StringIO):
    """A stream that keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)


def messages(count: int) -> Iterator[dict[str, Any]]:
    base = {f"field_{n:02d}": n if n % 2 else f"value {n}" for n in range(24)}
    for number in range(count):
        yield {**base, "length_bytes": number, "body": "ab" * 1_024}


def test_ndjson_costs_at_most_half_as_much_again_as_json_dumps() -> None:
    def bare() -> None:
        for record in messages(3_000):
            json.dumps(record)

    def ours() -> None:
        write(Listing("L", MQMD_FIELDS, messages(3_000)), Style("ndjson"), Sink())

    assert times_as_long(ours, bare, 1.5) < 1.5


@pytest.mark.parametrize("form", ["ndjson", "json", "csv", "plain", "table", "md"])
@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_records(form: str) -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            style = Style(form, width=120)
            write(Listing("L", MQMD_FIELDS, messages(count)), style, Sink())
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1_500)  # what is imported once, and the widths that rich remembers, at most 4,096
    assert peak(6_000) < 1.3 * peak(1_500)
