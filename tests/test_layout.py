"""The folders, the links under src/mqtriage and the wheel's table must agree."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.environment import OF_TESTS
from tests.support.scale import for_all

ROOT = Path(__file__).parent.parent


@pytest.mark.seed("C-20", "CARD-10", "CARD-11", "CARD-12")
def test_links_agree_with_wheel_table() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = config["tool"]["hatch"]["build"]["targets"]["wheel"]
    parts = {k for k in wheel["sources"] if not k.startswith("src/")}
    links = {p.name for p in (ROOT / "src" / "mqtriage").iterdir() if p.is_symlink()}
    packages = {p.parent.name for p in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"}
    assert parts == links == packages
    assert parts <= set(wheel["only-include"])
    for part in parts:
        assert wheel["sources"][part] == f"mqtriage/{part}"
        assert (ROOT / "src" / "mqtriage" / part).resolve() == ROOT / part


def test_every_manual_page_is_in_the_wheel() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    shared = config["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    pages = {f"man/{page.name}": page for page in (ROOT / "man").iterdir()}
    assert set(shared) == set(pages)
    for name, page in pages.items():
        assert shared[name] == f"share/man/man{page.suffix[1:]}/{page.name}"


@pytest.mark.seed("CARD-09")
def test_the_program_starts_at_the_entry_point_that_pyproject_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, function = project["scripts"]["mqtriage"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))
    assert {re.split(r"[<>=]", name)[0] for name in project["dependencies"]} == {
        "typer",
        "rich",
        "tabulate",
        "tomlkit",
    }


@pytest.mark.seed("CARD-31")
def test_the_package_is_python_and_declares_the_versions_that_it_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    least = tuple(int(part) for part in project["requires-python"].removeprefix(">=").split("."))
    assert sys.version_info[:2] >= least
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    others = set()
    for part in config["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"]:
        code = {path.suffix for path in (ROOT / part).rglob("*") if path.is_file()}
        assert ".py" in code
        assert not code & {".js", ".sh", ".go", ".rs"}
        others |= {path.relative_to(ROOT) for path in (ROOT / part).rglob("*.java")}
    # the one program that is no Python: only IBM's JMS client can send with a delay (DD-14)
    assert others == {Path("backends/client/DelayedPut.java")}


@pytest.mark.seed("CARD-11")
@for_all(sorted((ROOT / "commands").rglob("*.py")))
def test_a_command_imports_neither_typer_nor_rich(path: Path) -> None:
    imported = re.findall(r"^ *(?:import|from) (\w+)", path.read_text("utf-8"), re.MULTILINE)
    assert not set(imported) & {"typer", "rich", "tabulate"}


@for_all(sorted((ROOT / "man").glob("*.[17]")))
def test_a_page_refers_to_pages_that_exist(page: Path) -> None:
    for name, section in re.findall(r"^\.BR (\S+) \((\d)\)", page.read_text("utf-8"), re.MULTILINE):
        assert (ROOT / "man" / f"{name.replace(chr(92), '')}.{section}").exists(), name


def test_each_page_of_section_7_is_referred_to_by_its_group_and_by_the_first_page() -> None:
    for page in (ROOT / "man").glob("*.7"):
        reference = f".BR {page.stem} (7)".replace("-", "\\-")
        assert reference in (ROOT / "man" / "mqtriage.1").read_text("utf-8")
        group = page.with_suffix(".1")
        assert not group.exists() or reference in group.read_text("utf-8")


TAKERS = {
    "operations/engine/unit_of_work.py": "it opens the queue and takes the message",
    "commands/context/authority_needs.py": "says which authority an option needs; opens nothing",
    "operations/engine/outlets.py": "asks whether messages may be taken: opens, and closes at once",
}
"""Files of commands and cli that name the options of an open for input or a get."""


def test_messages_are_taken_in_one_place_alone() -> None:
    """No verb takes messages beside the engine with its plan, journal and archive."""
    users = {
        str(path.relative_to(ROOT))
        for folder in ("operations", "commands", "cli")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"\bMQOO_INPUT_|\bMQGMO_MSG_UNDER_CURSOR\b", path.read_text("utf-8"))
    }
    assert "operations/engine/unit_of_work.py" in users
    assert users <= set(TAKERS)


def test_the_engine_is_started_with_a_journal_alone() -> None:
    """Only these know it; `carry_out` takes an entry of the journal, and `act` makes one."""
    engine = re.compile(r"from mqtriage\.operations\.engine\.(carry_out|unit_of_work|loop) import")
    users = {
        str(path.relative_to(ROOT))
        for folder in ("operations", "commands", "cli")
        for path in (ROOT / folder).rglob("*.py")
        if engine.search(path.read_text("utf-8"))
    }
    assert users == {
        "cli/frame/message_flow.py",
        "operations/engine/carry_out.py",
        "operations/engine/destinations.py",
        "operations/engine/grouped.py",
        "operations/engine/loop.py",
        "operations/load/puts.py",
        "operations/recovery/give_back.py",
        "operations/recovery/resume.py",
        "operations/rules/carry_out.py",
        "operations/rules/destination.py",
    }


@pytest.mark.seed("CARD-08")
def test_pytest_alone_runs_every_test_from_a_clean_checkout() -> None:
    """No queue manager, no configuration: what needs more than pip brings skips and says so."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]
    assert config["ini_options"]["testpaths"] == ["tests"]
    assert "--strict-markers" in config["ini_options"]["addopts"]
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert all((folder / "__init__.py").exists() for folder in folders)


