"""An act needs the same memory for many messages as for few."""

from __future__ import annotations

import pytest
from benchmarks.acts import VERBS, act

FEW, MANY = 4_000, 12_000
"""More than fill the page cache of SQLite, which has a fixed size."""
KIB = 512
"""What may differ: 65 bytes a message. One entry of an archive's index is as much."""


@pytest.mark.long
@pytest.mark.parametrize("verb", VERBS)
def test_the_memory_of_an_act_does_not_grow_with_its_messages(verb: str) -> None:
    few, many = (act(verb, count).peak_kib for count in (FEW, MANY))
    assert many - few < KIB, f"{few} KiB for {FEW}, {many} KiB for {MANY}"
