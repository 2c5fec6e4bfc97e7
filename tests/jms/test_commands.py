"""Our commands on messages from IBM's client, and IBM's client on messages from our commands."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.acceptance.conftest import Bench
from tests.jms.conftest import CHANNEL, At
from tests.jms.test_poison import fail

CORRELATION = "ID:" + "AB" * 24


@pytest.fixture
def bench(at: At) -> Bench:
    """Command lines for the queue manager of the tests."""
    command_line = Bench(at.lab.home)
    command_line.environ["MQTRIAGE_QMGR"] = "QM1"
    return command_line


def properties_of(item: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: one["value"] for one in item["properties"]}


def time_of(millis: int) -> str:
    """A time of Java's, as our JSON has it but for what is below a tenth of a second."""
    return f"{datetime.fromtimestamp(millis / 1000, UTC):%Y-%m-%dT%H:%M:%S}"


@pytest.mark.parametrize("api", ["context", "session"])
def test_a_browse_shows_what_the_client_sent(at: At, bench: Bench, api: str) -> None:
    queue, answers = at.local(), at.local()
    sent = at.open(api=api).send(
        queue, "hello, wörld", priority=7, persistence=1, ttl=90_000, reply=answers,
        correlation=CORRELATION, properties={"colour": "red", "n": 3},
    )  # fmt: skip
    (item,) = bench.ok("msg", "browse", queue, "-o", "json").items
    assert f"ID:{item['msg_id']}".lower() == sent["id"].lower()
    assert f"ID:{item['correl_id']}" == CORRELATION
    assert (item["priority"], item["persistence"], item["reply_to_q"]) == (7, 0, answers)
    assert 0 < item["expiry_tenths"] <= 900
    assert (item["body"], item["backout_count"], item["msg_type_name"]) == (
        "hello, wörld", 0, "MQMT_REQUEST",
    )  # fmt: skip
    shown = properties_of(item)
    assert (shown["colour"], shown["n"]) == ("red", 3)
    assert shown["jms.Dst"] == sent["to"]
    assert shown["jms.Rto"].partition("?")[0].endswith(f"/{answers}")
    assert (shown["jms.Dlv"], shown["jms.Tms"]) == ("1", str(sent["timestamp"]))
    assert shown["jms.Exp"] == str(sent["expiration"])


def test_a_browse_shows_bytes_and_ids_as_the_client_does(at: At, bench: Bench) -> None:
    """In the same order, and both leave everything where it is."""
    queue, jms = at.local(), at.open()
    for number, priority in enumerate((4, 9, 4, 0)):
        jms.send(queue, bytes=f"\0\xff{number}", priority=priority)
    ours = bench.ok("msg", "browse", queue, "-o", "json").items
    theirs = jms.browse(queue)
    assert [f"id:{item['msg_id']}".lower() for item in ours] == [
        message["id"].lower() for message in theirs
    ]
    assert [item["priority"] for item in ours] == [9, 4, 4, 0]
    assert [bytes.fromhex(item["body_hex"]).decode("latin-1") for item in ours] == [
        message["bytes"] for message in theirs
    ]


def test_depth_and_threshold_are_those_that_the_client_reads(at: At, bench: Bench) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=4, BOQNAME=backout)
    sender = at.open()
    for number in range(3):
        sender.send(queue, f"{number}")
    (item,) = bench.ok("queue", "ls", queue, "-o", "json").items
    read = at.connect("reader").run("inquire", **{"from": queue})
    assert [item["curdepth"], item["bothresh"], item["boqname"]] == read
    assert read == [3, 4, backout]


def test_queue_status_names_the_channel_by_which_the_client_came(at: At, bench: Bench) -> None:
    queue = at.local()
    at.open().consume(queue)
    (item,) = bench.ok("queue", "status", queue, "--handles", "-o", "json").items
    assert (item["channel"], item["connection_name"]) == (CHANNEL, "127.0.0.1")


@pytest.mark.parametrize("api", ["context", "session"])
def test_a_delayed_message_is_listed_with_the_clients_own_times(
    at: At, bench: Bench, api: str
) -> None:
    queue, jms = at.local(), at.open(api=api)
    sent = jms.send(queue, "later", delay=3_600_000)
    (item,) = bench.ok("delay", "browse", "-o", "json").items
    assert (item["target"], item["delay_ms"], item["state"]) == (queue, 3_600_000, "waiting")
    shown = properties_of(item)
    assert shown["mqext.Dtm"] == str(sent["delivery_time"])
    assert f"ID:{item['original_msg_id']}".lower() == sent["id"].lower()
    at.advance(3600)
    got = jms.receive(queue)
    assert got is not None
    assert (got["id"], got["delivery_time"]) == (sent["id"], sent["delivery_time"])
    assert bench.ok("delay", "browse", "-o", "json").items == []


def test_backout_pending_and_ls_follow_a_message_that_the_client_rolls_back(
    at: At, bench: Bench
) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=3, BOQNAME=backout)
    sent = at.open("sender").send(queue, "poison")
    jms = at.open(mode="transacted")
    for count in (1, 2):
        fail(jms, queue, 1)
        items = bench.ok("backout", "pending", queue, "--min-backout", "1", "-o", "json").items
        assert [(item["backout_count"], f"ID:{item['msg_id']}".lower()) for item in items] == [
            (count, sent["id"].lower())
        ]
    fail(jms, queue, 1)
    assert jms.receive(queue, call="no-wait") is None
    jms.commit()
    assert bench.ok("backout", "pending", queue, "--min-backout", "1", "-o", "json").items == []
    (item,) = bench.ok("msg", "browse", backout, "-o", "json").items
    assert (f"ID:{item['msg_id']}".lower(), item["body"]) == (sent["id"].lower(), "poison")


@pytest.mark.parametrize("api", ["context", "session"])
def test_the_client_receives_what_msg_put_wrote(at: At, bench: Bench, api: str) -> None:
    queue, answers = at.local(), at.local()
    ran = bench.ok(
        "msg", "put", queue, "hello, wörld", "--prop", "colour=red", "--priority", "7",
        "--persistent", "--correlid", CORRELATION, "--reply-to", answers, "--expiry", "90s",
        "--yes",
    )  # fmt: skip
    got = at.open(api=api).receive(queue)
    assert got is not None
    assert (got["text"], got["priority"], got["mode"]) == ("hello, wörld", 7, 2)
    assert got["id"].lower() == f"id:{ran.out.strip()}".lower()
    assert got["correlation"].lower() == CORRELATION.lower()
    assert got["properties"]["colour"] == "red"
    assert answers in got["reply"]
    assert got["expiration"] > 0


def test_the_client_receives_what_delay_put_wrote(at: At, bench: Bench) -> None:
    queue, jms = at.local(), at.open()
    bench.ok("msg", "put", queue, "later", "--delay", "15m", "--prop", "n=3", "--yes")
    (item,) = bench.ok("delay", "browse", "-o", "json").items
    assert jms.receive(queue, call="no-wait") is None
    at.advance(900)
    got = jms.receive(queue)
    assert got is not None
    assert (got["text"], got["properties"]["n"]) == ("later", "3")
    assert f"ID:{item['original_msg_id']}".lower() == got["id"].lower()
    assert got["delivery_time"] - got["timestamp"] == 900_000
    assert item["due_time"].startswith(time_of(got["delivery_time"]))
