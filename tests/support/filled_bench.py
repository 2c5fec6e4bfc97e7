"""The sample with something for every command to find, copied for each test."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench


PERIOD_S: Final = 240


def filled_bench(home: Path) -> Bench:
    """The sample, with something for every command to find."""
    from tests.acceptance.conftest import Bench

    bench = Bench(home)
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.define("EMPTY.Q", "REPORTS")
    report_options = ("--report", "EXPIRATION_WITH_FULL_DATA", "--reply-to", "REPORTS")
    bench.ok("msg", "put", "EMPTY.Q", "gone", "--expiry", "1s", *report_options, "--yes")
    bench.ok("emulator", "clock", "+5s")
    bench.ok("expiry", "sweep", "EMPTY.Q", "--yes")
    assert bench.depth("REPORTS") == 1
    return bench


@pytest.fixture(scope="session")
def filled_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Its queue manager, filled once in each period."""
    return cache(lambda _: filled_bench(tmp_path_factory.mktemp("filled") / "home").path())


@pytest.fixture
def filled_copy(
    filled_files: Callable[[int], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Bench:
    """A copy of it, run in an empty folder; a lifetime in it ends after ten minutes."""
    from tests.acceptance.conftest import Bench, with_copy

    bench = with_copy(Bench(tmp_path / "home"), filled_files(int(monotonic() // PERIOD_S)))
    bench.environ |= {"MQTRIAGE_QMGR": "QM1", "MQTRIAGE_CONFIG": str(tmp_path / "config.toml")}
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return bench
