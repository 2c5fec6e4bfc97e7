"""`mqtriage lint`: options, help and examples; the work is in definitions/lint."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.definitions.lint.lint_options import LintOptions
from mqtriage.model.options import argument, flag, text
from mqtriage.model.output_forms import MD, PLAIN, TABLE
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text, first_of
from mqtriage.mq.errors import NotFound, UsageError

if TYPE_CHECKING:
    from mqtriage.definitions.estate import Estate
    from mqtriage.definitions.estates import ScriptSet
    from mqtriage.definitions.lint.baseline import Baseline, Checked
    from mqtriage.definitions.lint.config import LintConfig
    from mqtriage.definitions.lint.run import LintRun
    from mqtriage.definitions.rules.finding import Finding
    from mqtriage.model.result import Record

_REPORT_FORMS: Final = ("sarif", "junit", "github", "gitlab")
_CHECKOUTS: Final = {
    "sarif": "GITHUB_WORKSPACE",
    "github": "GITHUB_WORKSPACE",
    "gitlab": "CI_PROJECT_DIR",
}
"""Reports that are shown beside the lines of a repository, and what names its folder in CI."""
_MOST_NAMED: Final = 5


@takes(Connections, Output)
def check(
    app: AppContext,
    *,
    report: str | None = text(
        "--format",
        metavar="FORMAT",
        help="sarif, junit, github, gitlab or any -o format; statistics counts findings by "
        "rule; settings shows each and its source.",
    ),
    out: str | None = text(
        help="Write to this file instead of standard output.", completes="file", reads="place"
    ),
    baseline: str | None = text(help="File of known findings.", completes="file"),
    options: LintOptions,
) -> None:
    """Check definitions: MQSC files, or a live queue manager.

    `mqtriage lint FILES` does the same. It treats each file, or each folder of scripts, as a
    separate queue manager. Without FILES, it checks the queue manager given with -m, without
    browsing or changing anything. It does not guess attributes that a script does not set. In YAML,
    shell scripts, Dockerfiles and Markdown, it reads only the MQSC. If a folder contains several
    folders, or -m names several queue managers, it also compares them with each other, for example
    sender with receiver channels.

    To ignore a finding in a command, put the comment `* mqtriage: ignore BKO001 the reason` before
    it. Settings and the expected load are in mqtriage.toml, or in [tool.mqtriage.lint] of
    pyproject.toml. A [[rule]] in these files, or in .mqtriage.toml, adds your own rule.

    If FILES is a settings file (.toml), it tests your own rules on the MQSC examples in it. A rule
    must report each example under `bad`, and none of those under `good`. If the rule has a fix, the
    fix must correct each `bad` example. The tests ignore `environment`, and use the rule's
    `platform`. A rule without `good` or `bad` fails.

    Exits 4 if there is a finding at or above --fail-on, or if a test fails. A queue with neither
    BOTHRESH nor BOQNAME is only info (BKO014); with --fail-on info, it fails too. BKO012 reports a
    BOTHRESH that is too high, BKO003 a mistyped BOQNAME, and BKO007 one that leads back to the
    queue.

    Examples:
        mqtriage lint qm1.mqsc
        mqtriage lint qm1.mqsc --format sarif --out lint.sarif
        mqtriage lint definitions/ --env prod --select BKO,DLQ
        mqtriage lint defs/ --select BKO,REF013,QUE010,LNT001 --ignore BKO009,BKO021 --fail-on info
        mqtriage lint -m QM1,QM2
        mqtriage lint bank.toml --format junit > rules.xml
        mqtriage lint -m QM1 --select BKO --queue 'ORDERS.*' --as app1
    """
    show_settings, statistics = report == "settings", report == "statistics"
    if report is not None and not (show_settings or statistics):
        app.output.use_form(report, _REPORT_FORMS)
    if any(name.endswith(".toml") for name in options.files):
        with app.output.writing_to(out):
            _test_rules(app, options.files, report)
        return
    settings = settings_of(options, ("baseline", baseline or None, "--baseline"))
    with app.output.writing_to(out):
        if show_settings:
            from mqtriage.definitions.lint.config import settings_listing

            app.output.emit(settings_listing(settings))
            return
        file = Path(baseline) if baseline else _baseline_file(settings)
        known = _known(app, options, file)
        run = _findings(app, options, settings, known)
        if statistics:
            from mqtriage.definitions.lint.run import statistics_of, summary_line

            app.output.emit(statistics_of(run))
            app.run.say(summary_line(run))
        else:
            write_findings(app, run, report, settings)
            _say_fixed(app, run, known, settings, options, file)
            is_left = settings.fail_on == "error" and not run.worst_is("error")
            if is_left and run.worst_is("warning") and options.files:
                whole = "" if options.whole else "; --whole reports undefined objects as errors"
                app.run.say(f"exit 0: --fail-on warning fails for warnings, too{whole}")
        app.run.note_findings(run.worst_is(settings.fail_on))


@takes(ConnectionOptions, Output)
def fix(
    app: AppContext,
    *,
    write: bool = flag(help="Edit the scripts instead."),
    diff: bool = flag(help="Print what --write would change."),
    out: str | None = text(
        help="Write to this file instead of standard output.", completes="file", reads="place"
    ),
    baseline: str | None = text(help="File of known findings.", completes="file"),
    options: LintOptions,
) -> None:
    """Print MQSC that fixes findings, or edit the scripts.

    It does not run any commands. It fixes errors and warnings, but info findings only if --select
    names them. Findings in the baseline stay as they are. Exits 4 if --diff prints anything, or if
    --write leaves a finding at or above --fail-on.

    Examples:
        mqtriage lint fix qm1.mqsc
        mqtriage lint fix qm1.mqsc --diff
        mqtriage lint fix qm1.mqsc --write
        mqtriage lint fix -m QM1 --select BKO
    """
    if (write or diff) and not options.files:
        raise UsageError(f"{'--write' if write else '--diff'} needs FILES")
    if write and diff:
        raise UsageError("--write and --diff cannot be combined")
    if options.queues and options.files:
        raise UsageError("--queue: a fix for FILES covers everything in them")
    settings = settings_of(options, ("baseline", baseline or None, "--baseline"))
    infos = bool(options.select)
    known = _known(app, options, Path(baseline) if baseline else _baseline_file(settings))
    with app.output.writing_to(out):
        if options.files:
            sets = _script_sets(app, options, settings)
            _fix_scripts(app, sets, settings, known, write=write, diff=diff, infos=infos)
            return
        from mqtriage.definitions.lint.fixes import once_mqsc

        run = _findings(app, options, settings, known)
        _say_left(app, run.baselined)
        findings = list(run.findings())
        fixes = once_mqsc(findings, infos=infos)
        app.output.stdout.write(fixes)
        if findings and not fixes:
            codes = ", ".join(sorted({finding.code for finding in findings}))
            number = count_text(len(findings), "finding")
            app.run.say(f"no fix is known for {number}: {codes}; mqtriage lint explain CODE")


@takes(Output)
def explain(
    app: AppContext,
    code: str | None = argument(
        help="Rule code. Default: list all rules.", default=None, completes="rule"
    ),
    *,
    config: str | None = text(
        help="Use this settings file instead of the nearest one.", completes="file"
    ),
) -> None:
    """Print the page for a rule, or list the rules.

    The output includes your own rules, and uses the severities in the nearest settings file.

    Examples:
        mqtriage lint explain BKO001
        mqtriage lint explain BNK001 --config bank.toml
        mqtriage lint explain
    """
    from mqtriage.definitions.lint.pages import folded_page, page_of, titles
    from mqtriage.model.result import Document, Field, Listing

    settings = _config_of(config, Path.cwd())
    rules = [
        {
            "code": code,
            "severity": (settings.severity_of(code) or severity),
            "default_severity": severity,
            "title": title,
        }
        for code, (severity, title) in titles(settings.rules).items()
    ]
    if code is not None:
        heading, _, page = page_of(code, settings.rules).partition("\n")
        rule = next(rule for rule in rules if rule["code"] == code.strip().upper())
        severity = rule["severity"]
        if severity != rule["default_severity"]:
            severity += f" (default: {rule['default_severity']})"
        page = f"{heading}\n\nSeverity: {severity}\n{page}"
        if app.output.form in (TABLE, PLAIN, MD):
            app.output.page(
                folded_page(page, app.output.width) if app.output.form == TABLE else page
            )
            return
        app.output.emit(Document("LintRule", {**rule, "page": page}))
        return
    fields = (
        Field("code", "CODE"),
        Field("severity", "SEVERITY"),
        Field("default_severity", "DEFAULT", wide=True),
        Field("title", "TITLE"),
    )
    app.output.emit(Listing("RuleList", fields, rules, id_key="code"))


@takes(Connections, Output)
def baseline(
    app: AppContext,
    *,
    out: str | None = text(
        help="File to write. Default: the baseline file in the settings.",
        completes="file",
        reads="place",
    ),
    options: LintOptions,
) -> None:
    """Record current findings, so that only new ones count.

    To ignore these findings in later runs, set `baseline = "known.json"` in the settings, or use
    `lint --baseline known.json`. A baseline that contains findings from other files or queue
    managers is not replaced. With --select, --ignore or --queue, it keeps the findings that these
    leave out.

    Examples:
        mqtriage lint baseline definitions/ --out known.json
    """
    from mqtriage.definitions.lint.baseline import Key, write_baseline
    from mqtriage.definitions.lint.run import rule_filter
    from mqtriage.model.result import Document

    settings = settings_of(options)
    file = Path(out) if out is not None else _baseline_file(settings)
    if file is None:
        raise UsageError("--out is required: no settings name a baseline", hint="--out known.json")
    run = _findings(app, options, settings, None)
    known = _check_replaces(app, file, run, options)
    findings = list(run.named_findings())
    kept: dict[Key, int] = {}
    new: list[tuple[str, Finding]] = []
    gone = 0
    if known is not None:
        new = [(name, finding) for name, finding in findings if [*known.new([finding], name)]]
        kept = known.not_run(rule_filter(settings), some_queues=bool(options.queues))
        gone = known.unused - sum(kept.values())
    write_baseline(file, findings, kept=kept)
    _say_updated(app, new, gone)
    count = sum(kept.values())
    facts = {"file": str(file), "findings": len(findings) + count, "kept_findings": count}
    app.output.emit(Document("LintBaseline", facts))


def _test_rules(app: AppContext, files: tuple[str, ...], report: str | None) -> None:
    """Test the rules in a settings file on the MQSC beside each."""
    from mqtriage.definitions.lint.own_rule_tests import run_tests
    from mqtriage.model.settings_tables import SETTINGS_FILES

    if len(files) > 1:
        raise UsageError(
            f"{' '.join(files)}: the rules in a TOML file are tested without other files",
            hint="--config FILE checks other files with these rules",
        )
    if report is not None:
        app.output.use_form(report, ("junit",))
    (file,) = files
    settings = _config_of(file, Path.cwd())
    if not settings.rules:
        raise UsageError(
            f"no [[rule]] in {file}",
            hint="write [[rule]] with id, message, objects and condition, or name its file",
        )
    listing = run_tests(settings.rules)
    if Path(file).name in SETTINGS_FILES:
        _warn_of_environments(app, settings)
    if report == "junit":
        from mqtriage.formatters.reports.junit import junit_tests

        cases = (
            {**item, "test": item["rule"], "msg_id": item["example"]} for item in listing.items
        )
        app.output.stdout.writelines(junit_tests(f"mqtriage lint {file}", cases))
    else:
        app.output.emit(listing)
    counts = listing.summary
    app.run.say(f"{counts['passed']} passed, {counts['failed']} failed")
    app.run.note_findings(bool(counts["failed"]))


def _config_of(file: str | None, folder: Path) -> LintConfig:
    """The settings in a file, or the ones nearest to *folder*."""
    from mqtriage.definitions.lint import config

    if file is None:
        return config.find_config(folder)
    return config.read_config(Path(file)) or config.LintConfig()


def _warn_of_environments(app: AppContext, settings: LintConfig) -> None:
    """Name the environments that no folder of the project has: they may be misspelt."""
    from mqtriage.definitions.lint.project_paths import folders_below

    project = Path(settings.rules_file).parent
    names = _environments_of(settings)
    for name in sorted(names - folders_below(project, names)):
        codes = [rule.code for rule in settings.rules if name in rule.objects.environments]
        app.run.warn(
            f"{', '.join(codes)}: no folder is called {name!r} in {project}; without --env {name},"
            " nothing is checked"
        )


def _script_sets(app: AppContext, options: LintOptions, settings: LintConfig) -> list[ScriptSet]:
    from mqtriage.definitions.estates import script_sets
    from mqtriage.definitions.lint.run import rule_filter
    from mqtriage.definitions.script_files import unread

    sets = script_sets(
        options.files,
        app.run.standard_input,
        environments=options.environments,
        together=options.together,
        stdin_name=options.stdin_filename,
        decodes_secrets=options.decode_secrets,
        without_folder=_environments_of(settings),
    )
    if not rule_filter(settings)("MQSC003"):  # else the findings report what was not read
        scripts = (script for one in sets for script in one.scripts)
        for passage in unread(scripts, notes_only="MQSC003" not in settings.ignore):
            app.run.warn(passage)
    return sets


def _environments_of(settings: LintConfig) -> set[str]:
    """The environments that rules are for."""
    return {name for rule in settings.rules for name in rule.objects.environments}


def _findings(
    app: AppContext, options: LintOptions, settings: LintConfig, known: Baseline | None
) -> LintRun:
    """What the rules find in the files that are named, or in the live queue manager."""
    from mqtriage.definitions.lint.about_queues import about_queues
    from mqtriage.definitions.lint.project_paths import has_name

    if options.files:
        from mqtriage.definitions.lint.run import lint_all

        if named := ", ".join(_named_managers(app)):
            app.run.say(
                f"{named} is not queried: lint checks only the files. mqtriage plan FILE -m {named}"
                " compares them; --whole treats them as its complete definitions"
            )
        run = lint_all(_script_sets(app, options, settings), settings, known)
    else:
        from mqtriage.definitions.lint.run import lint_live

        for name in options.environments:
            if not has_name(name, _environments_of(settings)):
                raise UsageError(
                    f"--env {name}: none of your rules is for this environment",
                    hint="without FILES, --env chooses rules with objects = { environment = ... }",
                )
        run = lint_live(_live_estates(app, settings), settings, known)
    _say_unselected(app, settings)
    if options.user is not None and any(one.estate.authorities is None for one in run.results):
        app.run.warn("no authority records found: --as cannot report anything")
    _warn_of_unchecked(app, run, settings)
    return about_queues(run, options.queues) if options.queues else run


def _say_unselected(app: AppContext, settings: LintConfig) -> None:
    """Name the project's own rules that a selection leaves out, but not those it ignores."""
    from mqtriage.definitions.lint.run import rule_filter

    runs = rule_filter(replace(settings, ignore=()))
    left_out = [rule.code for rule in settings.rules if not runs(rule.code)]
    if left_out:
        names = ", ".join(first_of(left_out, _MOST_NAMED))
        app.run.say(f"not selected: {names} of {os.path.relpath(settings.rules_file)}")


