"""`lint_ok` and `lint_errors`: each fails when the outcome is of the other kind."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace

from mqtriage.definitions.estate import Estate, LiveStatus
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.definitions.load_model import LoadModel
from mqtriage.definitions.rules.finding import Finding
from mqtriage.definitions.rules.registry import lint
from mqtriage.model.tables import record_form
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.mqsc.parse import parse


def estate_of(
    *texts: str,
    toml: str = "",
    status: dict[str, LiveStatus] | None = None,
    whole: bool = False,
) -> Estate:
    """An estate from MQSC, run in order, with the configuration of *toml*.

    Lines ``* on QM2`` say whose commands come next; the others are the network of the first one.
    """
    config = tomllib.loads(toml)
    platform: Platform | None = config.get("platform")
    load = record_form(LoadModel).read(config.get("load", {}), "load")
    builders: dict[str, EstateBuilder] = {}
    for number, text in enumerate(texts, 1):
        for name, commands in _by_queue_manager(text):
            builder = builders.setdefault(name, EstateBuilder(platform))
            builder.run(parse(commands, file=f"{number}.mqsc"))
    network: dict[str, Estate] = {}
    for name, builder in builders.items():
        estate = builder.estate(name, load, whole=whole or bool(config.get("whole")))
        network[name] = replace(estate, status=status or {}, network=network)
    return next(iter(network.values()))


def _by_queue_manager(text: str) -> Iterator[tuple[str, str]]:
    first, *others = re.split(r"^\* on (\S+)\n", text, flags=re.MULTILINE)
    if first or not others:
        yield "", first
    yield from zip(others[::2], others[1::2], strict=True)


def lint_errors(code: str, *texts: str, toml: str = "", whole: bool = False) -> list[Finding]:
    """The findings of one rule; fails when there are none."""
    violations = findings(code, estate_of(*texts, toml=toml, whole=whole))
    assert violations, f"{code} finds nothing"
    return violations


def lint_ok(code: str, *texts: str, toml: str = "", whole: bool = False) -> None:
    """Fails when the rule finds something."""
    violations = findings(code, estate_of(*texts, toml=toml, whole=whole))
    assert not violations, [f"{f.place}: {f.message}" for f in violations]


def findings(code: str, estate: Estate) -> list[Finding]:
    """What one rule says."""
    return [f for f in lint(estate, lambda candidate: candidate == code) if f.code == code]
