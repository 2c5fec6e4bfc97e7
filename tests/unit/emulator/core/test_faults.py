"""Switches: the upper limit of Expiry, faults on demand, and values that are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, QueueFull, UsageError
from tests.unit.emulator.conftest import Lab, message

VARIABLE = "AMQ_ENFORCE_MAX_EXPIRY_ERROR"
DLQ = "SYSTEM.DEAD.LETTER.QUEUE"


def takes(lab: Lab, expiry: int) -> bool:
    try:
        lab.put("Q1", expiry_tenths=expiry)
    except MQIError as error:
        assert error.reason == cmqc.MQRC_EXPIRY_ERROR
        return False
    return True


def made_with(home: Path, monkeypatch: pytest.MonkeyPatch, value: str | None) -> Lab:
    if value is None:
        monkeypatch.delenv(VARIABLE, raising=False)
    else:
        monkeypatch.setenv(VARIABLE, value)
    lab = Lab(home)
    lab.mq.define("QLOCAL", "Q1", {})
    return lab


@pytest.mark.seed("EX-29", "EX-30", "C-04")
@pytest.mark.parametrize("value", [None, "True"])
def test_the_upper_limit_holds_where_the_variable_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    lab = made_with(tmp_path, monkeypatch, value)
    lifecycle.switch(lab.mq.manager, "channel_transit_s", "1")  # another switch changes nothing
    assert takes(lab, 999_999_999)
    assert takes(lab, 1_000_000_000) is (value is None)
    lab.close()


@pytest.mark.seed("EX-30", "GAP-10")
def test_a_value_above_the_limit_is_counted_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = made_with(tmp_path, monkeypatch, None)
    takes(lab, 2_000_000_000)
    lab.advance(10)
    assert lab.get("Q1").md.expiry_tenths == 2_000_000_000 - 100
    lab.close()


@pytest.mark.seed("EX-32")
@pytest.mark.parametrize("value", ["True", "False", "0", ""])
def test_the_value_of_the_variable_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    lab = made_with(tmp_path, monkeypatch, value)
    assert not takes(lab, 1_000_000_000)
    lab.close()


@pytest.mark.seed("EX-26", "EX-30", "C-04")
@pytest.mark.parametrize("value", [None, "True"])
def test_zero_is_refused_with_and_without_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    lab = made_with(tmp_path, monkeypatch, value)
    assert not takes(lab, 0)
    lab.close()


_CREATE = """
import sys
from pathlib import Path
from mqtriage.emulator.core.create import create
create(Path(sys.argv[1]), "QM1", frozen=True)
"""


@pytest.mark.seed("EX-31")
@pytest.mark.parametrize("exported", [True, False])
def test_the_variable_has_to_be_exported(tmp_path: Path, exported: bool) -> None:
    """A shell sets it, exported or not, and starts the emulator in a child."""
    environ = {name: value for name, value in os.environ.items() if name != VARIABLE}
    setting = f"{'export ' if exported else ''}{VARIABLE}=True"
    subprocess.run(
        ["/bin/sh", "-c", f'{setting}; "$@"', "sh", sys.executable, "-c", _CREATE, str(tmp_path)],
        check=True,
        env=environ,
    )
    from mqtriage.backends.emulated import EmulatedBackend
    from mqtriage.emulator.core.file import home

    backend = EmulatedBackend(open_manager(home.existing_path(tmp_path, "QM1")))
    backend.define("QLOCAL", "Q1", {})
    if exported:
        with pytest.raises(MQIError):
            backend.put1("Q1", message(expiry_tenths=1_000_000_000), b"")
    else:
        backend.put1("Q1", message(expiry_tenths=1_000_000_000), b"")
    backend.disconnect()


@pytest.mark.seed("EX-31", "GAP-10")
def test_it_is_the_environment_at_the_last_start_that_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = made_with(tmp_path, monkeypatch, None)
    monkeypatch.setenv(VARIABLE, "")
    assert takes(lab, 1_000_000_000)
    lab.restart()
    assert not takes(lab, 1_000_000_000)
    monkeypatch.delenv(VARIABLE)
    assert not takes(lab, 1_000_000_000)
    lab.restart()
    assert takes(lab, 1_000_000_000)
    lab.close()


@pytest.mark.parametrize(("word", "enforced"), [("on", True), ("off", False)])
def test_the_setting_comes_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, enforced: bool
) -> None:
    lab = made_with(tmp_path, monkeypatch, None if enforced else "True")
    lifecycle.switch(lab.mq.manager, "enforce_max_expiry", word)
    assert takes(lab, 1_000_000_000) is not enforced
    lab.restart()
    assert takes(lab, 1_000_000_000) is not enforced
    lab.close()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("enforce_max_expiry", "yes"),
        ("xmitq_expiry_check", "strict"),
        ("channel_transit_s", "-1"),
        ("channel_transit_s", "x"),
        ("fault.put.Q1", "0"),
        ("fault.put.Q1", "full"),
        ("fault.put.", "2053"),
        ("fault.dlq", "99999"),
        ("fault.processor", "sometimes"),
    ],
)
def test_a_value_that_a_switch_cannot_have_is_refused(lab: Lab, name: str, value: str) -> None:
    with pytest.raises(UsageError):
        lifecycle.switch(lab.mq.manager, name, value)
    assert name not in lab.mq.manager.switches


def test_puts_to_a_queue_fail_with_the_chosen_reason_until_it_is_taken_back(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("Q2")
    lifecycle.switch(lab.mq.manager, "fault.put.Q1", "2053")
    with pytest.raises(QueueFull):
        lab.put("Q1")
    lab.put("Q2")
    lifecycle.switch(lab.mq.manager, "fault.put.Q1", "")
    lab.put("Q1")
    assert (lab.depth("Q1"), lab.depth("Q2")) == (1, 1)


def test_a_fault_strikes_through_an_alias_too(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.define("QALIAS", "A1", {"TARGET": "Q1"})
    lifecycle.switch(lab.mq.manager, "fault.put.Q1", "2056")
    with pytest.raises(QueueFull):
        lab.put("A1")


def test_a_fault_of_the_target_dead_letters_a_delayed_message(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.alter("QMGR", "", {"DEADQ": DLQ})
    lab.send("Q1", 1000)
    lifecycle.switch(lab.mq.manager, "fault.put.Q1", "2051")
    lab.advance(1)
    assert (lab.depth("Q1"), lab.depth(DLQ)) == (0, 1)


@pytest.mark.seed("EX-48")
def test_the_processor_keeps_the_lifetime_of_what_it_dead_letters(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.alter("QMGR", "", {"DEADQ": DLQ})
    lab.send("Q1", 10_000, b"", expiry_tenths=500)
    lifecycle.switch(lab.mq.manager, "fault.put.Q1", "2051")
    lab.advance(10)
    lab.advance(10)
    assert next(iter(lab.open(DLQ, 8).browse())).md.expiry_tenths == 300
    lab.advance(30)
    assert lab.bodies(DLQ) == []


def test_a_fault_of_the_dead_letter_queue_keeps_the_message_staged(lab: Lab) -> None:
    lab.local("Q1", PUT="DISABLED")
    lab.mq.alter("QMGR", "", {"DEADQ": DLQ})
    lifecycle.switch(lab.mq.manager, "fault.dlq", "2053")
    lab.mq.alter("QLOCAL", "Q1", {"PUT": "ENABLED"})
    lab.send("Q1", 1000)
    lab.mq.alter("QLOCAL", "Q1", {"PUT": "DISABLED"})
    lab.advance(1)
    assert (lab.depth(DLQ), lab.depth("SYSTEM.DDELAY.LOCAL.QUEUE")) == (0, 1)
    with pytest.raises(QueueFull):
        lab.put(DLQ)
    lifecycle.switch(lab.mq.manager, "fault.dlq", "")
    lab.advance(60)
    assert (lab.depth(DLQ), lab.depth("SYSTEM.DDELAY.LOCAL.QUEUE")) == (1, 0)


def test_a_new_queue_manager_has_no_switch_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    manager = open_manager(create(tmp_path, "QM1"))
    assert manager.switches == {}
    manager.close()
