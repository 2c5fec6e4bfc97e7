"""`mqtriage cheat`, `man`, `completion`, `rc` and `version`: help that is no page of options."""

from __future__ import annotations

from pathlib import Path

from mqtriage import __version__
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument
from mqtriage.model.output_forms import PLAIN, TABLE

SHELLS = ("bash", "zsh", "fish")


@takes(Output)
def cheat(
    app: AppContext,
    topic: str | None = argument(
        "TOPIC", help="Only these: delay, backout, undo ...", default=None
    ),
) -> None:
    """Show command lines to paste, by topic.

    All of them run on the sample: mqtriage emulator create DEMO --sample.

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
    folder: str | None = argument(
        "DIR",
        help="Where to. Default: man below the XDG data folder.",
        default=None,
        completes="file",
    ),
) -> None:
    """Copy the manual pages out, for man to find.

    Not needed where mqtriage is on PATH: man finds the pages beside it.

    Examples:
        mqtriage man
        mqtriage man /usr/local/share/man
    """
    from mqtriage.commands.help.manual import copy_pages, default_folder

    app.output.emit(copy_pages(Path(folder) if folder else default_folder(app.run.environ)))


@takes(Output)
def completion(app: AppContext, shell: str = argument(help="Your shell.", choices=SHELLS)) -> None:
    """Print the completion script of a shell.

    Commands, options, queue names, contexts and rule codes are completed; queue names are asked
    for and kept for 5 seconds.

    Examples:
        mqtriage completion bash > ~/.local/share/bash-completion/completions/mqtriage
        mqtriage completion zsh > ~/.zfunc/_mqtriage
        mqtriage completion fish > ~/.config/fish/completions/mqtriage.fish
    """
    script = Path(__file__).parent / "frame" / f"completion.{shell}"
    app.output.emit_text("CompletionScript", {"shell": shell}, "script", script.read_text("utf-8"))


@takes(Output)
def rc(
    app: AppContext, code: str = argument("CODE|NAME", help="2053, 0x0805, MQRC_Q_FULL or MQFB_...")
) -> None:
    """Explain a reason or feedback code.

    A number that is both a reason and a feedback code is shown as both: MQDLH.Reason may hold
    either. No queue manager is needed.

    Examples:
        mqtriage rc 2053
        mqtriage rc MQRC_NOT_AUTHORIZED -o json
    """
    from mqtriage.commands.help.rc import explain as explain_code

    app.output.emit(explain_code(code))


@takes(Output)
def version(app: AppContext) -> None:
    """Print the version.

    With --verbose or in JSON: also Python, the platform and the libraries found.

    Examples:
        mqtriage version
        mqtriage version -o json
    """
    if app.output.options.form in {None, PLAIN, TABLE} and not app.output.options.verbose:
        app.output.stdout.write(f"mqtriage {__version__}\n")  # the quick way: nothing is imported
        return
    from mqtriage.commands.help.version import describe

    app.output.emit(describe(verbose=app.output.options.verbose))
