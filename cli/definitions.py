"""`mqtriage plan`, `apply` and `drift`: options, help and examples.

The work is in definitions/plan.py and definitions/drift.py.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Consent, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import REQUIRED, arguments, flag, repeated, text
from mqtriage.model.output_forms import JSON, MD, NDJSON, PLAIN, TABLE, YAML
from mqtriage.model.units import count_text
from mqtriage.mq.errors import Refused, UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.definitions.plan import DefinitionPlan
    from mqtriage.definitions.plan_origin import PlanOrigin
    from mqtriage.model.result import Listing
    from mqtriage.mq.mqsc.tree import Script

FILES = arguments(
    help="MQSC files or folders, read in the order given; - is standard input.",
    default=REQUIRED,
    completes="file",
)
_WITH_ORIGIN = (JSON, NDJSON, YAML, MD)
"""Forms in which a plan says who made it, and from what."""
_AT_ONCE = 2
"""Queue managers that are compared side by side: all objects of each are in memory."""
EXACT = flag(
    help="Reset attributes that a DEFINE does not name, and remove records that the files do not"
    " contain."
)


def _scripts(app: AppContext, files: tuple[str, ...]) -> Callable[[Backend], list[Script]]:
    """The files for a queue manager: read now, or its own when it is asked."""
    from mqtriage.definitions.script_files import is_of_each, read_scripts

    def read(queue_manager: str) -> list[Script]:
        scripts = read_scripts(files, app.run.standard_input, queue_manager)
        if scripts and not any(script.commands for script in scripts):
            names = ", ".join(files[:5])
            raise UsageError(f"no MQSC in {names}", hint="specify a file of definitions")
        return scripts

    if is_of_each(files):
        return lambda backend: read(backend.queue_manager)
    scripts = read("")
    return lambda _: scripts


@takes(Connections, Output)
def plan(
    app: AppContext,
    files: tuple[str, ...] = FILES,
    exact: bool = EXACT,
    back: bool = flag(help="With -o mqsc, write the commands that reverse the plan."),
    detailed_exitcode: bool = flag(help="Exit 4 if anything would change."),
    out: str | None = text(
        help="Write the plan to a new file, which apply can run.", completes="file", reads="place"
    ),
    sign: str | None = text(
        metavar="KEY",
        help="Sign that file with this SSH private key, or with the OpenPGP key with this ID.",
    ),
) -> None:
    """Show what would change, and how to reverse it.

    The files describe the queues, queue manager, topics, subscriptions, channels, listeners,
    namelists, processes, services, authentication information, communication information, storage
    classes and CF structures that you want. Attributes that the files do not name stay the same,
    with or without REPLACE; see --exact. A DELETE means that the object must not exist. Objects
    that the files do not mention stay unchanged. For SET AUTHREC and SET CHLAUTH, plan compares the
    resulting record. It skips and reports passwords, client-connection channels and other commands.

    A folder can contain a folder for each queue manager, named after it. plan then compares each
    queue manager with the scripts in its own folder. For several queue managers, it prints one line
    for each change.

    For a saved plan, plan shows what apply -n shows.

    Changes are listed in the order in which they must run, each with its MQSC. plan first rehearses
    them on an emulated copy of the definitions, forwards and backwards. If the queue manager would
    reject a change, plan reports it and exits 8.

    Examples:
        mqtriage plan definitions.mqsc
        mqtriage plan base.mqsc prod.mqsc --detailed-exitcode -o json
        mqtriage plan definitions.mqsc --back -o mqsc > back.mqsc
        mqtriage plan definitions.mqsc --out monday.plan
        mqtriage plan definitions.mqsc -o md > merge-request.md
        mqtriage plan desired -m 'QM*'
        mqtriage plan monday.plan
        mqtriage plan definitions.mqsc --out monday.plan --sign ~/.ssh/id_ed25519
    """
    from mqtriage.cli.frame.act_flow import Shown
    from mqtriage.cli.frame.recording import user_name
    from mqtriage.definitions.drift import differences_in, only_with_exact
    from mqtriage.definitions.plan import plan_definitions, plan_document
    from mqtriage.definitions.plan_origin import origin_of
    from mqtriage.definitions.saved_plan import plan_kind

    if sign is not None and out is None:
        raise UsageError("--sign needs --out, which names the file to sign")
    if kind := next(filter(None, map(plan_kind, files)), ""):
        if len(files) > 1 or exact or back or detailed_exitcode or out is not None:
            raise UsageError("plan: give a saved plan on its own, without other options")
        if len(app.target.connections) > 1:
            raise UsageError("plan: a saved plan is for one queue manager")
        _apply_plan_file(app, Path(files[0]), kind, Shown(dry_run=True))
        return
    scripts_for = _scripts(app, files)
    shown = app.output.form in _WITH_ORIGIN
    if len(app.target.connections) > 1:
        if out is not None or back:
            option = "--back" if out is None else "--out"
            raise UsageError(f"plan: {option} is for one queue manager at a time")
        _plan_each(app, scripts_for, exact=exact, detailed_exitcode=detailed_exitcode)
        return
    with app.target.open_backend(read_only=True) as backend:
        scripts = scripts_for(backend)
        origin = origin_of(scripts, user_name()) if shown or out is not None else None
        planned = plan_definitions(backend, scripts, exact=exact)
        app.output.emit(plan_document(planned, back=back, origin=origin if shown else None))
        if not exact:
            differences = differences_in(planned.changes, planned.live)
            _tell_exact(app, only_with_exact(planned.live, scripts, differences))
        if refusals := planned.difference.refusals:
            text, hint, _ = refusals[0]
            more = f" (and {len(refusals) - 1} more)" if len(refusals) > 1 else ""
            raise Refused(f"{text}{more}", hint=hint or None, object_name=planned.live.name)
        if out is not None and origin is not None:
            _save(app, backend, planned, origin, out, sign)
        app.run.note_findings(detailed_exitcode and planned.changes)


def _plan_each(
    app: AppContext,
    scripts_for: Callable[[Backend], list[Script]],
    *,
    exact: bool,
    detailed_exitcode: bool,
) -> None:
    """The changes of each queue manager, as rows."""
    from mqtriage.definitions.plan import plan_definitions, plan_listing

    def read(backend: Backend) -> Listing:
        _give_back()
        return plan_listing(plan_definitions(backend, scripts_for(backend), exact=exact))

    with app.reading(read, at_once=_AT_ONCE) as listing:
        _emit_rows(app, listing)
        counts = listing.summary
        changes = sum(counts[verb] for verb in ("define", "alter", "delete"))
        if not changes and not counts["refused"]:
            app.run.say("nothing to change")
        if counts["refused"]:
            raise Refused(f"{count_text(counts['refused'], 'change')} would be refused")
        app.run.note_findings(detailed_exitcode and changes)


def _give_back() -> None:
    """Free what the comparisons before this one held.

    The objects of a queue manager refer to each other, so they stay until the collector of cycles
    comes: late, with tens of MB of each queue manager.
    """
    gc.collect()


def _emit_rows(app: AppContext, listing: Listing) -> None:
    """Write a listing; of an empty one no headings above nothing."""
    listing.items = list(listing.items)
    if listing.items or app.output.form not in (TABLE, PLAIN):
        app.output.emit(listing)
        return
    app.run.note_empty(0)
    for warning in listing.warnings:
        if warning not in app.run.failures:  # those were reported as errors
            app.run.warn(warning)


def _save(
    app: AppContext,
    backend: Backend,
    planned: DefinitionPlan,
    origin: PlanOrigin,
    file: str,
    sign: str | None,
) -> None:
    from mqtriage.cli.frame.act_flow import tell_written
    from mqtriage.definitions import saved_plan
    from mqtriage.definitions.plan import consent_plan
    from mqtriage.mq.times import rfc3339

    if not planned.changes:
        app.run.say("nothing to change, so no plan was written")
        return
    saved_plan.save_plan(Path(file), backend, planned, rfc3339(time.time_ns() // 1000), origin)
    if sign is not None:
        from mqtriage.files.signatures import sign as sign_file

        app.run.say(f"signed: {sign_file(Path(file), sign)}")
    tell_written(app, consent_plan(planned, "apply"), file, signed=sign is not None)


@takes(Consent, ConnectionOptions, Output)
def apply(
    app: AppContext,
    safety: Consent,
    files: tuple[str, ...] = FILES,
    exact: bool = EXACT,
    signed_by: str | None = text(
        metavar="FILE",
        help="Require a plan file signed by one of these: SSH allowed signers, or OpenPGP keys.",
        completes="file",
    ),
) -> None:
    """Apply the definitions in files, or a saved plan.

    Runs what `mqtriage plan` shows, after the same rehearsal, and reads everything back. It stops
    at the first command that fails. The report lists the commands that ran and the commands that
    reverse them; journal undo runs the latter. If you run apply again, it reports "unchanged".
    Before it deletes an object, you must type the object's name, or give it with --confirm. For
    several objects, give the name of the queue manager instead. The journal records each command as
    soon as it is done, and journal resume continues an interrupted apply.

    apply carries out a plan file exactly. If nothing chooses a queue manager, it uses the emulated
    one that the plan names. plan --out writes one for definitions, and --plan writes one for an
    operation on messages. A plan for definitions records who created it, on which host, from which
    files and git commit. apply rejects a plan with exit 8 if it was edited, or if its objects or
    messages have changed since, and names the changes. It does not touch messages that arrived
    later. The seal of a plan detects accidental changes, but not forgery. With --signed-by, or
    signed_by in the context, apply requires a signature by one of the listed signers, in FILE.sig
    or FILE.asc. With four_eyes in the context, apply accepts only a plan file, and the user who
    created it cannot apply it. journal show names both users and the signer.

    Examples:
        mqtriage apply definitions.mqsc -n
        mqtriage apply definitions.mqsc --yes
        mqtriage apply definitions.mqsc --confirm QM1
        mqtriage apply monday.plan --yes
        mqtriage apply monday.plan --signed-by allowed_signers --yes
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.frame.definition_flow import apply_plan
    from mqtriage.definitions import saved_plan
    from mqtriage.definitions.plan import plan_definitions

    kinds = [saved_plan.plan_kind(file) for file in files]
    if any(kinds):
        if len(files) > 1 or exact:
            raise UsageError("apply: give a plan file on its own, without --exact")
        _apply_plan_file(app, Path(files[0]), kinds[0], safety, _signers(app, signed_by))
        return
    if signed_by is not None:
        raise UsageError("--signed-by needs a plan file, written by plan --out or --plan")
    scripts_for = _scripts(app, files)
    with app.target.open_backend() as backend:
        planned = plan_definitions(readonly(backend), scripts_for(backend), exact=exact)
        apply_plan(app, backend, planned, safety)


