"""A queue manager whose REST API is served, for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.web_server import WebServer

pytest.importorskip("h11")


@pytest.fixture
def web(tmp_path: Path) -> Iterator[WebServer]:
    server = WebServer(tmp_path)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def new_web(tmp_path: Path) -> Iterator[Callable[..., WebServer]]:
    """Makes one with options of its own."""
    servers: list[WebServer] = []

    def make(*names: str, **options: Any) -> WebServer:
        servers.append(WebServer(tmp_path, *names, **options))
        return servers[-1]

    yield make
    for server in servers:
        server.close()
