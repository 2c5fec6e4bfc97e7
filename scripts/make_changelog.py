"""What changed since the last version: files of changes/, which a release moves into CHANGELOG.md.

With a version and a date, write its section and remove the files; else print what is not released.

A file is `changes/NAME.KIND.md`: any NAME, KIND one of `KINDS`, and in it what a user notices, as
one paragraph. So two changes never meet in one line.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
KINDS: Final = ("security", "added", "changed", "fixed", "removed")
"""In the order of their sections."""
_NAME: Final = re.compile(r"[\w-]+\.(?P<kind>\w+)\.md")


def fragments(folder: Path = ROOT / "changes") -> dict[Path, str]:
    """Each file of a change, to its kind.

    Raises:
        ValueError: If a file is named otherwise, or says nothing.
    """
    kinds = {}
    for path in sorted(folder.glob("*")):
        if path.name == "README.md":
            continue
        match = _NAME.fullmatch(path.name)
        if match is None or match["kind"] not in KINDS:
            raise ValueError(
                f"{path.name}: NAME.KIND.md is expected, KIND one of {', '.join(KINDS)}"
            )
        if not path.read_text("utf-8").strip():
            raise ValueError(f"{path.name} says nothing")
        kinds[path] = match["kind"]
    return kinds


def section(kinds: Mapping[Path, str]) -> str:
    """What the files say, below a heading for each kind."""
    parts = []
    for kind in KINDS:
        lines = [_item(path) for path, its_kind in kinds.items() if its_kind == kind]
        if lines:
            parts.append(f"### {kind.capitalize()}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _item(path: Path) -> str:
    first, *more = path.read_text("utf-8").strip().splitlines()
    return "\n".join([f"- {first}", *(f"  {line}".rstrip() for line in more)])


def released(text: str, version: str, date: str, kinds: Mapping[Path, str]) -> str:
    """The changelog with the section of *version* above the others."""
    before, heading, after = text.partition("\n## ")
    return f"{before}\n## {version} - {date}\n\n{section(kinds)}{heading}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", nargs="?")
    parser.add_argument("date", nargs="?", help="2026-01-31")
    given = parser.parse_args()
    kinds = fragments()
    if given.version is None:
        print(section(kinds), end="")
        return
    if given.date is None:
        parser.error("the date is missing")
    page = ROOT / "CHANGELOG.md"
    page.write_text(released(page.read_text("utf-8"), given.version, given.date, kinds), "utf-8")
    for path in kinds:
        path.unlink()


if __name__ == "__main__":
    main()
