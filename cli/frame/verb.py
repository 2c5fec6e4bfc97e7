"""The decorator that makes a command of a function: options of groups, and its own.

`cli/queue.py` shows what a file of verbs looks like, CONTRIBUTING.md how a verb is added.
Parameters are matched by their type: `AppContext` and each group that `@takes` names arrive as
instances (a group that the body does not name is accepted and taken into account all the same).
Verbs that change definitions take `Consent`, verbs that take messages `Safety`, which is more of
it. Every other parameter is an argument or option of the verb's own.

A command returns None and raises errors of `mq/errors.py`; it never returns an exit code
(`typer.Exit` included: a returned one would be lost, so it is refused).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import Field, fields
from typing import Any

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.option_fields import OPT, TYPES, Opt
from mqtriage.cli.frame.options import TITLES, Connection, Connections, Consent, Output, OwnOptions
from mqtriage.mq.errors import UsageError


def takes(
    *groups: type[Any], name: str = ""
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of *groups*; its name is the verb.

    Args:
        name: of the verb, where the function cannot have it; ``load_mqsc`` is ``load-mqsc``, and
            ``set_`` is ``set``.

    Raises:
        TypeError: While importing: an option or parameter of the body stands in a group too, or
            the body wants a group that is not named.
    """

    def decorate(body: Callable[..., None]) -> Callable[..., None]:
        wanted: dict[str, type[Any]] = {}
        among: dict[str, type[Any]] = {}  # OwnOptions, by parameter
        own: list[inspect.Parameter] = []
        for parameter in inspect.signature(body, eval_str=True).parameters.values():
            if _name(parameter.annotation) in {*TITLES, _CONTEXT}:
                wanted[parameter.name] = parameter.annotation
            elif _is_own(parameter.annotation):
                among[parameter.name] = parameter.annotation
                own += parameters_of(parameter.annotation)
            else:
                own.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        for annotation in wanted.values():
            if _name(annotation) != _CONTEXT and annotation not in groups:
                msg = f"{body.__qualname__} wants {annotation.__name__}: name it in @takes"
                raise TypeError(msg)
        taken = {word for parameter in own for word in _words(parameter)}
        shared = [_without(p, taken) for group in groups for p in parameters_of(group)]
        names = {p.name for p in own}
        plain = names - {item.name for group in among.values() for item in fields(group)}
        clash = names & {p.name for p in shared}
        if clash:
            msg = f"{body.__qualname__}: {sorted(clash)} are options of a shared group"
            raise TypeError(msg)

        def run(ctx: typer.Context, **values: Any) -> None:
            app: AppContext = ctx.obj
            before = app.global_options
            made = {group: gather(group, values, before) for group in groups}
            refuse_ignored_dry_run(groups, before)
            connection = made.get(Connections) or made.get(Connection)
            # a verb that connects to nothing may still ask what a context says
            app.bind(connection or gather(Connection, {}, before), made.get(Output))
            call = {name: values[name] for name in plain}
            call |= {name: gather(group, values, before) for name, group in among.items()}
            for name, annotation in wanted.items():
                call[name] = app if _name(annotation) == _CONTEXT else made[annotation]
            returned = body(**call)  # type: ignore[func-returns-value]
            if returned is not None:
                msg = f"{body.__qualname__} returned {returned!r}; raise instead"
                raise TypeError(msg)

        first = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        parameters = [first, *own, *shared]
        run.__name__ = body.__name__
        run.__qualname__ = body.__qualname__
        run.__module__ = body.__module__
        run.__doc__ = body.__doc__
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        run.verb = name or body.__name__.rstrip("_").replace("_", "-")  # type: ignore[attr-defined]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run

    return decorate


def _is_own(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, OwnOptions)


def _words(parameter: inspect.Parameter) -> tuple[str, ...]:
    """The option words of an own parameter: ("-q", "--queue")."""
    notes = getattr(parameter.annotation, "__metadata__", (parameter.default,))
    # typer reads the first word inside Annotated as a default, and puts that right later
    words = [
        word
        for note in notes
        for word in (getattr(note, "default", None), *(getattr(note, "param_decls", None) or ()))
    ]
    return tuple(word for word in words if isinstance(word, str) and word.startswith("-"))


def _without(parameter: inspect.Parameter, taken: set[str]) -> inspect.Parameter:
    """A shared option without the short words that the verb uses for something of its own."""
    option = parameter.default
    if not taken.intersection(option.param_decls):
        return parameter
    left = copy(option)
    left.param_decls = tuple(word for word in option.param_decls if word not in taken)
    return parameter.replace(default=left)


_CONTEXT = "AppContext"


def _name(annotation: Any) -> str:
    return getattr(annotation, "__name__", "")


_MADE: dict[tuple[type[Any], bool], list[inspect.Parameter]] = {}


def parameters_of(group: type[Any], *, early: bool = False) -> list[inspect.Parameter]:
    """A group's options as parameters that typer reads; with *early*, those of the root only.

    Made once a group: a command file holds several verbs.
    """
    if (group, early) in _MADE:
        return _MADE[group, early]
    made = _MADE[group, early] = []
    for item in fields(group):
        opt: Opt = item.metadata[OPT]
        if (early and not opt.early) or item.name in getattr(group, "LEFT_OUT", ()):
            continue
        option = typer.Option(
            item.default if opt.kind in ("flag", "text") else None,
            *opt.names,
            help=opt.help,
            metavar=opt.metavar,
            min=opt.minimum,
            show_default=False,
            hidden=opt.rare and not early,
            rich_help_panel=None if _is_own(group) else TITLES[group.__name__],
        )
        made.append(
            inspect.Parameter(
                item.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=option,
                annotation=TYPES[opt.kind],
            )
        )
    return made


def gather(group: type[Any], values: Mapping[str, Any], early: Mapping[str, Any]) -> Any:
    """Build a group from what typer read after the verb and before the group.

    Raises:
        UsageError: An option of the kind "once" was given twice and different.
    """
    made = {}
    for item in fields(group):
        value = values.get(item.name)
        before = early.get(item.name)
        made[item.name] = _merged(item, before, value)
    return group(**made)


def _merged(item: Field[Any], before: Any, value: Any) -> Any:
    opt: Opt = item.metadata[OPT]
    if opt.kind == "flag":
        return bool(before) or bool(value)
    if opt.kind == "many":
        return tuple(value or ())
    if opt.kind not in ("once", "several"):
        return item.default if value is None else value
    given = list(dict.fromkeys([*(before or ()), *(value or ())]))
    if opt.kind == "several":
        return tuple(dict.fromkeys(n.strip() for t in given for n in t.split(",") if n.strip()))
    if len(given) > 1:
        msg = f"{'/'.join(opt.names)} is given twice and differs: {given[0]} and {given[1]}"
        raise UsageError(msg, hint="give it once")
    return given[0] if given else None


def refuse_ignored_dry_run(groups: tuple[type[Any], ...], early: Mapping[str, Any]) -> None:
    """Refuse `mqtriage -n GROUP VERB` for a verb without dry run.

    The other options before the group may be of no use to a verb (an alias of the user's shell
    may set them), but who says --dry-run must not be left to believe that it was obeyed.
    """
    if early.get("dry_run") and not any(issubclass(group, Consent) for group in groups):
        raise UsageError("this command has no --dry-run")
