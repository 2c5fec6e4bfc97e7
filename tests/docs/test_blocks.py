"""Every block of the pages is run or read, or says in the source of its page why it is not.

A page is run from its first line to its last in an empty home: what it needs it makes itself.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mqtriage.commands.help.cheats import cheat_text, cheats
from mqtriage.mq.mqsc.check import check_script
from mqtriage.mq.mqsc.parse import parse as parse_mqsc
from mqtriage.mq.rules_table.parser import parse as parse_table
from tests.support.forked import mqtriage_in
from tests.support.pages import SHELLS, Block, blocks_of, problems_of
from tests.support.tools import module, tool

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("README.md", "docs/**/*.md", "man/*.7", "definitions/rules/*.md")
    for path in ROOT.glob(pattern)
)
CHEATS = "mqtriage cheat"
RULES = "definitions/rules/"
OF_OTHER_TESTS = {
    "docs/cluster.md": "tests/docs/test_cluster_page.py",
    "docs/editors.md": "tests/acceptance/test_lsp_neovim.py",
    "docs/java.md": "tests/docs/test_java_page.py",
    "docs/rest-programs.md": "tests/docs/test_rest_programs_page.py",
    RULES: "tests/unit/definitions/rules/test_pages.py",
}
"""Blocks with `run=`, which take minutes, and pages of rules, whose MQSC is bad on purpose."""


@cache
def blocks(page: str) -> list[Block]:
    if page == CHEATS:
        shown = (line for line in cheat_text(cheats()) if "emulator serve" not in line)
        lines = "".join(f"    {line}\n" if line else "\n" for line in shown)
        return blocks_of(page, f"    mqtriage emulator create DEMO --sample\n\n{lines}")
    return blocks_of(page, (ROOT / page).read_text("utf-8"))


def all_blocks() -> Iterator[Block]:
    for page in (CHEATS, *PAGES):
        yield from blocks(page)


def needs_spark(page: str) -> bool:
    return any(
        re.search(r"^\s*(?:\$ )?mqtriage analyze", block.text, re.MULTILINE)
        for block in blocks(page)
        if block.language in SHELLS and not block.not_run and "run" not in block.about
    )


def is_run(block: Block) -> bool:
    """Whether its commands are run, or compared with what others print."""
    return block.language in SHELLS or bool(block.about.keys() & {"output", "after"})


RUN = [
    pytest.param(page, marks=[pytest.mark.long] if needs_spark(page) else [], id=page)
    for page in (CHEATS, *PAGES)
    if any(is_run(block) and not block.not_run and "run" not in block.about
           for block in blocks(page))
]  # fmt: skip


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("bin")
    with mqtriage_in(folder):
        yield folder


@pytest.mark.parametrize("page", RUN)
def test_a_page_runs_from_its_first_line_to_its_last_and_prints_what_it_shows(
    page: str,
    programs: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    pytestconfig: pytest.Config,
) -> None:
    if needs_spark(page):
        request.getfixturevalue("spark_installed")
    if page == "docs/one-liners.md":
        tool("jq")
    environ = {
        "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "COLUMNS": "80",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    problems = problems_of(blocks(page), tmp_path, environ, seconds=3600)
    if pytestconfig.getoption("--update-golden") and page != CHEATS:
        text = (ROOT / page).read_text("utf-8")
        for problem in reversed(problems):
            text = problem.mended(text)
        (ROOT / page).write_text(text, "utf-8")
        problems = [problem for problem in problems if problem.printed is None]
    assert [str(problem) for problem in problems] == []


# what is read -----------------------------------------------------------------------------------


def read_yaml(text: str) -> None:
    list(module("yaml", "mkdocs").safe_load_all(text))


def read_mqsc(text: str) -> None:
    script = parse_mqsc(text)
    assert check_script(script) == []
    assert script.commands


def read_rules(text: str) -> None:
    assert parse_table(text).problems == ()


def read_shell(text: str) -> None:
    subprocess.run(["bash", "-n", "-c", text], check=True)


READERS: dict[str, Callable[[str], object]] = {
    "toml": tomllib.loads,
    "json": json.loads,
    "yaml": read_yaml,
    "xml": ElementTree.fromstring,
    "mqsc": read_mqsc,
    "rules": read_rules,
    "python": lambda text: compile(text, "page", "exec"),
    "sh": read_shell,
    "console": lambda text: read_shell("\n".join(re.findall(r"^\$ (.*)$", text, re.MULTILINE))),
}
"""What fails on a text that is none of the language."""
FILES_OF_A_PAGE = {"java", "properties", "dockerfile", "text", "ndjson"}
"""Read where the page's own commands, or a test of that page, have use for the file."""


