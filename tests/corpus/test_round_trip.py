"""Every message of the corpus through files and back onto a queue, byte for byte."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqtriage.emulator.core.file.home import qmgr_path
from tests.acceptance.conftest import Bench

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = Path(os.environ.get("MQTRIAGE_CORPUS", _ROOT.parent / "shared" / "corpus")) / "messages"

pytestmark = pytest.mark.skipif(
    not _FOLDER.is_dir(), reason="no corpus of messages: set MQTRIAGE_CORPUS to its folder"
)

FORMS = {
    "archive": ("kept.ndjson",),
    "compressed archive": ("kept.ndjson.gz",),
    "dmpmqmsg, hex": ("kept.dump", "--format", "dmpmqmsg"),
    "dmpmqmsg, text": ("kept.dump", "--format", "dmpmqmsg-text"),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A queue manager with every message of the corpus on the queue IN."""
    bench = Bench(tmp_path_factory.mktemp("home"))
    bench.ok("emulator", "create", "QM1")
    for name in ("IN", *(f"OUT{number}" for number in range(len(FORMS)))):
        bench.ok("queue", "define", name, "--yes")
    files = sorted(map(str, [*_FOLDER.glob("*.bin"), *_FOLDER.glob("*.hex")]))
    assert len(files) >= 25
    words = [word for file in files for word in ("--file", file)]
    bench.ok("msg", "put", "IN", *words, "--md-format", "MQSTR", "--yes")
    assert qmgr_path(bench.home, "QM1").exists()
    return bench


@pytest.mark.parametrize("form", FORMS)
def test_every_message_of_the_corpus_comes_back_exactly(
    corpus: Bench, tmp_path: Path, form: str
) -> None:
    name, *options = FORMS[form]
    path, queue = str(tmp_path / name), f"OUT{list(FORMS).index(form)}"
    corpus.ok("msg", "archive", "IN", "--out", path, *options)
    corpus.ok("msg", "load", path, "--to", queue, "--yes")
    ran = corpus.run("msg", "diff", "IN", queue)
    assert ran.code == 0, ran.out
    assert "0 changed" in ran.err
    assert "0 only in A, 0 only in B" in ran.err
