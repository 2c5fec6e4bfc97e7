"""The decorator that makes a verb of a function, and what runs it.

`cli/queue.py` shows what a file of verbs looks like, CONTRIBUTING.md how a verb is added. A
parameter is one of these:

- `AppContext`;
- an instance of a group that `@takes` names (one that the body does not name is accepted and taken
  into account all the same). Verbs that change definitions take `Consent`, verbs that take messages
  `Safety`, which is more of it;
- a request: any other dataclass whose fields are options; they stand where it stands;
- an argument or option of its own, whose default says so: ``text(help="...")``.

A command returns None and raises errors of `mq/errors.py`; it never returns an exit code
(`typer.Exit` included: a returned one would be lost, so it is refused).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, fields
from functools import cache, partial
from importlib import import_module
from typing import Any, Final, TypeVar

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Consent, Output
from mqtriage.cli.frame.same_command import PASSWORD_IN_URL, values_of
from mqtriage.cli.frame.tree import COMMANDS, GROUPS, verb_of
from mqtriage.model.options import OPT, Opt, OptionGroup, any_of, flag
from mqtriage.model.shell_words import shell_line
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple

Body = TypeVar("Body", bound=Callable[..., None])

PROGRAM_GROUPS: Final = (ConnectionOptions, Output, Consent)
"""What may stand before the group of commands, as far as it is global."""
_VERSION: Final[Field[Any]] = flag("--version", help="Print the version.")


class Verb(NamedTuple):
    """What `@takes` notes of a function."""

    name: str
    groups: tuple[type[OptionGroup], ...]


class CommandParameter(NamedTuple):
    """An option or argument of a command.

    Attributes:
        words: how it is written, in this command; none for an argument.
        default: its value where it is not given, `dataclasses.MISSING` where it must be.
        heading: in help; "" for what is the verb's own.
    """

    name: str
    opt: Opt
    words: tuple[str, ...]
    default: Any
    heading: str = ""


def takes(*groups: type[OptionGroup], name: str = "") -> Callable[[Body], Body]:
    """Make a function a verb that has the options of *groups*.

    Args:
        name: of the verb, where the function cannot have it; ``set_`` is ``set``.
    """

    def note(body: Body) -> Body:
        verb = name or body.__name__.rstrip("_").replace("_", "-")
        body.verb = Verb(verb, groups)  # type: ignore[attr-defined]
        return body

    return note


class _Parts(NamedTuple):
    """The parameters of a verb's function.

    Attributes:
        context: the name of that for `AppContext`, "" for none.
        groups: parameter to shared group; requests: to a dataclass of its own options.
        options: every option and argument by its name, in the order of help.
    """

    context: str
    groups: dict[str, type[Any]]
    requests: dict[str, type[Any]]
    own: dict[str, Field[Any]]
    options: dict[str, Field[Any]]


def verb_function(target: str) -> Any:
    """The function ``module:function``, imported."""
    module, _, function = target.partition(":")
    return getattr(import_module(module), function)


_NAMES_ITS_OWN: Final = frozenset({"journal", "emulator", "context"})
_PLACEHOLDERS: Final = {"-m": "QMGR", "--context": "NAME"}
"""What a person replaces by one of several queue managers."""


def with_words(text: str, words: str, *, several: bool = False) -> str:
    """*text* with *words* (``-m QM1``) in each command of it that takes a queue manager.

    Not in commands that name another one, or theirs as an argument, nor in those of the journal: an
    operation knows its own. An option that a command has is not repeated.

    Args:
        words: connection options, ``-m`` and ``--context`` first.
        several: *words* are of several queue managers (``-m 'PROD*'``); a command that takes one
            has a placeholder.
    """
    if not words or "mqtriage " not in text or PASSWORD_IN_URL.search(words):
        return text
    pieces = re.split(r"(?<![\w/.-])(mqtriage (?=[a-z]))", text)
    for at in range(2, len(pieces), 2):
        command = pieces[at]
        missing = _missing_in(command, words)
        if not missing:
            continue
        name, *rest = re.findall(r"\A(?:[a-z][a-z-]*(?: (?=[a-z])|)){1,3}", command)[0].split()
        verb, count = verb_of(GROUPS[name], rest) if name in GROUPS else (name, 0)
        if name == "mqsc":  # that of lint, the other group with a default, reads files
            verb = verb or GROUPS[name].default
        targets = GROUPS[name].verbs if name in GROUPS else COMMANDS
        if name in _NAMES_ITS_OWN or verb not in targets:
            continue
        groups = verb_function(targets[verb][0]).verb.groups
        if any(issubclass(group, ConnectionOptions) for group in groups):
            path = " ".join([name, *rest[:count]])
            is_asked = any(issubclass(group, Connections) for group in groups)
            takes_one = several and (not is_asked or Consent in groups)  # mqsc: only to display
            option = missing[0].partition(" ")[0]
            if takes_one and option in _PLACEHOLDERS:
                how = (word for word in missing if word.partition(" ")[0] not in _PLACEHOLDERS)
                missing = [f"{option} {_PLACEHOLDERS[option]}", *how]
            its_own = " ".join(missing)
            pieces[at] = f"{path} {its_own}{command.removeprefix(path)}"
    return "".join(pieces)


def with_typed(text: str, arguments: Sequence[str]) -> str:
    """*text* with the connection options of a command line that was not understood.

    In hints of `habits.tsv`, ``-m QM`` is a placeholder for them.
    """
    arguments = [*arguments, "--"]
    arguments = arguments[: arguments.index("--")]
    which: list[str] = []
    how: list[str] = []
    for item in fields(ConnectionOptions):
        opt = item.metadata[OPT]
        options = opt.words(item.name)
        if opt.kind == "flag":
            how += [word for word in options if word in arguments]
            continue
        values = [value for word in options for value in values_of(arguments, word) if value]
        if item.name in ("qmgr", "context"):
            option = "-m" if item.name == "qmgr" else options[-1]
            which += [option, ",".join(values)] if values else []
        else:
            how += [word for value in values for word in (options[-1], value)]
    words = shell_line([*which, *how])
    if which:
        text = re.sub(r"-m QM\b", lambda _: words, text)
    several = any(mark in word for word in which for mark in ",*")
    return with_words(text, words, several=several)


def _missing_in(command: str, words: str) -> list[str]:
    """Those of *words*, each option with its value, that a command has not; none of another's."""
    its_own = re.split(r"; | \(", command)[0]
    if " --help" in its_own or "[OPTIONS]" in its_own:
        return []
    options = re.findall(r"(--?[a-z-]+)((?: (?!-)(?:'[^']*'|\S)+)?)", words)
    ours = [f"{option}{value}" for option, value in options]
    for option, name in re.findall(r"(?:^| )(-m|--qmgr|--context) (\S+)", its_own):
        if f"{option.replace('--qmgr', '-m')} {name.rstrip(',')}" not in ours:
            return []
    return [
        word
        for word, (option, _) in zip(ours, options, strict=True)
        if not re.search(rf"(?:^| ){option}(?: |$)", its_own)
    ]


