"""Programs that people run, over IBM's client for JMS, with only their configuration changed.

Spring Boot stands in docs/java.md and is tried as printed there, by tests/docs/test_java_page.py.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

from tests.jms.conftest import CHANNEL, At, Listener
from tests.support.ibm_java import SOURCES, compiled, fetched, need
from tests.unit.emulator.conftest import STAGING, Lab

CAMEL: Final = (
    "com.ibm.mq:com.ibm.mq.jakarta.client:9.4.5.0",
    "org.apache.camel:camel-main:4.22.0",
    "org.apache.camel:camel-jms:4.22.0",
    "org.messaginghub:pooled-jms:3.2.5",
)
_SOON_S: Final = 60.0


def _until(lab: Lab, depths: dict[str, int], log: Path) -> None:
    """Wait until the queues are as deep as that."""
    end = time.monotonic() + _SOON_S
    while {queue: lab.depth(queue) for queue in depths} != depths:
        assert time.monotonic() < end, (
            f"{depths} expected: {[(queue, lab.depth(queue)) for queue in depths]}; "
            f"{log.read_text('utf-8')[-4000:]}"
        )
        time.sleep(0.05)


@pytest.mark.long
def test_a_route_of_camel_over_pooled_jms_delays_and_puts_poison_aside(tmp_path: Path) -> None:
    need()
    jars = fetched("camel", *CAMEL)
    source = SOURCES.parent / "programs" / "CamelRoute.java"
    classes = compiled("camel", {source.name: source.read_text("utf-8")}, jars)
    lab = Lab(tmp_path)
    At(lab, None, None).mqsc(  # type: ignore[arg-type]
        f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)\n"
        "DEFINE QLOCAL(CAMEL.IN) BOTHRESH(3) BOQNAME(CAMEL.BACKOUT)\n"
        "DEFINE QLOCAL(CAMEL.BACKOUT)\nDEFINE QLOCAL(CAMEL.OUT)"
    )
    listener, log = Listener(tmp_path), tmp_path / "camel.log"
    lab.put("CAMEL.IN", b"not this one")
    lab.put("CAMEL.IN", b"this one")
    route = subprocess.Popen(
        ["java", "-cp", f"{classes}:{jars}/*", "CamelRoute",
         f"127.0.0.1({listener.port})", CHANNEL],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=log.open("w"), stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        _until(lab, {"CAMEL.IN": 0, "CAMEL.BACKOUT": 1, "CAMEL.OUT": 0, STAGING: 1}, log)
        lab.advance(900)
        _until(lab, {"CAMEL.OUT": 1, STAGING: 0}, log)
        poison, passed = lab.get("CAMEL.BACKOUT"), lab.get("CAMEL.OUT")
        assert poison.body.endswith(b"not this one")
        assert passed.body.endswith(b"this one")
    finally:
        route.communicate(timeout=30)
        listener.stop()
        lab.close()
    assert route.returncode == 0, log.read_text("utf-8")[-4000:]
