"""Serve one emulated queue manager on a Unix socket to programs that link to our C library.

One thread a client, with its own view of the file. The socket stands in a folder that only its
owner can enter, so whoever reaches it may do what the owner of the file may do.
"""

from __future__ import annotations

import os
import pwd
import select
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from mqtriage.emulator.core import channels, listeners
from mqtriage.emulator.core.file import gate, home
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.write_behind.buffer import BUFFER_S
from mqtriage.emulator.mqi.descriptors import Spare, raise_limit
from mqtriage.emulator.mqi.dispatcher import answer, refused
from mqtriage.emulator.mqi.frames import BadFrame, receive
from mqtriage.emulator.mqi.session import ClientGone, Session, Shared
from mqtriage.files.locks import try_lock
from mqtriage.files.private import made_folder, open_private
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQTriageError, StorageError

SOCKET: Final = "socket"
_BACKLOG: Final = 128
_STOP: Final = b"x"
_GO_ON_S: Final = 5.0
_RETRY_S: Final = 1.0
_REFUSAL_S: Final = 0.5
_LOOK_S: Final = 1.0
_OPEN_FILES: Final = "/proc/self/fd"
_CREDENTIALS: Final = struct.Struct("iII")
"""Of SO_PEERCRED of Linux: process, user, group."""
_SOL_LOCAL: Final = 0
_LOCAL_PEERCRED: Final = 1
_XUCRED: Final = struct.Struct("IIh2x16I")
"""Of LOCAL_PEERCRED of macOS (unix(4), struct xucred): version, user, groups."""