NOT_OVER_REST: Final = {
    "archive": "restore",
    "backout": "browse causes move pending purge requeue",
    "delay": "cancel forecast release reschedule",
    "dlq": "browse causes purge requeue run",
    "expiry": "browse extend purge reports revive sweep",
    "msg": "archive copy diff load move purge",
}
"""Verbs that a connection over REST refuses, by their noun (`tests/rest/test_every_verb.py`)."""


def with_note_of_rest(text: str) -> str:
    """*text*, and that a command which it names is refused over REST."""
    note = " (not over REST: it requires --backend mq)"
    commands = re.findall(r"\bmqtriage ([a-z]+) ([a-z]+)", text)
    refused = any(verb in NOT_OVER_REST.get(noun, "").split() for noun, verb in commands)
    return f"{text}{note}" if refused and note not in text else text


def program_parameters() -> list[CommandParameter]:
    """The options that may stand before the group of commands."""
    shared = [p for group in PROGRAM_GROUPS for p in _of_group(group) if p.opt.global_]
    return [*shared, *_parameters([("version", _VERSION)])]


def parameters_of(body: Callable[..., None]) -> list[CommandParameter]:
    """Every option and argument of a verb, its own first, then those of its groups."""
    verb: Verb = body.verb  # type: ignore[attr-defined]
    parts = _parts(body)
    for group in parts.groups.values():
        if group not in verb.groups:
            raise TypeError(f"{body.__qualname__} wants {group.__name__}: name it in @takes")
    own = list(_parameters(parts.options.items()))
    taken = {word for parameter in own for word in parameter.words}
    shared = [parameter for group in verb.groups for parameter in _of_group(group, taken)]
    clash = parts.options.keys() & {parameter.name for parameter in shared}
    if clash:
        raise TypeError(f"{body.__qualname__}: {sorted(clash)} are options of a shared group")
    return own + shared


def _of_group(group: type[OptionGroup], taken: Collection[str] = ()) -> Iterator[CommandParameter]:
    """Those of a shared group, without the words that are *taken* by the verb itself."""
    for parameter in _parameters(option_fields(group)):
        words = tuple(word for word in parameter.words if word not in taken)
        yield parameter._replace(words=words, heading=group.TITLE)


def _parameters(options: Iterable[tuple[str, Field[Any]]]) -> Iterator[CommandParameter]:
    for name, item in options:
        opt: Opt = item.metadata[OPT]
        words = () if opt.kind in ("argument", "arguments") else opt.words(name)
        yield CommandParameter(name, opt, words, item.default)


