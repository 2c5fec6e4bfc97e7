"""`mqtriage backout check`: options and help; the work is in commands/backout/check.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import Connection, Output
from mqtriage.cli.frame.verb import takes


@takes(Connection, Output)
def check(
    app: AppContext,
    pattern: Annotated[
        str | None,
        typer.Argument(metavar="PATTERN", help="Name or generic name; default: all but SYSTEM.*"),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="USER", help="May USER, or GROUP(name), inquire, put and passall?"
        ),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="FILE", help="MQSC file, dump or folder instead of live."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on", metavar="SEVERITY", help="error (default), warning, info or never."
        ),
    ] = None,
) -> None:
    """Check backout settings against the rules of lint.

    These are the rules BKO of `mqtriage lint`, on the queues of PATTERN and their backout queues.
    Nothing is browsed and nothing is changed. The settings of mqtriage.toml hold here too.

    Exit 4 when something is found at --fail-on or above.

    Examples:
        mqtriage backout check 'ORDERS.*'
        mqtriage backout check ORDERS.IN --as app1
        mqtriage backout check --from definitions/ --fail-on warning
    """
    from mqtriage.cli.lint import write_findings
    from mqtriage.cli.mqsc import standard_input
    from mqtriage.commands.backout import check as checking
    from mqtriage.definitions.estates import live_estate, script_sets
    from mqtriage.definitions.lint.config import find_config, severity_of

    config = checking.config_for(find_config(Path.cwd()), user)
    if fail_on is not None:
        config = replace(config, fail_on=severity_of(fail_on, "--fail-on"))
    if files:
        sets = script_sets(files, lambda: standard_input(app))
        run = checking.check_files(sets, config, pattern)
    else:
        with app.open_backend(read_only=True) as backend:
            run = checking.check_live(live_estate(backend, config.load), config, pattern)
    if user is not None and any(one.estate.authorities is None for one in run.results):
        app.warn("no authority records to look at: --as finds nothing")
    write_findings(app, run, None, None)
    if run.worst_is(config.fail_on):
        app.note(ExitCode.FINDINGS)
