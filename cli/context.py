"""`mqtriage context`: options, help and examples; the work is in commands/context/contexts.py."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Consent, Output
from mqtriage.cli.frame.same_command import same_command
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.context import contexts
from mqtriage.commands.context.files import user_file
from mqtriage.model.options import argument, arguments, flag, text
from mqtriage.mq.errors import MQTriageError, Refused, UsageError

NEW_NAME = argument("NAME", help="Context to save.")
NAME = argument(help="Context to remove.", completes="context")
SOME_NAME = argument(
    help="Context to show. Default: the one in effect.", default=None, completes="context"
)


@takes(ConnectionOptions, Output)
def add(
    app: AppContext,
    name: str = NEW_NAME,
    keys: tuple[str, ...] = arguments(
        "KEY=VALUE",
        help="Additional keys, such as tls.label=ops or read_only=true.",
        completes="key",
    ),
    replace_it: bool = flag("--replace", help="Replace an existing context with this name."),
    use_it: bool = flag("--use", help="Use this context from now on."),
    confirm: str | None = text(
        metavar="NAME",
        help="Context's name, if --replace would remove a guard.",
    ),
) -> None:
    """Save connection settings under a name.

    Guards: protected=true read_only=true four_eyes=true max_messages=9 no_browse=Q

    Saves the connection options that you give, and each KEY=VALUE. It never saves a password.
    Instead, specify its source with password_file=, password_prompt=true or password_keyring=.
    If the context exists, the command refuses, and prints the one that changes only these keys.
    If --replace would remove a guard, confirm with the context's name.
    `mqtriage man safety` explains the guards.

    Examples:
        mqtriage context add dev -m QM1
        mqtriage context add prod --backend mq -m QM1 connection=mq1 protected=true
    """
    from mqtriage.model.context_keys import Value, from_text

    values: dict[str, Value] = {key: s.value for key, s in app.target.given_settings().items()}
    for item in keys:
        key, equals, value = item.partition("=")
        if not equals:
            raise UsageError(f"{item[:40]!r}: expected KEY=VALUE")
        values[key] = from_text(key, value, f"context {name}")
    if replace_it and (lost := contexts.lost_guards(app.target.context_files(), name, values)):
        command = contexts.change_command(app.target.context_files(), name, values)
        keeps = "" if "--confirm" in command else f"to keep the other keys: {command}; "
        _confirm_loss(app, f"replace context {name}", name, lost, confirm, keeps)
    document = contexts.add(
        user_file(app.run.environ), app.target.context_files(), name, values, replace=replace_it
    )
    app.target.forget_settings()
    if use_it:
        contexts.use(app.target.context_files(), name, app.target.home())
    app.output.emit(document)
    if not values.get("qmgr"):
        qmgr = name if name in _emulated(app) else "QMGR"
        again = contexts.change_command(app.target.context_files(), name, {"qmgr": qmgr})
        app.run.remark(f"qmgr: none; to name it: {again}")
    if missing := contexts.missing_ccdt(values):
        app.run.remark(f"ccdt: {missing} does not exist")
    if contexts.is_unprotected_production(name, values):
        again = contexts.change_command(app.target.context_files(), name, {"protected": True})
        app.run.remark(
            f"{name} looks like production, and is neither protected nor read-only: {again}"
        )
    if use_it:
        _warn_of_precedence(app, name)


@takes(ConnectionOptions, Output)
def ls(app: AppContext) -> None:
    """List the contexts.

    If several files define the same name, the first one wins, in this order: the project file of
    this folder, your config.toml, the system's config.toml. --wide also shows the guards four_eyes,
    max_messages and no_browse. Guards are cumulative: all files count. Warns if a variable, such as
    MQTRIAGE_QMGR, takes precedence over the selected context.

    Examples:
        mqtriage context ls
        mqtriage context ls --wide
        mqtriage context ls -o json
    """
    choice = app.target.context_choice()
    app.output.emit(contexts.listing(app.target.context_files(), choice.name if choice else ""))
    _warn_of_overrides(app)


@takes(ConnectionOptions, Output)
def show(app: AppContext, name: str | None = SOME_NAME) -> None:
    """Show the settings in effect.

    Settings take precedence in this order: options, the context named by --context, the
    environment, and a context selected in any other way. ORIGIN shows where each value comes from.
    Guards include those of every context that names the queue manager.

    Examples:
        mqtriage context show
        mqtriage context show prod
        mqtriage context show -m QM1
    """
    if name is not None:  # for `--context`
        given = app.target.connection.context
        if given not in {None, name, app.run.environ.get("MQTRIAGE_CONTEXT")}:
            raise UsageError(f"context is given twice and differs: {name} and {given}")
        app.target.connection = replace(app.target.connection, context=name)
    app.output.emit(contexts.shown(app.target.guarded_settings()))
    _warn_of_overrides(app)


@takes(ConnectionOptions, Output)
def use(
    app: AppContext,
    name: str = argument(
        "CONTEXT|FILE",
        help="Context (- means the previous one), or a project file such as .mqtriage.toml.",
        completes="context",
    ),
) -> None:
    """Use a context from now on, or trust a project file.

    A project file may name password and archive locations only if you trust it. Your trust applies
    to the file as it is now. If the file changes, you must trust it again.

    Variables take precedence over a context that you select here. The command warns if one that is
    set, such as MQTRIAGE_QMGR, differs from the context. To run a command without any context, add
    --no-context.

    Examples:
        mqtriage context use prod
        mqtriage context use -
        mqtriage context use ~/src/.mqtriage.toml
    """
    if name.endswith(".toml"):
        from pathlib import Path

        app.output.emit(contexts.trusted(app.run.environ, Path(name).resolve()))
        return
    if name == "-":
        document = contexts.previous(app.target.context_files(), app.target.home())
    else:
        document = contexts.use(app.target.context_files(), name, app.target.home(), _emulated(app))
    # the guards that the next command finds; what was asked for is done
    with suppress(MQTriageError), app.target.only(ConnectionOptions()):
        document.data |= contexts.in_force(app.target.guarded_settings())
    app.output.emit(document)
    _warn_of_precedence(app, document.data["name"])


@takes(Consent, ConnectionOptions, Output)
def rm(app: AppContext, consent: Consent, name: str = NAME) -> None:
    """Remove a context.

    If the context has guards, --yes is not enough: confirm with the context's name.

    Examples:
        mqtriage context rm old --yes
    """
    file = contexts.file_of(app.target.context_files(), name)
    lost = contexts.lost_guards(app.target.context_files(), name, None)
    if consent.dry_run:
        guards = f", and its guards: {', '.join(lost)}" if lost else ""
        app.run.say(f"would remove context {name} from {file.path}{guards}")
        return
    agreed = consent.yes or consent.confirm == name
    if lost:
        _confirm_loss(app, f"remove context {name}", name, lost, consent.confirm, "")
    elif not agreed and not app.run.confirm(f"Remove context {name} from {file.path}?"):
        if app.run.interactive:
            raise Refused(f"remove context {name}: not confirmed", object_name=name)
        text = f"remove context {name} needs --yes: standard input is not a terminal"
        raise Refused(text, hint=same_command(app.run, "--yes") or "add --yes", object_name=name)
    app.output.emit(
        contexts.remove(
            user_file(app.run.environ), app.target.context_files(), name, app.target.home()
        )
    )


def _emulated(app: AppContext) -> list[str]:
    """The names of the emulated queue managers."""
    from mqtriage.emulator.core.file.home import qmgr_names

    return qmgr_names(app.target.home())


def _warn_of_precedence(app: AppContext, name: str) -> None:
    """Say what later commands take before the context *name* that was just selected."""
    with app.target.only(ConnectionOptions()):
        choice = app.target.context_choice()
        if choice is not None and choice.name != name:
            app.run.warn(f"{choice.origin} chooses {choice.name}, which takes precedence")
        _warn_of_overrides(app)


def _warn_of_overrides(app: AppContext) -> None:
    """Say which variables are in force instead of values of the context that is in use."""
    try:
        overrides = app.target.settings.overrides()
    except MQTriageError as error:  # what was asked for is done
        overrides = [error.text]
    for override in overrides:
        app.run.warn(override)


def _confirm_loss(
    app: AppContext, doing: str, name: str, lost: list[str], confirm: str | None, keeps: str
) -> None:
    """Ask for the name of the context whose guards are about to be removed."""
    if confirm is None and app.run.interactive:
        confirm = app.run.ask(
            f"{doing}: this removes its guards: {', '.join(lost)}. Type {name} to confirm:"
        )
    if confirm != name:
        command = same_command(app.run, f"--confirm {name}") or f"add --confirm {name}"
        raise Refused(
            f"{doing}: this would remove its guards: {', '.join(lost)}",
            hint=f"{keeps}to remove the guards: {command}",
            object_name=name,
        )
