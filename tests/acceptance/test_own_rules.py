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
from tests.acceptance.conftest import Bench

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
    ran = empty_bench.run("lint", "rules", "test", "-o", "json")
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
    ran = empty_bench.run("lint", "rules", "test", str(file), "-o", "json")
    assert ran.code == 4
    assert [item["why"] for item in ran.items] == [
        "A: MAXDEPTH(9): m",
        "nothing is found",
        "line 1: DEEP is not an attribute of a local queue",
        "it has no MQSC under bad",
    ]
    report = empty_bench.run("lint", "rules", "test", str(file), "--format", "junit").out
    assert ElementTree.fromstring(report).get("failures") == "4"


def test_a_fix_that_does_not_mend_fails_its_test(empty_bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "bank.toml"
    file.write_text(
        rule(fix={"maxdepth": 7}, good="DEFINE QLOCAL(A) MAXDEPTH(1)", bad="DEFINE QLOCAL(A)")
    )
    ran = empty_bench.run("lint", "rules", "test", str(file), "-o", "json")
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
        ({"condition": "maxdepht < 5"}, "column 1: 'maxdepht' is not an attribute of QLOCAL"),
        ({"condition": "maxdepth < 'many'"}, "column 12: MAXDEPTH is a number"),
        ({"condition": "maxdepth <"}, "column 11"),
        ({"condition": "usage = 'XMIT'"}, "USAGE is never 'XMIT'; it is one of NORMAL, XMITQ"),
        ({"condition": "trigger = 'TRUE'"}, "TRIGGER is 'YES' or 'NO'"),
        ({"condition": "name = 5"}, "NAME is text: put it in quotes"),
        ({"condition": "name matches '['"}, "regular expression"),
        ({"id": "BKO099"}, "rules of mqtriage begin with BKO"),
        ({"id": "bank1"}, "three or four capital letters"),
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
