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

In mqtriage.toml the same keys stand under [lint].
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from mqtriage.definitions.lint.config_keys import LINT, LOAD, field_of, values_of
from mqtriage.definitions.load_model import LoadModel
from mqtriage.definitions.rules.finding import Severity
from mqtriage.model.result import Listing, column, columns_of, keys_of
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.errors import UsageError, unreadable
from mqtriage.mq.records import NamedTuple, dataclass


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


@dataclass(frozen=True, slots=True)
class LintConfig:
    """Settings of a run; codes may be cut short to the letters they start with.

    Attributes:
        rule_pages: address of the folder of the rules' pages, "" where none is known.
        given: what was set, by its key under [lint], ``load.rate`` for example.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "error"
    severity: Mapping[str, Severity] = field(default_factory=dict)
    platform: Platform | None = None
    command_level: int | None = None
    whole: bool = False
    baseline: str = ""
    per_path: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rule_pages: str = ""
    load: LoadModel = field(default_factory=LoadModel)
    file: str = ""
    given: Mapping[str, ConfigValue] = field(default_factory=dict)


def find_config(start: Path) -> LintConfig:
    """The nearest configuration at *start* or above it; the empty one when there is none.

    Raises:
        UsageError: It holds a key or value that is not known; the text says where.
        StorageError: It cannot be read.
    """
    for folder in (start, *start.parents):
        for name in ("mqtriage.toml", "pyproject.toml"):
            file = folder / name
            if file.is_file() and (config := read_config(file)) is not None:
                return config
        if (folder / ".git").exists():
            break
    return LintConfig()


def read_config(file: Path) -> LintConfig | None:
    """The configuration in one file, None where it has none of ours."""
    import tomllib

    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise unreadable(str(file), error) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from error
    table = data
    keys = ("tool", "mqtriage", "lint") if file.name == "pyproject.toml" else ("lint",)
    for key in keys:
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise UsageError(f"{file}: {key} must be a table")
    if not table:
        return None
    try:
        return config_from(table, str(file))
    except UsageError as error:
        raise UsageError(f"{file}: {error.text}", hint=error.hint) from error


def config_from(table: Mapping[str, Any], file: str = "") -> LintConfig:
    """Check the keys and values of a [lint] table.

    Raises:
        UsageError: Naming the key.
    """
    values = values_of(table, LINT, "lint")
    given = {word: ConfigValue(value, file) for word, value in table.items() if word != "load"}
    for word, value in table.get("load", {}).items():
        given[f"load.{word}"] = ConfigValue(value, file)
    return LintConfig(**values, file=file, given=given)


def with_option(config: LintConfig, word: str, value: Any, option: str) -> LintConfig:
    """What an option of the command line says in the place of a key.

    Args:
        word: the key; ``load.analysis`` for one of the load.
        value: as the configuration would have it.

    Raises:
        UsageError: Naming the option.
    """
    given = {**config.given, word: ConfigValue(value, option)}
    if word.startswith("load."):
        word = word.removeprefix("load.")
        read = {field_of(word, LOAD): LOAD[word].form.read(value, option)}
        return replace(config, load=replace(config.load, **read), given=given)
    read = {field_of(word, LINT): LINT[word].form.read(value, option)}
    return replace(config, **read, given=given)


def settings_listing(config: LintConfig) -> Listing:
    """Every key with the value that is in force, as TOML, and where it comes from.

    A key that nothing set and that has no default has the value "".
    """
    keys = {word: key.field for word, key in LINT.items() if word != "load"}
    defaults: dict[str, Any] = {word: getattr(LintConfig(), name) for word, name in keys.items()}
    defaults |= {f"load.{word}": getattr(LoadModel(), key.field) for word, key in LOAD.items()}
    settings = []
    for word, default in defaults.items():
        given = config.given.get(word) or ConfigValue(default, "default")
        settings.append(keys_of(LintSetting(word, toml_text(given.value), given.origin)))
    return Listing("LintSettingList", columns_of(LintSetting), settings, id_key="key")


def toml_text(value: Any) -> str:
    """A value of the configuration on one line, as TOML has it; "" for None, "" and no table.

    Raises:
        TypeError: A kind of value that no key has.
    """
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
    msg = f"no key has such a value: {value!r}"
    raise TypeError(msg)


def _toml_key(word: str) -> str:
    return word if re.fullmatch(r"[A-Za-z0-9_-]+", word) else toml_text(word)