def _signers(app: AppContext, given: str | None) -> Path | None:
    """Who may have signed a plan file; the context goes before the command line."""
    asked = app.target.settings.text("signed_by")
    if asked is not None and given is not None and Path(asked).resolve() != Path(given).resolve():
        where = app.target.settings.guarded_by("signed_by")
        raise UsageError(f"--signed-by {given}: {where} says {asked}")
    name = asked or given
    return None if name is None else Path(name)


def _apply_plan_file(
    app: AppContext, path: Path, kind: str, safety: Consent, signers: Path | None = None
) -> None:
    """Carry out a plan file of that schema, where *signers* are given as one of them signed it."""
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.frame.definition_flow import apply_plan
    from mqtriage.cli.frame.message_flow import apply_messages
    from mqtriage.definitions import saved_plan
    from mqtriage.operations.recovery.resume import refuse_elsewhere

    content, signer = None, ""
    if signers is not None:
        from mqtriage.files.signatures import signed_plan

        content, signer = signed_plan(path, signers)
        app.run.say(f"plan {path} is signed by {signer}")
    settings = app.target.settings
    if settings.text("qmgr") is None and settings.text("backend") in (None, "emulator"):
        app.target.connection = replace(
            app.target.connection, qmgr=saved_plan.plan_queue_manager(path, content)
        )
    with app.target.open_backend() as backend:
        if kind.partition("/")[0] == saved_plan.SCHEMA.partition("/")[0]:
            saved = saved_plan.read_saved_plan(path, content)
            refuse_elsewhere(backend, saved, f"plan {path}")
            origin_text, maker = "", ""
            signed = f", signed by {signer}" if signer else ""
            if saved.origin is not None:
                origin_text, maker = f"{saved.origin.line}{signed}", saved.origin.user
                app.run.say(f"plan of {saved.at} by {saved.origin.line}")
            planned = saved_plan.plan_saved(readonly(backend), saved)
            apply_plan(
                app,
                backend,
                planned,
                safety,
                origin_text=origin_text,
                maker=maker,
                file=str(path),
            )
        else:
            apply_messages(app, backend, path, safety, content=content, signer=signer)


