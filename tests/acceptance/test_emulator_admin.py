"""`mqtriage emulator create|ls|start|stop|rm|advance|clock|rollback|seed|dump`."""

from __future__ import annotations

import json
import stat
from typing import Any

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from tests.acceptance.conftest import ON_A_TERMINAL, Bench


def messages(bench: Bench, queue: str) -> list[Message]:
    with bench.connected() as backend:
        return list(backend.open(queue, cmqc.MQOO_BROWSE).browse())


def records(bench: Bench) -> list[dict[str, Any]]:
    return [json.loads(line) for line in bench.ok("emulator", "ls", "QM1").out.splitlines()]


@pytest.mark.seed("CARD-27", "DD-43")
def test_create_makes_a_queue_manager_that_runs(empty_bench: Bench) -> None:
    created = empty_bench.ok("emulator", "create", "QM1", "-o", "json").item
    assert (created["name"], created["platform"], created["running"]) == ("QM1", "dist", True)
    empty_bench.ok("queue", "show", "SYSTEM.DDELAY.LOCAL.QUEUE")


def test_quiet_operations_on_a_queue_manager_print_nothing(empty_bench: Bench) -> None:
    """Except in a form that was asked for."""
    for words in (
        ("create", "QM1"), ("clock", "QM1", "+1m"), ("clock", "QM1", "freeze"),
        ("lab", "switch", "-m", "QM1", "authority=on"), ("stop", "QM1"), ("start", "QM1"),
    ):  # fmt: skip
        ran = empty_bench.ok("emulator", *words, "--quiet")
        assert (ran.out, ran.err) == ("", ""), words
    form = empty_bench.ok("emulator", "create", "QM2", "--quiet", "-o", "json")
    assert form.item["name"] == "QM2"


@pytest.mark.seed("DD-47")
def test_zos_comes_without_a_staging_queue(empty_bench: Bench) -> None:
    empty_bench.ok("emulator", "create", "QM1", "--platform", "zos")
    assert empty_bench.run("queue", "show", "SYSTEM.DDELAY.LOCAL.QUEUE").code == 5
    assert empty_bench.ok("qmgr", "show", "-o", "json").item["attributes"]["PLATFORM"] == "MVS"


def test_the_level_is_what_it_answers_with(empty_bench: Bench) -> None:
    empty_bench.ok("emulator", "create", "QM1", "--mq-version", "8.0.0.15")
    attributes = empty_bench.ok("qmgr", "show", "-o", "json").item["attributes"]
    assert (attributes["CMDLEVEL"], attributes["VERSION"]) == (800, "08000015")


@pytest.mark.parametrize("platform", ["dist", "zos"])
def test_the_sample_has_one_of_everything(empty_bench: Bench, platform: str) -> None:
    empty_bench.ok("emulator", "create", "QM1", "--sample", "--platform", platform)
    (delay,) = empty_bench.ok("delay", "status", "-o", "json").items
    assert delay["curdepth"] == 2
    expiry = empty_bench.ok("expiry", "status", "-o", "json").json
    assert expiry["items"]
    assert expiry["summary"]["expired"] == 1
    (orders,) = empty_bench.ok("backout", "ls", "ORDERS.IN", "-o", "json").items
    assert (orders["pending"], orders["state"]) == (1, "ok")
    assert empty_bench.depth("DEAD.LETTER.QUEUE") > 3


def test_files_and_folders_are_readable_by_their_owner_alone(empty_bench: Bench) -> None:
    empty_bench.ok("emulator", "create", "QM1")
    assert stat.S_IMODE(empty_bench.path().stat().st_mode) == 0o600
    assert stat.S_IMODE(empty_bench.path().parent.stat().st_mode) == 0o700


