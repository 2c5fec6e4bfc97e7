"""`mqtriage version`: the version, and with `--verbose` what it runs on."""

from __future__ import annotations

from mqtriage import __version__
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.output_forms import PLAIN, TABLE


@takes(Output)
def version(app: AppContext) -> None:
    """Print the version.

    With --verbose or in JSON: also Python, the platform and the libraries found.

    Examples:
        mqtriage version
        mqtriage version -o json
    """
    if app.output.form in {None, PLAIN, TABLE} and not app.output.verbose:
        app.stdout.write(f"mqtriage {__version__}\n")  # the quick way: nothing is imported
        return
    from mqtriage.commands.help.version import describe

    app.emit(describe(verbose=app.output.verbose))
