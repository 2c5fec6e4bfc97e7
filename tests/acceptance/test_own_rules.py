"""Rules of one's own: what the page shows, and every place that knows a rule."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mqtriage.definitions.estates import estate_of
from mqtriage.definitions.lint.config import LintConfig, read_config
from mqtriage.definitions.lint.own_rules import KINDS
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.parse import parse
from tests.acceptance.conftest import Bench, Ran

PAGE = (Path(__file__).parents[2] / "docs" / "own-rules.md").read_text("utf-8")
RULES = dict(re.findall(r"```toml file=(\S+)\n(.*?)```", PAGE, re.DOTALL))[".mqtriage.toml"]
BAD = (
    "DEFINE QLOCAL(ORDERS.IN)\n"
    "DEFINE CHANNEL(PAY.APP) CHLTYPE(SVRCONN) MCAUSER('pay')\n"
    "DEFINE QLOCAL(PAY.IN) MAXDEPTH(200001) DEFPSIST(YES)\n"
)


@pytest.fixture
def folder(empty_bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the rules of the page and definitions that break all of them."""
    (tmp_path / ".mqtriage.toml").write_text(RULES)
    (tmp_path / "prod").mkdir()
    (tmp_path / "prod" / "a.mqsc").write_text(BAD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rule(**keys: object) -> str:
    """One rule, with other keys than usual."""
    table: dict[str, object] = {
        "id": "BNK001", "message": "m", "objects": {"type": "QLOCAL"}, "condition": "maxdepth < 5",
    } | keys  # fmt: skip
    return "[[rule]]\n" + "".join(f"{word} = {toml(value)}\n" for word, value in table.items())


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{word} = {toml(item)}" for word, item in value.items()) + " }"
    return json.dumps(value)


def config_of(tmp_path: Path, text: str) -> LintConfig:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    config = read_config(file)
    assert config is not None
    return config


def codes(items: list[dict[str, object]]) -> list[object]:
    return [item["code"] for item in items]


def test_the_rules_of_the_page_pass_their_tests(empty_bench: Bench, folder: Path) -> None:
    ran = empty_bench.run("lint", ".mqtriage.toml", "-o", "json")
    assert (ran.code, {item["result"] for item in ran.items}) == (0, {"passed"})
    assert len(ran.items) == 8


def test_they_are_found_in_definitions(empty_bench: Bench, folder: Path) -> None:
    ran = empty_bench.run("lint", "prod/a.mqsc", "--select", "BNK", "-o", "json")
    assert (ran.code, codes(ran.items)) == (4, ["BNK001", "BNK002", "BNK003"])
    assert [item["line"] for item in ran.items] == [1, 2, 3]
    assert "MAXDEPTH(200001)" in ran.items[2]["message"]
    assert [item["severity"] for item in ran.items] == ["error", "error", "warning"]


def test_an_environment_is_a_folder_in_the_path(empty_bench: Bench, folder: Path) -> None:
    (folder / "prod").rename(folder / "test")
    ran = empty_bench.run("lint", "test/a.mqsc", "--select", "BNK", "-o", "json")
    assert codes(ran.items) == ["BNK001", "BNK002"]


def test_a_fix_is_written_where_the_channel_is(empty_bench: Bench, folder: Path) -> None:
    queue = "DEFINE QLOCAL(PAY.APP)\n"
    (folder / "prod" / "a.mqsc").write_text(queue + BAD)
    empty_bench.run("lint", "fix", "prod/a.mqsc", "--select", "BNK002", "--write")
    text = (folder / "prod" / "a.mqsc").read_text()
    assert queue in text, "a queue of the channel's name stays as it is"
    assert "SSLCIPH('ANY_TLS12_OR_HIGHER')" in text.splitlines()[3]


def test_explain_statistics_and_sarif_know_them(empty_bench: Bench, folder: Path) -> None:
    page = empty_bench.run("lint", "explain", "BNK002")
    assert "Cipher policy 2026" in page.out
    assert "sslciph in" in page.out
    assert "BNK003" in empty_bench.run("lint", "explain").out
    statistics = empty_bench.run("lint", "prod/a.mqsc", "--format", "statistics", "--select", "BNK")
    assert "clients connect with TLS 1.2" in statistics.out
    sarif = empty_bench.run("lint", "prod/a.mqsc", "--select", "BNK", "--format", "sarif").out
    rules = json.loads(sarif)["runs"][0]["tool"]["driver"]["rules"]
    assert [one["id"] for one in rules] == ["BNK001", "BNK002", "BNK003"]
    assert rules[1]["fullDescription"]["text"] == "Cipher policy 2026, chapter 4."


