"""Documents as JSON in pieces: the same text, whatever is made only when it is written."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.formatters.json_text import compact, line, pieces
from mqtriage.model.result import Rows, whole

VALUES = st.one_of(st.none(), st.integers(), st.text(max_size=5), st.lists(st.booleans()))
ROWS = st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=2), max_size=4)


@given(plain=st.dictionaries(st.text(max_size=5), VALUES), rows=st.dictionaries(st.text(), ROWS))
def test_pieces_are_the_whole(plain: dict[str, Any], rows: dict[str, list[Any]]) -> None:
    document = plain | {key: Rows(items, dict) for key, items in rows.items()}
    assert "".join(pieces(document)) == compact(whole(document)) == compact(plain | rows)
    assert json.loads("".join(pieces(document))) == plain | rows


@given(
    before=st.dictionaries(st.text(max_size=5), VALUES),
    digits=st.none() | st.binary(max_size=5).map(bytes.hex),
    after=st.sampled_from(['"body_hex":0', '\\"body_hex":0', '","body_hex":0', "\0"]) | VALUES,
)
def test_a_line_is_the_record(before: dict[str, Any], digits: str | None, after: object) -> None:
    record = {**before, "body_hex": digits, "damages": [after], "pcf": after}
    assert line(record) == compact(record)


@pytest.mark.slow
def test_rows_are_made_one_at_a_time() -> None:
    rows = Rows(range(20_000), lambda number: {"number": number, "text": "x" * 100})
    tracemalloc.start()
    length = sum(map(len, pieces({"rows": rows})))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert length > 2_000_000
    assert peak < 100_000
