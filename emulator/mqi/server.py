"""Serve one emulated queue manager on a Unix socket to programs that link to our C library.

One thread a client, with its own view of the file. The socket stands in a folder that only its
owner can enter, so whoever reaches it may do what the owner of the file may do.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import select
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from mqtriage.emulator import home
from mqtriage.emulator.mqi.dispatcher import answer
from mqtriage.emulator.mqi.frames import BadFrame, receive
from mqtriage.emulator.mqi.session import ClientGone, Session, Shared
from mqtriage.emulator.store import Store
from mqtriage.mq.errors import StorageError

FOLDER_SUFFIX: Final = ".mqi"
SOCKET: Final = "socket"
_LOCK: Final = "lock"
_BACKLOG: Final = 128
_GO_ON_S: Final = 5.0
_CREDENTIALS: Final = struct.Struct("iII")


def folder_of(path: Path) -> Path:
    """Where the socket of the queue manager in the file *path* stands."""
    return path.with_suffix(FOLDER_SUFFIX)


class Server:
    """Listens for clients of one queue manager until it is stopped."""

    def __init__(self, path: Path, users: Mapping[str, str] | None = None) -> None:
        self._shared = Shared(path, users or {})
        self._folder = home.private_folder(folder_of(path))
        os.chmod(self._folder, 0o700)
        self._clients: dict[socket.socket, threading.Thread] = {}
        self._lock = threading.Lock()
        self._wake_up, self._woken = os.pipe()[::-1]
        try:
            self._shared.manager()  # says at once where the file is not one of ours
            self._only_one = self._hold()
            self._listener = self._listen()
        except BaseException:
            os.close(self._wake_up)
            os.close(self._woken)
            raise

    def _hold(self) -> int:
        """The lock that says a server is there; the kernel drops it however this process ends.

        Raises:
            StorageError: Another one is there.
        """
        fd = os.open(self._folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            raise StorageError(
                f"{self._folder}: another server serves this queue manager",
                hint="use it, or stop it first",
            ) from None
        return fd

    def _listen(self) -> socket.socket:
        made = self._folder / f"{SOCKET}.new"
        made.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with _short_path(self._folder) as folder:
            listener.bind(f"{folder}/{made.name}")
        os.chmod(made, 0o600)
        listener.listen(_BACKLOG)
        made.rename(self._folder / SOCKET)  # whoever sees it can connect to it
        return listener

    def stop(self) -> None:
        """Let `serve` return; from another thread or a signal handler."""
        os.write(self._wake_up, b"x")

    def serve(self) -> None:
        """Serve until `stop`; then every client's unit of work is backed out."""
        folder = threading.Thread(target=self._fold_logs, daemon=True)
        folder.start()
        try:
            while True:
                ready = select.select([self._listener.fileno(), self._woken], [], [])[0]
                if self._woken in ready:
                    return
                client, _ = self._listener.accept()
                thread = threading.Thread(target=self._client, args=(client,), daemon=True)
                with self._lock:
                    self._clients[client] = thread
                thread.start()
        finally:
            self._close()

    def _close(self) -> None:
        (self._folder / SOCKET).unlink(missing_ok=True)
        self._listener.close()
        self._shared.stopping.set()
        self._shared.bell.ring()
        self._shared.bell.many.set()
        with self._lock:
            left = list(self._clients.items())
        for client, _ in left:
            _hang_up(client)
        for _, thread in left:
            thread.join(_GO_ON_S)
        with self._shared.turn:
            self._shared.close()
        os.close(self._only_one)
        os.close(self._wake_up)
        os.close(self._woken)

    def _fold_logs(self) -> None:
        """Fold the log of the file beside the clients' calls, so that none waits for the disk."""
        with closing(Store(self._shared.path)) as store:
            bell = self._shared.bell
            while bell.many.wait() and not self._shared.stopping.is_set():
                bell.many.clear()
                with suppress(StorageError):  # told to the client whose call meets it
                    if not store.fold_log():
                        # the little that came in meanwhile: only a log folded whole begins anew
                        with self._shared.turn:
                            store.fold_log()

    def _client(self, client: socket.socket) -> None:
        session = Session(self._shared, _peer_user(client), _gone(client))
        try:
            while (request := receive(client)) is not None:
                with self._shared.turn:
                    reply = answer(session, request)
                client.sendall(reply)
        except (BadFrame, ClientGone, OSError):
            pass
        finally:
            try:
                with self._shared.turn:
                    session.end(committed=False)
            except Exception as error:  # it is backed out by whoever comes next
                print(f"mqtriage: a client's end: {error}", file=sys.stderr)
            with self._lock:
                self._clients.pop(client, None)
            client.close()


def _hang_up(client: socket.socket) -> None:
    """Take no more requests; the reply to the last one still goes out."""
    with suppress(OSError):
        client.shutdown(socket.SHUT_RD)


@contextmanager
def _short_path(folder: Path) -> Iterator[str]:
    """A name of *folder* that fits into a socket's address, which takes 107 bytes."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{fd}"
    finally:
        os.close(fd)


def _gone(client: socket.socket) -> Callable[[], bool]:
    def look() -> bool:
        try:
            return client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    return look


def _peer_user(client: socket.socket) -> str:
    """The user that runs the program at the other end."""
    raw = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    number = _CREDENTIALS.unpack(raw)[1]
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