@takes(Connections, Output)
def drift(
    app: AppContext,
    files: tuple[str, ...] = arguments(
        help="MQSC files or folders, read in the order given; - is standard input.",
        completes="file",
    ),
    against: str | None = text(
        help="Queue manager whose definitions are expected, instead of files.", completes="qmgr"
    ),
    only: tuple[str, ...] = repeated(
        metavar="PATTERN",
        help="Objects to compare with --against or --complete.",
        completes="queue",
    ),
    ignore: tuple[str, ...] = repeated(metavar="ATTRIBUTE", help="Ignore this attribute."),
    system: bool = flag(help="Compare the SYSTEM objects too."),
    exact: bool = flag(
        help="Compare attributes that a DEFINE does not name, and authorities that no file grants."
    ),
    complete: bool = flag(help="Report objects and records that no file names as differences."),
) -> None:
    """Show differences from the expected definitions.

    Compares the queue manager with MQSC files, or with another queue manager. A folder can contain
    a folder for each queue manager, named after it. Prints one line per difference, with the
    expected value, its file and line (or queue manager), and the actual value. With --against, that
    queue manager's value is the expected one, and -m's is the actual one. Exits 4 if there is a
    difference. Without one, it exits 3 if a queue manager could not be reached, or scripts in a
    folder were not read, and 0 otherwise. With --exact, authorities that someone granted manually
    are differences too. With --complete, so are objects, authority records and channel
    authentication records that no file names; --only limits these to your own. Without --system, it
    omits objects that queue managers create themselves.

    Examples:
        mqtriage drift definitions.mqsc -m QM1
        mqtriage drift definitions.mqsc -m QM1 --exact --complete --only 'ORDERS.*,PAY.*'
        mqtriage drift desired -m 'QM*'
        mqtriage drift -m 'QM*' --against QM1
        mqtriage drift -m QM2 --against QM1 --only 'ORDERS.*' --ignore MAXDEPTH -o json
    """
    from mqtriage.definitions.drift import Ours, against_files, between
    from mqtriage.definitions.script_files import leaves_out
    from mqtriage.mq.names import is_object_name

    if files and against:
        raise UsageError("drift: files or --against, not both")
    if not (files or against):
        raise UsageError("drift: name files, or a queue manager with --against")
    if files and not complete and (only or system):
        raise UsageError("--only and --system need --against or --complete")
    if against and not is_object_name(against):
        raise UsageError(f"drift: --against takes the name of one queue manager, not {against!r}")
    if against and (exact or complete):
        raise UsageError("--exact and --complete need files")
    ignored = _keywords(ignore)
    patterns = tuple(part.strip() for given in only for part in given.split(","))
    ours = Ours(patterns, system) if complete else None
    scripts_for = _scripts(app, files)
    left_out = False

    def differences_of(backend: Backend) -> Listing:
        nonlocal left_out
        _give_back()
        if against is None:
            scripts = scripts_for(backend)
            left_out = left_out or any(leaves_out(note) for one in scripts for note in one.notes)
            return against_files(backend, scripts, exact=exact, ignore=ignored, ours=ours)
        with _second(app, against) as other:
            return between(backend, other, patterns=patterns, ignore=ignored, system=system)

    with app.reading(differences_of, at_once=_AT_ONCE) as differences:
        _emit_rows(app, differences)
        if against and differences.summary["differences"] and app.output.form == TABLE:
            several = len(app.target.connections) > 1
            actual = "the queue manager under QMGR" if several else app.target.queue_manager
            app.run.say(f"EXPECTED is {against}, ACTUAL is {actual}")
        if not differences.summary["differences"]:
            read = "the files that were read" if left_out else "the files"
            app.run.say(f"no differences from {against or read}")
            if app.output.form in (TABLE, PLAIN):
                app.run.say_missing()
        _tell_exact(app, differences.summary.get("only_with_exact", 0))
        app.run.note_partly(left_out)
        app.run.note_findings(differences.summary["differences"])


