"""What a context can hold: each key, and what it takes.

A context is a named set of connection settings in config.toml (mqtriage-contexts in the manual).
context_keys.tsv is the one place that knows the keys; the file, the environment and `context add`
read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pkgutil import get_data
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
    def example(self) -> str:
        """A value as it is typed, or VALUE where that depends on where somebody works."""
        examples = ((FLAG, "true"), (_NUMBER, "100"), (_QUEUES, "'PAY.*'"), (_RATE, "20/s"))
        return next((text for form, text in examples if self.form is form), "VALUE")

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

_FORMS: Final[dict[str, ValueForm[Value]]] = {
    "text": _TEXT, "rate": _RATE, "queues": _QUEUES, "number": _NUMBER, "flag": FLAG,
    "properties": PROPERTIES_AS,
}  # fmt: skip


def _keys() -> Iterator[ContextKey]:
    """The rows of context_keys.tsv: name, form or the words it is one of, marks, line of help."""
    for row in (get_data(__package__, "context_keys.tsv") or b"").decode().splitlines():
        name, takes, marks, about = row.split("\t")
        form = _FORMS.get(takes) or one_of(*takes.split())
        yield ContextKey(name, form, about, "secret" in marks, "guards" in marks, "path" in marks)


KEYS: Final = {key.name: key for key in _keys()}

BACKEND_OF_ADDRESS: Final = {
    "connection": "mq", "channel": "mq", "ccdt": "mq", "transport": "mq",
    "url": "rest", "rest_gateway": "rest",
}  # fmt: skip
"""Keys that say where a real queue manager is, and the backend that each is for.

Where nobody set `backend`, it is that.
"""


def deciding_key(values: Mapping[str, object], named: Callable[[str], str] = str) -> str:
    """The key that decides which backend is used; "" for none, which means the emulator.

    Args:
        values: key to value.
        named: what a key is called in the error, for one with its origin.

    Raises:
        UsageError: Nobody set `backend`, and there are keys of both backends.
    """
    if values.get("backend"):
        return "backend"
    keys = [key for key in BACKEND_OF_ADDRESS if values.get(key)]
    others = [key for key in keys if BACKEND_OF_ADDRESS[key] != BACKEND_OF_ADDRESS[keys[0]]]
    if others:
        raise UsageError(
            f"{named(keys[0])} is for backend {BACKEND_OF_ADDRESS[keys[0]]},"
            f" but {named(others[0])} is for backend {BACKEND_OF_ADDRESS[others[0]]}",
            hint="choose one: --backend mq or --backend rest",
        )
    return keys[0] if keys else ""


def backend_of(values: Mapping[str, Value]) -> Value | None:
    """The backend that a context chooses; None for none, or if its keys contradict each other."""
    with suppress(UsageError):
        key = deciding_key(values)
        return BACKEND_OF_ADDRESS.get(key) or values.get("backend")
    return None


_FORBIDDEN: Final = frozenset({"password", "passwd", "secret", "token"})


_FLAG_WORDS: Final = {
    "1": True, "true": True, "yes": True, "0": False, "false": False, "no": False,
}  # fmt: skip


def read_key(name: str, value: object, where: str) -> Value:
    """The value of key *name* as a file holds it, checked.

    Args:
        where: the place of the value, for the error.
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


_OTHER_WORDS: Final = {"username": "user", "queue_manager": "qmgr", "svrconn": "channel"} | (
    dict.fromkeys(("conname", "host", "hostname", "port"), "connection")
)
"""What a key is called elsewhere."""


def key_of_option(option: str) -> str:
    """The key that is meant by an option: tls.cafile by --tls-cafile; else *option* as it is."""
    word = option.removeprefix("--").replace("-", "_").removeprefix("connect_")
    word = _OTHER_WORDS.get(word, word)
    return next((key for key in KEYS if key.replace(".", "_") == word), option)


def from_text(name: str, text: str, where: str) -> Value:
    """The value of key *name* as the environment or an argument ``key=value`` holds it."""
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
