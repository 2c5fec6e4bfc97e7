"""Programs that pip cannot bring: used when found, skipped aloud, required when asked for."""

from __future__ import annotations

import os
import shutil

import pytest


def tool(name: str) -> str:
    """The path of a program; skips the test without it, or fails it under MQTRIAGE_REQUIRE."""
    found = shutil.which(name)
    if found:
        return found
    if name in os.environ.get("MQTRIAGE_REQUIRE", "").split(","):
        pytest.fail(f"{name} is required by MQTRIAGE_REQUIRE and not installed")
    pytest.skip(f"{name} is not installed")
