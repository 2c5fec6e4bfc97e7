"""What docs/evidence.md promises is shown by tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def functions(path: Path) -> set[str]:
    """Names of the functions of a module."""
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.slow
def test_each_promise_names_a_test_that_exists() -> None:
    text = (ROOT / "docs" / "evidence.md").read_text("utf-8")
    named = NAMED.findall(text)
    assert len(named) > 30
    for file, name in named:
        assert name in functions(ROOT / file), f"{file}::{name}"


def test_each_promise_has_a_test() -> None:
    text = (ROOT / "docs" / "evidence.md").read_text("utf-8")
    promises = text.partition("## What mqtriage promises")[2].partition(
        "## What mqtriage does not promise"
    )[0]
    lines = [line for line in promises.splitlines() if line.startswith("- ")]
    assert lines
    for line in lines:
        assert NAMED.search(line), line
