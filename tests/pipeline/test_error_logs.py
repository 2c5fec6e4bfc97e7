"""Error logs as input of `analyze events`: three forms of the same messages, and recordings."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mqtriage.pipeline.sources.recognition import LogForm, form_of
from tests.acceptance.conftest import Bench
from tests.pipeline.rows import START
from tests.support.tools import drawn_dice

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("MQTRIAGE_CORPUS", ROOT.parent / "shared" / "corpus")) / "logs"
TEXTS = {
    "AMQ9999E": "Channel 'TO.B' to host 'b (1414)' ended abnormally.",
    "AMQ8077W": "Entity 'app' has insufficient authority to access object PAY.IN [queue].",
    "AMQ7234I": "5 messages from queue 'PAY.IN' loaded on queue manager 'QM1'.",
}
RULE = "----- amqrmrsa.c : 938 --------------------------------------------------------\n"


def stamp(second: int) -> str:
    moment = datetime.fromtimestamp(START.timestamp() + second, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.125")


def line(second: int, code: str) -> str:
    record = {
        "ibm_messageId": code, "ibm_datetime": f"{stamp(second)}+0000", "ibm_serverName": "QM1",
        "type": "mq_log", "ibm_processName": "amqrmppa", "message": f"{code}: {TEXTS[code]}",
    }  # fmt: skip
    return json.dumps(record) + "\n"


def block(second: int, code: str) -> str:
    """A message as AMQERR01.LOG has it, its text folded."""
    text = TEXTS[code].replace(" to ", "\nto ", 1)
    return (
        "01/05/2026 12:00:00 AM - Process(77.12) User(mqm) Program(amqrmppa)\n"
        "                    Host(h) Installation(Installation1)\n"
        "                    VRMF(9.4.2.0) QMgr(QM2)\n"
        f"                    Time({stamp(second)}Z)\n"
        "                    CommentInsert1(TO.B)\n\n"
        f"{code}: {text}\n\nEXPLANATION:\nAMQ0000X is not what it is.\nACTION:\nNone.\n{RULE}"
    )


def console(second: int, code: str) -> str:
    return f"{stamp(second)}Z {code}: {TEXTS[code]} [CommentInsert1(x)]\n"


def test_three_forms_of_error_logs_count_the_same_messages(bench: Bench, tmp_path: Path) -> None:
    draw = drawn_dice()
    codes = [draw.choice(list(TEXTS)) for _ in range(200)]
    logs = tmp_path / "errors"
    logs.mkdir()
    liberty = json.dumps({"type": "liberty_message", "ibm_datetime": "x", "message": "CWWKE0001I"})
    for name, written, other in (
        ("AMQERR01.json", line, liberty + "\n" + '{"ibm_messageId": "AMQ9\n'),
        ("AMQERR01.LOG", block, f"rubbish\n{RULE}"),
        ("console.txt", console, "Starting web server\n"),
    ):
        pieces = [written(second, code) for second, code in enumerate(codes)]
        pieces.insert(draw.randrange(1, 200), other)
        (logs / name).write_text("".join(pieces), "utf-8")
    ran = bench.run("analyze", "events", str(logs), "-o", "json")
    assert ran.code == 3
    assert ran.json["summary"]["rejected"] == {
        "lines of an error log in JSON that cannot be read": 1,
        "blocks of an error log that cannot be read": 1,
    }
    assert "AMQERR01.LOG" in ran.err
    assert "AMQERR01.json" in ran.err
    for qmgr, program in (("QM1", "amqrmppa"), ("QM2", "amqrmppa"), ("?", None)):
        rows = [row for row in ran.items if row["queue_manager"] == qmgr]
        assert {row["event"]: row["events"] for row in rows} == Counter(codes)
        assert {row["application"] for row in rows} == {program}
        assert {row["event_kind"] for row in rows} == {"error log"}
        for row in rows:
            assert row["text"].startswith(TEXTS[row["event"]])
            assert row["first_event_time"] == f"{stamp(codes.index(row['event']))}Z"


def test_a_message_in_a_record_of_json_is_read_as_an_object_and_on_several_lines(
    bench: Bench, tmp_path: Path
) -> None:
    """As Google Cloud and fluent-bit keep what a container logs in JSON, and as jq prints it."""
    layouts: dict[str, Callable[[list[dict[str, object]]], str]] = {
        "jsonPayload": lambda ones: "".join(
            json.dumps({"insertId": "i", "jsonPayload": one}) + "\n" for one in ones
        ),
        "some as strings": lambda ones: "".join(
            json.dumps({"log": one if number % 2 else json.dumps(one)}) + "\n"
            for number, one in enumerate(ones, 1)
        ),
        "jq": lambda ones: "".join(json.dumps(one, indent=2) + "\n" for one in ones),
        "jq -s": lambda ones: json.dumps(ones, indent=2) + "\n",
        "jq -c -s": lambda ones: json.dumps(ones) + "\n",
        "hits": lambda ones: json.dumps({"hits": [{"_source": one} for one in ones]}, indent=1),
        "jq, beside a server": lambda ones: "".join(
            "Starting web server\n" + json.dumps(one, indent=2) + "\n" for one in ones
        ),
    }
    for number, (name, write) in enumerate(layouts.items()):
        ones = [
            {**json.loads(line(second, "AMQ8077W")), "ibm_serverName": name, "inner": {"a": [1]}}
            for second in (1, 1, 2)
        ]
        (tmp_path / f"{number}.json").write_text(write(ones), "utf-8")
    cut = json.dumps({"log": json.loads(line(3, "AMQ8077W"))})[:120]
    other = json.dumps({"log": ones[0] | {"ibm_datetime": f"{stamp(9)}Z"}})
    (tmp_path / "cut.json").write_text(f"{cut}\n{other}\n{cut}", "utf-8")
    ran = bench.run("analyze", "events", str(tmp_path), "-o", "json")
    counts = dict.fromkeys(layouts, 3)
    counts[name] = 4  # that of cut.json
    assert {row["queue_manager"]: row["events"] for row in ran.items} == counts
    assert ran.json["summary"]["rejected"] == {
        "lines of an error log in JSON that cannot be read": 2
    }


def test_local_times_of_releases_before_9_1_are_those_of_the_zone(
    bench: Bench, tmp_path: Path
) -> None:
    """Whether the day or the month is first is told by the whole file."""
    heads = {
        "c.LOG": ("03/09/14 16:56:03", "03/27/14 01:00:00"),
        "en_US.LOG": ("03/09/2014 04:56:03 PM", "03/12/2014 12:00:00 AM"),
        "en_GB.LOG": ("09/03/14 16:56:03", "27/03/14 01:00:00"),
        "de.LOG": ("09.03.2014 16:56:03", "10.03.2014 01:00:00"),
        "iso.LOG": ("2014-03-09 16:56:03", "2014-03-27 01:00:00"),
    }
    for name, times in heads.items():
        (tmp_path / name).write_text("".join(
            f"{time} - Process(7.1) User(mqm) Program(amqzmuc0)\n"
            f"                    Host(h) Installation(I)\n"
            f"                    VRMF(8.0.0.1) QMgr({name[:-4]})\n\n"
            f"AMQ5051: The task has started.\n\nEXPLANATION:\nNone.\n{RULE}"
            for time in times
        ))  # fmt: skip
    words = ("analyze", "events", str(tmp_path), "-o", "json")
    first = {row["queue_manager"]: row["first_event_time"] for row in bench.ok(*words).items}
    assert first == dict.fromkeys((name[:-4] for name in heads), "2014-03-09T16:56:03Z")
    zoned = bench.ok(*words, "--timezone", "Europe/Berlin").items
    assert {row["first_event_time"] for row in zoned} == {"2014-03-09T15:56:03Z"}
    assert {row["events"] for row in zoned} == {2}
    assert bench.run(*words, "--timezone", "Nowhere/X").code == 2


def test_a_local_time_tells_its_own_order_and_one_that_is_none_is_told_with_its_file(
    bench: Bench, tmp_path: Path
) -> None:
    """After a change of the machine's language, say."""
    times = (
        "3/9/2014 4:56:03 PM",
        "28.03.2014 01:00:00",
        "7/20/2014 01:00:00",
        "31.02.2014 01:00:00",
    )
    (tmp_path / "AMQERR01.LOG").write_text("".join(
        f"{time} - Process(7.{number}) User(mqm) Program(amqzmuc0)\n"
        f"                    Host(h) Installation(I)\n"
        f"                    VRMF(8.0.0.1) QMgr(QM1)\n\n"
        f"AMQ505{number}: The task has started.\n\nEXPLANATION:\nNone.\n{RULE}"
        for number, time in enumerate(times)
    ))  # fmt: skip
    ran = bench.run("analyze", "events", str(tmp_path), "-o", "json")
    assert ran.code == 3
    assert {row["event"]: row["first_event_time"] for row in ran.items} == {
        "AMQ5050": "2014-03-09T16:56:03Z",
        "AMQ5051": "2014-03-28T01:00:00Z",
        "AMQ5052": "2014-07-20T01:00:00Z",
    }
    assert ran.json["summary"]["rejected"] == {"blocks of an error log that cannot be read": 1}
    assert (
        "not read: 1 block of an error log that cannot be read: AMQERR01.LOG"
        ' (no valid time in "31.02.2014 01:00:00 - Process(7.3) User(mqm) Program(amqzmuc")'
    ) in " ".join(ran.err.split())


