"""An archive folder that cannot be written to stops a command before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench

ACTS = (
    "msg move A --to B",
    "msg purge A --confirm A",
    "expiry extend A --expiry 1h",
)


@pytest.fixture
def filled(bench: Bench, tmp_path: Path) -> Bench:
    """Three messages on A, and a plain file where the archive folder should be."""
    (tmp_path / "file").write_text("")
    for queue in ("A", "B"):
        bench.ok("queue", "define", queue, "--yes")
    bench.ok("msg", "put", "A", "x", "--count", "3", "--expiry", "10m", "--yes")
    return bench


@pytest.mark.parametrize("act", ACTS)
def test_a_bad_archive_folder_leaves_nothing_to_resume(
    filled: Bench, tmp_path: Path, act: str
) -> None:
    filled.environ["MQTRIAGE_ARCHIVE_DIR"] = str(tmp_path / "file" / "below")
    before = filled.ok("journal", "ls").out
    for consent in ("-n", "--yes"):
        ran = filled.run(*act.split(), consent)
        assert ran.code == 1, consent
        assert "archive_dir is that of MQTRIAGE_ARCHIVE_DIR;" in ran.err
        assert "MQTRIAGE_HOME" not in ran.err
    assert filled.ok("journal", "ls").out == before
    assert filled.run("journal", "resume", "--yes").code == 9
    filled.ok(*act.split(), "--yes", "--set", f"archive_dir={tmp_path / 'kept'}")
    assert list((tmp_path / "kept").iterdir())


def test_the_hint_names_where_the_archive_folder_comes_from(filled: Bench, tmp_path: Path) -> None:
    filled.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "config.toml")
    bad = f"archive_dir={tmp_path / 'file'}"
    filled.ok("context", "add", "prod", "-m", "QM1", bad)
    move = ("msg", "move", "A", "--to", "B", "--yes")
    assert "that of context prod;" in filled.run(*move, "--context", "prod").err
    assert "that of --set archive_dir;" in filled.run(*move, "--set", bad).err
    home = Path(filled.environ["MQTRIAGE_HOME"]) / "archive"
    assert not home.exists(), "nothing was archived yet"
    home.write_text("")
    assert "set MQTRIAGE_HOME to a writable folder" in filled.run(*move).err


def test_a_dry_run_makes_no_archive_folder(filled: Bench, tmp_path: Path) -> None:
    filled.environ["MQTRIAGE_ARCHIVE_DIR"] = str(tmp_path / "new" / "below")
    filled.ok("msg", "move", "A", "--to", "B", "-n")
    assert not (tmp_path / "new").exists()


def test_what_needs_no_archive_does_not_need_its_folder(filled: Bench, tmp_path: Path) -> None:
    filled.environ["MQTRIAGE_ARCHIVE_DIR"] = str(tmp_path / "file")
    filled.ok("msg", "copy", "A", "--to", "B", "--yes")
    filled.ok("msg", "move", "A", "--to", "B", "--yes", "--no-backup")


def test_a_resume_takes_another_archive_folder_and_so_does_an_undo(
    filled: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = filled.environ["MQTRIAGE_ARCHIVE_DIR"] = str(tmp_path / "file")
    with monkeypatch.context() as patch:  # it was lost behind the check
        patch.setattr("mqtriage.files.private.refuse_unwritable", lambda folder: None)
        assert filled.run("msg", "move", "A", "--to", "B", "--yes").code == 1
    del filled.environ["MQTRIAGE_ARCHIVE_DIR"]
    (op,) = (row["op"] for row in filled.ok("journal", "ls", "-o", "json").items if row["left"])
    for consent in ("-n", "--yes"):
        ran = filled.run("journal", "resume", op, consent)
        assert (ran.code, f"that of operation {op};" in ran.err) == (1, True)
    filled.ok("journal", "resume", op, "--set", f"archive_dir={tmp_path / 'other'}", "--yes")
    assert list((tmp_path / "other").iterdir())
    for consent in ("-n", "--yes"):
        ran = filled.run("journal", "undo", op, "--set", f"archive_dir={bad}", consent)
        assert (ran.code, "that of --set archive_dir;" in ran.err) == (1, True)
