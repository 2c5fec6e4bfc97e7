"""Each test has a queue manager of its own, copied from one that is made once."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from tests.acceptance.messages.estate import Estate


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template") / "home"
    original = Estate.create(folder)
    original.queue("IN")
    original.queue("OUT")
    return folder


@pytest.fixture
def estate(template: Path, tmp_path: Path) -> Estate:
    return Estate(Path(copytree(template, tmp_path / "home")))
