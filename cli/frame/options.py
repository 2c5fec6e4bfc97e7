"""Option groups that commands share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeAlias

import typer

from mqtriage.cli.frame.option_fields import flag, number, once, pair, several, text
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.cli.frame.selection_options import SelectionOptions

__all__ = [
    "Connection",
    "Connections",
    "Consent",
    "Guards",
    "NoExpiryEffects",
    "Output",
    "OwnOptions",
    "Safety",
    "SelectionOptions",
]


@dataclass(frozen=True, slots=True)
class Connection:
    """Which queue manager, through what."""

    qmgr: str | None = once("-m", "--qmgr", metavar="NAME", help="Queue manager.")
    backend: str | None = once(
        "--backend", metavar="emulator|mq", help="A queue manager in a file, or a real one."
    )
    context: str | None = once("--context", metavar="NAME", help="Named connection settings.")
    no_context: bool = flag("--no-context", help="Use no context, whatever is chosen.", early=True)
    connection: str | None = once(
        "--connection",
        metavar="HOST(PORT),...",
        help="Where a real queue manager listens; several are tried in this order.",
        rare=True,
    )
    channel: str | None = once(
        "--channel", metavar="NAME", help="Server-connection channel.", rare=True
    )
    ccdt: str | None = once(
        "--ccdt", metavar="URL", help="Client channel definition table, URL or file.", rare=True
    )
    transport: str | None = once(
        "--transport",
        metavar="client|bindings",
        help="Default: a client where it is told where to, else as the MQ library is set up.",
        rare=True,
    )
    connect_user: str | None = once(
        "--connect-user", metavar="NAME", help="User to connect as.", rare=True
    )
    password_file: str | None = once(
        "--password-file",
        metavar="FILE",
        help="File whose first line is the password; - reads standard input.",
        rare=True,
    )
    tls_cipher: str | None = once(
        "--tls-cipher", metavar="SPEC", help="CipherSpec of the channel.", rare=True
    )
    tls_keyrepo: str | None = once(
        "--tls-keyrepo", metavar="PATH", help="Key repository of the client.", rare=True
    )
    tls_label: str | None = once(
        "--tls-label", metavar="LABEL", help="Label of the client's certificate.", rare=True
    )
    tls_peer: str | None = once(
        "--tls-peer",
        metavar="DN",
        help="Distinguished name that the queue manager's certificate must match.",
        rare=True,
    )
    heartbeat: str | None = once(
        "--heartbeat", metavar="SECONDS", help="Heartbeat interval of the channel.", rare=True
    )
    reconnect: str | None = once(
        "--reconnect",
        metavar="no|yes|qmgr",
        help="Let the MQ client connect again by itself, to any queue manager or the same.",
        rare=True,
    )
    application: str | None = once(
        "--application", metavar="NAME", help="Application name. Default: mqtriage.", rare=True
    )
    library: str | None = once(
        "--library",
        metavar="pymqi|ibmmq",
        help="Python package to connect through. Default: the first that can be used.",
        rare=True,
    )
    properties_as: str | None = once(
        "--properties-as",
        metavar="rfh2|handle|queue",
        help="How msg browse, show, count and watch ask for properties. Default: rfh2.",
        rare=True,
    )


@dataclass(frozen=True, slots=True)
class Connections(Connection):
    """Which queue managers, for a verb that asks each of several."""

    qmgr: tuple[str, ...] = several(  # type: ignore[assignment]
        "-m", "--qmgr", metavar="NAME,...", help="Queue manager; several with commas, or again."
    )
    context: tuple[str, ...] = several(  # type: ignore[assignment]
        "--context", metavar="NAME,...", help="Named settings; several with commas, or again."
    )

    def each(self) -> list[Connection]:
        """One connection a queue manager.

        Raises:
            UsageError: Several queue managers and several contexts.
        """
        if len(self.qmgr) > 1 and len(self.context) > 1:
            raise UsageError("several of -m and several of --context: give one of one of them")
        own = {
            item.name: getattr(self, item.name)
            for item in fields(Connection)
            if item.name not in ("qmgr", "context")
        }
        return [
            Connection(qmgr=name, context=context, **own)
            for name in self.qmgr or (None,)
            for context in self.context or (None,)
        ]


@dataclass(frozen=True, slots=True)
class Output:
    """What is written, and how."""

    form: str | None = once(
        "-o",
        "--output",
        metavar="FORM",
        help="table, plain, json, ndjson, csv, md or ids; mqsc where a definition is printed. "
        "Default: table on a terminal, plain elsewhere.",
    )
    columns: str | None = text("--columns", metavar="A,B,C", help="Columns, by JSON key.")
    sort: str | None = text("--sort", metavar="COLUMN", help="Sort by a column; -COLUMN reverses.")
    no_header: bool = flag("--no-header", help="Leave the headings out.")
    wide: bool = flag("--wide", help="All columns, nothing shortened.")
    utc: bool | None = pair("--utc/--local", help="Show times in UTC (default) or local time.")
    hex: bool | None = pair("--hex/--text", help="Show message data as hex or as text.")
    quiet: bool = flag("-q", "--quiet", help="Only data and errors.", early=True)
    verbose: bool = flag(
        "--verbose", help="Tell each MQI call with its completion and reason.", early=True
    )
    no_color: bool = flag("--no-color", help="No colour.", early=True)
    no_input: bool = flag("--no-input", help="Never ask; refuse instead.", early=True)
    fail_empty: bool = flag("--fail-empty", help="Exit 9 when nothing matched.")

    @property
    def column_keys(self) -> tuple[str, ...]:
        """The keys of `--columns`, in the order given."""
        return tuple(key.strip() for key in (self.columns or "").split(",") if key.strip())

    @property
    def sort_key(self) -> tuple[str | None, bool]:
        """(column, descending) of `--sort`."""
        if self.sort is None:
            return None, False
        return self.sort.lstrip("-"), self.sort.startswith("-")


_NO_EXPIRY_EFFECTS: Final = "Refuse to browse: a browse can discard expired messages."


@dataclass(frozen=True, slots=True)
class Consent:
    """The guards of a verb that writes; for definitions these are all."""

    yes: bool = flag("--yes", help="Do not ask. Needed in a script.", early=True)
    dry_run: bool = flag(
        "-n", "--dry-run", help="Show what would be done; change nothing.", early=True
    )
    expect: int | None = number("--expect", help="Refuse unless exactly N would be touched.")
    confirm: str | None = text(
        "--confirm", metavar="NAME", help="Name the queue, where --yes is not enough."
    )


@dataclass(frozen=True, slots=True)
class Safety(Consent):
    """The guards of a verb that takes messages."""

    allow_reports: bool = flag(
        "--allow-reports", help="Go on although taking a message sends a report to its sender."
    )
    reports: str | None = text(
        "--reports", metavar="keep|strip", help="Report options of the copy. Default: keep."
    )
    no_backup: bool = flag("--no-backup", help="Do not archive what is removed.")
    batch: int | None = number("--batch", help="Messages a unit of work.", minimum=1)
    yes_short_text: bool = flag(
        "--yes-short-text", help="Accept a body text of fewer than 8 bytes for a purge."
    )
    no_expiry_effects: bool = flag("--no-expiry-effects", help=_NO_EXPIRY_EFFECTS)


@dataclass(frozen=True, slots=True)
class Guards(Safety):
    """The guards of a verb that takes messages, each of which the journal knows."""

    plan: str | None = text(
        "--plan", metavar="FILE", help="Write the plan for journal apply; change nothing."
    )
    rate: str | None = text("--rate", metavar="N/s", help="Messages a second at most: 20/s, 600/m.")
    max_errors: int | None = number("--max-errors", help="Stop after N failures.", minimum=1)
    fail_fast: bool = flag("--fail-fast", help="Stop at the first failure.")
    max_requeues: int | None = number(
        "--max-requeues",
        help="Leave a message that was requeued N times already. Default: 3.",
        minimum=1,
    )
    park: str | None = text(
        "--park", metavar="QUEUE", help="Put what cannot go on there, as it is."
    )
    no_archive_bodies: bool = flag(
        "--no-archive-bodies", help="Archive descriptors alone; not where messages are removed."
    )


NoExpiryEffects: TypeAlias = Annotated[
    bool, typer.Option("--no-expiry-effects", help=_NO_EXPIRY_EFFECTS)
]
"""The one guard that reading verbs have too: an own parameter of theirs."""


class OwnOptions:
    """Base of a group whose options are the verb's own, and stand where the group does.

    For what several verbs have in common and most have not; `@takes` need not name it.

    Attributes:
        LEFT_OUT: of the fields, those that are no options; they keep their default.
    """

    __slots__ = ()

    LEFT_OUT: ClassVar[tuple[str, ...]] = ()


TITLES: Mapping[str, str] = {
    "Connection": "Connection",
    "Connections": "Connection",
    "Output": "Output",
    "Consent": "Safety",
    "Safety": "Safety",
    "Guards": "Safety",
    "SelectionOptions": "Selection",
    "SparkWork": "Analysis",
    "SparkSpan": "Analysis",
    "Analysis": "Analysis",
}
"""Heading of each group in help and manual pages, by the name of its class."""


def __getattr__(name: str) -> Any:
    """Import `SelectionOptions` when it is first asked for."""
    if name == "SelectionOptions":
        from mqtriage.cli.frame.selection_options import SelectionOptions

        return SelectionOptions
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