def run_verb(
    body: Callable[..., None], app: AppContext, path: str, values: Mapping[str, Any]
) -> None:
    """Call a verb's function with what was given after it and before the group of commands.

    Args:
        path: ``queue ls``.
        values: of its options and arguments, by name.
    """
    verb: Verb = body.verb  # type: ignore[attr-defined]
    parts = _parts(body)
    before = app.run.global_options
    groups = {group: gather(group, values, before) for group in verb.groups}
    # other options before the group may be of no use to a verb (an alias of the user's shell
    # may set them), but who says --dry-run must not be left to believe that it was obeyed
    if before.get("dry_run") and not any(issubclass(group, Consent) for group in verb.groups):
        raise UsageError("this command has no --dry-run")
    connection = groups.get(Connections) or groups.get(ConnectionOptions)
    app.target.no_expiry_effects = bool(values.get("no_expiry_effects"))
    # a verb that connects to nothing may still ask what a context says
    app.run.in_commands = partial(_in_commands, app)
    app.run.with_words = with_words
    app.run.is_fed = path == "mqsc run" and not (values["files"] or app.run.terminals.stdin)
    app.bind(connection or gather(ConnectionOptions, {}, before), groups.get(Output), path)
    call = {name: _merged(name, item, None, values[name]) for name, item in parts.own.items()}
    call |= {name: gather(group, values, before) for name, group in parts.requests.items()}
    call |= {name: groups[group] for name, group in parts.groups.items()}
    if parts.context:
        call[parts.context] = app
    returned = body(**call)  # type: ignore[func-returns-value]
    if returned is not None:
        raise TypeError(f"{body.__qualname__} returned {returned!r}; raise instead")


def _in_commands(app: AppContext, text: str) -> str:
    text = with_note_of_rest(text) if app.target.backend_kind == "rest" else text
    several = len(app.target.connections) > 1
    return with_words(text, app.target.named_words(), several=several)


@cache
def _parts(body: Callable[..., None]) -> _Parts:
    parts = _Parts("", {}, {}, {}, {})
    for name, item in inspect.signature(body).parameters.items():
        if isinstance(item.default, Field):
            parts.own[name] = parts.options[name] = item.default
            continue
        kind = item.annotation
        kind = body.__globals__[kind] if isinstance(kind, str) else kind  # its module imports it
        if kind is AppContext:
            parts = parts._replace(context=name)
        elif issubclass(kind, OptionGroup):
            parts.groups[name] = kind
        else:
            parts.requests[name] = kind
            parts.options.update(option_fields(kind))
    return parts


def option_fields(group: type[Any]) -> Iterator[tuple[str, Field[Any]]]:
    """The fields of a dataclass that are options, by name."""
    left_out = getattr(group, "LEFT_OUT", ())
    for item in fields(group):
        if OPT in item.metadata and item.name not in left_out:
            yield item.name, item


def gather(group: type[Any], values: Mapping[str, Any], before: Mapping[str, Any]) -> Any:
    """Build a group from what was given after the verb and *before* the group of commands.

    Raises:
        UsageError: A single option was given twice and different.
    """
    return group(
        **{
            name: _merged(name, item, before.get(name), values.get(name))
            for name, item in option_fields(group)
        }
    )


def _merged(name: str, item: Field[Any], before: Any, value: Any) -> Any:
    opt: Opt = item.metadata[OPT]
    if opt.kind == "flag":
        return bool(before) or bool(value)
    if opt.kind in ("repeated", "arguments"):
        return (*(before or ()), *(value or ()))
    if opt.kind not in ("single", "comma_list"):
        value = item.default if value is None else value
        return _read(opt, name, value, item.default) if isinstance(value, str) else value
    texts = list(dict.fromkeys([*(before or ()), *(value or ())]))
    if opt.kind == "comma_list":
        return tuple(dict.fromkeys(n.strip() for t in texts for n in t.split(",") if n.strip()))
    if len(texts) > 1:
        words = "/".join(opt.words(name))
        raise UsageError(
            f"{words} is given twice and differs: {texts[0]} and {texts[1]}", hint="give it once"
        )
    return texts[0] if texts else None


def _read(opt: Opt, name: str, value: str, default: object) -> Any:
    """A text as what it is to be: one of the choices, or a number of units."""
    word = name.upper() if opt.choices else opt.metavar or name.upper()
    word = opt.words(name)[-1] if opt.kind == "text" else word
    if opt.choices and value not in opt.choices and value != default:
        raise UsageError(f"{word} {value[:40]}: {any_of(opt.choices)} is expected")
    if opt.reads == "place":
        if value == "-":
            what = "folder" if (opt.metavar or "").startswith("DIR") else "file"
            raise UsageError(f"{word} -: a {what} is expected", hint="write ./- if it is called -")
        return value
    if opt.reads:
        from mqtriage.model.units import parse_duration_ms, parse_expiry_tenths, parse_size_bytes

        if opt.reads == "duration":
            return parse_duration_ms(value, what=word, least_ms=int(opt.minimum or 0))
        return {"expiry": parse_expiry_tenths, "size": parse_size_bytes}[opt.reads](
            value, what=word
        )
    return value
