"""`mqtriage cheat`, `man`, `completion`, `rc` and `version`: help that is no page of options."""

from __future__ import annotations

from pathlib import Path

from mqtriage import __version__
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import REQUIRED, argument, arguments, text
from mqtriage.model.output_forms import PLAIN, TABLE
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import NotFound, UsageError

SHELLS = ("bash", "zsh", "fish")


@takes(Output)
def cheat(
    app: AppContext,
    topic: str | None = argument(
        "TOPIC", help="Show only this topic: delay, backout, undo ...", default=None
    ),
) -> None:
    """Show commands to copy and paste, by topic.

    You can run all of them on the sample queue manager: mqtriage emulator create DEMO --sample.

    Examples:
        mqtriage cheat
        mqtriage cheat backout
    """
    from mqtriage.commands.help.cheats import cheat_text, cheats

    listing = cheats(topic)
    if app.output.options.form is None and not app.output.options.columns:
        app.output.page("".join(f"{line}\n" for line in cheat_text(listing)))
        return
    app.output.emit(listing)


@takes(Output)
def man(
    app: AppContext,
    page: tuple[str, ...] = arguments(
        "PAGE",
        help="A group such as backout, or 'backout 7'. Default: mqtriage(1).",
        default=(),
        completes="page",
    ),
    out: str | None = text(
        metavar="DIR",
        help="Copy all pages to this folder instead.",
        completes="file",
        reads="place",
    ),
) -> None:
    """Show a manual page.

    If mqtriage is on PATH, man finds the pages. Otherwise, use --out to copy them to a folder in
    MANPATH.

    Examples:
        mqtriage man backout
        mqtriage man safety
        mqtriage man --out ~/.local/share/man
    """
    from mqtriage.cli.frame.tree import COMMANDS, habits
    from mqtriage.commands.help import manual

    if out is not None:
        if page:
            raise UsageError("man: give a page, or --out to copy all pages, but not both")
        app.output.emit(manual.copy_pages(Path(out)))
        return
    path = manual.page_named(page, COMMANDS, habits("command"))
    shown = manual.page_text(path, min(app.output.width, 100), app.run.environ)
    app.output.emit_text("ManualPage", {"page": path.name}, "text", shown)


@takes(Output)
def completion(app: AppContext, shell: str = argument(help="Your shell.", choices=SHELLS)) -> None:
    """Print the completion script for a shell.

    It completes commands, options, queue names, contexts and rule codes. Queue names are cached for
    5 seconds.

    Examples:
        mqtriage completion bash > ~/.local/share/bash-completion/completions/mqtriage
        mqtriage completion zsh > ~/.zfunc/_mqtriage
        mqtriage completion fish > ~/.config/fish/completions/mqtriage.fish
    """
    script = Path(__file__).parent / "frame" / f"completion.{shell}"
    app.output.emit_text("CompletionScript", {"shell": shell}, "script", script.read_text("utf-8"))


@takes(Output)
def rc(
    app: AppContext,
    code: tuple[str, ...] = arguments(
        "CODE|NAME",
        help="2053, 0x0805, MQRC_Q_FULL, AMQ9999E, JMSWMQ2007 or a line from a log.",
        default=REQUIRED,
        completes="reason",
    ),
) -> None:
    """Explain a reason or feedback code.

    If a number is both a reason and a feedback code, the command explains both, because
    MQDLH.Reason can be either. If you give a line from a log, it explains each message and reason
    in that line. Put such a line in quotes: without quotes, words are separate codes unless most of
    them have no meaning. For a longer text, such as a stack trace, use - to read standard input.
    Commas can separate codes. Of several codes, one that is unknown or not explained is a warning,
    and the exit code is 3. You do not need a queue manager.

    Examples:
        mqtriage rc 2053
        mqtriage rc 2009,2059 --columns name,meaning
        mqtriage rc "MQJE001: Completion Code '2', Reason '2058'."
    """
    from mqtriage.commands.help import rc as codes

    if code == ("-",):
        explained = codes.explain_text(app.run.standard_input().decode("utf-8", "replace"))
    else:
        try:
            explained = codes.explain(*code)
        except NotFound as error:
            if len(code) == 1 and Path(code[0]).is_file():
                error.hint = f"for the codes in that file: mqtriage rc - < {shell_word(code[0])}"
            raise
    app.output.emit(codes.in_rows(explained) if app.output.options.columns else explained)
    app.run.note_partly(explained.warnings)


@takes(Output)
def version(app: AppContext) -> None:
    """Print the version.

    With --verbose or -o json, it also prints the Python version, the platform and the libraries
    that it found.

    Examples:
        mqtriage version
        mqtriage version -o json
    """
    if app.output.options.form in {None, PLAIN, TABLE} and not app.output.options.verbose:
        app.output.stdout.write(f"mqtriage {__version__}\n")  # the quick way: nothing is imported
        return
    from mqtriage.commands.help.version import describe

    app.output.emit(describe(verbose=app.output.options.verbose))
