"""How an act comes into the journal; every verb that acts says which of these it is.

What takes messages, or puts those of a file, is an operation with a plan of its own: `by_itself`.
Everything else that changes a queue manager is entered here, before it is done: `as_change`.
Nothing else is recorded: the emulator's own verbs, which stand for other programs (`unrecorded`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Final, TypeAlias

from mqtriage.cli.frame.same_command import PASSWORD_IN_URL
from mqtriage.model.result import Outcome, Report, Result
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import MQTriageError, NotFound

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.cli.frame.context import AppContext
    from mqtriage.definitions.desired import Live
    from mqtriage.definitions.way_back import Touched
    from mqtriage.model.plan import Plan
    from mqtriage.operations.ledger.changes import ChangeEntry
    from mqtriage.operations.ledger.journal import Journal
    from mqtriage.operations.ledger.units import Initiator

Recording: TypeAlias = Callable[["Plan"], AbstractContextManager[Callable[[Result], None]]]
"""Entered before a plan is carried out; gets what carrying it out returned."""


def journal_of(app: AppContext, caller: Initiator | None = None) -> Journal:
    """The journal, in MQTRIAGE_HOME."""
    from mqtriage.operations.ledger.journal import Journal

    return Journal(app.target.home() / "journal", caller)


@contextmanager
def leading_to_history(app: AppContext, backend: Backend, msgid: str | None) -> Iterator[None]:
    """Where the message is not on its queue, lead to the operations on it, if there were some."""
    try:
        yield
    except NotFound as error:
        if msgid and error.object_name:  # that of the queue
            with suppress(MQTriageError):  # a journal that cannot be read: the hint stays
                error.hint = _history_hint(app, backend.queue_manager, msgid) or error.hint
        raise


def _history_hint(app: AppContext, queue_manager: str, msgid: str) -> str | None:
    """The command that lists what operations did to a message; None where none did anything."""
    from mqtriage.model.ids import parse_id
    from mqtriage.operations.ledger.journal import ChosenOperations
    from mqtriage.operations.ledger.message_history import message_history

    ident = parse_id(msgid, for_write=False, what="MSGID")
    here = ChosenOperations(queue_manager)
    if not any(message_history(journal_of(app), ident, here).items):
        return None
    digits = ident.value.hex().upper()
    return f"mqtriage journal ls --msgid {shell_word(digits + '*' * ident.is_prefix)}"


@contextmanager
def by_itself(plan: Plan) -> Iterator[Callable[[Result], None]]:
    """An operation on messages, which enters itself with all that was planned."""
    del plan
    yield lambda result: None


unrecorded: Recording = by_itself
"""What a program of the emulator does, and what is done to files of ours."""


def as_change(
    app: AppContext,
    backend: Backend,
    touched: Collection[Touched] = (),
    *,
    withheld: Collection[str] = (),
) -> Recording:
    """A change that `journal ls` shows, and `journal undo` takes back where *touched* says what of.

    Args:
        touched: the definitions that it names.
        withheld: arguments that are message data, and are not entered.
    """

    @contextmanager
    def enter(plan: Plan) -> Iterator[Callable[[Result], None]]:
        with change_entry(app, backend, plan, touched, withheld=withheld) as entry:
            yield lambda result: _note(entry, result)

    return enter


@contextmanager
def change_entry(
    app: AppContext,
    backend: Backend,
    plan: Plan,
    touched: Collection[Touched] = (),
    *,
    action: str = "",
    final: tuple[str, ...] = (),
    withheld: Collection[str] = (),
    undoes: str = "",
    backs: tuple[str, ...] = (),
    origin_text: str = "",
) -> Iterator[ChangeEntry]:
    """An entry of the journal that is there before anything is changed.

    Args:
        action: what the journal calls it, if not as the plan does.
        final: what of it no command takes back.
        backs: the reverse of each command, where each is noted as it is done.
        origin_text: who made the plan, where it is from a file.

    Raises:
        StorageError: It cannot be written; nothing was changed.
    """
    from mqtriage.operations.ledger.changes import StoredChange, entered

    def read() -> Live | None:
        from mqtriage.definitions.way_back import observe

        return observe(backend, touched) if touched else None

    before: Live | None = None
    with suppress(MQTriageError):  # who may not look can still act; there is no way back then
        before = read()
    journal = journal_of(app, caller_of(app, withheld))
    staged_on = plan.facts.get("staged_on", "")
    count = plan.facts.get("discards_at_most", plan.count)  # of a sweep, which browses all
    change = StoredChange(
        backend.queue_manager, action or plan.action, staged_on or plan.queue, count,
        tuple(plan.mqsc), tuple(touched), before, None, final, undoes, backs, origin_text,
        plan.queue if staged_on else "",
    )  # fmt: skip
    with entered(journal, change, read) as entry:
        if touched:
            app.run.say(f"operation {entry.op}")
        yield entry


def _note(entry: ChangeEntry, result: Result) -> None:
    """What a report says of how it went."""
    entry.done = entry.change.count
    if isinstance(result, Report):
        result.op = entry.op
        entry.interrupted, entry.error = result.interrupted, result.failure
        entry.in_doubt = result.in_doubt
        if result.action == "put":
            entry.done = result.count(Outcome.DONE)
        entry.done = result.details.get("discarded_at_most", entry.done)


def user_name() -> str:
    """The user of this process; a number where the system has no name for it."""
    import os
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container knows its numbers alone
        return str(os.getuid())


def caller_of(app: AppContext, withheld: Collection[str] = ()) -> Initiator:
    """Who asks for an operation, and what it takes to ask the same queue manager again.

    Args:
        withheld: arguments that are message data, which the journal never holds.
    """
    import json

    from mqtriage.model.context_keys import KEYS
    from mqtriage.model.shell_words import shell_line
    from mqtriage.operations.ledger.units import Initiator

    user = user_name()
    settings = app.target.settings
    connection = {
        key: setting.value
        for key, setting in settings.values.items()
        # what nobody has allowed is not recalled: it would then pass for the user's own
        if not KEYS[key].secret and not settings.is_untrusted(key)
    }
    arguments = (_without(word, withheld) for word in app.run.arguments)
    called = (shell_line(arguments), json.dumps(connection))
    command, without_secrets = (PASSWORD_IN_URL.sub("://", text) for text in called)
    in_force = {setting.context for setting in settings.values.values()}
    context = settings.context if settings.context in in_force else ""  # -m overrides all of it
    return Initiator(context, user, command, without_secrets)


def _without(word: str, withheld: Collection[str]) -> str:
    option, equals, value = word.partition("=")
    if word in withheld:
        return _WITHHELD
    return f"{option}={_WITHHELD}" if equals and value in withheld else word


_WITHHELD: Final = "<message data>"
