'''Option groups that commands share, and the decorator that gives them to a command.

A command file in `cli/` reads like this; it is everything a verb needs::

    """`mqtriage msg`: options, help and examples; the work is in commands/msg.py."""

    from __future__ import annotations

    from typing import Annotated

    import typer

    from mqtriage.cli.context import AppContext
    from mqtriage.cli.options import Connection, Output, Safety, SelectionOptions, takes


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

        with app.open_backend(read_only=True) as backend:
            app.emit(browse(backend, queue, selection.as_dict(), by=by), limit=selection.limit)


    @takes(SelectionOptions, Safety, Connection, Output)
    def purge(app: AppContext, selection: SelectionOptions, safety: Safety, queue: ...) -> None:
        """Remove messages, kept in an archive."""
        from mqtriage.cli.acting import Severity, act
        from mqtriage.commands.msg import plan_purge, purge

        with app.open_backend() as backend:
            plan = plan_purge(readonly(backend), queue, selection.as_dict())
            act(
                app,
                plan,
                safety,
                lambda: purge(backend, plan, should_stop=app.should_stop),
                severity=Severity.ASK,
            )

The first line of the docstring is the line in `cli/tree.py`. Parameters are matched by their type:
`AppContext` and each group that `@takes` names arrive as instances (a group that the body does not
name is accepted and taken into account all the same); every other parameter is an ordinary typer
argument or option. A command returns None and raises errors of `mq/errors.py`; it never returns an
exit code (`typer.Exit` included: a returned one would be lost, so it is refused).
'''

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import typer

from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.cli.context import AppContext

Kind: TypeAlias = Literal["flag", "pair", "text", "number", "once", "many"]
"""How an option is given: a flag; a pair of flags; text or a number, the last one counts; text
once, given twice and different is wrong usage; text many times."""

_TYPES: Mapping[Kind, Any] = {
    "flag": bool,
    "pair": bool | None,
    "text": str | None,
    "number": int | None,
    "once": list[str] | None,
    "many": list[str] | None,
}

OPT = "opt"


class Opt(NamedTuple):
    """How one field of a group looks on the command line.

    Attributes:
        early: also accepted before the group (`mqtriage -m QM1 queue ls`).
        minimum: smallest number accepted.
    """

    names: tuple[str, ...]
    help: str
    kind: Kind
    metavar: str | None = None
    early: bool = False
    minimum: int | None = None


def _flag(*names: str, help: str, early: bool = False) -> Any:
    return field(default=False, metadata={OPT: Opt(names, help, "flag", early=early)})


def _pair(names: str, help: str) -> Any:
    return field(default=None, metadata={OPT: Opt((names,), help, "pair")})


def _text(*names: str, metavar: str, help: str) -> Any:
    return field(default=None, metadata={OPT: Opt(names, help, "text", metavar)})


def _number(*names: str, metavar: str = "N", help: str, minimum: int = 0) -> Any:
    opt = Opt(names, help, "number", metavar, minimum=minimum)
    return field(default=None, metadata={OPT: opt})


def _once(*names: str, metavar: str, help: str) -> Any:
    return field(default=None, metadata={OPT: Opt(names, help, "once", metavar, early=True)})


def _many(*names: str, metavar: str, help: str) -> Any:
    return field(default=(), metadata={OPT: Opt(names, help, "many", metavar)})


@dataclass(frozen=True, slots=True)
class Connection:
    """Which queue manager, through what."""

    qmgr: str | None = _once("-m", "--qmgr", metavar="NAME", help="Queue manager.")
    backend: str | None = _once(
        "--backend", metavar="emulator|mq", help="A queue manager in a file, or a real one."
    )
    context: str | None = _once("--context", metavar="NAME", help="Named connection settings.")


