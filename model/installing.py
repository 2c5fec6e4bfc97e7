"""How mqtriage is installed: the one place to change once a package index has it."""

from __future__ import annotations


def install_command(extra: str) -> str:
    """What installs mqtriage with an extra.

    No index has it: there its name is free, and whoever takes it first runs code of theirs.
    """
    return f"pip install '.[{extra}]' in your mqtriage checkout"