@pytest.mark.parametrize("page", (CHEATS, *(page for page in PAGES if RULES not in page)))
def test_every_block_is_read_and_run_or_its_page_says_why_not(page: str) -> None:
    wrong = []
    for block in blocks(page):
        if block.not_run or "drawing" in block.about:
            continue
        if block.language in READERS and "output" not in block.about:
            try:
                READERS[block.language](block.text)
            except Exception as error:  # of nine parsers
                wrong.append(f"{block.where}: {error!r}")
        elif (
            not is_run(block)
            and "run" not in block.about
            and not (block.language in FILES_OF_A_PAGE and "file" in block.about)
        ):
            wrong.append(f"{block.where}: neither run nor marked: ```{block.language}")
        if "run" in block.about and page not in OF_OTHER_TESTS:
            wrong.append(f"{block.where}: no test of its own")
    assert wrong == []


def test_an_operation_that_a_block_undoes_is_one_that_it_shows() -> None:
    """Ids differ from run to run and are not compared, but within a block they fit together."""
    operation = r"\b(01[0-9A-HJKMNP-TV-Z]{24})\b"
    wrong = []
    for block in all_blocks():
        shown = re.findall(operation, block.text)
        for undone in re.findall(rf"\bundoes +{operation}", block.text):
            if len(shown) > 1 and shown.count(undone) == 1:
                wrong.append(f"{block.where}: {undone}")
    assert wrong == []


def test_java_is_java(tmp_path: Path) -> None:
    tool("javac")
    sources = [block for block in all_blocks() if block.language == "java" and not block.not_run]
    assert len(sources) >= 4
    for number, block in enumerate(sources):
        (tmp_path / f"{number}.java").write_text(block.text, "utf-8")
    reader = tmp_path / "Read.java"
    reader.write_text(
        """
        import com.sun.source.util.JavacTask;
        import java.util.Arrays;
        import javax.tools.*;
        public class Read {
          public static void main(String[] files) throws Exception {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            StandardJavaFileManager manager = compiler.getStandardFileManager(found, null, null);
            ((JavacTask) compiler.getTask(null, manager, found, null, null,
                manager.getJavaFileObjects(files))).parse();
            found.getDiagnostics().forEach(System.out::println);
            System.exit(found.getDiagnostics().isEmpty() ? 0 : 1);
          }
        }
        """
    )
    files = [str(tmp_path / f"{number}.java") for number in range(len(sources))]
    ran = subprocess.run(
        [shutil.which("java") or "java", str(reader), *files],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_test_of_a_page_of_its_own_reads_that_page() -> None:
    for page, test in OF_OTHER_TESTS.items():
        assert Path(page).name in (ROOT / test).read_text("utf-8")


def test_nineteen_of_twenty_blocks_are_run_or_read() -> None:
    """Prints the share, and every block that is left out with its reason."""
    everything = [block for block in all_blocks() if "drawing" not in block.about]
    left_out = [block for block in everything if block.not_run]
    for block in left_out:
        print(f"{block.where}: {block.not_run}")
    share = 1 - len(left_out) / len(everything)
    kinds = Counter(block.language for block in everything)
    print(f"{len(everything)} blocks, {share:.1%} run or read: {dict(kinds)}")
    assert share >= 0.95
    of_commands = [block for block in everything if is_run(block)]
    run = sum(not block.not_run for block in of_commands)
    print(f"{run} of {len(of_commands)} blocks of commands and output are run")
