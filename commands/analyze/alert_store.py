"""What `analyze watch` remembers between looks, in one file that is replaced whole.

It says how each subject was when last seen, which batch of each stream and how much of each log
that includes, and which alerts were not yet handed over. So a kill loses no alert: Spark gives the
batch again that was not taken in, and what was not handed over for sure comes once more, under the
same number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mqtriage.commands.analyze.alerts import Key, Look, decide
from mqtriage.files.durable import replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.locks import FileLock
from mqtriage.files.private import private_folder
from mqtriage.model.check_result import CheckedObject, Status
from mqtriage.model.result import Record, keys_of
from mqtriage.mq.errors import Refused, StorageError

STATE: Final = "alerts.json"
_LOCK: Final = ".lock"
_VERSION: Final = 1


class AlertStore:
    """The memory in one file; open it with `opened`.

    Attributes:
        waiting: records of `Alert` that were not yet handed over.
        read_bytes: log to how far it was read, as `commands.analyze.event_lines` keeps it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[Key, Look] = {}
        self._batches: dict[str, int] = {}
        self._count = 0
        self._has_single = False
        self.waiting: list[Record] = []
        self.read_bytes: dict[str, int] = {}
        if path.exists():
            try:
                state = json.loads(self._path.read_bytes())
                if state["version"] != _VERSION:
                    raise ValueError(f"version {state['version']}")
                self._count = int(state["alerts"])
                self._batches = dict(state["batches"])
                self.read_bytes = dict(state["read_bytes"])
                self.waiting = list(state["waiting"])
                for *names, time_us, status, message in state["known"]:
                    manager, name, subject = names
                    key = (manager, name, subject)
                    self._known[key] = Look(key, time_us, Status(status), message)
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise StorageError(
                    f"{self._path}: cannot be read as the state of analyze watch",
                    hint="--checkpoint with another folder starts again",
                ) from error

    @property
    def is_alarming(self) -> bool:
        """Something is not OK, or an event that has no counterpart came to this process."""
        return self._has_single or any(
            look.status is not Status.OK for look in self._known.values()
        )

    def apply(self, stream: str, batch: int, looks: Iterable[Look]) -> None:
        """Take in what a batch says; nothing where it was taken in before."""
        if batch <= self._batches.get(stream, -1):
            return
        self._known, alerts = decide(self._known, looks)
        self._batches[stream] = batch
        for alert in alerts:
            self._count += 1
            self._has_single |= not alert.look.lasts
            self.waiting.append(keys_of(alert.record(self._count)))
        self.save()

    def handed_over(self, count: int) -> None:
        """Forget the first *count* alerts that were waiting."""
        if count:
            del self.waiting[:count]
            self.save()

    def checks(self) -> list[CheckedObject]:
        """How every subject was when last seen, as the results of checks."""
        return [look.checked() for _, look in sorted(self._known.items())]

    def save(self) -> None:
        """Put it on disk."""
        state = {
            "version": _VERSION,
            "alerts": self._count,
            "batches": self._batches,
            "read_bytes": self.read_bytes,
            "waiting": self.waiting,
            "known": [
                [*look.key, look.time_us, look.status.value, look.message]
                for look in self._known.values()
            ],
        }
        replace_file(self._path, [json.dumps(state).encode()])


@contextmanager
def opened(folder: Path) -> Iterator[AlertStore]:
    """The store in *folder*, which is made for its owner alone; nobody else has it meanwhile.

    Raises:
        Refused: Another process has it.
        StorageError: It cannot be read or written.
    """
    busy = Refused(
        f"{folder}: another analyze watch uses this checkpoint",
        hint="give each one its own --checkpoint",
    )
    with storage_errors(f"--checkpoint {folder}"):
        lock = FileLock(private_folder(folder) / _LOCK, busy)
    try:
        yield AlertStore(folder / STATE)
    finally:
        lock.release()
