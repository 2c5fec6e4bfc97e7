"""`mqtriage delay define`, `delay status` and what `delay forecast` says of the staging queue."""

from __future__ import annotations

import json
import re

import pytest

from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import ON_A_TERMINAL, Bench

STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"


def send(bench: Bench, queue: str, delay_ms: int, body: bytes = b"later") -> None:
    with bench.connected() as backend:
        backend.put_delayed(queue, MQMD(persistence=1), body, delay_ms)


@pytest.mark.seed("DD-43", "DD-44", "CARD-17", "CARD-18")
def test_on_distributed_it_alters_the_queue_that_is_there(bench: Bench) -> None:
    before = bench.ok("queue", "show", STAGING, "-o", "json").item["attributes"]
    ran = bench.ok("delay", "define", "--maxdepth", "200000", "--maxmsgl", "4MB", "--yes")
    assert "ALTER QLOCAL" in ran.out
    assert "DEFINE" not in ran.out
    after = bench.ok("queue", "show", STAGING, "-o", "json").item["attributes"]
    changed = {key for key in after if after[key] != before[key]} - {"ALTDATE", "ALTTIME"}
    assert changed == {"MAXDEPTH", "MAXMSGL"}
    assert (after["MAXDEPTH"], after["MAXMSGL"]) == (200_000, 4_000_000)


def test_a_queue_that_is_there_is_resized_and_that_is_said(bench: Bench) -> None:
    grow = ("delay", "define", "--maxdepth", "200000", "--yes")
    ran = bench.ok(*grow)
    assert f"resize {STAGING} at QM1: 1 change\n" in ran.err
    assert f"resized {STAGING} at QM1\n" in ran.out
    assert "define " not in ran.err + ran.out
    assert f"unchanged: {STAGING}" in bench.ok(*grow).out
    bigger = ("delay", "define", "--maxdepth", "300000", "-n", "-o", "json")
    assert bench.ok(*bigger).item["action"] == "resize"


@pytest.mark.seed("DD-44")
def test_messages_that_are_staged_stay(bench: Bench) -> None:
    bench.define("APP.IN")
    send(bench, "APP.IN", 60_000)
    bench.ok("delay", "define", "--maxdepth", "200000", "--yes")
    assert bench.depth(STAGING) == 1


@pytest.mark.seed("CARD-19")
def test_the_second_time_it_says_unchanged_and_exits_0(bench: Bench) -> None:
    arguments = ("delay", "define", "--maxdepth", "200000", "--maxmsgl", "4MB", "--yes")
    bench.ok(*arguments)
    ran = bench.ok(*arguments, "-o", "json")
    assert ran.json["changed"] is False
    assert bench.ok(*arguments).out.startswith("unchanged: ")


@pytest.mark.seed("CARD-17", "CARD-18")
def test_the_sum_of_a_load_is_shown_and_used(bench: Bench) -> None:
    bench.ok("queue", "set", STAGING, "MAXDEPTH=5000", "--yes")
    ran = bench.ok(
        "delay", "define", "--rate", "20/s", "--max-delay", "15m", "--largest-message", "4190208",
        "--subscribers", "2", "--headroom", "50%", "--yes", "-o", "json",
    )  # fmt: skip
    facts = ran.json["details"]
    assert facts["depth_sum"] == "20/s x 900 s x 2 subscribers + 50% = 54000"
    assert facts["length_sum"].endswith("4096 for the delay header (assumed) = 4194304")
    assert "MAXFSIZE(2088960)" in facts["room"]
    assert bench.attribute(STAGING, "MAXDEPTH") == 54_000


@pytest.mark.parametrize("until", ["10:00:08Z", "18:00:00Z"])
def test_sizes_of_an_analysis_that_saw_too_little_are_warned_of(bench: Bench, until: str) -> None:
    row = {
        "queue_manager": "QM1", "maxdepth": 782, "maxmsgl_bytes": 9000, "looks": 9,
        "from_time": "2026-11-30T10:00:00Z", "until_time": f"2026-11-30T{until}",
        "delay_max_ms": 900_000, "delay_p95_ms": 1000, "odd_delays": 0,
    }  # fmt: skip
    file = bench.home / "load.json"
    file.write_text(json.dumps({"kind": "DelayLoadList", "items": [row]}))
    ran = bench.ok("delay", "define", "--from-analysis", str(file), "-n")
    doubt = "the sizes are only a lower limit: they come from 9 snapshots in 8s"
    assert (doubt in ran.out + ran.err) == (until == "10:00:08Z")