def test_a_log_that_a_new_release_went_on_with_is_read_whole(bench: Bench, tmp_path: Path) -> None:
    """However short it is: each form is read as in a file of its own."""
    old = (
        "03/28/14 01:00:00 - Process(7.1) User(mqm) Program(amqzmuc0)\n"
        "                    Host(h) Installation(I)\n"
        "                    VRMF(7.5.0.1) QMgr(QM1)\n\n"
        f"AMQ5051: The task has started.\n\nEXPLANATION:\nNone.\n{RULE}"
    )
    (tmp_path / "AMQERR01.LOG").write_text(old + block(0, "AMQ9999E"))
    ran = bench.run("analyze", "events", str(tmp_path), "-o", "json")
    assert ran.code == 0, ran.err
    assert {row["event"] for row in ran.items} == {"AMQ5051", "AMQ9999E"}


def in_records(text: str) -> str:
    return "".join(
        json.dumps({"log": f"{line}\n", "stream": "stdout"}) + "\n" for line in text.splitlines()
    )


def behind(prefix: str) -> Callable[[str], str]:
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines())


def in_loki(text: str) -> str:
    values = [[str(at), line] for at, line in enumerate(text.splitlines(), 1784560604000000000)]
    return json.dumps({"data": {"result": [{"stream": {}, "values": values}]}})


