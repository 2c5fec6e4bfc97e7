"""The keys that every JSON result begins with."""

from __future__ import annotations

from typing import Any

from mqtriage.formatters.cells import rfc3339
from mqtriage.formatters.style import Style
from mqtriage.model.result import SCHEMA


def wrapper(kind: str, style: Style) -> dict[str, Any]:
    """Schema, kind, and where and when the result was read."""
    return {
        "schema": SCHEMA,
        "kind": kind,
        "context": style.context,
        "qmgr": style.queue_manager,
        "at": rfc3339(style.at_us),
    }
