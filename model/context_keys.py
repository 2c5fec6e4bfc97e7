"""What a context can hold: each key, and what it takes.

A context is a named set of connection settings in config.toml (mqtriage-contexts in the manual).
This table is the one place that knows the keys; the file, the environment and `context add` read
it.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from mqtriage.model.client_settings import PropertyForm
from mqtriage.model.tables import FLAG, ValueForm, one_of, unknown_key, whole, wrong
from mqtriage.model.units import parse_rate
from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import check_generic_name
from mqtriage.records import NamedTuple

Value: TypeAlias = str | bool | int | tuple[str, ...]


class ContextKey(NamedTuple):
    """One key of a context.

    Attributes:
        name: as written in config.toml; a dot stands for a table: ``tls.cipher``.
        secret: leads to a secret, so that a project file may not set it: whoever can make you
            work in his folder could send your password to his server.
        guards: limits what is done; of several values the strictest counts (`settings.py`).
        is_path: of a file or folder; `context add` saves it with the folder that it was typed in.
    """

    name: str
    form: ValueForm[Value]
    help: str
    secret: bool = False
    guards: bool = False
    is_path: bool = False

    @property
    def environment(self) -> str:
        """Its variable: ``MQTRIAGE_TLS_CIPHER``."""
        return "MQTRIAGE_" + self.name.replace(".", "_").upper()


def _text(value: object, where: str) -> str:
    if isinstance(value, str) and value:
        return value
    raise wrong(value, where, "text")


def _rate(value: object, where: str) -> str:
    text = _text(value, where)
    parse_rate(text, what=where)
    return text


def _queues(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(check_generic_name(item) for item in value)
    raise wrong(value, where, 'a list of queue names, such as ["PAY.*"]')


_TEXT: Final = ValueForm(_text)
_RATE: Final = ValueForm(_rate)
_QUEUES: Final = ValueForm(_queues)
_NUMBER: Final = whole(1)
PROPERTIES_AS: Final[ValueForm[PropertyForm]] = one_of("rfh2", "handle", "queue")

KEYS: Final[dict[str, ContextKey]] = {
    key.name: key
    for key in (
        ContextKey(
            "backend",
            one_of("emulator", "mq", "rest"),
            "An emulated queue manager, or a real one: mq uses IBM's client, rest uses HTTPS.",
        ),
        ContextKey("qmgr", _TEXT, "Queue manager."),
        ContextKey("connection", _TEXT, "Host and port of each listener: mq1(1414),mq2(1414)."),
        ContextKey("channel", _TEXT, "Server-connection channel."),
        ContextKey(
            "ccdt", _TEXT, "Client channel definition table: a URL or a file.", is_path=True
        ),
        ContextKey("transport", one_of("client", "bindings"), "Type of connection."),
        ContextKey("url", _TEXT, "Web server of IBM MQ (mqweb): https://mq1:9443."),
        ContextKey("rest_gateway", _TEXT, "Queue manager that forwards commands, over HTTPS."),
        ContextKey("user", _TEXT, "User to connect as."),
        ContextKey(
            "password_file",
            _TEXT,
            "File whose first line is the password.",
            secret=True,
            is_path=True,
        ),
        ContextKey(
            "password_prompt", FLAG, "Prompt for the password on the terminal.", secret=True
        ),
        ContextKey(
            "password_keyring",
            _TEXT,
            "Name of the keyring service that contains the password.",
            secret=True,
        ),
        ContextKey("tls.cipher", _TEXT, "CipherSpec."),
        ContextKey("tls.keyrepo", _TEXT, "Key repository.", secret=True, is_path=True),
        ContextKey("tls.label", _TEXT, "Label of the certificate."),
        ContextKey(
            "tls.peer", _TEXT, "Distinguished name required in the queue manager's certificate."
        ),
        ContextKey(
            "tls.cafile",
            _TEXT,
            "Certificates to trust over HTTPS (PEM).",
            secret=True,
            is_path=True,
        ),
        ContextKey(
            "tls.certfile",
            _TEXT,
            "Client certificate and key for HTTPS (PEM).",
            secret=True,
            is_path=True,
        ),
        ContextKey(
            "tls.unchecked", FLAG, "Do not check the certificate of 127.0.0.1.", secret=True
        ),
        ContextKey("heartbeat", _NUMBER, "Heartbeat interval of the channel, in seconds."),
        ContextKey(
            "reconnect",
            one_of("no", "yes", "qmgr"),
            "Whether the MQ client reconnects automatically.",
        ),
        ContextKey("application", _TEXT, "Application name. Default: mqtriage."),
        ContextKey("library", one_of("pymqi", "ibmmq"), "Python package to connect with."),
        ContextKey(
            "properties_as",
            PROPERTIES_AS,
            "How msg browse, show, count and watch request properties.",
        ),
        ContextKey(
            "jms_classpath", _TEXT, "Jars of IBM's JMS client, for msg put --delay: /opt/jms/*."
        ),
        ContextKey(
            "protected",
            FLAG,
            "Require more confirmation for operations; see mqtriage-safety(7).",
            guards=True,
        ),
        ContextKey(
            "four_eyes",
            FLAG,
            "Allow only apply, with another user's plan file; see mqtriage-safety(7).",
            guards=True,
        ),
        ContextKey(
            "signed_by",
            _TEXT,
            "Who may sign plans for apply: SSH allowed signers, or OpenPGP keys.",
            secret=True,
            is_path=True,
        ),
        ContextKey("read_only", FLAG, "Open queues only for browse and inquire.", guards=True),
        ContextKey("no_browse", _QUEUES, "Queues that must never be browsed: PAY.*", guards=True),
        ContextKey(
            "max_messages",
            _NUMBER,
            "Maximum number of messages that one command may change.",
            guards=True,
        ),
        ContextKey(
            "mcp_bodies",
            FLAG,
            "Whether mqtriage mcp shows message data to assistants.",
            secret=True,
        ),
        ContextKey("archive_dir", _TEXT, "Folder for the archives.", is_path=True),
        ContextKey("defaults.rate", _RATE, "Default for --rate, such as 20/s."),
        ContextKey(
            "label_color",
            one_of("red", "green", "yellow", "blue", "magenta", "cyan"),
            "Colour of the context's name in prompts.",
        ),
    )
}

_FORBIDDEN: Final = frozenset({"password", "passwd", "secret", "token"})


_FLAG_WORDS: Final = {
    "1": True, "true": True, "yes": True, "0": False, "false": False, "no": False,
}  # fmt: skip


def read_key(name: str, value: object, where: str) -> Value:
    """The value of key *name* as a file holds it, checked.

    Args:
        where: the place of the value, for the error.

    Raises:
        UsageError: No such key, or a value of the wrong kind.
    """
    if name in KEYS:
        try:
            return KEYS[name].form.read(value, where)
        except UsageError as error:
            if not KEYS[name].secret:
                raise
            # a password that was written to the wrong key is not shown
            expected = error.text.rpartition("; ")[2]
            raise UsageError(f"{where}: {expected}", hint=error.hint) from None
    if name.rpartition(".")[2] in _FORBIDDEN:
        raise UsageError(
            f"{where}: a secret does not belong in a settings file",
            hint="use password_file, password_prompt or password_keyring",
        )
    raise unknown_key(key_of_option(name), KEYS, where)


def key_of_option(option: str) -> str:
    """The key that is meant by an option: tls.cafile by --tls-cafile; else *option* as it is."""
    word = option.removeprefix("--").replace("-", "_").removeprefix("connect_")
    word = {"username": "user"}.get(word, word)
    return next((key for key in KEYS if key.replace(".", "_") == word), option)


def from_text(name: str, text: str, where: str) -> Value:
    """The value of key *name* as the environment or an argument ``key=value`` holds it.

    Raises:
        UsageError: No such key, or a value that cannot be read.
    """
    form = KEYS[name].form if name in KEYS else None
    value: object = text
    if form is FLAG:
        value = _FLAG_WORDS.get(text.strip().lower(), text)
    elif form is _NUMBER and text.strip().isdecimal():
        value = int(text)
    elif form is _QUEUES:
        if text.lstrip().startswith("["):
            raise wrong(text, f"{where}: {name}", "queue names and commas, such as SEC.*,PAY.*")
        value = [item.strip() for item in text.split(",") if item.strip()]
    return read_key(name, value, f"{where}: {name[:40]}")