WRAPPERS: dict[str, Callable[[str], str]] = {
    "docker": in_records,
    "syslog": behind("Jul 20 15:22:00 host runmqserver[7]: "),
    "rfc5424": behind("<14>1 2026-07-20T15:22:00Z host mq 7 - - "),
    "kubelet": behind("2026-07-20T15:22:00.123456789Z stdout F "),
    "compose": behind("qm1-1  | "),
    "loki": in_loki,
}
"""Collectors of logs to what they make of lines."""


def test_error_logs_that_something_collected_are_read(bench: Bench, tmp_path: Path) -> None:
    """All at once. A sum tells of which collector messages are missing: each has twice as many."""
    seconds = iter(range(3600))
    for written in (line, block, console):
        for number, (name, wrap) in enumerate(WRAPPERS.items()):
            log = "".join(written(next(seconds), code) for _ in range(2**number) for code in TEXTS)
            file = tmp_path / f"{written.__name__}.{name}"
            file.write_text(wrap(log), "utf-8")
            assert form_of(file) is not None, file
    # each block a record of its own, and the line between them left out
    log = "".join(block(next(seconds), code).replace("QM2", "QM3") for code in TEXTS)
    blocks = [json.dumps({"message": one.strip()}) for one in log.split(RULE) if one.strip()]
    (tmp_path / "filebeat").write_text("\n".join(blocks) + "\n")
    rows = bench.ok("analyze", "events", str(tmp_path), "-o", "json").items
    collected = 2 ** len(WRAPPERS) - 1
    assert {(row["queue_manager"], row["event"]): row["events"] for row in rows} == {
        (qmgr, code): 1 if qmgr == "QM3" else collected
        for qmgr in ("QM1", "QM2", "QM3", "?")
        for code in TEXTS
    }


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of logs: set MQTRIAGE_CORPUS")
def test_every_message_of_the_recordings_is_counted(bench: Bench) -> None:
    container = CORPUS / "01-signalfx-container-log.txt"
    liberty = CORPUS / "02-signalfx-container-log-json.txt"
    assert form_of(container) is LogForm.CONSOLE
    assert form_of(liberty) is LogForm.ERROR_LINES
    ran = bench.ok("analyze", "events", str(container), str(liberty), "-o", "json")
    with container.open(encoding="utf-8") as lines:
        # two equal lines count once
        written = {line for line in lines if line.split(" ")[1:2][0].startswith("AMQ")}
    assert sum(row["events"] for row in ran.items) == len(written) > 50
