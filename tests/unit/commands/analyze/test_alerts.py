"""Alerts of `analyze watch`, without Spark: what is one, and that no kill loses one."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from mqtriage.commands.analyze import alert_store
from mqtriage.commands.analyze.alert_store import STATE, opened
from mqtriage.commands.analyze.alerts import Look, decide, event_looks, queue_looks
from mqtriage.commands.analyze.event_lines import take_pieces
from mqtriage.commands.check.queues import thresholds_of
from mqtriage.files.durable import replace_file
from mqtriage.model.check_result import Status
from mqtriage.model.result import Record, keys_of
from mqtriage.mq import cmqc
from mqtriage.mq.errors import Refused, StorageError

MINUTE_US = 60_000_000
THRESHOLDS = thresholds_of("70%", "90%")


def queue_row(queue: str, minute: int, depth: int | None, **more: Any) -> dict[str, Any]:
    """What a snapshot says of a queue of 100 messages."""
    row = {
        "qmgr": "QM1", "queue": queue, "time_us": minute * MINUTE_US, "curdepth": depth,
        "maxdepth": 100, "oldest_us": None, "problem": None,
    }  # fmt: skip
    return row | more


def looks(*depths: int | None) -> list[Look]:
    """A look a minute at one queue."""
    rows = [queue_row("A", minute, depth) for minute, depth in enumerate(depths)]
    return list(queue_looks(rows, THRESHOLDS, ()))


def changes(*depths: int | None) -> list[tuple[str, str]]:
    return [(alert.was.value, alert.look.status.value) for alert in decide({}, looks(*depths))[1]]


def test_an_alert_is_a_change_of_status() -> None:
    assert changes(10, 70, 75, 90, 99, 80, 10, 5) == [
        ("OK", "WARNING"), ("WARNING", "CRITICAL"), ("CRITICAL", "WARNING"), ("WARNING", "OK"),
    ]  # fmt: skip


def test_a_queue_that_cannot_be_read_is_unknown() -> None:
    (look,) = queue_looks([queue_row("A", 0, None, problem="2035 not authorised")], THRESHOLDS, ())
    assert (look.status, look.message) == (Status.UNKNOWN, "2035 not authorised")


def test_an_older_look_says_nothing_new() -> None:
    known, _ = decide({}, looks(10, 95))
    after, alerts = decide(known, looks(10))
    assert (after, alerts) == (known, [])


def test_an_age_is_that_at_the_look_and_is_held_against_its_mark() -> None:
    old = queue_row("A", 60, 1, oldest_us=10 * MINUTE_US)
    unknown = queue_row("B", 60, 1)
    seen = {
        look.key[1]: look for look in queue_looks([old, unknown], thresholds_of("50m", "1h"), ())
    }
    assert seen["A"].status is Status.WARNING
    assert seen["B"].status is Status.UNKNOWN


def test_system_queues_are_watched_when_they_are_named() -> None:
    rows = [queue_row(name, 0, 99) for name in ("A", "B.BO", "SYSTEM.X")]
    assert [look.key[1] for look in queue_looks(rows, THRESHOLDS, ())] == ["A", "B.BO"]
    assert [look.key[1] for look in queue_looks(rows, THRESHOLDS, ("B.BO", "SYSTEM.*"))] == [
        "B.BO", "SYSTEM.X",
    ]  # fmt: skip


def event_row(reason: int, second: int, events: int = 1) -> dict[str, Any]:
    return {
        "qmgr": "QM1", "object": "A", "subject": "", "reason": reason, "user": "mallory",
        "time_us": second * 1_000_000, "events": events,
    }  # fmt: skip


def test_an_event_holds_until_its_counterpart_and_what_has_none_is_an_alert_each_time() -> None:
    rows = [
        event_row(cmqc.MQRC_Q_FULL, 1),
        event_row(cmqc.MQRC_NOT_AUTHORIZED, 2, 3),
        event_row(cmqc.MQRC_NOT_AUTHORIZED, 2),
        event_row(cmqc.MQRC_Q_DEPTH_LOW, 3),
    ]
    known, alerts = decide({}, event_looks(rows, ()))
    assert [(alert.look.status.value, alert.look.message) for alert in alerts] == [
        ("CRITICAL", "Queue Full"),
        ("WARNING", "Not Authorized for mallory, 3 events"),
        ("WARNING", "Not Authorized for mallory, 1 event"),
        ("OK", "Queue Depth Low"),
    ]
    assert [look.status for look in known.values()] == [Status.OK]
    assert list(event_looks(rows, ("B*",))) == []


class Killed(BaseException):
    """In the place of a kill: nothing of ours catches it."""


@pytest.mark.parametrize("seed", range(5))
def test_whenever_it_is_killed_each_alert_is_handed_over_under_one_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Batches are given again after a kill, as Spark does."""
    chance = random.Random(seed)
    batches = [
        list(
            queue_looks(
                [queue_row(q, minute, chance.randrange(100)) for q in "ABC"], THRESHOLDS, ()
            )
        )
        for minute in range(20)
    ]
    truth = decide({}, [look for batch in batches for look in batch])[1]
    assert len(truth) > 10

    def killed_around(*args: Any) -> None:
        moment = chance.randrange(8)
        if moment == 0:
            raise Killed
        replace_file(*args)
        if moment == 1:
            raise Killed

    monkeypatch.setattr(alert_store, "replace_file", killed_around)
    handed: list[Record] = []
    kills = done = 0
    while done < len(batches):
        try:
            with opened(tmp_path) as store:
                for number in range(max(0, done - 1), len(batches)):
                    store.apply("queues", number, batches[number])
                    done = number
                    handed += store.waiting
                    store.handed_over(len(store.waiting))
                done = len(batches)
        except Killed:
            kills += 1
    assert kills > 3
    by_number = {record["number"]: record for record in handed}
    assert list(by_number.values()) == [
        keys_of(alert.record(number)) for number, alert in enumerate(truth, 1)
    ]
    assert all(by_number[record["number"]] == record for record in handed)


