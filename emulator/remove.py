"""Removing a queue manager."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from mqtriage.emulator.core.connections import reap
from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.tables import handles
from mqtriage.emulator.open import open_manager
from mqtriage.files.failures import storage_errors
from mqtriage.files.locks import is_locked
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import Refused, StorageError


def remove(folder: Path, name: str) -> None:
    """Delete the file of a queue manager, with its messages.

    Raises:
        NotFound: There is none of that name.
        Refused: A program is connected to it.
        StorageError: The file cannot be removed.
    """
    path = home.existing_path(folder, name)
    try:
        manager = open_manager(path)
    except StorageError:
        pass  # damaged or of another make: removing is what is left to do
    else:
        with closing(manager):
            reap(manager)
            if handles.count_connections(manager.store):
                raise Refused(
                    f"{name}: a program is connected to it",
                    hint=f"end that program, or: mqtriage emulator stop {shell_word(name)}",
                )
    with storage_errors(f"{path}: cannot be removed"):
        for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            file.unlink(missing_ok=True)
        shutil.rmtree(home.lock_folder(path), ignore_errors=True)
        # a server that holds its lock goes on, for another queue manager of that name
        if not is_locked(home.server_folder(path) / home.SERVER_LOCK):
            shutil.rmtree(home.server_folder(path), ignore_errors=True)
