"""docs/containers.md: its files are YAML and Dockerfiles whose commands do what the page says."""

from __future__ import annotations

import re
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


def test_the_queue_manager_for_tests_is_made_and_listens(tmp_path: Path) -> None:
    (line,) = read("compose.yaml")["services"]["mq"]["command"]
    create, _, listen = line.partition(" && exec ")
    bench = Bench(tmp_path / "home")
    bench.ok(*create.removeprefix("mqtriage ").split())
    assert bench.attribute("DEV.QUEUE.1", "MAXDEPTH") == 5000
    assert listen == "mqtriage emulator serve QM1 --tcp 1414"


def test_the_images_install_what_there_is() -> None:
    for name in ("Dockerfile", "Dockerfile.mq"):
        (what,) = re.findall(r"pip install --no-cache-dir (\S+)", FILES[name])
        extra = re.search(r"\[(\w+)\]", what)
        assert extra is None or re.search(rf"^{extra[1]} = \[", PYPROJECT, re.MULTILINE)
