"""`mqtriage emulator lab switch`: choose between readings, and make things fail on purpose."""

from __future__ import annotations

import json

import pytest

from mqtriage.cli.frame.main import main


@pytest.fixture(autouse=True)
def queue_manager(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    assert main(["emulator", "create", "QM1", "-q"]) == 0
    assert main(["queue", "define", "Q1", "--yes", "-q"]) == 0


def values(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    capsys.readouterr()
    assert main(["emulator", "lab", "switch", "-o", "json"]) == 0
    items = json.loads(capsys.readouterr().out)["items"]
    return {item["switch"]: item["value"] for item in items}


def test_every_switch_is_shown_with_its_default(capsys: pytest.CaptureFixture[str]) -> None:
    shown = values(capsys)
    assert shown["expirer_interval_s"] == "300"
    assert shown["xmitq_expiry_check"] == "consistent"
    assert shown["fault.dlq"] == ""


def test_a_fault_on_puts_fails_them_until_it_is_taken_away(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["emulator", "lab", "switch", "fault.put.Q1=2053"]) == 0
    assert values(capsys)["fault.put.Q1"] == "2053"
    assert main(["msg", "put", "Q1", "body", "--yes"]) == 1
    assert "MQRC_Q_FULL (2053)" in capsys.readouterr().err
    assert main(["emulator", "lab", "switch", "fault.put.Q1="]) == 0
    assert main(["msg", "put", "Q1", "body", "--yes"]) == 0


@pytest.mark.parametrize(
    "assignment",
    ["nosuch=1", "authority", "authority=maybe", "expirer_interval_s=0", "fault.dlq=x",
     "fault.put.=2053", "channel_transit_s=9999999999999999999"],
)  # fmt: skip
def test_what_cannot_be_set_is_refused_and_nothing_is_changed(
    assignment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = values(capsys)
    assert main(["emulator", "lab", "switch", "call_log=on", assignment]) == 2
    assert values(capsys) == before


def test_a_misspelt_switch_is_answered_with_the_names_of_the_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = list(values(capsys))
    assert main(["emulator", "lab", "switch", "delay_processor=off"]) == 2
    hint = capsys.readouterr().err.partition("hint: switches: ")[2]
    assert hint.split()[-1] == "qsg"
    assert hint.replace(",", "").split() == names


@pytest.mark.seed("DD-62")
def test_a_stopped_queue_manager_goes_back_a_release_and_keeps_what_is_staged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["msg", "put", "Q1", "body", "--delay", "1h", "--yes", "-q"]) == 0
    assert main(["emulator", "lab", "switch", "mq_version=7.1"]) == 2
    assert main(["emulator", "stop", "QM1"]) == 0
    assert main(["emulator", "lab", "switch", "mq_version=7.1"]) == 0
    assert values(capsys)["mq_version"] == "7.1"
    assert main(["emulator", "start", "QM1"]) == 0
    assert main(["emulator", "clock", "+2h", "QM1"]) == 0
    capsys.readouterr()
    assert main(["delay", "status", "-o", "json"]) == 0
    (status,) = json.loads(capsys.readouterr().out)["items"]
    assert status["processor"].startswith("stopped")
    assert main(["msg", "count", "Q1", "-o", "json"]) == 0
