"""The first five minutes: what `mqtriage` alone says, lines to paste, the manual at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the sample queue manager DEMO."""
    bench = Bench(tmp_path_factory.mktemp("sample"))
    bench.ok("emulator", "create", "DEMO", "--sample")
    return bench.path("DEMO")


@pytest.fixture
def demo(empty_bench: Bench, sample: Path) -> Bench:
    path = empty_bench.path("DEMO")
    path.parent.mkdir(parents=True, mode=0o700)
    path.write_bytes(sample.read_bytes())
    empty_bench.environ["MQTRIAGE_QMGR"] = "DEMO"
    return empty_bench


def test_alone_it_says_where_to_start(empty_bench: Bench) -> None:
    ran = empty_bench.ok()
    assert "mqtriage emulator create DEMO --sample" in ran.out
    assert len(ran.out.splitlines()) < 24
    assert max(map(len, ran.out.splitlines())) <= 100


def test_alone_it_names_the_queue_manager_that_is_there(bench: Bench) -> None:
    assert "QM1 is the only emulated queue manager" in bench.ok().out


def test_alone_it_names_the_context_in_use(bench: Bench, tmp_path: Path) -> None:
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "c.toml")
    bench.ok("context", "add", "dev", "-m", "QM1", "--use")
    assert "Context dev is in use" in bench.ok().out


def test_alone_a_broken_settings_file_is_no_failure(bench: Bench, tmp_path: Path) -> None:
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "c.toml")
    (tmp_path / "c.toml").write_text("[", "utf-8")
    assert bench.run().code == 0


def test_lines_to_paste_are_commands_and_comments(demo: Bench) -> None:
    lines = [line for line in demo.ok("cheat").out.splitlines() if line]
    assert all(line.startswith(("# ", "mqtriage ", "echo ")) for line in lines)
    assert demo.ok("cheat", "undo", "-o", "json").items[0]["topic"] == "undo"


def test_a_topic_that_is_not_there_is_not_found_and_the_others_are_named(demo: Bench) -> None:
    ran = demo.run("cheat", "backuot")
    assert ran.code == 5
    assert "did you mean backout?" in ran.error_line


def test_the_manual_is_copied_to_where_man_looks(demo: Bench, tmp_path: Path) -> None:
    item = demo.ok("man", "--out", str(tmp_path), "-o", "json").item
    pages = {path.name for path in tmp_path.glob("man?/*")}
    assert {"mqtriage.1", "mqtriage-delay.1", "mqtriage-delay.7"} <= pages
    assert item["pages"] == len(pages)
    assert (tmp_path / "man7" / "mqtriage-backout.7").is_file()


def test_a_page_is_shown_and_copied_nowhere(demo: Bench, tmp_path: Path) -> None:
    demo.environ["XDG_DATA_HOME"] = str(tmp_path)
    assert "backout" in demo.ok("man", "backout").out
    assert list(tmp_path.rglob("*.[17]")) == []


def test_a_folder_that_cannot_be_written_is_one_clear_line(demo: Bench, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert demo.run("man", "--out", str(tmp_path / "file")).code == 1