def test_what_a_limit_leaves_out_waits_for_the_next_look(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply("queues", 0, looks(10, 75, 95))
        store.handed_over(1)
    with opened(tmp_path) as store:
        assert [record["status"] for record in store.waiting] == ["CRITICAL"]
        assert store.is_alarming


def test_the_folder_is_private_and_of_one_process(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint"
    with opened(folder) as store:
        store.apply("queues", 0, looks(10, 95))
        with pytest.raises(Refused, match="another analyze watch"), opened(folder):
            pass
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_state_that_is_none_is_said_with_its_path(tmp_path: Path) -> None:
    (tmp_path / STATE).write_text('{"version": 1}')
    with pytest.raises(StorageError, match=STATE), opened(tmp_path):
        pass


NEW = b' {"eventSource": {}, "n": %d}\n'


def pieces_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_a_log_that_grows_is_read_on_from_its_last_complete_line(tmp_path: Path) -> None:
    logs, pieces = tmp_path / "logs", tmp_path / "pieces"
    logs.mkdir()
    log, read_bytes = logs / "events.json", dict[str, int]()
    whole = b"".join(NEW % number for number in range(4))
    for length in (5, len(NEW), len(NEW) + 9, 2 * len(NEW) + 3, 3 * len(NEW), len(whole)):
        log.write_bytes(whole[:length])
        assert take_pieces(logs, pieces, read_bytes) == []
        complete = whole[:length].rpartition(b"\n")[0]
        assert pieces_of(pieces) == (complete + b"\n" if complete else b"")
    assert all(path.stat().st_size for path in pieces.iterdir())


def test_a_log_that_was_rotated_is_not_read_twice(tmp_path: Path) -> None:
    logs, pieces = tmp_path / "logs", tmp_path / "pieces"
    logs.mkdir()
    log, read_bytes = logs / "events.json", dict[str, int]()
    log.write_bytes(NEW % 1 + NEW % 2)
    take_pieces(logs, pieces, read_bytes)
    with log.open("ab") as file:
        file.write(NEW % 3)
    log.rename(logs / "events.json.1")
    log.write_bytes(NEW % 4)
    (logs / ".half").write_bytes(NEW % 5)
    take_pieces(logs, pieces, read_bytes)
    take_pieces(logs, pieces, read_bytes)
    assert sorted(pieces_of(pieces).splitlines(True)) == [NEW % number for number in (1, 2, 3, 4)]


def test_events_of_several_lines_are_read_on_from_the_last_complete_one(tmp_path: Path) -> None:
    """As amqsevt -o json prints them; the log is read at each length that it can have."""
    logs, pieces = tmp_path / "logs", tmp_path / "pieces"
    logs.mkdir()
    log, read_bytes = logs / "events.json", dict[str, int]()
    event = '{\n"eventSource" : { "objectName": "X" },\n"eventData" : {\n  "n" : %d\n}\n}\n'
    whole = "".join(event % number for number in range(3)).encode()
    torn = whole + whole[:20] + whole[: len(whole) // 3]
    for length in range(1, len(torn) + 1):
        log.write_bytes(torn[:length])
        assert take_pieces(logs, pieces, read_bytes) == []
        read = pieces_of(pieces).splitlines()
        ended = min(3, (length + 1) // (len(whole) // 3))
        assert sum(b'"n"' in line for line in read) - ended in (0, 1), length
    numbers = [json.loads(line)["eventData"]["n"] for line in read if not line.startswith(b"?")]
    assert (numbers, len(read)) == ([0, 1, 2, 0], 5), "and the torn one, once"


def test_a_log_in_a_form_that_cannot_be_followed_is_named(tmp_path: Path) -> None:
    (tmp_path / "events.json").write_bytes('{"eventSource": {}}\n'.encode("utf-16"))
    (tmp_path / "notes.txt").write_text("no log\n")
    (tmp_path / "pod.log").write_text('mq-1  | {\nmq-1  | "eventSource" : {}\n')
    (tmp_path / "splunk.csv").write_text('_raw\n"{ ""eventSource"": {} }"\n')
    (tmp_path / "stern.log").write_text('qm1-0 qmgr {\nqm1-0 qmgr "eventSource" : {}\n')
    (tmp_path / "syslog").write_text('Jul 20 15:22:00 h amqsevt: {#012"eventSource" : {}#012}\n')
    (tmp_path / "tty.json").write_text('{\n\x1b[34m"eventSource"\x1b[0m : {}\n}\n')
    problems = take_pieces(tmp_path, tmp_path / "pieces", {})
    assert problems == [
        "events.json: UTF-16 cannot be followed; analyze events reads it",
        "pod.log: not followed: the lines of an event are separate records; analyze events reads"
        " them",
        "splunk.csv: not followed: CSV; analyze events reads it",
        "stern.log: not followed: the lines of an event are separate records; analyze events reads"
        " them",
        "syslog: not followed: colours or escapes of syslog; analyze events reads it",
        "tty.json: not followed: colours or escapes of syslog; analyze events reads it",
    ]
