"""Command lines over HTTPS, on an emulated queue manager behind its web server."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import Bench
from tests.rest.conftest import Asked, Says, Scripted, is_qmgr
from tests.support.web_server import WebServer

WANTED = """\
DEFINE QLOCAL(NEW.BO) DESCR('it''s (a) new one')
DEFINE QLOCAL(NEW.IN) BOQNAME(NEW.BO) BOTHRESH(3) NOSHARE
DEFINE QALIAS(NEW) TARGET(NEW.IN)
DEFINE CHANNEL(NEW.SVRCONN) CHLTYPE(SVRCONN) TRPTYPE(TCP)
"""
BOTH_ROLES = ("admin=MQWebAdmin", "admin=MQWebUser")


@pytest.fixture
def web(tmp_path: Path) -> Iterator[WebServer]:
    server = WebServer(tmp_path / "there", web_roles=BOTH_ROLES)
    yield server
    server.close()


def bench_at(home: Path, url: str, ca: object, **more: str) -> Bench:
    bench = Bench(home)
    bench.environ |= {
        "MQTRIAGE_CONFIG": str(home / "config.toml"),
        "MQTRIAGE_BACKEND": "rest",
        "MQTRIAGE_QMGR": "QM1",
        "MQTRIAGE_URL": url,
        "MQTRIAGE_TLS_CAFILE": str(ca),
        "MQTRIAGE_USER": "admin",
        "MQTRIAGE_PASSWORD": "passw0rd",
    } | more
    return bench


@pytest.fixture
def bench(tmp_path: Path, web: WebServer) -> Bench:
    return bench_at(tmp_path / "here", web.url, web.serving.ca_file)


def relayed(web: WebServer, asked: Asked) -> Says:
    """What the server behind answers."""
    connection = http.client.HTTPSConnection("127.0.0.1", web.port, context=web.context)
    headers = {name: value for name, value in asked.headers.items() if name != "host"}
    connection.request(asked.method, asked.path, asked.body or None, headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    dropped = ("content-length", "connection", "transfer-encoding", "server")
    kept = tuple((k, v) for k, v in answer.headers.items() if k.lower() not in dropped)
    return Says(answer.status, body, kept)


def changes(asked: Asked) -> bool:
    return b"runCommand" in asked.body and b"display" not in asked.body.lower()


MOMENTS = ("before", "half", "behind")
DAILY_CUTS = {(1, "before"), (1, "half"), (1, "behind"), (2, "half"), (3, "behind"), (4, "before")}
"""The first request in every way, as nothing was done before it, the others in one each."""


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        pytest.param(
            number, moment, marks=[] if (number, moment) in DAILY_CUTS else [pytest.mark.long]
        )
        for number in (1, 2, 3, 4)
        for moment in MOMENTS
    ],
)
@pytest.mark.slow
def test_an_apply_that_is_cut_at_a_request_is_resumed(
    tmp_path: Path, web: WebServer, scripted: Scripted, number: int, moment: str
) -> None:
    """Cut before the command arrives, behind it, or in the middle of the answer."""
    seen = 0

    def answers(asked: Asked) -> Says:
        nonlocal seen
        seen += changes(asked)
        if not changes(asked) or seen != number:
            return relayed(web, asked)
        if moment == "before":
            return Says(None)
        says = relayed(web, asked)
        return Says(None) if moment == "behind" else says._replace(body=says.body[:9], cut=99)

    scripted.answers = answers
    bench = bench_at(tmp_path / "here", scripted.url, scripted.ca)
    file = tmp_path / "wanted.mqsc"
    file.write_text(WANTED)
    cut = bench.run("apply", str(file), "--yes")
    assert cut.code == (7 if number == 1 else 3), cut.err
    assert "the outcome is unknown" in cut.err + cut.out
    entry = bench.ok("journal", "show", "-o", "json").item
    states = [command["state"] for command in entry["commands"]]
    assert states[: number - 1] == ["done"] * (number - 1)
    assert states[number:] == ["not run"] * (4 - number)
    assert states[number - 1] == "in doubt"
    resumed = bench.ok("journal", "resume", entry["op"], "--yes", "-o", "json")
    remaining = 5 - number if moment == "before" else 4 - number
    assert len(resumed.json["details"]["mqsc"]) == remaining
    assert bench.ok("journal", "show", entry["op"], "-o", "json").item["done"] == 4
    assert bench.ok("plan", str(file), "-o", "json").item["changes"] == []
    bench.ok("journal", "undo", entry["op"], "--yes", "--confirm", "QM1")
    with web.beside() as beside:
        assert not {"NEW", "NEW.IN", "NEW.BO"} & {queue.name for queue in beside.queues()}


@pytest.mark.slow
def test_a_plan_of_many_objects_asks_as_often_as_one_of_few(
    tmp_path: Path, web: WebServer, scripted: Scripted
) -> None:
    scripted.answers = lambda asked: relayed(web, asked)
    bench = bench_at(tmp_path / "here", scripted.url, scripted.ca)
    file = tmp_path / "wanted.mqsc"
    counts = []
    for number, existing in ((30, 30), (300, 300), (2_000, 0)):
        with web.beside() as beside:
            for index in range(existing):
                beside.define("QLOCAL", f"OLD.{number}.{index}", {})
        file.write_text(
            "".join(f"DEFINE QLOCAL(OLD.{number}.{index}) MAXDEPTH(7)\n" for index in range(number))
        )
        scripted.asked.clear()
        planned = bench.ok("plan", str(file), "-o", "json").item
        assert len(planned["changes"]) == number
        counts.append(len(scripted.asked))
    assert counts[0] == counts[1] == counts[2] < 20


def test_a_listing_of_many_queues_asks_a_constant_number_of_times(
    tmp_path: Path, web: WebServer, scripted: Scripted
) -> None:
    scripted.answers = lambda asked: relayed(web, asked)
    bench = bench_at(tmp_path / "here", scripted.url, scripted.ca)
    with web.beside() as beside:
        for index in range(200):
            beside.define("QLOCAL", f"OLD.{index}", {})
    listing = bench.ok("queue", "ls", "OLD.*", "-o", "json").json
    assert len(listing["items"]) == 200
    asked = [one for one in scripted.asked if not one.path.endswith("/login") and not is_qmgr(one)]
    assert len(asked) == 3


def test_no_trace_and_no_file_has_the_password(bench: Bench) -> None:
    bench.ok("context", "add", "web", "--use")
    traced = bench.ok("queue", "ls", "--verbose")
    refused = bench.run("queue", "ls", "--no-context", "--set", "user=nobody")
    assert refused.code == 6
    assert "MQRC_NOT_AUTHORIZED (2035): MQWB010" in refused.err
    for text in (traced.out, traced.err, refused.out, refused.err):
        assert "passw0rd" not in text
    for path in bench.home.rglob("*"):
        assert not path.is_file() or b"passw0rd" not in path.read_bytes(), path


@pytest.mark.parametrize(
    "line",
    [
        "msg move A --to B --yes",
        "msg purge A --yes --confirm A",
        "msg copy A --to B --yes",
        "backout requeue A --to B --yes",
        "backout browse A",
        "dlq browse",
        "dlq requeue --yes",
        "expiry browse A",
        "delay cancel --yes --confirm SYSTEM.DDELAY.LOCAL.QUEUE",
        "msg put A text --report COA --yes",
        "msg put A --file {file} --yes",
        "msg put A text --delay 5s --yes",
        "msg browse A --selector x=1",
        "msg browse A --backout >=1",
        "msg count A --older-than 1h",
    ],
)
@pytest.mark.slow
def test_what_cannot_be_kept_is_refused_before_anything_happens(
    bench: Bench, web: WebServer, tmp_path: Path, line: str
) -> None:
    file = tmp_path / "bytes"
    file.write_bytes(b"\xff\x00")
    with web.beside() as beside:
        beside.define("QLOCAL", "A", {})
        beside.define("QLOCAL", "B", {})
        beside.alter("QMGR", "", {"DEADQ": "A"})
    bench.ok("msg", "put", "A", "text", "--yes", "--quiet")
    ran = bench.run(*line.format(file=file).split())
    assert ran.code in (2, 8), ran.err + ran.out
    assert "IBM MQ's REST API" in ran.err or "delivery delay" in ran.err, ran.err
    with web.beside() as beside:
        assert (beside.status("A").curdepth, beside.status("B").curdepth) == (1, 0)


def test_a_text_is_put_browsed_counted_and_found(bench: Bench, web: WebServer) -> None:
    with web.beside() as beside:
        beside.define("QLOCAL", "A", {"DEFPSIST": "YES"})
    line = "msg put A Größe --prop colour=red --priority 7 --expiry 1h --yes -o json"
    put = bench.ok(*line.split())
    ident = put.json["items"][0]["msg_id"]
    bench.ok(*["msg", "put", "A", "two", "--count", "2", "--not-persistent", "--yes"])
    (first, *_), others = bench.ok("msg", "browse", "A", "-o", "json").json["items"], 3
    assert first["msg_id"] == ident
    assert (first["body"], first["priority"], first["persistence"]) == ("Größe", 7, 1)
    assert 35_000 < first["expiry_tenths"] <= 36_000
    assert [(one["name"], one["value"]) for one in first["properties"]] == [("colour", "red")]
    assert first["put_time"] is None
    assert first["backout_count"] is None
    counted = bench.ok("msg", "count", "A", "-o", "json").items[0]
    assert (counted["message_count"], counted["oldest_put_time"]) == (others, None)
    shown = bench.ok("msg", "show", "A", ident, "-o", "json").item
    assert shown["body"] == "Größe"
    assert bench.ok("msg", "count", "A", "--prop", "colour=red").out.split()[-1] != "0"
    with web.beside() as beside:
        assert beside.status("A").curdepth == 3
    lines = bench.ok("msg", "browse", "A", "-o", "ndjson").out.splitlines()
    assert [json.loads(line)["persistence"] for line in lines] == [1, 0, 0]


def test_a_staged_message_is_found_by_the_id_that_its_sender_got(
    bench: Bench, web: WebServer
) -> None:
    """Its CorrelId is told; target and time, which are in its body, are not, and that is said."""
    with web.beside() as beside:
        beside.define("QLOCAL", "A", {})
        md = beside.put_delayed("A", MQMD(format="MQSTR"), b"later", 60_000)
        beside.put_delayed("A", MQMD(format="MQSTR"), b"last", 90_000)
    ident = md.msg_id.hex().upper()
    all_rows = bench.ok("delay", "browse", "-o", "json").items
    assert len(all_rows) == 2
    for words in (("--correlid", ident), ("--msgid", ident), ("--correlid", ident[-10:])):
        ran = bench.ok("delay", "browse", *words, "-o", "json")
        (row,) = ran.items
        assert row == next(one for one in all_rows if one["original_msg_id"] == ident)
        filled = {key for key, value in row.items() if value is not None}
        assert filled <= {"msg_id", "correl_id", "original_msg_id", "format", "state", "queue"}, row
        assert row["state"] == "unknown"
        assert "target and time of a staged message" in ran.err + ran.out
    shown = bench.ok("msg", "show", STAGING_QUEUE, ident, "-o", "json")
    assert shown.item["original_msg_id"] == ident
    assert (shown.item["target"], shown.item["damages"]) == (None, None)
    none = bench.ok("delay", "browse", "--correlid", "00" * 23 + "17", "-o", "json")
    assert none.items == []
    assert "those that senders gave are not available" in none.out
    for line in ("--by due", "--group target", "--target A", "--overdue"):
        ran = bench.run("delay", "browse", *line.split())
        assert ran.code == 8, ran.out
        assert "IBM MQ's REST API" in ran.error_line or "is not documented" in ran.error_line


def test_doctor_calls_nothing_granted_that_a_web_server_was_not_asked(bench: Bench) -> None:
    """It tells the roles of a user; what they may do with a queue only an open would show."""
    ran = bench.run("doctor", "SYSTEM.DEAD.LETTER.QUEUE", "-o", "json")
    assert ran.out, ran.err
    rows = ran.item["authorities"]
    assert {row["object_type"] for row in rows if row["state"] == "granted"} == {"ROLE"}
    of_queue = [row for row in rows if row["object_type"] != "ROLE"]
    assert {(row["object"], row["state"], row["answer"]) for row in of_queue} == {
        ("SYSTEM.DEAD.LETTER.QUEUE", "not tried", "not checked: the REST API does not open objects")
    }
    assert bench.run("doctor", "NOPE").code == 5
