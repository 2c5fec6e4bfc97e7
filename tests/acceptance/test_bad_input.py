"""Bad input, item by item as the plan lists it: one clear error, its exit code, and nothing lost.

Files that are missing, corrupt, of a newer schema, read-only or locked: `test_emulator_files.py`.
A closed pipe and a full disk behind standard output: `tests/unit/cli/frame/test_process.py`.
A terminal 40 columns wide: `test_terminal.py`. Ctrl-C: `messages/test_messages_interrupted.py`.
"""

from __future__ import annotations

import errno
import fcntl
import gzip
import io
import json
import os
import resource
import shlex
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend, EmulatedHandle
from mqtriage.cli.frame.main import main
from mqtriage.messages import body_regex
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import StorageError
from tests.acceptance.conftest import Bench
from tests.support.application import app_for_test

LONG = "A" * 49
ON_A_QUEUE = [
    "queue show {}",
    "queue status {}",
    "queue define {} --yes",
    "queue set {} MAXDEPTH=1 --yes",
    "queue delete {} --yes",
    "msg browse {}",
    "msg count {}",
    "msg show {} " + "01" * 24,
    "msg put {} x --yes",
    "msg move {} --to OUT --yes",
    "msg move IN --to {} --yes",
    "msg purge {} --limit 1 --yes",
    "msg put {} x --delay 1m --yes",
    "backout ls {}",
    "backout set {} --threshold 3 --yes",
    "backout set IN --threshold 3 --boq {} --yes",
    "backout browse {}",
    "backout requeue {} --to OUT --yes",
    "backout purge {} --limit 1 --yes",
    "expiry status {}",
    "expiry browse {}",
    "expiry sweep {} --yes",
    "emulator lab rollback {}",
]
UNKNOWN_IS_FINE = ("queue define", "backout set IN")


@pytest.fixture
def queues(bench: Bench) -> Bench:
    """QM1 with IN, which holds one message, and OUT."""
    bench.define("IN", "OUT")
    put(bench, "IN", b"one")
    return bench


def put(bench: Bench, queue: str, *bodies: bytes) -> None:
    with bench.connected() as backend:
        for body in bodies:
            backend.put1(queue, MQMD(format="MQSTR", persistence=1), body)


def bodies(bench: Bench, queue: str) -> list[bytes]:
    with bench.connected() as backend:
        return [message.body for message in backend.open(queue, cmqc.MQOO_BROWSE).browse()]


def words(command: str, name: str) -> list[str]:
    return [word.format(name) for word in command.split()]


@pytest.mark.parametrize("name", ["BAD!NAME", LONG], ids=["character", "49-characters"])
@pytest.mark.parametrize("command", ON_A_QUEUE)
@pytest.mark.slow
def test_names_with_wrong_characters_or_over_48(queues: Bench, command: str, name: str) -> None:
    ran = queues.run(*words(command, name))
    assert ran.code == 2, ran.err
    expected = "'!' at position 4" if name != LONG else "49 characters long, MQ allows 48"
    assert expected in ran.error_line
    assert (ran.out, bodies(queues, "IN")) == ("", [b"one"])


@pytest.mark.parametrize(
    "command", [command for command in ON_A_QUEUE if not command.startswith(UNKNOWN_IS_FINE)]
)
def test_an_unknown_queue(queues: Bench, command: str) -> None:
    ran = queues.run(*words(command, "NO.SUCH"))
    assert ran.code == 5, ran.err
    assert "MQRC_UNKNOWN_OBJECT_NAME (2085)" in ran.error_line
    gets_messages = command.startswith("msg put {}") or "--to {}" in command
    define, look = "queue define NO.SUCH --yes defines it", "queue ls 'NO.*'"
    assert f"hint: mqtriage {define if gets_messages else look}\n" in ran.err
    assert bodies(queues, "IN") == [b"one"]


THROUGH_AN_ALIAS = [
    command
    for command in ON_A_QUEUE
    if command.split(" {}")[0] not in {"queue show", "queue define", "queue set", "queue delete"}
    and not command.startswith("backout set IN")
]