def test_a_rate_an_hour_is_worked_out_exactly(bench: Bench) -> None:
    ran = bench.ok("delay", "define", "--rate", "7000/h", "--max-delay", "3h", "-n", "-o", "json")
    assert ran.item["facts"]["depth_sum"] == "7000/h x 10800 s x 1 subscriber + 50% = 31500"


def test_a_sum_below_todays_value_leaves_it(bench: Bench) -> None:
    ran = bench.ok("delay", "define", "--rate", "1/s", "--max-delay", "1m", "-n", "-o", "json")
    assert ran.item["count"] == 0
    assert any("is more than the 90 needed" in note for note in ran.item["notes"])


@pytest.mark.parametrize(
    ("waiting", "sum_text", "depth"),
    [
        (50, "50/h x 3600 s x 1 subscriber + 50% = 75", 75),
        (51, "= 75; 51 messages wait now, more than this load makes, so 126", 126),
    ],
)
def test_messages_that_wait_beside_a_load_are_added_to_what_it_needs(
    bench: Bench, waiting: int, sum_text: str, depth: int
) -> None:
    bench.define("IN")
    bench.ok("delay", "define", "--maxdepth", "60", "--yes")
    bench.ok("msg", "put", "IN", "x", "--delay", "5h", "--count", str(waiting), "--yes")
    ran = bench.ok("delay", "define", "--rate", "50/h", "--max-delay", "1h", "--yes", "-o", "json")
    assert ran.json["details"]["depth_sum"].endswith(sum_text)
    assert bench.attribute(STAGING, "MAXDEPTH") == depth


def test_the_depth_that_it_comes_with_is_enough_for_every_load(bench: Bench) -> None:
    ran = bench.ok("delay", "define", "--rate", "20/s", "--max-delay", "15m", "-n")
    assert "MAXDEPTH(999999999) is more than the 27000 needed, and does not change" in ran.out
    bench.ok("delay", "define", "--rate", "20/s", "--max-delay", "15m", "--yes")
    assert bench.attribute(STAGING, "MAXDEPTH") == 999_999_999


def test_maxdepth_below_todays_value_needs_shrink(bench: Bench) -> None:
    bench.ok("delay", "define", "--maxdepth", "5000", "--yes")  # not below what anybody chose
    ran = bench.run("delay", "define", "--maxdepth", "10", "--yes")
    assert ran.code == 8
    assert "below today's MAXDEPTH(5000)" in ran.error_line
    bench.ok("delay", "define", "--maxdepth", "10", "--yes", "--shrink")
    assert bench.attribute(STAGING, "MAXDEPTH") == 10


def test_maxdepth_is_never_lowered_below_curdepth(bench: Bench) -> None:
    bench.define("APP.IN")
    send(bench, "APP.IN", 60_000)
    send(bench, "APP.IN", 60_000)
    ran = bench.run("delay", "define", "--maxdepth", "1", "--yes", "--shrink")
    assert ran.code == 8
    assert "below CURDEPTH(2)" in ran.error_line
    assert bench.attribute(STAGING, "MAXDEPTH") == 999_999_999


@pytest.mark.seed("CARD-18")
@pytest.mark.parametrize(
    "options", [["--maxmsgl", "5000000"], ["--largest-message", "4995904"]], ids=["given", "sum"]
)
def test_a_length_above_the_queue_managers_is_exit_8_with_the_alter_qmgr(
    bench: Bench, options: list[str]
) -> None:
    ran = bench.run("delay", "define", *options, "--yes")
    assert ran.code == 8
    assert "ALTER QMGR MAXMSGL(5000000)" in ran.err
    assert bench.attribute(STAGING, "MAXMSGL") == 4_194_304
    with bench.connected() as backend:
        assert backend.queue_manager_attributes()["MAXMSGL"] == 4_194_304


def test_without_a_length_it_looks_at_the_target_queues(bench: Bench) -> None:
    bench.define("BIG")
    ran = bench.ok("delay", "define", "--maxdepth", "9000", "-n")
    assert (
        "BIG accepts messages of up to 4194304 bytes; with the delay header (assumed: 4096 bytes)"
        " that is 4198400: --maxmsgl 4198400 accepts all of them; this requires ALTER QMGR"
        " MAXMSGL(4198400) first\n"
    ) in ran.out


