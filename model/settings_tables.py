"""Which tables each file of settings has, and where one belongs that is in the wrong file."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from mqtriage.model.context_keys import KEYS
from mqtriage.model.tables import unknown_key
from mqtriage.mq.errors import UsageError

PROJECT_FILE: Final = ".mqtriage.toml"
SETTINGS_FILES: Final = ("mqtriage.toml", PROJECT_FILE, "pyproject.toml")
"""Where settings of lint and rules may stand, in one folder."""
LINT_TABLES: Final = ("lint", "rule")
"""What lint reads, in mqtriage.toml, in the project file, and under [tool.mqtriage]."""
OWN_TABLES: Final = ("use", "context", "group", "output")
"""What the user's own config.toml has, and the system's."""
PROJECT_TABLES: Final = ("use", "context", "group", *LINT_TABLES)
LINT_KEYS: Final = (
    "select", "ignore", "fail-on", "severity", "platform", "mq-version", "whole", "baseline",
    "per-path", "rule-pages", "load",
)  # fmt: skip
"""Keys of [lint], which is read elsewhere (`definitions/lint/config.py`)."""


def unknown_table(
    word: str, value: object, tables: Collection[str], prefix: str = ""
) -> UsageError:
    """The error of a word at the top of a file that has no such table, with its right place.

    Args:
        tables: those that the file has.
        prefix: what stands before each of them, ``tool.mqtriage.`` in pyproject.toml.
    """
    near = _right_place(word, isinstance(value, dict), tables, prefix)
    if not near:
        return unknown_key(word, tables, f"{prefix}{word[:40]}")
    return UsageError(f"{prefix}{word}: no such key here", hint=near)


def _right_place(word: str, is_table: bool, tables: Collection[str], prefix: str) -> str:
    """What to write instead, "" where nothing is near."""
    if word in LINT_KEYS:
        other = "" if "lint" in tables else " of mqtriage.toml in the project's folder"
        if is_table:
            return f"write [{prefix}lint.{word}]{other}"
        return f"it belongs in [{prefix}lint]{other}"
    if word == "rules" and "rule" in tables:
        return f"write [[{prefix}rule]]"
    if word == "tool" and "lint" in tables:
        return "that is for pyproject.toml; here, write [lint] and [[rule]]"
    if word in LINT_TABLES:
        return f"it belongs in mqtriage.toml or {PROJECT_FILE}, in the project's folder"
    if word in PROJECT_TABLES:
        return f"it belongs in {PROJECT_FILE}, or in your own config.toml"
    if word in OWN_TABLES:
        return "it belongs in your own config.toml"
    if "context" in tables and (word in KEYS or word in ("tls", "defaults")):
        return "it belongs in [context.NAME]"
    return ""
