"""Start, stop, failure and restart of the delay processor, on z/OS and distributed; versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.delay import status
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.due import processor
from mqtriage.mq import delay
from mqtriage.mq.delay import ZOS_STAGING
from mqtriage.mq.errors import MQIError, UsageError
from tests.unit.emulator.conftest import ALL, STAGING, Lab


@pytest.fixture
def staged(zos: Lab) -> Lab:
    """A z/OS queue manager with a staging queue and one message on it, due in a second."""
    zos.local("Q1")
    zos.mq.define("QLOCAL", STAGING, ZOS_STAGING)
    zos.send("Q1", 1000)
    return zos


def put_switch(lab: Lab, *values: str) -> None:
    for value in values:
        lab.mq.alter("QLOCAL", STAGING, {"PUT": value})


def delay_status(backend: EmulatedBackend) -> Mapping[str, Any]:
    """The record of `delay status`."""
    (record,) = status.status(backend).items
    return record


@pytest.mark.seed("DD-81", "DD-12")
def test_the_status_names_the_owner_and_whether_it_runs(zos: Lab, lab: Lab) -> None:
    zos.mq.define("QLOCAL", STAGING, ZOS_STAGING)
    zos.mq.now_us()
    state = delay_status(zos.mq)
    assert (state["processor_owner"], state["processor"]) == ("MSTR address space", "running")
    put_switch(zos, "DISABLED")
    assert delay_status(zos.mq)["processor"] == f"stopped: {STAGING} has PUT(DISABLED)"
    assert delay_status(lab.mq)["processor_owner"] is None


@pytest.mark.seed("DD-85")
def test_another_program_is_told_at_once_why_it_does_not_deliver(lab: Lab) -> None:
    beside = lab.connect()
    assert beside.insight.processor_problem() == ""
    lab.mq.alter("QLOCAL", STAGING, {"GET": "DISABLED"})
    assert beside.insight.processor_problem() == f"{STAGING} has GET(DISABLED)"


@pytest.mark.seed("DD-82", "DD-91")
@pytest.mark.parametrize("kind", ["zos", "dist"])
def test_it_starts_with_the_queue_manager(zos: Lab, lab: Lab, kind: str) -> None:
    it = zos if kind == "zos" else lab
    if kind == "zos":
        it.mq.define("QLOCAL", STAGING, ZOS_STAGING)
    it.local("Q1")
    lifecycle.stop(it.mq.manager)
    assert it.mq.manager.store.execute("SELECT running FROM state").fetchone() == (0,)
    assert processor.problem(it.mq.manager) == "the queue manager is stopped"
    lifecycle.start(it.mq.manager)
    it.mq = it.connect()
    assert it.mq.insight.processor_problem() == ""
    it.send("Q1", 1000)
    it.advance(1)
    assert it.depth("Q1") == 1


@pytest.mark.seed("DD-83", "DD-91")
def test_while_it_runs_it_has_the_staging_queue_open_and_takes_what_arrives_later(
    staged: Lab, lab: Lab
) -> None:
    assert staged.mq.status(STAGING).ipprocs == 1
    assert lab.mq.status(STAGING).ipprocs == 1
    staged.advance(1)
    staged.send("Q1", 1000)
    staged.advance(1)
    assert staged.depth("Q1") == 2
    put_switch(staged, "DISABLED")
    assert staged.mq.status(STAGING).ipprocs == 0


@pytest.mark.seed("DD-84", "DD-87")
def test_on_zos_without_the_queue_it_shuts_down_and_defining_it_starts_it(zos: Lab) -> None:
    zos.local("Q1")
    zos.restart()
    assert zos.mq.insight.processor_problem() == f"{STAGING} is not defined"
    zos.put("Q1")  # the queue manager is up all the same
    zos.mq.define("QLOCAL", STAGING, ZOS_STAGING)
    assert zos.mq.insight.processor_problem() == ""
    zos.send("Q1", 1000)
    zos.advance(1)
    assert zos.depth("Q1") == 2


@pytest.mark.seed("DD-85", "DD-88")
def test_on_zos_get_disabled_shuts_it_down_and_get_enabled_starts_it(staged: Lab) -> None:
    staged.mq.alter("QLOCAL", STAGING, {"GET": "DISABLED"})
    staged.advance(60)
    assert staged.mq.insight.processor_problem() == f"{STAGING} has GET(DISABLED)"
    assert (staged.depth(STAGING), staged.depth("Q1")) == (1, 0)
    staged.mq.alter("QLOCAL", STAGING, {"GET": "ENABLED"})
    assert staged.mq.insight.processor_problem() == ""
    assert (staged.depth(STAGING), staged.depth("Q1")) == (0, 1)


@pytest.mark.seed("DD-86", "DD-89", "TRAP-12")
@pytest.mark.parametrize("fault", ["recoverable", "unrecoverable"])
def test_on_zos_an_error_shuts_it_down_until_put_went_off_and_on(staged: Lab, fault: str) -> None:
    staged.switch("fault.processor", fault)
    staged.advance(1)
    assert "PUT(DISABLED), then PUT(ENABLED) starts it" in staged.mq.insight.processor_problem()
    assert (staged.depth(STAGING), staged.depth("Q1")) == (1, 0)
    staged.advance(3600)
    staged.mq.alter("QLOCAL", STAGING, {"GET": "DISABLED"})
    staged.mq.alter("QLOCAL", STAGING, {"GET": "ENABLED"})
    put_switch(staged, "ENABLED")  # it was enabled: no change, no restart
    assert "ended with an error" in staged.mq.insight.processor_problem()
    put_switch(staged, "DISABLED")
    assert staged.depth("Q1") == 0
    put_switch(staged, "ENABLED")
    assert staged.mq.insight.processor_problem() == ""
    assert (staged.depth(STAGING), staged.depth("Q1")) == (0, 1)


@pytest.mark.seed("DD-82", "DD-86")
def test_on_zos_a_restart_of_the_queue_manager_cures_an_error(staged: Lab) -> None:
    staged.switch("fault.processor", "unrecoverable")
    staged.advance(1)
    staged.restart()
    assert (staged.mq.insight.processor_problem(), staged.depth("Q1")) == ("", 1)


@pytest.mark.seed("DD-87")
def test_on_zos_defining_the_queue_anew_cures_an_error_too(staged: Lab) -> None:
    staged.switch("fault.processor", "unrecoverable")
    staged.advance(1)
    staged.mq.delete("QLOCAL", STAGING, purge=True)
    staged.mq.define("QLOCAL", STAGING, ZOS_STAGING)
    assert staged.mq.insight.processor_problem() == ""
    staged.send("Q1", 1000)
    staged.advance(1)
    assert staged.depth("Q1") == 1


@pytest.mark.seed("DD-90")
def test_on_zos_put_disabled_stops_it(staged: Lab) -> None:
    put_switch(staged, "DISABLED")
    staged.advance(60)
    assert staged.mq.insight.processor_problem() == f"{STAGING} has PUT(DISABLED)"
    assert (staged.depth(STAGING), staged.depth("Q1")) == (1, 0)
    put_switch(staged, "ENABLED")
    assert (staged.depth(STAGING), staged.depth("Q1")) == (0, 1)


@pytest.mark.seed("DD-92")
def test_distributed_it_starts_again_by_itself_after_a_recoverable_failure(lab: Lab) -> None:
    lab.local("Q1")
    for number in range(5):
        lab.send("Q1", 1000, b"%d" % number)
    lab.switch("fault.processor", "recoverable")
    lab.advance(1)
    assert lab.mq.insight.processor_problem() == ""
    assert "restarted automatically" in lab.mq.manager.state.processor
    assert lab.bodies("Q1") == [b"0", b"1", b"2", b"3", b"4"]
    assert lab.depth(STAGING) == 0
    assert "fault.processor" not in lab.mq.manager.switches


def test_distributed_an_unrecoverable_failure_lasts_until_the_next_start(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 1000)
    lab.switch("fault.processor", "unrecoverable")
    lab.advance(1)
    put_switch(lab, "DISABLED", "ENABLED")
    assert "starts again with the queue manager" in lab.mq.insight.processor_problem()
    assert (lab.depth(STAGING), lab.depth("Q1")) == (1, 0)
    lab.restart()
    assert (lab.depth(STAGING), lab.depth("Q1")) == (0, 1)


@pytest.mark.seed("DD-42")
def test_the_staging_queue_is_known_by_its_one_name(lab: Lab) -> None:
    assert delay.STAGING_QUEUE == "SYSTEM.DDELAY.LOCAL.QUEUE"
    lab.local("Q1")
    lab.send("Q1", 1000)
    assert lab.depth("SYSTEM.DDELAY.LOCAL.QUEUE") == 1


@pytest.mark.seed("DD-61")
def test_on_zos_an_8_0_queue_manager_in_compatibility_mode_takes_delays(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "compat", "zos", version="8.0")
    try:
        lab.switch("opmode", "COMPAT,800")
        lab.local("Q1")
        lab.mq.define("QLOCAL", STAGING, ZOS_STAGING)
        lab.send("Q1", 1000)
        lab.advance(1)
        assert lab.depth("Q1") == 1
    finally:
        lab.close()


@pytest.fixture
def marooned(tmp_path: Path) -> Iterator[Lab]:
    lab = Lab(tmp_path / "maroon", version="8.0")
    lab.local("Q1")
    lab.send("Q1", 1000, b"left behind")
    lifecycle.stop(lab.mq.manager)
    lifecycle.migrate(lab.mq.manager, "7.1")
    lifecycle.start(lab.mq.manager)
    lab.mq = lab.connect()
    yield lab
    lab.close()


@pytest.mark.seed("DD-62")
def test_back_at_an_earlier_release_staged_messages_are_marooned(marooned: Lab) -> None:
    lab = marooned
    lab.advance(365 * 86_400)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (1, 0)
    assert "CMDLEVEL 710 has no delivery delay processor" in lab.mq.insight.processor_problem()
    with pytest.raises(MQIError):
        lab.send("Q1", 1000)
    lifecycle.stop(lab.mq.manager)
    lifecycle.migrate(lab.mq.manager, "8.0")
    lifecycle.start(lab.mq.manager)
    lab.mq = lab.connect()
    assert (lab.depth(STAGING), lab.bodies("Q1")) == (0, [b"left behind"])


@pytest.mark.seed("DD-63")
def test_marooned_messages_can_be_browsed_and_taken_off_by_hand(marooned: Lab) -> None:
    lab = marooned
    lab.advance(60)
    assert len(lab.bodies(STAGING)) == 1
    assert lab.open(STAGING, ALL).get().body.endswith(b"left behind")
    assert lab.depth(STAGING) == 0


def test_a_running_queue_manager_is_not_migrated(lab: Lab) -> None:
    with pytest.raises(UsageError, match="stop it"):
        lifecycle.migrate(lab.mq.manager, "8.0")
