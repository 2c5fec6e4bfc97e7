"""Our numbers against the table inside the `ibmmq` wheel, read without importing the package."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mqtriage.emulator.mqi.library.headers import HEADERS, header
from mqtriage.mq import cmqc, name_table
from mqtriage.mq.name_table import Value
from mqtriage.mq.structures import structures

NOT_IN_THE_WHEEL: dict[str, str] = {}
"""Names of ours that the wheel does not have, each with the reason why we keep it."""


@cache
def wheel() -> dict[str, Any]:
    """Every constant of IBM's Python headers; importing the package would need the MQ library."""
    spec = find_spec("ibmmq")
    if spec is None or spec.origin is None:
        pytest.skip("the ibmmq wheel is not installed (the extra dev)")
    names: dict[str, Any] = {}
    for file in ("_CMQC_linux_x64.py", "CMQCFC.py", "CMQXC.py"):
        path = Path(spec.origin).parent / file
        exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
    return names


@cache
def services() -> dict[str, Any]:
    """The constants of installable services, which pymqi has and the wheel has not."""
    spec = find_spec("pymqi")
    if spec is None or spec.origin is None:
        pytest.skip("pymqi is not installed")
    path = Path(spec.origin).parent / "CMQZC.py"
    names: dict[str, Any] = {}
    exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
    return names


def theirs_of(section: str) -> dict[str, Any]:
    return services() if section == "cmqzc" else wheel()


def ours(section: str) -> dict[str, Value]:
    """What our table says that a header has; "codes" for the reason and feedback codes."""
    if section == "codes":
        return {name: code.number for name, code in name_table.codes().items()}
    return dict(name_table.headers()[section])


def as_in_the_wheel(value: Value) -> Value:
    """The wheel keeps character constants as bytes."""
    return value.encode("ascii") if isinstance(value, str) else value


@pytest.mark.parametrize("section", ["codes", "cmqc", "cmqcfc", "cmqxc", "cmqzc"])
def test_every_value_is_the_one_ibm_gives(section: str) -> None:
    theirs = theirs_of(section)
    differing = {
        name: (value, theirs[name])
        for name, value in ours(section).items()
        if name in theirs and not is_same(as_in_the_wheel(value), theirs[name])
    }
    assert differing == {}


def is_same(value: Value, other: Value) -> bool:
    """Whether two values are one, numbers as MQLONG."""
    if isinstance(value, int) and isinstance(other, int):
        return (value - other) % 2**32 == 0
    return value == other


@pytest.mark.parametrize("section", ["codes", "cmqc", "cmqcfc", "cmqxc", "cmqzc"])
def test_no_name_is_of_our_own_making(section: str) -> None:
    missing = {name for name in ours(section) if name not in theirs_of(section)}
    assert missing == {name for name in NOT_IN_THE_WHEEL if name in ours(section)}


@pytest.mark.parametrize("prefix", ["MQRC_", "MQFB_", "MQRCCF_"])
def test_no_code_of_ibm_is_missing(prefix: str) -> None:
    known = name_table.codes()
    theirs = {name for name, value in wheel().items() if name.startswith(prefix)}
    assert len(theirs) > 50
    assert theirs - known.keys() == set()


def test_no_name_of_ibm_is_missing_in_the_headers_that_we_write() -> None:
    text = "\n".join(header(name) for name in HEADERS)
    names = set(re.findall(r"^#define (\w+)", text, re.MULTILINE))
    theirs = {name for name in wheel() if name.startswith("MQ")}
    assert len(theirs) > 5000
    assert theirs - names == set()
    assert {name for name in services() if name.startswith("MQ")} - names == set()


def test_the_table_is_not_empty_by_accident() -> None:
    assert len(ours("codes")) > 900
    assert len(ours("cmqc")) > 1200
    assert len(ours("cmqcfc")) > 1600


def test_the_length_of_a_structure_is_the_one_of_its_layout() -> None:
    lengths = {
        name: number
        for described in structures().values()
        for name, number in described.numbers.items()
        if hasattr(cmqc, name)
    }
    assert len(lengths) > 4
    assert lengths == {name: getattr(cmqc, name) for name in lengths}


@pytest.mark.seed("PM-45")
def test_dead_letter_option_is_zero_and_so_cannot_be_tested_by_its_bit() -> None:
    assert cmqc.MQRO_DEAD_LETTER_Q == 0
    assert cmqc.MQRO_DISCARD_MSG == 0x08000000
