"""The memory of the last snapshot answers like a multiset of keys."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mqtriage.pipeline.snapshots.known import Head, KnownMessage, Remembering, recall

KEYS = st.integers(0, 40).map(lambda number: number.to_bytes(1, "big").ljust(16, b"\0"))
"""Few, and alike in their first eight bytes now and then, so that keys repeat over blocks."""


def record(key: bytes) -> KnownMessage:
    return KnownMessage(key, 1, None, 5, 0, bytes(24), bytes(24), None)


@given(
    known=st.lists(KEYS, max_size=300) | st.lists(st.just(bytes(16)), max_size=200),
    asked=st.lists(KEYS, max_size=80),
)
def test_each_record_is_met_once_and_the_rest_is_told(
    known: list[bytes], asked: list[bytes]
) -> None:
    remembering = Remembering()
    for key in known:
        remembering.add(record(key))
    head = Head("s", ["Q"], {"QLOCAL Q": "digest"})
    with tempfile.TemporaryDirectory() as name:
        remembering.write(Path(name), "QM1", head)
        memory = recall(Path(name), "QM1")
        assert memory is not None
        assert memory.head == head
        remaining = Counter(known)
        for key in asked:
            met = memory.meet(key)
            assert (met is not None) == (remaining[key] > 0)
            remaining[key] -= met is not None
        assert Counter(unmet.key for unmet in memory.not_met()) == +remaining
        memory.close()
    remembering.close()
