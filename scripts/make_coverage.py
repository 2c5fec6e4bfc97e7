"""Write docs/emulator-coverage.md: every numbered statement with what shows it.

The statements are those of the requirements file: DD delivery delay, PM and BO poison messages, EX
expiry, CARD the user's design card. A test names what it shows, `@pytest.mark.seed("DD-17")`; a
page of the manual names what it says in a comment, `.\\" DD-50`. A test names also the rows of the
file's other tables that it shows: C-01 to C-20 the contradictions; TRAP-01 to TRAP-10 the rows most
likely to be got wrong, TRAP-11 to TRAP-16 the runners-up below them; GAP-01 to GAP-13 what the
documents leave open. Each of those needs a test as well.

Run without arguments to write the page; `--check` says what is wrong and writes nothing.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "emulator-coverage.md"
IDS = ROOT / "tests" / "seed_ids.tsv"
PENDING = ROOT / "tests" / "seed_pending.toml"

_PAGE_NAME = re.compile(r"(mqtriage[a-z-]*)\((\d)\)")
TABLES = {
    "contradiction": [f"C-{number:02}" for number in range(1, 21)],
    "trap": [f"TRAP-{number:02}" for number in range(1, 17)],
    "gap": [f"GAP-{number:02}" for number in range(1, 14)],
}
_ID = re.compile(r"\b(?:DD|PM|EX|BO|CARD)-\d+\b")


class Statement(NamedTuple):
    """One numbered statement and where it lives."""

    id: str
    lives_in: str

    @property
    def pages(self) -> list[str]:
        """The pages that must hold it: those of its `doc:` part."""
        part = re.search(r"doc: ([^;]*)", self.lives_in)
        found = _PAGE_NAME.findall(part[1]) if part else []
        return [f"man/{name}.{section}" for name, section in found]

    @property
    def only_on_a_page(self) -> bool:
        return self.lives_in.startswith("doc:")


def statements() -> list[Statement]:
    """Every statement, in the order of the requirements file."""
    lines = IDS.read_text("utf-8").splitlines()[1:]
    return [Statement(*line.split("\t")) for line in lines]


def marked_tests(folder: Path = ROOT / "tests") -> dict[str, list[str]]:
    """Statement id to the tests that name it, `path::function`."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            for seed in _seeds(node):
                found[seed].append(f"{path.relative_to(ROOT)}::{node.name}")
    return found


def _seeds(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """The ids of its `seed` marks, those inside `pytest.param(..., marks=...)` included."""
    ids = []
    for decorator in node.decorator_list:
        for call in ast.walk(decorator):
            named = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            if named and call.func.attr == "seed":
                ids += [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    return [str(one) for one in ids]


def pending() -> dict[str, int]:
    """Ids that wait for another issue: id to the number of that issue."""
    table = tomllib.loads(PENDING.read_text("utf-8")) if PENDING.exists() else {}
    return {str(key): int(value) for key, value in table.items()}


def on_page(page: str) -> set[str]:
    """The ids that a page says it holds."""
    path = ROOT / page
    return set(_ID.findall(path.read_text("utf-8"))) if path.exists() else set()


def problems() -> list[str]:
    """What is missing or wrong, one sentence each."""
    known = statements()
    tests, waiting = marked_tests(), pending()
    rows = [(row, table) for table, names in TABLES.items() for row in names]
    ids = {*(statement.id for statement in known), *(row for row, _ in rows)}
    found = [f"{seed}: no such statement, named by {names[0]}" for seed, names in tests.items()
             if seed not in ids]  # fmt: skip
    found += [f"{seed}: no such statement, named as pending" for seed in waiting if seed not in ids]
    for statement in known:
        tested = statement.id in tests
        if tested and statement.id in waiting:
            found.append(f"{statement.id}: has a test and is still named as pending")
        if statement.id in waiting:
            continue
        found += [f"{statement.id}: not on {page}" for page in statement.pages
                  if statement.id not in on_page(page)]  # fmt: skip
        if not tested and not statement.only_on_a_page:
            found.append(f"{statement.id}: no test names it ({statement.lives_in})")
    found += [f"{row}: no test names it ({table})" for row, table in rows if row not in tests]
    return found


def page_text() -> str:
    """The page as it should be."""
    tests, waiting = marked_tests(), pending()
    known = statements()
    lines = [
        "# What shows each statement",
        "",
        "Written by `scripts/make_coverage.py`; do not edit.",
        "DD: delivery delay. PM, BO: poison messages. EX: expiry. CARD: the design card.",
        "",
        "| statement | shown by |",
        "|---|---|",
    ]
    for statement in known:
        names = tests.get(statement.id, [])
        pages = [
            f"[{page}](../{page})" for page in statement.pages if statement.id in on_page(page)
        ]
        shown = [f"`{name.removeprefix('tests/')}`" for name in names] + pages
        if not shown and statement.id in waiting:
            shown = [f"waits for issue {waiting[statement.id]}"]
        lines.append(f"| {statement.id} | {'<br>'.join(shown) or 'nothing yet'} |")
    for table, rows in TABLES.items():
        lines += ["", f"| {table} | shown by |", "|---|---|"]
        for row in rows:
            shown = [f"`{test.removeprefix('tests/')}`" for test in tests.get(row, [])]
            lines.append(f"| {row} | {'<br>'.join(shown) or 'nothing yet'} |")
    count = sum(1 for statement in known if statement.id in tests)
    lines += ["", f"{len(known)} statements, {count} of them shown by tests."]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page, or check it."""
    found = problems()
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text("utf-8") != page_text():
            found.append(f"{PAGE.relative_to(ROOT)} is stale: run scripts/make_coverage.py")
    else:
        PAGE.write_text(page_text(), "utf-8")
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
