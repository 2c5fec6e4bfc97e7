'''Option groups that commands share, and the decorator that gives them to a command.

A command file in `cli/` reads like this; it is everything a verb needs::

    """`mqtriage msg`: options, help and examples; the work is in commands/msg.py."""

    from __future__ import annotations

    from typing import Annotated

    import typer

    from mqtriage.cli.frame.context import AppContext
    from mqtriage.cli.frame.options import Connection, Output, Safety, SelectionOptions, takes


    @takes(SelectionOptions, Connection, Output)
    def browse(
        app: AppContext,
        selection: SelectionOptions,
        queue: Annotated[str, typer.Argument(metavar="QUEUE", help="Queue to browse.")],
        by: Annotated[str, typer.Option("--by", metavar="due|put", help="Order.")] = "put",
    ) -> None:
        """List the messages on a queue.

        A second paragraph says more, in one to three sentences.

        Examples:
            mqtriage msg browse ORDERS.IN --older-than 2h
            mqtriage msg browse ORDERS.IN -o ndjson
        """
        from mqtriage.commands.msg import browse  # imported only when the verb runs

        chosen = choosing.chosen(app, selection)
        with app.open_backend(read_only=True) as backend:
            choosing.emit(app, browse(backend, queue, chosen, by=by), chosen)


    @takes(SelectionOptions, Safety, Connection, Output)
    def purge(app: AppContext, selection: SelectionOptions, safety: Safety, queue: ...) -> None:
        """Remove messages, kept in an archive."""
        from mqtriage.cli.frame.act_flow import Severity, act
        from mqtriage.commands.msg import plan_purge, purge

        with app.open_backend() as backend:
            plan = plan_purge(readonly(backend), queue, chosen)
            act(
                app,
                plan,
                safety,
                lambda: purge(backend, plan, should_stop=app.should_stop),
                severity=Severity.ASK,
            )

The first line of the docstring is the line in `cli/frame/tree.py`. Parameters are matched by their
type:
`AppContext` and each group that `@takes` names arrive as instances (a group that the body does not
name is accepted and taken into account all the same). Verbs that change definitions take `Consent`,
verbs that take messages `Safety`, which is more of it. Every other parameter is an ordinary typer
argument or option (``no_expiry_effects: NoExpiryEffects = False`` for a reading verb).

A command returns None and raises errors of `mq/errors.py`; it never returns an exit code
(`typer.Exit` included: a returned one would be lost, so it is refused).
'''

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import Field, dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeAlias

import typer

from mqtriage.cli.frame.option_fields import (
    OPT,
    TYPES,
    Opt,
    flag,
    number,
    once,
    pair,
    several,
    text,
)
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.cli.frame.context import AppContext
    from mqtriage.cli.frame.selection_options import SelectionOptions

__all__ = [
    "Connection",
    "Connections",
    "Consent",
    "Guards",
    "NoExpiryEffects",
    "Output",
    "OwnOptions",
    "Safety",
    "SelectionOptions",
    "takes",
]


