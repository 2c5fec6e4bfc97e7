"""The names of an emulated queue manager's queues, read in the cheapest way.

For what must answer while somebody presses a key: no connection is made, and what should have
happened since the last touch (delays, expiry) does not happen.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables import queues


def queue_names(path: Path) -> list[str]:
    """Names of the queues in the file at *path*, sorted.

    Raises:
        StorageError: It cannot be read.
    """
    with closing(Store(path, busy_s=0.1)) as store:
        return queues.names(store)
