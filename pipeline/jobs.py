"""The jobs by name: what each reads, the tables it makes, and the columns of those.

A job's own file has its functions from DataFrame to DataFrame; here they are put together. What
two of them need is kept (`Inputs.keep`), so that no file is read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from mqtriage.messages.filters.expression import Expression
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.times import DAY_US
from mqtriage.pipeline import activity as activity_job
from mqtriage.pipeline import causes as causes_job
from mqtriage.pipeline import cohort as cohort_job
from mqtriage.pipeline import definitions as definitions_job
from mqtriage.pipeline import delay as delay_job
from mqtriage.pipeline import depth as depth_job
from mqtriage.pipeline import events as events_job
from mqtriage.pipeline import expiry as expiry_job
from mqtriage.pipeline import profile as profile_job
from mqtriage.pipeline.columns import condition
from mqtriage.pipeline.findings import ObjectState, finding_changes
from mqtriage.pipeline.lifetimes import (
    KEY,
    Observations,
    looked_at_alike,
    micros,
    observations,
    queues_named,
)
from mqtriage.pipeline.reading import Reader
from mqtriage.pipeline.report.table_rows import rows_by_part
from mqtriage.pipeline.snapshots.columns import columns_of
from mqtriage.pipeline.snapshots.schema import Mode, Seen
from mqtriage.pipeline.sources.pieces import FILE

QUEUE_COLUMNS: Final = ("qmgr", "queue", "snapshot_id", "snap_time", "browsed")
MOST_SENT: Final = 250_000
"""Rows that a task is sent to join with: some 40 MB in the driver and in each executor."""
SNAPSHOT_COLUMNS: Final = (
    "qmgr", "snapshot_id", "snap_time", "host_time", "mode", "backend", "message_rows",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked of the jobs.

    Attributes:
        where: only these messages; None for all.
        percentile, headroom_percent: of the sizes that `delay` works out.
        trend_hours: how far back `depth` looks for its forecast.
        stuck_hours: how long a queue must grow to be shown as stuck.
        queues: names, or generic names, of the queues that `depth` shows; of all when empty, but
            for those of the system that never held a message.
        top: causes a queue.
    """

    where: Expression | None = None
    percentile: float = 100.0
    headroom_percent: int = 50
    trend_hours: int = 30 * 24
    stuck_hours: int = 2
    queues: Sequence[str] = ()
    top: int = 5