@dataclass(frozen=True, slots=True)
class Connection:
    """Which queue manager, through what."""

    qmgr: str | None = once("-m", "--qmgr", metavar="NAME", help="Queue manager.")
    backend: str | None = once(
        "--backend", metavar="emulator|mq", help="A queue manager in a file, or a real one."
    )
    context: str | None = once("--context", metavar="NAME", help="Named connection settings.")
    no_context: bool = flag("--no-context", help="Use no context, whatever is chosen.", early=True)
    connection: str | None = once(
        "--connection",
        metavar="HOST(PORT),...",
        help="Where a real queue manager listens; several are tried in this order.",
        rare=True,
    )
    channel: str | None = once(
        "--channel", metavar="NAME", help="Server-connection channel.", rare=True
    )
    ccdt: str | None = once(
        "--ccdt", metavar="URL", help="Client channel definition table, URL or file.", rare=True
    )
    transport: str | None = once(
        "--transport",
        metavar="client|bindings",
        help="Default: a client where it is told where to, else as the MQ library is set up.",
        rare=True,
    )
    connect_user: str | None = once(
        "--connect-user", metavar="NAME", help="User to connect as.", rare=True
    )
    password_file: str | None = once(
        "--password-file",
        metavar="FILE",
        help="File whose first line is the password; - reads standard input.",
        rare=True,
    )
    tls_cipher: str | None = once(
        "--tls-cipher", metavar="SPEC", help="CipherSpec of the channel.", rare=True
    )
    tls_keyrepo: str | None = once(
        "--tls-keyrepo", metavar="PATH", help="Key repository of the client.", rare=True
    )
    tls_label: str | None = once(
        "--tls-label", metavar="LABEL", help="Label of the client's certificate.", rare=True
    )
    tls_peer: str | None = once(
        "--tls-peer",
        metavar="DN",
        help="Distinguished name that the queue manager's certificate must match.",
        rare=True,
    )
    heartbeat: str | None = once(
        "--heartbeat", metavar="SECONDS", help="Heartbeat interval of the channel.", rare=True
    )
    reconnect: str | None = once(
        "--reconnect",
        metavar="no|yes|qmgr",
        help="Let the MQ client connect again by itself, to any queue manager or the same.",
        rare=True,
    )
    application: str | None = once(
        "--application", metavar="NAME", help="Application name. Default: mqtriage.", rare=True
    )
    library: str | None = once(
        "--library",
        metavar="pymqi|ibmmq",
        help="Python package to connect through. Default: the first that can be used.",
        rare=True,
    )
    properties_as: str | None = once(
        "--properties-as",
        metavar="rfh2|handle|queue",
        help="How msg browse, show, count and watch ask for properties. Default: rfh2.",
        rare=True,
    )


@dataclass(frozen=True, slots=True)
class Connections(Connection):
    """Which queue managers, for a verb that asks each of several."""

    qmgr: tuple[str, ...] = several(  # type: ignore[assignment]
        "-m", "--qmgr", metavar="NAME,...", help="Queue manager; several with commas, or again."
    )
    context: tuple[str, ...] = several(  # type: ignore[assignment]
        "--context", metavar="NAME,...", help="Named settings; several with commas, or again."
    )

    def each(self) -> list[Connection]:
        """One connection a queue manager.

        Raises:
            UsageError: Several queue managers and several contexts.
        """
        if len(self.qmgr) > 1 and len(self.context) > 1:
            raise UsageError("several of -m and several of --context: give one of one of them")
        own = {
            item.name: getattr(self, item.name)
            for item in fields(Connection)
            if item.name not in ("qmgr", "context")
        }
        return [
            Connection(qmgr=name, context=context, **own)
            for name in self.qmgr or (None,)
            for context in self.context or (None,)
        ]


@dataclass(frozen=True, slots=True)
class Output:
    """What is written, and how."""

    form: str | None = once(
        "-o",
        "--output",
        metavar="FORM",
        help="table, plain, json, ndjson, csv, md or ids; mqsc where a definition is printed. "
        "Default: table on a terminal, plain elsewhere.",
    )
    columns: str | None = text("--columns", metavar="A,B,C", help="Columns, by JSON key.")
    sort: str | None = text("--sort", metavar="COLUMN", help="Sort by a column; -COLUMN reverses.")
    no_header: bool = flag("--no-header", help="Leave the headings out.")
    wide: bool = flag("--wide", help="All columns, nothing shortened.")
    utc: bool | None = pair("--utc/--local", help="Show times in UTC (default) or local time.")
    hex: bool | None = pair("--hex/--text", help="Show message data as hex or as text.")
    quiet: bool = flag("-q", "--quiet", help="Only data and errors.", early=True)
    verbose: bool = flag(
        "--verbose", help="Tell each MQI call with its completion and reason.", early=True
    )
    no_color: bool = flag("--no-color", help="No colour.", early=True)
    no_input: bool = flag("--no-input", help="Never ask; refuse instead.", early=True)
    fail_empty: bool = flag("--fail-empty", help="Exit 9 when nothing matched.")

    @property
    def column_keys(self) -> tuple[str, ...]:
        """The keys of `--columns`, in the order given."""
        return tuple(key.strip() for key in (self.columns or "").split(",") if key.strip())

    @property
    def sort_key(self) -> tuple[str | None, bool]:
        """(column, descending) of `--sort`."""
        if self.sort is None:
            return None, False
        return self.sort.lstrip("-"), self.sort.startswith("-")


