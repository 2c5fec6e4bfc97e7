"""The password of the user to connect as: from a file, the keyring, environment or terminal.

Never from an option's value: every user of the machine can read another's command line.
"""

from __future__ import annotations

import os
import stat
from importlib import import_module
from typing import Final

from mqtriage.cli.frame.console import CommandRun
from mqtriage.commands.context.settings import Settings
from mqtriage.files.failures import read_errors
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import UsageError

VARIABLE: Final = "MQTRIAGE_PASSWORD"
_MOST_BYTES: Final = 4096
_WHERE: Final = ("connection", "ccdt", "url", "rest_gateway")


def password_of(run: CommandRun, settings: Settings, asked_file: str | None) -> str:
    """The password that goes with the user of *settings*; "" where there is no user.

    Looked for in this order: the file, the keyring, MQTRIAGE_PASSWORD, the terminal.

    Args:
        asked_file: `--password-file`, which is wrong usage without a user.

    Raises:
        UsageError: There is none, and nobody to be asked.
        NotFound: There is no such file.
        StorageError: The file cannot be read.
        Refused: A project file that was not allowed says where the password would go.
    """
    user = settings.text("user")
    if not user:
        if asked_file:
            raise UsageError(
                "--password-file needs a user", hint="--set user=NAME, or MQTRIAGE_USER"
            )
        return ""
    path, service = settings.text("password_file"), settings.text("password_keyring")
    if not asked_file:  # an option says so for this very connection
        settings.refuse_untrusted(f"no password is sent for user {user}", *_WHERE)
    if path == "-":
        return _checked(run.stdin.readline(_MOST_BYTES), "standard input")
    if path:
        return _from_file(run, path)
    if service:
        return _from_keyring(service, user)
    if not settings.flag("password_prompt") and (given := run.environ.get(VARIABLE)):
        return given
    if not run.interactive:
        raise UsageError(
            f"user {user}: no password, and standard input is not a terminal",
            hint=f"--password-file FILE, MQTRIAGE_PASSWORD_FILE or {VARIABLE}",
        )
    from getpass import getpass

    try:  # at the terminal itself: standard input may be the message that is to be put
        return getpass(f"Password of {user}: ", stream=run.stderr)
    except EOFError:
        raise UsageError(f"user {user}: no password was entered") from None


def _from_file(run: CommandRun, path: str) -> str:
    path = os.path.expanduser(path)
    with read_errors(f"password file {path}"), open(path, "rb") as file:
        if os.fstat(file.fileno()).st_mode & (stat.S_IRGRP | stat.S_IROTH):
            run.warn(f"{path} can be read by other users: chmod 600 {path}")
        line = file.readline(_MOST_BYTES)
    try:
        return _checked(line.decode("utf-8"), path)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the first line is not UTF-8") from error


def _checked(line: str, where: str) -> str:
    password = line.rstrip("\r\n")
    if not password:
        raise UsageError(f"{where}: its first line must be the password, but it is empty")
    return password


def _from_keyring(service: str, user: str) -> str:
    """What the keyring of the desktop or the server holds for *service* and *user*."""
    try:
        keyring = import_module("keyring")  # no dependency of ours
    except ImportError:
        raise UsageError(
            "password_keyring: the Python package keyring is not installed",
            hint="pip install keyring, or use password_file",
        ) from None
    try:
        password = keyring.get_password(service, user)
    except keyring.errors.KeyringError as error:
        raise UsageError(f"keyring: {error}") from error
    if not password:
        raise UsageError(
            f"keyring: no entry for service {service} and user {user}",
            hint=f"keyring set {shell_word(service)} {shell_word(user)}",
        )
    return str(password)
