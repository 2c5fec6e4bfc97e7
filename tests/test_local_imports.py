"""Imports inside functions are there for start-up alone; none closes a circle.

Free are those of other packages (loaded where they are needed), those of `cli` (a verb is imported
when it runs) and those of the modules in `CHOOSERS`, which load what was chosen. Any other
stands in tests/local_imports.txt, one `FILE MODULE` a line below what start-up gains by it, a line
that begins with #: that list only gets shorter.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LISTED = ROOT / "tests" / "local_imports.txt"
CHOOSERS = {
    "backends/registry.py": "loads the end of the port that was chosen",
    "backends/pytest_plugin.py": "pytest loads it in every run, fixtures used or not",
    "commands/analyze/run.py": "loads what needs Spark once it is known to be there",
    "commands/analyze/watch.py": "loads what needs Spark once it is known to be there",
    "commands/emulator/consume.py": "loads the kind of client that was chosen",
    "pipeline/submitted.py": "runs on a cluster, and loads what its zip brings",
}


INDENTED = re.compile(r"^[ \t]+(?:from|import) mqtriage", re.MULTILINE)


def rooms() -> list[str]:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    parts = config["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"]
    return sorted(part for part in parts if not part.startswith("src/"))


def local_imports(tree: ast.AST) -> Iterator[str]:
    """The modules of ours that functions import."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mqtriage"):
                    yield str(node.module)
                elif isinstance(node, ast.Import):
                    yield from (it.name for it in node.names if it.name.startswith("mqtriage"))


def places() -> set[str]:
    """`FILE MODULE` of each local import that is not free."""
    return {
        f"{name} {module}"
        for room in rooms()
        if room != "cli"
        for path in (ROOT / room).rglob("*.py")
        if (name := str(path.relative_to(ROOT))) not in CHOOSERS
        and INDENTED.search(text := path.read_text("utf-8"))
        for module in local_imports(ast.parse(text))
    }


def test_no_import_inside_a_function_is_new(request: pytest.FixtureRequest) -> None:
    """`--update-golden` takes out of the list what is gone, and adds nothing."""
    there = places()
    lines = LISTED.read_text("utf-8").splitlines()
    if request.config.getoption("--update-golden"):
        lines = [line for line in lines if line.startswith("# ") or line in there]
        LISTED.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    listed = {line for line in lines if not line.startswith("# ")}
    assert sorted(there - listed) == [], "put it at the top of the file"
    assert sorted(listed - there) == [], "gone: run this test with --update-golden"


def test_every_listed_import_stands_below_its_reason() -> None:
    lines = LISTED.read_text("utf-8").splitlines()
    assert lines[0].startswith("# ")
    for reason, line in pairwise([*lines, "# "]):
        assert not (reason.startswith("# ") and line.startswith("# ")), f"nothing below {reason}"


def test_the_files_that_choose_are_there() -> None:
    assert [name for name in CHOOSERS if not (ROOT / name).exists()] == []


def test_the_check_sees_an_import_inside_a_function() -> None:
    code = "import mqtriage.mq\ndef f():\n    import json\n    from mqtriage.model import units\n"
    assert list(local_imports(ast.parse(code))) == ["mqtriage.model"]