@pytest.mark.parametrize(
    ("alias", "reason", "code"), [("TO.NOTHING", 2082, 5), ("LOOP.A", 2001, 1)]
)
@pytest.mark.parametrize("command", THROUGH_AN_ALIAS)
@pytest.mark.slow
def test_an_alias_whose_target_is_missing_or_loops(
    queues: Bench, command: str, alias: str, reason: int, code: int
) -> None:
    queues.define(
        **{"TO.NOTHING": "TARGET=NO.SUCH", "LOOP.A": "TARGET=LOOP.B", "LOOP.B": "TARGET=LOOP.A"}
    )
    ran = queues.run(*words(command, alias))
    assert ran.code == code, ran.err
    assert f"({reason}): {alias} is an alias of " in ran.error_line
    assert "TARGET" in ran.err.split("hint: ")[1]
    assert bodies(queues, "IN") == [b"one"]


HUGE = "9" * 30


@pytest.mark.parametrize("command", ["msg browse IN --limit", "msg move IN --to OUT -n --limit"])
def test_a_huge_limit_is_no_limit(queues: Bench, command: str) -> None:
    ran = queues.ok(*command.split(), HUGE, "-o", "ids")
    assert len(ran.out.split()) == 1


def test_a_huge_skip_leaves_nothing(queues: Bench) -> None:
    assert queues.ok("msg", "browse", "IN", "--skip", HUGE, "-o", "ids").out == ""


@pytest.mark.parametrize("number", ["-1", HUGE])
@pytest.mark.parametrize(
    "command",
    [
        "msg put IN x --yes --count",
        "msg put IN x --yes --priority",
        "msg put IN x --yes --ccsid",
        "delay define --yes --maxdepth",
        "delay define --yes --maxmsgl",
        "backout set IN --yes --threshold",
        "emulator lab rollback IN --times",
    ],
)
def test_negative_and_huge_numbers(queues: Bench, command: str, number: str) -> None:
    ran = queues.run(*command.split()[:-1], f"{command.split()[-1]}={number}")
    assert ran.code == 2, ran.err
    assert number in ran.error_line
    assert bodies(queues, "IN") == [b"one"]


@pytest.mark.parametrize("option", ["--encoding", "--ccsid"])
@pytest.mark.parametrize("number", [str(2**31), str(-(2**31) - 1), HUGE])
def test_a_number_that_mqlong_cannot_hold(
    queues: Bench, tmp_path: Path, option: str, number: str
) -> None:
    file = tmp_path / "body"
    file.write_bytes(b"x")
    ran = queues.run("msg", "put", "IN", "--file", str(file), "--yes", f"{option}={number}")
    assert ran.code == 2
    assert f"{option} {number}: not a number of 32 bits" in ran.error_line


@pytest.mark.parametrize("attribute", ["MAXDEPTH", "MAXMSGL", "BOTHRESH"])
@pytest.mark.parametrize("number", ["-1", HUGE, "1.5", "ten", ""])
def test_an_attribute_out_of_its_range(queues: Bench, attribute: str, number: str) -> None:
    before = queues.attribute("IN", attribute)
    ran = queues.run("queue", "set", "IN", f"{attribute}={number}", "--yes")
    assert ran.code == 2
    assert attribute in ran.error_line
    assert queues.attribute("IN", attribute) == before


IDS = {
    "too short": "414",
    "too long": "41" * 25,
    "no hex": "Z" * 48,
    "odd": "ID:414",
    "empty ID": "ID:",
    "empty": "",
    "25 bytes of text": "text:" + "x" * 25,
    "unknown code page": "text@99999:A",
    "no base64": "b64:!!",
    "25 bytes of base64": "b64:" + "QUFB" * 9,
    "star alone": "*",
}


@pytest.mark.parametrize("text", IDS.values(), ids=IDS)
@pytest.mark.parametrize(
    "command", ["msg browse IN", "msg move IN --to OUT --yes", "msg purge IN --yes"]
)
@pytest.mark.parametrize("option", ["--msgid", "--correlid"])
@pytest.mark.slow
def test_ids_in_every_wrong_form(queues: Bench, command: str, option: str, text: str) -> None:
    ran = queues.run(*command.split(), f"{option}={text}")
    assert ran.code == 2, ran.err
    assert f"{option} {text!r}:" in ran.error_line
    assert "ID:HEX" in ran.err  # the forms that are selector_of
    assert bodies(queues, "IN") == [b"one"]


