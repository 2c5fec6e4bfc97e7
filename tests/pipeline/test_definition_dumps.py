"""Dumps of dmpmqcfg over time as input of `analyze definitions`, alone and between snapshots."""

from __future__ import annotations

import gzip
import json
import os
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mqtriage.commands.analyze import configuration_dumps
from mqtriage.model.times import parse_time_us
from mqtriage.mq.times import rfc3339
from tests.acceptance.conftest import Bench
from tests.pipeline.conftest import simulated
from tests.pipeline.rows import DAY, MINUTE, START_US
from tests.support.displayed import object_cells
from tests.support.dmpmqcfg import Objects, dump
from tests.support.scale import amount
from tests.support.tools import drawn_seeds_together

DAYS = amount(12, all=30)
SWITCHES = ("QDPHIEV", "QDPLOEV", "QDPMAXEV")
"""What the queue manager turns over with each event, and the truth of the driver leaves out."""


class Month:
    """A simulated month with a snapshot a day, and its definitions at any moment of it."""

    def __init__(self, folder: Path, seed: int, qmgr: str) -> None:
        self.snapshots = folder / qmgr
        self.qmgr = qmgr
        truth = simulated(self.snapshots, seed, qmgr, days=DAYS, rate=20, every_us=DAY)
        self.changes = [
            (parse_time_us(change["time"], 0), change["queue"], change["attribute"],
             change["from"], change["to"])
            for change in truth["definition_changes"]
        ]  # fmt: skip
        first, *_ = sorted(self.snapshots.glob("definitions/*/*/*.ndjson"))
        rows = [json.loads(line) for line in first.read_text().splitlines()]
        self.first = {
            (row["kind"], row["name"]): json.loads(row["attributes"])
            for row in rows
            if row["snapshot_id"] == rows[0]["snapshot_id"]
        }
        files = self.snapshots.glob("snapshots/*/*/*.ndjson")
        lines = [line for file in files for line in file.read_text().splitlines()]
        self.looks = sorted(parse_time_us(json.loads(line)["snap_time"], 0) for line in lines)

    def objects(self, time_us: int) -> dict[tuple[str, str], dict[str, Any]]:
        objects = {key: dict(attributes) for key, attributes in self.first.items()}
        for when_us, queue, attribute, _, to in self.changes:
            if when_us < time_us:  # a look at that moment comes first
                objects["QLOCAL", queue][attribute] = to
        return objects

    def seen(self, looks: list[int]) -> set[tuple[Any, ...]]:
        """The changes, each at the first look after it."""
        seen = set()
        for before, now in pairwise(looks):
            old, new = self.objects(before), self.objects(now)
            seen |= {
                (self.qmgr, rfc3339(now), key[1], word, str(old[key][word]), str(value))
                for key, attributes in new.items()
                for word, value in attributes.items()
                if old[key][word] != value
            }
        return seen


def changes(bench: Bench, *paths: Path, code: int = 0) -> list[tuple[Any, ...]]:
    ran = bench.run("analyze", "definitions", *map(str, paths), "-o", "json")
    assert ran.code == code, ran.err
    return [
        (
            row["queue_manager"],
            row["time"],
            row["name"],
            row["attribute"],
            row["old_value"],
            row["new_value"],
        )
        for row in ran.items
        if row["attribute"] not in SWITCHES
    ]


def findings(bench: Bench, *paths: Path) -> set[tuple[Any, ...]]:
    words = ("--table", "definition_findings", "-o", "json")
    rows = bench.ok("analyze", "definitions", *map(str, paths), *words).items
    return {
        (row["queue_manager"], row["time"], row["change"], row["code"], row["name"]) for row in rows
    }


def written(folder: Path, qmgr: str, time_us: int, objects: Objects, **more: Any) -> Path:
    """A dump, whose file says another time than its head."""
    folder.mkdir(exist_ok=True)
    path = folder / f"dump-{len(list(folder.iterdir()))}.mqsc"
    path.write_text(dump(qmgr, time_us, objects, **more))
    os.utime(path, (1, 1))
    return path


@pytest.mark.usefixtures("each_request_once")
@drawn_seeds_together(10)
def test_dumps_of_a_month_tell_what_changed_alone_and_between_snapshots(
    bench: Bench, tmp_path: Path, seeds: list[int]
) -> None:
    """The truth is the driver's; findings are those that snapshots at the same moments give."""
    dumps, between = tmp_path / "dumps", tmp_path / "between"
    months, seen_alone, seen_mixed = [], set(), set()
    for seed in seeds:
        dice = Random(seed)
        month = Month(tmp_path, dice.randrange(1 << 30), f"SEED{seed}")
        assert month.changes
        for number, look in enumerate(month.looks):
            form = ("mqsc", "1line")[number % 2]
            written(dumps, month.qmgr, look, month.objects(look), form=form)
        times = sorted(START_US + dice.randrange(DAYS * 24 * 60) * MINUTE for _ in range(10))
        for time in times:
            written(between, month.qmgr, time, month.objects(time))
        months.append(month.snapshots)
        seen_alone |= month.seen(month.looks)
        seen_mixed |= month.seen(sorted({*month.looks, *times}))
    alone = changes(bench, dumps)
    assert len(alone) == len(set(alone))
    assert set(alone) == seen_alone
    assert findings(bench, dumps) == findings(bench, *months)
    mixed = changes(bench, *months, between)
    assert sorted(mixed) == sorted(seen_mixed)


OWN = {("QMGR", "QM1"): {"DEADQ": "DLQ"}, ("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE"): {}}
IN = {"BOTHRESH": 3, "BOQNAME": "BO", "MAXDEPTH": 5000, "SHARE": "YES"}
BO = {"PUT": "ENABLED", "DESCR": "Bob's"}