def test_comments_baseline_and_settings_take_them_away(empty_bench: Bench, folder: Path) -> None:
    text = "* mqtriage: ignore BNK001 an old name, OPS-1\n" + BAD
    (folder / "prod" / "a.mqsc").write_text(text)
    ran = empty_bench.run("lint", "prod/a.mqsc", "--select", "BNK,LNT", "-o", "json")
    assert codes(ran.items) == ["BNK002", "BNK003"]
    (folder / "mqtriage.toml").write_text(
        '[lint]\nselect = ["BNK"]\nignore = ["BNK002"]\n[lint.severity]\nBNK003 = "info"\n'
    )
    ran = empty_bench.run("lint", "prod/a.mqsc", "-o", "json")
    assert [(item["code"], item["severity"]) for item in ran.items] == [("BNK003", "info")]
    empty_bench.run("lint", "baseline", "prod/a.mqsc", "--out", "known.json")
    ran = empty_bench.run("lint", "prod/a.mqsc", "--baseline", "known.json", "-o", "json")
    assert ran.items == []


def test_a_context_in_the_same_file_still_counts(empty_bench: Bench, folder: Path) -> None:
    (folder / ".mqtriage.toml").write_text('[context.here]\nqmgr = "QM1"\n' + RULES)
    assert "here" in empty_bench.run("context", "ls").out


def test_a_test_that_fails_is_exit_4_and_says_why(empty_bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "bank.toml"
    bad = ["DEFINE QLOCAL(A) MAXDEPTH(4)", "DEFINE QLOCAL(A) MAXDEPTH(9) DEEP(1)"]
    file.write_text(rule(good=["DEFINE QLOCAL(A) MAXDEPTH(9)"], bad=bad) + rule(id="BNK002"))
    ran = empty_bench.run("lint", str(file), "-o", "json")
    assert ran.code == 4
    assert [item["why"] for item in ran.items] == [
        "A: MAXDEPTH(9): m",
        "the rule found no problem",
        "line 1: DEEP is not an attribute of a local queue",
        "it has no MQSC under good",
        "it has no MQSC under bad",
    ]
    report = empty_bench.run("lint", str(file), "--format", "junit").out
    assert ElementTree.fromstring(report).get("failures") == "5"


def test_a_fix_that_does_not_mend_fails_its_test(empty_bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "bank.toml"
    file.write_text(
        rule(fix={"maxdepth": 7}, good="DEFINE QLOCAL(A) MAXDEPTH(1)", bad="DEFINE QLOCAL(A)")
    )
    ran = empty_bench.run("lint", str(file), "-o", "json")
    assert [item["why"] for item in ran.items] == ["", "A: the fix does not correct it"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_type_of_object_can_have_a_rule(tmp_path: Path, kind: str) -> None:
    text = rule(objects={"type": kind}, condition="name like 'OPS%'")
    (own,) = config_of(tmp_path, text).rules
    command = {
        "CHANNEL": "DEFINE CHANNEL(A) CHLTYPE(SVRCONN)",
        "QMGR": "ALTER QMGR DESCR('d')",
        "CHLAUTH": "SET CHLAUTH(A) TYPE(BLOCKUSER) USERLIST('x')",
        "AUTHREC": "SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)",
    }.get(kind, f"DEFINE {kind}(A)")
    estate = estate_of([parse(command)], name="QM1")
    assert [finding.kind for finding in own.check(estate)] == [kind]


def test_records_are_read_from_set_commands(empty_bench: Bench, tmp_path: Path) -> None:
    file, script = tmp_path / "r.toml", tmp_path / "a.mqsc"
    file.write_text(
        rule(objects={"type": "CHLAUTH"}, condition="usersrc <> 'CHANNEL'")
        + rule(id="BNK002", objects={"type": "AUTHREC"}, condition="not authadd contains 'SETALL'")
    )
    script.write_text(
        "SET CHLAUTH(A) TYPE(ADDRESSMAP) ADDRESS('1.1.1.1') USERSRC(CHANNEL)\n"
        "SET CHLAUTH(B) TYPE(ADDRESSMAP) ADDRESS('1.1.1.1') USERSRC(NOACCESS)\n"
        "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT,SETALL)\n"
    )
    ran = empty_bench.run(
        "lint", str(script), "--config", str(file), "--select", "BNK", "-o", "json"
    )
    assert [(i["code"], i["object"], i["line"]) for i in ran.items] == [
        ("BNK001", "A", 1), ("BNK002", "Q", 3),
    ]  # fmt: skip


def test_what_is_not_known_is_not_judged(empty_bench: Bench, tmp_path: Path) -> None:
    file, script = tmp_path / "r.toml", tmp_path / "a.mqsc"
    file.write_text(rule())
    script.write_text("ALTER QLOCAL(A) DESCR('x')\nDEFINE QLOCAL(SYSTEM.MINE) MAXDEPTH(9)\n")
    ran = empty_bench.run(
        "lint", str(script), "--config", str(file), "--select", "BNK", "-o", "json"
    )
    assert ran.items == []


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"condition": "boqname is not null"}, "column 9: BOQNAME is never NULL"),
        ({"condition": "maxdepht < 5"}, "column 1: 'maxdepht' is not an attribute of QLOCAL"),
        ({"condition": "maxdepth < 'many'"}, "column 12: MAXDEPTH is a number"),
        ({"condition": "maxdepth <"}, "column 11"),
        ({"condition": "usage = 'XMIT'"}, "USAGE is never 'XMIT'; it is one of NORMAL, XMITQ"),
        ({"condition": "trigger = 'TRUE'"}, "TRIGGER is 'YES' or 'NO'"),
        ({"condition": "name = 5"}, "NAME is text: put it in quotes"),
        ({"condition": "name matches '['"}, "regular expression"),
        (
            {"condition": "maxdepth <= 200K"},
            "column 13: MAXDEPTH '200K': expected a number"
            " (messages) without a unit; only sizes in bytes have one: KB KiB MB MiB GB GiB",
        ),
        ({"condition": "maxfsize <= 2GiB"}, "MAXFSIZE '2GiB': expected a number (MB) without"),
        ({"condition": "maxdepth <= 1.5"}, "MAXDEPTH '1.5': expected a number (messages)"),
        ({"condition": "maxmsgl <= 4M"}, "MAXMSGL '4M': not a size; write bytes or a unit"),
        ({"id": "BKO099"}, "BKO is reserved for built-in rules"),
        (
            {"id": "bank1"},
            "is 'bank1'; expected three or four capital letters and three digits, such as BNK001",
        ),
        ({"objects": {"type": "TABLE"}}, "QUEUE, QLOCAL"),
        ({"objects": {}}, "objects.type is missing"),
        ({"fix": {"curdepth": 1}}, "it cannot be set by a rule"),
        ({"fix": {"maxdepth": -1}}, "MAXDEPTH"),
        ({"severity": "fatal"}, "error, warning or info"),
        ({"colour": "red"}, "no such key"),
    ],
)
def test_a_rule_that_is_wrong_is_refused_with_its_place(
    tmp_path: Path, keys: dict[str, object], says: str
) -> None:
    with pytest.raises(UsageError) as raised:
        config_of(tmp_path, rule(**keys))
    assert "rules.toml: rule[1]" in raised.value.text
    assert says in raised.value.text


