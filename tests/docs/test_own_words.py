"""Our pages are in our own words: no twelve words in a row are those of the seed documents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SEEDS = Path(os.environ.get("MQTRIAGE_SEEDS", ROOT.parent / "shared" / "seeds"))
RUN = 12

_ROFF_LINE = re.compile(r"^\.\S* ?", re.MULTILINE)
_ROFF_ESCAPE = re.compile(r"\\(?:f[BIR]|\(..|.)")
_WORD = re.compile(r"[^\W_]+")


def pages() -> list[Path]:
    folders = [ROOT / "man", ROOT / "docs"]
    paths = [path for folder in folders for path in folder.rglob("*.*") if path.suffix != ".svg"]
    return sorted([*paths, ROOT / "README.md"])


def words(text: str) -> list[str]:
    """The words of a text or of a manual page, in lower case."""
    return _WORD.findall(text.lower())


def page_words(path: Path) -> list[str]:
    text = path.read_text("utf-8")
    if path.suffix in (".1", ".7"):
        text = _ROFF_ESCAPE.sub(
            lambda escape: "-" if escape[0] == "\\-" else "", _ROFF_LINE.sub("", text)
        )
    return words(text)


def runs(all_words: list[str]) -> Iterator[tuple[str, ...]]:
    """Every run of twelve words."""
    return zip(*(all_words[at:] for at in range(RUN)), strict=False)


def shared_run(page: list[str], seeds: set[tuple[str, ...]]) -> str:
    """The first run that stands in the seeds too; "" when there is none."""
    return next((" ".join(run) for run in runs(page) if run in seeds), "")


@pytest.fixture(scope="module")
def seed_runs() -> set[tuple[str, ...]]:
    texts = sorted(SEEDS.glob("*.txt"))
    if not texts:
        pytest.skip("the seed documents are not here: MQTRIAGE_SEEDS names their folder")
    return {run for text in texts for run in runs(words(text.read_text("utf-8")))}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_no_sentence_is_taken_from_the_seed_documents(
    page: Path, seed_runs: set[tuple[str, ...]]
) -> None:
    assert shared_run(page_words(page), seed_runs) == ""


def test_a_sentence_taken_over_is_seen_through_roff(seed_runs: set[tuple[str, ...]]) -> None:
    """The comparison itself: a seed's own text, set as a page sets it, is found."""
    text = sorted(SEEDS.glob("*.txt"))[0].read_text("utf-8")
    taken = next(line for line in text.splitlines() if len(words(line)) > 2 * RUN)
    set_as_page = ".PP\n" + taken.replace(" the ", " \\fBthe\\fR\n", 2).replace("-", "\\-")
    plain = _ROFF_ESCAPE.sub(
        lambda escape: "-" if escape[0] == "\\-" else "", _ROFF_LINE.sub("", set_as_page)
    )
    assert shared_run(words(plain), seed_runs)


def test_eleven_words_in_a_row_are_not_a_run() -> None:
    same = [f"w{n}" for n in range(RUN)]
    assert shared_run([*same[:-1], "other", *same[1:]], set(runs(same))) == ""
    assert shared_run(["other", *same], set(runs(same))) == " ".join(same)
