"""Put faults into the code at the places of statements, and see whether their tests notice.

    scripts/mutate.py [COUNT | ID...]

COUNT statements are drawn, 20 where nothing is said; `all` takes every one. Of each, two faults are
drawn among the lines that run in the tests named for it: a comparison or its boundary, a whole
number, a negation, an `and` or `or`, a call that is dropped. MQTRIAGE_SEED repeats a run. Survivors
are listed and end with 0: each wants a test, or a reason why the fault changes nothing.
"""

from __future__ import annotations

import ast
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Final, NamedTuple, TypeVar

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.make_statements import marked_tests, statements  # noqa: E402

FAULTS: Final = 2
"""Of each statement."""
ROOMS: Final = ("mq", "model", "messages", "emulator", "definitions", "operations", "commands")
"""Where statements have their places; the others put options in and results out."""
ELSEWHERE: Final = ("tests/jms/", "tests/pipeline/", "tests/mqi/", "tests/contract/")
"""Tests that run the code in another process, or wait for Java."""
LONGEST_S: Final = 120
_OTHER: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


class Fault(NamedTuple):
    """One change of one place.

    Attributes:
        path: of the file, from the top of the repository.
        function: that it stands in, by the line that it begins at.
        number: of the fault among those of its file.
        text: the place before and after.
    """

    path: str
    line: int
    function: int
    number: int
    text: str


T = TypeVar("T")
Change = tuple[ast.AST, ast.AST]
"""A node and what takes its place."""