def test_sizes_have_labels_in_words_of_mq(bench: Bench) -> None:
    ran = bench.ok("delay", "define", "--rate", "1/s", "--max-delay", "1m",
                   "--largest-message", "1KiB", "--shrink", "-n")  # fmt: skip
    labels = [line[2:].split("  ")[0] for line in ran.out.splitlines()]
    assert {"MAXDEPTH needed", "MAXMSGL needed", "disk space"} <= set(labels)


@pytest.mark.seed("DD-47", "DD-58", "DD-59", "DD-60")
def test_on_zos_it_defines_the_queue(zos_bench: Bench) -> None:
    assert zos_bench.run("delay", "status").code == 5
    ran = zos_bench.ok("delay", "define", "--stgclass", "DDLY", "--maxdepth", "5000", "--yes")
    assert "DEFINE QLOCAL('SYSTEM.DDELAY.LOCAL.QUEUE')" in ran.out
    assert "CSQ4INSG" in ran.out
    assert zos_bench.attribute(STAGING, "INDXTYPE") == "NONE"
    assert zos_bench.attribute(STAGING, "MSGDLVSQ") == "FIFO"
    assert zos_bench.attribute(STAGING, "STGCLASS") == "DDLY"
    again = zos_bench.ok("delay", "define", "--stgclass", "DDLY", "--maxdepth", "5000")
    assert again.out.startswith("unchanged: ")


@pytest.mark.seed("DD-56")
def test_on_zos_a_delayed_send_works_once_it_is_defined(zos_bench: Bench) -> None:
    from mqtriage.mq.errors import ObjectNotFound

    zos_bench.ok("queue", "define", "APP.IN", "--yes")
    with pytest.raises(ObjectNotFound):
        send(zos_bench, "APP.IN", 1000)
    zos_bench.ok("delay", "define", "--stgclass", "DDLY", "--yes")
    send(zos_bench, "APP.IN", 1000)
    assert zos_bench.depth(STAGING) == 1


@pytest.mark.seed("DD-59")
def test_on_zos_a_staging_queue_in_priority_order_is_put_right(zos_bench: Bench) -> None:
    zos_bench.ok("queue", "define", STAGING, "MSGDLVSQ=PRIORITY", "--yes")
    ran = zos_bench.ok("delay", "define", "--yes")
    assert "PRIORITY -> FIFO" in ran.out


@pytest.mark.seed("DD-57", "DD-58")
def test_on_zos_a_define_without_storage_class_is_warned_of(zos_bench: Bench) -> None:
    ran = zos_bench.ok("delay", "define", "-n")
    assert "no --stgclass" in ran.out
    assert "CSQ4INSG contains a sample definition" in ran.out


@pytest.mark.seed("DD-57", "DD-58", "DD-59", "DD-60")
def test_mqsc_for_zos_can_be_printed_on_distributed(bench: Bench) -> None:
    ran = bench.ok("delay", "define", "--platform", "zos", "--stgclass", "DDLY", "--mqsc")
    for part in ("DEFINE QLOCAL", "INDXTYPE(NONE)", "MSGDLVSQ(FIFO)", "STGCLASS('DDLY')"):
        assert part in ran.out
    assert "CSQ4INSG" in ran.out
    assert "commented out" in ran.out


@pytest.mark.seed("DD-44")
def test_mqsc_prints_and_does_nothing(bench: Bench) -> None:
    ran = bench.ok("delay", "define", "--maxdepth", "9000", "--mqsc")
    assert ran.out == "ALTER QLOCAL('SYSTEM.DDELAY.LOCAL.QUEUE') MAXDEPTH(9000)\n"
    assert bench.attribute(STAGING, "MAXDEPTH") == 999_999_999


