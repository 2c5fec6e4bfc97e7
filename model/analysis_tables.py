"""The tables that `mqtriage analyze` makes: their columns, how they are shown and ordered.

Pure data, so that the command line can tell columns without Spark, and a report without running.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mqtriage.model.result import Field, Show

_N, _T, _B, _MS = Show.NUMBER, Show.TIME, Show.BYTES, Show.AGE_MS


class AnalysisTable(NamedTuple):
    """One table.

    Attributes:
        name: also the folder below `--out`.
        kind: JSON `kind`.
        order: columns to sort by.
    """

    name: str
    kind: str
    title: str
    fields: tuple[Field, ...]
    order: tuple[str, ...]


def _field(
    key: str, show: Show = Show.TEXT, *, wide: bool = False, yields: int = 0, heading: str = ""
) -> Field:
    return Field(key, heading or key.upper(), show, wide=wide, yields=yields)


_QMGR: Final = _field("qmgr", Show.NAME)
_QUEUE: Final = Field("queue", "QUEUE", Show.NAME, width=20)

PROFILE: Final = AnalysisTable(
    "profile",
    "MessageProfileList",
    "Messages by day, format and program",
    (
        _QMGR,
        _QUEUE,
        _field("day"),
        _field("format"),
        _field("put_appl_name", heading="PUT_APPL"),
        _field("messages", _N),
        _field("length_bytes", _B, heading="BYTES"),
        _field("length_p50_bytes", _B, wide=True),
        _field("length_p95_bytes", _B, yields=2, heading="LENGTH_P95"),
        _field("length_max_bytes", _B, heading="LENGTH_MAX"),
        _field("age_p50_ms", _MS, wide=True, heading="AGE_P50"),
        _field("age_p95_ms", _MS, yields=1, heading="AGE_P95"),
        _field("age_max_ms", _MS, heading="AGE_MAX"),
        _field("backed_out", _N, yields=3),
        _field("put_after_look", _N, wide=True),
    ),
    ("qmgr", "queue", "day", "format", "put_appl_name"),
)

DELAY: Final = AnalysisTable(
    "delay",
    "DelayLoadList",
    "The staging queue: its load, and the sizes that hold it",
    (
        _QMGR,
        _field("from_time", _T, wide=True),
        _field("until_time", _T, wide=True),
        _field("looks", _N, wide=True),
        _field("gap_ms", _MS, wide=True, heading="GAP"),
        _field("messages", _N),
        _field("peak_count", _N),
        _field("peak_count_error", _N, heading="+AT_MOST"),
        _field("peak_bytes", _B, yields=7),
        _field("peak_bytes_error", _B, wide=True),
        _field("peak_time", _T, yields=9),
        _field("arrivals_a_minute", _N, wide=True),
        _field("releases_a_minute", _N, wide=True),
        _field("delay_p50_ms", _MS, wide=True, heading="DELAY_P50"),
        _field("delay_p95_ms", _MS, yields=8, heading="DELAY_P95"),
        _field("delay_max_ms", _MS, yields=6, heading="DELAY_MAX"),
        _field("delay_max_target", wide=True),
        _field("odd_delays", _N, yields=5, heading="ODD"),
        _field("late", _N, yields=4),
        _field("late_p95_ms", _MS, wide=True, heading="LATE_P95"),
        _field("late_max_ms", _MS, wide=True, heading="LATE_MAX"),
        _field("doomed", _N, yields=3),
        _field("left_early", _N, wide=True),
        _field("largest_bytes", _B, wide=True, heading="LARGEST"),
        _field("greatest_curdepth", _N, wide=True),
        _field("full_looks", _N, wide=True),
        _field("maxdepth_now", _N, yields=2),
        _field("maxdepth", _N),
        _field("maxdepth_sum", wide=True),
        _field("maxmsgl_now_bytes", _B, wide=True, heading="MAXMSGL_NOW"),
        _field("maxmsgl_bytes", _B, heading="MAXMSGL"),
        _field("maxmsgl_sum", wide=True),
        _field("maxfsize_mb", _N),
        _field("maxfsize_sum", wide=True),
    ),
    ("qmgr",),
)

DELAY_LOAD: Final = AnalysisTable(
    "delay_load",
    "DelayLoadMinuteList",
    "The staging queue minute by minute",
    (
        _QMGR,
        _field("minute_time", _T),
        _field("arrivals", _N),
        _field("releases", _N),
        _field("peak_count", _N),
        _field("end_count", _N),
        _field("peak_bytes", _B),
        _field("end_bytes", _B),
        _field("minutes", _N),
    ),
    ("qmgr", "minute_time"),
)

DELAY_HOURS: Final = AnalysisTable(
    "delay_hours",
    "DelayLoadHourList",
    "The staging queue hour by hour",
    (
        _QMGR,
        _field("hour_time", _T),
        _field("arrivals", _N),
        _field("releases", _N),
        _field("peak_count", _N),
        _field("peak_bytes", _B),
    ),
    ("qmgr", "hour_time"),
)

DELAY_TARGETS: Final = AnalysisTable(
    "delay_targets",
    "DelayTargetList",
    "Delays by target queue",
    (
        _QMGR,
        _field("target"),
        _field("messages", _N),
        _field("delay_p50_ms", _MS, heading="DELAY_P50"),
        _field("delay_p95_ms", _MS, heading="DELAY_P95"),
        _field("delay_max_ms", _MS, heading="DELAY_MAX"),
        _field("odd_delays", _N),
        _field("late", _N),
        _field("late_max_ms", _MS, heading="LATE_MAX"),
        _field("doomed", _N),
    ),
    ("qmgr", "target"),
)

DEPTH: Final = AnalysisTable(
    "depth",
    "DepthForecastList",
    "When queues will be full, and which were stuck",
    (
        _QMGR,
        _QUEUE,
        _field("looks", _N, wide=True),
        _field("last_time", _T, wide=True),
        _field("curdepth", _N),
        _field("maxdepth", _N),
        _field("greatest_curdepth", _N, yields=3, heading="GREATEST"),
        _field("full_looks", _N, yields=4),
        _field("growth_a_day", _N),
        _field("swing", _N, wide=True),
        _field("noise", _N, wide=True),
        _field("full_time", _T),
        _field("full_early_time", _T, yields=1),
        _field("full_late_time", _T, wide=True),
        _field("sure_percent", _N, yields=2, heading="SURE_%"),
        _field("stuck_from", _T),
        _field("stuck_until", _T, yields=5),
        _field("stuck_growth", _N, wide=True),
        _field("stuck_readers", _N, wide=True),
    ),
    ("qmgr", "queue"),
)

DEPTH_HOURS: Final = AnalysisTable(
    "depth_hours",
    "DepthHourList",
    "Depth hour by hour",
    (
        _QMGR,
        _QUEUE,
        _field("hour_time", _T),
        _field("curdepth", _N),
        _field("maxdepth", _N),
    ),
    ("qmgr", "queue", "hour_time"),
)

EXPIRY: Final = AnalysisTable(
    "expiry",
    "ExpiryHistoryList",
    "What expired, and which lifetime would have done",
    (
        _QMGR,
        _QUEUE,
        _field("messages", _N),
        _field("with_expiry", _N),
        _field("expired", _N),
        _field("expired_bytes", _B),
        _field("carried_message_hours", _N, yields=1),
        _field("carried_mb_hours", _N, wide=True),
        _field("taken", _N, yields=2),
        _field("still_there", _N, wide=True),
        _field("lifetime_p50_ms", _MS, heading="LIFETIME_P50"),
        _field("wait_p50_ms", _MS, wide=True, heading="WAIT_P50"),
        _field("wait_p95_ms", _MS, wide=True, heading="WAIT_P95"),
        _field("sufficient_ms", _MS, heading="SUFFICIENT"),
    ),
    ("qmgr", "queue"),
)

CAUSES: Final = AnalysisTable(
    "causes",
    "HistoryCauseList",
    "What poison messages share and healthy ones do not",
    (
        _QMGR,
        _field("family", heading="BACKOUT_QUEUE"),
        _field("rank", _N),
        _field("where", heading="WHAT_THEY_SHARE"),
        _field("messages", _N, heading="COUNT"),
        _field("sick", _N, yields=3, heading="POISON"),
        _field("healthy", _N, wide=True),
        _field("support", _N),
        _field("healthy_count", _N, yields=2),
        _field("lift", _N),
        _field("score", _N, yields=1),
        _field("first_put_time", _T, wide=True),
        _field("last_put_time", _T, wide=True),
        Field("sample_msg_id", "SAMPLE_MSGID", Show.ID, wide=True),
        _field("rule", wide=True),
    ),
    ("qmgr", "family", "rank"),
)

COHORT: Final = AnalysisTable(
    "cohort",
    "CohortList",
    "What became of the messages, and the BOTHRESH that would do",
    (
        _QMGR,
        _QUEUE,
        _field("messages", _N),
        _field("staged", _N, yields=1),
        _field("landed", _N, wide=True),
        _field("rolled_back", _N),
        _field("dead_lettered", _N),
        _field("requeued", _N),
        _field("expired", _N, yields=2),
        _field("cancelled", _N, yields=3),
        _field("open", _N, yields=4),
        _field("taken", _N),
        _field("tries_max", _N, wide=True),
        _field("helped_max", _N),
        _field("bothresh_now", _N),
        _field("bothresh", _N),
    ),
    ("qmgr", "queue"),
)

COHORT_SURVIVAL: Final = AnalysisTable(
    "cohort_survival",
    "CohortSurvivalList",
    "Survival by number of rollbacks",
    (
        _QMGR,
        _QUEUE,
        _field("attempt", _N),
        _field("reached", _N),
        _field("taken", _N),
        _field("taken_percent", _N, heading="TAKEN_%"),
    ),
    ("qmgr", "queue", "attempt"),
)

COHORT_LIVES: Final = AnalysisTable(
    "cohort_lives",
    "MessageLifeList",
    "The life of each message",
    (
        Field("original_msg_id", "ORIGINAL_MSGID", Show.ID),
        _QMGR,
        _QUEUE,
        _field("put_time", _T),
        _field("due_time", _T, yields=2),
        _field("landed_time", _T, yields=1),
        _field("staged", Show.FLAG),
        _field("tries", _N),
        _field("end"),
        _field("end_time", _T),
    ),
    ("qmgr", "queue", "put_time", "original_msg_id"),
)

DEFINITIONS: Final = AnalysisTable(
    "definitions",
    "DefinitionChangeList",
    "What changed in the definitions",
    (
        _field("time", _T),
        _QMGR,
        _field("kind"),
        _field("name"),
        _field("change"),
        _field("attribute"),
        _field("old_value", heading="OLD"),
        _field("new_value", heading="NEW"),
    ),
    ("time", "qmgr", "kind", "name", "attribute"),
)

DEFINITION_FINDINGS: Final = AnalysisTable(
    "definition_findings",
    "FindingTurnList",
    "Lint findings that came and went",
    (
        _field("time", _T),
        _QMGR,
        _field("change"),
        _field("code"),
        _field("severity"),
        _field("kind", wide=True),
        _field("name"),
        _field("message"),
    ),
    ("time", "qmgr", "code", "name", "change"),
)

TABLES_OF: Final[dict[str, dict[str, AnalysisTable]]] = {
    job: {table.name: table for table in tables}
    for job, tables in {
        "profile": (PROFILE,),
        "delay": (DELAY, DELAY_LOAD, DELAY_HOURS, DELAY_TARGETS),
        "depth": (DEPTH, DEPTH_HOURS),
        "expiry": (EXPIRY,),
        "causes": (CAUSES,),
        "cohort": (COHORT, COHORT_SURVIVAL, COHORT_LIVES),
        "definitions": (DEFINITIONS, DEFINITION_FINDINGS),
    }.items()
}
"""Job to its tables by name, the one that is printed unless another is asked for first."""

JOB_TITLES: Final[dict[str, tuple[str, str]]] = {
    "profile": (
        "Messages by day and program",
        "A message counts once for each day on which a snapshot saw it; its age is the one at the"
        " last snapshot of the day.",
    ),
    "delay": (
        "The staging queue of delayed messages",
        "A staged message lies on SYSTEM.DDELAY.LOCAL.QUEUE from its put until its due time, so"
        " the load between two snapshots is known too. The sizes are the load seen, what may have"
        " come and gone unseen, and headroom.",
    ),
    "depth": (
        "Depth of the queues",
        "A line through the last days, the pattern of the hours of a day, and noise tell when"
        " MAXDEPTH is reached. A queue that only grew was not read.",
    ),
    "expiry": (
        "Expired messages",
        "A message is taken to have expired when the last snapshot before the end of its lifetime"
        " saw it and the next one did not.",
    ),
    "causes": (
        "What poison messages share",
        "Poison is what had a BackoutCount or came to a backout queue; it is compared with the"
        " other messages of the queues that name that backout queue.",
    ),
    "cohort": (
        "What became of the messages",
        "Each message is followed by its original MsgId over queues and queue managers, as far as"
        " snapshots saw it.",
    ),
    "definitions": (
        "Changes of definitions",
        "What one snapshot defined otherwise than the one before, and the findings of mqtriage"
        " lint that came or went with that.",
    ),
}
"""Job to its title for people, and to how to read it."""

COLUMN_NOTES: Final[dict[str, str]] = {
    "qmgr": "queue manager",
    "queue": "queue that the messages were on, or, staged ones, are for",
    "day": "UTC day on which snapshots saw the messages",
    "format": "format of the message, MQMD.Format",
    "put_appl_name": "program that put them, MQMD.PutApplName",
    "messages": "how many messages",
    "length_bytes": "bytes of all of them, headers included",
    "length_p50_bytes": "half of them are not longer",
    "length_p95_bytes": "95 percent of them are not longer",
    "length_max_bytes": "length of the longest",
    "age_p50_ms": "half of them were not older",
    "age_p95_ms": "95 percent of them were not older",
    "age_max_ms": "age of the oldest",
    "backed_out": "messages with a BackoutCount above 0",
    "put_after_look": "messages put after the snapshot that saw them: clocks disagree",
    "from_time": "first snapshot that read the queue",
    "until_time": "last snapshot that read the queue",
    "looks": "snapshots that read the queue",
    "gap_ms": "longest time between two of them",
    "peak_count": "most messages staged at once",
    "peak_count_error": "messages that may have come and gone between two snapshots on top of that",
    "peak_bytes": "most bytes staged at once",
    "peak_bytes_error": "bytes that may have come and gone unseen on top of that",
    "peak_time": "minute of the peak, UTC",
    "arrivals_a_minute": "most messages staged in a minute",
    "releases_a_minute": "most messages released in a minute",
    "delay_p50_ms": "half of the delays are not longer",
    "delay_p95_ms": "95 percent of the delays are not longer",
    "delay_max_ms": "longest delay asked for",
    "delay_max_target": "queue that the message with the longest delay is for",
    "odd_delays": "messages with a delay of more than a hundred times the median",
    "late": "messages that were seen staged after their due time",
    "late_p95_ms": "95 percent of the late ones were not later",
    "late_max_ms": "how late the latest was",
    "doomed": "messages that expire before they are due",
    "left_early": "messages that were gone before they were due: cancelled, expired, or taken",
    "largest_bytes": "longest staged message with its delay header",
    "greatest_curdepth": "greatest CURDEPTH that a snapshot saw",
    "full_looks": "snapshots that found CURDEPTH at MAXDEPTH",
    "maxdepth_now": "MAXDEPTH at the last snapshot",
    "maxdepth": "MAXDEPTH; of the staging queue, the one that holds its load",
    "maxdepth_sum": "how that MAXDEPTH comes about",
    "maxmsgl_now_bytes": "MAXMSGL at the last snapshot",
    "maxmsgl_bytes": "MAXMSGL that holds the messages",
    "maxmsgl_sum": "how that MAXMSGL comes about",
    "maxfsize_mb": "MAXFSIZE of the queue file that holds the load, in MB",
    "maxfsize_sum": "how that MAXFSIZE comes about",
    "minute_time": "minute, UTC",
    "hour_time": "hour, UTC",
    "arrivals": "messages staged in it",
    "releases": "messages released in it",
    "end_count": "messages staged at its end",
    "end_bytes": "bytes staged at its end",
    "minutes": "minutes until the next row",
    "target": "queue that the messages are for",
    "last_time": "last snapshot of the queue",
    "curdepth": "CURDEPTH: at the last snapshot, or the greatest of the hour",
    "growth_a_day": "messages by which the queue grows in a day",
    "swing": "messages that the fullest hour of the day adds",
    "noise": "one standard deviation around line and pattern, in messages",
    "full_time": "when MAXDEPTH will be reached",
    "full_early_time": "when at the earliest, by twice the noise and the error of the trend",
    "full_late_time": "when at the latest, likewise",
    "sure_percent": "how sure it is that the queue grows at all",
    "stuck_from": "from when it grew most while nothing was taken off it",
    "stuck_until": "end of that time",
    "stuck_growth": "messages that came in that time",
    "stuck_readers": "handles that were open for input in that time",
    "with_expiry": "messages with a limited lifetime",
    "expired": "messages that expired",
    "expired_bytes": "bytes that expired",
    "carried_message_hours": "lives of what expired, added up: messages times hours",
    "carried_mb_hours": "the same in MB (1,000,000 bytes) times hours",
    "taken": "messages that were taken; in the survival table, of those that reached it",
    "still_there": "messages that are still there",
    "lifetime_p50_ms": "half of the lifetimes given are not longer",
    "wait_p50_ms": "half of those taken waited no longer",
    "wait_p95_ms": "95 percent of those taken waited no longer",
    "sufficient_ms": "99 percent of those taken waited no longer: a lifetime that would do",
    "family": "backout queue that the poison came to, or the queue itself where it has none",
    "rank": "1 separates poison from healthy messages best",
    "where": "condition that can be pasted behind --where",
    "sick": "poison messages in all",
    "healthy": "healthy messages in all",
    "support": "share of the poison messages that fulfil it, 0 to 1",
    "healthy_count": "healthy messages that fulfil it",
    "lift": "how many times as common among the poison as among all",
    "score": "support less the share of the healthy messages that fulfil it",
    "first_put_time": "first put of a poison message that fulfils it",
    "last_put_time": "last put of one",
    "sample_msg_id": "MsgId of one",
    "rule": "the same as a rule of a rules table for runmqdlq",
    "staged": "messages that were delayed",
    "landed": "messages that were seen on an application's queue",
    "rolled_back": "messages with a rollback",
    "dead_lettered": "messages that came to a dead-letter queue",
    "requeued": "messages that came to a backout queue",
    "cancelled": "messages that left the staging queue before they were due",
    "open": "messages that are still there",
    "tries_max": "most rollbacks of a message",
    "helped_max": "most rollbacks after which a message was still taken",
    "bothresh_now": "BOTHRESH at the last snapshot",
    "bothresh": "BOTHRESH beyond which more tries never helped",
    "attempt": "rollbacks",
    "reached": "messages that had so many rollbacks or more",
    "taken_percent": "part of those that were taken in the end",
    "original_msg_id": "MsgId that the application put the message with",
    "put_time": "when it was put",
    "due_time": "when it was due, where it was delayed",
    "landed_time": "first snapshot that saw it on an application's queue",
    "tries": "rollbacks of it, the most that a snapshot saw",
    "end": "what became of it",
    "end_time": "last snapshot that saw it",
    "time": "snapshot that saw it first",
    "kind": "kind of the object",
    "name": "name of the object",
    "change": "what happened",
    "attribute": "attribute that is not as it was",
    "old_value": "its value before",
    "new_value": "its value since",
    "severity": "error, warning or info of the finding",
    "message": "what lint says",
    "code": "rule of mqtriage lint; mqtriage lint --explain CODE tells more",
}
"""Column to what it says, for the report and the manual."""