def test_ls_lists_them_all_and_one_that_is_damaged_with_its_problem(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM0")
    bench.path("QM2").write_bytes(b"not a database at all" * 100)
    ran = bench.ok("emulator", "ls", "-o", "json")
    assert [item["name"] for item in ran.items] == ["QM0", "QM1", "QM2"]
    assert ran.items[0]["running"] is True
    assert ran.items[2]["running"] is None
    assert "not a queue manager file" in ran.items[2]["problem"]
    assert "warning: " in ran.err


def test_stop_drops_non_persistent_messages_and_says_how_many(bench: Bench) -> None:
    bench.define("Q")
    with bench.connected() as backend:
        backend.put1("Q", MQMD(persistence=0), b"a")
        backend.put1("Q", MQMD(persistence=1), b"b")
    ran = bench.ok("emulator", "stop", "QM1", "-o", "json")
    assert ran.item["dropped"] == 1
    assert "1 nonpersistent" in ran.err
    bench.ok("emulator", "start", "QM1")
    assert [m.body for m in messages(bench, "Q")] == [b"b"]


def test_a_stopped_queue_manager_is_exit_7_with_the_way_to_start_it(bench: Bench) -> None:
    bench.ok("emulator", "stop", "QM1")
    for command in (["queue", "ls"], ["emulator", "lab", "rollback", "Q"], ["delay", "status"]):
        ran = bench.run(*command)
        assert ran.code == 7
        assert "MQRC_Q_MGR_NOT_AVAILABLE (2059)" in ran.error_line
        assert "mqtriage emulator start QM1" in ran.err


def test_a_start_delivers_what_fell_due_meanwhile(bench: Bench) -> None:
    bench.define("Q")
    with bench.connected() as backend:
        backend.put_delayed("Q", MQMD(persistence=1), b"later", 60_000)
    bench.ok("emulator", "stop", "QM1")
    bench.ok("emulator", "clock", "+2m", "QM1")
    bench.ok("emulator", "start", "QM1")
    assert bench.depth("Q") == 1


def test_rm_takes_the_name_and_not_just_yes(bench: Bench) -> None:
    ran = bench.run("emulator", "rm", "QM1", "--yes")
    assert ran.code == 8
    assert "mqtriage emulator rm QM1 --yes --confirm QM1" in ran.err
    assert bench.run("emulator", "rm", "QM1", "--confirm", "QM2").code == 8
    assert bench.path().exists()
    bench.ok("emulator", "rm", "QM1", "--confirm", "QM1")
    assert not bench.path().exists()


@pytest.mark.parametrize(("typed", "code"), [("QM1\n", 0), ("y\n", 8), ("", 8)])
def test_rm_on_a_terminal_wants_the_name_typed(bench: Bench, typed: str, code: int) -> None:
    ran = bench.run("emulator", "rm", "QM1", answer=typed, terminals=ON_A_TERMINAL)
    assert ran.code == code
    assert bench.path().exists() is (code != 0)


def test_rm_in_a_dry_run_removes_nothing(bench: Bench) -> None:
    assert "messages" in bench.ok("emulator", "rm", "QM1", "-n").out
    assert bench.path().exists()


def test_rm_refuses_while_a_program_is_connected(bench: Bench) -> None:
    from mqtriage.mq import cmqc

    bench.define("Q")
    with bench.connected() as other:
        other.open("Q", cmqc.MQOO_OUTPUT)
        ran = bench.run("emulator", "rm", "QM1", "--confirm", "QM1")
        assert ran.code == 8
        assert "a program is connected" in ran.error_line
    assert bench.path().exists()


def test_rm_removes_a_damaged_file_too(bench: Bench) -> None:
    bench.path().write_bytes(b"x" * 5000)
    bench.ok("emulator", "rm", "QM1", "--confirm", "QM1")
    assert not bench.path().exists()


def test_advance_moves_the_clock_and_what_falls_due_happens(bench: Bench) -> None:
    bench.define("Q")
    with bench.connected() as backend:
        backend.put_delayed("Q", MQMD(), b"later", 600_000)
    moved = bench.ok("emulator", "clock", "+15m", "-o", "json").item
    assert (moved["staged_before"], moved["staged_after"]) == (1, 0)
    assert bench.depth("Q") == 1


def test_any_split_of_an_advance_gives_the_same_dump(bench: Bench) -> None:
    bench.define("Q", "REPORTS")
    with bench.connected() as backend:
        for seconds in (30, 70, 200):
            backend.put_delayed("Q", MQMD(expiry_tenths=5000), b"later", seconds * 1000)
    copy = bench.path().read_bytes()
    bench.ok("emulator", "clock", "+3m")
    whole = records(bench)
    bench.path().write_bytes(copy)
    for step in ("29s", "1m1s", "90s"):
        bench.ok("emulator", "clock", step)
    assert records(bench) == whole


def test_clock_shows_freezes_and_runs(bench: Bench) -> None:
    frozen = bench.ok("emulator", "clock", "-o", "json").item
    assert frozen["clock"] == "frozen"
    assert bench.ok("emulator", "clock", "-o", "json").item["time"] == frozen["time"]
    assert bench.ok("emulator", "clock", "QM1", "run", "-o", "json").item["clock"] == "running"
    assert bench.ok("emulator", "clock", "QM1", "freeze", "-o", "json").item["clock"] == "frozen"


def test_rollback_raises_the_backout_count_of_the_first_or_the_named_message(
    bench: Bench,
) -> None:
    bench.define("Q")
    file = bench.home / "m"
    file.write_bytes(b"m")
    ids = bench.ok("msg", "put", "Q", "--file", str(file), "--file", str(file), "--yes")
    first, second = ids.out.split()
    ran = bench.ok("emulator", "lab", "rollback", "Q", "--times", "3", "-o", "json")
    assert (ran.item["msg_id"], ran.item["backout_count"]) == (first, 3)
    bench.ok("emulator", "lab", "rollback", "Q", "--msgid", second)
    assert [m.md.backout_count for m in messages(bench, "Q")] == [3, 1]


def test_put_puts_the_bytes_as_they_are_with_the_descriptor_asked_for(bench: Bench) -> None:
    bench.define("Q", "REPLY")
    data = bytes(range(256))
    file = bench.home / "all-bytes.bin"
    file.write_bytes(data)
    bench.ok(
        "msg", "put", "Q", "--file", str(file), "--yes",
        "--md-format", "MQSTR", "--ccsid", "37",
        "--encoding", "785", "--persistent", "--priority", "7", "--correlid", "text:ABC",
        "--expiry", "30s", "--report", "COD,MQRO_EXPIRATION", "--reply-to", "REPLY",
    )  # fmt: skip
    (message,) = messages(bench, "Q")
    md = message.md
    assert message.body == data
    assert (md.format, md.ccsid, md.encoding) == ("MQSTR", 37, 785)
    assert (md.persistence, md.priority, md.expiry_tenths) == (1, 7, 300)
    assert md.correl_id == b"ABC".ljust(24, b"\0")
    assert md.report == cmqc.MQRO_COD | cmqc.MQRO_EXPIRATION
    assert md.reply_to_q == "REPLY"


def test_put_puts_all_files_or_none(bench: Bench) -> None:
    bench.define(Q="MAXMSGL=10")
    small, large = bench.home / "small", bench.home / "large"
    small.write_bytes(b"1")
    large.write_bytes(b"12345678901")
    ran = bench.run("msg", "put", "Q", "--file", str(small), "--file", str(large), "--yes")
    assert ran.code == 1
    assert "MQRC_MSG_TOO_BIG_FOR_Q (2030)" in ran.error_line
    assert bench.depth("Q") == 0


def test_a_dump_twice_is_the_same_text_and_holds_everything(bench: Bench) -> None:
    bench.define("B", "A")
    with bench.connected() as backend:
        backend.put1("B", MQMD(expiry_tenths=50), b"\x00\xff")
    first = bench.ok("emulator", "ls", "QM1").out
    assert bench.ok("emulator", "ls", "QM1").out == first
    dumped = records(bench)
    names = [record["name"] for record in dumped if record["record"] == "queue"]
    assert names == sorted(names)
    (message,) = [record for record in dumped if record["record"] == "message"]
    assert (message["queue"], message["body"]) == ("B", "00ff")


def test_with_one_queue_manager_it_is_taken_and_that_is_said(bench: Bench) -> None:
    assert "QM1" in bench.ok("emulator", "clock").err
    bench.ok("emulator", "create", "QM2")
    ran = bench.run("emulator", "clock")
    assert ran.code == 2
    assert "several emulated queue managers exist: QM1, QM2" in ran.error_line
    assert bench.ok("emulator", "clock", "-m", "QM2", "-o", "json").item["queue_manager"] == "QM2"


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        pytest.param(["create", "QM1"], 8, "already exists", id="create-twice"),
        pytest.param(["create", "Q M"], 2, "a blank at position 2", id="create-name"),
        pytest.param(["create", "M" * 49], 2, "49 characters long", id="create-long"),
        pytest.param(["create", "X", "--platform", "vms"], 2, "dist or zos", id="platform"),
        pytest.param(["create", "X", "--clock", "mad"], 2, "running or frozen", id="clock"),
        pytest.param(["create", "X", "--mq-version", "6.0"], 2, "7.0 and later", id="old"),
        pytest.param(["create", "X", "--mq-version", "new"], 2, "expected numbers", id="version"),
        pytest.param(["stop", "NOPE"], 5, "no emulated queue manager NOPE", id="stop-unknown"),
        pytest.param(["start", "QM1"], 2, "is already running", id="start-twice"),
        pytest.param(["rm", "NOPE"], 5, "no emulated queue manager", id="rm-unknown"),
        pytest.param(["clock", "-5m"], 2, "-5", id="clock-negative"),
        pytest.param(["clock", "15"], 2, "not a duration", id="clock-unit"),
        pytest.param(["clock", "99999999999d"], 2, "out of range", id="clock-huge"),
        pytest.param(["clock", "QM1", "stop"], 2, "freeze", id="clock-state"),
        pytest.param(["clock", "QM1", "-m", "QM2"], 2, "given twice and differs", id="twice"),
        pytest.param(["clock", "--backend", "mq"], 2, "emulated queue managers", id="backend"),
        pytest.param(
            ["lab", "rollback", "Q"], 5, "MQRC_NO_MSG_AVAILABLE (2033)", id="rollback-empty"
        ),
        pytest.param(["lab", "rollback", "NOPE"], 5, "2085", id="rollback-unknown"),
        pytest.param(["lab", "rollback", "Q", "--times", "0"], 2, "allowed is 1 to", id="times-0"),
        pytest.param(
            ["lab", "rollback", "Q", "--times", "-3"], 2, "allowed is 1 to", id="times-neg"
        ),
        pytest.param(
            ["lab", "rollback", "Q", "--times", "9" * 20], 2, "allowed is 1 to", id="times-huge"
        ),
        pytest.param(["lab", "rollback", "Q", "--msgid", "12"], 2, "--msgid", id="msgid"),
        pytest.param(
            ["lab", "rollback", "Q", "--msgid", "ID:" + "0" * 48], 2, "zero", id="msgid-zero"
        ),
        pytest.param(["ls", "NOPE"], 5, "no emulated queue manager", id="ls-unknown"),
        pytest.param(["ls", "Q M"], 2, "a blank", id="ls-name"),
    ],
)
def test_wrong_input_is_one_clear_line(
    bench: Bench, arguments: list[str], code: int, text: str
) -> None:
    bench.define("Q")
    file = bench.home / "data"
    file.write_bytes(b"data")
    ran = bench.run(
        "emulator", *[str(file) if argument == "FILE" else argument for argument in arguments]
    )
    assert ran.code == code, ran.err
    assert text in ran.error_line
    assert ran.out == ""
    assert bench.depth("Q") == 0


