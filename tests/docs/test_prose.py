"""Pages and help in plain English: no turn of phrase that readers from outside tripped over.

`../shared/design/ENGLISH.md` has the reasons. Only what a machine can see is here: a page is read
aloud all the same.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.scale import for_all

ROOT = Path(__file__).parents[2]
OTHERS = ("statements.md",)
"""Pages that list sentences of others."""
PAGES = [
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    *sorted(page for page in ROOT.glob("docs/**/*.md") if page.name not in OTHERS),
    *sorted(ROOT.glob("man/*.[17]")),
    ROOT / "commands" / "help" / "cheats.tsv",
]
INSTEAD = {
    r"\b(?:is|are) no (?!longer|more|such|other|(?:way|end|message|forecast|consumer)s?\b)"
    r"(?!data|header|server|timer)\w+": "is not a ...",
    r"\bby and by\b|\banew\b|\bfor ever\b": "gradually, again, indefinitely",
    r"\bof itself\b|\bof one's own\b": "leave it out",
    r"\b(?:is|are) taken for\b": "is treated as",
    r"\b(?:is|are|be) let\b|\bhas \w+ done\b": "lets, allows",
    r"\b(?:cannot be told|is told|are told)\b(?! apart)": "is not available, is reported, gets",
    r"\bbroken off\b|\b(?:was|were|that was) cut\b": "interrupted, truncated",
    r"\bmend(?:s|ed|ing)?\b": "fix, correct",
    r"\bwhoever\b": "anyone who, or start with the command",
    r"\b(?:line|object|row|file|message) a (?:line|message|row|table|queue|object)\b": "per",
    r"\b(?:each|every|one|of its|the last) look\b|\blooks of\b": "sample, snapshot",
    r"\btakes? the place of\b": "replaces",
    r"\btells of\b|\bwhich tells\b": "reports",
    r"\bso late\b|\bin turn\b": "after that long; leave it out",
    r"\b(?:stands|lies) (?:in|on|beside) (?!for)": "is in",
    r"\bkeep[s]? watch\b|\bhold[s]? up nobody\b": "does not delay the others",
    r"(?<!leave)(?<!left)(?<!leaves)(?<! them)(?<! it)(?<! origin)(?<!stand)"
    r" alone[.,;:)]": "only ...",
}
"""What not to write, and what to write instead."""
BY_HAND = [
    *(page for page in PAGES if page.suffix in {".md", ".7"}),
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "definitions" / "rules").glob("*.md")),
]
"""Pages that are written by hand: not those of help, which has words of its own."""
IN_PAGES = {
    r"\b(?:is|are|was|were|be) asked for\b": "requested",
    r"\b(?:is|are) to hold\b": "should contain",
    r"\bas well[.,;:)]": "too",
    r"\b(?:goes|go|going|went) on\b(?! (?!to)[A-Z(`\\])": "continues",
    r"\btak(?:e|es|en|ing) (?:off|out|away)\b|\btakes? (?:no|what|whatever)\b": "removes; accepts",
    r"\b(?:is|are|was|were|be) (?:looked at|looked for|gone through)\b": "read, checked",
    r"\bfor good\b|\bwithout a word\b|\bno way back\b": "permanently; without a message",
    r"\[[\w/.-]*\.md\]\(": "the title of the page",
    r"\b(?:messages|calls|rows|bytes) a (?:second|minute|day)\b": "per",
    r"\bin place of\b|\bin its place\b": "instead of",
    r"\b(?:to|not) be had\b": "available",
    r"\b(?:is|was|are|were|be) said\b|\bhas no say\b|\bis not blamed\b": "is reported",
    r"\bin all[.,;:]": "in total",
    r"(?m)(?:^|[.;:] )What (?:is|was|cannot|the|it|they|no|a|stands|comes)\b[^?\n]*[.;,]": "a noun",
    r"(?m)(?:^|[.;:] )Where (?!to\b|neither\b)[a-z][^?\n]*?,": "if",
    r"\bbut for\b|\bsave for\b|\bpiles? up\b": "except; accumulates",
    r"\blet in\b|\b(?:is|are) not let\b|\bis shut\b": "accepted; inhibited",
    r"\bcounts? (?:down )?as it is\b|\bit an info\b|\bis an info\b": "severity is info",
    r"\b(?:so|as) many (?:were|as it)\b|\bto come to rest\b|\bplay with\b": "say it plainly",
}
"""What else not to write in pages."""
MOST_WORDS = 25


def prose(page: Path) -> str:
    """A page without what it shows: blocks, code in a line, and the table that tests write."""
    text = page.read_text("utf-8")
    blank = lambda block: "\n" * block[0].count("\n")  # noqa: E731
    text = re.sub(r"^ *```.*?^ *```", blank, text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^\.nf\n.*?^\.fi", blank, text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!-- programs and clients -->.*?<!-- end -->", blank, text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "``", text)
    return text if page.suffix == ".md" else re.sub(r"(?<!\.)\n(?![.\n])", " ", text)


@for_all(PAGES)
@pytest.mark.slow
def test_a_page_is_in_plain_english(page: Path) -> None:
    strange = foreign(page, INSTEAD)
    assert strange == [], "\n" + "\n".join(strange)


@for_all(BY_HAND)
@pytest.mark.slow
def test_a_page_that_is_written_by_hand_has_short_sentences_in_plain_english(page: Path) -> None:
    strange = [*foreign(page, {**INSTEAD, **IN_PAGES}), *long_sentences(page)]
    assert strange == [], "\n" + "\n".join(strange)


def foreign(page: Path, instead: dict[str, str]) -> list[str]:
    text = prose(page)
    return [
        f"{page.name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}: {better}"
        for pattern, better in instead.items()
        for match in re.finditer(pattern, text)
    ]


def long_sentences(page: Path) -> list[str]:
    """Sentences, or parts of one between colons and semicolons, of more than 25 words; a table's
    cells are notes."""
    text = re.sub(r"<!--.*?-->", "", prose(page), flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return [
        f"{page.name}: {len(words)} words: {sentence}"
        for line in text.split("\n")
        if not line.startswith(("|", "#", '.\\"'))
        for sentence in re.split(r"(?<=[.?!:])\s+|;\s|\.[A-Z]{2}\b", line)
        if len(words := re.findall(r"[\w`'\\]\S*", sentence)) > MOST_WORDS
    ]


IN_IBMS_WORDS = {"resource_usage.tsv"}
"""What amqsrua prints, where IBM writes it with a hyphen."""


def test_nonpersistent_has_one_spelling() -> None:
    rooms = [path for path in (ROOT / "src" / "mqtriage").iterdir() if path.is_dir()]
    files = [
        path
        for folder in (*rooms, ROOT / "docs", ROOT / "man", ROOT / "changes")
        for path in folder.rglob("*")
        if path.suffix in {".py", ".tsv", ".txt", ".md", ".1", ".7"}
        and path.name not in IN_IBMS_WORDS
    ]
    assert len(files) > 1_000
    spelt = [path.name for path in files if "non-persistent" in path.read_text("utf-8").lower()]
    assert spelt == []
