"""The decorator that makes a verb of a function, and the command that typer makes of it.

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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Consent, Output
from mqtriage.model.options import OPT, Kind, Opt
from mqtriage.mq.errors import UsageError
from mqtriage.mq.records import NamedTuple

if TYPE_CHECKING:
    import typer

Body = TypeVar("Body", bound=Callable[..., None])

_TYPES: Final[Mapping[Kind, Any]] = {
    "flag": bool, "pair": bool | None, "text": str | None, "number": int | None,
    "decimal": float | None, "argument": str | None, "single": list[str] | None,
    "repeated": list[str] | None, "comma_list": list[str] | None, "arguments": list[str] | None,
}  # fmt: skip


PROGRAM_GROUPS: Final = (ConnectionOptions, Output, Consent)
"""What may stand before the group of commands, as far as it is global."""
VERSION: Final = Opt("flag", ("--version",), "Print the version.")


class Verb(NamedTuple):
    """What `@takes` notes of a function."""

    name: str
    groups: tuple[type[Any], ...]


def takes(*groups: type[Any], name: str = "") -> Callable[[Body], Body]:
    """Make a function a verb that has the options of *groups*.

    Args:
        name: of the verb, where the function cannot have it; ``load_mqsc`` is ``load-mqsc``, and
            ``set_`` is ``set``.
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


def program_options() -> dict[str, Opt]:
    """The options that may stand before the group of commands, by name."""
    shared = (item for group in PROGRAM_GROUPS for item in option_fields(group))
    named = {name: item.metadata[OPT] for name, item in shared}
    return {name: opt for name, opt in named.items() if opt.global_} | {"version": VERSION}


def options_of(body: Callable[..., None]) -> dict[str, Opt]:
    """Every option and argument of a verb by its name, those of its groups too."""
    verb: Verb = body.verb  # type: ignore[attr-defined]
    shared = {n: f for group in verb.groups for n, f in option_fields(group)}
    return {name: item.metadata[OPT] for name, item in (_parts(body).options | shared).items()}


def command_of(body: Callable[..., None]) -> Callable[..., None]:
    """The function that typer reads and calls for a verb.

    Raises:
        TypeError: An option of the body stands in a group too, or the body wants a group that is
            not named.
    """
    import typer

    verb: Verb = body.verb  # type: ignore[attr-defined]
    parts = _parts(body)
    for group in parts.groups.values():
        if group not in verb.groups:
            msg = f"{body.__qualname__} wants {group.__name__}: name it in @takes"
            raise TypeError(msg)
    own = parameters_of(parts.options.items())
    taken = {
        word for name, item in parts.options.items() for word in item.metadata[OPT].words(name)
    }
    shared = [
        parameter
        for group in verb.groups
        for parameter in parameters_of(option_fields(group), group.TITLE, without=taken)
    ]
    clash = parts.options.keys() & {p.name for p in shared}
    if clash:
        msg = f"{body.__qualname__}: {sorted(clash)} are options of a shared group"
        raise TypeError(msg)

    def run(ctx: typer.Context, **values: Any) -> None:
        app: AppContext = ctx.obj
        before = app.global_options
        groups = {group: gather(group, values, before) for group in verb.groups}
        # other options before the group may be of no use to a verb (an alias of the user's shell
        # may set them), but who says --dry-run must not be left to believe that it was obeyed
        if before.get("dry_run") and not any(issubclass(group, Consent) for group in verb.groups):
            raise UsageError("this command has no --dry-run")
        connection = groups.get(Connections) or groups.get(ConnectionOptions)
        # a verb that connects to nothing may still ask what a context says
        app.no_expiry_effects = bool(values.get("no_expiry_effects"))
        path = ctx.command_path.partition(" ")[2]
        app.bind(connection or gather(ConnectionOptions, {}, before), groups.get(Output), path)
        call = {name: _merged(name, item, None, values[name]) for name, item in parts.own.items()}
        call |= {name: gather(group, values, before) for name, group in parts.requests.items()}
        call |= {name: groups[group] for name, group in parts.groups.items()}
        if parts.context:
            call[parts.context] = app
        returned = body(**call)  # type: ignore[func-returns-value]
        if returned is not None:
            msg = f"{body.__qualname__} returned {returned!r}; raise instead"
            raise TypeError(msg)

    first = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [first, *own, *shared]
    run.__name__ = body.__name__
    run.__doc__ = body.__doc__
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parts(body: Callable[..., None]) -> _Parts:
    parts = _Parts("", {}, {}, {}, {})
    for name, item in inspect.signature(body).parameters.items():
        if isinstance(item.default, Field):
            parts.own[name] = parts.options[name] = item.default
            continue
        kind = item.annotation
        if isinstance(kind, str):
            kind = eval(kind, body.__globals__)  # as `inspect.signature` would, of these alone
        if kind is AppContext:
            parts = parts._replace(context=name)
        elif hasattr(kind, "TITLE"):
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


