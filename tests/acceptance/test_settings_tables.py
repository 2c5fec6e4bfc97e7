"""Keys and tables in the wrong place of a settings file: an error that names the right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench

RULE = (
    '[[rule]]\nid = "BNK001"\nmessage = "m"\nobjects = { type = "QLOCAL" }\n'
    'condition = "maxdepth < 5"\n'
)


@pytest.fixture
def folder(empty_bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.mqsc").write_text("DEFINE QLOCAL(A)\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("file", [".mqtriage.toml", "mqtriage.toml"])
@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ('baseline = "known.json"\n', "baseline", "it belongs in [lint]"),
        ('[severity]\nBKO001 = "info"\n', "severity", "write [lint.severity]"),
        ('[per-path]\n"a.mqsc" = ["BKO"]\n', "per-path", "write [lint.per-path]"),
        (RULE.replace("[[rule]]", "[[rules]]"), "rules", "write [[rule]]"),
        (RULE.replace("[[rule]]", "[[lint.rule]]"), "lint.rule", "write [[rule]], beside [lint]"),
        (RULE.replace("[[rule]]", "[rule]"), "rule is one table", "write [[rule]]"),
        ('[lint]\nrate = "5/s"\n', "lint.rate", "it belongs in [lint.load]"),
        ('[[rule]]\ntype = "QLOCAL"\n', "rule[1].type", "it belongs in objects = { ... }"),
        ('[output."queue ls"]\nwide = true\n', "output", "it belongs in your own config.toml"),
    ],
)
def test_lint_names_the_right_place(
    empty_bench: Bench, folder: Path, file: str, text: str, key: str, hint: str
) -> None:
    (folder / file).write_text(text)
    for verb in ("a.mqsc",), ("explain",), (file,), ("fix", "a.mqsc"):
        ran = empty_bench.run("lint", *verb)
        assert ran.code == 2, verb
        assert f"{file}: " in ran.error_line
        assert key in ran.error_line
        assert f"hint: {hint}" in ran.err


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('[tool.mqtriage]\nbaseline = "k.json"\n', "it belongs in [tool.mqtriage.lint]"),
        ("[tool.mqtriage.severity]\n", "write [tool.mqtriage.lint.severity]"),
        ('[[tool.mqtriage.rules]]\nid = "X"\n', "write [[tool.mqtriage.rule]]"),
        (
            '[[tool.mqtriage.lint.rule]]\nid = "X"\n',
            "write [[tool.mqtriage.rule]], beside [tool.mqtriage.lint]",
        ),
        ("[tool.mqtriage.context.dev]\n", "it belongs in .mqtriage.toml"),
    ],
)
def test_pyproject_names_the_right_place(
    empty_bench: Bench, folder: Path, text: str, hint: str
) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.other]\nx = 1\n{text}")
    ran = empty_bench.run("lint", "a.mqsc")
    assert (ran.code, "pyproject.toml: tool.mqtriage." in ran.error_line) == (2, True)
    assert f"hint: {hint}" in ran.err


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ('use = "dev"\n', "use", "it belongs in .mqtriage.toml, or in your own config.toml"),
        ('[[tool.mqtriage.rule]]\nid = "X"\n', "tool", "that is for pyproject.toml"),
    ],
)
def test_mqtriage_toml_is_only_for_lint(
    empty_bench: Bench, folder: Path, text: str, key: str, hint: str
) -> None:
    (folder / "mqtriage.toml").write_text(text)
    ran = empty_bench.run("lint", "a.mqsc")
    assert (ran.code, f"mqtriage.toml: {key}: no such key here" in ran.error_line) == (2, True)
    assert hint in ran.err


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (RULE, "it belongs in mqtriage.toml or .mqtriage.toml, in the project's folder"),
        ("[lint]\n", "it belongs in mqtriage.toml or .mqtriage.toml, in the project's folder"),
        ("[severity]\n", "write [lint.severity] of mqtriage.toml in the project's folder"),
        ('qmgr = "QM1"\n', "it belongs in [context.NAME]"),
        ('[tls]\ncipher = "x"\n', "it belongs in [context.NAME]"),
    ],
)
def test_your_own_file_names_the_right_place(
    empty_bench: Bench, folder: Path, text: str, hint: str
) -> None:
    (folder / "config.toml").write_text(text)
    empty_bench.environ["MQTRIAGE_CONFIG"] = str(folder / "config.toml")
    ran = empty_bench.run("context", "ls")
    assert (ran.code, "config.toml: " in ran.error_line) == (2, True)
    assert f"hint: {hint}" in ran.err


def test_a_project_file_is_read_in_the_same_way_for_contexts(
    empty_bench: Bench, folder: Path
) -> None:
    (folder / ".mqtriage.toml").write_text('[severity]\nBKO001 = "info"\n')
    ran = empty_bench.run("context", "ls")
    assert (ran.code, "hint: write [lint.severity]" in ran.err) == (2, True)


def test_two_files_in_a_folder_cannot_both_have_the_same_table(
    empty_bench: Bench, folder: Path
) -> None:
    (folder / ".mqtriage.toml").write_text('[lint]\nignore = ["BKO"]\n' + RULE)
    (folder / "mqtriage.toml").write_text('[lint]\nignore = ["QUE"]\n')
    ran = empty_bench.run("lint", "a.mqsc")
    assert ran.code == 2
    assert ".mqtriage.toml: [lint] is also in mqtriage.toml" in ran.error_line


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("condition = \"name matches '^PAY\\.'\"\n", "double quotes read a backslash"),
        ('message = "two\nlines"\n', "text in quotes ends on its line"),
        ('page = "C:\\\\mq"\nmessage = "two\nlines"\n', "text in quotes ends on its line"),
        ('page = "C:\\\\mq"\nmessage = ]\n', ""),
    ],
)
def test_the_hint_about_toml_is_about_the_line_of_the_error(
    empty_bench: Bench, folder: Path, text: str, hint: str
) -> None:
    (folder / ".mqtriage.toml").write_text(f"[[rule]]\n{text}")
    ran = empty_bench.run("lint", "a.mqsc")
    assert (ran.code, "not TOML" in ran.error_line) == (2, True)
    assert hint in ran.err
    assert ("backslash" in ran.err) is ("backslash" in hint)
