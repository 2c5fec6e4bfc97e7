"""`mqtriage msg`: messages on any queue; the work is in commands/msg."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.inputs import bodies_of, named_archive, opened
from mqtriage.cli.frame.message_flow import load_file, put_messages, remove, requeue_as
from mqtriage.cli.frame.options import (
    Browsing,
    ConnectionOptions,
    Connections,
    Consent,
    Guards,
    Output,
    Safety,
)
from mqtriage.cli.frame.recording import leading_to_history
from mqtriage.cli.frame.selection import (
    BODY,
    DECODE,
    GROUP,
    NTH,
    Copies,
    CopiesOfFile,
    body_form,
    browse_selected,
    note_expiry,
    read_selection,
)
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.msg.put_options import MESSAGE_DATA, PutOptions, message_data
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import REQUIRED, argument, arguments, duration, flag, repeated, text
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.commands.msg.diff import Side
    from mqtriage.messages.filters.selection import Selection
    from mqtriage.model.client_settings import Showing
    from mqtriage.model.result import Document, Record, Report
    from mqtriage.mq.descriptor import MQMD


QUEUE = argument(help="Name of the queue.", completes="queue")


QUEUES = arguments(
    "QUEUE", help="Names, or generic names: 'ORDERS.*'.", default=REQUIRED, completes="queue"
)


@takes(SelectionOptions, Browsing, Connections, Output)
def browse(
    app: AppContext,
    selection: SelectionOptions,
    queues: tuple[str, ...] = QUEUES,
    no_bodies: bool = flag(help="Show only headers and properties, not the bodies."),
    group: str | None = GROUP,
) -> None:
    """List the messages on a queue.

    Messages stay on the queue, but a browse makes the queue manager discard expired ones. JSON
    output contains every field of the descriptor and the headers, and the body. The body is in body
    if it is text, and otherwise in body_hex; --hex and --text choose one of them, and also show it
    in tables. Message properties are in properties, regardless of properties_as. With several
    queues or queue managers, each row names its queue and queue manager, and --skip and --limit
    apply to each queue. --no-bodies reads at most 32 KiB of each message, unless the selection
    needs its data.

    Examples:
        mqtriage msg browse ORDERS.IN --older-than 2h
        mqtriage msg browse 'ORDERS.*' PAY.IN -o ndjson
        mqtriage msg browse ORDERS.IN --where "backout >= 3"
        mqtriage msg browse BIG.FILES --no-bodies -o ndjson
        mqtriage msg browse ORDERS.IN --group put_appl,user
    """
    from mqtriage.commands.msg import messages

    one = is_one(queues)
    browse_selected(
        app,
        selection,
        queues[0] if one else queues,
        messages.browse if one else messages.browse_each,
        shows_messages="as asked",
        bodies=not no_bodies,
        group=group,
    )


def is_one(queues: tuple[str, ...]) -> bool:
    """Whether one queue is named, rather than some or a pattern."""
    return len(queues) == 1 and not queues[0].endswith("*")


@takes(Browsing, Connections, Output)
def show(
    app: AppContext,
    queue: str = QUEUE,
    msgid: str | None = argument(
        "MSGID",
        help="MsgId: the last 4 or more digits, which tables show, all 48 digits, HEX* or ID:HEX. "
        "Default: the first message.",
        default=None,
    ),
    body: str | None = BODY,
    decode: bool = DECODE,
    nth: int | None = NTH,
) -> None:
    """Show one message in full.

    Shows the descriptor, every header in the chain with its fields, and the body. Damage is
    reported on a separate line. On SYSTEM.DDELAY.LOCAL.QUEUE, you can use the MsgId that the sender
    got, and the target and due time come first. With several queue managers, it shows the message
    of each one that has it, and names the others on standard error; JSON is then a list (`items`).

    Examples:
        mqtriage msg show ORDERS.IN
        mqtriage msg show ORDERS.IN E5F60708
        mqtriage msg show ORDERS.IN E5F60708 -m QM1,QM2
        mqtriage msg show ORDERS.IN 414D5120514D31202020202020202020A1B2C3D4E5F60708 -o json
        mqtriage msg show ORDERS.IN 'ID:414D51*' --nth 2 --body json
        mqtriage msg show SYSTEM.DDELAY.LOCAL.QUEUE --no-decode --hex
    """
    from mqtriage.commands.delay.messages import show_staged
    from mqtriage.commands.msg.messages import show as show_message

    which = read_selection(app, SelectionOptions(msg_id=(msgid,) if msgid else ()))
    note_expiry(app, queue)
    is_staged = queue == STAGING_QUEUE
    show_one = show_staged if is_staged else partial(show_message, queue=queue)
    showing: Showing = "rfh2" if is_staged else "as asked"
    form = body_form(app)

    def shown(one: AppContext) -> Document:
        with (
            one.target.open_backend(read_only=True, shows_messages=showing) as backend,
            leading_to_history(one, backend, msgid),
        ):
            return show_one(backend, selection=which, nth=nth, form=form, body=body, decode=decode)

    if len(app.target.connections) > 1:
        from mqtriage.cli.frame.several import emit_found

        emit_found(app, shown)
    else:
        app.output.emit(shown(app))


@takes(SelectionOptions, Browsing, Connections, Output)
def count(
    app: AppContext,
    selection: SelectionOptions,
    queues: tuple[str, ...] = QUEUES,
    by: str | None = text(
        metavar="FIELD,...",
        help="Group by --where fields, prop.NAME, body paths ($.a.b, /a/@b), or queue.",
        completes="field",
    ),
) -> None:
    """Count the messages that match.

    Browses the queue. Unlike CURDEPTH, the count does not include expired or uncommitted messages.
    --by groups the messages of all queues together, and lists the largest group first. A missing
    value is shown as empty. Memory use does not grow with the number of groups.

    Examples:
        mqtriage msg count ORDERS.IN --backout '>=3'
        mqtriage msg count 'ORDERS.*' PAY.IN --older-than 1d -o json
        mqtriage msg count ORDERS.IN --by format,put_appl
        mqtriage msg count 'ORDERS.*' --by queue,prop.country,$.order.type
    """
    from mqtriage.commands.msg import counts

    which = read_selection(app, selection)
    note_expiry(app, queues)
    if by is not None:
        keys = counts.keys_of(by)
        app.emit_read(
            lambda backend: counts.count_by(backend, queues, keys, which), shows_messages="as asked"
        )
        return
    messages = 0

    def counted(items: Iterable[Record]) -> Iterator[Record]:
        nonlocal messages
        for item in items:
            messages += item["message_count"]
            yield item

    with app.reading(
        lambda backend: counts.count_each(backend, queues, which), shows_messages="as asked"
    ) as listing:
        listing.items = counted(listing.items)
        app.output.emit(listing)
    app.run.note_empty(messages)


@takes(Consent, ConnectionOptions, Output)
def put(
    app: AppContext,
    safety: Consent,
    *,
    queue: str = QUEUE,
    body: str | None = MESSAGE_DATA,
    delay: int | None = duration(
        metavar="30s",
        help="Delivery delay. The message looks like one from a JMS client.",
        least_ms=1,
    ),
    options: PutOptions,
) -> None:
    """Put messages on a queue, or send them with a delivery delay.

    Prints one MsgId per line; on a terminal, only the number of several messages. Properties go
    into an MQRFH2 before the data. The message's Format is then MQHRF2, and the header contains the
    Format that you gave. Each --file becomes one message. Several files are put in one unit of
    work, also with --delay.

    With --delay, the message looks like one from IBM's JMS classes: persistent, with priority 4. It
    has an MQRFH2 with mcd, jms and mqext folders; mqext contains the delay and the delivery
    time. The command prints the MsgId that the sender sees, which is the CorrelId on the staging
    queue. The MQI has no delivery delay. On a real queue manager, Java therefore sends the message
    through IBM's JMS client. Set the jms_classpath key to the client's jars.

    Examples:
        mqtriage msg put ORDERS.IN 'hello' --yes
        mqtriage msg put ORDERS.IN --file order.xml --md-format MQSTR --persistent --yes
        mqtriage msg put ORDERS.IN - --prop Color=red --yes < order.txt
        mqtriage msg put ORDERS.IN --file order.bin --file order.xml --yes
        mqtriage msg put ORDERS.IN 'hello' --delay 1h --yes
        mqtriage msg put ORDERS.IN --file order.bin --file order.xml --delay 1h --yes
    """
    from mqtriage.commands.msg import put as putting

    app.target.puts_to = (queue,)
    bodies = bodies_of(app, body, options.file)
    if delay is not None:
        _put_delayed(app, safety, queue, bodies, delay, options, message_data(body, options))
        return
    messages = [putting.message_of(one, options) for one in bodies]
    number = options.count
    with app.target.open_backend() as backend:
        largest = max(messages, key=lambda message: len(message[1]))
        facts = {"length_bytes": number * sum(len(data) for _, data in messages)}
        plan = putting.plan_put(
            backend, queue, *largest, number * len(messages), facts=facts, whole=len(messages) > 1
        )
        work = partial(putting.put, backend, queue, messages, number, app.run.should_stop)
        put_messages(app, backend, safety, plan, work, message_data(body, options))


def _put_delayed(
    app: AppContext,
    safety: Consent,
    queue: str,
    bodies: list[str | bytes],
    delay_ms: int,
    options: PutOptions,
    secret: tuple[str, ...],
) -> None:
    """Send messages with a delivery delay, as a JMS client does.

    Args:
        secret: the arguments that are data of the messages.
    """
    from mqtriage.commands.delay.put import jms_message, jms_put, put_delayed, send_by_jms
    from mqtriage.commands.msg import put as putting

    if options.ccsid is not None or options.encoding is not None:
        raise UsageError("--ccsid and --encoding: not with --delay; a JMS client sends UTF-8")

    def message(body: str | bytes, sent_us: int) -> tuple[MQMD, bytes]:
        return jms_message(body, options, queue, delay_ms, sent_us)

    for one in bodies:
        message(one, 0)  # wrong usage needs no queue manager
    with app.target.open_backend() as backend:
        jars = _jms_jars(app, backend)
        by_jms = jms_put(bodies, options, queue, delay_ms) if jars else None

        def carry_out() -> Report:
            if by_jms is None:
                messages = [partial(message, one) for one in bodies]
                return put_delayed(
                    backend, queue, messages, delay_ms, options.count, app.run.should_stop
                )
            settings = app.target.client_settings()
            return send_by_jms(settings, backend.queue_manager, jars, by_jms, app.run.environ)

        staged = [message(one, backend.now_us()) for one in bodies]
        length_bytes = options.count * sum(len(data) for _, data in staged)
        plan = putting.plan_put(
            backend,
            queue,
            *max(staged, key=lambda one: len(one[1])),
            options.count * len(bodies),
            facts={"length_bytes": length_bytes, "delay_ms": delay_ms},
            whole=len(bodies) > 1,
        )
        put_messages(app, backend, safety, plan, carry_out, secret)


def _jms_jars(app: AppContext, backend: Backend) -> str:
    """The class path of IBM's JMS client where that has to send; "" where the backend can.

    Raises:
        Refused: The backend cannot, and no jars are named, it is a web server, or an untrusted file
            names them.
    """
    from mqtriage.backends.port import Capability, no_delayed_put

    if Capability.DELAYED_PUT in backend.capabilities:
        return ""
    jars = app.target.settings.text("jms_classpath")
    if not jars or backend.kind == "rest":
        raise no_delayed_put(backend.kind)
    app.target.settings.refuse_untrusted(
        "Java is not started", "jms_classpath", "connection", "ccdt"
    )
    return jars


FROM = argument("FROM", help="Queue that contains the messages.", completes="queue")
TO = text("--to", help="Queue to put the messages on.", default=REQUIRED, completes="queue")


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def copy(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    *,
    queue: str = FROM,
    to: str = TO,
    copies: Copies,
) -> None:
    """Copy messages to another queue.

    The originals stay, and FROM is opened only for browse. The copies keep their ids, context and
    remaining lifetime; --new-msgid gives them new MsgIds. --set-prop changes properties in the usr
    folder of their MQRFH2, and leaves everything else unchanged.

    Examples:
        mqtriage msg copy ORDERS.IN --to ORDERS.TEST --limit 10 --yes
        mqtriage msg copy ORDERS.BO --to ORDERS.TEST --new-msgid --headers strip --dry-run
    """
    requeue_as("copy", app, selection, safety, queue, to, copies)


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def move(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    *,
    queue: str = FROM,
    to: str = TO,
    add_dlh: str | None = text(
        metavar="REASON",
        help="Add an MQDLH with this reason: MQRC_Q_FULL, 2053.",
        completes="reason",
    ),
    copies: Copies,
) -> None:
    """Move messages from one queue to another.

    Gets each message and puts its copy in one unit of work, with its ids, context and remaining
    lifetime. Each message is archived before it is removed. --set-prop changes properties in the
    usr folder of the MQRFH2; journal undo restores the originals from the archive. --add-dlh adds a
    dead-letter header, so that dlq requeue can return the messages to FROM. If --expiry is a time,
    the messages are parked until then. Before that time, journal undo --expiry original returns
    them with their original lifetime. After it, the queue manager discards them, but msg load can
    still restore them from the archive.

    Examples:
        mqtriage msg move ORDERS.IN --to ORDERS.HOLD --older-than 2h -n
        mqtriage msg move ORDERS.IN --to ORDERS.HOLD --where "format = 'MQSTR'" --yes
        mqtriage msg move ORDERS.IN --to PARKED --expiry 2031-01-31T18:00:00Z --reports strip -n
        mqtriage msg move ORDERS.IN --to DLQ --add-dlh MQRC_NOT_AUTHORIZED --msgid A1B2C3D4 -n
    """
    requeue_as("move", app, selection, safety, queue, to, copies, letter=add_dlh)


@takes(SelectionOptions, Guards, ConnectionOptions, Output)
def purge(
    app: AppContext,
    selection: SelectionOptions,
    safety: Guards,
    queue: str = argument(help="Name of the queue, or 'ORDERS.*'.", completes="queue"),
) -> None:
    """Remove messages after archiving them.

    Without a selection, it purges the whole queue, and you must type the queue's name, or give it
    with --confirm. With a generic name, each queue that contains messages has its own plan,
    confirmation and operation. --confirm takes the generic name for all of them. Answering no stops
    the command. To keep the messages for a week instead, use msg move --to QUEUE --expiry 7d.

    Examples:
        mqtriage msg purge ORDERS.IN --older-than 30d --expect 412 --yes
        mqtriage msg purge 'ORDERS.*' --older-than 30d -n
        mqtriage msg purge ORDERS.IN --confirm ORDERS.IN
        mqtriage msg purge 'ORDERS.*' --confirm 'ORDERS.*'
    """
    remove(app, selection, safety, queue)


@takes(SelectionOptions, Browsing, ConnectionOptions, Output)
def archive(
    app: AppContext,
    selection: SelectionOptions,
    queue: str = QUEUE,
    out: str | None = text(help="New file. Default: one in the archive folder.", completes="file"),
    file_format: str = text(
        "--format",
        help="mqtriage's archive format, or IBM's dmpmqmsg format with data in hex, or as text if "
        "readable.",
        default="ndjson",
        choices=("ndjson", "dmpmqmsg", "dmpmqmsg-text"),
    ),
    compress: bool = flag(help="Compress the file. This is the default if --out ends in .gz."),
    no_bodies: bool = flag(help="Save only descriptors. You cannot put these messages back."),
    separate: bool = flag(
        "--each", help="Write an NDJSON file for each message, in the --out folder."
    ),
) -> None:
    """Copy messages to a file; they stay on the queue.

    The file contains the unchanged descriptor and data of each message, with digests. The command
    never overwrites an existing file. It writes an index next to an archive, but not next to a
    dmpmqmsg file or with --each. msg load puts the messages back, here or on another queue manager.
    To mask or hash their data, use archive copy. IBM's tool can load a dmpmqmsg file too. To load
    the files that --each writes, give msg load the folder or a single file.

    Examples:
        mqtriage msg archive ORDERS.IN
        mqtriage msg archive ORDERS.BO --out orders.ndjson.gz --older-than 1d
        mqtriage msg archive ORDERS.BO --out orders.dump --format dmpmqmsg-text
        mqtriage msg archive ORDERS.BO --each --out orders
    """
    from mqtriage.commands.msg.archive import CopyTarget
    from mqtriage.commands.msg.archive import archive as archive_messages

    folder, bodies = app.target.archive_folder(), not no_bodies
    form, _, readable = file_format.partition("-")
    to = CopyTarget(form, out, folder, bool(readable), compress, bodies, separate)
    to.check()
    which = read_selection(app, selection)
    note_expiry(app, queue)
    with app.target.open_backend(read_only=True) as backend:
        document = archive_messages(backend, queue, which, to)
    app.output.emit(document)
    app.run.note_empty(document.data["message_count"])


@takes(SelectionOptions, Safety, ConnectionOptions, Output)
def load(
    app: AppContext,
    selection: SelectionOptions,
    safety: Safety,
    *,
    file: str = argument(
        help="Archive, listing, dump, or a folder written by msg archive --each; - is standard "
        "input. archive ls FILE shows what is in it.",
        completes="file",
    ),
    to: str = text(help="Queue to put the messages on.", default=REQUIRED, completes="queue"),
    skip_damaged: bool = flag(help="Load the undamaged part of a damaged file."),
    allow_duplicates: bool = flag(help="Put messages even if they are already on the queue."),
    copies: CopiesOfFile,
) -> None:
    """Put messages from a file on a queue.

    Reads archives, the output of msg browse -o ndjson and of amqsbcg, and the files of IBM's
    dmpmqmsg (qload). To repair messages, edit the output of msg browse -o ndjson and load it. If
    you load it on the queue of the originals, purge those first: their MsgIds are the same.
    Messages keep their ids, context (including the put time) and remaining lifetime. The command
    rejects a damaged file before it puts anything, and reports the line. It also rejects a file if
    the queue already has a message with the MsgId and content that it would put. A note counts the
    MsgIds that are on the queue with different content. A selection loads only some of the
    messages; ages are measured against this machine's clock. T lines in a dmpmqmsg file are not
    byte-exact, because each adds a newline. The journal records the load. journal resume continues
    an interrupted load and puts nothing twice; journal undo removes the messages again.

    Examples:
        mqtriage msg load orders.ndjson --to ORDERS.IN --dry-run
        mqtriage msg load orders.dump --to ORDERS.IN --yes
        mqtriage msg load orders.ndjson --to ORDERS.IN --limit 10 --dry-run
        mqtriage msg browse PAYMENTS.IN -o ndjson | mqtriage msg load - --to ORDERS.COPY --yes
    """
    from mqtriage.operations.load.plan import LoadRequest
    from mqtriage.operations.load.restore import choose

    copy = copies.options(safety.reports, app.run.remark)
    which = read_selection(app, selection)
    with opened(app, file) as data, app.target.open_backend() as backend:
        request = LoadRequest(
            data, file, to, copy, safety.batch, skip_damaged,
            duplicates="put" if allow_duplicates or copy.new_msg_id else "refuse",
            path="" if file == "-" else os.path.abspath(file),
        )  # fmt: skip
        choose(request, which, time.time_ns() // 1_000)
        load_file(app, backend, safety, request)


@takes(SelectionOptions, Browsing, ConnectionOptions, Output)
def diff(
    app: AppContext,
    selection: SelectionOptions,
    a: str = argument("A", help="Queue, archive, file or snapshot:REF."),
    b: str = argument("B", help="Queue, archive, file or snapshot to compare A with."),
    ignore: tuple[str, ...] = repeated(metavar="FIELD,...", help="Ignore these fields."),
) -> None:
    """Compare the messages of two queues, files or snapshots.

    Unless a name has the prefix queue:, archive:, file: or snapshot:, the command looks for a file,
    then an archive, then a queue with that name. A file can be an archive, a listing, or a dump
    from dmpmqmsg or amqsbcg. In an archive, only messages that the operation removed are compared.
    Messages are matched by MsgId. CHANGE is only-a, only-b or changed.
    WHAT lists the fields that differ. Exits 4 if there is a difference.

    Examples:
        mqtriage msg diff ORDERS.IN ORDERS.COPY --ignore put_time,put_appl_name
        mqtriage msg diff orders.ndjson.gz ORDERS.IN
        mqtriage msg diff snapshot:latest~1 snapshot:latest -o json
    """
    from mqtriage.commands.msg import diff as message_diff
    from mqtriage.commands.msg import sides as message_sides

    which = read_selection(app, selection)
    if which.skip or which.limit is not None:
        raise UsageError("--skip and --limit: msg diff always compares both sides completely")

    def warn(text: str) -> None:
        listing.warnings.append(text)  # so that JSON has it, too

    which = replace(which, warn=warn)
    ignored = message_diff.ignored_fields(ignore or ())
    kinds = [message_sides.kind_of(name, app.target.archive_folder) for name in (a, b)]
    with ExitStack() as stack:
        sides = [_side(app, stack, kind, name, which, warn) for kind, name in kinds]
        listing = message_diff.diff(sides[0], sides[1], ignored)
        app.output.emit(listing, empty="")
    counted = listing.summary
    different = sum(counted[key] for key in ("only_in_a", "only_in_b", "changed"))
    app.run.say(
        f"{counted['only_in_a']} only in A, {counted['only_in_b']} only in B, "
        f"{counted['changed']} changed, {counted['same']} the same"
    )
    app.run.note_findings(different)


def _side(
    app: AppContext,
    stack: ExitStack,
    kind: str,
    name: str,
    which: Selection,
    warn: Callable[[str], None],
) -> Side:
    """One of the two; a connection or a file stays open until *stack* is left."""
    from mqtriage.commands.msg import sides as message_sides
    from mqtriage.operations.archive.content import message_test
    from mqtriage.operations.selection.selected import FieldCheck

    if kind == "queue":
        note_expiry(app, name)
        backend = stack.enter_context(app.target.open_backend(read_only=True))
        return message_sides.queue_side(backend, name, which)
    now_us = time.time_ns() // 1_000
    tested = FieldCheck(which, now_us)
    chosen: Callable[..., bool] = message_test(which, now_us, tested) or (lambda _: True)
    if kind == "archive":
        side = message_sides.archive_side(named_archive(app, name), chosen)
    elif kind == "file":
        side = message_sides.file_side(name, stack.enter_context(opened(app, name)), chosen)
    else:
        side = message_sides.snapshot_side(
            app.target.snapshot_folder(), name, app.target.connection.qmgr, chosen, warn
        )
    return message_sides.with_field_warnings(side, tested)