@pytest.mark.seed("CARD-17")
@pytest.mark.parametrize(
    ("options", "text"),
    [
        pytest.param([], "nothing to set", id="nothing"),
        pytest.param(["--maxdepth", "-1"], "--maxdepth -1: allowed is 0 to 999999999", id="neg"),
        pytest.param(["--maxdepth", "1000000000"], "allowed is 0 to 999999999", id="deep"),
        pytest.param(["--maxdepth", "many"], "--maxdepth", id="no-number"),
        pytest.param(["--maxmsgl", "104857601"], "allowed is 0 to 104857600", id="long"),
        pytest.param(["--maxmsgl", "4XB"], "not a size", id="no-size"),
        pytest.param(["--maxmsgl", "-5"], "negative", id="negative-size"),
        pytest.param(["--rate", "20/s"], "--rate and --max-delay must be used together", id="rate"),
        pytest.param(["--max-delay", "1h"], "must be used together", id="delay"),
        pytest.param(["--rate", "20", "--max-delay", "1h"], "not a rate", id="no-rate"),
        pytest.param(["--rate", "2/s", "--max-delay", "soon"], "not a duration", id="no-delay"),
        pytest.param(
            ["--rate", "999999999/s", "--max-delay", "30d"], "above the greatest MAXDEPTH", id="sum"
        ),
        pytest.param(["--largest-message", "100MiB"], "above the greatest MAXMSGL", id="length"),
        pytest.param(["--maxdepth", "9", "--headroom", "x"], "--headroom", id="headroom"),
        pytest.param(["--maxdepth", "9", "--platform", "mars"], "dist or zos", id="mars"),
        pytest.param(
            ["--maxdepth", "9", "--platform", "zos"],
            "is distributed",
            id="platform",
        ),
        pytest.param(["--maxdepth", "9", "--stgclass", "X"], "only on z/OS", id="stgclass"),
    ],
)
def test_wrong_options_are_one_clear_line(bench: Bench, options: list[str], text: str) -> None:
    ran = bench.run("delay", "define", "--yes", *options)
    assert ran.code == 2, ran.err
    assert text in ran.error_line
    assert ran.out == ""


def test_a_deleted_staging_queue_is_exit_5_with_the_way_back(bench: Bench) -> None:
    bench.ok("queue", "delete", STAGING, "--yes")
    ran = bench.run("delay", "status")
    assert ran.code == 5
    assert "2085" in ran.error_line
    assert "hint: mqtriage delay define" in ran.err


@pytest.mark.parametrize(("options", "depth"), [([], 999_999_999), (["--maxdepth", "9000"], 9_000)])
def test_a_deleted_staging_queue_is_defined_as_it_came_and_stages_again(
    bench: Bench, options: list[str], depth: int
) -> None:
    bench.define("APP.IN")
    before = bench.ok("queue", "show", STAGING, "-o", "json").item
    bench.ok("queue", "delete", STAGING, "--yes")
    ran = bench.ok("delay", "define", *options, "--yes")
    assert "it was deleted: it is defined again" in ran.err
    after = bench.ok("queue", "show", STAGING, "-o", "json").item
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {"maxdepth", "descr", "attributes", "alter_time", "create_time"}
    assert after["attributes"]["MAXDEPTH"] == depth
    assert after["attributes"]["MSGDLVSQ"] == "FIFO"
    send(bench, "APP.IN", 30_000)
    bench.ok("emulator", "clock", "+31s")
    assert len(bench.ok("msg", "browse", "APP.IN", "-o", "json").items) == 1


def test_status_counts_by_due_time_without_browsing(bench: Bench) -> None:
    bench.define("APP.IN")
    for delay_ms in (30_000, 90_000, 7_200_000):
        send(bench, "APP.IN", delay_ms)
    (status,) = bench.ok("delay", "status", "-o", "json").items
    assert status["curdepth"] == 3
    assert (status["due_1m"], status["due_1h"], status["overdue"]) == (1, 2, 0)
    assert status["largest_bytes"] > len(b"later")
    assert status["processor"] == "running"
    assert status["next_due_time"] is not None


def test_status_says_why_nothing_is_delivered_and_counts_what_is_overdue(bench: Bench) -> None:
    bench.define("APP.IN")
    send(bench, "APP.IN", 30_000)
    bench.ok("queue", "set", STAGING, "GET=DISABLED", "--yes")
    bench.ok("emulator", "clock", "+1m")
    (status,) = bench.ok("delay", "status", "-o", "json").items
    assert status["overdue"] == 1
    assert status["processor"] == f"stopped: {STAGING} has GET(DISABLED)"
    bench.ok("queue", "set", STAGING, "GET=ENABLED", "--yes")
    assert bench.depth("APP.IN") == 1


