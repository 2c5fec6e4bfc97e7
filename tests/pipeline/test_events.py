"""Event logs as input of `analyze`: a planted month read back, and what is broken in them."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.sources.recognition import LogForm, jobs_of, recognised
from tests.acceptance.conftest import Bench
from tests.pipeline.conftest import simulated
from tests.pipeline.event_logs import Event, compact, event, month, pretty, printed
from tests.pipeline.rows import DAY, START_US
from tests.support.spark_session import remember

AS_PRINTED = (
    Path(os.environ.get("MQTRIAGE_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))
    / "logs" / "as-printed"
)  # fmt: skip
COMMAND = {
    "commandContext": {
        "eventUserId": "carol", "eventOrigin": "Msg", "eventQueueMgr": "QM1",
        "eventApplName": "MQ Explorer", "command": "Change Queue",
    },
    "commandData": {"queueName": "PAY.IN", "queueType": "Local", "maxQueueDepth": 7},
}  # fmt: skip
ASKED = {
    "commandContext": {"eventUserId": "carol", "eventQueueMgr": "QM1", "command": "Inquire Queue"},
    "commandData": {"queueName": "*"},
}
PERFM = {"queueMgrName": "QM1", "baseObjectName": "PAY.IN"}


def time_of(second: int) -> str:
    return rfc3339(START_US + second * 1_000_000)


def items(bench: Bench, table: str, *paths: object, **expected: int) -> list[dict[str, Any]]:
    words = ("analyze", "events", *map(str, paths), "--table", table, "-o", "json")
    ran = bench.run(*words)
    assert ran.code == expected.get("code", 0), ran.err
    return ran.items


def test_who_changed_what_when_and_which_queues_were_full_in_a_month(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The truth is drawn anew in each run; the logs are pretty and compact, one file a week."""
    remember({}, monkeypatch)
    seed = random.randrange(1 << 30)
    truth = month(seed, tmp_path / "logs")
    queues = items(bench, "event_queues", tmp_path / "logs")
    assert {
        row["queue"]: (row["full_count"], row["full_ms"], row["full_longest_ms"]) for row in queues
    } == truth.full, seed
    assert all(row["high_count"] == row["full_count"] for row in queues)
    changes = [
        (row["time"], row["user"], row["object"], row["attribute"], row["old_value"],
         row["new_value"])
        for row in items(bench, "event_changes", tmp_path / "logs")
    ]  # fmt: skip
    assert sorted(changes) == sorted(
        (time_of(second), user, queue, name, str(old), str(new))
        for second, user, queue, name, old, new in truth.altered
        if old != new
    ), seed