def changes(tree: ast.AST) -> Iterator[Change]:
    """Every fault that a module can have, in a fixed order."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            other = deepcopy(node)
            other.ops = [_OTHER[type(node.ops[0])]()]
            yield node, other
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield node, ast.Constant(node.value + 1)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, node.operand
        elif isinstance(node, ast.BoolOp):
            other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, ast.BoolOp(other_op, node.values)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield node, ast.Pass()
        elif isinstance(node, ast.If) and isinstance(
            node.test, ast.Call | ast.Name | ast.Attribute
        ):
            yield node.test, ast.UnaryOp(ast.Not(), node.test)


def faults_of(path: str, source: str, lines: Sequence[int]) -> list[Fault]:
    """The faults of a file that stand in functions, on lines that ran."""
    tree = ast.parse(source)
    spans = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]
    ran, faults = set(lines), []
    for number, (old, new) in enumerate(changes(tree)):
        line = getattr(old, "lineno", 0)
        inside = [begin for begin, end in spans if begin < line <= end]
        if line in ran and inside:
            text = f"{ast.unparse(old)} -> {ast.unparse(new)}".replace("\n", " ")
            faults.append(Fault(path, line, max(inside), number, text))
    return faults


def broken(source: str, number: int) -> str:
    """The source with that fault."""
    tree = ast.parse(source)
    old, new = list(changes(tree))[number]

    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Put().visit(tree)))


class Checkout:
    """A copy of the repository in which faults are put."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        left_out = shutil.ignore_patterns(".git", ".*venv", ".*_cache", "__pycache__")
        shutil.copytree(ROOT, self.folder, symlinks=True, ignore=left_out)
        (folder / "shared").symlink_to(ROOT.parent / "shared")

    def run(self, tests: Sequence[str], *more: str) -> bool:
        """Whether these tests pass, with *more* in front of pytest's words."""
        argv = [sys.executable, *more, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        environ = {**os.environ, "PYTHONPATH": str(self.folder / "src"), "MQTRIAGE_TESTS": "fast"}
        environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}
        try:
            done = subprocess.run(
                [*argv, *tests], cwd=self.folder, env=environ, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=LONGEST_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def lines_run(self, tests: Sequence[str]) -> Mapping[str, list[int]] | None:
        """The lines of each product file that run in these tests; None where one fails."""
        data = self.folder.parent / "coverage"
        if not self.run(tests, "-m", "coverage", "run", f"--data-file={data}", "--source=src"):
            return None
        report = data.with_suffix(".json")
        subprocess.run(
            [sys.executable, "-m", "coverage", "json", "-q", f"--data-file={data}", "-o", report],
            cwd=self.folder, check=True, capture_output=True,
        )  # fmt: skip
        files = json.loads(report.read_text("utf-8"))["files"]
        named = ((name.removeprefix("src/mqtriage/"), one) for name, one in files.items())
        return {name: one["executed_lines"] for name, one in named if name.startswith(ROOMS)}

    def notices(self, fault: Fault, tests: Sequence[str]) -> bool:
        """Whether one of the tests fails with the fault."""
        path = self.folder / fault.path
        source = path.read_text("utf-8")
        try:
            path.write_text(broken(source, fault.number), "utf-8")
            return not self.run(tests)
        finally:
            path.write_text(source, "utf-8")


def chosen(words: Sequence[str], random: Random) -> dict[str, list[str]]:
    """The statements, each with the tests named for it that run here."""
    named = marked_tests()
    shown = {
        one.id: tests
        for one in statements()
        if not one.only_on_a_page
        and (tests := [test for test in named.get(one.id, ()) if not test.startswith(ELSEWHERE)])
    }
    if words == ["all"]:
        return shown
    if words and not words[0].isdecimal():
        return {name: shown[name] for name in words}
    count = int(words[0]) if words else 20
    return {name: shown[name] for name in random.sample(sorted(shown), min(count, len(shown)))}


def main() -> int:
    seed = int(os.environ.get("MQTRIAGE_SEED", "0")) or secrets.randbelow(1 << 30)
    print(f"MQTRIAGE_SEED={seed}", flush=True)
    random = Random(seed)
    drawn = chosen(sys.argv[1:], random)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        checkouts: SimpleQueue[Checkout] = SimpleQueue()
        for number in range(os.cpu_count() or 1):
            folder = Path(scratch, str(number))
            folder.mkdir()
            checkouts.put(Checkout(folder))

        def within(work: Callable[[Checkout], T]) -> T:
            """Do it in a checkout that nobody else is in."""
            checkout = checkouts.get()
            try:
                return work(checkout)
            finally:
                checkouts.put(checkout)

        def lines_of(name: str) -> Mapping[str, list[int]] | None:
            return within(lambda checkout: checkout.lines_run(drawn[name]))

        ran = dict(zip(drawn, pool.map(lines_of, drawn), strict=True))
        failing = [name for name, lines in ran.items() if lines is None]
        for name in failing:
            print(f"{name}: its tests fail without a fault, or take {LONGEST_S} s")
        drawn_faults = list(_drawn({name: lines for name, lines in ran.items() if lines}, random))

        def verdict(one: tuple[str, Fault]) -> bool:
            return within(lambda checkout: checkout.notices(one[1], drawn[one[0]]))

        survived = 0
        for (name, fault), noticed in zip(
            drawn_faults, pool.map(verdict, drawn_faults), strict=True
        ):
            survived += not noticed
            word = "noticed" if noticed else "SURVIVED"
            print(f"{name}\t{word}\t{fault.path}:{fault.line}\t{fault.text[:120]}", flush=True)
    print(f"{len(drawn_faults)} faults at {len(drawn)} statements, {survived} survived")
    return 1 if failing else 0


def _drawn(
    ran: Mapping[str, Mapping[str, list[int]]], random: Random
) -> Iterator[tuple[str, Fault]]:
    """Two faults of each statement, in functions that most of the others do not run."""
    by_statement = {
        name: [
            fault
            for path, lines in sorted(files.items())
            for fault in faults_of(path, (ROOT / path).read_text("utf-8"), lines)
        ]
        for name, files in ran.items()
    }
    places = Counter(
        place
        for faults in by_statement.values()
        for place in {(fault.path, fault.function) for fault in faults}
    )
    most = max(len(ran) // 4, 1)
    for name, faults in by_statement.items():
        own = [fault for fault in faults if places[fault.path, fault.function] <= most] or faults
        for fault in random.sample(own, min(FAULTS, len(own))):
            yield name, fault


if __name__ == "__main__":
    sys.exit(main())
