"""What a verb on messages is refused by a guard, its saved plan is refused as well.

Each verb that can save a plan, with each of its options: done where a guard holds, and planned
where none does and then applied where it holds. Verbs come from the command tree, options from the
verb, guards from the keys of a context: what is new joins by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from shutil import rmtree
from typing import NoReturn

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.cli.frame.options import ConnectionOptions, Consent, Guards, Output
from mqtriage.cli.frame.tree import GROUPS
from mqtriage.cli.frame.verb import parameters_of, verb_function
from mqtriage.commands.context.settings import GUARDS
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import Opt
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.units import COMMITTED
from tests.acceptance.conftest import Bench, Ran, with_copy
from tests.acceptance.test_every_command import line_of
from tests.support.filled_bench import filled_bench
from tests.support.scale import SCALE

VERBS = {
    f"{noun} {verb}": target
    for noun, group in GROUPS.items()
    for verb, (target, _) in group.verbs.items()
    if Guards in verb_function(target).verb.groups
}
SETTINGS = {
    "protected": "protected = true",
    "read_only": "read_only = true",
    "no_browse": 'no_browse = ["*"]',
    "max_messages": "max_messages = 1",
    "four_eyes": "four_eyes = true",
}
VALUES = {
    "rate": "900/s", "park": "EMPTY.Q", "to": "EMPTY.Q", "expiry": "1h", "message_context": "set",
    "delay": "30m", "at": "23:59", "shift": "+1h", "min_backout": "1", "rules": "dlq.rules",
    "set_prop": "color=red", "add_dlh": "MQRC_Q_FULL",
    "queue": "DEAD.LETTER.QUEUE", "unlimited_older_than": "1s",
}  # fmt: skip
"""Texts of options whose form says no more than that they are texts."""
NO_PLAN = {
    "archive": "expiry revive --from takes nothing off a queue",
    "interval": "each round has a plan of its own",
    "until": "of interval",
    "wait": "each pass has a plan of its own",
}


def words_of(name: str, opt: Opt) -> list[str]:
    """The option, with a value that its form or the table above has."""
    word = opt.words(name)[-1].partition("/")[0]
    if opt.kind in ("flag", "pair"):
        return [word]
    if opt.choices:
        return [word, opt.choices[-1]]
    if opt.kind == "number":
        return [word, str(int(opt.minimum or 1))]
    assert name in VALUES, f"{word}: give it a value here"
    return [word, VALUES[name]]


def options_to_try(path: str) -> Iterator[list[str]]:
    """No option, then each of the verb's own, of its guards and of what its copies are like."""
    yield []
    shared = (Consent, ConnectionOptions, Output, SelectionOptions)
    left_out = {item.name for group in shared for item in fields(group)} | {"plan"}
    for name, opt, words, *_ in parameters_of(verb_function(VERBS[path])):
        if words and name not in left_out and name not in NO_PLAN:
            yield words_of(name, opt)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = filled_bench(tmp_path_factory.mktemp("filled") / "home")
    bench.run("msg", "put", "PAYMENTS.IN", "x", "--count", "2", "--yes")
    return bench


