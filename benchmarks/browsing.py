"""Browsing as a user does it: whole processes, in a pipe.

Against `sqlite-utils rows` printing the same fields from a plain table; a look-up by correlation id
among a million staged messages against one among a thousand; memory and first line of a million.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Figure, paired, seconds_text
from benchmarks.process import first_byte_seconds, run
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.put.descriptor import filled, new_id
from mqtriage.emulator.core.put.insert import store
from mqtriage.emulator.open import open_manager
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import ddh

BODY = bytes(range(256)) * 4
MQTRIAGE = str(Path(sys.executable).with_name("mqtriage"))
SQLITE_UTILS = str(Path(sys.executable).with_name("sqlite-utils"))
STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"

# what sqlite-utils prints, by the name that the JSON of `msg browse` has for it
FIELDS = (
    "report", "msg_type", "expiry_tenths", "feedback", "encoding", "ccsid", "format", "priority",
    "persistence", "msg_id", "correl_id", "backout_count", "reply_to_q", "reply_to_q_mgr",
    "user_identifier", "accounting_token", "put_appl_type", "put_appl_name", "group_id",
    "msg_seq_number", "length_bytes", "body_hex",
)  # fmt: skip


class Filled:
    """A queue manager in a folder of its own, filled in bulk (the filling is not measured)."""

    def __init__(self, folder: Path) -> None:
        self.env = {"MQTRIAGE_HOME": str(folder), "MQTRIAGE_QMGR": "QM1"}
        self.mq = EmulatedBackend(open_manager(create(folder, "QM1")))

    def put(self, queue: str, count: int, body: bytes = BODY) -> None:
        """Put *count* persistent messages in large transactions."""
        self._define(queue)
        manager = self.mq.manager
        for first in range(0, count, 10_000):
            with manager.writing() as now:
                for _ in range(first, min(first + 10_000, count)):
                    md = filled(
                        self.mq.connection,
                        MQMD(format="MQSTR", persistence=1, priority=0),
                        0,
                        None,
                        now,
                    )
                    store(manager, manager.queues[queue], md, body, now, "fill")

    def stage(self, count: int) -> bytes:
        """Stage *count* messages for a month; returns the original MsgId of one in the middle."""
        self._define("Q1")
        self.mq.alter("QLOCAL", STAGING, {"MAXDEPTH": 999_999_999})
        manager = self.mq.manager
        wanted = b""
        for first in range(0, count, 10_000):
            with manager.writing() as now:
                due_us = now + 30 * 86_400_000_000
                for number in range(first, min(first + 10_000, count)):
                    original = filled(
                        self.mq.connection,
                        MQMD(format="MQSTR", persistence=1, priority=0),
                        0,
                        None,
                        now,
                    )
                    if number == count // 2:
                        wanted = original.msg_id
                    header = ddh.encode_staged(
                        due_us, None, "QM1", "Q1", original, now, 30 * 86_400_000
                    )
                    staged = original._replace(
                        msg_id=new_id(manager),
                        correl_id=original.msg_id,
                        format=ddh.DDH_FORMAT,
                    )
                    store(
                        manager, manager.queues[STAGING], staged, header + BODY, now, "fill",
                        due_us=due_us,
                    )  # fmt: skip
        return wanted

    def _define(self, queue: str) -> None:
        if queue not in self.mq.manager.queues:
            self.mq.define("QLOCAL", queue, {"MAXDEPTH": 999_999_999})

    def close(self) -> None:
        self.mq.disconnect()


def plain_table(path: Path, rows: Iterator[dict[str, object]]) -> None:
    """The table that sqlite-utils prints: the same values in columns of their own."""
    db = sqlite3.connect(path)
    db.execute(f"CREATE TABLE messages ({', '.join(FIELDS)})")
    marks = ", ".join("?" for _ in FIELDS)
    db.executemany(
        f"INSERT INTO messages VALUES ({marks})",
        ([_flat(row[field]) for field in FIELDS] for row in rows),
    )
    db.commit()
    db.close()


def _flat(value: object) -> object:
    return value if value is None or isinstance(value, (int, str)) else json.dumps(value)


def reading(count: int = 100_000) -> list[Figure]:
    """`msg browse -o ndjson` of many messages against `sqlite-utils rows --nl`, and a count."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = Filled(folder)
        made.put("Q1", count)
        made.close()
        ours = [MQTRIAGE, "msg", "browse", "Q1", "-o", "ndjson", "--hex", "--quiet"]
        printed = folder / "ours.ndjson"
        run(ours, env=made.env, out=printed)
        with printed.open() as lines:
            plain_table(folder / "plain.db", (json.loads(line) for line in lines))
        theirs = [SQLITE_UTILS, "rows", str(folder / "plain.db"), "messages", "--nl"]
        compared = folder / "theirs.ndjson"
        run(theirs, out=compared)
        _same(printed, compared)
        printing = paired(lambda: run(ours, env=made.env).seconds, lambda: run(theirs).seconds)
        counting = [MQTRIAGE, "msg", "count", "Q1", "--where", "body contains 'zz'", "--quiet"]
        counts = paired(
            lambda: run(counting, env=made.env).seconds,
            lambda: run(ours, env=made.env).seconds,
            3,
        )
    return [
        Figure(
            f"msg browse -o ndjson of {count:,} messages / sqlite-utils rows of the same fields",
            printing.ratios, 0.6, False, printing.text(seconds_text),
        ),
        Figure(
            f"msg count --where with a body condition over {count:,} messages / that browse",
            counts.ratios, 0.6, False, counts.text(seconds_text),
        ),
    ]  # fmt: skip


