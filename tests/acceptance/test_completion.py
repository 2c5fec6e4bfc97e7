"""Completion: what is offered where, how long it may take, and that it never fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from benchmarks.measure import seconds

from mqtriage.commands.context import name_cache
from tests.acceptance.conftest import Bench
from tests.acceptance.test_terminal import Terminal
from tests.support.timing import shortest_s
from tests.support.tools import tool


def offered(bench: Bench, *words: str) -> list[str]:
    ran = bench.ok("__complete", *words)
    assert ran.err == ""
    return [line.partition("\t")[0] for line in ran.out.splitlines()]


def test_groups_and_commands_come_first(bench: Bench) -> None:
    assert {"msg", "delay", "lint", "version"} <= set(offered(bench, ""))
    assert offered(bench, "exp") == ["expiry"]
    assert offered(bench, "-m", "QM1", "exp") == ["expiry"]


def test_then_the_verbs_with_their_line_of_help(bench: Bench) -> None:
    assert bench.ok("__complete", "msg", "brow").out == "browse\tList the messages on a queue.\n"


@pytest.mark.parametrize(
    "words",
    [
        ("msg", "browse"),
        ("msg", "move", "APP.IN", "--to"),
        ("backout", "set", "APP.IN", "--boq"),
        ("msg", "browse", "--limit", "3"),
        ("msg", "browse", "--limit=3", "--"),
        ("-m", "QM1", "queue", "show"),
    ],
)
def test_queue_names_where_a_queue_is_meant(bench: Bench, words: tuple[str, ...]) -> None:
    bench.define("APP.IN", "APP.OUT", "PAY.IN")
    assert offered(bench, *words, "APP") == ["APP.IN", "APP.OUT"]


def test_nothing_after_the_last_argument(bench: Bench) -> None:
    bench.define("APP.IN")
    assert offered(bench, "queue", "show", "APP.IN", "") == []


def test_options_of_the_verb_with_long_names(bench: Bench) -> None:
    assert offered(bench, "msg", "browse", "--corr") == ["--correlid"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("queue", "ls", "-o", "nd"), ["ndjson"]),
        (("queue", "ls", "--output=nd"), ["--output=ndjson"]),
        (("queue", "ls", "--backend", ""), ["emulator", "mq", "rest"]),
        (("queue", "ls", "-m", ""), ["QM1"]),
        (("emulator", "stop", ""), ["QM1"]),
        (("lint", "explain", "BKO001"), ["BKO001"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("dlq", "run", "-f", ""), [":files"]),
    ],
)
def test_values_of_options_and_arguments(
    bench: Bench, words: tuple[str, ...], expected: list[str]
) -> None:
    assert offered(bench, *words) == expected


def test_context_names(bench: Bench, tmp_path: Path) -> None:
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "c.toml")
    bench.ok("context", "add", "prod", "-m", "QM1")
    assert offered(bench, "queue", "ls", "--context", "") == ["prod"]
    assert offered(bench, "context", "use", "p") == ["prod"]


@pytest.mark.parametrize(
    "words",
    [("nosuch", ""), ("msg", "nosuch", ""), ("msg", "browse", "--nosuch", ""), ("-m",), ("=",)],
)
def test_what_is_not_known_offers_nothing_and_fails_not(
    bench: Bench, words: tuple[str, ...]
) -> None:
    assert bench.run("__complete", *words).code == 0


def test_a_damaged_queue_manager_or_context_gives_no_names_and_no_error(bench: Bench) -> None:
    bench.path().write_bytes(b"not a database" * 100)
    assert offered(bench, "msg", "browse", "") == []
    assert offered(bench, "msg", "browse", "--context", "gone", "A") == []


def test_names_are_kept_for_five_seconds(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(bench, "msg", "browse", "APP") == []
    bench.define("APP.IN")
    assert offered(bench, "msg", "browse", "APP") == []
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 6)
    assert offered(bench, "msg", "browse", "APP") == ["APP.IN"]


@pytest.mark.alone
def test_a_slow_queue_manager_gives_no_names_in_time_and_some_at_the_next_key(
    tmp_path: Path,
) -> None:
    mayend, ends = os.pipe()

    def slow() -> list[str]:
        os.read(mayend, 1)
        return ["A"]

    def ask() -> None:
        assert name_cache.cached_names(tmp_path, "k", slow, is_quick=False) == []

    assert shortest_s(ask, 0.7, seconds) < 0.7
    os.write(ends, b"." * 99)
    until = time.monotonic() + 30
    while not name_cache.cache_path(tmp_path, "k").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    assert name_cache.cached_names(tmp_path, "k", list, is_quick=False) == ["A"]


def test_names_of_another_queue_manager_are_not_given(tmp_path: Path) -> None:
    names = partial(name_cache.cached_names, tmp_path, is_quick=True)
    one, other = (name_cache.cache_path(tmp_path, key) for key in ("plumless", "buckeroo"))
    assert one == other
    assert names("plumless", lambda: ["PLUM"]) == ["PLUM"]
    assert names("buckeroo", lambda: ["BUCK"]) == ["BUCK"]


def test_a_failing_queue_manager_gives_no_names(tmp_path: Path) -> None:
    def failing() -> list[str]:
        raise OSError(9, "gone")

    assert name_cache.cached_names(tmp_path, "k", failing, is_quick=False) == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("mqtriage msg browse APP.I", ["APP.IN"]),
        ("mqtriage queue ls --output = nd", ["ndjson"]),
        ("mqtriage lint x", ["x.mqsc"]),
    ],
)
def test_bash_completes_with_our_script(
    bench: Bench, words: str, expected: list[str], tmp_path: Path
) -> None:
    bench.define("APP.IN")
    (tmp_path / "x.mqsc").touch()
    script = bench.ok("completion", "bash").out
    done = subprocess.run(
        [
            "bash",
            "-c",
            f"mqtriage() {{ '{sys.executable}' -m mqtriage \"$@\"; }}\n{script}\n"
            f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _mqtriage;"
            ' printf "%s\\n" "${COMPREPLY[@]}"',
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**bench.environ, "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)},
        check=True,
    )
    assert done.stdout.split() == expected


@pytest.mark.parametrize("shell", [s for s in ("bash", "zsh", "fish") if shutil.which(s)])
def test_the_script_of_a_shell_is_one_that_it_can_read(bench: Bench, shell: str) -> None:
    script = bench.ok("completion", shell).out
    done = subprocess.run([shell, "-n"], check=False, input=script, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


START = {
    "bash": "exec bash --norc",
    "zsh": "exec zsh -f",
    "fish": "exec fish --no-config",
}
SET_UP = {
    "bash": "PS1='> '; source <(mqtriage completion bash); clear",
    "zsh": "PS1='> '; mkdir z; mqtriage completion zsh >z/_mqtriage; fpath=($PWD/z $fpath);"
    " autoload -Uz compinit; compinit -u -d $PWD/z/dump; clear",
    "fish": "function fish_prompt; echo -n '> '; end; mqtriage completion fish | source; clear",
}
TYPED = [
    ("mqtriage dlq rul", "mqtriage dlq rules"),
    ("mqtriage emulator lab cons", "mqtriage emulator lab consume"),
    ("mqtriage queue show PAYMENTS.I", "mqtriage queue show PAYMENTS.IN"),
    ("mqtriage queue show 'PAYMENTS.I", "mqtriage queue show 'PAYMENTS.IN'"),
    ('mqtriage -m "QM1" queue show "PAYMENTS.I', 'mqtriage -m "QM1" queue show "PAYMENTS.IN"'),
    ("mqtriage queue show A/B%", "mqtriage queue show A/B%C"),
    ("mqtriage queue ls --output=nd", "mqtriage queue ls --output=ndjson"),
    ("mqtriage queue ls --output nd", "mqtriage queue ls --output ndjson"),
    ("""mqtriage msg browse Q --where "put_appl = 'x y'" --corr""", """'x y'" --correlid"""),
    ("mqtriage context use prod", "mqtriage context use prod-1"),
    ("mqtriage lint explain BKO00", "BKO009"),
    ("mqtriage queue ls --columns queue,curd", "mqtriage queue ls --columns queue,curdepth"),
    ("mqtriage rc MQRC_Q_FU", "mqtriage rc MQRC_Q_FULL"),
    ("""mqtriage msg browse Q --where "backout >= 3 and put_appl_t""", "and put_appl_type"),
    ("mqtriage lint a", "mqtriage lint a\\ b.mqsc"),
    ("mqtriage lint col", "on.mqsc"),
]


