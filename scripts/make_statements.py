"""Write docs/statements.md: every numbered statement in a sentence, with what shows it.

The statements stand in docs/statements.tsv. A test names what it shows,
`@pytest.mark.seed("DD-17")`; a page of the manual names what it says in a comment, `.\\" DD-50`.
To name a statement is no proof: one of its tests must have noticed a fault in the code that it
runs. docs/noticed.tsv says where; `scripts/mutate.py --record` writes it.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from scripts.faults import functions  # noqa: E402

PAGE = ROOT / "docs" / "statements.md"
TABLE = ROOT / "docs" / "statements.tsv"
NOTICED = ROOT / "docs" / "noticed.tsv"

GROUPS = {
    "DD": "Delivery delay",
    "PM": "Poison messages in IBM's classes for JMS",
    "EX": "Expiry",
    "BO": "Backout in other programs",
    "CARD": "The program",
    "C": "Contradictions between documents, and the one that we follow",
    "TRAP": "Common mistakes",
    "GAP": "Gaps in the documents, and what we do",
}
_REAL_CLIENT = "tests/jms/"
_OF_CLIENTS = ("DD", "PM")
"""Groups of which every statement is shown by a real client, or says why not."""
_PAGE_NAME = re.compile(r"(mqtriage[a-z-]*)\((\d)\)")
_ID = re.compile(r"\b(?:DD|PM|EX|BO|CARD)-\d+\b")


class Statement(NamedTuple):
    """One numbered statement, where it lives, and why no real client shows it where none does."""

    id: str
    lives_in: str
    sentence: str
    unshown: str = ""

    @property
    def pages(self) -> list[str]:
        """The pages that must hold it: those of its `doc:` part."""
        part = re.search(r"doc: ([^;]*)", self.lives_in)
        names = _PAGE_NAME.findall(part[1]) if part else []
        return [f"man/{name}.{section}" for name, section in names]

    @property
    def only_on_a_page(self) -> bool:
        return self.lives_in.startswith("doc:")


class Noticed(NamedTuple):
    """A fault that a test of a statement has noticed.

    Attributes:
        function: that it was put into, `mq/expiry.py capped`.
        test: `path::function`.
    """

    function: str
    test: str


def noticed() -> dict[str, Noticed]:
    """Statement id to the last fault that was noticed there."""
    rows = (line.split("\t") for line in NOTICED.read_text("utf-8").splitlines()[1:])
    return {row[0]: Noticed(row[1], row[2]) for row in rows}


def _wrong_of_noticed(tests: dict[str, list[str]]) -> list[str]:
    """Rows whose function or test is not there any more, one sentence each."""
    wrong = []
    for seed, row in noticed().items():
        again = f": run scripts/mutate.py --record {seed}"
        if seed in tests and not row.test.startswith(tuple(tests[seed])):
            wrong.append(f"{seed}: noticed by {row.test}, which does not name it{again}")
        path, _, name = row.function.partition(" ")
        if name not in _functions(ROOT / path):
            wrong.append(f"{seed}: noticed in {row.function}, which is gone{again}")
    return wrong


@cache
def _functions(path: Path) -> frozenset[str]:
    """The functions of a file, with their classes: `Marks.is_marked`."""
    if not path.exists():
        return frozenset()
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(name for name, _, _ in functions(tree))


def statements() -> list[Statement]:
    """Every statement, in the order of the table."""
    lines = TABLE.read_text("utf-8").splitlines()[1:]
    return [Statement(*line.split("\t")) for line in lines]


def marked_tests(folder: Path = ROOT / "tests") -> dict[str, list[str]]:
    """Statement id to the tests that name it, `path::function`."""
    tests: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            for seed in _seeds(node):
                tests[seed].append(f"{path.relative_to(ROOT)}::{node.name}")
    return tests


def _seeds(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """The ids of its `seed` marks, those inside `pytest.param(..., marks=...)` included."""
    ids = []
    for decorator in node.decorator_list:
        for call in ast.walk(decorator):
            named = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            if named and call.func.attr == "seed":
                ids += [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    return [str(one) for one in ids]


def on_pages(known: list[Statement]) -> dict[str, set[str]]:
    """Page to the ids that it says it holds, for each page that must hold one."""
    paths = {page: ROOT / page for statement in known for page in statement.pages}
    return {
        page: set(_ID.findall(path.read_text("utf-8"))) if path.exists() else set()
        for page, path in paths.items()
    }


def problems() -> list[str]:
    """What is missing or wrong, one sentence each."""
    known, tests = statements(), marked_tests()
    ids = {statement.id for statement in known}
    held = on_pages(known)
    wrong = [f"{seed}: no such statement, named by {names[0]}" for seed, names in tests.items()
             if seed not in ids]  # fmt: skip
    for statement in known:
        wrong += [f"{statement.id}: not on {page}" for page in statement.pages
                  if statement.id not in held[page]]  # fmt: skip
        if statement.id not in tests and not statement.only_on_a_page:
            wrong.append(f"{statement.id}: no test names it ({statement.lives_in})")
        real = real_clients(tests.get(statement.id, []))
        if statement.id.startswith(_OF_CLIENTS) and bool(real) == bool(statement.unshown):
            has = "a test and a reason for none" if real else "neither a test nor a reason for none"
            wrong.append(f"{statement.id}: {has} with a real client")
    return wrong + _wrong_of_noticed(tests)


def real_clients(names: list[str]) -> list[str]:
    """Those of the tests that run IBM's own clients."""
    return [name for name in names if name.startswith(_REAL_CLIENT)]


