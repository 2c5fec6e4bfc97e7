"""The simulated channel between two queue managers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file.gate import open_lock
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.shared import transit
from mqtriage.files.locks import try_lock
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, NotFound, StorageError
from mqtriage.mq.headers import dlh
from mqtriage.mq.message import Message
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, Reply
from tests.unit.emulator.conftest import ALL, Lab, message
from tests.unit.emulator.shared.test_xmitq import transmitted


class Far:
    """The queue manager at the other end, QM2, with a queue TARGET."""

    def __init__(self, lab: Lab) -> None:
        self.path = create(lab.home, "QM2", frozen=True)
        self.mq = EmulatedBackend(open_manager(self.path), user="far", application="far")
        self.mq.define("QLOCAL", "TARGET", {})
        self.mq.define("QLOCAL", "DLQ", {})
        self.mq.alter("QMGR", "", {"DEADQ": "DLQ"})

    def advance(self, seconds: int) -> None:
        lifecycle.advance(self.mq.manager, seconds * 1_000_000)

    def messages(self, name: str = "TARGET") -> list[Message]:
        return list(self.mq.open(name, cmqc.MQOO_BROWSE).browse())

    def depth(self, name: str = "TARGET") -> int:
        return self.mq.status(name).curdepth


@pytest.fixture
def far(lab: Lab) -> Iterator[Far]:
    far_end = Far(lab)
    lab.mq.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    lab.mq.define("QREMOTE", "R1", {"RNAME": "TARGET", "RQMNAME": "QM2"})
    lab.mq.define("QLOCAL", "REPLIES", {})
    transit.start(lab.mq.manager, "QM2", "QM2")
    yield far_end
    far_end.mq.disconnect()


def run(lab: Lab) -> transit.Moved:
    return transit.run(lab.mq.manager)


def test_a_message_arrives_as_it_was_sent(lab: Lab, far: Far) -> None:
    sent = lab.put("R1", b"body", correl_id=b"c" * 24, priority=4)
    assert run(lab).arrived == 1
    assert lab.depth("QM2") == 0
    (arrived,) = far.messages()
    assert (arrived.body, arrived.md) == (b"body", sent)


def test_group_fields_arrive_too(lab: Lab, far: Far) -> None:
    sent = lab.put(
        "R1", b"b", group_id=b"g" * 24, msg_seq_number=2, msg_flags=cmqc.MQMF_LAST_MSG_IN_GROUP
    )
    run(lab)
    (arrived,) = far.messages()
    assert (arrived.md, arrived.body) == (sent, b"b")


@pytest.mark.seed("EX-06")
def test_time_on_the_transmission_queue_and_on_the_target_both_count(lab: Lab, far: Far) -> None:
    lab.put("R1", expiry_tenths=600)
    lab.advance(10)
    run(lab)
    far.advance(5)
    assert far.messages()[0].md.expiry_tenths == 450


@pytest.mark.seed("EX-07")
@pytest.mark.parametrize(("transit_s", "remaining_tenths"), [(0, 600), (3, 570)])
def test_time_on_the_channel_counts_where_it_is_set(
    lab: Lab, far: Far, transit_s: int, remaining_tenths: int
) -> None:
    lifecycle.switch(lab.mq.manager, "channel_transit_s", str(transit_s))
    lab.put("R1", expiry_tenths=600)
    run(lab)
    assert far.messages()[0].md.expiry_tenths == remaining_tenths


def test_a_lifetime_can_end_on_the_channel(lab: Lab, far: Far) -> None:
    lifecycle.switch(lab.mq.manager, "channel_transit_s", "60")
    far.mq.define("QLOCAL", "REPLIES", {})
    lab.put(
        "R1", expiry_tenths=600, report=cmqc.MQRO_EXPIRATION, reply_to_q="REPLIES",
        reply_to_q_mgr="QM2",
    )  # fmt: skip
    run(lab)
    assert far.depth() == 0
    assert far.messages("REPLIES")[0].md.feedback == cmqc.MQFB_EXPIRATION


@pytest.mark.seed("EX-19")
def test_a_message_can_expire_on_the_transmission_queue(lab: Lab, far: Far) -> None:
    transit.stop(lab.mq.manager, "QM2")
    lab.put("R1", expiry_tenths=50, report=cmqc.MQRO_EXPIRATION, reply_to_q="REPLIES")
    lab.advance(6)
    assert run(lab).arrived == 0
    assert lab.depth("QM2") == 1
    transit.start(lab.mq.manager, "QM2", "QM2")
    assert run(lab).arrived == 0
    assert (lab.depth("QM2"), far.depth()) == (0, 0)
    assert lab.get("REPLIES").md.feedback == cmqc.MQFB_EXPIRATION


@pytest.mark.seed("EX-53")
def test_a_direct_put_with_a_correct_header_is_sent(lab: Lab, far: Far) -> None:
    lab.mq.put1("QM2", message(format="MQXMIT"), transmitted(-1))
    run(lab)
    assert far.messages()[0].body == b"body"


def test_a_message_without_header_goes_to_the_dead_letter_queue_of_this_side(
    lab: Lab, far: Far
) -> None:
    lab.mq.alter("QMGR", "", {"DEADQ": "SYSTEM.DEAD.LETTER.QUEUE"})
    lab.put("QM2", b"plain")
    lab.put("R1", b"good")
    assert run(lab).arrived == 1
    dead = lab.get("SYSTEM.DEAD.LETTER.QUEUE")
    header = dlh.decode(dead.body)
    assert isinstance(header, dlh.DLH)
    assert (header.reason, header.dest_q_name) == (cmqc.MQFB_XMIT_Q_MSG_ERROR, "QM2")
    assert lab.depth("QM2") == 0


def test_what_the_target_refuses_is_dead_lettered_there_and_reported(lab: Lab, far: Far) -> None:
    far.mq.alter("QLOCAL", "TARGET", {"PUT": "DISABLED"})
    far.mq.define("QLOCAL", "REPLIES", {})
    lab.put("R1", report=cmqc.MQRO_EXCEPTION, reply_to_q="REPLIES", reply_to_q_mgr="QM2")
    moved = run(lab)
    assert (moved.arrived, moved.dead_lettered, moved.stopped) == (1, 1, "")
    assert far.depth("DLQ") == 1
    assert far.messages("REPLIES")[0].md.feedback == cmqc.MQRC_PUT_INHIBITED


def test_discard_takes_the_place_of_the_dead_letter_queue(lab: Lab, far: Far) -> None:
    far.mq.alter("QLOCAL", "TARGET", {"PUT": "DISABLED"})
    lab.put("R1", report=cmqc.MQRO_DISCARD_MSG)
    run(lab)
    assert (lab.depth("QM2"), far.depth("DLQ")) == (0, 0)


@pytest.mark.seed("EX-48")
def test_a_dead_lettered_message_keeps_what_is_left_of_its_lifetime(lab: Lab, far: Far) -> None:
    far.mq.alter("QLOCAL", "TARGET", {"PUT": "DISABLED"})
    lab.put("R1", expiry_tenths=600)
    lab.advance(20)
    run(lab)
    assert far.messages("DLQ")[0].md.expiry_tenths == 400
    far.advance(10)
    assert far.messages("DLQ")[0].md.expiry_tenths == 300
    far.advance(30)
    assert far.messages("DLQ") == []


def test_without_a_dead_letter_queue_it_stays_and_the_channel_stops(lab: Lab, far: Far) -> None:
    far.mq.alter("QMGR", "", {"DEADQ": ""})
    for body in (b"1", b"2"):
        lab.put("R1", body)
    far.mq.alter("QLOCAL", "TARGET", {"MAXDEPTH": 1})
    moved = run(lab)
    assert moved.arrived == 1
    assert "2053" in moved.stopped
    assert not transit.channels(lab.mq.manager)[0].running
    far.mq.alter("QLOCAL", "TARGET", {"MAXDEPTH": 5})
    assert run(lab).arrived == 0
    transit.start(lab.mq.manager, "QM2", "QM2")
    assert run(lab).arrived == 1
    assert [m.body for m in far.messages()] == [b"1", b"2"]


def test_many_messages_go_in_batches_and_in_order(lab: Lab, far: Far) -> None:
    handle = lab.open("R1", 0x10)
    for number in range(120):
        handle.put(message(), str(number).encode())
    assert run(lab).arrived == 120
    assert [m.body for m in far.messages()] == [str(n).encode() for n in range(120)]


@pytest.mark.parametrize("received", [True, False], ids=["arrived", "did-not-arrive"])
def test_a_batch_in_doubt_is_neither_lost_nor_doubled(
    lab: Lab, far: Far, monkeypatch: pytest.MonkeyPatch, received: bool
) -> None:
    """The sender breaks off after, or before, the receiver has put the batch."""
    for body in (b"1", b"2", b"3"):
        lab.put("R1", body)

    def broken(*_: object) -> None:
        raise RuntimeError("the machine stops")

    with monkeypatch.context() as patch:
        patch.setattr(transit, "_let_go" if received else "_receive", broken)
        with pytest.raises(RuntimeError):
            run(lab)
    assert lab.depth("QM2") == 3
    assert lab.bodies("QM2") == []
    assert far.depth() == (3 if received else 0)
    run(lab)
    assert lab.depth("QM2") == 0
    assert [m.body for m in far.messages()] == [b"1", b"2", b"3"]


def test_an_arrival_is_confirmed_over_the_way_back(lab: Lab, far: Far) -> None:
    far.mq.define("QLOCAL", "QM1", {"USAGE": "XMITQ"})
    transit.start(far.mq.manager, "QM1", "QM1")
    sent = lab.put("R1", report=cmqc.MQRO_COA, reply_to_q="REPLIES")
    run(lab)
    transit.run(far.mq.manager)
    report = lab.get("REPLIES").md
    assert (report.feedback, report.correl_id) == (cmqc.MQFB_COA, sent.msg_id)


def test_the_channel_waits_for_a_queue_manager_that_is_stopped(lab: Lab, far: Far) -> None:
    lab.put("R1")
    lifecycle.stop(far.mq.manager)
    assert "stopped" in run(lab).stopped
    assert lab.depth("QM2") == 1


def test_only_a_transmission_queue_has_a_channel(lab: Lab, far: Far) -> None:
    with pytest.raises(MQIError) as error:
        transit.start(lab.mq.manager, "REPLIES", "QM2")
    assert error.value.reason == cmqc.MQRC_XMIT_Q_USAGE_ERROR
    with pytest.raises(NotFound):
        transit.stop(lab.mq.manager, "REPLIES")
    assert lab.mq.open("REPLIES", ALL).name == "REPLIES"


# -- a sender channel that START CHANNEL began ----------------------------------------------------


def status(lab: Lab) -> Mapping[str, int | str]:
    (reply,) = mqsc(lab, "DISPLAY CHSTATUS(QM1.QM2) ALL")
    return reply.lines[0].object or {}


def mqsc(lab: Lab, *commands: str) -> list[Reply]:
    script = parse("\n".join(commands))
    return [lab.mq.run_mqsc(script, command) for command in script.commands]


@pytest.fixture
def sender(lab: Lab, far: Far) -> Lab:
    """QM1 with a sender channel to QM2 that runs."""
    transit.stop(lab.mq.manager, "QM2")
    mqsc(
        lab,
        "DEFINE CHANNEL(QM1.QM2) CHLTYPE(SDR) CONNAME('far(1414)') XMITQ(QM2) MAXMSGL(50)",
        "START CHANNEL(QM1.QM2)",
    )
    return lab


def test_a_sender_channel_takes_away_what_is_put(sender: Lab, far: Far) -> None:
    sender.put("R1", b"1")
    sender.mq.disconnect()
    assert [m.body for m in far.messages()] == [b"1"]


def test_it_takes_what_a_unit_of_work_has_put_at_its_commit(sender: Lab, far: Far) -> None:
    handle = sender.open("R1", cmqc.MQOO_OUTPUT)
    handle.put(message(), b"1", cmqc.MQPMO_SYNCPOINT)
    sender.mq.queue("QM2")
    assert far.depth() == 0
    sender.mq.commit()
    assert sender.depth("QM2") == 0
    assert far.depth() == 1


def test_it_takes_what_was_there_when_it_was_started(sender: Lab, far: Far) -> None:
    assert mqsc(sender, "STOP CHANNEL(QM1.QM2)")[0].ending is CommandEnding.DONE
    sender.put("R1", b"1")
    assert (sender.depth("QM2"), far.depth()) == (1, 0)
    again, started = mqsc(sender, "STOP CHANNEL(QM1.QM2)", "START CHANNEL(QM1.QM2)")
    assert (again.ending, started.ending) == (CommandEnding.FAILED, CommandEnding.DONE)
    assert far.depth() == 1


def test_what_is_longer_than_its_maxmsgl_goes_to_the_dead_letter_queue(
    sender: Lab, far: Far
) -> None:
    sender.mq.define("QLOCAL", "DEAD", {})
    sender.mq.alter("QMGR", "", {"DEADQ": "DEAD"})
    for length in (50, 51):
        sender.put("R1", b"x" * length)
    assert sender.depth("QM2") == 0
    assert [len(m.body) for m in far.messages()] == [50]
    header = dlh.decode(sender.get("DEAD").body)
    assert isinstance(header, dlh.DLH)
    assert header.reason == cmqc.MQRC_MSG_TOO_BIG_FOR_CHANNEL


def test_its_status_says_where_it_leads_and_that_it_has_stopped(sender: Lab, far: Far) -> None:
    shown = status(sender)
    assert (shown["STATUS"], shown["RQMNAME"], shown["XMITQ"]) == ("RUNNING", "QM2", "QM2")
    lifecycle.stop(far.mq.manager)
    sender.put("R1")
    sender.mq.queue("QM2")
    assert status(sender)["STATUS"] == "STOPPED"
    assert sender.depth("QM2") == 1


@pytest.mark.slow
def test_programs_that_put_together_lose_and_double_nothing(sender: Lab, far: Far) -> None:
    line = [sys.executable, "-m", "mqtriage", "-m", "QM1", "msg", "put", "R1", "x", "--yes"]
    path = ":".join(sys.path)
    environment = {**os.environ, "MQTRIAGE_HOME": str(sender.home), "PYTHONPATH": path}
    programs = [
        subprocess.Popen([*line, "--count", "60"], env=environment, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    ids = [line for program in programs for line in program.communicate()[0].split()]
    sender.mq.queue("QM2")
    arrived_ids = [m.md.msg_id.hex().upper().encode() for m in far.messages()]
    assert len(ids) == 180
    assert sorted(arrived_ids) == sorted(ids)


def test_a_program_that_keeps_the_channels_to_itself_is_named_and_nobody_waits_for_ever(
    sender: Lab, far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transit, "_LONGEST_WAIT_S", 0.05)
    held = open_lock(sender.path, "channels")
    assert try_lock(held)
    sender.put("R1", b"1")
    with pytest.raises(StorageError, match="runs its channels"):
        sender.mq.queue("QM2")
    os.close(held)
    sender.mq.queue("QM2")
    assert far.depth() == 1
