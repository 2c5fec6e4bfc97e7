"""Option groups that commands share.

Each has the heading that it gets in help and manual pages; "" for the verb's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from mqtriage.model.options import (
    OPT,
    OptionGroup,
    comma_list,
    flag,
    number,
    pair,
    repeated,
    single,
    text,
)
from mqtriage.model.output_forms import FORMS, IDS, MQSC
from mqtriage.mq.errors import UsageError
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class ConnectionOptions(OptionGroup):
    """Which queue manager, through what."""

    TITLE = "Connection"
    qmgr: str | None = single(
        "-m", "--qmgr", metavar="NAME", help="Queue manager.", completes="qmgr"
    )
    backend: str | None = single(
        help="An emulated queue manager, or a real one: mq uses IBM's client, rest uses HTTPS.",
        choices=("emulator", "mq", "rest"),
    )
    context: str | None = single(
        metavar="NAME", help="Named connection settings.", completes="context"
    )
    no_context: bool = flag(
        help="Do not use a context; contexts that name the queue manager still guard it.",
        global_=True,
    )
    connection: str | None = single(
        metavar="HOST(PORT),...",
        help="Address of a real queue manager. Several addresses are tried in order.",
        advanced=True,
    )
    channel: str | None = single(metavar="NAME", help="Server-connection channel.", advanced=True)
    url: str | None = single(
        metavar="URL",
        help="Web server of IBM MQ (mqweb), for --backend rest: https://mq1:9443.",
        advanced=True,
    )
    password_file: str | None = single(
        help="File whose first line is the password; - reads standard input.",
        advanced=True,
        completes="file",
    )
    context_keys: tuple[str, ...] = repeated(
        "--set",
        metavar="KEY=VALUE",
        help="Any context key, such as tls.cipher.",
        advanced=True,
        global_=True,
    )


@dataclass(frozen=True, slots=True)
class Connections(ConnectionOptions):
    """Which queue managers, for a verb that asks each of several."""

    qmgr: tuple[str, ...] = comma_list(  # type: ignore[assignment]
        "-m",
        "--qmgr",
        metavar="NAME,...",
        help="Queue manager, or 'PROD*'. Separate several with commas, or repeat the option.",
        completes="qmgr",
    )
    context: tuple[str, ...] = comma_list(  # type: ignore[assignment]
        metavar="NAME,...",
        help="Named settings, or a group of them. Separate several with commas, or repeat the "
        "option.",
        completes="context",
    )

    def one_by_one(self, groups: Mapping[str, tuple[str, ...]]) -> list[ConnectionOptions]:
        """One connection a queue manager.

        Args:
            groups: contexts by the name that stands for all of them.
        """
        contexts = [name for given in self.context for name in groups.get(given, (given,))]
        if len(self.qmgr) > 1 and len(contexts) > 1:
            raise UsageError("specify several values for -m or for --context, but not for both")
        own = {
            item.name: getattr(self, item.name)
            for item in fields(ConnectionOptions)
            if item.name not in ("qmgr", "context")
        }
        return [
            ConnectionOptions(qmgr=name, context=context, **own)
            for name in self.qmgr or (None,)
            for context in dict.fromkeys(contexts) or (None,)
        ]


@dataclass(frozen=True, slots=True)
class Output(OptionGroup):
    """What is written, and how."""

    TITLE = "Output"
    form: str | None = single(
        "-o",
        "--output",
        metavar="FORMAT",
        help=f"{', '.join(FORMS[:-2])} or {IDS}; {MQSC} for definitions. "
        "Default: table on a terminal, plain elsewhere.",
        completes="form",
    )
    columns: str | None = text(
        metavar="A,B,C",
        help="Columns to show, by JSON key or --where field; for messages, also prop.NAME and "
        "body.PATH, but not age, damage, body_kind and body_digest.",
        completes="column",
    )
    sort: str | None = text(
        metavar="COLUMN",
        help="Sort by this column; -COLUMN sorts in descending order.",
        completes="column",
    )
    no_header: bool = flag(help="Omit the headings.")
    raw_csv: bool = flag(
        help="With -o csv, do not escape text that a spreadsheet would treat as a formula.",
        advanced=True,
    )
    wide: bool | None = pair(
        "--wide/--no-wide", help="Show all columns, without shortening values."
    )
    utc: bool | None = pair("--utc/--local", help="Show times in UTC (default) or local time.")
    hex: bool | None = pair("--hex/--text", help="Show message data as hex or as text.")
    quiet: bool = flag("-q", "--quiet", help="Print only data and errors.", global_=True)
    verbose: bool = flag(
        help="Show each MQI call with its completion and reason codes.", global_=True
    )
    no_color: bool = flag(help="Turn colour off.", global_=True)
    no_input: bool = flag(help="Never prompt for input; refuse to run instead.", global_=True)
    fail_empty: bool = flag(help="Exit 9 if nothing matched.")

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


@dataclass(frozen=True, slots=True)
class Browsing(OptionGroup):
    """The one guard that reading verbs have too; `AppContext.no_expiry_effects` tells of it."""

    no_expiry_effects: bool = flag(
        help="Refuse to browse, because a browse can discard expired messages."
    )


@dataclass(frozen=True, slots=True)
class Consent(OptionGroup):
    """The guards of a verb that writes; for definitions these are all."""

    TITLE = "Safety"
    yes: bool = flag(help="Do not ask for confirmation. Required in scripts.", global_=True)
    dry_run: bool = flag(
        "-n", "--dry-run", help="Show what would be done, but change nothing.", global_=True
    )
    expect: int | None = number(
        help="Refuse to run unless exactly N messages or objects would be affected: "
        "the first number of the plan, which includes those in brackets. "
        "For a sweep, N is a maximum."
    )
    confirm: str | None = text(
        metavar="NAME", help="Confirm by name: the queue's, or QMGR's if protected."
    )


@dataclass(frozen=True, slots=True)
class Safety(Consent):
    """The guards of a verb that takes messages."""

    allow_reports: bool = flag(
        help="Continue even if getting a message sends a report to its sender."
    )
    reports: str | None = text(
        help="Whether the copy keeps its report options. Default: keep.", choices=("keep", "strip")
    )
    no_backup: bool = flag(help="Do not archive removed messages.")
    batch: int | None = number(help="Messages per unit of work.", minimum=1)
    yes_short_text: bool = flag(
        help="Allow a purge that selects by fewer than 8 bytes of body text."
    )
    no_expiry_effects: bool = flag(
        help="Refuse to browse, because a browse can discard expired messages."
    )


@dataclass(frozen=True, slots=True)
class Guards(Safety):
    """The guards of a verb that takes messages, each of which the journal knows."""

    plan: str | None = text(
        help="Write a plan file for apply, and change nothing.", completes="file", reads="place"
    )
    rate: str | None = text(
        metavar="N/s", help="Maximum rate at which to process messages, such as 20/s or 600/m."
    )
    max_errors: int | None = number(help="Stop after N failures; 1 stops at the first.", minimum=1)
    max_requeues: int | None = number(
        help="Skip a message that was requeued N times (default 3), not counting undone requeues. "
        "A message with a new MsgId or different data counts as a different message.",
        minimum=1,
    )
    park: str | None = text(
        help="Put messages that cannot be processed on this queue, unchanged.", completes="queue"
    )
    no_archive_bodies: bool = flag(
        "--no-bodies", help="Archive only descriptors. Refused if the command removes messages."
    )


def connection_words(connection: ConnectionOptions) -> list[str]:
    """Connection options as words in front of another command."""
    words = []
    for option in fields(connection):
        value = getattr(connection, option.name)
        names = option.metadata[OPT].words(option.name)
        name = "-m" if "-m" in names else names[-1]  # as other hints name a queue manager
        if value is True:
            words.append(name)
        elif isinstance(value, tuple):
            words += [word for item in value for word in (name, item)]
        elif value:
            words += [name, str(value)]
    return words


FORMAT = text(
    "--format",
    help="Format of the files. Default: parquet if pyarrow is installed.",
    default="auto",
    show_default=False,
    choices=("parquet", "ndjson"),
)
"""Of files of snapshots."""
