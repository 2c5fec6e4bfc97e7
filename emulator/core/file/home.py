"""Where emulated queue managers live: one file each in a folder that only its owner can read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import first_of
from mqtriage.mq.errors import NotFound
from mqtriage.mq.names import nearest

SUFFIX: Final = ".qmgr"
SERVER_LOCK: Final = "lock"
"""In `server_folder`: who holds it serves the queue manager."""
SERVER_PORT: Final = "port"
"""In `server_folder`: the TCP port on which clients find the queue manager, while there is one."""
SERVER_LISTENER: Final = "listener"
"""In `server_folder`: what START LISTENER and STOP LISTENER have said of that port."""


def qmgr_folder(home: Path) -> Path:
    return home / "emulator"


def qmgr_path(home: Path, name: str) -> Path:
    """The file of queue manager *name*; `/` and `%` of its name are written as %2F and %25."""
    safe = name.replace("%", "%25").replace("/", "%2F")
    return qmgr_folder(home) / (safe + SUFFIX)


def web_certificate(home: Path) -> Path:
    """The certificate that `emulator serve --web` makes for itself."""
    return qmgr_folder(home) / "mqweb.pem"


def lock_folder(path: Path) -> Path:
    """Where the lock files of the connections to the file *path* stand."""
    return path.with_suffix(".locks")


def server_folder(path: Path) -> Path:
    """Where the socket of the server of the file *path* stands."""
    return path.with_suffix(".mqi")


def qmgr_names(home: Path) -> list[str]:
    """The queue managers that there are, by name."""
    folder = qmgr_folder(home)
    if not folder.is_dir():
        return []
    files = (file.name for file in folder.iterdir())
    stems = (name.removesuffix(SUFFIX) for name in files if name.endswith(SUFFIX))
    return sorted(re.sub("%(25|2F)", lambda m: {"25": "%", "2F": "/"}[m[1]], s) for s in stems)


def existing_path(home: Path, name: str) -> Path:
    """The file of a queue manager that exists."""
    path = qmgr_path(home, name)
    if path.exists():
        return path
    names = qmgr_names(home)
    there = f"; there are: {', '.join(first_of(names, 5))}" if names else ""
    near = nearest(name, names)
    hint = f"did you mean {near}?" if near else f"mqtriage emulator create {shell_word(name)}"
    if name.endswith("*") or "," in name:
        hint = "the name of one queue manager is expected here"
    if "?" in name:
        hint = "'?' is not a wildcard, but '*' is: -m 'PROD*'; for several: -m QM1,QM2"
    raise NotFound(
        f"no emulated queue manager {name}{there}",
        hint=hint,
        object_name=name,
    )
