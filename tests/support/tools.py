"""Programs that pip cannot bring: used when found, skipped aloud, required when asked for."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import pytest


def is_required(name: str) -> bool:
    """Whether MQTRIAGE_REQUIRE names a program or package that a test must not do without."""
    return name in os.environ.get("MQTRIAGE_REQUIRE", "").split(",")


def tool(name: str) -> str:
    """The path of a program; skips the test without it, or fails it under MQTRIAGE_REQUIRE."""
    path = shutil.which(name)
    if path:
        return path
    if is_required(name):
        pytest.fail(f"{name} is required by MQTRIAGE_REQUIRE and not installed")
    pytest.skip(f"{name} is not installed")


DRAWS: Final = int(os.environ.get("MQTRIAGE_DRAWS", "0"))
"""How often a test that draws a seed is run, each time with another one; 0 for what it says."""


def drawn_seeds(count: int) -> list[int]:
    """Seeds that nobody knows before the tests run; the processes of one run draw the same ones.

    MQTRIAGE_SEED, as a failure names it, is the only one.
    """
    if given := os.environ.get("MQTRIAGE_SEED"):
        return [int(given)]
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or random.SystemRandom().random()
    dice = random.Random(run)
    return [dice.randrange(1_000_000) for _ in range(DRAWS or count)]


def drawn_seeds_together(most: int) -> pytest.MarkDecorator:
    """`seeds` of a test that tries several at once: with MQTRIAGE_DRAWS as many as *most*.

    For what takes long to begin and not long for each, a run of Spark with a queue manager each.
    """
    seeds = drawn_seeds(1)
    together = [seeds[first : first + most] for first in range(0, len(seeds), most)]
    return pytest.mark.parametrize("seeds", together, ids=lambda some: "-".join(map(str, some)))


def drawn_dice() -> random.Random:
    """Of a seed drawn anew, which pytest shows where a test fails; MQTRIAGE_SEED sets it."""
    seed = drawn_seeds(1)[0]
    print(f"MQTRIAGE_SEED={seed}")
    return random.Random(seed)


def module(name: str, package: str) -> Any:
    """A module of a package; skips the tests without it, or fails them under MQTRIAGE_REQUIRE."""
    if is_required(package):
        return import_module(name)
    return pytest.importorskip(name, reason=f"{package} is not installed")


def reach_package_index(
    python: str = sys.executable, environ: Mapping[str, str] | None = None
) -> None:
    """Skip the test where pip, as it is configured, cannot get a package."""
    with tempfile.TemporaryDirectory() as folder:
        words = (python, "-m", "pip", "download", "--quiet", "--no-deps", "hatchling", "-d", folder)
        process = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    if process.returncode:
        reason = process.stderr.strip().splitlines()[-1:]
        pytest.skip(f"pip cannot reach the package index: {reason}")
