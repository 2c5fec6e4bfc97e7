"""The root of the command tree, with the options that may stand before the group."""

from __future__ import annotations

import inspect
from typing import Any

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.lazy import Root
from mqtriage.cli.frame.verb import PROGRAM_GROUPS, VERSION, option_fields, parameters_of


def build() -> typer.Typer:
    """The root of the command tree, with the options that may stand before the group."""
    app = typer.Typer(
        cls=Root,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        subcommand_metavar="GROUP VERB ...",
    )
    app.callback()(_root_callback())
    return app


def _root_callback() -> Any:
    def root(ctx: typer.Context, **values: Any) -> None:
        ctx.obj.global_options = {key: value for key, value in values.items() if key != "version"}

    version = inspect.Parameter(
        "version",
        inspect.Parameter.KEYWORD_ONLY,
        annotation=bool,
        default=typer.Option(
            False, *VERSION.names, help=VERSION.help, is_eager=True, callback=_print_version
        ),
    )
    first = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    shared = [
        parameter
        for group in PROGRAM_GROUPS
        for parameter in parameters_of(option_fields(group), group.TITLE, global_=True)
    ]
    parameters = [first, *shared, version]
    root.__doc__ = "Delayed, poison and expired messages on IBM MQ: see, fix, prevent."
    root.__annotations__ = {p.name: p.annotation for p in parameters}
    root.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return root


def _print_version(ctx: typer.Context, value: bool) -> None:
    if value:
        from mqtriage import __version__

        app: AppContext = ctx.obj
        app.stdout.write(f"mqtriage {__version__}\n")
        raise typer.Exit
