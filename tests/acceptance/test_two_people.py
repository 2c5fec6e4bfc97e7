"""Plans for two people: four_eyes of a context, signatures, and what the journal says of both."""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from mqtriage.model.shell_words import shell_line
from tests.acceptance.conftest import ON_A_TERMINAL, Bench

SCRIPT = "DEFINE QLOCAL(NEW.ONE) DESCR('a `tick`')\nALTER QLOCAL(ORDERS.IN) MAXDEPTH(77)\n"
SSH = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen")
PGP = pytest.mark.skipif(shutil.which("gpg") is None, reason="no gpg")


@pytest.fixture
def script(bench: Bench, tmp_path: Path) -> str:
    bench.define("ORDERS.IN")
    path = tmp_path / "want.mqsc"
    path.write_text(SCRIPT)
    return str(path)


def as_made_by(file: Path, user: str) -> None:
    """The plan file as another user would have written it."""
    *lines, _ = file.read_text().splitlines(keepends=True)
    head = json.loads(lines[0])
    if "made" in head:
        head["made"]["user"] = user
    else:
        head["maker"] = user
    lines[0] = json.dumps(head) + "\n"
    content = "".join(lines)
    count = {"messages": len(lines) - 1} if "maker" in head else {"commands": 2}
    end = {"kind": "End", **count, "sha256": sha256(content.encode()).hexdigest()}
    file.write_text(content + json.dumps(end, separators=(",", ":")) + "\n")


def test_four_eyes_refuses_the_maker_and_lets_somebody_else(
    bench: Bench, script: str, tmp_path: Path
) -> None:
    plan = tmp_path / "monday.plan"
    bench.ok("plan", script, "--out", str(plan))
    bench.environ["MQTRIAGE_FOUR_EYES"] = "true"
    me = pwd.getpwuid(os.getuid()).pw_name
    refused = bench.run("apply", str(plan), "--yes")
    assert refused.code == 8
    assert f"{me} made this plan" in refused.error_line
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 5000
    as_made_by(plan, "maria")
    bench.ok("apply", str(plan), "--yes")
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 77
    shown = bench.ok("journal", "show", "-o", "json").item
    assert shown["user"] == me
    assert shown["made"].startswith("maria on ")
    assert re.search(r"^ *planned by +maria on ", bench.ok("journal", "show").out, re.MULTILINE)
    bench.ok(
        "journal", "undo", "--confirm", "NEW.ONE"
    )  # what two people agreed to can be undone by one
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 5000


@pytest.mark.parametrize(
    "args",
    [
        ("apply", "{script}", "--yes"),
        ("mqsc", "{script}", "--yes"),
        ("queue", "set", "ORDERS.IN", "MAXDEPTH=3", "--yes"),
        ("msg", "put", "ORDERS.IN", "hello", "--yes"),
        ("msg", "purge", "ORDERS.IN", "--yes", "--limit", "1"),
        ("dlq", "run", "ORDERS.IN", "-f", "{rules}", "--wait", "1s", "--yes"),
    ],
)
def test_four_eyes_refuses_what_is_no_plan_file(
    bench: Bench, script: str, tmp_path: Path, args: tuple[str, ...]
) -> None:
    bench.ok("msg", "put", "ORDERS.IN", "there", "--yes")
    (tmp_path / "rules").write_text("ACTION(DISCARD)\n")
    filled = [word.format(script=script, rules=tmp_path / "rules") for word in args]
    bench.environ["MQTRIAGE_FOUR_EYES"] = "true"
    before = bench.ok("emulator", "ls", "QM1").out
    refused = bench.run(*filled)
    assert (refused.code, "two people (four_eyes)" in refused.error_line) == (8, True), refused.err
    assert bench.ok("emulator", "ls", "QM1").out == before
    looked = [word for word in filled if word not in ("--yes", "--wait", "1s")]
    bench.ok(*looked, "-n")


def test_four_eyes_of_a_plan_on_messages(bench: Bench, tmp_path: Path) -> None:
    bench.define("ORDERS.IN")
    bench.ok("msg", "put", "ORDERS.IN", "hello", "--yes")
    plan = tmp_path / "purge.plan"
    bench.environ["MQTRIAGE_FOUR_EYES"] = "true"
    bench.ok("msg", "purge", "ORDERS.IN", "--plan", str(plan))
    refused = bench.run("apply", str(plan), "--confirm", "ORDERS.IN")
    assert (refused.code, "made this plan" in refused.error_line) == (8, True), refused.err
    as_made_by(plan, "maria")
    bench.ok("apply", str(plan), "--confirm", "ORDERS.IN")
    assert bench.depth("ORDERS.IN") == 0
    assert bench.ok("journal", "show", "-o", "json").item["made"] == "maria"