def test_what_is_wrong_in_settings_and_rules_names_their_page(
    empty_bench: Bench, folder: Path
) -> None:
    texts = (rule(severity="fatal"), "own-rules"), ("[lint]\nwhole = 1\n", "ci"), ("[lint", "ci")
    for text, page in texts:
        (folder / ".mqtriage.toml").write_text(text)
        for args in (".mqtriage.toml",), ("prod",), ("explain",):
            assert f"hint: docs/{page}.md describes" in empty_bench.run("lint", *args).err


def test_two_rules_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two rules are called BNK001"):
        config_of(tmp_path, rule() + rule())


def test_a_code_that_no_rule_has_is_refused(empty_bench: Bench, folder: Path) -> None:
    ran = empty_bench.run("lint", "prod/a.mqsc", "--select", "BNX")
    assert (ran.code, "no rule 'BNX'" in ran.err) == (2, True)


def test_a_backslash_in_double_quotes_is_told_how_to_write(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not TOML") as caught:
        config_of(tmp_path, "[[rule]]\ncondition = \"name matches '^PAY\\.'\"\n")
    assert "use [.]" in (caught.value.hint or "")


PROD = rule(objects={"type": "QLOCAL", "environment": "prod"})
FINDS = "DEFINE QLOCAL(PAY.IN) MAXDEPTH(9)\n"


@pytest.fixture
def project(empty_bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a folder called prod, with a rule that is only for its environment prod."""
    root = tmp_path / "prod" / "checkout"
    for name in "prod", "test", "base":
        (root / "defs" / name).mkdir(parents=True)
        (root / "defs" / name / "a.mqsc").write_text(FINDS)
    (root / ".mqtriage.toml").write_text(PROD)
    monkeypatch.chdir(root)
    return root


def found(ran: Ran) -> int:
    assert ran.code in (0, 4), ran.err
    return codes(ran.items).count("BNK001")


@pytest.mark.parametrize("name", ["prod", "test"])
def test_an_environment_does_not_depend_on_how_the_path_is_typed(
    empty_bench: Bench, project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (project / "current").symlink_to(project / "defs" / name)
    expected = int(name == "prod")
    args = ("--select", "BNK", "-o", "json")
    for typed in f"defs/{name}", f"defs/../defs/{name}/a.mqsc", str(project / "defs" / name):
        assert found(empty_bench.run("lint", typed, *args)) == expected, typed
    assert found(empty_bench.run("lint", "current", *args)) == expected
    stdin = ("-", "--stdin-filename", f"defs/{name}/new.mqsc")
    assert found(empty_bench.run("lint", *stdin, *args, answer=FINDS)) == expected
    monkeypatch.chdir(project / "defs" / name)
    for typed in ".", "a.mqsc", f"../{name}/a.mqsc":
        assert found(empty_bench.run("lint", typed, *args)) == expected, typed


def test_a_shared_rule_file_counts_the_folders_of_each_project(
    empty_bench: Bench, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "rules" / "bank.toml"
    shared.parent.mkdir()
    (project / ".mqtriage.toml").rename(shared)
    (project / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in "prod", "test":
        script = str(project / "defs" / name / "a.mqsc")
        ran = empty_bench.run("lint", script, "--config", str(shared), "-o", "json")
        assert found(ran) == int(name == "prod")
    (project / ".git").rmdir()
    script = str(project / "defs" / "prod" / "a.mqsc")
    ran = empty_bench.run("lint", script, "--config", str(shared), "-o", "json")
    assert "BNK001 not checked on " in ran.err
    assert "a.mqsc: the environment is unknown; use --env prod\n" in ran.err
    ran = empty_bench.run("lint", script, "--config", str(shared), "--env", "prod", "-o", "json")
    assert (found(ran), "not checked" in ran.err) == (1, False)


def test_env_makes_the_whole_run_of_that_environment(empty_bench: Bench, project: Path) -> None:
    (project / "defs" / "base" / "prod").mkdir()
    (project / "defs" / "base" / "prod" / "o.mqsc").write_text("DEFINE QLOCAL(OTHER) MAXDEPTH(1)\n")
    assert found(empty_bench.run("lint", "defs/base", "-o", "json")) == 0
    assert found(empty_bench.run("lint", "defs/base", "--env", "prod", "-o", "json")) == 1
    assert found(empty_bench.run("lint", "-", "--env", "prod", "-o", "json", answer=FINDS)) == 1
    for verb in ("lint",), ("lint", "fix"):
        assert "BNK001 not checked on <stdin>" in empty_bench.run(*verb, "-", answer=FINDS).err


def test_a_live_queue_manager_has_the_environment_of_env(empty_bench: Bench, project: Path) -> None:
    empty_bench.ok("emulator", "create", "QM1")
    empty_bench.ok("mqsc", "-", "-m", "QM1", "--yes", answer=FINDS)
    ran = empty_bench.run("lint", "-m", "QM1", "-o", "json")
    assert (found(ran), "BNK001 not checked on QM1" in ran.err) == (0, True)
    ran = empty_bench.run("lint", "-m", "QM1", "--env", "prod", "-o", "json")
    assert (found(ran), "not checked" in ran.err) == (1, False)
    ran = empty_bench.run("lint", "-m", "QM1", "--env", "prd")
    assert (ran.code, "--env prd: none of your rules" in ran.error_line) == (2, True)


def test_per_path_does_not_depend_on_how_the_path_is_typed(
    empty_bench: Bench, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    per_path = '[lint.per-path]\n"prod/*.mqsc" = ["BNK"]\n'
    (project / "mqtriage.toml").write_text(per_path)
    (project / ".mqtriage.toml").write_text(rule())
    for name in "prod", "test":
        monkeypatch.chdir(project / "defs" / name)
        for typed in "a.mqsc", ".", str(Path("a.mqsc").absolute()):
            ran = empty_bench.run("lint", typed, "--select", "BNK", "-o", "json")
            assert found(ran) == int(name == "test"), (name, typed)


def test_a_baseline_knows_files_however_they_are_named(
    empty_bench: Bench, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".mqtriage.toml").write_text('[lint]\nbaseline = "known.json"\n' + rule())
    assert empty_bench.run("lint", "baseline", "defs").code == 0
    files = [
        entry["file"] for entry in json.loads((project / "known.json").read_text())["findings"]
    ]
    assert {"defs/base/a.mqsc", "defs/prod/a.mqsc", "defs/test/a.mqsc"} == set(files)
    monkeypatch.chdir(project / "defs" / "prod")
    for typed in ".", "a.mqsc", str(project / "defs"), "../test":
        ran = empty_bench.run("lint", typed)
        assert (ran.code, ran.err.count("0 errors, 0 warnings")) == (0, 1), typed
        assert "fixed" not in ran.err, typed
    assert "fixed" not in empty_bench.run("lint", ".", "--select", "QUE").err
    (project / "defs" / "test" / "a.mqsc").write_text("DEFINE QLOCAL(PAY.IN) MAXDEPTH(1)\n")
    assert "fixed" not in empty_bench.run("lint", ".").err
    assert "1 finding in the baseline is fixed;" in empty_bench.run("lint", "../test").err
    (project / "defs" / "test" / "a.mqsc").rename(project / "defs" / "test" / "b.mqsc")
    (project / "defs" / "base" / "a.mqsc").write_text(FINDS)
    ran = empty_bench.run("lint", "../test")
    assert "1 finding in the baseline is fixed" in ran.err, "the other is known in its new file"
    (project / "defs" / "test" / "b.mqsc").write_text("* nothing\n")
    ran = empty_bench.run("lint", "../test")
    assert "findings in the baseline are fixed" in ran.err, "the file is gone"


def test_a_baseline_of_one_live_queue_manager_is_not_that_of_another(
    empty_bench: Bench, project: Path
) -> None:
    (project / ".mqtriage.toml").write_text(rule())
    for name in "QM1", "QM2":
        empty_bench.ok("emulator", "create", name)
        empty_bench.ok("mqsc", "-", "-m", name, "--yes", answer=FINDS)
    empty_bench.run("lint", "baseline", "-m", "QM1", "--out", "known.json")
    first, second = (
        empty_bench.run("lint", "-m", name, "--baseline", "known.json", "-o", "json")
        for name in ("QM1", "QM2")
    )
    assert (found(first), found(second)) == (0, 1)
    assert "fixed" not in second.err


TWO = rule(
    objects={"type": "QLOCAL"},
    condition="maxdepth >= 100000 and defpsist = 'YES'",
    fix={"maxdepth": 100000, "defpsist": "YES"},
    good="DEFINE QLOCAL(A) MAXDEPTH(200000) DEFPSIST(YES)",
    bad=["DEFINE QLOCAL(A) MAXDEPTH(200000)", "DEFINE QLOCAL(A) DEFPSIST(YES)", "DEFINE QLOCAL(A)"],
)


@pytest.mark.parametrize(
    ("given", "fixed", "shown"),
    [
        ("DEFINE QLOCAL(A) MAXDEPTH(200000)", "DEFPSIST(YES)", "DEFPSIST(NO)"),
        ("DEFINE QLOCAL(A) DEFPSIST(YES)", "MAXDEPTH(100000)", "MAXDEPTH(5000)"),
        ("DEFINE QLOCAL(A)", "MAXDEPTH(100000) DEFPSIST(YES)", "MAXDEPTH(5000) DEFPSIST(NO)"),
        ("ALTER QLOCAL(A) DEFPSIST(NO)", "DEFPSIST(YES)", "DEFPSIST(NO)"),
    ],
)
def test_a_fix_sets_and_a_message_shows_only_what_is_wrong(
    empty_bench: Bench, tmp_path: Path, given: str, fixed: str, shown: str
) -> None:
    file, script = tmp_path / "r.toml", tmp_path / "a.mqsc"
    file.write_text(TWO)
    script.write_text(f"{given}\n")
    assert empty_bench.run("lint", str(file)).code == 0
    args = ("--config", str(file), "--select", "BNK")
    ran = empty_bench.run("lint", str(script), *args, "-o", "json")
    assert [item["message"] for item in ran.items] == [f"{shown}: m"]
    assert ran.items[0]["fix"].split(") ", 1)[1] == fixed
    empty_bench.run("lint", "fix", str(script), *args, "--write")
    assert empty_bench.run("lint", str(script), *args, "-o", "json").items == []
    if "200000" in given:
        assert "MAXDEPTH(200000)" in script.read_text()


def test_a_fix_that_spoils_a_right_value_fails_its_test(empty_bench: Bench, tmp_path: Path) -> None:
    file, script = tmp_path / "r.toml", tmp_path / "a.mqsc"
    file.write_text(TWO.replace('defpsist = "YES" }', 'defpsist = "NO" }'))
    script.write_text("DEFINE QLOCAL(A) DEFPSIST(YES)\n")
    ran = empty_bench.run("lint", str(file), "-o", "json")
    assert [item["why"] for item in ran.items[1:]] == ["A: the fix does not correct it"] * 3
    fixes = empty_bench.run("lint", "fix", str(script), "--config", str(file), "--select", "BNK")
    assert "DEFPSIST" not in fixes.out


@pytest.mark.parametrize(
    ("keys", "says", "hint"),
    [
        (
            {"fix": {"maxdepth": 5, "descr": "x"}},
            "fix.descr: the condition does not mention this attribute",
            "add the attribute to the condition",
        ),
        (
            {"objects": {"type": "CHANNEL"}, "condition": "sslciph = 'TLS_RUBBISH'"},
            "'TLS_RUBBISH' is not a CipherSpec",
            "",
        ),
        (
            {
                "objects": {"type": "CHANNEL"},
                "condition": "sslciph <> ''",
                "fix": {"sslciph": "ANY_TLS12_OR_HIGER"},
            },
            "is not a CipherSpec; did you mean ANY_TLS12_OR_HIGHER?",
            "",
        ),
        ({"objects": {"type": "SDR"}}, "a type of channel", "when = \"chltype = 'SDR'\""),
    ],
)
def test_what_a_rule_cannot_know_is_refused_with_what_to_write(
    tmp_path: Path, keys: dict[str, object], says: str, hint: str
) -> None:
    with pytest.raises(UsageError) as raised:
        config_of(tmp_path, rule(**keys))
    assert says in raised.value.text
    assert hint in (raised.value.hint or "")


def test_report_unknown_finds_what_the_scripts_do_not_tell(
    empty_bench: Bench, tmp_path: Path
) -> None:
    file, script = tmp_path / "r.toml", tmp_path / "a.mqsc"
    keys: dict[str, object] = {
        "objects": {"type": "CHANNEL"},
        "when": "chltype = 'SVRCONN'",
        "condition": "sslciph <> ''",
        "fix": {"sslciph": "ANY_TLS12_OR_HIGHER"},
        "good": "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)",
        "bad": ["DEFINE CHANNEL(A) CHLTYPE(SVRCONN)"],
    }
    like = "DEFINE CHANNEL(A) CHLTYPE(SVRCONN) LIKE(SITE.TEMPLATE)"
    script.write_text(f"{like}\nALTER CHANNEL(B) CHLTYPE(SVRCONN) DESCR('x')\n")
    args = (str(script), "--config", str(file), "--select", "BNK", "-o", "json")
    file.write_text(rule(**keys))
    assert empty_bench.run("lint", *args).items == []
    keys |= {"report-unknown": True, "bad": ["DEFINE CHANNEL(A) CHLTYPE(SVRCONN)", like]}
    file.write_text(rule(**keys))
    assert empty_bench.run("lint", str(file)).code == 0
    items = empty_bench.run("lint", *args).items
    assert [(item["object"], item["message"]) for item in items] == [
        ("A", "SSLCIPH not known: m"), ("B", "SSLCIPH not known: m"),
    ]  # fmt: skip
    assert {item["fix"] for item in items} == {None}, "the value may be right"


def test_an_attribute_that_a_type_does_not_have_is_neither_wrong_nor_unknown(
    empty_bench: Bench, tmp_path: Path
) -> None:
    file, script = tmp_path / "r.toml", tmp_path / "a.mqsc"
    file.write_text(
        rule(objects={"type": "QUEUE"}, **{"report-unknown": True})
        + rule(
            id="BNK002", objects={"type": "QUEUE"}, condition="maxdepth < 5 and defpsist = 'YES'"
        )
        + rule(
            id="BNK003",
            objects={"type": "CHANNEL"},
            condition="xmitq like 'X%' and qsgdisp = 'QMGR'",
            **{"report-unknown": True},
        )
    )
    script.write_text(
        "DEFINE QALIAS(A) TARGET(B) DEFPSIST(YES)\nDEFINE QALIAS(C) TARGET(B)\n"
        "DEFINE QLOCAL(D) LIKE(T)\n"
        "DEFINE CHANNEL(E) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(F) CHLTYPE(SDR) LIKE(T)\n"
    )
    ran = empty_bench.run(
        "lint", str(script), "--config", str(file), "--select", "BNK", "-o", "json"
    )
    assert [(item["code"], item["object"], item["message"]) for item in ran.items] == [
        ("BNK002", "C", "DEFPSIST(NO): m"),
        ("BNK001", "D", "MAXDEPTH not known: m"),
        ("BNK003", "F", "XMITQ not known: m"),
    ]


def test_explain_tells_the_scope_and_reads_the_settings_of_config(
    empty_bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bank.toml"
    objects = {
        "type": ["QLOCAL", "QALIAS"], "name": "PAY.*", "except": ["PAY.TMP.*"],
        "platform": "zos", "environment": ["prod", "dr"],
    }  # fmt: skip
    file.write_text(rule(objects=objects, when="usage = 'NORMAL'"))
    monkeypatch.chdir(tmp_path)
    assert empty_bench.run("lint", "explain", "BNK001").code == 5
    page = empty_bench.run("lint", "explain", "BNK001", "--config", "bank.toml").out
    assert (
        "Each QLOCAL or QALIAS named PAY.*, except PAY.TMP.*, on z/OS must satisfy this condition:"
        in page
    )
    assert "\n\nSeverity: warning\n\nEnvironment: prod or dr\n\n## Problem\n" in page
    assert "## Why it matters" not in page
    assert "The rule checks only objects that satisfy this condition:" in page
    assert "BNK001" in empty_bench.run("lint", "explain", "--config", "bank.toml").out
    ran = empty_bench.run("lint", "explain", "BNK001", "--config", "bank.toml", "-o", "json")
    assert (ran.item["severity"], ran.item["page"]) == ("warning", page)


def test_explain_prints_all_examples_each_exception_once_and_the_severity_in_force(
    empty_bench: Bench, folder: Path
) -> None:
    bad = ["DEFINE QLOCAL(A)", "DEFINE QLOCAL(B)"]
    good = ["DEFINE QLOCAL(C) MAXDEPTH(1)", "DEFINE QLOCAL(D) MAXDEPTH(2)"]
    objects = {"type": "QLOCAL", "except": ["SYSTEM.*", "X.*"]}
    severity = '[lint.severity]\nBNK001 = "info"\nBKO = "error"\n'
    Path(".mqtriage.toml").write_text(rule(objects=objects, good=good, bad=bad) + severity)
    page = empty_bench.run("lint", "explain", "BNK001").out
    assert "Severity: info (default: warning)" in page
    assert "except SYSTEM.*, AMQ.* or X.*, must" in page
    blocks = re.findall(r"```mqsc\n(.*)\n```", page)
    assert blocks == [*bad, *good]
    assert "Severity: error\n" in empty_bench.run("lint", "explain", "BKO001").out
    rules = {item["code"]: item for item in empty_bench.run("lint", "explain", "-o", "json").items}
    for code, default in ("BNK001", "warning"), ("BKO002", "warning"), ("BKO001", "error"):
        expected = "info" if code == "BNK001" else "error"
        assert (rules[code]["severity"], rules[code]["default_severity"]) == (expected, default)


def test_a_misspelt_environment_is_named_by_the_test_of_the_rules(
    empty_bench: Bench, project: Path
) -> None:
    good, bad = "DEFINE QLOCAL(A) MAXDEPTH(1)", "DEFINE QLOCAL(A) MAXDEPTH(9)"
    for name, is_there in ("prod", True), ("prd", False):
        text = rule(objects={"type": "QLOCAL", "environment": name}, good=good, bad=bad)
        (project / ".mqtriage.toml").write_text(text)
        ran = empty_bench.run("lint", ".mqtriage.toml")
        assert ran.code == 0
        assert ("BNK001: no folder is called 'prd' in " in ran.err) is not is_there


@pytest.mark.parametrize(
    "comment",
    [
        "mqtriage: ignore BNK an old name",
        "mqtriage: ignore an old name",
        "mqtriage: ignore",
        "mqtriage: ignore-all BNK001 an old name",
        "mqtriage: ignore-next-line BNK001 an old name",
        "mqtriage: ignores BNK001 an old name",
        "mqtriage: disable BNK001 an old name",
        "mqtriage: disable=BNK001",
        "mqtriage ignore BNK001 an old name",
        "mqtriage-ignore BNK001 an old name",
        "mqtriage: ignore BNK0011 an old name",
        "mqtriage: ignore BNX001 an old name",
    ],
)
def test_an_ignore_comment_that_is_not_read_is_reported(
    empty_bench: Bench, folder: Path, comment: str
) -> None:
    (folder / "prod" / "a.mqsc").write_text(f"* {comment}\n{BAD}")
    ran = empty_bench.run("lint", "prod", "--select", "BNK001,LNT", "-o", "json")
    assert codes(ran.items) == ["LNT003", "BNK001"]
    assert ran.items[0]["line"] == 1


@pytest.mark.parametrize(
    "comment",
    [
        "mqtriage: ignore BNK001 an old name",
        "mqtriage: ignore BNK001, BNK002 an old name",
        "mqtriage: ignore-file BNK001 old names",
    ],
)
def test_an_ignore_comment_in_its_form_is_read(
    empty_bench: Bench, folder: Path, comment: str
) -> None:
    (folder / "prod" / "a.mqsc").write_text(f"* {comment}\n{BAD}")
    ran = empty_bench.run("lint", "prod", "--select", "BNK001,LNT003", "-o", "json")
    assert ran.items == []
    prose = "* mqtriage ignores the header\n* checked with mqtriage: ignore nothing\n"
    (folder / "prod" / "a.mqsc").write_text(f"* {comment}\n{BAD}{prose}")
    ran = empty_bench.run("lint", "prod", "--select", "BNK001,LNT003", "-o", "json")
    assert ran.items == []


def test_an_environment_and_its_folder_can_differ_in_case(
    empty_bench: Bench, project: Path
) -> None:
    (project / "defs" / "prod").rename(project / "defs" / "Prod")
    args = ("--select", "BNK", "-o", "json")
    for typed in "defs/Prod", "defs/Prod/a.mqsc":
        ran = empty_bench.run("lint", typed, *args)
        assert (found(ran), "not checked" in ran.err) == (1, False), typed
    (project / "QM1" / "PROD").mkdir(parents=True)
    for place in "QM1", "QM1/PROD":
        (project / place / "b.mqsc").write_text(FINDS.replace("PAY", place[-4:]))
    assert found(empty_bench.run("lint", "QM1", "--env", "PROD", *args)) == 2
    (project / "mqtriage.toml").write_text("[lint]\nselect = ['BNK']\n")
    assert "no folder is called" not in empty_bench.run("lint", ".mqtriage.toml").err


def test_a_script_of_unknown_environment_is_named_with_what_makes_the_rule_apply(
    empty_bench: Bench, project: Path
) -> None:
    for name in "a.mqsc", "defs/a.mqsc":
        (project / name).write_text(FINDS)
    rules = rule(id="BNK002", objects={"type": "QLOCAL", "environment": ["test", "dr"]})
    args = ("--select", "BNK", "-o", "json")

    def warning(typed: str) -> str:
        ran = empty_bench.run("lint", typed, *args)
        return "".join(line for line in ran.err.splitlines(True) if line.startswith("warning: "))

    assert warning("defs/test") == warning("defs/prod") == "", "each is beside the other"
    (project / ".mqtriage.toml").write_text(PROD + rules)
    (project / "defs" / "base").rename(project / "lab")
    says = "the environment is unknown; use --env {0}, or a folder called {0}\n"
    assert warning("defs/a.mqsc") == (
        f"warning: BNK001, BNK002 not checked on defs/a.mqsc: {says.format('dr or prod or test')}"
    )
    assert "BNK001, BNK002 not checked on a.mqsc: " in warning("a.mqsc")
    assert "BNK001, BNK002 not checked on lab/a.mqsc: " in warning("lab")
    (project / "defs" / "prod").rename(project / "defs" / "dev")
    assert warning("defs/test") == "", "it is known to be test, which is not prod"
    assert warning("defs/dev") == (
        f"warning: BNK001 not checked on defs/dev/a.mqsc: {says.format('prod')}"
    )


def test_an_ignore_of_a_rule_for_another_environment_is_not_called_unused(
    empty_bench: Bench, project: Path
) -> None:
    for name in "a.mqsc", "defs/prod/a.mqsc", "defs/test/a.mqsc":
        (project / name).write_text(f"* mqtriage: ignore BNK001 it is old\n{FINDS}")
        assert empty_bench.run("lint", name, "--select", "BNK,LNT", "-o", "json").items == []


def test_what_another_environment_is_known_for_is_not_called_fixed(
    empty_bench: Bench, project: Path
) -> None:
    (project / ".mqtriage.toml").write_text('[lint]\nbaseline = "known.json"\n' + PROD)
    empty_bench.run("lint", "baseline", "defs/test", "--env", "prod")
    assert "BNK001" in (project / "known.json").read_text()
    assert "fixed" not in empty_bench.run("lint", "defs/test").err


def test_rules_are_tested_without_other_files(empty_bench: Bench, tmp_path: Path) -> None:
    file, script = tmp_path / "bank.toml", tmp_path / "a.mqsc"
    file.write_text(rule(good="DEFINE QLOCAL(A) MAXDEPTH(1)", bad="DEFINE QLOCAL(A)"))
    script.write_text("DEFINE QLOCAL(A)\n")
    for words in [str(script), str(file)], [str(file), "--format", "sarif"]:
        assert empty_bench.run("lint", *words).code == 2, words