@pytest.mark.slow
@pytest.mark.parametrize("shell", START)
def test_tab_completes_in_the_shell_itself(bench: Bench, tmp_path: Path, shell: str) -> None:
    tool(shell)
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "c.toml")
    bench.define("PAYMENTS.IN", "A/B%C")
    bench.ok("context", "add", "prod-1", "-m", "QM1")
    for name in ("a b.mqsc", "col:on.mqsc"):
        (tmp_path / name).touch()
    terminal = Terminal(100, bench.home)
    try:
        terminal.type(f"cd '{tmp_path}'; export HOME=$PWD MQTRIAGE_CONFIG=$PWD/c.toml")
        terminal.type(START[shell])
        terminal.type(SET_UP[shell])
        terminal.until_only("> ")
        for typed, shown in TYPED:
            terminal.keys(f"{typed}\t")
            if shell == "bash" and "BKO" in typed:
                terminal.keys("\t")  # the second one lists
            terminal.until(shown)
            terminal.keys("\x15\x0c")  # away with the line, and with what was listed
            terminal.until_only("> ")
    finally:
        terminal.close()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("queue", "ls", "--columns", "queue,curd"), ["queue,curdepth"]),
        (("queue", "ls", "--sort", "-percent"), ["-percent_full"]),
        (("queue", "ls", "--sort=-percent"), ["--sort=-percent_full"]),
        (("top", "--columns", "boqn"), ["boqname"]),
        (("msg", "browse", "Q", "--where", "backout >= 3 and reply_to"),
         ["backout >= 3 and reply_to", "backout >= 3 and reply_to_qmgr"]),
        (("msg", "count", "Q", "--by", "queue,form"), ["queue,format"]),
        (("rc", "MQRC_Q_FU"), ["MQRC_Q_FULL"]),
        (("dlq", "browse", "--reason", "MQRC_PUT_IN"), ["MQRC_PUT_INHIBITED"]),
        (("lint", "explain", "BKO00"), [f"BKO00{n}" for n in range(1, 10)]),
        (("snapshot", "diff", "la"), ["latest"]),
        (("emulator", "create", "Z", "--from-snapshot", "la"), ["latest"]),
        (("man", "ba"), ["backout"]),
        (("man", "sa"), ["safety"]),
        (("queue", "ls", "--where", "cur"), ["curdepth"]),
        (("queue", "ls", "--where", "PUT = ENABLED and PERC"), ["PUT = ENABLED and PERCENT_FULL"]),
        (("journal", "show", ""), []),
        (("queue", "set", "Q", "MAXD"), ["MAXDEPTH="]),
        (("queue", "define", "Q", "BOTH"), ["BOTHRESH="]),
        (("context", "add", "x", "tls.ca"), ["tls.cafile="]),
        (("context", "add", "x", "prot"), ["protected="]),
    ],
)  # fmt: skip
def test_what_is_typed_by_hand_is_offered(
    bench: Bench, words: tuple[str, ...], expected: list[str]
) -> None:
    assert offered(bench, *words) == expected