@dataclass(slots=True)
class Inputs:
    """The tables of the snapshots, as a job asks for them.

    Attributes:
        asked: the tables that will be asked for; may be any when empty.
        short: ``qmgr, snapshot_id`` of snapshots that lack rows: what they do not have may be there
            all the same, as with an archive.
        snapshots: one row a snapshot, however many files repeat it.
        are_messages_read: the job reads messages, of which there should be the ``message_rows`` of
            *snapshots*, unless *promised* says how many.
        promised: a DataFrame of one row: ``promised``, the rows of messages that there should be
            to read, null if that is not known.
        promises_gone: those that say that a message is gone are among them.
        unused_queues: queues of the system that the job leaves out, as none held a message.
    """

    reader: Reader
    options: Options
    asked: tuple[str, ...] = ()
    short: Sequence[Row] = ()
    snapshots: DataFrame = field(init=False)
    are_messages_read: bool = False
    promised: DataFrame | None = None
    promises_gone: bool = True
    unused_queues: int = 0
    kept: list[DataFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        key = ["qmgr", "snapshot_id"]
        listed = self.reader.table("snapshots", SNAPSHOT_COLUMNS).dropDuplicates(key)
        if self.short:
            short = self.reader.session.createDataFrame(
                self.short, "qmgr string, snapshot_id string"
            )
            mode = F.when(F.col("is_short"), Mode.ARCHIVE.value).otherwise(F.col("mode"))
            listed = listed.join(short.withColumn("is_short", F.lit(True)), key, "left")
            listed = listed.withColumn("mode", mode).drop("is_short")
        self.snapshots = self.measure(listed)

    def messages(self, columns: Iterable[str]) -> DataFrame:
        """The messages that `--where` selects; rows that say that one is gone are always kept."""
        return self._selected(columns, None)

    def folded(self, columns: Iterable[str], fold: Callable[[DataFrame], DataFrame]) -> DataFrame:
        """What *fold* makes of the messages.

        Args:
            fold: gets rows with a `KIND`, which it keeps, or of one kind alone; gives fewer rows,
                with a column ``sightings``, how many each of them was.
        """
        if self.options.where is not None or (self.reader.since_us or 0) % DAY_US:
            return fold(self.messages(columns))
        self.are_messages_read = True
        marked = self.reader.marked("messages", columns)
        return self.reader.counted(fold(marked), "messages", "sightings")

    def messages_of(self, queue: str, columns: Iterable[str], queues: DataFrame) -> DataFrame:
        """Likewise of one queue alone, which is all that is read.

        Args:
            queues: ``qmgr, snapshot_id, message_count`` of that queue.
        """
        counted = queues.dropDuplicates(["qmgr", "snapshot_id"]).join(
            self.snapshots.select("qmgr", "snapshot_id", "mode"), ["qmgr", "snapshot_id"]
        )
        all_full = F.bool_and(F.col("mode") == Mode.FULL.value)
        self.promised = counted.agg(F.when(all_full, F.sum("message_count")).alias("promised"))
        self.promises_gone = False
        return self._selected(columns, F.col("queue") == queue)

    def _selected(self, columns: Iterable[str], only: Column | None) -> DataFrame:
        self.are_messages_read = True
        where = self.options.where
        frame = self.reader.table("messages", {*columns, *columns_of(where)}, only=only)
        frame = self._with_earlier("messages", frame, KEY, only)
        if where is None:
            return frame
        fulfils = F.coalesce(condition(where), F.lit(False))
        # one that no longer fulfils it is gone for the job: an incremental snapshot says so once
        seen = F.when((F.col("seen") == Seen.CHANGED.value) & ~fulfils, Seen.GONE.value)
        return frame.withColumn("seen", F.coalesce(seen, "seen")).filter(
            (F.col("seen") == Seen.GONE.value) | fulfils
        )

    def definitions(self) -> DataFrame:
        """The rows of definitions."""
        frame = self.reader.table("definitions", definitions_job.COLUMNS)
        return self._with_earlier("definitions", frame, definitions_job.OBJECT)

    def _with_earlier(
        self, name: str, frame: DataFrame, key: Iterable[str], only: Column | None = None
    ) -> DataFrame:
        """*frame* with rows for what was there when the time that was asked for begins.

        Where its first look is an incremental one, which has none, they are the last ones of that
        day before it: what a day's files say can be read without those of the days before.
        """
        since_us = self.reader.since_us or 0
        is_incremental = F.col("mode") == Mode.INCREMENTAL.value
        if since_us % DAY_US == 0 or self.snapshots.filter(is_incremental).isEmpty():
            return frame
        reader, begin_us = self.reader, since_us - since_us % DAY_US
        whole, rest = (
            Reader(reader.session, reader.roots, at, begin_us + DAY_US, forgiving=reader.forgiving)
            for at in (begin_us, since_us)
        )
        looked, groups = self.snapshots, ["qmgr"]
        if "queue" in key:
            modes = looked.select("qmgr", "snapshot_id", "mode")
            looked = rest.table("queues", QUEUE_COLUMNS).filter("browsed")
            looked, groups = looked.join(modes, ["qmgr", "snapshot_id"]), ["qmgr", "queue"]
        first = (
            looked.filter(F.col("mode") != Mode.ARCHIVE.value)
            .groupBy(*groups)
            .agg(F.min(F.struct("snap_time", "snapshot_id", "mode")).alias("first"))
            .filter(F.col("first.mode") == Mode.INCREMENTAL.value)
        )
        values = [column for column in frame.columns if column not in key]
        is_there = F.col("seen") != Seen.GONE.value
        last = (
            whole.table(name, frame.columns, only=only)
            .join(first, groups)
            .filter(F.col("snap_time") <= F.col("first.snap_time"))
            .groupBy(*key, "first")
            .agg(F.max_by(F.struct(*values), F.struct("snap_time", is_there)).alias("last"))
            .filter("last.snap_time < first.snap_time")
            .filter(F.col("last.seen") != Seen.GONE.value)
        )
        tenths = F.expr("(unix_micros(first.snap_time) - unix_micros(last.snap_time)) div 100000")
        now = {
            "snap_time": F.col("first.snap_time"),
            "snapshot_id": F.col("first.snapshot_id"),
            "seen": F.lit(Seen.PRESENT.value),
        }
        if "expiry_tenths" in values:
            tenths_left = F.greatest(F.col("last.expiry_tenths") - tenths, F.lit(0)).cast("int")
            is_limited = F.col("last.expiry_tenths") != cmqc.MQEI_UNLIMITED
            now["expiry_tenths"] = F.when(is_limited, tenths_left).otherwise(
                F.col("last.expiry_tenths")
            )
        carried = last.select(*key, *(now.get(n, F.col(f"last.{n}")).alias(n) for n in values))
        return frame.unionByName(carried)

    def table(self, name: str, columns: Iterable[str]) -> DataFrame:
        """Any other table, whole."""
        return self.reader.table(name, columns)

    def logged(self, name: str, columns: Iterable[str]) -> DataFrame:
        """A table of logs, what two of them have once.

        Equal rows of one file are so many; those of another file are the same ones.
        """
        columns = list(dict.fromkeys(columns))
        rows = self.reader.logged(name, {*columns, FILE}).repartition(*columns)
        in_file = rows.groupBy(*columns, FILE).agg(F.count(F.lit(1)).alias("times"))
        of_all = in_file.groupBy(*columns).agg(F.max("times").cast("int").alias("times"))
        copies = F.explode(F.array_repeat(F.lit(1), F.col("times")))
        return self.keep(of_all.select(*columns, copies.alias("times")).drop("times"))

    def counted(self) -> DataFrame:
        """Statistics messages, which know no single message: none where `--where` selects some."""
        if self.options.where is None:
            return self.logged("statistics", activity_job.COLUMNS)
        return Reader(self.reader.session, ()).logged("statistics", activity_job.COLUMNS)

    def observations(self, queues: DataFrame) -> Observations:
        """Which snapshots read which queue.

        Args:
            queues: with `QUEUE_COLUMNS`. Where they are many, one of those looked at alike stands
                for all of them, which is a tenth of the rows where a queue manager has ten.
        """
        same = None
        if "queues" not in self.reader.in_one_task:
            queues = self.keep(queues)
            same = self.measure(looked_at_alike(queues))
        looked = observations(queues, self.snapshots, same)
        return Observations(self.measure(looked.times), same)

    def keep(self, frame: DataFrame) -> DataFrame:
        """*frame* for more than one use: worked out once, on disk where memory is short."""
        frame = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self.kept.append(frame)
        return frame

    def measure(self, frame: DataFrame) -> DataFrame:
        """*frame* kept, and worked out now: Spark then knows its size when it plans a join.

        What is small it sends to every task by itself. It goes by compressed bytes, which looks
        at regular times have few of, so that what has many rows is joined without.
        """
        kept = self.keep(frame)
        return kept if kept.count() <= MOST_SENT else kept.hint("merge")

    def release(self) -> None:
        """Let go of what was kept."""
        while self.kept:
            self.kept.pop().unpersist(blocking=True)


class Tables(Mapping[str, DataFrame]):
    """The tables of a job by name, each put together when it is asked for first.

    Spark looks through a plan at every step of putting it together, which takes seconds in all.
    """

    def __init__(self, **makers: Callable[[], DataFrame]) -> None:
        self._makers = makers
        self._frames: dict[str, DataFrame] = {}

    def __getitem__(self, name: str) -> DataFrame:
        if name not in self._frames:
            self._frames[name] = self._makers[name]()
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def _profile(inputs: Inputs) -> Tables:
    looked = None
    if not inputs.snapshots.filter(F.col("mode") != Mode.FULL.value).isEmpty():
        looked = inputs.observations(inputs.table("queues", QUEUE_COLUMNS))
    return Tables(profile=lambda: profile_job.profile(inputs.messages(profile_job.COLUMNS), looked))


def _delay(inputs: Inputs) -> Tables:
    options = inputs.options
    columns = (*QUEUE_COLUMNS, "curdepth", "maxdepth", "maxmsgl_bytes", "message_count")
    queues = inputs.keep(inputs.table("queues", columns).filter(F.col("queue") == STAGING_QUEUE))
    looked = observations(queues, inputs.snapshots)
    looked = Observations(inputs.measure(looked.times))
    staged = inputs.keep(
        delay_job.staged(inputs.messages_of(STAGING_QUEUE, delay_job.COLUMNS, queues), looked)
    )
    spans = inputs.measure(delay_job.span(looked))
    loaded = delay_job.load(staged, spans)
    if options.percentile < 100 or inputs.asked != ("delay",):  # else it is used once
        loaded = inputs.keep(loaded)
    sizing = options.percentile, options.headroom_percent

    def sizes() -> DataFrame:
        # else the messages of a queue manager would all be sent to one task, to meet it
        usual = inputs.measure(delay_job.usual_delays(staged))
        return delay_job.sizes(staged, usual, loaded, spans, delay_job.facts(queues), *sizing)

    return Tables(
        delay=sizes,
        delay_load=lambda: loaded.withColumn("minute_time", F.timestamp_micros("minute_us")),
        delay_hours=lambda: delay_job.hourly(loaded, spans),
        delay_targets=lambda: delay_job.targets(staged),
    )


def _depth(inputs: Inputs) -> Tables:
    options = inputs.options
    queues = inputs.table("queues", depth_job.COLUMNS)
    if inputs.reader.logs:
        queues = queues.unionByName(inputs.reader.logged("queues", depth_job.COLUMNS))
    queues = inputs.keep(queues)
    looked = inputs.keep(
        depth_job.looks(queues, trend_hours=options.trend_hours, stuck_hours=options.stuck_hours)
    )
    if options.queues:
        looked = looked.filter(depth_job.is_named(options.queues))
    else:
        inputs.unused_queues = looked.filter(depth_job.is_unused()).count()
        looked = looked.filter(~depth_job.is_unused())
    shown = looked.select("qmgr", "queue")
    expected = cache(partial(depth_job.foreseen, inputs.reader.session, looked))
    return Tables(
        depth=lambda: depth_job.depth(looked, expected(), depth_job.backout_queues(queues)),
        depth_ahead=lambda: depth_job.ahead(looked, expected()),
        depth_hours=lambda: depth_job.hourly(queues.join(shown, shown.columns, "left_semi")),
    )


def _expiry(inputs: Inputs) -> Tables:
    looked = inputs.observations(inputs.table("queues", QUEUE_COLUMNS))

    def expiry() -> DataFrame:
        counted = activity_job.expired(inputs.counted())
        seen = expiry_job.expiry(inputs.messages(expiry_job.COLUMNS), looked)
        return expiry_job.with_counts(seen, counted)

    return Tables(expiry=expiry)


def _causes(inputs: Inputs) -> Tables:
    queues = inputs.keep(inputs.table("queues", (*QUEUE_COLUMNS, "boqname")))
    managers = inputs.table("queue_managers", ("qmgr", "snap_time", "deadq"))
    family_of = inputs.measure(causes_job.families(queues))
    dead = inputs.measure(queues_named(managers, "deadq"))
    looked = inputs.observations(queues)
    lines = inputs.folded(causes_job.COLUMNS, causes_job.lifelines)
    described = inputs.keep(causes_job.judged(lines, family_of, dead))
    settled = inputs.keep(causes_job.settled(described, looked))
    return Tables(causes=lambda: causes_job.causes(settled, top=inputs.options.top))


def _cohort(inputs: Inputs) -> Tables:
    queues = inputs.keep(inputs.table("queues", (*QUEUE_COLUMNS, "bothresh", "boqname")))
    managers = inputs.table("queue_managers", ("qmgr", "snap_time", "deadq"))
    placed = inputs.measure(cohort_job.places(queues, managers))
    looked = inputs.observations(queues)
    lines = inputs.keep(cohort_job.lifelines(inputs.messages(cohort_job.COLUMNS), looked, placed))
    return Tables(
        cohort=lambda: cohort_job.cohort(lines, placed, looked),
        cohort_survival=lambda: cohort_job.survival(lines),
        cohort_messages=lambda: lines,
    )


def _definitions(inputs: Inputs) -> Tables:
    states = inputs.keep(definitions_job.states(inputs.definitions(), inputs.snapshots))

    def findings() -> DataFrame:
        rows = states.select(
            "qmgr", micros("time").alias("time_us"), "kind", "name", "attributes"
        ).orderBy("qmgr", "time_us", "kind", "name")
        violations = finding_changes(ObjectState(*row) for row in rows_by_part(rows))
        session = inputs.reader.session
        schema = "time_us long, qmgr string, change string, code string, severity string,"
        schema += " kind string, name string, message string"
        turned = session.createDataFrame(list(violations), schema)
        return turned.withColumn("time", F.timestamp_micros("time_us"))

    return Tables(
        definitions=lambda: definitions_job.definitions(states), definition_findings=findings
    )


def _events(inputs: Inputs) -> Tables:
    happened = inputs.logged("events", events_job.COLUMNS)
    return Tables(
        events=lambda: events_job.counts(happened),
        event_changes=lambda: events_job.changes(happened),
        event_queues=lambda: events_job.queues(happened),
    )


def _activity(inputs: Inputs) -> Tables:
    counted = inputs.logged("statistics", activity_job.COLUMNS)
    return Tables(
        activity=lambda: activity_job.queues(counted),
        activity_applications=lambda: activity_job.applications(counted),
    )


JOBS: Final = {
    "profile": _profile,
    "delay": _delay,
    "depth": _depth,
    "expiry": _expiry,
    "causes": _causes,
    "cohort": _cohort,
    "definitions": _definitions,
    "events": _events,
    "activity": _activity,
}
"""What makes the tables of each job, in the order of the report."""
