"""`mqtriage backout ls|set|explain`: BOTHRESH, BOQNAME and what they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Browsing, ConnectionOptions, Connections, Consent, Output
from mqtriage.cli.frame.recording import leading_to_history
from mqtriage.cli.frame.selection import MSG_ID, message_id
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument, flag, number, pair, repeated, text
from mqtriage.model.output_forms import PLAIN, TABLE
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.definitions.change import Change
    from mqtriage.model.result import Listing


_MOST_NAMED: Final = 5

NAME = argument(help="Local queue or alias.", completes="queue")
PATTERN = argument(
    "PATTERN",
    help="Name or generic name. Default: all except SYSTEM.*",
    default=None,
    completes="queue",
)


@takes(Connections, Output)
def ls(
    app: AppContext,
    pattern: str | None = PATTERN,
    problems: bool = flag(help="List only queues that are not ok, off or boq."),
) -> None:
    """List queues with their backout settings.

    STATE is ok, off (neither BOTHRESH nor BOQNAME is set), failing (off, but messages were rolled
    back), boq (off, but another queue's backout queue), half (only one is set), high (BOTHRESH is
    above 100), full (the depth is MAXDEPTH), broken (a put to the backout queue would fail), shared
    (another queue uses it) or loop. --problems also lists what is wrong with each queue. PENDING
    counts the messages whose BackoutCount is at BOTHRESH, or above 0 if BOTHRESH is 0. No messages
    are browsed, so a real queue manager does not report PENDING, and no queue is failing there.

    Examples:
        mqtriage backout ls
        mqtriage backout ls 'ORDERS.*' --problems --wide
    """
    from mqtriage.definitions.backout_policy import ls as list_settings

    uncounted: set[str] = set()

    def settings(backend: Backend) -> Listing:
        if backend.insight is None:
            uncounted.add(backend.queue_manager)
        return list_settings(backend, pattern, problems=problems)

    with app.reading(settings) as listing:
        app.output.emit(listing, empty="no problems" if problems else "no queues")
        if app.output.form in (TABLE, PLAIN):
            if problems:
                _count_off(app, listing.summary, uncounted=bool(uncounted))
            _name_full(app, listing.summary)


def _count_off(app: AppContext, summary: Mapping[str, Any], *, uncounted: bool) -> None:
    """Say how many queues are not listed because nothing was set up on them.

    Args:
        uncounted: rolled-back messages on them are not known without a browse.
    """
    states = summary.get("states", {})
    several = len(app.target.connections) > 1
    off = sum(of.get("off", 0) for of in (states.values() if several else (states,)))
    if not off:
        return
    unknown = ", not browsed for rolled-back messages" if uncounted else ""
    browses = uncounted and app.target.backend_kind != "rest"
    command = "pending" if browses else "ls shows them"
    app.run.say(
        f"not listed: {count_text(off, 'queue')} in state off (neither BOTHRESH nor BOQNAME is"
        f" set){unknown}; mqtriage backout {command}"
    )


def _name_full(app: AppContext, summary: Mapping[str, Any]) -> None:
    """Say which backout queues hold messages, the fullest first, and what shows why.

    Args:
        summary: of the listing: depth, MAXDEPTH and origin by queue; of several queue managers by
            the name of each.
    """
    holding, origins = summary.get("holding", {}), summary.get("comparable", {})
    several = len(app.target.connections) > 1
    depths_of_each = holding.items() if several else [("", holding)]
    of_name: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for at, depths in depths_of_each:
        origin_of = origins.get(at, {}) if several else origins
        for name, depth in depths.items():
            of_name.setdefault((name, origin_of.get(name, "")), []).append((at, depth))
    full = sorted(
        (
            (sum(depth for _, depth in places), name, origin, places)
            for (name, origin), places in of_name.items()
        ),
        reverse=True,
    )
    for total, name, origin, places in full[:_MOST_NAMED]:
        against = f" --against {shell_word(origin)}" if origin else ""
        where = f" -m {shell_word(','.join(at for at, _ in places))}" if several else ""
        command = f"backout causes {shell_word(name)}{against}{where}"
        if app.target.backend_kind == "rest":
            command = f"msg browse {shell_word(name)}"
        on = f" on {count_text(len(places), 'queue manager')}" if len(places) > 1 else ""
        most = summary["maxdepth"][places[0][0]] if several else summary["maxdepth"]
        of = f" of at most {most[name]}" if len(places) == 1 else ""
        app.run.say(f"{name} contains {count_text(total)}{of}{on}: mqtriage {command}")
    if len(full) > _MOST_NAMED:
        app.run.say(f"{len(full) - _MOST_NAMED} more backout queues contain messages")


@takes(Consent, ConnectionOptions, Output)
def set_(
    app: AppContext,
    safety: Consent,
    name: str = NAME,
    threshold: str | None = text(
        metavar="N", help="BOTHRESH: number of rollbacks; 0 turns off poison message handling."
    ),
    boq: str | None = text(help="BOQNAME; '' clears it.", completes="queue"),
    create_boq: bool = flag(help="Define the backout queue if it does not exist."),
    like: str | None = text(
        help="Copy the attributes of this queue. Default: QUEUE.", completes="queue"
    ),
    allow_missing_boq: bool = flag(
        help="Continue even if the backout queue is missing or cannot accept the messages."
    ),
    from_analysis: str | None = text(
        help="Use the BOTHRESH in FILE, the output of analyze cohort -o json.", completes="file"
    ),
    mqsc: bool = flag(help="Print the MQSC without running it."),
) -> None:
    """Set a queue's BOTHRESH and BOQNAME.

    For an alias, it changes the settings of the target queue. It rejects a backout queue that is
    missing, not local, PUT(DISABLED) or too small, or that is the queue itself or leads back to it.
    It warns if the backout queue is the dead-letter queue or is shared with another queue.

    Examples:
        mqtriage backout set ORDERS.IN --threshold 3 --boq ORDERS.BO --create-boq --yes
        mqtriage backout set ORDERS.IN --threshold 5 -n
        mqtriage backout set ORDERS.IN --threshold 0 --boq '' --yes
        mqtriage backout set ORDERS.IN --from-analysis cohort.json -n
        mqtriage backout set ORDERS.IN --threshold 3 --boq ORDERS.BO --mqsc
    """
    from mqtriage.cli.frame.definition_flow import change_definition
    from mqtriage.commands.backout.changes import plan_set, threshold_from

    if from_analysis is not None and threshold is not None:
        raise UsageError("--from-analysis does what --threshold does; give one")

    def plan(reader: Backend) -> Change:
        least = threshold
        if from_analysis is not None:
            least = threshold_from(from_analysis, reader.queue_manager, name)
        return plan_set(
            reader,
            name,
            threshold=least,
            boq=boq,
            create_boq=create_boq,
            like=like or "",
            allow_missing_boq=allow_missing_boq,
        )

    def text_of(change: Change) -> str:
        nothing = f"* unchanged: {change.plan.queue} already has these values"
        return "\n".join(change.plan.mqsc) or nothing

    change_definition(app, safety, plan, mqsc=text_of if mqsc else None)


@takes(Browsing, Connections, Output)
def explain(
    app: AppContext,
    name: str = argument(help="Local queue or alias (case-sensitive).", completes="queue"),
    msgid: str | None = MSG_ID,
    backout_count: int | None = number(help="Assume this BackoutCount."),
    report_option: tuple[str, ...] = repeated(
        "--report", metavar="NAME", help="Assume this report option: DISCARD_MSG."
    ),
    persistent: bool | None = pair(
        "--persistent/--not-persistent", help="Assume this persistence."
    ),
) -> None:
    """Explain what each kind of client does with a poison message.

    For JMS, XMS, MQI programs and integration nodes, shows what happens next, where the message
    ends up if it always fails, and which attribute or report option determines that. Without
    --msgid, it assumes a message that was rolled back BOTHRESH times. It checks puts to BOQNAME and
    the dead-letter queue against their current definitions and depths.

    Examples:
        mqtriage backout explain ORDERS.IN
        mqtriage backout explain ORDERS.IN --msgid E5F60708 -o json
        mqtriage backout explain ORDERS.IN --report DISCARD_MSG --not-persistent
    """
    from mqtriage.commands.backout.explain import Assumed, explain, head_lines, without_repeats

    reports = tuple(word for given in report_option for word in given.split(","))
    assumed = Assumed(backout_count, reports, persistent)

    def listing_of(backend: Backend) -> Listing:
        with leading_to_history(app, backend, msgid):
            return explain(backend, name, message_id(app, backend, name, msgid), assumed)

    with app.reading(listing_of) as listing:
        if app.output.form in (TABLE, PLAIN) and len(app.target.connections) == 1:
            for line in head_lines(listing.summary):
                app.run.say(line)
            without_repeats(listing)
        app.output.emit(listing)
