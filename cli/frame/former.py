"""Commands under their former names, which scripts still use, as they are called today."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile


def as_today(args: Sequence[str]) -> list[str]:
    """The command line as it is written today."""
    match args:
        case ["emulator", "load-mqsc", manager, file, *rest]:
            return ["mqsc", "run", file, *rest, "-m", manager, "--yes"]
        case ["emulator", "lab", "seed", manager, *rest] if "--to" in rest[:-1]:
            return _put(manager, rest)
        case ["dlq", "causes", *rest] if "--emit-rules" in rest:
            at = rest.index("--emit-rules")
            return ["dlq", "causes", *rest[:at], "--emit", "rules", *rest[at + 1 :]]
    return list(args)


def _put(manager: str, rest: Sequence[str]) -> list[str]:
    """``msg put`` for ``emulator lab seed QM FILE... --to QUEUE --format FORMAT``."""
    files = [*takewhile(lambda word: not word.startswith("-"), rest)]
    to = rest.index("--to")
    options = [*rest[len(files) : to], *rest[to + 2 :]]
    options = ["--md-format" if word == "--format" else word for word in options]
    named = [word for file in files for word in ("--file", file)]
    return ["msg", "put", rest[to + 1], *named, *options, "-m", manager, "--yes"]
