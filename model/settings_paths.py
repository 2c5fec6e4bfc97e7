"""Where files of settings are, as text: the user's own, and the system's. Nothing is read here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def user_path(environ: Mapping[str, str]) -> str | None:
    """The user's own file, there or not; None where nothing says where the home is."""
    if given := environ.get("MQTRIAGE_CONFIG"):
        return given
    if folder := environ.get("XDG_CONFIG_HOME"):
        return f"{folder}/mqtriage/config.toml"
    if home := environ.get("HOME"):
        return f"{home}/.config/mqtriage/config.toml"
    return None


def system_paths(environ: Mapping[str, str]) -> Iterator[str]:
    """The system's files, there or not, the nearest first."""
    for folder in (environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":"):
        if folder:
            yield f"{folder}/mqtriage/config.toml"
