"""Filling a queue manager from files and from the sample."""

from __future__ import annotations

from mqtriage.emulator.samples import samples
from mqtriage.emulator.seeding import fill_with_samples
from mqtriage.mq.times import put_time_us
from mqtriage.pipeline.snapshots.reader import CLOCKS_APART_US
from tests.unit.emulator.conftest import Lab


def test_every_sample_message_is_there_with_its_context(lab: Lab) -> None:
    count = fill_with_samples(lab.mq.connection)
    assert count == len(list(samples()))
    expected = {s.md.put_appl_name for s in samples() if not s.delay_ms and s.queue == "ORDERS.IN"}
    program_names = {m.md.put_appl_name for m in lab.open("ORDERS.IN").browse()}
    assert program_names == expected
    assert all(m.md.put_date for m in lab.open("ORDERS.IN").browse())


def test_the_samples_are_older_than_a_moment_and_their_clock_is_not_told_as_apart(lab: Lab) -> None:
    before_us = lab.mq.now_us()
    fill_with_samples(lab.mq.connection)
    assert lab.mq.now_us() - before_us == 59_000_000 < CLOCKS_APART_US
    ages_us = [
        lab.mq.now_us() - (put_time_us(m.md.put_date, m.md.put_time) or 0)
        for m in lab.open("ORDERS.IN").browse()
    ]
    assert min(ages_us) >= 59_000_000


def test_the_poison_message_of_the_sample_has_been_rolled_back(lab: Lab) -> None:
    fill_with_samples(lab.mq.connection)
    counts = sorted(m.md.backout_count for m in lab.open("ORDERS.IN").browse())
    assert counts[-1] == 3
    assert counts[0] == 0
