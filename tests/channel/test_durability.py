"""What a reply promises is on the disk before it is sent; one wait does for several replies."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mqtriage.emulator.channel.segments import SegmentType
from tests.support.channel_client import OUTPUT, ChannelClient, message
from tests.support.channel_server import ChannelServer

QUEUE = "Q1"
CLIENTS = 6


class Disk:
    """The disk of a server: it can be told to wait and to fail, and it counts.

    It speaks by files, since the server is another process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fdatasync = os.fdatasync

    def __call__(self, descriptor: int) -> None:
        with (self._folder / "syncs").open("a") as syncs:
            syncs.write("x")
        while (self._folder / "waits").exists():
            time.sleep(0.01)
        if (self._folder / "fails").exists():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._fdatasync(descriptor)

    @property
    def syncs(self) -> int:
        file = self._folder / "syncs"
        return file.stat().st_size if file.exists() else 0

    def tell(self, word: str) -> None:
        (self._folder / word).touch()

    def take_back(self, word: str) -> None:
        (self._folder / word).unlink()


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    slow_disk = Disk(tmp_path)
    monkeypatch.setattr("mqtriage.emulator.core.file.store.os.fdatasync", slow_disk)
    return slow_disk


@pytest.fixture
def server(disk: Disk, new_server: Callable[..., ChannelServer]) -> Iterator[ChannelServer]:
    running = new_server()
    running.command(f"DEFINE QLOCAL({QUEUE})")
    running.start()
    yield running


def is_answered(client: ChannelClient, within_s: float) -> bool:
    """Whether something has come; it is not read."""
    client.socket.settimeout(within_s)
    try:
        return bool(client.socket.recv(1, socket.MSG_PEEK))
    except TimeoutError:
        return False
    finally:
        client.socket.settimeout(60)


def begin_put(client: ChannelClient, *, syncpoint: bool = False) -> None:
    client.begin(SegmentType.MQPUT, **message(client.open(QUEUE, OUTPUT), b"durable", syncpoint))


def test_a_persistent_put_is_answered_when_the_disk_has_it(
    server: ChannelServer, disk: Disk
) -> None:
    with ChannelClient(server.port) as client:
        client.open(QUEUE, OUTPUT)
        disk.tell("waits")
        begin_put(client)
        assert not is_answered(client, 0.4)
        disk.take_back("waits")
        assert is_answered(client, 60)


def test_of_a_unit_of_work_the_commit_alone_waits(server: ChannelServer, disk: Disk) -> None:
    with ChannelClient(server.port) as client:
        client.open(QUEUE, OUTPUT)
        disk.tell("waits")
        client.put(QUEUE, b"in a unit", syncpoint=True)
        client.begin(SegmentType.MQCMIT)
        assert not is_answered(client, 0.4)
        disk.take_back("waits")
        assert is_answered(client, 60)
        client.receive()
        assert client.get(QUEUE) == b"in a unit"


def test_one_wait_does_for_the_calls_that_came_meanwhile(server: ChannelServer, disk: Disk) -> None:
    clients = [ChannelClient(server.port) for _ in range(CLIENTS)]
    try:
        for client in clients:
            client.open(QUEUE, OUTPUT)
        before = disk.syncs
        disk.tell("waits")
        for client in clients:
            begin_put(client)
        assert not any(is_answered(client, 0.05) for client in clients)
        disk.take_back("waits")
        assert all(is_answered(client, 60) for client in clients)
        assert disk.syncs - before <= 3, "the first, and one or two for all the others"
    finally:
        for client in clients:
            client.close()


def test_a_disk_that_fails_ends_the_socket_without_a_reply(
    server: ChannelServer, disk: Disk
) -> None:
    """Whether the message is there stays open, as after any broken connection; it says so once."""
    with ChannelClient(server.port) as client:
        client.open(QUEUE, OUTPUT)
        disk.tell("fails")
        begin_put(client)
        with pytest.raises(ConnectionError):
            client.receive()
    (line,) = server.lines()
    assert "Input/output error" in line
    disk.take_back("fails")
    with ChannelClient(server.port) as client:
        client.put(QUEUE, b"goes on")
