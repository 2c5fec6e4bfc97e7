"""`mqtriage cheat`, `man` and `completion`: help that is no page of options."""

from __future__ import annotations

from pathlib import Path

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument

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
    if app.output.form is None and not app.output.columns:
        app.page("".join(f"{line}\n" for line in cheat_text(listing)))
        return
    app.emit(listing)


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

    app.emit(copy_pages(Path(folder) if folder else default_folder(app.environ)))


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
    app.emit_text("CompletionScript", {"shell": shell}, "script", script.read_text("utf-8"))
