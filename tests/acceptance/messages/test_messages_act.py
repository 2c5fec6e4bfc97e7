"""Whole commands that move and remove messages: the guards, the very messages, the report."""

from __future__ import annotations

import os
import stat
from base64 import b64decode
from hashlib import sha256
from pathlib import Path

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import unpack
from mqtriage.mq.headers import dlh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.times import rfc3339
from tests.acceptance.conftest import Bench
from tests.acceptance.messages.estate import STAGING, TERMINAL, Estate, hex_of

ACTS = {
    "msg move": ("msg", "move", "IN", "--to", "OUT"),
    "msg purge": ("msg", "purge", "IN", "--limit", "9"),
    "backout requeue": ("backout", "requeue", "IN", "--to", "OUT"),
    "backout purge": ("backout", "purge", "IN", "--limit", "9"),
    "backout move": ("backout", "move", "IN", "--min-backout", "0"),
    "expiry purge": ("expiry", "purge", "IN", "--expires-within", "1h"),
    "delay release": ("delay", "release", "--limit", "9"),
    "delay cancel": ("delay", "cancel", "--limit", "9"),
    "delay cancel --to": ("delay", "cancel", "--to", "OUT"),
}
BOTH_MOVES = pytest.mark.parametrize(
    "move", ["msg move IN --to OUT", "backout requeue IN --to OUT"]
)


@pytest.fixture(autouse=True)
def _backout_queue(request: pytest.FixtureRequest, estate: Estate) -> None:
    """BOQNAME of the queue that `backout move` is about; the other acts do without."""
    callspec = getattr(request.node, "callspec", None)
    if callspec is not None and "--min-backout" in callspec.params.get("argv", ()):
        estate.alter("IN", BOQNAME="OUT")


def source_of(argv: tuple[str, ...]) -> str:
    return STAGING if argv[0] == "delay" else "IN"


def lifetime_of(argv: tuple[str, ...]) -> dict[str, int]:
    """What a message must have for the act to choose it."""
    return {"expiry_tenths": 6_000} if argv[0] == "expiry" else {}


def fill(estate: Estate, argv: tuple[str, ...], *bodies: bytes) -> list[bytes]:
    """Put what the act is about; returns the MsgIds as they are on the queue."""
    if argv[0] == "delay":
        estate.delayed("OUT", *bodies)
    else:
        estate.put("IN", *bodies, **lifetime_of(argv))
    return [message.md.msg_id for message in estate.messages(source_of(argv))]


every_act = pytest.mark.parametrize("argv", ACTS.values(), ids=ACTS)


@every_act
def test_without_yes_in_a_script_nothing_happens(estate: Estate, argv: tuple[str, ...]) -> None:
    ids = fill(estate, argv, b"a", b"b")
    ran = estate.run(*argv)
    assert (ran.code, ran.out) == (8, "")
    assert hex_of(ids[0]).lower() in ran.err.lower()
    assert len(estate.messages(source_of(argv))) == 2


@every_act
def test_a_target_that_shortens_lives_is_named(estate: Estate, argv: tuple[str, ...]) -> None:
    """A staged message loses nothing that its own delivery would have left it."""
    fill(estate, argv, b"a", b"b")
    estate.alter("OUT", CAPEXPRY=600)
    plan = estate.run(*argv, "--dry-run", "-o", "json").json["item"]
    warning = "OUT has CAPEXPRY(600): messages put there expire after 1m00s at most"
    assert (warning in plan["notes"]) == (plan["target"] == "OUT")


@pytest.mark.parametrize("options", [("--expiry", "30s"), ("--expiry", "1m")])
def test_a_limit_that_shortens_no_life_is_not_named(
    estate: Estate, options: tuple[str, ...]
) -> None:
    estate.put("IN", b"a")
    estate.alter("OUT", CAPEXPRY=600)
    ran = estate.run("msg", "copy", "IN", "--to", "OUT", *options, "--dry-run", "-o", "json")
    assert "CAPEXPRY" not in ran.out


