"""Real scripts with random damage: nothing raises, nothing hangs, nothing gets lost.

A few seconds long in `make test-slow`, ten minutes in `make test-all`.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from mqtriage.mq.attributes.catalogue import defaults
from mqtriage.mq.mqsc.check import check_script
from mqtriage.mq.mqsc.format import define_text, format_script
from mqtriage.mq.mqsc.output import read_output
from mqtriage.mq.mqsc.parse import decode_script, parse
from tests.support.scale import amount

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("MQTRIAGE_CORPUS", ROOT / ".." / "shared" / "corpus"))
BITS = (b"'", b'"', b"(", b")", b"+", b"-", b"\n", b";", b"*", b" ", b"\r\n", b"{{", b"$x", b"\0")


def sources() -> list[bytes]:
    """The corpus where it is, and always a script of our own."""
    own = define_text("QLOCAL", "ORDERS.IN", defaults("QLOCAL"), replace=True)
    corpus = [path.read_bytes() for path in sorted(CORPUS.glob("mqsc*/*")) if path.suffix != ".tsv"]
    return [f"* orders\n{own}\nEND\n".encode(), *corpus]


def damaged(chance: random.Random, scripts: list[bytes]) -> bytes:
    data = bytearray(chance.choice(scripts))
    for _ in range(chance.randint(1, 30)):
        at, kind = chance.randrange(len(data) + 1), chance.random()
        if kind < 0.3 and at < len(data):
            data[at] = chance.randrange(256)
        elif kind < 0.5:
            del data[at : at + chance.randint(1, 40)]
        elif kind < 0.8:
            data[at:at] = chance.choice(BITS)
        else:
            other = chance.choice(scripts)
            start = chance.randrange(len(other))
            data[at:at] = other[start : start + 200]
    return bytes(data)


@pytest.mark.slow
def test_damaged_scripts_are_read_to_their_end() -> None:
    scripts = sources()
    seed = random.randrange(1_000_000)
    chance = random.Random(seed)
    until = time.monotonic() + amount(4, all=600)
    rounds = 0
    while time.monotonic() < until:
        text = decode_script(damaged(chance, scripts))
        script = parse(text)
        where = f"seed {seed}, round {rounds}"
        assert "".join(script.raw(item) for item in script.items) == script.text, where
        lines = script.text.count("\n") + 1
        assert all(1 <= diagnostic.line <= lines for diagnostic in check_script(script, "zos")), (
            where
        )
        once = format_script(script)
        assert format_script(parse(once)) == once, where
        read_output(text)
        rounds += 1
    assert rounds > 0