def parameters_of(
    options: Iterable[tuple[str, Field[Any]]],
    title: str = "",
    *,
    global_: bool = False,
    without: Collection[str] = (),
) -> Iterator[inspect.Parameter]:
    """Options and arguments as parameters that typer reads.

    Args:
        title: their heading in help, "" for the verb's own.
        global_: only those that may stand before the group of commands.
        without: words that the verb uses for something of its own.
    """
    import typer

    for name, item in options:
        opt: Opt = item.metadata[OPT]
        if global_ and not opt.global_:
            continue
        default = ... if item.default is MISSING else item.default
        default = None if default == () else default
        if opt.kind in ("argument", "arguments"):
            note: Any = typer.Argument(
                default, metavar=opt.metavar, help=opt.help, show_default=opt.show_default
            )
        else:
            note = typer.Option(
                default,
                *(word for word in opt.words(name) if word not in without),
                help=opt.help,
                metavar=opt.metavar,
                min=opt.minimum,
                max=opt.maximum,
                show_default=opt.show_default and opt.kind in ("text", "number", "decimal"),
                hidden=opt.advanced and not global_,
                rich_help_panel=title or None,
            )
        keyword = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, keyword, default=note, annotation=_TYPES[opt.kind])


def gather(group: type[Any], values: Mapping[str, Any], before: Mapping[str, Any]) -> Any:
    """Build a group from what typer read after the verb and *before* the group of commands.

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
        return tuple(value or ())
    if opt.kind not in ("single", "comma_list"):
        value = item.default if value is None else value
        return _read(opt, name, value, item.default) if isinstance(value, str) else value
    texts = list(dict.fromkeys([*(before or ()), *(value or ())]))
    if opt.kind == "comma_list":
        return tuple(dict.fromkeys(n.strip() for t in texts for n in t.split(",") if n.strip()))
    if len(texts) > 1:
        words = "/".join(opt.words(name))
        msg = f"{words} is given twice and differs: {texts[0]} and {texts[1]}"
        raise UsageError(msg, hint="give it once")
    return texts[0] if texts else None


def _read(opt: Opt, name: str, value: str, default: object) -> Any:
    """A text as what it is to be: one of the choices, or a number of units.

    Raises:
        UsageError: It is not.
    """
    word = opt.words(name)[-1] if opt.kind == "text" else opt.metavar or name.upper()
    if opt.choices and value not in opt.choices and value != default:
        *others, last = opt.choices
        allowed = f"{', '.join(others)} or {last}" if others else last
        raise UsageError(f"{word} {value[:40]}: {allowed} is expected")
    if opt.reads:
        from mqtriage.model.units import parse_duration_ms, parse_expiry_tenths, parse_size_bytes

        if opt.reads == "duration":
            return parse_duration_ms(value, what=word, least_ms=int(opt.minimum or 0))
        return {"expiry": parse_expiry_tenths, "size": parse_size_bytes}[opt.reads](
            value, what=word
        )
    return value