@pytest.mark.parametrize("name", ["../X", "..", "A/B"])
def test_a_name_never_leaves_the_folder(bench: Bench, name: str) -> None:
    bench.ok("emulator", "create", name)
    assert {path.parent for path in bench.home.rglob("*.qmgr")} == {bench.path().parent}
    assert name in [item["name"] for item in bench.ok("emulator", "ls", "-o", "json").items]


def test_stop_gives_programs_time_to_end_and_says_who_is_left(bench: Bench) -> None:
    assert (
        bench.ok("emulator", "stop", "QM1", "--wait", "5s", "-o", "json").item["running"] is False
    )
    assert bench.run("emulator", "stop", "QM1", "--wait", "5s").code == 2
    bench.ok("emulator", "start", "QM1")
    assert bench.run("emulator", "stop", "QM1", "--wait", "soon").code == 2
    with bench.connected() as backend:
        bench.define("Q")
        backend.open("Q", cmqc.MQOO_OUTPUT)
        ran = bench.ok("emulator", "stop", "QM1", "--wait", "100ms")
        assert "1 connection was still there after 100ms" in ran.err


def test_developer_has_what_the_developer_image_has(empty_bench: Bench) -> None:
    empty_bench.ok("emulator", "create", "QM1", "--developer")
    empty_bench.ok("queue", "show", "DEV.QUEUE.3")
    shown = empty_bench.ok("qmgr", "show", "-o", "json").item
    assert shown["attributes"]["DEADQ"] == "DEV.DEAD.LETTER.QUEUE"
    script = empty_bench.home / "listener.mqsc"
    script.write_text("DISPLAY LISTENER(DEV.LISTENER.TCP) ALL", "utf-8")
    listener = empty_bench.ok("mqsc", str(script)).out
    assert {"PORT(1414)", "CONTROL(QMGR)", "TRPTYPE(TCP)"} <= set(listener.split())
    script.write_text("STOP LISTENER('SYSTEM.LISTENER.TCP.1') IGNSTATE(YES)", "utf-8")
    empty_bench.ok("mqsc", str(script), "--yes")  # as IBM's own script for the image begins


def test_the_developer_channel_runs_as_app_in_small_letters(empty_bench: Bench) -> None:
    empty_bench.ok("emulator", "create", "QM1", "--developer")
    shown = empty_bench.ok("mqsc", "-", answer="DISPLAY CHANNEL(DEV.APP.SVRCONN) MCAUSER\n").out
    assert "MCAUSER(app)" in shown
