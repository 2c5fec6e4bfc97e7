"""Every option that a page, a table or a printed hint names is one of its verb."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

from tests.support.named_options import misplaced, text_of, texts_in, unknown, without_roff
from tests.support.scale import for_all

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    *sorted(page for page in ROOT.glob("docs/**/*.md") if page.name != "statements.md"),
    *sorted(ROOT.glob("definitions/rules/*.md")),
    *sorted(ROOT.glob("man/*.[17]")),
    ROOT / "commands" / "help" / "cheats.tsv",
    ROOT / "cli" / "frame" / "groups.tsv",
]
SOURCES = sorted(
    path
    for path in ROOT.glob("*/**/*.py")
    if path.relative_to(ROOT).parts[0]
    in {"backends", "cli", "commands", "definitions", "emulator", "files", "formatters", "messages",
        "model", "mq", "operations", "pipeline"}
    and path.name != "former.py"  # words of the past are its subject
)  # fmt: skip
OF_OTHERS: Final = {
    "apt-get": "--no-install-recommends", "archivers": "--prefix --timestamps",
    "cargo and friends": "--batch-mode --ignore-scripts", "curl": "--cacert --data-urlencode",
    "gpg": "--armor --detach-sign --homedir --import --local-user --no-autostart --status-fd"
    " --verify",
    "java": "--add-modules", "pip": "--no-cache-dir --force-reinstall",
    "pytest": "--update-golden", "spark": "--class --cores --driver-memory --host --port --py-files"
    " --webui-port --work-dir", "useradd": "--create-home", "git": "--shared",
    "what people type instead": "--csv --json --plain --yaml --tls-cafile",
    "examples in docstrings": "--yea --nay",
}  # fmt: skip
"""Options of other programs, and words that are not of a page."""
KNOWN = {option for words in OF_OTHERS.values() for option in words.split()}


@for_all(PAGES)
def test_a_page_names_only_options_that_its_commands_have(page: Path) -> None:
    text = text_of(page)
    problems = [f"{page.name}:{line}: {word}" for line, word in unknown(text) if word not in KNOWN]
    problems += [f"{page.name}:{line}: {problem}" for line, problem in misplaced(text)]
    assert problems == [], "\n" + "\n".join(problems)


@pytest.mark.slow
def test_what_the_program_prints_names_only_options_that_its_commands_have() -> None:
    problems = []
    for path in SOURCES:
        for line, text in texts_in(ast.parse(path.read_text("utf-8"))):
            words = [word for _, word in unknown(text) if word not in KNOWN]
            words += [problem for _, problem in misplaced(text)]
            problems += [f"{path.relative_to(ROOT)}:{line}: {word}" for word in words]
    assert problems == [], "\n" + "\n".join(problems)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mqtriage dlq run -f RULES [--queue QUEUE]", "dlq run has no --queue"),
        ("mqtriage -m QM1 msg move|purge Q --to P", "msg purge has no --to"),
        ("`delay browse --tot`", "delay browse has no --tot"),
        ("mqtriage delay browse --by size", "delay browse --by has no size"),
        (
            without_roff(".B mqtriage dlq run\n\\-f R [\\-\\-queue Q]\n.SH"),
            "dlq run has no --queue",
        ),
    ],
)
def test_an_option_that_is_not_there_is_seen(text: str, problem: str) -> None:
    assert [what.partition(":")[0] for _, what in misplaced(text)] == [problem]


@pytest.mark.parametrize(
    "text",
    ["mqtriage dlq run -f RULES | jq --raw", "`lint FILE --select BKO001`", "`git log --stat`"],
)
def test_an_option_of_the_verb_or_of_another_program_is_none(text: str) -> None:
    assert list(misplaced(text)) == []
