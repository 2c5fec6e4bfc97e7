"""`mqtriage doctor` as a user runs it: on the emulator, through the client, and without one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mqtriage.emulator.admin import authority_records, lifecycle
from tests.mqi.conftest import Served

CONNECTION = (
    "--backend", "mq", "--set", "library=ibmmq", "--connection", "localhost(1414)",
    "--channel", "DEV.APP.SVRCONN", "--set", "user=nobody",
)  # fmt: skip


def doctor(environment: dict[str, str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    """Exit code, the document, and what was said beside it."""
    ran = subprocess.run(
        [sys.executable, "-m", "mqtriage", *arguments, "-o", "json"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ran.returncode, json.loads(ran.stdout)["item"], ran.stderr


def bare(served: Served, **more: str) -> dict[str, str]:
    """An environment in which there is no MQ client."""
    environment = dict(os.environ) | {"MQTRIAGE_HOME": str(served.home)} | more
    for name in ("LD_LIBRARY_PATH", "MQ_FILE_PATH", "MQTRIAGE_QMGR"):
        environment.pop(name, None)
    return environment


def lacking(document: dict[str, Any]) -> list[str]:
    return [row["ask_for"] for row in document["authorities"] if row["state"] == "missing"]


def test_the_owner_of_an_emulated_queue_manager_lacks_nothing(served: Served) -> None:
    code, report, _ = doctor(bare(served), "doctor")
    assert (code, report["backend"]["chosen"], report["backend"]["why"]) == (
        0, "emulator", "by default",
    )  # fmt: skip
    assert {row["state"] for row in report["authorities"]} == {"granted"}
    assert report["connection"]["queue_manager"] == "QM1"


def test_a_machine_without_a_client_is_told_the_fix(served: Served) -> None:
    code, report, _ = doctor(bare(served), "doctor", "--backend", "mq")
    assert code == 7
    assert report["backend"]["why"] == "--backend"
    package = next(row for row in report["packages"] if row["name"] == "ibmmq")
    assert (package["usable"], bool(package["version"])) == (False, True)
    assert "LD_LIBRARY_PATH" in package["fix"]
    assert "no MQ client" in report["connection"]["problem"]
    _, reached, _ = doctor(bare(served), "doctor")
    assert reached["connection"].keys() == report["connection"].keys()


@pytest.mark.slow
def test_that_the_user_may_inquire_is_asked_of_the_queue_manager(served: Served, sdk: Path) -> None:
    backend = served.backend()
    authority_records.set_record(backend.manager, "QMGR", "", principal="nobody", add=["CONNECT"])
    lifecycle.switch(backend.manager, "authority", "on")
    environment = served.environment(sdk) | {"MQTRIAGE_PASSWORD": "x"}

    def states() -> dict[tuple[str, ...], tuple[str, str]]:
        _, report, _ = doctor(environment, "doctor", *CONNECTION, "Q")
        return {
            (row["object"], *row["needs"]): (row["state"], row["answer"])
            for row in report["authorities"]
        }

    served.local("Q")
    before = states()
    assert (before["", "CONNECT"], before["", "INQ"]) == (("granted", ""), ("missing", ""))
    authority_records.set_record(backend.manager, "QMGR", "", principal="nobody", add=["INQ"])
    authority_records.set_record(
        backend.manager, "QUEUE", "Q", principal="nobody", add=["PUT", "SETALL"]
    )
    authority_records.set_record(backend.manager, "QMGR", "", principal="nobody", add=["SETALL"])
    after = states()
    assert after["", "INQ"] == ("granted", "")
    assert after["Q", "PUT", "PASSALL"] == ("granted", "by +setall")
    assert {state for (_, *words), (state, _) in after.items() if "DSP" in words} == {"not tried"}


def test_who_may_pass_identity_context_may_not_pass_all_of_it(served: Served, sdk: Path) -> None:
    served.local("Q")
    backend = served.backend()
    may = authority_records.set_record
    may(backend.manager, "QMGR", "", principal="nobody", add=["CONNECT", "INQ"])
    may(backend.manager, "QUEUE", "Q", principal="nobody", add=["PUT", "PASSID"])
    lifecycle.switch(backend.manager, "authority", "on")
    environment = served.environment(sdk) | {"MQTRIAGE_PASSWORD": "x"}
    _, report, _ = doctor(environment, "doctor", *CONNECTION, "Q")
    command = "SET AUTHREC PROFILE('Q') OBJTYPE(QUEUE) PRINCIPAL('nobody') AUTHADD"
    assert f"{command}(PASSALL)" in lacking(report)


def test_a_user_that_a_chlauth_rule_blocks_is_pointed_to_it(served: Served, sdk: Path) -> None:
    lifecycle.switch(served.backend().manager, "authority", "on")
    environment = served.environment(sdk) | {"MQTRIAGE_PASSWORD": "x"}
    argv = [sys.executable, "-m", "mqtriage", "doctor", *CONNECTION]
    ran = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert "or CHLAUTH" in ran.stdout
    assert "MATCH(RUNCHECK)" in " ".join(ran.stdout.split())


@pytest.mark.slow
def test_what_is_missing_comes_with_the_command_that_grants_it(
    served: Served, sdk: Path, tmp_path: Path
) -> None:
    served.local("ORDERS.IN")
    backend = served.backend()
    lifecycle.switch(backend.manager, "authority", "on")
    environment = served.environment(sdk) | {"MQTRIAGE_PASSWORD": "x"}
    asked = ("doctor", *CONNECTION, "ORDERS.IN")

    code, report, _ = doctor(environment, *asked)  # not even connected
    assert (code, report["authorities"]) == (6, [])
    assert report["connection"]["ask_for"] == [
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('nobody') AUTHADD(CONNECT,INQ)"
    ]

    def grant(*commands: str) -> None:
        script = tmp_path / "grant.mqsc"
        script.write_text("\n".join(commands))
        subprocess.run(
            [sys.executable, "-m", "mqtriage", "mqsc", str(script), "-m", "QM1", "--yes"],
            env=bare(served), check=True, capture_output=True,
        )  # fmt: skip

    grant(*report["connection"]["ask_for"])
    code, report, _ = doctor(environment, *asked)
    assert code == 6
    command = "SET AUTHREC PROFILE('ORDERS.IN') OBJTYPE(QUEUE) PRINCIPAL('nobody') AUTHADD"
    assert f"{command}(BROWSE)" in lacking(report)
    assert {f"{command}(PUT,PASSALL)", f"{command}(PUT,SETALL)"} < set(lacking(report))
    grant(*lacking(report))
    code, report, stderr = doctor(environment, *asked)
    rest = [row["ask_for"] for row in report["authorities"] if row["state"] != "granted"]
    grant(*rest)
    code, report, stderr = doctor(environment, *asked)
    assert (code, lacking(report)) == (0, []), stderr
    assert served.depth("ORDERS.IN") == 0
