"""`queue ls --from`: saved runmqsc output, ours and the real captures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench

CORPUS = Path(
    os.environ.get("MQTRIAGE_CORPUS", Path(__file__).parents[2] / ".." / "shared" / "corpus")
)


def test_what_we_displayed_is_read_back_as_queue_ls_shows_it(bench: Bench) -> None:
    bench.define(IN="MAXDEPTH=10 BOTHRESH=3 BOQNAME=BO", BO="PUT=DISABLED")
    bench.ok("queue", "define", "AL", "TARGET=IN", "--yes")
    path = bench.home / "saved.txt"
    path.write_text(bench.run("mqsc", answer="DIS Q(*) ALL\nDIS QS(*) ALL\n").out)
    live = bench.ok("queue", "ls", "-o", "json").items
    saved = bench.ok("queue", "ls", "--from", str(path), "-o", "json").items
    for item in live:
        item["oldest_put_time"] = None  # DISPLAY shows it for monitored queues only
    by_name = {item["queue"]: item for item in saved}
    assert sorted(by_name) == sorted(item["queue"] for item in live)
    for item in live:
        read_back = {key: by_name[item["queue"]][key] for key in item if item["type"] == "QLOCAL"}
        assert read_back == (item if item["type"] == "QLOCAL" else {})


def test_a_pattern_chooses_and_mqsc_defines(empty_bench: Bench) -> None:
    text = (
        "AMQ8409I: Display Queue details.\n"
        "   QUEUE(A.1)                              TYPE(QLOCAL)\n"
        "   CURDEPTH(3)                             MAXDEPTH(12)\n"
        "   NOSHARE\n"
        "AMQ8409I: Display Queue details.\n"
        "   QUEUE(B)                                TYPE(QALIAS)\n"
        "   TARGET(A.1)\n"
    )
    ran = empty_bench.run("queue", "ls", "--from", "-", "A*", "-o", "json", answer=text)
    (item,) = ran.items
    assert (item["queue"], item["curdepth"], item["percent_full"]) == ("A.1", 3, 25.0)
    chosen = ("queue", "ls", "--from", "-", "-o", "ids", "--where")
    assert empty_bench.run(*chosen, "percent_full > 24", answer=text).out == "A.1\n"
    assert empty_bench.run(*chosen, "TARGET EQ A.1", answer=text).out == "B\n"
    mqsc = empty_bench.run("queue", "ls", "--from", "-", "-o", "mqsc", answer=text)
    assert mqsc.out == (
        "DEFINE QLOCAL('A.1') MAXDEPTH(12) NOSHARE\nDEFINE QALIAS('B') TARGET('A.1')\n"
    )


ZOS = """\
 CSQU055I  Target queue manager is CSQ9
CSQN205I   COUNT=       3, RETURN=00000000, REASON=00000000
CSQM293I %CSQ9 CSQMDRTC 2 QUEUE FOUND MATCHING REQUEST CRITERIA
CSQM401I %CSQ9 CSQMDRTS DISPLAY QUEUE DETAILS
QUEUE(APP.IN                                          )
TYPE(QLOCAL)
QSGDISP(QMGR)
CURDEPTH(3)
MAXDEPTH(12)
DESCR(                                                                )
NOSHARE
 END QUEUE DETAILS
CSQM401I %CSQ9 CSQMDRTS DISPLAY QUEUE DETAILS
QLOCAL(APP.OUT                                         )
 CURDEPTH(4)
 MAXDEPTH(16)
 END QUEUE DETAILS
CSQM406I %CSQ9 QUEUE(APP.ONE                          ) TYPE(QLOCAL) CURDEPTH(5) MAXDEPTH(20)
CSQM201I +CSQ9 CSQMDRTC  DISPLAY QSTATUS DETAILS
QSTATUS(APP.IN)
TYPE(QUEUE)
IPPROCS(2)
 END QSTATUS DETAILS
CSQ9022I %CSQ9 CSQMDRTS ' DISPLAY QUEUE' NORMAL COMPLETION
"""


def test_answers_of_zos_are_read_on_several_lines_and_on_one(empty_bench: Bench) -> None:
    ran = empty_bench.run("queue", "ls", "--from", "-", "-o", "json", answer=ZOS)
    depths = {item["queue"]: (item["curdepth"], item["percent_full"]) for item in ran.items}
    assert depths == {"APP.IN": (3, 25.0), "APP.OUT": (4, 25.0), "APP.ONE": (5, 25.0)}
    assert {item["queue"]: item["ipprocs"] for item in ran.items}["APP.IN"] == 2
    assert ran.json["warnings"] == []


def test_the_order_of_mq_5_is_read(empty_bench: Bench) -> None:
    text = (
        "AMQ8409: Display Queue details.\n"
        "   DESCR(orders)                           PROCESS( )\n"
        "   BOQNAME( )                              MAXDEPTH(5000)\n"
        "   TYPE(QLOCAL)                            CURDEPTH(7)\n"
        "   QUEUE(ORDERS)\n"
    )
    ran = empty_bench.run("queue", "ls", "--from", "-", "-o", "json", answer=text)
    assert [(item["queue"], item["curdepth"]) for item in ran.items] == [("ORDERS", 7)]


@pytest.mark.parametrize(
    ("number", "depths"),
    [
        ("11", {"X0": None, "X1": 0, "X2": 0}),
        ("14", {"DUMMY": 0}),
        ("17", {"DEV.QUEUE.1": 1}),
        ("22", {"SOURCE.Q": 0}),
        ("23", {"QUEUE1": 1}),
        ("26", {"DLQ": 1}),
        ("28", {"DEV.QUEUE.1": None}),
    ],
)
def test_real_captures_are_read(
    empty_bench: Bench, number: str, depths: dict[str, int | None]
) -> None:
    captures = list((CORPUS / "mqsc-output").glob(f"{number}-*.txt"))
    if not captures:
        pytest.skip("no corpus of runmqsc output (MQTRIAGE_CORPUS)")
    ran = empty_bench.run("queue", "ls", "--from", str(captures[0]), "-o", "json")
    assert ran.code == 0, ran.err
    assert {item["queue"]: item["curdepth"] for item in ran.items} == depths


@pytest.mark.parametrize("data", [b"", b"no output at all\n", bytes(range(256)) * 100])
def test_a_file_without_queues_is_one_error(empty_bench: Bench, data: bytes) -> None:
    empty_bench.home.mkdir(exist_ok=True)
    path = empty_bench.home / "x"
    path.write_bytes(data)
    ran = empty_bench.run("queue", "ls", "--from", str(path))
    assert ran.code == 5
    assert "no response to DISPLAY QUEUE" in ran.error_line
