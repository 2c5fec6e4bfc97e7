"""Filling a queue manager from files and from the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.emulator.samples import samples
from mqtriage.emulator.seeding import fill_with_samples, put_files
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, NotFound
from mqtriage.mq.times import put_time_us
from tests.unit.emulator.conftest import Lab


def test_the_bytes_of_each_file_are_one_message_in_the_order_given(
    lab: Lab, tmp_path: Path
) -> None:
    handle = lab.local("A")
    files = []
    for number, body in enumerate((b"\0\xff", b"", b"third")):
        files.append(tmp_path / str(number))
        files[-1].write_bytes(body)
    seeded = list(put_files(lab.mq.connection, "A", files, MQMD()))
    messages = list(handle.browse())
    assert [m.body for m in messages] == [b"\0\xff", b"", b"third"]
    assert [m.md.msg_id for m in messages] == [s.md.msg_id for s in seeded]


def test_a_missing_file_puts_none(lab: Lab, tmp_path: Path) -> None:
    lab.local("A")
    (tmp_path / "there").write_bytes(b"x")
    with pytest.raises(NotFound, match="gone: no such file"):
        list(put_files(lab.mq.connection, "A", [tmp_path / "there", tmp_path / "gone"], MQMD()))
    assert lab.depth("A") == 0


def test_a_full_queue_puts_none(lab: Lab, tmp_path: Path) -> None:
    lab.local("A", MAXDEPTH=1)
    (tmp_path / "f").write_bytes(b"x")
    with pytest.raises(MQIError, match="2053"):
        list(put_files(lab.mq.connection, "A", [tmp_path / "f"] * 2, MQMD()))
    assert lab.depth("A") == 0


def test_every_sample_message_is_there_with_its_context(lab: Lab) -> None:
    count = fill_with_samples(lab.mq.connection)
    assert count == len(list(samples()))
    expected = {s.md.put_appl_name for s in samples() if not s.delay_ms and s.queue == "ORDERS.IN"}
    program_names = {m.md.put_appl_name for m in lab.open("ORDERS.IN").browse()}
    assert program_names == expected
    assert all(m.md.put_date for m in lab.open("ORDERS.IN").browse())


def test_the_samples_are_a_minute_old(lab: Lab) -> None:
    before_us = lab.mq.now_us()
    fill_with_samples(lab.mq.connection)
    assert lab.mq.now_us() - before_us == 60_000_000
    ages_us = [
        lab.mq.now_us() - (put_time_us(m.md.put_date, m.md.put_time) or 0)
        for m in lab.open("ORDERS.IN").browse()
    ]
    assert min(ages_us) >= 60_000_000


def test_the_poison_message_of_the_sample_has_been_rolled_back(lab: Lab) -> None:
    fill_with_samples(lab.mq.connection)
    counts = sorted(m.md.backout_count for m in lab.open("ORDERS.IN").browse())
    assert counts[-1] == 3
    assert counts[0] == 0
