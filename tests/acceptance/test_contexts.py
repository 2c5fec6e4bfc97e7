"""`mqtriage context`: named settings, where each came from, and the guards that they add."""

from __future__ import annotations

import os
import re
import shlex
import stat
from pathlib import Path
from typing import Any

import pytest

from mqtriage.commands.context import files
from mqtriage.commands.context.files import ContextFile, read_context_file
from mqtriage.commands.context.settings import GUARDS
from mqtriage.model.context_keys import KEYS
from mqtriage.operations.ledger.journal import Journal
from tests.acceptance.conftest import ON_A_TERMINAL, Bench


@pytest.fixture
def here(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench with a second queue manager, a config file of its own and a folder to stand in."""
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "config.toml")
    folder = tmp_path / "project" / "below"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    bench.ok("emulator", "create", "QM2")
    bench.ok("context", "add", "one", "-m", "QM1")
    bench.ok("context", "add", "two", "-m", "QM2")
    return bench


def config(bench: Bench) -> Path:
    return Path(bench.environ["MQTRIAGE_CONFIG"])


def project(text: str) -> None:
    (Path.cwd().parent / ".mqtriage.toml").write_text(text, "utf-8")


def in_force(bench: Bench, key: str, *args: str) -> tuple[object, str]:
    """(value, origin) of a key."""
    items = bench.ok("context", "show", "--wide", "-o", "json", *args).items
    return next((item["value"], item["origin"]) for item in items if item["key"] == key)


def test_a_context_says_which_queue_manager_is_meant(here: Bench) -> None:
    assert here.run("queue", "ls").code == 2  # there are two
    here.ok("context", "use", "two")
    ran = here.ok("queue", "ls", "-o", "json").json
    assert (ran["queue_manager"], ran["context"]) == ("QM2", "two")


REAL = ("connection=127.0.0.1(1)", "channel=A.B")


def test_a_context_with_an_address_means_the_real_queue_manager(here: Bench) -> None:
    here.ok("queue", "define", "Q", "-m", "QM1", "--yes")
    here.ok("context", "add", "real", "-m", "QM1", *REAL)
    ran = here.run("msg", "purge", "Q", "--context", "real", "--yes")
    assert (ran.code, "emulated" in ran.err) == (7, False), ran.err
    why = f"because of connection, real, {config(here)}"
    assert in_force(here, "backend", "real") == ("mq", why)
    assert f"mq ({why})" in here.run("doctor", "--context", "real").out
    items = here.ok("context", "ls", "-o", "json").items
    assert {item["name"]: item["backend"] for item in items}["real"] == "mq"
    assert here.ok("queue", "ls", "--context", "real", "--backend", "emulator", "-o", "ids").out
    assert here.run("queue", "ls", "--context", "real").code == 7


@pytest.mark.parametrize(
    ("key", "value", "backend"),
    [
        ("connection", "mq1(1414)", "mq"),
        ("channel", "A.B", "mq"),
        ("ccdt", "/etc/ccdt.json", "mq"),
        ("transport", "bindings", "mq"),
        ("url", "https://mq1:9443", "rest"),
        ("rest_gateway", "GW1", "rest"),
    ],
)
def test_an_address_decides_the_backend_wherever_it_is_set(
    here: Bench, key: str, value: str, backend: str
) -> None:
    option = f"--{key}" if key in {"connection", "channel", "url"} else f"--set {key}"
    words = (option, value) if " " not in option else ("--set", f"{key}={value}")
    assert in_force(here, "backend", *words) == (backend, f"because of {option}")
    variable = KEYS[key].environment
    here.environ[variable] = value
    assert in_force(here, "backend") == (backend, f"because of {variable}")
    here.environ["MQTRIAGE_BACKEND"] = "emulator"
    assert in_force(here, "backend") == ("emulator", "MQTRIAGE_BACKEND")


def test_addresses_of_both_backends_are_one_clear_error(here: Bench) -> None:
    here.ok("context", "add", "real", "-m", "QM1", *REAL)
    ran = here.run("queue", "ls", "--context", "real", "--url", "https://mq1:9443")
    assert ran.code == 2
    assert ran.error_line == (
        f"connection (real, {config(here)}) is for backend mq, but --url is for backend rest"
    )
    assert "--backend mq or --backend rest" in ran.err


def test_an_address_on_the_command_line_is_not_ignored_for_another_backend(here: Bench) -> None:
    here.ok("context", "add", "dev", "-m", "QM1", "--backend", "emulator", "--use")
    ran = here.run("queue", "ls", "--connection", "127.0.0.1(1)", "--channel", "A.B")
    assert ran.code == 2
    assert "is for backend mq, but context dev sets backend emulator" in ran.error_line
    assert "hint: --backend mq, or omit --c" in ran.err
    assert here.run("queue", "ls", "--url", "https://x", "--backend", "mq").code == 2
    more = ("-m", "QM1", "--connection", "mq1(1414)", "--channel", "A.B")
    here.ok("context", "add", "new", *more)  # what is in use says nothing of a new one
    ran = here.run("emulator", "start", "QM1", "--no-context", "--connection", "mq1(1414)")
    assert "--connection: this group is only for emulated" in ran.error_line


def test_a_context_with_an_address_still_protects_the_emulated_queue_manager(here: Bench) -> None:
    here.ok("queue", "define", "Q", "-m", "QM1", "--yes")
    here.ok("context", "add", "real", "-m", "QM1", *REAL, "protected=true")
    ran = here.run("queue", "delete", "Q", "-m", "QM1", "--yes")
    assert (ran.code, "because context real protects QM1" in ran.err) == (8, True), ran.err


def test_a_generic_name_means_the_real_queue_managers_of_contexts_with_an_address(
    here: Bench,
) -> None:
    here.ok("context", "add", "real", "-m", "PRD1", *REAL)
    ran = here.run("queue", "ls", "-m", "PRD*")
    assert (ran.code, "no queue manager PRD*" in ran.err) == (7, False), ran.err


def test_a_printed_command_goes_where_the_command_at_hand_went(here: Bench, tmp_path: Path) -> None:
    here.ok("queue", "define", "Q", "-m", "QM1", "--yes")
    here.ok("msg", "put", "Q", "x", "-m", "QM1", "--yes")
    here.ok("context", "add", "real", "-m", "PRD1", *REAL)
    plan = str(tmp_path / "plan.json")
    where = ("--context", "real", "-m", "QM1", "--backend", "emulator", "--set", "ticket=T1")
    ran = here.ok("msg", "purge", "Q", *where, "--plan", plan)
    (pasted,) = re.findall(r"to apply it: mqtriage (.*)\n", ran.err)
    assert pasted == (
        f"apply -m QM1 --context real --backend emulator --set ticket=T1 {plan} --yes"
    )
    here.ok(*shlex.split(pasted))
    here.ok("context", "use", "real")
    refused = here.run("msg", "show", "Q", "1", "-m", "QM1", "--backend", "emulator")
    assert all("--backend emulator" in it for it in re.findall(r"mqtriage [^;\n]*", refused.err))


def test_an_emulated_queue_manager_behind_the_backend_of_a_context_is_offered(here: Bench) -> None:
    here.ok("queue", "define", "Q", "-m", "QM1", "--yes")
    here.ok("context", "add", "prod", "-m", "PRD1", *REAL, "--use")
    ran = here.run("queue", "status", "Q", "--handles", "-m", "QM1")
    assert (ran.code, "backend mq comes from context prod" in ran.error_line) == (7, True), ran.err
    (again,) = re.findall(r"hint: for the emulated queue manager QM1: mqtriage ([^;\n]*)", ran.err)
    here.ok(*shlex.split(again))
    assert "context prod" not in here.run("queue", "ls", "-m", "QM9").err  # there is none
    rehearsed = here.run("queue", "delete", "Q", "-m", "QM1", "-n").err
    assert "mqtriage queue delete Q -m QM1 --backend emulator -n\n" in rehearsed
    assert "for the emulated" not in here.run("queue", "ls", "-m", "QM1", "--url", "https://x").err


def test_emulated_queue_managers_of_a_generic_name_are_asked_as_such(here: Bench) -> None:
    here.ok("context", "add", "prod", "-m", "PRD1", *REAL, "--use")
    assert "QM1" in here.ok("queue", "ls", "-m", "QM*", "-o", "csv", "--wide").out


def test_an_address_in_the_environment_says_nothing_of_a_context_that_is_named(here: Bench) -> None:
    here.environ["MQTRIAGE_CONNECTION"] = "127.0.0.1(1)"
    here.ok("queue", "ls", "--context", "two")
    assert "MQTRIAGE_CHANNEL" in here.run("queue", "ls", "-m", "QM2").err


@pytest.mark.parametrize("command", ["queue ls", "msg put Q x --yes", "context show"])
def test_a_command_reads_the_files_of_settings_once(
    here: Bench, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    here.ok("queue", "define", "Q", "--yes", "-m", "QM1")
    read: list[Path] = []

    def counted(path: Path, *rest: Any) -> ContextFile:
        read.append(path)
        return read_context_file(path, *rest)

    monkeypatch.setattr(files, "read_context_file", counted)
    here.ok(*command.split(), "--context", "one")
    assert read == [config(here)]


def test_the_listing_shows_every_guard_of_all_files(here: Bench) -> None:
    guards = ("protected=true", "read_only=true", "four_eyes=true", "max_messages=500")
    here.ok("context", "add", "prod", "-m", "QM1", *guards, "no_browse=SEC.*,PAY.*")
    project("[context.prod]\nqmgr = 'QM1'\nmax_messages = 900\nno_browse = ['HR.*']\n")
    items = here.ok("context", "ls", "-o", "json").items
    one, prod = ({item["name"]: item for item in items}[name] for name in ("one", "prod"))
    assert {*GUARDS} <= prod.keys()
    assert {guard: prod[guard] for guard in GUARDS} == {
        "protected": True, "read_only": True, "four_eyes": True, "max_messages": 500,
        "no_browse": ["HR.*", "SEC.*", "PAY.*"],
    }  # fmt: skip
    assert not any(one[guard] for guard in GUARDS)
    wide = here.ok("context", "ls", "--wide").out
    assert all(word in wide for word in ("FOUR_EYES", "MAX_MESSAGES", "NO_BROWSE", "SEC.*", "500"))
    assert "NO_BROWSE" not in here.ok("context", "ls").out


def test_use_prints_the_queue_manager_and_the_guards_in_force(here: Bench) -> None:
    here.ok("context", "add", "prod", "-m", "QM2", "protected=true", "max_messages=5")
    shown = here.ok("context", "use", "prod", "-o", "json").item
    assert (shown["qmgr"], shown["protected"], shown["max_messages"]) == ("QM2", True, 5)
    assert shown["read_only"] is None
    lines = [line.split() for line in here.ok("context", "use", "prod").out.splitlines()]
    assert ["qmgr", "QM2"] in lines
    assert not any("only" in line for line in lines)


def test_previous_goes_back_and_forth(here: Bench) -> None:
    here.ok("context", "use", "one")
    here.ok("context", "use", "two")
    assert here.ok("context", "use", "-", "-o", "json").item["name"] == "one"
    assert here.ok("context", "use", "-", "-o", "json").item["name"] == "two"


def test_previous_without_one_says_so(here: Bench) -> None:
    assert here.run("context", "use", "-").code == 5


def test_the_list_marks_the_one_in_use(here: Bench) -> None:
    here.ok("context", "use", "two")
    items = here.ok("context", "ls", "-o", "json").items
    assert [(item["name"], item["selected"]) for item in items] == [("one", False), ("two", True)]


def test_an_option_wins_over_a_named_context_over_the_environment_over_a_used_one(
    here: Bench,
) -> None:
    here.ok("context", "use", "two")
    assert in_force(here, "qmgr")[0] == "QM2"
    here.environ["MQTRIAGE_QMGR"] = "QM9"
    assert in_force(here, "qmgr") == ("QM9", "MQTRIAGE_QMGR")
    assert in_force(here, "qmgr", "--context", "one")[0] == "QM1"
    assert in_force(here, "qmgr", "--context", "one", "-m", "QM3") == ("QM3", "--qmgr")


def test_the_variable_wins_over_the_project_file_and_that_over_context_use(here: Bench) -> None:
    here.ok("context", "use", "two")
    project('use = "one"\n')
    assert in_force(here, "context")[0] == "one"
    here.environ["MQTRIAGE_CONTEXT"] = "two"
    assert in_force(here, "context") == ("two", "MQTRIAGE_CONTEXT")


def test_no_context_does_without(here: Bench) -> None:
    here.ok("context", "use", "two")
    assert in_force(here, "context", "--no-context") == ("", "")


def test_use_warns_where_something_else_wins(here: Bench) -> None:
    project('use = "one"\n')
    assert "takes precedence" in here.ok("context", "use", "two").err


OVER = "MQTRIAGE_QMGR=QM1 takes precedence over qmgr=QM2 of context two"


@pytest.mark.parametrize(
    "args",
    [
        ("use", "two"),
        ("use", "two", "-m", "QM2", "--context", "one"),
        ("add", "two", "-m", "QM2", "--replace", "--use"),
        ("ls",),
        ("show",),
    ],
)
def test_a_variable_that_wins_over_the_selected_context_is_warned_of(
    here: Bench, args: tuple[str, ...]
) -> None:
    here.ok("context", "use", "two")
    here.environ["MQTRIAGE_QMGR"] = "QM2"
    assert here.ok("context", *args).err == ""
    here.environ["MQTRIAGE_QMGR"] = "QM1"
    ran = here.ok("context", *args)
    assert ran.err.startswith(f"warning: {OVER}; to use the context, unset MQTRIAGE_QMGR")
    assert ran.err == here.ok("context", *args).err  # each time, not once a day


def test_every_variable_that_wins_over_the_selected_context_is_warned_of(here: Bench) -> None:
    here.ok("context", "add", "far", "--backend", "mq", "-m", "QM2", "user=ops", "max_messages=5")
    here.environ |= {
        "MQTRIAGE_BACKEND": "emulator",
        "MQTRIAGE_USER": "me",
        "MQTRIAGE_MAX_MESSAGES": "9",
    }
    err = here.ok("context", "use", "far").err
    assert "MQTRIAGE_BACKEND=emulator takes precedence over backend=mq of context far" in err
    assert "MQTRIAGE_USER=me takes precedence over user=ops of context far" in err
    assert "MAX_MESSAGES" not in err  # the lower number counts, whoever has it
    here.environ["MQTRIAGE_RECONNECT"] = "maybe"
    assert "MQTRIAGE_RECONNECT" in here.ok("context", "use", "far").err


def test_a_command_that_connects_says_once_which_variable_wins_over_the_selected_context(
    here: Bench,
) -> None:
    here.ok("context", "use", "two")
    here.environ["MQTRIAGE_QMGR"] = "QM1"
    assert here.ok("queue", "ls", "-m", "QM1").err == ""
    assert here.ok("queue", "ls", "--context", "two").err == ""
    assert here.ok("queue", "ls", "--no-context").err == ""
    assert here.ok("queue", "ls").err.startswith(f"note: {OVER}")
    assert here.ok("queue", "ls").err == ""
    assert OVER in here.ok("queue", "ls", "--verbose").err


def test_show_has_the_origin_of_each_value(here: Bench) -> None:
    here.ok("context", "use", "two")
    here.environ["MQTRIAGE_QMGR"] = "QM1"
    (row,) = (line for line in here.ok("context", "show").out.splitlines() if "QM1" in line)
    assert row.split() == ["qmgr", "QM1", "MQTRIAGE_QMGR"]


def test_the_context_of_a_project_file_wins_over_the_users_of_the_same_name(here: Bench) -> None:
    project('[context.one]\nqmgr = "QM7"\n')
    assert in_force(here, "qmgr", "--context", "one")[0] == "QM7"


def test_a_project_file_may_not_lead_to_a_secret(here: Bench) -> None:
    project('[context.evil]\nconnection = "evil(1414)"\npassword_file = "~/.pw"\n')
    ran = here.run("queue", "ls", "--context", "one")
    assert ran.code == 2
    assert "password_file is not allowed in a project file" in ran.error_line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[context.x]\npassword = 'hunter2'\n", "a secret does not belong"),
        ("[context.x]\nprotcted = true\n", "did you mean protected?"),
        ("[context.x]\nprotected = 'yes'\n", "; expected true or false"),
        ("[context.x]\nbackend = 'rabbit'\n", "; expected emulator, mq or rest"),
        ("[context.x]\nreconnect = 'maybe'\n", "; expected no, yes or qmgr"),
        ("[context.x]\nlibrary = 'java'\n", "; expected pymqi or ibmmq"),
        ("[context.x]\nmax_messages = 0\n", "; expected a whole number of 1 or more"),
        ("[context.x]\nno_browse = 'PAY.*'\n", "a list of queue names"),
        ("[context.x]\ndefaults.rate = 'fast'\n", "defaults.rate"),
        ("[contexts.x]\n", "contexts: no such key; did you mean context?"),
        ("[context.x\n", "not TOML"),
    ],
)
def test_a_file_that_cannot_be_understood_is_one_clear_line(
    here: Bench, text: str, says: str
) -> None:
    config(here).write_text(text, "utf-8")
    ran = here.run("queue", "ls", "-m", "QM1")
    assert ran.code == 2
    assert says in ran.error_line
    assert "hunter2" not in ran.err


def test_a_broken_file_does_not_end_commands_that_need_no_queue_manager(here: Bench) -> None:
    config(here).write_text("[", "utf-8")
    here.ok("rc", "2035")


def test_a_context_that_is_not_there_is_not_found_and_the_others_are_named(here: Bench) -> None:
    ran = here.run("queue", "ls", "--context", "tow")
    assert ran.code == 5
    assert "there are: one, two" in ran.error_line


def test_adding_keeps_comments_and_lets_only_the_owner_read(here: Bench) -> None:
    config(here).write_text('# mine\n[context.a]\nqmgr = "A"  # why\n', "utf-8")
    here.ok("context", "add", "b", "-m", "B", "tls.label=ops", "protected=true")
    text = config(here).read_text("utf-8")
    assert text.startswith('# mine\n[context.a]\nqmgr = "A"  # why\n')
    assert in_force(here, "tls.label", "--context", "b")[0] == "ops"
    assert stat.S_IMODE(config(here).stat().st_mode) == 0o600


def test_one_key_is_changed_by_the_command_that_the_refusal_prints(here: Bench) -> None:
    keys = ("read_only=true", "no_browse=PAY.*,SEC.*", "label_color=red", "max_messages=7")
    here.ok("context", "add", "prod", "-m", "QM1", *keys)
    assert "mqtriage context add NAME KEY=VALUE prints" in here.run("context", "set", "prod").err
    ran = here.run("context", "add", "prod", "max_messages=5")
    command = ran.err.partition("to change only these keys: mqtriage ")[2].partition(";")[0]
    assert (ran.code, "--confirm" in command) == (8, False), ran.err
    here.ok(*shlex.split(command))
    # a guard goes for another: the same command, and the name says so
    change = ("protected=true", "read_only=false")
    ran = here.run("context", "add", "prod", *change)
    command = ran.err.partition("to change only these keys: mqtriage ")[2].partition(";")[0]
    assert (ran.code, command.endswith(" --confirm prod")) == (8, True), ran.err
    here.ok(*shlex.split(command))
    listed = {row["key"]: row["value"] for row in
              here.ok("context", "show", "prod", "-o", "json").items}  # fmt: skip
    assert (listed["qmgr"], listed["label_color"], listed["max_messages"]) == ("QM1", "red", 5)
    assert (listed["protected"], listed["read_only"]) == (True, False)
    assert listed["no_browse"] == ["PAY.*", "SEC.*"]
    # who replaces it by one key is shown the command that keeps the others
    ran = here.run("context", "add", "prod", "user=app", "--replace")
    command = ran.err.partition("to keep the other keys: mqtriage ")[2].partition(";")[0]
    here.ok(*shlex.split(command))
    assert in_force(here, "protected", "--context", "prod")[0] is True


def test_adding_one_that_is_there_needs_replace(here: Bench) -> None:
    assert here.run("context", "add", "one", "-m", "QM5").code == 8
    here.ok("context", "add", "one", "-m", "QM5", "--replace")
    assert in_force(here, "qmgr", "--context", "one")[0] == "QM5"


def test_a_password_is_never_saved(here: Bench) -> None:
    before = config(here).read_text("utf-8")
    ran = here.run("context", "add", "x", "password=hunter2")
    assert ran.code == 2
    assert "hunter2" not in ran.out + ran.err
    assert config(here).read_text("utf-8") == before


def test_removing_asks_and_forgets_that_it_was_in_use(here: Bench) -> None:
    here.ok("context", "use", "one")
    assert here.run("context", "rm", "one").code == 8
    assert here.run("context", "rm", "one", terminals=ON_A_TERMINAL, answer="n\n").code == 8
    here.ok("context", "rm", "one", "--yes")
    assert in_force(here, "context") == ("", "")
    assert [item["name"] for item in here.ok("context", "ls", "-o", "json").items] == ["two"]


def test_doctor_and_a_check_connect_with_a_context_that_is_named(here: Bench) -> None:
    item = here.ok("doctor", "--context", "two", "-o", "json").item
    assert item["connection"]["queue_manager"] == "QM2"
    assert "answers in " in here.ok("check", "qmgr", "--context", "two").out
    here.ok("context", "add", "gone", "-m", "QM.GONE")
    ran = here.run("doctor", "--context", "gone")
    assert (ran.code, "QM.GONE" in ran.out) == (5, True)


def test_a_read_only_context_refuses_every_write(here: Bench) -> None:
    here.define("APP.IN")
    here.ok("context", "add", "look", "-m", "QM1", "read_only=true")
    here.environ["MQTRIAGE_READ_ONLY"] = "false"  # the environment cannot take a guard away
    ran = here.run("msg", "put", "APP.IN", "x", "--yes", "--context", "look")
    assert ran.code == 8
    assert here.depth("APP.IN") == 0
    here.ok("msg", "browse", "APP.IN", "--context", "look")


def test_a_read_only_context_shows_a_plan_that_is_refused_for_other_reasons(here: Bench) -> None:
    here.define("APP.IN")
    here.ok("queue", "define", "SMALL", "MAXDEPTH=1", "--yes", "-m", "QM1")
    here.ok("msg", "put", "APP.IN", "x", "--count", "2", "--yes", "-m", "QM1")
    here.ok("context", "add", "look", "-m", "QM1", "read_only=true")
    ran = here.run("msg", "move", "APP.IN", "--to", "SMALL", "-n", "--context", "look")
    assert (ran.code, "move 2 messages from APP.IN to SMALL" in ran.out) == (8, True), ran
    assert "SMALL has room for 1 of 2 messages" in ran.err


def test_a_question_names_the_context_in_its_colour(here: Bench) -> None:
    here.define("APP.IN")
    here.ok("context", "add", "prod", "-m", "QM1", "label_color=red")
    put = ("msg", "purge", "APP.IN", "--limit", "1")
    here.ok("msg", "put", "APP.IN", "x", "--yes", "-m", "QM1")
    ran = here.run(*put, "--context", "prod", terminals=ON_A_TERMINAL, answer="n\n")
    assert "\x1b[1;31m[prod]\x1b[0m purge 1 message" in ran.err
    ran = here.run(*put, "-m", "QM1", terminals=ON_A_TERMINAL, answer="n\n")
    assert "[prod]" not in ran.err


def test_a_queue_is_never_browsed_where_the_context_says_so(here: Bench) -> None:
    here.define("PAY.IN", "APP.IN", **{"APP.ALIAS": "TARGET=PAY.IN"})
    here.ok("context", "add", "care", "-m", "QM1", "no_browse=PAY.*")
    for queue in ("PAY.IN", "APP.ALIAS"):
        for verb in (("browse", queue), ("purge", queue, "--yes"), ("count", queue)):
            ran = here.run("msg", *verb, "--context", "care")
            assert (
                ran.code,
                "PAY.* is never browsed, because of context care (no_browse)" in ran.err,
            ) == (8, True), (verb, ran.err)
    here.ok("msg", "browse", "APP.IN", "--context", "care")
    here.ok("queue", "status", "PAY.IN", "--context", "care")


def test_a_list_of_queues_as_a_file_has_it_is_refused_with_what_to_type(here: Bench) -> None:
    ran = here.run("context", "add", "care", "-m", "QM1", 'no_browse=["SEC.*"]')
    assert ran.code == 2
    assert "expected queue names and commas, such as SEC.*,PAY.*" in ran.error_line


def test_archives_go_where_the_context_says(here: Bench, tmp_path: Path) -> None:
    here.define("APP.IN")
    kept = tmp_path / "kept"
    here.ok("context", "add", "kept", "-m", "QM1", f"archive_dir={kept}")
    here.ok("msg", "put", "APP.IN", "x", "--yes", "-m", "QM1")
    here.ok("msg", "purge", "APP.IN", "--confirm", "APP.IN", "--context", "kept")
    assert any(kept.rglob("*"))


def test_archives_are_kept_and_found_in_the_folder_of_the_context(
    here: Bench, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    here.ok("context", "add", "three", "-m", "QM1", f"archive_dir={kept}", "--use")
    here.ok("queue", "define", "Q", "--yes")
    here.ok("msg", "put", "Q", "x", "--yes")
    here.ok("msg", "purge", "Q", "--limit", "1", "--yes")
    (name,) = [file.name for file in kept.iterdir() if file.suffix == ".ndjson"]
    assert [item["archive"] for item in here.ok("archive", "ls", "-o", "json").items] == [name]
    assert here.ok("archive", "verify", "-o", "json").items[0]["state"] == "whole"
    assert here.ok("archive", "ls", name, "-o", "json").json["summary"]["message_count"] == 1
    elsewhere = here.ok("--context", "one", "archive", "ls", "-o", "json").items
    assert elsewhere == []


def test_a_plan_its_question_and_its_report_name_the_queue_manager_that_was_reached(
    here: Bench,
) -> None:
    here.ok("context", "use", "one")
    here.environ["MQTRIAGE_QMGR"] = "QM2"
    here.ok("queue", "define", "Q", "--yes")
    here.ok("msg", "put", "Q", "x", "--yes")
    purge = ("msg", "purge", "Q", "--limit", "1")
    ran = here.run(*purge, terminals=ON_A_TERMINAL, answer="n\n")
    assert "purge 1 message from Q at QM2. Continue?" in ran.err
    assert "purged 1 message from Q at QM2" in here.ok(*purge, "--yes").out
    assert "one" not in ran.err.split()  # that context is for QM1
    here.ok("context", "use", "two")
    ran = here.run("queue", "set", "Q", "MAXDEPTH=7", terminals=ON_A_TERMINAL, answer="y\n")
    assert "[two] set Q at QM2: 1 change. Continue?" in ran.err
    assert "set Q at QM2" in ran.out


@pytest.mark.parametrize("way", ["option", "variable", "other context", "no context"])
def test_a_context_protects_its_queue_manager_however_it_is_reached(here: Bench, way: str) -> None:
    here.ok("queue", "define", "Q", "-m", "QM1", "--yes")
    here.ok("msg", "put", "Q", "x", "-m", "QM1", "--yes")
    here.ok("context", "add", "prod", "-m", "QM1", "protected=true")
    words = {
        "option": ["-m", "QM1"],
        "variable": [],
        "other context": ["--context", "one"],
        "no context": ["--no-context", "-m", "QM1"],
    }[way]
    if way == "variable":
        here.environ["MQTRIAGE_QMGR"] = "QM1"
    ran = here.run("msg", "purge", "Q", "--limit", "1", "--yes", *words)
    assert ran.code == 8
    assert (
        "purge Q at QM1 needs --confirm QM1 and --expect 1, because context prod protects QM1"
        in ran.err
    )
    assert here.run("msg", "purge", "Q", "--yes", "--no-backup", *words).code == 8
    here.ok("msg", "purge", "Q", "--limit", "1", "--confirm", "QM1", "--expect", "1", *words)


@pytest.mark.parametrize("way", ["option", "variable", "other context", "the only one"])
def test_context_show_shows_the_guards_of_every_context_that_names_the_queue_manager(
    here: Bench, way: str
) -> None:
    words = {
        "option": ("-m", "QM1"), "other context": ("one",), "variable": (), "the only one": (),
    }[way]  # fmt: skip
    here.ok("context", "add", "prod", "-m", "QM1", "protected=true", "no_browse=PAY.*")
    here.ok("context", "add", "more", "-m", "QM1", "no_browse=HR.*")
    here.ok("context", "add", "real", "--backend", "mq", "-m", "QM1", "max_messages=5")
    if way == "the only one":
        here.ok("emulator", "rm", "QM2", "--confirm", "QM2")
    else:
        here.ok("context", "use", "two")
    if way == "variable":
        here.environ["MQTRIAGE_QMGR"] = "QM1"
    file = config(here)
    assert in_force(here, "protected", *words) == (True, f"prod, {file}")
    both = (["PAY.*", "HR.*"], f"prod, {file} and more, {file}")
    assert in_force(here, "no_browse", *words) == both
    shown = here.ok("context", "show", *words).out
    assert f"prod, {file}" in " ".join(shown.split()), shown
    assert "max_messages" not in shown
    here.define("HR.IN")
    ran = here.run("msg", "browse", "HR.IN", "-m", "QM1")
    assert "HR.* is never browsed, because of context more (no_browse)" in ran.err
    assert in_force(here, "max_messages", "--backend", "mq", "-m", "QM1") == (5, f"real, {file}")


@pytest.mark.parametrize("way", ["option", "backend", "argument", "variable", "undo"])
def test_the_hint_of_a_refusal_leads_to_the_guards_that_it_is_about(here: Bench, way: str) -> None:
    here.define("Q", "R")
    at = ("-m", "QM1")
    here.ok("msg", "put", "Q", "x", "--count", "2", "--yes", *at)
    op = here.ok("msg", "move", "Q", "--to", "R", "--yes", "-o", "json", *at).json["item"]["op"]
    guards = ("max_messages=1", *(("protected=true",) if way != "undo" else ()))
    here.ok("context", "add", "prod", *at, *guards)
    here.ok("context", "use", "two")
    if way == "variable":
        here.environ["MQTRIAGE_QMGR"] = "QM1"
    words: tuple[str, ...] = {
        "option": ("emulator", "clock", "+1h", *at),
        "backend": ("emulator", "clock", "+1h", "--backend", "emulator", *at),
        "argument": ("emulator", "clock", "QM1", "+1h"),
        "variable": ("emulator", "clock", "+1h"),
        "undo": ("journal", "undo", op, "--yes"),
    }[way]
    ran = here.run(*words)
    assert ran.code == 8, ran.err
    command = re.search(r"^hint: mqtriage (context show .*) prints where", ran.err, re.MULTILINE)
    assert command is not None, ran.err
    key = "max_messages" if way == "undo" else "protected"
    shown = here.ok(*command[1].split(), "-o", "json").items
    assert f"prod, {config(here)}" in [item["origin"] for item in shown if item["key"] == key]


@pytest.mark.parametrize("guard", ["protected=true", "read_only=true"])
@pytest.mark.parametrize(
    "words", [("lab", "rollback", "Q"), ("lab", "switch", "fault.put.Q=2053"), ("clock", "+1h")]
)
def test_nothing_without_a_plan_changes_an_emulated_queue_manager_that_a_context_guards(
    here: Bench, words: tuple[str, ...], guard: str
) -> None:
    here.ok("queue", "define", "Q", "-m", "QM1", "--yes")
    here.ok("msg", "put", "Q", "x", "-m", "QM1", "--yes")
    here.ok("context", "add", "prod", "-m", "QM1", guard)
    ran = here.run("emulator", *words, "-m", "QM1")
    assert ran.code == 8
    why = (
        "context prod protects QM1" if guard == "protected=true" else "of context prod (read_only)"
    )
    assert f"QM1 is not allowed, because {why}" in ran.err
    assert "hint: mqtriage context show -m QM1 --wide prints where guards are set" in ran.err


@pytest.mark.parametrize("guard", ["protected=true", "read_only=true"])
def test_a_guarded_queue_manager_is_not_stopped_where_messages_would_be_lost(
    here: Bench, guard: str
) -> None:
    for queue, kept in (("KEPT", "HIGH"), ("Q", "NORMAL")):
        here.ok("queue", "define", queue, f"NPMCLASS={kept}", "-m", "QM1", "--yes")
        here.ok("msg", "put", queue, "x", "-m", "QM1", "--yes", "--not-persistent")
    here.ok("context", "add", "prod", "-m", "QM1", guard)
    for words in (("QM1",), ("QM1", "--wait", "1s"), ("-m", "QM1", "-r")):
        ran = here.run("emulator", "stop", *words)
        assert ran.code == 8
        assert "losing 1 nonpersistent message by stopping QM1 is not allowed, because" in ran.err
        purge = "mqtriage msg purge -m QM1 Q --not-persistent --plan FILE archives them"
        assert (purge in ran.err) == (guard == "protected=true")
    here.ok("context", "rm", "prod", "--confirm", "prod")
    here.ok("msg", "purge", "Q", "--not-persistent", "-m", "QM1", "--yes")
    here.ok("context", "add", "prod", "-m", "QM1", guard)
    here.ok("emulator", "stop", "QM1")


@pytest.mark.parametrize("is_running", [True, False], ids=["running", "stopped"])
def test_a_protected_queue_manager_is_removed_only_without_messages(
    here: Bench, is_running: bool
) -> None:
    here.ok("queue", "define", "Q", "-m", "QM1", "--yes")
    here.ok("msg", "put", "Q", "x", "-m", "QM1", "--count", "2", "--persistent", "--yes")
    if not is_running:
        here.ok("emulator", "stop", "QM1")
    here.ok("context", "add", "prod", "-m", "QM1", "protected=true")
    removing = ("emulator", "rm", "QM1", "--confirm", "QM1")
    ran = here.run(*removing)
    assert ran.code == 8
    lost = "delete QM1 would lose 2 messages of Q without archiving them, which is not allowed"
    assert f"{lost} because context prod protects QM1" in ran.err
    assert "hint: mqtriage msg purge -m QM1 Q --plan FILE archives them" in ran.err
    assert lost in here.ok(*removing, "-n").err
    here.run("emulator", "start", "QM1")
    here.ok("msg", "purge", "Q", "-m", "QM1", "--confirm", "QM1", "--expect", "2", "--limit", "2")
    here.ok(*removing)


def test_a_queue_manager_that_is_named_as_an_argument_is_shown_with_its_own_context(
    here: Bench,
) -> None:
    here.ok("context", "add", "prod", "-m", "QM1", "protected=true")
    here.ok("context", "add", "dev", "-m", "QM2", "--use")
    assert "delete QM1 (context prod)" in here.run("emulator", "rm", "QM1", "-n").out


def test_a_context_protects_no_other_queue_manager(here: Bench) -> None:
    here.ok("context", "add", "prod", "-m", "QM1", "protected=true")
    here.ok(
        "context", "add", "real", "-m", "QM2", "protected=true", "backend=mq", "connection=h(1)"
    )
    here.ok("queue", "define", "Q", "-m", "QM2", "--yes")  # nor the emulated one of its name


HOSTILE = """
use = "x"
[context.x]
backend = "mq"
qmgr = "QM1"
connection = "evil(1414)"
channel = "C"
"""


STRICT = {
    "protected": "true",
    "read_only": "true",
    "no_browse": "PAY.*",
    "max_messages": "1",
    "four_eyes": "true",
}
"""A value of each guard with which a move of two messages off PAY.IN is refused."""
LOOSE = {
    "protected": "false",
    "read_only": "false",
    "no_browse": '["X"]',
    "max_messages": "99",
    "four_eyes": "false",
}
PROJECTS = {
    "of the same name": '[context.prod]\nqmgr = "QM1"\n{loose}',
    "without the guard": '[context.prod]\nqmgr = "QM1"\n',
    "of another name": 'use = "work"\n[context.work]\nqmgr = "QM1"\n{loose}',
    "at another queue manager": '[context.prod]\nqmgr = "QM9"\n{loose}',
}


@pytest.mark.parametrize("text", PROJECTS.values(), ids=PROJECTS)
@pytest.mark.parametrize("trusts", [False, True], ids=["untrusted", "trusted"])
@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.slow
def test_no_project_file_takes_a_guard_away(
    here: Bench, guard: str, trusts: bool, text: str
) -> None:
    here.define("PAY.IN", "OUT")
    here.ok("msg", "put", "PAY.IN", "x", "--count", "2", "--yes", "-m", "QM1")
    here.ok("context", "add", "prod", "-m", "QM1", f"{guard}={STRICT[guard]}")
    here.ok("context", "use", "prod")
    move = ("msg", "move", "PAY.IN", "--to", "OUT", "--yes")
    refused = here.run(*move)
    assert (refused.code, here.depth("OUT")) == (8, 0), refused.err
    project(text.format(loose=f"{guard} = {LOOSE[guard]}\n"))
    if trusts:
        here.ok("context", "use", str(Path.cwd().parent / ".mqtriage.toml"))
    more = ("-m", "QM1") if "QM9" in text else ()
    ran = here.run(*move, *more)
    assert (ran.code, ran.error_line, here.depth("OUT")) == (8, refused.error_line, 0)


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.slow
def test_a_guard_is_removed_only_with_the_name_of_its_context(here: Bench, guard: str) -> None:
    key = f"{guard}={STRICT[guard]}"
    here.ok("context", "add", "prod", "-m", "QM1", key)
    before = config(here).read_text("utf-8")
    loose = LOOSE[guard].strip('[]"').replace('"', "")
    for verb in (
        ("add", "prod", "-m", "QM1", "--replace"),
        ("add", "prod", "-m", "QM1", f"{guard}={loose}", "--replace"),
        ("add", "prod", "-m", "QM2", key, "--replace"),  # QM1 would lose it
        ("add", "prod", "-m", "QM1", key, "backend=mq", "--replace"),  # the emulated QM1 too
        ("rm", "prod", "--yes"),
    ):
        ran = here.run("context", *verb, terminals=ON_A_TERMINAL, answer="y\n")
        assert (ran.code, f"this removes its guards: {key}." in ran.err) == (8, True), ran.err
        ran = here.run("context", *verb)
        assert (ran.code, f"would remove its guards: {key}" in ran.err) == (8, True), ran.err
        assert here.run("context", *verb, "--confirm", "QM1").code == 8
        assert config(here).read_text("utf-8") == before
    assert key in here.ok("context", "rm", "prod", "-n").err
    here.ok("context", "add", "prod", "-m", "QM1", key, "label_color=red", "--replace")
    here.ok("context", "add", "prod", "-m", "QM1", "--replace", "--confirm", "prod")
    here.ok("context", "add", "prod", "-m", "QM1", key, "--replace")
    ran = here.run("context", "rm", "prod", terminals=ON_A_TERMINAL, answer="prod\n")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("guard", GUARDS)
def test_a_project_file_that_nobody_has_allowed_adds_guards(here: Bench, guard: str) -> None:
    here.define("PAY.IN", "OUT")
    here.ok("msg", "put", "PAY.IN", "x", "--count", "2", "--yes", "-m", "QM1")
    value = '["PAY.*"]' if guard == "no_browse" else STRICT[guard]
    project(f'[context.one]\nqmgr = "QM1"\n{guard} = {value}\n')
    ran = here.run("msg", "move", "PAY.IN", "--to", "OUT", "--yes", "--context", "one")
    assert (ran.code, here.depth("OUT")) == (8, 0), ran.err


def test_names_that_are_never_browsed_add_up_and_of_two_numbers_the_lower_counts(
    here: Bench,
) -> None:
    here.ok("context", "add", "prod", "-m", "QM1", "no_browse=PAY.*", "max_messages=10")
    project('[context.prod]\nqmgr = "QM1"\nno_browse = ["HR.*"]\nmax_messages = 99\n')
    assert in_force(here, "no_browse", "prod")[0] == ["HR.*", "PAY.*"]
    value, origin = in_force(here, "max_messages", "prod")
    assert (value, origin) == (10, f"prod, {config(here)}")
    here.environ["MQTRIAGE_MAX_MESSAGES"] = "1000"
    assert in_force(here, "max_messages", "prod")[0] == 10


def test_a_hint_quotes_what_a_shell_would_take_apart(
    here: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path.cwd() / "x; touch `id`"
    folder.mkdir()
    monkeypatch.chdir(folder)
    text = '[context.x]\nqmgr = "QM1"\narchive_dir = "/there"\n'
    Path(".mqtriage.toml").write_text(text, "utf-8")
    here.define("Q")
    here.ok("msg", "put", "Q", "x", "-m", "QM1", "--yes")
    ran = here.run("msg", "purge", "Q", "--limit", "1", "--yes", "--context", "x")
    assert f"mqtriage context use '{folder}/.mqtriage.toml'\n" in ran.err
    Path("chl.mqsc").write_text(
        "SET CHLAUTH(*) TYPE(BLOCKUSER) USERLIST(*MQADMIN) ACTION(REMOVE)\n", "utf-8"
    )
    ran = here.run("apply", "chl.mqsc", "--no-context", "-m", "QM1", "--yes")
    assert (ran.code, " --confirm '*'\n" in ran.err) == (8, True), ran.err


@pytest.mark.parametrize("source", ["MQTRIAGE_PASSWORD", "MQTRIAGE_PASSWORD_FILE"])
def test_no_password_goes_to_a_host_that_a_project_file_names_until_it_is_trusted(
    here: Bench, tmp_path: Path, source: str
) -> None:
    project(HOSTILE)
    secret = tmp_path / "pw"
    secret.write_text("hunter2\n")
    secret.chmod(0o600)
    here.environ |= {"MQTRIAGE_USER": "ann"}
    here.environ[source] = str(secret) if source.endswith("FILE") else "hunter2"
    ran = here.run("queue", "ls")
    file = Path.cwd().parent / ".mqtriage.toml"
    assert ran.code == 8
    assert f"{file} sets connection to evil(1414), and is not trusted" in ran.err
    assert f"mqtriage context use {file}" in ran.err
    here.ok("context", "use", str(Path.cwd().parent / ".mqtriage.toml"))
    assert "not trusted" not in here.run("queue", "ls").err  # it fails for want of a server
    project(HOSTILE.replace("evil", "worse"))
    assert here.run("queue", "ls").code == 8  # it has changed since


def test_a_host_that_the_user_names_gets_the_password_whatever_the_project_says(
    here: Bench,
) -> None:
    project(HOSTILE)
    here.environ |= {"MQTRIAGE_USER": "ann", "MQTRIAGE_PASSWORD": "hunter2"}
    ran = here.run("queue", "ls", "--connection", "127.0.0.1(1)")
    assert "not trusted" not in ran.err


def test_no_archive_goes_where_an_untrusted_project_file_says(here: Bench, tmp_path: Path) -> None:
    here.ok("queue", "define", "APP.IN", "--yes", "-m", "QM1")
    here.ok("msg", "put", "APP.IN", "x", "--yes", "-m", "QM1")
    project(f'use = "x"\n[context.x]\nqmgr = "QM1"\narchive_dir = "{tmp_path / "theirs"}"\n')
    ran = here.run("msg", "purge", "APP.IN", "--confirm", "APP.IN")
    assert (ran.code, "sets archive_dir" in ran.err) == (8, True)
    assert not (tmp_path / "theirs").exists()
    assert here.ok("msg", "count", "APP.IN", "-o", "json").json
    here.ok("context", "use", str(Path.cwd().parent / ".mqtriage.toml"))
    here.ok("msg", "purge", "APP.IN", "--confirm", "APP.IN")
    assert any((tmp_path / "theirs").iterdir())


@pytest.mark.parametrize("which", ["file", "folder"])
def test_a_project_file_that_everybody_may_write_is_not_read(here: Bench, which: str) -> None:
    project('use = "two"\n')
    path = Path.cwd().parent / (".mqtriage.toml" if which == "file" else "")
    path.chmod(0o666 if which == "file" else 0o777)
    ran = here.run("queue", "ls", "-m", "QM1")
    assert ran.err.count("is ignored: everyone can write to it") == 1
    assert here.run("context", "use", str(Path.cwd().parent / ".mqtriage.toml")).code == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_project_file_of_another_user_is_not_read(here: Bench) -> None:
    project('use = "two"\n')
    os.chown(Path.cwd().parent / ".mqtriage.toml", 4242, 4242)
    ran = here.run("queue", "ls", "-m", "QM1")
    assert "is ignored: it belongs to another user" in ran.err


@pytest.fixture
def purged(here: Bench) -> Bench:
    """A message purged on QM1, and then one on QM2."""
    for name in ("QM1", "QM2"):
        here.ok("queue", "define", "Q", "-m", name, "--yes")
        here.ok("msg", "put", "Q", "x", "-m", name, "--yes")
        here.ok("msg", "purge", "Q", "--limit", "1", "-m", name, "--yes")
    return here


def count(bench: Bench, name: str) -> int:
    return int(bench.ok("msg", "count", "Q", "-m", name, "-o", "json").items[0]["message_count"])


def test_an_undo_goes_where_its_operation_was(purged: Bench) -> None:
    assert "at QM2" in purged.ok("journal", "undo", "--yes").out
    assert (count(purged, "QM1"), count(purged, "QM2")) == (0, 1)


def test_an_undo_at_a_queue_manager_takes_the_last_operation_there(purged: Bench) -> None:
    assert "at QM1" in purged.ok("journal", "undo", "-m", "QM1", "--yes").out
    assert (count(purged, "QM1"), count(purged, "QM2")) == (1, 0)


def test_an_undo_connects_by_the_context_of_its_operation(purged: Bench) -> None:
    purged.ok("context", "use", "one")
    purged.ok("msg", "put", "Q", "y", "--yes")
    purged.ok("msg", "purge", "Q", "--limit", "1", "--yes")
    op = purged.ok("journal", "ls", "--limit", "1", "-o", "ids").out.strip()
    purged.ok("context", "use", "two")
    assert "at QM1 (context one)" in purged.ok("journal", "undo", op, "--yes").out
    assert count(purged, "QM1") == 1


def test_where_there_was_no_operation_it_says_so(purged: Bench) -> None:
    purged.ok("emulator", "create", "QM3")
    ran = purged.run("journal", "undo", "-m", "QM3", "--yes")
    assert (ran.code, "no operation at QM3" in ran.err) == (5, True)


def test_a_variable_and_a_context_choose_operations_as_m_does(purged: Bench) -> None:
    at_two, at_one = purged.ok("journal", "ls", "purge", "-o", "ids").out.split()
    assert purged.ok("journal", "show", at_two, "-o", "json").item["queue_manager"] == "QM2"
    purged.ok("context", "use", "one")
    assert purged.ok("journal", "ls", "purge", "-o", "ids").out.split() == [at_one]
    assert len(purged.ok("journal", "ls", "purge", "-m", "*", "-o", "ids").out.split()) == 2
    assert purged.ok("journal", "ls", "purge", "--no-context", "-o", "ids").out.split()[0] == at_two
    purged.ok("context", "use", "two")
    purged.environ["MQTRIAGE_QMGR"] = "QM1"
    assert purged.ok("journal", "ls", "purge", "-o", "ids").out.split() == [at_one]
    assert [row["op"] for row in purged.ok("journal", "verify", "-o", "json").items] == [at_one]
    assert purged.ok("journal", "show", "-o", "json").item["queue_manager"] == "QM1"
    assert "at QM1" in purged.ok("journal", "undo", "--yes").out
    purged.environ["MQTRIAGE_QMGR"] = "DEMO"
    ran = purged.run("journal", "undo", "--yes")
    assert (ran.code, ran.error_line) == (5, "the journal has no operation at DEMO")
    for verb, none in (("ls", "no operation"), ("verify", "no operation to verify")):
        errors = purged.ok("journal", verb).err
        assert errors.count("DEMO") == 1, errors
        assert f"{none} on DEMO (MQTRIAGE_QMGR); -m '*' selects all" in errors
    resumed = purged.run("journal", "resume", "--yes")
    assert resumed.code == 9
    assert "no operation on DEMO (MQTRIAGE_QMGR) was interrupted" in resumed.err


def test_the_journal_is_listed_by_queue_manager_time_and_number(purged: Bench) -> None:
    def listed(*more: str, verb: str = "ls") -> list[str]:
        items = purged.ok("journal", verb, *more, "-o", "json").items
        return [item["op"] for item in items if item["action"] == "purge"]

    newest, oldest = listed()
    assert listed("-m", "QM1") == [oldest]
    assert listed("--limit", "1") == [newest]
    assert listed("--since", "1h") == [newest, oldest]
    assert listed("--since", "2020-01-01T00:00:00Z", "--limit", "1") == [newest]
    assert listed("--since", "2020-01-01") == [newest, oldest]
    assert listed("--until", "2020-01-01") == listed("--until", "1h") == []
    assert listed("--since", "1h", "--until", "9000-01-01") == [newest, oldest]
    assert listed("--since", "9000-01-01") == []
    assert listed("--since", "0s") == []
    assert listed("-m", "QM1", verb="verify") == [oldest]
    assert purged.ok("journal", "show", "-m", "QM1", "-o", "json").item["op"] == oldest


def test_an_operation_recalls_nothing_of_an_untrusted_project_file(here: Bench) -> None:
    here.ok("queue", "define", "Q", "-m", "QM1", "--yes")
    here.ok("msg", "put", "Q", "x", "-m", "QM1", "--yes")
    project(
        'use = "x"\n[context.x]\nbackend = "emulator"\nqmgr = "QM1"\nconnection = "evil(1414)"\n'
    )
    here.ok("msg", "purge", "Q", "--limit", "1", "--yes")
    journal = Journal(here.home / "journal")
    assert "evil" not in journal.called(journal.find(None))[1].connection


# defaults of output ----------------------------------------------------------------------------


def chosen(bench: Bench) -> None:
    """Use the context of a queue manager with a queue ORDERS.IN."""
    bench.define("ORDERS.IN")
    bench.ok("context", "use", "one")


def add_defaults(bench: Bench, text: str) -> None:
    with config(bench).open("a", encoding="utf-8") as file:
        file.write(text)


QUEUES = """
[output."queue ls"]
form = "csv"
columns = ["queue", "curdepth"]
"""


def test_a_command_writes_as_its_defaults_say_and_no_other_does(here: Bench) -> None:
    chosen(here)
    add_defaults(here, QUEUES)
    assert here.ok("queue", "ls", "ORDERS.IN").out.splitlines()[0] == "queue,curdepth"
    assert "," not in here.ok("queue", "show", "ORDERS.IN").out.splitlines()[0]


def test_an_option_wins_over_a_default(here: Bench) -> None:
    chosen(here)
    add_defaults(here, QUEUES)
    ran = here.ok("queue", "ls", "ORDERS.IN", "--columns", "queue")
    assert ran.out.splitlines() == ["queue", "ORDERS.IN"]
    assert here.ok("queue", "ls", "ORDERS.IN", "-o", "ids").out == "ORDERS.IN\n"


def test_columns_by_default_are_for_people_where_another_form_is_asked_for(here: Bench) -> None:
    chosen(here)
    add_defaults(here, QUEUES)
    (item,) = here.ok("queue", "ls", "ORDERS.IN", "-o", "json").items
    assert {"queue", "curdepth", "maxdepth"} <= item.keys()
    assert here.ok("queue", "ls", "ORDERS.IN", "-o", "plain").out.split()[:2] == [
        "QUEUE", "CURDEPTH",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ['[output."queue ls"]\nwide = true\n', '[ output . "queue ls" ]\nwide = true\n'],
    ids=["plain", "with-blanks"],
)
def test_wide_can_be_the_default_and_be_turned_off(here: Bench, text: str) -> None:
    chosen(here)
    narrow = here.ok("queue", "ls", "ORDERS.IN").out
    add_defaults(here, text)
    assert len(here.ok("queue", "ls", "ORDERS.IN").out) > len(narrow)
    assert here.ok("queue", "ls", "ORDERS.IN", "--no-wide").out == narrow


def test_an_error_has_the_form_of_the_defaults(here: Bench) -> None:
    chosen(here)
    add_defaults(here, '[output."queue show"]\nform = "json"\n')
    ran = here.run("queue", "show", "NOPE")
    assert ran.code == 5 and '"kind":"Error"' in ran.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[output."queue lss"]\nform = "json"\n', "did you mean 'queue ls'?"),
        ('[output."queue ls"]\nform = "xml"\n', "output.queue ls.form is 'xml'; expected table"),
        (
            '[output."queue ls"]\nwidth = 3\n',
            "output.queue ls.width: no such key; did you mean wide?",
        ),
        (
            '[output."queue ls"]\nwide = "yes"\n',
            "output.queue ls.wide is 'yes'; expected true",
        ),
        ('[output]\nform = "json"\n', "output.form is 'json'; expected a table"),
    ],
)
def test_defaults_that_cannot_be_are_one_line(here: Bench, text: str, why: str) -> None:
    chosen(here)
    add_defaults(here, text)
    ran = here.run("queue", "ls")
    assert ran.code == 2
    assert why in ran.err and str(config(here)) in ran.err


def test_a_project_file_has_no_say_in_what_scripts_read(here: Bench) -> None:
    project('use = "one"\n[output."queue ls"]\nform = "json"\n')
    ran = here.run("queue", "ls")
    assert ran.code == 2 and "is not allowed in a project file" in ran.err


def test_adding_a_context_keeps_the_defaults(here: Bench) -> None:
    chosen(here)
    add_defaults(here, QUEUES)
    here.ok("context", "add", "three", "-m", "QM1")
    assert here.ok("queue", "ls", "ORDERS.IN").out.splitlines()[0] == "queue,curdepth"


def test_the_file_of_a_context_is_found_from_every_folder(
    here: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saved as typed, it was one file here and another there."""
    monkeypatch.chdir(tmp_path)
    keys = ("url=https://mq1:9443", "tls.cafile=ca.pem", "password_file=~/pw", "archive_dir=/kept")
    saved = here.ok("context", "add", "web", "--backend", "rest", *keys, "-o", "json").item
    assert saved["tls.cafile"] == str(tmp_path / "ca.pem")
    assert (saved["password_file"], saved["archive_dir"]) == ("~/pw", "/kept")
    table = here.ok("context", "add", "mq", "--backend", "mq", "ccdt=https://mq1/ccdt.json",
                     "-o", "json").item  # fmt: skip
    assert table["ccdt"] == "https://mq1/ccdt.json"


def test_a_ccdt_that_is_not_there_is_said_when_it_is_saved(here: Bench, tmp_path: Path) -> None:
    there = tmp_path / "there.json"
    there.write_text("{}")
    words = ("--backend", "mq", "qmgr=QM1")
    for value, is_missing in (
        (str(tmp_path / "nope.json"), True),
        (str(there), False),
        ("https://mq1/ccdt.json", False),
    ):
        ran = here.run("context", "add", "mq", "--replace", *words, f"ccdt={value}")
        assert (f"{value} does not exist" in ran.err) == is_missing
        assert ran.code == 0


def test_set_gives_any_key_for_one_command(here: Bench) -> None:
    words = ("--set", "tls.cipher=ANY_TLS12", "--set", "heartbeat=60")
    more = ("-m", "QM1", "--set", "library=ibmmq", "--wide", "-o", "json")
    shown = here.ok(*words, "context", "show", *more)
    origins = {row["key"]: (row["value"], row["origin"]) for row in shown.items}
    assert origins["tls.cipher"] == ("ANY_TLS12", "--set tls.cipher")
    assert origins["heartbeat"] == (60, "--set heartbeat")
    assert origins["library"] == ("ibmmq", "--set library")
    for given, says in (
        ("heartbeat=x", "a whole number of 1 or more"),
        ("tls.cypher=X", "did you mean tls.cipher?"),
        ("conname=host(1414)", "did you mean connection?"),
        ("host=localhost", "did you mean connection?"),
        ("qmgr=QM1", "has its own option"),
        ("heartbeat", "expected KEY=VALUE"),
    ):
        ran = here.run("queue", "ls", "-m", "QM1", "--set", given)
        assert (ran.code, says in ran.error_line) == (2, True), ran.err


def test_set_takes_no_guard_off(here: Bench) -> None:
    define = ("queue", "define", "NEW.Q", "-m", "QM1", "--yes")
    here.environ["MQTRIAGE_READ_ONLY"] = "true"
    assert here.run(*define, "--set", "read_only=false").code == 8
    here.environ.pop("MQTRIAGE_READ_ONLY")
    assert here.run(*define, "--set", "read_only=true").code == 8
    here.ok("context", "add", "look", "-m", "QM1", "read_only=true")
    assert here.run(*define, "--context", "look", "--set", "read_only=false").code == 8


@pytest.mark.parametrize(
    ("typed", "key"),
    [("connect-user", "user"), ("--tls-cafile", "tls.cafile"), ("rest-gateway", "rest_gateway")],
)
def test_an_option_that_is_typed_as_a_key_leads_to_its_key(
    bench: Bench, typed: str, key: str
) -> None:
    ran = bench.run("context", "add", "x", "--", f"{typed}=y")
    assert (ran.code, f"did you mean {key}?" in ran.error_line) == (2, True), ran.err


@pytest.mark.parametrize(
    ("typed", "key"), [("--tls-cafile", "tls.cafile"), ("--username", "user"), ("--ccdt", "ccdt")]
)
def test_a_key_that_is_typed_as_an_option_leads_to_set(bench: Bench, typed: str, key: str) -> None:
    ran = bench.run("queue", "ls", typed, "y")
    assert (ran.code, f"did you mean --set {key}=VALUE?" in ran.error_line) == (2, True), ran.err


@pytest.mark.parametrize(
    ("typed", "finished"),
    [
        ("--read-only", "read_only=true"),
        ("--protected", "protected=true"),
        ("--four-eyes", "four_eyes=true"),
        ("--max-messages", "max_messages=100"),
        ("--no-browse", "no_browse='PAY.*'"),
        ("--tls-label", "tls.label=VALUE"),
    ],
)
def test_a_guard_that_is_typed_as_an_option_is_answered_with_the_word_to_type(
    bench: Bench, typed: str, finished: str
) -> None:
    """`context add` takes keys as words; elsewhere they follow --set."""
    ran = bench.run("context", "add", "prod", "-m", "QM1", typed)
    assert (ran.code, f"did you mean {finished}?" in ran.error_line) == (2, True), ran.err
    ran = bench.run("queue", "ls", typed)
    assert (ran.code, f"did you mean --set {finished}?" in ran.error_line) == (2, True), ran.err


def test_short_help_of_context_add_names_every_guard(bench: Bench) -> None:
    shown = bench.ok("context", "add", "-h").out
    for key in KEYS.values():
        assert not key.guards or f"{key.name}=" in shown, key.name


@pytest.mark.parametrize("word", ["set", "edit", "alter", "update", "change", "configure"])
def test_who_would_change_a_context_learns_of_add(bench: Bench, word: str) -> None:
    ran = bench.run("context", word, "prod", "read_only=true")
    assert ran.code == 2
    assert "hint: mqtriage context add NAME " in ran.err


@pytest.mark.parametrize(
    ("words", "has_note"),
    [
        ("x1 --backend mq -m PRODQM connection=mq1(1414) channel=APP", True),
        ("x1 --backend mq -m QM7 connection=prod-mq(1414) channel=APP", True),
        ("prod-eu -m QM1", True),
        ("prod-eu -m QM1 protected=true", False),
        ("prod-eu -m QM1 read_only=true", False),
        ("preprod -m QM1", False),
        ("non-prod -m QM1", False),
        ("products -m QM1", False),
        ("dev -m QM1", False),
    ],
)
def test_a_context_that_looks_like_production_gets_a_note_with_the_command(
    here: Bench, words: str, has_note: bool
) -> None:
    ran = here.ok("context", "add", *words.split())
    assert ("looks like production, and is neither protected" in ran.err) is has_note, ran.err
    if has_note:
        (line,) = re.findall("mqtriage (context add .* protected=true)", " ".join(ran.err.split()))
        assert "looks like" not in here.ok(*shlex.split(line)).err
        name = words.split()[0]
        (row,) = [row for row in here.ok("context", "ls", "-o", "json").items
                  if row["name"] == name]  # fmt: skip
        assert row["protected"]


def test_a_queue_manager_that_is_taken_for_a_context_leads_to_one(here: Bench) -> None:
    ran = here.run("context", "use", "QM2")
    line = "mqtriage context add QM2 -m QM2 --use"
    assert (ran.code, f"hint: {line}" in ran.err.splitlines()) == (5, True), ran.err
    here.ok(*shlex.split(line)[1:])
    assert here.ok("queue", "ls", "-o", "json").json["queue_manager"] == "QM2"
    ran = here.run("context", "use", "QM7")
    assert "hint: mqtriage context add NAME -m QMGR --use" in ran.err.splitlines()


def test_a_new_context_without_a_queue_manager_says_so(here: Bench) -> None:
    ran = here.ok("context", "add", "QM2", "--use")
    start = "qmgr: none; to name it: "
    assert f"{start}mqtriage context add QM2 --replace qmgr=QM2" in ran.err
    here.ok(*shlex.split(ran.err.partition(start)[2].splitlines()[0])[1:])
    assert here.ok("queue", "ls", "-o", "json").json["queue_manager"] == "QM2"
    ran = here.ok("context", "add", "other", "read_only=true")
    assert f"{start}mqtriage context add other --replace read_only=true qmgr=QMGR" in ran.err
    assert "qmgr: none" not in here.ok("context", "add", "third", "-m", "QM1").err
