"""The manual pages: as the command tree has them now, whole, and clean."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mqtriage.cli.frame import tree
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.lazy import load_verb
from mqtriage.cli.frame.options import ConnectionOptions, Output, Safety
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.help import manual
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import argument, arguments, number
from tests.support.tools import tool

ROOT = Path(__file__).parent.parent.parent
MAN = ROOT / "man"
GROUP_NAMES = list(tree.GROUPS)


def script(name: str) -> Any:
    """A script of scripts/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses and NamedTuples look their module up by name
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


make_man = script("make_man")
lint_man = script("lint_man")


@cache
def pages() -> Any:
    """File name to the text that each page should have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SOURCE_DATE_EPOCH", raising=False)
        return make_man.pages()


@pytest.fixture(autouse=True)
def fixed_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


@takes(SelectionOptions, Safety, ConnectionOptions, Output)
def awkward(
    app: AppContext,
    source: str = argument("FROM", help="'Quoted' first."),
    others: tuple[str, ...] = arguments("TO", help=".dot first"),
    count: int = number(help=r"A \\ backslash.", minimum=None, default=7),
) -> None:
    """Try every trap of roff.

    .SH is not a section here. 'br is not a request. A back\\slash stays one, a hyphen-minus too.

    Examples:
        mqtriage try it ORDERS.BO --where "format = 'MQSTR'" --correlid ID:414d5120514d3120 --yes -n
    """


def plain(page: str) -> str:
    """A page without roff's escapes."""
    return page.replace("\\-", "-").replace("\\(aq", "'").replace("\\fB", "").replace("\\fR", "")


@pytest.fixture
def awkward_page(monkeypatch: pytest.MonkeyPatch) -> str:
    module = ModuleType("awkward_verbs")
    vars(module)["it"] = awkward
    monkeypatch.setitem(sys.modules, "awkward_verbs", module)
    group = tree.CommandGroup(
        "Tries.", {"it": ("awkward_verbs:it", "Try it.")}, ("mqtriage try it",)
    )
    return str(make_man.group_page("try", group))


@pytest.mark.parametrize("name", ["mqtriage.1", *(f"mqtriage-{g}.1" for g in GROUP_NAMES)])
def test_the_page_is_what_the_command_tree_says(name: str) -> None:
    """If this fails: run scripts/make_man.py and commit what it wrote."""
    assert (MAN / name).read_text("utf-8") == pages()[name]


def test_there_is_no_page_of_a_group_that_is_gone() -> None:
    assert {file.name for file in MAN.glob("*.1")} == set(pages())


def test_every_verb_of_the_tree_is_in_the_manual() -> None:
    for name, group in tree.GROUPS.items():
        page = plain((MAN / f"mqtriage-{name}.1").read_text("utf-8"))
        for verb in group.verbs:
            assert f".SS mqtriage {name} {verb}" in page


@pytest.mark.parametrize("path", sorted(MAN.glob("*.7")), ids=lambda path: path.name)
def test_the_verbs_that_a_page_names_first_are_verbs_of_its_group(path: Path) -> None:
    command, verbs = path.read_text("utf-8").partition(".SH SYNOPSIS\n.B ")[2].splitlines()[:2]
    group = command.removeprefix("mqtriage ")
    if group in tree.GROUPS:
        known = {verb.split()[0] for verb in tree.GROUPS[group].verbs}
        assert {*verbs.split(" | ")} <= known


@pytest.mark.parametrize("name", GROUP_NAMES)
@pytest.mark.seed("CARD-14")
def test_every_option_is_in_the_page_of_its_group(name: str) -> None:
    page = plain((MAN / f"mqtriage-{name}.1").read_text("utf-8"))
    for verb, it in tree.GROUPS[name].verbs.items():
        for param in load_verb(verb, it[0]).params:
            for option in (*param.opts, *param.secondary_opts):
                assert not option.startswith("-") or f" {option}" in page, (verb, option)


def test_every_exit_code_and_variable_is_in_every_page() -> None:
    for file in MAN.glob("*.1"):
        page = file.read_text("utf-8")
        for code in ExitCode:
            assert f".B {int(code)}\n" in page
        for variable in ("QMGR", "BACKEND", "CONTEXT", "HOME"):
            assert f".B MQTRIAGE_{variable}\n" in page


def test_every_manual_page_that_a_help_text_or_a_page_names_exists() -> None:
    sources = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *MAN.iterdir()]
    sources += [file for folder in ("cli", "commands") for file in (ROOT / folder).rglob("*.[pt]*")]
    named = {
        word
        for file in sources
        if file.suffix != ".pyc"
        for word in re.findall(r"mqtriage man ([a-z]+)", plain(file.read_text("utf-8")))
    }
    assert {"safety", "backout"} <= named
    for word in named:
        assert manual.page_named([word], tree.COMMANDS, {}).exists()


def test_the_page_of_safety_explains_every_guard_of_a_context() -> None:
    page = plain((MAN / "mqtriage-safety.7").read_text("utf-8"))
    text = load_verb("add", tree.GROUPS["context"].verbs["add"][0]).help or ""
    guards = re.findall(r"(\w+)=", text.partition("Guards: ")[2].partition("\n")[0])
    assert len(guards) >= 5
    assert [guard for guard in guards if guard not in page] == []