def _warn_of_unchecked(app: AppContext, run: LintRun, settings: LintConfig) -> None:
    """Name rules that were not run, since nobody knows which environment a script is for."""
    from mqtriage.definitions.lint.environments import unknown
    from mqtriage.definitions.lint.project_paths import ProjectPaths

    if settings.environments:
        return
    paths = ProjectPaths(settings.rules_file, settings.working)
    codes: set[str] = set()
    places: dict[str, bool] = {}
    names: set[str] = set()
    for one in run.results:
        for file, rule in unknown(one.not_run, settings.rules, paths):
            codes.add(rule.code)
            names.update(rule.objects.environments)
            places[file or one.estate.queue_manager] = paths.of(file) is not None
    if places:
        first, *others = sorted(places)
        more = f" and {len(others)} more" if others else ""
        name = " or ".join(sorted(names))
        move = f", or a folder called {name}" if any(places.values()) else ""
        app.run.warn(
            f"{', '.join(sorted(codes))} not checked on {first}{more}: the environment is unknown;"
            f" use --env {name}{move}"
        )


def _live_estates(app: AppContext, settings: LintConfig) -> list[Estate]:
    """The definitions of each queue manager of -m."""
    from mqtriage.definitions.estates import live_estate, with_named_objects

    def estate_at(one: AppContext) -> Estate:
        with one.target.open_backend(read_only=True) as backend:
            return with_named_objects(backend, live_estate(backend, settings.load))

    if len(app.target.connections) < 2:
        return [estate_at(app)]
    from mqtriage.cli.frame.several import answers_of_each

    return list(answers_of_each(app, estate_at))


