"""Shared by all tests: golden files, how much is tried, and what each process does."""

from __future__ import annotations

import difflib
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support import environment
from tests.support.scale import SCALE, amount
from tests.support.tools import DRAWS, drawn_seeds
from tests.support.workers import SPARK, ByFile, runs_java, scope_of

environment.clear()
environment.use_ram_disk()
environment.use_kept_libraries()

# A shared machine stalls now and then; that says nothing about the code under test.
# What fails says how to have it again.
settings.register_profile(
    "mqtriage", deadline=None, max_examples=amount(40, all=1000), print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.load_profile("mqtriage")

pytest_plugins = [
    "tests.support.spark_session", "tests.support.simulated_day", "tests.support.filled_bench",
]  # fmt: skip

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the tests saw to tests/golden/, to be read as a diff afterwards",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Leave out what is marked `long` unless `-m`, a test's own name or MQTRIAGE_TESTS=all asks."""
    named = any("::" in argument for argument in config.args)
    if not (config.option.markexpr or named or SCALE == "all"):
        config.option.markexpr = "not long"


def pytest_report_header(config: pytest.Config) -> str:
    left_out = config.option.markexpr == "not long"
    return "tests marked `long` are left out: -m long runs them" if left_out else ""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """With MQTRIAGE_DRAWS=300 a test that throws dice of a drawn seed is run with so many."""
    if DRAWS and "drawn_dice" in metafunc.function.__code__.co_names:
        metafunc.fixturenames.append("drawn_seed")
        metafunc.parametrize("drawn_seed", drawn_seeds(DRAWS), indirect=True)


@pytest.fixture
def drawn_seed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What MQTRIAGE_SEED says while the test runs."""
    monkeypatch.setenv("MQTRIAGE_SEED", str(request.param))


def pytest_itemcollected(item: pytest.Item) -> None:
    """What runs on Java is `slow`, without a mark at each; in a hurry none does."""
    if SCALE != "fast" and runs_java(item.nodeid):
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that the processes end at about the same time."""
    items.sort(key=lambda item: scope_of(item.nodeid) != SPARK)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    config.option.loadscopereorder = False
    return ByFile(config, log)


def pytest_collection_finish() -> None:
    """Leave the collected tests out of what Python's collector looks through from here on.

    One look through 13,000 of them takes 0.3 seconds, and tests of times are charged with it.
    """
    gc.collect()
    gc.freeze()
    gc.collect()  # how often it looks depends on what it found last: nothing now


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare text with a file: ``golden("formatters/table_120.txt", text)``.

    The name is a path below tests/golden/. Files are compared byte for byte (UTF-8, no change of
    line ends). With ``--update-golden`` the file is written instead.
    """

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        data = text.encode("utf-8")
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            return
        if not path.exists():
            pytest.fail(f"tests/golden/{name} is missing: run pytest --update-golden, read it")
        expected = path.read_bytes()
        if data != expected:
            diff = difflib.unified_diff(
                expected.decode("utf-8").splitlines(),
                text.splitlines(),
                f"tests/golden/{name}",
                "what the test saw",
                lineterm="",
            )
            pytest.fail("\n".join(diff) or "only line ends differ", pytrace=False)

    return check
