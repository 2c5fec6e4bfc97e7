"""The keys of the configuration: each is read, described for editors, and shown as it was given."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mqtriage.definitions.lint.config import (
    LINT,
    LOAD,
    LintConfig,
    config_from,
    settings_listing,
    toml_text,
    with_option,
)
from mqtriage.model.settings_tables import LINT_KEYS
from mqtriage.model.tables import Key
from mqtriage.mq.errors import MQTriageError, UsageError
from tests.docs.test_man import script

make_schema: Any = script("make_schema")
KEYS = {**LINT, **{f"load.{word}": key for word, key in LOAD.items()}}
WRONG: tuple[Any, ...] = (True, -1, 1.5, "x y", [1], {"a": 1}, [{"entity": "me"}])
"""Values of every kind, of which no key takes more than a few."""


TYPES: dict[str, Any] = {
    "string": str, "boolean": bool, "array": list, "object": dict, "integer": int,
    "number": (int, float),
}  # fmt: skip


def fits(value: Any, schema: Any) -> bool:
    """What of JSON schema the file uses."""
    if "enum" in schema:
        return value in schema["enum"]
    kinds = schema.get("type", ())
    allowed = {kinds} if isinstance(kinds, str) else set(kinds)
    if isinstance(value, bool):
        return "boolean" in allowed
    if not any(isinstance(value, TYPES[kind]) for kind in allowed):
        return False
    if isinstance(value, str):
        return re.search(schema.get("pattern", ""), value) is not None
    if isinstance(value, list):
        return all(fits(item, schema["items"]) for item in value)
    if isinstance(value, dict):
        names, more = schema.get("properties", {}), schema.get("additionalProperties", False)
        words = schema.get("propertyNames", {"type": "string"})
        return set(schema.get("required", ())) <= set(value) and all(
            fits(word, words) and (word in names or more) and fits(item, names.get(word, more))
            for word, item in value.items()
        )
    return bool(value >= schema.get("minimum", value))


def read(key: Key, value: Any) -> Any:
    return key.form.read(value, "key")


def test_the_schema_in_docs_is_that_of_the_keys() -> None:
    """If this fails: run scripts/make_schema.py and commit what it wrote."""
    assert make_schema.TARGET.read_text("utf-8") == make_schema.schema_text()


def test_each_example_is_right_for_the_reader_and_for_the_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("load.json").write_text('{"kind": "DelayProfileList", "items": []}')
    for word, key in KEYS.items():
        assert fits(key.example, key.form.schema), word
        if word != "load.analysis":  # its reader opens the file: test_lint.py has one
            read(key, key.example)


def test_what_the_schema_refuses_is_refused_by_the_reader() -> None:
    refused = 0
    for word, key in KEYS.items():
        for value in WRONG:
            if fits(value, key.form.schema):
                continue
            refused += 1
            with pytest.raises(MQTriageError):
                pytest.fail(f"{word} = {read(key, value)!r} from {value!r}")
    assert refused > 100


def test_the_schema_has_every_key_with_its_help_and_no_other() -> None:
    lint = json.loads(make_schema.schema_text())["properties"]["lint"]
    load = lint["properties"]["load"]
    assert set(lint["properties"]) == set(LINT)
    assert set(load["properties"]) == set(LOAD)
    for table in (lint, load):
        assert table["additionalProperties"] is False
        assert all(item["description"].endswith(".") for item in table["properties"].values())


def test_settings_are_shown_as_toml_that_gives_them_again() -> None:
    table = {word: key.example for word, key in LINT.items() if word != "load"}
    table["load"] = {word: key.example for word, key in LOAD.items() if word != "analysis"}
    shown = list(settings_listing(config_from(table, "mqtriage.toml")).items)
    assert {item["origin"] for item in shown} == {"mqtriage.toml", "default"}
    text = "".join(f"{item['key']} = {item['value']}\n" for item in shown if item["value"])
    assert tomllib.loads(text) == table


def test_an_option_takes_the_place_of_a_key_and_is_named_where_it_is_wrong() -> None:
    config = with_option(LintConfig(), "fail-on", "info", "--fail-on")
    assert config.fail_on == "info"
    shown = {item["key"]: item for item in settings_listing(config).items}
    assert (shown["fail-on"]["value"], shown["fail-on"]["origin"]) == ('"info"', "--fail-on")
    assert (shown["whole"]["value"], shown["whole"]["origin"]) == ("false", "default")
    with pytest.raises(UsageError, match="--fail-on"):
        with_option(config, "fail-on", "often", "--fail-on")


def test_awkward_texts_are_toml_too() -> None:
    for text in ('a"b\\c', "tab\there", "Straße", "new\nline"):
        assert tomllib.loads(f"a = {toml_text(text)}") == {"a": text}


def test_every_key_of_lint_is_known_where_contexts_are_read() -> None:
    assert set(LINT_KEYS) == set(LINT)