@dataclass(frozen=True, slots=True)
class Output:
    """What is written, and how."""

    form: str | None = _once(
        "-o",
        "--output",
        metavar="FORM",
        help="table, plain, json, ndjson, csv, md or ids; mqsc where a definition is printed. "
        "Default: table on a terminal, plain elsewhere.",
    )
    columns: str | None = _text("--columns", metavar="A,B,C", help="Columns, by JSON key.")
    sort: str | None = _text("--sort", metavar="COLUMN", help="Sort by a column; -COLUMN reverses.")
    no_header: bool = _flag("--no-header", help="Leave the headings out.")
    wide: bool = _flag("--wide", help="All columns, nothing shortened.")
    utc: bool | None = _pair("--utc/--local", help="Show times in UTC (default) or local time.")
    hex: bool | None = _pair("--hex/--text", help="Show message data as hex or as text.")
    quiet: bool = _flag("-q", "--quiet", help="Only data and errors.", early=True)
    verbose: bool = _flag("--verbose", help="Say more on standard error.", early=True)
    no_color: bool = _flag("--no-color", help="No colour.", early=True)
    no_input: bool = _flag("--no-input", help="Never ask; refuse instead.", early=True)
    fail_empty: bool = _flag("--fail-empty", help="Exit 9 when nothing matched.")

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


@dataclass(frozen=True, slots=True)
class Safety:
    """The guards of a verb that writes."""

    yes: bool = _flag("--yes", help="Do not ask. Needed in a script.", early=True)
    dry_run: bool = _flag(
        "-n", "--dry-run", help="Show what would be done; change nothing.", early=True
    )
    expect: int | None = _number("--expect", help="Refuse unless exactly N would be touched.")
    confirm: str | None = _text(
        "--confirm", metavar="NAME", help="Name the queue, where --yes is not enough."
    )
    allow_reports: bool = _flag(
        "--allow-reports", help="Go on although taking a message sends a report to its sender."
    )
    reports: str | None = _text(
        "--reports", metavar="keep|strip", help="Report options of the copy. Default: keep."
    )
    no_backup: bool = _flag("--no-backup", help="Do not archive what is removed.")
    batch: int | None = _number("--batch", help="Messages a unit of work.", minimum=1)
    yes_short_text: bool = _flag(
        "--yes-short-text", help="Accept a body text of fewer than 8 bytes for a purge."
    )
    no_expiry_effects: bool = _flag(
        "--no-expiry-effects", help="Refuse to browse: a browse can discard expired messages."
    )


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """Which messages. Different options are joined with AND, the same one given twice with OR.

    The values are as typed; `model/selection.py` reads them.
    """

    msgid: tuple[str, ...] = _many(
        "--msgid", metavar="ID", help="MsgId: 48 hex digits, ID:HEX, text:ABC, b64:.. or HEX*."
    )
    correlid: tuple[str, ...] = _many("--correlid", metavar="ID", help="CorrelId, in those forms.")
    groupid: tuple[str, ...] = _many("--groupid", metavar="ID", help="GroupId, in those forms.")
    older_than: tuple[str, ...] = _many("--older-than", metavar="2h", help="Put longer ago.")
    younger_than: tuple[str, ...] = _many("--younger-than", metavar="10m", help="Put since.")
    put_after: tuple[str, ...] = _many("--put-after", metavar="TIME", help="Put at or after.")
    put_before: tuple[str, ...] = _many("--put-before", metavar="TIME", help="Put before.")
    backout: tuple[str, ...] = _many("--backout", metavar="'>=3'", help="BackoutCount.")
    format: tuple[str, ...] = _many("--format", metavar="MQSTR", help="Format.")
    put_appl: tuple[str, ...] = _many("--put-appl", metavar="NAME", help="PutApplName; * ends it.")
    user: tuple[str, ...] = _many("--user", metavar="NAME", help="UserIdentifier.")
    reply_to: tuple[str, ...] = _many("--reply-to", metavar="QUEUE", help="ReplyToQ.")
    persistent: bool | None = _pair("--persistent/--not-persistent", help="Persistence.")
    priority: tuple[str, ...] = _many("--priority", metavar="'>=5'", help="Priority.")
    prop: tuple[str, ...] = _many("--prop", metavar="NAME=VALUE", help="A message property.")
    reason: tuple[str, ...] = _many(
        "--reason", metavar="MQRC_Q_FULL|2053", help="Reason in the dead-letter header."
    )
    dest: tuple[str, ...] = _many(
        "--dest", metavar="QUEUE", help="Target or destination in the header."
    )
    due_before: tuple[str, ...] = _many("--due-before", metavar="TIME", help="Due before.")
    due_after: tuple[str, ...] = _many("--due-after", metavar="TIME", help="Due at or after.")
    overdue: bool = _flag("--overdue", help="Due, and still staged.")
    expires_within: tuple[str, ...] = _many(
        "--expires-within", metavar="5m", help="Time left is at most this."
    )
    body_contains: tuple[str, ...] = _many("--body-contains", metavar="TEXT", help="Data has it.")
    body_regex: tuple[str, ...] = _many("--body-regex", metavar="RE", help="Data matches it.")
    body_path: tuple[str, ...] = _many(
        "--body-path", metavar="'$.order.id=42'", help="A value in JSON data."
    )
    body_hex: tuple[str, ...] = _many("--body-hex", metavar="HEX", help="Data has these bytes.")
    where: tuple[str, ...] = _many(
        "--where", metavar="EXPR", help="For example \"format = 'MQSTR' and backout >= 3\"."
    )
    selector: tuple[str, ...] = _many(
        "--selector", metavar="EXPR", help="Selection string for the queue manager."
    )
    ids_from: tuple[str, ...] = _many("--ids-from", metavar="FILE|-", help="MsgIds, one a line.")
    skip: int | None = _number("--skip", help="Leave out the first N that match.")
    limit: int | None = _number("--limit", help="At most N.", minimum=1)
    range: str | None = _text("--range", metavar="3..7", help="The third to seventh that match.")
    explain_select: bool = _flag(
        "--explain-select", help="Say what the queue manager selects and what we do."
    )

    def as_dict(self) -> dict[str, Any]:
        """The options that were given: field name to value, tuples for those that may repeat."""
        given: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not None and value is not False and value != ():
                given[item.name] = value
        return given


