"""Product code that no product code uses is deleted: tests alone are no reason to keep it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
ROOMS: Final = tuple(path.name for path in (ROOT / "src" / "mqtriage").iterdir() if path.is_dir())
LEFT_OVER: Final = frozenset(
    {
        "backends/pytest_plugin.py: pytest_configure",  # pytest calls it
        "cli/frame/params.py: process_value",  # typer calls it
    }
)
"""What nothing of ours calls."""

Definition = ast.FunctionDef | ast.ClassDef


def definitions(tree: ast.Module) -> Iterator[Definition]:
    """Functions and classes, and methods of classes that nothing else calls them through."""
    for node in tree.body:
        if isinstance(node, Definition) and not node.decorator_list:
            yield node
        if isinstance(node, ast.ClassDef) and not node.bases:
            yield from (
                inner
                for inner in node.body
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("__")
            )


def names(tree: ast.AST) -> Iterator[str]:
    """The names that code uses, in texts such as ``"module:function"`` as well."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names if alias.asname)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"[A-Za-z_]\w*", node.value[:100])


def unused() -> Iterator[str]:
    trees = {
        path.relative_to(ROOT): ast.parse(path.read_text("utf-8"))
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
    }
    used = Counter(name for tree in trees.values() for name in names(tree))
    for table in ("cli/frame/verbs.tsv", "messages/filters/fields.tsv"):  # which name functions
        used.update(re.findall(r"\w+", (ROOT / table).read_text("utf-8")))
    for path, tree in trees.items():
        for node in definitions(tree):
            if used[node.name] <= sum(name == node.name for name in names(node)):
                yield f"{path}: {node.name}"


def unread() -> Iterator[str]:
    """Private constants that nothing in their module reads."""
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            tree = ast.parse(path.read_text("utf-8"))
            read = set(names(tree))
            for node in tree.body:
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    name = node.target.id
                    if name.startswith("_") and name not in read:
                        yield f"{path.relative_to(ROOT)}: {name}"


@pytest.mark.slow
def test_every_private_constant_is_read() -> None:
    assert sorted(unread()) == []


@pytest.mark.slow
def test_nothing_in_the_product_is_there_for_tests_alone() -> None:
    assert set(unused()) == LEFT_OVER
