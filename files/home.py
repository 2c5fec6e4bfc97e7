"""Where everything of ours lives: emulated queue managers, journals and archives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def home_folder(environ: Mapping[str, str]) -> Path:
    """MQTRIAGE_HOME, else the folder `mqtriage` in the XDG data folder."""
    if given := environ.get("MQTRIAGE_HOME"):
        return Path(given)
    data = environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "mqtriage"