def settings_of(options: LintOptions, *more: tuple[str, Any, str]) -> LintConfig:
    """The configuration file, with what the command line says instead.

    Without --config it is the nearest at or above the working folder, or that of --stdin-filename.

    Args:
        more: setting, value or None, and option.
    """
    from mqtriage.definitions.lint import config

    name = options.stdin_filename
    if name is not None and "-" not in options.files:
        raise UsageError("--stdin-filename requires -, which is standard input")
    folder = Path(name).resolve().parent if name else Path.cwd()
    settings = _config_of(options.config, folder)
    ignored = [*settings.ignore, *_words(options.ignore)]
    for word, value, option in (
        ("select", _words(options.select) or None, "--select"),
        ("ignore", ignored if options.ignore else None, "--ignore"),
        ("fail-on", options.fail_on, "--fail-on"),
        ("platform", options.platform, "--platform"),
        ("whole", options.whole or None, "--whole"),
        ("load.analysis", options.from_analysis, "--from-analysis"),
        *more,
    ):
        if value is not None:
            settings = config.with_option(settings, word, value, option)
    settings = replace(settings, environments=options.environments)
    if options.user is not None:
        from mqtriage.definitions.lint.about_queues import read_by

        settings = read_by(settings, options.user)
    return settings


def _words(values: tuple[str, ...]) -> list[str]:
    return [word.strip() for value in values for word in value.split(",") if word.strip()]


