"""constraints.txt: all that tests, tools and builds need, by version and hash, and no host."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PINNED = (ROOT / "constraints.txt").read_text("utf-8")
PINS = dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)(?= |$)", PINNED, re.MULTILINE))
EXTRAS = ("dev", "spark", "spark-connect", "spark-jdk")


def needed() -> Iterator[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    lines = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    waiting = list(EXTRAS)
    while waiting:
        for line in extras[waiting.pop()]:
            asked = Requirement(line)
            if asked.name == "mqtriage":
                waiting += asked.extras
            else:
                lines.append(line)
    return map(Requirement, lines)


def test_each_requirement_is_pinned_to_a_version_that_it_allows() -> None:
    wrong = [
        str(one)
        for one in needed()
        if not one.specifier.contains(PINS.get(canonicalize_name(one.name), ""), prereleases=True)
    ]
    assert wrong == [], "run make pins"


def test_each_pin_has_a_hash_and_names_no_host() -> None:
    pins = re.split(r"\n(?=[a-z])", PINNED.strip())
    assert len(pins) > 50
    assert [pin for pin in pins if not re.search(r"--hash=sha256:[0-9a-f]{64}", pin)] == []
    assert "://" not in PINNED
