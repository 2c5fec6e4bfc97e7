"""The table of docs/java-clients.md: which test passed with which client, by the run itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.ibm_java import NEWEST, OLDER

PAGE: Final = Path(__file__).parents[2] / "docs" / "java-clients.md"
CLIENTS: Final = [client.name for client in (*reversed(OLDER), *NEWEST)]
_PLACE: Final = re.compile(r"(<!-- programs and clients -->\n).*(<!-- end -->)", re.DOTALL)
_NODE: Final = re.compile(r"tests/jms/(\w+)\.py::(\w+)\[.*?((?:javax|jakarta)-[\d.]+\d)")

Results = dict[tuple[str, str, str], bool]
"""File, test and client to whether all its cases passed."""


def tests() -> Iterator[tuple[str, str, str]]:
    """File, what it is about, and name of each daily test with a client, in their order."""
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        subject = (ast.get_docstring(tree) or "").splitlines()[0]
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                if any("mark.long" in ast.unparse(one) for one in node.decorator_list):
                    continue
                yield path.stem, subject, node.name


def row_name(name: str) -> str:
    """A test's name, as the page has it."""
    return f"`{name.removeprefix('test_')}`"


def note(results: Results, node: str, *, passed: bool) -> None:
    """Take one case of a test into account."""
    match = _NODE.match(node)
    if match is not None:
        key = match[1], match[2], match[3]
        results[key] = passed and results.get(key, True)


def cells(text: str) -> dict[str, list[str]]:
    """What the page says now: a row's words to its cells."""
    rows = re.findall(r"^\| (.*?) \| (.*) \|$", _PLACE.search(text)[0], re.MULTILINE)  # type: ignore[index]
    return {first: others.split(" | ") for first, others in rows}


def differences(results: Results) -> list[str]:
    """The cells of the page that are not what was run."""
    before, wrong = cells(PAGE.read_text("utf-8")), []
    for file, _, name in tests():
        row = before.get(row_name(name), ["-"] * len(CLIENTS))
        for client, cell in zip(CLIENTS, row, strict=True):
            passed = results.get((file, name, client))
            if passed is not None and cell != _cell(passed):
                wrong.append(f"{row_name(name)} with {client}: {_cell(passed)}")
    return wrong


def _cell(passed: bool) -> str:
    return "ok" if passed else "failed"


def write(results: Results) -> None:
    """Write the page anew: what was not run stays as it is."""
    text = PAGE.read_text("utf-8")
    before = cells(text)
    lines = [f"| | {' | '.join(CLIENTS)} |", f"|{'---|' * (len(CLIENTS) + 1)}"]
    subject = ""
    for file, about, name in tests():
        if about != subject:
            subject = about
            lines.append(f"| **{about}** |{' |' * len(CLIENTS)}")
        old = dict(zip(CLIENTS, before.get(row_name(name), []), strict=False))
        row = []
        for client in CLIENTS:
            passed = results.get((file, name, client))
            was = old.get(client, "-")
            row.append(was if passed is None else _cell(passed))
        lines.append(f"| {row_name(name)} | {' | '.join(row)} |")
    table = "\n".join(lines)
    PAGE.write_text(_PLACE.sub(lambda place: f"{place[1]}{table}\n{place[2]}", text), "utf-8")