def _same(ours: Path, theirs: Path) -> None:
    """Both print the same values for every message."""
    with ours.open() as a, theirs.open() as b:
        for one, other in zip(a, b, strict=True):
            mine, plain = json.loads(one), json.loads(other)
            assert {k: _flat(mine[k]) for k in FIELDS} == plain, (one[:200], other[:200])


def lookup(small: int = 1000, large: int = 1_000_000) -> list[Figure]:
    """`delay browse --correlid` among many and among few, and against `mqtriage version`."""
    with tempfile.TemporaryDirectory() as name:
        commands = []
        for count in (large, small):
            folder = Path(name) / str(count)
            made = Filled(folder)
            wanted = made.stage(count)
            made.close()
            argv = [MQTRIAGE, "delay", "browse", "--correlid", wanted.hex(), "-o", "ndjson"]
            out = folder / "found"
            run(argv, env=made.env, out=out)
            assert json.loads(out.read_text())["original_msg_id"] == wanted.hex().upper()
            commands.append((argv, made.env))
        (many, many_env), (few, few_env) = commands
        bare = [MQTRIAGE, "version"]

        def median_of(argv: list[str], env: dict[str, str]) -> float:
            return statistics.median(run(argv, env=env).processor_s for _ in range(5))

        among = paired(lambda: median_of(many, many_env), lambda: median_of(few, few_env))
        version = paired(lambda: median_of(many, many_env), lambda: median_of(bare, few_env))
    return [
        Figure(
            f"delay browse --correlid among {large:,} / among {small:,}",
            among.ratios, 1.1, False, among.text(seconds_text), in_each=True,
        ),
        Figure(
            f"delay browse --correlid among {large:,} / mqtriage version",
            version.ratios, 1.8, False, version.text(seconds_text),
        ),
    ]  # fmt: skip


def memory(small: int = 1000, large: int = 1_000_000) -> list[Figure]:
    """Peak memory of a long browse against a short one, and when the first line appears."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        made = Filled(Path(name))
        made.put("SMALL", small, b"x" * 200)
        made.put("LARGE", large, b"x" * 200)
        made.close()
        for form in ("ndjson", "plain"):
            long, short = (
                [MQTRIAGE, "msg", "browse", queue, "-o", form, "-q"] for queue in ("LARGE", "SMALL")
            )
            peak, other = run(long, env=made.env).peak_kib, run(short, env=made.env).peak_kib
            what = f"msg browse -o {form}, {large:,} messages / {small:,}"
            found.append(
                Figure(
                    f"peak memory of {what}", [peak / other], 1.3, False,
                    f"{peak >> 10} MiB against {other >> 10} MiB",
                )
            )  # fmt: skip
            took = paired(
                lambda argv=long: first_byte_seconds(argv, made.env),  # type: ignore[misc]
                lambda argv=short: first_byte_seconds(argv, made.env),  # type: ignore[misc]
                9,
            )
            detail = took.text(seconds_text)
            found.append(Figure(f"first line of {what}", took.ratios, 1.3, False, detail))
    return found


def of_a_million() -> list[Figure]:
    """What takes minutes to fill a queue for."""
    return [*lookup(), *memory()]


LINTED = "DEFINE QLOCAL(A) BOTHRESH(3)\n"
STARTED = (
    ("version",), ("--help",), ("queue", "ls"), ("expiry", "status"), ("lint", "script.mqsc"),
    ("delay", "browse"), ("backout", "pending"), ("dlq", "browse", "SYSTEM.DEAD.LETTER.QUEUE"),
)  # fmt: skip


def start_up() -> Iterator[Figure]:
    """Processor time of short commands against the imports of what they need of others."""
    with tempfile.TemporaryDirectory() as name:
        made = Filled(Path(name))
        made.close()
        script = Path(name) / "script.mqsc"
        script.write_text(LINTED)
        for words in STARTED:
            bare = "typer" if len(words) == 1 else "typer, tabulate, sqlite3"
            argv = [MQTRIAGE, *(str(script) if word == script.name else word for word in words)]
            imports = [sys.executable, "-c", f"import {bare}"]
            took = paired(
                lambda argv=argv: run(argv, env=made.env, codes=(0, 4)).processor_s,  # type: ignore[misc]
                lambda imports=imports: run(imports).processor_s,  # type: ignore[misc]
                9,
            )
            detail = took.text(seconds_text)
            what = f"mqtriage {' '.join(words)} / import {bare}"
            yield Figure(what, took.ratios, 1.2 if len(words) == 1 else 1.4, False, detail)
    yield completion()


def completion() -> Figure:
    """One press of the tab key where queue names are wanted and none are kept."""
    with tempfile.TemporaryDirectory() as name:
        made = Filled(Path(name))
        made.put("APP.IN", 1, b"x")
        made.close()

        def press() -> float:
            shutil.rmtree(Path(name) / "cache", ignore_errors=True)
            return run([MQTRIAGE, "__complete", "msg", "browse", "APP"], env=made.env).seconds

        took = paired(press, lambda: run([MQTRIAGE, "version"]).seconds, 15)
    detail = took.text(seconds_text)
    return Figure("completion of a queue name / mqtriage version", took.ratios, 1.6, False, detail)


if __name__ == "__main__":
    for figure in (*start_up(), *reading(), *of_a_million()):
        print(figure.line(), flush=True)
