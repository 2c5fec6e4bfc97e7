"""A simulated month, drawn anew, walked in plain Python: every number of the jobs a second time.

The walk reads the lines of the snapshots' files, one look after the other, and keeps what lies
where. It shares no code with the jobs, and knows nothing of what was simulated.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.forecasting import DepthForecast, forecast
from tests.pipeline.conftest import simulated
from tests.pipeline.histories import nearest_rank
from tests.pipeline.rows import MINUTE
from tests.pipeline.test_cohort import Retried, threshold_by_hand
from tests.support.scale import amount
from tests.support.tools import drawn_seeds_together

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOBS = ("profile", "expiry", "cohort", "causes", "delay", "depth")
HOUR = 3_600_000_000
SECOND = 1_000_000
Line = dict[str, Any]


def us(text: str | None) -> int | None:
    """RFC 3339 as microseconds since 1970."""
    if text is None:
        return None
    since = datetime.fromisoformat(text) - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(microseconds=1)


def moment(text: str) -> int:
    time = us(text)
    assert time is not None
    return time


@dataclass
class Life:
    """A message on one queue, as the looks tell of it.

    Attributes:
        looks: those that saw it, or knew that it is there.
        lines: what was known at each of them.
        before, gone: the looks at the queue before the first and after the last of them.
    """

    queue: str
    looks: list[int] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    before: int | None = None
    gone: int | None = None

    def most(self, name: str) -> Any:
        return max((line[name] for line in self.lines if line.get(name) is not None), default=None)

    def time(self, name: str) -> int | None:
        return max((moment(line[name]) for line in self.lines if line.get(name)), default=None)

    @property
    def length(self) -> int:
        return int(self.most("length_bytes") or 0)

    @property
    def has_expired(self) -> bool:
        end = self.time("expiry_time")
        return end is not None and (
            end <= self.looks[-1] or (self.gone is not None and end <= self.gone)
        )


class Month(NamedTuple):
    """What the files say.

    Attributes:
        looks_of: queue to the looks at it.
        states: queue to what each look said of the queue itself, in time.
        bothresh, boqname: of each queue, as it was seen last.
    """

    lives: list[Life]
    looks_of: dict[str, list[int]]
    bothresh: dict[str, int | None]
    boqname: dict[str, str]
    dead_letter_queues: set[str]
    states: dict[str, list[Line]]


def lines(folder: Path, table: str) -> Iterator[Line]:
    for file in (folder / table).rglob("*.ndjson"):
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def walk(folder: Path) -> Month:
    """Go through the looks in time, and keep what lies on each queue."""
    by_look: dict[int, dict[str, list[Line]]] = defaultdict(lambda: defaultdict(list))
    for line in lines(folder, "messages"):
        by_look[moment(line["snap_time"])][line["queue"]].append(line)
    queues: dict[int, list[Line]] = defaultdict(list)
    for line in lines(folder, "queues"):
        queues[moment(line["snap_time"])].append(line)
    is_full = {moment(s["snap_time"]): s["mode"] == "full" for s in lines(folder, "snapshots")}
    month = Month([], defaultdict(list), {}, {}, set(), defaultdict(list))
    lives: dict[tuple[str, str], Life] = {}
    there: dict[str, dict[str, Line]] = defaultdict(dict)
    for look in sorted(queues):
        for of_queue in queues[look]:
            name = of_queue["queue"]
            month.states[name].append(of_queue)
            month.bothresh[name] = of_queue.get("bothresh", month.bothresh.get(name))
            month.boqname[name] = of_queue.get("boqname", month.boqname.get(name, ""))
            if not of_queue["browsed"]:
                continue
            was = there[name]
            now = {} if is_full[look] else dict(was)
            for line in by_look[look][name]:
                if line["seen"] == "gone":
                    now.pop(line["message_key"], None)
                else:
                    now[line["message_key"]] = line
            before = month.looks_of[name][-1] if month.looks_of[name] else None
            for key, line in now.items():
                life = lives.setdefault((name, key), Life(name, before=before))
                life.looks.append(look)
                life.lines.append(line)
            for key in was.keys() - now.keys():
                lives[name, key].gone = look
            there[name] = now
            month.looks_of[name].append(look)
    month.lives.extend(lives.values())
    known = [line["deadq"] for line in lines(folder, "queue_managers") if line.get("deadq")]
    month.dead_letter_queues.update(known)
    return month


def profiled(month: Month) -> dict[tuple[Any, ...], Line]:
    """`profile`: each message once for each day on which a look saw it, as of the last of them."""
    groups: dict[tuple[Any, ...], list[tuple[Line, int, int | None]]] = defaultdict(list)
    for life in month.lives:
        last_of = {look // (24 * HOUR): number for number, look in enumerate(life.looks)}
        for number in last_of.values():
            line, look = life.lines[number], life.looks[number]
            day = datetime.fromtimestamp(look / 1e6, UTC).date().isoformat()
            group = life.queue, day, line.get("format") or "", line.get("put_appl_name") or ""
            put = us(line.get("put_time"))
            groups[group].append((line, life.length, None if put is None else look - put))
    table = {}
    for group, seen in groups.items():
        lengths = [length for _, length, _ in seen]
        ages = [max(age // 1000, 0) for _, _, age in seen if age is not None]
        table[group] = {
            "messages": len(seen),
            "length_bytes": sum(lengths),
            "length_p50_bytes": nearest_rank(lengths, 50),
            "length_p95_bytes": nearest_rank(lengths, 95),
            "length_max_bytes": max(lengths),
            "age_p50_ms": nearest_rank(ages, 50),
            "age_p95_ms": nearest_rank(ages, 95),
            "age_max_ms": max(ages, default=None),
            "backed_out": sum((line.get("backout_count") or 0) > 0 for line, _, _ in seen),
            "put_after_look": sum(age is not None and age < 0 for _, _, age in seen),
        }
    return table


def expired(month: Month) -> dict[str, Line]:
    """`expiry`, and the bound for what came and went between two looks."""
    table = {}
    for queue in {life.queue for life in month.lives}:
        of_queue = [life for life in month.lives if life.queue == queue]
        waits, lifetimes, hours, unseen, variance = [], [], 0.0, 0.0, 0.0
        for life in of_queue:
            put, end = life.time("put_time"), life.time("expiry_time")
            assert put is not None
            if end is not None:
                lifetimes.append((end - put) // 1000)
            over = life.looks[-1]
            if end is not None and life.has_expired:
                hours += max(end - put, 0) / HOUR
                over = min(end, life.gone or end)
            elif life.gone is not None:
                waits.append(max(life.gone - put, 0) // 1000)
            stayed = max(over - put, SECOND)
            if life.before is not None and stayed < life.looks[0] - life.before:
                ratio = (life.looks[0] - life.before) / stayed
                unseen, variance = unseen + ratio - 1, variance + ratio * (ratio - 1)
        expired_lives = [life for life in of_queue if life.has_expired]
        table[queue] = {
            "messages": len(of_queue),
            "with_expiry": len(lifetimes),
            "expired": len(expired_lives),
            "expired_bytes": sum(life.length for life in expired_lives),
            "carried_message_hours": pytest.approx(hours, abs=0.0011),
            "taken": len(waits),
            "still_there": len(of_queue) - len(expired_lives) - len(waits),
            "lifetime_p50_ms": nearest_rank(lifetimes, 50),
            "wait_p50_ms": nearest_rank(waits, 50),
            "wait_p95_ms": nearest_rank(waits, 95),
            "sufficient_ms": nearest_rank(waits, 99),
            # a sum of fractions rounded up
            "unseen": pytest.approx(math.ceil(unseen + 2 * math.sqrt(variance)), abs=1),
        }
    return table


class Followed(NamedTuple):
    """A message over all its queues: where it counts, what became of it, and its rollbacks."""

    queue: str
    end: str
    tries: int
    tries_seen: int


def role(month: Month, queue: str) -> str:
    if queue == STAGING_QUEUE:
        return "staging"
    if queue in month.dead_letter_queues:
        return "dead"
    return "backout" if queue in month.boqname.values() else "application"


def followed(month: Month) -> list[Followed]:
    """`cohort_messages`, by the MsgId that each was put with."""
    by_id: dict[str, list[Life]] = defaultdict(list)
    for life in month.lives:
        line = life.lines[-1]
        by_id[line.get("original_msg_id") or line["msg_id"]].append(life)
    all_of_them = []
    for of_id in by_id.values():
        of_id.sort(key=lambda life: (life.looks[0], life.queue))
        roles = [role(month, life.queue) for life in of_id]
        landed = [life for life, of in zip(of_id, roles, strict=True) if of == "application"]
        staged = [life for life, of in zip(of_id, roles, strict=True) if of == "staging"]
        queue = landed[0].queue if landed else of_id[0].queue
        if not landed and staged:
            queue = staged[0].most("target") or queue
        rollbacks = max(life.most("backout_count") or 0 for life in of_id)
        seen = max((life.most("backout_count") or 0 for life in landed), default=0)
        last = max(of_id, key=lambda life: (life.looks[-1], life not in staged, life.queue))
        due = max((d for life in of_id if (d := life.time("due_time")) is not None), default=None)
        if "dead" in roles or any(life.most("reason") is not None for life in of_id):
            end = "dead_lettered"
        elif "backout" in roles:
            end = "requeued"
            at_least = month.bothresh.get(landed[0].queue) or 0 if landed else 0
            rollbacks = max(rollbacks, at_least)
        elif last.has_expired:
            end = "expired"
        elif last in staged and last.gone is not None and due is not None and last.gone < due:
            end = "cancelled"
        else:
            end = "open" if last.gone is None else "taken"
        all_of_them.append(Followed(queue, end, rollbacks, seen))
    return all_of_them


def cohorts(month: Month) -> dict[str, Line]:
    """`cohort`: the ends by queue, and the threshold that follows from what was seen."""
    by_queue: dict[str, list[Followed]] = defaultdict(list)
    for life in followed(month):
        by_queue[life.queue].append(life)
    table = {}
    for queue, of_queue in by_queue.items():
        counted = [
            Retried(life.tries, life.end == "taken", life.tries_seen)
            for life in of_queue
            if life.end == "taken" or (life.tries and life.end in ("requeued", "dead_lettered"))
        ]
        bothresh, worst = threshold_by_hand(month.bothresh.get(queue), counted)
        ends = ("dead_lettered", "requeued", "expired", "cancelled", "open", "taken")
        table[queue] = {
            "messages": len(of_queue),
            "rolled_back": sum(life.tries > 0 for life in of_queue),
            **{end: sum(life.end == end for life in of_queue) for end in ends},
            "tries_max": max(life.tries for life in of_queue),
            "helped_max": max((c.tries for c in counted if c.is_taken), default=None),
            "bothresh": bothresh,
            "bothresh_worst": None if bothresh is None else worst,
        }
    return table


COLUMN_OF = {
    "put_appl": "put_appl_name", "user": "user_identifier", "reply_to": "reply_to_q",
    "appl_identity": "appl_identity_data", "length": "length_bytes", "dest": "dest_q",
}  # fmt: skip


def fulfils(line: Line, where: str) -> bool:
    """Whether a message fulfils a condition of `causes`."""
    terms = re.findall(
        r"(\w+|prop\.\"(?:[^\"]|\"\")*\") (?:= ('(?:[^']|'')*'|[\w.+-]+)"
        r"|BETWEEN (\d+) AND (\d+))(?: AND |$)",
        where,
    )
    assert terms, where
    for name, value, low, high in terms:
        if name.startswith("prop."):
            actual = json.loads(line.get("properties") or "{}").get(name[6:-1].replace('""', '"'))
        else:
            actual = line.get(COLUMN_OF.get(name, name))
        if low:
            if actual is None or not int(low) <= actual <= int(high):
                return False
        elif value.startswith("'"):
            if actual != value[1:-1].replace("''", "'"):
                return False
        elif str(actual).upper() != value:
            return False
    return True


OF_HEADER = ("format", "dest", "reason", "encoding", "ccsid", "length_bytes")
"""Columns that a copy on the dead-letter queue has of its header."""


def poison(month: Month) -> dict[str, tuple[list[Line], list[Line], list[Line]]]:
    """The sick, the healthy and the retried messages of each family, by MsgId, as seen last."""
    given_up: dict[tuple[str, str], bool] = defaultdict(bool)
    rolled_back: dict[tuple[str, str], bool] = defaultdict(bool)
    last: dict[tuple[str, str], tuple[int, str, Line, Life]] = {}
    for life in month.lives:
        line, queue = life.lines[-1], life.queue
        is_moved = queue in month.dead_letter_queues and line.get("reason") == 2362
        if is_moved and line.get("dest"):
            queue, line = line["dest"], {**line, **dict.fromkeys(OF_HEADER)}
        is_backout = queue in month.boqname.values()
        family = queue if is_backout else month.boqname.get(queue) or queue
        key = family, line["msg_id"]
        given_up[key] |= is_backout or queue != life.queue
        rolled_back[key] |= any((line.get("backout_count") or 0) > 0 for line in life.lines)
        # an incremental look has no line for what is as it was
        written = moment(line["snap_time"]), life.queue, line, life
        last[key] = max(last.get(key, written), written, key=lambda one: one[:2])
    families: dict[str, tuple[list[Line], list[Line], list[Line]]] = defaultdict(
        lambda: ([], [], [])
    )
    for key, (_, _, line, life) in last.items():
        is_taken = life.gone is not None and not life.has_expired
        is_retried = rolled_back[key] and not given_up[key] and is_taken
        kind = 2 if is_retried else int(not given_up[key] and not rolled_back[key])
        families[key[0]][kind].append(line)
    return families


def staging_peaks(month: Month) -> Line:
    """`delay`: the load by the intervals from put to due time, at each moment of a change."""
    looks = month.looks_of[STAGING_QUEUE]
    changes: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    lives = [life for life in month.lives if life.queue == STAGING_QUEUE]
    arrivals: Counter[int] = Counter()
    releases: Counter[int] = Counter()
    late, early, doomed = [], 0, 0
    for life in lives:
        put, due, end = life.time("put_time"), life.time("due_time"), life.time("expiry_time")
        assert put is not None
        assert due is not None
        is_early = life.gone is not None and life.gone < due
        early += is_early
        doomed += end is not None and end <= due
        released = due
        if life.looks[-1] >= due:
            released = life.looks[-1] + 1
        elif is_early and life.gone is not None:
            released = life.gone
        if life.looks[-1] > due:
            late.append((life.looks[-1] - due) // 1000)
        start = max(min(put, life.looks[0]), looks[0])
        if released > start:
            arrivals[start // MINUTE] += looks[0] < start <= looks[-1]
            releases[released // MINUTE] += released <= looks[-1]
            for at, sign in ((start, 1), (released, -1)):
                changes[at][0] += sign
                changes[at][1] += sign * life.length
    count = length = peak_count = peak_bytes = peak_at = 0
    for at in sorted(at for at in changes if at <= looks[-1]):
        count, length = count + changes[at][0], length + changes[at][1]
        if count > peak_count:
            peak_count, peak_at = count, at
        peak_bytes = max(peak_bytes, length)
    delays = [life.most("delay_ms") for life in lives]
    return {
        "looks": len(looks),
        "messages": len(lives),
        "peak_count": peak_count,
        "peak_bytes": peak_bytes,
        "peak_time": rfc3339(peak_at // MINUTE * MINUTE),
        "arrivals_a_minute": max(arrivals.values()),
        "releases_a_minute": max(releases.values()),
        "largest_bytes": max(life.length for life in lives),
        "delay_p50_ms": nearest_rank(delays, 50),
        "delay_p95_ms": nearest_rank(delays, 95),
        "delay_max_ms": max(delays),
        "late": len(late),
        "late_p95_ms": nearest_rank(late, 95),
        "doomed": doomed,
        "left_early": early,
    }


def depths(month: Month) -> dict[str, Line]:
    """`depth`: what lay on each queue, the longest time it grew unread, and the forecast."""
    backout_queues = {s.get("boqname") for states in month.states.values() for s in states}
    table = {}
    for queue, states in month.states.items():
        if queue.startswith("SYSTEM.") and not any(state["curdepth"] for state in states):
            continue
        looks = [moment(state["snap_time"]) for state in states]
        known = [state["curdepth"] for state in states]
        last, depth, most = looks[-1], known[-1], states[-1]["maxdepth"]
        taken, stuck = unread(states, looks)
        of_hour = {
            (last - look) // HOUR: float(there) for look, there in zip(looks, known, strict=True)
        }
        hours = [of_hour.get(hour) for hour in range((last - looks[0]) // HOUR + 1)]
        expected = forecast(hours, most)
        is_left = queue in backout_queues and depth and last - taken >= 8 * 24 * HOUR
        table[queue] = {
            "looks": len(looks),
            "last_time": rfc3339(last),
            "curdepth": depth,
            "maxdepth": most,
            "greatest_curdepth": max(known),
            "full_looks": sum(s["curdepth"] >= s["maxdepth"] for s in states),
            **foretold(expected, last, is_full=depth >= most),
            **stuck,
            "untouched_from": rfc3339(taken) if is_left else None,
        }
    return table


def unread(states: Sequence[Line], looks: Sequence[int]) -> tuple[int, Line]:
    """When something was taken last, and of the times when nothing was that with most growth."""
    got: int | None = None
    runs: list[list[int]] = []
    begun = 0
    best: tuple[int, int, int, int] | None = None
    for number, state in enumerate(states):
        was_got, got = got, us(state.get("last_get_time")) or got
        fell = number > 0 and state["curdepth"] < states[number - 1]["curdepth"]
        if not runs or fell or got != was_got:
            runs.append([])
        runs[-1].append(number)
    for run in runs:
        in_run = [states[number]["curdepth"] for number in run]
        gets = [us(states[n].get("last_get_time")) for n in run]
        begun = min([looks[run[0]], *(at for at in gets if at is not None)])
        ended = looks[min(run[-1] + 1, len(looks) - 1)]
        lowest = max(looks[n] for n in run if states[n]["curdepth"] == min(in_run))
        growth = max(in_run) - min(in_run)
        if ended - begun >= 2 * HOUR and ended - lowest >= HOUR and growth >= 10:
            readers = max(states[number]["ipprocs"] for number in run)
            one = growth, lowest, looks[run[-1]], readers
            best = one if best is None else max(best, one)
    grown, since, until, readers = best or (None,) * 4
    return begun, {
        "stuck_from": None if since is None else rfc3339(since),
        "stuck_until": None if until is None else rfc3339(until),
        "stuck_growth": grown,
        "stuck_readers": readers,
    }


def foretold(expected: DepthForecast | None, last: int, *, is_full: bool) -> Line:
    """The columns of a forecast, null where there is none."""

    def after(hours: float | None) -> str | None:
        return None if hours is None else rfc3339(last + round(hours * HOUR))

    week = next((one for one in expected.ahead if one.days == 7), None) if expected else None
    step = expected.step if expected else None
    full = (0, 0, 0) if is_full else expected.full_hours if expected else (None,) * 3
    return {
        "growth_a_day": None if expected is None else round(expected.growth_a_day, 1),
        "full_time": after(full[0]),
        "full_early_time": after(full[1]),
        "full_late_time": after(full[2]),
        "week_low": None if week is None else round(week.low, 1),
        "week_high": None if week is None else round(week.high, 1),
        "forecasts": None if week is None else week.forecasts,
        "held": None if week is None else week.held,
        "step_time": None if step is None else after(-step.hours_ago),
        "step_growth": None if step is None else round(step.growth),
    }


def picked(
    rows: Sequence[Mapping[str, Any]], key: str, like: Mapping[str, Line]
) -> dict[str, Line]:
    """The rows by their queue, with the columns that the walk has."""
    columns = next(iter(like.values()))
    return {row[key]: {column: row[column] for column in columns} for row in rows}


DAYS = amount(12, all=30)


# every day: the queue manager without events of test_full_and_incremental.py
@pytest.mark.long
@drawn_seeds_together(10)
def test_a_walk_through_a_month_of_files_gives_what_the_jobs_do(
    spark: SparkSession, tmp_path: Path, seeds: list[int]
) -> None:
    months = {}
    for seed in seeds:
        dice, qmgr = Random(seed), f"SEED{seed}"
        simulated(
            tmp_path / qmgr,
            dice.randrange(1 << 30),
            qmgr,
            days=DAYS,
            rate=amount(100, all=300),
            every_us=2 * HOUR,
            incremental=dice.random() < 0.5,
        )
        months[qmgr] = walk(tmp_path / qmgr)
    the_jobs_give_what_walks_do(spark, tmp_path, months)
    for month in months.values():
        assert (
            len({look // (24 * HOUR) for looks in month.looks_of.values() for look in looks})
            >= DAYS
        )


def the_jobs_give_what_walks_do(
    spark: SparkSession, folder: Path, months: Mapping[str, Month]
) -> None:
    """Of each queue manager, whose snapshots are in a folder of *folder*; all read at once."""
    from mqtriage.pipeline.runner import JobRequest, run

    request = JobRequest(tuple(map(str, sorted(folder.iterdir()))))
    tables = {job: run(spark, job, request).tables[job] for job in JOBS}
    assert {row["qmgr"] for job in JOBS for row in tables[job]} == months.keys()
    the_walks_give_the_same(tables, months)


def the_walks_give_the_same(
    tables: Mapping[str, Sequence[Mapping[str, Any]]], months: Mapping[str, Month]
) -> None:
    """Of each queue manager of *months*; *tables* may have rows of others."""
    for qmgr, month in months.items():
        of_month = {
            job: [row for row in rows if row["qmgr"] == qmgr] for job, rows in tables.items()
        }
        the_walk_gives_the_same(qmgr, month, of_month)


def the_walk_gives_the_same(
    qmgr: str, month: Month, tables: Mapping[str, Sequence[Mapping[str, Any]]]
) -> None:
    print(qmgr)
    keys = ("queue", "day", "format", "put_appl_name")
    of_days = profiled(month)
    assert {
        tuple(row[key] for key in keys): {k: v for k, v in row.items() if k not in (*keys, "qmgr")}
        for row in tables["profile"]
    } == of_days

    of_queues = expired(month)
    assert picked(tables["expiry"], "queue", of_queues) == of_queues
    assert any(row["expired"] for row in of_queues.values())

    lived = cohorts(month)
    assert picked(tables["cohort"], "queue", lived) == lived

    families = poison(month)
    assert {row["family"] for row in tables["causes"]} <= {
        f for f, (s, _, _) in families.items() if s
    }
    for row in tables["causes"]:
        sick, healthy, retried = families[row["family"]]
        of_sick, of_healthy = (
            sum(fulfils(line, row["where"]) for line in group) for group in (sick, healthy)
        )
        assert (row["messages"], row["healthy_count"]) == (of_sick, of_healthy), row["where"]
        counts = row["sick"], row["healthy"], row["retried"]
        assert counts == (len(sick), len(healthy), len(retried))
        assert row["support"] == pytest.approx(of_sick / len(sick), abs=1e-4)
    assert tables["causes"]

    there = depths(month)
    assert picked(tables["depth"], "queue", there) == there
    assert any(row["growth_a_day"] is not None for row in there.values())

    (staged,) = tables["delay"]
    walked = staging_peaks(month)
    assert {column: staged[column] for column in walked} == walked
    assert walked["peak_count"]