_NO_EXPIRY_EFFECTS: Final = "Refuse to browse: a browse can discard expired messages."


@dataclass(frozen=True, slots=True)
class Consent:
    """The guards of a verb that writes; for definitions these are all."""

    yes: bool = flag("--yes", help="Do not ask. Needed in a script.", early=True)
    dry_run: bool = flag(
        "-n", "--dry-run", help="Show what would be done; change nothing.", early=True
    )
    expect: int | None = number("--expect", help="Refuse unless exactly N would be touched.")
    confirm: str | None = text(
        "--confirm", metavar="NAME", help="Name the queue, where --yes is not enough."
    )


@dataclass(frozen=True, slots=True)
class Safety(Consent):
    """The guards of a verb that takes messages."""

    allow_reports: bool = flag(
        "--allow-reports", help="Go on although taking a message sends a report to its sender."
    )
    reports: str | None = text(
        "--reports", metavar="keep|strip", help="Report options of the copy. Default: keep."
    )
    no_backup: bool = flag("--no-backup", help="Do not archive what is removed.")
    batch: int | None = number("--batch", help="Messages a unit of work.", minimum=1)
    yes_short_text: bool = flag(
        "--yes-short-text", help="Accept a body text of fewer than 8 bytes for a purge."
    )
    no_expiry_effects: bool = flag("--no-expiry-effects", help=_NO_EXPIRY_EFFECTS)


@dataclass(frozen=True, slots=True)
class Guards(Safety):
    """The guards of a verb that takes messages, each of which the journal knows."""

    plan: str | None = text(
        "--plan", metavar="FILE", help="Write the plan for journal apply; change nothing."
    )
    rate: str | None = text("--rate", metavar="N/s", help="Messages a second at most: 20/s, 600/m.")
    max_errors: int | None = number("--max-errors", help="Stop after N failures.", minimum=1)
    fail_fast: bool = flag("--fail-fast", help="Stop at the first failure.")
    max_requeues: int | None = number(
        "--max-requeues",
        help="Leave a message that was requeued N times already. Default: 3.",
        minimum=1,
    )
    park: str | None = text(
        "--park", metavar="QUEUE", help="Put what cannot go on there, as it is."
    )
    no_archive_bodies: bool = flag(
        "--no-archive-bodies", help="Archive descriptors alone; not where messages are removed."
    )


NoExpiryEffects: TypeAlias = Annotated[
    bool, typer.Option("--no-expiry-effects", help=_NO_EXPIRY_EFFECTS)
]
"""The one guard that reading verbs have too: an own parameter of theirs."""


class OwnOptions:
    """Base of a group whose options are the verb's own, and stand where the group does.

    For what several verbs have in common and most have not; `@takes` need not name it.

    Attributes:
        LEFT_OUT: of the fields, those that are no options; they keep their default.
    """

    __slots__ = ()

    LEFT_OUT: ClassVar[tuple[str, ...]] = ()


TITLES: Mapping[str, str] = {
    "Connection": "Connection",
    "Connections": "Connection",
    "Output": "Output",
    "Consent": "Safety",
    "Safety": "Safety",
    "Guards": "Safety",
    "SelectionOptions": "Selection",
    "SparkWork": "Analysis",
    "SparkSpan": "Analysis",
    "Analysis": "Analysis",
}
"""Heading of each group in help and manual pages, by the name of its class."""


def __getattr__(name: str) -> Any:
    """Import `SelectionOptions` when it is first asked for."""
    if name == "SelectionOptions":
        from mqtriage.cli.frame.selection_options import SelectionOptions

        return SelectionOptions
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def takes(*groups: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of *groups*; see the module's text for an example.

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
            made = {group: gather(group, values, app.early) for group in groups}
            refuse_ignored_dry_run(groups, app.early)
            connection = made.get(Connections) or made.get(Connection)
            # a verb that connects to nothing may still ask what a context says
            app.bind(connection or gather(Connection, {}, app.early), made.get(Output))
            call = {name: values[name] for name in plain}
            call |= {name: gather(group, values, app.early) for name, group in among.items()}
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