def _known(app: AppContext, options: LintOptions, file: Path | None) -> Baseline | None:
    from mqtriage.definitions.lint.baseline import Baseline, read_baseline

    if file is None:
        return None
    return Baseline(read_baseline(file, f"{_command(app, options, file)} writes one"), file.parent)


def _command(app: AppContext, options: LintOptions, file: Path) -> str:
    """The command that writes the baseline of what these options check."""
    words = ["mqtriage", "lint", "baseline", *options.files]
    if not options.files and len(app.target.connections) > 1:
        words += ["-m", ",".join(_named_managers(app))]
    for word, values in (
        ("--select", options.select),
        ("--ignore", options.ignore),
        ("--queue", options.queues),
        ("--env", options.environments),
        ("--as", (options.user,)),
        ("--from-analysis", (options.from_analysis,)),
        ("--stdin-filename", (options.stdin_filename,)),
        ("--platform", (options.platform,)),
        ("--config", (options.config,)),
    ):
        words += [part for value in values if value for part in (word, value)]
    flags = {
        "--together": options.together,
        "--decode-secrets": options.decode_secrets,
        "--whole": options.whole,
    }
    words += [word for word, is_on in flags.items() if is_on]
    return " ".join(map(shell_word, [*words, "--out", str(file)]))


def _named_managers(app: AppContext) -> list[str]:
    return [name for one in app.target.connections if (name := one.qmgr)]