class Server:
    """Listens for clients of one queue manager until it is stopped.

    Attributes:
        shared: what its clients share, for others that serve the same queue manager.
    """

    def __init__(self, path: Path, users: Mapping[str, str] | None = None) -> None:
        self.shared = Shared(path, users or {})
        self._folder = made_folder(home.server_folder(path))
        os.chmod(self._folder, 0o700)
        self._clients: dict[socket.socket, threading.Thread] = {}
        self._sessions: dict[socket.socket, Session] = {}
        self._quiesce_began_s: dict[socket.socket, float] = {}
        self._lock = threading.Lock()
        self._beside: list[threading.Thread] = []
        self._wake_up, self._woken = os.pipe()[::-1]
        self._asked = gate.listen(path)
        self._spare = Spare()
        try:
            self.shared.manager()  # says at once where the file is not one of ours
            self._only_one = self._hold()
            listeners.forget(path)  # what one that was killed has left
            self._listener = self._listen()
        except BaseException:
            self._close_pipes()
            raise

    def tell_port(self, port: int, address: str) -> None:
        """Let programs know on which TCP port the queue manager is, until the server ends."""
        with self.shared.lock:
            now_us = self.shared.manager().look()
        listeners.tell(self.shared.path, port, address, os.getpid(), now_us)

    def _hold(self) -> int:
        """The lock that says a server is there; the kernel drops it however this process ends."""
        descriptor = open_private(self._folder / home.SERVER_LOCK, os.O_RDWR)
        if not try_lock(descriptor):
            os.close(descriptor)
            raise StorageError(
                f"{self._folder}: another server serves this queue manager",
                hint="use it, or stop it first",
            )
        return descriptor

    def _listen(self) -> socket.socket:
        path = self._folder / f"{SOCKET}.new"
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with _short_path(self._folder) as folder:
            listener.bind(f"{folder}/{path.name}")
        os.chmod(path, 0o600)
        listener.listen(_BACKLOG)
        path.rename(self._folder / SOCKET)  # whoever sees it can connect to it
        return listener

    def stop(self) -> None:
        """Let `serve` return; from another thread or a signal handler."""
        os.write(self._wake_up, _STOP)

    def serve(self) -> None:
        """Serve until `stop`; then every client's unit of work is backed out."""
        raise_limit()
        for beside in (self._fold_logs, self._write_down_in_time):
            thread = threading.Thread(target=beside, daemon=True)
            self._beside.append(thread)
            thread.start()
        listener = self._listener.fileno()
        try:
            with _signals_wake(self._wake_up):
                self._wait(listener)
        finally:
            self.close()

    def _wait(self, listener: int) -> None:
        waiting = select.poll()  # select() takes no descriptor above 1,023
        for descriptor in (listener, self._woken, self._asked):
            waiting.register(descriptor, select.POLLIN)
        looked_s = time.monotonic()
        while True:
            ready = [descriptor for descriptor, _ in waiting.poll(self._pause_ms())]
            if self._woken in ready and _STOP in os.read(self._woken, 64):
                return
            if self._asked in ready:
                self._give_way()
            if listener in ready:
                self._take_client()
            if (now_s := time.monotonic()) - looked_s >= _LOOK_S:
                looked_s = now_s
                self._end_those_of_stopped_channels(now_s)

    def _pause_ms(self) -> float | None:
        """How long to wait at most: while there are clients, their channels may be stopped."""
        return _LOOK_S * 1000 if self._clients else None

    def _end_those_of_stopped_channels(self, now_s: float) -> None:
        """Hang up on programs by STOP CHANNEL: at once, or some time after they could know."""
        with self._lock:
            sessions = list(self._sessions.items())
        modes: dict[socket.socket, channels.Mode | None] = {}
        with suppress(MQTriageError), self.shared.lock:  # their own calls meet that error, too
            manager = self.shared.manager()
            manager.look()
            if channels.are_ending(manager):
                connected = ((client, one) for client, one in sessions if one.is_connected)
                modes = {client: one.connection.ending for client, one in connected}
        for client, mode in modes.items():
            if mode is None:
                continue
            began_s = self._quiesce_began_s.setdefault(client, now_s)
            if mode != "QUIESCE" or now_s - began_s >= channels.QUIESCE_S:
                with suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)

    def _take_client(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError as error:
            self._refuse_one(error.strerror or str(error))
            return
        self._spare.is_short = False
        thread = threading.Thread(target=self._client, args=(client,), daemon=True)
        with self._lock:
            self._clients[client] = thread
        thread.start()

    def _refuse_one(self, reason: str) -> None:
        """Tell the client that there is no descriptor for, by one that is kept for that."""
        self._spare.say_short(len(self._clients), reason)
        with self._spare.free(), suppress(OSError, BadFrame), self._listener.accept()[0] as client:
            client.settimeout(_REFUSAL_S)
            request = receive(client)
            if request is not None:
                client.sendall(refused(request, cmqc.MQRC_HOST_NOT_AVAILABLE))

    def _give_way(self) -> None:
        """Somebody waits to look at the file."""
        os.read(self._asked, 4096)
        if (buffer := self.shared.write_behind) is not None:
            buffer.asked = True  # a client that holds the lock sees it too
        try:
            with self.shared.lock:
                if (buffer := self.shared.write_behind) is not None:
                    buffer.give_way()
        except StorageError as error:
            _tell(error)

    def close(self) -> None:
        """End what there is of it; `serve` does so itself, so only where it is never called."""
        (self._folder / SOCKET).unlink(missing_ok=True)
        listeners.forget(self.shared.path)
        self._listener.close()
        self.shared.stopping.set()
        self.shared.wake_up.notify()
        self.shared.grown.set()
        self.shared.buffered.set()
        with self._lock:
            clients = list(self._clients.items())
        for client, _ in clients:  # no more requests; the reply to the last one still goes out
            with suppress(OSError):
                client.shutdown(socket.SHUT_RD)
        for thread in (*(thread for _, thread in clients), *self._beside):
            thread.join(_GO_ON_S)  # afterwards the file may be removed
        try:
            with self.shared.lock:
                self.shared.close()
        except StorageError as error:
            print(f"mqtriage: nonpersistent messages are lost: {error.text}", file=sys.stderr)
        os.close(self._only_one)
        self._close_pipes()

    def _close_pipes(self) -> None:
        self._spare.close()
        for end in (self._wake_up, self._woken, self._asked):
            os.close(end)

    def _fold_logs(self) -> None:
        """Fold the log of the file beside the clients' calls, so that none waits for the disk.

        It opens the file each time, because the queue manager may have been removed and created
        again. It reports no error of the file: a client's call gets it too.
        """
        shared = self.shared
        while shared.grown.wait() and not shared.stopping.is_set():
            shared.grown.clear()
            with suppress(StorageError), closing(Store(shared.path)) as store:
                if not store.fold_log():
                    # changes since then: only a log that is folded completely starts again
                    with shared.lock:
                        store.fold_log()

    def _write_down_in_time(self) -> None:
        """Have what is held back written down in time."""
        shared = self.shared
        while shared.buffered.wait() and not shared.stopping.is_set():
            shared.buffered.clear()
            time.sleep(BUFFER_S)
            try:
                with shared.lock:
                    if shared.write_behind is not None:
                        shared.write_behind.end()
            except StorageError as error:
                _tell(error)
                shared.buffered.set()
                shared.stopping.wait(_RETRY_S)

    def _client(self, client: socket.socket) -> None:
        session = Session(self.shared, _peer_user(client), _gone(client))
        stopping = self.shared.stopping
        with self._lock:
            self._sessions[client] = session
        try:
            while not stopping.is_set() and (request := receive(client)) is not None:
                with self.shared.lock:
                    before = self.shared.promised
                    reply = answer(session, request)
                    promised = self.shared.promised
                    self.shared.look_at_log()
                if promised != before:
                    self.shared.sync(promised)
                stopping.wait(session.take_refusal_delay_s())
                client.sendall(reply)
        except (BadFrame, ClientGone, OSError):
            pass
        finally:
            try:
                with self.shared.lock:
                    session.end(committed=False)
            except Exception as error:  # it is backed out by whoever comes next
                print(f"mqtriage: a client's end: {error}", file=sys.stderr)
            with self._lock:
                for of_clients in (self._clients, self._sessions, self._quiesce_began_s):
                    of_clients.pop(client, None)
            client.close()


def _tell(error: StorageError) -> None:
    print(f"mqtriage: nonpersistent messages wait in memory: {error.text}", file=sys.stderr)


@contextmanager
def _short_path(folder: Path) -> Iterator[str]:
    """A name of *folder* that fits into a socket's address: 107 bytes, 103 on macOS."""
    if not os.path.exists(_OPEN_FILES):
        with tempfile.TemporaryDirectory(dir="/tmp") as beside:
            os.symlink(folder.absolute(), f"{beside}/at")
            yield f"{beside}/at"
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"{_OPEN_FILES}/{fd}"
    finally:
        os.close(fd)


@contextmanager
def _signals_wake(pipe: int) -> Iterator[None]:
    """Have each signal write its number to *pipe*.

    Python runs a handler once its main thread goes on: one that comes just before the thread waits
    would be told with the next client, or never.
    """
    os.set_blocking(pipe, False)
    try:
        before = signal.set_wakeup_fd(pipe, warn_on_full_buffer=False)
    except ValueError:  # Python takes signals in the main thread only
        yield
        return
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)


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
    if hasattr(socket, "SO_PEERCRED"):
        raw = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        number = _CREDENTIALS.unpack(raw)[1]
    else:
        raw = client.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size)
        number = _XUCRED.unpack(raw)[1]
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