def _tell_exact(app: AppContext, more: int) -> None:
    """Say that what no file names differs too."""
    if more:
        app.run.say(
            f"{count_text(more, 'more difference')} in attributes or records that no file "
            f"names: --exact shows them"
        )


def _keywords(words: tuple[str, ...]) -> tuple[str, ...]:
    """The attributes of --ignore, commas allowed."""
    from mqtriage.definitions.desired import COMPARED
    from mqtriage.mq.attributes.catalogue import attribute

    keywords = []
    for word in (part for given in words for part in given.split(",")):
        entries = [e for kind in COMPARED if (e := attribute(kind, word.strip())) is not None]
        if not entries:
            raise UsageError(f"--ignore {word.strip()[:40]}: not an attribute that drift compares")
        keywords.append(entries[0].keyword)
    return tuple(keywords)


@contextmanager
def _second(app: AppContext, name: str) -> Iterator[Backend]:
    """A read-only connection to another queue manager, by the same kind of backend."""
    from mqtriage.backends.registry import ConnectionSettings, open_backend

    settings = ConnectionSettings(
        backend=app.target.settings.text("backend"),
        queue_manager=name,
        home=app.run.environ.get("MQTRIAGE_HOME") or None,
        read_only=True,
    )
    backend = open_backend(settings, notice=app.run.say)
    try:
        yield backend
    finally:
        backend.disconnect()