@pytest.mark.parametrize(("seconds", "is_shorter"), [(60, False), (61, True)])
def test_an_end_time_of_copies_is_held_against_the_limit(
    estate: Estate, seconds: int, is_shorter: bool
) -> None:
    estate.put("IN", b"a")
    estate.alter("OUT", CAPEXPRY=600)
    with estate.connected() as backend:
        end = rfc3339(backend.now_us() + seconds * 1_000_000)
    ran = estate.run("msg", "copy", "IN", "--to", "OUT", "--expiry", end, "-n", "-o", "json")
    assert ("CAPEXPRY" in ran.out) == is_shorter


@every_act
@pytest.mark.parametrize("form", ["plain", "table", "json", "ndjson", "csv", "ids", "md"])
@pytest.mark.slow
def test_a_dry_run_shows_the_plan_on_stdout_and_changes_nothing(
    estate: Estate, argv: tuple[str, ...], form: str
) -> None:
    ids = fill(estate, argv, b"a", b"b")
    ran = estate.run(*argv, "--dry-run", "-o", form)
    assert ran.code == 0
    assert hex_of(ids[1]).lower() in ran.out.lower()
    assert [message.md.msg_id for message in estate.messages(source_of(argv))] == ids
    assert estate.archives() == []


@every_act
@pytest.mark.parametrize("form", ["plain", "table", "json", "ndjson", "csv", "ids", "md"])
@pytest.mark.slow
def test_the_report_is_on_stdout_in_every_form(
    estate: Estate, argv: tuple[str, ...], form: str
) -> None:
    fill(estate, argv, b"a", b"b")
    ran = estate.run(*argv, "--yes", "-o", form)
    assert ran.code == 0
    assert ran.out.strip()
    assert estate.messages(source_of(argv)) == []


@every_act
def test_expect_refuses_another_number(estate: Estate, argv: tuple[str, ...]) -> None:
    fill(estate, argv, b"a", b"b")
    assert estate.run(*argv, "--yes", "--expect", "3").code == 8
    assert len(estate.messages(source_of(argv))) == 2
    assert estate.run(*argv, "--yes", "--expect", "2").code == 0


@every_act
def test_limit_takes_the_first(estate: Estate, argv: tuple[str, ...]) -> None:
    ids = fill(estate, argv, b"a", b"b", b"c")
    assert estate.run(*argv, "--limit", "2", "--yes").code == 0
    assert [message.md.msg_id for message in estate.messages(source_of(argv))] == ids[2:]


