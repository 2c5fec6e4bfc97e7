"""Write mq/constants.py and mq/codes.py: the names of IBM MQ that our code uses, and values.

All names are in mq/constants.tsv and mq/codes.tsv. The modules hold those that Python files of this
repository import, or use as `constants.MQOO_BROWSE` or `codes.MQRC_Q_FULL`: mypy knows them, and
start-up reads no table.

Run without arguments to write the modules; `--check` says which is out of date and writes nothing.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from mqtriage.mq.name_table import rows
from mqtriage.mq.structures import structures

ROOT = Path(__file__).parent.parent
DOCSTRINGS = {
    "constants": "Options, field values and formats of the MQI, and PCF, under IBM's names",
    "codes": "Reason codes (MQRC_*, MQRCCF_*) and feedback codes (MQFB_*)",
}
_SKIPPED = re.compile(r"^(src|build|\..*)$")
_MODULES = re.compile(r"mqtriage\.mq(\.constants|\.codes)? import")


def names_used() -> dict[str, set[str]]:
    """The names of mqtriage.mq.MODULE that any Python file of the repository uses, by MODULE."""
    names: dict[str, set[str]] = {module: set() for module in DOCSTRINGS}
    for folder in sorted(path for path in ROOT.iterdir() if path.is_dir()):
        if not _SKIPPED.match(folder.name):
            for path in folder.rglob("*.py"):
                text = path.read_text("utf-8")
                if _MODULES.search(text):
                    tree = ast.parse(text)
                    for module, used in names.items():
                        used |= {name for name in _names_in(tree, module) if name.startswith("MQ")}
    return names


def _names_in(tree: ast.Module, module: str) -> set[str]:
    names, aliases = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == f"mqtriage.mq.{module}":
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "mqtriage.mq":
            aliases |= {alias.asname or alias.name for alias in node.names if alias.name == module}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names |= {node.attr} if node.value.id in aliases else set()
    return names


def _head(module: str) -> Iterator[str]:
    yield f'"""{DOCSTRINGS[module]}.'
    yield ""
    yield f"Written by scripts/make_constants.py: the names of mq/{module}.tsv that our code uses."
    yield '"""'
    yield ""
    yield "from __future__ import annotations"


def _body(module: str, used: set[str]) -> Iterator[str]:
    heading = ""
    for name, *cells in _rows(module):
        if not cells:
            heading = name
        elif name in used:
            if heading:
                yield from ("", heading)
                heading = ""
            yield f"{name} = {_literal(cells[0])}"


def _rows(module: str) -> Iterator[list[str]]:
    yield from rows(f"{module}.tsv")
    if module == "constants":
        yield ["# Versions and lengths of structures, from mq/structures.txt"]
        for structure in structures().values():
            yield from ([name, str(number)] for name, number in structure.numbers.items())


def _literal(cell: str) -> str:
    if cell.startswith("zeros "):
        return f"bytes({cell.removeprefix('zeros ')})"
    if cell.startswith("x'"):
        return f'bytes.fromhex("{cell[2:-1]}")'
    return cell


def main() -> int:
    stale = 0
    for module, used in names_used().items():
        path = ROOT / "mq" / f"{module}.py"
        text = "\n".join([*_head(module), *_body(module, used), ""])
        if path.read_text("utf-8") == text:
            continue
        stale += 1
        if "--check" in sys.argv:
            print(f"mq/{module}.py is out of date: python scripts/make_constants.py")
        else:
            path.write_text(text, "utf-8")
    return stale if "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
