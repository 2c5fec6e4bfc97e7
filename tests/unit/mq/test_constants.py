"""Our numbers against the table inside the `ibmmq` wheel, read without importing the package."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mqtriage.mq import codes, constants
from mqtriage.mq import command_codes as pcf_codes

NOT_IN_THE_WHEEL: dict[str, str] = {}
"""Names of ours that the wheel does not have, each with the reason why we keep it."""


@cache
def wheel() -> dict[str, Any]:
    """Every constant of IBM's Python headers; importing the package would need the MQ library."""
    spec = find_spec("ibmmq")
    if spec is None or spec.origin is None:
        pytest.skip("the ibmmq wheel is not installed (pip install mqtriage[dev])")
    names: dict[str, Any] = {}
    for file in ("_CMQC_linux_x64.py", "CMQCFC.py"):
        path = Path(spec.origin).parent / file
        exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
    return names


def ours(module: ModuleType) -> dict[str, int | str | bytes]:
    return {name: value for name, value in vars(module).items() if name.startswith("MQ")}


def as_in_the_wheel(value: object) -> object:
    """The wheel keeps character constants as bytes."""
    return value.encode("ascii") if isinstance(value, str) else value


@pytest.mark.parametrize("module", [codes, constants, pcf_codes], ids=lambda m: m.__name__)
def test_every_value_is_the_one_ibm_gives(module: ModuleType) -> None:
    theirs = wheel()
    differing = {
        name: (value, theirs[name])
        for name, value in ours(module).items()
        if name in theirs and as_in_the_wheel(value) != theirs[name]
    }
    assert differing == {}


@pytest.mark.parametrize("module", [codes, constants, pcf_codes], ids=lambda m: m.__name__)
def test_no_name_is_of_our_own_making(module: ModuleType) -> None:
    missing = {name for name in ours(module) if name not in wheel()}
    assert missing == {name for name in NOT_IN_THE_WHEEL if hasattr(module, name)}


@pytest.mark.parametrize("prefix", ["MQRC_", "MQFB_", "MQRCCF_"])
def test_no_code_of_ibm_is_missing(prefix: str) -> None:
    known = codes.all_names()
    theirs = {name for name, value in wheel().items() if name.startswith(prefix)}
    assert len(theirs) > 50
    assert theirs - known.keys() == set()


def test_the_table_is_not_empty_by_accident() -> None:
    assert len(ours(codes)) > 550
    assert len(ours(constants)) > 300
    assert len(ours(pcf_codes)) > 350


@pytest.mark.seed("PM-45")
def test_dead_letter_option_is_zero_and_so_cannot_be_tested_by_its_bit() -> None:
    assert constants.MQRO_DEAD_LETTER_Q == 0
    assert constants.MQRO_DISCARD_MSG == 0x08000000
