"""Draw the rooms in docs/architecture.md: which imports which, from the imports themselves.

A contract of layers in pyproject.toml gives the order, the first line of a room's docstring its
words.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"


def layers() -> Iterator[list[str]]:
    """The rooms of each contract of layers, from the top; those that are not there are left out."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for contract in config["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers":
            names = [name.strip(" ()") for layer in contract["layers"] for name in layer.split("|")]
            (container,) = contract.get("containers", [""])
            rooms = [f"{container}.{name}" if container else name for name in names]
            yield [room for room in rooms if find_spec(room) is not None]


def drawing(rooms: list[str]) -> str:
    """A line a room; the column below its corner has a dot at every room that it imports."""
    graph = grimp.build_graph("mqtriage", cache_dir=None)
    imports = {
        (upper, lower)
        for above, upper in enumerate(rooms)
        for lower in rooms[above + 1 :]
        if graph.direct_import_exists(importer=upper, imported=lower, as_packages=True)
    }
    width = max(len(room.rpartition(".")[2]) for room in rooms) + 2
    lines = []
    for row, room in enumerate(rooms):
        cells = [_cell(upper, rooms[row:], imports) for upper in rooms[:row]]
        cells.append("┐" if any((room, lower) in imports for lower in rooms) else " ")
        module = import_module(room)
        name = room.rpartition(".")[2] + ("/" if hasattr(module, "__path__") else "")
        words = (module.__doc__ or "").splitlines()[0]
        lines.append(f"{name:<{width}}{' '.join(cells):<{2 * len(rooms)}} {words}")
    return "\n".join(lines)


def _cell(upper: str, rooms: list[str], imports: set[tuple[str, str]]) -> str:
    """What stands in the column of *upper* beside the first of *rooms*."""
    if (upper, rooms[0]) in imports:
        return "●"
    return "│" if any((upper, lower) in imports for lower in rooms) else " "


def page_text() -> str:
    """The page as it should be: what stands between the marks is drawn anew."""
    text = PAGE.read_text("utf-8")
    for rooms in layers():
        begin, end = f"<!-- rooms of {rooms[0].rpartition('.')[0]} -->\n", "<!-- end -->"
        before, _, rest = text.partition(begin)
        after = rest.partition(end)[2]
        text = f"{before}{begin}```text drawing\n{drawing(rooms)}\n```\n{end}{after}"
    return text


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether it is stale")
    given = parser.parse_args()
    text = page_text()
    if not given.check:
        PAGE.write_text(text, "utf-8")
    elif PAGE.read_text("utf-8") != text:
        print(f"{PAGE.relative_to(ROOT)} is stale: run scripts/make_rooms.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