def test_a_plan_on_messages_says_what_selected_them(bench: Bench, tmp_path: Path) -> None:
    """Who applies it has only the file to judge it by."""
    bench.define("ORDERS.IN", "DLQ", "OUT")
    for queue in ("ORDERS.IN", "DLQ"):
        bench.ok("msg", "put", queue, "hello", "--yes")
    for words in (
        ["msg", "purge", "ORDERS.IN", "--where", "priority < 9"],
        ["msg", "move", "ORDERS.IN", "--to", "OUT", "--limit", "1"],
        ["dlq", "requeue", "DLQ", "--to", "OUT", "--where", "priority >= 0"],
    ):
        plan = tmp_path / f"{words[1]}.plan"
        bench.ok(*words, "--plan", str(plan))
        for look in (("apply", str(plan), "-n"), ("plan", str(plan))):
            assert (
                bench.ok(*look, "-o", "json")
                .item["facts"]["planned_with"]
                .startswith(shell_line(words))
            )
            (line,) = re.findall(r"^ *command +(.*)$", bench.ok(*look).out, re.MULTILINE)
            assert line.startswith(shell_line(words)), look


@pytest.mark.parametrize("variable", ["", "MQTRIAGE_FOUR_EYES"])
@pytest.mark.parametrize("where", [("--context", "prod"), ("-m", "QM1")])
@pytest.mark.slow
def test_whoever_may_not_apply_a_plan_sees_the_line_that_came_with_it(
    bench: Bench, script: str, tmp_path: Path, where: tuple[str, ...], variable: str
) -> None:
    """It was "mqtriage apply -m QM1 FILE", without the guards and the name of the file."""
    bench.ok("msg", "put", "ORDERS.IN", "hello", "--yes")
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "config.toml")
    purge, guards = ("msg", "purge", "ORDERS.IN"), ["four_eyes=true", "protected=true"]
    if variable:
        bench.environ[variable] = "true"
        guards.remove("four_eyes=true")
    bench.ok("context", "add", "prod", "backend=emulator", "-m", "QM1", *guards)
    for words, option in ((("plan", script), "--out"), (purge, "--plan")):
        file = str(tmp_path / words[0])
        ran = bench.ok(*words, *where, option, file)
        (line,) = re.findall(r"another person applies it: (.*)\n", ran.err)
        chosen = () if "--context" in where else where
        for end in (("--yes",), ("-n",)):
            ran = bench.run("apply", file, *chosen, *end)
            assert ran.code == (0 if "-n" in end else 8)
            assert "another person applies it: " + line in " ".join(ran.err.split()), ran.err
        assert line in bench.ok("plan", file, *chosen).err


@SSH
def test_a_plan_is_signed_with_ssh_and_applied_by_who_may_sign(
    bench: Bench, script: str, tmp_path: Path
) -> None:
    keys = {}
    for who in ("alice", "mallory"):
        file = tmp_path / who
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
        keys[who] = file.with_suffix(".pub").read_text()
    signers = tmp_path / "allowed_signers"
    signers.write_text(f"alice@bank {keys['alice']}")
    plan, by = tmp_path / "monday.plan", ("--signed-by", str(signers), "--yes")
    planned = bench.ok("plan", script, "--out", str(plan), "--sign", str(tmp_path / "alice"))
    assert f"signed: {plan}.sig" in planned.err

    signature = Path(f"{plan}.sig")
    kept, whole = signature.read_bytes(), plan.read_bytes()
    signature.unlink()
    refused = bench.run("apply", str(plan), *by)
    assert (refused.code, "is not signed" in refused.error_line) == (8, True)
    signature.write_bytes(kept)
    as_made_by(plan, "maria")  # the seal is renewed, the signature cannot be
    refused = bench.run("apply", str(plan), *by)
    assert (refused.code, "its signature does not match" in refused.error_line) == (8, True)
    plan.write_bytes(whole)
    signature.unlink()
    command = ["ssh-keygen", "-Y", "sign", "-n", "mqtriage", "-f"]
    subprocess.run([*command, str(tmp_path / "mallory"), str(plan)], check=True)
    refused = bench.run("apply", str(plan), *by)
    assert (refused.code, "not signed by any of the allowed" in refused.error_line) == (8, True)
    signature.write_bytes(kept)
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 5000
    applied = bench.ok("apply", str(plan), *by)
    assert "is signed by alice@bank (ssh)" in applied.err
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 77
    shown = bench.ok("journal", "show", "-o", "json").item["made"]
    assert shown.endswith("signed by alice@bank (ssh)")

    bench.ok("msg", "put", "ORDERS.IN", "hello", "--yes")
    purge = tmp_path / "purge.plan"
    bench.ok("msg", "purge", "ORDERS.IN", "--plan", str(purge))
    subprocess.run([*command, str(tmp_path / "alice"), str(purge)], check=True)
    applied = bench.ok("apply", str(purge), *by)
    assert f"  plan        {purge}\n" in applied.err
    assert "/mqtriage-" not in applied.err
    shown = bench.ok("journal", "show", "-o", "json").item["made"]
    assert shown == f"{pwd.getpwuid(os.getuid()).pw_name}, signed by alice@bank (ssh)"