def page_text() -> str:
    """The page as it should be."""
    tests = marked_tests()
    known, proof = statements(), noticed()
    held = on_pages(known)
    lines = [
        "# Statements",
        "",
        "This page lists what the emulator and the commands do, with the tests that prove each"
        " statement. Docstrings, rules and tests cite the numbers.",
        "`scripts/make_statements.py` generates this page from statements.tsv and the marks in the"
        " tests. Do not edit it.",
        "The fourth column names a function in which the tests noticed a fault that"
        " scripts/mutate.py had inserted.",
        "The last column lists the tests with IBM's own Java clients over TCP. If a statement about"
        " delivery delay or poison messages has no such test, the column gives the reason;"
        " [Tests with IBM's Java clients](java-clients.md#what-a-client-cannot-show) lists the"
        " other reasons.",
    ]
    for group, members in groupby(known, key=lambda statement: statement.id.partition("-")[0]):
        lines += [
            "",
            f"## {GROUPS[group]}",
            "",
            "| number | statement | tests and pages | fault noticed in | real client |",
            "|---|---|---|---|---|",
        ]
        for statement in members:
            pages = [page for page in statement.pages if statement.id in held[page]]
            names = tests.get(statement.id, [])
            shown_by = [f"`{name.removeprefix('tests/')}`" for name in names
                        if not name.startswith(_REAL_CLIENT)]  # fmt: skip
            shown_by += [f"[{page}](../{page})" for page in pages]
            real = [f"`{name.removeprefix('tests/')}`" for name in real_clients(names)]
            cells = (
                statement.id, statement.sentence, "<br>".join(shown_by) or "nothing yet",
                f"`{proof[statement.id].function}`" if statement.id in proof else "",
                "<br>".join(real) or f"{'none: ' * bool(statement.unshown)}{statement.unshown}",
            )  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
    count = sum(1 for statement in known if statement.id in tests)
    real_count = sum(1 for one in known if real_clients(tests.get(one.id, [])))
    text = (
        f"{len(known)} statements: tests name {count} of them, {len(proof)} have a test that"
        f" noticed an inserted fault, and {real_count} have a test with a real client."
    )
    lines += ["", text]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="say what is wrong, write nothing")
    given = parser.parse_args()
    wrong = problems()
    if given.check:
        if not PAGE.exists() or PAGE.read_text("utf-8") != page_text():
            wrong.append(f"{PAGE.relative_to(ROOT)} is stale: run scripts/make_statements.py")
    else:
        PAGE.write_text(page_text(), "utf-8")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
