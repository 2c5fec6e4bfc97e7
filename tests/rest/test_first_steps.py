"""What a stranger does first: one program serves, another has a context for it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.emulator.core.file.home import web_certificate
from tests.acceptance.conftest import Bench
from tests.rest.conftest import Scripted
from tests.rest.test_commands import bench_at
from tests.support.web_server import WebServer

SAMPLES = Path(__file__).parents[2] / "emulator" / "samples"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path / "home")
    bench.environ |= {"MQTRIAGE_CONFIG": str(tmp_path / "config.toml")}
    return bench


@pytest.fixture
def printed(bench: Bench) -> Iterator[list[str]]:
    """What `emulator serve QM1 --web 0` says in a process of its own, where nothing is yet."""
    words = [sys.executable, "-m", "mqtriage", "emulator", "serve", "QM1", "--web", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=bench.environ, text=True) as server:
        lines = []
        assert server.stderr is not None
        for line in server.stderr:
            lines.append(line.strip())
            if "listening on" in line:
                break
        yield lines
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0


@pytest.mark.slow
def test_the_line_that_serve_prints_is_all_that_it_takes(bench: Bench, printed: list[str]) -> None:
    start = "to connect, run: mqtriage "
    (line,) = [line.removeprefix(start) for line in printed if line.startswith(start)]
    bench.ok(*line.split())
    bench.environ["MQTRIAGE_PASSWORD"] = "passw0rd"
    bench.ok("mqsc", str(SAMPLES / "samples.mqsc"), "--yes")
    bench.ok("delay", "define", "--rate", "300/s", "--max-delay", "15m", "--yes")
    bench.ok("backout", "set", "PAYMENTS.IN", "--threshold", "3", "--boq", "PAYMENTS.BO",
             "--create-boq", "--yes")  # fmt: skip
    shown = bench.ok("queue", "ls", "PAYMENTS.IN", "-o", "json").items[0]
    assert (shown["bothresh"], shown["boqname"]) == (3, "PAYMENTS.BO")
    assert bench.ok("backout", "ls", "PAYMENTS.IN", "-o", "json").items[0]["state"] == "ok"
    assert bench.ok("delay", "status", "-o", "json").items[0]["curdepth"] == 0
    bench.ok("lint", "--fail-on", "error")
    bench.ok("check", "queue", "PAYMENTS*")
    assert "users: admin (no messages) and app (messages too), password passw0rd" in printed
    refused = bench.run("msg", "browse", "PAYMENTS.REPLY")
    assert (refused.code, "MQWebUser" in refused.err) == (6, True), refused.err
    bench.environ["MQTRIAGE_USER"] = "app"  # admin has MQWebAdmin alone, as in IBM's image
    bench.ok("msg", "put", "PAYMENTS.REPLY", "contract", "--yes")
    (message,) = bench.ok("msg", "browse", "PAYMENTS.REPLY", "-o", "json").items
    assert message["length_bytes"] == 8


def test_only_the_server_of_this_home_is_trusted_unasked(
    tmp_path: Path, scripted: Scripted
) -> None:
    """One that stands at 127.0.0.1 as well, with a certificate of its own, is not."""
    web = WebServer(tmp_path / "home")
    try:
        own = bench_at(web.home, web.url, "")
        own.ok("queue", "ls")
        for other in (bench_at(tmp_path / "elsewhere", web.url, ""),
                      bench_at(web.home, scripted.url, ""),
                      bench_at(web.home, web.url, scripted.ca)):  # fmt: skip
            ran = other.run("queue", "ls")
            assert ran.code == 7, ran.out
            assert "MQRC_SSL_INITIALIZATION_ERROR" in ran.error_line
            assert ran.error_line.count("127.0.0.1") == 1
        web_certificate(web.home).write_text("no certificate")
        assert "certificate verify failed" in own.run("queue", "ls").error_line
    finally:
        web.close()


def test_doctor_says_of_mqweb_what_it_needs(tmp_path: Path, scripted: Scripted) -> None:
    web = WebServer(tmp_path / "home")
    try:
        bench = bench_at(web.home, web.url, "", MQTRIAGE_PASSWORD="wrong")
        ran = bench.run("doctor")
        assert ran.code == 6
        assert "a user of mqweb's own registry (mqwebuser.xml), and its password" in ran.out
        for word in ("AUTHREC", "pymqi", "ibmmq", "MQ client"):  # nothing of IBM's is needed
            assert word not in ran.out
        assert "urllib3" in ran.out
        ran = bench_at(web.home, web.url, "").run("doctor")
        assert re.search(r"^ +web server's clock +\d{4}-", ran.out, re.MULTILINE), ran.out
        ran = bench_at(web.home, web.url, "", MQTRIAGE_USER="").run("doctor")
        assert "user           none given" in ran.out
        assert "with its password, or" in ran.out
    finally:
        web.close()
