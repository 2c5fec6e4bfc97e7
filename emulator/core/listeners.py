"""The listener of a served queue manager: its port, and whether STOP LISTENER has stopped it.

`emulator serve --tcp` is one listener. Files in the server's folder describe it, so that the server
sees what any program has commanded, and nothing of it is left when the server ends.
Source: IBM MQ documentation, "START LISTENER", "STOP LISTENER", "DISPLAY LSSTATUS".
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from mqtriage.emulator.core.file import home
from mqtriage.files.locks import is_locked
from mqtriage.records import NamedTuple

_STOPPED: Final = "stopped"


class Port(NamedTuple):
    """A TCP port that a server listens on, or did until STOP LISTENER.

    Attributes:
        process: number of the server's.
        since_us: when it began, by the queue manager's clock.
    """

    number: int
    address: str
    process: int
    since_us: int
    is_stopped: bool


def port_of(path: Path) -> Port | None:
    """The port on which the queue manager of file *path* is served; None where it is not."""
    folder = home.server_folder(path)
    try:
        number, address, process, since_us = (folder / home.SERVER_PORT).read_text().split()
    except (FileNotFoundError, ValueError):  # not served, or not over TCP
        return None
    if not is_locked(folder / home.SERVER_LOCK):
        return None  # its server was killed
    command = _command(path)
    began_us = int(command) if command.isdigit() else int(since_us)
    return Port(int(number), address, int(process), began_us, command == _STOPPED)


def is_stopped(path: Path) -> bool:
    """Whether the listener of the queue manager of file *path* takes nobody."""
    return _command(path) == _STOPPED


def stop(path: Path) -> None:
    """Have the server take nobody; those that have come stay."""
    (home.server_folder(path) / home.SERVER_LISTENER).write_text(_STOPPED)


def start(path: Path, now_us: int) -> None:
    """Have the server take clients again."""
    (home.server_folder(path) / home.SERVER_LISTENER).write_text(str(now_us))


def tell(path: Path, number: int, address: str, process: int, now_us: int) -> None:
    """Let programs know on which port the queue manager is, until its server ends."""
    file = home.server_folder(path) / home.SERVER_PORT
    beside = file.with_suffix(".new")
    beside.write_text(f"{number}\n{address} {process} {now_us}\n")
    beside.rename(file)


def forget(path: Path) -> None:
    """Remove what an earlier server has left, or one that ends."""
    for name in (home.SERVER_PORT, home.SERVER_LISTENER):
        (home.server_folder(path) / name).unlink(missing_ok=True)


def _command(path: Path) -> str:
    command = ""
    with suppress(OSError):
        command = (home.server_folder(path) / home.SERVER_LISTENER).read_text()
    return command