def test_the_archives_of_the_folder_are_offered(bench: Bench) -> None:
    bench.define("APP.IN")
    bench.ok("msg", "put", "APP.IN", "1", "--yes")
    name = Path(bench.ok("msg", "archive", "APP.IN", "-o", "json").item["archive"]).name
    assert offered(bench, "archive", "ls", name[:4]) == [name, ":files"]
    assert offered(bench, "archive", "verify", name[:4]) == [name, ":files"]


def test_every_column_of_a_listing_is_offered(bench: Bench) -> None:
    bench.define("APP.IN")
    keys = set(bench.ok("queue", "ls", "-o", "json").json["items"][0])
    assert keys - {"message_count"} <= set(offered(bench, "queue", "ls", "--columns", ""))


@pytest.mark.slow
def test_operations_and_snapshots_say_what_they_are(bench: Bench) -> None:
    bench.ok("queue", "define", "APP.IN", "--yes")
    bench.ok("msg", "put", "APP.IN", "x", "--yes")
    bench.ok("snapshot", "take", "-m", "QM1", "-q")
    lines = bench.ok("__complete", "journal", "show", "").out.splitlines()
    (put, define) = [line.partition("\t") for line in lines]
    assert (len(put[0]), put[2].split()[2:]) == (26, ["put", "APP.IN", "done"])
    assert define[2].split()[2:4] == ["define", "APP.IN"]
    assert offered(bench, "journal", "undo", put[0][:24]) == [put[0]] or put[0][:24] in define[0]
    (taken,) = [
        line.split("\t")
        for line in bench.ok("__complete", "snapshot", "diff", "2").out.splitlines()
    ]
    assert taken[1] == "QM1"


def test_another_shell_is_wrong_usage(bench: Bench) -> None:
    assert bench.run("completion", "tcsh").code == 2
