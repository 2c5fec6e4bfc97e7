"""`mqtriage expiry status` and `expiry sweep`, whole commands on an emulated queue manager."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mqtriage.commands.expiry.queues import ExpiryStatus, may_have_expired
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import ON_A_TERMINAL, Bench


def fill(bench: Bench, expiries_tenths: Sequence[int], **fields: Any) -> None:
    """Messages with these lifetimes on APP.IN, -1 for unlimited, in this order."""
    bench.define("APP.IN")
    with bench.connected() as backend:
        for number, tenths in enumerate(expiries_tenths):
            backend.put1("APP.IN", MQMD(expiry_tenths=tenths, **fields), b"%d" % number)


def row(bench: Bench, *options: str) -> dict[str, Any]:
    (item,) = bench.ok("expiry", "status", "APP.IN", "-o", "json", *options).items
    return item


@pytest.mark.seed("EX-34", "EX-35")
def test_status_counts_expired_messages_without_browsing_them_away(bench: Bench) -> None:
    fill(bench, [10] * 5)
    bench.ok("emulator", "clock", "+2s")
    for _ in range(2):
        status = row(bench)
        assert status["curdepth"] == 5
        assert status["visible"] == 0
        assert status["expired"] == 5
    assert bench.depth("APP.IN") == 5


def test_problems_lists_only_queues_with_expired_messages_and_counts_the_others(
    bench: Bench,
) -> None:
    fill(bench, [10] * 5)
    bench.define("APP.EMPTY")
    ran = bench.ok("expiry", "status", "APP.*", "--problems", "-o", "plain")
    assert len(ran.out.splitlines()) == 1
    assert "not listed: 2 queues without expired messages" in ran.err
    bench.ok("emulator", "clock", "+2s")
    ran = bench.ok("expiry", "status", "APP.*", "--problems", "-o", "plain")
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == ["APP.IN"]
    assert "not listed: 1 queue without expired messages" in ran.err
    listed = bench.ok("expiry", "status", "APP.*", "--problems", "-o", "json")
    assert [item["queue"] for item in listed.items] == ["APP.IN"]
    assert (listed.json["summary"]["queues"], listed.json["summary"]["not_listed"]) == (2, 1)


def test_problems_lists_what_may_have_expired_where_nobody_knows() -> None:
    assert may_have_expired(ExpiryStatus(queue="Q", curdepth=3, uncommitted=2))
    assert not may_have_expired(ExpiryStatus(queue="Q", curdepth=2, uncommitted=2))


def test_status_counts_lifetimes_to_come(bench: Bench) -> None:
    fill(bench, [10, 36_000, 72_000, -1])
    bench.ok("emulator", "clock", "+2s")
    status = row(bench)
    assert (status["visible"], status["with_expiry"], status["unlimited"]) == (3, 2, 1)
    assert status["expires_1h"] == 1
    assert status["next_expiry_time"] is not None


def test_status_and_explain_tell_since_when_messages_are_expired(bench: Bench) -> None:
    fill(bench, [20, 10, 36_000])
    first = row(bench)
    assert first["expired_since_time"] is None
    bench.ok("emulator", "clock", "+1m")
    since = row(bench)["expired_since_time"]
    explained = bench.ok("expiry", "explain", "APP.IN", "-o", "json").item
    assert since == explained["expired_since_time"] == first["next_expiry_time"]


def test_the_keys_of_status_are_its_headings(bench: Bench) -> None:
    fill(bench, [-1])
    heading = bench.ok("expiry", "status", "APP.IN", "-o", "plain", "--wide").out.splitlines()[0]
    keys = [key.removesuffix("_time").upper() for key in row(bench)]
    assert heading.split() == keys


def test_what_is_uncommitted_is_counted_apart(bench: Bench) -> None:
    from mqtriage.mq import cmqc

    fill(bench, [-1])
    with bench.connected() as other:
        other.put1("APP.IN", MQMD(expiry_tenths=10), b"held", cmqc.MQPMO_SYNCPOINT)
        bench.ok("emulator", "clock", "+2s")
        status = row(bench)
        assert (status["curdepth"], status["visible"], status["uncommitted"]) == (2, 1, 1)
        assert status["expired"] == 0


def test_scan_gives_the_same_numbers_by_browsing_and_says_what_that_does(bench: Bench) -> None:
    fill(bench, [10, 36_000, -1])
    bench.ok("emulator", "clock", "+2s")
    counted = row(bench)
    ran = bench.ok("expiry", "status", "APP.IN", "-o", "json", "--scan")
    (scanned,) = ran.items
    same = ("curdepth", "visible", "expired", "with_expiry", "expires_1h", "unlimited")
    assert [scanned[key] for key in same] == [counted[key] for key in same]
    assert scanned["curdepth_after_scan"] == 2
    assert "--scan browses" in ran.err


@pytest.mark.seed("CARD-26")
def test_sweep_removes_the_expired_ones_alone_and_sends_their_reports(bench: Bench) -> None:
    bench.define("REPORTS")
    fill(
        bench,
        [10, -1, 10, 36_000, 10, 10, -1, 10],
        report=cmqc.MQRO_EXPIRATION,
        msg_type=cmqc.MQMT_REQUEST,
        reply_to_q="REPORTS",
    )
    bench.ok("emulator", "clock", "+2s")
    ran = bench.ok("expiry", "sweep", "APP.IN", "--yes", "-o", "json")
    assert ran.json["before"] == {"APP.IN": 8}
    assert ran.json["after"] == {"APP.IN": 3}
    assert ran.json["details"] == {"discarded_at_most": 5, "visible": 3}
    assert "cannot be undone, reports may be sent" in ran.err
    again = bench.ok("expiry", "sweep", "APP.IN", "--yes", "-o", "json")
    assert again.json["details"] == {"discarded_at_most": 0, "visible": 3}
    with bench.connected() as backend:
        remaining = [m.body for m in backend.open("APP.IN", cmqc.MQOO_BROWSE).browse()]
    assert remaining == [b"1", b"3", b"6"]
    assert bench.depth("REPORTS") == 5


def test_a_dry_run_of_sweep_changes_nothing_at_all(bench: Bench) -> None:
    fill(bench, [10] * 5)
    bench.ok("emulator", "clock", "+2s")
    before = bench.ok("emulator", "ls", "QM1").out
    ran = bench.ok("expiry", "sweep", "APP.IN", "-n")
    assert "sweep APP.IN" in ran.out
    assert bench.ok("emulator", "ls", "QM1").out == before


def test_expect_max_refuses_when_more_might_go(bench: Bench) -> None:
    fill(bench, [10] * 5)
    bench.ok("emulator", "clock", "+2s")
    ran = bench.run("expiry", "sweep", "APP.IN", "--expect", "4", "--yes")
    assert ran.code == 8
    assert "up to 5 might be discarded" in ran.error_line
    assert bench.depth("APP.IN") == 5
    bench.ok("expiry", "sweep", "APP.IN", "--expect", "5", "--yes")
    assert bench.depth("APP.IN") == 0


def test_sweep_of_an_empty_queue_reports_nothing(bench: Bench) -> None:
    fill(bench, [])
    ran = bench.ok("expiry", "sweep", "APP.IN", "-o", "json")
    assert ran.json["details"]["discarded_at_most"] == 0
    assert bench.run("expiry", "sweep", "APP.IN", "--fail-empty").code == 9


@pytest.mark.parametrize("how", ["-n", "--yes"])
def test_a_sweep_that_discards_nothing_is_empty_although_messages_are_there(
    bench: Bench, how: str
) -> None:
    fill(bench, [-1, 10])
    argv = ("expiry", "sweep", "APP.IN", how)
    assert bench.run(*argv).code == 0
    assert bench.run(*argv, "--fail-empty").code == 9
    bench.ok("emulator", "clock", "+2s")
    assert bench.run(*argv, "--fail-empty").code == 0


def test_sweep_asks_on_a_terminal(bench: Bench) -> None:
    fill(bench, [10])
    bench.ok("emulator", "clock", "+2s")
    args = ("expiry", "sweep", "APP.IN")
    assert bench.run(*args, answer="n\n", terminals=ON_A_TERMINAL).code == 8
    assert bench.depth("APP.IN") == 1
    assert bench.run(*args, answer="y\n", terminals=ON_A_TERMINAL).code == 0
    assert bench.depth("APP.IN") == 0


def test_an_alias_is_swept_at_its_base(bench: Bench) -> None:
    fill(bench, [10])
    bench.ok("queue", "define", "ALIAS", "TARGET=APP.IN", "--yes")
    bench.ok("emulator", "clock", "+2s")
    ran = bench.ok("expiry", "sweep", "ALIAS", "--yes", "-o", "json")
    assert ran.json["queue"] == "APP.IN"
    assert "ALIAS is an alias of APP.IN" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        pytest.param(["status", "NOPE"], 5, "2085", id="unknown"),
        pytest.param(["status", "A*B"], 2, "'*' at position 2", id="pattern"),
        pytest.param(["status", "N" * 49], 2, "49 characters", id="long-name"),
        pytest.param(["status", "TO.NOTHING"], 5, "2082", id="alias-missing"),
        pytest.param(["status", "TO.ALIAS"], 1, "2001", id="alias-of-alias"),
        pytest.param(["sweep", "NOPE", "--yes"], 5, "2085", id="sweep-unknown"),
        pytest.param(["sweep", "A B", "--yes"], 2, "a blank", id="sweep-name"),
        pytest.param(["sweep", "APP.IN"], 8, "--yes", id="consent"),
        pytest.param(["sweep", "APP.IN", "--expect", "-1"], 2, "--expect", id="negative"),
        pytest.param(
            ["sweep", "APP.IN", "--no-expiry-effects", "--yes"], 8, "browses", id="effects"
        ),
        pytest.param(["sweep", "SHUT", "--yes"], 1, "MQRC_GET_INHIBITED (2016)", id="get-disabled"),
    ],
)
def test_wrong_input_is_one_clear_line(
    bench: Bench, arguments: list[str], code: int, text: str
) -> None:
    fill(bench, [-1])
    bench.define("SHUT", **{"TO.NOTHING": "TARGET=NOPE", "TO.ALIAS": "TARGET=TO.NOTHING"})
    with bench.connected() as backend:
        backend.put1("SHUT", MQMD(), b"x")
        backend.alter("QLOCAL", "SHUT", {"GET": "DISABLED"})
    ran = bench.run("expiry", *arguments)
    assert ran.code == code, ran.err
    assert text in ran.error_line
    assert ran.out == ""


def test_a_sweep_counts_what_it_discards(sample: Bench) -> None:
    sample.define("APP.IN")
    sample.ok("msg", "put", "APP.IN", "kept", "--yes")
    for _ in range(3):
        sample.ok("msg", "put", "APP.IN", "gone", "--expiry", "100ms", "--yes")
    sample.ok("emulator", "clock", "+2s")
    counts = {"planned": 3, "done": 3, "skipped": 0, "failed": 0}
    assert sample.ok("expiry", "sweep", "APP.IN", "--yes", "-o", "json").item["counts"] == counts
    (entry,) = sample.ok("journal", "ls", "sweep", "-o", "json").items
    assert (entry["planned"], entry["done"]) == (3, 3)
    again = sample.ok("expiry", "sweep", "APP.IN", "--yes", "-o", "json").item
    assert (again["counts"]["done"], again["changed"]) == (0, False)
    assert again["details"] == {"discarded_at_most": 0, "visible": 1}


def test_expired_messages_are_headed_so(sample: Bench) -> None:
    assert " EXPIRED " in sample.ok("expiry", "status", "PAYMENTS.*").out


def test_a_queue_of_expired_messages_says_so_and_what_discards_them(bench: Bench) -> None:
    bench.define("APP.IN", "APP.OTHER")
    for queue, count in (("APP.OTHER", "1"), ("APP.IN", "4")):
        bench.ok("msg", "put", queue, "x", "--count", count, "--expiry", "1s", "--yes")
    bench.ok("msg", "put", "APP.IN", "x", "--yes")
    words = ("expiry", "status", "APP.*", "-m", "QM1")
    assert "next: " not in bench.run(*words, terminals=ON_A_TERMINAL).err
    bench.ok("emulator", "clock", "QM1", "+2s")
    assert "; 5 messages (4 expired), the oldest put" in bench.ok("queue", "status", "APP.IN").err
    assert (
        "next: mqtriage expiry sweep APP.IN -m QM1 -n\n"
        in bench.run(*words, terminals=ON_A_TERMINAL).err
    )
    assert "next: " not in bench.ok(*words).err
    assert "next: " not in bench.run(*words, "-o", "json", terminals=ON_A_TERMINAL).err
    assert "next: " not in bench.run(*words, "--scan", terminals=ON_A_TERMINAL).err
    assert "expired" not in bench.ok("queue", "status", "APP.IN").err
