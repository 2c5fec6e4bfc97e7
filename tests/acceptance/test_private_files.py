"""Whatever the umask, what is written is for its owner alone: each verb that writes files, once."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from stat import S_IMODE

import pytest

from tests.acceptance.conftest import Bench

LINES = """
emulator create QM9 --salvage QM1
emulator lab simulate --days 1 --qmgrs 1 --rate 20 --out new/simulated --jobs 1
emulator sdk new/sdk
msg put Q --file body.bin --yes
context add dev -m QM1
context use dev
context use .mqtriage.toml
queue define Q2 --yes
delay define --maxdepth 300000 --yes
msg put Q one --yes
msg archive Q --out new/copy.ndjson
msg archive Q --out new/packed.ndjson.gz
msg archive Q --out new/copy.dump --format dmpmqmsg
msg copy Q --to Q2 --yes
msg load new/copy.ndjson --to Q2 --yes --allow-duplicates
msg purge Q2 --limit 1 --plan new/plan.json
msg purge Q --confirm Q
journal undo --yes
archive copy new/copy.ndjson --out new/chosen.ndjson
archive copy new/copy.ndjson --out new/masked.ndjson --key-file key --no-bodies
archive verify
incident Q --out new/incident
incident Q --out new/incident.zip
snapshot take --format ndjson
snapshot take --format ndjson --incremental
snapshot export --format ndjson --out new/exported
lint baseline script.mqsc --out new-baseline.json
lint script.mqsc --format sarif --out lint.sarif
apply script.mqsc --yes
journal verify
snapshot take --format parquet --folder new/parquet
snapshot take --format parquet --folder new/parquet --incremental
snapshot compact --folder new/parquet
"""
"""Not `man pages`: the manual holds nothing of anybody, and is left to the umask."""


@pytest.fixture(params=[0o000, 0o077], ids="umask-{:03o}".format)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes_of(folder: Path) -> dict[Path, int]:
    return {path: S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


def bench_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """What the lines need, with the folder `here` to stand in."""
    here = folder / "here"
    for subfolder in (here, here / "new"):
        subfolder.mkdir(parents=True)
        subfolder.chmod(0o700)
    monkeypatch.chdir(here)
    bench = Bench(folder / "folders" / "home")
    bench.environ["MQTRIAGE_CONFIG"] = str(folder / "settings" / "deep" / "config.toml")
    for line in ("emulator create QM1", "context add known -m QM1", "queue define Q --yes -m QM1"):
        bench.ok(*line.split())
    bench.environ["MQTRIAGE_QMGR"] = "QM1"
    for name, text in (
        ("body.bin", "body"),
        ("key", "k" * 32),
        ("script.mqsc", "DEFINE QLOCAL(SCRIPT.Q) BOTHRESH(3) REPLACE\n"),
        (".mqtriage.toml", 'use = "known"\n'),
    ):
        Path(name).write_text(text)
        Path(name).chmod(0o600)
    return bench


@pytest.mark.slow
def test_what_a_verb_writes_is_for_its_owner_alone(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = bench_in(tmp_path, monkeypatch)
    for line in LINES.split("\n")[1:-1]:
        before = modes_of(tmp_path)
        ran = bench.run(*shlex.split(line))
        assert ran.code in {0, 4}, (line, ran.err)
        for path, mode in modes_of(tmp_path).items():
            if path not in before:
                is_program = path.is_dir() or ".so" in path.name
                assert (oct(mode), line) == ("0o700" if is_program else "0o600", line), path
    assert len(modes_of(tmp_path)) > 60


@pytest.mark.slow
def test_no_verb_writes_through_a_link_that_lies_where_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First each line as it is, to see where it writes; then with links in these places."""
    bench, here = bench_in(tmp_path / "first", monkeypatch), tmp_path / "first" / "here"
    written: dict[str, list[Path]] = {}
    for line in LINES.split("\n")[1:-1]:
        before = set(here.rglob("*"))
        bench.run(*shlex.split(line))
        new = set(here.rglob("*")) - before
        files = [path for path in new if path.is_file() and path.parent not in new]
        written[line] = [path.relative_to(here) for path in files]
    bench, victim = bench_in(tmp_path / "second", monkeypatch), tmp_path / "victim"
    for line, paths in written.items():
        victim.write_text("whole")
        for path in paths:
            path.symlink_to(victim)
        bench.run(*shlex.split(line))
        assert victim.read_text() == "whole", line
        for path in paths:
            if path.is_symlink():  # it was refused
                path.unlink()
        if not all(path.exists() for path in paths):
            bench.run(*shlex.split(line))
    assert sum(map(len, written.values())) > 10


@pytest.mark.parametrize("inside", ["", ".git"], ids=["out", "into .git"])
def test_no_verb_writes_behind_a_folder_that_is_a_link_out_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    bench = bench_in(tmp_path, monkeypatch)
    outside = Path(inside).absolute() if inside else tmp_path / "outside"
    outside.mkdir()
    Path("new").rmdir()
    Path("new").symlink_to(outside)
    Path("script.yaml").symlink_to("script.mqsc")
    lines = [line for line in LINES.split("\n") if "new/" in line]
    lines += ["man pages new", "man pages new/man", "lint script.mqsc --out new/x"]
    refused = 0
    for line in lines:
        for text in (line, line.replace("new/", f"{Path.cwd()}/new/")):
            ran = bench.run(*shlex.split(text))
            assert not list(outside.iterdir()), text
            refused += "leads out of" in ran.error_line
            assert ran.code != 0, text
    assert refused > len(lines)