def test_the_events_of_a_simulated_week_tell_its_changes_and_full_queues(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The events are those of the emulator, the truth is the books of the driver."""
    remember({}, monkeypatch)
    seed = random.randrange(1 << 30)
    truth = simulated(tmp_path / "out", seed, days=7, rate=100, every_us=DAY)
    log = tmp_path / "out" / "events-SIM01.json"
    queues = {row["queue"]: row for row in items(bench, "event_queues", log)}
    depths = truth["depth_events"]
    assert {name: row["full_count"] for name, row in queues.items() if row["full_count"]} == {
        name: counts["full"] for name, counts in depths.items() if "full" in counts
    }, seed
    assert {name: row["high_count"] for name, row in queues.items() if row["high_count"]} == {
        name: counts["high"] for name, counts in depths.items() if "high" in counts
    }, seed
    names = {"MAXDEPTH": "maxQueueDepth", "QDEPTHHI": "queueDepthHighLimit"}
    changes = [
        (row["time"][:19], row["user"], row["object"], row["attribute"], row["old_value"],
         row["new_value"])
        for row in items(bench, "event_changes", log)
    ]  # fmt: skip
    assert sorted(changes) == sorted(
        (change["time"][:19], "mqm", change["queue"], names[change["attribute"]],
         str(change["from"]), str(change["to"]))
        for change in truth["definition_changes"]
    ), seed  # fmt: skip


@pytest.mark.parametrize("seed", [248858489, 724543374])
def test_the_books_of_a_staging_queue_that_fills_again_are_the_events(
    tmp_path: Path, seed: int
) -> None:
    """Queue Depth High lets Queue Full come again, before the depth was low."""
    truth = simulated(tmp_path / "out", seed, days=7, rate=100, every_us=DAY)
    lines = (tmp_path / "out" / "events-SIM01.json").read_text("utf-8").splitlines()
    events = [event for event in map(json.loads, lines) if event["eventType"]["value"] == 45]
    counts = Counter(
        (event["eventData"]["baseObjectName"], event["eventReason"]["name"].split()[-1].lower())
        for event in events
    )
    assert counts == {
        (queue, name): count
        for queue, of_queue in truth["depth_events"].items()
        for name, count in of_queue.items()
    }


def test_a_command_event_says_what_it_was_given_and_a_question_is_no_change(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember({}, monkeypatch)
    log = tmp_path / "e.json"
    log.write_text(pretty([event(99, 2412, 0, "QM1", ASKED), event(99, 2412, 9, "QM1", COMMAND)]))
    rows = items(bench, "event_changes", log)
    assert [(row["attribute"], row["new_value"]) for row in rows] == [
        ("maxQueueDepth", "7"), ("queueType", "Local"),
    ]  # fmt: skip
    (one, _) = rows
    assert (one["time"], one["user"], one["application"], one["command"], one["object"]) == (
        time_of(9), "carol", "MQ Explorer", "Change Queue", "PAY.IN",
    )  # fmt: skip
    counted = items(bench, "events", log)
    assert {(row["event_kind"], row["events"], row["user"]) for row in counted} == {
        ("command", 1, "carol")
    }


def test_two_fulls_before_a_low_are_one_time_and_what_did_not_end_is_open(
    bench: Bench, tmp_path: Path
) -> None:
    seconds = ((2053, 10), (2053, 20), (2225, 30), (2053, 50), (2226, 60), (2227, 75))
    log = tmp_path / "e.json"
    log.write_text(compact([event(45, reason, at, "QM1", PERFM) for reason, at in seconds]))
    (row,) = items(bench, "event_queues", log)
    assert (row["full_count"], row["full_ms"], row["full_longest_ms"]) == (3, 20_000, 20_000)
    assert (row["full_since"], row["last_full_time"]) == (time_of(50), time_of(50))
    assert (row["slow_count"], row["slow_ms"], row["slow_since"]) == (1, 15_000, None)


def test_what_is_broken_is_counted_and_named_and_costs_no_other_event(
    bench: Bench, tmp_path: Path
) -> None:
    forms = ((pretty, True), (compact, False), (printed, False), (printed, True))
    for number, (form, packed) in enumerate(forms):
        one, two, three = (form([event(45, 2053, at, f"QM{number}", PERFM)]) for at in (1, 2, 3))
        text = one + two[: len(two) // 2] + "\n" + three + '{"eventType": 5}\n'
        log = tmp_path / (f"[odd] {number}.json.gz" if packed else f"[odd] {number}.json")
        log.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    words = ("analyze", "events", str(tmp_path), "--table", "event_queues", "-o", "json")
    ran = bench.run(*words)
    assert ran.code == 3
    counts = {row["queue_manager"]: row["full_count"] for row in ran.items}
    assert counts == {f"QM{number}": 2 for number in range(len(forms))}
    assert ran.json["summary"]["rejected"] == {
        "events of amqsevt that cannot be read": 6,
        "lines of amqsevt -o json_compact that cannot be read": 2,
    }
    assert "[odd] 0.json, [odd] 3.json" in ran.err  # the first and the last
    assert "[odd] 1.json" in ran.err


def in_lines(wrap: Callable[[str], Any]) -> Callable[[list[Event]], bytes]:
    """A line of text for each event."""

    def write(events: list[Event]) -> bytes:
        lines = (wrap(json.dumps(one)) for one in events)
        return "".join(
            (line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines
        ).encode()

    return write


def each_line(wrap: Callable[[int, str], str]) -> Callable[[list[Event]], bytes]:
    """Events of several lines, each line in what *wrap* makes of it."""

    def write(events: list[Event]) -> bytes:
        lines = enumerate(printed(events).splitlines())
        return "".join(wrap(number, line) + "\n" for number, line in lines).encode()

    return write


def as_typed(text: str) -> bytes:
    return text.replace("{brace}", "C:\\Program Files\tx").encode()


LAYOUTS: dict[str, Callable[[list[Event]], bytes]] = {
    "amqsevt -o json": lambda events: printed(events).encode(),
    "amqsevt -o json_compact": lambda events: compact(events).encode(),
    "amqsevt -o json_array": lambda events: (
        b"[\n" + b",\n".join(printed([one]).rstrip().encode() for one in events) + b"\n]\n"
    ),
    "jq": lambda events: pretty(events).encode(),
    "jq -s": lambda events: json.dumps(events, indent=2).encode(),
    "jq -c -s": lambda events: json.dumps(events).encode(),
    "jq -S": lambda events: json.dumps(events, indent=4, sort_keys=True).encode(),
    "Windows": lambda events: printed(events).replace("\n", "\r\n").encode("utf-8-sig"),
    "PowerShell": lambda events: printed(events).replace("\n", "\r\n").encode("utf-16"),
    "syslog": in_lines(lambda text: f"Jul 20 15:22:00 host amqsevt[7]: {text}"),
    "rfc5424": in_lines(lambda text: f"<14>1 2026-07-20T15:22:00Z h amqsevt 7 - [x@1] {text}"),
    "journald": in_lines(lambda text: {"_HOSTNAME": "h", "MESSAGE": text, "PRIORITY": "6"}),
    "syslog, each line": lambda events: "".join(
        f"Jul 20 15:22:00 host amqsevt[7]: {line}\n" for line in printed(events).splitlines()
    ).encode(),
    "journald, each line": lambda events: "".join(
        json.dumps({"_PID": "7", "MESSAGE": line}) + "\n" for line in printed(events).splitlines()
    ).encode(),
    "journald, bytes": in_lines(lambda text: {"MESSAGE": list(text.encode()), "_PID": "7"}),
    "kubelet": in_lines(
        lambda text: "".join(
            f"2026-07-20T15:22:00.123456789Z stdout {flag} {part}\n"
            for flag, part in (("P", text[:40]), ("F", text[40:]))
        ).rstrip("\n")
    ),
    "Filebeat, lines put together": lambda events: "".join(
        json.dumps({"@timestamp": "x", "message": printed([one])}) + "\n" for one in events
    ).encode(),
    "UTF-16 without a mark": lambda events: printed(events).encode("utf-16-le"),
    "Docker": in_lines(lambda text: {"log": text + "\n", "stream": "stdout"}),
    "kubectl logs --timestamps": each_line(
        lambda number, line: f"2026-07-20T15:22:{number % 60:02}.{number:09}Z {line}"
    ),
    "docker compose logs": each_line(lambda number, line: f"mq-events-1  | {line}"),
    "Docker, a record of each line": each_line(
        lambda number, line: json.dumps({"log": line + "\n", "stream": "stdout"})
    ),
    "tabs and paths of Windows": lambda events: as_typed(printed(events)),
    "the same in lines": lambda events: as_typed(compact(events)),
    "Filebeat": in_lines(
        lambda text: {"@timestamp": "x", "log": {"offset": 5}, "message": text, "host": {}}
    ),
    "Loki": lambda events: json.dumps(
        {"status": "success", "data": {"result": [
            {"stream": {"app": "mq"}, "values": [["1", json.dumps(one)] for one in events]}
        ]}}, indent=1
    ).encode(),
    "Logstash, which keeps the original": in_lines(
        lambda text: {"@timestamp": "x", "event": {"original": text + "\n"}, "message": text}
    ),
    "Elastic, the original alone": in_lines(lambda text: {"event": {"original": text}}),
    "a record of Docker in one of Filebeat": in_lines(
        lambda text: {"message": json.dumps({"log": text + "\n", "stream": "stdout"})}
    ),
    "quotes as code points": in_lines(
        lambda text: json.dumps({"message": text}).replace('\\"', "\\u0022")
    ),
    "rsyslog, line ends escaped": lambda events: "".join(
        f"Jul 20 15:22:00 host amqsevt: {printed([one]).rstrip()}".replace("\n", "#012") + "\n"
        for one in events
    ).encode(),
    "records with a string, others with an object": lambda events: "".join(
        json.dumps({"textPayload": json.dumps(one)} if number % 2 else {"jsonPayload": one}) + "\n"
        for number, one in enumerate(events)
    ).encode(),
    "CSV": in_lines(lambda text: f'"2026-07-20 15:22:00","{text.replace(chr(34), chr(34) * 2)}"'),
    "CSV, several lines a cell": lambda events: b"_raw,host\n" + b"".join(
        b'"%s",h\n' % printed([one]).rstrip().replace('"', '""').encode() for one in events
    ),
    "jq -C": lambda events: re.sub(
        r'("\w+")(:)', "\x1b[34;1m\\1\x1b[0m\x1b[1;39m\\2\x1b[0m", pretty(events)
    ).encode(),
    "docker compose logs in colours": each_line(
        lambda number, line: f"\x1b[36mmq-1  | \x1b[0m{line}"
    ),
    "stern": each_line(lambda number, line: f"qm1-ibm-mq-0 qmgr {line}"),
    "ts": each_line(lambda number, line: f"Jul {number % 28:2} 15:22:00 {line}"),
    "journalctl -o short-full": each_line(
        lambda number, line: f"Mon 2026-07-20 15:22:{number % 60:02} UTC host amqsevt[7]: {line}"
    ),
    "journalctl -o export": each_line(
        lambda number, line: f"__CURSOR=s={number}\n_PID=7\nMESSAGE={line}\n"
    ),
    "docker service logs": each_line(lambda number, line: f"mq_qm1.1.k2j3@node-1    | {line}"),
    "grep": each_line(lambda number, line: f"week{number % 3}.json:{line}"),
    "cat -n": each_line(lambda number, line: f"{number:6}\t{line}"),
    "a time in brackets": each_line(lambda number, line: f"[2026-07-20 15:22:00] {line}"),
    "Google, a record of each line": each_line(
        lambda number, line: json.dumps({"insertId": number, "textPayload": line + "\n"})
    ),
    "kubelet, each line, cut": each_line(
        lambda number, line: "\n".join(
            f"2026-07-20T15:22:00.123456789Z stdout {flag} {part}"
            for flag, part in (("P", line[:3]), ("F", line[3:]))
        )
    ),
    "kubelet, one line of three parts": in_lines(
        lambda text: "".join(
            f"2026-07-20T15:22:00.123456789Z stdout {flag} {part}\n"
            for flag, part in (("P", text[:90]), ("P", text[90:150]), ("F", text[150:]))
        ).rstrip("\n")
    ),
}  # fmt: skip


def test_every_layout_in_which_events_are_kept_gives_the_same_events(
    bench: Bench, tmp_path: Path
) -> None:
    awkward = {**PERFM, "queueDesc": 'a "quoted" {brace}\n}\n{ \u00e4 \u20ac'}
    for number, (name, write) in enumerate(LAYOUTS.items()):
        events = [event(45, 2053, at, f"{name}", awkward) for at in (1, 1, 2, 3)]
        (tmp_path / f"{number}.json").write_bytes(write(events))
    rows = items(bench, "events", tmp_path)
    assert {row["queue_manager"]: row["events"] for row in rows} == dict.fromkeys(LAYOUTS, 4)


AS_TEXT = """\
**** Message #1 (236 Bytes) on Queue SYSTEM.ADMIN.PERFM.EVENT ****
Event Type                     : Perfm Event [45]
Reason                         : Queue Full [2053]
Event created                  : 2026/07/20 07:11:28.58 GMT
  Queue Mgr Name               : V9_A
  Base Object Name             : FULLEVT
  Time Since Reset             : 0
  High Queue Depth             : 4

**** Message #2 (412 Bytes) on Queue SYSTEM.ADMIN.COMMAND.EVENT ****
Event Type                     : Command Event [99]
Reason                         : Command MQSC [2412]
Event created                  : 2026/07/20 07:12:00.01 GMT
Correlation ID                 : 414D5120455654434150202020202020CA3B5E6A49260040
  Command Context
    Event User Id              : mqm
    Event Origin               : Console
    Event Queue Mgr            : V9_A
    Command                    : Change Queue
  Command Data
    Queue Name                 : EVT.CFG
    Queue Desc                 : at 12:00: {all}

"""


def test_events_that_amqsevt_printed_as_text_are_read(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "events.txt").write_text(AS_TEXT)
    torn = AS_TEXT[: AS_TEXT.index("Event created")]
    torn += AS_TEXT.replace("Perfm Event [45]", "Accounting [164]")
    (tmp_path / "torn.txt").write_text(torn.replace("V9_A", "TORN"))
    ran = bench.run("analyze", "events", str(tmp_path), "-o", "json")
    rows = {row["event"]: row for row in ran.items if row["queue_manager"] == "V9_A"}
    full, command = rows["Queue Full"], rows["Command MQSC"]
    assert full["object"] == "FULLEVT"
    assert full["last_event_time"].startswith("2026-07-20T07:11:28")
    assert (command["user"], command["object"]) == ("mqm", "EVT.CFG")
    others = [row["object"] for row in ran.items if row["queue_manager"] != "V9_A"]
    assert (ran.code, others) == (3, ["EVT.CFG"])
    assert list(ran.json["summary"]["rejected"].values()) == [2]  # torn, and what was counted
    changes = items(bench, "event_changes", tmp_path, code=3)
    assert sorted((change["command"], change["queue_manager"]) for change in changes) == [
        ("Change Queue", "TORN"), ("Change Queue", "V9_A"),
    ]  # fmt: skip


COLLECTED: dict[str, Callable[[str], str]] = {
    "stern": lambda text: "".join(f"qm1-0 qmgr {line}\n" for line in text.splitlines()),
    "time": lambda text: "".join(f"[2026-07-20 7:11:28] {line}\n" for line in text.splitlines()),
    "Splunk": lambda text: json.dumps({"result": {"_raw": text}}) + "\n",
    "CSV": lambda text: (
        '"time","raw"\n"2026-07-20","' + text.replace("\n\n", '"\n"2026","') + '"\n'
    ),
    "syslog": lambda text: "".join(
        "Jul 20 07:11:28 h amqsevt: " + one.replace("\n", "#012") + "\n"
        for one in text.strip().split("\n\n")
    ),
}


def test_text_that_another_program_collected_is_read_and_nothing_else_is_counted(
    bench: Bench, tmp_path: Path
) -> None:
    for name, wrap in COLLECTED.items():
        (tmp_path / f"{name}.txt").write_text(wrap(AS_TEXT.replace("V9_A", name)))
    rows = items(bench, "events", tmp_path)
    assert sorted((row["queue_manager"], row["event"], row["events"]) for row in rows) == sorted(
        (name, kind, 1) for name in COLLECTED for kind in ("Queue Full", "Command MQSC")
    )


def test_what_is_no_event_between_events_is_not_counted(bench: Bench, tmp_path: Path) -> None:
    """Headings of tail, prose, and what a record has around an event; what is cut is counted."""
    one, two = (event(45, 2053, at, "QM1", PERFM) for at in (1, 2))
    log = tmp_path / "e.json"
    log.write_text(f"==> a.json <==\n{printed([one])}\n==> b.json <==\n{printed([two])}^C\n")
    records = [
        {"insertId": "x", "jsonPayload": event(45, 2053, at, "QM1", PERFM), "resource": {"a": 1}}
        for at in (3, 4)
    ]
    (tmp_path / "google.json").write_text(json.dumps(records, indent=2))
    three = printed([event(45, 2053, 5, "QM1", PERFM)])
    (tmp_path / "cut.json").write_text(printed([two])[200:] + three)
    ran = bench.run("analyze", "events", str(tmp_path), "-o", "json")
    assert [row["events"] for row in ran.items] == [5]
    assert ran.json["summary"]["rejected"] == {"events of amqsevt that cannot be read": 1}


def test_a_torn_line_and_lines_of_others_cost_no_event(bench: Bench, tmp_path: Path) -> None:
    """A torn event counts as one, whatever it was torn in, and what syslog has of others none."""
    texts = [json.dumps(event(45, 2053, at, "QM1", PERFM)) for at in range(4)]
    torn = [text[:cut] for text, cut in zip(texts, (1, 20, 90, len(texts[0]) - 2), strict=False)]
    prefix = "Jul 20 15:22:00 host amqsevt[7]: "
    whole = json.dumps(event(45, 2053, 9, "QM1", PERFM))
    others = "Jul 20 15:22:00 host sshd[1]: hello\n"
    (tmp_path / "syslog").write_text(
        "".join(f"{prefix}{part}\n{others}{prefix}{whole}\n" for part in torn[1:]) + others
    )
    (tmp_path / "lines.json").write_text(
        f"{whole}\n" + "".join(part + whole + "\n" for part in torn[1:])
    )
    ran = bench.run("analyze", "events", str(tmp_path), "-o", "json")
    assert (ran.code, ran.items[0]["events"]) == (3, 4)
    assert sorted(ran.json["summary"]["rejected"].values()) == [3, 3]


def test_a_record_that_was_cut_is_counted_and_costs_no_other_event(
    bench: Bench, tmp_path: Path
) -> None:
    """Of Filebeat a whole event in a string, of journald a line of one."""
    events = [event(45, 2053, at, "QM1", PERFM) for at in range(3)]
    one, two, three = (json.dumps({"message": json.dumps(event)}) for event in events)
    (tmp_path / "filebeat.json").write_text(f"{one}\n{two[:80]}\n{three}\n")
    lines = [json.dumps({"MESSAGE": line}) for line in printed(events).splitlines()]
    lines[len(lines) // 2] = lines[len(lines) // 2][:14]
    (tmp_path / "journal.json").write_text("\n".join(lines) + "\n")
    ran = bench.run("analyze", "events", str(tmp_path), "-o", "json")
    assert (ran.code, ran.items[0]["events"]) == (3, 2)  # the first and the last
    assert ran.json["summary"]["rejected"] == {"events of amqsevt that cannot be read": 2}


def test_a_log_of_another_job_is_told_in_words_of_the_command(bench: Bench, tmp_path: Path) -> None:
    log = tmp_path / "e.json"
    log.write_text(compact([event(45, 2053, 1, "QM1", PERFM)]))
    ran = bench.run("analyze", "depth", str(log))
    assert ran.code != 0
    assert "lines of amqsevt -o json_compact, which analyze depth does not read" in ran.err
    assert "mqtriage analyze events does" in ran.err
    log.write_text("hello\n")
    ran = bench.run("analyze", "events", str(log))
    assert ran.error_line == f"{log}: not in a format that analyze events reads"
    assert "no archive" not in ran.err


def test_each_form_of_logs_is_of_the_jobs_that_its_readers_serve() -> None:
    pytest.importorskip("pyspark")
    from mqtriage.pipeline.sources.readers import TABLES_OF_FORM

    tables = {"events": "events", "activity": "statistics", "expiry": "statistics",
              "depth": "queues"}  # fmt: skip
    for form in LogForm:
        served = {job for job, table in tables.items() if table in TABLES_OF_FORM[form]}
        assert set(jobs_of(form)) == served


def test_equal_events_of_one_second_are_counted_and_a_rotated_copy_is_not(
    bench: Bench, tmp_path: Path
) -> None:
    """A queue manager that is being attacked refuses many logons in a second, all of them alike."""
    refused = [event(44, 2035, 5, "QM1", {"userIdentifier": "eve"})] * 50
    (tmp_path / "e.json").write_text(compact(refused))
    (tmp_path / "e.json.1").write_text(printed(refused[:20]))
    (row,) = items(bench, "events", tmp_path)
    assert (row["events"], row["user"]) == (50, "eve")


@pytest.mark.skipif(not AS_PRINTED.is_dir(), reason="no corpus of logs: set MQTRIAGE_CORPUS")
def test_every_event_of_the_layout_of_amqsevt_is_read(bench: Bench) -> None:
    """As the program prints it, byte for byte: statistics among the events are no events."""
    ran = bench.ok("analyze", "events", str(AS_PRINTED), "-o", "json")
    assert sum(row["events"] for row in ran.items) == 4 + 3
    assert {row["user"] for row in ran.items if row["event"] == "Channel Blocked"} == {"mqm"}
    ran = bench.ok("analyze", "activity", str(AS_PRINTED), "-o", "json")
    assert {row["queue"]: row["puts"] for row in ran.items} == {"A": 16, "B": 3}


def test_logs_beside_snapshots_are_read_by_the_job_that_they_are_for(
    bench: Bench, tmp_path: Path
) -> None:
    bench.ok("emulator", "create", "QM1")
    bench.define("IN")
    bench.ok("msg", "put", "IN", "order", "--yes")
    folder = str(tmp_path / "snaps")
    bench.ok("snapshot", "take", "--folder", folder)
    log = tmp_path / "e.json"
    log.write_text(pretty([event(45, 2053, 1, "QM1", PERFM)]))
    (tmp_path / "e.json.1").write_text(log.read_text())
    both = (folder, str(log), f"{log}.1")
    profile = bench.ok("analyze", "profile", *both, "-o", "json").items
    assert [row["message_count"] for row in profile] == [1]
    (row,) = items(bench, "event_queues", *both)
    assert row["full_count"] == 1  # the same event in two files counts once
    assert items(bench, "event_queues", *both, "--since", time_of(2)) == []
    submitted = bench.run("analyze", "events", *both, "--submit")
    assert submitted.code == 2
    assert "e.json" in submitted.error_line


def test_a_report_of_events_alone_says_of_which_time_they_are(bench: Bench, tmp_path: Path) -> None:
    log, page = tmp_path / "e.json", tmp_path / "page.html"
    log.write_text(compact([event(45, 2053, at, "QM1", PERFM) for at in (500, 1, 99)]))
    bench.ok("analyze", "report", str(log), "--only", "events", "--html", str(page))
    text = page.read_text("utf-8")
    assert re.search(rf"First record of logs\W.{{0,20}}{time_of(1)}", text)
    assert re.search(rf"Last record of logs\W.{{0,20}}{time_of(500)}", text)
    assert "First snapshot" not in text


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (pretty([event(45, 2053, 1, "QM1", PERFM)]), LogForm.EVENTS),
        ("\ufeff" + pretty([event(45, 2053, 1, "QM1", PERFM)]), LogForm.EVENTS),
        (pretty([event(45, 2053, 1, "QM1", PERFM)]).replace("\n", "\r\n"), LogForm.EVENTS),
        (printed([event(45, 2053, 1, "QM1", PERFM)]), LogForm.EVENTS),
        (json.dumps([event(45, 2053, 1, "QM1", PERFM)]), LogForm.EVENTS),
        (compact([event(45, 2053, 1, "QM1", PERFM)]), LogForm.EVENT_LINES),
        ('{"kind":"Archive","format":1}\n', None),
        ('{"snapshot_id":"S","event_kind":"x"}\n', None),
        ("", None),
        ("hello\n", None),
    ],
)
def test_the_form_is_told_from_the_content(text: str, form: LogForm | None) -> None:
    assert recognised(text.encode()) is form