@pytest.fixture
def bench(filled: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    copied = with_copy(Bench(tmp_path / "home"), filled.path())
    copied.environ |= {"MQTRIAGE_QMGR": "QM1", "MQTRIAGE_CONFIG": str(tmp_path / "config.toml")}
    monkeypatch.chdir(tmp_path)
    Path("dlq.rules").write_text("ACTION(FWD) FWDQ(EMPTY.Q) HEADER(NO)\n", "utf-8")
    return copied


def done_and_applied(
    bench: Bench, filled: Bench, words: list[str], setting: str
) -> tuple[Ran, Ran, Ran]:
    """The verb where the guard holds; its plan where none does; that applied where it holds."""
    config, plan = Path(bench.environ["MQTRIAGE_CONFIG"]), Path("saved.plan")
    guard = f'[context.prod]\nqmgr = "QM1"\n{setting}\n'
    config.write_text("", "utf-8")
    with_copy(bench, filled.path())
    dry = bench.run(*words, "-n", "-o", "json")
    consent = ["--yes"]
    if dry.out:
        consent += ["--expect", str(dry.item["count"]), "--confirm", "QM1"]
    plan.unlink(missing_ok=True)
    planned = bench.run(*words, "--plan", str(plan))
    config.write_text(guard, "utf-8")
    applied = bench.run("apply", str(plan), *consent) if plan.exists() else planned
    with_copy(bench, filled.path())
    rmtree(bench.home / "journal", ignore_errors=True)  # it counts requeues
    done = bench.run(*words, *consent)
    rmtree(bench.home / "journal", ignore_errors=True)
    return done, planned, applied


def difference(done: Ran, planned: Ran, applied: Ran) -> str:
    """What is asked of the one and not of the other; "" where both are asked the same."""
    if "needs a plan file" in done.err:  # the one thing that is asked of the verb alone
        return "" if applied.code in (0, 3) else f"a reviewed plan is refused: {applied.err}"
    if "requires two people" in done.err:  # of a plan it is asked by name
        return "" if "made this plan, and" in applied.err else f"one's own plan: {applied.err}"
    if planned.code and done.code:
        return ""
    errors = [ran.code == 8 and ran.error_line for ran in (done, applied)]
    same = done.code == applied.code and errors[0] == errors[1]
    return "" if same else f"{done.code} {done.err}\n<>\n{applied.code} {applied.err}"


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("path", VERBS)
@pytest.mark.slow
def test_a_plan_is_refused_what_its_verb_is_refused(
    bench: Bench, filled: Bench, path: str, guard: str
) -> None:
    line = [word for word in line_of(path).split() if word != "--yes"]
    tried = list(options_to_try(path))
    if guard != "protected" and SCALE != "all":
        del tried[1:]  # these guards look at no option
    for option in tried:
        words = [*line, *option]
        different = difference(*done_and_applied(bench, filled, words, SETTINGS[guard]))
        assert not different, f"{' '.join(words)}: {different}"


def batch_and_units(bench: Bench, *argv: str) -> tuple[str, str]:
    """The operation of a command, and how its units of work differ from its plan ("": not)."""
    planned = bench.run(*argv, "-n", "-o", "json")
    op = bench.run(*argv, "--yes", "-o", "json").json["item"]["op"]
    journal = Journal(bench.home / "journal")
    batch = planned.item["facts"]["batch"]
    most = min(batch, max(part.messages for part in journal.head(op).parts))
    sizes = [unit.size for unit in journal.units(op, COMMITTED)]
    return op, "" if max(sizes) == most else f"{argv}: batch {batch}, units {sizes}"


@pytest.mark.parametrize("threshold", [0, 9])
@pytest.mark.parametrize("path", VERBS)
@pytest.mark.slow
def test_the_batch_of_a_plan_is_the_number_of_messages_in_a_unit_of_work_and_so_of_its_undo(
    bench: Bench, path: str, threshold: int
) -> None:
    """With a BOTHRESH a rollback counts, so messages are then taken from that queue one by one."""
    for queue in ("ORDERS.IN", "ORDERS.BO", "PAYMENTS.IN", "EMPTY.Q", "DEAD.LETTER.QUEUE"):
        bench.ok("queue", "set", queue, f"BOTHRESH={threshold}", "--yes")
    words = [word for word in line_of(path).split() if word != "--yes"]
    if path == "backout move":
        words += ["--min-backout", "1"]
    planned = bench.run(*words, "--rate", "20/s", "--plan", "saved.plan")
    assert planned.code == 0, planned.err
    op, differs = batch_and_units(bench, "apply", "saved.plan")
    assert not differs
    undo = ("journal", "undo", op, "--rate", "20/s", "--allow-reports")
    assert not batch_and_units(bench, *undo)[1]


def test_a_hint_on_a_plan_or_an_undo_names_no_option_that_it_lacks(
    bench: Bench, tmp_path: Path
) -> None:
    bench.define("A", B="MAXDEPTH=5")
    bench.ok("msg", "put", "A", "x", "--count", "3", "--yes")
    plan = str(tmp_path / "plan")
    bench.ok("msg", "move", "A", "--to", "B", "--plan", plan)
    bench.ok("queue", "set", "B", "MAXDEPTH=2", "--yes")
    ran = bench.run("apply", plan, "--yes")
    hint = "hint: write a new plan with --limit 2; for all: mqtriage queue set B MAXDEPTH=3\n"
    assert (ran.code, hint in ran.err) == (8, True), ran.err
    bench.ok("queue", "set", "B", "MAXDEPTH=5", "--yes")
    bench.ok("apply", plan, "--yes")
    bench.environ["MQTRIAGE_MAX_MESSAGES"] = "2"
    ran = bench.run("journal", "undo", "--yes")
    assert (ran.code, "hint: mqtriage context show -m QM1 --wide prints" in ran.err) == (8, True), (
        ran.err
    )
    del bench.environ["MQTRIAGE_MAX_MESSAGES"]
    bench.ok("queue", "set", "A", "MAXDEPTH=1", "--yes")
    op = next(item["op"] for item in bench.ok("journal", "ls", "-o", "json").items
              if item["action"] == "move")  # fmt: skip
    ran = bench.run("journal", "undo", op, "--yes")
    assert (ran.code, "hint: mqtriage queue set A MAXDEPTH=" in ran.err) == (8, True), ran.err


LOSING = {
    "clear": "CLEAR QLOCAL(A)",
    "delete": "DELETE QLOCAL(A) PURGE",
    "behind others": "DEFINE QLOCAL(C)\nDELETE QLOCAL(B) PURGE\nCLEAR QLOCAL(A)",
}
ARCHIVED = "mqtriage msg purge A --plan FILE archives them"


def losing_lines(text: str, folder: Path) -> Iterator[list[str]]:
    """The ways to run a script that takes the messages of a queue along."""
    script = folder / "losing.mqsc"
    script.write_text(f"{text}\n", "utf-8")
    yield ["mqsc", str(script)]
    if "CLEAR" not in text:
        yield ["apply", str(script)]
        yield ["queue", "delete", "A", "--purge"]


@pytest.mark.parametrize("text", LOSING.values(), ids=LOSING)
def test_a_protected_context_refuses_a_script_that_loses_messages(
    bench: Bench, tmp_path: Path, text: str
) -> None:
    """The archive of a purge cannot be turned off there, so MQSC is no way around it."""
    bench.define("A", "B")
    bench.ok("msg", "put", "A", "x", "--count", "2", "--yes")
    Path(bench.environ["MQTRIAGE_CONFIG"]).write_text(
        f'[context.prod]\nqmgr = "QM1"\n{SETTINGS["protected"]}\n', "utf-8"
    )
    for line in losing_lines(text, tmp_path):
        for consent in (["-n"], ["--yes", "--confirm", "QM1"]):
            ran = bench.run(*line, *consent)
            assert "would lose 2 messages of A without archiving them, which is not" in ran.err
            assert ARCHIVED in ran.err, line
            assert ran.code == (0 if consent == ["-n"] else 8), ran.err
        assert bench.depth("A") == 2
    ran = bench.ok("msg", "purge", "A", "--plan", str(tmp_path / "purge.plan"))
    bench.ok("apply", str(tmp_path / "purge.plan"), "--confirm", "QM1", "--expect", "2")
    line = next(losing_lines(text, tmp_path))
    bench.ok(*line, "--confirm", "QM1")  # of an empty queue nothing is lost


@pytest.mark.parametrize("guard", ["protected", "read_only"])
def test_a_guarded_queue_manager_refuses_a_simulated_consumer(bench: Bench, guard: str) -> None:
    bench.define("A")
    bench.ok("msg", "put", "A", "x", "--yes")
    Path(bench.environ["MQTRIAGE_CONFIG"]).write_text(
        f'[context.prod]\nqmgr = "QM1"\n{SETTINGS[guard]}\n', "utf-8"
    )
    line = ("emulator", "lab", "consume", "A", "--as", "jms-sync")
    ran = bench.run(*line, "--confirm", "QM1", "--expect", "1", "--yes")
    assert (ran.code, bench.depth("A")) == (8, 1)
    assert "consuming messages on QM1 is not allowed" in ran.err
    bench.ok(*line, "-n")


@pytest.mark.parametrize("guard", ["protected", "max_messages"])
def test_a_queue_whose_messages_nobody_may_count_is_not_taken_for_an_empty_one(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guard: str
) -> None:
    def refuse(_: EmulatedBackend, name: str) -> NoReturn:
        raise mqi_error(cmqc.MQRC_NOT_AUTHORIZED, f"inquire {name}", object_name=name)

    bench.define("A")
    Path(bench.environ["MQTRIAGE_CONFIG"]).write_text(
        f'[context.prod]\nqmgr = "QM1"\n{SETTINGS[guard]}\n', "utf-8"
    )
    script = tmp_path / "losing.mqsc"
    script.write_text("CLEAR QLOCAL(A)\n", "utf-8")
    bench.ok("mqsc", str(script), "-n")
    monkeypatch.setattr(EmulatedBackend, "status", refuse)
    ran = bench.run("mqsc", str(script), "--confirm", "QM1")
    assert (ran.code, "an unknown number of messages of A" in ran.err) == (8, True), ran.err


def test_a_plan_of_a_deletion_that_loses_messages_says_that_it_is_refused(
    bench: Bench, tmp_path: Path
) -> None:
    bench.define("A")
    bench.ok("msg", "put", "A", "x", "--yes")
    Path(bench.environ["MQTRIAGE_CONFIG"]).write_text(
        f'[context.prod]\nqmgr = "QM1"\n{SETTINGS["protected"]}\n', "utf-8"
    )
    script, plan = tmp_path / "losing.mqsc", str(tmp_path / "delete.plan")
    script.write_text("DELETE QLOCAL(A) PURGE\n", "utf-8")
    written = bench.ok("plan", str(script), "--out", plan)
    assert "apply refuses it: apply QM1 would lose 1 message of A without" in written.err
    assert ARCHIVED in written.err
    ran = bench.run("apply", plan, "--confirm", "QM1")
    assert (ran.code, ARCHIVED in ran.err, bench.depth("A")) == (8, True, 1), ran.err


def test_max_messages_counts_the_messages_that_a_script_loses(bench: Bench, tmp_path: Path) -> None:
    bench.define("A", "B")
    bench.ok("msg", "put", "A", "x", "--count", "2", "--yes")
    script = tmp_path / "clear.mqsc"
    script.write_text("CLEAR QLOCAL(A)\nCLEAR QLOCAL(B)\n", "utf-8")
    bench.environ["MQTRIAGE_MAX_MESSAGES"] = "1"
    ran = bench.run("mqsc", str(script), "--confirm", "QM1")
    assert (ran.code, bench.depth("A")) == (8, 2), ran.err
    assert (
        "2 messages of A would be lost, and MQTRIAGE_MAX_MESSAGES allows 1 (max_messages)"
        in ran.err
    )
    assert "mqtriage msg purge A --limit 1, and again for the rest" in ran.err
    bench.environ["MQTRIAGE_MAX_MESSAGES"] = "2"
    bench.ok("mqsc", str(script), "--confirm", "QM1")
    assert bench.depth("A") == 0
