"""SECURITY.md, and the list of what a release needs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_says_how_to_report_and_names_what_there_is() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    assert "## Report a vulnerability" in text
    for name in re.findall(r"\]\((?!https:)([^)#]+)", text):
        assert (ROOT / name).exists(), name
    assert "audit:" in (ROOT / "Makefile").read_text("utf-8")


def test_the_list_of_a_release_has_what_the_wheel_needs_with_hashes_and_names_no_host(
    tmp_path: Path,
) -> None:
    script = ROOT / "scripts" / "make_sbom.py"
    wheel = tmp_path / "mqtriage-1-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    ran = subprocess.run(
        [sys.executable, script, wheel], capture_output=True, text=True, check=True
    )
    bill = json.loads(ran.stdout)
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "mqtriage")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {re.split(r"[<>=\[ ]", line)[0] for line in project["dependencies"]}
    listed = {item["name"]: item for item in bill["components"]}
    assert names <= set(listed)
    assert "pyspark" not in listed
    assert all(
        item["version"] and item["purl"].endswith(item["version"]) for item in listed.values()
    )
    assert "://" not in ran.stdout
    own = bill["metadata"]["component"]
    assert own["hashes"] == [{"alg": "SHA-256", "content": sha256(b"a wheel").hexdigest()}]
    assert own["purl"] == f"pkg:generic/mqtriage@{own['version']}"
    pins = (ROOT / "constraints.txt").read_text("ascii")
    for name, item in listed.items():
        pinned = f"{name}=={item['version']} " in pins
        assert bool(item["hashes"]) is pinned, name
        assert all(f"sha256:{it['content']}" in pins for it in item["hashes"]), name
