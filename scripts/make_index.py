"""Write cli/frame/verbs.tsv, the index of the verbs, from the files of cli/.

Usage: python scripts/make_index.py

A row for each verb: its noun ("" for none), its name, ``module:function``, its line of help. They
stand in the order of the groups, of a group's files, and of the functions in a file.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from mqtriage.cli.frame import tree

TARGET = Path(__file__).parent.parent / "cli" / "frame" / tree.INDEX


def index_text() -> str:
    """The whole file."""
    lines = [row for noun, files in _nouns() for file in files for row in _rows(noun, file)]
    return "".join(f"{line}\n" for line in lines)


def _nouns() -> Iterator[tuple[str, list[str]]]:
    for noun, group in tree.GROUPS.items():
        yield noun, [f"{noun}.{file}" for file in group.files] or [noun]
    yield "", list(tree.PROGRAM.files)


def _rows(noun: str, file: str) -> Iterator[str]:
    module = import_module(f"mqtriage.cli.{file}")
    for name, function in vars(module).items():
        verb = getattr(function, "verb", None)
        if verb is not None and function.__module__ == module.__name__:
            line = (inspect.getdoc(function) or "").partition("\n")[0]
            yield "\t".join((noun, verb.name, f"{module.__name__}:{name}", line))


if __name__ == "__main__":
    TARGET.write_text(index_text(), "utf-8")