def _check_replaces(
    app: AppContext, file: Path, run: LintRun, options: LintOptions
) -> Baseline | None:
    """Refuse to replace a baseline that knows findings of other files or queue managers.

    Returns:
        The one that may be replaced; None if there is none that can be read.
    """
    from mqtriage.definitions.lint.baseline import Baseline, read_baseline

    try:
        known = Baseline(read_baseline(file), file.parent)
    except (NotFound, UsageError):  # a damaged one can be replaced
        return None
    number, files, managers = known.not_checked(_checked(run, options.files))
    if not number:
        return known
    names = [*map(os.path.relpath, files), *managers]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    too = ""
    if files:
        every = [os.path.abspath(name) for name in (*options.files, *files) if name != "-"]
        too = f"name {shell_word(os.path.relpath(os.path.commonpath(every)))} as FILES, or "
    elif not options.files:
        every = sorted({*managers, *_named_managers(app)})
        too = f"name them all with -m {shell_word(','.join(every))}, or "
    raise UsageError(
        f"{file} has {count_text(number, 'finding')} of {names[0]}{more}, which this command does"
        " not check",
        hint=f"{too}write to another file with --out",
    )


def _baseline_file(settings: LintConfig) -> Path | None:
    """The baseline that the configuration names, which stands beside the configuration."""
    return Path(settings.file).parent / settings.baseline if settings.baseline else None