def test_our_own_check_finds_the_pages_clean() -> None:
    assert {file.name: lint_man.lint(file.read_text("utf-8")) for file in MAN.glob("*.[17]")} == {
        file.name: [] for file in MAN.glob("*.[17]")
    }


def test_awkward_text_stays_text(awkward_page: str) -> None:
    assert lint_man.lint(awkward_page) == []
    assert "\n\\&.SH is not a section here." in awkward_page
    assert "\n\\&.dot first\n" in awkward_page
    assert "back\\eslash" in awkward_page
    assert "\n.SH is" not in awkward_page
    assert "Default: 7." in awkward_page


def test_a_long_example_goes_on_as_in_a_shell(awkward_page: str) -> None:
    lines = awkward_page.splitlines()
    at = next(n for n, line in enumerate(lines) if "MQSTR" in line)
    assert lines[at].endswith(" \\e")
    assert lines[at + 1].startswith("    ")


def test_the_date_is_that_of_source_date_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert " 1 1970-01-02 " in make_man.program_page()


GOOD = (
    '.TH X 1 2026-01-31 "x 1" "User Commands"\n.SH NAME\nx \\- y\n.SH SYNOPSIS\n.B x\n'
    ".SH DESCRIPTION\nText.\n.PP\nMore.\n.TP\n.B a\nb\n.RS 4\n.nf\ncode\n.fi\n.RE\n"
)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        pytest.param("", "", None, id="good"),
        pytest.param(".TH X 1", ".TH x 1", "lower case", id="title"),
        pytest.param("2026-01-31", "31.1.2026", "expected .TH", id="date"),
        pytest.param("x \\- y", "x, y", "NAME is", id="name-line"),
        pytest.param("Text.\n", "Text.\n\n", "blank line", id="blank-line"),
        pytest.param("Text.", "Text. ", "blank at the end", id="trailing-blank"),
        pytest.param("Text.", "Text. " * 20 + "x", "80 bytes", id="long-line"),
        pytest.param("Text.", "Te\u00a0xt.", "ASCII", id="not-ascii"),
        pytest.param("Text.", "Te\\xt.", "escape", id="escape"),
        pytest.param("Text.", "\\fBTe\nxt.\\fR", "does not end in its line", id="font"),
        pytest.param(".PP\n", ".Pp\n", "unknown macro .Pp", id="macro"),
        pytest.param(".PP\n", ".PP\n.PP\n", "does nothing", id="two-paragraphs"),
        pytest.param("DESCRIPTION\n", "DESCRIPTION\n.PP\n", "does nothing", id="paragraph-first"),
        pytest.param(".TP\n.B a\n", ".TP\n.PP\n", "term of .TP", id="no-term"),
        pytest.param(".fi\n", "", "without its beginning", id="not-closed-inside"),
        pytest.param(".fi\n.RE\n", "", "left open", id="not-closed"),
        pytest.param(".nf\n", "", "without its beginning", id="not-opened"),
        pytest.param("Text.", "'Text.", "request", id="quote"),
        pytest.param(".SH SYNOPSIS\n.B x\n", "", "first sections", id="no-synopsis"),
        pytest.param(".B a", ".B", "without a text", id="empty-bold"),
        pytest.param(
            "code\n.fi\n.RE\n", "code\n.fi\n.RE\n.SH FILES\n", "nothing in it", id="empty"
        ),
        pytest.param(
            ".SH DESCRIPTION\n", ".SH FILES\nf\n.SH DESCRIPTION\n", "at the end", id="order"
        ),
    ],
)
def test_our_own_check_sees(old: str, new: str, complaint: str | None) -> None:
    complaints = [text for _, text in lint_man.lint(GOOD.replace(old, new, 1))]
    if complaint is None:
        assert complaints == []
    else:
        assert any(complaint in text for text in complaints), complaints


@pytest.fixture(scope="module")
def mandoc() -> str:
    return tool("mandoc")


@pytest.mark.seed("CARD-14")
def test_mandoc_finds_the_pages_clean(mandoc: str, awkward_page: str, tmp_path: Path) -> None:
    awkward_file = tmp_path / "mqtriage-try.1"
    awkward_file.write_text(awkward_page)
    for file in [*sorted(MAN.glob("*.[17]")), awkward_file]:
        done = subprocess.run(
            [mandoc, "-T", "lint", "-W", "style", str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.returncode) == ("", 0)


def test_every_switch_of_the_emulator_is_on_its_page() -> None:
    from mqtriage.emulator.core.switches import SWITCHES

    text = (ROOT / "man" / "mqtriage-emulator.1").read_text("utf-8")
    part = text.partition(".SH SWITCHES")[2].partition(".SH EXAMPLES")[0]
    assert [switch.name for switch in SWITCHES if f".B {switch.name}" not in part] == []


def test_an_option_with_a_time_or_a_duration_shows_how_one_is_written() -> None:
    pattern = re.compile(r"^\.B (\S*--\S+) (TIME|DURATION)\n(.*?)(?=^\.)", re.MULTILINE | re.DOTALL)
    unclear = []
    for page in sorted(MAN.glob("*.1")):
        for option, kind, text in pattern.findall(page.read_text("utf-8").replace("\\-", "-")):
            shown = r"[0-9]Z\s+or\s+now|See --" if kind == "TIME" else r"[0-9](ms|[smhd])\b"
            if not re.search(shown, text):
                unclear.append(f"{page.name}: {option}")
    assert unclear == []