NOT_NAMES = {"found", "made", "told", "each", "wanted", "left", "said"}
"""Words that say nothing of what a value is."""
IN_CODE = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*'
    rf"|\b({'|'.join(NOT_NAMES)})\b",
    re.DOTALL,
)
"""Strings and comments, and those words between them: most files have none, and are not parsed."""
ROOMS = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"})


@pytest.mark.parametrize("room", [*ROOMS, "tests"])
def test_a_value_is_called_after_what_it_is(room: str) -> None:
    """But a column of a record, `left: int = column(...)`: its name is a key that scripts know."""
    violations = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {name}"
        for path in sorted((ROOT / room).rglob("*.py"))
        if any(IN_CODE.findall(text := path.read_text("utf-8")))
        for node in without_columns(ast.parse(text))
        if isinstance(node, ast.Name | ast.arg)
        and (name := node.id if isinstance(node, ast.Name) else node.arg) in NOT_NAMES
        and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    ]
    assert violations == []


def without_columns(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of *tree* but the names of columns."""
    columns = {
        id(node.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "column"
    }
    return (node for node in ast.walk(tree) if id(node) not in columns)


def test_no_two_classes_of_the_product_share_a_name() -> None:
    """Else a reader who looks for one finds another; what begins with _ stays in its file."""
    texts = {
        str(path.relative_to(ROOT)): path.read_text("utf-8")
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
    }
    line = re.compile(r"^ *class ([^_\W]\w*)", re.MULTILINE)  # or a line of a string
    lines = Counter(name for text in texts.values() for name in line.findall(text))
    places: dict[str, list[str]] = {}
    for file, text in texts.items():
        if any(lines[name] > 1 for name in line.findall(text)):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places.setdefault(node.name, []).append(file)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


OF_PYTHON = (
    "backends/pytest_plugin.py",  # pytest loads it in every run, and it imports none of ours
    "definitions/editor/",
    "emulator/channel/",
    "emulator/clients/",
    "emulator/mqi/",
    "emulator/simulation/",
    "emulator/web/",
    "pipeline/",
)
"""What starts slowly anyway, or imports none of ours: its records are the standard library's."""


@pytest.mark.parametrize("room", ROOMS)
def test_records_that_a_command_starts_with_are_compiled_at_first_use(room: str) -> None:
    """The standard library compiles its own at every start; see `src/mqtriage/records.py`."""
    names = {"dataclass", "NamedTuple"}
    line = re.compile(r"^ *from (\S+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
    imports = [
        (str(path.relative_to(ROOT)), module)
        for path in (ROOT / room).rglob("*.py")
        for module, several, one in line.findall(path.read_text("utf-8"))
        if names & set(re.findall(r"\w+", several or one))
    ]
    wrong = {
        file for file, module in imports
        if (module == "mqtriage.records") == file.startswith(OF_PYTHON)
    }  # fmt: skip
    assert wrong == set()


def test_what_tests_read_of_the_environment_is_not_taken_away() -> None:
    """MQTRIAGE_TEST_REST was: its end of the contract tests ran nowhere, and nobody heard of it."""
    names = {
        name
        for path in (ROOT / "tests").rglob("*.py")
        for name in re.findall(r'environ\.get\("(MQTRIAGE_\w+)"', path.read_text("utf-8"))
    }
    assert names <= OF_TESTS
