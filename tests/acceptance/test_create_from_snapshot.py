"""`emulator create --from-snapshot`: what a queue manager held, to try things on."""

from __future__ import annotations

import re

import pytest

from tests.acceptance.conftest import Bench

QUEUES = ("ORDERS.IN", "ORDERS.BO", "PAYMENTS.REPLY", "DEAD.LETTER.QUEUE")
KEYS = (
    "msg_id,correl_id,put_time,format,priority,persistence,backout_count,expiry_tenths,"
    "put_appl_name,user_identifier,length_bytes,body,body_hex"
)


@pytest.fixture
def taken(bench: Bench) -> Bench:
    """A frozen queue manager with the sample, and a snapshot of it."""
    bench.ok("emulator", "create", "LIVE", "--sample", "--clock", "frozen")
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=777", "-m", "LIVE", "--yes")
    bench.ok("snapshot", "take", "-m", "LIVE", "--body", "full", "--format", "ndjson")
    return bench


def messages(bench: Bench, queue_manager: str, queue: str) -> list[dict[str, object]]:
    argv = ("msg", "browse", queue, "-m", queue_manager, "-o", "json", "--columns", KEYS)
    return bench.ok(*argv).items


def queues(bench: Bench, queue_manager: str) -> list[dict[str, object]]:
    rows = bench.ok("queue", "ls", "-m", queue_manager, "--system", "-o", "json").items
    for row in rows:
        del row["oldest_put_time"]  # since when it is on the queue, which no snapshot knows
    return rows


@pytest.mark.slow
def test_messages_definitions_and_depths_are_those_of_the_snapshot(taken: Bench) -> None:
    created = taken.ok("emulator", "create", "WHATIF", "--from-snapshot", "latest", "-o", "json")
    assert created.json["item"]["message_count"] > 10
    for queue in QUEUES:
        live = messages(taken, "LIVE", queue)
        assert live
        assert messages(taken, "WHATIF", queue) == live
    assert any(row["backout_count"] for row in messages(taken, "WHATIF", "ORDERS.IN"))
    ls = [queues(taken, name) for name in ("LIVE", "WHATIF")]
    assert ls[0] == ls[1]
    assert {"queue": "ORDERS.IN", "maxdepth": 777}.items() <= next(
        row for row in ls[1] if row["queue"] == "ORDERS.IN"
    ).items()


def test_what_was_delayed_then_is_delivered_when_its_clock_gets_there(taken: Bench) -> None:
    taken.ok("emulator", "create", "WHATIF", "--from-snapshot", "latest")
    for name in ("LIVE", "WHATIF"):
        taken.ok("emulator", "clock", "+1h", name)
    due = [
        taken.ok("delay", "browse", "-m", name, "-o", "json").items for name in ("LIVE", "WHATIF")
    ]
    assert due[0] == due[1]
    assert queues(taken, "LIVE") == queues(taken, "WHATIF")


def test_a_snapshot_without_message_data_makes_nothing(taken: Bench) -> None:
    taken.ok("snapshot", "take", "-m", "LIVE", "--format", "ndjson")
    ran = taken.run("emulator", "create", "BARE", "--from-snapshot", "latest")
    assert (ran.code, "--body full" in ran.err) == (8, True)
    assert "BARE" not in taken.ok("emulator", "ls").out


def test_what_is_there_is_not_written_over(taken: Bench) -> None:
    assert taken.run("emulator", "create", "LIVE", "--from-snapshot", "latest").code == 8
    assert messages(taken, "LIVE", "ORDERS.IN")
    assert taken.run("emulator", "create", "NEW", "--from-snapshot", "none").code == 5
    assert taken.run("emulator", "create", "NEW", "--from-snapshot", "latest", "--sample").code == 2


@pytest.mark.slow
def test_messages_stand_in_their_order_when_the_snapshot_tells_only_what_changed(
    bench: Bench,
) -> None:
    """What is new is at place 3 there; what has no row was at place 3 before two left."""
    bench.ok("emulator", "create", "LIVE", "--clock", "frozen")
    with bench.connected("LIVE") as backend:
        backend.define("QLOCAL", "Q", {})

    def put(text: str) -> None:
        bench.ok("msg", "put", "Q", text, "--yes", "-m", "LIVE")

    def take() -> None:
        bench.ok("emulator", "clock", "+1m", "LIVE")
        bench.ok("snapshot", "take", "-m", "LIVE", "--body", "full", "--incremental")

    for text in "abcd":
        put(text)
    take()
    bench.ok("msg", "purge", "Q", "--limit", "2", "--yes", "-m", "LIVE")
    put("e")
    take()
    put("f")
    take()
    bench.ok("emulator", "create", "WHATIF", "--from-snapshot", "latest")
    live = messages(bench, "LIVE", "Q")
    assert len(live) == 4
    assert messages(bench, "WHATIF", "Q") == live


def test_of_several_queue_managers_the_ids_to_choose_from_are_named(taken: Bench) -> None:
    taken.ok("snapshot", "take", "-m", "QM1", "--body", "full", "--format", "ndjson")
    ran = taken.run("emulator", "create", "WHATIF", "--from-snapshot", "latest")
    assert (ran.code, "choose one with -m" in ran.err) == (5, False)
    (snapshot,) = re.findall(r"(\S+) \(LIVE\)", ran.err)
    taken.ok("emulator", "create", "WHATIF", "--from-snapshot", snapshot)
    assert messages(taken, "WHATIF", "ORDERS.IN") == messages(taken, "LIVE", "ORDERS.IN")