@pytest.mark.parametrize("text", ["00" * 24, "ID:00", "414D*"])
@pytest.mark.parametrize("command", ["msg move IN --to OUT --yes", "msg purge IN --yes"])
def test_ids_that_may_mean_several_messages_are_for_reading_alone(
    queues: Bench, command: str, text: str
) -> None:
    assert queues.run(*command.split(), "--msgid", text).code == 2
    assert queues.run("msg", "browse", "IN", "--msgid", text).code == 0
    assert bodies(queues, "IN") == [b"one"]


NOT_UTF_8 = bytes(range(128, 256)) + b"\x00\n\r\t\x1b[31m"


@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "csv", "md"])
def test_bodies_that_are_not_utf_8_are_shown_as_hex(queues: Bench, form: str) -> None:
    put(queues, "OUT", NOT_UTF_8)
    ran = queues.ok("msg", "browse", "OUT", "-o", form, "--columns", "msg_id,body_hex")
    assert NOT_UTF_8.hex().upper()[:8] in ran.out
    assert "\x1b" not in ran.out


def test_bodies_that_are_not_utf_8_are_moved_byte_for_byte(queues: Bench) -> None:
    put(queues, "IN", NOT_UTF_8)
    queues.ok("msg", "move", "IN", "--to", "OUT", "--yes")
    assert bodies(queues, "OUT") == [b"one", NOT_UTF_8]


def test_a_closed_standard_input_is_no_empty_message(queues: Bench) -> None:
    class Closed(io.StringIO):
        def read(self, size: int | None = -1) -> str:
            raise OSError(9, "Bad file descriptor")

    app = app_for_test(environ=queues.environ)
    app.run.stdin = Closed()
    code = main(["msg", "put", "IN", "-", "--yes"], app)
    assert isinstance(app.run.stderr, io.StringIO)
    assert code == 1
    assert "error: standard input: Bad file descriptor" in app.run.stderr.getvalue()
    assert bodies(queues, "IN") == [b"one"]


GREATEST = 104_857_600


@pytest.mark.slow
def test_the_greatest_message_after_alter_qmgr_and_qlocal(queues: Bench, tmp_path: Path) -> None:
    file = tmp_path / "body"
    with file.open("wb") as body_file:
        body_file.truncate(GREATEST + 1)
    command = ("msg", "put", "IN", "--file", str(file), "--yes")
    assert "MQRC_MSG_TOO_BIG_FOR_Q_MGR (2031)" in queues.run(*command).error_line
    with queues.connected() as backend:
        backend.alter("QMGR", "QM1", {"MAXMSGL": GREATEST})
    over = queues.run(*command)
    assert (over.code, "(2031)" in over.error_line) == (1, True)
    with file.open("r+b") as body_file:
        body_file.truncate(GREATEST)
    assert "MQRC_MSG_TOO_BIG_FOR_Q (2030)" in queues.run(*command).error_line
    for queue in ("IN", "OUT"):
        queues.ok("queue", "set", queue, f"MAXMSGL={GREATEST}", "--yes")
    queues.ok(*command)
    queues.ok("msg", "move", "IN", "--to", "OUT", "--yes", "--no-backup")
    ran = queues.ok("msg", "browse", "OUT", "-o", "json", "--columns", "length_bytes")
    assert [item["length_bytes"] for item in ran.items] == [3, GREATEST]