def hour(number: int) -> str:
    return rfc3339(START_US + number * 60 * MINUTE)


def test_only_a_whole_dump_says_what_is_gone_and_damage_is_counted(
    bench: Bench, tmp_path: Path
) -> None:
    """One that was damaged, cut or made of some objects tells what changed in those it has."""
    folder = tmp_path / "dumps"

    def looked(number: int, **queues: dict[str, Any]) -> Path:
        objects = {**OWN, **{("QLOCAL", name): values for name, values in queues.items()}}
        more = "-a -n 'I*'" if number == 4 else "-a"
        return written(folder, "QM1", START_US + number * 60 * MINUTE, objects, more=more)

    looked(0, IN=IN, BO=BO)
    looked(1, IN=IN, BO={**BO, "PUT": "DISABLED"}, NEW={})
    damaged = looked(2, IN={**IN, "DESCR": "?"})
    damaged.write_text(damaged.read_text().replace("DESCR('?')", "DESCR('?)"))
    cut = looked(3, BO={**BO, "PUT": "DISABLED"}, IN=IN)
    text = cut.read_text()
    packed = folder / "dump.mqsc.gz"
    packed.write_bytes(gzip.compress(text[: text.index("BOTHRESH(3)")].encode()))
    cut.unlink()
    looked(4, IN={**IN, "MAXDEPTH": 7})
    looked(5, IN={**IN, "MAXDEPTH": 7}, BO=BO)
    (folder / "notes.txt").write_text("hello\n")

    ran = bench.run("analyze", "definitions", str(folder), "-o", "json")
    assert ran.code == 3
    assert ran.json["summary"]["rejected"] == {"commands of dmpmqcfg that cannot be read": 2}
    assert f"{damaged.name}, dump.mqsc.gz" in ran.err
    assert ran.json["summary"]["snapshots"] == 6
    rows = sorted(
        (row["time"], row["name"], row["change"], row["attribute"], row["new_value"])
        for row in ran.items
    )
    assert rows == [
        (hour(1), "BO", "changed", "PUT", "DISABLED"),
        (hour(1), "NEW", "new", None, None),
        (hour(4), "IN", "changed", "MAXDEPTH", "7"),
        (hour(5), "BO", "changed", "PUT", "ENABLED"),
        (hour(5), "NEW", "gone", None, None),
    ]
    words = ("--table", "definition_findings", "-o", "json")
    turns = bench.run("analyze", "definitions", str(folder), *words).items
    assert [(row["time"], row["change"]) for row in turns if row["code"] == "BKO004"] == [
        (hour(1), "came"), (hour(5), "went"),
    ]  # fmt: skip


def test_a_dump_is_known_by_its_head_alone(tmp_path: Path) -> None:
    text = dump("QM1", START_US, OWN)
    path = tmp_path / "anything"
    for head, at in {
        text: rfc3339(START_US),
        f"API-KEY\n{text}": rfc3339(START_US),
        text.replace("\n", "\r\n"): rfc3339(START_US),
        text.replace("2026-01-05", "2026-13-05"): "",
        text.replace("Script generated", "Script made"): "",
    }.items():
        path.write_bytes(head.encode())
        begun = configuration_dumps.head_of(path)
        assert begun is not None, head
        assert (begun.queue_manager, begun.at) == ("QM1", at), head
        dumped = configuration_dumps.objects_of(path)
        assert [(kind, name) for kind, name, _ in dumped.objects if kind == "QMGR"] == [
            ("QMGR", "QM1")
        ], head
        assert (dumped.is_whole, dumped.unreadable) == ((False, 1) if "KEY" in head else (True, 0))
    for other in ("", "DEFINE QLOCAL(A)\n", text.replace("manager name", "manager"), "* QLOAD\n"):
        path.write_text(other)
        assert configuration_dumps.head_of(path) is None, other
    assert configuration_dumps.head_of(tmp_path / "absent") is None


def test_what_runmqsc_displayed_tells_changes_and_what_it_did_not_ask_for_is_none(
    bench: Bench, tmp_path: Path
) -> None:
    """At the time of the file; the banner, or QMNAME, says whose objects they are."""
    banner = (
        "5724-H72 (C) Copyright IBM Corp. 1994, 2025.\nStarting MQSC for queue manager QM1.\n\n"
    )
    for day, most in enumerate((5000, 9000)):
        cells = "\n".join(object_cells("QLOCAL", "A", {"BOTHRESH": 3, "MAXDEPTH": most}))
        shown = f"{banner}     1 : DISPLAY QLOCAL(A) ALL\nAMQ8409I: Display Queue details.\n"
        shown += "\n".join(f"   {cell}" for cell in cells.splitlines()) + "\n"
        shown += "     2 : DISPLAY QLOCAL(B) MAXDEPTH\nAMQ8409I: Display Queue details.\n"
        shown += "   QUEUE(B)                                TYPE(QLOCAL)\n   MAXDEPTH(7)\n"
        file = tmp_path / f"{day}.txt"
        file.write_text(shown + "2 MQSC commands read.\n")
        time_us = START_US + day * DAY
        os.utime(file, (time_us // 1_000_000, time_us // 1_000_000))
    ran = bench.run("analyze", "definitions", str(tmp_path), "-o", "json")
    assert [(row["time"], row["queue_manager"], row["name"], row["attribute"], row["new_value"])
            for row in ran.items] == [
        (rfc3339(START_US + DAY), "QM1", "A", "MAXDEPTH", "9000")
    ]  # fmt: skip
    assert ran.code == 3
    assert ran.json["summary"]["rejected"] == {"objects that runmqsc showed without ALL": 2}
