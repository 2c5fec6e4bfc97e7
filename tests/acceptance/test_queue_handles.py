"""`mqtriage queue status`: open handles, who reads, and why CLEAR QLOCAL is refused."""

from __future__ import annotations

import re

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import ON_A_TERMINAL, Bench


def test_a_queue_that_nobody_has_open_is_an_empty_list(bench: Bench) -> None:
    bench.define(A="")
    ran = bench.ok("queue", "status", "A", "--handles", "-o", "json")
    assert ran.items == []
    assert ran.json["summary"]["handles"] == 0
    assert "no program has it open" in ran.err


def test_each_handle_says_program_user_and_how(bench: Bench) -> None:
    bench.define(A="")
    with bench.connected() as backend:
        reading = backend.open("A", cmqc.MQOO_INPUT_EXCLUSIVE | cmqc.MQOO_BROWSE)
        writing = backend.open("A", cmqc.MQOO_OUTPUT)
        ran = bench.ok("queue", "status", "A", "--handles", "-o", "json")
        reading.close()
        writing.close()
    one, other = ran.items
    assert (one["input"], one["browse"], one["output"]) == ("excl", True, False)
    assert (other["input"], other["browse"], other["output"]) == ("no", False, True)
    assert one["queue"] == "A"
    assert one["application"]
    assert one["user"]
    assert ran.json["summary"] == {"handles": 2, "input": 1, "output": 1, "uncommitted": 0}


def test_it_says_why_clear_is_refused_and_it_is(bench: Bench) -> None:
    bench.define(A="")
    with bench.connected() as backend:
        handle = backend.open("A", cmqc.MQOO_OUTPUT)
        handle.put(MQMD(), b"x")
        ran = bench.ok("queue", "status", "A", "--handles")
        assert "1 handle open: CLEAR QLOCAL and DELETE QLOCAL are refused" in ran.err
        assert "AMQ8148" in bench.run("mqsc", "-", "--confirm", "A", answer="CLEAR QLOCAL(A)\n").out
        handle.close()
    bench.ok("mqsc", "-", "--confirm", "A", answer="CLEAR QLOCAL(A)\n")


@pytest.mark.parametrize("act", ["get", "put"])
def test_an_open_unit_of_work_says_whose_it_is_and_since_when(bench: Bench, act: str) -> None:
    bench.define(A="")
    bench.ok("emulator", "clock", "QM1", "freeze")
    bench.ok("msg", "put", "A", "x", "--yes")
    at = bench.ok("msg", "browse", "A", "-o", "json").items[0]["put_time"]
    with bench.connected() as backend:
        idle = backend.open("A", cmqc.MQOO_OUTPUT)
        with bench.connected() as other:
            busy = other.open("A", cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_OUTPUT)
            if act == "get":
                busy.get(cmqc.MQGMO_SYNCPOINT)
            else:
                busy.put(MQMD(), b"y", cmqc.MQPMO_SYNCPOINT)
            bench.ok("emulator", "clock", "QM1", "+15m")
            ran = bench.ok("queue", "status", "A", "--handles", "-o", "json")
            shown = bench.ok("queue", "status", "A", "--handles")
            (conn,) = re.findall(
                r"CONN\((\w+)\).*UOWSTDA\(([0-9-]+)\).*UOWSTTI\(([0-9.]+)\)",
                bench.ok(
                    "mqsc", "-", answer="DIS CONN(*) TYPE(CONN) WHERE(UOWSTATE EQ ACTIVE) ALL\n"
                ).out.replace("\n", " "),
            )
            other.commit()
            busy.close()
        idle.close()
    first, second = ran.items
    start = f"{at[:10]} {at[11:19].replace(':', '.')}"
    assert (first["unit_of_work"], first["unit_of_work_start"]) == (None, None)
    assert second["unit_of_work_start"] == start
    assert conn == (second["connection"], *start.split())
    assert f"bench (PID {second['process_id']}) has an open unit of work since {start}" in shown.err
    assert f"; ending process {second['process_id']} would back it out" in shown.err
    assert "STOP CONN" not in shown.err  # it is not emulated
    assert "UOW_START" in shown.out
    assert "UOW_START" not in bench.ok("queue", "status", "A", "--handles").out


def test_an_alias_stands_for_its_queue_and_a_generic_name_for_all(bench: Bench) -> None:
    bench.define(A="", B="")
    bench.ok("queue", "define", "AL", "TARGET=A", "--yes")
    with bench.connected() as backend:
        one, other = backend.open("A", cmqc.MQOO_OUTPUT), backend.open("B", cmqc.MQOO_OUTPUT)
        assert [
            item["queue"]
            for item in bench.ok("queue", "status", "AL", "--handles", "-o", "json").items
        ] == ["A"]
        every = bench.ok("queue", "status", "*", "--handles", "-o", "json").items
        assert [item["queue"] for item in every] == ["A", "B", "SYSTEM.DDELAY.LOCAL.QUEUE"]
        one.close()
        other.close()


