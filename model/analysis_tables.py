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
        order: columns to sort by; ``-`` in front turns one round.
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


_QMGR: Final = _field("qmgr")
_QUEUE: Final = Field("queue", "QUEUE", width=20)

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
        _field("peak_bytes", _B),
        _field("peak_bytes_error", _B, wide=True),
        _field("peak_time", _T, yields=3),
        _field("arrivals_a_minute", _N, wide=True),
        _field("releases_a_minute", _N, wide=True),
        _field("delay_p50_ms", _MS, wide=True, heading="DELAY_P50"),
        _field("delay_p95_ms", _MS, yields=2, heading="DELAY_P95"),
        _field("delay_max_ms", _MS, heading="DELAY_MAX"),
        _field("delay_max_target", wide=True),
        _field("odd_delays", _N, yields=1, heading="ODD"),
        _field("late", _N),
        _field("late_p95_ms", _MS, wide=True, heading="LATE_P95"),
        _field("late_max_ms", _MS, wide=True, heading="LATE_MAX"),
        _field("doomed", _N),
        _field("left_early", _N, wide=True),
        _field("largest_bytes", _B, wide=True, heading="LARGEST"),
        _field("greatest_curdepth", _N, wide=True),
        _field("full_looks", _N, wide=True),
        _field("maxdepth_now", _N, yields=4),
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
    (_QMGR, _QUEUE, _field("attempt", _N), _field("reached", _N), _field("taken", _N)),
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
        "delay": (DELAY, DELAY_LOAD, DELAY_TARGETS),
        "depth": (DEPTH, DEPTH_HOURS),
        "expiry": (EXPIRY,),
        "causes": (CAUSES,),
        "cohort": (COHORT, COHORT_SURVIVAL, COHORT_LIVES),
        "definitions": (DEFINITIONS, DEFINITION_FINDINGS),
    }.items()
}
"""Job to its tables by name, the one that is printed unless another is asked for first."""
