"""A queue manager that serves clients over TCP for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.channel_server import ChannelServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ChannelServer]:
    running = ChannelServer(tmp_path)
    try:
        yield running
    finally:
        running.close()


@pytest.fixture
def new_server(tmp_path: Path) -> Iterator[Callable[..., ChannelServer]]:
    """Makes one, of QM1 or the queue managers named, that is not started."""
    servers = []

    def make(*names: str) -> ChannelServer:
        servers.append(ChannelServer(tmp_path, names=names or ("QM1",), starts=False))
        return servers[-1]

    yield make
    for server in servers:
        server.close()