@pytest.fixture
def filling_disk(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From the third put on, the disk of the queue manager is full."""
    puts: list[int] = []
    put_one = EmulatedHandle.put

    def put(handle: EmulatedHandle, *args: Any) -> MQMD:
        puts.append(1)
        if len(puts) > 2:
            raise StorageError("QM1.qmgr: no space left on the disk", hint="make room")
        return put_one(handle, *args)

    monkeypatch.setattr(EmulatedHandle, "put", put)
    return puts


def test_a_full_disk_in_the_middle_of_a_put(queues: Bench, filling_disk: list[int]) -> None:
    ran = queues.run("msg", "put", "OUT", "x", "--count", "5", "--yes")
    assert ran.code == 3
    assert len(ran.out.split()) == 2  # the ids of what is on the queue
    assert "2 of 5 were put: QM1.qmgr: no space left on the disk" in ran.err
    assert bodies(queues, "OUT") == [b"x", b"x"]


def test_a_full_disk_in_the_middle_of_a_requeue(queues: Bench, filling_disk: list[int]) -> None:
    put(queues, "IN", b"two", b"three", b"four")
    ran = queues.run("msg", "move", "IN", "--to", "OUT", "--batch", "2", "--yes", "-o", "json")
    assert ran.code == 3
    assert ran.json["counts"] == {"planned": 4, "done": 2, "skipped": 0, "failed": 2}
    assert (bodies(queues, "OUT"), bodies(queues, "IN")) == ([b"one", b"two"], [b"three", b"four"])


def test_a_full_disk_before_anything_was_done_is_the_error(
    queues: Bench, filling_disk: list[int]
) -> None:
    filling_disk += [1, 1]
    ran = queues.run("msg", "put", "OUT", "x", "--yes", "-o", "json")
    assert ran.code == 1
    assert json.loads(ran.err.splitlines()[-1])["code"] == "STORAGE_ERROR"


@pytest.mark.parametrize("wrong", [("-o", "mqsc"), ("--columns", "msg_id"), ("--sort", "msg_id")])
@pytest.mark.parametrize(
    "command",
    [
        "msg put IN x --yes",
        "msg move IN --to OUT --yes",
        "msg purge IN --confirm IN",
        "msg put IN x --delay 1m --yes",
        "backout requeue IN --to OUT --yes",
        "expiry sweep IN --yes",
    ],
)
@pytest.mark.slow
def test_an_output_option_that_a_report_cannot_obey_is_refused_before_the_act(
    queues: Bench, command: str, wrong: tuple[str, str]
) -> None:
    before = queues.ok("emulator", "ls", "QM1").out
    ran = queues.run(*command.split(), *wrong)
    assert (ran.code, ran.out) == (2, ""), ran.err
    assert ran.error_line.startswith(" ".join(wrong) if wrong[0] == "-o" else wrong[0])
    assert queues.ok("emulator", "ls", "QM1").out == before


def test_a_definition_that_is_so_already_has_no_mqsc(queues: Bench) -> None:
    now = queues.attribute("IN", "MAXDEPTH")
    ran = queues.ok("queue", "set", "IN", f"MAXDEPTH={now}", "-n", "-o", "mqsc")
    assert ran.out == ""


def test_a_script_cannot_write_escapes_to_the_terminal(queues: Bench, tmp_path: Path) -> None:
    file = tmp_path / "bad.mqsc"
    file.write_text("\x1b[2J is no command\nDEFINE CHANNEL(\x1b[31m) CHLTYPE(SVRCONN)\n")
    ran = queues.run("mqsc", str(file), "-m", "QM1", "--yes")
    assert ran.code in (1, 3)
    assert "\x1b" not in ran.out + ran.err
    assert "\\x1b[2J" in ran.err


@pytest.fixture
def doubtful_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second commit is final, and yet the disk fails before it can say so."""
    commits: list[int] = []
    commit = EmulatedBackend.commit

    def doubtful(backend: EmulatedBackend) -> None:
        commits.append(1)
        commit(backend)
        if len(commits) == 2:
            raise StorageError("QM1.qmgr: disk I/O error")

    monkeypatch.setattr(EmulatedBackend, "commit", doubtful)


@pytest.mark.usefixtures("doubtful_commit")
def test_a_put_whose_commit_is_in_doubt_is_not_called_undone(queues: Bench) -> None:
    ran = queues.run("msg", "put", "OUT", "x", "--count", "150", "--yes")
    assert ran.code == 3
    assert len(ran.out.split()) == 100
    assert "100 of 150 were put: QM1.qmgr: disk I/O error" in ran.err
    assert "the commit failed: 50 more may be on OUT" in ran.err
    entry = queues.ok("journal", "ls", "-o", "json").json["items"][0]
    assert (entry["done"], entry["in_doubt"]) == (100, 50)
    assert entry["state"] not in ("failed", "partly done")


def test_a_put_that_is_there_is_done_whatever_becomes_of_its_handle(
    queues: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = EmulatedHandle.close

    def failing(handle: EmulatedHandle) -> None:
        close(handle)
        raise StorageError("QM1.qmgr: no space left on the disk")

    monkeypatch.setattr(EmulatedHandle, "close", failing)
    ran = queues.run("msg", "put", "OUT", "x", "--yes")
    assert ran.code == 0, ran.err
    entry = queues.ok("journal", "ls", "-o", "json").json["items"][0]
    assert (entry["done"], entry["state"]) == (1, "done")


@pytest.mark.usefixtures("doubtful_commit")
@pytest.mark.parametrize("batch", ["1", "2"])
def test_a_purge_whose_commit_is_in_doubt_keeps_its_archive(queues: Bench, batch: str) -> None:
    put(queues, "IN", b"two", b"three")
    command = ("msg", "purge", "IN", "--confirm", "IN", "--batch", batch, "-o", "json")
    ran = queues.run(*command)
    assert ran.code == 3
    reasons = [item["reason"] for item in ran.json["items"] if item["outcome"] == "failed"]
    assert reasons == [
        "QM1.qmgr: disk I/O error; mqtriage journal resume checks whether it is still there"
    ]
    text = Path(ran.json["details"]["archive"]).read_text()
    assert text.count('"kind":"Message"') == (2 if batch == "1" else 3)
    assert '"kind":"Backout"' not in text


def test_a_purge_whose_only_commit_is_in_doubt_keeps_its_archive(
    queues: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = EmulatedBackend.commit

    def doubtful(backend: EmulatedBackend) -> None:
        commit(backend)
        raise StorageError("QM1.qmgr: disk I/O error")

    monkeypatch.setattr(EmulatedBackend, "commit", doubtful)
    ran = queues.run("msg", "purge", "IN", "--confirm", "IN")
    assert ran.code == 1
    assert "checks whether it is still there" in ran.error_line
    (archive,) = (queues.home / "archive").glob("*.ndjson")
    assert '"kind":"Message"' in archive.read_text()
    assert bodies(queues, "IN") == []


@pytest.mark.parametrize(
    "command",
    [
        "msg put IN --file {} --yes",
        "msg load {} --to IN --yes",
        "msg purge IN --ids-from {} --yes",
        "mqsc {} --yes",
        "mqsc {}",
        "mqsc fmt {}",
        "plan {}",
        "lint {}",
        "lint --config {} a.mqsc",
        "dlq run -f {}",
        "dlq rules {}",
        "apply {} --yes",
        "archive ls {} --msgid ID:FF",
        "queue ls --from {}",
        "delay define --from-analysis {} -n",
    ],
)
def test_a_file_to_read_that_is_not_there_is_not_found(queues: Bench, command: str) -> None:
    ran = queues.run(*words(command, "no-such-file"))
    assert ran.code == 5
    assert "no-such-file" in ran.error_line


@pytest.mark.parametrize("command", ["check queue", "lint"])
def test_a_report_form_that_is_not_there_is_told_with_those_there_are(
    bench: Bench, command: str
) -> None:
    ran = bench.run(*command.split(), "--format", "bogus")
    assert ran.code == (3 if command.startswith("check") else 2)
    assert "json" in ran.error_line
    assert ("nagios" if command.startswith("check") else "sarif") in ran.error_line


def test_a_json_report_fails_with_json(bench: Bench) -> None:
    ran = bench.run("lint", "no-such-file", "--format", "json")
    assert json.loads(ran.err)["code"] == "NOT_FOUND"


def test_a_word_for_a_number_is_told_plainly(bench: Bench) -> None:
    ran = bench.run("msg", "browse", "Q", "--limit", "x")
    assert ran.error_line == "Invalid value for '--limit': 'x' is not a whole number."


DEEP = "[" * 50_000
LONG_NUMBER = "9" * 5_000
"""More digits than Python reads as a number at once."""
FILES_READ = [
    ("rules.toml", "dlq rules {}"),
    ("rules.toml", "dlq run IN --rules {} --dry-run"),
    ("tests.toml", "dlq rules rules --tests {} saved"),
    ("config.toml", "queue ls"),
    ("config.toml", "context ls"),
    ("config.toml", "context add new --qmgr QM1"),
    ("mqtriage.toml", "lint script.mqsc"),
    ("own.toml", "lint {}"),
    ("baseline.json", "lint script.mqsc --baseline {}"),
    ("act.plan", "apply {} --yes"),
    ("saved.ndjson", "msg load {} --to IN --yes"),
    ("saved.ndjson", "archive ls {}"),
    ("saved.ndjson", "archive restore {} --yes"),
    ("saved.ndjson", "archive copy {} --out new.ndjson --where 'priority = 1'"),
    ("saved.ndjson", "msg diff {} IN"),
    ("script.mqsc", "plan {}"),
]


@pytest.mark.parametrize("content", ["deep", "object", "number", "member"])
def test_what_is_too_deep_or_too_long_is_one_line(
    queues: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.chdir(tmp_path)
    queues.environ["XDG_CONFIG_HOME"] = str(tmp_path)
    wrong: list[str] = []
    for name, command in FILES_READ:
        toml = name.endswith(".toml")
        text = {
            "deep": "a = " * toml + DEEP + "\n",
            "object": "a = " * toml + '{"a":' * 50_000 + "\n",
            "number": "a = " * toml + LONG_NUMBER + "\n",
            "member": f"a = {LONG_NUMBER}\n" if toml else f'{{"kind":{LONG_NUMBER}}}\n',
        }[content]
        (tmp_path / "rules").write_text("ACTION(LEAVE)\n")
        (tmp_path / "saved").write_text("")
        (tmp_path / "script.mqsc").write_text("DEFINE QLOCAL(A)\n")
        path = tmp_path / ("mqtriage" if name == "config.toml" else "") / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        ran = queues.run(*shlex.split(command.format(path)))
        path.unlink()
        lines = [line for line in ran.err.splitlines() if line.startswith("error: ")]
        if (
            ran.code in (0, 130)
            or "internal error" in ran.err
            or len(lines) != (not ran.out)  # a check of rules or scripts lists what is wrong
            or len(ran.out + ran.err) > 2_500
        ):
            wrong.append(f"{command}: exit {ran.code}, {ran.out[:200]}{ran.err[:300]}")
    assert not wrong, "\n".join(wrong)
    assert bodies(queues, "IN") == [b"one"]


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EIO])
def test_a_lock_that_the_file_system_refuses_names_its_file(
    queues: Bench, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """As NFS without its lock daemon does; flock itself knows no file."""

    def refuse(*_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", refuse)
    for command in ("msg purge IN --confirm IN", "msg browse IN", "emulator ls"):
        ran = queues.run(*command.split())
        output = ran.err + ran.out
        if ran.code == 0:
            continue
        assert os.strerror(code) in output, command
        assert f"{queues.home}/" in ran.error_line, command
        assert "standard output" not in output, command
    assert bodies_on_disk(queues) == 1


def bodies_on_disk(bench: Bench) -> int:
    with sqlite3.connect(bench.path()) as database:
        return int(database.execute("SELECT count(*) FROM body").fetchone()[0])


@pytest.mark.parametrize("command", ["msg purge IN --confirm IN", "msg archive IN --out kept"])
@pytest.mark.slow
def test_a_process_without_descriptors_is_not_told_as_standard_output(
    queues: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    # what a command and its error import is there: it is files of ours that cannot be opened
    for queue in ("IN", "NOWHERE"):
        words = command.replace("IN", queue).replace("kept", "before").split()
        queues.run(*words, "--where", "body = 'of none'", "--quiet")
    for most in range(6, 90):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
                ran = queues.run(*command.split(), "--quiet")
                os.write(writing, f"{ran.code} {ran.err}".encode())
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, "rb") as end:
            outcome = end.read().decode()
        os.waitpid(child, 0)
        assert outcome, most
        assert "standard output" not in outcome, outcome
        assert "internal error" not in outcome, outcome
        if outcome.startswith("0 "):
            break
    else:
        pytest.fail("it never had enough")
    assert most > 6


@pytest.mark.parametrize(
    "line",
    [
        "apply {} -n", "plan {}", "drift {}", "lint {}", "lint a.mqsc --config {}",
        "lint a.mqsc --baseline {}", "mqsc run {} -n", "mqsc fmt {}", "msg put A --file {} -n",
        "msg browse A --ids-from {}", "msg load {} --to A -n", "msg diff {} A",
        "dlq run -n --rules {}", "queue ls --from {}",
        "emulator serve QM1 --tcp 0 --passwords {}",
        "emulator serve QM1 --tcp 0 --tls-cert {} --tls-key {}",
    ],
)  # fmt: skip
@pytest.mark.slow
def test_what_has_no_end_is_refused_by_every_verb_that_reads_files(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.mqsc").write_text("DEFINE QLOCAL(A)\n")
    bench.define("A")
    ran = bench.run(*line.format(*["/dev/zero"] * 2).split())
    assert ran.code > 0
    assert "not a regular file" in ran.err or "--ids-from, line 1" in ran.err


@pytest.mark.parametrize("line", ["apply {} -n", "msg load {} --to A -n"])
def test_a_pipe_is_refused_by_what_reads_a_file_twice(
    bench: Bench, tmp_path: Path, line: str
) -> None:
    """Else its first lines would be missing from what is done."""
    os.mkfifo(tmp_path / "pipe")
    bench.define("A")
    ran = bench.run(*line.format(tmp_path / "pipe").split())
    assert ran.code > 0
    assert ran.err.splitlines()[0] == f"error: {tmp_path / 'pipe'}: not a regular file"


def test_a_file_of_passwords_that_others_can_read_is_refused(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "users.txt"
    file.write_text("app:secret\n")
    file.chmod(0o644)
    for words in ((), ("--tcp", "0")):
        ran = bench.run("emulator", "serve", "QM1", *words, "--passwords", str(file))
        assert ran.code == 8
        assert ran.err.splitlines() == [
            f"error: {file}: other users can read the secret in it",
            f"hint: chmod 600 {file}",
        ]


@pytest.mark.slow
def test_no_command_is_busy_for_ever_with_a_pattern(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_regex, "SEARCH_S", 0.2)
    bench.define("A")
    bench.ok("msg", "put", "A", "a" * 5_000, "--yes")
    for options in (("--body-regex", "(a+)+b"), ("--where", "body MATCHES '(a+)+b'")):
        for verb in (("browse", "A"), ("move", "A", "--to", "B", "--yes")):
            ran = bench.run("msg", *verb, *options)
            assert (ran.code, ran.err.splitlines()[-1][:25]) == (8, "hint: specify what ends a")
    assert bench.ok("msg", "count", "A", "-o", "plain").out


@pytest.mark.parametrize(
    "line", ["lint", "lint fix", "plan", "apply --yes", "drift", "mqsc fmt", "mqsc run --yes"]
)
def test_compressed_mqsc_is_one_line_that_says_how_to_unpack_it(
    bench: Bench, tmp_path: Path, line: str
) -> None:
    file = tmp_path / "queues.mqsc.gz"
    file.write_bytes(gzip.compress(b"DEFINE QLOCAL(A)\n"))
    ran = bench.run(*line.split(), str(file))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-2:] == [
        f"error: {file}: is compressed with gzip",
        f"hint: give what is in it, with - for the file: gunzip -c {file} | mqtriage ... -",
    ]


WRITERS = [
    ("mqsc", "export", "--out", "-"),
    ("plan", "a.mqsc", "--out", "-"),
    ("lint", "check", "a.mqsc", "--out", "-"),
    ("lint", "baseline", "a.mqsc", "--out", "-"),
    ("msg", "purge", "ORDERS.IN", "--plan", "-"),
    ("msg", "archive", "ORDERS.IN", "--out", "-"),
    ("archive", "copy", "a.ndjson", "--out", "-"),
    ("snapshot", "take", "--folder", "-"),
    ("snapshot", "export", "--out", "-"),
    ("man", "--out", "-"),
    ("incident", "--out", "-"),
    ("emulator", "lab", "simulate", "--out", "-"),
    ("emulator", "sdk", "-"),
    ("analyze", "profile", "--out", "-"),
    ("analyze", "watch", "DIR", "--checkpoint", "-"),
]


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_no_file_and_no_folder_is_called_by_a_dash(
    sample: Bench, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mqsc").write_text("DEFINE QLOCAL(A)\n")
    ran = sample.run(*words)
    assert ran.code == 2
    assert "-: a f" in ran.error_line
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize(
    "line",
    [
        "journal show|", "journal verify|", "journal undo|", "journal resume|", "journal ls|",
        "archive ls|", "archive verify|", "msg show|IN|", "check queue|", "queue ls|",
        "backout ls|", "expiry status|", "lint|", "cheat|", "journal prune|",
    ],
)  # fmt: skip
def test_an_empty_argument_does_not_mean_the_last_one_or_all(queues: Bench, line: str) -> None:
    """It is what a script has of a command that printed nothing."""
    words, *arguments = line.split("|")
    ran = queues.run(*words.split(), *arguments)
    code = 3 if words.startswith("check ") else 2
    assert (ran.code, "it is empty" in ran.err) == (code, True), ran.err
    queues.ok("msg", "put", "IN", "", "--yes")
