"""Which messages of a plan have a twin in it: the same ids, put time, length and data.

There are few as a rule, and all that has to be remembered is about them: what works through a plan
of a million messages must not keep a million marks in memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256

from mqtriage.files.scratch import Sorter
from mqtriage.model.plan import PlannedMessage

_BYTES_HELD = 1 << 20


def duplicate_keys(messages: Iterable[PlannedMessage]) -> frozenset[bytes]:
    """The keys that two or more of *messages* have."""
    with closing(Sorter(_BYTES_HELD)) as sorter:
        for planned in messages:
            sorter.add(duplicate_key(planned))
        return frozenset(sorter.repeated())


def duplicate_key(planned: PlannedMessage) -> bytes:
    """What `planned.is_same` compares, in 16 bytes."""
    texts = f"{planned.put_date}\0{planned.put_time}\0{planned.length_bytes}".encode()
    return sha256(planned.msg_id + planned.correl_id + planned.digest + texts).digest()[:16]
