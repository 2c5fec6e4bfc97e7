"""What each process of `pytest -n` does: whole files, and all that needs Spark in one of them."""

from __future__ import annotations

from xdist.scheduler.loadfile import LoadFileScheduling

SPARK = "spark"


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """Gives out files in the order of collection; a second Java would cost more than it saves."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def scope_of(nodeid: str) -> str:
    """The tests that run in one process, one after the other, have the same scope."""
    file = nodeid.partition("::")[0]
    return SPARK if file.startswith("tests/pipeline/") or "[analyze " in nodeid else file
