"""The configuration of `mqtriage lint`: mqtriage.toml, or [tool.mqtriage.lint] of pyproject.toml.

    select = ["BKO", "DLY"]          # codes, or the letters they start with
    ignore = ["BKO014"]
    fail-on = "warning"
    platform = "zos"                 # or "dist"; else the scripts tell
    mq-version = "9.3"               # what the queue managers run; else a dump tells
    whole = true                     # the scripts are all that the queue manager has
    baseline = "lint-baseline.json"
    rule-pages = "https://git.example.com/mq/mqtriage/blob/main/definitions/rules/"

    [severity]
    BKO014 = "warning"               # or first letters; the longer code wins

    [per-path]
    "legacy/*.mqsc" = ["BKO"]        # codes that are ignored there

    [load]
    rate = "50/s"
    longest_delay = "15m"
    analysis = "load.json"           # of mqtriage analyze delay -o json
    delayed_queues = ["ORDERS.*"]

    [[load.readers]]
    entity = "GROUP(orders)"
    queues = ["ORDERS.*"]

In mqtriage.toml, or .mqtriage.toml, the same keys stand under [lint], and rules of one's own beside
it: [[rule]], in pyproject.toml [[tool.mqtriage.rule]] (`definitions/lint/own_rules.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Final

from mqtriage.definitions.lint import setting_forms as forms
from mqtriage.definitions.lint.own_rules import RULES, OwnRule
from mqtriage.definitions.lint.pages import all_codes
from mqtriage.definitions.load_model import LoadModel
from mqtriage.definitions.rules.finding import Severity
from mqtriage.files.failures import content_errors
from mqtriage.files.whole import read_whole
from mqtriage.model.result import Listing, column, columns_of, keys_of
from mqtriage.model.settings_tables import (
    LINT_TABLES,
    PROJECT_FILE,
    PROJECT_TABLES,
    SETTINGS_FILES,
    unknown_table,
)
from mqtriage.model.tables import (
    FLAG,
    TEXT,
    Key,
    ValueForm,
    key,
    table_keys,
    table_of,
    table_schema,
    toml_table,
    values_of,
    wrong,
)
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple, dataclass


@dataclass(frozen=True, slots=True)
class LintSetting:
    """A key with the value that is in force, and where that comes from."""

    key: str = column("KEY")
    value: str = column("VALUE")
    origin: str = column("FROM")


class ConfigValue(NamedTuple):
    """A value as it was given.

    Attributes:
        origin: the file, or the option.
    """

    value: Any
    origin: str


LOAD: Final = table_keys(LoadModel) | {
    # not in LoadModel itself, which is loaded where nothing reads the results of analyze
    "analysis": Key(
        "measured", forms.MEASURED, "File of mqtriage analyze delay -o json.", "load.json"
    ),
}


@dataclass(frozen=True, slots=True)
class LintConfig:
    """Settings of a run, as [lint] has them, or [tool.mqtriage.lint] of pyproject.toml.

    Attributes:
        rule_pages: address of the folder of the rules' pages, "" where none is known.
        rules: one's own, which stand beside [lint], and the file that has them.
        environments: those of --env, which the whole run is for.
        working: the folder that the names of scripts start from; "" is the working folder.
        given: what was set, by its key under [lint], ``load.rate`` for example.
    """

    select: tuple[str, ...] = key(
        forms.CODES, (), "Rules to run: codes, or the letters they start with.", ["BKO"]
    )
    ignore: tuple[str, ...] = key(
        forms.CODES, (), "Rules to omit; the longer code takes precedence.", ["BKO014"]
    )
    fail_on: str = key(
        forms.FAIL_ON,
        "error",
        "Exit 4 for findings of this severity or above.",
        "warning",
        word="fail-on",
    )
    severity: Mapping[str, Severity] = key(
        forms.SEVERITIES,
        {},
        "Severity of rules, by code or first letters, if it should differ from their own.",
        {"BKO014": "warning"},
    )
    platform: Platform | None = key(
        forms.PLATFORM,
        None,
        "Platform that the scripts are for. Default: as the scripts suggest.",
        "zos",
    )
    command_level: int | None = key(
        forms.LEVEL,
        None,
        "Version of the queue managers. Default: the version in a dump.",
        "9.4",
        word="mq-version",
    )
    whole: bool = key(
        FLAG, False, "Treat the scripts as the complete definitions of the queue manager.", True
    )
    baseline: str = key(
        TEXT, "", "File of known findings, in the folder of this file.", "known.json"
    )
    per_path: Mapping[str, tuple[str, ...]] = key(
        table_of(forms.CODES),
        {},
        "Rules to omit in files whose path matches the pattern.",
        {"legacy/*.mqsc": ["BKO009"]},
        word="per-path",
    )
    rule_pages: str = key(
        forms.PAGE_ADDRESS,
        "",
        "Address of the rule pages: definitions/rules in your copy.",
        "https://git.example.com/mq/mqtriage/blob/main/definitions/rules/",
        word="rule-pages",
    )
    load: LoadModel = key(
        ValueForm(
            lambda value, where: LoadModel(**values_of(value, LOAD, where)), table_schema(LOAD)
        ),
        LoadModel(),
        "The expected load, for rules on sizes and delays.",
        {"rate": "50/s", "longest_delay": "15m"},
    )
    file: str = ""
    given: Mapping[str, ConfigValue] = field(default_factory=dict)
    rules: tuple[OwnRule, ...] = ()
    rules_file: str = ""
    environments: tuple[str, ...] = ()
    working: str = ""

    def severity_of(self, code: str) -> Severity | None:
        """The severity that the settings give a rule, None for its own; the longer code wins."""
        codes = [prefix for prefix in self.severity if code.startswith(prefix)]
        return self.severity[max(codes, key=len)] if codes else None


LINT: Final = table_keys(LintConfig)


_SETTINGS_PAGE: Final = "docs/ci.md describes settings"


class _Tables(NamedTuple):
    """What a file has for lint; None for a part that it lacks."""

    file: str
    lint: Mapping[str, Any] | None
    rules: object


def find_config(start: Path) -> LintConfig:
    """The nearest configuration at *start* or above it; the empty one when there is none.

    Settings and rules may be in different files: the nearest that has them counts.

    Raises:
        UsageError: It holds a key or value that is not known; the text says where.
    """
    every: list[_Tables] = []
    for folder in (start, *start.parents):
        files = (folder / name for name in SETTINGS_FILES)
        here = [_tables_of(file) for file in files if file.is_file()]
        _check_once("[lint]", [one.file for one in here if one.lint])
        _check_once("[[rule]]", [one.file for one in here if one.rules])
        every += here
        lint = next((one for one in every if one.lint), None)
        own = next((one for one in every if one.rules), None)
        if (lint and own) or (folder / ".git").exists():
            break
    return _config_of(lint, own)


def _check_once(table: str, files: Sequence[str]) -> None:
    if len(files) > 1:
        raise UsageError(
            f"{files[1]}: {table} is also in {Path(files[0]).name}", hint="keep one of them"
        )


def read_config(file: Path) -> LintConfig | None:
    """The configuration in one file, None where it has none of ours."""
    tables = _tables_of(file)
    return _config_of(tables, tables) if tables.lint or tables.rules else None


def _tables_of(file: Path) -> _Tables:
    in_other = file.name == "pyproject.toml"
    prefix = "tool.mqtriage." if in_other else ""
    tables = PROJECT_TABLES if file.name == PROJECT_FILE else LINT_TABLES
    with content_errors(file, f"{_SETTINGS_PAGE}, docs/own-rules.md rules"):
        table = toml_table(read_whole(file))
        for word in ("tool", "mqtriage") if in_other else ():
            table = _table_in(table, word)
        for word, value in table.items():
            if word not in tables:
                raise unknown_table(word, value, tables, prefix)
        lint = _table_in(table, "lint")
        for word in ("rule", "rules"):
            if word in lint:
                raise UsageError(
                    f"{prefix}lint.{word}: no such key here",
                    hint=f"write [[{prefix}rule]], beside [{prefix}lint]",
                )
    return _Tables(str(file), lint or None, table.get("rule"))


def _table_in(table: Mapping[str, Any], word: str) -> dict[str, Any]:
    inner = table.get(word, {})
    if not isinstance(inner, dict):
        raise wrong(inner, word, "a table")
    return inner


def _config_of(lint: _Tables | None, own: _Tables | None) -> LintConfig:
    rules: tuple[OwnRule, ...] = ()
    if own is not None and own.rules is not None:
        with content_errors(Path(own.file), "docs/own-rules.md describes keys and conditions"):
            rules = RULES.read(own.rules, "rule")
    file = lint.file if lint and lint.lint else own.file if own else ""
    if not file:
        return LintConfig()
    with content_errors(Path(file), _SETTINGS_PAGE):
        config = config_from((lint and lint.lint) or {}, file, rules)
    return replace(config, rules_file=own.file if own else "")


def config_from(
    table: Mapping[str, Any], file: str = "", rules: tuple[OwnRule, ...] = ()
) -> LintConfig:
    """Check the keys and values of a [lint] table."""
    values = values_of(table, LINT, "lint", elsewhere=dict.fromkeys(LOAD, "[lint.load]"))
    given = {word: ConfigValue(value, file) for word, value in table.items() if word != "load"}
    for word, value in table.get("load", {}).items():
        given[f"load.{word}"] = ConfigValue(value, file)
    config = LintConfig(**values, file=file, given=given, rules=rules)
    for word in ("select", "ignore", "severity"):
        _check_codes(getattr(config, word), f"lint.{word}", rules)
    for pattern, codes in config.per_path.items():
        _check_codes(codes, f"lint.per-path.{pattern[:40]}", rules)
    return config


def _check_codes(codes: Iterable[str], where: str, rules: Iterable[OwnRule]) -> None:
    known = (*all_codes(), *(rule.code for rule in rules))
    for code in codes:
        if not any(one.startswith(code) for one in known):
            raise forms.no_rule(code, where)


def with_option(config: LintConfig, word: str, value: Any, option: str) -> LintConfig:
    """What an option of the command line says in the place of a key.

    Args:
        word: the key; ``load.analysis`` for one of the load.
        value: as the configuration would have it.
    """
    given = {**config.given, word: ConfigValue(value, option)}
    if word.startswith("load."):
        setting = LOAD[word.removeprefix("load.")]
        load = replace(config.load, **{setting.field: setting.form.read(value, option)})
        return replace(config, load=load, given=given)
    setting = LINT[word]
    read = setting.form.read(value, option)
    if word in ("select", "ignore"):
        _check_codes(read, option, config.rules)
    return replace(config, **{setting.field: read}, given=given)


def settings_listing(config: LintConfig) -> Listing:
    """Every key with the value that is in force, as TOML, and where it comes from.

    A key that nothing set and that has no default has the value "".
    """
    usual, usual_load = LintConfig(), LoadModel()
    defaults = {word: getattr(usual, it.field) for word, it in LINT.items() if word != "load"}
    defaults |= {f"load.{word}": getattr(usual_load, it.field) for word, it in LOAD.items()}
    settings = []
    for word, default in defaults.items():
        given = config.given.get(word) or ConfigValue(default, "default")
        settings.append(keys_of(LintSetting(word, toml_text(given.value), given.origin)))
    return Listing("LintSettingList", columns_of(LintSetting), settings, id_key="key")


def toml_text(value: Any) -> str:
    """A value of the configuration on one line, as TOML has it; "" for None, "" and no table."""
    import json

    match value:
        case None | "":
            return ""
        case bool() | int():
            return json.dumps(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list() | tuple():
            return f"[{', '.join(toml_text(item) for item in value)}]"
        case Mapping():
            pairs = (f"{_toml_key(k)} = {toml_text(v)}" for k, v in value.items())
            return f"{{ {', '.join(pairs)} }}" if value else ""
    msg = f"no key has this value: {value!r}"
    raise TypeError(msg)


def _toml_key(word: str) -> str:
    return word if re.fullmatch(r"[A-Za-z0-9_-]+", word) else toml_text(word)