def test_what_has_no_handles_is_one_error(bench: Bench) -> None:
    assert bench.run("queue", "status", "NOPE", "--handles").code == 5
    bench.ok("mqsc", "-", "--yes", answer="DEFINE QREMOTE(R) RNAME(X) RQMNAME(QM9)\n")
    ran = bench.run("queue", "status", "R", "--handles")
    assert ran.code == 1
    assert "MQRC_Q_TYPE_ERROR" in ran.error_line


def test_a_generic_name_gives_a_row_for_each_queue_and_what_is_wrong_with_it(bench: Bench) -> None:
    bench.define(**{"PAY.A": "", "PAY.B": "GET=DISABLED", "PAY.C": "PUT=DISABLED MAXDEPTH=0"})
    bench.define(**{"PAY.ALIAS": "TARGET=PAY.A"})
    with bench.connected() as busy:
        busy.put1("PAY.A", MQMD(), b"held", cmqc.MQPMO_SYNCPOINT)
        busy.put1("PAY.B", MQMD(), b"waits")
        items = bench.ok("queue", "status", "PAY.*", "-o", "json").items
        assert [(one["queue"], one["curdepth"], one["problem"]) for one in items] == [
            ("PAY.A", 1, "uncommitted messages"),
            ("PAY.B", 1, "GET(DISABLED)"),
            ("PAY.C", 0, "PUT(DISABLED), full"),
        ]
        assert {*bench.ok("queue", "status", "PAY.A", "-o", "json").item} == {*items[0]}
    heading = bench.ok("queue", "status", "PAY.*").out.splitlines()[0].split()
    assert {"CURDEPTH", "UNCOM", "MSGAGE", "IPPROCS", "OPPROCS"} <= {*heading}
    assert bench.run("queue", "status", "NONE.*").code == 5


def test_the_queues_with_a_problem_are_listed_without_the_others(bench: Bench) -> None:
    """They were one or two of 72 rows, over several queue managers."""
    bench.define(**{"PAY.A": "", "PAY.B": "GET=DISABLED"})
    bench.ok("emulator", "create", "QM2")
    both = ("-m", "QM1,QM2", "-o", "json")
    items = bench.ok("queue", "status", "*", "--problems", *both).items
    assert [(one["queue_manager"], one["queue"]) for one in items] == [("QM1", "PAY.B")]
    words = ("queue", "status", "*", "--problems", "-m", "QM2")
    assert "no problems" in bench.run(*words, terminals=ON_A_TERMINAL).err
    for wrong in (("PAY.B",), ("PAY.*", "--handles")):
        ran = bench.run("queue", "status", *wrong, "--problems")
        assert (ran.code, "only for a generic name" in ran.error_line) == (2, True)


def test_messages_that_no_program_reads_are_a_problem_of_one_queue_and_of_a_pattern(
    bench: Bench,
) -> None:
    """A pattern showed `-` for a queue of which its own status said that nobody reads it."""
    bench.define("PAY.BO", "PAY.DLQ", "PAY.OUT", "PAY.READ", "PAY.EMPTY")
    bench.define(**{"PAY.IN": "BOTHRESH=3 BOQNAME=PAY.BO"})
    bench.ok("mqsc", "-", "--yes", answer="ALTER QMGR DEADQ(PAY.DLQ)\n")
    with bench.connected() as backend:
        for queue in ("PAY.BO", "PAY.DLQ", "PAY.OUT", "PAY.READ"):
            backend.put1(queue, MQMD(), b"waits")
        reader = backend.open("PAY.READ", cmqc.MQOO_INPUT_SHARED)
        everything = ("queue", "status", "*", "--problems", "-o", "json")
        assert bench.ok(*everything).items == [], "a program may be about to start"
        bench.ok("emulator", "clock", "QM1", "+1m")
        items = bench.ok(*everything).items
        reader.close()
    assert [(one["queue"], one["problem"]) for one in items] == [("PAY.OUT", "no reader")]
    alone = bench.ok("queue", "status", "PAY.OUT", "-o", "json").item
    assert alone["problem"] == "no reader"


def test_who_asks_why_nothing_is_read_learns_that_gets_are_disabled(bench: Bench) -> None:
    bench.define(A="GET=DISABLED")
    with bench.connected() as other:
        other.put1("A", MQMD(), b"x")
    ran = bench.ok("queue", "status", "A")
    assert "A: GET(DISABLED), so no program can get a message; 1 message" in ran.err
    assert "no program has it open" not in ran.err


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


def test_the_status_of_no_queue_in_particular_is_that_of_all(bench: Bench) -> None:
    bench.define("A", "B")
    assert "A*: no program has one open" in bench.ok("queue", "status", "A*", "--handles").err
    bench.ok("queue", "set", "B", "PUT=DISABLED", "--yes")
    for words in ((), ("--problems",), ("--handles",)):
        every = bench.ok("queue", "status", "*", *words, "-o", "json").items
        assert bench.ok("queue", "status", *words, "-o", "json").items == every
    (only,) = bench.ok("queue", "status", "--problems", "-o", "json").items
    assert (only["queue"], only["problem"]) == ("B", "PUT(DISABLED)")
