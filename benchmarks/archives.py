"""One message of an archive of a million, looked up by a process of its own."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from pathlib import Path

from benchmarks.browsing import MQTRIAGE
from benchmarks.measure import Figure, paired, seconds_text
from benchmarks.process import run
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from mqtriage.operations.archive.writing import new_copy

BODY = b'{"order": {"id": 42}}' + b"x" * 200


def figures(large: int = 1_000_000) -> list[Figure]:
    """`archive ls --msgid ID`, plain and compressed; the writing is not measured."""
    return [_lookup(ending, large) for ending in (".ndjson", ".ndjson.gz")]


def _lookup(ending: str, large: int) -> Figure:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"large{ending}"
        write(path, large)
        wanted = msg_id(large * 2 // 3).hex().upper()
        argv = [MQTRIAGE, "archive", "ls", str(path), "--msgid", wanted, "-q"]
        out = Path(name) / "found"
        run(argv, out=out)
        assert wanted in out.read_text()
        took = paired(lambda: run(argv).seconds, lambda: run([MQTRIAGE, "version"]).seconds, 15)
    what = "compressed archive" if ending.endswith(".gz") else "archive"
    return Figure(
        f"archive ls --msgid ID, {what} of {large:,} / mqtriage version",
        took.ratios, 1.8, False, took.text(seconds_text),
    )  # fmt: skip


def write(path: Path, count: int) -> None:
    """An archive of *count* messages, whose ids are in no order."""
    digest = sha256(BODY).digest()
    with new_copy(path, queue="IN", queue_manager="QM1", at="2026-01-01T00:00:00Z") as file:
        for number in range(count):
            md = MQMD(msg_id=msg_id(number), format="MQSTR", ccsid=1208)
            file.add("IN", Message(md, BODY, len(BODY)), digest)


def msg_id(number: int) -> bytes:
    """The MsgId of a message by its number."""
    return b"AMQ QM1         " + sha256(str(number).encode()).digest()[:8]


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
