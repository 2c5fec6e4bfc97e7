"""docs/rest-programs.md: its requests are answered, and its limits are those of the server."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.tools import tool
from tests.support.web_server import WebServer

http_server = pytest.importorskip("mqtriage.emulator.web.http_server")
resources = pytest.importorskip("mqtriage.emulator.web.resources")
TEXT = (Path(__file__).parents[2] / "docs/rest-programs.md").read_text("utf-8")


def test_the_requests_of_the_page_are_answered(tmp_path: Path) -> None:
    (script,) = re.findall(r"```sh run\n(.*?)```", TEXT, re.DOTALL)
    web = WebServer(tmp_path)
    try:
        ran = subprocess.run(
            ["/bin/sh", "-e"], input=script, text=True, capture_output=True, check=False,
            env={
                "PATH": str(Path(tool("curl")).parent), "CA": web.serving.ca_file,
                "URL": f"{web.url}/ibmmq/rest/v3",
            },
        )  # fmt: skip
    finally:
        web.close()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert '"state": "running"' in ran.stdout
    assert "AMQ8006I: IBM MQ queue created." in ran.stdout
    assert "QUEUE(ORDERS.IN)   TYPE(QLOCAL)   MAXDEPTH(500)" in ran.stdout
    assert ran.stdout.endswith("order 17" * 2)


def test_the_limits_are_those_of_the_server() -> None:
    assert f"{http_server.HEAD_BYTES >> 10} KiB and {http_server.HEAD_S:.0f} seconds" in TEXT
    assert f"{http_server.MOST_SOCKETS} connections in total" in TEXT


def test_every_resource_is_in_the_table() -> None:
    for resource in resources.RESOURCES:
        plain = "/" + "/".join(resource.pattern)
        pattern = re.escape(plain.removesuffix("/{}")).replace(r"\{\}", r"\{[a-z]+\}")
        (path, *_) = re.findall(rf"`({pattern})`", TEXT) or [""]
        row = next((line for line in TEXT.splitlines() if f"`{path}`" in line), "")
        assert path, pattern
        assert resource.method in row or "runCommand" in row
