"""The names of an emulated queue manager's queues, read in the cheapest way.

For what must answer while somebody presses a key: no connection is made, and what should have
happened since the last touch (delays, expiry) does not happen.
"""

from __future__ import annotations

from pathlib import Path

from mqtriage.emulator.core.file.store import Store


def queue_names(path: Path) -> list[str]:
    """Names of the queues in the file at *path*, sorted.

    Raises:
        StorageError: It cannot be read.
    """
    store = Store(path, busy_s=0.1)
    try:
        return [name for (name,) in store.execute("SELECT name FROM queue ORDER BY name")]
    finally:
        store.close()