@every_act
def test_a_person_who_says_no_is_exit_8_and_yes_goes_on(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    fill(estate, argv, b"a")
    assert estate.run(*argv, stdin="n\n", terminals=TERMINAL).code == 8
    assert len(estate.messages(source_of(argv))) == 1
    assert estate.run(*argv, stdin="y\n", terminals=TERMINAL).code == 0
    assert estate.messages(source_of(argv)) == []


@every_act
def test_nothing_matched_is_0_or_9_with_fail_empty(estate: Estate, argv: tuple[str, ...]) -> None:
    assert estate.run(*argv, "--yes").code == 0
    assert estate.run(*argv, "--yes", "--fail-empty").code == 9


@every_act
def test_depths_are_read_again_and_the_archive_is_named(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    fill(estate, argv, b"aa", b"b")
    report = estate.run(*argv, "--yes", "-o", "json").json
    source = source_of(argv)
    assert (report["before"][source], report["after"][source]) == (2, 0)
    if "OUT" in argv:
        assert (report["before"]["OUT"], report["after"]["OUT"]) == (0, 2)
    assert report["counts"] == {"planned": 2, "done": 2, "skipped": 0, "failed": 0}
    assert Path(report["details"]["archive"]).exists()


@every_act
def test_the_archive_holds_every_byte_that_was_removed(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    fill(estate, argv, b"a\xff", b"b")
    before = estate.messages(source_of(argv))
    old = os.umask(0)
    try:
        assert estate.run(*argv, "--yes").code == 0
    finally:
        os.umask(old)
    ((head, *lines, end),) = estate.archives()
    assert (head["kind"], head["queue"]) == ("Archive", source_of(argv))
    assert (end["kind"], end["numbers"]) == ("Commit", [1, 2])
    for line, message in zip(lines, before, strict=True):
        assert b64decode(line["body_base64"]) == message.body
        assert unpack(b64decode(line["md_base64"])) == message.md
        assert line["sha256"] == sha256(message.body).hexdigest()
    folder = estate.folder / "archive"
    modes = {file.suffix: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    assert modes == {".ndjson": 0o600, ".index": 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@every_act
def test_no_backup_leaves_no_archive(estate: Estate, argv: tuple[str, ...]) -> None:
    fill(estate, argv, b"a")
    assert estate.run(*argv, "--yes", "--no-backup").code == 0
    assert estate.archives() == []


@every_act
def test_an_archive_that_cannot_be_made_changes_nothing(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    fill(estate, argv, b"a")
    (estate.folder / "archive").write_text("in the way")
    ran = estate.run(*argv, "--yes")
    assert ran.code == 1
    assert "archive" in ran.err and "MQTRIAGE_HOME" in ran.err
    (remaining,) = estate.messages(source_of(argv))
    assert remaining.md.backout_count == 0


@every_act
def test_no_expiry_effects_refuses_to_plan(estate: Estate, argv: tuple[str, ...]) -> None:
    fill(estate, argv, b"a")
    assert estate.run(*argv, "--yes", "--no-expiry-effects").code == 8


@every_act
def test_two_messages_with_one_msg_id_are_told_apart(estate: Estate, argv: tuple[str, ...]) -> None:
    if argv[0] == "delay":
        # copies of one staged message: same MsgId, another body
        estate.delayed("OUT", b"first")
        (staged,) = estate.messages(STAGING)
        body = staged.body[:-5] + b"other"
        copied = staged.md._asdict()
        estate.put(STAGING, body, **copied)
    else:
        estate.put("IN", b"first", b"other", b"third", msg_id=bytes(range(24)), **lifetime_of(argv))
    ran = estate.run(*argv, "--where", "body = 'other'", "--yes", "-o", "json")
    assert ran.json["counts"]["done"] == 1
    remaining = estate.bodies(source_of(argv))
    assert not any(body.endswith(b"other") for body in remaining)
    assert any(body.endswith(b"first") for body in remaining)
    assert all(message.md.backout_count == 0 for message in estate.messages(source_of(argv)))
    if "OUT" in argv:
        (moved,) = estate.bodies("OUT")
        assert moved.endswith(b"other")


@every_act
def test_a_message_that_another_program_took_meanwhile_is_skipped(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    ids = fill(estate, argv, b"a", b"b", b"c")
    ran = estate.run(
        *argv, "-o", "json", stdin="y\n", meanwhile=lambda: estate.take(source_of(argv))
    )
    assert ran.code == 3
    items = ran.json["items"]
    assert (items[0]["msg_id"], items[0]["outcome"]) == (hex_of(ids[0]), "skipped")
    assert items[0]["reason"] == "gone"
    assert ran.json["counts"]["done"] == 2
    assert estate.messages(source_of(argv)) == []


@every_act
def test_a_message_that_came_meanwhile_stays(estate: Estate, argv: tuple[str, ...]) -> None:
    fill(estate, argv, b"a")

    def another() -> None:
        fill(estate, argv, b"new")

    ran = estate.run(*argv, "-o", "json", stdin="y\n", meanwhile=another)
    assert (ran.code, ran.json["counts"]["done"]) == (0, 1)
    (remaining,) = estate.bodies(source_of(argv))
    assert remaining.endswith(b"new")


@every_act
def test_a_message_whose_data_changed_under_its_id_is_not_taken(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    fill(estate, argv, b"old")
    (old,) = estate.messages(source_of(argv))

    def replace() -> None:
        estate.take(source_of(argv))
        estate.put(source_of(argv), old.body[:-3] + b"NEW", **old.md._asdict())

    ran = estate.run(*argv, "-o", "json", stdin="y\n", meanwhile=replace)
    assert ran.json["items"][0]["reason"] == "gone"
    (remaining,) = estate.messages(source_of(argv))
    assert remaining.body.endswith(b"NEW")
    assert remaining.md.backout_count == 0


@every_act
def test_a_message_that_asks_for_cod_needs_allow_reports(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    if argv[0] == "delay":
        estate.run("msg", "put", "OUT", "x", "--delay", "1h", "--report", "COD",
                   "--reply-to", "OUT", "--yes")  # fmt: skip
    else:
        estate.put("IN", b"x", report=cmqc.MQRO_COD, reply_to_q="OUT", **lifetime_of(argv))
    refused = estate.run(*argv, "--yes")
    assert refused.code == 8
    assert "--allow-reports" in refused.err
    assert len(estate.messages(source_of(argv))) == 1
    assert estate.run(*argv, "--yes", "--allow-reports").code == 0


@every_act
def test_an_unknown_queue_is_exit_5(estate: Estate, argv: tuple[str, ...]) -> None:
    fill(estate, argv, b"a")
    wrong = tuple("NOT.THERE" if word in ("IN", "OUT") else word for word in argv)
    if wrong != argv:
        assert estate.run(*wrong, "--yes").code == 5
    assert len(estate.messages(source_of(argv))) == 1


@every_act
@pytest.mark.parametrize(
    ("option", "value"), [("--msgid", "0" * 48), ("--correlid", "0" * 48), ("--msgid", "41*")]
)
def test_ids_that_may_mean_any_message_are_refused(
    estate: Estate, argv: tuple[str, ...], option: str, value: str
) -> None:
    fill(estate, argv, b"a")
    assert estate.run(*argv, option, value, "--yes").code == 2
    assert len(estate.messages(source_of(argv))) == 1


@pytest.mark.parametrize("group", ["msg", "backout"])
def test_a_purge_of_everything_needs_the_name(estate: Estate, group: str) -> None:
    estate.put("IN", b"a", b"b")
    argv = (group, "purge", "IN")
    assert estate.run(*argv, "--yes").code == 8
    assert estate.run(*argv, "--confirm", "OUT").code == 8
    assert estate.run(*argv, stdin="yes\n", terminals=TERMINAL).code == 8
    assert len(estate.messages("IN")) == 2
    assert estate.run(*argv, "--confirm", "IN").code == 0
    assert estate.messages("IN") == []


def test_a_purge_by_a_short_text_needs_a_word_of_its_own(estate: Estate) -> None:
    estate.put("IN", b"abc")
    argv = ("msg", "purge", "IN", "--body-contains", "abc", "--yes")
    assert estate.run(*argv).code == 8
    assert estate.run(*argv, "--yes-short-text").code == 0


@pytest.mark.seed("CARD-02", "CARD-23")
@BOTH_MOVES
def test_a_requeue_keeps_the_message_and_clears_its_backout_count(
    estate: Estate, move: str
) -> None:
    estate.put("IN", b"body", correl_id=b"c" * 24, expiry_tenths=600, priority=7,
               reply_to_q="OUT", report=cmqc.MQRO_EXCEPTION, user_identifier="alice",
               put_appl_name="orders", put_date="20260131", put_time="10000025")  # fmt: skip
    estate.roll_back("IN", 2)
    (before,) = estate.messages("IN")
    estate.advance(10)
    assert before.md.backout_count == 2
    assert estate.run(*move.split(), "--yes").code == 0
    (after,) = estate.messages("OUT")
    assert after.body == before.body
    assert after.md == before.md._replace(backout_count=0, expiry_tenths=500)


@pytest.mark.seed("EX-48")
def test_the_copy_expires_when_the_original_would_have(estate: Estate) -> None:
    estate.put("IN", b"x", expiry_tenths=400)
    estate.advance(10)
    estate.run("msg", "move", "IN", "--to", "OUT", "--yes")
    estate.advance(29)
    assert len(estate.messages("OUT")) == 1
    estate.advance(1)
    assert estate.messages("OUT") == []


def test_options_change_the_copy_as_they_say(estate: Estate) -> None:
    (old,) = estate.put("IN", b"x", expiry_tenths=400, report=cmqc.MQRO_EXCEPTION, reply_to_q="OUT",
                        put_date="20260131", put_time="10000025")  # fmt: skip
    ran = estate.run("msg", "move", "IN", "--to", "OUT", "--new-msgid", "--expiry", "unlimited",
                     "--reports", "strip", "--message-context", "default", "--yes",
                     "-o", "json")  # fmt: skip
    (copy,) = estate.messages("OUT")
    assert copy.md.msg_id != old
    assert ran.json["items"][0]["new_msg_id"] == hex_of(copy.md.msg_id)
    assert (copy.md.expiry_tenths, copy.md.report) == (-1, 0)
    assert copy.md.put_date != "20260131"


@pytest.mark.parametrize(
    "extra",
    [
        ("--expiry", "soon"),
        ("--headers", "burn"),
        ("--reports", "burn"),
        ("--message-context", "burn"),
        ("--batch", "0"),
        ("--limit", "0"),
    ],
    ids=" ".join,
)
def test_a_wrong_option_of_a_move_is_exit_2(estate: Estate, extra: tuple[str, ...]) -> None:
    estate.put("IN", b"x")
    assert estate.run("msg", "move", "IN", "--to", "OUT", "--yes", *extra).code == 2
    assert len(estate.messages("IN")) == 1


def test_a_queue_is_not_requeued_to_itself_even_by_another_name(estate: Estate) -> None:
    with estate.connected() as backend:
        backend.define("QALIAS", "ALIAS.IN", {"TARGET": "IN"})
    estate.put("IN", b"x")
    assert estate.run("msg", "move", "IN", "--to", "IN", "--yes").code == 2
    assert estate.run("msg", "move", "IN", "--to", "ALIAS.IN", "--yes").code == 2


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ({"PUT": "DISABLED"}, "PUT(DISABLED)"),
        ({"MAXDEPTH": 1}, "room for 1 of 2"),
        ({"MAXMSGL": 3}, "MAXMSGL of OUT is 3"),
    ],
    ids=["put-disabled", "no-room", "too-long"],
)
def test_a_target_that_cannot_take_the_messages_is_refused_before_anything_moves(
    estate: Estate, attributes: dict[str, int | str], says: str
) -> None:
    estate.put("IN", b"abcd", b"efgh")
    estate.alter("OUT", **attributes)
    ran = estate.run("msg", "move", "IN", "--to", "OUT", "--yes")
    assert ran.code == 8
    assert says in ran.err
    assert [message.md.backout_count for message in estate.messages("IN")] == [0, 0]


def test_a_target_that_fills_up_in_the_middle_takes_what_fits(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=3)
    estate.alter("OUT", MAXDEPTH=5)
    estate.put("IN", b"1", b"2", b"3", b"4", b"5")
    ran = estate.run(
        "msg", "move", "IN", "--to", "OUT", "-o", "json", stdin="y\n",
        meanwhile=lambda: estate.put("OUT", b"x", b"y", b"z"),
    )  # fmt: skip
    assert ran.code == 3
    assert ran.json["counts"] == {"planned": 5, "done": 2, "skipped": 3, "failed": 0}
    assert "2053" in ran.json["items"][-1]["reason"]
    assert estate.bodies("OUT") == [b"x", b"y", b"z", b"1", b"2"]
    assert [message.md.backout_count for message in estate.messages("IN")] == [0, 0, 0]


def test_our_failures_do_not_poison_messages_of_a_queue_with_bothresh(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=3)
    estate.put("IN", b"1", b"2")
    for _ in range(4):
        estate.alter("OUT", PUT="ENABLED")
        ran = estate.run(
            "msg", "move", "IN", "--to", "OUT", stdin="y\n",
            meanwhile=lambda: estate.alter("OUT", PUT="DISABLED"),
        )  # fmt: skip
        assert ran.code == 1
        assert "2051" in ran.err
    assert [message.md.backout_count for message in estate.messages("IN")] == [0, 0]


def test_a_message_that_one_rollback_would_make_poison_is_left(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=3)
    estate.put("IN", b"near", b"fresh")
    estate.roll_back("IN", 2)
    ran = estate.run("msg", "move", "IN", "--to", "OUT", "--yes", "-o", "json")
    assert ran.code == 3
    assert "BOTHRESH(3)" in ran.json["items"][0]["reason"]
    assert "will be skipped" in ran.err
    assert estate.bodies("OUT") == [b"fresh"]
    estate.roll_back("IN", 1)  # poison now: moving it by hand is what is left to do
    assert estate.run("msg", "move", "IN", "--to", "OUT", "--yes").code == 0


def test_where_bothresh_is_set_each_message_is_a_unit_of_its_own(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=3)
    estate.put("IN", b"1", b"2", b"3")
    estate.run("msg", "purge", "IN", "--limit", "3", "--yes")
    ((*_, last),) = estate.archives()
    assert (last["kind"], last["batch"]) == ("Commit", 3)
    estate.put("IN", b"1", b"2", b"3")
    estate.run("msg", "purge", "IN", "--limit", "3", "--batch", "2", "--yes")
    assert estate.archives()[1][-1]["batch"] == 2


@pytest.mark.slow
def test_a_unit_of_work_ends_before_its_data_fills_the_log(estate: Estate) -> None:
    """Eight MiB, where `--batch` does not say otherwise: two of these, two and one."""
    estate.put("IN", *[b"x" * (3 << 20)] * 5)
    estate.run("msg", "purge", "IN", "--confirm", "IN")
    ((*_, last),) = estate.archives()
    assert (last["kind"], last["batch"]) == ("Commit", 3)
    estate.put("IN", *[b"x" * (3 << 20)] * 5)
    estate.run("msg", "purge", "IN", "--confirm", "IN", "--batch", "5")
    assert estate.archives()[1][-1]["batch"] == 1


@pytest.mark.seed("PM-68")
def test_headers_strip_takes_off_the_rfh2_of_a_jms_client(estate: Estate) -> None:
    header = rfh2.build([("mcd", {"Msd": "jms_text"})], Following("MQSTR", 546, 819))
    estate.put("IN", rfh2.encode(header) + b"poison", format="MQHRF2", ccsid=1208, encoding=273)
    assert estate.run("backout", "requeue", "IN", "--to", "OUT", "--headers", "strip",
                      "--yes").code == 0  # fmt: skip
    (copy,) = estate.messages("OUT")
    assert (copy.body, copy.md.format) == (b"poison", "MQSTR")
    assert (copy.md.ccsid, copy.md.encoding) == (819, 546)


def test_headers_strip_leaves_a_message_whose_rfh2_is_the_applications(estate: Estate) -> None:
    header = rfh2.build([("usr", {"Color": "red"})], Following("MQSTR", 546, 819))
    estate.put("IN", rfh2.encode(header) + b"x", format="MQHRF2", ccsid=1208, encoding=273)
    ran = estate.run("backout", "requeue", "IN", "--to", "OUT", "--headers", "strip", "--yes",
                     "-o", "json")  # fmt: skip
    assert ran.code == 3
    assert "usr" in ran.json["items"][0]["reason"]
    assert estate.messages("OUT") == []


def test_the_head_of_a_plan_counts_what_will_be_done(bench: Bench) -> None:
    bench.define("APP.A", "APP.B")
    bench.ok("msg", "put", "APP.A", "x", "--prop", "region=EMEA", "--yes")
    words = ("APP.A", "--to", "APP.B", "--headers", "strip")
    planned = bench.run("msg", "move", *words, "-n")
    assert planned.out.startswith("move 1 message (1 would be skipped or parked) from APP.A")
    assert "--headers drop removes it and them" in planned.out
    bench.ok("msg", "copy", *words, "--set-prop", "region", "--yes")
    copied = bench.ok("msg", "browse", "APP.B", "-o", "json").items[0]
    assert (copied["body"], copied["properties"], copied["headers"]) == ("x", [], [])


def test_headers_strip_takes_off_a_dead_letter_header(estate: Estate) -> None:
    header = dlh.DLH(reason=2053, encoding=273, ccsid=819, format="MQSTR")
    estate.put("IN", dlh.encode(header) + b"lost", format="MQDEAD")
    assert estate.run("msg", "move", "IN", "--to", "OUT", "--headers", "strip",
                      "--yes").code == 0  # fmt: skip
    (copy,) = estate.messages("OUT")
    assert (copy.body, copy.md.format, copy.md.encoding, copy.md.ccsid) == (
        b"lost", "MQSTR", 273, 819,
    )  # fmt: skip


@pytest.mark.seed("DD-54")
def test_cancel_parks_the_staged_message_untouched(estate: Estate) -> None:
    _, original = estate.delayed("OUT", b"keep", b"mistake", delay_ms=30 * 86_400_000)
    estate.queue("PARKED")
    staged = estate.messages(STAGING)[1]
    ran = estate.run("delay", "cancel", "--correlid", "ID:" + hex_of(original), "--to", "PARKED",
                     "--yes")  # fmt: skip
    assert ran.code == 0
    (parked,) = estate.messages("PARKED")
    assert (parked.md, parked.body) == (staged.md, staged.body)
    estate.advance(31 * 86_400)
    assert estate.bodies("OUT") == [b"keep"]


def test_a_plan_says_that_no_program_reads_a_delay_header(estate: Estate) -> None:
    """Moved on to its target as it is, a parked message is one that its reader cannot read."""
    estate.delayed("OUT", b"later", delay_ms=86_400_000)
    for words in (("--to", "OUT"), ("--to", "OUT", "--headers", "strip")):
        planned = estate.run("delay", "cancel", "-n", *words)
        assert ("which programs cannot read" in planned.out) is ("strip" not in words), planned.out
    estate.run("delay", "cancel", "--to", "OUT", "--confirm", STAGING, "-q")
    for target, is_noted in (("IN", True), (STAGING, False)):
        planned = estate.run("msg", "move", "OUT", "--to", target, "-n")
        assert ("(MQHDDH), which programs cannot read" in planned.out) is is_noted, planned.out


@pytest.mark.seed("DD-54")
def test_cancel_strip_rebuilds_what_the_sender_put(estate: Estate) -> None:
    estate.queue("PARKED")
    estate.run("msg", "put", "OUT", "mistake", "--delay", "30d", "--correlid", "text:C",
               "--expiry", "60d", "--persistent", "--yes")  # fmt: skip
    (staged,) = estate.messages(STAGING)
    estate.run("delay", "cancel", "--to", "PARKED", "--headers", "strip", "--yes")
    (parked,) = estate.messages("PARKED")
    assert (parked.md.format, parked.body[:4], parked.body[-7:]) == ("MQHRF2", b"RFH ", b"mistake")
    assert staged.body.endswith(parked.body)
    assert parked.md.correl_id == b"C".ljust(24, b"\0")
    assert parked.md.expiry_tenths == 60 * 864_000
    estate.advance(31 * 86_400)
    assert estate.messages("OUT") == []


def test_cancel_strip_without_a_queue_is_wrong_usage(estate: Estate) -> None:
    assert estate.run("delay", "cancel", "--headers", "strip", "--yes").code == 2


def test_a_cancel_of_everything_needs_the_name(estate: Estate) -> None:
    estate.delayed("OUT", b"a")
    assert estate.run("delay", "cancel", "--yes").code == 8
    assert estate.run("delay", "cancel", "--confirm", STAGING).code == 0


@pytest.mark.seed("CARD-24")
def test_a_purge_removes_what_was_selected_after_it_was_archived(estate: Estate) -> None:
    ids = estate.put("IN", b"one", b"two", b"three")
    chosen = [word for ident in ids[:2] for word in ("--msgid", hex_of(ident))]
    assert estate.run("backout", "purge", "IN", *chosen).code == 8
    done = estate.run("backout", "purge", "IN", *chosen, "--yes", "-o", "json")
    assert done.code == 0
    assert estate.bodies("IN") == [b"three"]
    (archive,) = estate.archives()
    assert len([line for line in archive if "body_base64" in line or "body" in line]) == 2
