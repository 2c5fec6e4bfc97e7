"""`mqtriage lint`: options, help and examples; the work is in definitions/lint."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.definitions.lint.rule_options import RuleOptions
from mqtriage.model.options import arguments, flag, repeated, text
from mqtriage.model.output_forms import PLAIN, TABLE
from mqtriage.model.units import count_text
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.definitions.estates import ScriptSet
    from mqtriage.definitions.lint.baseline import Baseline
    from mqtriage.definitions.lint.config import LintConfig
    from mqtriage.definitions.lint.run import LintRun

_REPORT_FORMS: Final = ("sarif", "junit", "github", "gitlab")


@takes(ConnectionOptions, Output)
def lint(
    app: AppContext,
    *,
    files: tuple[str, ...] = arguments(
        "FILES", help="MQSC files, dumps, folders or -; none: live.", completes="file"
    ),
    report: str | None = text(
        "--format", metavar="FORM", help="sarif, junit, github, gitlab, or any form of -o."
    ),
    rules: RuleOptions,
    queues: tuple[str, ...] = repeated(
        "--queue",
        metavar="PATTERN",
        help="Only what concerns these queues, or their backout queues.",
        completes="queue",
    ),
    user: str | None = text(
        "--as", metavar="USER", help="May USER, or GROUP(name), inquire, put and passall?"
    ),
    explain: str | None = text(
        metavar="CODE", help="Print a rule's page; all lists the rules.", completes="rule"
    ),
    from_analysis: str | None = text(
        help="What staging queues need: analyze delay -o json.", completes="file"
    ),
    fix: bool = flag(help="Print MQSC that fixes what can be fixed."),
    write: bool = flag(help="With --fix: edit the scripts instead."),
    diff: bool = flag(help="With --fix: print what --write would change."),
    statistics: bool = flag(help="How often each rule finds something."),
    output_file: str | None = text(help="Instead of standard output.", completes="file"),
    stdin_filename: str | None = text(help="The file that - is.", completes="file"),
    environments: tuple[str, ...] = repeated(
        "--env", metavar="NAME", help="Subfolder of scripts to run afterwards."
    ),
    together: bool = flag(help="All files are one queue manager, in this order."),
    whole: bool = flag(help="The scripts are all that the queue manager has."),
    platform: str | None = text(help="Where they are to run.", choices=("dist", "zos")),
    config: str | None = text(help="Instead of the nearest one.", completes="file"),
    baseline: str | None = text(help="Findings that are known.", completes="file"),
    write_baseline: str | None = text(help="Take today's findings as known.", completes="file"),
    show_settings: bool = flag(help="Print the settings and where they come from."),
) -> None:
    """Check definitions: MQSC files, or a live queue manager.

    A file is a queue manager of its own, a folder of scripts is one too. Without FILES the queue
    manager of -m is looked at; nothing is browsed and nothing is changed. What a script does not
    say is not guessed. Of YAML, shell scripts, Dockerfiles and Markdown the MQSC in them is read.
    Folders side by side in one folder are also compared with one another, sender with receiver.

    A comment `* mqtriage: ignore BKO001 the reason` before a command ignores a finding in it.
    mqtriage.toml, or [tool.mqtriage.lint] of pyproject.toml, holds settings and the expected load.

    Exit 4 when something is found at --fail-on or above, and of --diff when it prints something.
    --fix prints MQSC and runs none of it; it fixes errors and warnings, and infos only where
    --select names them.

    Examples:
        mqtriage lint qm1.mqsc
        mqtriage lint qm1.mqsc --format sarif --output-file lint.sarif
        mqtriage lint definitions/ --env prod --select BKO,DLQ
        mqtriage lint qm1.mqsc --fix --diff
        mqtriage lint qm1.mqsc --fix --write
        mqtriage lint -m QM1
        mqtriage lint -m QM1 --select BKO --queue 'ORDERS.*' --as app1
        mqtriage lint --explain BKO001
    """
    if explain is not None:
        _explain(app, explain)
        return
    if (write or diff) and not (fix and files):
        raise UsageError(f"{'--write' if write else '--diff'} goes with --fix and FILES")
    if write and diff:
        raise UsageError("--write and --diff exclude each other")
    if queues and fix and files:
        raise UsageError("--queue: --fix of FILES is of all that is in them")
    if stdin_filename is not None and "-" not in files:
        raise UsageError("--stdin-filename goes with -, which is standard input")
    if report is not None:
        app.output.use_form(report, _REPORT_FORMS)
    settings = settings_of(
        rules,
        config,
        stdin_filename,
        (
            ("platform", platform, "--platform"),
            ("whole", whole or None, "--whole"),
            ("load.analysis", from_analysis, "--from-analysis"),
            ("baseline", baseline or None, "--baseline"),
        ),
    )
    if user is not None:
        from mqtriage.definitions.lint.about_queues import read_by

        settings = read_by(settings, user)
    with app.output.writing_to(output_file):
        if show_settings:
            from mqtriage.definitions.lint.config import settings_listing

            app.output.emit(settings_listing(settings))
            return
        known = baseline_of(settings.baseline, settings.file if not baseline else "")
        if write_baseline:
            known = None
        if files:
            from mqtriage.definitions.estates import script_sets
            from mqtriage.definitions.lint.run import lint_all

            sets = script_sets(
                files,
                app.run.standard_input,
                environments=environments,
                together=together,
                stdin_name=stdin_filename,
            )
            if fix:
                _fix_scripts(app, sets, settings, write=write, diff=diff, infos=bool(rules.select))
                return
            run = _narrowed(app, lint_all(sets, settings, known), queues, user)
        else:
            from mqtriage.definitions.estates import live_estate, with_named_objects
            from mqtriage.definitions.lint.run import lint_live

            with app.target.open_backend(read_only=True) as backend:
                estate = with_named_objects(backend, live_estate(backend, settings.load))
                live = lint_live(estate, settings, known)
            run = _narrowed(app, live, queues, user)
            if fix:
                from mqtriage.definitions.lint.fixes import once_mqsc

                app.output.stdout.write(once_mqsc(run.findings(), infos=bool(rules.select)))
                return
        if write_baseline:
            from mqtriage.definitions.lint.baseline import write_baseline as write_known

            findings = list(run.findings())
            write_known(Path(write_baseline), findings)
            count = count_text(len(findings), "finding")
            app.run.say(f"{write_baseline}: known from now on: {count}")
            return
        if statistics:
            from mqtriage.definitions.lint.run import statistics_of, summary_line

            app.output.emit(statistics_of(run))
            app.run.say(summary_line(run))
        else:
            write_findings(app, run, report, known, settings)
        app.run.note_findings(run.worst_is(settings.fail_on))


def _narrowed(app: AppContext, run: LintRun, queues: tuple[str, ...], user: str | None) -> LintRun:
    from mqtriage.definitions.lint.about_queues import about_queues

    if user is not None and any(one.estate.authorities is None for one in run.results):
        app.run.warn("no authority records to look at: --as finds nothing")
    return about_queues(run, queues) if queues else run


def _explain(app: AppContext, code: str) -> None:
    from mqtriage.definitions.lint.pages import page_of, titles

    if code.lower() == "all":
        from mqtriage.model.result import Field, Listing

        fields = (Field("code", "CODE"), Field("severity", "SEVERITY"), Field("title", "TITLE"))
        items = [{"code": c, "severity": s, "title": t} for c, (s, t) in titles().items()]
        app.output.emit(Listing("RuleList", fields, items, id_key="code"))
        return
    app.output.stdout.write(page_of(code))


def settings_of(
    rules: RuleOptions,
    file: str | None = None,
    stdin_filename: str | None = None,
    more: tuple[tuple[str, Any, str], ...] = (),
) -> LintConfig:
    """The configuration file, with what the command line says instead.

    Without *file* it is the nearest at or above the working folder, or that of *stdin_filename*.

    Args:
        more: setting, value or None, and option.
    """
    from mqtriage.definitions.lint import config

    if file is None:
        beside = Path(stdin_filename).resolve().parent if stdin_filename else Path.cwd()
        settings = config.find_config(beside)
    else:
        settings = config.read_config(Path(file)) or config.LintConfig()
    ignored = [*settings.ignore, *_words(rules.ignore)]
    for word, value, option in (
        ("select", _words(rules.select) or None, "--select"),
        ("ignore", ignored if rules.ignore else None, "--ignore"),
        ("fail-on", rules.fail_on, "--fail-on"),
        *more,
    ):
        if value is not None:
            settings = config.with_option(settings, word, value, option)
    return settings


def _words(values: tuple[str, ...]) -> list[str]:
    return [word.strip() for value in values for word in value.split(",") if word.strip()]


def baseline_of(file: str, config_file: str) -> Baseline | None:
    from mqtriage.definitions.lint.baseline import Baseline, read_baseline

    if not file:
        return None
    # a baseline that the configuration names stands beside the configuration
    return Baseline(read_baseline(Path(config_file).parent / file if config_file else Path(file)))


def _fix_scripts(
    app: AppContext,
    sets: list[ScriptSet],
    settings: LintConfig,
    *,
    write: bool,
    diff: bool,
    infos: bool,
) -> None:
    from mqtriage.definitions.estates import read_again
    from mqtriage.definitions.lint.fixes import diff_of, fix_mqsc, in_memory, rewrite, save
    from mqtriage.definitions.lint.run import estates_of, lint_all, lint_scripts, summary_line
    from mqtriage.mq.mqsc.lines import is_numbered

    written: set[Path | None] = set()
    for read, estate in zip(sets, estates_of(sets, settings), strict=True):
        # another part of the same file may have been fixed already
        files = (read_again(f) if f.path in written else f for f in read.files)
        one = replace(read, files=tuple(files))
        lint_again = partial(lint_scripts, config=settings, network=estate.network)
        if not (write or diff):
            app.output.stdout.write(fix_mqsc(one, lint_again, infos=infos))
            continue
        for file in one.files:
            if file.path is not None and is_numbered(file.script.text):
                app.run.warn(
                    f"{file.path}: has sequence numbers, so it is not rewritten;"
                    " --fix without --write prints the MQSC"
                )
        if diff:
            for changed in rewrite(in_memory(one), lint_again, infos=infos):
                app.output.stdout.write(diff_of(changed))
                app.run.note(ExitCode.FINDINGS)
            continue
        for changed in rewrite(one, lint_again, infos=infos):
            save(changed)
            written.add(changed.file.path)
            codes = ", ".join(sorted({finding.code for finding in changed.fixed}))
            app.run.say(f"{changed.file.path}: {len(changed.fixed)} fixed ({codes})")
    if write:
        after = [replace(one, files=tuple(map(read_again, one.files))) for one in sets]
        run = lint_all(after, settings)
        write_findings(app, run, None, None)
        app.run.detail(summary_line(run))
        app.run.note_findings(run.worst_is(settings.fail_on))


def write_findings(
    app: AppContext,
    run: LintRun,
    form: str | None,
    known: Baseline | None,
    settings: LintConfig | None = None,
) -> None:
    """Write the findings in the form that was asked for, and how many there are to stderr."""
    from mqtriage.definitions.lint.run import listing_of, summary_line

    listing = listing_of(run)
    if form in _REPORT_FORMS:
        from mqtriage.definitions.lint.report import report_listing
        from mqtriage.formatters.reports.findings import write_report

        fail_on, pages = (settings.fail_on, settings.rule_pages) if settings else ("error", "")
        listing = report_listing(run)
        write_report(form, listing, app.output.stdout, fail_on=fail_on, rule_pages=pages)
        app.output.stdout.flush()
    elif any(one.findings for one in run.results) or app.output.form not in (TABLE, PLAIN):
        app.output.emit(listing)
    app.run.say(summary_line(run))
    if known is not None and known.stale:
        app.run.warn(
            f"fixed in the baseline: {count_text(len(known.stale), 'finding')}; write it again"
        )
