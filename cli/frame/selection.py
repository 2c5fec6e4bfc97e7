"""What the verbs on messages do with their options: the selection, notes, forms of bodies."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.inputs import lines_of
from mqtriage.cli.frame.options import Safety
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import flag, number, pair, repeated, text
from mqtriage.model.output_forms import CSV, FOR_SCRIPTS
from mqtriage.model.units import count_text
from mqtriage.records import dataclass

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.messages.filters.selection import Selection
    from mqtriage.messages.records import BodyForm
    from mqtriage.model.client_settings import Showing
    from mqtriage.model.result import Listing, Record
    from mqtriage.operations.copies.copy import CopyOptions


ASSUME_DDH = text(
    help="If its meaning is unknown, treat the time in a real queue manager's delay header as the "
    "due time.",
    choices=("due",),
)
GROUP = text(
    metavar="FIELD,...",
    help="Count the messages by --where fields, prop.NAME, or body paths, as msg count --by does.",
    completes="field",
)
NTH = number(help="Which one, if several have that id.", minimum=1)


@dataclass(frozen=True, slots=True)
class Copies:
    """How the copies of messages differ from them."""

    new_msgid: bool = flag(help="Give the copies new MsgIds.")
    expiry: str = text(
        metavar="keep|unlimited|1h|18:00",
        help="Lifetime of the copies, or an end time. Default: the remaining lifetime.",
        default="keep",
        show_default=False,
    )
    headers: str = text(
        help="Keep or strip added headers: an MQDLH, or the MQRFH2 that a JMS client added. drop "
        "removes every MQDLH and MQRFH2, with all properties.",
        default="keep",
        show_default=False,
        choices=("keep", "strip", "drop"),
    )
    message_context: str = text(
        help="How to set the put time, user and program of the copies. Default: keep them (set, "
        "or else pass).",
        default="keep",
        show_default=False,
        choices=("keep", "set", "pass", "default"),
    )
    set_prop: tuple[str, ...] = repeated(
        metavar="NAME[=VALUE]",
        help="Set a property of the copies; NAME without a value removes it.",
    )

    def options(self, reports: str | None, say: Callable[[str], None] | None = None) -> CopyOptions:
        """What the act does with them; *reports* is `--reports`.

        Args:
            say: receives the meaning of a local end time; without it, `--expiry` takes no time.
        """
        from mqtriage.model.times import parse_time_us
        from mqtriage.operations.copies.copy import read_copy_options

        def end_of(text: str) -> int:
            return parse_time_us(text, time.time_ns() // 1_000, what="--expiry", say=say)

        return read_copy_options(
            new_msg_id=self.new_msgid,
            expiry=self.expiry,
            headers=self.headers,
            reports=reports,
            message_context=self.message_context,
            end_of=None if say is None else end_of,
            set_prop=self.set_prop,
        )


@dataclass(frozen=True, slots=True)
class CopiesOfFile(Copies):
    """The same for a verb that puts the messages of a file, whose properties can be edited."""

    LEFT_OUT = ("set_prop",)


@dataclass(frozen=True, slots=True)
class CopiesAsTheyAre(Copies):
    """The same for a verb that changes neither headers nor properties."""

    LEFT_OUT = ("headers", "set_prop")


@dataclass(frozen=True, slots=True)
class CopiesOfDeadLetters(Copies):
    """The same for a verb that always removes the MQDLH."""

    headers: str = text(
        help="Remove only the MQDLH (strip, the default), or each MQRFH2 with all properties too.",
        default="strip",
        show_default=False,
        choices=("strip", "drop"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedSelection(SelectionOptions):
    """The same for a verb that has a --msgid and a --limit of its own."""

    LEFT_OUT = ("msg_id", "limit")


_DETAILED = FOR_SCRIPTS | {CSV}
"""Forms that write every field."""


def read_selection(
    app: AppContext, options: SelectionOptions, *, writes: bool = False, purges: bool = False,
    safety: Safety | None = None, dead_letters: bool = False,
) -> Selection:  # fmt: skip
    """Read the selection options, and tell which ids were understood and who selects by what.

    Args:
        dead_letters: put_appl, format and the like are those of the MQDLH, as the verb shows them.
    """
    from mqtriage.messages.filters.fields import OF_DEAD_LETTERS
    from mqtriage.messages.filters.selection import build_selection
    from mqtriage.operations.selection.selected import refuse_other_view

    files = options.ids_from
    selection = build_selection(
        options,
        lines_of(app, files) if files else None,
        for_write=writes,
        for_purge=purges,
        yes_short_text=safety is not None and safety.yes_short_text,
        names=OF_DEAD_LETTERS if dead_letters else {},
    )
    selection = replace(selection, note=app.run.remark_once, warn=app.run.warn_once)
    if writes:
        refuse_other_view(app.target.settings.text("properties_as"), selection)
    _note_local_times(app, selection)
    for note in selection.id_notes:
        app.run.say(note)
    if options.explain_select:
        for line in selection.explain():
            app.run.tell(line)
    return selection


def _note_local_times(app: AppContext, selection: Selection) -> None:
    """Say which zone the times of conditions were read in, where they have none."""
    from mqtriage.messages.filters.expression import In, leaves
    from mqtriage.model.times import LocalTime

    now_us = time.time_ns() // 1_000
    for leaf in leaves(selection.tree):
        for value in leaf.values if isinstance(leaf, In) else leaf:
            if isinstance(value, LocalTime):
                app.run.remark(value.note(now_us, leaf.field))


def note_expiry(
    app: AppContext,
    queue: str | tuple[str, ...] | None,
    instead: str = "expiry status",
    unnamed: str = "a queue",
) -> None:
    """Have it said on connecting that browsing has effects, where it may; or refuse to browse.

    The arguments are those of `refuse_expiry_effects`.
    """
    from mqtriage.operations.selection.selected import refuse_expiry_effects

    names = queue if isinstance(queue, tuple) else (queue,)
    for name in names:
        refuse_expiry_effects(name, app.target.no_expiry_effects, instead, unnamed)
    if app.target.browses is not None:
        app.target.browses = (*app.target.browses, *names)


def unlimited_if_sorted(app: AppContext, selection: Selection) -> Selection:
    """With `--sort` the limit counts sorted records, so all are read."""
    return selection if app.output.options.sort is None else replace(selection, limit=None)


BODY = text(help="How to show the body.", choices=("text", "json", "xml", "hex", "ebcdic"))
DECODE = pair(
    "--decode/--no-decode",
    help="Decode the headers (default), or show all data as one body.",
    default=True,
)


def browse_selected(
    app: AppContext,
    options: SelectionOptions,
    queue: str | tuple[str, ...] | None,
    read: Callable[..., Listing],
    *,
    shows_messages: Showing = "",
    bodies: bool = True,
    dead_letters: bool = False,
    group: str | None = None,
) -> None:
    """What the verbs `browse` do: read what is selected, and write it.

    Args:
        queue: None for the one that the queue manager has for dead letters.
        read: makes the listing from a backend, *queue*, a selection and a view.
        shows_messages: see `Showing`.
        bodies: False reads no more than headers need.
        dead_letters: see `read_selection`.
        group: counts the messages by these fields instead.
    """
    from mqtriage.commands.msg.messages import ListingView

    which = read_selection(app, options, dead_letters=dead_letters)
    note_expiry(app, queue, unnamed="the dead-letter queue")
    if group is not None:
        _emit_groups(app, which, queue, group, shows_messages, dead_letters=dead_letters)
        return
    chosen = unlimited_if_sorted(app, which)
    view = ListingView(body_form(app), shows_detail(app), bodies=bodies)
    shown_bodies = _Bodies(app)
    app.emit_read(
        lambda backend: shown_bodies.shown(read(backend, queue, chosen, view)),
        limit=which.limit if app.output.options.sort is not None else None,
        shows_messages=shows_messages,
        empty=no_messages(queue, which),
    )
    if shown_bodies.without_text:
        app.run.say(
            f"body is empty where it is not text, in {count_text(shown_bodies.without_text)}: "
            f"--text shows it as text, body_hex in --columns as hex"
        )


def _emit_groups(
    app: AppContext,
    which: Selection,
    queue: str | tuple[str, ...] | None,
    group: str,
    shows_messages: Showing,
    *,
    dead_letters: bool,
) -> None:
    """Count what is selected by the fields that `--group` names."""
    from mqtriage.commands.msg.counts import count_by, keys_of
    from mqtriage.messages.filters.fields import OF_DEAD_LETTERS
    from mqtriage.operations.rules.origin import dead_letter_queue

    keys = keys_of(group, "--group", OF_DEAD_LETTERS if dead_letters else {})

    def read(backend: Backend) -> Listing:
        names = (queue,) if isinstance(queue, str) else queue or (dead_letter_queue(backend),)
        return count_by(backend, names, keys, which)

    empty = no_messages(queue, which)
    app.emit_read(read, shows_messages=shows_messages, empty=empty)


def no_messages(queue: str | tuple[str, ...] | None, which: Selection) -> str:
    """What an empty listing of messages is: of a queue, or None for the dead-letter queue."""
    names = queue if isinstance(queue, str) else ", ".join(queue or ("the dead-letter queue",))
    match = " match" if which.tree is not None or which.selector else ""
    return f"no messages on {names}{match}"


class _Bodies:
    """What people see of bodies: a column where `--text` or `--hex` asks for them.

    Attributes:
        without_text: messages whose body `--columns` asks for, and which have it only as hex.
    """

    def __init__(self, app: AppContext) -> None:
        self._hex = app.output.options.hex
        self._keys = [key.lower() for key in app.output.options.column_keys]
        self.without_text = 0

    def shown(self, listing: Listing) -> Listing:
        """The listing with that column, its records counted."""
        if self._hex is None:
            if "body" in self._keys and "body_hex" not in self._keys:
                listing.items = map(self._counted, listing.items)
            return listing
        key = "body_hex" if self._hex else "body"
        fields = (one._replace(wide=False) if one.key == key else one for one in listing.fields)
        return replace(listing, fields=tuple(fields))

    def _counted(self, record: Record) -> Record:
        self.without_text += record.get("body") is None and record.get("body_hex") is not None
        return record


def body_form(app: AppContext) -> BodyForm:
    """How `--hex/--text` want bodies told."""
    if app.output.options.hex is None:
        return "auto"
    return "hex" if app.output.options.hex else "text"


def shows_detail(app: AppContext) -> bool:
    """Whether headers and bodies are going to be written."""
    from mqtriage.messages.body_path import INNER
    from mqtriage.messages.records import DETAIL_KEYS

    keys = app.output.options.column_keys
    if (app.output.options.sort_key[0] or "").startswith(INNER):
        return True
    if keys:
        return any(key.lower() in DETAIL_KEYS or key.startswith(INNER) for key in keys)
    asked = app.output.options.wide or app.output.options.hex is not None
    return app.output.form in _DETAILED or bool(asked)


def message_id(app: AppContext, backend: Backend, queue: str, text: str | None) -> bytes | None:
    """The MsgId of `--msgid`, looked for on the queue where it is not whole.

    Raises:
        UsageError: Not an id.
        NotFound: No message has such a one.
        Refused: `--no-expiry-effects` was given, or several ids are meant.
    """
    if text is None:
        return None
    from mqtriage.operations.selection.whole_ids import whole_msg_id

    note_expiry(app, queue)
    app.target.note_browse(backend)
    return whole_msg_id(backend, queue, text)


SYSTEM = flag(help="Include SYSTEM.* and AMQ.* queues, which * does not match.")
MSG_ID = text(
    metavar="ID",
    help="Message to explain: the last 4 or more digits of its MsgId, all 48 digits, or ID:HEX.",
)