@PGP
def test_a_plan_is_signed_with_gpg(
    bench: Bench, script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "gnupg"
    home.mkdir(0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    make = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "Bob <bob@bank>"]
    subprocess.run([*make, "ed25519", "sign", "never"], check=True, capture_output=True)
    keys = tmp_path / "keys.asc"
    exported = subprocess.run(
        ["gpg", "--armor", "--export", "bob@bank"], check=True, capture_output=True
    )
    keys.write_bytes(exported.stdout)
    plan, by = tmp_path / "monday.plan", ("--signed-by", str(keys), "--yes")
    bench.ok("plan", script, "--out", str(plan), "--sign", "bob@bank")
    whole = plan.read_bytes()
    as_made_by(plan, "maria")
    refused = bench.run("apply", str(plan), *by)
    assert (refused.code, "its signature is not valid" in refused.error_line) == (8, True)
    plan.write_bytes(whole)
    keys.write_bytes(b"")
    refused = bench.run("apply", str(plan), *by)
    assert (refused.code, "its signature is not valid" in refused.error_line) == (8, True)
    keys.write_bytes(exported.stdout)
    assert "is signed by Bob <bob@bank> (OpenPGP " in bench.ok("apply", str(plan), *by).err
    subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False)


@SSH
def test_signed_by_of_a_context_goes_before_the_command_line(
    bench: Bench, script: str, tmp_path: Path
) -> None:
    plan, signers = tmp_path / "monday.plan", tmp_path / "allowed_signers"
    signers.write_text("")
    bench.ok("plan", script, "--out", str(plan))
    bench.environ["MQTRIAGE_SIGNED_BY"] = str(signers)
    refused = bench.run("apply", str(plan), "--yes")
    assert (refused.code, "is not signed" in refused.error_line) == (8, True)
    other = bench.run("apply", str(plan), "--signed-by", str(tmp_path / "mine"), "--yes")
    assert (other.code, str(signers) in other.error_line) == (2, True)
    wrong = bench.run("plan", script, "--sign", "k")
    assert (wrong.code, "--out" in wrong.error_line) == (2, True)
    scripts = bench.run("apply", script, "--signed-by", str(signers))
    assert (scripts.code, "a plan file" in scripts.error_line) == (2, True)


def test_a_plan_in_markdown_has_its_maker_and_the_way_back(bench: Bench, script: str) -> None:
    text = bench.ok("plan", script, "-o", "md").out
    assert "| made by | " in text
    assert "```mqsc\nALTER QLOCAL('ORDERS.IN') MAXDEPTH(77)\n```\n" in text
    assert text.endswith(
        "### reverse script\n\n```mqsc\nALTER QLOCAL('ORDERS.IN') MAXDEPTH(5000)\n"
        "DELETE QLOCAL('NEW.ONE')\n```\n"
    )
    origin = bench.ok("plan", script, "-o", "json").item["made"]
    assert origin["files"] == [{"file": script, "sha256": sha256(SCRIPT.encode()).hexdigest()}]


def test_a_plan_that_is_handed_over_says_who_can_read_it(sample: Bench, tmp_path: Path) -> None:
    file = tmp_path / "purge.plan"
    words = ("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--plan", str(file))
    assert f"chmod g+r {file}" in sample.run(*words, terminals=ON_A_TERMINAL).err
    assert file.stat().st_mode & 0o077 == 0
    sample.environ["MQTRIAGE_FOUR_EYES"] = "true"
    file.unlink()
    assert f"chmod g+r {file}" in sample.ok(*words).err
