"""Write what the wheel needs at run time as CycloneDX 1.5: each package with version and licence.

The versions are those of this environment, the hashes those of constraints.txt for the same version
(one for each file that an index has of it), and of mqtriage those of the files that are named.
No host is named: a package is its purl, and mqtriage, which no index has, a generic one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

_PINS = Path(__file__).parents[1] / "constraints.txt"
_PIN = re.compile(
    r"^([A-Za-z0-9._-]+)==(\S+)((?: \\\n +--hash=sha256:[0-9a-f]{64})+)", re.MULTILINE
)
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)[^;]*(;.*)?")


def needed(name: str) -> dict[str, metadata.Distribution]:
    """The package and all that it needs without extras, by normal name."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [name]
    while waiting:
        key = normal(waiting.pop())
        if key in found:
            continue
        try:
            found[key] = metadata.distribution(key)
        except metadata.PackageNotFoundError:  # for another platform or an older Python
            continue
        for line in found[key].requires or ():
            match = _REQUIREMENT.match(line)
            if match and "extra ==" not in (match[2] or ""):
                waiting.append(match[1])
    return found


def normal(name: str) -> str:
    """The name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned_hashes() -> dict[tuple[str, str], list[str]]:
    """SHA-256 of the files of each package and version in constraints.txt."""
    pins = _PIN.findall(_PINS.read_text("ascii"))
    return {
        (normal(name), version): re.findall(r"[0-9a-f]{64}", more) for name, version, more in pins
    }


def component(
    name: str, package: metadata.Distribution, hashes: Iterable[str] = ()
) -> dict[str, Any]:
    """One package of the list."""
    about = package.metadata
    key = next((key for key in ("License-Expression", "License") if key in about), "")
    licence = about[key] if key else "unknown"
    return {
        "type": "library",
        "name": name,
        "version": package.version,
        "hashes": [{"alg": "SHA-256", "content": content} for content in hashes],
        "licenses": [{"license": {"name": licence.splitlines()[0]}}],
        "purl": f"pkg:pypi/{name}@{package.version}",
    }


def bill(files: Iterable[str] = ()) -> dict[str, Any]:
    """The whole document; *files* are those of the release."""
    packages, pinned = needed("mqtriage"), pinned_hashes()
    hashes = [sha256(Path(file).read_bytes()).hexdigest() for file in files]
    own = component("mqtriage", packages.pop("mqtriage"), hashes) | {"type": "application"}
    own["purl"] = f"pkg:generic/mqtriage@{own['version']}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": [
            component(name, package, pinned.get((name, package.version), ()))
            for name, package in sorted(packages.items())
        ],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pins", action="store_true", help="name==version, a line each, instead")
    parser.add_argument("files", nargs="*", help="of a release: dist/mqtriage-*")
    given = parser.parse_args()
    made = bill(given.files)
    if given.pins:
        sys.stdout.writelines("{name}=={version}\n".format(**item) for item in made["components"])
    else:
        json.dump(made, sys.stdout, indent=1)
        sys.stdout.write("\n")