def _fix_scripts(
    app: AppContext,
    sets: list[ScriptSet],
    settings: LintConfig,
    known: Baseline | None,
    *,
    write: bool,
    diff: bool,
    infos: bool,
) -> None:
    from mqtriage.definitions.estates import read_again
    from mqtriage.definitions.lint.fixes import diff_of, fix_mqsc, in_memory, rewrite, save
    from mqtriage.definitions.lint.run import estates_of, lint_all, lint_scripts, summary_line
    from mqtriage.mq.mqsc.lines import is_numbered

    if _environments_of(settings):
        _warn_of_unchecked(app, lint_all(sets, settings), settings)
    if known is not None and not write:
        _say_left(app, lint_all(sets, settings, known).baselined)
    written: set[Path | None] = set()
    for read, estate in zip(sets, estates_of(sets, settings), strict=True):
        # another part of the same file may have been fixed already
        files = (read_again(f) if f.path in written else f for f in read.files)
        one = replace(read, files=tuple(files))
        lint_again = partial(lint_scripts, config=settings, network=estate.network, baseline=known)
        if not (write or diff):
            app.output.stdout.write(fix_mqsc(one, lint_again, infos=infos))
            continue
        for file in one.files:
            if file.path is not None and is_numbered(file.script.text):
                app.run.warn(
                    f"{file.path}: has sequence numbers, so it is not rewritten;"
                    " lint fix without --write prints the MQSC"
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
        run = lint_all(after, settings, known)
        write_findings(app, run, None)
        app.run.detail(summary_line(run))
        app.run.note_findings(run.worst_is(settings.fail_on))


def _say_left(app: AppContext, count: int) -> None:
    """Say how many findings a fix leaves, as the baseline accepts them."""
    if count:
        are = "is" if count == 1 else "are"
        app.run.say(f"{count_text(count, 'finding')} in the baseline {are} not fixed")


def write_findings(
    app: AppContext,
    run: LintRun,
    form: str | None,
    settings: LintConfig | None = None,
) -> None:
    """Write the findings in the form that was asked for, and how many there are to stderr."""
    from mqtriage.definitions.lint.run import listing_of, summary_line

    listing = listing_of(run)
    if form in _REPORT_FORMS:
        from mqtriage.cli.frame.commands_in_results import name_in_result
        from mqtriage.definitions.lint.report import report_listing
        from mqtriage.definitions.rules.finding import Severity
        from mqtriage.formatters.reports.finding_place import with_fingerprints
        from mqtriage.formatters.reports.findings import write_report
        from mqtriage.formatters.reports.sarif import MOST_RESULTS

        fail_on, pages = (settings.fail_on, settings.rule_pages) if settings else ("error", "")
        listing = report_listing(run, with_edits=form == "sarif")
        if form in _CHECKOUTS:
            checkout = app.run.environ.get(_CHECKOUTS[form])
            listing.items = [_in_repository(record, checkout) for record in listing.items]
        listing.items = with_fingerprints(listing.items)  # before commands in them are completed
        name_in_result(listing, app.run.in_commands)
        write_report(
            form,
            listing,
            app.output.stdout,
            fail_on=fail_on,
            rule_pages=pages,
            own=run.rules,
        )
        app.output.stdout.flush()
        left_out = sum(listing.summary[one] for one in Severity) - MOST_RESULTS
        if form == "sarif" and left_out > 0:
            app.run.warn(
                f"{left_out} findings omitted: SARIF allows {MOST_RESULTS}, the most severe first"
            )
    elif any(one.findings for one in run.results) or app.output.form not in (TABLE, PLAIN):
        app.output.emit(listing)
    app.run.say(summary_line(run))


def _in_repository(record: Record, checkout: str | None) -> Record:
    """The record with the paths of its files from the top of the repository."""
    from mqtriage.definitions.lint.project_paths import path_in_repository

    edits = [
        {**edit, "file": path_in_repository(edit["file"], checkout)} for edit in record["edits"]
    ]
    file = record["file"] and path_in_repository(record["file"], checkout)
    return {**record, "file": file, "edits": edits}


def _say_fixed(
    app: AppContext,
    run: LintRun,
    known: Baseline | None,
    settings: LintConfig,
    options: LintOptions,
    file: Path | None,
) -> None:
    """How many findings of the baseline are gone from what was linted."""
    from mqtriage.definitions.lint.run import rule_filter

    if known is None or file is None:
        return
    fixed = known.fixed(_checked(run, options.files), rule_filter(settings))
    if fixed:
        are = "is" if fixed == 1 else "are"
        app.run.warn(
            f"{count_text(fixed, 'finding')} in the baseline {are} fixed; update the baseline:"
            f" {_command(app, options, file)}"
        )


def _say_updated(app: AppContext, new: list[tuple[str, Finding]], gone: int) -> None:
    """What changes in a baseline that is rewritten; nobody has seen what is new in it."""
    if not new and not gone:
        return
    named = [
        " ".join(filter(None, (finding.code, finding.name, _place_of(name, finding))))
        for name, finding in new[:_MOST_NAMED]
    ]
    if len(new) > _MOST_NAMED:
        named.append(f"and {len(new) - _MOST_NAMED} more")
    names = f" ({', '.join(named)})" if named else ""
    say = app.run.warn if new else app.run.say
    say(f"the baseline changes: {len(new)} new{names}, {gone} gone")


def _place_of(queue_manager: str, finding: Finding) -> str:
    place = finding.place
    return f"on {queue_manager}" if queue_manager else f"{place.file}:{place.line}"


def _checked(run: LintRun, names: tuple[str, ...]) -> Checked:
    """What the run checked; the files and folders of the command line are *names*."""
    from mqtriage.definitions.lint.baseline import Checked

    return Checked(
        {script.file for one in run.results if one.scripts for script in one.scripts.scripts},
        [name for name in names if Path(name).is_dir()],
        {one.estate.queue_manager for one in run.results if one.scripts is None},
        {place for one in run.results for place in one.not_run},
    )
