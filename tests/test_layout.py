"""The folders, the links under src/mqtriage and the wheel's table must agree."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_links_agree_with_wheel_table() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = config["tool"]["hatch"]["build"]["targets"]["wheel"]
    parts = {k for k in wheel["sources"] if not k.startswith("src/")}
    links = {p.name for p in (ROOT / "src" / "mqtriage").iterdir() if p.is_symlink()}
    packages = {p.parent.name for p in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"}
    assert parts == links == packages
    assert parts <= set(wheel["only-include"])
    for part in parts:
        assert wheel["sources"][part] == f"mqtriage/{part}"
        assert (ROOT / "src" / "mqtriage" / part).resolve() == ROOT / part


def test_every_manual_page_is_in_the_wheel() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    shared = config["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    pages = {f"man/{page.name}": page for page in (ROOT / "man").iterdir()}
    assert set(shared) == set(pages)
    for name, page in pages.items():
        assert shared[name] == f"share/man/man{page.suffix[1:]}/{page.name}"
