"""`lint_ok` and `lint_errors`: each fails when the outcome is of the other kind."""

from __future__ import annotations

import tomllib
from dataclasses import replace

from mqtriage.definitions.estate import Estate, LiveStatus
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.definitions.lint.config_keys import load_model
from mqtriage.definitions.load_model import LoadModel
from mqtriage.definitions.rules.finding import Finding
from mqtriage.definitions.rules.registry import lint
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.mqsc.parse import parse


def estate_of(
    *texts: str,
    toml: str = "",
    status: dict[str, LiveStatus] | None = None,
    whole: bool = False,
) -> Estate:
    """An estate from MQSC, run in order, with the configuration of *toml*."""
    config = tomllib.loads(toml)
    platform: Platform | None = config.get("platform")
    builder = EstateBuilder(platform)
    for number, text in enumerate(texts, 1):
        builder.run(parse(text, file=f"{number}.mqsc"))
    load = load_model(config["load"]) if "load" in config else LoadModel()
    made = builder.estate(load=load, whole=whole or bool(config.get("whole")))
    return replace(made, status=status or {})


def lint_errors(code: str, *texts: str, toml: str = "", whole: bool = False) -> list[Finding]:
    """The findings of one rule; fails when there are none."""
    found = findings(code, estate_of(*texts, toml=toml, whole=whole))
    assert found, f"{code} finds nothing"
    return found


def lint_ok(code: str, *texts: str, toml: str = "", whole: bool = False) -> None:
    """Fails when the rule finds something."""
    found = findings(code, estate_of(*texts, toml=toml, whole=whole))
    assert not found, [f"{f.place}: {f.message}" for f in found]


def findings(code: str, estate: Estate) -> list[Finding]:
    """What one rule says."""
    return [f for f in lint(estate, lambda wanted: wanted == code) if f.code == code]
