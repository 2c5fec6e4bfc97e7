"""Files with keys and passwords: nobody but their owner may read them."""

from __future__ import annotations

import os
from pathlib import Path

from mqtriage.files.whole import open_regular
from mqtriage.model.shell_words import shell_line
from mqtriage.mq.errors import Refused


def read_secret(path: Path | str) -> bytes:
    """All bytes of a file with keys or passwords.

    Raises:
        OSError: It cannot be opened.
        Refused: Others than its owner can read it; the group may where the owner is root.
        StorageError: It is a pipe or a device.
    """
    with open_regular(path) as file:
        status = os.fstat(file.fileno())
        if status.st_mode & (0o037 if status.st_uid == 0 and os.geteuid() else 0o077):
            raise Refused(
                f"{path}: other users can read the secret in it",
                hint=shell_line(("chmod", "600", str(path))),
            )
        return file.read()