TITLES: Mapping[type[Any], str] = {
    Connection: "Connection",
    Output: "Output",
    Safety: "Safety",
    SelectionOptions: "Selection",
}
"""Heading of each group in help and manual pages."""


def takes(*groups: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of *groups*; see the module's text for an example.

    Raises:
        TypeError: While importing: an option or parameter of the body stands in a group too, or
            the body wants a group that is not named.
    """

    def decorate(body: Callable[..., None]) -> Callable[..., None]:
        wanted: dict[str, type[Any]] = {}
        own: list[inspect.Parameter] = []
        for parameter in inspect.signature(body, eval_str=True).parameters.values():
            if parameter.annotation in TITLES or _is_context(parameter.annotation):
                wanted[parameter.name] = parameter.annotation
            else:
                own.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        for annotation in wanted.values():
            if annotation in TITLES and annotation not in groups:
                msg = f"{body.__qualname__} wants {annotation.__name__}: name it in @takes"
                raise TypeError(msg)
        shared = [parameter for group in groups for parameter in parameters_of(group)]
        clash = {p.name for p in own} & {p.name for p in shared}
        if clash:
            msg = f"{body.__qualname__}: {sorted(clash)} are options of a shared group"
            raise TypeError(msg)

        def run(ctx: typer.Context, **values: Any) -> None:
            app: AppContext = ctx.obj
            made = {group: gather(group, values, app.early) for group in groups}
            refuse_ignored_dry_run(groups, app.early)
            app.bind(made.get(Connection), made.get(Output))
            call = {p.name: values[p.name] for p in own}
            for name, annotation in wanted.items():
                call[name] = made[annotation] if annotation in TITLES else app
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


def _is_context(annotation: Any) -> bool:
    return getattr(annotation, "__name__", "") == "AppContext"


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
        if early and not opt.early:
            continue
        option = typer.Option(
            False if opt.kind == "flag" else None,
            *opt.names,
            help=opt.help,
            metavar=opt.metavar,
            min=opt.minimum,
            show_default=False,
            rich_help_panel=TITLES[group],
        )
        made.append(
            inspect.Parameter(
                item.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=option,
                annotation=_TYPES[opt.kind],
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
    if opt.kind != "once":
        return value
    given = list(dict.fromkeys([*(before or ()), *(value or ())]))
    if len(given) > 1:
        msg = f"{'/'.join(opt.names)} is given twice and differs: {given[0]} and {given[1]}"
        raise UsageError(msg, hint="give it once")
    return given[0] if given else None


def refuse_ignored_dry_run(groups: tuple[type[Any], ...], early: Mapping[str, Any]) -> None:
    """Refuse `mqtriage -n GROUP VERB` for a verb without dry run.

    The other options before the group may be of no use to a verb (an alias of the user's shell
    may set them), but who says --dry-run must not be left to believe that it was obeyed.
    """
    if early.get("dry_run") and Safety not in groups:
        raise UsageError("this command has no --dry-run")
