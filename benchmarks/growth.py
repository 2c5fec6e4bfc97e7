"""Does what a command takes grow no faster than what there is? Whole processes, ten times apart.

    python -m benchmarks.growth [PART [AMOUNT]]

PART is messages, queues, operations, archives or acts. AMOUNT is the larger one: 1,000,000 messages
on a queue, 10,000 queues, 100,000 operations in a journal, 10 GB of archives, 100,000 messages of
an act; the smaller one is a tenth. Times are those of the processor, start-up included; ten times
as much may take twelve times as long. Ends with 1 where a command takes longer.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from benchmarks.archives import msg_id
from benchmarks.browsing import MQTRIAGE, Filled
from benchmarks.process import Run, run
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from mqtriage.operations.archive.writing import new_copy

STEP = 10
AIM = 12.0
HEADER = """| what | less | more | time | memory | |
|---|---:|---:|---:|---:|---|"""
_FINDINGS = (0, 3, 4)
"""Exit codes of commands that look: nothing, not all could be read, something to mend."""
_MARKS = (0, 1, 2, 3)
"""Those of a monitor."""
_BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def fill_messages(folder: Path, count: int) -> Mapping[str, str]:
    """A queue manager with *count* messages of 200 bytes on IN."""
    made = Filled(folder)
    made.put("IN", count, b"x" * 200)
    made.mq.define("QLOCAL", "OUT", {"MAXDEPTH": 999_999_999})
    made.close()
    return made.env


def fill_queues(folder: Path, count: int) -> Mapping[str, str]:
    """A queue manager with *count* queues, each the backout queue of another; a script of them."""
    made = Filled(folder)
    lines = []
    for number in range(count):
        name, backout = f"APP.{number:06d}", f"APP.{(number + 1) % count:06d}"
        made.mq.define("QLOCAL", name, {"BOTHRESH": 3, "BOQNAME": backout})
        lines.append(f"DEFINE QLOCAL('{name}') BOTHRESH(3) BOQNAME('{backout}') REPLACE\n")
    made.close()
    (folder / "script.mqsc").write_text("".join(lines))
    return made.env


def fill_operations(folder: Path, count: int) -> Mapping[str, str]:
    """A journal of *count* purges of one message each, copies of a first."""
    made = Filled(folder)
    made.put("IN", 1)
    made.close()
    run([MQTRIAGE, "msg", "purge", "IN", "--confirm", "IN", "-q"], env=made.env)
    with sqlite3.connect(folder / "journal" / "ledger.sqlite") as ledger:
        for table in ("operation", "planned", "archive", "unit", "taken"):
            row = ledger.execute(f"SELECT * FROM {table}").fetchone()
            rows = (_copied(table, row, number) for number in range(2, count + 1))
            ledger.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", rows)
    ledger.close()
    return made.env


def _copied(table: str, row: tuple[object, ...], number: int) -> tuple[object, ...]:
    """The row as it is for operation *number*; in the table of operations an id comes second."""
    if table == "operation":
        name = "".join(_BASE32[number >> shift & 31] for shift in (20, 15, 10, 5, 0))
        return number, f"{str(row[1])[:8]}{'0' * 13}{name}", *row[2:]
    if table == "archive":
        return number, number, *row[2:]
    values = list(row)
    values[0] = number
    if table == "unit":
        values[4] = number  # its archive
    return tuple(values)


def fill_archives(folder: Path, megabytes: int) -> Mapping[str, str]:
    """Two archives, one compressed, of so many MB of base64 together, 10 KiB of data a message."""
    body = b'{"order": {"id": 42}}' + b"x" * 10_219
    digest = sha256(body).digest()
    for ending in (".ndjson", ".ndjson.gz"):
        path = folder / "archive" / f"large{ending}"
        path.parent.mkdir(exist_ok=True)
        with new_copy(path, queue="IN", queue_manager="QM1", at="2026-01-01T00:00:00Z") as file:
            for number in range(megabytes * 1_000_000 // 14_500 // 2):
                md = MQMD(msg_id=msg_id(number), format="MQSTR", ccsid=1208)
                file.add("IN", Message(md, body, len(body)), digest)
    made = Filled(folder)
    made.mq.define("QLOCAL", "IN", {"MAXDEPTH": 999_999_999})
    made.close()
    return made.env


Fill = Callable[[Path, int], Mapping[str, str]]
PARTS: Mapping[str, tuple[Fill, int, str, str]] = {
    "messages": (
        fill_messages, 1_000_000, "messages",
        """queue ls