def test_the_size_for_a_burst_that_is_over_says_so(sample: Bench) -> None:
    sample.ok("msg", "put", "ORDERS.IN", "x", "--delay", "10h", "--count", "40", "--yes")
    sample.ok("delay", "define", "--maxdepth", "42", "--shrink", "--yes")
    assert "none in the last" not in sample.ok("delay", "forecast").err
    sample.ok("emulator", "clock", "+50s")
    forecast = sample.ok("delay", "forecast").err
    assert "and none in the last 5" in forecast
    assert "If this load continues" not in forecast
    assert "mqtriage delay define --maxdepth 84 -n makes room for as many again" in forecast
    assert "mqtriage delay define --rate RATE --max-delay 10h -n calculates the size" in forecast


def test_a_target_that_is_too_small_gets_a_size_for_all_that_waits_for_it(bench: Bench) -> None:
    bench.define(IN="MAXDEPTH=5", OTHER="MAXDEPTH=5")
    for queue, delay, count in (("IN", "2h", 7), ("IN", "30h", 4), ("OTHER", "30h", 9)):
        put = ("msg", "put", queue, "x", "--delay", delay, "--count", str(count))
        bench.ok(*put, "--yes")
    day = bench.ok("delay", "forecast").err
    size = "mqtriage queue set IN MAXDEPTH=11 -n"
    assert f"IN will be full: {size}, with the 4 due after this forecast, or read it" in day
    assert "queue set OTHER" not in day
    assert f"{size}, or read it" in bench.ok("delay", "forecast", "--horizon", "2d").err


def test_what_is_due_later_for_an_alias_of_a_target_is_part_of_its_size(bench: Bench) -> None:
    bench.define(T="MAXDEPTH=5")
    bench.ok("queue", "define", "AL", "TARGET=T", "--yes")
    for queue, delay, count in (("T", "1m", 8), ("T", "30h", 3), ("AL", "31h", 4)):
        put = ("msg", "put", queue, "x", "--delay", delay, "--count", str(count))
        bench.ok(*put, "--yes")
    err = bench.ok("delay", "forecast").err
    assert "mqtriage queue set T MAXDEPTH=15 -n, with the 7 due after this forecast" in err


def test_one_sender_with_far_longer_delays_is_named_before_the_queue_is_sized(
    sample: Bench,
) -> None:
    put = ("msg", "put", "ORDERS.IN", "x", "--yes", "--delay")
    sample.ok(*put, "8h", "--count", "38")
    sample.ok("delay", "define", "--maxdepth", "48", "--shrink", "--yes")
    assert "--group target,delay" not in sample.ok("delay", "forecast").err
    sample.ok(*put, "30d", "--count", "8")
    forecast = sample.ok("delay", "forecast").err
    assert (
        "; 8 of 48 messages are delayed 30d00h, the rest at most 8h00m: mqtriage delay browse"
        " --group target,delay shows for which queues. Without them, mqtriage delay define --rate"
        " 46/m --max-delay 8h -n calculates a size. If these delays are intended, mqtriage delay"
        " define --rate 46/m --max-delay 30d -n calculates"
    ) in re.sub(r"--rate \d+/m", "--rate 46/m", forecast)
    fewer, rate = map(int, re.findall(r"--rate (\d+)/m", forecast))
    assert fewer == pytest.approx(rate * 40 / 48, abs=1)
    assert f"{rate}/m is the average over " in forecast
    assert "; if you know the peak rate, use that" in forecast
    sample.ok("delay", "browse", "--group", "target,delay")


def test_the_disk_space_names_the_option_only_where_it_is_missing(sample: Bench) -> None:
    load = ("delay", "define", "--rate", "100/s", "--max-delay", "1h", "-n")
    assert "(--largest-message gives yours)" in sample.ok(*load).out
    given = sample.ok(*load, "--largest-message", "1MB").out
    assert "only if every message had the maximum length; within" in given


