"""Wrong turns that a second reader took in twenty tasks, and the hints that correct them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.queue.queues import percent_full
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import ON_A_TERMINAL, Bench


@pytest.fixture(scope="module")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bench = Bench(tmp_path_factory.mktemp("sample"))
    bench.ok("emulator", "create", "QM1", "--sample")
    return bench.path()


@pytest.fixture
def sample(bench: Bench, sample_file: Path) -> Bench:
    """QM1 with the sample, its clock running."""
    bench.path().write_bytes(sample_file.read_bytes())
    return bench


@pytest.mark.parametrize(
    "words",
    [
        "msg load saved.ndjson --to OPS.PARKED",
        "archive restore saved.ndjson --to OPS.PARKED",
        "dlq requeue --reason MQRC_Q_FULL --to OPS.PARKED",
        "backout requeue ORDERS.BO --to origin --accept-likely",
    ],
)
def test_each_verb_that_puts_copies_takes_the_end_of_their_lifetime(
    sample: Bench, words: str, tmp_path: Path
) -> None:
    """Their help has said so all along."""
    file = str(tmp_path / "saved.ndjson")
    sample.ok("msg", "archive", "ORDERS.BO", "--limit", "1", "--out", file)
    argv = words.replace("saved.ndjson", file).split()
    assert "in the past" in sample.run(*argv, "--expiry", "2020-01-01", "--yes").err
    end = "2099-11-29T23:00:00Z"
    sample.run(*argv, "--expiry", end, "--yes")
    queue = "ORDERS.IN" if "origin" in argv else "OPS.PARKED"
    tenths = [it["expiry_tenths"] for it in sample.ok("msg", "browse", queue, "-o", "json").items]
    assert any(it > 10**8 for it in tenths), tenths


@pytest.mark.parametrize("at", ["tomorrow 18:00", "2099-11-29 23:00", "2099-11-29T23:00"])
def test_a_due_time_may_be_local_and_its_zone_is_said(sample: Bench, at: str) -> None:
    ran = sample.ok("delay", "reschedule", "--target", "ORDERS.IN", "--at", at, "-n")
    assert f"note: --at {at} is local time (UTC" in ran.err
    assert ":00:00Z" in ran.out


def test_a_due_time_of_today_that_is_past_says_what_time_it_is(sample: Bench) -> None:
    ran = sample.run("delay", "reschedule", "--at", "0:00", "-n")
    assert ran.code == 2
    assert "is in the past, it is 20" in ran.error_line
    assert "'tomorrow 18:00'" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("journal", "ls", "--since", "yesterday"),
        ("journal", "ls", "--since", "0:00", "--until", "tomorrow"),
        ("msg", "browse", "ORDERS.IN", "--where", "put_time > today"),
        ("msg", "browse", "ORDERS.IN", "--where", "put_time between 0:00 and 23:59:59"),
        ("delay", "browse", "--due-after", "yesterday 9:00"),
        ("msg", "move", "ORDERS.IN", "--to", "APP.OUT", "--expiry", "tomorrow 8:00", "-n"),
        ("journal", "verify", "--since", "yesterday"),
        ("incident", "--since", "yesterday", "--out", "INCIDENT"),
    ],
)
def test_every_option_that_takes_a_time_reads_a_local_one(
    sample: Bench, words: tuple[str, ...], tmp_path: Path
) -> None:
    sample.define("APP.OUT")
    words = tuple(str(tmp_path / word) if word == "INCIDENT" else word for word in words)
    ran = sample.run(*words)
    assert "is local time (UTC" in ran.err
    assert ran.code in (0, 4, 8)


def test_exported_snapshots_begin_so_long_ago(sample: Bench, tmp_path: Path) -> None:
    folder, out = tmp_path / "snapshots", tmp_path / "out"
    sample.ok("snapshot", "take", "--folder", str(folder))
    for since, rows in (("2h", True), ("tomorrow", False)):
        place = out / since
        sample.run(
            "snapshot", "export", "--folder", str(folder), "--out", str(place), "--since", since
        )
        assert any(place.rglob("*.*")) is rows


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


@pytest.mark.parametrize(
    "words",
    [
        ("queue", "set", "ORDERS.IN", "MAXDEPTH=4711"),
        ("backout", "set", "ORDERS.IN", "--threshold", "7"),
        ("queue", "define", "APP.NEW"),
        ("queue", "delete", "APP.OUT", "--confirm", "APP.OUT"),
    ],
)
def test_a_change_of_definitions_counts_its_changes_as_done(
    sample: Bench, words: tuple[str, ...]
) -> None:
    sample.define("APP.OUT")
    yes = () if "--confirm" in words else ("--yes",)
    counts = sample.ok(*words, *yes, "-o", "json").item["counts"]
    assert counts["done"] == counts["planned"] > 0


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("msg", "purge", "ORDERS.IN", "--expired"), "mqtriage expiry sweep QUEUE"),
        (("msg", "browse", "ORDERS.IN", "--where", "expiry < 0"), "mqtriage expiry sweep QUEUE"),
        (("msg", "archive", "ORDERS.IN", "--mask", "$.a"), "mqtriage archive copy FILE --key-file"),
        (("msg", "copy", "A", "--to", "B", "--mask", "$.a"), "mqtriage archive copy FILE --key"),
        (("msg", "load", "f", "--to", "B", "--redact"), "mqtriage archive copy FILE --key-file"),
        (
            ("check", "channel"),
            "echo 'DISPLAY CHSTATUS(NAME) STATUS' | mqtriage mqsc | grep 'STATUS(RUNNING)'",
        ),
        (("check", "listener"), "echo 'DISPLAY LSSTATUS(NAME) STATUS' | mqtriage mqsc"),
        (("channel", "status"), "did you mean mqsc run?"),
    ],
)
def test_a_wrong_word_leads_to_what_does_the_work(
    sample: Bench, words: tuple[str, ...], hint: str
) -> None:
    ran = sample.run(*words)
    assert ran.code in (2, 3)
    assert hint in ran.err


def test_help_says_what_a_browse_discards_and_what_no_context_leaves(sample: Bench) -> None:
    for verb in (("expiry", "browse"), ("msg", "browse")):
        text = " ".join(sample.ok(*verb, "--help-all").out.split())
        assert "a browse makes the queue manager discard" in text
    assert "its guards still apply" in sample.ok("--help-all").out


WRITERS = [
    ("mqsc", "export", "--out", "-"),
    ("plan", "a.mqsc", "--out", "-"),
    ("lint", "check", "a.mqsc", "--out", "-"),
    ("lint", "baseline", "a.mqsc", "--out", "-"),
    ("msg", "purge", "ORDERS.IN", "--plan", "-"),
    ("msg", "archive", "ORDERS.IN", "--out", "-"),
    ("archive", "copy", "a.ndjson", "--out", "-"),
    ("snapshot", "take", "--folder", "-"),
    ("snapshot", "export", "--out", "-"),
    ("man", "--out", "-"),
    ("incident", "--out", "-"),
    ("emulator", "lab", "simulate", "--out", "-"),
    ("emulator", "sdk", "-"),
    ("analyze", "profile", "--out", "-"),
    ("analyze", "watch", "DIR", "--checkpoint", "-"),
]


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_no_file_and_no_folder_is_called_by_a_dash(
    sample: Bench, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mqsc").write_text("DEFINE QLOCAL(A)\n")
    ran = sample.run(*words)
    assert ran.code == 2
    assert "-: a f" in ran.error_line
    assert not (tmp_path / "-").exists()


def test_plan_shows_a_saved_plan_and_mqsc_does_not_run_it(sample: Bench, tmp_path: Path) -> None:
    purge, change = str(tmp_path / "purge.plan"), str(tmp_path / "change.plan")
    (tmp_path / "a.mqsc").write_text("DEFINE QLOCAL(APP.NEW)\n")
    sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--plan", purge)
    sample.ok("plan", str(tmp_path / "a.mqsc"), "--out", change)
    for file, text in ((purge, "purge 1 message from PAYMENTS.IN"), (change, "QLOCAL('APP.NEW')")):
        assert text in sample.ok("plan", file).out
        for verb in ("mqsc", "drift"):
            ran = sample.run(verb, file)
            assert (ran.code, "is a saved plan" in ran.error_line) == (2, True)
            assert f"hint: mqtriage plan {file} shows it" in ran.err
        assert sample.run("plan", file, str(tmp_path / "a.mqsc")).code == 2
        assert sample.run("plan", file, "--exact").code == 2


def test_a_plan_that_is_handed_over_says_who_can_read_it(sample: Bench, tmp_path: Path) -> None:
    file = tmp_path / "purge.plan"
    words = ("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--plan", str(file))
    assert f"chmod g+r {file}" in sample.run(*words, terminals=ON_A_TERMINAL).err
    assert file.stat().st_mode & 0o077 == 0
    sample.environ["MQTRIAGE_FOUR_EYES"] = "true"
    file.unlink()
    assert f"chmod g+r {file}" in sample.ok(*words).err


def _staged(sample: Bench) -> dict[str, str]:
    """The message that is delayed for ORDERS.IN: its ids."""
    rows = sample.ok("delay", "browse", "--target", "ORDERS.IN", "-o", "json").items
    return {key: rows[0][key] for key in ("msg_id", "original_msg_id")}


def test_the_journal_lists_what_operations_did_with_a_message(sample: Bench) -> None:
    ids = _staged(sample)
    sample.ok("delay", "cancel", "--msgid", ids["original_msg_id"], "--yes")
    sample.ok("journal", "undo", "--yes")
    for ident in (ids["msg_id"], ids["original_msg_id"], ids["original_msg_id"][-12:]):
        rows = sample.ok("journal", "ls", "--msgid", ident, "-o", "json").items
        assert [row["action"] for row in rows] == ["undo", "cancel"]
        assert {row["msg_id"] for row in rows} == {ids["msg_id"]}
        assert {row["state"] for row in rows} == {"done"}
    one = sample.ok("journal", "ls", "cancel", "--msgid", ids["msg_id"], "-o", "json").items
    assert [row["action"] for row in one] == ["cancel"]


def test_the_history_of_a_message_follows_copies_with_another_id(sample: Bench) -> None:
    sample.define("APP.A", "APP.B")
    sample.ok("msg", "put", "APP.A", "hello", "--yes")
    (first,) = sample.ok("msg", "browse", "APP.A", "-o", "json").items
    sample.ok("msg", "move", "APP.A", "--to", "APP.B", "--new-msgid", "--yes")
    (copy,) = sample.ok("msg", "browse", "APP.B", "-o", "json").items
    assert first["msg_id"] != copy["msg_id"]
    sample.ok("msg", "purge", "APP.B", "--confirm", "APP.B")
    for ident in (first["msg_id"], copy["msg_id"]):
        rows = sample.ok("journal", "ls", "--msgid", ident, "-o", "json").items
        assert [(row["action"], row["queue"], row["target"]) for row in rows] == [
            ("purge", "APP.B", None),
            ("move", "APP.A", "APP.B"),
        ]
        assert rows[1]["new_msg_id"] == copy["msg_id"]


def test_a_message_that_was_skipped_says_why_in_its_history(sample: Bench) -> None:
    sample.run("delay", "reschedule", "--target", "PAYMENTS.IN", "--shift", "+5h", "--yes")
    (message,) = sample.ok("delay", "browse", "--target", "PAYMENTS.IN", "-o", "json").items
    (row,) = sample.ok("journal", "ls", "--msgid", message["msg_id"], "-o", "json").items
    assert (row["state"], row["target"]) == ("left", None)
    assert "expire" in row["reason"]


def test_an_id_of_a_message_that_is_no_operation_leads_to_its_history(sample: Bench) -> None:
    sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--yes")
    for words in (("journal", "ls", "023500000041"), ("journal", "show", "023500000041")):
        assert "mqtriage journal ls --msgid 023500000041" in sample.run(*words).err
    ran = sample.ok("journal", "ls", "--msgid", "023500000041")
    assert "no operation on this message" in ran.err


def test_a_message_that_was_only_put_leads_to_the_puts_on_its_queue(sample: Bench) -> None:
    sample.define("APP.A")
    ident = sample.ok("msg", "put", "APP.A", "hello", "--yes").out.strip()
    ran = sample.ok("journal", "ls", "--msgid", ident)
    assert "puts and sweeps are recorded without MsgIds: mqtriage journal ls put QUEUE" in ran.err
    rows = sample.ok("journal", "ls", "put", "APP.A", "-o", "json").items
    assert [(row["action"], row["queue"]) for row in rows] == [("put", "APP.A")]


def test_an_empty_history_says_which_queue_managers_were_searched(sample: Bench) -> None:
    sample.environ["MQTRIAGE_QMGR"] = "QM1"
    history = ("journal", "ls", "--msgid", "023500000041")
    searched = "searched only operations on QM1 (MQTRIAGE_QMGR); -m '*' selects all queue managers"
    assert searched in sample.ok(*history).err
    assert "-m '*'" not in sample.ok(*history, "-m", "*").err


def test_an_archive_is_searched_for_the_id_that_the_sender_of_a_delayed_message_got(
    sample: Bench,
) -> None:
    ids = _staged(sample)
    sample.ok("delay", "cancel", "--msgid", ids["original_msg_id"], "--yes")
    for ident in (ids["original_msg_id"], ids["original_msg_id"][-12:]):
        ran = sample.ok("archive", "ls", "--msgid", ident, "-o", "json")
        assert ran.item["msg_id"] == ids["msg_id"]
        assert "the MsgId that the sender got" in ran.err
    assert sample.run("archive", "ls", "--msgid", "0" * 48).code == 5


def test_the_size_for_a_burst_that_is_over_says_so(sample: Bench) -> None:
    sample.ok("msg", "put", "ORDERS.IN", "x", "--delay", "10h", "--count", "40", "--yes")
    sample.ok("delay", "define", "--maxdepth", "42", "--shrink", "--yes")
    assert "none in the last" not in sample.ok("delay", "forecast").err
    sample.ok("emulator", "clock", "+50s")
    forecast = sample.ok("delay", "forecast").err
    assert "and none in the last 5" in forecast
    assert "If this load continues" not in forecast
    assert "for as long as the longest delay: mqtriage delay define --rate" in forecast


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
        " --group target,delay shows for which queues. If these delays are intended, mqtriage delay"
        " define --rate 46/m --max-delay 30d -n calculates"
    ) in re.sub(r"--rate \d+/m", "--rate 46/m", forecast)
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
    assert f"{full}8s at the rate of the last 30 puts (1/s)" in forecast.err
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


def test_causes_that_share_messages_say_that_they_overlap(bench: Bench) -> None:
    bench.define("APP.BO")
    with bench.connected() as backend:
        for number in range(100):
            shared = "FMTA" if number < 60 else f"F{number}"
            replies = "APP.REPLY" if number >= 40 else f"REPLY.{number}"
            backend.put1("APP.BO", MQMD(format=shared, reply_to_q=replies), b"x")
    ran = bench.ok("backout", "causes", "APP.BO", "-o", "json")
    counts = [(row["where"], row["message_count"]) for row in ran.items]
    assert counts == [("format = 'FMTA'", 60), ("reply_to = 'APP.REPLY'", 60)]
    assert "APP.BO: causes overlap: 20 messages of cause 2 are also in causes above it" in ran.err
    apart = bench.ok("backout", "causes", "APP.BO", "--top", "1")
    assert "overlap" not in apart.err


@pytest.mark.parametrize("options", [(), ("--handles",)])
def test_a_queue_with_messages_says_whether_anybody_reads_it(
    bench: Bench, options: tuple[str, ...]
) -> None:
    bench.define("APP.IN")
    words = ("queue", "status", "APP.IN", *options)
    assert "APP.IN: no program" not in bench.ok("queue", "status", "APP.IN").err
    bench.ok("msg", "put", "APP.IN", "x", "--count", "3", "--yes")
    bench.ok("emulator", "clock", "QM1", "+9m")
    waiting = "messages, the oldest put 9m00s ago"
    assert f"APP.IN: no program has it open for input; 3 {waiting}" in bench.ok(*words).err
    with bench.connected() as backend:
        handle = backend.open("APP.IN", cmqc.MQOO_INPUT_SHARED)
        ran = bench.ok(*words)
        assert f"APP.IN: 1 handle open for input, no get is recorded; 3 {waiting}" in ran.err
        handle.get(cmqc.MQGMO_NO_SYNCPOINT)
        bench.ok("emulator", "clock", "QM1", "+1m")
        ran = bench.ok(*words)
        assert "1 handle open for input, last get 1m00s ago; 2 messages" in ran.err
        assert bench.ok(*words, "-o", "json").err.count("open for input") == 0
        handle.close()


@pytest.mark.parametrize("options", [(), ("--handles",)])
def test_of_several_queue_managers_each_says_whether_anybody_reads_its_queue(
    bench: Bench, options: tuple[str, ...]
) -> None:
    bench.ok("emulator", "create", "QM2")
    for count, name in enumerate(("QM1", "QM2"), start=1):
        bench.ok("queue", "define", "APP.IN", "-m", name, "--yes")
        bench.ok("msg", "put", "APP.IN", "x", "--count", str(count), "-m", name, "--yes")
    ran = bench.ok("queue", "status", "APP.IN", "-m", "QM1,QM2", *options)
    assert "APP.IN at QM1: no program has it open for input; 1 message," in ran.err
    assert "APP.IN at QM2: no program has it open for input; 2 messages," in ran.err


def test_both_words_for_help_show_all_of_it(bench: Bench) -> None:
    whole = bench.ok("msg", "browse", "--help-all").out
    assert bench.ok("msg", "browse", "-h", "--help-all").out == whole
    assert bench.ok("msg", "browse", "--help-all", "--help").out == whole
    assert bench.ok("msg", "-h", "--help-all").out == bench.ok("msg", "--help-all").out


def test_of_a_put_that_fails_half_way_the_rest_is_said_with_its_number(bench: Bench) -> None:
    bench.define(**{"APP.IN": "MAXDEPTH=3"})
    words = ("msg", "put", "APP.IN", "x", "--count", "7", "--yes")
    ran = bench.run(*words, "-o", "table")
    assert ran.code == 3
    assert "message 4: " in ran.out
    assert "4 messages not sent: run the command again with --count 4" in ran.err


def test_no_count_puts_the_rest_of_several_messages(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmulatedBackend, "capabilities", frozenset())
    bench.define(**{"APP.IN": "MAXDEPTH=3"})
    files = []
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
        files += ["--file", str(tmp_path / name)]
    ran = bench.run("msg", "put", "APP.IN", *files, "--count", "3", "--yes")
    assert ran.code == 3
    assert "3 messages not sent; journal resume does not put messages" in ran.err


def test_expired_messages_are_headed_so(sample: Bench) -> None:
    assert " EXPIRED " in sample.ok("expiry", "status", "PAYMENTS.*").out


def test_a_plan_that_was_applied_names_its_operation(sample: Bench, tmp_path: Path) -> None:
    file, other = str(tmp_path / "purge.plan"), str(tmp_path / "other.plan")
    for plan in (file, other):
        sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--plan", plan)
    op = sample.ok("apply", file, "--yes", "-o", "json").item["op"]
    again = sample.run("apply", file, "--yes")
    assert again.code == 8
    assert f"operation {op} already applied this plan" in again.error_line
    assert f"mqtriage journal show {op}" in again.err
    stale = sample.run("apply", other, "--yes").err
    assert "the plan is stale" in stale
    assert "already applied" not in stale


def test_what_the_plan_has_just_said_is_not_repeated_to_a_person(bench: Bench) -> None:
    words = ("delay", "define", "--shrink", "--yes", "--maxdepth")
    on_screen = bench.run(*words, "200", terminals=ON_A_TERMINAL)
    assert "disk space" in on_screen.err
    assert "disk space" not in on_screen.out
    assert "MAXDEPTH" in on_screen.out
    assert "disk space" in bench.ok(*words, "100").out  # a pipe has the report alone
    assert bench.ok(*words, "50", "-o", "json").item["details"]["room"]


def test_the_plan_of_an_undo_says_where_messages_go_back_to(bench: Bench) -> None:
    bench.define("APP.A", "APP.B")
    bench.ok("msg", "put", "APP.A", "x", "--count", "3", "--yes")
    bench.ok("msg", "move", "APP.A", "--to", "APP.B", "--yes")
    plan = bench.ok("journal", "undo", "-n").out
    assert plan.startswith("undo: 3 messages back to APP.A at QM1")
    assert re.search(r"from queues +APP.B 3", plan)


@pytest.mark.parametrize("action", ["load", "copy"])
def test_the_undo_of_what_only_puts_says_that_it_removes(
    bench: Bench, tmp_path: Path, action: str
) -> None:
    bench.define("APP.A", "APP.B")
    bench.ok("msg", "put", "APP.A", "x", "--count", "3", "--yes")
    if action == "load":
        bench.ok("msg", "archive", "APP.A", "--out", str(tmp_path / "a"))
        bench.ok("msg", "load", str(tmp_path / "a"), "--to", "APP.B", "--yes")
    else:
        bench.ok("msg", "copy", "APP.A", "--to", "APP.B", "--yes")
    planned = bench.ok("journal", "undo", "-n").out
    assert planned.startswith("undo: remove 3 messages from APP.B at QM1")
    ran = bench.ok("journal", "undo", "--yes").out
    assert ran.startswith("undone: removed 3 messages from APP.B at QM1; 0 skipped, 0 failed")
    assert (bench.depth("APP.A"), bench.depth("APP.B")) == (3, 0)


def test_the_head_of_a_plan_counts_what_will_be_done(bench: Bench) -> None:
    bench.define("APP.A", "APP.B")
    bench.ok("msg", "put", "APP.A", "x", "--prop", "region=EMEA", "--yes")
    words = ("APP.A", "--to", "APP.B", "--headers", "strip")
    planned = bench.run("msg", "move", *words, "-n")
    assert planned.out.startswith("move 0 of 1 message from APP.A to APP.B at QM1")
    assert "msg copy --headers strip --set-prop NAME removes them" in planned.out
    bench.ok("msg", "copy", *words, "--set-prop", "region", "--yes")
    copied = bench.ok("msg", "browse", "APP.B", "-o", "json").items[0]
    assert (copied["body"], copied["properties"], copied["headers"]) == ("x", [], [])


def test_a_jms_message_is_shown_with_its_properties_once(bench: Bench) -> None:
    bench.define("APP.IN")
    bench.ok("msg", "put", "APP.IN", "hello", "--prop", "region=EU", "--delay", "1s", "--yes")
    bench.ok("emulator", "clock", "QM1", "+5s")
    (message,) = bench.ok("msg", "browse", "APP.IN", "-o", "json").items
    words = ("msg", "show", "APP.IN", message["msg_id"])
    text = bench.ok(*words).out
    assert re.search(r"^ *region +EU$", text, re.MULTILINE)
    assert "<region>EU</region>" in text
    assert not re.search(r"^ *value +EU", text, re.MULTILINE)
    (header,) = bench.ok(*words, "-o", "json").item["headers"]
    assert any(folder["properties"] for folder in header["fields"]["folders"])


@pytest.mark.parametrize("delay", [(), ("--delay", "30m")], ids=["now", "delayed"])
def test_of_a_put_for_which_there_is_no_room_the_rest_is_said_too(
    bench: Bench, delay: tuple[str, ...]
) -> None:
    full = STAGING_QUEUE if delay else "APP.IN"
    bench.define(**{"APP.IN": ""})
    bench.ok("queue", "set", full, "MAXDEPTH=7", "--yes")
    words = ("msg", "put", "APP.IN", "x", *delay, "--yes", "--count")

    def last() -> str:
        return str(bench.ok("journal", "ls", "-o", "json").items[0]["op"])

    assert bench.run(*words, "9").code == 3
    ran = bench.run("journal", "resume", last())
    assert "2 messages not sent: run the command again with --count 2;" in ran.err
    rest = "50 messages not sent: run the command again; journal resume does not put messages"
    ran = bench.run(*words, "50")
    assert ran.code == 1
    assert f"hint: {rest}; " in ran.err
    assert ("delay forecast" if delay else "queue status APP.IN") in ran.err
    op = last()
    ran = bench.run("journal", "resume", "-n")
    assert ran.code == 9
    assert f"operation {op} (put): {rest}" in ran.err
    ran = bench.run("journal", "resume", op)
    assert ran.code == 2
    assert ran.error_line.endswith(f"operation {op} (put): {rest}")
    assert f"hint: mqtriage journal show {op} shows the command" in ran.err
    bench.ok("queue", "set", full, "MAXDEPTH=8", "--yes")
    ran = bench.run("journal", "resume", last())
    assert "(set) is done: there is nothing to resume" in ran.error_line


def test_a_full_staging_queue_says_what_an_application_that_sends_gets(sample: Bench) -> None:
    sample.ok("queue", "set", STAGING_QUEUE, "MAXDEPTH=2", "--yes")
    sentence = "gets MQRC_Q_FULL (2053), and nothing of its message is left behind"
    for verb in ("status", "forecast"):
        assert sentence in sample.ok("delay", verb).err, verb
    assert "nothing of the message is left behind" in sample.ok("rc", "2053").out
    sample.ok("queue", "set", STAGING_QUEUE, "MAXDEPTH=3", "--yes")
    for verb in ("status", "forecast"):
        assert sentence not in sample.ok("delay", verb).err, verb


@pytest.mark.parametrize(
    "words",
    [
        ("msg", "put", "ORDERS.IN", "x", "--delay", "1m", "--yes"),
        ("msg", "put", STAGING_QUEUE, "x", "--yes"),
        ("msg", "move", "ORDERS.IN", "--to", STAGING_QUEUE, "--yes"),
        ("delay", "browse"),
        ("delay", "status"),
        ("check", "delay"),
        ("check", "queue", STAGING_QUEUE),
    ],
    ids=" ".join,
)
def test_where_the_staging_queue_is_missing_everything_leads_to_the_command_that_defines_it(
    sample: Bench, words: tuple[str, ...]
) -> None:
    sample.ok("delay", "cancel", "--confirm", STAGING_QUEUE)
    sample.ok("queue", "delete", STAGING_QUEUE, "--yes")
    sample.ok("queue", "define", "SYSTEM.DDELAY.LOCAL.QUEUF", "--yes")
    ran = sample.run(*words, "-m", "QM1")
    assert ran.err.splitlines()[-1].split(": ", 1)[1] == "mqtriage delay define -m QM1"
    assert "the staging queue is missing" in sample.ok("rc", "2085").out


def test_a_queue_with_room_is_not_100_percent_full(bench: Bench) -> None:
    bench.define(**{"APP.IN": "MAXDEPTH=405"})
    bench.ok("msg", "put", "APP.IN", "x", "--count", "404", "--yes")
    assert "99% full (404 of 405" in bench.run("check", "queue", "APP.IN").out
    bench.ok("msg", "put", "APP.IN", "x", "--yes")
    assert "100% full (405 of 405" in bench.run("check", "queue", "APP.IN").out


def test_rounding_never_fills_a_queue() -> None:
    assert [percent_full(n, 100_000) for n in (99_849, 99_999, 100_000)] == [99.8, 99.9, 100.0]


def test_undo_by_action_leads_to_the_listing(bench: Bench) -> None:
    ran = bench.run("journal", "undo", "--action", "cancel")
    assert ran.code == 2
    assert "mqtriage journal ls cancel" in ran.err
