"""docs/containers.md: its files are YAML and Dockerfiles whose commands do what the page says."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mqtriage.model.context_keys import KEYS
from tests.acceptance.conftest import Bench
from tests.support.tools import module

PAGE = (Path(__file__).parents[2] / "docs" / "containers.md").read_text("utf-8")
FILES = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", PAGE, re.DOTALL))
PYPROJECT = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")


def read(name: str) -> Any:
    return module("yaml", "mkdocs").safe_load(FILES[name])


@pytest.fixture
def sample(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1", "--clock", "frozen", "--sample")
    bench.environ["MQTRIAGE_QMGR"] = "QM1"
    return bench


def test_the_handler_works_off_the_queue_by_its_rules(sample: Bench, tmp_path: Path) -> None:
    container = read("handler.yaml")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (handler,) = container["containers"]
    rules = tmp_path / "dlq.rules"
    rules.write_text("INPUTQ('DEAD.LETTER.QUEUE') WAIT(NO)\nACTION(FWD) FWDQ(OPS.PARKED)\n")
    words = [str(rules) if word == "/rules/dlq.rules" else word for word in handler["args"]]
    ran = sample.ok(*words)
    assert ran.json["kind"]
    assert sample.depth("OPS.PARKED") == 5
    mounts = {mount["name"]: mount["mountPath"] for mount in handler["volumeMounts"]}
    assert set(mounts) == {volume["name"] for volume in container["volumes"]}
    assert f"ENV MQTRIAGE_HOME={mounts['home']}\n" in FILES["Dockerfile"]


def test_the_handler_sets_variables_that_are_read() -> None:
    spec = read("handler.yaml")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    names = {entry["name"] for entry in spec["containers"][0]["env"]}
    assert names <= {key.environment for key in KEYS.values()} | {
        "MQTRIAGE_QMGR",
        "MQTRIAGE_BACKEND",
    }


def test_the_probe_answers(sample: Bench) -> None:
    program, *words = read("check.yaml")["livenessProbe"]["exec"]["command"]
    assert program == "mqtriage"
    assert sample.run(*words).code == 0


@pytest.mark.slow
def test_the_queue_manager_for_tests_listens_also_after_a_restart(tmp_path: Path) -> None:
    """The script of the container runs twice; its health check succeeds once it listens."""
    services = read("compose.yaml")["services"]
    (script,) = services["mq"]["command"]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    folder = str(Path(sys.executable).parent)
    environ = dict(os.environ) | {
        "MQTRIAGE_HOME": str(tmp_path / "home"),
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
    }
    check, *words = (word.replace("1414", port) for word in services["mq"]["healthcheck"]["test"])
    assert check == "CMD"
    for _ in range(2):
        container = subprocess.Popen(
            [*services["mq"]["entrypoint"], script.replace("1414", port)],
            env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        while subprocess.run(words, env=environ, capture_output=True, check=False).returncode:
            assert container.poll() is None, container.communicate()[1]
        container.terminate()
        output, log = container.communicate(timeout=60)
        assert container.returncode == 0
        assert output == ""
        assert log == f"QM1: listening on 127.0.0.1 port {port}; interrupt to stop\n"
    assert Bench(tmp_path / "home").attribute("DEV.QUEUE.1", "MAXDEPTH") == 5000
    assert services["tests"]["depends_on"] == {"mq": {"condition": "service_healthy"}}


def test_the_images_install_what_there_is() -> None:
    for name in ("Dockerfile", "Dockerfile.mq"):
        (what,) = re.findall(r"pip install --no-cache-dir (\S+)", FILES[name])
        extra = re.search(r"\[(\w+)\]", what)
        assert extra is None or re.search(rf"^{extra[1]} = \[", PYPROJECT, re.MULTILINE)
