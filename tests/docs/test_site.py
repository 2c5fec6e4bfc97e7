"""The documentation site: mkdocs builds it without a warning, from our own pages, offline."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from mqtriage.definitions.lint.pages import titles
from tests.docs.test_man import plain, script
from tests.support.tools import module

ROOT = Path(__file__).parents[2]

make_site = script("make_site")


def build(pages: Path, site: Path, config: str = "mkdocs.yml") -> subprocess.CompletedProcess[str]:
    module("mkdocs", "mkdocs")
    return subprocess.run(
        (sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site, "-f", config),
        cwd=ROOT,
        env={**os.environ, "MQTRIAGE_PAGES": str(pages)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    make_site.lay_out(folder / "pages")
    process = build(folder / "pages", folder / "site")
    assert process.returncode == 0, process.stderr
    return folder / "site"


@pytest.mark.slow
def test_every_page_and_every_manual_page_is_in_the_site(site: Path) -> None:
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("man/*"), *ROOT.glob("definitions/rules/*.md")]
    assert len(pages) > 100
    for page in pages:
        name = page.relative_to(ROOT)
        built = name.with_suffix(".html") if page.suffix == ".md" else Path(f"{name}.html")
        if page.name == "README.md" and not (site / built).is_file():
            built = name.with_name("index.html")  # the page of its folder
        assert (site / built).is_file(), name


@pytest.mark.slow
def test_a_page_loads_nothing_from_elsewhere(site: Path) -> None:
    loads = re.compile(r'(?:src="|<link[^>]*href="|url\(|@import )["\']?(https?:)?//')
    for path in (*site.rglob("*.html"), *site.rglob("*.css")):
        assert not loads.search(path.read_text("utf-8")), path


@pytest.mark.parametrize(
    ("text", "problem"),
    [("fine", ""), ("[gone](gone.md)", "gone.md"), ("[part](other.md#gone)", "other.md#gone")],
)
@pytest.mark.slow
def test_a_link_to_nothing_ends_the_build(tmp_path: Path, text: str, problem: str) -> None:
    """Of a site of two pages, with the settings of the whole one."""
    config, pages = tmp_path / "mkdocs.yml", tmp_path / "pages"
    pages.mkdir()
    config.write_text(f"INHERIT: {ROOT}/mkdocs.yml\nnav: [index.md, other.md]\nextra_css: []\n")
    (pages / "index.md").write_text(f"# Site\n\n{text}\n", "utf-8")
    (pages / "other.md").write_text("# Other\n", "utf-8")
    process = build(pages, tmp_path / "site", str(config))
    assert (process.returncode == 1) == bool(problem), process.stderr
    assert problem in process.stderr


@pytest.mark.slow
def test_a_list_begins_behind_an_empty_line() -> None:
    """Without one, Markdown makes one paragraph of it."""
    item = re.compile(r" *(?:[-*]|\d+\.) ")
    wrong = []
    for name, text in make_site.pages().items():
        lines = re.sub(r"^( *)```.*?^\1```", "```", text, flags=re.DOTALL | re.MULTILINE).split(
            "\n"
        )
        wrong += [
            f"{name}: {line[:60]}"
            for before, line in pairwise(lines)
            if item.match(line) and before.strip() and not re.match(r"  |[-*] |\d+\. ", before)
        ]
    assert wrong == []


@pytest.mark.slow
def test_a_row_of_a_table_has_no_block_of_code() -> None:
    rows = re.compile(r"^\|.*```.*$", re.MULTILINE)
    assert [row for text in make_site.pages().values() for row in rows.findall(text)] == []


@pytest.mark.slow
def test_the_numbers_in_the_source_of_a_rule_lead_to_the_statements() -> None:
    pages = make_site.pages()
    assert (
        "; [BO-12](../../docs/statements.md), "
        in (pages["definitions/rules/bko014_no_poison_handling.md"])
    )
    assert "numbers such as BO-12" in pages["definitions/rules/README.md"]


def test_every_rule_is_listed() -> None:
    rows = re.findall(
        r"^\| \[([A-Z]+\d+): .*\) \| (error|warning|info) \| (.+) \|$",
        make_site.rules_index(),
        re.MULTILINE,
    )
    assert {code: severity for code, severity, _ in rows} == {
        code: severity for code, (severity, _) in titles().items()
    }


def test_every_verb_has_a_page_with_its_options_and_is_in_the_index() -> None:
    pages = make_site.verb_pages()
    index = pages.pop("commands/README.md")
    assert len(pages) > 100
    for name in pages:
        assert f"]({Path(name).name})" in index, name
    assert "--by put&#124;due&#124;target" in pages["commands/delay-browse.md"]
    assert "--older-than 2h" in pages["commands/delay-browse.md"]


@pytest.mark.parametrize("path", sorted((ROOT / "man").iterdir()), ids=lambda path: path.name)
def test_a_manual_page_keeps_its_words_in_markdown(path: Path) -> None:
    text = make_site.manual_page(path.read_text("utf-8"))
    assert text.startswith(f"# {path.stem}({path.suffix[1:]})\n")
    assert words_of(html.unescape(re.sub(r"</?(strong|em)>|<br>|\]\([^)]*\.md\)", "", text))) == (
        words_of(re.sub(r"^\.(\\\"|TH).*$", "", plain(path.read_text("utf-8")), flags=re.MULTILINE))
    )


def words_of(text: str) -> list[str]:
    """Words and numbers below the title, without roff's macros and escapes."""
    text = re.sub(r"^\.(?:RS 4|SH|SS|PP|TP|BR|B|RE|nf|fi|br)\b", "", text, flags=re.MULTILINE)
    text = re.sub(r"\A# .*|```text|\\f[BIR]|\\\(bu|\\e", "", text)
    return re.findall(r"\w+", text)
