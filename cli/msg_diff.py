"""`mqtriage msg diff`: two queues, files or snapshots; the work is in commands/msg/diff.py."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from mqtriage.cli.archive import named
from mqtriage.cli.frame import selection as choosing
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connection, Output, SelectionOptions
from mqtriage.cli.frame.verb import takes
from mqtriage.cli.msg_files import opened
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.commands.msg.diff import Side
    from mqtriage.messages.selection import Selection


@takes(SelectionOptions, Connection, Output)
def diff(
    app: AppContext,
    selection: SelectionOptions,
    a: Annotated[str, typer.Argument(metavar="A", help="Queue, archive, file or snapshot:REF.")],
    b: Annotated[str, typer.Argument(metavar="B", help="What it is compared with.")],
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="FIELD,...", help="Fields that may differ."),
    ] = None,
    no_expiry_effects: choosing.NoExpiryEffects = False,
) -> None:
    """Compare the messages of two queues, files or snapshots.

    A name is a file where there is one, then an archive, then a queue; queue:, archive:, file: and
    snapshot: in front say which. Files are archives, listings, and dumps of dmpmqmsg or amqsbcg.
    Messages belong together by MsgId. CHANGE is only-a, only-b or changed; WHAT names the fields.
    Exit 4 when something differs.

    Examples:
        mqtriage msg diff ORDERS.IN ORDERS.COPY --ignore put_time,put_appl_name
        mqtriage msg diff orders.ndjson.gz ORDERS.IN
        mqtriage msg diff snapshot:latest~1 snapshot:latest -o json
    """
    from mqtriage.cli.frame.exit_codes import ExitCode
    from mqtriage.commands.msg import diff as message_diff
    from mqtriage.commands.msg import sides as message_sides

    which = choosing.chosen(app, selection)
    if which.skip or which.limit is not None:
        raise UsageError("--skip, --limit and --range: both sides are compared whole")
    ignored = message_diff.ignored_fields(ignore or ())
    kinds = [message_sides.kind_of(name, app.archive_folder) for name in (a, b)]
    with ExitStack() as stack:
        sides = [
            _side(app, stack, kind, name, which, refuse=no_expiry_effects) for kind, name in kinds
        ]
        listing = message_diff.diff(sides[0], sides[1], ignored)
        app.emit(listing)
    counted = listing.summary
    different = sum(counted[key] for key in ("only_in_a", "only_in_b", "changed"))
    app.say(
        f"{counted['only_in_a']} only in A, {counted['only_in_b']} only in B, "
        f"{counted['changed']} changed, {counted['same']} the same"
    )
    app.note(ExitCode.FINDINGS if different else ExitCode.OK)


def _side(
    app: AppContext, stack: ExitStack, kind: str, name: str, which: Selection, *, refuse: bool
) -> Side:
    """One of the two; a connection or a file stays open until *stack* is left."""
    from mqtriage.commands.msg import sides as message_sides
    from mqtriage.operations.archive_content import message_test

    if kind == "queue":
        choosing.read_note(app, name, refuse)
        backend = stack.enter_context(app.open_backend(read_only=True))
        return message_sides.queue_side(backend, name, which)
    chosen: Callable[..., bool] = message_test(which, time.time_ns() // 1_000) or (lambda _: True)
    if kind == "archive":
        return message_sides.archive_side(named(app, name), chosen)
    if kind == "file":
        return message_sides.file_side(name, stack.enter_context(opened(app, name)), chosen)
    from mqtriage.cli.snapshot import folder_of as snapshots_of

    return message_sides.snapshot_side(
        snapshots_of(app, None), name, app.connection.qmgr, chosen, app.warn
    )