def test_a_full_staging_queue_leads_to_its_size_without_numbers_that_nobody_measured(
    sample: Bench,
) -> None:
    sample.ok("delay", "define", "--maxdepth", "2", "--shrink", "--yes")
    status = sample.ok("delay", "status").err
    assert "mqtriage delay forecast shows" in status
    forecast = sample.ok("delay", "forecast").err
    assert "2 messages were put in " in forecast
    assert (
        "with delays of up to 1h00m. If this load continues: mqtriage delay define --rate"
        in forecast
    )
    assert "--max-delay 1h -n" in forecast
    assert "mqtriage analyze delay" in forecast
    assert "20/s" not in status + forecast
    for queue in ("ORDERS.IN", "PAYMENTS.IN"):  # the size depends on the messages for all targets
        of_one = sample.ok("delay", "forecast", "--target", queue).err
        assert "delay define" not in of_one
        assert "contains 2 of at most 2: mqtriage delay forecast shows when it is full" in of_one
    refused = sample.run("msg", "put", "ORDERS.IN", "x", "--delay", "1m", "--yes").err
    assert "mqtriage delay forecast" in refused
    assert "20/s" not in refused
    summary = sample.ok("delay", "forecast", "-o", "json").json["summary"]
    assert summary["longest_delay_ms"] == 3_600_000
    assert 0 <= summary["put_span_ms"] < 3_600_000
    sample.ok("emulator", "clock", "+30s")
    later = sample.ok("delay", "forecast", "-o", "json").json["summary"]
    assert later["put_span_ms"] == summary["put_span_ms"]
    both = sample.ok("delay", "forecast", "-m", "QM1,QM1", "-o", "json").json["summary"]
    assert both["longest_delay_ms"] == 3_600_000


@pytest.fixture
def staging(bench: Bench) -> Bench:
    """A message a second for a minute, with a delay of one hour each, on a frozen clock."""
    bench.define("APP.IN")
    bench.ok("emulator", "clock", "QM1", "freeze")
    for _ in range(20):
        bench.ok("msg", "put", "APP.IN", "x", "--delay", "1h", "--count", "3", "--yes")
        bench.ok("emulator", "clock", "QM1", "+3s")
    return bench


def test_status_and_forecast_say_when_the_staging_queue_is_full(staging: Bench) -> None:
    staging.ok("delay", "define", "--maxdepth", "68", "--shrink", "--yes")
    full = "8 places left: full in about "
    status = staging.ok("delay", "status")
    assert "mqtriage delay forecast shows when it is full" in status.err
    assert "full in" not in status.err  # without browsing, no rate is known
    (row,) = staging.ok("delay", "status", "-o", "json").items
    assert row["room"] == 8
    assert "full_in_ms" not in row
    forecast = staging.ok("delay", "forecast")
    assert f"{full}8s at the average rate of the last 30 puts (1/s)" in forecast.err
    summary = staging.ok("delay", "forecast", "-o", "json").json["summary"]["staging"]
    assert summary == {
        "room": 8,
        "full_in_ms": pytest.approx(8_000, rel=0.01),
        "most_staged": pytest.approx(3_600, rel=0.01),
    }


def test_a_burst_that_is_over_makes_no_rate(staging: Bench) -> None:
    staging.ok("delay", "define", "--maxdepth", "68", "--shrink", "--yes")
    staging.ok("emulator", "clock", "QM1", "+22s")
    forecast = staging.ok("delay", "forecast")
    assert "8 places left: no message was put in the last 25s" in forecast.err
    assert "full in" not in forecast.err
    summary = staging.ok("delay", "forecast", "-o", "json").json["summary"]["staging"]
    assert summary == {"room": 8, "full_in_ms": None, "most_staged": None}
    assert "full in" not in staging.ok("delay", "status").err
    staging.ok("msg", "put", "APP.IN", "x", "--delay", "1h", "--yes")
    assert "7 places left: full in about " in staging.ok("delay", "forecast").err


def test_a_few_seconds_after_a_batch_no_rate_is_made_of_it(bench: Bench) -> None:
    bench.define("APP.IN")
    bench.ok("emulator", "clock", "QM1", "freeze")
    bench.ok("msg", "put", "APP.IN", "x", "--delay", "1h", "--count", "480", "--yes")
    bench.ok("delay", "define", "--maxdepth", "500", "--shrink", "--yes")
    bench.ok("emulator", "clock", "QM1", "+1s")
    soon = bench.ok("delay", "forecast").err
    assert "20 places left: full in about " in soon
    assert "/s), if it goes on" in soon
    bench.ok("emulator", "clock", "QM1", "+4s")
    later = bench.ok("delay", "forecast").err
    assert "20 places left: no message was put in the last 5s" in later
    assert "full in about" not in later


