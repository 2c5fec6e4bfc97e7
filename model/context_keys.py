"""What a context can hold: each key, the kind of its value, and the check of one.

A context is a named set of connection settings in config.toml (mqtriage-contexts in the manual).
This table is the one place that knows the keys; the file, the environment and `context add` read
it.
"""

from __future__ import annotations

import difflib
from typing import Any, Final, Literal, TypeAlias

from mqtriage.model.units import parse_rate
from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import check_generic_name
from mqtriage.mq.records import NamedTuple

Kind: TypeAlias = Literal["text", "flag", "number", "names"]
Value: TypeAlias = str | bool | int | tuple[str, ...]


class ContextKey(NamedTuple):
    """One key of a context.

    Attributes:
        name: as written in config.toml; a dot stands for a table: ``tls.cipher``.
        secret: leads to a secret, so that a project file may not set it: whoever can make you
            work in his folder could send your password to his server.
    """

    name: str
    kind: Kind
    help: str
    values: tuple[str, ...] = ()
    secret: bool = False

    @property
    def environment(self) -> str:
        """Its variable: ``MQTRIAGE_TLS_CIPHER``."""
        return "MQTRIAGE_" + self.name.replace(".", "_").upper()


KEYS: Final[dict[str, ContextKey]] = {
    key.name: key
    for key in (
        ContextKey(
            "backend", "text", "A queue manager in a file, or a real one.", ("emulator", "mq")
        ),
        ContextKey("qmgr", "text", "Queue manager."),
        ContextKey("connection", "text", "Host and port of each listener: mq1(1414),mq2(1414)."),
        ContextKey("channel", "text", "Server-connection channel."),
        ContextKey("ccdt", "text", "Client channel definition table: a URL or a file."),
        ContextKey("transport", "text", "How to connect.", ("client", "bindings")),
        ContextKey("user", "text", "User to connect as."),
        ContextKey("password_file", "text", "File whose first line is the password.", secret=True),
        ContextKey("password_prompt", "flag", "Ask for the password on the terminal.", secret=True),
        ContextKey("password_keyring", "text", "Service name in the keyring.", secret=True),
        ContextKey("tls.cipher", "text", "CipherSpec."),
        ContextKey("tls.keyrepo", "text", "Key repository.", secret=True),
        ContextKey("tls.label", "text", "Label of the certificate."),
        ContextKey("tls.peer", "text", "Distinguished name that the queue manager must have."),
        ContextKey("heartbeat", "number", "Heartbeat interval of the channel, in seconds."),
        ContextKey("reconnect", "text", "Whether the MQ client connects again by itself.", (
            "no", "yes", "qmgr",
        )),
        ContextKey("application", "text", "Application name. Default: mqtriage."),
        ContextKey("library", "text", "Python package to connect through.", ("pymqi", "ibmmq")),
        ContextKey(
            "properties_as", "text", "How msg browse, show, count and watch ask for properties.",
            ("rfh2", "handle", "queue"),
        ),
        ContextKey("jms_classpath", "text", "Jars of IBM's JMS client, for delay put: /opt/jms/*."),
        ContextKey("protected", "flag", "Operations need more consent: see mqtriage-safety(7)."),
        ContextKey("read_only", "flag", "Queues are opened for browse and inquire only."),
        ContextKey("no_browse", "names", "Queues that are never browsed: PAY.*"),
        ContextKey("max_messages", "number", "Most messages that one command may touch."),
        ContextKey("archive_dir", "text", "Folder for the archives."),
        ContextKey("defaults.rate", "text", "--rate where none is given: 20/s."),
        ContextKey("label_color", "text", "Colour of the context's name in questions.", (
            "red", "green", "yellow", "blue", "magenta", "cyan",
        )),
    )
}  # fmt: skip

_FORBIDDEN: Final = frozenset({"password", "passwd", "secret", "token"})


def checked(name: str, value: Any, where: str) -> Value:
    """The value of key *name* as a file holds it, checked.

    Args:
        where: file and context, for the error.

    Raises:
        UsageError: No such key, or a value of the wrong kind.
    """
    key = KEYS.get(name)
    if key is None:
        raise _unknown(name, where)
    match key.kind, value:
        case "flag", bool():
            return value
        case "number", int() if not isinstance(value, bool) and value > 0:
            return value
        case "names", list() if all(isinstance(item, str) for item in value):
            return tuple(check_generic_name(item) for item in value)
        case "text", str() if value:
            return _checked_text(key, value, where)
    expected = {
        "flag": "true or false",
        "number": "a whole number above 0",
        "names": 'a list of queue names, as in ["PAY.*"]',
        "text": "a text",
    }[key.kind]
    raise UsageError(f"{where}: {name}: expected {expected}")


def from_text(name: str, text: str, where: str) -> Value:
    """The value of key *name* as the environment or an argument ``key=value`` holds it.

    Raises:
        UsageError: No such key, or a value that cannot be read.
    """
    key = KEYS.get(name)
    if key is None:
        raise _unknown(name, where)
    if key.kind == "flag":
        word = text.strip().lower()
        if word not in {"1", "0", "true", "false", "yes", "no"}:
            raise UsageError(f"{where}: {name}: expected true or false, not {text[:40]!r}")
        return word in {"1", "true", "yes"}
    if key.kind == "number":
        digits = text.strip()
        return checked(name, int(digits) if digits.isdecimal() else digits, where)
    if key.kind == "names":
        return checked(name, [item.strip() for item in text.split(",") if item.strip()], where)
    return checked(name, text, where)


def _checked_text(key: ContextKey, value: str, where: str) -> str:
    if key.values and value not in key.values:
        expected = f"{', '.join(key.values[:-1])} or {key.values[-1]}"
        raise UsageError(f"{where}: {key.name}: expected {expected}, not {value[:40]!r}")
    if key.name == "defaults.rate":
        parse_rate(value, what=f"{where}: {key.name}")
    return value


def _unknown(name: str, where: str) -> UsageError:
    if name.rpartition(".")[2] in _FORBIDDEN:
        return UsageError(
            f"{where}: {name}: a secret does not belong in a settings file",
            hint="use password_file, password_prompt or password_keyring",
        )
    near = difflib.get_close_matches(name, KEYS, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return UsageError(
        f"{where}: no such key: {name[:40]!r}{meant}", hint=f"the keys are {', '.join(KEYS)}"
    )
