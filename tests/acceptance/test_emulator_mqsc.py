"""What definitions of a script do on an emulated queue manager, through `mqtriage mqsc`."""

from __future__ import annotations

from pathlib import Path

from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import Bench, Ran


def script(bench: Bench, text: str, name: str = "s.mqsc") -> Path:
    path = bench.home / name
    path.write_text(text)
    return path


def load(bench: Bench, text: str) -> Ran:
    return bench.run("mqsc", str(script(bench, text)), "--yes", "-o", "json")


def test_definitions_are_carried_out_and_counted(bench: Bench) -> None:
    ran = load(
        bench,
        "* a comment\n"
        "define ql(app.in) +\n"
        "       maxdepth(7) noshare\n"
        "DEFINE QALIAS(ALIAS) TARGET(APP.IN)\n"
        "ALTER QLOCAL(APP.IN) DESCR('It''s mine') ; ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)\n",
    )
    assert ran.code == 0, ran.err
    assert [item["result"] for item in ran.items] == ["done"] * 4
    assert bench.attribute("APP.IN", "MAXDEPTH") == 7
    assert bench.attribute("APP.IN", "SHARE") == "NO"
    assert bench.attribute("APP.IN", "DESCR") == "It's mine"
    assert bench.attribute("ALIAS", "TARGET") == "APP.IN"
    shown = bench.ok("qmgr", "show", "-o", "json").item["attributes"]
    assert shown["DEADQ"] == "SYSTEM.DEAD.LETTER.QUEUE"


def test_like_takes_what_is_not_named_from_the_other_queue(bench: Bench) -> None:
    ran = load(
        bench,
        "DEFINE QLOCAL(A) MAXDEPTH(7) DEFPSIST(YES)\nDEFINE QLOCAL(B) LIKE(A) MAXDEPTH(9)\n",
    )
    assert ran.code == 0, ran.err
    assert bench.attribute("B", "DEFPSIST") == "YES"
    assert bench.attribute("B", "MAXDEPTH") == 9


def test_noreplace_leaves_a_queue_that_is_there(bench: Bench) -> None:
    bench.define(A="MAXDEPTH=7")
    ran = load(bench, "DEFINE QLOCAL(A) MAXDEPTH(8)\n")
    assert ran.code == 1
    assert "MQRC_OBJECT_ALREADY_EXISTS (2100)" in ran.items[0]["explanation"]
    assert bench.attribute("A", "MAXDEPTH") == 7


def test_replace_resets_what_is_not_named_and_keeps_the_messages(bench: Bench) -> None:
    bench.define(A="MAXDEPTH=7 DESCR=old")
    with bench.connected() as backend:
        backend.put1("A", MQMD(), b"stays")
    ran = load(bench, "DEFINE QLOCAL(A) MAXDEPTH(8) REPLACE\n")
    assert ran.code == 0, ran.err
    assert bench.attribute("A", "MAXDEPTH") == 8
    assert bench.attribute("A", "DESCR") == ""
    assert bench.depth("A") == 1


def test_what_is_wrong_or_not_emulated_is_said_and_the_rest_is_run(bench: Bench) -> None:
    ran = load(
        bench,
        "DEFINE QLOCAL(A) MAXDEPTH(7) BOQUEUE(X)\n"
        "DEFINE QLOCAL(B) MAXDEPTH(-1)\n"
        "DEFINE QLOCAL(C\n"
        "SET POLICY(C) SIGNALG(NONE)\n"
        "DEFINE QLOCAL(D)\n",
    )
    path = bench.home / "s.mqsc"
    assert ran.code == 3
    assert [item["result"] for item in ran.items][-2:] == ["not emulated", "done"]
    places = [item["explanation"] for item in ran.items][:3]
    for place, start in zip(places, (f"{path}:1:30: ", f"{path}:2:", f"{path}:3:"), strict=True):
        assert place.startswith(start)
    with bench.connected() as backend:
        names = [queue.name for queue in backend.queues("*") if len(queue.name) == 1]
    assert names == ["D"]


def test_nothing_is_half_applied_within_one_command(bench: Bench) -> None:
    bench.define(A="MAXDEPTH=7")
    with bench.connected() as backend:
        backend.put1("A", MQMD(), b"x")
    ran = load(bench, "ALTER QLOCAL(A) DESCR('new') USAGE(XMITQ)\n")
    assert ran.code == 1
    assert "needs FORCE" in ran.items[0]["explanation"]
    assert bench.attribute("A", "DESCR") == ""


def test_nothing_behind_end_is_run(bench: Bench) -> None:
    ran = load(bench, "DEFINE QLOCAL(A)\nEND\nDEFINE QLOCAL(B)\n")
    assert ran.code == 0
    assert bench.run("queue", "show", "B").code == 5


def test_files_are_run_in_the_order_given_and_all_are_read_first(bench: Bench) -> None:
    first = script(bench, "DEFINE QLOCAL(A) MAXDEPTH(1)\n", "1.mqsc")
    second = script(bench, "ALTER QLOCAL(A) MAXDEPTH(2)\n", "2.mqsc")
    missing = bench.home / "3.mqsc"
    assert bench.run("mqsc", str(first), str(missing), "--yes").code == 5
    assert bench.run("queue", "show", "A").code == 5
    bench.ok("mqsc", str(first), str(second), "--yes")
    assert bench.attribute("A", "MAXDEPTH") == 2


def test_a_zos_attribute_is_refused_on_distributed_and_taken_on_zos(
    bench: Bench, tmp_path: Path
) -> None:
    text = "DEFINE QLOCAL(A) INDXTYPE(NONE)\n"
    assert load(bench, text).code == 1
    bench.ok("emulator", "create", "QMZ", "--platform", "zos")
    bench.ok("mqsc", str(script(bench, text)), "-m", "QMZ", "--yes")
    assert bench.attribute("A", "INDXTYPE", "QMZ") == "NONE"