def test_the_help_of_status_leads_to_what_stops_the_messages_of_one_target(bench: Bench) -> None:
    bench.define("APP.IN")
    bench.ok("emulator", "clock", "QM1", "freeze")
    bench.ok("msg", "put", "APP.IN", "x", "--delay", "1s", "--count", "3", "--yes")
    bench.ok("queue", "set", "APP.IN", "PUT=DISABLED", "--yes")
    bench.ok("emulator", "clock", "QM1", "+1m")
    (row,) = bench.ok("delay", "status", "-o", "json").items
    assert (row["overdue"], row["processor"]) == (3, "running")
    page = " ".join(bench.ok("delay", "status", "--help").out.split())
    assert "delay forecast browses" in page
    assert "PROBLEM shows why a target does not get its messages" in page
    (due,) = bench.ok("delay", "forecast", "-o", "json").items
    assert due["problem"]


def test_a_staging_queue_that_levels_off_is_not_said_to_fill(staging: Bench) -> None:
    staging.ok("delay", "define", "--maxdepth", "5000", "--shrink", "--yes")
    assert "of 5000 are staged at once" in staging.ok("delay", "forecast").err
    most = pytest.approx(3_600, rel=0.01)
    summary = staging.ok("delay", "forecast", "-o", "json").json["summary"]["staging"]
    assert summary == {"room": 4_940, "full_in_ms": None, "most_staged": most}
    plan = staging.ok(
        "delay", "define", "--rate", "1/s", "--max-delay", "1h", "--headroom", "0", "-n"
    )
    assert "= 3600" in plan.out  # the same arithmetic


def test_few_staged_messages_make_no_rate(sample: Bench) -> None:
    assert "2 messages, too few to tell when it is full" in sample.ok("delay", "forecast").err


def test_what_the_plan_has_just_said_is_not_repeated_to_a_person(bench: Bench) -> None:
    words = ("delay", "define", "--shrink", "--yes", "--maxdepth")
    on_screen = bench.run(*words, "200", terminals=ON_A_TERMINAL)
    assert "disk space" in on_screen.err
    assert "disk space" not in on_screen.out
    assert "MAXDEPTH" in on_screen.out
    assert "disk space" in bench.ok(*words, "100").out  # a pipe has the report alone
    assert bench.ok(*words, "50", "-o", "json").item["details"]["room"]


def test_a_full_staging_queue_says_what_an_application_that_sends_gets(sample: Bench) -> None:
    sample.ok("queue", "set", STAGING, "MAXDEPTH=2", "--yes")
    sentence = "gets MQRC_Q_FULL (2053), and nothing of its message is left behind"
    for verb in ("status", "forecast"):
        assert sentence in sample.ok("delay", verb).err, verb
    assert "nothing of the message is left behind" in sample.ok("rc", "2053").out
    sample.ok("queue", "set", STAGING, "MAXDEPTH=3", "--yes")
    for verb in ("status", "forecast"):
        assert sentence not in sample.ok("delay", verb).err, verb


@pytest.mark.parametrize(
    "words",
    [
        ("msg", "put", "ORDERS.IN", "x", "--delay", "1m", "--yes"),
        ("msg", "put", STAGING, "x", "--yes"),
        ("msg", "move", "ORDERS.IN", "--to", STAGING, "--yes"),
        ("delay", "browse"),
        ("delay", "status"),
        ("check", "delay"),
        ("check", "queue", STAGING),
    ],
    ids=" ".join,
)
def test_where_the_staging_queue_is_missing_everything_leads_to_the_command_that_defines_it(
    sample: Bench, words: tuple[str, ...]
) -> None:
    sample.ok("delay", "cancel", "--confirm", STAGING)
    sample.ok("queue", "delete", STAGING, "--yes")
    sample.ok("queue", "define", "SYSTEM.DDELAY.LOCAL.QUEUF", "--yes")
    ran = sample.run(*words, "-m", "QM1")
    assert ran.err.splitlines()[-1].split(": ", 1)[1] == "mqtriage delay define -m QM1"
    assert "the staging queue is missing" in sample.ok("rc", "2085").out
