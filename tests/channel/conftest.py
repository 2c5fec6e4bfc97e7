"""A queue manager that serves clients over TCP for each test."""

from __future__ import annotations

from collections.abc import Iterator
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
