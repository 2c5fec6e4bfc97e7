"""Whatever comes in, of every input that there is: it is read or refused, and nothing hangs.

Seconds in `make test-slow`, twenty minutes in `make test-all`. What breaks something becomes a row
of failures.tsv, which is to be committed: it is tried in every run from then on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from mqtriage.mq.errors import UsageError
from tests.fuzz import fuzzing, inputs
from tests.fuzz.inputs import INPUTS, Input
from tests.support.scale import amount
from tests.support.tools import drawn_seeds

SEEDS = drawn_seeds(1)
TENTHS = amount(5, all=700)
"""Of a second, for each input, with all seeds; one round with each at least."""


@pytest.fixture(scope="module", autouse=True)
def tidy() -> Iterator[None]:
    yield
    inputs.forget()


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.slow
def test_a_damaged_input_is_read_or_refused(name: str) -> None:
    kind = INPUTS[name]
    examples = list(kind.examples())
    for example in examples:
        assert fuzzing.fault(kind, example) == ""
    for seed in SEEDS:
        chance = Random(f"{seed} {name}")
        print(f"MQTRIAGE_SEED={seed}")
        until, rounds = time.monotonic() + TENTHS / 10 / len(SEEDS), 0
        while rounds == 0 or time.monotonic() < until:
            rounds += 1
            data = fuzzing.damaged(chance, examples)
            what = fuzzing.fault(kind, data)
            if what:
                row = fuzzing.keep(name, kind, data, what)
                pytest.fail(f"seed {seed}, round {rounds}: {what}\nnew in {fuzzing.KEPT}: {row}")


def test_what_broke_something_once_is_read_or_refused() -> None:
    broken = {
        (name, what): now
        for name, what, data in fuzzing.kept()
        if (now := fuzzing.fault(INPUTS[name], data))
    }
    assert broken == {}


def _breaks_at_a_seven(data: bytes) -> None:
    if b"7" in data:
        raise KeyError("seven")
    if not data.isdigit():
        raise UsageError("no number")


def test_what_breaks_a_reader_is_kept_as_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzzing, "KEPT", tmp_path / "failures.tsv")
    kind = Input(lambda: [b"1234567890"], _breaks_at_a_seven)
    assert (fuzzing.fault(kind, b"12"), fuzzing.fault(kind, b"x")) == ("", "")
    what = fuzzing.fault(kind, b"abc7def")
    fuzzing.keep("numbers", kind, b"abc7def", what)
    assert list(fuzzing.kept()) == [("numbers", "KeyError: 'seven'", b"7")]
