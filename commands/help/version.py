"""What this program is and what it runs on."""

from __future__ import annotations

import sys
from typing import Any

from mqtriage import __version__
from mqtriage.model.result import Document

_LIBRARIES = ("typer", "rich", "tabulate", "pymqi", "ibmmq", "pyspark", "pyarrow")


def describe(*, verbose: bool = False) -> Document:
    """Version, Python and platform; with *verbose* also the libraries that are installed.

    A library that is not installed is null: an extra such as `mq` brings it.
    """
    import platform

    data: dict[str, Any] = {
        "version": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
    if verbose:
        data["implementation"] = platform.python_implementation()
        data["executable"] = sys.executable
        data["libraries"] = {name: installed_version(name) for name in _LIBRARIES}
    return Document("Version", data)


def installed_version(name: str) -> str | None:
    """Of a package; None where it is not installed."""
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