def test_links_of_the_user_and_those_in_a_checkout_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = bench_in(tmp_path / "real", monkeypatch)
    (tmp_path / "home").symlink_to(tmp_path / "real")
    outside = tmp_path / "outside"
    for name in ("outside", "real/here/reports", "real/here/deep"):
        (tmp_path / name).mkdir()
    Path("inside").symlink_to("reports")
    Path("deep/up").symlink_to("../reports")
    Path(".git").mkdir()
    at = tmp_path / "home" / "here"
    for where, out in (
        (at, f"{at}/1"), (at, f"{at}/inside/2"), (at, "inside/3"), (at / "deep", "up/4"),
        (at, "../../outside/5"), (at / "deep", f"{outside}/6"), (tmp_path, "home/here/7"),
    ):  # fmt: skip
        monkeypatch.chdir(where)
        bench.ok("lint", f"{at}/script.mqsc", "--out", out, "--select", "CHL008")
        assert Path(out).is_file(), out
    (tmp_path / "real" / "reports").symlink_to(outside)
    for home, code in ((tmp_path / "home", 0), (tmp_path / "elsewhere", 1)):
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.chdir(tmp_path / "real")
        ran = bench.run(
            "lint", "here/script.mqsc", "--out", f"reports/{code}", "--select", "CHL008"
        )
        assert (ran.code, (outside / f"{code}").exists()) == (code, not code), ran.err


def test_a_script_is_not_fixed_through_a_link_that_leads_out_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = bench_in(tmp_path / "home", monkeypatch)
    text = "define qlocal(A) bothresh(3)\n"
    Path(".git").mkdir()
    for victim, words in product(
        (tmp_path / "victim", Path(".git/config").absolute()),
        (("lint", "fix", "--write", "link.mqsc"), ("mqsc", "fmt", "link.mqsc")),
    ):
        victim.write_text(text)
        Path("link.mqsc").unlink(missing_ok=True)
        Path("link.mqsc").symlink_to(victim)
        ran = bench.run(*words)
        assert (ran.code, "leads out of its folder" in ran.error_line) == (1, True), ran.err
        assert victim.read_text() == text


@pytest.mark.slow
def test_a_folder_does_not_choose_which_file_elsewhere_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of a file outside shows that a link in the folder leads to, and this is said."""
    bench = bench_in(tmp_path / "bench", monkeypatch)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    secret = "Passw0rd: hunter2\nDEFINE QLOCAL(HUNTER2) HUNTER2(HUNTER2)\n"
    for name in ("a.mqsc", "key"):
        (elsewhere / name).write_text(secret)
    given = Path("given")
    (given / "QM1").mkdir(parents=True)
    for folder in (given, given / "QM1"):
        (folder / "own.mqsc").write_text("DEFINE QLOCAL(OWN) BOTHRESH(3) BOQNAME(BACK)\n")
        for name in ("linked.mqsc", "linked.mqsc.j2", "linked.yaml", "linked.sh", "ccdt.json"):
            (folder / name).symlink_to(elsewhere / "key")
        (folder / "env").symlink_to(elsewhere)
    lines = (
        "lint given", "lint given --env env", "lint given --together",
        "lint given --decode-secrets", "lint fix given --write", "lint given/QM1",
        "plan given", "plan given/QM1 -o json", "apply given --yes", "drift given",
        "mqsc run given --yes", "mqsc fmt --check given/linked.mqsc given/own.mqsc",
        "emulator run QM2 --mqsc given -- true",
    )  # fmt: skip
    for line in lines:
        ran = bench.run(*shlex.split(line))
        shown = ran.out + ran.err
        assert "hunter2" not in shown.lower(), line
        if not line.startswith("lint fix"):
            assert "linked.mqsc" in shown, line
            assert "a link that leads out of " in shown, line
    assert (elsewhere / "key").read_text() == secret


def test_links_within_a_folder_and_within_its_checkout_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Kubernetes mounts a ConfigMap, and as scripts of several queue managers are shared."""
    bench = bench_in(tmp_path / "bench", monkeypatch)
    mounted, shared, own = Path("mounted"), Path("shared"), Path("repository/QM1")
    for folder in (mounted / "..2026_11_29", shared, own):
        folder.mkdir(parents=True)
    (mounted / "..data").symlink_to("..2026_11_29")
    (mounted / "..data" / "q.mqsc").write_text("DEFINE QLOCAL(MOUNTED)\n")
    (mounted / "q.mqsc").symlink_to("..data/q.mqsc")
    assert "MOUNTED" in bench.ok("plan", "mounted").out
    Path("repository/common.mqsc").write_text("DEFINE QLOCAL(COMMON)\n")
    (own / "common.mqsc").symlink_to("../common.mqsc")
    assert "its only scripts are links" in bench.run("plan", str(own)).err
    Path("repository/.git").mkdir()
    assert "COMMON" in bench.ok("plan", str(own)).out
    (own / "git.mqsc").symlink_to("../.git/config")
    Path("repository/.git/config").write_text("DEFINE QLOCAL(FROM.GIT)\n")
    ran = bench.ok("plan", str(own))
    assert "FROM.GIT" not in ran.out
    assert "git.mqsc: not read" in ran.err
