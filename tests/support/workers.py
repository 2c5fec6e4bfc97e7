"""What each process of `pytest -n` does: whole files; but all with Spark, or with the same Java
client, in one of them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from xdist.scheduler.loadfile import LoadFileScheduling

ROOT = Path(__file__).parents[2]
SPARK = "spark"
CLIENT = re.compile(r"tests/jms/.*\[(?:javax|jakarta)-[\d.]+")
"""A test in the name of one of IBM's Java clients, for each of which there is one JVM."""
APART = re.compile(r"tests/(?:power_loss|fuzz)/.*(\[.+\])$")
"""An operation or an input: before a release each takes minutes."""


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """Gives out files in the order of collection; a second Java would cost more than it saves."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def scope_of(nodeid: str) -> str:
    """The tests that run in one process, one after the other, have the same scope."""
    file = nodeid.partition("::")[0]
    client = CLIENT.match(nodeid)
    if client:
        return f"jms {client[0].rpartition('[')[2]}"
    apart = APART.match(nodeid)
    if apart:
        return f"{file} {apart[1]}"
    return SPARK if "[analyze " in nodeid or uses_spark(file) else file


def runs_java(nodeid: str) -> bool:
    """Whether a test wants Spark or one of IBM's clients."""
    return scope_of(nodeid) == SPARK or nodeid.startswith("tests/jms/")


@cache
def uses_spark(file: str) -> bool:
    """Whether tests of a file run on the Spark session: each process that has one starts a Java."""
    path = ROOT / file
    text = path.read_text("utf-8") if path.is_file() else ""
    in_pipeline = file.startswith("tests/pipeline/") and "spark_installed" not in text
    return in_pipeline or "(spark: SparkSession" in text
