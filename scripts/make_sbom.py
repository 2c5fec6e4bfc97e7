"""Write what the wheel needs at run time as CycloneDX 1.5: each package with version and licence.

    python scripts/make_sbom.py > mqtriage.cdx.json
    python scripts/make_sbom.py --pins    # name==version, a line each

The versions are those of this environment. No host is named: a package is its purl.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata
from typing import Any

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


def component(name: str, package: metadata.Distribution) -> dict[str, Any]:
    """One package of the list."""
    about = package.metadata
    key = next((key for key in ("License-Expression", "License") if key in about), "")
    licence = about[key] if key else "unknown"
    return {
        "type": "library",
        "name": name,
        "version": package.version,
        "purl": f"pkg:pypi/{name}@{package.version}",
        "licenses": [{"license": {"name": licence.splitlines()[0]}}],
    }


def bill() -> dict[str, Any]:
    """The whole document."""
    packages = needed("mqtriage")
    own = component("mqtriage", packages.pop("mqtriage")) | {"type": "application"}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": [component(name, packages[name]) for name in sorted(packages)],
    }


if __name__ == "__main__":
    made = bill()
    if sys.argv[1:] == ["--pins"]:
        sys.stdout.writelines("{name}=={version}\n".format(**item) for item in made["components"])
    else:
        json.dump(made, sys.stdout, indent=1)
        sys.stdout.write("\n")
