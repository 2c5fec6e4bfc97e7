"""The one flow of every verb that writes: show the plan, the guards, ask, act, report.

What the guards say is one pure function, `decide`; `act` only carries it out. The order: refusals
of the plan, dry run, `--expect`, nothing to do, consent. Nothing is written before all agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from mqtriage.cli.frame.commands_in_results import name_in_plan
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import outcome_of_plan
from mqtriage.cli.frame.options import Consent, Guards
from mqtriage.cli.frame.recording import Recording, journal_of
from mqtriage.cli.frame.same_command import moved_instead, same_command
from mqtriage.commands.context.settings import because_protected
from mqtriage.definitions.change import change_records
from mqtriage.formatters.plan import (
    headline,
    message_record,
    not_done_text,
    pace_text,
    plan_document,
    plan_text,
)
from mqtriage.model.output_forms import CSV, FOR_SCRIPTS, IDS, MQSC, PLAIN, TABLE
from mqtriage.model.plan import EXPIRY_NOTE, LOST, Plan
from mqtriage.model.result import DEFINITION_ACTIONS, Field, Listing, Outcome, Report, Result, Show
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import MQIError, Refused, UsageError
from mqtriage.records import NamedTuple


class Proceed(NamedTuple):
    """Go on without a question."""


class Ask(NamedTuple):
    """Ask; *answer* is what must be typed, "" for y/N."""

    question: str
    answer: str = ""


class Refuse(NamedTuple):
    """Do not continue (exit 8).

    Attributes:
        words: with these added, the same command line would continue.
        first: with these added, it shows or saves what is to be agreed to; ``{}`` in the hint is
            replaced by that command.
    """

    text: str
    hint: str
    words: tuple[str, ...] = ()
    first: tuple[str, ...] = ()


class DryRun(NamedTuple):
    """Print the plan and leave."""


class Nothing(NamedTuple):
    """There is nothing to do."""


class Shown(Consent):
    """The consent of ``plan FILE``, which only shows the plan in the file."""


Decision: TypeAlias = Proceed | Ask | Refuse | DryRun | Nothing


def decide(
    plan: Plan,
    safety: Consent,
    *,
    is_tty: bool,
    queue_manager: str = "",
    protected: str = "",
    reviewed: bool = False,
    most: int | None = None,
    most_by: str = "",
    where_set: str = "",
) -> Decision:
    """Choose how an act goes on, from its plan and the guards that were given.

    It takes y on a terminal and `--yes` in a script, or where the plan has a name to confirm that
    name, typed or with `--confirm`: the safety ladder of mqtriage(1).

    Args:
        is_tty: a question can be asked and answered.
        queue_manager: the one that was reached, as it says its own name.
        protected: what protects it: ``context prod``; "" for nothing.
        reviewed: the plan was read from a file.
        most: messages that one command may touch (max_messages).
        most_by: who sets that: ``context prod``.
        where_set: the command that shows it.
    """
    if plan.refusals:
        text = "; ".join(refusal.text for refusal in plan.refusals)
        first, hint = _part_of(plan)
        if reviewed:  # `apply` has none of these options
            hint = re.sub(r"\badd (?=--)", "write a new plan with ", hint)
        if safety.expect is None:
            first = tuple(word for word in first if not word.startswith("--expect "))
        if protected and plan.count:  # else it looks unprotected
            guard = _decide_protected(plan, safety, queue_manager, protected, reviewed=reviewed)
            text += f"; and {guard.text}" if isinstance(guard, Refuse) else ""
        return Refuse(text, hint, first=first)
    if safety.dry_run:
        return DryRun()
    if text := _unexpected(plan, safety):
        if plan.why_nothing:
            return Refuse(f"{text}: {plan.why_nothing}", "")
        return Refuse(text, "{} shows the plan; then correct --expect", first=("-n",))
    if plan.count == 0:
        return Nothing()
    if plan.repeated and safety.expect is None:
        text = f"{plan.action} of {count_text(plan.count)} needs --expect: {plan.repeated}"
        if plan.pattern:
            return Refuse(text, f"give {plan.queue} in place of {plan.pattern}")
        all_of_them = f"--expect {plan.count} takes them all"
        return Refuse(text, f"{all_of_them}; --where with another field selects one of them")
    if most is not None and plan.count > most and plan.action not in DEFINITION_ACTIONS:
        affected = f"{plan.count}{not_done_text(plan)}"
        text = f"{affected} would be affected, and {most_by} allows {most} (max_messages)"
        if reviewed:
            return Refuse(text, f"write a new plan with --limit {most}")
        if plan.is_released:
            return Refuse(text, f"{where_set} prints where max_messages is set")
        word = f"{'--count' if plan.action == 'put' else '--limit'} {most}"
        return Refuse(text, "{}, and again for the rest", first=(word,))
    lost: dict[str, int] = plan.facts.get(LOST, {})
    if most is not None and (sum(lost.values()) > most or 0 in lost.values()):
        text = f"{_lost_text(lost)} would be lost, and {most_by} allows {most} (max_messages)"
        command = f"mqtriage msg purge {shell_word(next(iter(lost)))} --limit {most}"
        return Refuse(text, f"{command}, and again for the rest")
    if protected:
        return _decide_protected(plan, safety, queue_manager, protected, reviewed=reviewed)
    at = f" at {queue_manager}" if queue_manager else ""
    name = plan.pattern or plan.confirm or plan.queue
    if safety.confirm is not None:
        if safety.confirm == name or (safety.confirm == queue_manager and not plan.confirm):
            return Proceed()
        text = f"--confirm {safety.confirm}, but the name to confirm is {name}"
        word = f"--confirm {shell_word(name)}"
        return Refuse(text, f"{word} is required", (word,))
    if plan.confirm:
        if is_tty:
            name = plan.confirm
            why = f"--yes is not enough for all of {name}. " if safety.yes else ""
            text = f"{headline(plan, at)}{pace_text(plan)}. {why}Type {name} to confirm:"
            return Ask(text, name)
        what = plan.action if plan.action in DEFINITION_ACTIONS else f"{plan.action} of all of"
        text = f"{what} {name} needs its name"
        word = f"--confirm {shell_word(name)}"
        return Refuse(text, f"add {word}", (word,))
    if safety.yes:
        return Proceed()
    if is_tty:
        return Ask(f"{headline(plan, at)}{pace_text(plan)}. Continue?")
    text = f"{plan.action} {plan.queue} needs --yes: standard input is not a terminal"
    return Refuse(text, "check with --dry-run, then add --yes to confirm", ("--yes",))


def _unexpected(plan: Plan, safety: Consent) -> str:
    """How `--expect` differs from the plan; "" where it does not."""
    if safety.expect is None or safety.expect == plan.count:
        return ""
    affected = f"{plan.count}{not_done_text(plan)}"
    return f"--expect {safety.expect}, but {affected} would be affected"


_MOST_HINTS: Final = 3
"""Hints of a refusal that are shown where there are several."""


def _part_of(plan: Plan) -> tuple[tuple[str, ...], str]:
    """Options with which a part of what is refused goes on, and the hint: its ``{}`` has these."""
    hints = list(dict.fromkeys(refusal.hint for refusal in plan.refusals if refusal.hint))
    limits = {refusal.limit for refusal in plan.refusals}
    if plan.first:
        first, for_all = plan.first, _joined(hints)
        is_rest = first[0].startswith("--where ")
        does = "handles the others" if is_rest else "takes as many as fit there"
    elif len(hints) == len(limits) == 1 and (limit := limits.pop()):
        first, for_all = (f"--limit {limit}", f"--expect {limit}"), hints[0]
        does = "takes as many as fit"
    else:  # with a limit, too, it would be refused for the other reasons
        has_commands = all("mqtriage " in hint for hint in hints)
        return (), _joined(hints) if has_commands else hints[0]
    return first, f"{{}} {does}; for all: {for_all}" if for_all else f"{{}} {does}"


def _joined(hints: Sequence[str]) -> str:
    """The first of the hints; an introduction that several share is written once."""
    commands: dict[str, list[str]] = {}
    for hint in hints[:_MOST_HINTS]:
        prose, command, rest = hint.partition("mqtriage ")
        commands.setdefault(prose, []).append(command + rest)
    texts = [prose + "; ".join(lines) for prose, lines in commands.items()]
    if (more := len(hints) - _MOST_HINTS) > 0:
        texts.append(f"and {more} more such commands" if more > 1 else "and one more")
    return "; ".join(texts)


_BRING: Final = ("put", "load", "restore")
"""Operations that bring messages from outside: the danger is the wrong queue manager."""
_REMOVE: Final = ("purge", "sweep")
"""Operations that leave no message on any queue, as `cancel` does without a target."""


def _decide_protected(
    plan: Plan, safety: Consent, queue_manager: str, protected: str, *, reviewed: bool
) -> Decision:
    """What is given says where it is done, and how much.

    The one name to confirm is the queue manager's, the object's being in the command line already:
    for definitions, and for messages that come from outside or are removed. Those that are taken
    need their number, and a yes where they stay on a queue. Definitions never take messages along.
    """
    defines = plan.action in DEFINITION_ACTIONS
    at = "" if plan.queue == queue_manager else f" at {queue_manager}"
    why = because_protected(queue_manager, protected)
    if plan.pattern:
        text = f"{plan.action} {plan.pattern}{at} needs a command for each queue, {why}"
        return Refuse(text, f"give {plan.queue} in place of {plan.pattern}")
    if lost := plan.facts.get(LOST):
        text = (
            f"{plan.action} {plan.queue}{at} would lose {_lost_text(lost)} without archiving them"
        )
        command = f"mqtriage msg purge {shell_word(next(iter(lost)))} --plan FILE"
        return Refuse(f"{text}, which is not allowed {why}", f"{command} archives them")
    if plan.confirm and not defines and not reviewed:
        text = f"{plan.action} of all of {plan.queue}{at} needs a plan file, {why}"
        hint = "{}; then run the mqtriage apply that it prints"
        return Refuse(text, hint, first=("--plan FILE",))
    brings = defines or plan.action in _BRING
    removes = plan.action in _REMOVE or (plan.action == "cancel" and plan.target is None)
    missing = []
    if safety.confirm != queue_manager:
        if brings or removes or safety.confirm is not None:
            missing.append(f"--confirm {shell_word(queue_manager)}")
        elif not safety.yes:
            missing.append("--yes")
    if not brings and plan.action != "sweep" and safety.expect is None:
        missing.append(f"--expect {plan.count}")
    if missing:
        what = plan.queue or "the queue manager"
        text = f"{plan.action} {what}{at} needs {' and '.join(missing)}, {why}"
        return Refuse(text, "check with --dry-run first", tuple(missing))
    return Proceed()


def _lost_text(lost: Mapping[str, int]) -> str:
    """``2 messages of ORDERS.IN``; of several queues how many. 0 is an unknown number."""
    where = next(iter(lost)) if len(lost) == 1 else count_text(len(lost), "queue")
    number = sum(lost.values())
    known = count_text(number) if number else "an unknown number of messages"
    return f"{'at least ' if number and 0 in lost.values() else ''}{known} of {where}"


def act(
    app: AppContext,
    plan: Plan,
    safety: Consent,
    execute: Callable[[], Result],
    *,
    record: Recording,
    save: Callable[[str], None] | None = None,
    reviewed: bool = False,
) -> None:
    """Carry *plan* out by *execute* if every guard agrees, and write what it returns.

    *execute* should look at `app.run.should_stop` between two batches and end with
    ``interrupted=True``: the first SIGINT or SIGTERM asks for that.

    Args:
        record: how it comes into the journal (`cli.frame.recording`).
        save: writes the plan to a file, for `--plan`; then nothing is carried out.
        reviewed: the plan was read from such a file.

    Raises:
        Refused: A guard or the user said no (exit 8).
    """
    if isinstance(safety, Guards) and safety.plan is not None:
        if save is None:
            raise UsageError("--plan: only for operations that take messages off a queue")
        name_in_plan(plan, app.run.in_commands)
        _save(app, plan, safety, safety.plan, save)
        return
    if not agreed(app, plan, safety, reviewed=reviewed):
        return
    with app.run.finishing_batches(), record(plan) as note:
        report = execute()
        note(report)
    streams = app.run.terminals
    if (
        isinstance(report, Report)
        and streams.stdout
        and streams.stderr
        and not app.output.options.quiet
    ):
        report.repeats = frozenset(
            key for key, fact in plan.facts.items() if report.details.get(key) == fact
        )
    app.output.emit(report, shown=plan.warnings)
    if isinstance(report, Report):
        if isinstance(report.failure, MQIError):
            from mqtriage.mq.code_texts import hint_of

            hint = hint_of(report.failure)
            if hint not in report.warnings:
                app.run.say(f"hint: {hint}")
        tell_interrupted(app, report)
        _name_next(app, report)


def _name_next(app: AppContext, report: Report) -> None:
    """Say to a person what undoes, proves or shows what was done; scripts know."""
    streams = app.run.terminals
    if not (streams.stdout and streams.stderr) or app.output.form != TABLE or not report.op:
        return
    if report.interrupted or not (report.tally()[Outcome.DONE] or report.changed):
        return
    from mqtriage.operations.recovery.undo import ways_on

    ways = ways_on(journal_of(app), report.op, real=_is_real(app))
    guards = guard_words(app, _done(report) if ways.verify else None)
    words = [f"mqtriage journal undo {report.op}{guards} reverses it"] if ways.undo else []
    words += [f"mqtriage journal verify {report.op} proves it"] if ways.verify else []
    if report.action == "sweep":
        # Expired messages cannot be read, so their ReplyToQ is not known; without a queue,
        # the command would browse all, and discard expired messages there too.
        words.append(
            "mqtriage expiry reports QUEUE lists any reports on QUEUE, their reply-to queue"
        )
    if words:
        app.run.say(f"next: {'; '.join(words)}")


def guard_words(app: AppContext, count: int | str | None) -> str:
    """What an undo or a resume takes where the queue manager is protected, to be typed behind it.

    Args:
        count: of messages, "N" where that is not known; None for a change of definitions.
    """
    if not app.target.protected_by():
        return ""
    if count is None:
        return f" --confirm {shell_word(app.target.queue_manager)}"
    return f" --yes --expect {count}"


def _done(report: Report) -> int:
    """The messages that an undo puts back, unless others have got them."""
    counts = report.tally()
    return counts[Outcome.DONE] + counts[Outcome.PARKED]


def tell_interrupted(app: AppContext, report: Report) -> None:
    """Say how an act goes on that a signal ended."""
    if not (report.interrupted and report.op):
        return
    from mqtriage.operations.recovery.undo import ways_on

    ways = ways_on(journal_of(app), report.op, real=_is_real(app))
    resume, undo = guard_words(app, "N"), guard_words(app, _done(report))
    words = [f"resume {report.op}{resume} continues it"] if ways.resume else []
    words += [f"undo {report.op}{undo} reverses it"] if ways.undo else []
    words = words or [f"show {report.op} has what was done"]
    app.run.say(f"mqtriage journal {', journal '.join(words)}")


def _is_real(app: AppContext) -> bool:
    return app.target.backend_kind != "emulator"


def _save(
    app: AppContext, plan: Plan, safety: Guards, file: str, save: Callable[[str], None]
) -> None:
    """Write the plan instead of acting; what refuses the act refuses its plan too.

    Raises:
        Refused: The plan holds a refusal, or `--expect` differs.
        StorageError: The file is there already, or cannot be written.
    """
    decision = decide(
        replace(plan, confirm=""), replace(safety, yes=True, confirm=None), is_tty=False
    )
    if isinstance(decision, Refuse):
        raise refused(app, decision, plan)
    if isinstance(decision, DryRun):
        _emit_plan(app, plan, safety)
        return
    if not app.output.options.quiet:
        show(app, plan)
    if isinstance(decision, Nothing):
        app.run.say(f"{plan.action} {plan.queue}: nothing to do, so no plan was written")
        app.run.note_empty(0)
        return
    save(file)
    tell_written(app, replace(plan, confirm=""), file)


def refused(app: AppContext, decision: Refuse, plan: Plan) -> Refused:
    """The error of a refusal; its hint has the complete command to type next."""
    hint = decision.hint
    if decision.words and (command := same_command(app.run, *decision.words)):
        hint = f"-n shows the plan; to do it: {command}"
    elif decision.first:
        command = same_command(app.run, *decision.first) or f"adding {' '.join(decision.first)}"
        hint = hint.replace("{}", command)
    return Refused(decision.text, hint=hint or None, object_name=plan.queue)


def tell_written(app: AppContext, plan: Plan, file: str, *, signed: bool = False) -> None:
    """Say which command applies the plan file, with what the guards here will ask of it."""
    settings = app.target.settings
    app.run.say(f"plan written; {_how_to_apply(app, plan, file)}")
    if app.run.interactive or settings.guarded_by("four_eyes"):
        app.run.say(
            f"only your user can read it: chmod g+r {shell_word(file)} lets your group read it"
        )
    if settings.text("signed_by") and not signed:
        from mqtriage.files.signatures import how_to_sign

        app.run.say(f"it must be signed first: {how_to_sign(file)}")


def _how_to_apply(app: AppContext, plan: Plan, file: str) -> str:
    """The command that applies a plan file, with what the guards here require, or the refusal."""
    settings = app.target.settings
    if settings.flag("read_only"):
        return f"apply refuses it: {app.target.why_read_only()}"
    decision = _decided(app, plan, Consent(), reviewed=True)
    words = decision.words if isinstance(decision, Refuse) else ()
    if isinstance(decision, Refuse) and not words:
        return f"apply refuses it: {decision.text}; {decision.hint}"
    context = settings.guarding_context("four_eyes", "protected")
    named = ("--context", shell_word(context)) if context and app.target.is_of_plan else ()
    line = " ".join(("mqtriage apply", *named, shell_word(file), *words))
    who = "another person applies it" if settings.guarded_by("four_eyes") else "to apply it"
    return f"{who}: {line}"


def _decided(app: AppContext, plan: Plan, safety: Consent, *, reviewed: bool = False) -> Decision:
    """`decide` for the queue manager that was reached."""
    return decide(
        plan,
        safety,
        is_tty=app.run.interactive,
        queue_manager=app.target.queue_manager,
        protected=app.target.protected_by(),
        reviewed=reviewed,
        most=app.target.settings.number("max_messages"),
        most_by=app.target.settings.guarded_by("max_messages"),
        where_set=app.target.where_guards_are_set(),
    )


def _of_a_rehearsal(plan: Plan, has_discarded: bool | None) -> str:
    """The last line of a dry run; its browse may have discarded expired messages.

    Args:
        has_discarded: whether the browse for the plan did; None where nobody knows.
    """
    if has_discarded:
        return "dry run: nothing else was changed"
    if has_discarded is None and EXPIRY_NOTE in plan.notes:
        return (
            "dry run: nothing was changed, except that the browse may have discarded expired"
            " messages"
        )
    return "dry run: nothing was changed"


def agreed(app: AppContext, plan: Plan, safety: Consent, *, reviewed: bool = False) -> bool:
    """Show *plan* and get consent; False where a dry run or an empty plan ends the command here.

    Raises:
        Refused: A guard or the user said no (exit 8).
    """
    refuse_unfit(app, plan, safety)
    name_in_plan(plan, app.run.in_commands)
    decision = _decided(app, plan, safety, reviewed=reviewed)
    if isinstance(decision, DryRun):
        if not isinstance(safety, Shown):
            say_what_is_needed(app, plan, safety, reviewed=reviewed)
        _emit_plan(app, plan, safety)
        if plan.count and app.output.form in (TABLE, PLAIN):
            ending = _of_a_rehearsal(plan, app.target.note_discards())
            if isinstance(safety, Shown):
                ending = f"nothing was changed; {_how_to_apply(app, plan, plan.file)}"
            app.run.say(ending)
            _say_gentler(app, plan)
        return False
    if app.target.settings.flag("read_only") and not safety.dry_run:
        raise Refused(
            f"{plan.action} {plan.queue}: {app.target.why_read_only()}",
            hint=f"{same_command(app.run, '-n') or '--dry-run'} shows the plan",
            object_name=plan.queue,
        )
    if not safety.dry_run and (why := _one_person(app, plan, safety)):
        raise Refused(why[0], hint=why[1], object_name=plan.queue)
    unread = plan.refusals and not plan.count and plan.action not in DEFINITION_ACTIONS
    if unread and app.output.form in (TABLE, PLAIN):
        pass  # "no message" would be wrong: why there is none is the error
    elif safety.dry_run:  # a plan that is refused is still what was asked for
        _emit_plan(app, plan, safety)
    elif not app.output.options.quiet or isinstance(decision, Ask):
        show(app, plan)
    if isinstance(decision, Refuse):
        raise refused(app, decision, plan)
    if isinstance(decision, Nothing):
        because = f" ({plan.why_nothing})" if plan.why_nothing else ""
        app.run.say(f"{plan.action} {plan.queue}: nothing to do{because}")
        if app.output.form in FOR_SCRIPTS:  # who asked for a document gets one
            kind = f"{plan.action.capitalize()}Report"
            report = Report(kind, plan.action, plan.queue, plan.target, changed=False)
            report.warnings += plan.warnings
            app.output.emit(report, shown=plan.warnings)
        app.run.note_empty(0)
        return False
    if isinstance(decision, Ask):
        _say_gentler(app, plan)
        name, question = decision.answer, decision.question
        if not (app.run.ask(question) == name if name else app.run.confirm(question)):
            raise Refused(f"{plan.action} {plan.queue}: not confirmed", object_name=plan.queue)
    return True


def _say_gentler(app: AppContext, plan: Plan) -> None:
    """Say to a person how messages are set aside that are about to be removed."""
    is_read = app.run.terminals.stderr and app.output.form == TABLE
    if plan.action != "purge" or plan.pattern or not is_read or app.output.options.quiet:
        return
    if command := moved_instead(app.run, "--to PARK", "--expiry 7d", "-n"):
        app.run.say(f"to park them instead: {command}")


def _one_person(app: AppContext, plan: Plan, safety: Consent) -> tuple[str, str] | None:
    """Why a second person is required, with a hint; None where two agreed or one is enough."""
    guard = app.target.settings.guarded_by("four_eyes")
    if not guard or not app.target.queue_manager or plan.is_released:
        return None
    from mqtriage.cli.frame.recording import user_name

    where = app.target.queue_manager
    what = f"{plan.action} {plan.queue}{'' if plan.queue == where else f' at {where}'}"
    if plan.maker is None:
        text = f"{what}: {guard} requires two people (four_eyes)"
        command = same_command(app.run, "--plan FILE")
        hint = _two_people(plan, safety, command or "add --plan FILE")
    elif not plan.maker:
        text, hint = f"{what}: the plan does not record who made it (four_eyes)", "make a new plan"
    elif plan.maker == user_name():
        text = f"{what}: {plan.maker} made this plan, and {guard} requires two people (four_eyes)"
        hint = _how_to_apply(app, plan, plan.file)
    else:
        return None
    return text, hint


def _two_people(plan: Plan, safety: Consent, with_plan_file: str = "add --plan FILE") -> str:
    """How what *plan* is about is done where two people have to agree."""
    if plan.action in DEFINITION_ACTIONS:
        return "mqtriage plan FILES --out FILE; another person runs mqtriage apply FILE"
    if not isinstance(safety, Guards):
        text = f"a {plan.action} has no plan file, so it is refused here"
        if plan.action in _BRING:
            line = f"mqtriage msg copy FROM --to {shell_word(plan.queue)} --plan FILE"
            text += f"; for messages on another queue: {line}"
        return text
    return f"{with_plan_file}; another person runs mqtriage apply FILE"


def refuse_unfit(app: AppContext, plan: Plan, safety: Consent) -> None:
    """Refuse what a report cannot obey while nothing is done: afterwards nothing may fail."""
    if plan.action not in DEFINITION_ACTIONS:
        app.output.refuse_forms(MQSC)
    for option, given in (
        ("--columns", app.output.options.columns),
        ("--sort", app.output.options.sort),
    ):
        if given and not safety.dry_run:
            raise UsageError(
                f"{option}: the report of an operation has only one format",
                hint="-o json or -o csv shows the outcome of each message",
            )


def show(app: AppContext, plan: Plan) -> None:
    app.run.say_by_the_way()
    style = app.output.style()._replace(
        is_tty=app.run.terminals.stderr, colour=app.run.colour_stderr, width=app.output.width
    )
    # refusals are told as the error that ends the command, once
    app.run.tell(plan_text(replace(plan, refusals=[]), style))


def _emit_plan(app: AppContext, plan: Plan, safety: Consent) -> None:
    if app.output.form == CSV and plan.action in DEFINITION_ACTIONS:
        fields = tuple(Field(key, key.upper()) for key in ("attribute", "from", "to"))
        app.output.emit(Listing("PlannedChangeList", fields, change_records(plan)))
    elif app.output.form in {CSV, IDS}:
        app.output.emit(Listing("PlannedMessageList", _FIELDS, map(message_record, plan.messages)))
    else:
        app.output.emit(plan_document(plan, app.output.style()))
    note_rehearsal(app, plan, safety)


def note_rehearsal(app: AppContext, plan: Plan, safety: Consent) -> None:
    """Note the exit code of a dry run: the one that the command has once the guards agree.

    Raises:
        Refused: `--expect` differs.
    """
    if text := _unexpected(plan, safety):
        hint = "{}, if these are the messages that you mean"
        raise refused(app, Refuse(text, hint, first=(f"--expect {plan.count}",)), plan)
    app.run.note_empty(plan.count)
    app.run.note(outcome_of_plan(plan))


def say_what_is_needed(
    app: AppContext, plan: Plan, safety: Consent, *, reviewed: bool = False
) -> None:
    """Say after a dry run what the guards here will ask of the command, beyond `--yes`."""
    settings = app.target.settings
    if plan.refusals or not plan.count:
        return
    if settings.flag("read_only"):
        app.run.say(f"without -n it is refused: {app.target.why_read_only()}")
        return
    if settings.guarded_by("four_eyes") and plan.maker is None and not plan.is_released:
        app.run.say(f"without -n it needs two people: {_two_people(plan, safety)}")
        return
    if why := _one_person(app, plan, safety):
        app.run.say(f"without -n it is refused: {'; '.join(why)}")
        return
    protected = bool(app.target.protected_by())
    given = replace(safety, dry_run=False, yes=safety.yes or not protected)
    if given.expect != plan.count:
        given = replace(given, expect=None)
    decision = _decided(app, plan, given, reviewed=reviewed)
    if isinstance(decision, Refuse):
        first = f"add {' '.join(decision.first)}"
        if decision.words:
            app.run.say(f"without -n it needs {' '.join(decision.words)}")
        else:
            hint = decision.hint.replace("{}", first)
            app.run.say(f"without -n it is refused: {decision.text}; {hint}")
    elif isinstance(decision, Ask):  # it wants a name
        app.run.say(f"without -n it needs --confirm {shell_word(plan.pattern or decision.answer)}")


_FIELDS = (
    Field("msg_id", "MSGID", Show.ID),
    Field("correl_id", "CORRELID", Show.ID),
    Field("length_bytes", "LENGTH", Show.BYTES),
    Field("backout_count", "BACKOUT", Show.NUMBER),
)