queue status IN
msg count IN
msg count IN --body-contains zz
msg count IN --body-regex y+z
msg browse IN -o ndjson
expiry status
backout pending
msg archive IN --out {}/copy.ndjson
msg diff IN OUT
snapshot take --format ndjson
snapshot take --format ndjson --incremental
msg purge IN --plan {}/plan.json""",
    ),
    "queues": (
        fill_queues, 10_000, "queues",
        """queue ls
queue status APP.000001
backout ls
lint --select BKO
backout explain APP.000001
delay status
expiry status
doctor
check qmgr
check backout
emulator ls QM1
lint
lint {}/script.mqsc
plan {}/script.mqsc
drift {}/script.mqsc
mqsc fmt {}/script.mqsc
snapshot take --format ndjson
queue define NEW.Q --yes""",
    ),
    "operations": (
        fill_operations, 100_000, "operations",
        """journal ls
journal ls -o ids
journal show
journal verify
archive ls
archive prune --older-than 1d --dry-run
journal prune --older-than 1d --dry-run
msg put IN hello --yes
msg purge IN --confirm IN
journal prune --older-than 0s --yes""",
    ),
    "archives": (
        fill_archives, 10_000, "MB of archives",
        """archive ls
archive ls large.ndjson -o ids
archive ls large.ndjson.gz -o ids
archive verify large.ndjson
archive verify large.ndjson.gz
archive copy large.ndjson --limit 1000 --out {}/few.ndjson
msg load {}/archive/large.ndjson.gz --to IN --dry-run""",
    ),
    "acts": (
        fill_messages, 100_000, "messages",
        """msg move IN --to OUT --yes
journal verify
journal undo --yes
msg purge IN --confirm IN
archive verify""",
    ),
}  # fmt: skip


def measured(fill: Fill, amount: int, commands: str) -> list[Run]:
    """What each command took, one after the other, on so much."""
    with tempfile.TemporaryDirectory() as name:
        env = fill(Path(name), amount)
        lines = [line.replace("{}", name).split() for line in commands.splitlines()]
        return [
            run(
                [MQTRIAGE, *line, *(() if "-o" in line else ("-q",))],
                env=env,
                codes=_MARKS if line[0] == "check" else _FINDINGS,
            )
            for line in lines
        ]


def main(part: str = "", amount: int = 0) -> int:
    """Print the table; 1 when a command's time does not grow linearly."""
    print(HEADER)
    failed = 0
    for name in [part] if part else PARTS:
        fill, usual, unit, commands = PARTS[name]
        more = amount or usual
        small, large = (measured(fill, count, commands) for count in (more // STEP, more))
        print(f"| **{more // STEP:,} and {more:,} {unit}** | | | | | |", flush=True)
        for line, one, other in zip(commands.splitlines(), small, large, strict=True):
            ratio = other.processor_s / one.processor_s
            failed += ratio > AIM
            cells = (
                f"`{line.replace('{}/', '')}`",
                *(f"{ran.processor_s:.2f} s, {ran.peak_kib >> 10} MiB" for ran in (one, other)),
                f"{ratio:.1f}",
                f"{other.peak_kib / one.peak_kib:.2f}",
                "FAILS" if ratio > AIM else "holds",
            )
            print(f"| {' | '.join(cells)} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2], *map(int, sys.argv[2:3])))
